//! The page about published comparisons is what the kept records say, byte for byte.

use std::path::{Path, PathBuf};

use kurabe_record::Loaded;

/// The kept runs, in the order of the Makefile.
const KEPT: [&str; 3] = ["primary-key", "rows", "dictionary"];
/// Bytes that a kept run may have.
const MOST_BYTES: u64 = 1_000_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_page_about_published_comparisons_is_made_of_the_kept_results() {
    let read = |study: &&str| {
        let loaded = Loaded::read(&root().join("results").join(study)).expect("a kept run");
        (kurabe_analysis::answer(&loaded), loaded.run)
    };
    let page = kurabe_report::articles(&KEPT.iter().map(read).collect::<Vec<_>>());
    let kept = std::fs::read_to_string(root().join("docs/ARTICLES.md")).expect("the page");
    assert!(page == kept, "docs/ARTICLES.md is not what the kept results say; run 'make articles'");
}

#[test]
fn a_kept_run_is_small() {
    for study in KEPT {
        let folder = std::fs::read_dir(root().join("results").join(study)).expect("a kept run");
        let bytes: u64 = folder.map(|file| file.expect("a file").metadata().expect("its size").len()).sum();
        assert!(bytes <= MOST_BYTES, "results/{study} has {bytes} bytes");
    }
}
