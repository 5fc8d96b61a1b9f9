//! The bandwidth limit: a proxy that passes on what arrives no faster than a line of so many bits a second.
//!
//! Client and server share one machine, with only loopback between them. A published comparison may have had a link of
//! 100 Mbit/s (`studies/board.toml`). This proxy stands for such a link. It is a process that the harness starts like
//! an app. It runs without root, and touches nothing of the system's network. The price is processor time: it copies
//! everything once more (apps/link/README.md).
//!
//! Each direction is a line of its own, as Ethernet's are, and all connections share it. What arrives waits until the
//! line is free, in order of arrival. Headers count as far as they can be known here: a frame for each full segment of
//! TCP and for the rest. Acknowledgements, and the making and closing of connections, do not count. The line adds no
//! delay of its own. Timers are no finer than a millisecond, so an idle line may catch up for two.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use kurabe_messages::message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until};

use crate::app::BoardError;

/// Bytes of a full segment of TCP over Ethernet: 1,500 without the headers of IP and TCP and the latter's time stamps.
const SEGMENT_BYTES: u64 = 1_448;
/// What stands around a segment on the wire: these headers (52), those of Ethernet (18), preamble and gap (20).
const AROUND_BYTES: u64 = 90;
/// So much is passed on at a time.
const CHUNK_BYTES: usize = 16 << 10;
/// What an idle line may make up for, since timers are no finer than a millisecond: as much as it passes on in that
/// time.
const CREDIT: Duration = Duration::from_millis(2);
/// A wait that is shorter is none: the timer would make it longer than it is.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// Bytes on the wire of so many of a stream.
fn on_wire(bytes: u64) -> u64 {
    bytes + bytes.div_ceil(SEGMENT_BYTES) * AROUND_BYTES
}

/// One direction of the link.
struct Line {
    bits_per_s: u64,
    /// When what was given to it will all have been passed on.
    free_at: Cell<Instant>,
}

impl Line {
    fn new(bits_per_s: u64) -> Line {
        Line { bits_per_s: bits_per_s.max(1), free_at: Cell::new(Instant::now()) }
    }

    /// Takes the line for so many bytes that came `now`; when they will have been passed on.
    fn take(&self, now: Instant, bytes: usize) -> Instant {
        let start = self.free_at.get().max(now.checked_sub(CREDIT).unwrap_or(now));
        let ns = u128::from(on_wire(bytes as u64)) * 8 * 1_000_000_000 / u128::from(self.bits_per_s);
        let end = start + Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
        self.free_at.set(end);
        end
    }
}

/// Passes on what comes at `listen` to `upstream` and back, at `bits_per_s` in each direction, until SIGTERM or SIGINT
/// comes.
///
/// # Errors
/// Where it cannot listen, or the system lacks what it needs.
pub fn pass_on(listen: SocketAddr, upstream: SocketAddr, bits_per_s: u64) -> Result<(), BoardError> {
    let no_loop = |error: std::io::Error| BoardError::System(message!(board_no_event_loop, error));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(no_loop)?;
    LocalSet::new().block_on(&runtime, accept(listen, upstream, bits_per_s))
}

