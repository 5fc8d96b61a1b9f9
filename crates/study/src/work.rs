//! The work of a study, while variations are laid over it: rows and phases.

use kurabe_messages::{Message, message};
use kurabe_protocol::{Encoding, Field, FieldType, Schema};
use kurabe_record::Factor;
use serde::Deserialize;

use crate::error::{StudyError, of_schema, quoted, unknown};
use crate::phase::{DraftPhase, WirePhase};
use crate::toml_text::{self, mistake};
use crate::variation::{Claimed, ClaimedKey, VariationPart};

/// The text of a study, and what it is called.
#[derive(Clone, Copy)]
pub(crate) struct StudyText<'a> {
    pub(crate) origin: &'a str,
    pub(crate) text: &'a str,
}

impl StudyText<'_> {
    /// A mistake at a byte of the text, or in the study as a whole.
    pub(crate) fn mistake<T>(self, at: Option<usize>, problem: Message) -> Result<T, StudyError> {
        Err(match at {
            Some(at) => mistake(self.origin, self.text, at, problem),
            None => StudyError::value(self.origin, problem),
        })
    }
}

/// The work that all candidates do, as far as variations have been laid over it.
#[derive(Clone)]
pub(crate) struct Work<'a> {
    pub(crate) source: StudyText<'a>,
    pub(crate) rows: u64,
    pub(crate) schema: Schema,
    pub(crate) encoding: Encoding,
    pub(crate) phases: Vec<DraftPhase>,
    /// Its values of the axes that make configurations.
    pub(crate) factors: Vec<Factor>,
    /// Whether the rows are those of a data file.
    pub(crate) is_of_file: bool,
    pub(crate) claimed: Claimed,
}

/// The keys of a study that say what a row is, and how many there are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRows {
    #[serde(default)]
    value_len_bytes: Option<u32>,
    #[serde(default)]
    key: Option<FieldType>,
    #[serde(default, rename = "field")]
    fields: Vec<Field>,
    #[serde(default)]
    encoding: Option<Encoding>,
    #[serde(default)]
    indexed: Option<bool>,
    #[serde(default)]
    rows: Option<u64>,
}

