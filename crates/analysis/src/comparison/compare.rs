//! Runs side by side: the same phases and candidates of a later run against those of the first.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_record::{CandidateRecord, JobRecord, Metric, PhasePlan, RunRecord, StoreKind};
use kurabe_stats::{LEVEL, UnpairedRatio, rate_estimate, unpaired_ratios};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Answer;
use crate::answer::plans;
use crate::comparison::difference::{Difference, NotCompared, OtherRows, Subject};
use crate::figures::figure::{Figure, RatioFigure};
use crate::figures::reason::Reason;
use crate::rank::phase::{PhaseAnswer, PhaseRow, ranked_alike};
use crate::rank::status::Status;

/// Version of the [`Comparison`]'s format.
pub const COMPARISON_FORMAT: u32 = 2;

/// Several runs, each compared with the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// Version of this format.
    pub format: u32,
    /// The runs, in the order in which they were named.
    pub runs: Vec<ComparedRun>,
    /// Runs whose machine is not that of the first: ratios compare the machines as well.
    pub machines: Vec<OtherMachine>,
    /// Phases in which a run did not do the same work as the first: ratios there say nothing about stores or machines.
    pub other_work: Vec<OtherWork>,
    /// What else differs between the runs beside the figures: versions, settings, study.
    #[schemars(with = "Vec<Message>")]
    pub cautions: Vec<Difference>,
    /// The phases that the first run shares with another.
    pub phases: Vec<ComparedPhase>,
    /// What one run has and another lacks, or what does not count in one of them.
    #[schemars(with = "Vec<Message>")]
    pub not_compared: Vec<NotCompared>,
}

/// A run on a machine that is not that of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherMachine {
    /// Which run, from 0.
    pub run: usize,
    /// What differs, the processor first.
    #[schemars(with = "Vec<Message>")]
    pub differences: Vec<Difference>,
}

/// Phases of a run that do other work than those of the same name in the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OtherWork {
    /// Which run, from 0.
    pub run: usize,
    /// The phases, in the order of the first run.
    pub phases: Vec<String>,
    /// What is not the same in their rows; none where the rows are the same and the operations are not.
    #[schemars(with = "Vec<Message>")]
    pub why: Vec<OtherRows>,
}

/// Whether a phase did the same work in two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SameWork {
    /// It did: the ratio compares stores, versions or machines.
    Same,
    /// It did not: the ratio compares the work as well.
    Other,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedRun {
    /// As it was named.
    pub name: String,
    /// Identity.
    pub run: String,
    /// Study.
    pub study: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Version of Kurabe.
    pub kurabe: String,
    /// The earlier one, from 0, that it is a copy of: it has the same identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<usize>,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedPhase {
    /// Name.
    pub name: String,
    /// What is compared: what ranks it in all runs; the rate where that is not the same.
    pub metric: Metric,
    /// Candidates that the first run shares with another, in the order of the first; baselines last.
    pub rows: Vec<ComparedRow>,
}

/// One candidate in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedRow {
    /// Candidate.
    pub candidate: String,
    /// A store, or a baseline.
    pub kind: StoreKind,
    /// What is compared, in the first run, in the unit of its metric.
    pub first: Figure,
    /// The other runs.
    pub others: Vec<ComparedRate>,
}

/// The figures of a candidate in another run than the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedRate {
    /// Which run, from 0.
    pub run: usize,
    /// Whether the phase did the same work in both.
    pub work: SameWork,
    /// What is compared, there, in the unit of its metric.
    pub figure: Figure,
    /// Its rate there, in operations a second.
    pub rate_per_s: Figure,
    /// What is compared, there relative to the first run; not paired.
    pub ratio: RatioFigure,
    /// Confidence level of the interval of the ratio: all stores of a phase in these two runs are one family.
    pub level: f64,
    /// Smallest relative difference (0.07 is 7 %) that would have been seen with 80 % power.
    pub detectable: Option<f64>,
}

/// A run as it takes part: how it was named, its records and its answer.
pub struct Side<'a> {
    /// As it was named.
    pub name: String,
    /// What it set out to do.
    pub run: &'a RunRecord,
    /// Its jobs.
    pub jobs: &'a [JobRecord],
    /// Its answer.
    pub answer: &'a Answer,
}

