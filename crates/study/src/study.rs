//! A study: data, phases, rounds and candidates.

use std::collections::BTreeMap;
use std::path::Path;

use kurabe_data::Ingested;
use kurabe_messages::{Message, message};
use kurabe_protocol::{Encoding, Field, FieldType, Layout, Operation, Schema};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, Claims, Configuration, DataSpec, MinimumDurability, PITFALL, PhasePlan, Slo, Source,
    StudyPlan, Transport, UsedBy,
};
use serde::Deserialize;

use crate::axes::{self, AskedAxis, CheckedAxis};
use crate::candidate::{CandidateSpec, CandidateTable, every_candidate, parse_candidate};
use crate::candidates::parse_candidates;
use crate::catalogue::{Catalogue, RUST};
use crate::claims::{self, WireBinding, WireClaim, WirePublished};
use crate::configurations::Base;
use crate::error::{StudyError, named, of_schema, range};
use crate::expand::{check_names, expand, twice_named};
use crate::overrides::{AskedProfile, Overrides};
use crate::phase::{WirePhase, check_gives_rows, check_in_hand, check_rows_from};
use crate::pitfalls::{Pitfalls, WirePitfall};
use crate::rate_search::add_searches;
use crate::toml_text::{self, Located};
use crate::words::{parse_duration, parse_need};
use crate::work::{StudyText, Work};

/// A study that can be run: everything is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// What it plans.
    pub plan: StudyPlan,
    /// The rows of a data file, instead of generated ones.
    pub data: Option<Ingested>,
    /// What is measured; also what cannot be what an axis asks of it.
    pub candidates: Vec<CandidateSpec>,
    /// Whether the candidates were asked for by name: then a missing one is an error.
    pub asked_by_name: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStudy {
    title: String,
    /// Of one in a folder of definitions whether it stands in for a built-in study of its name.
    #[serde(default)]
    replaces: bool,
    #[serde(default)]
    rows: Option<u64>,
    #[serde(default)]
    full_rows: Option<u64>,
    #[serde(default, rename = "axis")]
    axes: Vec<AskedAxis>,
    #[serde(default)]
    data: Option<DataSpec>,
    #[serde(default)]
    value_len_bytes: Option<u32>,
    #[serde(default)]
    key: Option<FieldType>,
    #[serde(default, rename = "field")]
    fields: Vec<Field>,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default)]
    compressible: f64,
    #[serde(default = "five")]
    rounds: u32,
    #[serde(default)]
    budget: Option<String>,
    #[serde(default = "power")]
    durability: MinimumDurability,
    #[serde(default)]
    profile: AskedProfile,
    #[serde(default)]
    stores: Vec<String>,
    #[serde(default)]
    baselines: Vec<String>,
    /// The service before each store that is a library.
    #[serde(default)]
    libraries_behind: Option<String>,
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
    #[serde(default)]
    source: Option<Source>,
    #[serde(default, rename = "binding")]
    bindings: Vec<WireBinding>,
    #[serde(default, rename = "claim")]
    claims: Vec<Located<WireClaim>>,
    #[serde(default)]
    published: Vec<WirePublished>,
    #[serde(default, rename = "pitfall")]
    pitfalls: Vec<WirePitfall>,
    #[serde(default)]
    need: Option<String>,
    #[serde(default)]
    slo: Option<Slo>,
    #[serde(default)]
    used_by: Option<UsedBy>,
    #[serde(default)]
    plain_choice: Option<String>,
}

fn five() -> u32 {
    5
}
fn power() -> MinimumDurability {
    MinimumDurability::Power
}
fn default_cache() -> u64 {
    256
}
fn one() -> u64 {
    1
}
/// Most bytes of the file of a study.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Most cache of a server: 1 TiB.
const MAX_CACHE_MB: u64 = 1 << 20;
/// Longest wait for a quiet disk where a study does not say.
const QUIET_WAIT_NS: u64 = 2_000_000_000;

/// Whether a study of a folder of definitions stands in for a built-in one.
pub(crate) fn replaces(origin: &str, text: &str) -> Result<bool, StudyError> {
    Ok(toml_text::read::<WireStudy>(origin, text)?.replaces)
}

impl Study {
    /// As [`Study::open_with`], for a caller that has no place to lay a data file out.
    pub fn open(catalogue: &Catalogue, name: &str, overrides: &Overrides) -> Result<Study, StudyError> {
        let refuse = |spec: &DataSpec| Err(StudyError::value(&spec.file, message!(study_data_verbs)));
        Study::open_with(catalogue, name, overrides, &refuse)
    }

