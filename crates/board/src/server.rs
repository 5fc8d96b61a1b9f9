//! Threads and connections.
//!
//! One thread accepts; each of the others serves its share of the connections on one event loop, and asks the store
//! itself, so that no request is handed from thread to thread. What a store does blocks its thread: as many requests
//! are at the store at a time as there are threads, and what is beyond them waits in its socket.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::response::IntoResponse;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use kurabe_messages::message;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::LocalSet;
use tokio_io_timeout::TimeoutStream;

use crate::app::{App, BoardError};
use crate::posts::close_window;

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
/// So long afterwards a thread is waited for that is at the store.
const LAST_GRACE: Duration = Duration::from_secs(1);
const JOIN_POLL: Duration = Duration::from_millis(5);
/// How often it is looked whether there is still a store.
const LOOK: Duration = Duration::from_millis(200);

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
        let failed = |error: std::io::Error| BoardError::System(message!(board_cannot_listen, address, error));
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address })
    }
}

type Accepted = (TcpStream, OwnedSemaphorePermit);

/// A thread that serves.
struct ServerThread {
    streams: UnboundedSender<Accepted>,
    /// Connections that it has.
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// Why a service ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// SIGTERM or SIGINT came.
    Asked,
    /// There is no store any more, in these words.
    NoStore(String),
}

/// Serves on `threads` threads until SIGTERM or SIGINT comes, or `lost` says why there is no store any more. Then
/// requests under way are answered; what a store does not answer within the time of grace is not waited for.
///
/// # Errors
/// Where the system lacks what it needs for that.
pub fn serve(
    server: Server,
    app: &Arc<App>,
    threads: usize,
    lost: &mut dyn FnMut() -> Option<String>,
) -> Result<Ended, BoardError> {
    let hands: Vec<ServerThread> = (0..threads.max(1)).map(|_| hand(app)).collect::<Result<_, _>>()?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(no_loop)?;
    let ended = runtime.block_on(accept(server.listener, &hands, lost));
    let threads: Vec<JoinHandle<()>> = hands.into_iter().map(|hand| hand.thread).collect();
    // One that panicked has said so; one that stays at the store ends with the process.
    let until = Instant::now() + GRACE + LAST_GRACE;
    while threads.iter().any(|thread| !thread.is_finished()) && Instant::now() < until {
        std::thread::sleep(JOIN_POLL);
    }
    ended
}

fn no_loop(error: std::io::Error) -> BoardError {
    BoardError::System(message!(board_no_event_loop, error))
}

fn hand(app: &Arc<App>) -> Result<ServerThread, BoardError> {
    let (streams, accepted) = unbounded_channel();
    let open = Arc::new(AtomicUsize::new(0));
    let (app, counted) = (app.clone(), open.clone());
    let runtime = Builder::new_current_thread().enable_all().build().map_err(no_loop)?;
    let work = move || {
        LocalSet::new().block_on(&runtime, serve_all(app, accepted, counted));
        close_window();
    };
    let thread = std::thread::Builder::new().name("board".into()).spawn(work);
    let thread = thread.map_err(|error| BoardError::System(message!(board_no_thread, error)))?;
    Ok(ServerThread { streams, open, thread })
}

/// Accepts connections until it has to end; each goes to the thread that has fewest.
async fn accept(
    listener: TcpListener,
    hands: &[ServerThread],
    lost: &mut dyn FnMut() -> Option<String>,
) -> Result<Ended, BoardError> {
    let address = listener.local_addr().map_or_else(|error| error.to_string(), |address| address.to_string());
    let unlistened = |error: std::io::Error| BoardError::System(message!(board_cannot_listen, address, error));
    let no_signals = |error: std::io::Error| BoardError::System(message!(board_no_signals, error));
    let listener = tokio::net::TcpListener::from_std(listener).map_err(unlistened)?;
    let mut term = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut int = signal(SignalKind::interrupt()).map_err(no_signals)?;
    let mut look = tokio::time::interval(LOOK);
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let next = async {
            let permit = room.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            _ = term.recv() => return Ok(Ended::Asked),
            _ = int.recv() => return Ok(Ended::Asked),
            _ = look.tick() => match lost() {
                Some(words) => return Ok(Ended::NoStore(words)),
                None => continue,
            },
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
    let router = app.clone().router();
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
        let (app, routes) = (app.clone(), TowerToHyperService::new(router.clone()));
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = match app.refuse(&request) {
                None => Ok(routes.call(request)),
                Some(refusal) => Err(refusal.into_response()),
            };
            async move {
                match answer {
                    Ok(answer) => answer.await,
                    Err(refused) => Ok(refused),
                }
            }
        });
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc::channel;

    use kurabe_protocol::{Job, Schema};

    use super::*;
    use crate::fake::Fake;
    use crate::{Control, Hosts};

    /// What takes longer has failed.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn a_store_that_never_answers_does_not_keep_the_service_from_its_end() {
        let job: Job = serde_json::from_value(serde_json::json!({
            "id": "j", "candidate": {"name": "fake", "store": "fake", "wire": "fake"},
            "schema": Schema::key_value(8), "rows": 0,
            "namespace": "ns", "process": 0, "processes": 1, "pool": "",
            "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
        }))
        .unwrap();
        let (stuck, is_stuck) = channel();
        let fake = Fake { stuck: Some(stuck), ..Fake::default() };
        let server = Server::listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = server.address;
        let app = Arc::new(App::new(Box::new(fake), &job, "fake".into(), Hosts::of(address), Control::Refused));
        let (ended, end) = channel();
        std::thread::spawn(move || {
            let lost = &mut || is_stuck.try_recv().ok().map(|()| "it hangs".to_string());
            ended.send(serve(server, &app, 1, lost).unwrap()).unwrap();
        });
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /rows/1 HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        assert_eq!(end.recv_timeout(PATIENCE).unwrap(), Ended::NoStore("it hangs".into()));
    }
}
