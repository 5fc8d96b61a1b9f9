//! A store through its clients, judged among themselves: what language and library cost, beside the store.
//!
//! The rankings of the phases hold every candidate against every other. Who asks what a client costs holds the clients
//! of one store against each other: so few pairs are compared at once that they can be told apart in fewer rounds.

use kurabe_record::{AxisValue, Factor, Metric, RunRecord, StoreKind, value_on};
use kurabe_stats::{LEVEL, Ranking, VariancePrior, ranking};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::candidate::CandidateAnswer;
use crate::figures::configuration::CLIENT;
use crate::figures::figure::{Figure, RatioFigure, times_behind};
use crate::figures::resources::Resources;
use crate::findings::axes::counts;
use crate::findings::cells::family;
use crate::grouping::grouped;
use crate::rank::leaders::deciding_or_all;
use crate::rank::phase::{AgainstBest, PhaseAnswer, PhaseRow};
use crate::rank::ranking::{equivalent_within, sharing};

/// A store through its clients.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StoreClients {
    /// What its candidates have in common: the store, and where it lies on other axes.
    pub store: String,
    /// Its clients, best first: by the first phase that decides.
    pub clients: Vec<StoreClient>,
    /// The phases in which a client of it has figures, in the order of the plan.
    pub phases: Vec<ClientsPhase>,
}

/// A client of a store.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StoreClient {
    /// The client, with its driver behind it where it has several.
    pub client: String,
    /// The candidate through which it was measured.
    pub candidate: String,
    /// What it cost beside time.
    pub resources: Resources,
}

/// A phase over the clients of one store.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClientsPhase {
    /// Its name.
    pub phase: String,
    /// Whether its ranking is part of the answer.
    pub deciding: bool,
    /// What its clients are ranked by.
    pub metric: Metric,
    /// Rounds that all of them have in common.
    pub rounds: usize,
    /// Confidence level of the intervals of all ratios to the best (Holm's step-down over the clients of this store).
    pub level: f64,
    /// Smallest relative difference that these rounds would have shown with 80 % power: that of the median pair.
    pub detectable: Option<f64>,
    /// Those that have figures, in the order of ranks.
    pub clients: Vec<ClientRank>,
}

/// A client in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClientRank {
    /// The client.
    pub client: String,
    /// Its rank among the clients of its store; absent below three rounds of what ranks the phase.
    pub rank: Option<usize>,
    /// So many share the rank.
    pub sharing: usize,
    /// What ranks the phase, in the unit of its metric; absent where it lacks that.
    pub figure: Option<Figure>,
    /// Completed operations a second.
    pub rate_per_s: Figure,
    /// Its figure relative to that of the best client, paired by round; absent for the best itself.
    pub to_best: Option<RatioFigure>,
    /// What is decided between it and the best client; absent without a rank.
    pub against_best: Option<AgainstBest>,
    /// 99 in 100 operations are at most so slow, in ns.
    pub p99_ns: Option<Figure>,
    /// Client's processor time for one operation, in ns.
    pub client_cpu_per_operation_ns: Option<f64>,
    /// Service's processor time for one operation, in ns.
    pub service_cpu_per_operation_ns: Option<f64>,
}

impl StoreClients {
    /// The client through which a candidate was measured; none if it is no candidate of this store.
    pub fn client_of(&self, candidate: &str) -> Option<&StoreClient> {
        self.clients.iter().find(|one| one.candidate == candidate)
    }

    /// The phases that decide; all of them where none does.
    pub fn deciding(&self) -> impl Iterator<Item = &ClientsPhase> {
        deciding_or_all(&self.phases, |phase| phase.deciding)
    }
}

impl ClientsPhase {
    /// How a client stands in it.
    pub fn of(&self, client: &str) -> Option<&ClientRank> {
        self.clients.iter().find(|one| one.client == client)
    }
}

impl ClientRank {
    /// How many times worse than the best client it is, by what is ranked; absent for the best itself.
    pub fn times_behind(&self, ranked_by: Metric) -> Option<Figure> {
        self.to_best.map(|to_best| times_behind(ranked_by, to_best.ratio))
    }
}

