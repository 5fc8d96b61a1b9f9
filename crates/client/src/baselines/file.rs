//! `file`: a plain text file, one line a write, no index. What a file costs that everybody can read.
//!
//! ```text
//! # kurabe: key, kind (+ insert, = update, - delete), fields
//! 12<tab>+<tab>first field<tab>second field
//! 12<tab>-
//! ```
//!
//! The last line of a key wins. A read searches the file backwards for its key; nothing of the
//! content is kept in memory between operations. Lines are only ever appended, whole, so several
//! connections and processes can write at a time. A line without its newline is not there yet.

mod line;
mod order;
mod tail;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Capabilities, FieldType, InsertMode, Job, KeyMap, Layout, Operation, Phase, ReturnedKey};

use crate::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use crate::blocking::BlockingLoop;
use crate::common::folder::folder_of;

use line::{Kind, Line};
use order::{Order, Place};
use tail::{Newest, RowSet, Tail, whole_lines_bytes};

/// Lines that wait in memory are written when they are this long together.
const BUFFER_BYTES: usize = 64 << 10;

/// When a write leaves the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncMode {
    /// When the buffer of the process is full, when a row is read, and at the end.
    Buffered,
    /// At each commit, by one write to the file.
    Write,
    /// As `Write`, then the commit waits for the device.
    Fdatasync,
}

impl SyncMode {
    const ALL: [(&str, SyncMode); 3] =
        [("buffered", SyncMode::Buffered), ("write", SyncMode::Write), ("fdatasync", SyncMode::Fdatasync)];

    fn word(self) -> &'static str {
        SyncMode::ALL.iter().find(|(_, sync)| *sync == self).map_or("", |(word, _)| word)
    }
}

/// A text file.
pub struct TextFile {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    sync: SyncMode,
    schema: Vec<FieldType>,
    keys: KeyMap,
    /// Lines of all connections that are not written yet, where `sync` is buffered.
    buffer: Mutex<Vec<u8>>,
    order: Order,
    /// Whether no other process writes.
    is_alone: bool,
}

impl Store for TextFile {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<TextFile, StoreError> {
        let dir = folder_of(job, "file")?;
        if let Some(unknown) = job.settings.keys().find(|name| *name != "sync") {
            return Err(StoreError::store(format!("file has no setting '{unknown}'; it has sync")));
        }
        let word = job.settings.get("sync").map_or("write", String::as_str);
        let (_, sync) = SyncMode::ALL.iter().find(|(known, _)| *known == word).ok_or_else(|| {
            StoreError::store(format!("sync '{word}' is not known; it is buffered, write or fdatasync"))
        })?;
        let path = dir.join(format!("{}.txt", job.namespace));
        if job.process == 0 {
            cut_torn_line(&path)?;
        }
        let shared = Shared {
            path,
            sync: *sync,
            schema: job.schema.values().iter().map(|field| field.field_type).collect(),
            keys: *layout.keys(),
            buffer: Mutex::default(),
            order: Order::unknown(),
            is_alone: job.processes == 1,
        };
        Ok(TextFile { shared: Arc::new(shared) })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        // A counter in a text file takes a lock or a file of its own: nobody would keep it here.
        operations.retain(|operation| *operation != Operation::Increment);
        Capabilities {
            operations,
            // To tell that a key exists the whole file would have to be searched.
            insert: InsertMode::Upsert,
            processes: true,
            ..Capabilities::of_columns()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("sync".into(), self.shared.sync.word().into())]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.shared.lock().clear();
        let mut file = File::create(&self.shared.path).map_err(|error| self.shared.failed("make", &error))?;
        file.write_all(line::HEADER).map_err(|error| self.shared.failed("write", &error))?;
        if self.shared.sync == SyncMode::Fdatasync {
            let folder = self.shared.path.parent().unwrap_or(Path::new("."));
            let synced = file.sync_all().and_then(|()| File::open(folder)?.sync_all());
            synced.map_err(|error| self.shared.failed("sync", &error))?;
        }
        self.shared.order.restart();
        Ok(())
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.shared.lock().clear();
        match std::fs::remove_file(&self.shared.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(self.shared.failed("remove", &error)),
            _ => Ok(()),
        }
    }

