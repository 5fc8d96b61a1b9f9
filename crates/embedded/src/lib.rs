//! The stores of this client, one file or folder each. Adding one means its file and two lines here.

#[cfg(feature = "cassandra")]
mod cassandra;
// A build with some of the features does not need all of it.
#[cfg_attr(not(feature = "default"), allow(dead_code, unused_imports, unused_macros))]
mod common;
#[cfg(feature = "duckdb")]
mod duckdb;
pub mod echo;
mod file;
#[cfg(feature = "fjall")]
mod fjall;
#[cfg(feature = "gdbm")]
mod gdbm;
#[cfg(feature = "http")]
mod http;
#[cfg(any(feature = "rocksdb", feature = "leveldb"))]
mod lsm;
pub mod map;
#[cfg(any(feature = "lmdb", feature = "libmdbx"))]
mod mdb;
#[cfg(feature = "memcached")]
mod memcached;
#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "mariadb")]
mod mysql_family;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "qdbm")]
mod qdbm;
#[cfg(feature = "redb")]
mod redb;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "tinycdb")]
mod tinycdb;
#[cfg(feature = "tokyocabinet")]
mod tokyocabinet;
#[cfg(feature = "tokyotyrant")]
mod tokyotyrant;

use kurabe_protocol::Job;

use crate::adapter::StoreError;
use crate::fetch::RowCursor;
use crate::session::Entry;

/// Every store that this client was built with.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of::<echo::Echo>("echo"),
        Entry::of_bytes::<map::Map>("map"),
        Entry::of::<file::TextFile>("file"),
        #[cfg(feature = "lmdb")]
        Entry::of_bytes::<mdb::Mdb<mdb::Lmdb>>("lmdb"),
        #[cfg(feature = "libmdbx")]
        Entry::of_bytes::<mdb::Mdb<mdb::Mdbx>>("libmdbx"),
        #[cfg(feature = "redb")]
        Entry::of_bytes::<redb::Redb>("redb"),
        #[cfg(feature = "fjall")]
        Entry::of_bytes::<fjall::Fjall>("fjall"),
        #[cfg(feature = "duckdb")]
        Entry::of::<duckdb::DuckDb>("duckdb"),
        #[cfg(feature = "leveldb")]
        Entry::of_bytes::<lsm::Lsm<lsm::LevelDb>>("leveldb"),
        #[cfg(feature = "rocksdb")]
        Entry::of_bytes::<lsm::Lsm<lsm::RocksDb>>("rocksdb"),
        #[cfg(feature = "sqlite")]
        Entry::of::<sqlite::Sqlite>("sqlite"),
        #[cfg(feature = "cassandra")]
        Entry::of::<cassandra::Cassandra>("cassandra"),
        #[cfg(feature = "mariadb")]
        Entry::of::<mysql_family::Server>("mariadb"),
        #[cfg(feature = "mariadb")]
        Entry::of::<mysql_family::Server>("mysql"),
        #[cfg(feature = "memcached")]
        Entry::of_bytes_in_flight::<memcached::Memcached>("memcached"),
        // Whatever store stands behind it: a stack's client.
        #[cfg(feature = "http")]
        Entry::of::<http::Http>("http"),
        #[cfg(feature = "http")]
        Entry::of::<http::Url>("url"),
        #[cfg(feature = "mongodb")]
        Entry::of::<mongodb::Mongodb>("mongodb"),
        #[cfg(feature = "postgres")]
        Entry::of::<postgres::Postgres<postgres::OneByOne>>("postgres").by("blocking"),
        #[cfg(feature = "postgres")]
        Entry::of::<postgres::Postgres<postgres::Pipelined>>("postgres").by("pipelined"),
        #[cfg(feature = "redis")]
        Entry::of_bytes_in_flight::<redis::Redis>("redis"),
        #[cfg(feature = "gdbm")]
        Entry::of_bytes::<gdbm::Gdbm>("gdbm"),
        #[cfg(feature = "qdbm")]
        Entry::of_bytes::<qdbm::Qdbm>("qdbm"),
        #[cfg(feature = "tinycdb")]
        Entry::of_bytes::<tinycdb::TinyCdb>("tinycdb"),
        #[cfg(feature = "tokyocabinet")]
        Entry::of_bytes::<tokyocabinet::Tokyo>("tokyocabinet"),
        #[cfg(feature = "tokyotyrant")]
        Entry::of_bytes::<tokyotyrant::TokyoTyrant>("tokyotyrant"),
        #[cfg(feature = "redis")]
        Entry::of_bytes_in_flight::<redis::Redis>("valkey"),
    ]
}

/// A cursor over the rows of `job`, which is that of the store which holds them.
pub(crate) fn cursor(job: &Job) -> Result<Box<dyn RowCursor>, StoreError> {
    match job.candidate.store.as_str() {
        #[cfg(feature = "mariadb")]
        "mariadb" | "mysql" => Ok(Box::new(mysql_family::Cursor::open(job)?)),
        store => Err(StoreError::store(format!("this client cannot fetch rows from '{store}'"))),
    }
}
