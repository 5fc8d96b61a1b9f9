//! A data file as a stream of records, with their lines.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ReaderBuilder, Terminator};
use kurabe_record::{DataFormat, DataSpec};

use crate::error::DataError;

/// Most bytes of a record.
pub const MAX_RECORD_BYTES: u64 = 16 << 20;
/// What is read ahead of a record.
const BUFFER_BYTES: usize = 1 << 16;

/// A file that was looked at before it is read.
pub(crate) struct DataFile {
    /// As people know it.
    name: String,
    path: PathBuf,
    format: DataFormat,
    before: Stamp,
    len: u64,
}

/// What changes when a file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    changed: (i64, i64),
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp { len: metadata.len(), changed: (metadata.mtime(), metadata.mtime_nsec()), inode: metadata.ino() }
    }
}

impl DataFile {
    pub(crate) fn open(path: &Path, spec: &DataSpec) -> Result<DataFile, DataError> {
        let name = spec.file.clone();
        let read = |source| DataError::Read { file: name.clone(), source };
        let metadata = std::fs::metadata(path).map_err(read)?;
        if let Some(what) = kurabe_machine::no_file(metadata.file_type()) {
            return Err(DataError::NoFile { file: name, what });
        }
        let mut file = kurabe_machine::open_file(path).map_err(read)?;
        let format = match spec.format {
            Some(format) => format,
            None => guess_format(&spec.file, &mut file).map_err(read)?,
        };
        Ok(DataFile { name, path: path.to_path_buf(), format, before: Stamp::of(&metadata), len: metadata.len() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn format(&self) -> DataFormat {
        self.format
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.len
    }

    pub(crate) fn failed(&self, source: io::Error) -> DataError {
        DataError::Read { file: self.name.clone(), source }
    }

    /// Reads from the start. `columns` are the names of a JSONL file's, once they are known.
    pub(crate) fn records(&self, columns: Option<Vec<String>>) -> Result<Records<'_>, DataError> {
        let watched = Watched::new(File::open(&self.path).map_err(|error| self.failed(error))?);
        let lines = match self.format {
            DataFormat::Jsonl => Way::Json(JsonLines::new(watched, columns)),
            format => Way::Csv(Box::new(builder(format).from_reader(watched))),
        };
        Ok(Records { file: self, way: lines, record: ByteRecord::new(), line: 1, ended: None })
    }

    /// Refuses a file that was written since it was opened first.
    fn check_same(&self, read: u64) -> Result<(), DataError> {
        let now = std::fs::metadata(&self.path).map_err(|error| self.failed(error))?;
        if Stamp::of(&now) != self.before || read != self.len {
            return Err(DataError::Changed { file: self.name.clone() });
        }
        Ok(())
    }
}

/// How records of cells are read.
fn builder(format: DataFormat) -> ReaderBuilder {
    let tabs = format == DataFormat::Tsv;
    let mut builder = ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(if tabs { b'\t' } else { b',' })
        .quoting(!tabs)
        // The carriage return of a CRLF is taken off the last cell: the reader's own way of it would count the newline
        // with the next line.
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(BUFFER_BYTES);
    builder
}

/// By the end of the name; where that tells nothing, by the first line with anything in it.
fn guess_format(name: &str, file: &mut File) -> io::Result<DataFormat> {
    let lower = name.to_lowercase();
    let known = [
        (".tsv", DataFormat::Tsv),
        (".csv", DataFormat::Csv),
        (".jsonl", DataFormat::Jsonl),
        (".ndjson", DataFormat::Jsonl),
    ];
    if let Some((_, format)) = known.iter().find(|(end, _)| lower.ends_with(end)) {
        return Ok(*format);
    }
    let mut start = Vec::new();
    file.by_ref().take(BUFFER_BYTES as u64).read_to_end(&mut start)?;
    file.rewind()?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let lines = || start.split(|byte| *byte == b'\n').take(100);
    let has = |byte: u8| lines().any(|line| line.contains(&byte));
    Ok(match lines().find(|line| !line.trim_ascii().is_empty()) {
        Some(first) if first.trim_ascii_start().starts_with(b"{") => DataFormat::Jsonl,
        _ if has(b'\t') => DataFormat::Tsv,
        _ if has(b',') => DataFormat::Csv,
        _ => DataFormat::Tsv,
    })
}

/// A file that counts what is read of it, and stops where a record goes on for too long.
struct Watched {
    file: File,
    read: u64,
    /// Reading beyond this many bytes is refused.
    allowed: u64,
    crc: crc32fast::Hasher,
    last: Option<u8>,
}

impl Watched {
    fn new(file: File) -> Watched {
        Watched { file, read: 0, allowed: u64::MAX, crc: crc32fast::Hasher::new(), last: None }
    }

    /// A record starts at byte `at`.
    fn allow_from(&mut self, at: u64) {
        self.allowed = at + MAX_RECORD_BYTES + BUFFER_BYTES as u64;
    }
}

/// What a [`Watched`] file answers where a record is too long.
#[derive(Debug, thiserror::Error)]
#[error("a record is too long")]
struct TooLong;

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read > self.allowed {
            return Err(io::Error::other(TooLong));
        }
        let count = self.file.read(buffer)?;
        self.read += count as u64;
        self.crc.update(&buffer[..count]);
        self.last = buffer[..count].last().copied().or(self.last);
        Ok(count)
    }
}

