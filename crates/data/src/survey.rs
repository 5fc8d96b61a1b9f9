//! The first reading: which columns there are, of which types, and which lines are no records.

use csv::ByteRecord;
use kurabe_messages::{Message, message};
use kurabe_protocol::FieldType;
use kurabe_protocol::keys::MAX_KEY_BYTES;
use kurabe_record::{BadLines, BadReason, DataColumn, DataSpec, HeaderChoice, Lines, ROW_KEY, ShortLines};

use crate::error::DataError;
use crate::source::{DataFile, Item};

/// Records that are looked at to learn the number of columns and whether there is a header.
const SAMPLE: usize = 1000;
/// Bytes of records that are kept for that.
const SAMPLE_BYTES: usize = 8 << 20;
/// Largest int64 key: every client's language holds it exactly.
const MAX_INT_KEY: i64 = 1 << 53;

/// What was learnt.
pub(crate) struct Survey {
    pub(crate) header: bool,
    /// The line of the header.
    pub(crate) header_line: Option<u64>,
    /// Cells of every record.
    pub(crate) width: usize,
    /// Names of the columns of a JSONL file.
    pub(crate) json_columns: Option<Vec<String>>,
    /// The columns that are taken, the key first.
    pub(crate) columns: Vec<DataColumn>,
    pub(crate) records: u64,
    pub(crate) lines: u64,
    pub(crate) headings: Lines,
    pub(crate) empty_lines: Lines,
    pub(crate) bad: Vec<BadLines>,
    pub(crate) crc32: u32,
    /// Whether a line with fewer cells than the others is a mistake.
    refuses_short: bool,
}

/// What a record is, told from its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Header,
    Row,
    Heading,
    Bad(BadReason),
}

impl Survey {
    /// What the record that starts in `line` is.
    pub(crate) fn kind(&self, record: &ByteRecord, line: u64) -> Kind {
        if self.header_line == Some(line) {
            return Kind::Header;
        }
        match record.len() {
            1 if self.width > 1 => Kind::Heading,
            cells if cells < self.width => Kind::Bad(BadReason::FewCells),
            cells if cells > self.width => Kind::Bad(BadReason::ManyCells),
            _ if !self.has_row_numbers() && self.cell(record, 0).is_empty() => Kind::Bad(BadReason::NoKey),
            _ => Kind::Row,
        }
    }

    /// Whether the key is the number of the row, and no column.
    pub(crate) fn has_row_numbers(&self) -> bool {
        self.columns.first().is_some_and(|key| key.number == 0)
    }

    /// The cell of the taken column number `column`, the key being 0; nothing where that is the number of the row.
    pub(crate) fn cell<'a>(&self, record: &'a ByteRecord, column: usize) -> &'a [u8] {
        let at = (self.columns[column].number as usize).checked_sub(1);
        at.and_then(|at| record.get(at)).unwrap_or_default()
    }
}

/// The first records, as texts.
struct Sample {
    records: Vec<(u64, ByteRecord)>,
    json_columns: Option<Vec<String>>,
}

impl Sample {
    fn read(file: &DataFile) -> Result<Sample, DataError> {
        let mut records = file.records(None)?;
        let (mut sample, mut bytes) = (Vec::new(), 0);
        while sample.len() < SAMPLE && bytes < SAMPLE_BYTES {
            match records.next()? {
                Item::End { .. } => break,
                Item::Bad { .. } => {}
                Item::Record { line, .. } => {
                    bytes += records.record().as_slice().len();
                    sample.push((line, records.record().clone()));
                }
            }
        }
        Ok(Sample { records: sample, json_columns: records.json_columns().map(<[String]>::to_vec) })
    }

