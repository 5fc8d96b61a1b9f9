//! Whom a statement is about, looked at for what could never be judged, or never be refuted: one compared with itself, an
//! extreme of nobody, a level of durability that no candidate can have.

use kurabe_messages::message;
use kurabe_record::DurabilityLevel;

use super::ClaimScope;
use super::wire::WireClaim;
use crate::candidate::parse_candidate;
use crate::error::StudyError;
use crate::toml_text::Located;

impl ClaimScope<'_> {
    /// The others of an extreme: all where none is named, and else at least one other.
    pub(super) fn competitors(&self, one: &WireClaim, candidate: &Located<String>) -> Result<Vec<String>, StudyError> {
        let Some(named) = &one.among else { return Ok(Vec::new()) };
        let names: Vec<String> = named.iter().map(|it| self.candidate(it)).collect::<Result<_, _>>()?;
        if names.iter().all(|name| *name == candidate.value) {
            let at = named.first().map_or(candidate.at, |first| first.at);
            return self.mistake(at, message!(study_claim_among, candidate = &candidate.value));
        }
        Ok(names)
    }

    /// The two that are compared at one place.
    pub(super) fn two(&self, one: &Located<String>, than: &Located<String>) -> Result<(String, String), StudyError> {
        if one.value == than.value {
            return self.mistake(than.at, message!(study_claim_itself, candidate = &one.value));
        }
        Ok((self.candidate(one)?, self.candidate(than)?))
    }

    /// The durability of a claim: a level that a candidate of the study can have.
    pub(super) fn check_durability(&self, level: Option<DurabilityLevel>, at: usize) -> Result<(), StudyError> {
        let Some(level) = level else { return Ok(()) };
        // What a table of the study calls a candidate is no store, so it may have any.
        let can = |name: &String| match parse_candidate(self.catalogue, name) {
            Ok(spec) => self.catalogue.store(&spec.store).is_ok_and(|store| {
                let store = store.of_variant(spec.variant.as_deref());
                store.durability.iter().any(|setting| setting.guarantee().level() == level)
            }),
            Err(_) => true,
        };
        if self.candidates.is_empty() || self.candidates.iter().any(can) {
            return Ok(());
        }
        self.mistake(at, message!(study_claim_durability, level))
    }
}
