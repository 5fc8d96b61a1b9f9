//! What the rules see of a run.

use kurabe_protocol::Operation;
use kurabe_record::{
    About, AxisValue, CandidateRecord, Conditions, Guarantee, KnownStore, Metric, MinimumDurability, PhasePlan,
    RunRecord, Slo, StoreKind, UsedBy, value_on,
};

use super::evidence::Evidence;
use super::{Held, Slow, Standing, Unranked};
use crate::figures::candidate::Absent;
use crate::figures::caution::Caution;
use crate::figures::configuration::CLIENT;
use crate::figures::figure::Figure;
use crate::figures::latency::LatencyAnswer;
use crate::figures::troubles::Outcome;
use crate::findings::axes::{AxisAnswer, AxisPoint};
use crate::findings::cells::family;
use crate::findings::command::Command;
use crate::findings::growth::Judgement;
use crate::rank::leaders::deciding;
use crate::rank::phase::{Decision, PhaseAnswer, PhaseRow};
use crate::rank::status::Status;

/// Latencies are slow from this quantile on.
const SLOW_FROM: f64 = 0.99;

/// A run as the rules see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Situation {
    /// The command that this run was.
    pub command: Command,
    /// Whether all that was planned was done.
    pub is_done: bool,
    /// The least that every store was to keep.
    pub asked: MinimumDurability,
    /// Who uses the store, where that was said.
    pub used_by: Option<UsedBy>,
    /// The store to take where nothing else decides, where the study names one.
    pub own_plain: Option<String>,
    /// Whether the machine was unstable.
    pub unsteady: bool,
    /// Rounds that were planned.
    pub rounds: usize,
    /// How long one of them takes, in ns; 0 where none was done.
    pub round_ns: u64,
    /// Whether the time of the run was limited.
    pub has_budget: bool,
    /// Rows that were loaded in the configuration of the answer.
    pub rows: u64,
    /// Whether the rows are those of a data file, which has no more.
    pub has_own_rows: bool,
    /// Day of the run, `YYYY-MM-DD`.
    pub today: String,
    /// How long operations may take, where that was said.
    pub slo: Option<Slo>,
    /// The phases that decide.
    pub phases: Vec<Deciding>,
    /// The stores that are ranked in every phase that decides.
    pub contestants: Vec<Contestant>,
    /// Those that took part and have none, with the first reason.
    pub unranked: Vec<Unranked>,
    /// Those that were asked for and did not take part.
    pub absent: Vec<Absent>,
    /// Every store that is known.
    pub known: Vec<KnownStore>,
    /// The stores of all candidates.
    pub measured: Vec<String>,
}

/// A phase that decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deciding {
    /// Its name.
    pub name: String,
    /// What it does.
    pub operation: Operation,
    /// Whether it writes.
    pub writes: bool,
    /// Operations that it has under way at a time.
    pub under_way: u32,
    /// What is needed of it, a second.
    pub need_per_s: Option<f64>,
}

/// A store that may be taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contestant {
    /// Its name in the run.
    pub name: String,
    /// What it is called on the command line of this study: absent where a table of the study made it, and without its
    /// client where an axis over clients did.
    pub typed: Option<String>,
    /// Its store.
    pub store: String,
    /// What it is called without its client, where an axis over clients made it.
    pub through_client: Option<String>,
    /// What that is, where the record tells.
    pub about: Option<About>,
    /// The version of its server that was measured; absent for libraries.
    pub version: Option<String>,
    /// What it keeps of acknowledged writes.
    pub guarantee: Option<Guarantee>,
    /// Whether no other client of its store is ahead of it, as these are judged among themselves.
    pub is_first_client: bool,
    /// How it stands, phase by phase, in the order of those that decide.
    pub standings: Vec<Standing>,
    /// What a row takes on disk, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Phases in which an operation becomes dearer as the data grows, with how many times at ten times the rows.
    pub grows: Vec<(String, f64)>,
    /// What an operation costs with the least rows and with the most, phase by phase.
    pub growth: Vec<Growth>,
}

/// What an operation of a phase costs as the data grows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Growth {
    pub phase: String,
    pub from_rows: u64,
    pub to_rows: u64,
    pub from_ns: f64,
    pub to_ns: f64,
}

impl Situation {
    pub(crate) fn contestant(&self, name: &str) -> Option<&Contestant> {
        self.contestants.iter().find(|one| one.name == name)
    }

