//! Stores that lie: an honest store inside, and one kind of lie on its way out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_client::adapter::{Answers, Range};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, WriteOutcome};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Capabilities, FieldType, Job, Layout, Operation, Phase};

/// What a liar does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Acknowledges a load, insert or update that it did not do.
    Drops {
        /// One write in so many.
        one_in: u32,
    },
    /// Answers the value from before the last update.
    Stale {
        /// One read in so many.
        one_in: u32,
    },
    /// Answers the value of another row.
    Swapped {
        /// One read in so many.
        one_in: u32,
    },
    /// Answers a value with one byte changed, far behind its head.
    Altered {
        /// One read in so many.
        one_in: u32,
    },
    /// Leaves the last row of a scan or latest out.
    TruncatedScan,
    /// Leaves the last row of a scan or latest out and gives the first one twice, so that the number is right.
    RepeatedScan,
    /// A write fails in the store, and the adapter says that it is done.
    SwallowedError {
        /// One write in so many.
        one_in: u32,
    },
    /// Counts a row too many.
    LyingCount,
    /// Gives latest with two rows in the wrong order.
    Disordered,
    /// Leaves the newest row out of latest and gives an older one more.
    LateLatest,
    /// Answers rows that were deleted.
    Phantom,
    /// Exchanges the answers to the first two keys of a multi-read.
    ExchangedAnswers {
        /// One multi-read in so many.
        one_in: u32,
    },
    /// Acknowledges an increment that it did not do.
    LostIncrement {
        /// One increment in so many.
        one_in: u32,
    },
    /// Leaves the last row of a search out.
    TruncatedSearch,
    /// Gives the first row of a search twice.
    RepeatedSearch,
    /// Gives a row more than the search asks for: the first that is not in the range.
    WidenedSearch,
    /// Accepts an insert of a row that exists, and writes over it.
    InsertOver,
    /// None: an honest store that can search.
    Nothing,
}

impl Lie {
    /// The liars by the names of their stores.
    pub const NAMED: [(&'static str, Lie); 18] = [
        ("liar-drops", Lie::Drops { one_in: 10_000 }),
        ("liar-stale", Lie::Stale { one_in: 50 }),
        ("liar-swapped", Lie::Swapped { one_in: 1_000 }),
        ("liar-altered", Lie::Altered { one_in: 1_000 }),
        ("liar-truncated-scan", Lie::TruncatedScan),
        ("liar-repeated-scan", Lie::RepeatedScan),
        ("liar-swallowed-error", Lie::SwallowedError { one_in: 500 }),
        ("liar-lying-count", Lie::LyingCount),
        ("liar-disordered", Lie::Disordered),
        ("liar-late-latest", Lie::LateLatest),
        ("liar-phantom", Lie::Phantom),
        ("liar-exchanged-answers", Lie::ExchangedAnswers { one_in: 50 }),
        ("liar-lost-increment", Lie::LostIncrement { one_in: 1_000 }),
        ("liar-truncated-search", Lie::TruncatedSearch),
        ("liar-repeated-search", Lie::RepeatedSearch),
        ("liar-widened-search", Lie::WidenedSearch),
        ("liar-insert-over", Lie::InsertOver),
        ("honest-search", Lie::Nothing),
    ];

    /// The same behind [`crate::in_lanes::InLanes`].
    pub const NAMED_IN_LANES: [&'static str; 18] = [
        "liar-drops-in-lanes",
        "liar-stale-in-lanes",
        "liar-swapped-in-lanes",
        "liar-altered-in-lanes",
        "liar-truncated-scan-in-lanes",
        "liar-repeated-scan-in-lanes",
        "liar-swallowed-error-in-lanes",
        "liar-lying-count-in-lanes",
        "liar-disordered-in-lanes",
        "liar-late-latest-in-lanes",
        "liar-phantom-in-lanes",
        "liar-exchanged-answers-in-lanes",
        "liar-lost-increment-in-lanes",
        "liar-truncated-search-in-lanes",
        "liar-repeated-search-in-lanes",
        "liar-widened-search-in-lanes",
        "liar-insert-over-in-lanes",
        "honest-search-in-lanes",
    ];
}

/// The lie that belongs to the store's name in `job`.
pub(crate) fn lie_of(job: &Job, named: &[(&str, Lie)]) -> Result<Lie, StoreError> {
    let store = &job.candidate.store;
    let found = named.iter().find(|(name, _)| name == store);
    found.map(|(_, lie)| *lie).ok_or_else(|| StoreError::store(format!("no liar is named '{store}'")))
}

/// What the connections of a liar share: when to lie next, and values to lie with.
#[derive(Default)]
pub(crate) struct Memory {
    reads: AtomicU64,
    writes: AtomicU64,
    values: Mutex<HashMap<u32, History>>,
}

/// The value of a row that was written last, and the one before.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) last: Vec<u8>,
    pub(crate) before: Option<Vec<u8>>,
}

