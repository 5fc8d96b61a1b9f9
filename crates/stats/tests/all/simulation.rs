//! What the intervals and verdicts promise, checked on simulated runs. Every seed is fixed, so each result is the same each time.

use kurabe_protocol::histogram::bucket_lowest;
use kurabe_stats::{
    Histogram, Ranking, VariancePrior, Verdict, growth_exponent, paired_ratio, pairs_needed, ranking, rate_estimate,
    unpaired_ratios,
};
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

/// Times over three sizes (five, five and three rounds) that grow with this exponent, with noise in each round.
fn growing(rng: &mut ChaCha8Rng, exponent: f64, noise: f64) -> Vec<(f64, f64)> {
    let noise = LogNormal::new(0.0, noise).expect("valid parameters");
    let sizes = [(1e4, 5), (1e5, 5), (1e6, 3)];
    let points = sizes.iter().flat_map(|(size, rounds)| std::iter::repeat_n(*size, *rounds));
    points.map(|size: f64| (size, size.powf(exponent) * noise.sample(rng))).collect()
}

#[test]
fn the_interval_of_an_exponent_covers_it_in_94_to_96_percent_of_4000_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for exponent in [0.9, 1.0, 1.3] {
        let covers = |_: &usize| {
            let found = growth_exponent(&growing(&mut rng, exponent, 0.1)).expect("three sizes");
            found.interval.expect("13 points").contains(exponent)
        };
        let covered = (0..4000).filter(covers).count();
        assert!((3760..=3840).contains(&covered), "{exponent}: {covered} of 4000");
    }
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

/// Rates of candidates whose logarithms lie at `means`, with noise of their own and a shared one in each round.
fn field(rng: &mut ChaCha8Rng, means: &[f64], rounds: usize) -> Vec<Vec<Option<f64>>> {
    let (own, shared) = (Normal::new(0.0, 0.02).expect("valid"), Normal::new(0.0, 0.05).expect("valid"));
    let machine: Vec<f64> = (0..rounds).map(|_| shared.sample(rng)).collect();
    let rate = |rng: &mut ChaCha8Rng, mean: f64, round: f64| Some((10.0 + mean + round + own.sample(rng)).exp());
    means.iter().map(|mean| machine.iter().map(|round| rate(rng, *mean, *round)).collect()).collect()
}

/// Whether a ranking puts a candidate of the best mean behind another of the same mean, or says it is slower than one.
fn tells_equals_apart(table: &[Vec<Option<f64>>], means: &[f64]) -> bool {
    let Ranking::Ranked { ranks, .. } = ranking(table, &VariancePrior::NONE) else { panic!("all rounds are there") };
    let best = ranks[0].candidate;
    ranks.iter().any(|rank| {
        let equal_to_best = means[rank.candidate] == means[best];
        let slower = rank.to_best.is_some_and(|ratio| ratio.verdict != Verdict::Tie);
        equal_to_best && slower
    })
}

#[test]
fn among_many_equal_candidates_one_is_called_slower_in_at_most_5_percent_of_2000_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for (candidates, rounds) in [(3, 5), (5, 3), (10, 5), (20, 9)] {
        let means = vec![0.0; candidates];
        let wrong = (0..2000).filter(|_| tells_equals_apart(&field(&mut rng, &means, rounds), &means)).count();
        // 5 % and what 2000 runs scatter around it.
        assert!(wrong <= 120, "{candidates} candidates, {rounds} rounds: {wrong} of 2000");
    }
}

#[test]
fn equal_candidates_beside_slower_ones_are_told_apart_in_at_most_5_percent_of_2000_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for means in [&[0.0, 0.0, -1.0][..], &[0.0, 0.0, 0.0, -0.5, -0.5, -2.0], &[0.0, 0.0, -0.03, -0.03, -0.06]] {
        let wrong = (0..2000).filter(|_| tells_equals_apart(&field(&mut rng, means, 6), means)).count();
        assert!(wrong <= 120, "{means:?}: {wrong} of 2000");
    }
}

#[test]
fn a_clear_difference_is_seen_also_among_many_candidates() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let means: Vec<f64> = (0..10).map(|at| f64::from(at) * -0.5).collect();
    let decided = (0..500)
        .filter(|_| {
            let Ranking::Ranked { ranks, level, .. } = ranking(&field(&mut rng, &means, 5), &VariancePrior::NONE)
            else {
                return false;
            };
            level == kurabe_stats::LEVEL && ranks.iter().map(|rank| rank.rank).eq(1..=10)
        })
        .count();
    assert!(decided >= 490, "{decided} of 500");
}

#[test]
fn equal_candidates_of_two_runs_are_told_apart_in_at_most_5_percent_of_2000_comparisons() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    // Unequal spreads and unequal numbers of rounds are the hard cases.
    for (rounds, spreads) in [([5, 9], [0.02, 0.1]), ([3, 9], [0.1, 0.02]), ([3, 3], [0.02, 0.1]), ([5, 5], [0.05; 2])]
    {
        let rates = spreads.map(|spread| LogNormal::new(10.0, spread).expect("valid parameters"));
        for pairs in [1, 8] {
            let mut run = |side: usize| (0..rounds[side]).map(|_| rates[side].sample(&mut rng)).collect::<Vec<f64>>();
            let told_apart = |_: &i32| {
                let sides: Vec<[Vec<f64>; 2]> = (0..pairs).map(|_| [run(0), run(1)]).collect();
                let sides: Vec<(&[f64], &[f64])> = sides.iter().map(|[a, b]| (a.as_slice(), b.as_slice())).collect();
                let (ratios, _) = unpaired_ratios(&sides);
                ratios.iter().flatten().any(|ratio| ratio.ratio.verdict != Verdict::Tie)
            };
            let wrong = (0..2000).filter(told_apart).count();
            assert!(wrong <= 120, "{rounds:?} {spreads:?} {pairs} pairs: {wrong} of 2000");
        }
    }
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
