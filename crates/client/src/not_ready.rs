//! Servers that accept connections before they can answer.

use crate::adapter::StoreError;

/// How the words of a server begin that is not ready yet.
const NOT_READY: &str = "the server is not ready";

impl StoreError {
    /// A server that accepts connections and says that it is not ready yet: it reads its data, or it ends. Whoever asks again
    /// later connects anew.
    pub fn not_ready(words: impl std::fmt::Display) -> StoreError {
        StoreError::Disconnected(format!("{NOT_READY}: {words}"))
    }

    /// Whether it is one of [`StoreError::not_ready`].
    pub fn is_not_ready(&self) -> bool {
        matches!(self, StoreError::Disconnected(words) if words.starts_with(NOT_READY))
    }
}
