//! Which store to take: from stated rules over what was measured and what is known of the stores, never from a score.
//!
//! A composite score was rejected: different stores are first in different phases, and that is the answer. The rules
//! are data. They are asked in order, and the first that fits decides. Each has its reason beside it, and
//! docs/RECOMMENDATION.md is generated from them. "Any of them" needs equivalence that was shown, because a tie is not
//! equality (docs/decisions/0007-worse-equivalent-inconclusive.md).
//!
//! Speed is not all. Where every store meets the need, what a store is decides: its form, support, licence and
//! isolation. No rule knows the name of a store; what is plain is a field of a descriptor. A store that was not
//! measured is never chosen, only named with the command that measures it.
//!
//! [`situation`] is what the rules see of a run, and [`rules`] choose. [`reasons`] say why, `unless` when not,
//! [`lists`] have the others. `tests` has some seventy situations; store maintainers described some of them.

pub(crate) mod evidence;
mod facts;
mod fallback;
mod lists;
mod rationale;
mod reasons;
mod rules;
mod situation;
#[cfg(test)]
mod tests;
mod unless;

use kurabe_messages::Message;
use kurabe_protocol::Operation;
use kurabe_record::About;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Figure;
use crate::figures::reason::Reason;

use evidence::Evidence;
pub use lists::{Excluded, ExclusionReason, NotMeasured, RunnerUp};
pub use rationale::{Lead, Pause, Rationale, RuledOutBy, StoreGrowth, TradeSide};
pub use rules::Rule;
pub(crate) use situation::Situation;
pub use unless::{Alternative, Condition, Unless};

/// Goes on with a run; `RUN` stands for the folder of its record, which a record does not tell.
pub const GO_ON: &str = "kurabe run --resume RUN";

/// What to take, why, and unless what.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Recommendation {
    /// The rule that chose.
    pub rule: Rule,
    /// What it chose.
    pub pick: Pick,
    /// What the store that was chosen is; absent where none was, or where the record does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// Why; where nothing was chosen, what is known all the same.
    pub because: Vec<Rationale>,
    /// In which cases something else: each can be looked at by a person.
    pub unless: Vec<Unless>,
    /// What took part, or was to, and cannot be taken.
    pub excluded: Vec<Excluded>,
    /// What could be taken and was not measured here.
    pub not_measured: Vec<NotMeasured>,
    /// The rest, best first.
    pub others: Vec<RunnerUp>,
}

/// A recommendation as messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Advice {
    /// What to take.
    pub headline: Message,
    /// What that is.
    pub about: Option<Message>,
    /// What stands above the reasons: that they are such, or what is known all the same.
    pub why: Message,
    /// Why; where nothing was chosen, what is known all the same.
    pub because: Vec<Message>,
    /// In which cases something else.
    pub unless: Vec<Message>,
    /// What cannot be taken.
    pub excluded: Vec<Message>,
    /// What was not measured.
    pub not_measured: Vec<Message>,
    /// The rest, best first.
    pub others: Vec<Message>,
}

/// What a rule chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pick {
    /// One store.
    Take {
        /// The candidate.
        candidate: String,
    },
    /// Any of these: they are shown to be alike, or one store through several clients.
    Either {
        /// The candidates, the plainest first.
        candidates: Vec<String>,
        /// What is known of how they differ.
        apart: DifferenceSize,
        /// What all of them are, where they are one store through several clients.
        #[serde(skip_serializing_if = "Option::is_none")]
        store: Option<String>,
    },
    /// Nothing yet: this run cannot tell.
    NotDecided {
        /// Who looks ahead, with the phases in which.
        ahead: Vec<PhaseLeader>,
        /// What would tell.
        next: NextCommand,
    },
    /// Nothing that was measured here.
    Nothing,
}

impl Pick {
    fn is(&self, candidate: &str) -> bool {
        match self {
            Pick::Take { candidate: taken } => taken == candidate,
            Pick::Either { candidates, .. } => candidates.iter().any(|one| one == candidate),
            Pick::NotDecided { .. } | Pick::Nothing => false,
        }
    }
}

/// What is known of how several stores differ of which none is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceSize {
    /// It is shown to be small.
    Small,
    /// It may be large: this run could not have seen it.
    Unknown,
}

/// What would tell where nothing is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NextCommand {
    /// Another run.
    Again {
        /// The command.
        command: String,
        /// How long it takes, in ns, by the jobs of this run; absent where none was done.
        takes_ns: Option<u64>,
    },
    /// The run was not done: to go on with it, from the folder of its record.
    GoOn,
}

/// Who looks ahead where nothing is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PhaseLeader {
    /// The candidate.
    pub candidate: String,
    /// The phases.
    pub phases: Vec<String>,
}

impl Recommendation {
    /// The candidates that it says to take.
    pub fn taken(&self) -> Vec<&str> {
        match &self.pick {
            Pick::Take { candidate } => vec![candidate.as_str()],
            Pick::Either { candidates, .. } => candidates.iter().map(String::as_str).collect(),
            Pick::NotDecided { .. } | Pick::Nothing => Vec::new(),
        }
    }

