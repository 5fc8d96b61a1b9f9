//! The wrapper around adapters that have many operations under way.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Eviction, Job, Layout, Phase};

use super::{CodecBuffers, Coding, calls_as_the_adapter};
use crate::adapter::{Answer, InFlight, Lanes, Request, RowBuffer, Store, StoreError, Texts};
use crate::in_flight::InFlightLoop;

/// An adapter whose values are encoded.
pub struct EncodedInFlight<S> {
    adapter: S,
    coding: Arc<Coding>,
    layout: Arc<Layout>,
}

impl<S: InFlight<Shape = InFlightLoop>> Store for EncodedInFlight<S> {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<EncodedInFlight<S>, StoreError> {
        let (coding, job) = Coding::of(job, layout);
        let adapter = S::open(&job, &coding.kept)?;
        Ok(EncodedInFlight { adapter, coding, layout: layout.clone() })
    }

    calls_as_the_adapter!();
}

impl<S: InFlight<Shape = InFlightLoop>> InFlight for EncodedInFlight<S> {
    type Lanes = EncodedLanes<S::Lanes>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<Self::Lanes, StoreError> {
        let rows = phase.multi_read_rows().unwrap_or(0).max(1);
        Ok(EncodedLanes {
            adapter: self.adapter.connect(phase, lanes)?,
            buffers: CodecBuffers::new(&self.coding),
            decoded: (0..rows).map(|_| RowBuffer::new(&self.layout)).collect(),
        })
    }
}

/// Connections whose values are encoded.
pub struct EncodedLanes<L> {
    adapter: L,
    buffers: CodecBuffers,
    /// Room for the rows of one answer.
    decoded: Vec<RowBuffer>,
}

impl<L: Lanes> Lanes for EncodedLanes<L> {
    #[inline(always)]
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let EncodedLanes { adapter, buffers, .. } = self;
        match request {
            Request::Load(row) => adapter.start(lane, token, Request::Load(&buffers.encode(row)?)),
            Request::Insert(row) => adapter.start(lane, token, Request::Insert(&buffers.encode(row)?)),
            Request::Update(row) => adapter.start(lane, token, Request::Update(&buffers.encode(row)?)),
            Request::Read(_)
            | Request::Delete(_)
            | Request::MultiRead(_)
            | Request::Increment(_)
            | Request::Scan
            | Request::Latest(_)
            | Request::Commit => adapter.start(lane, token, request),
            // No store that keeps bytes has them in this shape.
            Request::Search(_) | Request::LoadMany(_) => Err(StoreError::Unsupported),
        }
    }

    #[inline(always)]
    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let EncodedLanes { adapter, buffers, decoded } = self;
        adapter.drain(wait, &mut |token, answer| match answer {
            Answer::Value(Some(kept)) => {
                buffers.decode(kept, &mut decoded[0]);
                sink(token, Answer::Value(Some(decoded[0].raw())));
            }
            Answer::Values(kept) => {
                for (kept, out) in kept.iter().zip(decoded.iter_mut()) {
                    if let Some(kept) = kept {
                        buffers.decode(kept, out);
                    }
                }
                let values = kept.iter().zip(decoded.iter()).map(|(kept, out)| kept.map(|_| out.raw()));
                sink(token, Answer::Values(&values.collect::<Vec<_>>()));
            }
            Answer::Value(None)
            | Answer::Written(_)
            | Answer::Incremented
            | Answer::Rows(_)
            | Answer::SomeRows(_)
            | Answer::Failed(_) => sink(token, answer),
        })
    }

    fn connects(&self) -> u64 {
        self.adapter.connects()
    }

    fn reconnect(&mut self, lane: u32) -> Result<(), StoreError> {
        self.adapter.reconnect(lane)
    }

    fn commits(&self) -> bool {
        self.adapter.commits()
    }

    fn retries(&self) -> u64 {
        self.adapter.retries()
    }

    fn encoding_ns(&self) -> u64 {
        self.buffers.spent_ns
    }
}
