//! Which configuration something is about: a level of the plan, by its number and by what it is called.

use kurabe_record::{Coordinate, PhasePlan, RunRecord, StudyPlan};
use schemars::JsonSchema;
use serde::Serialize;

/// The axis over clients.
pub(crate) const CLIENT: &str = "client";
/// The axis over what may be lost.
pub(crate) const DURABILITY: &str = "durability";

/// A level of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct At {
    /// Its number, from 0.
    pub level: u32,
    /// Rows that the load writes.
    pub rows: u64,
    /// Where it lies on the axes that make levels; empty where there is none.
    pub coordinates: Vec<Coordinate>,
    /// The trap that makes it; absent where the work is as it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap: Option<String>,
}

impl At {
    /// The level of that number; one that the plan does not have has no rows.
    pub fn of(plan: &StudyPlan, level: usize) -> At {
        let known = plan.levels.get(level);
        At {
            level: level as u32,
            rows: known.map_or(0, |level| level.rows),
            coordinates: known.map(|level| level.coordinates.clone()).unwrap_or_default(),
            trap: known.and_then(|level| level.trapped.as_ref()).map(|trapped| trapped.trap.clone()),
        }
    }

    /// Its phases as they were planned; none where the run has no such level.
    pub(crate) fn plans<'a>(&self, run: &'a RunRecord) -> &'a [PhasePlan] {
        run.plan.levels.get(self.level as usize).map(|level| level.phases.as_slice()).unwrap_or_default()
    }
}
