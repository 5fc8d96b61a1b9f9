//! One connection and its transactions.

use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{LoadPath, Phase, ReadScope};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, Statement};

use super::store_error;
use super::table::{Give, Param, Table, copy_fields};
use crate::adapter::{Connection, Key, Row, RowBuffer, RowSink, StoreError, Written};

/// A connection of one worker, with every statement prepared.
pub struct PostgresConnection {
    client: Client,
    table: Table,
    types: Vec<FieldType>,
    statements: Statements,
    load_path: LoadPath,
    commits: Commits,
    transaction: Transaction,
}

struct Statements {
    load: Statement,
    insert: Statement,
    insert_many: Statement,
    select: Statement,
    update: Statement,
    delete: Statement,
    scan: Statement,
    latest: Statement,
}

/// When writes are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Commits {
    /// Each statement by itself.
    Each,
    /// Several together, when the loop says.
    Together,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Transaction {
    Closed,
    Open,
    /// An error ended it, so its writes are lost, whatever was written since; the next commit has to tell.
    RolledBack {
        cause: String,
        open: bool,
    },
}

impl PostgresConnection {
    pub(super) fn open(mut client: Client, table: &Table, phase: &Phase) -> Result<PostgresConnection, StoreError> {
        if phase.read_scope == ReadScope::Snapshot {
            if phase.writes() {
                return Err(StoreError::store("read scope 'snapshot' needs a phase that only reads"));
            }
            // The snapshot is taken by the first statement after this one.
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";
            client.batch_execute(begin).map_err(|error| store_error(&error))?;
        }
        Ok(PostgresConnection {
            statements: Statements::prepare(&mut client, table).map_err(|error| store_error(&error))?,
            client,
            types: table.field_types(),
            table: table.clone(),
            load_path: phase.load_path,
            commits: if phase.commit_every > 1 { Commits::Together } else { Commits::Each },
            transaction: Transaction::Closed,
        })
    }

    /// Opens a transaction where writes are committed together.
    fn begin(&mut self) -> Result<(), StoreError> {
        let is_open = match self.transaction {
            Transaction::Closed => false,
            Transaction::Open => true,
            Transaction::RolledBack { open, .. } => open,
        };
        if self.commits == Commits::Each || is_open {
            return Ok(());
        }
        self.client.batch_execute("BEGIN").map_err(|error| store_error(&error))?;
        match &mut self.transaction {
            Transaction::RolledBack { open, .. } => *open = true,
            closed => *closed = Transaction::Open,
        }
        Ok(())
    }

    /// After an error a server refuses everything until the transaction ends.
    #[cold]
    fn fail(&mut self, error: &postgres::Error) -> StoreError {
        let error = store_error(error);
        if self.transaction != Transaction::Closed {
            // A connection that cannot even roll back fails in the next statement.
            let _ = self.client.batch_execute("ROLLBACK");
            self.transaction = Transaction::RolledBack { cause: error.to_string(), open: false };
        }
        error
    }

