//! One connection and its transactions.

use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{Load, Phase, ReadScope};
use postgres::Client;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};

use super::statements::{StatementKind, Statements};
use super::table::{Array, Param, Projection, Table, copy_fields};
use super::{BEGIN_SNAPSHOT, store_error};
use crate::common::transaction::Transaction;
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};
use kurabe_client::common::refusals::refuse_snapshot_and_writes;

/// A connection of one worker, with every statement prepared.
pub struct PostgresConnection {
    client: Client,
    table: Table,
    types: Vec<FieldType>,
    statements: Statements,
    /// How it loads, in a phase that does.
    load: Option<Load>,
    transaction: Transaction,
}

impl PostgresConnection {
    pub(super) fn open(mut client: Client, table: &Table, phase: &Phase) -> Result<PostgresConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        if phase.read_scope == ReadScope::Snapshot {
            client.batch_execute(BEGIN_SNAPSHOT).map_err(|error| store_error(&error))?;
        }
        Ok(PostgresConnection {
            statements: prepare(&mut client, table, phase).map_err(|error| store_error(&error))?,
            client,
            types: table.field_types(),
            table: table.clone(),
            load: phase.load(),
            transaction: Transaction::new(phase),
        })
    }

    /// Opens a transaction where writes are committed together.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.transaction.must_begin() {
            self.client.batch_execute("BEGIN").map_err(|error| store_error(&error))?;
            self.transaction.begun();
        }
        Ok(())
    }

    /// After an error a server refuses everything until the transaction ends.
    #[cold]
    fn fail(&mut self, error: &postgres::Error) -> StoreError {
        let error = store_error(error);
        if self.transaction.fail(&error) {
            // A connection that cannot even roll back fails in the next statement.
            let _ = self.client.batch_execute("ROLLBACK");
        }
        error
    }

    fn write(&mut self, which: StatementKind, params: &[Param<'_>]) -> Result<u64, StoreError> {
        self.begin()?;
        let statement = self.statements.get(which)?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(Param::as_sql).collect();
        let done = self.client.execute(statement, &params);
        done.map_err(|error| self.fail(&error))
    }

    /// One INSERT for all rows, each column as an array.
    fn insert_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let columns = Array::columns(&self.types, rows.iter().map(|row| self.table.row_params(row)), rows.len());
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Array::param).collect();
        let statement = self.statements.get(StatementKind::InsertMany)?;
        let done = self.client.execute(statement, &params);
        done.map(|_| ()).map_err(|error| self.fail(&error))
    }

    fn copy(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let types: Vec<Type> = self.table.types();
        let client = &mut self.client;
        let table = &self.table;
        let done = client.copy_in(&table.copy()).and_then(|writer| {
            let mut writer = BinaryCopyInWriter::new(writer, &types);
            for row in rows {
                let params = table.row_params(row);
                let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(Param::as_sql).collect();
                writer.write(&params)?;
            }
            writer.finish()
        });
        done.map(|_| ()).map_err(|error| self.fail(&error))
    }

    /// Gives every row of a query to `sink`, as the server sends them.
    fn stream(&mut self, which: StatementKind, params: &[Param<'_>], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let statement = self.statements.get(which)?;
        let mut rows =
            self.client.query_raw(statement, params.iter().map(Param::as_sql)).map_err(|error| store_error(&error))?;
        while let Some(answer) = rows.next().map_err(|error| store_error(&error))? {
            let key = self.table.returned_key(&answer).map_err(|error| store_error(&error))?;
            sink.fields(key, |out| {
                copy_fields(&self.types, &answer, Projection::All, out).map_err(|error| store_error(&error))
            })?;
        }
        Ok(())
    }
}

/// Prepares the statements of the phase; each is a round trip.
fn prepare(client: &mut Client, table: &Table, phase: &Phase) -> Result<Statements, postgres::Error> {
    let mut prepared = Statements::default();
    // COPY is prepared by its own call.
    for which in StatementKind::of(phase).filter(|which| *which != StatementKind::Copy) {
        prepared.keep(which, client.prepare(&which.text(table, phase))?);
    }
    Ok(prepared)
}

impl Connection for PostgresConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let params = self.table.row_params(row);
        self.write(StatementKind::Load, &params).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(StatementKind::Insert, &params)?;
        Ok(if rows == 0 { WriteOutcome::Exists } else { WriteOutcome::Done })
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let param = self.table.key_param(key);
        let statement = self.statements.get(StatementKind::Select)?;
        let answer = self.client.query_opt(statement, &[param.as_sql()]);
        let Some(answer) = answer.map_err(|error| self.fail(&error))? else { return Ok(false) };
        out.clear();
        copy_fields(&self.types, &answer, Projection::AfterKey, out).map_err(|error| store_error(&error))?;
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(StatementKind::Update, &params)?;
        Ok(if rows == 0 { WriteOutcome::Missing } else { WriteOutcome::Done })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let param = self.table.key_param(key);
        let rows = self.write(StatementKind::Delete, &[param])?;
        Ok(if rows == 0 { WriteOutcome::Missing } else { WriteOutcome::Done })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let (is_open, told) = self.transaction.end();
        if is_open {
            self.client.batch_execute("COMMIT").map_err(|error| store_error(&error))?;
        }
        told
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(StatementKind::Scan, &[], sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(StatementKind::Latest, &[Param::Int(i64::from(rows))], sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let keys = self.table.key_array(answers.keys());
        let statement = self.statements.get(StatementKind::SelectMany)?;
        let rows = self.client.query(statement, &[keys.param()]);
        drop(keys);
        for answer in rows.map_err(|error| self.fail(&error))? {
            let key = self.table.returned_key(&answer).map_err(|error| store_error(&error))?;
            let out = answers
                .found_key(key)
                .ok_or_else(|| StoreError::store("the server gave a row that nobody asked for"))?;
            copy_fields(&self.types, &answer, Projection::All, out).map_err(|error| store_error(&error))?;
        }
        Ok(())
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(StatementKind::Increment, &[Param::Int(key.int())]).map(|_| ())
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let bounds = [Param::Int(range.low), Param::Int(range.high)];
        self.stream(StatementKind::Search, &bounds, sink)
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        match self.load {
            Some(Load::Bulk { .. }) => self.copy(rows),
            _ => self.insert_many(rows),
        }
    }
}
