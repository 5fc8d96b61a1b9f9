//! What terminal and page show of the sample run, and of runs that are unfinished or hostile.
//!
//! Golden files are compared exactly; `KURABE_BLESS=1` rewrites them, a missing one fails.

#[path = "report/articles.rs"]
mod articles;
#[path = "report/browser.rs"]
mod browser;
#[path = "../../analysis/tests/all/common/mod.rs"]
mod common;
#[path = "report/japanese.rs"]
mod japanese;
#[path = "report/ranked.rs"]
mod ranked;
#[path = "report/sentences.rs"]
mod sentences;
#[path = "report/windows.rs"]
mod windows;

use std::path::Path;

use kurabe_analysis::{
    Answer, AxisAnswer, AxisCurve, AxisPoint, ClaimAnswer, ClaimsAnswer, ConfigurationRef, Figure, GrowthSlope,
    Judgement, MissingPoint, PointGap, Range, Reason, Side, Skipped, analyse, answer, compare,
};
use kurabe_messages::{Language, message, with_language};
use kurabe_protocol::Operation;
use kurabe_record::{
    AxisEffect, AxisValue, CandidateRecord, DataRecord, EndRecord, EndStatus, JobError, JobErrorKind, JobRecord,
    Metric, RunRecord, StoreKind,
};
use kurabe_report::{
    ClaimsShown, Colour, Detail, TerminalStyle, comparison, comparison_html, html, markdown, recommendation, terminal,
};
use unicode_width::UnicodeWidthStr;

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}; run with KURABE_BLESS=1"));
    let differs = || kept.lines().zip(text.lines()).enumerate().find(|(_, (kept, now))| kept != now);
    assert!(kept == text, "{name} differs, first in {:?}; look at it, then KURABE_BLESS=1", differs());
}

/// What a page says, without its style and its drawings.
fn said(page: &str) -> String {
    without(&without(page, "<style>", "</style>"), "<svg ", "</svg>")
}

/// A text without what stands from `from` to `to`, wherever that is.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut parts = text.split(from);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |kept, part| kept + part.split_once(to).map_or(part, |(_, rest)| rest))
}

/// A section of a page, with its drawings.
fn section(page: &str, id: &str) -> String {
    let (_, section) = page.split_once(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}"));
    section.split_once("</section>").unwrap().0.to_string()
}

fn page_of(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> String {
    html(answer, run, jobs, Language::English).unwrap()
}

fn sample_page() -> String {
    let (answer, run, jobs) = sample();
    page_of(&answer, &run, &jobs)
}

fn sample() -> (Answer, RunRecord, Vec<JobRecord>) {
    let (run, jobs, end) = common::sample::sample();
    (analyse(&run, &jobs, Some(&end)), run, jobs)
}

/// The sample with growth over three sizes: one store of each judgement, one that was skipped.
fn with_growth() -> (Answer, RunRecord, Vec<JobRecord>) {
    let (mut answer, run, jobs) = sample();
    let figure =
        |value: f64| Figure { value, interval: Some(Range { low: value / 1.05, high: value * 1.05 }), rounds: 3 };
    let curve = |candidate: &str, exponent: f64, sizes: &[u64], judgement, skipped| AxisCurve {
        candidate: candidate.into(),
        kind: StoreKind::Store,
        points: sizes
            .iter()
            .map(|rows| {
                let cost_ns = 500.0 * (*rows as f64 / 10_000.0).powf(exponent - 1.0);
                AxisPoint {
                    value: AxisValue::Number(*rows),
                    configuration: 0,
                    figure: Some(figure(1e9 / cost_ns)),
                    rate_per_s: figure(1e9 / cost_ns),
                    p50_ns: None,
                    p99_ns: None,
                    cost_ns: figure(cost_ns),
                    total_ns: Some(figure(cost_ns * *rows as f64)),
                    to_first: None,
                    disk_per_row_bytes: Some(120.0),
                    memory_bytes: Some(10 << 20),
                    setting: None,
                }
            })
            .collect(),
        slope: Some(GrowthSlope {
            value: exponent,
            interval: Some(Range { low: exponent - 0.02, high: exponent + 0.02 }),
            sizes: sizes.len(),
            values: 3 * sizes.len(),
        }),
        judgement,
        skipped,
        missing: Vec::new(),
    };
    let at = ConfigurationRef { configuration: 2, rows: 1_000_000, factors: Vec::new() };
    let skipped = Skipped {
        at,
        rounds: 0,
        needed_rounds: 3,
        estimate_ns: Some(540_000_000_000),
        left_ns: 180_000_000_000,
        stopped_after_ns: None,
    };
    let sizes = [10_000, 100_000, 1_000_000];
    let missing = MissingPoint {
        value: AxisValue::Number(1_000_000),
        why: PointGap::Unranked(Reason::Skipped { skipped: skipped.clone() }),
    };
    answer.axes = vec![AxisAnswer {
        axis: "rows".into(),
        makes: AxisEffect::Configurations,
        phase: "load".into(),
        operation: Operation::Load,
        deciding: true,
        metric: Metric::Rate,
        beside: Vec::new(),
        values: sizes.iter().map(|rows| AxisValue::Number(*rows)).collect(),
        curves: vec![
            curve("lmdb", 0.93, &sizes, Judgement::LessThanLinear, None),
            curve("sqlite", 1.0, &sizes, Judgement::Linear, None),
            AxisCurve {
                missing: vec![missing],
                ..curve("file", 1.31, &sizes[..2], Judgement::MoreThanLinear, Some(skipped))
            },
        ],
    }];
    (answer, run, jobs)
}

fn style(width: usize, colour: Colour) -> TerminalStyle {
    TerminalStyle {
        width,
        colour,
        detail: Detail::Full,
        run_folder: "kurabe-runs/20261102T101500Z-quick".into(),
        claims: ClaimsShown::OfOwnStores,
        language: Language::English,
    }
}

/// In columns of a terminal.
fn widest(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with("repeat")).map(UnicodeWidthStr::width).max().unwrap_or(0)
}

