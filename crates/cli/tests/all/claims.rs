//! Claims and pitfalls, as a person writes and checks them.

use std::collections::BTreeMap;

use crate::common::{Place, assert_mistake, assert_refused, finish};
use serde_json::Value;

/// The blocks of TOML in the page about claims: a study, ten claims, and a published table.
fn examples() -> Vec<String> {
    let page = include_str!("../../../../docs/CLAIMS.md");
    let blocks = page.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("a block ends").to_string()).collect()
}

fn verdicts(answer: &Value) -> BTreeMap<String, Vec<String>> {
    let claims = answer["claims"]["claims"].as_array().expect("claims");
    let words = |claim: &Value| {
        let judgements = claim["judgements"].as_array().expect("judgements").iter();
        judgements.map(|one| one["verdict"].as_str().expect("a verdict").to_string()).collect()
    };
    claims.iter().map(|claim| (claim["name"].as_str().expect("a name").to_string(), words(claim))).collect()
}

#[test]
fn every_example_of_the_page_about_claims_is_judged() {
    let place = Place::new();
    let examples = examples();
    assert_eq!(examples.len(), 12, "a study, ten claims and a table");
    // Other work on this machine must not make a claim of it fail: what is claimed are factors that no load turns
    // round.
    let said = finish(&mut place.run(&examples.concat(), &["--pitfalls", "--seed", "1"]));
    assert_eq!(said.status, 0, "{said:?}");
    let answer = place.answer();
    let verdicts = verdicts(&answer);
    assert_eq!(verdicts.len(), 10);
    for (name, words) in &verdicts {
        assert_eq!(words.len(), 1, "{name}: {words:?}");
        assert!(["right", "right-and-more-so", "undecided", "wrong"].contains(&words[0].as_str()), "{name}: {words:?}");
    }
    for name in ["sqlite-is-smaller", "keeps-all"] {
        assert_eq!(verdicts[name], ["right"], "{name} in {verdicts:?}");
    }
    // With other work beside it a figure may be too unsteady to decide, but nothing turns these round.
    for name in ["lmdb-reads-faster", "file-is-last", "commits-cost"] {
        assert_ne!(verdicts[name], ["wrong"], "{name} in {verdicts:?}");
    }
    assert_eq!(answer["claims"]["fixed_before"], Value::Bool(true));
    for text in ["claims", "RIGHT", "pitfall: commit-each", "SQLite: theirs"].iter().take(3) {
        assert!(said.out.contains(text), "'{text}' is missing in: {}", said.out);
    }
    let page = std::fs::read_to_string(place.out().join("report.html")).expect("a page");
    for text in ["id=\"claims\"", "id=\"published\"", "id=\"pitfalls\"", "commit-each"] {
        assert!(page.contains(text), "'{text}' is missing in the page");
    }
    let again = finish(&mut place.kurabe(["claims".as_ref(), place.out().as_os_str()]));
    assert!(again.status == 0 && again.out.contains("lmdb-reads-faster"), "{again:?}");
    let json = finish(&mut place.kurabe(["claims".as_ref(), place.out().as_os_str(), "--json".as_ref()]));
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json, answer["claims"]);
}

