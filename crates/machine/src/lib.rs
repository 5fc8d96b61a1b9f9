//! Kurabe's facts about the machine: processor, memory, the device under a folder, canaries, disk usage.
//!
//! Nothing here knows a store, a study or a protocol. No value carries a host name or a path, so all of them may
//! be written into a record as they are.

mod canary;

mod device;
mod disk;
mod error;
mod facts;
mod files;
mod flushes;
mod identity;
mod mounts;
mod other_runs;
mod ports;
mod processors;
mod quiet;
mod quota;
mod scratch;
mod sync_probe;

pub use canary::Canary;

pub use device::{DeviceProbe, PowerVerdict};
pub use disk::{DiskUsage, disk_usage, full_disk, syncfs};
pub use error::MachineError;
pub use facts::Machine;
pub use files::{no_file, open_file, read_file, read_text};
pub use flushes::DeviceFlushes;
pub use other_runs::OtherRuns;
pub use ports::LocalPorts;
pub use processors::{Busy, ProcessorTimes, ProcessorsWait, processors_wait};
pub use quiet::{QuietWait, quiet_wait};
pub use quota::Throttling;
pub use sync_probe::{SyncProbe, SyncTimes};
