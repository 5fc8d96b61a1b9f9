//! The claims of a study: every name, value and unit is looked at here, and a mistake is told with its line and column.

mod bindings;
mod known;
mod published;
mod sides;
mod wire;

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_record::{
    AxisValue, Binding, Bounds, Claim, Claims, Condition, Extreme, Factor, GrowthLaw, Judged, Metric, NO_PITFALL,
    PITFALL, PhaseRef, Source, Statement,
};

use crate::amount::parse_amount;
use crate::axes::CheckedAxis;
use crate::candidate::parse_candidate;
use crate::catalogue::Catalogue;
use crate::error::{StudyError, named, unknown, unlisted};
use crate::phase::WirePhase;
use crate::toml_text::{Located, mistake};
use wire::{ClaimSide, WireLaw, keys_beside};
pub(crate) use wire::{WireBinding, WireClaim, WirePublished};

/// What the claims of a study can speak of.
pub(crate) struct ClaimScope<'a> {
    pub(crate) origin: &'a str,
    pub(crate) text: &'a str,
    pub(crate) catalogue: &'a Catalogue,
    /// Names of the study's own candidates.
    pub(crate) candidates: Vec<String>,
    pub(crate) phases: &'a [WirePhase],
    /// The study's own axes, whatever the command line makes of them.
    pub(crate) axes: &'a [CheckedAxis],
    pub(crate) pitfalls: Vec<String>,
    /// Whether the study repeats a published comparison.
    pub(crate) repeats_source: bool,
}

/// What a study file has of all this.
pub(crate) struct ClaimSources<'a> {
    pub(crate) source: Option<&'a Source>,
    pub(crate) bindings: &'a [WireBinding],
    pub(crate) claims: &'a [Located<WireClaim>],
    pub(crate) published: &'a [WirePublished],
}

/// In `at`: one after the other at every value.
const EVERY: &str = "every";
/// Longest name of a claim.
const MAX_NAME_CHARS: usize = 60;
/// Longest sentence of a claim.
const MAX_SAYS_CHARS: usize = 600;

/// The claims, checked.
pub(crate) fn check(given: &ClaimSources<'_>, mut known: ClaimScope<'_>) -> Result<Claims, StudyError> {
    let bindings = known.bindings(given.bindings)?;
    known.candidates.extend(bindings.iter().flat_map(|binding| binding.binds.keys().cloned()));
    let mut claims: Vec<Claim> = Vec::new();
    for one in given.claims {
        let claim = known.claim(one, &bindings)?;
        if claims.iter().any(|other| other.name == claim.name) {
            let problem = message!(study_twice, named = named("claim", &claim.name));
            return known.mistake(one.value.name.as_ref().map_or(one.at, |name| name.at), problem);
        }
        claims.push(claim);
    }
    let published = given.published.iter().map(|table| known.published(table)).collect::<Result<_, _>>()?;
    let mut claims = Claims { source: given.source.cloned(), bindings, claims, published, digest: String::new() };
    if !claims.claims.is_empty() {
        claims.digest = claims.computed_digest();
    }
    Ok(claims)
}

