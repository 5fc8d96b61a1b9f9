//! `kurabe report RUN`: one HTML file that opens offline.

use std::path::PathBuf;

use anyhow::Context;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// File to write [default: report.html in the folder of the run]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the answer as JSON instead
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let (loaded, answer) = super::answer(&args.run)?;
    if args.json {
        super::say(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
        return Ok(crate::status::GOOD);
    }
    let out = args.out.unwrap_or_else(|| args.run.join("report.html"));
    std::fs::write(&out, kurabe_report::html(&answer, &loaded.run, &loaded.jobs)?)
        .with_context(|| format!("cannot write '{}'", out.display()))?;
    super::say(&format!("{}\n", out.display()))?;
    Ok(crate::status::GOOD)
}
