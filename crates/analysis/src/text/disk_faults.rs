//! What stores did when their disks failed, in words.

use kurabe_messages::{Message, message};
use kurabe_record::{DiskFault, Loss};

use crate::figures::disk_faults::{AfterFault, DiskFaultAnswer, DuringFault};
use crate::findings::recommend::Advice;

/// What the trials of a run say, in the place of what to take.
pub(crate) fn advice(answers: &[DiskFaultAnswer]) -> Advice {
    let amiss: Vec<&DiskFaultAnswer> = answers.iter().filter(|one| one.is_amiss()).collect();
    let mut stores: Vec<&str> = amiss.iter().map(|one| one.candidate.as_str()).collect();
    stores.dedup();
    let trials: usize = answers.iter().map(|one| one.trials).sum();
    let headline = match () {
        () if trials == 0 => message!(loss_headline_none),
        () if stores.is_empty() => message!(fault_headline_kept, trials),
        () => message!(fault_headline_lost, stores),
    };
    let silent = DiskFault::ALL.into_iter().filter_map(|fault| silent(answers, fault));
    let untried = answers.iter().filter(|one| one.trials == 0);
    let not_measured =
        |one: &DiskFaultAnswer| message!(fault_not_measured, candidate = &one.candidate, fault = word(one.fault));
    Advice {
        headline,
        about: None,
        why: message!(loss_found),
        because: amiss.into_iter().map(amiss_by).chain(silent).collect(),
        unless: Vec::new(),
        excluded: Vec::new(),
        not_measured: untried.map(not_measured).collect(),
        others: Vec::new(),
    }
}

/// Who acknowledged nothing any more after a fault.
fn silent(answers: &[DiskFaultAnswer], fault: DiskFault) -> Option<Message> {
    let of = |one: &&DiskFaultAnswer| one.fault == fault && one.after == Some(AfterFault::NotSeen);
    let stores: Vec<&str> = answers.iter().filter(of).map(|one| one.candidate.as_str()).collect();
    let time = answers.iter().filter(of).filter_map(|one| one.watched_ns).min()?;
    Some(message!(fault_silent, stores, fault = word(fault), time))
}

fn amiss_by(one: &DiskFaultAnswer) -> Message {
    let (candidate, fault, trials) = (&one.candidate, word(one.fault), one.trials);
    if let Some(error) = &one.failure {
        message!(fault_not_back, candidate, fault, times = one.not_back, trials, error)
    } else if one.damaged > 0 {
        message!(fault_damaged, candidate, fault, times = one.damaged, trials)
    } else {
        message!(fault_lost, candidate, fault, times = one.lost, trials, writes = one.lost_most())
    }
}

/// How a disk failed, such as "a full disk".
pub fn word(fault: DiskFault) -> Message {
    match fault {
        DiskFault::Full => message!(fault_full),
        DiskFault::WriteError => message!(fault_write_error),
        DiskFault::SyncError => message!(fault_sync_error),
        DiskFault::ReadOnly => message!(fault_read_only),
        DiskFault::Slow => message!(fault_slow),
    }
}

impl DiskFaultAnswer {
    /// Whether it lost what it had acknowledged, more than its setting may at any power failure, or its rows.
    fn is_amiss(&self) -> bool {
        self.loses_more() || self.damaged + self.not_back > 0
    }

    fn lost_most(&self) -> u64 {
        self.lost_writes.map_or(0, |writes| writes.greatest)
    }

    fn loses_more(&self) -> bool {
        match self.promised {
            Some(Loss::Commits(most)) => self.lost_most() > most,
            None | Some(Loss::Nothing) => self.lost > 0,
            // No number of commits: the table tells what was lost.
            Some(_) => false,
        }
    }

    /// What it did meanwhile, in a few words.
    pub fn during_word(&self) -> Message {
        let share = self.share.unwrap_or(0.0);
        match self.during {
            DuringFault::NotMeasured => message!(loss_word_not_measured),
            DuringFault::WentOn => message!(fault_went_on),
            DuringFault::Slower => message!(fault_slower, share),
            DuringFault::Waited => message!(fault_waited),
            DuringFault::Failed => message!(fault_failed),
            DuringFault::Ended => message!(fault_ended),
        }
    }

    /// What came of it afterwards, in a few words.
    pub fn after_word(&self) -> Message {
        match self.after {
            None => message!(loss_word_not_measured),
            Some(AfterFault::ByItself) => message!(fault_by_itself),
            Some(AfterFault::NotSeen) => message!(fault_not_seen, time = self.watched_ns.unwrap_or(0)),
        }
    }

    /// Whether it kept its rows, in a few words.
    pub fn kept_word(&self) -> Message {
        match () {
            () if self.not_back > 0 => message!(loss_word_not_back),
            () if self.damaged > 0 => message!(loss_word_damaged),
            () if self.loses_more() => message!(fault_word_lost, writes = self.lost_most()),
            () if self.trials == 0 => message!(loss_word_not_measured),
            () if self.lost > 0 && matches!(self.promised, Some(Loss::Commits(_))) => message!(loss_word_allowed),
            () if self.lost > 0 => message!(loss_word_lost),
            () => message!(loss_word_kept),
        }
    }
}
