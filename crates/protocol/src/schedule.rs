//! An open loop: operations have planned starts, whatever the store does meanwhile.
//!
//! In a closed loop a worker starts its next operation when the one before it is over, so a store that stands still for a
//! second meets one late operation a connection. Users go on to arrive. With a schedule every operation has a planned start.
//! Its *response time* counts from there, its *service time* from the real start.
//!
//! All candidates of a round have the same starts. Gaps come from a stream file ([`crate::stream::gaps_stream`]) and are
//! scaled by the rate.

use crate::operation::{Pattern, Warmup};
use crate::stream::{GAP_ENTRIES, GAP_UNIT};

/// Most planned starts of a phase in one process: each takes 8 bytes.
pub const MOST_STARTS: u64 = 1 << 24;

/// When the operations of a phase start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Operations a second, over all connections and client processes.
    pub rate: u32,
    /// Operations a second at the end, to which the rate goes evenly; absent where it stays.
    pub rate_to: Option<u32>,
    /// How the starts follow each other.
    pub pattern: Pattern,
    /// Operations that may wait for a free connection; what comes while so many wait is dropped. Absent for no limit.
    pub queue: Option<u32>,
    /// Path of the gaps stream of `poisson`; absent in a plan.
    pub gaps_stream: Option<String>,
}

impl Schedule {
    /// The planned starts before `end_ns`, in ns after the phase began, ascending. `gaps` is the content of the gaps stream, read
    /// cyclically; it is not looked at where gaps are constant.
    pub fn starts(&self, gaps: &[u32], end_ns: u64) -> impl Iterator<Item = u64> {
        let is_constant = self.pattern == Pattern::Constant || gaps.is_empty();
        let gap = move |at: usize| if is_constant { GAP_UNIT } else { gaps[at % gaps.len()] };
        let (mut units, rate, rate_to) = (0u64, self.rate.max(1), self.rate_to);
        let start = move |at: usize| {
            units += u64::from(gap(at));
            match rate_to {
                None => at_rate_ns(units, rate),
                Some(to) => on_ramp_ns(units, f64::from(rate), f64::from(to), end_ns),
            }
        };
        let most = usize::try_from(self.most_starts_in(end_ns)).unwrap_or(usize::MAX);
        (0..most).map(start).take_while(move |start_ns| *start_ns < end_ns)
    }

    /// Operations a second that are planned for the share `at` of the phase, from 0 at its beginning to 1 at its end.
    pub fn rate_at(&self, at: f64) -> f64 {
        let (from, to) = (f64::from(self.rate), f64::from(self.rate_to.unwrap_or(self.rate)));
        from + (to - from) * at
    }

    /// The schedule of a warm-up: it stays at the first rate.
    pub fn of_warmup(&self) -> Schedule {
        Schedule { rate_to: None, ..self.clone() }
    }

    /// How long a warm-up lasts at the first rate, in ns.
    pub fn warmup_ns(&self, warmup: Option<Warmup>) -> u64 {
        match warmup {
            None => 0,
            Some(Warmup::DurationNs(ns)) => ns,
            Some(Warmup::Count(count)) => count.saturating_mul(1_000_000_000) / u64::from(self.rate.max(1)),
        }
    }

    /// More starts than this are never planned in `duration_ns`: ten standard deviations above the average, which no
    /// stream reaches. From a lap of the stream on (2^20 gaps, whose deviation is 1,024) laps repeat, and so does what they
    /// are apart.
    pub fn most_starts_in(&self, duration_ns: u64) -> u64 {
        let average = self.starts_in(duration_ns);
        let deviation = average.isqrt().max(average / 1024);
        average.saturating_add(10 * deviation).saturating_add(100)
    }

    /// How many starts are planned in `duration_ns`, on average.
    pub fn starts_in(&self, duration_ns: u64) -> u64 {
        let twice_the_mean = u128::from(self.rate) + u128::from(self.rate_to.unwrap_or(self.rate));
        u64::try_from(twice_the_mean * u128::from(duration_ns) / 2_000_000_000).unwrap_or(u64::MAX)
    }
}