#[test]
fn the_terminal_shows_the_sample_as_kept() {
    let (answer, run, _) = sample();
    golden("sample-160.txt", &terminal(&answer, &run, &style(160, Colour::Plain)));
    golden("sample-100.txt", &terminal(&answer, &run, &style(100, Colour::Plain)));
    golden("sample-80.txt", &terminal(&answer, &run, &style(80, Colour::Plain)));
}

#[test]
fn the_short_answer_names_the_data_file_and_keeps_claims_of_other_stores_to_one_line() {
    let (mut answer, mut run, _) = sample();
    let short = TerminalStyle { detail: Detail::Short, ..style(100, Colour::Plain) };
    let claim = |says: &str| ClaimAnswer {
        name: says.into(),
        says: says.into(),
        judgements: Vec::new(),
        known: None,
        not_judged: Some("no run can".into()),
    };
    let claims = ["one", "two"].map(claim).to_vec();
    answer.claims = Some(ClaimsAnswer { source: None, fixed_before: true, level: 0.95, about_these: false, claims });
    let text = terminal(&answer, &run, &short);
    assert!(text.contains("2 claims of the study are about other stores: kurabe claims kurabe-runs/"), "{text}");
    assert!(!text.contains("NOT MEASURED"), "{text}");
    let asked = TerminalStyle { claims: ClaimsShown::All, ..short.clone() };
    assert!(terminal(&answer, &run, &asked).contains("NOT JUDGED: two"));
    answer.claims.iter_mut().for_each(|claims| claims.about_these = true);
    assert!(terminal(&answer, &run, &short).contains("NOT JUDGED: two"));
    assert!(!text.contains("people.csv"));
    run.data = Some(people());
    let text = terminal(&answer, &run, &short);
    assert!(text.contains("rows of 'people.csv'") && !text.contains("/home"), "{text}");
    let japanese = markdown(&answer, &run, &[], (Language::Japanese, Detail::Full));
    assert!(japanese.contains("「people.csv」の "), "{japanese}");
}

