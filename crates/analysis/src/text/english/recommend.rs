//! What to take, in words.

use kurabe_protocol::Operation;
use kurabe_record::{About, Form, Isolation, LicenceBinds, Model, StoreProfile, SupportStatus, UsedBy, Writers};

use super::durability::{kept, may_lose, minimum, quoted_minimum};

use crate::findings::recommend::{
    Ahead, Condition, Excluded, Instead, Lead, Next, NotMeasured, Other, Pause, Pick, Rationale, Recommendation, Rule,
    RuledOutBy, Said, StoreGrowth, TOLD_ELSEWHERE, TheirDifference, TradeSide, Unless, WhyExcluded, by_reason,
};
use crate::text::format::{count, duration, list, percent, quoted, rate, ratio, significant, size, span};

/// With more of them in a list than this their number stands in the place of the rest.
const NAMED: usize = 4;

/// All of it in English.
pub fn recommendation(it: &Recommendation) -> Said {
    Said {
        headline: format!("{}{}", headline(it), elsewhere(it)),
        about: it.about.as_ref().map(about),
        why: if matches!(it.pick, Pick::NotDecided { .. }) { "even so" } else { "because" }.into(),
        because: it.because.iter().map(because).collect(),
        unless: it.unless.iter().map(unless).collect(),
        excluded: by_reason(&it.excluded, why_excluded),
        not_measured: it.not_measured.iter().map(not_measured).collect(),
        others: it.others.iter().map(other).collect(),
    }
}

fn headline(it: &Recommendation) -> String {
    match &it.pick {
        Pick::Take { candidate } if it.rule == Rule::OnlyOne => {
            let why = if it.excluded.is_empty() { "was measured" } else { "here can be taken" };
            format!("Take '{candidate}': no other store {why}.")
        }
        Pick::Take { candidate } => format!("Take '{candidate}'."),
        Pick::Either { candidates, store: Some(store), apart: TheirDifference::Unknown } => {
            format!("Take '{store}'; which of {} clients is fastest is not decided.", candidates.len())
        }
        Pick::Either { candidates, store: Some(store), .. } => match candidates.as_slice() {
            [one, other] => format!("Take '{store}'; either client will do: '{one}' or '{other}'."),
            several if several.len() <= NAMED => {
                format!("Take '{store}'; any of these clients will do: {}.", quoted(several))
            }
            several => format!("Take '{store}'; any of {} clients will do, '{}' first.", several.len(), several[0]),
        },
        Pick::Either { candidates, store: None, .. } => match candidates.as_slice() {
            [one, other] => format!("Either will do: '{one}' or '{other}'."),
            several if several.len() <= NAMED => format!("Any of these will do: {}.", quoted(several)),
            several => format!("Any of {} stores will do, '{}' first.", several.len(), several[0]),
        },
        Pick::NotDecided { ahead, next } => {
            let why = match it.rule {
                Rule::TooFewRounds if *next == Next::GoOn => "the run was stopped before it could tell",
                Rule::TooFewRounds => "there were too few rounds to tell chance from difference",
                Rule::NotToldApart => "this run can tell large differences only",
                _ => "the machine was unstable during the run",
            };
            let ahead: Vec<String> = ahead.iter().map(was_ahead).collect();
            let ahead = if ahead.is_empty() { String::new() } else { format!(" {}.", ahead.join("; ")) };
            match next {
                Next::Again { command, takes_ns } => {
                    let takes = takes_ns.map(|ns| format!(" (about {})", span(ns))).unwrap_or_default();
                    format!("Not decided: {why}.{ahead} Again{takes}: {command}")
                }
                Next::GoOn => format!("Not decided: {why}.{ahead} Go on: {}", crate::findings::recommend::GO_ON),
            }
        }
        Pick::Nothing => match it.rule {
            Rule::NoneEnough => "No store that was measured here reaches what you need.".into(),
            Rule::NoneForThem => {
                "No store that was measured here can serve several machines: these are libraries.".into()
            }
            _ => "No store that was measured here can be taken: none got through every phase that decides.".into(),
        },
    }
}

