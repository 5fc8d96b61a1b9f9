//! Services before stores in a run: that they answer as the stores do, what cannot be, and what happens to them in the
//! middle.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;

use crate::common::{
    PATIENCE, Place, Running, Said, assert_mistake, census, comes_true, entries, fake_server, finish, here, wait_for,
};

/// What an app can do, with several writers and without.
const BEHIND_APPS: &str = r#"
title = "What does HTTP cost?"
rows = 1_000
value_len_bytes = 100
rounds = 1
stores = ["sqlite"]
quiet_wait = "1ms"
baselines = []
[[phase]]
operation = "load"
deciding = true
[[phase]]
operation = "read"
connections = 8
duration = "100ms"
deciding = true
[[phase]]
name = "each"
operation = "read"
connections = 4
connect = "each"
count = 200
[[phase]]
operation = "update"
connections = 4
count = 200
[[phase]]
operation = "insert"
connections = 8
count = 400
[[phase]]
operation = "delete"
connections = 4
count = 100
[[phase]]
name = "newest"
operation = "latest"
latest_rows = 20
connections = 4
count = 40
[[phase]]
operation = "scan"
connections = 2
count = 4
[[phase]]
operation = "increment"
connections = 8
count = 200
[[phase]]
name = "posts"
operation = "mix"
mix = { insert = 1, latest = 1 }
latest_rows = 50
connections = 16
duration = "100ms"
"#;