/// When a rate that stays has planned `units` of gaps, in ns.
fn at_rate_ns(units: u64, rate: u32) -> u64 {
    let ns = u128::from(units) * 1_000_000_000 / (u128::from(rate) * u128::from(GAP_UNIT));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// When a rate that goes evenly from `from` to `to` in `lasts_ns` has planned `units` of gaps, in ns: the time t at which
/// from·t + (to − from)·t²/(2·lasts) operations are planned (the time change of a Poisson process whose rate varies, as in
/// Ross, "Introduction to Probability Models", section 5.4.1).
fn on_ramp_ns(units: u64, from: f64, to: f64, lasts_ns: u64) -> u64 {
    let (planned, lasts_s) = (units as f64 / f64::from(GAP_UNIT), lasts_ns as f64 / 1e9);
    let rate_then = (from * from + 2.0 * (to - from) * planned / lasts_s).max(0.0).sqrt();
    if to < from && rate_then <= to {
        // As many are never planned.
        return u64::MAX;
    }
    (2e9 * planned / (from + rate_then)) as u64
}

// One lap of the stream must not be shorter than the seconds in which stalls are looked for.
const _: () = assert!(GAP_ENTRIES >= 1 << 20);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::gaps;

    fn schedule(rate: u32, pattern: Pattern) -> Schedule {
        Schedule { rate, rate_to: None, pattern, queue: None, gaps_stream: None }
    }

    #[test]
    fn a_ramp_plans_what_lies_under_it_and_no_more() {
        for (from, to) in [(100, 900), (900, 100), (1, 999), (500, 500)] {
            let ramp = Schedule { rate_to: Some(to), ..schedule(from, Pattern::Constant) };
            let starts: Vec<u64> = ramp.starts(&[], 10_000_000_000).collect();
            assert!(starts.is_sorted(), "{from} to {to}");
            // The mean of both rates, for ten seconds.
            let all = (from + to) as usize * 5;
            assert!((all - 1..=all).contains(&starts.len()), "{} from {from} to {to}", starts.len());
            let half = starts.iter().filter(|start| **start < 5_000_000_000).count() as i64;
            let expected = i64::from(from * 3 + to) * 5 / 4;
            assert!((half - expected).abs() <= 1, "{half} in the first half, not {expected}, from {from} to {to}");
        }
    }

    #[test]
    fn a_drawn_ramp_has_the_spread_of_the_law_and_its_warmup_the_first_rate() {
        let ramp = Schedule { rate_to: Some(3_000), ..schedule(1_000, Pattern::Poisson) };
        let count = |seed| ramp.starts(&gaps(seed), 10_000_000_000).count() as f64;
        let counts: Vec<f64> = (1..=40).map(count).collect();
        let mean = counts.iter().sum::<f64>() / 40.0;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 39.0;
        // 20,000 expected; the standard deviation of a mean of forty is 22.
        assert!((mean - 20_000.0).abs() < 90.0, "{mean}");
        assert!((0.4..2.0).contains(&(variance / mean)), "variance {variance} of mean {mean}");
        assert_eq!(ramp.of_warmup().starts_in(10_000_000_000), 10_000);
        assert!(counts.iter().all(|count| (*count as u64) < ramp.most_starts_in(10_000_000_000)));
    }

    #[test]
    fn constant_starts_are_equally_far_apart() {
        let starts: Vec<u64> = schedule(4, Pattern::Constant).starts(&[], 1_000_000_001).collect();
        assert_eq!(starts, [250_000_000, 500_000_000, 750_000_000, 1_000_000_000]);
    }

    #[test]
    fn drawn_starts_have_the_rate_and_the_spread_of_the_law() {
        let starts: Vec<u64> = schedule(100_000, Pattern::Poisson).starts(&gaps(7), 10_000_000_000).collect();
        // A million expected, with a standard deviation of a thousand.
        assert!((995_000..1_005_000).contains(&starts.len()), "{}", starts.len());
        assert!(starts.is_sorted());
        // In a second there are 100,000 with the standard deviation of 316; the variance over ten of them is loose.
        let in_tenths: Vec<f64> = (0..100u64)
            .map(|tenth| starts.iter().filter(|start| **start / 100_000_000 == tenth).count() as f64)
            .collect();
        let mean = in_tenths.iter().sum::<f64>() / 100.0;
        let variance = in_tenths.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 99.0;
        assert!((0.6..1.5).contains(&(variance / mean)), "variance {variance} of mean {mean}");
    }

    /// Rows that a phase inserts get numbers of their own, so their most must be known before.
    #[test]
    fn no_stream_plans_more_than_the_most() {
        for (seed, seconds) in (1..40).flat_map(|seed| [(seed, 1), (seed, 30)]) {
            let (schedule, ns) = (schedule(100, Pattern::Poisson), seconds * 1_000_000_000);
            let planned = schedule.starts(&gaps(seed), ns).count() as u64;
            assert!(planned * 10 < schedule.most_starts_in(ns) * 9, "{planned} in {seconds} s");
        }
        let endless = Schedule { rate: u32::MAX, ..schedule(1, Pattern::Poisson) };
        let none = [0; 8];
        assert_eq!(endless.starts(&none, 1_000).count() as u64, endless.most_starts_in(1_000), "of gaps that are none");
    }

    #[test]
    fn a_rate_of_one_meets_the_longest_phase_without_overflow() {
        let starts: Vec<u64> = schedule(u32::MAX, Pattern::Constant).starts(&[], 10).collect();
        assert_eq!(starts.len(), 42, "a start every 0.23 ns");
        assert_eq!(schedule(1, Pattern::Constant).starts(&[], u64::MAX).nth(9), Some(10_000_000_000));
        assert_eq!(schedule(2_000, Pattern::Poisson).starts_in(30_000_000_000), 60_000);
    }
}
