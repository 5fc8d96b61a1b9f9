//! The tables of a job and the statements about them.

use kurabe_protocol::schema::{Field, FieldType, Schema};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{KeyMap, Layout, ReturnedKey};
use mysql::{Row as SqlRow, Value};

use super::dialect::Engine;
use kurabe_client::adapter::{Key, Row, RowBuffer, StoreError};
use kurabe_client::common::sql::{Placeholders, SqlTable, quoted};

/// Longest field that is made VARCHAR or VARBINARY; longer ones are TEXT or BLOB.
const SHORT_BYTES: u32 = 255;
/// What all short fields of a row may hold: 65,535 bytes less the key. A character of text counts four.
const SHORT_FIELDS_BYTES: u32 = 60_000;
/// Placeholders that one statement can have.
const PLACEHOLDERS: usize = 65_535;

/// The table of a job: one column a field, the key first; and the one of its counters.
#[derive(Clone, Debug)]
pub(super) struct Table {
    engine: Engine,
    plain: String,
    pub(super) rows: SqlTable,
    counters: String,
    /// Types of the columns.
    types: Vec<String>,
}

impl Table {
    pub(super) fn new(namespace: &str, schema: &Schema, layout: &Layout, engine: Engine) -> Table {
        let short = |field: &Field| {
            let len = field.len_bytes.filter(|len| *len <= SHORT_BYTES).unwrap_or(0);
            if field.field_type == FieldType::Text { 4 * len } else { len }
        };
        let all_fit = schema.values().iter().map(short).sum::<u32>() <= SHORT_FIELDS_BYTES;
        let values = schema.values().iter().map(|field| sql_type(field, all_fit));
        Table {
            engine,
            plain: namespace.into(),
            rows: SqlTable::new(quoted(namespace, '`'), schema, layout, '`', Placeholders::Marks),
            counters: quoted(&format!("{namespace}_counters"), '`'),
            types: std::iter::once(key_type(layout.keys())).chain(values).collect(),
        }
    }

    /// Makes the tables and the indexes.
    pub(super) fn create(&self) -> Vec<String> {
        let columns = self.rows.columns.iter().zip(&self.types);
        let mut parts: Vec<String> =
            columns.map(|(column, sql_type)| format!("{} {sql_type} NOT NULL", column.name)).collect();
        if self.engine == Engine::Archive {
            // The one index that it can have. A unique one would refuse every number below the highest so far.
            parts[0].push_str(" AUTO_INCREMENT");
            parts.push(format!("KEY ({})", self.rows.key()));
        } else {
            parts.push(format!("PRIMARY KEY ({})", self.rows.key()));
            parts.extend(self.rows.indexed().map(|column| format!("KEY ({column})")));
        }
        let (parts, engine) = (parts.join(", "), self.engine_clause());
        // Text is compared by bytes, as in the other stores.
        let mut statements = vec![format!(
            "CREATE TABLE {} ({parts}) {engine} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            self.rows.name
        )];
        if self.engine != Engine::Archive {
            let counters = &self.counters;
            statements.push(format!(
                "CREATE TABLE {counters} (id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (id)) {engine}"
            ));
        }
        statements
    }