impl ClaimScope<'_> {
    pub(super) fn mistake<T>(&self, at: usize, problem: Message) -> Result<T, StudyError> {
        Err(mistake(self.origin, self.text, at, problem))
    }

    fn needs<T>(&self, at: usize, needed: &str) -> Result<T, StudyError> {
        self.mistake(at, message!(study_claim_needs, needed))
    }

    fn claim(&self, wire: &Located<WireClaim>, bindings: &[Binding]) -> Result<Claim, StudyError> {
        let one = &wire.value;
        let Some(name) = &one.name else {
            return self.mistake(wire.at, message!(study_claim_no_name));
        };
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        if name.value.is_empty() || name.value.len() > MAX_NAME_CHARS || !name.value.chars().all(is_plain) {
            let expected = message!(study_claim_a_name, most = MAX_NAME_CHARS);
            return self.mistake(name.at, message!(study_invalid, value = &name.value, expected));
        }
        let says = one.says.as_deref().map_or("", str::trim);
        let control = says.chars().find(|c| c.is_control());
        let problem = match control {
            Some(control) => Some(message!(study_claim_control, character = control.escape_default())),
            None if says.is_empty() || says.chars().count() > MAX_SAYS_CHARS => {
                Some(message!(study_claim_says, most = MAX_SAYS_CHARS))
            }
            None => None,
        };
        if let Some(problem) = problem {
            let part = named("claim", &name.value);
            return self.mistake(name.at, message!(study_in_part, part, problem));
        }
        let named = one.bindings.iter().flatten();
        let known: Vec<String> = bindings.iter().map(|binding| binding.name.clone()).collect();
        let named: Vec<String> =
            named.map(|binding| self.known("binding", binding, &known)).collect::<Result<_, _>>()?;
        self.check_durability(one.durability, wire.at)?;
        let judged = match (&one.not_judged, one.known) {
            (Some(why), _) => {
                self.check_keys(wire)?;
                Judged::NotJudged(why.clone())
            }
            (None, Some(verdict)) => Judged::Known(self.known_fact(wire, verdict)?),
            (None, None) => Judged::By(self.condition(wire)?),
        };
        Ok(Claim {
            name: name.value.clone(),
            says: says.to_string(),
            durability: one.durability,
            bindings: named,
            judged,
        })
    }

    /// A condition states exactly one thing, with nothing beside it that does not belong to it.
    fn check_keys(&self, wire: &Located<WireClaim>) -> Result<(), StudyError> {
        let heads = wire.value.heads();
        let given: Vec<&str> = heads.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        let head = match given.as_slice() {
            [head] => *head,
            [] => {
                return self.states_nothing(wire);
            }
            [first, second, ..] => {
                let (first, second) = (*first, *second);
                return self.mistake(wire.at, message!(study_claim_two_conditions, first, second));
            }
        };
        let beside = keys_beside(head);
        match wire.value.further().into_iter().find(|(key, given)| *given && !beside.contains(key)) {
            Some((key, _)) => self.mistake(wire.at, message!(study_claim_foreign_key, key, head, keys = beside)),
            None => Ok(()),
        }
    }

    fn states_nothing<T>(&self, wire: &Located<WireClaim>) -> Result<T, StudyError> {
        let keys: Vec<&str> = wire.value.heads().iter().map(|(key, _)| *key).collect();
        self.mistake(wire.at, message!(study_claim_states_nothing, keys))
    }

    /// A condition inside another has no name of its own.
    fn inner(&self, wire: &Located<WireClaim>) -> Result<Condition, StudyError> {
        let one = &wire.value;
        if one.name.is_some() || one.says.is_some() || one.durability.is_some() || one.bindings.is_some() {
            return self.mistake(wire.at, message!(study_claim_inner_keys));
        }
        if one.not_judged.is_some() || one.known.is_some() {
            return self.mistake(wire.at, message!(study_claim_inner_not_judged));
        }
        self.condition(wire)
    }

    fn condition(&self, wire: &Located<WireClaim>) -> Result<Condition, StudyError> {
        let one = &wire.value;
        self.check_keys(wire)?;
        let inner = |parts: &[Located<WireClaim>]| -> Result<Vec<Condition>, StudyError> {
            if parts.is_empty() {
                return self.mistake(wire.at, message!(study_claim_no_condition));
            }
            parts.iter().map(|part| self.inner(part)).collect()
        };
        // "Most" is more than half of them, "many" at least a third.
        if let Some(parts) = &one.most {
            return Ok(Condition::AtLeast(parts.len() / 2 + 1, inner(parts)?));
        }
        if let Some(parts) = &one.many {
            return Ok(Condition::AtLeast(parts.len().div_ceil(3), inner(parts)?));
        }
        match (&one.all, &one.any, &one.not) {
            (Some(parts), ..) => return Ok(Condition::All(inner(parts)?)),
            (_, Some(parts), _) => return Ok(Condition::Any(inner(parts)?)),
            (.., Some(part)) => return Ok(Condition::Not(Box::new(self.inner(part)?))),
            _ => {}
        }
        if let Some(candidate) = one.loses_rows.as_ref().or(one.fails.as_ref()) {
            return self.without_phase(one, candidate);
        }
        let statements: Vec<Condition> = self
            .places(wire)?
            .into_iter()
            .map(|place| Ok(Condition::Is(Box::new(self.statement(wire, place)?))))
            .collect::<Result<_, StudyError>>()?;
        Ok(match <[Condition; 1]>::try_from(statements) {
            Ok([one]) => one,
            Err(all) => Condition::All(all),
        })
    }

    fn without_phase(&self, one: &WireClaim, candidate: &Located<String>) -> Result<Condition, StudyError> {
        let candidate = self.candidate(candidate)?;
        let places = self.factor_lists(one.at.as_ref(), None)?;
        let state = |at: Vec<Factor>| {
            let candidate = candidate.clone();
            let statement = match one.fails {
                Some(_) => Statement::Fails { candidate, at },
                None => Statement::LosesRows { candidate, at },
            };
            Condition::Is(Box::new(statement))
        };
        let mut all: Vec<Condition> = places.into_iter().map(state).collect();
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    /// Every phase that is named, at every value that `every` stands for.
    fn places(&self, wire: &Located<WireClaim>) -> Result<Vec<PhaseRef>, StudyError> {
        let one = &wire.value;
        let phases = match (&one.phase, &one.phases) {
            (Some(_), Some(_)) => return self.mistake(wire.at, message!(study_either, keys = ["phase", "phases"])),
            (Some(phase), None) => vec![self.phase(phase)?],
            (None, Some(phases)) if !phases.is_empty() => {
                phases.iter().map(|phase| self.phase(phase)).collect::<Result<_, _>>()?
            }
            // What a store keeps is looked at after the load.
            (None, _) if one.size_on_disk.is_some() => {
                self.phases.first().map(WirePhase::shown_name).into_iter().collect()
            }
            (None, _) => {
                let known: Vec<String> = self.phases.iter().map(WirePhase::shown_name).collect();
                return self.mistake(wire.at, message!(study_claim_no_phase, known));
            }
        };
        let mut places = Vec::new();
        for phase in phases {
            for at in self.factor_lists(one.at.as_ref(), Some(&phase))? {
                places.push(PhaseRef { phase: phase.clone(), at });
            }
        }
        Ok(places)
    }

    fn statement(&self, wire: &Located<WireClaim>, place: PhaseRef) -> Result<Statement, StudyError> {
        let one = &wire.value;
        let metric = one.by.unwrap_or_default();
        if let Some((candidate, end)) =
            one.first.as_ref().map(|it| (it, Extreme::First)).or(one.slowest.as_ref().map(|it| (it, Extreme::Last)))
        {
            let among = self.competitors(one, candidate)?;
            return Ok(Statement::Extreme { end, candidate: self.candidate(candidate)?, among, metric, place });
        }
        if let Some(candidate) = &one.growth {
            return self.growth(wire, candidate, place);
        }
        if let Some(axis) = &one.changes {
            return self.change(wire, axis, place);
        }
        if let Some(within) = one.same_within {
            return self.same(wire, within, place);
        }
        if let Some(candidate) = one.faster.as_ref().or(one.slower.as_ref()) {
            return self.faster(wire, candidate, place);
        }
        self.amount(wire, place)
    }

    /// One is faster than another: by at least 1, where nothing is said.
    fn faster(
        &self,
        wire: &Located<WireClaim>,
        candidate: &Located<String>,
        place: PhaseRef,
    ) -> Result<Statement, StudyError> {
        use kurabe_record::Better;
        let one = &wire.value;
        let metric = one.by.unwrap_or_default();
        let candidate = self.candidate(candidate)?;
        let Some(than) = one.than.as_ref().map(|than| self.candidate(than)).transpose()? else {
            return self.mistake(wire.at, message!(study_claim_no_than, candidate));
        };
        let than_place = self.other_place(one, &place)?;
        if candidate == than && than_place.is_none() {
            return self.mistake(wire.at, message!(study_claim_itself, candidate));
        }
        let Bounds { at_least, at_most } = self.factors(wire)?;
        let bounds = Bounds { at_least: Some(at_least.unwrap_or(1.0)), at_most };
        let is_swapped = one.slower.is_some() != (metric.better() == Better::Lower);
        Ok(match is_swapped {
            false => Statement::Ratio { candidate, than, metric, place, than_place, bounds },
            true => {
                let (place, than_place) = match than_place {
                    Some(other) => (other, Some(place)),
                    None => (place, None),
                };
                Statement::Ratio { candidate: than, than: candidate, metric, place, than_place, bounds }
            }
        })
    }

    fn same(&self, wire: &Located<WireClaim>, within: f64, place: PhaseRef) -> Result<Statement, StudyError> {
        let one = &wire.value;
        let Some([candidate, than]) = one.candidates.as_deref() else {
            return self.needs(wire.at, "candidates = [\"…\", \"…\"]");
        };
        if !(within > 1.0 && within.is_finite()) {
            let expected = message!(study_claim_a_factor_above_one);
            return self.mistake(wire.at, message!(study_invalid, value = within, expected));
        }
        let (candidate, than) = self.two(candidate, than)?;
        Ok(Statement::Ratio {
            candidate,
            than,
            metric: one.by.unwrap_or_default(),
            place,
            than_place: None,
            bounds: Bounds { at_least: Some(1.0 / within), at_most: Some(within) },
        })
    }

    fn growth(
        &self,
        wire: &Located<WireClaim>,
        candidate: &Located<String>,
        place: PhaseRef,
    ) -> Result<Statement, StudyError> {
        let one = &wire.value;
        if !self.axes.iter().any(|axis| axis.axis.name == "rows") {
            return self.mistake(wire.at, message!(study_claim_growth_rows));
        }
        if one.at.as_ref().is_some_and(|at| at.contains_key("rows")) {
            return self.mistake(wire.at, message!(study_claim_growth_at));
        }
        let Some(law) = one.is else {
            return self.needs(wire.at, "is = \"linear\", \"faster\" or \"knee\"");
        };
        let rows = |value: &Option<Located<toml::Value>>| -> Result<Option<u64>, StudyError> {
            let Some(value) = value else { return Ok(None) };
            match self.value_on("rows", value)? {
                AxisValue::Number(rows) => Ok(Some(rows)),
                AxisValue::Word(word) => {
                    let expected = message!(study_a_size);
                    self.mistake(value.at, message!(study_invalid, value = word, expected))
                }
            }
        };
        let (from_rows, to_rows) = (rows(&one.from)?, rows(&one.to)?);
        if let (Some(from), Some(to), Some(last)) = (from_rows, to_rows, &one.to)
            && from >= to
        {
            return self.mistake(last.at, message!(study_claim_growth_order, from, to));
        }
        Ok(Statement::Growth {
            candidate: self.candidate(candidate)?,
            place,
            law: match law {
                WireLaw::Linear => GrowthLaw::Linear,
                WireLaw::Faster => GrowthLaw::Faster,
                WireLaw::Knee => GrowthLaw::Knee,
            },
            from_rows,
            to_rows,
        })
    }

    fn change(
        &self,
        wire: &Located<WireClaim>,
        axis: &Located<String>,
        place: PhaseRef,
    ) -> Result<Statement, StudyError> {
        let one = &wire.value;
        let axis_name = self.axis(axis)?;
        let Some(to) = &one.to else {
            return self.needs(wire.at, "to = …");
        };
        let from = match &one.from {
            Some(from) => self.value_on(&axis_name, from)?,
            None if axis_name == PITFALL => AxisValue::Word(NO_PITFALL.into()),
            None => {
                return self.needs(wire.at, "from = …");
            }
        };
        let Some(candidate) = one.candidate.as_ref().map(|it| self.candidate(it)).transpose()? else {
            return self.needs(wire.at, "candidate = \"…\"");
        };
        let bounds = self.factors(wire)?;
        if bounds.at_least.is_none() && bounds.at_most.is_none() {
            return self.mistake(wire.at, message!(study_claim_no_bound));
        }
        let value = self.value_on(&axis_name, to)?;
        if value == from {
            return self.mistake(to.at, message!(study_claim_change_same, axis = axis_name, value = from));
        }
        let than = match (&one.candidate, &one.than) {
            (Some(candidate), Some(than)) => Some(self.two(candidate, than)?.1),
            _ => None,
        };
        Ok(Statement::Change {
            to: value,
            from,
            axis: axis_name,
            candidate,
            than,
            metric: one.by.unwrap_or_default(),
            place,
            bounds,
        })
    }

    /// A figure against that of another, or against an amount.
    fn amount(&self, wire: &Located<WireClaim>, place: PhaseRef) -> Result<Statement, StudyError> {
        let one = &wire.value;
        let (candidate, metric) = if let Some(candidate) = &one.rate {
            (candidate, Metric::Rate)
        } else if let Some(candidate) = &one.size_on_disk {
            (candidate, Metric::DiskPerRow)
        } else if let Some(candidate) = &one.memory {
            (candidate, Metric::Memory)
        } else if let Some(candidate) = &one.cpu {
            let client = matches!(one.side, Some(ClaimSide::Client));
            (candidate, if client { Metric::ClientCpu } else { Metric::ServiceCpu })
        } else if let Some(candidate) = &one.latency {
            (candidate, self.percentile(wire)?)
        } else {
            return self.states_nothing(wire);
        };
        let candidate = self.candidate(candidate)?;
        let Some(than) = &one.than else {
            if one.by_at_least.is_some() || one.by_at_most.is_some() {
                return self.mistake(wire.at, message!(study_claim_factors_need_than));
            }
            let amount = |text: &Option<Located<String>>| -> Result<Option<f64>, StudyError> {
                let Some(text) = text else { return Ok(None) };
                parse_amount(&text.value, metric).map(Some).or_else(|problem| self.mistake(text.at, problem))
            };
            let bounds =
                self.ordered(wire, Bounds { at_least: amount(&one.at_least)?, at_most: amount(&one.at_most)? })?;
            return Ok(Statement::Amount { candidate, metric, place, bounds });
        };
        if let Some(text) = one.at_least.as_ref().or(one.at_most.as_ref()) {
            return self.mistake(text.at, message!(study_claim_amount_of_one));
        }
        let bounds = self.ordered(wire, self.factors(wire)?)?;
        let than_place = self.other_place(one, &place)?;
        if candidate == than.value && than_place.is_none() {
            return self.mistake(than.at, message!(study_claim_itself, candidate));
        }
        Ok(Statement::Ratio { candidate, than: self.candidate(than)?, metric, than_place, place, bounds })
    }

    fn percentile(&self, wire: &Located<WireClaim>) -> Result<Metric, StudyError> {
        let known = [Metric::P50, Metric::P90, Metric::P99, Metric::P999];
        let Some(word) = &wire.value.percentile else {
            return self.needs(wire.at, "percentile = \"p99\"");
        };
        let found = known.into_iter().find(|metric| metric.word() == word.value);
        let words: Vec<String> = known.iter().map(|metric| metric.word().to_string()).collect();
        found.map_or_else(|| self.mistake(word.at, unknown("percentile", &word.value, &words)), Ok)
    }

    /// Factors between two.
    fn factors(&self, wire: &Located<WireClaim>) -> Result<Bounds, StudyError> {
        let one = &wire.value;
        for factor in [&one.by_at_least, &one.by_at_most].into_iter().flatten() {
            if !(factor.value > 0.0 && factor.value.is_finite()) {
                let expected = message!(study_claim_a_factor);
                return self.mistake(factor.at, message!(study_invalid, value = factor.value, expected));
            }
        }
        let value = |factor: &Option<Located<f64>>| factor.as_ref().map(|factor| factor.value);
        let bounds = Bounds { at_least: value(&one.by_at_least), at_most: value(&one.by_at_most) };
        match (bounds.at_least, bounds.at_most) {
            (Some(low), Some(high)) if low >= high => {
                self.mistake(wire.at, message!(study_claim_no_factor_between, low, high))
            }
            _ => Ok(bounds),
        }
    }

    fn ordered(&self, wire: &Located<WireClaim>, bounds: Bounds) -> Result<Bounds, StudyError> {
        match (bounds.at_least, bounds.at_most) {
            (None, None) => self.mistake(wire.at, message!(study_claim_no_bound)),
            (Some(low), Some(high)) if low >= high => self.mistake(wire.at, message!(study_claim_empty_bounds)),
            _ => Ok(bounds),
        }
    }

    fn other_place(&self, one: &WireClaim, place: &PhaseRef) -> Result<Option<PhaseRef>, StudyError> {
        if one.than_phase.is_none() && one.than_at.is_none() {
            return Ok(None);
        }
        let phase = one.than_phase.as_ref().map_or_else(|| Ok(place.phase.clone()), |phase| self.phase(phase))?;
        let at = match &one.than_at {
            None => place.at.clone(),
            Some(at) => self.factor_lists(Some(at), Some(&phase))?.into_iter().next().unwrap_or_default(),
        };
        Ok(Some(PhaseRef { phase, at }))
    }

    /// The places that a table of axes and values means: several where it says `every`.
    pub(super) fn factor_lists(
        &self,
        at: Option<&BTreeMap<String, Located<toml::Value>>>,
        phase: Option<&str>,
    ) -> Result<Vec<Vec<Factor>>, StudyError> {
        let mut all: Vec<Vec<Factor>> = vec![Vec::new()];
        for (name, value) in at.into_iter().flatten() {
            let axis = self.axis(&Located { value: name.clone(), at: value.at })?;
            let of_axis = self.axes.iter().find(|known| known.axis.name == axis);
            if let (Some(known), Some(phase)) = (of_axis, phase) {
                let phases = &known.axis.phases;
                if !phases.is_empty()
                    && !phases.iter().any(|one| one == phase)
                    && known.axis.makes == kurabe_record::AxisEffect::Phases
                {
                    return self.mistake(value.at, message!(study_claim_axis_phase, axis, phase));
                }
            }
            let values = match (&value.value, of_axis) {
                (toml::Value::String(word), Some(known)) if word == EVERY => known.axis.values.clone(),
                _ => vec![self.value_on(&axis, value)?],
            };
            let with = |factors: &Vec<Factor>| {
                let of = factors.clone();
                let axis = axis.clone();
                values
                    .clone()
                    .into_iter()
                    .map(move |value| [of.clone(), vec![Factor { axis: axis.clone(), value }]].concat())
            };
            all = all.iter().flat_map(with).collect();
        }
        Ok(all)
    }

    fn axis(&self, name: &Located<String>) -> Result<String, StudyError> {
        let mut known: Vec<String> = self.axes.iter().map(|axis| axis.axis.name.clone()).collect();
        known.extend((!self.pitfalls.is_empty()).then(|| PITFALL.to_string()));
        self.known("axis", name, &known)
    }

    fn value_on(&self, axis: &str, value: &Located<toml::Value>) -> Result<AxisValue, StudyError> {
        let asked = match &value.value {
            toml::Value::Integer(number) => match u64::try_from(*number) {
                Ok(number) => AxisValue::Number(number),
                Err(_) => AxisValue::Word(number.to_string()),
            },
            toml::Value::String(word) => AxisValue::Word(word.clone()),
            other => AxisValue::Word(other.to_string()),
        };
        let values: Vec<AxisValue> = match self.axes.iter().find(|known| known.axis.name == axis) {
            Some(known) => known.axis.values.clone(),
            None => {
                [NO_PITFALL.to_string()].into_iter().chain(self.pitfalls.iter().cloned()).map(AxisValue::Word).collect()
            }
        };
        // A run with --sizes may go beyond the sizes of the study; fewer rows than its most are a mistyped size.
        let is_beyond = |size: &AxisValue| matches!((size, &asked), (AxisValue::Number(size), AxisValue::Number(asked)) if size < asked);
        if values.contains(&asked) || axis == "rows" && values.iter().all(is_beyond) {
            return Ok(asked);
        }
        let known: Vec<String> = values.iter().map(AxisValue::to_string).collect();
        let (part, problem) = (named("axis", axis), unlisted(&asked.to_string(), &known));
        self.mistake(value.at, message!(study_in_part, part, problem))
    }

    pub(super) fn phase(&self, name: &Located<String>) -> Result<String, StudyError> {
        let known: Vec<String> = self.phases.iter().map(WirePhase::shown_name).collect();
        self.known("phase", name, &known)
    }

    /// A candidate of the study, a part that somebody binds, or any store there is.
    pub(super) fn candidate(&self, name: &Located<String>) -> Result<String, StudyError> {
        if self.candidates.contains(&name.value) || parse_candidate(self.catalogue, &name.value).is_ok() {
            return Ok(name.value.clone());
        }
        self.known("candidate", name, &self.candidates)
    }

    fn known(&self, what: &str, name: &Located<String>, known: &[String]) -> Result<String, StudyError> {
        if known.contains(&name.value) {
            return Ok(name.value.clone());
        }
        self.mistake(name.at, unknown(what, &name.value, known))
    }
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
