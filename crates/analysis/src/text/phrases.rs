//! Parts of sentences, for sentences of others.

pub use super::claims::by_fact;
pub use super::completion::done;
pub use super::configuration::{configuration_name, factor, factors, value_in_short};
pub use super::durability::{loss_in_short, minimum, scope_names};
