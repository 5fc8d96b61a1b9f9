//! Rows as people and programs send them, made into values.

use std::sync::Arc;

use kurabe_client::RowBuffer;
use kurabe_client::json_rows::JsonRows;
use kurabe_messages::{Message, message};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, Layout, Schema};
use serde_json::{Map, Value};

/// A row that somebody sent.
pub struct PostedRow {
    /// Its number, where the sender gave one.
    pub row: Option<u32>,
    /// Its fields.
    pub value: RowBuffer,
}

/// Why something is no row.
#[derive(Debug, PartialEq, Eq)]
pub enum BadRow {
    /// Its key cannot be one.
    Key(Message),
    /// Anything else.
    Value(Message),
}

impl From<Message> for BadRow {
    fn from(why: Message) -> BadRow {
        BadRow::Value(why)
    }
}

/// Reads what is sent.
pub struct Reader {
    /// As other programs of ours write rows.
    pub json: JsonRows,
    /// The layout of the rows.
    pub layout: Arc<Layout>,
    schema: Schema,
}

impl Reader {
    /// For rows of `schema`.
    pub fn new(schema: Schema, layout: Arc<Layout>) -> Reader {
        Reader { json: JsonRows::new(&schema, &layout), layout, schema }
    }

    /// Name of the key.
    pub fn key(&self) -> &str {
        &self.schema.key().name
    }

