//! `kurabe` without `kurabe-servers` beside it, as `make run` builds it.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::{Place, Said, TINY, census, finish};

/// `kurabe` alone in a folder, and what it does there.
struct Alone(Place);

impl Alone {
    fn new() -> Alone {
        let place = Place::new();
        place.program("kurabe", env!("CARGO_BIN_EXE_kurabe"));
        place.file("tiny.toml", TINY);
        Alone(place)
    }

    fn says(&self, args: &[&str]) -> Said {
        let mut command = Command::new(self.0.path("kurabe"));
        command.args(args).current_dir(self.0.path("")).env(census::WORD, &self.0.word).env("KURABE_ANYWAY", "1");
        finish(&mut command)
    }
}

#[test]
fn libraries_are_measured_without_drivers_of_servers() {
    let alone = Alone::new();
    let said = alone.says(&["run", "tiny.toml", "--stores", "sqlite,lmdb", "--out", "out", "--dir", "data"]);
    assert_eq!(said.status, 0, "{}", said.err);
}

#[test]
fn a_server_and_a_board_say_what_builds_the_rest() {
    let alone = Alone::new();
    let words = "kurabe-servers', which drives servers, is missing";
    for args in [
        &["run", "tiny.toml", "--stores", "redis@redis://127.0.0.1:1", "--out", "out", "--dir", "data"][..],
        &["run", "tiny.toml", "--stores", "sqlite/serve", "--out", "out", "--dir", "data"],
        &["serve", "--store", "map"],
    ] {
        let said = alone.says(args);
        assert_eq!(said.status, 2, "{args:?}: {}", said.err);
        assert!(said.err.contains(words) && said.err.contains("make build"), "{args:?}: {}", said.err);
    }
    let said = alone.says(&["list", "stores"]);
    assert!(said.out.contains(words) && said.out.contains("make build"), "{}", said.out);
}

#[test]
fn drivers_of_another_build_are_not_taken() {
    let alone = Alone::new();
    let redis = "redis@redis://127.0.0.1:1";
    for (content, words) in [
        ("#!/bin/sh\necho 'kurabe-servers 0.1.0 (00000000)'\n", "is of another build"),
        // It would hand over to itself without end.
        ("#!/bin/sh\nexec ./kurabe \"$@\"\n", "is another program"),
        ("#!/bin/sh\nexit 1\n", "does not tell its version"),
    ] {
        let script = alone.0.file("script", content);
        let servers = alone.0.program("kurabe-servers", &script);
        std::fs::set_permissions(servers, std::fs::Permissions::from_mode(0o755)).unwrap();
        for args in [
            &["run", "tiny.toml", "--stores", redis, "--out", "out", "--dir", "data"][..],
            &["serve", "--store", "map"],
        ] {
            let said = alone.says(args);
            assert_eq!(said.status, 2, "{args:?}: {}", said.err);
            assert!(said.err.contains(words) && said.err.contains("make build"), "{args:?}: {}", said.err);
        }
    }
    alone.0.program("kurabe-servers", env!("CARGO_BIN_EXE_kurabe"));
    let said = alone.says(&["serve", "--store", "map"]);
    assert!(said.status == 2 && said.err.contains("is another program"), "{}", said.err);
}