#[test]
fn what_to_take_fits_eleven_lines_and_counts_the_cases_that_do_not() {
    let (mut answer, _, _) = sample();
    let short = TerminalStyle { detail: Detail::Short, ..style(80, Colour::Plain) };
    let case = |at: u32| {
        let text = format!("case {at} is so long that it takes more than one line of a terminal of 80 columns");
        message!(table_series, items = [text])
    };
    answer.advice.unless = (0..9).map(case).collect();
    let text = recommendation(&answer, &short);
    assert!((8..=11).contains(&text.lines().count()), "{text}");
    let last = text.lines().last().unwrap_or_default();
    let told = text.matches("is so long").count();
    assert!(last.contains(&format!("{} more cases: kurabe show --full kurabe-runs/", 9 - told)), "{text}");
    let full = recommendation(&answer, &style(80, Colour::Plain));
    assert_eq!(full.matches("is so long").count(), 9);
}

/// What a data file was found to be.
fn people() -> DataRecord {
    let record = serde_json::json!({
        "asked": { "file": "/home/me/people.csv", "key": "id" },
        "format": "csv",
        "header": true,
        "bytes": 1_000,
        "crc32": 7,
        "lines": 10,
        "records": 9,
        "headings": { "count": 0, "first": [] },
        "empty_lines": { "count": 0, "first": [] },
        "bad": [],
        "duplicate_keys": { "keys": 0, "left_out": { "count": 0, "first": [] } },
        "rows": 9,
        "columns": [],
    });
    serde_json::from_value(record).expect("the record of a data file")
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let (answer, run, _) = sample();
    for width in [80, 100, 120, 160] {
        let text = terminal(&answer, &run, &style(width, Colour::Plain));
        assert!(widest(&text) <= width, "{width}: {}", widest(&text));
        assert!(text.contains("lmdb"), "a name is never dropped");
    }
}

#[test]
fn plain_text_carries_no_escape_and_ansi_text_does() {
    let (answer, run, _) = sample();
    assert!(!terminal(&answer, &run, &style(100, Colour::Plain)).contains('\u{1b}'));
    assert!(terminal(&answer, &run, &style(100, Colour::Ansi)).contains("\u{1b}[1m"));
}

#[test]
fn the_page_shows_the_sample_as_kept() {
    let page = sample_page();
    // Of the phases only the one with two operations.
    let others = [1, 2, 3, 5, 6]
        .iter()
        .fold(page.clone(), |page, phase| without(&page, &format!("<section id=\"phase-{phase}\""), "</section>"));
    golden("sample.html", &said(&others));
    let (_, drawings) = page.split_once("<svg ").unwrap();
    golden("bars.html", drawings.split_once("</svg>").unwrap().0);
    let phase = section(&page, "phase-1");
    let (_, latencies) = phase.split_once("load: latency").unwrap();
    golden("latencies.html", latencies.split_once("</svg>").unwrap().0);
}

#[test]
fn growth_is_drawn_told_in_words_and_its_skips_are_marked() {
    let (answer, run, jobs) = with_growth();
    let page = page_of(&answer, &run, &jobs);
    let section = section(&page, "axes");
    golden("growth.html", &section);
    let judged = ["gets cheaper", "costs about the same", "gets more expensive"];
    for text in judged.into_iter().chain(["10,000 rows", "file ✕", ">skipped (budget)</td>"]) {
        assert!(section.contains(text), "{text}");
    }
    assert!(
        section.contains(
            "file: skipped (budget) at 1,000,000 rows: 3 rounds need about 9 min, but 3 min of the budget were left"
        ),
        "the reason is told"
    );
    assert!(!page_of(&sample().0, &run, &jobs).contains("id=\"axes\""), "one size has no growth");
}

#[test]
fn thirty_candidates_still_make_a_page_that_names_all_of_them() {
    let (mut run, jobs, end) = common::sample::sample();
    let model = run.candidates.iter().find(|one| one.name == "lmdb").unwrap().clone();
    let done: Vec<JobRecord> = jobs.iter().filter(|job| job.candidate == "lmdb").cloned().collect();
    let mut all = jobs;
    for index in 0..26 {
        let name = format!("lmdb-with-a-long-name-{index:02}");
        run.candidates.push(CandidateRecord { name: name.clone(), ..model.clone() });
        all.extend(done.iter().map(|job| JobRecord { candidate: name.clone(), ..job.clone() }));
    }
    let answer = analyse(&run, &all, Some(&end));
    let page = page_of(&answer, &run, &all);
    assert!(
        (0..26)
            .all(|index| page.contains(&format!("<th scope=\"row\" class=\"left\">lmdb-with-a-long-name-{index:02}<")))
    );
    assert!(page.contains("the first 10 of 3"), "the first screen shows the best of them");
    let first = answer.messages()[0].text(Language::English);
    assert!(first.len() < 400, "many leaders are counted, not named: {first}");
}

