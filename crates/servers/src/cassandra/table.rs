//! The tables of a job and the statements about them.

use kurabe_protocol::schema::{FieldType, Schema};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Layout, ReturnedKey};
use scylla::deserialize::row::ColumnIterator;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

use kurabe_client::adapter::{Key, Row, RowBuffer, StoreError};
use kurabe_client::common::sql::{Column, Placeholders, SqlTable, quoted};

/// The tables of a job: one column a field, the key first; and one of counters.
#[derive(Clone, Debug)]
pub(super) struct Table {
    keyspace: String,
    pub(super) rows: SqlTable,
    counters: String,
}

impl Table {
    pub(super) fn new(keyspace: &str, namespace: &str, schema: &Schema, layout: &Layout) -> Table {
        let keyspace = quoted(keyspace, '"');
        let name = |name: &str| format!("{keyspace}.{}", quoted(name, '"'));
        Table {
            rows: SqlTable::new(name(namespace), schema, layout, '"', Placeholders::Marks),
            counters: name(&format!("{namespace}_counters")),
            keyspace,
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
        let SqlTable { name, columns, .. } = &self.rows;
        let columns = columns.iter().map(|column| format!("{} {}", column.name, cql_type(column.field_type)));
        let columns: Vec<String> = columns.collect();
        let mut statements = vec![
            format!("CREATE TABLE {name} ({}, PRIMARY KEY ({}))", columns.join(", "), self.rows.key()),
            format!("CREATE TABLE {} (id bigint PRIMARY KEY, count counter)", self.counters),
        ];
        // Of its indexes only this kind knows ranges.
        statements.extend(self.rows.indexed().map(|column| format!("CREATE INDEX ON {name} ({column}) USING 'sai'")));
        statements
    }

    pub(super) fn drop_tables(&self) -> [String; 2] {
        [&self.rows.name, &self.counters].map(|table| format!("DROP TABLE IF EXISTS {table}"))
    }

    /// The rows of a list of keys, with their keys: they come in an order of their own.
    pub(super) fn select_many(&self) -> String {
        format!("{} WHERE {} IN ?", self.rows.scan(), self.rows.key())
    }

    /// The rows whose column number `field` lies between two bounds. Without an index every row is looked at, which has
    /// to be allowed aloud.
    pub(super) fn search(&self, field: usize) -> String {
        let Column { name, indexed, .. } = &self.rows.columns[field];
        let allow = if *indexed { "" } else { " ALLOW FILTERING" };
        format!("{} WHERE {name} >= ? AND {name} <= ?{allow}", self.rows.scan())
    }

    pub(super) fn increment(&self) -> String {
        format!("UPDATE {} SET count = count + 1 WHERE id = ?", self.counters)
    }

    pub(super) fn sum(&self) -> String {
        format!("SELECT sum(count) FROM {}", self.counters)
    }

    /// The key of an answer that begins with it.
    #[inline]
    pub(super) fn returned_key<'a>(&self, columns: &mut ColumnIterator<'a, '_>) -> Result<ReturnedKey<'a>, StoreError> {
        let bytes = bytes(columns)?;
        Ok(if self.rows.keys.is_text() {
            self.rows.keys.seen_text(bytes)
        } else {
            self.rows.keys.seen_int(int(bytes)?)
        })
    }

    /// Copies the columns after the key.
    #[inline]
    pub(super) fn copy(&self, mut columns: ColumnIterator<'_, '_>, out: &mut RowBuffer) -> Result<(), StoreError> {
        for column in &self.rows.columns[1..] {
            let bytes = bytes(&mut columns)?;
            match column.field_type {
                FieldType::Int64 => out.push_int(int(bytes)?),
                FieldType::Text | FieldType::Bytes => out.push_bytes(bytes),
            }
        }
        Ok(())
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
