use kurabe_record::LatencyStatistic;

use super::*;
use crate::overrides::Overrides;
use crate::pitfalls::PitfallChoice;
use crate::study::Study;

const STUDY: &str = r#"title = "claims"
value_len_bytes = 100
stores = ["sqlite", "redis"]
[[axis]]
name = "rows"
values = [100, 1_000]
[[axis]]
name = "read_scope"
phases = ["read"]
values = ["each", "snapshot"]
[[phase]]
operation = "load"
[[phase]]
operation = "read"
count = 9
"#;

fn study_of(more: &str, pitfalls: PitfallChoice) -> Result<Study, StudyError> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.toml");
    std::fs::write(&file, format!("{STUDY}{more}")).expect("a file");
    let overrides = Overrides { pitfalls, ..Overrides::default() };
    Study::open(&catalogue, &file.display().to_string(), &overrides)
}

/// The one condition of a claim.
fn condition(more: &str) -> Condition {
    let study = study_of(&format!("[[claim]]\nname = 'a'\nsays = 'b'\n{more}"), PitfallChoice::None).expect("a claim");
    match study.plan.claims.claims.into_iter().next().expect("a claim").judged {
        Judged::By(condition) => condition,
        other => panic!("not judged by results: {other:?}"),
    }
}

/// The mistake in a claim, without the name of the file.
fn mistake(more: &str) -> String {
    let error = study_of(&format!("[[claim]]\nname = 'a'\nsays = 'b'\n{more}"), PitfallChoice::None);
    error.expect_err("a mistake").to_string().split_once("own.toml: ").expect("the file is named").1.to_string()
}

fn statement(more: &str) -> Statement {
    match condition(more) {
        Condition::Is(statement) => *statement,
        other => panic!("not one statement: {other:?}"),
    }
}

fn place(phase: &str) -> PhaseRef {
    PhaseRef { phase: phase.into(), at: Vec::new() }
}

#[test]
fn faster_and_slower_are_one_thing_and_so_is_a_latency() {
    let ratio = |candidate: &str, than: &str, metric| Statement::Ratio {
        candidate: candidate.into(),
        than: than.into(),
        metric,
        place: place("load"),
        than_place: None,
        bounds: Bounds { at_least: Some(1.0), at_most: None },
    };
    let expected = ratio("sqlite", "redis", Metric::Rate);
    assert_eq!(statement("faster = 'sqlite'\nthan = 'redis'\nphase = 'load'"), expected);
    assert_eq!(statement("slower = 'redis'\nthan = 'sqlite'\nphase = 'load'"), expected);
    // Less of a latency is faster.
    let by = "faster = 'sqlite'\nthan = 'redis'\nphase = 'load'\nby = 'p99'";
    assert_eq!(statement(by), ratio("redis", "sqlite", Metric::P99));
}

#[test]
fn every_value_of_an_axis_and_every_phase_is_a_statement_of_its_own() {
    let Condition::All(all) = condition("first = 'sqlite'\nphases = ['load', 'read']\nat = { rows = 'every' }") else {
        panic!("several statements")
    };
    assert_eq!(all.len(), 4);
}

#[test]
fn a_claim_keeps_its_words_and_its_digest_changes_with_it() {
    let digest = |says: &str| {
        let claim = format!("[[claim]]\nname = 'a'\nsays = '{says}'\nfails = 'sqlite'\n");
        study_of(&claim, PitfallChoice::None).expect("a study").plan.claims.digest
    };
    assert_eq!(digest("b"), digest("b"));
    assert_ne!(digest("b"), digest("c"));
    assert_eq!(study_of("", PitfallChoice::None).expect("a study").plan.claims, Claims::default());
}

#[test]
fn a_claim_may_be_about_a_size_beyond_those_of_the_study() {
    let claim = "[[claim]]\nname = 'a'\nsays = 'b'\nfirst = 'sqlite'\nphase = 'read'\nat = { rows = 10_000 }\n";
    assert!(study_of(claim, PitfallChoice::None).is_ok(), "a run with --sizes may have it");
}

