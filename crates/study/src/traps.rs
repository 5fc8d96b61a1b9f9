//! Traps: mistakes of method that a study can make again, beside the work as it should be, to see what they do to the answer.
//!
//! A trap makes of each candidate that it concerns another one, which does other work, has other settings or other rows, on
//! a level of its own beside that whose work it changes. So nothing trapped stands in a ranking of what is not.

use std::collections::BTreeMap;

use kurabe_protocol::Operation;
use kurabe_record::{AxisValue, Level, Makes, ServiceOutput, StoreKind, TrapAxis, TrapPlan, Trapped};
use serde::Deserialize;

use crate::axes::CheckedAxis;
use crate::candidate::{CandidateSpec, CandidateTable, parse_candidate};
use crate::catalogue::Catalogue;
use crate::client::ClientName;
use crate::error::{StudyError, suggestion};
use crate::phase::WirePhase;
use crate::toml_text::{Placed, mistake};

/// All traps together, as the source of a study had them.
pub const AS_PUBLISHED: &str = "as-published";

/// Which traps are measured beside the mended work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrapChoice {
    /// None.
    #[default]
    None,
    /// Those of these names, each alone.
    Named(Vec<String>),
    /// All of them together.
    AsPublished,
    /// Each alone, and all of them together.
    All,
}

/// A `[[trap]]` of a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireTrap {
    name: Placed<String>,
    says: String,
    #[serde(default, rename = "change")]
    changes: Vec<Placed<WireChange>>,
    /// Instead of changes: an axis of the study that makes phases, with the values of the mended work and of the trap.
    #[serde(default)]
    axis: Option<WireTrapAxis>,
    /// Whether it has no part in what is measured of all traps together: it takes from the others what they change.
    #[serde(default)]
    alone: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTrapAxis {
    name: Placed<String>,
    from: String,
    to: String,
}

/// What a trap changes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireChange {
    /// For whom; for every store where it is absent.
    #[serde(default)]
    stores: Option<Vec<String>>,
    /// Which phase.
    #[serde(default)]
    phase: Option<Placed<String>>,
    /// Keys of that phase. One with an `operation` replaces the work whole.
    #[serde(default)]
    set: Option<toml::Table>,
    /// Phases that are left out.
    #[serde(default)]
    without: Vec<String>,
    /// Keys of the study that say what a row is, and how many there are (`rows`).
    #[serde(default)]
    data: Option<toml::Table>,
    /// Another client, or driver of it.
    #[serde(default)]
    client: Option<String>,
    /// A service that stands before all others.
    #[serde(default)]
    front: Option<String>,
    /// Settings for the adapter or client, or for the service before the store.
    #[serde(default)]
    settings: BTreeMap<String, toml::Value>,
    /// Arguments for the service.
    #[serde(default)]
    args: Vec<String>,
    /// Name of the durability setting.
    #[serde(default)]
    durability: Option<String>,
    /// Where the service writes what it has to say.
    #[serde(default)]
    output: Option<ServiceOutput>,
}

/// What makes the levels of a study with other phases and another shape of rows.
pub(crate) trait Levels {
    /// The mended levels with these phases, and with these keys of the study in the place of its own.
    fn levels(&self, phases: &[WirePhase], data: &toml::Table) -> Result<Vec<Level>, StudyError>;
}

pub(crate) struct Traps<'a> {
    pub(crate) origin: &'a str,
    pub(crate) text: &'a str,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) traps: &'a [WireTrap],
    pub(crate) phases: &'a [WirePhase],
    /// Names that the study's own tables give candidates.
    pub(crate) named: Vec<String>,
    /// The axes of the run.
    pub(crate) axes: &'a [CheckedAxis],
    /// The axes of the study, whatever the command line makes of them.
    pub(crate) own_axes: &'a [CheckedAxis],
}

/// What a run has of traps.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) plans: Vec<TrapPlan>,
    pub(crate) levels: Vec<Level>,
    pub(crate) candidates: Vec<CandidateSpec>,
}

