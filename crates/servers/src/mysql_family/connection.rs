//! One connection and its transactions.

use kurabe_protocol::{Phase, ReadScope};
use mysql::prelude::Queryable;
use mysql::{Conn, Params, Statement, Value};

use super::statements::Statements;
use super::store_error;
use super::table::{Table, copy_fields};
use crate::common::transaction::Transaction;
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};

/// <https://mariadb.com/kb/en/mariadb-error-code-reference/>
const DUPLICATE_KEY: u16 = 1062;
const DEADLOCK: u16 = 1213;
/// So often one increment is tried again after a deadlock.
const RETRIES: u32 = 1000;
/// What a connection runs first whose transactions hold reads beside writes of others: REPEATABLE READ, the default, would show
/// it what was there when the transaction read first, and the workers of this client know of each other's commits.
/// <https://dev.mysql.com/doc/refman/8.4/en/innodb-transaction-isolation-levels.html>
const SEES_COMMITS: &str = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// Whether a phase needs that.
fn sees_commits(phase: &Phase) -> bool {
    phase.commit_every > 1 && phase.mix().is_some()
}

/// What begins the one snapshot that a worker reads from.
const SNAPSHOT: &str = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";

/// A connection of one worker, with the statements of its phase prepared.
pub struct ServerConnection {
    conn: Conn,
    table: Table,
    statements: Statements,
    transaction: Transaction,
    retries: u64,
}

impl ServerConnection {
    pub(super) fn open(mut conn: Conn, table: &Table, phase: &Phase) -> Result<ServerConnection, StoreError> {
        let prepared = Statements::prepare(table, phase, &mut conn);
        let statements = prepared.map_err(|error| store_error(&error))?;
        if phase.read_scope == ReadScope::Snapshot {
            if phase.writes() {
                return Err(StoreError::store("read scope 'snapshot' needs a phase that only reads"));
            }
            conn.query_drop(SNAPSHOT).map_err(|error| store_error(&error))?;
        }
        if sees_commits(phase) {
            conn.query_drop(SEES_COMMITS).map_err(|error| store_error(&error))?;
        }
        Ok(ServerConnection {
            conn,
            table: table.clone(),
            statements,
            transaction: Transaction::new(phase),
            retries: 0,
        })
    }

    /// Opens a transaction where writes are committed together.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.transaction.must_begin() {
            self.conn.query_drop("BEGIN").map_err(|error| store_error(&error))?;
            self.transaction.begun();
        }
        Ok(())
    }

    /// Some errors end the transaction and others only the statement; it is ended after all of them.
    #[cold]
    fn fail(&mut self, error: &mysql::Error) -> StoreError {
        let error = store_error(error);
        if self.transaction.fail(&error) {
            // A connection that cannot even roll back fails in the next statement.
            let _ = self.conn.query_drop("ROLLBACK");
        }
        error
    }

    /// Runs a prepared statement; how many rows it matched.
    #[inline(always)]
    fn execute(&mut self, which: fn(&Statements) -> Option<&Statement>, params: Vec<Value>) -> Result<u64, WriteError> {
        self.begin().map_err(WriteError::Failed)?;
        let statement = which(&self.statements).ok_or(WriteError::Failed(StoreError::Unsupported))?;
        match self.conn.exec_drop(statement, Params::Positional(params)) {
            Ok(()) => Ok(self.conn.affected_rows()),
            Err(mysql::Error::MySqlError(server)) if server.code == DUPLICATE_KEY => Err(WriteError::Exists),
            Err(mysql::Error::MySqlError(server)) if server.code == DEADLOCK && self.transaction.commits_each() => {
                Err(WriteError::Deadlock(StoreError::store(server.message)))
            }
            Err(error) => Err(WriteError::Failed(self.fail(&error))),
        }
    }

    /// Adds 1 to a counter, and makes it where it is not there: another connection may make it first, which the second
    /// statement allows for.
    #[inline(always)]
    fn add_or_make(&mut self, counter: i64) -> Result<(), WriteError> {
        let params = || vec![Value::Int(counter)];
        if self.statements.add.is_some() {
            let met = self.execute(|statements| statements.add.as_ref(), params())?;
            if met > 0 || !self.table.keeps_counters() {
                return Ok(());
            }
            if self.statements.increment.is_none() {
                let prepared = self.conn.prep(self.table.increment());
                self.statements.increment = Some(prepared.map_err(|error| WriteError::Failed(store_error(&error)))?);
            }
        }
        self.execute(|statements| statements.increment.as_ref(), params()).map(drop)
    }

    #[inline(always)]
    fn row_params(&self, row: &Row<'_>) -> Vec<Value> {
        let mut params = Vec::with_capacity(self.table.width());
        params.push(self.table.key_param(&row.key));
        params.extend(self.table.field_params(row));
        params
    }

    /// Gives every row of a query to `sink`, as the server sends them.
    fn stream(
        &mut self,
        which: fn(&Statements) -> Option<&Statement>,
        params: Vec<Value>,
        sink: &mut RowSink<'_>,
    ) -> Result<(), StoreError> {
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let params = if params.is_empty() { Params::Empty } else { Params::Positional(params) };
        let rows = self.conn.exec_iter(statement, params).map_err(|error| store_error(&error))?;
        for answer in rows {
            let answer = answer.map_err(|error| store_error(&error))?;
            sink.fields(self.table.returned_key(&answer), |out| copy_fields(&answer, 1, out))?;
        }
        Ok(())
    }
}

