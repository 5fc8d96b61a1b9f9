use super::*;
use crate::catalogue::Catalogue;
use crate::overrides::Overrides;
use crate::pitfalls::PitfallChoice;
use crate::study::Study;
use kurabe_record::Factor;

const STUDY: &str = r#"
title = "axes"
rows = 100
value_len_bytes = 100
baselines = ["echo"]
stores = ["sqlite", "redis"]
[[phase]]
operation = "load"
commit_every = 5
[[phase]]
operation = "read"
count = 9
[[phase]]
operation = "update"
count = 9
"#;

fn study_of(axes: &[&str], change: impl Fn(&mut Overrides)) -> Result<Study, StudyError> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let axes = axes.iter().map(|text| AskedAxis::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let mut overrides = Overrides { axes, ..Overrides::default() };
    change(&mut overrides);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("axes.toml");
    std::fs::write(&file, STUDY).expect("a file");
    Study::open(&catalogue, &file.display().to_string(), &overrides)
}

fn study(axes: &[&str]) -> Study {
    study_of(axes, |_| {}).expect("a study")
}

fn mistake(axes: &[&str]) -> String {
    study_of(axes, |_| {}).expect_err("a mistake").to_string()
}

fn at(axis: &str, value: AxisValue) -> Factor {
    Factor { axis: axis.into(), value }
}

#[test]
fn the_axis_window_is_one_over_durability_from_the_strongest_to_the_weakest_sound_minimum() {
    let study = study(&["window"]);
    let names: Vec<&str> =
        study.candidates.iter().map(|one| one.name.as_str()).filter(|name| *name != "echo").collect();
    assert_eq!(names.len(), 12, "{names:?}");
    assert_eq!((names[0], names[5]), ("sqlite (power)", "sqlite (consistent)"));
    assert!(names.contains(&"redis (window=1s)"), "{names:?}");
    assert_eq!(study.plan.axes[0].name, "durability");
    assert!(mistake(&["window", "durability=power,consistent"]).contains("axis 'durability' appears twice"));
}

#[test]
fn an_axis_of_the_work_makes_levels_of_the_same_rows() {
    let study = study(&["connections=8,1,64"]);
    let told: Vec<(u64, u32)> =
        study.plan.configurations.iter().map(|config| (config.rows, config.phases[1].phase.connections)).collect();
    assert_eq!(told, [(128, 1), (128, 8), (128, 64)], "a multiple of every number of connections, in order");
    assert_eq!(study.plan.configurations[1].factors, [at("connections", AxisValue::Number(8))]);
    assert_eq!(study.candidates.len(), 3);
}

#[test]
fn two_axes_multiply_and_rows_are_outermost() {
    let study = study(&["commit_every=1,10", "rows=1k,100"]);
    let told: Vec<(u64, u32)> =
        study.plan.configurations.iter().map(|config| (config.rows, config.phases[0].phase.commit_every)).collect();
    assert_eq!(told, [(100, 1), (100, 10), (1_000, 1), (1_000, 10)].map(|(rows, every)| (rows, every)));
    // No row is read with a commit.
    assert!(study.plan.configurations.iter().all(|config| config.phases[1].phase.commit_every == 1));
}

#[test]
fn phases_that_only_read_share_a_load() {
    let study = study(&["read.read_scope=each,snapshot"]);
    let [config] = study.plan.configurations.as_slice() else { panic!("one configuration") };
    let told: Vec<(&str, Option<&str>)> =
        config.phases.iter().map(|plan| (plan.phase.name.as_str(), plan.base.as_deref())).collect();
    let expected = [("load", None), ("read-each", Some("read")), ("read-snapshot", Some("read")), ("update", None)];
    assert_eq!(told, expected);
    assert_eq!(config.phases[2].factors, [at("read_scope", AxisValue::Word("snapshot".into()))]);
    // What writes starts anew at each value.
    assert_eq!(self::study(&["update.connections=1,4"]).plan.configurations.len(), 2);
}

