//! What a study plans: one value that a study is parsed into, that the run record holds, and that jobs, analysis and
//! reports are keyed by.
//!
//! A **configuration** is one setting of the work: so many rows, so many connections… Every candidate does the same
//! work at one, in jobs of its own that start with an empty store. An **axis** is what configurations, phases of one
//! job or candidates differ in; each of these is identified by its **factors**, one value of each axis. A study without
//! axes has one configuration.

use kurabe_protocol::{Encoding, Operation, Phase, RowsFrom, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::{Act, ActionPlan};
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
    /// What configurations, phases or candidates differ in; none where there is one of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// The configurations: rows ascend, and at the same rows the others follow in the order of their axes, then those
    /// of pitfalls. At least one, which is none of a pitfall.
    pub configurations: Vec<Configuration>,
    /// Who uses the store, where the study says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<UsedBy>,
    /// The store to take where nothing else decides, instead of those that descriptors name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_choice: Option<String>,
    /// What the study claims before it is run.
    #[serde(default, skip_serializing_if = "Claims::is_empty")]
    pub claims: Claims,
    /// The pitfalls that are measured beside the correct work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pitfalls: Vec<Pitfall>,
}

/// A known mistake of a published method, which a study makes again beside the correct work, to see what it does to the
/// answer: a value of an axis beside the value that is its control.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pitfall {
    /// Its name.
    pub name: String,
    /// What went wrong, in a sentence.
    pub says: String,
    /// An axis of the study that makes phases; [`PITFALL`] where the pitfall has configurations of its own.
    pub axis: String,
    /// The value of the correct work.
    pub from: AxisValue,
    /// The value of the pitfall.
    pub to: AxisValue,
    /// The pitfalls that are measured together as this one, in the order in which steps to the correct work remove
    /// them; empty where it is one alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<String>,
}

/// All pitfalls together, as the source of a study had them.
pub const AS_PUBLISHED: &str = "as-published";

/// The axis of pitfalls that have configurations and candidates of their own, beside those that they were made from.
pub const PITFALL: &str = "pitfall";
/// The value on it of everything else.
pub const NO_PITFALL: &str = "none";

impl Pitfall {
    /// One that has configurations of its own.
    pub fn separate(name: &str, says: &str) -> Pitfall {
        let word = |word: &str| AxisValue::Word(word.to_string());
        Pitfall {
            name: name.into(),
            says: says.into(),
            axis: PITFALL.into(),
            from: word(NO_PITFALL),
            to: word(name),
            together: Vec::new(),
        }
    }

    /// Whether it is a step from the published method to the correct work.
    pub fn is_step(&self) -> bool {
        !self.together.is_empty() && self.name != AS_PUBLISHED
    }

    /// Whether it has configurations of its own.
    pub fn is_separate(&self) -> bool {
        self.axis == PITFALL
    }
}

/// Most rounds of a configuration.
pub const MOST_ROUNDS: u32 = 1000;

/// What a study varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// A key of the study or of a phase (`rows`, `connections`…), `durability`, `client`, or `settings.KEY`.
    pub name: String,
    /// What the values make.
    pub makes: AxisEffect,
    /// The phases that it changes, as the study names them; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
    /// The values, in the order of the study; numbers ascend. At least two.
    pub values: Vec<AxisValue>,
    /// How it is combined with the other axes of configurations.
    #[serde(default, skip_serializing_if = "Design::is_full")]
    pub design: Design,
}

/// How the values of an axis are combined with those of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Each with each: a full factorial design.
    #[default]
    Full,
    /// Each but the first only beside the first values of all other axes, rows aside: one factor at a time beside a
    /// control.
    OneAtATime,
}

impl Design {
    /// Whether each value meets each.
    pub fn is_full(&self) -> bool {
        *self == Design::Full
    }
}

/// What the values of an axis make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AxisEffect {
    /// Configurations: other work, ranked configuration by configuration.
    Configurations,
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

/// One value of one axis: what a configuration, a phase or a candidate has in place of what it was made from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Factor {
    /// Name of the axis.
    pub axis: String,
    /// Value on it.
    pub value: AxisValue,
}

