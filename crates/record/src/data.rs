//! A data file that a run took its rows from: what was asked, and what was found in it.

use kurabe_messages::values::Clauses;
use kurabe_messages::{Message, message};
use kurabe_protocol::FieldType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// As the key of a file without a column of that name: the number of the row, from 1 on.
pub const ROW_KEY: &str = "row";

/// Which rows of which file are to be the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataSpec {
    /// The file, as it was typed.
    pub file: String,
    /// The key's column: its name, its number from 1 on, or [`ROW_KEY`].
    #[serde(deserialize_with = "column")]
    pub key: String,
    /// The other columns in order; all but the key where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "columns")]
    pub values: Vec<String>,
    /// How the file is written; absent where it is to be guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DataFormat>,
    /// Whether the first record names the columns.
    #[serde(default)]
    pub header: HeaderChoice,
    /// What becomes of records whose key was there before.
    #[serde(default)]
    pub duplicates: Duplicates,
    /// What becomes of lines with fewer cells than the others.
    #[serde(default)]
    pub short_lines: ShortLines,
}

/// How a data file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataFormat {
    /// A tab between cells, a record a line, no quotes.
    Tsv,
    /// A comma between cells, quotes as in RFC 4180.
    Csv,
    /// As CSV, with a semicolon between cells.
    CsvSemicolon,
    /// A JSON object a line.
    Jsonl,
}

impl DataFormat {
    /// The word used in studies and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            DataFormat::Tsv => "tsv",
            DataFormat::Csv => "csv",
            DataFormat::CsvSemicolon => "csv-semicolon",
            DataFormat::Jsonl => "jsonl",
        }
    }
}

/// Whether the first record is a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HeaderChoice {
    /// What the first records look like.
    #[default]
    Guess,
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// What becomes of records whose key was there before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// The first record of a key stays.
    First,
    /// The last one stays.
    Last,
    /// The file is refused: a column that was named by mistake would leave a few rows of many.
    #[default]
    Refuse,
}

impl Duplicates {
    /// The word used in studies and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Duplicates::First => "first",
            Duplicates::Last => "last",
            Duplicates::Refuse => "refuse",
        }
    }
}

/// What becomes of lines with fewer cells than the others: headings, and records that lack some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortLines {
    /// They are left out, and told.
    #[default]
    Skip,
    /// The file is refused.
    Refuse,
}

impl ShortLines {
    /// The word used in studies and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            ShortLines::Skip => "skip",
            ShortLines::Refuse => "refuse",
        }
    }
}

/// What was found in a data file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataRecord {
    /// What was asked.
    pub asked: DataSpec,
    /// How the file is written.
    pub format: DataFormat,
    /// Whether its first record names the columns.
    pub header: bool,
    /// Its length in bytes.
    pub bytes: u64,
    /// CRC-32 of its content: a run that goes on must find the same.
    pub crc32: u32,
    /// Its lines.
    pub lines: u64,
    /// Its records: what is neither header nor heading, not empty and not bad.
    pub records: u64,
    /// Lines with one cell, where records have more.
    pub headings: Lines,
    /// Lines without anything.
    pub empty_lines: Lines,
    /// Records that were left out, by reason.
    pub bad: Vec<BadLines>,
    /// Keys that several records have.
    pub duplicate_keys: DuplicateKeys,
    /// Rows: records less those left out for their key.
    pub rows: u64,
    /// The columns that were taken, the key first.
    pub columns: Vec<DataColumn>,
}

/// Lines of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lines {
    /// How many.
    pub count: u64,
    /// Numbers of the first five, from 1 on.
    pub first: Vec<u64>,
}

impl Lines {
    /// Numbers that are kept.
    pub const KEPT: usize = 5;

    /// Counts line number `line`.
    pub fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < Lines::KEPT {
            self.first.push(line);
        }
    }

    /// What `sentence` makes of their number and their places, where there is any.
    fn note(&self, sentence: impl FnOnce(u64, Message) -> Message) -> Option<Message> {
        let lines: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let is_all = self.count == self.first.len() as u64;
        let places = || match is_all {
            true => message!(data_lines, count = self.count, lines),
            false => message!(data_lines_and_more, lines),
        };
        (self.count > 0).then(|| sentence(self.count, places()))
    }
}

