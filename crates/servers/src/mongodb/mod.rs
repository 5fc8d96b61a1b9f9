//! `mongodb`: a MongoDB server, one blocking connection a worker with a driver of its own; the variant tells where the
//! key of a row is kept.

mod connection;
mod document;
mod session;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kurabe_protocol::{Capabilities, Job, Layout, LoadPath, Operation, Phase, ReadScope};
use mongodb::IndexModel;
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::{Acknowledgment, ClientOptions, IndexOptions, WriteConcern};

use crate::common::absent::Absent;
use kurabe_client::adapter::{Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::versions::libraries;

pub use connection::MongodbConnection;
use document::{KeyPlace, Shape};
use session::Session;

/// The setting of the job that goes with every write.
const WRITE_CONCERN: &str = "write_concern";

/// Database where the address names none: that of MongoDB's own shell.
const DATABASE: &str = "test";

/// What the server must have done before it acknowledges a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concern {
    /// As the address says, else as the server does without being told.
    Unsaid,
    /// It was written in memory.
    Memory,
    /// It is in the journal, which was synced.
    Journal,
}

impl Concern {
    fn of(setting: Option<&str>) -> Result<Concern, StoreError> {
        match setting {
            None => Ok(Concern::Unsaid),
            Some("w1") => Ok(Concern::Memory),
            Some("journaled") => Ok(Concern::Journal),
            Some(other) => {
                Err(StoreError::store(format!("setting {WRITE_CONCERN} cannot be '{other}'; there are w1, journaled")))
            }
        }
    }

    fn of_driver(self) -> Option<WriteConcern> {
        let journal = match self {
            Concern::Unsaid => return None,
            Concern::Memory => false,
            Concern::Journal => true,
        };
        Some(WriteConcern::builder().w(Acknowledgment::Nodes(1)).journal(journal).build())
    }
}

