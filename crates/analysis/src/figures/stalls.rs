//! Stalls: times in which next to nothing was completed, found in the series of a phase.

use kurabe_protocol::Phase;
use kurabe_record::{Act, ActionRecord, BackgroundRecord, PhaseRecord};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::phase_job::PhaseJob;
use crate::figures::time_series::merged;

/// A slot belongs to a stall where its rate is below this share of the median slot's.
const STALLED_SHARE: f64 = 0.1;
/// Operations that the usual rate would have completed meanwhile, at the least: fewer may be missing by chance.
const MIN_MISSING: f64 = 20.0;
/// What is shorter, in ns, is no stall: connections begin together, and not all at once.
const LEAST_NS: u64 = 20_000_000;
/// What a study does to a service holds operations up for some time after it, in ns.
const AFTER_ACTION_NS: u64 = 1_000_000_000;
/// A line of a log is seen so late at the most, and may tell of what began so long before, in ns.
const LATE_LINE_NS: u64 = 500_000_000;

/// A time in which a candidate completed next to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stall {
    /// Round, from 0.
    pub round: u32,
    /// When it began, in ns after the first operation.
    pub at_ns: u64,
    /// How long it lasted, in ns: whole slots of the series.
    pub lasted_ns: u64,
    /// What happened then; absent where nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<StallCause>,
}

/// What happened in the time of a stall, or right before it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StallCause {
    /// What the study did to a service.
    Action {
        /// It.
        act: Act,
    },
    /// Work of the store beside its clients, of which its log told.
    Background {
        /// As its descriptor names it.
        what: String,
    },
}

/// The longest over all rounds. Where the rate of `phase` rises or falls, rates are compared with what is planned then.
pub(crate) fn longest(jobs: &[PhaseJob<'_>], phase: &Phase) -> Option<Stall> {
    let of_round = |job: &PhaseJob<'_>| {
        let record = job.ran()?;
        let (slot_ns, rates) = merged(record)?;
        let (first, slots) = longest_run(slot_ns, &rates, &usual_rates(slot_ns, &rates, phase))?;
        let (at_ns, lasted_ns) = (first as u64 * slot_ns, slots as u64 * slot_ns);
        Some(Stall { round: job.job.round, at_ns, lasted_ns, during: cause(record, at_ns, lasted_ns) })
    };
    // Of two of the same length the first.
    jobs.iter().filter_map(of_round).rev().max_by_key(|stall| stall.lasted_ns)
}

/// What is usual in each slot: the median rate. Where the rate of `phase` rises or falls, the share of what is planned for
/// the slot that is the median one.
fn usual_rates(slot_ns: u64, rates: &[f64], phase: &Phase) -> Vec<f64> {
    let ramp = phase.schedule.as_ref().filter(|schedule| schedule.rate_to.is_some()).zip(phase.end.duration_ns());
    let planned = |slot: usize| {
        ramp.map_or(1.0, |(schedule, lasts_ns)| {
            let at = (slot as f64 + 0.5) * slot_ns as f64 / lasts_ns as f64;
            schedule.rate_at(at.min(1.0))
        })
    };
    let mut shares: Vec<f64> = rates.iter().enumerate().map(|(slot, rate)| rate / planned(slot)).collect();
    shares.sort_by(f64::total_cmp);
    let median = shares.get(rates.len() / 2).copied().unwrap_or(0.0);
    (0..rates.len()).map(|slot| median * planned(slot)).collect()
}

/// The first slot and the number of slots of the longest run that is a stall; `usual` are the rates that are no stall.
fn longest_run(slot_ns: u64, rates: &[f64], usual: &[f64]) -> Option<(usize, usize)> {
    let slots: Vec<(bool, f64)> =
        rates.iter().zip(usual).map(|(rate, usual)| (*rate < usual * STALLED_SHARE, *usual)).collect();
    let mut longest: Option<(usize, usize)> = None;
    let mut at = 0;
    for run in slots.chunk_by(|left, right| left.0 == right.0) {
        let lasted_ns = run.len() as u64 * slot_ns;
        let missing = run.iter().map(|(_, usual)| usual).sum::<f64>() * slot_ns as f64 / 1e9;
        let is_stall = run[0].0 && lasted_ns >= LEAST_NS && missing >= MIN_MISSING;
        if is_stall && longest.is_none_or(|(_, slots)| run.len() > slots) {
            longest = Some((at, run.len()));
        }
        at += run.len();
    }
    longest
}

