//! The bulletin board: as a person and a browser ask it, and as it is attacked.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::board::{Board, kept, post, try_ask};
use crate::common::{Place, assert_mistake, entries, finish, here};

#[test]
fn posts_are_written_shown_and_changed() {
    let place = Place::new();
    let board = Board::start(&place, &["--store", "sqlite"]);
    assert!(board.ask("GET", "/", "").body.contains("Nothing has been posted yet"));
    let form = "category=%E7%8C%AB&text=%3Cscript%3Ealert%281%29%3C%2Fscript%3E%0D%0A%E3%81%93%E3%82%93";
    let posted = board.ask("POST", "/", form);
    assert_eq!((posted.status, posted.head.to_lowercase().contains("location: /")), (303, true), "{posted:?}");
    let page = board.ask("GET", "/", "");
    assert!(page.head.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page:?}");
    assert!(page.head.contains("frame-ancestors 'none'"), "{page:?}");
    assert!(
        page.body.contains("&lt;script&gt;alert(1)") && page.body.contains("猫") && page.body.contains("こん"),
        "{page:?}"
    );
    assert!(!page.body.contains("<script"));

    let made = board.ask("POST", "/rows", &post("second"));
    assert_eq!((made.status, made.json()), (201, json!({"id": 1})), "{made:?}");
    let whole = json!({"id": 7, "category": "a", "text": "seventh"});
    assert_eq!(board.ask("POST", "/rows", &whole.to_string()).status, 201);
    assert_eq!(board.ask("POST", "/rows", &whole.to_string()).status, 409);
    assert_eq!(board.ask("GET", "/rows/7", "").json(), whole);
    // The next number is behind the highest.
    assert_eq!(board.ask("POST", "/rows", &post("eighth")).json(), json!({"id": 8}));
    let latest = board.ask("GET", "/rows?latest=2", "").json();
    assert_eq!(
        latest.as_array().map(|rows| rows.iter().map(|row| row["id"].clone()).collect()),
        Some(vec![json!(8), json!(7)])
    );
    assert_eq!(board.ask("GET", "/rows", "").json().as_array().map(Vec::len), Some(4));
    let part = board.ask("GET", "/rows?latest=2", "");
    assert_eq!(part.next().as_deref(), Some("/rows?before=7"), "{part:?}");
    let rest = board.ask("GET", "/rows?before=7", "");
    assert_eq!((rest.next(), rest.json()[0]["id"].clone(), rest.json()[1]["id"].clone()), (None, json!(1), json!(0)));
    assert_eq!(board.rows().len(), 4);
    assert_eq!(board.ask("PUT", "/rows/7", &post("changed")).status, 204);
    assert_eq!(board.ask("GET", "/rows/7", "").json()["text"], "changed");
    assert_eq!(board.ask("DELETE", "/rows/7", "").status, 204);
    for (method, path, body) in [
        ("GET", "/rows/7", ""),
        ("DELETE", "/rows/7", ""),
        ("PUT", "/rows/7", &*post("x")),
        ("GET", "/rows/x", ""),
        ("GET", "/nowhere", ""),
    ] {
        let answer = board.ask(method, path, body);
        assert_eq!((answer.status, answer.json()["error"].is_string()), (404, true), "{method} {path}: {answer:?}");
    }
    assert_eq!(board.ask("POST", "/counters/3", "").status, 204);
    assert_eq!((board.ask("GET", "/ping", "").status, board.ask("POST", "/calls/reset", "").status), (204, 404));
    board.end();
    place.assert_nothing_is_left();
}

