//! Who and what the names in a claim mean in a run: candidates, configurations, phases.

use kurabe_record::{
    AxisEffect, AxisValue, Binding, CandidateRecord, Claim, Condition, Configuration, DurabilityLevel, Factor,
    JobRecord, Judged, LeftOut, MinimumDurability, NO_PITFALL, PITFALL, PhaseRef, RunRecord, SkippedRecord, Statement,
    StoreKind, value_on,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{FindingScope, Unknown};
use crate::figures::caution::Caution;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::reason::Reason;
use crate::rank::phase::{PhaseAnswer, PhaseRow};
use crate::rank::status::Status;
use crate::result::configuration_result::ConfigurationResult;

/// A program in the place of one of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StandIn {
    /// The name of the source's program in claims.
    pub part: String,
    /// The candidate that plays it.
    pub candidate: String,
    /// Why.
    pub reason: String,
}

/// The records that claims are judged by.
pub(crate) struct Evidences<'a> {
    pub(crate) run: &'a RunRecord,
    /// Of all configurations, those of pitfalls too, in the order of the plan.
    pub(crate) results: &'a [ConfigurationResult],
    pub(crate) jobs: &'a [JobRecord],
    pub(crate) skipped: &'a [SkippedRecord],
}

/// Where a claim is judged: in one binding, and at one minimum durability.
pub(crate) struct Context<'a> {
    pub(crate) evidences: &'a Evidences<'a>,
    /// The level of durability that the claim is about; any where it is absent.
    pub(super) level: Option<DurabilityLevel>,
    pub(super) binding: Option<&'a Binding>,
    pub(super) durability: Option<MinimumDurability>,
    /// Whether the claim is about writes.
    pub(super) writes: bool,
}

/// A candidate in a phase of a configuration.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) candidate: &'a CandidateRecord,
    /// Number of the configuration.
    pub(crate) at: usize,
    pub(crate) phase: &'a PhaseAnswer,
    pub(crate) row: &'a PhaseRow,
    /// The same without the pitfall, where it was made by one.
    corrected: Option<&'a PhaseRow>,
}

impl<'a> Context<'a> {
    /// Whether the machine was unstable in one of these configurations. What happened in others, those of pitfalls say,
    /// is no matter of a claim that is not about them.
    pub(super) fn is_unsteady(&self, configs: &[usize]) -> bool {
        let cautions = configs.iter().filter_map(|at| self.evidences.results.get(*at)).flat_map(|one| &one.cautions);
        cautions.into_iter().any(Caution::is_unsteady)
    }

    /// The configurations of candidates in a phase, as far as they are here.
    pub(super) fn configurations_of(&self, parts: &[&str], places: &[&PhaseRef]) -> Vec<usize> {
        let cells = places.iter().flat_map(|place| parts.iter().map(|part| self.cell(part, place)));
        cells.filter_map(|cell| cell.ok().map(|cell| cell.at)).collect()
    }

    /// Every context in which a claim is judged: each of its bindings that has somebody in the run and, if it is about
    /// writes, each minimum durability that the run has.
    pub(super) fn of(evidences: &'a Evidences<'a>, claim: &'a Claim, condition: &Condition) -> Vec<Context<'a>> {
        let plan = &evidences.run.plan;
        let writes = statements(condition).iter().any(|statement| is_about_writes(evidences, statement));
        let minima = plan.minima().into_iter().map(Some);
        let minima: Vec<Option<MinimumDurability>> = match claim.durability {
            // A claim about reads alone is judged once.
            _ if !writes => minima.take(1).collect(),
            None => minima.collect(),
            Some(level) => {
                let fits = |minimum: &Option<MinimumDurability>| {
                    minimum
                        .is_some_and(|minimum| minimum == MinimumDurability::Default || minimum.level() == Some(level))
                };
                let fitting: Vec<Option<MinimumDurability>> = minima.filter(fits).collect();
                // Nowhere: told as such.
                if fitting.is_empty() { vec![None] } else { fitting }
            }
        };
        let bindings =
            plan.claims.bindings.iter().filter(|one| claim.bindings.is_empty() || claim.bindings.contains(&one.name));
        let parts: Vec<&str> = statements(condition).into_iter().flat_map(parts).collect();
        let bindings = bindings_here(evidences.run, bindings.collect(), &parts);
        let contexts = bindings.into_iter().flat_map(|binding| minima.iter().map(move |minimum| (binding, *minimum)));
        contexts
            .map(|(binding, durability)| Context { evidences, level: claim.durability, binding, durability, writes })
            .collect()
    }

    /// For figures alone: in the first binding that has somebody in the run, and in the first minimum durability that the
    /// run has.
    pub(crate) fn of_figures(evidences: &'a Evidences<'a>) -> Context<'a> {
        let plan = &evidences.run.plan;
        let durability = plan.minima().first().copied();
        let rows = plan.claims.published.iter().flat_map(|table| &table.rows);
        let parts: Vec<&str> = rows.flat_map(|row| &row.cells).map(|cell| cell.candidate.as_str()).collect();
        let binding = bindings_here(evidences.run, plan.claims.bindings.iter().collect(), &parts)[0];
        Context { evidences, level: None, binding, durability, writes: false }
    }

