//! What trials must show: figures with what is right, and whether they pass.

use kurabe_analysis::trial::RankingTrial;
use kurabe_messages::{Message, message};
use kurabe_protocol::{KindLatency, PhaseResult, histogram::Bucket};
use kurabe_stats::Histogram;

/// The stall of the trial of that name, in ns.
const STALL_NS: f64 = 1e9;
/// What took longer was held up by it.
const LATE_NS: u64 = 10_000_000;
/// So far may a percentile be from what arithmetic says, of 1: a bucket is 0.8 % wide, and what waited has to be done.
const P99_WITHIN: f64 = 0.15;
const P999_WITHIN: f64 = 0.05;
const LATE_WITHIN: f64 = 0.10;
/// The same for the mean wait in a queue: over 30 s its own spread is some 3 %.
const WAIT_WITHIN: f64 = 0.15;
/// The client may be so late at 99 of 100 starts, in ns.
const MOST_LAG_NS: f64 = 50_000.0;
/// The number of drawn starts may be so many standard deviations from its mean.
const PLANNED_SIGMAS: f64 = 5.0;
/// So many of the results drawn at random have what the rules are about, of 1.
const LEAST_TRIED: f64 = 0.3;

/// A figure of a trial.
#[derive(Debug)]
pub(super) struct Figure {
    what: Message,
    measured: f64,
    least: f64,
    most: f64,
    unit: Unit,
    /// Whether it is right.
    pub(super) passes: bool,
}

#[derive(Clone, Copy, Debug)]
enum Unit {
    Time,
    Count,
    Share,
}

impl Figure {
    fn new(what: Message, measured: f64, unit: Unit, least: f64, most: f64) -> Figure {
        let (least, most) = if matches!(unit, Unit::Count) { (least.ceil(), most.floor()) } else { (least, most) };
        let passes = (least..=most).contains(&measured);
        Figure { what, measured, least, most, unit, passes }
    }

    /// One that may be so far from what is `right`, of 1.
    fn within(what: Message, measured: f64, unit: Unit, right: f64, tolerance: f64) -> Figure {
        Figure::new(what, measured, unit, right * (1.0 - tolerance), right * (1.0 + tolerance))
    }

    /// In a line of the trial `name`.
    pub(super) fn line(&self, name: &str) -> String {
        let verdict = if self.passes { message!(cli_selftest_passes) } else { message!(cli_selftest_fails) };
        let Figure { what, measured, least, most, unit, .. } = self;
        let (least_is, most_is) = (unit.message(*least), unit.message(*most));
        let right = match (*least, *most) {
            (least, most) if least == most => most_is,
            (0.0, _) => message!(cli_selftest_most, most = most_is),
            _ => message!(cli_selftest_between, least = least_is, most = most_is),
        };
        let text = message!(cli_selftest_figure, what = what.clone(), measured = unit.message(*measured), right);
        format!("{name:<9} {verdict:<7}{text}", verdict = verdict.to_string())
    }
}

impl Unit {
    /// A value of it in words.
    fn message(self, value: f64) -> Message {
        match self {
            Unit::Time => message!(cli_selftest_duration, value),
            Unit::Count => message!(cli_selftest_count, value = value.max(0.0) as u64),
            Unit::Share => message!(cli_selftest_share, value),
        }
    }
}

/// What an open loop told.
#[derive(Clone, Debug)]
pub(super) struct OpenLoopSeen {
    /// Starts that the rate makes in the time, on average.
    due: f64,
    time_ns: f64,
    planned: u64,
    done: u64,
    failed: u64,
    dropped: u64,
    open: u64,
    /// Response times, with what those had waited that were open.
    response: Histogram,
    /// Means of those that were done, in ns.
    response_ns: f64,
    service_ns: f64,
    lag_p99_ns: Option<u64>,
}

impl OpenLoopSeen {
    /// Of a phase of one process at so many operations a second; `None` where it is no open loop.
    pub(super) fn of(result: &PhaseResult, rate: u32, time_ns: u64) -> Option<OpenLoopSeen> {
        let open_loop = result.open_loop.as_ref()?;
        let mean_ns = |told: &[KindLatency]| {
            let (sum, count) = told.iter().fold((0, 0), |(sum, count), one| (sum + one.sum_ns, count + one.count));
            sum as f64 / count.max(1) as f64
        };
        let times = result.latency.iter().flat_map(|kind| &kind.buckets).chain(&open_loop.open_waited);
        let workers = || result.workers.iter();
        Some(OpenLoopSeen {
            due: f64::from(rate) * time_ns as f64 / 1e9,
            time_ns: time_ns as f64,
            planned: open_loop.planned,
            done: workers().map(|worker| worker.operations).sum(),
            failed: workers().map(|worker| worker.failed).sum(),
            dropped: open_loop.dropped,
            open: open_loop.open,
            response: histogram(times)?,
            response_ns: mean_ns(&result.latency),
            service_ns: mean_ns(&open_loop.service),
            lag_p99_ns: histogram(open_loop.lag.iter())?.percentile(0.99),
        })
    }