impl Memory {
    fn turn(counter: &AtomicU64, one_in: u32) -> bool {
        counter.fetch_add(1, Ordering::Relaxed) % u64::from(one_in) == u64::from(one_in) / 2
    }

    /// Whether this read is one to lie at.
    pub(crate) fn lies_at_read(&self, one_in: u32) -> bool {
        Memory::turn(&self.reads, one_in)
    }

    /// Whether this write is one to lie at.
    pub(crate) fn lies_at_write(&self, one_in: u32) -> bool {
        Memory::turn(&self.writes, one_in)
    }

    /// Whether this load, insert or update (not `is_delete`) or delete is acknowledged and not done: dropped, or hit by
    /// an error that nobody is told.
    pub(crate) fn skips_write(&self, lie: Lie, is_delete: bool) -> bool {
        match lie {
            Lie::Drops { one_in } => !is_delete && self.lies_at_write(one_in),
            Lie::SwallowedError { one_in } => self.lies_at_write(one_in),
            _ => false,
        }
    }

    /// Whether this increment is acknowledged and not done.
    pub(crate) fn skips_increment(&self, lie: Lie) -> bool {
        matches!(lie, Lie::LostIncrement { one_in } if self.lies_at_write(one_in))
    }

    /// Keeps what is written, for the lies that need it.
    pub(crate) fn keep(&self, lie: Lie, row: u32, raw: &[u8]) {
        if matches!(lie, Lie::Stale { .. } | Lie::Phantom) {
            let mut values = self.values();
            let value = values.entry(row).or_default();
            let last = std::mem::replace(&mut value.last, raw.to_vec());
            value.before = (!last.is_empty()).then_some(last);
        }
    }

    /// What was written to each row.
    pub(crate) fn values(&self) -> MutexGuard<'_, HashMap<u32, History>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calls that a store around an honest one answers as that does.
macro_rules! calls_as_honest {
    () => {
        fn libraries(&self) -> kurabe_client::adapter::Texts {
            self.honest.libraries()
        }

        fn create(&self) -> Result<(), kurabe_client::StoreError> {
            self.honest.create()
        }

        fn reset(&self) -> Result<(), kurabe_client::StoreError> {
            self.honest.reset()
        }

        fn sum(&self) -> Result<u64, kurabe_client::StoreError> {
            self.honest.sum()
        }
    };
}
pub(crate) use calls_as_honest;

/// Changes the last byte of a value, which is filler or the end of a number.
pub(crate) fn alter(raw: &mut [u8]) {
    if let Some(last) = raw.last_mut() {
        *last ^= 1;
    }
}

/// A blocking store that lies.
pub struct Liar<S> {
    honest: S,
    lie: Lie,
    /// Whether rows have a number to search for.
    searches: bool,
    layout: Arc<Layout>,
    memory: Arc<Memory>,
}

impl<S: Blocking<Shape = BlockingLoop>> Store for Liar<S> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Liar<S>, StoreError> {
        let lie = lie_of(job, &Lie::NAMED)?;
        let searches = job.schema.values().iter().any(|field| field.field_type == FieldType::Int64);
        let (honest, layout) = (S::open(job, layout)?, layout.clone());
        Ok(Liar { honest, lie, searches, layout, memory: Arc::default() })
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.honest.capabilities();
        if self.searches {
            capabilities.operations.push(Operation::Search);
        }
        capabilities
    }

    calls_as_honest!();

    fn count(&self) -> Result<u64, StoreError> {
        self.honest.count().map(|rows| rows + u64::from(self.lie == Lie::LyingCount))
    }
}

impl<S: Blocking<Shape = BlockingLoop>> Blocking for Liar<S> {
    type Connection = LiarConnection<S::Connection>;

    fn connect(&self, phase: &Phase) -> Result<Self::Connection, StoreError> {
        Ok(LiarConnection {
            honest: self.honest.connect(phase)?,
            lie: self.lie,
            layout: self.layout.clone(),
            memory: self.memory.clone(),
        })
    }
}

/// A connection that lies.
pub struct LiarConnection<C> {
    honest: C,
    lie: Lie,
    layout: Arc<Layout>,
    memory: Arc<Memory>,
}

impl<C: Connection> LiarConnection<C> {
    /// Does a write of a row, unless this is one to skip.
    fn write(
        &mut self,
        row: &Row<'_>,
        write: impl FnOnce(&mut C) -> Result<WriteOutcome, StoreError>,
    ) -> Result<WriteOutcome, StoreError> {
        if self.memory.skips_write(self.lie, false) {
            return Ok(WriteOutcome::Done);
        }
        self.memory.keep(self.lie, row.key.row, row.raw);
        write(&mut self.honest)
    }

