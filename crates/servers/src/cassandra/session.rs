//! The driver and what drives it: one thread, which waits for the server itself.

use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session_builder::SessionBuilder;
use scylla::deserialize::row::ColumnIterator;
use scylla::errors::{DbError, ExecutionError, NewSessionError, PrepareError, RequestAttemptError};
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::PagingState;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::table::Params;
use kurabe_client::adapter::StoreError;

/// Where clients of Cassandra listen by default.
const PORT: u16 = 9042;
/// The keyspace that is made where the address names none.
const KEYSPACE: &str = "kurabe";

/// Where a node is.
#[derive(Clone)]
pub(super) struct Address {
    node: String,
    login: Option<(String, String)>,
    /// The keyspace of the job's tables.
    pub(super) keyspace: String,
    /// Whether the address named it: then it is there already.
    pub(super) keyspace_is_theirs: bool,
}

impl Address {
    pub(super) fn parse(url: Option<&str>) -> Result<Address, StoreError> {
        let expected = "expected cassandra://[user:password@]host[:port][/keyspace]";
        let url = url.ok_or_else(|| StoreError::store(format!("no address of a server: {expected}")))?;
        // The words about a bad address could quote its password.
        let bad = || StoreError::store(format!("the address of the server cannot be read: {expected}"));
        let url = Url::parse(url).map_err(|_| bad())?;
        let host = url.host_str().filter(|_| url.scheme() == "cassandra").ok_or_else(bad)?;
        let named = url.path().trim_matches('/');
        if named.contains('/') || url.query().is_some() {
            return Err(bad());
        }
        Ok(Address {
            node: format!("{host}:{}", url.port().unwrap_or(PORT)),
            login: url.password().map(|password| (url.username().to_string(), password.to_string())),
            keyspace: if named.is_empty() { KEYSPACE } else { named }.to_string(),
            keyspace_is_theirs: !named.is_empty(),
        })
    }
}

/// A driver with one connection for operations. It runs on the thread that uses it, as a driver that blocks would.
pub(super) struct Session {
    // Dropped before the runtime that its tasks live on.
    session: scylla::client::session::Session,
    runtime: Runtime,
    limit: Duration,
}

impl Session {
    /// Connects; an operation ends after `limit`.
    pub(super) fn open(address: &Address, limit: Duration) -> Result<Session, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::store(format!("cannot wait for a server: {error}")))?;
        let profile = ExecutionProfile::builder()
            // No retry is hidden.
            .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
            .request_timeout(Some(limit))
            .build();
        let mut builder = SessionBuilder::new()
            .known_node(&address.node)
            .default_execution_profile_handle(profile.into_handle())
            .pool_size(PoolSize::PerHost(std::num::NonZeroUsize::MIN))
            .connection_timeout(limit)
            // There is one request at a time: nothing to wait for that could go along.
            .write_coalescing(false)
            .fetch_schema_metadata(false);
        if let Some((user, password)) = &address.login {
            builder = builder.user(user, password);
        }
        let session = runtime.block_on(builder.build()).map_err(|error| connect_error(&error))?;
        Ok(Session { session, runtime, limit })
    }

    /// Waits for work of several steps.
    #[inline]
    fn work<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.runtime
            .block_on(async { tokio::time::timeout(self.limit, work).await })
            .unwrap_or(Err(StoreError::Timeout))
    }

    pub(super) fn prepare(&self, statement: &str) -> Result<PreparedStatement, StoreError> {
        self.runtime.block_on(self.session.prepare(statement)).map_err(|error| prepare_error(&error))
    }

    /// Does a statement whose answer has at most one page.
    #[inline]
    pub(super) fn execute(
        &self,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<QueryResult, StoreError> {
        // The driver keeps the time of each request itself.
        let done = self.runtime.block_on(self.session.execute_unpaged(statement, values));
        done.map_err(|error| store_error(&error))
    }

    /// Gives every row of an answer, page after page.
    pub(super) fn each(
        &self,
        statement: &PreparedStatement,
        values: &Params<'_>,
        mut take: impl FnMut(ColumnIterator<'_, '_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.work(async {
            let mut state = PagingState::start();
            loop {
                let (page, next) = self
                    .session
                    .execute_single_page(statement, values, state)
                    .await
                    .map_err(|error| store_error(&error))?;
                rows(page, &mut take)?;
                match next.into_paging_control_flow() {
                    ControlFlow::Break(()) => return Ok(()),
                    ControlFlow::Continue(following) => state = following,
                }
            }
        })
    }

    /// Does a statement that gives nothing.
    pub(super) fn run(&self, statement: &str) -> Result<(), StoreError> {
        self.query(statement).map(|_| ())
    }

    /// The rows of a query for texts; a value that is not set is left out of its row.
    pub(super) fn texts(&self, query: &str) -> Result<Vec<Vec<String>>, StoreError> {
        let mut texts = Vec::new();
        rows(self.query(query)?, &mut |columns| {
            let values = columns.filter_map(|column| column.map(|column| column.slice).transpose());
            let text = |slice: Result<scylla::deserialize::FrameSlice<'_>, _>| {
                slice.map(|slice| String::from_utf8_lossy(slice.as_slice()).into_owned()).map_err(StoreError::store)
            };
            texts.push(values.map(text).collect::<Result<_, _>>()?);
            Ok(())
        })?;
        Ok(texts)
    }

    /// The number that a query gives.
    pub(super) fn number(&self, query: &str) -> Result<u64, StoreError> {
        let answer = self.query(query)?.into_rows_result().map_err(StoreError::store)?;
        // A sum of no counters is none.
        let (number,): (Option<i64>,) = match answer.single_row::<(Option<i64>,)>() {
            Ok(row) => row,
            Err(_) => {
                let (scylla::value::Counter(number),) = answer.single_row().map_err(StoreError::store)?;
                (Some(number),)
            }
        };
        u64::try_from(number.unwrap_or(0)).map_err(StoreError::store)
    }

    fn query(&self, statement: &str) -> Result<QueryResult, StoreError> {
        self.runtime.block_on(self.session.query_unpaged(statement, ())).map_err(|error| store_error(&error))
    }
}

/// Gives every row of a page.
#[inline]
pub(super) fn rows(
    page: QueryResult,
    take: &mut impl FnMut(ColumnIterator<'_, '_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let page = page.into_rows_result().map_err(StoreError::store)?;
    for row in page.rows::<ColumnIterator<'_, '_>>().map_err(StoreError::store)? {
        take(row.map_err(StoreError::store)?)?;
    }
    Ok(())
}

#[cold]
fn connect_error(error: &NewSessionError) -> StoreError {
    StoreError::Disconnected(error.to_string())
}

#[cold]
fn prepare_error(error: &PrepareError) -> StoreError {
    match error {
        PrepareError::ConnectionPoolError(_) => StoreError::Disconnected(error.to_string()),
        other => StoreError::store(other),
    }
}

/// The server's own words, and which of the errors mean that the connection or the time is over.
#[cold]
pub(super) fn store_error(error: &ExecutionError) -> StoreError {
    match error {
        ExecutionError::RequestTimeout(_) => StoreError::Timeout,
        ExecutionError::ConnectionPoolError(_)
        | ExecutionError::LastAttemptError(RequestAttemptError::BrokenConnectionError(_)) => {
            StoreError::Disconnected(error.to_string())
        }
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(kind, message)) => match kind {
            DbError::ReadTimeout { .. } | DbError::WriteTimeout { .. } => StoreError::Timeout,
            DbError::Unauthorized => StoreError::Denied(message.clone()),
            _ => StoreError::store(message),
        },
        other => StoreError::store(other),
    }
}