#[test]
fn the_result_for_a_readme_is_as_kept_in_both_languages() {
    let (answer, run, jobs) = sample();
    golden("sample.md", &markdown(&answer, &run, &jobs, (Language::English, Detail::Full)));
    golden("sample-short.md", &markdown(&answer, &run, &jobs, (Language::English, Detail::Short)));
    golden("sample-short.ja.md", &markdown(&answer, &run, &jobs, (Language::Japanese, Detail::Short)));
    golden("sample.ja.md", &markdown(&answer, &run, &jobs, (Language::Japanese, Detail::Full)));
}

#[test]
fn tables_for_a_readme_have_one_width_whatever_stores_write() {
    let (run, jobs) = hostile();
    let answer = analyse(&run, &jobs, Some(&common::complete()));
    let text = markdown(&answer, &run, &jobs, (Language::English, Detail::Full));
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let tables = text.split("\n\n").filter(|block| block.starts_with('|'));
    assert!(tables.clone().count() > 3);
    for table in tables {
        let first = table.lines().next().map(bars);
        assert!(table.lines().all(|line| Some(bars(line)) == first), "{table}");
    }
    let shown = text.split("```").next().unwrap();
    assert!(!shown.contains("<script"), "no element is made");
}

#[test]
fn every_chart_has_a_name_a_caption_and_its_numbers() {
    let (answer, run, jobs) = sample();
    let page = page_of(&answer, &run, &jobs);
    let count = |text: &str| page.matches(text).count();
    assert!(count("<figure>") > 10);
    assert_eq!(count("<figure>"), count("<figcaption>"));
    assert_eq!(count("<figure>"), count("<summary>numbers<span"));
    assert_eq!(count("<svg "), count("<svg role=\"img\" aria-label="));
}

#[test]
fn charts_and_tables_of_an_unstable_machine_show_no_rank() {
    let (mut answer, run, jobs) = sample();
    let ranked = |page: &str| {
        let texts = page.split("<text").skip(1).filter_map(|text| text.split_once('>')?.1.split('<').next());
        let of = |text: &&str| text.trim().starts_with(|c: char| c.is_ascii_digit()) && text.contains("sqlite");
        texts.filter(of).map(str::to_string).collect::<Vec<String>>()
    };
    let page = page_of(&answer, &run, &jobs);
    assert!(!ranked(&page).is_empty() && page.contains(">rank<") && page.contains(">#<"), "stable: it has ranks");
    assert!(!page.contains("× ? ="), "no such cell");
    answer.cautions.push(kurabe_analysis::Caution::Unsteady { fast_ns: 1_000_000, slow_ns: 2_000_000 });
    let page = page_of(&answer, &run, &jobs);
    assert_eq!(ranked(&page), [""; 0]);
    assert!(page.contains("× ? =") && page.contains("× ?<"), "the cells have a legend");
    assert!(!page.contains(">rank<") && !page.contains(">#<"));
    let full = terminal(&answer, &run, &style(160, Colour::Plain));
    assert!(!full.lines().any(|line| line.trim_start().starts_with("# ")), "{full}");
}

