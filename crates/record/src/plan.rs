//! What a study plans: one value that a study is parsed into, that the run record holds, and that jobs, analysis and
//! reports are keyed by.
//!
//! A **level** is one setting of the work: so many rows, so many connections… Every candidate does the same work at a
//! level, in jobs of its own that start with an empty store. An **axis** is what levels, phases of one job, or candidates
//! differ in; a study without axes has one level.

use kurabe_protocol::{Encoding, Operation, Phase, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::ActionPlan;
use crate::claims::Claims;
use crate::conditions::{Conditions, StoreProfile};
use crate::durability::MinimumDurability;
use crate::known::UsedBy;
use crate::metric::Metric;
use crate::slo::Slo;

/// Everything that a study settles before a run begins, but for who takes part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyPlan {
    /// Name of the study.
    pub study: String,
    /// What the study asks, in a sentence.
    pub title: String,
    /// Seed of order, streams and filler.
    pub seed: u64,
    /// Time budget in ns, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ns: Option<u64>,
    /// Longest wait for a quiet disk before a job, in ns.
    pub quiet_wait_ns: u64,
    /// Cache of every server, in MiB.
    pub cache_mb: u64,
    /// How servers that Kurabe starts are reached.
    pub transport: Transport,
    /// The least that every store keeps.
    pub durability: MinimumDurability,
    /// How every store is set, where no axis says.
    #[serde(default, skip_serializing_if = "StoreProfile::is_default")]
    pub profile: StoreProfile,
    /// Share of the filler that compresses away, 0 to 1.
    pub compressible: f64,
    /// Failed operations that a phase may have and still be ranked.
    pub allowed_errors: u64,
    /// How long operations of the phases that decide may take, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<Slo>,
    /// Share below which a difference does not matter: 0.1 for ±10 %; absent where nobody said another than that of the
    /// statistics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<f64>,
    /// What levels, phases or candidates differ in; none where there is one of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// The levels: rows ascend, and at the same rows the others follow in the order of their axes, then those that traps
    /// make. At least one, which no trap makes.
    pub levels: Vec<Level>,
    /// Who uses the store, where the study says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<UsedBy>,
    /// The store to take where nothing else decides, instead of those that descriptors name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_choice: Option<String>,
    /// The store, with its variant, that loads with `fetch` get their rows from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_from: Option<String>,
    /// What the study claims before it is run.
    #[serde(default, skip_serializing_if = "Claims::is_empty")]
    pub claims: Claims,
    /// The traps that are measured beside the mended work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<TrapPlan>,
}

/// A mistake of method that a study can make again, to see what it does to the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrapPlan {
    /// Its name.
    pub name: String,
    /// What went wrong, in a sentence.
    pub says: String,
    /// Set where it is a value of an axis that makes phases: then it is measured in every run that has the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<TrapAxis>,
}

/// A trap that is a value of an axis of the study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrapAxis {
    /// Name of the axis.
    pub axis: String,
    /// The value of the mended work.
    pub from: AxisValue,
    /// The value of the trap.
    pub to: AxisValue,
}

/// What a trap makes of a level: other work, other settings or other rows for some candidates, in the same rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trapped {
    /// Name of the trap.
    pub trap: String,
    /// Number of the level whose work it changes.
    pub base: u32,
    /// The candidates that do this work: those that the trap makes of others, and they alone.
    pub candidates: Vec<String>,
}

/// Most rounds of a level.
pub const MOST_ROUNDS: u32 = 1000;

/// What a study varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// A key of the study or of a phase (`rows`, `connections`…), `durability`, `client`, or `settings.KEY`.
    pub name: String,
    /// What the values make.
    pub makes: Makes,
    /// The phases that it changes, as the study names them; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
    /// The values, in the order of the study; numbers ascend. At least two.
    pub values: Vec<AxisValue>,
    /// Whether its values but the first are measured at the first values of all other axes of levels alone, rows aside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// What the values of an axis make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Makes {
    /// Levels: other work, ranked level by level.
    Levels,
    /// Phases of the same job, which read what one load has written; each is ranked by itself.
    Phases,
    /// Candidates, which are ranked against each other.
    Candidates,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AxisValue {
    /// A number: its axis is drawn as a line.
    Number(u64),
    /// A word: its axis is shown as groups.
    Word(String),
}

impl std::fmt::Display for AxisValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AxisValue::Number(number) => number.fmt(f),
            AxisValue::Word(word) => word.fmt(f),
        }
    }
}

/// Where on one axis something lies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Coordinate {
    /// Name of the axis.
    pub axis: String,
    /// Value on it.
    pub value: AxisValue,
}

/// One setting of the work, the same for all candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// Where it lies on the axes that make levels; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<Coordinate>,
    /// Rows that the load writes; a multiple of the connections of every phase.
    pub rows: u64,
    /// Most rounds.
    pub rounds: u32,
    /// Shape of a row.
    pub schema: Schema,
    /// How rows are encoded where a store keeps no columns.
    #[serde(default, skip_serializing_if = "Encoding::is_raw")]
    pub encoding: Encoding,
    /// The phases in order, the load first.
    pub phases: Vec<PhasePlan>,
    /// The trap that makes it; absent where the work is as it should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trapped: Option<Trapped>,
}

/// A phase as it was planned, without paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhasePlan {
    /// The phase; its name is unique within the level.
    pub phase: Phase,
    /// Whether it decides: its ranking is part of the answer.
    pub deciding: bool,
    /// What its candidates are ranked by.
    #[serde(default, skip_serializing_if = "Metric::is_rate")]
    pub rank_by: Metric,
    /// Operations a second that are needed of it; absent where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need_per_s: Option<f64>,
    /// Name of the phase in the study, where an axis made several of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Where it lies on the axes that make phases; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<Coordinate>,
    /// What the harness does while it runs, in the order of time; empty where it only waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionPlan>,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP over the loopback interface.
    #[default]
    Tcp,
    /// A unix socket.
    Unix,
}

