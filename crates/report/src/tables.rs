//! The tables that terminal and page share.

use kurabe_analysis::format::{self, NONE, Unit};
use kurabe_analysis::{
    ActionAnswer, Answer, Bottleneck, BottleneckEvidence, CandidateAnswer, ComparedPhase, ComparedRate, ComparedRow,
    Figure, LEVEL, LatencyAnswer, LimitBasis, OnTheWay, PhaseAnswer, PhaseRow, Range, Reason, Resources, SameWork,
    Spread, Status, Verdict,
};
use kurabe_record::{Metric, MetricUnit, StoreKind};
use serde::Serialize;

use crate::words::{Text, Word, ranked_title};

/// A table of finished texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub title: Text,
    pub align: Align,
    /// 0 stays always; where space is short the highest goes first.
    #[serde(skip)]
    pub rank: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub cells: Vec<Text>,
    pub tone: Tone,
}

/// How much weight a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// First rank.
    Lead,
    Plain,
    /// Without a rank.
    Unranked,
    /// A baseline.
    Baseline,
}

impl Table {
    /// Columns are added one by one, each with a cell for every row.
    pub(crate) fn of_rows(tones: impl Iterator<Item = Tone>) -> Table {
        Table { columns: Vec::new(), rows: tones.map(|tone| Row { cells: Vec::new(), tone }).collect() }
    }

    /// Adds a column, unless all of its cells are empty.
    pub(crate) fn add<T: Into<Text>>(
        &mut self,
        title: impl Into<Text>,
        align: Align,
        rank: u8,
        cells: impl Iterator<Item = T>,
    ) {
        let cells: Vec<Text> = cells.map(Into::into).collect();
        if cells.iter().all(Text::is_empty) {
            return;
        }
        self.columns.push(Column { title: title.into(), align, rank });
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
    }

    /// A column of figures, left out where no row has one.
    fn add_figures(&mut self, title: impl Into<Text>, rank: u8, unit: Unit, values: &[Option<f64>]) {
        if values.iter().all(Option::is_none) {
            return;
        }
        let cells = values.iter().map(|value| value.map_or_else(|| NONE.to_string(), |value| unit.show(value)));
        self.add(title.into().then(format!("\u{a0}{}", unit.sign)), Align::Right, rank, cells);
    }

    /// A column of figures in the unit that suits them.
    pub(crate) fn add_in_own_unit(
        &mut self,
        title: impl Into<Text>,
        rank: u8,
        unit_of: fn(&[f64]) -> Unit,
        values: &[Option<f64>],
    ) {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        self.add_figures(title, rank, unit_of(&known), values);
    }

    /// A table of plain texts; every column aligned to the left.
    pub(crate) fn texts<T: Into<Text>, C: Into<Text>>(
        titles: impl IntoIterator<Item = T>,
        rows: impl Iterator<Item = Vec<C>>,
    ) -> Table {
        let column = |title: T| Column { title: title.into(), align: Align::Left, rank: 0 };
        let row = |cells: Vec<C>| Row { cells: cells.into_iter().map(Into::into).collect(), tone: Tone::Plain };
        Table { columns: titles.into_iter().map(column).collect(), rows: rows.map(row).collect() }
    }

    /// Names with their values, for pages, which are in English.
    pub(crate) fn facts<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> Table {
        let row = |(name, value): (&str, String)| vec![name.to_string(), value];
        Table::texts([String::new(), String::new()], facts.into_iter().map(row))
    }
}

fn tone(row: &PhaseRow) -> Tone {
    match row.status {
        // What is not decided is no lead.
        Status::Ranked { rank: 1, sharing: 1 } => Tone::Lead,
        Status::Ranked { .. } => Tone::Plain,
        Status::Unranked { .. } => Tone::Unranked,
        Status::Baseline => Tone::Baseline,
    }
}

pub(crate) fn rank(row: &PhaseRow) -> String {
    match row.status {
        Status::Ranked { rank, sharing } => rank_of(rank, sharing),
        Status::Unranked { .. } => NONE.to_string(),
        Status::Baseline => String::new(),
    }
}

/// A rank; where it is shared with a mark.
pub(crate) fn rank_of(rank: usize, sharing: usize) -> String {
    if sharing == 1 { rank.to_string() } else { format!("{rank}?") }
}

