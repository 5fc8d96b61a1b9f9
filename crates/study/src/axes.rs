//! The axes of a study, from `[[axis]]` and `--axis`: every name and value is looked at here.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_record::{Axis, AxisEffect, AxisValue, Design, PITFALL, StoreProfile};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::axis_keys::{Key, PhaseKey, SETTINGS, toml_of};
use crate::candidate::CandidateSpec;
use crate::error::{StudyError, named, nearest, range, unknown};
use crate::phase::{DraftPhase, WirePhase};
use crate::sizes::parse_size;
use crate::toml_text::Located;
use crate::variation::{Cause, Change, Variation};
use crate::words::parse_minimum;

/// Most values of one axis: more would be a mistake in typing.
const MAX_VALUES: usize = 40;
/// Longest name of a variation.
const MAX_NAME_CHARS: usize = 30;
/// Most jobs of a round, over all configurations and candidates.
pub(crate) const MAX_JOBS: usize = 2_000;

/// The axis over durability from the strongest minimum to the weakest that keeps data sound, by name.
const WINDOW: &str = "window";
/// Its values: what may be lost grows.
const WINDOWS: [&str; 6] = ["power", "window=1commits", "window=10ms", "window=100ms", "window=1s", "consistent"];

/// An `[[axis]]` of a study, or a `--axis`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedAxis {
    /// What it varies.
    name: String,
    /// The phases that it changes; all where none is named.
    #[serde(default)]
    phases: Vec<String>,
    #[serde(default, deserialize_with = "values")]
    values: Vec<AxisValue>,
    /// Instead of values: patches under names of the study's own, the first being the control.
    #[serde(default, rename = "variation")]
    variations: Vec<Variation>,
    /// One at a time, where nothing else is said, for patches of the work, which have a control.
    #[serde(default)]
    design: Option<Design>,
}

/// Numbers from 0 on are numbers; everything else is told as it is written.
fn values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<AxisValue>, D::Error> {
    let value = |value: toml::Value| match &value {
        toml::Value::Integer(number) => {
            Ok(u64::try_from(*number).map_or_else(|_| AxisValue::Word(number.to_string()), AxisValue::Number))
        }
        toml::Value::String(word) => Ok(AxisValue::Word(word.clone())),
        toml::Value::Float(_) | toml::Value::Boolean(_) => Ok(AxisValue::Word(value.to_string())),
        _ => Err(D::Error::custom(message!(study_axis_value))),
    };
    Vec::<toml::Value>::deserialize(deserializer)?.into_iter().map(value).collect()
}

impl AskedAxis {
    /// Reads `[PHASE.]NAME=A,B,C`, or `window`: rates over what may be lost, from nothing to all that the system has not
    /// written back.
    ///
    /// # Errors
    /// A text of another form.
    pub fn parse(text: &str) -> Result<AskedAxis, StudyError> {
        let wrong =
            || StudyError::value("--axis", message!(study_invalid, value = text, expected = message!(study_axis_form)));
        if text == WINDOW {
            return Ok(AskedAxis::whole("durability", WINDOWS.iter().map(|word| AxisValue::Word((*word).to_string()))));
        }
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let (phases, name) = match name.split_once('.').filter(|_| !name.starts_with(SETTINGS)) {
            Some((phase, name)) => (vec![phase.to_string()], name),
            None => (Vec::new(), name),
        };
        if name.is_empty() || values.trim().is_empty() {
            return Err(wrong());
        }
        let is_number = Key::of(name).is_some_and(|key| key.is_number());
        let value = |text: &str| match is_number {
            true => parse_size("--axis", text).map(AxisValue::Number),
            false => Ok(AxisValue::Word(text.to_string())),
        };
        let values = values.split(',').map(|text| value(text.trim())).collect::<Result<Vec<AxisValue>, _>>()?;
        Ok(AskedAxis { phases, ..AskedAxis::whole(name, values) })
    }

    /// One over the whole study.
    fn whole(name: &str, values: impl IntoIterator<Item = AxisValue>) -> AskedAxis {
        AskedAxis {
            name: name.to_string(),
            phases: Vec::new(),
            values: values.into_iter().collect(),
            variations: Vec::new(),
            design: None,
        }
    }

