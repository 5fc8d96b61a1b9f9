//! Which row and which kind the next operation of a worker has.

use std::path::Path;
use std::sync::Arc;

use kurabe_protocol::value::prefetch;
use kurabe_protocol::{Distribution, Mix, Operation, Pattern, Phase, Schedule, stream};

/// The streams of a phase, read once a process and shared by its workers.
#[derive(Clone, Default)]
pub struct Streams {
    rows: Option<Arc<[u32]>>,
    /// The kinds of a mix.
    kinds: Option<Arc<[Operation]>>,
    /// Gaps between planned starts.
    gaps: Option<Arc<[u32]>>,
}

impl Streams {
    /// Reads the stream files that `phase` names.
    pub fn read(phase: &Phase) -> Result<Streams, String> {
        let rows = match &phase.rows_stream {
            Some(path) => Some(read_numbers(path)?),
            None if phase.distribution == Distribution::Sequential => None,
            None => return Err(format!("phase '{}' draws its rows, but names no rows stream", phase.name)),
        };
        let kinds = phase.mix().map(|mix| read_kinds(phase, mix)).transpose()?;
        let gaps = phase.schedule.as_ref().and_then(|schedule| schedule.gaps_stream.as_deref());
        let gaps = gaps.map(read_numbers).transpose()?;
        if rows.as_ref().is_some_and(|rows| rows.is_empty()) || kinds.as_ref().is_some_and(|kinds| kinds.is_empty()) {
            return Err(format!("phase '{}': a stream file is empty", phase.name));
        }
        let is_drawn = |schedule: &Schedule| schedule.pattern == Pattern::Poisson;
        if phase.schedule.as_ref().is_some_and(is_drawn) && gaps.as_ref().is_none_or(|gaps| gaps.is_empty()) {
            return Err(format!("phase '{}' draws its planned starts, but names no gaps stream", phase.name));
        }
        Ok(Streams { rows, kinds, gaps })
    }

    /// Gaps between planned starts; none where they are constant.
    pub fn gaps(&self) -> &[u32] {
        self.gaps.as_deref().unwrap_or_default()
    }
}

/// The kinds of a mix, each of which is one of its parts.
fn read_kinds(phase: &Phase, mix: &Mix) -> Result<Arc<[Operation]>, String> {
    let name = &phase.name;
    let path =
        mix.kinds_stream.as_ref().ok_or_else(|| format!("phase '{name}' is a mix, but names no kinds stream"))?;
    let kind = |code: u8| {
        let kind = Operation::from_code(code).filter(|kind| *kind != Operation::Mix && phase.does(*kind));
        kind.ok_or_else(|| format!("phase '{name}': the kinds stream has the code {code}, which is none of its mix"))
    };
    // Told once for each code: a stream has a million entries.
    let kinds: Vec<Result<Operation, String>> = (0..=u8::MAX).map(kind).collect();
    read(path)?.into_iter().map(|code| kinds[usize::from(code)].clone()).collect()
}

fn read_numbers(path: &str) -> Result<Arc<[u32]>, String> {
    Ok(read(path)?.chunks_exact(4).map(decode).collect())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(Path::new(path)).map_err(|error| format!("cannot read the stream '{path}': {error}"))
}

fn decode(entry: &[u8]) -> u32 {
    u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])
}

/// What a worker may draw for its reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadableRows {
    /// Every row.
    All,
    /// Only those that it owns, since it does not see the versions of the others.
    Own,
}

/// The choices of one worker in one phase.
pub struct Choice {
    streams: Streams,
    row_at: usize,
    kind_at: usize,
    worker: u32,
    workers: u32,
    rows: u32,
    operation: Operation,
    readable: ReadableRows,
    /// Whether the stream holds distances back from the newest row.
    from_newest: bool,
    number: u64,
    inserted: u64,
    first_row: u64,
}

impl Choice {
    /// The choices of `worker` in `phase` over `rows` loaded rows.
    pub fn new(phase: &Phase, streams: &Streams, worker: u32, rows: u32, readable: ReadableRows) -> Choice {
        let start = |len: usize| stream::start_of(worker, phase.connections, len);
        Choice {
            row_at: streams.rows.as_ref().map_or(0, |rows| start(rows.len())),
            kind_at: streams.kinds.as_ref().map_or(0, |kinds| start(kinds.len())),
            streams: streams.clone(),
            worker,
            workers: phase.connections,
            rows: rows.max(1),
            operation: phase.operation(),
            readable,
            from_newest: phase.distribution == Distribution::Latest,
            number: u64::from(worker),
            inserted: 0,
            // Of no use where nothing is inserted.
            first_row: phase.first_row().unwrap_or_default(),
        }
    }

    /// Number of the worker's next operation.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Goes on to the worker's next operation and returns the kind of this one.
    #[inline(always)]
    pub fn next_kind(&mut self) -> Operation {
        let kind = self.kind_next();
        if let Some(kinds) = &self.streams.kinds {
            go_on(&mut self.kind_at, kinds.len());
        }
        kind
    }

