//! A server on 127.0.0.1 that misbehaves on purpose: alone, or between a client and a real server.
//!
//! The faults of a proxy look at what arrives in one piece. With one request in flight that is one request or one
//! reply, so tests use one connection and depth 1 where a fault is counted. Replies and increments are known in the
//! words of RESP, the protocol of Redis.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::loopback::{Connections, Loopback};

/// An answer that would recolour a terminal, run as a script in a page and as a formula in a sheet.
pub const HOSTILE_ERROR: &[u8] = b"-ERR disk \x1b[31mfull\x1b]0;title\x07 <script>alert(1)</script> =cmd|x\r\n";

/// What the server does wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It accepts connections and never says a word.
    Hang,
    /// It says what no protocol says.
    Garbage,
    /// It closes every connection at once.
    Close,
    /// It answers everything with this text.
    Text(Vec<u8>),
    /// It passes on what it is told, and what is answered, but for one thing.
    Proxy {
        /// The port of the real server on 127.0.0.1.
        upstream: u16,
        /// What is not as it should be.
        fault: ProxyFault,
    },
}

/// What goes wrong between a client and a real server.
#[derive(Clone, Copy, Debug)]
pub enum ProxyFault {
    /// Connections are closed once the server is so old.
    CloseAfter(Duration),
    /// Replies stay away once the server is so old.
    HangAfter(Duration),
    /// After the first `after` replies, of every so many one `+OK` becomes [`HOSTILE_ERROR`], although the work was done.
    ErrorEvery {
        /// One reply in so many.
        every: u64,
        /// Replies that are left alone first.
        after: u64,
    },
    /// After the first `after` replies, of every so many one value has a bit flipped.
    AlterEvery {
        /// One reply in so many.
        every: u64,
        /// Replies that are left alone first.
        after: u64,
    },
    /// After so many `+OK` every further one becomes an error.
    ErrorsAfter(u64),
    /// Once, when it is told to ([`FakeServer::cut_reply`]): a reply stays away, and its connection is closed.
    CutReply,
    /// One request in so many, where it is an increment, is acknowledged and not done.
    LoseIncrements {
        /// One request in so many.
        every: u64,
    },
}

/// A running server; it ends, with its connections, when it is dropped.
#[derive(Debug)]
pub struct FakeServer {
    server: Loopback,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    fault: Fault,
    started: Instant,
    /// Pieces from clients, pieces from the real server, `+OK` among the latter.
    requests: AtomicU64,
    replies: AtomicU64,
    acknowledged: AtomicU64,
    faults: AtomicU64,
    /// Of the replies of a connection from now on, the one that is cut off; none where it is 0.
    cut: AtomicU64,
}

impl FakeServer {
    /// Starts the server on a free port.
    ///
    /// # Errors
    ///
    /// Where no port can be had.
    pub fn start(fault: Fault) -> io::Result<FakeServer> {
        let shared = Arc::new(Shared {
            fault,
            started: Instant::now(),
            requests: AtomicU64::new(0),
            replies: AtomicU64::new(0),
            acknowledged: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            cut: AtomicU64::new(0),
        });
        let theirs = Arc::clone(&shared);
        let server = Loopback::start(move |client, connections| serve(client, &theirs, connections))?;
        Ok(FakeServer { server, shared })
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// On the connection where so many replies have come first, the next one is that of [`ProxyFault::CutReply`]:
    /// connections on which a driver watches its server do not count with the one that it works on.
    pub fn cut_reply(&self, after: u64) {
        self.shared.cut.store(after + 1, Ordering::SeqCst);
    }

    /// How often its fault showed so far; of a server that stands alone, its connections.
    pub fn faults(&self) -> u64 {
        self.shared.faults.load(Ordering::SeqCst)
    }
}

impl Shared {
    /// Notes that the fault shows.
    fn strike(&self) {
        self.faults.fetch_add(1, Ordering::SeqCst);
    }

