//! What a run set out to do, on which machine: `run.json`, written before anything is measured.

use std::collections::BTreeMap;

use kurabe_machine::{DeviceProbe, Machine};
use kurabe_messages::RecordedText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::{Conditions, StoreProfile};
use crate::data::DataRecord;
use crate::durability::{Guarantee, MinimumDurability, Proof};
use crate::known::KnownStore;
use crate::plan::{AxisValue, Factor, PITFALL, StudyPlan, Transport, pitfall_of, without};

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Version of the format.
    pub format: u32,
    /// Version of Kurabe.
    pub kurabe: String,
    /// Identity of the run.
    pub id: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// The command that repeats the run; passwords are left out.
    pub command: String,
    /// What the study plans: its configurations, and on each the phases.
    pub plan: StudyPlan,
    /// The data file that the rows come from; absent for generated rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataRecord>,
    /// The candidates, in the order of the study.
    pub candidates: Vec<CandidateRecord>,
    /// Every store that was known, whether or not it took part; none in runs before there was a recommendation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<KnownStore>,
    /// What was asked for but is not here, or cannot take part.
    pub left_out: Vec<LeftOut>,
    /// SHA-256 over the stores, clients and apps that a folder of definitions brought; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definitions: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// The device under the data folders.
    pub device: DeviceProbe,
}

/// How a client reaches its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StoreAccess {
    /// It lives in the client's own process.
    #[serde(rename = "in process")]
    InProcess,
    /// TCP.
    #[serde(rename = "tcp")]
    Tcp,
    /// A unix socket.
    #[serde(rename = "unix")]
    Unix,
}

impl std::fmt::Display for StoreAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StoreAccess::InProcess => "in process",
            StoreAccess::Tcp => "tcp",
            StoreAccess::Unix => "unix",
        })
    }
}

impl From<Transport> for StoreAccess {
    fn from(transport: Transport) -> StoreAccess {
        match transport {
            Transport::Tcp => StoreAccess::Tcp,
            Transport::Unix => StoreAccess::Unix,
        }
    }
}

/// A candidate as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateRecord {
    /// Name in tables, unique in the run.
    pub name: String,
    /// Store.
    pub store: String,
    /// Title of the store for people.
    pub title: String,
    /// Variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Client.
    pub client: String,
    /// A store, or a baseline to compare with.
    pub kind: StoreKind,
    /// What a baseline is the baseline of; absent for stores, and where rates are not compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineKind>,
    /// Version of the service's binary as it tells itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_version: Option<String>,
    /// Set where the store was found at an address instead of being started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_url: Option<AtUrl>,
    /// The durability setting that was chosen; absent where it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<DurabilityRecord>,
    /// Every other setting, with its reason.
    pub settings: Vec<KeptSetting>,
    /// What a table or an axis of the study asked for beyond store, variant and client; absent for the short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<CandidateRequest>,
    /// Name of the candidate that it was made from, where an axis or a pitfall made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Its values of the axes that make candidates, and of [`PITFALL`](crate::PITFALL); empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
    /// Client processes of a job, if its phases have as many connections; with fewer, as many as those.
    pub processes: u32,
    /// How its client reaches it.
    pub transport: StoreAccess,
    /// Services that stand before the store, from it outwards; empty where it is asked directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app: Vec<AppRecord>,
    /// The load tool that asks the last of these; absent where Kurabe's own client does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// Whether a load tool drives it, or asks its services: then its answers are not checked, and it is never ranked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_load_tool: bool,
}

/// A service that stands before a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRecord {
    /// Name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// How many processors its program can use at most, where that is fewer than all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Whether it is a link, which only lets so much through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bandwidth_limit: bool,
    /// Version as it tells itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What a `[[candidate]]` or an axis of a study asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateRequest {
    /// Name of the durability setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<String>,
    /// A minimum durability of its own, instead of the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<MinimumDurability>,
    /// A profile of its own, instead of the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<StoreProfile>,
    /// Settings for the adapter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Arguments for the service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The service's main program, or the store's library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// Where its service writes what it says.
    #[serde(default, skip_serializing_if = "ServiceOutput::is_log")]
    pub output: ServiceOutput,
}

/// Where a service writes what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceOutput {
    /// To a file.
    #[default]
    Log,
    /// To a terminal, as of somebody who started it by hand.
    Terminal,
}

impl std::fmt::Display for ServiceOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl ServiceOutput {
    fn is_log(&self) -> bool {
        *self == ServiceOutput::Log
    }
}

/// A store that was found at an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtUrl {
    /// The address without user and password.
    pub url: String,
}

/// Whether a candidate is a store at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoreKind {
    /// It keeps data.
    Store,
    /// It does not; it shows what the harness costs or what could be reached. Never ranked.
    Baseline,
}

