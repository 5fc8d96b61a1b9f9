//! `kurabe report RUN…`: one HTML file that opens offline, or the answer put into a Markdown file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use kurabe_analysis::compare;
use kurabe_messages::{language, message};
use kurabe_record::Metric;
use kurabe_report::Detail;

use super::compare::read_sides;
use super::{Mistake, runs};

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "RUN")]
    runs: Vec<PathBuf>,
    #[arg(long, conflicts_with_all = ["json", "splice", "articles"])]
    open: bool,
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long, value_name = "METRIC", value_parser = super::metric)]
    by: Option<Metric>,
    #[arg(long, conflicts_with_all = ["out", "splice"])]
    json: bool,
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    splice: Option<PathBuf>,
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "splice", "json", "by"])]
    articles: Option<PathBuf>,
    #[arg(long, requires = "splice")]
    tables: bool,
}

pub fn run(mut args: Args) -> anyhow::Result<i32> {
    args.runs = match args.runs.as_slice() {
        [] => vec![runs::folder(None)?],
        named => named.iter().map(|run| runs::folder(Some(run.clone()))).collect::<Result<_, _>>()?,
    };
    if let Some(page) = &args.articles {
        // Titles of sources stand there in their own language too.
        kurabe_study::translate_descriptions();
        let read = |run: &PathBuf| super::answer(run, None).map(|(loaded, answer)| (answer, loaded.run));
        let runs = args.runs.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        if let Some((path, _)) = args.runs.iter().zip(&runs).find(|(_, (answer, _))| answer.source().is_none()) {
            return Err(Mistake(message!(cli_report_no_article, path = path.display())).into());
        }
        let is_html = |name: &std::ffi::OsStr| ["html", "htm"].iter().any(|known| name.eq_ignore_ascii_case(known));
        let text = match page.extension().is_some_and(is_html) {
            true => kurabe_report::articles_html(&runs, language())?,
            false => kurabe_report::articles(&runs, language()),
        };
        return write(page, &text);
    }
    let [run] = args.runs.as_slice() else { return several(&args) };
    let (loaded, answer) = super::answer(run, args.by)?;
    if args.json {
        super::say_json(&answer)?;
        return Ok(crate::status::GOOD);
    }
    if let Some(document) = &args.splice {
        let detail = if args.tables { Detail::Full } else { Detail::Short };
        let result = kurabe_report::markdown(&answer, &loaded.run, &loaded.jobs, (language(), detail));
        splice(document, &loaded.run.plan.study, &result)?;
        super::say(&format!("{}\n", document.display()))?;
        return Ok(crate::status::GOOD);
    }
    let out = args.out.clone().unwrap_or_else(|| run.join("report.html"));
    page(&args, &out, &kurabe_report::html(&answer, &loaded.run, &loaded.jobs, language())?)
}

/// Writes a page and opens it, where that was asked for.
fn page(args: &Args, out: &Path, page: &str) -> anyhow::Result<i32> {
    let status = write(out, page)?;
    if args.open {
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let opened = std::process::Command::new(program).arg(out).status();
        let is_open = opened.as_ref().is_ok_and(std::process::ExitStatus::success);
        if !is_open {
            let why = opened.map_or_else(|error| error.to_string(), |status| status.to_string());
            anyhow::bail!(message!(cli_open, program, path = out.display(), error = why));
        }
    }
    Ok(status)
}

fn several(args: &Args) -> anyhow::Result<i32> {
    if args.splice.is_some() {
        anyhow::bail!(Mistake(message!(cli_splice_several)));
    }
    if args.by.is_some() {
        anyhow::bail!(Mistake(message!(cli_by_several)));
    }
    let read = read_sides(&args.runs)?;
    let sides: Vec<_> = read.iter().map(|side| side.side()).collect();
    let comparison = compare(&sides);
    if args.json {
        super::say_json(&comparison)?;
        return Ok(crate::status::GOOD);
    }
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("compare.html"));
    page(args, &out, &kurabe_report::comparison_html(&comparison, &sides, language())?)
}

fn write(out: &Path, page: &str) -> anyhow::Result<i32> {
    std::fs::write(out, page).map_err(|error| super::unwritten(out, error))?;
    super::say(&format!("{}\n", out.display()))?;
    Ok(crate::status::GOOD)
}

/// Most bytes of a document that takes a result.
const MOST_DOCUMENT_BYTES: u64 = 64 << 20;

/// Puts the result of a study into the document.
fn splice(document: &Path, study: &str, result: &str) -> anyhow::Result<()> {
    let old = kurabe_machine::read_text(document, MOST_DOCUMENT_BYTES)
        .map_err(|error| Mistake(message!(cli_splice_read, path = document.display(), error)))?;
    let new = kurabe_report::splice(&old, study, result).context(message!(cli_splice, path = document.display()))?;
    crate::in_place::rewrite(document, old.as_bytes(), new.as_bytes())
}
