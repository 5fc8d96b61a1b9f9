//! What takes from the class that a durability setting promises, on hand-made records.

use crate::common::{complete, durability, job, kept, plan, ran, run, said, store};
use kurabe_analysis::{Answer, CandidateAnswer, Reason, Status, WeakenedBy, analyse};
use kurabe_machine::{SyncProbe, SyncTimes};
use kurabe_protocol::{Action, Mix, Operation};
use kurabe_record::{
    AtUrl, CandidateRecord, DurabilityLevel, Guarantee, Integrity, JobRecord, Loss, MinimumDurability, PhasePlan,
    RunRecord, WeakenedSetting,
};

/// What a sync takes on the disk of these tests, in ns. That of the run's own probe is a little more.
const SYNC_NS: u64 = 400_000;

/// The first caution in words.
fn caution(answer: &Answer) -> String {
    answer.cautions[0].message().to_string()
}

fn powerful(name: &str) -> CandidateRecord {
    CandidateRecord { durability: Some(durability(DurabilityLevel::Power)), ..store(name) }
}

fn asking(minimum: MinimumDurability, mut run: RunRecord) -> RunRecord {
    run.plan.durability = minimum;
    run
}

fn writes(plans: Vec<PhasePlan>) -> RunRecord {
    let mut run = run(3, vec![powerful("a")], plans);
    run.plan.durability = MinimumDurability::Power;
    run
}

fn update() -> PhasePlan {
    plan("update", Action::Update)
}

fn side(sync_ns: u64) -> SyncTimes {
    SyncTimes { fdatasync_ns: vec![sync_ns; 32], direct_ns: vec![sync_ns; 32], flushes: Some(64) }
}

/// Rounds of single updates of so many ns each, beside syncs of `SYNC_NS`; `change` alters one round's job.
fn rounds(latency_ns: [u64; 3], change: impl Fn(&mut JobRecord)) -> Vec<JobRecord> {
    let made = |(round, latency_ns): (u32, u64)| {
        let mut job = job("a", round, vec![ran("update", Operation::Update, 900_000_000 / latency_ns)]);
        job.sync_probe = Some(SyncProbe { before: side(SYNC_NS), after: side(SYNC_NS) });
        change(&mut job);
        job
    };
    (0..).zip(latency_ns).map(made).collect()
}

fn answer(run: &RunRecord, jobs: &[JobRecord]) -> Answer {
    analyse(run, jobs, Some(&complete()))
}

fn candidate(answer: &Answer) -> &CandidateAnswer {
    &answer.candidates[0]
}

fn is_ranked(answer: &Answer) -> bool {
    matches!(answer.phases[0].rows[0].status, Status::Ranked { .. })
}

fn undone(setting: &str, found: &str, level: DurabilityLevel) -> WeakenedSetting {
    WeakenedSetting {
        setting: setting.into(),
        found: found.into(),
        guarantee: kept(level),
        window: "pages that were half written".into(),
        source: "https://example.org/setting".into(),
    }
}

#[test]
fn commits_that_take_as_long_as_a_sync_keep_what_is_promised() {
    for latency_ns in [SYNC_NS, SYNC_NS * 6 / 10, SYNC_NS * 20] {
        let answer = answer(&writes(vec![update()]), &rounds([latency_ns; 3], |_| {}));
        assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power), "{latency_ns} ns");
        assert!(is_ranked(&answer) && answer.cautions.is_empty(), "{:?}", answer.cautions);
    }
}

