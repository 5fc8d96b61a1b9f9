//! The table of a job and the statements about it.

use kurabe_protocol::schema::{FieldType, Schema};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Layout, ReturnedKey};
use postgres::Row as SqlRow;
use postgres::types::{ToSql, Type};

use kurabe_client::adapter::{Key, Row, RowBuffer};
use kurabe_client::common::sql::{Column, Placeholders, SqlTable, quoted};

/// The table of a job: one column a field, the key first.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) rows: SqlTable,
    counters: String,
    unlogged: bool,
}

/// Which columns a query gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Projection {
    /// All.
    All,
    /// Those after the key, which the asker knows.
    AfterKey,
}

impl Table {
    pub(super) fn new(namespace: &str, schema: &Schema, layout: &Layout, unlogged: bool) -> Table {
        Table {
            rows: SqlTable::new(quoted(namespace, '"'), schema, layout, '"', Placeholders::Numbers),
            counters: quoted(&format!("{namespace}_counters"), '"'),
            unlogged,
        }
    }

    /// Types of the columns, the key first.
    pub(super) fn types(&self) -> Vec<Type> {
        self.rows.columns.iter().map(|column| sql_type(column.field_type)).collect()
    }

    pub(super) fn field_types(&self) -> Vec<FieldType> {
        self.rows.columns.iter().map(|column| column.field_type).collect()
    }

    /// Makes both tables and the indexes.
    pub(super) fn create(&self) -> String {
        let column = |column: &Column| format!("{} {} NOT NULL", column.name, sql_type(column.field_type).name());
        let mut columns: Vec<String> = self.rows.columns.iter().map(column).collect();
        if self.rows.keys.is_text() {
            // Keys are in the order of their bytes, as in the other stores, whatever the database's own order is.
            columns[0].push_str(" COLLATE \"C\"");
        }
        let table = if self.unlogged { "UNLOGGED TABLE" } else { "TABLE" };
        let mut statements = format!(
            "CREATE {table} {} ({}, PRIMARY KEY ({})); CREATE {table} {} (id int8 PRIMARY KEY, count int8 NOT NULL)",
            self.rows.name,
            columns.join(", "),
            self.rows.key(),
            self.counters
        );
        for column in self.rows.indexed() {
            statements.push_str(&format!("; CREATE INDEX ON {} ({column})", self.rows.name));
        }
        statements
    }

    pub(super) fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}", self.rows.name, self.counters)
    }

    /// Whether the live table is unlogged, as `persistence`: `p` or `u`.
    pub(super) fn persistence(&self) -> String {
        format!("SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass('{}')", self.rows.name)
    }

    pub(super) fn increment(&self) -> String {
        let counters = &self.counters;
        format!("INSERT INTO {counters} VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = {counters}.count + 1")
    }

    pub(super) fn sum(&self) -> String {
        format!("SELECT coalesce(sum(count), 0)::int8 FROM {}", self.counters)
    }

    /// The rows of an array of keys, with their keys: an order is not promised.
    pub(super) fn select_many(&self) -> String {
        format!("{} WHERE {} = ANY($1)", self.rows.scan(), self.rows.key())
    }

    pub(super) fn size(&self) -> String {
        format!("SELECT pg_total_relation_size('{}'::regclass)", self.rows.name)
    }

    /// As [`SqlTable::insert`]; changes no row where the key exists, so that a transaction goes on.
    pub(super) fn insert_new(&self) -> String {
        format!("{} ON CONFLICT DO NOTHING", self.rows.insert())
    }

    /// Many rows, given as one array a column.
    pub(super) fn insert_many(&self) -> String {
        let array =
            |(index, column): (usize, &Column)| format!("${}::{}[]", index + 1, sql_type(column.field_type).name());
        let arrays: Vec<String> = self.rows.columns.iter().enumerate().map(array).collect();
        format!("INSERT INTO {} ({}) SELECT * FROM unnest({})", self.rows.name, self.rows.names(0), arrays.join(", "))
    }

    pub(super) fn copy(&self) -> String {
        format!("COPY {} ({}) FROM STDIN BINARY", self.rows.name, self.rows.names(0))
    }

    /// The parameter for a key.
    #[inline(always)]
    pub(super) fn key_param<'a>(&self, key: &'a Key) -> Param<'a> {
        if key.is_text() { Param::Text(key.text()) } else { Param::Int(key.int()) }
    }

    /// The parameter for many keys.
    pub(super) fn key_array<'a>(&self, keys: &'a [Key]) -> Array<'a> {
        let field_type = if self.rows.keys.is_text() { FieldType::Text } else { FieldType::Int64 };
        let mut array = Array::new(field_type, keys.len());
        keys.iter().for_each(|key| array.push(self.key_param(key)));
        array
    }

    /// The parameters for a whole row, the key first.
    pub(super) fn row_params<'a>(&self, row: &'a Row<'a>) -> Vec<Param<'a>> {
        let mut params = Vec::with_capacity(self.rows.columns.len());
        params.push(self.key_param(&row.key));
        params.extend(row.layout.fields(row.raw).map(Param::from));
        params
    }

    /// The key of an answer that gives it.
    pub(super) fn returned_key<'a>(&self, answer: &'a SqlRow) -> Result<ReturnedKey<'a>, postgres::Error> {
        Ok(if self.rows.keys.is_text() {
            self.rows.keys.seen_text(answer.try_get::<_, &str>(0)?.as_bytes())
        } else {
            self.rows.keys.seen_int(answer.try_get(0)?)
        })
    }
}

