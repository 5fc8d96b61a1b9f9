//! Figures computed apart from this crate.
//!
//! Means and t intervals: Python with mpmath at 30 digits. The t quantile is the root of the regularised incomplete beta
//! function (`mpmath.betainc` in `mpmath.findroot`), the rest the formula of the docs typed out. Binomial ranks: Python,
//! the probabilities summed by recurrence from the mode with `math.fsum`.

use kurabe_protocol::histogram::{bucket_highest, bucket_lowest};
use kurabe_stats::{
    Decision, EQUIVALENT, Histogram, HistogramError, Interval, LEVEL, PercentileInterval, Ranking, UnrankedReason,
    VariancePrior, Verdict, detectable_difference, growth_exponent, paired_ratio, pairs_needed, ranking, rate_estimate,
    unpaired_ratios,
};

const A: [f64; 5] = [1040.0, 985.0, 1102.0, 1010.0, 967.0];
const B: [f64; 5] = [1000.0, 961.0, 1049.0, 989.0, 940.0];

fn all(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn assert_close(actual: f64, expected: f64) {
    let error = (actual / expected - 1.0).abs();
    assert!(error < 1e-10, "{actual} is not {expected}");
}

fn assert_interval(actual: Option<Interval>, low: f64, high: f64) {
    let actual = actual.expect("three values or more carry an interval");
    assert_close(actual.low, low);
    assert_close(actual.high, high);
}

#[test]
fn five_rates_have_the_mean_and_interval_of_the_reference() {
    let estimate = rate_estimate(&A).expect("five rates");
    assert_close(estimate.value, 1019.71733534471);
    assert_interval(estimate.interval, 956.811560490477, 1086.75886343753);
    assert_eq!(estimate.n, 5);
}

#[test]
fn three_rates_are_enough_for_an_interval() {
    let estimate = rate_estimate(&[80.0, 100.0, 125.0]).expect("three rates");
    assert_close(estimate.value, 100.0);
    assert_interval(estimate.interval, 57.4463158921325, 174.075566808794);
}

#[test]
fn two_rates_have_a_mean_and_no_interval() {
    let estimate = rate_estimate(&[50.0, 200.0]).expect("two rates");
    assert_close(estimate.value, 100.0);
    assert_eq!(estimate.interval, None);
}

#[test]
fn no_rate_and_rates_that_are_none_give_no_estimate() {
    for values in [&[][..], &[1.0, 0.0, 2.0], &[1.0, -3.0], &[f64::NAN], &[f64::INFINITY]] {
        assert_eq!(rate_estimate(values), None, "{values:?}");
    }
}

#[test]
fn five_pairs_have_the_ratio_and_interval_of_the_reference() {
    let ratio = paired_ratio(&all(&A), &all(&B)).expect("five pairs");
    assert_close(ratio.estimate.value, 1.03303538589421);
    assert_interval(ratio.estimate.interval, 1.01826783639754, 1.04801710352065);
    assert_close(ratio.log_sd.expect("five pairs"), 0.0115961008172155);
    assert_eq!(ratio.verdict, Verdict::Faster);
}

#[test]
fn the_slower_side_is_told_and_equal_sides_tie() {
    let slower = paired_ratio(&all(&B), &all(&A)).expect("five pairs");
    assert_eq!(slower.verdict, Verdict::Slower);
    let tie = paired_ratio(&all(&[100.0, 110.0, 90.0]), &all(&[101.0, 99.0, 95.0]));
    assert_eq!(tie.expect("three pairs").verdict, Verdict::Tie);
    let same = paired_ratio(&all(&A), &all(&A)).expect("five pairs");
    assert_eq!((same.estimate.value, same.verdict), (1.0, Verdict::Tie));
}

#[test]
fn two_pairs_cannot_tell_and_rounds_that_one_side_lacks_are_no_pairs() {
    let a = [Some(200.0), None, Some(200.0), Some(1.0)];
    let b = [Some(100.0), Some(5.0), Some(100.0)];
    let ratio = paired_ratio(&a, &b).expect("two pairs");
    assert_eq!((ratio.estimate.n, ratio.verdict), (2, Verdict::CannotTell));
    assert_close(ratio.estimate.value, 2.0);
    assert_eq!(ratio.estimate.interval, None);
    assert_eq!(paired_ratio(&[Some(1.0), None], &[None, Some(1.0)]), None);
    assert_eq!(paired_ratio(&[Some(0.0)], &[Some(1.0)]), None);
}

#[test]
fn the_detectable_difference_is_the_one_of_the_reference() {
    for (log_sd, n, expected) in
        [(0.05, 5, 0.0866763389024397), (0.0707, 20, 0.0478069765988441), (0.02, 3, 0.0638880858854684)]
    {
        let actual = detectable_difference(log_sd, n, n as f64 - 1.0, LEVEL).expect("valid plan");
        assert_close(actual, expected);
    }
    assert_eq!(detectable_difference(0.05, 2, 1.0, LEVEL), None);
    assert_eq!(detectable_difference(f64::NAN, 5, 4.0, LEVEL), None);
    assert_eq!(detectable_difference(-0.1, 5, 4.0, LEVEL), None);
    assert_eq!(detectable_difference(f64::INFINITY, 5, 4.0, LEVEL), None);
    for level in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
        assert_eq!(detectable_difference(0.05, 5, 4.0, level), None, "{level}");
    }
    assert_eq!(detectable_difference(0.0, 3, 2.0, LEVEL), Some(0.0), "where nothing varies every difference is seen");
}

