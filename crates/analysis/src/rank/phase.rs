//! What is shown of the candidates in one phase: figures with their intervals, ratios, latencies, ranks.

use kurabe_messages::Message;
use kurabe_protocol::Operation;
use kurabe_record::{DurabilityLevel, Factor, Guarantee, Metric, MinimumDurability, StoreProfile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::bottleneck::Bottleneck;
use crate::figures::client_limit::ClientLimit;
use crate::figures::figure::{Figure, RatioFigure, times_behind};
use crate::figures::latency::LatencyAnswer;
use crate::figures::metrics::{RoundValue, Series, oriented};
use crate::figures::open_loop::OpenLoopAnswer;
use crate::figures::rate_search::RateSearchAnswer;
use crate::figures::resources::PhaseUse;
use crate::figures::stalls::Stall;
use crate::figures::time_series::TimeSeries;
use crate::rank::status::Status;

/// One phase over all candidates.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhaseAnswer {
    /// Name.
    pub name: String,
    /// Name in the study, where an axis made several phases of one.
    pub base: Option<String>,
    /// Where it lies on the axes that make phases; empty where there is none.
    pub factors: Vec<Factor>,
    /// Kind of operation.
    pub operation: Operation,
    /// Whether its ranking is part of the answer.
    pub deciding: bool,
    /// What its candidates are ranked by.
    pub rank_by: Metric,
    /// Whether it writes.
    pub writes: bool,
    /// The rankings: one, or one a level of durability where stores run as shipped and the phase writes.
    pub rankings: Vec<PhaseRanking>,
    /// The candidates in the order to show: by ranking and rank, then the unranked, then the baselines.
    pub rows: Vec<PhaseRow>,
}

/// What all candidates of a ranking have in common, where a phase has several rankings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RankingScope {
    /// The level of durability; absent where candidates of all levels are ranked together.
    pub durability: Option<DurabilityLevel>,
    /// The window that was allowed, where their level is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<MinimumDurability>,
    /// How they are set; absent where all are set alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<StoreProfile>,
}

/// A group of candidates that were ranked against each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhaseRanking {
    /// What they are ranked by.
    pub metric: Metric,
    /// What they have in common.
    #[serde(flatten)]
    pub among: RankingScope,
    /// Rounds that all of them have in common.
    pub rounds: usize,
    /// Confidence level of the intervals of all ratios to the best: 0.95, or more where so many pairs of candidates are
    /// compared that some would look different by chance (Holm's step-down).
    pub level: f64,
    /// The ranked candidates, best first.
    pub candidates: Vec<String>,
    /// Smallest relative difference (0.07 is 7 %) that this many rounds would have shown with 80 % power: that of the
    /// median pair. Absent below two candidates.
    pub detectable: Option<f64>,
}

/// One candidate in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhaseRow {
    /// Candidate.
    pub candidate: String,
    /// What is kept of acknowledged writes; absent where that is unknown or where there is none (baselines).
    pub guarantee: Option<Guarantee>,
    /// Flushes of the device for each commit; absent where the phase commits nothing or the device counts none.
    pub flushes_per_commit: Option<f64>,
    /// Whether it is ranked, and why not.
    pub status: Status,
    /// What was measured, metric by metric; none where answers were wrong.
    pub metrics: Vec<Series>,
    /// What it is ranked by, relative to the best of its ranking and paired by round; absent for the best itself.
    pub to_best: Option<RatioFigure>,
    /// What is decided between it and the best of its ranking; absent where it is not ranked.
    pub against_best: Option<AgainstBest>,
    /// Latencies of completed operations, by kind: response times in an open loop, else service times.
    pub latency: Vec<LatencyAnswer>,
    /// What became of planned operations; absent in a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoopAnswer>,
    /// Response times at several rates, where the phase searches for the highest; the other figures are of that rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_search: Option<RateSearchAnswer>,
    /// The rate over time in one round.
    pub over_time: Option<TimeSeries>,
    /// The longest time in which next to nothing was completed, over all rounds; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall: Option<Stall>,
    /// Processor and memory.
    pub used: PhaseUse,
    /// Whether the client was the limit, where that can be told.
    pub limit: Option<ClientLimit>,
    /// Of one behind services, which part of the way holds its rate, where that can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Bottleneck>,
    /// Operations that failed, over all rounds.
    pub failed: u64,
    /// The most frequent message of those that failed; absent where none did.
    pub failure: Option<Message>,
    /// Attempts that were repeated inside operations, over all rounds.
    pub retries: u64,
}

