//! What the rules see of a run.

use kurabe_protocol::Operation;
use kurabe_record::{
    About, CandidateRecord, Class, Floor, KnownStore, PhasePlan, RunRecord, StoreKind, UsedBy, value_on,
};

use super::{Standing, Unplaced};
use crate::answer::Answer;
use crate::axes::family;
use crate::candidate::Absent;
use crate::cautions::Caution;
use crate::figures::{Figure, PhaseAnswer, PhaseRow};
use crate::growth::Judgement;
use crate::leaders::deciding;
use crate::reason::Status;
use crate::through::CLIENT;

/// A run as the rules see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Situation {
    /// The study as it is named on the command line.
    pub study: String,
    /// What acknowledged writes were to survive.
    pub asked: Floor,
    /// Who uses the store, where that was said.
    pub used_by: Option<UsedBy>,
    /// The store to take where nothing else decides, where the study names one.
    pub own_plain: Option<String>,
    /// Whether the machine was not the same all the time.
    pub unsteady: bool,
    /// Rounds that were planned.
    pub rounds: usize,
    /// The phases that decide.
    pub phases: Vec<Deciding>,
    /// The stores that have a place in every phase that decides.
    pub contestants: Vec<Contestant>,
    /// Those that took part and have none, with the first reason.
    pub unplaced: Vec<Unplaced>,
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
    /// What acknowledged writes survive.
    pub class: Option<Class>,
    /// How it stands, phase by phase, in the order of those that decide.
    pub standings: Vec<Standing>,
    /// What a row takes on disk, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Phases in which an operation becomes dearer as the data grows, with how many times at ten times the rows.
    pub grows: Vec<(String, f64)>,
}

impl Situation {
    pub(crate) fn contestant(&self, name: &str) -> Option<&Contestant> {
        self.contestants.iter().find(|one| one.name == name)
    }

    /// The word for a command that runs this study again with something else.
    pub(crate) fn command(&self, more: &str) -> String {
        format!("kurabe run {} {more}", self.study)
    }

    /// Name of the store that is the plain choice for such users.
    pub(crate) fn plain(&self, used_by: UsedBy) -> Option<&str> {
        let own = self.own_plain.as_deref();
        own.or_else(|| {
            let plain = |one: &&KnownStore| one.about.plain_choice == Some(used_by);
            self.known.iter().find(plain).map(|one| one.name.as_str())
        })
    }

    /// Whether a store can promise what was asked for.
    pub(crate) fn can_promise(&self, store: &KnownStore) -> bool {
        self.asked.least().is_none_or(|least| store.strongest >= Some(least))
    }

    pub(crate) fn known(&self, store: &str) -> Option<&KnownStore> {
        self.known.iter().find(|one| one.name == store)
    }
}

impl Contestant {
    /// How many times behind the best where it is most behind, and in which phase.
    pub(crate) fn worst(&self) -> (usize, f64) {
        let behind = self.standings.iter().map(|one| one.behind).enumerate();
        behind.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
    }

    /// How many times over what is needed of a phase is met: in the mean, and if every operation took as long as the slowest
    /// hundredth.
    pub(crate) fn enough(&self, at: usize, phase: &Deciding) -> Option<(f64, Option<f64>)> {
        let need = phase.need_per_s?;
        let standing = &self.standings[at];
        let rate = standing.rate_per_s?;
        let sure = rate.interval.map_or(rate.value, |interval| interval.low);
        let slow = standing.p99_ns.map(|ns| f64::from(phase.under_way) * 1e9 / (ns.max(1) as f64));
        Some((sure / need, slow.map(|rate| rate / need)))
    }

