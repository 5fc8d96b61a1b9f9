//! The cases, in the order in which a candidate goes through them.

use std::collections::BTreeMap;

use kurabe_harness::Candidate;
use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{
    self as protocol, Action, CallName, Distribution, Encoding, End, Field, FieldType, Load, LoadPath, Operation,
    Phase, Schedule, Schema,
};
use kurabe_record::{Loss, StoreKind};
use kurabe_study::{Connections, Probe};
use kurabe_testkit::workbench::seven_columns;

use crate::Outcome;
use crate::cut::write_cut_off;
use crate::fixture::{Client, ROWS, StoreFixture, words};
use crate::own::own_rows;
use crate::phases::Phases;

/// One case.
pub struct Case {
    pub name: &'static str,
    /// The least extent of a trial that has it.
    pub extent: Extent,
    pub warmup: Warmup,
    pub run: fn(&mut StoreFixture) -> Outcome<()>,
}

/// How much of the suite a candidate goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Settings, and everything once.
    Brief,
    /// All that a client and a store can get wrong together: keys, columns, indexes, encodings, paths, a crash.
    Main,
    Whole,
}

/// Whether a client that warms up by itself does so here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Warmup {
    Done,
    /// It would be the same as in another case, and take most of the time.
    LeftOut,
}

use Extent::{Brief, Main, Whole};
use Warmup::{Done, LeftOut};

/// All cases.
pub const ALL: [Case; 19] = [
    Case { name: "settings read back", extent: Brief, warmup: LeftOut, run: settings_read_back },
    Case { name: "integer keys, a commit for each write", extent: Brief, warmup: Done, run: integer_keys },
    Case { name: "rows of a data file", extent: Brief, warmup: LeftOut, run: own_rows },
    Case { name: "a write cut off", extent: Brief, warmup: LeftOut, run: write_cut_off },
    Case { name: "text keys, eight connections", extent: Main, warmup: LeftOut, run: text_keys },
    Case { name: "text keys with a prefix in Japanese", extent: Whole, warmup: LeftOut, run: prefixed_keys },
    Case { name: "empty values", extent: Whole, warmup: LeftOut, run: empty_values },
    Case { name: "seven columns, eight connections", extent: Main, warmup: LeftOut, run: columns },
    Case { name: "an indexed column", extent: Main, warmup: Done, run: indexed_column },
    Case { name: "a column of two values", extent: Whole, warmup: LeftOut, run: two_values },
    Case { name: "reads beside the commits of others", extent: Main, warmup: LeftOut, run: reads_beside_commits },
    Case { name: "planned starts", extent: Main, warmup: LeftOut, run: planned_starts },
    Case { name: "encoded rows", extent: Main, warmup: LeftOut, run: encoded_rows },
    Case { name: "a hundred connections", extent: Whole, warmup: LeftOut, run: hundred_connections },
    Case { name: "short and long values", extent: Brief, warmup: LeftOut, run: value_sizes },
    Case { name: "load paths", extent: Main, warmup: LeftOut, run: load_paths },
    Case { name: "two namespaces", extent: Main, warmup: LeftOut, run: namespaces },
    Case { name: "a crash", extent: Main, warmup: LeftOut, run: crash },
    Case { name: "a kill in the middle of a load", extent: Whole, warmup: LeftOut, run: kill_in_load },
];

/// What the descriptor says of the live store: each setting that it expects is reported as it must be, and each that
/// would undo a promise is reported, and does not.
fn settings_read_back(fixture: &mut StoreFixture) -> Outcome<()> {
    let job = fixture.job("settings", &Schema::key_value(100), ROWS, Vec::new())?;
    let mut client = fixture.client(&job)?;
    client.call(CallName::Create)?;
    if client.capabilities.keeps_columns != fixture.candidate.store.keeps_columns {
        return Err("descriptor and client do not say the same of whether it keeps columns".into());
    }
    let live = client.call(CallName::Settings)?.map(serde_json::from_value::<BTreeMap<String, String>>);
    let live = live.transpose().map_err(words)?.unwrap_or_default();
    check_settings(&fixture.candidate, &live)?;
    fixture.settings = live.keys().cloned().collect();
    let info = client.call(CallName::Info)?.map(serde_json::from_value::<BTreeMap<String, String>>);
    let info = info.transpose().map_err(words)?.unwrap_or_default();
    let tells = !info.is_empty();
    check_suitable(&fixture.candidate, info.into_iter().chain(live.clone()).collect())?;
    // The module of a library may tell its own version alone.
    let tells_enough = match fixture.candidate.store.install.probe {
        Probe::Builtin => true,
        Probe::Library => tells || client.tells_libraries,
        Probe::Service => tells,
    };
    if !tells_enough {
        return Err("the store does not tell its version".into());
    }
    client.call(CallName::Reset)?;
    client.stop()
}

