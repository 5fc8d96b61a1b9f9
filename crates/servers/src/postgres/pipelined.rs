//! Many connections on one thread, each with as many requests under way as are asked for: the crate `tokio-postgres` on a
//! runtime of one thread.
//!
//! Requests are sent in the order in which they were started, and each has a Sync of its own: none stands or falls with
//! another.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::{LocalBoxFuture, join, select, try_join_all};
use futures_util::stream::{FuturesUnordered, Stream, TryStreamExt};
use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{Layout, Load, Phase, ReadScope};
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{Client, Config, NoTls, Row as SqlRow, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::statements::{StatementKind, Statements};
use super::table::{Array, Param, Projection, Table, copy_fields};
use super::{BEGIN_SNAPSHOT, Pipelined, Postgres, store_error};
use crate::common::transaction::Transaction;
use crate::common::wake::{Alarm, is_short};
use kurabe_client::adapter::{Answer, InFlight, Lanes, Request, Row, RowBuffer, RowSink, StoreError, WriteOutcome};
use kurabe_client::common::refusals::refuse_snapshot_and_writes;

/// Rows are handed over in pieces of about so many bytes, so that memory does not grow with the data.
const PIECE_BYTES: usize = 64 << 10;

impl InFlight for Postgres<Pipelined> {
    type Lanes = PostgresLanes;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<PostgresLanes, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::store)?;
        let shared = Shared {
            table: self.table.clone(),
            types: self.table.field_types(),
            layout: self.layout.clone(),
            phase: phase.clone(),
            pieces: RefCell::default(),
        };
        let tls = self.tls.as_ref().map(|(_, tls)| tls.clone());
        let opening = Opening { config: self.session(self.operation_limit), tls, shared: Rc::new(shared) };
        let lanes = runtime.block_on(try_join_all((0..lanes).map(|_| opening.lane())))?;
        let row = RowBuffer::new(&self.layout);
        let under_way = FuturesUnordered::new();
        let alarm = runtime.block_on(async { Alarm::new() }).map_err(StoreError::store)?;
        Ok(PostgresLanes { unsent: Vec::new(), under_way, lanes, opening, row, connects: 0, alarm, runtime })
    }
}

/// How connections are opened.
struct Opening {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    shared: Rc<Shared>,
}

/// What all connections have in common.
struct Shared {
    table: Table,
    types: Vec<FieldType>,
    layout: Arc<Layout>,
    phase: Phase,
    /// Rows of requests that are not over: token and bytes.
    pieces: RefCell<Vec<(u32, Vec<u8>)>>,
}

impl Opening {
    async fn lane(&self) -> Result<Rc<Lane>, StoreError> {
        let ended = Arc::new(OnceLock::new());
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await.map_err(failed)?;
                tokio::spawn(keep_end(connection, ended.clone()));
                client
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await.map_err(failed)?;
                tokio::spawn(keep_end(connection, ended.clone()));
                client
            }
        };
        let Shared { table, phase, .. } = &*self.shared;
        if phase.read_scope == ReadScope::Snapshot {
            client.batch_execute(BEGIN_SNAPSHOT).await.map_err(failed)?;
        }
        let mut statements = Statements::default();
        for which in StatementKind::of(phase) {
            statements.keep(which, client.prepare(&which.text(table, phase)).await.map_err(failed)?);
        }
        Ok(Rc::new(Lane {
            client,
            statements,
            transaction: RefCell::new(Transaction::new(phase)),
            number: Cell::new(0),
            spoilt: Cell::new(0),
            ended,
            shared: self.shared.clone(),
        }))
    }
}

/// Drives a connection and keeps the server's words where it ends it beside all requests.
async fn keep_end(
    connection: impl Future<Output = Result<(), tokio_postgres::Error>>,
    ended: Arc<OnceLock<StoreError>>,
) {
    if let Err(error) = connection.await
        && error.as_db_error().is_some()
    {
        // A request that was told another reason was first.
        let _ = ended.set(store_error(&error));
    }
}

