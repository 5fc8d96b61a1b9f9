//! The shape of a row: ordered, typed fields, the key first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digits::DIGITS;

/// Ordered, typed fields of a row; the first is the key. Key-value is the case of two fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Schema {
    /// The fields in order; `fields[0]` is the primary key.
    pub fields: Vec<Field>,
}

/// One field of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Name of the column where a store has columns: a lower-case ASCII letter, then letters, digits or `_`.
    pub name: String,
    /// Type of the field.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Length in bytes of a text or bytes field that is not the key; absent for int64 and for the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub len_bytes: Option<u32>,
    /// Whether stores with columns keep an index on this field; only int64 fields beside the key may have one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub indexed: bool,
    /// What generated text keys begin with, before the digits of the row; `k` where it is absent. Only on a text key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Digits of the row in generated text keys, 6 to 10; ten where it is absent. Only on a text key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<u8>,
    /// How many different values the field has, 1 to so many; only int64 fields beside the key may say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u32>,
    /// Whether every row and every version has the same text: `1234567890` over and over. Only text and bytes fields beside
    /// the key may say it. Whether a store kept the right row cannot be seen in such a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
}

impl Field {
    /// A field of which nothing more is said.
    pub fn new(name: &str, field_type: FieldType, len_bytes: Option<u32>) -> Field {
        Field {
            name: name.into(),
            field_type,
            len_bytes,
            indexed: false,
            prefix: None,
            digits: None,
            distinct: None,
            constant: false,
        }
    }

    /// Digits of generated text keys of this field.
    pub fn key_digits(&self) -> usize {
        self.digits.map_or(DIGITS, usize::from)
    }

    fn has_usable_prefix(&self) -> bool {
        let plain = |text: &str| !text.chars().any(|one| one.is_whitespace() || one.is_control());
        self.field_type == FieldType::Text
            && self.prefix.as_deref().is_some_and(|text| text.len() <= MAX_PREFIX_BYTES && plain(text))
    }

    /// Checks what says how generated values of the field are made; `is_key` tells whether it is the key.
    fn validate_making(&self, is_key: bool) -> Result<(), SchemaError> {
        if self.prefix.is_some() && !(is_key && self.has_usable_prefix()) {
            return Err(SchemaError::Prefix(self.name.clone()));
        }
        let of_text_key = is_key && self.field_type == FieldType::Text;
        if self.digits.is_some_and(|digits| !of_text_key || !(MIN_DIGITS..=DIGITS).contains(&digits.into())) {
            return Err(SchemaError::Digits(self.name.clone()));
        }
        let of_number = !is_key && self.field_type == FieldType::Int64;
        if self.distinct.is_some_and(|distinct| !of_number || distinct == 0) {
            return Err(SchemaError::Distinct(self.name.clone()));
        }
        if self.constant && (is_key || self.field_type == FieldType::Int64) {
            return Err(SchemaError::Constant(self.name.clone()));
        }
        Ok(())
    }
}

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FieldType {
    /// A signed 64-bit integer.
    Int64,
    /// UTF-8 text.
    Text,
    /// Raw bytes.
    Bytes,
}

impl std::fmt::Display for FieldType {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// Fewer than two fields.
    #[error("a schema needs a key and at least one more field, got {0} field(s)")]
    TooFewFields(usize),
    /// More fields than the two digits that number them allow.
    #[error("a schema has at most 99 fields beside its key, got {0}")]
    TooManyFields(usize),
    /// The key has a type that no key can have.
    #[error("key field '{0}' is of type bytes; a key is int64 or text")]
    KeyType(String),
    /// The name is not usable as a column's name everywhere.
    #[error("field name '{0}' does not match [a-z][a-z0-9_]{{0,30}}")]
    Name(String),
    /// Two fields share a name.
    #[error("field name '{0}' is used twice")]
    Twice(String),
    /// A length is missing, or stands where there is none.
    #[error("field '{0}': text and bytes fields need len_bytes from 0 to 16777216; int64 fields and the key have none")]
    Length(String),
    /// An index on a field that cannot have one.
    #[error("field '{0}' cannot be indexed: only int64 fields beside the key can")]
    Index(String),
    /// A prefix on a field that cannot have one, or one that cannot be used.
    #[error("field '{0}': a prefix stands on a text key, has at most 20 bytes and no space or control character")]
    Prefix(String),
    /// Digits on a field that cannot have them, or a number of them that cannot be.
    #[error("field '{0}': digits stand on a text key and are from 6 to 10")]
    Digits(String),
    /// A number of values on a field that cannot have it, or none.
    #[error("field '{0}': distinct stands on an int64 field beside the key and is at least 1")]
    Distinct(String),
    /// A constant where there cannot be one.
    #[error("field '{0}': constant stands on a text or bytes field beside the key")]
    Constant(String),
}

/// Most bytes of the prefix of generated text keys.
pub const MAX_PREFIX_BYTES: usize = 20;
/// Fewest digits of the row in generated text keys.
const MIN_DIGITS: usize = 6;
/// Longest text or bytes field: 16 MiB, the largest that every store's protocol carries in one piece.
pub const MAX_FIELD_BYTES: u32 = 16 << 20;

