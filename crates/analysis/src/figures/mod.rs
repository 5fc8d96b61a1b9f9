//! What is computed from the jobs of one configuration: figures with their intervals, what a candidate keeps and costs,
//! and whether the machine was the same for all.

pub(crate) mod actions;
pub(crate) mod bottleneck;
pub(crate) mod budget;
pub(crate) mod candidate;
pub(crate) mod caution;
pub(crate) mod checking;
pub(crate) mod client_limit;
pub(crate) mod completion;
pub(crate) mod configuration;
pub(crate) mod disk_faults;
pub(crate) mod figure;
pub(crate) mod flushes;
pub(crate) mod guarantee;
pub(crate) mod input;
pub(crate) mod latency;
pub(crate) mod losses;
pub(crate) mod metrics;
pub(crate) mod open_loop;
pub(crate) mod phase_job;
pub(crate) mod rate_search;
pub(crate) mod reason;
pub(crate) mod resources;
pub(crate) mod rounds;
pub(crate) mod stability;
pub(crate) mod stalls;
pub(crate) mod time_series;
pub(crate) mod troubles;
pub(crate) mod versions;
pub(crate) mod weakening;