#[test]
fn the_pairs_needed_are_those_of_the_reference() {
    // Before rounding up: 4.56, 18.41, 34.23, 414.07 and 144.61.
    let plans = [(0.02, 0.05, 5), (0.05, 0.05, 19), (0.07, 0.05, 35), (0.25, 0.05, 415), (0.03, 0.01, 145)];
    for (cv, delta, expected) in plans {
        assert_eq!(pairs_needed(cv, delta), Some(expected), "{cv} {delta}");
    }
    assert_eq!(pairs_needed(0.0, 0.05), Some(3));
    assert_eq!(pairs_needed(0.05, 0.0), None);
    for (cv, delta) in [(f64::INFINITY, 0.05), (f64::NAN, 0.05), (-0.1, 0.05), (0.05, -0.1), (0.05, f64::INFINITY)] {
        assert_eq!(pairs_needed(cv, delta), None, "{cv} {delta}");
    }
}

/// Rank numbers by candidate of a table that is expected to be ranked.
fn rank_numbers(table: &[Vec<Option<f64>>]) -> Vec<(usize, usize)> {
    match ranking(table, &VariancePrior::NONE) {
        Ranking::Ranked { ranks, .. } => ranks.iter().map(|rank| (rank.candidate, rank.rank)).collect(),
        other => panic!("not ranked: {other:?}"),
    }
}

#[test]
fn candidates_that_tie_share_a_rank_and_the_next_number_is_skipped() {
    let table =
        [all(&[50.0, 51.0, 49.0]), all(&[100.0, 103.0, 98.0]), all(&[99.0, 104.0, 98.5]), all(&[10.0, 10.1, 9.9])];
    assert_eq!(rank_numbers(&table), [(2, 1), (1, 1), (0, 3), (3, 4)]);
}

#[test]
fn a_tie_is_with_the_leader_of_the_group_and_not_with_the_neighbour() {
    // Each mean is about 2 % below the one before and each interval reaches several percent to either side, so the third
    // differs from the first only, also among three pairs, and opens the second group.
    let table = [all(&[100.0, 100.0, 100.0, 100.0]), all(&[96.0, 100.0, 96.0, 100.0]), all(&[97.0, 95.0, 97.0, 95.0])];
    let neighbours = paired_ratio(&table[2], &table[1]).expect("four pairs");
    assert_eq!(neighbours.verdict, Verdict::Tie);
    assert_eq!(rank_numbers(&table), [(0, 1), (1, 1), (2, 3)]);
}

