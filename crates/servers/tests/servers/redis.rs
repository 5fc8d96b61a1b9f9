use kurabe_protocol::{Action, CallName, End, Load, Phase, ReplyOutcome, Schema, Work};
use redis::{Commands, Connection};

use super::common::{Driver, Server, files, job, operations, phase, seven_columns};
use super::{
    ROWS, endless, exists_and_missing, exists_and_missing_phases, killed_in_mid_phase, run_all, works_with_few_rights,
};

fn control(url: &str) -> Connection {
    redis::Client::open(url).and_then(|client| client.get_connection()).expect("a connection")
}

#[test]
fn every_operation_is_right_with_any_number_of_connections_and_any_depth() {
    let Some(server) = Server::redis(&[]) else { return };
    for schema in [Schema::key_value(100), seven_columns()] {
        for (connections, depth, batch) in
            [(1, 1, 1), (8, 1, 1), (50, 1, 1), (1, 16, 1), (8, 16, 1), (50, 16, 1), (1, 1, 16), (8, 1, 16), (50, 1, 16)]
        {
            let files = files();
            let shape = |phase| Phase { connections, depth, batch, ..phase };
            let phases = super::single_row_phases(files.path(), shape);
            let job = job("redis", &server.url, files.path(), schema.clone(), ROWS, phases.clone());
            let mut driver = Driver::start(&job);
            driver.ask(CallName::Create);
            run_all(&mut driver, &phases);
            driver.ask(CallName::Reset);
            assert_eq!(driver.stop(), 0);
            assert_eq!(redis::cmd("DBSIZE").query::<u64>(&mut control(&server.url)), Ok(0));
        }
    }
}

#[test]
fn existing_and_missing_keys_are_told_apart() {
    let Some(server) = Server::redis(&[]) else { return };
    for (connections, depth) in [(1, 1), (8, 16)] {
        let files = files();
        let phases = exists_and_missing_phases(|phase| Phase { connections, depth, ..phase });
        let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
        exists_and_missing(&mut driver);
    }
}

#[test]
fn keys_of_others_stay() {
    let Some(server) = Server::redis(&[]) else { return };
    let mut other = control(&server.url);
    for key in ["ns2:1", "other", "n", "ns"] {
        other.set::<_, _, ()>(key, "theirs").unwrap();
    }
    let files = files();
    let timed = Phase::new("i", Action::Insert { first_row: 5000 }, End::DurationNs(50_000_000));
    let phases = vec![phase("load", Load::Row, ROWS), timed];
    let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.ask(CallName::Create);
    driver.go_well("load");
    let inserted = driver.go_well("i");
    assert_eq!(driver.rows(), ROWS + operations(&inserted));
    driver.ask(CallName::Create);
    assert_eq!(driver.rows(), 0);
    driver.ask(CallName::Reset);
    let mut left: Vec<String> = other.keys("*").unwrap();
    left.sort();
    assert_eq!(left, ["n", "ns", "ns2:1", "other"]);
}

#[test]
fn a_unix_socket_a_database_and_a_password_work_and_the_password_is_never_told() {
    let Some(server) = Server::redis(&["--requirepass", "s3cret-word"]) else { return };
    let socket = server.folder().join("socket");
    let tcp = format!("redis://:s3cret-word@127.0.0.1:{}/3", server.port);
    let unix = format!("unix://{}?db=3&pass=s3cret-word", socket.display());
    let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
    for url in [&tcp, &unix, &format!("redis+{unix}")] {
        let files = files();
        let mut driver = Driver::start(&job("redis", url, files.path(), Schema::key_value(100), ROWS, phases.clone()));
        driver.ask(CallName::Create);
        driver.go_well("load");
        driver.go_well("read");
        assert_eq!(redis::cmd("DBSIZE").query::<u64>(&mut control(&tcp)), Ok(ROWS));
        driver.ask(CallName::Reset);
    }
    let files = files();
    let wrong = format!("redis://:wr0ng-word@127.0.0.1:{}", server.port);
    let mut driver = Driver::start(&job("redis", &wrong, files.path(), Schema::key_value(100), ROWS, phases));
    let ReplyOutcome::Error(told) = driver.call(CallName::Create) else { panic!("a wrong password was taken") };
    driver.say(&kurabe_protocol::Command::Go("load".into()));
    let failed = format!("{told} {:?}", driver.event());
    assert!(failed.contains("WRONGPASS") && !failed.contains("wr0ng-word"), "{failed}");
}

