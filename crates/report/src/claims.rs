//! Claims with their verdicts, published figures beside ours, and what pitfalls did: the texts that terminal, page and
//! Markdown share.

use kurabe_analysis::{
    Answer, ClaimAnswer, ClaimJudgement, ClaimVerdict, ClaimsAnswer, Figure, Finding, OurCell, OurTable, PitfallAnswer,
    PitfallEffect, PitfallPhase, phrases,
};
use kurabe_messages::{Item, Message, described, message};
use kurabe_record::{Metric, MetricUnit, PublishedUnit};
use serde::Serialize;

use crate::format::{self, NONE, significant};
use crate::tables::{Align, Table, Tone, factor, figure_of};
use crate::text::{Text, in_current_language, texts};
use crate::words;

/// Findings of one judgement that a terminal shows.
const SHOWN_FINDINGS: usize = 3;

/// A claim as it is shown.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ClaimView {
    pub(crate) name: String,
    pub(crate) says: Text,
    pub(crate) contexts: Vec<ContextView>,
    /// The verdict of a known fact, and the fact.
    pub(crate) by_fact: Option<FactView>,
    pub(crate) not_judged: Option<Text>,
}

/// What a known fact makes of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FactView {
    pub(crate) verdict: Text,
    /// A word for style sheets.
    pub(crate) class: &'static str,
    pub(crate) fact: Text,
}

/// What became of it in one binding and at one minimum durability.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ContextView {
    /// Empty where there is one context.
    pub(crate) context: String,
    pub(crate) verdict: Text,
    /// A word for style sheets.
    pub(crate) class: &'static str,
    /// What decides, at most three findings.
    #[serde(serialize_with = "in_current_language")]
    pub(crate) telling: Message,
    /// Who stands in for a program of the source.
    pub(crate) stand_ins: Option<Text>,
    /// All findings, where there are more.
    pub(crate) findings: Vec<String>,
    pub(crate) way_out: Option<String>,
}

pub(crate) fn views(claims: &ClaimsAnswer) -> Vec<ClaimView> {
    claims.claims.iter().map(view).collect()
}

fn view(claim: &ClaimAnswer) -> ClaimView {
    ClaimView {
        name: claim.name.clone(),
        says: described(&claim.says).into(),
        contexts: claim.judgements.iter().map(context).collect(),
        by_fact: claim.by_fact().zip(claim.known.as_ref()).map(|(verdict, known)| FactView {
            verdict: verdict.message().into(),
            class: class(verdict),
            fact: phrases::by_fact(known).into(),
        }),
        not_judged: claim.not_judged.as_deref().map(|why| described(why).into()),
    }
}

/// The verdict as a word for style sheets.
pub(crate) fn class(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo => "right",
        ClaimVerdict::Wrong => "wrong",
        ClaimVerdict::Undecided => "undecided",
        ClaimVerdict::OtherWork => "other-work",
    }
}

fn context(one: &ClaimJudgement) -> ContextView {
    let telling: Vec<Message> = telling(one).into_iter().map(Finding::message).collect();
    let all = texts(one.findings.iter().map(Finding::message));
    ContextView {
        context: one.context().map(|context| context.to_string()).unwrap_or_default(),
        verdict: one.verdict.message().into(),
        class: class(one.verdict),
        stand_ins: one.stand_ins().map(Text::from),
        findings: if telling.len() < one.findings.len() { all } else { Vec::new() },
        telling: message!(table_clauses, parts = telling),
        way_out: one.settle.as_ref().map(|settle| settle.message().to_string()),
    }
}