#[test]
fn the_level_of_a_ranking_grows_where_many_pairs_are_alike_and_is_95_percent_where_all_differ() {
    let level = |table: &[Vec<Option<f64>>]| match ranking(table, &VariancePrior::NONE) {
        Ranking::Ranked { level, .. } => level,
        other => panic!("not ranked: {other:?}"),
    };
    let apart = [all(&[100.0, 101.0, 99.0]), all(&[10.0, 10.2, 9.9]), all(&[1.0, 1.01, 0.99])];
    assert_eq!(level(&apart), LEVEL);
    assert_eq!(level(&[all(&A), all(&B)]), LEVEL);
    // Nothing differs: the first step of Holm, 5 % over three pairs, over six pairs.
    assert_close(1.0 - level(&vec![all(&A); 3]), 0.05 / 3.0);
    assert_close(1.0 - level(&vec![all(&A); 4]), 0.05 / 6.0);
    // One of three differs clearly from both others: then one pair is left, and it stands alone.
    let one_apart = [all(&[50.0, 51.0, 49.0]), all(&[100.0, 103.0, 98.0]), all(&[99.0, 104.0, 98.5])];
    assert_eq!(level(&one_apart), LEVEL);
}

#[test]
fn moderated_pairs_have_the_figures_of_the_reference() {
    // Python with scipy: the formulas of limma's fitFDist and squeezeVar and the bounds of the docs typed out.
    let table = [
        all(&[1000.0, 1012.0, 995.0, 1003.0]),
        all(&[990.0, 1018.0, 960.0, 1001.0]),
        all(&[973.0, 935.0, 961.0, 958.0]),
        all(&[610.0, 655.0, 600.0, 637.0]),
        all(&[300.0, 306.0, 303.0, 299.0]),
    ];
    let prior = VariancePrior::of_fields(&[table.to_vec()])[0];
    assert_close(prior.freedom(), 3.1324135105574364);
    let ranked = ranking(&table, &prior);
    let Ranking::Ranked { level, equivalence_level, detectable, ranks, .. } = &ranked else {
        panic!("five candidates have four rounds");
    };
    assert_close(1.0 - level, 0.025);
    assert_close(1.0 - equivalence_level, 0.0125);
    assert_close(detectable.expect("ten pairs"), 0.05555826309355126);
    let numbers: Vec<(usize, usize, bool)> =
        ranks.iter().map(|rank| (rank.candidate, rank.rank, rank.may_be_best)).collect();
    assert_eq!(numbers, [(0, 1, true), (1, 1, true), (2, 3, false), (3, 4, false), (4, 5, false)]);
    let second = ranks[1].to_best.expect("not the best");
    assert_close(second.estimate.value, 0.9895686751238097);
    assert_interval(second.estimate.interval, 0.953469473679941, 1.0270346244089654);
    assert_close(second.log_sd.expect("four pairs"), 0.02520443093349986);
    assert_close(second.freedom.expect("four pairs"), 6.132413510557436);
    assert_close(ranks[1].margin.expect("an interval"), 0.05600624754693408);
    assert_close(ranks[2].margin.expect("an interval"), 0.09855827191233528);
    let decisions: Vec<_> = ranks.iter().map(|rank| ranked.decision(rank, EQUIVALENT)).collect();
    assert_eq!(decisions[..3], [None, Some(Decision::Equivalent), Some(Decision::Worse)]);
    assert!(ranks[2].is_equivalent(EQUIVALENT), "a small difference may be shown and be equivalent too");
}