    /// The most frequent number of cells, of records that have several.
    fn width(&self) -> usize {
        let mut counts = std::collections::BTreeMap::new();
        for (_, record) in self.records.iter().filter(|(_, record)| record.len() > 1) {
            *counts.entry(record.len()).or_insert(0) += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map_or(1, |(width, _)| width)
    }
}

/// Reads the whole file once.
pub(crate) fn survey(file: &DataFile, spec: &DataSpec) -> Result<Survey, DataError> {
    if file.bytes() == 0 {
        return Err(message!(data_empty, file = file.name()).into());
    }
    let sample = Sample::read(file)?;
    let width = sample.width();
    let is_numbered = spec.key == ROW_KEY;
    if width < 2 && !is_numbered && !sample.records.is_empty() {
        return Err(message!(data_one_column, file = file.name(), format = file.format().word()).into());
    }
    let first = sample.records.iter().find(|(_, record)| record.len() == width);
    let header = match (&sample.json_columns, spec.header) {
        (Some(_), _) => false,
        (None, HeaderChoice::Yes) => true,
        (None, HeaderChoice::No) => false,
        (None, HeaderChoice::Guess) => first.is_some_and(|(_, first)| looks_like_header(first, &sample, spec)),
    };
    let header_record = first.filter(|_| header);
    let titles = match (&sample.json_columns, header_record) {
        (Some(names), _) => Some(names.clone()),
        (None, Some((_, record))) => Some(record.iter().map(text).collect()),
        (None, None) => None,
    };
    let columns = columns(file, spec, titles.as_deref(), width)?;
    let mut survey = Survey {
        header: header || sample.json_columns.is_some(),
        header_line: header_record.map(|(line, _)| *line),
        width,
        json_columns: sample.json_columns.clone(),
        columns,
        records: 0,
        lines: 0,
        headings: Lines::default(),
        empty_lines: Lines::default(),
        bad: Vec::new(),
        crc32: 0,
        refuses_short: spec.short_lines == ShortLines::Refuse,
    };
    survey.read(file, header_record.map(|(_, record)| record))?;
    Ok(survey)
}

impl Survey {
    fn read(&mut self, file: &DataFile, header: Option<&ByteRecord>) -> Result<(), DataError> {
        let mut types = Types::new(self.columns.len());
        let mut records = file.records(self.json_columns.clone())?;
        loop {
            let item = records.next()?;
            match item {
                Item::Record { line, empty_before } => {
                    self.note_empty(line, empty_before);
                    self.take(file, &mut types, records.record(), line, header)?;
                }
                Item::Bad { line, empty_before, reason } => {
                    self.note_empty(line, empty_before);
                    self.note_bad(reason, line);
                }
                Item::End { empty_before } => {
                    let ended = records.ended().map(|ended| (ended.lines, ended.crc32));
                    (self.lines, self.crc32) = ended.unwrap_or_default();
                    self.note_empty(self.lines + 1, empty_before);
                    break;
                }
            }
        }
        if self.records == 0 {
            return Err(match self.lines {
                0 => message!(data_empty, file = file.name()).into(),
                lines => message!(data_no_rows, file = file.name(), lines).into(),
            });
        }
        types.decide(&mut self.columns);
        if self.has_row_numbers() {
            self.columns[0].longest_bytes = self.records.to_string().len() as u32;
        }
        Ok(())
    }

    fn take(
        &mut self,
        file: &DataFile,
        types: &mut Types,
        record: &ByteRecord,
        line: u64,
        header: Option<&ByteRecord>,
    ) -> Result<(), DataError> {
        match self.kind(record, line) {
            Kind::Header => {}
            Kind::Heading | Kind::Bad(_) if self.refuses_short && record.len() < self.width => {
                let (cells, width) = (record.len(), self.width);
                return Err(message!(data_short_line, file = file.name(), line, cells, width).into());
            }
            Kind::Heading => self.headings.add(line),
            Kind::Bad(reason) => self.note_bad(reason, line),
            Kind::Row if header.is_some_and(|header| header == record) => {
                return Err(message!(data_header_twice, file = file.name(), line).into());
            }
            Kind::Row => {
                let key = self.cell(record, 0);
                if key.len() > MAX_KEY_BYTES {
                    let (file, bytes) = (file.name(), key.len());
                    return Err(message!(data_long_key, file, line, bytes, limit = MAX_KEY_BYTES).into());
                }
                self.records += 1;
                for column in usize::from(self.has_row_numbers())..self.columns.len() {
                    let cell = self.cell(record, column);
                    types.take(column, cell);
                    let longest = &mut self.columns[column].longest_bytes;
                    // A record has at most 16 MiB.
                    *longest = (*longest).max(cell.len() as u32);
                }
            }
        }
        Ok(())
    }

