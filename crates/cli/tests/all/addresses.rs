//! Servers at an address: what is refused before anything is written there, and what their users may not read.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::server::Redis;
use crate::common::{Place, Said, TINY, assert_mistake, finish, here};
use kurabe_record::PhaseOutcome;
use kurabe_testkit::fake_server::{FakeServer, Fault};

/// One round of a study of two short phases with these candidates.
fn run(place: &Place, study: &str, stores: &str, more: &[&str]) -> Said {
    finish(place.run(study, &["--rounds", "1", "--stores", stores]).args(more))
}

#[test]
fn a_server_that_throws_keys_away_is_refused_before_anything_is_written_unless_that_is_allowed() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    redis.ask::<()>(&["CONFIG", "SET", "maxmemory", "30mb", "maxmemory-policy", "allkeys-lru"]);
    let address = format!("redis@redis://127.0.0.1:{}", redis.port);
    let place = Place::new();
    let said = run(&place, TINY, &address, &[]);
    assert_mistake(&said, &["evicts rows of other users", "allkeys-lru", "--allow-evictions"]);
    assert!(!place.out().exists());
    let said = run(&place, TINY, &address, &["--allow-evictions"]);
    assert_eq!(said.status, 0, "{said:?}");
    let command = place.loaded().run.command;
    assert!(command.contains("--allow-evictions"), "{command}");
    place.assert_nothing_is_left();
}

#[test]
fn a_replica_and_a_node_of_a_cluster_are_refused_before_anything_is_written() {
    if !here(&["redis"]) {
        return;
    }
    let replica = Redis::start("");
    // Nobody answers there, and it is a replica all the same.
    replica.ask::<()>(&["REPLICAOF", "127.0.0.1", "1"]);
    let node = Redis::with("", "cluster-enabled yes\n");
    for (server, words) in [(&replica, ["role = slave", "replica"]), (&node, ["redis_mode = cluster", "stands alone"])]
    {
        let place = Place::new();
        let said = run(&place, TINY, &format!("redis@redis://127.0.0.1:{}", server.port), &[]);
        assert_mistake(&said, &words);
        assert!(!place.out().exists());
        place.assert_nothing_is_left();
    }
}

#[test]
fn redis_at_an_address_is_not_measured_as_valkey() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    let place = Place::new();
    let said = run(&place, TINY, &format!("valkey@redis://127.0.0.1:{}", redis.port), &[]);
    assert_mistake(
        &said,
        &["does not report that it is Valkey", "but not 'valkey_version'", "for Redis use the store 'redis'"],
    );
    assert!(!place.out().exists());
}

#[test]
fn on_a_busy_machine_a_wrong_address_is_told_before_anything_is_waited_for() {
    let (place, is_over) = (Place::new(), AtomicBool::new(false));
    let server = FakeServer::start(Fault::Close).expect("a port");
    let said = std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let address = format!("redis@redis://127.0.0.1:{}", server.port());
        let said = finish(place.run(TINY, &["--rounds", "1", "--stores", &address]).env_remove("KURABE_ANYWAY"));
        is_over.store(true, Ordering::Relaxed);
        said
    });
    assert_mistake(&said, &["the server at that address"]);
    assert!(!said.err.contains("Waiting up to"), "{}", said.err);
}

#[test]
fn a_server_at_an_address_that_does_not_speak_its_protocol_is_told_in_words() {
    let text = Fault::Text(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    for (fault, words) in [
        (Fault::Hang, "did not answer within 10 s"),
        (Fault::Close, "does not answer as it should"),
        (text, "does not answer as it should"),
    ] {
        let server = FakeServer::start(fault.clone()).expect("a port");
        let place = Place::new();
        let said = run(&place, TINY, &format!("redis@redis://127.0.0.1:{}", server.port()), &[]);
        assert_mistake(&said, &["the server at that address", words]);
        place.assert_nothing_is_left();
    }
}

#[test]
fn what_a_user_may_not_read_is_absent_and_said_once_without_the_user() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    redis.ask::<()>(&["ACL", "SETUSER", "sel", "on", ">s3cret-word", "~kurabe_*", "+@read", "+@write"]);
    let place = Place::new();
    let address = format!("redis@redis://sel:s3cret-word@127.0.0.1:{}", redis.port);
    let study = TINY.replace("rounds = 3", "rounds = 2");
    let said = finish(&mut place.run(&study, &["--stores", &address]));
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.err.matches("settings of the server").count(), 1, "{}", said.err);
    // A size is missed only where sizes are shown.
    assert!(!said.err.contains("memory of the server"), "{}", said.err);
    let short = finish(place.kurabe(["show"]).arg(place.out()));
    assert!(short.out.contains("settings of the server") && !short.out.contains("memory of the"), "{}", short.out);
    let full = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    assert_eq!(full.out.matches("memory of the server").count(), 1, "{}", full.out);
    let loaded = place.loaded();
    assert_eq!(loaded.jobs.len(), 2);
    for job in &loaded.jobs {
        assert!(job.error.is_none() && job.info.contains_key("version"), "{job:?}");
        assert!(job.absent.iter().any(|what| what.starts_with("memory of the server")), "{:?}", job.absent);
        assert!(job.phases.iter().all(|phase| phase.store_bytes.is_none()));
    }
}

