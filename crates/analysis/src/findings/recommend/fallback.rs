//! Where nothing is chosen: what is known all the same, and what may help.

use kurabe_record::MinimumDurability;

use super::rules::{Chosen, Rule, RuledOutReason};
use super::situation::{Contestant, Situation};
use super::{Pick, Rationale, RuledOutBy, Unless, reasons};
use crate::figures::reason::Reason;
use crate::figures::stability::SURE;

/// A phase with more operations under way than this asks for more connections already.
const MANY_UNDER_WAY: u32 = 1;
/// Connections that are measured in its place.
const CONNECTIONS: &str = "1,8,64";

/// What is known all the same: what no noise changes, and who is nearest to what is needed.
pub(super) fn reasons(situation: &Situation, chosen: &Chosen) -> Vec<Rationale> {
    let mut all = Vec::new();
    match (&chosen.pick, chosen.rule) {
        (Pick::NotDecided { .. }, _) => {
            all.extend(met_by_all(situation, chosen));
            all.extend(excluded(situation, chosen));
            all.extend(reasons::growth(situation, &remaining(situation, chosen)));
        }
        (_, Rule::NoneEnough) => {
            all.extend(nearest_to_need(situation).map(|(_, rationale)| rationale));
            all.extend(nearest_objective(situation));
        }
        _ => {}
    }
    all
}

/// What may help where nobody does what is needed.
pub(super) fn ways(situation: &Situation, chosen: &Chosen) -> Vec<Unless> {
    let Some((at, Rationale::Nearest { rate_per_s, .. })) =
        (chosen.rule == Rule::NoneEnough).then(|| nearest_to_need(situation)).flatten()
    else {
        return Vec::new();
    };
    let phase = &situation.phases[at];
    let mut all = vec![Unless::LessNeeded { rate_per_s }];
    if phase.under_way <= MANY_UNDER_WAY {
        let command = situation.command.clone().with_axis("connections", CONNECTIONS);
        all.push(Unless::MoreConnections { command: command.to_string() });
    }
    let less = match situation.asked {
        MinimumDurability::Power => Some(MinimumDurability::Consistent),
        MinimumDurability::Consistent => Some(MinimumDurability::Kill),
        MinimumDurability::Kill | MinimumDurability::Window(_) => Some(MinimumDurability::Cache),
        MinimumDurability::Cache | MinimumDurability::Default => None,
    };
    all.extend(less.filter(|_| phase.writes).map(|less| Unless::LessKept {
        command: situation.command.clone().with_durability(less.to_string()).to_string(),
    }));
    all
}

/// Those that the rules did not leave out.
fn remaining<'a>(situation: &'a Situation, chosen: &Chosen) -> Vec<&'a Contestant> {
    let is_out = |name: &str| chosen.ruled_out.iter().any(|(out, _)| out == name);
    let mut all: Vec<&Contestant> = situation.contestants.iter().filter(|one| !is_out(&one.name)).collect();
    all.sort_by(|a, b| a.worst().1.total_cmp(&b.worst().1));
    all
}

/// The one that meets what is needed least, where all meet it so often that no noise changes that.
fn met_by_all(situation: &Situation, chosen: &Chosen) -> Option<Rationale> {
    let left = remaining(situation, chosen);
    let met = |one: &&Contestant| one.least_met(&situation.phases).map(|(at, times)| (at, times, one.name.clone()));
    let (at, times, candidate) = left.iter().filter_map(met).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let one = situation.contestant(&candidate)?;
    (times >= SURE).then_some(())?;
    Some(Rationale::Enough {
        candidate,
        phase: situation.phases[at].name.clone(),
        need_per_s: situation.phases[at].need_per_s?,
        rate_per_s: one.sure_rate_per_s(at)?,
        times,
        by_all: true,
    })
}

/// Those that cannot be taken, however fast they are.
fn excluded(situation: &Situation, chosen: &Chosen) -> Vec<Rationale> {
    let libraries = chosen.ruled_out.iter().filter(|(_, why)| *why == RuledOutReason::Library);
    let libraries: Vec<String> = libraries.map(|(name, _)| name.clone()).collect();
    let weak = situation.unranked.iter().filter(|(_, reason)| matches!(reason, Reason::BelowDurability { .. }));
    let weak: Vec<String> = weak.map(|(name, _)| name.clone()).collect();
    let all = [(libraries, RuledOutBy::Form), (weak, RuledOutBy::Durability)].into_iter();
    all.filter(|(names, _)| !names.is_empty()).map(|(candidates, why)| Rationale::Out { candidates, why }).collect()
}

/// Who is nearest to the objective, where nobody meets it.
fn nearest_objective(situation: &Situation) -> Option<Rationale> {
    let time = |one: &&Contestant| one.slowest_at_objective().map(|(.., ns)| ns);
    let fits = situation.contestants.iter().filter(|one| situation.fits(one));
    let nearest = fits.filter(|one| time(one).is_some()).min_by_key(time)?;
    reasons::objective(situation, nearest).filter(|rationale| {
        matches!(rationale, Rationale::Objective { is_met: false, .. } | Rationale::Held { rate_per_s: None, .. })
    })
}

/// Who is nearest to what is needed, with the phase in which it is furthest from it.
fn nearest_to_need(situation: &Situation) -> Option<(usize, Rationale)> {
    let met = |one: &Contestant| {
        let (at, times) = one.least_met(&situation.phases)?;
        let phase = situation.phases[at].name.clone();
        let rate_per_s = one.sure_rate_per_s(at)?;
        Some((at, times, Rationale::Nearest { candidate: one.name.clone(), phase, rate_per_s, times }))
    };
    let fits = situation.contestants.iter().filter(|one| situation.fits(one));
    let best = fits.filter_map(met).max_by(|a, b| a.1.total_cmp(&b.1));
    // Who meets the need and not the objective is not near it, but beyond.
    best.filter(|(_, times, _)| *times < 1.0).map(|(at, _, rationale)| (at, rationale))
}