impl Factor {
    /// A value of an axis.
    pub fn new(axis: &str, value: &AxisValue) -> Factor {
        Factor { axis: axis.to_string(), value: value.clone() }
    }
}

/// One setting of the work, the same for all candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// Its values of the axes that make configurations, and of [`PITFALL`]; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
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
    /// The candidates that do this work, and no other: those that a pitfall made. All others where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// A phase as it was planned, without paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhasePlan {
    /// The phase; its name is unique within the configuration.
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
    pub base: Option<String>,
    /// Its values of the axes that make phases; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
    /// What the harness does while it runs, in the order of time; empty where it only waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionPlan>,
    /// Where it is done at several rates: what the highest of them is to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_search: Option<RateSearch>,
}

/// A search for the highest rate that keeps a promise. Its phase has a rate, that of the first step, and a time, that of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateSearch {
    /// What response times are to keep.
    pub slo: Slo,
    /// The phase of the same job whose rate, in a closed loop, tells where to begin; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_at: Option<String>,
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
        let profiles: Vec<StoreProfile> = self.words("profile").filter_map(|word| StoreProfile::of(&word)).collect();
        let profiles = if profiles.is_empty() { vec![self.profile] } else { profiles };
        let at = |durability: MinimumDurability| {
            profiles.iter().map(move |profile| Conditions { durability, profile: *profile }).collect::<Vec<_>>()
        };
        self.minima().into_iter().flat_map(at).collect()
    }

    /// The minimum durabilities, the first that of the study: one, or those of the axis over them.
    pub fn minima(&self) -> Vec<MinimumDurability> {
        let of_axis: Vec<MinimumDurability> = self.words("durability").filter_map(|word| word.parse().ok()).collect();
        if of_axis.is_empty() { vec![self.durability] } else { of_axis }
    }

    /// The values on an axis as they are typed; none where the run has no such axis.
    fn words(&self, axis: &str) -> impl Iterator<Item = String> {
        self.axis(axis).into_iter().flat_map(|axis| &axis.values).map(AxisValue::to_string)
    }

    /// Whether who could not go on at configuration `at` is not tried at `other`: the same one, or one with more rows.
    pub fn ends_with(&self, at: usize, other: usize) -> bool {
        let rows = |config: usize| self.configurations.get(config).map_or(0, |config| config.rows);
        at == other || rows(other) > rows(at)
    }

    /// Whether a candidate is measured at a configuration. One that a pitfall made has configurations of its own, and
    /// no other.
    pub fn takes_part(&self, config: usize, candidate: &str) -> bool {
        let names = |config: &Configuration| config.only.iter().any(|name| name == candidate);
        match self.configurations.get(config) {
            Some(config) if !config.only.is_empty() => names(config),
            _ => !self.configurations.iter().any(names),
        }
    }

    /// Whether a configuration has the first value of every axis, rows aside: what the others are varied from.
    pub fn is_usual(&self, config: usize) -> bool {
        self.configurations.get(config).is_some_and(|config| config.is_usual(&self.axes))
    }

    /// The configurations that are none of a pitfall, by number.
    pub fn corrected(&self) -> impl Iterator<Item = usize> {
        (0..self.configurations.len()).filter(|config| self.configurations[*config].pitfall().is_none())
    }

    /// The configuration beside which that of a pitfall is measured; itself, where it is none of a pitfall.
    pub fn control(&self, config: usize) -> usize {
        let Some(other) = self.configurations.get(config).filter(|it| it.pitfall().is_some()) else { return config };
        let is_it = |at: &usize| self.configurations[*at].factors == without(&other.factors, PITFALL);
        self.corrected().find(is_it).unwrap_or(config)
    }

    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }

    /// Most rounds of any configuration.
    pub fn most_rounds(&self) -> u32 {
        self.configurations.iter().map(|config| config.rounds).max().unwrap_or(0)
    }

    /// Most connections of any phase.
    pub fn max_connections(&self) -> u32 {
        self.configurations.iter().map(Configuration::max_connections).max().unwrap_or(1)
    }
}

