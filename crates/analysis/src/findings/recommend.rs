//! Which store to take: from stated rules over what was measured and what is known of the stores, never from a score.
//!
//! [`situation`] is what the rules see of a run, [`rules`] choose, [`reasons`] say why and unless what, [`lists`] tell who
//! else there is. No rule knows the name of a store: what is plain is a field of a descriptor.

mod even_so;
pub(crate) mod evidence;
mod facts;
mod lists;
mod reasons;
mod rules;
mod situation;
#[cfg(test)]
mod tests;

use kurabe_protocol::Operation;
use kurabe_record::{
    About, Conditions, Guarantee, Isolation, LicenceBinds, MinimumDurability, Slo, StoreProfile, SupportStatus, UsedBy,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Figure;
use crate::figures::reason::Reason;
#[cfg(test)]
use crate::text::english;

use evidence::Evidence;
pub use lists::{Excluded, NotMeasured, Other, WhyExcluded, by_reason};
pub use rules::{Rule, RuleText};
pub(crate) use situation::Situation;

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
    pub because: Vec<Ground>,
    /// In which cases something else: each can be looked at by a person.
    pub unless: Vec<Unless>,
    /// What took part, or was to, and cannot be taken.
    pub excluded: Vec<Excluded>,
    /// What could be taken and was not measured here.
    pub not_measured: Vec<NotMeasured>,
    /// The rest, best first.
    pub others: Vec<Other>,
    /// All of it in English.
    pub said: Said,
}

/// A recommendation in words of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Said {
    /// What to take.
    pub headline: String,
    /// What that is.
    pub about: Option<String>,
    /// What stands above the reasons: that they are such, or what is known all the same.
    pub why: String,
    /// Why; where nothing was chosen, what is known all the same.
    pub because: Vec<String>,
    /// In which cases something else.
    pub unless: Vec<String>,
    /// What cannot be taken.
    pub excluded: Vec<String>,
    /// What was not measured.
    pub not_measured: Vec<String>,
    /// The rest, best first.
    pub others: Vec<String>,
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
        apart: TheirDifference,
        /// What all of them are, where they are one store through several clients.
        #[serde(skip_serializing_if = "Option::is_none")]
        store: Option<String>,
    },
    /// Nothing yet: this run cannot tell.
    NotDecided {
        /// Who looks ahead, with the phases in which.
        ahead: Vec<Ahead>,
        /// What would tell.
        next: Next,
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
pub enum TheirDifference {
    /// It is shown to be small.
    Small,
    /// It may be large: this run could not have seen it.
    Unknown,
}

/// What would tell where nothing is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Next {
    /// Another run.
    Again {
        /// The command.
        command: String,
    },
    /// The run was not done: to go on with it, from the folder of its record.
    GoOn,
}

/// Who looks ahead where nothing is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ahead {
    /// The candidate.
    pub candidate: String,
    /// The phases.
    pub phases: Vec<String>,
}

