//! The answer as Markdown, for a README: it is put between two marks of a document, so that a document never shows
//! figures that nobody measured.

use std::ops::Range;

use kurabe_analysis::{Advice, Answer, Caution, Note, Sentence, phrases};
use kurabe_messages::{Item, Message, described, message};
use kurabe_record::{JobRecord, RunRecord};

use crate::axis_tables;
use crate::claims::{self, ClaimView, ContextView};
use crate::clients;
use crate::format;
use crate::headline;
use crate::page::facts;
use crate::plain::{cut, one_line};
use crate::tables::{self, Align, Column, Table, Tone};
use crate::terminal::Detail;
use crate::text::{Text, texts};

/// Why a result cannot be put into a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// A mark is not there.
    #[error("{}", message!(markdown_mark_missing, mark = .mark, begin = &.marks.begin, end = &.marks.end))]
    Missing {
        /// It.
        mark: String,
        /// Both.
        marks: Marks,
    },
    /// A mark is there more than once.
    #[error("{}", message!(markdown_mark_twice, mark = .0))]
    Twice(String),
    /// The end stands before the beginning.
    #[error("{}", message!(markdown_mark_order, begin = &.0.begin, end = &.0.end))]
    Order(Marks),
}

/// The lines of a document between which a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    begin: String,
    end: String,
}

impl Marks {
    /// Those for any study.
    fn for_any() -> Marks {
        Marks { begin: "<!-- kurabe:result -->".into(), end: "<!-- /kurabe:result -->".into() }
    }

    /// Those for one study, in a document with results of several.
    fn for_study(study: &str) -> Marks {
        Marks { begin: format!("<!-- kurabe:result {study} -->"), end: format!("<!-- /kurabe:result {study} -->") }
    }

    /// Where both stand: a line that holds nothing but the mark; without the end of the line.
    fn places(&self, document: &str) -> Result<[Range<usize>; 2], SpliceError> {
        let place = |mark: &String| {
            place_of(document, mark)?.ok_or_else(|| SpliceError::Missing { mark: mark.clone(), marks: self.clone() })
        };
        let [begin, end] = [place(&self.begin)?, place(&self.end)?];
        if end.start < begin.end { Err(SpliceError::Order(self.clone())) } else { Ok([begin, end]) }
    }
}

/// Columns of a ranking that a document shows; the rest is in the report.
fn ranking() -> [Message; 11] {
    [
        message!(word_rank_short),
        message!(word_candidate),
        message!(word_durability),
        message!(word_flushes_per_commit),
        message!(word_op_per_s),
        message!(word_of_best),
        message!(word_rows_per_s),
        message!(word_failed),
        message!(word_p50),
        message!(word_p99),
        message!(word_saturated),
    ]
}

/// Columns of the durability of stores.
fn durability() -> [Message; 6] {
    [
        message!(word_candidate),
        message!(word_durability),
        message!(word_loss_on_kill),
        message!(word_loss_on_power),
        message!(word_loss_window),
        message!(word_live_store),
    ]
}

pub(crate) fn splice(document: &str, study: &str, result: &str) -> Result<String, SpliceError> {
    let own = Marks::for_study(study);
    let has_own = place_of(document, &own.begin)?.is_some() || place_of(document, &own.end)?.is_some();
    let [begin, end] = if has_own { own } else { Marks::for_any() }.places(document)?;
    // What a run brings must not look like a mark, or the next splice would fail.
    let result = result.replace("kurabe:result", "kurabe: result");
    // Lines end as that of the mark does.
    let line_end = if document[begin.end..].starts_with("\r\n") { "\r\n" } else { "\n" };
    let result: String = result.trim_end().lines().map(|line| format!("{line}{line_end}")).collect();
    Ok(format!("{}{line_end}{result}{}", &document[..begin.end], &document[end.start..]))
}

