//! Published figures: a table as the source had it, each cell with the place of ours that stands beside it.

use kurabe_messages::message;
use kurabe_record::{PhaseRef, PublishedCell, PublishedRow, PublishedTable, PublishedUnit};

use super::ClaimScope;
use super::wire::{WireColumn, WirePublished, WireRow};
use crate::error::StudyError;
use crate::toml_text::Located;

/// What stands where a table has no figure.
const NOTHING: &[&str] = &["", "–", "-"];

/// What a cell says of itself: `{ value = 1.5, phase = "read", operations = 100 }`, for a figure of other work than its
/// column.
struct OwnWork<'a> {
    value: Option<&'a toml::Value>,
    phase: Option<String>,
    operations: Option<f64>,
}

impl OwnWork<'_> {
    fn of(value: &toml::Value) -> OwnWork<'_> {
        let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|number| number as f64));
        OwnWork {
            value: value.as_table().and_then(|table| table.get("value")),
            phase: value.get("phase").and_then(|phase| phase.as_str()).map(String::from),
            operations: value.get("operations").and_then(number),
        }
    }
}

impl ClaimScope<'_> {
    pub(super) fn published(&self, wire: &WirePublished) -> Result<PublishedTable, StudyError> {
        let is_other = |column: &&WireColumn| column.of.is_some() && wire.unit != PublishedUnit::Milliseconds;
        if let Some(column) = wire.columns.iter().find(is_other) {
            return self.mistake(wire.title.at, message!(study_claim_column_of, column = &column.name));
        }
        let rows = wire.rows.iter().map(|row| self.row(wire, row)).collect::<Result<_, _>>()?;
        Ok(PublishedTable {
            title: wire.title.value.clone(),
            conditions: wire.conditions.clone(),
            unit: wire.unit,
            columns: wire.columns.iter().map(|column| column.name.clone()).collect(),
            rows,
        })
    }

    fn row(&self, table: &WirePublished, row: &Located<WireRow>) -> Result<PublishedRow, StudyError> {
        let (columns, values) = (&table.columns, &row.value.values);
        if columns.len() != values.len() {
            let (values, columns) = (values.len(), columns.len());
            return self.mistake(row.at, message!(study_claim_row_length, row = &row.value.name, values, columns));
        }
        let candidate = self.candidate(&row.value.candidate)?;
        let is_comparable = |column: &WireColumn| column.of.is_some() || table.unit != PublishedUnit::Milliseconds;
        let cell = |(column, value): (&WireColumn, &Located<toml::Value>)| {
            let own = OwnWork::of(&value.value);
            let figure = self.figure(table.unit, value, own.value.unwrap_or(&value.value))?;
            let place = self.place(column, row, own.phase.map(|phase| Located { value: phase, at: value.at }))?;
            if place.is_none() && figure.is_some() && is_comparable(column) {
                return self.mistake(value.at, message!(study_claim_column_no_phase, column = &column.name));
            }
            Ok(PublishedCell {
                value: figure,
                candidate: candidate.clone(),
                // Of a percentile that is not ours nothing stands beside it.
                place: place.filter(|_| is_comparable(column)),
                operations: own.operations.or(row.value.operations).or(column.operations),
                of: column.of,
            })
        };
        let cells = columns.iter().zip(values).map(cell).collect::<Result<_, StudyError>>()?;
        Ok(PublishedRow { name: row.value.name.clone(), cells })
    }

    /// What the cell says comes before what the row says, and that before what the column says.
    fn place(
        &self,
        column: &WireColumn,
        row: &Located<WireRow>,
        own: Option<Located<String>>,
    ) -> Result<Option<PhaseRef>, StudyError> {
        let Some(phase) = own.as_ref().or(row.value.phase.as_ref()).or(column.phase.as_ref()) else { return Ok(None) };
        let phase = self.phase(phase)?;
        let mut at = column.at.iter().collect::<std::collections::BTreeMap<_, _>>();
        at.extend(row.value.at.iter());
        let at =
            at.into_iter().map(|(name, value)| (name.clone(), Located { value: value.value.clone(), at: value.at }));
        let at = self.factor_lists(Some(&at.collect()), Some(&phase))?;
        match <[_; 1]>::try_from(at) {
            Ok([at]) => Ok(Some(PhaseRef { phase, at })),
            Err(_) => self.mistake(row.at, message!(study_claim_one_place)),
        }
    }

    fn figure(
        &self,
        unit: PublishedUnit,
        value: &Located<toml::Value>,
        figure: &toml::Value,
    ) -> Result<Option<f64>, StudyError> {
        let wrong = || {
            let expected = match unit {
                PublishedUnit::MinutesSeconds => message!(study_claim_minutes),
                _ => message!(study_claim_a_figure),
            };
            self.mistake(value.at, message!(study_invalid, value = &value.value, expected))
        };
        let number = match (figure, unit) {
            (toml::Value::String(text), _) if NOTHING.contains(&text.trim()) => return Ok(None),
            (toml::Value::String(text), PublishedUnit::MinutesSeconds) => {
                let parts = text.split_once(':').and_then(|(minutes, seconds)| {
                    Some((minutes.parse::<u32>().ok()?, seconds.parse::<u32>().ok().filter(|seconds| *seconds < 60)?))
                });
                parts.map(|(minutes, seconds)| f64::from(minutes) * 60.0 + f64::from(seconds))
            }
            (toml::Value::Integer(number), unit) if unit != PublishedUnit::MinutesSeconds => Some(*number as f64),
            (toml::Value::Float(number), unit) if unit != PublishedUnit::MinutesSeconds => Some(*number),
            _ => None,
        };
        number.filter(|number| number.is_finite() && *number > 0.0).map_or_else(wrong, |number| Ok(Some(number)))
    }
}
