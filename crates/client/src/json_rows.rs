//! Rows as JSON objects, the key first: what a service and those who ask it send to each other.

use std::sync::Arc;

use kurabe_protocol::{FieldType, Layout, ReturnedKey, Schema};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::adapter::{Key, RowBuffer, RowSink, StoreError};
use crate::encoding::codec::{ByteForm, Name, read_columns, write_columns};

/// Writes and reads the rows of one schema.
#[derive(Clone)]
pub struct JsonRows {
    key: String,
    /// Whether keys are written.
    is_keyed: bool,
    columns: Vec<(String, FieldType)>,
    layout: Arc<Layout>,
}

impl JsonRows {
    /// The rows of `schema`, whose layout is `layout`.
    pub fn new(schema: &Schema, layout: &Arc<Layout>) -> JsonRows {
        let columns = schema.values().iter().map(|field| (field.name.clone(), field.field_type)).collect();
        JsonRows { key: schema.key().name.clone(), is_keyed: true, columns, layout: layout.clone() }
    }

    /// The same rows, written without keys: the store numbers them.
    pub fn without_keys(self) -> JsonRows {
        JsonRows { is_keyed: false, ..self }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// Where a text is no UTF-8.
    pub fn write(&self, row: u32, raw: &[u8], out: &mut Vec<u8>) -> Result<(), StoreError> {
        serde_json::to_writer(out, &JsonRow { rows: self, row, raw }).map_err(StoreError::store)
    }

    /// Reads one row into `out` and returns its number; nothing where it is no row of the schema.
    pub fn read(&self, json: &[u8], out: &mut RowBuffer) -> Option<u32> {
        out.clear();
        let mut reader = serde_json::Deserializer::from_slice(json);
        let row = OneRow { rows: self, out }.deserialize(&mut reader).ok()?;
        reader.end().is_ok().then_some(row)
    }

    /// Reads an array of rows into `sink`.
    ///
    /// # Errors
    /// In words, where it is no such array.
    pub fn read_all(&self, json: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let rows = AllRows { rows: self, sink, row: RowBuffer::new(&self.layout) };
        let read = (&mut reader).deserialize_seq(rows).and_then(|()| reader.end());
        read.map_err(|error| StoreError::store(format!("the answer is no array of rows: {error}")))
    }
}

struct JsonRow<'a> {
    rows: &'a JsonRows,
    row: u32,
    raw: &'a [u8],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonRows { key: name, is_keyed, columns, layout } = self.rows;
        let key = Key::new(self.row, layout);
        let mut map = serializer.serialize_map(Some(usize::from(*is_keyed) + columns.len()))?;
        match (is_keyed, key.is_text()) {
            (false, _) => {}
            (true, true) => map.serialize_entry(name, key.text())?,
            (true, false) => map.serialize_entry(name, &key.int())?,
        }
        write_columns(&mut map, columns, layout, self.raw, ByteForm::Base64)?;
        map.end()
    }
}

/// A row on its way in; it gives its number.
struct OneRow<'a> {
    rows: &'a JsonRows,
    out: &'a mut RowBuffer,
}

impl<'de> DeserializeSeed<'de> for OneRow<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<u32, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneRow<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a row as an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<u32, M::Error> {
        let JsonRows { key, columns, layout, .. } = self.rows;
        if map.next_key_seed(Name(key))? != Some(true) {
            return Err(M::Error::custom("the key does not stand first"));
        }
        let row = map.next_value_seed(KeySeed(layout))?;
        read_columns(&mut map, columns, ByteForm::Base64, self.out)?;
        Ok(row)
    }
}

/// The key of a row on its way in.
struct KeySeed<'a>(&'a Layout);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<u32, D::Error> {
        if self.0.text_key() { reader.deserialize_str(self) } else { i64::deserialize(reader).map(|key| self.int(key)) }
    }
}

impl KeySeed<'_> {
    fn int(&self, key: i64) -> u32 {
        self.row(self.0.keys().seen_int(key))
    }

    fn row(&self, seen: ReturnedKey<'_>) -> u32 {
        self.0.keys().row(seen)
    }
}

impl<'de> Visitor<'de> for KeySeed<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a key as a text")
    }

    fn visit_str<E>(self, key: &str) -> Result<u32, E> {
        Ok(self.row(self.0.keys().seen_text(key.as_bytes())))
    }
}

