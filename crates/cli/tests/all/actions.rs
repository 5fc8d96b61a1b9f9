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
        if name.starts_with("sqlite") {
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
    assert!(full.out.contains("the plan ends a service during this phase"), "{}", full.out);
    place.assert_nothing_is_left();
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