const STUDY: &str = r#"
title = "Does my claim hold?"
rows = 400
value_len_bytes = 100
rounds = 3
stores = ["sqlite", "map"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
[[phase]]
operation = "read"
count = 400
"#;

fn own(claim: &str) -> String {
    format!("{STUDY}[[claim]]\nname = \"mine\"\nsays = \"It is so.\"\n{claim}\n")
}

#[test]
fn a_check_ends_with_1_where_a_claim_is_wrong_and_strictly_where_it_is_undecided() {
    let status = |claim: &str, check: &str| {
        let place = Place::new();
        let said = finish(&mut place.run(&own(claim), &[check]));
        (said.status, said.err)
    };
    let holding = "latency = \"sqlite\"\npercentile = \"p50\"\nphase = \"read\"\nat_most = \"10s\"";
    assert_eq!(status(holding, "--check").0, 0);
    let refuted = "latency = \"sqlite\"\npercentile = \"p50\"\nphase = \"read\"\nat_most = \"1ns\"";
    let (code, words) = status(refuted, "--check");
    assert!(
        code == 1 && words.contains("kurabe: claim 'mine' (durability consistent): wrong")
            || words.contains("kurabe: claim 'mine': wrong"),
        "{words}"
    );
    let elsewhere = "faster = \"sqlite\"\nthan = \"postgres\"\nphase = \"read\"";
    let (code, words) = status(elsewhere, "--check");
    assert!(code == 0 && words.contains("claim 'mine': undecided"), "{words}");
    assert_eq!(status(elsewhere, "--check=strict").0, 1);
}

/// Nobody asked by name for what a pitfall makes of a store: without its library the rest runs, and the answer says so.
#[test]
fn a_pitfall_whose_library_is_not_here_is_left_out_named_and_decides_nothing() {
    let place = Place::new();
    let claim = "changes = \"pitfall\"\nto = \"slow\"\ncandidate = \"sqlite\"\nphase = \"read\"\nby_at_most = 0.9";
    let pitfall = "[[pitfall]]\nname = \"slow\"\nsays = \"It is Python.\"\n[[pitfall.change]]\nstores = [\"sqlite\"]\n\
                   client = \"python\"\n";
    let study = format!("{}{pitfall}", own(claim));
    let mut command = place.run(&study, &["--stores", "sqlite,map", "--as-published"]);
    let said = finish(command.env("KURABE_PYTHON", "/nonexistent/python3"));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.err.contains("sqlite [as-published] is left out"), "{}", said.err);
    assert!(said.out.contains("'sqlite [as-published]' did not take part"), "{}", said.out);
    assert_eq!(place.loaded().jobs.len(), 6, "both stores, three rounds");
    let place = Place::new();
    let mut command = place.run(&study, &["--stores", "sqlite,map", "--pitfall", "slow"]);
    let said = finish(command.env("KURABE_PYTHON", "/nonexistent/python3"));
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(verdicts(&place.answer())["mine"], ["undecided"]);
    assert!(said.out.contains("'sqlite [slow]' was left"), "{}", said.out);
}

#[test]
fn what_cannot_be_checked_is_refused_before_anything_starts() {
    let place = Place::new();
    assert_mistake(&finish(&mut place.run(STUDY, &["--check"])), &["--check needs a claim"]);
    assert!(!place.out().exists(), "nothing was started");
    assert_refused(&Place::new(), own("first = \"sqlite\"\nphase = \"reed\""), &[], &["'reed'", "'read'", "line 18"]);
    assert_refused(&Place::new(), STUDY, &["--pitfalls"], &["has no pitfall"]);
    assert_refused(&Place::new(), STUDY, &["--pitfall", "x", "--pitfalls"], &["cannot go with"]);
    let place = Place::new();
    assert_eq!(finish(&mut place.run(STUDY, &[])).status, 0);
    let said = finish(&mut place.kurabe(["claims".as_ref(), place.out().as_os_str()]));
    assert_mistake(&said, &["has no claims", "--of STUDY"]);
    let claims = place.file("claims.toml", own("fails = \"sqlite\""));
    let of = finish(&mut place.kurabe(["claims".as_ref(), place.out().as_os_str(), "--of".as_ref(), claims.as_ref()]));
    let words = of.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(of.status == 0 && words.contains("The claims are not those with which the run was started."), "{of:?}");
}

/// A pitfall is looked at where it is asked for, so all of those that are shipped are asked for here.
#[test]
fn the_pitfalls_of_the_built_in_studies_can_be_planned() {
    let place = Place::new();
    for study in ["primary-key", "rows", "dictionary"] {
        let said = finish(place.kurabe(["plan", study, "--pitfalls"]).arg("--dir").arg(place.data()));
        assert_eq!(said.status, 0, "{study}: {said:?}");
        assert!(
            said.out.contains("with the pitfall 'as-published'") || said.out.contains("more configurations"),
            "{study}: {said:?}"
        );
    }
}

#[test]
fn a_check_of_an_interrupted_run_keeps_the_status_of_the_interrupt() {
    let place = Place::new();
    let long = own("fails = \"sqlite\"").replace("rounds = 3", "rounds = 200");
    let mut running = crate::common::Running::start(&mut place.run(&long, &["--check"]));
    running.hear_jobs(2);
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.finish().status, 130);
    let said = finish(&mut place.kurabe(["claims".as_ref(), place.out().as_os_str(), "--check".as_ref()]));
    assert_eq!(said.status, 0, "{said:?}");
}