#[test]
fn what_the_study_does_not_have_is_told_with_its_place_and_the_nearest_word() {
    let said = mistake("first = 'sqlite'\nphase = 'reed'");
    assert_eq!(said, "unknown phase 'reed'; did you mean 'read'? (line 20, column 9)");
    let said = mistake("first = 'sqlight'\nphase = 'read'");
    assert_eq!(said, "unknown candidate 'sqlight'; did you mean 'sqlite'? (line 19, column 9)");
    let said = mistake("first = 'sqlite'\nphase = 'read'\nat = { rows = 500 }");
    assert_eq!(said, "axis 'rows': unknown value '500'; expected one of: 100, 1000 (line 21, column 15)");
    let said = mistake("first = 'sqlite'\nphase = 'read'\nat = { row = 100 }");
    assert!(said.starts_with("unknown axis 'row'; did you mean 'rows'? (line 21"), "{said}");
    let said = mistake("first = 'sqlite'\nphase = 'load'\nat = { read_scope = 'each' }");
    assert!(said.starts_with("axis 'read_scope' does not change the phase 'load'"), "{said}");
    assert!(mistake("fist = 'sqlite'").starts_with("unknown key 'fist'; did you mean 'first'?"));
}

#[test]
fn a_condition_states_one_thing_and_has_only_what_belongs_to_it() {
    let two = mistake("first = 'sqlite'\nslowest = 'redis'\nphase = 'read'");
    assert!(two.starts_with("'first' and 'slowest' are two conditions; put them into all = […]"), "{two}");
    assert!(
        mistake("phase = 'read'")
            .starts_with("this claim states nothing; give one of all, any, most, many, not, first")
    );
    let odd = mistake("fails = 'sqlite'\nphase = 'read'");
    assert!(odd.starts_with("'phase' has no meaning beside 'fails', which takes at"), "{odd}");
    assert!(mistake("all = []").contains("the list has no condition"));
    assert!(mistake("all = [{ first = 'sqlite', phase = 'read', says = 'x' }]").contains("belong to a claim"));
    assert!(mistake("first = 'sqlite'").contains("the claim names no phase; give phase = \"…\", one of: load, read"));
}

#[test]
fn rates_are_not_compared_with_bytes_nor_a_thing_with_itself() {
    let said = mistake("rate = 'sqlite'\nphase = 'read'\nat_least = '5 MiB'");
    assert_eq!(said, "invalid value '5 MiB': expected a rate such as 1000/s for rate (line 21, column 12)");
    assert!(
        mistake("size_on_disk = 'sqlite'\nat_most = '5ms'")
            .contains("invalid value '5ms': expected a size such as 100 MiB for disk-per-row")
    );
    let said = mistake("latency = 'sqlite'\npercentile = 'p98'\nphase = 'read'\nat_most = '5ms'");
    assert!(said.starts_with("unknown percentile 'p98'; did you mean 'p90'?"), "{said}");
    let said = mistake("faster = 'sqlite'\nthan = 'sqlite'\nphase = 'read'");
    assert!(said.contains("compared with itself"), "{said}");
    assert!(mistake("faster = 'sqlite'\nphase = 'read'").contains("has nothing to compare with"));
    let bounds = "faster = 'sqlite'\nthan = 'redis'\nphase = 'read'\nby_at_least = 3\nby_at_most = 2";
    assert!(mistake(bounds).contains("no value lies between 3 and 2"));
    assert!(mistake("size_on_disk = 'sqlite'\nthan = 'redis'").contains("no bound"));
    assert!(
        mistake("same_within = 0.9\ncandidates = ['sqlite', 'redis']\nphase = 'read'")
            .contains("expected a factor above 1")
    );
}

#[test]
fn two_claims_of_one_name_are_refused_and_a_claim_needs_its_words() {
    let claim = "[[claim]]\nname = 'a'\nsays = 'b'\nfails = 'sqlite'\n";
    let said = study_of(&claim.repeat(2), PitfallChoice::None).expect_err("a mistake").to_string();
    assert!(said.contains("claim 'a' appears twice; remove or rename one (line 21, column 8)"), "{said}");
    let nameless = study_of("[[claim]]\nsays = 'b'\nfails = 'sqlite'\n", PitfallChoice::None);
    assert!(nameless.expect_err("a mistake").to_string().contains("a claim needs a name"));
    let silent = study_of("[[claim]]\nname = 'a'\nfails = 'sqlite'\n", PitfallChoice::None);
    assert!(silent.expect_err("a mistake").to_string().contains("claim 'a': a claim needs a sentence"));
    let bell = study_of(&claim.replace("'b'", "\"b\\u0007\""), PitfallChoice::None).expect_err("a mistake").to_string();
    assert!(bell.contains("claim 'a': 'says' has the control character '\\u{7}'"), "{bell}");
}

