//! Where the rows of a load come from: what is there to be asked for them.

use kurabe_messages::message;
use kurabe_protocol::{DataFiles, RowsFrom};
use kurabe_record::Configuration;

use super::WirePhase;
use crate::candidate::{CandidateText, parse_candidate};
use crate::catalogue::Catalogue;
use crate::error::{StudyError, named};
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
            let problem = message!(study_in, origin = "rows_from", problem = error.message());
            return Err(StudyError::value(origin, problem));
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
    let stores: Vec<&str> = catalogue.stores().iter().filter(gives).map(|store| store.name.as_str()).collect();
    // Behind it may be an address with a password.
    let value = CandidateText::of(from).name;
    Err(StudyError::value(origin, message!(study_phase_rows_from, stores, value)))
}

/// Lines must be there, rows of a file be nowhere else, and a job have one other store.
pub(crate) fn check_rows_from(
    origin: &str,
    config: &Configuration,
    data: Option<&DataFiles>,
) -> Result<(), StudyError> {
    for plan in &config.phases {
        let problem = match plan.phase.rows_from() {
            RowsFrom::Lines if data.is_none_or(|files| files.source.is_none()) => message!(study_phase_no_lines),
            RowsFrom::Store(_) if data.is_some() => message!(study_phase_rows_of_data),
            RowsFrom::Memory | RowsFrom::Lines | RowsFrom::Store(_) => continue,
        };
        return Err(StudyError::value(origin, problem).within(origin, named("phase", &plan.phase.name)));
    }
    let mut stores = config.rows_from();
    let first = stores.next();
    match stores.find(|store| Some(*store) != first) {
        Some(store) => Err(StudyError::value(origin, message!(study_phase_one_source, store))),
        None => Ok(()),
    }
}