#[test]
fn a_hosted_server_that_knows_no_info_is_measured_and_what_it_does_not_tell_is_not_known() {
    if !here(&["redis"]) {
        return;
    }
    let without = |commands: &[&str]| {
        commands.iter().map(|command| format!("rename-command {command} \"\"\n")).collect::<String>()
    };
    for (commands, is_known) in [(&["INFO", "CONFIG"][..], true), (&["INFO", "CONFIG", "HELLO"], false)] {
        let redis = Redis::with("", &without(commands));
        let place = Place::new();
        let said = run(&place, TINY, &format!("redis@redis://127.0.0.1:{}", redis.port), &[]);
        assert_eq!(said.status, 0, "{said:?}");
        let job = place.loaded().jobs.remove(0);
        assert!(job.error.is_none() && job.info.contains_key("version") == is_known, "{commands:?}: {job:?}");
        assert!(job.absent.iter().any(|what| what.starts_with("what the server tells about itself")), "{job:?}");
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_hosted_server_that_knows_no_info_is_measured_through_clients_in_other_languages_too() {
    let clients = ["node:redis", "node:ioredis", "php:phpredis", "php:predis", "ruby", "perl", "go", "python", "jvm"];
    let stores = clients.map(|client| format!("redis+{client}"));
    if !here(&stores.each_ref().map(String::as_str)) {
        return;
    }
    let redis = Redis::with("", "rename-command INFO \"\"\nrename-command CONFIG \"\"\n");
    let place = Place::new();
    let addresses = stores.map(|store| format!("{store}@redis://127.0.0.1:{}", redis.port));
    let said = run(&place, TINY, &addresses.join(","), &[]);
    assert_eq!(said.status, 0, "{said:?}");
    for job in &place.loaded().jobs {
        let is_told = job.absent.iter().any(|what| what.starts_with("settings of the server"));
        assert!(job.error.is_none() && is_told, "{}: {:?} {:?}", job.candidate, job.error, job.absent);
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_server_that_names_the_user_in_its_words_is_quoted_without_it() {
    // The commands with which a driver begins come in one piece.
    let words = b"-ERR denied to user 'canary'\r\n".repeat(4);
    let server = FakeServer::start(Fault::Text(words)).expect("a port");
    let place = Place::new();
    let said = run(&place, TINY, &format!("redis@redis://canary@127.0.0.1:{}", server.port()), &[]);
    assert_mistake(&said, &["denied to user '***'"]);
    assert!(!said.err.contains("canary"), "{}", said.err);
}

#[test]
fn what_a_store_cannot_take_is_unsupported_and_no_failure() {
    let place = Place::new();
    let study = TINY.replace("operation = \"load\"", "operation = \"load\"\nload_path = \"batch\"");
    let said = run(&place, &study, "sqlite,file", &[]);
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    let job = loaded.jobs.iter().find(|job| job.candidate == "file").expect("a job");
    assert!(job.error.is_none() && job.phases.len() == 3, "{job:?}");
    for phase in &job.phases {
        let PhaseOutcome::Unsupported(why) = &phase.outcome else { panic!("{phase:?}") };
        assert!(why.to_string().contains("load path batch"), "{why}");
    }
}

#[test]
fn keys_and_values_longer_than_memcached_takes_are_unsupported_and_no_failure() {
    if !here(&["memcached"]) {
        return;
    }
    let rows: String = (0..50).map(|row| format!("{row:03}{}\t{row}\n", " x".repeat(60))).collect();
    let place = Place::new();
    let data = place.file("spaced.tsv", format!("key\tvalue\n{rows}"));
    let long_keys = ["--data", &data, "--key", "key"];
    let long_values = TINY.replace("value_len_bytes = 100", "value_len_bytes = 2_000_000").replace("1_000", "10");
    for (study, more, words) in [(TINY, long_keys.as_slice(), "a key has"), (&long_values, &[], "a value has")] {
        let place = Place::new();
        let said = run(&place, study, "memcached", &[more, &["--durability", "cache"]].concat());
        assert_eq!(said.status, 0, "{said:?}");
        let loaded = place.loaded();
        assert!(loaded.jobs[0].error.is_none());
        for phase in &loaded.jobs[0].phases {
            assert!(
                matches!(&phase.outcome, PhaseOutcome::Unsupported(why) if why.to_string().contains(words)),
                "{phase:?}"
            );
        }
    }
}

/// What a study varies of a store cannot be varied at an address, and the flag that takes it in all the same does.
#[test]
fn a_study_that_varies_what_an_address_decides_says_how_it_is_measured() {
    let place = Place::new();
    let address = "redis@redis://127.0.0.1:1";
    for (study, flag) in [("quick", "--durability"), ("web", "--profile")] {
        let said = finish(&mut place.kurabe(["plan", study, "--stores", address]));
        assert_eq!(said.status, 2, "{}", said.err);
        assert!(
            said.err.contains(&format!("measures a store at an address as it is; add {flag} default")),
            "{}",
            said.err
        );
        let said = finish(&mut place.kurabe(["plan", study, "--stores", address, flag, "default"]));
        assert_eq!(said.status, 0, "{}", said.err);
    }
}
