//! The axes of a study, from `[[axis]]` and `--axis`: every name and value is looked at here.

use std::collections::BTreeMap;

use kurabe_record::{Axis, AxisValue, Design, Makes, PITFALL, StoreProfile};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::axis_keys::{Key, PhaseKey, SETTINGS, toml_of};
use crate::candidate::CandidateSpec;
use crate::error::StudyError;
use crate::phase::{DraftPhase, WirePhase};
use crate::sizes::parse_size;
use crate::toml_text::Placed;
use crate::variation::{Change, Variation};
use crate::words::parse_minimum;

/// Most values of one axis: more would be a mistake in typing.
const MAX_VALUES: usize = 40;
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
        _ => Err(D::Error::custom("a value is a number, a word, true or false")),
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
        let wrong = || {
            let problem = format!("'{text}' is no axis; write it like connections=1,8,64 or read.connections=1,8");
            StudyError::value("--axis", problem)
        };
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
            let problem = format!("'{}' is an axis of the study's own, of no phase; leave '{phase}.' out", self.name);
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
                    phase: Some(Placed { value: phase.wire.shown_name(), at: 0 }),
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

    /// How mistakes name it.
    pub(crate) fn words(&self) -> String {
        format!("axis '{}'", self.axis.name)
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
        let axis = Checking { origin: &format!("{origin}: axis '{}'", one.name), asked: one, phases }.checked()?;
        if checked.iter().any(|other| other.axis.name == axis.axis.name) {
            return Err(StudyError::value(origin, format!("axis '{}' is given twice", one.name)));
        }
        checked.push(axis);
    }
    Ok(checked)
}

/// Refuses axes that combine to more jobs a round than anybody would wait for; `candidates` are those of the study.
pub(crate) fn check_jobs(origin: &str, axes: &[CheckedAxis], candidates: usize) -> Result<(), StudyError> {
    let lengths = |makes: Makes, design: Design| {
        let of_kind = move |one: &&CheckedAxis| one.axis.makes == makes && one.axis.design == design;
        axes.iter().filter(of_kind).map(|one| one.axis.values.len())
    };
    let product = |makes| lengths(makes, Design::Full).fold(1usize, usize::saturating_mul);
    let rows = axes.iter().find(|one| matches!(one.key, Key::Rows)).map_or(1, |one| one.axis.values.len());
    let alone: usize = lengths(Makes::Configurations, Design::OneAtATime).map(|length| length - 1).sum();
    let configurations = product(Makes::Configurations).saturating_add(alone * rows);
    let candidates = candidates.saturating_mul(product(Makes::Candidates));
    let jobs = configurations.saturating_mul(candidates);
    if jobs <= MAX_JOBS {
        return Ok(());
    }
    let problem = format!(
        "{configurations} configurations of {candidates} candidates are {jobs} jobs a round, more than {MAX_JOBS}; give \
         shorter axes or fewer stores, or vary one axis at a time (design = \"one-at-a-time\")"
    );
    Err(StudyError::value(origin, problem))
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
    (1..=30).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('-')
}

struct Checking<'a> {
    origin: &'a str,
    asked: &'a AskedAxis,
    phases: &'a [WirePhase],
}