    /// Both profiles, as `--profile both` asks for them.
    pub(crate) fn of_profiles() -> AskedAxis {
        AskedAxis::whole("profile", StoreProfile::WORDS.iter().map(|(word, _)| AxisValue::Word((*word).to_string())))
    }

    /// The study's own axis of this name, with those of its variations alone that are named; itself where there is none.
    pub(crate) fn narrowing(&self, own: &[AskedAxis]) -> Result<AskedAxis, StudyError> {
        let is_own = |axis: &&AskedAxis| axis.name == self.name && !axis.variations.is_empty();
        let Some(own) = own.iter().find(is_own) else { return Ok(self.clone()) };
        if let Some(phase) = self.phases.first() {
            let problem = message!(study_axis_own_phase, axis = &self.name, phase);
            return Err(StudyError::value("--axis", problem));
        }
        let named = |value: &AxisValue| {
            let name = value.to_string();
            let found = own.variations.iter().find(|one| one.name.value == name).cloned();
            let known = || own.variations.iter().map(|one| one.name.value.clone()).collect();
            found.ok_or_else(|| StudyError::Unknown { what: "variation", name, known: known() })
        };
        Ok(AskedAxis { variations: self.values.iter().map(named).collect::<Result<_, _>>()?, ..own.clone() })
    }

    /// Rows as `--sizes` gives them.
    pub(crate) fn of_rows(rows: &[u64]) -> AskedAxis {
        AskedAxis::whole("rows", rows.iter().map(|rows| AxisValue::Number(*rows)))
    }

    /// What it varies.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The words that say the same again, as `--axis` takes them.
    pub fn word(&self) -> String {
        let values: Vec<String> = self.values.iter().map(AxisValue::to_string).collect();
        let phase = self.phases.first().map(|phase| format!("{phase}.")).unwrap_or_default();
        format!("{phase}{}={}", self.name, values.join(","))
    }
}

/// An axis whose name and values are right.
#[derive(Clone, Debug)]
pub(crate) struct CheckedAxis {
    pub(crate) key: Key,
    pub(crate) axis: Axis,
}

impl CheckedAxis {
    /// What a value changes, and where that stands in the study; `phases` are those of the work that it is laid over.
    pub(crate) fn changes(&self, value: &AxisValue, phases: &[DraftPhase]) -> Vec<(Change, Option<usize>)> {
        let word = value.to_string();
        let rows = |value: toml::Value| Change {
            rows: toml::Table::from_iter([(self.axis.name.clone(), value)]),
            ..Change::default()
        };
        let change = match &self.key {
            Key::Own(variations) => {
                let own = variations.iter().filter(|variation| variation.name.value == word);
                let changes = own.flat_map(|variation| &variation.changes);
                return changes.map(|change| (change.value.clone(), Some(change.at))).collect();
            }
            Key::Phase(key) => {
                let change = |phase: &DraftPhase| Change {
                    phase: Some(Located { value: phase.wire.shown_name(), at: 0 }),
                    set: Some(key.table(value)),
                    ..Change::default()
                };
                let changed = phases.iter().filter(|one| self.concerns(key, &one.wire));
                return changed.map(|phase| (change(phase), None)).collect();
            }
            Key::Rows | Key::Encoding => rows(toml_of(value)),
            // A number that fits no length stays one that fits none.
            Key::ValueLen => rows(toml::Value::Integer(word.parse().unwrap_or(i64::MAX).min(u32::MAX.into()))),
            Key::Indexed => rows(toml::Value::Boolean(word == "yes")),
            Key::Durability => match parse_minimum(&word) {
                Ok(minimum) => Change { minimum: Some(minimum), ..Change::default() },
                Err(_) => Change { durability: Some(word), ..Change::default() },
            },
            Key::Profile => Change { profile: StoreProfile::of(&word), ..Change::default() },
            Key::Client => Change { client: Some(word), ..Change::default() },
            Key::Setting(name) => {
                Change { settings: BTreeMap::from([(name.clone(), toml_of(value))]), ..Change::default() }
            }
        };
        vec![(change, None)]
    }

