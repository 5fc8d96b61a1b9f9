//! Values of settings of a job, which are texts.

use crate::adapter::StoreError;

/// `true` or `false`.
pub(crate) fn truth(name: &str, value: &str) -> Result<bool, StoreError> {
    value.parse().map_err(|_| StoreError::store(format!("{name} '{value}' is neither true nor false")))
}

/// A number of bytes.
pub(crate) fn bytes<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, StoreError> {
    value.parse().map_err(|_| StoreError::store(format!("{name} '{value}' is no number of bytes; write digits only")))
}