    /// Names of the fields after the key.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.schema.values().iter().map(|field| field.name.as_str())
    }

    /// Whether the service can give rows their numbers.
    pub fn numbers_rows(&self) -> bool {
        self.layout.numbered()
    }

    /// The row whose key stands in a path; nothing where there can be no such row.
    pub fn row_of(&self, key: &str) -> Option<u32> {
        let keys = self.layout.keys();
        let seen = if keys.is_text() { keys.seen_text(key.as_bytes()) } else { keys.seen_int(key.parse().ok()?) };
        Some(keys.row(seen)).filter(|row| *row != u32::MAX)
    }

    /// A row in JSON.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of_json(&self, json: &[u8]) -> Result<PostedRow, BadRow> {
        let mut value = RowBuffer::new(&self.layout);
        // As it is written here: the usual case of a program.
        if let Some(row) = self.json.read(json, &mut value) {
            self.check_lengths(value.raw())?;
            let row = Some(row).filter(|row| *row != u32::MAX);
            return row.map(|row| PostedRow { row: Some(row), value }).ok_or_else(|| self.bad_key());
        }
        let object: Map<String, Value> =
            serde_json::from_slice(json).map_err(|error| message!(board_not_json, error))?;
        self.of_object(&object)
    }

    fn of_object(&self, object: &Map<String, Value>) -> Result<PostedRow, BadRow> {
        let key = &self.schema.key().name;
        let row = match object.get(key) {
            None => None,
            Some(Value::String(text)) => Some(self.row_of(text).ok_or_else(|| self.bad_key())?),
            Some(Value::Number(number)) => Some(self.row_of(&number.to_string()).ok_or_else(|| self.bad_key())?),
            Some(_) => return Err(self.bad_key()),
        };
        let is_known = |name: &String| name == key || self.columns().any(|column| column == name);
        if let Some(unknown) = object.keys().find(|name| !is_known(name)) {
            let known: Vec<&str> = self.columns().collect();
            return Err(message!(board_no_column, column = unknown, known).into());
        }
        let mut value = RowBuffer::new(&self.layout);
        value.clear();
        for field in self.schema.values() {
            let column = &field.name;
            match (field.field_type, object.get(column)) {
                (_, None) => return Err(message!(board_column_missing, column).into()),
                (FieldType::Int64, Some(given)) => {
                    value.push_int(given.as_i64().ok_or_else(|| message!(board_takes_number, column))?);
                }
                (FieldType::Text, Some(Value::String(text))) => value.push_bytes(text.as_bytes()),
                (FieldType::Text, Some(_)) => return Err(message!(board_takes_text, column).into()),
                (FieldType::Bytes, Some(_)) => {
                    return Err(message!(board_takes_bytes, column).into());
                }
            }
        }
        self.check_lengths(value.raw())?;
        Ok(PostedRow { row, value })
    }

    /// A row of a form: each column a field of that name.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of_form(&self, form: &[u8]) -> Result<PostedRow, BadRow> {
        let mut object = Map::new();
        for (name, text) in form_urlencoded::parse(form) {
            // Browsers send line ends of texts as two characters.
            let text = text.replace("\r\n", "\n");
            let is_number =
                self.schema.values().iter().any(|field| field.name == name && field.field_type == FieldType::Int64);
            let value = if is_number {
                text.parse::<i64>().map_or(Value::String(text), Value::from)
            } else {
                Value::String(text)
            };
            object.insert(name.into_owned(), value);
        }
        self.of_object(&object)
    }

    /// Why a key is none.
    pub fn bad_key(&self) -> BadRow {
        BadRow::Key(message!(board_not_a_key, key = self.key()))
    }

    fn check_lengths(&self, raw: &[u8]) -> Result<(), Message> {
        for (field, value) in self.schema.values().iter().zip(self.layout.fields(raw)) {
            let len = match value {
                FieldValue::Int(_) => continue,
                FieldValue::Text(text) => text.len(),
                FieldValue::Bytes(bytes) => bytes.len(),
            };
            let most = field.len_bytes.unwrap_or(0) as usize;
            if len > most {
                return Err(message!(board_too_long, column = &field.name, bytes = len, most));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::Field;

    use super::*;

    fn reader() -> Reader {
        let schema = Schema {
            fields: vec![
                Field::new("id", FieldType::Int64, None),
                Field::new("category", FieldType::Text, Some(10)),
                Field::new("stars", FieldType::Int64, None),
            ],
        };
        let layout = Arc::new(Layout::new(&schema));
        Reader::new(schema, layout)
    }

    fn words(sent: Result<PostedRow, BadRow>) -> Result<(Option<u32>, String), BadRow> {
        let reader = reader();
        sent.map(|sent| {
            let mut json = Vec::new();
            reader.json.write(sent.row.unwrap_or(9), sent.value.raw(), &mut json).unwrap();
            (sent.row, String::from_utf8(json).unwrap())
        })
    }

    #[test]
    fn rows_are_read_in_any_order_with_and_without_a_key() {
        let reader = reader();
        let whole = "{\"id\":3,\"category\":\"猫\",\"stars\":5}".to_string();
        assert_eq!(words(reader.of_json(whole.as_bytes())), Ok((Some(3), whole.clone())));
        let mixed = "{ \"stars\": 5, \"category\": \"猫\", \"id\": \"3\" }";
        assert_eq!(words(reader.of_json(mixed.as_bytes())), Ok((Some(3), whole.clone())));
        let keyless = words(reader.of_json("{\"stars\":5,\"category\":\"猫\"}".as_bytes()));
        assert_eq!(keyless, Ok((None, whole.replace(":3", ":9"))));
        let form = words(reader.of_form("category=%E7%8C%AB&stars=5".as_bytes()));
        assert_eq!(form, Ok((None, whole.replace(":3", ":9"))));
    }

    #[test]
    fn what_cannot_be_a_row_is_told_in_words() {
        let reader = reader();
        for (json, words) in [
            ("", "no JSON object"),
            ("[]", "no JSON object"),
            ("{\"category\":\"a\"}", "'stars' is missing"),
            ("{\"category\":\"a\",\"stars\":1.5}", "'stars' takes a whole number"),
            ("{\"category\":1,\"stars\":1}", "'category' takes a text"),
            ("{\"category\":\"0123456789a\",\"stars\":1}", "11 bytes; it takes at most 10"),
            ("{\"id\":1,\"category\":\"0123456789a\",\"stars\":1}", "11 bytes; it takes at most 10"),
            ("{\"categroy\":\"a\",\"stars\":1}", "no column 'categroy'; there are category, stars"),
            ("{\"id\":-1,\"category\":\"a\",\"stars\":1}", "'id' is not a valid key"),
            ("{\"id\":4294967295,\"category\":\"a\",\"stars\":1}", "'id' is not a valid key"),
            ("{\"id\":[],\"category\":\"a\",\"stars\":1}", "'id' is not a valid key"),
        ] {
            let error = reader.of_json(json.as_bytes()).err().expect(json);
            let is_key = words.contains("valid key");
            let (BadRow::Key(said) | BadRow::Value(said)) = &error;
            assert!(said.to_string().contains(words) && matches!(error, BadRow::Key(_)) == is_key, "{json}: {error:?}");
        }
    }
}
