//! Embedded stores through the real client process and the real loops: every operation, every
//! durability setting, every answer checked.

mod driver;

use std::collections::BTreeMap;

use driver::{Client, Files, job, mix, phase};
use kurabe_client::Entry;
use kurabe_protocol::{
    Action, CallName, Capabilities, Distribution, Field, FieldType, InsertMode, Load, LoadPath, Loading, Operation,
    Phase, PhaseResult, ReadScope, Schema, Search, SearchRange, Work,
};

const ROWS: u64 = 2_000;

/// Baselines and libraries.
fn registry() -> Vec<Entry> {
    kurabe_client::baselines::registry().into_iter().chain(kurabe_embedded::registry()).collect()
}

/// Every store that is compiled into this client, as the descriptors say; there is no list of names. Libraries opened
/// at run time and servers go through the conformance suite, as these do too.
fn stores() -> impl Iterator<Item = &'static str> {
    let compiled_in = |name: &&str| descriptor(name)["install"]["probe"].as_str() == Some("builtin");
    registry().into_iter().map(|entry| entry.name).filter(compiled_in)
}

/// Those that keep what they are given.
fn real_stores() -> impl Iterator<Item = &'static str> {
    stores().filter(|store| descriptor(store)["kind"].as_str() == Some("store"))
}

