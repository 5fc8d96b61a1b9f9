//! `memcached`: a memcached server, many connections on one thread.
//!
//! A row is an item under `namespace:key`; its value is the raw encoding. The server has no namespaces and no way to
//! search for keys that it promises to be whole, so rows are counted and removed by their names.

mod meta;

use std::io::ErrorKind;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kurabe_protocol::keys::MAX_KEY_BYTES;
use kurabe_protocol::{Capabilities, Eviction, Job, Layout, LoadPath, Operation, OwnRows, Phase};
use memcache::exp::{MetaCommand, MetaOp, ReturnCode};

use crate::common::key_names::{KeyNames, KnownRows, Spelling, unescape};
use crate::common::lanes::SocketLanes;
use crate::common::lanes::socket::{Address, Socket, Stream};
use kurabe_client::adapter::{InFlight, Store, StoreError, Texts};
use kurabe_client::common::versions::libraries;
use kurabe_client::in_flight::InFlightLoop;

pub use meta::Meta;
use meta::Reply;

/// Longest name of an item.
const NAME_BYTES: usize = 250;
/// Longest item where the server does not tell (`-I`).
const ITEM_BYTES: u64 = 1 << 20;
/// What an item takes beside its name and its value: its head with the number for compare-and-swap, the zero byte behind the
/// name, and the line end behind the value. <https://github.com/memcached/memcached/blob/1.6.18/items.c>, `do_item_alloc`.
const ITEM_HEAD_BYTES: u64 = 48 + 8 + 1 + 2;
/// So long the limit of items is asked for; a server that does not answer is found out by others.
const PATIENCE: Duration = Duration::from_secs(1);
/// Commands sent together in a call.
const CALL_KEYS: u64 = 1000;
/// So many rows that are not there, one after the other, are the end of inserts without a known one; no honest gap
/// between the rows of workers that take turns is longer.
const LONGEST_GAP: u64 = 20_000;
/// Settings that tell what happens when memory ends, and how much there is.
const SETTINGS: [&str; 5] = ["evictions", "item_size_max", "maxbytes", "maxconns", "num_threads"];

