//! The rules, in the order in which they are asked. `text` has the words of each: when it applies, its answer, and why.

use kurabe_protocol::Operation;
use kurabe_record::UsedBy;
use kurabe_stats::MIN_VALUES;
use schemars::JsonSchema;
use serde::Serialize;

use super::situation::{Contestant, Situation};
use super::{DifferenceSize, NextCommand, PhaseLeader, Pick, reasons};
use crate::figures::reason::Reason;
use crate::figures::stability::SURE;

/// The plain choice is taken where it is nowhere more than so many times slower than the best: below that few programs
/// notice, since a program does other things too.
const PLAIN_BEHIND: f64 = 3.0;
/// A store decides by its phases that mix reads and writes where it is at least so many times as fast in them as any
/// other.
const MIX_LEAD: f64 = 1.2;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Too few rounds.
    TooFewRounds,
    /// Nobody got through.
    NobodyThrough,
    /// No store can serve those who use it.
    NoneForThem,
    /// None does what is needed.
    NoneEnough,
    /// All do.
    AllEnough,
    /// One store alone is left.
    OnlyOne,
    /// The machine was not steady.
    Unsteady,
    /// One is first everywhere.
    FirstEverywhere,
    /// Nobody is ahead of several, which are shown to be alike.
    LevelEverywhere,
    /// Nobody is ahead of several, and how far they differ was not seen.
    NotToldApart,
    /// One is first in the phases that mix reads and writes.
    FirstInTheMix,
    /// The plain choice is near enough.
    PlainNearBest,
    /// The one that is least behind.
    LeastBehind,
}

impl Rule {
    /// All rules, in the order in which they are asked: the first that fits speaks.
    pub const ALL: [Rule; 13] = [
        Rule::TooFewRounds,
        Rule::NobodyThrough,
        Rule::NoneForThem,
        Rule::NoneEnough,
        Rule::AllEnough,
        Rule::OnlyOne,
        Rule::Unsteady,
        Rule::FirstEverywhere,
        Rule::LevelEverywhere,
        Rule::NotToldApart,
        Rule::FirstInTheMix,
        Rule::PlainNearBest,
        Rule::LeastBehind,
    ];
}

/// What was chosen, by which rule, among whom.
pub(super) struct Chosen {
    pub(super) rule: Rule,
    pub(super) pick: Pick,
    /// Those that were not taken for a reason of the rules: not enough, or not for those who use it.
    pub(super) ruled_out: Vec<(String, RuledOutReason)>,
}

/// Why the rules left out a store that has its ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuledOutReason {
    /// It does not do what is needed.
    NotEnough,
    /// It is a library, and several machines are to use it.
    Library,
    /// Its makers have retired it, and others are left.
    Retired,
}

pub(super) fn choose(situation: &Situation) -> Chosen {
    let alone = |rule, pick| Chosen { rule, pick, ruled_out: Vec::new() };
    if situation.contestants.is_empty() {
        let few = situation.unranked.iter().any(|(_, reason)| matches!(reason, Reason::TooFewRounds { .. }));
        let enough = MIN_VALUES.max(situation.rounds);
        let next = next(situation, Some(enough));
        return match few {
            true => alone(Rule::TooFewRounds, Pick::NotDecided { ahead: Vec::new(), next }),
            false => alone(Rule::NobodyThrough, Pick::Nothing),
        };
    }
    let mut ruled_out = Vec::new();
    let mut left: Vec<&Contestant> = situation.contestants.iter().collect();
    rule_out(&mut left, &mut ruled_out, RuledOutReason::Library, |one| situation.fits(one));
    if left.is_empty() {
        return Chosen { rule: Rule::NoneForThem, pick: Pick::Nothing, ruled_out };
    }
    // A retired store is taken only where no other is left.
    if left.iter().any(|one| !one.is_retired()) {
        rule_out(&mut left, &mut ruled_out, RuledOutReason::Retired, |one| !one.is_retired());
    }
    let is_needed = situation.is_needed();
    let all_meet = |times_over: f64| left.iter().all(|one| one.is_enough(situation, times_over));
    // On an unstable machine only what was seen to miss it does not meet it: a phase may have too few operations to say.
    let none_meets = |share: f64| match situation.unsteady {
        true => left.iter().all(|one| one.misses(situation, share)),
        false => left.iter().all(|one| !one.is_enough(situation, share)),
    };
    let (sure, sure_not) = if situation.unsteady { (SURE, 1.0 / SURE) } else { (1.0, 1.0) };
    if is_needed && none_meets(sure_not) {
        rule_out(&mut left, &mut ruled_out, RuledOutReason::NotEnough, |_| false);
        return Chosen { rule: Rule::NoneEnough, pick: Pick::Nothing, ruled_out };
    }
    // One that is alone only because the others were cut off is not taken for that.
    let was_cut_off = |(_, reason): &(String, Reason)| matches!(reason, Reason::TooFewRounds { .. });
    if left.len() == 1 && !situation.is_done && situation.unranked.iter().any(was_cut_off) {
        let next = next(situation, Some(MIN_VALUES.max(situation.rounds)));
        let pick = Pick::NotDecided { ahead: phase_leaders(situation, &left), next };
        return Chosen { rule: Rule::TooFewRounds, pick, ruled_out };
    }
    let all_enough = is_needed && left.len() > 1 && all_meet(sure);
    if situation.unsteady {
        let only_one = left.len() == 1 && all_meet(if is_needed { SURE } else { 0.0 });
        let is_sure = only_one || (all_enough && plain_of(situation, &left).is_some());
        if !is_sure {
            let next = next(situation, None);
            let pick = Pick::NotDecided { ahead: phase_leaders(situation, &left), next };
            return Chosen { rule: Rule::Unsteady, pick, ruled_out };
        }
    }
    rule_out(&mut left, &mut ruled_out, RuledOutReason::NotEnough, |one| one.is_enough(situation, 1.0));
    let (rule, pick) = choose_among(situation, &left, all_enough);
    Chosen { rule, pick, ruled_out }
}

