//! One configuration with all that is known of it alone.

pub(crate) mod configuration_result;
pub(crate) mod notes;
