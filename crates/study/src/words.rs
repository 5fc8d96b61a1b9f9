//! Words that stand alike in study files and on the command line: durations, minimum durability, transports.

use kurabe_messages::{Message, message};
use kurabe_record::{MinimumDurability, Transport, UsedBy};

use crate::error::{StudyError, range};
use crate::overrides::AskedProfile;
use crate::phase::MAX_RATE;

/// Reads a duration such as `200ms`, `5m` or `1h 30m`, in ns.
pub fn parse_duration(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem =
        || StudyError::value(origin, message!(study_invalid, value = text, expected = message!(study_a_duration)));
    let duration = humantime::parse_duration(text).map_err(|_| problem())?;
    u64::try_from(duration.as_nanos()).ok().filter(|ns| *ns <= kurabe_protocol::MAX_SAFE_INTEGER).ok_or_else(problem)
}

/// A time in ns as [`parse_duration`] reads it: exact, as it is typed.
pub fn duration_text(ns: u64) -> String {
    humantime::format_duration(std::time::Duration::from_nanos(ns)).to_string()
}

/// Most operations a second that can be needed: no machine does a tenth of it.
const MOST_NEED_PER_S: f64 = 1e9;

/// Reads how many operations are needed, such as `100/s`, `6000/min` or `5/h`; a number alone is one a second. In operations a
/// second.
pub fn parse_need(origin: &str, text: &str) -> Result<f64, StudyError> {
    let invalid =
        || StudyError::value(origin, message!(study_invalid, value = text, expected = message!(study_a_rate)));
    let (number, per) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match per.trim() {
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(invalid()),
    };
    let number: f64 = number.trim().replace('_', "").parse().map_err(|_| invalid())?;
    let per_s = number / seconds;
    if !(per_s > 0.0 && per_s <= MOST_NEED_PER_S) {
        let most = format!("{MOST_NEED_PER_S}/s");
        return Err(StudyError::value(origin, message!(study_above_zero, key = "need", most, value = text)));
    }
    Ok(per_s)
}

/// Reads a rate of planned operations, such as `2000/s`: a whole number from 1 a second on.
///
/// # Errors
/// What is no rate.
pub fn parse_rate(origin: &str, text: &str) -> Result<u32, StudyError> {
    let per_s = parse_need(origin, text)?;
    let most = MAX_RATE as f64;
    if per_s.fract() != 0.0 || per_s > most {
        return Err(StudyError::value(origin, range("rate", 1, MAX_RATE, text)));
    }
    Ok(per_s as u32)
}

/// Largest share within which two rates may be called equivalent: beyond, one is twice the other.
const MOST_EQUIVALENT: f64 = 0.5;

/// Reads below which difference two rates are the same to a reader, such as `10%`; as a share.
pub fn parse_equivalent(origin: &str, text: &str) -> Result<f64, StudyError> {
    let invalid =
        || StudyError::value(origin, message!(study_invalid, value = text, expected = message!(study_a_share)));
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.ok_or_else(invalid)? / 100.0;
    if !(share > 0.0 && share <= MOST_EQUIVALENT) {
        let problem = message!(study_above_zero, key = "equivalent", most = "50%", value = text);
        return Err(StudyError::value(origin, problem));
    }
    Ok(share)
}

/// What one of the known words means.
fn known<T: Copy>(what: &'static str, text: &str, words: &[(&'static str, T)]) -> Result<T, StudyError> {
    words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| StudyError::Unknown {
        what,
        name: text.to_string(),
        known: words.iter().map(|(word, _)| (*word).to_string()).collect(),
    })
}

/// Reads who uses a store.
pub fn parse_used_by(text: &str) -> Result<UsedBy, StudyError> {
    known("user", text, &UsedBy::WORDS)
}

/// Reads which profiles are measured.
pub fn parse_profile(text: &str) -> Result<AskedProfile, StudyError> {
    known("profile", text, &AskedProfile::WORDS)
}

/// Reads a transport.
pub fn parse_transport(text: &str) -> Result<Transport, StudyError> {
    known("transport", text, &[("tcp", Transport::Tcp), ("unix", Transport::Unix)])
}

/// Reads a minimum durability.
pub fn parse_minimum(text: &str) -> Result<MinimumDurability, StudyError> {
    text.parse().map_err(|error: Message| match error.id() {
        "record-no-minimum" => StudyError::Unknown {
            what: "durability",
            name: text.to_string(),
            known: MinimumDurability::WORDS.map(str::to_string).to_vec(),
        },
        _ => StudyError::Other(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_before_names_those_of_today_and_a_near_one_is_suggested() {
        let told = |text: &str| parse_minimum(text).expect_err(text).to_string();
        assert!(told("process").contains("'consistent'") && told("process").contains("'kill'"));
        assert!(told("none").contains("'cache'"), "{}", told("none"));
        assert!(told("powr").contains("did you mean 'power'?"), "{}", told("powr"));
        assert!(told("window=5").contains("unit"), "{}", told("window=5"));
    }
}
