//! A row as a map of its columns, or as a message, written and read by the usual library of each encoding.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Encoding, FieldType, Layout, Schema};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::protobuf::RowMessage;
use crate::adapter::{RowBuffer, StoreError};

/// Writes and reads the rows of one schema in one encoding. The key stands beside the value, not in it.
pub(super) struct Codec {
    encoding: Encoding,
    columns: Vec<(String, FieldType)>,
    layout: Arc<Layout>,
    /// What a row is in Protocol Buffers. The outer one is absent for other encodings; the inner one is an error for a
    /// schema that makes no message.
    message: Option<Result<RowMessage, StoreError>>,
}

impl Codec {
    pub(super) fn new(encoding: Encoding, schema: &Schema, layout: &Arc<Layout>) -> Codec {
        let columns: Vec<(String, FieldType)> =
            schema.values().iter().map(|field| (field.name.clone(), field.field_type)).collect();
        let message = (encoding == Encoding::Protobuf).then(|| RowMessage::new(&columns));
        Codec { encoding, columns, layout: layout.clone(), message }
    }

    /// Bytes that an encoded value may have at most. Generated texts need no escapes; those of a data file may be all
    /// escapes.
    pub(super) fn longest_bytes(&self, schema: &Schema) -> usize {
        /// Quotes, colons, line ends and the heads of MessagePack.
        const AROUND: usize = 32;
        /// `\u0000` for a byte.
        const ESCAPE: usize = 6;
        let each = |at: usize| schema.values()[at].len_bytes.unwrap_or(8) as usize;
        let content = |at: usize, field_type: FieldType| match field_type {
            FieldType::Int64 => 20,
            FieldType::Bytes => each(at) / 3 * 4 + 4,
            FieldType::Text if self.layout.keys().own().is_some() => each(at) * ESCAPE,
            FieldType::Text => each(at),
        };
        let columns = self.columns.iter().enumerate();
        columns.map(|(at, (name, field_type))| name.len() + AROUND + content(at, *field_type)).sum()
    }

    /// Appends the encoded form of a raw value.
    pub(super) fn encode(&self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), StoreError> {
        let row = Columns { codec: self, raw };
        match self.encoding {
            Encoding::Raw => out.extend_from_slice(raw),
            Encoding::Json => serde_json::to_writer(out, &row).map_err(StoreError::store)?,
            Encoding::Yaml => yaml_serde::to_writer(out, &row).map_err(StoreError::store)?,
            Encoding::Messagepack => {
                row.serialize(&mut rmp_serde::Serializer::new(out)).map_err(StoreError::store)?;
            }
            Encoding::Protobuf => match &self.message {
                Some(Ok(message)) => message.encode(&self.layout, raw, out)?,
                Some(Err(error)) => return Err(StoreError::store(error)),
                None => return Err(StoreError::store("no message")),
            },
        }
        Ok(())
    }

    /// Reads an encoded value back into the raw encoding. One that is no row of this schema is given as it is, which is
    /// no right answer to anything, so that the check counts it.
    pub(super) fn decode(&self, kept: &[u8], out: &mut RowBuffer) {
        out.clear();
        let is_row = match self.encoding {
            Encoding::Raw => false,
            Encoding::Json => {
                let mut reader = serde_json::Deserializer::from_slice(kept);
                self.read(&mut reader, out) && reader.end().is_ok()
            }
            Encoding::Yaml => self.read(yaml_serde::Deserializer::from_slice(kept), out),
            Encoding::Messagepack => {
                let mut rest = kept;
                self.read(&mut rmp_serde::Deserializer::new(&mut rest), out) && rest.is_empty()
            }
            Encoding::Protobuf => matches!(&self.message, Some(Ok(message)) if message.decode(kept, out)),
        };
        if !is_row {
            out.set_raw(kept);
        }
    }

