//! Who plays the parts of claims, and why another program than the source's does.

use std::collections::BTreeMap;

use kurabe_messages::message;
use kurabe_record::Binding;

use super::wire::WireBinding;
use super::{ClaimScope, MAX_SAYS_CHARS};
use crate::error::{StudyError, named, unlisted};
use crate::toml_text::Located;

impl ClaimScope<'_> {
    pub(super) fn bindings(&self, given: &[WireBinding]) -> Result<Vec<Binding>, StudyError> {
        let mut bindings: Vec<Binding> = Vec::new();
        for one in given {
            if bindings.iter().any(|binding| binding.name == one.name.value) {
                return self.mistake(one.name.at, message!(study_twice, named = named("binding", &one.name.value)));
            }
            let play = |(role, name): (&String, &Located<String>)| Ok((role.clone(), self.candidate(name)?));
            let binds = one.binds.iter().map(play).collect::<Result<BTreeMap<_, _>, StudyError>>()?;
            let stands_for = self.stand_ins(one, &binds)?;
            bindings.push(Binding { name: one.name.value.clone(), binds, stands_for });
        }
        Ok(bindings)
    }

    /// Why other programs than the source's play parts. Where a study repeats a source, a candidate whose name does not
    /// have the part's is such a program, and needs a reason: else its verdict would be told as one about the source's.
    fn stand_ins(
        &self,
        one: &WireBinding,
        binds: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, StudyError> {
        for (part, reason) in &one.stands_for {
            if !binds.contains_key(part) {
                let known: Vec<&String> = binds.keys().collect();
                return self.mistake(reason.at, unlisted(part, &known));
            }
            if reason.value.trim().is_empty() || reason.value.chars().count() > MAX_SAYS_CHARS {
                return self.mistake(reason.at, message!(study_stands_for_reason, part, most = MAX_SAYS_CHARS));
            }
        }
        let is_other = |(part, candidate): &(&String, &String)| {
            let name = part.split(':').next().unwrap_or(part);
            self.repeats_source && !candidate.contains(name) && !one.stands_for.contains_key(*part)
        };
        match binds.iter().find(is_other) {
            Some((part, candidate)) => {
                let at = one.binds.get(part).map_or(one.name.at, |name| name.at);
                self.mistake(at, message!(study_stands_for_missing, part, candidate))
            }
            None => Ok(one.stands_for.iter().map(|(part, reason)| (part.clone(), reason.value.clone())).collect()),
        }
    }
}