#[test]
fn a_prior_takes_four_candidates_that_vary_and_comes_from_all_fields() {
    let quiet = |rates: &[f64]| rates.iter().map(|rate| all(&[*rate, *rate, *rate])).collect::<Vec<_>>();
    let noisy = vec![all(&A), all(&B), all(&[1.0, 1.1, 0.9, 1.05, 1.0]), all(&[3.0, 3.3, 3.1, 3.0, 2.9])];
    let freedoms = |fields: &[Vec<Vec<Option<f64>>>]| {
        VariancePrior::of_fields(fields).iter().map(VariancePrior::freedom).collect::<Vec<f64>>()
    };
    assert_eq!(freedoms(&[noisy[..3].to_vec(), quiet(&[1.0, 2.0, 3.0, 4.0]), Vec::new()]), [0.0; 3]);
    assert!(freedoms(&[]).is_empty());
    let alone = freedoms(std::slice::from_ref(&noisy))[0];
    // The most weight that is possible with four candidates: half of twice their four degrees of freedom.
    assert!(alone > 0.0 && alone <= 4.0, "{alone}");
    let beside = freedoms(&[noisy.clone(), noisy[..3].to_vec(), quiet(&[1.0, 2.0, 3.0, 4.0])]);
    assert_eq!(beside, [alone, 0.0, 0.0], "fields that say nothing change nothing");
}

#[test]
fn an_unpaired_ratio_is_that_of_the_reference() {
    let (ratios, level) = unpaired_ratios(&[(&A, &[1000.0, 930.0, 905.0, 989.0])]);
    let found = ratios[0].expect("five and four rates");
    assert_eq!((level, found.ratio.estimate.n, found.ratio.verdict), (LEVEL, 4, Verdict::Tie));
    assert_close(found.ratio.estimate.value, 1.06757365409286);
    assert_interval(found.ratio.estimate.interval, 0.960439643072549, 1.18665812592567);
    assert_close(found.detectable.expect("a verdict"), 0.148282335964766);
    let (ratios, _) = unpaired_ratios(&[(&[1.0, 2.0][..], &A[..]), (&[], &A), (&[0.0, 1.0, 2.0], &A)]);
    assert_eq!(ratios[0].map(|one| (one.ratio.verdict, one.detectable)), Some((Verdict::CannotTell, None)));
    assert_eq!((ratios[1], ratios[2]), (None, None));
    let (ratios, _) = unpaired_ratios(&[(&[1.0, 1.0, 1.0], &[2.0, 2.0, 2.0]), (&[3.0; 3], &[3.0; 3])]);
    let verdicts: Vec<Verdict> = ratios.iter().flatten().map(|one| one.ratio.verdict).collect();
    assert_eq!(verdicts, [Verdict::Slower, Verdict::Tie]);
}

#[test]
fn equal_candidates_share_the_first_rank_in_the_order_of_their_index() {
    let table = vec![all(&A); 3];
    assert_eq!(rank_numbers(&table), [(0, 1), (1, 1), (2, 1)]);
}

#[test]
fn candidates_with_equal_means_lead_in_the_same_order_wherever_they_stand() {
    // The means of the first two are equal. The third is slower than the first in every round, but ties with the second.
    let swings = all(&[1.0, 4.0, 1.0, 4.0]);
    let swings_back = all(&[4.0, 1.0, 4.0, 1.0]);
    let follows = all(&[0.9, 3.6, 0.9, 3.6]);
    let table = [swings.clone(), swings_back.clone(), follows.clone()];
    assert_eq!(rank_numbers(&table), [(1, 1), (0, 1), (2, 1)]);
    let table = [swings_back, swings, follows];
    assert_eq!(rank_numbers(&table), [(0, 1), (1, 1), (2, 1)]);
}

#[test]
fn below_three_rounds_there_is_no_ranking() {
    let table = [all(&[1.0, 2.0]), all(&[3.0, 4.0])];
    let Ranking::NotRanked { unranked } = ranking(&table, &VariancePrior::NONE) else {
        panic!("ranked over two rounds");
    };
    let reason = UnrankedReason::TooFewRounds { rounds: 2 };
    assert!(unranked.len() == 2 && unranked.iter().all(|entry| entry.reason == reason));
    assert_eq!(ranking(&[], &VariancePrior::NONE), Ranking::NotRanked { unranked: Vec::new() });
}