/// The ranking of a phase; of an unstable machine the figures without a rank.
pub fn phase(phase: &PhaseAnswer, is_steady: bool) -> Table {
    let rows = &phase.rows;
    let tone = |row: &PhaseRow| match tone(row) {
        Tone::Lead if !is_steady => Tone::Plain,
        tone => tone,
    };
    let mut table = Table::of_rows(rows.iter().map(tone));
    if is_steady {
        table.add(Word::Rank, Align::Right, 0, rows.iter().map(rank));
    }
    table.add(Word::Candidate, Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    let level = |row: &PhaseRow| row.guarantee.map_or_else(|| NONE.to_string(), |kept| kept.level().word().into());
    table.add(Word::Durability, Align::Left, 5, rows.iter().map(level));
    let flushes =
        |row: &PhaseRow| row.flushes_per_commit.map_or_else(|| NONE.to_string(), |one| format::significant(one, 2));
    if rows.iter().any(|row| row.flushes_per_commit.is_some()) {
        table.add(Word::FlushesPerCommit, Align::Right, 6, rows.iter().map(flushes));
    }
    if phase.rank_by != Metric::Rate {
        add_metric(&mut table, phase.rank_by, rows, 2);
    }
    add_metric(&mut table, Metric::Rate, rows, 2);
    table.add(Word::OfBest, Align::Right, 1, rows.iter().map(of_best));
    let ratio_interval = |row: &PhaseRow| width(row.to_best.map(|to_best| to_best.ratio), format::ratio);
    table.add(level_title(phase), Align::Left, 6, rows.iter().map(ratio_interval));
    if rows.iter().any(|row| row.figure(Metric::RowsRate).is_some()) {
        let rows_rate = |row: &PhaseRow| {
            row.figure(Metric::RowsRate).map_or_else(|| NONE.to_string(), |figure| format::rate(figure.value))
        };
        table.add(Word::RowsPerS, Align::Right, 4, rows.iter().map(rows_rate));
    }
    let failed = |row: &PhaseRow| if row.failed == 0 { String::new() } else { format::count(row.failed) };
    table.add(Word::Failed, Align::Right, 1, rows.iter().map(failed));
    add_latencies(&mut table, rows);
    if rows.iter().any(|row| row.used.encoding_share.is_some()) {
        let encoding = |row: &PhaseRow| row.used.encoding_share.map_or_else(|| NONE.to_string(), format::percent);
        table.add(Word::Encoding, Align::Right, 3, rows.iter().map(encoding));
    }
    add_processor(&mut table, rows, 9);
    table.add(Word::Limit, Align::Left, 2, rows.iter().map(|row| limit_mark(row).unwrap_or_default()));
    table
}

/// The table without the columns that a page shows elsewhere: those of this rank and above.
pub fn below_rank(table: Table, rank: u8) -> Table {
    with_columns(table, |column| column.rank < rank)
}

/// The table with these columns alone.
pub fn with_columns(mut table: Table, is_kept: impl Fn(&Column) -> bool) -> Table {
    let kept: Vec<bool> = table.columns.iter().map(is_kept).collect();
    let mut keep = kept.iter();
    table.columns.retain(|_| *keep.next().unwrap_or(&true));
    for row in &mut table.rows {
        let mut keep = kept.iter();
        row.cells.retain(|_| *keep.next().unwrap_or(&true));
    }
    table
}

/// The column that names what a row is about; in a ranking the rank stands before it, unless nobody has one.
pub fn name_column(table: &Table) -> usize {
    table.columns.iter().position(|column| column.title.is(Word::Candidate)).unwrap_or(0)
}

/// One phase of several runs: what ranks it in the first run, and each other run against it.
pub fn comparison(phase: &ComparedPhase) -> Table {
    let rows: Vec<(&ComparedRow, &ComparedRate)> =
        phase.rows.iter().flat_map(|row| row.others.iter().map(move |other| (row, other))).collect();
    let tone = |(row, _): &(&ComparedRow, &ComparedRate)| match row.kind {
        StoreKind::Store => Tone::Plain,
        StoreKind::Baseline => Tone::Baseline,
    };
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add(Word::Candidate, Align::Left, 0, rows.iter().map(|(row, _)| row.candidate.clone()));
    table.add(Word::Run, Align::Right, 0, rows.iter().map(|(_, other)| (other.run + 1).to_string()));
    table.add(Word::Verdict, Align::Left, 0, rows.iter().map(|(_, other)| verdict(phase.metric, other)));
    // Of other work a ratio says nothing.
    let same = |other: &ComparedRate| (other.work == SameWork::Same).then_some(other.ratio.ratio);
    let ratio = |other: &ComparedRate| same(other).map_or_else(|| NONE.to_string(), |one| format::ratio(one.value));
    table.add(Word::Ratio, Align::Right, 0, rows.iter().map(|(_, other)| ratio(other)));
    let width = |other: &ComparedRate| width(same(other), format::ratio);
    table.add(Word::Interval, Align::Left, 0, rows.iter().map(|(_, other)| width(other)));
    table.add(Word::Level, Align::Right, 3, rows.iter().map(|(_, other)| format::level(other.level)));
    let seen =
        |other: &ComparedRate| same(other).and(other.detectable).map_or_else(|| NONE.to_string(), format::difference);
    table.add(Word::CouldBeSeen, Align::Right, 2, rows.iter().map(|(_, other)| seen(other)));
    let show = shown_by(phase.metric);
    let first = match phase.metric {
        Metric::Rate => Word::OpPerSInRun1.into(),
        metric => Text::from(ranked_title(metric)).then(Word::InRun1),
    };
    table.add(first, Align::Right, 1, rows.iter().map(|(row, _)| show(row.first.value)));
    table.add(ranked_title(phase.metric), Align::Right, 1, rows.iter().map(|(_, other)| show(other.figure.value)));
    let counts =
        |(row, other): &(&ComparedRow, &ComparedRate)| format!("{}, {}", row.first.rounds, other.figure.rounds);
    table.add(Word::Rounds, Align::Right, 4, rows.iter().map(counts));
    table
}

/// What a ratio says; where the work is not the same it says nothing.
pub(crate) fn verdict(metric: Metric, other: &ComparedRate) -> Word {
    match other.ratio.verdict {
        _ if other.work == SameWork::Other => Word::OtherWork,
        Verdict::Better if metric == Metric::Rate => Word::Faster,
        Verdict::Worse if metric == Metric::Rate => Word::Slower,
        Verdict::Better => Word::Better,
        Verdict::Worse => Word::Worse,
        Verdict::Tie => Word::NoDifferenceSeen,
        Verdict::CannotTell => Word::TooFewRounds,
    }
}

/// The confidence level of the intervals of ratios, as a column's title.
fn level_title(phase: &PhaseAnswer) -> String {
    let mut levels: Vec<String> = phase.rankings.iter().map(|ranking| format::level(ranking.level)).collect();
    levels.dedup();
    match levels.as_slice() {
        [] => format::level(LEVEL),
        [one] => one.clone(),
        _ => format!("≥ {}", format::level(LEVEL)),
    }
}

/// A metric with its interval.
fn add_metric(table: &mut Table, metric: Metric, rows: &[PhaseRow], rank: u8) {
    let known: Vec<f64> = rows.iter().filter_map(|row| Some(row.figure(metric)?.value)).collect();
    let (title, show): (Text, Box<dyn Fn(f64) -> String>) = match metric.unit() {
        MetricUnit::PerSecond => (Word::OpPerS.into(), Box::new(format::rate)),
        MetricUnit::Nanoseconds => in_unit(metric, Unit::of_durations(&known)),
        MetricUnit::Bytes => in_unit(metric, Unit::of_sizes(&known)),
    };
    let value = |row: &PhaseRow| row.figure(metric).map_or_else(|| NONE.to_string(), |figure| show(figure.value));
    table.add(title, Align::Right, 0, rows.iter().map(value));
    let width = |row: &PhaseRow| {
        let figure = row.figure(metric)?;
        Some(interval(figure.value, figure.interval?, shown_by(metric)))
    };
    table.add(format::level(LEVEL), Align::Left, rank, rows.iter().map(|row| width(row).unwrap_or_default()));
}

fn in_unit(metric: Metric, unit: Unit) -> (Text, Box<dyn Fn(f64) -> String>) {
    (Text::from(Word::from(metric)).then(format!("\u{a0}{}", unit.sign)), Box::new(move |value| unit.show(value)))
}

/// How one figure of a metric is shown by itself.
pub(crate) fn shown_by(metric: Metric) -> fn(f64) -> String {
    match metric.unit() {
        MetricUnit::PerSecond => format::rate,
        MetricUnit::Nanoseconds => format::duration,
        MetricUnit::Bytes => format::size,
    }
}

/// A figure of a metric with its unit, but for rates.
pub fn figure_of(metric: Metric, value: f64) -> String {
    shown_by(metric)(value)
}

/// Above this ratio of its ends an interval tells nothing, and its figures would only fill the table.
const WIDEST: f64 = 1_000.0;

pub(crate) fn interval(value: f64, range: Range, show: fn(f64) -> String) -> Text {
    if range.high > WIDEST * range.low {
        return Word::TooWideToTell.into();
    }
    format::interval(value, range.low, range.high, show).into()
}

/// The interval of a figure; nothing where it has none.
pub(crate) fn width(figure: Option<Figure>, show: fn(f64) -> String) -> Text {
    figure.and_then(|figure| Some(interval(figure.value, figure.interval?, show))).unwrap_or_default()
}

fn of_best(row: &PhaseRow) -> Text {
    match (&row.status, row.to_best) {
        (Status::Unranked { reason }, _) => Word::from(reason).into(),
        (Status::Baseline, _) => Word::Baseline.into(),
        (Status::Ranked { .. }, Some(to_best)) => format::ratio(to_best.ratio.value).into(),
        (Status::Ranked { .. }, None) => "1".to_string().into(),
    }
}

/// One unit for columns that are read against each other; baselines would draw it to units too small for stores.
fn shared_unit(rows: &[PhaseRow], of: fn(&PhaseRow) -> Option<f64>) -> Unit {
    let stores = rows.iter().filter(|row| row.status != Status::Baseline).filter_map(of);
    let known: Vec<f64> = stores.collect();
    let all = || rows.iter().filter_map(of).collect::<Vec<f64>>();
    Unit::of_durations(&if known.is_empty() { all() } else { known })
}

/// Processor time for one operation, of client, services before the store, and the store's service.
fn add_processor(table: &mut Table, rows: &[PhaseRow], rank: u8) {
    let cpu = |of: fn(&PhaseRow) -> Option<f64>| rows.iter().map(of).collect::<Vec<Option<f64>>>();
    let client = cpu(|row| row.used.client_cpu_per_operation_ns);
    let service = cpu(|row| row.used.service_cpu_per_operation_ns);
    let unit = shared_unit(rows, |row| row.used.client_cpu_per_operation_ns);
    table.add_figures(Word::ClientCpuPerOp, rank, unit, &client);
    let app = cpu(|row| row.used.app_cpu_per_operation_ns);
    if app.iter().any(Option::is_some) {
        table.add_figures(Word::AppCpuPerOp, rank, unit, &app);
    }
    let link = cpu(|row| row.used.link_cpu_per_operation_ns);
    if link.iter().any(Option::is_some) {
        table.add_figures(Word::LinkCpuPerOp, rank, unit, &link);
    }
    table.add_figures(Word::ServiceCpuPerOp, rank, unit, &service);
}

/// One kind: its percentiles. Several kinds (a mix): median and p99 of each.
fn add_latencies(table: &mut Table, rows: &[PhaseRow]) {
    let kinds = kinds(rows);
    let unit = shared_unit(rows, |row| row.latency.first()?.at(0.5).map(|ns| ns as f64));
    for kind in &kinds {
        let prefix = if kinds.len() > 1 { format!("{kind} ") } else { String::new() };
        let quantiles: &[(f64, Word, u8)] = if kinds.len() > 1 {
            &[(0.5, Word::P50, 3), (0.99, Word::P99, 4)]
        } else {
            &[(0.5, Word::P50, 3), (0.99, Word::P99, 4), (0.999, Word::P999, 7)]
        };
        for (p, title, rank) in quantiles {
            let values: Vec<Option<f64>> =
                rows.iter().map(|row| latency(row, kind).and_then(|found| found.at(*p)).map(|ns| ns as f64)).collect();
            table.add_figures(Text::from(prefix.clone()).then(*title), *rank, unit, &values);
        }
    }
}

/// Kinds of operation with latencies, in the order of their codes.
pub fn kinds(rows: &[PhaseRow]) -> Vec<String> {
    let mut kinds: Vec<_> = rows.iter().flat_map(|row| &row.latency).map(|latency| latency.operation).collect();
    kinds.sort();
    kinds.dedup();
    kinds.into_iter().map(|kind| kind.word().into()).collect()
}

pub fn latency<'a>(row: &'a PhaseRow, kind: &str) -> Option<&'a LatencyAnswer> {
    row.latency.iter().find(|latency| latency.operation.word() == kind)
}

