//! The tables that terminal and page share.

use kurabe_analysis::format::{self, NONE, Unit};
use kurabe_analysis::{
    ActionAnswer, Answer, Bottleneck, CandidateAnswer, ComparedPhase, ComparedRate, ComparedRow, Figure, LatencyAnswer,
    LimitBasis, OnTheWay, PhaseAnswer, PhaseRow, Range, Resources, SameWork, Spread, Status, Tells, Verdict,
};
use kurabe_record::{Metric, MetricUnit, StoreKind};
use serde::Serialize;

/// A table of finished texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub title: String,
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
    pub cells: Vec<String>,
    pub tone: Tone,
}

/// How much weight a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// First place.
    Lead,
    Plain,
    /// Without a place.
    Unranked,
    /// A floor.
    Floor,
}

impl Table {
    /// Columns are added one by one, each with a cell for every row.
    pub(crate) fn of_rows(tones: impl Iterator<Item = Tone>) -> Table {
        Table { columns: Vec::new(), rows: tones.map(|tone| Row { cells: Vec::new(), tone }).collect() }
    }

    /// Adds a column, unless all of its cells are empty.
    pub(crate) fn add(&mut self, title: &str, align: Align, rank: u8, cells: impl Iterator<Item = String>) {
        let cells: Vec<String> = cells.collect();
        if cells.iter().all(String::is_empty) {
            return;
        }
        self.columns.push(Column { title: title.into(), align, rank });
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
    }

    /// A column of figures, left out where no row has one.
    fn add_figures(&mut self, title: &str, rank: u8, unit: Unit, values: &[Option<f64>]) {
        if values.iter().all(Option::is_none) {
            return;
        }
        let cells = values.iter().map(|value| value.map_or_else(|| NONE.into(), |value| unit.show(value)));
        self.add(&format!("{title}\u{a0}{}", unit.sign), Align::Right, rank, cells);
    }

    /// A column of figures in the unit that suits them.
    pub(crate) fn add_in_own_unit(
        &mut self,
        title: &str,
        rank: u8,
        unit_of: fn(&[f64]) -> Unit,
        values: &[Option<f64>],
    ) {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        self.add_figures(title, rank, unit_of(&known), values);
    }

    /// A table of plain texts; every column aligned to the left.
    pub fn texts(titles: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
        let column = |title: &&str| Column { title: (*title).into(), align: Align::Left, rank: 0 };
        Table {
            columns: titles.iter().map(column).collect(),
            rows: rows.map(|cells| Row { cells, tone: Tone::Plain }).collect(),
        }
    }
}

fn tone(row: &PhaseRow) -> Tone {
    match row.status {
        // What is not decided is no lead.
        Status::Ranked { place: 1, sharing: 1 } => Tone::Lead,
        Status::Ranked { .. } => Tone::Plain,
        Status::Unranked { .. } => Tone::Unranked,
        Status::Floor => Tone::Floor,
    }
}

pub(crate) fn place(row: &PhaseRow) -> String {
    match row.status {
        Status::Ranked { place, sharing } => place_of(place, sharing),
        Status::Unranked { .. } => NONE.into(),
        Status::Floor => String::new(),
    }
}

/// A place; where it is shared with a mark.
pub(crate) fn place_of(place: usize, sharing: usize) -> String {
    if sharing == 1 { place.to_string() } else { format!("{place}?") }
}

