//! One configuration with all that is known of it alone.

pub(crate) mod configuration_result;
pub(crate) mod load_tools;
pub(crate) mod notes;
