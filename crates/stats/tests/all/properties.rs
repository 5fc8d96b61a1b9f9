//! Laws that hold for every input.

use hdrhistogram::Histogram as HdrHistogram;
use kurabe_protocol::histogram::{bucket_highest, bucket_lowest};
use kurabe_stats::{
    Decision, Histogram, Ranking, VariancePrior, Verdict, growth_exponent, paired_ratio, ranking, rate_estimate,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn rate() -> impl Strategy<Value = f64> {
    (-3.0f64..16.0).prop_map(f64::exp)
}

/// A round's rate, missing now and then.
fn cell() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![6 => rate().prop_map(Some), 1 => Just(None)]
}

/// Latencies of every magnitude, with many equal ones.
fn latency_ns() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(bits, shift)| bits >> shift)
}

fn histogram_of(values: &[u64]) -> Histogram {
    let pairs = values.iter().map(|value| [bucket_lowest(*value), 1]);
    Histogram::from_pairs(pairs, values.iter().max().copied()).expect("every pair is a bucket")
}

fn merged<'a>(mut parts: impl Iterator<Item = &'a Vec<u64>>) -> Histogram {
    parts.try_fold(Histogram::default(), |all, part| all.merged(&histogram_of(part))).expect("few values")
}

/// Few distinct rates, so that equal means and equal rows happen.
fn table() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    let coarse = prop_oneof![
        3 => (1u32..6).prop_map(|rate| Some(f64::from(rate) * 100.0)),
        3 => rate().prop_map(Some),
        1 => Just(None),
    ];
    vec(vec(coarse, 3..8), 1..7)
}

/// Ranked with what the table itself says about variances.
fn moderated(table: &[Vec<Option<f64>>]) -> Ranking {
    ranking(table, &VariancePrior::of_fields(&[table.to_vec()])[0])
}

/// Rank and values of every ranked candidate, in an order that does not depend on their indices.
fn places_by_row(table: &[Vec<Option<f64>>], ranked: Ranking) -> Vec<String> {
    let mut rows = match ranked {
        Ranking::NotRanked { unranked } => {
            unranked.iter().map(|entry| format!("{:?} {:?}", entry.reason, table[entry.candidate])).collect::<Vec<_>>()
        }
        Ranking::Ranked { rounds, ranks, unranked, .. } => {
            let ranked = ranks.iter().map(|rank| {
                let may = (rank.may_be_best, rank.margin);
                format!("{rounds} {} {may:?} {:?}", rank.rank, table[rank.candidate])
            });
            let left_out = unranked.iter().map(|entry| format!("{:?} {:?}", entry.reason, table[entry.candidate]));
            ranked.chain(left_out).collect()
        }
    };
    rows.sort();
    rows
}

