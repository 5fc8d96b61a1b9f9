//! A terminal for a service that writes to one: what it writes is read and thrown away, as by somebody who looks elsewhere.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// So much of what a service writes is kept in its log, so that a start that fails can be explained.
const KEPT_BYTES: usize = 64 << 10;

/// Both ends of a terminal: that of a service, and the one that is read.
pub(crate) struct Terminal {
    service: OwnedFd,
    screen: File,
    log: PathBuf,
}

impl Terminal {
    /// Opens one, as wide and high as terminals are. What is kept of its text goes to the end of `log`.
    pub(crate) fn open(log: &Path) -> io::Result<Terminal> {
        let (mut screen, mut service) = (-1, -1);
        let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: both numbers are written where the call succeeds; a name is not asked for, and the size lives through it.
        let opened = unsafe { libc::openpty(&mut screen, &mut service, std::ptr::null_mut(), std::ptr::null(), &size) };
        if opened != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: both were opened just now, and are nobody else's.
        let (screen, service) = unsafe { (OwnedFd::from_raw_fd(screen), OwnedFd::from_raw_fd(service)) };
        // A process that is started later must not hold them: the terminal would never close.
        for end in [&screen, &service] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        }
        Ok(Terminal { service, screen: screen.into(), log: log.to_path_buf() })
    }

    /// The end that a process writes to.
    pub(crate) fn end_of_service(&self) -> io::Result<OwnedFd> {
        self.service.try_clone()
    }

    /// Reads on a thread of its own until no process has the other end any more.
    pub(crate) fn drain(self) -> io::Result<()> {
        let Terminal { service, mut screen, log } = self;
        drop(service);
        let mut log = File::options().create(true).append(true).open(log)?;
        let read = move || {
            let (mut bytes, mut kept) = ([0; 16 << 10], 0);
            // The end is an error here: of a terminal without a process.
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let keep = count.min(KEPT_BYTES - kept);
                kept += keep;
                // A log that cannot be written is missed only where a start fails.
                let _ = log.write_all(&bytes[..keep]);
            }
        };
        std::thread::Builder::new().name("terminal".into()).spawn(read).map(drop)
    }
}
