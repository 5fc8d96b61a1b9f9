//! Growth: the answers of all sizes, put together candidate by candidate.

use kurabe_protocol::Operation;
use kurabe_record::{CandidateRecord, CutRecord, PhasePlan, RunRecord};
use kurabe_stats::{Exponent, growth_exponent};

use crate::answer::{Answer, Figure, PhaseAnswer, PhaseRow, Range, Reason, Status};
use crate::growth::{Cut, Growth, GrowthCurve, GrowthPoint, GrowthSlope, Judgement};

/// An exponent this near to 1 is called linear: ten times the rows make an operation dearer or cheaper by a quarter at most.
const LINEAR_WITHIN: f64 = 0.1;

/// The growth of every phase over the answers of all sizes, ascending. Candidates stand in the order of `headline`.
pub(crate) fn growth(run: &RunRecord, sizes: &[Answer], headline: &Answer, cuts: &[CutRecord]) -> Vec<Growth> {
    run.phases.iter().map(|plan| phase_growth(run, plan, sizes, headline, cuts)).collect()
}

fn phase_growth(run: &RunRecord, plan: &PhasePlan, sizes: &[Answer], headline: &Answer, cuts: &[CutRecord]) -> Growth {
    let rows = phase_of(headline, plan).map(|phase| phase.rows.as_slice()).unwrap_or_default();
    let known = |row: &PhaseRow| run.candidates.iter().find(|candidate| candidate.name == row.candidate);
    let curve = |candidate: &CandidateRecord| {
        let seen: Vec<(&Answer, &PhaseRow)> = sizes.iter().filter_map(|size| counted(size, plan, candidate)).collect();
        let slope = slope(plan, &seen);
        GrowthCurve {
            candidate: candidate.name.clone(),
            kind: candidate.kind,
            points: seen.iter().filter_map(|(size, row)| point(plan, size, row)).collect(),
            slope,
            judgement: judge(slope),
            cut: cuts.iter().find(|cut| cut.candidate == candidate.name).map(Cut::of),
        }
    };
    Growth {
        phase: plan.phase.name.clone(),
        operation: plan.phase.operation,
        deciding: plan.deciding,
        curves: rows.iter().filter_map(known).map(curve).collect(),
    }
}

fn phase_of<'a>(size: &'a Answer, plan: &PhasePlan) -> Option<&'a PhaseAnswer> {
    size.phases.iter().find(|phase| phase.name == plan.phase.name)
}

/// The row of a candidate at a size, if its answers count there: a place it need not have.
fn counted<'a>(size: &'a Answer, plan: &PhasePlan, candidate: &CandidateRecord) -> Option<(&'a Answer, &'a PhaseRow)> {
    let row = phase_of(size, plan)?.rows.iter().find(|row| row.candidate == candidate.name)?;
    let counts = match &row.status {
        Status::Ranked { .. } | Status::Floor => true,
        Status::Unranked { reason } => {
            matches!(reason, Reason::TooFewRounds { .. } | Reason::Cut { .. } | Reason::BelowDurability { .. })
        }
    };
    counts.then_some((size, row))
}

/// Operations in a total: one a row, but a scan meets every row by itself.
fn operations_of(plan: &PhasePlan, rows: u64) -> f64 {
    if plan.phase.operation == Operation::Scan { 1.0 } else { rows as f64 }
}

fn point(plan: &PhasePlan, size: &Answer, row: &PhaseRow) -> Option<GrowthPoint> {
    let rate_per_s = row.rate_per_s?;
    let resources = size.candidates.iter().find(|one| one.name == row.candidate).map(|one| one.resources);
    Some(GrowthPoint {
        rows: size.rows,
        rate_per_s,
        cost_ns: time_for(1.0, rate_per_s),
        total_ns: time_for(operations_of(plan, size.rows), rate_per_s),
        disk_per_row_bytes: resources.and_then(|resources| resources.disk_per_row_bytes),
        memory_bytes: row.used.service_memory_bytes.or(row.used.client_memory_bytes),
    })
}

/// The time that so many operations take at a rate, in ns.
fn time_for(operations: f64, rate_per_s: Figure) -> Figure {
    let time = |rate: f64| operations * 1e9 / rate;
    Figure {
        value: time(rate_per_s.value),
        interval: rate_per_s.interval.map(|rate| Range { low: time(rate.high), high: time(rate.low) }),
        rounds: rate_per_s.rounds,
    }
}

fn slope(plan: &PhasePlan, seen: &[(&Answer, &PhaseRow)]) -> Option<GrowthSlope> {
    let rounds = seen.iter().flat_map(|(size, row)| row.rounds.iter().map(|round| (size.rows, round.rate_per_s)));
    let points: Vec<(f64, f64)> =
        rounds.map(|(rows, rate)| (rows as f64, operations_of(plan, rows) * 1e9 / rate)).collect();
    let Exponent { value, interval, sizes, n } = growth_exponent(&points)?;
    let interval = interval.map(|interval| Range { low: interval.low, high: interval.high });
    Some(GrowthSlope { value, interval, sizes, values: n })
}

fn judge(slope: Option<GrowthSlope>) -> Judgement {
    match slope.and_then(|slope| slope.interval) {
        Some(Range { low, high }) if low >= 1.0 - LINEAR_WITHIN && high <= 1.0 + LINEAR_WITHIN => Judgement::Linear,
        Some(Range { low, .. }) if low > 1.0 => Judgement::MoreThanLinear,
        Some(Range { high, .. }) if high < 1.0 => Judgement::LessThanLinear,
        _ => Judgement::Undecided,
    }
}
