//! The wait for an idle disk before a job.
//!
//! A store that acknowledges early leaves work behind. Without a wait, the writes of one candidate fall into the time
//! of the next. So each job begins when the disk has no request in flight and has written nothing for 40 ms.
//!
//! The statistics are those of the whole disk, because a partition's neighbours share its queue. The alternative, to
//! wait until the disk is idle, may last for ever on a shared machine. So the study limits the wait. The record says
//! whether the disk became idle, and no verdict depends on it (docs/METHODOLOGY.md, "Flush time";
//! docs/decisions/0009-unstable-machines.md).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::block_folder;

/// For so long nothing may be written before the device counts as quiet.
const STILL: Duration = Duration::from_millis(40);
const POLL: Duration = Duration::from_millis(4);

/// How long a device was waited for, and with what result.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietWait {
    /// Time spent waiting.
    pub waited_ns: u64,
    /// Whether the device was seen quiet; `false` where nothing is known.
    pub quiet: bool,
    /// Whether the kernel tells anything about this device at all.
    pub known: bool,
}

/// Waits until the block device under `dir` has no request in flight and has written nothing for 40 ms, at most `max` and
/// no longer than until `interrupt` is set.
///
/// On file systems without a block device of their own (tmpfs, overlay, btrfs, network) it returns at once with
/// `known` false.
pub fn quiet_wait(dir: &Path, max: Duration, interrupt: &AtomicBool) -> QuietWait {
    match stat_file(dir) {
        Some(path) => wait_until_still(max, interrupt, || BlockStat::parse(&fs::read_to_string(&path).ok()?)),
        None => QuietWait { waited_ns: 0, quiet: false, known: false },
    }
}

/// The statistics file of the whole disk under `dir`: a partition's neighbours share its queue.
fn stat_file(dir: &Path) -> Option<PathBuf> {
    let block = block_folder(dir)?;
    let disk = if block.join("partition").exists() { block.parent()?.to_path_buf() } else { block };
    let stat = disk.join("stat");
    stat.exists().then_some(stat)
}

fn wait_until_still(max: Duration, interrupt: &AtomicBool, mut read: impl FnMut() -> Option<BlockStat>) -> QuietWait {
    let start = Instant::now();
    let outcome = |quiet, known| QuietWait { waited_ns: start.elapsed().as_nanos() as u64, quiet, known };
    let Some(mut last) = read() else { return outcome(false, false) };
    let mut still_since = Instant::now();
    loop {
        if still_since.elapsed() >= STILL {
            return outcome(true, true);
        }
        if start.elapsed() >= max || interrupt.load(Ordering::Relaxed) {
            return outcome(false, true);
        }
        std::thread::sleep(POLL.min(max.saturating_sub(start.elapsed())));
        let Some(now) = read() else { return outcome(false, false) };
        if now.in_flight != 0 || now.written_sectors != last.written_sectors {
            still_since = Instant::now();
        }
        last = now;
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct BlockStat {
    in_flight: u64,
    written_sectors: u64,
}

impl BlockStat {
    /// Reads the 7th and 9th column as the kernel's Documentation/block/stat.rst names them.
    fn parse(text: &str) -> Option<BlockStat> {
        let columns: Vec<u64> = text.split_whitespace().map_while(|column| column.parse().ok()).collect();
        Some(BlockStat { written_sectors: *columns.get(6)?, in_flight: *columns.get(8)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_and_requests_are_read_from_their_columns() {
        let text = " 9526 4 1104 5209 23051 14318 2177 32000 3 12680 37213 0 0\n";
        assert_eq!(BlockStat::parse(text), Some(BlockStat { in_flight: 3, written_sectors: 2177 }));
        assert_eq!(BlockStat::parse("1 2 3"), None);
    }

    static NEVER: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_still_device_is_quiet() {
        let wait =
            wait_until_still(Duration::from_secs(60), &NEVER, || Some(BlockStat { in_flight: 0, written_sectors: 5 }));
        assert!(wait.quiet && wait.known);
        assert!(wait.waited_ns >= STILL.as_nanos() as u64);
    }

    #[test]
    fn a_device_that_keeps_writing_is_given_up_on() {
        let mut sectors = 0;
        let wait = wait_until_still(Duration::from_millis(120), &NEVER, || {
            sectors += 8;
            Some(BlockStat { in_flight: 0, written_sectors: sectors })
        });
        assert!(!wait.quiet && wait.known);
    }

    #[test]
    fn a_device_that_keeps_writing_is_not_waited_for_after_an_interrupt() {
        let interrupt = AtomicBool::new(false);
        let mut reads = 0;
        let wait = wait_until_still(Duration::from_secs(600), &interrupt, || {
            reads += 1;
            interrupt.store(reads > 3, Ordering::Relaxed);
            Some(BlockStat { in_flight: 1, written_sectors: 8 * reads })
        });
        assert_eq!((wait.quiet, reads), (false, 4));
    }

    #[test]
    fn a_request_in_flight_is_not_quiet() {
        let busy = || Some(BlockStat { in_flight: 1, written_sectors: 5 });
        assert!(!wait_until_still(Duration::from_millis(120), &NEVER, busy).quiet);
    }

    #[test]
    fn a_folder_without_a_block_device_is_not_known() {
        let wait = quiet_wait(Path::new("/proc"), Duration::from_secs(60), &NEVER);
        assert_eq!(wait, QuietWait { waited_ns: 0, quiet: false, known: false });
    }
}
