//! `kurabe show RUN`: the results of a run, computed from its records again.

use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    /// Print a line a phase and candidate as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let (loaded, answer) = super::answer(&args.run)?;
    if let Some(damaged) = &loaded.damaged {
        super::tell(&format!(
            "kurabe: line {} of jobs.jsonl is damaged ({}); its job is not counted, 'kurabe run --resume {}' runs it again",
            damaged.line,
            damaged.reason,
            args.run.display()
        ));
    }
    if args.json {
        super::say_json(&answer)?;
    } else if args.csv {
        super::say_as_it_is(&kurabe_report::csv(&answer)?)?;
    } else {
        super::say_as_it_is(&kurabe_report::terminal(&answer, &loaded.run, &super::terminal_style(&args.run)))?;
    }
    Ok(crate::status::GOOD)
}