    /// What the built-in study `name` asks; its data is not read.
    pub fn title_of(catalogue: &Catalogue, name: &str) -> Result<String, StudyError> {
        let wire: WireStudy = toml_text::read(name, catalogue.study_text(name)?)?;
        Ok(wire.title)
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
        let text = kurabe_machine::read_text(Path::new(name), MAX_FILE_BYTES)
            .map_err(|error| StudyError::Other(message!(study_unreadable, path = name, error)))?;
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
        let asked = wire.asked_axes(origin, overrides)?;
        let axes = axes::check(origin, &asked, &wire.phases)?;
        if !wire.encoding.is_raw() && axes.iter().any(|one| one.axis.name == "encoding") {
            return Err(StudyError::value(origin, or_axis("encoding")));
        }
        let asked = overrides.data.as_ref().map(|data| data.spec(wire.data.as_ref()));
        let data = asked.as_ref().or(wire.data.as_ref()).map(ingest).transpose()?;
        let schema = match &data {
            Some(data) => wire.schema_of_data(origin, overrides, data)?,
            None => wire.schema(origin, &axes)?,
        };
        let over_rows = axes.iter().any(|one| one.axis.name == "rows");
        let source = StudyText { origin, text };
        let mut work = Work::new(source, schema, &wire.phases)?;
        overrides.rate.map_or(Ok(()), |rate| work.set_rate(rate))?;
        work.rows = wire.rows(origin, overrides, data.as_ref(), over_rows)?;
        (work.encoding, work.is_of_file) = (wire.encoding, data.is_some());
        let base = Base { work, rounds: wire.rounds(origin, overrides)?, data: data.as_ref(), axes: &axes };
        let named = candidates(catalogue, origin, &wire, overrides)?;
        axes::check_jobs(origin, &axes, named.len())?;
        let mut configurations = base.configurations(&[])?;
        let mut candidates = expand(catalogue, origin, named, &axes)?;
        let own_axes = axes::check(origin, &wire.axes, &wire.phases)?;
        let pitfalls = Pitfalls {
            source,
            catalogue,
            pitfalls: &wire.pitfalls,
            named: wire.candidates.iter().map(|table| table.name().to_string()).collect(),
            own_axes: &own_axes,
            base: &base,
        };
        let claims = wire.claims(catalogue, (origin, text), &own_axes, pitfalls.names()?)?;
        let applied = pitfalls.apply(&overrides.pitfalls, &candidates, &configurations)?;
        configurations.extend(applied.configurations);
        candidates.extend(applied.candidates);
        check_names(origin, &candidates)?;
        let sources = configurations.iter().flat_map(Configuration::rows_from);
        sources.into_iter().try_for_each(|from| check_gives_rows(catalogue, origin, from))?;
        wire.set_needs(origin, overrides, &mut configurations)?;
        if let Some(slo) = overrides.slo.or(wire.slo) {
            let corrected = configurations.iter_mut().filter(|config| config.value_of(PITFALL).is_none());
            corrected.for_each(|config| add_searches(&mut config.phases, slo));
        }
        if let Some(plain) = &wire.plain_choice {
            catalogue.store(plain)?;
        }
        let mut plan = wire.plan(origin, name, overrides, (axes.clone(), configurations))?;
        (plan.claims, plan.pitfalls) = (claims, applied.pitfalls);
        let study = Study { plan, data, candidates, asked_by_name: !overrides.stores.is_empty() };
        study.validate(origin)?;
        Ok(study)
    }

    fn validate(&self, origin: &str) -> Result<(), StudyError> {
        let problem = |problem: Message| Err(StudyError::value(origin, problem));
        let plan = &self.plan;
        if plan.configurations.len() > 1 && plan.configurations.iter().any(Configuration::counts_losses) {
            return problem(message!(study_losses_once));
        }
        // A disk that fails, or whose power is cut, is none of this machine: only what it kept can be judged.
        if plan.configurations.iter().any(|config| config.has_own_disk() && !config.counts_losses()) {
            return problem(message!(study_cut_alone));
        }
        if !(0.0..=1.0).contains(&plan.compressible) {
            return problem(range("compressible", 0, 1, plan.compressible));
        }
        if plan.cache_mb == 0 || plan.cache_mb > MAX_CACHE_MB {
            return problem(range("cache_mb", 1, MAX_CACHE_MB, plan.cache_mb));
        }
        if plan.budget_ns == Some(0) {
            return problem(message!(study_budget_zero));
        }
        plan.configurations.iter().try_for_each(|config| self.validate_configuration(origin, config))
    }