#[test]
fn candidates_expand_and_baselines_do_not() {
    let study = study(&["durability=consistent,power", "client=rust,python"]);
    let names: Vec<&str> = study.candidates.iter().map(|one| one.name.as_str()).collect();
    let stores =
        ["sqlite (consistent)+rust", "sqlite (consistent)+python", "sqlite (power)+rust", "sqlite (power)+python"];
    assert_eq!(names[..5], ["echo", stores[0], stores[1], stores[2], stores[3]]);
    assert_eq!((study.plan.configurations.len(), names.len()), (1, 9));
    let one = &study.candidates[3];
    assert_eq!((one.base.as_deref(), one.client.client.as_str()), (Some("sqlite"), "rust"));
    assert_eq!(one.factors[0], at("durability", AxisValue::Word("power".into())));
}

#[test]
fn durability_is_a_minimum_or_the_name_of_a_setting() {
    let asked = |stores: &str| stores_with(stores, "durability=off,consistent");
    let study = asked("sqlite,redis").expect("a study");
    let stores = study.candidates.iter().filter(|one| one.store != "echo");
    let told: Vec<(&str, Option<&str>, Option<String>)> = stores
        .map(|one| (one.name.as_str(), one.durability.as_deref(), one.cannot.as_ref().map(ToString::to_string)))
        .collect();
    let expected = [
        ("sqlite (off)", Some("off"), None),
        ("sqlite (consistent)", None, None),
        ("redis (off)", Some("off"), Some("Redis has no durability setting 'off'".to_string())),
        ("redis (consistent)", None, None),
    ];
    assert_eq!(told, expected);
    let none = asked("redis").expect_err("nobody has it").to_string();
    assert!(none.contains("durability 'off'"), "{none}");
}

#[test]
fn each_stands_for_every_setting_of_each_store() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let of = |store: &str| {
        let settings = catalogue.store(store).expect("a store").durability.iter();
        settings.map(|setting| format!("{store} ({})", setting.name)).collect::<Vec<_>>()
    };
    let made = study(&["durability=each"]).candidates;
    let names: Vec<String> = made.iter().map(|one| one.name.clone()).collect();
    assert_eq!(names, [vec!["echo".into()], of("sqlite"), of("redis")].concat());
    assert!(made.iter().all(|one| one.cannot.is_none()));
}

fn stores_with(stores: &str, axis: &str) -> Result<Study, StudyError> {
    study_of(&[axis], |asked| asked.stores = vec![stores.into()])
}

#[test]
fn what_a_candidate_cannot_be_is_kept_with_the_reason() {
    let no_client = study(&["client=rust,perl:dbd"]);
    let names: Vec<&str> = no_client.candidates.iter().map(|one| one.name.as_str()).collect();
    assert!(names.contains(&"redis+rust") && !names.contains(&"redis+perl:dbd"), "it has the other: {names:?}");
    let other = stores_with("redb,sqlite", "client=python,jdbc").expect("a study");
    let redb: Vec<_> = other.candidates.iter().filter(|one| one.store == "redb").collect();
    assert_eq!(redb.iter().filter(|one| one.cannot.is_some()).count(), 2, "it has neither: {redb:?}");
    let none = study_of(&["durability=consistent,power"], |asked| asked.stores = vec!["memcached,sqlite".into()]);
    let none = none.expect("a study");
    let told: Vec<bool> = none.candidates.iter().map(|one| one.cannot.is_some()).collect();
    assert_eq!(told, [true, true, false, false], "memcached promises nothing of the kind");
    let setting = study(&["settings.cache_size=-2000,-8000"]);
    let told: Vec<(&str, bool)> =
        setting.candidates.iter().map(|one| (one.name.as_str(), one.cannot.is_some())).collect();
    assert_eq!(told[1], ("sqlite (cache_size=-2000)", false));
    assert_eq!(told[3], ("redis (cache_size=-2000)", true));
}

