//! Rows in table databases whose columns have names and hold texts: an int64 is a decimal number.

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Field, FieldType, Schema};

use super::keys::KeyBytes;
use crate::adapter::{Row, RowBuffer};

/// The columns of the job's rows.
#[derive(Clone, Debug)]
pub struct TextColumns {
    columns: Vec<TextColumn>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct TextColumn {
    /// Its name.
    pub name: String,
    field_type: FieldType,
    indexed: bool,
}

impl TextColumn {
    /// Gives its text to a row.
    #[inline(always)]
    pub fn copy(&self, text: &[u8], out: &mut RowBuffer) {
        match self.field_type {
            FieldType::Int64 => {
                // A text that is no number makes the check fail, as does the length without it.
                if let Some(number) = std::str::from_utf8(text).ok().and_then(|digits| digits.parse().ok()) {
                    out.push_int(number);
                }
            }
            FieldType::Text | FieldType::Bytes => out.push_bytes(text),
        }
    }
}

impl TextColumns {
    /// The columns of the fields after the key, under the names that `name` gives them.
    pub fn new(schema: &Schema, name: impl Fn(&Field) -> String) -> TextColumns {
        let column =
            |field: &Field| TextColumn { name: name(field), field_type: field.field_type, indexed: field.indexed };
        TextColumns { columns: schema.values().iter().map(column).collect() }
    }

    /// Names of the columns that have an index.
    pub fn indexed(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.indexed).map(|column| column.name.as_str())
    }

    /// Name of the column of field number `field` of the schema, whose field 0 is the key.
    pub fn name(&self, field: usize) -> Option<&str> {
        self.columns.get(field.checked_sub(1)?).map(|column| column.name.as_str())
    }

    /// Whether any of them holds numbers.
    pub fn has_ints(&self) -> bool {
        self.columns.iter().any(|column| column.field_type == FieldType::Int64)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// All of them, in the order of the fields.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &TextColumn> {
        self.columns.iter()
    }

    /// Gives `take` the name and value of each column in turn.
    #[inline(always)]
    pub fn each(&self, row: &Row<'_>, mut take: impl FnMut(&[u8], &[u8])) {
        for (column, field) in self.columns.iter().zip(row.layout.fields(row.raw)) {
            let name = column.name.as_bytes();
            match field {
                FieldValue::Int(int) => take(name, KeyBytes::decimal(int).bytes()),
                FieldValue::Text(text) => take(name, text.as_bytes()),
                FieldValue::Bytes(bytes) => take(name, bytes),
            }
        }
    }

    /// Copies names and values that come in turn, in the order in which they were put. What does not fit is left out,
    /// and the check fails.
    #[inline(always)]
    pub fn copy<'a>(&self, mut parts: impl Iterator<Item = &'a [u8]>, out: &mut RowBuffer) {
        for column in &self.columns {
            match (parts.next(), parts.next()) {
                (Some(name), Some(text)) if name == column.name.as_bytes() => column.copy(text, out),
                _ => return,
            }
        }
    }

    /// The same of a record in one piece: a zero between all parts.
    #[inline(always)]
    pub fn copy_joined(&self, joined: &[u8], out: &mut RowBuffer) {
        self.copy(joined.split(|byte| *byte == 0), out);
    }
}
