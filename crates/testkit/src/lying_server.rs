//! A server in memory that speaks the protocol of Redis and lies in one way, so that whatever client drives Redis, in
//! whatever language, meets the same lie behind its own driver.
//!
//! It knows the commands that the clients here send, each in one place; what it does not know it refuses as a server of
//! an earlier version would.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::loopback::Loopback;

/// What the server does wrong, now and then or always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireLie {
    /// Nothing: an honest server.
    Nothing,
    /// One load or update in ten is acknowledged and not done.
    DropWrites,
    /// A row that was written again is read as it was before.
    Stale,
    /// One read in ten gives the value of another row.
    Swap,
    /// One read in ten gives a value with its last byte changed.
    Alter,
    /// One read in ten gives a value that is a byte shorter.
    Shorten,
    /// One read in ten finds nothing.
    Forget,
    /// A delete is acknowledged and not done.
    KeepDeleted,
    /// An insert of a row that exists writes over it.
    InsertOver,
    /// One update in ten says that there is no such row.
    MeetNothing,
    /// One increment in ten is answered and not done.
    LoseIncrements,
    /// The first two answers of a read of several keys are exchanged.
    Exchange,
}

impl WireLie {
    /// All lies, without the honest server.
    pub const ALL: [WireLie; 11] = [
        WireLie::DropWrites,
        WireLie::Stale,
        WireLie::Swap,
        WireLie::Alter,
        WireLie::Shorten,
        WireLie::Forget,
        WireLie::KeepDeleted,
        WireLie::InsertOver,
        WireLie::MeetNothing,
        WireLie::LoseIncrements,
        WireLie::Exchange,
    ];
}

/// A running server on a free port of 127.0.0.1; it ends, with its connections, when it is dropped.
#[derive(Debug)]
pub struct LyingServer {
    server: Loopback,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    lie: WireLie,
    lies: AtomicU64,
    /// Chances to lie.
    chances: AtomicU64,
    store: Mutex<Store>,
}

#[derive(Debug, Default)]
struct Store {
    values: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What stood under a key before its last write.
    before: HashMap<Vec<u8>, Vec<u8>>,
}

impl LyingServer {
    /// Starts the server.
    ///
    /// # Errors
    ///
    /// Where no port can be had.
    pub fn start(lie: WireLie) -> io::Result<LyingServer> {
        let shared =
            Arc::new(Shared { lie, lies: AtomicU64::new(0), chances: AtomicU64::new(0), store: Mutex::default() });
        let theirs = Arc::clone(&shared);
        let server = Loopback::start(move |stream, _| serve(stream, &theirs))?;
        Ok(LyingServer { server, shared })
    }

    /// Its address, as clients take it.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.server.port())
    }

    /// How often it lied so far.
    pub fn lies(&self) -> u64 {
        self.shared.lies.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut to_client = stream.try_clone()?;
    let mut from_client = BufReader::new(stream);
    let mut version = Version::Two;
    while let Some(command) = command(&mut from_client)? {
        let mut reply = Reply { text: Vec::new(), version };
        answer(shared, &command, &mut reply);
        version = reply.version;
        to_client.write_all(&reply.text)?;
    }
    // The server keeps an end of its own.
    to_client.shutdown(Shutdown::Both)
}

/// Reads an array of bulk strings; nothing at the end of the connection.
fn command(from: &mut impl BufRead) -> io::Result<Option<Vec<Vec<u8>>>> {
    let Some(count) = number(from, b'*')? else { return Ok(None) };
    let mut words = Vec::new();
    for _ in 0..count {
        let len = number(from, b'$')?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut word = vec![0; len + 2];
        from.read_exact(&mut word)?;
        word.truncate(len);
        words.push(word);
    }
    Ok(Some(words))
}

