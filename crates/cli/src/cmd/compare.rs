//! `kurabe compare RUN RUN…`: the same phases and candidates of several runs side by side.

use std::path::{Path, PathBuf};

use kurabe_analysis::{Answer, Side, compare};
use kurabe_messages::{Message, message};
use kurabe_record::Loaded;

use super::runs;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    runs: Vec<PathBuf>,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    same_machine: bool,
}

/// A run that was read, as it was named.
pub struct LoadedRun {
    name: String,
    loaded: Loaded,
    answer: Answer,
}

impl LoadedRun {
    /// As the comparison takes it.
    pub fn side(&self) -> Side<'_> {
        Side { name: self.name.clone(), run: &self.loaded.run, jobs: &self.loaded.jobs, answer: &self.answer }
    }
}

/// Reads the runs in the order in which they were named.
pub fn read_sides(paths: &[PathBuf]) -> anyhow::Result<Vec<LoadedRun>> {
    let read = |path: &PathBuf| {
        let (loaded, answer) = super::answer(path, None)?;
        Ok(LoadedRun { name: path.display().to_string(), loaded, answer })
    };
    paths.iter().map(read).collect()
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let paths = args.runs.into_iter().map(|run| runs::folder(Some(run))).collect::<Result<Vec<_>, _>>()?;
    let read = read_sides(&paths)?;
    let sides: Vec<Side<'_>> = read.iter().map(LoadedRun::side).collect();
    let comparison = compare(&sides);
    if let Some(other) = comparison.machines.first().filter(|_| args.same_machine) {
        let differences: Vec<Message> = other.differences.iter().map(|one| one.message()).collect();
        let [name, first] = [other.run, 0].map(|run| &comparison.runs[run].name);
        anyhow::bail!(message!(cli_other_machine, name, first, differences));
    }
    if args.json {
        super::say_json(&comparison)?;
    } else {
        super::say_drawn(&kurabe_report::comparison(&comparison, &super::terminal_style(Path::new(""), true)))?;
    }
    Ok(crate::status::GOOD)
}
