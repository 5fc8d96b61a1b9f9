//! The bulletin board where things go wrong: two of them on one folder, a store that is slow to start or dies, numbers
//! that nobody would give.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::board::{Board, kept, post};
use crate::common::{PATIENCE, Place, assert_mistake, census, comes_true, fake_server, finish, here, wait_for};

/// The numbers of rows, as they came.
fn numbers(rows: &Value) -> Vec<u64> {
    rows.as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

/// The process of the server that a board has started.
fn server_of(place: &Place, program: &str) -> u32 {
    wait_for("the board's server", || {
        census::of(place).iter().find(|process| process.name == program).map(|process| process.pid)
    })
}

#[test]
fn a_folder_has_one_board_at_a_time() {
    for store in ["file", "sqlite", "redis", "tokyocabinet:hash"] {
        if !here(&[store]) {
            continue;
        }
        let place = Place::new();
        let flags = kept(&place, store, "consistent");
        let first = Board::start(&place, &flags);
        assert_eq!(first.ask("POST", "/rows", &post("one")).json(), json!({"id": 0}));
        let mut second = place.kurabe(["serve", "--port", "0"]);
        let said = finish(second.args(&flags).arg("--dir").arg(place.data()));
        let owner = format!("pid {}", first.running.pid());
        assert_mistake(&said, &["another kurabe serves", &owner, "--data"]);
        assert_eq!(first.ask("POST", "/rows", &post("two")).json(), json!({"id": 1}), "{store}");
        // Killed, and at once another: it waits for what the dead one has left.
        first.running.signal(Signal::KILL);
        first.running.finish();
        let next = Board::start(&place, &flags);
        assert_eq!(next.ask("POST", "/rows", &post("three")).json(), json!({"id": 2}), "{store}");
        next.end();
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_server_that_still_reads_its_data_is_waited_for() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let flags = kept(&place, "redis", "consistent");
    let board = Board::start(&place, &flags);
    (0..200).for_each(|at| assert_eq!(board.ask("POST", "/rows", &post("x")).json(), json!({"id": at})));
    board.end();
    // Each row takes so many microseconds to be read: the server answers LOADING meanwhile.
    let path = fake_server(&place, "redis-server", "exec /usr/bin/redis-server \"$@\" --key-load-delay 10000");
    let slow = |command: &mut std::process::Command| {
        command.env("PATH", path);
    };
    let mut board = Board::start_with(&place, &flags, slow);
    assert_eq!(board.ask("POST", "/rows", &post("one more")).json(), json!({"id": 200}));
    board.running.signal(Signal::TERM);
    let line = board.running.hear("the posts are in");
    assert!(line.contains("posts"), "{line}");
    assert_eq!(board.running.finish().status, 0);
    place.assert_nothing_is_left();
}

#[test]
fn posts_behind_a_gap_are_shown_after_a_restart() {
    for store in ["redis", "tokyocabinet:hash", "gdbm", "sqlite"] {
        if !here(&[store]) {
            continue;
        }
        let place = Place::new();
        let flags = kept(&place, store, "default");
        let board = Board::start(&place, &flags);
        board.ask("POST", "/rows", &post("first"));
        let far = json!({"id": 1000, "category": "far", "text": "behind a gap"});
        assert_eq!(board.ask("POST", "/rows", &far.to_string()).status, 201);
        board.end();
        let board = Board::start(&place, &flags);
        let mut all = numbers(&board.ask("GET", "/rows", "").json());
        all.sort_unstable();
        assert_eq!(all, [0, 1000], "{store}");
        assert_eq!(numbers(&board.ask("GET", "/rows?latest=1", "").json()), [1000], "{store}");
        assert!(board.ask("GET", "/", "").body.contains("behind a gap"), "{store}");
        assert_eq!(board.ask("POST", "/rows", &post("next")).json(), json!({"id": 1001}), "{store}");
        board.end();
    }
}

#[test]
fn a_post_with_a_huge_number_costs_nobody_anything() {
    for store in ["sqlite", "redis", "memcached", "tokyocabinet:hash"] {
        if !here(&[store]) {
            continue;
        }
        let place = Place::new();
        let board = Board::start(&place, &["--store", store, "--durability", "cache"]);
        let with = |id: u64| json!({"id": id, "category": "a", "text": "b"}).to_string();
        for id in [2_147_483_648, 4_294_967_290, 4_294_967_294, 4_294_967_295, u64::MAX] {
            let refused = board.ask("POST", "/rows", &with(id));
            assert!(refused.status == 400 && refused.body.contains("'id' takes a number"), "{store} {id}: {refused:?}");
        }
        assert_eq!(board.ask("POST", "/rows", &with(2_147_483_647)).status, 201, "{store}");
        // Nobody goes through the numbers one by one.
        for _ in 0..20 {
            assert_eq!(numbers(&board.ask("GET", "/rows", "").json()), [2_147_483_647], "{store}");
            assert_eq!(board.ask("GET", "/", "").status, 200, "{store}");
        }
        assert_eq!(board.ask("POST", "/rows", &post("next")).json(), json!({"id": 2_147_483_648u32}), "{store}");
        assert_eq!(numbers(&board.ask("GET", "/rows?latest=2", "").json()), [2_147_483_648, 2_147_483_647], "{store}");
        assert_eq!(board.ask("DELETE", "/rows/2147483648", "").status, 204);
        assert_eq!(numbers(&board.ask("GET", "/rows?latest=2", "").json()), [2_147_483_647], "{store}");
        board.end();
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_board_whose_server_died_says_so_and_ends() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let board = Board::start(&place, &["--store", "redis", "--durability", "consistent"]);
    assert_eq!(board.ask("POST", "/rows", &post("x")).status, 201);
    census::signal(server_of(&place, "redis-server"), Signal::KILL);
    let said = board.running.finish();
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("the server of Redis has ended"), "{said:?}");
    place.assert_nothing_is_left();
}

#[test]
fn a_board_that_is_killed_by_a_bus_error_says_so() {
    let place = Place::new();
    let board = Board::start(&place, &["--store", "sqlite"]);
    board.running.signal(Signal::BUS);
    let said = board.running.finish();
    assert_eq!(said.status, 128 + Signal::BUS.as_raw(), "{said:?}");
    assert!(said.err.contains("SQLite was killed (SIGBUS)") && said.err.contains("disk is full"), "{said:?}");
    assert!(comes_true(PATIENCE, || census::of(&place).is_empty()));
    place.assert_nothing_is_left();
}

#[test]
fn a_board_is_known_by_the_names_that_it_was_given() {
    let place = Place::new();
    let mut command = place.kurabe(["serve", "--store", "map", "--port", "0", "--host", "board.example", "--dir"]);
    let mut running = crate::common::Running::start(command.arg(place.data()));
    let line = running.hear("at http://127.0.0.1:");
    let port = line.split("127.0.0.1:").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let board = Board { running, port };
    for (host, status) in [
        ("board.example".to_string(), 200),
        (format!("board.example:{port}"), 200),
        (format!("localhost:{port}"), 200),
        ("192.168.1.5:8080".to_string(), 200),
        ("board.example.evil".to_string(), 403),
        (format!("evil.example:{port}"), 403),
    ] {
        let answer = board.try_ask("GET", "/rows", &format!("Host: {host}\r\n"), "").unwrap();
        assert_eq!(answer.status, status, "{host}: {answer:?}");
    }
    board.end();
}
