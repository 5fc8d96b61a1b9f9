//! What was asked and found: durability, settings, versions, machine, method.

use kurabe_analysis::{Answer, Side, WeakenedBy, phrases};
use kurabe_messages::{Item, Message, described, message};
use kurabe_protocol::FieldType;
use kurabe_record::{
    Axis, AxisValue, CandidateRecord, Guarantee, JobRecord, MinimumDurability, RunRecord, SettingCheck, SettingState,
    StoreKind, StudyPlan, Transport,
};
use serde::Serialize;

use crate::format::{self, NONE};
use crate::tables::{Row, Table};
use crate::text::Text;
use crate::words::{loss, setting_state};

/// What each store keeps, what it can lose in its own words, and whether the settings were seen in the live store.
pub(crate) fn durability(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> Table {
    let stores = run.candidates.iter().filter(|candidate| candidate.kind == StoreKind::Store);
    let titles = [
        message!(word_candidate),
        message!(word_durability),
        message!(word_loss_on_kill),
        message!(word_loss_on_power),
        message!(word_integrity),
        message!(word_loss_window),
        message!(word_setting),
        message!(word_live_store),
        message!(word_proof),
        message!(word_source),
    ];
    Table::texts(titles, stores.map(|candidate| durability_row(answer, candidate, jobs)))
}

fn durability_row(answer: &Answer, candidate: &CandidateRecord, jobs: &[JobRecord]) -> Vec<Text> {
    let seen = read_back(&checks(candidate, jobs));
    let name = verbatim(&candidate.name);
    let none = Text::none;
    let Some(setting) = &candidate.durability else {
        let unknown = || Text::from(message!(word_unknown));
        return vec![name, unknown(), unknown(), unknown(), none(), none(), none(), seen, none(), none()];
    };
    let is_measured = jobs.iter().any(|job| job.candidate == candidate.name && job.error.is_none());
    let judged = answer.candidates.iter().find(|judged| judged.name == candidate.name);
    // What did not run promises nothing.
    let kept = judged.map_or(Some(setting.guarantee), |judged| judged.guarantee).filter(|_| is_measured);
    let window = match judged.map_or_else(|| Some(described(&setting.window)), |judged| judged.window.clone()) {
        _ if !is_measured => message!(word_not_measured),
        Some(window) => window,
        None => message!(word_unknown),
    };
    let source = match judged.and_then(|judged| judged.weakened.first()).map(|weakened| &weakened.cause) {
        Some(WeakenedBy::Setting { source, .. }) => source.clone(),
        Some(WeakenedBy::Device { .. } | WeakenedBy::QuickCommits { .. } | WeakenedBy::FewFlushes { .. }) => {
            NONE.into()
        }
        None => setting.source.clone(),
    };
    let proof: Vec<Message> = setting.proof.iter().map(|proof| proof.words()).collect();
    let fact = |of: &dyn Fn(Guarantee) -> Text| kept.map_or_else(none, of);
    vec![
        name,
        fact(&|kept| kept.level().word().to_string().into()),
        fact(&|kept| loss(kept.kill).into()),
        fact(&|kept| loss(kept.power).into()),
        fact(&|kept| kept.integrity.to_string().into()),
        window.into(),
        verbatim(&setting.name),
        seen,
        message!(table_series, items = proof).into(),
        source.into(),
    ]
}

/// All settings that were asked for and read back, over all jobs of a candidate, each once.
fn checks(candidate: &CandidateRecord, jobs: &[JobRecord]) -> Vec<SettingCheck> {
    let mut seen: Vec<SettingCheck> = Vec::new();
    for check in jobs.iter().filter(|job| job.candidate == candidate.name).flat_map(|job| &job.settings) {
        if !seen.contains(check) {
            seen.push(check.clone());
        }
    }
    seen
}

/// The gravest state of all that was asked for.
fn read_back(checks: &[SettingCheck]) -> Text {
    let graver = [SettingState::Differs, SettingState::SetNotReadable, SettingState::Confirmed];
    let has = |state: &SettingState| checks.iter().any(|check| check.state == *state);
    graver.into_iter().find(has).map_or_else(Text::none, |state| setting_state(state).into())
}

fn verbatim(text: &str) -> Text {
    text.to_string().into()
}

/// Settings of one candidate.
#[derive(Serialize)]
pub(crate) struct CandidateSettings {
    name: String,
    title: String,
    kept: Table,
    kept_caption: Text,
    checked: Table,
    checked_caption: Text,
}

/// Every setting of every store, with its reason, and what the live store said.
pub(crate) fn settings(run: &RunRecord, jobs: &[JobRecord]) -> Vec<CandidateSettings> {
    let stores = run.candidates.iter().filter(|candidate| candidate.kind == StoreKind::Store);
    let one = |candidate: &CandidateRecord| {
        let kept = candidate
            .settings
            .iter()
            .map(|kept| vec![verbatim(&kept.name), filled(&kept.value, run), described(&kept.reason).into()]);
        let checked = checks(candidate, jobs).into_iter().map(|check| {
            let value = |value: Option<String>| value.map_or_else(Text::none, |value| shown(&value));
            vec![check.name.into(), value(check.asked), value(check.found), setting_state(check.state).into()]
        });
        CandidateSettings {
            name: candidate.name.clone(),
            title: candidate.title.clone(),
            kept_caption: message!(table_settings_of, candidate = &candidate.name).into(),
            checked_caption: message!(table_settings_read_back, candidate = &candidate.name).into(),
            kept: Table::texts([message!(word_setting), message!(word_value), message!(word_reason)], kept),
            checked: Table::texts(
                [message!(word_setting), message!(word_requested), message!(word_live_store), message!(word_state)],
                checked,
            ),
        }
    };
    stores.map(one).filter(|one| !one.kept.rows.is_empty() || !one.checked.rows.is_empty()).collect()
}

/// The value with what the run put in the place of `{cache_mb}` and `{cache_bytes}`.
fn filled(value: &str, run: &RunRecord) -> Text {
    let value = value.replace("{cache_mb}", &run.plan.cache_mb.to_string());
    shown(&value.replace("{cache_bytes}", &(run.plan.cache_mb << 20).to_string()))
}

fn shown(value: &str) -> Text {
    if value.is_empty() { message!(word_empty).into() } else { verbatim(value) }
}

pub(crate) fn versions(answer: &Answer) -> Table {
    let row = |candidate: &kurabe_analysis::CandidateAnswer| {
        vec![verbatim(&candidate.name), message!(table_series, items = &candidate.versions).into()]
    };
    Table::texts([message!(word_candidate), message!(word_versions)], answer.candidates.iter().map(row))
}

pub(crate) fn machine(machine: &kurabe_machine::Machine) -> Table {
    let size = |bytes: Option<u64>| bytes.map(|bytes| Text::from(format::size(bytes as f64)));
    let text = |text: &Option<String>| text.clone().map(Text::from);
    let quota = machine.quota_words().map(|quota| message!(markdown_quota, quota));
    let cores = message!(markdown_cores, usable = machine.usable_cores, cores = machine.cores);
    let cores = message!(table_series, items = std::iter::once(cores).chain(quota).collect::<Vec<Message>>());
    let facts = [
        (message!(word_processor), text(&machine.cpu_model)),
        (message!(word_usable_cores), Some(cores.into())),
        (message!(word_memory), size(machine.memory_bytes)),
        (message!(word_swap_in_use), size(machine.swap_used_bytes)),
        (message!(word_kernel), Some(format!("{} {}", machine.kernel_release, machine.architecture).into())),
        (message!(word_virtualisation), text(&machine.virtualisation)),
        (message!(word_governor), text(&machine.cpu_governor)),
        (message!(word_clock_source), text(&machine.clock_source)),
        (message!(word_load_before), machine.load_average_1min.map(|load| format!("{load:.2}").into())),
    ];
    Table::facts(facts.map(|(name, value)| (name, value.unwrap_or_else(|| message!(word_not_reported).into()))))
}

/// A value of an axis as a person reads it: a window is `≤ 10 ms`.
fn in_short(value: &AxisValue) -> Item {
    let text = value.to_string();
    text.parse().map_or(text.into(), |minimum: MinimumDurability| minimum.short().into())
}

fn axis(axis: &Axis) -> Message {
    let values: Vec<Item> = axis.values.iter().map(in_short).collect();
    match axis.phases.as_slice() {
        [] => message!(table_axis, axis = &axis.name, values),
        phases => message!(table_axis_in, axis = &axis.name, phases, values),
    }
}

fn field(name: &str, kind: FieldType, len_bytes: Option<u32>) -> Item {
    let length = len_bytes.map(|bytes| format!(", {}", format::size(f64::from(bytes)))).unwrap_or_default();
    format!("{name} ({kind}{length})").into()
}

/// Everything that the study asked for beside its phases.
pub(crate) fn study(answer: &Answer, run: &RunRecord) -> Table {
    let plan = &run.plan;
    let level = plan.configurations.get(answer.at.configuration as usize);
    let fields = level.iter().flat_map(|level| &level.schema.fields);
    let fields: Vec<Item> = fields.map(|one| field(&one.name, one.field_type, one.len_bytes)).collect();
    let transport = match plan.transport {
        Transport::Tcp => message!(word_tcp),
        Transport::Unix => message!(word_unix_socket),
    };
    let axes: Vec<Message> = plan.axes.iter().map(axis).collect();
    let no_axes = axes.is_empty();
    let axes = if no_axes { message!(word_none) } else { message!(table_clauses, parts = axes) };
    let budget = plan.budget_ns.map(|ns| Text::from(format::span(ns)));
    let facts = [
        (message!(word_rows), format::count(answer.at.rows).into()),
        (message!(word_axes), axes.into()),
        (message!(word_most_rounds), level.map_or_else(Text::none, |level| level.rounds.to_string().into())),
        (message!(word_fields), message!(table_series, items = fields).into()),
        (message!(word_compressible), format::percent(plan.compressible).into()),
        (message!(word_minimum_durability), minimum_durability(plan)),
        (message!(word_server_cache), format!("{} MiB", plan.cache_mb).into()),
        (message!(word_transport), transport.into()),
        (message!(word_time_budget), budget.unwrap_or_else(|| message!(word_none).into())),
        (message!(word_quiet_wait), format::duration(plan.quiet_wait_ns as f64).into()),
        (message!(word_allowed_errors), format::count(plan.allowed_errors).into()),
        (message!(word_seed), plan.seed.to_string().into()),
    ];
    Table::facts(facts)
}

/// The runs of a comparison.
pub(crate) fn runs(sides: &[Side<'_>]) -> Table {
    let row = |(index, side): (usize, &Side<'_>)| -> Vec<Text> {
        let rounds = side.answer.rounds;
        vec![
            (index + 1).to_string().into(),
            verbatim(&side.name),
            verbatim(&side.run.plan.study),
            verbatim(&side.run.started_at),
            message!(table_of_all, part = rounds.complete, all = rounds.planned).into(),
            format::count(side.answer.at.rows).into(),
            verbatim(&side.run.kurabe),
        ]
    };
    let titles = [
        message!(word_run),
        message!(word_folder),
        message!(word_study),
        message!(word_started),
        message!(word_rounds),
        message!(word_rows),
        message!(word_kurabe),
    ];
    Table::texts(titles, sides.iter().enumerate().map(row))
}

/// Machines and devices of the runs side by side, a column a run.
pub(crate) fn machines(sides: &[Side<'_>]) -> Table {
    let facts = |side: &Side<'_>| [machine(&side.run.machine).rows, device(&side.run.device).rows].concat();
    let columns: Vec<Vec<Row>> = sides.iter().map(facts).collect();
    let names: Vec<Text> = columns.first().into_iter().flatten().map(|row| row.cells[0].clone()).collect();
    let runs = (1..=sides.len()).map(|run| Text::from(message!(table_run, run)));
    let titles = std::iter::once(Text::from(message!(word_fact))).chain(runs);
    let value = |column: &Vec<Row>, at: usize| column.get(at).map_or_else(Text::default, |row| row.cells[1].clone());
    let rows = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| std::iter::once(name).chain(columns.iter().map(|column| value(column, at))).collect());
    Table::texts(titles, rows)
}

pub(crate) fn device(device: &kurabe_machine::DeviceProbe) -> Table {
    let verdict: Text = match device.power_verdict() {
        kurabe_machine::PowerVerdict::Plausible => message!(word_plausible).into(),
        kurabe_machine::PowerVerdict::Refused { reason } => Text::from(reason),
    };
    let options: Text = if device.mount_options.is_empty() {
        message!(word_no_mount_options).into()
    } else {
        device.mount_options.join(", ").into()
    };
    let time = |ns: u64| Text::from(format::duration(ns as f64));
    let facts = [
        (message!(word_file_system), verbatim(&device.file_system)),
        (message!(word_mount_options), options),
        (message!(word_free), format::size(device.free_bytes as f64).into()),
        (message!(word_fdatasync_p50), time(device.fdatasync_ns_p50)),
        (message!(word_fdatasync_p90), time(device.fdatasync_ns_p90)),
        (message!(word_fdatasync_max), time(device.fdatasync_ns_max)),
        (message!(word_survives_power_failure), verdict),
    ];
    Table::facts(facts)
}

fn minimum_durability(plan: &StudyPlan) -> Text {
    let minima: Vec<Message> = plan.minima().into_iter().map(MinimumDurability::short).collect();
    message!(table_series, items = minima).into()
}

/// How it was measured, and what the rules of the ranking are.
pub(crate) fn method(answer: &Answer, run: &RunRecord) -> Vec<String> {
    let rounds = answer.rounds;
    let mut method = vec![
        message!(page_method_rounds, complete = rounds.complete, planned = rounds.planned).to_string(),
        message!(page_method_jobs, seed = run.plan.seed.to_string()).to_string(),
        data(answer, run),
    ];
    let minima = run.plan.minima();
    method.push(match minima.as_slice() {
        [MinimumDurability::Default] => message!(page_method_as_shipped).to_string(),
        [asked] => {
            message!(page_method_durability, level = asked.short(), meaning = phrases::minimum(*asked)).to_string()
        }
        several => {
            let levels: Vec<Message> = several.iter().map(|minimum| minimum.short()).collect();
            message!(page_method_durabilities, levels).to_string()
        }
    });
    if answer.candidates.iter().any(|candidate| !candidate.weakened.is_empty()) {
        method.push(message!(page_method_weakened).to_string());
    }
    let rules = [
        message!(page_method_rate),
        message!(page_method_ratios),
        message!(page_method_levels),
        message!(page_method_latencies),
        message!(page_method_answers, failures = run.plan.allowed_errors),
    ];
    method.extend(rules.iter().map(Message::to_string));
    method
}

/// Where the rows come from, and what was found in the file if they come from one.
fn data(answer: &Answer, run: &RunRecord) -> String {
    let level = run.plan.configurations.get(answer.at.configuration as usize);
    let fields = level.map_or(0, |level| level.schema.fields.len());
    let rows = answer.at.rows;
    match &run.data {
        Some(data) => message!(page_method_file, rows, fields, found = data.sentences()).to_string(),
        None => message!(page_method_generated, rows, fields, share = run.plan.compressible).to_string(),
    }
}
