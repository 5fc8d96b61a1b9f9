//! The second reading: every record is laid out, and the order of the keys tells which of them are rows.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use kurabe_messages::message;
use kurabe_protocol::own::write_record;
use kurabe_protocol::{DataFiles, FieldType};
use kurabe_record::{DataSpec, DuplicateKeys, Duplicates, Lines};

use crate::error::DataError;
use crate::sort::{Entry, Sorter};
use crate::source::{DataFile, Item};
use crate::survey::{Kind, Survey, integer};

/// Most records: rows are numbered with 32 bits, and the studies have less.
const MAX_RECORDS: u64 = 4_000_000_000;

/// What was laid out.
pub(crate) struct LayoutResult {
    pub(crate) files: DataFiles,
    pub(crate) duplicate_keys: DuplicateKeys,
    pub(crate) row_bytes: u64,
}

/// A file that is being written.
struct OutputFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl OutputFile {
    fn create(path: PathBuf) -> Result<OutputFile, DataError> {
        match File::create(&path) {
            Ok(file) => Ok(OutputFile { path, file: BufWriter::with_capacity(1 << 18, file) }),
            Err(source) => Err(failed(&path, source)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.file.write_all(bytes).map_err(|source| failed(&self.path, source))
    }

    fn finish(mut self) -> Result<String, DataError> {
        self.file.flush().map_err(|source| failed(&self.path, source))?;
        Ok(self.path.display().to_string())
    }
}

fn failed(path: &Path, source: io::Error) -> DataError {
    message!(run_io, path = path.display(), error = source).into()
}

/// Lays all rows out in `folder`.
pub(crate) fn lay_out(
    file: &DataFile,
    spec: &DataSpec,
    survey: &Survey,
    folder: &Path,
) -> Result<LayoutResult, DataError> {
    if survey.records > MAX_RECORDS {
        return Err(message!(data_many_records, file = file.name(), limit = MAX_RECORDS).into());
    }
    let sorting = |source| failed(folder, source);
    let mut sorter = Sorter::new(folder);
    let mut rows = OutputFile::create(folder.join("rows"))?;
    let mut starts = OutputFile::create(folder.join("starts.tmp"))?;
    let mut encoder = Encoder::new(survey);
    let (mut at, mut count) = (0u64, 0u32);
    let mut records = file.records(survey.json_columns.clone())?;
    loop {
        let line = match records.next()? {
            Item::End { .. } => break,
            Item::Bad { .. } => continue,
            Item::Record { line, .. } => line,
        };
        if survey.kind(records.record(), line) != Kind::Row {
            continue;
        }
        encoder.encode(file, survey, records.record(), count)?;
        sorter.add(&encoder.key, count, line).map_err(sorting)?;
        starts.write(&at.to_le_bytes())?;
        rows.write(&encoder.record)?;
        at += encoder.record.len() as u64;
        count += 1;
    }
    let same = records.ended().is_some_and(|ended| ended.crc32 == survey.crc32);
    if !same || u64::from(count) != survey.records {
        return Err(DataError::changed(file.name()));
    }
    let (rows, starts) = (rows.finish()?, starts.finish()?);
    let chosen = choose(file, spec, (sorter, encoder.int_key), count, folder)?;
    let index = write_index(&starts, &chosen.left_out, folder)?;
    let order = write_order(&chosen, folder)?;
    let files = DataFiles {
        rows,
        index,
        order,
        count: u64::from(count) - chosen.duplicate_keys.left_out.count,
        longest_key_bytes: encoder.longest_key as u32,
        spaced_keys: encoder.spaced_keys,
        source: None,
    };
    // Those that were left out are as long as the others, in the mean.
    Ok(LayoutResult { files, duplicate_keys: chosen.duplicate_keys, row_bytes: at.div_ceil(u64::from(count).max(1)) })
}

/// Makes the key and the record of a row.
struct Encoder {
    key: Vec<u8>,
    value: Vec<u8>,
    record: Vec<u8>,
    int_key: bool,
    framed: bool,
    longest_key: usize,
    spaced_keys: bool,
}

impl Encoder {
    fn new(survey: &Survey) -> Encoder {
        Encoder {
            key: Vec::new(),
            value: Vec::new(),
            record: Vec::new(),
            int_key: survey.columns[0].field_type == FieldType::Int64,
            framed: survey.columns.len() > 2,
            longest_key: 0,
            spaced_keys: false,
        }
    }

    /// `before` rows came before.
    fn encode(&mut self, file: &DataFile, survey: &Survey, record: &ByteRecord, before: u32) -> Result<(), DataError> {
        // What was a number in the first reading is one, unless the file changed.
        let number = |cell| integer(cell).ok_or_else(|| DataError::changed(file.name()));
        let key = survey.cell(record, 0);
        self.key.clear();
        if survey.has_row_numbers() {
            self.key.extend_from_slice(&(i64::from(before) + 1).to_be_bytes());
        } else if self.int_key {
            self.key.extend_from_slice(&number(key)?.to_be_bytes());
        } else {
            self.key.extend_from_slice(key);
            self.spaced_keys |= key.iter().any(|byte| *byte <= b' ' || *byte == 0x7f);
        }
        self.longest_key = self.longest_key.max(self.key.len());
        self.value.clear();
        for (at, column) in survey.columns.iter().enumerate().skip(1) {
            let cell = survey.cell(record, at);
            if column.field_type == FieldType::Int64 {
                self.value.extend_from_slice(&number(cell)?.to_le_bytes());
                continue;
            }
            if self.framed {
                self.value.extend_from_slice(&(cell.len() as u32).to_le_bytes());
            }
            self.value.extend_from_slice(cell);
        }
        self.record.clear();
        write_record(&self.key, &self.value, &mut self.record);
        Ok(())
    }
}

/// Which records are rows.
struct Chosen {
    /// The rows' records in the order of their keys, 4 bytes each.
    order: String,
    left_out: Records,
    duplicate_keys: DuplicateKeys,
}

/// A set of records.
struct Records(Vec<u64>);

impl Records {
    fn set(&mut self, record: u32) {
        self.0[record as usize / 64] |= 1 << (record % 64);
    }

    fn has(&self, record: u32) -> bool {
        self.0[record as usize / 64] >> (record % 64) & 1 == 1
    }

    /// How many are before every word of the set.
    fn before(&self) -> Vec<u32> {
        let counts = self.0.iter().scan(0, |sum, word| {
            let before = *sum;
            *sum += word.count_ones();
            Some(before)
        });
        counts.collect()
    }
}

/// Goes through the keys in order; of records with the same key one stays.
fn choose(
    file: &DataFile,
    spec: &DataSpec,
    (sorter, int_key): (Sorter<'_>, bool),
    count: u32,
    folder: &Path,
) -> Result<Chosen, DataError> {
    let sorting = |source| failed(folder, source);
    let mut order = OutputFile::create(folder.join("order.tmp"))?;
    let mut left_out = Records(vec![0; count as usize / 64 + 1]);
    let mut duplicates = DuplicateKeys::default();
    let mut first_lines = BTreeSet::new();
    let mut refused: Option<(u64, u64, Vec<u8>)> = None;
    let mut merge = sorter.merge().map_err(sorting)?;
    let empty = || Entry { key: Vec::new(), record: 0, line: 0 };
    let (mut kept, mut next) = (empty(), empty());
    let (mut any, mut times) = (false, 0u64);
    while merge.next(&mut next).map_err(sorting)? {
        if !any || next.key != kept.key {
            if any {
                order.write(&kept.record.to_le_bytes())?;
            }
            std::mem::swap(&mut kept, &mut next);
            (any, times) = (true, 1);
            continue;
        }
        times += 1;
        duplicates.keys += u64::from(times == 2);
        duplicates.left_out.count += 1;
        // Records of one key come in the order of the file.
        if refused.as_ref().is_none_or(|(first, ..)| kept.line < *first) {
            refused = Some((kept.line, next.line, kept.key.clone()));
        }
        if spec.duplicates == Duplicates::Last {
            std::mem::swap(&mut kept, &mut next);
        }
        left_out.set(next.record);
        first_lines.insert(next.line);
        if first_lines.len() > Lines::KEPT {
            first_lines.pop_last();
        }
    }
    if any {
        order.write(&kept.record.to_le_bytes())?;
    }
    if let Some((first, again, key)) = refused.filter(|_| spec.duplicates == Duplicates::Refuse) {
        let distinct = u64::from(count) - duplicates.left_out.count;
        let (file, column, example) = (file.name(), &spec.key, shown_key(&key, int_key));
        return Err(message!(data_duplicates, file, column, records = count, distinct, example, first, again).into());
    }
    duplicates.left_out.first = first_lines.into_iter().collect();
    Ok(Chosen { order: order.finish()?, left_out, duplicate_keys: duplicates })
}

/// A key as it stands in the file.
fn shown_key(key: &[u8], int_key: bool) -> String {
    match key.try_into().ok().filter(|_| int_key) {
        Some(number) => i64::from_be_bytes(number).to_string(),
        None => String::from_utf8_lossy(key).into_owned(),
    }
}

/// Gives every number of `N` bytes of a file to `take`, in order, and removes the file.
fn each_number<const N: usize>(
    path: &str,
    mut take: impl FnMut([u8; N]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let failed = |source| failed(Path::new(path), source);
    let mut numbers = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
    let mut number = [0; N];
    loop {
        match numbers.read_exact(&mut number) {
            Ok(()) => take(number)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(failed(error)),
        }
    }
    std::fs::remove_file(path).map_err(failed)
}

/// Where the records of rows start.
fn write_index(starts: &str, left_out: &Records, folder: &Path) -> Result<String, DataError> {
    let mut index = OutputFile::create(folder.join("index"))?;
    let mut record = 0;
    each_number::<8>(starts, |start| {
        let stays = !left_out.has(record);
        record += 1;
        if stays { index.write(&start) } else { Ok(()) }
    })?;
    index.finish()
}

/// The rows' numbers in the order of their keys: those of their records less the records left out before.
fn write_order(chosen: &Chosen, folder: &Path) -> Result<String, DataError> {
    let mut order = OutputFile::create(folder.join("order"))?;
    let before = chosen.left_out.before();
    each_number::<4>(&chosen.order, |record| {
        let record = u32::from_le_bytes(record);
        let word = record as usize / 64;
        let in_word = chosen.left_out.0[word] & ((1 << (record % 64)) - 1);
        order.write(&(record - before[word] - in_word.count_ones()).to_le_bytes())
    })?;
    order.finish()
}