/// A reason for what was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Ground {
    /// It is first in these phases.
    First {
        /// The phases, each with who comes next and by how many times, where somebody does.
        phases: Vec<Lead>,
        /// Whether these are all phases that decide.
        is_everywhere: bool,
    },
    /// Nobody is decidedly ahead of it in these phases.
    Level {
        /// The phases.
        phases: Vec<String>,
    },
    /// So far it is behind where it is most behind.
    Behind {
        /// The phase.
        phase: String,
        /// How many times slower than the first there.
        times: f64,
        /// Who is first there.
        first: String,
    },
    /// It does so many times what is needed, in the phase in which that is least.
    Enough {
        /// The candidate.
        candidate: String,
        /// The phase.
        phase: String,
        /// What is needed, a second.
        need_per_s: f64,
        /// What it does at least, a second: the lower end of the interval.
        rate_per_s: f64,
        /// How many times it is met.
        times: f64,
        /// Whether every store that was measured meets it, so that speed does not decide.
        by_all: bool,
    },
    /// Nobody does what is needed; this one is nearest to it.
    Nearest {
        /// The candidate.
        candidate: String,
        /// The phase in which it is furthest from it.
        phase: String,
        /// What it does at least there, a second.
        rate_per_s: f64,
        /// What share of the need that is: below 1.
        times: f64,
    },
    /// How long its slowest operations take, where a need was given.
    Slowest(Pause),
    /// How long operations take at the percentile for which a limit was given.
    Objective {
        /// The candidate: the one that was chosen, or the nearest where none meets it.
        candidate: String,
        /// The phase in which they take longest.
        phase: String,
        /// The kind.
        operation: Operation,
        /// How long, in ns.
        ns: u64,
        /// The limit.
        slo: Slo,
        /// Whether it is met.
        is_met: bool,
    },
    /// What an operation costs as the data grows.
    Growth {
        /// The phase.
        phase: String,
        /// The least rows.
        from_rows: u64,
        /// The most.
        to_rows: u64,
        /// The store that was chosen, and the one next to it.
        stores: Vec<Grown>,
    },
    /// These cannot be taken, however fast they are.
    Out {
        /// The candidates.
        candidates: Vec<String>,
        /// Why.
        why: OutBy,
    },
    /// It is the plain choice.
    Plain {
        /// For whom.
        used_by: UsedBy,
        /// Why; absent where the study names it itself.
        reason: Option<String>,
    },
    /// It is faster than a store that keeps more: no lead, but a choice between speed and what may be lost.
    Trade {
        /// The phase.
        phase: String,
        /// The store that was chosen.
        faster: Kept,
        /// The one that keeps more.
        safer: Kept,
        /// Whether the safer one has no weaker setting, so that it keeps more than was asked for.
        has_no_less: bool,
    },
    /// What can be lost with it.
    Survives {
        /// What it keeps; absent where that is unknown.
        guarantee: Option<Guarantee>,
    },
    /// Its makers no longer maintain it, or fix only critical bugs.
    Upkeep {
        /// What they say.
        status: SupportStatus,
    },
    /// The version that was measured is supported no longer.
    OutOfSupport {
        /// The version.
        version: String,
        /// Last day of support.
        until: String,
        /// The newest version of the store.
        newest: Option<String>,
    },
    /// It had no release for long.
    Old {
        /// The year of the newest one.
        year: i32,
        /// Its version.
        version: Option<String>,
    },
}

/// One side of a trade.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Kept {
    /// The candidate.
    pub candidate: String,
    /// What it did, a second.
    pub rate_per_s: f64,
    /// Flushes of the device for each commit; absent where the device counts none.
    pub flushes_per_commit: Option<f64>,
    /// What it keeps; absent where that is unknown.
    pub guarantee: Option<Guarantee>,
}

/// Why a store cannot be taken, however fast it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutBy {
    /// It is a library, and several machines are to use the store.
    Form,
    /// It does not keep what was asked for.
    Durability,
}

/// What an operation of one store costs as the data grows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Grown {
    /// The candidate.
    pub candidate: String,
    /// With the least rows, in ns.
    pub from_ns: f64,
    /// With the most, in ns.
    pub to_ns: f64,
    /// Whether ten times the rows make it at most twice as dear.
    pub holds: bool,
}

/// How long the slowest operations of a kind take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pause {
    /// The phase.
    pub phase: String,
    /// The kind.
    pub operation: Operation,
    /// The quantile: 0.99 for the slowest hundredth.
    pub p: f64,
    /// They take at least so long, in ns.
    pub ns: u64,
    /// The slowest of all, in ns.
    pub max_ns: Option<u64>,
}

/// A lead.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lead {
    /// The phase.
    pub phase: String,
    /// Who comes next; absent where nobody does.
    pub next: Option<String>,
    /// How many times faster than that one.
    pub times: Option<f64>,
}

