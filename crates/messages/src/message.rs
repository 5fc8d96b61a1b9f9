//! A message: an id and its arguments.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::language::{Language, language};
use crate::recorded::note_shown;
use crate::render;
use crate::values::Value;

/// What Kurabe tells a user, in no language yet. It is also an error, so that it can stand in a chain of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    id: &'static str,
    arguments: Vec<(&'static str, Value)>,
}

impl Message {
    /// Only the generated types know which arguments belong to an id.
    pub(crate) fn new(id: &'static str, arguments: Vec<(&'static str, Value)>) -> Message {
        Message { id, arguments }
    }

    /// Its id in the catalogues.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Its arguments in the order in which the catalogue declares them.
    pub fn arguments(&self) -> &[(&'static str, Value)] {
        &self.arguments
    }

    /// Its text in `language`.
    pub fn text(&self, language: Language) -> String {
        render::text(self, language, &mut Vec::new())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note_shown(self);
        f.pad(&self.text(language()))
    }
}

impl std::error::Error for Message {}

struct Arguments<'a>(&'a [(&'static str, Value)]);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Message", 3)?;
        message.serialize_field("id", self.id)?;
        message.serialize_field("arguments", &Arguments(&self.arguments))?;
        message.serialize_field("text", &self.text(Language::English))?;
        message.end()
    }
}

impl JsonSchema for Message {
    fn schema_name() -> Cow<'static, str> {
        "Message".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What Kurabe tells a user: a message of its catalogues, and its text in English.",
            "type": "object",
            "properties": {
                "id": { "description": "Its id in the catalogues.", "type": "string" },
                "arguments": { "description": "The values of its arguments by name.", "type": "object" },
                "text": { "description": "Its English text.", "type": "string" }
            },
            "required": ["id", "arguments", "text"]
        })
    }
}
