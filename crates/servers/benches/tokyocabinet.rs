//! Kurabe's way to a hash database of Tokyo Cabinet against the same library driven directly from C, in pairs that
//! take turns.
//!
//! `cargo bench -p kurabe-servers --bench tokyocabinet`. Both use the library that is installed, the same rows, order of
//! keys and settings on the same file system. Kurabe's side is a client process with the real loop and every answer
//! checked; `benches/tokyocabinet_direct.c` only looks at lengths. Times are wall time over a whole part. Needs a C
//! compiler named `cc`, and no headers of the library.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::embedded::{self, Files, Namespace};
use support::figures::{Aim, Figure, Unit};

const ROWS: u64 = 100_000;
const READS: u64 = 1_000_000;

fn kurabe(files: &Files) -> Vec<f64> {
    let dir = embedded::scratch();
    let mut job =
        files.job("tokyocabinet", dir.path(), ROWS, &[embedded::load(ROWS, 1_000), files.read("read", READS)]);
    job.candidate.variant = Some("hash".into());
    job.settings = BTreeMap::from([("mode".into(), "put".into()), ("large".into(), "yes".into())]);
    embedded::run(&job, Namespace::Made)
}

fn direct(program: &Path, files: &Files) -> Vec<f64> {
    let dir = embedded::scratch();
    embedded::direct(program, &dir.path().join("t.tch"), files, &[ROWS, READS], &[ROWS, READS])
}

fn main() {
    support::serve_if_asked();
    // The library comes with the package libtokyocabinet9.
    let program = embedded::compile("tokyocabinet_direct", &["-l:libtokyocabinet.so.9".into()]);
    let files = Files::make(ROWS);
    let pairs = support::in_turns(embedded::pairs(), |_| kurabe(&files), || direct(&program, &files));
    let figure = |what, most_ns| Figure { what, against: "C program", unit: Unit::NsMore, aim: Aim::AtMost(most_ns) };
    embedded::tell(&figure("Tokyo Cabinet, load", 80.0), &pairs, 0);
    embedded::tell(&figure("Tokyo Cabinet, reads", 110.0), &pairs, 1);
}
