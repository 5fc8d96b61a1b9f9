//! Why a store is taken.

use kurabe_messages::{Message, message};
use kurabe_protocol::Operation;
use kurabe_record::{SupportStatus, UsedBy};

use super::durability::{can_lose, can_lose_in_short};
use crate::findings::recommend::{Lead, Pause, Rationale, RuledOutBy, StoreGrowth, TradeSide};

/// Names of phases, which stand without quotes.
pub(super) fn phases(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn lead(lead: &Lead) -> Message {
    let phase = &lead.phase;
    match (&lead.next, lead.times) {
        (Some(next), Some(times)) => message!(recommendation_lead, phase, times, next),
        _ => message!(recommendation_lead_alone, phase),
    }
}

/// A reason.
pub(super) fn because(it: &Rationale) -> Message {
    match it {
        Rationale::First { phases, is_everywhere } => {
            let leads: Vec<Message> = phases.iter().map(lead).collect();
            match *is_everywhere && phases.len() > 1 {
                true => message!(recommendation_first_everywhere, leads),
                false => message!(recommendation_first, leads),
            }
        }
        Rationale::Level { phases: names } => message!(recommendation_level, phases = phases(names)),
        Rationale::Behind { phase, times, first } => {
            message!(recommendation_weakest_phase, phase, first, times = *times)
        }
        Rationale::Enough { candidate, phase, need_per_s, rate_per_s, times, by_all } => {
            let (need, rate, times) = (per_s(*need_per_s), *rate_per_s, *times);
            let enough = message!(recommendation_enough, candidate, phase, rate, times, need);
            if *by_all { message!(recommendation_all_enough, enough) } else { enough }
        }
        Rationale::Nearest { candidate, phase, rate_per_s, times } => {
            message!(recommendation_nearest, candidate, phase, rate = *rate_per_s, share = *times)
        }
        Rationale::Slowest(pause) => slowest(pause),
        Rationale::Objective { candidate, phase, operation, ns, slo, is_met } => {
            let (operations, share, time) = (operations(*operation), slo.p, *ns);
            let asked = message!(recommendation_objective, objective = slo);
            match is_met {
                true => message!(recommendation_objective_met, candidate, phase, operations, share, time, asked),
                false => message!(recommendation_objective_missed, candidate, phase, operations, share, time, asked),
            }
        }
        Rationale::Held { candidate, phase, rate_per_s: Some(rate), slo } => {
            message!(recommendation_held, candidate, phase, rate = *rate, objective = slo)
        }
        Rationale::Held { candidate, phase, rate_per_s: None, slo } => {
            message!(recommendation_held_none, candidate, phase, objective = slo)
        }
        Rationale::Growth { phase, from_rows, to_rows, stores } => {
            let (from, to, verdict) = (*from_rows, *to_rows, scaling(stores));
            let stores: Vec<Message> = stores.iter().map(grown).collect();
            message!(recommendation_growth, from, to, phase, stores, verdict)
        }
        Rationale::Out { candidates: names, why: RuledOutBy::Form } => message!(recommendation_libraries, names),
        Rationale::Out { candidates: names, why: RuledOutBy::Durability } => message!(recommendation_too_weak, names),
        Rationale::Plain { used_by, reason } => plain(*used_by, reason.as_ref()),
        Rationale::Trade { phase, faster, safer, has_no_less } => trade(phase, faster, safer, *has_no_less),
        Rationale::Safer { phase, faster, times, loses } => {
            message!(recommendation_safer, phase, faster, times = *times, loses = can_lose_in_short(*loses))
        }
        Rationale::Survives { guarantee: Some(kept) } => message!(recommendation_loses, loses = can_lose(*kept, 1)),
        Rationale::Survives { guarantee: None } => message!(recommendation_loss_unknown),
        Rationale::Upkeep { status: SupportStatus::Retired } => message!(recommendation_retired),
        Rationale::Upkeep { .. } => message!(recommendation_critical_only),
        Rationale::OutOfSupport { version, until, newest } => {
            let newest = newest.as_ref().map(|version| message!(recommendation_newest, version));
            message!(recommendation_out_of_support, version, until, newest)
        }
        Rationale::Old { year, version } => {
            let version = version.as_ref().map(|version| message!(recommendation_version, version));
            message!(recommendation_old, year = f64::from(*year), version)
        }
    }
}

/// A need: whole numbers as they were typed.
fn per_s(need: f64) -> Message {
    match need.fract() == 0.0 {
        true => message!(recommendation_need, rate = need as u64),
        false => message!(recommendation_need_fraction, rate = need),
    }
}

fn operations(operation: Operation) -> Message {
    message!(recommendation_operations, operation)
}

/// How long one of so many operations takes.
pub(super) fn slowest(pause: &Pause) -> Message {
    let Pause { phase, operation, p, ns, max_ns } = pause;
    let (operations, of, time) = (operations(*operation), (1.0 / (1.0 - p)).round() as u64, *ns);
    match max_ns {
        Some(longest) => {
            message!(recommendation_slowest_longest, operations, phase, of, time, longest = *longest)
        }
        None => message!(recommendation_slowest, operations, phase, of, time),
    }
}

fn grown(one: &StoreGrowth) -> Message {
    let (times, from, to) = (one.to_ns / one.from_ns, one.from_ns, one.to_ns);
    message!(recommendation_growth_of, times, candidate = &one.candidate, from, to)
}

fn scaling(stores: &[StoreGrowth]) -> Message {
    let names: Vec<&str> = stores.iter().filter(|one| one.holds).map(|one| one.candidate.as_str()).collect();
    match names.len() {
        0 => message!(recommendation_growth_does_not_hold, stores = stores.len()),
        held if held == stores.len() => message!(recommendation_growth_holds, stores = held),
        _ => message!(recommendation_growth_only, names),
    }
}

fn plain(used_by: UsedBy, reason: Option<&String>) -> Message {
    let used_by = match used_by {
        UsedBy::OneProgram => "one-program",
        UsedBy::SeveralMachines => "several-machines",
    };
    match reason {
        Some(reason) => message!(recommendation_plain_because, used_by, reason),
        None => message!(recommendation_plain, used_by),
    }
}

fn trade(phase: &str, faster: &TradeSide, safer: &TradeSide, has_no_less: bool) -> Message {
    let name = &safer.candidate;
    let trade = message!(recommendation_trade, phase, faster = side(faster), safer = name, side = side(safer));
    if has_no_less { message!(recommendation_trade_has_no_less, trade, safer = name) } else { trade }
}

/// One side of a trade: what it did, what that cost the device, and what it can lose.
fn side(it: &TradeSide) -> Message {
    let flushes = it.flushes_per_commit.map(|per_commit| match per_commit {
        near if (0.95..1.05).contains(&near) => message!(recommendation_one_flush),
        flushes => message!(recommendation_flushes, flushes),
    });
    let loses = it.guarantee.map(can_lose_in_short);
    message!(recommendation_trade_side, rate = it.rate_per_s, flushes, loses)
}
