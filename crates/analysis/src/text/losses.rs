//! What kills and power cuts took, in words.

use kurabe_messages::{Message, message};

use super::durability::loss_in_short;
use crate::figures::losses::{LossAnswer, LossFault, LossVerdict};
use crate::findings::recommend::Advice;

/// So many stores that kept what they promise are named; the table has all.
const NAMED: usize = 4;

/// What the trials of a run say, in the place of what to take.
pub(crate) fn advice(losses: &[LossAnswer]) -> Advice {
    let lost = [LossVerdict::Broken, LossVerdict::Lost];
    let because = lost.into_iter().flat_map(|verdict| stores(losses, verdict)).map(lost_by);
    let because = because.chain(allowed(losses));
    let not_measured = |one: &LossAnswer| match &one.failure {
        Some(error) => message!(loss_not_measured_since, candidate = &one.candidate, error),
        None => message!(loss_not_measured, candidate = &one.candidate),
    };
    Advice {
        headline: headline(losses),
        about: None,
        why: message!(loss_found),
        because: because.chain(kept(losses)).collect(),
        unless: Vec::new(),
        excluded: Vec::new(),
        not_measured: stores(losses, LossVerdict::NotMeasured).map(not_measured).collect(),
        others: Vec::new(),
    }
}

/// The stores of a verdict, without controls.
fn stores(losses: &[LossAnswer], verdict: LossVerdict) -> impl Iterator<Item = &LossAnswer> {
    losses.iter().filter(move |one| one.verdict == verdict && !one.is_control)
}

fn headline(losses: &[LossAnswer]) -> Message {
    let broken: Vec<&str> = stores(losses, LossVerdict::Broken).map(|one| one.candidate.as_str()).collect();
    let fault = match losses.first().map(|one| one.fault) {
        Some(LossFault::PowerCut) => message!(loss_a_cut),
        _ => message!(loss_a_kill),
    };
    match () {
        () if losses.iter().all(|one| one.trials == 0 || one.is_control) => message!(loss_headline_none),
        () if !broken.is_empty() => message!(loss_headline_broken, stores = broken, fault),
        () if stores(losses, LossVerdict::HarnessBroken).next().is_some() => message!(loss_headline_control),
        () => message!(loss_headline_kept, fault),
    }
}

/// What those lost that may.
fn allowed(losses: &[LossAnswer]) -> Vec<Message> {
    let count = stores(losses, LossVerdict::Allowed).count();
    if count > NAMED {
        return vec![message!(loss_allowed_by_many, count)];
    }
    stores(losses, LossVerdict::Allowed).map(lost_by).collect()
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

/// That these lost nothing in as many trials as `one` of them.
fn kept_by(stores: &[&str], one: &LossAnswer) -> Message {
    let (faults, share) = (one.faults(), one.most_share.unwrap_or(1.0));
    if stores.len() > NAMED {
        message!(loss_kept_by_many, count = stores.len(), faults, share)
    } else {
        message!(loss_kept_by, stores, faults, share)
    }
}

/// What one lost beside what its setting allows.
fn lost_by(one: &LossAnswer) -> Message {
    let (candidate, faults, promised) = (&one.candidate, one.faults(), one.promised.map(loss_in_short));
    if let Some(error) = &one.failure {
        message!(loss_not_back, candidate, times = one.not_back, faults, error, promised)
    } else if one.damaged > 0 {
        message!(loss_damaged, candidate, times = one.damaged, faults, promised)
    } else {
        let writes = one.lost_writes.map_or(0, |writes| writes.greatest);
        // Of a single write that is the last there is no time between.
        let time = one.lost_ns.filter(|ns| ns.greatest > 0);
        let time = time.map(|ns| message!(loss_time, time = ns.greatest));
        message!(loss_lost, candidate, writes, time, times = one.lost, faults, promised)
    }
}

impl LossAnswer {
    /// How often it was ended, such as "20 kills".
    fn faults(&self) -> Message {
        match self.fault {
            LossFault::Kill => message!(loss_kills, count = self.trials),
            LossFault::PowerCut => message!(loss_cuts, count = self.trials),
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
            LossVerdict::Allowed if self.damaged > 0 => message!(loss_word_damaged_allowed),
            LossVerdict::Allowed => message!(loss_word_allowed),
            LossVerdict::Lost => message!(loss_word_lost),
        }
    }
}
