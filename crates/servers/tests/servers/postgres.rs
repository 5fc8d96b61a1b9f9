use kurabe_protocol::{Action, CallName, Command, Event, Load, Phase, ReadScope, ReplyOutcome, Schema};
use postgres::{Client, NoTls};

use super::common::{Driver, Server, files, job, operations, phase, seven_columns};
use super::{ROWS, endless, exists_and_missing, exists_and_missing_phases, killed_in_mid_phase, run_all};

/// The usual driver, and the one that takes depth.
const DRIVERS: [Option<&str>; 2] = [None, Some("pipelined")];

fn control(server: &Server) -> Client {
    Client::connect(&server.url, NoTls).expect("a connection")
}

#[test]
fn every_operation_is_right_with_any_number_of_connections_and_any_commit() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    let shapes = [(1, 1), (8, 1), (50, 1), (1, 100), (8, 100), (50, 100)];
    let drivers =
        DRIVERS.into_iter().flat_map(|driver| [Schema::key_value(100), seven_columns()].map(|one| (driver, one)));
    for (driver, schema) in drivers {
        for (connections, commit_every) in shapes {
            let files = files();
            let shape = |phase| Phase { connections, commit_every, ..phase };
            let mut phases = super::single_row_phases(files.path(), shape);
            let snapshot = Phase { read_scope: ReadScope::Snapshot, ..phase("snapshot", Action::Read, 1000) };
            let latest = phase("latest", Action::Latest { rows: 100 }, 8);
            phases.extend([snapshot, phase("scan", Action::Scan, 2), latest].map(shape_keeping(connections)));
            let job = job("postgres", &server.url, files.path(), schema.clone(), ROWS, phases.clone());
            let mut driver = Driver::start_by(&job, driver);
            driver.ask(CallName::Create);
            run_all(&mut driver, &phases);
            driver.ask(CallName::Reset);
            assert_eq!(driver.stop(), 0);
        }
    }
}

#[test]
fn every_operation_is_right_with_any_depth_and_any_batch() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    for (connections, depth, batch, commit_every) in
        [(1, 16, 1, 1), (8, 16, 1, 1), (50, 16, 1, 1), (1, 1, 16, 1), (8, 1, 16, 1), (8, 16, 1, 10), (1, 1, 16, 100)]
    {
        let files = files();
        let shape = |phase| Phase { connections, depth, batch, commit_every, ..phase };
        let phases = super::single_row_phases(files.path(), shape);
        let job = job("postgres", &server.url, files.path(), seven_columns(), ROWS, phases.clone());
        let mut driver = Driver::start_by(&job, DRIVERS[1]);
        driver.ask(CallName::Create);
        run_all(&mut driver, &phases);
        assert_eq!(driver.stop(), 0);
    }
}

#[test]
fn a_transaction_that_is_lost_in_mid_pipeline_accuses_nobody() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    for (depth, batch, connections) in [(16, 1, 1), (1, 16, 1), (4, 1, 8), (16, 1, 8)] {
        let files = files();
        let phases = vec![
            phase("load", Load::Row, ROWS),
            Phase { depth, batch, connections, commit_every: 10, ..phase("update", Action::Update, ROWS) },
            Phase { depth, ..phase("read", Action::Read, ROWS) },
        ];
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start_by(&job, DRIVERS[1]);
        driver.ask(CallName::Create);
        driver.go_well("load");
        let check = "ALTER TABLE ns ADD CHECK (id % 41 <> 7 OR value LIKE '%:0000000000:%')";
        control(&server).batch_execute(check).unwrap();
        let updated = driver.go("update");
        assert!(updated.failures.iter().any(|failed| failed.message.contains("rolled back")), "{:?}", updated.failures);
        assert_eq!(updated.checks.failed(), 0, "{:?}", updated.checks);
        let read = driver.go("read");
        assert_eq!((read.checks.failed(), read.failures.len()), (0, 0), "{:?}", read.checks);
    }
}

