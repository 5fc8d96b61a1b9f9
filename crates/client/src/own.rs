//! The files of own rows, mapped into this process.

use std::fs::File;

use kurabe_protocol::{DataFiles, OwnRows};
use memmap2::Mmap;

/// Maps the files of a job that loads `rows` rows. They stay mapped until the process ends, as keys point into them.
pub(crate) fn map(files: &DataFiles, rows: u64) -> Result<&'static OwnRows, String> {
    if rows > files.count {
        return Err(format!("the data has {} rows, {rows} are to be loaded", files.count));
    }
    let bytes = |path: &str| -> Result<&'static [u8], String> {
        let failed = |error: std::io::Error| format!("cannot map the data file '{path}': {error}");
        let file = File::open(path).map_err(failed)?;
        // SAFETY: the harness wrote the file for this run and changes it no more.
        let map: &'static Mmap = Box::leak(Box::new(unsafe { Mmap::map(&file) }.map_err(failed)?));
        Ok(map)
    };
    let rows = OwnRows::new(files, bytes(&files.rows)?, bytes(&files.index)?, bytes(&files.order)?)?;
    Ok(Box::leak(Box::new(rows)))
}