    /// The command that runs the same with these candidates.
    pub(crate) fn with_stores(&self, names: &[&str]) -> String {
        self.command.clone().with_stores(names).to_string()
    }

    /// What was compared, as it is typed, each once; where nobody is ranked, all that took part.
    pub(crate) fn compared(&self) -> Vec<&str> {
        let typed: Vec<&str> = self.contestants.iter().filter_map(|one| one.typed.as_deref()).collect();
        let all = self.measured.iter().map(String::as_str);
        let mut names: Vec<&str> = Vec::new();
        for name in typed.iter().copied().chain(all.filter(|_| typed.is_empty())) {
            // A store through several clients is named once.
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Name of the store that is the plain choice for such users.
    pub(crate) fn plain(&self, used_by: UsedBy) -> Option<&str> {
        let own = self.own_plain.as_deref();
        own.or_else(|| {
            let plain = |one: &&KnownStore| one.about.plain_choice == Some(used_by);
            self.known.iter().find(plain).map(|one| one.name.as_str())
        })
    }

    /// Whether a store that was not measured may be proposed: it is not retired, and keeps what is asked for.
    pub(crate) fn can_promise(&self, store: &KnownStore) -> bool {
        let is_retired = store.about.status == kurabe_record::SupportStatus::Retired;
        !is_retired
            && (self.asked == MinimumDurability::Default || store.guarantees.iter().any(|kept| kept.meets(self.asked)))
    }

    /// Whether somebody said what is needed: a rate, or how long operations may take.
    pub(crate) fn is_needed(&self) -> bool {
        self.slo.is_some() || self.phases.iter().any(|phase| phase.need_per_s.is_some())
    }

    /// Whether a store can serve those who use it; one of which nothing is known can.
    pub(crate) fn fits(&self, one: &Contestant) -> bool {
        self.used_by.zip(one.about.as_ref()).is_none_or(|(used_by, about)| used_by.fits(about.form))
    }

    pub(crate) fn known(&self, store: &str) -> Option<&KnownStore> {
        self.known.iter().find(|one| one.name == store)
    }
}

impl Contestant {
    /// What it is called on the command line; where only a table of the study makes it, its store.
    pub(crate) fn typed(&self) -> &str {
        self.typed.as_deref().unwrap_or(&self.store)
    }

    /// How many times behind the best where it is most behind, and in which phase.
    pub(crate) fn worst(&self) -> (usize, f64) {
        let behind = self.standings.iter().map(|one| one.behind).enumerate();
        behind.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
    }

    /// Whether its makers have retired it.
    pub(crate) fn is_retired(&self) -> bool {
        self.about.as_ref().is_some_and(|about| about.status == kurabe_record::SupportStatus::Retired)
    }

    /// Whether it keeps more than another one in some way.
    pub(crate) fn keeps_more_than(&self, other: &Contestant) -> bool {
        self.guarantee.zip(other.guarantee).is_some_and(|(mine, theirs)| mine.is_stronger_in_any(theirs))
    }

    /// Whether it is nowhere more than so many times slower than the best, by the upper ends of the intervals.
    pub(crate) fn is_within(&self, times: f64) -> bool {
        self.standings.iter().all(|one| one.behind_at_most.is_some_and(|most| most <= times))
    }

    /// What it does at least in a phase, a second: the lower end of the interval.
    pub(crate) fn sure_rate_per_s(&self, at: usize) -> Option<f64> {
        let rate = self.standings[at].rate_per_s?;
        Some(rate.interval.map_or(rate.value, |interval| interval.low))
    }

    /// The phase in which what is needed is met least, by its number, with how often it is met there; `None` where
    /// nothing is needed.
    pub(crate) fn least_met(&self, phases: &[Deciding]) -> Option<(usize, f64)> {
        let met = |(at, phase): (usize, &Deciding)| Some((at, self.sure_rate_per_s(at)? / phase.need_per_s?));
        phases.iter().enumerate().filter_map(met).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The slowest operation at the percentile of the objective: its phase by number, its kind and its time; `None`
    /// where a phase has too few operations to say.
    pub(crate) fn slowest_at_objective(&self) -> Option<(usize, Operation, u64)> {
        let of_phase = |(at, one): (usize, &Standing)| one.at_objective.map(|(kind, ns)| (at, kind, ns));
        let all: Option<Vec<_>> = self.standings.iter().enumerate().map(of_phase).collect();
        all?.into_iter().max_by_key(|(.., ns)| *ns)
    }

    /// Whether operations stay so many times below what they may take.
    pub(crate) fn is_fast_enough(&self, slo: Option<Slo>, times_over: f64) -> bool {
        slo.is_none_or(|slo| self.standings.iter().all(|one| one.keeps(slo, times_over)))
    }

    /// The first phase in which the objective is searched for and kept at no rate, by its number.
    pub(crate) fn holds_none(&self) -> Option<usize> {
        self.standings.iter().position(|one| one.held.is_some_and(|held| held.rate_per_s.is_none()))
    }

    /// The phase that holds the lowest rate at the objective, by its number, with that rate.
    pub(crate) fn least_held(&self) -> Option<(usize, Figure)> {
        let held = |(at, one): (usize, &Standing)| Some((at, one.held?.rate_per_s?));
        self.standings.iter().enumerate().filter_map(held).min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value))
    }

    /// Whether it was seen to meet less than such a share of what is needed.
    pub(super) fn misses(&self, situation: &Situation, share: f64) -> bool {
        let is_slow = self.least_met(&situation.phases).is_some_and(|(_, times)| times < share);
        let takes_long = |slo: Slo| self.standings.iter().any(|one| one.misses(slo, share));
        is_slow || situation.slo.is_some_and(takes_long)
    }

    /// Whether all that is needed is met so many times over.
    pub(crate) fn is_enough(&self, situation: &Situation, times_over: f64) -> bool {
        let rate = self.least_met(&situation.phases).is_none_or(|(_, times)| times >= times_over);
        rate && self.is_fast_enough(situation.slo, times_over)
    }
}

impl Standing {
    /// Whether operations stay so many times below what they may take. Of a rate that keeps it nobody knows how many times.
    fn keeps(&self, slo: Slo, times_over: f64) -> bool {
        match (self.held, self.at_objective) {
            (Some(held), _) => held.rate_per_s.is_some(),
            (None, at) => at.is_some_and(|(_, ns)| ns as f64 * times_over < slo.below_ns as f64),
        }
    }