#[test]
#[ignore = "no test: the client that the other tests start"]
fn client_process() {
    assert!(std::env::var_os("KURABE_TEST_CLIENT").is_some(), "only started by the other tests");
    std::process::exit(kurabe_client::serve(&registry(), None));
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

/// A phase, and how many rows exist after it where that is known beforehand.
type Known = (Phase, Option<u64>);

fn drawn(mut phase: Phase, distribution: Distribution, rows: Option<u64>) -> Known {
    phase.distribution = distribution;
    phase.rows_stream = Files::get().rows(distribution, ROWS);
    (phase, rows)
}

/// A search, where the schema has a column for it.
fn search(schema: &Schema) -> Option<Action> {
    let int = schema.values().iter().find(|field| field.field_type == FieldType::Int64)?;
    Some(Action::Search(Search::of_rows(&int.name, 50)))
}

fn insert(first_row: u64) -> Action {
    Action::Insert { first_row }
}

/// Mixes of everything; none that searches without a column for it.
fn mixes(connections: u32, schema: &Schema) -> Vec<Known> {
    use Action::{Delete, Increment, Read, Update};
    let parts = vec![(Read, 50), (Update, 20), (insert(ROWS + 400), 20), (Delete, 10)];
    let feed = vec![(Read, 60), (insert(ROWS + 1_000), 40)];
    let multi_read = Action::MultiRead { rows: 10 };
    let all = vec![(multi_read, 25), (Increment, 25), (Update, 25), (insert(ROWS + 2_000), 25)];
    let mut mixes = vec![
        ("mix", parts, Distribution::Uniform),
        ("mix-latest", feed, Distribution::Latest),
        ("mix-new", all, Distribution::Hotspot),
        ("mix-counters", vec![(Increment, 60), (Read, 40)], Distribution::Latest),
    ];
    mixes.extend(search(schema).map(|search| ("mix-search", vec![(search, 50), (Update, 50)], Distribution::Uniform)));
    let mixed = |(name, parts, distribution): (&str, Vec<(Action, u32)>, Distribution)| {
        drawn(mix(name, &parts, 400, connections), distribution, None)
    };
    mixes.into_iter().map(mixed).collect()
}

/// Phases that do everything.
fn everything(connections: u32, commit_every: u32, schema: &Schema) -> Vec<Known> {
    use Distribution::{Hotspot, Latest, One, Sequential, Uniform, Zipfian};
    let read = |distribution: Distribution| {
        let name = format!("read-{distribution}");
        drawn(phase(&name, Action::Read, 2 * ROWS, connections), distribution, Some(ROWS))
    };
    let many = |name: &str, action: Action, rows| (phase(name, action, 2 * u64::from(connections), connections), rows);
    let write = |name: &str, action: Action, count, rows| (phase(name, action, count, connections), Some(rows));
    let some = |name: &str, work: Work, distribution, rows| {
        let count = if matches!(work, Work::Open { .. }) { 12 } else { 200 };
        drawn(phase(name, work, count, connections), distribution, rows)
    };
    let searches =
        |name: &str, distribution, rows| search(schema).map(|search| some(name, search.into(), distribution, rows));
    let (latest, multi_read) = (Action::Latest { rows: 100 }, Action::MultiRead { rows: 10 });
    let mut phases = vec![(phase("load", Load::Row, ROWS, connections), Some(ROWS))];
    phases.extend([Sequential, Uniform, Zipfian, Hotspot, Latest, One].map(read));
    phases.push(some("multi-read-loaded", multi_read.clone().into(), Uniform, Some(ROWS)));
    phases.extend(searches("search-loaded", Uniform, Some(ROWS)));
    phases.extend([
        some("open", Work::Open { rows: 1 }, Uniform, Some(ROWS)),
        some("open-many", Work::Open { rows: 25 }, Uniform, Some(ROWS)),
        many("multi-read-all-loaded", Action::MultiRead { rows: 10_000 }, Some(ROWS)),
        some("increment", Action::Increment.into(), Hotspot, Some(ROWS)),
        some("increment-uniform", Action::Increment.into(), Uniform, Some(ROWS)),
        many("scan-loaded", Action::Scan, Some(ROWS)),
        many("latest-loaded", latest.clone(), Some(ROWS)),
        write("insert", insert(ROWS), 400, ROWS + 400),
        drawn(phase("update", Action::Update, 400, connections), Zipfian, Some(ROWS + 400)),
        write("delete", Action::Delete, 200, ROWS + 200),
        write("delete-missing", Action::Delete, 40, ROWS + 200),
        write("update-missing", Action::Update, 40, ROWS + 200),
        some("multi-read", multi_read.into(), Hotspot, Some(ROWS + 200)),
    ]);
    phases.extend(searches("search", Hotspot, Some(ROWS + 200)));
    phases.extend([many("scan", Action::Scan, Some(ROWS + 200)), many("latest", latest.clone(), Some(ROWS + 200))]);
    phases.extend(mixes(connections, schema));
    phases.extend([
        some("open-again", Work::Open { rows: 1 }, Latest, None),
        many("scan-mixed", Action::Scan, None),
        many("latest-mixed", latest, None),
        (phase("insert-existing", insert(1_000), 40, connections), None),
    ]);
    phases.iter_mut().for_each(|(phase, _)| phase.commit_every = commit_every);
    phases
}

/// Whether a store can do the phase.
fn can(capabilities: &Capabilities, phase: &Phase) -> bool {
    let named = |operation: &Operation| capabilities.operations.contains(operation);
    let overwrites = phase.name == "insert-existing" && capabilities.insert == InsertMode::Upsert;
    let mut kinds = Operation::ALL.iter().filter(|kind| **kind != Operation::Mix && phase.does(**kind));
    kinds.all(named) && !overwrites
}

fn counters_summed(client: &mut Client) -> Option<u64> {
    client.call(CallName::Sum).map(|reply| reply["sum"].as_u64().expect("a number"))
}

fn rows_counted(client: &mut Client) -> Option<u64> {
    client.call(CallName::Count).map(|reply| reply["rows"].as_u64().expect("a number"))
}

/// Settings under which thousands of commits take little time: the cheapest of the descriptor. What the dearer ones do
/// is the business of another test; rows must be right with all of them.
fn cheap(store: &str) -> BTreeMap<String, String> {
    let durability = descriptor(store).get("durability").and_then(toml::Value::as_array).cloned();
    durability.and_then(|all| all.first().map(|cheapest| texts(cheapest, "settings"))).unwrap_or_default()
}

/// The settings of the profile `tuned`, over the cheapest durability.
fn tuned(store: &str) -> BTreeMap<String, String> {
    let settings = descriptor(store).get("setting").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let of_profile = settings.iter().filter(|one| one.get("profile").and_then(toml::Value::as_str) == Some("tuned"));
    cheap(store).into_iter().chain(of_profile.flat_map(|one| texts(one, "settings"))).collect()
}

fn does_everything(
    store: &str,
    settings: BTreeMap<String, String>,
    schema: &Schema,
    connections: u32,
    commit_every: u32,
) {
    let phases = everything(connections, commit_every, schema);
    let dir = tempfile::tempdir().expect("a folder");
    let mut job = job(store, schema, ROWS, dir.path(), phases.iter().map(|(phase, _)| phase.clone()).collect());
    job.settings = settings;
    let mut client = Client::start(&job);
    let capabilities = client.hello.capabilities.clone();
    assert_eq!(client.call(CallName::Ping), Some(true.into()));
    assert_eq!(client.call(CallName::Create), Some(true.into()));
    let mut increments = 0;
    for (phase, rows) in phases.iter().filter(|(phase, _)| can(&capabilities, phase)) {
        let result = client.run(phase);
        assert_eq!(rows.unwrap_or(result.rows_present), result.rows_present, "{store}: phase '{}'", phase.name);
        if let Some(counted) = rows_counted(&mut client) {
            assert_eq!(counted, result.rows_present, "{store}: rows after phase '{}'", phase.name);
        }
        if phase.does(Operation::Increment) {
            increments += result.increments.expect("a count of increments").acknowledged;
            assert_eq!(counters_summed(&mut client), Some(increments), "{store}: counters after '{}'", phase.name);
        }
        let expected = match phase.operation() {
            Operation::Scan => Some(result.rows_present),
            Operation::Latest => Some(100),
            Operation::MultiRead if phase.name == "multi-read-all-loaded" => Some(ROWS),
            Operation::MultiRead if phase.name.ends_with("loaded") => Some(10),
            Operation::Open if phase.name == "open-many" => Some(25),
            Operation::Search if phase.name.ends_with("loaded") => Some(50),
            _ => None,
        };
        if let Some(each) = expected {
            assert_eq!(result.rows_read, each * phase.end.count().expect("a count"), "{store}: phase '{}'", phase.name);
        }
    }
    if capabilities.operations.contains(&Operation::Increment) {
        assert!(increments > 400, "{store}: {increments} increments");
    }
    if let Some(check) = client.call(CallName::Check) {
        assert_eq!(check["sound"], true, "{store}: {check}");
    }
    assert_eq!(client.call(CallName::Create), Some(true.into()));
    if capabilities.operations.contains(&Operation::Increment) {
        assert_eq!(counters_summed(&mut client), Some(0), "{store}: counters of an empty namespace");
    }
    assert_eq!(client.call(CallName::Reset), Some(true.into()));
    client.stop();
}

fn every_store_does_everything(schema: &Schema, commit_every: u32) {
    for store in stores() {
        for connections in [1, 4] {
            does_everything(store, cheap(store), schema, connections, commit_every);
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
fn rows_are_right_in_the_profile_tuned() {
    for store in real_stores().filter(|store| tuned(store) != cheap(store)) {
        for (connections, commit_every) in [(1, 1), (4, 1), (4, 100)] {
            does_everything(store, tuned(store), &table(), connections, commit_every);
        }
    }
}

#[test]
fn rows_are_right_with_settings_that_are_in_no_profile() {
    let cases: [(&str, &str, &str, &[u32]); 5] = [
        ("sqlite", "locking_mode", "exclusive", &[1]),
        ("fjall", "transactions", "optimistic", &[1, 4]),
        ("redb", "two_phase_commit", "true", &[1]),
        ("redb", "quick_repair", "true", &[1]),
        ("lmdb", "readahead", "false", &[1, 4]),
    ];
    for (store, name, value, connections) in cases {
        for connections in connections {
            let mut settings = cheap(store);
            settings.insert(name.into(), value.into());
            // Batches short enough to meet those of others.
            does_everything(store, settings, &Schema::key_value(100), *connections, 10);
        }
    }
}

#[test]
fn a_handle_of_sqlite_that_keeps_its_locks_is_the_only_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut job = job("sqlite", &Schema::key_value(100), 4, dir.path(), Vec::new());
    job.settings.insert("locking_mode".into(), "exclusive".into());
    let mut client = Client::start(&job);
    let capabilities = client.hello.capabilities.clone();
    assert_eq!((capabilities.max_connections, capabilities.processes), (1, false));
    client.call(CallName::Create);
    assert_eq!(client.call(CallName::Settings).expect("settings")["locking_mode"], "exclusive");
    client.stop();
}

#[test]
fn searches_are_right_with_and_without_an_index_where_a_store_has_columns() {
    for store in stores() {
        for (indexed, connections) in [(false, 1), (true, 1), (true, 4)] {
            let mut schema = table();
            schema.fields[2].indexed = indexed;
            let search = |name: &str, rows| {
                let wanted = Action::Search(Search::of_rows("flags", rows));
                let mut search = phase(name, wanted, 40, connections);
                search.rows_stream = Files::get().rows(Distribution::Uniform, ROWS);
                search
            };
            let load = phase("load", Load::Row, ROWS, connections);
            let delete = phase("delete", Action::Delete, 100, connections);
            let searches = [search("one", 1), search("many", 300), search("all", ROWS as u32)];
            let after = search("after", 300);
            let phases = [load.clone()].into_iter().chain(searches.clone()).chain([delete.clone(), after.clone()]);
            let dir = tempfile::tempdir().expect("a folder");
            let mut job = job(store, &schema, ROWS, dir.path(), phases.collect());
            job.settings = cheap(store);
            let mut client = Client::start(&job);
            if !client.hello.capabilities.operations.contains(&Operation::Search) {
                continue;
            }
            client.call(CallName::Create);
            client.run(&load);
            for phase in &searches {
                let Some(SearchRange::Rows(rows)) = phase.search().map(|search| search.wanted) else {
                    panic!("a search")
                };
                let rows = u64::from(rows);
                assert_eq!(client.run(phase).rows_read, 40 * rows, "{store}: '{}', indexed {indexed}", phase.name);
            }
            client.run(&delete);
            client.run(&after);
            client.stop();
        }
    }
}

#[test]
fn a_search_is_offered_only_where_there_is_a_column_for_it() {
    for store in stores() {
        let dir = tempfile::tempdir().expect("a folder");
        let client = Client::start(&job(store, &Schema::key_value(100), 4, dir.path(), Vec::new()));
        assert!(!client.hello.capabilities.operations.contains(&Operation::Search), "{store}");
        client.stop();
    }
}

#[test]
fn batches_and_snapshots_work_where_a_store_has_them() {
    for store in stores() {
        for (schema, connections) in [(Schema::key_value(100), 1), (table(), 4)] {
            let mut load = phase("load", Load::Row, ROWS, connections);
            load.work = Load::Batch { rows: 64 }.into();
            let mut read = phase("read", Action::Read, 2 * ROWS, connections);
            read.read_scope = ReadScope::Snapshot;
            read.rows_stream = Files::get().rows(Distribution::Uniform, ROWS);
            let scan = phase("scan", Action::Scan, u64::from(connections), connections);
            let dir = tempfile::tempdir().expect("a folder");
            let job = job(store, &schema, ROWS, dir.path(), vec![load.clone(), read.clone(), scan.clone()]);
            let mut client = Client::start(&job);
            let Capabilities { load_paths, read_scopes, .. } = client.hello.capabilities.clone();
            assert_eq!(
                load_paths.contains(&LoadPath::Batch),
                store != "file",
                "{store}: nothing writes many lines at once"
            );
            if store == "file" {
                continue;
            }
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
            let mut load = phase("load", Load::Row, 80, 4);
            load.commit_every = 10;
            let update = phase("update", Action::Update, 40, 4);
            let dir = tempfile::tempdir().expect("a folder");
            let mut job = job(store, &Schema::key_value(100), 80, dir.path(), vec![load.clone(), update.clone()]);
            job.settings = collect("settings");
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
    for store in real_stores() {
        let load = phase("load", Load::Row, ROWS, 4);
        let phases = vec![
            load.clone(),
            phase("read", Action::Read, ROWS, 4),
            phase("scan", Action::Scan, 1, 1),
            phase("latest", Action::Latest { rows: 50 }, 1, 1),
            Phase { commit_every: 10, ..phase("update", Action::Update, 40, 4) },
        ];
        let dir = tempfile::tempdir().expect("a folder");
        let mut job = job(store, &table(), ROWS, dir.path(), phases.clone());
        job.settings = cheap(store);
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

/// A load that writes all rows several times over.
fn passes(passes: u32) -> Phase {
    let loading = Loading { passes, ..Load::Row.into() };
    Phase { commit_every: 100, ..phase("load", loading, ROWS * u64::from(passes), 1) }
}

#[test]
fn rows_that_are_loaded_several_times_are_read_right_and_kept_once_or_as_often_as_the_store_says() {
    for store in real_stores() {
        let phases = vec![passes(3), phase("read", Action::Read, ROWS, 1), phase("scan", Action::Scan, 1, 1)];
        let dir = tempfile::tempdir().expect("a folder");
        let mut job = job(store, &Schema::key_value(100), ROWS, dir.path(), phases.clone());
        job.settings = cheap(store);
        let mut client = Client::start(&job);
        let capabilities = client.hello.capabilities.clone();
        if !capabilities.passes {
            client.stop();
            continue;
        }
        client.call(CallName::Create);
        let results: Vec<PhaseResult> = phases.iter().map(|phase| client.run(phase)).collect();
        let copies = if capabilities.keeps_copies { 3 } else { 1 };
        assert_eq!((results[0].rows_present, results[2].rows_read), (ROWS, copies * ROWS), "{store}");
        assert_eq!(rows_counted(&mut client), Some(copies * ROWS), "{store}");
        client.stop();
    }
}

#[test]
fn settings_that_a_store_does_not_have_are_refused_by_name() {
    for store in real_stores() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut job = job(store, &Schema::key_value(100), 4, dir.path(), Vec::new());
        job.settings.insert("speed".into(), "more".into());
        let refused = std::panic::catch_unwind(|| Client::start(&job)).err().expect("refused");
        let message = refused.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(message.contains("no setting 'speed'"), "{store}: {message}");
    }
}