/// What became of a statement that did not do its work.
enum WriteError {
    Exists,
    /// Two connections waited for each other; nothing was written.
    Deadlock(StoreError),
    Failed(StoreError),
}

impl WriteError {
    /// The error where a duplicate key is none that a caller expects.
    fn into_store_error(self) -> StoreError {
        match self {
            WriteError::Exists => StoreError::store("the key exists already"),
            WriteError::Deadlock(error) | WriteError::Failed(error) => error,
        }
    }
}

fn done_or_missing(rows: Result<u64, WriteError>) -> Result<WriteOutcome, StoreError> {
    let rows = rows.map_err(WriteError::into_store_error)?;
    Ok(if rows == 0 { WriteOutcome::Missing } else { WriteOutcome::Done })
}

impl Connection for ServerConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let params = self.row_params(row);
        self.execute(|statements| statements.insert.as_ref(), params).map(|_| ()).map_err(WriteError::into_store_error)
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let params = self.row_params(row);
        match self.execute(|statements| statements.insert.as_ref(), params) {
            Ok(_) => Ok(WriteOutcome::Done),
            // The statement alone is undone; the transaction goes on.
            Err(WriteError::Exists) => Ok(WriteOutcome::Exists),
            Err(error) => Err(error.into_store_error()),
        }
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let params = Params::Positional(vec![self.table.key_param(key)]);
        let statement = self.statements.select.as_ref().ok_or(StoreError::Unsupported)?;
        let answer: Result<Option<mysql::Row>, _> = self.conn.exec_first(statement, params);
        let Some(answer) = answer.map_err(|error| self.fail(&error))? else { return Ok(false) };
        out.clear();
        copy_fields(&answer, 0, out)?;
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let mut params = Vec::with_capacity(self.table.width());
        params.extend(self.table.field_params(row));
        params.push(self.table.key_param(&row.key));
        done_or_missing(self.execute(|statements| statements.update.as_ref(), params))
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let params = vec![self.table.key_param(key)];
        done_or_missing(self.execute(|statements| statements.delete.as_ref(), params))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let (is_open, told) = self.transaction.end();
        if is_open {
            self.conn.query_drop("COMMIT").map_err(|error| store_error(&error))?;
        }
        told
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| statements.scan.as_ref(), Vec::new(), sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| statements.latest.as_ref(), vec![Value::from(rows)], sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let mut params: Vec<Value> = answers.keys().iter().map(|key| self.table.key_param(key)).collect();
        let (keys, statement) = self.statements.select_many.as_ref().ok_or(StoreError::Unsupported)?;
        // Where fewer keys exist than the phase asks for, one of them is named again.
        let last = params.last().cloned().ok_or_else(|| StoreError::store("a multi-read without keys"))?;
        params.resize(*keys, last);
        let rows = self.conn.exec_iter(statement, Params::Positional(params)).map_err(|error| store_error(&error))?;
        for answer in rows {
            let answer = answer.map_err(|error| store_error(&error))?;
            let out = answers
                .found_key(self.table.returned_key(&answer))
                .ok_or_else(|| StoreError::store("the server gave a row that nobody asked for"))?;
            copy_fields(&answer, 1, out)?;
        }
        Ok(())
    }

    /// Connections that make the same counters may deadlock; where the statement is its own transaction it is tried again.
    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        for _ in 0..RETRIES {
            match self.add_or_make(key.int()) {
                Err(WriteError::Deadlock(_)) => self.retries += 1,
                done => return done.map_err(WriteError::into_store_error),
            }
        }
        Err(StoreError::store(format!("deadlocks, {RETRIES} times one after the other")))
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let bounds = vec![Value::Int(range.low), Value::Int(range.high)];
        self.stream(|statements| statements.search.as_ref(), bounds, sink)
    }

    /// One INSERT for as many rows as a statement takes. The last of a load may be shorter and is prepared for itself.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        self.begin()?;
        let Some(many) = self.statements.insert_many.as_ref().map(|(many, _)| *many) else {
            return Err(StoreError::Unsupported);
        };
        for rows in rows.chunks(many) {
            let mut params = Vec::with_capacity(rows.len() * self.table.width());
            for row in rows {
                params.push(self.table.key_param(&row.key));
                params.extend(self.table.field_params(row));
            }
            let params = Params::Positional(params);
            let prepared = self.statements.insert_many.as_ref().filter(|(many, _)| rows.len() == *many);
            let done = match prepared {
                Some((_, statement)) => self.conn.exec_drop(statement, params),
                None => self.conn.prep(self.table.insert(rows.len())).and_then(|statement| {
                    self.conn.exec_drop(&statement, params)?;
                    self.conn.close(statement)
                }),
            };
            done.map_err(|error| self.fail(&error))?;
        }
        Ok(())
    }

    fn retries(&self) -> u64 {
        self.retries
    }
}
