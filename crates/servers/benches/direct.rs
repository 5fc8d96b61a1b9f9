//! Kurabe's way to LMDB and redb against a plain loop over the same library calls, in pairs that take turns.
//!
//! `cargo bench -p kurabe-servers --bench direct`. Both sides read the same rows in the same order from a folder that a
//! client process loaded, each read in a transaction of its own, and copy the value. Kurabe's side is a client process
//! with the real loop and every answer checked; the plain loop takes no stamps and looks at lengths only. Each side
//! runs in a process of its own; times are wall time over all reads.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use kurabe_protocol::{Phase, Warmup};
use support::embedded::{self, Files, Namespace, VALUE_BYTES};
use support::figures::{Aim, Figure, Unit};

const ROWS: u64 = 100_000;
const READS: u64 = 400_000;
/// Stores, and what they are called in the figures.
const STORES: [(&str, &str); 2] = [("lmdb", "LMDB"), ("redb", "redb")];

/// The folder of a store, which is loaded once.
fn folder(store: &str, files: &Files) -> PathBuf {
    files.folder.path().join(store)
}

/// Reads `READS` rows after a warm-up of `ROWS`, as the phase above does; prints ns a read.
fn plain_loop(rows_stream: &Path, mut read: impl FnMut(i64, &mut Vec<u8>)) {
    let bytes = std::fs::read(rows_stream).expect("the stream");
    let numbers = bytes.chunks_exact(4).map(|entry| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]));
    let numbers: Vec<u32> = numbers.take((ROWS + READS) as usize).collect();
    assert_eq!(numbers.len() as u64, ROWS + READS, "the stream is long enough");
    let mut value = Vec::with_capacity(VALUE_BYTES as usize);
    let (warmup, measured) = numbers.split_at(ROWS as usize);
    let mut all = |rows: &[u32]| {
        for row in rows {
            read(i64::from(*row), &mut value);
            assert_eq!(value.len(), VALUE_BYTES as usize, "a row of the right length");
        }
    };
    all(warmup);
    let start = Instant::now();
    all(measured);
    println!("{}", start.elapsed().as_nanos() as f64 / READS as f64);
}

fn plain_lmdb(folder: &Path, rows_stream: &Path) {
    use lmdb_master_sys as lmdb;
    use std::ffi::{CString, c_int, c_void};
    use std::ptr::null_mut;
    let done = |code: c_int| assert_eq!(code, 0, "LMDB failed");
    let path = CString::new(folder.as_os_str().as_encoded_bytes()).expect("a path");
    let (mut env, mut txn, mut rows) = (null_mut(), null_mut(), 0);
    // SAFETY: nobody else has the environment open, and all that is used was made before.
    unsafe {
        done(lmdb::mdb_env_create(&mut env));
        done(lmdb::mdb_env_set_mapsize(env, 1 << 40));
        done(lmdb::mdb_env_set_maxreaders(env, 2048));
        done(lmdb::mdb_env_open(env, path.as_ptr(), 0, 0o600));
        done(lmdb::mdb_txn_begin(env, null_mut(), lmdb::MDB_RDONLY, &mut txn));
        done(lmdb::mdb_dbi_open(txn, std::ptr::null(), 0, &mut rows));
        done(lmdb::mdb_txn_commit(txn));
    }
    plain_loop(rows_stream, |row, value| {
        let bytes = row.to_be_bytes();
        let mut key = lmdb::MDB_val { mv_size: bytes.len(), mv_data: bytes.as_ptr().cast_mut().cast::<c_void>() };
        let mut found = lmdb::MDB_val { mv_size: 0, mv_data: null_mut() };
        let mut txn = null_mut();
        // SAFETY: as above; what is found stays until the transaction ends.
        unsafe {
            done(lmdb::mdb_txn_begin(env, null_mut(), lmdb::MDB_RDONLY, &mut txn));
            done(lmdb::mdb_get(txn, rows, &mut key, &mut found));
            value.clear();
            value.extend_from_slice(std::slice::from_raw_parts(found.mv_data.cast::<u8>(), found.mv_size));
            lmdb::mdb_txn_abort(txn);
        }
    });
    // SAFETY: no transaction is left.
    unsafe { lmdb::mdb_env_close(env) }
}

fn plain_redb(folder: &Path, rows_stream: &Path) {
    use redb::ReadableDatabase;
    const ROWS: redb::TableDefinition<'static, &[u8], &[u8]> = redb::TableDefinition::new("rows");
    let database = redb::Database::open(folder.join("data.redb")).expect("the database");
    plain_loop(rows_stream, |row, value| {
        let rows = database.begin_read().expect("a transaction").open_table(ROWS).expect("the table");
        let found = rows.get(row.to_be_bytes().as_slice()).expect("an answer").expect("the row");
        value.clear();
        value.extend_from_slice(found.value());
    });
}

/// The plain loop runs in a process of its own: this bench again.
fn direct(store: &str, files: &Files) -> Vec<f64> {
    let mut own = Command::new(std::env::current_exe().expect("the path of this bench"));
    own.args(["direct", store]).args([&folder(store, files), &files.rows_stream]);
    let (printed, _) = support::measured(own);
    vec![printed.trim().parse().expect("a number")]
}

fn kurabe(store: &str, files: &Files, namespace: Namespace, phase: Phase) -> Vec<f64> {
    embedded::run(&files.job(store, &folder(store, files), ROWS, &[phase]), namespace)
}

fn compare(store: &str, title: &str, files: &Files) {
    std::fs::create_dir(folder(store, files)).expect("a folder");
    kurabe(store, files, Namespace::Made, embedded::load(ROWS, 1_000));
    let read = Phase { warmup: Some(Warmup::Count(ROWS)), ..files.read("read", READS) };
    let ours = |_| kurabe(store, files, Namespace::Found, read.clone());
    let pairs = support::in_turns(embedded::pairs(), ours, || direct(store, files));
    let what = format!("{title}, each read its own transaction");
    let against = "the same library in a Rust loop";
    embedded::tell(&Figure { what: &what, against, unit: Unit::NsMore, aim: Aim::AtMost(80.0) }, &pairs, 0);
}

fn main() {
    support::serve_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["direct", "lmdb", folder, stream] => return plain_lmdb(Path::new(folder), Path::new(stream)),
        ["direct", "redb", folder, stream] => return plain_redb(Path::new(folder), Path::new(stream)),
        _ => {}
    }
    let files = Files::make(ROWS);
    STORES.iter().for_each(|(store, title)| compare(store, title, &files));
}
