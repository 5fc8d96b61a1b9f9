//! `mariadb` and `mysql`: a server of that family, by the crate `mysql`: prepared statements, one blocking connection for
//! each worker. The variant is the engine.

mod connection;
mod cursor;
mod dialect;
mod statements;
mod table;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kurabe_protocol::{Capabilities, FieldType, InsertMode, Job, Layout, LoadPath, Operation, Phase, ReadScope};
use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable;
use mysql::{Conn, Opts, OptsBuilder, SslOpts};

use crate::common::absent::Absent;
use crate::common::tls::{self, Tls};
use kurabe_client::adapter::{Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::versions::libraries;

pub use connection::ServerConnection;
pub use cursor::cursor;
use dialect::{Dialect, Engine};
use table::Table;

/// Settings that decide what is kept, what it costs, and how much memory there is; a server tells those that it has.
const SETTINGS: [&str; 32] = [
    "aria_group_commit",
    "aria_pagecache_buffer_size",
    "aria_sync_log_dir",
    "binlog_format",
    "binlog_row_image",
    "delay_key_write",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_doublewrite",
    "innodb_flush_log_at_timeout",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_redo_log_capacity",
    "innodb_use_fdatasync",
    "key_buffer_size",
    "log_bin",
    "max_allowed_packet",
    "max_connections",
    "myisam_recover_options",
    "performance_schema",
    "read_only",
    "rocksdb_block_cache_size",
    "rocksdb_flush_log_at_trx_commit",
    "rocksdb_manual_wal_flush",
    "rocksdb_write_disable_wal",
    "sync_binlog",
    "transaction_isolation",
    "tx_isolation",
];
/// Whether InnoDB keeps its log at all; MySQL only.
const REDO_LOG: &str = "innodb_redo_log_enabled";

/// A server as one job uses it.
pub struct Server {
    opts: Opts,
    tls: Option<Tls>,
    /// That of the server, once it is known.
    dialect: OnceLock<Dialect>,
    engine: Engine,
    table: Table,
    absent: Absent,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Server {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Server, StoreError> {
        let expected = "expected mysql://user[:password]@host:port/database, with '?socket=/path' for a unix socket";
        let url = job.url.as_deref().ok_or_else(|| StoreError::store(format!("no address of a server: {expected}")))?;
        let (url, tls) = Tls::take(url, Some("ssl-mode"))?;
        // The library's words about a bad address could quote its password.
        let opts = Opts::from_url(&url)
            .map_err(|_| StoreError::store(format!("the address of the server cannot be read: {expected}")))?;
        if let Some(name) = job.settings.keys().next() {
            let store = &job.candidate.store;
            return Err(StoreError::store(format!("{store} has no setting '{name}'; give the server arguments")));
        }
        let engine = Engine::of(job.candidate.variant.as_deref())?;
        let opts = match &tls {
            Some(tls) => {
                // The library reads the file at every connection, and its words do not name it.
                tls.config()?;
                let of_tls = SslOpts::default()
                    .with_root_cert_path(tls.authority().map(Path::to_path_buf))
                    .with_danger_accept_invalid_certs(tls.is_unverified())
                    .with_danger_skip_domain_validation(tls.is_unverified());
                OptsBuilder::from_opts(opts).ssl_opts(of_tls).into()
            }
            None => opts,
        };
        Ok(Server {
            opts,
            tls,
            dialect: OnceLock::new(),
            engine,
            table: Table::new(&job.namespace, &job.schema, layout, engine),
            absent: Absent::default(),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        use Operation::{Increment, Insert, Latest, Load, MultiRead, Open, Read, Scan, Search};
        let mut operations = match self.engine {
            // Nothing can be read of it, so nothing that it says can be checked but that it took a row. An increment is the
            // UPDATE, which meets none.
            Engine::Blackhole => vec![Load, Insert, Increment],
            Engine::Archive => vec![Load, Insert, Read, Scan, Latest, MultiRead, Open],
            _ => Capabilities::default().operations,
        };
        if self.engine != Engine::Blackhole && self.table.is_searchable() {
            operations.push(Search);
        }
        let transactions = self.engine.has_transactions();
        Capabilities {
            operations,
            // The only index that an archive can have is on a number that counts up.
            key_types: match self.engine {
                Engine::Archive => vec![FieldType::Int64],
                _ => vec![FieldType::Int64, FieldType::Text],
            },
            insert: if self.engine.is_full() { InsertMode::Exists } else { InsertMode::Upsert },
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: if transactions { vec![ReadScope::Each, ReadScope::Snapshot] } else { vec![ReadScope::Each] },
            transactions,
            max_connections: 256,
            processes: true,
            // What its descriptor sets as the longest packet, less room for the statement.
            max_value_bytes: 60 << 20,
            // A load inserts: it is refused where the row is there.
            passes: false,
            ..Capabilities::of_columns()
        }
    }

    fn libraries(&self) -> Texts {
        libraries(&["mysql", "mysql_common"])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.client(self.call_limit)?.ping().map_err(|error| store_error(&error))
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let row: Option<(String, String)> = self
            .client(self.call_limit)?
            .query_first("SELECT VERSION(), @@version_comment")
            .map_err(|error| store_error(&error))?;
        let (version, build) = row.ok_or_else(|| StoreError::store("the server tells no version"))?;
        let mut texts = self.libraries();
        texts.insert("version".into(), version);
        texts.insert("build".into(), build);
        Ok(texts)
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let mut client = self.client(self.call_limit)?;
        let names = SETTINGS.map(|name| format!("'{name}'")).join(", ");
        let query = format!("SHOW GLOBAL VARIABLES WHERE variable_name IN ({names})");
        let mut pairs: Vec<(String, String)> = client.query(query).map_err(|error| store_error(&error))?;
        // A statement switches the log off, so MySQL shows it with its counters and not with its settings.
        let status: Vec<(String, String)> =
            client.query(format!("SHOW GLOBAL STATUS LIKE '{REDO_LOG}'")).map_err(|error| store_error(&error))?;
        pairs.extend(status);
        let mut texts: Texts = pairs.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        if let Some(engine) = self.live_engine(&mut client)? {
            texts.insert("engine".into(), engine);
        }
        texts.extend(self.tls.as_ref().map(Tls::setting));
        Ok(texts)
    }

    /// A server that lacks an engine may take another in its place, so the table is looked at again.
    fn create(&self) -> Result<(), StoreError> {
        let mut client = self.client(self.call_limit)?;
        self.drop_tables(&mut client)?;
        for statement in self.table.create() {
            client.query_drop(statement).map_err(|error| store_error(&error))?;
        }
        match self.live_engine(&mut client)? {
            Some(engine) if engine == self.engine.name() => Ok(()),
            other => {
                self.drop_tables(&mut client)?;
                let other = other.unwrap_or_else(|| "none".into());
                let wanted = self.engine.name();
                Err(StoreError::store(format!(
                    "the server made a table of engine {other} where {wanted} was asked for; SHOW ENGINES tells what it has"
                )))
            }
        }
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.drop_tables(&mut self.client(self.call_limit)?)
    }

    fn count(&self) -> Result<u64, StoreError> {
        match self.engine {
            Engine::Blackhole => Err(StoreError::Unsupported),
            _ => self.number(&self.table.rows.count()),
        }
    }

    /// The file of an InnoDB table, which only users with the privilege PROCESS may see; of other engines what they tell
    /// about data and indexes.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let size = match self.engine {
            Engine::Blackhole => Err(StoreError::Unsupported),
            Engine::Innodb => {
                let dialect = self.dialect_of(&mut self.client(self.call_limit)?)?;
                self.number(&self.table.file_size(dialect.tablespaces()))
            }
            _ => self.number(&self.table.size()),
        };
        self.absent.or_unsupported("size of the table", size)
    }

    fn absent(&self) -> Vec<String> {
        self.absent.take()
    }

    fn sum(&self) -> Result<u64, StoreError> {
        match self.engine.is_full() {
            true => self.number(&self.table.sum()),
            false => Err(StoreError::Unsupported),
        }
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        if self.engine == Engine::Blackhole {
            return Err(StoreError::Unsupported);
        }
        let mut client = self.client(self.call_limit)?;
        let rows: Vec<(String, String, String, String)> =
            client.query(self.table.check()).map_err(|error| store_error(&error))?;
        let words = rows.last().map(|row| row.3.clone()).unwrap_or_default();
        Ok((words.eq_ignore_ascii_case("ok") || words.contains("up to date"), words))
    }
}

impl Blocking for Server {
    type Connection = ServerConnection;

    fn connect(&self, phase: &Phase) -> Result<ServerConnection, StoreError> {
        ServerConnection::open(self.client(self.operation_limit)?, &self.table, phase)
    }
}

impl Server {
    fn dialect_of(&self, conn: &mut Conn) -> Result<Dialect, StoreError> {
        if let Some(known) = self.dialect.get() {
            return Ok(*known);
        }
        let version: Option<String> = conn.query_first("SELECT VERSION()").map_err(|error| store_error(&error))?;
        Ok(*self.dialect.get_or_init(|| Dialect::of(&version.unwrap_or_default())))
    }

    /// A connection whose statements end after `limit`.
    fn client(&self, limit: Duration) -> Result<Conn, StoreError> {
        // The server ends a statement itself; a server that does not answer at all is given a little longer.
        let patience = limit.saturating_add(Duration::from_secs(2));
        let builder = OptsBuilder::from_opts(self.opts.clone())
            .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
            .prefer_socket(false)
            .stmt_cache_size(0)
            .tcp_connect_timeout(Some(limit))
            .read_timeout(Some(patience))
            .write_timeout(Some(patience));
        let mut conn = Conn::new(builder).map_err(|error| store_error(&error))?;
        let session = self.dialect_of(&mut conn)?.session(limit);
        conn.query_drop(session).map_err(|error| store_error(&error))?;
        Ok(conn)
    }

    fn drop_tables(&self, client: &mut Conn) -> Result<(), StoreError> {
        client.query_drop(self.table.drop()).map_err(|error| store_error(&error))
    }

    /// The engine of the table as it is, in small letters; none where there is no table.
    fn live_engine(&self, client: &mut Conn) -> Result<Option<String>, StoreError> {
        let engine: Option<Option<String>> =
            client.query_first(self.table.engine()).map_err(|error| store_error(&error))?;
        Ok(engine.flatten().map(|engine| engine.to_ascii_lowercase()))
    }

    fn number(&self, query: &str) -> Result<u64, StoreError> {
        let number = self.client(self.call_limit)?.query_first(query).map_err(|error| store_error(&error))?;
        number.ok_or_else(|| StoreError::store(format!("no answer to: {query}")))
    }
}

/// The server's own words, and which of the errors mean that the connection or the time is over.
#[cold]
fn store_error(error: &mysql::Error) -> StoreError {
    match error {
        mysql::Error::MySqlError(server) => error_of_server(server.code, &server.state, &server.message),
        mysql::Error::IoError(of_socket) => StoreError::Disconnected(tls::with_way_out(of_socket.to_string())),
        mysql::Error::CodecError(of_packet) => StoreError::Disconnected(tls::with_way_out(of_packet.to_string())),
        mysql::Error::DriverError(of_driver) if error.is_connectivity_error() => {
            StoreError::Disconnected(of_driver.to_string())
        }
        other => StoreError::Store(tls::with_way_out(other.to_string())),
    }
}

/// An error that the server told.
#[cold]
fn error_of_server(code: u16, state: &str, message: &str) -> StoreError {
    // https://mariadb.com/kb/en/mariadb-error-code-reference/ and
    // https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html, where numbers below 1900 are the same.
    const SHUTDOWN: u16 = 1053;
    /// To a table, to a column, and whatever takes a privilege of the whole server.
    const DENIED: [u16; 3] = [1142, 1143, 1227];
    const LOCK_WAIT_TIMEOUT: u16 = 1205;
    // Of MariaDB.
    const CONNECTION_KILLED: u16 = 1927;
    const STATEMENT_TIMEOUT: u16 = 1969;
    // Of MySQL.
    const QUERY_TIMEOUT: u16 = 3024;
    const KILLED_BY_ADMIN: u16 = 3169;
    match code {
        LOCK_WAIT_TIMEOUT | STATEMENT_TIMEOUT | QUERY_TIMEOUT => StoreError::Timeout,
        SHUTDOWN | CONNECTION_KILLED | KILLED_BY_ADMIN => StoreError::Disconnected(message.into()),
        code => {
            let words = format!("{message} (error {code}, SQLSTATE {state})");
            if DENIED.contains(&code) { StoreError::Denied(words) } else { StoreError::Store(words) }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