fn check_settings(candidate: &Candidate, live: &BTreeMap<String, String>) -> Outcome<()> {
    for (name, value) in candidate.expected_settings() {
        // What the candidate gives itself is for its client as well, which no store reports.
        let is_option = candidate.spec.settings.contains_key(&name);
        match live.get(&name) {
            Some(found) if *found == value || value.contains('{') => {}
            None if is_option => {}
            found => return Err(format!("setting '{name}' must be '{value}' and is {found:?}")),
        }
    }
    let undoing = &candidate.store.undoing;
    if let Some(unknown) = undoing.iter().find(|one| !live.contains_key(&one.setting)) {
        return Err(format!("'{}', which can undo a promise, is not reported by the live store", unknown.setting));
    }
    let promised = candidate.durability.as_ref().map(|durability| durability.guarantee());
    match promised.and_then(|promised| candidate.store.undone(promised, live).into_iter().next()) {
        Some(undone) => Err(format!("'{}' is '{}', which undoes what is promised", undone.setting, undone.found)),
        None => Ok(()),
    }
}

/// What would make a server unsuitable at an address is told by the live store, and does not.
fn check_suitable(candidate: &Candidate, told: BTreeMap<String, String>) -> Outcome<()> {
    if let Some(unknown) = candidate.store.unsuitable.iter().find(|one| !told.contains_key(&one.told)) {
        return Err(format!("'{}', which can make a server unsuitable, is not told by the live store", unknown.told));
    }
    candidate.store.unsuitable(&told).map_or(Ok(()), |why| Err(why.to_string()))
}

/// How one case does everything.
struct CaseSetup<'a> {
    name: &'a str,
    schema: &'a Schema,
    connections: u32,
    commit_every: u32,
    /// Which rows are read, beside all in their order.
    distributions: &'static [Distribution],
}

impl CaseSetup<'_> {
    /// One connection, commits of ten writes each, and the distribution that most studies have.
    fn usual<'a>(name: &'a str, schema: &'a Schema) -> CaseSetup<'a> {
        CaseSetup { name, schema, connections: 1, commit_every: 10, distributions: &[Distribution::Zipfian] }
    }
}

/// With every distribution: it is the client that chooses rows, so once is enough.
fn integer_keys(fixture: &mut StoreFixture) -> Outcome<()> {
    use Distribution::{Hotspot, Latest, Uniform, Zipfian};
    let schema = Schema::key_value(100);
    let distributions = &[Uniform, Zipfian, Hotspot, Latest];
    everything(fixture, &CaseSetup { commit_every: 1, distributions, ..CaseSetup::usual("integers", &schema) })
}

fn text_keys(fixture: &mut StoreFixture) -> Outcome<()> {
    let mut schema = Schema::key_value(60);
    schema.fields[0].field_type = FieldType::Text;
    everything(fixture, &CaseSetup { connections: 8, ..CaseSetup::usual("texts", &schema) })
}

fn prefixed_keys(fixture: &mut StoreFixture) -> Outcome<()> {
    let mut schema = Schema::key_value(60);
    schema.fields[0].field_type = FieldType::Text;
    schema.fields[0].prefix = Some("鍵の名前".into());
    everything(fixture, &CaseSetup::usual("prefixed", &schema))
}