#[test]
fn published_figures_have_units_and_places() {
    let table = |unit: &str, values: &str| {
        format!(
            "[[published]]\ntitle = 't'\nconditions = 'c'\n{unit}\ncolumns = [{{ name = 'x', phase = 'load' }}, {{ name = 'y' }}]\nrows = [{{ name = 'S', candidate = 'sqlite', values = {values} }}]\n"
        )
    };
    let study = study_of(&table("unit = 'min:s'", "['5:18', '–']"), PitfallChoice::None).expect("a table");
    let cells = &study.plan.claims.published[0].rows[0].cells;
    assert_eq!((cells[0].value, cells[1].value), (Some(318.0), None));
    assert_eq!((cells[0].place.clone(), cells[1].place.clone()), (Some(place("load")), None));
    let mistake = |text: String| study_of(&text, PitfallChoice::None).expect_err("a mistake").to_string();
    assert!(mistake(table("", "[1, 2]")).contains("the key 'unit' is missing"));
    assert!(mistake(table("unit = 'parsec'", "[1, 2]")).contains("unknown word 'parsec'"));
    assert!(mistake(table("unit = 's'", "[1, 2]")).contains("column 'y' needs the phase that did its work"));
    let own =
        study_of(&table("unit = 's'", "[{ value = 5, phase = 'read', operations = 7 }, '–']"), PitfallChoice::None);
    let own = own.expect("a table").plan.claims.published[0].rows[0].cells[0].clone();
    assert_eq!(
        (own.value, own.place.map(|place| place.phase), own.operations),
        (Some(5.0), Some("read".into()), Some(7.0))
    );
    assert!(mistake(table("unit = 's'", "[1]")).contains("has 1 values, but the table has 2 columns"));
    assert!(mistake(table("unit = 's'", "['5:18', 1]")).contains("expected a number above 0"));
}

#[test]
fn published_times_of_single_operations_are_percentiles_or_the_longest() {
    let table = |unit: &str| {
        format!(
            "[[published]]\ntitle = 't'\nconditions = 'c'\nunit = '{unit}'\ncolumns = [{{ name = '50 %', phase = 'read', of = 'p50' }}, {{ name = '66 %', phase = 'read' }}, {{ name = 'longest', phase = 'read', of = 'longest' }}]\nrows = [{{ name = 'S', candidate = 'sqlite', values = [234, 453, 16218] }}]\n"
        )
    };
    let study = study_of(&table("ms"), PitfallChoice::None).expect("a table");
    let cells = &study.plan.claims.published[0].rows[0].cells;
    let of = |at: usize| (cells[at].value, cells[at].of, cells[at].place.is_some());
    assert_eq!(of(0), (Some(234.0), Some(LatencyStatistic::P50), true));
    assert_eq!(of(1), (Some(453.0), None, false), "of 66 in 100 nothing is ours");
    assert_eq!(of(2), (Some(16_218.0), Some(LatencyStatistic::Longest), true));
    let said = study_of(&table("s"), PitfallChoice::None).expect_err("a mistake").to_string();
    assert!(said.contains("'of' in column '50 %'") && said.contains("unit = \"ms\""), "{said}");
}

const PITFALL: &str = "[[pitfall]]\nname = 'lazy'\nsays = 'x'\n[[pitfall.change]]\n";

#[test]
fn a_pitfall_makes_other_candidates_in_configurations_of_their_own() {
    let commit = format!("{PITFALL}phase = 'load'\nset = {{ commit_every = 50 }}\nstores = ['sqlite']\n");
    let study = study_of(&commit, PitfallChoice::All).expect("a study");
    let names: Vec<&str> = study.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sqlite", "redis", "sqlite [lazy]"]);
    assert_eq!(study.plan.configurations.len(), 4, "each of two sizes with it and without");
    assert_eq!(study.plan.configurations[3].pitfall(), Some("lazy"));
    assert_eq!((study.plan.control(3), study.plan.control(1)), (1, 1));
    assert_eq!(study.plan.configurations[3].only, ["sqlite [lazy]"]);
    assert_eq!(study.plan.configurations[3].phases[0].phase.commit_every, 50);
    assert_eq!(study.plan.configurations[1].phases[0].phase.commit_every, 1, "the corrected work stays");
    assert!(study.plan.takes_part(0, "sqlite") && !study.plan.takes_part(3, "sqlite"));
    assert!(study.plan.takes_part(3, "sqlite [lazy]") && !study.plan.takes_part(2, "redis"));
    assert!(!study.plan.takes_part(0, "sqlite [lazy]"));
    assert_eq!(study_of(&commit, PitfallChoice::None).expect("a study").candidates.len(), 2, "it is not asked for");
}

