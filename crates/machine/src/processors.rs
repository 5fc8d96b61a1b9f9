use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What others may use of the processors before anything begins.
const MOST_BUSY: f64 = 0.10;
/// One look at the processors; the system counts in hundredths of a second.
const LOOK: Duration = Duration::from_millis(300);

/// What all programs use of the processors for a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busy {
    /// Of all of them, of 1.
    pub share: f64,
}

/// How long it was waited for quiet processors, and with what result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorsWait {
    /// Time spent waiting.
    pub waited: Duration,
    /// Whether they were seen quiet, or the system does not tell.
    pub is_quiet: bool,
}

/// Waits until all programs together use little of the processors, at most `max` and no longer than until `interrupt` is set.
/// `told` hears of it where the first look finds them busy. Returns at once where the system does not tell.
pub fn processors_wait(max: Duration, interrupt: &AtomicBool, told: impl FnOnce(Busy)) -> ProcessorsWait {
    wait_until_quiet(max, told, || look(interrupt))
}

fn wait_until_quiet(max: Duration, told: impl FnOnce(Busy), mut look: impl FnMut() -> Option<Busy>) -> ProcessorsWait {
    let start = Instant::now();
    let outcome = |is_quiet| ProcessorsWait { waited: start.elapsed(), is_quiet };
    let is_busy = |busy: &Busy| busy.share > MOST_BUSY;
    let Some(first) = look().filter(is_busy) else { return outcome(true) };
    told(first);
    while start.elapsed() < max {
        if look().filter(is_busy).is_none() {
            return outcome(true);
        }
    }
    outcome(false)
}

/// What all programs use of the processors for a moment; `None` where that cannot be told, or the user interrupts.
fn look(interrupt: &AtomicBool) -> Option<Busy> {
    let before = ProcessorTimes::read()?;
    std::thread::sleep(LOOK);
    if interrupt.load(Ordering::Relaxed) {
        return None;
    }
    let used = ProcessorTimes::read()?.since(&before);
    (used.all_ns > 0).then(|| Busy { share: (used.busy_ns + used.steal_ns) as f64 / used.all_ns as f64 })
}

/// Time of all processors of the machine up to a moment: the first line of /proc/stat (proc_stat(5)), in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTimes {
    /// Of work, whosever it was, that of interrupts included.
    pub busy_ns: u64,
    /// That the machine below took for itself while there was work to do: only in virtual machines.
    pub steal_ns: u64,
    /// Of all of them, idle or not.
    pub all_ns: u64,
}

impl ProcessorTimes {
    /// Now; `None` where the system does not tell.
    pub fn read() -> Option<ProcessorTimes> {
        ProcessorTimes::parse(&fs::read_to_string("/proc/stat").ok()?, rustix::param::clock_ticks_per_second())
    }

    fn parse(text: &str, ticks_per_s: u64) -> Option<ProcessorTimes> {
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        // user nice system idle iowait irq softirq steal; guest times are counted in user and nice.
        let [user, nice, system, idle, iowait, irq, softirq, steal] = *ticks.first_chunk()?;
        let ns = |ticks: u64| ticks.saturating_mul(1_000_000_000 / ticks_per_s.max(1));
        let busy = user + nice + system + irq + softirq;
        Some(ProcessorTimes { busy_ns: ns(busy), steal_ns: ns(steal), all_ns: ns(busy + idle + iowait + steal) })
    }

    /// What was spent since an `earlier` moment. Zero, never negative: the kernel corrects some of these downwards.
    pub fn since(&self, earlier: &ProcessorTimes) -> ProcessorTimes {
        ProcessorTimes {
            busy_ns: self.busy_ns.saturating_sub(earlier.busy_ns),
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
            all_ns: self.all_ns.saturating_sub(earlier.all_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_summed_up() {
        let text = "cpu  100 1 20 700 30 2 3 4 50 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n";
        let times = ProcessorTimes::parse(text, 100).unwrap();
        let tick_ns = 10_000_000;
        assert_eq!((times.busy_ns, times.steal_ns), (126 * tick_ns, 4 * tick_ns));
        assert_eq!(times.all_ns, 860 * tick_ns);
        let earlier = ProcessorTimes { busy_ns: 26 * tick_ns, steal_ns: 9 * tick_ns, all_ns: 0 };
        let since = times.since(&earlier);
        assert_eq!((since.busy_ns, since.steal_ns), (100 * tick_ns, 0));
    }

    #[test]
    fn what_is_no_such_file_tells_nothing() {
        for text in ["", "cpu", "cpu 1 2 3", "cpu a b c d e f g h", "intr 5 6"] {
            assert_eq!(ProcessorTimes::parse(text, 100), None, "{text}");
        }
    }

    /// A wait that sees these shares, and the last of them for ever; with how often it looked and what it told.
    fn waited(shares: &[f64], max: Duration) -> (ProcessorsWait, usize, Option<f64>) {
        let (mut looks, mut told) = (0, None);
        let wait = wait_until_quiet(
            max,
            |busy| told = Some(busy.share),
            || {
                looks += 1;
                Some(Busy { share: *shares.get(looks - 1).or(shares.last())? })
            },
        );
        (wait, looks, told)
    }

    #[test]
    fn busy_processors_are_waited_for_and_quiet_ones_are_not() {
        let minute = Duration::from_secs(60);
        let (wait, looks, told) = waited(&[0.05], minute);
        assert_eq!((wait.is_quiet, looks, told), (true, 1, None));
        let (wait, looks, told) = waited(&[0.7, 0.9, 0.02], minute);
        assert_eq!((wait.is_quiet, looks, told), (true, 3, Some(0.7)));
        let (wait, _, told) = waited(&[0.7], Duration::from_millis(5));
        assert_eq!((wait.is_quiet, told), (false, Some(0.7)));
    }

    #[test]
    fn this_machine_tells_and_goes_on() {
        let before = ProcessorTimes::read().unwrap();
        assert!(before.all_ns >= before.busy_ns);
        let after = ProcessorTimes::read().unwrap();
        assert!(after.all_ns >= before.all_ns);
    }
}