    /// Whether any of its values is another one for a candidate: patches of a study's own may be for some stores alone.
    pub(crate) fn concerns_any(&self, candidate: &CandidateSpec) -> bool {
        match &self.key {
            Key::Own(variations) => {
                variations.iter().flat_map(|one| &one.changes).any(|change| change.value.concerns(candidate))
            }
            _ => true,
        }
    }

    /// The key of a phase that it is over.
    pub(crate) fn phase_key(&self) -> Option<&'static PhaseKey> {
        match self.key {
            Key::Phase(key) => Some(key),
            _ => None,
        }
    }

    fn concerns(&self, key: &PhaseKey, phase: &WirePhase) -> bool {
        (self.axis.phases.is_empty() || self.axis.phases.contains(&phase.shown_name())) && (key.concerns)(phase)
    }

    /// As the cause of what its values change.
    pub(crate) fn cause(&self) -> Cause {
        Cause::Axis(self.axis.name.clone())
    }

    /// An axis of a plan, which was looked at when the plan was made; `None` for a name that this Kurabe does not know.
    pub(crate) fn of_plan(axis: &Axis) -> Option<CheckedAxis> {
        Some(CheckedAxis { key: Key::of(&axis.name)?, axis: axis.clone() })
    }
}

/// Looks at all axes of a study; `phases` are its phases.
pub(crate) fn check(origin: &str, asked: &[AskedAxis], phases: &[WirePhase]) -> Result<Vec<CheckedAxis>, StudyError> {
    let mut checked: Vec<CheckedAxis> = Vec::new();
    for one in asked {
        let axis = Checking { origin, asked: one, phases }.checked();
        let axis = axis.map_err(|error| error.within(origin, named("axis", &one.name)))?;
        if checked.iter().any(|other| other.axis.name == axis.axis.name) {
            return Err(StudyError::value(origin, message!(study_twice, named = named("axis", &one.name))));
        }
        checked.push(axis);
    }
    Ok(checked)
}

/// Refuses axes that combine to more jobs a round than anybody would wait for; `candidates` are those of the study.
pub(crate) fn check_jobs(origin: &str, axes: &[CheckedAxis], candidates: usize) -> Result<(), StudyError> {
    let lengths = |makes: AxisEffect, design: Design| {
        let of_kind = move |one: &&CheckedAxis| one.axis.makes == makes && one.axis.design == design;
        axes.iter().filter(of_kind).map(|one| one.axis.values.len())
    };
    let product = |makes| lengths(makes, Design::Full).fold(1usize, usize::saturating_mul);
    let rows = axes.iter().find(|one| matches!(one.key, Key::Rows)).map_or(1, |one| one.axis.values.len());
    let alone: usize = lengths(AxisEffect::Configurations, Design::OneAtATime).map(|length| length - 1).sum();
    let configurations = product(AxisEffect::Configurations).saturating_add(alone * rows);
    let candidates = candidates.saturating_mul(product(AxisEffect::Candidates));
    let jobs = configurations.saturating_mul(candidates);
    if jobs <= MAX_JOBS {
        return Ok(());
    }
    Err(StudyError::value(origin, message!(study_axis_jobs, configurations, candidates, jobs, most = MAX_JOBS)))
}

/// The least length of values on an axis over it, for a study that gives none beside it.
pub(crate) fn value_len(axes: &[CheckedAxis]) -> Option<u32> {
    match axes.iter().find(|one| matches!(one.key, Key::ValueLen))?.axis.values.first()? {
        AxisValue::Number(len) => Some(u32::try_from(*len).unwrap_or(u32::MAX)),
        AxisValue::Word(_) => None,
    }
}

/// Whether a text is a name for a variation: it stands on command lines and in names of candidates.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('-')
}

/// What is wrong with a text that is no such name.
pub(crate) fn not_plain_name(name: &str) -> Message {
    message!(study_invalid, value = name, expected = message!(study_a_name, most = MAX_NAME_CHARS))
}

struct Checking<'a> {
    origin: &'a str,
    asked: &'a AskedAxis,
    phases: &'a [WirePhase],
}

