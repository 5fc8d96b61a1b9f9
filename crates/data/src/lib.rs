//! Data files: TSV, CSV or JSONL in, rows and a report of what was found out.
//!
//! [`ingest`] reads a file twice: once to learn what is in it (columns, types, lines that are no records), once to lay
//! its rows out as the clients read them (`kurabe_protocol::own`). Between and after, the file must be the same. Memory
//! stays the same however large the file is: what grows with it is in files, and keys are sorted in pieces.
//!
//! Nothing here knows a store or starts a process.

mod encodings;
mod error;
mod format;
mod layout;
mod sort;
mod source;
mod survey;
mod text;

use std::path::Path;

use kurabe_protocol::{DataFiles, DataSource, Field, FieldType, Schema};
use kurabe_record::{DataFormat, DataRecord, DataSpec};

pub use error::DataError;
pub use source::MAX_RECORD_BYTES;

/// A data file that was read: what was found, and where its rows lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Ingested {
    /// What was found.
    pub record: DataRecord,
    /// Shape of a row; lengths are those of the longest cells.
    pub schema: Schema,
    /// The rows, as jobs name them.
    pub files: DataFiles,
    /// Bytes of key and value of a row, in the mean.
    pub row_bytes: u64,
}

/// Reads the file that `spec` names and lays its rows out in `folder`, which exists.
pub fn ingest(spec: &DataSpec, folder: &Path) -> Result<Ingested, DataError> {
    ingest_at(Path::new(&spec.file), spec, folder)
}

/// As [`ingest`] for a file that lies at `path`, whatever name it has for people.
pub fn ingest_at(path: &Path, spec: &DataSpec, folder: &Path) -> Result<Ingested, DataError> {
    let file = source::DataFile::open(path, spec)?;
    let survey = survey::survey(&file, spec)?;
    let mut laid = layout::lay_out(&file, spec, &survey, folder)?;
    let is_split = file.format() == DataFormat::Tsv && file.is_plain() && !survey.has_row_numbers();
    laid.files.source = is_split.then(|| source_of(path, &survey));
    let schema = schema(&survey);
    let record = DataRecord {
        asked: spec.clone(),
        format: file.format(),
        header: survey.header,
        bytes: file.bytes(),
        crc32: survey.crc32,
        lines: survey.lines,
        records: survey.records,
        headings: survey.headings,
        empty_lines: survey.empty_lines,
        bad: survey.bad,
        duplicate_keys: laid.duplicate_keys,
        rows: laid.files.count,
        columns: survey.columns,
    };
    Ok(Ingested { record, schema, files: laid.files, row_bytes: laid.row_bytes })
}

/// What a client needs to split the lines of a tab-separated file itself.
fn source_of(path: &Path, survey: &survey::Survey) -> DataSource {
    let path = std::path::absolute(path).unwrap_or(path.to_path_buf()).to_string_lossy().into_owned();
    let (key, values) = survey.columns.split_at(1.min(survey.columns.len()));
    DataSource {
        path,
        key: key.first().map_or(1, |column| column.number),
        values: values.iter().map(|column| (column.number, column.field_type)).collect(),
    }
}

fn schema(survey: &survey::Survey) -> Schema {
    let fields = survey.columns.iter().enumerate().map(|(at, column)| {
        let has_len = at > 0 && column.field_type != FieldType::Int64;
        Field::new(&column.name, column.field_type, has_len.then_some(column.longest_bytes))
    });
    Schema { fields: fields.collect() }
}