    fn collect(
        &mut self,
        ask: impl FnOnce(&mut C, &mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<Vec<(u32, Vec<u8>)>, StoreError> {
        let mut rows = Vec::new();
        let mut keep = |row: u32, raw: &[u8]| rows.push((row, raw.to_vec()));
        let mut sink = RowSink::new(&self.layout, &mut keep);
        ask(&mut self.honest, &mut sink)?;
        sink.finish();
        drop(sink);
        Ok(rows)
    }
}

fn give(rows: &[(u32, Vec<u8>)], sink: &mut RowSink<'_>) {
    rows.iter().for_each(|(row, raw)| sink.raw(kurabe_protocol::ReturnedKey::Row(*row), raw));
}

impl<C: Connection> Connection for LiarConnection<C> {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.write(row, |honest| honest.load(row).map(|()| WriteOutcome::Done)).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        if self.lie == Lie::InsertOver {
            return self.honest.load(row).map(|()| WriteOutcome::Done);
        }
        self.write(row, |honest| honest.insert(row))
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        match self.lie {
            Lie::Swapped { one_in } if self.memory.lies_at_read(one_in) => {
                let neighbour = Key::new(key.row ^ 1, &self.layout);
                Ok(self.honest.read(&neighbour, out)? || self.honest.read(key, out)?)
            }
            Lie::Altered { one_in } if self.memory.lies_at_read(one_in) => {
                let found = self.honest.read(key, out)?;
                let mut raw = out.raw().to_vec();
                alter(&mut raw);
                out.set_raw(&raw);
                Ok(found)
            }
            Lie::Stale { one_in } if self.memory.lies_at_read(one_in) => {
                let found = self.honest.read(key, out)?;
                let values = self.memory.values();
                let old = values.get(&key.row).and_then(|value| value.before.as_deref());
                old.filter(|_| found).inspect(|old| out.set_raw(old));
                Ok(found)
            }
            Lie::Phantom => {
                let found = self.honest.read(key, out)?;
                let values = self.memory.values();
                let deleted = values.get(&key.row).filter(|_| !found);
                deleted.inspect(|value| out.set_raw(&value.last));
                Ok(found || deleted.is_some())
            }
            _ => self.honest.read(key, out),
        }
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(row, |honest| honest.update(row))
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        if self.memory.skips_write(self.lie, true) {
            return Ok(WriteOutcome::Done);
        }
        self.honest.delete(key)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.honest.commit()
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        if !matches!(self.lie, Lie::TruncatedScan | Lie::RepeatedScan) {
            return self.honest.scan(sink);
        }
        let mut rows = self.collect(|honest, sink| honest.scan(sink))?;
        rows.pop();
        give(&rows, sink);
        if self.lie == Lie::RepeatedScan {
            give(&rows[..rows.len().min(1)], sink);
        }
        Ok(())
    }

    fn latest(&mut self, wanted: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let mut rows = match self.lie {
            Lie::LateLatest => self.collect(|honest, sink| honest.latest(wanted + 1, sink))?,
            Lie::TruncatedScan | Lie::RepeatedScan | Lie::Disordered => {
                self.collect(|honest, sink| honest.latest(wanted, sink))?
            }
            _ => return self.honest.latest(wanted, sink),
        };
        match self.lie {
            Lie::LateLatest => drop(rows.remove(0)),
            Lie::Disordered if rows.len() > 1 => rows.swap(0, 1),
            Lie::TruncatedScan => drop(rows.pop()),
            Lie::RepeatedScan => {
                rows.pop();
                rows.extend(rows.first().cloned());
            }
            _ => {}
        }
        give(&rows, sink);
        Ok(())
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.honest.multi_read(answers)?;
        if matches!(self.lie, Lie::ExchangedAnswers { one_in } if self.memory.lies_at_read(one_in)) {
            let values: Vec<Vec<u8>> =
                answers.iter().take(2).filter_map(|(_, value)| value.map(<[u8]>::to_vec)).collect();
            if let [first, second] = values.as_slice() {
                answers.found(0).set_raw(second);
                answers.found(1).set_raw(first);
            }
        }
        Ok(())
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        if self.memory.skips_increment(self.lie) {
            return Ok(());
        }
        self.honest.increment(key)
    }

    /// The honest store has no columns: its rows are looked through.
    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let rows = self.collect(|honest, sink| honest.scan(sink))?;
        let layout = self.layout.clone();
        let is_inside = |(_, raw): &(u32, Vec<u8>)| match layout.fields(raw).nth(range.field - 1) {
            Some(FieldValue::Int(number)) => (range.low..=range.high).contains(&number),
            _ => false,
        };
        let (mut rows, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_inside);
        match self.lie {
            Lie::WidenedSearch => rows.extend(others.first().cloned()),
            Lie::TruncatedSearch => drop(rows.pop()),
            Lie::RepeatedSearch => rows.extend(rows.first().cloned()),
            _ => {}
        }
        give(&rows, sink);
        Ok(())
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}
