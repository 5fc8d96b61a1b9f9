//! `postgres`: a PostgreSQL server, prepared statements. Usually one connection of the crate `postgres` for each worker; as
//! the driver `pipelined` many connections on one thread, by the crate `tokio-postgres` that the other stands on. The calls,
//! which are not measured, use the former for both.
//!
//! The table has one column a field and lies in the first schema of the search path.

mod connection;
mod pgbench;
mod pipelined;
mod statements;
mod table;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Job, Layout, LoadPath, Operation, Phase, ReadScope};
use postgres::error::SqlState;
use postgres::{Client, NoTls};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::common::tls::{self, Tls};
use kurabe_client::adapter::{Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::versions::libraries;
use kurabe_client::in_flight::InFlightLoop;

pub use connection::PostgresConnection;
use table::Table;

/// Settings that decide what is kept, what it costs, and how much memory there is.
const SETTINGS: [&str; 20] = [
    "autovacuum",
    "checkpoint_timeout",
    "commit_delay",
    "data_checksums",
    "effective_cache_size",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "io_method",
    "jit",
    "max_connections",
    "max_wal_size",
    "random_page_cost",
    "shared_buffers",
    "synchronous_commit",
    "transaction_read_only",
    "wal_compression",
    "wal_level",
    "wal_sync_method",
    "wal_writer_delay",
];

/// The setting of the job that is set for each session; all others belong to the server.
const SESSION_SETTING: &str = "synchronous_commit";

/// The snapshot is taken by the first statement in it.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

/// How the measured operations reach the server: one by one, or pipelined.
pub trait RequestMode: Sized + Send + Sync + 'static {
    /// The loop that drives it.
    type Shape;

    /// The library that it uses, and what that stands on.
    const LIBRARIES: &'static [&'static str];

    /// What it can do beside what both can.
    fn add_to(capabilities: &mut Capabilities);
}

/// Many connections on one thread.
pub struct Pipelined;

impl RequestMode for Pipelined {
    type Shape = InFlightLoop;

    const LIBRARIES: &'static [&'static str] = &["tokio-postgres", "tokio"];

    fn add_to(capabilities: &mut Capabilities) {
        capabilities.max_depth = 1024;
        capabilities.batch = true;
    }
}

/// One connection and one thread for each worker.
pub struct Sequential;

impl RequestMode for Sequential {
    type Shape = BlockingLoop;

    const LIBRARIES: &'static [&'static str] = &["postgres", "tokio-postgres"];

    fn add_to(_: &mut Capabilities) {}
}

/// A PostgreSQL server as one job uses it.
pub struct Postgres<W> {
    config: Config,
    tls: Option<(Tls, MakeRustlsConnect)>,
    table: Table,
    layout: Arc<Layout>,
    way: PhantomData<W>,
    /// The setting of the session.
    setting: Option<String>,
    call_limit: Duration,
    operation_limit: Duration,
}

impl<W: RequestMode> Store for Postgres<W> {
    type Shape = W::Shape;

    const BRINGS_RUNTIME: bool = true;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Postgres<W>, StoreError> {
        let expected =
            "expected postgresql://user[:password]@host:port/database, with '?host=/folder' for a unix socket";
        let url = job.url.as_deref().ok_or_else(|| StoreError::store(format!("no address of a server: {expected}")))?;
        let (url, tls) = Tls::take(url, Some("sslmode"))?;
        // The library's words about a bad address could quote its password.
        let mut config: Config = url
            .parse()
            .map_err(|_| StoreError::store(format!("the address of the server cannot be read: {expected}")))?;
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        let tls = tls.map(|tls| tls.config().map(|config| (tls, MakeRustlsConnect::new(config)))).transpose()?;
        let unlogged = match job.candidate.variant.as_deref() {
            None | Some("logged") => false,
            Some("unlogged") => true,
            Some(other) => return Err(StoreError::store(format!("no variant '{other}'; there are logged, unlogged"))),
        };
        let call_limit = Duration::from_nanos(job.limits.call_ns);
        config.connect_timeout(call_limit);
        if config.get_application_name().is_none() {
            config.application_name("kurabe");
        }
        let session = job.settings.get(SESSION_SETTING).cloned();
        if let Some(odd) =
            session.as_deref().filter(|value| !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        {
            return Err(StoreError::store(format!(
                "setting {SESSION_SETTING} cannot be '{odd}': one word is expected"
            )));
        }
        Ok(Postgres {
            config,
            tls,
            table: Table::new(&job.namespace, &job.schema, layout, unlogged),
            layout: layout.clone(),
            way: PhantomData,
            setting: session,
            call_limit,
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        if self.table.rows.has_ints() {
            operations.push(Operation::Search);
        }
        let mut capabilities = Capabilities {
            operations,
            load_paths: vec![LoadPath::Row, LoadPath::Batch, LoadPath::Bulk],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            max_connections: 256,
            processes: true,
            // https://www.postgresql.org/docs/current/limits.html: a field has at most 1 GB.
            max_value_bytes: (1 << 30) - 1024,
            // A load inserts: it is refused where the row is there.
            passes: false,
            ..Capabilities::of_columns()
        };
        W::add_to(&mut capabilities);
        capabilities
    }

    fn libraries(&self) -> Texts {
        libraries(W::LIBRARIES)
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.client(self.call_limit)?.batch_execute("SELECT 1").map_err(|error| store_error(&error))
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let row = self
            .client(self.call_limit)?
            .query_one("SELECT current_setting('server_version'), version()", &[])
            .map_err(|error| store_error(&error))?;
        let mut texts = self.libraries();
        texts.insert("version".into(), row.try_get(0).map_err(|error| store_error(&error))?);
        texts.insert("build".into(), row.try_get(1).map_err(|error| store_error(&error))?);
        Ok(texts)
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let query = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1)";
        let mut client = self.client(self.call_limit)?;
        let rows = client.query(query, &[&SETTINGS.as_slice()]);
        let pair = |row: &postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
        let mut texts: Texts =
            rows.and_then(|rows| rows.iter().map(pair).collect()).map_err(|error| store_error(&error))?;
        let table = client.query_opt(&self.table.persistence(), &[]);
        let kind = table.and_then(|row| row.map(|row| row.try_get::<_, String>(0)).transpose());
        if let Some(kind) = kind.map_err(|error| store_error(&error))? {
            texts.insert("relpersistence".into(), kind);
        }
        texts.extend(self.tls.as_ref().map(|(tls, _)| tls.setting()));
        Ok(texts)
    }

    fn create(&self) -> Result<(), StoreError> {
        self.run(&format!("{}; {}", self.table.drop(), self.table.create()))
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.run(&self.table.drop())
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.number(&self.table.rows.count())
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.number(&self.table.sum())
    }

    /// The table with its index, its long values and its maps.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.number(&self.table.size())
    }
}

impl Blocking for Postgres<Sequential> {
    type Connection = PostgresConnection;

