//! Claims with their verdicts, published figures beside ours, and what pitfalls did: the texts that terminal, page and
//! Markdown share.

use kurabe_analysis::format::{self, NONE, significant};
use kurabe_analysis::{
    Answer, ClaimAnswer, ClaimJudgement, ClaimVerdict, ClaimsAnswer, Figure, Finding, OurCell, OurTable, PitfallAnswer,
    PitfallEffect, PitfallPhase,
};
use kurabe_messages::{Language, Message, message};
use kurabe_record::{Metric, MetricUnit, PublishedUnit};
use serde::Serialize;

use crate::tables::{Align, Table, Tone, figure_of, to};
use crate::words::{Text, Word};

/// Findings of one judgement that a terminal shows.
const SHOWN_FINDINGS: usize = 3;

/// A claim as it is shown.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ClaimView {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) contexts: Vec<ContextView>,
    pub(crate) not_measured: Option<String>,
}

/// What became of it in one binding and at one minimum durability.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ContextView {
    /// Empty where there is one context.
    pub(crate) context: String,
    pub(crate) verdict: Word,
    /// A word for style sheets.
    pub(crate) class: &'static str,
    /// What tells, at most three.
    pub(crate) telling: Vec<String>,
    /// Everything.
    pub(crate) findings: Vec<String>,
    pub(crate) way_out: Option<String>,
}

pub(crate) fn views(claims: &ClaimsAnswer, language: Language) -> Vec<ClaimView> {
    claims.claims.iter().map(|claim| view(claim, language)).collect()
}

fn view(claim: &ClaimAnswer, language: Language) -> ClaimView {
    ClaimView {
        name: claim.name.clone(),
        says: claim.says.clone(),
        contexts: claim.judgements.iter().map(|one| context(one, language)).collect(),
        not_measured: claim.not_measured.clone(),
    }
}

fn context(one: &ClaimJudgement, language: Language) -> ContextView {
    let found = |finding: &Finding| finding.message().text(language);
    ContextView {
        context: one.context().map(|context| context.text(language)).unwrap_or_default(),
        verdict: one.verdict.into(),
        class: match one.verdict {
            ClaimVerdict::Holds => "holds",
            ClaimVerdict::Refuted => "refuted",
            ClaimVerdict::Open => "open",
            ClaimVerdict::NotComparable => "not-comparable",
        },
        telling: telling(one).into_iter().map(found).collect(),
        findings: one.findings.iter().map(found).collect(),
        way_out: one.settle.as_ref().map(|settle| settle.message().text(language)),
    }
}

/// The statements that decide, or that keep it from being decided; of many the nearest.
fn telling(one: &ClaimJudgement) -> Vec<&Finding> {
    let mut telling: Vec<&Finding> = one.findings.iter().filter(|finding| finding.verdict == one.verdict).collect();
    if telling.is_empty() {
        telling = one.findings.iter().collect();
    }
    let distance = |finding: &&Finding| finding.figure.map_or(0.0, |figure| figure.value.abs().max(1e-9).ln().abs());
    telling.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    telling.truncate(SHOWN_FINDINGS);
    telling
}

/// A published table with ours beside each figure.
pub(crate) fn published(table: &OurTable) -> Table {
    let mut shown = Table::of_rows(table.rows.iter().map(|_| Tone::Plain));
    shown.add(String::new(), Align::Left, 0, table.rows.iter().map(|row| row.name.clone()));
    for (at, column) in table.columns.iter().enumerate() {
        let cells = || table.rows.iter().map(|row| &row.cells[at]);
        shown.add(
            Text::from(column.clone()).then(Word::Theirs),
            Align::Right,
            0,
            cells().map(|cell| theirs(table.unit, cell)),
        );
        // Of some columns nothing of ours is the same.
        if cells().any(|cell| cell.ours.is_some() || cell.missing.is_some()) {
            shown.add(
                Text::from(column.clone()).then(Word::Ours),
                Align::Right,
                0,
                cells().map(|cell| ours(table.unit, cell)),
            );
        }
    }
    shown
}

/// What stands above such a table.
fn published_subtitle(table: &OurTable) -> Message {
    let conditions = &table.conditions;
    match table.unit {
        PublishedUnit::PerSecond => message!(claim_published_more, conditions),
        _ => message!(claim_published_less, conditions),
    }
}

fn theirs(unit: PublishedUnit, cell: &OurCell) -> String {
    let Some(value) = cell.theirs else { return NONE.to_string() };
    format!("{}{}", amount(unit, value), beside(cell.theirs_to_winner))
}

fn ours(unit: PublishedUnit, cell: &OurCell) -> Text {
    match (&cell.ours, &cell.missing) {
        (Some(figure), _) => {
            let spread = figure
                .interval
                .map(|range| format!(" {}", format::interval(figure.value, range.low, range.high, plain)));
            let spread = spread.filter(|text| text.contains('±')).map(Text::from);
            Text::from(amount(unit, figure.value))
                .then(spread.unwrap_or_else(|| range(unit, figure)))
                .then(beside(cell.ours_to_winner.map(|figure| figure.value)))
        }
        (None, Some(unknown)) => Word::from(unknown).into(),
        (None, None) => Text::none(),
    }
}

fn plain(value: f64) -> String {
    significant(value, 3)
}