#[test]
fn the_page_asks_for_nothing_from_outside_and_runs_nothing() {
    let (answer, run, jobs) = sample();
    let page = page_of(&answer, &run, &jobs);
    for forbidden in ["<script", "src=", "@import", "url(", "<link", "=\"#0", "xlink"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

/// A run whose every text tries to leave its place.
fn hostile() -> (RunRecord, Vec<JobRecord>) {
    let (mut run, mut jobs, _) = common::sample::sample();
    let evil = "<script>alert('\u{1b}[31m\u{7}\u{202e}\u{2066}&')</script>";
    run.plan.title = evil.into();
    run.command = evil.into();
    for candidate in &mut run.candidates {
        candidate.title = evil.into();
        if candidate.name == "lmdb" {
            candidate.name = evil.into();
        }
        for kept in &mut candidate.settings {
            kept.value = evil.into();
        }
    }
    for job in jobs.iter_mut().filter(|job| job.candidate == "lmdb") {
        job.candidate = evil.into();
    }
    let failed = jobs.iter_mut().find(|job| job.candidate == "redis").unwrap();
    failed.phases.clear();
    failed.error =
        Some(JobError { kind: JobErrorKind::Service, phase: None, message: format!("{evil}\nlast line").into() });
    (run, jobs)
}

#[test]
fn what_stores_and_users_write_comes_out_escaped() {
    let (run, jobs) = hostile();
    let answer = analyse(&run, &jobs, Some(&common::complete()));
    let page = page_of(&answer, &run, &jobs);
    assert!(!page.contains("<script"), "no element is made");
    assert!(page.contains("&lt;script&gt;"), "the text is still there");
    let acts = ['\u{1b}', '\u{7}', '\u{202e}', '\u{2066}'];
    assert!(!page.contains(acts) && page.contains("\\u{1b}[31m\\u{7}\\u{202e}\\u{2066}"), "they are shown");
    let text = terminal(&answer, &run, &style(120, Colour::Plain));
    assert!(!text.contains(acts), "no control character reaches a terminal");
    for language in [Language::English, Language::Japanese] {
        let text = markdown(&answer, &run, &jobs, (language, Detail::Full));
        assert!(!text.contains(acts), "none reaches a document, nor a command to copy: {text}");
    }
}

#[test]
fn what_is_very_long_is_shown_by_its_beginning() {
    let (run, mut jobs, end) = common::sample::sample();
    let failed = jobs.iter_mut().find(|job| job.candidate == "redis").unwrap();
    let message = format!("begin {}\n", "long words ".repeat(100_000)).repeat(3);
    failed.phases.clear();
    failed.error = Some(JobError { kind: JobErrorKind::Client, phase: None, message: message.into() });
    for text in sentences::everywhere(&run, &jobs, &end) {
        assert!(text.len() < 1_000_000, "{}", text.len());
        let told = ["characters more in the record)", "文字は記録にあります）"];
        assert!(text.contains("begin long words") && told.iter().any(|told| text.contains(told)));
    }
}

#[test]
fn an_interrupted_run_shows_rates_and_says_why_there_is_no_ranking() {
    let (run, mut jobs, end) = common::sample::sample();
    jobs.retain(|job| job.round < 2);
    let end = EndRecord { status: EndStatus::Interrupted, ..end };
    let answer = analyse(&run, &jobs, Some(&end));
    golden("interrupted.txt", &terminal(&answer, &run, &style(100, Colour::Plain)));
    let page = page_of(&answer, &run, &jobs);
    assert!(!page.contains("Run with --rounds 3 or more"), "five were asked for");
    let short = terminal(&answer, &run, &TerminalStyle { detail: Detail::Short, ..style(120, Colour::Plain) });
    assert!(short.contains("(701 k/s)") && !short.contains("too few rounds ("), "{short}");
    assert_eq!(short.matches("A figure in brackets has no rank").count(), 1, "{short}");
}

#[test]
fn a_run_without_any_job_still_makes_a_page() {
    let (run, _, _) = common::sample::sample();
    let answer = analyse(&run, &[], None);
    assert!(page_of(&answer, &run, &[]).contains("Kurabe ranks no store"));
    assert!(terminal(&answer, &run, &style(80, Colour::Plain)).contains("Kurabe ranks no store"));
}

#[test]
fn the_csv_shows_the_sample_as_kept_with_one_width() {
    let (answer, _, _) = sample();
    let text = kurabe_report::csv(&answer).unwrap();
    golden("sample.csv", &text);
    let japanese = with_language(Language::Japanese, || kurabe_report::csv(&answer).unwrap());
    assert!(japanese == text, "the CSV is for programs");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines = reader.records().collect::<Result<Vec<_>, _>>().expect("all lines are as wide as the header");
    assert_eq!(lines.len(), answer.phases.iter().map(|phase| phase.rows.len()).sum::<usize>());
}

/// The sample beside a later run, as text and as a page.
fn compared() -> (String, String) {
    let (answer, run, jobs) = sample();
    let (mut later, mut later_jobs) = (run.clone(), jobs.clone());
    later.machine.kernel_release = "6.12.0".into();
    later.machine.cpu_model = Some("another processor".into());
    later.id = "20261103T101500Z-quick".into();
    // 'lmdb' takes half as long for its reads; 'redis' is gone.
    later.candidates.retain(|candidate| candidate.name != "redis");
    later_jobs.retain(|job| job.candidate != "redis");
    let lmdb = later_jobs.iter_mut().filter(|job| job.candidate == "lmdb").flat_map(|job| &mut job.phases);
    let workers = lmdb.filter(|phase| phase.name == "read").flat_map(|phase| &mut phase.results);
    for worker in workers.flat_map(|result| &mut result.workers) {
        worker.last_end_ns = worker.first_start_ns + (worker.last_end_ns - worker.first_start_ns) / 2;
    }
    let later_answer = analyse(&later, &later_jobs, Some(&common::complete()));
    let side = |name: &str, run, jobs, answer| Side { name: name.into(), run, jobs, answer };
    let sides = [side("before", &run, &jobs[..], &answer), side("after", &later, &later_jobs[..], &later_answer)];
    let compared = compare(&sides);
    (comparison(&compared, &style(120, Colour::Plain)), comparison_html(&compared, &sides, Language::English).unwrap())
}

#[test]
fn runs_side_by_side_show_what_changed_and_what_else_differs() {
    let (text, page) = compared();
    golden("compare.txt", &text);
    golden("compare.html", &said(&page));
    assert!(page.contains("Run 2 against run 1: faster: &#x27;lmdb&#x27; in read (2.00 ×)"), "the answer comes first");
    assert!(page.contains("Kernel: &#x27;6.1.0-18-amd64&#x27; in run 1, &#x27;6.12.0&#x27; in run 2."), "{text}");
    assert!(text.contains("Only run 1 has the candidate 'redis'"), "{text}");
    let first = text.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(first.starts_with("- Run 2 used another machine than run 1: Processor: '"), "{first}");
    let (answer, run, jobs) = sample();
    let side = |name: &str| Side { name: name.into(), run: &run, jobs: &jobs, answer: &answer };
    let copy = compare(&[side("before"), side("copy")]);
    assert_eq!((copy.runs[1].copy_of, copy.machines.len()), (Some(0), 0));
    assert!(
        comparison(&copy, &style(120, Colour::Plain)).contains("- Run 2 is a copy of run 1 (20261102T101500Z-quick)")
    );
}

#[test]
fn a_run_over_several_sizes_shows_growth_and_every_size() {
    let loaded = common::growing::growing();
    let answer = answer(&loaded);
    let text = |width| terminal(&answer, &loaded.run, &style(width, Colour::Plain));
    golden("growing-120.txt", &text(120));
    golden("growing-80.txt", &text(80));
    for width in [80, 100, 120, 160] {
        assert!(widest(&text(width)) <= width, "{width}: {}", widest(&text(width)));
    }
    let lines = kurabe_report::csv(&answer).unwrap();
    let mut reader = csv::Reader::from_reader(lines.as_bytes());
    let at = reader.headers().expect("a header").iter().position(|name| name == "rows").expect("a column");
    let rows: Vec<String> = reader.records().map(|line| line.expect("a line")[at].to_string()).collect();
    assert_eq!(rows.len(), 3 * 2 * 5, "three sizes, two phases, five candidates");
    assert_eq!((rows[0].as_str(), rows[29].as_str()), ("10000", "1000000"));
    let page = page_of(&answer, &loaded.run, &loaded.jobs);
    assert!(page.contains("At 1,000,000 rows: &#x27;lmdb&#x27; is fastest in load"), "the answer of the largest size");
}

#[test]
fn the_end_of_a_log_keeps_its_lines() {
    let (run, mut jobs, _) = common::sample::sample();
    let failed = jobs.iter_mut().find(|job| job.candidate == "redis").unwrap();
    failed.phases.clear();
    let message = "the service died; the end of its log:\nfirst line\nsecond line".to_string();
    failed.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: message.into() });
    let text = terminal(&analyse(&run, &jobs, Some(&common::complete())), &run, &style(120, Colour::Plain));
    assert!(text.contains("\n    first line\n    second line\n"), "{text}");
}

