//! The canary: fixed work before each job that shows whether the machine changed.
//!
//! Two jobs compare only if they ran on the same machine, whatever its name. So each job has two small pieces of fixed
//! work beside it: integer arithmetic and syncs. A quarter more time for the arithmetic, between the fastest and the
//! slowest tenth of jobs, makes the machine unstable. In a calm run of 25 jobs that ratio was 1.07.
//!
//! No verdict depends on the syncs, because their times differ much on calm machines too. Rates are not corrected by
//! the canary: its work is not the store's work. It can also miss a disturbance. In a trial of two runs at once the
//! tenths differed by 1.10 and 1.19 times only. So runs see each other by locks (`other_runs.rs`), and the harness
//! reads the time of all processors (`processors.rs`). docs/decisions/0009-unstable-machines.md has the limits.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MachineError;
use crate::scratch::{Scratch, nearest_rank};

/// Syncs of one canary.
const SYNCS: usize = 8;

/// Steps of the spin; a chain of dependent shifts, about 2 ms on a processor of 2.6 GHz.
const SPIN_STEPS: u32 = 800_000;

/// Two small fixed pieces of work, done beside every job: figures of jobs whose canaries differ much were not
/// measured on the same machine, whatever its name.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Median time of 8 fdatasyncs, each after a changed 4 KiB block.
    pub fdatasync_ns_p50: u64,
    /// Time of a fixed amount of integer work on one thread.
    pub spin_ns: u64,
}

impl Canary {
    /// Runs both; takes about 2 ms and eight syncs. Fails where no file can be made in `dir`, and once `interrupt` is set.
    pub fn run(dir: &Path, interrupt: &AtomicBool) -> Result<Canary, MachineError> {
        let mut scratch = Scratch::create(dir)?;
        let mut samples =
            (0..SYNCS).map(|_| scratch.timed_sync_ns(interrupt)).collect::<Result<Vec<u64>, MachineError>>()?;
        samples.sort_unstable();
        Ok(Canary { fdatasync_ns_p50: nearest_rank(&samples, 0.5), spin_ns: spin_ns() })
    }
}

/// Times a fixed run of the xorshift64 generator (Marsaglia 2003, doi 10.18637/jss.v008.i14).
fn spin_ns() -> u64 {
    let start = Instant::now();
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..SPIN_STEPS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
    start.elapsed().as_nanos() as u64
}
