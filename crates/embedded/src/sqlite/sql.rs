//! The texts of the statements.

use kurabe_protocol::schema::Field;
use kurabe_protocol::{FieldType, Schema};

/// The statements' texts.
pub(super) struct Sql {
    pub(super) table: String,
    pub(super) schema: Schema,
    /// Declared type of a text column beside the key.
    pub(super) text_type: &'static str,
}

impl Sql {
    pub(super) fn table(&self) -> String {
        format!("\"{}\"", self.table)
    }

    /// The table of counters: an int64 key whatever the rows have.
    pub(super) fn counters(&self) -> String {
        format!("\"{}_counters\"", self.table)
    }

    pub(super) fn key(&self) -> String {
        format!("\"{}\"", self.schema.key().name)
    }

    /// Both tables and the indexes of the schema.
    pub(super) fn create(&self) -> String {
        let column = |field: &Field| {
            let kind = match field.field_type {
                FieldType::Int64 => "INTEGER",
                FieldType::Text if field.name != self.schema.key().name => self.text_type,
                FieldType::Text => "TEXT",
                FieldType::Bytes => "BLOB",
            };
            format!("\"{}\" {kind}", field.name)
        };
        let values: Vec<String> = self.schema.values().iter().map(column).collect();
        let (table, key) = (self.table(), column(self.schema.key()));
        let indexed = self.schema.values().iter().filter(|field| field.indexed);
        let index = |field: &Field| {
            format!(";CREATE INDEX \"{}_{name}\" ON {table} (\"{name}\")", self.table, name = field.name)
        };
        let indexes: String = indexed.map(index).collect();
        let counters = format!("CREATE TABLE {} (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)", self.counters());
        format!("CREATE TABLE {table} ({key} PRIMARY KEY, {}){indexes};{counters}", values.join(", "))
    }

    /// The indexes go with their table.
    pub(super) fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {};DROP TABLE IF EXISTS {}", self.table(), self.counters())
    }

    pub(super) fn read(&self) -> String {
        format!("SELECT {} FROM {} WHERE {} = ?1", self.values(), self.table(), self.key())
    }

    pub(super) fn delete(&self) -> String {
        format!("DELETE FROM {} WHERE {} = ?1", self.table(), self.key())
    }

    /// All rows; conditions may follow.
    pub(super) fn scan(&self) -> String {
        format!("SELECT {}, {} FROM {}", self.key(), self.values(), self.table())
    }

    pub(super) fn latest(&self) -> String {
        format!("{} ORDER BY {} DESC LIMIT ?1", self.scan(), self.key())
    }

    pub(super) fn multi_read(&self, rows: u32) -> String {
        let keys = vec!["?"; rows as usize].join(", ");
        format!("{} WHERE {} IN ({keys})", self.scan(), self.key())
    }

    pub(super) fn search(&self, field: &str) -> String {
        format!("{} WHERE \"{field}\" BETWEEN ?1 AND ?2", self.scan())
    }

    pub(super) fn increment(&self) -> String {
        format!("INSERT INTO {} (id, n) VALUES (?1, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1", self.counters())
    }

    pub(super) fn values(&self) -> String {
        let names: Vec<String> = self.schema.values().iter().map(|field| format!("\"{}\"", field.name)).collect();
        names.join(", ")
    }

    pub(super) fn write(&self, verb: &str, rows: u32) -> String {
        let columns = self.schema.fields.len();
        let row = format!("({})", vec!["?"; columns].join(", "));
        let rows = vec![row; rows as usize].join(", ");
        format!("{verb} INTO {} ({}, {}) VALUES {rows}", self.table(), self.key(), self.values())
    }

    /// The key is parameter 1, so that all statements bind alike.
    pub(super) fn update(&self) -> String {
        let set: Vec<String> =
            (2..).zip(self.schema.values()).map(|(at, field)| format!("\"{}\" = ?{at}", field.name)).collect();
        format!("UPDATE {} SET {} WHERE {} = ?1", self.table(), set.join(", "), self.key())
    }
}
