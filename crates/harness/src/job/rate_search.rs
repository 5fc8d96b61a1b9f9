//! The search for the highest rate at which response times keep a promise: the same phase at one rate after the other.

use kurabe_protocol::{PhaseResult, RateStep, Series};
use kurabe_record::{PhasePlan, PhaseRecord, RateBracket, RateSearch, Slo, StepRecord};

use super::Work;
use crate::estimate::rate_per_ns;
use crate::fault::Fault;

/// The search ends where the lowest rate that was broken is at most so many times the highest that was kept. It gives the lower
/// of the two, so that on average it is half of that too low.
const CLOSE: f64 = 1.06;
/// Most steps: from a first rate a thousand times too low or too high.
const MOST_STEPS: usize = 16;
/// The first rate as a share of that of the closed loop.
const FIRST_SHARE: f64 = 0.7;
/// Who breaks a promise at one in so many of the first rate breaks it for want of speed, not of rest.
const LOWEST_SHARE: f64 = 256.0;
/// A step that is to see enough operations for its percentile lasts at most so long, in ns.
const LONGEST_STEP_NS: u64 = 30_000_000_000;
/// Above it a step has too many planned starts.
const MOST_RATE: f64 = 10_000_000.0;

/// A search for a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RateSteps {
    first: f64,
    known: RateBracket<f64>,
}

impl RateSteps {
    fn from(first: f64) -> RateSteps {
        RateSteps { first: first.clamp(1.0, MOST_RATE), known: RateBracket::EMPTY }
    }

    /// The rate to try; `None` where enough is known.
    fn next(&self) -> Option<f64> {
        let next = match (self.known.kept, self.known.broken) {
            (None, None) => self.first,
            (Some(kept), None) => kept * 2.0,
            (None, Some(broken)) if broken * LOWEST_SHARE <= self.first => return None,
            (None, Some(broken)) => broken / 2.0,
            (Some(kept), Some(broken)) if broken / kept <= CLOSE => return None,
            (Some(kept), Some(broken)) => (kept * broken).sqrt(),
        };
        (1.0..=MOST_RATE).contains(&next).then_some(next)
    }

    fn note(&mut self, rate: f64, is_kept: bool) {
        self.known = self.known.with(rate, is_kept);
    }

    /// Goes through all steps; `step` does one at a rate for so many ns, and tells whether it kept the promise.
    fn go<E>(&mut self, slo: &Slo, least_ns: u64, mut step: impl FnMut(u32, u64) -> Result<bool, E>) -> Result<(), E> {
        for _ in 0..MOST_STEPS {
            let Some(rate) = self.next().map(|rate| rate.round() as u32) else { break };
            let Some(duration_ns) = step_ns(slo, rate, least_ns) else { break };
            let is_kept = step(rate, duration_ns)?;
            self.note(f64::from(rate), is_kept);
        }
        Ok(())
    }
}

/// How long a step at `rate` lasts, so that its percentile has a value: half as long again as it takes on average. `None` where
/// that is too long.
fn step_ns(slo: &Slo, rate: u32, least_ns: u64) -> Option<u64> {
    let needed_ns = slo.least_operations().saturating_mul(1_500_000_000) / u64::from(rate.max(1));
    (needed_ns <= LONGEST_STEP_NS).then_some(needed_ns.max(least_ns))
}