    fn count(&self) -> Result<u64, StoreError> {
        let mut connection = FileConnection::open(&self.shared)?;
        let (mut seen, mut rows) = (RowSet::default(), 0);
        connection.walk(|line| {
            rows += u64::from(seen.insert(line.row(&self.shared.keys)) && line.kind != Kind::Delete);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(rows)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        let mut connection = FileConnection::open(&self.shared)?;
        connection.flush()?;
        Ok(connection.file.metadata().map_err(|error| self.shared.failed("look at", &error))?.len())
    }

    /// Reads every line: all must be well formed.
    fn check(&self) -> Result<(bool, String), StoreError> {
        let mut connection = FileConnection::open(&self.shared)?;
        let (mut row, mut lines) = (RowBuffer::default(), 0u64);
        let schema = &self.shared.schema;
        let walked = connection.walk(|line| {
            lines += 1;
            if line.kind != Kind::Delete {
                line.decode(schema, &mut row)?;
            }
            Ok(ControlFlow::Continue(()))
        });
        Ok(match walked {
            Ok(()) => (true, format!("{lines} lines are well formed")),
            Err(error) => (false, error.to_string()),
        })
    }
}

/// A process that was killed in the middle of a write may have left half a line; the next line
/// must not be joined to it.
fn cut_torn_line(path: &Path) -> Result<(), StoreError> {
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::store(format!("cannot open '{}': {error}", path.display()))),
    };
    let end = whole_lines_bytes(&file)?;
    file.set_len(end).map_err(|error| StoreError::store(format!("cannot cut '{}': {error}", path.display())))
}

impl Blocking for TextFile {
    type Connection = FileConnection;

    fn connect(&self, phase: &Phase) -> Result<FileConnection, StoreError> {
        // The rows of a data file are loaded in the order of the file.
        if (!self.shared.is_alone && phase.writes()) || self.shared.keys.own().is_some() {
            self.shared.order.forget();
        }
        FileConnection::open(&self.shared)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn failed(&self, what: &str, error: &std::io::Error) -> StoreError {
        StoreError::store(format!("cannot {what} '{}': {error}", self.path.display()))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut *self.lock());
        if buffer.is_empty() {
            return;
        }
        let file = OpenOptions::new().append(true).open(&self.path);
        if let Err(error) = file.and_then(|mut file| file.write_all(&buffer)) {
            eprintln!("file: cannot write the last lines: {error}");
        }
    }
}

/// A descriptor of the file.
pub struct FileConnection {
    shared: Arc<Shared>,
    file: File,
    /// Lines since the last commit that are not written yet.
    pending: Vec<u8>,
    /// Whether something was written that the device may not have yet.
    unsynced: bool,
    /// Where its inserts are noted, once there were some.
    place: Option<Place>,
    tail: Tail,
    pattern: Vec<u8>,
}

impl FileConnection {
    fn open(shared: &Arc<Shared>) -> Result<FileConnection, StoreError> {
        let file = OpenOptions::new().read(true).append(true).open(&shared.path);
        Ok(FileConnection {
            file: file.map_err(|error| shared.failed("open", &error))?,
            shared: shared.clone(),
            pending: Vec::with_capacity(BUFFER_BYTES),
            unsynced: false,
            place: None,
            tail: Tail::default(),
            pattern: Vec::new(),
        })
    }

    /// Adds a line to those that wait.
    #[inline(always)]
    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), StoreError> {
        if self.shared.sync == SyncMode::Buffered {
            let mut buffer = self.shared.lock();
            write(&mut buffer);
            self.written();
            if buffer.len() >= BUFFER_BYTES {
                return put(&self.shared, &mut self.file, &mut buffer);
            }
            return Ok(());
        }
        write(&mut self.pending);
        if self.pending.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what waits, so that a read sees it.
    fn flush(&mut self) -> Result<(), StoreError> {
        if self.shared.sync == SyncMode::Buffered {
            let mut buffer = self.shared.lock();
            return put(&self.shared, &mut self.file, &mut buffer);
        }
        self.unsynced |= !self.pending.is_empty();
        put(&self.shared, &mut self.file, &mut self.pending)?;
        self.written();
        Ok(())
    }

    /// Its lines stand where they will stay.
    #[inline(always)]
    fn written(&self) {
        if let Some(place) = self.place {
            self.shared.order.written(place);
        }
    }

    /// Hands every line over, the last one first.
    fn walk(&mut self, each: impl FnMut(&Line<'_>) -> Result<ControlFlow<()>, StoreError>) -> Result<(), StoreError> {
        self.flush()?;
        self.tail.walk(&self.file, each)
    }

    fn exists(&mut self, key: &Key) -> Result<bool, StoreError> {
        if self.shared.sync != SyncMode::Buffered {
            self.flush()?;
        } else if let Some(is_there) = exists_in(&self.shared.lock(), &mut self.pattern, key) {
            // What waits in the buffer is not written for that.
            return Ok(is_there);
        }
        find(&mut self.tail, &self.file, &mut self.pattern, key).map(|line| line.is_some())
    }
}

impl Drop for FileConnection {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.shared.order.give_back(place);
        }
    }
}