/// Runs the stores behind their apps, beside SQLite alone, and asserts that every answer was right.
#[track_caller]
fn assert_behind_apps(stores: &[&str], unsupported: &[&str]) {
    let mut wanted = vec!["sqlite"];
    wanted.extend(stores);
    if !here(&wanted) {
        return;
    }
    let place = Place::new();
    place.open_to_everybody();
    let said = finish(&mut place.run(BEHIND_APPS, &["--stores", &wanted.join(","), "--durability", "cache"]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!(loaded.jobs.len(), wanted.len());
    for job in &loaded.jobs {
        assert!(job.error.is_none(), "{}: {:?}", job.candidate, job.error);
        for phase in &job.phases {
            let (who, results) = (format!("{} {}", job.candidate, phase.name), &phase.results);
            let may_lack = unsupported.contains(&who.as_str());
            assert_eq!(results.is_empty(), may_lack, "{who}: {:?}", phase.outcome);
            for result in results {
                assert_eq!(result.checks.failed(), 0, "{who}: {:?}", result.checks);
                assert!(result.failures.is_empty(), "{who}: {:?}", result.failures);
            }
            assert_eq!(phase.app.is_some(), job.candidate.contains('/') && !may_lack, "{who}");
            assert_eq!(phase.link.is_some(), job.candidate.ends_with("/link") && !may_lack, "{who}");
        }
    }
    assert!(said.out.contains(wanted[1]), "{}", said.out);
    place.assert_nothing_is_left();
}

#[test]
fn a_store_behind_the_service_answers_as_it_does_directly() {
    let stores = [
        "map/serve",
        "sqlite/serve",
        "redis/serve",
        "postgres/serve",
        "mariadb:innodb/serve",
        "lmdb/serve",
        "file/serve",
    ];
    assert_behind_apps(&stores, &["sqlite each", "file/serve increment"]);
}

#[test]
fn a_store_behind_express_answers_as_it_does_directly() {
    let stores = [
        "sqlite/express",
        "sqlite+node:sqlite3/express",
        "mariadb:innodb/express",
        "mariadb:innodb+node:mysql/express",
        "mysql:innodb/express",
        "postgres/express",
        "redis/express",
        "file/express",
        "file+node:read-last-lines-1.8/express",
        "file+node:read-last-lines-1.10/express",
    ];
    let of_file = ["read", "each", "update", "delete", "increment"];
    let files = stores.iter().filter(|store| store.starts_with("file"));
    let lacking: Vec<String> = files
        .flat_map(|store| of_file.map(|phase| format!("{store} {phase}")))
        .chain(["newest", "scan", "posts"].map(|phase| format!("redis/express {phase}")))
        .chain(["sqlite each".to_string()])
        .collect();
    assert_behind_apps(&stores, &lacking.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_store_behind_apache_with_php_answers_as_it_does_directly() {
    let stores = [
        "redis/php",
        "valkey+php:predis/php",
        "mysql:innodb/php",
        "mariadb:innodb+php:dbal/php",
        "mysql:innodb+php:pear-db/php",
        "postgres/php",
    ];
    let of_redis = ["redis/php", "valkey+php:predis/php"];
    let lacking: Vec<String> = of_redis
        .iter()
        .flat_map(|name| ["newest", "scan", "posts"].map(|phase| format!("{name} {phase}")))
        .chain(["sqlite each".to_string()])
        .collect();
    assert_behind_apps(&stores, &lacking.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_web_server_before_a_service_passes_everything_on() {
    let stores = ["sqlite/serve/nginx", "mysql:innodb/fpm/nginx", "mariadb:innodb/express/nginx", "postgres/php/nginx"];
    assert_behind_apps(&stores, &["sqlite each"]);
}

#[test]
fn a_link_before_a_service_passes_everything_on_and_its_time_is_told_apart() {
    let stores = ["sqlite/serve/link", "mariadb:innodb/express/link", "sqlite/serve/nginx/link"];
    assert_behind_apps(&stores, &["sqlite each"]);
}

#[test]
fn apps_that_cannot_be_are_told() {
    let place = Place::new();
    for (stores, words) in [
        ("sqlite/srve", &["app", "srve", "serve"][..]),
        ("sqlite+python/serve", &["drives 'sqlite' by rust"]),
        ("lmdb/express", &["does not run before 'lmdb'"]),
        ("sqlite+node:mysql/express", &["drives 'sqlite' by node:better-sqlite3"]),
        ("redis/serve@redis://127.0.0.1:1", &["leave the address out"]),
        ("redis/fpm", &["speaks no HTTP", "redis/fpm/nginx"]),
        ("redis/nginx", &["runs before another service", "redis/serve/nginx"]),
        ("redis/serve/express", &["runs before a store"]),
        ("redis/fpm/link", &["speaks no HTTP", "redis/fpm/nginx"]),
    ] {
        let path = place.file("tiny.toml", BEHIND_APPS);
        assert_mistake(&finish(&mut place.kurabe(["plan", &path, "--stores", stores])), words);
    }
}

/// Rows that are read as soon as they were answered, each over another connection than the one that wrote it.
const HASTE: &str = r#"
title = "Is what was answered there?"
rows = 1_000
value_len_bytes = 100
rounds = 1
stores = ["map/serve"]
quiet_wait = "1ms"
baselines = []
[[phase]]
operation = "load"
connections = 4
[[phase]]
operation = "mix"
mix = { insert = 1, read = 1 }
distribution = "latest"
connections = 4
connect = "each"
count = 800
deciding = true
"#;

#[test]
fn a_service_that_answers_before_it_has_written_is_found_out() {
    let place = Place::new();
    let testkit = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit");
    let mut command = place.run(HASTE, &["--stores", "map/serve,map/hasty"]);
    let said = finish(command.args(["--definitions", testkit]));
    let lost = |candidate: &str| {
        let loaded = place.loaded();
        let job = loaded.jobs.iter().find(|job| job.candidate == candidate).unwrap_or_else(|| panic!("{said:?}"));
        assert!(job.error.is_none(), "{candidate}: {:?}", job.error);
        job.phases[1].results.iter().map(|result| result.checks.lost).sum::<u64>()
    };
    assert_eq!(lost("map/serve"), 0);
    assert!(lost("map/hasty") > 0, "{said:?}");
    assert!(said.out.contains("wrong answers") || said.out.contains("lost"), "{}", said.out);
    place.assert_nothing_is_left();
}

/// Asserts that a run of `stores` with these variables is refused, with these words, and that nothing was started for
/// it.
#[track_caller]
fn assert_lacking(place: &Place, stores: &str, variables: &[(&str, &str)], words: &[&str]) {
    let mut command = place.run(BEHIND_APPS, &["--stores", stores]);
    // A cache of its own: what lies in that of the user may be the right one.
    command.env("XDG_CACHE_HOME", place.path("cache")).env_remove("KURABE_NODE").env_remove("KURABE_PHP");
    assert_mistake(&finish(command.envs(variables.iter().copied())), words);
    assert!(!place.out().exists(), "nothing was begun");
    place.assert_nothing_is_left();
}

#[test]
fn a_node_or_php_that_is_missing_or_too_old_is_told_with_the_remedy() {
    let place = Place::new();
    place.open_to_everybody();
    let nowhere = place.path("nowhere").display().to_string();
    assert_lacking(&place, "sqlite/express", &[("PATH", &nowhere)], &["'node' is missing", "https://nodejs.org"]);
    let old = fake_server(&place, "node", "echo v12.22.9");
    let words = ["needs version 20.15 or newer", "'node' is 12.22.9", "KURABE_NODE", "https://nodejs.org"];
    assert_lacking(&place, "sqlite/express", &[("PATH", &old)], &words);
    let node = place.path("bin/node").display().to_string();
    assert_lacking(&place, "sqlite/express", &[("KURABE_NODE", &node)], &["20.15 or newer", &node]);
    if !here(&["redis", "redis/php"]) {
        return;
    }
    // With the permissions of a program, and other words.
    std::fs::copy(place.path("bin/node"), place.path("bin/php")).unwrap();
    let php = place.file("bin/php", "#!/bin/sh\necho 'PHP 7.4.33 (cli) (built: Nov  2 2022)'\n");
    assert_lacking(&place, "redis/php", &[("KURABE_PHP", &php)], &["8.1 or newer", "7.4.33", "apt-get install"]);
    assert_lacking(&place, "redis/php", &[("KURABE_PHP", &nowhere)], &["is missing", "apt-get install"]);
}

/// The same work, with so much time for the first reads.
fn behind_apps_for(duration: &str) -> String {
    BEHIND_APPS.replacen("100ms", duration, 1)
}

/// Kills a process of a run of `stores` in its long phase, and gives the words of the failed job.
#[track_caller]
fn killed_amid(stores: &str, which: &str) -> Said {
    let place = Place::new();
    place.open_to_everybody();
    let study = behind_apps_for("20s");
    let run = Running::start(&mut place.run(&study, &["--stores", stores, "--durability", "cache"]));
    let victim = || {
        let all = census::of(&place);
        all.iter().find(|process| process.cmdline.contains(which)).map(|process| process.pid)
    };
    // Before that, one of that name may be asked for its version.
    assert!(comes_true(PATIENCE, || entries(&place.out()).contains(&"run.json".to_string())));
    wait_for("who is to be killed", victim);
    std::thread::sleep(Duration::from_millis(1_500));
    census::signal(victim().expect("it goes on"), Signal::KILL);
    let said = run.finish();
    assert_eq!(said.status, 1, "{said:?}");
    let error = place.loaded().jobs[0].error.clone().expect("the job failed");
    place.assert_nothing_is_left();
    Said { err: error.message.to_string(), ..said }
}

#[test]
fn a_service_that_is_killed_in_the_middle_is_blamed() {
    let said = killed_amid("sqlite/serve", "--job");
    assert!(said.err.contains("the app died"), "{}", said.err);
    if here(&["sqlite/express"]) {
        let said = killed_amid("sqlite/express", "app.mjs");
        assert!(said.err.contains("the app died"), "{}", said.err);
    }
    let said = killed_amid("sqlite/serve/link", "link 127.0.0.1");
    assert!(said.err.contains("the bandwidth limit died"), "{}", said.err);
}

#[test]
fn a_store_that_is_killed_behind_a_living_service_is_blamed() {
    for stores in ["redis/serve", "redis/express"] {
        if here(&[stores]) {
            let said = killed_amid(stores, "redis-server");
            assert!(said.err.contains("the service died"), "{stores}: {}", said.err);
        }
    }
}

#[test]
fn half_requests_and_silence_at_a_service_of_others_hold_nobody_up() {
    for (stores, which) in [("sqlite/express", "app.mjs"), ("redis/php", "httpd.conf")] {
        if !here(&[stores]) {
            continue;
        }
        let place = Place::new();
        place.open_to_everybody();
        let study = behind_apps_for("2s");
        let run = Running::start(&mut place.run(&study, &["--stores", stores, "--durability", "cache"]));
        let port = wait_for("the service", || {
            let all = census::of(&place);
            all.iter().filter(|seen| seen.cmdline.contains(which)).find_map(|seen| census::ports(seen.pid).pop())
        });
        let held: Vec<TcpStream> = (0..21)
            .map(|at| {
                let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
                let half = ["", "GET / HT", "POST /rows HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"][at % 3];
                stream.write_all(half.as_bytes()).unwrap();
                stream
            })
            .collect();
        let said = run.finish();
        drop(held);
        assert_eq!(said.status, 0, "{said:?}");
        let job = &place.loaded().jobs[0];
        assert!(job.phases.iter().flat_map(|phase| &phase.results).all(|result| result.failures.is_empty()), "{job:?}");
        place.assert_nothing_is_left();
    }
}

/// What a study can let a service do wrong, beside the same done right.
const WRONG: &str = r#"
title = "What do mistakes of a service do?"
rows = 1_000
value_len_bytes = 100
rounds = 1
stores = ["sqlite+node:sqlite3/express"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
[[phase]]
operation = "latest"
latest_rows = 20
connections = 4
count = 40
deciding = true
[[phase]]
operation = "insert"
connections = 4
count = 400
[[pitfall]]
name = "oldest"
says = "The oldest rows are given for the newest."
[[pitfall.change]]
settings = { latest = "oldest" }
[[pitfall]]
name = "early"
says = "A row is answered before it is stored."
[[pitfall.change]]
settings = { answers = "early" }
[[pitfall]]
name = "link"
says = "A link stands before all."
alone = true
[[pitfall.change]]
proxy = "link"
"#;

#[test]
fn mistakes_of_a_service_are_made_on_purpose_and_found_out() {
    if !here(&["sqlite+node:sqlite3/express"]) {
        return;
    }
    let place = Place::new();
    place.open_to_everybody();
    let said = finish(&mut place.run(WRONG, &["--pitfalls"]));
    let loaded = place.loaded();
    let name = |pitfall: &str| format!("sqlite+node:sqlite3/express{pitfall}");
    let job = |pitfall: &str| {
        let job = loaded
            .jobs
            .iter()
            .find(|job| job.candidate == name(pitfall))
            .unwrap_or_else(|| panic!("{pitfall}: {said:?}"));
        assert!(job.error.is_none(), "{pitfall}: {:?}", job.error);
        job
    };
    // Read before anything was written but the load, which was waited for.
    let wrong = |pitfall: &str| job(pitfall).phases[1].results.iter().map(|result| result.checks.failed()).sum::<u64>();
    assert_eq!((wrong(""), wrong(" [early]"), wrong(" [link]")), (0, 0, 0));
    assert_eq!((wrong(" [oldest]"), wrong(" [as-published]")), (40, 40), "{said:?}");
    let settings = |pitfall: &str| {
        let found = job(pitfall).settings.iter().find(|setting| setting.name == "answers");
        found.map(|setting| (setting.asked.clone(), setting.found.clone()))
    };
    assert_eq!(settings(" [early]"), Some((Some("early".into()), Some("early".into()))));
    assert_eq!(settings(""), None);
    // All that was answered is there at the end: whoever asks waits for it.
    assert_eq!(job(" [early]").final_count.map(|count| count.counted_rows), Some(1_400));
    assert!(job(" [link]").phases.iter().all(|phase| phase.link.is_some()));
    let link = loaded.run.candidates.iter().find(|one| one.name == name(" [link]")).expect("the candidate");
    assert_eq!(link.app.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["express", "link"]);
    let mistake = WRONG.replace("latest = \"oldest\"", "latest = \"eldest\"");
    let said = finish(&mut place.kurabe(["plan", &place.file("wrong.toml", mistake), "--pitfalls"]));
    assert_mistake(&said, &["'eldest'", "newest, oldest"]);
}

/// Posts of a short text, as an app answers them with the texts alone.
const TEXTS: &str = r#"
title = "What are texts alone?"
rows = 1_000
rounds = 1
quiet_wait = "1ms"
baselines = []
stores = ["map"]
[[field]]
name = "id"
type = "int64"
[[field]]
name = "category"
type = "text"
len_bytes = 4
[[field]]
name = "text"
type = "text"
len_bytes = 8
[[phase]]
operation = "load"
[[phase]]
name = "all"
operation = "latest"
latest_rows = 1_000
connections = 4
count = 40
deciding = true
[[phase]]
operation = "latest"
latest_rows = 20
connections = 4
count = 40
[[phase]]
operation = "scan"
connections = 2
count = 4
[[phase]]
operation = "read"
count = 4
[[phase]]
operation = "mix"
mix = { insert = 1, latest = 1 }
latest_rows = 50
connections = 16
count = 400
[[phase]]
name = "all-and-posts"
operation = "mix"
mix = { insert = 1, latest = 1 }
latest_rows = 1_000_000
connections = 16
count = 400
[[pitfall]]
name = "texts"
says = "Answers are texts alone."
[[pitfall.change]]
settings = { shape = "texts" }
[[pitfall]]
name = "oldest"
says = "The oldest rows are given for the newest."
[[pitfall.change]]
stores = ["sqlite+node:sqlite3/express"]
settings = { latest = "oldest" }
[[pitfall]]
name = "impatient"
says = "Four processes do not wait for the locks of each other."
alone = true
[[pitfall.change]]
stores = ["sqlite+node:sqlite3/express"]
settings = { processes = "4", lock_wait = "none" }
durability = "delete-full"
"#;

#[test]
fn texts_alone_are_checked_as_whole_rows_are() {
    let stores = [
        "file/express",
        "file+node:read-last-lines-1.8/express",
        "sqlite+node:sqlite3/express",
        "sqlite/express",
        "mariadb:innodb+node:mysql/express",
        "postgres/express",
    ];
    if !here(&stores) {
        return;
    }
    let place = Place::new();
    place.open_to_everybody();
    let flags = ["--pitfalls", "--stores", &stores.join(","), "--durability", "cache"];
    let said = finish(&mut place.run(TEXTS, &flags));
    let loaded = place.loaded();
    let of = |name: &str| loaded.jobs.iter().find(|job| job.candidate == name).unwrap_or_else(|| panic!("{said:?}"));
    for store in stores {
        let job = of(&format!("{store} [texts]"));
        assert!(job.error.is_none(), "{store}: {:?}", job.error);
        for phase in &job.phases {
            // No key, no row by its key.
            assert_eq!(phase.results.is_empty(), phase.name == "read", "{store} {}: {:?}", phase.name, phase.outcome);
            for result in &phase.results {
                assert_eq!(result.checks.failed(), 0, "{store} {}: {:?}", phase.name, result.checks);
                assert!(result.failures.is_empty(), "{store} {}: {:?}", phase.name, result.failures);
            }
        }
    }
    let wrong = of("sqlite+node:sqlite3/express [as-published]").phases[2].results.iter();
    assert_eq!(wrong.map(|result| result.checks.failed()).sum::<u64>(), 40, "the oldest are found by their texts");
    let impatient = of("sqlite+node:sqlite3/express [impatient]");
    let failures = || impatient.phases.iter().flat_map(|phase| &phase.results).flat_map(|result| &result.failures);
    assert!(failures().any(|failed| failed.message.contains("SQLITE_BUSY")), "{impatient:?}");
    place.assert_nothing_is_left();
}
