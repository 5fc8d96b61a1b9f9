//! Many connections to a server on one thread: requests are buffered a lane, sent together, and replies taken as they
//! come. What requests and replies look like is a [`Dialect`]'s matter.

pub(crate) mod socket;

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use kurabe_protocol::{Connect, Phase};
use mio::{Events, Interest, Poll, Registry, Token};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::socket::Socket;
use super::wake::{is_short, wait_for};
use kurabe_client::adapter::{Answer, Lanes, Request, StoreError};

/// Bytes that one read takes at most: a second-level cache holds them.
const READ_BYTES: usize = 256 << 10;
/// Readiness events taken at a time; more stay with the kernel for the next time.
const EVENTS: usize = 1024;
/// So much is read of one connection before the others, and what was given so far, have their turn.
const TURN_BYTES: usize = 4 << 20;
/// Descriptors that a process needs beside its connections.
const OTHER_DESCRIPTORS: u64 = 64;

/// What a server understands and says: one request, one reply, and nothing to remember of a connection.
pub trait Dialect {
    /// What a reply is awaited for.
    type Pending;

    /// Appends a request to `out`.
    fn ask(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Self::Pending, StoreError>;

    /// Takes the reply at the start of `bytes`, says what it means for what was asked, and returns its length; nothing
    /// where it is not whole yet. An error ends the connection, and so does a whole reply where nothing was asked.
    fn take(
        pending: Option<&Self::Pending>,
        bytes: &[u8],
        give: impl FnOnce(Answer<'_>),
    ) -> Result<Option<ReplyFrame>, String>;

    /// Whether a server may close a connection on which nothing is under way, and a new one is made for the next request.
    const MAY_BE_CLOSED: bool = false;
}

/// A reply that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyFrame {
    /// Its length.
    pub len: usize,
    /// Whether the server closes the connection behind it.
    pub closes: bool,
}

impl ReplyFrame {
    /// One behind which the connection goes on.
    pub fn of(len: usize) -> ReplyFrame {
        ReplyFrame { len, closes: false }
    }
}

/// The connections of one thread.
pub struct SocketLanes<D: Dialect> {
    poll: Poll,
    events: Events,
    lanes: Vec<Lane<D>>,
    /// Lanes with requests that no attempt was made to send yet.
    unsent: Vec<u32>,
    /// Lanes that were not read to their end when others had their turn.
    unread: Vec<u32>,
    /// Makes a connection.
    connect: Box<dyn Fn() -> Result<Socket, StoreError>>,
    /// Whether each request has a connection of its own.
    connects_each: bool,
    /// How many were made since the first of each lane.
    connects: u64,
    dialect: D,
    chunk: Box<[u8]>,
}

struct Lane<D: Dialect> {
    socket: Socket,
    state: LaneState,
    outgoing: Vec<u8>,
    sent: usize,
    /// The start of a reply whose rest is still to come.
    incoming: Vec<u8>,
    pending: VecDeque<(u32, D::Pending)>,
    /// Whether a request was sent over its connection.
    used: bool,
}

/// How much of what there is was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadProgress {
    Complete,
    Partial,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LaneState {
    /// Everything is sent.
    Idle,
    /// Requests wait for the next drain.
    Unsent,
    /// The socket is full; the kernel tells when there is room.
    Full,
    /// The server closed it cleanly: the next request takes another one.
    Closed,
    /// The connection is gone, and why.
    Lost(String),
}

impl<D: Dialect> SocketLanes<D> {
    /// As many connections as `lanes` says, each made by `connect` and good for the requests of `phase` that are under way.
    pub(crate) fn open(
        dialect: D,
        lanes: u32,
        phase: &Phase,
        connect: impl Fn() -> Result<Socket, StoreError> + 'static,
    ) -> Result<SocketLanes<D>, StoreError> {
        let per_lane = phase.depth.max(phase.batch).max(1) as usize;
        allow_descriptors(u64::from(lanes) + OTHER_DESCRIPTORS);
        let failed = |error: std::io::Error| StoreError::store(format!("cannot wait for sockets: {error}"));
        let poll = Poll::new().map_err(failed)?;
        let open = |index: u32| {
            let mut socket = connect()?;
            socket.register(poll.registry(), Token(index as usize), Interest::READABLE).map_err(failed)?;
            Ok(Lane {
                socket,
                state: LaneState::Idle,
                outgoing: Vec::new(),
                sent: 0,
                incoming: Vec::new(),
                pending: VecDeque::with_capacity(per_lane),
                used: false,
            })
        };
        Ok(SocketLanes {
            lanes: (0..lanes).map(open).collect::<Result<_, StoreError>>()?,
            poll,
            events: Events::with_capacity(EVENTS),
            unsent: Vec::with_capacity(lanes as usize),
            unread: Vec::new(),
            connects_each: phase.connect == Connect::Each,
            connects: 0,
            connect: Box::new(connect),
            dialect,
            chunk: vec![0; READ_BYTES].into_boxed_slice(),
        })
    }
}

/// Raises this process's own limit of open files as far as it may, where it is too low; the
/// connection that does not fit any more tells the error.
fn allow_descriptors(needed: u64) {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        let current = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(current), maximum: limit.maximum });
    }
}

