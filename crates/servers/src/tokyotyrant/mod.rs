//! `tokyotyrant`: a Tokyo Tyrant server, one blocking connection a worker; the variant is the kind of its database.
//!
//! A row is a record under `namespace:key`, a counter one under `namespace+number`. Nothing of the protocol tells
//! "missing" from another failure, so a write that was not done is looked at again.

mod connection;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Field, Job, KeyMap, Layout, LoadPath, Operation, Phase, ReturnedKey, Schema};

use crate::common::key_names::{KeyNames, Spelling};
use kurabe_client::adapter::{Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::columns::TextColumns;

pub use connection::TyrantConnection;
use wire::{Address, Command, Wire};

/// Records that are removed or asked for together.
const BATCH: usize = 1000;
/// Bytes of values that are asked for together, about.
const BATCH_BYTES: usize = 4 << 20;

/// How rows are kept.
#[derive(Clone, Debug)]
enum Rows {
    /// The raw value under its key.
    Hash,
    /// Named columns.
    Table(TextColumns),
}

/// What a commit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing.
    Put,
    /// It syncs the database.
    Sync,
}

/// The names under which a job's records are.
#[derive(Clone)]
struct Names {
    rows: String,
    counters: String,
    keys: KeyMap,
    names: KeyNames,
}

impl Names {
    /// The key in the name of a row.
    #[inline(always)]
    fn returned_key<'a>(&self, name: &'a [u8]) -> ReturnedKey<'a> {
        let Some(key) = name.strip_prefix(self.rows.as_bytes()) else { return ReturnedKey::Row(u32::MAX) };
        if self.keys.is_text() {
            return self.keys.seen_text(key);
        }
        let number = std::str::from_utf8(key).ok().and_then(|digits| digits.parse().ok());
        number.map_or(ReturnedKey::Row(u32::MAX), |number| self.keys.seen_int(number))
    }
}

/// An index is of the whole database, whoever wrote the rows, so the names of indexed columns hold the namespace.
fn columns(namespace: &str, schema: &Schema) -> TextColumns {
    let name = |field: &Field| format!("{namespace}.{}", field.name);
    TextColumns::new(schema, |field| if field.indexed { name(field) } else { field.name.clone() })
}

