//! One phase over all candidates: rates, places, ratios and what could have been seen.

use kurabe_record::{CandidateRecord, Class, Floor, Metric, PhasePlan, PhaseRecord, StoreKind};
use kurabe_stats::{
    Estimate, LEVEL, Place, Ranking, UnrankedReason, detectable_difference, median, paired_ratio, ranking,
};

use crate::figures::{Figure, PhaseAnswer, PhaseRanking, PhaseRow, RatioFigure, Series};
use crate::measure::PhaseJob;
use crate::promise::Promise;
use crate::reason::{NotCounted, Reason, Status};
use crate::values::oriented;
use crate::{Input, RankBy, bottleneck, judge, latency, limit, resources, series, troubles, values};

/// A row before places are given, with what it is ranked by in every round; more is better there, whatever the metric.
struct Draft {
    row: PhaseRow,
    values: Vec<Option<f64>>,
}

impl Draft {
    fn can_have_a_place(&self) -> bool {
        matches!(self.row.status, Status::Unranked { reason: Reason::TooFewRounds { .. } })
    }
}

pub(crate) fn phase(input: &Input<'_>, plan: &PhasePlan, not_counted: &mut Vec<NotCounted>) -> PhaseAnswer {
    let mut rows: Vec<PhaseRow> =
        input.candidates().map(|candidate| row(input, candidate, plan, not_counted)).collect();
    let metric = ranked_by(input, plan, &rows);
    let draft = |row: PhaseRow| Draft { values: by_round(input, &row, metric), row };
    let mut drafts: Vec<Draft> = rows.drain(..).map(draft).collect();
    let mut rankings = Vec::new();
    for class in groups(input, plan.phase.writes()) {
        rankings.extend(rank_group(&mut drafts, class, metric));
    }
    rows.extend(drafts.into_iter().map(|draft| draft.row));
    rows.sort_by_key(|row| shown_at(row, &rankings));
    PhaseAnswer {
        name: plan.phase.name.clone(),
        of: plan.of.clone(),
        coordinates: plan.coordinates.clone(),
        operation: plan.phase.operation(),
        deciding: plan.deciding,
        rank_by: metric,
        writes: plan.phase.writes(),
        rankings,
        rows,
    }
}

/// What the candidates of a phase are ranked by; what none of them has is no way to rank them.
fn ranked_by(input: &Input<'_>, plan: &PhasePlan, rows: &[PhaseRow]) -> Metric {
    let has = |metric: &Metric| rows.iter().any(|row| row.series(*metric).is_some());
    let asked = match input.rank_by {
        RankBy::Study => None,
        RankBy::Metric(metric) => Some(metric).filter(has),
    };
    asked.unwrap_or(Some(plan.rank_by).filter(has).unwrap_or_default())
}

/// The values of a metric in the rounds that were started, so that more is better.
fn by_round(input: &Input<'_>, row: &PhaseRow, metric: Metric) -> Vec<Option<f64>> {
    let mut values = vec![None; input.started_rounds()];
    for round in row.rounds(metric) {
        values[round.round as usize] = Some(oriented(metric.better(), round.value));
    }
    values
}

/// Which candidates are ranked against each other.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    All,
    Class(Option<Class>),
}

impl Group {
    fn holds(self, row: &PhaseRow) -> bool {
        match self {
            Group::All => true,
            Group::Class(class) => row.class == class,
        }
    }
}

/// As shipped, stores promise different things: writes are ranked within a class only.
fn groups(input: &Input<'_>, writes: bool) -> Vec<Group> {
    if writes && input.run.plan.durability == Floor::Default {
        [Some(Class::Power), Some(Class::Process), Some(Class::None), None].map(Group::Class).into()
    } else {
        vec![Group::All]
    }
}

