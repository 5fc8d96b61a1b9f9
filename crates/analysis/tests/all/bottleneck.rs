//! Which part of the way holds the rate of a store behind services.

use crate::common::{SECOND_NS, baseline, complete, job, plan, ran, run, store, tree};
use kurabe_analysis::{Bottleneck, BottleneckEvidence, PathPart, analyse};
use kurabe_protocol::{Action, Operation};
use kurabe_record::{AppRecord, CandidateRecord, JobRecord, RunRecord, StoreAccess};

/// Processor time of each part in a phase of a second, in hundredths of a processor; of four.
#[derive(Clone, Copy, Default)]
struct Busy {
    client: u64,
    app: u64,
    store: Option<u64>,
    link: Option<u64>,
}

fn app(name: &str, cores: Option<u32>) -> AppRecord {
    AppRecord { name: name.into(), title: name.into(), cores, is_bandwidth_limit: name == "link", version: None }
}

fn behind(record: CandidateRecord, services: &[(&str, Option<u32>)]) -> CandidateRecord {
    let app = services.iter().map(|(name, cores)| app(name, *cores)).collect();
    CandidateRecord { transport: StoreAccess::Tcp, app, ..record }
}

fn jobs(name: &str, rate: u64, busy: Busy) -> Vec<JobRecord> {
    let used = |hundredths: u64| tree(SECOND_NS * hundredths / 100, 1);
    (0..3)
        .map(|round| {
            let mut phase = ran("read", Operation::Read, rate);
            phase.client = Some(used(busy.client));
            phase.app = Some(used(busy.app));
            phase.service = busy.store.map(used);
            phase.link = busy.link.map(used);
            job(name, round, vec![phase])
        })
        .collect()
}

fn of(run: &RunRecord, jobs: &[JobRecord], candidate: &str) -> Option<Bottleneck> {
    let answer = analyse(run, jobs, Some(&complete()));
    answer.phases[0].rows.iter().find(|row| row.candidate == candidate).expect("a row").bottleneck
}

/// Of one store `a` behind `services`.
fn told(services: &[(&str, Option<u32>)], busy: Busy) -> Option<Bottleneck> {
    let record = run(3, vec![behind(store("a"), services)], vec![plan("read", Action::Read)]);
    of(&record, &jobs("a", 1_000, busy), "a")
}

const NODE: &[(&str, Option<u32>)] = &[("express", Some(1))];
const MANY: &[(&str, Option<u32>)] = &[("serve", None)];

#[test]
fn one_that_is_asked_directly_has_none() {
    assert_eq!(told(&[], Busy { client: 100, app: 0, store: Some(100), link: None }), None);
}

#[test]
fn a_job_of_which_a_part_is_not_known_says_nothing() {
    let record = run(3, vec![behind(store("a"), NODE)], vec![plan("read", Action::Read)]);
    let mut jobs = jobs("a", 1_000, Busy { client: 40, app: 97, store: Some(60), link: None });
    let known = of(&record, &jobs, "a");
    let forget = |job: &mut JobRecord| job.phases[0].service.as_mut().expect("it was seen").cpu_ns = None;
    forget(&mut jobs[0]);
    assert_eq!(of(&record, &jobs, "a"), known, "the other jobs tell");
    jobs.iter_mut().for_each(forget);
    assert_eq!(of(&record, &jobs, "a"), None);
}

#[test]
fn a_service_of_one_thread_is_the_limit_at_one_processor_and_one_of_many_is_not() {
    let busy = Busy { client: 40, app: 97, store: Some(60), link: None };
    let limit = told(NODE, busy).expect("all were seen");
    assert_eq!(
        (limit.part, limit.because, limit.over_map),
        (PathPart::App, BottleneckEvidence::Busy { share: 0.97 }, None)
    );
    assert_eq!(
        told(MANY, busy).map(|limit| (limit.part, limit.because)),
        Some((PathPart::Store, BottleneckEvidence::Waits))
    );
    // With a proxy before it, it has a processor more.
    let both = told(&[("express", Some(1)), ("nginx", Some(1))], busy);
    assert_eq!(both.map(|limit| limit.because), Some(BottleneckEvidence::Waits));
}

#[test]
fn the_client_is_the_limit_where_its_thread_is_the_busiest() {
    let limit = told(NODE, Busy { client: 96, app: 95, store: Some(10), link: None }).expect("all were seen");
    assert_eq!((limit.part, limit.because), (PathPart::Client, BottleneckEvidence::Busy { share: 0.96 }));
    let limit = told(NODE, Busy { client: 95, app: 96, store: Some(10), link: None }).expect("all were seen");
    assert_eq!(limit.part, PathPart::App);
}

#[test]
fn where_all_processors_are_busy_it_is_whoever_takes_most_of_them() {
    let limit = told(MANY, Busy { client: 80, app: 100, store: Some(200), link: None }).expect("all were seen");
    let BottleneckEvidence::Processors { share } = limit.because else { panic!("{limit:?}") };
    assert_eq!(limit.part, PathPart::Store);
    assert!((share - 200.0 / 380.0).abs() < 1e-9, "{share}");
}

#[test]
fn a_link_is_the_limit_where_nobody_is_busy() {
    let services = [("express", Some(1)), ("link", Some(1))];
    let busy = Busy { client: 10, app: 30, store: Some(20), link: Some(40) };
    let limit = told(&services, busy).expect("all were seen");
    assert_eq!((limit.part, limit.because), (PathPart::Link, BottleneckEvidence::Waits));
    // The link's processor is none that the service could use.
    let limit = told(&services, Busy { app: 91, ..busy }).expect("all were seen");
    assert_eq!(limit.part, PathPart::App);
}

#[test]
fn what_holds_the_rates_is_told_in_words() {
    let record = run(3, vec![behind(store("a"), NODE)], vec![plan("read", Action::Read)]);
    let words = |busy| {
        let answer = analyse(&record, &jobs("a", 1_000, busy), Some(&complete()));
        answer
            .notes
            .iter()
            .map(|note| note.message())
            .find(|note| note.id() == "note-saturated")
            .expect("a note")
            .to_string()
    };
    let busy = Busy { client: 40, app: 97, store: Some(60), link: None };
    assert_eq!(words(busy), "'a': the app is saturated in read.");
    let words = words(Busy { app: 50, ..busy });
    assert_eq!(words, "'a': no component is saturated in read, so the rate there is not CPU-bound.");
}

#[test]
fn a_store_inside_the_service_is_told_from_it_by_the_same_over_the_store_that_does_nothing() {
    let busy = Busy { client: 30, app: 380, store: None, link: None };
    assert_eq!(told(MANY, busy).map(|limit| limit.part), Some(PathPart::AppWithStore));
    let map = CandidateRecord { name: "map/serve".into(), ..behind(baseline("map"), MANY) };
    let other = CandidateRecord { name: "map/express".into(), ..behind(baseline("map"), NODE) };
    let record = run(3, vec![other, map, behind(store("a"), MANY)], vec![plan("read", Action::Read)]);
    for (of_map, part) in [(4_000, PathPart::Store), (1_600, PathPart::App)] {
        let mut all = jobs("map/serve", of_map, busy);
        all.extend(jobs("map/express", 1_010, busy));
        all.extend(jobs("a", 1_000, busy));
        let limit = of(&record, &all, "a").expect("all were seen");
        assert_eq!((limit.part, limit.over_map), (part, Some(1_000.0 / of_map as f64)));
        assert_eq!(of(&record, &all, "map/serve").and_then(|limit| limit.over_map), None);
    }
}