    /// What is taken under other conditions that were measured too: the condition, the candidates, none where it is not
    /// decided, and whether that is the same store. Nothing where nothing is taken under this one.
    pub fn elsewhere(&self) -> impl Iterator<Item = (Condition, &[String], bool)> {
        let is_taken = !self.taken().is_empty();
        self.unless.iter().filter(move |_| is_taken).filter_map(|unless| match unless {
            Unless::Elsewhere { at, candidates, is_same_store, .. } => {
                Some((*at, candidates.as_slice(), *is_same_store))
            }
            _ => None,
        })
    }
}

/// So many other conditions are told one by one in the headline; of more only those of which another store is taken.
pub const TOLD_ELSEWHERE: usize = 2;

/// What a search for the highest rate that keeps an objective gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Held {
    /// Operations a second; absent where no rate that was tried kept it.
    pub rate_per_s: Option<Figure>,
}

/// How a store stands in one phase that decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Rank; those that are not told apart share it.
    pub rank: usize,
    /// How many times worse than the best it is; 1 for the best.
    pub behind: f64,
    /// How many times at most, by the interval; 1 for the best.
    pub behind_at_most: Option<f64>,
    /// Whether it is shown to be equivalent to the best.
    pub is_equivalent: bool,
    /// Rounds in all that would settle how it compares with the best, where that is open and they are few enough.
    pub rounds_to_settle: Option<usize>,
    /// The slowest kind at the percentile of the objective, in ns; absent without one, and where there are too few
    /// operations.
    pub at_objective: Option<(Operation, u64)>,
    /// The highest rate that keeps the objective, where that was searched for: it judges in the place of the closed loop.
    pub held: Option<Held>,
    /// Completed operations a second.
    pub rate_per_s: Option<Figure>,
    /// Flushes of the device for each commit, where it commits and the device counts them.
    pub flushes_per_commit: Option<f64>,
    /// The slow end of its latencies, by kind.
    pub slow: Vec<Slow>,
}

/// The slow end of the latencies of a kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slow {
    /// The kind.
    pub operation: Operation,
    /// Quantiles from the slowest hundredth on, ascending, in ns; those that have a value.
    pub quantiles: Vec<(f64, u64)>,
    /// The slowest of all, in ns.
    pub max_ns: Option<u64>,
}

/// What to take by what was found in a run.
pub(crate) fn recommendation(answer: &Evidence<'_>, run: &kurabe_record::RunRecord) -> Recommendation {
    let conditions = run.plan.conditions();
    let first = conditions.first().copied().unwrap_or(run.plan.usual_conditions());
    let situation = situation::of(answer, run, first);
    let mut all = of_situation(&situation);
    let others = conditions.iter().filter_map(|other| Some((Condition::difference(first, *other)?, *other)));
    for (at, conditions) in others {
        let there = situation::of(answer, run, conditions);
        let elsewhere = elsewhere(at, &situation, &all, &there);
        let is_told = !matches!(&elsewhere, Unless::Elsewhere { candidates, .. } if candidates.is_empty());
        if is_told || !all.taken().is_empty() {
            all.unless.insert(0, elsewhere);
        }
    }
    all
}

/// What is chosen under another condition.
fn elsewhere(at: Condition, here: &Situation, it: &Recommendation, there: &Situation) -> Unless {
    let other = of_situation(there);
    let store = |situation: &Situation, taken: &[&str]| -> Option<String> {
        Some(situation.contestant(taken.first()?)?.store.clone())
    };
    let (mine, theirs) = (store(here, &it.taken()), store(there, &other.taken()));
    // One is enough beside the whole answer for the first condition.
    let is_telling = |rationale: &&Rationale| matches!(rationale, Rationale::First { .. } | Rationale::Trade { .. });
    let reasons = other.because.iter().filter(is_telling).take(1).cloned();
    let dearest = other.unless.iter().filter_map(safer).max_by(|(one, _), (other, _)| one.total_cmp(other));
    Unless::Elsewhere {
        at,
        candidates: other.taken().into_iter().map(str::to_string).collect(),
        is_same_store: mine.is_some() && mine == theirs,
        because: reasons.chain(dearest.map(|(_, rationale)| rationale)).collect(),
    }
}

/// How many times as fast another is that keeps less, as a reason.
fn safer(unless: &Unless) -> Option<(f64, Rationale)> {
    let Unless::Phase { phase, candidate, times, loses: Some(loses), .. } = unless else { return None };
    let (phase, faster) = (phase.clone(), candidate.clone());
    Some((*times, Rationale::Safer { phase, faster, times: *times, loses: *loses }))
}

/// What to take under the first condition alone.
fn of_situation(situation: &Situation) -> Recommendation {
    let chosen = rules::choose(situation);
    let taken = match &chosen.pick {
        Pick::Take { candidate } => situation.contestant(candidate),
        Pick::Either { candidates, .. } => candidates.first().and_then(|name| situation.contestant(name)),
        Pick::NotDecided { .. } | Pick::Nothing => None,
    };
    Recommendation {
        rule: chosen.rule,
        about: taken.and_then(|one| one.about.clone()),
        because: match taken {
            Some(one) => reasons::because(situation, one, &chosen),
            None => fallback::reasons(situation, &chosen),
        },
        unless: match taken {
            Some(one) => reasons::unless(situation, one, &chosen),
            None => fallback::ways(situation, &chosen),
        },
        excluded: lists::excluded(situation, &chosen),
        not_measured: lists::not_measured(situation),
        others: lists::others(situation, &chosen),
        pick: chosen.pick,
    }
}

/// Why a store cannot be taken, told by its rank in a phase.
pub(crate) type Unranked = (String, Reason);