/// The ranking of a phase.
pub fn phase(phase: &PhaseAnswer) -> Table {
    let rows = &phase.rows;
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add("#", Align::Right, 0, rows.iter().map(place));
    table.add("candidate", Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    let class = |row: &PhaseRow| row.class.map_or_else(|| NONE.into(), |class| class.word().into());
    table.add("class", Align::Left, 5, rows.iter().map(class));
    if phase.rank_by != Metric::Rate {
        add_metric(&mut table, phase.rank_by, rows, 2);
    }
    add_metric(&mut table, Metric::Rate, rows, 2);
    table.add("of best", Align::Right, 1, rows.iter().map(of_best));
    let ratio_interval = |row: &PhaseRow| width(row.to_best.map(|to_best| to_best.ratio), format::ratio);
    table.add(&level_title(phase), Align::Left, 6, rows.iter().map(ratio_interval));
    if rows.iter().any(|row| row.figure(Metric::RowsRate).is_some()) {
        let rows_rate = |row: &PhaseRow| {
            row.figure(Metric::RowsRate).map_or_else(|| NONE.into(), |figure| format::rate(figure.value))
        };
        table.add("rows/s", Align::Right, 4, rows.iter().map(rows_rate));
    }
    let failed = |row: &PhaseRow| if row.failed == 0 { String::new() } else { format::count(row.failed) };
    table.add("failed", Align::Right, 1, rows.iter().map(failed));
    add_latencies(&mut table, rows);
    if rows.iter().any(|row| row.used.encoding_share.is_some()) {
        let encoding = |row: &PhaseRow| row.used.encoding_share.map_or_else(|| NONE.into(), format::percent);
        table.add("encoding", Align::Right, 3, rows.iter().map(encoding));
    }
    add_processor(&mut table, rows, 9);
    table.add("limit", Align::Left, 2, rows.iter().map(|row| limit_mark(row).unwrap_or_default()));
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

/// The column that names what a row is about; in a ranking the place stands before it, unless nobody has one.
pub fn name_column(table: &Table) -> usize {
    table.columns.iter().position(|column| column.title == "candidate").unwrap_or(0)
}

/// One phase of several runs: the first run's rate, and each other run against it.
pub fn comparison(phase: &ComparedPhase) -> Table {
    let rows: Vec<(&ComparedRow, &ComparedRate)> =
        phase.rows.iter().flat_map(|row| row.others.iter().map(move |other| (row, other))).collect();
    let tone = |(row, _): &(&ComparedRow, &ComparedRate)| match row.kind {
        StoreKind::Store => Tone::Plain,
        StoreKind::Floor => Tone::Floor,
    };
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add("candidate", Align::Left, 0, rows.iter().map(|(row, _)| row.candidate.clone()));
    table.add("run", Align::Right, 0, rows.iter().map(|(_, other)| (other.run + 1).to_string()));
    table.add("verdict", Align::Left, 0, rows.iter().map(|(_, other)| verdict(other).into()));
    table.add("ratio", Align::Right, 0, rows.iter().map(|(_, other)| format::ratio(other.ratio.ratio.value)));
    let width = |other: &ComparedRate| {
        let figure = other.ratio.ratio;
        figure.interval.map(|range| interval(figure.value, range, format::ratio)).unwrap_or_default()
    };
    table.add("interval", Align::Left, 0, rows.iter().map(|(_, other)| width(other)));
    table.add("level", Align::Right, 3, rows.iter().map(|(_, other)| format::level(other.level)));
    let seen = |other: &ComparedRate| other.detectable.map_or_else(|| NONE.into(), format::difference);
    table.add("could be seen", Align::Right, 2, rows.iter().map(|(_, other)| seen(other)));
    table.add("op/s in run 1", Align::Right, 1, rows.iter().map(|(row, _)| format::rate(row.first.value)));
    table.add("op/s", Align::Right, 1, rows.iter().map(|(_, other)| format::rate(other.rate_per_s.value)));
    let counts =
        |(row, other): &(&ComparedRow, &ComparedRate)| format!("{}, {}", row.first.rounds, other.rate_per_s.rounds);
    table.add("rounds", Align::Right, 4, rows.iter().map(counts));
    table
}

/// What a ratio says; where the work is not the same it says nothing.
pub fn verdict(other: &ComparedRate) -> &'static str {
    match other.ratio.verdict {
        _ if other.work == SameWork::Other => "other work",
        Verdict::Better => "faster",
        Verdict::Worse => "slower",
        Verdict::Tie => "no difference seen",
        Verdict::CannotTell => "too few rounds",
    }
}

/// The confidence level of the intervals of ratios, as a column's title.
fn level_title(phase: &PhaseAnswer) -> String {
    let mut levels: Vec<String> = phase.rankings.iter().map(|ranking| format::level(ranking.level)).collect();
    levels.dedup();
    match levels.as_slice() {
        [] => format::level(kurabe_analysis::LEVEL),
        [one] => one.clone(),
        _ => format!("≥ {}", format::level(kurabe_analysis::LEVEL)),
    }
}

/// A metric with its interval.
fn add_metric(table: &mut Table, metric: Metric, rows: &[PhaseRow], rank: u8) {
    let known: Vec<f64> = rows.iter().filter_map(|row| Some(row.figure(metric)?.value)).collect();
    let (title, show): (String, Box<dyn Fn(f64) -> String>) = match metric.unit() {
        MetricUnit::PerSecond => ("op/s".into(), Box::new(format::rate)),
        MetricUnit::Nanoseconds => in_unit(metric, Unit::of_durations(&known)),
        MetricUnit::Bytes => in_unit(metric, Unit::of_sizes(&known)),
    };
    let value = |row: &PhaseRow| row.figure(metric).map_or_else(|| NONE.into(), |figure| show(figure.value));
    table.add(&title, Align::Right, 0, rows.iter().map(value));
    let width = |row: &PhaseRow| {
        let figure = row.figure(metric)?;
        Some(interval(figure.value, figure.interval?, shown_by(metric)))
    };
    table.add("95\u{a0}%", Align::Left, rank, rows.iter().map(|row| width(row).unwrap_or_default()));
}

fn in_unit(metric: Metric, unit: Unit) -> (String, Box<dyn Fn(f64) -> String>) {
    (format!("{metric}\u{a0}{}", unit.sign), Box::new(move |value| unit.show(value)))
}

/// How one figure of a metric is shown by itself.
fn shown_by(metric: Metric) -> fn(f64) -> String {
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

pub(crate) fn interval(value: f64, range: Range, show: fn(f64) -> String) -> String {
    if range.high > WIDEST * range.low {
        return "too wide to tell".into();
    }
    format::interval(value, range.low, range.high, show)
}

/// The interval of a figure; nothing where it has none.
pub(crate) fn width(figure: Option<Figure>, show: fn(f64) -> String) -> String {
    figure.and_then(|figure| Some(interval(figure.value, figure.interval?, show))).unwrap_or_default()
}

fn of_best(row: &PhaseRow) -> String {
    match (&row.status, row.to_best) {
        (Status::Unranked { reason }, _) => reason.short().into(),
        (Status::Floor, _) => "floor".into(),
        (Status::Ranked { .. }, Some(to_best)) => format::ratio(to_best.ratio.value),
        (Status::Ranked { .. }, None) => "1".into(),
    }
}

/// One unit for columns that are read against each other; floors would draw it to units too small for stores.
fn shared_unit(rows: &[PhaseRow], of: fn(&PhaseRow) -> Option<f64>) -> Unit {
    let stores = rows.iter().filter(|row| row.status != Status::Floor).filter_map(of);
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
    table.add_figures("client CPU/op", rank, unit, &client);
    let stack = cpu(|row| row.used.stack_cpu_per_operation_ns);
    if stack.iter().any(Option::is_some) {
        table.add_figures("stack CPU/op", rank, unit, &stack);
    }
    let link = cpu(|row| row.used.link_cpu_per_operation_ns);
    if link.iter().any(Option::is_some) {
        table.add_figures("link CPU/op", rank, unit, &link);
    }
    table.add_figures("service CPU/op", rank, unit, &service);
}

/// One kind: its percentiles. Several kinds (a mix): median and p99 of each.
fn add_latencies(table: &mut Table, rows: &[PhaseRow]) {
    let kinds = kinds(rows);
    let unit = shared_unit(rows, |row| row.latency.first()?.at(0.5).map(|ns| ns as f64));
    for kind in &kinds {
        let prefix = if kinds.len() > 1 { format!("{kind} ") } else { String::new() };
        let quantiles: &[(f64, &str, u8)] = if kinds.len() > 1 {
            &[(0.5, "p50", 3), (0.99, "p99", 4)]
        } else {
            &[(0.5, "p50", 3), (0.99, "p99", 4), (0.999, "p99.9", 7)]
        };
        for (p, title, rank) in quantiles {
            let values: Vec<Option<f64>> =
                rows.iter().map(|row| latency(row, kind).and_then(|found| found.at(*p)).map(|ns| ns as f64)).collect();
            table.add_figures(&format!("{prefix}{title}"), *rank, unit, &values);
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
fn limit_mark(row: &PhaseRow) -> Option<String> {
    if let Some(bottleneck) = &row.bottleneck {
        return Some(bottleneck_mark(bottleneck));
    }
    let limit = row.limit.filter(|limit| limit.client_was_the_limit)?;
    Some(match limit.basis {
        LimitBasis::Service { client_busy, .. } => format!("client {}", format::percent(client_busy)),
        LimitBasis::Floor { share } if share > 1.0 => "floor > 100 %".into(),
        LimitBasis::Floor { share } => format!("floor {}", format::percent(share)),
    })
}

fn bottleneck_mark(bottleneck: &Bottleneck) -> String {
    let part = bottleneck.part.word();
    let mark = match bottleneck.because {
        Tells::Busy { share } => format!("{part} {}", format::percent(share)),
        Tells::Processors { share } => format!("CPUs: {part} {}", format::percent(share)),
        Tells::Waits if bottleneck.part == OnTheWay::Link => part.into(),
        Tells::Waits => format!("{part} waits"),
    };
    match bottleneck.over_map {
        Some(share) => format!("{mark}, map {}", format::percent(share)),
        None => mark,
    }
}

/// What the marks say that tell which part of the way holds a rate.
fn bottleneck_legend(answer: &Answer) -> Vec<&'static str> {
    let rows = answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks: Vec<&Bottleneck> = rows.filter_map(|row| row.bottleneck.as_ref()).collect();
    let any = |is_it: &dyn Fn(&Bottleneck) -> bool| marks.iter().any(|one| is_it(one));
    let all = [
        (
            any(&|one| matches!(one.because, Tells::Busy { .. })),
            "limit client, app, store with a share: so busy is this part of the way, of its threads or of the processors that it can use, and the others are not; app is the services before the store.",
        ),
        (
            any(&|one| one.part == OnTheWay::AppWithStore),
            "app+store: the store is inside the service's process; the same over the store that does nothing, map, would tell which of the two it is.",
        ),
        (
            any(&|one| matches!(one.because, Tells::Processors { .. })),
            "CPUs: all processors of the machine are busy, and so much of their time is that of this part.",
        ),
        (
            any(&|one| one.because == Tells::Waits && one.part == OnTheWay::Store),
            "store waits: no part is busy; the store waits, for its disk or for those who hold a lock.",
        ),
        (
            any(&|one| one.part == OnTheWay::Link),
            "link: no part is busy, and all goes over a link that lets so much through and no more.",
        ),
        (
            any(&|one| one.over_map.is_some()),
            "map: so much of the time of a request the same request takes over the store that does nothing, behind the same services.",
        ),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, says)| says).collect()
}

/// What the words in tables mean that do not speak for themselves, as far as they occur.
pub fn legend(answer: &Answer) -> Vec<String> {
    let rows = || answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks =
        || rows().filter(|row| row.bottleneck.is_none() && limit_mark(row).is_some()).filter_map(|row| row.limit);
    let mut legend = Vec::new();
    if rows().any(|row| row.used.loop_share.is_some()) {
        legend.push("own loop: the part of the stores' time that preparing and checking operations takes; it is in rates and not in latencies.");
    }
    if rows().any(|row| row.used.encoding_share.is_some()) {
        legend.push(
            "encoding: the part of the time that encoding and decoding rows takes; it is in rates and in latencies.",
        );
    }
    if answer.phases.iter().flat_map(|phase| &phase.rankings).any(|ranking| ranking.level > kurabe_analysis::LEVEL) {
        legend.push("intervals of ratios above 95 %: so many pairs are compared that at 95 % each some would look different by chance; at this level that happens to one ranking in twenty at most.");
    }
    if marks().any(|limit| matches!(limit.basis, LimitBasis::Floor { .. })) {
        legend.push("floor: the time of an operation of 'echo', which does nothing, over that of the store; above 5 % the rate is that of the harness in part.");
    }
    if marks().any(|limit| matches!(limit.basis, LimitBasis::Service { .. })) {
        legend.push("client: its threads were busy and the service's cores were not; the rate is that of the client.");
    }
    legend.extend(bottleneck_legend(answer));
    legend.into_iter().map(String::from).collect()
}

/// The harness's own part in the rates of a phase, where it can be told.
fn own_loop(phase: &PhaseAnswer) -> Option<String> {
    let stores = phase.rows.iter().filter(|row| row.status != Status::Floor);
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
    table.add("candidate", Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    add_processor(&mut table, rows, 0);
    let share = |value: Option<f64>| value.map_or_else(|| NONE.into(), format::percent);
    let busy = |row: &PhaseRow| match row.limit.map(|limit| limit.basis) {
        Some(LimitBasis::Service { client_busy, service_busy }) => (Some(client_busy), Some(service_busy)),
        Some(LimitBasis::Floor { .. }) | None => (None, None),
    };
    let floor_share = |row: &PhaseRow| match row.limit.map(|limit| limit.basis) {
        Some(LimitBasis::Floor { share }) => Some(share),
        Some(LimitBasis::Service { .. }) | None => None,
    };
    table.add("client threads busy", Align::Right, 0, rows.iter().map(|row| share(busy(row).0)));
    table.add("service cores busy", Align::Right, 0, rows.iter().map(|row| share(busy(row).1)));
    table.add("floor's share", Align::Right, 0, rows.iter().map(|row| share(floor_share(row))));
    table.add("preparing and checking", Align::Right, 0, rows.iter().map(|row| share(row.used.loop_share)));
    table.add("harness CPU, of one core", Align::Right, 0, rows.iter().map(|row| share(row.used.harness_cpu_share)));
    let memory = |of: fn(&PhaseRow) -> Option<u64>| -> Vec<Option<f64>> {
        rows.iter().map(|row| of(row).map(|bytes| bytes as f64)).collect()
    };
    table.add_in_own_unit("client memory", 0, Unit::of_sizes, &memory(|row| row.used.client_memory_bytes));
    table.add_in_own_unit("service memory", 0, Unit::of_sizes, &memory(|row| row.used.service_memory_bytes));
    table.add("failed", Align::Right, 0, rows.iter().map(|row| format::count(row.failed)));
    table.add("retries", Align::Right, 0, rows.iter().map(|row| format::count(row.retries)));
    table
}

pub(crate) fn a_difference(share: f64) -> String {
    if share < 1.0 { format!("a difference of {}", format::difference(share)) } else { format::difference(share) }
}

/// One line under a phase's name: rounds, what could have been seen, the harness's part.
pub fn phase_subtitle(phase: &PhaseAnswer) -> String {
    let mut parts = Vec::new();
    for ranking in &phase.rankings {
        let class = ranking.class.map(|class| format!("class {class}: ")).unwrap_or_default();
        let seen = ranking.detectable.map(|share| format!(", {} could have been seen", a_difference(share)));
        parts.push(format!("{class}{} rounds{}", ranking.rounds, seen.unwrap_or_default()));
    }
    if parts.is_empty() {
        parts.push("no ranking".into());
    }
    parts.extend(own_loop(phase));
    parts.join("; ")
}

/// What was done amid phases, a row an action and candidate.
pub(crate) fn amid(answer: &Answer) -> Table {
    let rows = &answer.actions;
    let mut table = Table::of_rows(rows.iter().map(|_| Tone::Plain));
    table.add("phase", Align::Left, 1, rows.iter().map(|row| row.phase.clone()));
    let what = |row: &ActionAnswer| format!("{} after {}", row.plan.act, format::duration(row.plan.at_ns as f64));
    table.add("what", Align::Left, 0, rows.iter().map(what));
    table.add("candidate", Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    table.add("jobs", Align::Right, 3, rows.iter().map(|row| format::count(row.done as u64)));
    let spread = |of: Option<Spread>| match of {
        None => NONE.to_string(),
        Some(Spread { least, median, greatest }) => {
            let [least, median, greatest] = [least, median, greatest].map(|ns| format::duration(ns as f64));
            if least == greatest { median } else { format!("{median} ({least} to {greatest})") }
        }
    };
    table.add("took", Align::Right, 2, rows.iter().map(|row| spread(row.lasted_ns)));
    if rows.iter().any(|row| row.recovery_ns.is_some()) {
        table.add("answers again after", Align::Right, 0, rows.iter().map(|row| spread(row.recovery_ns)));
    }
    let came = |row: &ActionAnswer| match (&row.failure, &row.answer) {
        (Some(failure), _) if row.done > 0 => format!("not in {} jobs: {failure}", row.failed),
        (Some(failure), _) => format!("not done: {failure}"),
        (None, Some(answer)) => answer.to_string(),
        (None, None) => String::new(),
    };
    table.add("what came", Align::Left, 4, rows.iter().map(came));
    table
}

/// What every candidate cost beside time.
pub fn resources(answer: &Answer) -> Table {
    let (stores, floors): (Vec<_>, Vec<_>) =
        answer.candidates.iter().partition(|candidate| candidate.kind == StoreKind::Store);
    let all: Vec<&CandidateAnswer> = stores.into_iter().chain(floors).collect();
    let tone = |candidate: &&CandidateAnswer| match candidate.kind {
        StoreKind::Store => Tone::Plain,
        StoreKind::Floor => Tone::Floor,
    };
    // What every client takes is no cost of a store: the least that a floor took is that of the harness.
    let harness = all.iter().filter(|one| one.kind == StoreKind::Floor);
    let harness = harness.filter_map(|one| one.resources.client_memory_bytes).min();
    let mut table = Table::of_rows(all.iter().map(tone));
    table.add("candidate", Align::Left, 0, all.iter().map(|candidate| candidate.name.clone()));
    let memory: Vec<Option<f64>> = all
        .iter()
        .map(|one| Some(one.resources.client_memory_bytes?.saturating_sub(harness.unwrap_or(0)) as f64))
        .collect();
    let mut add = |title: &str, rank: u8, unit_of: fn(&[f64]) -> Unit, of: fn(&Resources) -> Option<f64>| {
        let values: Vec<Option<f64>> = all.iter().map(|candidate| of(&candidate.resources)).collect();
        table.add_in_own_unit(title, rank, unit_of, &values);
    };
    add("on disk/row", 0, Unit::of_sizes, |used| used.disk_per_row_bytes);
    add("written/row", 1, Unit::of_sizes, |used| used.written_per_row_bytes);
    add("settle", 2, Unit::of_durations, |used| used.settle_ns);
    add("service memory", 4, Unit::of_sizes, |used| used.service_memory_bytes.map(|bytes| bytes as f64));
    // What all have in common tells nothing of a store.
    if all.iter().any(|one| one.client != all[0].client) {
        add("client start", 4, Unit::of_durations, |used| used.client_start_ns);
    }
    let title = if harness.is_some() { "client memory above floor" } else { "client memory" };
    table.add_in_own_unit(title, 3, Unit::of_sizes, &memory);
    table
}

/// All percentiles of one kind with their intervals.
pub fn percentiles(rows: &[PhaseRow], kind: &str) -> Table {
    let seen: Vec<(&PhaseRow, &LatencyAnswer)> =
        rows.iter().filter_map(|row| Some((row, latency(row, kind)?))).collect();
    let mut table = Table::of_rows(seen.iter().map(|(row, _)| tone(row)));
    table.add("candidate", Align::Left, 0, seen.iter().map(|(row, _)| row.candidate.clone()));
    table.add("operations", Align::Right, 0, seen.iter().map(|(_, latency)| format::count(latency.count)));
    for (index, title) in ["p50", "p90", "p99", "p99.9"].into_iter().enumerate() {
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
    let max = |latency: &LatencyAnswer| latency.max_ns.map_or_else(|| NONE.into(), |ns| format::duration(ns as f64));
    table.add("max", Align::Right, 0, seen.iter().map(|(_, latency)| max(latency)));
    table
}

/// What a phase is ranked by, in every round.
pub fn rounds(phase: &PhaseAnswer) -> Table {
    let metric = phase.rank_by;
    let values = |row: &PhaseRow| row.rounds(metric).to_vec();
    let rounds = phase.rows.iter().flat_map(values).map(|value| value.round + 1).max().unwrap_or(0);
    let mut table = Table::of_rows(phase.rows.iter().map(tone));
    table.add("candidate", Align::Left, 0, phase.rows.iter().map(|row| row.candidate.clone()));
    for round in 0..rounds {
        let cell = |row: &PhaseRow| {
            let value = row.rounds(metric).iter().find(|value| value.round == round);
            value.map_or_else(|| NONE.into(), |value| figure_of(metric, value.value))
        };
        table.add(&format!("round {}", round + 1), Align::Right, 0, phase.rows.iter().map(cell));
    }
    table
}
