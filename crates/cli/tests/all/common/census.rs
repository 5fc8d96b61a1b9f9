//! Which processes belong to a test's place, from /proc.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use super::Place;

/// The variable by which everything that a test starts is recognised, guardian included.
pub const WORD: &str = "KURABE_TEST_PLACE";

/// Clock ticks in a second (USER_HZ).
const TICKS_PER_S: u64 = 100;

/// A living process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub pid: u32,
    pub parent: u32,
    /// The name of its program, at most 15 bytes.
    pub name: String,
    pub cmdline: String,
}

pub fn describe(seen: &Seen) -> String {
    format!("{} {} '{}'", seen.pid, seen.name, seen.cmdline)
}

/// Every living process of a place: by the word in its environment or, where a server wrote over that, by its folder.
pub fn of(place: &Place) -> Vec<Seen> {
    let root = place.path("");
    all().into_iter().filter(|seen| seen.pid != std::process::id() && belongs(seen, &place.word, &root)).collect()
}

fn belongs(seen: &Seen, word: &str, root: &Path) -> bool {
    let word = format!("{WORD}={word}");
    let environ = fs::read(format!("/proc/{}/environ", seen.pid)).unwrap_or_default();
    let cwd = fs::read_link(format!("/proc/{}/cwd", seen.pid)).unwrap_or_default();
    // The test itself may run a shell or a mount that names the folder: only what works in it counts.
    environ.split(|byte| *byte == 0).any(|one| one == word.as_bytes()) || cwd.starts_with(root)
}

fn all() -> Vec<Seen> {
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(see).collect()
}

/// `None` for one that has ended, also where nobody has waited for it yet.
fn see(pid: u32) -> Option<Seen> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_string();
    let mut fields = tail.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let cmdline = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let cmdline = String::from_utf8_lossy(&cmdline).replace('\0', " ").trim().to_string();
    Some(Seen { pid, parent, name, cmdline })
}

/// The child of `parent` whose program has this name.
pub fn child(parent: u32, name: &str) -> Option<Seen> {
    all().into_iter().find(|seen| seen.parent == parent && seen.name == name)
}

/// The child of `parent` whose command line ends like this.
pub fn child_with(parent: u32, end: &str) -> Option<Seen> {
    all().into_iter().find(|seen| seen.parent == parent && seen.cmdline.ends_with(end))
}

/// The Rust client that works for `parent`: `kurabe` for a library, `kurabe-servers` for a server.
pub fn client(parent: u32) -> Option<Seen> {
    ["kurabe client", "kurabe-servers client"].into_iter().find_map(|end| child_with(parent, end))
}

/// Processor time of a process so far, in ms.
pub fn cpu_ms(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let tail = stat.rsplit_once(')').map_or("", |(_, tail)| tail);
    // utime and stime are fields 14 and 15 of proc_pid_stat(5); the tail starts at field 3.
    let ticks = tail.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    ticks * 1000 / TICKS_PER_S
}

pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// Inodes of the TCP sockets on which these processes listen.
pub fn listening(processes: &[Seen]) -> BTreeSet<u64> {
    let held: BTreeSet<u64> = processes.iter().flat_map(|seen| sockets(seen.pid)).collect();
    all_listening().intersection(&held).copied().collect()
}

/// Inodes of all TCP sockets of this machine that listen.
pub fn all_listening() -> BTreeSet<u64> {
    listeners().into_iter().map(|(inode, _)| inode).collect()
}

/// Ports on which a process listens.
pub fn ports(pid: u32) -> Vec<u16> {
    let held = sockets(pid);
    listeners().into_iter().filter(|(inode, _)| held.contains(inode)).map(|(_, port)| port).collect()
}

/// Inode and port of all TCP sockets of this machine that listen: proc_net_tcp(5).
fn listeners() -> Vec<(u64, u16)> {
    const LISTEN: &str = "0A";
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (_, port) = fields.get(1)?.rsplit_once(':')?;
        let listens = fields.get(3) == Some(&LISTEN);
        listens.then(|| Some((fields.get(9)?.parse().ok()?, u16::from_str_radix(port, 16).ok()?))).flatten()
    };
    table.lines().skip(1).filter_map(line).collect()
}

fn sockets(pid: u32) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let inode = |target: &str| target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    entries.filter_map(|entry| inode(fs::read_link(entry.ok()?.path()).ok()?.to_str()?)).collect()
}

pub fn is_alive(pid: u32) -> bool {
    see(pid).is_some()
}
