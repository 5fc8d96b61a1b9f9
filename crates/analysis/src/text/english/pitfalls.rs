//! What pitfalls did, in English.

use kurabe_record::Metric;

use super::claims::times;
use super::configuration::at;
use crate::findings::pitfalls::{KeepsLess, PitfallAnswer, PitfallEffect, PitfallFirst, PitfallPhase};
use crate::grouping::grouped;
use crate::text::format::quoted;

impl PitfallAnswer {
    /// What it did, in sentences: what holds for all its phases once, then whether somebody else wins, phase by phase.
    pub fn words(&self) -> Vec<String> {
        let out = grouped(self.out().into_iter().map(|(name, reason)| (reason, name)));
        let outs = out.iter().map(|(reason, names)| {
            let (names, do_not) = (quoted(names), if names.len() == 1 { "does not" } else { "do not" });
            format!("With the pitfall '{}' {names} {do_not} count: {reason}.", self.name)
        });
        let less = grouped(self.less().into_iter().map(|(name, less)| (less, name)));
        let lesses = less.iter().map(|(less, names)| {
            let keep = if names.len() == 1 { "keeps" } else { "keep" };
            let (names, KeepsLess { corrected, with_pitfall }) = (quoted(names), less);
            format!(
                "With the pitfall '{}' {names} {keep} durability '{}', not '{}'.",
                self.name,
                with_pitfall.level(),
                corrected.level()
            )
        });
        let of_all: Vec<String> = outs.chain(lesses).collect();
        let several = self.phases.iter().any(|phase| phase.at.configuration != self.phases[0].at.configuration);
        let is_told: Vec<&str> = out.iter().flat_map(|(_, names)| names).copied().collect();
        let seen: Vec<String> =
            self.phases.iter().filter_map(|phase| phase.words(&self.name, several, &is_told)).collect();
        let nothing = match (of_all.is_empty(), seen.is_empty()) {
            (_, false) => None,
            (true, true) => Some(format!("With the pitfall '{}' nothing changed that this run could see.", self.name)),
            // Where nobody is left there is nothing else to see.
            (false, true) if self.effects().all(|effect| is_told.contains(&effect.candidate.as_str())) => None,
            (false, true) => Some("Nothing else changed that this run could see.".to_string()),
        };
        of_all.into_iter().chain(seen).chain(nothing).collect()
    }

    fn effects(&self) -> impl Iterator<Item = &PitfallEffect> {
        self.phases.iter().flat_map(|phase| &phase.effects)
    }

    /// Who does not count in any phase with it, for the same reason in all.
    fn out(&self) -> Vec<(&str, String)> {
        let reason = |effect: &PitfallEffect| effect.reason.as_ref().map(|reason| reason.words());
        let of_each = grouped(self.effects().map(|effect| (effect.candidate.as_str(), reason(effect))));
        let all_the_same = of_each.into_iter().filter(|(_, reasons)| reasons.iter().all(|one| *one == reasons[0]));
        all_the_same.filter_map(|(name, reasons)| Some((name, reasons.into_iter().next()??))).collect()
    }

    /// Who keeps less with it, in the phases that write.
    fn less(&self) -> Vec<(&str, KeepsLess)> {
        let less = self.effects().filter_map(|effect| Some((effect.candidate.as_str(), effect.keeps_less?)));
        grouped(less).into_iter().map(|(name, all)| (name, all[0])).collect()
    }
}

impl PitfallPhase {
    /// What was seen in it; `None` where nothing changed. Those that do not count in any phase are told elsewhere.
    fn words(&self, pitfall: &str, several: bool, told: &[&str]) -> Option<String> {
        let left = self.effects.iter().filter(|effect| !told.contains(&effect.candidate.as_str()));
        let effects: Vec<String> = left
            .filter(|effect| effect.is_seen() || effect.reason.is_some())
            .map(|one| one.words(self.metric))
            .collect();
        if effects.is_empty() && !self.first.is_another() {
            return None;
        }
        let level = if several { format!(" at {}", at(&self.at)) } else { String::new() };
        let all: Vec<String> = self.first.words().into_iter().chain(effects).collect();
        Some(format!("{}{level}: with the pitfall '{pitfall}' {}.", self.phase, all.join("; ")))
    }
}

impl PitfallFirst {
    /// Who is first with it and without it; `None` where there is no ranking to compare.
    fn words(&self) -> Option<String> {
        let (corrected, with_pitfall) = (quoted(&self.corrected), quoted(&self.with_pitfall));
        let is_one = self.with_pitfall.len() == 1;
        if self.corrected.is_empty() || self.with_pitfall.is_empty() {
            None
        } else if self.is_another() {
            let win = if is_one { "wins" } else { "are not told apart in front" };
            Some(format!("{with_pitfall} {win}, without it {corrected}"))
        } else if self.with_pitfall.len() == self.corrected.len() {
            Some(format!("{with_pitfall} {} first as without it", if is_one { "is" } else { "are" }))
        } else {
            let told = |names: &str, count: usize| match count {
                1 => format!("{names} alone is first"),
                _ => format!("{names} are not told apart in front"),
            };
            Some(format!(
                "{}, without it {}",
                told(&with_pitfall, self.with_pitfall.len()),
                told(&corrected, self.corrected.len())
            ))
        }
    }
}

impl PitfallEffect {
    fn words(&self, metric: Metric) -> String {
        let name = &self.candidate;
        match (&self.reason, &self.change) {
            (Some(reason), _) => format!("'{name}' does not count ({})", reason.words()),
            (None, Some(change)) if metric == Metric::Rate => {
                format!("'{name}' does {} times as much", times(Some(change)))
            }
            (None, Some(change)) => format!("the {metric} of '{name}' becomes {} times", times(Some(change))),
            (None, None) => format!("'{name}' has no figure to compare"),
        }
    }
}
