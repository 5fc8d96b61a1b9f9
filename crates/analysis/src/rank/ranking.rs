//! The phases over all candidates: rates, ranks, ratios and what could have been seen.
//!
//! All rankings of a configuration share what their variances say about each other, so no phase is ranked before all
//! are read.

use kurabe_record::{
    CandidateRecord, Conditions, DurabilityLevel, Guarantee, Metric, MinimumDurability, PhasePlan, PhaseRecord,
    RunRecord, StoreKind,
};
use kurabe_stats::{EQUIVALENT, Estimate, Rank, Ranking, UnrankedReason, VariancePrior, ranking};

use crate::figures::figure::{Figure, RatioFigure};
use crate::figures::guarantee::Promise;
use crate::figures::input::Input;
use crate::figures::metrics::Series;
use crate::figures::open_loop::OpenLoopAnswer;
use crate::figures::phase_job::PhaseJob;
use crate::figures::rate_search::RateSearchAnswer;
use crate::figures::reason::{NotCounted, Reason};
use crate::figures::{bottleneck, client_limit, flushes, latency, metrics, resources, stalls, time_series, troubles};
use crate::rank::eligibility;
use crate::rank::phase::{AgainstBest, PhaseAnswer, PhaseRanking, PhaseRow, RankingScope};
use crate::rank::status::Status;

/// What a phase is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankBy {
    /// What the study says, phase by phase.
    Study,
    /// The same in every phase that has it; the others stay as the study says.
    Metric(Metric),
}

/// A row before ranks are given, with what it is ranked by in every round; more is better there, whatever the metric.
struct Draft {
    row: PhaseRow,
    conditions: Conditions,
    values: Vec<Option<f64>>,
}

impl Draft {
    fn can_be_ranked(&self) -> bool {
        matches!(self.row.status, Status::Unranked { reason: Reason::TooFewRounds { .. } })
    }
}

/// Every phase of the configuration, in the order of the plan.
pub(crate) fn phases(input: &Input<'_>, rank_by: RankBy, not_counted: &mut Vec<NotCounted>) -> Vec<PhaseAnswer> {
    let mut drafts: Vec<PhaseDraft<'_>> =
        input.plan().phases.iter().map(|plan| PhaseDraft::of(input, plan, rank_by, not_counted)).collect();
    let fields: Vec<Table> = drafts.iter().flat_map(|draft| &draft.fields).map(|field| field.values.clone()).collect();
    let priors = VariancePrior::of_fields(&fields);
    let all = drafts.iter_mut().flat_map(|draft| &mut draft.fields);
    all.zip(priors).for_each(|(field, prior)| field.prior = prior);
    let within = equivalent_within(input.run);
    drafts.into_iter().map(|draft| draft.ranked(within)).collect()
}

/// Share below which a difference does not matter: that of the run, else that of the statistics.
pub(crate) fn equivalent_within(run: &RunRecord) -> f64 {
    run.plan.equivalent.unwrap_or(EQUIVALENT)
}

/// By candidate, then by round.
type Table = Vec<Vec<Option<f64>>>;

/// A phase before ranks are given.
struct PhaseDraft<'a> {
    plan: &'a PhasePlan,
    metric: Metric,
    drafts: Vec<Draft>,
    fields: Vec<Field>,
}

/// Candidates that are ranked against each other.
struct Field {
    group: Group,
    /// Which drafts of the phase.
    members: Vec<usize>,
    values: Table,
    prior: VariancePrior,
}

impl<'a> PhaseDraft<'a> {
    fn of(
        input: &Input<'_>,
        plan: &'a PhasePlan,
        rank_by: RankBy,
        not_counted: &mut Vec<NotCounted>,
    ) -> PhaseDraft<'a> {
        let rows: Vec<PhaseRow> =
            input.candidates().map(|candidate| row(input, candidate, plan, not_counted)).collect();
        let metric = ranked_by(rank_by, plan, &rows);
        let conditions = input.candidates().map(|candidate| candidate.conditions(&input.run.plan));
        let draft = |(row, conditions)| Draft { values: by_round(input, &row, metric), conditions, row };
        let drafts: Vec<Draft> = rows.into_iter().zip(conditions).map(draft).collect();
        let groups = groups(input, plan.phase.writes());
        let fields = groups.into_iter().map(|group| Field::of(group, &drafts)).collect();
        PhaseDraft { plan, metric, drafts, fields }
    }

    fn ranked(mut self, within: f64) -> PhaseAnswer {
        let rank = |field: &Field| field.rank(&mut self.drafts, self.metric, within);
        let rankings: Vec<PhaseRanking> = self.fields.iter().filter_map(rank).collect();
        let mut rows: Vec<PhaseRow> = self.drafts.into_iter().map(|draft| draft.row).collect();
        rows.sort_by_key(|row| shown_at(row, &rankings));
        PhaseAnswer {
            name: self.plan.phase.name.clone(),
            base: self.plan.base.clone(),
            factors: self.plan.factors.clone(),
            operation: self.plan.phase.operation(),
            deciding: self.plan.deciding,
            rank_by: self.metric,
            writes: self.plan.phase.writes(),
            rankings,
            rows,
        }
    }
}

