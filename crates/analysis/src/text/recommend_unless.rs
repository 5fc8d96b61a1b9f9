//! In which cases something else is to be taken.

use kurabe_messages::{Message, message};
use kurabe_record::{Isolation, LicenceBinds, StoreProfile};

use super::durability::{can_lose_in_short, minimum};
use super::recommend_because::{because, slowest};
use crate::findings::recommend::{Alternative, Condition, Pause, Rationale, Unless};

/// What is wanted where nothing that is known has it.
#[derive(Clone, Copy)]
enum Wanted {
    Server,
    Sql,
    Writers,
    Drivers,
    Isolation,
    Expiry,
    Licence,
}

impl Wanted {
    fn word(self) -> &'static str {
        match self {
            Wanted::Server => "server",
            Wanted::Sql => "sql",
            Wanted::Writers => "writers",
            Wanted::Drivers => "drivers",
            Wanted::Isolation => "isolation",
            Wanted::Expiry => "expiry",
            Wanted::Licence => "licence",
        }
    }
}

/// A case.
pub(super) fn unless(it: &Unless) -> Message {
    match it {
        Unless::Phase { phase, operation, candidate, times, saves_s_per_day, loses } => {
            let work = message!(recommendation_work_is_mostly, operation, phase);
            let saves = saves_s_per_day.map(|s| message!(recommendation_saves, time = s * 1e9));
            let loses = loses.map(can_lose_in_short);
            message!(recommendation_unless_phase, work, candidate, times = *times, saves, loses)
        }
        Unless::Elsewhere { at, candidates, because, .. } => elsewhere(*at, candidates, because),
        Unless::SeveralMachines { instead, also_for_writers: true } => {
            message!(recommendation_unless_several_machines_or_writers, instead = alternative(instead, Wanted::Server))
        }
        Unless::SeveralMachines { instead, also_for_writers: false } => {
            message!(recommendation_unless_several_machines, instead = alternative(instead, Wanted::Server))
        }
        Unless::Queries { instead } => {
            message!(recommendation_unless_queries, instead = alternative(instead, Wanted::Sql))
        }
        Unless::OneProgram { candidate, times } => {
            message!(recommendation_unless_one_program, candidate, times = *times)
        }
        Unless::PowerFails { command } => message!(recommendation_unless_power_fails, command),
        Unless::ManyWriters { instead } => {
            message!(recommendation_unless_many_writers, instead = alternative(instead, Wanted::Writers))
        }
        Unless::Grows { phase, tenfold, candidate } => {
            let other = candidate.as_ref().map(|candidate| message!(recommendation_grows_less, candidate));
            message!(recommendation_unless_grows, phase, times = *tenfold, other)
        }
        Unless::Pauses { pause, other, is_for_a_lock } => pauses(pause, other.as_ref(), *is_for_a_lock),
        Unless::OtherLanguage { languages, instead } => {
            let languages: Vec<String> = languages.iter().map(|name| language(name)).collect();
            message!(recommendation_unless_language, languages, instead = alternative(instead, Wanted::Drivers))
        }
        Unless::Isolation { isolation, instead } => {
            let isolation = isolated(*isolation);
            message!(recommendation_unless_isolation, isolation, instead = alternative(instead, Wanted::Isolation))
        }
        Unless::RowsExpire { instead } => {
            message!(recommendation_unless_rows_expire, instead = alternative(instead, Wanted::Expiry))
        }
        Unless::Licence { binds: LicenceBinds::Programs, licence, instead } => {
            message!(recommendation_unless_distributed, licence, instead = alternative(instead, Wanted::Licence))
        }
        Unless::Licence { binds: LicenceBinds::Services, licence, instead } => {
            message!(recommendation_unless_service, licence, instead = alternative(instead, Wanted::Licence))
        }
        Unless::LittleNeeded { rate_per_s, candidate } => {
            message!(recommendation_unless_little_needed, rate = *rate_per_s, candidate)
        }
        Unless::MoreRows { rows, command } => message!(recommendation_unless_more_rows, rows = *rows, command),
        Unless::LessNeeded { rate_per_s } => message!(recommendation_unless_less_needed, rate = *rate_per_s),
        Unless::MoreConnections { command } => message!(recommendation_unless_more_connections, command),
        Unless::LessKept { command } => message!(recommendation_unless_less_kept, command),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            message!(recommendation_unless_disk, size = *per_row_bytes, candidate, other = *other_bytes)
        }
    }
}

fn pauses(pause: &Pause, other: Option<&(String, u64)>, is_for_a_lock: bool) -> Message {
    let other = other.map(|(candidate, ns)| message!(recommendation_pauses_of_other, candidate, time = *ns));
    let lock = is_for_a_lock.then(|| message!(recommendation_waits_for_lock));
    message!(recommendation_unless_pauses, slowest = slowest(pause), other, lock)
}

fn elsewhere(at: Condition, candidates: &[String], reasons: &[Rationale]) -> Message {
    let condition = match at {
        Condition::Durability(asked) => {
            message!(recommendation_if_durability, needs = minimum(asked), minimum = asked)
        }
        Condition::Profile(StoreProfile::Tuned) => message!(recommendation_if_tuned),
        Condition::Profile(StoreProfile::Default) => message!(recommendation_if_default),
    };
    let choice = match candidates {
        [] => message!(recommendation_then_inconclusive),
        candidates => message!(recommendation_then_take, candidates),
    };
    let and = |reason: Message, next: Message| message!(recommendation_reason_and, reason, next);
    match reasons.iter().map(because).reduce(and) {
        Some(why) => message!(recommendation_unless_elsewhere_because, condition, choice, why),
        None => message!(recommendation_unless_elsewhere, condition, choice),
    }
}

/// What to take then.
fn alternative(it: &Alternative, wanted: Wanted) -> Message {
    match it {
        Alternative::Measured { candidate } => message!(recommendation_instead, candidate),
        Alternative::NotMeasured { store, command } => message!(recommendation_instead_not_measured, store, command),
        Alternative::NotRanked { store, command } => message!(recommendation_instead_not_ranked, store, command),
        Alternative::Nothing => message!(recommendation_instead_nothing, wanted = wanted.word()),
    }
}

/// A language by its own name.
fn language(name: &str) -> String {
    match name {
        "php" => "PHP".into(),
        "node" => "JavaScript".into(),
        _ => name.chars().take(1).flat_map(char::to_uppercase).chain(name.chars().skip(1)).collect(),
    }
}

/// What several connections can do to each other.
fn isolated(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::LastWriteWins => "last-write-wins",
        Isolation::SingleRequest => "single-request",
        Isolation::ReadUncommitted => "read-uncommitted",
        Isolation::ReadCommitted => "read-committed",
        Isolation::RepeatableRead => "repeatable-read",
        Isolation::Snapshot | Isolation::Serializable => "other",
    }
}