#[test]
fn bad_requests_end_in_a_status_and_cost_nobody_else_anything() {
    let place = Place::new();
    let board = Board::start(&place, &["--store", "sqlite", "--threads", "2"]);
    // Those that never come to an end hold no thread.
    let half = |text: &str| {
        let mut stream = board.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let cut_off = format!("POST /rows HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 10\r\n\r\nabc", board.port);
    let _silent: Vec<TcpStream> = (0..20).map(|at| half(["", "GET / HT", &*cut_off][at % 3])).collect();
    let long = "x".repeat(10_001);
    for (method, path, more, body, status) in [
        ("POST", "/rows", "", "{", 422),
        ("POST", "/rows", "", "{\"category\":\"a\",\"text\":5}", 422),
        ("POST", "/rows", "", &*post(&long), 422),
        ("POST", "/rows", "", &"x".repeat(1 << 20), 413),
        ("POST", "/", "", "category=a", 422),
        ("POST", "/", "Origin: http://evil.example\r\n", "category=a&text=b", 403),
        ("POST", "/rows", "Host: evil.example\r\n", "{}", 403),
        ("DELETE", "/rows/0", "Origin: null\r\n", "", 403),
        ("GET", "/rows?latest=x", "", "", 400),
        ("GET", "/rows?latest=-1", "", "", 400),
        ("GET", "/rows?latest=4000000000", "", "", 400),
        ("GET", "/rows?latest=10001", "", "", 400),
        ("GET", "/rows?before=x", "", "", 400),
        ("POST", "/rows", "", "{\"id\":4294967294,\"category\":\"a\",\"text\":\"b\"}", 400),
        ("POST", "/rows", "", "{\"id\":-1,\"category\":\"a\",\"text\":\"b\"}", 400),
        ("GET", "/rows/%FF", "", "", 400),
        ("POST", "/counters/x", "", "", 400),
        ("PATCH", "/rows", "", "", 405),
        ("GET", "/rows", "Host: evil.example\r\n", "", 403),
        ("GET", "/", "Host: 127.0.0.1\r\nHost: evil.example\r\n", "", 400),
        ("POST", "http://evil.example/rows", "", &*post("x"), 400),
        ("GET", "/", &format!("X: {}\r\n", "y".repeat(1 << 20)), "", 431),
    ] {
        // One that is refused before it was read may be cut off.
        match board.try_ask(method, path, more, body) {
            Ok(answer) => {
                assert_eq!(answer.status, status, "{method} {path} {more:.40}: {answer:?}");
                let has_words = status == 431 || answer.json()["error"].as_str().is_some_and(|words| words.len() > 5);
                assert!(has_words, "{method} {path} {more:.40}: {answer:?}");
            }
            Err(error) => assert!(matches!(status, 413 | 431), "{method} {path}: {error}"),
        }
    }
    assert_eq!(half("\u{0}\u{1}garbage\r\n\r\n").read(&mut [0; 9]).unwrap(), 9, "it is told that this is no request");
    // Somebody who leaves in the middle of the answer.
    (0..200).for_each(|_| assert_eq!(board.ask("POST", "/rows", &post(&"long ".repeat(2000))).status, 201));
    for _ in 0..20 {
        drop(half("GET /rows HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    }
    assert_eq!(board.ask("GET", "/rows", "").json().as_array().map(Vec::len), Some(200));
    board.end();
    place.assert_nothing_is_left();
}

#[test]
fn a_body_of_a_hundred_megabytes_is_refused_before_it_has_come() {
    const BODY_BYTES: usize = 100 << 20;
    let place = Place::new();
    let board = Board::start(&place, &["--store", "map", "--threads", "1"]);
    let length = format!("Content-Length: {BODY_BYTES}");
    for (kind, before, after) in [(&*length, "", ""), ("Transfer-Encoding: chunked", "10000\r\n", "\r\n")] {
        let mut stream = board.connect();
        write!(stream, "POST /rows HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{kind}\r\n\r\n", board.port).unwrap();
        let piece = format!("{before}{}{after}", "x".repeat(0x10000));
        let mut sent = 0;
        // It is told, or the connection is closed, while most of it has not been sent.
        while sent < BODY_BYTES && stream.write_all(piece.as_bytes()).is_ok() {
            sent += 0x10000;
        }
        assert!(sent < BODY_BYTES, "{kind}: all of it was taken");
        let mut answer = String::new();
        if stream.read_to_string(&mut answer).is_ok() && !answer.is_empty() {
            assert!(answer.starts_with("HTTP/1.1 413 "), "{kind}: {answer}");
        }
        assert_eq!(board.ask("POST", "/rows", &post("small")).status, 201, "others are served");
    }
    board.end();
}

#[test]
fn slow_readers_hold_nobody_up_and_get_all_of_their_answer() {
    let place = Place::new();
    let board = Board::start(&place, &["--store", "map", "--threads", "1"]);
    let long = "z".repeat(10_000);
    // More than the buffers of a socket hold.
    (0..1_500).for_each(|_| assert_eq!(board.ask("POST", "/rows", &post(&long)).status, 201));
    let mut slow: Vec<TcpStream> = (0..4).map(|_| board.connect()).collect();
    for stream in &mut slow {
        let port = board.port;
        write!(stream, "GET /rows HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").unwrap();
        assert_eq!(stream.read(&mut [0; 1]).unwrap(), 1, "its answer has begun");
    }
    // The one thread serves others meanwhile.
    (0..20).for_each(|at| assert_eq!(board.ask("GET", &format!("/rows/{at}"), "").json()["text"], *long));
    for mut stream in slow {
        let mut whole = String::new();
        stream.read_to_string(&mut whole).unwrap();
        let body = whole.split_once("\r\n\r\n").expect("a head").1;
        let rows: Vec<Value> = serde_json::from_str(body).expect("whole rows");
        assert!(rows.len() == 1_500 && rows.iter().all(|row| row["text"] == *long), "{} rows", rows.len());
    }
    board.end();
    place.assert_nothing_is_left();
}

#[test]
fn a_thousand_connections_at_once_are_all_answered() {
    let place = Place::new();
    let board = Board::start(&place, &["--store", "sqlite", "--durability", "consistent"]);
    let mut streams: Vec<TcpStream> = (0..1000).map(|_| board.connect()).collect();
    for (at, stream) in streams.iter_mut().enumerate() {
        let body = post(&format!("number {at}"));
        let (port, len) = (board.port, body.len());
        write!(
            stream,
            "POST /rows HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
    }
    for stream in &mut streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    }
    let texts: BTreeSet<String> = board.rows().iter().map(|row| row["text"].to_string()).collect();
    assert_eq!(texts.len(), 1000);
    board.end();
}

#[test]
fn what_was_answered_is_there_after_a_kill() {
    let place = Place::new();
    let folder = place.path("posts");
    let flags = ["--store", "sqlite", "--data", folder.to_str().unwrap()];
    let mut answered = BTreeSet::new();
    for round in 0..3 {
        let board = Board::start(&place, &flags);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let (port, stop) = (board.port, &stop);
                    scope.spawn(move || {
                        let mut mine = Vec::new();
                        for at in 0.. {
                            let text = format!("{round}-{writer}-{at}");
                            match try_ask(port, "POST", "/rows", "", &post(&text)) {
                                Ok(answer) if answer.status == 201 => mine.push(text),
                                _ if stop.load(Ordering::Relaxed) => break,
                                other => panic!("{other:?}"),
                            }
                        }
                        mine
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
            board.running.signal(Signal::KILL);
            writers.into_iter().for_each(|writer| answered.extend(writer.join().unwrap()));
        });
        assert_eq!(board.running.finish().status, 128 + 9);
    }
    let board = Board::start(&place, &flags);
    let there: BTreeSet<String> = board.rows().iter().map(|row| row["text"].as_str().unwrap().to_string()).collect();
    let lost: Vec<&String> = answered.difference(&there).collect();
    assert!(answered.len() > 10 && lost.is_empty(), "{} answered, lost: {lost:?}", answered.len());
    assert!(board.ask("GET", "/", "").body.contains("2-"), "the page shows the newest");
    board.end();
    assert!(entries(&folder).contains(&"board.json".to_string()));
}

#[test]
fn a_server_is_started_over_its_folder_and_ends_with_the_board() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let flags = kept(&place, "redis", "consistent");
    let board = Board::start(&place, &flags);
    for at in 0..70 {
        assert_eq!(board.ask("POST", "/rows", &post(&format!("post {at}"))).json(), json!({"id": at}));
    }
    assert_eq!(board.ask("GET", "/rows?latest=1", "").json()[0]["text"], "post 69");
    board.end();
    place.assert_nothing_is_left();
    let board = Board::start(&place, &flags);
    assert_eq!(board.ask("POST", "/rows", &post("one more")).json(), json!({"id": 70}), "it goes on where it was");
    board.end();
    let other = ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite", "--data", &flags[5]];
    assert_mistake(&finish(&mut place.kurabe(other)), &["is a board over 'redis'", "--store redis"]);
}

#[test]
fn mistakes_are_told_before_anything_is_started() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let port = address.rsplit(':').next().unwrap();
    std::fs::create_dir(place.path("full")).unwrap();
    place.file("full/letter", "dear Anne");
    let full = place.path("full");
    let full = full.to_str().unwrap();
    for (flags, words) in [
        (&["--store", "sqlight"][..], &["sqlight", "sqlite"][..]),
        (&["--store", "sqlite", "--listen", &*address], &["cannot listen", "--listen"]),
        (&["--store", "sqlite", "--data", full], &["is not empty", "--data"]),
        (&["--store", "map", "--data", "new"], &["keeps nothing", "--data"]),
        (&["--store", "sqlite", "--listen", "here"], &["--listen"]),
        (&["--store", "sqlite", "--port", port], &["cannot listen", "another with --port"]),
        (&["--store", "sqlite", "--port", "1", "--listen", "127.0.0.1:1"], &["--port", "--listen"]),
        (&["--store", "sqlite", "--port", "65536"], &["--port"]),
        (&["--store", "sqlite", "--host", ""], &["--host", "NAME:PORT"]),
        (&["--store", "sqlite", "--host", "a b"], &["--host", "NAME:PORT"]),
        (&["--store", "sqlite", "--host", "me@there"], &["--host", "NAME:PORT"]),
        (&["--store", "sqlite", "--host", "there:http"], &["--host", "NAME:PORT"]),
        (&["--store", "sqlite", "--host", "0.0.0.0:80"], &["--listen 0.0.0.0:80"]),
        (&["--store", "memcached"], &["no setting of durability 'power'", "--durability"]),
        (&["--store", "sqlite+python"], &["Rust client", "'+python'"]),
        (&[], &["--store"]),
    ] {
        if flags.contains(&"memcached") && !here(&["memcached"]) {
            continue;
        }
        let said = finish(place.kurabe(["serve", "--dir"]).arg(place.data()).args(flags));
        assert_mistake(&said, words);
        assert!(!place.path("new").exists());
    }
    assert_eq!(std::fs::read_to_string(place.path("full/letter")).unwrap(), "dear Anne");
    place.assert_nothing_is_left();
}

/// Answers every post at once, and passes it on to `port` after a while; gives its own port.
fn hasty_proxy(port: u16) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut request = Vec::new();
                let mut byte = [0];
                // The head, a byte at a time, and as much behind it as it says.
                while !request.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
                    request.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&request).to_lowercase();
                let len =
                    head.split("content-length:").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
                let mut body = vec![0; len.unwrap_or(0)];
                stream.read_exact(&mut body).unwrap_or_default();
                let _ = stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
                drop(stream);
                std::thread::sleep(Duration::from_millis(50));
                let _ = try_ask(port, "POST", "/rows", "", &String::from_utf8_lossy(&body));
            });
        }
    });
    own
}

