//! Closures as the callbacks of C functions.

use std::ffi::{c_int, c_void};

use super::calls::{Object, Process, Visit};

/// Calls `start` with a callback that hands every record to `visit`.
///
/// # Safety
/// `start` must give both arguments to a function of the library that calls back only while it runs.
pub(super) unsafe fn walk<F: FnMut(&[u8], &[u8])>(
    visit: &mut F,
    start: impl FnOnce(Visit, *mut c_void) -> bool,
) -> bool {
    unsafe extern "C" fn call<F: FnMut(&[u8], &[u8])>(
        key: *const c_void,
        key_len: c_int,
        value: *const c_void,
        len: c_int,
        given: *mut c_void,
    ) -> bool {
        // SAFETY: `given` is the closure that `walk` borrows for the whole walk; key and value are as long as is said.
        unsafe {
            let visit = &mut *given.cast::<F>();
            visit(bytes(key, key_len), bytes(value, len));
        }
        true
    }
    start(call::<F>, std::ptr::from_mut(visit).cast())
}

/// As [`walk`], for what a query finds: key and columns.
///
/// # Safety
/// As for [`walk`].
pub(super) unsafe fn process<F: FnMut(&[u8], Object)>(
    visit: &mut F,
    start: impl FnOnce(Process, *mut c_void) -> bool,
) -> bool {
    unsafe extern "C" fn call<F: FnMut(&[u8], Object)>(
        key: *const c_void,
        key_len: c_int,
        columns: Object,
        given: *mut c_void,
    ) -> c_int {
        // SAFETY: as in `walk`.
        unsafe {
            let visit = &mut *given.cast::<F>();
            visit(bytes(key, key_len), columns);
        }
        // Nothing is done to the record.
        0
    }
    start(call::<F>, std::ptr::from_mut(visit).cast())
}

/// # Safety
/// `start` points to `len` bytes that stay as they are for `'a`.
pub(super) unsafe fn bytes<'a>(start: *const c_void, len: c_int) -> &'a [u8] {
    // SAFETY: promised by the caller; the library gives no null pointer with a length.
    unsafe { std::slice::from_raw_parts(start.cast(), len as usize) }
}
