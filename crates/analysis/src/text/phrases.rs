//! Parts of sentences, for sentences of others.

pub use super::completion::done;
pub use super::configuration::{at, factor, factors, value_in_short};
pub use super::durability::{among, loss_in_short, minimum};
