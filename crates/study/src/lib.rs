//! Kurabe's studies, stores and clients as data: TOML in, checked types out.
//!
//! Descriptors of stores (`stores/<name>/store.toml`), of clients (`clients/<name>/client.toml`) and the built-in
//! studies (`studies/*.toml`) travel inside the binary. Types named `Wire…` are what is parsed; they never leave
//! their module. Nothing here starts a process or looks at the machine.

mod actions;
mod address;
mod amount;
mod app;
mod asked_data;
mod axes;
mod axis_keys;
mod candidate;
mod candidates;
mod catalogue;
mod claims;
mod client;
mod configurations;
pub mod definitions;
mod descriptions;
mod durability;
mod error;
mod expand;
mod overrides;
mod phase;
mod pitfalls;
mod rate_search;
mod resumed;
mod sizes;
mod store;
mod study;
mod toml_text;
mod variation;
mod words;
mod work;

pub use app::{AppDescriptor, Before};
pub use asked_data::AskedData;
pub use axes::AskedAxis;
pub use candidate::{CandidateSpec, parse_candidate};
pub use candidates::parse_candidates;
pub use catalogue::Catalogue;
pub use client::{
    ClientBuild, ClientDescriptor, ClientDriver, ClientName, ClientOption, Connections, Interpreter, OptionKind,
};
pub use descriptions::translate_descriptions;
pub use durability::{Durability, WeakeningRule};
pub use error::{StudyError, distance, nearest};
pub use overrides::{AskedProfile, Overrides};
pub use pitfalls::PitfallChoice;
pub use sizes::{parse_size, parse_sizes};
pub use store::{Install, KnownStore, Probe, RustDriver, Setting, StoreDescriptor, Variant};
pub use study::{Ingest, Study};
pub use words::{
    duration_text, parse_duration, parse_equivalent, parse_minimum, parse_need, parse_profile, parse_rate,
    parse_transport, parse_used_by,
};