    /// Who plays a part.
    pub(crate) fn player<'b>(&'b self, part: &'b str) -> &'b str {
        self.binding.map_or(part, |binding| player_in(binding, part))
    }

    /// Programs in the place of those of the source, among those that a condition speaks of.
    pub(super) fn stand_ins(&self, condition: &Condition) -> Vec<StandIn> {
        let Some(binding) = self.binding else { return Vec::new() };
        let mut spoken_of: Vec<&str> = statements(condition).into_iter().flat_map(parts).collect();
        spoken_of.sort_unstable();
        spoken_of.dedup();
        let stand_in = |part: &str| {
            let reason = binding.stands_for.get(part)?.clone();
            Some(StandIn { part: part.to_string(), candidate: player_in(binding, part).to_string(), reason })
        };
        spoken_of.into_iter().filter_map(stand_in).collect()
    }

    /// Everybody who can be compared with a candidate: the stores of the run or, in a binding, those that play a part.
    pub(super) fn others(&self, candidate: &str, among: &'a [String]) -> Vec<String> {
        let me = self.player(candidate).to_string();
        let mut others: Vec<String> = match (among, self.binding.filter(|binding| !binding.binds.is_empty())) {
            ([], None) => {
                let run = self.evidences.run;
                let stores =
                    run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.pitfall().is_none());
                let in_play = stores.filter(|one| !self.is_on_stage(one));
                in_play.map(|one| one.root().to_string()).collect()
            }
            ([], Some(binding)) => binding.binds.keys().cloned().collect(),
            (named, _) => named.to_vec(),
        };
        others.retain(|one| self.player(one) != me);
        let mut seen = Vec::new();
        others.retain(|one| {
            let name = self.player(one).to_string();
            let is_new = !seen.contains(&name);
            seen.push(name);
            is_new
        });
        others
    }

    /// Whether a candidate plays in another binding only.
    fn is_on_stage(&self, candidate: &CandidateRecord) -> bool {
        let bindings = &self.evidences.run.plan.claims.bindings;
        bindings.iter().any(|binding| binding.binds.values().any(|name| *name == candidate.name))
    }

    /// The candidate that a name means.
    pub(super) fn candidate(&self, part: &str, at: &[Factor]) -> Result<&'a CandidateRecord, Unknown> {
        let name = self.player(part);
        let run = self.evidences.run;
        let stands_here = |one: &&CandidateRecord| {
            run.plan.axes.iter().filter(|axis| axis.makes == AxisEffect::Candidates).all(|axis| {
                let Some(value) = value_on(&one.factors, &axis.name) else { return true };
                let wanted = value_on(at, &axis.name).or(axis.values.first());
                match (axis.name.as_str(), self.durability, value_on(at, &axis.name)) {
                    ("durability", Some(durability), None) => minimum(value) == Some(durability),
                    _ => Some(value) == wanted,
                }
            })
        };
        let mut named = run.candidates.iter().filter(|one| one.pitfall().is_none() && is_called(one, name));
        let found = named.find(stands_here).or_else(|| self.only_one_of(name, stands_here));
        let found = found.ok_or_else(|| {
            let reason = run.left_out_as(name).map(|one| one.reason.clone());
            let is_elsewhere = run.candidates.iter().any(|one| one.pitfall().is_none() && is_called(one, name));
            match reason.is_none() && is_elsewhere && !at.is_empty() {
                true => Unknown::NoPlace { place: at.to_vec(), phase: String::new() },
                false => Unknown::NotHere { candidate: name.to_string(), reason },
            }
        })?;
        if found.by_load_tool {
            let (candidate, reason) = (found.name.clone(), Box::new(Reason::NotChecked));
            return Err(Unknown::Uncounted { candidate, reason });
        }
        Ok(found)
    }

    /// The candidate of a store that nobody in the run is called by, where it is the only one of that store: driven by
    /// another client than the claim has in mind, or none. A binding says itself who plays a part.
    fn only_one_of(
        &self,
        name: &str,
        stands_here: impl Fn(&&'a CandidateRecord) -> bool,
    ) -> Option<&'a CandidateRecord> {
        let run = self.evidences.run;
        let is_of = |one: &&CandidateRecord| {
            let is_plain = one.pitfall().is_none() && one.at_url.is_none() && one.app.is_empty();
            is_plain && (one.store == name || one.with_variant().as_deref() == Some(name))
        };
        let mut all = run.candidates.iter().filter(is_of).filter(|one| stands_here(one));
        let only = all.next().filter(|_| all.next().is_none());
        only.filter(|_| run.plan.claims.bindings.is_empty())
    }

    /// The configuration, without pitfalls, that some factors mean.
    pub(super) fn configuration(&self, place: &PhaseRef) -> Result<usize, Unknown> {
        let plan = &self.evidences.run.plan;
        let none = || Unknown::NoPlace { place: place.at.clone(), phase: place.phase.clone() };
        self.pitfall(place)?;
        let fits = |at: &usize| {
            let config = &plan.configurations[*at];
            let over_rows = value_on(&place.at, "rows").is_none_or(|value| self.has_rows(config, value));
            let over_others =
                plan.axes.iter().filter(|axis| axis.makes == AxisEffect::Configurations && axis.name != "rows");
            over_rows
                && over_others.into_iter().all(|axis| {
                    let wanted = value_on(&place.at, &axis.name).or(axis.values.first());
                    config.value_of(&axis.name) == wanted
                })
        };
        let known = |one: &Factor| {
            one.axis == PITFALL
                || one.axis == "rows"
                || plan.axis(&one.axis).is_some_and(|axis| axis.values.contains(&one.value))
        };
        if !place.at.iter().all(known) {
            return Err(none());
        }
        // Of several sizes the largest.
        plan.corrected().filter(fits).max_by_key(|at| plan.configurations[*at].rows).ok_or_else(none)
    }

    /// Whether a configuration has as many rows as a study says: they are rounded up so that all connections share
    /// them.
    pub(super) fn has_rows(&self, config: &Configuration, asked: &AxisValue) -> bool {
        let width = u64::from(self.evidences.run.plan.max_connections());
        matches!(asked, AxisValue::Number(rows) if (*rows..rows + width).contains(&config.rows))
    }

    /// The pitfall that a place names; a run that was made without it has no such place.
    pub(super) fn pitfall<'b>(&self, place: &'b PhaseRef) -> Result<Option<&'b str>, Unknown> {
        let Some(AxisValue::Word(pitfall)) = value_on(&place.at, PITFALL) else { return Ok(None) };
        let is_here = self.evidences.run.plan.pitfalls.iter().any(|one| one.name == *pitfall);
        match pitfall.as_str() {
            NO_PITFALL => Ok(None),
            pitfall if is_here => Ok(Some(pitfall)),
            pitfall => Err(Unknown::NoPitfall { pitfall: pitfall.to_string() }),
        }
    }

    /// A candidate in a phase.
    pub(crate) fn cell(&self, part: &str, place: &PhaseRef) -> Result<Cell<'a>, Unknown> {
        let candidate = self.candidate(part, &place.at)?;
        let base = self.configuration(place)?;
        let pitfall = self.pitfall(place)?;
        let of_phase = |at, candidate: &'a CandidateRecord| {
            let phase = self.phase(at, place)?;
            let row = phase.rows.iter().find(|row| row.candidate == candidate.name);
            let none = || Unknown::NoPlace { place: place.at.clone(), phase: place.phase.clone() };
            Ok((phase, row.ok_or_else(none)?))
        };
        let made = match pitfall {
            Some(pitfall) => self.made_by(candidate, pitfall)?.and_then(|made| self.beside(base, made)),
            None => None,
        };
        let Some((at, made)) = made else {
            let (phase, row) = of_phase(base, candidate)?;
            return Ok(Cell { candidate, at: base, phase, row, corrected: None });
        };
        let (phase, row) = of_phase(at, made)?;
        let corrected = of_phase(base, candidate).ok().map(|(_, row)| row);
        Ok(Cell { candidate: made, at, phase, row, corrected })
    }

    /// What a pitfall made of a candidate; `None` where it does not concern that one.
    ///
    /// # Errors
    /// It was left out: the corrected work of the candidate says nothing of the pitfall.
    pub(super) fn made_by(
        &self,
        candidate: &CandidateRecord,
        pitfall: &str,
    ) -> Result<Option<&'a CandidateRecord>, Unknown> {
        let run = self.evidences.run;
        match run.left_out_with_pitfall(candidate, pitfall) {
            Some(LeftOut { name, reason, .. }) => {
                Err(Unknown::NotHere { candidate: name.clone(), reason: Some(reason.clone()) })
            }
            None => Ok(run.with_pitfall(candidate, pitfall)),
        }
    }

    /// The configuration beside this one in which a pitfall's candidate takes part.
    fn beside(&self, base: usize, made: &'a CandidateRecord) -> Option<(usize, &'a CandidateRecord)> {
        let plan = &self.evidences.run.plan;
        let is_its = |at: &usize| plan.control(*at) == base && plan.takes_part(*at, &made.name);
        Some(((0..plan.configurations.len()).find(is_its)?, made))
    }

    fn phase(&self, at: usize, place: &PhaseRef) -> Result<&'a PhaseAnswer, Unknown> {
        let plan = &self.evidences.run.plan;
        let result = &self.evidences.results[at];
        let fits = |phase: &&PhaseAnswer| {
            phase.base.as_deref().unwrap_or(&phase.name) == place.phase
                && phase.factors.iter().all(|one| {
                    let first = plan.axis(&one.axis).and_then(|axis| axis.values.first());
                    value_on(&place.at, &one.axis).or(first) == Some(&one.value)
                })
        };
        let none = || Unknown::NoPlace { place: place.at.clone(), phase: place.phase.clone() };
        result.phases.iter().find(fits).ok_or_else(none)
    }

    /// Where a place lies, for people.
    pub(super) fn shown(&self, place: &PhaseRef) -> FindingScope {
        let plan = &self.evidences.run.plan;
        let at = self.configuration(place).ok();
        let phase = at.and_then(|at| self.phase(at, place).ok());
        let several = plan.corrected().count() > 1;
        let pitfall =
            place.at.iter().filter(|one| one.axis == PITFALL && one.value != AxisValue::Word(NO_PITFALL.into()));
        let of_phase = phase.map(|phase| phase.factors.clone()).unwrap_or_default();
        FindingScope {
            phase: place.phase.clone(),
            at: at.filter(|_| several).map(|at| ConfigurationRef::of(plan, at)),
            factors: of_phase.into_iter().chain(pitfall.cloned()).collect(),
        }
    }
}

