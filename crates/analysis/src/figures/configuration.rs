//! Which configuration something is about: by its number in the plan and by what it is called.

use kurabe_record::{Factor, PhasePlan, RunRecord, StudyPlan};
use schemars::JsonSchema;
use serde::Serialize;

/// The axis over clients.
pub(crate) const CLIENT: &str = "client";
/// The axis over what may be lost.
pub(crate) const DURABILITY: &str = "durability";

/// A configuration of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfigurationRef {
    /// Its number, from 0.
    pub configuration: u32,
    /// Rows that the load writes.
    pub rows: u64,
    /// Its values of the axes that make configurations, and its pitfall; empty where there is none.
    pub factors: Vec<Factor>,
}

impl ConfigurationRef {
    /// The one of that number; one that the plan does not have has no rows.
    pub fn of(plan: &StudyPlan, at: usize) -> ConfigurationRef {
        let known = plan.configurations.get(at);
        ConfigurationRef {
            configuration: at as u32,
            rows: known.map_or(0, |one| one.rows),
            factors: known.map(|one| one.factors.clone()).unwrap_or_default(),
        }
    }

    /// Its phases as they were planned; none where the run has no such one.
    pub(crate) fn plans<'a>(&self, run: &'a RunRecord) -> &'a [PhasePlan] {
        run.plan.configurations.get(self.configuration as usize).map(|one| one.phases.as_slice()).unwrap_or_default()
    }
}
