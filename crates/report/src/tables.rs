//! The tables that terminal and page share: what is in them. `table.rs` has what they are.

use kurabe_analysis::{
    Absent, ActionAnswer, Answer, Bottleneck, BottleneckEvidence, CandidateAnswer, ComparedPhase, ComparedRate,
    ComparedRow, DiskFaultAnswer, Figure, LEVEL, LatencyAnswer, LimitBasis, LossAnswer, LossFault, NotCounted,
    OpenLoopAnswer, PathPart, PhaseAnswer, PhaseRanking, PhaseRow, Range, Reason, Resources, SameWork, Spread, Stall,
    StallCause, Status, Verdict, disk_fault_message, phrases,
};
use kurabe_messages::{Message, message};
use kurabe_record::{Metric, MetricUnit, StoreKind};

use crate::format::{self, NONE, Unit};
pub(crate) use crate::table::in_unit;
pub use crate::table::{Align, Column, Row, Table, Tone, below_rank, name_column, with_columns};
use crate::text::Text;
use crate::words;

/// The title of a column of intervals of a confidence level.
pub(crate) fn interval_title(level: f64) -> Message {
    message!(table_interval, level = format::level(level))
}

pub(crate) fn tone(row: &PhaseRow) -> Tone {
    match row.status {
        // A tie has no winner.
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
        table.add(message!(word_rank_short), Align::Right, 0, rows.iter().map(rank));
    }
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    let level = |row: &PhaseRow| row.guarantee.map_or_else(|| NONE.to_string(), |kept| kept.level().word().into());
    table.add(message!(word_durability), Align::Left, 5, rows.iter().map(level));
    let flushes =
        |row: &PhaseRow| row.flushes_per_commit.map_or_else(|| NONE.to_string(), |one| format::significant(one, 2));
    if rows.iter().any(|row| row.flushes_per_commit.is_some()) {
        table.add(message!(word_flushes_per_commit), Align::Right, 6, rows.iter().map(flushes));
    }
    if phase.rank_by != Metric::Rate {
        add_metric(&mut table, phase.rank_by, rows, 2);
    }
    add_metric(&mut table, Metric::Rate, rows, 2);
    table.add(message!(word_of_best), Align::Right, 1, rows.iter().map(of_best));
    let ratio_interval = |row: &PhaseRow| width(row.to_best.map(|to_best| to_best.ratio), format::ratio);
    table.add(level_title(phase), Align::Left, 6, rows.iter().map(ratio_interval));
    if rows.iter().any(|row| row.figure(Metric::RowsRate).is_some()) {
        let rows_rate = |row: &PhaseRow| {
            row.figure(Metric::RowsRate).map_or_else(|| NONE.to_string(), |figure| format::rate(figure.value))
        };
        table.add(message!(word_rows_per_s), Align::Right, 4, rows.iter().map(rows_rate));
    }
    let failed = |row: &PhaseRow| if row.failed == 0 { String::new() } else { format::count(row.failed) };
    table.add(message!(word_failed), Align::Right, 1, rows.iter().map(failed));
    add_latencies(&mut table, rows);
    add_planned(&mut table, rows);
    if rows.iter().any(|row| row.stall.is_some()) {
        let stall = |row: &PhaseRow| row.stall.as_ref().map_or_else(|| NONE.to_string().into(), stall);
        table.add(message!(table_stall), Align::Left, 3, rows.iter().map(stall));
    }
    if rows.iter().any(|row| row.used.encoding_share.is_some()) {
        let encoding = |row: &PhaseRow| row.used.encoding_share.map_or_else(|| NONE.to_string(), format::percent);
        table.add(message!(word_encoding), Align::Right, 3, rows.iter().map(encoding));
    }
    add_processor(&mut table, rows, 9);
    let mark = |row: &PhaseRow| saturated(row).map_or_else(Text::default, Text::from);
    table.add(message!(word_saturated), Align::Left, 2, rows.iter().map(mark));
    table
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
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|(row, _)| row.candidate.clone()));
    table.add(message!(word_run), Align::Right, 0, rows.iter().map(|(_, other)| (other.run + 1).to_string()));
    table.add(message!(word_verdict), Align::Left, 0, rows.iter().map(|(_, other)| verdict(phase.metric, other)));
    // Of other work a ratio says nothing.
    let same = |other: &ComparedRate| (other.work == SameWork::Same).then_some(other.ratio.ratio);
    let ratio = |other: &ComparedRate| same(other).map_or_else(|| NONE.to_string(), |one| format::ratio(one.value));
    table.add(message!(word_ratio), Align::Right, 0, rows.iter().map(|(_, other)| ratio(other)));
    let width = |other: &ComparedRate| width(same(other), format::ratio);
    table.add(message!(word_interval), Align::Left, 0, rows.iter().map(|(_, other)| width(other)));
    table.add(message!(word_confidence), Align::Right, 3, rows.iter().map(|(_, other)| format::level(other.level)));
    let seen =
        |other: &ComparedRate| same(other).and(other.detectable).map_or_else(|| NONE.to_string(), format::difference);
    table.add(message!(word_detectable), Align::Right, 2, rows.iter().map(|(_, other)| seen(other)));
    let show = shown_by(phase.metric);
    let first = message!(table_in_run_1, title = words::metric(phase.metric));
    table.add(first, Align::Right, 1, rows.iter().map(|(row, _)| show(row.first.value)));
    table.add(words::metric(phase.metric), Align::Right, 1, rows.iter().map(|(_, other)| show(other.figure.value)));
    let counts =
        |(row, other): &(&ComparedRow, &ComparedRate)| format!("{}, {}", row.first.rounds, other.figure.rounds);
    table.add(message!(word_rounds), Align::Right, 4, rows.iter().map(counts));
    table
}

