//! The servers that speak MySQL's protocol, and where they differ.

use std::time::Duration;

use kurabe_client::adapter::StoreError;

/// A server of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    Mariadb,
    Mysql,
}

impl Product {
    /// The product that a store's name stands for.
    pub(super) fn of(store: &str) -> Product {
        if store == Product::Mysql.name() { Product::Mysql } else { Product::Mariadb }
    }

    /// The store's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Product::Mariadb => "mariadb",
            Product::Mysql => "mysql",
        }
    }

    /// The engines that are its variants.
    fn engines(self) -> &'static [Engine] {
        match self {
            Product::Mariadb => {
                &[Engine::Innodb, Engine::Myisam, Engine::Aria, Engine::Rocksdb, Engine::Archive, Engine::Blackhole]
            }
            Product::Mysql => &[Engine::Innodb, Engine::Myisam, Engine::Archive, Engine::Blackhole],
        }
    }

    /// The engine of a variant; InnoDB where none is named.
    pub(super) fn engine(self, variant: Option<&str>) -> Result<Engine, StoreError> {
        let Some(name) = variant else { return Ok(Engine::Innodb) };
        self.engines().iter().find(|engine| engine.name() == name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.engines().iter().map(|engine| engine.name()).collect();
            StoreError::store(format!("no variant '{name}'; there are {}", known.join(", ")))
        })
    }

    /// The assignments for a session whose statements end after `limit`. MySQL ends reads only; its writes can only wait
    /// for locks, and wait for whole seconds.
    pub(super) fn limits(self, limit: Duration) -> String {
        let millis = limit.as_millis().clamp(1, u128::from(u32::MAX));
        let seconds = millis.div_ceil(1000);
        match self {
            Product::Mariadb => format!("max_statement_time = {}", limit.as_secs_f64().max(0.001)),
            Product::Mysql => format!(
                "max_execution_time = {millis}, innodb_lock_wait_timeout = {seconds}, lock_wait_timeout = {seconds}, \
                 information_schema_stats_expiry = 0"
            ),
        }
    }

    /// What to say where a server does not know those variables: it is the other product.
    #[cold]
    pub(super) fn is_another(self) -> StoreError {
        StoreError::store(match self {
            Product::Mariadb => {
                "the server is no MariaDB (it knows no max_statement_time); for MySQL there is the store 'mysql'"
            }
            Product::Mysql => {
                "the server is no MySQL (it knows no max_execution_time); for MariaDB there is the store 'mariadb'"
            }
        })
    }

    /// The view that tells the sizes of InnoDB's files.
    pub(super) fn tablespaces(self) -> &'static str {
        match self {
            Product::Mariadb => "innodb_sys_tablespaces",
            Product::Mysql => "innodb_tablespaces",
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

impl Engine {
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
