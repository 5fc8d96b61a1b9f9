use kurabe_protocol::{Action, Encoding, End, SearchRange};

use kurabe_record::StoreProfile;

use super::*;
use crate::parse_sizes;
use crate::pitfalls::PitfallChoice;

/// For studies whose rows are generated.
fn no_file(_: &DataSpec) -> Result<Ingested, StudyError> {
    unreachable!("no data")
}

fn parse(text: &str) -> Result<Study, StudyError> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    Study::parse(&catalogue, "mine", "mine.toml", text, &Overrides::default(), &no_file)
}

const SMALL: &str = r#"
title = "small"
rows = 10
value_len_bytes = 100
stores = ["sqlite"]
[[phase]]
operation = "load"
commit_every = 5
"#;

fn error_with(more: &str) -> String {
    parse(&format!("{SMALL}{more}")).expect_err("a mistake").to_string()
}

#[test]
fn every_built_in_study_can_be_read() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    for name in catalogue.studies() {
        let folder = tempfile::tempdir().expect("a folder");
        let ingest = |spec: &DataSpec| {
            let bytes = catalogue.builtin_data(&spec.file)?.expect("a built-in study has its data with it");
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).expect("written");
            Ok(kurabe_data::ingest_at(&path, spec, folder.path()).expect("good data"))
        };
        let study = Study::open_with(&catalogue, &name, &Overrides::default(), &ingest).expect("a built-in study");
        assert_eq!(study.plan.title, Study::title_of(&catalogue, &name).expect("a title"));
        if catalogue.study_text(&name).expect("a study").contains("[[pitfall]]") {
            let overrides = Overrides { pitfalls: PitfallChoice::All, ..Overrides::default() };
            let study = Study::open_with(&catalogue, &name, &overrides, &ingest);
            assert!(study.expect("each pitfall, and all together").plan.pitfalls.len() > 1, "{name}");
        }
    }
}

#[test]
fn built_in_data_has_names_of_its_own() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    assert!(catalogue.builtin_data("dictionary.tsv").expect("a path").is_none());
    let bytes = catalogue.builtin_data("builtin:dictionary.tsv").expect("known").expect("built in");
    assert_eq!(bytes.split(|byte| *byte == b'\n').filter(|line| line.contains(&b'\t')).count(), 2_269);
    for wrong in ["builtin:dictionery.tsv", "builtin:quick.toml"] {
        let error = catalogue.builtin_data(wrong).expect_err("unknown").to_string();
        assert!(error.contains("builtin:dictionary.tsv"), "{error}");
    }
}

fn phase_of(more: &str) -> kurabe_protocol::Phase {
    let study = parse(&format!("{SMALL}[[phase]]\nname = \"it\"\n{more}")).expect("a study");
    study.plan.configurations[0].phases[1].phase.clone()
}

#[test]
fn an_open_reads_one_row_or_several_or_all() {
    let rows = |more: &str| phase_of(&format!("operation = \"open\"\ncount = 3\n{more}")).open_rows();
    assert_eq!(rows(""), Some(1));
    assert_eq!(rows("open_rows = 4"), Some(4));
    assert_eq!(rows("open_rows = \"all\""), Some(10));
    let refused = |more: &str| error_with(&format!("[[phase]]\nname = \"it\"\ncount = 3\n{more}"));
    assert!(refused("operation = \"open\"\nopen_rows = 0").contains("open_rows must be from 1"));
    assert!(refused("operation = \"read\"\nopen_rows = 4").contains("'open_rows' belongs to the operation 'open'"));
}

#[test]
fn a_load_writes_all_rows_as_often_as_it_says() {
    let text = SMALL.replace("commit_every", "passes = 100\ncommit_every");
    let phase = &parse(&text).expect("a study").plan.configurations[0].phases[0].phase;
    assert_eq!((phase.end.count(), phase.loading().map(|loading| loading.passes)), (Some(1_000), Some(100)));
    let error = |text: String| parse(&text).expect_err("a mistake").to_string();
    assert!(error(text.replace("passes = 100", "passes = 0")).contains("passes must be from 1"));
    assert!(error(text.replace("passes", "load_path = \"batch\"\npasses")).contains("row by row"));
    assert!(
        error(SMALL.replace("commit_every", "rows_from = \"lines\"\ncommit_every")).contains("tab-separated data file")
    );
}

