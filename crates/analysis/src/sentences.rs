//! The answer in two to five sentences.

use kurabe_machine::PowerVerdict;
use kurabe_record::{Class, RunRecord, StoreKind};
use kurabe_stats::MIN_VALUES;

use crate::answer::{CandidateAnswer, PhaseAnswer, PhaseRanking, PhaseRow, Range, Reason, Rounds, Status};
use crate::format::{count, difference, list, ratio};

/// With more leaders than this in one phase a sentence tells their number instead of their names.
const NAMED_LEADERS: usize = 3;
/// A run that could have seen only differences larger than this (1 is a factor of two) is called too noisy.
const TOO_NOISY: f64 = 1.0;

/// Who is first where, whether stores win different phases, what could not be decided, what may be lost, and whose
/// answers were wrong.
pub(crate) fn sentences(
    run: &RunRecord,
    phases: &[PhaseAnswer],
    candidates: &[CandidateAnswer],
    rounds: &Rounds,
) -> Vec<String> {
    let deciding: Vec<&PhaseAnswer> = match phases.iter().filter(|phase| phase.deciding).collect::<Vec<_>>() {
        none if none.is_empty() => phases.iter().collect(),
        deciding => deciding,
    };
    let tops: Vec<Top<'_>> =
        deciding.iter().flat_map(|phase| phase.rankings.iter().filter_map(|ranking| Top::of(phase, ranking))).collect();
    let mut sentences = Vec::new();
    if tops.is_empty() {
        sentences.push(no_ranking(rounds));
    } else {
        sentences.push(winners(&tops));
        sentences.extend(no_single_winner(&tops));
        sentences.push(what_could_be_seen(&tops));
        sentences.extend(risk(run, candidates));
    }
    sentences.extend(wrong_answers(phases));
    sentences
}

/// The head of one ranking.
struct Top<'a> {
    phase: &'a PhaseAnswer,
    ranking: &'a PhaseRanking,
    /// Those that share place 1, best first.
    leaders: Vec<&'a PhaseRow>,
    /// The best of those behind them.
    next: Option<&'a PhaseRow>,
}

