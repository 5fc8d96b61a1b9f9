//! The protocol of Redis, which others speak too: many connections on one thread.
//!
//! A row is a string under `namespace:key`; its value is the raw encoding. The calls use the crate
//! `redis` over a connection of their own; the measured operations use [`crate::common::lanes`].

mod reply;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Eviction, Job, Layout, LoadPath, Operation, Phase};
use redis::{Client, Commands, ConnectionAddr, IntoConnectionInfo, RedisError, TlsCertificates};
use rustls::ClientConfig;

use crate::common::absent::Absent;
use crate::common::key_names::{KeyNames, KnownRows, Spelling};
use crate::common::lanes::SocketLanes;
use crate::common::lanes::socket::{Address, Socket};
use crate::common::tls::{self, Tls};
use kurabe_client::adapter::{InFlight, Store, StoreError, Texts};
use kurabe_client::common::versions::libraries;
use kurabe_client::in_flight::InFlightLoop;

pub use reply::Resp;

/// Keys in one command of a call.
const CALL_KEYS: usize = 1000;
/// Settings that tell what can be lost, and what happens when memory ends.
const SETTINGS: [&str; 7] =
    ["appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory", "maxmemory-policy"];

/// A Redis server as one job uses it.
pub struct Redis {
    /// Opens the connections of calls.
    client: Client,
    tls: Option<(Tls, Arc<ClientConfig>)>,
    names: KeyNames,
    known: KnownRows,
    /// The store's name.
    store: String,
    absent: Absent,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Redis {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Redis, StoreError> {
        let expected = "expected redis:// or rediss://[user:password@]host:port[/database], or unix:///path";
        let url = job.url.as_deref().ok_or_else(|| StoreError::store(format!("no address of a server: {expected}")))?;
        let (mut url, tls) = Tls::take(url, None)?;
        let tls = match (url.starts_with("rediss:"), tls) {
            (true, tls) => Some(tls.unwrap_or_default()),
            (false, None) => None,
            (false, Some(_)) => return Err(StoreError::store("TLS is asked for by rediss:// in place of redis://")),
        };
        if tls.as_ref().is_some_and(Tls::is_unverified) {
            url.push_str("#insecure");
        }
        // The library's words about a bad address could quote its password.
        let address = url
            .into_connection_info()
            .map_err(|_| StoreError::store(format!("the address of the server cannot be read: {expected}")))?;
        let tls = tls.map(|tls| tls.config().map(|config| (tls, Arc::new(config)))).transpose()?;
        let client = match &tls {
            Some((tls, _)) => {
                let certificates = TlsCertificates { client_tls: None, root_cert: tls.authority_pem()? };
                Client::build_with_tls(address, certificates)
            }
            None => Client::open(address),
        };
        Ok(Redis {
            client: client.map_err(|error| call_error(&error))?,
            tls,
            names: KeyNames::new(&job.namespace, *layout.keys(), Spelling::Plain),
            known: KnownRows::of(job),
            store: job.candidate.store.clone(),
            absent: Absent::default(),
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
            max_connections: 10_000,
            processes: true,
            // https://redis.io/docs/latest/develop/data-types/strings/: 512 MB.
            max_value_bytes: 512 << 20,
            reconnects: true,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        let mut texts = libraries(&["redis", "redis-protocol", "mio"]);
        // Python's library has the same name and other versions: a comparison of clients must not take them for one.
        if let Some(version) = texts.remove("redis") {
            texts.insert("redis-rs".into(), version);
        }
        texts
    }

    /// A server that refuses the command to this user answers too.
    fn ping(&self) -> Result<(), StoreError> {
        match redis::cmd("PING").exec(&mut self.control()?).map_err(|error| call_error(&error)) {
            Err(StoreError::Denied(_)) => Ok(()),
            other => other,
        }
    }

    /// By INFO, or by HELLO where the user may not ask for that; in both a server tells which product it is: servers that speak
    /// this protocol tell their own name and version beside the one of Redis that they are compatible with.
    fn info(&self) -> Result<Texts, StoreError> {
        let mut texts = self.libraries();
        match self.absent.unless_denied("what the server tells about itself", self.about())? {
            Some(info) => {
                let version = field(&info, "redis_version");
                let version = version.ok_or_else(|| StoreError::store("INFO tells no version"))?;
                texts.insert("version".into(), own_version(&info, &self.store).unwrap_or_else(|| version.into()));
                texts.extend(versions(&info).map(|(name, version)| (format!("{name}_version"), version.to_string())));
                for name in ["server_name", "redis_mode", "server_mode", "role", "multiplexing_api"] {
                    texts.extend(field(&info, name).map(|value| (name.to_string(), value.to_string())));
                }
            }
            None => texts.extend(self.hello()?),
        }
        Ok(texts)
    }

    /// Some may not ask for them, and hosted servers do not know the command.
    fn settings(&self) -> Result<Texts, StoreError> {
        let mut connection = self.control()?;
        let mut texts = Texts::new();
        for name in SETTINGS {
            // One name a command: servers before version 7 take no more.
            let answer: Result<Texts, RedisError> = redis::cmd("CONFIG").arg("GET").arg(name).query(&mut connection);
            let answer = answer.map_err(|error| refusal(&error));
            texts.extend(self.absent.or_unsupported("settings of the server", answer)?);
        }
        texts.extend(self.tls.as_ref().map(|(tls, _)| tls.setting()));
        Ok(texts)
    }

    /// Told by INFO, which hosted servers know too.
    fn evicts(&self) -> Result<Eviction, StoreError> {
        let info = self.absent.or_unsupported("whether the server throws keys away", self.section("memory"))?;
        let limit = field(&info, "maxmemory").and_then(|bytes| bytes.parse::<u64>().ok()).filter(|bytes| *bytes > 0);
        let policy = field(&info, "maxmemory_policy").filter(|policy| *policy != "noeviction");
        let policy = limit.zip(policy).map(|(bytes, policy)| format!("maxmemory {bytes}, maxmemory-policy {policy}"));
        Ok(Eviction { policy, room_bytes: None })
    }

    fn absent(&self) -> Vec<String> {
        self.absent.take()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    /// Deletes the keys of the job by name. DEL, not UNLINK: nothing is left to do in the background when a phase starts.
    fn reset(&self) -> Result<(), StoreError> {
        let mut connection = self.control()?;
        let mut keys = Vec::with_capacity(CALL_KEYS);
        let rows = self.known.ranges.iter().cloned().flatten().map(|row| self.names.row_name(row));
        for name in rows.chain(self.known.counters.clone().map(|row| self.names.counter_name(row))) {
            keys.push(name);
            if keys.len() == CALL_KEYS {
                delete(&mut connection, &mut keys)?;
            }
        }
        delete(&mut connection, &mut keys)?;
        if self.known.is_complete {
            return Ok(());
        }
        self.each_key(&mut connection, |connection, found| {
            keys.extend(found);
            delete(connection, &mut keys)
        })
    }

    /// Rows by SCAN, which may give a key twice: each row counts once. By name where a hosted server does not know SCAN.
    fn count(&self) -> Result<u64, StoreError> {
        let mut rows = HashSet::new();
        let scanned = self.each_key(&mut self.control()?, |_, found| {
            rows.extend(found.iter().filter_map(|key| self.names.row(key)));
            Ok(())
        });
        match scanned {
            Err(StoreError::Denied(_)) if self.known.is_complete => self.count_by_name(),
            scanned => scanned.map(|()| rows.len() as u64),
        }
    }

    fn list_rows(&self, take: &mut dyn FnMut(u32)) -> Result<(), StoreError> {
        self.each_key(&mut self.control()?, |_, found| {
            found.iter().filter_map(|key| self.names.row(key)).for_each(&mut *take);
            Ok(())
        })
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let mut connection = self.control()?;
        let counters: Vec<u64> = self.known.counters.clone().collect();
        let mut sum = 0;
        for rows in counters.chunks(CALL_KEYS) {
            let names: Vec<Vec<u8>> = rows.iter().map(|row| self.names.counter_name(*row)).collect();
            let values: Result<Vec<Option<u64>>, RedisError> = connection.mget(names);
            sum += values.map_err(|error| call_error(&error))?.iter().flatten().sum::<u64>();
        }
        Ok(sum)
    }

    /// Memory in use by the whole server (`used_memory`): Redis knows no size of a part of its keys.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let info = self.absent.or_unsupported("memory of the server", self.section("memory"))?;
        let used = field(&info, "used_memory").and_then(|used| used.parse().ok());
        used.ok_or_else(|| StoreError::store("INFO tells no used_memory"))
    }
}

impl InFlight for Redis {
    type Lanes = SocketLanes<Resp>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<SocketLanes<Resp>, StoreError> {
        let info = self.client.get_connection_info().clone();
        let address = match (info.addr(), &self.tls) {
            (ConnectionAddr::Tcp(host, port), _) => Address::Tcp(host.clone(), *port),
            (ConnectionAddr::TcpTls { host, port, .. }, Some((_, tls))) => {
                Address::Tls(host.clone(), *port, tls.clone())
            }
            (ConnectionAddr::Unix(path), _) => Address::Unix(path.clone()),
            _ => return Err(StoreError::store("the address of the server is of a kind that is not known")),
        };
        let limit = self.operation_limit;
        let connect = move || Socket::open(&address, limit, |stream| reply::sign_in(stream, &info));
        SocketLanes::open(Resp::new(self.names.clone()), lanes, phase, connect)
    }
}

impl Redis {
    /// A connection for one call.
    fn control(&self) -> Result<redis::Connection, StoreError> {
        let open = || {
            let connection = self.client.get_connection_with_timeout(self.call_limit)?;
            connection.set_read_timeout(Some(self.call_limit))?;
            connection.set_write_timeout(Some(self.call_limit))?;
            Ok(connection)
        };
        open().map_err(|error| call_error(&error))
    }

    /// Which server it is, and its part in a replication or a cluster.
    fn about(&self) -> Result<String, StoreError> {
        Ok(self.section("server")? + &self.section("replication")?)
    }

    /// Name, version and part of the server as HELLO tells them, which comes with every connection; nothing before Redis 6.
    fn hello(&self) -> Result<Texts, StoreError> {
        let answer = redis::cmd("HELLO").query::<redis::Value>(&mut self.control()?).map_err(|error| refusal(&error));
        let Some(answer) = self.absent.unless_denied("version of the server", answer)? else { return Ok(Texts::new()) };
        // Lists of modules stand in it too.
        let text = |value: &redis::Value| redis::from_redis_value_ref::<String>(value).ok();
        let pairs = answer.as_map_iter().into_iter().flatten();
        let told: Texts = pairs.filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
        let named = [
            ("server_name", "server"),
            ("version", "version"),
            ("redis_mode", "mode"),
            ("server_mode", "mode"),
            ("role", "role"),
        ];
        Ok(named.into_iter().filter_map(|(name, theirs)| Some((name.to_string(), told.get(theirs)?.clone()))).collect())
    }

    /// The rows of the job that are there.
    fn count_by_name(&self) -> Result<u64, StoreError> {
        let mut connection = self.control()?;
        let rows: Vec<u64> = self.known.ranges.iter().cloned().flatten().collect();
        rows.chunks(CALL_KEYS).try_fold(0, |sum, rows| {
            let names: Vec<Vec<u8>> = rows.iter().map(|row| self.names.row_name(*row)).collect();
            let there: Result<u64, RedisError> = connection.exists(names);
            Ok(sum + there.map_err(|error| call_error(&error))?)
        })
    }

    fn section(&self, name: &str) -> Result<String, StoreError> {
        redis::cmd("INFO").arg(name).query(&mut self.control()?).map_err(|error| refusal(&error))
    }

    /// Gives every key of the namespace to `take`, some at a time.
    fn each_key(
        &self,
        connection: &mut redis::Connection,
        mut take: impl FnMut(&mut redis::Connection, Vec<Vec<u8>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut cursor = 0u64;
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(self.names.pattern()).arg("COUNT").arg(CALL_KEYS);
            let (next, found): (u64, Vec<Vec<u8>>) = scan.query(connection).map_err(|error| refusal(&error))?;
            take(connection, found)?;
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }
}

fn delete(connection: &mut redis::Connection, keys: &mut Vec<Vec<u8>>) -> Result<(), StoreError> {
    if keys.is_empty() {
        return Ok(());
    }
    let deleted: Result<u64, RedisError> = connection.del(&*keys);
    keys.clear();
    deleted.map(|_| ()).map_err(|error| call_error(&error))
}

/// The library's error without anything that it may know of the address.
fn call_error(error: &RedisError) -> StoreError {
    if error.is_timeout() {
        StoreError::Timeout
    } else if error.code() == Some(reply::LOADING) {
        StoreError::not_ready(error)
    } else if error.is_io_error() || error.is_connection_dropped() || error.is_connection_refusal() {
        StoreError::Disconnected(tls::with_way_out(error.to_string()))
    } else if error.code() == Some("NOPERM") {
        StoreError::Denied(error.to_string())
    } else {
        StoreError::store(error)
    }
}

/// As [`call_error`] for a command that a server may not know: that is a refusal too.
fn refusal(error: &RedisError) -> StoreError {
    match call_error(error) {
        StoreError::Store(words) if error.code().is_some() => StoreError::Denied(words),
        other => other,
    }
}

/// The value of `name` in an INFO text.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
}

/// Products and their versions, as INFO tells them: `valkey`, `8.1.1`.
fn versions(info: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = info.lines().filter_map(|line| line.trim_end().split_once(':'));
    let named = pairs.filter_map(|(name, value)| Some((name.strip_suffix("_version")?, value.trim())));
    named.filter(|(name, _)| *name != "gcc")
}

/// The version of what the server is, where it is not Redis; with its name, where that is not the store's.
fn own_version(info: &str, store: &str) -> Option<String> {
    let (name, version) = versions(info).find(|(name, _)| *name != "redis")?;
    Some(if name == store { version.to_string() } else { format!("{name} {version}") })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