impl Cell<'_> {
    /// Why its figures do not count for a claim about a level of durability, if they do not: what keeps less than the
    /// run asks for counts where it keeps what the claim asks for.
    pub(crate) fn uncounted_at(&self, level: Option<DurabilityLevel>) -> Option<Unknown> {
        let unknown = self.uncounted()?;
        let keeps_enough = match &unknown {
            Unknown::Uncounted { reason, .. } => match **reason {
                Reason::BelowDurability { guarantee: Some(kept), .. } => {
                    level.is_some_and(|level| kept.level() >= level)
                }
                _ => false,
            },
            _ => false,
        };
        (!keeps_enough).then_some(unknown)
    }

    /// Why its figures do not count, if they do not.
    pub(crate) fn uncounted(&self) -> Option<Unknown> {
        let Status::Unranked { reason } = &self.row.status else { return None };
        // A claim about a pitfall is about what is not as it should be.
        if self.corrected.is_some_and(|corrected| self.row.status.only_keeps_less(&corrected.status)) {
            return None;
        }
        let candidate = self.candidate.name.clone();
        match reason {
            Reason::TooFewRounds { .. } => None,
            Reason::Skipped { skipped } => Some(Unknown::Skipped { candidate, skipped: Box::new(skipped.clone()) }),
            reason => Some(Unknown::Uncounted { candidate, reason: Box::new(reason.clone()) }),
        }
    }
}

