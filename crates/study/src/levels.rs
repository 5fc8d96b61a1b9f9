//! The levels of a study: what its axes make of its data and phases.

use kurabe_data::Ingested;
use kurabe_protocol::{Encoding, FieldType, Schema, stream};
use kurabe_record::{Axis, AxisValue, Coordinate, Level, Makes, value_on};

use crate::axes::CheckedAxis;
use crate::axis_keys::{Key, word};
use crate::error::StudyError;
use crate::phase::{Variant, WirePhase, check_phases, shared_by};
use crate::sizes::MAX_ROWS;

/// What levels are made of.
pub(crate) struct Base<'a> {
    pub(crate) origin: &'a str,
    /// Rows, where no axis says.
    pub(crate) rows: u64,
    /// Shape of a row, where no axis says.
    pub(crate) schema: &'a Schema,
    /// How rows are encoded, where no axis says.
    pub(crate) encoding: Encoding,
    pub(crate) phases: &'a [WirePhase],
    pub(crate) rounds: u32,
    /// Rows of a data file.
    pub(crate) data: Option<&'a Ingested>,
    pub(crate) axes: &'a [CheckedAxis],
}

/// One level on its way.
#[derive(Clone)]
struct Draft {
    rows: u64,
    schema: Schema,
    encoding: Encoding,
    phases: Vec<Variant>,
    coordinates: Vec<Coordinate>,
}