/// A client that is less late is in time, in ns.
const LEAST_LATE_NS: u64 = 50_000;

/// What ranks all of these that were measured; the rate, which all of them have, where they are not ranked alike.
pub(crate) fn ranked_alike<'a>(phases: impl Iterator<Item = &'a PhaseAnswer>) -> Metric {
    let mut measured = phases.filter(|phase| phase.rows.iter().any(|row| !row.metrics.is_empty()));
    let first = measured.next().map_or_else(Metric::default, |phase| phase.rank_by);
    if measured.all(|phase| phase.rank_by == first) { first } else { Metric::default() }
}

impl PhaseRow {
    /// The values of a metric; `None` where it has none.
    pub fn series(&self, metric: Metric) -> Option<&Series> {
        self.metrics.iter().find(|series| series.metric == metric)
    }

    /// A metric over rounds.
    pub fn figure(&self, metric: Metric) -> Option<Figure> {
        self.series(metric)?.figure
    }

    /// A metric in every round that has it.
    pub fn rounds(&self, metric: Metric) -> &[RoundValue] {
        self.series(metric).map(|series| series.rounds.as_slice()).unwrap_or_default()
    }

    /// A metric by round, as statistics take it: element i is round i.
    pub(crate) fn by_round(&self, metric: Metric) -> Vec<Option<f64>> {
        let rounds = self.rounds(metric);
        let mut values = vec![None; rounds.iter().map(|round| round.round as usize + 1).max().unwrap_or(0)];
        rounds.iter().for_each(|round| values[round.round as usize] = Some(round.value));
        values
    }

    /// The same so that more is better, whatever the metric: what ranks and ratios are computed from.
    pub(crate) fn oriented(&self, metric: Metric) -> Vec<Option<f64>> {
        let orient = |value: f64| oriented(metric.better(), value);
        self.by_round(metric).into_iter().map(|value| value.map(orient)).collect()
    }

    /// How many times worse than the best of its ranking it is, by what is ranked; absent for the best itself.
    pub fn times_behind(&self, ranked_by: Metric) -> Option<Figure> {
        self.to_best.map(|to_best| times_behind(ranked_by, to_best.ratio))
    }

    /// How late the client itself was with 99 of 100 planned operations, in ns, where that is a part of its response times that counts:
    /// 50 µs or more, and a tenth of the median.
    pub fn late_ns(&self) -> Option<u64> {
        let median_ns = self.latency.iter().filter_map(|kind| kind.percentile(0.5)).min();
        let least_ns = LEAST_LATE_NS.max(median_ns.unwrap_or(0) / 10);
        self.open_loop.as_ref().and_then(|open_loop| open_loop.lag_p99_ns).filter(|lag_ns| *lag_ns >= least_ns)
    }

    /// Completed operations a second, over rounds.
    pub fn rate_per_s(&self) -> Option<Figure> {
        self.figure(Metric::Rate)
    }
}

/// What is decided between a ranked candidate and the best of its ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgainstBest {
    /// Whether it may be the best itself: no other candidate is shown to be better.
    pub may_be_best: bool,
    /// Whether it is shown to be equivalent to the best within `within`; the best itself is.
    pub equivalent: bool,
    /// Differences up to this share do not matter (0.2 is ±20 %).
    pub within: f64,
    /// The smallest such share within which it is shown to be equivalent; absent where there is none.
    pub margin: Option<f64>,
    /// The decision; absent for the best itself.
    pub decision: Option<Decision>,
}

/// What is decided between two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Decision {
    /// The first is better.
    Better,
    /// The first is worse.
    Worse,
    /// No difference is shown, and that none is larger than the margin is.
    Equivalent,
    /// Neither is shown.
    Inconclusive {
        /// Rounds in all that would decide it if estimate and spread stayed as they are; absent above 100.
        rounds: Option<usize>,
    },
}

impl AgainstBest {
    pub(crate) fn of(ranked: &kurabe_stats::Ranking, rank: &kurabe_stats::Rank, within: f64) -> AgainstBest {
        let decision = ranked.decision(rank, within).map(|decision| match decision {
            kurabe_stats::Decision::Better => Decision::Better,
            kurabe_stats::Decision::Worse => Decision::Worse,
            kurabe_stats::Decision::Equivalent => Decision::Equivalent,
            kurabe_stats::Decision::Inconclusive { rounds } => Decision::Inconclusive { rounds },
        });
        AgainstBest {
            may_be_best: rank.may_be_best,
            equivalent: rank.is_equivalent(within),
            within,
            margin: rank.margin,
            decision,
        }
    }
}