fn number(from: &mut impl BufRead, sign: u8) -> io::Result<Option<usize>> {
    let mut line = String::new();
    // As a server does, it passes over empty lines between commands: an old library sends one behind each.
    while line.trim_end().is_empty() {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
    }
    let number = line.strip_prefix(char::from(sign)).and_then(|rest| rest.trim_end().parse().ok());
    number.map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Versions of the protocol; a connection has the second until it asks for the third.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

/// An answer in the making.
struct Reply {
    text: Vec<u8>,
    version: Version,
}

impl Reply {
    fn line(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
        self.text.extend_from_slice(b"\r\n");
    }

    fn ok(&mut self) {
        self.line("+OK");
    }

    fn nothing(&mut self) {
        self.line(if self.version == Version::Three { "_" } else { "$-1" });
    }

    fn bulk(&mut self, value: &[u8]) {
        self.line(&format!("${}", value.len()));
        self.text.extend_from_slice(value);
        self.line("");
    }

    fn array(&mut self, of: usize) {
        self.line(&format!("*{of}"));
    }

    fn integer(&mut self, value: i64) {
        self.line(&format!(":{value}"));
    }

    /// So many names with their values follow.
    fn begin_map(&mut self, of: usize) {
        match self.version {
            Version::Two => self.array(2 * of),
            Version::Three => self.line(&format!("%{of}")),
        }
    }
}

impl Shared {
    /// Whether it lies now, where it lies like this once in `one_in` times.
    fn lies(&self, lie: WireLie, one_in: u64) -> bool {
        if self.lie != lie || !(self.chances.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(one_in) {
            return false;
        }
        self.lies.fetch_add(1, Ordering::SeqCst);
        true
    }
}

fn answer(shared: &Shared, words: &[Vec<u8>], reply: &mut Reply) {
    let Some((name, arguments)) = words.split_first() else { return };
    let name = String::from_utf8_lossy(name).to_uppercase();
    let mut store = shared.store.lock().unwrap_or_else(PoisonError::into_inner);
    match (name.as_str(), arguments) {
        ("HELLO", arguments) => {
            if arguments.first().is_some_and(|version| version == b"3") {
                reply.version = Version::Three;
            }
            reply.begin_map(3);
            for (name, value) in [(b"server".as_slice(), b"redis".as_slice()), (b"version", b"7.0.15")] {
                reply.bulk(name);
                reply.bulk(value);
            }
            reply.bulk(b"proto");
            reply.integer(if reply.version == Version::Three { 3 } else { 2 });
        }
        ("PING", _) => reply.line("+PONG"),
        ("CLIENT" | "SELECT" | "QUIT", _) => reply.ok(),
        ("INFO", _) => reply.bulk(INFO),
        ("CONFIG", [_, setting, ..]) => {
            reply.begin_map(1);
            reply.bulk(setting);
            reply.bulk(config(setting));
        }
        ("SET", [key, value, how @ ..]) => set(shared, &mut store, (key, value), how, reply),
        ("SETNX", [key, value]) => {
            let mut inner = Reply { text: Vec::new(), version: reply.version };
            set(shared, &mut store, (key, value), &[b"NX".to_vec()], &mut inner);
            reply.integer(i64::from(inner.text.starts_with(b"+OK")));
        }
        ("GET", [key]) => get(shared, &store, key, reply),
        ("MGET", keys) => {
            let mut keys: Vec<&Vec<u8>> = keys.iter().collect();
            let are_rows = keys.iter().all(|key| store.values.get(*key).is_some_and(|value| is_row(value)));
            if keys.len() > 1 && are_rows && shared.lies(WireLie::Exchange, 1) {
                keys.swap(0, 1);
            }
            reply.array(keys.len());
            keys.into_iter().for_each(|key| get(shared, &store, key, reply));
        }
        ("DEL", keys) => {
            let there = keys.iter().filter(|key| store.values.contains_key(*key)).count();
            // Several keys at once are the client's own tidying up.
            if !(keys.len() == 1 && there == 1 && shared.lies(WireLie::KeepDeleted, 1)) {
                keys.iter().for_each(|key| drop(store.values.remove(key)));
            }
            reply.integer(there as i64);
        }
        ("INCR" | "INCRBY", [key, ..]) => {
            let now = store.values.get(key).and_then(|value| String::from_utf8_lossy(value).parse().ok());
            let next: i64 = now.unwrap_or(0) + 1;
            if !shared.lies(WireLie::LoseIncrements, 10) {
                store.values.insert(key.clone(), next.to_string().into_bytes());
            }
            reply.integer(next);
        }
        ("SCAN", [_, rest @ ..]) => scan(&store, rest, reply),
        _ => reply.line(&format!("-ERR unknown command '{name}'")),
    }
}

/// Whether a value is that of a row; counters are short, and nothing but their increments is lied about.
fn is_row(value: &[u8]) -> bool {
    value.len() > 25
}

const INFO: &[u8] = b"# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n# Memory\r\nused_memory:1000000\r\n\
    maxmemory:0\r\nmaxmemory_policy:noeviction\r\n";

fn config(setting: &[u8]) -> &'static [u8] {
    match setting {
        b"appendonly" | b"no-appendfsync-on-rewrite" => b"no",
        b"appendfsync" => b"everysec",
        b"maxmemory" => b"0",
        b"maxmemory-policy" => b"noeviction",
        _ => b"",
    }
}

fn set(shared: &Shared, store: &mut Store, (key, value): (&[u8], &[u8]), how: &[Vec<u8>], reply: &mut Reply) {
    let has = |word: &str| how.iter().any(|one| one.eq_ignore_ascii_case(word.as_bytes()));
    let known = store.values.get(key).cloned();
    let is_refused = (has("NX") && known.is_some() && !shared.lies(WireLie::InsertOver, 1))
        || (has("XX") && (known.is_none() || shared.lies(WireLie::MeetNothing, 10)));
    if is_refused {
        return reply.nothing();
    }
    if !shared.lies(WireLie::DropWrites, 10) {
        known.map(|known| store.before.insert(key.to_vec(), known));
        store.values.insert(key.to_vec(), value.to_vec());
    }
    reply.ok();
}

fn get(shared: &Shared, store: &Store, key: &[u8], reply: &mut Reply) {
    let Some(value) = store.values.get(key) else { return reply.nothing() };
    if !is_row(value) {
        return reply.bulk(value);
    }
    if let Some(before) = store.before.get(key)
        && shared.lies(WireLie::Stale, 1)
    {
        return reply.bulk(before);
    }
    let other = store.values.iter().find(|(other, value)| other.as_slice() != key && is_row(value));
    match other {
        Some((_, other)) if shared.lies(WireLie::Swap, 10) => reply.bulk(other),
        _ if shared.lies(WireLie::Forget, 10) => reply.nothing(),
        _ if shared.lies(WireLie::Shorten, 10) => reply.bulk(&value[..value.len().saturating_sub(1)]),
        _ if shared.lies(WireLie::Alter, 10) => {
            let mut altered = value.clone();
            altered.last_mut().into_iter().for_each(|byte| *byte ^= 1);
            reply.bulk(&altered);
        }
        _ => reply.bulk(value),
    }
}

/// All keys with the start that is asked for, at once.
fn scan(store: &Store, arguments: &[Vec<u8>], reply: &mut Reply) {
    let pattern = arguments.windows(2).find(|pair| pair[0].eq_ignore_ascii_case(b"MATCH")).map(|pair| &pair[1]);
    let start = pattern.map(|pattern| pattern.strip_suffix(b"*").unwrap_or(pattern)).unwrap_or_default();
    let keys: Vec<&Vec<u8>> = store.values.keys().filter(|key| key.starts_with(start)).collect();
    reply.array(2);
    reply.bulk(b"0");
    reply.array(keys.len());
    keys.into_iter().for_each(|key| reply.bulk(key));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::Ipv4Addr;

    fn ask(server: &LyingServer, text: &[u8]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.server.port())).unwrap();
        stream.write_all(text).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).unwrap();
        told
    }

    #[test]
    fn without_a_lie_it_is_a_store() {
        let server = LyingServer::start(WireLie::Nothing).unwrap();
        let told = ask(
            &server,
            b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n*4\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n2\r\n$2\r\nNX\r\n\
              *2\r\n$4\r\nINCR\r\n$1\r\na\r\n*2\r\n$3\r\nDEL\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$4\r\nTIME\r\n\
              \r\n*3\r\n$5\r\nSETNX\r\n$1\r\nb\r\n$1\r\n1\r\n\r\n*3\r\n$5\r\nSETNX\r\n$1\r\nb\r\n$1\r\n2\r\n",
        );
        assert_eq!(told, "+OK\r\n$1\r\n1\r\n$-1\r\n:2\r\n:1\r\n$-1\r\n-ERR unknown command 'TIME'\r\n:1\r\n:0\r\n");
        assert_eq!(server.lies(), 0);
    }
}
