//! What `kurabe list` tells of stores, clients, apps and studies.

use crate::common::{Place, assert_mistake, finish};
use crate::verbs::say;

#[test]
fn stores_tell_what_is_here_and_each_tells_what_it_promises() {
    let said = say(&["list", "stores"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for store in ["echo", "map", "file", "sqlite", "lmdb", "redis", "postgres"] {
        assert!(said.out.lines().any(|line| line.trim_start().starts_with(store)), "'{store}' in {}", said.out);
    }
    let known = said.out.lines().find(|line| line.starts_with("dragonfly")).expect("a store in no registry");
    assert!(known.contains("--stores redis@redis://HOST:PORT"), "{known}");
    let one = say(&["list", "stores", "redis"]).out;
    for word in [
        "licence",
        "aof-always (power)",
        "can lose: nothing that was answered",
        "no-appendfsync-on-rewrite is not 'no'",
        "as shipped",
        "kill: 2 s; power: 2 s; integrity: I0",
        "proof: documents, system calls, kill trials",
        "source: https",
    ] {
        assert!(one.contains(word), "'{word}' is missing in: {one}");
    }
    assert!(one.contains("only by name"), "{one}");
    assert!(say(&["list", "postgres"]).out.contains("integrity: I3"));
}

#[test]
fn a_missing_store_is_listed_with_the_command_that_gets_it() {
    let place = Place::new();
    let said = finish(place.kurabe(["list", "stores"]).env("PATH", "/nonexistent").env("COLUMNS", "200"));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("kurabe setup valkey\n"), "{}", said.out);
    let setup = finish(place.kurabe(["setup", "valkey"]).env("PATH", "/nonexistent"));
    assert!(setup.out.contains("valkey: no 'valkey-server'"), "{setup:?}");
    assert!(said.out.contains("a ttserver of your own"), "where no command is: {}", said.out);
    let at = |start: &str| said.out.lines().position(|line| line.starts_with(start)).expect(start);
    assert!(at("here ") < at("sqlite ") && at("sqlite ") < at("missing ") && at("missing ") < at("valkey "));
    assert!(at("baseline ") < at("echo "), "{}", said.out);
    let sqlite = said.out.lines().nth(at("sqlite ")).unwrap();
    assert!(sqlite.contains("built in, 3."), "the client tells the library's version: {sqlite}");
}

#[test]
fn studies_are_listed_and_printed_as_files_that_run() {
    let said = say(&["list", "studies"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("quick "), "{}", said.out);
    let place = Place::new();
    let quick = say(&["list", "studies", "quick"]).out;
    assert_eq!(say(&["list", "quick"]).out, quick);
    let mine = place.file("mine.toml", quick);
    let said = finish(place.kurabe(["plan", &mine]).arg("--dir").arg(place.data()));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.starts_with("mine: "), "{}", said.out);
}

#[test]
fn a_list_of_everything_is_short_and_leads_to_all_of_it() {
    let said = say(&["list"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.lines().count() <= 30 && said.out.lines().all(|line| line.len() <= 80), "{}", said.out);
    for name in ["sqlite,", "echo, map", "rust,", "nginx,", "quick,"] {
        assert!(said.out.contains(name), "'{name}' is missing in: {}", said.out);
    }
    let commands: Vec<&str> = said.out.lines().filter_map(|line| line.split_once(": kurabe ")).map(|it| it.1).collect();
    assert_eq!(commands, ["list stores", "list clients", "list apps", "list studies"]);
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(say(&words).status, 0, "{command}");
    }
}

#[test]
fn one_name_is_shown_and_of_several_the_ways_are_named() {
    assert!(say(&["list", "sqlite"]).out.contains("wal-normal"));
    assert!(say(&["list", "nginx"]).out.contains("before any other app"));
    assert!(say(&["list", "rust"]).out.contains("postgres by blocking or pipelined"));
    assert_mistake(&say(&["list", "php"]), &["kurabe list clients php, kurabe list apps php"]);
    assert_mistake(&say(&["list", "dragonfly"]), &["--stores redis@redis://HOST:PORT"]);
    // A kind goes before a study of its name.
    assert!(say(&["list", "clients"]).out.contains("Choose a client by"));
    assert!(say(&["list", "studies", "clients"]).out.contains("[[phase]]"));
    for (kind, name) in [("clients", "php"), ("apps", "php"), ("stores", "url"), ("studies", "url")] {
        let said = say(&["list", kind, name]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{kind} {name}");
    }
}

#[test]
fn clients_tell_what_each_needs() {
    let place = Place::new();
    let mut command = place.kurabe(["list", "clients"]);
    // Without a virtual machine nothing is built either.
    command.env("KURABE_PYTHON", "/nonexistent/python3").env("KURABE_JAVA", "/nonexistent/java");
    let said = finish(command.env("XDG_CACHE_HOME", place.data()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("rust") && said.out.contains("built in"), "{}", said.out);
    assert!(said.out.contains("missing: the python client cannot start"), "{}", said.out);
}
