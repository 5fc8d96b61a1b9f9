//! The lines of `jobs.jsonl`, one at a time, so that a file that says little in many bytes takes no more memory than a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use kurabe_messages::message;
use lzma_rust2::XzReader;

use crate::folder::{FolderError, JOBS, JOBS_PACKED, cannot_read};

/// Most bytes of a line: a job of a hundred phases has one.
const MOST_LINE_BYTES: u64 = 64 << 20;
/// Most bytes of all lines of a compressed file.
const MOST_UNPACKED_BYTES: u64 = 4 << 30;
/// Most memory that unpacking may take, in KiB: four times that of 'xz -9'.
const MOST_XZ_KIB: u32 = 256 << 10;

/// The lines of the jobs of a run; of one that is kept for good they may be compressed.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    /// Most bytes of a line.
    most_of_line: u64,
    /// Bytes that may still come.
    left: u64,
    /// Number of the last line, from 1.
    number: usize,
}

impl Lines {
    pub(crate) fn open(folder: &Path) -> Result<Lines, FolderError> {
        let plain = folder.join(JOBS);
        let packed = folder.join(JOBS_PACKED);
        let lines = |path, reader, left| Lines { path, reader, most_of_line: MOST_LINE_BYTES, left, number: 0 };
        if let Some(file) = open_if_there(&plain)? {
            return Ok(lines(plain, Box::new(BufReader::new(file)), u64::MAX));
        }
        if let Some(file) = open_if_there(&packed)? {
            return Ok(lines(packed, Box::new(BufReader::new(unpacked(file))), MOST_UNPACKED_BYTES));
        }
        Ok(lines(plain, Box::new(io::empty()), u64::MAX))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line that came last, from 1.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The next line with its end, where it has one.
    pub(crate) fn next_into(&mut self, line: &mut Vec<u8>) -> Result<bool, FolderError> {
        line.clear();
        let most = self.most_of_line.min(self.left);
        let mut reader = self.reader.by_ref().take(most);
        let read = reader.read_until(b'\n', line).map_err(|error| cannot_read(&self.path, error))?;
        self.left -= read as u64;
        if read == 0 && most > 0 {
            return Ok(false);
        }
        self.number += 1;
        if read as u64 == most && line.last() != Some(&b'\n') {
            let reason = if most < self.most_of_line {
                message!(record_lines_long, most = MOST_UNPACKED_BYTES)
            } else {
                message!(record_line_long, most = MOST_LINE_BYTES)
            };
            return Err(FolderError::Damaged { path: self.path.display().to_string(), line: self.number, reason });
        }
        Ok(true)
    }
}

/// What a file compressed by xz holds.
pub(crate) fn unpacked(file: File) -> impl Read {
    XzReader::new_mem_limit(BufReader::new(file), true, MOST_XZ_KIB)
}

pub(crate) fn open_if_there(path: &Path) -> Result<Option<File>, FolderError> {
    match kurabe_machine::open_file(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static str, most_of_line: u64, left: u64) -> Result<Vec<String>, String> {
        let reader = Box::new(BufReader::with_capacity(2, text.as_bytes()));
        let mut lines = Lines { path: "jobs.jsonl".into(), reader, most_of_line, left, number: 0 };
        let (mut line, mut all) = (Vec::new(), Vec::new());
        while lines.next_into(&mut line).map_err(|error| error.to_string())? {
            all.push(String::from_utf8(line.clone()).expect("text"));
        }
        assert_eq!(lines.number(), all.len());
        Ok(all)
    }

    #[test]
    fn lines_come_one_by_one_and_the_last_may_lack_its_end() {
        assert_eq!(lines("one\ntwo\nx", 4, 100).unwrap(), ["one\n", "two\n", "x"]);
        assert_eq!(lines("", 4, 100).unwrap(), [""; 0]);
    }

    #[test]
    fn a_line_or_a_file_without_end_is_refused_in_words() {
        let error = lines("one\nlong and longer", 5, 100).unwrap_err();
        assert!(error.contains("damaged in line 2: it is longer than"), "{error}");
        let error = lines("one\ntwo\nsix\n", 5, 10).unwrap_err();
        assert!(error.contains("damaged in line 3: all lines have more than"), "{error}");
    }
}
