//! What is looked at when a phase is over, and at the end: what lies on the disk, what counters hold, how many rows there are.

use kurabe_machine::{disk_usage, syncfs};
use kurabe_protocol::reply::{Count, Size, Sum};
use kurabe_protocol::{Hello, Increments, PhaseResult};
use kurabe_record::{CounterSum, FinalCount, PhaseOutcome, PhaseRecord, StoreKind};

use super::Work;
use crate::fault::Fault;

impl Work<'_> {
    /// Waits until what was written has reached the device, and measures how long that takes and how much it is.
    pub(super) fn flush(&mut self, record: &mut PhaseRecord) -> Result<(), Fault> {
        self.settle(record.operation)?;
        let sees_disk = self.candidate.record.at_url.is_none() && self.keeps_files() && self.disk.is_none();
        if sees_disk {
            record.flush_ns = Some(self.sync()?);
        }
        record.store_bytes = self.call::<Size>()?.map(|size| size.bytes);
        if sees_disk {
            // A store may have written what it still held in memory, so that it knows its size.
            self.sync()?;
            record.disk_bytes = self.disk_bytes();
        }
        Ok(())
    }

    /// Waits until the file system of the data has written everything; returns the time in ns.
    fn sync(&self) -> Result<u64, Fault> {
        Ok(syncfs(&self.folder, self.halt.interrupt)?)
    }

    /// Compares the sum of all counters with the increments of all phases so far.
    pub(super) fn counters(&mut self, results: &[PhaseResult]) -> Result<Option<CounterSum>, Fault> {
        results.iter().filter_map(|result| result.increments).for_each(|some| self.increments.merge(some));
        let total = self.call::<Sum>()?;
        let Increments { acknowledged, unknown } = self.increments;
        Ok(total.map(|total| CounterSum { sum: total.sum, least: acknowledged, most: acknowledged + unknown }))
    }

    pub(super) fn keeps_files(&self) -> bool {
        self.candidate.store.kind == StoreKind::Store
    }

    pub(super) fn disk_bytes(&self) -> Option<u64> {
        if self.candidate.record.at_url.is_some() || !self.keeps_files() {
            return None;
        }
        disk_usage(&self.data()).ok().map(|usage| usage.allocated_bytes)
    }

    pub(super) fn final_count(&mut self, phases: &[PhaseRecord], hello: &Hello) -> Result<Option<FinalCount>, Fault> {
        let copies = if hello.capabilities.keeps_copies { self.passes_of_last_load(phases) } else { 1 };
        let Some(last) = phases.iter().rev().find(|phase| phase.outcome == PhaseOutcome::Ran) else { return Ok(None) };
        let present: u64 = last.results.iter().map(|result| result.rows_present).sum();
        let unknown: u64 = last.results.iter().map(|result| result.rows_unknown).sum();
        let counted = self.call::<Count>()?;
        Ok(counted.map(|counted| FinalCount {
            counted_rows: counted.rows,
            least_rows: present.saturating_sub(unknown) * copies,
            most_rows: (present + unknown) * copies,
        }))
    }

    /// How often the load that ran last wrote every row.
    fn passes_of_last_load(&self, phases: &[PhaseRecord]) -> u64 {
        let ran = phases.iter().rev().filter(|phase| phase.outcome == PhaseOutcome::Ran);
        let mut loads = ran.filter_map(|record| self.context.config.phase(&record.name)?.phase.in_client().loading());
        loads.next().map_or(1, |loading| u64::from(loading.passes))
    }
}
