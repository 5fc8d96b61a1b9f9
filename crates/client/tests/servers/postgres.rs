use kurabe_protocol::{Action, CallName, Load, Phase, ReadScope, ReplyOutcome, Schema};
use postgres::{Client, NoTls};

use super::common::{Driver, Server, files, job, operations, phase, seven_columns};
use super::{ROWS, endless, exists_and_missing, exists_and_missing_phases, killed_in_mid_phase, run_all};

fn control(server: &Server) -> Client {
    Client::connect(&server.url, NoTls).expect("a connection")
}

#[test]
fn every_operation_is_right_with_any_number_of_connections_and_any_commit() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    for schema in [Schema::key_value(100), seven_columns()] {
        for (connections, commit_every) in [(1, 1), (8, 1), (50, 1), (1, 100), (8, 100), (50, 100)] {
            let files = files();
            let shape = |phase| Phase { connections, commit_every, ..phase };
            let mut phases = super::single_row_phases(files.path(), shape);
            let snapshot = Phase { read_scope: ReadScope::Snapshot, ..phase("snapshot", Action::Read, 1000) };
            let latest = phase("latest", Action::Latest { rows: 100 }, 8);
            phases.extend([snapshot, phase("scan", Action::Scan, 2), latest].map(shape_keeping(connections)));
            let job = job("postgres", &server.url, files.path(), schema.clone(), ROWS, phases.clone());
            let mut driver = Driver::start(&job);
            driver.ask(CallName::Create);
            run_all(&mut driver, &phases);
            driver.ask(CallName::Reset);
            assert_eq!(driver.stop(), 0);
        }
    }
}

/// At most two connections scan: each reads everything.
fn shape_keeping(connections: u32) -> impl Fn(Phase) -> Phase {
    move |phase| Phase { connections: connections.min(2), ..phase }
}

#[test]
fn every_load_path_leaves_the_same_rows() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    for schema in [Schema::key_value(100), seven_columns()] {
        for load in [Load::Batch { rows: 1 }, Load::Batch { rows: 333 }, Load::Bulk { rows: 500 }] {
            for connections in [1, 8] {
                let files = files();
                let load = Phase { connections, ..phase("load", load, ROWS) };
                let scan = phase("scan", Action::Scan, 1);
                let job = job("postgres", &server.url, files.path(), schema.clone(), ROWS, vec![load, scan]);
                let mut driver = Driver::start(&job);
                driver.ask(CallName::Create);
                assert_eq!(operations(&driver.go_well("load")), ROWS);
                assert_eq!(driver.rows(), ROWS);
                assert_eq!(driver.go_well("scan").rows_read, ROWS);
            }
        }
    }
}

#[test]
fn existing_and_missing_keys_are_told_apart_inside_transactions_too() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    for (connections, commit_every) in [(1, 1), (8, 100)] {
        let files = files();
        let phases = exists_and_missing_phases(|phase| Phase { connections, commit_every, ..phase });
        let mut driver =
            Driver::start(&job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
        exists_and_missing(&mut driver);
    }
}

#[test]
fn tables_of_others_stay() {
    let Some(server) = Server::postgres(&[]) else { return };
    let mut other = control(&server);
    other.batch_execute("CREATE TABLE ns2 (id int); INSERT INTO ns2 VALUES (7); CREATE TABLE \"NS\" (id int)").unwrap();
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS)];
    let mut driver = Driver::start(&job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.ask(CallName::Create);
    driver.go_well("load");
    driver.ask(CallName::Create);
    assert_eq!(driver.rows(), 0);
    driver.ask(CallName::Reset);
    let tables = other.query_one(
        "SELECT array_agg(tablename::text ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'",
        &[],
    );
    assert_eq!(tables.unwrap().get::<_, Vec<String>>(0), ["NS", "ns2"]);
    assert_eq!(other.query_one("SELECT id FROM ns2", &[]).unwrap().get::<_, i32>(0), 7);
}

