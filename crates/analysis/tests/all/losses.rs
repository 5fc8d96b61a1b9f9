//! What kills took: judged against what settings allow, and only where the control was found.

use kurabe_analysis::{LossFault, LossVerdict, Outcome, PhaseRow, Reason, Status, analyse};
use kurabe_protocol::{Action, Checks};
use kurabe_record::{
    Act, ActionPlan, ActionRecord, Bound, CutRecord, Guarantee, Integrity, JobRecord, Loss, PhaseOutcome, RunRecord,
    ServiceTarget, Unsynced,
};

use crate::common::{baseline, complete, plan, reads, run, store};

/// Jobs of a control, a store that keeps all and one that loses: each killed once.
fn killed() -> (RunRecord, Vec<JobRecord>) {
    let candidates = vec![baseline("control"), store("keeps"), store("loses")];
    let mut run = run(3, candidates, vec![plan("read", Action::Read)]);
    let mut jobs = ["control", "keeps", "loses"].map(|name| reads(name, &[1_000, 1_010, 990])).concat();
    let action = ActionPlan { at_ns: 5, at_most_ns: Some(9), act: Act::Kill(ServiceTarget::Store) };
    run.plan.configurations[0].phases[0].phase.counts_losses = true;
    for job in &mut jobs {
        job.final_count = None;
        job.phases[0].actions = vec![ActionRecord { recovery_ns: Some(7), ..ActionRecord::of(&action) }];
        if job.candidate != "keeps" {
            let checks = &mut job.phases[0].results[0].checks;
            (checks.stale, checks.lost, checks.lost_writes, checks.lost_ns) = (1, 2, 30, Some(4_000_000));
        }
    }
    (run, jobs)
}

fn promise(run: &mut RunRecord, kill: Loss) {
    let setting = run.candidates[2].durability.as_mut().expect("a setting");
    setting.guarantee = Guarantee { kill, ..setting.guarantee };
}

#[test]
fn what_a_kill_took_is_told_beside_what_the_setting_allows_and_is_no_wrong_answer() {
    let (mut run, jobs) = killed();
    let cases = [
        (Loss::Nothing, LossVerdict::Broken),
        (Loss::Commits(29), LossVerdict::Broken),
        (Loss::Commits(30), LossVerdict::Allowed),
        (Loss::Millis(3), LossVerdict::Broken),
        (Loss::Millis(4), LossVerdict::Allowed),
        (Loss::All, LossVerdict::Allowed),
        (Loss::Bytes(1), LossVerdict::Lost),
    ];
    for (kill, verdict) in cases {
        promise(&mut run, kill);
        let answer = analyse(&run, &jobs, Some(&complete()));
        let [control, keeps, loses] = &answer.losses[..] else { panic!("{:?}", answer.losses) };
        assert!(control.is_control && control.lost == 3, "{control:?}");
        assert_eq!((keeps.verdict, keeps.trials, keeps.amiss), (LossVerdict::Kept, 3, 0));
        assert_eq!(
            (loses.verdict, loses.lost, loses.lost_writes.map(|writes| writes.greatest)),
            (verdict, 3, Some(30))
        );
        assert_eq!((answer.outcome, answer.sentences.len(), answer.leaders.len()), (Outcome::Good, 0, 0));
        let is_wrong = |row: &PhaseRow| matches!(&row.status, Status::Unranked { reason: Reason::WrongAnswers { .. } });
        assert!(!answer.phases[0].rows.iter().any(is_wrong), "{kill:?}");
        let headline = answer.advice.headline.to_string();
        assert_eq!(
            headline.contains("'loses' lost more in a kill than its setting allows"),
            verdict == LossVerdict::Broken
        );
        let told: Vec<String> = answer.advice.because.iter().map(ToString::to_string).collect();
        assert!(
            told[0].contains("up to 30 acknowledged writes (at least the last 4.00 ms) in 3 of 3 kills"),
            "{told:?}"
        );
        assert!(told[1].contains("'keeps': no acknowledged write lost in 3 kills. At most 63 %"), "{told:?}");
    }
}

#[test]
fn that_nothing_was_lost_shows_nothing_without_a_control_that_was_found() {
    let (mut run, mut jobs) = killed();
    promise(&mut run, Loss::Nothing);
    for job in jobs.iter_mut().filter(|job| job.candidate == "control") {
        job.phases[0].results[0].checks = Checks::default();
    }
    let answer = analyse(&run, &jobs, Some(&complete()));
    let verdicts: Vec<LossVerdict> = answer.losses.iter().map(|one| one.verdict).collect();
    let lost = LossVerdict::Broken;
    assert_eq!(verdicts, [LossVerdict::HarnessBroken, LossVerdict::HarnessBroken, lost], "what was found stays");
    assert!(answer.losses.iter().all(|one| one.most_share.is_none()), "{:?}", answer.losses);
    jobs.retain(|job| job.candidate == "keeps");
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!(answer.losses[1].verdict, LossVerdict::HarnessBroken, "a control that was not measured");
    assert!(answer.advice.headline.to_string().contains("shows nothing"));
}

