//! How a data file is written, told from its name and its start.
//!
//! Spreadsheets of countries that write 1,50 save CSV with semicolons, under the same name. So the start of such a file is
//! read both ways, and the way in which records are alike decides. A line `sep=;`, which spreadsheets write and read
//! first, decides without a guess, and so does a format that is asked for.

use csv::ReaderBuilder;
use kurabe_messages::message;
use kurabe_record::{DataFormat, DataSpec};

use crate::error::DataError;

/// Lines that are looked at.
const LINES: usize = 100;
/// Of the records that a format is told by so many percent have the same number of cells.
const ALIKE_PERCENT: usize = 90;

/// The separator that the first line tells, where it is such a line.
pub(crate) fn told_separator(start: &[u8]) -> Option<char> {
    let line = start.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()?;
    let told = line.get(..4).filter(|word| word.eq_ignore_ascii_case("sep=")).and_then(|_| line.get(4..))?;
    let mut rest = told.chars();
    rest.next().filter(|_| rest.next().is_none())
}

/// The format of a file whose first bytes are `start`, without a mark; `told` is what its first line tells.
pub(crate) fn of(spec: &DataSpec, start: &[u8], told: Option<char>) -> Result<DataFormat, DataError> {
    if let Some(format) = spec.format {
        return Ok(format);
    }
    let by_name = by_name(&spec.file);
    match (by_name, told) {
        (None | Some(DataFormat::Csv), Some(',')) => Ok(DataFormat::Csv),
        (None | Some(DataFormat::Csv), Some(';')) => Ok(DataFormat::CsvSemicolon),
        (None | Some(DataFormat::Csv), Some(found)) => {
            Err(message!(data_separator, file = &spec.file, separator = found).into())
        }
        (Some(DataFormat::Csv), None) => Ok(separated(start)),
        (Some(format), _) => Ok(format),
        (None, None) => Ok(by_content(start)),
    }
}

fn by_name(name: &str) -> Option<DataFormat> {
    let lower = name.to_lowercase();
    let known = [
        (".tsv", DataFormat::Tsv),
        (".csv", DataFormat::Csv),
        (".jsonl", DataFormat::Jsonl),
        (".ndjson", DataFormat::Jsonl),
    ];
    known.iter().find(|(end, _)| lower.ends_with(end)).map(|(_, format)| *format)
}

/// By the first line with anything in it.
fn by_content(start: &[u8]) -> DataFormat {
    let lines = || start.split(|byte| *byte == b'\n').take(LINES);
    let has = |byte: u8| lines().any(|line| line.contains(&byte));
    match lines().find(|line| !line.trim_ascii().is_empty()) {
        Some(first) if first.trim_ascii_start().starts_with(b"{") => DataFormat::Jsonl,
        _ if has(b'\t') => DataFormat::Tsv,
        _ if has(b',') || has(b';') => separated(start),
        _ => DataFormat::Tsv,
    }
}

/// CSV with commas, unless records are alike with semicolons: the first of them as all others, and more cells than commas
/// make, or commas make none that are alike.
fn separated(start: &[u8]) -> DataFormat {
    let semicolons = Cells::of(start, b';');
    let Some(by_semicolon) = semicolons.alike().filter(|cells| semicolons.0.first() == Some(cells)) else {
        return DataFormat::Csv;
    };
    match Cells::of(start, b',').alike() {
        Some(by_comma) if by_comma >= by_semicolon => DataFormat::Csv,
        _ => DataFormat::CsvSemicolon,
    }
}

/// Numbers of cells of the first records.
struct Cells(Vec<usize>);

impl Cells {
    fn of(start: &[u8], delimiter: u8) -> Cells {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(start);
        let records = reader.byte_records().map_while(Result::ok).take(LINES);
        let mut cells: Vec<usize> = records
            .filter(|record| record.len() > 1 || !record[0].trim_ascii().is_empty())
            .map(|one| one.len())
            .collect();
        // The last may be cut off.
        if cells.len() > 1 && cells.len() < LINES && !start.ends_with(b"\n") {
            cells.pop();
        }
        Cells(cells)
    }

    /// The number of cells that nearly all have, where it is at least two.
    fn alike(&self) -> Option<usize> {
        let count = |cells: usize| self.0.iter().filter(|one| **one == cells).count();
        let most = self.0.iter().copied().max_by_key(|cells| count(*cells)).filter(|cells| *cells > 1)?;
        (count(most) * 100 >= self.0.len() * ALIKE_PERCENT).then_some(most)
    }
}