fn failed(error: tokio_postgres::Error) -> StoreError {
    store_error(&error)
}

/// A connection.
struct Lane {
    client: Client,
    statements: Statements,
    transaction: RefCell<Transaction>,
    /// Number of the transaction that was opened last, from 1.
    number: Cell<u64>,
    /// Number of the last one in which a request failed: the server ends it without keeping anything.
    spoilt: Cell<u64>,
    /// Why the connection ended.
    ended: Arc<OnceLock<StoreError>>,
    shared: Rc<Shared>,
}

/// A parameter as it is sent, which outlives the request.
#[derive(Debug)]
struct Encoded(Vec<u8>);

impl ToSql for Encoded {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Encoded {
    fn of(param: &(dyn ToSql + Sync), kind: &Type) -> Result<Encoded, StoreError> {
        let mut bytes = BytesMut::new();
        param.to_sql_checked(kind, &mut bytes).map_err(StoreError::store)?;
        Ok(Encoded(bytes.into()))
    }

    /// Parameters of these types.
    fn all(params: &[Param<'_>], kinds: &[Type]) -> Result<Vec<Encoded>, StoreError> {
        params.iter().zip(kinds).map(|(param, kind)| Encoded::of(param.as_sql(), kind)).collect()
    }
}

/// What is to be done for a request.
enum Ask {
    /// A write of one row, and what it means that so many rows were changed.
    Write {
        statement: Statement,
        params: Vec<Encoded>,
        begins: bool,
        means: fn(u64) -> StatementResult,
    },
    /// A read of one row.
    Read {
        statement: Statement,
        params: Vec<Encoded>,
    },
    /// A read of many.
    Rows {
        statement: Statement,
        params: Vec<Encoded>,
    },
    /// An INSERT of so many rows.
    InsertMany {
        statement: Statement,
        params: Vec<Encoded>,
        rows: usize,
    },
    Copy {
        statement: Statement,
        rows: Vec<Vec<Encoded>>,
    },
    /// Ends a transaction, which has this to tell of writes that were rolled back.
    Commit {
        number: u64,
        rollback: Result<(), StoreError>,
    },
}

/// The result of a statement.
enum StatementResult {
    Written(WriteOutcome),
    Incremented,
    Row(Option<SqlRow>),
    /// The last rows, see [`Shared::frame`].
    Rows(Vec<u8>),
}

impl StatementResult {
    /// What a write did that has changed so many rows, where none has this meaning.
    fn done_or(none: WriteOutcome, rows: u64) -> StatementResult {
        StatementResult::Written(if rows == 0 { none } else { WriteOutcome::Done })
    }
}

impl Lane {
    /// What is to be done for a request.
    fn ask(&self, request: &Request<'_>) -> Result<Ask, StoreError> {
        let table = &self.shared.table;
        let int = |value: i64| [Param::Int(value)];
        Ok(match request {
            Request::Load(row) => self
                .write(StatementKind::Load, &table.row_params(row), |_| StatementResult::Written(WriteOutcome::Done))?,
            Request::Insert(row) => self.write(StatementKind::Insert, &table.row_params(row), |rows| {
                StatementResult::done_or(WriteOutcome::Exists, rows)
            })?,
            Request::Update(row) => self.write(StatementKind::Update, &table.row_params(row), |rows| {
                StatementResult::done_or(WriteOutcome::Missing, rows)
            })?,
            Request::Delete(key) => self.write(StatementKind::Delete, &[table.key_param(key)], |rows| {
                StatementResult::done_or(WriteOutcome::Missing, rows)
            })?,
            Request::Increment(key) => {
                self.write(StatementKind::Increment, &int(key.int()), |_| StatementResult::Incremented)?
            }
            Request::Read(key) => {
                let (statement, params) = self.encoded(StatementKind::Select, &[table.key_param(key)])?;
                Ask::Read { statement, params }
            }
            Request::MultiRead(keys) => {
                let (statement, keys) = (self.statements.get(StatementKind::SelectMany)?, table.key_array(keys));
                let params = vec![Encoded::of(keys.param(), &statement.params()[0])?];
                Ask::Rows { statement: statement.clone(), params }
            }
            Request::Scan => self.rows(StatementKind::Scan, &[])?,
            Request::Latest(rows) => self.rows(StatementKind::Latest, &int((*rows).into()))?,
            Request::Search(range) => {
                self.rows(StatementKind::Search, &[Param::Int(range.low), Param::Int(range.high)])?
            }
            Request::LoadMany(rows) => self.load_many(rows)?,
            Request::Commit => {
                let (is_open, rollback) = self.transaction.borrow_mut().end();
                if !is_open {
                    rollback.clone()?;
                }
                Ask::Commit { number: self.number.get(), rollback }
            }
        })
    }