proptest! {
    #[test]
    fn an_exact_power_law_gives_its_exponent_whatever_the_unit(
        exponent in -2.0f64..3.0, factor in rate(), sizes in vec(1u32..9, 2..6),
    ) {
        prop_assume!(sizes.iter().any(|size| *size != sizes[0]));
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .map(|size| 10f64.powi(*size as i32))
            .map(|size| (size, factor * size.powf(exponent)))
            .collect();
        let found = growth_exponent(&points).expect("two sizes");
        prop_assert!((found.value - exponent).abs() < 1e-9, "{} and not {}", found.value, exponent);
        prop_assert_eq!(found.interval.is_some(), points.len() >= 3);
        if let Some(interval) = found.interval {
            prop_assert!(interval.low <= found.value && found.value <= interval.high);
            prop_assert!(interval.high - interval.low < 1e-6, "nothing deviates");
        }
    }

    #[test]
    fn an_interval_contains_its_value(values in vec(rate(), 3..20)) {
        let estimate = rate_estimate(&values).expect("rates are above zero");
        prop_assert!(estimate.interval.expect("three values").contains(estimate.value));
    }

    #[test]
    fn a_geometric_mean_lies_between_the_extremes(values in vec(rate(), 1..20)) {
        let value = rate_estimate(&values).expect("rates are above zero").value;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        prop_assert!(low * (1.0 - 1e-12) <= value && value <= high * (1.0 + 1e-12));
    }

    #[test]
    fn the_ratio_of_a_to_b_is_the_inverse_of_b_to_a(rounds in vec((cell(), cell()), 1..12)) {
        let (a, b): (Vec<_>, Vec<_>) = rounds.into_iter().unzip();
        let (forth, back) = (paired_ratio(&a, &b), paired_ratio(&b, &a));
        prop_assert_eq!(forth.is_some(), back.is_some());
        let (Some(forth), Some(back)) = (forth, back) else { return Ok(()) };
        let inverse = |x: f64, y: f64| (x * y - 1.0).abs() < 1e-9;
        prop_assert!(inverse(forth.estimate.value, back.estimate.value));
        prop_assert_eq!(forth.estimate.n, back.estimate.n);
        if let (Some(forth), Some(back)) = (forth.estimate.interval, back.estimate.interval) {
            prop_assert!((forth.low.ln() + back.high.ln()).abs() < 1e-9);
            prop_assert!((forth.high.ln() + back.low.ln()).abs() < 1e-9);
        }
        let mirrored = match back.verdict {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            same => same,
        };
        prop_assert_eq!(forth.verdict, mirrored);
    }

    #[test]
    fn a_missing_round_counts_as_if_it_had_not_been_run(
        rounds in vec((rate(), rate()), 3..10),
        at in 0usize..3,
    ) {
        let (mut a, mut b): (Vec<_>, Vec<_>) =
            rounds.into_iter().map(|(a, b)| (Some(a), Some(b))).unzip();
        let before = paired_ratio(&a, &b);
        a.insert(at, None);
        b.insert(at, Some(1.0));
        prop_assert_eq!(before, paired_ratio(&a, &b));
    }

    #[test]
    fn a_ranking_does_not_depend_on_the_order_of_the_candidates(
        (table, shuffled) in table().prop_flat_map(|table| {
            (Just(table.clone()), Just(table).prop_shuffle())
        }),
    ) {
        let alone = |table: &[Vec<Option<f64>>]| places_by_row(table, ranking(table, &VariancePrior::NONE));
        prop_assert_eq!(alone(&table), alone(&shuffled));
        prop_assert_eq!(places_by_row(&table, moderated(&table)), places_by_row(&shuffled, moderated(&shuffled)));
    }

    #[test]
    fn a_ranking_does_not_depend_on_the_unit(table in vec(vec(rate().prop_map(Some), 4), 2..9), unit in 1e-6f64..1e6) {
        let scaled: Vec<Vec<Option<f64>>> =
            table.iter().map(|row| row.iter().map(|rate| rate.map(|rate| rate * unit)).collect()).collect();
        let of = |table: &[Vec<Option<f64>>]| match moderated(table) {
            Ranking::Ranked { ranks, .. } => ranks.iter().map(|rank| (rank.candidate, rank.margin)).collect(),
            Ranking::NotRanked { .. } => Vec::new(),
        };
        for ((candidate, margin), (same, scaled)) in of(&table).into_iter().zip(of(&scaled)) {
            prop_assert_eq!(candidate, same);
            let (margin, scaled) = (margin.unwrap_or(f64::MAX), scaled.unwrap_or(f64::MAX));
            prop_assert!((margin + 1.0).ln() - (scaled + 1.0).ln() < 1e-6 * (1.0 + (margin + 1.0).ln()));
        }
    }

    #[test]
    fn what_a_ranking_decides_is_what_its_intervals_show(table in table(), within in 0.01f64..3.0) {
        let ranked = moderated(&table);
        let Ranking::Ranked { ranks, level, equivalence_level, .. } = &ranked else { return Ok(()) };
        prop_assert!(ranks[0].may_be_best && ranks[0].is_equivalent(0.0) && equivalence_level >= level);
        for rank in &ranks[1..] {
            let Some(ratio) = rank.to_best else { continue };
            let interval = ratio.estimate.interval.expect("a ranking has three rounds");
            match ranked.decision(rank, within) {
                Some(Decision::Better) => prop_assert!(false, "nobody is better than the best"),
                Some(Decision::Worse) => prop_assert!(ratio.verdict == Verdict::Slower && !rank.may_be_best),
                Some(Decision::Equivalent) => {
                    prop_assert!(ratio.verdict == Verdict::Tie && rank.is_equivalent(within * (1.0 + 1e-9)));
                }
                Some(Decision::Inconclusive { .. }) => {
                    prop_assert!(ratio.verdict == Verdict::Tie && !rank.is_equivalent(within * (1.0 - 1e-9)));
                }
                None => prop_assert!(false, "every other candidate has a decision"),
            }
            if rank.is_equivalent(within) {
                prop_assert!(interval.low >= (1.0 - 1e-9) / (1.0 + within) && interval.high <= 1.0 + within + 1e-9);
            }
            if ratio.verdict == Verdict::Slower {
                prop_assert!(!rank.may_be_best, "who is shown to be slower than the best is not the best");
            }
        }
    }

    #[test]
    fn every_candidate_is_placed_or_left_out_exactly_once(table in table()) {
        let mut seen: Vec<usize> = match moderated(&table) {
            Ranking::NotRanked { unranked } => unranked.iter().map(|entry| entry.candidate).collect(),
            Ranking::Ranked { ranks, unranked, .. } => {
                prop_assert_eq!(ranks[0].rank, 1);
                for (position, pair) in ranks.windows(2).enumerate() {
                    let next = pair[1].rank;
                    prop_assert!(next == pair[0].rank || next == position + 2);
                    prop_assert!(pair[0].rate.value >= pair[1].rate.value);
                }
                let ranked = ranks.iter().map(|rank| rank.candidate);
                ranked.chain(unranked.iter().map(|entry| entry.candidate)).collect()
            }
        };
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..table.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_bucket_is_the_one_of_hdr_histogram_with_two_digits(value in latency_ns()) {
        let value = value.clamp(1, u64::MAX / 4);
        let hdr = HdrHistogram::<u64>::new_with_bounds(1, u64::MAX / 2, 2).expect("valid bounds");
        prop_assert_eq!(bucket_lowest(value), hdr.lowest_equivalent(value));
        prop_assert_eq!(bucket_highest(value), hdr.highest_equivalent(value));
    }

    #[test]
    fn a_percentile_is_in_the_bucket_that_hdr_histogram_gives(
        values in vec(latency_ns().prop_map(|ns| ns.clamp(1, u64::MAX / 4)), 10..600),
        per_mille in 1u64..1000,
    ) {
        let p = per_mille as f64 / 1000.0;
        let mut hdr = HdrHistogram::<u64>::new_with_bounds(1, u64::MAX / 2, 2).expect("valid bounds");
        for &value in &values {
            hdr.record(value).expect("in bounds");
        }
        let shown = values.len() as u64 * (1000 - per_mille) >= 10_000;
        // One step down, because 0.28 of 25 is 7 but rounds to a little more, which the crate takes for rank 8.
        let hdr_ns = hdr.value_at_quantile(p.next_down());
        let expected = shown.then(|| hdr.lowest_equivalent(hdr_ns));
        prop_assert_eq!(histogram_of(&values).percentile(p), expected);
    }

    #[test]
    fn a_percentile_is_the_bucket_of_the_sorted_value_at_its_rank(
        mut values in vec(latency_ns(), 20..600),
        per_mille in 1u64..500,
    ) {
        values.sort_unstable();
        let rank = (per_mille * values.len() as u64).div_ceil(1000);
        let expected = bucket_lowest(values[rank as usize - 1]);
        let histogram = histogram_of(&values);
        prop_assert_eq!(histogram.percentile(per_mille as f64 / 1000.0), Some(expected));
    }

    #[test]
    fn merging_histograms_is_free_of_order(parts in vec(vec(latency_ns(), 0..50), 1..6)) {
        let forward = merged(parts.iter());
        let backward = merged(parts.iter().rev());
        prop_assert_eq!(&forward, &backward);
        prop_assert_eq!(forward, histogram_of(&parts.concat()));
    }

    #[test]
    fn pairs_out_of_a_histogram_make_the_same_histogram(values in vec(latency_ns(), 0..100)) {
        let histogram = histogram_of(&values);
        let again = Histogram::from_pairs(histogram.pairs(), histogram.max_ns());
        prop_assert_eq!(again, Ok(histogram));
    }

    #[test]
    fn the_interval_of_a_percentile_contains_it(
        values in vec(latency_ns(), 20..600),
        p in 0.01f64..0.99,
    ) {
        let histogram = histogram_of(&values);
        let interval = histogram.percentile_interval(p).expect("has values");
        let Some(value_ns) = histogram.percentile(p) else { return Ok(()) };
        prop_assert!(interval.low_ns.unwrap_or(0) <= value_ns);
        prop_assert!(value_ns <= interval.high_ns.expect("ten values lie above"));
    }
}