#[test]
fn names_of_wide_letters_take_their_columns() {
    let (mut run, mut jobs, end) = common::sample::sample();
    run.plan.title = "小さな行を扱うのに、このマシンではどのデータストアが一番速いか。".repeat(3);
    let wide = "長い名前を付けられたデータベース";
    run.candidates.iter_mut().filter(|one| one.name == "lmdb").for_each(|one| one.name = wide.into());
    jobs.iter_mut().filter(|job| job.candidate == "lmdb").for_each(|job| job.candidate = wide.into());
    let mut answer = analyse(&run, &jobs, Some(&end));
    for width in [120, 160] {
        let text = terminal(&answer, &run, &style(width, Colour::Plain));
        assert!(widest(&text) <= width, "{} columns instead of {width}: {text}", widest(&text));
    }
    let row = answer.phases[0].rows.iter_mut().find(|row| row.candidate == wide).unwrap();
    row.candidate = wide.repeat(2);
    let text = terminal(&answer, &run, &style(120, Colour::Plain));
    assert!(text.contains(" 長い名前を付けられたデータベース長い名… "), "a name takes forty columns at most: {text}");
}

#[test]
fn cells_that_a_spreadsheet_would_run_are_inert() {
    let (run, mut jobs, end) = common::sample::sample();
    let failed = jobs.iter_mut().find(|job| job.candidate == "redis").unwrap();
    failed.phases.clear();
    failed.error =
        Some(JobError { kind: JobErrorKind::Service, phase: None, message: "\u{1b}[31m\n=cmd|' /C calc'!A0".into() });
    let mut answer = analyse(&run, &jobs, Some(&end));
    answer.study = "=1+1".into();
    answer.run = "-3.5".into();
    for (row, name) in answer.phases[0].rows.iter_mut().zip(["+a", "@b", "-c", "＝d", "e=f"]) {
        row.candidate = name.into();
    }
    let text = kurabe_report::csv(&answer).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    let names: Vec<&str> = lines.iter().take(5).map(|line| &line[5]).collect();
    assert_eq!(names, ["'+a", "'@b", "'-c", "'＝d", "e=f"]);
    assert_eq!((&lines[0][0], &lines[0][1]), ("-3.5", "'=1+1"), "a number is no formula");
    assert!(!text.contains('\u{1b}'), "no escape reaches a terminal");
}