/// One that is all of the value, and two that are part of it.
fn empty_values(fixture: &mut StoreFixture) -> Outcome<()> {
    everything(fixture, &CaseSetup::usual("empty", &Schema::key_value(0)))?;
    let mut schema = seven_columns();
    schema.fields.push(Field::new("no_text", FieldType::Text, Some(0)));
    schema.fields.push(Field::new("no_bytes", FieldType::Bytes, Some(0)));
    everything(fixture, &CaseSetup::usual("empty_fields", &schema))
}

fn columns(fixture: &mut StoreFixture) -> Outcome<()> {
    everything(fixture, &CaseSetup { connections: 8, ..CaseSetup::usual("columns", &seven_columns()) })
}

fn indexed_column(fixture: &mut StoreFixture) -> Outcome<()> {
    let mut schema = seven_columns();
    let column = schema.fields.iter_mut().skip(1).find(|field| field.field_type == FieldType::Int64);
    column.ok_or("seven columns have an integer among them")?.indexed = true;
    everything(fixture, &CaseSetup::usual("indexed", &schema))
}

/// Searched for the larger, without an index and with one, under keys of fewer digits.
fn two_values(fixture: &mut StoreFixture) -> Outcome<()> {
    let mut schema = seven_columns();
    (schema.fields[0].prefix, schema.fields[0].digits) = (Some("prefix_".into()), Some(9));
    for (name, indexed) in [("scanned", false), ("looked_up", true)] {
        let column = schema.fields.iter_mut().skip(1).find(|field| field.field_type == FieldType::Int64);
        let column = column.ok_or("seven columns have an integer among them")?;
        (column.indexed, column.distinct) = (indexed, Some(2));
        everything(fixture, &CaseSetup::usual(name, &schema))?;
    }
    Ok(())
}

/// Every encoding that the client has for this store; raw is what all other cases have.
fn encoded_rows(fixture: &mut StoreFixture) -> Outcome<()> {
    for encoding in fixture.capabilities.encodings.clone().into_iter().filter(|encoding| !encoding.is_raw()) {
        fixture.encoding = encoding;
        let done = everything(
            fixture,
            &CaseSetup { connections: 8, ..CaseSetup::usual(&encoding.to_string(), &seven_columns()) },
        );
        fixture.encoding = Encoding::Raw;
        done?;
    }
    Ok(())
}

/// A read in a transaction of writes sees what others have committed by then, also where the server's default is a
/// snapshot. Embedded stores let one writer in, or lock what it wrote from readers.
fn reads_beside_commits(fixture: &mut StoreFixture) -> Outcome<()> {
    let can = &fixture.capabilities;
    let updates = can.operations.contains(&Operation::Update);
    let is_asked = fixture.candidate.store.service.is_some() && can.transactions && can.shared_versions && updates;
    if !is_asked {
        return Ok(());
    }
    let capabilities = can.clone();
    let phases = Phases { bench: &fixture.bench, capabilities: &capabilities, connections: 8, commit_every: 10 };
    let load = phases.load();
    let mut mix = fixture.bench.mix("commits", &[(Action::Read, 50), (Action::Update, 50)], 8_000).map_err(words)?;
    (mix.connections, mix.commit_every) = (8, 10);
    let job = fixture.job("commits", &Schema::key_value(100), ROWS, vec![load.clone(), mix.clone()])?;
    let mut client = fixture.client(&job)?;
    client.call(CallName::Create)?;
    client.run(&load)?;
    client.run(&mix)?;
    client.call(CallName::Reset)?;
    client.stop()
}

