//! How connections begin and end, at servers that are none.

use super::*;

proptest! {
    #[test]
    fn no_greeting_of_a_server_makes_it_panic(bytes in like_greetings(), is_private in any::<bool>()) {
        let mut server = Fake { bytes, at: 0 };
        let who = Who { user: "u".into(), password: "p".into(), database: None, is_private };
        let mut wire = Wire::new(&mut server);
        if let Ok(can) = wire.sign_in(&who) {
            // The bytes go on with what may be an answer to it.
            let _ = wire.prepare(can, "SELECT 1");
        }
    }
}

/// A server that says what it is told to, and listens to nothing.
struct Fake {
    bytes: Vec<u8>,
    at: usize,
}

impl std::io::Read for Fake {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = out.len().min(self.bytes.len() - self.at);
        out[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

impl std::io::Write for Fake {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The greeting of a server that asks for `plugin`.
fn greeting(plugin: &str) -> Vec<u8> {
    let capabilities = CapabilityFlags::all().bits().to_le_bytes();
    let (low, high) = capabilities.split_at(2);
    [
        &[10][..],
        b"8.0.31\0",
        &[1, 0, 0, 0],
        &[7; 8],
        &[0],
        low,
        &[45, 2, 0],
        high,
        &[21],
        &[0; 10],
        &[7; 12],
        &[0],
        plugin.as_bytes(),
        &[0],
    ]
    .concat()
}

/// Signs in at a server that says `payloads` after its greeting; the numbers are those of an exchange in turns.
fn signed_in(plugin: &str, payloads: &[&[u8]], is_private: bool) -> Result<Session, StoreError> {
    let mut bytes = packets(0, &[&greeting(plugin)]);
    for (payload, number) in payloads.iter().zip((2..).step_by(2)) {
        bytes.extend(packets(number, &[payload]));
    }
    let who = Who { user: "u".into(), password: "p".into(), database: Some("d".into()), is_private };
    Wire::new(&mut Fake { bytes, at: 0 }).sign_in(&who)
}

fn like_greetings() -> impl Strategy<Value = Vec<u8>> {
    let plugin = prop_oneof![Just("caching_sha2_password"), Just("mysql_native_password"), Just("x")];
    let pem = key::tests::KEY.as_bytes().to_vec();
    let payload = prop_oneof![
        Just(vec![0, 0, 0, 2, 0, 0, 0]),
        Just(vec![1, 3]),
        Just(vec![1, 4]),
        Just([&[1][..], &pem].concat()),
        Just(b"\xfecaching_sha2_password\0aaaaaaaaaaaaaaaaaaaa\0".to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
    ];
    let damage = prop::option::of((0..80_usize, any::<u8>()));
    (plugin, prop::collection::vec((payload, 1..3_u8), 0..5), damage).prop_map(|(plugin, payloads, damage)| {
        let mut bytes = packets(0, &[&greeting(plugin)]);
        if let Some((at, to)) = damage {
            let at = at.min(bytes.len() - 1);
            bytes[at] = to;
        }
        let mut number = 0_u8;
        for (payload, step) in payloads {
            number = number.wrapping_add(step);
            bytes.extend(packets(number, &[&payload]));
        }
        bytes
    })
}

#[test]
fn every_way_to_sign_in_that_is_known_is_followed() {
    let (fast, full, ok) = (&[1, 3][..], &[1, 4][..], DONE);
    let native = b"\xfemysql_native_password\0aaaaaaaaaaaaaaaaaaaa\0".as_slice();
    let pem = [&[1][..], key::tests::KEY.as_bytes()].concat();
    assert!(signed_in("mysql_native_password", &[ok], false).is_ok());
    assert!(signed_in("mysql_native_password", &[native, ok], false).is_ok());
    assert!(signed_in("caching_sha2_password", &[native, ok], false).is_ok());
    assert!(signed_in("caching_sha2_password", &[full, ok], true).is_ok(), "over a socket the password is enough");
    assert!(signed_in("caching_sha2_password", &[full, &pem, ok], false).is_ok());
    let mut fast_path = packets(0, &[&greeting("caching_sha2_password")]);
    fast_path.extend(packets(2, &[fast, ok]));
    let who = Who { user: "u".into(), password: "p".into(), database: None, is_private: false };
    assert!(Wire::new(&mut Fake { bytes: fast_path, at: 0 }).sign_in(&who).is_ok());
}

#[test]
fn what_cannot_be_followed_is_refused_in_words() {
    let check = |plugin: &str, payloads: &[&[u8]], words: &str| {
        let told = signed_in(plugin, payloads, false).expect_err("refused").to_string();
        assert!(told.contains(words) && !told.contains("'p'"), "{told}");
    };
    check(
        "client_ed25519",
        &[b"\xfeclient_ed25519\0aaaa\0"],
        "the authentication 'client_ed25519', which is not known",
    );
    check("mysql_native_password", &[&[0xfe]], "'mysql_old_password'");
    check("mysql_native_password", &[&refused(1045, "Access denied for user 'u'")], "Access denied for user 'u'");
    check("caching_sha2_password", &[&[1, 4], b"\x01no key"], "public key cannot be read");
    check("caching_sha2_password", &[&[1, 4], &[0]], "gave no public key");
    check("caching_sha2_password", &[&[1, 9]], "cannot be followed");
    check("caching_sha2_password", &[], "closed the connection");
    let old = packets(0, &[&[9, b'3', 0]]);
    let who = Who { user: "u".into(), password: "p".into(), database: None, is_private: false };
    let told = Wire::new(&mut Fake { bytes: old, at: 0 }).sign_in(&who).expect_err("refused").to_string();
    assert!(told.contains("version 9 of the protocol"), "{told}");
    let endless = [b"\xfemysql_native_password\0aaaaaaaaaaaaaaaaaaaa\0".as_slice(); 20];
    check("mysql_native_password", &endless, "does not end");
}

/// A server on a port of its own that says one of `says` after all that it hears, and then does what `ends` does.
fn fake_server(says: Vec<Vec<u8>>, ends: fn(std::net::TcpStream)) -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        for said in says {
            if stream.write_all(&said).is_err() || !matches!(stream.read(&mut [0; 4096]), Ok(1..)) {
                return;
            }
        }
        ends(stream);
    });
    format!("mysql://u:p@127.0.0.1:{port}/test")
}

/// A job of rows of a key and a text, at this address.
fn server_at(url: String, operation_ns: u64) -> Server<InLanes> {
    let job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "mysql", "store": "mysql"}, "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url,
        "limits": {"call_ns": 1_000_000_000, "operation_ns": operation_ns}, "phases": [],
    }))
    .expect("a job");
    Server::open(&job, &Arc::new(Layout::new(&job.schema))).expect("a store")
}