/// Compares each run with the first.
pub fn compare(sides: &[Side<'_>]) -> Comparison {
    let mut comparison = Comparison {
        format: COMPARISON_FORMAT,
        runs: (0..sides.len()).map(|index| compared_run(sides, index)).collect(),
        machines: Vec::new(),
        other_work: Vec::new(),
        cautions: Vec::new(),
        phases: Vec::new(),
        not_compared: Vec::new(),
    };
    let Some((first, others)) = sides.split_first() else { return comparison };
    for (index, other) in (1..).zip(others) {
        comparison.other_work.extend(other_work(index, first, other));
        let (differences, cautions): (Vec<_>, Vec<_>) =
            cautions(index, first, other).into_iter().partition(Difference::is_another_machine);
        if !differences.is_empty() {
            comparison.machines.push(OtherMachine { run: index, differences });
        }
        comparison.cautions.extend(cautions);
        comparison.not_compared.extend(missing(index, first, other));
    }
    for phase in &first.answer.phases {
        let of_all = sides.iter().flat_map(|side| &side.answer.phases).filter(|one| one.name == phase.name);
        let metric = ranked_alike(of_all);
        let rows = rows((phase, metric), sides, &comparison.other_work, &mut comparison.not_compared);
        if !rows.is_empty() {
            comparison.phases.push(ComparedPhase { name: phase.name.clone(), metric, rows });
        }
    }
    comparison
}

fn compared_run(sides: &[Side<'_>], index: usize) -> ComparedRun {
    let side = &sides[index];
    ComparedRun {
        name: side.name.clone(),
        run: side.run.id.clone(),
        study: side.run.plan.study.clone(),
        started_at: side.run.started_at.clone(),
        kurabe: side.run.kurabe.clone(),
        copy_of: sides[..index].iter().position(|one| one.run.id == side.run.id),
    }
}

/// A candidate of a phase that two runs share.
struct Shared<'a> {
    /// In the first run.
    row: &'a PhaseRow,
    other: &'a PhaseRow,
    /// What is compared in both, so that more is better.
    sides: [Vec<f64>; 2],
}

fn rows(
    (phase, metric): (&PhaseAnswer, Metric),
    sides: &[Side<'_>],
    other_work: &[OtherWork],
    not_compared: &mut Vec<NotCompared>,
) -> Vec<ComparedRow> {
    let kinds: BTreeMap<&str, StoreKind> =
        sides[0].run.candidates.iter().map(|candidate| (candidate.name.as_str(), candidate.kind)).collect();
    let kind = |row: &PhaseRow| kinds.get(row.candidate.as_str()).copied().unwrap_or(StoreKind::Store);
    let mut found: BTreeMap<&str, Vec<ComparedRate>> = BTreeMap::new();
    for (index, other) in sides.iter().enumerate().skip(1) {
        let shared = shared((phase, metric), index, other, not_compared);
        let does_other = |one: &OtherWork| one.run == index && one.phases.contains(&phase.name);
        let work = if other_work.iter().any(does_other) { SameWork::Other } else { SameWork::Same };
        // Baselines are no claim about stores, and must not widen their intervals.
        for group in [StoreKind::Store, StoreKind::Baseline] {
            let members = of_kind(group, &shared, kind);
            let pairs: Vec<(&[f64], &[f64])> =
                members.iter().map(|one| (one.sides[1].as_slice(), one.sides[0].as_slice())).collect();
            let (ratios, level) = unpaired_ratios(&pairs);
            for (one, ratio) in members.iter().zip(ratios) {
                let rated = ratio.and_then(|ratio| rated(metric, (index, work), one, (&ratio, level)));
                found.entry(&one.row.candidate).or_default().extend(rated);
            }
        }
    }
    let row = |row: &PhaseRow| {
        let others = found.get(row.candidate.as_str()).filter(|others| !others.is_empty())?.clone();
        let first = figure(metric, &values(metric, row))?;
        Some(ComparedRow { candidate: row.candidate.clone(), kind: kind(row), first, others })
    };
    let mut rows: Vec<ComparedRow> = phase.rows.iter().filter_map(row).collect();
    rows.sort_by_key(|row| row.kind == StoreKind::Baseline);
    rows
}

/// Those of a kind, which are one family.
fn of_kind<'s, 'a>(
    group: StoreKind,
    shared: &'s [Shared<'a>],
    kind: impl Fn(&PhaseRow) -> StoreKind,
) -> Vec<&'s Shared<'a>> {
    shared.iter().filter(|one| kind(one.row) == group).collect()
}

fn rated(
    metric: Metric,
    (run, work): (usize, SameWork),
    one: &Shared<'_>,
    (ratio, level): (&UnpairedRatio, f64),
) -> Option<ComparedRate> {
    Some(ComparedRate {
        run,
        work,
        figure: figure(metric, &one.sides[1])?,
        rate_per_s: figure(Metric::Rate, &values(Metric::Rate, one.other))?,
        ratio: RatioFigure::of(&ratio.ratio, metric.better()),
        level: level.max(LEVEL),
        detectable: ratio.detectable,
    })
}

/// A metric over rounds, of values that are oriented so that more is better.
fn figure(metric: Metric, values: &[f64]) -> Option<Figure> {
    rate_estimate(values).map(|estimate| Figure::of(estimate).oriented(metric.better()))
}

/// Candidates of a phase that count in the first run and in this one.
fn shared<'a>(
    (phase, metric): (&'a PhaseAnswer, Metric),
    index: usize,
    other: &Side<'a>,
    not_compared: &mut Vec<NotCompared>,
) -> Vec<Shared<'a>> {
    let Some(theirs) = other.answer.phases.iter().find(|one| one.name == phase.name) else { return Vec::new() };
    let mut shared = Vec::new();
    for row in &phase.rows {
        let Some(their) = theirs.rows.iter().find(|one| one.candidate == row.candidate) else { continue };
        match [(0, row), (index, their)].into_iter().find_map(|(run, row)| Some((run, does_not_count(row)?))) {
            Some((run, reason)) => {
                let (candidate, phase) = (row.candidate.clone(), phase.name.clone());
                let one = NotCompared::NotRanked { candidate, phase, run, reason: reason.clone() };
                if !not_compared.contains(&one) {
                    not_compared.push(one);
                }
            }
            None => shared.push(Shared { row, other: their, sides: [row, their].map(|row| values(metric, row)) }),
        }
    }
    shared
}

