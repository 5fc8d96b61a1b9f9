//! What is told of a run in words, the same wherever it is shown.

use kurabe_analysis::{Caution, Differ, Innocent, Missing, Note};
use kurabe_protocol::{Action, Failed};
use kurabe_record::{CounterSum, Repeated};

use super::*;

/// What is shown of a run everywhere: terminal, page, Markdown in English and in Japanese.
pub fn everywhere(run: &RunRecord, jobs: &[JobRecord], end: &EndRecord) -> [String; 4] {
    let answer = analyse(run, jobs, Some(end));
    let in_lines = terminal(&answer, run, &style(100, Colour::Plain));
    [
        in_lines.split_whitespace().collect::<Vec<_>>().join(" "),
        html(&answer, run, jobs).unwrap().replace("&#x27;", "'"),
        markdown(&answer, run, jobs, (Language::English, Detail::Full)),
        markdown(&answer, run, jobs, (Language::Japanese, Detail::Full)),
    ]
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
    let english = "3 of 5 stores did the same work on 100,000 rows (9.54 MiB) over one connection, 5 times each, in turns, and every \
                   answer was checked. 'file' was never measured. 'redis' failed in round 5.";
    let japanese = "5 個のストアのうち 3 個に、100,000 行に対する同じ仕事を順番を入れ替えながら 5 回ずつさせ、答えをすべて確かめました。\
                    file は一度も測れませんでした。redis は 5 ラウンド目で失敗しました。";
    let shown = everywhere(&run, &jobs, &end);
    for (text, sentence) in shown.iter().zip([english, english, english, japanese]) {
        assert!(text.contains(sentence), "{text}");
    }
    let rounds = ["0 of 5 rounds are complete: 'redis' failed in round 5", "5 ラウンドのうち、完了したのは 0 ラウンド"];
    assert!(shown[1].contains(rounds[0]) && shown[3].contains(rounds[1]), "{}", shown[1]);

    run.plan.configurations[0].rounds = 1;
    jobs.retain(|job| job.round == 0);
    jobs.iter_mut().for_each(fail);
    let english = "None of 5 stores did the work on 100,000 rows (9.54 MiB). 'file' was never measured. 'sqlite', 'lmdb', 'redis' and \
                   'sqlite+python' failed in round 1.";
    let shown = everywhere(&run, &jobs, &end);
    for (text, sentence) in shown.iter().zip([english, english, english, "やり遂げたものはありません"]) {
        assert!(text.contains(sentence), "{text}");
    }
    for promise in
        ["every answer was checked", "Every answer was checked", "writes survive even", "答えをすべて確かめ", "残る: "]
    {
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
    let english = "every answer was checked (increments by their sum, those of 'file' not at all).";
    let japanese = "答えをすべて確かめました（加算は合計で確認、file の加算は確かめられず）。";
    for (text, sentence) in everywhere(&run, &jobs, &end).iter().zip([english, english, english, japanese]) {
        assert!(text.contains(sentence), "{text}");
    }
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
    let english = "Operations of 'lmdb' failed, within the 50 that the study allows a phase of a job: 35 in update, most \
                   often: out of luck.";
    let japanese = "lmdb の操作が update で 35 回 失敗しました（ジョブのフェーズごとに 50 回まで許されています）。";
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
        Missing::FailedBefore { candidates: names(), at: At { configuration: 0, rows: 1_000, factors: Vec::new() } },
        Missing::Budget(None),
        Missing::Interrupted(None),
        Missing::Broken(None),
        Missing::NoEnd,
    ];
    answer.notes = vec![Note::Rounds { rounds, why }, Note::TooFewRounds, Note::Repeated(vec![Repeated { line: 3 }])];
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
            because: Innocent::SharedSync,
        },
        Caution::Pauses { candidate, pauses: 3, share: 0.01, heap_peak_bytes: 1 << 20, heap_max_bytes: 2 << 20 },
        Caution::OtherRuns { beside: 1, jobs: 2 },
        Caution::Unsteady { fast_ns: 1_000_000, slow_ns: 2_000_000 },
        Caution::Throttled { phase: "read".into(), share: 0.4, quota: Some("0.5 processors".into()) },
    ];
    answer.notes.push(Note::Closes { candidate: "a".into(), phases: vec![("read".into(), 99, 100)] });
    let text = markdown(&answer, &run, &jobs, (Language::Japanese, Detail::Full));
    let list = text
        .lines()
        .filter(|line| line.starts_with("- ") && !line.contains(": 非対応") && !line.contains(": 答えの誤り"))
        // A command has no end, so that it can be copied.
        .filter(|line| !line.contains("kurabe run"));
    assert!(
        list.clone().count() > 12 && list.clone().all(|line| line.contains('。')),
        "a line is not in Japanese: {text}"
    );
    for told in [
        "a は 1、b は 2 を使っています。両者の差には版の差も入っています。",
        "2 個のジョブのうち 1 個は、このマシンで別の Kurabe が測定している間に走りました。",
        "（a、b が 2 ラウンド目で失敗、a、b が 1,000 行で失敗、残りは時間の予算に収まらなかった、途中で中断された、続けられなくなった、",
        "--rounds 3 以上で実行してください。",
        "jobs.jsonl の 3 行目は前にある内容の繰り返しです。",
        "「read」を測る間、CPU の割り当て（0.5 processors）を周期の 40",
        "read では 100 回の操作に 99 本の接続を作りました。",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}
