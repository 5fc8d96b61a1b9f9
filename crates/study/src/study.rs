//! A study: data, phases, rounds and candidates.

use std::path::Path;

use kurabe_data::Ingested;
use kurabe_protocol::{Field, FieldType, Layout, Operation, Schema};
use kurabe_record::{DataSpec, Floor, PhasePlan, SizePlan, Transport};
use serde::Deserialize;

use crate::candidate::{CandidateSpec, CandidateTable, every_candidate, parse_candidate};
use crate::candidates::parse_candidates;
use crate::catalogue::Catalogue;
use crate::error::StudyError;
use crate::phase::{WirePhase, check_in_hand, check_phases, shared_by};
use crate::sizes::{Asked, Size, WireSize};
use crate::toml_text;

/// A study that can be run: everything is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Name: that of the built-in study, or of the file.
    pub name: String,
    /// What it asks, in a sentence.
    pub title: String,
    /// Shape of a row.
    pub schema: Schema,
    /// The rows of a data file, instead of generated ones.
    pub data: Option<Ingested>,
    /// Rows that the load writes, at the largest of several sizes; a multiple of the connections of every phase.
    pub rows: u64,
    /// Share of the filler that compresses away, 0 to 1.
    pub compressible: f64,
    /// The phases, without the paths of streams; at the largest of several sizes.
    pub phases: Vec<PhasePlan>,
    /// Rounds, at the largest of several sizes.
    pub rounds: u32,
    /// Sizes that are run before, ascending; none where there is one.
    pub smaller_sizes: Vec<SizePlan>,
    /// Time budget in ns.
    pub budget_ns: Option<u64>,
    /// Durability floor.
    pub durability: Floor,
    /// What is measured.
    pub candidates: Vec<CandidateSpec>,
    /// Whether the candidates were asked for by name: then a missing one is an error.
    pub asked_by_name: bool,
    /// Failed operations that a phase may have and still be ranked.
    pub allowed_errors: u64,
    /// Longest wait for a quiet disk before a job, in ns.
    pub quiet_wait_ns: u64,
    /// Cache of every server, in MiB.
    pub cache_mb: u64,
    /// How servers that Kurabe starts are reached.
    pub transport: Transport,
    /// Seed.
    pub seed: u64,
}

/// What the command line changes in a study.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--stores`, as often as it was given; none where it was not.
    pub stores: Vec<String>,
    /// `--all`: every store and variant of the catalogue, as far as they are here.
    pub all: bool,
    /// `--durability`.
    pub durability: Option<Floor>,
    /// `--rounds`.
    pub rounds: Option<u32>,
    /// `--budget`, in ns.
    pub budget_ns: Option<u64>,
    /// `--rows`: one size instead of the study's.
    pub rows: Option<u64>,
    /// `--sizes`: several sizes instead of the study's.
    pub sizes: Option<Vec<u64>>,
    /// `--data` and what goes with it.
    pub data: Option<DataSpec>,
    /// `--transport`.
    pub transport: Option<Transport>,
    /// `--seed`.
    pub seed: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStudy {
    title: String,
    #[serde(default)]
    rows: Option<u64>,
    #[serde(default, rename = "size")]
    sizes: Vec<WireSize>,
    #[serde(default)]
    data: Option<DataSpec>,
    #[serde(default)]
    value_len_bytes: Option<u32>,
    #[serde(default)]
    key: Option<FieldType>,
    #[serde(default, rename = "field")]
    fields: Vec<Field>,
    #[serde(default)]
    compressible: f64,
    #[serde(default = "five")]
    rounds: u32,
    #[serde(default)]
    budget: Option<String>,
    #[serde(default = "process")]
    durability: Floor,
    #[serde(default)]
    stores: Vec<String>,
    #[serde(default)]
    floors: Vec<String>,
    #[serde(default, rename = "candidate")]
    candidates: Vec<CandidateTable>,
    #[serde(default)]
    allowed_errors: u64,
    #[serde(default)]
    quiet_wait: Option<String>,
    #[serde(default = "default_cache")]
    cache_mb: u64,
    #[serde(default)]
    transport: Transport,
    #[serde(default = "one")]
    seed: u64,
    #[serde(rename = "phase")]
    phases: Vec<WirePhase>,
}

fn five() -> u32 {
    5
}
fn process() -> Floor {
    Floor::Process
}
fn default_cache() -> u64 {
    256
}
fn one() -> u64 {
    1
}
/// Most cache of a server: 1 TiB.
const MAX_CACHE_MB: u64 = 1 << 20;
/// Longest wait for a quiet disk where a study does not say.
const QUIET_WAIT_NS: u64 = 2_000_000_000;

