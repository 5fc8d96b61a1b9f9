//! What stores did when their disks failed, in words.

use kurabe_messages::{Message, message};
use kurabe_record::DiskFault;

use crate::figures::disk_faults::{AfterFault, DiskFaultAnswer, DuringFault};
use crate::findings::recommend::Advice;

/// What the trials of a run say, in the place of what to take.
pub(crate) fn advice(answers: &[DiskFaultAnswer]) -> Advice {
    let amiss: Vec<&DiskFaultAnswer> = answers.iter().filter(|one| one.is_amiss()).collect();
    let mut stores: Vec<&str> = amiss.iter().map(|one| one.candidate.as_str()).collect();
    stores.dedup();
    let headline = match () {
        () if answers.is_empty() => message!(loss_headline_none),
        () if stores.is_empty() => message!(fault_headline_kept),
        () => message!(fault_headline_lost, stores),
    };
    let started = DiskFault::ALL.into_iter().filter_map(|fault| started_again(answers, fault));
    Advice {
        headline,
        about: None,
        why: message!(loss_found),
        because: amiss.into_iter().map(amiss_by).chain(started).collect(),
        unless: Vec::new(),
        excluded: Vec::new(),
        not_measured: Vec::new(),
        others: Vec::new(),
    }
}

/// Who wrote again after a fault only when it was started again.
fn started_again(answers: &[DiskFaultAnswer], fault: DiskFault) -> Option<Message> {
    let of = |one: &&DiskFaultAnswer| one.fault == fault && one.after == AfterFault::StartedAgain;
    let stores: Vec<&str> = answers.iter().filter(of).map(|one| one.candidate.as_str()).collect();
    (!stores.is_empty()).then(|| message!(fault_started_again, stores, fault = word(fault)))
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
    pub fn is_amiss(&self) -> bool {
        self.loses_more() || self.damaged + self.not_back > 0
    }

    fn lost_most(&self) -> u64 {
        self.lost_writes.map_or(0, |writes| writes.greatest)
    }

    fn loses_more(&self) -> bool {
        self.lost_most() > self.allowed_commits.unwrap_or(0)
    }

    /// What it did meanwhile, in a few words.
    pub fn during_word(&self) -> Message {
        let share = self.share.unwrap_or(0.0);
        match self.during {
            DuringFault::NotMeasured => message!(loss_word_not_measured),
            DuringFault::WentOn => message!(fault_went_on, share),
            DuringFault::Slower => message!(fault_slower, share),
            DuringFault::Waited => message!(fault_waited),
            DuringFault::Failed => message!(fault_failed),
            DuringFault::Ended => message!(fault_ended),
        }
    }

    /// What came of it afterwards, in a few words.
    pub fn after_word(&self) -> Message {
        match self.after {
            AfterFault::ByItself => message!(fault_by_itself),
            AfterFault::StartedAgain => message!(fault_needs_start),
            AfterFault::NotBack => message!(loss_word_not_back),
        }
    }

    /// Whether it kept its rows, in a few words.
    pub fn kept_word(&self) -> Message {
        match () {
            () if self.not_back > 0 => message!(loss_word_not_back),
            () if self.damaged > 0 => message!(loss_word_damaged),
            () if self.loses_more() => message!(fault_word_lost, writes = self.lost_most()),
            () if self.lost > 0 => message!(loss_word_allowed),
            () => message!(loss_word_kept),
        }
    }
}
