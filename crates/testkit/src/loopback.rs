//! A server for a test: a free port of 127.0.0.1 and a thread for each connection; it ends, with its connections, when it is
//! dropped.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A running server.
#[derive(Debug)]
pub(crate) struct Loopback {
    port: u16,
    connections: Arc<Connections>,
    acceptor: Option<JoinHandle<()>>,
}

/// What all connections of a server know.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    is_over: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Connections {
    /// Whether the server is being dropped.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Keeps an end of a stream, so that it is closed with the server.
    pub(crate) fn keep(&self, stream: TcpStream) {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
    }
}

impl Loopback {
    /// Starts a server in which `serve` has each connection.
    pub(crate) fn start(
        serve: impl Fn(TcpStream, &Connections) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Loopback> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let connections = Arc::new(Connections::default());
        let theirs = Arc::clone(&connections);
        let acceptor = std::thread::spawn(move || accept(&listener, &theirs, &Arc::new(serve)));
        Ok(Loopback { port, connections, acceptor: Some(acceptor) })
    }

    /// Its port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.connections.is_over.store(true, Ordering::SeqCst);
        for stream in self.connections.streams.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that is closed already cannot be closed again.
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the acceptor, which then sees that it is over.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn accept<S>(listener: &TcpListener, connections: &Arc<Connections>, serve: &Arc<S>)
where
    S: Fn(TcpStream, &Connections) -> io::Result<()> + Send + Sync + 'static,
{
    for stream in listener.incoming() {
        if connections.is_over() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(ours) = stream.try_clone() else { continue };
        connections.keep(ours);
        let (connections, serve) = (Arc::clone(connections), Arc::clone(serve));
        // A connection that breaks is what these servers are for.
        std::thread::spawn(move || drop(serve(stream, &connections)));
    }
}