/// Who plays a part in a binding.
fn player_in<'b>(binding: &'b Binding, part: &'b str) -> &'b str {
    binding.binds.get(part).map_or(part, String::as_str)
}

/// The bindings in which somebody was in the run, of those that some parts are played in; the first where nobody was in
/// any, and none where a study has no binding. Never empty.
fn bindings_here<'a>(run: &RunRecord, bindings: Vec<&'a Binding>, parts: &[&str]) -> Vec<Option<&'a Binding>> {
    let is_here = |name: &str| {
        run.candidates.iter().any(|one| one.pitfall().is_none() && is_called(one, name))
            || run.left_out_as(name).is_some()
    };
    let somebody = |binding: &&&Binding| parts.iter().any(|part| is_here(player_in(binding, part)));
    let here: Vec<Option<&Binding>> = bindings.iter().filter(somebody).copied().map(Some).collect();
    if here.is_empty() { vec![bindings.first().copied()] } else { here }
}

/// Whether everybody of whom the claims speak is in the run, in one binding at least.
pub(super) fn all_parts_are_played(run: &RunRecord) -> bool {
    let claims = &run.plan.claims;
    let is_here = |name: &str| run.candidates.iter().any(|one| one.pitfall().is_none() && is_called(one, name));
    let is_whole = |binding: Option<&Binding>| {
        let speaks = |claim: &&Claim| {
            claim.bindings.is_empty() || binding.is_none_or(|binding| claim.bindings.contains(&binding.name))
        };
        let conditions = claims.claims.iter().filter(speaks).filter_map(|claim| match &claim.judged {
            Judged::By(condition) => Some(condition),
            Judged::Known(_) | Judged::NotJudged(_) => None,
        });
        let mut names = conditions.flat_map(statements).flat_map(parts);
        names.all(|part| is_here(binding.map_or(part, |binding| player_in(binding, part))))
    };
    match claims.bindings.as_slice() {
        [] => is_whole(None),
        bindings => bindings.iter().any(|binding| is_whole(Some(binding))),
    }
}