#[test]
fn programs_do_a_phase_of_their_own() {
    let program = |more: &str| phase_of(&format!("operation = \"program\"\n{more}"));
    let reads = program("program = { operation = \"read\" }");
    assert_eq!((reads.end.count(), reads.program().and_then(|inner| inner.end.count())), (Some(10), Some(10)));
    assert!(reads.does(Operation::Read) && !reads.writes() && reads.operation() == Operation::Program);
    let one = program("count = 3\nprogram = { operation = \"read\", distribution = \"one\", count = 500 }");
    assert_eq!((one.end.count(), one.in_client().end.count()), (Some(3), Some(500)));
    let load = program("program = { operation = \"load\", commit_every = 7, passes = 2 }");
    assert!(load.writes() && load.in_client().commit_every == 7 && load.in_client().end.count() == Some(20));

    let refused = |more: &str| error_with(&format!("[[phase]]\nname = \"it\"\noperation = \"program\"\n{more}"));
    assert!(refused("").contains("as in program = {"));
    assert!(
        refused("distribution = \"one\"\nprogram = { operation = \"read\" }")
            .contains("'distribution' has no meaning for programs")
    );
    assert!(refused("program = { operation = \"update\", count = 1 }").contains("loads, reads or multi-reads"));
    assert!(refused("program = { operation = \"read\", connections = 2 }").contains("one connection"));
    let read = "[[phase]]\noperation = \"read\"\ncount = 1\n";
    assert!(refused(&format!("program = {{ operation = \"read\" }}\n{read}")).contains("move this phase before them"));
    let update = "[[phase]]\noperation = \"update\"\ncount = 1\n";
    let after = format!("{update}[[phase]]\noperation = \"program\"\nprogram = {{ operation = \"read\" }}\n");
    assert!(error_with(&after).contains("the rows as loaded"));
    assert!(error_with("[[phase]]\noperation = \"mix\"\ncount = 1\nmix = { program = 1 }").contains("a mix takes any"));
}

#[test]
fn rows_are_rounded_to_the_connections_of_every_phase() {
    let study = parse(&format!(
        "{SMALL}[[phase]]\noperation = \"read\"\ncount = 9\nconnections = 4\n[[phase]]\nname = \"more\"\noperation = \"read\"\ncount = 9\nconnections = 6\n"
    ))
    .expect("a study");
    assert_eq!(study.plan.configurations[0].rows, 12);
    assert_eq!(study.plan.configurations[0].phases[0].phase.end.count(), Some(12));
}

#[test]
fn phases_insert_into_ranges_of_their_own() {
    let study = parse(&format!(
        "{SMALL}[[phase]]\noperation = \"insert\"\ncount = 5\n[[phase]]\nname = \"mixed\"\noperation = \"mix\"\nmix = {{ insert = 1, read = 1 }}\nduration = \"1s\"\n"
    ))
    .expect("a study");
    assert_eq!(study.plan.configurations[0].phases[1].phase.first_row(), Some(10));
    assert!(study.plan.configurations[0].phases[2].phase.first_row() >= Some(15));
}

#[test]
fn rows_that_a_warmup_inserts_belong_to_the_range_of_its_phase() {
    let insert = |name: &str| {
        format!("[[phase]]\nname = \"{name}\"\noperation = \"insert\"\ncount = 5\nwarmup_count = 50\nconnections = 2\n")
    };
    let study = parse(&format!("{SMALL}{}{}", insert("one"), insert("two"))).expect("a study");
    let (one, two) = (&study.plan.configurations[0].phases[1].phase, &study.plan.configurations[0].phases[2].phase);
    // Warm-up and measured operations each end with a whole round of the connections.
    assert_eq!((one.first_row(), two.first_row()), (Some(10), Some(10 + 50 + 5 + 2 * 2 + 1)));
}

