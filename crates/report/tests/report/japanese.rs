//! Pages and terminals in Japanese: whole, as kept, and with names that no language changes.

use kurabe_messages::all;

use super::*;

/// The page of the sample.
pub fn japanese_page() -> String {
    let (answer, run, jobs) = sample();
    html(&answer, &run, &jobs, Language::Japanese).unwrap()
}

fn in_japanese(width: usize, detail: Detail) -> TerminalStyle {
    TerminalStyle { detail, language: Language::Japanese, ..style(width, Colour::Plain) }
}

/// The heading and the explanation of each section, without its tables.
fn headings(page: &str) -> String {
    let is_heading = |line: &&str| ["<h1", "<h2", "<p class="].iter().any(|it| line.contains(it));
    page.lines().filter(is_heading).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_terminal_and_the_headings_of_the_page_are_as_kept() {
    let (answer, run, _) = sample();
    golden("sample-80.ja.txt", &terminal(&answer, &run, &in_japanese(80, Detail::Short)));
    let page = japanese_page();
    assert!(page.contains("<html lang=\"ja\">"));
    golden("sample.ja.html", &headings(&said(&page)));
}

#[test]
fn no_line_is_wider_than_the_terminal_in_japanese() {
    let (answer, run, _) = sample();
    for width in [80, 100, 120, 160] {
        let text = terminal(&answer, &run, &in_japanese(width, Detail::Full));
        let lines = text.lines().filter(|line| !line.starts_with("再測定"));
        let widest = lines.max_by_key(|line| line.width()).unwrap_or_default();
        assert!(widest.width() <= width, "{width}: {widest}");
    }
}

/// A page has no word of Kurabe in the other language: nothing of a message whose texts differ.
#[test]
fn a_japanese_page_has_no_english_heading() {
    let page = japanese_page();
    let ids = all().iter().filter(|entry| entry.id.starts_with("page-") && entry.arguments.is_empty());
    let texts = ids.filter_map(|entry| kurabe_messages::by_name(entry.id));
    let english: Vec<String> = texts.map(|one| one.text(Language::English)).collect();
    let found: Vec<&String> = english.iter().filter(|text| page.contains(&format!(">{text}<"))).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(english.iter().any(|text| sample_page().contains(&format!(">{text}<"))), "the English page has them");
}

/// The sample with its second phase and one of its stores called by this name.
fn called(name: &str) -> (RunRecord, Vec<JobRecord>, EndRecord) {
    let (mut run, mut jobs, end) = common::sample::sample();
    let phase = std::mem::replace(&mut run.plan.configurations[0].phases[1].phase.name, name.into());
    for candidate in run.candidates.iter_mut().filter(|one| one.name == "lmdb") {
        candidate.name = name.into();
    }
    for job in &mut jobs {
        if job.candidate == "lmdb" {
            job.candidate = name.into();
        }
        for one in job.phases.iter_mut().filter(|one| one.name == phase) {
            one.name = name.into();
        }
    }
    (run, jobs, end)
}

#[test]
fn names_that_look_like_words_stay() {
    for name in ["rank", "candidate", "store", "baseline", "saturated", "p99", "wrong answers"] {
        let (run, jobs, end) = called(name);
        let answer = analyse(&run, &jobs, Some(&end));
        let shown = |detail| markdown(&answer, &run, &jobs, (Language::Japanese, detail));
        let (short, full) = (shown(Detail::Short), shown(Detail::Full));
        assert!(full.contains(&format!("**{name}**\n\n|")), "heading of {name}: {full}");
        let head = short.lines().find(|line| line.starts_with("| ストア |")).unwrap();
        assert!(head.contains(&format!("| {name} |")), "column of {name}: {head}");
        let names_a_row = |line: &&str| line.contains(&format!("| {name} |")) && !line.starts_with("| ストア |");
        assert!(short.lines().any(|line| names_a_row(&line)), "row of {name}: {short}");
    }
}