#[test]
fn a_candidate_with_few_rounds_or_a_rate_of_zero_does_not_cost_the_others_their_places() {
    let table = [
        all(&A),
        all(&B),
        vec![Some(9e9), None, None, None, Some(9e9)],
        all(&[9e9, 9e9, 0.0, 9e9, 9e9]),
        vec![Some(9e9), Some(9e9), Some(9e9), None, None],
        vec![None, None, Some(9e9), Some(9e9), Some(9e9)],
    ];
    let Ranking::Ranked { rounds, ranks, unranked, .. } = ranking(&table, &VariancePrior::NONE) else {
        panic!("two candidates have five rounds");
    };
    assert_eq!(rounds, 5);
    assert_eq!((ranks[0].candidate, ranks[0].to_best), (0, None));
    let to_best = ranks[1].to_best.expect("not the best");
    assert_close(to_best.estimate.value, 1.0 / 1.03303538589421);
    let reasons: Vec<_> = unranked.iter().map(|entry| (entry.candidate, entry.reason)).collect();
    let few_in_common = UnrankedReason::TooFewCommonRounds { rounds: 3 };
    assert_eq!(
        reasons,
        [
            (2, UnrankedReason::TooFewRounds { rounds: 2 }),
            (3, UnrankedReason::NotARate),
            (4, few_in_common),
            (5, few_in_common),
        ]
    );
}

#[test]
fn a_ranking_uses_only_the_rounds_that_all_have() {
    let table =
        [vec![Some(100.0), Some(100.0), Some(100.0), Some(1.0)], vec![Some(90.0), Some(90.0), Some(90.0), None]];
    assert_eq!(rank_numbers(&table), [(0, 1), (1, 2)]);
}

#[test]
fn buckets_keep_the_top_eight_bits() {
    for (value, lowest, highest) in
        [(0, 0, 0), (255, 255, 255), (257, 256, 257), (1_000_000, 999_424, 1_003_519), (u64::MAX, 255 << 56, u64::MAX)]
    {
        assert_eq!((bucket_lowest(value), bucket_highest(value)), (lowest, highest), "{value}");
    }
}

/// `n` values 1, 2, … n in buckets.
fn one_to(n: u64) -> Histogram {
    let pairs = (1..=n).map(|value| [bucket_lowest(value), 1]);
    Histogram::from_pairs(pairs, (n > 0).then_some(n)).expect("pairs are buckets")
}

#[test]
fn a_percentile_needs_ten_values_beyond_it() {
    assert_eq!(one_to(100).percentile(0.9), Some(90));
    assert_eq!(one_to(99).percentile(0.9), None);
    assert_eq!(one_to(1000).percentile(0.99), Some(bucket_lowest(990)));
    assert_eq!(one_to(999).percentile(0.99), None);
    assert_eq!(one_to(10_000).percentile(0.999), Some(bucket_lowest(9_990)));
    assert_eq!(one_to(9_999).percentile(0.999), None);
}

#[test]
fn the_rank_of_a_percentile_is_not_thrown_off_by_rounding() {
    // 0.28 of 25 and 0.14 of 50 are 7, but 7.000000000000001 in 64-bit floating point.
    assert_eq!(one_to(25).percentile(0.28), Some(7));
    assert_eq!(one_to(50).percentile(0.14), Some(7));
    assert_eq!(one_to(25).percentile(0.281), Some(8));
}

#[test]
fn a_quantile_outside_0_to_1_is_none() {
    for p in [-0.1, 1.0, 1.5, f64::NAN] {
        assert_eq!(one_to(1000).percentile(p), None, "{p}");
        assert_eq!(one_to(1000).percentile_interval(p), None, "{p}");
    }
    assert_eq!(one_to(1000).percentile(0.0), Some(1));
    assert_eq!(Histogram::default().percentile(0.5), None);
    assert_eq!(Histogram::default().percentile_interval(0.5), None);
}