#[test]
fn an_error_in_a_transaction_loses_that_transaction_and_no_other() {
    let Some(server) = Server::postgres(&[]) else { return };
    let files = files();
    let phases = vec![
        phase("load", Load::Row, ROWS),
        Phase { commit_every: 10, ..phase("update", Action::Update, ROWS) },
        phase("read", Action::Read, ROWS),
    ];
    let mut driver = Driver::start(&job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.ask(CallName::Create);
    driver.go_well("load");
    control(&server).batch_execute("ALTER TABLE ns ADD CHECK (id <> 57 OR value LIKE '%:0000000000:%')").unwrap();
    let updated = driver.go("update");
    assert_eq!(updated.checks.failed(), 0, "{:?}", updated.checks);
    let words: Vec<&str> = updated.failures.iter().map(|failed| failed.message.as_str()).collect();
    assert!(words.iter().any(|words| words.contains("SQLSTATE 23514")), "{words:?}");
    assert!(words.iter().any(|words| words.contains("rolled back")), "{words:?}");
    let read = driver.go("read");
    assert_eq!((read.checks.failed(), read.failures.len()), (0, 0), "{:?}", read.checks);
    let query = "SELECT count(*) FROM ns WHERE value LIKE '%:0000000000:%'";
    // Rows 50 to 57 of the transaction that failed; 58 and later ones started a new one.
    assert_eq!(control(&server).query_one(query, &[]).unwrap().get::<_, i64>(0), 8);
}

#[test]
fn an_operation_that_takes_too_long_is_a_timeout() {
    let Some(server) = Server::postgres(&[]) else { return };
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS), phase("update", Action::Update, 1)];
    let mut job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
    job.limits.operation_ns = 300_000_000;
    let mut driver = Driver::start(&job);
    driver.ask(CallName::Create);
    driver.go_well("load");
    let mut other = control(&server);
    let mut lock = other.transaction().unwrap();
    lock.batch_execute("SELECT * FROM ns WHERE id = 0 FOR UPDATE").unwrap();
    let result = driver.go("update");
    assert_eq!(result.failures[0].message, "no answer within the time limit");
}

#[test]
fn a_server_killed_in_mid_phase_gives_failures() {
    for connections in [1, 8] {
        let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), endless(connections, 1)];
        let mut driver =
            Driver::start(&job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
        driver.ask(CallName::Create);
        driver.go_well("load");
        killed_in_mid_phase(&mut driver, server);
    }
}

#[test]
fn a_unix_socket_and_a_session_setting_work() {
    let Some(server) = Server::postgres(&[]) else { return };
    let url = format!("postgresql://postgres@/postgres?host={}&port={}", server.folder().display(), server.port);
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
    let mut job = job("postgres", &url, files.path(), seven_columns(), ROWS, phases.clone());
    job.settings.insert("synchronous_commit".into(), "off".into());
    let mut driver = Driver::start(&job);
    driver.ask(CallName::Create);
    run_all(&mut driver, &phases);
    let settings = driver.ask(CallName::Settings);
    assert_eq!((&settings["synchronous_commit"], &settings["fsync"]), (&"off".into(), &"on".into()));
}

#[test]
fn calls_tell_what_the_server_tells() {
    let Some(server) = Server::postgres(&[]) else { return };
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS)];
    let mut driver = Driver::start(&job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
    assert_eq!(driver.ask(CallName::Ping), true);
    assert!(driver.ask(CallName::Info)["version"].as_str().expect("a version").contains('.'));
    assert_eq!(driver.ask(CallName::Settings)["max_connections"], "300");
    driver.ask(CallName::Create);
    driver.go_well("load");
    assert!(driver.ask(CallName::Size)["bytes"].as_u64().expect("a size") > 100 * ROWS);
    assert_eq!(driver.call(CallName::Check), ReplyOutcome::Unsupported);
}
