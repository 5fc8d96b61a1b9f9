//! Rows fetched from another store while they are loaded, as a program does that copies them.

use std::sync::Arc;

use kurabe_protocol::{Job, Phase};

use crate::adapter::{RowBuffer, StoreError};
use crate::parse::Lines;

/// A cursor over all rows of a store, in the order of their keys.
pub trait RowCursor {
    /// Begins with the first row.
    fn restart(&mut self) -> Result<(), StoreError>;

    /// The next row: its number, and its fields in `out`; nothing behind the last.
    fn next(&mut self, out: &mut RowBuffer) -> Result<Option<u32>, StoreError>;
}

/// How a store gives a cursor over the rows of a job, which is that of the store.
pub type OpenCursor = fn(&Job) -> Result<Box<dyn RowCursor>, StoreError>;

/// The store that a load fetches its rows from.
#[derive(Clone)]
pub struct RowsFrom {
    /// Its job.
    pub job: Arc<Job>,
    /// How it is read.
    pub open: OpenCursor,
}

/// Where the rows of a load come from again, inside its time.
pub(crate) enum Again<'a> {
    /// The lines of a data file.
    Lines(Lines<'a>),
    /// Another store, and the row that came last.
    Cursor(Box<dyn RowCursor>, RowBuffer),
}

/// The job of the store that the rows of `phase` are fetched from, if they are.
pub(crate) fn job_of_source(job: &Job, phase: &Phase) -> Result<Option<Job>, String> {
    if !phase.fetches() {
        return Ok(None);
    }
    let Some(from) = job.rows_from.clone() else {
        return Err(format!("phase '{}' fetches rows, and the job does not say from where", phase.name));
    };
    let candidate = kurabe_protocol::Candidate {
        name: from.store.clone(),
        store: from.store,
        wire: from.wire,
        variant: from.variant,
    };
    Ok(Some(Job {
        candidate,
        url: Some(from.url),
        namespace: from.namespace,
        dir: None,
        settings: Default::default(),
        ..job.clone()
    }))
}
