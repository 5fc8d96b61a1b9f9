//! What to take, in words.

use kurabe_protocol::Operation;
use kurabe_record::{About, Class, Form, Model, UsedBy, Writers};

use crate::format::{count, duration, list, percent, quoted, ratio, significant, size};
use crate::recommend::{
    Ahead, Excluded, Ground, Instead, Lead, NotMeasured, Other, Pick, Recommendation, Rule, Said, Unless, WhyExcluded,
    by_reason,
};

/// With more of them in a list than this their number stands in the place of the rest.
const NAMED: usize = 4;

/// All of it in English.
pub fn recommendation(it: &Recommendation) -> Said {
    Said {
        headline: headline(it),
        about: it.about.as_ref().map(about),
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
            format!("Take '{candidate}', the only one here that can be taken.")
        }
        Pick::Take { candidate } => format!("Take '{candidate}'."),
        Pick::Either { candidates, store: Some(store) } => match candidates.as_slice() {
            [one, other] => format!("Take '{store}'; either client will do: '{one}' or '{other}'."),
            several if several.len() <= NAMED => {
                format!("Take '{store}'; any of these clients will do: {}.", quoted(several))
            }
            several => format!("Take '{store}'; any of {} clients will do, '{}' first.", several.len(), several[0]),
        },
        Pick::Either { candidates, store: None } => match candidates.as_slice() {
            [one, other] => format!("Either will do: '{one}' or '{other}'."),
            several if several.len() <= NAMED => format!("Any of these will do: {}.", quoted(several)),
            several => format!("Any of {} stores will do, '{}' first.", several.len(), several[0]),
        },
        Pick::NotDecided { ahead, command } => {
            let why = match it.rule {
                Rule::TooFewRounds => "there were too few rounds to tell chance from difference",
                _ => "the machine was not the same all the time",
            };
            let ahead: Vec<String> = ahead.iter().map(looks_ahead).collect();
            let ahead = if ahead.is_empty() { String::new() } else { format!(" {}.", ahead.join("; ")) };
            format!("Not decided: {why}.{ahead} Again: {command}")
        }
        Pick::Nothing => match it.rule {
            Rule::NoneEnough => "Nothing that was measured here does what is needed.".into(),
            Rule::NoneForThem => {
                "Nothing that was measured here can serve several machines: these are libraries.".into()
            }
            _ => "Nothing that was measured here can be taken: no store got through all that decides.".into(),
        },
    }
}

fn looks_ahead(one: &Ahead) -> String {
    format!("'{}' looks ahead in {}", one.candidate, list(&one.phases))
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
        Ground::Level { phases } => format!("nobody is decidedly ahead of it in {}", list(phases)),
        Ground::Behind { phase, times: behind, first } => {
            format!("it is nowhere further behind than in {phase}, where '{first}' is {} times as fast", times(*behind))
        }
        Ground::Enough { phase, need_per_s, times: met, times_at_p99, by_all } => {
            let slow = times_at_p99.filter(|slow| *slow < *met);
            let slow = slow.map(|slow| format!(", {} times if all were as slow as the slowest hundredth", times(slow)));
            let all = if *by_all { "every store here is fast enough, so speed does not decide: it" } else { "it" };
            format!(
                "{all} does {} times the {} a second that are needed in {phase}{}",
                times(*met),
                need(*need_per_s),
                slow.unwrap_or_default()
            )
        }
        Ground::Plain { used_by, reason } => {
            let whom = match used_by {
                UsedBy::OneProgram => "one program on one machine",
                UsedBy::SeveralMachines => "programs on several machines",
            };
            let reason = reason.as_ref().map(|reason| format!(": {reason}"));
            format!("it is the plain choice for {whom}{}", reason.unwrap_or_default())
        }
        Ground::Survives { class } => match class {
            Some(Class::Power) => "writes that it has acknowledged survive even when power fails".into(),
            Some(Class::Process) => {
                "a killed process loses nothing; when power fails the latest writes may be gone".into()
            }
            Some(Class::None) => "but writes that it has acknowledged may be lost when a process dies".into(),
            None => "but what survives with it is unknown".into(),
        },
        Ground::Old { year, version } => {
            let version = version.as_ref().map(|version| format!(" ({version})"));
            format!("but its newest release{} is of {year}: nobody may mend what breaks", version.unwrap_or_default())
        }
    }
}