fn place_of(document: &str, mark: &str) -> Result<Option<Range<usize>>, SpliceError> {
    let mut at = 0;
    let mut found = None;
    for line in document.split_inclusive('\n') {
        // Some editors begin a file with a byte order mark.
        let text = if at == 0 { line.trim_start_matches('\u{feff}') } else { line };
        if text.trim() == mark {
            if found.is_some() {
                return Err(SpliceError::Twice(mark.into()));
            }
            found = Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    Ok(found)
}

pub(crate) fn text(answer: &Answer, run: &RunRecord, jobs: &[JobRecord], detail: Detail) -> String {
    let mut out = TextOutput::default();
    match detail {
        Detail::Short => out.short(answer),
        Detail::Full => out.full(answer, run, jobs),
    }
    out.paragraph(&escaped(&measured_on(run).to_string()));
    out.text.push_str(&fenced(std::slice::from_ref(&run.command)));
    out.text
}

/// Commands to copy, out of which no text can break.
pub(crate) fn fenced(commands: &[String]) -> String {
    let line = |command: &String| format!("{}\n", one_line(&cut(command)).replace("```", "'''"));
    format!("```\n{}```\n", commands.iter().map(line).collect::<String>())
}

/// The columns that are named, and intervals.
fn columns(table: Table, titles: &[Message]) -> Table {
    tables::with_columns(table, |column| {
        column.title.is_interval() || titles.iter().any(|named| column.title.has(named))
    })
}

#[derive(Default)]
pub(crate) struct TextOutput {
    pub(crate) text: String,
}

impl TextOutput {
    /// What fits a screen: what to take, the stores in the phases that decide, and what a reader must know.
    fn short(&mut self, answer: &Answer) {
        self.paragraph(&format!("**{}**", escaped(&described(&answer.title).to_string())));
        self.advice(&answer.advice);
        self.table(&crate::matrix::table(answer));
        self.legend(answer);
        let risk = answer.sentences.iter().filter(|one| one.is_beside() || matches!(one, Sentence::Risk(_)));
        let beside = texts(answer.cautions.iter().map(Caution::message).chain(risk.flat_map(Sentence::messages)));
        self.list(beside.iter());
    }

    /// Everything.
    fn full(&mut self, answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) {
        let headlines = headline::headlines(answer, run);
        self.paragraph(&format!("**{}**", escaped(&described(&answer.title).to_string())));
        self.advice(&answer.advice);
        self.table(&crate::matrix::table(answer));
        self.legend(answer);
        self.paragraph(&escaped(&phrases::done(answer, run).to_string()));
        let beside = answer.cautions.iter().map(Caution::message).chain(answer.notes.iter().map(Note::message));
        self.list(texts(answer.messages().into_iter().chain(beside)).iter());
        if !headlines.is_empty() {
            self.table(&headline::table(&headlines));
        }
        for phase in answer.phases.iter().filter(|phase| phase.deciding) {
            self.heading(phase.name.clone());
            self.table(&columns(tables::phase(phase, headline::is_steady(answer)), &ranking()));
        }
        self.claims(answer);
        for store in clients::shown(answer) {
            self.heading(clients::title(store));
            self.table(&clients::table(store));
        }
        if let Some(settings) = axis_tables::settings(answer) {
            self.heading(message!(word_durability_settings));
            self.table(&settings);
            self.paragraph(&message!(word_same_setting).to_string());
        }
        for axis in axis_tables::shown(answer).filter(|axis| axis.deciding) {
            self.heading(axis_tables::title(axis));
            self.table(&axis_tables::table(axis));
        }
        if !answer.actions.is_empty() {
            self.heading(message!(word_actions));
            self.table(&tables::actions(answer));
        }
        self.heading(message!(word_resources));
        self.table(&tables::resources(answer));
        self.heading(message!(word_durability));
        self.table(&columns(facts::durability(answer, run, jobs), &durability()));
        if !answer.not_counted.is_empty() {
            self.heading(message!(word_not_counted));
            // The end of a log stays in the report.
            let first_line = |text: String| text.lines().next().unwrap_or_default().to_string();
            let line = |entry| first_line(tables::not_counted(entry).to_string());
            let lines: Vec<String> = answer.not_counted.iter().map(line).collect();
            self.list(lines.iter());
        }
    }

    /// What to take, why, and unless what.
    fn advice(&mut self, advice: &Advice) {
        let about = advice.about.as_ref().map(|about| format!(" {}", escaped(&about.to_string()))).unwrap_or_default();
        self.paragraph(&format!("**{}**{about}", escaped(&advice.headline.to_string())));
        for (word, items) in [(&advice.why, &advice.because), (&message!(word_unless), &advice.unless)] {
            if !items.is_empty() {
                self.paragraph(&format!("*{word}*"));
                self.list(texts(items.iter().cloned()).iter());
            }
        }
    }

    /// What the cells of the table of stores by phases mean.
    fn legend(&mut self, answer: &Answer) {
        let legend = texts(crate::matrix::legend(answer));
        if !legend.is_empty() {
            self.paragraph(&legend.join("\n"));
        }
    }

    /// Claims with their verdicts, the source's tables and what pitfalls did.
    fn claims(&mut self, answer: &Answer) {
        let replications = claims::replications(answer);
        if !replications.is_empty() {
            self.heading(message!(word_replication));
            self.list(replications.iter());
        }
        self.verdicts(answer);
        for one in claims::tables(answer) {
            self.paragraph(&format!("**{}**: {}", escaped(&one.title.to_string()), escaped(&one.subtitle)));
            self.table(&one.table);
        }
        for pitfall in claims::pitfalls(answer, claims::PitfallRows::All) {
            self.paragraph(&format!("**{}**: {}", escaped(&pitfall.name), escaped(&pitfall.says.to_string())));
            self.list(pitfall.sentences.iter());
            self.table(&pitfall.table);
        }
    }

    /// Each claim with its verdicts.
    pub(crate) fn verdicts(&mut self, answer: &Answer) {
        if let Some(judged) = &answer.claims {
            self.heading(message!(word_claims));
            let summary = judged.summary();
            let summary =
                judged.source().map_or(summary.clone(), |source| message!(markdown_claims_of, summary, source));
            self.paragraph(&escaped(&summary.to_string()));
            let row = |claim: &ClaimView| {
                let found = |one: &ContextView| -> Text {
                    let found = match &one.stand_ins {
                        Some(stand_ins) => {
                            message!(claim_instead, found = one.telling.clone(), stand_ins = stand_ins.to_string())
                        }
                        None => one.telling.clone(),
                    };
                    match one.context.is_empty() {
                        true => found.into(),
                        false => message!(table_among, among = [&one.context], about = found).into(),
                    }
                };
                let contexts = claim.contexts.iter().map(|one| (one.verdict.clone(), found(one)));
                let none = claim.not_judged.iter().map(|why| (message!(word_not_judged).into(), why.clone()));
                let by_fact = claim.by_fact.iter().map(|fact| (fact.verdict.clone(), fact.fact.clone()));
                let none = none.chain(by_fact);
                let rows: Vec<Vec<Text>> = contexts
                    .chain(none)
                    .enumerate()
                    .map(|(at, (verdict, found))| {
                        let says = if at == 0 { claim.says.clone() } else { Text::default() };
                        vec![says, verdict, found]
                    })
                    .collect();
                rows
            };
            let rows: Vec<Vec<Text>> = claims::views(judged).iter().flat_map(row).collect();
            self.table(&Table::texts(
                [message!(word_claim), message!(word_verdict), message!(word_finding)],
                rows.into_iter(),
            ));
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    fn heading(&mut self, name: impl Into<Text>) {
        self.paragraph(&format!("**{}**", escaped(&name.into().to_string())));
    }

    pub(crate) fn list<'a>(&mut self, items: impl Iterator<Item = &'a String>) {
        for item in items {
            self.text.push_str(&format!("- {}\n", escaped(item)));
        }
        self.text.push('\n');
    }

    fn table(&mut self, table: &Table) {
        let shown = |text: &Text| escaped(&text.to_string());
        let titles: Vec<String> = table.columns.iter().map(|column| shown(&column.title)).collect();
        let rules: Vec<&str> =
            table.columns.iter().map(|one| if one.align == Align::Right { "---:" } else { "---" }).collect();
        let mut text = format!("| {} |\n|{}|\n", titles.join(" | "), rules.join("|"));
        for row in &table.rows {
            let cell = |(cell, column): (&Text, &Column)| {
                let is_name = column.title.is(&message!(word_candidate)) && row.tone == Tone::Lead;
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

/// The machine of a run, and that its command follows.
pub(crate) fn measured_on(run: &RunRecord) -> Message {
    message!(markdown_measured_on, facts = machine_facts(run))
}

/// The machine of a run, and when it ran.
pub(crate) fn machine_facts(run: &RunRecord) -> Vec<Item> {
    let (machine, device) = (&run.machine, &run.device);
    [
        machine.cpu_model.as_ref().map(Item::from),
        Some(message!(markdown_cores, usable = machine.usable_cores, cores = machine.cores).into()),
        machine.quota_words().map(|quota| message!(markdown_quota, quota).into()),
        machine.memory_bytes.map(|bytes| format::size(bytes as f64).into()),
        Some(format!("{} {}", machine.kernel_release, machine.architecture).into()),
        machine.virtualisation.as_ref().map(Item::from),
        Some(Item::from(&device.file_system)),
        Some(message!(markdown_fdatasync, time = device.fdatasync_ns_p50).into()),
        Some(format!("kurabe {}", run.kurabe).into()),
        Some(Item::from(&run.started_at)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "<!-- kurabe:result -->";
    const END: &str = "<!-- /kurabe:result -->";

    fn spliced(document: &str, result: &str) -> Result<String, SpliceError> {
        splice(document, "quick", result)
    }

    #[test]
    fn a_result_replaces_what_stands_between_the_marks_and_nothing_else() {
        let document = format!("a\n{BEGIN}\nold\n{END}\nb");
        let once = spliced(&document, "new\n").unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n{END}\nb"));
        assert_eq!(spliced(&once, "new\n").unwrap(), once, "the same result changes nothing");
    }

    #[test]
    fn a_document_may_hold_the_results_of_several_studies() {
        let (begin, end) = ("<!-- kurabe:result crash -->", "<!-- /kurabe:result crash -->");
        let document = format!("{begin}\n{end}\n{BEGIN}\n{END}\n");
        let of_crash = splice(&document, "crash", "killed").unwrap();
        assert_eq!(of_crash, format!("{begin}\nkilled\n{end}\n{BEGIN}\n{END}\n"));
        let both = spliced(&of_crash, "fast").unwrap();
        assert_eq!(both, format!("{begin}\nkilled\n{end}\n{BEGIN}\nfast\n{END}\n"));
        let unended = splice(&format!("{begin}\n{BEGIN}\n{END}\n"), "crash", "killed").unwrap_err();
        assert!(unended.to_string().contains(end), "{unended}");
    }

    #[test]
    fn a_mark_may_stand_behind_a_byte_order_mark() {
        let document = format!("\u{feff}{BEGIN}\nold\n{END}\n");
        assert_eq!(spliced(&document, "new\n").unwrap(), format!("\u{feff}{BEGIN}\nnew\n{END}\n"));
    }

    #[test]
    fn a_result_takes_the_ends_of_lines_of_its_document() {
        let document = format!("a\r\n{BEGIN}\r\nold\r\n{END}\r\nb");
        let once = spliced(&document, "new\n\nand more\n").unwrap();
        assert_eq!(once, format!("a\r\n{BEGIN}\r\nnew\r\n\r\nand more\r\n{END}\r\nb"));
        assert_eq!(spliced(&once, "new\n\nand more\n").unwrap(), once, "the same result changes nothing");
    }

    #[test]
    fn a_document_without_its_marks_is_refused_in_words() {
        let error = |document: String| spliced(&document, "new").unwrap_err();
        let missing = |mark: &str| SpliceError::Missing { mark: mark.into(), marks: Marks::for_any() };
        assert_eq!(error("a".into()), missing(BEGIN));
        assert_eq!(error(format!("{BEGIN}\n")), missing(END));
        assert_eq!(error(format!("see {BEGIN}\n{END}\n")), missing(BEGIN));
        assert_eq!(error(format!("{BEGIN}\n{END}\n{BEGIN}\n")), SpliceError::Twice(BEGIN.into()));
        assert_eq!(error(format!("{END}\n{BEGIN}\n")), SpliceError::Order(Marks::for_any()));
        assert!(error("a".into()).to_string().contains("put the lines"), "the way out is named");
    }

    #[test]
    fn what_a_run_brings_never_looks_like_a_mark() {
        let document = format!("{BEGIN}\n{END}\n");
        let once = spliced(&document, END).unwrap();
        assert!(spliced(&once, "again").is_ok(), "{once}");
    }

    #[test]
    fn text_of_stores_and_users_is_no_markup() {
        assert_eq!(escaped("a|b <i> *c* `d` [e]\n"), "a\\|b &lt;i&gt; \\*c\\* \\`d\\` \\[e\\] ");
        assert_eq!(escaped("\u{1b}[1m\u{202e}"), "\\\\u{1b}\\[1m\\\\u{202e}", "what would act is seen");
    }
}
