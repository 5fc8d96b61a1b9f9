//! The configurations of a study: its work with one value of each axis laid over it.

use kurabe_data::Ingested;
use kurabe_messages::{Message, message};
use kurabe_protocol::stream;
use kurabe_record::{Axis, AxisEffect, AxisValue, Configuration, Design, Factor};

use crate::axes::CheckedAxis;
use crate::axis_keys::{Key, check_meaning};
use crate::error::{StudyError, range};
use crate::phase::{DraftPhase, check_phases, shared_by};
use crate::sizes::MAX_ROWS;
use crate::variation::{ClaimedKey, VariationPart};
use crate::work::Work;

/// What configurations are made of.
pub(crate) struct Base<'a> {
    /// The work where no variation says.
    pub(crate) work: Work<'a>,
    pub(crate) rounds: u32,
    /// Rows of a data file.
    pub(crate) data: Option<&'a Ingested>,
    pub(crate) axes: &'a [CheckedAxis],
}

impl Base<'_> {
    /// The configurations with these changes: rows ascend, at the same rows the others follow in the order of their
    /// axes.
    pub(crate) fn configurations(&self, changes: &[VariationPart<'_>]) -> Result<Vec<Configuration>, StudyError> {
        let mut start = self.work.clone();
        changes.iter().try_for_each(|part| start.patch(*part))?;
        // Last, since of several pitfalls together one may change what another leaves out.
        changes.iter().try_for_each(|part| start.leave_out(*part, &self.work))?;
        let of_configurations = || self.axes.iter().filter(|one| one.axis.makes == AxisEffect::Configurations);
        let is_rows = |one: &&CheckedAxis| matches!(one.key, Key::Rows);
        let mut works = vec![start];
        for axis in of_configurations().filter(is_rows).chain(of_configurations().filter(|one| !is_rows(one))) {
            let varied = works
                .iter()
                .flat_map(|work| self.values(axis, work).iter().map(|value| axis.at(work, value, &self.work)));
            works = varied.collect::<Result<_, _>>()?;
        }
        for axis in self.axes.iter().filter(|one| one.axis.makes == AxisEffect::Phases) {
            works.iter_mut().try_for_each(|work| variants(work, axis))?;
        }
        // The same rows everywhere, so that configurations differ in nothing but what they are named after.
        let wires = works.iter().flat_map(|work| &work.phases).map(|one| &one.wire);
        let connections = shared_by(self.work.source.origin, wires)?;
        let all: Vec<Configuration> =
            works.into_iter().map(|work| self.configuration(work, connections)).collect::<Result<_, _>>()?;
        for (at, one) in all.iter().enumerate() {
            if all[..at].iter().any(|other| other.factors == one.factors) {
                return self.problem(message!(study_size_twice, rows = one.rows));
            }
        }
        Ok(all)
    }

    /// The values of an axis that some work is measured at: where the design is one factor at a time, the first alone
    /// beside what lies elsewhere on another axis.
    fn values<'b>(&self, axis: &'b CheckedAxis, work: &Work<'_>) -> &'b [AxisValue] {
        let mut moved = work.factors.iter().filter_map(|factor| self.changed_axis(factor)).peekable();
        let is_control = match axis.axis.design {
            _ if matches!(axis.key, Key::Rows) => true,
            Design::OneAtATime => moved.peek().is_none(),
            Design::Full => moved.all(|other| other.design.is_full()),
        };
        if is_control { &axis.axis.values } else { &axis.axis.values[..1] }
    }

    /// The axis of a factor that is not its first value, rows aside.
    pub(crate) fn changed_axis(&self, factor: &Factor) -> Option<&Axis> {
        let axis = self.axes.iter().map(|known| &known.axis).find(|known| known.name == factor.axis)?;
        (axis.name != "rows" && axis.values.first() != Some(&factor.value)).then_some(axis)
    }

    fn problem<T>(&self, problem: Message) -> Result<T, StudyError> {
        Err(StudyError::value(self.work.source.origin, problem))
    }

    fn configuration(&self, work: Work<'_>, connections: u32) -> Result<Configuration, StudyError> {
        let Work { schema, encoding, phases: drafts, mut factors, .. } = work;
        let rows = self.shared(work.rows, connections)?;
        // What a configuration is called is what it has.
        let on_rows = factors.iter_mut().find(|one| one.axis == "rows");
        on_rows.into_iter().for_each(|one| one.value = AxisValue::Number(rows));
        let origin = self.work.source.origin;
        let phases = check_phases(origin, &drafts, &schema, rows, connections)?;
        drafts.iter().try_for_each(|draft| check_meaning(origin, draft))?;
        Ok(Configuration { factors, only: Vec::new(), rows, rounds: self.rounds, schema, encoding, phases })
    }

    /// Rows as a multiple of the connections: generated ones some more than were asked for, of a data file some less.
    fn shared(&self, rows: u64, connections: u32) -> Result<u64, StudyError> {
        let Some(held) = self.data.map(|data| data.files.count) else {
            if rows == 0 || rows > MAX_ROWS {
                return self.problem(range("rows", 1, MAX_ROWS, rows));
            }
            let rounded = stream::round_up(rows, connections);
            if rounded > MAX_ROWS {
                return self.problem(message!(study_rows_rounded, rows, connections, rounded, most = MAX_ROWS));
            }
            return Ok(rounded);
        };
        if rows == 0 || rows > held {
            return self.problem(message!(study_rows_held, held, rows));
        }
        match rows - rows % u64::from(connections) {
            0 => self.problem(message!(study_rows_few, rows, connections)),
            rows => Ok(rows),
        }
    }
}

impl CheckedAxis {
    /// The work at one value of this axis.
    fn at<'a>(&self, work: &Work<'a>, value: &AxisValue, study: &Work<'_>) -> Result<Work<'a>, StudyError> {
        let mut work = work.clone();
        for (mut change, at) in self.changes(value, &work.phases) {
            if !matches!(self.key, Key::Rows) {
                // A pitfall is measured beside the first value of an axis, and may change what that says.
                work.claimed.leave_to_pitfall(&mut change);
            }
            let part = VariationPart { cause: &self.cause(), change: &change, at };
            work.patch(part)?;
            work.leave_out(part, study)?;
        }
        work.factors.push(Factor::new(&self.axis.name, value));
        Ok(work)
    }
}

/// Puts one phase for each value of an axis in the place of each phase that it changes.
fn variants(work: &mut Work<'_>, axis: &CheckedAxis) -> Result<(), StudyError> {
    let mut phases: Vec<DraftPhase> = Vec::new();
    for phase in std::mem::take(&mut work.phases) {
        let name = phase.study_name();
        let Some(key) = axis.phase_key().filter(|key| axis.axis.phases.contains(&name) && (key.concerns)(&phase.wire))
        else {
            phases.push(phase);
            continue;
        };
        let claimed = ClaimedKey::of_phase(key.name, &name);
        let claim = work.claimed.set(claimed, message!(study_phase_each_value), &axis.cause());
        claim.or_else(|problem| work.source.mistake(None, problem))?;
        for value in &axis.axis.values {
            let mut one = phase.at(Factor::new(&axis.axis.name, value));
            one.set(&key.table(value)).or_else(|problem| work.source.mistake(None, problem))?;
            phases.push(one);
        }
    }
    work.phases = phases;
    Ok(())
}