/// What the study did to a service in that time or shortly before, else what the store's log told then.
fn cause(record: &PhaseRecord, at_ns: u64, lasted_ns: u64) -> Option<StallCause> {
    let until_ns = at_ns.saturating_add(lasted_ns);
    let overlaps = |action: &&ActionRecord| {
        let lasted = action.lasted_ns.unwrap_or(0).saturating_add(action.recovery_ns.unwrap_or(0));
        action.began_ns.is_some_and(|began_ns| {
            let effect_ns = began_ns.saturating_add(lasted).saturating_add(AFTER_ACTION_NS);
            began_ns <= until_ns && at_ns <= effect_ns
        })
    };
    let told = |background: &&BackgroundRecord| {
        let seen_ns = background.at_ns;
        seen_ns.saturating_add(LATE_LINE_NS) >= at_ns && seen_ns <= until_ns.saturating_add(LATE_LINE_NS)
    };
    let action = record.actions.iter().find(overlaps).map(|action| StallCause::Action { act: action.plan.act });
    action.or_else(|| record.background.iter().find(told).map(|one| StallCause::Background { what: one.what.clone() }))
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, End, Pattern, Schedule};

    use super::*;

    const SLOT_NS: u64 = 100_000_000;

    #[test]
    fn the_longest_time_without_operations_is_a_stall() {
        let mut rates = vec![1_000.0; 30];
        assert_eq!(run(SLOT_NS, &rates), None);
        rates[4] = 50.0;
        rates[10..13].fill(0.0);
        rates[20..22].fill(90.0);
        assert_eq!(run(SLOT_NS, &rates), Some((10, 3)));
    }

    /// Of a phase at one rate.
    fn run(slot_ns: u64, rates: &[f64]) -> Option<(usize, usize)> {
        let phase = Phase::new("read", Action::Read, End::DurationNs(3_000_000_000));
        longest_run(slot_ns, rates, &usual_rates(slot_ns, rates, &phase))
    }

    #[test]
    fn a_rate_that_begins_low_is_no_stall() {
        let slot_ns = SLOT_NS / 4;
        let ramp =
            Schedule { rate: 10, rate_to: Some(10_000), pattern: Pattern::Constant, queue: None, gaps_stream: None };
        let end = End::DurationNs(400 * slot_ns);
        let phase = Phase { schedule: Some(ramp.clone()), ..Phase::new("read", Action::Read, end) };
        let mut rates = vec![0.0; 400];
        for start_ns in ramp.starts(&[], 400 * slot_ns) {
            rates[(start_ns / slot_ns) as usize] += 1e9 / slot_ns as f64;
        }
        assert_eq!(rates[0], 0.0, "nothing is planned for the first slot");
        let usual = usual_rates(slot_ns, &rates, &phase);
        assert_eq!(longest_run(slot_ns, &rates, &usual), None);
        assert_eq!(run(slot_ns, &rates).map(|(first, _)| first), Some(0), "were it one rate");
        rates[200..203].fill(0.0);
        let usual = usual_rates(slot_ns, &rates, &phase);
        assert_eq!(longest_run(slot_ns, &rates, &usual), Some((200, 3)));
        // What is planned for the end is none of the middle's.
        rates.truncate(210);
        let usual = usual_rates(slot_ns, &rates, &phase);
        assert_eq!(longest_run(slot_ns, &rates, &usual), Some((200, 3)));
    }

    #[test]
    fn a_stall_is_named_by_what_happened_then() {
        let mut record = PhaseRecord::new("read", kurabe_protocol::Operation::Read);
        let background = |at_ns: u64| BackgroundRecord { at_ns, what: "checkpoint".into() };
        record.background = vec![background(100_000_000), background(5_200_000_000)];
        let named = |at_ns| cause(&record, at_ns, 300_000_000);
        let checkpoint = Some(StallCause::Background { what: "checkpoint".into() });
        assert_eq!([named(5_000_000_000), named(5_600_000_000)], [checkpoint.clone(), checkpoint]);
        assert_eq!([named(2_000_000_000), named(6_000_000_000)], [None, None]);
    }

    #[test]
    fn what_may_be_chance_or_is_only_slow_is_none() {
        let mut rates = vec![1_000.0; 30];
        rates[5..15].fill(101.0);
        assert_eq!(run(SLOT_NS, &rates), None, "a tenth is done");
        let mut few = vec![100.0; 30];
        few[5] = 0.0;
        assert_eq!(run(SLOT_NS, &few), None, "ten are missing");
        few[6] = 0.0;
        assert_eq!(run(SLOT_NS, &few), Some((5, 2)));
        let quick: Vec<f64> = (0..30).map(|slot| if slot == 9 { 0.0 } else { 1e6 }).collect();
        assert_eq!(run(1_000_000, &quick), None, "a millisecond");
        assert_eq!(run(SLOT_NS, &[]), None);
        assert_eq!(run(SLOT_NS, &[0.0; 9]), None, "nothing is the usual");
    }
}
