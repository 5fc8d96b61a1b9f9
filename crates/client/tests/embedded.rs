//! Embedded stores through the real client process and the real loops: every operation, every
//! durability setting, every answer checked.

mod driver;

use std::collections::BTreeMap;

use driver::{Client, Files, job, library_of, mix, phase};
use kurabe_protocol::{
    CallName, Capabilities, Distribution, Field, FieldType, InsertMode, LoadPath, Operation, Phase, ReadScope, Schema,
};

const ROWS: u64 = 2_000;

/// Stores of this test and the features that they need.
const STORES: [(&str, bool); 8] = [
    ("echo", true),
    ("map", true),
    ("file", true),
    ("sqlite", cfg!(feature = "sqlite")),
    ("lmdb", cfg!(feature = "lmdb")),
    ("leveldb", cfg!(feature = "leveldb")),
    ("rocksdb", cfg!(feature = "rocksdb")),
    ("duckdb", cfg!(feature = "duckdb")),
];

fn stores() -> impl Iterator<Item = &'static str> {
    STORES.into_iter().filter(|(name, built)| *built && is_installed(name)).map(|(name, _)| name)
}

/// Whether the library of a store that opens one is on this machine; where all must be, none is left out.
fn is_installed(store: &str) -> bool {
    let Err(missing) = library_of(store) else { return true };
    assert!(std::env::var_os("KURABE_REQUIRE_STORES").is_none(), "{missing}");
    eprintln!("skipped: {missing}");
    false
}

#[test]
#[ignore = "no test: the client that the other tests start"]
fn client_process() {
    assert!(std::env::var_os("KURABE_TEST_CLIENT").is_some(), "only started by the other tests");
    std::process::exit(kurabe_client::serve(&kurabe_client::stores::registry()));
}

/// Seven columns of all types under a text key, one of them too short to carry a version.
fn table() -> Schema {
    let field = Field::new;
    Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("author", FieldType::Text, Some(30)),
            field("flags", FieldType::Int64, None),
            field("title", FieldType::Text, Some(60)),
            field("digest", FieldType::Bytes, Some(32)),
            field("kind", FieldType::Text, Some(4)),
            field("body", FieldType::Text, Some(400)),
        ],
    }
}

/// Phases that do everything; `rows` is what exists after each, where that is known beforehand.
fn everything(connections: u32, commit_every: u32, insert: InsertMode) -> Vec<(Phase, Option<u64>)> {
    let read = |distribution| {
        let mut read = phase(&format!("read-{distribution:?}"), Operation::Read, 2 * ROWS, connections);
        read.distribution = distribution;
        read.rows_stream = Files::get().rows(distribution, ROWS);
        (read, Some(ROWS))
    };
    let many = |name: &str, operation, rows| {
        let mut many = phase(name, operation, 2 * u64::from(connections), connections);
        many.latest_rows = Some(100);
        (many, rows)
    };
    let write = |name: &str, operation, count, first_row, rows| {
        let mut write = phase(name, operation, count, connections);
        write.first_row = first_row;
        (write, Some(rows))
    };
    let mut update = write("update", Operation::Update, 400, 0, ROWS + 400);
    update.0.distribution = Distribution::Zipfian;
    update.0.rows_stream = Files::get().rows(Distribution::Zipfian, ROWS);
    let parts = [(Operation::Read, 50), (Operation::Update, 20), (Operation::Insert, 20), (Operation::Delete, 10)];
    let mut mixed = mix("mix", &parts, 400, connections);
    mixed.rows_stream = Files::get().rows(Distribution::Uniform, ROWS);
    mixed.first_row = ROWS + 400;
    let mut phases = vec![
        write("load", Operation::Load, ROWS, 0, ROWS),
        read(Distribution::Sequential),
        read(Distribution::Uniform),
        read(Distribution::Zipfian),
        many("scan-loaded", Operation::Scan, Some(ROWS)),
        many("latest-loaded", Operation::Latest, Some(ROWS)),
        write("insert", Operation::Insert, 400, ROWS, ROWS + 400),
        update,
        write("delete", Operation::Delete, 200, 0, ROWS + 200),
        write("delete-missing", Operation::Delete, 40, 0, ROWS + 200),
        write("update-missing", Operation::Update, 40, 0, ROWS + 200),
        many("scan", Operation::Scan, Some(ROWS + 200)),
        many("latest", Operation::Latest, Some(ROWS + 200)),
        (mixed, None),
        many("scan-mixed", Operation::Scan, None),
        many("latest-mixed", Operation::Latest, None),
    ];
    if insert == InsertMode::Exists {
        phases.push((write("insert-existing", Operation::Insert, 40, 1_000, 0).0, None));
    }
    phases.iter_mut().for_each(|(phase, _)| phase.commit_every = commit_every);
    phases
}

