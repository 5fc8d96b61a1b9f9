//! Rows of which a service gives the text alone, as the program of an article did: no key stands beside it, since the store
//! numbers the rows.
//!
//! A text is made from its row, so it tells the row: one of 25 bytes or more by its digits, a shorter one by a table of
//! all rows of the job. So such an answer is checked like any other. Answers with keys were the alternative. They are half
//! as long again, and length is what such a program is measured by.

use std::collections::HashMap;
use std::sync::Arc;

use kurabe_protocol::value::HEAD_BYTES;
use kurabe_protocol::{FieldType, Job, Layout, Pool, ReturnedKey};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::adapter::{RowSink, StoreError};

/// Rows and inserts at most: the order of their arrival takes 16 bytes for each.
const MOST_ROWS: u64 = 1 << 28;
/// Shorter texts are not told apart.
const LEAST_BYTES: usize = 8;
/// Rows whose short texts can all be different: they start at so many places of the pool.
const MOST_SHORT_ROWS: u64 = 1_048_573;
/// Digits of the row at the start of a long text.
const ROW_DIGITS: usize = 10;

/// Knows the rows of a job by their texts.
#[derive(Clone)]
pub struct TextRows {
    column: String,
    len_bytes: usize,
    /// Rows by the first bytes of their texts; empty where a text has its row's digits.
    rows: Arc<HashMap<[u8; LEAST_BYTES], u32>>,
    layout: Arc<Layout>,
    pool: Arc<Pool>,
}

impl TextRows {
    /// The rows of a job that never changes one: each has its first version.
    ///
    /// # Errors
    /// In words, where a text does not tell its row.
    pub fn new(job: &Job, layout: &Arc<Layout>, pool: &Arc<Pool>) -> Result<TextRows, StoreError> {
        let field = job.schema.values().last();
        let field = field.filter(|field| field.field_type == FieldType::Text && !field.constant && job.data.is_none());
        let len_bytes = field.and_then(|field| field.len_bytes).unwrap_or(0) as usize;
        let Some(field) = field.filter(|_| len_bytes >= LEAST_BYTES) else {
            let needed = "a generated text as the last column, not constant, with 8 bytes or more";
            return Err(StoreError::store(format!("answers of texts alone need {needed}")));
        };
        if job.phases.iter().any(|phase| phase.load().is_some() && phase.connections > 1) {
            return Err(StoreError::store("rows without keys are loaded by one connection: the store numbers them"));
        }
        let end = job.inserts_end().unwrap_or(0).max(job.rows);
        let (most, longer) = match len_bytes < HEAD_BYTES {
            true => (MOST_SHORT_ROWS, ", or use texts of 25 bytes"),
            false => (MOST_ROWS, ""),
        };
        if end > most {
            let cure = "end phases that insert by 'count', their warm-up by 'warmup_count'";
            return Err(StoreError::store(format!(
                "{end} rows and inserts are more than {most}, which texts of {len_bytes} bytes tell apart; {cure}{longer}"
            )));
        }
        let mut texts = TextRows {
            column: field.name.clone(),
            len_bytes,
            rows: Arc::default(),
            layout: layout.clone(),
            pool: pool.clone(),
        };
        if len_bytes < HEAD_BYTES {
            texts.rows = Arc::new(texts.table(end)?);
        }
        Ok(texts)
    }

    /// All rows below `end` by their texts.
    fn table(&self, end: u64) -> Result<HashMap<[u8; LEAST_BYTES], u32>, StoreError> {
        let (mut rows, mut raw) = (HashMap::with_capacity(end as usize), vec![0; self.layout.len_bytes()]);
        for row in 0..end as u32 {
            self.layout.write(&self.pool, row, 0, &mut raw);
            let Some(start) = self.text(&raw).first_chunk() else { continue };
            if let Some(other) = rows.insert(*start, row) {
                return Err(StoreError::store(format!("rows {other} and {row} have the same text; use another seed")));
            }
        }
        Ok(rows)
    }

    /// The text of a whole row: its last column.
    fn text<'a>(&self, raw: &'a [u8]) -> &'a [u8] {
        &raw[raw.len() - self.len_bytes..]
    }

    /// The row that has this text, which is made in `raw`.
    fn row(&self, text: &[u8], raw: &mut [u8]) -> Option<u32> {
        let row = match self.len_bytes < HEAD_BYTES {
            true => *self.rows.get(text.first_chunk()?)?,
            false => std::str::from_utf8(text.get(..ROW_DIGITS)?).ok()?.parse().ok()?,
        };
        self.layout.write(&self.pool, row, 0, raw);
        (self.text(raw) == text).then_some(row)
    }

    /// Gives `sink` the row of a text; what is no text of any row goes to it as one that nobody wrote.
    fn give(&self, text: &[u8], raw: &mut [u8], sink: &mut RowSink<'_>) {
        match self.row(text, raw) {
            Some(row) => sink.raw(ReturnedKey::Row(row), raw),
            None => sink.raw(ReturnedKey::Row(u32::MAX), text),
        }
    }

    /// Reads an answer into `sink`: an array of objects that have the text alone, in their order; or lines of text. Lines
    /// stand in the order in which they came to a file, and a file may be sent whole: the last `most` of them are
    /// taken, the last first, and all others must be texts of rows too.
    ///
    /// # Errors
    /// In words, where it is neither.
    pub fn read_all(&self, answer: &[u8], most: Option<u32>, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let mut raw = vec![0; self.layout.len_bytes()];
        if answer.first() == Some(&b'[') {
            let mut reader = serde_json::Deserializer::from_slice(answer);
            let read = (&mut reader).deserialize_seq(Texts { rows: self, raw, sink }).and_then(|()| reader.end());
            return read.map_err(|error| StoreError::store(format!("the answer is no array of texts: {error}")));
        }
        let lines = answer.strip_suffix(b"\n").unwrap_or(answer).rsplit(|byte| *byte == b'\n');
        let most = most.map_or(usize::MAX, |most| most as usize);
        for (at, line) in lines.filter(|_| !answer.is_empty()).enumerate() {
            if at < most || self.row(line, &mut raw).is_none() {
                self.give(line, &mut raw, sink);
            }
        }
        Ok(())
    }
}

/// An array of objects with a text, on its way into a sink.
struct Texts<'a, 'b> {
    rows: &'a TextRows,
    /// Room for a row.
    raw: Vec<u8>,
    sink: &'a mut RowSink<'b>,
}

impl<'de> Visitor<'de> for Texts<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of objects with a text")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<(), A::Error> {
        let Texts { rows, mut raw, sink } = self;
        while all.next_element_seed(OneText { rows, raw: &mut raw, sink: &mut *sink })?.is_some() {}
        Ok(())
    }
}

/// An object with a text, and that text.
struct OneText<'a, 'b> {
    rows: &'a TextRows,
    raw: &'a mut [u8],
    sink: &'a mut RowSink<'b>,
}

impl<'de> DeserializeSeed<'de> for OneText<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneText<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object with one text")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let OneText { rows, raw, sink } = self;
        if map.next_key::<String>()?.as_ref() != Some(&rows.column) {
            return Err(M::Error::custom(format!("'{}' does not stand first", rows.column)));
        }
        let text: String = map.next_value()?;
        rows.give(text.as_bytes(), raw, sink);
        match map.next_key::<String>()? {
            Some(more) => Err(M::Error::custom(format!("'{more}' stands beside the text"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "text_rows_tests.rs"]
mod tests;