    /// The share of operations that were late, of 1.
    fn late(&self) -> f64 {
        let late: u64 = self.response.pairs().filter(|[ns, _]| *ns >= LATE_NS).map(|[_, count]| count).sum();
        late as f64 / self.response.count().max(1) as f64
    }

    fn percentile_ns(&self, p: f64) -> f64 {
        self.response.percentile(p).map_or(f64::NAN, |ns| ns as f64)
    }
}

/// Of the lower bounds of buckets; the highest of them stands for the maximum.
fn histogram<'a>(buckets: impl Iterator<Item = &'a Bucket>) -> Option<Histogram> {
    let pairs: Vec<[u64; 2]> = buckets.map(|Bucket(ns, count)| [*ns, *count]).collect();
    let most = pairs.iter().filter(|[_, count]| *count > 0).map(|[ns, _]| *ns).max();
    Histogram::from_pairs(pairs, most).ok()
}

/// Nothing is lost from the plan, and nothing came to it.
pub(super) fn accounted(candidate: &str, phase: &str, seen: &OpenLoopSeen) -> Figure {
    let told = seen.done + seen.failed + seen.dropped + seen.open;
    let planned = seen.planned as f64;
    let what = message!(cli_selftest_accounted, candidate, phase);
    Figure::new(what, told as f64, Unit::Count, planned, planned)
}

/// As many starts are planned as the rate says, whatever the store does meanwhile.
fn planned(what: Message, seen: &OpenLoopSeen) -> Figure {
    let spread = PLANNED_SIGMAS * seen.due.sqrt();
    Figure::new(what, seen.planned as f64, Unit::Count, seen.due - spread, seen.due + spread)
}

/// A stall of a second is met by all who come in it: they wait from nothing to a second, evenly. So the highest of a
/// hundred waits a second less a hundredth of the time.
pub(super) fn stall(connections: u32, seen: &OpenLoopSeen) -> Vec<Figure> {
    let waits_ns = |p: f64| STALL_NS - (1.0 - p) * seen.time_ns;
    let late = (STALL_NS - LATE_NS as f64) / seen.time_ns;
    let p99 = (message!(cli_selftest_p99, connections), seen.percentile_ns(0.99));
    let p999 = (message!(cli_selftest_p999, connections), seen.percentile_ns(0.999));
    vec![
        planned(message!(cli_selftest_planned, connections), seen),
        Figure::within(p99.0, p99.1, Unit::Time, waits_ns(0.99), P99_WITHIN),
        Figure::within(p999.0, p999.1, Unit::Time, waits_ns(0.999), P999_WITHIN),
        Figure::within(message!(cli_selftest_late, connections), seen.late(), Unit::Share, late, LATE_WITHIN),
    ]
}

/// In a closed loop the same stall is met once by each connection, and no percentile shows it.
pub(super) fn stall_in_closed_loop(result: &PhaseResult) -> Option<Figure> {
    let times = histogram(result.latency.iter().flat_map(|kind| &kind.buckets))?;
    let p99_ns = times.percentile(0.99).map_or(f64::NAN, |ns| ns as f64);
    Some(Figure::new(message!(cli_selftest_closed), p99_ns, Unit::Time, 0.0, LATE_NS as f64))
}

/// Above what the store can do, operations are left open, and the rate is missed.
pub(super) fn overloaded(seen: &OpenLoopSeen) -> Vec<Figure> {
    vec![
        planned(message!(cli_selftest_overload_planned), seen),
        Figure::new(message!(cli_selftest_overload_open), seen.open as f64, Unit::Count, 1.0, seen.planned as f64),
    ]
}

/// Where few may wait, the others are dropped, and nobody waits for long.
pub(super) fn dropping(seen: &OpenLoopSeen) -> Vec<Figure> {
    let (dropped, open) = (seen.dropped as f64, seen.open as f64);
    vec![
        Figure::new(message!(cli_selftest_dropped), dropped, Unit::Count, 1.0, seen.planned as f64),
        // Those that may wait, and those that connections have taken.
        Figure::new(message!(cli_selftest_dropped_open), open, Unit::Count, 0.0, 104.0),
    ]
}