#[test]
fn values_larger_than_every_buffer_arrive_whole() {
    let Some(server) = Server::redis(&[]) else { return };
    let files = files();
    let shape = |phase| Phase { connections: 4, depth: 8, ..phase };
    let phases: Vec<Phase> =
        [("load", Work::from(Load::Row)), ("update", Action::Update.into()), ("read", Action::Read.into())]
            .map(|(name, work)| shape(phase(name, work, 64)))
            .into();
    let mut driver =
        Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(1_000_003), 64, phases.clone()));
    driver.ask(CallName::Create);
    run_all(&mut driver, &phases);
}

#[test]
fn a_server_killed_in_mid_phase_gives_failures() {
    for (connections, depth) in [(1, 1), (8, 16)] {
        let Some(server) = Server::redis(&[]) else { return };
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), endless(connections, depth)];
        let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
        driver.ask(CallName::Create);
        driver.go_well("load");
        killed_in_mid_phase(&mut driver, server);
    }
}

#[test]
fn a_full_server_fails_in_its_own_words() {
    let Some(server) = Server::redis(&["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"]) else { return };
    let files = files();
    let load = Phase { connections: 8, depth: 4, ..phase("load", Load::Row, 20_000) };
    let mut driver =
        Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(1000), 20_000, vec![load]));
    driver.ask(CallName::Create);
    let result = driver.go("load");
    assert!(result.failures.iter().all(|failed| failed.message.starts_with("OOM ")), "{:?}", result.failures);
    assert_eq!(driver.rows(), operations(&result));
}

#[test]
fn calls_tell_what_the_server_tells() {
    let Some(server) = Server::redis(&["--appendonly", "yes", "--appendfsync", "always"]) else { return };
    let files = files();
    let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, vec![]));
    assert!(driver.hello.libraries.contains_key("redis-protocol"), "{:?}", driver.hello.libraries);
    assert_eq!(driver.ask(CallName::Ping), true);
    assert!(driver.ask(CallName::Info)["version"].as_str().expect("a version").contains('.'));
    let settings = driver.ask(CallName::Settings);
    assert_eq!((&settings["appendonly"], &settings["appendfsync"]), (&"yes".into(), &"always".into()));
    assert!(driver.ask(CallName::Size)["bytes"].as_u64().expect("a size") > 100_000);
    assert_eq!(driver.call(CallName::Check), ReplyOutcome::Unsupported);
}

/// HELLO comes with every connection, so the version is known.
#[test]
fn a_user_who_may_only_read_and_write_works_and_the_rest_is_absent() {
    let Some(server) = Server::redis(&[]) else { return };
    let mut rule = redis::cmd("ACL");
    rule.arg(&["SETUSER", "few", "on", ">s3cret-word", "~ns*", "+@read", "+@write"]);
    rule.exec(&mut control(&server.url)).unwrap();
    let url = server.url.replace("redis://", "redis://few:s3cret-word@");
    works_with_few_rights("redis", &url, |driver| {
        let info = driver.reply(CallName::Info);
        assert!(info.absent.concat().contains("info"), "{info:?}");
        let ReplyOutcome::Ok(texts) = info.outcome else { panic!("{info:?}") };
        assert!(texts["version"].as_str().expect("a version").contains('.'));
        for call in [CallName::Settings, CallName::Size, CallName::Evicts] {
            driver.assert_absent(call, "permissions", "few");
        }
    });
}

#[test]
fn a_server_tells_whether_it_throws_keys_away() {
    for (options, evicts) in [
        (["--maxmemory", "3mb", "--maxmemory-policy", "allkeys-lru"].as_slice(), true),
        (&["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"], false),
        (&["--maxmemory-policy", "allkeys-lru"], false),
    ] {
        let Some(server) = Server::redis(options) else { return };
        let files = files();
        let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, vec![]));
        let told = driver.ask(CallName::Evicts);
        assert_eq!(told["policy"].as_str().is_some_and(|policy| policy.contains("allkeys-lru")), evicts, "{told}");
    }
}

#[test]
fn settings_that_a_server_refuses_to_tell_are_unsupported() {
    let Some(server) = Server::redis(&["--rename-command", "CONFIG", ""]) else { return };
    let files = files();
    let mut driver = Driver::start(&job("redis", &server.url, files.path(), Schema::key_value(100), ROWS, vec![]));
    assert_eq!(driver.call(CallName::Settings), ReplyOutcome::Unsupported);
}
