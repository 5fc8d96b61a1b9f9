//! The tables of a job and the statements about them.

use kurabe_protocol::schema::{Field, FieldType, Schema};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{KeyMap, Layout, Seen};
use scylla::deserialize::row::ColumnIterator;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

use crate::adapter::{Key, Row, RowBuffer, StoreError};

/// The tables of a job: one column a field, the key first; and one of counters.
#[derive(Clone, Debug)]
pub(super) struct Table {
    keyspace: String,
    name: String,
    counters: String,
    columns: Vec<Column>,
    keys: KeyMap,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    field_type: FieldType,
    indexed: bool,
}

impl Table {
    pub(super) fn new(keyspace: &str, namespace: &str, schema: &Schema, layout: &Layout) -> Table {
        let column =
            |field: &Field| Column { name: quoted(&field.name), field_type: field.field_type, indexed: field.indexed };
        let keyspace = quoted(keyspace);
        Table {
            name: format!("{keyspace}.{}", quoted(namespace)),
            counters: format!("{keyspace}.{}", quoted(&format!("{namespace}_counters"))),
            keyspace,
            columns: schema.fields.iter().map(column).collect(),
            keys: *layout.keys(),
        }
    }

    pub(super) fn create_keyspace(&self) -> String {
        format!(
            "CREATE KEYSPACE IF NOT EXISTS {} \
             WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}",
            self.keyspace
        )
    }

    /// Makes both tables and the indexes.
    pub(super) fn create(&self) -> Vec<String> {
        let columns = self.columns.iter().map(|column| format!("{} {}", column.name, cql_type(column.field_type)));
        let columns: Vec<String> = columns.collect();
        let mut statements = vec![
            format!("CREATE TABLE {} ({}, PRIMARY KEY ({}))", self.name, columns.join(", "), self.key()),
            format!("CREATE TABLE {} (id bigint PRIMARY KEY, count counter)", self.counters),
        ];
        let indexed = self.columns.iter().filter(|column| column.indexed);
        // Of its indexes only this kind knows ranges.
        statements.extend(indexed.map(|column| format!("CREATE INDEX ON {} ({}) USING 'sai'", self.name, column.name)));
        statements
    }

    pub(super) fn drop_tables(&self) -> [String; 2] {
        [&self.name, &self.counters].map(|table| format!("DROP TABLE IF EXISTS {table}"))
    }

    pub(super) fn insert(&self) -> String {
        let places = vec!["?"; self.columns.len()].join(", ");
        format!("INSERT INTO {} ({}) VALUES ({places})", self.name, self.names(0))
    }

    pub(super) fn select(&self) -> String {
        format!("SELECT {} FROM {} WHERE {} = ?", self.names(1), self.name, self.key())
    }

    /// The rows of a list of keys, with their keys: they come in an order of their own.
    pub(super) fn select_many(&self) -> String {
        format!("{} WHERE {} IN ?", self.scan(), self.key())
    }

    /// The values first, then the key.
    pub(super) fn update(&self) -> String {
        let sets: Vec<String> = self.columns[1..].iter().map(|column| format!("{} = ?", column.name)).collect();
        format!("UPDATE {} SET {} WHERE {} = ?", self.name, sets.join(", "), self.key())
    }

    pub(super) fn delete(&self) -> String {
        format!("DELETE FROM {} WHERE {} = ?", self.name, self.key())
    }

    pub(super) fn scan(&self) -> String {
        format!("SELECT {} FROM {}", self.names(0), self.name)
    }

    /// The rows whose column number `field` lies between two bounds. Without an index every row is looked at, which has
    /// to be allowed aloud.
    pub(super) fn search(&self, field: usize) -> String {
        let Column { name, indexed, .. } = &self.columns[field];
        let allow = if *indexed { "" } else { " ALLOW FILTERING" };
        format!("{} WHERE {name} >= ? AND {name} <= ?{allow}", self.scan())
    }

    pub(super) fn increment(&self) -> String {
        format!("UPDATE {} SET count = count + 1 WHERE id = ?", self.counters)
    }

