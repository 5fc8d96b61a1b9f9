//! Cells: a candidate in a phase of a configuration, which is identified by what it was made from and by its factors.

use kurabe_record::{
    AxisValue, CandidateRecord, Configuration, Factor, PITFALL, PhasePlan, RunRecord, StudyPlan, value_on, without,
};

use crate::rank::phase::{PhaseAnswer, PhaseRow};
use crate::result::configuration_result::ConfigurationResult;

/// One candidate in one phase of one configuration.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    /// Number of the configuration.
    pub(crate) at: usize,
    pub(crate) config: &'a Configuration,
    pub(crate) plan: &'a PhasePlan,
    pub(crate) phase: &'a PhaseAnswer,
    pub(crate) candidate: &'a CandidateRecord,
    pub(crate) row: &'a PhaseRow,
}

impl<'a> Cell<'a> {
    /// Its value of an axis.
    pub(crate) fn value(&self, axis: &str) -> Option<&'a AxisValue> {
        let all = [&self.config.factors, &self.plan.factors, &self.candidate.factors];
        all.into_iter().find_map(|factors| value_on(factors, axis))
    }

    /// What else makes the work what it is.
    pub(crate) fn other_factors(&self, axis: &str) -> Vec<Factor> {
        [without(&self.config.factors, axis), without(&self.plan.factors, axis)].concat()
    }

    /// The candidate, whatever its value of an axis is.
    pub(crate) fn family(&self, axis: &str) -> String {
        let one = self.candidate;
        match value_on(&one.factors, axis) {
            Some(_) => family(one.root(), &one.factors, axis),
            None => one.name.clone(),
        }
    }
}

/// What a run has of cells; `results` are those of all configurations in the order of the plan.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) run: &'a RunRecord,
    pub(crate) results: &'a [ConfigurationResult],
}

impl<'a> Cells<'a> {
    pub(crate) fn plan(&self) -> &'a StudyPlan {
        &self.run.plan
    }

    /// Those of one phase of a configuration, in the order in which it shows them.
    pub(crate) fn of_phase(&self, at: usize, plan: &'a PhasePlan) -> impl Iterator<Item = Cell<'a>> {
        let phase = self.results[at].phases.iter().find(|phase| phase.name == plan.phase.name);
        let (run, config) = (self.run, &self.run.plan.configurations[at]);
        phase.into_iter().flat_map(move |phase| {
            phase.rows.iter().filter_map(move |row| {
                let candidate = run.candidate(&row.candidate)?;
                Some(Cell { at, config, plan, phase, candidate, row })
            })
        })
    }

    /// The cell that differs from another in its value of one axis alone.
    pub(crate) fn sibling(&self, cell: &Cell<'a>, axis: &str, value: &AxisValue) -> Option<Cell<'a>> {
        let moved = |factors: &[Factor], joins: bool| -> Vec<Factor> {
            let on_axis = joins || value_on(factors, axis).is_some();
            without(factors, axis).into_iter().chain(on_axis.then(|| Factor::new(axis, value))).collect()
        };
        let joins = axis == PITFALL;
        let wanted = moved(&cell.candidate.factors, joins);
        let candidate =
            self.run.candidates.iter().find(|one| one.root() == cell.candidate.root() && one.factors == wanted)?;
        let wanted = moved(&cell.config.factors, joins);
        let configs = self.plan().configurations.iter().enumerate();
        let is_it =
            |(at, one): &(usize, &Configuration)| one.factors == wanted && self.plan().takes_part(*at, &candidate.name);
        let (at, config) = configs.into_iter().find(is_it)?;
        let wanted = moved(&cell.plan.factors, false);
        let is_it = |one: &&PhasePlan| one.study_name() == cell.plan.study_name() && one.factors == wanted;
        let plan = config.phases.iter().find(is_it)?;
        self.of_phase(at, plan).find(|one| one.candidate.name == candidate.name)
    }
}

/// What those have in common that an axis made of one candidate: its name, and its values of the other axes.
pub(crate) fn family(root: &str, factors: &[Factor], axis: &str) -> String {
    let others: Vec<String> = without(factors, axis).iter().map(|one| one.value.to_string()).collect();
    if others.is_empty() { root.to_string() } else { format!("{root} ({})", others.join(", ")) }
}