#[test]
fn mistakes_name_the_axis_and_the_way_out() {
    for (axes, said) in [
        (&["connections=8"][..], "needs at least two values; for one value, write connections = 8 in the phase"),
        (&["rows=10k"], "use --rows 10000"),
        (&["conections=1,8"], "unknown axis 'conections'; did you mean 'connections'?"),
        (&["distribution=uniform,zipfain"], "unknown value 'zipfain'; did you mean 'zipfian'?"),
        (&["connections=1,x"], "invalid value 'x': expected a number of rows such as 10k"),
        (&["connections=1,8,1"], "value '1' appears twice"),
        (&["connections=1,8", "connections=2,4"], "axis 'connections' appears twice"),
        (&["latest_rows=1,8"], "no phase does anything that 'latest_rows' could change"),
        (&["read.commit_every=1,8"], "none of these phases does anything that 'commit_every' could change"),
        (&["reed.connections=1,8"], "unknown phase 'reed'; did you mean 'read'?"),
        (&["read.rows=1,8"], "does not depend on a phase; leave 'read' out"),
        (&["settings.cache_sise=1,2"], "unknown setting 'settings.cache_sise'; did you mean 'settings.cache_size'?"),
        (&["client=rust,cobol"], "unknown client 'cobol'"),
        (&["connections"], "expected an axis such as connections=1,8,64"),
        (&["=1,2"], "expected an axis"),
        (&["connections=0,1"], "connections must be from 1 to 10,000, got 0"),
        (&["value_len_bytes=0,999999999999"], "len_bytes"),
    ] {
        let error = mistake(axes);
        assert!(error.contains(said), "{axes:?}: {error}");
    }
}

#[test]
fn an_axis_and_a_flag_for_the_same_thing_are_refused() {
    let told =
        |axes: &[&str], change: &dyn Fn(&mut Overrides)| study_of(axes, change).expect_err("a mistake").to_string();
    let rows = told(&["rows=10,20"], &|asked| asked.rows = Some(5));
    assert!(rows.contains("'--axis rows' and '--rows' exclude each other"), "{rows}");
    let sizes = told(&["rows=10,20"], &|asked| asked.sizes = Some(vec![5, 6]));
    assert!(sizes.contains("'--axis rows' and '--sizes' exclude each other"), "{sizes}");
    let baseline = told(&["durability=consistent,power"], &|asked| {
        asked.durability = Some(kurabe_record::MinimumDurability::Power)
    });
    assert!(baseline.contains("'--axis durability' and '--durability' exclude each other"), "{baseline}");
    let client = told(&["client=rust,python"], &|asked| asked.stores = vec!["sqlite+python".into()]);
    assert!(client.contains("candidate 'sqlite+python' sets this itself"), "{client}");
    // A baseline of one language stays beside stores in all of them.
    let baselines = study_of(&["client=rust,python"], |asked| asked.stores = vec!["echo+perl,sqlite".into()]);
    let names: Vec<String> = baselines.expect("a study").candidates.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["echo+perl", "sqlite+rust", "sqlite+python"]);
}

#[test]
fn axes_that_multiply_to_too_many_jobs_are_refused_with_their_number() {
    let ten = "1,2,3,4,5,6,7,8,9,10";
    let error = mistake(&[
        &format!("connections={ten}"),
        &format!("commit_every={ten}"),
        "rows=1k,2k,3k,4k,5k,6k,7k,8k,9k,10k",
    ]);
    assert!(error.contains("1,000 configurations of 3 candidates are 3,000 jobs a round, more than 2,000"), "{error}");
    let error = mistake(&[
        &format!("settings.cache_size={ten}"),
        &format!("settings.page_size={ten}"),
        &format!("depth={ten}"),
    ]);
    assert!(error.contains("10 configurations of 300 candidates are 3,000 jobs a round"), "{error}");
}

#[test]
fn an_axis_is_written_as_it_is_read() {
    for text in [
        "connections=1,8,64",
        "read.read_scope=each,snapshot",
        "settings.cache_size=1,2",
        "durability=consistent,power",
    ] {
        assert_eq!(AskedAxis::parse(text).expect(text).word(), text);
    }
}