    /// Whether a share of what they take is too long already.
    fn misses(&self, slo: Slo, share: f64) -> bool {
        match (self.held, self.at_objective) {
            (Some(held), _) => held.rate_per_s.is_none(),
            (None, at) => at.is_some_and(|(_, ns)| ns as f64 * share >= slo.below_ns as f64),
        }
    }
}

/// The situation that a run found among candidates under the same conditions.
pub(crate) fn of(answer: &Evidence<'_>, run: &RunRecord, conditions: Conditions) -> Situation {
    let deciding: Vec<&PhaseAnswer> = deciding(answer.phases).collect();
    let is_one_of_several = run.plan.conditions().len() > 1;
    let asked_so = |name: &str| {
        !is_one_of_several || run.candidate(name).is_some_and(|one| one.conditions(&run.plan) == conditions)
    };
    let stores = || answer.candidates.iter().filter(|one| one.kind == StoreKind::Store && asked_so(&one.name));
    let mut contestants = Vec::new();
    let mut unranked = Vec::new();
    for candidate in stores() {
        let rows: Vec<Option<&PhaseRow>> = deciding.iter().map(|phase| row(phase, &candidate.name)).collect();
        let reason = rows.iter().flatten().find_map(|row| match &row.status {
            Status::Unranked { reason } => Some(reason.clone()),
            Status::Ranked { .. } | Status::Baseline => None,
        });
        if let Some(reason) = reason {
            unranked.push((candidate.name.clone(), reason));
            continue;
        }
        let standing = |(phase, row): (&&PhaseAnswer, Option<&PhaseRow>)| {
            let one = standing(phase, row?, run.plan.slo)?;
            let Some(held) = held(answer, run, phase, &candidate.name) else { return Some(one) };
            // What is needed is needed at the objective.
            Some(Standing { rate_per_s: held.rate_per_s, held: Some(held), ..one })
        };
        let standings: Option<Vec<Standing>> = deciding.iter().zip(rows).map(standing).collect();
        contestants.extend(standings.filter(|all| !all.is_empty()).map(|standings| Contestant {
            name: candidate.name.clone(),
            typed: run.candidate(&candidate.name).and_then(typed),
            store: candidate.store.clone(),
            through_client: run.candidate(&candidate.name).and_then(through_client),
            about: about(run, &candidate.store),
            version: run.candidate(&candidate.name).and_then(version),
            guarantee: candidate.guarantee,
            is_first_client: is_first_client(answer, &candidate.name),
            standings,
            disk_per_row_bytes: candidate.resources.disk_per_row_bytes,
            grows: grows(answer, &candidate.name),
            growth: growth(answer, &candidate.name),
        }));
    }
    Situation {
        command: Command::of(run),
        is_done: !matches!(answer.outcome, Outcome::Interrupted | Outcome::Unfinished),
        asked: conditions.durability,
        used_by: run.plan.used_by,
        own_plain: run.plan.plain_choice.clone(),
        unsteady: answer.cautions.iter().any(Caution::is_unsteady),
        rounds: answer.rounds.planned,
        round_ns: answer.round_ns,
        has_budget: run.plan.budget_ns.is_some(),
        rows: answer.at.rows,
        has_own_rows: run.data.is_some(),
        today: run.started_at.get(..10).unwrap_or_default().to_string(),
        slo: run.plan.slo,
        phases: deciding.iter().map(|phase| plan_of(phase, answer, run)).collect(),
        contestants,
        unranked,
        absent: answer.absent.iter().filter(|one| !is_of_pitfall(run, &one.candidate)).cloned().collect(),
        known: run.stores.clone(),
        measured: stores().map(|one| one.store.clone()).collect(),
    }
}

/// Whether a pitfall would have made it of another that is named too.
fn is_of_pitfall(run: &RunRecord, absent: &str) -> bool {
    run.left_out.iter().any(|one| one.name == absent && one.of_pitfall().is_some())
}

/// What a study is told on the command line to have this candidate in it.
fn typed(record: &CandidateRecord) -> Option<String> {
    if record.asked.is_none() {
        return Some(record.name.clone());
    }
    let base = record.base.as_ref()?;
    (*base == record.store || Some(base) == record.with_variant().as_ref()).then(|| base.clone())
}

/// The number of the version in what a server says of itself, such as `PostgreSQL 15.14 (Debian)`.
fn version(record: &CandidateRecord) -> Option<String> {
    let text = record.service_version.as_ref()?;
    let words = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    words.map(|word| word.trim_start_matches('v')).find(is_number).map(str::to_string)
}

fn through_client(record: &CandidateRecord) -> Option<String> {
    value_on(&record.factors, CLIENT)?;
    Some(family(record.root(), &record.factors, CLIENT))
}

/// Fewer pairs are compared among the clients of one store, so these are told apart where all candidates are not.
fn is_first_client(answer: &Evidence<'_>, candidate: &str) -> bool {
    let Some(store) = answer.clients.iter().find(|store| store.client_of(candidate).is_some()) else { return true };
    let client = store.client_of(candidate).map(|one| one.client.as_str()).unwrap_or_default();
    store.deciding().filter_map(|phase| phase.of(client)?.rank).all(|rank| rank == 1)
}

fn about(run: &RunRecord, store: &str) -> Option<About> {
    run.stores.iter().find(|one| one.name == store).map(|one| one.about.clone())
}

fn row<'a>(phase: &'a PhaseAnswer, candidate: &str) -> Option<&'a PhaseRow> {
    phase.rows.iter().find(|row| row.candidate == candidate)
}