fn almost_only(operation: Operation, phase: &str) -> String {
    match operation {
        Operation::Load => format!("you do little but load rows in bulk ({phase})"),
        Operation::Read => format!("you almost only read by key ({phase})"),
        Operation::Scan => format!("you almost only read all rows in turn ({phase})"),
        Operation::Latest => format!("you almost only read the newest rows ({phase})"),
        Operation::Search => format!("you almost only search ranges ({phase})"),
        Operation::Update => format!("you almost only change rows ({phase})"),
        Operation::Insert => format!("you almost only add rows ({phase})"),
        Operation::Delete => format!("you almost only delete rows ({phase})"),
        Operation::Increment => format!("you almost only count ({phase})"),
        _ => format!("your work is almost only {phase}"),
    }
}

fn instead(it: &Instead, what: &str) -> String {
    match it {
        Instead::Measured { candidate } => format!("then '{candidate}'"),
        Instead::NotMeasured { store, command } => format!("then '{store}', not measured here: {command}"),
        Instead::Nothing => format!("then {what}, of which none is known here"),
    }
}

fn unless(it: &Unless) -> String {
    match it {
        Unless::Phase { phase, operation, candidate, times: by } => {
            format!("{}: '{candidate}' is {} times as fast there", almost_only(*operation, phase), times(*by))
        }
        Unless::SeveralMachines { instead: then, also_for_writers } => {
            let or = if *also_for_writers { ", or many connections write at the same time" } else { "" };
            format!("programs on several machines use it{or}: {}", instead(then, "a server"))
        }
        Unless::Queries { instead: then } => format!(
            "you need more than rows by their keys, such as joins or searches by other columns: {}",
            instead(then, "a store with SQL")
        ),
        Unless::OneProgram { candidate, times: by } => format!(
            "one program alone uses it: '{candidate}' needs no server and is at least {} times as fast",
            times(*by)
        ),
        Unless::PowerFails { command } => {
            format!("no acknowledged write may be lost when power fails: {command}")
        }
        Unless::ManyWriters { instead: then } => {
            format!("many connections write at the same time: {}", instead(then, "a store with several writers"))
        }
        Unless::Grows { phase, tenfold, candidate } => {
            let other = candidate.as_ref().map(|name| format!("; '{name}' does not grow so"));
            format!(
                "the data grows: with ten times the rows {phase} costs {} times as much{}",
                times(*tenfold),
                other.unwrap_or_default()
            )
        }
        Unless::Pauses { phase, p999_ns, candidate, other_ns } => format!(
            "pauses matter: once in a thousand times {phase} takes {} or more; with '{candidate}' {}",
            duration(*p999_ns as f64),
            duration(*other_ns as f64)
        ),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            format!("disk is short: a row takes {}; with '{candidate}' {}", size(*per_row_bytes), size(*other_bytes))
        }
    }
}

fn why_excluded(it: &Excluded) -> String {
    let why = match &it.why {
        WhyExcluded::NoPlace { reason } => reason.words(),
        WhyExcluded::Absent { reason } => reason.clone(),
        WhyExcluded::NotEnough { phase, times: met, at_p99 } => {
            let slow = if *at_p99 { " if all operations were as slow as the slowest hundredth" } else { "" };
            format!("it does {} of what is needed in {phase}{slow}", percent(*met))
        }
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
    format!("{}: {behind}: {}", it.candidate, it.command)
}
