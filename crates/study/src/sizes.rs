//! The sizes of a study: how many rows, how many rounds of each.

use kurabe_protocol::stream;
use serde::Deserialize;

use crate::error::StudyError;
use crate::study::Overrides;

/// Most rows: their numbers are 32 bits wide in the streams.
pub(crate) const MAX_ROWS: u64 = 4_000_000_000;
/// Most sizes: more would be a mistake in typing.
const MAX_SIZES: usize = 20;

/// A `[[size]]` of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireSize {
    pub(crate) rows: u64,
    /// Of this size and of larger ones that do not say otherwise.
    #[serde(default)]
    pub(crate) rounds: Option<u32>,
}

/// Rows and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: u64,
    pub(crate) rounds: u32,
}

/// What a study says of its sizes; the command line wins over it.
pub(crate) struct Asked<'a> {
    /// One size.
    pub(crate) rows: Option<u64>,
    /// From which sizes on which rounds hold.
    pub(crate) steps: &'a [WireSize],
    /// Whether the steps are also the sizes.
    pub(crate) steps_are_sizes: bool,
    /// Rounds where no step says otherwise.
    pub(crate) rounds: u32,
    /// Rows are shared by so many connections: each has as many as the others.
    pub(crate) connections: u32,
    /// Rows that a data file holds, where the rows are not generated.
    pub(crate) held: Option<u64>,
}

impl Asked<'_> {
    /// The sizes, ascending and at least one.
    pub(crate) fn sizes(&self, origin: &str, overrides: &Overrides) -> Result<Vec<Size>, StudyError> {
        let problem = |problem: String| Err(StudyError::value(origin, problem));
        let asked = self.asked(origin, overrides)?;
        if asked.len() > MAX_SIZES {
            return problem(format!("{} sizes are too many; give at most {MAX_SIZES}", asked.len()));
        }
        let mut sizes: Vec<Size> = Vec::new();
        for rows in asked {
            let size = Size { rows: self.shared(origin, rows)?, rounds: self.rounds_at(rows, overrides) };
            if size.rounds == 0 || size.rounds > 1000 {
                return problem(format!("rounds must be from 1 to 1000, got {}", size.rounds));
            }
            if sizes.iter().any(|other| other.rows == size.rows) {
                let rounded = if rows == size.rows { "" } else { ", rounded to a multiple of the connections" };
                return problem(format!("the size of {} rows is named twice{rounded}", size.rows));
            }
            sizes.push(size);
        }
        sizes.sort_by_key(|size| size.rows);
        Ok(sizes)
    }

    fn asked(&self, origin: &str, overrides: &Overrides) -> Result<Vec<u64>, StudyError> {
        let steps = if self.steps_are_sizes { self.steps } else { &[] };
        Ok(match (&overrides.sizes, overrides.rows, self.rows, steps, self.held) {
            (Some(sizes), ..) => sizes.clone(),
            (None, Some(rows), ..) => vec![rows],
            (None, None, Some(rows), [], _) => vec![rows],
            (None, None, None, [_, ..], _) => steps.iter().map(|size| size.rows).collect(),
            (None, None, None, [], Some(held)) => vec![held],
            _ => {
                let problem = "give either rows, or a [[size]] with its rows for each of several sizes";
                return Err(StudyError::value(origin, problem));
            }
        })
    }

    /// Rows as a multiple of the connections: generated ones some more than were asked for, of a data file some less.
    fn shared(&self, origin: &str, rows: u64) -> Result<u64, StudyError> {
        let problem = |problem: String| Err(StudyError::value(origin, problem));
        let Some(held) = self.held else {
            if rows == 0 || rows > MAX_ROWS {
                return problem(format!("rows must be from 1 to {MAX_ROWS}, got {rows}"));
            }
            let shared = stream::round_up(rows, self.connections);
            if shared > MAX_ROWS {
                return problem(format!(
                    "{rows} rows, rounded up so that {} connections share them, are {shared}; at most {MAX_ROWS} can be",
                    self.connections
                ));
            }
            return Ok(shared);
        };
        if rows == 0 || rows > held {
            return problem(format!("rows must be from 1 to {held}, which the data has, got {rows}"));
        }
        match rows - rows % u64::from(self.connections) {
            0 => problem(format!("{rows} rows are fewer than the {} connections that share them", self.connections)),
            rows => Ok(rows),
        }
    }

    fn rounds_at(&self, rows: u64, overrides: &Overrides) -> u32 {
        let told = self.steps.iter().filter(|step| step.rows <= rows && step.rounds.is_some());
        let told = told.max_by_key(|step| step.rows).and_then(|step| step.rounds);
        overrides.rounds.or(told).unwrap_or(self.rounds)
    }
}

/// Reads sizes such as `10k,100k,1m` or `250000`, separated by commas.
///
/// # Errors
/// A text that is no size, and none at all.
pub fn parse_sizes(origin: &str, text: &str) -> Result<Vec<u64>, StudyError> {
    text.split(',').map(|size| parse_size(origin, size.trim())).collect()
}

/// Reads one size such as `10k`.
///
/// # Errors
/// A text that is no size.
pub fn parse_size(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem = || StudyError::value(origin, format!("'{text}' is no size; write it like 10k, 1m or 250000"));
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem());
    }
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(problem)
}