impl<'a> Top<'a> {
    fn of(phase: &'a PhaseAnswer, ranking: &'a PhaseRanking) -> Option<Top<'a>> {
        let row = |name: &String| phase.rows.iter().find(|row| row.candidate == *name);
        let rows: Vec<&PhaseRow> = ranking.candidates.iter().filter_map(row).collect();
        let leads = |row: &&PhaseRow| matches!(row.status, Status::Ranked { place: 1, .. });
        let leaders: Vec<&PhaseRow> = rows.iter().copied().filter(leads).collect();
        let next = rows.iter().copied().find(|row| !leads(row));
        (!leaders.is_empty()).then_some(Top { phase, ranking, leaders, next })
    }

    fn names(&self) -> Vec<&'a str> {
        self.leaders.iter().map(|row| row.candidate.as_str()).collect()
    }

    /// Whether nobody else has a place.
    fn is_alone(&self) -> bool {
        self.ranking.candidates.len() == 1
    }

    /// The phase, with the class where only that class was ranked.
    fn place(&self) -> String {
        match self.ranking.class {
            Some(class) => format!("{} (class {class})", self.phase.name),
            None => self.phase.name.clone(),
        }
    }

    /// What the first place rests on.
    fn detail(&self) -> String {
        let place = self.place();
        let best = self.leaders[0];
        if let Some(second) = self.leaders.get(1) {
            let interval = second.to_best.and_then(|to_best| to_best.ratio.interval);
            // An interval that holds everything from a half to twice tells a reader nothing.
            return match interval.filter(|interval| self.leaders.len() == 2 && interval.high < 4.0 * interval.low) {
                Some(interval) => format!(
                    "{place} ('{}' reaches {} to {} times the rate of '{}')",
                    second.candidate,
                    ratio(interval.low),
                    ratio(interval.high),
                    best.candidate
                ),
                None => place,
            };
        }
        let Some(next) = self.next else { return place };
        match next.to_best.map(|to_best| to_best.ratio) {
            Some(figure) => {
                let lead = figure.interval.map(|interval| Range { low: 1.0 / interval.high, high: 1.0 / interval.low });
                let interval = lead.map(|lead| format!(", {} to {}", ratio(lead.low), ratio(lead.high)));
                format!(
                    "{place} ({} times '{}'{})",
                    ratio(1.0 / figure.value),
                    next.candidate,
                    interval.unwrap_or_default()
                )
            }
            None => place,
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    list(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Those that lead somewhere, with what their first places rest on.
struct Winners<'a> {
    names: Vec<&'a str>,
    is_alone: bool,
    details: Vec<String>,
}

impl Winners<'_> {
    fn clause(&self) -> String {
        let (names, details) = (leaders(&self.names), words(&self.details));
        match (self.is_alone, self.names.len()) {
            (true, _) => format!("only {names} has a place in {details}"),
            (false, 1) => format!("{names} is fastest in {details}"),
            (false, _) => format!("{names} tie for the first place in {details}"),
        }
    }
}

/// One clause for every set of leaders, in the order in which they first lead.
fn winners(tops: &[Top<'_>]) -> String {
    let mut groups: Vec<Winners<'_>> = Vec::new();
    for top in tops {
        let (names, is_alone) = (top.names(), top.is_alone());
        match groups.iter_mut().find(|known| known.names == names && known.is_alone == is_alone) {
            Some(known) => known.details.push(top.detail()),
            None => groups.push(Winners { names, is_alone, details: vec![top.detail()] }),
        }
    }
    let clauses: Vec<String> = groups.iter().map(Winners::clause).collect();
    capitalised(&format!("{}.", clauses.join("; ")))
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The names of those that lead, or how many they are.
fn leaders(names: &[&str]) -> String {
    match names {
        [first, ..] if names.len() > NAMED_LEADERS => format!("{} stores ('{first}' and others)", names.len()),
        _ => quoted(names),
    }
}

/// What acknowledged writes survive: class by class, the largest group last. Nothing is promised of what was not measured.
fn risk(run: &RunRecord, candidates: &[CandidateAnswer]) -> Option<String> {
    if !run.phases.iter().any(|plan| plan.phase.writes()) {
        return None;
    }
    let mut groups: Vec<(Option<Class>, Vec<&str>)> = Vec::new();
    for one in candidates.iter().filter(|one| one.kind == StoreKind::Store && one.work.rounds > 0) {
        match groups.iter_mut().find(|(group, _)| *group == one.class) {
            Some((_, names)) => names.push(&one.name),
            None => groups.push((one.class, vec![&one.name])),
        }
    }
    groups.sort_by_key(|(_, names)| names.len());
    let last = groups.len().saturating_sub(1);
    let on_bad_ground = |name: &str| {
        let started = run.candidates.iter().any(|one| one.name == name && one.at_url.is_none());
        started && run.device.power_verdict() != PowerVerdict::Plausible
    };
    let all_on_bad_ground = |names: &[&str]| names.iter().all(|name| on_bad_ground(name));
    let clause = |(index, (class, names)): (usize, &(Option<Class>, Vec<&str>))| {
        let who = match (index == last && names.len() > NAMED_LEADERS, last) {
            (true, 0) => "every store that was measured here".to_string(),
            (true, _) => "the others".to_string(),
            (false, _) => quoted(names),
        };
        match class {
            None => format!("what survives with {who} is unknown"),
            Some(Class::None) => format!("with {who} acknowledged writes may be lost when a process of the store dies"),
            Some(Class::Process) if all_on_bad_ground(names) => {
                format!("with {who} all that was written may be lost when power fails, not when a process is killed")
            }
            Some(Class::Process) => {
                format!(
                    "with {who} the latest acknowledged writes may be lost when power fails, not when a process is killed"
                )
            }
            Some(Class::Power) => format!("with {who} acknowledged writes survive even when power fails"),
        }
    };
    let clauses: Vec<String> = groups.iter().enumerate().map(clause).collect();
    (!clauses.is_empty()).then(|| format!("As set here, {}.", clauses.join("; ")))
}

/// There is no composite score: where nobody leads everywhere, that is the answer.
fn no_single_winner(tops: &[Top<'_>]) -> Option<String> {
    let leads_everywhere = |name: &&str| tops.iter().all(|top| top.names().contains(name));
    let is_settled = tops.len() < 2 || tops[0].names().iter().any(leads_everywhere);
    (!is_settled)
        .then(|| "Different stores are first in different phases: which one is best depends on your mix.".into())
}

fn what_could_be_seen(tops: &[Top<'_>]) -> String {
    let tied: Vec<String> = tops.iter().filter(|top| top.leaders.len() > 1).map(Top::place).collect();
    let seen: Vec<(f64, String)> = tops.iter().filter_map(|top| Some((top.ranking.detectable?, top.place()))).collect();
    let undecided = match (tied.as_slice(), uncontested(tops)) {
        ([], None) => "Every first place is decided".to_string(),
        ([], Some(alone)) if alone.len() == tops.len() => {
            return "No first place was contested: there was nobody to compare with.".into();
        }
        ([], Some(alone)) => {
            format!("Every first place is decided but in {}, where there was nobody to compare with", words(&alone))
        }
        (tied, _) => format!("The first place is not decided in {}", words(tied)),
    };
    let smallest = seen.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let largest = seen.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let range = match (smallest, largest) {
        (Some(low), Some(high)) if difference(low.0) != difference(high.0) => {
            format!("differences from {} ({}) to {} ({})", difference(low.0), low.1, difference(high.0), high.1)
        }
        (Some(low), _) if low.0 < 1.0 => format!("a difference of {}", difference(low.0)),
        (Some(low), _) => difference(low.0),
        _ => return format!("{undecided}."),
    };
    if !tied.is_empty() && largest.is_some_and(|largest| largest.0 > TOO_NOISY) {
        return format!(
            "{undecided}: this run could have seen only {range}. Longer phases, more rounds (--rounds) and a quiet machine would tell more."
        );
    }
    format!("{undecided}; this run could have seen {range}.")
}

/// Phases in which only one candidate has a place, if there are any.
fn uncontested(tops: &[Top<'_>]) -> Option<Vec<String>> {
    let alone: Vec<String> = tops.iter().filter(|top| top.is_alone()).map(Top::place).collect();
    (!alone.is_empty()).then_some(alone)
}

fn words(clauses: &[String]) -> String {
    list(&clauses.iter().map(String::as_str).collect::<Vec<_>>())
}

fn no_ranking(rounds: &Rounds) -> String {
    if rounds.measured == 0 {
        return "There is no ranking: no job ended in good order.".into();
    }
    if rounds.measured < MIN_VALUES {
        return format!(
            "There is no ranking: {} of {} rounds were measured, and it takes {MIN_VALUES}.",
            rounds.measured, rounds.planned
        );
    }
    "There is no ranking: no store got through a deciding phase in good order; the reasons stand below.".into()
}

/// Wrong answers are part of the answer, whatever the phase.
fn wrong_answers(phases: &[PhaseAnswer]) -> Option<String> {
    let mut wrong: Vec<(&str, Vec<String>)> = Vec::new();
    for phase in phases {
        for row in &phase.rows {
            let Status::Unranked { reason: Reason::WrongAnswers { count: found, .. } } = &row.status else { continue };
            let place = format!("{} ({})", phase.name, count(*found));
            match wrong.iter_mut().find(|(candidate, _)| *candidate == row.candidate) {
                Some((_, places)) => places.push(place),
                None => wrong.push((&row.candidate, vec![place])),
            }
        }
    }
    let clause = |(candidate, places): &(&str, Vec<String>)| {
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        format!("'{candidate}' gave wrong answers in {} and has no place there", list(&places))
    };
    let clauses: Vec<String> = wrong.iter().map(clause).collect();
    (!clauses.is_empty()).then(|| format!("{}.", clauses.join("; ")))
}
