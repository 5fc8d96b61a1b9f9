//! What each store is, as its descriptor told when the run began: facts that no measurement shows.

use kurabe_analysis::Answer;
use kurabe_analysis::format::NONE;
use kurabe_record::{About, KnownStore};

use crate::tables::{Align, Table, Tone};
use crate::words::{Text, Word, about_in_short};

/// A row for each store that took part; empty for a run that does not tell.
pub(crate) fn table(answer: &Answer) -> Table {
    let mut stores: Vec<&KnownStore> = Vec::new();
    for known in answer.candidates.iter().filter_map(|one| one.known.as_ref()) {
        if !stores.iter().any(|one| one.name == known.name) {
            stores.push(known);
        }
    }
    let mut table = Table::of_rows(stores.iter().map(|_| Tone::Plain));
    let mut add = |title: Word, rank: u8, cell: fn(&KnownStore) -> Text| {
        table.add(title, Align::Left, rank, stores.iter().map(|known| cell(known)));
    };
    add(Word::Store, 0, |known| known.name.clone().into());
    add(Word::WhatItIs, 0, |known| about_in_short(&known.about));
    add(Word::WritesAtOnce, 1, |known| Word::from(known.about.writers).into());
    add(Word::Licence, 0, |known| known.licence.clone().into());
    add(Word::NewestRelease, 1, |known| released(&known.about).into());
    add(Word::Backup, 3, |known| known.about.backup.clone().into());
    add(Word::SchemaChange, 2, |known| known.about.schema_change.clone().into());
    table
}

fn released(about: &About) -> String {
    match (&about.released_version, &about.released) {
        (Some(version), Some(date)) => format!("{version}, {date}"),
        (None, Some(date)) => date.clone(),
        _ => NONE.into(),
    }
}