/// A budget is so many times as long as what it is for is expected to take.
const SPARE: f64 = 1.25;

/// A run that was not done goes on; of any other another run would tell.
fn next(situation: &Situation, rounds: Option<usize>) -> NextCommand {
    if !situation.is_done {
        return NextCommand::GoOn;
    }
    let command = situation.command.clone();
    let command = rounds.map_or(command.clone(), |rounds| command.with("--rounds", rounds.to_string()));
    let takes_ns = situation.round_ns.saturating_mul(rounds.unwrap_or(situation.rounds) as u64);
    // More rounds than the budget had room for need a longer one.
    let command = match rounds.is_some_and(|rounds| rounds > situation.rounds) && situation.has_budget && takes_ns > 0 {
        true => command.with_budget(takes_ns as f64 * SPARE),
        false => command,
    };
    NextCommand::Again { command: command.to_string(), takes_ns: (takes_ns > 0).then_some(takes_ns) }
}

fn rule_out<'a>(
    left: &mut Vec<&'a Contestant>,
    ruled_out: &mut Vec<(String, RuledOutReason)>,
    why: RuledOutReason,
    stays: impl Fn(&Contestant) -> bool,
) {
    let out = left.iter().filter(|one| !stays(one)).map(|one| (one.name.clone(), why));
    ruled_out.extend(out);
    left.retain(|one: &&'a Contestant| stays(one));
}

/// Of stores that all can be taken.
fn choose_among(situation: &Situation, left: &[&Contestant], all_enough: bool) -> (Rule, Pick) {
    let take = |rule, one: &Contestant| (rule, Pick::Take { candidate: one.name.clone() });
    let plain = plain_of(situation, left);
    let worst = |one: &&Contestant| worst_among_equals(situation, one, left);
    let least_behind = left.iter().copied().min_by(|a, b| worst(a).total_cmp(&worst(b)));
    let kept = left.iter().copied().filter(|one| !reasons::is_old(situation, one));
    let kept = kept.min_by(|a, b| worst(a).total_cmp(&worst(b)));
    if all_enough && let Some(one) = plain.or(kept).or(least_behind) {
        return take(Rule::AllEnough, one);
    }
    if let [one] = left {
        return take(Rule::OnlyOne, one);
    }
    let leads = |one: &&&Contestant| (0..situation.phases.len()).all(|at| is_first(at, one, left));
    let mut level: Vec<&Contestant> = left.iter().filter(leads).copied().collect();
    if through_clients(&level).is_some() && level.iter().any(|one| one.is_first_client) {
        level.retain(|one| one.is_first_client);
    }
    match level.as_slice() {
        [] => {}
        [one] => return take(Rule::FirstEverywhere, one),
        several => return of_level(situation, several),
    }
    if let Some(one) = first_in_the_mix(situation, left) {
        return take(Rule::FirstInTheMix, one);
    }
    match (plain.filter(|one| worst(one) <= PLAIN_BEHIND), least_behind) {
        (Some(plain), _) => take(Rule::PlainNearBest, plain),
        (None, Some(one)) => take(Rule::LeastBehind, one),
        (None, None) => (Rule::NobodyThrough, Pick::Nothing),
    }
}

/// How many times behind the best one is where it is most behind. Where a phase writes, nobody is behind a store that
/// keeps less: that is a trade.
fn worst_among_equals(situation: &Situation, one: &Contestant, left: &[&Contestant]) -> f64 {
    let behind = |at: usize| {
        let writes = situation.phases[at].writes;
        let equals = left.iter().filter(|other| !(writes && one.keeps_more_than(other)));
        let best = equals.map(|other| other.standings[at].behind).fold(f64::INFINITY, f64::min);
        one.standings[at].behind / best
    };
    (0..situation.phases.len()).map(behind).fold(1.0, f64::max)
}

/// Of several of which nobody is ahead.
fn of_level(situation: &Situation, several: &[&Contestant]) -> (Rule, Pick) {
    let plain = plain_of(situation, several);
    let store = through_clients(several);
    // Each is equivalent to the same best, so no two of them differ by more than twice as much.
    let are_alike = several.iter().all(|one| one.standings.iter().all(|standing| standing.is_equivalent));
    if are_alike || store.is_some() {
        let first = plain.map(|one| one.name.clone());
        let rest = several.iter().map(|one| one.name.clone()).filter(|name| Some(name) != first.as_ref());
        let candidates = first.iter().cloned().chain(rest).collect();
        return match are_alike {
            true => (Rule::LevelEverywhere, Pick::Either { candidates, store, apart: DifferenceSize::Small }),
            false => (Rule::NotToldApart, Pick::Either { candidates, store, apart: DifferenceSize::Unknown }),
        };
    }
    if let Some(plain) = plain.filter(|one| one.is_within(PLAIN_BEHIND)) {
        return (Rule::PlainNearBest, Pick::Take { candidate: plain.name.clone() });
    }
    // As many as would settle what is open, where that can be told.
    let open = several.iter().flat_map(|one| &one.standings).filter_map(|standing| standing.rounds_to_settle).max();
    let rounds = open.unwrap_or(0).max(2 * situation.rounds.max(MIN_VALUES));
    let next = next(situation, Some(rounds));
    (Rule::NotToldApart, Pick::NotDecided { ahead: phase_leaders(situation, several), next })
}

/// The store that all of these are, each through another client.
fn through_clients(all: &[&Contestant]) -> Option<String> {
    let store = all.first()?.through_client.as_ref()?;
    all.iter().all(|one| one.through_client.as_ref() == Some(store)).then(|| store.clone())
}

/// Whether nobody of those that are left is ahead of one in a phase: others that were ruled out may be.
fn is_first(at: usize, one: &Contestant, left: &[&Contestant]) -> bool {
    left.iter().all(|other| other.standings[at].rank >= one.standings[at].rank)
}

/// Whether one is so many times as fast in a phase as each of the others that are left. Being faster than a store that
/// keeps more is no lead in a phase that writes.
fn leads_by(times: f64, at: usize, one: &Contestant, left: &[&Contestant], writes: bool) -> bool {
    left.iter().filter(|other| other.name != one.name).all(|other| {
        let (mine, theirs) = (&one.standings[at], &other.standings[at]);
        let is_trade = writes && other.keeps_more_than(one);
        mine.rank < theirs.rank && theirs.behind / mine.behind >= times && !is_trade
    })
}

/// The plain choice among these, for those who use it; where nobody said who, for one program before several machines.
fn plain_of<'a>(situation: &Situation, left: &[&'a Contestant]) -> Option<&'a Contestant> {
    let users = match situation.used_by {
        Some(used_by) => vec![used_by],
        None => vec![UsedBy::OneProgram, UsedBy::SeveralMachines],
    };
    let plain = users.into_iter().filter_map(|used_by| situation.plain(used_by));
    plain.into_iter().find_map(|store| left.iter().copied().find(|one| one.store == store))
}

