use kurabe_protocol::{CallName, Schema};

use super::ROWS;
use super::common::{Driver, Server, files, job};

#[test]
fn a_server_tells_whether_it_throws_items_away_and_how_much_room_it_has() {
    for (options, evicts) in [(["-m", "64"].as_slice(), true), (&["-M"], false)] {
        let Some(server) = Server::memcached(options) else { return };
        let files = files();
        let job = job("memcached", &server.url, files.path(), Schema::key_value(100), ROWS, vec![]);
        let told = Driver::start(&job).ask(CallName::Evicts);
        assert_eq!(told["policy"].is_string(), evicts, "{told}");
        assert_eq!(told["room_bytes"].as_u64(), evicts.then_some(64 << 20), "{told}");
    }
}

#[test]
fn the_longest_value_is_that_of_the_live_server() {
    for (options, most) in [(["-M"].as_slice(), 1u64 << 20), (&["-M", "-I", "2m"], 2 << 20)] {
        let Some(server) = Server::memcached(options) else { return };
        let files = files();
        let job = job("memcached", &server.url, files.path(), Schema::key_value(100), ROWS, vec![]);
        let told = Driver::start(&job).hello.capabilities.max_value_bytes;
        assert!((most - 1024..most).contains(&told), "{told}");
    }
}
