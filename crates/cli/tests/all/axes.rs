//! Runs along axes, as a person starts them.

use crate::common::{Place, assert_mistake, finish, here};
use kurabe_record::{AxisValue, Loaded, PhaseOutcome};

const STUDY: &str = r#"
title = "What do connections and durability cost?"
rows = 400
value_len_bytes = 100
rounds = 3
stores = ["map", "sqlite"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
[[phase]]
operation = "read"
distribution = "uniform"
count = 400
deciding = true
[[phase]]
operation = "update"
count = 100
deciding = true
"#;

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.run.candidates.iter().map(|candidate| candidate.name.as_str()).collect()
}

#[test]
fn two_axes_end_in_one_answer_with_a_curve_for_each() {
    let place = Place::new();
    let axes = ["--axis", "connections=1,4", "--axis", "durability=consistent,power"];
    let said = finish(&mut place.run(STUDY, &axes));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!(names(&loaded), ["map", "sqlite (consistent)", "sqlite (power)"], "a baseline is one");
    assert_eq!((loaded.run.plan.configurations.len(), loaded.jobs.len()), (2, 2 * 3 * 3));
    assert_eq!(loaded.run.plan.configurations[1].value_of("connections"), Some(&AxisValue::Number(4)));
    // Levels of the same rows take turns round by round.
    assert!(loaded.jobs.is_sorted_by_key(|job| job.round), "{:?}", loaded.jobs.iter().map(|job| job.round));
    for text in ["connections: read", "durability: update", "at 4 connections", "sqlite (power)"] {
        assert!(said.out.contains(text), "'{text}' is missing in: {}", said.out);
    }
    let answer = place.answer();
    let axis = |name: &str| {
        let axes = answer["axes"].as_array().expect("axes").iter();
        axes.filter(|axis| axis["axis"] == name).cloned().collect::<Vec<_>>()
    };
    let (connections, durability) = (axis("connections"), axis("durability"));
    assert_eq!((connections.len(), durability.len()), (3, 2 * 3), "a phase each, and a configuration and phase each");
    let curve = &durability[2]["curves"][0];
    assert_eq!((&curve["candidate"], curve["points"].as_array().map(Vec::len)), (&"sqlite".into(), Some(2)));
    assert!(curve["points"][1]["to_first"]["ratio"]["value"].as_f64().is_some_and(|ratio| ratio > 0.0), "{curve}");
    let command = &loaded.run.command;
    assert!(command.contains("connections=1,4") && command.contains("durability=consistent,power"), "{command}");
    let page = std::fs::read_to_string(place.out().join("report.html")).expect("a page");
    assert!(page.contains("connections: read") && page.contains("durability: read"));
    let csv = finish(place.kurabe(["show", "--csv"]).arg(place.out())).out;
    assert!(csv.lines().next().is_some_and(|header| header.contains("axis_connections")), "{csv}");
    place.assert_nothing_is_left();
}

#[test]
fn each_store_is_set_as_its_profile_says_and_the_answer_is_about_both() {
    let place = Place::new();
    let flags = ["--profile", "both", "--stores", "map,sqlite", "--equivalent", "10%"];
    let said = finish(&mut place.run(STUDY, &flags));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!(names(&loaded), ["map", "sqlite (default)", "sqlite (tuned)"]);
    let found = |candidate: &str| {
        let job = loaded.jobs.iter().find(|job| job.candidate == candidate).expect("a job");
        let check = job.settings.iter().find(|check| check.name == "cache_size").expect("it is read back");
        (check.asked.clone(), check.found.clone())
    };
    let tuned = Some("-262144".to_string());
    assert_eq!(found("sqlite (tuned)"), (tuned.clone(), tuned.clone()));
    assert!(found("sqlite (default)").0.is_none() && found("sqlite (default)").1 != tuned);
    let answer = place.answer();
    let rankings = answer["phases"][1]["rankings"].as_array().expect("rankings");
    let profiles: Vec<&str> = rankings.iter().filter_map(|one| one["profile"].as_str()).collect();
    assert_eq!(profiles, ["default", "tuned"]);
    let advice = &answer["advice"];
    let headline = advice["headline"]["text"].as_str().expect("a headline");
    assert!(
        headline.contains("'sqlite (default)'") && headline.contains("With profile 'tuned': take the same store."),
        "{headline}"
    );
    let command = &loaded.run.command;
    assert!(command.contains("--profile both --") && command.contains("--equivalent '10%'"), "{command}");
    place.assert_nothing_is_left();
}

#[test]
fn a_value_that_a_candidate_cannot_have_is_told_and_the_rest_goes_on() {
    let place = Place::new();
    let axes = ["--axis", "load_path=row,bulk", "--axis", "settings.page_size=1024,4096", "--stores", "sqlite,lmdb"];
    let said = finish(&mut place.run(STUDY, &axes));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!(names(&loaded), ["sqlite (page_size=1024)", "sqlite (page_size=4096)"]);
    let left_out: Vec<&str> = loaded.run.left_out.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(left_out, ["lmdb (page_size=1024)", "lmdb (page_size=4096)"]);
    assert!(said.out.contains("it has no setting 'page_size'"), "{}", said.out);
    assert!(said.out.contains("no load path bulk"), "{}", said.out);
}