    fn validate_configuration(&self, origin: &str, config: &Configuration) -> Result<(), StudyError> {
        if self.data.is_some() {
            let odd = |plan: &&PhasePlan| plan.phase.does(Operation::Insert) || plan.phase.does(Operation::Search);
            if let Some(plan) = config.phases.iter().find(odd) {
                let problem = match plan.phase.does(Operation::Insert) {
                    true => message!(study_phase_insert_data),
                    false => message!(study_phase_search_data),
                };
                return Err(StudyError::value(origin, problem).within(origin, named("phase", &plan.phase.name)));
            }
        } else {
            config.phases.iter().try_for_each(|plan| check_in_hand(origin, &plan.phase, &config.schema))?;
        }
        check_rows_from(origin, config, self.data.as_ref().map(|data| &data.files))?;
        match config.phases.first() {
            Some(first) if first.phase.operation() == Operation::Load => Ok(()),
            _ => Err(StudyError::value(origin, message!(study_phase_first_load))),
        }
    }

    /// Bytes of key and value of a row of a configuration, in the mean.
    pub fn row_bytes(&self, config: &Configuration) -> u64 {
        match &self.data {
            Some(data) => data.row_bytes,
            None => Layout::new(&config.schema).len_bytes() as u64,
        }
    }
}

/// Reads the data file of a study.
pub type Ingest<'a> = dyn Fn(&DataSpec) -> Result<Ingested, StudyError> + 'a;

impl WireStudy {
    /// The axes: those of the command line, and those of the study that it says nothing about.
    fn asked_axes(&self, origin: &str, overrides: &Overrides) -> Result<Vec<AskedAxis>, StudyError> {
        let sizes = overrides.sizes.as_deref();
        let given = |name: &str| match name {
            "rows" => overrides.rows.map(|_| "--rows").or(sizes.map(|_| "--sizes")),
            "durability" => overrides.durability.map(|_| "--durability"),
            "profile" => overrides.profile.map(|_| "--profile"),
            _ => None,
        };
        if let Some((axis, flag)) = overrides.axes.iter().find_map(|axis| Some((axis, given(axis.name())?))) {
            let keys = [format!("--axis {}", axis.name()), flag.to_string()];
            return Err(StudyError::Other(message!(study_either, keys)));
        }
        // Several sizes that are one are one, so that a list that a program makes may have any length.
        let sizes = sizes.filter(|sizes| sizes.len() > 1).map(AskedAxis::of_rows);
        let is_given = self.axes.iter().chain(&overrides.axes).any(|axis| axis.name() == "profile");
        let profile = overrides.profile.unwrap_or(if is_given { AskedProfile::Default } else { self.profile });
        let profiles = (profile == AskedProfile::Both).then(AskedAxis::of_profiles);
        let typed = overrides.axes.iter().map(|axis| axis.narrowing(&self.axes)).collect::<Result<Vec<_>, _>>()?;
        let flags: Vec<AskedAxis> = sizes.into_iter().chain(typed).chain(profiles).collect();
        let stays = |axis: &&AskedAxis| {
            let replaced = flags.iter().any(|flag| flag.name() == axis.name()) || given(axis.name()).is_some();
            !(replaced || axis.name() == "rows" && overrides.data.is_some())
        };
        if self.rows.is_some() && self.axes.iter().any(|axis| axis.name() == "rows") {
            return Err(StudyError::value(origin, or_axis("rows")));
        }
        Ok(self.axes.iter().filter(stays).cloned().chain(flags.iter().cloned()).collect())
    }

    /// Rows where no axis says: a file that is named on the command line has its own number.
    fn rows(
        &self,
        origin: &str,
        overrides: &Overrides,
        data: Option<&Ingested>,
        over_rows: bool,
    ) -> Result<u64, StudyError> {
        let one_size = overrides.sizes.as_ref().and_then(|sizes| sizes.first().copied());
        let of_study = self.rows.filter(|_| overrides.data.is_none());
        if overrides.full && self.full_rows.is_none() {
            return Err(StudyError::value("--full", message!(study_no_full)));
        }
        let full = self.full_rows.filter(|_| overrides.full);
        let rows = overrides.rows.or(one_size).or(full).or(of_study).or(data.map(|data| data.files.count));
        match rows {
            Some(rows) => Ok(rows),
            None if over_rows => Ok(0),
            None => Err(StudyError::value(origin, message!(study_no_rows))),
        }
    }