impl Study {
    /// As [`Study::open_with`], for a caller that has no place to lay a data file out.
    pub fn open(catalogue: &Catalogue, name: &str, overrides: &Overrides) -> Result<Study, StudyError> {
        let refuse = |spec: &DataSpec| {
            let problem = "rows of a data file are for 'kurabe run', 'kurabe plan' and 'kurabe wire'";
            Err(StudyError::value(&spec.file, problem))
        };
        Study::open_with(catalogue, name, overrides, &refuse)
    }

    /// The built-in study `name`, or the file at that path if it holds a `/` or ends in `.toml`. `ingest` reads the data
    /// file, where there is one.
    pub fn open_with(
        catalogue: &Catalogue,
        name: &str,
        overrides: &Overrides,
        ingest: &Ingest<'_>,
    ) -> Result<Study, StudyError> {
        if !name.contains('/') && !name.ends_with(".toml") {
            return Study::parse(catalogue, name, name, catalogue.study_text(name)?, overrides, ingest);
        }
        let text = std::fs::read_to_string(name)
            .map_err(|error| StudyError::File { path: name.to_string(), reason: error.to_string() })?;
        let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
        Study::parse(catalogue, &stem, name, &text, overrides, ingest)
    }

    fn parse(
        catalogue: &Catalogue,
        name: &str,
        origin: &str,
        text: &str,
        overrides: &Overrides,
        ingest: &Ingest<'_>,
    ) -> Result<Study, StudyError> {
        let wire: WireStudy = toml_text::read(origin, text)?;
        let data = overrides.data.as_ref().or(wire.data.as_ref()).map(ingest).transpose()?;
        let schema = match &data {
            Some(data) => wire.schema_of_data(origin, overrides, data)?,
            None => wire.schema(origin)?,
        };
        let sizes = wire.sizes(origin, overrides, data.as_ref())?;
        let mut plans: Vec<SizePlan> =
            sizes.iter().map(|size| size_plan(origin, &wire, &schema, *size)).collect::<Result<_, _>>()?;
        let Some(largest) = plans.pop() else { return Err(StudyError::value(origin, "no size is named")) };
        let mut study = Study {
            name: name.to_string(),
            title: wire.title.clone(),
            phases: largest.phases,
            schema,
            data,
            rows: largest.rows,
            smaller_sizes: plans,
            compressible: wire.compressible,
            rounds: largest.rounds,
            budget_ns: match &wire.budget {
                Some(text) => Some(parse_duration(origin, text)?),
                None => None,
            },
            durability: overrides.durability.unwrap_or(wire.durability),
            candidates: Vec::new(),
            asked_by_name: !overrides.stores.is_empty(),
            allowed_errors: wire.allowed_errors,
            quiet_wait_ns: match &wire.quiet_wait {
                Some(text) => parse_duration(origin, text)?,
                None => QUIET_WAIT_NS,
            },
            cache_mb: wire.cache_mb,
            transport: overrides.transport.unwrap_or(wire.transport),
            seed: overrides.seed.unwrap_or(wire.seed),
        };
        study.budget_ns = overrides.budget_ns.or(study.budget_ns);
        study.candidates = candidates(catalogue, origin, &wire, overrides)?;
        study.validate(origin)?;
        Ok(study)
    }

    fn validate(&self, origin: &str) -> Result<(), StudyError> {
        let problem = |problem: String| Err(StudyError::value(origin, problem));
        if !(0.0..=1.0).contains(&self.compressible) {
            return problem(format!("compressible must be from 0 to 1, got {}", self.compressible));
        }
        if self.cache_mb == 0 || self.cache_mb > MAX_CACHE_MB {
            return problem(format!("cache_mb must be from 1 to {MAX_CACHE_MB}, got {}", self.cache_mb));
        }
        if self.budget_ns == Some(0) {
            return problem("a budget of 0 fits no round; give more, such as 5m".into());
        }
        if self.data.is_some() {
            let odd = |plan: &&PhasePlan| plan.phase.does(Operation::Insert) || plan.phase.does(Operation::Search);
            if let Some(plan) = self.phases.iter().find(odd) {
                let what = if plan.phase.does(Operation::Insert) { "inserts, but" } else { "searches, but" };
                return problem(format!(
                    "phase '{}' {what} the rows of a data file are no more and no other than it has; take the phase out",
                    plan.phase.name
                ));
            }
        }
        if self.data.is_none() {
            self.phases.iter().try_for_each(|plan| check_in_hand(origin, &plan.phase, &self.schema))?;
        }
        match self.phases.first() {
            Some(first) if first.phase.operation == Operation::Load => Ok(()),
            _ => problem("the first phase must be the load; write [[phase]] operation = \"load\" first".into()),
        }
    }

    /// All sizes, ascending; one where the study has one.
    pub fn sizes(&self) -> Vec<SizePlan> {
        let largest = SizePlan { rows: self.rows, rounds: self.rounds, phases: self.phases.clone() };
        self.smaller_sizes.iter().cloned().chain([largest]).collect()
    }

