//! Functions of libtokyocabinet. The four kinds of databases have families of functions named alike.

use std::ffi::{c_char, c_int, c_void};

use crate::common::library::functions;

/// A database object, a map, a query: the library alone looks inside.
pub(super) type Object = *mut c_void;
pub(super) type Bytes = *const c_void;
/// Called with every record: key, its size, value, its size, what the caller gave; `false` ends the walk.
pub(super) type Visit = unsafe extern "C" fn(Bytes, c_int, Bytes, c_int, *mut c_void) -> bool;
/// Called with every record that a query finds: key, its size, columns, what the caller gave.
pub(super) type Process = unsafe extern "C" fn(Bytes, c_int, Object, *mut c_void) -> c_int;

/// Modes of opening, alike in all kinds.
pub(super) const READER: c_int = 1;
pub(super) const WRITER: c_int = 1 << 1;
pub(super) const CREATE: c_int = 1 << 2;
/// Every transaction is synced.
pub(super) const TSYNC: c_int = 1 << 6;
/// Option: a file may be larger than 2 GiB.
pub(super) const LARGE: u8 = 1;
/// Error codes: the record exists, there is no such record.
pub(super) const KEEP: c_int = 21;
pub(super) const NO_RECORD: c_int = 22;
/// Type of an index: decimal numbers.
pub(super) const DECIMAL: c_int = 1;
/// Condition of a query: a number between two, both included.
pub(super) const BETWEEN: c_int = 13;

functions! {
    /// What all kinds have.
    Common {
        new: fn() -> Object;
        del: fn(Object);
        setmutex: fn(Object) -> bool;
        open: fn(Object, *const c_char, c_int) -> bool;
        close: fn(Object) -> bool;
        ecode: fn(Object) -> c_int;
        errmsg: fn(c_int) -> *const c_char;
        sync: fn(Object) -> bool;
        tranbegin: fn(Object) -> bool;
        trancommit: fn(Object) -> bool;
        tranabort: fn(Object) -> bool;
        rnum: fn(Object) -> u64;
        fsiz: fn(Object) -> u64;
        foreach: fn(Object, Visit, *mut c_void) -> bool;
    }
}

functions! {
    /// What kinds with keys of bytes have.
    Keyed {
        out: fn(Object, Bytes, c_int) -> bool;
        vsiz: fn(Object, Bytes, c_int) -> c_int;
        addint: fn(Object, Bytes, c_int, c_int) -> c_int;
    }
}

functions! {
    /// Prefix `tchdb`; some serve the other kinds too, which have a hash database inside.
    Hash {
        tune: fn(Object, i64, i8, i8, u8) -> bool;
        setxmsiz: fn(Object, i64) -> bool;
        put: fn(Object, Bytes, c_int, Bytes, c_int) -> bool;
        putkeep: fn(Object, Bytes, c_int, Bytes, c_int) -> bool;
        putasync: fn(Object, Bytes, c_int, Bytes, c_int) -> bool;
        get3: fn(Object, Bytes, c_int, *mut c_void, c_int) -> c_int;
        omode: fn(Object) -> c_int;
        opts: fn(Object) -> u8;
        bnum: fn(Object) -> u64;
        xmsiz: fn(Object) -> u64;
    }
}

functions! {
    /// Prefix `tcbdb`.
    Btree {
        tune: fn(Object, i32, i32, i64, i8, i8, u8) -> bool;
        setxmsiz: fn(Object, i64) -> bool;
        put: fn(Object, Bytes, c_int, Bytes, c_int) -> bool;
        putkeep: fn(Object, Bytes, c_int, Bytes, c_int) -> bool;
        get: fn(Object, Bytes, c_int, *mut c_int) -> *mut c_void;
        get3: fn(Object, Bytes, c_int, *mut c_int) -> Bytes;
        curnew: fn(Object) -> Object;
        curdel: fn(Object);
        curlast: fn(Object) -> bool;
        curprev: fn(Object) -> bool;
        currec: fn(Object, Object, Object) -> bool;
    }
}

functions! {
    /// Prefix `tcfdb`. Its keys are numbers.
    Fixed {
        tune: fn(Object, i32, i64) -> bool;
        put: fn(Object, i64, Bytes, c_int) -> bool;
        putkeep: fn(Object, i64, Bytes, c_int) -> bool;
        out: fn(Object, i64) -> bool;
        vsiz: fn(Object, i64) -> c_int;
        addint: fn(Object, i64, c_int) -> c_int;
        get4: fn(Object, i64, *mut c_void, c_int) -> c_int;
        max: fn(Object) -> u64;
        omode: fn(Object) -> c_int;
        limsiz: fn(Object) -> u64;
    }
}

functions! {
    /// Prefix `tctdb`.
    Table {
        tune: fn(Object, i64, i8, i8, u8) -> bool;
        setxmsiz: fn(Object, i64) -> bool;
        setindex: fn(Object, *const c_char, c_int) -> bool;
        put: fn(Object, Bytes, c_int, Object) -> bool;
        putkeep: fn(Object, Bytes, c_int, Object) -> bool;
        get: fn(Object, Bytes, c_int) -> Object;
        qrynew: fn(Object) -> Object;
        qrydel: fn(Object);
        qryaddcond: fn(Object, *const c_char, c_int, *const c_char);
        qryproc: fn(Object, Process, *mut c_void) -> bool;
    }
}

functions! {
    /// Prefix `tcmap`: the columns of a row.
    Map {
        new: fn() -> Object;
        del: fn(Object);
        clear: fn(Object);
        put: fn(Object, Bytes, c_int, Bytes, c_int);
        get: fn(Object, Bytes, c_int, *mut c_int) -> Bytes;
    }
}

functions! {
    /// Prefix `tcxstr`: bytes that grow.
    Xstr {
        new: fn() -> Object;
        del: fn(Object);
        ptr: fn(Object) -> Bytes;
        size: fn(Object) -> c_int;
    }
}
