//! Free ports, and who listens on one: columns of proc_net_tcp(5).

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};

use crate::proc::descendants;

/// The state LISTEN in /proc/net/tcp.
const LISTEN: &str = "0A";

/// A port of 127.0.0.1 that nobody uses at this moment.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Whether somebody uses the port at this moment.
pub(crate) fn is_taken(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// Who listens on a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Listener {
    /// The process or one of its descendants.
    Ours,
    /// Somebody else.
    Foreign,
    /// The kernel does not tell us.
    Unknown,
}

/// Tells whether it is the tree of `pid` that listens on `port`.
pub(crate) fn listener(pid: u32, port: u16) -> Listener {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let sockets: Vec<String> = tables
        .iter()
        .flat_map(|table| table.lines().filter_map(|line| listening_inode(line, port)))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if sockets.is_empty() {
        return Listener::Unknown;
    }
    let mut answer = Listener::Foreign;
    for stat in descendants(pid) {
        let Ok(entries) = fs::read_dir(format!("/proc/{}/fd", stat.id.pid)) else {
            answer = Listener::Unknown;
            continue;
        };
        let links = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        if links.into_iter().any(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str())) {
            return Listener::Ours;
        }
    }
    answer
}

fn listening_inode(line: &str, port: u16) -> Option<&str> {
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    let local = columns.get(1)?.rsplit_once(':')?.1;
    let is_listening = u16::from_str_radix(local, 16) == Ok(port) && *columns.get(3)? == LISTEN;
    is_listening.then_some(*columns.get(9)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_socket_is_read_from_its_line() {
        let line =
            "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 12345 1 0";
        assert_eq!(listening_inode(line, 5432), Some("12345"));
        assert_eq!(listening_inode(line, 5433), None);
        assert_eq!(listening_inode(&line.replace(" 0A ", " 01 "), 5432), None);
    }

    #[test]
    fn our_own_listener_is_ours_and_foreign_to_nobody() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(is_taken(port));
        assert_eq!(listener(std::process::id(), port), Listener::Ours);
        drop(socket);
        // Another test may take a free port before it is looked at.
        assert!((0..9).any(|_| !is_taken(free_port().unwrap())));
    }
}