/// Posts through `door` to a board over Redis whose server is killed amid them; how many were answered, and which of
/// these are not there when the board is started over the same folder.
fn lost_when_redis_is_killed(place: &Place, door: impl FnOnce(u16) -> u16) -> (usize, Vec<String>) {
    let flags = kept(place, "redis", "consistent");
    let board = Board::start(place, &flags);
    let door = door(board.port);
    let server = crate::common::wait_for("the server of Redis", || {
        let all = crate::common::census::of(place);
        all.iter().find(|process| process.cmdline.contains("redis-server")).map(|process| process.pid)
    });
    let stop = AtomicBool::new(false);
    let mut answered = BTreeSet::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut mine = Vec::new();
                    for at in 0.. {
                        let text = format!("{writer}-{at}");
                        match try_ask(door, "POST", "/rows", "", &post(&text)) {
                            // What is answered while the server is killed counts, and nothing after it.
                            Ok(answer) if answer.status == 201 => mine.push(text),
                            _ => break,
                        }
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                    mine
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        crate::common::census::signal(server, Signal::KILL);
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().for_each(|writer| answered.extend(writer.join().unwrap()));
    });
    // The store of the board is dead: whatever it says of that, it ends.
    board.running.signal(Signal::TERM);
    board.running.finish();
    let board = Board::start(place, &flags);
    let rows = board.ask("GET", "/rows", "").json();
    let there: BTreeSet<String> =
        rows.as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap().to_string()).collect();
    board.end();
    (answered.len(), answered.difference(&there).cloned().collect())
}

#[test]
fn what_was_answered_is_there_after_a_kill_of_the_store_and_not_of_the_board() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let (answered, lost) = lost_when_redis_is_killed(&place, |port| port);
    assert!(answered > 10 && lost.is_empty(), "{answered} answered, lost: {lost:?}");
    place.assert_nothing_is_left();
    let place = Place::new();
    let (answered, lost) = lost_when_redis_is_killed(&place, hasty_proxy);
    assert!(!lost.is_empty(), "{answered} answered by one that answers too early, and none is lost");
}