/// Whether another is taken under another condition.
fn elsewhere(it: &Recommendation) -> String {
    let one = |(at, candidates, is_same_store): (Condition, &[String], bool)| match (at, candidates, is_same_store) {
        (Condition::Durability(minimum), _, true) => format!(" The same store at {}.", quoted_minimum(minimum)),
        (Condition::Durability(minimum), [], _) => format!(" At {} it is not decided.", quoted_minimum(minimum)),
        (Condition::Durability(_), others, _) => format!(" But {}, if that is enough.", quoted(others)),
        (Condition::Profile(profile), _, true) => format!(" The same store where all are set as '{profile}'."),
        (Condition::Profile(profile), [], _) => format!(" Where all are set as '{profile}' it is not decided."),
        (Condition::Profile(_), others, _) => format!(" But {}, if you set it so.", quoted(others)),
    };
    let all: Vec<_> = it.elsewhere().collect();
    if all.len() <= TOLD_ELSEWHERE {
        return all.into_iter().map(one).collect();
    }
    // Of a whole axis: where it is another store, and that it is the same in the rest.
    let (same, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(.., is_same_store)| *is_same_store);
    let rest = if others.is_empty() { "everywhere else" } else { "in the rest" };
    let same = if same.is_empty() { String::new() } else { format!(" The same store {rest}.") };
    let others = others.into_iter().map(|(at, candidates, _)| match candidates {
        [] => format!(" {}: not decided.", condition(at)),
        candidates => format!(" {}: {}.", condition(at), quoted(candidates)),
    });
    others.chain([same]).collect()
}

/// A condition, as the beginning of a sentence.
fn condition(at: Condition) -> String {
    match at {
        Condition::Durability(minimum) => format!("At {}", quoted_minimum(minimum)),
        Condition::Profile(profile) => format!("Set as '{profile}'"),
    }
}

fn was_ahead(one: &Ahead) -> String {
    format!("'{}' was ahead in {}", one.candidate, list(&one.phases))
}

/// What a store is.
pub fn about(about: &About) -> String {
    let form = match about.form {
        Form::Library => "a library inside your program",
        Form::Server => "a server, which programs on several machines can use",
    };
    let model = match about.model {
        Model::Sql => "SQL",
        Model::Documents => "documents",
        Model::KeyValue => "values under keys",
        Model::WideColumn => "rows of many columns",
        Model::TextFile => "lines of text",
    };
    let writers = match about.writers {
        Writers::One => "one connection writes at a time",
        Writers::Several => "several connections write at a time",
    };
    format!("{form}; {model}; {writers}")
}

fn times(times: f64) -> String {
    match times {
        near if (0.95..1.05).contains(&near) => ratio(near),
        _ => significant(times, if times < 100.0 { 2 } else { 3 }),
    }
}

/// A need: whole numbers as they were said.
fn need(per_s: f64) -> String {
    if per_s.fract() == 0.0 { count(per_s as u64) } else { significant(per_s, 3) }
}

fn lead(lead: &Lead) -> String {
    match (&lead.next, lead.times) {
        (Some(next), Some(by)) => format!("{} ({} times '{next}')", lead.phase, times(by)),
        _ => lead.phase.clone(),
    }
}

