//! What stands beside the answer: notes and cautions.

use std::fmt;

use kurabe_record::Repeated;
use kurabe_stats::MIN_VALUES;

use super::configuration::at;
use super::sentences::capitalised;
use crate::figures::bottleneck::OnTheWay;
use crate::figures::caution::{Caution, Differ, Innocent};
use crate::figures::figure::Figure;
use crate::figures::weakening::{WeakenedBy, Weakening};
use crate::result::load_tools::ToolRatio;
use crate::result::notes::{Missing, Note, SaturatedPart};
use crate::text::format::{count, duration, list, percent, quoted};

/// With more of them than this their number stands in the place of their names.
const NAMED: usize = 6;

impl Note {
    /// The note in words.
    pub fn words(&self) -> String {
        match self {
            Note::Rounds { rounds, why } => {
                // What is shown is whole, and the run gives no reason: then jobs failed that are not of it.
                if rounds.complete >= rounds.planned && why.as_slice() == [Missing::Broken(None)] {
                    return format!(
                        "All {} rounds shown here are complete. Jobs with other settings failed.",
                        rounds.planned
                    );
                }
                let why: Vec<String> = why.iter().map(Missing::words).collect();
                if rounds.complete >= rounds.planned && !why.is_empty() {
                    let why = capitalised(&why.join("; "));
                    return format!("All {} rounds shown here are complete. {why}.", rounds.planned);
                }
                let why = if why.is_empty() { String::new() } else { format!(": {}", why.join("; ")) };
                format!("{} of {} rounds are complete{why}.", rounds.complete, rounds.planned)
            }
            Note::TooFewRounds => {
                format!("No ranking below {MIN_VALUES} rounds: run with --rounds {MIN_VALUES} or more.")
            }
            Note::Failures { candidate, phases, message, allowed } => {
                let phases: Vec<String> =
                    phases.iter().map(|(phase, failed)| format!("{} in {phase}", count(*failed))).collect();
                let within = match allowed {
                    0 => String::new(),
                    some => format!(", within the {} that the study allows a phase of a job", count(*some)),
                };
                format!(
                    "Operations of '{candidate}' failed{within}: {}, most often: {message}. They are in no rate and no \
                     latency.",
                    list(&phases)
                )
            }
            Note::Repeated(lines) => repeated(lines),
            Note::SetAside { jobs, most, programs } => superseded(*jobs, *most, programs.as_deref()),
            Note::Inferred => {
                "This run is of an earlier format: what each store can lose is inferred from its class of durability, and \
                 how large the loss is was not recorded."
                    .into()
            }
            Note::NoPower { reason } => format!(
                "The data directory cannot guarantee durability 'power': {reason}. A power failure can take everything."
            ),
            Note::Absent { candidates, reason, remedy } => {
                let remedy = remedy.as_ref().map(|remedy| format!(" To have it: {remedy}")).unwrap_or_default();
                format!("{} did not take part: {}.{remedy}", who(candidates), reason.trim_end_matches('.'))
            }
            Note::Held { candidate, by } => {
                let part = |(held, phases): &(SaturatedPart, Vec<String>)| {
                    let phases: Vec<&str> = phases.iter().map(String::as_str).collect();
                    format!("{} in {}", held.words(), list(&phases))
                };
                let parts: Vec<String> = by.iter().map(part).collect();
                format!("The rate of '{candidate}' is held by {}.", parts.join("; by "))
            }
            Note::Closes { candidate, phases } => {
                let of = |(phase, connects, operations): &(String, u64, u64)| {
                    format!("{} connections for {} operations in {phase}", count(*connects), count(*operations))
                };
                let phases: Vec<String> = phases.iter().map(of).collect();
                format!(
                    "The service of '{candidate}' closes connections: its client made {}. Each operation waits for its \
                     connection, so a service that keeps them may be faster.",
                    list(&phases)
                )
            }
            Note::LoadTool { candidate, own } => load_tool(candidate, own.as_ref()),
            Note::AnyCertificate { candidates } => format!(
                "The server's certificate was not checked for {} (tls=unverified): another server could have answered.",
                who(candidates)
            ),
            Note::Unreadable { candidate, figures } => {
                format!("The user of '{candidate}' may not read, so that it is missing: {}.", figures.join("; "))
            }
        }
    }
}