#[test]
fn settings_of_a_pitfall_go_to_those_that_it_concerns() {
    let both = format!(
        "{PITFALL}durability = 'off'\nstores = ['sqlite']\n[[pitfall.change]]\nphase = 'load'\nset = {{ commit_every = 7 }}\n"
    );
    let study = study_of(&both, PitfallChoice::Named(vec!["lazy".into()])).expect("a study");
    let one =
        |name: &str| study.candidates.iter().find(|one| one.name == name).expect("a candidate").durability.clone();
    assert_eq!((one("sqlite [lazy]"), one("redis [lazy]")), (Some("off".into()), None));
    assert_eq!(study.plan.configurations.len(), 6, "two groups, as one has more changed");
}

fn as_published(study: &Study) -> &kurabe_record::Configuration {
    let all = study.plan.configurations.iter();
    all.into_iter().find(|one| one.pitfall() == Some("as-published")).expect("all pitfalls together")
}

#[test]
fn what_one_pitfall_changes_another_may_leave_out() {
    let two = format!(
        "{PITFALL}phase = 'read'\nset = {{ count = 7 }}\n{}without = ['read']\n{}phase = 'read'\nset = {{ depth = 2 }}\n",
        PITFALL.replace("lazy", "short"),
        PITFALL.replace("lazy", "deep")
    );
    let study = study_of(&two, PitfallChoice::AsPublished).expect("a study");
    let config = as_published(&study);
    assert_eq!(config.phases.iter().map(|plan| plan.phase.name.as_str()).collect::<Vec<_>>(), ["load"]);
}

#[test]
fn pitfalls_together_change_each_its_own_key_of_a_phase_and_one_may_stay_alone() {
    let pitfall = |name: &str, change: &str| format!("{}{change}\n", PITFALL.replace("lazy", name));
    let three = pitfall("short", "phase = 'read'\nset = { count = 7 }")
        + &pitfall("deep", "phase = 'read'\nset = { depth = 2 }")
        + &pitfall("small", "without = ['read']").replace("says = 'x'", "says = 'x'\nalone = true");
    let study = study_of(&three, PitfallChoice::AsPublished).expect("a study");
    let read = &as_published(&study).phases[1].phase;
    assert_eq!((read.end.count(), read.depth), (Some(7), 2));
    // One is removed at a time, in the order of the study; the last step is the correct work itself.
    let together: Vec<(&str, &[String])> =
        study.plan.pitfalls.iter().map(|one| (one.name.as_str(), one.together.as_slice())).collect();
    let names = ["short".to_string(), "deep".to_string()];
    assert_eq!(together, [("as-published", &names[..]), ("as-published-1", &names[1..])]);
    let step = study.plan.configurations.iter().find(|one| one.pitfall() == Some("as-published-1")).expect("a step");
    assert_eq!((step.phases[1].phase.end.count() == Some(7), step.phases[1].phase.depth), (false, 2));
    let all = study_of(&three, PitfallChoice::All).expect("a study");
    let names: std::collections::BTreeSet<&str> =
        all.plan.pitfalls.iter().map(|pitfall| pitfall.name.as_str()).collect();
    assert_eq!(names, ["as-published", "deep", "short", "small"].into());
}

#[test]
fn a_pitfall_may_take_another_client_a_proxy_or_fewer_rows() {
    let text = STUDY.replace("[[axis]]\nname = \"rows\"\nvalues = [100, 1_000]\n", "");
    let of = |stores: &str, change: &str| {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("own.toml");
        let text = text.replace("stores = [\"sqlite\", \"redis\"]", &format!("rows = 1_000\nstores = ['{stores}']"));
        std::fs::write(&file, format!("{text}{PITFALL}{change}")).expect("a file");
        let overrides = Overrides { pitfalls: PitfallChoice::All, ..Overrides::default() };
        Study::open(&catalogue, &file.display().to_string(), &overrides).map_err(|error| error.to_string())
    };
    let study = of("file/express", "client = 'node:read-last-lines-1.8'").expect("a study");
    assert_eq!(
        [&study.candidates[0].client, &study.candidates[1].client].map(ToString::to_string),
        ["node:append", "node:read-last-lines-1.8"]
    );
    let study = of("sqlite/serve", "proxy = 'link'").expect("a study");
    assert_eq!(study.candidates[1].app, ["serve", "link"]);
    let study = of("sqlite", "rows = { rows = 100 }").expect("a study");
    assert_eq!(study.plan.configurations.iter().map(|config| config.rows).collect::<Vec<_>>(), [1_000, 100]);
    for (stores, change, words) in [
        ("sqlite", "proxy = 'link'", "runs before another service"),
        ("file/express", "client = 'node:append'", "changes nothing"),
        ("file/express", "client = 'node:pg'", "by node:append, node:read-last-lines-1.8"),
        (
            "sqlite/express",
            "settings = { latest = 'eldest' }",
            "settings.latest: unknown value 'eldest'; expected one of: newest, oldest",
        ),
        ("sqlite", "rows = { rows = 1_000 }", "changes nothing"),
    ] {
        let said = of(stores, change).expect_err(words);
        assert!(said.contains(words), "{said}");
    }
    let said = study_of(&format!("{PITFALL}rows = {{ rows = 100 }}"), PitfallChoice::All);
    let said = said.expect_err("an axis says how many").to_string();
    assert!(said.contains("axis 'rows' both set 'rows'") && said.contains("pitfall 'lazy'"), "{said}");
}

