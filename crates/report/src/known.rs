//! What each store is, as its descriptor told when the run began: facts that no measurement shows.

use kurabe_analysis::format::NONE;
use kurabe_analysis::{Answer, english};
use kurabe_record::{About, KnownStore, Writers};

use crate::tables::{Align, Table, Tone};

/// A row for each store that took part; empty for a run that does not tell.
pub(crate) fn table(answer: &Answer) -> Table {
    let mut stores: Vec<&KnownStore> = Vec::new();
    for known in answer.candidates.iter().filter_map(|one| one.known.as_ref()) {
        if !stores.iter().any(|one| one.name == known.name) {
            stores.push(known);
        }
    }
    let mut table = Table::of_rows(stores.iter().map(|_| Tone::Plain));
    let mut add = |title: &str, rank: u8, cell: fn(&KnownStore) -> String| {
        table.add(title, Align::Left, rank, stores.iter().map(|known| cell(known)));
    };
    add("store", 0, |known| known.name.clone());
    add("what it is", 0, |known| english::about_in_short(&known.about));
    add("writes at once", 1, |known| writers(known.about.writers).into());
    add("licence", 0, |known| known.licence.clone());
    add("newest release known", 1, |known| released(&known.about));
    add("backup", 3, |known| known.about.backup.clone());
    add("change of the schema", 2, |known| known.about.schema_change.clone());
    table
}

fn writers(writers: Writers) -> &'static str {
    match writers {
        Writers::One => "one connection",
        Writers::Several => "several connections",
    }
}

fn released(about: &About) -> String {
    match (&about.released_version, &about.released) {
        (Some(version), Some(date)) => format!("{version}, {date}"),
        (None, Some(date)) => date.clone(),
        _ => NONE.into(),
    }
}