/// Reads at a rate, after a warm-up: whoever holds the plan, nothing is lost from it.
fn planned_starts(fixture: &mut StoreFixture) -> Outcome<()> {
    let can = fixture.capabilities.clone();
    if !can.schedules || !can.operations.contains(&Operation::Read) {
        return Ok(());
    }
    let most = if fixture.connections == Connections::Processes { 1 } else { can.max_connections.min(4) };
    let phases = Phases { bench: &fixture.bench, capabilities: &can, connections: most, commit_every: 100 };
    let load = phases.load();
    let schedule = Schedule { rate: 1_000, rate_to: None, pattern: Pattern::Constant, queue: None, gaps_stream: None };
    let read = Phase {
        connections: most,
        schedule: Some(schedule),
        warmup: Some(protocol::Warmup::Count(20)),
        ..Phase::new("planned", Action::Read, End::DurationNs(100_000_000))
    };
    let job = fixture.job("planned", &Schema::key_value(100), ROWS, vec![load.clone(), read.clone()])?;
    let mut client = fixture.client(&job)?;
    client.call(CallName::Create)?;
    client.run(&load)?;
    let result = client.run(&read)?;
    let told = result.open_loop.as_ref().ok_or("no planned operations are told")?;
    let done: u64 = result.workers.iter().map(|worker| worker.operations).sum();
    if (told.planned, told.dropped) != (99, 0) || done + told.open != told.planned || done == 0 {
        return Err(format!("{done} done of {told:?}"));
    }
    client.call(CallName::Reset)?;
    client.stop()
}

fn hundred_connections(fixture: &mut StoreFixture) -> Outcome<()> {
    let schema = Schema::key_value(100);
    everything(fixture, &CaseSetup { connections: 100, commit_every: 1, ..CaseSetup::usual("hundred", &schema) })
}

/// Whether the store takes rows of this shape at all; where not, its capabilities say so.
fn takes(fixture: &StoreFixture, schema: &Schema) -> bool {
    let can = &fixture.capabilities;
    let len = kurabe_protocol::Layout::new(schema).len_bytes() as u64;
    let layout = kurabe_protocol::Layout::new(schema);
    let has_empty = schema.values().iter().any(|field| field.len_bytes == Some(0));
    can.key_types.contains(&schema.key().field_type)
        && len <= can.max_value_bytes
        && (schema.key().field_type == FieldType::Int64 || layout.keys().longest_bytes() as u64 <= can.max_key_bytes)
        && (can.empty_values || !has_empty)
}

/// Does everything that the store says it can, with every answer checked and the rows counted after each phase.
fn everything(fixture: &mut StoreFixture, way: &CaseSetup<'_>) -> Outcome<()> {
    if !takes(fixture, way.schema) {
        return Ok(());
    }
    let (mut client, all) = begin_everything(fixture, way)?;
    client.call(CallName::Create)?;
    let mut increments = 0;
    for (at, phase) in all.iter().enumerate() {
        // Between two phases that write nothing changes; to count may be to read every row.
        let counts = phase.writes() || at + 1 == all.len();
        run_and_count(&mut client, phase, counts, &mut increments)?;
    }
    if let Some(check) = client.call(CallName::Check)?.filter(|check| check["sound"] != true) {
        return Err(format!("the store's own check: {check}"));
    }
    client.call(CallName::Reset)?;
    // To count what is not there any more may be an error.
    if let Ok(Some(rows @ 1..)) = client.number(CallName::Count, "rows") {
        return Err(format!("{rows} rows are left after reset"));
    }
    client.stop()
}

/// A client with a job of all phases that it can do.
fn begin_everything(fixture: &mut StoreFixture, way: &CaseSetup<'_>) -> Outcome<(Client, Vec<Phase>)> {
    let schema = way.schema;
    loop {
        let capabilities = fixture.last_capabilities.clone();
        // A client without threads works with as many processes as connections; here it is one.
        let most = match fixture.connections {
            Connections::Threads => capabilities.max_connections,
            Connections::Processes => 1,
        };
        let connections = largest_divisor(ROWS, way.connections.min(most));
        let commit_every = way.commit_every;
        let phases = Phases { bench: &fixture.bench, capabilities: &capabilities, connections, commit_every };
        let mut all = vec![phases.load()];
        all.extend(phases.reads("loaded", schema, way.distributions));
        all.extend(phases.writes()?);
        all.extend(phases.reads("written", schema, way.distributions));
        all.extend(phases.open());
        let job = fixture.job(way.name, schema, ROWS, all.clone())?;
        let client = fixture.client(&job)?;
        if client.capabilities == capabilities {
            return Ok((client, all));
        }
        // They may depend on the schema: a search needs a column.
        client.stop()?;
    }
}

