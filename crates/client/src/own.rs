//! The files of own rows, mapped into this process.

use std::fs::File;

use kurabe_protocol::{DataFiles, DataSource, OwnRows};
use memmap2::Mmap;

use crate::parse::Source;

/// Maps the files of a job that loads `rows` rows. They stay mapped until the process ends, as keys point into them.
pub(crate) fn map(files: &DataFiles, rows: u64) -> Result<&'static OwnRows, String> {
    if rows > files.count {
        return Err(format!("the data has {} rows, {rows} are to be loaded", files.count));
    }
    let rows = OwnRows::new(files, bytes(&files.rows)?, bytes(&files.index)?, bytes(&files.order)?)?;
    Ok(Box::leak(Box::new(rows)))
}

fn bytes(path: &str) -> Result<&'static [u8], String> {
    let failed = |error: std::io::Error| format!("cannot map the data file '{path}': {error}");
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the harness wrote the file for this run and changes it no more.
    let map: &'static Mmap = Box::leak(Box::new(unsafe { Mmap::map(&file) }.map_err(failed)?));
    Ok(map)
}

/// The lines that rows came from. They are read and not mapped: the file is the user's, who may cut it off at any time.
pub(crate) fn read_source(source: &DataSource) -> Result<Source<'_>, String> {
    let bytes = std::fs::read(&source.path).map_err(|error| format!("cannot read '{}': {error}", source.path))?;
    Ok(Source { bytes: bytes.leak(), columns: source })
}
