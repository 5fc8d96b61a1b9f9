//! A data file as a stream of records, with their lines.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ReaderBuilder, Terminator};
use kurabe_messages::message;
use kurabe_record::{BadReason, DataFormat, DataSpec};

use crate::encodings;
use crate::error::DataError;
use crate::format;
use crate::text::{Coding, MixedEnds, NoUtf16, Text};

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
    coding: Coding,
    /// Whether the first line tells what separates cells.
    tells_separator: bool,
    before: FileStamp,
    len: u64,
}

/// What changes when a file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    len: u64,
    changed: (i64, i64),
    inode: u64,
}

impl FileStamp {
    fn of(metadata: &Metadata) -> FileStamp {
        FileStamp { len: metadata.len(), changed: (metadata.mtime(), metadata.mtime_nsec()), inode: metadata.ino() }
    }
}

impl DataFile {
    pub(crate) fn open(path: &Path, spec: &DataSpec) -> Result<DataFile, DataError> {
        let name = spec.file.clone();
        let read = |error: io::Error| DataError::from(message!(data_unreadable, file = &name, error));
        let metadata = std::fs::metadata(path).map_err(read)?;
        if let Some(what) = kurabe_machine::no_file(metadata.file_type()) {
            return Err(message!(data_no_file, file = name, what).into());
        }
        let file = kurabe_machine::open_file(path).map_err(read)?;
        let coding = Coding::of(&file, MAX_RECORD_BYTES + BUFFER_BYTES as u64).map_err(read)?;
        let mut start = Vec::new();
        let text = Text::new(file, coding).take(BUFFER_BYTES as u64).read_to_end(&mut start);
        // What is wrong with a text is told by the readers, with its line.
        text.map(drop).or_else(|error| if error.get_ref().is_some() { Ok(()) } else { Err(read(error)) })?;
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let told = format::told_separator(start);
        let format = format::of(spec, start, told)?;
        let tells_separator = told.is_some() && matches!(format, DataFormat::Csv | DataFormat::CsvSemicolon);
        let (before, len) = (FileStamp::of(&metadata), metadata.len());
        Ok(DataFile { name, path: path.to_path_buf(), format, coding, tells_separator, before, len })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn format(&self) -> DataFormat {
        self.format
    }

    /// Whether its lines are its bytes, so that a client can split them itself.
    pub(crate) fn is_plain(&self) -> bool {
        self.coding.is_plain()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.len
    }

    pub(crate) fn failed(&self, error: io::Error) -> DataError {
        message!(data_unreadable, file = &self.name, error).into()
    }

    /// Reads from the start. `columns` are the names of a JSONL file's, once they are known.
    pub(crate) fn records(&self, columns: Option<Vec<String>>) -> Result<Records<'_>, DataError> {
        let watched = BoundedText::new(File::open(&self.path).map_err(|error| self.failed(error))?, self.coding);
        let lines = match self.format {
            DataFormat::Jsonl => RecordReader::Json(JsonLines::new(watched, columns)),
            format => RecordReader::Csv(Box::new(builder(format).from_reader(watched))),
        };
        Ok(Records { file: self, way: lines, record: ByteRecord::new(), line: 1, ended: None })
    }

    fn not_utf8(&self, line: u64) -> DataError {
        let advice = encodings::advice(&self.path, &self.name);
        message!(data_not_utf8, file = &self.name, line, advice).into()
    }

    /// What stopped the reading in `line`.
    fn stopped(&self, error: io::Error, line: u64) -> DataError {
        let file = &self.name;
        let Some(inner) = error.get_ref() else { return self.failed(error) };
        if inner.is::<TooLong>() {
            return message!(data_long_line, file, line, limit = MAX_RECORD_BYTES).into();
        }
        if let Some(NotUtf8(line)) = inner.downcast_ref() {
            return self.not_utf8(*line);
        }
        if let Some(OpenQuote(line)) = inner.downcast_ref() {
            return message!(data_open_quote, file, line = *line).into();
        }
        if inner.is::<NoUtf16>() {
            return message!(data_half_character, file, line).into();
        }
        if inner.is::<MixedEnds>() {
            return message!(data_mixed_ends, file, line).into();
        }
        self.failed(error)
    }

    /// Refuses a file that was written since it was opened first.
    fn check_same(&self, read: u64) -> Result<(), DataError> {
        let now = std::fs::metadata(&self.path).map_err(|error| self.failed(error))?;
        if FileStamp::of(&now) != self.before || read != self.len {
            return Err(DataError::changed(&self.name));
        }
        Ok(())
    }
}

/// How records of cells are read.
fn builder(format: DataFormat) -> ReaderBuilder {
    let (delimiter, quotes) = match format {
        DataFormat::Csv => (b',', true),
        DataFormat::CsvSemicolon => (b';', true),
        DataFormat::Tsv | DataFormat::Jsonl => (b'\t', false),
    };
    let mut builder = ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quoting(quotes)
        // The carriage return of a CRLF is taken off the last cell: the reader's own way of it would count the newline
        // with the next line.
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(BUFFER_BYTES);
    builder
}