fn rows_counted(client: &mut Client) -> Option<u64> {
    client.call(CallName::Count).map(|reply| reply["rows"].as_u64().expect("a number"))
}

/// Settings under which thousands of commits take little time. What the dearer ones do is the
/// business of another test; rows must be right with all of them.
fn cheap(store: &str) -> BTreeMap<String, String> {
    let settings: &[(&str, &str)] = match store {
        "sqlite" => &[("journal_mode", "wal"), ("synchronous", "normal")],
        "lmdb" => &[("flags", "nosync")],
        _ => &[],
    };
    settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

fn does_everything(store: &str, schema: &Schema, connections: u32, commit_every: u32) {
    let insert = match store {
        "file" | "leveldb" | "rocksdb" => InsertMode::Upsert,
        _ => InsertMode::Exists,
    };
    let phases = everything(connections, commit_every, insert);
    let dir = tempfile::tempdir().expect("a folder");
    let mut job = job(store, schema, ROWS, dir.path(), phases.iter().map(|(phase, _)| phase.clone()).collect());
    job.settings.extend(cheap(store));
    let mut client = Client::start(&job);
    assert_eq!(client.hello.capabilities.insert, insert);
    assert_eq!(client.call(CallName::Ping), Some(true.into()));
    assert_eq!(client.call(CallName::Create), Some(true.into()));
    for (phase, rows) in &phases {
        let result = client.run(phase);
        assert_eq!(rows.unwrap_or(result.rows_present), result.rows_present, "{store}: phase '{}'", phase.name);
        if let Some(counted) = rows_counted(&mut client) {
            assert_eq!(counted, result.rows_present, "{store}: rows after phase '{}'", phase.name);
        }
        if phase.operation == Operation::Scan {
            assert_eq!(result.rows_read, result.rows_present * phase.count.expect("a count"), "{store}");
        }
        if phase.operation == Operation::Latest {
            assert_eq!(result.rows_read, 100 * phase.count.expect("a count"), "{store}");
        }
    }
    if let Some(check) = client.call(CallName::Check) {
        assert_eq!(check["sound"], true, "{store}: {check}");
    }
    assert_eq!(client.call(CallName::Reset), Some(true.into()));
    client.stop();
}

fn every_store_does_everything(schema: &Schema, commit_every: u32) {
    for store in stores() {
        for connections in [1, 4] {
            does_everything(store, schema, connections, commit_every);
        }
    }
}

#[test]
fn key_value_rows_are_right_with_a_commit_for_each_write() {
    every_store_does_everything(&Schema::key_value(100), 1);
}

#[test]
fn key_value_rows_are_right_with_a_commit_every_hundred_writes() {
    every_store_does_everything(&Schema::key_value(100), 100);
}

#[test]
fn rows_of_seven_columns_under_a_text_key_are_right_with_a_commit_for_each_write() {
    every_store_does_everything(&table(), 1);
}

#[test]
fn rows_of_seven_columns_under_a_text_key_are_right_with_a_commit_every_hundred_writes() {
    every_store_does_everything(&table(), 100);
}

#[test]
fn batches_and_snapshots_work_where_a_store_has_them() {
    for store in stores() {
        for (schema, connections) in [(Schema::key_value(100), 1), (table(), 4)] {
            let mut load = phase("load", Operation::Load, ROWS, connections);
            (load.load_path, load.batch_rows) = (LoadPath::Batch, 64);
            let mut read = phase("read", Operation::Read, 2 * ROWS, connections);
            read.read_scope = ReadScope::Snapshot;
            read.rows_stream = Files::get().rows(Distribution::Uniform, ROWS);
            let scan = phase("scan", Operation::Scan, u64::from(connections), connections);
            let dir = tempfile::tempdir().expect("a folder");
            let job = job(store, &schema, ROWS, dir.path(), vec![load.clone(), read.clone(), scan.clone()]);
            let mut client = Client::start(&job);
            let Capabilities { load_paths, read_scopes, .. } = client.hello.capabilities.clone();
            assert!(load_paths.contains(&LoadPath::Batch), "{store}");
            client.call(CallName::Create);
            client.run(&load);
            if read_scopes.contains(&ReadScope::Snapshot) {
                client.run(&read);
            }
            let result = client.run(&scan);
            assert_eq!(result.rows_read, ROWS * u64::from(connections), "{store}");
            client.stop();
        }
    }
}

/// A store's descriptor, as far as this test needs it.
fn descriptor(store: &str) -> toml::Table {
    let path = format!("{}/../../stores/{store}/store.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).expect("a descriptor").parse().expect("TOML")
}

fn texts(entry: &toml::Value, key: &str) -> BTreeMap<String, String> {
    let table = entry.get(key).and_then(toml::Value::as_table).cloned().unwrap_or_default();
    table.into_iter().map(|(name, value)| (name, value.as_str().expect("a text").to_string())).collect()
}

#[test]
fn every_durability_setting_of_every_descriptor_is_what_the_live_store_reports() {
    for store in stores() {
        let descriptor = descriptor(store);
        let entries = |key: &str| descriptor.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for durability in entries("durability") {
            let all = [vec![durability.clone()], entries("setting")].concat();
            let collect = |key: &str| all.iter().flat_map(|entry| texts(entry, key)).collect::<BTreeMap<_, _>>();
            let mut load = phase("load", Operation::Load, 80, 4);
            load.commit_every = 10;
            let update = phase("update", Operation::Update, 40, 4);
            let dir = tempfile::tempdir().expect("a folder");
            let mut job = job(store, &Schema::key_value(100), 80, dir.path(), vec![load.clone(), update.clone()]);
            job.settings.extend(collect("settings"));
            let mut client = Client::start(&job);
            client.call(CallName::Create);
            client.run(&load);
            client.run(&update);
            let expected = collect("expect");
            if let Some(live) = client.call(CallName::Settings) {
                for (name, value) in &expected {
                    assert_eq!(live[name], value.as_str(), "{store}, durability {}: {name}", durability["name"]);
                }
            } else {
                assert!(expected.is_empty(), "{store} cannot report its settings");
            }
            client.stop();
        }
    }
}

#[test]
fn rows_are_there_for_the_next_process() {
    for store in stores().filter(|store| !["echo", "map"].contains(store)) {
        let load = phase("load", Operation::Load, ROWS, 4);
        let phases = vec![
            load.clone(),
            phase("read", Operation::Read, ROWS, 4),
            phase("scan", Operation::Scan, 1, 1),
            { Phase { latest_rows: Some(50), ..phase("latest", Operation::Latest, 1, 1) } },
            Phase { commit_every: 10, ..phase("update", Operation::Update, 40, 4) },
        ];
        let dir = tempfile::tempdir().expect("a folder");
        let mut job = job(store, &table(), ROWS, dir.path(), phases.clone());
        if store == "file" {
            job.settings.insert("sync".into(), "buffered".into());
        }
        let mut first = Client::start(&job);
        first.call(CallName::Create);
        first.run(&load);
        first.stop();
        let mut second = Client::start(&job);
        assert_eq!(rows_counted(&mut second), Some(ROWS), "{store}");
        phases[1..].iter().for_each(|phase| {
            second.run(phase);
        });
        assert!(second.call(CallName::Size).expect("a size")["bytes"].as_u64() > Some(ROWS * 400), "{store}");
        second.stop();
    }
}

#[test]
fn settings_that_a_store_does_not_have_are_refused_by_name() {
    for store in stores().filter(|store| !["echo", "map"].contains(store)) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut job = job(store, &Schema::key_value(100), 4, dir.path(), Vec::new());
        job.settings.insert("speed".into(), "more".into());
        let refused = std::panic::catch_unwind(|| Client::start(&job)).err().expect("refused");
        let message = refused.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(message.contains("no setting 'speed'"), "{store}: {message}");
    }
}