impl Checking<'_> {
    fn problem<T>(&self, problem: impl Into<String>) -> Result<T, StudyError> {
        Err(StudyError::value(self.origin, problem))
    }

    fn checked(&self) -> Result<CheckedAxis, StudyError> {
        let AskedAxis { name, phases, design, variations, .. } = self.asked.clone();
        let key = match Key::of(&name) {
            Some(_) if !variations.is_empty() => {
                return self.problem("it is over a key of the study; give values, or the axis a name of its own");
            }
            Some(key) => key,
            None if !variations.is_empty() => self.own(variations)?,
            None => {
                let known = Key::names().into_iter().chain(["a name of your own, with [[axis.variation]]".into()]);
                return Err(StudyError::Unknown { what: "axis", name, known: known.collect() });
            }
        };
        let values = self.values(&key)?;
        let makes = self.makes(&key)?;
        let is_own = matches!(key, Key::Own(_)) && makes == Makes::Configurations;
        let design = design.unwrap_or(if is_own { Design::OneAtATime } else { Design::Full });
        if !design.is_full() && (makes != Makes::Configurations || matches!(key, Key::Rows)) {
            return self.problem("'one-at-a-time' is for axes of configurations other than rows; leave 'design' out");
        }
        let axis = Axis { name, makes, phases, values, design };
        Ok(CheckedAxis { key, axis })
    }

    /// Patches of the study's own: each has a name and changes something.
    fn own(&self, variations: Vec<Variation>) -> Result<Key, StudyError> {
        if !self.asked.values.is_empty() {
            return self.problem("give either values, or an [[axis.variation]] for each");
        }
        let names = [&self.asked.name].into_iter().chain(variations.iter().map(|one| &one.name.value));
        if self.asked.name == PITFALL {
            return self.problem("pitfalls have an axis of this name; give it another");
        }
        if let Some(name) = names.into_iter().find(|name| !is_plain_name(name)) {
            return self.problem(format!("'{name}' is no name: 1 to 30 of a to z, 0 to 9 and '-'"));
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
                    return self.problem(format!("'{word}' is no number; write it like 8 or 10_000"));
                }
                AxisValue::Number(number) if !key.is_number() && !matches!(key, Key::Setting(_)) => {
                    let known = if key.words().is_empty() { "" } else { "; there is: " };
                    return self.problem(format!("{number} is no word{known}{}", key.words().join(", ")));
                }
                AxisValue::Number(number) if key.most().is_some_and(|most| *number == 0 || *number > most) => {
                    let most = key.most().unwrap_or_default();
                    let name = &self.asked.name;
                    return self.problem(format!("{name} must be from 1 to {most}, got {number}"));
                }
                AxisValue::Word(word) if !key.words().is_empty() && !key.words().contains(&word.as_str()) => {
                    let known = key.words().iter().map(|word| (*word).to_string()).collect();
                    return Err(StudyError::Unknown { what: "value", name: word.clone(), known });
                }
                AxisValue::Word(word) if word.trim().is_empty() || word.chars().any(char::is_control) => {
                    return self.problem("a value is empty or has control characters");
                }
                AxisValue::Word(_) | AxisValue::Number(_) => {}
            }
        }
        if values.iter().all(|value| matches!(value, AxisValue::Number(_))) {
            values.sort();
        }
        let count = values.len();
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return self.problem(format!("the value {} is given twice", twice.1));
        }
        match count {
            0 => self.problem("it has no values; give at least two"),
            1 => self.problem(format!("it has one value; give at least two, or {}", self.without_axis(key))),
            2..=MAX_VALUES => Ok(values),
            _ => self.problem(format!("{count} values are too many; give at most {MAX_VALUES}")),
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
    fn without_axis(&self, key: &Key) -> String {
        let value = self.asked.values.first().map(AxisValue::to_string).unwrap_or_default();
        match key {
            Key::Rows => format!("say --rows {value}"),
            Key::ValueLen => format!("write value_len_bytes = {value} in the study"),
            Key::Encoding => format!("write encoding = \"{value}\" in the study"),
            Key::Indexed => "write indexed = true in the [[field]], or leave it out".into(),
            Key::Phase(key) => format!("write {} = {value} in the phase", key.name),
            Key::Durability => format!("say --durability {value}"),
            Key::Profile => format!("say --profile {value}"),
            Key::Client => format!("name the stores with it, as in STORE+{value}"),
            Key::Setting(_) => "give it among the settings of a [[candidate]]".into(),
            Key::Own(_) => "write what it changes into the study itself".into(),
        }
    }

    /// Phases that read what one load has written can follow each other in one job; everything else starts anew.
    fn makes(&self, key: &Key) -> Result<Makes, StudyError> {
        let phase_key = match key {
            Key::Phase(key) => key,
            _ if !self.asked.phases.is_empty() => {
                return self
                    .problem(format!("it is no matter of a phase; leave '{}' out", self.asked.phases.join(", ")));
            }
            Key::Indexed if self.phases.iter().all(|phase| phase.search.is_none()) => {
                return self.problem("no phase searches, so no index could change anything; add a search");
            }
            Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding => return Ok(Makes::Configurations),
            Key::Durability | Key::Profile | Key::Client | Key::Setting(_) => return Ok(Makes::Candidates),
            Key::Own(variations) => {
                let changes = || variations.iter().flat_map(|one| &one.changes).map(|change| &change.value);
                return match (changes().any(Change::is_of_work), changes().any(Change::is_of_candidates)) {
                    (true, false) if changes().any(|change| change.stores.is_some()) => {
                        self.problem("all candidates do the same work; leave 'stores' out, or make it a [[pitfall]]")
                    }
                    (true, false) => Ok(Makes::Configurations),
                    (false, true) => Ok(Makes::Candidates),
                    (true, true) => self.problem(
                        "an axis changes either the work or candidates; make two of it, or a [[pitfall]] of each value",
                    ),
                    (false, false) => self.problem("none of its variations changes anything"),
                };
            }
        };
        let named: Vec<&WirePhase> = match self.asked.phases.as_slice() {
            [] => self.phases.iter().collect(),
            names => names.iter().map(|name| self.phase(name)).collect::<Result<_, _>>()?,
        };
        if !named.iter().any(|phase| (phase_key.concerns)(phase)) {
            let whose = if self.asked.phases.is_empty() { "no phase" } else { "none of these phases" };
            return self.problem(format!("{whose} does anything that '{}' could change", phase_key.name));
        }
        let reads_only = !self.asked.phases.is_empty() && named.iter().all(|phase| !phase.writes());
        Ok(if reads_only { Makes::Phases } else { Makes::Configurations })
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