impl Base<'_> {
    /// The levels: rows ascend, at the same rows the others follow in the order of their axes.
    pub(crate) fn levels(&self) -> Result<Vec<Level>, StudyError> {
        let start = Draft {
            rows: self.rows,
            schema: self.schema.clone(),
            encoding: self.encoding,
            phases: self.phases.iter().cloned().map(Variant::alone).collect(),
            coordinates: Vec::new(),
        };
        let (rows, others): (Vec<&CheckedAxis>, Vec<&CheckedAxis>) = self
            .axes
            .iter()
            .filter(|one| one.axis.makes == Makes::Levels)
            .partition(|one| matches!(one.key, Key::Rows));
        let mut drafts = vec![start];
        for axis in rows.into_iter().chain(others) {
            drafts = drafts
                .iter()
                .flat_map(|draft| axis.axis.values.iter().map(|value| self.at(draft, axis, value)))
                .collect::<Result<_, _>>()?;
        }
        drafts.retain(|draft| self.is_wanted(draft));
        for axis in self.axes.iter().filter(|one| one.axis.makes == Makes::Phases) {
            drafts.iter_mut().for_each(|draft| draft.phases = variants(&draft.phases, axis));
        }
        // The same rows on every level, so that levels differ in nothing but what they are named after.
        let connections = shared_by(self.origin, drafts.iter().flat_map(|draft| &draft.phases).map(|one| &one.wire))?;
        let levels: Vec<Level> =
            drafts.into_iter().map(|draft| self.level(draft, connections)).collect::<Result<_, _>>()?;
        for (at, level) in levels.iter().enumerate() {
            if levels[..at].iter().any(|other| other.coordinates == level.coordinates) {
                return self.problem(format!(
                    "the size of {} rows is named twice, rounded to a multiple of the connections",
                    level.rows
                ));
            }
        }
        Ok(levels)
    }

    /// Whether an axis that is varied alone is at its first value, or all others are.
    fn is_wanted(&self, draft: &Draft) -> bool {
        let axes =
            self.axes.iter().map(|one| &one.axis).filter(|axis| axis.makes == Makes::Levels && axis.name != "rows");
        let moved: Vec<&Axis> =
            axes.filter(|axis| value_on(&draft.coordinates, &axis.name) != axis.values.first()).collect();
        moved.len() < 2 || !moved.iter().any(|axis| axis.alone)
    }

    fn problem<T>(&self, problem: impl Into<String>) -> Result<T, StudyError> {
        Err(StudyError::value(self.origin, problem))
    }

    /// The draft at one value of an axis.
    fn at(&self, draft: &Draft, axis: &CheckedAxis, value: &AxisValue) -> Result<Draft, StudyError> {
        let mut draft = draft.clone();
        match (&axis.key, value) {
            (Key::Rows, AxisValue::Number(rows)) => draft.rows = *rows,
            (Key::ValueLen, AxisValue::Number(len)) => draft.schema = self.with_value_len(*len)?,
            (Key::Encoding, value) => draft.encoding = word(value),
            (Key::Indexed, value) => self.set_indexes(&mut draft, value)?,
            (Key::Phase(key), value) => {
                let phases = draft.phases.iter_mut().filter(|one| concerns(axis, &one.wire));
                phases.for_each(|one| key.set(&mut one.wire, value));
            }
            _ => {}
        }
        draft.coordinates.push(Coordinate { axis: axis.axis.name.clone(), value: value.clone() });
        Ok(draft)
    }

    /// Gives the columns that are searched an index, or none.
    fn set_indexes(&self, draft: &mut Draft, value: &AxisValue) -> Result<(), StudyError> {
        let wanted = draft.phases.iter().filter_map(|one| one.wire.search.as_ref());
        let searched: Vec<&str> = wanted.map(|search| search.field.as_str()).collect();
        for field in draft.schema.fields.iter_mut().filter(|field| searched.contains(&field.name.as_str())) {
            if field.indexed {
                return self.problem(format!(
                    "field '{}' says itself that it is indexed; leave that out there, or take the axis 'indexed' out",
                    field.name
                ));
            }
            field.indexed = *value == AxisValue::Word("yes".into());
        }
        Ok(())
    }

    fn with_value_len(&self, len_bytes: u64) -> Result<Schema, StudyError> {
        let mut schema = self.schema.clone();
        let [_, value] = schema.fields.as_mut_slice() else {
            return self.problem("axis 'value_len_bytes' is for rows of a key and one value; this study has columns");
        };
        if self.data.is_some() || value.field_type == FieldType::Int64 {
            return self.problem("axis 'value_len_bytes' is for generated rows of a key and one text");
        }
        value.len_bytes = Some(u32::try_from(len_bytes).unwrap_or(u32::MAX));
        schema.validate().map_err(|error| StudyError::value(self.origin, error.to_string()))?;
        Ok(schema)
    }

    fn level(&self, draft: Draft, connections: u32) -> Result<Level, StudyError> {
        let Draft { rows, schema, encoding, phases, mut coordinates } = draft;
        let rows = self.shared(rows, connections)?;
        // What a level is called is what it has.
        let on_rows = coordinates.iter_mut().find(|one| one.axis == "rows");
        on_rows.into_iter().for_each(|one| one.value = AxisValue::Number(rows));
        let phases = check_phases(self.origin, &phases, &schema, rows, connections)?;
        Ok(Level { coordinates, rows, rounds: self.rounds, schema, encoding, phases, trapped: None })
    }

    /// Rows as a multiple of the connections: generated ones some more than were asked for, of a data file some less.
    fn shared(&self, rows: u64, connections: u32) -> Result<u64, StudyError> {
        let Some(held) = self.data.map(|data| data.files.count) else {
            if rows == 0 || rows > MAX_ROWS {
                return self.problem(format!("rows must be from 1 to {MAX_ROWS}, got {rows}"));
            }
            let shared = stream::round_up(rows, connections);
            if shared > MAX_ROWS {
                return self.problem(format!(
                    "{rows} rows, rounded up so that {connections} connections share them, are {shared}; at most \
                     {MAX_ROWS} can be"
                ));
            }
            return Ok(shared);
        };
        if rows == 0 || rows > held {
            return self.problem(format!("rows must be from 1 to {held}, which the data has, got {rows}"));
        }
        match rows - rows % u64::from(connections) {
            0 => self.problem(format!("{rows} rows are fewer than the {connections} connections that share them")),
            rows => Ok(rows),
        }
    }
}

/// Whether an axis changes a phase.
fn concerns(axis: &CheckedAxis, phase: &WirePhase) -> bool {
    let Key::Phase(key) = &axis.key else { return false };
    let is_named = axis.axis.phases.is_empty() || axis.axis.phases.contains(&phase.shown_name());
    is_named && (key.concerns)(phase)
}

/// The phases, with one for each value of the axis in the place of each that it changes.
fn variants(phases: &[Variant], axis: &CheckedAxis) -> Vec<Variant> {
    let Key::Phase(key) = &axis.key else { return phases.to_vec() };
    let of = |phase: &Variant| -> Vec<Variant> {
        let study_name = phase.study_name();
        let named = axis.axis.phases.contains(&study_name) && (key.concerns)(&phase.wire);
        if !named {
            return vec![phase.clone()];
        }
        axis.axis.values.iter().map(|value| phase.at(&axis.axis.name, value, |wire| key.set(wire, value))).collect()
    };
    phases.iter().flat_map(of).collect()
}