/// Every store with its clients, where the axis over clients made several candidates of one; else none.
pub(crate) fn of_stores(run: &RunRecord, phases: &[PhaseAnswer], candidates: &[CandidateAnswer]) -> Vec<StoreClients> {
    let with_client = |candidate: &CandidateAnswer| {
        let record = run.candidate(&candidate.name)?;
        // What does not lie on the axis is a store with the one client that it has.
        let client = client_of(&record.factors).unwrap_or_else(|| record.client.clone());
        let store = family(record.root(), &record.factors, CLIENT);
        Some((store, StoreClient { client, candidate: candidate.name.clone(), resources: candidate.resources }))
    };
    let stores = candidates.iter().filter(|one| one.kind == StoreKind::Store).filter_map(with_client);
    let stores: Vec<(String, Vec<StoreClient>)> = grouped(stores);
    if stores.iter().all(|(_, clients)| clients.len() < 2) {
        return Vec::new();
    }
    let within = equivalent_within(run);
    stores.into_iter().map(|(store, clients)| of_store(store, clients, phases, within)).collect()
}

fn client_of(factors: &[Factor]) -> Option<String> {
    value_on(factors, CLIENT).map(AxisValue::to_string)
}

fn of_store(store: String, mut clients: Vec<StoreClient>, phases: &[PhaseAnswer], within: f64) -> StoreClients {
    let (shown, values): (Vec<_>, Vec<_>) = phases.iter().map(|phase| with_figures(phase, &clients)).unzip();
    let priors = VariancePrior::of_fields(&values);
    let phases: Vec<ClientsPhase> = phases
        .iter()
        .zip(shown)
        .zip(values.iter().zip(&priors))
        .map(|((phase, shown), (values, prior))| in_phase(phase, shown, (values, prior), within))
        .filter(|phase| !phase.clients.is_empty())
        .collect();
    let first = phases.iter().find(|phase| phase.deciding).or(phases.first());
    let at = |client: &StoreClient| {
        let position = first.and_then(|phase| phase.clients.iter().position(|one| one.client == client.client));
        position.unwrap_or(usize::MAX)
    };
    clients.sort_by_key(at);
    StoreClients { store, clients, phases }
}

/// The clients that have figures in a phase, and what ranks it in every round so that more is better.
fn with_figures(phase: &PhaseAnswer, clients: &[StoreClient]) -> (Vec<ClientRank>, Vec<Vec<Option<f64>>>) {
    let with_figures = clients.iter().filter_map(|client| {
        let row = phase.rows.iter().find(|row| row.candidate == client.candidate && counts(row))?;
        Some((rank(client, phase.rank_by, row)?, row.oriented(phase.rank_by)))
    });
    with_figures.unzip()
}

/// The clients of one store against each other in one phase, by what ranks it: a client is no other work.
fn in_phase(
    phase: &PhaseAnswer,
    mut shown: Vec<ClientRank>,
    (values, prior): (&[Vec<Option<f64>>], &VariancePrior),
    within: f64,
) -> ClientsPhase {
    let (mut rounds, mut level, mut detectable) = (0, LEVEL, None);
    let (metric, better) = (phase.rank_by, phase.rank_by.better());
    let ranked = ranking(values, prior);
    if let Ranking::Ranked { rounds: common, level: at, detectable: seen, ranks, .. } = &ranked {
        (rounds, level, detectable) = (*common, *at, *seen);
        for one in ranks {
            let client = &mut shown[one.candidate];
            client.rank = Some(one.rank);
            client.sharing = sharing(one, ranks);
            let figure = Figure::of(one.rate).oriented(better);
            client.figure = Some(figure);
            if metric == Metric::Rate {
                client.rate_per_s = figure;
            }
            client.to_best = one.to_best.as_ref().map(|ratio| RatioFigure::of(ratio, better));
            client.against_best = Some(AgainstBest::of(&ranked, one, within));
        }
    }
    let reached = |one: &ClientRank| one.figure.map_or(0.0, |figure| figure.oriented(better).value);
    shown.sort_by(|a, b| {
        let ranks = a.rank.unwrap_or(usize::MAX).cmp(&b.rank.unwrap_or(usize::MAX));
        ranks.then(reached(b).total_cmp(&reached(a)))
    });
    ClientsPhase {
        phase: phase.name.clone(),
        deciding: phase.deciding,
        metric,
        rounds,
        level,
        detectable,
        clients: shown,
    }
}

/// A client before ranks are given; none without a rate.
fn rank(client: &StoreClient, ranked_by: Metric, row: &PhaseRow) -> Option<ClientRank> {
    Some(ClientRank {
        client: client.client.clone(),
        rank: None,
        sharing: 1,
        figure: row.figure(ranked_by),
        rate_per_s: row.rate_per_s()?,
        to_best: None,
        against_best: None,
        p99_ns: row.figure(Metric::P99),
        client_cpu_per_operation_ns: row.used.client_cpu_per_operation_ns,
        service_cpu_per_operation_ns: row.used.service_cpu_per_operation_ns,
    })
}