/// A Tokyo Tyrant server as one job uses it.
pub struct TokyoTyrant {
    address: Address,
    rows: Rows,
    mode: Mode,
    names: Names,
    /// Rows that a scan asks for together.
    batch: usize,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for TokyoTyrant {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<TokyoTyrant, StoreError> {
        let expected = || StoreError::store("expected tokyotyrant://host[:port] as the server's address");
        let address = job.url.as_deref().and_then(Address::parse).ok_or_else(expected)?;
        let mut mode = Mode::Put;
        for (name, value) in &job.settings {
            mode = match (name.as_str(), value.as_str()) {
                ("mode", "put") => Mode::Put,
                ("mode", "sync") => Mode::Sync,
                ("mode", _) => return Err(StoreError::store(format!("mode '{value}' is neither 'put' nor 'sync'"))),
                _ => return Err(StoreError::store(format!("tokyotyrant has no setting '{name}'; it has mode"))),
            };
        }
        let rows = match job.candidate.variant.as_deref() {
            None | Some("hash") => Rows::Hash,
            Some("table") => Rows::Table(columns(&job.namespace, &job.schema)),
            Some(name) => return Err(StoreError::store(format!("no variant '{name}'; there are hash, table"))),
        };
        Ok(TokyoTyrant {
            address,
            rows,
            mode,
            names: Names {
                rows: format!("{}:", job.namespace),
                counters: format!("{}+", job.namespace),
                keys: *layout.keys(),
                names: KeyNames::new(&job.namespace, *layout.keys(), Spelling::Plain),
            },
            batch: (BATCH_BYTES / layout.room_bytes().max(1)).clamp(1, BATCH),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Open, Read, Scan, Search, Update};
        let mut operations = vec![Load, Insert, Read, Update, Delete, Scan, MultiRead, Increment, Open];
        let mut load_paths = vec![LoadPath::Row];
        match &self.rows {
            Rows::Hash => load_paths.push(LoadPath::Batch),
            Rows::Table(columns) => operations.extend(columns.has_ints().then_some(Search)),
        }
        Capabilities {
            operations,
            load_paths,
            max_connections: 512,
            processes: true,
            // The server takes 256 MiB in one argument.
            max_value_bytes: 64 << 20,
            ..match self.rows {
                Rows::Hash => Capabilities::default(),
                Rows::Table(_) => Capabilities::of_columns(),
            }
        }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.stat().map(|_| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let mut texts = self.stat()?;
        texts.retain(|name, _| ["version", "libver", "protver", "os", "type"].contains(&name.as_str()));
        Ok(texts)
    }

    /// The mode is the adapter's own; the server tells the kind of its database, and nothing else that was set.
    fn settings(&self) -> Result<Texts, StoreError> {
        let mut texts = self.stat()?;
        texts.retain(|name, _| name == "type");
        let mode = if self.mode == Mode::Sync { "sync" } else { "put" };
        texts.insert("mode".into(), mode.into());
        Ok(texts)
    }

    fn create(&self) -> Result<(), StoreError> {
        let kept = self.stat()?.remove("type").unwrap_or_default();
        let wanted = match self.rows {
            Rows::Hash => "hash",
            Rows::Table(_) => "table",
        };
        if kept != wanted {
            return Err(StoreError::store(format!(
                "the server keeps a database of type '{kept}', and variant '{wanted}' needs one of type '{wanted}'"
            )));
        }
        self.reset()?;
        let mut wire = self.wire(self.call_limit)?;
        self.indexed().try_for_each(|name| set_index(&mut wire, name, "DECIMAL"))
    }

    fn reset(&self) -> Result<(), StoreError> {
        let mut wire = self.wire(self.call_limit)?;
        for prefix in [&self.names.rows, &self.names.counters] {
            let names = keys(&mut wire, prefix)?;
            for some in names.chunks(BATCH) {
                if wire.misc("outlist", some.iter().map(Vec::as_slice))?.is_none() {
                    return Err(failure(&mut wire));
                }
            }
        }
        // To take away an index that is not there fails, and does no harm.
        self.indexed().try_for_each(|name| wire.misc("setindex", index_args(name, "VOID").into_iter()).map(|_| ()))
    }

    fn count(&self) -> Result<u64, StoreError> {
        Ok(keys(&mut self.wire(self.call_limit)?, &self.names.rows)?.len() as u64)
    }

    /// Of the **whole** database, as the server tells it.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let mut wire = self.wire(self.call_limit)?;
        wire.ask(Command::Size, |_| ())?;
        wire.long()
    }

    /// To add nothing tells a counter, whatever the order of bytes in which the server keeps it.
    fn sum(&self) -> Result<u64, StoreError> {
        let mut wire = self.wire(self.call_limit)?;
        let mut sum = 0;
        for name in keys(&mut wire, &self.names.counters)? {
            sum += u64::from(add(&mut wire, &name, 0)?);
        }
        Ok(sum)
    }
}

impl Blocking for TokyoTyrant {
    type Connection = TyrantConnection;

    fn connect(&self, phase: &Phase) -> Result<TyrantConnection, StoreError> {
        let wire = self.wire(self.operation_limit)?;
        Ok(TyrantConnection::new(wire, self.rows.clone(), self.names.clone(), self.mode, self.batch, phase))
    }
}

impl TokyoTyrant {
    fn wire(&self, limit: Duration) -> Result<Wire, StoreError> {
        Wire::open(&self.address, limit)
    }

    fn indexed(&self) -> impl Iterator<Item = &str> {
        let columns = match &self.rows {
            Rows::Hash => None,
            Rows::Table(columns) => Some(columns.indexed()),
        };
        columns.into_iter().flatten()
    }

    /// What the server tells of itself: lines of a name, a tab and a value.
    fn stat(&self) -> Result<Texts, StoreError> {
        let mut wire = self.wire(self.call_limit)?;
        wire.ask(Command::Stat, |_| ())?;
        let text = String::from_utf8_lossy(wire.sized()?).into_owned();
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }
}

fn index_args<'a>(column: &'a str, kind: &'a str) -> [&'a [u8]; 2] {
    [column.as_bytes(), kind.as_bytes()]
}

fn set_index(wire: &mut Wire, column: &str, kind: &str) -> Result<(), StoreError> {
    match wire.misc("setindex", index_args(column, kind).into_iter())? {
        Some(_) => Ok(()),
        None => Err(failure(wire)),
    }
}

/// All keys that begin with `prefix`. The server goes through the whole database for it.
fn keys(wire: &mut Wire, prefix: &str) -> Result<Vec<Vec<u8>>, StoreError> {
    let done = wire.ask(Command::KeysByPrefix, |request| {
        request.number(prefix.len() as u32);
        // As many as there are.
        request.number(u32::MAX);
        request.bytes(prefix.as_bytes());
    })?;
    let count = wire.number()?;
    if !done {
        return Err(failure(wire));
    }
    (0..count).map(|_| wire.sized().map(<[u8]>::to_vec)).collect()
}

/// Adds to a counter; its new value.
#[inline(always)]
fn add(wire: &mut Wire, name: &[u8], number: u32) -> Result<u32, StoreError> {
    let done = wire.ask(Command::AddInt, |request| {
        request.number(name.len() as u32);
        request.number(number);
        request.bytes(name);
    })?;
    if done { wire.number() } else { Err(failure(wire)) }
}

/// The words of the server about what it did not do.
#[cold]
fn failure(wire: &mut Wire) -> StoreError {
    let words = match wire.misc("error", std::iter::empty()) {
        Ok(Some(1..)) => wire.sized().map(|words| String::from_utf8_lossy(words).into_owned()),
        Ok(_) => Ok("the server did not do it, and does not say why".into()),
        Err(error) => Err(error),
    };
    words.map_or_else(|error| error, StoreError::Store)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
