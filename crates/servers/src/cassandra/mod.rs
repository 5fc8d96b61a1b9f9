//! `cassandra`: a Cassandra node, one blocking connection a worker with a driver of its own, prepared statements.
//!
//! Writes are what a program writes that trusts Cassandra: without a look at what is there.

mod connection;
mod session;
mod table;

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, InsertMode, Job, Layout, LoadPath, Operation, Phase, ReadScope};

use crate::common::absent::Absent;
use kurabe_client::adapter::{Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::versions::libraries;

pub use connection::CassandraConnection;
use session::{Address, Session};
use table::Table;

/// Settings that decide what is kept, what it costs, and how much memory there is.
const SETTINGS: [&str; 16] = [
    "commitlog_segment_size",
    "commitlog_sync",
    "commitlog_sync_group_window",
    "commitlog_sync_period",
    "concurrent_writes",
    "counter_write_request_timeout",
    "file_cache_size",
    "memtable_allocation_type",
    "memtable_heap_space",
    "memtable_offheap_space",
    "native_transport_timeout",
    "periodic_commitlog_sync_lag_block",
    "range_request_timeout",
    "read_request_timeout",
    "trickle_fsync",
    "write_request_timeout",
];

/// A Cassandra node as one job uses it.
pub struct Cassandra {
    address: Address,
    table: Arc<Table>,
    absent: Absent,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Cassandra {
    type Shape = BlockingLoop;

    const BRINGS_RUNTIME: bool = true;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Cassandra, StoreError> {
        if let Some(name) = job.settings.keys().next() {
            return Err(StoreError::store(format!("cassandra has no setting '{name}'; give the server arguments")));
        }
        let address = Address::parse(job.url.as_deref())?;
        Ok(Cassandra {
            table: Arc::new(Table::new(&address.keyspace, &job.namespace, &job.schema, layout)),
            address,
            absent: Absent::default(),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Open, Read, Scan, Search, Update};
        // Rows are in the order of their keys' hashes: nothing knows the newest.
        let mut operations = vec![Load, Insert, Read, Update, Delete, Scan, MultiRead, Increment, Open];
        if self.table.rows.has_ints() {
            operations.push(Search);
        }
        Capabilities {
            operations,
            insert: InsertMode::Upsert,
            blind_writes: true,
            // A batch of rows of many keys is what Cassandra's manual warns of, and its limits refuse.
            load_paths: vec![LoadPath::Row],
            read_scopes: vec![ReadScope::Each],
            transactions: false,
            max_connections: 256,
            processes: true,
            // A write has at most half a segment of the commit log (16 MiB) and a share of the heap on its way.
            max_value_bytes: 4 << 20,
            ..Capabilities::of_columns()
        }
    }

    fn libraries(&self) -> Texts {
        libraries(&["scylla", "scylla-cql"])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.session(self.call_limit)?.texts("SELECT release_version FROM system.local").map(|_| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let mut texts = self.libraries();
        let rows = self.session(self.call_limit)?.texts("SELECT release_version, cql_version FROM system.local")?;
        let names = ["version", "cql_version"].into_iter().map(String::from);
        texts.extend(names.zip(rows.into_iter().flatten()));
        Ok(texts)
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let session = self.session(self.call_limit)?;
        let rows = session.texts("SELECT name, value FROM system_views.settings");
        let mut rows = self.absent.or_unsupported("settings of the server", rows)?;
        rows.retain(|row| row.first().is_some_and(|name| SETTINGS.contains(&name.as_str())));
        // Of a keyspace, which may pass the log by; there is none before the first job.
        let durable_writes = session.texts(&format!(
            "SELECT CAST(durable_writes AS text) FROM system_schema.keyspaces WHERE keyspace_name = '{}'",
            self.address.keyspace.replace('\'', "''")
        ))?;
        rows.extend(durable_writes.into_iter().flatten().map(|value| vec!["durable_writes".into(), value]));
        let pair = |row: Vec<String>| <[String; 2]>::try_from(row).ok().map(|[name, value]| (name, value));
        Ok(rows.into_iter().filter_map(pair).collect())
    }

    fn absent(&self) -> Vec<String> {
        self.absent.take()
    }

    fn create(&self) -> Result<(), StoreError> {
        let session = self.session(self.call_limit)?;
        let keyspace = (!self.address.keyspace_is_theirs).then(|| self.table.create_keyspace());
        let statements = keyspace.into_iter().chain(self.table.drop_tables()).chain(self.table.create());
        statements.into_iter().try_for_each(|statement| session.run(&statement))
    }

    fn reset(&self) -> Result<(), StoreError> {
        let session = self.session(self.call_limit)?;
        self.table.drop_tables().iter().try_for_each(|statement| session.run(statement))
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.session(self.call_limit)?.number(&self.table.rows.count())
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.session(self.call_limit)?.number(&self.table.sum())
    }
}

impl Blocking for Cassandra {
    type Connection = CassandraConnection;

    fn connect(&self, phase: &Phase) -> Result<CassandraConnection, StoreError> {
        CassandraConnection::open(self.session(self.operation_limit)?, self.table.clone(), phase)
    }
}

impl Cassandra {
    /// A driver with a connection of its own, whose operations end after `limit`.
    fn session(&self, limit: Duration) -> Result<Session, StoreError> {
        Session::open(&self.address, limit)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
