//! `kurabe new my.toml`: a commented study to begin with.

use std::io::Write;
use std::path::PathBuf;

use kurabe_study::StudyError;

const TEMPLATE: &str = include_str!("new.toml");

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file to write, such as my.toml; it must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let path = &args.file;
    let shown = path.display().to_string();
    let refuse = |problem: &str| StudyError::value(&format!("'{shown}'"), problem);
    // Without the ending 'kurabe run' would take the name for that of a built-in study.
    if path.extension().is_none_or(|ending| ending != "toml") {
        return Err(refuse("a study's file ends in .toml; name it so").into());
    }
    let mut file = match std::fs::File::options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(refuse("exists already and is left as it is; choose another name").into());
        }
        other => other.map_err(|error| super::unwritten(path, error))?,
    };
    file.write_all(TEMPLATE.as_bytes()).map_err(|error| super::unwritten(path, error))?;
    super::say(&format!("{shown}\n\nIt runs as it stands: kurabe run {shown}\n"))?;
    Ok(crate::status::GOOD)
}