/// What the candidates of a phase are ranked by; what none of them has is no way to rank them.
fn ranked_by(rank_by: RankBy, plan: &PhasePlan, rows: &[PhaseRow]) -> Metric {
    let has = |metric: &Metric| rows.iter().any(|row| row.series(*metric).is_some());
    let asked = match rank_by {
        RankBy::Study => None,
        RankBy::Metric(metric) => Some(metric).filter(has),
    };
    asked.unwrap_or(Some(plan.rank_by).filter(has).unwrap_or_default())
}

/// The values of a metric in the rounds that were started, so that more is better.
fn by_round(input: &Input<'_>, row: &PhaseRow, metric: Metric) -> Vec<Option<f64>> {
    let mut values = row.oriented(metric);
    values.resize(input.started_rounds(), None);
    values
}

/// Which candidates are ranked against each other.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    All,
    /// Those whose settings reach this level.
    Level(Option<DurabilityLevel>),
    /// Those of which the axes over durability and profile ask this; the profile is told where there are several.
    Asked(Conditions, RankingScope),
}

impl Group {
    fn holds(self, draft: &Draft) -> bool {
        match self {
            Group::All => true,
            Group::Level(level) => draft.row.guarantee.map(Guarantee::level) == level,
            Group::Asked(conditions, _) => draft.conditions == conditions,
        }
    }

    /// What its candidates have in common, where there are several groups.
    fn among(self) -> RankingScope {
        match self {
            Group::All => RankingScope::default(),
            Group::Level(durability) => RankingScope { durability, ..RankingScope::default() },
            Group::Asked(_, among) => among,
        }
    }
}

