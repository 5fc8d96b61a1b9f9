//! What the documents of a job look like.

use kurabe_protocol::schema::{FieldType, Schema};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{KeyMap, Layout, ReturnedKey};
use mongodb::bson::raw::{CString, RawBinaryRef, RawBsonRef, RawIter};
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use kurabe_client::adapter::{Key, Row, RowBuffer, StoreError};

/// Where the key of a row is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPlace {
    /// In `_id`, which every collection has a unique index on.
    Id,
    /// In a field of its own, with a unique index that is there before the load; `_id` is made by the driver.
    IndexedBefore,
    /// As above, with an index that is built when the last row was loaded.
    IndexedAfter,
}

impl KeyPlace {
    const ALL: [(&str, KeyPlace); 3] =
        [("id", KeyPlace::Id), ("indexed-before", KeyPlace::IndexedBefore), ("indexed-after", KeyPlace::IndexedAfter)];

    pub(super) fn of(variant: Option<&str>) -> Result<KeyPlace, StoreError> {
        let Some(name) = variant else { return Ok(KeyPlace::Id) };
        KeyPlace::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, place)| place).ok_or_else(|| {
            let known = KeyPlace::ALL.map(|(known, _)| known).join(", ");
            StoreError::store(format!("no variant '{name}'; there are {known}"))
        })
    }
}

/// The collections of a job and the shape of the documents in them: the key, then the fields in order.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Collection of the rows.
    pub(super) rows: String,
    /// Collection of the counters: number and count.
    pub(super) counters: String,
    /// Where keys are.
    pub(super) place: KeyPlace,
    /// Fields with an index of their own.
    pub(super) indexed: Vec<String>,
    key: CString,
    fields: Vec<(CString, FieldType)>,
    keys: KeyMap,
}

impl Shape {
    pub(super) fn new(namespace: &str, schema: &Schema, layout: &Layout, place: KeyPlace) -> Result<Shape, StoreError> {
        let name = |name: &str| CString::try_from(name).map_err(StoreError::store);
        let field = |field: &kurabe_protocol::Field| Ok((name(&field.name)?, field.field_type));
        Ok(Shape {
            rows: namespace.to_string(),
            counters: format!("{namespace}_counters"),
            place,
            indexed: schema.values().iter().filter(|field| field.indexed).map(|field| field.name.clone()).collect(),
            key: name(if place == KeyPlace::Id { "_id" } else { &schema.key().name })?,
            fields: schema.values().iter().map(field).collect::<Result<_, StoreError>>()?,
            keys: *layout.keys(),
        })
    }

    /// Name of the field that holds the key.
    pub(super) fn key_name(&self) -> &str {
        self.key.as_str()
    }

    /// Whether there is a field that can be searched.
    pub(super) fn is_searchable(&self) -> bool {
        self.fields.iter().any(|(_, field_type)| *field_type == FieldType::Int64)
    }

    /// Name of field number `field`; the key is field 0.
    pub(super) fn field_name(&self, field: usize) -> Option<&str> {
        self.fields.get(field.checked_sub(1)?).map(|(name, _)| name.as_str())
    }

    /// The value of a key.
    #[inline]
    pub(super) fn key_value(key: &Key) -> Bson {
        if key.is_text() { Bson::String(key.text().to_string()) } else { Bson::Int64(key.int()) }
    }

    /// The filter for one key.
    #[inline]
    pub(super) fn filter(&self, key: &Key) -> Document {
        doc! { self.key_name(): Shape::key_value(key) }
    }

    /// The document of a row. Where the key has a field of its own, the driver adds the `_id`.
    #[inline]
    pub(super) fn document(&self, row: &Row<'_>) -> RawDocumentBuf {
        let mut document = RawDocumentBuf::new();
        if row.key.is_text() {
            document.append(&self.key, row.key.text());
        } else {
            document.append(&self.key, row.key.int());
        }
        for ((name, _), value) in self.fields.iter().zip(row.layout.fields(row.raw)) {
            match value {
                FieldValue::Int(number) => document.append(name, number),
                FieldValue::Text(text) => document.append(name, text),
                FieldValue::Bytes(bytes) => {
                    document.append(name, RawBinaryRef { subtype: BinarySubtype::Generic, bytes });
                }
            }
        }
        document
    }

    /// The key of a document, and its fields for [`Shape::copy`].
    #[inline]
    pub(super) fn returned_key<'a>(
        &self,
        document: &'a RawDocument,
    ) -> Result<(ReturnedKey<'a>, Fields<'a>), StoreError> {
        let mut fields = Fields(document.iter_elements());
        if self.place != KeyPlace::Id {
            fields.next("_id")?;
        }
        let key = match fields.next(self.key_name())? {
            RawBsonRef::Int64(number) if !self.keys.is_text() => self.keys.seen_int(number),
            RawBsonRef::String(text) if self.keys.is_text() => self.keys.seen_text(text.as_bytes()),
            other => return Err(odd(self.key_name(), other)),
        };
        Ok((key, fields))
    }

    /// Copies the fields after the key.
    #[inline]
    pub(super) fn copy(&self, mut fields: Fields<'_>, out: &mut RowBuffer) -> Result<(), StoreError> {
        for (name, field_type) in &self.fields {
            match (field_type, fields.next(name.as_str())?) {
                (FieldType::Int64, RawBsonRef::Int64(number)) => out.push_int(number),
                (FieldType::Text, RawBsonRef::String(text)) => out.push_bytes(text.as_bytes()),
                (FieldType::Bytes, RawBsonRef::Binary(binary)) => out.push_bytes(binary.bytes),
                (_, other) => return Err(odd(name.as_str(), other)),
            }
        }
        Ok(())
    }
}

/// The fields of a document that were not looked at yet.
pub(super) struct Fields<'a>(RawIter<'a>);

impl<'a> Fields<'a> {
    /// The value of the next field, which must be `name`: documents come back in the order in which they were written.
    #[inline]
    fn next(&mut self, name: &str) -> Result<RawBsonRef<'a>, StoreError> {
        let element = self.0.next().transpose().map_err(StoreError::store)?;
        match element {
            Some(element) if element.key() == name => element.value().map_err(StoreError::store),
            _ => Err(StoreError::store(format!("the server gave a document without '{name}' in its place"))),
        }
    }
}

#[cold]
fn odd(name: &str, value: RawBsonRef<'_>) -> StoreError {
    StoreError::store(format!("the server gave a value of type {:?} in field '{name}'", value.element_type()))
}
