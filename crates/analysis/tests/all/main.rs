//! What answers say of records with known figures.
//!
//! One binary for all of them, since each has to be linked.

mod axes;
mod bottleneck;
mod claims;
mod claims_unstable;
mod common;
mod compare;
mod configurations;
mod disk_faults;
mod figures;
mod growth;
mod layers;
mod load_tools;
mod losses;
mod promise;
mod published;
mod random;
mod ranked;
mod replication;
mod rules;
mod schema;
mod shared;
mod surroundings;
mod truth;
mod windows;