/// A case in which something else is to be taken, or to be measured first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Unless {
    /// Almost all of the work is this phase.
    Phase {
        /// The phase.
        phase: String,
        /// What it does.
        operation: Operation,
        /// Who is better there.
        candidate: String,
        /// How many times.
        times: f64,
        /// How much less time that one works a day at the rate that is needed, in s; absent where none was given.
        saves_s_per_day: Option<f64>,
        /// What that one keeps, where it writes and that is less.
        loses: Option<Guarantee>,
    },
    /// Under another condition, which was measured too.
    Elsewhere {
        /// The condition.
        at: Condition,
        /// Whom to take there; nobody where that is not decided.
        candidates: Vec<String>,
        /// Whether that is the same store.
        is_same_store: bool,
        /// In which phases it leads, or is faster for what it may lose.
        because: Vec<Ground>,
    },
    /// Programs on several machines use it, and a library was chosen; or also many connections write at the same time, where
    /// the same is to be taken then.
    SeveralMachines {
        /// What then.
        instead: Instead,
        /// Whether it is what to take for many writers too.
        also_for_writers: bool,
    },
    /// More is needed than rows by their keys, and what was chosen has no SQL.
    Queries {
        /// What then.
        instead: Instead,
    },
    /// One program alone uses it, and a server was chosen.
    OneProgram {
        /// The library.
        candidate: String,
        /// How many times faster it is at least.
        times: f64,
    },
    /// No acknowledged write may be lost when power fails.
    PowerFails {
        /// What measures that.
        command: String,
    },
    /// Many connections write at the same time, and it takes one writer at a time.
    ManyWriters {
        /// What then.
        instead: Instead,
    },
    /// The data grows.
    Grows {
        /// The phase.
        phase: String,
        /// How many times dearer an operation is with ten times the rows.
        tenfold: f64,
        /// Who does not grow so there, if anybody.
        candidate: Option<String>,
    },
    /// Pauses matter.
    Pauses {
        /// Its pauses.
        pause: Pause,
        /// Who pauses less, and how long that one takes at the same percentile, in ns; absent where nobody does.
        other: Option<(String, u64)>,
        /// Whether several connections wait for one lock to write.
        is_for_a_lock: bool,
    },
    /// The program is written in another language than those that have a driver.
    OtherLanguage {
        /// The languages that have one.
        languages: Vec<String>,
        /// What then.
        instead: Instead,
    },
    /// Connections change what others have read.
    Isolation {
        /// What the store does against that, as it is driven here.
        isolation: Isolation,
        /// What does more.
        instead: Instead,
    },
    /// Rows are to go by themselves.
    RowsExpire {
        /// What does that.
        instead: Instead,
    },
    /// Its licence binds whoever uses it.
    Licence {
        /// Whom.
        binds: LicenceBinds,
        /// The licence.
        licence: String,
        /// What binds nobody.
        instead: Instead,
    },
    /// Speed decided, and so little is needed that the plain choice does it too.
    LittleNeeded {
        /// What the plain choice does at least in every phase, a second.
        rate_per_s: f64,
        /// The plain choice.
        candidate: String,
    },
    /// There are far more rows than were measured, and how it grows was not.
    MoreRows {
        /// The measured ones.
        rows: u64,
        /// What measures more.
        command: String,
    },
    /// Less is needed than was said.
    LessNeeded {
        /// What the nearest store does at least, a second.
        rate_per_s: f64,
    },
    /// More connections share the work.
    MoreConnections {
        /// What measures that.
        command: String,
    },
    /// More may be lost.
    LessKept {
        /// What measures that.
        command: String,
    },
    /// Disk is dear.
    Disk {
        /// What a row takes, in bytes.
        per_row_bytes: f64,
        /// Who takes less.
        candidate: String,
        /// What a row takes there, in bytes.
        other_bytes: f64,
    },
}

/// What to take in such a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Instead {
    /// One that was measured.
    Measured {
        /// The candidate.
        candidate: String,
    },
    /// One that was not.
    NotMeasured {
        /// The store.
        store: String,
        /// What measures it.
        command: String,
    },
    /// One that took part, and has no place everywhere or not the rate that is needed.
    NotRanked {
        /// The store.
        store: String,
        /// What measures it again.
        command: String,
    },
    /// Nothing that is known.
    Nothing,
}