#[test]
fn a_pitfall_that_changes_nothing_is_refused() {
    let mistake =
        |text: &str, choice| study_of(&format!("{PITFALL}{text}"), choice).expect_err("a mistake").to_string();
    let said = mistake("phase = 'load'\nset = { commit_every = 1 }\n", PitfallChoice::All);
    assert!(said.contains("pitfall 'lazy' changes nothing of phase 'load': what it sets is set already"), "{said}");
    let said = mistake(
        "stores = ['lmdb']\nphase = 'load'\nset = { commit_every = 5 }\n",
        PitfallChoice::Named(vec!["lazy".into()]),
    );
    assert!(said.contains("changes nothing for the stores of this run"), "{said}");
    let said = mistake("phase = 'lode'\nset = { commit_every = 5 }\n", PitfallChoice::All);
    assert!(said.contains("unknown phase 'lode'; did you mean 'load'?"), "{said}");
    let said = mistake("phase = 'load'\nset = { comit_every = 5 }\n", PitfallChoice::All);
    assert!(said.contains("comit_every") && said.contains("line 19"), "{said}");
    let said = mistake("stores = ['sqlite']\ndurability = 'of'\n", PitfallChoice::All);
    assert!(said.contains("did you mean 'off'?"), "{said}");
    let said = study_of("", PitfallChoice::All).expect_err("no pitfall").to_string();
    assert_eq!(said, "--pitfalls: this study has no pitfall; leave the flag out");
    let lazy = format!("{PITFALL}phase = 'load'\nset = {{ commit_every = 5 }}\n");
    let said = study_of(&lazy, PitfallChoice::Named(vec!["lasy".into()])).expect_err("unknown").to_string();
    assert_eq!(said, "unknown pitfall 'lasy'; did you mean 'lazy'?");
}

#[test]
fn what_can_never_be_judged_or_never_fail_is_a_mistake_with_its_place() {
    for (claim, words) in [
        ("same_within = 1.1\ncandidates = ['sqlite', 'sqlite']\nphase = 'read'", "compared with itself"),
        ("slowest = 'redis'\namong = []\nphase = 'read'", "nobody but 'redis'"),
        ("first = 'redis'\namong = ['redis']\nphase = 'read'", "nobody but 'redis'"),
        ("growth = 'redis'\nis = 'linear'\nfrom = 1_000\nto = 100\nphase = 'read'", "from fewer rows to more"),
        ("growth = 'redis'\nis = 'linear'\nfrom = 100\nto = 100\nphase = 'read'", "from fewer rows to more"),
        ("memory = 'redis'\nthan = 'redis'\nby_at_least = 2.0\nphase = 'read'", "compared with itself"),
        (
            "changes = 'rows'\nfrom = 100\nto = 100\ncandidate = 'redis'\nby_at_least = 2.0\nphase = 'read'",
            "to the same value",
        ),
    ] {
        let said = mistake(claim);
        assert!(said.contains(words) && said.contains("line "), "{claim}: {said}");
    }
    // `among` names the others: whom the statement is about may stand there and need not.
    for end in ["first", "slowest"] {
        for among in ["['sqlite']", "['redis', 'sqlite']"] {
            let stated = statement(&format!("{end} = 'redis'\namong = {among}\nphase = 'read'"));
            let Statement::Extreme { candidate, among, .. } = stated else { panic!("{end}: {stated:?}") };
            assert!(candidate == "redis" && among.contains(&"sqlite".to_string()), "{end}: {among:?}");
        }
    }
    let memcached = STUDY.replace("[\"sqlite\", \"redis\"]", "[\"memcached\"]");
    let claim = "[[claim]]\nname = 'a'\nsays = 'b'\ndurability = 'power'\nrate = 'memcached'\nat_least = '5/s'\nphase = 'read'\n";
    let open = |study: &str| {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("own.toml");
        std::fs::write(&file, format!("{study}{claim}")).expect("a file");
        Study::open(&catalogue, &file.display().to_string(), &Overrides::default())
    };
    let said = open(&memcached).expect_err("no such configuration").to_string();
    assert!(said.contains("durability 'power'") && said.contains("line "), "{said}");
    open(STUDY).expect("others have it");
}

