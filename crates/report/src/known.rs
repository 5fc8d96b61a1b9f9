//! What each store is, as its descriptor said when the run began: facts that no measurement shows.

use kurabe_analysis::Answer;
use kurabe_messages::{Message, described, message};
use kurabe_record::{About, KnownStore};

use crate::format::NONE;
use crate::tables::{Align, Table, Tone};
use crate::text::Text;
use crate::words::{about_in_short, writers};

/// A row for each store that took part; empty for a run that does not say.
pub(crate) fn table(answer: &Answer) -> Table {
    let mut stores: Vec<&KnownStore> = Vec::new();
    for known in answer.candidates.iter().filter_map(|one| one.known.as_ref()) {
        if !stores.iter().any(|one| one.name == known.name) {
            stores.push(known);
        }
    }
    let mut table = Table::of_rows(stores.iter().map(|_| Tone::Plain));
    let mut add = |title: Message, rank: u8, cell: fn(&KnownStore) -> Text| {
        table.add(title, Align::Left, rank, stores.iter().map(|known| cell(known)));
    };
    add(message!(word_store), 0, |known| known.name.clone().into());
    add(message!(word_kind), 0, |known| about_in_short(&known.about).into());
    add(message!(word_writers), 1, |known| writers(known.about.writers).into());
    add(message!(word_licence), 0, |known| described(&known.licence).into());
    add(message!(word_newest_release), 1, |known| released(&known.about).into());
    add(message!(word_backup), 3, |known| described(&known.about.backup).into());
    add(message!(word_schema_change), 2, |known| described(&known.about.schema_change).into());
    table
}

fn released(about: &About) -> String {
    match (&about.released_version, &about.released) {
        (Some(version), Some(date)) => format!("{version}, {date}"),
        (None, Some(date)) => date.clone(),
        _ => NONE.into(),
    }
}