fn because(it: &Rationale) -> String {
    match it {
        Rationale::First { phases, is_everywhere } => {
            let leads: Vec<String> = phases.iter().map(lead).collect();
            let all = if *is_everywhere && phases.len() > 1 { ", all that decides" } else { "" };
            format!("it is fastest in {}{all}", list(&leads))
        }
        Rationale::Level { phases } => format!("no store is clearly faster in {}", list(phases)),
        Rationale::Behind { phase, times: behind, first } => {
            format!("its weakest phase is {phase}: '{first}' is {} times as fast there", times(*behind))
        }
        Rationale::Enough { candidate, phase, need_per_s, rate_per_s, times: met, by_all } => {
            let all = if *by_all { "every store is fast enough: " } else { "" };
            format!(
                "{all}'{candidate}' does at least {}/s in {phase}, {} times the {}/s you need",
                rate(*rate_per_s),
                times(*met),
                need(*need_per_s)
            )
        }
        Rationale::Nearest { candidate, phase, rate_per_s, times: met } => format!(
            "the nearest, '{candidate}', does at least {}/s in {phase}, {} of what you need",
            rate(*rate_per_s),
            percent(*met)
        ),
        Rationale::Slowest(pause) => slowest(pause),
        Rationale::Objective { candidate, phase, operation, ns, slo, is_met } => {
            let nearest = if *is_met { "" } else { "the nearest, " };
            let share = percent(slo.p);
            format!(
                "{nearest}'{candidate}' does {share} of the {operation}s in {phase} in {} (you ask for {slo}; under the \
                 load of this run, each connection waiting for its answer)",
                duration(*ns as f64)
            )
        }
        Rationale::Growth { phase, from_rows, to_rows, stores } => grown(phase, *from_rows, *to_rows, stores),
        Rationale::Out { candidates, why } => {
            let why = match (why, candidates.as_slice()) {
                (RuledOutBy::Form, [_]) => "is a library, which several machines cannot use",
                (RuledOutBy::Form, _) => "are libraries, which several machines cannot use",
                (RuledOutBy::Durability, [_]) => "does not keep writes as safe as you ask",
                (RuledOutBy::Durability, _) => "do not keep writes as safe as you ask",
            };
            format!("{} {why}", quoted(candidates))
        }
        Rationale::Plain { used_by, reason } => {
            let whom = match used_by {
                UsedBy::OneProgram => "one program on one machine",
                UsedBy::SeveralMachines => "programs on several machines",
            };
            let reason = reason.as_ref().map(|reason| format!(": {reason}"));
            format!("it is the plain choice for {whom}{}", reason.unwrap_or_default())
        }
        Rationale::Trade { phase, faster, safer, has_no_less } => {
            let no_less = if *has_no_less { " (no weaker setting of it is enough)" } else { "" };
            format!(
                "{phase} is a trade, not a lead: it does {}; '{}' does {}{no_less}",
                side(faster),
                safer.candidate,
                side(safer)
            )
        }
        Rationale::Safer { phase, faster, times: by, loses } => {
            format!("'{faster}' is {} times as fast in {phase}, but it {}", times(*by), may_lose(*loses))
        }
        Rationale::Survives { guarantee: Some(guarantee) } => kept(*guarantee),
        Rationale::Survives { guarantee: None } => "but what it can lose is unknown".into(),
        Rationale::Upkeep { status: SupportStatus::Retired } => {
            "but its makers have retired it: there will be no further release".into()
        }
        Rationale::Upkeep { .. } => "but its makers fix only critical bugs".into(),
        Rationale::OutOfSupport { version, until, newest } => {
            let newest = newest.as_ref().map(|newest| format!("; {newest} is the newest"));
            format!("but {version}, measured here, is out of support since {until}{}", newest.unwrap_or_default())
        }
        Rationale::Old { year, version } => {
            let version = version.as_ref().map(|version| format!(" ({version})"));
            format!("but its newest release{} is of {year}: nobody may mend what breaks", version.unwrap_or_default())
        }
    }
}

/// One side of a trade: what it did, what that cost the device, and what it can lose.
fn side(it: &TradeSide) -> String {
    let flushes = it.flushes_per_commit.map(|per_commit| format!(" ({} per commit)", flushes(per_commit)));
    let lost = it.guarantee.map(|guarantee| format!(" and {}", may_lose(guarantee)));
    format!("{}/s{}{}", rate(it.rate_per_s), flushes.unwrap_or_default(), lost.unwrap_or_default())
}

/// Flushes of the device, as many as there are for a commit.
fn flushes(per_commit: f64) -> String {
    match per_commit {
        near if (0.95..1.05).contains(&near) => "1 flush".into(),
        few => format!("{} flushes", significant(few, 2)),
    }
}

/// One of so many operations of a kind: `1 of 100 updates`.
fn one_of(pause: &Pause) -> String {
    let many = count((1.0 / (1.0 - pause.p)).round() as u64);
    format!("1 of {many} {}s", pause.operation)
}

fn slowest(pause: &Pause) -> String {
    let longest = pause.max_ns.map(|ns| format!(", the longest {}", duration(ns as f64)));
    let longest = longest.unwrap_or_default();
    format!("{} in {} takes over {}{longest}", one_of(pause), pause.phase, duration(pause.ns as f64))
}