#[test]
fn numbers_that_no_job_can_have_are_refused_with_their_key() {
    let read = |more: &str| error_with(&format!("[[phase]]\noperation = \"read\"\ncount = 9\n{more}\n"));
    for (key, most) in [
        ("connections", "10,000"),
        ("depth", "10,000"),
        ("batch", "10,000"),
        ("commit_every", "4,294,967,295"),
        ("batch_rows", "100,000"),
        ("latest_rows", "1,000,000"),
        ("multi_read_rows", "10,000"),
    ] {
        let zero = read(&format!("{key} = 0"));
        assert_eq!(zero, format!("mine.toml: phase 'read': {key} must be from 1 to {most}, got 0"));
        if key != "commit_every" {
            let many = read(&format!("{key} = 4_000_000_000"));
            assert!(many.contains(&format!("{key} must be from 1 to {most}, got 4000000000")), "{many}");
        }
        assert!(read(&format!("{key} = -1")).contains("(line 12, column"));
    }
    let mix = |mix: &str| error_with(&format!("[[phase]]\noperation = \"mix\"\ncount = 9\nmix = {mix}\n"));
    assert!(mix("{ read = 0, update = 0 }").contains("all shares of the mix are 0"));
    assert!(mix("{ read = 4_000_000_000 }").contains("mix.read must be from 0 to 1,000,000"));
    for count in ["9_000_000_000_000_000_000", "4_294_967_290"] {
        let insert = error_with(&format!("[[phase]]\noperation = \"insert\"\ncount = {count}\n"));
        assert!(insert.contains("phase 'insert'") && insert.contains("count"), "{insert}");
    }
    let cache = |mb: &str| parse(&SMALL.replace("rows = 10", &format!("rows = 10\ncache_mb = {mb}")));
    assert!(cache("0").expect_err("no cache").to_string().contains("cache_mb must be from 1 to 1,048,576, got 0"));
    assert!(cache("9_000_000_000").is_err());
}

#[test]
fn a_key_that_belongs_to_another_operation_is_refused() {
    let with = |phase: &str| error_with(&format!("[[phase]]\ncount = 9\n{phase}\n"));
    for (key, phase) in [
        ("latest_rows", "operation = \"read\"\nlatest_rows = 5"),
        ("multi_read_rows", "operation = \"mix\"\nmix = { read = 1, multi-read = 0 }\nmulti_read_rows = 5"),
        ("load_path", "operation = \"insert\"\nload_path = \"batch\""),
        ("batch_rows", "operation = \"update\"\nbatch_rows = 5"),
    ] {
        let error = with(phase);
        assert!(error.contains(&format!("'{key}' belongs to the operation")), "{error}");
    }
    for (key, phase) in [
        ("distribution", "operation = \"scan\"\ndistribution = \"one\""),
        ("commit_every", "operation = \"read\"\ncommit_every = 5"),
        ("read_scope", "operation = \"mix\"\nmix = { update = 1, latest = 1 }\nread_scope = \"snapshot\""),
    ] {
        let error = with(phase);
        assert!(error.contains(&format!("'{key}' changes nothing of the operation")), "{error}");
    }
    assert!(
        with("operation = \"read\"\nsearch = { field = \"x\", rows = 1 }").contains("'search' belongs to operation")
    );
    assert!(with("operation = \"search\"").contains("'search' belongs to operation"));
    let by_row = parse(&SMALL.replace("commit_every", "batch_rows")).expect_err("no path of many rows").to_string();
    assert!(by_row.contains("'batch_rows' belongs to load_path"), "{by_row}");
}

#[test]
fn a_part_of_a_mix_without_a_share_is_none_of_it() {
    let study = parse(&format!(
        "{SMALL}[[phase]]\noperation = \"mix\"\ncount = 9\nmix = {{ read = 1, search = 0 }}\nwarmup_count = 0\n"
    ))
    .expect("a study");
    let phase = &study.plan.configurations[0].phases[1].phase;
    let actions: Vec<&Action> = phase.actions().collect();
    assert_eq!((actions, phase.warmup), (vec![&Action::Read], None));
}

#[test]
fn connections_that_no_number_of_rows_is_shared_by_are_refused() {
    let phase = |name: &str, connections: u32| {
        format!("[[phase]]\nname = \"{name}\"\noperation = \"read\"\ncount = 9\nconnections = {connections}\n")
    };
    let error = error_with(&[phase("a", 9_973), phase("b", 9_967), phase("c", 9_949)].concat());
    assert!(error.contains("no number of rows divides evenly"), "{error}");
}

#[test]
fn what_would_not_fit_into_a_clients_memory_is_refused() {
    let wide = SMALL.replace("= 100", "= 16_000_000").replace("commit_every", "load_path = \"batch\"\nbatch_rows");
    let error = parse(&wide.replace("batch_rows = 5", "batch_rows = 50_000")).expect_err("too much").to_string();
    assert!(error.contains("phase 'load'") && error.contains("GiB"), "{error}");
    parse(&wide).expect("five rows of 16 MB");
}