/// Too few rounds for a rank are no reason not to show a ratio; everything else is.
fn does_not_count(row: &PhaseRow) -> Option<&Reason> {
    match &row.status {
        Status::Unranked { reason: Reason::TooFewRounds { .. } } | Status::Ranked { .. } | Status::Baseline => None,
        Status::Unranked { reason } => Some(reason),
    }
}

/// A metric in every round that has it, so that more is better.
fn values(metric: Metric, row: &PhaseRow) -> Vec<f64> {
    row.oriented(metric).into_iter().flatten().collect()
}

/// Phases and candidates that only one of the two has.
fn missing(index: usize, first: &Side<'_>, other: &Side<'_>) -> Vec<NotCompared> {
    let candidates = |side: &Side<'_>| side.run.candidates.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    let phases =
        |side: &Side<'_>| plans(side.answer, side.run).iter().map(|plan| plan.phase.name.clone()).collect::<Vec<_>>();
    let lone = |ours: Vec<String>, theirs: Vec<String>| -> Vec<String> {
        ours.into_iter().filter(|name| !theirs.contains(name)).collect()
    };
    let candidates =
        [(0, lone(candidates(first), candidates(other))), (index, lone(candidates(other), candidates(first)))];
    let phases = [(0, lone(phases(first), phases(other))), (index, lone(phases(other), phases(first)))];
    let is_any = |(_, names): &(usize, Vec<String>)| !names.is_empty();
    let candidates = candidates.into_iter().filter(is_any);
    let phases = phases.into_iter().filter(is_any);
    candidates
        .map(|(run, candidates)| NotCompared::Candidates { run, candidates })
        .chain(phases.map(|(run, phases)| NotCompared::Phases { run, phases }))
        .collect()
}

/// The phases of a run that do other work than in the first: all where the rows are others, else those that ask for
/// other operations.
fn other_work(index: usize, first: &Side<'_>, other: &Side<'_>) -> Option<OtherWork> {
    let theirs = plans(other.answer, other.run);
    let rows = other_rows(index, first, other);
    let differs = |plan: &&PhasePlan| {
        let their = theirs.iter().find(|their| their.phase.name == plan.phase.name);
        their.is_some_and(|their| !rows.is_empty() || their.phase != plan.phase)
    };
    let phases = plans(first.answer, first.run).iter().filter(differs).map(|plan| plan.phase.name.clone());
    let found = OtherWork { run: index, phases: phases.collect(), why: rows.clone() };
    (!found.phases.is_empty()).then_some(found)
}

