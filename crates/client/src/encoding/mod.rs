//! Encodings other than raw: a wrapper around an adapter that keeps bytes, of either shape.
//!
//! What the wrapped adapter is given is another schema: the same key, and one value of bytes. Encoding happens inside
//! the time of a write, decoding back to the raw encoding inside that of a read, so that the loops and the oracle stay
//! as they are. An adapter without this wrapper, which is what jobs with the raw encoding get, knows nothing of it.

mod blocking;
pub(crate) mod codec;
mod in_flight;
mod protobuf;

use std::sync::Arc;

use kurabe_protocol::{Capabilities, Field, FieldType, Job, Layout, Operation, Schema};

use crate::adapter::{Row, RowBuffer, StoreError};
use crate::clock::now_ns;
use codec::Codec;

pub use blocking::Encoded;
pub use in_flight::EncodedInFlight;

/// How the rows of a job are kept.
struct Coding {
    codec: Codec,
    /// The layout of what the adapter keeps.
    kept: Arc<Layout>,
    /// Bytes by which an encoded value may be longer than a raw one.
    longer_bytes: u64,
}

impl Coding {
    /// The coding of `job`, and the job as the adapter gets it.
    fn of(job: &Job, layout: &Arc<Layout>) -> (Arc<Coding>, Job) {
        let codec = Codec::new(job.encoding, &job.schema, layout);
        let longest = codec.longest_bytes(&job.schema);
        let value = Field::new("value", FieldType::Bytes, Some(u32::try_from(longest).unwrap_or(u32::MAX)));
        let schema = Schema { fields: vec![job.schema.key().clone(), value] };
        let kept = Arc::new(match layout.keys().own() {
            Some(rows) => Layout::of_rows(&schema, rows),
            None => Layout::new(&schema),
        });
        let longer_bytes = longest.saturating_sub(layout.len_bytes()) as u64;
        (Arc::new(Coding { codec, kept, longer_bytes }), Job { schema, ..job.clone() })
    }

    /// What the adapter can do with rows that are encoded.
    fn capabilities(&self, of_adapter: Capabilities) -> Capabilities {
        let mut capabilities = of_adapter;
        capabilities.operations.retain(|operation| *operation != Operation::Search);
        capabilities.max_value_bytes = capabilities.max_value_bytes.saturating_sub(self.longer_bytes);
        capabilities
    }
}

/// Where one connection encodes and decodes, and the time that it took.
struct CodecBuffers {
    coding: Arc<Coding>,
    encoded: Vec<u8>,
    /// What the adapter read.
    kept: RowBuffer,
    spent_ns: u64,
}

impl CodecBuffers {
    fn new(coding: &Arc<Coding>) -> CodecBuffers {
        CodecBuffers { coding: coding.clone(), encoded: Vec::new(), kept: RowBuffer::new(&coding.kept), spent_ns: 0 }
    }

    /// The row as it is kept.
    #[inline(always)]
    fn encode(&mut self, row: &Row<'_>) -> Result<Row<'_>, StoreError> {
        let start = now_ns();
        self.encoded.clear();
        self.coding.codec.encode(row.raw, &mut self.encoded)?;
        self.spent_ns += now_ns() - start;
        Ok(Row { key: row.key, version: row.version, raw: &self.encoded, layout: &self.coding.kept })
    }

    /// Decodes what the adapter read.
    #[inline(always)]
    fn decode_kept(&mut self, out: &mut RowBuffer) {
        let start = now_ns();
        self.coding.codec.decode(self.kept.raw(), out);
        self.spent_ns += now_ns() - start;
    }

    /// Decodes a value.
    #[inline(always)]
    fn decode(&mut self, kept: &[u8], out: &mut RowBuffer) {
        let start = now_ns();
        self.coding.codec.decode(kept, out);
        self.spent_ns += now_ns() - start;
    }
}

/// Answers every call as the adapter does.
macro_rules! calls_as_the_adapter {
    () => {
        fn libraries(&self) -> Texts {
            self.adapter.libraries()
        }

        fn capabilities(&self) -> Capabilities {
            self.coding.capabilities(self.adapter.capabilities())
        }

        fn ping(&self) -> Result<(), StoreError> {
            self.adapter.ping()
        }

        fn info(&self) -> Result<Texts, StoreError> {
            self.adapter.info()
        }

        fn settings(&self) -> Result<Texts, StoreError> {
            self.adapter.settings()
        }

        fn evicts(&self) -> Result<Eviction, StoreError> {
            self.adapter.evicts()
        }

        fn absent(&self) -> Vec<String> {
            self.adapter.absent()
        }

        fn create(&self) -> Result<(), StoreError> {
            self.adapter.create()
        }

        fn reset(&self) -> Result<(), StoreError> {
            self.adapter.reset()
        }

        fn count(&self) -> Result<u64, StoreError> {
            self.adapter.count()
        }

        fn list_rows(&self, take: &mut dyn FnMut(u32)) -> Result<(), StoreError> {
            self.adapter.list_rows(take)
        }

        fn size_bytes(&self) -> Result<u64, StoreError> {
            self.adapter.size_bytes()
        }

        fn sum(&self) -> Result<u64, StoreError> {
            self.adapter.sum()
        }

        fn check(&self) -> Result<(bool, String), StoreError> {
            self.adapter.check()
        }
    };
}

use calls_as_the_adapter;