    /// What [`Choice::next_kind`] will return.
    #[inline(always)]
    fn kind_next(&self) -> Operation {
        match &self.streams.kinds {
            Some(kinds) => kinds[self.kind_at],
            None => self.operation,
        }
    }

    /// The row of this operation where an existing row is read.
    #[inline(always)]
    pub fn row_to_read(&mut self) -> u32 {
        let row = self.draw();
        self.readable_row(row)
    }

    /// The row to read where `row` was drawn.
    #[inline(always)]
    fn readable_row(&self, row: u32) -> u32 {
        match self.readable {
            ReadableRows::All => row,
            ReadableRows::Own => stream::owned(row, self.worker, self.workers),
        }
    }

    /// Gives each of the next operations, all of which read, its row, and goes on behind them. There are as many as
    /// `takers`.
    #[inline(always)]
    pub fn rows_to_read<T>(&mut self, takers: &mut [T], mut give: impl FnMut(&mut T, u32)) {
        let rows = match &self.streams.rows {
            Some(rows) if self.readable == ReadableRows::All && !self.from_newest => rows,
            _ => {
                return takers.iter_mut().for_each(|taker| {
                    give(taker, self.row_to_read());
                    self.advance();
                });
            }
        };
        // Whole pieces of the stream: where it starts anew is looked for once a piece, not once a row.
        let mut left = &mut *takers;
        while !left.is_empty() {
            let piece = &rows[self.row_at..];
            let len = piece.len().min(left.len());
            let (now, later) = left.split_at_mut(len);
            now.iter_mut().zip(piece).for_each(|(taker, row)| give(taker, *row));
            self.row_at = if len == piece.len() { 0 } else { self.row_at + len };
            left = later;
        }
        // The end of what the next block will read of the stream; its start is in a line that this one has read.
        let ahead = (self.row_at + takers.len()).clamp(1, rows.len()) - 1;
        prefetch((&raw const rows[ahead]).cast());
        self.number += takers.len() as u64 * u64::from(self.workers);
    }

    /// The row of this operation where an existing row is written.
    #[inline(always)]
    pub fn row_to_write(&mut self) -> u32 {
        let row = self.draw();
        stream::owned(row, self.worker, self.workers)
    }

    /// The loaded row of this operation where it does not matter who owns it.
    #[inline(always)]
    pub fn row_of_anybody(&mut self) -> u32 {
        // The newest row may be one that was inserted.
        self.draw() % self.rows
    }

    /// The row to ask for instead of `row` where that is asked for already: its neighbour among those that may be read.
    pub fn neighbour(&self, row: u32) -> u32 {
        let step = match self.readable {
            ReadableRows::All => 1,
            ReadableRows::Own => self.workers,
        };
        (row + step) % self.rows
    }

    /// How many different rows a read may draw at least.
    pub fn readable_rows(&self) -> u32 {
        match self.readable {
            ReadableRows::All => self.rows,
            ReadableRows::Own => (self.rows / self.workers).max(1),
        }
    }

    /// The row of this operation where a row is loaded or inserted.
    #[inline(always)]
    pub fn row_to_insert(&mut self) -> u64 {
        let row = self.inserted_next();
        // Counted in a mix, where not every number is an insert's.
        self.inserted += 1;
        row
    }

    #[inline(always)]
    fn inserted_next(&self) -> u64 {
        match self.operation {
            // A load of several passes begins again with the first row.
            Operation::Load if self.number < u64::from(self.rows) => self.number,
            Operation::Load => self.number % u64::from(self.rows),
            Operation::Insert => self.first_row + self.number,
            _ => self.first_row + u64::from(self.worker) + self.inserted * u64::from(self.workers),
        }
    }

    /// Kind and row of the operation to come, where it has a value of one row: what that is made from can be fetched
    /// before it is needed.
    #[inline(always)]
    pub fn foreseen(&self) -> Option<(Operation, u32)> {
        let kind = self.kind_next();
        let row = match kind {
            Operation::Insert => self.inserted_next() as u32,
            Operation::Update => stream::owned(self.drawn_next(), self.worker, self.workers),
            Operation::Read => self.readable_row(self.drawn_next()),
            _ => return None,
        };
        Some((kind, row))
    }

    /// Goes on to the next operation's number.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.number += u64::from(self.workers);
    }

    fn newest(&self) -> stream::Newest {
        let Choice { rows, first_row, worker, workers, inserted, .. } = *self;
        stream::Newest { rows, first_row, worker, workers, inserted }
    }

    #[inline(always)]
    fn draw(&mut self) -> u32 {
        let row = self.drawn_next();
        if let Some(rows) = &self.streams.rows {
            go_on(&mut self.row_at, rows.len());
        }
        row
    }

    /// What [`Choice::draw`] will draw.
    #[inline(always)]
    fn drawn_next(&self) -> u32 {
        match &self.streams.rows {
            Some(rows) if self.from_newest => self.newest().back(rows[self.row_at]),
            Some(rows) => rows[self.row_at],
            None => (self.number % u64::from(self.rows)) as u32,
        }
    }
}

