//! Words that stand alike in study files and on the command line: durations, floors, transports.

use kurabe_record::{Floor, Transport};

use crate::error::StudyError;

/// Reads a duration such as `200ms`, `5m` or `1h 30m`, in ns.
pub fn parse_duration(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem = || StudyError::value(origin, format!("'{text}' is no duration; write it like 200ms, 30s or 5m"));
    let duration = humantime::parse_duration(text).map_err(|_| problem())?;
    u64::try_from(duration.as_nanos()).ok().filter(|ns| *ns <= kurabe_protocol::MAX_SAFE_INTEGER).ok_or_else(problem)
}

/// A time in ns as [`parse_duration`] reads it: exact, as it is typed.
pub fn duration_text(ns: u64) -> String {
    humantime::format_duration(std::time::Duration::from_nanos(ns)).to_string()
}

/// Reads a transport.
pub fn parse_transport(text: &str) -> Result<Transport, StudyError> {
    match text {
        "tcp" => Ok(Transport::Tcp),
        "unix" => Ok(Transport::Unix),
        _ => Err(StudyError::Unknown {
            what: "transport",
            name: text.to_string(),
            known: ["tcp", "unix"].map(str::to_string).to_vec(),
        }),
    }
}

/// Words of durability floors.
pub(crate) const FLOORS: [&str; 4] = ["none", "process", "power", "default"];

/// Reads a durability floor.
pub fn parse_floor(text: &str) -> Result<Floor, StudyError> {
    match text {
        "default" => Ok(Floor::Default),
        "none" => Ok(Floor::None),
        "process" => Ok(Floor::Process),
        "power" => Ok(Floor::Power),
        _ => Err(StudyError::Unknown {
            what: "durability",
            name: text.to_string(),
            known: FLOORS.map(str::to_string).to_vec(),
        }),
    }
}