async fn accept(listen: SocketAddr, upstream: SocketAddr, bits_per_s: u64) -> Result<(), BoardError> {
    let unlistened = |error: std::io::Error| BoardError::System(message!(board_cannot_listen, address = listen, error));
    let no_signals = |error: std::io::Error| BoardError::System(message!(board_no_signals, error));
    let listener = TcpListener::bind(listen).await.map_err(unlistened)?;
    let mut term = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut int = signal(SignalKind::interrupt()).map_err(no_signals)?;
    let (there, back) = (Rc::new(Line::new(bits_per_s)), Rc::new(Line::new(bits_per_s)));
    loop {
        let accepted = tokio::select! {
            _ = term.recv() => return Ok(()),
            _ = int.recv() => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let Ok((client, _)) = accepted else {
            // No file descriptor is free, or the other side has left already.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let (there, back) = (there.clone(), back.clone());
        tokio::task::spawn_local(async move {
            // Where the service does not take it the connection is closed, as the service's own would be.
            let Ok(service) = TcpStream::connect(upstream).await else { return };
            if client.set_nodelay(true).and_then(|()| service.set_nodelay(true)).is_err() {
                return;
            }
            let ((from_client, to_client), (from_service, to_service)) = (client.into_split(), service.into_split());
            tokio::task::spawn_local(pump(from_client, to_service, there));
            pump(from_service, to_client, back).await;
        });
    }
}

/// Passes one direction of a connection on until its end, which it passes on too.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: Rc<Line>) {
    let mut chunk = vec![0; CHUNK_BYTES];
    // An end in the middle ends the connection: that is the affair of its two sides.
    while let Ok(len @ 1..) = from.read(&mut chunk).await {
        let now = Instant::now();
        let passed_at = line.take(now, len);
        if passed_at > now + SHORTEST_WAIT {
            sleep_until(passed_at).await;
        }
        if to.write_all(&chunk[..len]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_passes_on_so_many_bits_a_second_and_makes_up_for_little() {
        let line = Line::new(100_000_000);
        let start = Instant::now() + Duration::from_secs(1);
        // What was idle for long gives no more than the credit.
        let first = line.take(start, CHUNK_BYTES);
        let chunk_ns = on_wire(CHUNK_BYTES as u64) * 8 * 10;
        assert_eq!(first, start - CREDIT + Duration::from_nanos(chunk_ns));
        let last = (1..1_000).fold(first, |_, _| line.take(start, CHUNK_BYTES));
        assert_eq!(last, start - CREDIT + Duration::from_nanos(1_000 * chunk_ns));
    }

    #[test]
    fn each_segment_has_its_frame() {
        assert_eq!(on_wire(0), 0);
        assert_eq!(on_wire(1), 91);
        assert_eq!(on_wire(1_448), 1_538);
        assert_eq!(on_wire(1_449), 1_449 + 180);
        // 100 Mbit/s of them carry some 94.
        let share = SEGMENT_BYTES as f64 / on_wire(SEGMENT_BYTES) as f64;
        assert!((0.94..0.942).contains(&share), "{share}");
    }

    #[test]
    fn what_goes_through_is_unchanged_and_no_faster_than_the_line() {
        let service = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let upstream = service.local_addr().expect("an address");
        let sent: Vec<u8> = (0..2_000_000u32).map(|at| (at % 251) as u8).collect();
        let expected = sent.clone();
        let runtime = Builder::new_current_thread().enable_all().build().expect("a loop");
        let listen = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
        std::thread::spawn(move || {
            use std::io::{Read, Write};
            let (mut stream, _) = service.accept().expect("a connection");
            let mut question = [0; 5];
            stream.read_exact(&mut question).expect("a question");
            assert_eq!(&question, b"hello");
            stream.write_all(&sent).expect("an answer");
        });
        let elapsed = LocalSet::new().block_on(&runtime, async move {
            let link = tokio::task::spawn_local(accept(listen, upstream, 100_000_000));
            let mut stream = loop {
                match TcpStream::connect(listen).await {
                    Ok(stream) => break stream,
                    Err(_) => tokio::task::yield_now().await,
                }
            };
            let start = Instant::now();
            stream.write_all(b"hello").await.expect("asked");
            let mut came = Vec::new();
            stream.read_to_end(&mut came).await.expect("answered");
            assert!(came == expected, "{} bytes came", came.len());
            let elapsed = start.elapsed();
            link.abort();
            elapsed
        });
        // So long the line takes at least: no machine is fast enough to be faster.
        let least = Duration::from_nanos(on_wire(2_000_000) * 80) - CREDIT - SHORTEST_WAIT;
        assert!(elapsed >= least, "{elapsed:?} for what takes {least:?}");
    }
}
