//! What is shown of the candidates in one phase: figures with their intervals, ratios, latencies, places.

use kurabe_protocol::Operation;
use kurabe_record::{Better, Coordinate, DurabilityLevel, Guarantee, Metric, MetricUnit, StoreProfile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bottleneck::Bottleneck;
use crate::leaders::how_many_times;
use crate::reason::Status;

/// One phase over all candidates.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhaseAnswer {
    /// Name.
    pub name: String,
    /// Name in the study, where an axis made several phases of one.
    pub of: Option<String>,
    /// Where it lies on the axes that make phases; empty where there is none.
    pub coordinates: Vec<Coordinate>,
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
    /// The candidates in the order to show: by ranking and place, then the unranked, then the floors.
    pub rows: Vec<PhaseRow>,
}

/// What all candidates of a ranking have in common, where a phase has several rankings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Among {
    /// The level of durability; absent where candidates of all levels are ranked together.
    pub durability: Option<DurabilityLevel>,
    /// How they are set; absent where all are set alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<StoreProfile>,
}

impl Among {
    /// In words, such as `durability power, profile tuned`; `None` where all candidates are ranked together.
    pub fn words(self) -> Option<String> {
        let durability = self.durability.map(|level| format!("durability {level}"));
        let profile = self.profile.map(|profile| format!("profile {profile}"));
        let all: Vec<String> = durability.into_iter().chain(profile).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// A group of candidates that were ranked against each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhaseRanking {
    /// What they are ranked by.
    pub metric: Metric,
    /// What they have in common.
    #[serde(flatten)]
    pub among: Among,
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
    /// What is kept of acknowledged writes; absent where that is unknown or where there is none (floors).
    pub guarantee: Option<Guarantee>,
    /// Flushes of the device for each commit; absent where the phase commits nothing or the device counts none.
    pub flushes_per_commit: Option<f64>,
    /// Whether it has a place, and why not.
    pub status: Status,
    /// What was measured, metric by metric; none where answers were wrong.
    pub metrics: Vec<Series>,
    /// What it is ranked by, relative to the best of its ranking and paired by round; absent for the best itself.
    pub to_best: Option<RatioFigure>,
    /// What is decided between it and the best of its ranking; absent where it has no place.
    pub against_best: Option<AgainstBest>,
    /// Latencies of completed operations, by kind.
    pub latency: Vec<LatencyAnswer>,
    /// The rate over time in one round.
    pub over_time: Option<TimeSeries>,
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
    pub failure: Option<String>,
    /// Attempts that were repeated inside operations, over all rounds.
    pub retries: u64,
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

    /// How many times worse than the best of its ranking it is, by what is ranked; absent for the best itself.
    pub fn times_behind(&self, ranked_by: Metric) -> Option<Figure> {
        self.to_best.map(|to_best| how_many_times(ranked_by, to_best.ratio))
    }

    /// Completed operations a second, over rounds.
    pub fn rate_per_s(&self) -> Option<Figure> {
        self.figure(Metric::Rate)
    }
}

/// A metric of one candidate in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// What it is.
    pub metric: Metric,
    /// Its unit.
    pub unit: MetricUnit,
    /// Which way is better.
    pub better: Better,
    /// Over rounds: those that all of its ranking have in common, where it is ranked by this metric. Absent where a value is
    /// not above zero.
    pub figure: Option<Figure>,
    /// The rounds that have it, in order.
    pub rounds: Vec<RoundValue>,
}

/// The value of a metric in one round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoundValue {
    /// Round, from 0.
    pub round: u32,
    /// In the unit of the metric.
    pub value: f64,
}

/// A figure over rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The geometric mean over rounds.
    pub value: f64,
    /// Its interval, at 95 %, for ratios at the level of their ranking; absent below three rounds.
    pub interval: Option<Range>,
    /// Rounds behind it.
    pub rounds: usize,
}

impl Figure {
    pub(crate) fn of(estimate: kurabe_stats::Estimate) -> Figure {
        let interval = estimate.interval.map(|interval| Range { low: interval.low, high: interval.high });
        Figure { value: estimate.value, interval, rounds: estimate.n }
    }

    /// So many times the figure.
    pub(crate) fn times(self, factor: f64) -> Figure {
        let interval = self.interval.map(|range| Range { low: range.low * factor, high: range.high * factor });
        Figure { value: self.value * factor, interval, ..self }
    }

    /// One over the figure.
    pub fn inverse(self) -> Figure {
        let interval = self.interval.map(|range| Range { low: 1.0 / range.high, high: 1.0 / range.low });
        Figure { value: 1.0 / self.value, interval, ..self }
    }
}

/// Both ends of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A figure of one candidate relative to that of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RatioFigure {
    /// The ratio; 1 means equal.
    pub ratio: Figure,
    /// What the interval says.
    pub verdict: Verdict,
}

