//! Where the rows of a load come from: what is there to be asked for them.

use kurabe_protocol::{DataFiles, RowsFrom};
use kurabe_record::Configuration;

use super::WirePhase;
use crate::candidate::{Typed, parse_candidate};
use crate::catalogue::Catalogue;
use crate::error::StudyError;
use crate::store::StoreDescriptor;

/// A store that rows are fetched from must be one that can give them, and be started by Kurabe.
pub(crate) fn check_source(catalogue: &Catalogue, origin: &str, phase: &WirePhase) -> Result<(), StudyError> {
    let in_client = phase.program.as_deref().unwrap_or(phase);
    match &in_client.rows_from {
        RowsFrom::Store(from) => check_gives_rows(catalogue, origin, from),
        RowsFrom::Memory | RowsFrom::Lines => Ok(()),
    }
}

/// Whether a store gives its rows to others.
pub(crate) fn check_gives_rows(catalogue: &Catalogue, origin: &str, from: &str) -> Result<(), StudyError> {
    let gives = |store: &&StoreDescriptor| store.gives_rows;
    match parse_candidate(catalogue, from) {
        Err(error @ StudyError::Unknown { .. }) => {
            return Err(StudyError::value(&format!("{origin}: rows_from"), error.to_string()));
        }
        Ok(spec)
            if catalogue.store(&spec.store).is_ok_and(|store| gives(&store))
                && spec.url.is_none()
                && !spec.client_is_asked =>
        {
            return Ok(());
        }
        _ => {}
    }
    let known: Vec<&str> = catalogue.stores().iter().filter(gives).map(|store| store.name.as_str()).collect();
    // Behind it may be an address with a password.
    let words = format!(
        "rows_from takes \"memory\", \"lines\", or a store and its variant, of {}; got '{}'",
        known.join(", "),
        Typed::of(from).name
    );
    Err(StudyError::value(origin, words))
}

/// Lines must be there, rows of a file be nowhere else, and a job have one other store.
pub(crate) fn check_rows_from(
    origin: &str,
    config: &Configuration,
    data: Option<&DataFiles>,
) -> Result<(), StudyError> {
    let problem = |problem: String| Err(StudyError::value(origin, problem));
    for plan in &config.phases {
        match plan.phase.rows_from() {
            RowsFrom::Lines if data.is_none_or(|files| files.source.is_none()) => {
                return problem(format!(
                    "phase '{}' splits lines of a tab-separated data file, and there is none; leave 'rows_from' out",
                    plan.phase.name
                ));
            }
            RowsFrom::Store(_) if data.is_some() => {
                return problem("rows of a data file are not fetched from another store; leave 'rows_from' out".into());
            }
            RowsFrom::Memory | RowsFrom::Lines | RowsFrom::Store(_) => {}
        }
    }
    let mut stores = config.rows_from();
    let first = stores.next();
    match stores.find(|store| Some(*store) != first) {
        Some(other) => problem(format!("a job fetches rows from one store, not from '{other}' too; name one")),
        None => Ok(()),
    }
}