    fn write(&mut self, which: fn(&Statements) -> &Statement, params: &[Param<'_>]) -> Result<u64, StoreError> {
        self.begin()?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(Param::as_sql).collect();
        let done = self.client.execute(which(&self.statements), &params);
        done.map_err(|error| self.fail(&error))
    }

    /// One INSERT for all rows, each column as an array.
    fn insert_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let mut columns: Vec<Array<'_>> = self.types.iter().map(|kind| Array::new(*kind, rows.len())).collect();
        for row in rows {
            columns.iter_mut().zip(self.table.row_params(row)).for_each(|(column, param)| column.push(param));
        }
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Array::param).collect();
        let done = self.client.execute(&self.statements.insert_many, &params);
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
    fn stream(
        &mut self,
        which: fn(&Statements) -> &Statement,
        params: &[Param<'_>],
        sink: &mut RowSink<'_>,
    ) -> Result<(), StoreError> {
        let mut rows = self
            .client
            .query_raw(which(&self.statements), params.iter().map(Param::as_sql))
            .map_err(|error| store_error(&error))?;
        while let Some(answer) = rows.next().map_err(|error| store_error(&error))? {
            let row = self.table.row_number(&answer).map_err(|error| store_error(&error))?;
            sink.fields(row, |out| {
                copy_fields(&self.types, &answer, Give::All, out).map_err(|error| store_error(&error))
            })?;
        }
        Ok(())
    }
}

impl Statements {
    fn prepare(client: &mut Client, table: &Table) -> Result<Statements, postgres::Error> {
        Ok(Statements {
            load: client.prepare(&table.insert())?,
            insert: client.prepare(&table.insert_new())?,
            insert_many: client.prepare(&table.insert_many())?,
            select: client.prepare(&table.select())?,
            update: client.prepare(&table.update())?,
            delete: client.prepare(&table.delete())?,
            scan: client.prepare(&table.scan())?,
            latest: client.prepare(&table.latest())?,
        })
    }
}

impl Connection for PostgresConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let params = self.table.row_params(row);
        self.write(|statements| &statements.load, &params).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(|statements| &statements.insert, &params)?;
        Ok(if rows == 0 { Written::Exists } else { Written::Done })
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let param = self.table.key_param(key);
        let answer = self.client.query_opt(&self.statements.select, &[param.as_sql()]);
        let Some(answer) = answer.map_err(|error| self.fail(&error))? else { return Ok(false) };
        out.clear();
        copy_fields(&self.types, &answer, Give::AfterKey, out).map_err(|error| store_error(&error))?;
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(|statements| &statements.update, &params)?;
        Ok(if rows == 0 { Written::Missing } else { Written::Done })
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let param = self.table.key_param(key);
        let rows = self.write(|statements| &statements.delete, &[param])?;
        Ok(if rows == 0 { Written::Missing } else { Written::Done })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let (is_open, lost) = match std::mem::replace(&mut self.transaction, Transaction::Closed) {
            Transaction::Closed => (false, None),
            Transaction::Open => (true, None),
            Transaction::RolledBack { cause, open } => (open, Some(cause)),
        };
        if is_open {
            self.client.batch_execute("COMMIT").map_err(|error| store_error(&error))?;
        }
        match lost {
            None => Ok(()),
            Some(cause) => {
                Err(StoreError::store(format!("writes of this transaction were rolled back after: {cause}")))
            }
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| &statements.scan, &[], sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| &statements.latest, &[Param::Int(i64::from(rows))], sink)
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        match self.load_path {
            LoadPath::Bulk => self.copy(rows),
            _ => self.insert_many(rows),
        }
    }
}

/// A column of many rows.
enum Array<'a> {
    Ints(Vec<i64>),
    Texts(Vec<&'a str>),
    Bytes(Vec<&'a [u8]>),
}

impl<'a> Array<'a> {
    fn new(field_type: FieldType, rows: usize) -> Array<'a> {
        match field_type {
            FieldType::Int64 => Array::Ints(Vec::with_capacity(rows)),
            FieldType::Text => Array::Texts(Vec::with_capacity(rows)),
            FieldType::Bytes => Array::Bytes(Vec::with_capacity(rows)),
        }
    }

    fn push(&mut self, param: Param<'a>) {
        match (self, param) {
            (Array::Ints(values), Param::Int(value)) => values.push(value),
            (Array::Texts(values), Param::Text(value)) => values.push(value),
            (Array::Bytes(values), Param::Bytes(value)) => values.push(value),
            // Both come from one schema. A value left out would be refused by the server: the arrays differ in length.
            _ => {}
        }
    }

    fn param(&self) -> &(dyn ToSql + Sync) {
        match self {
            Array::Ints(values) => values,
            Array::Texts(values) => values,
            Array::Bytes(values) => values,
        }
    }
}
