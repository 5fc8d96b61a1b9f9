//! The pipes that lines, scripts and tapes go through.

use std::io::{PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pipe::fcntl_setpipe_size;

use crate::adapter::StoreError;

/// What the pipes of one kind hold together: a child goes on for some time while this process waits for a processor.
const HELD_BYTES: usize = 1 << 20;
/// What a pipe holds as it comes.
const LEAST_BYTES: usize = 1 << 16;

/// A pipe for one of `workers` workers. Both ends stay with this process: the child opens its own by [`path`].
pub(super) fn pipe(workers: u32) -> Result<(PipeReader, PipeWriter), StoreError> {
    let (reads, writes) = std::io::pipe().map_err(failed)?;
    let bytes = HELD_BYTES / workers.max(1) as usize;
    if bytes > LEAST_BYTES {
        // A user may have only so much; it does with less.
        let _ = fcntl_setpipe_size(&writes, bytes);
    }
    Ok((reads, writes))
}

/// Where another process finds one end of a pipe.
pub(super) fn path(end: &impl AsRawFd) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), end.as_raw_fd())
}

/// Makes reads or writes of this end return at once; not those of who opens it by its path.
pub(super) fn without_waiting(end: &impl AsFd) -> Result<(), StoreError> {
    let flags = fcntl_getfl(end).map_err(|error| failed(error.into()))?;
    fcntl_setfl(end, flags | OFlags::NONBLOCK).map_err(|error| failed(error.into()))
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError::Store(format!("cannot make a pipe for a script or a tape: {error}"))
}