/// A MongoDB server as one job uses it.
pub struct Mongodb {
    options: ClientOptions,
    shape: Arc<Shape>,
    rows: u64,
    /// Rows that were loaded, for the index that is built after the last.
    loaded: Arc<AtomicU64>,
    absent: Absent,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Mongodb {
    type Shape = BlockingLoop;

    const BRINGS_RUNTIME: bool = true;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Mongodb, StoreError> {
        let mut concern = Concern::Unsaid;
        for (name, value) in &job.settings {
            match name.as_str() {
                WRITE_CONCERN => concern = Concern::of(Some(value))?,
                other => {
                    return Err(StoreError::store(format!("mongodb has no setting '{other}'; it has {WRITE_CONCERN}")));
                }
            }
        }
        let mut options = session::options(job.url.as_deref())?;
        if let Some(concern) = concern.of_driver() {
            options.write_concern = Some(concern);
        }
        options.default_database.get_or_insert_with(|| DATABASE.into());
        let place = KeyPlace::of(job.candidate.variant.as_deref())?;
        Ok(Mongodb {
            options,
            shape: Arc::new(Shape::new(&job.namespace, &job.schema, layout, place)?),
            rows: job.rows,
            loaded: Arc::default(),
            absent: Absent::default(),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        if self.shape.is_searchable() {
            operations.push(Operation::Search);
        }
        Capabilities {
            operations,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            // A lone server has neither transactions nor snapshots of several reads.
            read_scopes: vec![ReadScope::Each],
            transactions: false,
            max_connections: 256,
            // The process that loads the last row must know that it does.
            processes: self.shape.place != KeyPlace::IndexedAfter,
            // https://www.mongodb.com/docs/manual/reference/limits/: a document has at most 16 MiB, names and key included.
            max_value_bytes: (16 << 20) - (16 << 10),
            // A load inserts: it is refused where the row is there.
            passes: false,
            ..Capabilities::of_columns()
        }
    }

    fn libraries(&self) -> Texts {
        libraries(&["mongodb", "bson"])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.session(self.call_limit)?.command(doc! { "ping": 1 }).map(|_| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let build = self.session(self.call_limit)?.command(doc! { "buildInfo": 1 })?;
        let mut texts = self.libraries();
        for (name, key) in [("version", "version"), ("commit", "gitVersion"), ("allocator", "allocator")] {
            texts.extend(build.get_str(key).ok().map(|text| (name.to_string(), text.to_string())));
        }
        Ok(texts)
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let session = self.session(self.call_limit)?;
        let ask = |what: &str, command: Document| {
            let answer = self.absent.unless_denied(what, session.admin(command));
            answer.map(Option::unwrap_or_default)
        };
        let status = ask("engine and cache", doc! { "serverStatus": 1 })?;
        let options = ask("options of the server", doc! { "getCmdLineOpts": 1 })?;
        let parameters = doc! { "getParameter": 1, "journalCommitInterval": 1, "syncdelay": 1 };
        let parameters = ask("intervals of journal and checkpoint", parameters)?;
        let mut texts = Texts::new();
        let mut tell = |name: &str, from: &Document, path: &[&str]| {
            texts.extend(lookup(from, path).map(|value| (name.to_string(), text(value))));
        };
        tell("storage_engine", &status, &["storageEngine", "name"]);
        tell("cache_bytes", &status, &["wiredTiger", "cache", "maximum bytes configured"]);
        tell("engine_config", &options, &["parsed", "storage", "wiredTiger", "engineConfig", "configString"]);
        tell("journal_commit_interval_ms", &parameters, &["journalCommitInterval"]);
        tell("checkpoint_every_s", &parameters, &["syncdelay"]);
        texts.insert(WRITE_CONCERN.into(), self.write_concern(&session)?);
        let index = self.absent.unless_denied("indexes", self.key_index(&session))?;
        texts.extend(index.map(|index| ("key_index".to_string(), index.to_string())));
        Ok(texts)
    }

    fn create(&self) -> Result<(), StoreError> {
        let session = self.session(self.call_limit)?;
        self.drop_collections(&session)?;
        self.loaded.store(0, Ordering::Relaxed);
        for name in [&self.shape.rows, &self.shape.counters] {
            session.wait(session.database.create_collection(name))?;
        }
        if self.shape.place == KeyPlace::IndexedBefore {
            build_key_index(&session, &self.shape)?;
        }
        for field in &self.shape.indexed {
            let index = IndexModel::builder().keys(doc! { field: 1 }).build();
            session.wait(session.collection(&self.shape.rows).create_index(index))?;
        }
        Ok(())
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.drop_collections(&self.session(self.call_limit)?)
    }

    fn count(&self) -> Result<u64, StoreError> {
        let session = self.session(self.call_limit)?;
        session.wait(session.collection(&self.shape.rows).count_documents(doc! {}))
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let session = self.session(self.call_limit)?;
        let pipeline = vec![doc! { "$group": { "_id": null, "sum": { "$sum": "$count" } } }];
        let answer = session.command(doc! { "aggregate": &self.shape.counters, "pipeline": pipeline, "cursor": {} })?;
        let first = lookup(&answer, &["cursor", "firstBatch"]).and_then(Bson::as_array).and_then(|batch| batch.first());
        // No counter at all is no group at all.
        let Some(sum) = first.and_then(Bson::as_document).and_then(|group| group.get("sum")) else { return Ok(0) };
        unsigned(sum)
    }

    /// The collection's file with those of its indexes after a checkpoint: before one, next to nothing of what was
    /// written is in them, so without the right to ask for one there is no size.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let session = self.session(self.call_limit)?;
        let checkpoint = session.admin(doc! { "fsync": 1 });
        self.absent.or_unsupported("size of the collection, which only a checkpoint makes known", checkpoint)?;
        let answer = session.command(doc! { "collStats": &self.shape.rows });
        let answer = self.absent.or_unsupported("size of the collection", answer)?;
        unsigned(answer.get("totalSize").unwrap_or(&Bson::Null))
    }

    fn absent(&self) -> Vec<String> {
        self.absent.take()
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        let answer = self.session(self.call_limit)?.command(doc! { "validate": &self.shape.rows, "full": true })?;
        let words = |key: &str| answer.get_array(key).map(|list| list.iter().map(text).collect::<Vec<_>>().join("; "));
        let detail = words("errors").unwrap_or_default();
        Ok((answer.get_bool("valid").unwrap_or(false), detail))
    }
}

impl Blocking for Mongodb {
    type Connection = MongodbConnection;

    fn connect(&self, phase: &Phase) -> Result<MongodbConnection, StoreError> {
        let after = self.shape.place == KeyPlace::IndexedAfter && phase.does(Operation::Load);
        let loading = after.then(|| connection::Loading { loaded: self.loaded.clone(), rows: self.rows });
        MongodbConnection::open(self.session(self.operation_limit)?, self.shape.clone(), loading, phase)
    }
}

impl Mongodb {
    /// A driver with a connection of its own, whose operations end after `limit`.
    fn session(&self, limit: Duration) -> Result<Session, StoreError> {
        Session::open(&self.options, limit)
    }

    fn drop_collections(&self, session: &Session) -> Result<(), StoreError> {
        // To drop what is not there is no error.
        [&self.shape.rows, &self.shape.counters]
            .into_iter()
            .try_for_each(|name| session.wait(session.collection(name).drop()))
    }

    /// What every write asks for; where nothing is said, what a server does then. No server keeps it: it travels with
    /// each write.
    fn write_concern(&self, session: &Session) -> Result<String, StoreError> {
        let Some(said) = session
            .collection(&self.shape.rows)
            .write_concern()
            .cloned()
            .filter(|said| *said != WriteConcern::default())
        else {
            let hello = session.command(doc! { "hello": 1 })?;
            // The implicit majority of one lone server syncs nothing (seen in its counter of log syncs).
            return Ok(if hello.contains_key("setName") { "of the replica set" } else { "w1" }.into());
        };
        let one = matches!(said.w, None | Some(Acknowledgment::Nodes(1)));
        Ok(match (one, said.journal) {
            (true, Some(true)) => "journaled".into(),
            (true, _) => "w1".into(),
            (false, _) => format!("{said:?}"),
        })
    }

    /// Whether the live collection has an index on the key beside that of `_id`.
    fn key_index(&self, session: &Session) -> Result<&'static str, StoreError> {
        let names = session.wait(session.collection(&self.shape.rows).list_index_names());
        match names {
            Ok(names) if names.iter().any(|name| name == KEY_INDEX) => Ok("unique"),
            Ok(_) => Ok("none"),
            // There is no collection before `create`.
            Err(StoreError::Store(_)) => Ok("none"),
            Err(error) => Err(error),
        }
    }
}

/// Name of the index on a key that has a field of its own.
const KEY_INDEX: &str = "kurabe_key";

fn build_key_index(session: &Session, shape: &Shape) -> Result<(), StoreError> {
    let options = IndexOptions::builder().unique(true).name(KEY_INDEX.to_string()).build();
    let index = IndexModel::builder().keys(doc! { shape.key_name(): 1 }).options(options).build();
    // It takes as long as it takes: one operation's limit is not meant for all rows at once.
    session.wait_without_limit(session.collection(&shape.rows).create_index(index)).map(|_| ())
}

fn lookup<'a>(document: &'a Document, path: &[&str]) -> Option<&'a Bson> {
    let (first, rest) = path.split_first()?;
    let value = document.get(*first)?;
    if rest.is_empty() { Some(value) } else { lookup(value.as_document()?, rest) }
}

fn text(value: &Bson) -> String {
    match value {
        Bson::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number of the server, which comes in the smallest type that holds it.
fn unsigned(value: &Bson) -> Result<u64, StoreError> {
    let number = match value {
        Bson::Int32(number) => i64::from(*number),
        Bson::Int64(number) => *number,
        Bson::Double(number) => *number as i64,
        other => return Err(StoreError::store(format!("the server gave '{other}' where a number was expected"))),
    };
    u64::try_from(number).map_err(StoreError::store)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
