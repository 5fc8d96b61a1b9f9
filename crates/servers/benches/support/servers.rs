//! What the benches of servers share: a client that has loaded its rows, reads for a time in turns with another program,
//! and how that program's rate and processor time are found.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{Action, CallName, Distribution, End, Histogram, Phase, PhaseResult, Schedule, Schema};

use super::figures::{Aim, Figure, Unit};
use crate::common::{self, Driver, Server, operations, rate};

/// Pairs of neighbours that are compared.
const PAIRS: usize = 9;
/// How long each side reads. By time and not by a number of operations, of which each connection would have its share:
/// the slower ones would be alone at the end, on one side more than on the other.
pub const SECONDS: u64 = 2;
/// Where Kurabe's rows are: a table, or what names begin with.
pub const NAMESPACE: &str = "bench";
/// Another program that does not come to its reads in so long never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// One measurement of one side.
#[derive(Clone, Copy)]
pub struct Side {
    /// Operations a second.
    pub rate: f64,
    /// Processor time of the client for one operation, in ns.
    pub cpu_ns: f64,
    /// Of an open loop.
    pub response: Option<ResponseTimes>,
}

/// Times from planned starts, in ns.
#[derive(Clone, Copy)]
pub struct ResponseTimes {
    pub p50_ns: f64,
    pub p99_ns: f64,
}

impl ResponseTimes {
    /// Of so many that were seen.
    pub fn of(seen: &Histogram) -> ResponseTimes {
        let pairs = seen.buckets().into_iter().map(|bucket| [bucket.0, bucket.1]);
        let seen = kurabe_stats::Histogram::from_pairs(pairs, Some(seen.max_ns())).expect("a histogram");
        let percentile = |p| seen.percentile(p).expect("enough operations") as f64;
        ResponseTimes { p50_ns: percentile(0.5), p99_ns: percentile(0.99) }
    }
}

/// Reads that both sides do, and what should come of them.
#[derive(Clone, Copy)]
pub struct Reads<'a> {
    pub what: &'a str,
    /// The other program.
    pub against: &'a str,
    pub connections: u32,
    pub depth: u32,
    pub batch: u32,
    /// How many are planned a second, and how they follow each other; none in a closed loop.
    pub planned: Option<(u32, Pattern)>,
    pub rate_aim: Aim,
    pub cpu_aim: Aim,
}

/// Kurabe's client, with its rows loaded.
pub struct Ours {
    driver: Driver,
    pairs: usize,
    _files: tempfile::TempDir,
}