#[test]
fn the_interval_of_a_percentile_has_the_ranks_of_the_reference() {
    // Quantiles 0.025 and 0.975 of the binomial distribution: 40 and 60 for (100, 0.5), 983 and 996 for (1000, 0.99).
    let median = one_to(100).percentile_interval(0.5);
    assert_eq!(median, Some(PercentileInterval { low_ns: Some(40), high_ns: Some(61) }));
    let p99 = one_to(1000).percentile_interval(0.99);
    let (low_ns, high_ns) = (Some(bucket_lowest(983)), Some(bucket_highest(997)));
    assert_eq!(p99, Some(PercentileInterval { low_ns, high_ns }));
}

#[test]
fn an_end_of_an_interval_that_does_not_exist_is_none() {
    let upper = one_to(1000).percentile_interval(0.999).expect("has values");
    assert_eq!((upper.low_ns, upper.high_ns), (Some(bucket_lowest(997)), None));
    let lower = one_to(1000).percentile_interval(0.001).expect("has values");
    assert_eq!((lower.low_ns, lower.high_ns), (None, Some(4)));
}

#[test]
fn the_upper_end_of_an_interval_does_not_pass_the_maximum() {
    let pairs = [[1, 1], [999_424, 99]];
    let histogram = Histogram::from_pairs(pairs, Some(1_000_000)).expect("pairs are buckets");
    let interval = histogram.percentile_interval(0.5).expect("has values");
    assert_eq!(interval.high_ns, Some(1_000_000));
    assert_eq!((histogram.max_ns(), histogram.count()), (Some(1_000_000), 100));
}

#[test]
fn counts_that_are_no_histogram_are_refused_with_the_way_out() {
    let refused =
        |pairs: &[[u64; 2]], max_ns| Histogram::from_pairs(pairs.iter().copied(), max_ns).expect_err("no histogram");
    let no_bucket = refused(&[[257, 1]], Some(257));
    assert_eq!(
        no_bucket.to_string(),
        "'257' is not the lower bound of a histogram bucket; clear all but its top 8 bits: '256'"
    );
    assert_eq!(refused(&[[1, u64::MAX], [2, 1]], Some(2)), HistogramError::TooMany);
    assert_eq!(refused(&[[1, 3]], None), HistogramError::MaxMissing { count: 3 });
    assert_eq!(refused(&[[1, 3]], Some(2)), HistogramError::MaxMismatch { max_ns: 2 });
    assert_eq!(refused(&[[1, 0]], Some(1)), HistogramError::MaxMismatch { max_ns: 1 });
}

#[test]
fn seven_times_over_three_sizes_have_the_exponent_and_interval_of_the_reference() {
    // Least squares by the normal equations in mpmath at 30 digits.
    let points = [(1e4, 0.052), (1e4, 0.049), (1e4, 0.055), (1e5, 0.61), (1e5, 0.58), (1e6, 6.9), (1e6, 7.4)];
    let found = growth_exponent(&points).expect("three sizes");
    assert_close(found.value, 1.06864798921689);
    assert_interval(found.interval, 1.04467131907435, 1.09262465935943);
    assert_eq!((found.sizes, found.n), (3, 7));
}

#[test]
fn two_points_have_an_exponent_without_interval_and_one_size_has_none() {
    let two = growth_exponent(&[(10.0, 3.0), (1000.0, 300.0)]).expect("two sizes");
    assert_close(two.value, 1.0);
    assert_eq!((two.interval, two.sizes, two.n), (None, 2, 2));
    for points in [&[][..], &[(10.0, 1.0)], &[(10.0, 1.0), (10.0, 2.0)], &[(10.0, 1.0), (20.0, 0.0)], &[(0.0, 1.0)]] {
        assert_eq!(growth_exponent(points), None, "{points:?}");
    }
}
