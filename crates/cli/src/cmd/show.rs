//! `kurabe show RUN`: the results of a run, computed from its records again.

use std::path::PathBuf;

use kurabe_record::Metric;

use super::runs;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "RUN", help = runs::HELP_OR_NEWEST)]
    run: Option<PathBuf>,
    /// Everything: every ranking with its latencies, cost beside time, claims, what did not count
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    full: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    /// Rank by something else than the study says: rate, rows-rate, p50, p90, p99, p99.9, client-cpu, service-cpu,
    /// memory, disk-per-row
    #[arg(long, value_name = "METRIC", value_parser = super::metric)]
    by: Option<Metric>,
    /// Print a line a phase and candidate as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// With --csv: begin with a byte order mark, by which spreadsheets know that it is UTF-8
    #[arg(long, requires = "csv")]
    bom: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let run = runs::folder(args.run)?;
    let (loaded, answer) = super::answer(&run, args.by)?;
    if let Some(damaged) = &loaded.damaged {
        crate::tell::tell(&format!(
            "kurabe: line {} of jobs.jsonl is damaged ({}); its job is not counted, 'kurabe run --resume {}' runs it again",
            damaged.line,
            damaged.reason,
            run.display()
        ));
    }
    if args.json {
        super::say_json(&answer)?;
    } else if args.csv {
        let mark = if args.bom { "\u{feff}" } else { "" };
        super::say_as_it_is(&format!("{mark}{}", kurabe_report::csv(&answer)?))?;
    } else {
        let style = super::terminal_style(&run, args.full);
        super::say_as_it_is(&kurabe_report::terminal(&answer, &loaded.run, &style))?;
        super::say_as_it_is(&format!("\n{}", kurabe_report::recommendation(&answer, &style)))?;
    }
    Ok(crate::status::GOOD)
}
