//! The sentences of an answer.

use kurabe_record::Metric;

use kurabe_stats::MIN_VALUES;

use super::configuration::at;
use super::durability::kept;
use crate::answer::Answer;
use crate::figures::configuration::At;
use crate::findings::client_effect::{Apart, More, Through};
use crate::findings::sentences::{
    Because, FirstRank, FirstsAt, NoRanking, RankedPhase, Risk, Seen, Sentence, SkippedAt, SkippedStore, Winners,
};
use crate::text::format::{count, difference, list, quoted, ratio, significant, span};

/// With more leaders than this in one phase a sentence tells their number instead of their names.
const NAMED_LEADERS: usize = 3;

impl Answer {
    /// Its sentences in English.
    pub fn said(&self) -> Vec<String> {
        self.sentences.iter().map(Sentence::words).collect()
    }
}

impl Sentence {
    /// The sentence in words.
    pub fn words(&self) -> String {
        match self {
            Sentence::NoRanking { at: level, why } => about(level.as_ref()) + &no_ranking(*why),
            Sentence::Winners { at: level, groups, is_steady } => {
                let said = winners(groups, *is_steady);
                about(level.as_ref()) + &if level.is_some() { said } else { capitalised(&said) }
            }
            Sentence::NoSingleWinner => {
                "Different stores are first in different phases: which one is best depends on your mix.".into()
            }
            Sentence::Seen(seen) => what_could_be_seen(seen),
            Sentence::Risk(groups) => {
                format!("As set here, {}.", groups.iter().map(risk).collect::<Vec<String>>().join("; "))
            }
            Sentence::WrongAnswers(wrong) => {
                let clause = |(candidate, phases): &(String, Vec<(String, u64)>)| {
                    let places = phases.iter().map(|(phase, wrong)| format!("{phase} ({})", count(*wrong)));
                    format!("'{candidate}' gave wrong answers in {} and is not ranked there", words(places))
                };
                format!("{}.", wrong.iter().map(clause).collect::<Vec<String>>().join("; "))
            }
            Sentence::OthersFirst(levels) => {
                let level = |(level, firsts): &FirstsAt| {
                    let first = |(names, phases): &(Vec<String>, Vec<String>)| {
                        let verb = if names.len() > 1 { "are" } else { "is" };
                        format!("{} {verb} first in {}", quoted(names), words(phases.iter().cloned()))
                    };
                    format!("at {} {}", at(level), words(firsts.iter().map(first)))
                };
                format!("Elsewhere others lead: {}.", levels.iter().map(level).collect::<Vec<String>>().join("; "))
            }
            Sentence::Growth { faster, open } => {
                growth(("time", "grows faster than the data", "grows no faster than the data"), faster, open)
            }
            Sentence::FigureGrowth { metric, grows, open } => {
                growth((&format!("the {metric}"), "grows with the data", "does not grow with the data"), grows, open)
            }
            Sentence::Clients(phases) => phases.iter().map(through).collect::<Vec<String>>().join(" "),
            Sentence::Skipped(levels) => {
                let level = |(level, stores): &SkippedAt| {
                    format!("{} at {}", words(stores.iter().map(skipped_store)), at(level))
                };
                let clauses: Vec<String> = levels.iter().map(level).collect();
                format!("Skipped, because the budget is too short: {}.", clauses.join("; "))
            }
        }
    }
}

fn skipped_store(skipped: &SkippedStore) -> String {
    let why = match (skipped.took_ns, skipped.needed_ns) {
        (Some(took_ns), _) => format!(" (it took {} and did not finish)", span(took_ns)),
        (None, Some(needed_ns)) => format!(" (it would take about {})", span(needed_ns)),
        (None, None) => String::new(),
    };
    format!("'{}'{why}", skipped.candidate)
}

fn words(clauses: impl Iterator<Item = String>) -> String {
    list(&clauses.collect::<Vec<_>>())
}

/// The names of those that lead, or how many they are.
fn leaders(names: &[String]) -> String {
    match names {
        [first, ..] if names.len() > NAMED_LEADERS => format!("{} stores ('{first}' and others)", names.len()),
        _ => quoted(names),
    }
}

/// The phase, with the level of durability where only that was ranked, and what was ranked where that is no rate.
fn place(phase: &RankedPhase) -> String {
    let by = if phase.metric == Metric::Rate { String::new() } else { format!(" by {}", phase.metric) };
    match phase.among.words() {
        Some(among) => format!("{}{by} ({among})", phase.name),
        None => format!("{}{by}", phase.name),
    }
}

fn first_rank(first: &FirstRank) -> String {
    let place = place(&first.phase);
    match &first.because {
        Because::Plain => place,
        Because::Shared { second, best, low, high } => {
            let of = if first.phase.metric == Metric::Rate { "the rate" } else { "the figure" };
            format!("{place} ('{second}' reaches {} to {} times {of} of '{best}')", ratio(*low), ratio(*high))
        }
        Because::Ahead { next, lead } => {
            let interval = lead.interval.map(|range| format!(", {} to {}", ratio(range.low), ratio(range.high)));
            format!("{place} ({} times '{next}'{})", ratio(lead.value), interval.unwrap_or_default())
        }
    }
}

fn winners(groups: &[Winners], is_steady: bool) -> String {
    let clause = |one: &Winners| {
        let (names, places) = (leaders(&one.names), words(one.places.iter().map(first_rank)));
        let best = if one.places.iter().all(|place| place.phase.metric == Metric::Rate) { "fastest" } else { "best" };
        match (one.is_alone, one.names.len()) {
            (true, _) => format!("only {names} is ranked in {places}"),
            (false, 1) if !is_steady => {
                let phases = words(one.places.iter().map(|one| place(&one.phase)));
                format!("{names} was ahead in {phases}")
            }
            (false, 1) => format!("{names} is {best} in {places}"),
            (false, _) => {
                let first = one.names.first().map(String::as_str).unwrap_or_default();
                format!("{names} tie in {places}, where '{first}' has the better mean")
            }
        }
    };
    format!("{}.", groups.iter().map(clause).collect::<Vec<String>>().join("; "))
}