#[test]
fn a_pitfall_for_nobody_and_one_that_makes_a_load_of_a_read_are_mistakes() {
    for (change, words) in [
        ("stores = ['nobody']\nargs = ['-x']", "unknown store 'nobody'"),
        ("stores = []\nargs = ['-x']", "selects no store"),
        (
            "phase = 'read'\nset = { operation = 'load' }",
            "phase 'read': a change cannot turn a load into another operation, or another operation into a load",
        ),
        (
            "phase = 'load'\nset = { operation = 'read' }",
            "phase 'load': a change cannot turn a load into another operation",
        ),
        ("phase = 'raed'\nset = { count = 2 }", "unknown phase 'raed'; did you mean 'read'?"),
        ("phase = 'read'\nset = { cuont = 2 }", "cuont"),
        ("phase = 'read'", "belong together"),
        ("without = ['raed']", "unknown phase 'raed'"),
    ] {
        let pitfall = format!("[[pitfall]]\nname = 't'\nsays = 's'\n[[pitfall.change]]\n{change}\n");
        // Also where it is not measured.
        for choice in [PitfallChoice::None, PitfallChoice::All] {
            let said = study_of(&pitfall, choice).expect_err(change).to_string();
            assert!(said.contains(words) && said.contains("line "), "{change}: {said}");
        }
    }
}

#[test]
fn a_program_that_is_not_the_sources_needs_a_reason() {
    let source = "[source]\ntitle = 't'\nsite = 's'\ndate = 'd'\n";
    let binding = |more: &str| format!("[[binding]]\nname = 'b'\nbinds = {{ oldbase = 'sqlite' }}\n{more}");
    let error = |text: String| study_of(&text, PitfallChoice::None).expect_err("a mistake").to_string();
    let said = error(binding("") + source);
    assert!(said.contains("'sqlite' is not 'oldbase' of the source: give the reason in 'stands_for'"), "{said}");
    assert!(study_of(&binding(""), PitfallChoice::None).is_ok(), "an own study may call things as it likes");
    let given = study_of(&(binding("stands_for = { oldbase = 'it is gone' }\n") + source), PitfallChoice::None);
    let given = given.expect("a reason").plan.claims.bindings[0].stands_for.clone();
    assert_eq!(given, [("oldbase".to_string(), "it is gone".to_string())].into());
    let said = error(binding("stands_for = { other = 'x' }\n") + source);
    assert!(said.contains("'other'") && said.contains("oldbase"), "{said}");
    let said = error(binding("stands_for = { oldbase = ' ' }\n") + source);
    assert!(said.contains("needs a reason"), "{said}");
}

#[test]
fn facts_and_counts_judge_too() {
    let condition_of = |more: &str| condition(more);
    let three = "[{ first = 'sqlite', phase = 'load' }, { first = 'lmdb', phase = 'load' }, { slowest = 'lmdb', phase = 'load' }]";
    for (word, count) in [("most", 2), ("many", 1)] {
        let found = condition_of(&format!("{word} = {three}"));
        assert!(matches!(&found, Condition::AtLeast(least, of) if (*least, of.len()) == (count, 3)), "{found:?}");
    }
    let fact = "known = 'wrong'\nfact = 'it does'\nfact_source = 'https://example.org/'";
    let study = study_of(&format!("[[claim]]\nname = 'a'\nsays = 'b'\n{fact}"), PitfallChoice::None).expect("a fact");
    let judged = &study.plan.claims.claims[0].judged;
    assert!(matches!(judged, Judged::Known(known) if !known.is_right && known.fact == "it does"), "{judged:?}");
    assert!(mistake("known = 'wrong'\nfact = 'it does'").contains("fact_source"));
    assert!(mistake("known = 'maybe'\nfact = 'x'\nfact_source = 'https://x'").contains("maybe"));
}