#[test]
fn actions_stand_in_the_order_of_time_and_nonsense_among_them_is_refused() {
    use kurabe_record::{Act, ServiceTarget};
    let phase = |more: &str| format!("[[phase]]\nname = \"it\"\noperation = \"update\"\nduration = \"2s\"\n{more}");
    let text = format!(
        "{SMALL}\n{}",
        phase("actions = [{ at = \"1s\", kill = \"store\" }, { at = \"5ms\", call = \"size\" }]")
    );
    let study = parse(&text).expect("a study");
    let plan = study.plan.configurations[0].phase("it").expect("the phase").clone();
    let acts: Vec<(u64, Act)> = plan.actions.iter().map(|action| (action.at_ns, action.act)).collect();
    assert_eq!(
        acts,
        [(5_000_000, Act::Call(kurabe_protocol::CallName::Size)), (1_000_000_000, Act::Kill(ServiceTarget::Store))]
    );
    assert!(plan.ends_a_service() && study.plan.configurations[0].deciding().all(|plan| plan.phase.name != "it"));
    for (more, words) in [
        ("actions = [{ at = \"2s\", kill = \"store\" }]", "comes after the end of the phase"),
        ("actions = [{ at = \"1s\" }]", "one thing to do"),
        ("actions = [{ at = \"1s\", kill = \"store\", call = \"size\" }]", "one thing to do"),
        ("actions = [{ at = \"1s\", kill = \"shop\" }]", "unknown word 'shop'"),
        ("actions = [{ at = \"1s\", call = \"reset\" }]", "changes nothing"),
        ("actions = [{ at = \"soon\", kill = \"store\" }]", "'soon'"),
        ("actions = [{ at = \"1s\", kill = \"store\" }, { at = \"1s\", restart = \"store\" }]", "twice"),
        ("deciding = true\nactions = [{ at = \"1s\", kill = \"store\" }]", "not ranked"),
        ("actions = [{ wen = \"1s\", kill = \"store\" }]", "wen"),
    ] {
        let said = error_with(&phase(more));
        assert!(said.contains(words), "{more}: {said}");
    }
    let load = SMALL.replace("commit_every", "actions = [{ at = \"1s\", call = \"size\" }]\ncommit_every");
    assert!(parse(&load).expect_err("a load").to_string().contains("'load' has no actions"));
}

/// Phases that kill a store during updates and count what that took.
const LOSSES: &str = r#"
[[phase]]
operation = "update"
duration = "2s"
actions = [{ at = "100ms", call = "size" }, { at = "200ms..1s", kill = "store" }]
[[phase]]
operation = "read"
connections = 2
counts_losses = true
"#;

#[test]
fn a_phase_that_counts_losses_reads_all_rows_behind_a_kill_and_is_the_last() {
    let study = parse(&format!("{SMALL}{LOSSES}")).expect("a study");
    let config = &study.plan.configurations[0];
    assert!(config.counts_losses() && !parse(SMALL).expect("a study").plan.configurations[0].counts_losses());
    let kill = &config.phase("update").expect("the phase").actions[1];
    assert_eq!((kill.at_ns, kill.at_most_ns), (200_000_000, Some(1_000_000_000)));
    assert_eq!(config.phase("read").expect("the phase").phase.end, End::Count(10));
    let range = "a range of moments";
    for (from, to, words) in [
        ("100ms", "1ms..5ms", range),
        ("200ms..1s", "1s..200ms", "ends before it begins"),
        ("200ms..1s", "1s..2s", "after the end of the phase"),
        ("kill = \"store\"", "call = \"count\"", "reads every row once"),
        ("kill = \"store\"", "kill = \"app\"", "reads every row once"),
        ("connections = 2", "actions = [{ at = \"1ms\", call = \"count\" }]", "exclude each other"),
        ("operation = \"update\"", "operation = \"insert\"", "reads every row once"),
        ("connections = 2", "count = 5", "reads every row once"),
        ("connections = 2", "distribution = \"uniform\"", "reads every row once"),
        ("connections = 2", "warmup_count = 2", "reads every row once"),
    ] {
        assert!(LOSSES.contains(from), "{from}");
        let said = error_with(&LOSSES.replace(from, to));
        assert!(said.contains(words), "{to}: {said}");
    }
    let behind = error_with(&format!("{LOSSES}[[phase]]\nname = \"more\"\noperation = \"read\"\ncount = 1\n"));
    assert!(behind.contains("is the last one"), "{behind}");
}