/// What holds the rate: of one behind services each part of the way, else the client.
pub(crate) fn limit_mark(row: &PhaseRow) -> Option<Text> {
    if let Some(bottleneck) = &row.bottleneck {
        return Some(bottleneck_mark(bottleneck));
    }
    let limit = row.limit.filter(|limit| limit.client_was_the_limit)?;
    Some(match limit.basis {
        LimitBasis::Service { client_busy, .. } => with_share(Word::Client, client_busy),
        LimitBasis::Baseline { share } if share > 1.0 => Text::from(Word::Baseline).then(" > 100 %".to_string()),
        LimitBasis::Baseline { share } => with_share(Word::Baseline, share),
    })
}

fn with_share(part: Word, share: f64) -> Text {
    Text::from(part).then(format!(" {}", format::percent(share)))
}

fn bottleneck_mark(bottleneck: &Bottleneck) -> Text {
    let part = Word::from(bottleneck.part);
    let mark = match bottleneck.because {
        BottleneckEvidence::Busy { share } => with_share(part, share),
        BottleneckEvidence::Processors { share } => Text::from(Word::AllProcessors).then(with_share(part, share)),
        BottleneckEvidence::Waits if bottleneck.part == OnTheWay::Link => part.into(),
        BottleneckEvidence::Waits => Text::from(part).then(Word::Waits),
    };
    match bottleneck.over_map {
        Some(share) => mark.then(Word::OverMap).then(format::percent(share)),
        None => mark,
    }
}

