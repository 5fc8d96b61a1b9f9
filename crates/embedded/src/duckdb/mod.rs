//! `duckdb`: DuckDB through its C interface, in this process; the library is opened at run time. Rows live in a table
//! with a real column a field.
//!
//! A process has one open database, and every worker a connection of its own with all statements of its phase
//! prepared. Two transactions that change one row are refused by DuckDB, not made to wait; rows have one writer here,
//! and counters, which have many, are written under a lock of this process.

mod api;
mod connection;
mod sql;

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use kurabe_protocol::{Capabilities, FieldType, Job, Layout, LoadPath, Operation, Phase, ReadScope};

use crate::common::library::OpenLibrary;
use crate::common::single_open::SingleOpen;
use api::{Database, Functions, Session};
use connection::DuckDbConnection;
use kurabe_client::adapter::{Answers, Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::{folder_bytes, folder_of};
use kurabe_client::common::refusals::refuse_snapshot_and_writes;
use sql::{SETTINGS, Sql};

/// A database file.
pub struct DuckDb {
    functions: &'static Functions,
    folder: PathBuf,
    database: SingleOpen<Database>,
    sql: Arc<Sql>,
    counters: &'static Mutex<()>,
}

impl Store for DuckDb {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<DuckDb, StoreError> {
        let folder = folder_of(job, "duckdb")?.to_path_buf();
        let (settings, without_log) = sql::settings(job)?;
        let library = OpenLibrary::open(job, "libduckdb.so", "install DuckDB 1.2 or newer")?;
        // The library itself is open for as long as the process, so its functions and the lock may be too.
        let functions: &'static Functions = Box::leak(Box::new(Functions::find(&library, "duckdb_")?));
        let file = folder.join("data.duckdb");
        let database = SingleOpen::new(move || Database::open(functions, &file, &settings, without_log));
        database.get()?;
        let counters = Box::leak(Box::default());
        Ok(DuckDb { functions, folder, database, sql: Arc::new(Sql::new(job, layout)), counters })
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities {
            load_paths: vec![LoadPath::Row, LoadPath::Batch, LoadPath::Bulk],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            // A load inserts: it is refused where the row is there.
            passes: false,
            ..Capabilities::of_columns()
        };
        if self.sql.schema.values().iter().any(|field| field.field_type == FieldType::Int64) {
            capabilities.operations.push(Operation::Search);
        }
        capabilities
    }

    fn libraries(&self) -> Texts {
        Texts::from([("duckdb".into(), self.functions.version())])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.session()?.run("SELECT 1").map(|_| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("version".into(), self.session()?.run("SELECT version()")?.text()?)]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let session = self.session()?;
        let read = |name: &&str| {
            let value = session.run(&format!("SELECT current_setting('{name}')::VARCHAR"))?.text()?;
            Ok(((*name).to_string(), value))
        };
        SETTINGS.iter().map(read).collect()
    }

    fn create(&self) -> Result<(), StoreError> {
        let session = self.session()?;
        session.run(&self.sql.remove())?;
        session.run(&self.sql.create()).map(|_| ())
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.session()?.run(&self.sql.remove()).map(|_| ())
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.number(&self.sql.count())
    }

    /// Length of the file and its log; what DuckDB tells of itself is rounded for people.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        folder_bytes(&self.folder)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.number(&self.sql.sum())
    }
}

impl DuckDb {
    fn session(&self) -> Result<Session, StoreError> {
        Session::new(&self.database.get()?)
    }

    fn number(&self, sql: &str) -> Result<u64, StoreError> {
        u64::try_from(self.session()?.run(sql)?.number()?).map_err(StoreError::store)
    }
}

impl Blocking for DuckDb {
    type Connection = DuckDbConnection;

    fn connect(&self, phase: &Phase) -> Result<DuckDbConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let Some(database) = self.database.for_phase(phase)? else { return Ok(DuckDbConnection::idle()) };
        // A transaction sees the data as it was when it began, but here each read is one of its own.
        let apart = phase.commit_every > 1 && phase.writes();
        let reads = apart.then(|| Session::new(&database)).transpose()?;
        DuckDbConnection::new(Session::new(&database)?, reads, &self.sql, phase, self.counters)
    }

    /// The lock of the file lets one opener in: several connections wait for one another here.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.database.reopen(|database| {
            let session = Session::new(&Arc::new(database))?;
            connection::read_once(&Rc::new(session), &self.sql, answers)
        })
    }
}
