//! What kills took, in words.

use kurabe_messages::{Message, message};

use super::durability::loss_in_short;
use crate::figures::losses::{LossAnswer, LossVerdict};
use crate::findings::recommend::Advice;

/// So many stores that lost nothing are named; the table has all.
const NAMED: usize = 4;

/// What the trials of a run say, in the place of what to take.
pub(crate) fn advice(losses: &[LossAnswer]) -> Advice {
    let with = |verdict| losses.iter().filter(move |one| one.verdict == verdict && !one.is_control);
    let lost = [LossVerdict::Broken, LossVerdict::Lost, LossVerdict::Allowed].into_iter().flat_map(with);
    let mut because: Vec<Message> = lost.map(LossAnswer::message).collect();
    because.extend(kept(losses));
    Advice {
        headline: headline(losses),
        about: None,
        why: message!(loss_found),
        because,
        unless: Vec::new(),
        excluded: Vec::new(),
        not_measured: with(LossVerdict::NotMeasured).map(LossAnswer::message).collect(),
        others: Vec::new(),
    }
}

fn headline(losses: &[LossAnswer]) -> Message {
    let names = |verdict| -> Vec<&str> {
        let of_verdict = losses.iter().filter(move |one| one.verdict == verdict && !one.is_control);
        of_verdict.map(|one| one.candidate.as_str()).collect()
    };
    let broken = names(LossVerdict::Broken);
    match () {
        () if losses.iter().all(|one| one.trials == 0 || one.is_control) => message!(loss_headline_none),
        () if !broken.is_empty() => message!(loss_headline_broken, stores = broken),
        () if !names(LossVerdict::HarnessBroken).is_empty() => message!(loss_headline_control),
        () => message!(loss_headline_kept),
    }
}

/// Those that lost nothing in as many trials together.
fn kept(losses: &[LossAnswer]) -> Vec<Message> {
    let kept: Vec<&LossAnswer> = losses.iter().filter(|one| one.verdict == LossVerdict::Kept).collect();
    let mut trials: Vec<usize> = kept.iter().map(|one| one.trials).collect();
    trials.sort_unstable();
    trials.dedup();
    let of = |trials: &usize| {
        let alike: Vec<&LossAnswer> = kept.iter().copied().filter(|one| one.trials == *trials).collect();
        let stores: Vec<&str> = alike.iter().map(|one| one.candidate.as_str()).collect();
        kept_by(&stores, alike[0])
    };
    trials.iter().rev().map(of).collect()
}

/// That these lost nothing, as often as `one` of them was killed.
fn kept_by(stores: &[&str], one: &LossAnswer) -> Message {
    let (kills, share) = (one.trials, one.most_share.unwrap_or(1.0));
    if stores.len() > NAMED {
        message!(loss_kept_by_many, count = stores.len(), kills, share)
    } else {
        message!(loss_kept_by, stores, kills, share)
    }
}

impl LossAnswer {
    /// What was found of it.
    pub fn message(&self) -> Message {
        let (candidate, kills) = (&self.candidate, self.trials);
        let promised = || self.promised.map(loss_in_short);
        match self.verdict {
            LossVerdict::NotMeasured => message!(loss_not_measured, candidate),
            LossVerdict::HarnessBroken => message!(loss_headline_control),
            LossVerdict::Kept => kept_by(&[candidate], self),
            _ if self.not_back > 0 => {
                let error = self.failure.clone().unwrap_or_else(|| "".into());
                message!(loss_not_back, candidate, times = self.not_back, kills, error, promised = promised())
            }
            _ if self.damaged > 0 => {
                message!(loss_damaged, candidate, times = self.damaged, kills, promised = promised())
            }
            LossVerdict::Broken | LossVerdict::Lost | LossVerdict::Allowed => {
                let writes = self.lost_writes.map_or(0, |writes| writes.greatest);
                // Of a single write that is the last there is no time between.
                let time = self.lost_ns.filter(|ns| ns.greatest > 0);
                let time = time.map(|ns| message!(loss_time, time = ns.greatest));
                message!(loss_lost, candidate, writes, time, times = self.lost, kills, promised = promised())
            }
        }
    }

    /// The verdict in a few words.
    pub fn word(&self) -> Message {
        match self.verdict {
            LossVerdict::NotMeasured => message!(loss_word_not_measured),
            LossVerdict::HarnessBroken => message!(loss_word_harness_broken),
            LossVerdict::Kept => message!(loss_word_kept),
            _ if self.is_control => message!(loss_word_caught),
            LossVerdict::Broken if self.not_back > 0 => message!(loss_word_not_back),
            LossVerdict::Broken if self.damaged > 0 => message!(loss_word_damaged),
            LossVerdict::Broken => message!(loss_word_broken),
            LossVerdict::Allowed if self.not_back > 0 => message!(loss_word_not_back_allowed),
            LossVerdict::Allowed => message!(loss_word_allowed),
            LossVerdict::Lost => message!(loss_word_lost),
        }
    }
}