#[test]
fn libraries_stand_behind_the_service_that_the_study_names_and_its_control_stays() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let head = "baselines = [\"control\", \"echo\"]\nlibraries_behind = \"serve\"\n\
        stores = [\"sqlite\", \"redis\", \"lmdb+python\"]\n[[candidate]]\nname = \"control\"\n\
        store = \"file\"\napp = [\"serve\"]\ndurability = \"buffered\"\n";
    let text = format!("{}{LOSSES}", SMALL.replace("stores = [\"sqlite\"]\n", head));
    let of = |stores: &[&str]| {
        let stores = stores.iter().map(|store| (*store).to_string()).collect();
        let overrides = Overrides { stores, ..Overrides::default() };
        let study = Study::parse(&catalogue, "mine", "mine.toml", &text, &overrides, &no_file).expect("a study");
        let told = |one: &CandidateSpec| (one.name.clone(), one.is_baseline);
        study.candidates.iter().map(told).collect::<Vec<_>>()
    };
    let named = |all: &[(&str, bool)]| all.iter().map(|(name, is)| ((*name).to_string(), *is)).collect::<Vec<_>>();
    let own = [("control", true), ("echo", true), ("sqlite/serve", false), ("redis", false), ("lmdb+python", false)];
    assert_eq!(of(&[]), named(&own));
    assert_eq!(of(&["lmdb"]), named(&[("lmdb/serve", false), ("control", true), ("echo", true)]));
    assert_eq!(of(&["redis"])[..2], named(&[("redis", false), ("control", true)]));
}

#[test]
fn mistakes_name_the_phase_and_the_way_out() {
    assert_eq!(
        error_with("[[phase]]\noperation = \"read\"\n"),
        "mine.toml: phase 'read': give 'count', 'duration', or both"
    );
    assert!(
        error_with("[[phase]]\noperation = \"reed\"\ncount = 1\n")
            .contains("unknown word 'reed'; did you mean 'read'?")
    );
    assert!(error_with("[[phase]]\noperation = \"load\"\n").contains("phase 'load' appears twice"));
    assert!(
        error_with("[[phase]]\noperation = \"read\"\nduration = \"fast\"\n")
            .contains("invalid value 'fast': expected a duration")
    );
    assert!(error_with("[[phase]]\noperation = \"mix\"\ncount = 1\n").contains("mix = { read = 95"));
    assert!(
        error_with("[[phase]]\noperation = \"read\"\ncount = 1\nconection = 2\n")
            .contains("did you mean 'connections'?")
    );
    let no_load =
        parse("title=\"x\"\nrows=1\nvalue_len_bytes=9\nstores=[\"sqlite\"]\n[[phase]]\noperation=\"read\"\ncount=1\n");
    assert!(no_load.expect_err("no load").to_string().contains("first phase must be the load"));
}

#[test]
fn the_command_line_wins_over_the_file() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let overrides = Overrides {
        profile: None,
        stores: vec!["lmdb,sqlite".into()],
        all: false,
        durability: Some(kurabe_record::MinimumDurability::Power),
        rounds: Some(7),
        budget_ns: Some(5),
        rows: Some(20),
        sizes: None,
        full: false,
        axes: Vec::new(),
        data: None,
        transport: Some(Transport::Unix),
        seed: Some(9),
        pitfalls: PitfallChoice::None,
        need_per_s: Some(100.0),
        slo: None,
        rate: None,
        equivalent: None,
        used_by: None,
    };
    let study = Study::parse(&catalogue, "mine", "mine.toml", SMALL, &overrides, &no_file).expect("a study");
    let (plan, config) = (&study.plan, &study.plan.configurations[0]);
    assert_eq!((config.rounds, config.rows, plan.seed, plan.budget_ns), (7, 20, 9, Some(5)));
    assert_eq!(plan.durability, kurabe_record::MinimumDurability::Power);
    assert!(study.asked_by_name);
    assert_eq!(study.candidates.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["lmdb", "sqlite"]);
}