fn grown(phase: &str, from_rows: u64, to_rows: u64, stores: &[StoreGrowth]) -> String {
    let one = |(first, one): (bool, &StoreGrowth)| {
        format!(
            "{} times{} with '{}' ({} to {})",
            times(one.to_ns / one.from_ns),
            if first { " as much" } else { "" },
            one.candidate,
            duration(one.from_ns),
            duration(one.to_ns)
        )
    };
    let held: Vec<&str> = stores.iter().filter(|one| one.holds).map(|one| one.candidate.as_str()).collect();
    let verdict = match (held.len(), stores.len()) {
        (1, 1) => "it holds".to_string(),
        (0, 1) => "it does not hold".to_string(),
        (held, all) if held == all => "both hold".to_string(),
        (0, _) => "neither holds".to_string(),
        _ => format!("only {} holds", quoted(&held)),
    };
    let stores: Vec<String> = stores.iter().enumerate().map(|(at, store)| one((at == 0, store))).collect();
    format!("from {} to {} rows {phase} costs {}: {verdict}", count(from_rows), count(to_rows), list(&stores))
}

fn mostly(operation: Operation, phase: &str) -> String {
    match operation {
        Operation::Load => format!("you mostly load rows in bulk ({phase})"),
        Operation::Read => format!("you mostly read by key ({phase})"),
        Operation::Scan => format!("you mostly read all rows in turn ({phase})"),
        Operation::Latest => format!("you mostly read the newest rows ({phase})"),
        Operation::Search => format!("you mostly search ranges ({phase})"),
        Operation::Update => format!("you mostly change rows ({phase})"),
        Operation::Insert => format!("you mostly add rows ({phase})"),
        Operation::Delete => format!("you mostly delete rows ({phase})"),
        Operation::Increment => format!("you mostly count ({phase})"),
        _ => format!("your work is mostly {phase}"),
    }
}

fn instead(it: &Instead, what: &str) -> String {
    match it {
        Instead::Measured { candidate } => format!("then '{candidate}'"),
        Instead::NotMeasured { store, command } => format!("'{store}', not measured: {command}"),
        Instead::NotRanked { store, command } => {
            format!("'{store}', which cannot be taken as measured here: {command}")
        }
        Instead::Nothing => format!("then {what}, of which none is known here"),
    }
}

fn unless(it: &Unless) -> String {
    match it {
        Unless::Phase { phase, operation, candidate, times: by, saves_s_per_day, loses } => {
            let loses = loses.map(|loses| format!(", but it {}", may_lose(loses))).unwrap_or_default();
            let saves = saves_s_per_day.map(|s| format!(" ({} a day at what you need)", span((s * 1e9) as u64)));
            let saves = saves.unwrap_or_default();
            format!("{}: '{candidate}' is {} times as fast there{saves}{loses}", mostly(*operation, phase), times(*by))
        }
        Unless::Elsewhere { at, candidates, because: reasons, .. } => {
            let then =
                if candidates.is_empty() { "not decided".into() } else { format!("then {}", quoted(candidates)) };
            let reasons: Vec<String> = reasons.iter().map(because).collect();
            let why = if reasons.is_empty() { String::new() } else { format!("; {}", reasons.join("; ")) };
            match at {
                Condition::Durability(asked) => format!("{} ({asked}): {then}{why}", minimum(*asked)),
                Condition::Profile(StoreProfile::Tuned) => {
                    format!("you set stores as their makers advise (profile tuned): {then}{why}")
                }
                Condition::Profile(StoreProfile::Default) => {
                    format!("you leave stores as they ship (profile default): {then}{why}")
                }
            }
        }
        Unless::SeveralMachines { instead: then, also_for_writers } => {
            let or = if *also_for_writers { " or many connections write" } else { "" };
            format!("several machines use it{or}: {}", instead(then, "a server"))
        }
        Unless::Queries { instead: then } => {
            format!("you need joins, or searches by other columns than the key: {}", instead(then, "a store with SQL"))
        }
        Unless::OneProgram { candidate, times: by } => format!(
            "one program alone uses it: '{candidate}' needs no server and is at least {} times as fast",
            times(*by)
        ),
        Unless::PowerFails { command } => {
            format!("a power failure may lose nothing: {command}")
        }
        Unless::ManyWriters { instead: then } => {
            format!("many connections write: {}", instead(then, "a store with several writers"))
        }
        Unless::Grows { phase, tenfold, candidate } => {
            let other = candidate.as_ref().map(|name| format!("; '{name}' does not grow so"));
            format!(
                "the data grows: with ten times the rows {phase} costs {} times as much{}",
                times(*tenfold),
                other.unwrap_or_default()
            )
        }
        Unless::Pauses { pause, other, is_for_a_lock } => {
            let other = other.as_ref().map(|(name, ns)| format!("; with '{name}' {}", duration(*ns as f64)));
            let lock = if *is_for_a_lock { "; its connections wait for one lock to write" } else { "" };
            format!("pauses hurt you: {}{}{lock}", slowest(pause), other.unwrap_or_default())
        }
        Unless::OtherLanguage { languages, instead: then } => {
            let names: Vec<String> = languages.iter().map(|name| language(name)).collect();
            format!("your program is not in {}: {}", either(&names), instead(then, "a store with other drivers"))
        }
        Unless::Isolation { isolation, instead: then } => {
            format!("{}: {}", not_kept_apart(*isolation), instead(then, "a store that keeps them apart"))
        }
        Unless::RowsExpire { instead: then } => {
            format!("rows are to expire or to be evicted by the store: {}", instead(then, "a store that does it"))
        }
        Unless::Licence { binds, licence, instead: then } => {
            let when = match binds {
                LicenceBinds::Programs => "you give your program away and not its source",
                LicenceBinds::Services => "you offer the store itself as a service",
            };
            format!("{when} (licence {licence}): {}", instead(then, "a store under another licence"))
        }
        Unless::LittleNeeded { rate_per_s, candidate } => {
            format!("you need less than {}/s: '{candidate}', the plain choice, does that too", rate(*rate_per_s))
        }
        Unless::MoreRows { rows, command } => {
            format!("you have far more than {} rows, which is not known: {command}", count(*rows))
        }
        Unless::LessNeeded { rate_per_s } => format!("{}/s are enough", rate(*rate_per_s)),
        Unless::MoreConnections { command } => format!("more connections can share the work: {command}"),
        Unless::LessKept { command } => format!("more writes may be lost: {command}"),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            format!("disk is short: a row takes {}; with '{candidate}' {}", size(*per_row_bytes), size(*other_bytes))
        }
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

/// `C, C++ or PHP`.
fn either(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
    }
}