    pub(super) fn sum(&self) -> String {
        format!("SELECT sum(count) FROM {}", self.counters)
    }

    pub(super) fn count(&self) -> String {
        format!("SELECT count(*) FROM {}", self.name)
    }

    /// Whether there is a column that can be searched.
    pub(super) fn is_searchable(&self) -> bool {
        self.columns[1..].iter().any(|column| column.field_type == FieldType::Int64)
    }

    /// Number of the column of a field.
    pub(super) fn field(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == quoted(name))
    }

    pub(super) fn has_text_key(&self) -> bool {
        self.keys.is_text()
    }

    /// The key of an answer that begins with it.
    #[inline]
    pub(super) fn seen<'a>(&self, columns: &mut ColumnIterator<'a, '_>) -> Result<Seen<'a>, StoreError> {
        let bytes = bytes(columns)?;
        Ok(if self.keys.is_text() { self.keys.seen_text(bytes) } else { self.keys.seen_int(int(bytes)?) })
    }

    /// Copies the columns after the key.
    #[inline]
    pub(super) fn copy(&self, mut columns: ColumnIterator<'_, '_>, out: &mut RowBuffer) -> Result<(), StoreError> {
        for column in &self.columns[1..] {
            let bytes = bytes(&mut columns)?;
            match column.field_type {
                FieldType::Int64 => out.push_int(int(bytes)?),
                FieldType::Text | FieldType::Bytes => out.push_bytes(bytes),
            }
        }
        Ok(())
    }

    fn key(&self) -> &str {
        &self.columns[0].name
    }

    fn names(&self, from: usize) -> String {
        let names: Vec<&str> = self.columns[from..].iter().map(|column| column.name.as_str()).collect();
        names.join(", ")
    }
}

/// The bytes of the next column.
#[inline]
fn bytes<'a>(columns: &mut ColumnIterator<'a, '_>) -> Result<&'a [u8], StoreError> {
    let column = columns.next().transpose().map_err(StoreError::store)?;
    let slice = column.and_then(|column| column.slice);
    slice.map(|slice| slice.as_slice()).ok_or_else(|| StoreError::store("the server gave a row without a value"))
}

/// A bigint.
#[inline]
fn int(bytes: &[u8]) -> Result<i64, StoreError> {
    let bytes: [u8; 8] = bytes.try_into().map_err(|_| StoreError::store("the server gave a number of another size"))?;
    Ok(i64::from_be_bytes(bytes))
}

fn cql_type(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Int64 => "bigint",
        FieldType::Text => "text",
        FieldType::Bytes => "blob",
    }
}

/// A name as an identifier of CQL, whatever it holds: keywords are names too.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param<'a> {
    /// For a bigint.
    Int(i64),
    /// For a text or a blob.
    Bytes(&'a [u8]),
}

impl<'a> Param<'a> {
    #[inline]
    pub(super) fn key(key: &'a Key) -> Param<'a> {
        if key.is_text() { Param::Bytes(key.text_bytes()) } else { Param::Int(key.int()) }
    }
}

/// The values of a row.
#[inline]
pub(super) fn values<'a>(row: &'a Row<'a>) -> impl Iterator<Item = Param<'a>> {
    row.layout.fields(row.raw).map(|value| match value {
        FieldValue::Int(number) => Param::Int(number),
        FieldValue::Text(text) => Param::Bytes(text.as_bytes()),
        FieldValue::Bytes(bytes) => Param::Bytes(bytes),
    })
}

/// The values of a statement, in its order; they have the types of its columns, since both come from one schema.
pub(super) struct Params<'a>(pub(super) &'a [Param<'a>]);

impl SerializeRow for Params<'_> {
    fn serialize(&self, _: &RowSerializationContext<'_>, writer: &mut RowWriter) -> Result<(), SerializationError> {
        for param in self.0 {
            let cell = writer.make_cell_writer();
            match param {
                Param::Int(number) => cell.set_value(&number.to_be_bytes()),
                Param::Bytes(bytes) => cell.set_value(bytes),
            }
            .map_err(SerializationError::new)?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
