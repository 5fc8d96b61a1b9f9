//! Stores on a disk whose power is cut. Needs root and /dev/fuse; where they are missing, the refusal is what is tested.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::actions::{CRASH, losses};
use crate::common::{CLEANING, Place, Running, Said, assert_mistake, comes_true, entries, finish, here, wait_for};

/// The study of kills with power cuts: a trial in each of five rounds, of which each leaves something else of what was not
/// synced.
fn study() -> String {
    let settings = r#"["off", "wal-normal", "delete-full", "delete-extra", "wal-full"]"#;
    let changes = [
        ("rows = 500", "rows = 200"),
        ("rounds = 3", "rounds = 5"),
        (r#"["kill", "cache"]"#, settings),
        (r#"kill = "store""#, r#"cut = "store""#),
    ];
    changes.into_iter().fold(CRASH.to_string(), |study, (from, to)| {
        assert!(study.contains(from), "{from}");
        study.replace(from, to)
    })
}

/// Whether disks can be mounted here. Where they cannot, nobody is let near.
fn mounts() -> bool {
    if Path::new("/dev/fuse").exists() && rustix::process::geteuid().is_root() {
        return true;
    }
    let place = Place::new();
    assert_mistake(
        &finish(&mut place.run(&study(), &[])),
        &["cuts the power", "as root", "/dev/fuse", "kurabe run crash"],
    );
    false
}

fn is_anything_mounted(place: &Place) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").expect("a table of mounts");
    mounts.contains(&place.data().display().to_string())
}

/// The losses of an answer: its candidate, its verdict, and how many trials lost anything.
fn cut_losses(place: &Place, said: &Said) -> Vec<(String, String, u64)> {
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let of = |(name, one): (String, serde_json::Value)| {
        assert_eq!(one["fault"], "power-cut", "{one:#}");
        assert_eq!(one["not_judged"], 0, "{one:#}");
        (name, one["verdict"].as_str().expect("a word").to_string(), one["amiss"].as_u64().expect("a number"))
    };
    losses(place).into_iter().map(of).collect()
}

/// Known answers. A journal that is deleted is back where its folder was not synced, and takes the last commit with it; no
/// other setting that syncs each commit loses anything.
#[test]
fn sqlite_loses_with_each_setting_what_its_makers_say() {
    if !mounts() {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(&study(), &[]));
    let found = cut_losses(&place, &said);
    assert_eq!(found.len(), 6, "{found:?}");
    for (name, verdict, amiss) in &found {
        let is_right = match name.as_str() {
            "sqlite/serve (wal-full)" | "sqlite/serve (delete-extra)" => verdict == "kept" && *amiss == 0,
            "sqlite/serve (delete-full)" => verdict == "allowed" && *amiss > 0,
            "sqlite/serve (wal-normal)" | "sqlite/serve (off)" => *amiss > 0 && verdict != "broken",
            "control" => *amiss > 0,
            _ => verdict != "broken",
        };
        assert!(is_right, "{name}: {verdict}, {amiss} of 5\n{}", said.out);
    }
    let unsynced: Vec<String> = place
        .loaded()
        .jobs
        .iter()
        .filter(|job| job.candidate == "control")
        .map(|job| serde_json::to_value(job.phases[1].actions[0].at_cut.expect("a cut").unsynced).expect("a word"))
        .map(|word| word.as_str().expect("a word").to_string())
        .collect();
    assert_eq!(unsynced, ["dropped", "torn", "prefix", "reordered", "kept"]);
    for words in ["in a power cut than", "loss on power failure", "control: found"] {
        assert!(said.out.contains(words), "{words} in {}", said.out);
    }
    assert!(!is_anything_mounted(&place));
    place.assert_nothing_is_left();
}

/// So many cuts for each store; in tests of trust more.
fn cuts() -> String {
    std::env::var("KURABE_CUTS").unwrap_or("5".into())
}

/// One of them maps its file into memory, and three are servers of several processes.
#[test]
fn what_promises_to_lose_nothing_loses_nothing() {
    let stores = ["sqlite", "lmdb", "redb", "redis", "postgres", "mariadb"];
    if !here(&stores) || !mounts() {
        return;
    }
    let place = Place::new();
    let cuts = cuts();
    let choice = ["--stores", &stores.join(","), "--durability", "power", "--rounds", &cuts, "--budget", "3h"];
    let said = finish(&mut place.run(&study(), &choice));
    let found = cut_losses(&place, &said);
    assert_eq!(found.len(), 7, "{found:?}");
    for (name, verdict, amiss) in &found {
        let wanted = if name == "control" { *amiss > 0 } else { verdict == "kept" && *amiss == 0 };
        assert!(wanted, "{name}: {verdict}, {amiss} of {cuts}\n{}", said.out);
    }
    place.assert_nothing_is_left();
}

/// A disk is memory of Kurabe: when that is killed, it is unmounted by the guardian, and nothing lies where it was.
#[test]
fn a_killed_kurabe_leaves_nothing_mounted() {
    if !mounts() {
        return;
    }
    for wait_ms in [0, 150, 400, 900] {
        let place = Place::new();
        let run = Running::start(&mut place.run(&study(), &[]));
        wait_for("a disk", || is_anything_mounted(&place).then_some(()));
        std::thread::sleep(Duration::from_millis(wait_ms));
        run.signal(Signal::KILL);
        assert_eq!(run.finish().status, 128 + 9);
        let is_clear = || !is_anything_mounted(&place) && entries(&place.data()).is_empty();
        assert!(comes_true(CLEANING, is_clear), "{wait_ms} ms: {:?}", entries(&place.data()));
    }
}

#[test]
fn an_interrupt_leaves_nothing_mounted() {
    if !mounts() {
        return;
    }
    let place = Place::new();
    let run = Running::start(&mut place.run(&study(), &[]));
    wait_for("a disk", || is_anything_mounted(&place).then_some(()));
    std::thread::sleep(Duration::from_millis(600));
    run.signal(Signal::INT);
    assert_eq!(run.finish().status, 130);
    assert!(!is_anything_mounted(&place));
    place.assert_nothing_is_left();
}

/// The disk is memory: only what it kept can be judged.
#[test]
fn a_cut_is_refused_where_no_phase_counts_losses() {
    let place = Place::new();
    let study = study().replace("counts_losses = true", "count = 200");
    assert_mistake(&finish(&mut place.run(&study, &[])), &["cuts the power", "counts_losses = true"]);
    assert!(!is_anything_mounted(&place));
}

/// What each store did at each fault: `meanwhile`, `afterwards`, and whether anything was lost.
fn faults(place: &Place) -> Vec<(String, String, String, String, u64)> {
    let said = finish(place.kurabe(["show", "--json"]).arg(place.out()));
    let answer: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let of = |one: &serde_json::Value| {
        let word = |key: &str| one[key].as_str().expect("a word").to_string();
        let amiss = ["lost", "damaged", "not_back"].map(|key| one[key].as_u64().expect("a number"));
        (word("candidate"), word("fault"), word("during"), word("after"), amiss.iter().sum())
    };
    answer["disk_faults"].as_array().expect("a list").iter().map(of).collect()
}

/// Known answers: a store that syncs each write cannot go on where it cannot write, is slower on a slow disk, and tells
/// its clients; of what it acknowledged nothing is lost.
#[test]
fn stores_on_a_disk_that_fails_tell_errors_and_lose_nothing() {
    let stores = ["sqlite", "lmdb", "redis", "postgres"];
    if !here(&stores) || !mounts() {
        return;
    }
    let place = Place::new();
    let mut study = include_str!("../../../../studies/disk-faults.toml").to_string();
    for (from, to) in [("6s", "2500ms"), ("at = \"1s\"", "at = \"500ms\""), ("\"2s\"", "\"1s\""), ("5900ms", "2400ms")]
    {
        assert!(study.contains(from), "{from}");
        study = study.replace(from, to);
    }
    let said = finish(&mut place.run(&study, &["--stores", &stores.join(",")]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let found = faults(&place);
    assert_eq!(found.len(), 20, "{found:#?}");
    for (store, fault, during, after, amiss) in &found {
        assert_eq!(*amiss, 0, "{store}, {fault}\n{}", said.out);
        match (store.as_str(), fault.as_str()) {
            ("sqlite/serve", "write-error" | "sync-error" | "read-only") => {
                assert_eq!([during, after], ["failed", "by-itself"], "{fault}\n{}", said.out);
            }
            (_, "slow") => assert!(["slower", "waited"].contains(&during.as_str()), "{store}: {during}\n{}", said.out),
            (_, "write-error" | "read-only") => assert_ne!(during, "went-on", "{store}, {fault}\n{}", said.out),
            _ => {}
        }
    }
    assert!(!is_anything_mounted(&place));
    place.assert_nothing_is_left();
}

#[test]
fn a_fault_that_is_none_is_refused() {
    let place = Place::new();
    let study =
        |fault: &str| study().replace(r#"cut = "store""#, &format!("disk = {{ fault = \"{fault}\", time = \"1s\" }}"));
    assert_mistake(&finish(&mut place.run(&study("broken"), &[])), &["broken", "full", "sync-error", "each"]);
    // The store is not ended afterwards.
    assert_mistake(&finish(&mut place.run(&study("full"), &[])), &["'disk'", "no warm-up", "cut = "]);
}
