//! The page about published comparisons is what the kept records say, byte for byte.

use std::path::{Path, PathBuf};

use kurabe_messages::Language;
use kurabe_record::Loaded;
use kurabe_report::Detail;

/// Bytes that a kept run may have.
const MOST_BYTES: u64 = 1_200_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The kept runs, by name, as `make articles` takes them.
fn kept() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root().join("results")).expect("kept runs");
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
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
fn the_page_about_published_comparisons_is_made_of_the_kept_results() {
    let read = |folder: &PathBuf| {
        let loaded = Loaded::read(folder).expect("a kept run");
        (kurabe_analysis::answer(&loaded), loaded.run)
    };
    let page = kurabe_report::articles(&kept().iter().map(read).collect::<Vec<_>>(), Language::English);
    is_kept("docs/ARTICLES.md", &page);
}

/// The page about clients holds the answer of a kept run between its marks.
#[test]
fn the_page_about_clients_is_made_of_the_kept_result() {
    let loaded = Loaded::read(&root().join("results/clients")).expect("a kept run");
    let answer = kurabe_analysis::answer(&loaded);
    let how = (Language::English, Detail::Short);
    let result = kurabe_report::markdown(&answer, &loaded.run, &loaded.jobs, how);
    let kept = std::fs::read_to_string(root().join("docs/CLIENTS.md")).expect("the page");
    is_kept("docs/CLIENTS.md", &kurabe_report::splice(&kept, &result).expect("its marks"));
}

#[test]
fn a_kept_run_is_small() {
    for run in kept() {
        let folder = std::fs::read_dir(&run).expect("a kept run");
        let bytes: u64 = folder.map(|file| file.expect("a file").metadata().expect("its size").len()).sum();
        assert!(bytes <= MOST_BYTES, "{} has {bytes} bytes", run.display());
    }
}