/// The statements that decide, or that keep it from being decided; of many the nearest.
pub(crate) fn telling(one: &ClaimJudgement) -> Vec<&Finding> {
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
    shown.add(String::new(), Align::Left, 0, table.rows.iter().map(|row| described(&row.name)));
    for (at, column) in table.columns.iter().enumerate() {
        let column = described(column);
        let cells = || table.rows.iter().map(|row| &row.cells[at]);
        shown.add(
            message!(table_published, column = column.clone()),
            Align::Right,
            0,
            cells().map(|cell| theirs(table.unit, cell)),
        );
        // Of some columns nothing of ours is the same.
        if cells().any(|cell| cell.ours.is_some() || cell.missing.is_some()) {
            shown.add(
                message!(table_measured_here, column),
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
            let spread = figure.interval.map(|range| format::interval(figure.value, range.low, range.high, plain));
            let (value, times) = (amount(unit, figure.value), beside(cell.ours_to_winner.map(|figure| figure.value)));
            match (spread.filter(|text| text.contains('±')), figure.interval) {
                (Some(spread), _) => format!("{value} {spread}{times}").into(),
                (None, Some(range)) => {
                    format!("{value} ({} … {}){times}", amount(unit, range.low), amount(unit, range.high)).into()
                }
                (None, None) => format!("{value}{times}").into(),
            }
        }
        (None, Some(unknown)) => words::unknown(unknown).into(),
        (None, None) => Text::none(),
    }
}

fn plain(value: f64) -> String {
    significant(value, 3)
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

/// Which rows of a pitfall's table are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PitfallRows {
    All,
    /// Phases whose work it changes, and others where something follows from it.
    Touched,
}

/// What a pitfall did to each candidate.
pub(crate) fn pitfall(pitfall: &PitfallAnswer, shown: PitfallRows) -> Table {
    let several = pitfall.phases.iter().any(|phase| phase.at.configuration != pitfall.phases[0].at.configuration);
    let rows = pitfall.phases.iter().flat_map(|phase| phase.effects.iter().map(move |effect| (phase, effect)));
    let is_touched = |effect: &PitfallEffect| effect.is_meant || effect.is_seen();
    let rows: Vec<(&PitfallPhase, &PitfallEffect)> =
        rows.filter(|(_, effect)| shown == PitfallRows::All || is_touched(effect)).collect();
    let tone = |effect: &PitfallEffect| if effect.is_seen() { Tone::Lead } else { Tone::Plain };
    let mut table = Table::of_rows(rows.iter().map(|(_, effect)| tone(effect)));
    let are_rates = pitfall.phases.iter().all(|phase| phase.metric == Metric::Rate);
    let at = |phase: &PitfallPhase| {
        let by =
            (phase.metric != Metric::Rate).then(|| message!(table_by_metric, metric = words::metric(phase.metric)));
        let level = several.then(|| message!(terminal_at, at = phrases::configuration_name(&phase.at)));
        let rows = phase.per_row.then(|| message!(word_rows));
        let more = by.into_iter().chain(level).chain(rows).map(Item::from);
        message!(table_series, items = std::iter::once(Item::from(&phase.phase)).chain(more).collect::<Vec<Item>>())
    };
    table.add(message!(word_phase), Align::Left, 0, rows.iter().map(|(phase, _)| at(phase)));
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|(_, effect)| effect.candidate.clone()));
    let (without, with) = match are_rates {
        true => (message!(word_without_pitfall_per_s), message!(word_with_pitfall_per_s)),
        false => (message!(word_without_pitfall), message!(word_with_pitfall)),
    };
    // Beside figures of other units a rate needs its own.
    let show = |phase: &PitfallPhase, value: f64| match phase.metric.unit() {
        MetricUnit::PerSecond if !are_rates => format!("{}/s", format::rate(value)),
        _ => figure_of(phase.metric, value),
    };
    let cell = |phase: &PitfallPhase, figure: Option<Figure>| {
        figure.map_or_else(|| NONE.to_string(), |figure| show(phase, figure.value))
    };
    table.add(without, Align::Right, 1, rows.iter().map(|(phase, effect)| cell(phase, effect.corrected)));
    table.add(with, Align::Right, 1, rows.iter().map(|(phase, effect)| cell(phase, effect.with_pitfall)));
    table.add(message!(word_change), Align::Right, 0, rows.iter().map(|(_, effect)| becomes(effect)));
    let of_winner = |effect: &PitfallEffect| match effect.to_winner {
        Some((before, after)) => format!("{} → {}", format::ratio(before.value), format::ratio(after.value)),
        None => String::new(),
    };
    table.add(message!(word_of_winner), Align::Right, 2, rows.iter().map(|(_, effect)| of_winner(effect)));
    table
}

fn becomes(effect: &PitfallEffect) -> Text {
    match (&effect.reason, effect.change) {
        (Some(_), _) => message!(word_not_counted).into(),
        (None, Some(change)) => {
            let value = factor(change);
            match effect.keeps_less {
                Some(_) => message!(table_series, items = [Item::from(value), message!(word_keeps_less).into()]).into(),
                None => value.into(),
            }
        }
        (None, None) => Text::none(),
    }
}

/// A pitfall with its sentences and its table, for pages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PitfallView {
    pub(crate) name: String,
    pub(crate) says: Text,
    pub(crate) sentences: Vec<String>,
    pub(crate) table: Table,
}

pub(crate) fn pitfalls(answer: &Answer, shown: PitfallRows) -> Vec<PitfallView> {
    let view = |one: &PitfallAnswer| PitfallView {
        name: one.name.clone(),
        says: described(&one.says).into(),
        sentences: one.messages().iter().map(|one| one.to_string()).collect(),
        table: pitfall(one, shown),
    };
    answer.pitfalls.iter().map(view).collect()
}

/// A published table for pages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PublishedView {
    pub(crate) title: Text,
    pub(crate) subtitle: String,
    pub(crate) table: Table,
}

pub(crate) fn tables(answer: &Answer) -> Vec<PublishedView> {
    let view = |one: &OurTable| PublishedView {
        title: described(&one.title).into(),
        subtitle: published_subtitle(one).to_string(),
        table: published(one),
    };
    answer.published.iter().map(view).collect()
}

/// Whether the order of each published column came back, and what turned it.
pub(crate) fn replications(answer: &Answer) -> Vec<String> {
    texts(answer.replications.iter().flat_map(|one| one.messages()))
}