/// Whether the last of some whole lines of a key leaves a row; `None` where none is of that key.
fn exists_in(lines: &[u8], pattern: &mut Vec<u8>, key: &Key) -> Option<bool> {
    begin_of_line(pattern, key);
    let behind = memchr::memmem::rfind(lines, pattern).map(|at| at + pattern.len());
    let is_first = || lines.starts_with(&pattern[1..]).then(|| pattern.len() - 1);
    let kind = lines.get(behind.or_else(is_first)?)?;
    Some(*kind != Kind::Delete.byte())
}

/// What stands before the kind in a line of a key, with the end of the line before.
fn begin_of_line(pattern: &mut Vec<u8>, key: &Key) {
    pattern.clear();
    pattern.push(b'\n');
    line::write_key(pattern, key);
    pattern.push(b'\t');
}

/// The last line of a key, where it is one that leaves a row.
fn find<'a>(tail: &'a mut Tail, file: &File, pattern: &mut Vec<u8>, key: &Key) -> Result<Option<Line<'a>>, StoreError> {
    begin_of_line(pattern, key);
    let found = tail.find(file, pattern)?;
    Ok(found.filter(|line| line.kind != Kind::Delete))
}

/// Writes whole lines by one call, so that those of several writers do not mix.
fn put(shared: &Shared, file: &mut File, lines: &mut Vec<u8>) -> Result<(), StoreError> {
    if lines.is_empty() {
        return Ok(());
    }
    let written = file.write_all(lines);
    lines.clear();
    // What a full disk cut off is half a line; more lines would only be joined to it.
    written.map_err(|error| StoreError::Disconnected(shared.failed("write", &error).to_string()))
}

impl Connection for FileConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        if self.place.is_none() {
            self.place = self.shared.order.take();
        }
        if let Some(place) = self.place {
            self.shared.order.begins(place, row.key.row);
        }
        self.append(|out| line::write(out, Kind::Insert, row))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.load(row).map(|()| WriteOutcome::Done)
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.flush()?;
        match find(&mut self.tail, &self.file, &mut self.pattern, key)? {
            Some(line) => line.decode(&self.shared.schema, out).map(|()| true),
            None => Ok(false),
        }
    }

    /// The row must exist, so it is searched for first.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        if !self.exists(&row.key)? {
            return Ok(WriteOutcome::Missing);
        }
        self.append(|out| line::write(out, Kind::Update, row)).map(|()| WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        if !self.exists(key)? {
            return Ok(WriteOutcome::Missing);
        }
        self.append(|out| line::write_delete(out, key)).map(|()| WriteOutcome::Done)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.shared.sync == SyncMode::Buffered {
            return Ok(());
        }
        self.flush()?;
        if self.shared.sync == SyncMode::Fdatasync && self.unsynced {
            self.file.sync_data().map_err(|error| self.shared.failed("sync", &error))?;
        }
        self.unsynced = false;
        Ok(())
    }

    /// Backwards, so that the first line seen of a key is the one that holds.
    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let shared = self.shared.clone();
        let mut seen = RowSet::default();
        self.walk(|line| {
            let row = line.row(&shared.keys);
            if seen.insert(row) && line.kind != Kind::Delete {
                sink.fields(ReturnedKey::Row(row), |out| line.decode(&shared.schema, out))?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Where it is known how late a line may come the end of the file is enough; otherwise any line may hold one of the
    /// newest rows, and all are read.
    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let shared = self.shared.clone();
        let mut newest = Newest::new(rows as usize);
        let mut seen = RowSet::default();
        self.walk(|line| {
            let row = line.row(&shared.keys);
            if seen.insert(row) && line.kind != Kind::Delete {
                newest.offer(shared.keys.rank(row), line.fields);
            }
            // Asked at each line: who writes it says beforehand that it may be late.
            let all_before = shared.order.late_by().map(|late_by| row.saturating_add(late_by));
            let complete = line.kind == Kind::Insert && all_before.is_some_and(|row| newest.holds_all_above(row));
            Ok(if complete { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        for (place, fields) in newest.into_rows() {
            let row = shared.keys.at_rank(place);
            sink.fields(ReturnedKey::Row(row), |out| line::decode(&fields, &shared.schema, out))?;
        }
        Ok(())
    }

    /// A search for each key.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        answers.one_by_one(|key, out| self.read(key, out))
    }
}