/// What several connections can do to each other.
fn not_kept_apart(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::LastWriteWins => "two connections change the same row, of which one may be lost without a word",
        Isolation::SingleRequest => {
            "several rows change together, or a row by what was read (atomic here: one request)"
        }
        Isolation::ReadUncommitted => "connections must not see what others have not committed",
        Isolation::ReadCommitted => {
            "a row changes by what was read before (read committed here: lock it, or one may be lost)"
        }
        Isolation::RepeatableRead => {
            "a row changes by what was read before (repeatable read here: lock it, or one may be lost)"
        }
        Isolation::Snapshot | Isolation::Serializable => "connections change the same rows",
    }
}

fn why_excluded(it: &Excluded) -> String {
    let why = match &it.why {
        WhyExcluded::NotRanked { reason } => reason.words(),
        WhyExcluded::Absent { reason } => reason.clone(),
        WhyExcluded::NotEnough { phase, times: met } => {
            format!("it reaches {} of the rate you need in {phase}", percent(*met))
        }
        WhyExcluded::TooSlow { phase: Some(phase), ns: Some(ns), slo } => {
            format!(
                "{} of its operations in {phase} take up to {} ({slo} was asked)",
                percent(slo.p),
                duration(*ns as f64)
            )
        }
        WhyExcluded::TooSlow { slo, .. } => format!("it had too few operations to tell whether {slo} holds"),
        WhyExcluded::Retired => "its makers have retired it: there will be no further release".into(),
        WhyExcluded::Library => "it is a library, and several machines are to use the store".into(),
    };
    let remedy = it.remedy.as_ref().map(|remedy| format!("; get it with: {remedy}"));
    format!("{why}{}", remedy.unwrap_or_default())
}

fn not_measured(it: &NotMeasured) -> String {
    let plain = if it.is_plain { ", a plain choice" } else { "" };
    match &it.remedy {
        Some(remedy) => format!("{} ({}{plain}), not here: {remedy}", it.store, it.title),
        None => format!("{} ({}{plain}): {}", it.store, it.title, it.command),
    }
}

fn other(it: &Other) -> String {
    let behind = match it.times {
        times if times > 1.0 => format!("at most {} times slower than the best, in {}", ratio(times), it.phase),
        _ => "nowhere behind".into(),
    };
    format!("{}: {behind}", it.candidate)
}
