//! What a data file is refused for.

use kurabe_messages::{Message, message};

/// Why a data file cannot be used: what is wrong, where, and the way out. Nothing was started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DataError(Message);

impl DataError {
    /// What to say of it.
    pub fn message(&self) -> &Message {
        &self.0
    }

    /// The file changed while it was read.
    pub(crate) fn changed(file: &str) -> DataError {
        message!(data_changed, file).into()
    }
}

impl From<Message> for DataError {
    fn from(message: Message) -> DataError {
        DataError(message)
    }
}