/// Goes on to the next entry of a stream; behind the last is the first.
#[inline(always)]
fn go_on(at: &mut usize, len: usize) {
    *at += 1;
    if *at == len {
        *at = 0;
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, End, Work};

    use super::*;

    fn choice(worker: u32, workers: u32, work: impl Into<Work>) -> Choice {
        let phase = Phase { connections: workers, ..Phase::new("p", work, End::Count(1)) };
        let rows: Arc<[u32]> = (0..12).collect();
        let streams = Streams { rows: Some(rows), ..Streams::default() };
        Choice::new(&phase, &streams, worker, 12, ReadableRows::All)
    }

    const INSERT: Action = Action::Insert { first_row: 100 };

    fn mix() -> Mix {
        Mix::new([(Action::Read, 1), (INSERT, 1)]).expect("a mix")
    }

    fn read_streams(phase: Phase) -> Result<Streams, String> {
        Streams::read(&phase)
    }

    #[test]
    fn a_phase_without_the_streams_that_it_needs_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kinds");
        let mixed = |codes: &[u8]| {
            std::fs::write(&path, codes).expect("a file");
            let mix = mix().with_kinds_stream(path.display().to_string());
            read_streams(Phase::new("p", mix, End::Count(1)))
        };
        let codes = [Operation::Read.code(), Operation::Insert.code()];
        let kinds = mixed(&codes).expect("both are parts").kinds;
        assert_eq!(kinds.as_deref(), Some(&[Operation::Read, Operation::Insert][..]));
        for stranger in [Operation::Search.code(), Operation::Mix.code(), 200] {
            let error = mixed(&[codes[0], stranger]).err().expect("no part of the mix");
            assert!(error.contains(&format!("the code {stranger}, which is none of its mix")), "{error}");
        }
        assert!(mixed(&[]).is_err());
        let no_kinds = read_streams(Phase::new("p", mix(), End::Count(1))).err().expect("no kinds");
        assert_eq!(no_kinds, "phase 'p' is a mix, but names no kinds stream");
        let drawn = Phase { distribution: Distribution::Uniform, ..Phase::new("p", Action::Read, End::Count(1)) };
        assert_eq!(read_streams(drawn).err().expect("no rows"), "phase 'p' draws its rows, but names no rows stream");
    }

    #[test]
    fn workers_share_the_stream_without_sharing_state() {
        let mut second = choice(1, 3, Action::Read);
        let drawn: Vec<u32> = (0..10)
            .map(|_| {
                let row = second.row_to_read();
                second.advance();
                row
            })
            .collect();
        assert_eq!(drawn, [4, 5, 6, 7, 8, 9, 10, 11, 0, 1]);
    }

    #[test]
    fn a_block_draws_what_single_operations_draw() {
        for readable in [ReadableRows::All, ReadableRows::Own] {
            let (mut single, mut blocks) = (choice(1, 3, Action::Read), choice(1, 3, Action::Read));
            (single.readable, blocks.readable) = (readable, readable);
            for count in [1, 5, 0, 30, 12, 12] {
                let expected: Vec<u32> = (0..count)
                    .map(|_| {
                        let row = single.row_to_read();
                        single.advance();
                        row
                    })
                    .collect();
                let mut drawn = vec![u32::MAX; count];
                blocks.rows_to_read(&mut drawn, |taker, row| *taker = row);
                assert_eq!((drawn, blocks.number()), (expected, single.number()));
            }
        }
    }

    #[test]
    fn latest_goes_back_from_the_newest_row() {
        let phase =
            Phase { connections: 2, distribution: Distribution::Latest, ..Phase::new("p", mix(), End::Count(1)) };
        let streams = Streams { rows: Some((0..8).collect()), ..Streams::default() };
        let mut choice = Choice::new(&phase, &streams, 1, 12, ReadableRows::All);
        choice.row_at = 0;
        assert_eq!([choice.row_to_read(), choice.row_to_read()], [11, 10], "nothing is inserted yet");
        assert_eq!([choice.row_to_insert(), choice.row_to_insert()], [101, 103]);
        choice.row_at = 0;
        let drawn: Vec<u32> = (0..8).map(|_| choice.row_to_read()).collect();
        assert_eq!(drawn, [103, 103, 101, 101, 11, 10, 9, 8]);
    }

    #[test]
    fn written_rows_belong_to_their_worker() {
        let mut second = choice(1, 3, Action::Update);
        let drawn: Vec<u32> = (0..4).map(|_| second.row_to_write()).collect();
        assert_eq!(drawn, [4, 4, 7, 7]);
    }

    #[test]
    fn inserted_rows_are_the_workers_own_numbers() {
        let mut second = choice(1, 3, INSERT);
        let mut rows = Vec::new();
        for _ in 0..3 {
            rows.push(second.row_to_insert());
            second.advance();
        }
        assert_eq!(rows, [101, 104, 107]);
        let mut mixed = choice(2, 3, mix());
        assert_eq!((mixed.row_to_insert(), mixed.row_to_insert()), (102, 105));
    }
}
