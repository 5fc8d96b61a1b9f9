//! The derived values of a run: what `--json` prints and what tables and pages show.

use kurabe_messages::Message;
use kurabe_record::{PhasePlan, RunRecord, Source};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::figures::actions::ActionAnswer;
use crate::figures::candidate::{Absent, CandidateAnswer};
use crate::figures::caution::Caution;
use crate::figures::checking::Checking;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::disk_faults::DiskFaultAnswer;
use crate::figures::losses::LossAnswer;
use crate::figures::reason::NotCounted;
use crate::figures::rounds::Rounds;
use crate::figures::troubles::Outcome;
use crate::findings::axes::AxisAnswer;
use crate::findings::claims::ClaimsAnswer;
use crate::findings::clients::StoreClients;
use crate::findings::pitfalls::PitfallAnswer;
use crate::findings::published::OurTable;
use crate::findings::recommend::{Advice, Recommendation};
use crate::findings::replication::Replication;
use crate::findings::sentences::Sentence;
use crate::rank::leaders::Leaders;
use crate::rank::phase::PhaseAnswer;
use crate::result::configuration_result::ConfigurationResult;
use crate::result::notes::Note;
use crate::spoken::{Spoken, with_messages};

/// Version of the [`Answer`]'s format. It grows when a reader of the old version would misread the new one.
pub const ANSWER_FORMAT: u32 = 5;

/// Everything that a run shows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// Version of this format.
    pub format: u32,
    /// Identity of the run.
    pub run: String,
    /// Name of the study.
    pub study: String,
    /// What the study asks, in a sentence.
    pub title: String,
    /// The configuration that the answer is about: of several, the last at which two stores could be compared.
    pub at: ConfigurationRef,
    /// What the run came to, over all of its configurations.
    pub outcome: Outcome,
    /// Which store to take, why, and unless what.
    pub recommendation: Recommendation,
    /// The same as messages.
    pub advice: Advice,
    /// The answer in a few sentences.
    #[serde(serialize_with = "as_messages")]
    #[schemars(with = "Vec<Message>")]
    pub sentences: Vec<Sentence>,
    /// Who is first, for every ranking of the phases that decide (of all phases, where none does), in the order of the
    /// plan.
    pub leaders: Vec<Leaders>,
    /// What a reader must know beside the answer: rounds that are missing, failures that the study allows,
    /// stores that were left out.
    #[schemars(with = "Vec<Message>")]
    pub notes: Vec<Note>,
    /// What stands above the figures: candidates that differ in more than their names say.
    #[schemars(with = "Vec<Message>")]
    pub cautions: Vec<Caution>,
    /// Rounds planned and done.
    pub rounds: Rounds,
    /// How answers were checked, where there was nothing to compare in each.
    pub checking: Checking,
    /// The phases in the order of the plan.
    pub phases: Vec<PhaseAnswer>,
    /// The candidates in the order of the study.
    pub candidates: Vec<CandidateAnswer>,
    /// What did not count, and why.
    pub not_counted: Vec<NotCounted>,
    /// What was asked for and did not take part.
    pub absent: Vec<Absent>,
    /// What was done amid phases, with every candidate that came to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionAnswer>,
    /// What kills took of acknowledged writes, where a phase counts that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<LossAnswer>,
    /// What stores did when their disks failed, where that was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disk_faults: Vec<DiskFaultAnswer>,
    /// The other configurations of the run, in the order of the plan; none where it has one.
    pub other_configurations: Vec<ConfigurationAnswer>,
    /// The phases along every axis, in the order of the axes and of the plan; none where there is no axis.
    pub axes: Vec<AxisAnswer>,
    /// Every store that was measured through several clients on an axis over clients, with these judged among
    /// themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<StoreClients>,
    /// What became of the claims of the study; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<ClaimsAnswer>,
    /// The published tables of the study's source, with ours beside their figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<OurTable>,
    /// Whether the order of each published column came back by the source's method, and what turned it.
    pub replications: Vec<Replication>,
    /// What each pitfall did; none where none was measured.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "with_messages")]
    #[schemars(with = "Vec<Spoken<PitfallAnswer>>")]
    pub pitfalls: Vec<PitfallAnswer>,
}

impl Answer {
    /// Whether it compares stores; a run that ends them, or breaks their disks, tells what they kept.
    pub fn compares(&self) -> bool {
        self.losses.is_empty() && self.disk_faults.is_empty()
    }

    /// The published comparison that the run repeats.
    pub fn source(&self) -> Option<&Source> {
        self.claims.as_ref()?.source.as_ref()
    }
}

/// A sentence may be several messages.
fn as_messages<S: Serializer>(sentences: &[Sentence], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(sentences.iter().flat_map(Sentence::messages))
}

/// The phases as they were planned in the configuration that an answer is about.
pub fn plans<'a>(answer: &Answer, run: &'a RunRecord) -> &'a [PhasePlan] {
    answer.at.plans(run)
}

/// One configuration of a run beside the one that its answer is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConfigurationAnswer {
    /// Which one.
    pub at: ConfigurationRef,
    /// Rounds planned and done in this configuration.
    pub rounds: Rounds,
    /// The phases in the order of the plan.
    pub phases: Vec<PhaseAnswer>,
    /// The candidates in the order of the study, with their cost beside time in this configuration.
    pub candidates: Vec<CandidateAnswer>,
    /// What did not count in this configuration, and why.
    pub not_counted: Vec<NotCounted>,
}

impl ConfigurationAnswer {
    /// As it is shown.
    pub(crate) fn of(result: ConfigurationResult) -> ConfigurationAnswer {
        let ConfigurationResult { at, rounds, phases, candidates, not_counted, .. } = result;
        ConfigurationAnswer { at, rounds, phases, candidates, not_counted }
    }
}
