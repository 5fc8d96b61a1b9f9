//! Whether the machine was one and the same for all jobs, and ours alone.

use std::collections::BTreeMap;

use kurabe_record::{CandidateRecord, LEAST_COUNTED_NS, MOST_OTHERS, MOST_STOLEN, PhasePlan};

use crate::figures::caution::Caution;
use crate::figures::input::Input;
use crate::figures::phase_job::PhaseJob;
use crate::figures::resources;

/// Fewer canaries say too little about their tenths.
const MIN_CANARIES: usize = 10;
/// In a calm run the slowest tenth of the canaries took 1.07 times as long as the fastest, in two runs at once 1.10 and
/// 1.19 (24 or 25 jobs each).
const STEADY_RATIO: f64 = 1.25;

/// On an unstable machine so many times over decides all the same whether a need is met and a claim is right: what
/// disturbs a run makes no store so much faster or slower over all rounds.
pub(crate) const SURE: f64 = 4.0;

/// Told where the canaries' arithmetic, the same before every job, did not take the same time: the slowest of the
/// fastest tenth of them beside the fastest of the slowest tenth.
pub(crate) fn unsteady_processor(input: &Input<'_>) -> Option<Caution> {
    let mut spins_ns: Vec<u64> = input.jobs.iter().filter_map(|job| Some(job.canary.as_ref()?.spin_ns)).collect();
    if spins_ns.len() < MIN_CANARIES {
        return None;
    }
    spins_ns.sort_unstable();
    let tenth = spins_ns.len().div_ceil(10);
    let (fast_ns, slow_ns) = (spins_ns[tenth - 1], spins_ns[spins_ns.len() - tenth]);
    (slow_ns as f64 > fast_ns as f64 * STEADY_RATIO).then_some(Caution::Unsteady { fast_ns, slow_ns })
}

/// So many other programs are named.
const NAMED: usize = 3;

/// Told of the phase that decides in which others used the processors most, where that was too much: over all
/// candidates and rounds, since the system counts in hundredths of a second.
pub(crate) fn shared_processors(input: &Input<'_>) -> Option<Caution> {
    let is_at_address = |name: &str| input.candidates().any(|one| one.name == name && one.at_url.is_some());
    let share = |plan: &PhasePlan| {
        // Summed up before they are subtracted: the hundredths are rounded both ways.
        let (mut busy_ns, mut ours_ns, mut steal_ns, mut all_ns) = (0, 0, 0, 0);
        for job in &input.jobs {
            let Some(record) = PhaseJob::of(job, plan).ran() else { continue };
            let Some(machine) = &record.machine else { continue };
            let ours = match is_at_address(&job.candidate) {
                // Which of the programs is the server nobody knows.
                true => Some(machine.busy_ns),
                false => resources::whole_cpu_ns(input, &job.candidate, record),
            };
            // What is not known to be ours is not known to be others'.
            let Some(known_ns) = ours else { continue };
            ours_ns += known_ns;
            busy_ns += machine.busy_ns;
            steal_ns += machine.steal_ns;
            all_ns += machine.all_ns;
        }
        let of = |part: u64| part as f64 / all_ns as f64;
        (all_ns >= LEAST_COUNTED_NS)
            .then(|| (plan.phase.name.clone(), of(busy_ns.saturating_sub(ours_ns)), of(steal_ns)))
    };
    let too_much = input
        .plan()
        .deciding()
        .filter_map(share)
        .filter(|(_, others, steal)| *others > MOST_OTHERS || *steal > MOST_STOLEN);
    let most = too_much.max_by(|a, b| (a.1 + a.2).total_cmp(&(b.1 + b.2)));
    most.map(|(phase, others, steal)| Caution::Shared { phase, others, steal, programs: programs(input) })
}

/// The other programs that used most of the processors beside jobs that were disturbed, the most frequent first.
fn programs(input: &Input<'_>) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    input
        .jobs
        .iter()
        .filter_map(|job| job.busiest_other.as_deref())
        .for_each(|name| *times.entry(name).or_default() += 1);
    let mut names: Vec<(&str, usize)> = times.into_iter().collect();
    names.sort_by_key(|named| std::cmp::Reverse(named.1));
    names.into_iter().take(NAMED).map(|(name, _)| name.to_string()).collect()
}

/// In so large a share of its periods a quota may be used up before it is told: one in a hundred is a pause that shows
/// in p99.
const MOST_THROTTLED: f64 = 0.01;

/// Told of the phase that decides in which a CPU quota was used up most often, over all candidates and rounds.
pub(crate) fn throttled(input: &Input<'_>) -> Option<Caution> {
    let share = |plan: &PhasePlan| {
        let used = input.jobs.iter().filter_map(|job| PhaseJob::of(job, plan).ran()?.machine);
        let counted = used.filter_map(|machine| Some((machine.throttled_periods?, machine.quota_periods?)));
        let (throttled, periods) = counted.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (periods > 0).then(|| (plan.phase.name.clone(), throttled as f64 / periods as f64))
    };
    let too_much = input.plan().deciding().filter_map(share).filter(|(_, share)| *share >= MOST_THROTTLED);
    let (phase, share) = too_much.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Caution::Throttled { phase, share, quota: input.run.machine.quota_words() })
}

/// Told where other runs of Kurabe were at work beside jobs of this one.
pub(crate) fn other_runs(input: &Input<'_>) -> Option<Caution> {
    let disturbed = input.jobs.iter().filter(|job| job.other_runs > 0).count();
    (disturbed > 0).then_some(Caution::OtherRuns { disturbed, jobs: input.jobs.len() })
}

/// One sentence for every candidate whose virtual machine stood still for garbage while it was measured.
pub(crate) fn pauses(input: &Input<'_>) -> Vec<Caution> {
    let of = |candidate: &CandidateRecord| {
        let jobs = input.jobs.iter().filter(|job| job.candidate == candidate.name);
        let results = jobs.flat_map(|job| &job.phases).flat_map(|phase| &phase.results);
        let (mut pauses, mut paused_ns, mut measured_ns, mut peak, mut most) = (0, 0, 0, 0, 0);
        for result in results {
            let Some(runtime) = &result.runtime else { continue };
            pauses += runtime.gc_pauses;
            paused_ns += runtime.gc_pause_ns;
            peak = peak.max(runtime.heap_peak_bytes);
            most = most.max(runtime.heap_max_bytes);
            let start = result.workers.iter().map(|worker| worker.first_start_ns).min().unwrap_or(0);
            let end = result.workers.iter().map(|worker| worker.last_end_ns).max().unwrap_or(0);
            measured_ns += end.saturating_sub(start);
        }
        (pauses > 0 && measured_ns > 0).then(|| Caution::Pauses {
            candidate: candidate.name.clone(),
            pauses,
            share: paused_ns as f64 / measured_ns as f64,
            heap_peak_bytes: peak,
            heap_max_bytes: most,
        })
    };
    input.candidates().filter_map(of).collect()
}
