//! The usual driver of the family: many connections on one thread, each with one statement at a time.
//!
//! Packets, greeting and passwords are those of the crate `mysql_common`; parameters and rows are written and read where they
//! lie, without a value of their own for each.

mod key;
mod packet;
mod rows;
mod sign_in;
mod talk;

use std::time::Duration;

use kurabe_protocol::{Phase, ReadScope};
use mysql::Opts;

use self::rows::Columns;
use self::sign_in::{Trouble, Who, Wire};
use self::talk::Known;
pub use self::talk::MySql;
use super::connection::{SEES_COMMITS, SNAPSHOT, sees_commits};
use super::statements::Statements;
use super::{Driver, Server, UNKNOWN_VARIABLE};
use crate::adapter::{Answer, InFlight, Lanes, Request, RowBuffer, RowSink, StoreError};
use crate::in_flight::InFlightLoop;
use crate::stores::common::lanes::SocketLanes;
use crate::stores::common::lanes::socket::{Address, Socket};
use crate::stores::common::transaction::Transaction;

/// Many connections on one thread.
pub struct InLanes;

impl Driver for InLanes {
    type Shape = InFlightLoop;
    const LIBRARIES: &'static [&'static str] = &["mysql_common", "mio"];
}

impl InFlight for Server<InLanes> {
    type Lanes = ServerLanes;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<ServerLanes, StoreError> {
        if self.opts.get_ssl_opts().is_some() {
            return Err(StoreError::store("TLS is not supported here; use an address without it, or a unix socket"));
        }
        if phase.read_scope == ReadScope::Snapshot && phase.writes() {
            return Err(StoreError::store("read scope 'snapshot' needs a phase that only reads"));
        }
        let (address, who) = (address(&self.opts), who(&self.opts));
        let (limit, session, product) = (self.operation_limit, self.session(self.operation_limit), self.product);
        let (table, phase_of_lanes, layout) = (self.table.clone(), phase.clone(), self.layout.clone());
        let connect = move || {
            let mut known = None;
            let socket = Socket::open(&address, patience(limit), |stream| {
                let mut wire = Wire::new(stream);
                let can = wire.sign_in(&who)?;
                wire.run(&session).map_err(|trouble| match trouble {
                    Trouble::Refused(refusal) if refusal.code == UNKNOWN_VARIABLE => product.is_another(),
                    trouble => trouble.into(),
                })?;
                let columns = Columns::of(&table);
                let statements = Statements::prepare(&table, &phase_of_lanes, |text, params| {
                    let (id, given) = wire.prepare(can, &text)?;
                    columns.prepared(id, params, &given)
                })?;
                if phase_of_lanes.read_scope == ReadScope::Snapshot {
                    wire.run(SNAPSHOT)?;
                }
                if sees_commits(&phase_of_lanes) {
                    wire.run(SEES_COMMITS)?;
                }
                let transaction = Transaction::new(&phase_of_lanes);
                known = Some(Known::new(can, statements, &table, transaction, RowBuffer::new(&layout)));
                Ok(())
            })?;
            Ok((socket, known.ok_or_else(|| StoreError::Disconnected("nobody signed in".into()))?))
        };
        let lanes = SocketLanes::open_known(MySql::new(&self.table), lanes, phase, connect)?;
        Ok(ServerLanes { lanes, commits: phase.commit_every > 1 })
    }
}

/// A server that does not answer at all is given a little longer than a statement, which the server ends itself.
fn patience(limit: Duration) -> Duration {
    limit.saturating_add(Duration::from_secs(2))
}

fn address(opts: &Opts) -> Address {
    match opts.get_socket() {
        Some(path) => Address::Unix(path.into()),
        // Those of version 6 stand in brackets in an address.
        None => Address::Tcp(opts.get_ip_or_hostname().trim_matches(['[', ']']).into(), opts.get_tcp_port()),
    }
}

fn who(opts: &Opts) -> Who {
    Who {
        user: opts.get_user().unwrap_or_default().to_string(),
        password: opts.get_pass().unwrap_or_default().to_string(),
        database: opts.get_db_name().map(str::to_string),
        is_private: opts.get_socket().is_some(),
    }
}

/// The connections of one thread.
pub struct ServerLanes {
    lanes: SocketLanes<MySql>,
    /// Whether several writes share a commit.
    commits: bool,
}

impl Lanes for ServerLanes {
    #[inline(always)]
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        self.lanes.start(lane, token, request)
    }

    #[inline(always)]
    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        self.lanes.drain(wait, sink)
    }

    fn connects(&self) -> u64 {
        self.lanes.connects()
    }

    fn reconnect(&mut self, lane: u32) -> Result<(), StoreError> {
        self.lanes.reconnect(lane)
    }

    fn commits(&self) -> bool {
        self.commits
    }

    fn retries(&self) -> u64 {
        self.lanes.known().map(|known| known.retries).sum()
    }

    fn rows(&self, came: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        rows::give(came, sink)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
