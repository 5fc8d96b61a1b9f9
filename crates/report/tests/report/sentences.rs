//! What is told of a run in words, the same wherever it is shown.

use kurabe_analysis::{Caution, Differ, Missing, Note, QuickCommitCause, phrases};
use kurabe_protocol::{Action, Failed};
use kurabe_record::{CounterSum, Repeated};

use super::*;

/// What is shown of a run everywhere: terminal, page, Markdown in English and in Japanese.
pub fn everywhere(run: &RunRecord, jobs: &[JobRecord], end: &EndRecord) -> [String; 4] {
    let answer = analyse(run, jobs, Some(end));
    let in_lines = terminal(&answer, run, &style(100, Colour::Plain));
    [
        in_lines.split_whitespace().collect::<Vec<_>>().join(" "),
        page_of(&answer, run, jobs).replace("&#x27;", "'"),
        markdown(&answer, run, jobs, (Language::English, Detail::Full)),
        markdown(&answer, run, jobs, (Language::Japanese, Detail::Full)),
    ]
}

/// The same, where everything says what was done, in English with these words.
fn done_everywhere(run: &RunRecord, jobs: &[JobRecord], end: &EndRecord, english: &str) -> [String; 4] {
    let done = phrases::done(&analyse(run, jobs, Some(end)), run);
    let [in_english, in_japanese] = Language::ALL.map(|language| done.text(language));
    assert!(in_english.contains(english), "{in_english}");
    let shown = everywhere(run, jobs, end);
    for (text, done) in shown.iter().zip([&in_english, &in_english, &in_english, &in_japanese]) {
        assert!(text.contains(done.as_str()), "{done}: {text}");
    }
    shown
}

fn fail(job: &mut JobRecord) {
    job.phases.clear();
    job.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: "no luck".into() });
}

#[test]
fn the_first_sentence_counts_those_that_did_the_work_and_names_the_others() {
    let (mut run, mut jobs, end) = common::sample::sample();
    jobs.iter_mut().filter(|job| job.candidate == "redis" && job.round == 4).for_each(fail);
    jobs.retain(|job| job.candidate != "file");
    let english = "3 of 5 stores did the same work on 100,000 rows (9.54 MiB) over one connection, 5 times each in \
                   interleaved rounds. Every answer was checked. 'file' was never measured. 'redis' failed in round 5.";
    let shown = done_everywhere(&run, &jobs, &end, english);
    let rounds = ["0 of 5 rounds are complete: 'redis' failed in round 5", "5 ラウンドのうち、完了したのは 0 ラウンド"];
    assert!(shown[1].contains(rounds[0]) && shown[3].contains(rounds[1]), "{}", shown[1]);

    run.plan.configurations[0].rounds = 1;
    jobs.retain(|job| job.round == 0);
    jobs.iter_mut().for_each(fail);
    let english = "None of 5 stores did the work on 100,000 rows (9.54 MiB). 'file' was never measured. 'sqlite', \
                   'lmdb', 'redis' and 'sqlite+python' failed in round 1.";
    let shown = done_everywhere(&run, &jobs, &end, english);
    for promise in ["very answer was checked", "答えはすべて検証"] {
        assert!(shown.iter().all(|text| !text.contains(promise)), "'{promise}' is promised of nothing: {shown:?}");
    }
}

#[test]
fn the_first_sentence_says_how_increments_were_checked() {
    let (mut run, mut jobs, end) = common::sample::sample();
    run.plan.configurations[0].phases.push(common::plan("increment", Action::Increment));
    for job in &mut jobs {
        let mut counted = common::ran("increment", Operation::Increment, 1_000);
        counted.counters = (job.candidate != "file").then_some(CounterSum { sum: 1_000, least: 1_000, most: 1_000 });
        job.phases.push(counted);
    }
    let checked = "Every answer was checked, increments by their sum; those of 'file' were not checked.";
    done_everywhere(&run, &jobs, &end, checked);
}