    /// Notes the empty lines before `line`; of lines of blanks between them only the number is known.
    fn note_empty(&mut self, line: u64, count: u64) {
        (line.saturating_sub(count)..line).for_each(|line| self.empty_lines.add(line));
    }

    fn note_bad(&mut self, reason: BadReason, line: u64) {
        match self.bad.iter_mut().find(|bad| bad.reason == reason) {
            Some(bad) => bad.lines.add(line),
            None => {
                let mut lines = Lines::default();
                lines.add(line);
                self.bad.push(BadLines { reason, lines });
            }
        }
    }
}

/// Which columns may still be integers.
struct Types {
    integers: Vec<bool>,
    /// Whether all keys so far are integers that a key can be.
    key: bool,
}

impl Types {
    fn new(columns: usize) -> Types {
        Types { integers: vec![true; columns], key: true }
    }

    fn take(&mut self, column: usize, cell: &[u8]) {
        if self.integers[column] {
            let number = integer(cell);
            self.integers[column] = number.is_some();
            if column == 0 {
                self.key &= number.is_some_and(|number| (0..=MAX_INT_KEY).contains(&number));
            }
        }
    }

    fn decide(&self, columns: &mut [DataColumn]) {
        for (at, column) in columns.iter_mut().enumerate() {
            let is_integer = self.integers[at] && (at > 0 || self.key);
            column.field_type = if is_integer { FieldType::Int64 } else { FieldType::Text };
        }
    }
}

/// The number of a cell that is an int64 as it would be written again: no sign before a positive one, no leading zero.
pub(crate) fn integer(cell: &[u8]) -> Option<i64> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    let is_canonical = match digits {
        [b'0'] => digits.len() == cell.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_canonical { std::str::from_utf8(cell).ok()?.parse().ok() } else { None }
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

/// A first record is a header where a column that was asked for by name is in it, or where a column below it is of
/// numbers and it is none itself.
fn looks_like_header(first: &ByteRecord, sample: &Sample, spec: &DataSpec) -> bool {
    let is_column = |asked: &&String| *asked != ROW_KEY || first.iter().any(|cell| cell == ROW_KEY.as_bytes());
    let asked = std::iter::once(&spec.key).filter(is_column).chain(&spec.values);
    if asked.clone().any(|column| column_number(column).is_none()) {
        return true;
    }
    let is_number = |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(|cell| cell.trim().parse::<f64>().is_ok());
    let mut below = sample.records.iter().map(|(_, record)| record).filter(|record| record.len() == first.len());
    // The first itself.
    below.next();
    let below: Vec<&ByteRecord> = below.collect();
    let is_name = |cell: &[u8]| !cell.is_empty() && !is_number(cell);
    !below.is_empty()
        && first.iter().all(is_name)
        && (0..first.len()).any(|column| below.iter().all(|record| is_number(&record[column])))
}

/// The number of a column that was typed as one.
fn column_number(column: &str) -> Option<usize> {
    column.bytes().all(|byte| byte.is_ascii_digit()).then(|| column.parse().ok())?
}

/// The columns that are asked for, the key first.
fn columns(
    file: &DataFile,
    spec: &DataSpec,
    titles: Option<&[String]>,
    width: usize,
) -> Result<Vec<DataColumn>, DataError> {
    let key = match titles.is_some_and(|titles| titles.iter().any(|title| title == ROW_KEY)) {
        false if spec.key == ROW_KEY => 0,
        _ => find(file, &spec.key, titles, width)?,
    };
    let values: Vec<usize> = if spec.values.is_empty() {
        (1..=width).filter(|number| *number != key).collect()
    } else {
        spec.values.iter().map(|column| find(file, column, titles, width)).collect::<Result<_, _>>()?
    };
    if spec.key == ROW_KEY && values.is_empty() {
        return Err(message!(data_one_column, file = file.name(), format = file.format().word()).into());
    }
    if values.len() > 99 {
        return Err(message!(data_many_columns, file = file.name(), columns = values.len()).into());
    }
    let mut columns: Vec<DataColumn> = Vec::new();
    for number in std::iter::once(key).chain(values) {
        if number == 0 {
            let (title, name, field_type) = (None, ROW_KEY.to_string(), FieldType::Int64);
            columns.push(DataColumn { number: 0, title, name, field_type, longest_bytes: 0 });
            continue;
        }
        if columns.iter().any(|known| known.number as usize == number) {
            let name = titles.map_or_else(|| number.to_string(), |titles| titles[number - 1].clone());
            return Err(message!(data_column_twice_asked, file = file.name(), name).into());
        }
        let title = titles.map(|titles| titles[number - 1].clone());
        let name = name_in_stores(title.as_deref(), number, &columns);
        let field_type = FieldType::Text;
        columns.push(DataColumn { number: number as u32, title, name, field_type, longest_bytes: 0 });
    }
    Ok(columns)
}

/// The number of the column that was typed as `asked`.
fn find(file: &DataFile, asked: &str, titles: Option<&[String]>, width: usize) -> Result<usize, DataError> {
    let unknown = |hint: Message| message!(data_no_column, file = file.name(), name = asked, hint).into();
    if let Some(number) = column_number(asked) {
        return if (1..=width).contains(&number) { Ok(number) } else { Err(unknown(message!(data_numbered, width))) };
    }
    let Some(titles) = titles else { return Err(unknown(message!(data_no_header, width))) };
    let mut places = (1..).zip(titles).filter(|(_, title)| *title == asked).map(|(number, _)| number);
    match (places.next(), places.next()) {
        (Some(number), None) => Ok(number),
        (Some(_), Some(_)) => Err(message!(data_column_twice_named, file = file.name(), name = asked).into()),
        (None, _) => Err(unknown(hint(asked, titles))),
    }
}

/// The nearest name, or all there are.
fn hint(name: &str, known: &[String]) -> Message {
    let lower = name.to_lowercase();
    let score = |candidate: &&String| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
    match known.iter().min_by_key(score) {
        Some(best) if score(&best) <= 1 + name.chars().count() / 3 => message!(did_you_mean, name = best),
        _ => message!(data_columns, known),
    }
}

/// A name that every store takes, after that in the file where it can be.
fn name_in_stores(title: Option<&str>, number: usize, taken: &[DataColumn]) -> String {
    let plain = |one: char| if one.is_ascii_alphanumeric() { one.to_ascii_lowercase() } else { '_' };
    let from_title: String = title.unwrap_or_default().trim().chars().map(plain).take(31).collect();
    let usable = title.is_some_and(str::is_ascii) && from_title.starts_with(|one: char| one.is_ascii_lowercase());
    let name = if usable { from_title } else { format!("column{number}") };
    if taken.iter().any(|known| known.name == name) {
        let suffix = format!("_{number}");
        return format!("{}{suffix}", &name[..name.len().min(31 - suffix.len())]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_integer_is_one_that_is_written_the_same_again(text in "-?[0-9]{1,20}") {
            let again = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
            prop_assert_eq!(integer(text.as_bytes()), again);
        }
    }

    #[test]
    fn names_in_stores_are_valid_and_differ() {
        let name = |title, number| name_in_stores(title, number, &[]);
        assert_eq!((name(Some("Name of it"), 1), name(Some("年齢"), 2)), ("name_of_it".into(), "column2".into()));
        assert_eq!((name(Some("1st"), 3), name(None, 4)), ("column3".into(), "column4".into()));
        let taken =
            DataColumn { number: 1, title: None, name: "a".repeat(31), field_type: FieldType::Text, longest_bytes: 0 };
        let second = name_in_stores(Some(&"A".repeat(40)), 12, std::slice::from_ref(&taken));
        assert_eq!(second, format!("{}_12", "a".repeat(28)));
    }
}