/// What is not the same in the rows of two runs.
fn other_rows(index: usize, first: &Side<'_>, other: &Side<'_>) -> Vec<OtherRows> {
    let (a, b) = (first.run, other.run);
    let data = |run: &RunRecord| run.data.as_ref().map(|data| (data.asked.file.clone(), data.crc32));
    let share = |run: &RunRecord| run.plan.compressible;
    let schema = |side: &Side<'_>| {
        side.run.plan.configurations.get(side.answer.at.configuration as usize).map(|level| level.schema.clone())
    };
    let rows = [first.answer.at.rows, other.answer.at.rows];
    [
        (rows[0] != rows[1]).then_some(OtherRows::Count { run: index, rows }),
        (data(a) != data(b)).then(|| OtherRows::Data { run: index, files: [data(a), data(b)] }),
        (share(a) != share(b)).then(|| OtherRows::Compressible { run: index, shares: [share(a), share(b)] }),
        (schema(first) != schema(other)).then_some(OtherRows::Shape),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What may be the cause of a difference instead of what is asked about.
fn cautions(index: usize, first: &Side<'_>, other: &Side<'_>) -> Vec<Difference> {
    let differences = |candidate: Option<&str>, ours: &Described, theirs: &Described| -> Vec<Difference> {
        let of = |what: &Subject| [ours, theirs].map(|side| side.get(what).cloned().flatten());
        let difference = |what: &Subject| {
            let values = of(what);
            let candidate = candidate.map(str::to_string);
            (values[0] != values[1]).then(|| Difference { run: index, what: what.clone(), candidate, values })
        };
        ours.keys().filter_map(difference).collect()
    };
    let mut cautions = differences(None, &of_run(first.run), &of_run(other.run));
    for candidate in &first.run.candidates {
        let Some(theirs) = other.run.candidate(&candidate.name) else { continue };
        cautions.extend(differences(Some(&candidate.name), &described(first, candidate), &described(other, theirs)));
    }
    cautions
}

/// What is told about a run or a candidate; `None` where it is not known or there is none.
type Described = BTreeMap<Subject, Option<Message>>;

/// A value as others have written it; none where it is empty.
fn value(text: impl std::fmt::Display) -> Message {
    let name = text.to_string();
    if name.is_empty() { message!(word_none) } else { message!(name_quoted, name) }
}

fn of_run(run: &RunRecord) -> Described {
    // A record that does not have the processors by affinity is older than both.
    let quota = || run.machine.quota_words().unwrap_or_else(|| message!(word_none));
    let quota = run.machine.affinity_cores.map(|_| quota());
    // A kernel keeps more or less for itself from start to start: in the size that the modules add up to it is the
    // same.
    let memory_mib = run.machine.memory_bytes.map(|bytes| bytes.div_ceil(1 << 30) * 1024).map(value);
    BTreeMap::from([
        (Subject::Study, Some(value(&run.plan.study))),
        (Subject::Baseline, Some(value(run.plan.durability))),
        (Subject::CacheMib, Some(value(run.plan.cache_mb))),
        (Subject::Transport, Some(value(run.plan.transport))),
        (Subject::Seed, Some(value(run.plan.seed))),
        (Subject::Kurabe, Some(value(&run.kurabe))),
        (Subject::Processor, run.machine.cpu_model.as_ref().map(value)),
        (Subject::Cores, Some(value(run.machine.usable_cores))),
        (Subject::CpuQuota, quota),
        (Subject::Kernel, Some(value(&run.machine.kernel_release))),
        (Subject::MemoryMib, memory_mib),
        (Subject::FileSystem, Some(value(&run.device.file_system))),
    ])
}

fn described(side: &Side<'_>, candidate: &CandidateRecord) -> Described {
    let settings: Vec<String> = candidate.settings.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
    let mut told = BTreeMap::from([
        (Subject::Service, candidate.service_version.as_ref().map(value)),
        (Subject::Transport, Some(value(candidate.transport))),
        (Subject::Durability, candidate.durability.as_ref().map(|one| value(&one.name))),
        (Subject::Client, Some(value(&candidate.client))),
        (Subject::Store, Some(value(&candidate.store))),
        (Subject::Variant, candidate.variant.as_ref().map(value)),
        (Subject::Settings, Some(value(settings.join("; ")))),
    ]);
    let hello = side.jobs.iter().filter(|job| job.candidate == candidate.name).find_map(|job| job.hello.as_ref());
    for (library, version) in hello.iter().flat_map(|hello| &hello.libraries) {
        told.insert(Subject::Library(library.clone()), Some(value(version)));
    }
    told
}
