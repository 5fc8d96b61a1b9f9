//! The probe, the canary and the sync on the folder that the tests really have.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use kurabe_machine::{Canary, DeviceProbe, MachineError, PowerVerdict, syncfs};

/// Nobody interrupts.
static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn a_probe_counts_64_syncs_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let probe = DeviceProbe::run(dir.path(), &NEVER).unwrap();
    assert_eq!(probe.fdatasync_ns_samples.len(), 64);
    assert!(probe.fdatasync_ns_p50 <= probe.fdatasync_ns_p90);
    assert!(probe.fdatasync_ns_p90 <= probe.fdatasync_ns_max);
    assert!(probe.free_bytes > 0);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_in_memory_is_refused_for_power() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no '/dev/shm' here");
        return;
    };
    let probe = DeviceProbe::run(dir.path(), &NEVER).unwrap();
    assert_eq!(probe.file_system, "tmpfs");
    assert!(matches!(probe.power_verdict(), PowerVerdict::Refused { .. }), "{probe:?}");
}

#[test]
fn a_canary_sings_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let canary = Canary::run(dir.path(), &NEVER).unwrap();
    // Below this the spin would have been computed at compile time.
    assert!(canary.spin_ns > 100_000, "{canary:?}");
    assert!(canary.fdatasync_ns_p50 > 0);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_named_with_the_way_out() {
    let error = DeviceProbe::run(Path::new("/nowhere/at/all"), &NEVER).unwrap_err().to_string();
    assert!(error.contains("'/nowhere/at/all'") && error.contains("--dir"), "{error}");
    assert!(Canary::run(Path::new("/nowhere/at/all"), &NEVER).is_err());
}

#[test]
fn a_file_system_can_be_synced() {
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::write(dir.path().join("a"), [1; 4096]).unwrap();
    assert!(syncfs(dir.path(), &NEVER).unwrap() > 0);
}

#[test]
fn what_syncs_ends_with_an_interrupt() {
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let interrupt = AtomicBool::new(true);
    assert!(matches!(DeviceProbe::run(dir.path(), &interrupt), Err(MachineError::Interrupted)));
    assert!(matches!(Canary::run(dir.path(), &interrupt), Err(MachineError::Interrupted)));
    assert!(matches!(syncfs(dir.path(), &interrupt), Err(MachineError::Interrupted)));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
