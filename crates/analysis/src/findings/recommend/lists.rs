//! Who else there is: excluded and why, not measured here, and the rest by rank.

use kurabe_messages::{Message, RecordedText};
use kurabe_record::{KnownStore, Slo};
use schemars::JsonSchema;
use serde::Serialize;

use super::rules::{Chosen, RuledOutReason};
use super::situation::{Contestant, Situation};
use crate::figures::reason::NotCountedReason;

/// A store that cannot be taken.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Excluded {
    /// The candidate.
    pub candidate: String,
    /// Why.
    pub why: ExclusionReason,
    /// What would help, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// Why a store cannot be taken.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ExclusionReason {
    /// It is not ranked in a phase that decides.
    NotRanked {
        /// Why.
        #[schemars(with = "Message")]
        reason: NotCountedReason,
    },
    /// It did not take part.
    Absent {
        /// Why, in words.
        reason: RecordedText,
    },
    /// It does not do what is needed.
    NotEnough {
        /// The phase in which it is furthest from it.
        phase: String,
        /// What share of the need it meets there: below 1.
        times: f64,
    },
    /// Its operations take longer than they may.
    TooSlow {
        /// The phase in which they take longest; absent where there were too few operations to say.
        phase: Option<String>,
        /// How long, in ns.
        ns: Option<u64>,
        /// The limit.
        slo: Slo,
    },
    /// It keeps the objective at no rate that was tried.
    HoldsNone {
        /// The phase.
        phase: String,
        /// The objective.
        slo: Slo,
    },
    /// Its makers have retired it, and others could be taken.
    Retired,
    /// It is a library, and several machines are to use the store.
    Library,
}

/// A store that could be taken and was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotMeasured {
    /// Its name.
    pub store: String,
    /// Its title.
    pub title: String,
    /// Whether it is the plain choice of somebody.
    pub is_plain: bool,
    /// Whether it is on this machine.
    pub here: bool,
    /// What gets it, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// What measures it beside the others.
    pub command: String,
}

/// A store that was measured, could be taken, and was not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunnerUp {
    /// The candidate.
    pub candidate: String,
    /// The phase in which it is most behind.
    pub phase: String,
    /// How many times behind the best there; 1 where it is nowhere behind.
    pub times: f64,
}

pub(super) fn excluded(situation: &Situation, chosen: &Chosen) -> Vec<Excluded> {
    let unranked = situation.unranked.iter().map(|(candidate, reason)| Excluded {
        candidate: candidate.clone(),
        why: ExclusionReason::NotRanked { reason: NotCountedReason::NotRanked(reason.clone()) },
        remedy: None,
    });
    let ruled_out = chosen.ruled_out.iter().filter_map(|(name, why)| {
        let one = situation.contestant(name)?;
        Some(Excluded { candidate: name.clone(), why: exclusion_reason(situation, one, *why), remedy: None })
    });
    let absent = situation.absent.iter().map(|one| Excluded {
        candidate: one.candidate.clone(),
        why: ExclusionReason::Absent { reason: one.reason.clone() },
        remedy: one.remedy.clone(),
    });
    unranked.chain(ruled_out).chain(absent).collect()
}

fn exclusion_reason(situation: &Situation, one: &Contestant, why: RuledOutReason) -> ExclusionReason {
    match why {
        RuledOutReason::Library => return ExclusionReason::Library,
        RuledOutReason::Retired => return ExclusionReason::Retired,
        RuledOutReason::NotEnough => {}
    }
    if let (Some(at), Some(slo)) = (one.holds_none(), situation.slo) {
        return ExclusionReason::HoldsNone { phase: situation.phases[at].name.clone(), slo };
    }
    match (one.least_met(&situation.phases).filter(|(_, times)| *times < 1.0), situation.slo) {
        (Some((at, times)), _) => ExclusionReason::NotEnough { phase: situation.phases[at].name.clone(), times },
        (None, Some(slo)) => {
            let slowest = one.slowest_at_objective();
            let phase = slowest.map(|(at, ..)| situation.phases[at].name.clone());
            ExclusionReason::TooSlow { phase, ns: slowest.map(|(.., ns)| ns), slo }
        }
        // Nobody is ruled out as too slow where nothing was asked for.
        (None, None) => ExclusionReason::Library,
    }
}

/// The plain choices first, then those that are here.
pub(super) fn not_measured(situation: &Situation) -> Vec<NotMeasured> {
    let can = |one: &&KnownStore| {
        let fits = situation.used_by.is_none_or(|used_by| used_by.fits(one.about.form));
        let took_part = situation.measured.contains(&one.name);
        let was_asked = situation.absent.iter().any(|absent| absent.candidate.starts_with(&one.name));
        situation.can_promise(one) && fits && !took_part && !was_asked
    };
    let names = situation.compared();
    let is_plain = |one: &KnownStore| {
        one.about.plain_choice.is_some_and(|used_by| situation.used_by.is_none_or(|asked| asked == used_by))
            || situation.own_plain.as_deref() == Some(one.name.as_str())
    };
    let mut all: Vec<NotMeasured> = situation
        .known
        .iter()
        .filter(can)
        .map(|one| NotMeasured {
            store: one.name.clone(),
            title: one.title.clone(),
            is_plain: is_plain(one),
            here: one.here,
            remedy: one.remedy.clone(),
            command: situation.with_stores(&[names.as_slice(), &[&one.name]].concat()),
        })
        .collect();
    all.sort_by_key(|one| (!one.is_plain, !one.here));
    all
}

pub(super) fn others(situation: &Situation, chosen: &Chosen) -> Vec<RunnerUp> {
    let is_out = |name: &str| chosen.pick.is(name) || chosen.ruled_out.iter().any(|(out, _)| out == name);
    let mut all: Vec<&Contestant> = situation.contestants.iter().filter(|one| !is_out(&one.name)).collect();
    all.sort_by(|a, b| a.worst().1.total_cmp(&b.worst().1));
    let other = |one: &&Contestant| {
        let (at, times) = one.worst();
        RunnerUp { candidate: one.name.clone(), phase: situation.phases[at].name.clone(), times }
    };
    all.iter().map(other).collect()
}