fn range(unit: PublishedUnit, figure: &Figure) -> Text {
    figure
        .interval
        .map(|range| Text::from(" (".to_string()).then(to(amount(unit, range.low), amount(unit, range.high))))
        .unwrap_or_default()
}

fn beside(ratio: Option<f64>) -> String {
    ratio.map(|ratio| format!(", {}×", significant(ratio, 3))).unwrap_or_default()
}

fn amount(unit: PublishedUnit, value: f64) -> String {
    match unit {
        PublishedUnit::Seconds => format::duration(value * 1e9),
        PublishedUnit::Milliseconds => format::duration(value * 1e6),
        PublishedUnit::MinutesSeconds if value < 60.0 => format::duration(value * 1e9),
        PublishedUnit::MinutesSeconds => format!("{}:{:02}", value as u64 / 60, value as u64 % 60),
        PublishedUnit::PerSecond => format!("{}/s", significant(value, 4)),
        PublishedUnit::Times => significant(value, 3),
        PublishedUnit::Bytes => format::size(value),
    }
}

/// What a pitfall did to each candidate.
pub(crate) fn pitfall(pitfall: &PitfallAnswer) -> Table {
    let several = pitfall.phases.iter().any(|phase| phase.at.configuration != pitfall.phases[0].at.configuration);
    let rows: Vec<(&PitfallPhase, &PitfallEffect)> =
        pitfall.phases.iter().flat_map(|phase| phase.effects.iter().map(move |effect| (phase, effect))).collect();
    let tone = |effect: &PitfallEffect| if effect.is_seen() { Tone::Lead } else { Tone::Plain };
    let mut table = Table::of_rows(rows.iter().map(|(_, effect)| tone(effect)));
    let are_rates = pitfall.phases.iter().all(|phase| phase.metric == Metric::Rate);
    let at = |phase: &PitfallPhase| {
        let by = if phase.metric == Metric::Rate { String::new() } else { format!(" by {}", phase.metric) };
        let level = if several { format!(" at {}", kurabe_analysis::english::at(&phase.at)) } else { String::new() };
        format!("{}{by}{level}{}", phase.phase, if phase.per_row { " (rows)" } else { "" })
    };
    table.add(Word::Phase, Align::Left, 0, rows.iter().map(|(phase, _)| at(phase)));
    table.add(Word::Candidate, Align::Left, 0, rows.iter().map(|(_, effect)| effect.candidate.clone()));
    let titles = if are_rates { [Word::WithoutPerS, Word::WithItPerS] } else { [Word::Without, Word::WithIt] };
    // Beside figures of other units a rate needs its own.
    let show = |phase: &PitfallPhase, value: f64| match phase.metric.unit() {
        MetricUnit::PerSecond if !are_rates => format!("{}/s", format::rate(value)),
        _ => figure_of(phase.metric, value),
    };
    let cell = |phase: &PitfallPhase, figure: Option<Figure>| {
        figure.map_or_else(|| NONE.to_string(), |figure| show(phase, figure.value))
    };
    table.add(titles[0], Align::Right, 1, rows.iter().map(|(phase, effect)| cell(phase, effect.corrected)));
    table.add(titles[1], Align::Right, 1, rows.iter().map(|(phase, effect)| cell(phase, effect.with_pitfall)));
    table.add(Word::Becomes, Align::Right, 0, rows.iter().map(|(_, effect)| becomes(effect)));
    let of_winner = |effect: &PitfallEffect| match effect.to_winner {
        Some((before, after)) => format!("{} → {}", format::ratio(before.value), format::ratio(after.value)),
        None => String::new(),
    };
    table.add(Word::OfTheWinner, Align::Right, 2, rows.iter().map(|(_, effect)| of_winner(effect)));
    table
}

fn becomes(effect: &PitfallEffect) -> Text {
    match (&effect.reason, effect.change) {
        (Some(_), _) => Word::DoesNotCount.into(),
        (None, Some(change)) => {
            let range = change.interval.map(|range| {
                Text::from(" (".to_string()).then(to(format::ratio(range.low), format::ratio(range.high)))
            });
            let less = if effect.keeps_less.is_some() { Word::KeepsLess.into() } else { Text::default() };
            Text::from(format!("{}×", format::ratio(change.value))).then(range.unwrap_or_default()).then(less)
        }
        (None, None) => Text::none(),
    }
}

/// A pitfall with its sentences and its table, for pages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PitfallView {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) sentences: Vec<String>,
    pub(crate) table: Table,
}

pub(crate) fn pitfalls(answer: &Answer, language: Language) -> Vec<PitfallView> {
    let view = |one: &PitfallAnswer| PitfallView {
        name: one.name.clone(),
        says: one.says.clone(),
        sentences: one.messages().iter().map(|one| one.text(language)).collect(),
        table: pitfall(one),
    };
    answer.pitfalls.iter().map(view).collect()
}

/// A published table for pages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PublishedView {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) table: Table,
}

pub(crate) fn tables(answer: &Answer, language: Language) -> Vec<PublishedView> {
    let view = |one: &OurTable| PublishedView {
        title: one.title.clone(),
        subtitle: published_subtitle(one).text(language),
        table: published(one),
    };
    answer.published.iter().map(view).collect()
}
