//! The answer as CSV, for programs: nothing rounded, no separators in numbers, an empty cell where there is no figure.

use kurabe_analysis::{
    Answer, CandidateAnswer, ConfigurationAnswer, ConfigurationRef, Figure, LatencyAnswer, PhaseAnswer, PhaseRow,
    Status, Verdict,
};
use kurabe_record::{AxisValue, Factor, Metric, StoreKind};

use crate::ReportError;
use crate::plain::lines;
use crate::tables::{kinds, latency};

/// Columns before those of latencies.
const COLUMNS: [&str; 50] = [
    "run",
    "study",
    "phase",
    "operation",
    "deciding",
    "candidate",
    "store",
    "kind",
    "durability",
    "rank",
    "sharing",
    "reason",
    "rounds",
    "rate_per_s",
    "rate_low_per_s",
    "rate_high_per_s",
    "ratio_to_best",
    "ratio_low",
    "ratio_high",
    "ratio_level",
    "ratio_verdict",
    "rows_per_s",
    "failed",
    "retries",
    "client_cpu_per_operation_ns",
    "service_cpu_per_operation_ns",
    "app_cpu_per_operation_ns",
    "harness_cpu_share",
    "loop_share",
    "client_memory_bytes",
    "service_memory_bytes",
    "client_was_the_limit",
    "rows",
    "configuration",
    "ranked_by",
    "ranked_value",
    "ranked_low",
    "ranked_high",
    "encoding_share",
    "link_cpu_per_operation_ns",
    "bottleneck",
    "program_user_ns",
    "program_system_ns",
    "loop",
    "planned",
    "dropped",
    "left_open",
    "client_lag_p99_ns",
    "stall_ns",
    "stall_at_ns",
];

/// Percentiles of each kind of operation, by name.
const PERCENTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)];

pub(crate) fn text(answer: &Answer) -> Result<String, ReportError> {
    let kinds = kinds_of(answer);
    let fault = |error: csv::Error| ReportError::Csv(error.to_string());
    // RFC 4180 ends lines in CR LF.
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let mut header: Vec<String> = COLUMNS.iter().map(|name| (*name).to_string()).collect();
    for kind in &kinds {
        let kind = kind.replace('-', "_");
        header.push(format!("{kind}_operations"));
        header.extend(PERCENTILES.iter().map(|(name, _)| format!("{kind}_{name}_ns")));
        header.push(format!("{kind}_max_ns"));
        header.extend(PERCENTILES.iter().map(|(name, _)| format!("{kind}_service_{name}_ns")));
    }
    let axes = axes(answer);
    header.extend(axes.iter().map(|axis| format!("axis_{axis}")));
    writer.write_record(&header).map_err(fault)?;
    for config in configs(answer) {
        for phase in config.phases {
            for row in &phase.rows {
                let mut cells = cells(answer, &config, phase, row);
                kinds.iter().for_each(|kind| cells.extend(latencies(row, kind)));
                cells.extend(axes.iter().map(|axis| on_axis(&config, phase, axis)));
                writer.write_record(cells.into_iter().map(inert)).map_err(fault)?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| ReportError::Csv(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| ReportError::Csv(error.to_string()))
}

/// One configuration of a run.
struct Configured<'a> {
    at: &'a ConfigurationRef,
    phases: &'a [PhaseAnswer],
    candidates: &'a [CandidateAnswer],
}

/// All configurations, in the order of the plan.
fn configs(answer: &Answer) -> Vec<Configured<'_>> {
    fn other(config: &ConfigurationAnswer) -> Configured<'_> {
        Configured { at: &config.at, phases: &config.phases, candidates: &config.candidates }
    }
    let mut configs: Vec<Configured<'_>> = answer.other_configurations.iter().map(other).collect();
    configs.push(Configured { at: &answer.at, phases: &answer.phases, candidates: &answer.candidates });
    configs.sort_by_key(|config| config.at.configuration);
    configs
}

/// Names of the axes that make configurations or phases, each once: a column each.
fn axes(answer: &Answer) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for config in configs(answer) {
        let of_phases = config.phases.iter().flat_map(|phase| &phase.factors);
        for one in config.at.factors.iter().chain(of_phases).filter(|one| one.axis != "rows") {
            if !names.contains(&one.axis) {
                names.push(one.axis.clone());
            }
        }
    }
    names
}

/// Where a phase of a configuration lies on an axis.
fn on_axis(config: &Configured<'_>, phase: &PhaseAnswer, axis: &str) -> String {
    let all = || config.at.factors.iter().chain(&phase.factors);
    let found = all().find(|one: &&Factor| one.axis == axis);
    found.map(|one| &one.value).map(AxisValue::to_string).unwrap_or_default()
}

/// All kinds of operation with latencies, each once, in the order of their codes.
fn kinds_of(answer: &Answer) -> Vec<String> {
    let phases = configs(answer).into_iter().flat_map(|config| config.phases);
    let rows: Vec<PhaseRow> = phases.flat_map(|phase| phase.rows.clone()).collect();
    kinds(&rows)
}

