//! Kurabe as a person starts it: the binary, its verbs, its runs.
//!
//! One binary for all of them: each is linked with every store.

mod actions;
mod addresses;
mod alone;
mod answers;
mod apps;
mod axes;
mod candidates;
mod claims;
mod clients;
mod common;
mod data;
mod definitions;
mod disturbed;
mod documents;
mod external;
mod faults;
mod fetch;
mod languages;
mod lifecycle;
mod lists;
mod load_tools;
mod open_loop;
mod own_server;
mod power;
mod programs;
mod runs;
mod selftest;
mod serve;
mod serve_faults;
mod sizes;
mod verbs;
mod words;
