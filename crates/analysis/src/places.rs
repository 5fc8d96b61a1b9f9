//! One phase over all candidates: rates, places, ratios and what could have been seen.

use kurabe_record::{CandidateRecord, Class, Floor, PhasePlan, StoreKind};
use kurabe_stats::{LEVEL, Ranking, UnrankedReason, detectable_difference, paired_ratio, ranking, rate_estimate};

use crate::answer::{Figure, NotCounted, PhaseAnswer, PhaseRanking, PhaseRow, RatioFigure, Reason, RoundRate, Status};
use crate::measure::{PhaseJob, failed, median};
use crate::promise::Promise;
use crate::{Input, judge, latency, limit, resources, series, troubles};

/// A row before places are given, with its rate in every round.
struct Draft {
    row: PhaseRow,
    rates: Vec<Option<f64>>,
}

impl Draft {
    fn can_have_a_place(&self) -> bool {
        matches!(self.row.status, Status::Unranked { reason: Reason::TooFewRounds { .. } })
    }
}

pub(crate) fn phase(input: &Input<'_>, plan: &PhasePlan, not_counted: &mut Vec<NotCounted>) -> PhaseAnswer {
    let mut drafts: Vec<Draft> =
        input.run.candidates.iter().map(|candidate| draft(input, candidate, plan, not_counted)).collect();
    let writes = plan.phase.writes();
    let mut rankings = Vec::new();
    for class in classes(input, &drafts, writes) {
        rankings.extend(rank_group(&mut drafts, class));
    }
    let mut rows: Vec<PhaseRow> = drafts.into_iter().map(|draft| draft.row).collect();
    rows.sort_by_key(|row| shown_at(row, &rankings));
    PhaseAnswer {
        name: plan.phase.name.clone(),
        operation: plan.phase.operation,
        deciding: plan.deciding,
        writes,
        rankings,
        rows,
    }
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
fn classes(input: &Input<'_>, drafts: &[Draft], writes: bool) -> Vec<Group> {
    if !(writes && input.run.durability == Floor::Default) {
        return vec![Group::All];
    }
    let all = [Some(Class::Power), Some(Class::Process), Some(Class::None), None];
    let taken =
        |class: &Option<Class>| drafts.iter().any(|draft| draft.can_have_a_place() && draft.row.class == *class);
    all.into_iter().filter(taken).map(Group::Class).collect()
}

fn draft(input: &Input<'_>, candidate: &CandidateRecord, plan: &PhasePlan, not_counted: &mut Vec<NotCounted>) -> Draft {
    let jobs = input.phase_jobs(candidate, plan);
    let promise = Promise::of(input, candidate);
    let reason = judge::reason(input.run, candidate, plan, &jobs, &promise)
        .or_else(|| input.not_measured(&candidate.name, jobs.len()));
    let mut rates = vec![None; input.started_rounds()];
    for job in &jobs {
        rates[job.job.round as usize] = job.rate_per_s();
    }
    let shown: &[PhaseJob<'_>] = if reason.as_ref().is_none_or(judge::shows_rate) { &jobs } else { &[] };
    let status = match reason {
        Some(reason) => Status::Unranked { reason },
        None if candidate.kind == StoreKind::Floor => Status::Floor,
        None => Status::Unranked { reason: Reason::TooFewRounds { rounds: rates.iter().flatten().count() } },
    };
    let records = || jobs.iter().filter_map(|job| job.record);
    let failures: u64 = records().map(failed).sum();
    let row = PhaseRow {
        candidate: candidate.name.clone(),
        // Of what never ran nothing is promised.
        class: promise.class.filter(|_| jobs.iter().any(|job| job.ran().is_some())),
        status,
        rate_per_s: figure(shown.iter().filter_map(PhaseJob::rate_per_s)),
        rows_per_s: figure(shown.iter().filter_map(PhaseJob::rows_per_s)),
        rounds: shown.iter().filter_map(round_rate).collect(),
        to_best: None,
        latency: latency::merged(shown, candidate, plan, not_counted),
        series: series::median_round(shown),
        used: resources::in_phase(shown, plan),
        limit: limit::client_limit(input, candidate, plan, shown),
        failed: failures,
        failure: (failures > 0).then(|| troubles::usual_failure(records())),
        retries: records().flat_map(|record| &record.results).map(|result| result.retries).sum(),
    };
    Draft { row, rates }
}

fn figure(values: impl Iterator<Item = f64>) -> Option<Figure> {
    rate_estimate(&values.collect::<Vec<f64>>()).map(Figure::of)
}

fn round_rate(job: &PhaseJob<'_>) -> Option<RoundRate> {
    Some(RoundRate { round: job.job.round, rate_per_s: job.rate_per_s()? })
}

/// Gives places to the candidates of a group; `None` where nobody has one.
fn rank_group(drafts: &mut [Draft], group: Group) -> Option<PhaseRanking> {
    let members: Vec<usize> =
        (0..drafts.len()).filter(|at| drafts[*at].can_have_a_place() && group.holds(&drafts[*at].row)).collect();
    let values: Vec<Vec<Option<f64>>> = members.iter().map(|at| drafts[*at].rates.clone()).collect();
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
        let sharing = places.iter().filter(|other| other.place == place.place).count();
        let row = &mut drafts[members[place.candidate]].row;
        row.status = Status::Ranked { place: place.place, sharing };
        row.rate_per_s = Some(Figure::of(place.rate));
        row.to_best = place.to_best.as_ref().map(RatioFigure::of);
    }
    let ranked: Vec<usize> = places.iter().map(|place| members[place.candidate]).collect();
    (!ranked.is_empty()).then(|| PhaseRanking {
        class: if let Group::Class(class) = group { class } else { None },
        rounds,
        level,
        detectable: detectable(drafts, &ranked, rounds, level),
        candidates: ranked.iter().map(|at| drafts[*at].row.candidate.clone()).collect(),
    })
}

/// What the median pair of ranked candidates could have shown.
fn detectable(drafts: &[Draft], ranked: &[usize], rounds: usize, level: f64) -> Option<f64> {
    let mut spreads = Vec::new();
    for (index, a) in ranked.iter().enumerate() {
        for b in &ranked[index + 1..] {
            let ratio = paired_ratio(&drafts[*a].rates, &drafts[*b].rates);
            spreads.extend(ratio.and_then(|ratio| ratio.log_sd));
        }
    }
    median(spreads).and_then(|log_sd| detectable_difference(log_sd, rounds, level))
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
