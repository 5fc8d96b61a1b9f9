//! Work that a store does beside its clients, as its log tells of it: checkpoints, snapshots, pauses for garbage.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use kurabe_record::BackgroundRecord;
use kurabe_service::BackgroundLine;

use crate::measure::monotonic_ns;

/// What is read of a log at a time; one that says more is not looked through.
const MOST_BYTES: u64 = 1 << 20;
/// So much is kept of a phase.
const MOST_SEEN: usize = 200;

/// Looks at what a log gets in a phase.
pub(super) struct BackgroundWatch<'a> {
    known: &'a [BackgroundLine],
    log: Option<File>,
    /// A line that is not whole yet.
    begun: Vec<u8>,
    go_ns: u64,
    seen: Vec<BackgroundRecord>,
}

impl<'a> BackgroundWatch<'a> {
    /// Looks at `log` from its present end on, in a phase that begins `go_ns`; at nothing where no line is known.
    pub(super) fn start(log: Option<&Path>, known: &'a [BackgroundLine], go_ns: u64) -> BackgroundWatch<'a> {
        let log = log.filter(|_| !known.is_empty()).and_then(|path| {
            let mut log = File::open(path).ok()?;
            log.seek(SeekFrom::End(0)).ok()?;
            Some(log)
        });
        BackgroundWatch { known, log, begun: Vec::new(), go_ns, seen: Vec::new() }
    }

    /// Takes note of what has come since the last look.
    pub(super) fn look(&mut self) {
        let Some(log) = &mut self.log else { return };
        let at_ns = monotonic_ns().saturating_sub(self.go_ns);
        // What cannot be read says nothing; the phase does not depend on it.
        let _ = log.take(MOST_BYTES).read_to_end(&mut self.begun);
        let whole = self.begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in self.begun[..whole].split(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            let known = self.known.iter().find(|known| line.contains(&known.line));
            if let Some(known) = known.filter(|_| self.seen.len() < MOST_SEEN) {
                self.seen.push(BackgroundRecord { at_ns, what: known.what.clone() });
            }
        }
        self.begun.drain(..whole);
        if self.begun.len() as u64 >= MOST_BYTES {
            self.begun.clear();
        }
    }

    /// What was seen.
    pub(super) fn seen(mut self) -> Vec<BackgroundRecord> {
        self.look();
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_that_are_known_are_seen_when_they_come_and_none_from_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        std::fs::write(&path, "LOG:  checkpoint starting: shutdown\n").expect("a log");
        let known = [BackgroundLine { line: "checkpoint starting".into(), what: "checkpoint".into() }];
        let go_ns = monotonic_ns();
        let mut watch = BackgroundWatch::start(Some(&path), &known, go_ns);
        let mut log = std::fs::OpenOptions::new().append(true).open(&path).expect("the log");
        log.write_all(b"LOG:  ready\nLOG:  checkpoint star").expect("a line in part");
        watch.look();
        assert!(watch.seen.is_empty(), "it is not whole");
        log.write_all(b"ting: wal\n\xff\xfe garbage\nLOG:  checkpoint starting: time").expect("the rest");
        let seen = watch.seen();
        assert_eq!(seen.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["checkpoint"]);
        assert!(seen[0].at_ns <= monotonic_ns() - go_ns);
        let nobody = BackgroundWatch::start(Some(&path), &[], go_ns);
        assert!(nobody.log.is_none() && BackgroundWatch::start(None, &known, go_ns).seen().is_empty());
    }
}
