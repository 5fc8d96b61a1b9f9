//! `kurabe compare RUN RUN…`: the same phases and candidates of several runs side by side.

use std::path::{Path, PathBuf};

use kurabe_analysis::{Side, compare};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of the run that the others are compared with
    #[arg(value_name = "RUN")]
    first: PathBuf,
    /// Folders of the other runs
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<PathBuf>,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let paths: Vec<&PathBuf> = std::iter::once(&args.first).chain(&args.others).collect();
    let read = paths.iter().map(|path| super::answer(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let sides: Vec<Side<'_>> = paths
        .iter()
        .zip(&read)
        .map(|(path, (loaded, answer))| Side {
            name: path.display().to_string(),
            run: &loaded.run,
            jobs: &loaded.jobs,
            answer,
        })
        .collect();
    let comparison = compare(&sides);
    if args.json {
        super::say(&format!("{}\n", serde_json::to_string_pretty(&comparison)?))?;
    } else {
        super::say(&kurabe_report::comparison(&comparison, &super::terminal_style(Path::new(""))))?;
    }
    Ok(crate::status::GOOD)
}
