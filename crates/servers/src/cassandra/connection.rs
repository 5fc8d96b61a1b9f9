//! One worker's connection.

use std::sync::Arc;

use kurabe_protocol::{Operation, Phase};
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;

use super::session::{Session, rows};
use super::table::{Param, Params, Table, values};
use crate::common::connection_loss::ConnectionLoss;
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};

/// A connection of one worker, with every statement of its phase prepared.
pub struct CassandraConnection {
    session: Session,
    table: Arc<Table>,
    statements: Statements,
    /// The driver would make another connection by itself.
    lost: ConnectionLoss,
}

/// What the phase needs, and nothing else: each is a round trip when it connects.
struct Statements {
    insert: Option<PreparedStatement>,
    select: Option<PreparedStatement>,
    select_many: Option<PreparedStatement>,
    update: Option<PreparedStatement>,
    delete: Option<PreparedStatement>,
    scan: Option<PreparedStatement>,
    search: Option<PreparedStatement>,
    increment: Option<PreparedStatement>,
}

type StatementField = fn(&Statements) -> Option<&PreparedStatement>;

impl Statements {
    fn prepare(session: &Session, table: &Table, phase: &Phase) -> Result<Statements, StoreError> {
        let prepare = |wanted: bool, text: String| wanted.then(|| session.prepare(&text)).transpose();
        let writes = phase.does(Operation::Load) || phase.does(Operation::Insert);
        let reads = phase.does(Operation::Read) || phase.does(Operation::Open);
        let field = phase.search().and_then(|search| table.rows.field(&search.field));
        let search = field.map(|field| session.prepare(&table.search(field))).transpose()?;
        Ok(Statements {
            insert: prepare(writes, table.rows.insert())?,
            select: prepare(reads, table.rows.select())?,
            select_many: prepare(phase.does(Operation::MultiRead), table.select_many())?,
            update: prepare(phase.does(Operation::Update), table.rows.update())?,
            delete: prepare(phase.does(Operation::Delete), table.rows.delete())?,
            scan: prepare(phase.does(Operation::Scan), table.rows.scan())?,
            search,
            increment: prepare(phase.does(Operation::Increment), table.increment())?,
        })
    }
}

impl CassandraConnection {
    pub(super) fn open(session: Session, table: Arc<Table>, phase: &Phase) -> Result<CassandraConnection, StoreError> {
        let statements = Statements::prepare(&session, &table, phase)?;
        Ok(CassandraConnection { session, table, statements, lost: ConnectionLoss::default() })
    }

    #[inline]
    fn execute(&mut self, which: StatementField, values: impl SerializeRow) -> Result<QueryResult, StoreError> {
        self.lost.check()?;
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let outcome = self.session.execute(statement, values);
        self.lost.note(outcome)
    }

    /// Gives every row of a query to `sink`.
    fn stream(
        &mut self,
        which: StatementField,
        values: &[Param<'_>],
        sink: &mut RowSink<'_>,
    ) -> Result<(), StoreError> {
        self.lost.check()?;
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let table = &self.table;
        let outcome = self.session.each(statement, &Params(values), |mut columns| {
            let key = table.returned_key(&mut columns)?;
            sink.fields(key, |out| table.copy(columns, out))
        });
        self.lost.note(outcome)
    }
}

impl Connection for CassandraConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.insert(row).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let mut params = vec![Param::key(&row.key)];
        params.extend(values(row));
        self.execute(|statements| statements.insert.as_ref(), Params(&params)).map(|_| WriteOutcome::Done)
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let answer = self.execute(|statements| statements.select.as_ref(), Params(&[Param::key(key)]))?;
        let (table, mut found) = (&self.table, false);
        rows(answer, &mut |columns| {
            found = true;
            out.clear();
            table.copy(columns, out)
        })?;
        Ok(found)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let mut params: Vec<Param<'_>> = values(row).collect();
        params.push(Param::key(&row.key));
        self.execute(|statements| statements.update.as_ref(), Params(&params)).map(|_| WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let params = [Param::key(key)];
        self.execute(|statements| statements.delete.as_ref(), Params(&params)).map(|_| WriteOutcome::Done)
    }

    /// Every write is acknowledged as the commit log's setting says: there is nothing left to do.
    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| statements.scan.as_ref(), &[], sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let which: StatementField = |statements| statements.select_many.as_ref();
        let answer = if self.table.rows.keys.is_text() {
            let keys: Vec<&str> = answers.keys().iter().map(Key::text).collect();
            self.execute(which, (keys,))?
        } else {
            let keys: Vec<i64> = answers.keys().iter().map(Key::int).collect();
            self.execute(which, (keys,))?
        };
        let table = &self.table;
        rows(answer, &mut |mut columns| {
            let key = table.returned_key(&mut columns)?;
            let out = answers
                .found_key(key)
                .ok_or_else(|| StoreError::store("the server gave a row that nobody asked for"))?;
            table.copy(columns, out)
        })
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.execute(|statements| statements.increment.as_ref(), Params(&[Param::Int(key.int())])).map(|_| ())
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let bounds = [Param::Int(range.low), Param::Int(range.high)];
        self.stream(|statements| statements.search.as_ref(), &bounds, sink)
    }
}
