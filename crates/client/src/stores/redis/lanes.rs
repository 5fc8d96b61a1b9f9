//! Many connections on one thread: requests are buffered a lane, sent together, and replies taken
//! as they come.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::time::Duration;

use mio::{Events, Interest, Poll, Registry, Token};
use redis::{Cmd, ConnectionInfo};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::KeyNames;
use super::reply::{self, Asked};
use super::socket::Socket;
use crate::adapter::{Answer, Lanes, Request, StoreError};

/// Bytes that one read takes at most: a second-level cache holds them.
const READ_BYTES: usize = 256 << 10;
/// Readiness events taken at a time; more stay with the kernel for the next time.
const EVENTS: usize = 1024;
/// Descriptors that a process needs beside its connections.
const OTHER_DESCRIPTORS: u64 = 64;

/// The connections of one thread.
pub struct RedisLanes {
    poll: Poll,
    events: Events,
    lanes: Vec<Lane>,
    /// Lanes with requests that no attempt was made to send yet.
    unsent: Vec<u32>,
    names: KeyNames,
    name: Vec<u8>,
    command: Cmd,
    chunk: Box<[u8]>,
}

struct Lane {
    socket: Socket,
    state: LaneState,
    outgoing: Vec<u8>,
    sent: usize,
    /// The start of a reply whose rest is still to come.
    incoming: Vec<u8>,
    asked: VecDeque<(u32, Asked)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LaneState {
    /// Everything is sent.
    Idle,
    /// Requests wait for the next drain.
    Unsent,
    /// The socket is full; the kernel tells when there is room.
    Full,
    /// The connection is gone, and why.
    Lost(String),
}

impl RedisLanes {
    pub(super) fn open(
        address: &ConnectionInfo,
        limit: Duration,
        names: KeyNames,
        lanes: u32,
        per_lane: usize,
    ) -> Result<RedisLanes, StoreError> {
        allow_descriptors(u64::from(lanes) + OTHER_DESCRIPTORS);
        let failed = |error: std::io::Error| StoreError::store(format!("cannot wait for sockets: {error}"));
        let poll = Poll::new().map_err(failed)?;
        let open = |index: u32| {
            let mut socket = Socket::open(address, limit)?;
            socket.register(poll.registry(), Token(index as usize), Interest::READABLE).map_err(failed)?;
            Ok(Lane {
                socket,
                state: LaneState::Idle,
                outgoing: Vec::new(),
                sent: 0,
                incoming: Vec::new(),
                asked: VecDeque::with_capacity(per_lane),
            })
        };
        Ok(RedisLanes {
            lanes: (0..lanes).map(open).collect::<Result<_, StoreError>>()?,
            poll,
            events: Events::with_capacity(EVENTS),
            unsent: Vec::with_capacity(lanes as usize),
            names,
            name: Vec::new(),
            command: Cmd::new(),
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

impl Lanes for RedisLanes {
    #[inline(always)]
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        self.names.write(reply::key_of(&request), &mut self.name);
        let at = &mut self.lanes[lane as usize];
        if let LaneState::Lost(why) = &at.state {
            return Err(StoreError::Disconnected(why.clone()));
        }
        reply::encode_request(&mut at.outgoing, &mut self.command, &request, &self.name);
        at.asked.push_back((token, Asked::of(&request)));
        if at.state == LaneState::Idle {
            at.state = LaneState::Unsent;
            self.unsent.push(lane);
        }
        Ok(())
    }

    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let RedisLanes { poll, events, lanes, unsent, chunk, .. } = self;
        let mut wait = wait;
        for lane in unsent.drain(..) {
            let at = &mut lanes[lane as usize];
            if let Err(why) = at.send(poll.registry(), lane) {
                at.lose(poll.registry(), why, sink);
                wait = Duration::ZERO;
            }
        }
        match poll.poll(events, Some(wait)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                return Err(StoreError::store(format!("cannot wait for sockets: {error}")));
            }
            _ => {}
        }
        for event in events.iter() {
            let lane = event.token().0;
            let at = &mut lanes[lane];
            let mut done = Ok(());
            if event.is_writable() && at.state == LaneState::Full {
                done = at.send(poll.registry(), lane as u32);
            }
            if done.is_ok() && (event.is_readable() || event.is_error()) {
                done = at.receive(chunk, event.is_read_closed(), sink);
            }
            if let Err(why) = done {
                at.lose(poll.registry(), why, sink);
            }
        }
        Ok(())
    }
}

impl Lane {
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
    ) -> Result<(), String> {
        loop {
            match self.socket.read(chunk) {
                Ok(0) => return Err("the server closed the connection".into()),
                Ok(len) => {
                    self.take(&chunk[..len], sink)?;
                    // A short read of a stream means that it is empty: epoll(7), "edge-triggered". The end of the stream comes after it.
                    if len < chunk.len() && !closing {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, bytes: &[u8], sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), String> {
        if self.incoming.is_empty() {
            let used = hand_over(&mut self.asked, bytes, sink)?;
            self.incoming.extend_from_slice(&bytes[used..]);
        } else {
            self.incoming.extend_from_slice(bytes);
            let used = hand_over(&mut self.asked, &self.incoming, sink)?;
            self.incoming.drain(..used);
        }
        Ok(())
    }

    /// Gives the connection up; everything under way on it has failed.
    #[cold]
    fn lose(&mut self, registry: &Registry, why: String, sink: &mut impl FnMut(u32, Answer<'_>)) {
        // The socket is useless whether or not the kernel still knows it.
        let _ = self.socket.deregister(registry);
        for (token, _) in self.asked.drain(..) {
            sink(token, Answer::Failed(StoreError::Disconnected(why.clone())));
        }
        self.state = LaneState::Lost(why);
    }
}

/// Hands over every whole reply in `bytes`; returns how many bytes they were.
#[inline(always)]
fn hand_over(
    asked: &mut VecDeque<(u32, Asked)>,
    bytes: &[u8],
    sink: &mut impl FnMut(u32, Answer<'_>),
) -> Result<usize, String> {
    let mut used = 0;
    while used < bytes.len() {
        let rest = &bytes[used..];
        let Some((frame, len)) = reply::decode(rest)? else { break };
        let Some((token, what)) = asked.pop_front() else {
            return Err(format!("the server sent what nobody asked for: {}", reply::failure(&frame, rest)));
        };
        sink(token, reply::answer(what, &frame, rest));
        used += len;
    }
    Ok(used)
}
