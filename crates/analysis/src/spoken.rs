//! Values that JSON has with their sentences: the fields are for programs that compute, the sentences, with id and
//! arguments, for those that show.

use kurabe_messages::Message;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A value with its sentences.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Spoken<T> {
    #[serde(flatten)]
    value: T,
    /// The same in sentences.
    messages: Vec<Message>,
}

/// What has sentences.
pub(crate) trait Speaks {
    /// The sentences, in their order.
    fn sentences(&self) -> Vec<Message>;
}

/// Writes each value with its sentences.
pub(crate) fn with_messages<T: Serialize + Speaks, S: Serializer>(all: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(|value| Spoken { value, messages: value.sentences() }))
}