/// The largest number of connections up to `most` that divides the rows.
fn largest_divisor(rows: u32, most: u32) -> u32 {
    (1..=most.max(1)).rev().find(|connections| rows.is_multiple_of(*connections)).unwrap_or(1)
}

fn run_and_count(client: &mut Client, phase: &Phase, counts: bool, increments: &mut u64) -> Outcome<()> {
    let result = client.run(phase)?;
    let name = &phase.name;
    let wrong = |what: &str, is: u64, must: u64| Err(format!("after phase '{name}': {what}: {is}, must be {must}"));
    if counts && let Some(rows) = client.number(CallName::Count, "rows")?.filter(|rows| *rows != result.rows_present) {
        return wrong("rows counted", rows, result.rows_present);
    }
    let count = phase.end.count().unwrap_or(0);
    if phase.operation() == Operation::Scan && result.rows_read != result.rows_present * count {
        return wrong("rows scanned", result.rows_read, result.rows_present * count);
    }
    if phase.operation() == Operation::MultiRead && name.ends_with("loaded") && result.rows_read != 10 * count {
        return wrong("rows read", result.rows_read, 10 * count);
    }
    *increments += result.increments.map_or(0, |some| some.acknowledged);
    if *increments > 0
        && counts
        && let Some(sum) = client.number(CallName::Sum, "sum")?.filter(|sum| *sum != *increments)
    {
        return wrong("sum of counters", sum, *increments);
    }
    Ok(())
}

/// Nothing but one byte, a mebibyte or the most that the store takes, and numbers beside texts, which some drivers give
/// as texts.
fn value_sizes(fixture: &mut StoreFixture) -> Outcome<()> {
    let largest = fixture.capabilities.max_value_bytes.min(1 << 20) as u32;
    let shapes =
        [("byte", Schema::key_value(1), 40), ("large", Schema::key_value(largest), 8), ("fields", seven_columns(), 40)];
    for (name, schema, rows) in shapes {
        if !takes(fixture, &schema) {
            continue;
        }
        let phases: Vec<Phase> = [
            Phase::new("load", Load::Row, End::Count(rows)),
            Phase::new("read", Action::Read, End::Count(rows)),
            Phase::new("update", Action::Update, End::Count(rows)),
            Phase::new("read-updated", Action::Read, End::Count(rows)),
            Phase::new("scan", Action::Scan, End::Count(1)),
        ]
        .into_iter()
        .filter(|phase| fixture.capabilities.operations.contains(&phase.operation()))
        .collect();
        let job = fixture.job(name, &schema, rows as u32, phases.clone())?;
        let mut client = fixture.client(&job)?;
        client.call(CallName::Create)?;
        for phase in &phases {
            client.run(phase).map_err(|error| format!("values of shape '{name}': {error}"))?;
        }
        client.call(CallName::Reset)?;
        client.stop()?;
    }
    Ok(())
}

/// By each path that is named all rows come in; one that is not named is refused, and never taken for another.
fn load_paths(fixture: &mut StoreFixture) -> Outcome<()> {
    for (path, namespace) in [(LoadPath::Row, "by_row"), (LoadPath::Batch, "by_batch"), (LoadPath::Bulk, "by_bulk")] {
        let load = Phase::new("load", Load::by(path, 70), End::Count(ROWS.into()));
        let job = fixture.job(namespace, &Schema::key_value(100), ROWS, vec![load.clone()])?;
        let mut client = fixture.client(&job)?;
        client.call(CallName::Create)?;
        if !client.capabilities.load_paths.contains(&path) {
            match client.run(&load) {
                Ok(_) => return Err(format!("load path {path} is not among its capabilities, and it loads by it")),
                Err(_) => continue,
            }
        }
        client.run(&load)?;
        if let Some(rows) = client.number(CallName::Count, "rows")?.filter(|rows| *rows != u64::from(ROWS)) {
            return Err(format!("{rows} of {ROWS} rows came in by load path {path}"));
        }
        client.call(CallName::Reset)?;
        client.stop()?;
    }
    Ok(())
}

