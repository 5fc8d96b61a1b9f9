//! One worker's connection with its statements.

use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, KeyMap, Load, Operation, Phase, ReadScope, ReturnedKey};

use super::api::{Answer, Appender, Column, Rows, Session, Statement, Value};
use super::sql::Sql;
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};
use kurabe_client::common::refusals::nothing_open;

/// Types of key and values, in the order of the columns.
#[derive(Clone)]
struct Types {
    keys: KeyMap,
    values: Vec<FieldType>,
}

impl Types {
    fn of(sql: &Sql) -> Types {
        let values = sql.schema.values().iter().map(|field| field.field_type).collect();
        Types { keys: sql.keys, values }
    }

    #[inline(always)]
    fn key_value<'a>(&self, key: &'a Key) -> Value<'a> {
        if key.is_text() { Value::Text(key.text_bytes()) } else { Value::Int(key.int()) }
    }

    /// A key as it is given.
    #[inline(always)]
    fn returned_key<'a>(&self, keys: Column<'a>, row: usize) -> ReturnedKey<'a> {
        if self.keys.is_text() { self.keys.seen_text(keys.bytes(row)) } else { self.keys.seen_int(keys.int(row)) }
    }

    /// Copies the values of a row; they begin in column `first`.
    #[inline(always)]
    fn copy(&self, rows: &Rows<'_>, row: usize, first: usize, out: &mut RowBuffer) {
        out.clear();
        for (at, field_type) in (first..).zip(&self.values) {
            let column = rows.column(at);
            match field_type {
                FieldType::Int64 => out.push_int(column.int(row)),
                FieldType::Text | FieldType::Bytes => out.push_bytes(column.bytes(row)),
            }
        }
    }

    /// Gives all rows of an answer that begins with the key.
    fn give(&self, mut answer: Answer, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        while let Some(rows) = answer.rows().filter(|rows| rows.len > 0) {
            let keys = rows.column(0);
            for row in 0..rows.len {
                sink.fields(self.returned_key(keys, row), |out| {
                    self.copy(&rows, row, 1, out);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Hands key and values of a row to `take`, in the order of the columns.
    #[inline(always)]
    fn each<'a>(
        &self,
        row: &'a Row<'_>,
        mut take: impl FnMut(Value<'a>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        take(self.key_value(&row.key))?;
        row.layout.fields(row.raw).try_for_each(|field| {
            take(match field {
                FieldValue::Int(number) => Value::Int(number),
                FieldValue::Text(text) => Value::Text(text.as_bytes()),
                FieldValue::Bytes(bytes) => Value::Bytes(bytes),
            })
        })
    }

    /// Runs a statement that writes a row; tells how many it wrote.
    #[inline(always)]
    fn write(&self, statement: &mut Statement, row: &Row<'_>) -> Result<u64, StoreError> {
        let mut at = 0;
        self.each(row, |value| {
            at += 1;
            statement.bind(at, value)
        })?;
        statement.execute().map(|mut answer| answer.changed())
    }

    #[inline(always)]
    fn read(&self, statement: &mut Statement, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        statement.bind(1, self.key_value(key))?;
        let mut answer = statement.execute()?;
        let Some(rows) = answer.rows().filter(|rows| rows.len > 0) else { return Ok(false) };
        self.copy(&rows, 0, 0, out);
        Ok(true)
    }
}

/// Reads rows without a connection that stays.
pub fn read_once(session: &Rc<Session>, sql: &Sql, answers: &mut Answers) -> Result<(), StoreError> {
    let (types, mut read) = (Types::of(sql), session.prepare(&sql.read())?);
    answers.one_by_one(|key, out| types.read(&mut read, key, out))
}

/// The statements that a phase needs; the others would only take time to prepare.
struct Statements {
    load: Option<Statement>,
    insert: Option<Statement>,
    read: Option<Statement>,
    update: Option<Statement>,
    delete: Option<Statement>,
    scan: Option<Statement>,
    latest: Option<Statement>,
    search: Option<Statement>,
    increment: Option<Statement>,
    /// Rows of one request and the statement that writes them.
    load_many: Option<(usize, Statement)>,
    /// Keys of one request and the statement that reads their rows.
    read_many: Option<(usize, Statement)>,
    begin: Statement,
    commit: Statement,
    rollback: Statement,
}

impl Statements {
    /// Reads are prepared in the session `reads`.
    fn prepare(session: &Rc<Session>, reads: &Rc<Session>, sql: &Sql, phase: &Phase) -> Result<Statements, StoreError> {
        let of = |operation: Operation| match operation {
            Operation::Read | Operation::Scan | Operation::Latest => reads,
            _ => session,
        };
        let wanted = |operation: Operation, text: String| {
            phase.does(operation).then(|| of(operation).prepare(&text)).transpose()
        };
        let search = phase.search().map(|search| reads.prepare(&sql.search(&search.field))).transpose()?;
        let load_many = match phase.load() {
            Some(Load::Batch { rows }) => Some((rows as usize, session.prepare(&sql.write(rows))?)),
            None | Some(Load::Row | Load::Bulk { .. }) => None,
        };
        let keys = phase.multi_read_rows().map(|keys| keys as usize);
        let read_many =
            keys.map(|keys| Ok::<_, StoreError>((keys, reads.prepare(&sql.read_many(keys))?))).transpose()?;
        Ok(Statements {
            load: wanted(Operation::Load, sql.write(1))?,
            insert: wanted(Operation::Insert, sql.insert())?,
            read: wanted(Operation::Read, sql.read())?,
            update: wanted(Operation::Update, sql.update())?,
            delete: wanted(Operation::Delete, sql.delete())?,
            scan: wanted(Operation::Scan, sql.scan())?,
            latest: wanted(Operation::Latest, sql.latest())?,
            search,
            increment: wanted(Operation::Increment, sql.increment())?,
            load_many,
            read_many,
            begin: session.prepare("BEGIN TRANSACTION")?,
            commit: session.prepare("COMMIT")?,
            rollback: session.prepare("ROLLBACK")?,
        })
    }
}

/// A connection, without anything in phases whose operations open the file themselves.
pub struct DuckDbConnection {
    open: Option<Open>,
}

struct Open {
    statements: Statements,
    appender: Option<Appender>,
    /// Where reads are made: apart from the open transaction, which sees nothing of what others commit meanwhile.
    reads: Rc<Session>,
    sql: Arc<Sql>,
    types: Types,
    commit_every: u32,
    /// Whether writes wait for their commit; otherwise every statement commits by itself.
    open: bool,
    /// Whether an error undid writes since the last commit.
    torn: bool,
    /// Counters are written under it: DuckDB refuses what would have to wait.
    counters: &'static Mutex<()>,
    /// Whether transactions of this phase may increment.
    increments: bool,
    /// The lock, from the begin of such a transaction until its end.
    held: Option<MutexGuard<'static, ()>>,
}

impl DuckDbConnection {
    /// A connection without a database.
    pub fn idle() -> DuckDbConnection {
        DuckDbConnection { open: None }
    }

    /// `reads` is a second session, where reads need one.
    pub fn new(
        session: Session,
        reads: Option<Session>,
        sql: &Arc<Sql>,
        phase: &Phase,
        counters: &'static Mutex<()>,
    ) -> Result<DuckDbConnection, StoreError> {
        let session = Rc::new(session);
        let reads = reads.map_or_else(|| session.clone(), Rc::new);
        let statements = Statements::prepare(&session, &reads, sql, phase)?;
        let bulk = matches!(phase.load(), Some(Load::Bulk { .. }));
        let appender = bulk.then(|| session.appender(sql.name())).transpose()?;
        if phase.read_scope == ReadScope::Snapshot {
            // The snapshot is that of the first look at the table. The end of the session ends it.
            session.run("BEGIN TRANSACTION READ ONLY")?;
            session.run(&format!("{} LIMIT 1", sql.scan()))?;
        }
        let (types, sql) = (Types::of(sql), sql.clone());
        let (commit_every, increments) = (phase.commit_every, phase.does(Operation::Increment));
        let (open, torn, held) = (false, false, None);
        let open =
            Open { statements, appender, reads, sql, types, commit_every, open, torn, counters, increments, held };
        Ok(DuckDbConnection { open: Some(open) })
    }

    #[inline(always)]
    fn open(&mut self) -> Result<&mut Open, StoreError> {
        self.open.as_mut().ok_or_else(nothing_open)
    }
}

impl Open {
    /// Begins the transaction of the next `commit_every` writes, where there is more than one.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.commit_every == 1 || self.open {
            return Ok(());
        }
        self.begin_now()
    }

    fn begin_now(&mut self) -> Result<(), StoreError> {
        if self.increments {
            // Before the begin: what others commit to counters later, this transaction could only collide with.
            self.held = Some(self.counters.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.statements.begin.execute()?;
        self.open = true;
        Ok(())
    }

    /// After most errors DuckDB takes nothing but the rollback, so nothing more is lost by it.
    #[cold]
    fn failed(&mut self, error: StoreError) -> StoreError {
        if std::mem::take(&mut self.open) {
            self.torn = true;
            // Its own error would hide the first one.
            let _ = self.statements.rollback.execute();
        }
        self.held = None;
        error
    }

    /// Does a write in the transaction that is open, or by itself.
    #[inline(always)]
    fn write(
        &mut self,
        write: impl FnOnce(&mut Statements, &Types) -> Result<u64, StoreError>,
    ) -> Result<u64, StoreError> {
        self.begin()?;
        write(&mut self.statements, &self.types).map_err(|error| self.failed(error))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if let Some(appender) = &mut self.appender {
            appender.flush()?;
        }
        if std::mem::take(&mut self.torn) {
            let error = StoreError::store("an earlier error undid writes of this transaction");
            self.failed(error.clone());
            self.torn = false;
            return Err(error);
        }
        if !self.open {
            return Ok(());
        }
        let committed = self.statements.commit.execute().map(|_| ());
        (self.open, self.held) = (false, None);
        committed
    }

    fn append(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let appender = prepared(&mut self.appender)?;
        self.types.each(row, |value| appender.append(value))?;
        appender.end_row()
    }
}

/// What the phase has prepared; the loop asks for nothing that the phase does not do.
#[inline(always)]
fn prepared<T>(what: &mut Option<T>) -> Result<&mut T, StoreError> {
    what.as_mut().ok_or(StoreError::Unsupported)
}

fn written(rows: u64, otherwise: WriteOutcome) -> WriteOutcome {
    if rows == 0 { otherwise } else { WriteOutcome::Done }
}

impl Connection for DuckDbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let done = self.open()?.write(|statements, types| types.write(prepared(&mut statements.load)?, row));
        done.map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let done = self.open()?.write(|statements, types| types.write(prepared(&mut statements.insert)?, row));
        done.map(|rows| written(rows, WriteOutcome::Exists))
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let Open { statements, types, .. } = self.open()?;
        types.read(prepared(&mut statements.read)?, key, out)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let done = self.open()?.write(|statements, types| types.write(prepared(&mut statements.update)?, row));
        done.map(|rows| written(rows, WriteOutcome::Missing))
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let done = self.open()?.write(|statements, types| {
            let statement = prepared(&mut statements.delete)?;
            statement.bind(1, types.key_value(key))?;
            statement.execute().map(|mut answer| answer.changed())
        });
        done.map(|rows| written(rows, WriteOutcome::Missing))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.open()?.commit()
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Open { statements, types, .. } = self.open()?;
        types.give(prepared(&mut statements.scan)?.execute()?, sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Open { statements, types, .. } = self.open()?;
        let statement = prepared(&mut statements.latest)?;
        statement.bind(1, Value::Int(i64::from(rows)))?;
        types.give(statement.execute()?, sink)
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Open { statements, types, .. } = self.open()?;
        let statement = prepared(&mut statements.search)?;
        statement.bind(1, Value::Int(range.low))?;
        statement.bind(2, Value::Int(range.high))?;
        types.give(statement.execute()?, sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let Open { statements, types, reads, sql, .. } = self.open()?;
        let keys = answers.keys().len();
        if statements.read_many.as_ref().is_none_or(|(prepared, _)| *prepared != keys) {
            // Only where there are fewer rows than the phase wants to read at a time.
            statements.read_many = Some((keys, reads.prepare(&sql.read_many(keys))?));
        }
        let (_, statement) = prepared(&mut statements.read_many)?;
        for (at, key) in (1..).zip(answers.keys()) {
            statement.bind(at, types.key_value(key))?;
        }
        let mut answer = statement.execute()?;
        while let Some(rows) = answer.rows().filter(|rows| rows.len > 0) {
            for row in 0..rows.len {
                let key = types.returned_key(rows.column(0), row);
                let Some(out) = answers.found_key(key) else {
                    return Err(StoreError::store(format!("{key:?} was not asked for")));
                };
                types.copy(&rows, row, 1, out);
            }
        }
        Ok(())
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let open = self.open()?;
        let alone = open.commit_every == 1;
        let _held = alone.then(|| open.counters.lock().unwrap_or_else(PoisonError::into_inner));
        let done = open.write(|statements, _| {
            let statement = prepared(&mut statements.increment)?;
            statement.bind(1, Value::Int(key.int()))?;
            statement.execute().map(|mut answer| answer.changed())
        });
        done.map(|_| ())
    }

    /// `bulk` is the appender, which the commit flushes. A full `batch` is one statement; a shorter one, the last of a
    /// worker, is written row by row in one transaction.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let open = self.open()?;
        if open.appender.is_some() {
            return rows.iter().try_for_each(|row| open.append(row));
        }
        if let Some((batch_rows, statement)) = &mut open.statements.load_many
            && *batch_rows == rows.len()
        {
            let mut at = 0;
            for row in rows {
                open.types.each(row, |value| {
                    at += 1;
                    statement.bind(at, value)
                })?;
            }
            return statement.execute().map(|_| ());
        }
        open.begin_now()?;
        rows.iter().try_for_each(|row| self.load(row))
    }
}
