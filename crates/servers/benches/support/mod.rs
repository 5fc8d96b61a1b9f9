//! What the benches against other programs share: turns, ratios, and this program as a client.

// Each bench is a program of its own and takes what it needs.
#![allow(dead_code)]

pub mod embedded;
pub mod figures;
pub mod servers;

use std::process::{Command, Stdio};

/// Gives another number of pairs, to see in short that a bench works.
const PAIRS: &str = "KURABE_BENCH_PAIRS";

/// How many pairs of neighbours are compared; `usual` where nothing else is asked for.
pub fn pairs(usual: usize) -> usize {
    match std::env::var(PAIRS) {
        Err(_) => usual,
        Ok(asked) => match asked.parse() {
            Ok(pairs) if pairs > 0 => pairs,
            _ => panic!("{PAIRS} is '{asked}'; give a number above 0"),
        },
    }
}

/// The bench is its own client: with the word `client`, and a driver behind it, it serves one job and ends.
pub fn serve_if_asked() {
    if std::env::args().nth(1).as_deref() == Some("client") {
        let driver = std::env::args().nth(2);
        let baselines = kurabe_client::baselines::registry().into_iter();
        let registry: Vec<_> = baselines.chain(kurabe_embedded::registry()).chain(kurabe_servers::registry()).collect();
        std::process::exit(kurabe_client::serve(&registry, driver.as_deref()));
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
    let values: Vec<f64> = values.collect();
    let (least, greatest) = (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
    let middle = kurabe_stats::median(values).expect("at least one pair");
    (middle, least.unwrap_or(middle), greatest.unwrap_or(middle))
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