/// One condition in which candidates were compared that is another than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Another minimum durability is enough, or needed.
    Durability(MinimumDurability),
    /// The stores are set otherwise.
    Profile(StoreProfile),
}

impl Condition {
    /// What differs between two, where that is one thing: who is told of a choice keeps the other as it is.
    fn that_differs(first: Conditions, other: Conditions) -> Option<Condition> {
        match (first.durability == other.durability, first.profile == other.profile) {
            (false, true) => Some(Condition::Durability(other.durability)),
            (true, false) => Some(Condition::Profile(other.profile)),
            _ => None,
        }
    }
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

/// How a store stands in one phase that decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Place; those that are not told apart share it.
    pub place: usize,
    /// How many times worse than the best it is; 1 for the best.
    pub behind: f64,
    /// How many times at most, by the interval; 1 for the best.
    pub behind_at_most: Option<f64>,
    /// Whether it is shown to be equivalent to the best.
    pub is_equivalent: bool,
    /// Rounds in all that would settle how it compares with the best, where that is open and they are few enough.
    pub rounds_to_settle: Option<usize>,
    /// The slowest kind at the percentile of the objective, in ns; absent without one, and where there are too few operations.
    pub at_objective: Option<(Operation, u64)>,
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

/// What to take by what was found in a run; `say` puts it in words.
pub(crate) fn recommendation(
    answer: &Evidence<'_>,
    run: &kurabe_record::RunRecord,
    say: impl Fn(&Recommendation) -> Said,
) -> Recommendation {
    let conditions = run.plan.conditions();
    let own = Conditions { durability: run.plan.durability, profile: run.plan.profile };
    let (first, others) = conditions.split_first().map_or((own, &[][..]), |(first, rest)| (*first, rest));
    let situation = situation::of(answer, run, first);
    let mut all = unsaid(&situation);
    for (at, conditions) in others.iter().filter_map(|other| Some((Condition::that_differs(first, *other)?, *other))) {
        let there = situation::of(answer, run, conditions);
        let elsewhere = elsewhere(at, &situation, &all, &there);
        let is_told = !matches!(&elsewhere, Unless::Elsewhere { candidates, .. } if candidates.is_empty());
        if is_told || !all.taken().is_empty() {
            all.unless.insert(0, elsewhere);
        }
    }
    all.said = say(&all);
    all
}

/// What is chosen under another condition.
fn elsewhere(at: Condition, here: &Situation, it: &Recommendation, there: &Situation) -> Unless {
    let other = unsaid(there);
    let store = |situation: &Situation, taken: &[&str]| -> Option<String> {
        Some(situation.contestant(taken.first()?)?.store.clone())
    };
    let (mine, theirs) = (store(here, &it.taken()), store(there, &other.taken()));
    // One is enough beside the whole answer for the first condition.
    let is_telling = |ground: &&Ground| matches!(ground, Ground::First { .. } | Ground::Trade { .. });
    let grounds = other.because.iter().filter(is_telling).take(1);
    Unless::Elsewhere {
        at,
        candidates: other.taken().into_iter().map(str::to_string).collect(),
        is_same_store: mine.is_some() && mine == theirs,
        because: grounds.cloned().collect(),
    }
}

#[cfg(test)]
pub(crate) fn of_situation(situation: &Situation) -> Recommendation {
    let mut all = unsaid(situation);
    all.said = english::recommendation(&all);
    all
}

/// A recommendation that is not put in words yet.
fn unsaid(situation: &Situation) -> Recommendation {
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
            None => even_so::grounds(situation, &chosen),
        },
        unless: match taken {
            Some(one) => reasons::unless(situation, one, &chosen),
            None => even_so::ways(situation, &chosen),
        },
        excluded: lists::excluded(situation, &chosen),
        not_measured: lists::not_measured(situation),
        others: lists::others(situation, &chosen),
        pick: chosen.pick,
        said: Said::default(),
    }
}

/// Why a store cannot be taken, told by its place in a phase.
pub(crate) type Unplaced = (String, Reason);
