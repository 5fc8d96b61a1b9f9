//! The answer as a person meets it: the short one, whatever the run was.

use crate::common::{Place, TINY, assert_mistake, fake_server, finish};

/// The box: the last lines on the terminal, below all else but the paths.
fn shown(place: &Place, columns: &str) -> String {
    let said = finish(place.kurabe(["show"]).arg(place.out()).env("COLUMNS", columns));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    said.out
}

#[test]
fn a_need_that_is_none_or_beyond_all_measure_is_a_mistake() {
    let place = Place::new();
    for need in ["0", "0/s", "-5", "1000000000000/s", "nan", "fast", "10/day"] {
        assert_mistake(&finish(&mut place.run(TINY, &["--need", need])), &["--need", "need"]);
    }
    assert!(!place.out().exists());
}

#[test]
fn one_round_of_one_store_is_told_as_what_it_is() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite", "--rounds", "1"]));
    assert_eq!(said.status, 0, "{said:?}");
    let text = shown(&place, "80");
    assert!(text.contains("sqlite") && text.contains("Inconclusive"), "{text}");
    for word in ["fastest", "faster than"] {
        assert!(!text.contains(word), "nothing was compared: {text}");
    }
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb", "--rounds", "1"]));
    assert_eq!(said.status, 0, "{said:?}");
    let text = shown(&place, "80");
    assert!(text.contains('?') && text.contains("round"), "one round decides nothing: {text}");
    assert!(!text.contains("1 ("), "no first place: {text}");
}

#[test]
fn where_every_store_failed_nothing_is_recommended() {
    let place = Place::new();
    let script = "case \"$1\" in --version) echo fake 1.0; exit 0;; esac\nexit 1";
    let path = fake_server(&place, "redis-server", script);
    let said = finish(place.run(TINY, &["--stores", "redis,map"]).env("PATH", path));
    assert_eq!(said.status, 1, "{said:?}");
    let text = shown(&place, "80");
    assert!(text.contains("No measured store qualifies"), "{text}");
    assert!(!text.contains("Take "), "{text}");
    assert!(finish(place.kurabe(["report"]).arg(place.out())).status == 0, "the page is made all the same");
}

#[test]
fn a_narrow_terminal_keeps_the_store_what_it_survives_and_the_box() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb,fjall"]));
    assert_eq!(said.status, 0, "{said:?}");
    for columns in ["40", "60", "80", "120"] {
        let text = shown(&place, columns);
        let width: usize = columns.parse().unwrap();
        // A command stays on one line, so that it can be copied, and so does a path.
        let wide = |line: &&str| line.chars().count() > width && !line.contains("kurabe ") && !line.contains('/');
        assert_eq!(text.lines().find(wide), None, "at {columns} columns: {text}");
        assert!(text.contains("possible loss"), "what can be lost goes last of all: {text}");
        if columns == "80" {
            assert!(text.lines().count() <= 40, "{} lines: {text}", text.lines().count());
        }
    }
    assert!(shown(&place, "120").contains("library, SQL"), "what each store is");
}

#[test]
fn the_newest_run_is_shown_where_none_is_named() {
    let place = Place::new();
    for (name, rounds) in [("20260101T000000Z-tiny", "1"), ("20260102T000000Z-tiny", "2")] {
        let out = place.path("kurabe-runs").join(name);
        let study = place.file("tiny.toml", TINY);
        let mut run = place.kurabe(["run", &study, "--stores", "map,sqlite", "--rounds", rounds, "--dir"]);
        let said = finish(run.arg(place.data()).arg("--out").arg(out));
        assert_eq!(said.status, 0, "{said:?}");
    }
    let said = finish(&mut place.kurabe(["show"]));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("20260102T000000Z-tiny") || said.out.contains("2 times"), "{}", said.out);
    let said = finish(&mut place.kurabe(["claims"]));
    assert_mistake(&said, &["claim"]);
}

#[test]
fn a_study_by_purpose_without_a_store_that_can_do_it_says_what_is_missing() {
    let place = Place::new();
    let mut command = place.kurabe(["run", "turnover", "--stores", "redis,postgres", "--dir"]);
    let said = finish(command.arg(place.data()).env("PATH", "/nonexistent"));
    assert_mistake(&said, &["redis", "install it with"]);
}
