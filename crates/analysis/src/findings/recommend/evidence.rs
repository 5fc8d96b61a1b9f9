//! What a recommendation is made of, beside the record.

use crate::figures::candidate::{Absent, CandidateAnswer};
use crate::figures::caution::Caution;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::rounds::Rounds;
use crate::figures::troubles::Outcome;
use crate::findings::axes::AxisAnswer;
use crate::findings::clients::StoreClients;
use crate::rank::phase::PhaseAnswer;

/// The result of the configuration that the answer is about, with what was found over all of them.
pub(crate) struct Evidence<'a> {
    pub(crate) at: &'a ConfigurationRef,
    pub(crate) outcome: Outcome,
    pub(crate) rounds: Rounds,
    /// How long a round of the whole plan takes, in ns.
    pub(crate) round_ns: u64,
    pub(crate) phases: &'a [PhaseAnswer],
    pub(crate) candidates: &'a [CandidateAnswer],
    pub(crate) cautions: &'a [Caution],
    pub(crate) absent: &'a [Absent],
    pub(crate) axes: &'a [AxisAnswer],
    pub(crate) clients: &'a [StoreClients],
}
