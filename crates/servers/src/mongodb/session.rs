//! The driver and what drives it: one thread, which waits for the server itself.

use std::future::{Future, IntoFuture};
use std::time::Duration;

use mongodb::bson::{Document, RawDocumentBuf};
use mongodb::error::{Error, ErrorKind, WriteFailure};
use mongodb::options::{ClientOptions, ServerMonitoringMode};
use mongodb::{Client, Collection, Database};
use tokio::runtime::{Builder, Runtime};

use kurabe_client::adapter::StoreError;

/// So long a server is looked for: the driver asks again every half a second.
const LOOK: Duration = Duration::from_secs(5);
/// So long a driver may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// Codes of <https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml>.
const UNAUTHORIZED: i32 = 13;
const DUPLICATE_KEY: i32 = 11000;
const MAX_TIME_EXPIRED: i32 = 50;
const SHUTDOWNS: [i32; 3] = [91, 11600, 11602];

/// A driver with one connection for operations. It runs on the thread that uses it, as a driver that blocks would.
pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    /// The database of the job.
    pub(super) database: Database,
    limit: Duration,
}

impl Session {
    /// Connects nothing yet; an operation ends after `limit`.
    pub(super) fn open(options: &ClientOptions, limit: Duration) -> Result<Session, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::store(format!("cannot wait for a server: {error}")))?;
        let mut options = options.clone();
        options.server_selection_timeout = Some(limit.min(LOOK));
        options.connect_timeout = Some(limit);
        let entered = runtime.enter();
        let client = Client::with_options(options).map_err(|error| store_error(&error))?;
        drop(entered);
        let database = client
            .default_database()
            .ok_or_else(|| StoreError::store("the address of the server names no database"))?;
        Ok(Session { runtime, client, database, limit })
    }

    /// A collection of the job's database.
    pub(super) fn collection(&self, name: &str) -> Collection<RawDocumentBuf> {
        self.database.collection(name)
    }

    /// Waits for an operation of the driver.
    #[inline]
    pub(super) fn wait<T>(
        &self,
        operation: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<T, StoreError> {
        self.work(async { operation.await.map_err(|error| store_error(&error)) })
    }

    /// As [`Session::wait`] for work of several steps. It begins and ends on the driver's runtime.
    #[inline]
    pub(super) fn work<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.runtime
            .block_on(async { tokio::time::timeout(self.limit, work).await })
            .unwrap_or(Err(StoreError::Timeout))
    }

    /// As [`Session::wait`], however long it takes.
    pub(super) fn wait_without_limit<T>(
        &self,
        operation: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<T, StoreError> {
        self.runtime.block_on(operation.into_future()).map_err(|error| store_error(&error))
    }

    /// A command to the job's database.
    pub(super) fn command(&self, command: Document) -> Result<Document, StoreError> {
        self.wait(self.database.run_command(command))
    }

    /// A command that only the database `admin` takes.
    pub(super) fn admin(&self, command: Document) -> Result<Document, StoreError> {
        self.wait(self.client.database("admin").run_command(command))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let client = self.client.clone();
        // A server that does not answer any more keeps nobody.
        let _ = self.runtime.block_on(async { tokio::time::timeout(GOODBYE, client.shutdown().immediate(true)).await });
    }
}

/// The driver's options for an address. `mongodb:///path` is a unix socket, whose slashes the driver wants escaped.
pub(super) fn options(url: Option<&str>) -> Result<ClientOptions, StoreError> {
    let expected = "expected mongodb://[user:password@]host[:port][/database], or mongodb:///path for a unix socket";
    let url = url.ok_or_else(|| StoreError::store(format!("no address of a server: {expected}")))?;
    let url = match url.strip_prefix("mongodb:///") {
        Some(path) => format!("mongodb://%2F{}", path.replace('/', "%2F")),
        None => url.to_string(),
    };
    let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::store)?;
    // The driver's words about a bad address could quote its password.
    let mut options = runtime
        .block_on(async { ClientOptions::parse(url).await })
        .map_err(|_| StoreError::store(format!("the address of the server cannot be read: {expected}")))?;
    options.app_name.get_or_insert_with(|| "kurabe".into());
    // No retry is hidden.
    options.retry_reads = Some(false);
    options.retry_writes = Some(false);
    options.max_adaptive_retries = Some(0);
    // One for operations; a second one, which the driver always has, asks every ten seconds how the server is.
    options.max_pool_size = Some(1);
    options.server_monitoring_mode = Some(ServerMonitoringMode::Poll);
    Ok(options)
}

/// Whether a write was refused because its key exists.
pub(super) fn is_duplicate(error: &Error) -> bool {
    matches!(&*error.kind, ErrorKind::Write(WriteFailure::WriteError(write)) if write.code == DUPLICATE_KEY)
}

/// The server's own words, and which of the errors mean that the connection or the time is over.
#[cold]
pub(super) fn store_error(error: &Error) -> StoreError {
    let coded = |code: i32, message: &str| match code {
        MAX_TIME_EXPIRED => StoreError::Timeout,
        UNAUTHORIZED => StoreError::Denied(format!("{message} (code {code})")),
        code if SHUTDOWNS.contains(&code) => StoreError::Disconnected(message.to_string()),
        code => StoreError::store(format!("{message} (code {code})")),
    };
    match &*error.kind {
        ErrorKind::Command(command) => coded(command.code, &command.message),
        ErrorKind::Write(WriteFailure::WriteError(write)) => coded(write.code, &write.message),
        ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => coded(concern.code, &concern.message),
        ErrorKind::InsertMany(many) => match many.write_errors.iter().flatten().next() {
            Some(write) => coded(write.code, &write.message),
            None => StoreError::store(error),
        },
        ErrorKind::Io(_)
        | ErrorKind::ConnectionPoolCleared { .. }
        | ErrorKind::ServerSelection { .. }
        | ErrorKind::Shutdown => StoreError::Disconnected(error.kind.to_string()),
        other => StoreError::store(other),
    }
}
