//! `kurabe show RUN`: the results of a run, computed from its records again.

use std::path::PathBuf;

use kurabe_messages::message;
use kurabe_record::Metric;

use super::place::PlaceArgs;
use super::runs;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    full: bool,
    #[arg(long)]
    json: bool,
    #[arg(long, value_name = "METRIC", value_parser = super::metric)]
    by: Option<Metric>,
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[arg(long, requires = "csv")]
    bom: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let run = runs::folder(args.run)?;
    let (loaded, answer) = super::answer(&run, args.by)?;
    if let Some(damaged) = &loaded.damaged {
        let command = super::next_step::resume(&run, &PlaceArgs::default());
        let told = message!(cli_damaged, line = damaged.line, reason = &damaged.reason, command);
        crate::tell::tell(&format!("kurabe: {told}"));
    }
    if args.json {
        super::say_json(&answer)?;
    } else if args.csv {
        let mark = if args.bom { "\u{feff}" } else { "" };
        super::say_as_it_is(&format!("{mark}{}", kurabe_report::csv(&answer)?))?;
    } else {
        let style = super::terminal_style(&run, args.full);
        super::say_drawn(&kurabe_report::terminal(&answer, &loaded.run, &style))?;
        super::say_drawn(&format!("\n{}", kurabe_report::recommendation(&answer, &style)))?;
    }
    Ok(crate::status::GOOD)
}
