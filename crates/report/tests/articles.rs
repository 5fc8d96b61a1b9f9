//! The page about published comparisons is what the kept records say, byte for byte.

use std::path::{Path, PathBuf};

use kurabe_messages::Language;
use kurabe_record::Loaded;
use kurabe_report::Detail;

/// Bytes that a kept run may have.
const MOST_BYTES: u64 = 1_400_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The kept runs of articles, in the order of `make articles`.
const ARTICLES: [&str; 10] = [
    "board",
    "board-as-published",
    "board-arrivals",
    "rows",
    "rows-ruby",
    "primary-key",
    "counter",
    "counter-as-published",
    "dictionary",
    "dictionary-as-published",
];
/// Lines that the page may have, and those with text of one article, a screen.
const MOST_LINES: usize = 400;
const MOST_LINES_OF_ONE: usize = 40;

/// All kept runs.
fn kept() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root().join("results")).expect("kept runs");
    let folders: Vec<PathBuf> = folders.map(|entry| entry.expect("an entry").path()).collect();
    assert!(folders.len() > ARTICLES.len());
    folders
}

/// Fails where the document is not this page; `KURABE_BLESS=1` writes it.
fn is_kept(document: &str, page: &str) {
    let path = root().join(document);
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let kept = std::fs::read_to_string(path).expect("the page");
    assert!(page == kept, "{document} is not what the kept results say; run 'make articles'");
}

#[test]
fn the_pages_about_published_comparisons_are_made_of_the_kept_results() {
    kurabe_study::translate_descriptions();
    let read = |name: &&str| {
        let loaded = Loaded::read(&root().join("results").join(name)).expect("a kept run");
        (kurabe_analysis::answer(&loaded), loaded.run)
    };
    let runs: Vec<_> = ARTICLES.iter().map(read).collect();
    for (language, document) in [(Language::English, "docs/ARTICLES.md"), (Language::Japanese, "docs/ARTICLES.ja.md")] {
        let page = kurabe_report::articles(&runs, language);
        is_kept(document, &page);
        assert!(page.lines().count() <= MOST_LINES, "{document} has {} lines", page.lines().count());
        for article in page.split("\n## ").skip(1) {
            let lines = article.lines().filter(|line| !line.is_empty()).count();
            assert!(lines <= MOST_LINES_OF_ONE, "{}: {lines} lines", article.lines().next().unwrap_or_default());
        }
        // Every figure of a conclusion leads to what was found about it.
        let html = kurabe_report::articles_html(&runs, language).expect("a page");
        let links = html.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
        let links: Vec<&str> = links.filter(|id| id.contains("-claim-")).collect();
        let conclusions = page.lines().filter(|line| line.ends_with('*') && !line.ends_with("**")).count();
        assert!(conclusions > 20 && links.len() == conclusions, "{} links, {conclusions} conclusions", links.len());
        for id in links {
            assert!(html.contains(&format!("id=\"{id}\"")), "'{id}' leads nowhere");
        }
    }
}

/// Documents that hold answers of kept runs between their marks.
const SPLICED: [(&str, &[&str]); 1] = [("docs/CLIENTS.md", &["clients"])];

#[test]
fn documents_hold_the_answers_of_kept_runs() {
    let spliced = |document: String, name: &&str| {
        let loaded = Loaded::read(&root().join("results").join(name)).expect("a kept run");
        let answer = kurabe_analysis::answer(&loaded);
        let how = (Language::English, Detail::Short);
        let result = kurabe_report::markdown(&answer, &loaded.run, &loaded.jobs, how);
        kurabe_report::splice(&document, &loaded.run.plan.study, &result).expect("its marks")
    };
    for (document, runs) in SPLICED {
        let kept = std::fs::read_to_string(root().join(document)).expect("the page");
        is_kept(document, &runs.iter().fold(kept, spliced));
    }
}

#[test]
fn a_kept_run_is_small() {
    for run in kept() {
        let folder = std::fs::read_dir(&run).expect("a kept run");
        let bytes: u64 = folder.map(|file| file.expect("a file").metadata().expect("its size").len()).sum();
        assert!(bytes <= MOST_BYTES, "{} has {bytes} bytes", run.display());
    }
}