/// What a trap changes, and the candidates for which it changes just that.
type Group<'a, 'c> = (Vec<&'a Placed<WireChange>>, Vec<&'c CandidateSpec>);

/// One trap as it is measured: those of its changes, or those of all.
struct Measured<'a> {
    name: String,
    says: String,
    changes: Vec<&'a Placed<WireChange>>,
}

impl<'a> Traps<'a> {
    /// Names of all traps, checked.
    pub(crate) fn names(&self) -> Result<Vec<String>, StudyError> {
        let mut names: Vec<String> = Vec::new();
        for trap in self.traps {
            let name = &trap.name;
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.value.is_empty() || name.value.len() > 30 || !name.value.chars().all(is_plain) {
                return self.mistake(name.at, "the name of a trap has 1 to 30 of a to z, 0 to 9 and '-'");
            }
            if [AS_PUBLISHED, "none"].contains(&name.value.as_str()) || names.contains(&name.value) {
                return self.mistake(name.at, &format!("the name '{}' is taken; give the trap another", name.value));
            }
            if let Some(axis) = &trap.axis {
                self.check_axis(trap, axis)?;
            } else if trap.changes.is_empty() {
                return self
                    .mistake(name.at, &format!("trap '{}' changes nothing; give it a [[trap.change]]", name.value));
            }
            trap.changes.iter().try_for_each(|change| self.check_change(change))?;
            names.push(name.value.clone());
        }
        if !names.is_empty() {
            names.push(AS_PUBLISHED.into());
        }
        Ok(names)
    }

    /// What can be known of a change when the study is read, whether the trap is measured or not: each by itself, since two
    /// changes of one phase may be for different stores.
    fn check_change(&self, change: &Placed<WireChange>) -> Result<(), StudyError> {
        self.check_stores(change)?;
        let mut phases = self.phases.to_vec();
        self.change_phase(change, &mut phases, &mut BTreeMap::new())?;
        self.leave_out(change, &mut phases)
    }

    /// Whom a change is for: candidates of the study's own, or stores that there are.
    fn check_stores(&self, change: &Placed<WireChange>) -> Result<(), StudyError> {
        let Some(stores) = &change.value.stores else { return Ok(()) };
        if stores.is_empty() {
            return self.mistake(change.at, "stores = [] is for nobody; leave it out for every store");
        }
        let is_known = |name: &&String| self.named.contains(name) || parse_candidate(self.catalogue, name).is_ok();
        match stores.iter().find(|name| !is_known(name)) {
            Some(name) => {
                let stores = self.catalogue.stores().iter().map(|store| store.name.clone());
                let known: Vec<String> = self.named.iter().cloned().chain(stores).collect();
                self.mistake(change.at, &format!("there is no store '{name}'{}", suggestion(name, &known)))
            }
            None => Ok(()),
        }
    }

    /// An axis that makes phases, so that both values are phases of one job.
    fn check_axis(&self, trap: &WireTrap, axis: &WireTrapAxis) -> Result<(), StudyError> {
        if !trap.changes.is_empty() {
            return self.mistake(trap.name.at, "a trap has either an axis or changes; make two of it");
        }
        let known =
            self.own_axes.iter().find(|one| one.axis.name == axis.name.value && one.axis.makes == Makes::Phases);
        let Some(known) = known else {
            let problem = format!("the study has no axis '{}' that makes phases of one job", axis.name.value);
            return self.mistake(axis.name.at, &problem);
        };
        let words: Vec<String> = known.axis.values.iter().map(AxisValue::to_string).collect();
        match [&axis.from, &axis.to].into_iter().find(|value| !words.contains(value)) {
            Some(value) => {
                let problem = format!("'{value}' is no value of '{}'; there is: {}", axis.name.value, words.join(", "));
                self.mistake(axis.name.at, &problem)
            }
            None => Ok(()),
        }
    }