    fn rounds(&self, origin: &str, overrides: &Overrides) -> Result<u32, StudyError> {
        match overrides.rounds.unwrap_or(self.rounds) {
            rounds if (1..=kurabe_record::MOST_ROUNDS).contains(&rounds) => Ok(rounds),
            rounds => Err(StudyError::value(origin, range("rounds", 1, kurabe_record::MOST_ROUNDS.into(), rounds))),
        }
    }

    fn plan(
        &self,
        origin: &str,
        name: &str,
        overrides: &Overrides,
        (axes, configurations): (Vec<CheckedAxis>, Vec<Configuration>),
    ) -> Result<StudyPlan, StudyError> {
        let duration = |text: &Option<String>| text.as_ref().map(|text| parse_duration(origin, text)).transpose();
        // As written, but for the rows, which are rounded.
        let on_level = |axis: &str| -> Vec<AxisValue> {
            let mut values: Vec<AxisValue> = Vec::new();
            for value in configurations.iter().filter_map(|config| config.value_of(axis)) {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            values
        };
        let axis = |one: CheckedAxis| match one.axis.makes {
            AxisEffect::Configurations => Axis { values: on_level(&one.axis.name), ..one.axis },
            AxisEffect::Phases | AxisEffect::Candidates => one.axis,
        };
        Ok(StudyPlan {
            study: name.to_string(),
            title: self.title.clone(),
            seed: overrides.seed.unwrap_or(self.seed),
            budget_ns: overrides.budget_ns.or(duration(&self.budget)?.filter(|_| !overrides.full)),
            quiet_wait_ns: duration(&self.quiet_wait)?.unwrap_or(QUIET_WAIT_NS),
            cache_mb: self.cache_mb,
            transport: overrides.transport.unwrap_or(self.transport),
            durability: overrides.durability.unwrap_or(self.durability),
            profile: overrides.profile.unwrap_or(self.profile).without_axis(),
            compressible: self.compressible,
            allowed_errors: self.allowed_errors,
            slo: overrides.slo.or(self.slo),
            equivalent: overrides.equivalent,
            axes: axes.into_iter().map(axis).collect(),
            configurations,
            used_by: overrides.used_by.or(self.used_by),
            plain_choice: self.plain_choice.clone(),
            claims: Claims::default(),
            pitfalls: Vec::new(),
        })
    }

    /// What is needed of each phase: what it says itself, or what is needed of all that decide. A load is done once, and
    /// nobody waits for it at such a rate.
    fn set_needs(&self, origin: &str, overrides: &Overrides, configs: &mut [Configuration]) -> Result<(), StudyError> {
        let own: BTreeMap<String, f64> = self
            .phases
            .iter()
            .filter_map(|phase| Some((phase.shown_name(), phase.need.as_deref()?)))
            .map(|(name, text)| Ok((name, parse_need(origin, text)?)))
            .collect::<Result<_, StudyError>>()?;
        let of_study = self.need.as_deref().map(|text| parse_need(origin, text)).transpose()?;
        let of_all = overrides.need_per_s.or(of_study);
        for plan in configs.iter_mut().flat_map(|config| &mut config.phases) {
            let asked = of_all.filter(|_| plan.deciding && plan.phase.operation() != Operation::Load);
            plan.need_per_s = own.get(plan.study_name()).copied().filter(|_| overrides.need_per_s.is_none()).or(asked);
        }
        Ok(())
    }

    /// A library behind the service that the study puts before each, where the service can hold it.
    fn behind_service(&self, catalogue: &Catalogue, spec: CandidateSpec) -> Result<CandidateSpec, StudyError> {
        let is_library = catalogue.store(&spec.store)?.service.is_none() && spec.url.is_none();
        match &self.libraries_behind {
            Some(app) if is_library && spec.app.is_empty() && spec.client.client == RUST => {
                parse_candidate(catalogue, &format!("{}/{app}", spec.name))
            }
            _ => Ok(spec),
        }
    }

    /// What the study claims, whatever the command line makes of its axes and stores.
    fn claims(
        &self,
        catalogue: &Catalogue,
        (origin, text): (&str, &str),
        axes: &[CheckedAxis],
        pitfalls: Vec<String>,
    ) -> Result<Claims, StudyError> {
        let names = self.stores.iter().chain(&self.baselines).cloned();
        let known = claims::ClaimScope {
            origin,
            text,
            catalogue,
            candidates: names.chain(self.candidates.iter().map(|table| table.name().to_string())).collect(),
            phases: &self.phases,
            axes,
            pitfalls,
            repeats_source: self.source.is_some(),
        };
        let given = claims::ClaimSources {
            source: self.source.as_ref(),
            bindings: &self.bindings,
            claims: &self.claims,
            published: &self.published,
        };
        claims::check(&given, known)
    }

    /// The schema of a data file; a study that names one has no other.
    fn schema_of_data(&self, origin: &str, overrides: &Overrides, data: &Ingested) -> Result<Schema, StudyError> {
        let generated = self.value_len_bytes.is_some() || self.key.is_some() || !self.fields.is_empty();
        if overrides.data.is_none() && generated {
            return Err(StudyError::value(origin, message!(study_data_or_schema)));
        }
        data.schema.validate().map_err(|error| StudyError::value(origin, of_schema(&error)))?;
        Ok(data.schema.clone())
    }

    fn schema(&self, origin: &str, axes: &[CheckedAxis]) -> Result<Schema, StudyError> {
        // An axis over the length needs none beside it.
        let of_axis = || axes::value_len(axes).filter(|_| self.fields.is_empty());
        let schema = match (self.value_len_bytes.or_else(of_axis), self.fields.is_empty()) {
            (Some(len), true) => {
                let mut schema = Schema::key_value(len);
                schema.fields[0].field_type = self.key.unwrap_or(FieldType::Int64);
                schema
            }
            (None, false) if self.key.is_none() => Schema { fields: self.fields.clone() },
            _ => {
                return Err(StudyError::value(origin, message!(study_no_schema)));
            }
        };
        schema.validate().map_err(|error| StudyError::value(origin, of_schema(&error)))?;
        Ok(schema)
    }
}

/// A key and an axis over it.
fn or_axis(key: &str) -> Message {
    message!(study_either, keys = [key.to_string(), format!("[[axis]] name = \"{key}\"")])
}

fn candidates(
    catalogue: &Catalogue,
    origin: &str,
    wire: &WireStudy,
    overrides: &Overrides,
) -> Result<Vec<CandidateSpec>, StudyError> {
    let named = |name: &str| wire.candidates.iter().find(|table| table.name() == name);
    let baseline = |text: &String| match named(text) {
        Some(table) => Ok(CandidateSpec { is_baseline: true, ..table.check(catalogue, origin)? }),
        None => Ok(CandidateSpec { is_baseline: true, ..parse_candidate(catalogue, text)? }),
    };
    let baselines = wire.baselines.iter().map(baseline);
    if !overrides.stores.is_empty() || overrides.all {
        let asked =
            if overrides.all { every_candidate(catalogue)? } else { parse_candidates(catalogue, &overrides.stores)? };
        let mut typed = Vec::new();
        for candidate in asked {
            let mut candidate = wire.behind_service(catalogue, candidate)?;
            if !overrides.all {
                CandidateTable::lend(&wire.candidates, &mut candidate, catalogue, origin)?;
                // What the command line asks of all is not what the table has in mind.
                candidate.durability.take_if(|_| overrides.durability.is_some());
            }
            typed.push(candidate);
        }
        // Without its control a trial of losses shows nothing.
        if wire.phases.iter().any(|phase| phase.counts_losses) {
            for control in baselines {
                let control = control?;
                if !typed.iter().any(|one| one.name == control.name) {
                    typed.push(control);
                }
            }
        }
        return Ok(typed);
    }
    let stores = wire.stores.iter().map(|text| wire.behind_service(catalogue, parse_candidate(catalogue, text)?));
    let tables = wire.candidates.iter().filter(|table| !wire.baselines.iter().any(|name| name == table.name()));
    let tables = tables.map(|table| table.check(catalogue, origin));
    let mut candidates: Vec<CandidateSpec> = Vec::new();
    for candidate in baselines.chain(stores).chain(tables) {
        let candidate = candidate?;
        if candidates.iter().any(|known| known.name == candidate.name) {
            return Err(twice_named(origin, &candidate.name));
        }
        candidates.push(candidate);
    }
    if wire.stores.is_empty() && wire.candidates.is_empty() {
        return Err(StudyError::value(origin, message!(study_no_store)));
    }
    Ok(candidates)
}

#[cfg(test)]
#[path = "study_tests.rs"]
mod tests;