/// What a ratio says; where the work is not the same it says nothing.
pub(crate) fn verdict(metric: Metric, other: &ComparedRate) -> Message {
    match other.ratio.verdict {
        _ if other.work == SameWork::Other => message!(word_different_work),
        Verdict::Better if metric == Metric::Rate => message!(word_faster),
        Verdict::Worse if metric == Metric::Rate => message!(word_slower),
        Verdict::Better => message!(word_better),
        Verdict::Worse => message!(word_worse),
        Verdict::Tie => message!(word_no_difference),
        Verdict::CannotTell => message!(word_too_few_rounds),
    }
}

/// The confidence level of the intervals of ratios, as a column's title.
fn level_title(phase: &PhaseAnswer) -> Message {
    let mut levels: Vec<f64> = phase.rankings.iter().map(|ranking| ranking.level).collect();
    levels.dedup_by_key(|level| format::level(*level));
    match levels.as_slice() {
        [] => interval_title(LEVEL),
        [one] => interval_title(*one),
        _ => message!(table_interval_from, level = format::level(LEVEL)),
    }
}

/// A metric with its interval.
fn add_metric(table: &mut Table, metric: Metric, rows: &[PhaseRow], rank: u8) {
    let known: Vec<f64> = rows.iter().filter_map(|row| Some(row.figure(metric)?.value)).collect();
    let unit = match metric.unit() {
        MetricUnit::PerSecond => None,
        MetricUnit::Nanoseconds => Some(Unit::of_durations(&known)),
        MetricUnit::Bytes => Some(Unit::of_sizes(&known)),
    };
    let title = unit.map_or_else(|| words::metric(metric), |unit| in_unit(words::metric(metric), unit));
    let show = |value: f64| unit.map_or_else(|| format::rate(value), |unit| unit.show(value));
    let value = |row: &PhaseRow| row.figure(metric).map_or_else(|| NONE.to_string(), |figure| show(figure.value));
    table.add(title, Align::Right, 0, rows.iter().map(value));
    let width = |row: &PhaseRow| {
        let figure = row.figure(metric)?;
        Some(interval(figure.value, figure.interval?, shown_by(metric)))
    };
    table.add(interval_title(LEVEL), Align::Left, rank, rows.iter().map(|row| width(row).unwrap_or_default()));
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

pub(crate) fn interval(value: f64, range: Range, show: fn(f64) -> String) -> String {
    format::interval(value, range.low, range.high, show)
}

/// How many times something became, with its interval.
pub(crate) fn factor(figure: Figure) -> String {
    let range = figure.interval;
    let range = range.map(|range| format!(" ({} … {})", format::ratio(range.low), format::ratio(range.high)));
    format!("{}×{}", format::ratio(figure.value), range.unwrap_or_default())
}

/// The interval of a figure; nothing where it has none.
pub(crate) fn width(figure: Option<Figure>, show: fn(f64) -> String) -> String {
    figure.and_then(|figure| Some(interval(figure.value, figure.interval?, show))).unwrap_or_default()
}

fn of_best(row: &PhaseRow) -> Text {
    match (&row.status, row.to_best) {
        (Status::Unranked { reason }, _) => words::reason(reason).into(),
        (Status::Baseline, _) => message!(word_baseline).into(),
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
    table.add_figures(message!(word_client_cpu_per_op), rank, unit, &client);
    // What `time` tells of a program.
    for (title, of) in [
        (message!(word_user_time), cpu(|row| row.used.program_user_ns)),
        (message!(word_system_time), cpu(|row| row.used.program_system_ns)),
    ] {
        if of.iter().any(Option::is_some) {
            table.add_figures(title, rank, unit, &of);
        }
    }
    let app = cpu(|row| row.used.app_cpu_per_operation_ns);
    if app.iter().any(Option::is_some) {
        table.add_figures(message!(word_app_cpu_per_op), rank, unit, &app);
    }
    let link = cpu(|row| row.used.link_cpu_per_operation_ns);
    if link.iter().any(Option::is_some) {
        table.add_figures(message!(word_link_cpu_per_op), rank, unit, &link);
    }
    table.add_figures(message!(word_service_cpu_per_op), rank, unit, &service);
}

/// One kind: its percentiles. Several kinds (a mix): median and p99 of each.
fn add_latencies(table: &mut Table, rows: &[PhaseRow]) {
    let kinds = kinds(rows);
    let unit = shared_unit(rows, |row| row.latency.first()?.percentile(0.5).map(|ns| ns as f64));
    for kind in &kinds {
        let quantiles = [(0.5, message!(word_p50), 3), (0.99, message!(word_p99), 4), (0.999, message!(word_p999), 7)];
        for (p, title, rank) in quantiles.into_iter().take(if kinds.len() > 1 { 2 } else { 3 }) {
            let value = |row: &PhaseRow| latency(row, kind)?.percentile(p).map(|ns| ns as f64);
            let values: Vec<Option<f64>> = rows.iter().map(value).collect();
            let of_kind = |title: Message| message!(table_of_operation, operation = kind, title);
            let title = if is_open(rows) { message!(table_response, title) } else { title };
            table.add_figures(if kinds.len() > 1 { of_kind(title) } else { title }, rank, unit, &values);
        }
    }
}

fn is_open(rows: &[PhaseRow]) -> bool {
    rows.iter().any(|row| row.open_loop.is_some())
}

/// Of an open loop: what became of all planned operations, and the service time beside the response time.
fn add_planned(table: &mut Table, rows: &[PhaseRow]) {
    if !is_open(rows) {
        return;
    }
    let share = |row: &PhaseRow| {
        row.open_loop.as_ref().map_or_else(|| NONE.to_string(), |one| format::percent(one.done_share()))
    };
    table.add(message!(table_done_of_planned), Align::Right, 1, rows.iter().map(share));
    let unit = shared_unit(rows, |row| row.latency.first()?.percentile(0.5).map(|ns| ns as f64));
    for kind in kinds(rows) {
        let of_kind = |row: &PhaseRow| {
            let service = &row.open_loop.as_ref()?.service;
            service.iter().find(|one| one.operation.word() == kind)?.percentile(0.99).map(|ns| ns as f64)
        };
        let values: Vec<Option<f64>> = rows.iter().map(of_kind).collect();
        table.add_figures(message!(table_service, title = message!(word_p99)), 5, unit, &values);
    }
    let lag = |row: &PhaseRow| row.open_loop.as_ref()?.lag_p99_ns.map(|ns| ns as f64);
    let lags: Vec<Option<f64>> = rows.iter().map(lag).collect();
    table.add_in_own_unit(message!(table_client_lag, title = message!(word_p99)), 8, Unit::of_durations, &lags);
    let mut count = |title: Message, of: fn(&OpenLoopAnswer) -> u64| {
        let count =
            |row: &PhaseRow| row.open_loop.as_ref().map_or_else(|| NONE.to_string(), |one| format::count(of(one)));
        table.add(title, Align::Right, 9, rows.iter().map(count));
    };
    count(message!(table_planned), |one| one.planned);
    count(message!(table_done), |one| one.done);
    count(message!(table_dropped), |one| one.dropped);
    count(message!(table_left_open), |one| one.open);
}

/// How long a stall lasted, when it began, and what happened then.
fn stall(stall: &Stall) -> Text {
    let Stall { lasted_ns: lasted, at_ns: at, .. } = *stall;
    let during = match &stall.during {
        Some(StallCause::Action { act }) => act.to_string(),
        Some(StallCause::Background { what }) => what.clone(),
        None => return message!(table_stall_at, lasted, at).into(),
    };
    message!(table_stall_during, lasted, at, during).into()
}

/// How far response times are from service times in an open loop, for the candidate and the kind where that is most.
pub(crate) fn waits(phase: &PhaseAnswer) -> Option<Message> {
    let p99 = |latency: &LatencyAnswer| latency.percentile(0.99);
    let of_row = |row: &PhaseRow| {
        let service = &row.open_loop.as_ref()?.service;
        let both = row.latency.iter().filter_map(|response| {
            let same = service.iter().find(|one| one.operation == response.operation)?;
            Some((p99(response)?, p99(same)?))
        });
        let widest = both.max_by_key(|(response, service)| response.saturating_sub(*service))?;
        Some((row.candidate.clone(), widest))
    };
    let stores = phase.rows.iter().filter(|row| row.status != Status::Baseline).filter_map(of_row);
    let (candidate, (response, service)) =
        stores.max_by_key(|(_, (response, service))| response.saturating_sub(*service))?;
    Some(message!(table_waits, candidate, response, service))
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

/// What limits the rate: of one behind services each part of the way, else the client.
pub(crate) fn saturated(row: &PhaseRow) -> Option<Message> {
    if let Some(bottleneck) = &row.bottleneck {
        return Some(of_bottleneck(bottleneck));
    }
    let limit = row.limit.filter(|limit| limit.client_was_the_limit)?;
    Some(match limit.basis {
        LimitBasis::Service { client_busy, .. } => with_share(message!(word_client), client_busy),
        LimitBasis::Baseline { share } if share > 1.0 => {
            message!(table_share_above_all, part = message!(word_baseline))
        }
        LimitBasis::Baseline { share } => with_share(message!(word_baseline), share),
    })
}

fn with_share(part: Message, share: f64) -> Message {
    message!(table_share, part, share)
}

fn of_bottleneck(bottleneck: &Bottleneck) -> Message {
    let part = words::part(bottleneck.part);
    let mark = match bottleneck.because {
        BottleneckEvidence::Busy { share } => with_share(part, share),
        BottleneckEvidence::Processors { share } => message!(table_share_of_processors, part, share),
        BottleneckEvidence::Waits if bottleneck.part == PathPart::Link => part,
        BottleneckEvidence::Waits => message!(table_part_waits, part),
    };
    match bottleneck.over_map {
        Some(share) => message!(table_over_map, mark, share),
        None => mark,
    }
}

/// The harness's own share of the rates of a phase, where it is known.
fn harness_overhead(phase: &PhaseAnswer) -> Option<Message> {
    let is_tool = |row: &PhaseRow| matches!(&row.status, Status::Unranked { reason: Reason::NotChecked });
    let stores = phase.rows.iter().filter(|row| row.status != Status::Baseline && !is_tool(row));
    let shares: Vec<f64> = stores.filter_map(|row| row.used.loop_share).collect();
    let low = shares.iter().copied().min_by(f64::total_cmp)?;
    let high = shares.iter().copied().max_by(f64::total_cmp)?;
    Some(if format::percent(low) == format::percent(high) {
        message!(table_overhead, share = low)
    } else {
        message!(table_overhead_range, low, high)
    })
}

/// Processor, memory and failures of a phase.
pub fn usage(phase: &PhaseAnswer) -> Table {
    let rows = &phase.rows;
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
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
    table.add(message!(word_client_threads_busy), Align::Right, 0, rows.iter().map(|row| share(busy(row).0)));
    table.add(message!(word_service_cores_busy), Align::Right, 0, rows.iter().map(|row| share(busy(row).1)));
    table.add(message!(word_baseline_share), Align::Right, 0, rows.iter().map(|row| share(baseline_share(row))));
    table.add(message!(word_harness_overhead), Align::Right, 0, rows.iter().map(|row| share(row.used.loop_share)));
    table.add(message!(word_harness_cpu), Align::Right, 0, rows.iter().map(|row| share(row.used.harness_cpu_share)));
    let memory = |of: fn(&PhaseRow) -> Option<u64>| -> Vec<Option<f64>> {
        rows.iter().map(|row| of(row).map(|bytes| bytes as f64)).collect()
    };
    table.add_in_own_unit(message!(word_client_memory), 0, Unit::of_sizes, &memory(|row| row.used.client_memory_bytes));
    table.add_in_own_unit(
        message!(word_service_memory),
        0,
        Unit::of_sizes,
        &memory(|row| row.used.service_memory_bytes),
    );
    table.add(message!(word_failed), Align::Right, 0, rows.iter().map(|row| format::count(row.failed)));
    table.add(message!(word_retries), Align::Right, 0, rows.iter().map(|row| format::count(row.retries)));
    table
}

/// One line under a phase's name: rounds, the smallest detectable difference, the harness's overhead.
pub fn phase_subtitle(phase: &PhaseAnswer) -> Message {
    let ranking = |ranking: &PhaseRanking| {
        let rounds = message!(table_rounds, rounds = ranking.rounds);
        let among = phrases::scope_names(ranking.among);
        let among = (!among.is_empty()).then(|| message!(table_among, among, about = rounds.clone()));
        let detectable = ranking.detectable.map(|difference| message!(table_detectable, difference));
        std::iter::once(among.unwrap_or(rounds)).chain(detectable)
    };
    let mut parts: Vec<Message> = phase.rankings.iter().flat_map(ranking).collect();
    if parts.is_empty() {
        parts.push(message!(table_no_ranking));
    }
    parts.extend(harness_overhead(phase));
    message!(table_clauses, parts)
}

/// What is not counted, of whom, and why.
pub(crate) fn not_counted(entry: &NotCounted) -> Message {
    let (candidates, reason) = ([entry.candidate.clone()], entry.why.message());
    match entry.phases.as_slice() {
        [] => message!(table_not_counted, candidates, reason),
        phases => message!(table_not_counted_in, candidates, phases, reason),
    }
}

/// Who did not take part, and how to change that.
pub(crate) fn absent(answer: &Answer) -> Vec<Message> {
    let message = |one: &Absent| {
        let (candidate, reason) = (&one.candidate, &one.reason);
        match &one.remedy {
            Some(command) => message!(table_absent_remedy, candidate, reason, command),
            None => message!(table_absent, candidate, reason),
        }
    };
    answer.absent.iter().map(message).collect()
}

/// What was done during phases, a row an action and candidate.
pub(crate) fn actions(answer: &Answer) -> Table {
    let rows = &answer.actions;
    let mut table = Table::of_rows(rows.iter().map(|_| Tone::Plain));
    table.add(message!(word_phase), Align::Left, 1, rows.iter().map(|row| row.phase.clone()));
    let what = |row: &ActionAnswer| match (row.plan.act.to_string(), row.plan.at_ns, row.plan.at_most_ns) {
        (action, time, None) => message!(table_action_at, action, time),
        (action, from, Some(to)) => message!(table_action_between, action, from, to),
    };
    table.add(message!(word_action), Align::Left, 0, rows.iter().map(what));
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    table.add(message!(word_jobs), Align::Right, 3, rows.iter().map(|row| format::count(row.done as u64)));
    table.add(message!(word_duration), Align::Right, 2, rows.iter().map(|row| spread(row.lasted_ns)));
    if rows.iter().any(|row| row.recovery_ns.is_some()) {
        table.add(message!(word_recovery), Align::Right, 0, rows.iter().map(|row| spread(row.recovery_ns)));
    }
    let result = |row: &ActionAnswer| match (&row.failure, &row.answer) {
        (Some(failure), _) if row.done > 0 => message!(table_action_failed_in_jobs, jobs = row.failed, failure).into(),
        (Some(failure), _) => message!(table_action_failed, failure).into(),
        (None, Some(answer)) => answer.to_string().into(),
        (None, None) => Text::default(),
    };
    table.add(message!(word_result), Align::Left, 4, rows.iter().map(result));
    table
}

/// The middle of some times, with the range where they differ.
fn spread(of: Option<Spread>) -> Text {
    let Some(Spread { least, median, greatest }) = of else { return Text::none() };
    let [low, middle, high] = [least, median, greatest].map(|ns| format::duration(ns as f64));
    if low == high { high.into() } else { format!("{middle} ({low} … {high})").into() }
}

/// What kills or power cuts took, a row a candidate.
pub(crate) fn losses(answer: &Answer) -> Table {
    let rows = &answer.losses;
    let tone = |row: &LossAnswer| if row.is_control { Tone::Baseline } else { Tone::Plain };
    let mut table = Table::of_rows(rows.iter().map(tone));
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    let setting = |row: &LossAnswer| row.setting.clone().map_or_else(Text::none, Text::from);
    table.add(message!(word_setting), Align::Left, 1, rows.iter().map(setting));
    let promised = |row: &LossAnswer| row.promised.map_or_else(Text::none, |loss| words::promised(row, loss).into());
    let is_kill = rows.iter().any(|row| row.fault == LossFault::Kill);
    let title = if is_kill { message!(word_loss_on_kill) } else { message!(word_loss_on_power) };
    table.add(title, Align::Left, 0, rows.iter().map(promised));
    let trials = |row: &LossAnswer| message!(loss_cell_trials, lost = row.amiss, trials = row.trials);
    table.add(message!(word_trials_with_loss), Align::Right, 0, rows.iter().map(trials));
    let most = |of: Option<Spread>, format: fn(f64) -> String| {
        of.map_or_else(Text::none, |of| format(of.greatest as f64).into())
    };
    let count = |number: f64| format::count(number as u64);
    table.add(message!(word_lost_writes), Align::Right, 2, rows.iter().map(|row| most(row.lost_writes, count)));
    // Of a single write that is the last there is no time between.
    let times = rows.iter().map(|row| most(row.lost_ns.filter(|time| time.greatest > 0), format::duration));
    table.add(message!(word_lost_time), Align::Right, 2, times);
    if !is_kill {
        let size = |bytes: f64| format::size(bytes);
        let unsynced = rows.iter().map(|row| most(row.unsynced_bytes, size));
        table.add(message!(word_unsynced_bytes), Align::Right, 3, unsynced);
        let syncs =
            |row: &LossAnswer| row.syncs_per_write.map_or_else(Text::none, |syncs| format!("{syncs:.2}").into());
        table.add(message!(word_syncs_per_write), Align::Right, 2, rows.iter().map(syncs));
    }
    let recovery = rows.iter().map(|row| spread(row.recovery_ns));
    table.add(message!(word_recovery), Align::Right, 3, recovery);
    table.add(message!(word_verdict), Align::Left, 0, rows.iter().map(LossAnswer::word));
    table
}

/// What stores did when their disks failed, a row a candidate and fault.
pub(crate) fn disk_faults(answer: &Answer) -> Table {
    let rows = &answer.disk_faults;
    let mut table = Table::of_rows(rows.iter().map(|_| Tone::Plain));
    table.add(message!(word_candidate), Align::Left, 0, rows.iter().map(|row| row.candidate.clone()));
    let setting = |row: &DiskFaultAnswer| row.setting.clone().map_or_else(Text::none, Text::from);
    table.add(message!(word_setting), Align::Left, 3, rows.iter().map(setting));
    table.add(message!(word_disk_fault), Align::Left, 0, rows.iter().map(|row| disk_fault_message(row.fault)));
    table.add(message!(word_trials), Align::Right, 2, rows.iter().map(|row| row.trials.to_string()));
    table.add(message!(word_meanwhile), Align::Left, 0, rows.iter().map(DiskFaultAnswer::during_word));
    table.add(message!(word_afterwards), Align::Left, 0, rows.iter().map(DiskFaultAnswer::after_word));
    table.add(message!(word_resumed), Align::Right, 2, rows.iter().map(|row| spread(row.resumed_ns)));
    table.add(message!(word_acknowledged), Align::Left, 0, rows.iter().map(DiskFaultAnswer::kept_word));
    let said = |row: &DiskFaultAnswer| row.said.clone().map_or_else(Text::none, Text::from);
    table.add(message!(word_said), Align::Left, 4, rows.iter().map(said));
    table
}

/// The resources that every candidate used.
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
    table.add(message!(word_candidate), Align::Left, 0, all.iter().map(|candidate| candidate.name.clone()));
    let memory: Vec<Option<f64>> = all
        .iter()
        .map(|one| Some(one.resources.client_memory_bytes?.saturating_sub(harness.unwrap_or(0)) as f64))
        .collect();
    let mut add = |title: Message, rank: u8, unit_of: fn(&[f64]) -> Unit, of: fn(&Resources) -> Option<f64>| {
        let values: Vec<Option<f64>> = all.iter().map(|candidate| of(&candidate.resources)).collect();
        table.add_in_own_unit(title, rank, unit_of, &values);
    };
    add(message!(word_disk_per_row), 0, Unit::of_sizes, |used| used.disk_per_row_bytes);
    add(message!(word_written_per_row), 1, Unit::of_sizes, |used| used.written_per_row_bytes);
    add(message!(word_flush_time), 2, Unit::of_durations, |used| used.flush_ns);
    add(message!(word_service_memory), 4, Unit::of_sizes, |used| used.service_memory_bytes.map(|bytes| bytes as f64));
    // The same client for all says nothing about a store.
    if all.iter().any(|one| one.client != all[0].client) {
        add(message!(word_client_start), 4, Unit::of_durations, |used| used.client_start_ns);
    }
    let title =
        if harness.is_some() { message!(word_client_memory_above_baseline) } else { message!(word_client_memory) };
    table.add_in_own_unit(title, 3, Unit::of_sizes, &memory);
    table
}

/// All percentiles of one kind with their intervals.
pub fn percentiles(rows: &[PhaseRow], kind: &str) -> Table {
    let seen: Vec<(&PhaseRow, &LatencyAnswer)> =
        rows.iter().filter_map(|row| Some((row, latency(row, kind)?))).collect();
    let mut table = Table::of_rows(seen.iter().map(|(row, _)| tone(row)));
    table.add(message!(word_candidate), Align::Left, 0, seen.iter().map(|(row, _)| row.candidate.clone()));
    table.add(message!(word_operations), Align::Right, 0, seen.iter().map(|(_, latency)| format::count(latency.count)));
    for (index, title) in
        [message!(word_p50), message!(word_p90), message!(word_p99), message!(word_p999)].into_iter().enumerate()
    {
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
    table.add(message!(word_max), Align::Right, 0, seen.iter().map(|(_, latency)| max(latency)));
    table
}