/// What a baseline is the baseline of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineKind {
    /// Of Kurabe's own loop, with its values and checks: it answers without doing anything.
    Loop,
    /// Of what stands between a client and a store: it keeps rows in memory, and does nothing beside that.
    Memory,
}

/// A durability setting and what it keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DurabilityRecord {
    /// Name of the setting in the store's descriptor.
    pub name: String,
    /// What it keeps.
    pub guarantee: Guarantee,
    /// What can be lost, in words.
    pub window: String,
    /// What shows that.
    pub proof: Vec<Proof>,
    /// Where that is documented.
    pub source: String,
}

/// A setting with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptSetting {
    /// Name.
    pub name: String,
    /// Value as given to the store.
    pub value: String,
    /// Why.
    pub reason: RecordedText,
}

/// A candidate that did not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Candidate as it was named.
    pub name: String,
    /// Name of the candidate that it was made from, where an axis or a pitfall made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Its values of the axes that make candidates, and of [`PITFALL`](crate::PITFALL); empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
    /// Why.
    pub reason: RecordedText,
    /// What would help, usually the command that installs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl LeftOut {
    /// The candidate from which a pitfall would have made it, if it was a pitfall.
    pub fn of_pitfall(&self) -> Option<&str> {
        pitfall_of(&self.factors).and(self.base.as_deref())
    }
}

/// The last line of a run, or of one sitting of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndRecord {
    /// How it ended.
    pub status: EndStatus,
    /// When, UTC, RFC 3339.
    pub ended_at: String,
    /// More in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<RecordedText>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndStatus {
    /// All rounds that were planned or fit the budget were done, and no job failed.
    Complete,
    /// Interrupted by the user; what was measured is kept.
    Interrupted,
    /// A job failed, in whichever round, or the run could not go on.
    Failed,
}

impl RunRecord {
    /// The candidate of a name.
    pub fn candidate(&self, name: &str) -> Option<&CandidateRecord> {
        self.candidates.iter().find(|one| one.name == name)
    }

    /// What was left out under a name, or of the candidate of that name.
    pub fn left_out_as(&self, name: &str) -> Option<&LeftOut> {
        self.left_out.iter().find(|one| one.name == name || one.base.as_deref() == Some(name))
    }

    /// The candidate that a pitfall made of another one; `None` where it does not concern that one.
    pub fn with_pitfall(&self, candidate: &CandidateRecord, pitfall: &str) -> Option<&CandidateRecord> {
        let is_it = |one: &&CandidateRecord| {
            one.pitfall() == Some(pitfall)
                && (one.root(), without(&one.factors, PITFALL)) == (candidate.root(), candidate.factors.clone())
        };
        self.candidates.iter().find(is_it)
    }

    /// What a pitfall would have made of a candidate, had that not been left out.
    pub fn left_out_with_pitfall(&self, candidate: &CandidateRecord, pitfall: &str) -> Option<&LeftOut> {
        let is_it = |one: &&LeftOut| {
            one.base.as_deref() == Some(candidate.root())
                && one.factors.contains(&Factor::new(PITFALL, &AxisValue::Word(pitfall.to_string())))
                && without(&one.factors, PITFALL) == candidate.factors
        };
        self.left_out.iter().find(is_it)
    }
}

impl CandidateRecord {
    /// Name of what it was made from; its own where neither an axis nor a pitfall made it.
    pub fn root(&self) -> &str {
        self.base.as_deref().unwrap_or(&self.name)
    }

    /// The pitfall that made it; `None` where it is measured as it should be.
    pub fn pitfall(&self) -> Option<&str> {
        pitfall_of(&self.factors)
    }

    /// Its store with its variant, as they are typed; absent where it has no variant.
    pub fn with_variant(&self) -> Option<String> {
        self.variant.as_ref().map(|variant| format!("{}:{variant}", self.store))
    }

    /// The language of its client, whatever library drives the store.
    pub fn language(&self) -> &str {
        self.client.split(':').next().unwrap_or_default()
    }

    /// The minimum durability that holds for it: its own, or that of the plan.
    pub fn minimum_durability(&self, plan: &StudyPlan) -> MinimumDurability {
        self.conditions(plan).durability
    }

    /// The conditions that hold for it: its own, or those of the plan.
    pub fn conditions(&self, plan: &StudyPlan) -> Conditions {
        let (own, usual) = (self.asked.as_ref(), plan.usual_conditions());
        Conditions {
            durability: own.and_then(|asked| asked.minimum).unwrap_or(usual.durability),
            profile: own.and_then(|asked| asked.profile).unwrap_or(usual.profile),
        }
    }
}
