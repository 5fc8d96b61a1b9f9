use std::fs;

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

    #[test]
    fn this_machine_tells_and_goes_on() {
        let before = ProcessorTimes::read().unwrap();
        assert!(before.all_ns >= before.busy_ns);
        let after = ProcessorTimes::read().unwrap();
        assert!(after.all_ns >= before.all_ns);
    }
}