#[test]
fn phases_that_only_read_share_a_load_and_change_their_order() {
    let place = Place::new();
    let said = finish(
        &mut place.run(STUDY, &["--axis", "read.read_scope=each,snapshot", "--rounds", "5", "--stores", "sqlite"]),
    );
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!((loaded.run.plan.configurations.len(), loaded.jobs.len()), (1, 5));
    let orders: std::collections::BTreeSet<Vec<&str>> =
        loaded.jobs.iter().map(|job| job.phases.iter().map(|phase| phase.name.as_str()).collect()).collect();
    assert_eq!(orders.len(), 2, "both orders come in five rounds: {orders:?}");
    assert!(orders.contains(&vec!["load", "read-each", "read-snapshot", "update"]), "{orders:?}");
}

#[test]
fn the_same_seed_draws_the_same_rows_and_another_round_others() {
    let place = Place::new();
    let study = STUDY.replace("rounds = 3", "rounds = 2");
    let drawn = |place: &Place| -> Vec<Vec<u8>> {
        let mut streams = Vec::new();
        // Kept data folders hold what the last round drew.
        for entry in std::fs::read_dir(place.data()).expect("a folder").flatten() {
            streams.extend(std::fs::read(entry.path().join("streams/rows-1")));
        }
        streams
    };
    let first = finish(&mut place.run(&study, &["--keep", "--stores", "map", "--seed", "7"]));
    assert_eq!(first.status, 0, "{first:?}");
    let kept = drawn(&place);
    let again = Place::new();
    assert_eq!(finish(&mut again.run(&study, &["--keep", "--stores", "map", "--seed", "7"])).status, 0);
    let one = Place::new();
    assert_eq!(finish(&mut one.run(&study, &["--keep", "--stores", "map", "--seed", "7", "--rounds", "1"])).status, 0);
    assert_eq!((kept.len(), &kept), (1, &drawn(&again)));
    assert_ne!(kept, drawn(&one), "the second round draws other rows than the first");
}

#[test]
fn axes_that_make_no_sense_are_refused_before_anything_starts() {
    let place = Place::new();
    let say = |more: &[&str]| finish(&mut place.run(STUDY, more));
    assert_mistake(&say(&["--axis", "connections=8"]), &["needs at least two values", "connections = 8"]);
    assert_mistake(&say(&["--axis", "conections=1,8"]), &["did you mean 'connections'?"]);
    assert_mistake(&say(&["--axis", "rows=10,20", "--rows", "10"]), &["'--axis rows' and '--rows'"]);
    assert_mistake(&say(&["--axis", "durability=cache,power", "--durability", "cache"]), &["--durability"]);
    let ten = "1,2,3,4,5,6,7,8,9,10";
    let many = [
        "--axis",
        &format!("connections={ten}"),
        "--axis",
        &format!("commit_every={ten}"),
        "--axis",
        &format!("depth={ten}"),
        "--axis",
        &format!("rows={ten}0"),
    ];
    assert_mistake(&say(&many), &["10,000 configurations of 2 candidates are 20,000 jobs a round, more than 2,000"]);
    assert!(!place.out().exists(), "nothing was started");
}

/// A store that keeps columns takes part where rows are raw, and starts nothing elsewhere.
#[test]
fn encodings_are_levels_and_their_share_of_the_time_is_shown() {
    let study =
        STUDY.replace("value_len_bytes = 100", "").replace("\"map\"", "\"lmdb\"").replace("rounds = 3", "rounds = 1");
    let columns = "[[field]]\nname = \"id\"\ntype = \"int64\"\n[[field]]\nname = \"name\"\ntype = \"text\"\nlen_bytes = 40\n\
                   [[field]]\nname = \"price\"\ntype = \"int64\"\n";
    let place = Place::new();
    // A client in another language where it is here: each writes by the libraries of its own.
    let mut stores = vec!["lmdb", "sqlite"];
    stores.extend(here(&["ehcache"]).then_some("ehcache"));
    let jobs = 4 * stores.len();
    let axis = ["--axis", "encoding=raw,json,yaml,messagepack", "--stores", &stores.join(",")];
    let said = finish(&mut place.run(&format!("{study}{columns}"), &axis));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!((loaded.run.plan.configurations.len(), loaded.jobs.len()), (4, jobs));
    for job in &loaded.jobs {
        let is_raw = job.configuration == 0;
        if job.candidate == "sqlite" && !is_raw {
            assert!(job.hello.is_none(), "its client was started for nothing");
            let is_it = |outcome: &PhaseOutcome| match outcome {
                PhaseOutcome::Unsupported(reason) => reason.to_string() == "it keeps columns: nothing is encoded",
                _ => false,
            };
            assert!(job.phases.iter().all(|phase| is_it(&phase.outcome)), "{:?}", job.phases);
            continue;
        }
        for result in job.phases.iter().flat_map(|phase| &phase.results) {
            assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
            assert_eq!(
                result.encoding_ns.is_some_and(|spent| spent > 0),
                !is_raw,
                "{} '{}'",
                job.candidate,
                result.phase
            );
        }
    }
    assert!(said.out.contains("it keeps columns: nothing is encoded") && said.out.contains("encoding"), "{}", said.out);
    let csv = finish(place.kurabe(["show", "--csv"]).arg(place.out())).out;
    assert!(csv.lines().next().is_some_and(|header| header.contains("encoding_share")), "{csv}");
}