#[test]
fn tables_stand_beside_the_short_form_and_give_way_to_the_command_line() {
    let text = format!("{SMALL}[[candidate]]\nname = \"big\"\nstore = \"sqlite\"\nsettings = {{ cache_size = 9 }}\n");
    let names = |study: Study| study.candidates.into_iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names(parse(&text).expect("a study")), ["sqlite", "big"]);
    let alone = parse(&text.replace("stores = [\"sqlite\"]\n", "")).expect("a study");
    assert_eq!(names(alone), ["big"]);
    let twice = parse(&text.replace("\"big\"", "\"sqlite\"")).expect_err("a mistake").to_string();
    assert_eq!(twice, "mine.toml: candidate 'sqlite' appears twice; remove or rename one");
    let none = parse(&SMALL.replace("stores = [\"sqlite\"]\n", "")).expect_err("a mistake").to_string();
    assert!(none.contains("no store is named"), "{none}");
    let unknown = parse(&text.replace("settings =", "setting =")).expect_err("a mistake").to_string();
    assert!(unknown.contains("unknown key 'setting'; did you mean 'settings'?"), "{unknown}");
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let stores = Overrides { stores: vec!["lmdb".into()], ..Overrides::default() };
    assert_eq!(
        names(Study::parse(&catalogue, "mine", "mine.toml", &text, &stores, &no_file).expect("a study")),
        ["lmdb"]
    );
    let all = Overrides { all: true, ..Overrides::default() };
    let study = Study::parse(&catalogue, "mine", "mine.toml", &text, &all, &no_file).expect("a study");
    assert!(!study.asked_by_name);
    let known = catalogue.stores().iter().map(|store| store.variants.len().max(1)).sum::<usize>();
    assert_eq!(names(study).len(), known);
}

#[test]
fn a_table_says_how_a_candidate_of_the_command_line_runs_whoever_drives_it() {
    let text = format!(
        "{SMALL}[[candidate]]\nname = \"cdb\"\nstore = \"tinycdb\"\ndurability = \"finish\"\nsettings = {{ duplicates = \"keep\" }}\n"
    );
    let with = |text: &str, stores: &str, durability: Option<kurabe_record::MinimumDurability>| {
        let overrides = Overrides { stores: vec![stores.into()], durability, ..Overrides::default() };
        let specs = parse_with(text, overrides).expect("a study").candidates;
        let told = |spec: crate::CandidateSpec| (spec.name, spec.durability.unwrap_or_default(), spec.settings.len());
        specs.into_iter().map(told).collect::<Vec<_>>()
    };
    let is = |name: &str, durability: &str, settings: usize| (name.to_string(), durability.to_string(), settings);
    assert_eq!(
        with(&text, "tinycdb+perl,tinycdb,qdbm", None),
        [is("tinycdb+perl", "finish", 1), is("tinycdb", "finish", 1), is("qdbm", "", 0)]
    );
    // What is asked of all is not what the table had in mind.
    assert_eq!(with(&text, "tinycdb", Some(kurabe_record::MinimumDurability::Power)), [is("tinycdb", "", 1)]);
    // A table of one client says nothing of the others, and of two nobody knows which is meant.
    let perl = text.replace("store = \"tinycdb\"", "store = \"tinycdb\"\nclient = \"perl\"");
    assert_eq!(with(&perl, "tinycdb,tinycdb+php", None), [is("tinycdb", "", 0), is("tinycdb+php", "", 0)]);
    let two = format!("{text}[[candidate]]\nname = \"tinycdb\"\nstore = \"tinycdb\"\ndurability = \"finish-sync\"\n");
    assert_eq!(
        with(&two, "tinycdb+perl,tinycdb", None),
        [is("tinycdb+perl", "", 0), is("tinycdb", "finish-sync", 0)],
        "but by its name"
    );
}

const SIZED: &str = r#"
title = "sized"
rounds = 5
value_len_bytes = 100
stores = ["sqlite"]
[[axis]]
name = "rows"
values = [1_000, 10]
[[phase]]
operation = "load"
[[phase]]
operation = "read"
count_at_most = 100
connections = 4
"#;

fn parse_with(text: &str, overrides: Overrides) -> Result<Study, StudyError> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    Study::parse(&catalogue, "mine", "mine.toml", text, &overrides, &no_file)
}

/// Rows, rounds and operations of the second phase of every configuration.
fn told(study: &Study) -> Vec<(u64, u32, Option<u64>)> {
    study
        .plan
        .configurations
        .iter()
        .map(|config| (config.rows, config.rounds, config.phases[1].phase.end.count()))
        .collect()
}

#[test]
fn sizes_ascend_with_counts_of_their_own() {
    let study = parse(SIZED).expect("a study");
    assert_eq!(told(&study), [(12, 5, Some(12)), (1_000, 5, Some(100))]);
    assert_eq!(study.plan.axes[0].values, [AxisValue::Number(12), AxisValue::Number(1_000)]);
    assert_eq!(study.plan.configurations[0].value_of("rows"), Some(&AxisValue::Number(12)));
}