    fn engine_clause(&self) -> &'static str {
        match self.engine {
            Engine::Innodb => "ENGINE=InnoDB",
            Engine::Myisam => "ENGINE=MyISAM",
            Engine::Aria => "ENGINE=Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE",
            Engine::Rocksdb => "ENGINE=ROCKSDB",
            Engine::Archive => "ENGINE=ARCHIVE",
            Engine::Blackhole => "ENGINE=BLACKHOLE",
        }
    }

    pub(super) fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {}, {}", self.rows.name, self.counters)
    }

    pub(super) fn engine(&self) -> String {
        let name = &self.plain;
        format!(
            "SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{name}'"
        )
    }

    pub(super) fn check(&self) -> String {
        format!("CHECK TABLE {}", self.rows.name)
    }

    pub(super) fn size(&self) -> String {
        let name = &self.plain;
        format!(
            "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name IN ('{name}', '{name}_counters')"
        )
    }

    /// `view` is the one that tells the sizes of InnoDB's files.
    pub(super) fn file_size(&self, view: &str) -> String {
        let name = &self.plain;
        format!(
            "SELECT COALESCE(SUM(file_size), 0) FROM information_schema.{view} \
             WHERE name IN (CONCAT(DATABASE(), '/{name}'), CONCAT(DATABASE(), '/{name}_counters'))"
        )
    }

    /// Whether a counter is there once it was made.
    pub(super) fn keeps_counters(&self) -> bool {
        self.engine != Engine::Blackhole
    }

    /// Adds 1 to a counter that is there.
    pub(super) fn add(&self) -> String {
        format!("UPDATE {} SET count = count + 1 WHERE id = ?", self.counters)
    }

    /// Makes a counter, or adds 1 to one that is there.
    pub(super) fn increment(&self) -> String {
        format!("INSERT INTO {} VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1", self.counters)
    }

    pub(super) fn sum(&self) -> String {
        format!("SELECT CAST(COALESCE(SUM(count), 0) AS UNSIGNED) FROM {}", self.counters)
    }

    /// Writes `rows` rows in one statement.
    pub(super) fn insert(&self, rows: usize) -> String {
        let more = format!(", ({})", self.rows.row_places()).repeat(rows.saturating_sub(1));
        self.rows.insert() + &more
    }

    /// As many rows as one statement can take.
    pub(super) fn most_rows(&self) -> usize {
        PLACEHOLDERS / self.rows.columns.len()
    }

    /// The rows of `keys` keys, with their keys: an order is not promised.
    pub(super) fn select_many(&self, keys: usize) -> String {
        format!("{} WHERE {} IN ({})", self.rows.scan(), self.rows.key(), places(keys))
    }

    /// Whether there is a column that can be searched; an archive has no room for an index on it.
    pub(super) fn is_searchable(&self) -> bool {
        self.rows.has_ints() && (self.engine != Engine::Archive || self.rows.indexed().next().is_none())
    }

    /// The parameter for a key.
    #[inline(always)]
    pub(super) fn key_param(&self, key: &Key) -> Value {
        if key.is_text() { Value::Bytes(key.text_bytes().to_vec()) } else { Value::Int(key.int()) }
    }

    /// The parameters for all fields after the key.
    #[inline(always)]
    pub(super) fn field_params<'a>(&self, row: &Row<'a>) -> impl Iterator<Item = Value> + use<'a> {
        row.layout.fields(row.raw).map(|value| match value {
            FieldValue::Int(value) => Value::Int(value),
            FieldValue::Text(value) => Value::Bytes(value.as_bytes().to_vec()),
            FieldValue::Bytes(value) => Value::Bytes(value.to_vec()),
        })
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.rows.columns.len()
    }

    /// The key of an answer that gives it.
    #[inline(always)]
    pub(super) fn returned_key<'a>(&self, answer: &'a SqlRow) -> ReturnedKey<'a> {
        match answer.as_ref(0) {
            Some(Value::Int(key)) => self.rows.keys.seen_int(*key),
            Some(Value::Bytes(key)) => self.rows.keys.seen_text(key),
            _ => ReturnedKey::Row(u32::MAX),
        }
    }
}

/// Copies the columns of an answer from number `first` on into `out`: all fields after the key.
#[inline(always)]
pub(super) fn copy_fields(answer: &SqlRow, first: usize, out: &mut RowBuffer) -> Result<(), StoreError> {
    for column in first..answer.len() {
        match answer.as_ref(column) {
            Some(Value::Int(value)) => out.push_int(*value),
            Some(Value::Bytes(value)) => out.push_bytes(value),
            other => {
                return Err(StoreError::store(format!("column {column} holds {other:?}, which was never written")));
            }
        }
    }
    Ok(())
}

/// Type of the key's column. Keys that are not plain ASCII are kept as bytes: the collations of text that are in every
/// engine's reach take no notice of spaces at the end, and an index of MyISAM has at most 1,000 bytes, four a character.
fn key_type(keys: &KeyMap) -> String {
    let len = keys.longest_bytes();
    match (keys.is_text(), keys.is_ascii()) {
        (false, _) => "BIGINT".into(),
        (true, true) => format!("VARCHAR({len}) CHARACTER SET ascii COLLATE ascii_bin"),
        (true, false) => format!("VARBINARY({len})"),
    }
}

fn sql_type(field: &Field, short_fits: bool) -> String {
    const LONG: u32 = u16::MAX as u32;
    const MEDIUM: u32 = (1 << 24) - 1;
    let len = field.len_bytes.unwrap_or(0);
    let is_text = field.field_type == FieldType::Text;
    if field.field_type == FieldType::Int64 {
        return "BIGINT".into();
    }
    if len <= SHORT_BYTES && short_fits {
        return format!("{}({})", if is_text { "VARCHAR" } else { "VARBINARY" }, len.max(1));
    }
    let kind = if len <= LONG {
        ""
    } else if len <= MEDIUM {
        "MEDIUM"
    } else {
        "LONG"
    };
    format!("{kind}{}", if is_text { "TEXT" } else { "BLOB" })
}

fn places(count: usize) -> String {
    vec!["?"; count].join(", ")
}