impl std::fmt::Display for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl StudyPlan {
    /// The conditions where no axis and no candidate says.
    pub fn usual_conditions(&self) -> Conditions {
        Conditions { durability: self.durability, profile: self.profile }
    }

    /// The conditions under which candidates are compared: those of the axes over durability and over the profile, else
    /// those of the plan.
    pub fn conditions(&self) -> Vec<Conditions> {
        let words = |axis: &str| self.axis(axis).into_iter().flat_map(|axis| &axis.values).map(AxisValue::to_string);
        let minima: Vec<MinimumDurability> = words("durability").filter_map(|word| word.parse().ok()).collect();
        let minima = if minima.is_empty() { vec![self.durability] } else { minima };
        let profiles: Vec<StoreProfile> = words("profile").filter_map(|word| StoreProfile::of(&word)).collect();
        let profiles = if profiles.is_empty() { vec![self.profile] } else { profiles };
        let at = |durability: MinimumDurability| {
            profiles.iter().map(move |profile| Conditions { durability, profile: *profile }).collect::<Vec<_>>()
        };
        minima.into_iter().flat_map(at).collect()
    }

    /// Whether any load fetches its rows from another store.
    pub fn fetches(&self) -> bool {
        self.levels.iter().any(Level::fetches)
    }

    /// Whether who could not go on at level `at` is not tried at level `other`: the same one, or one with more rows.
    pub fn ends_with(&self, at: usize, other: usize) -> bool {
        let rows = |level: usize| self.levels.get(level).map_or(0, |level| level.rows);
        at == other || rows(other) > rows(at)
    }

    /// Whether a candidate is measured at a level. One that a trap made has levels of its own, and no other.
    pub fn takes_part(&self, level: usize, candidate: &str, trap: Option<&str>) -> bool {
        match self.levels.get(level).and_then(|level| level.trapped.as_ref()) {
            None => trap.is_none(),
            Some(trapped) => trapped.candidates.iter().any(|name| name == candidate),
        }
    }

    /// Whether a level lies at the first value of every axis of levels, rows aside: what the others are varied from.
    pub fn is_usual(&self, level: usize) -> bool {
        self.levels.get(level).is_some_and(|level| level.is_usual(&self.axes))
    }

    /// The levels that no trap makes, by number.
    pub fn mended(&self) -> impl Iterator<Item = usize> {
        (0..self.levels.len()).filter(|level| self.levels[*level].trapped.is_none())
    }

    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }

    /// Most rounds of any level.
    pub fn most_rounds(&self) -> u32 {
        self.levels.iter().map(|level| level.rounds).max().unwrap_or(0)
    }

    /// Most connections of any phase.
    pub fn max_connections(&self) -> u32 {
        self.levels.iter().map(Level::max_connections).max().unwrap_or(1)
    }
}

impl Level {
    /// The most connections of any of its phases.
    pub fn max_connections(&self) -> u32 {
        self.phases.iter().map(|plan| plan.phase.connections).max().unwrap_or(1)
    }

    /// Whether its load fetches the rows from another store.
    pub fn fetches(&self) -> bool {
        self.phases.iter().any(|plan| plan.phase.fetches())
    }

    /// Whether it lies at the first value of each of these axes that makes levels, rows aside.
    pub fn is_usual<'a>(&self, axes: impl IntoIterator<Item = &'a Axis>) -> bool {
        let varied = axes.into_iter().filter(|axis| axis.makes == Makes::Levels && axis.name != "rows");
        varied.into_iter().all(|axis| self.at(&axis.name) == axis.values.first())
    }

    /// Where it lies on an axis.
    pub fn at(&self, axis: &str) -> Option<&AxisValue> {
        value_on(&self.coordinates, axis)
    }

    /// The phases that decide; all that can be ranked, where none does.
    pub fn deciding(&self) -> impl Iterator<Item = &PhasePlan> {
        let any_decides = self.phases.iter().any(|plan| plan.deciding);
        self.phases.iter().filter(move |plan| plan.deciding || (!any_decides && !plan.ends_a_service()))
    }

    /// The phase of that name.
    pub fn phase(&self, name: &str) -> Option<&PhasePlan> {
        self.phases.iter().find(|plan| plan.phase.name == name)
    }

    /// Everything that is done amid its phases.
    pub fn actions(&self) -> impl Iterator<Item = &ActionPlan> {
        self.phases.iter().flat_map(|plan| &plan.actions)
    }

    /// Whether any phase does `operation`.
    pub fn does(&self, operation: Operation) -> bool {
        self.phases.iter().any(|plan| plan.phase.does(operation))
    }
}

impl PhasePlan {
    /// A phase that no axis made.
    pub fn new(phase: Phase, deciding: bool) -> PhasePlan {
        PhasePlan {
            phase,
            deciding,
            rank_by: Metric::Rate,
            need_per_s: None,
            of: None,
            coordinates: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// Whether a service that clients work with ends amid it, as was planned: then operations fail, and nothing is ranked.
    pub fn ends_a_service(&self) -> bool {
        self.actions.iter().any(|action| action.act.ends().is_some())
    }

    /// Name of the phase in the study.
    pub fn study_name(&self) -> &str {
        self.of.as_deref().unwrap_or(&self.phase.name)
    }
}

/// The value that some coordinates have on an axis.
pub fn value_on<'a>(coordinates: &'a [Coordinate], axis: &str) -> Option<&'a AxisValue> {
    coordinates.iter().find(|one| one.axis == axis).map(|one| &one.value)
}
