//! Facts that judge a claim without a run.

use kurabe_record::KnownFact;

use super::ClaimScope;
use super::wire::{WireClaim, WireVerdict};
use crate::error::StudyError;
use crate::toml_text::Located;

impl ClaimScope<'_> {
    pub(super) fn known_fact(&self, wire: &Located<WireClaim>, verdict: WireVerdict) -> Result<KnownFact, StudyError> {
        self.check_keys(wire)?;
        match (&wire.value.fact, &wire.value.fact_source) {
            (Some(fact), Some(source)) if source.starts_with("https://") && !fact.trim().is_empty() => {
                let is_right = verdict == WireVerdict::Right;
                Ok(KnownFact { is_right, fact: fact.clone(), source: source.clone() })
            }
            _ => self.needs(wire.at, "fact = \"…\", fact_source = \"https://…\""),
        }
    }
}