#[test]
fn what_is_not_the_same_work_is_said_first_and_no_tie_is_claimed_over_it() {
    let (answer, run, jobs) = sample();
    let compared = |change: &dyn Fn(&mut RunRecord)| {
        let mut later = run.clone();
        later.id = "20261103T101500Z-quick".into();
        change(&mut later);
        let later_answer = analyse(&later, &jobs, Some(&common::complete()));
        let side = |name: &str, run, answer| Side { name: name.into(), run, jobs: &jobs[..], answer };
        let sides = [side("before", &run, &answer), side("after", &later, &later_answer)];
        let page = comparison_html(&compare(&sides), &sides, Language::English).unwrap();
        assert!(!page.contains("study are the same"), "{page}");
        comparison(&compare(&sides), &style(200, Colour::Plain))
    };
    let text = compared(&|later| later.plan.configurations[0].phases[1].phase.connections = 8);
    let sentences: Vec<&str> = text.lines().filter(|line| line.starts_with("- Run 2")).collect();
    assert_eq!(
        sentences,
        [
            "- Run 2 did other work than run 1 in read: the operations differ. Ratios there do not show that a store or a \
             machine changed.",
            "- Run 2 against run 1: no difference in any of 23 figures of the same work detected.",
        ]
    );
    assert_eq!(text.matches("  different work  ").count(), 7, "each row of the phase: {text}");
    let ratios =
        text.lines().filter_map(|line| Some(line.split_once("  different work ")?.1.split_whitespace().next()));
    assert_eq!(ratios.collect::<Vec<_>>(), [Some("–"); 7], "their ratios are not shown: {text}");
    let text = compared(&|later| later.plan.compressible = 0.9);
    assert!(
        text.contains("in load, read, update, mix, scan and latest: compressible share: 50 % in run 1, 90 % in run 2."),
        "{text}"
    );
    assert!(text.contains("- Run 2 has no figure of the same work as run 1."), "{text}");
    assert!(!text.contains("no difference"), "{text}");
}