/// What is said of the candidate of a load tool, and how Kurabe's own client compares with it.
fn load_tool(candidate: &str, own: Option<&(String, Vec<ToolRatio>)>) -> String {
    let unchecked = format!("A load tool drives '{candidate}': its answers are not checked, and it is never ranked.");
    match own {
        Some((own, phases)) if !phases.is_empty() => {
            let phases: Vec<String> = phases.iter().map(of_tool).collect();
            format!("{unchecked} Kurabe's own client ('{own}') against it: {}.", phases.join("; "))
        }
        _ => unchecked,
    }
}

fn of_tool(ratio: &ToolRatio) -> String {
    let times = |figure: &Figure| match figure.interval {
        Some(range) => format!("{:.2} times ({:.2} to {:.2})", figure.value, range.low, range.high),
        None => format!("{:.2} times", figure.value),
    };
    let cpu = ratio.client_cpu.as_ref().map(|cpu| format!(" for {} its client CPU an operation", times(cpu)));
    format!("{} its rate{} in {}", times(&ratio.rate), cpu.unwrap_or_default(), ratio.phase)
}

impl SaturatedPart {
    fn words(self) -> &'static str {
        match (self.part, self.is_busy) {
            (OnTheWay::Client, _) => "the client",
            (OnTheWay::Link, _) => "the link",
            (OnTheWay::App, _) => "the service before the store",
            (OnTheWay::Store, true) => "the store",
            (OnTheWay::Store, false) => "waiting, for no part is busy,",
            (OnTheWay::AppWithStore, _) => "the service with the store in it",
        }
    }
}

impl Missing {
    fn words(&self) -> String {
        let beside = |message: &Option<String>| message.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
        match self {
            Missing::Failed { candidates, round } => format!("{} failed in round {}", who(candidates), round + 1),
            Missing::FailedBefore { candidates, at: level } => format!("{} failed at {}", who(candidates), at(level)),
            Missing::Budget(message) => format!("the rest did not fit the budget{}", beside(message)),
            Missing::Interrupted(message) => format!("the run was interrupted{}", beside(message)),
            Missing::Broken(Some(message)) => format!("the run ended early: {message}"),
            Missing::Broken(None) => "the run could not go on".into(),
            Missing::NoEnd => "the run has no end: it is still under way, or it was cut off".into(),
        }
    }
}

/// Candidates by name, or their number where they are many.
fn who(names: &[String]) -> String {
    if names.len() > NAMED {
        return format!("{} candidates", names.len());
    }
    quoted(names)
}

/// `programs` are the other ones that are known to have disturbed; absent where it was the machine below.
fn superseded(jobs: usize, most: f64, programs: Option<&[String]>) -> String {
    let (were, they) = if jobs == 1 { ("job was", "it") } else { ("jobs were", "they") };
    let who = match programs {
        None => "the machine below".to_string(),
        Some([]) => "other programs".to_string(),
        Some(names) => format!("other programs ({})", quoted(names)),
    };
    format!(
        "{} {were} repeated because {who} took up to {} of the processors; jobs.jsonl holds what {they} gave.",
        count(jobs as u64),
        percent(most),
    )
}

fn repeated(lines: &[Repeated]) -> String {
    let numbers: Vec<String> = lines.iter().take(NAMED).map(|repeated| repeated.line.to_string()).collect();
    let more = if lines.len() > NAMED { format!(" and {} more", lines.len() - NAMED) } else { String::new() };
    let plural = if lines.len() == 1 { "" } else { "s" };
    let verb = if lines.len() == 1 { "says" } else { "say" };
    format!(
        "Line{plural} {}{more} of jobs.jsonl {verb} again what stands there already; each job counts once.",
        numbers.join(", ")
    )
}

