use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scratch::{Scratch, nearest_rank};
use crate::{DeviceFlushes, MachineError};

/// Most writes of each way on one side of a job.
const WRITES: usize = 32;
/// Longest time of one side.
const LIMIT: Duration = Duration::from_millis(300);
/// Fewest writes of a way, over both sides, from which something follows.
const LEAST: usize = 10;
/// How much the medians of both sides may differ, as a share of the lower one, in a probe that is called steady.
const STEADY: f64 = 0.25;

/// What a sync cost beside the data of a job: synced overwrites of 4 KiB in a file that has its length already, just
/// before the job and just after it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
pub struct SyncProbe {
    /// Before the job.
    pub before: SyncTimes,
    /// After it.
    pub after: SyncTimes,
}

/// Times of synced overwrites, in the order of measurement.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncTimes {
    /// The fdatasync after a write through the page cache.
    pub fdatasync_ns: Vec<u64>,
    /// A write past the page cache that is synced by itself (`O_DIRECT`, `O_DSYNC`); none where there is no such thing.
    pub direct_ns: Vec<u64>,
    /// Flushes of the disk meanwhile, whosever they were; absent where it counts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
}

impl SyncTimes {
    /// Overwrites a block in `dir` up to 32 times each way, in turns, for at most 0.3 s.
    ///
    /// Fails where a file cannot be made in `dir`, written or synced, and once `interrupt` is set.
    pub fn measure(dir: &Path, interrupt: &AtomicBool) -> Result<SyncTimes, MachineError> {
        let (mut buffered, mut direct) = (Scratch::create(dir)?, Scratch::create(dir)?);
        let mut times = SyncTimes::default();
        let flushes = DeviceFlushes::of(dir);
        let count = || flushes.as_ref().and_then(DeviceFlushes::count);
        let counted = count();
        let until = Instant::now() + LIMIT;
        while times.fdatasync_ns.len() < WRITES && Instant::now() < until {
            times.fdatasync_ns.push(buffered.timed_sync_ns(interrupt)?);
            times.direct_ns.extend(direct.timed_direct_ns());
        }
        times.flushes = counted.and_then(|before| Some(count()?.saturating_sub(before)));
        Ok(times)
    }
}

impl SyncTimes {
    /// Flushes of others in a second meanwhile; `None` where the disk does not count every sync as one.
    fn foreign_flushes_per_s(&self) -> Option<f64> {
        let syncs = (self.fdatasync_ns.len() + self.direct_ns.len()) as u64;
        let foreign = self.flushes?.checked_sub(syncs).filter(|_| self.fdatasync_ns.len() >= LEAST)?;
        let took_ns: u64 = self.fdatasync_ns.iter().chain(&self.direct_ns).sum();
        Some(foreign as f64 / (took_ns.max(1) as f64 / 1e9))
    }
}

impl SyncProbe {
    /// Flushes of others that are to be expected in `wall_ns` beside this job, by the side of it that saw more. `None` where
    /// nothing follows from flushes: the disk did not count the syncs of the probe itself.
    pub fn foreign_flushes(&self, wall_ns: u64) -> Option<u64> {
        let per_s = self.before.foreign_flushes_per_s()?.max(self.after.foreign_flushes_per_s()?);
        Some((per_s * wall_ns as f64 / 1e9).ceil() as u64)
    }

    /// What the device needs at least to make 4 KiB safe: the 10th percentile of the quicker way, in ns. `None` where too
    /// little was measured.
    pub fn baseline_ns(&self) -> Option<u64> {
        self.quicker().map(|(baseline_ns, _)| baseline_ns)
    }

    /// Whether both sides of the job found the same device: their medians of the quicker way differ by at most a quarter.
    pub fn is_steady(&self) -> bool {
        let Some((_, [before, after])) = self.quicker() else { return false };
        if before.is_empty() || after.is_empty() {
            return false;
        }
        let medians = [nearest_rank(&before, 0.5) as f64, nearest_rank(&after, 0.5) as f64];
        medians[0].max(medians[1]) <= (1.0 + STEADY) * medians[0].min(medians[1])
    }

    /// The way with the lower 10th percentile: that, and the times before and after, each ascending.
    fn quicker(&self) -> Option<(u64, [Vec<u64>; 2])> {
        let sorted = |times: &Vec<u64>| {
            let mut times = times.clone();
            times.sort_unstable();
            times
        };
        let way = |before: &Vec<u64>, after: &Vec<u64>| {
            let all = sorted(&[before.as_slice(), after.as_slice()].concat());
            (all.len() >= LEAST).then(|| (nearest_rank(&all, 0.1), [sorted(before), sorted(after)]))
        };
        let ways = [
            way(&self.before.fdatasync_ns, &self.after.fdatasync_ns),
            way(&self.before.direct_ns, &self.after.direct_ns),
        ];
        ways.into_iter().flatten().min_by_key(|(baseline_ns, _)| *baseline_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(fdatasync_ns: &[u64], direct_ns: &[u64]) -> SyncTimes {
        SyncTimes { fdatasync_ns: fdatasync_ns.to_vec(), direct_ns: direct_ns.to_vec(), flushes: None }
    }

    fn probe(before: &[u64], after: &[u64]) -> SyncProbe {
        SyncProbe { before: times(before, &[]), after: times(after, &[]) }
    }

    #[test]
    fn a_probe_writes_both_ways_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let times = SyncTimes::measure(dir.path(), &AtomicBool::new(false)).unwrap();
        assert!((1..=WRITES).contains(&times.fdatasync_ns.len()) && times.direct_ns.len() <= times.fdatasync_ns.len());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_baseline_is_the_quickest_tenth_of_the_quicker_way() {
        let rising: Vec<u64> = (1..=20).map(|step| step * 100_000).collect();
        assert_eq!(probe(&rising, &rising).baseline_ns(), Some(200_000));
        let both = SyncProbe { before: times(&rising, &[90_000; 20]), after: times(&rising, &[90_000; 20]) };
        assert_eq!((both.baseline_ns(), both.is_steady()), (Some(90_000), true));
    }

    #[test]
    fn flushes_tell_only_where_the_disk_counted_those_of_the_probe() {
        // 40 syncs of 1 ms each way: 80 ms.
        let side = |flushes| SyncTimes { flushes, ..times(&[1_000_000; 40], &[1_000_000; 40]) };
        let foreign =
            |before, after| SyncProbe { before: side(before), after: side(after) }.foreign_flushes(1_000_000_000);
        assert_eq!(foreign(Some(80), Some(80)), Some(0));
        assert_eq!(foreign(Some(80), Some(96)), Some(200), "of the busier side");
        assert_eq!(foreign(Some(79), Some(96)), None, "not every sync was one");
        assert_eq!(foreign(None, Some(80)), None);
    }

    #[test]
    fn too_few_writes_tell_nothing() {
        let few = probe(&[500_000; 5], &[500_000; 4]);
        assert_eq!((few.baseline_ns(), few.is_steady()), (None, false));
        assert_eq!(probe(&[500_000; 5], &[500_000; 5]).baseline_ns(), Some(500_000));
    }

    #[test]
    fn sides_that_differ_by_more_than_a_quarter_are_no_steady_probe() {
        assert!(probe(&[400_000; 32], &[500_000; 32]).is_steady());
        assert!(!probe(&[400_000; 32], &[500_001; 32]).is_steady());
        assert!(!probe(&[900_000; 32], &[400_000; 32]).is_steady());
        // All of it from one side: nothing to compare with.
        assert!(!probe(&[400_000; 32], &[]).is_steady());
    }
}