impl Work<'_> {
    /// Does a phase at one rate after the other. What it gives is that of the highest rate that kept the promise, else of the
    /// lowest that was tried; all of them stand beside.
    /// Of the phases `before`, one may tell where to begin.
    pub(super) fn search_rate(
        &mut self,
        plan: &PhasePlan,
        search: &RateSearch,
        before: &[PhaseRecord],
    ) -> Result<PhaseRecord, Fault> {
        let planned = plan.phase.schedule.as_ref().map_or(1, |schedule| schedule.rate);
        let closed = before.iter().find(|record| Some(&record.name) == search.begins_at.as_ref()).and_then(rate_per_ns);
        let mut search_steps = RateSteps::from(closed.map_or(f64::from(planned), |rate| rate * 1e9 * FIRST_SHARE));
        let least_ns = plan.phase.end.duration_ns().unwrap_or(0);
        let mut all: Vec<(StepRecord, PhaseRecord)> = Vec::new();
        search_steps.go(&search.slo, least_ns, |rate, duration_ns| {
            let record = self.run_phase(plan, Some(RateStep { phase: plan.phase.name.clone(), rate, duration_ns }))?;
            let results: Vec<PhaseResult> = record.results.iter().map(without_course).collect();
            let is_kept = search.slo.is_kept_by(&results);
            all.push((StepRecord { rate, duration_ns, results }, record));
            Ok::<bool, Fault>(is_kept)
        })?;
        let (steps, records): (Vec<StepRecord>, Vec<PhaseRecord>) = all.into_iter().unzip();
        let empty = PhaseRecord::new(&plan.phase.name, plan.phase.operation());
        let found = PhaseRecord { steps, ..empty };
        let shown = found.highest_rate(&search.slo).or_else(|| found.steps.iter().map(|step| step.rate).min());
        let at = found.steps.iter().rposition(|step| Some(step.rate) == shown);
        let Some(record) = at.and_then(|at| records.into_iter().nth(at)) else { return Ok(found) };
        Ok(PhaseRecord { steps: found.steps, ..record })
    }
}

