//! The servers that speak MySQL's protocol, and where they differ.

use std::time::Duration;

use kurabe_client::adapter::StoreError;

/// The mode of every session, whatever that of the server is: some take empty texts for NULL, others read statements in
/// another way. As both products ship it, but that row 0 of an archive keeps its number. The clients in other languages
/// set the same.
const SQL_MODE: &str = "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,\
                        NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";

/// How a server of the family wants to be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Mariadb,
    Mysql,
}

impl Dialect {
    /// That of a server of this version, as it tells it itself.
    pub(super) fn of(version: &str) -> Dialect {
        if version.to_ascii_lowercase().contains("mariadb") { Dialect::Mariadb } else { Dialect::Mysql }
    }

    /// The statement that begins a session whose statements end after `limit`.
    pub(super) fn session(self, limit: Duration) -> String {
        format!("SET SESSION {}, sql_mode = '{SQL_MODE}'", self.limits(limit))
    }

    /// The assignments for a session whose statements end after `limit`. MySQL ends reads only; its writes can only wait
    /// for locks, and wait for whole seconds.
    pub(super) fn limits(self, limit: Duration) -> String {
        let millis = limit.as_millis().clamp(1, u128::from(u32::MAX));
        let seconds = millis.div_ceil(1000);
        match self {
            Dialect::Mariadb => format!("max_statement_time = {}", limit.as_secs_f64().max(0.001)),
            Dialect::Mysql => format!(
                "max_execution_time = {millis}, innodb_lock_wait_timeout = {seconds}, lock_wait_timeout = {seconds}, \
                 information_schema_stats_expiry = 0"
            ),
        }
    }

    /// The view that tells the sizes of InnoDB's files.
    pub(super) fn tablespaces(self) -> &'static str {
        match self {
            Dialect::Mariadb => "innodb_sys_tablespaces",
            Dialect::Mysql => "innodb_tablespaces",
        }
    }
}

/// A storage engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Innodb,
    Myisam,
    Aria,
    Rocksdb,
    Archive,
    Blackhole,
}

const ENGINES: [Engine; 6] =
    [Engine::Innodb, Engine::Myisam, Engine::Aria, Engine::Rocksdb, Engine::Archive, Engine::Blackhole];

impl Engine {
    /// The engine of a variant; InnoDB where none is named.
    pub(super) fn of(variant: Option<&str>) -> Result<Engine, StoreError> {
        let Some(name) = variant else { return Ok(Engine::Innodb) };
        ENGINES.into_iter().find(|engine| engine.name() == name).ok_or_else(|| {
            let known = ENGINES.map(Engine::name).join(", ");
            StoreError::store(format!("no variant '{name}'; there are {known}"))
        })
    }

    /// The variant's name; SQL takes it in any case of letters.
    pub(super) fn name(self) -> &'static str {
        match self {
            Engine::Innodb => "innodb",
            Engine::Myisam => "myisam",
            Engine::Aria => "aria",
            Engine::Rocksdb => "rocksdb",
            Engine::Archive => "archive",
            Engine::Blackhole => "blackhole",
        }
    }

    pub(super) fn has_transactions(self) -> bool {
        matches!(self, Engine::Innodb | Engine::Rocksdb)
    }

    /// Whether a row can be changed once it is written, and a second one of the same key is refused.
    pub(super) fn is_full(self) -> bool {
        !matches!(self, Engine::Archive | Engine::Blackhole)
    }
}