/// Copies the fields after the key of an answer into `out`.
#[inline(always)]
pub(super) fn copy_fields(
    types: &[FieldType],
    answer: &SqlRow,
    give: Projection,
    out: &mut RowBuffer,
) -> Result<(), postgres::Error> {
    let first = usize::from(give == Projection::All);
    for (index, field_type) in types[1..].iter().enumerate() {
        match field_type {
            FieldType::Int64 => out.push_int(answer.try_get(first + index)?),
            FieldType::Text => out.push_bytes(answer.try_get::<_, &str>(first + index)?.as_bytes()),
            FieldType::Bytes => out.push_bytes(answer.try_get(first + index)?),
        }
    }
    Ok(())
}

/// The type of the columns of fields of a type.
pub(super) fn sql_type(field_type: FieldType) -> Type {
    match field_type {
        FieldType::Int64 => Type::INT8,
        FieldType::Text => Type::TEXT,
        FieldType::Bytes => Type::BYTEA,
    }
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param<'a> {
    /// For a bigint.
    Int(i64),
    /// For a text.
    Text(&'a str),
    /// For a bytea.
    Bytes(&'a [u8]),
}

impl<'a> From<FieldValue<'a>> for Param<'a> {
    fn from(value: FieldValue<'a>) -> Param<'a> {
        match value {
            FieldValue::Int(value) => Param::Int(value),
            FieldValue::Text(value) => Param::Text(value),
            FieldValue::Bytes(value) => Param::Bytes(value),
        }
    }
}

impl Param<'_> {
    /// The parameter as the driver takes it.
    #[inline(always)]
    pub(super) fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Param::Int(value) => value,
            Param::Text(value) => value,
            Param::Bytes(value) => value,
        }
    }
}

/// A column of many rows.
pub(super) enum Array<'a> {
    Ints(Vec<i64>),
    Texts(Vec<&'a str>),
    Bytes(Vec<&'a [u8]>),
}

impl<'a> Array<'a> {
    fn new(field_type: FieldType, rows: usize) -> Array<'a> {
        match field_type {
            FieldType::Int64 => Array::Ints(Vec::with_capacity(rows)),
            FieldType::Text => Array::Texts(Vec::with_capacity(rows)),
            FieldType::Bytes => Array::Bytes(Vec::with_capacity(rows)),
        }
    }

    /// The columns of `rows`, which are so many.
    pub(super) fn columns(
        types: &[FieldType],
        rows: impl Iterator<Item = Vec<Param<'a>>>,
        len: usize,
    ) -> Vec<Array<'a>> {
        let mut columns: Vec<Array<'_>> = types.iter().map(|kind| Array::new(*kind, len)).collect();
        for row in rows {
            columns.iter_mut().zip(row).for_each(|(column, param)| column.push(param));
        }
        columns
    }

    fn push(&mut self, param: Param<'a>) {
        match (self, param) {
            (Array::Ints(values), Param::Int(value)) => values.push(value),
            (Array::Texts(values), Param::Text(value)) => values.push(value),
            (Array::Bytes(values), Param::Bytes(value)) => values.push(value),
            // Both come from one schema. A value left out would be refused by the server: the arrays differ in length.
            _ => {}
        }
    }

    /// The column as the driver takes it.
    pub(super) fn param(&self) -> &(dyn ToSql + Sync) {
        match self {
            Array::Ints(values) => values,
            Array::Texts(values) => values,
            Array::Bytes(values) => values,
        }
    }
}
