use kurabe_protocol::{Action, CallName, End, Load, Phase, ReplyOutcome, Schema};
use mysql::prelude::Queryable;

use super::common::{Driver, Server, files, job, operations, phase, seven_columns};
use super::{ROWS, endless, exists_and_missing, exists_and_missing_phases, killed_in_mid_phase, works_with_few_rights};

fn root(server: &Server) -> mysql::Conn {
    mysql::Conn::new(mysql::Opts::from_url(&server.url).expect("an address")).expect("a connection")
}

/// A server with a user who has all rights on one database and none beside, and the user's address.
fn with_a_user() -> Option<(Server, String)> {
    let server = Server::mariadb(&[])?;
    let mut root = root(&server);
    for statement in [
        "CREATE DATABASE IF NOT EXISTS test",
        "CREATE USER few@'127.0.0.1' IDENTIFIED BY 's3cret-word'",
        "GRANT ALL ON test.* TO few@'127.0.0.1'",
    ] {
        root.query_drop(statement).expect("a statement of root");
    }
    let url = server.url.replace("root@", "few:s3cret-word@");
    Some((server, url))
}

#[test]
fn without_the_privilege_process_there_is_no_size_and_all_else_works() {
    let Some((_server, url)) = with_a_user() else { return };
    works_with_few_rights("mariadb", &url, |driver| {
        assert!(driver.ask(CallName::Settings)["innodb_buffer_pool_size"].is_string());
        driver.assert_absent(CallName::Size, "PROCESS", "few");
    });
}

#[test]
fn a_server_that_denies_is_told_in_its_words_without_the_user() {
    let Some((server, _)) = with_a_user() else { return };
    let files = files();
    for (url, words) in [
        ("few:wr0ng-word@127.0.0.1", "Access denied for user '***'"),
        ("few:s3cret-word@127.0.0.1", "'***'@'127.0.0.1'"),
    ] {
        // In the second the password is right and the database somebody else's.
        let url = format!("mysql://{url}:{}/mysql", server.port);
        let mut driver = Driver::start(&job("mariadb", &url, files.path(), Schema::key_value(100), ROWS, vec![]));
        let ReplyOutcome::Error(told) = driver.call(CallName::Create) else { panic!("{url} was let in") };
        assert!(told.contains(words) && !told.contains("few") && !told.contains("-word"), "{told}");
    }
}

