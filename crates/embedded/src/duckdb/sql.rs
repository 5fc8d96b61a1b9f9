//! The statements' texts, and what a job may set.

use std::collections::BTreeMap;

use kurabe_protocol::schema::Field;
use kurabe_protocol::{FieldType, Job, KeyMap, Layout, Schema};

use kurabe_client::adapter::StoreError;

/// Settings of a job as DuckDB takes them.
pub type Settings = BTreeMap<String, String>;

/// Settings that a job may have; all can be read back.
pub const SETTINGS: [&str; 3] = ["threads", "memory_limit", "checkpoint_threshold"];

/// Setting for what an attached file writes for its recovery: `default`, or nothing. DuckDB has no way to ask for it.
const RECOVERY_MODE: &str = "recovery_mode";
const RECOVERY_MODES: [&str; 2] = ["default", "no_wal_writes"];

/// The settings of `job`, and whether it writes no log; those that are not known are refused.
pub fn settings(job: &Job) -> Result<(Settings, bool), StoreError> {
    let known = [&SETTINGS[..], &[RECOVERY_MODE]].concat();
    crate::common::library::refuse_unknown(job, "duckdb", &known)?;
    let mode = job.settings.get(RECOVERY_MODE).map_or(RECOVERY_MODES[0], String::as_str);
    if !RECOVERY_MODES.contains(&mode) {
        return Err(StoreError::store(format!(
            "{RECOVERY_MODE} cannot be '{mode}'; it is {}",
            RECOVERY_MODES.join(" or ")
        )));
    }
    let given = job.settings.iter().filter(|(name, _)| SETTINGS.contains(&name.as_str()));
    Ok((given.map(|(name, value)| (name.clone(), value.clone())).collect(), mode == RECOVERY_MODES[1]))
}

/// Texts of statements.
pub struct Sql {
    namespace: String,
    pub schema: Schema,
    pub keys: KeyMap,
}

impl Sql {
    pub fn new(job: &Job, layout: &Layout) -> Sql {
        Sql { namespace: job.namespace.clone(), schema: job.schema.clone(), keys: *layout.keys() }
    }

    /// The table's name as it is.
    pub fn name(&self) -> &str {
        &self.namespace
    }

    pub fn table(&self) -> String {
        format!("\"{}\"", self.namespace)
    }

    fn counters(&self) -> String {
        format!("\"{}_counters\"", self.namespace)
    }

    pub fn key(&self) -> String {
        format!("\"{}\"", self.schema.key().name)
    }

    fn columns(&self) -> String {
        let names: Vec<String> = self.schema.fields.iter().map(|field| format!("\"{}\"", field.name)).collect();
        names.join(", ")
    }

    fn values(&self) -> String {
        let names: Vec<String> = self.schema.values().iter().map(|field| format!("\"{}\"", field.name)).collect();
        names.join(", ")
    }

    pub fn create(&self) -> String {
        let column = |field: &Field| {
            let kind = match field.field_type {
                FieldType::Int64 => "BIGINT",
                FieldType::Text => "VARCHAR",
                FieldType::Bytes => "BLOB",
            };
            format!("\"{}\" {kind} NOT NULL", field.name)
        };
        let values: Vec<String> = self.schema.values().iter().map(column).collect();
        let (table, key) = (self.table(), column(self.schema.key()));
        let mut sql = format!("CREATE TABLE {table} ({key} PRIMARY KEY, {});", values.join(", "));
        for field in self.schema.values().iter().filter(|field| field.indexed) {
            sql += &format!("CREATE INDEX \"{}_{1}\" ON {table} (\"{1}\");", self.namespace, field.name);
        }
        let counters = self.counters();
        sql + &format!("CREATE TABLE {counters} (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)")
    }

    pub fn remove(&self) -> String {
        format!("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}", self.table(), self.counters())
    }

    /// Writes `rows` rows in one statement.
    pub fn write(&self, rows: u32) -> String {
        let row = format!("({})", vec!["?"; self.schema.fields.len()].join(", "));
        format!("INSERT INTO {} ({}) VALUES {}", self.table(), self.columns(), vec![row; rows as usize].join(", "))
    }

    /// Tells by the number of rows whether the key existed; an error would end the transaction.
    pub fn insert(&self) -> String {
        format!("{} ON CONFLICT DO NOTHING", self.write(1))
    }

    /// The key is parameter 1, so that all statements bind alike.
    pub fn update(&self) -> String {
        let set: Vec<String> =
            (2..).zip(self.schema.values()).map(|(at, field)| format!("\"{}\" = ${at}", field.name)).collect();
        format!("UPDATE {} SET {} WHERE {} = $1", self.table(), set.join(", "), self.key())
    }

    pub fn delete(&self) -> String {
        format!("DELETE FROM {} WHERE {} = $1", self.table(), self.key())
    }

    pub fn read(&self) -> String {
        format!("SELECT {} FROM {} WHERE {} = $1", self.values(), self.table(), self.key())
    }

    pub fn read_many(&self, keys: usize) -> String {
        let keys = vec!["?"; keys].join(", ");
        format!("SELECT {} FROM {} WHERE {} IN ({keys})", self.columns(), self.table(), self.key())
    }

    pub fn scan(&self) -> String {
        format!("SELECT {} FROM {}", self.columns(), self.table())
    }

    pub fn latest(&self) -> String {
        format!("{} ORDER BY {} DESC LIMIT $1", self.scan(), self.key())
    }

    pub fn search(&self, field: &str) -> String {
        format!("{} WHERE \"{field}\" BETWEEN $1 AND $2", self.scan())
    }

    pub fn increment(&self) -> String {
        let counters = self.counters();
        format!("INSERT INTO {counters} VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET value = value + 1")
    }

    pub fn sum(&self) -> String {
        format!("SELECT coalesce(sum(value), 0)::BIGINT FROM {}", self.counters())
    }

    pub fn count(&self) -> String {
        format!("SELECT count(*) FROM {}", self.table())
    }
}