/// Whether a name means a candidate: its own, that of which an axis made it, or its store with its variant.
fn is_called(candidate: &CandidateRecord, name: &str) -> bool {
    let variant = candidate.with_variant();
    let is_plain = candidate.asked.is_none() || candidate.base.is_some();
    candidate.name == name
        || candidate.base.as_deref() == Some(name)
        || (is_plain && candidate.at_url.is_none() && variant.as_deref() == Some(name) && !candidate.name.contains('+'))
}

fn minimum(value: &AxisValue) -> Option<MinimumDurability> {
    match value {
        AxisValue::Word(word) => word.parse().ok(),
        AxisValue::Number(_) => None,
    }
}

/// All statements of a condition.
pub(super) fn statements(condition: &Condition) -> Vec<&Statement> {
    match condition {
        Condition::All(parts) | Condition::Any(parts) | Condition::AtLeast(_, parts) => {
            parts.iter().flat_map(statements).collect()
        }
        Condition::Not(part) => statements(part),
        Condition::Is(statement) => vec![statement],
    }
}

/// The pitfalls that a statement is about.
pub(super) fn pitfalls(statement: &Statement) -> Vec<&str> {
    let places: Vec<&[Factor]> = match statement {
        Statement::Extreme { place, .. } | Statement::Amount { place, .. } | Statement::Growth { place, .. } => {
            vec![&place.at]
        }
        Statement::Ratio { place, than_place, .. } => {
            std::iter::once(place).chain(than_place).map(|place| place.at.as_slice()).collect()
        }
        Statement::Change { place, .. } => vec![&place.at],
        Statement::LosesRows { at, .. } | Statement::Fails { at, .. } => vec![at],
    };
    let changed = match statement {
        Statement::Change { axis, from, to, .. } if axis == PITFALL => vec![from, to],
        _ => Vec::new(),
    };
    let values = places.into_iter().filter_map(|at| value_on(at, PITFALL)).chain(changed);
    let words = values.filter_map(|value| match value {
        AxisValue::Word(word) => Some(word.as_str()),
        AxisValue::Number(_) => None,
    });
    words.filter(|word| *word != NO_PITFALL).collect()
}

/// The names that a statement speaks of.
fn parts(statement: &Statement) -> Vec<&str> {
    match statement {
        Statement::Extreme { candidate, among, .. } => {
            std::iter::once(candidate).chain(among).map(String::as_str).collect()
        }
        Statement::Ratio { candidate, than, .. } => vec![candidate, than],
        Statement::Change { candidate, than, .. } => {
            std::iter::once(candidate).chain(than).map(String::as_str).collect()
        }
        Statement::Amount { candidate, .. }
        | Statement::Growth { candidate, .. }
        | Statement::LosesRows { candidate, .. }
        | Statement::Fails { candidate, .. } => vec![candidate],
    }
}

fn is_about_writes(evidences: &Evidences<'_>, statement: &Statement) -> bool {
    let writes = |place: &PhaseRef| {
        let phases = evidences.results.iter().flat_map(|result| &result.phases);
        let named = phases.filter(|phase| phase.base.as_deref().unwrap_or(&phase.name) == place.phase);
        named.into_iter().any(|phase| phase.writes)
    };
    match statement {
        Statement::Extreme { place, .. }
        | Statement::Amount { place, .. }
        | Statement::Growth { place, .. }
        | Statement::Change { place, .. } => writes(place),
        Statement::Ratio { place, than_place, .. } => writes(place) || than_place.as_ref().is_some_and(writes),
        Statement::LosesRows { .. } | Statement::Fails { .. } => true,
    }
}