    fn connect(&self, phase: &Phase) -> Result<PostgresConnection, StoreError> {
        PostgresConnection::open(self.client(self.operation_limit)?, &self.table, phase)
    }
}

impl<W> Postgres<W> {
    /// How a connection is asked for whose statements end after `limit`. The settings of the session come with the first
    /// message: no round trip of their own.
    fn session(&self, limit: Duration) -> Config {
        let mut config = self.config.clone();
        // 0 would mean no limit at all.
        let limit_ms = limit.as_millis().clamp(1, i32::MAX as u128);
        let mut options = config.get_options().map(|given| format!("{given} ")).unwrap_or_default();
        options.push_str(&format!("-c statement_timeout={limit_ms} -c client_min_messages=warning"));
        if let Some(value) = &self.setting {
            options.push_str(&format!(" -c {SESSION_SETTING}={value}"));
        }
        config.options(&options);
        config
    }

    fn client(&self, limit: Duration) -> Result<Client, StoreError> {
        let config = postgres::Config::from(self.session(limit));
        match &self.tls {
            Some((_, tls)) => config.connect(tls.clone()),
            None => config.connect(NoTls),
        }
        .map_err(|error| store_error(&error))
    }

    fn run(&self, statements: &str) -> Result<(), StoreError> {
        self.client(self.call_limit)?.batch_execute(statements).map_err(|error| store_error(&error))
    }

    fn number(&self, query: &str) -> Result<u64, StoreError> {
        let row = self.client(self.call_limit)?.query_one(query, &[]).map_err(|error| store_error(&error))?;
        let number: i64 = row.try_get(0).map_err(|error| store_error(&error))?;
        u64::try_from(number).map_err(StoreError::store)
    }
}

/// The words of an error, and what helps where they are known not to say it.
fn with_way_out(words: String) -> String {
    let ways = [
        ("unsupported startup parameter", "a pooler is before the server: give it ignore_startup_parameters = options"),
        (
            "query_wait_timeout",
            "a pooler has no connection left for it: raise its default_pool_size to those of the study",
        ),
        ("(SQLSTATE 42P05)", POOLED),
        ("(SQLSTATE 26000)", POOLED),
        ("no encryption (SQLSTATE 28000)", "the server wants TLS: add sslmode=require to the address"),
    ];
    match ways.iter().find(|(sign, _)| words.contains(sign)) {
        Some((_, way)) => format!("{words}; {way}"),
        None => tls::with_way_out(words),
    }
}

/// What helps where statements that were prepared are not those of the connection.
const POOLED: &str = "a pooler may give each transaction another connection: set its pool_mode = session, or \
                      max_prepared_statements above 0 where it has that";

/// The server's own words, and which of the errors mean that the connection or the time is over.
fn store_error(error: &postgres::Error) -> StoreError {
    if let Some(server) = error.as_db_error() {
        let code = server.code();
        let ended = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
        return if *code == SqlState::QUERY_CANCELED {
            StoreError::Timeout
        } else if *code == SqlState::CANNOT_CONNECT_NOW {
            StoreError::not_ready(server.message())
        } else if ended.contains(code) {
            StoreError::Disconnected(format!("{} (SQLSTATE {})", server.message(), code.code()))
        } else {
            StoreError::Store(with_way_out(format!("{} (SQLSTATE {})", server.message(), code.code())))
        };
    }
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        let text = deeper.to_string();
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        cause = deeper.source();
    }
    let words = with_way_out(words);
    let io = std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>());
    if error.is_closed() || io { StoreError::Disconnected(words) } else { StoreError::Store(words) }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
