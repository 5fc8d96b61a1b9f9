//! Kurabe's tables and the HTML report: how an answer is shown, on a terminal and as one page that opens offline.
//!
//! Both show the same tables with figures of the same module of numbers. Nothing is computed here that
//! is not in the [`Answer`]; records are read only for what was asked and found (settings, versions, the machine).
//! Text that comes from stores, users and logs is escaped by the template engine and by the chart library; on its way to
//! a terminal it passes [`one_line`] or [`lines`], so that control characters never get there.

mod articles;
mod axis_tables;
mod changes;
mod charts;
mod claims;
mod clients;
mod csv;
mod format;
mod headline;
mod known;
mod legend;
mod markdown;
mod matrix;
mod page;
mod plain;
mod table;
mod tables;
mod terminal;
mod text;
mod words;

use kurabe_analysis::{Answer, Comparison, Side};
use kurabe_messages::{Language, Message, message, with_language};
use kurabe_record::{JobRecord, PhasePlan, RunRecord};

pub use markdown::SpliceError;
pub use plain::{in_json, lines, one_line, words};
pub use terminal::{ClaimsShown, Colour, Detail, TerminalStyle};

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The template engine refused.
    #[error("{}", message!(page_fault_template, error = .0))]
    Template(#[from] minijinja::Error),
    /// The CSV writer refused.
    #[error("{}", message!(page_fault_csv, error = .0))]
    Csv(String),
    /// The chart library refused.
    #[error("{}", message!(page_fault_chart, chart = .chart, error = .reason))]
    Chart {
        /// What the chart shows.
        chart: String,
        /// The library's message.
        reason: String,
    },
}

/// The answer as text: sentences first, then a table a phase, resources, and what did not count.
pub fn terminal(answer: &Answer, run: &RunRecord, style: &TerminalStyle) -> String {
    with_language(style.language, || terminal::text(answer, run, style))
}

/// What to take, why, and unless what, as text: the last lines of a run.
pub fn recommendation(answer: &Answer, style: &TerminalStyle) -> String {
    with_language(style.language, || terminal::recommendation(answer, style))
}

/// What became of the claims, as text.
pub fn claims(answer: &Answer, style: &TerminalStyle) -> String {
    with_language(style.language, || terminal::claims(answer, style))
}

/// The page about published comparisons, in Markdown: a screen for each run that repeats one.
pub fn articles(runs: &[(Answer, RunRecord)], language: Language) -> String {
    with_language(language, || articles::text(runs))
}

/// The same page as HTML, with charts, and the tables folded.
///
/// # Errors
/// Only by a fault of the templates or the chart library.
pub fn articles_html(runs: &[(Answer, RunRecord)], language: Language) -> Result<String, ReportError> {
    with_language(language, || page::articles::render(runs))
}

/// What a phase does and under which conditions, in a line.
pub fn conditions(plan: &PhasePlan) -> Message {
    page::conditions::of_plan(plan)
}

/// What a store is, in two words.
pub fn about_in_short(about: &kurabe_record::About) -> Message {
    words::about_in_short(about)
}

/// Runs side by side, as text.
pub fn comparison(comparison: &Comparison, style: &TerminalStyle) -> String {
    with_language(style.language, || terminal::comparison(comparison, style))
}

/// Several runs on one HTML page without any outside reference and without scripts. `sides` are those that `comparison`
/// was made from.
///
/// # Errors
/// Only by a fault of the templates or the chart library.
pub fn comparison_html(comparison: &Comparison, sides: &[Side<'_>], language: Language) -> Result<String, ReportError> {
    with_language(language, || page::render_comparison(comparison, sides))
}

/// The answer as Markdown, to stand inside a document: what to take and the stores in the phases that decide; in full also
/// sentences, a table a phase, cost beside time, durability, what did not count. Then the machine and the command.
pub fn markdown(
    answer: &Answer,
    run: &RunRecord,
    jobs: &[JobRecord],
    (language, detail): (Language, Detail),
) -> String {
    with_language(language, || markdown::text(answer, run, jobs, detail))
}

/// `document` with `result` between its marks `<!-- kurabe:result -->` and `<!-- /kurabe:result -->`; everything else
/// stays as it is. Marks with the name of the study, as in `<!-- kurabe:result crash -->`, come first.
///
/// # Errors
/// Where the marks are missing, stand twice or in the wrong order.
pub fn splice(document: &str, study: &str, result: &str) -> Result<String, SpliceError> {
    markdown::splice(document, study, result)
}

/// The answer as CSV (RFC 4180): a line a phase and candidate, raw figures with their units in the names of columns. It is
/// for programs, so it is English whatever the user reads.
///
/// # Errors
/// Only by a fault of the CSV writer.
pub fn csv(answer: &Answer) -> Result<String, ReportError> {
    with_language(Language::English, || csv::text(answer))
}

/// The answer as one HTML page without any outside reference and without scripts.
///
/// # Errors
/// Only by a fault of the templates or the chart library.
pub fn html(answer: &Answer, run: &RunRecord, jobs: &[JobRecord], language: Language) -> Result<String, ReportError> {
    // The page is about the configuration of the answer; only the axes are about all, and they are in the answer.
    let jobs: Vec<JobRecord> =
        jobs.iter().filter(|job| job.configuration == answer.at.configuration).cloned().collect();
    with_language(language, || page::render(answer, run, &jobs))
}
