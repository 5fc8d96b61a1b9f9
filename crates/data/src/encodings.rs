//! Which encoding a file seems to have that is no UTF-8, for the words that tell how to convert it. Nothing is read by such
//! a guess.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use kurabe_messages::{Message, message};

/// Bytes that a guess is made from.
const SAMPLE_BYTES: usize = 1 << 20;

/// What to do about a file that is no UTF-8.
pub(crate) fn advice(path: &Path, name: &str) -> Message {
    let Ok(Some((start, is_part))) = first_other_bytes(path) else { return message!(data_convert) };
    // What stands behind a line among lines of UTF-8 tells nothing of it.
    let end = memchr::memchr(b'\n', &start).filter(|_| is_part).unwrap_or(start.len());
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&start[..end], true);
    let encoding = match detector.guess(None, Utf8Detection::Deny).name() {
        _ if has_narrow_kana(&start[..end]) => "EUC-JP",
        other => other,
    };
    let iconv = iconv_name(encoding);
    match is_part {
        true => message!(data_several_encodings, encoding, iconv),
        false => message!(data_convert_from, encoding, iconv, path = quoted(name)),
    }
}

/// What to do about a file with zero bytes.
pub(crate) fn advice_on_zeros(path: &Path, name: &str) -> Message {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SAMPLE_BYTES as u64).read_to_end(&mut start));
    let zeros = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let from = match (read.is_ok(), start.as_slice()) {
        (true, [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..]) => "UTF-32",
        // In UTF-16 every second byte of what is ASCII is zero: line ends, separators and digits at least.
        (true, _) if zeros(1) > start.len() / 16 && zeros(0) == 0 => "UTF-16LE",
        (true, _) if zeros(0) > start.len() / 16 && zeros(1) == 0 => "UTF-16BE",
        _ => return message!(data_binary),
    };
    message!(data_convert_from, encoding = from, iconv = from, path = quoted(name))
}

/// The lines from the first one on that is no UTF-8, and whether there are other letters than ASCII before it.
fn first_other_bytes(path: &Path) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut file = File::open(path)?;
    let mut bytes: Vec<u8> = Vec::new();
    let mut has_letters = false;
    loop {
        let kept = bytes.len();
        file.by_ref().take(SAMPLE_BYTES as u64).read_to_end(&mut bytes)?;
        let is_end = bytes.len() == kept;
        match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_some() || is_end => {
                let line = memchr::memrchr(b'\n', &bytes[..error.valid_up_to()]).map_or(0, |at| at + 1);
                has_letters |= !bytes[..line].is_ascii();
                bytes.drain(..line);
                file.take(SAMPLE_BYTES as u64).read_to_end(&mut bytes)?;
                return Ok(Some((bytes, has_letters)));
            }
            _ if is_end => return Ok(None),
            // The last line stays: what is wrong may come in it.
            _ => {
                let line = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
                has_letters |= !bytes[..line].is_ascii();
                bytes.drain(..line);
            }
        }
    }
}

/// Whether these are the katakana of half width of EUC-JP, one behind the other: the detector takes them for Big5.
fn has_narrow_kana(bytes: &[u8]) -> bool {
    let is_pair = |pair: &[u8]| pair[0] == 0x8e && (0xa1..=0xdf).contains(&pair[1]);
    bytes.windows(6).any(|six| six.chunks(2).all(is_pair))
}

/// The name by which `iconv` knows an encoding of the web; that of Windows where programs there write it.
fn iconv_name(encoding: &str) -> String {
    match encoding {
        "Shift_JIS" => "CP932".into(),
        "EUC-KR" => "CP949".into(),
        other => other.replace("windows-", "CP").to_uppercase(),
    }
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_./+".contains(one);
    match !name.is_empty() && name.chars().all(is_plain) {
        true => name.to_string(),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}