    /// The phase in which what is needed is met least, by its number, with how often it is met there in the worse of both ways;
    /// `None` where nothing is needed.
    pub(crate) fn least_met(&self, phases: &[Deciding]) -> Option<(usize, f64)> {
        let met = |(at, phase): (usize, &Deciding)| {
            let (mean, slow) = self.enough(at, phase)?;
            Some((at, slow.unwrap_or(mean).min(mean)))
        };
        phases.iter().enumerate().filter_map(met).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether all that is needed is met, also by the slowest hundredth.
    pub(crate) fn is_enough(&self, phases: &[Deciding]) -> bool {
        self.least_met(phases).is_none_or(|(_, times)| times >= 1.0)
    }
}

/// The situation that a run found.
pub(crate) fn of(answer: &Answer, run: &RunRecord) -> Situation {
    let deciding: Vec<&PhaseAnswer> = deciding(&answer.phases).collect();
    let stores = || answer.candidates.iter().filter(|one| one.kind == StoreKind::Store);
    let mut contestants = Vec::new();
    let mut unplaced = Vec::new();
    for candidate in stores() {
        let rows: Vec<Option<&PhaseRow>> = deciding.iter().map(|phase| row(phase, &candidate.name)).collect();
        let reason = rows.iter().flatten().find_map(|row| match &row.status {
            Status::Unranked { reason } => Some(reason.clone()),
            Status::Ranked { .. } | Status::Floor => None,
        });
        if let Some(reason) = reason {
            unplaced.push((candidate.name.clone(), reason));
            continue;
        }
        let standings: Option<Vec<Standing>> =
            deciding.iter().zip(rows).map(|(phase, row)| standing(phase, row?)).collect();
        contestants.extend(standings.filter(|all| !all.is_empty()).map(|standings| Contestant {
            name: candidate.name.clone(),
            typed: run.candidate(&candidate.name).and_then(typed),
            store: candidate.store.clone(),
            through_client: run.candidate(&candidate.name).and_then(through_client),
            about: about(run, &candidate.store),
            class: candidate.class,
            standings,
            disk_per_row_bytes: candidate.resources.disk_per_row_bytes,
            grows: grows(answer, &candidate.name),
        }));
    }
    Situation {
        study: run.command.split_whitespace().nth(2).unwrap_or(&run.plan.study).to_string(),
        asked: run.plan.durability,
        used_by: run.plan.used_by,
        own_plain: run.plan.plain_choice.clone(),
        unsteady: answer.cautions.iter().any(Caution::is_unsteady),
        rounds: answer.rounds.planned,
        phases: deciding.iter().map(|phase| plan_of(phase, answer, run)).collect(),
        contestants,
        unplaced,
        absent: answer.absent.iter().filter(|one| !is_trapped(run, &one.candidate)).cloned().collect(),
        known: run.stores.clone(),
        measured: stores().map(|one| one.store.clone()).collect(),
    }
}

/// Whether a trap would have made it of another that is named too.
fn is_trapped(run: &RunRecord, absent: &str) -> bool {
    run.left_out.iter().any(|one| one.name == absent && one.of_trap().is_some())
}

/// What a study is told on the command line to have this candidate in it.
fn typed(record: &CandidateRecord) -> Option<String> {
    if record.asked.is_none() {
        return Some(record.name.clone());
    }
    let of = record.of.as_ref()?;
    (*of == record.store || Some(of) == record.with_variant().as_ref()).then(|| of.clone())
}

fn through_client(record: &CandidateRecord) -> Option<String> {
    value_on(&record.coordinates, CLIENT)?;
    Some(family(&record.name, record.of.as_deref(), &record.coordinates, CLIENT))
}

fn about(run: &RunRecord, store: &str) -> Option<About> {
    run.stores.iter().find(|one| one.name == store).map(|one| one.about.clone())
}

fn row<'a>(phase: &'a PhaseAnswer, candidate: &str) -> Option<&'a PhaseRow> {
    phase.rows.iter().find(|row| row.candidate == candidate)
}

fn plan_of(phase: &PhaseAnswer, answer: &Answer, run: &RunRecord) -> Deciding {
    let plan: Option<&PhasePlan> = crate::plans(answer, run).iter().find(|plan| plan.phase.name == phase.name);
    Deciding {
        name: phase.name.clone(),
        operation: phase.operation,
        writes: phase.writes,
        under_way: plan.map_or(1, |plan| plan.phase.connections * plan.phase.depth * plan.phase.batch),
        need_per_s: plan.and_then(|plan| plan.need_per_s),
    }
}

fn standing(phase: &PhaseAnswer, row: &PhaseRow) -> Option<Standing> {
    let Status::Ranked { place, .. } = row.status else { return None };
    let behind = row.times_behind(phase.rank_by).map_or(1.0, |times| times.value);
    // Of a kind with too few operations for this percentile nothing is known, so nothing of the slowest.
    let slowest = |p: f64| {
        let all: Option<Vec<u64>> = row.latency.iter().map(|latency| latency.at(p)).collect();
        all.and_then(|all| all.into_iter().max())
    };
    let rate_per_s: Option<Figure> = row.rate_per_s();
    Some(Standing { place, behind, rate_per_s, p99_ns: slowest(0.99), p999_ns: slowest(0.999) })
}

fn grows(answer: &Answer, candidate: &str) -> Vec<(String, f64)> {
    let deciding = answer.axes.iter().filter(|one| one.is_growth() && one.deciding && one.belongs_to(&answer.at));
    let more = deciding.filter_map(|axis| {
        let curve = axis.curves.iter().find(|curve| curve.candidate == candidate)?;
        let slope = curve.slope.filter(|_| curve.judgement == Judgement::MoreThanLinear)?;
        // Total time ~ rows^b, so that an operation costs rows^(b - 1).
        Some((axis.phase.clone(), 10f64.powf(slope.value - 1.0)))
    });
    more.collect()
}
