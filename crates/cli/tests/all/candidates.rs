//! Candidates that a study has as tables: settings and versions of a store side by side.

use crate::common::{Place, TINY, assert_mistake, finish, here};
use crate::verbs::refused;

const TABLES: &str = r#"
[[candidate]]
name = "big, \"cache\""
store = "sqlite"
settings = { cache_size = -65536 }
[[candidate]]
name = "as shipped"
store = "sqlite"
durability = "delete-full"
"#;

fn with_tables(tables: &str) -> String {
    let (head, phases) = TINY.split_once("[[phase]]").unwrap();
    let head = head.replace("\"echo\", \"map\", \"file\", ", "").replace(", \"lmdb\"", "");
    format!("{head}{tables}[[phase]]{phases}")
}

#[test]
fn tables_run_several_settings_of_one_store_and_can_be_resumed_shown_and_compared() {
    let place = Place::new();
    let said = finish(&mut place.run(&with_tables(TABLES), &["--quiet"]));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let run = place.loaded().run;
    let names: Vec<&str> = run.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sqlite", "big, \"cache\"", "as shipped"]);
    assert_eq!(run.candidates[2].durability.as_ref().unwrap().name, "delete-full");
    let job = place.loaded().jobs.into_iter().find(|job| job.candidate == names[1]).unwrap();
    let check = job.settings.iter().find(|check| check.name == "cache_size").unwrap();
    assert_eq!((check.asked.as_deref(), check.found.as_deref()), (Some("-65536"), Some("-65536")));
    assert_eq!(finish(&mut place.resume()).status, 0);

    let csv = finish(place.kurabe(["show", "--csv"]).arg(place.out())).out;
    assert_eq!(csv.matches("\r\n").count(), 1 + 3 * 3, "{csv}");
    assert!(csv.contains(",\"big, \"\"cache\"\"\",sqlite,store,consistent,"), "{csv}");

    let mut compare = place.kurabe(["compare"]);
    let said = finish(compare.arg(place.out()).arg(place.out()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("no difference seen") && !said.out.contains("differs beside"), "{}", said.out);
    let json = finish(place.kurabe(["compare", "--json"]).arg(place.out()).arg(place.out())).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["phases"][0]["rows"][0]["others"][0]["ratio"]["ratio"]["value"], 1.0);
    assert_mistake(&finish(place.kurabe(["compare"]).arg(place.out()).arg("nowhere")), &["'nowhere'"]);
}

#[test]
fn two_versions_of_a_server_run_side_by_side() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|path| path.exists());
    let other = place.path("redis-server");
    std::fs::copy(found.unwrap(), &other).unwrap();
    let table = |binary: &std::path::Path| {
        format!(
            "[[candidate]]\nname = \"mine\"\nstore = \"redis\"\nbinary = \"{}\"\nargs = [\"--hz\", \"50\"]\n",
            binary.display()
        )
    };
    let study = with_tables(&table(&other)).replace("\"sqlite\"", "\"redis\"");
    let said = finish(&mut place.run(&study, &["--quiet"]));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let mine = &place.loaded().run.candidates[1];
    let binary = mine.settings.iter().find(|kept| kept.name == "binary").unwrap();
    assert_eq!((mine.name.as_str(), binary.value.as_str()), ("mine", other.to_str().unwrap()));
    place.assert_nothing_is_left();
    refused(with_tables(&table(&place.path("nowhere"))), &[], &["'mine'", "nowhere"]);
}

#[test]
fn tables_that_make_no_sense_are_refused() {
    let table = |more: &str| with_tables(&format!("[[candidate]]\nname = \"x\"\nstore = \"sqlite\"\n{more}\n"));
    refused(table("setting = 1"), &[], &["unknown key 'setting'", "'settings'"]);
    refused(table("durability = \"wal-ful\""), &[], &["'wal-ful'", "'wal-full'"]);
    refused(table("args = [\"-x\"]"), &[], &["candidate 'x'", "not a server"]);
    refused(table("settings = { synchronous = \"off\" }"), &[], &["part of its durability"]);
    refused(table("").replace("\"x\"", "\"sqlite\""), &[], &["candidate 'sqlite' appears twice"]);
}