/// A text that counts what is read of it, and stops where a record goes on for too long.
struct BoundedText {
    text: Text,
    read: u64,
    /// Reading beyond this many bytes is refused.
    allowed: u64,
    last: Option<u8>,
}

impl BoundedText {
    fn new(file: File, coding: Coding) -> BoundedText {
        BoundedText { text: Text::new(file, coding), read: 0, allowed: u64::MAX, last: None }
    }

    /// A record starts at byte `at`.
    fn allow_from(&mut self, at: u64) {
        self.allowed = at + MAX_RECORD_BYTES + BUFFER_BYTES as u64;
    }
}

/// What a [`BoundedText`] answers where a record is too long.
#[derive(Debug, thiserror::Error)]
#[error("a record is too long")]
struct TooLong;

impl Read for BoundedText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read > self.allowed {
            return Err(io::Error::other(TooLong));
        }
        let count = self.text.read(buffer)?;
        self.read += count as u64;
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
    Bad { line: u64, empty_before: u64, reason: BadReason },
    /// The end, after so many empty lines.
    End { empty_before: u64 },
}

/// The records of a file, one after the other.
pub(crate) struct Records<'a> {
    file: &'a DataFile,
    way: RecordReader,
    record: ByteRecord,
    /// The line that comes next.
    line: u64,
    ended: Option<Ended>,
}

enum RecordReader {
    Csv(Box<csv::Reader<BoundedText>>),
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
            RecordReader::Json(lines) => lines.columns.as_deref(),
            RecordReader::Csv(_) => None,
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
            RecordReader::Csv(reader) => next_csv(reader, self.file, &mut self.record, &mut self.line),
            RecordReader::Json(lines) => lines.next(&mut self.record, &mut self.line),
        };
        let item = item.map_err(|error| self.file.stopped(error, start))?;
        match item {
            Item::Record { line, .. } => self.check_cells(line)?,
            Item::Bad { .. } => {}
            Item::End { .. } => {
                let watched = match &mut self.way {
                    RecordReader::Csv(reader) => reader.get_mut(),
                    RecordReader::Json(lines) => lines.reader.get_mut(),
                };
                let unfinished = watched.last.is_some_and(|byte| byte != b'\n');
                self.file.check_same(watched.text.bytes_read())?;
                // A last line without its newline is a line as well.
                let lines = self.line - 1 + u64::from(unfinished);
                self.ended = Some(Ended { crc32: watched.text.crc32(), lines });
            }
        }
        Ok(item)
    }
}

impl Records<'_> {
    fn check_cells(&self, line: u64) -> Result<(), DataError> {
        for cell in &self.record {
            if std::str::from_utf8(cell).is_err() {
                return Err(self.file.not_utf8(line));
            }
            if memchr::memchr(0, cell).is_some() {
                let advice = encodings::advice_on_zeros(&self.file.path, &self.file.name);
                return Err(message!(data_zero_byte, file = &self.file.name, line, advice).into());
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
    reader: &mut csv::Reader<BoundedText>,
    file: &DataFile,
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
        if after.byte() == watched.read && ends_in_quotes(watched, file.format, start.byte())? {
            // The open cell is the last and goes to the end: it began as many lines before as it holds.
            let lines = |cell: &[u8]| memchr::memchr_iter(b'\n', cell).count() as u64;
            let last: u64 = record.iter().next_back().map_or(0, lines);
            return Err(io::Error::other(OpenQuote(after.line() - last)));
        }
        let finished = after.byte() < watched.read || watched.last == Some(b'\n');
        // The reader passes over lines without anything; they are what is left of those that it went on by.
        let skipped = passed.saturating_sub(inside + u64::from(finished));
        empty_before += skipped;
        if file.tells_separator && start.byte() == 0 {
            empty_before = 0;
            continue;
        }
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
fn ends_in_quotes(watched: &BoundedText, format: DataFormat, from: u64) -> io::Result<bool> {
    const LINE: &[u8] = b"x";
    let mut tail = watched.text.reread(from, (watched.read - from) as usize)?;
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
    reader: BufReader<BoundedText>,
    /// Names of the columns: the keys of the first object.
    columns: Option<Vec<String>>,
    buffer: Vec<u8>,
}

/// What is answered for a line of other bytes than UTF-8.
#[derive(Debug, thiserror::Error)]
#[error("line {0} is not UTF-8")]
struct NotUtf8(u64);

impl JsonLines {
    fn new(watched: BoundedText, columns: Option<Vec<String>>) -> JsonLines {
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
                return Ok(Item::Bad { line: at, empty_before, reason: BadReason::NoObject });
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
