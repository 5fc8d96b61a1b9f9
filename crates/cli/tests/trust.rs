//! Long trials, run by `make trust`.

#[path = "all/common/mod.rs"]
mod common;

#[test]
#[ignore = "long; 'make trust' runs it"]
fn kurabe_killed_ten_times_in_a_row_leaves_nothing_behind() {
    if common::kill::all_here() {
        (0..10).for_each(|trial| {
            common::kill::kill_trial(trial);
            println!("trial {trial}: nothing left");
        });
    }
}