/// Records that were left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BadLines {
    /// Why.
    pub reason: BadReason,
    /// Which.
    pub lines: Lines,
}

/// Why a record was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BadReason {
    /// A line of JSONL holds something else.
    #[serde(rename = "no JSON object")]
    NoObject,
    /// It has fewer cells than the others.
    #[serde(rename = "too few cells")]
    FewCells,
    /// It has more cells than the others.
    #[serde(rename = "too many cells")]
    ManyCells,
    /// The cell of its key is empty.
    #[serde(rename = "an empty key")]
    NoKey,
}

impl BadReason {
    fn words(self) -> Message {
        match self {
            BadReason::NoObject => message!(data_no_object),
            BadReason::FewCells => message!(data_few_cells),
            BadReason::ManyCells => message!(data_many_cells),
            BadReason::NoKey => message!(data_no_key),
        }
    }
}

/// Keys that several records have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DuplicateKeys {
    /// How many keys.
    pub keys: u64,
    /// Records that were left out for them, with the first by their line.
    pub left_out: Lines,
}

/// A column that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataColumn {
    /// Its number in the file, from 1 on; 0 for the number of the row, which is in no column.
    pub number: u32,
    /// Its name in the file, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its name in the stores.
    pub name: String,
    /// Its type, as the cells have it.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Longest cell in bytes.
    pub longest_bytes: u32,
}

impl DataRecord {
    /// The name of the file, without the folders that lead to it.
    pub fn file_name(&self) -> &str {
        self.asked.file.rsplit('/').next().unwrap_or_default()
    }

    /// What a person should know of the data before anything is measured.
    pub fn sentences(&self) -> Vec<Message> {
        let mut said = vec![self.size()];
        said.extend(self.headings.note(|count, lines| message!(data_headings, count, lines)));
        said.extend(self.empty_lines.note(|count, lines| message!(data_empty_lines, count, lines)));
        for bad in &self.bad {
            said.extend(
                bad.lines.note(|count, lines| message!(data_bad_lines, count, reason = bad.reason.words(), lines)),
            );
        }
        let DuplicateKeys { keys, left_out } = &self.duplicate_keys;
        let kept = self.asked.duplicates.word();
        said.extend(left_out.note(|dropped, lines| message!(data_duplicate_keys, keys = *keys, kept, dropped, lines)));
        if let Some((key, values)) = self.columns.split_first() {
            let values: Clauses = values.iter().map(DataColumn::words).collect();
            said.push(message!(data_rows, rows = self.rows, key = key.words(), values));
        }
        said
    }

    fn size(&self) -> Message {
        let (file, records, lines, format) = (&self.asked.file, self.records, self.lines, self.format.word());
        match self.header {
            _ if self.format == DataFormat::Jsonl => message!(data_found, file, records, lines, format),
            true => message!(data_found_with_header, file, records, lines, format),
            false => message!(data_found_without_header, file, records, lines, format),
        }
    }
}

impl DataColumn {
    /// What it holds.
    fn words(&self) -> Message {
        let (kind, bytes) = (type_word(self.field_type), self.longest_bytes);
        match (&self.title, self.number) {
            (Some(title), _) => message!(data_column, title, kind, bytes),
            (None, 0) => message!(data_row_number, kind, bytes),
            (None, number) => message!(data_column_number, number, kind, bytes),
        }
    }
}

/// As a study has it.
fn type_word(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Int64 => "int64",
        FieldType::Text => "text",
        FieldType::Bytes => "bytes",
    }
}

/// A column's name, or its number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Column {
    Number(u32),
    Name(String),
}

impl From<Column> for String {
    fn from(column: Column) -> String {
        match column {
            Column::Number(number) => number.to_string(),
            Column::Name(name) => name,
        }
    }
}

fn column<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Column::deserialize(from).map(String::from)
}

fn columns<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<Column>::deserialize(from)?.into_iter().map(String::from).collect())
}