impl<D: Dialect> Lanes for SocketLanes<D> {
    fn connects(&self) -> u64 {
        self.connects
    }

    /// The one before was used, or is gone.
    #[cold]
    fn reconnect(&mut self, lane: u32) -> Result<(), StoreError> {
        let at = &mut self.lanes[lane as usize];
        // The socket is useless whether or not the kernel still knows it.
        let _ = at.socket.deregister(self.poll.registry());
        at.socket = (self.connect)()?;
        let registered = at.socket.register(self.poll.registry(), Token(lane as usize), Interest::READABLE);
        registered.map_err(|error| StoreError::store(format!("cannot wait for sockets: {error}")))?;
        at.outgoing.clear();
        at.incoming.clear();
        (at.sent, at.state, at.used) = (0, LaneState::Idle, false);
        self.connects += 1;
        Ok(())
    }

    #[inline(always)]
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let before = &self.lanes[lane as usize];
        if (self.connects_each && before.used) || before.state == LaneState::Closed {
            self.reconnect(lane)?;
        }
        let at = &mut self.lanes[lane as usize];
        if let LaneState::Lost(why) = &at.state {
            return Err(StoreError::Disconnected(why.clone()));
        }
        let pending = self.dialect.ask(&request, &mut at.outgoing)?;
        at.pending.push_back((token, pending));
        at.used = true;
        if at.state == LaneState::Idle {
            at.state = LaneState::Unsent;
            self.unsent.push(lane);
        }
        Ok(())
    }

    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let SocketLanes { poll, events, lanes, unsent, unread, chunk, .. } = self;
        let mut wait = wait;
        for lane in unsent.drain(..) {
            let at = &mut lanes[lane as usize];
            if let Err(why) = at.send(poll.registry(), lane) {
                at.lose(poll.registry(), why, sink);
                wait = Duration::ZERO;
            }
        }
        for lane in std::mem::take(unread) {
            let at = &mut lanes[lane as usize];
            if !matches!(at.state, LaneState::Lost(_)) {
                at.turn(poll.registry(), lane, unread, chunk, false, sink);
                wait = Duration::ZERO;
            }
        }
        if is_short(wait) {
            // SAFETY: the descriptor is that of `poll`, which outlives the borrow.
            wait_for(unsafe { BorrowedFd::borrow_raw(poll.as_raw_fd()) }, wait);
            wait = Duration::ZERO;
        }
        match poll.poll(events, Some(wait)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                return Err(StoreError::store(format!("cannot wait for sockets: {error}")));
            }
            _ => {}
        }
        for event in events.iter() {
            let lane = event.token().0 as u32;
            let at = &mut lanes[lane as usize];
            if event.is_writable()
                && at.state == LaneState::Full
                && let Err(why) = at.send(poll.registry(), lane)
            {
                at.lose(poll.registry(), why, sink);
            } else if event.is_readable() || event.is_error() {
                at.turn(poll.registry(), lane, unread, chunk, event.is_read_closed(), sink);
            }
        }
        Ok(())
    }
}

