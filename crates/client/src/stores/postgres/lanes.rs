//! Many connections on one thread: how they are opened, and how rows are taken apart.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use kurabe_protocol::{Load, Phase, ReadScope};
use postgres_protocol::message::frontend;

use super::message::Rows;
use super::sign_in::SignIn;
use super::statements::Which;
use super::table::Table;
use super::talk::{BEGIN, Known, PostgresTalk, rows_in};
use super::{BEGIN_SNAPSHOT, InLanes, Postgres};
use crate::adapter::{Answer, InFlight, Lanes, Request, RowBuffer, RowSink, StoreError};
use crate::stores::common::lanes::SocketLanes;
use crate::stores::common::refusals::refuse_snapshot_and_writes;

impl InFlight for Postgres<InLanes> {
    type Lanes = PostgresLanes;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<PostgresLanes, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let sign_in = SignIn::new(self.session(self.operation_limit), self.operation_limit)?;
        let first = (phase.read_scope == ReadScope::Snapshot).then_some(BEGIN_SNAPSHOT);
        let prepare = prepare(&self.table, phase)?;
        let rows = Arc::new(Rows::new(&self.table, &self.layout));
        let known = Known::new(&rows, phase, RowBuffer::new(&self.layout));
        let connect = move || Ok((sign_in.connect(first, &prepare)?, known.clone()));
        let talk = PostgresTalk::new(self.table.clone(), phase);
        Ok(PostgresLanes {
            lanes: SocketLanes::open_known(talk, lanes, phase, connect)?,
            rows,
            commits: commits(phase),
        })
    }
}

/// What is sent before the first request: the statements of the phase, to be prepared.
fn prepare(table: &Table, phase: &Phase) -> Result<BytesMut, StoreError> {
    let mut out = BytesMut::new();
    for which in Which::of(phase) {
        let types = which.parameters(table).into_iter().map(|of| of.oid());
        frontend::parse(which.name(), &which.text(table, phase), types, &mut out).map_err(StoreError::store)?;
    }
    if commits(phase) {
        frontend::parse(BEGIN.0, BEGIN.1, [], &mut out).map_err(StoreError::store)?;
    }
    Ok(out)
}

/// Whether writes wait for a commit. A load of many rows in one request is one transaction by itself.
fn commits(phase: &Phase) -> bool {
    phase.commit_every > 1 && phase.load().is_none_or(|load| load == Load::Row)
}

/// The connections of one thread.
pub struct PostgresLanes {
    lanes: SocketLanes<PostgresTalk>,
    rows: Arc<Rows>,
    commits: bool,
}

impl Lanes for PostgresLanes {
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

    fn rows(&self, came: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Rows { most_bytes, .. } = *self.rows;
        for row in rows_in(came, most_bytes) {
            self.rows.give(row, sink)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
