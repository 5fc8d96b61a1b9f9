//! Whether the processors were ours alone in the phase that decides.

use crate::common::{SECOND_NS, complete, job, plan, ran, run, store, tree};
use kurabe_analysis::{Answer, Caution, analyse};
use kurabe_protocol::{Action, Operation};
use kurabe_record::{CandidateRecord, JobRecord, MachineUse, PhaseRecord, StoreAccess, TreeUse};

fn server() -> CandidateRecord {
    CandidateRecord { transport: StoreAccess::Tcp, ..store("a") }
}

fn hundredths(of: u64) -> u64 {
    SECOND_NS * of / 100
}

/// A second of two processors, of which everybody together used so many hundredths, the client 40 and its service 130.
fn phase(busy: u64) -> PhaseRecord {
    PhaseRecord {
        client: Some(tree(hundredths(40), 1)),
        service: Some(tree(hundredths(130), 1)),
        machine: Some(MachineUse {
            busy_ns: hundredths(busy),
            steal_ns: 0,
            all_ns: 2 * SECOND_NS,
            quota_periods: None,
            throttled_periods: None,
        }),
        ..ran("read", Operation::Read, 1_000)
    }
}

fn with_service(service: Option<TreeUse>) -> PhaseRecord {
    PhaseRecord { service, ..phase(173) }
}

fn answer(phases: [PhaseRecord; 3]) -> Answer {
    let record = run(3, vec![server()], vec![plan("read", Action::Read)]);
    let jobs: Vec<JobRecord> = (0..).zip(phases).map(|(round, phase)| job("a", round, vec![phase])).collect();
    analyse(&record, &jobs, Some(&complete()))
}

fn others(answer: &Answer) -> Option<f64> {
    answer.cautions.iter().find_map(|caution| match caution {
        Caution::Shared { others, .. } => Some(*others),
        _ => None,
    })
}

#[test]
fn a_program_that_takes_a_processor_is_found_and_what_is_ours_is_not() {
    assert_eq!(others(&answer([phase(173), phase(173), phase(173)])), None);
    let share = others(&answer([phase(200), phase(200), phase(200)])).expect("others were at work");
    assert!((share - 0.145).abs() < 0.001, "{share}");
}

#[test]
fn a_job_of_which_the_processor_time_is_not_known_is_left_out_of_the_share() {
    let unknown = || Some(TreeUse { cpu_ns: None, ..tree(0, 1) });
    assert_eq!(others(&answer([phase(173), with_service(unknown()), phase(173)])), None);
    assert_eq!(others(&answer([phase(173), with_service(None), phase(173)])), None, "killed amid the phase");
    let client = PhaseRecord { client: unknown(), ..phase(173) };
    assert_eq!(others(&answer([phase(173), client, phase(173)])), None);
    // The others of the run still tell.
    assert!(others(&answer([phase(200), with_service(unknown()), phase(200)])).is_some());
}

#[test]
fn a_link_and_a_store_that_rows_are_fetched_from_are_ours_too() {
    let other = || Some(tree(hundredths(27), 1));
    let link = || PhaseRecord { link: other(), ..phase(200) };
    assert_eq!(others(&answer([link(), link(), link()])), None);
    let fetched = || PhaseRecord { rows_from: other(), ..phase(200) };
    assert_eq!(others(&answer([fetched(), fetched(), fetched()])), None);
}

#[test]
fn no_figure_is_made_of_processor_time_that_is_not_known() {
    let unknown = || Some(TreeUse { cpu_ns: None, written_bytes: None, ..tree(0, 1) });
    let of = |answer: &Answer| answer.phases[0].rows[0].used.service_cpu_per_operation_ns;
    let whole = answer([phase(173), phase(173), phase(173)]);
    let without = answer([with_service(unknown()), phase(173), phase(173)]);
    assert_eq!(of(&without), of(&whole), "that of the others");
    assert_eq!(of(&answer([with_service(unknown()), with_service(unknown()), with_service(unknown())])), None);
    assert_eq!(without.phases[0].rows[0].limit, whole.phases[0].rows[0].limit);
}
