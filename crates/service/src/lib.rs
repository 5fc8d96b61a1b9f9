//! Kurabe's processes: find, initialise, start, await and stop a service: all start through one [`spawn`].
//!
//! Nothing here knows a store: a [`ServiceSpec`] says in words and placeholders what a service needs. Nothing started
//! here outlives Kurabe: a [`Process`] kills its whole tree when it is dropped, and the [`Guardian`], a process of its
//! own, does the same when Kurabe itself was killed.

mod account;
mod cause;
mod error;
mod exit_status;
mod family;
mod find;
mod folder;
mod folder_lock;
mod guardian;
mod guardian_main;
mod log;
mod owned;
mod pause;
mod ports;
mod proc;
mod process;
mod programs;
mod run_log;
mod service;
mod shared_memory;
mod spawn;
mod spec;
mod template;
mod terminal;
mod usage;

pub use account::{Account, AccountError, account_name, first_closed_folder, service_account};
pub use cause::Cause;
pub use error::ServiceError;
pub use exit_status::how_it_ended;
pub use find::{Found, Missing, ProgramPaths, file_exists, find, hear_version, open_library};
pub use folder::{FolderAccess, FolderError, RunFolder, make_folder, make_folder_in_place};
pub use folder_lock::{FolderLock, FolderLockError};
pub use guardian::{Guardian, GuardianError};
pub use guardian_main::guardian_main;
pub use log::redact;
pub use pause::{pause, send_kill};
pub use proc::ProcessId;
pub use process::{Ended, EndedBy, Process, Survivors, WaitOutcome};
pub use programs::{BusyProgram, Programs};
pub use run_log::SERVICE_LOG;
pub use rustix::process::Signal;
pub use service::{Service, Start};
pub use spawn::{Scope, SpawnError, Stream, spawn};
pub use spec::{BackgroundLine, Blueprint, ServiceSpec, StopSignal, UnknownPlaceholder};
pub use template::Template;
pub use usage::{
    MemoryMethod, PeakReset, TreeUsage, TreeUsageDelta, UsageError, ended_children_cpu_ns, reset_peak, usage,
};
