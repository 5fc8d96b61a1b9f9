//! The flags of a data file, and the file read for a verb that takes a study.

use std::cell::RefCell;
use std::path::Path;

use kurabe_messages::{Message, message};
use kurabe_record::{DataFormat, DataSpec, Duplicates, HeaderChoice, ShortLines};
use kurabe_service::{FolderAccess, Guardian, RunFolder};
use kurabe_study::{AskedData, Catalogue, Overrides, Study, StudyError};

/// Own data instead of the study's.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "data")]
pub struct DataArgs {
    #[arg(long, value_name = "FILE", requires = "key")]
    data: Option<String>,
    #[arg(long, value_name = "COL", requires = "data")]
    key: Option<String>,
    #[arg(long = "value", value_name = "COL", requires = "data")]
    values: Vec<String>,
    #[arg(long, value_name = "FORMAT", requires = "data", value_parser = format)]
    format: Option<DataFormat>,
    #[arg(long, value_name = "WHETHER", requires = "data", value_parser = header)]
    header: Option<HeaderChoice>,
    #[arg(long, value_name = "WHICH", requires = "data", value_parser = duplicates)]
    duplicates: Option<Duplicates>,
    #[arg(long, value_name = "WHAT", requires = "data", value_parser = short_lines)]
    short_lines: Option<ShortLines>,
}

/// What a flag takes.
fn one_of(known: &[&str]) -> Message {
    message!(cli_one_of, known = known.iter().map(|word| word.to_string()).collect::<Vec<String>>())
}

fn format(text: &str) -> Result<DataFormat, Message> {
    let known = [DataFormat::Tsv, DataFormat::Csv, DataFormat::CsvSemicolon, DataFormat::Jsonl];
    known.into_iter().find(|format| format.word() == text).ok_or_else(|| one_of(&known.map(DataFormat::word)))
}

fn header(text: &str) -> Result<HeaderChoice, Message> {
    match text {
        "yes" => Ok(HeaderChoice::Yes),
        "no" => Ok(HeaderChoice::No),
        _ => Err(one_of(&["yes", "no"])),
    }
}

fn duplicates(text: &str) -> Result<Duplicates, Message> {
    let known = [Duplicates::First, Duplicates::Last, Duplicates::Refuse];
    known.into_iter().find(|choice| choice.word() == text).ok_or_else(|| one_of(&known.map(Duplicates::word)))
}

fn short_lines(text: &str) -> Result<ShortLines, Message> {
    let known = [ShortLines::Skip, ShortLines::Refuse];
    known.into_iter().find(|choice| choice.word() == text).ok_or_else(|| one_of(&known.map(ShortLines::word)))
}

impl DataArgs {
    /// As a study takes it.
    pub fn asked(&self) -> Option<AskedData> {
        Some(AskedData {
            file: self.data.clone()?,
            key: self.key.clone()?,
            values: self.values.clone(),
            format: self.format,
            header: self.header,
            duplicates: self.duplicates,
            short_lines: self.short_lines,
        })
    }

    /// The words that say the same again.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |flag: &str, value: Option<&str>| {
            words.extend(value.into_iter().flat_map(|value| [flag.to_string(), value.to_string()]));
        };
        say("--data", self.data.as_deref());
        say("--key", self.key.as_deref());
        self.values.iter().for_each(|value| say("--value", Some(value)));
        say("--format", self.format.map(DataFormat::word));
        say("--header", self.header.map(|choice| if choice == HeaderChoice::Yes { "yes" } else { "no" }));
        say("--duplicates", self.duplicates.map(Duplicates::word));
        say("--short-lines", self.short_lines.map(ShortLines::word));
        words
    }
}

/// A study, and the folder in which its data file is laid out; it goes when this is dropped.
pub struct OpenStudy {
    /// The study.
    pub study: Study,
    /// The folder, where there is a data file.
    pub folder: Option<RunFolder>,
}

/// Opens a study; a data file is read into a new folder in `dir`.
pub fn open(
    catalogue: &Catalogue,
    name: &str,
    overrides: &Overrides,
    dir: &Path,
    guardian: &Guardian,
) -> Result<OpenStudy, StudyError> {
    let folder = RefCell::new(None);
    let ingest = |spec: &DataSpec| {
        let (ingested, made) = read(catalogue, spec, dir, guardian)?;
        folder.replace(Some(made));
        Ok(ingested)
    };
    let study = Study::open_with(catalogue, name, overrides, &ingest)?;
    Ok(OpenStudy { study, folder: folder.into_inner() })
}

/// Reads a data file into a new folder in `dir`. One that is built in is written there first.
pub fn read(
    catalogue: &Catalogue,
    spec: &DataSpec,
    dir: &Path,
    guardian: &Guardian,
) -> Result<(kurabe_data::Ingested, RunFolder), StudyError> {
    let failed = |error: &dyn std::fmt::Display| StudyError::Other(message!(text_quoted, text = error));
    let folder = RunFolder::create(dir, guardian, FolderAccess::Owner).map_err(|error| failed(&error))?;
    let written = catalogue.builtin_data(&spec.file)?.map(|bytes| {
        let path = folder.path().join("builtin");
        std::fs::write(&path, bytes).map(|()| path)
    });
    let written = written.transpose().map_err(|error| failed(&error))?;
    let path = written.as_deref().unwrap_or(Path::new(&spec.file));
    let ingested = kurabe_data::ingest_at(path, spec, folder.path())
        .map_err(|error| StudyError::Other(error.message().clone()))?;
    Ok((ingested, folder))
}

/// What is to be said of the data of a study before anything starts; nothing where rows are generated.
pub fn facts(study: &Study) -> Vec<String> {
    let Some(data) = &study.data else { return Vec::new() };
    let mut said: Vec<String> = data.record.sentences().iter().map(ToString::to_string).collect();
    let most = study.plan.configurations.iter().map(|config| config.rows).max().unwrap_or(0);
    if most < data.files.count {
        said.push(message!(cli_run_fewer_rows, rows = most, all = data.files.count).to_string());
    }
    said
}