impl RatioFigure {
    pub(crate) fn of(ratio: &kurabe_stats::Ratio) -> RatioFigure {
        let verdict = match ratio.verdict {
            kurabe_stats::Verdict::Faster => Verdict::Better,
            kurabe_stats::Verdict::Slower => Verdict::Worse,
            kurabe_stats::Verdict::Tie => Verdict::Tie,
            kurabe_stats::Verdict::CannotTell => Verdict::CannotTell,
        };
        RatioFigure { ratio: Figure::of(ratio.estimate), verdict }
    }

    /// The same ratio for values of a metric of which less is better, where it was computed from their inverses.
    pub(crate) fn of_metric(self, better: Better) -> RatioFigure {
        match better {
            Better::Higher => self,
            Better::Lower => RatioFigure { ratio: self.ratio.inverse(), ..self },
        }
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
    pub(crate) fn of(ranked: &kurabe_stats::Ranking, place: &kurabe_stats::Place, within: f64) -> AgainstBest {
        let decision = ranked.decision(place, within).map(|decision| match decision {
            kurabe_stats::Decision::Better => Decision::Better,
            kurabe_stats::Decision::Worse => Decision::Worse,
            kurabe_stats::Decision::Equivalent => Decision::Equivalent,
            kurabe_stats::Decision::Inconclusive { rounds } => Decision::Inconclusive { rounds },
        });
        AgainstBest {
            may_be_best: place.may_be_best,
            equivalent: place.is_equivalent(within),
            within,
            margin: place.margin,
            decision,
        }
    }
}

/// What the interval of a ratio says about the first candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval lies on the better side of 1.
    Better,
    /// The whole interval lies on the worse side of 1.
    Worse,
    /// The interval includes 1.
    Tie,
    /// Too few rounds for an interval.
    CannotTell,
}

/// Latencies of one kind of operation, merged over rounds and client processes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyAnswer {
    /// Kind.
    pub operation: Operation,
    /// Operations counted.
    pub count: u64,
    /// Percentiles, ascending.
    pub percentiles: Vec<Percentile>,
    /// The largest latency, exact, in ns.
    pub max_ns: Option<u64>,
}

impl LatencyAnswer {
    /// The value at quantile `p` in ns, where it is given.
    pub fn at(&self, p: f64) -> Option<u64> {
        self.percentiles.iter().find(|percentile| percentile.p == p).and_then(|percentile| percentile.value_ns)
    }
}

/// A percentile with its order-statistic interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Percentile {
    /// The quantile: 0.99 for the 99th percentile.
    pub p: f64,
    /// Value in ns; absent where fewer than ten operations lie beyond it.
    pub value_ns: Option<u64>,
    /// Lower end of its 95 % interval, in ns.
    pub low_ns: Option<u64>,
    /// Upper end of its 95 % interval, in ns.
    pub high_ns: Option<u64>,
}

/// The rate over time in one round: the one whose rate is the median of all.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimeSeries {
    /// Round, from 0.
    pub round: u32,
    /// Length of a slot, in ns.
    pub slot_ns: u64,
    /// Completed operations a second, one value a slot.
    pub rates_per_s: Vec<f64>,
}

/// Processor and memory in one phase. Processor times are those of whole process trees over all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PhaseUse {
    /// Client's processor time for one operation, in ns.
    pub client_cpu_per_operation_ns: Option<f64>,
    /// Processor time of the store's own service for one operation, in ns.
    pub service_cpu_per_operation_ns: Option<f64>,
    /// That of the services before the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_cpu_per_operation_ns: Option<f64>,
    /// That of a link that only lets so much through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_cpu_per_operation_ns: Option<f64>,
    /// Harness's processor time over elapsed time: 1 is one core.
    pub harness_cpu_share: Option<f64>,
    /// Share of the workers' time that lies outside any latency (preparation and checks); adapters that block only.
    pub loop_share: Option<f64>,
    /// Share of the client's threads' time that encoding and decoding rows takes; absent where rows are raw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_share: Option<f64>,
    /// Client's memory in bytes, the largest over rounds.
    pub client_memory_bytes: Option<u64>,
    /// Service's memory in bytes, the largest over rounds.
    pub service_memory_bytes: Option<u64>,
}

/// Whether the client was the limit of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClientLimit {
    /// Whether it was.
    pub client_was_the_limit: bool,
    /// The figures that tell.
    pub basis: LimitBasis,
}

/// How it is told whether the client was the limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LimitBasis {
    /// Processor times: the client's threads are at least 90 % busy and the service's cores are not.
    Service {
        /// Client's processor time over threads × elapsed time.
        client_busy: f64,
        /// Service's processor time over usable cores × elapsed time.
        service_busy: f64,
    },
    /// For stores inside the client: the time that an operation of the `echo` floor takes, above 5 % of the store's.
    Floor {
        /// Mean time of an operation of the floor over that of the store.
        share: f64,
    },
}