    fn encoded(&self, which: StatementKind, params: &[Param<'_>]) -> Result<(Statement, Vec<Encoded>), StoreError> {
        let statement = self.statements.get(which)?;
        Ok((statement.clone(), Encoded::all(params, statement.params())?))
    }

    fn write(
        &self,
        which: StatementKind,
        params: &[Param<'_>],
        means: fn(u64) -> StatementResult,
    ) -> Result<Ask, StoreError> {
        let (statement, params) = self.encoded(which, params)?;
        Ok(Ask::Write { statement, params, begins: self.begins(), means })
    }

    fn rows(&self, which: StatementKind, params: &[Param<'_>]) -> Result<Ask, StoreError> {
        let (statement, params) = self.encoded(which, params)?;
        Ok(Ask::Rows { statement, params })
    }

    fn load_many(&self, rows: &[Row<'_>]) -> Result<Ask, StoreError> {
        let Shared { table, types, phase, .. } = &*self.shared;
        if matches!(phase.load(), Some(Load::Bulk { .. })) {
            let kinds = table.types();
            let rows = rows.iter().map(|row| Encoded::all(&table.row_params(row), &kinds));
            return Ok(Ask::Copy {
                statement: self.statements.get(StatementKind::Copy)?.clone(),
                rows: rows.collect::<Result<_, _>>()?,
            });
        }
        let statement = self.statements.get(StatementKind::InsertMany)?;
        let columns = Array::columns(types, rows.iter().map(|row| table.row_params(row)), rows.len());
        let params = columns.iter().zip(statement.params()).map(|(column, kind)| Encoded::of(column.param(), kind));
        let params = params.collect::<Result<_, StoreError>>()?;
        Ok(Ask::InsertMany { statement: statement.clone(), params, rows: rows.len() })
    }

    /// Whether the next write opens a transaction, which it does then.
    fn begins(&self) -> bool {
        let mut transaction = self.transaction.borrow_mut();
        let begins = transaction.must_begin();
        if begins {
            transaction.begun();
            self.number.set(self.number.get() + 1);
        }
        begins
    }

    /// Number of the transaction that is open.
    fn open(&self) -> Option<u64> {
        let transaction = self.transaction.borrow();
        (!transaction.commits_each() && !transaction.must_begin()).then_some(self.number.get())
    }

    /// Does what was asked, in the transaction `within`.
    async fn answer(
        self: Rc<Self>,
        token: u32,
        ask: Ask,
        within: Option<u64>,
    ) -> (u32, Result<StatementResult, StoreError>) {
        let mut came = self.do_it(token, ask).await;
        if let Err(error @ StoreError::Disconnected(_)) = &mut came {
            // The server tells its reason to one request alone, or to none.
            *error = self.ended.get_or_init(|| error.clone()).clone();
        }
        if let (Err(error), Some(number)) = (&came, within) {
            self.spoilt.set(number);
            // After an error the server refuses everything until the transaction ends.
            if self.open() == within && self.transaction.borrow_mut().fail(error) {
                // A connection that cannot even roll back fails in the next statement.
                let _ = self.client.batch_execute("ROLLBACK").await;
            }
        }
        (token, came)
    }

    async fn do_it(&self, token: u32, ask: Ask) -> Result<StatementResult, StoreError> {
        match ask {
            Ask::Write { statement, params, begins, means } => {
                Ok(means(self.execute(&statement, params, begins).await?))
            }
            Ask::Read { statement, params } => {
                let mut rows = pin!(self.client.query_raw(&statement, params).await.map_err(failed)?);
                let Some(row) = rows.try_next().await.map_err(failed)? else { return Ok(StatementResult::Row(None)) };
                match rows.try_next().await.map_err(failed)? {
                    None => Ok(StatementResult::Row(Some(row))),
                    Some(_) => Err(StoreError::store("the server gave several rows where one was asked for")),
                }
            }
            Ask::Rows { statement, params } => self.stream(token, &statement, params).await,
            Ask::InsertMany { statement, params, rows } => {
                loaded(self.client.execute_raw(&statement, params).await.map_err(failed)?, rows)
            }
            Ask::Copy { statement, rows } => self.copy(&statement, rows).await,
            Ask::Commit { number, rollback } => {
                self.client.batch_execute("COMMIT").await.map_err(failed)?;
                rollback?;
                // The server answers to this COMMIT as to any other.
                if number > 0 && self.spoilt.get() == number {
                    return Err(StoreError::store("the transaction was rolled back, since a request in it failed"));
                }
                Ok(StatementResult::Written(WriteOutcome::Done))
            }
        }
    }

    async fn execute(&self, statement: &Statement, params: Vec<Encoded>, begins: bool) -> Result<u64, StoreError> {
        if !begins {
            return self.client.execute_raw(statement, params).await.map_err(failed);
        }
        let (begun, done) = join(self.client.batch_execute("BEGIN"), self.client.execute_raw(statement, params)).await;
        begun.and(done).map_err(failed)
    }

    async fn stream(
        &self,
        token: u32,
        statement: &Statement,
        params: Vec<Encoded>,
    ) -> Result<StatementResult, StoreError> {
        let shared = &self.shared;
        let mut rows = pin!(self.client.query_raw(statement, params).await.map_err(failed)?);
        let (mut came, mut buffer) = (Vec::new(), RowBuffer::new(&shared.layout));
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            shared.frame(&row, &mut buffer, &mut came).map_err(failed)?;
            if came.len() >= PIECE_BYTES {
                shared.pieces.borrow_mut().push((token, std::mem::take(&mut came)));
            }
        }
        Ok(StatementResult::Rows(came))
    }

    async fn copy(&self, statement: &Statement, rows: Vec<Vec<Encoded>>) -> Result<StatementResult, StoreError> {
        let sink = self.client.copy_in(statement).await.map_err(failed)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &self.shared.table.types()));
        let sent = rows.len();
        for row in rows {
            writer.as_mut().write_raw(row).await.map_err(failed)?;
        }
        loaded(writer.finish().await.map_err(failed)?, sent)
    }
}

fn loaded(rows: u64, sent: usize) -> Result<StatementResult, StoreError> {
    if rows == sent as u64 {
        Ok(StatementResult::Written(WriteOutcome::Done))
    } else {
        Err(StoreError::store(format!("the server wrote {rows} rows where {sent} were sent")))
    }
}

impl Shared {
    /// Appends a row to `came`: the length of its key and the key, the length of its value and the value.
    fn frame(&self, row: &SqlRow, buffer: &mut RowBuffer, came: &mut Vec<u8>) -> Result<(), tokio_postgres::Error> {
        buffer.clear();
        copy_fields(&self.types, row, Projection::All, buffer)?;
        let mut append = |bytes: &[u8]| {
            came.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            came.extend_from_slice(bytes);
        };
        match self.table.rows.keys.is_text() {
            true => append(row.try_get::<_, &str>(0)?.as_bytes()),
            false => append(&row.try_get::<_, i64>(0)?.to_le_bytes()),
        }
        append(buffer.raw());
        Ok(())
    }
}

/// Takes the next part of what [`Shared::frame`] wrote.
fn part<'a>(came: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (len, rest) = came.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *came = rest;
    Some(part)
}

/// What is done for a request; it tells its token.
type PendingFuture = LocalBoxFuture<'static, (u32, Result<StatementResult, StoreError>)>;

/// The connections of one thread.
pub struct PostgresLanes {
    /// Before the runtime, in which the connections end.
    unsent: Vec<PendingFuture>,
    under_way: FuturesUnordered<PendingFuture>,
    lanes: Vec<Rc<Lane>>,
    opening: Opening,
    row: RowBuffer,
    connects: u64,
    alarm: Alarm,
    runtime: Runtime,
}

impl PostgresLanes {
    /// Sends what was not sent yet, in its order, and waits at most `wait` for something to come.
    fn wait(&mut self, wait: Duration) -> Vec<(u32, Result<StatementResult, StoreError>)> {
        let PostgresLanes { unsent, under_way, opening, runtime, alarm, .. } = self;
        let mut done = Vec::new();
        let come = poll_fn(|context| {
            for mut request in unsent.drain(..) {
                match request.as_mut().poll(context) {
                    Poll::Ready(came) => done.push(came),
                    Poll::Pending => under_way.push(request),
                }
            }
            while let Poll::Ready(Some(came)) = Pin::new(&mut *under_way).poll_next(context) {
                done.push(came);
            }
            let nothing = done.is_empty() && opening.shared.pieces.borrow().is_empty();
            if nothing { Poll::Pending } else { Poll::Ready(()) }
        });
        // Nothing that came in time is no error.
        runtime.block_on(async {
            if is_short(wait) {
                select(pin!(come), pin!(alarm.after(wait))).await;
            } else {
                let _ = tokio::time::timeout(wait, come).await;
            }
        });
        done
    }
}

impl Lanes for PostgresLanes {
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let lane = &self.lanes[lane as usize];
        let ask = lane.ask(&request)?;
        let within = if matches!(ask, Ask::Commit { .. }) { None } else { lane.open() };
        self.unsent.push(Box::pin(lane.clone().answer(token, ask, within)));
        Ok(())
    }

    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let done = self.wait(wait);
        let shared = &self.opening.shared;
        for (token, piece) in shared.pieces.borrow_mut().drain(..) {
            sink(token, Answer::SomeRows(&piece));
        }
        for (token, came) in done {
            match came {
                Ok(StatementResult::Written(written)) => sink(token, Answer::Written(written)),
                Ok(StatementResult::Incremented) => sink(token, Answer::Incremented),
                Ok(StatementResult::Rows(rows)) => sink(token, Answer::Rows(&rows)),
                Ok(StatementResult::Row(None)) => sink(token, Answer::Value(None)),
                Ok(StatementResult::Row(Some(row))) => {
                    self.row.clear();
                    match copy_fields(&shared.types, &row, Projection::AfterKey, &mut self.row) {
                        Ok(()) => sink(token, Answer::Value(Some(self.row.raw()))),
                        Err(error) => sink(token, Answer::Failed(failed(error))),
                    }
                }
                Err(error) => sink(token, Answer::Failed(error)),
            }
        }
        Ok(())
    }

    fn reconnect(&mut self, lane: u32) -> Result<(), StoreError> {
        self.lanes[lane as usize] = self.runtime.block_on(self.opening.lane())?;
        self.connects += 1;
        Ok(())
    }

    fn connects(&self) -> u64 {
        self.connects
    }

    /// A load of many rows in one request is one transaction by itself.
    fn commits(&self) -> bool {
        let phase = &self.opening.shared.phase;
        phase.commit_every > 1 && phase.load().is_none_or(|load| load == Load::Row)
    }

    fn rows(&self, mut came: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = &self.opening.shared.table.rows.keys;
        while let Some(key) = part(&mut came) {
            let seen = match <[u8; 8]>::try_from(key) {
                Ok(int) if !keys.is_text() => keys.seen_int(i64::from_le_bytes(int)),
                _ => keys.seen_text(key),
            };
            sink.raw(seen, part(&mut came).ok_or_else(|| StoreError::store("a row without a value"))?);
        }
        Ok(())
    }
}