fn row(
    input: &Input<'_>,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    not_counted: &mut Vec<NotCounted>,
) -> PhaseRow {
    let jobs = input.phase_jobs(candidate, plan);
    let promise = Promise::of(input, candidate);
    let reason = judge::reason(input.run, candidate, plan, &jobs, &promise)
        .or_else(|| input.not_measured(&candidate.name, jobs.len()));
    let shown: &[PhaseJob<'_>] = if reason.as_ref().is_none_or(judge::shows_rate) { &jobs } else { &[] };
    let metrics = values::all(shown, plan);
    let status = match reason {
        Some(reason) => Status::Unranked { reason },
        None if candidate.kind == StoreKind::Floor => Status::Floor,
        // Until places are given, where everybody gets one or the number of its rounds.
        None => Status::Unranked { reason: Reason::TooFewRounds { rounds: 0 } },
    };
    let records = || jobs.iter().filter_map(|job| job.record);
    let failures: u64 = records().map(PhaseRecord::failed).sum();
    PhaseRow {
        candidate: candidate.name.clone(),
        // Of what never ran nothing is promised.
        class: promise.class.filter(|_| jobs.iter().any(|job| job.ran().is_some())),
        status,
        metrics,
        to_best: None,
        latency: latency::merged(shown, candidate, plan, not_counted),
        over_time: series::median_round(shown),
        used: resources::in_phase(shown, plan),
        limit: limit::client_limit(input, candidate, plan, shown),
        bottleneck: bottleneck::of(input, candidate, plan, shown),
        failed: failures,
        failure: (failures > 0).then(|| troubles::usual_failure(records())),
        retries: records().flat_map(|record| &record.results).map(|result| result.retries).sum(),
    }
}

/// Gives places to the candidates of a group; `None` where nobody has one.
fn rank_group(drafts: &mut [Draft], group: Group, metric: Metric) -> Option<PhaseRanking> {
    let members: Vec<usize> =
        (0..drafts.len()).filter(|at| drafts[*at].can_have_a_place() && group.holds(&drafts[*at].row)).collect();
    let values: Vec<Vec<Option<f64>>> = members.iter().map(|at| drafts[*at].values.clone()).collect();
    let (rounds, level, places, unranked) = match ranking(&values) {
        Ranking::Ranked { rounds, level, places, unranked } => (rounds, level, places, unranked),
        Ranking::NotRanked { unranked } => (0, LEVEL, Vec::new(), unranked),
    };
    for entry in unranked {
        let rounds = match entry.reason {
            UnrankedReason::TooFewRounds { rounds } | UnrankedReason::TooFewCommonRounds { rounds } => rounds,
            UnrankedReason::NotARate => 0,
        };
        drafts[members[entry.candidate]].row.status = Status::Unranked { reason: Reason::TooFewRounds { rounds } };
    }
    for place in &places {
        let row = &mut drafts[members[place.candidate]].row;
        row.status = Status::Ranked { place: place.place, sharing: sharing(place, &places) };
        row.set(metric, place.rate);
        row.to_best = place.to_best.as_ref().map(|ratio| RatioFigure::of(ratio).of_metric(metric.better()));
    }
    let ranked: Vec<usize> = places.iter().map(|place| members[place.candidate]).collect();
    (!ranked.is_empty()).then(|| PhaseRanking {
        metric,
        class: if let Group::Class(class) = group { class } else { None },
        rounds,
        level,
        detectable: detectable(&values, &places, rounds, level),
        candidates: ranked.iter().map(|at| drafts[*at].row.candidate.clone()).collect(),
    })
}

impl PhaseRow {
    /// Puts the estimate over the rounds of its ranking in the place of that over all of its own.
    fn set(&mut self, metric: Metric, estimate: Estimate) {
        let is_it = |series: &&mut Series| series.metric == metric;
        if let Some(series) = self.metrics.iter_mut().find(is_it) {
            let figure = Figure::of(estimate);
            series.figure = Some(match metric.better() {
                kurabe_record::Better::Higher => figure,
                kurabe_record::Better::Lower => figure.inverse(),
            });
        }
    }
}

/// The smallest relative difference that the median pair of those ranked would have shown. `values` are by who was ranked, then
/// by round; the candidates of `places` are indexes into it.
pub(crate) fn detectable(values: &[Vec<Option<f64>>], places: &[Place], rounds: usize, level: f64) -> Option<f64> {
    let mut spreads = Vec::new();
    for (index, a) in places.iter().enumerate() {
        for b in &places[index + 1..] {
            let ratio = paired_ratio(&values[a.candidate], &values[b.candidate]);
            spreads.extend(ratio.and_then(|ratio| ratio.log_sd));
        }
    }
    median(spreads).and_then(|log_sd| detectable_difference(log_sd, rounds, level))
}

/// How many share a place.
pub(crate) fn sharing(place: &Place, places: &[Place]) -> usize {
    places.iter().filter(|other| other.place == place.place).count()
}

/// Where a row is shown: by ranking and place, then the unranked, then the floors.
fn shown_at(row: &PhaseRow, rankings: &[PhaseRanking]) -> (usize, usize) {
    let placed = rankings.iter().enumerate().find_map(|(ranking, entry)| {
        let position = entry.candidates.iter().position(|candidate| *candidate == row.candidate)?;
        Some((ranking, position))
    });
    match row.status {
        Status::Floor => (rankings.len() + 1, 0),
        Status::Ranked { .. } | Status::Unranked { .. } => placed.unwrap_or((rankings.len(), 0)),
    }
}
