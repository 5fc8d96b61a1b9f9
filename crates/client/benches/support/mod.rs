//! What the benches against other programs share: turns, ratios, and this program as a client.

// Each bench is a program of its own and takes what it needs.
#![allow(dead_code)]

pub mod embedded;

use std::process::{Command, Stdio};

use kurabe_protocol::PhaseResult;

use crate::common::{operations, rate};

/// Pairs of neighbours that are compared, where a bench has no number of its own.
pub const PAIRS: usize = 9;

/// One measurement of one side.
#[derive(Clone, Copy)]
pub struct Side {
    /// Operations a second.
    pub rate: f64,
    /// Processor time of the client for one operation, in ns.
    pub cpu_ns: f64,
}

impl Side {
    pub fn of(result: &PhaseResult) -> Side {
        let cpu_ns = (result.cpu_user_ns + result.cpu_system_ns) as f64;
        Side { rate: rate(result), cpu_ns: cpu_ns / operations(result) as f64 }
    }
}

/// The bench is its own client: with the word `client` it serves one job and ends.
pub fn serve_if_asked() {
    if std::env::args().nth(1).as_deref() == Some("client") {
        std::process::exit(kurabe_client::serve(&kurabe_client::stores::registry()));
    }
}

pub fn own_client() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("the path of this bench"));
    command.arg("client");
    command
}

/// Measures so many pairs of both sides. Which comes first changes from pair to pair, so that neither always meets a
/// warmer machine.
pub fn in_turns<T>(pairs: usize, mut ours: impl FnMut(usize) -> T, mut theirs: impl FnMut() -> T) -> Vec<(T, T)> {
    let pair = |index: usize| {
        if index.is_multiple_of(2) {
            let our_side = ours(index);
            (our_side, theirs())
        } else {
            let their_side = theirs();
            (ours(index), their_side)
        }
    };
    (0..pairs).map(pair).collect()
}

/// The median, the least and the greatest.
fn median(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0], values[values.len() - 1])
}

pub fn report(name: &str, other: &str, pairs: &[(Side, Side)]) {
    let over = |value: &dyn Fn(&(Side, Side)) -> f64| median(pairs.iter().map(value));
    let rates = over(&|(ours, theirs)| ours.rate / theirs.rate);
    let cpu = over(&|(ours, theirs)| ours.cpu_ns / theirs.cpu_ns);
    println!(
        "{name}: kurabe {:.0}/s at {:.0} ns, {other} {:.0}/s at {:.0} ns of client processor time an operation",
        over(&|pair| pair.0.rate).0,
        over(&|pair| pair.0.cpu_ns).0,
        over(&|pair| pair.1.rate).0,
        over(&|pair| pair.1.cpu_ns).0,
    );
    println!(
        "  median ratio over {} pairs: throughput {:.3} ({:.3} to {:.3}), processor time {:.3} ({:.3} to {:.3})",
        pairs.len(),
        rates.0,
        rates.1,
        rates.2,
        cpu.0,
        cpu.1,
        cpu.2
    );
}

/// Runs a command to its end; its output and its processor time in ns.
pub fn measured(mut command: Command) -> (String, f64) {
    let before = children_cpu_ns();
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {words}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), children_cpu_ns() - before)
}

/// Processor time of all children that have ended.
fn children_cpu_ns() -> f64 {
    // SAFETY: `getrusage` fills the plain structure that it is given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}
