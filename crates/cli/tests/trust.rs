//! Long trials, run by `make trust`.

#[path = "all/common/mod.rs"]
mod common;

/// Trials of the kill test; `KURABE_KILL_TRIALS` says another number, for whoever is at work on it.
fn trials() -> u64 {
    std::env::var("KURABE_KILL_TRIALS").ok().and_then(|number| number.parse().ok()).unwrap_or(10)
}

#[test]
#[ignore = "long; 'make trust' runs it"]
fn kurabe_killed_ten_times_in_a_row_leaves_nothing_behind() {
    if common::kill::all_here() {
        (0..trials()).for_each(|trial| {
            common::kill::kill_trial(trial);
            println!("trial {trial}: nothing left");
        });
    }
}