#[test]
fn commits_quicker_than_half_a_sync_are_no_longer_safe_from_power_and_are_told() {
    let answer = answer(&writes(vec![update()]), &rounds([40_000; 3], |_| {}));
    let judged = candidate(&answer);
    let left = Some(Guarantee { power: Loss::Writeback, integrity: Integrity::I3, ..Guarantee::FULL });
    assert_eq!((judged.guarantee, answer.phases[0].rows[0].guarantee), (left, left));
    assert_eq!(
        judged.window.as_ref().map(|window| window.to_string()).as_deref(),
        Some("what it answered last, when power fails: it answers before the disk can have it")
    );
    let WeakenedBy::QuickCommits { phase, round: 0, sync_ns: SYNC_NS, .. } = &judged.weakened[0].cause else {
        panic!("{judged:?}")
    };
    assert_eq!(phase, "update");
    let Status::Unranked { reason: Reason::BelowDurability { guarantee, why: Some(why), .. } } =
        &answer.phases[0].rows[0].status
    else {
        panic!("{:?}", answer.phases[0].rows[0].status)
    };
    assert_eq!(*guarantee, left);
    let why = why.message().to_string();
    assert!(
        why.starts_with("its commits were faster than the disk can sync: half of its writes in update took"),
        "{why}"
    );
    assert!(caution(&answer).starts_with("'a' keeps durability 'kill' instead of 'power', which its setting promises"));
    let risk = "With these settings, 'a' can lose what the system has not written back";
    let told = |minimum| {
        let run = asking(minimum, writes(vec![update()]));
        said(&analyse(&run, &rounds([40_000; 3], |_| {}), Some(&complete())))
    };
    assert!(
        told(MinimumDurability::Kill).iter().any(|sentence| sentence.starts_with(risk)),
        "{:?}",
        told(MinimumDurability::Kill)
    );
}

#[test]
fn one_quick_round_of_three_costs_nothing() {
    let answer = answer(&writes(vec![update()]), &rounds([SYNC_NS, 40_000, SYNC_NS], |_| {}));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert!(answer.cautions.is_empty());
}

/// One commit in 18 µs at the most: 50,000 flushes are enough for each of them.
const ENOUGH: u64 = 50_000;

#[test]
fn a_probe_that_was_not_the_same_before_and_after_is_told_and_costs_nothing_where_the_disk_was_flushed() {
    let noisy = |job: &mut JobRecord| {
        job.sync_probe = Some(SyncProbe { before: side(SYNC_NS), after: side(SYNC_NS * 13 / 10) });
        job.phases[0].device_flushes = Some(ENOUGH);
    };
    let answer = answer(&writes(vec![update()]), &rounds([40_000; 3], noisy));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert!(is_ranked(&answer));
    assert!(caution(&answer).starts_with("Commits of 'a' were faster than the syncs before and after them"));
    assert!(caution(&answer).ends_with("This proves nothing, because the speed of the disk changed."));
}

