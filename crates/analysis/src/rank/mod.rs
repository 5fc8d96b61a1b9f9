//! Ranks within one configuration: who may have one, who has which, and who leads.

pub(crate) mod eligibility;
pub(crate) mod leaders;
pub(crate) mod phase;
pub(crate) mod ranking;
pub(crate) mod status;
