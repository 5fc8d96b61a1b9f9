//! What terminal and page show of the sample run, and of runs that are unfinished or hostile.
//!
//! Golden files are compared exactly; `KURABE_BLESS=1` rewrites them, a missing one fails.

#[path = "../../analysis/tests/common/mod.rs"]
mod common;

use std::path::Path;

use kurabe_analysis::{Answer, Side, analyse, answer, compare};
use kurabe_record::{EndRecord, EndStatus, JobError, JobErrorKind, JobRecord, RunRecord};
use kurabe_report::{Colour, TerminalStyle, comparison, html, terminal};

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

fn sample() -> (Answer, RunRecord, Vec<JobRecord>) {
    let (run, jobs, end) = common::sample::sample();
    (analyse(&run, &jobs, Some(&end)), run, jobs)
}

fn style(width: usize, colour: Colour) -> TerminalStyle {
    TerminalStyle { width, colour, run_folder: "kurabe-runs/20261102T101500Z-quick".into() }
}

fn widest(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with("repeat")).map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn the_terminal_shows_the_sample_as_kept() {
    let (answer, run, _) = sample();
    golden("sample-160.txt", &terminal(&answer, &run, &style(160, Colour::Plain)));
    golden("sample-100.txt", &terminal(&answer, &run, &style(100, Colour::Plain)));
    golden("sample-80.txt", &terminal(&answer, &run, &style(80, Colour::Plain)));
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
    let (answer, run, jobs) = sample();
    golden("sample.html", &html(&answer, &run, &jobs).unwrap());
}

#[test]
fn every_chart_has_a_name_a_caption_and_its_numbers() {
    let (answer, run, jobs) = sample();
    let page = html(&answer, &run, &jobs).unwrap();
    let count = |text: &str| page.matches(text).count();
    assert!(count("<figure>") > 10);
    assert_eq!(count("<figure>"), count("<figcaption>"));
    assert_eq!(count("<figure>"), count("<summary>numbers</summary>"));
    assert_eq!(count("<svg "), count("<svg role=\"img\" aria-label="));
}

#[test]
fn the_page_asks_for_nothing_from_outside_and_runs_nothing() {
    let (answer, run, jobs) = sample();
    let page = html(&answer, &run, &jobs).unwrap();
    for forbidden in ["<script", "src=", "@import", "url(", "<link", "=\"#0", "xlink"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

/// A run whose every text tries to leave its place.
fn hostile() -> (RunRecord, Vec<JobRecord>) {
    let (mut run, mut jobs, _) = common::sample::sample();
    let evil = "<script>alert('\u{1b}[31m&')</script>";
    run.title = evil.into();
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
    failed.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: format!("{evil}\nlast line") });
    (run, jobs)
}

#[test]
fn what_stores_and_users_write_comes_out_escaped() {
    let (run, jobs) = hostile();
    let answer = analyse(&run, &jobs, Some(&common::complete()));
    let page = html(&answer, &run, &jobs).unwrap();
    assert!(!page.contains("<script"), "no element is made");
    assert!(page.contains("&lt;script&gt;"), "the text is still there");
    let text = terminal(&answer, &run, &style(120, Colour::Plain));
    assert!(!text.contains('\u{1b}'), "no control character reaches a terminal");
}

#[test]
fn an_interrupted_run_shows_rates_and_says_why_there_is_no_ranking() {
    let (run, mut jobs, end) = common::sample::sample();
    jobs.retain(|job| job.round < 2);
    let end = EndRecord { status: EndStatus::Interrupted, ..end };
    let answer = analyse(&run, &jobs, Some(&end));
    golden("interrupted.txt", &terminal(&answer, &run, &style(100, Colour::Plain)));
    let page = html(&answer, &run, &jobs).unwrap();
    assert!(page.contains("No ranking below 3 rounds: run with --rounds 3 or more."));
}

#[test]
fn a_run_without_any_job_still_makes_a_page() {
    let (run, _, _) = common::sample::sample();
    let answer = analyse(&run, &[], None);
    assert!(html(&answer, &run, &[]).unwrap().contains("There is no ranking"));
    assert!(terminal(&answer, &run, &style(80, Colour::Plain)).contains("There is no ranking"));
}

#[test]
fn the_csv_shows_the_sample_as_kept_with_one_width() {
    let (answer, _, _) = sample();
    let text = kurabe_report::csv(&answer).unwrap();
    golden("sample.csv", &text);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines = reader.records().collect::<Result<Vec<_>, _>>().expect("all lines are as wide as the header");
    assert_eq!(lines.len(), answer.phases.iter().map(|phase| phase.rows.len()).sum::<usize>());
}

#[test]
fn runs_side_by_side_show_what_changed_and_what_else_differs() {
    let (answer, run, jobs) = sample();
    let (mut later, mut later_jobs) = (run.clone(), jobs.clone());
    later.machine.kernel_release = "6.12.0".into();
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
    let text = comparison(&compare(&sides), &style(120, Colour::Plain));
    golden("compare.txt", &text);
    assert!(text.contains("Kernel: '6.1.0-18-amd64' in run 1, '6.12.0' in run 2."), "{text}");
    assert!(text.contains("only in run 1: candidate 'redis'"), "{text}");
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
    let page = html(&answer, &loaded.run, &loaded.jobs).unwrap();
    assert!(page.contains("At 1,000,000 rows: &#x27;lmdb&#x27; is fastest in load"), "the answer of the largest size");
}

#[test]
fn the_end_of_a_log_keeps_its_lines() {
    let (run, mut jobs, _) = common::sample::sample();
    let failed = jobs.iter_mut().find(|job| job.candidate == "redis").unwrap();
    failed.phases.clear();
    let message = "the service died; the end of its log:\nfirst line\nsecond line".to_string();
    failed.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message });
    let text = terminal(&analyse(&run, &jobs, Some(&common::complete())), &run, &style(120, Colour::Plain));
    assert!(text.contains("\n    first line\n    second line\n"), "{text}");
}
