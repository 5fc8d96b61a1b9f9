//! What the intervals and verdicts promise, checked on simulated runs. Every seed is fixed, so each result is the same each time.

use kurabe_stats::{Histogram, Verdict, bucket_lowest, paired_ratio, pairs_needed, rate_estimate};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, LogNormal, Normal};

const SEED: u64 = 20_261_121;

#[test]
fn a_95_percent_interval_of_five_log_normal_rates_covers_the_truth_in_94_to_96_percent_of_4000_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let median = 50_000.0_f64;
    let rates = LogNormal::new(median.ln(), 0.08).expect("valid parameters");
    let covered = (0..4000)
        .filter(|_| {
            let values: Vec<f64> = (0..5).map(|_| rates.sample(&mut rng)).collect();
            let estimate = rate_estimate(&values).expect("rates are above zero");
            estimate.interval.expect("five values").contains(median)
        })
        .count();
    assert!((3760..=3840).contains(&covered), "{covered} of 4000");
}

/// Rates of two candidates in `rounds` rounds on a machine whose speed drifts from run to run, in random order in each round.
/// `speed_up` is the log of how much faster the first one is.
fn drifting_pair(rng: &mut ChaCha8Rng, rounds: usize, noise: f64, drift: f64, speed_up: f64) -> [Vec<Option<f64>>; 2] {
    let noise = Normal::new(0.0, noise).expect("valid parameters");
    let mut machine = 10_000.0_f64.ln();
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let first: usize = rng.random_range(0..2);
        for candidate in [first, 1 - first] {
            machine += drift;
            let gain = if candidate == 0 { speed_up } else { 0.0 };
            rates[candidate].push(Some((machine + gain + noise.sample(rng)).exp()));
        }
    }
    rates
}

#[test]
fn identical_candidates_on_a_drifting_machine_are_told_apart_in_37_to_64_of_1000_experiments() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let alarms = (0..1000)
        .filter(|_| {
            let [a, b] = drifting_pair(&mut rng, 10, 0.02, 0.01, 0.0);
            let ratio = paired_ratio(&a, &b).expect("ten pairs");
            matches!(ratio.verdict, Verdict::Faster | Verdict::Slower)
        })
        .count();
    assert!((37..=64).contains(&alarms), "{alarms} of 1000");
}

#[test]
fn the_pairs_that_are_needed_see_the_difference_in_at_least_78_percent_of_2000_experiments() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for cv in [0.02, 0.05, 0.07] {
        let pairs = pairs_needed(cv, 0.05).expect("valid plan") as usize;
        let seen = (0..2000)
            .filter(|_| {
                let [a, b] = drifting_pair(&mut rng, pairs, cv, 0.0, 1.05_f64.ln());
                paired_ratio(&a, &b).is_some_and(|ratio| ratio.verdict == Verdict::Faster)
            })
            .count();
        assert!((1560..=1740).contains(&seen), "cv {cv}: {seen} of 2000");
    }
}

#[test]
fn the_interval_of_the_99th_percentile_covers_the_truth_in_at_least_94_percent_of_1000_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let latencies = LogNormal::new(100_000.0_f64.ln(), 0.5).expect("valid parameters");
    // 2.3263478740 is the 0.99 quantile of the standard normal distribution.
    let truth_ns = (100_000.0_f64.ln() + 0.5 * 2.326_347_874_0).exp() as u64;
    let covered = (0..1000)
        .filter(|_| {
            let values: Vec<u64> = (0..2000).map(|_| latencies.sample(&mut rng) as u64).collect();
            let pairs = values.iter().map(|value| [bucket_lowest(*value), 1]);
            let histogram = Histogram::from_pairs(pairs, values.iter().max().copied()).expect("pairs are buckets");
            let interval = histogram.percentile_interval(0.99).expect("has values");
            let low_ns = interval.low_ns.expect("2000 values have a lower end");
            let high_ns = interval.high_ns.expect("2000 values have an upper end");
            low_ns <= truth_ns && truth_ns <= high_ns
        })
        .count();
    assert!(covered >= 940, "{covered} of 1000");
}