/// Who waits for a store that hangs to the end counts with what he has waited: up to half a second.
pub(super) fn hanging(seen: &OpenLoopSeen) -> Vec<Figure> {
    let longest_ns = seen.response.max_ns().map_or(f64::NAN, |ns| ns as f64);
    let half = STALL_NS / 2.0;
    vec![
        Figure::new(message!(cli_selftest_hang_open), seen.open as f64, Unit::Count, 1.0, seen.planned as f64),
        Figure::new(message!(cli_selftest_hang_waited), longest_ns, Unit::Time, half * 0.9, STALL_NS * 2.5),
    ]
}

/// What waited at the end of a warm-up is not there in what is measured.
pub(super) fn after_warm_up(seen: &OpenLoopSeen) -> Vec<Figure> {
    let p99_ns = seen.percentile_ns(0.99);
    vec![Figure::new(message!(cli_selftest_warm), p99_ns, Unit::Time, 0.0, LATE_NS as f64)]
}

/// The client starts nothing late.
pub(super) fn lag(seen: &OpenLoopSeen) -> Vec<Figure> {
    let lag_ns = seen.lag_p99_ns.map_or(f64::NAN, |ns| ns as f64);
    vec![
        Figure::new(message!(cli_selftest_lag), lag_ns, Unit::Time, 0.0, MOST_LAG_NS),
        Figure::within(message!(cli_selftest_lag_done), seen.done as f64, Unit::Count, seen.planned as f64, 0.01),
    ]
}

/// The mean wait before an operation begins is that of theory, for the time that operations were seen to take.
pub(super) fn waits(connections: u32, seen: &OpenLoopSeen) -> Figure {
    let waited_ns = seen.response_ns - seen.service_ns;
    let right_ns = mean_wait_ns(connections, seen.due / seen.time_ns, seen.service_ns);
    Figure::within(message!(cli_selftest_waits, connections), waited_ns, Unit::Time, right_ns, WAIT_WITHIN)
}

/// No answer to results drawn at random says more than it may; and enough of them say something, or nothing was tried.
pub(super) fn ranking(trial: &RankingTrial, sets: u64) -> Vec<Figure> {
    let (least, most) = (sets as f64 * LEAST_TRIED, sets as f64);
    let tried = |what: Message, sets: u64| Figure::new(what, sets as f64, Unit::Count, least, most);
    vec![
        Figure::new(message!(cli_selftest_ranking_wrong, sets), trial.wrong as f64, Unit::Count, 0.0, 0.0),
        tried(message!(cli_selftest_ranking_leads), trial.leads),
        tried(message!(cli_selftest_ranking_taken), trial.taken),
        tried(message!(cli_selftest_ranking_broken), trial.broken),
    ]
}