    fn is_older_than(&self, age: Duration) -> bool {
        self.started.elapsed() > age
    }
}

fn serve(mut client: TcpStream, shared: &Arc<Shared>, connections: &Connections) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut piece = vec![0; 64 << 10];
    match &shared.fault {
        Fault::Proxy { upstream, fault } => return serve_between((client, *upstream), *fault, shared, connections),
        Fault::Close => {
            shared.strike();
            return client.shutdown(Shutdown::Both);
        }
        Fault::Garbage => client.write_all(&garbage(4096))?,
        Fault::Hang | Fault::Text(_) => {}
    }
    shared.strike();
    while client.read(&mut piece)? > 0 {
        match &shared.fault {
            Fault::Garbage => client.write_all(&garbage(256))?,
            Fault::Text(text) => client.write_all(text)?,
            _ => {}
        }
    }
    Ok(())
}

/// Bytes without a meaning, the same ones each time (xorshift).
fn garbage(len: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn serve_between(
    (client, upstream): (TcpStream, u16),
    fault: ProxyFault,
    shared: &Arc<Shared>,
    connections: &Connections,
) -> io::Result<()> {
    let server = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, upstream)))?;
    server.set_nodelay(true)?;
    connections.keep(server.try_clone()?);
    let requests = Arc::clone(shared);
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || pump(from_client, to_server, |piece| request(fault, &requests, piece)));
    let mut until_cut = UntilCut::default();
    pump(server, client, |piece| reply(fault, shared, connections, &mut until_cut, piece));
    Ok(())
}

