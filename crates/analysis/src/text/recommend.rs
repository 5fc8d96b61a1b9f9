//! What to take.

use kurabe_messages::{Message, message};
use kurabe_record::{About, Form, Model, Writers};

use super::durability::quoted_minimum;
use super::recommend_because::{because, phases};
use super::recommend_unless::unless;
use crate::findings::recommend::{
    Advice, Condition, DifferenceSize, Excluded, ExclusionReason, GO_ON, NextCommand, NotMeasured, PhaseLeader, Pick,
    Recommendation, Rule, RunnerUp, TOLD_ELSEWHERE,
};
use crate::grouping::grouped;

/// With more of them in a list than this their number stands in the place of the rest.
const NAMED: usize = 4;

impl Recommendation {
    /// All of it as messages.
    pub fn advice(&self) -> Advice {
        let then = |first: Message, next: Message| message!(sentence_then, first, next);
        let is_inconclusive = matches!(self.pick, Pick::NotDecided { .. });
        Advice {
            headline: elsewhere(self).into_iter().fold(headline(self), then),
            about: self.about.as_ref().map(about),
            why: if is_inconclusive { message!(recommendation_even_so) } else { message!(recommendation_because) },
            because: self.because.iter().map(because).collect(),
            unless: self.unless.iter().map(unless).collect(),
            excluded: excluded(&self.excluded),
            not_measured: self.not_measured.iter().map(not_measured).collect(),
            others: self.others.iter().map(other).collect(),
        }
    }
}

fn headline(it: &Recommendation) -> Message {
    match &it.pick {
        Pick::Take { candidate } if it.rule == Rule::OnlyOne && it.excluded.is_empty() => {
            message!(recommendation_take_only_measured, candidate)
        }
        Pick::Take { candidate } if it.rule == Rule::OnlyOne => message!(recommendation_take_only_left, candidate),
        Pick::Take { candidate } => message!(recommendation_take, candidate),
        Pick::Either { candidates, store: Some(store), apart: DifferenceSize::Unknown } => {
            message!(recommendation_take_any_client, store, count = candidates.len())
        }
        Pick::Either { candidates, store: Some(store), .. } => match candidates.as_slice() {
            [first, ..] if candidates.len() > NAMED => {
                message!(recommendation_take_many_clients, store, count = candidates.len(), first)
            }
            clients => message!(recommendation_take_clients, store, clients),
        },
        Pick::Either { candidates, store: None, .. } => match candidates.as_slice() {
            [first, ..] if candidates.len() > NAMED => {
                message!(recommendation_take_any, count = candidates.len(), first)
            }
            stores => message!(recommendation_take_either, stores),
        },
        Pick::NotDecided { ahead, next } => inconclusive(it.rule, ahead, next),
        Pick::Nothing => match it.rule {
            Rule::NoneEnough => message!(recommendation_none_enough),
            Rule::NoneForThem => message!(recommendation_none_for_them),
            _ => message!(recommendation_none_ranked),
        },
    }
}

fn inconclusive(rule: Rule, ahead: &[PhaseLeader], next: &NextCommand) -> Message {
    let why = match rule {
        Rule::TooFewRounds if *next == NextCommand::GoOn => message!(recommendation_inconclusive_stopped),
        Rule::TooFewRounds => message!(recommendation_inconclusive_few_rounds),
        Rule::NotToldApart => message!(recommendation_inconclusive_noisy),
        _ => message!(recommendation_inconclusive_unstable),
    };
    let one =
        |one: &PhaseLeader| message!(recommendation_ahead, candidate = &one.candidate, phases = phases(&one.phases));
    let ahead: Vec<Message> = ahead.iter().map(one).collect();
    let next = match next {
        NextCommand::Again { command, takes_ns: Some(takes) } => {
            message!(recommendation_retry_takes, takes = *takes, command)
        }
        NextCommand::Again { command, takes_ns: None } => message!(recommendation_retry, command),
        NextCommand::GoOn => message!(recommendation_resume, command = GO_ON),
    };
    message!(recommendation_inconclusive, why, ahead, next)
}