#[test]
fn a_store_that_gave_no_rows_or_other_rows_keeps_less_than_anything_but_nothing() {
    let (mut run, jobs) = killed();
    let verdict = |run: &RunRecord, jobs: &[JobRecord]| {
        let answer = analyse(run, jobs, Some(&complete()));
        (answer.losses[2].verdict, answer.advice.because[0].to_string())
    };
    let (mut gone, mut damaged) = (jobs.clone(), jobs);
    for (job, other) in gone.iter_mut().zip(&mut damaged).filter(|(job, _)| job.candidate == "loses") {
        job.phases[0].actions[0].not_back = Some("broken file".into());
        job.phases[0].outcome = PhaseOutcome::Failed("broken file".into());
        other.phases[0].results[0].checks.phantom = 1;
    }
    for (kill, expected) in [(Loss::Millis(900), LossVerdict::Broken), (Loss::All, LossVerdict::Allowed)] {
        promise(&mut run, kill);
        let (found, told) = verdict(&run, &gone);
        assert!(
            found == expected && told.contains("gave no rows after 3 of 3 kills (broken file)"),
            "{found:?} {told}"
        );
        let (found, told) = verdict(&run, &damaged);
        assert!(found == expected && told.contains("values that nobody wrote there, after 3 of 3 kills"), "{told}");
    }
}

/// The same jobs, whose power was cut.
fn cut() -> (RunRecord, Vec<JobRecord>) {
    let (mut run, mut jobs) = killed();
    let action = ActionPlan { at_ns: 5, at_most_ns: Some(9), act: Act::Cut(ServiceTarget::Store) };
    run.plan.configurations[0].phases[0].actions = vec![action.clone()];
    for job in &mut jobs {
        let found = CutRecord { unsynced: Unsynced::Torn, writes: 3, bytes: 4096, names: 0, syncs: 10 };
        job.phases[0].actions = vec![ActionRecord { at_cut: Some(found), ..ActionRecord::of(&action) }];
    }
    (run, jobs)
}

fn verdict_of(run: &RunRecord, jobs: &[JobRecord]) -> LossVerdict {
    let answer = analyse(run, jobs, Some(&complete()));
    answer.losses[2].verdict
}

#[test]
fn what_a_power_cut_took_is_judged_by_the_loss_on_power_failure_and_by_the_integrity() {
    let (mut run, mut jobs) = cut();
    let allow = |run: &mut RunRecord, power: Loss, integrity: Integrity| {
        let setting = run.candidates[2].durability.as_mut().expect("a setting");
        setting.guarantee = Guarantee { kill: Loss::Nothing, power, integrity };
    };
    let checkpoint = |commits: u64| Loss::Checkpoint(Bound::Commits(commits));
    let cases = [
        (Loss::Nothing, LossVerdict::Broken),
        (Loss::Millis(3), LossVerdict::Broken),
        (Loss::Millis(4), LossVerdict::Allowed),
        (checkpoint(30), LossVerdict::Allowed),
        (checkpoint(29), LossVerdict::Lost),
        (Loss::Writeback, LossVerdict::Allowed),
        (Loss::All, LossVerdict::Allowed),
    ];
    for (power, verdict) in cases {
        allow(&mut run, power, Integrity::I0);
        assert_eq!(verdict_of(&run, &jobs), verdict, "{power:?}");
    }
    let answer = analyse(&run, &jobs, Some(&complete()));
    let loses = &answer.losses[2];
    assert_eq!((loses.fault, loses.unsynced_bytes.map(|bytes| bytes.greatest)), (LossFault::PowerCut, Some(4096)));
    assert!(loses.syncs_per_write.is_some_and(|syncs| syncs > 0.0));
    assert!(answer.advice.headline.to_string().contains("a power cut"), "{}", answer.advice.headline);

    // A store that does not come back may need a repair, or be damaged, or may not do that.
    for job in jobs.iter_mut().filter(|job| job.candidate == "loses") {
        job.phases[0].actions[0].not_back = Some("corrupt".into());
        job.phases[0].outcome = PhaseOutcome::Failed("corrupt".into());
    }
    let cases = [
        (Loss::Millis(4), Integrity::I1, LossVerdict::Broken),
        (Loss::Millis(4), Integrity::I2, LossVerdict::Allowed),
        (Loss::Writeback, Integrity::I3, LossVerdict::Allowed),
        (Loss::All, Integrity::I0, LossVerdict::Allowed),
    ];
    for (power, integrity, verdict) in cases {
        allow(&mut run, power, integrity);
        assert_eq!(verdict_of(&run, &jobs), verdict, "{power:?} {integrity}");
    }
}