fn plan_of(phase: &PhaseAnswer, answer: &Evidence<'_>, run: &RunRecord) -> Deciding {
    let plan: Option<&PhasePlan> = answer.at.plans(run).iter().find(|plan| plan.phase.name == phase.name);
    Deciding {
        name: phase.name.clone(),
        operation: phase.operation,
        writes: phase.writes,
        under_way: plan.map_or(1, |plan| plan.phase.connections * plan.phase.depth * plan.phase.batch),
        need_per_s: plan.and_then(|plan| plan.need_per_s),
    }
}

/// The slowest kind of operation at the percentile of an objective; `None` where a kind has too few for it.
fn at_objective(row: &PhaseRow, slo: Slo) -> Option<(Operation, u64)> {
    let all: Option<Vec<(Operation, u64)>> =
        row.latency.iter().map(|latency| Some((latency.operation, latency.percentile(slo.p)?))).collect();
    all?.into_iter().max_by_key(|(_, ns)| *ns)
}

/// What a candidate holds of a phase that was searched; nothing where there was no search, or it did not run.
fn held(answer: &Evidence<'_>, run: &RunRecord, phase: &PhaseAnswer, candidate: &str) -> Option<Held> {
    let is_search = |plan: &&PhasePlan| plan.searched().is_some_and(|(_, searched)| searched == phase.name);
    let plan = answer.at.plans(run).iter().find(is_search)?;
    let found = row(answer.phases.iter().find(|phase| phase.name == plan.phase.name)?, candidate)?;
    found.rate_search.as_ref().map(|_| Held { rate_per_s: found.figure(Metric::HighestRate) })
}

