//! Phases of whole programs: what each program does, and where they have their place.

use kurabe_messages::{Message, message};
use kurabe_protocol::{Connect, Distribution, End, Operation, Phase, ReadScope, Work};
use kurabe_record::PhasePlan;

use super::{Checked, WirePhase};
use crate::error::{StudyError, range};

/// Programs where a study does not say how many.
const PROGRAMS: u64 = 10;
/// Most programs of a phase.
const MAX_PROGRAMS: u64 = 10_000;

impl Checked<'_> {
    /// A phase of whole programs.
    pub(super) fn programs(&self, name: &str) -> Result<Phase, StudyError> {
        let wire = self.wire;
        let Some(program) = &wire.program else {
            let example = "program = { operation = \"read\", distribution = \"one\", count = 100 }";
            let place = "operation = \"program\"";
            return self.problem(message!(study_belongs_as, key = "program", place, example));
        };
        let keys = [
            ("duration", wire.duration.is_some()),
            ("count_at_most", wire.count_at_most.is_some()),
            ("warmup", wire.warmup.is_some() || wire.warmup_count.is_some()),
            ("connections", wire.connections != 1),
            ("depth", wire.depth != 1),
            ("batch", wire.batch != 1),
            ("distribution", wire.distribution != Distribution::default()),
            ("commit_every", wire.commit_every != 1),
            ("read_scope", wire.read_scope != ReadScope::default()),
            ("connect", wire.connect != Connect::default()),
            ("rate_to", wire.rate_to.is_some()),
            ("think", wire.think.is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            return self.problem(message!(study_phase_program_key, key = *key));
        }
        self.check_places()?;
        let count = wire.count.unwrap_or(PROGRAMS);
        if count == 0 || count > MAX_PROGRAMS {
            return self.problem(range("count", 1, MAX_PROGRAMS, count));
        }
        let work = Work::Program(Box::new(self.program(name, program)?));
        Ok(Phase::new(name, work, End::Count(count)))
    }

    /// What each program does: a load, or reads by key, over one connection.
    fn program(&self, name: &str, program: &WirePhase) -> Result<Phase, StudyError> {
        if !matches!(program.operation, Operation::Load | Operation::Read | Operation::MultiRead) {
            return self.problem(message!(study_phase_program_operation, operation = program.operation));
        }
        let named = program.name.is_some() || program.deciding || program.rank_by.is_some();
        let waits = program.rate.is_some() || program.think.is_some();
        if named || waits || program.connections != 1 || !program.actions.is_empty() {
            return self.problem(message!(study_phase_program_own));
        }
        let mut wire = program.clone();
        if wire.operation == Operation::Read && wire.count.is_none() && wire.duration.is_none() {
            wire.count = wire.count_at_most.take().map_or(Some(self.rows), |most| Some(most.min(self.rows)));
        }
        Checked { wire: &wire, ..*self }.phase(name)
    }
}

/// Programs come last, and nothing but loads writes rows before them: a program knows the rows as they are loaded.
pub(super) fn check_order(origin: &str, before: &[PhasePlan], phase: &Phase) -> Result<(), StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    let programs = |plan: &PhasePlan| plan.phase.program().is_some();
    let writes = |plan: &PhasePlan| plan.phase.writes_rows() && !plan.phase.does(Operation::Load);
    match phase.program() {
        None if before.iter().any(programs) => problem(message!(study_phase_after_program)),
        Some(_) if before.iter().any(writes) => problem(message!(study_phase_program_rows)),
        _ => Ok(()),
    }
}
