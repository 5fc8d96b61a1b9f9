//! Kurabe's tables and the HTML report: how an answer is shown, on a terminal and as one page that opens offline.
//!
//! Both show the same tables with figures of the same module of numbers. Nothing is computed here that
//! is not in the [`Answer`]; records are read only for what was asked and found (settings, versions, the machine).
//! Text that comes from stores, users and logs is escaped by the template engine and by the chart library, and control
//! characters never reach a terminal.

mod charts;
mod csv;
mod growth_tables;
mod page;
mod tables;
mod terminal;

use kurabe_analysis::{Answer, Comparison};
use kurabe_record::{JobRecord, RunRecord};

pub use terminal::{Colour, TerminalStyle};

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The template engine refused.
    #[error("cannot fill the report's template: {0}; this is a fault of kurabe, please report it")]
    Template(#[from] minijinja::Error),
    /// The CSV writer refused.
    #[error("cannot write CSV: {0}; this is a fault of kurabe, please report it")]
    Csv(String),
    /// The chart library refused.
    #[error("cannot draw the chart '{chart}': {reason}; this is a fault of kurabe, please report it")]
    Chart {
        /// What the chart shows.
        chart: String,
        /// The library's message.
        reason: String,
    },
}

/// The answer as text: sentences first, then a table a phase, resources, and what did not count.
pub fn terminal(answer: &Answer, run: &RunRecord, style: &TerminalStyle) -> String {
    terminal::text(answer, run, style)
}

/// Runs side by side, as text.
pub fn comparison(comparison: &Comparison, style: &TerminalStyle) -> String {
    terminal::comparison(comparison, style)
}

/// The answer as CSV (RFC 4180): a line a phase and candidate, raw figures with their units in the names of columns.
///
/// # Errors
/// Only by a fault of the CSV writer.
pub fn csv(answer: &Answer) -> Result<String, ReportError> {
    csv::text(answer)
}

/// The answer as one HTML page without any outside reference and without scripts.
///
/// # Errors
/// Only by a fault of the templates or the chart library.
pub fn html(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> Result<String, ReportError> {
    // The page is about the size of the answer; only growth is about all sizes, and it is in the answer.
    let size = run.sizes().into_iter().find(|size| size.rows == answer.rows);
    match size.filter(|_| !run.smaller_sizes.is_empty()) {
        Some(size) => {
            let jobs: Vec<JobRecord> = jobs.iter().filter(|job| job.rows == size.rows).cloned().collect();
            page::render(answer, &run.at(&size), &jobs)
        }
        None => page::render(answer, run, jobs),
    }
}
