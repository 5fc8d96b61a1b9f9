//! Candidates that differ in more than their names say, and a machine that did not stay the same.

use std::collections::{BTreeMap, BTreeSet};

use kurabe_record::CandidateRecord;

use crate::format::count;
use crate::{Input, promise, steadiness};

/// One sentence for every pair of candidates of one store that run different versions of a library or service, and for
/// every candidate that does not keep what its durability setting promises or that stood still for garbage; one each for other runs at the same time and for a processor that was
/// not equally fast all the time.
pub(crate) fn cautions(input: &Input<'_>) -> Vec<String> {
    let candidates = &input.run.candidates;
    let mut cautions = Vec::new();
    for (index, one) in candidates.iter().enumerate() {
        for other in candidates[index + 1..].iter().filter(|other| other.store == one.store) {
            cautions.extend(library_caution(input, one, other));
            cautions.extend(service_caution(one, other));
        }
    }
    cautions.extend(promise::cautions(input));
    cautions.extend(pauses(input));
    cautions.extend(steadiness::company(input));
    cautions.extend(steadiness::unsteady_processor(input));
    cautions
}

/// One sentence for every candidate whose virtual machine stood still for garbage while it was measured.
fn pauses(input: &Input<'_>) -> Vec<String> {
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
        (pauses > 0 && measured_ns > 0).then(|| {
            let share = 100.0 * paused_ns as f64 / measured_ns as f64;
            let plural = if pauses == 1 { "" } else { "s" };
            format!(
                "The virtual machine of '{}' stopped {} time{plural} for garbage, {share:.1} % of the measured time; its \
                 heap took up to {} of {} MiB.",
                candidate.name,
                count(pauses),
                peak >> 20,
                most >> 20
            )
        })
    };
    input.run.candidates.iter().filter_map(of).collect()
}

fn library_caution(input: &Input<'_>, one: &CandidateRecord, other: &CandidateRecord) -> Option<String> {
    let (ours, theirs) = (libraries(input, one), libraries(input, other));
    if ours.is_empty() || theirs.is_empty() || ours == theirs {
        return None;
    }
    let shared: BTreeSet<&str> = ours.keys().filter(|name| theirs.contains_key(**name)).copied().collect();
    // Two drivers of two engines: the pair of each engine tells it already.
    if shared.is_empty() && one.variant != other.variant {
        return None;
    }
    let what = if shared.is_empty() { "drivers" } else { "versions" };
    // Libraries that only one side has are named only where there is nothing that both have.
    let named = |libraries: &BTreeMap<&str, &str>| {
        let differs = |name: &str| shared.is_empty() || (shared.contains(name) && ours.get(name) != theirs.get(name));
        let list: Vec<String> = libraries
            .iter()
            .filter(|(name, _)| differs(name))
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        list.join(", ")
    };
    let (our_list, their_list) = (named(&ours), named(&theirs));
    (!our_list.is_empty()).then(|| {
        format!(
            "'{}' runs {our_list} and '{}' runs {their_list}: their difference is that of the {what} too.",
            one.name, other.name
        )
    })
}

fn service_caution(one: &CandidateRecord, other: &CandidateRecord) -> Option<String> {
    let (ours, theirs) = (one.service_version.as_ref()?, other.service_version.as_ref()?);
    (ours != theirs).then(|| {
        format!(
            "'{}' is served by version {ours} and '{}' by {theirs}: their difference is that of the versions too.",
            one.name, other.name
        )
    })
}

fn libraries<'a>(input: &Input<'a>, candidate: &CandidateRecord) -> BTreeMap<&'a str, &'a str> {
    let hello = input.hello(&candidate.name);
    hello
        .into_iter()
        .flat_map(|hello| &hello.libraries)
        .map(|(name, version)| (name.as_str(), version.as_str()))
        .collect()
}