/// What a server says until one connection is ready to read; columns are described without an end.
fn until_ready() -> Vec<Vec<u8>> {
    let column = |column_type: u8| {
        [b"\x03def\0\0\0\x01c\0\x0c".as_slice(), &[45, 0, 0, 1, 0, 0, column_type, 0, 0, 0, 0, 0]].concat()
    };
    let prepared: &[u8] = &[0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0];
    vec![
        packets(0, &[&greeting("mysql_native_password")]),
        packets(2, &[DONE]),
        packets(1, &[DONE]),
        packets(1, &[prepared, &column(8), &column(0xfd)]),
    ]
}

/// What comes of a read at such a server.
fn read_at(server: &Server<InLanes>) -> Result<String, StoreError> {
    let mut lanes = server.connect(&phase(Action::Read, 1), 1)?;
    lanes.start(0, 0, Request::Read(&Key::new(4, &server.layout)))?;
    let mut came = None;
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while came.is_none() && std::time::Instant::now() < until {
        lanes.drain(Duration::from_millis(20), &mut |_, answer| came = Some(format!("{answer:?}")))?;
    }
    Ok(came.expect("an answer"))
}

#[test]
fn a_server_that_closes_in_mid_row_is_a_lost_connection() {
    let url = fake_server(until_ready(), |mut stream| {
        let row = packets(1, &[&[1], b"\x03def", &[0, 0, 100, b'v']]);
        std::io::Write::write_all(&mut stream, &row[..row.len() - 1]).expect("a client that listens");
    });
    let came = read_at(&server_at(url, 1_000_000_000)).expect("connected");
    assert!(came.contains("Disconnected") && came.contains("closed the connection"), "{came}");
}

#[test]
fn a_row_that_fits_no_column_is_told_and_one_that_does_is_read() {
    let value = [&[0, 0, 3][..], b"abc"].concat();
    for (row, expected) in [(value, "Value(Some([97, 98, 99]))"), (vec![0, 0, 200, 1], "shorter than its columns")] {
        let mut says = until_ready();
        says.push(packets(1, &[&[1], b"\x03def", &row, END]));
        let came = read_at(&server_at(fake_server(says, |_| ()), 1_000_000_000)).expect("connected");
        assert!(came.contains(expected), "{came}");
    }
}

#[test]
fn a_server_whose_columns_are_others_is_refused_when_it_is_connected() {
    let mut says = until_ready();
    // A double.
    let at = says[3].len() - 6;
    says[3][at] = 5;
    let told = read_at(&server_at(fake_server(says, |_| ()), 1_000_000_000)).expect_err("refused").to_string();
    assert!(told.contains("the column 'c' has the type MYSQL_TYPE_DOUBLE"), "{told}");
}

/// It takes what an operation may take, and the two seconds beyond it that the server has to end a statement itself.
#[test]
fn a_server_that_says_nothing_is_given_up() {
    let url = fake_server(Vec::new(), |stream| {
        std::thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    assert_eq!(read_at(&server_at(url, 1)).err(), Some(StoreError::Timeout));
}

#[test]
fn a_server_of_the_other_product_is_told_so() {
    let mut says = until_ready();
    says[2] = packets(1, &[&refused(1193, "Unknown system variable 'max_execution_time'")]);
    let told = read_at(&server_at(fake_server(says, |_| ()), 1_000_000_000)).expect_err("refused").to_string();
    assert!(told.contains("no MySQL") && told.contains("the store 'mariadb'"), "{told}");
}
