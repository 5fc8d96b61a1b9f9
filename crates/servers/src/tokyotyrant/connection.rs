//! One connection of a worker.

use kurabe_protocol::Phase;

use super::wire::{Command, Wire};
use super::{Mode, Names, Rows, add, failure, keys};
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};

/// A connection of one worker.
pub struct TyrantConnection {
    wire: Wire,
    rows: Rows,
    names: Names,
    mode: Mode,
    batch: usize,
    /// The name of the row at work.
    name: Vec<u8>,
    /// The names of a multi-read.
    many: Vec<Vec<u8>>,
}

impl TyrantConnection {
    pub(super) fn new(
        wire: Wire,
        rows: Rows,
        names: Names,
        mode: Mode,
        batch: usize,
        phase: &Phase,
    ) -> TyrantConnection {
        let many = phase.multi_read_rows().map_or(0, |rows| rows as usize);
        TyrantConnection { wire, rows, names, mode, batch, name: Vec::new(), many: vec![Vec::new(); many] }
    }

    /// Writes a row; whether the server did it. With `keep` it does not where there is one.
    #[inline(always)]
    fn put(&mut self, row: &Row<'_>, keep: bool) -> Result<bool, StoreError> {
        let name = self.names.names.write(&row.key, &mut self.name);
        match &self.rows {
            Rows::Hash => {
                let command = if keep { Command::PutKeep } else { Command::Put };
                self.wire.ask(command, |request| {
                    request.number(name.len() as u32);
                    request.number(row.raw.len() as u32);
                    request.bytes(name);
                    request.bytes(row.raw);
                })
            }
            Rows::Table(columns) => {
                let function = if keep { "putkeep" } else { "put" };
                let done = self.wire.ask(Command::Misc, |request| {
                    request.number(function.len() as u32);
                    request.number(0);
                    request.number(1 + 2 * columns.count() as u32);
                    request.bytes(function.as_bytes());
                    request.sized(name);
                    columns.each(row, |name, value| {
                        request.sized(name);
                        request.sized(value);
                    });
                })?;
                // The elements of an answer that has none.
                self.wire.number()?;
                Ok(done)
            }
        }
    }

    /// Whether there is a record under the name at work.
    #[inline(always)]
    fn is_there(&mut self) -> Result<bool, StoreError> {
        let name = &self.name;
        let there = self.wire.ask(Command::ValueSize, |request| request.sized(name))?;
        if there {
            self.wire.number()?;
        }
        Ok(there)
    }

    /// Asks for the records of `names` together; `take` gets each that exists.
    #[inline(always)]
    fn get_many(
        wire: &mut Wire,
        names: &[Vec<u8>],
        mut take: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let done = wire.ask(Command::MultiGet, |request| {
            request.number(names.len() as u32);
            names.iter().for_each(|name| request.sized(name));
        })?;
        let count = wire.number()?;
        if !done {
            return Err(failure(wire));
        }
        for _ in 0..count {
            let (name, value) = wire.record()?;
            take(name, value)?;
        }
        Ok(())
    }
}

/// Gives a record to `sink`.
#[inline(always)]
fn give(rows: &Rows, names: &Names, name: &[u8], value: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
    match rows {
        Rows::Hash => {
            sink.raw(names.returned_key(name), value);
            Ok(())
        }
        Rows::Table(columns) => sink.fields(names.returned_key(name), |out| {
            columns.copy_joined(value, out);
            Ok(())
        }),
    }
}