#[test]
fn sizes_of_the_command_line_take_the_place_of_those_of_the_study() {
    let sizes =
        |text: &str| Overrides { sizes: Some(parse_sizes("--sizes", text).expect("sizes")), ..Overrides::default() };
    let study = parse_with(SIZED, sizes("2k,100,1m")).expect("a study");
    assert_eq!(told(&study), [(100, 5, Some(100)), (2_000, 5, Some(100)), (1_000_000, 5, Some(100))]);
    let rounds = Overrides { rounds: Some(7), ..sizes("100,2k") };
    assert_eq!(told(&parse_with(SIZED, rounds).expect("a study")).iter().map(|one| one.1).collect::<Vec<_>>(), [7, 7]);
    let one = parse_with(SIZED, Overrides { rows: Some(5_000), ..Overrides::default() }).expect("a study");
    assert_eq!((told(&one), one.plan.axes.len()), (vec![(5_000, 5, Some(100))], 0));
    assert_eq!(told(&parse_with(SIZED, sizes("10k")).expect("one size")), [(10_000, 5, Some(100))]);
}

#[test]
fn sizes_that_are_none_are_refused_in_words() {
    let of = |text: &str| parse_sizes("--sizes", text);
    assert_eq!(of("10k, 1m,250_000").expect("sizes"), [10_000, 1_000_000, 250_000]);
    for wrong in ["", "10x", "k", "-1", "1.5m", "10k,,1m", "99999999999999999999", "99999999999999999m", "é"] {
        let error = of(wrong).expect_err(wrong).to_string();
        assert!(error.contains("expected a number of rows such as 10k, 1m or 250000"), "{error}");
    }
    let error = |text: &str| {
        let sizes = Overrides { sizes: Some(of(text).expect("sizes")), ..Overrides::default() };
        parse_with(SIZED, sizes).expect_err(text).to_string()
    };
    assert_eq!(error("10k,10000"), "mine.toml: axis 'rows': value '10000' appears twice; remove or rename one");
    let rounded = "mine.toml: two sizes round to 12 rows, a multiple of the connections; remove one";
    assert_eq!(error("12,9"), rounded);
    assert!(error("5000m,1").contains("rows must be from 1 to 4,000,000,000, got 5000000000"));
    assert!(error("0,1").contains("got 0"));
    let many = (1..50).map(|n| (n * 4).to_string()).collect::<Vec<_>>().join(",");
    assert!(error(&many).contains("49 values are too many; give at most 40"));
}

#[test]
fn rows_and_an_axis_over_them_exclude_each_other_and_one_is_needed() {
    let told = |text: &str| parse(text).expect_err("a mistake").to_string();
    let both = told(&SIZED.replace("rounds = 5\n", "rounds = 5\nrows = 9\n"));
    assert!(both.contains("'rows' and '[[axis]] name = \"rows\"' exclude each other"), "{both}");
    assert!(told(&SMALL.replace("rows = 10\n", "")).contains("give 'rows', or an [[axis]] over rows"));
    let unknown = told(&SIZED.replace("values = [1_000, 10]", "value = [1_000, 10]"));
    assert!(unknown.contains("unknown key 'value'; did you mean 'values'?"), "{unknown}");
    let counts = told(&SIZED.replace("count_at_most = 100", "count_at_most = 100\ncount = 5"));
    assert!(counts.contains("'count' and 'count_at_most' exclude each other"), "{counts}");
    assert!(told(&SIZED.replace("rounds = 5", "rounds = 0")).contains("rounds must be from 1 to 1,000, got 0"));
}

/// Rows of a text key, a text, and two numbers, one of them with two values.
const COLUMNS: &str = r#"
title = "columns"
rows = 1_000
stores = ["sqlite"]
[[field]]
name = "id"
type = "text"
prefix = "prefix_"
digits = 6
[[field]]
name = "kind"
type = "int64"
distinct = 2
[[field]]
name = "price"
type = "int64"
[[phase]]
operation = "load"
"#;

