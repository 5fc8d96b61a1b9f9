//! Candidates as `--stores` names them: in a list separated by commas, or one each time.
//!
//! A comma may also be a part of an address: of a password, or between the hosts of one server. So behind an `@` a comma
//! separates only where a whole candidate follows, and where that cannot be told nothing is guessed.

use kurabe_messages::message;

use crate::candidate::{CandidateSpec, CandidateText, parse_candidate};
use crate::catalogue::Catalogue;
use crate::error::{StudyError, kind_name};
use crate::expand::twice_named;

/// What mistakes in a list are said to be in.
const ORIGIN: &str = "--stores";

/// Reads the candidates of `--stores`, which may be given several times: then one with an address is one candidate, and
/// one without a list as ever. No two candidates may be the same.
pub fn parse_candidates(catalogue: &Catalogue, given: &[String]) -> Result<Vec<CandidateSpec>, StudyError> {
    let mut candidates: Vec<CandidateSpec> = Vec::new();
    for text in given {
        let pieces = match (given.len(), text.contains('@')) {
            (2.., true) => vec![Piece { text, follows_address: false }],
            _ => split(catalogue, text)?,
        };
        for piece in pieces {
            let candidate = piece.read(catalogue)?;
            if candidates.iter().any(|known| known.name == candidate.name) {
                return Err(twice_named(ORIGIN, &candidate.name));
            }
            candidates.push(candidate);
        }
    }
    if candidates.is_empty() {
        return Err(StudyError::value(ORIGIN, message!(study_candidate_none)));
    }
    Ok(candidates)
}

/// One candidate of a list.
struct Piece<'a> {
    text: &'a str,
    /// Whether an address stands before it in the list: then it may be a part of that, and nothing of it is told.
    follows_address: bool,
}

impl Piece<'_> {
    fn read(&self, catalogue: &Catalogue) -> Result<CandidateSpec, StudyError> {
        match parse_candidate(catalogue, self.text) {
            Err(StudyError::Unknown { what, .. }) if self.follows_address => {
                Err(StudyError::value(ORIGIN, message!(study_candidate_comma, thing = kind_name(what))))
            }
            other => other,
        }
    }
}

fn split<'a>(catalogue: &Catalogue, list: &'a str) -> Result<Vec<Piece<'a>>, StudyError> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let ends = list.match_indices(',').map(|(at, _)| at).chain([list.len()]);
    for end in ends {
        let text = &list[start..end];
        if let Some((_, address)) = text.split_once('@').filter(|_| end < list.len()) {
            if !begins_candidate(catalogue, &list[end + 1..]) {
                continue;
            }
            if address.contains('?') {
                return Err(StudyError::value(ORIGIN, message!(study_candidate_comma_query)));
            }
        }
        let text = text.trim();
        if !text.is_empty() {
            pieces.push(Piece { text, follows_address: list[..start].contains('@') });
        }
        start = end + 1;
    }
    Ok(pieces)
}

/// Whether this text begins with a known candidate that ends there, or goes on with the kind of an address.
fn begins_candidate(catalogue: &Catalogue, text: &str) -> bool {
    let typed = CandidateText::of(text.split(',').next().unwrap_or_default().trim());
    let is_kind = |url: &str| {
        url.split_once("://")
            .is_some_and(|(kind, _)| kind.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)))
    };
    typed.is_known(catalogue) && typed.url.is_none_or(is_kind)
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