fn cells(answer: &Answer, config: &Configured<'_>, phase: &PhaseAnswer, row: &PhaseRow) -> Vec<String> {
    let candidate = config.candidates.iter().find(|candidate| candidate.name == row.candidate);
    let (rank, sharing, reason) = match &row.status {
        Status::Ranked { rank, sharing } => (rank.to_string(), sharing.to_string(), String::new()),
        Status::Baseline => (String::new(), String::new(), String::new()),
        Status::Unranked { reason } => (String::new(), String::new(), reason.message().to_string()),
    };
    let ranking = phase.rankings.iter().find(|ranking| ranking.candidates.contains(&row.candidate));
    let (ratio, open_loop) = (row.to_best, row.open_loop.as_ref());
    let [rate, rate_low, rate_high] = figure(row.rate_per_s());
    let [ranked, ranked_low, ranked_high] = figure(row.figure(phase.rank_by));
    let [ratio_value, ratio_low, ratio_high] = figure(ratio.map(|ratio| ratio.ratio));
    vec![
        answer.run.clone(),
        answer.study.clone(),
        phase.name.clone(),
        phase.operation.word().to_string(),
        phase.deciding.to_string(),
        row.candidate.clone(),
        candidate.map(|candidate| candidate.store.clone()).unwrap_or_default(),
        candidate.map(kind_word).unwrap_or_default().to_string(),
        row.guarantee.map(|kept| kept.level().word().to_string()).unwrap_or_default(),
        rank,
        sharing,
        reason,
        row.rounds(Metric::Rate).len().to_string(),
        rate,
        rate_low,
        rate_high,
        ratio_value,
        ratio_low,
        ratio_high,
        ratio.and(ranking).map(|ranking| ranking.level.to_string()).unwrap_or_default(),
        ratio.map(|ratio| verdict(ratio.verdict).to_string()).unwrap_or_default(),
        number(row.figure(Metric::RowsRate).map(|figure| figure.value)),
        row.failed.to_string(),
        row.retries.to_string(),
        number(row.used.client_cpu_per_operation_ns),
        number(row.used.service_cpu_per_operation_ns),
        number(row.used.app_cpu_per_operation_ns),
        number(row.used.harness_cpu_share),
        number(row.used.loop_share),
        number(row.used.client_memory_bytes),
        number(row.used.service_memory_bytes),
        number(row.limit.map(|limit| limit.client_was_the_limit)),
        config.at.rows.to_string(),
        config.at.configuration.to_string(),
        phase.rank_by.to_string(),
        ranked,
        ranked_low,
        ranked_high,
        number(row.used.encoding_share),
        number(row.used.link_cpu_per_operation_ns),
        row.bottleneck.map(|bottleneck| bottleneck.part.word().to_string()).unwrap_or_default(),
        number(row.used.program_user_ns),
        number(row.used.program_system_ns),
        if open_loop.is_some() { "open" } else { "closed" }.to_string(),
        number(open_loop.map(|one| one.planned)),
        number(open_loop.map(|one| one.dropped)),
        number(open_loop.map(|one| one.open)),
        number(open_loop.and_then(|one| one.lag_p99_ns)),
        number(row.stall.as_ref().map(|stall| stall.lasted_ns)),
        number(row.stall.as_ref().map(|stall| stall.at_ns)),
    ]
}

/// A text that a spreadsheet would take for a formula, with an apostrophe before it; numbers and other texts as they are. An
/// escape in it is shown, as it would be in a terminal.
fn inert(cell: String) -> String {
    let cell = if cell.contains(char::is_control) { lines(&cell) } else { cell };
    let runs = cell.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && cell.parse::<f64>().is_err();
    if runs { format!("'{cell}") } else { cell }
}

fn kind_word(candidate: &CandidateAnswer) -> &'static str {
    match candidate.kind {
        StoreKind::Store => "store",
        StoreKind::Baseline => "baseline",
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "faster",
        Verdict::Worse => "slower",
        Verdict::Tie => "tie",
        Verdict::CannotTell => "cannot-tell",
    }
}

/// The latencies of a kind, response times where the loop is open, and its service times.
fn latencies(row: &PhaseRow, kind: &str) -> Vec<String> {
    let percentiles = |found: &LatencyAnswer| PERCENTILES.map(|(_, p)| number(found.percentile(p)));
    let Some(found) = latency(row, kind) else { return vec![String::new(); 2 * PERCENTILES.len() + 2] };
    let service = match &row.open_loop {
        None => Some(found),
        Some(open_loop) => open_loop.service.iter().find(|one| one.operation.word() == kind),
    };
    let mut cells = vec![found.count.to_string()];
    cells.extend(percentiles(found));
    cells.push(number(found.max_ns));
    cells.extend(service.map_or_else(|| PERCENTILES.map(|_| String::new()), percentiles));
    cells
}

fn figure(figure: Option<Figure>) -> [String; 3] {
    let interval = figure.and_then(|figure| figure.interval);
    [
        number(figure.map(|figure| figure.value)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
    ]
}

fn number<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
