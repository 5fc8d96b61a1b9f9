//! Phases of whole programs: what each program does, and where they have their place.

use kurabe_protocol::{Connect, Distribution, End, Operation, Phase, ReadScope, Work};
use kurabe_record::{Metric, PhasePlan};

use super::{Checked, WirePhase};
use crate::error::StudyError;

/// Programs where a study does not say how many.
const PROGRAMS: u64 = 10;
/// Most programs of a phase.
const MAX_PROGRAMS: u64 = 10_000;
/// Where a phase of programs says what each does.
const PROGRAM_PLACE: &str = "'program' belongs to operation = \"program\", as in program = { operation = \"read\", distribution = \"one\", count = 100 }";

impl Checked<'_> {
    /// A phase of whole programs.
    pub(super) fn programs(&self, name: &str) -> Result<Phase, StudyError> {
        let wire = self.wire;
        let Some(program) = &wire.program else {
            return self.problem(PROGRAM_PLACE);
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
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            return self.problem(format!("'{key}' belongs to what each program does, or has no meaning for programs"));
        }
        self.check_places()?;
        let count = wire.count.unwrap_or(PROGRAMS);
        if count == 0 || count > MAX_PROGRAMS {
            return self.problem(format!("count must be from 1 to {MAX_PROGRAMS} programs, got {count}"));
        }
        let work = Work::Program(Box::new(self.program(name, program)?));
        Ok(Phase::new(name, work, End::Count(count)))
    }

    /// What each program does: a load, or reads by key, over one connection.
    fn program(&self, name: &str, program: &WirePhase) -> Result<Phase, StudyError> {
        if !matches!(program.operation, Operation::Load | Operation::Read | Operation::MultiRead) {
            return self.problem(format!("a program loads, reads or multi-reads, got '{}'", program.operation));
        }
        let named = program.name.is_some() || program.deciding || program.rank_by != Metric::default();
        if named || program.connections != 1 || !program.actions.is_empty() {
            return self
                .problem("a program has one connection and neither name, ranking nor actions: those are its phase's");
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
    let problem = |problem: &str| Err(StudyError::value(origin, problem));
    let programs = |plan: &PhasePlan| plan.phase.program().is_some();
    let writes = |plan: &PhasePlan| plan.phase.writes_rows() && !plan.phase.does(Operation::Load);
    match phase.program() {
        None if before.iter().any(programs) => {
            problem("it follows a phase of programs, for which the client of all other phases has ended; put it before")
        }
        Some(_) if before.iter().any(writes) => {
            problem("programs know the rows as they were loaded; take the phases out that insert, update or delete")
        }
        _ => Ok(()),
    }
}