impl<'a> Work<'a> {
    /// The work as the study has it.
    ///
    /// # Errors
    /// A text that is no study.
    pub(crate) fn new(source: StudyText<'a>, schema: Schema, phases: &[WirePhase]) -> Result<Work<'a>, StudyError> {
        let study: toml::Table =
            toml::from_str(source.text).or_else(|error| source.mistake(None, quoted(error.message())))?;
        let tables = study.get("phase").and_then(toml::Value::as_array).into_iter().flatten();
        let tables = tables.map(|phase| phase.as_table().cloned().unwrap_or_default());
        let phases = tables.zip(phases).map(|(table, wire)| DraftPhase::new(table, wire.clone())).collect();
        let (factors, claimed) = (Vec::new(), Claimed::default());
        Ok(Work { source, rows: 0, schema, encoding: Encoding::Raw, phases, factors, is_of_file: false, claimed })
    }

    /// Gives each phase that decides, and can have one, a rate. A phase of a number of operations does as many at that rate.
    pub(crate) fn set_rate(&mut self, rate: u32) -> Result<(), StudyError> {
        let asked = self.phases.iter_mut().filter(|phase| phase.can_have_a_rate()).map(|phase| phase.set_rate(rate));
        let asked: Vec<Result<(), Message>> = asked.collect();
        if asked.is_empty() {
            return self.source.mistake(None, message!(study_no_phase_for_rate));
        }
        asked.into_iter().collect::<Result<(), Message>>().or_else(|problem| self.source.mistake(None, problem))
    }

    /// Lays what a change has of work over this one, but for the phases that it leaves out.
    pub(crate) fn patch(&mut self, part: VariationPart<'_>) -> Result<(), StudyError> {
        self.patch_phase(part)?;
        self.patch_rows(part)
    }

    /// Leaves the phases out that a change leaves out. `study` is the work that has all of them.
    pub(crate) fn leave_out(&mut self, part: VariationPart<'_>, study: &Work<'_>) -> Result<(), StudyError> {
        for name in &part.change.without {
            study.phase(name, part.at)?;
            self.phases.retain(|phase| phase.wire.shown_name() != *name);
        }
        Ok(())
    }

    /// Where the phase of a name stands.
    fn phase(&self, name: &str, at: Option<usize>) -> Result<usize, StudyError> {
        let known: Vec<String> = self.phases.iter().map(|phase| phase.wire.shown_name()).collect();
        let found = known.iter().position(|one| one == name);
        found.map_or_else(|| self.source.mistake(at, unknown("phase", name, &known)), Ok)
    }

    fn patch_phase(&mut self, part: VariationPart<'_>) -> Result<(), StudyError> {
        let (name, set) = match (&part.change.phase, &part.change.set) {
            (Some(name), Some(set)) => (name, set),
            (None, None) => return Ok(()),
            _ => {
                let example = "phase = \"read\", set = { read_scope = \"snapshot\" }";
                return self.source.mistake(part.at, message!(study_phase_and_set, example));
            }
        };
        let source = self.source;
        if set.contains_key("name") {
            return source.mistake(part.at, message!(study_phase_keeps_name));
        }
        let at = self.phase(&name.value, part.at.and(Some(name.at)))?;
        for (key, value) in set {
            self.claimed
                .set(ClaimedKey::of_phase(key, &name.value), quoted(value), part.cause)
                .or_else(|problem| source.mistake(part.at, problem))?;
        }
        self.phases[at].set(set).or_else(|problem| source.mistake(part.at, problem))
    }

    fn patch_rows(&mut self, part: VariationPart<'_>) -> Result<(), StudyError> {
        let VariationPart { cause, change, at } = part;
        let source = self.source;
        for (key, value) in &change.rows {
            self.claimed
                .set(ClaimedKey::Plain(key.clone()), quoted(value), cause)
                .or_else(|problem| source.mistake(at, problem))?;
        }
        let of_cause = |problem: Message| message!(study_in_part, part = cause.words(), problem);
        let rows: WireRows = toml_text::of_table(&change.rows).or_else(|problem| source.mistake(at, problem))?;
        let is_other_shape = rows.value_len_bytes.is_some() || rows.key.is_some() || !rows.fields.is_empty();
        if is_other_shape && self.is_of_file {
            return source.mistake(at, of_cause(message!(study_phase_data_shape)));
        }
        self.rows = rows.rows.unwrap_or(self.rows);
        self.encoding = rows.encoding.unwrap_or(self.encoding);
        if !rows.fields.is_empty() {
            self.schema = Schema { fields: rows.fields };
        }
        if let Some(key) = rows.key {
            self.schema.fields[0].field_type = key;
        }
        if let Some(len_bytes) = rows.value_len_bytes {
            match self.schema.fields.as_mut_slice() {
                [_, value] if value.field_type != FieldType::Int64 => value.len_bytes = Some(len_bytes),
                _ => return source.mistake(at, of_cause(message!(study_phase_value_len))),
            }
        }
        self.schema.validate().or_else(|error| source.mistake(at, of_schema(&error)))?;
        rows.indexed.map_or(Ok(()), |indexed| self.index(indexed, part))
    }

    /// Gives the columns that are searched an index, or none.
    fn index(&mut self, indexed: bool, part: VariationPart<'_>) -> Result<(), StudyError> {
        let wanted = self.phases.iter().filter_map(|phase| phase.wire.search.as_ref());
        let searched: Vec<&str> = wanted.map(|search| search.field.as_str()).collect();
        for field in self.schema.fields.iter_mut().filter(|field| searched.contains(&field.name.as_str())) {
            if field.indexed {
                let (field, cause) = (&field.name, part.cause.words());
                return self.source.mistake(part.at, message!(study_phase_indexed_twice, field, cause));
            }
            field.indexed = indexed;
        }
        Ok(())
    }
}
