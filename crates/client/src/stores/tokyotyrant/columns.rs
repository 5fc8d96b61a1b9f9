//! Rows of a table database: named columns of text, an int64 in decimal digits.

use std::io::{Read, Write};

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, Schema};

use super::wire::Wire;
use crate::adapter::{Row, RowBuffer, StoreError};
use crate::stores::common::keys::KeyBytes;

/// The columns of the job's rows.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    field_type: FieldType,
    indexed: bool,
}

impl Columns {
    /// An index is of the whole database, whoever wrote the rows, so the names of indexed columns hold the namespace.
    pub(super) fn new(namespace: &str, schema: &Schema) -> Columns {
        let column = |field: &kurabe_protocol::Field| Column {
            name: if field.indexed { format!("{namespace}.{}", field.name) } else { field.name.clone() },
            field_type: field.field_type,
            indexed: field.indexed,
        };
        Columns { columns: schema.values().iter().map(column).collect() }
    }

    /// Names of the columns that have an index.
    pub(super) fn indexed(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.indexed).map(|column| column.name.as_str())
    }

    /// Name of the column of field number `field` of the schema, whose field 0 is the key.
    pub(super) fn name(&self, field: usize) -> Option<&str> {
        self.columns.get(field.checked_sub(1)?).map(|column| column.name.as_str())
    }

    pub(super) fn has_ints(&self) -> bool {
        self.columns.iter().any(|column| column.field_type == FieldType::Int64)
    }

    /// Gives `take` the name and value of each column in turn.
    #[inline(always)]
    pub(super) fn each(&self, row: &Row<'_>, mut take: impl FnMut(&[u8], &[u8])) {
        for (column, field) in self.columns.iter().zip(row.layout.fields(row.raw)) {
            let name = column.name.as_bytes();
            match field {
                FieldValue::Int(int) => take(name, KeyBytes::decimal(int).bytes()),
                FieldValue::Text(text) => take(name, text.as_bytes()),
                FieldValue::Bytes(bytes) => take(name, bytes),
            }
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    /// Copies names and values that come in turn, in the order in which they were put. What does not fit is left out,
    /// and the check fails.
    #[inline(always)]
    pub(super) fn copy<'a>(&self, mut parts: impl Iterator<Item = &'a [u8]>, out: &mut RowBuffer) {
        for column in &self.columns {
            match (parts.next(), parts.next()) {
                (Some(name), Some(value)) if name == column.name.as_bytes() => push(out, column.field_type, value),
                _ => return,
            }
        }
    }

    /// The same of `count` elements of a reply, all of which are taken.
    #[inline(always)]
    pub(super) fn copy_sized<S: Read + Write>(
        &self,
        wire: &mut Wire<S>,
        count: u32,
        out: &mut RowBuffer,
    ) -> Result<(), StoreError> {
        let mut columns = self.columns.iter();
        for _ in 0..count / 2 {
            let name = wire.sized()?;
            let column = columns.next().filter(|column| column.name.as_bytes() == name);
            let value = wire.sized()?;
            if let Some(column) = column {
                push(out, column.field_type, value);
            }
        }
        Ok(())
    }

    /// The same of a record in one piece: a zero between all parts.
    #[inline(always)]
    pub(super) fn copy_joined(&self, joined: &[u8], out: &mut RowBuffer) {
        self.copy(joined.split(|byte| *byte == 0), out);
    }
}

#[inline(always)]
fn push(out: &mut RowBuffer, field_type: FieldType, value: &[u8]) {
    match field_type {
        FieldType::Int64 => {
            // A text that is no number makes the check fail, as does the length without it.
            if let Some(number) = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok()) {
                out.push_int(number);
            }
        }
        FieldType::Text | FieldType::Bytes => out.push_bytes(value),
    }
}