/// How a file ended.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) crc32: u32,
    pub(crate) lines: u64,
}

/// What comes next in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A record, in [`Records::record`]: the line that it starts in, and how many empty lines stand before it.
    Record { line: u64, empty_before: u64 },
    /// A line that is no record of this format.
    Bad { line: u64, empty_before: u64, reason: &'static str },
    /// The end, after so many empty lines.
    End { empty_before: u64 },
}

/// The records of a file, one after the other.
pub(crate) struct Records<'a> {
    file: &'a DataFile,
    way: Way,
    record: ByteRecord,
    /// The line that comes next.
    line: u64,
    ended: Option<Ended>,
}

enum Way {
    Csv(Box<csv::Reader<Watched>>),
    Json(JsonLines),
}

impl Records<'_> {
    /// The record that came last.
    pub(crate) fn record(&self) -> &ByteRecord {
        &self.record
    }

    /// Names of the columns of a JSONL file, known with its first record.
    pub(crate) fn json_columns(&self) -> Option<&[String]> {
        match &self.way {
            Way::Json(lines) => lines.columns.as_deref(),
            Way::Csv(_) => None,
        }
    }

    /// How the file ended, once it has.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// The next record, whose cells are UTF-8 without zero bytes.
    pub(crate) fn next(&mut self) -> Result<Item, DataError> {
        let start = self.line;
        let item = match &mut self.way {
            Way::Csv(reader) => next_csv(reader, self.file.format, &mut self.record, &mut self.line),
            Way::Json(lines) => lines.next(&mut self.record, &mut self.line),
        };
        let file = self.file.name.clone();
        let item = item.map_err(|error| match error.get_ref() {
            Some(inner) if inner.is::<TooLong>() => DataError::TooLong { file, line: start, limit: MAX_RECORD_BYTES },
            Some(inner) => match (inner.downcast_ref::<NotUtf8>(), inner.downcast_ref::<OpenQuote>()) {
                (Some(NotUtf8(line)), _) => DataError::Encoding { file, line: *line },
                (_, Some(OpenQuote(line))) => DataError::OpenQuote { file, line: *line },
                _ => self.file.failed(error),
            },
            None => self.file.failed(error),
        })?;
        match item {
            Item::Record { line, .. } => self.check_cells(line)?,
            Item::Bad { .. } => {}
            Item::End { .. } => {
                let watched = match &mut self.way {
                    Way::Csv(reader) => reader.get_mut(),
                    Way::Json(lines) => lines.reader.get_mut(),
                };
                let unfinished = watched.last.is_some_and(|byte| byte != b'\n');
                self.file.check_same(watched.read)?;
                // A last line without its newline is a line as well.
                let lines = self.line - 1 + u64::from(unfinished);
                self.ended = Some(Ended { crc32: watched.crc.clone().finalize(), lines });
            }
        }
        Ok(item)
    }
}

impl Records<'_> {
    fn check_cells(&self, line: u64) -> Result<(), DataError> {
        let file = || self.file.name.clone();
        for cell in &self.record {
            if std::str::from_utf8(cell).is_err() {
                return Err(DataError::Encoding { file: file(), line });
            }
            if memchr::memchr(0, cell).is_some() {
                return Err(DataError::Zero { file: file(), line });
            }
        }
        Ok(())
    }
}

/// What is answered where the file ends within a quoted cell.
#[derive(Debug, thiserror::Error)]
#[error("a quote opens in line {0} and is never closed")]
struct OpenQuote(u64);

fn next_csv(
    reader: &mut csv::Reader<Watched>,
    format: DataFormat,
    record: &mut ByteRecord,
    line: &mut u64,
) -> io::Result<Item> {
    let mut empty_before = 0;
    loop {
        let start = reader.position().clone();
        reader.get_mut().allow_from(start.byte());
        let more = reader.read_byte_record(record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        })?;
        let after = reader.position();
        let passed = after.line() - start.line();
        *line = after.line();
        if !more {
            return Ok(Item::End { empty_before: empty_before + passed });
        }
        let inside = memchr::memchr_iter(b'\n', record.as_slice()).count() as u64;
        let watched = reader.get_ref();
        if after.byte() == watched.read && ends_in_quotes(watched, format, start.byte())? {
            // The open cell is the last and goes to the end: it began as many lines before as it holds.
            let lines = |cell: &[u8]| memchr::memchr_iter(b'\n', cell).count() as u64;
            let last: u64 = record.iter().next_back().map_or(0, lines);
            return Err(io::Error::other(OpenQuote(after.line() - last)));
        }
        let finished = after.byte() < watched.read || watched.last == Some(b'\n');
        // The reader passes over lines without anything; they are what is left of those that it went on by.
        let skipped = passed.saturating_sub(inside + u64::from(finished));
        empty_before += skipped;
        take_return_off(record);
        if record.len() == 1 && record[0].trim_ascii().is_empty() {
            empty_before += 1;
            continue;
        }
        return Ok(Item::Record { line: start.line() + skipped, empty_before });
    }
}

