//! Pairs of measurements that take turns, and their medians.

/// Measures so many pairs of both sides. Which comes first changes from pair to pair, so that neither always meets a
/// warmer machine.
pub fn in_turns<T>(pairs: usize, mut ours: impl FnMut(usize) -> T, mut theirs: impl FnMut() -> T) -> Vec<(T, T)> {
    let pair = |index: usize| {
        if index.is_multiple_of(2) {
            let our_side = ours(index);
            (our_side, theirs())
        } else {
            let their_side = theirs();
            (ours(index), their_side)
        }
    };
    (0..pairs).map(pair).collect()
}

/// The median, the least and the greatest.
pub fn median(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0], values[values.len() - 1])
}
