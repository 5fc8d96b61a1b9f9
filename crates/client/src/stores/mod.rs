//! The stores of this client, one file each. Adding one means its file and one line here.

#[cfg(feature = "duckdb")]
mod duckdb;
pub mod echo;
#[cfg(any(feature = "rocksdb", feature = "leveldb", feature = "duckdb"))]
mod exclusive;
mod file;
#[cfg(any(feature = "rocksdb", feature = "leveldb"))]
mod keys;
#[cfg(any(feature = "rocksdb", feature = "leveldb", feature = "duckdb"))]
#[allow(dead_code)] // Not every store needs all of it.
mod library;
#[cfg(feature = "lmdb")]
mod lmdb;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod locked;
#[cfg(any(feature = "rocksdb", feature = "leveldb"))]
mod lsm;
pub mod map;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

use crate::session::Entry;

/// Every store that this client was built with.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of::<echo::Echo>("echo"),
        Entry::of::<map::Map>("map"),
        Entry::of::<file::TextFile>("file"),
        #[cfg(feature = "lmdb")]
        Entry::of::<lmdb::Lmdb>("lmdb"),
        #[cfg(feature = "duckdb")]
        Entry::of::<duckdb::DuckDb>("duckdb"),
        #[cfg(feature = "leveldb")]
        Entry::of::<lsm::Lsm<lsm::LevelDb>>("leveldb"),
        #[cfg(feature = "rocksdb")]
        Entry::of::<lsm::Lsm<lsm::RocksDb>>("rocksdb"),
        #[cfg(feature = "sqlite")]
        Entry::of::<sqlite::Sqlite>("sqlite"),
        #[cfg(feature = "postgres")]
        Entry::of::<postgres::Postgres>("postgres"),
        #[cfg(feature = "redis")]
        Entry::of::<redis::Redis>("redis"),
    ]
}