/// Whether another is taken under another condition.
fn elsewhere(it: &Recommendation) -> Vec<Message> {
    let one = |(at, candidates, is_same_store): (Condition, &[String], bool)| match (candidates, is_same_store) {
        (_, true) => message!(recommendation_elsewhere_same, condition = condition(at)),
        ([], _) => message!(recommendation_elsewhere_inconclusive, condition = condition(at)),
        (candidates, _) => message!(recommendation_elsewhere, condition = condition(at), candidates),
    };
    let all: Vec<_> = it.elsewhere().collect();
    if all.len() <= TOLD_ELSEWHERE {
        return all.into_iter().map(one).collect();
    }
    // Of a whole axis: where it is another store, and that it is the same in the rest.
    let (same, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(.., is_same_store)| *is_same_store);
    let rest = match (same.is_empty(), others.is_empty()) {
        (true, _) => None,
        (false, true) => Some(message!(recommendation_same_everywhere)),
        (false, false) => Some(message!(recommendation_same_otherwise)),
    };
    others.into_iter().map(one).chain(rest).collect()
}

fn condition(at: Condition) -> Message {
    match at {
        Condition::Durability(minimum) => message!(recommendation_at_durability, minimum = quoted_minimum(minimum)),
        Condition::Profile(profile) => message!(recommendation_at_profile, profile),
    }
}

/// What a store is.
fn about(about: &About) -> Message {
    let form = match about.form {
        Form::Library => "library",
        Form::Server => "server",
    };
    let model = match about.model {
        Model::Sql => "sql",
        Model::Documents => "documents",
        Model::KeyValue => "key-value",
        Model::WideColumn => "wide-column",
        Model::TextFile => "text-file",
    };
    let writers = match about.writers {
        Writers::One => "one",
        Writers::Several => "several",
    };
    message!(recommendation_about, form, model, writers)
}

/// What cannot be taken, each reason once.
fn excluded(all: &[Excluded]) -> Vec<Message> {
    let by_reason = grouped(all.iter().map(|one| (why_excluded(one), one.candidate.as_str())));
    by_reason.into_iter().map(|(why, candidates)| message!(recommendation_excluded, candidates, why)).collect()
}

fn why_excluded(it: &Excluded) -> Message {
    let why = match &it.why {
        ExclusionReason::NotRanked { reason } => reason.message(),
        ExclusionReason::Absent { reason } => message!(recommendation_absent, reason),
        ExclusionReason::NotEnough { phase, times } => message!(recommendation_not_enough, phase, share = *times),
        ExclusionReason::TooSlow { phase: Some(phase), ns: Some(time), slo } => {
            message!(recommendation_too_slow, phase, share = slo.p, time = *time, objective = slo)
        }
        ExclusionReason::TooSlow { slo, .. } => message!(recommendation_too_few_operations, objective = slo),
        ExclusionReason::HoldsNone { phase, slo } => message!(recommendation_holds_none, phase, objective = slo),
        ExclusionReason::Retired => message!(recommendation_excluded_retired),
        ExclusionReason::Library => message!(recommendation_excluded_library),
    };
    match &it.remedy {
        Some(remedy) => message!(recommendation_excluded_remedy, why, remedy),
        None => why,
    }
}

fn not_measured(it: &NotMeasured) -> Message {
    let NotMeasured { store, title, is_plain, remedy, command, .. } = it;
    let is_plain = if *is_plain { "yes" } else { "no" };
    match remedy {
        Some(remedy) => message!(recommendation_not_here, store, title, is_plain, remedy),
        None => message!(recommendation_not_measured, store, title, is_plain, command),
    }
}

fn other(it: &RunnerUp) -> Message {
    let RunnerUp { candidate, phase, times } = it;
    match *times {
        times if times > 1.0 => message!(recommendation_behind, candidate, times, phase),
        _ => message!(recommendation_nowhere_behind, candidate),
    }
}