/// A result without its course of time, which nobody looks at and which is most of it.
fn without_course(result: &PhaseResult) -> PhaseResult {
    PhaseResult { series: Series::default(), ..result.clone() }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use kurabe_protocol::operation::Pattern;
    use kurabe_protocol::stream::gaps;
    use kurabe_protocol::{Histogram, KindLatency, OpenLoop, Operation, Schedule};
    use proptest::prelude::*;

    use super::*;

    fn search(first: f64, truth: f64) -> (f64, usize) {
        let mut bracket = RateSteps::from(first);
        let mut steps = 0;
        while let Some(rate) = bracket.next().filter(|_| steps < MOST_STEPS) {
            steps += 1;
            bracket.note(rate, rate <= truth);
        }
        (bracket.known.kept.unwrap_or(0.0), steps)
    }

    proptest! {
        #[test]
        fn a_rate_is_found_within_a_few_in_a_hundred(first in 0.02f64..50.0, truth in 100.0f64..1_000_000.0) {
            let (found, steps) = search(first * truth, truth);
            prop_assert!(found <= truth && found * 1.07 >= truth, "{found} of {truth} in {steps} steps");
            prop_assert!(steps <= MOST_STEPS);
        }
    }

    const SERVICE_NS: u64 = 1_000_000;
    const CONNECTIONS: usize = 4;

    fn latency(times: &Histogram) -> Vec<KindLatency> {
        let (count, sum_ns) = (times.count(), times.sum_ns());
        let (min_ns, max_ns) = (times.min_ns(), times.max_ns());
        vec![KindLatency { operation: Operation::Read, buckets: times.buckets(), count, sum_ns, min_ns, max_ns }]
    }

    /// What an open loop over four connections gives, whose operations take a millisecond each, on a clock that is not
    /// real.
    fn simulated(rate: u32, duration_ns: u64, gaps: &[u32]) -> PhaseResult {
        let schedule = Schedule { rate, rate_to: None, pattern: Pattern::Poisson, queue: None, gaps_stream: None };
        let mut free = BinaryHeap::from([Reverse(0); CONNECTIONS]);
        let [mut response, mut service, mut waited] = std::array::from_fn(|_| Histogram::default());
        let mut planned = 0;
        for planned_ns in schedule.starts(gaps, duration_ns) {
            planned += 1;
            let Reverse(free_ns) = free.pop().expect("a connection");
            let start_ns = free_ns.max(planned_ns);
            if start_ns >= duration_ns {
                free.push(Reverse(free_ns));
                waited.record(duration_ns - planned_ns);
                continue;
            }
            free.push(Reverse(start_ns + SERVICE_NS));
            response.record(start_ns + SERVICE_NS - planned_ns);
            service.record(SERVICE_NS);
        }
        let open_loop = OpenLoop {
            planned,
            dropped: 0,
            open: waited.count(),
            open_waited: waited.buckets(),
            service: latency(&service),
            lag: Vec::new(),
            lag_max_ns: 0,
        };
        let told = crate::samples::honest("read", Operation::Read, response.count());
        PhaseResult { latency: latency(&response), open_loop: Some(open_loop), ..told }
    }

    /// A store of known speed: its highest rate is that of a simulation of a hundred times the length.
    #[test]
    fn the_highest_rate_of_a_known_store_is_found_within_a_tenth_in_eighteen_of_twenty_searches() {
        let slo: Slo = "p99<5ms".parse().expect("an objective");
        let long = gaps(1);
        let keeps = |rate: u32| slo.is_kept_by(&[simulated(rate, 200_000_000_000, &long)]);
        let (mut kept, mut broken) = (1_000, 4_000);
        assert!(keeps(kept) && !keeps(broken));
        while broken - kept > 10 {
            let rate = (kept + broken) / 2;
            *if keeps(rate) { &mut kept } else { &mut broken } = rate;
        }
        let truth = f64::from(kept);
        assert!((3_000.0..4_000.0).contains(&truth), "{truth}, where no four connections do more than 4,000");
        let found = |seed: u64| {
            let gaps = gaps(seed);
            let mut steps = RateSteps::from(FIRST_SHARE * 4_000.0 * if seed.is_multiple_of(2) { 0.2 } else { 1.0 });
            let step = |rate, duration_ns| Ok::<_, ()>(slo.is_kept_by(&[simulated(rate, duration_ns, &gaps)]));
            steps.go(&slo, 2_000_000_000, step).expect("no step fails");
            steps.known.kept.unwrap_or(0.0)
        };
        let all: Vec<f64> = (2..22).map(found).collect();
        let good = all.iter().filter(|rate| (*rate / truth - 1.0).abs() <= 0.1).count();
        assert!(good >= 18, "{truth}: {all:?}");
    }

    #[test]
    fn a_step_that_contradicts_an_earlier_one_takes_it_back() {
        let mut bracket = RateSteps::from(100.0);
        bracket.note(100.0, false);
        bracket.note(50.0, true);
        bracket.note(70.7, true);
        assert_eq!(bracket.next().map(f64::round), Some(84.0));
        bracket.note(60.0, false);
        assert_eq!((bracket.known.kept, bracket.known.broken), (None, Some(60.0)));
        assert_eq!(bracket.next(), Some(30.0));
        bracket.note(30.0, true);
        bracket.note(65.0, true);
        assert_eq!((bracket.known.kept, bracket.known.broken), (Some(65.0), None));
    }

    #[test]
    fn a_rate_that_no_store_keeps_or_that_is_none_ends_the_search() {
        assert_eq!(search(8.0, 0.5), (0.0, 4), "8, 4, 2 and 1");
        let (found, steps) = search(1_000.0, f64::MAX);
        assert!(found <= MOST_RATE && steps <= MOST_STEPS, "{found} in {steps}");
    }

    #[test]
    fn a_step_is_long_enough_for_its_percentile() {
        let slo: Slo = "p99<5ms".parse().expect("an objective");
        assert_eq!(slo.least_operations(), 1_000);
        assert_eq!(step_ns(&slo, 10_000, 2_000_000_000), Some(2_000_000_000));
        assert_eq!(step_ns(&slo, 500, 2_000_000_000), Some(3_000_000_000));
        assert_eq!(step_ns(&slo, 49, 2_000_000_000), None, "31 s");
    }
}