/// Passes pieces on until one side ends; then the other ends too.
fn pump(mut from: TcpStream, mut to: TcpStream, mut change: impl FnMut(Vec<u8>) -> Option<Vec<u8>>) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(len @ 1..) = from.read(&mut piece) {
        let Some(changed) = change(piece[..len].to_vec()) else { break };
        if to.write_all(&changed).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

fn request(fault: ProxyFault, shared: &Shared, piece: Vec<u8>) -> Option<Vec<u8>> {
    let number = shared.requests.fetch_add(1, Ordering::SeqCst) + 1;
    let ProxyFault::LoseIncrements { every } = fault else { return Some(piece) };
    const INCREMENT: &[u8] = b"$4\r\nINCR\r\n";
    let at = piece.windows(INCREMENT.len()).position(|window| window == INCREMENT);
    let Some(at) = at.filter(|_| number.is_multiple_of(every)) else { return Some(piece) };
    shared.strike();
    // Its answer is a number as well.
    let mut piece = piece;
    piece[at..at + INCREMENT.len()].copy_from_slice(b"$4\r\nPTTL\r\n");
    Some(piece)
}

/// Replies of one connection since a cut was asked for.
#[derive(Default)]
struct UntilCut(u64);

impl UntilCut {
    /// Whether this reply of the connection is the one that is cut off: one of the whole server.
    fn is_now(&mut self, shared: &Shared) -> bool {
        let cut = shared.cut.load(Ordering::SeqCst);
        if cut == 0 {
            return false;
        }
        self.0 += 1;
        self.0 == cut && shared.cut.compare_exchange(cut, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

fn reply(
    fault: ProxyFault,
    shared: &Shared,
    connections: &Connections,
    until_cut: &mut UntilCut,
    mut piece: Vec<u8>,
) -> Option<Vec<u8>> {
    let number = shared.replies.fetch_add(1, Ordering::SeqCst) + 1;
    let is_due = |every: u64, after: u64| number > after && number.is_multiple_of(every);
    let is_ok = piece == b"+OK\r\n";
    let acknowledged = if is_ok { shared.acknowledged.fetch_add(1, Ordering::SeqCst) + 1 } else { 0 };
    match fault {
        ProxyFault::CloseAfter(age) if shared.is_older_than(age) => {
            shared.strike();
            return None;
        }
        // The server has done what was asked: it has answered.
        ProxyFault::CutReply if until_cut.is_now(shared) => {
            shared.strike();
            return None;
        }
        ProxyFault::HangAfter(age) if shared.is_older_than(age) => {
            shared.strike();
            while !connections.is_over() {
                std::thread::sleep(Duration::from_millis(20));
            }
            return None;
        }
        ProxyFault::ErrorEvery { every, after } if is_ok && is_due(every, after) => {
            shared.strike();
            return Some(HOSTILE_ERROR.to_vec());
        }
        ProxyFault::ErrorsAfter(count) if acknowledged > count => {
            shared.strike();
            return Some(b"-ERR out of luck\r\n".to_vec());
        }
        ProxyFault::AlterEvery { every, after }
            if piece.starts_with(b"$") && piece.len() > 20 && is_due(every, after) =>
        {
            shared.strike();
            let at = piece.len() - 6;
            piece[at] ^= 1;
        }
        _ => {}
    }
    Some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn connect(server: &FakeServer) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    fn ask(stream: &mut TcpStream, text: &[u8]) -> Vec<u8> {
        stream.write_all(text).unwrap();
        let mut piece = [0; 256];
        let len = stream.read(&mut piece).unwrap();
        piece[..len].to_vec()
    }

    /// Answers every piece with `answer`, as a server would.
    fn real(answer: &'static [u8]) -> FakeServer {
        FakeServer::start(Fault::Text(answer.to_vec())).unwrap()
    }

    fn between(server: &FakeServer, fault: ProxyFault) -> FakeServer {
        FakeServer::start(Fault::Proxy { upstream: server.port(), fault }).unwrap()
    }

    #[test]
    fn every_third_acknowledgement_after_the_first_three_becomes_an_error() {
        let real = real(b"+OK\r\n");
        let fake = between(&real, ProxyFault::ErrorEvery { every: 3, after: 3 });
        let mut client = connect(&fake);
        let errors: Vec<bool> = (0..9).map(|_| ask(&mut client, b"x").starts_with(b"-ERR")).collect();
        assert_eq!(errors, [false, false, false, false, false, true, false, false, true]);
        assert_eq!(fake.faults(), 2);
    }

    #[test]
    fn acknowledgements_end_after_so_many() {
        let real = real(b"+OK\r\n");
        let fake = between(&real, ProxyFault::ErrorsAfter(2));
        let mut client = connect(&fake);
        let errors: Vec<bool> = (0..4).map(|_| ask(&mut client, b"x").starts_with(b"-ERR")).collect();
        assert_eq!(errors, [false, false, true, true]);
    }

    #[test]
    fn a_connection_is_closed_in_the_place_of_one_reply() {
        let real = real(b"+OK\r\n");
        let fake = between(&real, ProxyFault::CutReply);
        let mut client = connect(&fake);
        assert_eq!(ask(&mut client, b"x"), b"+OK\r\n");
        fake.cut_reply(1);
        assert_eq!(ask(&mut client, b"x"), b"+OK\r\n");
        assert_eq!(ask(&mut connect(&fake), b"x"), b"+OK\r\n", "a watcher's reply does not count");
        assert_eq!((ask(&mut client, b"x").len(), fake.faults()), (0, 1));
        assert_eq!(ask(&mut connect(&fake), b"x"), b"+OK\r\n", "once, and no other connection");
    }

    #[test]
    fn one_bit_of_a_value_is_flipped() {
        const VALUE: &[u8] = b"$20\r\nabcdefghijklmnopqrst\r\n";
        let real = real(VALUE);
        let fake = between(&real, ProxyFault::AlterEvery { every: 2, after: 0 });
        let mut client = connect(&fake);
        assert_eq!(ask(&mut client, b"x"), VALUE);
        let altered = ask(&mut client, b"x");
        let bits: u32 = altered.iter().zip(VALUE).map(|(one, other)| (one ^ other).count_ones()).sum();
        assert_eq!((altered.len(), bits), (VALUE.len(), 1));
    }

    #[test]
    fn an_increment_becomes_a_question() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let upstream = listener.local_addr().unwrap().port();
        let fault = ProxyFault::LoseIncrements { every: 1 };
        let fake = FakeServer::start(Fault::Proxy { upstream, fault }).unwrap();
        let mut client = connect(&fake);
        client.write_all(b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n").unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let mut piece = [0; 64];
        let len = server.read(&mut piece).unwrap();
        assert_eq!(&piece[..len], b"*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n");
    }

    #[test]
    fn a_server_that_is_dropped_closes_its_connections_those_that_hang_too() {
        for fault in [Fault::Hang, Fault::Close] {
            let fake = FakeServer::start(fault).unwrap();
            let mut client = connect(&fake);
            drop(fake);
            assert!(matches!(client.read(&mut [0; 8]), Ok(0) | Err(_)));
        }
    }
}