/// The harness's own part in the rates of a phase, where it can be told.
fn own_loop(phase: &PhaseAnswer) -> Option<String> {
    let is_tool = |row: &PhaseRow| matches!(&row.status, Status::Unranked { reason: Reason::NotChecked });
    let stores = phase.rows.iter().filter(|row| row.status != Status::Baseline && !is_tool(row));
    let shares: Vec<f64> = stores.filter_map(|row| row.used.loop_share).collect();
    let low = shares.iter().copied().min_by(f64::total_cmp)?;
    let high = shares.iter().copied().max_by(f64::total_cmp)?;
    let (low, high) = (format::percent(low), format::percent(high));
    Some(if low == high { format!("own loop {low}") } else { format!("own loop {low} to {high}") })
}

/// Processor, memory and failures of a phase.
pub fn usage(phase: &PhaseAnswer) -> Table {
    let rows = &phase.rows;
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add(Word::Candidate, Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    add_processor(&mut table, rows, 0);
    let share = |value: Option<f64>| value.map_or_else(|| NONE.to_string(), format::percent);
    let busy = |row: &PhaseRow| match row.limit.map(|limit| limit.basis) {
        Some(LimitBasis::Service { client_busy, service_busy }) => (Some(client_busy), Some(service_busy)),
        Some(LimitBasis::Baseline { .. }) | None => (None, None),
    };
    let baseline_share = |row: &PhaseRow| match row.limit.map(|limit| limit.basis) {
        Some(LimitBasis::Baseline { share }) => Some(share),
        Some(LimitBasis::Service { .. }) | None => None,
    };
    table.add(Word::ClientThreadsBusy, Align::Right, 0, rows.iter().map(|row| share(busy(row).0)));
    table.add(Word::ServiceCoresBusy, Align::Right, 0, rows.iter().map(|row| share(busy(row).1)));
    table.add(Word::BaselinesShare, Align::Right, 0, rows.iter().map(|row| share(baseline_share(row))));
    table.add(Word::PreparingAndChecking, Align::Right, 0, rows.iter().map(|row| share(row.used.loop_share)));
    table.add(Word::HarnessCpu, Align::Right, 0, rows.iter().map(|row| share(row.used.harness_cpu_share)));
    let memory = |of: fn(&PhaseRow) -> Option<u64>| -> Vec<Option<f64>> {
        rows.iter().map(|row| of(row).map(|bytes| bytes as f64)).collect()
    };
    table.add_in_own_unit(Word::ClientMemory, 0, Unit::of_sizes, &memory(|row| row.used.client_memory_bytes));
    table.add_in_own_unit(Word::ServiceMemory, 0, Unit::of_sizes, &memory(|row| row.used.service_memory_bytes));
    table.add(Word::Failed, Align::Right, 0, rows.iter().map(|row| format::count(row.failed)));
    table.add(Word::Retries, Align::Right, 0, rows.iter().map(|row| format::count(row.retries)));
    table
}

pub(crate) fn a_difference(share: f64) -> String {
    if share < 1.0 { format!("a difference of {}", format::difference(share)) } else { format::difference(share) }
}

/// One line under a phase's name: rounds, what could have been seen, the harness's part.
pub fn phase_subtitle(phase: &PhaseAnswer) -> String {
    let mut parts = Vec::new();
    for ranking in &phase.rankings {
        let level = ranking.among.words().map(|among| format!("{among}: ")).unwrap_or_default();
        let seen = ranking.detectable.map(|share| format!(", {} could have been seen", a_difference(share)));
        parts.push(format!("{level}{} rounds{}", ranking.rounds, seen.unwrap_or_default()));
    }
    if parts.is_empty() {
        parts.push("no ranking".into());
    }
    parts.extend(own_loop(phase));
    parts.join("; ")
}

/// The end of a range in parentheses.
pub(crate) fn to(least: String, greatest: String) -> Text {
    Text::from(least).then(Word::To).then(format!("{greatest})"))
}

/// What was done amid phases, a row an action and candidate.
pub(crate) fn amid(answer: &Answer) -> Table {
    let rows = &answer.actions;
    let mut table = Table::of_rows(rows.iter().map(|_| Tone::Plain));
    table.add(Word::Phase, Align::Left, 1, rows.iter().map(|row| row.phase.clone()));
    let what = |row: &ActionAnswer| {
        Text::from(row.plan.act.to_string()).then(Word::After).then(format::duration(row.plan.at_ns as f64))
    };
    table.add(Word::What, Align::Left, 0, rows.iter().map(what));
    table.add(Word::Candidate, Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    table.add(Word::Jobs, Align::Right, 3, rows.iter().map(|row| format::count(row.done as u64)));
    let spread = |of: Option<Spread>| match of {
        None => Text::none(),
        Some(Spread { least, median, greatest }) => {
            let [least, median, greatest] = [least, median, greatest].map(|ns| format::duration(ns as f64));
            if least == greatest { median.into() } else { Text::from(format!("{median} (")).then(to(least, greatest)) }
        }
    };
    table.add(Word::Took, Align::Right, 2, rows.iter().map(|row| spread(row.lasted_ns)));
    if rows.iter().any(|row| row.recovery_ns.is_some()) {
        table.add(Word::AnswersAgainAfter, Align::Right, 0, rows.iter().map(|row| spread(row.recovery_ns)));
    }
    let came = |row: &ActionAnswer| match (&row.failure, &row.answer) {
        (Some(failure), _) if row.done > 0 => {
            Text::from(Word::NotIn).then(row.failed.to_string()).then(Word::OfJobs).then(failure.clone())
        }
        (Some(failure), _) => Text::from(Word::NotDone).then(failure.clone()),
        (None, Some(answer)) => answer.to_string().into(),
        (None, None) => Text::default(),
    };
    table.add(Word::WhatCame, Align::Left, 4, rows.iter().map(came));
    table
}

/// What every candidate cost beside time.
pub fn resources(answer: &Answer) -> Table {
    let (stores, baselines): (Vec<_>, Vec<_>) =
        answer.candidates.iter().partition(|candidate| candidate.kind == StoreKind::Store);
    let all: Vec<&CandidateAnswer> = stores.into_iter().chain(baselines).collect();
    let tone = |candidate: &&CandidateAnswer| match candidate.kind {
        StoreKind::Store => Tone::Plain,
        StoreKind::Baseline => Tone::Baseline,
    };
    // What every client takes is no cost of a store: the least that a baseline took is that of the harness.
    let harness = all.iter().filter(|one| one.kind == StoreKind::Baseline && !one.by_load_tool);
    let harness = harness.filter_map(|one| one.resources.client_memory_bytes).min();
    let mut table = Table::of_rows(all.iter().map(tone));
    table.add(Word::Candidate, Align::Left, 0, all.iter().map(|candidate| candidate.name.clone()));
    let memory: Vec<Option<f64>> = all
        .iter()
        .map(|one| Some(one.resources.client_memory_bytes?.saturating_sub(harness.unwrap_or(0)) as f64))
        .collect();
    let mut add = |title: Word, rank: u8, unit_of: fn(&[f64]) -> Unit, of: fn(&Resources) -> Option<f64>| {
        let values: Vec<Option<f64>> = all.iter().map(|candidate| of(&candidate.resources)).collect();
        table.add_in_own_unit(title, rank, unit_of, &values);
    };
    add(Word::OnDiskPerRow, 0, Unit::of_sizes, |used| used.disk_per_row_bytes);
    add(Word::WrittenPerRow, 1, Unit::of_sizes, |used| used.written_per_row_bytes);
    add(Word::FlushTime, 2, Unit::of_durations, |used| used.flush_ns);
    add(Word::ServiceMemory, 4, Unit::of_sizes, |used| used.service_memory_bytes.map(|bytes| bytes as f64));
    // What all have in common tells nothing of a store.
    if all.iter().any(|one| one.client != all[0].client) {
        add(Word::ClientStart, 4, Unit::of_durations, |used| used.client_start_ns);
    }
    let title = if harness.is_some() { Word::ClientMemoryAboveBaseline } else { Word::ClientMemory };
    table.add_in_own_unit(title, 3, Unit::of_sizes, &memory);
    table
}

/// All percentiles of one kind with their intervals.
pub fn percentiles(rows: &[PhaseRow], kind: &str) -> Table {
    let seen: Vec<(&PhaseRow, &LatencyAnswer)> =
        rows.iter().filter_map(|row| Some((row, latency(row, kind)?))).collect();
    let mut table = Table::of_rows(seen.iter().map(|(row, _)| tone(row)));
    table.add(Word::Candidate, Align::Left, 0, seen.iter().map(|(row, _)| row.candidate.clone()));
    table.add(Word::Operations, Align::Right, 0, seen.iter().map(|(_, latency)| format::count(latency.count)));
    for (index, title) in [Word::P50, Word::P90, Word::P99, Word::P999].into_iter().enumerate() {
        let cell = |(_, latency): &(&PhaseRow, &LatencyAnswer)| {
            let percentile = latency.percentiles.get(index).copied();
            let Some((percentile, value)) = percentile.and_then(|found| Some((found, found.value_ns?))) else {
                return NONE.to_string();
            };
            let unit = Unit::of_durations(&[value as f64]);
            let end = |ns: Option<u64>| ns.map_or_else(|| "?".into(), |ns| unit.show(ns as f64));
            format!(
                "{} ({} … {}) {}",
                unit.show(value as f64),
                end(percentile.low_ns),
                end(percentile.high_ns),
                unit.sign
            )
        };
        table.add(title, Align::Right, 0, seen.iter().map(cell));
    }
    let max =
        |latency: &LatencyAnswer| latency.max_ns.map_or_else(|| NONE.to_string(), |ns| format::duration(ns as f64));
    table.add(Word::Max, Align::Right, 0, seen.iter().map(|(_, latency)| max(latency)));
    table
}

/// What a phase is ranked by, in every round.
pub fn rounds(phase: &PhaseAnswer) -> Table {
    let metric = phase.rank_by;
    let values = |row: &PhaseRow| row.rounds(metric).to_vec();
    let rounds = phase.rows.iter().flat_map(values).map(|value| value.round + 1).max().unwrap_or(0);
    let mut table = Table::of_rows(phase.rows.iter().map(tone));
    table.add(Word::Candidate, Align::Left, 0, phase.rows.iter().map(|row| row.candidate.clone()));
    for round in 0..rounds {
        let cell = |row: &PhaseRow| {
            let value = row.rounds(metric).iter().find(|value| value.round == round);
            value.map_or_else(|| NONE.to_string(), |value| figure_of(metric, value.value))
        };
        table.add(Text::from(Word::Round).then((round + 1).to_string()), Align::Right, 0, phase.rows.iter().map(cell));
    }
    table
}