impl Configuration {
    /// The pitfall that it is of.
    pub fn pitfall(&self) -> Option<&str> {
        pitfall_of(&self.factors)
    }

    /// The most connections of any of its phases.
    pub fn max_connections(&self) -> u32 {
        self.phases.iter().map(|plan| plan.phase.connections).max().unwrap_or(1)
    }

    /// The other stores, with their variants, that its loads fetch rows from.
    pub fn rows_from(&self) -> impl Iterator<Item = &str> {
        self.phases.iter().filter_map(|plan| match plan.phase.rows_from() {
            RowsFrom::Store(store) => Some(store.as_str()),
            RowsFrom::Memory | RowsFrom::Lines => None,
        })
    }

    /// Whether it lies at the first value of each of these axes that makes configurations, rows aside.
    pub fn is_usual<'a>(&self, axes: impl IntoIterator<Item = &'a Axis>) -> bool {
        let varied = axes.into_iter().filter(|axis| axis.makes == AxisEffect::Configurations && axis.name != "rows");
        varied.into_iter().all(|axis| self.value_of(&axis.name) == axis.values.first())
    }

    /// Its value of an axis.
    pub fn value_of(&self, axis: &str) -> Option<&AxisValue> {
        value_on(&self.factors, axis)
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

    /// Whether it tells what a kill took, and not how fast a store is.
    pub fn counts_losses(&self) -> bool {
        self.phases.iter().any(|plan| plan.phase.counts_losses)
    }

    /// Whether the power of a disk is cut in it.
    pub fn cuts_power(&self) -> bool {
        self.actions().any(|action| matches!(action.act, Act::Cut(_)))
    }

    /// Whether a disk fails in it.
    pub fn breaks_disk(&self) -> bool {
        self.phases.iter().any(PhasePlan::breaks_disk)
    }

    /// Whether its stores lie on a disk that Kurabe mounts.
    pub fn has_own_disk(&self) -> bool {
        self.cuts_power() || self.breaks_disk()
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
            base: None,
            factors: Vec::new(),
            actions: Vec::new(),
            rate_search: None,
        }
    }

    /// Whether its clients are users who find their store again: one that is restarted, or whose disk fails.
    pub fn reconnects(&self) -> bool {
        self.breaks_disk() || self.actions.iter().any(|action| matches!(action.act, Act::Restart(_)))
    }

    /// Whether the disk under the store fails during it.
    pub fn breaks_disk(&self) -> bool {
        self.actions.iter().any(|action| matches!(action.act, Act::Disk { .. }))
    }

    /// Whether a service that clients work with ends amid it, as was planned: then operations fail, and nothing is ranked.
    pub fn ends_a_service(&self) -> bool {
        self.actions.iter().any(|action| action.act.ended_service().is_some())
    }

    /// The search, and the name of the phase whose work it does; `None` where there is none.
    pub fn searched(&self) -> Option<(&RateSearch, &str)> {
        let search = self.rate_search.as_ref()?;
        Some((search, search.begins_at.as_deref().unwrap_or(&self.phase.name)))
    }

    /// Name of the phase in the study.
    pub fn study_name(&self) -> &str {
        self.base.as_deref().unwrap_or(&self.phase.name)
    }
}

/// The value that some factors have on an axis.
pub fn value_on<'a>(factors: &'a [Factor], axis: &str) -> Option<&'a AxisValue> {
    factors.iter().find(|one| one.axis == axis).map(|one| &one.value)
}

/// The factors but that of an axis.
pub fn without(factors: &[Factor], axis: &str) -> Vec<Factor> {
    factors.iter().filter(|one| one.axis != axis).cloned().collect()
}

/// The pitfall among some factors.
pub(crate) fn pitfall_of(factors: &[Factor]) -> Option<&str> {
    match value_on(factors, PITFALL)? {
        AxisValue::Word(name) => Some(name),
        AxisValue::Number(_) => None,
    }
}