impl Caution {
    /// The caution in words.
    pub fn words(&self) -> String {
        match self {
            Caution::Libraries { one, other, differ } => {
                let what = match differ {
                    Differ::Drivers => "drivers",
                    Differ::Versions => "versions",
                };
                format!(
                    "'{}' runs {} and '{}' runs {}: their difference is that of the {what} too.",
                    one.0, one.1, other.0, other.1
                )
            }
            Caution::ManyLibraries { store } => format!(
                "The candidates of '{store}' run different libraries, or other versions of one: their differences are \
                 theirs too."
            ),
            Caution::Services { one, other } => format!(
                "'{}' is served by version {} and '{}' by {}: their difference is that of the versions too.",
                one.0, one.1, other.0, other.1
            ),
            Caution::Broken { candidate, promised, left, weakened } => {
                let words: Vec<String> = weakened.iter().map(Weakening::words).collect();
                let lost = weakened.first().map(|gravest| gravest.window.as_str()).unwrap_or_default();
                format!(
                    "'{candidate}' keeps durability '{}', not '{}' as its setting promises: {}. It can lose {lost}.",
                    left.level(),
                    promised.level(),
                    words.join("; ")
                )
            }
            Caution::QuickCommits { candidate, phase, round, median_ns, sync_ns, because } => {
                let follows = match because {
                    Innocent::SharedSync => {
                        "Nothing follows from it: writes of several connections or requests can share a sync"
                    }
                    Innocent::UnsteadyDisk => "Nothing follows from it: the disk was not equally quick all the time",
                    Innocent::BusyDisk => {
                        "What it keeps is not known: the disk was busy with other work, which hides a sync that does nothing. \
                         Measure again on a quiet disk"
                    }
                };
                format!(
                    "Commits of '{candidate}' were quicker than syncs before and after them: half of its writes in {phase} \
                     took at most {} in round {}, and nine in ten synced writes of 4 KiB at least {}. {follows}.",
                    duration(*median_ns as f64),
                    round + 1,
                    duration(*sync_ns as f64)
                )
            }
            Caution::Pauses { candidate, pauses, share, heap_peak_bytes, heap_max_bytes } => {
                let plural = if *pauses == 1 { "" } else { "s" };
                format!(
                    "The virtual machine of '{candidate}' stopped {} time{plural} for garbage, {:.1} % of the measured \
                     time; its heap took up to {} of {} MiB.",
                    count(*pauses),
                    100.0 * share,
                    heap_peak_bytes >> 20,
                    heap_max_bytes >> 20
                )
            }
            Caution::OtherRuns { beside, jobs } => format!(
                "Another run of Kurabe measured on this machine beside {beside} of {jobs} jobs: rates and times are those \
                 of a machine that was shared."
            ),
            Caution::Shared { phase, others, steal, programs } => {
                let names = if programs.is_empty() { String::new() } else { format!(" ({})", quoted(programs)) };
                let below = if *steal >= 0.01 {
                    format!(", and the machine below took {}", percent(*steal))
                } else {
                    String::new()
                };
                format!(
                    "While '{phase}' was measured other programs{names} used {} of the processors{below}.",
                    percent(*others)
                )
            }
            Caution::Throttled { phase, share, quota } => {
                let quota = quota.as_ref().map(|quota| format!(" of {quota}")).unwrap_or_default();
                format!(
                    "The CPU quota{quota} was used up in {} of its periods while '{phase}' was measured. Everything stood \
                     still until each period ended, so rates are those of the quota. Raise it (cpu.max of the control group).",
                    percent(*share)
                )
            }
            Caution::Unsteady { fast_ns, slow_ns } => format!(
                "The processor was not equally fast all the time: the same arithmetic took at most {} before the fastest \
                 tenth of the jobs and at least {} before the slowest. Rates differ by that too; places compare within \
                 rounds.",
                duration(*fast_ns as f64),
                duration(*slow_ns as f64)
            ),
        }
    }
}

impl fmt::Display for Weakening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}

impl Weakening {
    /// What took from the guarantee, in words.
    pub fn words(&self) -> String {
        match &self.cause {
            WeakenedBy::Setting { name, found, .. } => format!("its live store reports {name} = '{found}'"),
            WeakenedBy::FewFlushes { phase, round, commits, flushes } => format!(
                "the disk was flushed {} times during its {} commits in {phase} (round {}), and each needs a flush",
                count(*flushes),
                count(*commits),
                round + 1
            ),
            WeakenedBy::Rationale { reason } => format!("of where the data lay: {reason}"),
            WeakenedBy::QuickCommits { phase, round, median_ns, sync_ns } => format!(
                "its commits were quicker than the disk can sync: half of its writes in {phase} took at most {} in round \
                 {}, and nine in ten synced writes of 4 KiB at least {} whenever they were tried in this run",
                duration(*median_ns as f64),
                round + 1,
                duration(*sync_ns as f64)
            ),
        }
    }
}