/// Which configuration a sentence is about, where there are several.
fn about(level: Option<&At>) -> String {
    level.map(|level| format!("At {}: ", at(level))).unwrap_or_default()
}

pub(super) fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn what_could_be_seen(seen: &Seen) -> String {
    if !seen.is_steady {
        let best = if seen.are_rates { "fastest" } else { "best" };
        return format!(
            "Who is {best} is not decided: the machine was unstable during the run. Run again when it is idle."
        );
    }
    let undecided = match (seen.tied.as_slice(), seen.alone.as_slice()) {
        ([], []) => "Every first rank is decided".to_string(),
        ([], alone) if alone.len() == seen.rankings => {
            return "No first rank was contested: there was nobody to compare with.".into();
        }
        ([], alone) => format!(
            "Every first rank is decided but in {}, where there was nobody to compare with",
            words(alone.iter().map(place))
        ),
        (tied, _) => format!("The first rank is not decided in {}", words(tied.iter().map(place))),
    };
    let range = match (&seen.least, &seen.most) {
        (Some(low), Some(high)) if difference(low.0) != difference(high.0) => format!(
            "differences from {} ({}) to {} ({})",
            difference(low.0),
            place(&low.1),
            difference(high.0),
            place(&high.1)
        ),
        (Some(low), _) if low.0 < 1.0 => format!("a difference of {}", difference(low.0)),
        (Some(low), _) => difference(low.0),
        _ => return format!("{undecided}."),
    };
    if seen.is_too_noisy() {
        return format!(
            "{undecided}: this run could have seen only {range}. Longer phases, more rounds (--rounds) and a quiet machine would tell more."
        );
    }
    format!("{undecided}; this run could have seen {range}.")
}

fn risk(risk: &Risk) -> String {
    let many = risk.names.len() > NAMED_LEADERS;
    let who = match (risk.are_all, risk.are_the_rest) {
        (true, _) if many => "every store that was measured here".to_string(),
        (_, true) if many => "the others".to_string(),
        _ => quoted(&risk.names),
    };
    match risk.guarantee {
        None => format!("what {who} can lose is unknown"),
        Some(guarantee) => format!("with {who} {}", kept(guarantee)),
    }
}

fn no_ranking(why: NoRanking) -> String {
    match why {
        NoRanking::NoGoodJob => "There is no ranking: no job ended in good order.".into(),
        NoRanking::TooFewRounds(rounds) => format!(
            "There is no ranking: {} of {} rounds were measured, and it takes {MIN_VALUES}.",
            rounds.measured, rounds.planned
        ),
        NoRanking::NobodyThrough => {
            "There is no ranking: no store got through a deciding phase in good order; the reasons stand below.".into()
        }
    }
}

/// Phases with candidates and their exponents.
fn exponents(all: &[(String, Vec<(String, f64)>)]) -> String {
    words(all.iter().map(|(phase, names)| {
        let names = names.iter().map(|(name, slope)| format!("'{name}': rows^{}", significant(*slope, 3)));
        format!("{phase} ({})", names.collect::<Vec<String>>().join(", "))
    }))
}

/// Phases with candidates.
fn phases(all: &[(String, Vec<String>)]) -> String {
    words(all.iter().map(|(phase, names)| {
        let names = names.iter().map(|name| format!("'{name}'"));
        format!("{phase} ({})", names.collect::<Vec<String>>().join(", "))
    }))
}

/// What grows, in such words as "time grows faster than the data".
fn growth(
    (what, grows, grows_not): (&str, &str, &str),
    more: &[(String, Vec<(String, f64)>)],
    open: &[(String, Vec<String>)],
) -> String {
    let (more_words, open_words) = (exponents(more), phases(open));
    match (more, open) {
        ([], []) => format!("{} {grows_not} in any of the stores.", capitalised(what)),
        ([], _) => format!("Whether {what} {grows} is not decided in {open_words}."),
        (_, []) => format!("{} {grows} in {more_words}.", capitalised(what)),
        _ => format!("{} {grows} in {more_words}; that is not decided in {open_words}.", capitalised(what)),
    }
}

/// So many times, and from where to where.
fn apart(apart: &Apart) -> String {
    format!("{} times ({} to {})", ratio(apart.times), ratio(apart.interval.low), ratio(apart.interval.high))
}

fn through(one: &Through) -> String {
    let Apart { shared: store, best, worst, .. } = &one.clients;
    let by_client = match one.metric {
        Metric::Rate => format!("'{store}' is {} as fast through {best} as through {worst}", apart(&one.clients)),
        metric => {
            let times = apart(&one.clients);
            format!("the {metric} of '{store}' is {times} better through {best} than through {worst}")
        }
    };
    let by_store = one.stores.as_ref().map(|stores| {
        let Apart { shared: client, best, worst, .. } = stores;
        format!(
            "through one client the stores differ by at most {}, '{best}' and '{worst}' through {client}",
            apart(stores)
        )
    });
    let by_store = by_store.unwrap_or_default();
    let phase = &one.phase;
    match one.more() {
        More::Client => format!("In {phase} the client decides more than the store: {by_client}; {by_store}."),
        More::Store => format!("In {phase} the store decides more than the client: {by_store}; {by_client}."),
        More::Open => format!("Whether client or store decides more in {phase} is open: {by_client}; {by_store}."),
        More::Alone => format!("What the client is worth in {phase}: {by_client}."),
    }
}