/// A memcached server as one job uses it.
pub struct Memcached {
    address: Address,
    names: KeyNames,
    known: KnownRows,
    max_key_bytes: u64,
    longest_name: u64,
    /// Longest item of the live server, once it was told.
    item_bytes: OnceLock<u64>,
    /// Items that the server had thrown away when the namespace was made.
    evictions: AtomicU64,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Memcached {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Memcached, StoreError> {
        let expected =
            || StoreError::store("expected memcache://host:port or memcache:///path as the server's address");
        let url = job.url.as_deref().and_then(|url| url.strip_prefix("memcache://")).ok_or_else(expected)?;
        if let Some(name) = job.settings.keys().next() {
            return Err(StoreError::store(format!("memcached has no setting '{name}'; give the server arguments")));
        }
        let address = match (url.starts_with('/'), url.rsplit_once(':')) {
            (true, _) => Address::Unix(url.into()),
            (false, Some((host, port))) => {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                Address::Tcp(host.into(), port.trim_end_matches('/').parse().map_err(|_| expected())?)
            }
            (false, None) => return Err(expected()),
        };
        let spaced = layout.keys().own().is_some_and(OwnRows::spaced_keys);
        let spelling = if spaced { Spelling::Escaped } else { Spelling::Plain };
        let names = KeyNames::new(&job.namespace, *layout.keys(), spelling);
        Ok(Memcached {
            max_key_bytes: max_key_bytes(job, &names, spaced),
            longest_name: longest_name(job, &names, spaced) as u64,
            item_bytes: OnceLock::new(),
            address,
            names,
            known: KnownRows::of(job),
            evictions: AtomicU64::new(0),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Open, Read, Update};
        Capabilities {
            operations: vec![Load, Insert, Read, Update, Delete, MultiRead, Increment, Open],
            load_paths: vec![LoadPath::Row],
            max_depth: 1024,
            batch: true,
            max_connections: 2048,
            processes: true,
            reconnects: true,
            max_value_bytes: self.item_bytes().saturating_sub(ITEM_HEAD_BYTES + self.longest_name),
            max_key_bytes: self.max_key_bytes,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        libraries(&["memcache", "mio"])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.control(|stream| match converse(stream, &[MetaCommand::new(MetaOp::Noop, "")], |_, _| Ok(())) {
            Ok(()) => Ok(()),
            Err(error) => Err(error),
        })
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let mut texts = self.libraries();
        let stats = self.control(|stream| stats(stream, "stats"))?;
        let version = stats.get("version").ok_or_else(|| StoreError::store("'stats' tells no version"))?;
        texts.insert("version".into(), version.clone());
        Ok(texts)
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let mut texts = self.control(|stream| stats(stream, "stats settings"))?;
        texts.retain(|name, _| SETTINGS.contains(&name.as_str()));
        Ok(texts)
    }

    /// It throws items away where its memory (`-m`) is full, unless it was told to refuse new ones instead (`-M`).
    fn evicts(&self) -> Result<Eviction, StoreError> {
        let settings = self.control(|stream| stats(stream, "stats settings"))?;
        if settings.get("evictions").is_some_and(|evictions| evictions == "off") {
            return Ok(Eviction::default());
        }
        let (limit, used) = (self.stat("limit_maxbytes")?, self.stat("bytes")?);
        let policy = Some(format!("evictions on, limit_maxbytes {limit}"));
        Ok(Eviction { policy, room_bytes: Some(limit.saturating_sub(used)) })
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()?;
        self.evictions.store(self.evicted()?, Ordering::Relaxed);
        Ok(())
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.control(|stream| {
            self.each_row(stream, MetaOp::Delete, |_| ())?;
            let counters = self.known.counters.clone().map(|row| self.names.counter_name(row));
            let commands: Vec<MetaCommand> = counters.map(|name| MetaCommand::new(MetaOp::Delete, name)).collect();
            commands.chunks(CALL_KEYS as usize).try_for_each(|some| converse(stream, some, |_, _| Ok(())))
        })
    }

    /// Rows by asking for each. A server that threw items away for want of room has lost rows, whichever they were.
    fn count(&self) -> Result<u64, StoreError> {
        let evicted = self.evicted()?.saturating_sub(self.evictions.load(Ordering::Relaxed));
        if evicted > 0 {
            return Err(StoreError::store(format!(
                "the server threw {evicted} items away for want of memory; start it with more (-m), or with -M"
            )));
        }
        let mut rows = 0;
        self.control(|stream| self.each_row(stream, MetaOp::Get, |found| rows += u64::from(found)))?;
        Ok(rows)
    }

    /// By walking the server's table, or its lists where it is older: both tell all that stays where it is meanwhile.
    fn list_rows(&self, take: &mut dyn FnMut(u32)) -> Result<(), StoreError> {
        let mut walk = |which: &str| {
            self.control(|stream| keys(stream, which, |key| self.names.row(key).into_iter().for_each(&mut *take)))
        };
        match walk("hash") {
            Err(StoreError::Unsupported) => walk("all"),
            other => other,
        }
    }

    /// Bytes of all items of the **whole** server.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.stat("bytes")
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let counters = self.known.counters.clone().map(|row| self.names.counter_name(row));
        let commands: Vec<MetaCommand> = counters.map(|name| meta::get(&name)).collect();
        let mut sum = 0;
        self.control(|stream| {
            commands.chunks(CALL_KEYS as usize).try_for_each(|some| {
                converse(stream, some, |_, reply| {
                    if let Reply::Value(value) = reply {
                        let number = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse::<u64>().ok());
                        sum += number.ok_or_else(|| StoreError::store("a counter that is no number"))?;
                    }
                    Ok(())
                })
            })
        })?;
        Ok(sum)
    }
}

impl InFlight for Memcached {
    type Lanes = SocketLanes<Meta>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<SocketLanes<Meta>, StoreError> {
        let (address, limit) = (self.address.clone(), self.operation_limit);
        let connect = move || Socket::open(&address, limit, |_| Ok(()));
        SocketLanes::open(Meta::new(self.names.clone()), lanes, phase, connect)
    }
}

impl Memcached {
    /// Longest item, its name and head included, as the live server tells it.
    fn item_bytes(&self) -> u64 {
        if let Some(bytes) = self.item_bytes.get() {
            return *bytes;
        }
        let told = self.control_within(PATIENCE.min(self.call_limit), |stream| stats(stream, "stats settings"));
        let told = told.ok().and_then(|settings| settings.get("item_size_max")?.parse().ok());
        // One that is not up yet, or does not answer, is asked again.
        told.map_or(ITEM_BYTES, |bytes| *self.item_bytes.get_or_init(|| bytes))
    }

    /// Does `work` on a connection of its own that blocks.
    fn control<T>(&self, work: impl FnOnce(&mut dyn Stream) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.control_within(self.call_limit, work)
    }

    fn control_within<T>(
        &self,
        limit: Duration,
        work: impl FnOnce(&mut dyn Stream) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut done = None;
        Socket::open(&self.address, limit, |stream| {
            done = Some(work(stream)?);
            Ok(())
        })?;
        done.ok_or_else(|| StoreError::store("nothing was asked"))
    }

