//! Values of settings of a job, which are texts.

use std::time::Duration;

use kurabe_client::adapter::StoreError;

/// `true` or `false`.
pub(crate) fn truth(name: &str, value: &str) -> Result<bool, StoreError> {
    value.parse().map_err(|_| StoreError::store(format!("{name} '{value}' is neither true nor false")))
}

/// A number of bytes.
pub(crate) fn bytes<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, StoreError> {
    value.parse().map_err(|_| StoreError::store(format!("{name} '{value}' is no number of bytes; write digits only")))
}

/// A number of milliseconds, one at least.
pub(crate) fn millis(name: &str, value: &str) -> Result<Duration, StoreError> {
    let wrong =
        || StoreError::store(format!("{name} '{value}' is no number of milliseconds; write digits only, 1 at least"));
    value.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis).ok_or_else(wrong)
}
