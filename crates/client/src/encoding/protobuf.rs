//! A row as a message of Protocol Buffers, by the library prost-reflect.
//!
//! The columns are known when a job begins, not when Kurabe is built: so the message is described at run time, and
//! nothing is generated. Programs with generated code save the look-up of fields, which is a part of what this costs.
//!
//! Its fields are `required`, as the language had them when the studied articles were written: a value that lacks a
//! column is no row, and not one with a default in its place.

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, Layout};
use prost_reflect::prost::Message;
use prost_reflect::prost::bytes::Bytes;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, MessageDescriptor, Value};

use crate::adapter::{RowBuffer, StoreError};

/// Name of the message.
const ROW: &str = "Row";

/// The message of the rows of a schema.
pub(super) struct RowMessage {
    message: MessageDescriptor,
    fields: Vec<FieldDescriptor>,
}

impl RowMessage {
    /// The message whose fields are these columns, numbered from 1 in their order.
    pub(super) fn new(columns: &[(String, FieldType)]) -> Result<RowMessage, StoreError> {
        let field = |(at, (_, field_type)): (usize, &(String, FieldType))| FieldDescriptorProto {
            // Columns of a data file have any name, fields none with blanks. Names are not in the bytes.
            name: Some(format!("column_{}", at + 1)),
            number: i32::try_from(at + 1).ok(),
            label: Some(Label::Required.into()),
            r#type: Some(type_of(*field_type).into()),
            ..FieldDescriptorProto::default()
        };
        let row = DescriptorProto {
            name: Some(ROW.into()),
            field: columns.iter().enumerate().map(field).collect(),
            ..DescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("row.proto".into()),
            message_type: vec![row],
            syntax: Some("proto2".into()),
            ..FileDescriptorProto::default()
        };
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_proto(file).map_err(StoreError::store)?;
        let message = pool.get_message_by_name(ROW).ok_or_else(|| StoreError::store("a message without a name"))?;
        let fields = message.fields().collect();
        Ok(RowMessage { message, fields })
    }

    /// Appends the message of a raw value.
    pub(super) fn encode(&self, layout: &Layout, raw: &[u8], out: &mut Vec<u8>) -> Result<(), StoreError> {
        let mut row = DynamicMessage::new(self.message.clone());
        for (field, value) in self.fields.iter().zip(layout.fields(raw)) {
            let is_text = field.kind() == prost_reflect::Kind::String;
            row.set_field(
                field,
                match value {
                    FieldValue::Int(number) => Value::I64(number),
                    FieldValue::Text(text) => Value::String(text.to_owned()),
                    // A text that is none cannot be written as one.
                    FieldValue::Bytes(_) if is_text => return Err(StoreError::store("a text is no UTF-8")),
                    FieldValue::Bytes(bytes) => Value::Bytes(Bytes::copy_from_slice(bytes)),
                },
            );
        }
        row.encode(out).map_err(StoreError::store)
    }

    /// Takes the columns of a message; false where it is none of these rows.
    pub(super) fn decode(&self, kept: &[u8], out: &mut RowBuffer) -> bool {
        let Ok(row) = DynamicMessage::decode(self.message.clone(), kept) else { return false };
        if row.unknown_fields().next().is_some() {
            return false;
        }
        for field in &self.fields {
            if !row.has_field(field) {
                return false;
            }
            match row.get_field(field).as_ref() {
                Value::I64(number) => out.push_int(*number),
                Value::String(text) => out.push_bytes(text.as_bytes()),
                Value::Bytes(bytes) => out.push_bytes(bytes),
                _ => return false,
            }
        }
        true
    }
}

fn type_of(field_type: FieldType) -> Type {
    match field_type {
        FieldType::Int64 => Type::Int64,
        FieldType::Text => Type::String,
        FieldType::Bytes => Type::Bytes,
    }
}
