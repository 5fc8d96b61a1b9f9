//! One connection and its transactions.

use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{Load, Operation, Phase, ReadScope};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, Statement};

use super::store_error;
use super::table::{Give, Param, Table, copy_fields};
use crate::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, Written};
use crate::stores::common::transaction::Transaction;

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

/// What the phase needs, and nothing else: each is a round trip when it connects.
struct Statements {
    load: Option<Statement>,
    insert: Option<Statement>,
    insert_many: Option<Statement>,
    select: Option<Statement>,
    update: Option<Statement>,
    delete: Option<Statement>,
    scan: Option<Statement>,
    latest: Option<Statement>,
    select_many: Option<Statement>,
    increment: Option<Statement>,
    search: Option<Statement>,
}

type Which = fn(&Statements) -> Option<&Statement>;

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
            statements: Statements::prepare(&mut client, table, phase).map_err(|error| store_error(&error))?,
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

    fn write(&mut self, which: Which, params: &[Param<'_>]) -> Result<u64, StoreError> {
        self.begin()?;
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(Param::as_sql).collect();
        let done = self.client.execute(statement, &params);
        done.map_err(|error| self.fail(&error))
    }

    /// One INSERT for all rows, each column as an array.
    fn insert_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let mut columns: Vec<Array<'_>> = self.types.iter().map(|kind| Array::new(*kind, rows.len())).collect();
        for row in rows {
            columns.iter_mut().zip(self.table.row_params(row)).for_each(|(column, param)| column.push(param));
        }
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Array::param).collect();
        let statement = self.statements.insert_many.as_ref().ok_or(StoreError::Unsupported)?;
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
    fn stream(&mut self, which: Which, params: &[Param<'_>], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let mut rows =
            self.client.query_raw(statement, params.iter().map(Param::as_sql)).map_err(|error| store_error(&error))?;
        while let Some(answer) = rows.next().map_err(|error| store_error(&error))? {
            let key = self.table.seen(&answer).map_err(|error| store_error(&error))?;
            sink.fields(key, |out| {
                copy_fields(&self.types, &answer, Give::All, out).map_err(|error| store_error(&error))
            })?;
        }
        Ok(())
    }
}

impl Statements {
    fn prepare(client: &mut Client, table: &Table, phase: &Phase) -> Result<Statements, postgres::Error> {
        let reads = phase.does(Operation::Read) || phase.does(Operation::Open);
        let field = phase.search().and_then(|search| table.rows.field(&search.field));
        let search = field.map(|field| client.prepare(&table.rows.search(field))).transpose()?;
        let mut prepare = |wanted: bool, text: String| wanted.then(|| client.prepare(&text)).transpose();
        Ok(Statements {
            load: prepare(phase.load() == Some(Load::Row), table.rows.insert())?,
            insert: prepare(phase.does(Operation::Insert), table.insert_new())?,
            insert_many: prepare(matches!(phase.load(), Some(Load::Batch { .. })), table.insert_many())?,
            select: prepare(reads, table.rows.select())?,
            update: prepare(phase.does(Operation::Update), table.rows.update())?,
            delete: prepare(phase.does(Operation::Delete), table.rows.delete())?,
            scan: prepare(phase.does(Operation::Scan), table.rows.scan())?,
            latest: prepare(phase.does(Operation::Latest), table.rows.latest())?,
            select_many: prepare(phase.does(Operation::MultiRead), table.select_many())?,
            increment: prepare(phase.does(Operation::Increment), table.increment())?,
            search,
        })
    }
}

impl Connection for PostgresConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let params = self.table.row_params(row);
        self.write(|statements| statements.load.as_ref(), &params).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(|statements| statements.insert.as_ref(), &params)?;
        Ok(if rows == 0 { Written::Exists } else { Written::Done })
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let param = self.table.key_param(key);
        let statement = self.statements.select.as_ref().ok_or(StoreError::Unsupported)?;
        let answer = self.client.query_opt(statement, &[param.as_sql()]);
        let Some(answer) = answer.map_err(|error| self.fail(&error))? else { return Ok(false) };
        out.clear();
        copy_fields(&self.types, &answer, Give::AfterKey, out).map_err(|error| store_error(&error))?;
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let params = self.table.row_params(row);
        let rows = self.write(|statements| statements.update.as_ref(), &params)?;
        Ok(if rows == 0 { Written::Missing } else { Written::Done })
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let param = self.table.key_param(key);
        let rows = self.write(|statements| statements.delete.as_ref(), &[param])?;
        Ok(if rows == 0 { Written::Missing } else { Written::Done })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let (is_open, told) = self.transaction.end();
        if is_open {
            self.client.batch_execute("COMMIT").map_err(|error| store_error(&error))?;
        }
        told
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| statements.scan.as_ref(), &[], sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.stream(|statements| statements.latest.as_ref(), &[Param::Int(i64::from(rows))], sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let field_type = if self.table.rows.keys.is_text() { FieldType::Text } else { FieldType::Int64 };
        let mut keys = Array::new(field_type, answers.keys().len());
        answers.keys().iter().for_each(|key| keys.push(self.table.key_param(key)));
        let statement = self.statements.select_many.as_ref().ok_or(StoreError::Unsupported)?;
        let rows = self.client.query(statement, &[keys.param()]);
        drop(keys);
        for answer in rows.map_err(|error| self.fail(&error))? {
            let key = self.table.seen(&answer).map_err(|error| store_error(&error))?;
            let out = answers
                .found_key(key)
                .ok_or_else(|| StoreError::store("the server gave a row that nobody asked for"))?;
            copy_fields(&self.types, &answer, Give::All, out).map_err(|error| store_error(&error))?;
        }
        Ok(())
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(|statements| statements.increment.as_ref(), &[Param::Int(key.int())]).map(|_| ())
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let bounds = [Param::Int(range.low), Param::Int(range.high)];
        self.stream(|statements| statements.search.as_ref(), &bounds, sink)
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        match self.load {
            Some(Load::Bulk { .. }) => self.copy(rows),
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
