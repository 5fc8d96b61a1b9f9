//! What the tests of this crate have in common: records of which only a part matters to each.

use std::collections::BTreeMap;

use kurabe_machine::QuietWait;
use kurabe_protocol::{Checks, Histogram, KindLatency, Operation, PhaseResult, Series};
use kurabe_record::{
    AtUrl, CandidateRecord, Configuration, JobRecord, MinimumDurability, PhaseRecord, StoreAccess, StudyPlan,
};
use kurabe_study::{Catalogue, parse_candidate};
use serde_json::json;

use crate::clients::ClientCommand;
use crate::measure::monotonic_ns;
use crate::resolve::{Candidate, durability_record};

/// A plan of these configurations, with a budget in seconds or none.
pub(crate) fn study_plan(configs: Vec<Configuration>, budget_s: Option<u64>) -> StudyPlan {
    StudyPlan {
        study: "test".into(),
        title: "a test".into(),
        seed: 7,
        budget_ns: budget_s.map(|seconds| seconds * 1_000_000_000),
        quiet_wait_ns: 0,
        cache_mb: 1,
        transport: Default::default(),
        durability: MinimumDurability::Cache,
        profile: Default::default(),
        slo: None,
        equivalent: None,
        compressible: 0.0,
        allowed_errors: 0,
        axes: Vec::new(),
        configurations: configs,
        used_by: None,
        plain_choice: None,
        claims: Default::default(),
        pitfalls: Vec::new(),
    }
}

/// A candidate as it is resolved, with a durability setting by name.
pub(crate) fn candidate(text: &str, durability: &str) -> Candidate {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let spec = parse_candidate(&catalogue, text).expect("a candidate");
    let store = catalogue.store(&spec.store).expect("a store").of_variant(spec.variant.as_deref());
    let store = store.of_profile(kurabe_record::StoreProfile::Default);
    let durability = store.durability.iter().find(|setting| setting.name == durability).cloned();
    let record = CandidateRecord {
        name: spec.name.clone(),
        store: spec.store.clone(),
        title: store.title.clone(),
        variant: spec.variant.clone(),
        client: spec.client.to_string(),
        kind: store.kind,
        baseline: store.baseline,
        service_version: None,
        at_url: spec.shown_url().map(|url| AtUrl { url }),
        durability: durability.as_ref().map(durability_record),
        settings: Vec::new(),
        asked: None,
        base: None,
        factors: Vec::new(),
        processes: 1,
        transport: StoreAccess::InProcess,
        app: Vec::new(),
        asked_by: spec.asked_by.clone(),
        by_load_tool: spec.is_baseline,
    };
    let client = ClientCommand { program: "kurabe".into(), args: Vec::new() };
    Candidate {
        record,
        spec,
        store,
        durability,
        found: None,
        app: Vec::new(),
        library: None,
        client,
        options: BTreeMap::new(),
    }
}

/// What one worker gave that did so many operations in so many ns, without a fault.
pub(crate) fn result(phase: &str, operations: u64, took_ns: u64) -> PhaseResult {
    let worker = json!({
        "worker": 0, "operations": operations, "failed": 0, "first_start_ns": 5, "last_end_ns": 5 + took_ns,
    });
    let result = json!({
        "phase": phase, "workers": [worker], "latency": [], "failures": [], "checks": Checks::default(), "retries": 0,
        "rows_read": 0, "series": Series::default(), "cpu_user_ns": 0, "cpu_system_ns": 0, "threads": 1,
        "rows_present": operations, "rows_unknown": 0, "stopped_by": "count",
    });
    serde_json::from_value(result).expect("a result")
}

/// What an honest client tells that did so many operations in no time, just now.
pub(crate) fn honest(phase: &str, operation: Operation, operations: u64) -> PhaseResult {
    const EACH_NS: u64 = 100;
    let mut histogram = Histogram::default();
    histogram.record_times(EACH_NS, operations);
    let latency = KindLatency {
        operation,
        buckets: histogram.buckets(),
        count: operations,
        sum_ns: histogram.sum_ns(),
        min_ns: EACH_NS,
        max_ns: EACH_NS,
    };
    let mut result = result(phase, operations, operations * EACH_NS);
    result.checks.checked = operations;
    result.latency = vec![latency];
    let now_ns = monotonic_ns();
    (result.workers[0].first_start_ns, result.workers[0].last_end_ns) = (now_ns, now_ns + operations * EACH_NS);
    result
}

/// A phase that one worker did in so many ns.
pub(crate) fn phase(name: &str, operation: Operation, operations: u64, took_ns: u64) -> PhaseRecord {
    PhaseRecord { results: vec![result(name, operations, took_ns)], ..PhaseRecord::new(name, operation) }
}

/// The first job of a candidate at the first configuration.
pub(crate) fn job(candidate: &str, lasted_ns: u64, phases: Vec<PhaseRecord>) -> JobRecord {
    let quiet = QuietWait { waited_ns: 0, quiet: true, known: true };
    JobRecord { lasted_ns, quiet, phases, ..JobRecord::begun(0, 0, 0, candidate, String::new()) }
}