#[test]
fn a_search_asks_for_rows_or_for_all_values_from_one_on() {
    let with = |search: &str| {
        parse(&format!("{COLUMNS}[[phase]]\noperation = \"search\"\ncount = 1\nsearch = {{ {search} }}\n"))
    };
    let wanted = |search: &str| {
        let study = with(search).expect("a study");
        study.plan.configurations[0].phases[1].phase.search().map(|search| search.wanted)
    };
    assert_eq!(wanted("field = \"kind\", at_least = 2"), Some(SearchRange::AtLeast(2)));
    assert_eq!(wanted("field = \"price\", at_least = 30_000"), Some(SearchRange::AtLeast(30_000)));
    assert_eq!(wanted("field = \"price\", rows = 10"), Some(SearchRange::Rows(10)));
    for (search, said) in [
        ("field = \"price\"", "either rows = N or at_least = N"),
        ("field = \"price\", rows = 1, at_least = 1", "either rows = N or at_least = N"),
        ("field = \"kind\", rows = 10", "at_least = N"),
        ("field = \"kind\", at_least = 3", "search.at_least must be from 0 to 2, got 3"),
        ("field = \"price\", at_least = 2_147_483_648", "from 0 to 2,147,483,647"),
        ("field = \"id\", at_least = 1", "search.field: unknown int64 column 'id'"),
        ("field = \"price\", least = 1", "least"),
    ] {
        let error = with(search).expect_err(search).to_string();
        assert!(error.contains(said), "{search}: {error}");
    }
}

#[test]
fn rows_and_inserts_fit_the_digits_of_the_key() {
    let with = |rows: &str, more: &str| parse(&format!("{}{more}", COLUMNS.replace("1_000", rows)));
    let insert = "[[phase]]\noperation = \"insert\"\ncount = 10\n";
    assert!(with("1_000_000", "").is_ok() && with("999_000", insert).is_ok());
    for (rows, more) in [("1_000_001", ""), ("1_000_000", insert)] {
        let error = with(rows, more).expect_err(rows).to_string();
        assert!(error.contains("keys of 6 digits distinguish only 1,000,000"), "{error}");
    }
    for (old, new, said) in [
        ("digits = 6", "digits = 5", "field 'id': only a text key has digits, from 6 to 10"),
        ("distinct = 2", "distinct = 0", "has 'distinct', at least 1"),
    ] {
        let error = parse(&COLUMNS.replace(old, new)).expect_err(new).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn an_encoding_is_that_of_the_study_or_of_an_axis() {
    let encodings = |text: &str| -> Vec<Encoding> {
        parse(text).expect("a study").plan.configurations.iter().map(|config| config.encoding).collect()
    };
    assert_eq!(encodings(COLUMNS), [Encoding::Raw]);
    let yaml = COLUMNS.replace("rows = 1_000", "rows = 1_000\nencoding = \"yaml\"");
    assert_eq!(encodings(&yaml), [Encoding::Yaml]);
    let axis = "[[axis]]\nname = \"encoding\"\nvalues = [\"messagepack\", \"raw\", \"json\"]\n";
    assert_eq!(encodings(&format!("{COLUMNS}{axis}")), [Encoding::Messagepack, Encoding::Raw, Encoding::Json]);
    for (text, said) in [
        (format!("{yaml}{axis}"), "'encoding' and '[[axis]] name = \"encoding\"' exclude each other"),
        (COLUMNS.replace("rows = 1_000", "rows = 1_000\nencoding = \"xml\""), "xml"),
        (format!("{COLUMNS}{}", axis.replace("json", "jsno")), "json"),
    ] {
        let error = parse(&text).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn each_store_is_measured_in_the_profiles_that_are_asked_for() {
    let names = |study: &str, profile: Option<AskedProfile>| -> (StoreProfile, Vec<String>) {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let overrides = Overrides { profile, ..Overrides::default() };
        let study = Study::parse(&catalogue, "mine", "mine.toml", study, &overrides, &no_file).expect("right");
        (study.plan.profile, study.candidates.into_iter().map(|one| one.name).collect())
    };
    let both = format!("profile = \"both\"{SMALL}");
    assert_eq!(names(SMALL, None), (StoreProfile::Default, vec!["sqlite".into()]));
    assert_eq!(names(SMALL, Some(AskedProfile::Tuned)), (StoreProfile::Tuned, vec!["sqlite".into()]));
    let two = || vec!["sqlite (default)".to_string(), "sqlite (tuned)".to_string()];
    assert_eq!(names(&both, None), (StoreProfile::Default, two()));
    assert_eq!(names(SMALL, Some(AskedProfile::Both)), (StoreProfile::Default, two()));
    assert_eq!(names(&both, Some(AskedProfile::Tuned)), (StoreProfile::Tuned, vec!["sqlite".into()]));
    let error = error_with("[[axis]]\nname = \"profile\"\nvalues = [\"default\", \"fast\"]\n");
    assert!(error.contains("unknown value 'fast'"), "{error}");
}
