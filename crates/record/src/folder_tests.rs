use lzma_rust2::{XzOptions, XzWriter};

use super::*;
use crate::{EndStatus, MinimumDurability, StudyPlan};
use kurabe_machine::{DeviceProbe, Machine, QuietWait};
use kurabe_protocol::{Capabilities, Hello, Schema};
use proptest::prelude::*;

fn plan() -> StudyPlan {
    let config = Configuration {
        factors: Vec::new(),
        rows: 10,
        rounds: 5,
        schema: Schema::key_value(100),
        encoding: kurabe_protocol::Encoding::Raw,
        phases: Vec::new(),
        only: Vec::new(),
    };
    StudyPlan {
        study: "quick".into(),
        title: "a test".into(),
        seed: 1,
        budget_ns: None,
        quiet_wait_ns: 0,
        cache_mb: 256,
        transport: Default::default(),
        durability: MinimumDurability::Consistent,
        profile: Default::default(),
        slo: None,
        equivalent: None,
        compressible: 0.0,
        allowed_errors: 0,
        axes: Vec::new(),
        configurations: vec![config],
        used_by: None,
        plain_choice: None,
        claims: Default::default(),
        pitfalls: Vec::new(),
    }
}

fn run_record() -> RunRecord {
    RunRecord {
        format: FORMAT,
        kurabe: "0.1.0".into(),
        id: "test".into(),
        started_at: "2026-11-21T02:00:00Z".into(),
        command: "kurabe run quick".into(),
        plan: plan(),
        data: None,
        candidates: Vec::new(),
        stores: Vec::new(),
        left_out: Vec::new(),
        machine: Machine::read(),
        definitions: None,
        device: DeviceProbe {
            file_system: "ext4".into(),
            mount_options: Vec::new(),
            block_device: None,
            file_system_id: None,
            free_bytes: 1,
            fdatasync_ns_p50: 1,
            fdatasync_ns_p90: 1,
            fdatasync_ns_max: 1,
            fdatasync_ns_samples: Vec::new(),
        },
    }
}

fn job(number: u32) -> Entry {
    let quiet = QuietWait { waited_ns: 0, quiet: true, known: true };
    let begun = JobRecord::begun(number, 0, 0, &format!("c{number}"), "2026-11-21T02:00:00Z".into());
    Entry::Job(Box::new(JobRecord { lasted_ns: 1, quiet, ..begun }))
}

fn written(jobs: u32) -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().expect("a temporary folder");
    let path = base.path().join("run");
    let mut folder = RunFolder::create(&path, &run_record()).expect("a new folder");
    (0..jobs).for_each(|number| folder.append(&job(number)).expect("room on the disk"));
    (base, path)
}