#[test]
fn an_axis_over_indexes_is_about_the_columns_that_are_searched() {
    let text = r#"
title = "indexes"
rows = 100
stores = ["sqlite"]
[[field]]
name = "id"
type = "int64"
[[field]]
name = "kind"
type = "int64"
distinct = 2
[[field]]
name = "price"
type = "int64"
[[axis]]
name = "indexed"
values = ["no", "yes"]
[[phase]]
operation = "load"
[[phase]]
operation = "search"
count = 1
search = { field = "kind", at_least = 2 }
"#;
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let folder = tempfile::tempdir().expect("a folder");
    let open = |text: &str| {
        let file = folder.path().join("indexes.toml");
        std::fs::write(&file, text).expect("a file");
        Study::open(&catalogue, &file.display().to_string(), &Overrides::default())
    };
    let study = open(text).expect("a study");
    let indexed = |config: &kurabe_record::Configuration| -> Vec<bool> {
        config.schema.fields.iter().map(|field| field.indexed).collect()
    };
    let told: Vec<_> =
        study.plan.configurations.iter().map(|config| (config.factors.clone(), indexed(config))).collect();
    let word = |word: &str| vec![at("indexed", AxisValue::Word(word.into()))];
    assert_eq!(told, [(word("no"), vec![false; 3]), (word("yes"), vec![false, true, false])]);
    let said = |text: String| open(&text).expect_err("a mistake").to_string();
    assert!(
        said(text.replace("distinct = 2", "indexed = true"))
            .contains("field 'kind' and axis 'indexed' both set 'indexed'")
    );
    let without = &text[..text.rfind("[[phase]]").expect("a phase")];
    assert!(said(without.to_string()).contains("no phase searches"));
    assert!(said(text.replace("\"yes\"", "\"perhaps\"")).contains("perhaps"));
}

#[test]
fn an_axis_over_the_length_of_values_needs_no_length_beside_it() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let axis = "[[axis]]\nname = \"value_len_bytes\"\nvalues = [1000, 10]\n";
    let open = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("axes.toml");
        std::fs::write(&file, text).expect("a file");
        Study::open(&catalogue, &file.display().to_string(), &Overrides::default())
    };
    let without = STUDY.replace("value_len_bytes = 100\n", "");
    let study = open(&format!("{without}{axis}")).expect("a study");
    let lengths: Vec<_> = study.plan.configurations.iter().map(|config| config.schema.fields[1].len_bytes).collect();
    assert_eq!(lengths, [Some(10), Some(1000)]);
    assert!(open(&without).expect_err("no length").to_string().contains("value_len_bytes"));
}

#[test]
fn a_number_on_an_axis_that_cannot_be_is_told_with_its_range() {
    for (axis, range) in
        [("connections=0", "1 to 10,000"), ("read.latest_rows=0,1", "1 to 1,000,000"), ("depth=1,10001", "10,000")]
    {
        let error = mistake(&[axis]);
        assert!(error.contains("must be from 1 to") && error.contains(range), "{error}");
    }
}

/// The study with more text in it.
fn study_with(more: &str) -> Result<Study, String> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("axes.toml");
    std::fs::write(&file, format!("{STUDY}{more}")).expect("a file");
    let pitfalls = if more.contains("[[pitfall]]") { PitfallChoice::All } else { PitfallChoice::None };
    let overrides = Overrides { pitfalls, ..Overrides::default() };
    Study::open(&catalogue, &file.display().to_string(), &overrides).map_err(|error| error.to_string())
}

/// An axis of two patches under names of their own.
fn own_axis(first: &str, second: &str) -> String {
    let one = |name: &str, change: &str| {
        format!("[[axis.variation]]\nname = '{name}'\n[[axis.variation.change]]\n{change}\n")
    };
    format!("[[axis]]\nname = 'shape'\n{}{}", one("first", first), one("second", second))
}

