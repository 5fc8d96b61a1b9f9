//! What to take, in words.

use kurabe_protocol::Operation;
use kurabe_record::{About, Form, Model, SupportStatus, UsedBy, Writers};

use super::durability::{kept, may_lose, minimum};

use crate::findings::recommend::{
    Ahead, Excluded, Ground, Grown, Instead, Kept, Lead, Next, NotMeasured, Other, OutBy, Pause, Pick, Recommendation,
    Rule, Said, TheirDifference, Unless, WhyExcluded, by_reason,
};
use crate::text::format::{count, duration, list, percent, quoted, rate, ratio, significant, size};

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
                Next::Again { command } => format!("Not decided: {why}.{ahead} Again: {command}"),
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

/// Whether another is taken at another minimum durability.
fn elsewhere(it: &Recommendation) -> String {
    let one = |(minimum, candidates, is_same_store): (_, &[String], bool)| match (candidates, is_same_store) {
        (_, true) => format!(" The same store at '{minimum}'."),
        ([], _) => format!(" At '{minimum}' it is not decided."),
        (others, _) => format!(" But {}, if that is enough.", quoted(others)),
    };
    it.elsewhere().map(one).collect()
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

fn because(it: &Ground) -> String {
    match it {
        Ground::First { phases, is_everywhere } => {
            let leads: Vec<String> = phases.iter().map(lead).collect();
            let all = if *is_everywhere && phases.len() > 1 { ", all that decides" } else { "" };
            format!("it is fastest in {}{all}", list(&leads))
        }
        Ground::Level { phases } => format!("no store is clearly faster in {}", list(phases)),
        Ground::Behind { phase, times: behind, first } => {
            format!("its weakest phase is {phase}: '{first}' is {} times as fast there", times(*behind))
        }
        Ground::Enough { candidate, phase, need_per_s, rate_per_s, times: met, by_all } => {
            let all = if *by_all { "every store is fast enough: " } else { "" };
            format!(
                "{all}'{candidate}' does at least {}/s in {phase}, {} times the {}/s you need",
                rate(*rate_per_s),
                times(*met),
                need(*need_per_s)
            )
        }
        Ground::Nearest { candidate, phase, rate_per_s, times: met } => format!(
            "the nearest, '{candidate}', does at least {}/s in {phase}, {} of what you need",
            rate(*rate_per_s),
            percent(*met)
        ),
        Ground::Slowest(pause) => slowest(pause),
        Ground::Growth { phase, from_rows, to_rows, stores } => grown(phase, *from_rows, *to_rows, stores),
        Ground::Out { candidates, why } => {
            let why = match (why, candidates.as_slice()) {
                (OutBy::Form, [_]) => "is a library, which several machines cannot use",
                (OutBy::Form, _) => "are libraries, which several machines cannot use",
                (OutBy::Durability, [_]) => "does not keep writes as safe as you ask",
                (OutBy::Durability, _) => "do not keep writes as safe as you ask",
            };
            format!("{} {why}", quoted(candidates))
        }
        Ground::Plain { used_by, reason } => {
            let whom = match used_by {
                UsedBy::OneProgram => "one program on one machine",
                UsedBy::SeveralMachines => "programs on several machines",
            };
            let reason = reason.as_ref().map(|reason| format!(": {reason}"));
            format!("it is the plain choice for {whom}{}", reason.unwrap_or_default())
        }
        Ground::Trade { phase, faster, safer, has_no_less } => {
            let no_less = if *has_no_less { " (no weaker setting of it is enough)" } else { "" };
            format!(
                "{phase} is a trade, not a lead: it does {}; '{}' does {}{no_less}",
                side(faster),
                safer.candidate,
                side(safer)
            )
        }
        Ground::Survives { guarantee: Some(guarantee) } => kept(*guarantee),
        Ground::Survives { guarantee: None } => "but what it can lose is unknown".into(),
        Ground::Upkeep { status: SupportStatus::Retired } => {
            "but its makers have retired it: there will be no further release".into()
        }
        Ground::Upkeep { .. } => "but its makers fix only critical bugs".into(),
        Ground::Old { year, version } => {
            let version = version.as_ref().map(|version| format!(" ({version})"));
            format!("but its newest release{} is of {year}: nobody may mend what breaks", version.unwrap_or_default())
        }
    }
}

/// One side of a trade: what it did, what that cost the device, and what it can lose.
fn side(it: &Kept) -> String {
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

fn grown(phase: &str, from_rows: u64, to_rows: u64, stores: &[Grown]) -> String {
    let one = |(first, one): (bool, &Grown)| {
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
        Unless::Phase { phase, operation, candidate, times: by, loses } => {
            let loses = loses.map(|loses| format!(", but it {}", may_lose(loses))).unwrap_or_default();
            format!("{}: '{candidate}' is {} times as fast there{loses}", mostly(*operation, phase), times(*by))
        }
        Unless::Durability { minimum: asked, candidates, because: grounds, .. } => {
            let then =
                if candidates.is_empty() { "not decided".into() } else { format!("then {}", quoted(candidates)) };
            let grounds: Vec<String> = grounds.iter().map(because).collect();
            let why = if grounds.is_empty() { String::new() } else { format!("; {}", grounds.join("; ")) };
            format!("{} ({asked}): {then}{why}", minimum(*asked))
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
        Unless::LessNeeded { rate_per_s } => format!("{}/s are enough", rate(*rate_per_s)),
        Unless::MoreConnections { command } => format!("more connections can share the work: {command}"),
        Unless::LessKept { command } => format!("more writes may be lost: {command}"),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            format!("disk is short: a row takes {}; with '{candidate}' {}", size(*per_row_bytes), size(*other_bytes))
        }
    }
}

fn why_excluded(it: &Excluded) -> String {
    let why = match &it.why {
        WhyExcluded::NoPlace { reason } => reason.words(),
        WhyExcluded::Absent { reason } => reason.clone(),
        WhyExcluded::NotEnough { phase, times: met } => {
            format!("it reaches {} of the rate you need in {phase}", percent(*met))
        }
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