#[test]
fn what_is_written_is_read_again() {
    let (_base, path) = written(3);
    let loaded = Loaded::read(&path).expect("a run");
    assert_eq!(loaded.run, run_record());
    assert_eq!(loaded.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((loaded.end, loaded.damaged), (None, None));
}

/// Both files of a kept run are compressed.
#[test]
fn what_is_compressed_is_read_as_it_was_and_not_gone_on_with() {
    let (_base, path) = written(3);
    let plain = Loaded::read(&path).expect("a run");
    for name in [RUN, JOBS] {
        let bytes = std::fs::read(path.join(name)).expect("a file");
        let packed = File::create(path.join(format!("{name}.xz"))).expect("a file");
        let mut writer = XzWriter::new(packed, XzOptions::with_preset(1)).expect("a writer");
        writer.write_all(&bytes).and_then(|()| writer.finish().map(drop)).expect("compressed");
        std::fs::remove_file(path.join(name)).expect("removed");
    }
    let kept = Loaded::read(&path).expect("a kept run");
    assert_eq!((kept.run, kept.jobs), (plain.run, plain.jobs));
    let refused = RunFolder::resume(&path).expect_err("no run to go on with").to_string();
    assert!(refused.contains("it has no run.json"), "{refused}");
    let packed = std::fs::read(path.join(RUN_PACKED)).expect("a file");
    std::fs::write(path.join(RUN_PACKED), &packed[..packed.len() / 2]).expect("cut short");
    let refused = Loaded::read(&path).expect_err("half of it").to_string();
    assert!(refused.contains("run.json"), "{refused}");
}

#[test]
fn a_line_that_stands_twice_counts_once_and_is_told() {
    let (_base, path) = written(3);
    let jobs = path.join(JOBS);
    let text = std::fs::read_to_string(&jobs).expect("jobs.jsonl");
    let second = text.lines().nth(1).expect("three lines");
    std::fs::write(&jobs, text.replacen(second, &format!("{second}\n{second}"), 1)).expect("writable");
    let mut folder = RunFolder::open(&path).expect("free");
    (0..2).for_each(|_| folder.append(&Entry::Skipped(skipped())).expect("room on the disk"));
    let loaded = Loaded::read(&path).expect("a run");
    assert_eq!(loaded.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((loaded.skipped.len(), loaded.repeated), (1, vec![Repeated { line: 3 }, Repeated { line: 6 }]));
}

#[test]
fn a_job_that_was_superseded_is_kept_apart_from_the_one_that_counts() {
    let (_base, path) = written(2);
    let mut folder = RunFolder::open(&path).expect("free");
    let counted = Loaded::read(&path).expect("a run").jobs;
    let aside = JobRecord { number: 2, round: 7, superseded: Some(0.2), ..counted[0].clone() };
    let again = JobRecord { number: 3, superseded: None, ..aside.clone() };
    for job in [&aside, &aside, &again] {
        folder.append(&Entry::Job(Box::new(job.clone()))).expect("room on the disk");
    }
    let loaded = Loaded::read(&path).expect("a run");
    assert_eq!((loaded.superseded, loaded.repeated.len()), (vec![aside], 1));
    assert_eq!(loaded.jobs.last(), Some(&again));
}

#[test]
fn a_job_that_is_repeated_counts_no_more_and_its_successor_does() {
    let (_base, path) = written(3);
    let mut folder = RunFolder::open(&path).expect("free");
    let second = Loaded::read(&path).expect("a run").jobs[1].clone();
    folder.append(&Entry::Repeat(RepeatRecord { number: 1, share: 0.4 })).expect("room on the disk");
    let loaded = Loaded::read(&path).expect("a run");
    assert_eq!(loaded.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(
        (loaded.repeats, loaded.superseded),
        (vec![1], vec![JobRecord { superseded: Some(0.4), ..second.clone() }])
    );
    let again = JobRecord { number: 3, ..second };
    folder.append(&Entry::Job(Box::new(again.clone()))).expect("room on the disk");
    let loaded = Loaded::read(&path).expect("a run");
    assert_eq!((loaded.jobs.last(), loaded.repeated), (Some(&again), Vec::new()));
}

fn skipped() -> SkippedRecord {
    SkippedRecord {
        candidate: "c1".into(),
        configuration: 0,
        rounds: 1,
        needed_rounds: 1,
        estimate_ns: None,
        left_ns: 0,
        stopped_after_ns: None,
    }
}

#[test]
fn a_second_run_into_the_same_folder_is_refused() {
    let (_base, path) = written(1);
    let error = RunFolder::create(&path, &run_record()).expect_err("occupied").to_string();
    assert!(error.contains("exists already") && error.contains("--resume"), "{error}");
    let (held, _) = RunFolder::resume(&path).expect("free");
    let error = RunFolder::resume(&path).expect_err("locked").to_string();
    assert!(error.contains("another kurabe is working in"), "{error}");
    drop(held);
    RunFolder::resume(&path).expect("free again");
}

#[test]
fn what_is_no_run_is_not_advised_to_go_on_and_one_under_way_is_told() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let create = |path: &Path| RunFolder::create(path, &run_record()).expect_err("occupied").to_string();
    let (file, folder) = (base.path().join("file"), base.path().join("folder"));
    std::fs::write(&file, "a letter").expect("written");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("letter"), "dear Anne").expect("written");
    for (path, what) in [(&file, "is not a folder"), (&folder, "other than a run")] {
        let error = create(path);
        assert!(error.contains("exists already") && error.contains(what), "{error}");
        assert!(error.contains("--out") && !error.contains("--resume"), "{error}");
    }
    let below = create(&file.join("below"));
    assert!(below.contains("cannot make the folder") && below.contains("--out"), "{below}");
    let empty = base.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let _held = RunFolder::create(&empty, &run_record()).expect("an empty folder is free");
    let error = create(&empty);
    assert!(error.contains("another kurabe is working in") && !error.contains("--resume"), "{error}");
}

#[test]
fn of_two_that_make_a_folder_at_once_one_gets_it() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for round in 0..20 {
        let path = base.path().join(format!("run-{round}"));
        let made = std::thread::scope(|scope| {
            let both = [(); 2].map(|()| scope.spawn(|| RunFolder::create(&path, &run_record())));
            both.map(|one| one.join().expect("no panic"))
        });
        assert_eq!(made.iter().filter(|folder| folder.is_ok()).count(), 1, "{made:?}");
    }
}