fn standing(phase: &PhaseAnswer, row: &PhaseRow, slo: Option<Slo>) -> Option<Standing> {
    let Status::Ranked { rank, .. } = row.status else { return None };
    let (behind, behind_at_most) = match row.times_behind(phase.rank_by) {
        None => (1.0, Some(1.0)),
        Some(times) => (times.value, times.interval.map(|interval| interval.high)),
    };
    let slow = |latency: &LatencyAnswer| Slow {
        operation: latency.operation,
        quantiles: latency
            .percentiles
            .iter()
            .filter(|one| one.p >= SLOW_FROM)
            .filter_map(|one| Some((one.p, one.value_ns?)))
            .collect(),
        max_ns: latency.max_ns,
    };
    Some(Standing {
        rank,
        behind,
        behind_at_most,
        is_equivalent: row.against_best.is_some_and(|it| it.equivalent),
        rounds_to_settle: row.against_best.and_then(|it| match it.decision? {
            Decision::Inconclusive { rounds } => rounds,
            Decision::Better | Decision::Worse | Decision::Equivalent => None,
        }),
        at_objective: slo.and_then(|slo| at_objective(row, slo)),
        held: None,
        rate_per_s: row.rate_per_s(),
        flushes_per_commit: row.flushes_per_commit,
        slow: row.latency.iter().map(slow).collect(),
    })
}

/// From the least rows to the most, in the phases that decide.
fn growth(answer: &Evidence<'_>, candidate: &str) -> Vec<Growth> {
    let deciding = answer.axes.iter().filter(|one| one.is_growth() && one.deciding && one.belongs_to(answer.at));
    let of_axis = |axis: &AxisAnswer| {
        let curve = axis.curves.iter().find(|curve| curve.candidate == candidate)?;
        let point = |point: &AxisPoint| match point.value {
            AxisValue::Number(rows) if rows > 0 => {
                // A scan meets every row.
                let rows_in_one = if axis.operation == Operation::Scan { rows } else { 1 };
                Some((rows, point.cost_ns.value / rows_in_one as f64))
            }
            _ => None,
        };
        let ends = (curve.points.first().and_then(point)?, curve.points.last().and_then(point)?);
        let ((from_rows, from_ns), (to_rows, to_ns)) = ends;
        (from_rows < to_rows && from_ns > 0.0).then(|| Growth {
            phase: axis.phase.clone(),
            from_rows,
            to_rows,
            from_ns,
            to_ns,
        })
    };
    deciding.filter_map(of_axis).collect()
}

impl Growth {
    /// How many times dearer it becomes.
    pub(crate) fn times(&self) -> f64 {
        self.to_ns / self.from_ns
    }

    /// How many times dearer ten times the rows make it.
    pub(crate) fn tenfold(&self) -> f64 {
        self.times().powf(1.0 / (self.to_rows as f64 / self.from_rows as f64).log10())
    }
}

fn grows(answer: &Evidence<'_>, candidate: &str) -> Vec<(String, f64)> {
    let deciding = answer.axes.iter().filter(|one| one.is_growth() && one.deciding && one.belongs_to(answer.at));
    let more = deciding.filter_map(|axis| {
        let curve = axis.curves.iter().find(|curve| curve.candidate == candidate)?;
        let slope = curve.slope.filter(|_| curve.judgement == Judgement::MoreThanLinear)?;
        // Total time ~ rows^b, so that an operation costs rows^(b - 1).
        Some((axis.phase.clone(), 10f64.powf(slope.value - 1.0)))
    });
    more.collect()
}