    /// The traps that are values of an axis of the run: they need nothing but to be told.
    fn on_axes(&self) -> Vec<TrapPlan> {
        let plan = |trap: &WireTrap| {
            let axis = trap.axis.as_ref()?;
            let known = self.axes.iter().find(|one| one.axis.name == axis.name.value)?;
            let value = |word: &String| known.axis.values.iter().find(|value| value.to_string() == *word).cloned();
            let axis = TrapAxis { axis: known.axis.name.clone(), from: value(&axis.from)?, to: value(&axis.to)? };
            Some(TrapPlan { name: trap.name.value.clone(), says: trap.says.clone(), axis: Some(axis) })
        };
        self.traps.iter().filter_map(plan).collect()
    }

    fn mistake<T>(&self, at: usize, problem: &str) -> Result<T, StudyError> {
        Err(mistake(self.origin, self.text, at, problem))
    }

    /// The traps that were chosen, over these candidates and mended levels.
    pub(crate) fn apply(
        &self,
        choice: &TrapChoice,
        candidates: &[CandidateSpec],
        mended: &[Level],
        levels: &dyn Levels,
    ) -> Result<Applied, StudyError> {
        let mut applied = Applied { plans: self.on_axes(), ..Applied::default() };
        for trap in self.chosen(choice)? {
            let before = applied.candidates.len();
            for (changes, members) in self.groups(&trap, candidates)? {
                self.group(&trap, &changes, &members, mended, levels, &mut applied)?;
            }
            if applied.candidates.len() > before {
                applied.plans.push(TrapPlan { name: trap.name, says: trap.says, axis: None });
            } else if matches!(choice, TrapChoice::Named(_)) && !applied.plans.iter().any(|plan| plan.name == trap.name)
            {
                let problem = format!("trap '{}' changes nothing for the stores of this run", trap.name);
                return Err(StudyError::value("--trap", problem));
            }
        }
        Ok(applied)
    }