impl Schema {
    /// Key-value: an int64 key `id` and one text of `len_bytes` bytes named `value`.
    pub fn key_value(len_bytes: u32) -> Schema {
        Schema {
            fields: vec![
                Field::new("id", FieldType::Int64, None),
                Field::new("value", FieldType::Text, Some(len_bytes)),
            ],
        }
    }

    /// The key field.
    pub fn key(&self) -> &Field {
        &self.fields[0]
    }

    /// The fields after the key.
    pub fn values(&self) -> &[Field] {
        &self.fields[1..]
    }

    /// Checks everything that adapters rely on.
    pub fn validate(&self) -> Result<(), SchemaError> {
        if self.fields.len() < 2 {
            return Err(SchemaError::TooFewFields(self.fields.len()));
        }
        if self.fields.len() > 100 {
            return Err(SchemaError::TooManyFields(self.fields.len() - 1));
        }
        if self.key().field_type == FieldType::Bytes {
            return Err(SchemaError::KeyType(self.key().name.clone()));
        }
        for (index, field) in self.fields.iter().enumerate() {
            if !is_column_name(&field.name) {
                return Err(SchemaError::Name(field.name.clone()));
            }
            if self.fields[..index].iter().any(|earlier| earlier.name == field.name) {
                return Err(SchemaError::Twice(field.name.clone()));
            }
            let wants_length = index > 0 && field.field_type != FieldType::Int64;
            let length_fits = field.len_bytes.is_some_and(|len| len <= MAX_FIELD_BYTES);
            if wants_length != field.len_bytes.is_some() || (wants_length && !length_fits) {
                return Err(SchemaError::Length(field.name.clone()));
            }
            if field.indexed && (index == 0 || field.field_type != FieldType::Int64) {
                return Err(SchemaError::Index(field.name.clone()));
            }
            field.validate_making(index == 0)?;
        }
        Ok(())
    }
}

fn is_column_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 31
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_value_is_a_valid_schema() {
        assert_eq!(Schema::key_value(100).validate(), Ok(()));
    }

    #[test]
    fn bad_schemas_are_refused_by_name() {
        let mut twice = Schema::key_value(8);
        twice.fields[1].name = "id".into();
        assert_eq!(twice.validate(), Err(SchemaError::Twice("id".into())));
        let mut long = Schema::key_value(8);
        long.fields[1].len_bytes = None;
        assert_eq!(long.validate(), Err(SchemaError::Length("value".into())));
        let mut name = Schema::key_value(8);
        name.fields[1].name = "drop table".into();
        assert_eq!(name.validate(), Err(SchemaError::Name("drop table".into())));
        let mut prefix = Schema::key_value(0);
        prefix.fields[0].prefix = Some("a".into());
        assert_eq!(prefix.validate(), Err(SchemaError::Prefix("id".into())));
        prefix.fields[0].field_type = FieldType::Text;
        assert_eq!(prefix.validate(), Ok(()));
        for bad in ["a b", "123456789012345678901", "a\t"] {
            prefix.fields[0].prefix = Some(bad.into());
            assert_eq!(prefix.validate(), Err(SchemaError::Prefix("id".into())));
        }
        assert_eq!(Schema { fields: vec![] }.validate(), Err(SchemaError::TooFewFields(0)));
    }

    #[test]
    fn digits_stand_on_text_keys_and_distinct_values_on_numbers() {
        let mut schema = Schema::key_value(30);
        schema.fields.push(Field::new("kind", FieldType::Int64, None));
        for (at, distinct, right) in
            [(2, 1, true), (2, 2, true), (2, u32::MAX, true), (2, 0, false), (1, 2, false), (0, 2, false)]
        {
            let mut schema = schema.clone();
            schema.fields[at].distinct = Some(distinct);
            let wrong = SchemaError::Distinct(schema.fields[at].name.clone());
            assert_eq!(schema.validate(), if right { Ok(()) } else { Err(wrong) }, "{at} {distinct}");
        }
        schema.fields[0].digits = Some(9);
        assert_eq!(schema.validate(), Err(SchemaError::Digits("id".into())));
        schema.fields[0].field_type = FieldType::Text;
        for (digits, right) in [(5, false), (6, true), (9, true), (10, true), (11, false)] {
            schema.fields[0].digits = Some(digits);
            assert_eq!(schema.validate().is_ok(), right, "{digits}");
        }
        schema.fields[1].digits = Some(9);
        assert_eq!(schema.validate(), Err(SchemaError::Digits("id".into())));
    }

    #[test]
    fn constants_are_texts() {
        let mut schema = Schema::key_value(30);
        schema.fields.push(Field::new("kind", FieldType::Int64, None));
        for (at, right) in [(0, false), (1, true), (2, false)] {
            let mut schema = schema.clone();
            schema.fields[at].constant = true;
            let wrong = SchemaError::Constant(schema.fields[at].name.clone());
            assert_eq!(schema.validate(), if right { Ok(()) } else { Err(wrong) }, "{at}");
        }
    }
}
