//! One worker's connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kurabe_protocol::{Operation, Phase};
use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};
use mongodb::{Collection, Cursor};

use super::build_key_index;
use super::document::Shape;
use super::session::{Session, is_duplicate, store_error};
use crate::common::connection_loss::ConnectionLoss;
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};

/// How many rows there are before the index is built, of all connections together.
pub(super) struct Loading {
    pub(super) loaded: Arc<AtomicU64>,
    pub(super) rows: u64,
}

/// A connection of one worker.
pub struct MongodbConnection {
    session: Session,
    rows: Collection<RawDocumentBuf>,
    counters: Collection<RawDocumentBuf>,
    shape: Arc<Shape>,
    /// Where the index comes after the load.
    loading: Option<Loading>,
    /// The driver would make another connection by itself. An operation that timed out took its connection along too,
    /// but the driver closed that one and the next is as good.
    lost: ConnectionLoss,
}

impl MongodbConnection {
    pub(super) fn open(
        session: Session,
        shape: Arc<Shape>,
        loading: Option<Loading>,
        phase: &Phase,
    ) -> Result<MongodbConnection, StoreError> {
        if phase.operation() != Operation::Open {
            // The driver connects with its first operation.
            session.command(doc! { "ping": 1 })?;
        }
        let (rows, counters) = (session.collection(&shape.rows), session.collection(&shape.counters));
        Ok(MongodbConnection { session, rows, counters, shape, loading, lost: ConnectionLoss::default() })
    }

    /// Counts rows that were loaded; with the last one the index is built.
    fn count_loaded(&mut self, rows: u64) -> Result<(), StoreError> {
        let Some(loading) = &self.loading else { return Ok(()) };
        if loading.loaded.fetch_add(rows, Ordering::Relaxed) + rows != loading.rows {
            return Ok(());
        }
        let built = build_key_index(&self.session, &self.shape);
        self.lost.note(built)
    }

    /// Gives every document of a cursor to `take`.
    fn each(
        &mut self,
        open: impl AsyncFnOnce(&Collection<RawDocumentBuf>) -> mongodb::error::Result<Cursor<RawDocumentBuf>>,
        mut take: impl FnMut(&Shape, &mongodb::bson::RawDocument) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.lost.check()?;
        let (rows, shape) = (&self.rows, &*self.shape);
        let outcome = self.session.work(async move {
            let mut cursor = open(rows).await.map_err(|error| store_error(&error))?;
            while cursor.advance().await.map_err(|error| store_error(&error))? {
                take(shape, cursor.current())?;
            }
            Ok(())
        });
        self.lost.note(outcome)
    }

    fn give(shape: &Shape, document: &mongodb::bson::RawDocument, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let (key, fields) = shape.returned_key(document)?;
        sink.fields(key, |out| shape.copy(fields, out))
    }
}

impl Connection for MongodbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.lost.check()?;
        let document = self.shape.document(row);
        let outcome = self.session.wait(self.rows.insert_one(document)).map(|_| ());
        let outcome = self.lost.note(outcome);
        self.count_loaded(1)?;
        outcome
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.lost.check()?;
        let document = self.shape.document(row);
        let rows = &self.rows;
        let outcome = self.session.work(async move {
            match rows.insert_one(document).await {
                Ok(_) => Ok(WriteOutcome::Done),
                Err(error) if is_duplicate(&error) => Ok(WriteOutcome::Exists),
                Err(error) => Err(store_error(&error)),
            }
        });
        self.lost.note(outcome)
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.lost.check()?;
        let outcome = self.session.wait(self.rows.find_one(self.shape.filter(key)));
        let Some(document) = self.lost.note(outcome)? else { return Ok(false) };
        let (_, fields) = self.shape.returned_key(&document)?;
        out.clear();
        self.shape.copy(fields, out)?;
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.lost.check()?;
        let document = self.shape.document(row);
        let outcome = self.session.wait(self.rows.replace_one(self.shape.filter(&row.key), document));
        let matched = self.lost.note(outcome)?.matched_count;
        Ok(if matched == 0 { WriteOutcome::Missing } else { WriteOutcome::Done })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.lost.check()?;
        let outcome = self.session.wait(self.rows.delete_one(self.shape.filter(key)));
        let deleted = self.lost.note(outcome)?.deleted_count;
        Ok(if deleted == 0 { WriteOutcome::Missing } else { WriteOutcome::Done })
    }

    /// Every write carries its own write concern: there is nothing left to do.
    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.each(
            async |rows| rows.find(doc! {}).await,
            |shape, document| MongodbConnection::give(shape, document, sink),
        )
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let order = doc! { self.shape.key_name(): -1 };
        self.each(
            async |collection| collection.find(doc! {}).sort(order).limit(i64::from(rows)).await,
            |shape, document| MongodbConnection::give(shape, document, sink),
        )
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let keys: Vec<Bson> = answers.keys().iter().map(Shape::key_value).collect();
        let filter: Document = doc! { self.shape.key_name(): { "$in": keys } };
        self.each(
            async |rows| rows.find(filter).await,
            |shape, document| {
                let (key, fields) = shape.returned_key(document)?;
                let out = answers
                    .found_key(key)
                    .ok_or_else(|| StoreError::store("the server gave a row that nobody asked for"))?;
                shape.copy(fields, out)
            },
        )
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.lost.check()?;
        let filter = doc! { "_id": key.int() };
        let outcome =
            self.session.wait(self.counters.update_one(filter, doc! { "$inc": { "count": 1_i64 } }).upsert(true));
        self.lost.note(outcome).map(|_| ())
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let name = self.shape.field_name(range.field).ok_or(StoreError::Unsupported)?;
        let filter = doc! { name: { "$gte": range.low, "$lte": range.high } };
        self.each(
            async |rows| rows.find(filter).await,
            |shape, document| MongodbConnection::give(shape, document, sink),
        )
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        self.lost.check()?;
        let documents: Vec<RawDocumentBuf> = rows.iter().map(|row| self.shape.document(row)).collect();
        let outcome = self.session.wait(self.rows.insert_many(documents)).map(|_| ());
        let outcome = self.lost.note(outcome);
        self.count_loaded(rows.len() as u64)?;
        outcome
    }
}