    fn chosen(&self, choice: &TrapChoice) -> Result<Vec<Measured<'a>>, StudyError> {
        let known = self.names()?;
        let alone = |trap: &'a WireTrap| Measured {
            name: trap.name.value.clone(),
            says: trap.says.clone(),
            changes: trap.changes.iter().collect(),
        };
        let together = || Measured {
            name: AS_PUBLISHED.into(),
            says: "all traps together, as it was published".into(),
            changes: self.traps.iter().filter(|trap| !trap.alone).flat_map(|trap| &trap.changes).collect(),
        };
        let none = |flag: &str| Err(StudyError::value(flag, "this study names no trap; leave it out"));
        match choice {
            TrapChoice::None => Ok(Vec::new()),
            TrapChoice::All | TrapChoice::AsPublished if self.traps.is_empty() => {
                none(if *choice == TrapChoice::All { "--traps" } else { "--as-published" })
            }
            TrapChoice::AsPublished => Ok(vec![together()]),
            TrapChoice::All => {
                let alone: Vec<Measured<'a>> =
                    self.traps.iter().filter(|trap| trap.axis.is_none()).map(alone).collect();
                let several = self.traps.iter().filter(|trap| trap.axis.is_none() && !trap.alone).count() > 1;
                Ok(alone.into_iter().chain(several.then(together)).collect())
            }
            TrapChoice::Named(names) => {
                let one = |name: &String| match self.traps.iter().find(|trap| trap.name.value == *name) {
                    Some(trap) => Ok(alone(trap)),
                    None if name == AS_PUBLISHED && !self.traps.is_empty() => Ok(together()),
                    None => Err(StudyError::Unknown { what: "trap", name: name.clone(), known: known.clone() }),
                };
                names.iter().map(one).collect()
            }
        }
    }

    /// The candidates that a trap concerns, by what it changes for them.
    fn groups<'c>(
        &self,
        trap: &Measured<'a>,
        candidates: &'c [CandidateSpec],
    ) -> Result<Vec<Group<'a, 'c>>, StudyError> {
        let mut groups: Vec<Group<'a, 'c>> = Vec::new();
        for candidate in candidates.iter().filter(|one| one.trap.is_none() && one.cannot.is_none()) {
            let store = self.catalogue.store(&candidate.store)?.of_variant(candidate.variant.as_deref());
            if candidate.as_floor || store.kind == StoreKind::Floor {
                continue;
            }
            let concerns = |change: &&&'a Placed<WireChange>| match &change.value.stores {
                None => true,
                Some(names) => names.iter().any(|name| is_named(name, candidate)),
            };
            let changes: Vec<&'a Placed<WireChange>> = trap.changes.iter().filter(concerns).copied().collect();
            if changes.is_empty() {
                continue;
            }
            let is_same = |known: &[&'a Placed<WireChange>]| {
                known.len() == changes.len() && known.iter().zip(&changes).all(|(a, b)| std::ptr::eq(*a, *b))
            };
            match groups.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, members)) => members.push(candidate),
                None => groups.push((changes, vec![candidate])),
            }
        }
        Ok(groups)
    }

    fn group(
        &self,
        trap: &Measured<'a>,
        changes: &[&'a Placed<WireChange>],
        members: &[&CandidateSpec],
        mended: &[Level],
        levels: &dyn Levels,
        applied: &mut Applied,
    ) -> Result<(), StudyError> {
        let mut phases = self.phases.to_vec();
        let mut data = toml::Table::new();
        let mut changed = BTreeMap::new();
        for change in changes {
            self.change_phase(change, &mut phases, &mut changed)?;
            data.extend(change.value.data.clone().unwrap_or_default());
        }
        // Last, since of several traps together one may change what another leaves out.
        for change in changes {
            self.leave_out(change, &mut phases)?;
        }
        let specs: Vec<CandidateSpec> =
            members.iter().map(|member| self.trapped(trap, changes, member)).collect::<Result<_, _>>()?;
        let made = levels.levels(&phases, &data)?;
        let changes_work = made.iter().zip(mended).any(|(made, mended)| {
            (&made.phases, &made.schema, made.encoding, made.rows)
                != (&mended.phases, &mended.schema, mended.encoding, mended.rows)
        });
        let changes_them = specs.iter().zip(members).any(|(spec, member)| {
            (&spec.settings, &spec.args, &spec.durability, spec.output, &spec.client, &spec.stack)
                != (&member.settings, &member.args, &member.durability, member.output, &member.client, &member.stack)
        });
        if !changes_work && !changes_them {
            let problem = format!("trap '{}' changes nothing: what it sets is set already", trap.name);
            return self.mistake(changes[0].at, &problem);
        }
        let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        // Beside what the others are varied from, at every size.
        let axes = || self.axes.iter().map(|one| &one.axis);
        for (base, level) in (0u32..).zip(made).filter(|(_, level)| level.is_usual(axes())) {
            let trapped = Trapped { trap: trap.name.clone(), base, candidates: names.clone() };
            applied.levels.push(Level { trapped: Some(trapped), ..level });
        }
        applied.candidates.extend(specs);
        Ok(())
    }

    fn leave_out(&self, change: &Placed<WireChange>, phases: &mut Vec<WirePhase>) -> Result<(), StudyError> {
        for name in &change.value.without {
            let known: Vec<String> = self.phases.iter().map(WirePhase::shown_name).collect();
            if !known.contains(name) {
                return self
                    .mistake(change.at, &format!("the study has no phase '{name}'{}", suggestion(name, &known)));
            }
            phases.retain(|phase| phase.shown_name() != *name);
        }
        Ok(())
    }

    /// `changed` are the phases as earlier changes left them: two may change different keys of one.
    fn change_phase(
        &self,
        change: &Placed<WireChange>,
        phases: &mut [WirePhase],
        changed: &mut BTreeMap<String, toml::Table>,
    ) -> Result<(), StudyError> {
        let WireChange { phase, set, .. } = &change.value;
        let (Some(name), Some(set)) = (phase, set) else {
            return match (phase, set) {
                (None, None) => Ok(()),
                _ => self.mistake(
                    change.at,
                    "'phase' and 'set' belong together, as in phase = \"read\" and set = { read_scope = \"snapshot\" }",
                ),
            };
        };
        let known: Vec<String> = phases.iter().map(WirePhase::shown_name).collect();
        let Some(at) = known.iter().position(|one| *one == name.value) else {
            let hint = suggestion(&name.value, &known);
            return self.mistake(name.at, &format!("the study has no phase '{}'{hint}", name.value));
        };
        let own = changed.get(&name.value).cloned().map_or_else(|| self.own_table(&name.value), Ok)?;
        let mut table = match set.contains_key("operation") {
            false => own,
            true => {
                own.into_iter().filter(|(key, _)| ["name", "deciding", "rank_by"].contains(&key.as_str())).collect()
            }
        };
        table.entry("name").or_insert_with(|| toml::Value::String(name.value.clone()));
        table.extend(set.clone());
        let before = phases[at].operation;
        phases[at] = WirePhase::deserialize(toml::Value::Table(table.clone()))
            .or_else(|error| self.mistake(change.at, error.to_string().trim()))?;
        if (before == Operation::Load) != (phases[at].operation == Operation::Load) {
            let problem = format!(
                "a trap cannot make phase '{}' a load, or a load another operation; set another operation",
                name.value
            );
            return self.mistake(change.at, &problem);
        }
        changed.insert(name.value.clone(), table);
        Ok(())
    }

    /// A phase of the study as it is written.
    fn own_table(&self, name: &str) -> Result<toml::Table, StudyError> {
        let at = self.phases.iter().position(|phase| phase.shown_name() == name).unwrap_or(usize::MAX);
        let study: toml::Table = toml::from_str(self.text).or_else(|error| self.mistake(0, error.message()))?;
        let phases = study.get("phase").and_then(toml::Value::as_array);
        Ok(phases.and_then(|phases| phases.get(at)).and_then(toml::Value::as_table).cloned().unwrap_or_default())
    }

    /// The candidate that a trap makes of another.
    fn trapped(
        &self,
        trap: &Measured<'a>,
        changes: &[&'a Placed<WireChange>],
        member: &CandidateSpec,
    ) -> Result<CandidateSpec, StudyError> {
        let mut spec = CandidateSpec {
            name: format!("{} [{}]", member.name, trap.name),
            from_table: true,
            of: Some(member.name.clone()),
            trap: Some(trap.name.clone()),
            ..member.clone()
        };
        for change in changes {
            let WireChange { client, front, settings, args, durability, output, .. } = &change.value;
            spec.client = client.as_deref().map_or(spec.client, ClientName::of);
            spec.stack.extend(front.clone());
            for (name, value) in settings {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                spec.settings.insert(name.clone(), text);
            }
            spec.args.extend(args.iter().cloned());
            spec.durability = durability.clone().or(spec.durability);
            spec.output = output.unwrap_or(spec.output);
            let checked = CandidateTable::of_spec(&spec).check(self.catalogue, self.origin);
            let checked =
                checked.or_else(|error| self.mistake(change.at, &format!("trap '{}': {error}", trap.name)))?;
            spec.client = checked.client;
        }
        Ok(spec)
    }
}

/// Whether a name of a trap means a candidate: its own name, or its store with or without the variant.
fn is_named(name: &str, candidate: &CandidateSpec) -> bool {
    let store = match &candidate.variant {
        Some(variant) => format!("{}:{variant}", candidate.store),
        None => candidate.store.clone(),
    };
    let of = candidate.of.as_deref().unwrap_or(&candidate.name);
    if !candidate.stack.is_empty() {
        // What is meant by a store alone is the store without anything before it.
        return [candidate.name.as_str(), of].contains(&name);
    }
    [candidate.name.as_str(), of, &candidate.store, &store].contains(&name)
}
