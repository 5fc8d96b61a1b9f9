//! Runs over several sizes, as a person starts them.

use crate::common::{Place, assert_mistake, finish};
use kurabe_record::{EndStatus, Entry, Loaded};

/// Two sizes of 'tiny' with reads that end by count.
const SIZED: &str = r#"
title = "Does it stay so as the data grows?"
value_len_bytes = 100
rounds = 3
stores = ["map", "sqlite", "lmdb"]
quiet_wait = "1ms"
[[axis]]
name = "rows"
values = [400, 1_600]
[[phase]]
operation = "load"
commit_every = 100
deciding = true
[[phase]]
operation = "read"
distribution = "uniform"
connections = 3
count_at_most = 1_000
deciding = true
"#;

fn rows_of(loaded: &Loaded, level: u32) -> u64 {
    loaded.run.plan.configurations[level as usize].rows
}

fn rounds_at(loaded: &Loaded, rows: u64) -> usize {
    loaded.jobs.iter().filter(|job| rows_of(loaded, job.configuration) == rows).count()
}

#[test]
fn every_size_is_run_in_order_and_growth_is_shown() {
    let place = Place::new();
    let said = finish(&mut place.run(SIZED, &[]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    // 400 and 1,600 rows, rounded up to three connections.
    assert_eq!((rounds_at(&loaded, 402), rounds_at(&loaded, 1_602), loaded.jobs.len()), (9, 9, 18));
    assert!(loaded.jobs.is_sorted_by_key(|job| job.configuration), "sizes ascend");
    for job in &loaded.jobs {
        assert_eq!(job.error, None);
        let operations = |phase: usize| -> u64 {
            job.phases[phase].results.iter().flat_map(|result| &result.workers).map(|worker| worker.operations).sum()
        };
        let rows = rows_of(&loaded, job.configuration);
        assert_eq!((operations(0), operations(1)), (rows, rows.min(1_000)));
        assert_eq!(job.final_count.map(|count| count.counted_rows), Some(rows));
    }
    assert!(said.out.contains("- At 1,602 rows: "), "{}", said.out);
    assert!(said.out.contains("growth: load") && said.out.contains("at 402 rows"), "{}", said.out);
    assert!(said.err.contains("402 rows  round 1/3"), "{}", said.err);
    let answer = place.answer();
    assert_eq!((&answer["at"]["rows"], &answer["other_configurations"][0]["at"]["rows"]), (&1_602.into(), &402.into()));
    let curve = &answer["axes"][1]["curves"][0];
    assert!(curve["slope"]["interval"]["low"].as_f64().is_some_and(f64::is_finite), "{curve}");
    let csv = finish(place.kurabe(["show", "--csv"]).arg(place.out())).out;
    assert_eq!(csv.matches("\r\n").count(), 1 + 2 * 2 * 3, "{csv}");
    place.assert_nothing_is_left();
}

#[test]
fn a_store_that_the_budget_has_no_room_for_is_skipped_and_stays_skipped_after_a_resume() {
    let place = Place::new();
    // Enough for the small sizes, not for one round of five million rows.
    let sizes = ["--sizes", "300,3k,5m", "--budget", "6s", "--rounds", "3", "--stores", "sqlite"];
    let said = finish(&mut place.run(SIZED, &sizes));
    assert_eq!(said.status, 0, "a skip is no failure: {said:?}");
    let loaded = place.loaded();
    assert_eq!((loaded.jobs.len(), loaded.skipped.len()), (6, 1), "{said:?}");
    let skipped = &loaded.skipped[0];
    assert_eq!(
        (skipped.candidate.as_str(), skipped.configuration, skipped.rounds, skipped.needed_rounds),
        ("sqlite", 2, 0, 1)
    );
    assert!(skipped.estimate_ns.is_some_and(|needed| needed > skipped.left_ns), "{skipped:?}");
    assert_eq!(loaded.end.as_ref().map(|end| end.status), Some(EndStatus::Complete));
    assert!(said.out.contains("skipped (budget) at 5,000,001 rows: 1 round needs about"), "{}", said.out);
    assert!(said.out.contains("Kurabe skipped 'sqlite' (it needs about "), "{}", said.out);
    // The last job and the end are lost: the job runs again, and the same is decided.
    let path = place.out().join("jobs.jsonl");
    let text = std::fs::read_to_string(&path).expect("lines");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6 + 1 + 1);
    std::fs::write(&path, format!("{}\n", lines[..5].join("\n"))).expect("writable");
    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    let again = place.loaded();
    assert_eq!((again.jobs.len(), again.skipped.len(), again.skipped[0].configuration), (6, 1, 2));
    // A run that is over stays as it is.
    assert_eq!(finish(&mut place.resume()).status, 0);
    assert_eq!((place.loaded().jobs.len(), place.loaded().skipped), (6, again.skipped));
    assert!(
        serde_json::to_string(&Entry::Skipped(place.loaded().skipped[0].clone()))
            .is_ok_and(|line| line.contains("\"skipped\""))
    );
}

#[test]
fn a_job_that_runs_past_its_share_is_stopped() {
    let place = Place::new();
    // The first round of the smallest size has no estimate: it may take what there is, and no more.
    let more = ["--sizes", "2m,3m", "--budget", "1s", "--stores", "sqlite"];
    let start = std::time::Instant::now();
    let said = finish(&mut place.run(SIZED, &more));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
    let loaded = place.loaded();
    assert_eq!((loaded.jobs.len(), loaded.skipped.len()), (0, 1), "{said:?}");
    assert!(loaded.skipped[0].stopped_after_ns.is_some_and(|after| after >= 1_000_000_000), "{:?}", loaded.skipped);
    assert!(said.out.contains("stopped it after 1."), "{}", said.out);
    place.assert_nothing_is_left();
}

#[test]
fn sizes_that_cannot_be_had_are_refused_before_anything_starts() {
    let place = Place::new();
    let say = |more: &[&str]| finish(&mut place.run(SIZED, more));
    assert_mistake(&say(&["--sizes", "10k,10z"]), &["invalid value '10z'", "10k, 1m or 250000"]);
    assert_mistake(&say(&["--sizes", "6k,6000"]), &["value '6000' appears twice"]);
    assert_mistake(&say(&["--sizes", "10k", "--rows", "5"]), &["--rows"]);
    assert_mistake(
        &say(&["--sizes", "10k,3900m"]),
        &["3,900,000,000 rows may need", "are free; leave that size out of --sizes"],
    );
    assert_mistake(&say(&["--budget", "100ms"]), &["a budget of 100ms is too short: one round at 402 rows", "150ms"]);
    assert!(!place.out().exists(), "nothing was started");
}

#[test]
fn the_plan_tells_sizes_and_what_the_budget_does() {
    let place = Place::new();
    let study = place.file("sized.toml", SIZED);
    let said = finish(&mut place.kurabe(["plan", &study, "--budget", "1m"]));
    assert_eq!(said.status, 0, "{said:?}");
    for text in [
        "data      configuration 0: 402 rows of ",
        "data      configuration 1: 1,602 rows of ",
        "order     configuration 1: 1,602 rows",
        "18 jobs; budget 1m",
        "skipped   Three rounds",
    ] {
        assert!(said.out.contains(text), "'{text}' is missing in: {}", said.out);
    }
}
