//! A job whose store lies on a disk of its own, so that it can fail, and its power be cut.

use std::time::{Duration, Instant};

use kurabe_disk::Disk;
use kurabe_messages::message;
use kurabe_protocol::Operation;
use kurabe_protocol::stream::{self, StreamKind};
use kurabe_record::{CutRecord, DiskFault, JobErrorKind, Loss, Unsynced};
use kurabe_service::{FolderAccess, make_folder, send_kill};

use super::Work;
use crate::fault::{Fault, LOOK};
use crate::power::room_bytes;
use crate::services::{PlannedEnd, ServiceRole};

/// Of a store that syncs more rarely, the rows of the load may be lost too.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

impl Work<'_> {
    /// Mounts a disk for the store's data where one fails in a phase, or its power is cut.
    pub(super) fn mount_disk(&mut self) -> Result<(), Fault> {
        if !self.context.config.has_own_disk() {
            return Ok(());
        }
        let folder = self.folder.join("disk");
        make_folder(&folder, FolderAccess::Everybody).map_err(|error| Fault::of_folder(&folder, &error))?;
        let disk = Disk::mount(&folder, room_bytes()).map_err(|error| Fault::of_folder(&folder, &error))?;
        self.disk = Some(disk);
        Ok(())
    }

    /// Syncs all that lies on a disk whose power is cut. After a load it first waits until the store has synced by itself
    /// what it was given, as its setting says: what the cut takes are to be updates, and not the rows or their table.
    pub(super) fn settle(&self, operation: Operation) -> Result<(), Fault> {
        let Some(disk) = &self.disk else { return Ok(()) };
        let power = self.candidate.durability.as_ref().map(|setting| setting.power);
        if let (Operation::Load, Some(Loss::Millis(ms))) = (operation, power) {
            self.wait(Duration::from_millis(ms).min(LONGEST_WAIT))?;
        }
        disk.sync_all();
        Ok(())
    }

    /// Waits, at most until the job is to end.
    fn wait(&self, time: Duration) -> Result<(), Fault> {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.halt.check()?;
            std::thread::sleep(left.min(LOOK));
        }
        Ok(())
    }

    /// Lets the disk fail for a while; returns how. Where the study names no fault, they come in turn with the rounds.
    pub(super) fn break_disk(&self, fault: Option<DiskFault>, time: Duration) -> Result<DiskFault, Fault> {
        let fault = fault.unwrap_or(DiskFault::ALL[self.round as usize % DiskFault::ALL.len()]);
        let disk = self.disk.as_ref().ok_or_else(no_disk)?;
        disk.set_fault(Some(fault));
        let waited = self.wait(time);
        // Or those who wait for it could not end.
        disk.set_fault(None);
        waited.map(|()| fault)
    }

    /// Cuts the power of the disk: the service ends at once, and finds at its next start what was left. What that is comes
    /// in turn with the rounds, so that all candidates get the same.
    pub(super) fn cut_power(&mut self, role: ServiceRole) -> Result<CutRecord, Fault> {
        let mut disk = self.disk.take().ok_or_else(no_disk)?;
        let pids: Vec<u32> = self.services.pids(role).collect();
        let cut = disk.cut(|| pids.iter().copied().for_each(send_kill));
        self.services.end(role, PlannedEnd::Killed)?;
        // Where the disk failed before, what it was told to sync is the question, and not what it had not been told.
        let unsynced = match self.context.config.breaks_disk() {
            true => Unsynced::Dropped,
            false => Unsynced::ALL[self.round as usize % Unsynced::ALL.len()],
        };
        let seed = stream::seed_of(self.context.study.plan.seed, self.number, 0, StreamKind::Cuts);
        let path = disk.path().to_path_buf();
        let record = disk.restore(cut, unsynced, seed).map_err(|error| Fault::of_folder(&path, &error))?;
        self.disk = Some(disk);
        Ok(record)
    }
}

fn no_disk() -> Fault {
    Fault::new(JobErrorKind::Service, message!(run_no_disk))
}
