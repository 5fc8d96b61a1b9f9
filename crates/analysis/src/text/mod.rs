//! Words: what the types of the other folders say as messages, and how figures are written.

mod cautions;
mod claims;
mod compare;
pub mod english;
pub mod format;
mod notes;
mod pitfalls;
mod troubles;

pub use claims::metric as metric_message;

use kurabe_messages::Message;
use serde::{Serialize, Serializer};

use crate::comparison::difference::{Difference, NotCompared, OtherRows};
use crate::figures::caution::Caution;
use crate::findings::axes::Gap;
use crate::result::notes::Note;

/// A JSON answer holds them as messages: id, arguments and English text.
macro_rules! written_as_messages {
    ($($kind:ty),*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.message().serialize(serializer)
            }
        })*
    };
}

written_as_messages!(Note, Caution, Gap, Difference, OtherRows, NotCompared);

/// What others have written, as a message.
fn quoted(text: impl std::fmt::Display) -> Message {
    kurabe_messages::message!(note_quoted, text)
}