/// The mean wait in ns in a queue M/D/c: arrivals at `rate` a ns, each served for `service_ns`.
///
/// Source: for one server Pollaczek and Khinchine, for several the approximation of Cosmetatos (1975) from M/M/c; both
/// in Tijms, "A First Course in Stochastic Models", 2003, sections 2.5 and 9.6.
fn mean_wait_ns(connections: u32, rate: f64, service_ns: f64) -> f64 {
    let c = f64::from(connections);
    let offered = rate * service_ns;
    let load = offered / c;
    let term = |n: u32| (1..=n).fold(1.0, |product, k| product * offered / f64::from(k));
    let all_busy = term(connections) / (1.0 - load);
    let waits = all_busy / ((0..connections).map(term).sum::<f64>() + all_busy);
    let of_drawn_ns = waits * service_ns / (c * (1.0 - load));
    let correction = (1.0 - load) * (c - 1.0) * ((4.0 + 5.0 * c).sqrt() - 2.0) / (16.0 * c * load);
    of_drawn_ns * (1.0 + correction) / 2.0
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use kurabe_protocol::Schedule;
    use kurabe_protocol::operation::Pattern;
    use kurabe_protocol::stream::gaps;

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    const TIME_NS: u64 = 30 * SECOND_NS;

    /// A defect of a client that tells of an open loop.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Defect {
        None,
        /// Times count from the real start.
        RealStart,
        /// No start is planned while the store stands still.
        SkippedStarts,
        /// What was late is not counted at all.
        LostLate,
        /// One operation in a thousand is done and told nowhere.
        LostSome,
        /// What the warm-up left waiting is done in the time that is measured.
        WarmupBacklog,
        /// Each connection has a queue of its own. Starts are dealt to them by chance: dealt in turn, and all served for the
        /// same time, they wait as in one queue.
        OwnQueues,
    }

    /// Work on a clock that is not real.
    struct Simulated {
        rate: u32,
        connections: u32,
        service_ns: u64,
        /// When the store stands still, and until when.
        stall_ns: (u64, u64),
        queue: Option<usize>,
        defect: Defect,
    }

    impl Default for Simulated {
        fn default() -> Simulated {
            let (service_ns, defect) = (200_000, Defect::None);
            Simulated { rate: 2_000, connections: 16, service_ns, stall_ns: (0, 0), queue: None, defect }
        }
    }

    impl Simulated {
        /// A stall of a second in the middle.
        fn stalled(connections: u32, defect: Defect) -> Simulated {
            Simulated { connections, stall_ns: (SECOND_NS, 2 * SECOND_NS), defect, ..Simulated::default() }
        }

        /// What a client with this defect tells.
        fn seen(&self) -> OpenLoopSeen {
            let schedule =
                Schedule { rate: self.rate, rate_to: None, pattern: Pattern::Poisson, queue: None, gaps_stream: None };
            let (begin, end) = self.stall_ns;
            let gaps = gaps(5);
            let mut starts: Vec<u64> = schedule.starts(&gaps, TIME_NS).collect();
            if self.defect == Defect::SkippedStarts {
                starts.retain(|start_ns| !(begin..end).contains(start_ns));
            }
            let planned = starts.len() as u64;
            if self.defect == Defect::WarmupBacklog {
                starts.splice(0..0, vec![0; 900]);
            }
            let mut free: Vec<BinaryHeap<Reverse<u64>>> = match self.defect {
                Defect::OwnQueues => (0..self.connections).map(|_| BinaryHeap::from([Reverse(0)])).collect(),
                _ => vec![(0..self.connections).map(|_| Reverse(0)).collect()],
            };
            let queues = free.len();
            let (mut times, mut services, mut begun_at, mut dropped, mut open) = (vec![], vec![], vec![], 0, vec![]);
            for (number, planned_ns) in starts.into_iter().enumerate() {
                let waiting = begun_at.iter().rev().take_while(|begun_ns| **begun_ns > planned_ns).count();
                if self.queue.is_some_and(|most| waiting >= most) {
                    dropped += 1;
                    continue;
                }
                let by_chance = gaps[gaps.len() - 1 - number] as usize;
                let free = &mut free[by_chance % queues];
                let Reverse(free_ns) = free.pop().expect("a connection");
                let mut start_ns = planned_ns.max(free_ns);
                begun_at.push(start_ns);
                if start_ns >= TIME_NS {
                    free.push(Reverse(free_ns));
                    open.push(TIME_NS - planned_ns);
                    continue;
                }
                let real_ns = start_ns;
                if (begin..end).contains(&start_ns) {
                    start_ns = end;
                }
                let end_ns = start_ns + self.service_ns;
                free.push(Reverse(end_ns));
                services.push(end_ns - real_ns);
                times.push(if self.defect == Defect::RealStart { end_ns - real_ns } else { end_ns - planned_ns });
            }
            match self.defect {
                Defect::LostLate => times.retain(|ns| *ns < LATE_NS),
                Defect::LostSome => times.truncate(times.len() - times.len() / 1000),
                _ => {}
            }
            let mean = |of: &[u64]| of.iter().sum::<u64>() as f64 / of.len() as f64;
            let bucket = |ns: &u64| [kurabe_protocol::histogram::bucket_lowest(*ns), 1];
            let all: Vec<[u64; 2]> = times.iter().chain(&open).map(bucket).collect();
            let most = all.iter().map(|pair| pair[0]).max();
            OpenLoopSeen {
                due: f64::from(self.rate) * TIME_NS as f64 / 1e9,
                time_ns: TIME_NS as f64,
                planned,
                done: times.len() as u64,
                failed: 0,
                dropped,
                open: open.len() as u64,
                response: Histogram::from_pairs(all, most).expect("a histogram"),
                response_ns: mean(&times),
                service_ns: mean(&services),
                lag_p99_ns: Some(0),
            }
        }
    }

    fn pass(figures: Vec<Figure>) -> bool {
        figures.iter().all(|figure| figure.passes)
    }

    #[test]
    fn a_stall_passes_at_any_number_of_connections_and_no_defect_that_hides_it_does() {
        for connections in [16, 128] {
            let figures = stall(connections, &Simulated::stalled(connections, Defect::None).seen());
            assert!(figures.iter().all(|figure| figure.passes), "{figures:?}");
            for defect in [Defect::RealStart, Defect::SkippedStarts, Defect::LostLate] {
                assert!(!pass(stall(connections, &Simulated::stalled(connections, defect).seen())), "{defect:?}");
            }
        }
    }

    #[test]
    fn an_operation_that_is_told_nowhere_is_missed() {
        let seen = |defect| Simulated { defect, ..Simulated::default() }.seen();
        assert!(accounted("slow", "overload", &seen(Defect::None)).passes);
        assert!(!accounted("slow", "overload", &seen(Defect::LostSome)).passes);
        assert!(!accounted("slow", "overload", &seen(Defect::WarmupBacklog)).passes);
    }

    #[test]
    fn an_overload_leaves_operations_open_and_drops_them_where_few_may_wait() {
        let slow = |queue, defect| {
            Simulated { rate: 6_000, connections: 4, service_ns: 1_000_000, queue, defect, ..Simulated::default() }
                .seen()
        };
        assert!(pass(overloaded(&slow(None, Defect::None))) && !pass(dropping(&slow(None, Defect::None))));
        let limited = slow(Some(100), Defect::None);
        assert!(pass(dropping(&limited)) && accounted("slow", "overload-queue", &limited).passes);
        // A client that gives late starts up shows no overload.
        assert!(!pass(overloaded(&OpenLoopSeen { open: 0, ..slow(None, Defect::None) })));
    }

    #[test]
    fn a_store_that_hangs_to_the_end_counts_for_who_waits() {
        let stall_ns = (TIME_NS - SECOND_NS / 2, TIME_NS + SECOND_NS);
        let seen = Simulated { rate: 1_000, connections: 4, stall_ns, ..Simulated::default() }.seen();
        assert!(pass(hanging(&seen)), "{:?}", hanging(&seen));
        assert!(!pass(hanging(&OpenLoopSeen { open: 0, ..seen })));
    }

    #[test]
    fn the_backlog_of_a_warm_up_is_found_where_it_is_measured() {
        let (rate, connections, service_ns) = (1_000, 4, 1_000_000);
        let seen = |defect| Simulated { rate, connections, service_ns, defect, ..Simulated::default() }.seen();
        assert!(pass(after_warm_up(&seen(Defect::None))));
        assert!(!pass(after_warm_up(&seen(Defect::WarmupBacklog))));
    }

    #[test]
    fn waits_are_those_of_theory_with_one_queue_and_not_with_several() {
        let seen = |rate, connections, defect| {
            Simulated { rate, connections, service_ns: 2_000_000, defect, ..Simulated::default() }.seen()
        };
        for (rate, connections) in [(350, 1), (1_500, 4)] {
            let figure = waits(connections, &seen(rate, connections, Defect::None));
            assert!(figure.passes, "{figure:?}");
        }
        assert!(!waits(4, &seen(1_500, 4, Defect::OwnQueues)).passes);
        assert!(!waits(1, &seen(350, 1, Defect::RealStart)).passes);
    }

    #[test]
    fn a_client_that_is_late_or_does_less_is_no_generator_of_that_rate() {
        let seen = Simulated::default().seen();
        assert!(pass(lag(&seen)));
        assert!(!pass(lag(&OpenLoopSeen { lag_p99_ns: Some(60_000), ..seen.clone() })));
        assert!(!pass(lag(&OpenLoopSeen { done: seen.done * 9 / 10, ..seen })));
    }

    #[test]
    fn one_answer_that_says_too_much_fails_and_so_do_answers_that_say_nothing() {
        let good = RankingTrial { wrong: 0, leads: 500, taken: 900, broken: 600 };
        assert!(pass(ranking(&good, 1_000)));
        assert!(!pass(ranking(&RankingTrial { wrong: 1, ..good }, 1_000)));
        assert!(!pass(ranking(&RankingTrial { leads: 10, ..good }, 1_000)));
    }

    #[test]
    fn a_figure_says_what_was_seen_and_what_is_right() {
        let line =
            Figure::within(message!(cli_selftest_p99, connections = 16u32), 7.1e8, Unit::Time, 7e8, 0.15).line("stall");
        assert_eq!(line, "stall     passes p99 of response times, 16 connections: 710 ms; right is 595 ms to 805 ms");
        let alone =
            Figure::new(message!(cli_selftest_waits, connections = 1u32), 4e6, Unit::Time, 0.0, 3e6).line("queue");
        assert_eq!(alone, "queue     FAILS  mean wait in the queue, 1 connection: 4.00 ms; right is 3.00 ms at most");
        let exact = accounted("slow", "overload", &Simulated::default().seen()).line("account");
        assert!(exact.contains("right is 60,") && !exact.contains(" to "), "{exact}");
    }
}