    /// Gives a command to every row that the job can have written, and says whether there was one.
    fn each_row(&self, stream: &mut dyn Stream, op: MetaOp, mut found: impl FnMut(bool)) -> Result<(), StoreError> {
        let mut ask = |rows: Range<u64>, missing: &mut u64| {
            let commands: Vec<MetaCommand> = rows.map(|row| MetaCommand::new(op, self.names.row_name(row))).collect();
            converse(stream, &commands, |_, reply| {
                let is_there = match reply {
                    Reply::Code(ReturnCode::Hd) => true,
                    Reply::Code(ReturnCode::En | ReturnCode::Nf) => false,
                    other => return Err(StoreError::store(format!("an unexpected reply: {other:?}"))),
                };
                *missing = if is_there { 0 } else { *missing + 1 };
                found(is_there);
                Ok(())
            })
        };
        for range in &self.known.ranges {
            for start in range.clone().step_by(CALL_KEYS as usize) {
                ask(start..range.end.min(start + CALL_KEYS), &mut 0)?;
            }
        }
        for first in &self.known.endless {
            let (mut start, mut missing) = (*first, 0);
            while missing < LONGEST_GAP {
                ask(start..start + CALL_KEYS, &mut missing)?;
                start += CALL_KEYS;
            }
        }
        Ok(())
    }

    fn evicted(&self) -> Result<u64, StoreError> {
        self.stat("evictions")
    }

    fn stat(&self, name: &str) -> Result<u64, StoreError> {
        let stats = self.control(|stream| stats(stream, "stats"))?;
        let number = stats.get(name).and_then(|text| text.parse().ok());
        number.ok_or_else(|| StoreError::store(format!("'stats' tells no {name}")))
    }
}

/// Longest key whose name is sure to be no longer than an item's may be: the namespace and a colon stand before it, and
/// what must be escaped grows to three bytes. Where the rows are known, all are looked at, since few keys hold much of that.
fn max_key_bytes(job: &Job, names: &KeyNames, spaced: bool) -> u64 {
    let room = (NAME_BYTES as u64).saturating_sub(job.namespace.len() as u64 + 1);
    match spaced {
        false => room,
        true if (0..job.rows).all(|row| names.row_name(row).len() <= NAME_BYTES) => MAX_KEY_BYTES as u64,
        true => room / 3,
    }
}

/// Length of the longest name that a row of the job can have.
fn longest_name(job: &Job, names: &KeyNames, spaced: bool) -> usize {
    match &job.data {
        None => names.row_name(u64::from(u32::MAX) - 1).len(),
        Some(_) if spaced => NAME_BYTES,
        Some(data) => NAME_BYTES.min(job.namespace.len() + 1 + data.longest_key_bytes as usize),
    }
}

/// Sends all commands and gives each its reply, in their order.
fn converse(
    stream: &mut dyn Stream,
    commands: &[MetaCommand],
    mut take: impl FnMut(usize, Reply<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut request = Vec::new();
    commands.iter().try_for_each(|command| meta::encode(command, &mut request))?;
    stream.write_all(&request).map_err(disconnected)?;
    let (mut bytes, mut used, mut at) = (Vec::new(), 0, 0);
    while at < commands.len() {
        match meta::take_reply(&bytes[used..]).map_err(StoreError::Disconnected)? {
            Some((reply, len)) => {
                take(at, reply)?;
                used += len;
                at += 1;
            }
            None => {
                bytes.drain(..used);
                used = 0;
                receive(stream, &mut bytes)?;
            }
        }
    }
    Ok(())
}

/// The answer to `stats` of some kind. It is no meta command, and no library asks for any but the plain one.
fn stats(stream: &mut dyn Stream, what: &str) -> Result<Texts, StoreError> {
    stream.write_all(format!("{what}\r\n").as_bytes()).map_err(disconnected)?;
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"END\r\n") {
        if bytes.ends_with(b"ERROR\r\n") {
            return Err(StoreError::Unsupported);
        }
        receive(stream, &mut bytes)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.lines().filter_map(|line| line.strip_prefix("STAT ")?.split_once(' '));
    Ok(pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect())
}

/// Gives the names of all items to `take`. It is no meta command either.
fn keys(stream: &mut dyn Stream, which: &str, mut take: impl FnMut(&[u8])) -> Result<(), StoreError> {
    stream.write_all(format!("lru_crawler metadump {which}\r\n").as_bytes()).map_err(disconnected)?;
    let mut bytes = Vec::new();
    loop {
        receive(stream, &mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match line.strip_prefix(b"key=").and_then(|rest| rest.split(|byte| *byte == b' ').next()) {
                Some(name) => unescape(name).iter().for_each(|name| take(name)),
                None if line.starts_with(b"END") => return Ok(()),
                None if line.starts_with(b"BADCLASS") => return Err(StoreError::Unsupported),
                None => return Err(StoreError::store(String::from_utf8_lossy(line).trim_end())),
            }
        }
        bytes.drain(..whole);
    }
}

/// Reads what there is, and waits for it.
fn receive(stream: &mut dyn Stream, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
    let mut chunk = [0; 16 << 10];
    match stream.read(&mut chunk) {
        Ok(0) => Err(StoreError::Disconnected("the server closed the connection".into())),
        Ok(len) => {
            bytes.extend_from_slice(&chunk[..len]);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(disconnected(error)),
    }
}

fn disconnected(error: std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => StoreError::Timeout,
        _ => StoreError::Disconnected(error.to_string()),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
