use kurabe_protocol::{Action, CallName, Load, Phase, ReplyOutcome, Schema};

use super::common::{Driver, Server, files, job, operations, phase, seven_columns};
use super::{
    ROWS, endless, exists_and_missing, exists_and_missing_phases, killed_in_mid_phase, run_all, works_with_few_rights,
};

#[test]
fn every_operation_is_right_with_the_key_in_any_place() {
    let Some(server) = Server::mongodb(&[]) else { return };
    for (variant, connections) in
        [("id", 1), ("id", 50), ("indexed-before", 8), ("indexed-after", 1), ("indexed-after", 8)]
    {
        for schema in [Schema::key_value(100), seven_columns()] {
            let files = files();
            let phases = super::single_row_phases(files.path(), |phase| Phase { connections, ..phase });
            let mut job = job("mongodb", &server.url, files.path(), schema, ROWS, phases.clone());
            job.candidate.variant = Some(variant.into());
            let mut driver = Driver::start(&job);
            driver.ask(CallName::Create);
            run_all(&mut driver, &phases);
            driver.ask(CallName::Reset);
            assert_eq!(driver.stop(), 0);
        }
    }
}

#[test]
fn the_index_after_the_load_is_there_when_the_load_has_ended_and_no_sooner() {
    let Some(server) = Server::mongodb(&[]) else { return };
    let loads = [(Load::Row, 1), (Load::Row, 8), (Load::Batch { rows: 300 }, 1), (Load::Batch { rows: 300 }, 8)];
    for (load, connections) in loads {
        let files = files();
        let load = Phase { connections, ..phase("load", load, ROWS) };
        let mut job = job("mongodb", &server.url, files.path(), Schema::key_value(100), ROWS, vec![load]);
        job.candidate.variant = Some("indexed-after".into());
        let mut driver = Driver::start(&job);
        // A second load into the same client counts from nothing again.
        for _ in 0..2 {
            driver.ask(CallName::Create);
            assert_eq!(driver.ask(CallName::Settings)["key_index"], "none");
            assert_eq!(operations(&driver.go_well("load")), ROWS);
            assert_eq!(driver.ask(CallName::Settings)["key_index"], "unique");
            assert_eq!(driver.rows(), ROWS);
        }
    }
}

#[test]
fn existing_and_missing_keys_are_told_apart() {
    let Some(server) = Server::mongodb(&[]) else { return };
    for (variant, connections) in [("id", 8), ("indexed-after", 1)] {
        let files = files();
        let phases = exists_and_missing_phases(|phase| Phase { connections, ..phase });
        let mut job = job("mongodb", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
        job.candidate.variant = Some(variant.into());
        exists_and_missing(&mut Driver::start(&job));
    }
}

#[test]
fn what_is_acknowledged_is_what_was_asked_for() {
    let Some(server) = Server::mongodb(&[]) else { return };
    // Rows of one load are synced one by one, or hardly at all; without a word it is as with w1.
    for (concern, told) in [(Some("w1"), "w1"), (Some("journaled"), "journaled"), (None, "w1")] {
        let files = files();
        let load = phase("load", Load::Row, ROWS);
        let mut job = job("mongodb", &server.url, files.path(), Schema::key_value(100), ROWS, vec![load]);
        job.settings.extend(concern.map(|concern| ("write_concern".to_string(), concern.to_string())));
        let mut driver = Driver::start(&job);
        driver.ask(CallName::Create);
        assert_eq!(driver.ask(CallName::Settings)["write_concern"], told);
        let syncs = || -> u64 { driver_syncs(&server) };
        let before = syncs();
        driver.go_well("load");
        let synced = syncs() - before;
        assert_eq!(synced >= ROWS, told == "journaled", "{synced} syncs for {ROWS} rows with {concern:?}");
    }
}

/// How often the server synced its journal.
fn driver_syncs(server: &Server) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = mongodb::Client::with_uri_str(&server.url).await.expect("an address");
        let status = client.database("admin").run_command(mongodb::bson::doc! { "serverStatus": 1 }).await;
        let status = status.expect("an answer");
        let log = status.get_document("wiredTiger").and_then(|tiger| tiger.get_document("log")).expect("a log");
        let syncs = log.get("log sync operations").expect("a number");
        syncs.as_i64().or(syncs.as_i32().map(i64::from)).expect("a whole number") as u64
    })
}

#[test]
fn a_unix_socket_works() {
    let Some(server) = Server::mongodb(&[]) else { return };
    let url = format!("mongodb://{}/mongodb-{}.sock", server.folder().display(), server.port);
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
    let mut driver = Driver::start(&job("mongodb", &url, files.path(), Schema::key_value(100), ROWS, phases.clone()));
    driver.ask(CallName::Create);
    run_all(&mut driver, &phases);
}

#[test]
fn a_server_killed_in_mid_phase_is_an_error_in_words() {
    let Some(server) = Server::mongodb(&[]) else { return };
    let files = files();
    let phases = vec![phase("load", Load::Row, ROWS), endless(8, 1)];
    let mut driver = Driver::start(&job("mongodb", &server.url, files.path(), Schema::key_value(100), ROWS, phases));
    driver.ask(CallName::Create);
    driver.go_well("load");
    killed_in_mid_phase(&mut driver, server);
}

/// A command of whoever the address names.
fn command(url: &str, database: &str, command: mongodb::bson::Document) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = mongodb::Client::with_uri_str(url).await.unwrap();
        client.database(database).run_command(command).await.unwrap();
    });
}

#[test]
fn with_the_role_read_write_all_works_but_what_is_told_of_the_server() {
    use mongodb::bson::doc;
    let Some(server) = Server::mongodb(&["--auth"]) else { return };
    let address = |login: &str, database: &str| {
        let auth = if login.is_empty() { "" } else { "&authSource=admin" };
        format!("mongodb://{login}127.0.0.1:{}/{database}?directConnection=true{auth}", server.port)
    };
    // The first user may be made by anybody on this machine.
    let root = doc! { "createUser": "root", "pwd": "r00t-word", "roles": ["root"] };
    command(&address("", ""), "admin", root);
    let few = doc! { "createUser": "few", "pwd": "s3cret-word", "roles": [{ "role": "readWrite", "db": "mine" }] };
    command(&address("root:r00t-word@", ""), "admin", few);
    works_with_few_rights("mongodb", &address("few:s3cret-word@", "mine"), |driver| {
        let settings = driver.reply(CallName::Settings);
        assert!(settings.absent.concat().contains("serverStatus"), "{settings:?}");
        let ReplyOutcome::Ok(texts) = settings.outcome else { panic!("{settings:?}") };
        assert_eq!((&texts["key_index"], &texts["write_concern"]), (&"none".into(), &"w1".into()));
        driver.assert_absent(CallName::Size, "fsync", "few");
    });
}

#[test]
fn the_size_holds_what_was_just_written() {
    let Some(server) = Server::mongodb(&[]) else { return };
    let files = files();
    let load = phase("load", Load::Row, ROWS);
    // Half of the filler is random, which the store cannot pack.
    let job = job("mongodb", &server.url, files.path(), Schema::key_value(1000), ROWS, vec![load]);
    let mut driver = Driver::start(&job);
    driver.ask(CallName::Create);
    driver.go_well("load");
    let bytes = driver.ask(CallName::Size)["bytes"].as_u64().expect("a size");
    assert!(bytes > 400 * ROWS, "{bytes} bytes for {ROWS} rows of 1,000");
}