#[test]
fn a_folder_that_is_no_run_is_named_with_what_is_missing() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let error = Loaded::read(base.path()).expect_err("no run").to_string();
    assert!(error.ends_with("it has no run.json"), "{error}");
    let error = Loaded::read(&base.path().join("nowhere")).expect_err("no folder").to_string();
    assert!(error.ends_with("it does not exist"), "{error}");
}

/// Clients could once ask for fewer checks, and said so in this key.
#[test]
fn keys_that_are_no_longer_written_are_passed_over() {
    let Entry::Job(mut old) = job(0) else { unreachable!("a job") };
    old.hello = Some(Hello {
        kurabe: 1,
        client: "rust".into(),
        version: "0.1.0".into(),
        libraries: Default::default(),
        capabilities: Capabilities::default(),
        driver_pid: None,
    });
    let entry = serde_json::to_string(&Entry::Job(old.clone())).expect("an entry");
    let entry = entry.replacen("\"blind_writes\":false", "\"blind_writes\":false,\"filler_checked_every\":8", 1);
    assert!(entry.contains("filler_checked_every"));
    let (_base, path) = written(0);
    let line = format!("{{\"crc32\": \"{:08x}\", \"entry\": {entry}}}\n", crc32fast::hash(entry.as_bytes()));
    std::fs::write(path.join(JOBS), line).expect("writable");
    assert_eq!(Loaded::read(&path).expect("a run").jobs, [*old]);
}

#[test]
fn a_damaged_line_in_the_middle_is_named_and_not_skipped() {
    let (_base, path) = written(3);
    let jobs = path.join(JOBS);
    let text = std::fs::read_to_string(&jobs).expect("jobs.jsonl").replacen("\"c1\"", "\"c9\"", 1);
    std::fs::write(&jobs, text).expect("writable");
    let error = Loaded::read(&path).expect_err("damage").to_string();
    assert!(error.contains("damaged in line 2") && error.contains("checksum"), "{error}");
}