/// What one job removes, another keeps. Embedded stores have a folder each.
fn namespaces(fixture: &mut StoreFixture) -> Outcome<()> {
    if fixture.candidate.store.service.is_none() || !fixture.capabilities.operations.contains(&Operation::Read) {
        return Ok(());
    }
    let capabilities = fixture.capabilities.clone();
    let phases = Phases { bench: &fixture.bench, capabilities: &capabilities, connections: 1, commit_every: 100 };
    let (load, read) = (phases.load(), phases.read_all("read"));
    let schema = Schema::key_value(100);
    // The name of one is the start of the other's.
    let (mine, theirs) = (
        fixture.job("ns", &schema, ROWS, vec![load.clone()])?,
        fixture.job("ns_of_others", &schema, ROWS, vec![load.clone(), read.clone()])?,
    );
    let mut keeper = fixture.client(&theirs)?;
    keeper.call(CallName::Create)?;
    keeper.run(&load)?;
    let mut remover = fixture.client(&mine)?;
    remover.call(CallName::Create)?;
    remover.run(&load)?;
    remover.call(CallName::Reset)?;
    remover.stop()?;
    keeper.run(&read)?;
    keeper.call(CallName::Reset)?;
    keeper.stop()
}

/// Whether the setting that the store runs with promises that acknowledged writes survive its process.
fn survives_a_kill(fixture: &StoreFixture) -> bool {
    let keeps = fixture.candidate.durability.as_ref().is_some_and(|setting| setting.kill == Loss::Nothing);
    fixture.candidate.store.kind == StoreKind::Store && keeps
}

/// An embedded store dies with its client while it writes: what had been acknowledged by the last report is there.
fn kill_in_load(fixture: &mut StoreFixture) -> Outcome<()> {
    /// More than most stores load before the first report.
    const MANY: u32 = 2_000_000;
    // What writes only whole files acknowledges nothing before the end.
    let inserts = fixture.capabilities.operations.contains(&Operation::Insert);
    if fixture.candidate.store.service.is_some() || !inserts || !survives_a_kill(fixture) {
        return Ok(());
    }
    let schema = Schema::key_value(100);
    let load = Phase::new("load", Load::Row, End::Count(MANY.into()));
    let job = fixture.job("killed", &schema, MANY, vec![load.clone()])?;
    let mut client = fixture.client(&job)?;
    client.call(CallName::Create)?;
    let acknowledged = client.run_and_kill(&load)?;
    let job = fixture.job("killed", &schema, MANY, Vec::new())?;
    let mut client = fixture.client(&job)?;
    client.await_store()?;
    if let Some(rows) = client.number(CallName::Count, "rows")?.filter(|rows| *rows < acknowledged) {
        return Err(format!("{rows} rows are there, and {acknowledged} were acknowledged before the kill"));
    }
    client.call(CallName::Reset)?;
    client.stop()
}

/// After the death of the store's process everything that was acknowledged is there, if the durability setting promises
/// that.
fn crash(fixture: &mut StoreFixture) -> Outcome<()> {
    if !survives_a_kill(fixture) {
        return Ok(());
    }
    let capabilities = fixture.capabilities.clone();
    let phases = Phases { bench: &fixture.bench, capabilities: &capabilities, connections: 1, commit_every: 10 };
    let (load, read) = (phases.load(), phases.read_all("read"));
    let schema = Schema::key_value(100);
    let job = fixture.job("crash", &schema, ROWS, vec![load.clone()])?;
    let mut client = fixture.client(&job)?;
    client.call(CallName::Create)?;
    client.run(&load)?;
    client.kill();
    fixture.crash()?;
    let job = fixture.job("crash", &schema, ROWS, vec![read.clone()])?;
    let mut client = fixture.client(&job)?;
    client.await_store()?;
    client.run(&read)?;
    if let Some(rows) = client.number(CallName::Count, "rows")?.filter(|rows| *rows != u64::from(ROWS)) {
        return Err(format!("{rows} of {ROWS} acknowledged rows are there after a kill"));
    }
    client.call(CallName::Reset)?;
    client.stop()
}
