//! The C interfaces of LevelDB and RocksDB: the same functions under two prefixes, and what each has beyond them.

use std::ffi::{c_char, c_int, c_uchar, c_void};

use crate::common::library::{functions, opaque};

opaque!(RawDb, Options, TableOptions, ReadOptions, WriteOptions, RawBatch, RawCursor, Snapshot, Cache, Filter, Pinned);

/// Where a function puts its error: a text to be freed, or null.
pub type ErrorOut = *mut *mut c_char;

/// Where many texts start.
pub type Starts = *const *const c_char;

functions! {
    /// What both have.
    Common {
        open: fn(*const Options, *const c_char, ErrorOut) -> *mut RawDb;
        close: fn(*mut RawDb);
        destroy_db: fn(*const Options, *const c_char, ErrorOut);
        free: fn(*mut c_void);
        options_create: fn() -> *mut Options;
        options_destroy: fn(*mut Options);
        options_set_create_if_missing: fn(*mut Options, c_uchar);
        cache_create_lru: fn(usize) -> *mut Cache;
        cache_destroy: fn(*mut Cache);
        readoptions_create: fn() -> *mut ReadOptions;
        readoptions_destroy: fn(*mut ReadOptions);
        readoptions_set_snapshot: fn(*mut ReadOptions, *const Snapshot);
        create_snapshot: fn(*mut RawDb) -> *const Snapshot;
        release_snapshot: fn(*mut RawDb, *const Snapshot);
        writeoptions_create: fn() -> *mut WriteOptions;
        writeoptions_destroy: fn(*mut WriteOptions);
        writeoptions_set_sync: fn(*mut WriteOptions, c_uchar);
        put: fn(*mut RawDb, *const WriteOptions, *const c_char, usize, *const c_char, usize, ErrorOut);
        delete: fn(*mut RawDb, *const WriteOptions, *const c_char, usize, ErrorOut);
        write: fn(*mut RawDb, *const WriteOptions, *mut RawBatch, ErrorOut);
        writebatch_create: fn() -> *mut RawBatch;
        writebatch_destroy: fn(*mut RawBatch);
        writebatch_clear: fn(*mut RawBatch);
        writebatch_put: fn(*mut RawBatch, *const c_char, usize, *const c_char, usize);
        writebatch_delete: fn(*mut RawBatch, *const c_char, usize);
        create_iterator: fn(*mut RawDb, *const ReadOptions) -> *mut RawCursor;
        iter_destroy: fn(*mut RawCursor);
        iter_valid: fn(*const RawCursor) -> c_uchar;
        iter_seek_to_first: fn(*mut RawCursor);
        iter_seek_to_last: fn(*mut RawCursor);
        iter_seek: fn(*mut RawCursor, *const c_char, usize);
        iter_next: fn(*mut RawCursor);
        iter_prev: fn(*mut RawCursor);
        iter_key: fn(*const RawCursor, *mut usize) -> *const c_char;
        iter_value: fn(*const RawCursor, *mut usize) -> *const c_char;
        iter_get_error: fn(*const RawCursor, ErrorOut);
    }
}

functions! {
    /// What LevelDB has under other names than RocksDB, or where RocksDB has something better.
    LevelFunctions {
        options_set_cache: fn(*mut Options, *mut Cache);
        options_set_write_buffer_size: fn(*mut Options, usize);
        options_set_filter_policy: fn(*mut Options, *mut Filter);
        filterpolicy_create_bloom: fn(c_int) -> *mut Filter;
        filterpolicy_destroy: fn(*mut Filter);
        get: fn(*mut RawDb, *const ReadOptions, *const c_char, usize, *mut usize, ErrorOut) -> *mut c_char;
        major_version: fn() -> c_int;
        minor_version: fn() -> c_int;
    }
}

functions! {
    /// What only RocksDB has.
    #[allow(non_snake_case, reason = "two functions of the library are named like that")]
    RocksFunctions {
        options_set_block_based_table_factory: fn(*mut Options, *mut TableOptions);
        options_set_uint64add_merge_operator: fn(*mut Options);
        block_based_options_create: fn() -> *mut TableOptions;
        block_based_options_destroy: fn(*mut TableOptions);
        block_based_options_set_block_cache: fn(*mut TableOptions, *mut Cache);
        get_options_from_string: fn(*const Options, *const c_char, *mut Options, ErrorOut);
        writeoptions_disable_WAL: fn(*mut WriteOptions, c_int);
        writeoptions_get_sync: fn(*mut WriteOptions) -> c_uchar;
        writeoptions_get_disable_WAL: fn(*mut WriteOptions) -> c_uchar;
        get_pinned: fn(*mut RawDb, *const ReadOptions, *const c_char, usize, ErrorOut) -> *mut Pinned;
        pinnableslice_value: fn(*const Pinned, *mut usize) -> *const c_char;
        pinnableslice_destroy: fn(*mut Pinned);
        multi_get: fn(*mut RawDb, *const ReadOptions, usize, Starts, *const usize, ErrorOut, *mut usize, ErrorOut);
        merge: fn(*mut RawDb, *const WriteOptions, *const c_char, usize, *const c_char, usize, ErrorOut);
        writebatch_merge: fn(*mut RawBatch, *const c_char, usize, *const c_char, usize);
        property_value: fn(*mut RawDb, *const c_char) -> *mut c_char;
        flush_wal: fn(*mut RawDb, c_uchar, ErrorOut);
    }
}
