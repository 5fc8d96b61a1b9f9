//! Threads and connections.
//!
//! One thread accepts; each of the others serves its share of the connections on one event loop, and asks the store itself,
//! so that no request is handed from thread to thread. What a store does blocks its thread: as many requests are at the store
//! at a time as there are threads, and what is beyond them waits in its socket.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::LocalSet;
use tokio_io_timeout::TimeoutStream;

use crate::app::{App, BoardError, close_window};

/// Connections that are open at a time; more wait until one is closed.
const MOST_CONNECTIONS: usize = 10_000;
/// A head of a request that takes longer to come is not waited for.
const HEAD_LIMIT: Duration = Duration::from_secs(15);
/// A reader that takes nothing for so long is left.
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// Most bytes of a request's head.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// So long requests under way may take after the end was asked for.
const GRACE: Duration = Duration::from_secs(5);

/// A service that listens, and does not serve yet.
pub struct Server {
    listener: TcpListener,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Listens at `address`; port 0 is any that is free.
    ///
    /// # Errors
    /// Where that cannot be, as when the port is taken.
    pub fn listen(address: SocketAddr) -> Result<Server, BoardError> {
        let failed = |error| BoardError::System { what: format!("cannot listen at {address}"), error };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address })
    }
}

type Accepted = (TcpStream, OwnedSemaphorePermit);

/// A thread that serves.
struct Hand {
    streams: UnboundedSender<Accepted>,
    /// Connections that it has.
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// Serves on `threads` threads until SIGTERM or SIGINT comes, then ends in good order: requests under way are answered.
///
/// # Errors
/// Where the system lacks what it needs for that.
pub fn serve(server: Server, app: &Arc<App>, threads: usize) -> Result<(), BoardError> {
    let hands: Vec<Hand> = (0..threads.max(1)).map(|_| hand(app)).collect::<Result<_, _>>()?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(no_loop)?;
    let accepted = runtime.block_on(accept(server.listener, &hands));
    for Hand { streams, thread, .. } in hands {
        drop(streams);
        // One that panicked has said so.
        let _ = thread.join();
    }
    accepted
}

fn no_loop(error: std::io::Error) -> BoardError {
    BoardError::System { what: "cannot make an event loop".into(), error }
}

fn hand(app: &Arc<App>) -> Result<Hand, BoardError> {
    let (streams, accepted) = unbounded_channel();
    let open = Arc::new(AtomicUsize::new(0));
    let (app, counted) = (app.clone(), open.clone());
    let runtime = Builder::new_current_thread().enable_all().build().map_err(no_loop)?;
    let work = move || {
        LocalSet::new().block_on(&runtime, serve_all(app, accepted, counted));
        close_window();
    };
    let thread = std::thread::Builder::new().name("board".into()).spawn(work);
    let thread = thread.map_err(|error| BoardError::System { what: "cannot start a thread".into(), error })?;
    Ok(Hand { streams, open, thread })
}

/// Accepts connections until the end is asked for; each goes to the thread that has fewest.
async fn accept(listener: TcpListener, hands: &[Hand]) -> Result<(), BoardError> {
    let failed = |what: &str| {
        let what = what.to_string();
        move |error| BoardError::System { what, error }
    };
    let listener = tokio::net::TcpListener::from_std(listener).map_err(failed("cannot listen"))?;
    let mut term = signal(SignalKind::terminate()).map_err(failed("cannot wait for signals"))?;
    let mut int = signal(SignalKind::interrupt()).map_err(failed("cannot wait for signals"))?;
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let next = async {
            let permit = room.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            _ = term.recv() => return Ok(()),
            _ = int.recv() => return Ok(()),
            next = next => next,
        };
        match (permit, accepted) {
            (Ok(permit), Ok((stream, _))) => {
                let Ok(stream) = stream.into_std() else { continue };
                let Some(hand) = hands.iter().min_by_key(|hand| hand.open.load(Ordering::Relaxed)) else { continue };
                hand.open.fetch_add(1, Ordering::Relaxed);
                // Where its thread is gone the connection is closed.
                let _ = hand.streams.send((stream, permit));
            }
            // No file descriptor is free, or the other side has left already.
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// What one thread does.
async fn serve_all(app: Arc<App>, mut accepted: UnboundedReceiver<Accepted>, open: Arc<AtomicUsize>) {
    let router = app.router();
    let graceful = GracefulShutdown::new();
    while let Some((stream, permit)) = accepted.recv().await {
        let open = open.clone();
        let Ok(stream) = tokio::net::TcpStream::from_std(stream).and_then(|stream| {
            stream.set_nodelay(true)?;
            Ok(stream)
        }) else {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_LIMIT));
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LIMIT)
            .max_buf_size(MOST_HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        tokio::task::spawn_local(async move {
            // It ends with an error where the other side leaves in the middle: that is its own affair.
            let _ = connection.await;
            open.fetch_sub(1, Ordering::Relaxed);
            drop(permit);
        });
    }
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(GRACE) => {}
    }
}
