//! Jobs that other programs disturbed, as a person goes on with their run.

use kurabe_record::{EndStatus, Entry, Loaded, MachineUse, RunFolder};

use crate::common::{Place, TINY, finish};

const SECOND_NS: u64 = 1_000_000_000;

/// The record of a run again, with a job beside which others used all processors.
fn disturb(place: &Place, number: u32) {
    let mut loaded = place.loaded();
    let job = loaded.jobs.iter_mut().find(|job| job.number == number).expect("a job");
    for phase in &mut job.phases {
        phase.machine = phase.machine.map(|used| MachineUse { busy_ns: 9 * SECOND_NS, all_ns: 10 * SECOND_NS, ..used });
    }
    std::fs::remove_dir_all(place.out()).expect("the folder of the run");
    let mut folder = RunFolder::create(&place.out(), &loaded.run).expect("room on the disk");
    let jobs = loaded.jobs.into_iter().map(|job| Entry::Job(Box::new(job)));
    for entry in jobs.chain(loaded.end.map(Entry::End)) {
        folder.append(&entry).expect("room on the disk");
    }
}

fn places(loaded: &Loaded) -> Vec<(u32, String)> {
    let mut places: Vec<(u32, String)> = loaded.jobs.iter().map(|job| (job.round, job.candidate.clone())).collect();
    places.sort();
    places
}

#[test]
fn going_on_with_a_run_that_is_over_repeats_its_disturbed_jobs_alone() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb"]));
    assert_eq!(said.status, 0, "{said:?}");
    let whole = places(&place.loaded());
    disturb(&place, 2);
    let shown = finish(place.kurabe(["show"]).arg(place.out()));
    assert!(shown.out.contains("Other programs "), "{}", shown.out);
    // With --anyway, which all tests have, it stays.
    assert_eq!(finish(&mut place.resume()).status, 0);
    assert_eq!(place.loaded().superseded.len(), 0);
    let said = finish(place.resume().env_remove("KURABE_ANYWAY"));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.err.contains("Repeating one job that other programs disturbed"), "{}", said.err);
    let loaded = place.loaded();
    assert_eq!((loaded.repeats.as_slice(), loaded.superseded.len()), ([2].as_slice(), 1));
    assert_eq!(places(&loaded), whole);
    let number = loaded.jobs.iter().map(|job| job.number).max();
    assert_eq!((number, loaded.end.map(|end| end.status)), (Some(whole.len() as u32), Some(EndStatus::Complete)));
    place.assert_nothing_is_left();
}

#[test]
fn a_run_that_goes_on_shows_who_leads_so_far() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb", "--rounds", "4"]));
    assert_eq!(said.status, 0, "{said:?}");
    let path = place.out().join("jobs.jsonl");
    let text = std::fs::read_to_string(&path).expect("lines");
    let lines: Vec<&str> = text.lines().collect();
    // The last job and the end are lost.
    std::fs::write(&path, format!("{}\n", lines[..lines.len() - 2].join("\n"))).expect("writable");
    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    let (so_far, job) = (said.err.find("so far: "), said.err.find(": round 4/4"));
    assert!(so_far.is_some() && so_far < job, "{}", said.err);
}