#[test]
fn an_end_is_forgotten_when_the_run_went_on() {
    let (_base, path) = written(1);
    let (mut folder, _) = RunFolder::resume(&path).expect("a run");
    let end = EndRecord { status: EndStatus::Interrupted, ended_at: "now".into(), message: None };
    folder.append(&Entry::End(end.clone())).expect("room");
    assert_eq!(Loaded::read(&path).expect("a run").end, Some(end));
    folder.append(&job(1)).expect("room");
    assert_eq!(Loaded::read(&path).expect("a run").end, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_line_cut_off_anywhere_loses_that_job_alone_and_no_byte(skipped in 1usize..400) {
        let (_base, path) = written(3);
        let jobs = path.join(JOBS);
        let text = std::fs::read(&jobs).expect("jobs.jsonl");
        let last = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("three lines") + 1;
        let skipped = 1 + skipped % (text.len() - last - 1);
        std::fs::write(&jobs, &text[..last + skipped]).expect("writable");
        prop_assert_eq!(Loaded::read(&path).expect("a run").jobs.len(), 2);
        let (mut folder, loaded) = RunFolder::resume(&path).expect("a run");
        prop_assert_eq!(loaded.damaged.expect("damage").line, 3);
        let mut moved = std::fs::read(path.join(DAMAGED)).expect("damaged.jsonl");
        prop_assert_eq!(moved.pop(), Some(b'\n'));
        prop_assert_eq!(&moved[..], &text[last..last + skipped]);
        folder.append(&job(2)).expect("room");
        drop(folder);
        let again = Loaded::read(&path).expect("a run");
        prop_assert_eq!((again.jobs.len(), again.damaged), (3, None));
    }
}

#[test]
fn a_folder_that_is_removed_meanwhile_takes_no_more_jobs() {
    let (_base, path) = written(1);
    let (mut folder, _) = RunFolder::resume(&path).expect("a run");
    std::fs::remove_dir_all(&path).expect("a folder of ours");
    let error = folder.append(&job(1)).expect_err("nobody would ever read it").to_string();
    assert!(error.contains("is gone"), "{error}");
}

#[test]
fn a_run_of_another_format_is_refused() {
    let (_base, path) = written(1);
    let text = std::fs::read_to_string(path.join(RUN)).expect("a record");
    let own = format!("\"format\": {FORMAT}");
    assert!(text.contains(&own), "{text}");
    for format in [1, FORMAT - 1, FORMAT + 1] {
        std::fs::write(path.join(RUN), text.replace(&own, &format!("\"format\": {format}"))).expect("room");
        let error = Loaded::read(&path).map(drop).expect_err("another format").to_string();
        assert!(error.contains(&format!("has format {format}, but this kurabe reads format {FORMAT}")), "{error}");
        assert!(RunFolder::resume(&path).is_err());
    }
}

#[test]
fn configurations_and_rounds_that_no_run_has_are_refused() {
    let (_base, path) = written(1);
    let mut folder = RunFolder::open(&path).expect("free");
    let job = |config, round| Entry::Job(Box::new(JobRecord::begun(1, config, round, "c", String::new())));
    let wrong = [
        job(1, 0),
        job(0, crate::MOST_ROUNDS),
        job(0, u32::MAX),
        Entry::Skipped(SkippedRecord { configuration: u32::MAX, ..skipped() }),
    ];
    for entry in wrong {
        folder.append(&entry).expect("room");
        let damaged = Loaded::read(&path).expect("a run").damaged.expect("the last line");
        assert!(damaged.line == 2 && damaged.reason.to_string().starts_with("it is of "), "{damaged:?}");
        move_last_line_away(&path).expect("room");
    }
    folder.append(&job(0, u32::MAX)).expect("room");
    folder.append(&job(0, 0)).expect("room");
    let error = Loaded::read(&path).expect_err("a line in the middle").to_string();
    assert!(error.contains("damaged in line 2: it is of round 4294967295"), "{error}");
    let refused = |change: &dyn Fn(&mut RunRecord)| {
        let mut run = run_record();
        change(&mut run);
        std::fs::write(path.join(RUN), serde_json::to_string(&run).expect("JSON")).expect("room");
        Loaded::read(&path).expect_err("no run").to_string()
    };
    assert!(refused(&|run| run.plan.configurations.clear()).contains("run.json: it has no configuration"));
    assert!(
        refused(&|run| run.plan.configurations[0].rounds = 4_000_000_000)
            .contains("configuration 0 has 4000000000 rounds")
    );
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let (_base, path) = written(1);
    for name in [JOBS, RUN] {
        std::fs::remove_file(path.join(name)).expect("a file");
        std::os::unix::fs::symlink("/dev/zero", path.join(name)).expect("a link");
        let error = Loaded::read(&path).expect_err("a device").to_string();
        assert!(error.contains("it is a device, not a file"), "{error}");
        assert!(RunFolder::open(&path).is_err());
    }
}

#[test]
fn a_format_that_is_no_number_is_told_as_such() {
    let dir = tempfile::tempdir().expect("a folder");
    for (format, told) in
        [("\"5\"", "its format is \"5\", but"), ("-1", "its format is -1, but"), ("99", "has format 99")]
    {
        std::fs::write(dir.path().join("run.json"), format!("{{\"format\": {format}}}")).expect("a file");
        let error = Loaded::read(dir.path()).expect_err("no record").to_string();
        assert!(error.contains(told), "{error}");
    }
}
