//! The wrapper around adapters whose operations block.

use std::sync::Arc;

use kurabe_protocol::{Capabilities, Eviction, Job, Layout, Phase, ReturnedKey};

use super::{CodecBuffers, Coding, calls_as_the_adapter};
use crate::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use crate::blocking::BlockingLoop;
use crate::clock::now_ns;

/// An adapter whose values are encoded.
pub struct Encoded<S> {
    adapter: S,
    coding: Arc<Coding>,
}

impl<S: Blocking<Shape = BlockingLoop>> Store for Encoded<S> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Encoded<S>, StoreError> {
        let (coding, job) = Coding::of(job, layout);
        let adapter = S::open(&job, &coding.kept)?;
        Ok(Encoded { adapter, coding })
    }

    calls_as_the_adapter!();
}

impl<S: Blocking<Shape = BlockingLoop>> Blocking for Encoded<S> {
    type Connection = EncodedConnection<S::Connection>;

    fn connect(&self, phase: &Phase) -> Result<Self::Connection, StoreError> {
        let rows = phase.multi_read_rows().unwrap_or(0) as usize;
        Ok(EncodedConnection {
            adapter: self.adapter.connect(phase)?,
            buffers: CodecBuffers::new(&self.coding),
            answers: Answers::new(rows, &self.coding.kept),
        })
    }

    fn open_and_read(&self, phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let mut buffers = CodecBuffers::new(&self.coding);
        let mut kept = Answers::new(answers.room(), &self.coding.kept);
        answers.keys().iter().for_each(|key| kept.ask(*key));
        self.adapter.open_and_read(phase, &mut kept)?;
        decode_all(&mut buffers, &kept, answers);
        Ok(())
    }
}

/// Hands what an adapter kept on, decoded.
fn decode_all(buffers: &mut CodecBuffers, kept: &Answers, answers: &mut Answers) {
    for (at, (_, kept)) in kept.iter().enumerate() {
        if let Some(kept) = kept {
            buffers.decode(kept, answers.found(at));
        }
    }
}

/// A connection whose values are encoded.
pub struct EncodedConnection<C> {
    adapter: C,
    buffers: CodecBuffers,
    /// What a multi-read of the adapter gives.
    answers: Answers,
}

impl<C: Connection> EncodedConnection<C> {
    /// Hands the rows that `ask` makes the adapter give on to `sink`, decoded.
    fn hand_on(
        &mut self,
        sink: &mut RowSink<'_>,
        ask: impl FnOnce(&mut C, &mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let EncodedConnection { adapter, buffers, .. } = self;
        let checked_before = sink.paused_ns();
        let mut decode = |key: ReturnedKey<'_>, kept: &[u8]| {
            sink.fields_with(key, |out| buffers.coding.codec.decode(kept, out));
        };
        let mut kept = RowSink::forwarding(&buffers.coding.kept, &mut decode);
        let asked = ask(adapter, &mut kept);
        // The time in which the adapter's own sink was busy, but for that in which rows were checked.
        let busy_ns = kept.finish();
        drop(kept);
        buffers.spent_ns += busy_ns.saturating_sub(sink.paused_ns() - checked_before);
        asked
    }
}

impl<C: Connection> Connection for EncodedConnection<C> {
    #[inline(always)]
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.adapter.load(&self.buffers.encode(row)?)
    }

    #[inline(always)]
    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.adapter.insert(&self.buffers.encode(row)?)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let found = self.adapter.read(key, &mut self.buffers.kept)?;
        if found {
            self.buffers.decode_kept(out);
        }
        Ok(found)
    }

    #[inline(always)]
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.adapter.update(&self.buffers.encode(row)?)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.adapter.delete(key)
    }

    #[inline(always)]
    fn commit(&mut self) -> Result<(), StoreError> {
        self.adapter.commit()
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.hand_on(sink, |adapter, kept| adapter.scan(kept))
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.hand_on(sink, |adapter, kept| adapter.latest(rows, kept))
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.answers.clear();
        answers.keys().iter().for_each(|key| self.answers.ask(*key));
        self.adapter.multi_read(&mut self.answers)?;
        decode_all(&mut self.buffers, &self.answers, answers);
        Ok(())
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.adapter.increment(key)
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let EncodedConnection { adapter, buffers: CodecBuffers { coding, encoded, spent_ns, .. }, .. } = self;
        let start = now_ns();
        encoded.clear();
        let mut ends = Vec::with_capacity(rows.len());
        for row in rows {
            coding.codec.encode(row.raw, encoded)?;
            ends.push(encoded.len());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let kept = |(row, (from, to)): (&Row<'_>, (usize, &usize))| Row {
            key: row.key,
            version: row.version,
            raw: &encoded[from..*to],
            layout: &coding.kept,
        };
        let kept: Vec<Row<'_>> = rows.iter().zip(starts.zip(&ends)).map(kept).collect();
        *spent_ns += now_ns() - start;
        adapter.load_many(&kept)
    }

    fn retries(&self) -> u64 {
        self.adapter.retries()
    }

    fn encoding_ns(&self) -> u64 {
        self.buffers.spent_ns
    }
}
