//! The answer as Markdown, for a README: it is put between two marks of a document, so that a document never shows
//! figures that nobody measured.

use kurabe_analysis::english::done;
use kurabe_analysis::format;
use kurabe_analysis::{Answer, Said, Sentence};
use kurabe_messages::Language;
use kurabe_record::{JobRecord, RunRecord};

use crate::axis_tables;
use crate::claims::{self, ClaimView};
use crate::clients;
use crate::headline;
use crate::japanese;
use crate::page::facts;
use crate::plain::{cut, one_line};
use crate::tables::{self, Align, Column, Table, Tone};
use crate::terminal::Detail;
use crate::words::{Text, Word};

/// Why a result cannot be put into a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// A mark is not there.
    #[error("it has no line '{0}'; put the lines '{BEGIN}' and '{END}' where the result is to stand")]
    Missing(&'static str),
    /// A mark is there more than once.
    #[error("it has the line '{0}' more than once; one place is needed, take the others out")]
    Twice(&'static str),
    /// The end stands before the beginning.
    #[error("'{END}' stands before '{BEGIN}'; turn them round")]
    Order,
}

const BEGIN: &str = "<!-- kurabe:result -->";
const END: &str = "<!-- /kurabe:result -->";

/// Columns of a ranking that a document shows; the rest is in the report.
const RANKING: [Word; 11] = [
    Word::Rank,
    Word::Candidate,
    Word::Durability,
    Word::FlushesPerCommit,
    Word::OpPerS,
    Word::OfBest,
    Word::RowsPerS,
    Word::Failed,
    Word::P50,
    Word::P99,
    Word::Limit,
];

/// Columns of the durability of stores in English; where the loss is told in the store's own words, English readers have it.
const DURABILITY: [Word; 6] =
    [Word::Candidate, Word::Durability, Word::LostByKill, Word::LostByPower, Word::CanBeLost, Word::LiveStore];

pub(crate) fn splice(document: &str, result: &str) -> Result<String, SpliceError> {
    let begin = place_of(document, BEGIN)?;
    let end = place_of(document, END)?;
    if end.start < begin.end {
        return Err(SpliceError::Order);
    }
    // What a run brings must not look like a mark, or the next splice would fail.
    let result = result.replace("kurabe:result", "kurabe: result");
    // Lines end as that of the mark does.
    let line_end = if document[begin.end..].starts_with("\r\n") { "\r\n" } else { "\n" };
    let result: String = result.trim_end().lines().map(|line| format!("{line}{line_end}")).collect();
    Ok(format!("{}{line_end}{result}{}", &document[..begin.end], &document[end.start..]))
}

/// Where a line stands that holds nothing but the mark; without the end of the line.
fn place_of(document: &str, mark: &'static str) -> Result<std::ops::Range<usize>, SpliceError> {
    let mut at = 0;
    let mut found = None;
    for line in document.split_inclusive('\n') {
        // Some editors begin a file with a byte order mark.
        let text = if at == 0 { line.trim_start_matches('\u{feff}') } else { line };
        if text.trim() == mark {
            if found.is_some() {
                return Err(SpliceError::Twice(mark));
            }
            found = Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    found.ok_or(SpliceError::Missing(mark))
}

pub(crate) fn text(
    answer: &Answer,
    run: &RunRecord,
    jobs: &[JobRecord],
    (language, detail): (Language, Detail),
) -> String {
    let mut out = Out::new(language);
    match detail {
        Detail::Short => out.short(answer),
        Detail::Full => out.full(answer, run, jobs),
    }
    out.paragraph(&escaped(&machine(run, language)));
    out.text.push_str(&fenced(&run.command));
    out.text
}

/// A command to copy, out of which no text can break.
pub(crate) fn fenced(command: &str) -> String {
    format!("```\n{}\n```\n", one_line(&cut(command)).replace("```", "'''"))
}

/// The columns that are named, and intervals.
fn columns(table: Table, titles: &[Word]) -> Table {
    tables::with_columns(table, |column| {
        column.title.is_interval() || titles.iter().any(|named| column.title.has(*named))
    })
}

pub(crate) struct Out {
    pub(crate) text: String,
    language: Language,
}

impl Out {
    /// What fits a screen: what to take, the stores in the phases that decide, and what a reader must know.
    fn short(&mut self, answer: &Answer) {
        self.paragraph(&format!("**{}**", escaped(&answer.title)));
        let risk = answer.sentences.iter().filter(|one| one.is_beside() || matches!(one, Sentence::Risk(_)));
        let cautions = answer.cautions.iter().map(|one| one.message().text(self.language));
        let (said, beside) = match self.language {
            Language::English => {
                (answer.recommendation.said.clone(), cautions.chain(risk.map(Sentence::words)).collect::<Vec<String>>())
            }
            Language::Japanese => (
                japanese::recommendation(&answer.recommendation),
                cautions.chain(risk.flat_map(japanese::sentence)).collect(),
            ),
        };
        self.recommendation(&said);
        self.table(&crate::matrix::table(answer));
        let legend = match self.language {
            Language::English => crate::matrix::legend(answer),
            Language::Japanese => japanese::matrix_legend(answer),
        };
        if !legend.is_empty() {
            self.paragraph(&legend);
        }
        self.list(beside.iter());
    }

    /// Everything.
    fn full(&mut self, answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) {
        let headlines = headline::headlines(answer, run);
        let language = self.language;
        let notes = answer.notes.iter().map(|note| note.message().text(language));
        let beside: Vec<String> = answer.cautions.iter().map(|one| one.message().text(language)).chain(notes).collect();
        self.paragraph(&format!("**{}**", escaped(&answer.title)));
        match self.language {
            Language::English => {
                self.recommendation(&answer.recommendation.said);
                self.table(&crate::matrix::table(answer));
                self.paragraph(&escaped(&done(answer, run)));
                let sentences: Vec<String> = answer.sentences.iter().map(Sentence::words).collect();
                self.list(sentences.iter().chain(&beside));
                if !headlines.is_empty() {
                    self.table(&headline::table(&headlines));
                }
            }
            Language::Japanese => {
                self.recommendation(&japanese::recommendation(&answer.recommendation));
                self.table(&crate::matrix::table(answer));
                let sentences = japanese::sentences(answer, run);
                self.list(sentences.iter().chain(&beside));
            }
        }
        for phase in answer.phases.iter().filter(|phase| phase.deciding) {
            self.heading(phase.name.clone());
            self.table(&columns(tables::phase(phase, headline::is_steady(answer)), &RANKING));
        }
        self.claims(answer);
        for store in clients::shown(answer) {
            self.heading(clients::title(store));
            self.table(&clients::table(store));
        }
        if let Some(settings) = axis_tables::settings(answer) {
            self.heading(Word::SettingsOverDurability);
            self.table(&settings);
            self.paragraph(Word::SettingsRepeat.of(self.language));
        }
        for axis in axis_tables::shown(answer).filter(|axis| axis.deciding) {
            self.heading(axis_tables::title(axis));
            self.table(&axis_tables::table(axis));
        }
        if !answer.actions.is_empty() {
            self.heading(Word::AmidPhases);
            self.table(&tables::amid(answer));
        }
        self.heading(Word::CostBesideTime);
        self.table(&tables::resources(answer));
        let durability = facts::durability(answer, run, jobs);
        self.heading(Word::Durability);
        let shown = match self.language {
            Language::English => DURABILITY.to_vec(),
            Language::Japanese => DURABILITY.into_iter().filter(|word| *word != Word::CanBeLost).collect(),
        };
        self.table(&columns(durability, &shown));
        if !answer.not_counted.is_empty() {
            self.heading(Word::WhatDidNotCount);
            let line = |entry: &kurabe_analysis::NotCounted| {
                let phases =
                    if entry.phases.is_empty() { String::new() } else { format!(" ({})", entry.phases.join(", ")) };
                let why = match self.language {
                    Language::English => entry.why.words(),
                    Language::Japanese => japanese::why_not(&entry.why),
                };
                // The end of a log stays in the report.
                format!("{}{phases}: {}", entry.candidate, why.lines().next().unwrap_or_default())
            };
            let lines: Vec<String> = answer.not_counted.iter().map(line).collect();
            self.list(lines.iter());
        }
    }

    /// What to take, why, and unless what.
    fn recommendation(&mut self, said: &Said) {
        let about = said.about.as_ref().map(|about| format!(" {}", escaped(about))).unwrap_or_default();
        self.paragraph(&format!("**{}**{about}", escaped(&said.headline)));
        let unless = Word::Unless.of(self.language);
        for (word, items) in [(said.why.as_str(), &said.because), (unless, &said.unless)] {
            if !items.is_empty() {
                self.paragraph(&format!("*{word}*"));
                self.list(items.iter());
            }
        }
    }

    pub(crate) fn new(language: Language) -> Out {
        Out { text: String::new(), language }
    }

    /// Claims with their verdicts, the source's tables and what pitfalls did.
    fn claims(&mut self, answer: &Answer) {
        self.verdicts(answer);
        for one in claims::tables(answer, self.language) {
            self.paragraph(&format!("**{}**: {}", escaped(&one.title), escaped(&one.subtitle)));
            self.table(&one.table);
        }
        for pitfall in claims::pitfalls(answer, self.language) {
            self.paragraph(&format!("**{}**: {}", escaped(&pitfall.name), escaped(&pitfall.says)));
            self.list(pitfall.sentences.iter());
            self.table(&pitfall.table);
        }
    }

    /// Each claim with its verdicts.
    pub(crate) fn verdicts(&mut self, answer: &Answer) {
        if let Some(judged) = &answer.claims {
            self.heading(Word::Claims);
            let source = judged.source().map(|source| format!(" ({})", source.text(self.language)));
            let summary = judged.summary().text(self.language);
            self.paragraph(&escaped(&format!("{summary}{}", source.unwrap_or_default())));
            let row = |claim: &ClaimView| {
                let contexts = claim.contexts.iter().map(|one| match one.context.is_empty() {
                    true => (one.verdict, one.telling.join("; ")),
                    false => (one.verdict, format!("{}: {}", one.context, one.telling.join("; "))),
                });
                let none = claim.not_measured.iter().map(|why| (Word::NotMeasured, why.clone()));
                let rows: Vec<Vec<Text>> = contexts
                    .chain(none)
                    .enumerate()
                    .map(|(at, (verdict, found))| {
                        let says = if at == 0 { claim.says.clone() } else { String::new() };
                        vec![says.into(), verdict.into(), found.into()]
                    })
                    .collect();
                rows
            };
            let rows: Vec<Vec<Text>> = claims::views(judged, self.language).iter().flat_map(row).collect();
            self.table(&Table::texts([Word::Claim, Word::Verdict, Word::WhatWasFound], rows.into_iter()));
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    fn heading(&mut self, name: impl Into<Text>) {
        self.paragraph(&format!("**{}**", escaped(&name.into().of(self.language))));
    }

    pub(crate) fn list<'a>(&mut self, items: impl Iterator<Item = &'a String>) {
        for item in items {
            self.text.push_str(&format!("- {}\n", escaped(item)));
        }
        self.text.push('\n');
    }

    fn table(&mut self, table: &Table) {
        let shown = |text: &Text| escaped(&text.of(self.language));
        let titles: Vec<String> = table.columns.iter().map(|column| shown(&column.title)).collect();
        let rules: Vec<&str> =
            table.columns.iter().map(|one| if one.align == Align::Right { "---:" } else { "---" }).collect();
        let mut text = format!("| {} |\n|{}|\n", titles.join(" | "), rules.join("|"));
        for row in &table.rows {
            let cell = |(cell, column): (&Text, &Column)| {
                let is_name = column.title.is(Word::Candidate) && row.tone == Tone::Lead;
                if is_name { format!("**{}**", shown(cell)) } else { shown(cell) }
            };
            let cells: Vec<String> = row.cells.iter().zip(&table.columns).map(cell).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        self.text.push_str(&text);
        self.text.push('\n');
    }
}

/// One line, with nothing that Markdown or HTML would take for its own.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_blank = |c: char| matches!(c, '\n' | '\r' | '\t');
    for c in one_line(&cut(text).replace(is_blank, " ")).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '*' | '`' | '[' | ']' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

pub(crate) fn machine(run: &RunRecord, language: Language) -> String {
    let (machine, device) = (&run.machine, &run.device);
    let facts: Vec<String> = [
        machine.cpu_model.clone(),
        Some(match language {
            Language::English => format!("{} of {} cores", machine.usable_cores, machine.cores),
            Language::Japanese => format!("{} コア（全 {}）", machine.usable_cores, machine.cores),
        }),
        machine.quota_words().map(|quota| match language {
            Language::English => format!("CPU quota {quota}"),
            Language::Japanese => format!("CPU の割り当て {quota}"),
        }),
        machine.memory_bytes.map(|bytes| format::size(bytes as f64)),
        Some(format!("{} {}", machine.kernel_release, machine.architecture)),
        machine.virtualisation.clone(),
        Some(device.file_system.clone()),
        Some(format!("fdatasync {}", format::duration(device.fdatasync_ns_p50 as f64))),
        Some(format!("kurabe {}", run.kurabe)),
        Some(run.started_at.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    match language {
        Language::English => format!("Measured on: {}. To repeat it:", facts.join(", ")),
        Language::Japanese => format!("測定環境: {}。同じ測定をもう一度するには:", facts.join("、")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_replaces_what_stands_between_the_marks_and_nothing_else() {
        let document = format!("a\n{BEGIN}\nold\n{END}\nb");
        let once = splice(&document, "new\n").unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n{END}\nb"));
        assert_eq!(splice(&once, "new\n").unwrap(), once, "the same result changes nothing");
    }

    #[test]
    fn a_mark_may_stand_behind_a_byte_order_mark() {
        let document = format!("\u{feff}{BEGIN}\nold\n{END}\n");
        assert_eq!(splice(&document, "new\n").unwrap(), format!("\u{feff}{BEGIN}\nnew\n{END}\n"));
    }

    #[test]
    fn a_result_takes_the_ends_of_lines_of_its_document() {
        let document = format!("a\r\n{BEGIN}\r\nold\r\n{END}\r\nb");
        let once = splice(&document, "new\n\nand more\n").unwrap();
        assert_eq!(once, format!("a\r\n{BEGIN}\r\nnew\r\n\r\nand more\r\n{END}\r\nb"));
        assert_eq!(splice(&once, "new\n\nand more\n").unwrap(), once, "the same result changes nothing");
    }

    #[test]
    fn a_document_without_its_marks_is_refused_in_words() {
        let error = |document: String| splice(&document, "new").unwrap_err();
        assert_eq!(error("a".into()), SpliceError::Missing(BEGIN));
        assert_eq!(error(format!("{BEGIN}\n")), SpliceError::Missing(END));
        assert_eq!(error(format!("see {BEGIN}\n{END}\n")), SpliceError::Missing(BEGIN));
        assert_eq!(error(format!("{BEGIN}\n{END}\n{BEGIN}\n")), SpliceError::Twice(BEGIN));
        assert_eq!(error(format!("{END}\n{BEGIN}\n")), SpliceError::Order);
        assert!(error("a".into()).to_string().contains("put the lines"), "the way out is told");
    }

    #[test]
    fn what_a_run_brings_never_looks_like_a_mark() {
        let document = format!("{BEGIN}\n{END}\n");
        let spliced = splice(&document, END).unwrap();
        assert!(splice(&spliced, "again").is_ok(), "{spliced}");
    }

    #[test]
    fn text_of_stores_and_users_is_no_markup() {
        assert_eq!(escaped("a|b <i> *c* `d` [e]\n"), "a\\|b &lt;i&gt; \\*c\\* \\`d\\` \\[e\\] ");
        assert_eq!(escaped("\u{1b}[1m\u{202e}"), "\\\\u{1b}\\[1m\\\\u{202e}", "what would act is seen");
    }
}
