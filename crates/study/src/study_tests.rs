use super::*;

fn parse(text: &str) -> Result<Study, StudyError> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    Study::parse(&catalogue, "mine", "mine.toml", text, &Overrides::default(), &|_| unreachable!("no data"))
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
        Study::open(&catalogue, &name, &Overrides::default()).expect("a built-in study");
    }
}

#[test]
fn rows_are_rounded_to_the_connections_of_every_phase() {
    let study = parse(&format!(
        "{SMALL}[[phase]]\noperation = \"read\"\ncount = 9\nconnections = 4\n[[phase]]\nname = \"more\"\noperation = \"read\"\ncount = 9\nconnections = 6\n"
    ))
    .expect("a study");
    assert_eq!(study.rows, 12);
    assert_eq!(study.phases[0].phase.count, Some(12));
}

#[test]
fn phases_insert_into_ranges_of_their_own() {
    let study = parse(&format!(
        "{SMALL}[[phase]]\noperation = \"insert\"\ncount = 5\n[[phase]]\nname = \"mixed\"\noperation = \"mix\"\nmix = {{ insert = 1, read = 1 }}\nduration = \"1s\"\n"
    ))
    .expect("a study");
    assert_eq!(study.phases[1].phase.first_row, 10);
    assert!(study.phases[2].phase.first_row >= 15);
}

#[test]
fn mistakes_name_the_phase_and_the_way_out() {
    assert_eq!(
        error_with("[[phase]]\noperation = \"read\"\n"),
        "mine.toml: phase 'read': give a count, a duration, or both"
    );
    assert!(error_with("[[phase]]\noperation = \"reed\"\ncount = 1\n").contains("unknown variant `reed`"));
    assert!(error_with("[[phase]]\noperation = \"load\"\n").contains("used twice"));
    assert!(error_with("[[phase]]\noperation = \"read\"\nduration = \"fast\"\n").contains("'fast' is no duration"));
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
        stores: Some("lmdb,sqlite".into()),
        all: false,
        durability: Some(Floor::Power),
        rounds: Some(7),
        budget_ns: Some(5),
        rows: Some(20),
        transport: Some(Transport::Unix),
        seed: Some(9),
    };
    let study = Study::parse(&catalogue, "mine", "mine.toml", SMALL, &overrides).expect("a study");
    assert_eq!((study.rounds, study.rows, study.seed, study.budget_ns), (7, 20, 9, Some(5)));
    assert_eq!(study.durability, Floor::Power);
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
    assert_eq!(twice, "mine.toml: candidate 'sqlite' is named twice");
    let none = parse(&SMALL.replace("stores = [\"sqlite\"]\n", "")).expect_err("a mistake").to_string();
    assert!(none.contains("no store is named"), "{none}");
    let unknown = parse(&text.replace("settings =", "setting =")).expect_err("a mistake").to_string();
    assert!(unknown.contains("unknown key 'setting'; did you mean 'settings'?"), "{unknown}");
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let stores = Overrides { stores: Some("lmdb".into()), ..Overrides::default() };
    assert_eq!(names(Study::parse(&catalogue, "mine", "mine.toml", &text, &stores).expect("a study")), ["lmdb"]);
    let all = Overrides { all: true, ..Overrides::default() };
    let study = Study::parse(&catalogue, "mine", "mine.toml", &text, &all).expect("a study");
    assert!(!study.asked_by_name);
    let known = catalogue.stores().iter().map(|store| store.variants.len().max(1)).sum::<usize>();
    assert_eq!(names(study).len(), known);
}
