//! Services that end during a phase, as a study plans it, and calls beside clients that work.

use kurabe_protocol::StoppedBy;
use kurabe_record::{Act, ActionRecord, PhaseOutcome, ServiceTarget};

use crate::common::{Place, assert_mistake, finish, here};

const STUDY: &str = r#"
title = "What is left of a store that is killed while clients work with it?"
rows = 2_000
value_len_bytes = 100
rounds = 1
durability = "consistent"
quiet_wait = "0s"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
name = "update-amid-kill"
operation = "update"
distribution = "uniform"
connections = 4
duration = "5s"
actions = [{ at = "100ms", call = "count" }, { at = "300ms", kill = "store" }]

[[phase]]
name = "read-after"
operation = "read"
count = 2_000

[[phase]]
name = "increment-amid-restart"
operation = "increment"
distribution = "uniform"
duration = "5s"
actions = [{ at = "200ms", restart = "store" }]

[[phase]]
name = "read-again"
operation = "read"
count = 2_000
"#;

/// Clients give a store up that is gone, and the next phase finds everything that was acknowledged.
#[test]
fn a_store_that_is_killed_and_one_that_is_restarted_amid_a_phase_keep_what_they_promised() {
    let stores = "redis,postgres,mariadb,redis/serve,sqlite,sqlite/serve";
    if !here(&["redis", "postgres", "mariadb"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(STUDY, &["--stores", stores]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    assert_eq!(loaded.jobs.len(), 6);
    for job in &loaded.jobs {
        let name = &job.candidate;
        let [_, killed, after, restarted, again] = &job.phases[..] else { panic!("{name}: {:?}", job.phases.len()) };
        for read in [after, again] {
            assert_eq!((&read.outcome, read.results[0].checks.failed()), (&PhaseOutcome::Ran, 0), "{name}");
            assert_eq!(read.results[0].checks.checked, 2_000, "{name}");
        }
        if name == "sqlite" {
            assert!(
                matches!(&killed.outcome, PhaseOutcome::Unsupported(why) if why.to_string().contains("runs inside")),
                "{name}"
            );
            continue;
        }
        let [asked, kill] = &killed.actions[..] else { panic!("{name}: {:?}", killed.actions) };
        assert_eq!(asked.answer, Some(serde_json::json!({"rows": 2_000})), "{name}");
        let [restart] = &restarted.actions[..] else { panic!("{name}: {:?}", restarted.actions) };
        for (action, act) in [(kill, Act::Kill(ServiceTarget::Store)), (restart, Act::Restart(ServiceTarget::Store))] {
            let ActionRecord { plan, began_ns, recovery_ns, failed, .. } = action;
            assert_eq!((plan.act, failed), (act, &None), "{name}");
            assert!(began_ns.is_some_and(|ns| ns >= plan.at_ns) && recovery_ns.is_some_and(|ns| ns > 0), "{action:?}");
        }
        assert_eq!(killed.results[0].stopped_by, StoppedBy::Failures, "{name}");
        let result = &restarted.results[0];
        let last_start_ns = result.series.start_ns + result.series.slot_ns * result.series.operations.len() as u64;
        assert_eq!(result.stopped_by, StoppedBy::Duration, "{name}: {:?}", result.failures);
        let back_ns =
            result.workers[0].first_start_ns + restart.began_ns.unwrap_or(0) + restart.recovery_ns.unwrap_or(0);
        assert!(result.workers[0].last_end_ns > back_ns && last_start_ns > back_ns, "{name}: users did not come back");
        let counters = restarted.counters.unwrap_or_else(|| panic!("{name}: counters were not summed up"));
        assert!(counters.is_right() && counters.sum > 0, "{name}: {counters:?}");
    }
    let full = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    assert!(full.out.contains("actions during phases") && full.out.contains("kill store after 300 ms"), "{}", full.out);
    assert!(full.out.contains("the plan ends a service or cuts its power"), "{}", full.out);
    place.assert_nothing_is_left();
}

/// A kill during updates, and every row read behind it.
pub const CRASH: &str = r#"
title = "What does a kill take?"
rows = 500
value_len_bytes = 100
rounds = 3
durability = "kill"
baselines = ["control"]
libraries_behind = "serve"
stores = ["sqlite"]
quiet_wait = "0s"

[[axis]]
name = "durability"
values = ["kill", "cache"]

[[candidate]]
name = "control"
store = "file"
app = ["serve"]
durability = "buffered"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
operation = "update"
distribution = "uniform"
connections = 4
duration = "1500ms"
actions = [{ at = "100ms..500ms", kill = "store" }]

[[phase]]
operation = "read"
connections = 4
counts_losses = true
"#;

/// The losses in an answer, by candidate.
pub fn losses(place: &Place) -> Vec<(String, serde_json::Value)> {
    let answer = place.answer();
    let all = answer["losses"].as_array().expect("losses").clone();
    all.into_iter().map(|one| (one["candidate"].as_str().expect("a name").to_string(), one)).collect()
}

/// A library is killed inside the service that holds it. What may be lost is found; what may not is there.
#[test]
fn what_a_kill_took_is_counted_and_what_a_setting_keeps_is_kept() {
    if !here(&["redis", "postgres", "qdbm", "lmdb"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(CRASH, &["--stores", "sqlite,lmdb,qdbm,qdbm:btree,redis,postgres"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let found = losses(&place);
    assert_eq!(found.len(), 13, "{found:?}");
    for (name, one) in &found {
        let verdict = match name.as_str() {
            // What it may lose has a number of bytes.
            "control" => "lost",
            "redis (cache)" | "qdbm/serve (cache)" | "qdbm:btree/serve (cache)" => "allowed",
            _ => "kept",
        };
        assert_eq!((&one["verdict"], &one["trials"]), (&verdict.into(), &3.into()), "{one:#}");
        let is_gone = name == "qdbm/serve (cache)";
        assert_eq!(one["not_back"], if is_gone { 3 } else { 0 }, "{one:#}");
        if verdict != "kept" && !is_gone {
            let of = |key: &str| one[key]["greatest"].as_u64().unwrap_or(0);
            assert!(of("lost_writes") > 0 && of("lost_ns") > 0 && of("lost_ns") < 2_000_000_000, "{one:#}");
        }
    }
    let share = found.iter().find(|(name, _)| name == "postgres (kill)").expect("a row").1["most_share"].as_f64();
    assert!(share.is_some_and(|share| (share - 0.632).abs() < 0.001), "{share:?}");
    for words in ["No store lost more in a kill than its setting allows", "control: found", "gave no rows, as allowed"]
    {
        assert!(said.out.contains(words), "{words} in {}", said.out);
    }
    let moments = place.loaded().jobs.iter().filter_map(|job| job.phases[1].actions[0].began_ns).collect::<Vec<_>>();
    let (least, most) = (moments.iter().min().expect("kills"), moments.iter().max().expect("kills"));
    assert!(*least >= 100_000_000 && most - least > 100_000_000, "moments are drawn: {moments:?}");
    place.assert_nothing_is_left();
}

/// Where the control keeps everything, nobody may say that a store does.
#[test]
fn a_run_whose_control_loses_nothing_shows_nothing() {
    let place = Place::new();
    let honest = CRASH.replace("durability = \"buffered\"", "durability = \"write\"");
    let said = finish(&mut place.run(&honest, &[]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(losses(&place).iter().all(|(_, one)| one["verdict"] == "harness-broken"), "{:?}", losses(&place));
    assert!(said.out.contains("shows nothing") && !said.out.contains("no acknowledged write lost"), "{}", said.out);
}

/// A store that says its writes are safe and keeps them in a buffer of its process.
#[test]
fn a_store_that_loses_what_its_setting_keeps_is_named() {
    let place = Place::new();
    let hasty = r#"
name = "hasty"
extends = "file"
wire = "file"
title = "Hasty"
summary = "It says yes first."
[[durability]]
name = "write"
settings = { sync = "buffered" }
expect = { sync = "buffered" }
"#;
    let file = place.path("definitions/stores/hasty/store.toml");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(file, hasty).expect("a descriptor");
    let said = finish(&mut place.run(CRASH, &["--stores", "hasty", "--definitions", "definitions"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let found = losses(&place);
    let of = |name: &str| &found.iter().find(|(one, _)| one == name).expect("a row").1["verdict"];
    assert_eq!((of("hasty/serve (kill)"), of("control")), (&"broken".into(), &"lost".into()), "{found:?}");
    for words in ["'hasty/serve (kill)' lost more in a kill than its setting allows", "LOST MORE THAN ALLOWED"] {
        assert!(said.out.contains(words), "{words} in {}", said.out);
    }
}

/// Two phases of a client in another language over four connections, which are processes of most of them.
const IN_OTHER_LANGUAGES: &str = r#"
title = "Do users in other languages come back?"
rows = 400
value_len_bytes = 100
rounds = 1
durability = "consistent"
quiet_wait = "0s"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
name = "update-amid-restart"
operation = "update"
distribution = "uniform"
connections = 4
duration = "2s"
actions = [{ at = "50ms", call = "count" }, { at = "300ms", ACTION }]

[[phase]]
operation = "increment"
distribution = "uniform"
connections = 4
count = 400

[[phase]]
operation = "read"
connections = 4
count = 400
"#;

#[test]
fn users_in_other_languages_find_a_store_again_that_is_restarted() {
    let stores = [
        "redis+php",
        "redis+perl",
        "redis+ruby",
        "redis+node",
        "redis+go",
        "redis+python",
        "postgres+perl",
        "postgres+node",
        "postgres+python",
    ];
    if !here(&stores) {
        return;
    }
    let place = Place::new();
    let study = IN_OTHER_LANGUAGES.replace("ACTION", "restart = \"store\"");
    let said = finish(&mut place.run(&study, &["--stores", &stores.join(",")]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let name = &job.candidate;
        let [_, restarted, increments, read] = &job.phases[..] else { panic!("{name}: {:?}", job.phases.len()) };
        let [asked, restart] = &restarted.actions[..] else { panic!("{name}: {:?}", restarted.actions) };
        assert_eq!(asked.answer, Some(serde_json::json!({"rows": 400})), "{name}");
        let back_ns = restart.began_ns.unwrap_or(0) + restart.recovery_ns.expect("it came back");
        for worker in restarted.results.iter().flat_map(|result| &result.workers) {
            // Where the machine is so slow that the phase was over before the store was back, nobody could come back.
            let lasted_ns = worker.last_end_ns - worker.first_start_ns;
            assert!(lasted_ns > back_ns || back_ns > 1_900_000_000, "{name}: {worker:?} did not come back");
        }
        // A driver may connect again by itself, so that no operation fails.
        let lasted = restarted.results.iter().all(|result| result.stopped_by == StoppedBy::Duration);
        assert!(lasted, "{name}: {:?}", restarted.results);
        for phase in [restarted, increments, read] {
            assert_eq!(phase.results.iter().map(|result| result.checks.failed()).sum::<u64>(), 0, "{name}");
        }
        assert!(increments.counters.is_some_and(|counters| counters.is_right() && counters.sum == 400), "{name}");
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_client_that_would_not_come_back_is_refused_before_anything_starts() {
    let place = Place::new();
    let study = IN_OTHER_LANGUAGES.replace("ACTION", "restart = \"store\"");
    for store in ["redis+jvm", "postgres+jdbc"] {
        let said = finish(&mut place.run(&study, &["--stores", store]));
        let known = store.split_once('+').map_or(store, |(store, _)| store);
        assert_mistake(&said, &[store, "update-amid-restart", "restarts the store", &format!("'{known}+rust'")]);
    }
}

/// A client with one connection a process is asked by a process of its own, which has none of them.
#[test]
fn a_client_of_one_connection_a_process_can_be_asked_amid_a_phase_of_several() {
    let stores = ["redis+python", "redis+perl", "postgres+python"];
    if !here(&stores) {
        return;
    }
    let place = Place::new();
    let study = IN_OTHER_LANGUAGES.replace("ACTION", "call = \"size\"");
    let said = finish(&mut place.run(&study, &["--stores", &stores.join(",")]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        assert_eq!(job.phases[1].actions[0].answer, Some(serde_json::json!({"rows": 400})), "{}", job.candidate);
        assert_eq!(job.phases[1].outcome, PhaseOutcome::Ran, "{}", job.candidate);
    }
}