/// Loads and reads as `user`, whose password is never told.
fn works_as(store: &str, url: &str) {
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS), Phase { connections: 8, ..phase("read", Action::Read, ROWS) }];
    let mut driver = Driver::start(&job(store, url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.ask(CallName::Create);
    driver.go_well("load");
    driver.go_well("read");
    driver.ask(CallName::Reset);
    assert_eq!(driver.stop(), 0);
}

/// The first connection of a user takes the full path of `caching_sha2_password`, those that follow the fast one.
#[test]
fn users_of_mysql_sign_in_by_every_method_over_tcp_and_a_unix_socket() {
    let Some(server) = Server::mysql(&["--default-authentication-plugin=mysql_native_password"]) else { return };
    let mut root = root(&server);
    for (user, method) in [
        ("old", "mysql_native_password BY 's3cret-word'"),
        ("new", "caching_sha2_password BY 's3cret-word'"),
        ("local", "caching_sha2_password BY 's3cret-word'"),
        ("open", "caching_sha2_password BY ''"),
    ] {
        root.query_drop(format!("CREATE USER {user}@'%' IDENTIFIED WITH {method}")).expect("a user");
        root.query_drop(format!("GRANT ALL ON test.* TO {user}@'%'")).expect("rights");
    }
    let tcp = |who: &str| server.url.replace("root@", &format!("{who}@"));
    let socket = server.folder().join("socket").display().to_string();
    let unix = |who: &str| format!("mysql://{who}@localhost/test?socket={socket}");
    for url in
        [tcp("old:s3cret-word"), tcp("new:s3cret-word"), tcp("new:s3cret-word"), tcp("open"), unix("local:s3cret-word")]
    {
        // First without the calls, which would leave the password with the server.
        signs_in(&url, None);
        works_as("mysql", &url);
    }
    signs_in(&tcp("new:wr0ng-word"), Some("Access denied for user '***'"));
    root.query_drop("CREATE USER other@'%' IDENTIFIED WITH sha256_password BY 's3cret-word'").expect("a user");
    signs_in(&tcp("other:s3cret-word"), Some("Unknown authentication protocol: `sha256_password`"));
}

/// Connects for a phase and nothing before; that fails in `words`, where there are any.
fn signs_in(url: &str, words: Option<&str>) {
    let files = files();
    let phases = vec![Phase { connections: 2, ..phase("read", Action::Read, ROWS) }];
    let mut driver = Driver::start(&job("mysql", url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.say(&kurabe_protocol::Command::Go("read".into()));
    let told = format!("{:?}", driver.event());
    // Without a table no statement can be prepared: whoever is told that has signed in.
    assert!(told.contains(words.unwrap_or("Table 'test.ns' doesn't exist")), "{told}");
    assert!(!told.contains("-word'") && !told.contains("cret-word"), "{told}");
}

#[test]
fn existing_and_missing_keys_are_told_apart() {
    let Some(server) = Server::mariadb(&[]) else { return };
    for connections in [1, 8] {
        let files = files();
        let phases = exists_and_missing_phases(|phase| Phase { connections, ..phase });
        let job = job("mariadb", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        exists_and_missing(&mut Driver::start(&job));
    }
}

#[test]
fn a_server_killed_in_mid_phase_gives_failures() {
    for connections in [1, 8] {
        let Some(server) = Server::mariadb(&[]) else { return };
        let files = files();
        let phases = vec![phase("load", Load::Batch { rows: 500 }, ROWS), endless(connections, 1)];
        let job = job("mariadb", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start(&job);
        driver.ask(CallName::Create);
        driver.go_well("load");
        killed_in_mid_phase(&mut driver, server);
    }
}

#[test]
fn connections_that_the_server_kills_fail_in_words_and_are_given_up() {
    let Some(server) = Server::mariadb(&[]) else { return };
    let files = files();
    let long = Phase {
        connections: 4,
        commit_every: 7,
        ..Phase::new("long", Action::Update, End::DurationNs(60_000_000_000))
    };
    let phases = vec![phase("load", Load::Batch { rows: 500 }, ROWS), long];
    let job = job("mariadb", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
    let mut driver = Driver::start(&job);
    driver.ask(CallName::Create);
    driver.go_well("load");
    driver.say(&kurabe_protocol::Command::Go("long".into()));
    driver.await_progress();
    let mut root = root(&server);
    let own = root.connection_id();
    let ids: Vec<u32> = root.query("SELECT id FROM information_schema.processlist WHERE user = 'root'").expect("ids");
    for id in ids.into_iter().filter(|id| *id != own) {
        // One that has ended meanwhile, as that of a call, is unknown.
        if let Err(error) = root.query_drop(format!("KILL {id}")) {
            assert!(error.to_string().contains("Unknown thread id"), "{error}");
        }
    }
    let kurabe_protocol::Event::Result(result) = driver.event() else { panic!("no result") };
    assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
    assert!(!result.failures.is_empty());
    let told = result
        .failures
        .iter()
        .all(|failed| failed.message.contains("connection") || failed.message.contains("rolled back"));
    assert!(told, "{:?}", result.failures);
}

#[test]
fn more_connections_than_the_server_takes_are_refused_in_its_words() {
    let Some(server) = Server::mariadb(&["--max-connections=20"]) else { return };
    let files = files();
    let phases = vec![
        phase("load", Load::Batch { rows: 500 }, ROWS),
        Phase { connections: 100, ..phase("read", Action::Read, ROWS) },
    ];
    let job = job("mariadb", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
    let mut driver = Driver::start(&job);
    driver.ask(CallName::Create);
    driver.go_well("load");
    driver.say(&kurabe_protocol::Command::Go("read".into()));
    let told = format!("{:?}", driver.event());
    assert!(told.contains("Too many connections"), "{told}");
}

/// The longest values that one packet does not hold, over every path by which they are written.
#[test]
fn values_longer_than_a_packet_arrive_whole() {
    let Some(server) = Server::mariadb(&["--max-allowed-packet=64M", "--innodb-log-file-size=512M"]) else { return };
    let files = files();
    let phases = vec![
        phase("load", Load::Row, 2),
        phase("update", Action::Update, 2),
        phase("read", Action::Read, 2),
        phase("multi-read", Action::MultiRead { rows: 2 }, 1),
        phase("scan", Action::Scan, 1),
    ];
    let schema = Schema::key_value(16 << 20);
    let mut driver = Driver::start(&job("mariadb", &server.url, files.path(), schema, 2, phases.clone()));
    driver.ask(CallName::Create);
    super::run_all(&mut driver, &phases);
}

/// Several tens of megabytes: parts are taken while more come.
#[test]
fn long_scans_are_right_over_several_connections() {
    let Some(server) = Server::mariadb(&[]) else { return };
    let files = files();
    let rows = 60_000;
    let phases = vec![
        Phase { connections: 3, ..phase("load", Load::Batch { rows: 1000 }, rows) },
        Phase { connections: 3, ..phase("scan", Action::Scan, 6) },
        Phase { connections: 3, ..phase("latest", Action::Latest { rows: 20_000 }, 6) },
    ];
    for schema in [Schema::key_value(500), seven_columns()] {
        let mut driver = Driver::start(&job("mariadb", &server.url, files.path(), schema, rows, phases.clone()));
        driver.ask(CallName::Create);
        for phase in &phases {
            let result = driver.go_well(&phase.name);
            assert_eq!(Some(operations(&result)), phase.end.count());
        }
        driver.ask(CallName::Reset);
    }
}
