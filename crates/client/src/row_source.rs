//! Rows of a load that come again from where they are, inside the time of the load, as in a program that copies them.
//! Each source of rows is a [`RowSource`] and a variant of [`RowOrigin`].

use std::sync::Arc;

use kurabe_protocol::{Job, Layout, Phase, Pool, RowsFrom};

use crate::adapter::{RowBuffer, StoreError};
use crate::own;
use crate::parse::{Lines, Source};

/// A way through the rows of a source, in the order of the load.
pub trait RowSource {
    /// Gets `row`; row 0 from the beginning again. What is written is known: it must be the same.
    ///
    /// # Errors
    /// In words, where it was not had, or is another.
    fn get(&mut self, row: u32, layout: &Layout, pool: &Pool) -> Result<(), String>;
}

/// Where rows come again from.
pub enum RowOrigin<'a> {
    /// The lines of a data file.
    Lines(Source<'a>),
    /// Another store, by its job.
    Store(OpenCursor, Arc<Job>),
}

impl<'a> RowOrigin<'a> {
    /// Begins a way through the rows; each worker has its own.
    pub fn begin(&self, layout: &Layout) -> Result<Box<dyn RowSource + 'a>, StoreError> {
        Ok(match self {
            RowOrigin::Lines(source) => Box::new(Lines::new(*source)),
            RowOrigin::Store(open, job) => Box::new(CursorSource { cursor: open(job)?, row: RowBuffer::new(layout) }),
        })
    }
}

/// A cursor over all rows of a store, in the order of their keys.
pub trait RowCursor {
    /// Begins with the first row.
    fn restart(&mut self) -> Result<(), StoreError>;

    /// The next row: its number, and its fields in `out`; nothing behind the last.
    fn next(&mut self, out: &mut RowBuffer) -> Result<Option<u32>, StoreError>;
}

/// How a store gives a cursor over the rows of a job, which is that of the store.
pub type OpenCursor = fn(&Job) -> Result<Box<dyn RowCursor>, StoreError>;

/// The lines that a load of the job splits again, where one does.
pub(crate) fn lines(job: &Job) -> Result<Option<Source<'_>>, String> {
    let asked = job.phases.iter().any(|phase| *phase.rows_from() == RowsFrom::Lines);
    let source = job.data.as_ref().and_then(|files| files.source.as_ref()).filter(|_| asked);
    source.map(own::read_source).transpose()
}

/// Where the rows of `phase` come again from, if they do: `lines`, or the `cursor` of a store that speaks a protocol.
pub(crate) fn origin<'a>(
    job: &Job,
    phase: &Phase,
    lines: Option<Source<'a>>,
    cursor: impl FnOnce(&str) -> Option<OpenCursor>,
) -> Result<Option<RowOrigin<'a>>, String> {
    match phase.rows_from() {
        RowsFrom::Memory => Ok(None),
        RowsFrom::Lines => Ok(lines.map(RowOrigin::Lines)),
        RowsFrom::Store(store) => {
            let problem = |what: &str| format!("phase '{}' fetches rows from '{store}', {what}", phase.name);
            let from = job.rows_from.clone().ok_or_else(|| problem("and the job does not say where that is"))?;
            let open = cursor(&from.candidate.wire).ok_or_else(|| problem("which this client cannot"))?;
            let (candidate, url) = (from.candidate, Some(from.url));
            let job = Job { candidate, url, dir: None, settings: Default::default(), ..job.clone() };
            Ok(Some(RowOrigin::Store(open, Arc::new(job))))
        }
    }
}

/// Rows of another store, and the one that came last.
struct CursorSource {
    cursor: Box<dyn RowCursor>,
    row: RowBuffer,
}

impl RowSource for CursorSource {
    fn get(&mut self, row: u32, layout: &Layout, pool: &Pool) -> Result<(), String> {
        let failed = |error: StoreError| format!("row {row} could not be fetched: {error}");
        if row == 0 {
            self.cursor.restart().map_err(failed)?;
        }
        match self.cursor.next(&mut self.row).map_err(failed)? {
            Some(found) if found == row && layout.check(pool, row, self.row.raw(), 0, 0).is_ok() => Ok(()),
            Some(found) => Err(format!("row {row} was to be fetched, and row {found} came, or was not whole")),
            None => Err(format!("row {row} was to be fetched, and none came")),
        }
    }
}

impl RowSource for Lines<'_> {
    fn get(&mut self, row: u32, layout: &Layout, _: &Pool) -> Result<(), String> {
        if self.find(row, layout) { Ok(()) } else { Err(no_line(row)) }
    }
}

/// What is said where a row did not come again from its line.
pub(crate) fn no_line(row: u32) -> String {
    format!("no line of the data file holds row {row} as it was read first")
}
