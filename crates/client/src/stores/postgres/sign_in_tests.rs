use std::io::{Read, Write};

use proptest::prelude::*;

use super::*;

/// A server that says what it was told to, whatever it is asked, in small pieces; then it is silent or gone.
struct Script {
    said: Vec<u8>,
    at: usize,
    is_silent: bool,
    heard: Vec<u8>,
}

impl Read for Script {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.said.len() && self.is_silent {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = out.len().min(self.said.len() - self.at).min(7);
        out[..len].copy_from_slice(&self.said[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.heard.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

fn way(number: u32, more: &[u8]) -> Vec<u8> {
    message(b'R', &[&number.to_be_bytes(), more].concat())
}

fn sign_in(url: &str) -> Result<SignIn, StoreError> {
    SignIn::new(url.parse().expect("an address"), Duration::from_secs(1))
}

/// Signs in at a server that says `messages`; what it heard.
fn start(url: &str, messages: &[Vec<u8>], is_silent: bool) -> Result<Vec<u8>, StoreError> {
    let mut script = Script { said: messages.concat(), at: 0, is_silent, heard: Vec::new() };
    let mut talk = Talk { stream: &mut script, incoming: BytesMut::new(), out: BytesMut::new() };
    talk.start(&sign_in(url)?)?;
    talk.end()?;
    Ok(script.heard)
}

const URL: &str = "postgresql://me:secret@localhost/db?application_name=kurabe";

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

#[test]
fn who_asks_is_shown_in_the_way_that_the_server_wants() {
    let has = |heard: &[u8], part: &[u8]| heard.windows(part.len()).any(|window| window == part);
    let told = message(b'S', b"server_version\x0019\0");
    let heard = start(URL, &[way(0, b""), told.clone(), ready()], false).expect("trust");
    assert_eq!(&heard[4..8], 0x0003_0000u32.to_be_bytes());
    for part in [&b"user\0me\0"[..], b"database\0db\0", b"application_name\0kurabe\0"] {
        assert!(has(&heard, part), "{heard:?}");
    }
    assert!(!has(&heard, b"secret"));
    let heard = start(URL, &[way(3, b""), way(0, b""), ready()], false).expect("a password in clear");
    assert!(heard.ends_with(&message(b'p', b"secret\0")));
    let heard = start(URL, &[way(5, b"salt"), way(0, b""), ready(), told], false).expect("MD5");
    // md5(md5("secretme") + "salt"), by md5sum.
    assert!(
        heard.ends_with(&message(b'p', b"md541c83370953958037c7298c50b238bda\0")),
        "{}",
        String::from_utf8_lossy(&heard)
    );
    let words = start("postgresql://me@localhost/db", &[way(3, b"")], false).unwrap_err().to_string();
    assert!(words.contains("the address has none"), "{words}");
}

#[test]
fn what_this_cannot_do_is_refused_in_words() {
    let refused = |messages: &[Vec<u8>]| start(URL, messages, false).unwrap_err().to_string();
    assert!(refused(&[way(7, b"")]).contains("GSSAPI; known here are SCRAM-SHA-256"));
    assert!(refused(&[way(10, b"SCRAM-SHA-512\0\0")]).contains("other than SCRAM-SHA-256"));
    assert!(refused(&[way(99, b"")]).contains("unknown authentication tag"));
    assert!(refused(&[message(b'v', &[0; 8])]).contains("version 3.0"));
    assert!(refused(&[way(10, b"SCRAM-SHA-256\0\0"), way(11, b"r=other,s=QSXCR+Q6sek8bf92,i=4096")]).contains("SCRAM"));
    let full = message(b'E', b"SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0");
    assert_eq!(refused(&[full]), "sorry, too many clients already (SQLSTATE 53300)");
    let refused = |options: &str| match sign_in(&format!("postgresql://me@localhost/db?{options}")) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{options} is not known"),
    };
    assert!(refused("sslmode=require").contains("TLS is not supported here"));
    assert!(refused("channel_binding=require").contains("needs TLS"));
    assert!(refused("target_session_attrs=read-write").contains("postgres+rust:blocking"));
}

#[test]
fn a_server_that_breaks_off_or_boasts_is_an_error() {
    assert_eq!(start(URL, &[], true).unwrap_err(), StoreError::Timeout);
    let half = way(0, b"")[..6].to_vec();
    assert_eq!(start(URL, std::slice::from_ref(&half), true).unwrap_err(), StoreError::Timeout);
    assert!(matches!(start(URL, &[half], false), Err(StoreError::Disconnected(_))));
    let boast = [&b"R"[..], &(1u32 << 30).to_be_bytes()].concat();
    let words = start(URL, &[boast], true).unwrap_err().to_string();
    assert!(words.contains("1073741824 bytes"), "{words}");
    let words = start(URL, &[b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()], false).unwrap_err().to_string();
    assert!(words.contains("is it PostgreSQL?"), "{words}");
}

#[test]
fn a_server_that_is_starting_up_is_not_ready() {
    let starting = message(b'E', b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0");
    let error = start(URL, &[starting], true).unwrap_err();
    assert!(error.is_not_ready() && error.to_string().contains("starting up"), "{error:?}");
    let full = message(b'E', b"SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0");
    assert!(!start(URL, &[full], true).unwrap_err().is_not_ready());
}

#[test]
fn servers_are_where_the_address_says() {
    let places = |url: &str| {
        let places = addresses(&url.parse().expect("an address")).expect("places");
        places.iter().map(Address::to_string).collect::<Vec<_>>()
    };
    assert_eq!(places("postgresql://me@a,b:5433/db"), ["a:5432", "b:5433"]);
    assert_eq!(places("postgresql://me@/db?host=/run/pg&port=5555"), ["/run/pg/.s.PGSQL.5555"]);
    assert!(addresses(&Config::new()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_bytes_of_a_server_make_the_sign_in_panic(
        first in prop::sample::select(vec![way(0, b""), way(10, b"SCRAM-SHA-256\0\0"), way(5, b"salt"), way(3, b"")]),
        pieces in prop::collection::vec(prop_oneof![
            (prop::sample::select(b"RSKZENAv12".to_vec()), prop::collection::vec(any::<u8>(), 0..20))
                .prop_map(|(tag, body)| message(tag, &body)),
            (0u32..14, prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(number, more)| way(number, &more)),
            prop::collection::vec(any::<u8>(), 0..20),
            Just(ready()),
        ], 0..6),
    ) {
        let messages: Vec<Vec<u8>> = std::iter::once(first).chain(pieces).collect();
        let _ = start(URL, &messages, false);
    }
}
