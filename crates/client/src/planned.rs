//! The planned starts of an open loop: which connection takes which, what is dropped, and what is left open.
//!
//! There is one queue. Any connection that is free takes the next start, and does its own next operation then: with many
//! connections that is the model M/G/c (docs/METHODOLOGY.md, "Open loop"). A connection that finds nothing to do takes the
//! start that comes next and waits for it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kurabe_protocol::schedule::MOST_STARTS;
use kurabe_protocol::{Histogram, Operation, Phase, Schedule};

use crate::clock::now_ns;
use crate::outcome::LatencyByKind;

/// A thread wakes so long before a planned start and spins: the system wakes sleepers some ten microseconds late.
const SPIN_NS: u64 = 50_000;
/// The longest sleep before abort is looked at again.
const NAP_NS: u64 = 5_000_000;

/// The planned starts of one part of a phase: its warm-up, or what is measured.
pub struct PlannedStarts {
    /// In ns after the beginning, ascending.
    offsets: Box<[u64]>,
    lasts_ns: u64,
    /// Operations that may wait.
    most_waiting: usize,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// When the first worker came, in ns.
    begun_ns: Option<u64>,
    /// The first start that was not looked at yet.
    next: usize,
    /// Starts that are due and that nobody has taken, in their order.
    waiting: VecDeque<usize>,
    dropped: u64,
}

/// What became of the starts that no connection took.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Leftover {
    /// Starts that came while as many waited as may.
    pub dropped: u64,
    /// How long each of the others had waited at the end, in ns.
    pub open_waited_ns: Vec<u64>,
}

/// Both parts of an open loop.
pub struct OpenLoopPlan {
    warmup: PlannedStarts,
    measured: PlannedStarts,
}

/// A part of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is done before and not counted.
    Warmup,
    /// What is measured.
    Measured,
}

impl OpenLoopPlan {
    /// The starts that process `process` of `processes` has in `phase`; `None` where it has no schedule. The warm-up has the rate of
    /// the phase, and its backlog ends with it.
    pub fn of(phase: &Phase, gaps: &[u32], process: u32, processes: u32) -> Result<Option<OpenLoopPlan>, String> {
        let Some(schedule) = &phase.schedule else { return Ok(None) };
        let lacks_time = || format!("phase '{}' has a rate, but no duration", phase.name);
        let measured_ns = phase.end.duration_ns().ok_or_else(lacks_time)?;
        let part = |schedule: &Schedule, duration_ns: u64| {
            if schedule.starts_in(duration_ns) > MOST_STARTS {
                return Err(format!("phase '{}' plans more than {MOST_STARTS} operations", phase.name));
            }
            Ok(PlannedStarts::new(schedule, gaps, duration_ns, process, processes))
        };
        let warmup = part(&schedule.of_warmup(), schedule.warmup_ns(phase.warmup))?;
        Ok(Some(OpenLoopPlan { warmup, measured: part(schedule, measured_ns)? }))
    }

    /// The starts of a part.
    pub fn part(&self, part: Part) -> &PlannedStarts {
        match part {
            Part::Warmup => &self.warmup,
            Part::Measured => &self.measured,
        }
    }
}

