//! The stdin of a client as a pipe that never blocks.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// Writes to it tell where there is no room, instead of waiting. The end that a client reads is another, and stays as it is.
pub(super) fn do_not_block(pipe: &impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

/// Writes as much as there is room for, and waits so long at most until there is some; returns the bytes that went in.
pub(super) fn write_some<P: AsFd + Write>(pipe: &mut P, bytes: &[u8], wait: Duration) -> io::Result<usize> {
    let until = Instant::now() + wait;
    loop {
        match pipe.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(0);
                }
                let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
                match poll(&mut [PollFd::new(pipe, PollFlags::OUT)], Some(&left)) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            written => return written,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_that_never_reads_keeps_nobody_waiting() {
        let sleep = Command::new("sleep").arg("600").stdin(Stdio::piped()).spawn();
        let mut child = sleep.expect("sleep is everywhere");
        let mut stdin = child.stdin.take().expect("a pipe");
        do_not_block(&stdin).expect("a pipe can be so");
        let text = vec![b'x'; 1 << 20];
        let mut written = 0;
        let full = loop {
            match write_some(&mut stdin, &text[written..], Duration::from_millis(20)).expect("it lives") {
                0 => break true,
                bytes => written += bytes,
            }
            if written == text.len() {
                break false;
            }
        };
        assert!(full && written > 0, "{written} bytes went into a pipe that nobody reads");
        child.kill().expect("it lives");
        child.wait().expect("its end");
        let gone = write_some(&mut stdin, &text, Duration::from_secs(20)).expect_err("nobody reads any more");
        assert_eq!(gone.kind(), io::ErrorKind::BrokenPipe);
    }
}