#[test]
fn an_axis_of_the_studys_own_patches_the_work_or_candidates() {
    let work = own_axis("rows = { value_len_bytes = 10 }", "phase = 'update'\nset = { connections = 4 }");
    let study = study_with(&work).expect("a study");
    let told: Vec<(u64, u32, u32)> = study
        .plan
        .configurations
        .iter()
        .map(|one| (one.rows, one.schema.fields[1].len_bytes.unwrap_or(0), one.phases[2].phase.connections))
        .collect();
    assert_eq!(told, [(100, 10, 1), (100, 100, 4)]);
    let shorter = study_with(&own_axis("without = ['read']", "rows = { value_len_bytes = 50 }")).expect("a study");
    let phases: Vec<usize> = shorter.plan.configurations.iter().map(|one| one.phases.len()).collect();
    assert_eq!(phases, [2, 3], "one leaves a phase out");
    assert_eq!(study.plan.configurations[1].factors, [at("shape", AxisValue::Word("second".into()))]);
    let candidates = own_axis("stores = ['sqlite']\ndurability = 'off'", "stores = ['redis']\nargs = ['--x']");
    let study = study_with(&candidates).expect("a study");
    let names: Vec<&str> = study.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["echo", "sqlite (first)", "sqlite (second)", "redis (first)", "redis (second)"]);
    assert_eq!(study.candidates[1].durability.as_deref(), Some("off"));
    assert_eq!((study.candidates[2].durability.as_deref(), study.candidates[4].args.len()), (None, 1));
    let study = study_with(&own_axis("durability = 'off'", "durability = 'wal-full'")).expect("SQLite has both");
    let cannot = study.candidates.iter().filter_map(|one| Some(one.cannot.as_ref()?.to_string())).collect::<Vec<_>>();
    assert!(cannot.len() == 2 && cannot[0].contains("unknown durability setting 'off'"), "{cannot:?}");
}

#[test]
fn patches_that_cannot_be_are_refused_with_the_reason() {
    for (first, second, words) in [
        ("durability = 'off'", "rows = { rows = 5 }", "either the work or candidates"),
        ("stores = ['redis']\nrows = { rows = 5 }", "rows = { rows = 6 }", "all candidates do the same work"),
        ("phase = 'raed'\nset = { count = 2 }", "rows = { rows = 6 }", "unknown phase 'raed'; did you mean 'read'?"),
        ("phase = 'read'\nset = { cuont = 2 }", "rows = { rows = 6 }", "cuont"),
        ("rows = { rwos = 2 }", "rows = { rows = 6 }", "rwos"),
        ("output = 'log'", "rows = { rows = 6 }", "either the work"),
        ("without = ['raed']", "rows = { rows = 6 }", "unknown phase 'raed'; did you mean 'read'?"),
        ("phase = 'read'\nset = { name = 'x' }", "rows = { rows = 6 }", "a phase keeps its name"),
        ("stores = ['sqlit']\ndurability = 'off'", "durability = 'no'", "unknown store 'sqlit'"),
        ("stores = []\ndurability = 'off'", "durability = 'no'", "stores = [] selects no store"),
        ("stores = ['sqlite']\ndurability = 'of'", "stores = ['redis']\nargs = ['--x']", "did you mean 'off'?"),
        (
            "stores = ['sqlite']\nsettings = { cache_size = [1] }",
            "settings = { x = 1 }",
            "must be a text, a number, true or false",
        ),
        ("phase = 'load'\nset = { rows_from = 'sqlite@x://u:secret@h' }", "rows = { rows = 6 }", "got 'sqlite'"),
    ] {
        let said = study_with(&own_axis(first, second)).expect_err(words);
        assert!(said.contains(words) && !said.contains("secret"), "{said}");
    }
    let said = study_with("[[axis]]\nname = 'connections'\nvalues = [1]\n[[axis.variation]]\nname = 'a'\nchange = []");
    assert!(said.expect_err("a key").contains("a name of its own"));
    let said = study_with(&own_axis("rows = { rows = 5 }", "rows = { rows = 6 }").replace("'shape'", "'pitfall'"));
    assert!(said.expect_err("a word of ours").contains("the name 'pitfall' is taken"));
    let said = study_with("[[axis]]\nname = 'own'\n[[axis.variation]]\nname = 'A B'\nchange = []");
    assert!(said.expect_err("a name").contains("invalid value 'A B': expected 1 to 30 of the characters a to z"));
}