impl PlannedStarts {
    fn new(schedule: &Schedule, gaps: &[u32], duration_ns: u64, process: u32, processes: u32) -> PlannedStarts {
        let own = schedule.starts(gaps, duration_ns).skip(process as usize).step_by(processes.max(1) as usize);
        let most_waiting = schedule.queue.map_or(usize::MAX, |most| most as usize);
        PlannedStarts { offsets: own.collect(), lasts_ns: duration_ns, most_waiting, queue: Mutex::default() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins at `now_ns`, unless another worker has begun; returns when that was.
    pub fn begin(&self, now_ns: u64) -> u64 {
        *self.queue().begun_ns.get_or_insert(now_ns)
    }

    /// When they began, where they have.
    pub(crate) fn begun_ns(&self) -> Option<u64> {
        self.queue().begun_ns
    }

    /// How many starts are planned.
    pub fn planned(&self) -> u64 {
        self.offsets.len() as u64
    }

    /// All of them, in ns after the beginning, ascending.
    pub(crate) fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// For how long they go on, in ns.
    pub(crate) fn lasts_ns(&self) -> u64 {
        self.lasts_ns
    }

    /// Operations that may wait for a free connection.
    pub(crate) fn most_waiting(&self) -> usize {
        self.most_waiting
    }

    /// Notes what became of starts that were given to another process: the first `next` of them, of which some were
    /// dropped and those at the offsets `open` taken by nobody.
    pub(crate) fn settle(&self, next: usize, open: &[u64], dropped: u64) {
        let at = |offset_ns: &u64| self.offsets.partition_point(|other_ns| other_ns < offset_ns);
        let mut queue = self.queue();
        (queue.next, queue.dropped, queue.waiting) = (next, dropped, open.iter().map(at).collect());
    }

    /// The planned start, in ns, of the next operation for a connection that is free `now_ns`: one that waits, else the one to
    /// come. `None` where there is no further one.
    pub fn take(&self, now_ns: u64) -> Option<u64> {
        let mut queue = self.queue();
        let begun_ns = *queue.begun_ns.get_or_insert(now_ns);
        while let Some(offset_ns) = self.offsets.get(queue.next)
            && begun_ns + offset_ns <= now_ns
        {
            let at = queue.next;
            queue.next += 1;
            if queue.waiting.len() < self.most_waiting {
                queue.waiting.push_back(at);
            } else {
                queue.dropped += 1;
            }
        }
        let at = queue.waiting.pop_front().or_else(|| {
            queue.next += 1;
            (queue.next <= self.offsets.len()).then(|| queue.next - 1)
        })?;
        Some(begun_ns + self.offsets[at])
    }

    /// What is left at `end_ns`; `taken` are planned starts that were taken and not begun.
    pub fn end(&self, end_ns: u64, taken: &[u64]) -> Leftover {
        let queue = self.queue();
        let begun_ns = queue.begun_ns.unwrap_or(end_ns);
        let mut leftover = Leftover { dropped: queue.dropped, open_waited_ns: Vec::new() };
        let mut waiting = queue.waiting.len();
        for planned_ns in queue.waiting.iter().map(|at| begun_ns + self.offsets[*at]).chain(taken.iter().copied()) {
            leftover.open_waited_ns.push(end_ns.saturating_sub(planned_ns));
        }
        // Those that came since somebody last looked met the same queue.
        for offset_ns in self.offsets.iter().skip(queue.next) {
            if waiting < self.most_waiting {
                waiting += 1;
                leftover.open_waited_ns.push(end_ns.saturating_sub(begun_ns + offset_ns));
            } else {
                leftover.dropped += 1;
            }
        }
        leftover
    }
}

/// Lets this thread wake when it asked to: by default the system may be 50 µs late to save wakes.
pub fn wake_in_time() {
    // SAFETY: PR_SET_TIMERSLACK takes a number and changes nothing but when this thread's sleeps end.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}

/// How long a thread may sleep at `now_ns` on its way to `planned_ns`; `None` where it is to spin, or is due.
pub fn nap(now_ns: u64, planned_ns: u64) -> Option<Duration> {
    let left_ns = planned_ns.saturating_sub(now_ns);
    (left_ns > SPIN_NS).then(|| Duration::from_nanos((left_ns - SPIN_NS).min(NAP_NS)))
}

/// Waits a part of the way from `at_ns` to `planned_ns`; returns the time then.
pub fn approach(at_ns: u64, planned_ns: u64) -> u64 {
    match nap(at_ns, planned_ns) {
        Some(nap) => std::thread::sleep(nap),
        None => std::hint::spin_loop(),
    }
    now_ns()
}

/// What a worker notes of its planned operations beside their service times.
pub struct Planned {
    /// When the operation at hand was to start, in ns.
    pub planned_ns: u64,
    /// When its connection was free, in ns.
    pub free_ns: u64,
    /// Response times, a histogram for each kind that the phase does.
    pub response: LatencyByKind,
    /// How late the client itself was.
    pub lag: Histogram,
    /// A planned start that was taken, and not begun before the phase ended.
    pub taken_ns: Option<u64>,
}

impl Planned {
    /// Nothing is noted yet; `response` has no counts.
    pub fn new(response: LatencyByKind) -> Planned {
        Planned { planned_ns: 0, free_ns: 0, response, lag: Histogram::default(), taken_ns: None }
    }

    /// Notes an operation that was done.
    #[inline(always)]
    pub fn count(&mut self, kind: Operation, start_ns: u64, end_ns: u64) {
        if let Some(histogram) = &mut self.response[kind as usize] {
            histogram.record(end_ns.saturating_sub(self.planned_ns));
        }
        self.lag.record(start_ns.saturating_sub(self.planned_ns.max(self.free_ns)));
    }

    /// Forgets what the warm-up noted.
    pub fn clear(&mut self) {
        self.response.iter_mut().flatten().for_each(|histogram| histogram.clear());
        self.lag.clear();
        self.taken_ns = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_protocol::operation::Pattern;
    use kurabe_protocol::stream::{GAP_UNIT, gaps};
    use kurabe_protocol::{Action, End, Warmup};
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn schedule(queue: Option<u32>) -> Schedule {
        Schedule { rate: 1_000, rate_to: None, pattern: Pattern::Constant, queue, gaps_stream: None }
    }

    fn starts(queue: Option<u32>) -> PlannedStarts {
        // 1 ms, 2 ms … 10 ms after the beginning.
        PlannedStarts::new(&schedule(queue), &[], 10 * MS + 1, 0, 1)
    }

    #[test]
    fn a_free_connection_takes_what_waits_and_else_what_comes() {
        let starts = starts(None);
        assert_eq!(starts.begin(100 * MS), 100 * MS);
        assert_eq!(starts.begin(101 * MS), 100 * MS, "the first one counts");
        assert_eq!(starts.take(100 * MS), Some(101 * MS), "one to come");
        assert_eq!(starts.take(100 * MS), Some(102 * MS), "another connection takes the next");
        assert_eq!(starts.take(105 * MS), Some(103 * MS), "after a stall the longest waiting");
        assert_eq!(starts.end(110 * MS, &[102 * MS]).open_waited_ns.len(), 8);
        let rest: Vec<u64> = std::iter::from_fn(|| starts.take(105 * MS)).collect();
        assert_eq!(rest.len(), 7);
        assert_eq!(starts.end(110 * MS, &[]), Leftover::default());
    }

    #[test]
    fn who_comes_while_the_queue_is_full_is_dropped() {
        let starts = starts(Some(2));
        starts.begin(0);
        // At 6 ms six have come, of which the first two wait.
        assert_eq!((starts.take(6 * MS), starts.take(6 * MS)), (Some(MS), Some(2 * MS)));
        assert_eq!(starts.take(6 * MS), Some(7 * MS));
        // Three come more, of which the last finds two before it.
        let leftover = starts.end(10 * MS, &[7 * MS]);
        assert_eq!(leftover, Leftover { dropped: 4 + 1, open_waited_ns: vec![3 * MS, 2 * MS, MS] });
    }

    #[test]
    fn processes_share_the_starts() {
        let phase = |warmup| {
            let end = End::DurationNs(10 * MS + 1);
            let phase = Phase::new("read", Action::Read, end);
            Phase { schedule: Some(schedule(None)), warmup, ..phase }
        };
        let of = |process| {
            let plan = OpenLoopPlan::of(&phase(Some(Warmup::Count(4))), &[], process, 3);
            plan.expect("a plan").expect("an open loop")
        };
        let offsets = |process| of(process).part(Part::Measured).offsets.to_vec();
        assert_eq!((offsets(0), offsets(2)), (vec![MS, 4 * MS, 7 * MS, 10 * MS], vec![3 * MS, 6 * MS, 9 * MS]));
        assert_eq!((0..3).map(|process| of(process).part(Part::Warmup).planned()).sum::<u64>(), 3);
        assert!(OpenLoopPlan::of(&Phase { schedule: None, ..phase(None) }, &[], 0, 1).expect("a phase").is_none());
    }

    /// Mean wait in ns from the planned to the real start, in a simulation: `connections` that take starts when they are free, each
    /// for the next of `service_ns`.
    fn mean_wait_ns(rate: u32, seconds: u64, connections: usize, mut service_ns: impl FnMut() -> f64) -> f64 {
        let gaps = gaps(11);
        let schedule = Schedule { rate, rate_to: None, pattern: Pattern::Poisson, queue: None, gaps_stream: None };
        let starts = PlannedStarts::new(&schedule, &gaps, seconds * 1_000_000_000, 0, 1);
        let mut free = std::collections::BinaryHeap::from(vec![std::cmp::Reverse(0u64); connections]);
        let (mut sum, mut count) = (0.0, 0.0);
        starts.begin(0);
        while let Some(std::cmp::Reverse(now_ns)) = free.pop() {
            let Some(planned_ns) = starts.take(now_ns) else { continue };
            let start_ns = now_ns.max(planned_ns);
            (sum, count) = (sum + (start_ns - planned_ns) as f64, count + 1.0);
            free.push(std::cmp::Reverse(start_ns + service_ns() as u64));
        }
        assert_eq!(count as u64, starts.planned());
        sum / count
    }

    /// M/D/1: Pollaczek and Khinchine, as in Kleinrock, "Queueing Systems", volume 1, 1975, section 5.7.
    #[test]
    fn waits_for_one_connection_are_those_of_theory() {
        for load in [0.3, 0.8] {
            let service_ns = load * 1e6;
            let expected_ns = load * service_ns / (2.0 * (1.0 - load));
            let waited_ns = mean_wait_ns(1_000, 1_000, 1, || service_ns);
            assert!((waited_ns / expected_ns - 1.0).abs() < 0.05, "{waited_ns} where theory has {expected_ns}");
        }
    }

    /// M/M/c: Erlang's C formula, as in the same book, section 3.5.
    #[test]
    fn waits_for_one_of_several_connections_are_those_of_theory() {
        let (connections, load) = (4usize, 0.75);
        let mean_ns = load * connections as f64 * 1e6;
        let offered = load * connections as f64;
        let term = |n: usize| (1..=n).fold(1.0, |product, k| product * offered / k as f64);
        let all_busy = term(connections) / (1.0 - load);
        let waits = all_busy / ((0..connections).map(term).sum::<f64>() + all_busy);
        let expected_ns = waits * mean_ns / (connections as f64 * (1.0 - load));
        let gaps = gaps(12);
        let mut drawn = gaps.iter().cycle().map(|gap| f64::from(*gap) / f64::from(GAP_UNIT));
        let waited_ns = mean_wait_ns(1_000, 1_000, connections, || drawn.next().unwrap_or(1.0) * mean_ns);
        assert!((waited_ns / expected_ns - 1.0).abs() < 0.05, "{waited_ns} where theory has {expected_ns}");
    }

    proptest! {
        /// Whatever connections do, and whenever, each start is taken once, dropped, or left open.
        #[test]
        fn no_start_is_lost(queue in prop::option::of(0u32..4), steps in prop::collection::vec(0u64..4 * MS, 0..30)) {
            let starts = starts(queue);
            let (mut now_ns, mut taken) = (starts.begin(7), Vec::new());
            for step in steps {
                now_ns += step;
                taken.extend(starts.take(now_ns));
            }
            prop_assert!(taken.is_sorted());
            let leftover = starts.end(now_ns.max(10 * MS), &[]);
            let all = taken.len() as u64 + leftover.dropped + leftover.open_waited_ns.len() as u64;
            prop_assert_eq!(all, starts.planned());
            prop_assert!(queue.is_some() || leftover.dropped == 0);
        }
    }
}