#[test]
fn a_disk_that_was_as_quick_at_another_time_of_the_run_convicts_nobody() {
    let mut run = writes(vec![update()]);
    run.device.fdatasync_ns_samples = vec![70_000; 64];
    let busy = |job: &mut JobRecord| {
        job.sync_probe = Some(SyncProbe { before: side(4_000_000), after: side(4_000_000) });
        job.phases[0].device_flushes = Some(ENOUGH);
    };
    let of = |latency_ns| answer(&run, &rounds([latency_ns; 3], busy));
    assert_eq!(candidate(&of(90_000)).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert_eq!(of(90_000).cautions.len(), 1);
    assert_eq!(candidate(&of(30_000)).guarantee.map(Guarantee::level), Some(DurabilityLevel::Kill));
}

/// Quick commits beside a probe that was not steady, with flushes of the disk in the phase and of others in the probe.
fn answer_of_busy_disk(flushes: Option<u64>, foreign_in_probe: u64) -> Answer {
    let busy = |job: &mut JobRecord| {
        let side = |sync_ns| SyncTimes { flushes: Some(64 + foreign_in_probe), ..side(sync_ns) };
        job.sync_probe = Some(SyncProbe { before: side(SYNC_NS), after: side(SYNC_NS * 13 / 10) });
        job.phases[0].device_flushes = flushes;
    };
    answer(&writes(vec![update()]), &rounds([40_000; 3], busy))
}

#[test]
fn commits_on_a_busy_disk_that_hides_their_syncs_have_unknown_durability() {
    // 22,500 commits in 1 s. Others flushed 40 times in 26 ms of probing, so 1,563 times in that.
    for (flushes, foreign) in [(None, 0), (Some(22_500), 40)] {
        let answer = answer_of_busy_disk(flushes, foreign);
        assert_eq!((candidate(&answer).guarantee, candidate(&answer).window.clone()), (None, None), "{flushes:?}");
        assert!(!is_ranked(&answer));
        let told = caution(&answer);
        assert!(told.contains("What it keeps is unknown: other work kept the disk busy"), "{told}");
    }
    assert_eq!(
        candidate(&answer_of_busy_disk(Some(25_000), 20)).guarantee.map(Guarantee::level),
        Some(DurabilityLevel::Power)
    );
}

#[test]
fn fewer_flushes_than_commits_cost_power_safety_however_slow_and_busy_the_disk_is() {
    let busy = answer_of_busy_disk(Some(20_000), 20);
    assert_eq!(candidate(&busy).guarantee.map(Guarantee::level), Some(DurabilityLevel::Kill));
    let slow = |flushes| {
        let change = |job: &mut JobRecord| job.phases[0].device_flushes = flushes;
        answer(&writes(vec![update()]), &rounds([SYNC_NS * 2; 3], change))
    };
    let judged = slow(Some(3));
    let WeakenedBy::FewFlushes { commits: 1_125, flushes: 3, .. } = candidate(&judged).weakened[0].cause else {
        panic!("{:?}", candidate(&judged).weakened)
    };
    let told = caution(&judged);
    assert!(told.contains("the disk was flushed 3 times during its 1,125 commits in update (round 1)"), "{told}");
    for enough in [Some(1_125), None] {
        assert_eq!(candidate(&slow(enough)).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
        assert!(slow(enough).cautions.is_empty());
    }
}

#[test]
fn a_disk_that_does_not_count_the_syncs_of_the_probe_convicts_nobody() {
    let change = |job: &mut JobRecord| {
        let uncounted = || SyncTimes { flushes: Some(0), ..side(SYNC_NS) };
        job.sync_probe = Some(SyncProbe { before: uncounted(), after: uncounted() });
        job.phases[0].device_flushes = Some(0);
    };
    let answer = answer(&writes(vec![update()]), &rounds([SYNC_NS; 3], change));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert!(answer.cautions.is_empty());
}

#[test]
fn writes_that_can_share_a_sync_are_told_and_cost_nothing() {
    let shared = |change: fn(&mut PhasePlan)| {
        let mut plan = update();
        change(&mut plan);
        answer(&writes(vec![plan]), &rounds([40_000; 3], |_| {}))
    };
    for change in [
        (|plan| plan.phase.connections = 8) as fn(&mut PhasePlan),
        |plan| plan.phase.depth = 16,
        |plan| plan.phase.batch = 16,
    ] {
        let answer = shared(change);
        assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
        assert!(caution(&answer).ends_with("because several connections or requests can share a sync."));
    }
    // Most of these writes wait for no commit at all.
    let rare = shared(|plan| plan.phase.commit_every = 100);
    assert!(
        candidate(&rare).guarantee.map(Guarantee::level) == Some(DurabilityLevel::Power) && rare.cautions.is_empty()
    );
}

#[test]
fn updates_of_rows_that_may_be_gone_are_not_judged() {
    let mix = plan("update", Mix::new([(Action::Update, 1), (Action::Delete, 1)]).expect("a mix"));
    let answer = answer(&writes(vec![mix]), &rounds([40_000; 3], |_| {}));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert!(answer.cautions.is_empty());
}

#[test]
fn a_record_without_a_probe_is_judged_by_its_setting_alone() {
    let answer = answer(&writes(vec![update()]), &rounds([40_000; 3], |job| job.sync_probe = None));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
    assert!(is_ranked(&answer) && answer.cautions.is_empty());
}

#[test]
fn a_setting_that_undoes_the_promise_takes_from_it_wherever_it_is_shown() {
    let jobs = rounds([SYNC_NS; 3], |job| {
        job.undone = vec![
            undone("full_page_writes", "off", DurabilityLevel::Consistent),
            undone("log", "no", DurabilityLevel::Cache),
        ];
    });
    let answer_of = |minimum| analyse(&asking(minimum, writes(vec![update()])), &jobs, Some(&complete()));
    let below = answer_of(MinimumDurability::Power);
    let left = Some(kept(DurabilityLevel::Cache));
    assert_eq!((candidate(&below).guarantee, below.phases[0].rows[0].guarantee), (left, left));
    let why = candidate(&below).weakened.first().cloned();
    assert_eq!(why.as_ref().map(|why| why.message().to_string()).as_deref(), Some("its live store reports log = 'no'"));
    let reason = Reason::BelowDurability { guarantee: left, minimum: MinimumDurability::Power, why: why.map(Box::new) };
    assert_eq!(below.phases[0].rows[0].status, Status::Unranked { reason });
    let told = "'a' keeps durability 'cache' instead of 'power', which its setting promises: its live store reports log = 'no'; \
                its live store reports full_page_writes = 'off'. It can lose pages that were half written.";
    assert_eq!(below.cautions.iter().map(|one| one.message().to_string()).collect::<Vec<_>>(), [told]);
    let ranked = answer_of(MinimumDurability::Default);
    assert_eq!(ranked.phases[0].rankings[0].among.durability, Some(DurabilityLevel::Cache));
    let risk = "With these settings, 'a' can lose everything in a process crash or a power failure.";
    assert!(said(&ranked).iter().any(|sentence| sentence == risk), "{:?}", said(&ranked));
}

#[test]
fn where_data_lie_in_memory_a_power_failure_takes_everything() {
    let mut run = writes(vec![update()]);
    run.plan.durability = MinimumDurability::Consistent;
    run.device.file_system = "tmpfs".into();
    run.candidates.push(CandidateRecord { durability: Some(durability(DurabilityLevel::Consistent)), ..store("b") });
    let mut jobs = rounds([3_000; 3], |_| {});
    jobs.extend(rounds([3_000; 3], |job| job.candidate = "b".into()));
    let answer = answer(&run, &jobs);
    for judged in &answer.candidates {
        assert_eq!(judged.guarantee, Some(Guarantee { power: Loss::All, ..Guarantee::FULL }));
        assert_eq!(
            judged.window.as_ref().map(|window| window.to_string()).as_deref(),
            Some("everything, when power fails: the disk holds nothing for sure")
        );
    }
    let risk =
        "With these settings, 'a' and 'b' can lose everything in a power failure, but nothing in a process crash.";
    assert!(said(&answer).iter().any(|sentence| sentence == risk), "{:?}", said(&answer));
    assert!(answer.cautions.is_empty(), "the device is told once, in the notes: {:?}", answer.cautions);
    let told = "The data folder cannot guarantee durability 'power': 'tmpfs' keeps its files in memory; choose a folder on a disk \
                with --dir. A power failure can take everything.";
    let notes: Vec<String> = answer.notes.iter().map(|note| note.message().to_string()).collect();
    assert_eq!(notes, [told]);
}

#[test]
fn of_a_server_at_an_address_the_place_of_its_data_is_not_known() {
    let mut run = writes(vec![update()]);
    run.device.file_system = "tmpfs".into();
    run.candidates[0].at_url = Some(AtUrl { url: "redis://127.0.0.1:6379".into() });
    let answer = answer(&run, &rounds([3_000; 3], |job| job.sync_probe = None));
    assert_eq!(candidate(&answer).guarantee.map(Guarantee::level), Some(DurabilityLevel::Power));
}

#[test]
fn flushes_of_the_device_are_told_for_each_commit_of_a_phase_that_writes() {
    let per_commit = |commit_every: u32, transactions: bool, flushes: Option<u64>| {
        let mut plan = update();
        plan.phase.commit_every = commit_every;
        let jobs = rounds([SYNC_NS; 3], |job| {
            job.phases[0].device_flushes = flushes;
            job.hello.as_mut().expect("a client").capabilities.transactions = transactions;
        });
        answer(&writes(vec![plan]), &jobs).phases[0].rows[0].flushes_per_commit
    };
    // 2,250 updates in each round.
    assert_eq!(per_commit(1, true, Some(2_250)), Some(1.0));
    assert_eq!(per_commit(10, true, Some(450)), Some(2.0), "a commit for ten updates");
    assert_eq!(per_commit(10, false, Some(2_250)), Some(1.0), "each is a commit where there are no transactions");
    assert_eq!(per_commit(1, true, None), None, "the device counts none");
    assert_eq!(per_commit(100, true, Some(9)), None, "too few commits to tell");
}