/// An array of rows on its way into a sink.
struct AllRows<'a, 'b> {
    rows: &'a JsonRows,
    sink: &'a mut RowSink<'b>,
    row: RowBuffer,
}

impl<'de> Visitor<'de> for AllRows<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<(), A::Error> {
        loop {
            self.row.clear();
            let Some(row) = rows.next_element_seed(OneRow { rows: self.rows, out: &mut self.row })? else {
                return Ok(());
            };
            self.sink.raw(ReturnedKey::Row(row), self.row.raw());
        }
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Field, Pool, value::pool_bytes};
    use proptest::prelude::*;

    use super::*;

    fn schema(text_key: bool) -> Schema {
        let key = if text_key { FieldType::Text } else { FieldType::Int64 };
        Schema {
            fields: vec![
                Field::new("id", key, None),
                Field::new("category", FieldType::Text, Some(30)),
                Field::new("count", FieldType::Int64, None),
                Field::new("blob", FieldType::Bytes, Some(30)),
            ],
        }
    }

    fn rows(text_key: bool) -> (JsonRows, Arc<Layout>) {
        let schema = schema(text_key);
        let layout = Arc::new(Layout::new(&schema));
        (JsonRows::new(&schema, &layout), layout)
    }

    #[test]
    fn a_row_comes_back_as_it_went() {
        for text_key in [false, true] {
            let (rows, layout) = rows(text_key);
            let pool = Pool::new(&pool_bytes(7, 0.0), &layout).unwrap();
            let mut raw = vec![0; layout.len_bytes()];
            layout.write(&pool, 42, 3, &mut raw);
            let mut json = Vec::new();
            rows.write(42, &raw, &mut json).unwrap();
            let mut back = RowBuffer::new(&layout);
            assert_eq!(
                (rows.read(&json, &mut back), back.raw()),
                (Some(42), &raw[..]),
                "{}",
                String::from_utf8_lossy(&json)
            );
            let all = [b"[".as_slice(), &json, b",", &json, b"]"].concat();
            let mut seen = Vec::new();
            let mut check = |row: u32, value: &[u8]| seen.push((row, value == raw));
            let mut sink = RowSink::new(&layout, &mut check);
            rows.read_all(&all, &mut sink).unwrap();
            sink.finish();
            drop(sink);
            assert_eq!(seen, [(42, true), (42, true)]);
        }
    }

    #[test]
    fn texts_of_any_length_and_script_come_back() {
        let (rows, layout) = rows(false);
        let mut raw = RowBuffer::new(&layout);
        raw.push_bytes("掲示板 <script>\"\\\u{0}".as_bytes());
        raw.push_int(-1);
        raw.push_bytes(&[0, 255]);
        let mut json = Vec::new();
        rows.write(7, raw.raw(), &mut json).unwrap();
        let mut back = RowBuffer::new(&layout);
        assert_eq!((rows.read(&json, &mut back), back.raw()), (Some(7), raw.raw()));
    }

    #[test]
    fn what_is_no_row_is_none() {
        let (rows, layout) = rows(false);
        let mut out = RowBuffer::new(&layout);
        for json in [
            "",
            "{}",
            "[]",
            "{\"id\":1}",
            "{\"category\":\"a\",\"id\":1,\"count\":1,\"blob\":\"\"}",
            "{\"id\":\"1\",\"category\":\"a\",\"count\":1,\"blob\":\"\"}",
            "{\"id\":1,\"category\":\"a\",\"count\":1,\"blob\":\"\"} x",
            "{\"id\":1,\"category\":\"a\",\"count\":1,\"blob\":\"\",\"more\":1}",
            "{\"id\":1,\"category\":\"a\",\"count\":1,\"blob\":\"?\"}",
        ] {
            assert_eq!(rows.read(json.as_bytes(), &mut out), None, "{json}");
        }
        assert_eq!(rows.read(b"{\"id\":1,\"category\":\"a\",\"count\":1,\"blob\":\"\"}", &mut out), Some(1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (rows, layout) = rows(false);
            rows.read(&bytes, &mut RowBuffer::new(&layout));
            let mut check = |_: u32, _: &[u8]| {};
            let _ = rows.read_all(&bytes, &mut RowSink::new(&layout, &mut check));
        }
    }
}