#[test]
fn a_pitfall_that_names_a_phase_which_it_cannot_touch_is_refused_also_where_it_is_not_measured() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let of = |more: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("axes.toml");
        std::fs::write(&file, format!("{STUDY}[[pitfall]]\nname = 'lazy'\nsays = 'x'\n{more}")).expect("a file");
        let study = Study::open(&catalogue, &file.display().to_string(), &Overrides::default());
        study.map(|_| ()).map_err(|error| error.to_string())
    };
    let change = |change: &str| format!("[[pitfall.change]]\n{change}\n");
    for (more, words) in [
        // What is set already, also where the study leaves it to the default.
        (change("phase = 'read'\nset = { connections = 1, depth = 1 }"), "changes nothing of phase 'read'"),
        (change("stores = ['sqlite']\nphase = 'read'\nset = { depth = 1 }\ndurability = 'off'"), "set already"),
        (change("phase = 'read'\nset = { depth = 2 }\nwithout = ['read']"), "changes phase 'read' and leaves it out"),
        (
            change("stores = ['sqlite']\nphase = 'read'\nset = { depth = 2 }")
                + &change("stores = ['redis', 'sqlite']\nwithout = ['read']"),
            "leaves it out",
        ),
        (
            change("stores = ['file/express']\nphase = 'read'\nset = { depth = 2 }"),
            "cannot change phase 'read', which none of its stores can do",
        ),
        (change("phase = 'raed'\nset = { depth = 2 }"), "unknown phase 'raed'; did you mean 'read'?"),
        (change("without = ['raed']"), "unknown phase 'raed'; did you mean 'read'?"),
    ] {
        let said = of(&more).expect_err(words);
        assert!(said.contains(words) && said.contains("line "), "{said}");
    }
    // One store that can do it is enough, and another store may be without what these have.
    of(&change("stores = ['file/express', 'sqlite']\nphase = 'read'\nset = { depth = 2 }")).expect("one can");
    of(&(change("stores = ['sqlite']\nphase = 'read'\nset = { depth = 2 }")
        + &change("stores = ['redis']\nwithout = ['read']")))
    .expect("each its own");
    of(&change("phase = 'load'\nset = { commit_every = 7 }")).expect("another value");
    let on_axis = |to: &str| {
        let axis = "[[axis]]\nname = 'read_scope'\nphases = ['read']\nvalues = ['each', 'snapshot']\n";
        of(&format!("axis = {{ name = 'read_scope', from = 'each', to = '{to}' }}\n{axis}"))
    };
    on_axis("snapshot").expect("two values");
    let said = on_axis("each").expect_err("one value");
    assert!(said.contains("'from' and 'to' are both 'each'"), "{said}");
}