#[test]
fn errors_in_mid_pipeline_are_those_of_their_operations_and_no_others() {
    let Some(server) = Server::postgres(&[]) else { return };
    for (driver, depth, batch) in [(None, 1, 1), (DRIVERS[1], 16, 1), (DRIVERS[1], 1, 16)] {
        let files = files();
        let phases = vec![
            phase("load", Load::Row, ROWS),
            Phase { depth, batch, ..phase("update", Action::Update, ROWS) },
            Phase { depth, ..phase("read", Action::Read, ROWS) },
        ];
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start_by(&job, driver);
        driver.ask(CallName::Create);
        driver.go_well("load");
        // Notices come with every update too.
        let notice = "CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
                      $$ BEGIN RAISE WARNING 'row %', NEW.id; RETURN NEW; END $$; \
                      CREATE TRIGGER note BEFORE UPDATE ON ns FOR EACH ROW EXECUTE FUNCTION note();";
        control(&server).batch_execute(notice).unwrap();
        let check = "ALTER TABLE ns ADD CHECK (id % 100 <> 57 OR value LIKE '%:0000000000:%')";
        control(&server).batch_execute(check).unwrap();
        let updated = driver.go("update");
        assert_eq!(updated.checks.failed(), 0, "{:?}", updated.checks);
        assert_eq!((updated.failures.len(), updated.failures[0].count), (1, ROWS / 100), "{:?}", updated.failures);
        assert!(updated.failures[0].message.contains("SQLSTATE 23514"), "{:?}", updated.failures);
        driver.go_well("read");
    }
}

#[test]
fn a_password_is_shown_in_each_way_that_a_server_may_want() {
    for way in ["scram-sha-256", "md5", "password"] {
        let encryption = if way == "md5" { "md5" } else { "scram-sha-256" };
        let Some(server) = Server::postgres(&["-c", &format!("password_encryption={encryption}")]) else { return };
        let user = "CREATE USER shy PASSWORD 'se''cret'; GRANT ALL ON SCHEMA public TO shy";
        control(&server).batch_execute(user).unwrap();
        server.let_in("shy", way);
        control(&server).batch_execute("SELECT pg_reload_conf()").unwrap();
        for (driver, password) in [(None, "se%27cret"), (DRIVERS[1], "se%27cret"), (None, "wrong")] {
            let url = server.url.replace("postgres@", &format!("shy:{password}@"));
            let files = files();
            let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
            let job = job("postgres", &url, files.path(), Schema::key_value(100), ROWS, phases.clone());
            let mut driver = Driver::start_by(&job, driver);
            if password == "wrong" {
                let ReplyOutcome::Error(words) = driver.call(CallName::Create) else { panic!("let in by {way}") };
                assert!(words.contains("password authentication failed"), "{words}");
                continue;
            }
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
    let drivers =
        DRIVERS.into_iter().flat_map(|driver| [Schema::key_value(100), seven_columns()].map(|one| (driver, one)));
    for (driver, schema) in drivers {
        for load in [Load::Batch { rows: 1 }, Load::Batch { rows: 333 }, Load::Bulk { rows: 500 }] {
            for connections in [1, 8] {
                let files = files();
                let load = Phase { connections, ..phase("load", load, ROWS) };
                let scan = phase("scan", Action::Scan, 1);
                let job = job("postgres", &server.url, files.path(), schema.clone(), ROWS, vec![load, scan]);
                let mut driver = Driver::start_by(&job, driver);
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
    for (driver, connections, commit_every) in DRIVERS.into_iter().flat_map(|driver| [(driver, 1, 1), (driver, 8, 100)])
    {
        let files = files();
        let phases = exists_and_missing_phases(|phase| Phase { connections, commit_every, ..phase });
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start_by(&job, driver);
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
    DRIVERS.into_iter().for_each(|driver| one_transaction_is_lost(&server, driver));
}

fn one_transaction_is_lost(server: &Server, driver: Option<&str>) {
    let files = files();
    let phases = vec![
        phase("load", Load::Row, ROWS),
        Phase { commit_every: 10, ..phase("update", Action::Update, ROWS) },
        phase("read", Action::Read, ROWS),
    ];
    let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
    let mut driver = Driver::start_by(&job, driver);
    driver.ask(CallName::Create);
    driver.go_well("load");
    control(server).batch_execute("ALTER TABLE ns ADD CHECK (id <> 57 OR value LIKE '%:0000000000:%')").unwrap();
    let updated = driver.go("update");
    assert_eq!(updated.checks.failed(), 0, "{:?}", updated.checks);
    let words: Vec<&str> = updated.failures.iter().map(|failed| failed.message.as_str()).collect();
    assert!(words.iter().any(|words| words.contains("SQLSTATE 23514")), "{words:?}");
    assert!(words.iter().any(|words| words.contains("rolled back")), "{words:?}");
    let read = driver.go("read");
    assert_eq!((read.checks.failed(), read.failures.len()), (0, 0), "{:?}", read.checks);
    let query = "SELECT count(*) FROM ns WHERE value LIKE '%:0000000000:%'";
    // Rows 50 to 57 of the transaction that failed; 58 and later ones started a new one.
    assert_eq!(control(server).query_one(query, &[]).unwrap().get::<_, i64>(0), 8);
}

#[test]
fn an_operation_that_takes_too_long_is_a_timeout() {
    let Some(server) = Server::postgres(&[]) else { return };
    for driver in DRIVERS {
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), phase("update", Action::Update, 1)];
        let mut job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        job.limits.operation_ns = 300_000_000;
        let mut driver = Driver::start_by(&job, driver);
        driver.ask(CallName::Create);
        driver.go_well("load");
        let mut other = control(&server);
        let mut lock = other.transaction().unwrap();
        lock.batch_execute("SELECT * FROM ns WHERE id = 0 FOR UPDATE").unwrap();
        let result = driver.go("update");
        assert_eq!(result.failures[0].message, "no answer within the time limit");
    }
}

#[test]
fn a_server_killed_in_mid_phase_gives_failures() {
    let pipelined = DRIVERS[1];
    for (driver, connections, depth) in
        [(None, 1, 1), (None, 8, 1), (pipelined, 1, 1), (pipelined, 8, 1), (pipelined, 8, 16)]
    {
        let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), endless(connections, depth)];
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start_by(&job, driver);
        driver.ask(CallName::Create);
        driver.go_well("load");
        killed_in_mid_phase(&mut driver, server);
    }
}

#[test]
fn a_session_that_the_server_ends_is_told_in_its_words() {
    let Some(server) = Server::postgres(&[]) else { return };
    for (driver, depth) in [(None, 1), (DRIVERS[1], 1), (DRIVERS[1], 16)] {
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), endless(4, depth)];
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut client = Driver::start_by(&job, driver);
        client.ask(CallName::Create);
        client.go_well("load");
        client.say(&Command::Go("endless".into()));
        client.await_progress();
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kurabe'";
        control(&server).query(end, &[]).unwrap();
        let Event::Result(result) = client.event() else { panic!("no result") };
        let ended = "connection lost: terminating connection due to administrator command (SQLSTATE 57P01)";
        // Where a connection is reset the server's words are lost with it: those of the other sessions are there.
        let told = result.failures.iter().any(|failed| failed.message == ended)
            && result.failures.iter().all(|failed| failed.message.starts_with("connection lost: "));
        assert!(told, "{:?}", result.failures);
        assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
    }
}

