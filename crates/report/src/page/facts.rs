//! What was asked and found: durability, settings, versions, machine, method.

use kurabe_analysis::format::{self, NONE};
use kurabe_analysis::{Answer, Side, WeakenedBy, english};
use kurabe_protocol::{
    Action, Connect, Distribution, Load, Operation, Phase, ReadScope, RowsFrom, Wanted, Warmup, Work,
};
use kurabe_record::{
    Axis, AxisValue, CandidateRecord, Guarantee, JobRecord, MinimumDurability, RunRecord, SettingCheck, SettingState,
    StoreKind, Transport,
};
use serde::Serialize;

use crate::tables::{Row, Table};
use crate::words::{Text, Word, loss};

/// What each store keeps, what it can lose in its own words, and whether the settings were seen in the live store.
pub(crate) fn durability(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> Table {
    let stores = run.candidates.iter().filter(|candidate| candidate.kind == StoreKind::Store);
    let titles = [
        Word::Candidate,
        Word::Durability,
        Word::LostByKill,
        Word::LostByPower,
        Word::Integrity,
        Word::CanBeLost,
        Word::Setting,
        Word::LiveStore,
        Word::Proof,
        Word::Source,
    ];
    Table::texts(titles, stores.map(|candidate| durability_row(answer, candidate, jobs)))
}

fn durability_row(answer: &Answer, candidate: &CandidateRecord, jobs: &[JobRecord]) -> Vec<Text> {
    let seen = read_back(&checks(candidate, jobs));
    let name = verbatim(&candidate.name);
    let none = Text::none;
    let Some(setting) = &candidate.durability else {
        let unknown = || Text::from(Word::Unknown);
        return vec![name, unknown(), unknown(), unknown(), none(), none(), none(), seen, none(), none()];
    };
    let is_measured = jobs.iter().any(|job| job.candidate == candidate.name && job.error.is_none());
    let judged = answer.candidates.iter().find(|judged| judged.name == candidate.name);
    // Nothing is promised of what did not run.
    let kept = judged.map_or(Some(setting.guarantee), |judged| judged.guarantee).filter(|_| is_measured);
    let window = match judged.map_or(Some(&setting.window), |judged| judged.window.as_ref()) {
        _ if !is_measured => Word::NotMeasured.into(),
        Some(window) => Text::from(window.clone()),
        None => Word::Unknown.into(),
    };
    let source = match judged.and_then(|judged| judged.weakened.first()).map(|weakened| &weakened.cause) {
        Some(WeakenedBy::Setting { source, .. }) => source.clone(),
        Some(WeakenedBy::Rationale { .. } | WeakenedBy::QuickCommits { .. } | WeakenedBy::FewFlushes { .. }) => {
            NONE.into()
        }
        None => setting.source.clone(),
    };
    let proof: Vec<&str> = setting.proof.iter().map(|proof| proof.words()).collect();
    let fact = |of: &dyn Fn(Guarantee) -> Text| kept.map_or_else(none, of);
    vec![
        name,
        fact(&|kept| kept.level().word().to_string().into()),
        fact(&|kept| loss(kept.kill)),
        fact(&|kept| loss(kept.power)),
        fact(&|kept| kept.integrity.to_string().into()),
        window,
        verbatim(&setting.name),
        seen,
        proof.join(", ").into(),
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
    graver.into_iter().find(has).map_or_else(Text::none, |state| Word::from(state).into())
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
    checked: Table,
}

/// Every setting of every store, with its reason, and what the live store said.
pub(crate) fn settings(run: &RunRecord, jobs: &[JobRecord]) -> Vec<CandidateSettings> {
    let stores = run.candidates.iter().filter(|candidate| candidate.kind == StoreKind::Store);
    let one = |candidate: &CandidateRecord| {
        let kept = candidate
            .settings
            .iter()
            .map(|kept| vec![verbatim(&kept.name), filled(&kept.value, run), verbatim(&kept.reason)]);
        let checked = checks(candidate, jobs).into_iter().map(|check| {
            let value = |value: Option<String>| value.map_or_else(Text::none, |value| shown(&value));
            vec![check.name.into(), value(check.asked), value(check.found), Word::from(check.state).into()]
        });
        CandidateSettings {
            name: candidate.name.clone(),
            title: candidate.title.clone(),
            kept: Table::texts([Word::Setting, Word::Value, Word::Why], kept),
            checked: Table::texts([Word::Setting, Word::AskedFor, Word::LiveStore, Word::State], checked),
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
    if value.is_empty() { Word::Empty.into() } else { verbatim(value) }
}

pub(crate) fn versions(answer: &Answer) -> Table {
    let row =
        |candidate: &kurabe_analysis::CandidateAnswer| vec![candidate.name.clone(), candidate.versions.join(", ")];
    Table::texts([Word::Candidate, Word::Versions], answer.candidates.iter().map(row))
}

pub(crate) fn machine(machine: &kurabe_machine::Machine) -> Table {
    let size = |bytes: Option<u64>| bytes.map(|bytes| format::size(bytes as f64));
    let quota = machine.quota_words().map(|quota| format!(", CPU quota {quota}")).unwrap_or_default();
    let facts = [
        ("processor", machine.cpu_model.clone()),
        ("cores usable", Some(format!("{} of {}{quota}", machine.usable_cores, machine.cores))),
        ("memory", size(machine.memory_bytes)),
        ("swap in use", size(machine.swap_used_bytes)),
        ("kernel", Some(format!("{} {}", machine.kernel_release, machine.architecture))),
        ("virtualisation", machine.virtualisation.clone()),
        ("governor", machine.cpu_governor.clone()),
        ("clock source", machine.clock_source.clone()),
        ("load before the run", machine.load_average_1min.map(|load| format!("{load:.2}"))),
    ];
    Table::facts(facts.map(|(name, value)| (name, value.unwrap_or_else(|| "not told".into()))))
}

/// A value of an axis as a person reads it: a window is `≤ 10 ms`.
fn in_words(value: &AxisValue) -> String {
    let text = value.to_string();
    text.parse().map_or(text, MinimumDurability::short)
}

/// Everything that the study asked for beside its phases.
pub(crate) fn study(answer: &Answer, run: &RunRecord) -> Table {
    let plan = &run.plan;
    let level = plan.configurations.get(answer.at.configuration as usize);
    let fields = level.iter().flat_map(|level| &level.schema.fields).map(|field| {
        let length = field.len_bytes.map(|bytes| format!(", {}", format::size(f64::from(bytes))));
        format!("{} ({}{})", field.name, field.field_type, length.unwrap_or_default())
    });
    let transport = match plan.transport {
        Transport::Tcp => "TCP on 127.0.0.1",
        Transport::Unix => "unix socket where the store has one",
    };
    let axis = |axis: &Axis| {
        let values: Vec<String> = axis.values.iter().map(in_words).collect();
        let phases = if axis.phases.is_empty() { String::new() } else { format!(" in {}", axis.phases.join(", ")) };
        format!("{}{phases}: {}", axis.name, values.join(", "))
    };
    let axes: Vec<String> = plan.axes.iter().map(axis).collect();
    let facts = [
        ("rows", format::count(answer.at.rows)),
        ("axes", if axes.is_empty() { "none".into() } else { axes.join("; ") }),
        ("rounds at most", level.map_or_else(|| NONE.into(), |level| level.rounds.to_string())),
        ("fields of a row", fields.collect::<Vec<String>>().join(", ")),
        ("filler that compresses away", format::percent(plan.compressible)),
        ("minimum durability", plan.durability.short()),
        ("cache of every server", format!("{} MiB", plan.cache_mb)),
        ("way to servers", transport.into()),
        ("time budget", plan.budget_ns.map_or_else(|| "none".into(), format::span)),
        ("longest wait for a quiet disk", format::duration(plan.quiet_wait_ns as f64)),
        ("failed operations allowed", format::count(plan.allowed_errors)),
        ("seed", plan.seed.to_string()),
    ];
    Table::facts(facts)
}

/// The runs of a comparison.
pub(crate) fn runs(sides: &[Side<'_>]) -> Table {
    let row = |(index, side): (usize, &Side<'_>)| {
        vec![
            (index + 1).to_string(),
            side.name.clone(),
            side.run.plan.study.clone(),
            side.run.started_at.clone(),
            format!("{} of {}", side.answer.rounds.complete, side.answer.rounds.planned),
            format::count(side.answer.at.rows),
            side.run.kurabe.clone(),
        ]
    };
    let titles = [Word::Run, Word::Folder, Word::Study, Word::StartOfRun, Word::Rounds, Word::Rows, Word::Kurabe];
    Table::texts(titles, sides.iter().enumerate().map(row))
}

/// Machines and devices of the runs side by side, a column a run.
pub(crate) fn machines(sides: &[Side<'_>]) -> Table {
    let facts = |side: &Side<'_>| [machine(&side.run.machine).rows, device(&side.run.device).rows].concat();
    let columns: Vec<Vec<Row>> = sides.iter().map(facts).collect();
    let names: Vec<Text> = columns.first().into_iter().flatten().map(|row| row.cells[0].clone()).collect();
    let runs = (1..=sides.len()).map(|run| Text::from(Word::Run).then(format!(" {run}")));
    let titles = std::iter::once(Text::from(Word::Fact)).chain(runs);
    let value = |column: &Vec<Row>, at: usize| column.get(at).map_or_else(Text::default, |row| row.cells[1].clone());
    let rows = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| std::iter::once(name).chain(columns.iter().map(|column| value(column, at))).collect());
    Table::texts(titles, rows)
}

pub(crate) fn device(device: &kurabe_machine::DeviceProbe) -> Table {
    let verdict = match device.power_verdict() {
        kurabe_machine::PowerVerdict::Plausible => "plausible".to_string(),
        kurabe_machine::PowerVerdict::Refused { reason } => reason,
    };
    let options = if device.mount_options.is_empty() {
        "none that bear on durability".into()
    } else {
        device.mount_options.join(", ")
    };
    let facts = [
        ("file system", device.file_system.clone()),
        ("mount options", options),
        ("free", format::size(device.free_bytes as f64)),
        ("fdatasync p50", format::duration(device.fdatasync_ns_p50 as f64)),
        ("fdatasync p90", format::duration(device.fdatasync_ns_p90 as f64)),
        ("fdatasync max", format::duration(device.fdatasync_ns_max as f64)),
        ("surviving power loss", verdict),
    ];
    Table::facts(facts)
}

/// What a phase does, in a line.
pub(crate) fn work(phase: &Phase) -> String {
    let mut parts = vec![match &phase.work {
        Work::Mix(mix) => {
            let share = |(operation, share): (Operation, u32)| format!("{share} {operation}");
            let shares: Vec<String> = mix.shares().into_iter().map(share).collect();
            format!("mix of {}", shares.join(" and "))
        }
        Work::One(Action::Latest { rows }) => format!("the newest {rows} rows"),
        Work::One(Action::MultiRead { rows }) => format!("read {rows} rows at once"),
        Work::One(Action::Increment) => "add 1 to a counter".into(),
        Work::One(Action::Search(search)) => match search.wanted {
            Wanted::Rows(rows) => format!("a range of about {rows} rows by column {}", search.field),
            Wanted::AtLeast(least) => format!("all rows with at least {least} in column {}", search.field),
        },
        Work::Open { rows: 1 } => "open the store, read one row, close it".into(),
        Work::Open { rows } => format!("open the store, read {rows} rows, close it"),
        Work::Program(program) => format!("whole programs, each: {}", work(program)),
        Work::Load(_) | Work::One(_) => phase.operation().to_string(),
    }];
    parts.extend(phase.end.count().map(|count| format!("{} operations", format::count(count))));
    parts.extend(phase.end.duration_ns().map(|ns| format::duration(ns as f64)));
    parts.extend(phase.warmup.map(|warmup| match warmup {
        Warmup::Count(count) => format!("after {} unmeasured operations", format::count(count)),
        Warmup::DurationNs(ns) => format!("after {} unmeasured", format::duration(ns as f64)),
    }));
    parts.push(format!("{} connection{}", phase.connections, if phase.connections == 1 { "" } else { "s" }));
    if phase.depth > 1 {
        parts.push(format!("{} under way on each", phase.depth));
    }
    if phase.batch > 1 {
        parts.push(format!("{} sent together", phase.batch));
    }
    if phase.writes() {
        parts.push(format!("commit every {}", format::count(phase.commit_every.into())));
    }
    match phase.distribution {
        Distribution::Sequential => {}
        Distribution::Uniform => parts.push("uniform".into()),
        Distribution::Zipfian => parts.push("zipfian".into()),
        Distribution::Hotspot => parts.push("hotspot".into()),
        Distribution::Latest => parts.push("newest rows most often".into()),
        Distribution::One => parts.push("always the same row".into()),
    }
    match phase.load() {
        None | Some(Load::Row) => {}
        Some(Load::Batch { rows }) => parts.push(format!("{rows} rows a request")),
        Some(Load::Bulk { .. }) => parts.push("bulk path".into()),
    }
    if let Some(loading) = phase.loading() {
        parts.extend((loading.passes > 1).then(|| format!("all rows {} times", format::count(loading.passes.into()))));
        parts.extend(match &loading.rows_from {
            RowsFrom::Memory => None,
            RowsFrom::Lines => Some("lines split again".to_string()),
            RowsFrom::Store(store) => Some(format!("rows fetched from {store}")),
        });
    }
    if phase.read_scope == ReadScope::Snapshot {
        parts.push("one snapshot".into());
    }
    if phase.connect == Connect::Each {
        parts.push("a connection for each operation".into());
    }
    format!("{}; closed loop", parts.join(", "))
}

/// Where the rows come from, and what was found in the file if they come from one.
fn data(answer: &Answer, run: &RunRecord) -> String {
    let level = run.plan.configurations.get(answer.at.configuration as usize);
    let fields = level.map_or(0, |level| level.schema.fields.len());
    let rows = format::count(answer.at.rows);
    match &run.data {
        Some(data) => format!("{rows} rows of {fields} fields of a data file. {}.", data.sentences().join(". ")),
        None => {
            let share = format::percent(run.plan.compressible);
            format!("{rows} rows of {fields} fields; {share} of the filler compresses away.")
        }
    }
}

pub(crate) fn method(answer: &Answer, run: &RunRecord) -> Vec<String> {
    let mut minimum = match run.plan.durability {
        MinimumDurability::Default => {
            "Every store ran as it is shipped; phases that write are ranked within a level of durability.".to_string()
        }
        asked => format!(
            "Every store ran its cheapest setting of durability {}: {}. One without such a setting ran a stronger one.",
            english::quoted_minimum(asked),
            english::minimum(asked)
        ),
    };
    if answer.candidates.iter().any(|candidate| !candidate.weakened.is_empty()) {
        minimum.push_str(" Where other settings, the data directory or the commits themselves speak against that, the store keeps less.");
    }
    vec![
            format!(
                "{} of {} rounds are complete. In each round every candidate has one job, in fresh processes on fresh data, in an order drawn with seed {}; one whose job failed is not tried again.",
                answer.rounds.complete, answer.rounds.planned, run.plan.seed
            ),
        data(answer, run),
        minimum,
            "Rate: operations completed over the time from the first start to the last end. A figure is the geometric mean over rounds; its interval is Student's t at 95 % on the log scale.".into(),
            "Ratios are paired by round. Candidates whose ratio's interval includes 1 share a rank. Intervals of ratios allow for the number of pairs that are compared (Holm's step-down), so that at most one ranking in twenty shows a difference that is not there.".into(),
            "Latencies are merged over rounds, never averaged; a percentile is shown only with ten operations beyond it, with its order-statistic interval.".into(),
            format!("A wrong answer in any round costs the rank, and so does a client that gives up; {} failed operations a phase are allowed, none in a load.", format::count(run.plan.allowed_errors)),
        ]
}