impl Checking<'_> {
    fn problem<T>(&self, problem: Message) -> Result<T, StudyError> {
        Err(StudyError::value(self.origin, problem))
    }

    fn checked(&self) -> Result<CheckedAxis, StudyError> {
        let AskedAxis { name, phases, design, variations, .. } = self.asked.clone();
        let key = match Key::of(&name) {
            Some(_) if !variations.is_empty() => {
                return self.problem(message!(study_axis_not_own));
            }
            Some(key) => key,
            None if !variations.is_empty() => self.own(variations)?,
            None => {
                let known = Key::names();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                return self.problem(match nearest(&name, &known) {
                    Some(_) => unknown("axis", &name, &known),
                    None => message!(study_axis_unknown, name, known),
                });
            }
        };
        let values = self.values(&key)?;
        let makes = self.makes(&key)?;
        let is_own = matches!(key, Key::Own(_)) && makes == AxisEffect::Configurations;
        let design = design.unwrap_or(if is_own { Design::OneAtATime } else { Design::Full });
        if !design.is_full() && (makes != AxisEffect::Configurations || matches!(key, Key::Rows)) {
            return self.problem(message!(study_axis_design));
        }
        let axis = Axis { name, makes, phases, values, design };
        Ok(CheckedAxis { key, axis })
    }

    /// Patches of the study's own: each has a name and changes something.
    fn own(&self, variations: Vec<Variation>) -> Result<Key, StudyError> {
        if !self.asked.values.is_empty() {
            return self.problem(message!(study_either, keys = ["values", "[[axis.variation]]"]));
        }
        let names = [&self.asked.name].into_iter().chain(variations.iter().map(|one| &one.name.value));
        if self.asked.name == PITFALL {
            return self.problem(message!(study_name_taken, name = PITFALL));
        }
        if let Some(name) = names.into_iter().find(|name| !is_plain_name(name)) {
            return self.problem(not_plain_name(name));
        }
        Ok(Key::Own(variations))
    }

    fn values(&self, key: &Key) -> Result<Vec<AxisValue>, StudyError> {
        let mut values = match key {
            Key::Own(variations) => variations.iter().map(|one| AxisValue::Word(one.name.value.clone())).collect(),
            // A setting may be either, and is told as a text; among numbers alone there is an order.
            Key::Setting(_) => self.settings(),
            _ => self.asked.values.clone(),
        };
        for value in &values {
            match value {
                AxisValue::Word(word) if key.is_number() => {
                    let expected = message!(study_a_number);
                    return self.problem(message!(study_invalid, value = word, expected));
                }
                AxisValue::Number(number) if !key.is_number() && !matches!(key, Key::Setting(_)) => {
                    return self.problem(unknown("value", &number.to_string(), key.words()));
                }
                AxisValue::Number(number) if key.most().is_some_and(|most| *number == 0 || *number > most) => {
                    return self.problem(range(&self.asked.name, 1, key.most().unwrap_or_default(), number));
                }
                AxisValue::Word(word) if !key.words().is_empty() && !key.words().contains(&word.as_str()) => {
                    return self.problem(unknown("value", word, key.words()));
                }
                AxisValue::Word(word) if word.trim().is_empty() || word.chars().any(char::is_control) => {
                    return self.problem(message!(study_axis_value_empty));
                }
                AxisValue::Word(_) | AxisValue::Number(_) => {}
            }
        }
        if values.iter().all(|value| matches!(value, AxisValue::Number(_))) {
            values.sort();
        }
        let count = values.len();
        if let Some((_, twice)) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return self.problem(message!(study_twice, named = named("value", &twice.to_string())));
        }
        match count {
            0 => self.problem(message!(study_axis_no_values)),
            1 if key.is_each(&values[0]) => Ok(values),
            1 => self.problem(message!(study_axis_one_value, instead = self.without_axis(key))),
            2..=MAX_VALUES => Ok(values),
            _ => self.problem(message!(study_axis_many, count, most = MAX_VALUES)),
        }
    }

    fn settings(&self) -> Vec<AxisValue> {
        let number = |value: &AxisValue| match value {
            AxisValue::Number(number) => Some(*number),
            AxisValue::Word(word) => word.parse().ok(),
        };
        let numbers: Option<Vec<u64>> = self.asked.values.iter().map(number).collect();
        match numbers {
            Some(numbers) => numbers.into_iter().map(AxisValue::Number).collect(),
            None => self.asked.values.iter().map(|value| AxisValue::Word(value.to_string())).collect(),
        }
    }

    /// How to say it where nothing varies.
    fn without_axis(&self, key: &Key) -> Message {
        let value = self.asked.values.first().map(AxisValue::to_string).unwrap_or_default();
        let line = |key: &str, value: toml::Value| format!("{key} = {value}");
        let as_toml = || self.asked.values.first().map_or_else(|| value.as_str().into(), toml_of);
        match key {
            Key::Rows => message!(study_axis_as_flag, flag = "--rows", value),
            Key::Durability => message!(study_axis_as_flag, flag = "--durability", value),
            Key::Profile => message!(study_axis_as_flag, flag = "--profile", value),
            Key::ValueLen => message!(study_axis_in_study, line = line("value_len_bytes", as_toml())),
            Key::Encoding => message!(study_axis_in_study, line = line("encoding", as_toml())),
            Key::Indexed => message!(study_axis_in_field),
            Key::Phase(key) => message!(study_axis_in_phase, line = line(key.name, as_toml())),
            Key::Client => message!(study_axis_in_name, client = value),
            Key::Setting(_) => message!(study_axis_in_candidate),
            Key::Own(_) => message!(study_axis_as_study),
        }
    }

    /// Phases that read what one load has written can follow each other in one job; everything else starts anew.
    fn makes(&self, key: &Key) -> Result<AxisEffect, StudyError> {
        let phase_key = match key {
            Key::Phase(key) => key,
            _ if !self.asked.phases.is_empty() => {
                return self.problem(message!(study_axis_no_phase, phases = &self.asked.phases));
            }
            Key::Indexed if self.phases.iter().all(|phase| phase.search.is_none()) => {
                return self.problem(message!(study_axis_no_search));
            }
            Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding => return Ok(AxisEffect::Configurations),
            Key::Durability | Key::Profile | Key::Client | Key::Setting(_) => return Ok(AxisEffect::Candidates),
            Key::Own(variations) => {
                let changes = || variations.iter().flat_map(|one| &one.changes).map(|change| &change.value);
                return match (changes().any(Change::is_of_work), changes().any(Change::is_of_candidates)) {
                    (true, false) if changes().any(|change| change.stores.is_some()) => {
                        self.problem(message!(study_axis_same_work))
                    }
                    (true, false) => Ok(AxisEffect::Configurations),
                    (false, true) => Ok(AxisEffect::Candidates),
                    (true, true) => self.problem(message!(study_axis_both)),
                    (false, false) => self.problem(message!(study_axis_changes_nothing)),
                };
            }
        };
        let named: Vec<&WirePhase> = match self.asked.phases.as_slice() {
            [] => self.phases.iter().collect(),
            names => names.iter().map(|name| self.phase(name)).collect::<Result<_, _>>()?,
        };
        if !named.iter().any(|phase| (phase_key.concerns)(phase)) {
            let key = phase_key.name;
            return self.problem(match self.asked.phases.is_empty() {
                true => message!(study_axis_no_effect, key),
                false => message!(study_axis_no_effect_named, key),
            });
        }
        let reads_only = !self.asked.phases.is_empty() && named.iter().all(|phase| !phase.writes());
        Ok(if reads_only { AxisEffect::Phases } else { AxisEffect::Configurations })
    }

    fn phase(&self, name: &str) -> Result<&WirePhase, StudyError> {
        self.phases.iter().find(|phase| phase.shown_name() == name).ok_or_else(|| StudyError::Unknown {
            what: "phase",
            name: name.to_string(),
            known: self.phases.iter().map(WirePhase::shown_name).collect(),
        })
    }
}

#[cfg(test)]
#[path = "axes_tests.rs"]
mod tests;