#[test]
fn failures_that_are_allowed_stand_in_the_row_and_in_a_note() {
    let (mut run, mut jobs, end) = common::sample::sample();
    run.plan.allowed_errors = 50;
    let lmdb = jobs.iter_mut().filter(|job| job.candidate == "lmdb").flat_map(|job| &mut job.phases);
    for result in lmdb.filter(|phase| phase.name == "update").flat_map(|phase| &mut phase.results) {
        result.workers[0].failed = 7;
        result.failures = vec![Failed { operation: Operation::Update, message: "out of luck".into(), count: 7 }];
    }
    let english = "Operations of 'lmdb' failed: 35 in update. The study allows 50 in each phase of a job. Rates and latencies \
                   exclude them. The most frequent error: out of luck";
    let japanese =
        "「lmdb」の操作が失敗しました: update で 35 回。このスタディは、ジョブの各フェーズで 50 回まで許容します。";
    let shown = everywhere(&run, &jobs, &end);
    for (text, note) in shown.iter().zip([english, english, english, japanese]) {
        assert!(text.contains(note), "{text}");
    }
    let row = shown[2].lines().find(|line| line.starts_with("| 2 | lmdb") && line.contains("| 35 |"));
    assert!(row.is_some(), "{}", shown[2]);
    assert!(shown[3].contains("| 失敗 |"), "{}", shown[3]);
}

#[test]
fn notes_and_cautions_are_told_in_japanese_too() {
    let (run, jobs, end) = common::sample::sample();
    let mut answer = analyse(&run, &jobs, Some(&end));
    let rounds = answer.rounds;
    let names = || vec!["a".to_string(), "b".to_string()];
    let why = vec![
        Missing::Failed { candidates: names(), round: 1 },
        Missing::FailedBefore {
            candidates: names(),
            at: ConfigurationRef { configuration: 0, rows: 1_000, factors: Vec::new() },
        },
        Missing::Budget(None),
        Missing::Interrupted(None),
        Missing::Broken(None),
        Missing::NoEnd,
    ];
    answer.notes =
        vec![Note::Rounds { rounds, why }, Note::TooFewRounds, Note::DuplicateLines(vec![Repeated { line: 3 }])];
    let pair = || (("a".to_string(), "1".to_string()), ("b".to_string(), "2".to_string()));
    let ((one, other), candidate, phase) = (pair(), "a".to_string(), "load".to_string());
    answer.cautions = vec![
        Caution::Libraries { one, other, differ: Differ::Versions },
        Caution::Services { one: pair().0, other: pair().1 },
        Caution::QuickCommits {
            candidate: candidate.clone(),
            phase,
            round: 0,
            median_ns: 9_000,
            sync_ns: 40_000,
            because: QuickCommitCause::SharedSync,
        },
        Caution::Pauses { candidate, pauses: 3, share: 0.01, heap_peak_bytes: 1 << 20, heap_max_bytes: 2 << 20 },
        Caution::OtherRuns { disturbed: 1, jobs: 2 },
        Caution::Unsteady { fast_ns: 1_000_000, slow_ns: 2_000_000 },
        Caution::Throttled {
            phase: "read".into(),
            share: 0.4,
            quota: Some(kurabe_messages::message!(machine_quota, quota = 0.5)),
        },
    ];
    answer.notes.push(Note::Closes { candidate: "a".into(), phases: vec![("read".into(), 99, 100)] });
    let text = markdown(&answer, &run, &jobs, (Language::Japanese, Detail::Full));
    let notes = answer.notes.iter().map(Note::message);
    for message in answer.cautions.iter().map(Caution::message).chain(notes) {
        let told = message.text(Language::Japanese);
        assert!(text.contains(&format!("\n- {told}\n")) && told.contains('。'), "{told}: {text}");
    }
    for told in [
        "「a」は 1、「b」は 2 を使っています。両者の差にはバージョンの差も入っています。",
        "2 個のジョブのうち 1 個の間、このマシンで別の Kurabe も測定していました。",
        "（「a」、「b」が 2 ラウンド目で失敗。「a」、「b」が失敗（1,000 行）。残りは予算に収まらなかった。測定が中断された。測定を続けられなくなった。",
        "--rounds 3 以上で測り直してください。",
        "jobs.jsonl の 3 行目は前の行の繰り返しです。",
        "「read」の間、CPU の割り当て（",
        "クライアントが接続を開き直しました: read では 100 回の操作に 99 本。",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}