#[test]
fn two_variations_that_set_a_key_to_different_values_are_named() {
    let pitfall =
        |name: &str, change: &str| format!("[[pitfall]]\nname = '{name}'\nsays = 'x'\n[[pitfall.change]]\n{change}\n");
    let of = |first: &str, second: &str| study_with(&(pitfall("one", first) + &pitfall("two", second)));
    for (first, second, key) in [
        (
            "phase = 'read'\nset = { count = 7 }",
            "phase = 'read'\nset = { count = 8 }",
            "'count' of phase 'read', to 7 and to 8",
        ),
        ("rows = { rows = 10 }", "rows = { rows = 20 }", "'rows', to 10 and to 20"),
        (
            "stores = ['sqlite']\ndurability = 'off'",
            "stores = ['sqlite']\ndurability = 'wal-full'",
            "'durability', to off and to wal-full",
        ),
    ] {
        let said = of(first, second).expect_err(key);
        assert!(said.contains(&format!("pitfall 'one' and pitfall 'two' both set {key}")), "{said}");
        assert!(said.contains("alone = true"), "{said}");
    }
    of("rows = { rows = 10 }", "rows = { rows = 10 }").expect("the same value twice");
    // Beside the first value of an axis a pitfall may change what that says; of rows every value is a control.
    let axis = |name: &str| format!("[[axis]]\nname = '{name}'\nvalues = [1, 8]\n");
    let study = study_with(&(axis("connections") + &pitfall("one", "phase = 'read'\nset = { connections = 4 }")));
    let configurations = study.expect("a study").plan.configurations;
    let connections =
        |at: usize| configurations[at].phases.iter().map(|plan| plan.phase.connections).collect::<Vec<u32>>();
    assert_eq!((configurations.len(), connections(0), connections(2)), (3, vec![1, 1, 1], vec![1, 4, 1]));
    let two = |first: &str, second: &str| {
        let other = own_axis(second, "rows = { encoding = 'json' }").replace("'shape'", "'other'");
        study_with(&(own_axis(first, "rows = { encoding = 'json' }") + &other))
    };
    let said = two("phase = 'read'\nset = { connections = 2 }", "phase = 'read'\nset = { connections = 3 }");
    let said = said.expect_err("two axes set one key");
    assert!(
        said.contains("axis 'shape' and axis 'other' both set 'connections' of phase 'read', to 2 and to 3"),
        "{said}"
    );
    let sized = "[[axis]]\nname = 'value_len_bytes'\nvalues = [10, 20]\n";
    let said = study_with(&(own_axis("rows = { value_len_bytes = 50 }", "rows = { rows = 5 }") + sized));
    assert!(said.expect_err("both say how long").contains("both set 'value_len_bytes'"));
    let of = |first: &str, second: &str| {
        own_axis(first, "stores = ['sqlite']\ndurability = 'wal-full'") + &pitfall("one", second)
    };
    let study =
        study_with(&of("stores = ['sqlite']\ndurability = 'off'", "stores = ['sqlite']\ndurability = 'delete-full'"));
    let names: Vec<String> = study.expect("a study").candidates.into_iter().map(|one| one.name).collect();
    assert_eq!(names.iter().filter(|name| name.contains("[one]")).collect::<Vec<_>>(), ["sqlite (first) [one]"]);
    let twice = "stores = ['sqlite']\ndurability = 'off'\n[[axis.variation.change]]\ndurability = 'delete-full'";
    let said = study_with(&own_axis(twice, "stores = ['redis']\nargs = ['--x']")).expect_err("twice");
    assert!(said.contains("axis 'shape' sets 'durability' twice, to off and to delete-full"), "{said}");
    let phases = "[[axis]]\nname = 'connections'\nphases = ['read']\nvalues = [1, 8]\n".to_string();
    let said = study_with(&(phases + &pitfall("one", "phase = 'read'\nset = { connections = 4 }")));
    let said = said.expect_err("phases of one job have all values");
    assert!(said.contains("pitfall 'one' and axis 'connections' both set 'connections' of phase 'read'"), "{said}");
}

#[test]
fn a_design_of_one_factor_at_a_time_counts_what_it_makes() {
    let axis = |name: &str| {
        format!("[[axis]]\nname = '{name}'\nvalues = {:?}\ndesign = 'one-at-a-time'\n", (1..=40).collect::<Vec<u32>>())
    };
    let three = axis("batch") + &axis("depth") + &axis("commit_every");
    let study = study_with(&three).expect("118 configurations, not 64,000");
    assert_eq!(study.plan.configurations.len(), 1 + 3 * 39);
    let control = |one: &kurabe_record::Configuration| one.is_usual(&study.plan.axes);
    assert_eq!(study.plan.configurations.iter().filter(|one| control(one)).count(), 1);
    let said = study_with(&three.replace("one-at-a-time", "full")).expect_err("too many");
    assert!(said.contains("64,000 configurations of 3 candidates are 192,000 jobs a round"), "{said}");
}