impl Ours {
    /// Starts a client of `store` on `server`, which loads its rows and is ready for `reads`, of rows drawn evenly.
    pub fn start(store: &str, server: &Server, schema: Schema, load: Phase, reads: &[Reads<'_>]) -> Ours {
        Ours::start_at(store, None, &server.url, schema, load, reads)
    }

    /// The same at an address of the server, by a driver of this name.
    pub fn start_at(
        store: &str,
        driver: Option<&str>,
        url: &str,
        schema: Schema,
        load: Phase,
        reads: &[Reads<'_>],
    ) -> Ours {
        let (files, pairs) = (common::files(), super::pairs(PAIRS));
        let rows = load.end.count().expect("a number of rows");
        let stream = common::rows_stream(files.path(), Distribution::Uniform, rows as u32);
        let gaps = common::gaps_stream(files.path());
        let schedule = |(rate, pattern): (u32, Pattern)| Schedule {
            rate,
            rate_to: None,
            pattern,
            queue: None,
            gaps_stream: (pattern == Pattern::Poisson).then(|| gaps.clone()),
        };
        let phase = |reads: &Reads<'_>, pair: usize| Phase {
            schedule: reads.planned.map(schedule),
            connections: reads.connections,
            depth: reads.depth,
            batch: reads.batch,
            distribution: Distribution::Uniform,
            rows_stream: Some(stream.clone()),
            ..Phase::new(&name(reads, pair), Action::Read, End::DurationNs(SECONDS * 1_000_000_000))
        };
        let load_name = load.name.clone();
        let mut phases = vec![load];
        phases.extend(reads.iter().flat_map(|reads| (0..pairs).map(|pair| phase(reads, pair)).collect::<Vec<_>>()));
        let mut job = common::job(store, url, files.path(), schema, rows, phases);
        job.namespace = NAMESPACE.into();
        let mut client = super::own_client();
        client.args(driver);
        let mut driver = Driver::start_with(client, &job).expect("a client");
        driver.ask(CallName::Create);
        driver.go_well(&load_name);
        Ours { driver, pairs, _files: files }
    }

    /// Measures `reads` in turns with `theirs`, and tells rates and processor times.
    pub fn compare(&mut self, reads: &Reads<'_>, theirs: impl FnMut() -> Side) {
        let ours = |pair| side(&self.driver.go_well(&name(reads, pair)));
        let pairs = super::in_turns(self.pairs, ours, theirs);
        let median = |value: &dyn Fn(&(Side, Side)) -> f64| super::median(pairs.iter().map(value)).0;
        println!(
            "{}: kurabe {:.0}/s at {:.0} ns, {} {:.0}/s at {:.0} ns of client processor time an operation",
            reads.what,
            median(&|(ours, _)| ours.rate),
            median(&|(ours, _)| ours.cpu_ns),
            reads.against,
            median(&|(_, theirs)| theirs.rate),
            median(&|(_, theirs)| theirs.cpu_ns),
        );
        let figure = |what: &str, aim: Aim, value: fn(&Side) -> f64| {
            let what = format!("{}, {what}", reads.what);
            let figure = Figure { what: &what, against: reads.against, unit: Unit::Times, aim };
            figure.tell(pairs.iter().map(|(ours, theirs)| (value(ours), value(theirs))));
        };
        if reads.planned.is_some() {
            let p50_ns = |side: &Side| side.response.map_or(f64::NAN, |times| times.p50_ns);
            let p99_ns = |side: &Side| side.response.map_or(f64::NAN, |times| times.p99_ns);
            println!(
                "response times p50 and p99: kurabe {:.0} and {:.0} ns, {} {:.0} and {:.0} ns",
                median(&|(ours, _)| p50_ns(ours)),
                median(&|(ours, _)| p99_ns(ours)),
                reads.against,
                median(&|(_, theirs)| p50_ns(theirs)),
                median(&|(_, theirs)| p99_ns(theirs)),
            );
            figure("response time p50", Aim::Unset, p50_ns);
            figure("response time p99", Aim::Unset, p99_ns);
        } else {
            figure("throughput", reads.rate_aim, |side| side.rate);
        }
        figure("client CPU an operation", reads.cpu_aim, |side| side.cpu_ns);
    }

    /// Ends the client cleanly.
    pub fn stop(self) {
        assert_eq!(self.driver.stop(), 0);
    }
}

fn name(reads: &Reads<'_>, pair: usize) -> String {
    format!("{} {} {pair}", reads.what, reads.against)
}

fn side(result: &PhaseResult) -> Side {
    let cpu_ns = result.cpu_ns().expect("its own processor time") as f64;
    let mut seen = Histogram::default();
    result.latency.iter().flat_map(|kind| &kind.buckets).for_each(|one| seen.record_times(one.0, one.1));
    let response = result.open_loop.is_some().then(|| ResponseTimes::of(&seen));
    Side { rate: rate(result), cpu_ns: cpu_ns / operations(result) as f64, response }
}

/// Runs a program that ends by time and tells its rate; `parse_rate` finds in its output how many operations it did, and how
/// many a second.
pub fn timed(command: Command, parse_rate: impl FnOnce(&str) -> Option<(f64, f64)>) -> Side {
    let (output, cpu_ns) = super::measured(command);
    let (operations, rate) = parse_rate(&output).unwrap_or_else(|| panic!("no rate in: {output}"));
    Side { rate, cpu_ns: cpu_ns / operations, response: None }
}

/// Runs a program that ends by number alone, with a number that it does not come to: it is watched for [`SECONDS`] while
/// all its connections are at work, and ended. `reads` asks the server how many reads it has answered.
pub fn watched(mut command: Command, mut reads: impl FnMut() -> u64) -> Side {
    let (before, deadline) = (reads(), Instant::now() + PATIENCE);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut other = Other(quiet.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")));
    // It connects, and may write rows first.
    while reads() == before {
        assert!(Instant::now() < deadline, "{command:?} does not read");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut look = || (reads(), cpu_ns(&other.0), Instant::now());
    let first = look();
    std::thread::sleep(Duration::from_secs(SECONDS));
    let last = look();
    let ended = other.0.try_wait().expect("a child");
    assert!(ended.is_none(), "{command:?} ended before it was watched: {ended:?}");
    let operations = (last.0 - first.0) as f64;
    Side {
        rate: operations / (last.2 - first.2).as_secs_f64(),
        cpu_ns: (last.1 - first.1) / operations,
        response: None,
    }
}

/// A program that ends when it is dropped.
struct Other(Child);

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Processor time of a process so far, in ns.
fn cpu_ns(child: &Child) -> f64 {
    // SAFETY: both functions fill the plain values that they are given.
    let time = unsafe {
        let (mut clock, mut time) = (0, std::mem::zeroed::<libc::timespec>());
        let found = libc::clock_getcpuclockid(child.id() as libc::pid_t, &mut clock);
        assert_eq!((found, libc::clock_gettime(clock, &mut time)), (0, 0), "a process has a clock");
        time
    };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