impl<D: Dialect> Lane<D> {
    /// Reads what is there and hands it over; a connection that fails meanwhile is given up.
    #[inline(always)]
    fn turn(
        &mut self,
        registry: &Registry,
        lane: u32,
        unread: &mut Vec<u32>,
        chunk: &mut [u8],
        closing: bool,
        sink: &mut impl FnMut(u32, Answer<'_>),
    ) {
        match self.receive(chunk, closing, sink) {
            Ok(ReadProgress::Partial) => unread.push(lane),
            Ok(ReadProgress::Complete) => {}
            // A connection that has done its work may end in any way.
            Err(_) if self.state == LaneState::Closed => {}
            Err(why) => self.lose(registry, why, sink),
        }
    }

    /// Sends as much as the socket takes, and asks to be told where it does not take all.
    #[inline(always)]
    fn send(&mut self, registry: &Registry, lane: u32) -> Result<(), String> {
        while self.sent < self.outgoing.len() {
            match self.socket.write(&self.outgoing[self.sent..]) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return self.await_room(registry, lane),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        match self.socket.flush() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return self.await_room(registry, lane),
            flushed => flushed.map_err(|error| error.to_string())?,
        }
        self.outgoing.clear();
        self.sent = 0;
        if std::mem::replace(&mut self.state, LaneState::Idle) == LaneState::Full {
            self.listen(registry, lane, Interest::READABLE)?;
        }
        Ok(())
    }

    #[cold]
    fn await_room(&mut self, registry: &Registry, lane: u32) -> Result<(), String> {
        self.state = LaneState::Full;
        self.listen(registry, lane, Interest::READABLE | Interest::WRITABLE)
    }

    fn listen(&mut self, registry: &Registry, lane: u32, interest: Interest) -> Result<(), String> {
        self.socket.reregister(registry, Token(lane as usize), interest).map_err(|error| error.to_string())
    }

    /// Reads what is there and hands over every whole reply.
    #[inline(always)]
    fn receive(
        &mut self,
        chunk: &mut [u8],
        closing: bool,
        sink: &mut impl FnMut(u32, Answer<'_>),
    ) -> Result<ReadProgress, String> {
        let mut read = 0;
        loop {
            match self.socket.read(chunk) {
                Ok(0) if D::MAY_BE_CLOSED && self.pending.is_empty() => {
                    self.state = LaneState::Closed;
                    return Ok(ReadProgress::Complete);
                }
                Ok(0) => return Err("the server closed the connection".into()),
                Ok(len) => {
                    self.take(&chunk[..len], sink)?;
                    // A short read of a stream means that it is empty: epoll(7), "edge-triggered". The end of the stream comes after it.
                    if len < chunk.len() && !closing && self.socket.ends_with_a_short_read() {
                        return Ok(ReadProgress::Complete);
                    }
                    read += len;
                    if read >= TURN_BYTES {
                        return Ok(ReadProgress::Partial);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(ReadProgress::Complete),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, bytes: &[u8], sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), String> {
        let taken = if self.incoming.is_empty() {
            let taken = self.hand_over(bytes, sink)?;
            self.incoming.extend_from_slice(&bytes[taken.len..]);
            taken
        } else {
            let mut incoming = std::mem::take(&mut self.incoming);
            incoming.extend_from_slice(bytes);
            let taken = self.hand_over(&incoming, sink)?;
            incoming.drain(..taken.len);
            self.incoming = incoming;
            taken
        };
        if taken.closes {
            self.state = LaneState::Closed;
        }
        Ok(())
    }

    /// Hands over every whole reply in `bytes`; returns how many bytes they were, and whether the last one ends the connection.
    #[inline(always)]
    fn hand_over(&mut self, bytes: &[u8], sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<ReplyFrame, String> {
        let (mut used, mut closes) = (0, false);
        while used < bytes.len() && !closes {
            let first = self.pending.front();
            let token = first.map_or(u32::MAX, |(token, _)| *token);
            let taken = D::take(first.map(|(_, pending)| pending), &bytes[used..], |answer| sink(token, answer))?;
            let Some(taken) = taken else { break };
            self.pending.pop_front();
            used += taken.len;
            closes = taken.closes;
        }
        Ok(ReplyFrame { len: used, closes })
    }

    /// Gives the connection up; everything under way on it has failed.
    #[cold]
    fn lose(&mut self, registry: &Registry, why: String, sink: &mut impl FnMut(u32, Answer<'_>)) {
        // The socket is useless whether or not the kernel still knows it.
        let _ = self.socket.deregister(registry);
        for (token, _) in self.pending.drain(..) {
            sink(token, Answer::Failed(StoreError::Disconnected(why.clone())));
        }
        self.state = LaneState::Lost(why);
    }
}