impl Connection for TyrantConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        if self.put(row, false)? { Ok(()) } else { Err(failure(&mut self.wire)) }
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        if self.put(row, true)? {
            return Ok(WriteOutcome::Done);
        }
        // The words are those of the last failure, so they are asked for first.
        let failure = failure(&mut self.wire);
        if self.is_there()? { Ok(WriteOutcome::Exists) } else { Err(failure) }
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let name = self.names.names.write(key, &mut self.name);
        match &self.rows {
            Rows::Hash => {
                let found = self.wire.ask(Command::Get, |request| request.sized(name))?;
                if found {
                    out.set_raw(self.wire.sized()?);
                }
                Ok(found)
            }
            Rows::Table(columns) => {
                let Some(count) = self.wire.misc("get", std::iter::once(name))? else { return Ok(false) };
                out.clear();
                self.wire.columns(columns, count, out)?;
                Ok(true)
            }
        }
    }

    /// The protocol has no write that needs an existing record, so it is looked for first, with a request of its own.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.names.names.write(&row.key, &mut self.name);
        if !self.is_there()? {
            return Ok(WriteOutcome::Missing);
        }
        self.load(row)?;
        Ok(WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let name = self.names.names.write(key, &mut self.name);
        if self.wire.ask(Command::Out, |request| request.sized(name))? {
            return Ok(WriteOutcome::Done);
        }
        let failure = failure(&mut self.wire);
        if self.is_there()? { Err(failure) } else { Ok(WriteOutcome::Missing) }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.mode == Mode::Put || self.wire.ask(Command::Sync, |_| ())? {
            return Ok(());
        }
        Err(failure(&mut self.wire))
    }

    /// The keys first, in one request, then the records, in batches. The server's own iterator is one for all of its
    /// connections, and is a request a record.
    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let all = keys(&mut self.wire, &self.names.rows)?;
        let (rows, names) = (&self.rows, &self.names);
        for some in all.chunks(self.batch) {
            TyrantConnection::get_many(&mut self.wire, some, |name, value| give(rows, names, name, value, sink))?;
        }
        Ok(())
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let asked = answers.keys().len();
        self.many.resize_with(asked.max(self.many.len()), Vec::new);
        for (key, name) in answers.keys().iter().zip(&mut self.many) {
            self.names.names.write(key, name);
        }
        let (names, rows) = (&self.many[..asked], &self.rows);
        TyrantConnection::get_many(&mut self.wire, names, |name, value| {
            let at = names.iter().position(|known| known == name);
            let at = at.ok_or_else(|| StoreError::store("the server gave a record that nobody asked for"))?;
            let out = answers.found(at);
            match rows {
                Rows::Hash => out.set_raw(value),
                Rows::Table(columns) => columns.copy_joined(value, out),
            }
            Ok(())
        })
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let name = self.names.names.write_counter(key.row, &mut self.name);
        add(&mut self.wire, name, 1).map(|_| ())
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        /// What the server sends as the last element, and is no record.
        const HINT: &[u8] = b"\0\0[[HINT]]";
        let Rows::Table(columns) = &self.rows else { return Err(StoreError::Unsupported) };
        let column = columns.name(range.field).ok_or_else(|| StoreError::store("a search without its column"))?;
        let mine = format!("addcond\0\0STRBW\0{}", self.names.rows);
        let between = format!("addcond\0{column}\0NUMBT\0{} {}", range.low, range.high);
        let Some(count) = self.wire.misc("search", [mine.as_bytes(), between.as_bytes(), b"get"].into_iter())? else {
            return Err(failure(&mut self.wire));
        };
        for _ in 0..count {
            let record = self.wire.sized()?;
            if record.starts_with(HINT) {
                continue;
            }
            // The key stands first, under a name that is empty.
            let key = record.get(1..).unwrap_or_default();
            let (key, value) = key.split_at(key.iter().position(|byte| *byte == 0).unwrap_or(key.len()));
            give(&self.rows, &self.names, key, value.get(1..).unwrap_or_default(), sink)?;
        }
        Ok(())
    }

    /// Keys and values in turn, as the function takes them.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        if !matches!(self.rows, Rows::Hash) {
            return Err(StoreError::Unsupported);
        }
        let (names, name, function) = (&self.names.names, &mut self.name, "putlist");
        let done = self.wire.ask(Command::Misc, |request| {
            request.number(function.len() as u32);
            request.number(0);
            request.number(2 * rows.len() as u32);
            request.bytes(function.as_bytes());
            for row in rows {
                request.sized(names.write(&row.key, name));
                request.sized(row.raw);
            }
        })?;
        self.wire.number()?;
        if done { Ok(()) } else { Err(failure(&mut self.wire)) }
    }
}