#[test]
fn more_connections_than_the_server_takes_are_refused_in_its_words() {
    let Some(server) = Server::postgres(&["-c", "max_connections=20"]) else { return };
    for driver in DRIVERS {
        let files = files();
        let phases =
            vec![phase("load", Load::Row, ROWS), Phase { connections: 50, ..phase("read", Action::Read, ROWS) }];
        let job = job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        let mut driver = Driver::start_by(&job, driver);
        driver.ask(CallName::Create);
        driver.go_well("load");
        driver.say(&Command::Go("read".into()));
        let Event::Error { message } = driver.event() else { panic!("no error") };
        assert!(message.contains("SQLSTATE 53300"), "{message}");
    }
}

#[test]
fn values_larger_than_every_buffer_arrive_whole() {
    let Some(server) = Server::postgres(&["-c", "fsync=off"]) else { return };
    let loads = [Load::Row, Load::Batch { rows: 3 }, Load::Bulk { rows: 3 }];
    for (load, pipelined) in loads.into_iter().flat_map(|load| [(load, false), (load, true)]) {
        let many = if pipelined { 4 } else { 1 };
        let files = files();
        let phases = vec![
            Phase { connections: 2, ..phase("load", load, 16) },
            Phase { connections: 2, depth: many, ..phase("update", Action::Update, 16) },
            Phase { connections: 2, batch: many, ..phase("read", Action::Read, 32) },
            phase("many", Action::MultiRead { rows: 5 }, 4),
            Phase { connections: 2, ..phase("scan", Action::Scan, 4) },
        ];
        let schema = Schema::key_value(1_500_000);
        let job = job("postgres", &server.url, files.path(), schema, 16, phases.clone());
        let mut driver = Driver::start_by(&job, pipelined.then_some("pipelined"));
        driver.ask(CallName::Create);
        run_all(&mut driver, &phases);
        assert_eq!(driver.stop(), 0);
    }
}

#[test]
fn a_unix_socket_and_a_session_setting_work() {
    let Some(server) = Server::postgres(&[]) else { return };
    for driver in DRIVERS {
        let url = format!("postgresql://postgres@/postgres?host={}&port={}", server.folder().display(), server.port);
        let files = files();
        let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
        let mut job = job("postgres", &url, files.path(), seven_columns(), ROWS, phases.clone());
        job.settings.insert("synchronous_commit".into(), "off".into());
        let mut driver = Driver::start_by(&job, driver);
        driver.ask(CallName::Create);
        run_all(&mut driver, &phases);
        let settings = driver.ask(CallName::Settings);
        assert_eq!((&settings["synchronous_commit"], &settings["fsync"]), (&"off".into(), &"on".into()));
    }
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