    /// The study as it is at one of its sizes alone.
    pub fn at(&self, size: &SizePlan) -> Study {
        Study {
            rows: size.rows,
            rounds: size.rounds,
            phases: size.phases.clone(),
            smaller_sizes: Vec::new(),
            ..self.clone()
        }
    }

    /// Bytes of key and value of a row, in the mean.
    pub fn row_bytes(&self) -> u64 {
        match &self.data {
            Some(data) => data.row_bytes.div_ceil(data.files.count.max(1)),
            None => Layout::new(&self.schema).len_bytes() as u64,
        }
    }

    /// Most connections of any phase.
    pub fn max_connections(&self) -> u32 {
        self.phases.iter().map(|plan| plan.phase.connections).max().unwrap_or(1)
    }
}

/// Reads the data file of a study.
pub type Ingest<'a> = dyn Fn(&DataSpec) -> Result<Ingested, StudyError> + 'a;

impl WireStudy {
    /// The sizes, ascending. The rows of a study are those of its own data; a file that is named on the command line
    /// has its own number.
    fn sizes(&self, origin: &str, overrides: &Overrides, data: Option<&Ingested>) -> Result<Vec<Size>, StudyError> {
        let connections = shared_by(origin, &self.phases)?;
        let named = overrides.data.is_some() || overrides.sizes.is_some() || overrides.rows.is_some();
        let asked = Asked {
            rows: if named { None } else { self.rows },
            steps: &self.sizes,
            steps_are_sizes: !named,
            rounds: self.rounds,
            connections,
            held: data.map(|data| data.files.count),
        };
        asked.sizes(origin, overrides)
    }

    /// The schema of a data file; a study that names one has no other.
    fn schema_of_data(&self, origin: &str, overrides: &Overrides, data: &Ingested) -> Result<Schema, StudyError> {
        let generated = self.value_len_bytes.is_some() || self.key.is_some() || !self.fields.is_empty();
        if overrides.data.is_none() && generated {
            return Err(StudyError::value(origin, "give either data, or value_len_bytes, key and [[field]]"));
        }
        data.schema.validate().map_err(|error| StudyError::value(origin, error.to_string()))?;
        Ok(data.schema.clone())
    }

    fn schema(&self, origin: &str) -> Result<Schema, StudyError> {
        let schema = match (self.value_len_bytes, self.fields.is_empty()) {
            (Some(len), true) => {
                let mut schema = Schema::key_value(len);
                schema.fields[0].field_type = self.key.unwrap_or(FieldType::Int64);
                schema
            }
            (None, false) if self.key.is_none() => Schema { fields: self.fields.clone() },
            _ => {
                let problem = "give either value_len_bytes (and key) for key-value, or a [[field]] for each column";
                return Err(StudyError::value(origin, problem));
            }
        };
        schema.validate().map_err(|error| StudyError::value(origin, error.to_string()))?;
        Ok(schema)
    }
}

fn candidates(
    catalogue: &Catalogue,
    origin: &str,
    wire: &WireStudy,
    overrides: &Overrides,
) -> Result<Vec<CandidateSpec>, StudyError> {
    if !overrides.stores.is_empty() {
        return parse_candidates(catalogue, &overrides.stores);
    }
    if overrides.all {
        return every_candidate(catalogue);
    }
    let short = wire.floors.iter().chain(&wire.stores).map(|text| parse_candidate(catalogue, text));
    let tables = wire.candidates.iter().map(|table| table.check(catalogue, origin));
    let mut candidates: Vec<CandidateSpec> = Vec::new();
    for candidate in short.chain(tables) {
        let candidate = candidate?;
        if candidates.iter().any(|known| known.name == candidate.name) {
            return Err(StudyError::value(origin, format!("candidate '{}' is named twice", candidate.name)));
        }
        candidates.push(candidate);
    }
    if wire.stores.is_empty() && wire.candidates.is_empty() {
        let problem = "no store is named; write stores = [\"sqlite\", …] or a [[candidate]]";
        return Err(StudyError::value(origin, problem));
    }
    Ok(candidates)
}

fn size_plan(origin: &str, wire: &WireStudy, schema: &Schema, size: Size) -> Result<SizePlan, StudyError> {
    let phases = check_phases(origin, &wire.phases, schema, size.rows)?;
    Ok(SizePlan { rows: size.rows, rounds: size.rounds, phases })
}

/// Reads a duration such as `200ms`, `5m` or `1h 30m`, in ns.
pub fn parse_duration(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem = || StudyError::value(origin, format!("'{text}' is no duration; write it like 200ms, 30s or 5m"));
    let duration = humantime::parse_duration(text).map_err(|_| problem())?;
    u64::try_from(duration.as_nanos()).ok().filter(|ns| *ns <= kurabe_protocol::MAX_SAFE_INTEGER).ok_or_else(problem)
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
            known: ["none", "process", "power", "default"].map(str::to_string).to_vec(),
        }),
    }
}

#[cfg(test)]
#[path = "study_tests.rs"]
mod tests;
