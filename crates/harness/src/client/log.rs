//! What clients say on their stderr: read and kept within limits, since nobody knows how much that is.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// So much of the beginning of a log is kept, and as much of its end.
const KEPT_BYTES: u64 = 512 << 10;
/// So much of either is read for a message.
const READ_BYTES: u64 = 16 << 10;

/// The beginning and the end of a log, as text; nothing where it cannot be read.
pub(super) fn ends_of(log: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let (first, last) = ends(&mut file, READ_BYTES)?;
        Ok([first, last].join(&b'\n'))
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// Takes the middle out of a log that is too long, and says so where it was. One that cannot be cut stays as it is.
pub(super) fn cut(log: &Path) {
    let cut = || -> io::Result<()> {
        let bytes = std::fs::metadata(log)?.len();
        if bytes <= 2 * KEPT_BYTES {
            return Ok(());
        }
        let mut file = OpenOptions::new().read(true).write(true).open(log)?;
        let (first, last) = ends(&mut file, KEPT_BYTES)?;
        file.set_len(first.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        write!(file, "\n[kurabe: {} bytes are cut out here]\n", bytes - 2 * KEPT_BYTES)?;
        file.write_all(&last)
    };
    let _ = cut();
}

/// So many bytes of the beginning of a file, and as many of its end; all of it in the first part where it is short.
fn ends(file: &mut File, bytes: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let all = file.metadata()?.len();
    if all <= 2 * bytes {
        file.read_to_end(&mut first)?;
        return Ok((first, last));
    }
    Read::by_ref(file).take(bytes).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(all - bytes))?;
    file.take(bytes).read_to_end(&mut last)?;
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_beginning_and_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let short = "the cause\nthe end\n";
        std::fs::write(&log, short).expect("a log");
        cut(&log);
        assert_eq!(
            (std::fs::read_to_string(&log).expect("text").as_str(), ends_of(&log).trim_end()),
            (short, short.trim_end())
        );
        let long = format!("the cause\n{}\nthe end\n", "noise\n".repeat(1 << 20));
        std::fs::write(&log, &long).expect("a log");
        let (first, last) = (ends_of(&log), 100 + 2 * READ_BYTES as usize);
        assert!(first.starts_with("the cause\n") && first.ends_with("\nthe end\n") && first.len() < last);
        cut(&log);
        let kept = std::fs::read_to_string(&log).expect("text");
        assert!(kept.len() < 100 + 2 * KEPT_BYTES as usize, "{} bytes", kept.len());
        assert!(kept.starts_with("the cause\n") && kept.ends_with("\nthe end\n"));
        let cut_out = long.len() as u64 - 2 * KEPT_BYTES;
        assert!(kept.contains(&format!("[kurabe: {cut_out} bytes are cut out here]")));
        assert_eq!(ends_of(&folder.path().join("none")), "");
    }
}