/// As shipped, stores keep different things: writes are ranked within a level of durability only. Under each of several
/// conditions candidates are ranked among themselves.
fn groups(input: &Input<'_>, writes: bool) -> Vec<Group> {
    let all = input.run.plan.conditions();
    if let [first, rest @ ..] = all.as_slice()
        && !rest.is_empty()
    {
        let (is_one_minimum, is_one_profile) = (
            rest.iter().all(|one| one.durability == first.durability),
            rest.iter().all(|one| one.profile == first.profile),
        );
        let among = |one: &Conditions| RankingScope {
            durability: one.durability.level().filter(|_| !is_one_minimum),
            window: Some(one.durability).filter(|one| !is_one_minimum && matches!(one, MinimumDurability::Window(_))),
            profile: Some(one.profile).filter(|_| !is_one_profile),
        };
        return all.iter().map(|one| Group::Asked(*one, among(one))).collect();
    }
    if writes && input.run.plan.durability == MinimumDurability::Default {
        let levels = [
            DurabilityLevel::Power,
            DurabilityLevel::Consistent,
            DurabilityLevel::Window,
            DurabilityLevel::Kill,
            DurabilityLevel::Cache,
        ];
        levels.into_iter().map(Some).chain([None]).map(Group::Level).collect()
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
    let reason = eligibility::reason(input.run, candidate, plan, &jobs, &promise)
        .or_else(|| input.not_measured(&candidate.name, jobs.len()));
    let shown: &[PhaseJob<'_>] = if reason.as_ref().is_none_or(eligibility::shows_rate) { &jobs } else { &[] };
    let metrics = metrics::all(shown, plan);
    let status = match reason {
        Some(reason) => Status::Unranked { reason },
        None if candidate.kind == StoreKind::Baseline => Status::Baseline,
        // Until ranks are given, where everybody gets one or the number of its rounds.
        None => Status::Unranked { reason: Reason::TooFewRounds { rounds: 0 } },
    };
    let records = || jobs.iter().filter_map(|job| job.record);
    let failures: u64 = records().map(PhaseRecord::failed).sum();
    PhaseRow {
        candidate: candidate.name.clone(),
        // Of what never ran nothing is promised.
        guarantee: promise.guarantee.filter(|_| jobs.iter().any(|job| job.ran().is_some())),
        status,
        metrics,
        to_best: None,
        against_best: None,
        latency: latency::merged(shown, candidate, plan, not_counted),
        open_loop: OpenLoopAnswer::of(shown),
        rate_search: RateSearchAnswer::of(shown, plan),
        over_time: time_series::median_round(shown),
        stall: stalls::longest(shown, &plan.phase),
        used: resources::in_phase(shown, plan),
        limit: client_limit::client_limit(input, candidate, plan, shown),
        bottleneck: bottleneck::of(input, candidate, plan, shown),
        failed: failures,
        failure: (failures > 0).then(|| troubles::usual_failure(records())),
        flushes_per_commit: flushes::per_commit(shown, plan),
        retries: records().flat_map(|record| &record.results).map(|result| result.retries).sum(),
    }
}

impl Field {
    fn of(group: Group, drafts: &[Draft]) -> Field {
        let is_in = |at: &usize| drafts[*at].can_be_ranked() && group.holds(&drafts[*at]);
        let members: Vec<usize> = (0..drafts.len()).filter(is_in).collect();
        let values = members.iter().map(|at| drafts[*at].values.clone()).collect();
        Field { group, members, values, prior: VariancePrior::NONE }
    }

    /// Gives ranks to its candidates; `None` where nobody has one.
    fn rank(&self, drafts: &mut [Draft], metric: Metric, within: f64) -> Option<PhaseRanking> {
        let ranked = ranking(&self.values, &self.prior);
        let (Ranking::Ranked { unranked, .. } | Ranking::NotRanked { unranked }) = &ranked;
        for entry in unranked {
            let rounds = match entry.reason {
                UnrankedReason::TooFewRounds { rounds } | UnrankedReason::TooFewCommonRounds { rounds } => rounds,
                UnrankedReason::NotARate => 0,
            };
            let reason = Reason::TooFewRounds { rounds };
            drafts[self.members[entry.candidate]].row.status = Status::Unranked { reason };
        }
        let Ranking::Ranked { rounds, level, detectable, ranks, .. } = &ranked else { return None };
        for rank in ranks {
            let row = &mut drafts[self.members[rank.candidate]].row;
            row.status = Status::Ranked { rank: rank.rank, sharing: sharing(rank, ranks) };
            row.set(metric, rank.rate);
            row.to_best = rank.to_best.as_ref().map(|ratio| RatioFigure::of(ratio, metric.better()));
            row.against_best = Some(AgainstBest::of(&ranked, rank, within));
        }
        let name = |rank: &Rank| drafts[self.members[rank.candidate]].row.candidate.clone();
        Some(PhaseRanking {
            metric,
            among: self.group.among(),
            rounds: *rounds,
            level: *level,
            detectable: *detectable,
            candidates: ranks.iter().map(name).collect(),
        })
    }
}

impl PhaseRow {
    /// Puts the estimate over the rounds of its ranking in the place of that over all of its own.
    fn set(&mut self, metric: Metric, estimate: Estimate) {
        let is_it = |series: &&mut Series| series.metric == metric;
        if let Some(series) = self.metrics.iter_mut().find(is_it) {
            series.figure = Some(Figure::of(estimate).oriented(metric.better()));
        }
    }
}

/// How many share a rank.
pub(crate) fn sharing(rank: &Rank, ranks: &[Rank]) -> usize {
    ranks.iter().filter(|other| other.rank == rank.rank).count()
}

/// Where a row is shown: by ranking and rank, then the unranked, then the baselines.
fn shown_at(row: &PhaseRow, rankings: &[PhaseRanking]) -> (usize, usize) {
    let ranked = rankings.iter().enumerate().find_map(|(ranking, entry)| {
        let position = entry.candidates.iter().position(|candidate| *candidate == row.candidate)?;
        Some((ranking, position))
    });
    match row.status {
        Status::Baseline => (rankings.len() + 1, 0),
        Status::Ranked { .. } | Status::Unranked { .. } => ranked.unwrap_or((rankings.len(), 0)),
    }
}
