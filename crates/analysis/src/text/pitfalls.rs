//! What pitfalls did.

use kurabe_messages::{Message, message};
use kurabe_record::Metric;

use super::claims::metric;
use super::configuration::configuration_name;
use crate::figures::figure::Range;
use crate::findings::pitfalls::{KeepsLess, PitfallAnswer, PitfallEffect, PitfallFirst, PitfallPhase};
use crate::grouping::grouped;
use crate::spoken::Speaks;

impl PitfallAnswer {
    /// What it did: what holds for all its phases once, then whether somebody else wins, phase by phase.
    pub fn messages(&self) -> Vec<Message> {
        let pitfall = &self.name;
        let out = grouped(self.uncounted().into_iter().map(|(name, reason)| (reason, name)));
        let outs = out.iter().map(|(reason, candidates)| {
            message!(pitfall_out, pitfall, candidates = owned(candidates), reason = reason.clone())
        });
        let less = grouped(self.weakened().into_iter().map(|(name, less)| (less, name)));
        let lesses = less.iter().map(|(KeepsLess { corrected, with_pitfall }, candidates)| {
            let (kept, corrected) = (with_pitfall.level(), corrected.level());
            message!(pitfall_keeps_less, pitfall, candidates = owned(candidates), kept, corrected)
        });
        let of_all: Vec<Message> = outs.chain(lesses).collect();
        let several = self.phases.iter().any(|phase| phase.at.configuration != self.phases[0].at.configuration);
        let is_told: Vec<&str> = out.iter().flat_map(|(_, names)| names).copied().collect();
        let seen: Vec<Message> =
            self.phases.iter().filter_map(|phase| phase.message(pitfall, several, &is_told)).collect();
        let nothing = match (of_all.is_empty(), seen.is_empty()) {
            (_, false) => None,
            (true, true) => Some(message!(pitfall_nothing, pitfall)),
            // Where nobody is left there is nothing else to see.
            (false, true) if self.effects().all(|effect| is_told.contains(&effect.candidate.as_str())) => None,
            (false, true) => Some(message!(pitfall_nothing_else)),
        };
        of_all.into_iter().chain(seen).chain(nothing).collect()
    }

    fn effects(&self) -> impl Iterator<Item = &PitfallEffect> {
        self.phases.iter().flat_map(|phase| &phase.effects)
    }

    /// Who does not count in any phase with it, for the same reason in all.
    fn uncounted(&self) -> Vec<(&str, Message)> {
        let reason = |effect: &PitfallEffect| effect.reason.as_ref().map(|reason| reason.message());
        let of_each = grouped(self.effects().map(|effect| (effect.candidate.as_str(), reason(effect))));
        let all_the_same = of_each.into_iter().filter(|(_, reasons)| reasons.iter().all(|one| *one == reasons[0]));
        all_the_same.filter_map(|(name, reasons)| Some((name, reasons.into_iter().next()??))).collect()
    }

    /// Who keeps less with it, in the phases that write.
    fn weakened(&self) -> Vec<(&str, KeepsLess)> {
        let less = self.effects().filter_map(|effect| Some((effect.candidate.as_str(), effect.keeps_less?)));
        grouped(less).into_iter().map(|(name, all)| (name, all[0])).collect()
    }
}

impl Speaks for PitfallAnswer {
    fn sentences(&self) -> Vec<Message> {
        self.messages()
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_string()).collect()
}

impl PitfallPhase {
    /// What was seen in it; `None` where nothing changed. Those that do not count in any phase stand elsewhere.
    fn message(&self, pitfall: &str, several: bool, told: &[&str]) -> Option<Message> {
        let left = self.effects.iter().filter(|effect| !told.contains(&effect.candidate.as_str()));
        let effects: Vec<Message> = left
            .filter(|effect| effect.is_seen() || effect.reason.is_some())
            .map(|one| one.message(self.metric))
            .collect();
        if effects.is_empty() && !self.first.is_another() {
            return None;
        }
        let config = several.then(|| configuration_name(&self.at));
        let place = message!(claim_place, phase = &self.phase, at = config, factors = None);
        let changes: Vec<Message> = self.first.message().into_iter().chain(effects).collect();
        Some(message!(pitfall_in_phase, place, pitfall, changes))
    }
}

impl PitfallFirst {
    /// Who is first with it and without it; `None` where there is no ranking to compare.
    fn message(&self) -> Option<Message> {
        let (others, winners) = (&self.corrected, &self.with_pitfall);
        if others.is_empty() || winners.is_empty() {
            None
        } else if self.is_another() {
            Some(message!(pitfall_first_another, winners, others))
        } else if winners.len() == others.len() && winners.iter().all(|one| others.contains(one)) {
            Some(message!(pitfall_first_same, winners))
        } else {
            Some(message!(pitfall_first_changed, winners, others))
        }
    }
}

impl PitfallEffect {
    fn message(&self, ranked_by: Metric) -> Message {
        let candidate = &self.candidate;
        match (&self.reason, &self.change) {
            (Some(reason), _) => message!(pitfall_effect_out, candidate, reason = reason.message()),
            (None, Some(change)) => {
                let (metric, value) = (metric(ranked_by), change.value);
                match change.interval {
                    None => message!(pitfall_effect, metric, candidate, value),
                    Some(Range { low, high }) => {
                        message!(pitfall_effect_interval, metric, candidate, value, low, high)
                    }
                }
            }
            (None, None) => message!(pitfall_effect_none, candidate),
        }
    }
}