    fn read<'de>(&self, reader: impl Deserializer<'de>, out: &mut RowBuffer) -> bool {
        RowSeed { codec: self, out }.deserialize(reader).is_ok()
    }

    /// How bytes stand in it: where they have no form of their own, as programs keep them there.
    fn form(&self) -> ByteForm {
        if self.encoding == Encoding::Messagepack { ByteForm::Bytes } else { ByteForm::Base64 }
    }
}

/// The columns of a raw value on their way out.
struct Columns<'a> {
    codec: &'a Codec,
    raw: &'a [u8],
}

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = &self.codec.columns;
        let mut map = serializer.serialize_map(Some(columns.len()))?;
        write_columns(&mut map, columns, &self.codec.layout, self.raw, self.codec.form())?;
        map.end()
    }
}

/// How bytes stand in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteForm {
    /// In a form of their own.
    Bytes,
    /// As texts in base64.
    Base64,
}

/// Adds the columns of a raw value to a map.
pub(crate) fn write_columns<M: SerializeMap>(
    map: &mut M,
    columns: &[(String, FieldType)],
    layout: &Layout,
    raw: &[u8],
    bytes_as: ByteForm,
) -> Result<(), M::Error> {
    for ((name, field_type), value) in columns.iter().zip(layout.fields(raw)) {
        match value {
            FieldValue::Int(number) => map.serialize_entry(name, &number)?,
            FieldValue::Text(text) => map.serialize_entry(name, text)?,
            // A text that is none cannot be written as one.
            FieldValue::Bytes(_) if *field_type == FieldType::Text => {
                return Err(M::Error::custom(format!("column '{name}' is no UTF-8")));
            }
            FieldValue::Bytes(bytes) if bytes_as == ByteForm::Bytes => map.serialize_entry(name, &Blob(bytes))?,
            FieldValue::Bytes(bytes) => map.serialize_entry(name, &STANDARD.encode(bytes))?,
        }
    }
    Ok(())
}

/// Bytes where the encoding has them.
struct Blob<'a>(&'a [u8]);

impl Serialize for Blob<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// A row on its way in: its columns by the types of the schema, in their order, and nothing else.
struct RowSeed<'a> {
    codec: &'a Codec,
    out: &'a mut RowBuffer,
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a map of columns")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        read_columns(&mut map, &self.codec.columns, self.codec.form(), self.out)
    }
}

/// Takes the columns of a raw value from a map: those that are named, in their order, and nothing behind them.
pub(crate) fn read_columns<'de, M: MapAccess<'de>>(
    map: &mut M,
    columns: &[(String, FieldType)],
    bytes_as: ByteForm,
    out: &mut RowBuffer,
) -> Result<(), M::Error> {
    for (name, field_type) in columns {
        if map.next_key_seed(Name(name))? != Some(true) {
            return Err(M::Error::custom("a column is missing or stands in another place"));
        }
        map.next_value_seed(Column { bytes_as, field_type: *field_type, out })?;
    }
    match map.next_key::<IgnoredAny>()? {
        None => Ok(()),
        Some(_) => Err(M::Error::custom("there is a column too many")),
    }
}

/// The name of a column: whether it is the one that is expected.
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the column '{}'", self.0)
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

/// The value of a column.
struct Column<'a> {
    bytes_as: ByteForm,
    field_type: FieldType,
    out: &'a mut RowBuffer,
}

impl<'de> DeserializeSeed<'de> for Column<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.field_type {
            FieldType::Int64 => {
                self.out.push_int(i64::deserialize(reader)?);
                Ok(())
            }
            FieldType::Bytes if self.bytes_as == ByteForm::Bytes => reader.deserialize_bytes(self),
            FieldType::Text | FieldType::Bytes => reader.deserialize_str(self),
        }
    }
}

impl<'de> Visitor<'de> for Column<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a value of type {}", self.field_type)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        if self.field_type == FieldType::Text {
            self.out.push_bytes(text.as_bytes());
        } else {
            self.out.push_bytes(&STANDARD.decode(text).map_err(E::custom)?);
        }
        Ok(())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<(), E> {
        self.out.push_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
