//! What a data file is refused for.

use std::io;

/// Why a data file cannot be used: what is wrong, where, and the way out. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// It cannot be opened or read.
    #[error("cannot read the data file '{file}': {source}")]
    Read {
        /// The file.
        file: String,
        /// The system's answer.
        source: io::Error,
    },
    /// It is a folder, a pipe or a device.
    #[error("'{file}' is {what}, not a file of data; name a TSV, CSV or JSONL file")]
    NoFile {
        /// What was named.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// It changed meanwhile.
    #[error("the data file '{file}' changed while it was read; wait until it is complete, or copy it first")]
    Changed {
        /// The file.
        file: String,
    },
    /// A line without an end in sight.
    #[error("{file}: line {line} is longer than {} MiB, or a quote in it is never closed", limit >> 20)]
    TooLong {
        /// The file.
        file: String,
        /// Where the record starts.
        line: u64,
        /// Most bytes of a record.
        limit: u64,
    },
    /// A quoted cell that the file ends in.
    #[error(
        "{file}: the quote that opens in line {line} is never closed; close it, write \"\" for a quote within a cell, or name \
         another --format"
    )]
    OpenQuote {
        /// The file.
        file: String,
        /// Where the cell starts.
        line: u64,
    },
    /// Bytes that are no UTF-8.
    #[error("{file}: line {line} is not UTF-8; {advice}")]
    Encoding {
        /// The file.
        file: String,
        /// Where.
        line: u64,
        /// What to do about it.
        advice: String,
    },
    /// UTF-16 that is damaged.
    #[error("{file}: the UTF-16 holds half a character after line {line}; save the file once more, as UTF-8")]
    HalfCharacter {
        /// The file.
        file: String,
        /// The line that was to be read.
        line: u64,
    },
    /// Some lines end with a carriage return alone, others with a line feed.
    #[error(
        "{file}: lines end with a carriage return alone, but after line {line} there is a line feed too; save the file with \
         one kind of line ends"
    )]
    MixedEnds {
        /// The file.
        file: String,
        /// The line that was to be read.
        line: u64,
    },
    /// A first line that tells of another separator.
    #[error("{file}: line 1 says that '{found}' separates cells; only ',' and ';' can: save the file with one of them")]
    Separator {
        /// The file.
        file: String,
        /// What it says.
        found: char,
    },
    /// A zero byte.
    #[error("{file}: line {line} holds a zero byte, which no text has; {advice}")]
    Zero {
        /// The file.
        file: String,
        /// Where.
        line: u64,
        /// What to do about it.
        advice: String,
    },
    /// Not enough columns.
    #[error(
        "{file} has one column only as {format}; a key and a value take two: name the --format if it is another (tsv, csv, \
         csv-semicolon, jsonl), or number the rows with --key row"
    )]
    OneColumn {
        /// The file.
        file: String,
        /// What it was read as.
        format: &'static str,
    },
    /// A column that is not there.
    #[error("{file} has no column '{name}'{}", hint(name, known))]
    NoColumn {
        /// The file.
        file: String,
        /// What was asked for.
        name: String,
        /// Names of the columns, or their number as one text.
        known: Vec<String>,
    },
    /// A column that was asked for twice, or a name that two columns have.
    #[error("{file}: column '{name}' is {how}; name each column once, if need be by its number")]
    ColumnTwice {
        /// The file.
        file: String,
        /// The column.
        name: String,
        /// Where it stands twice.
        how: &'static str,
    },
    /// The header comes again.
    #[error("{file}: line {line} repeats the header; two files seem to be joined: take that line out")]
    HeaderTwice {
        /// The file.
        file: String,
        /// Where.
        line: u64,
    },
    /// A line with fewer cells than the others, where that is a mistake.
    #[error(
        "{file}: line {line} has {cells} of {width} cells; complete it or take it out, or leave such lines out with short_lines = \
         \"skip\""
    )]
    ShortLine {
        /// The file.
        file: String,
        /// Where.
        line: u64,
        /// Its cells.
        cells: usize,
        /// Those of the other records.
        width: usize,
    },
    /// A key that is too long.
    #[error("{file}: the key in line {line} has {bytes} bytes; keys have at most {limit}: choose another --key")]
    LongKey {
        /// The file.
        file: String,
        /// Where.
        line: u64,
        /// Its length.
        bytes: usize,
        /// Most bytes of a key.
        limit: usize,
    },
    /// Too many columns.
    #[error(
        "{file}: {columns} columns are asked for beside the key; at most 99 can be: name those to take with --value"
    )]
    TooManyColumns {
        /// The file.
        file: String,
        /// How many.
        columns: usize,
    },
    /// A key occurs twice, and that was not to be.
    #[error(
        "{file}: the key in line {first} comes again in line {again}, as do {keys} keys in all; --duplicates first or last leaves them out, \
         --key row numbers the rows instead"
    )]
    Duplicates {
        /// The file.
        file: String,
        /// First record of the key.
        first: u64,
        /// The next of it.
        again: u64,
        /// Keys that occur more than once.
        keys: u64,
    },
    /// Nothing is left.
    #[error("{file} holds no rows: {found}")]
    NoRows {
        /// The file.
        file: String,
        /// What is there instead.
        found: String,
    },
    /// More rows than numbers.
    #[error("{file} holds more than {limit} records; split it")]
    TooMany {
        /// The file.
        file: String,
        /// Most records.
        limit: u64,
    },
    /// The files that the rows are laid out in.
    #[error("cannot write '{path}': {source}; choose another place with --dir")]
    Write {
        /// The file.
        path: String,
        /// The system's answer.
        source: io::Error,
    },
}

/// The nearest name, or all there are.
fn hint(name: &str, known: &[String]) -> String {
    if let [only] = known
        && only.starts_with("it has ")
    {
        return format!("; {only}");
    }
    let lower = name.to_lowercase();
    let score = |candidate: &&String| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
    match known.iter().min_by_key(score) {
        Some(best) if score(&best) <= 1 + name.chars().count() / 3 => format!("; did you mean '{best}'?"),
        _ => format!("; there is: {}", known.join(", ")),
    }
}