/// Whether what was read from byte `from` to here ends within a quoted cell. The reader ends such a cell with the file and
/// does not tell; so the record is read once more with a line behind it, which becomes a part of an open cell.
fn ends_in_quotes(watched: &Watched, format: DataFormat, from: u64) -> io::Result<bool> {
    const LINE: &[u8] = b"x";
    let mut tail = vec![0; (watched.read - from) as usize];
    watched.file.read_exact_at(&mut tail, from)?;
    tail.push(b'\n');
    tail.extend_from_slice(LINE);
    let mut records = builder(format).from_reader(tail.as_slice()).into_byte_records();
    let last = records.try_fold(None, |_, record| record.map(Some)).map_err(io::Error::from)?;
    Ok(last.is_none_or(|last: ByteRecord| last.iter().ne([LINE])))
}

fn take_return_off(record: &mut ByteRecord) {
    let Some(last) = record.len().checked_sub(1) else { return };
    if let Some(cell) = record[last].strip_suffix(b"\r") {
        let cell = cell.to_vec();
        record.truncate(last);
        record.push_field(&cell);
    }
}

/// The lines of a JSONL file.
struct JsonLines {
    reader: BufReader<Watched>,
    /// Names of the columns: the keys of the first object.
    columns: Option<Vec<String>>,
    buffer: Vec<u8>,
}

/// What is answered for a line of other bytes than UTF-8.
#[derive(Debug, thiserror::Error)]
#[error("line {0} is not UTF-8")]
struct NotUtf8(u64);

impl JsonLines {
    fn new(watched: Watched, columns: Option<Vec<String>>) -> JsonLines {
        JsonLines { reader: BufReader::with_capacity(BUFFER_BYTES, watched), columns, buffer: Vec::new() }
    }

    fn next(&mut self, record: &mut ByteRecord, line: &mut u64) -> io::Result<Item> {
        let mut empty_before = 0;
        loop {
            self.buffer.clear();
            self.reader.by_ref().take(MAX_RECORD_BYTES + 1).read_until(b'\n', &mut self.buffer)?;
            if self.buffer.is_empty() {
                return Ok(Item::End { empty_before });
            }
            if self.buffer.len() as u64 > MAX_RECORD_BYTES {
                return Err(io::Error::other(TooLong));
            }
            let at = *line;
            *line += u64::from(self.buffer.ends_with(b"\n"));
            let start: &[u8] = if at == 1 { b"\xef\xbb\xbf" } else { b"" };
            let text = self.buffer.strip_prefix(start).unwrap_or(&self.buffer).trim_ascii();
            let Ok(text) = std::str::from_utf8(text) else { return Err(io::Error::other(NotUtf8(at))) };
            if text.is_empty() {
                empty_before += 1;
                continue;
            }
            let Ok(Object(cells)) = serde_json::from_str(text) else {
                return Ok(Item::Bad { line: at, empty_before, reason: "no JSON object" });
            };
            let columns = self.columns.get_or_insert_with(|| cells.iter().map(|(name, _)| name.clone()).collect());
            record.clear();
            for column in columns.iter() {
                let cell = cells.iter().find(|(name, _)| name == column).map_or("", |(_, cell)| cell);
                record.push_field(cell.as_bytes());
            }
            return Ok(Item::Record { line: at, empty_before });
        }
    }
}

/// A JSON object as its cells: texts as they are, null as nothing, everything else as it is written.
struct Object(Vec<(String, String)>);

impl<'de> serde::Deserialize<'de> for Object {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Object, D::Error> {
        struct Cells;
        impl<'de> serde::de::Visitor<'de> for Cells {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut cells = Vec::new();
                while let Some((name, raw)) = map.next_entry::<String, &serde_json::value::RawValue>()? {
                    let cell = match raw.get() {
                        "null" => String::new(),
                        text if text.starts_with('"') => {
                            serde_json::from_str(text).map_err(serde::de::Error::custom)?
                        }
                        other => other.to_string(),
                    };
                    cells.push((name, cell));
                }
                Ok(Object(cells))
            }
        }
        from.deserialize_map(Cells)
    }
}
