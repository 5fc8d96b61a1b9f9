//! Kurabe's Rust client for stores that are libraries: one file or folder each, over the contract of `kurabe-client`.
//!
//! Some are linked, the others are C libraries that are opened at run time. Adding one means its file and two lines here.

mod common;
mod duckdb;
mod fjall;
mod gdbm;
mod lsm;
mod mdb;
mod qdbm;
mod redb;
mod sqlite;
mod tinycdb;
mod tokyocabinet;

use kurabe_client::Entry;

/// Every store of this crate.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of_bytes::<mdb::Mdb<mdb::Lmdb>>("lmdb"),
        Entry::of_bytes::<mdb::Mdb<mdb::Mdbx>>("libmdbx"),
        Entry::of_bytes::<redb::Redb>("redb"),
        Entry::of_bytes::<fjall::Fjall>("fjall"),
        Entry::of::<duckdb::DuckDb>("duckdb"),
        Entry::of_bytes::<lsm::Lsm<lsm::LevelDb>>("leveldb"),
        Entry::of_bytes::<lsm::Lsm<lsm::RocksDb>>("rocksdb"),
        Entry::of::<sqlite::Sqlite>("sqlite"),
        Entry::of_bytes::<gdbm::Gdbm>("gdbm"),
        Entry::of_bytes::<qdbm::Qdbm>("qdbm"),
        Entry::of_bytes::<tinycdb::TinyCdb>("tinycdb"),
        Entry::of_bytes::<tokyocabinet::Tokyo>("tokyocabinet"),
    ]
}