fn first_in_the_mix<'a>(situation: &Situation, left: &[&'a Contestant]) -> Option<&'a Contestant> {
    let mixes: Vec<usize> =
        (0..situation.phases.len()).filter(|at| situation.phases[*at].operation == Operation::Mix).collect();
    // By a margin: a lead of a few percent in the mix does not outweigh the other phases.
    let writes = |at: usize| situation.phases[at].writes;
    let leads = |one: &&Contestant| mixes.iter().all(|at| leads_by(MIX_LEAD, *at, one, left, writes(*at)));
    left.iter().copied().filter(|_| !mixes.is_empty()).find(leads)
}

/// Who was ahead, whatever is decided: the best of each phase. One alone is ahead of nobody.
fn phase_leaders(situation: &Situation, left: &[&Contestant]) -> Vec<PhaseLeader> {
    let mut all: Vec<PhaseLeader> = Vec::new();
    if left.len() < 2 {
        return all;
    }
    for (at, phase) in situation.phases.iter().enumerate() {
        let best = left.iter().min_by(|a, b| a.standings[at].behind.total_cmp(&b.standings[at].behind));
        let Some(best) = best else { continue };
        match all.iter_mut().find(|one| one.candidate == best.name) {
            Some(one) => one.phases.push(phase.name.clone()),
            None => all.push(PhaseLeader { candidate: best.name.clone(), phases: vec![phase.name.clone()] }),
        }
    }
    all
}
