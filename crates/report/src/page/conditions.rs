//! What a phase does and under which conditions, in a line.

use kurabe_messages::{Item, Message, message};
use kurabe_protocol::{Action, Connect, Distribution, Load, Operation, Phase, ReadScope, RowsFrom, Warmup, Work};

use kurabe_record::PhasePlan;

use crate::format;
use crate::headline;

/// The work of a planned phase and its conditions.
pub(crate) fn of_plan(plan: &PhasePlan) -> Message {
    let Some(search) = &plan.rate_search else { return conditions(&plan.phase) };
    // Its rate is where the search begins, if not elsewhere.
    let phase = Phase { schedule: None, ..plan.phase.clone() };
    let (work, objective) = (parts(&phase), message!(table_conditions_search, objective = search.slo));
    message!(table_series, items = work.into_iter().chain([objective.into()]).collect::<Vec<Item>>())
}

/// The work of a phase and its conditions.
fn conditions(phase: &Phase) -> Message {
    let loops = arrivals(phase).into_iter().map(Item::from);
    message!(table_series, items = parts(phase).into_iter().chain(loops).collect::<Vec<Item>>())
}

/// All but which loop it is.
fn parts(phase: &Phase) -> Vec<Item> {
    let mut parts: Vec<Item> = vec![work(phase)];
    parts.extend(phase.end.count().map(|operations| message!(table_conditions_operations, operations).into()));
    parts.extend(phase.end.duration_ns().map(|ns| format::duration(ns as f64).into()));
    parts.extend(modifiers(phase).into_iter().map(Item::from));
    parts
}

fn work(phase: &Phase) -> Item {
    match &phase.work {
        Work::Mix(mix) => {
            let share = |(operation, share): (Operation, u32)| format!("{share} {operation}");
            message!(table_conditions_mix, shares = mix.shares().into_iter().map(share).collect::<Vec<String>>()).into()
        }
        Work::One(Action::Latest { rows }) => message!(table_work_latest, rows = *rows).into(),
        Work::One(Action::MultiRead { rows }) => message!(table_work_multi_read, rows = *rows).into(),
        Work::One(Action::Increment) => message!(table_work_increment).into(),
        Work::One(Action::Search(search)) => headline::search(search).into(),
        Work::Open { rows } => message!(table_work_open, rows = *rows).into(),
        Work::Program(program) => message!(table_work_program, work = conditions(program)).into(),
        Work::Load(_) | Work::One(_) => phase.operation().to_string().into(),
    }
}

fn modifiers(phase: &Phase) -> Vec<Message> {
    let warmup = phase.warmup.map(|warmup| match warmup {
        Warmup::Count(operations) => message!(table_conditions_warmup_operations, operations),
        Warmup::DurationNs(time) => message!(table_conditions_warmup_time, time),
    });
    let connections = message!(table_conditions_connections, connections = phase.connections);
    let depth = (phase.depth > 1).then(|| message!(table_conditions_depth, depth = phase.depth));
    let batch = (phase.batch > 1).then(|| message!(table_conditions_batch, batch = phase.batch));
    let commit = phase.writes().then(|| message!(table_conditions_commit, writes = phase.commit_every));
    let snapshot = (phase.read_scope == ReadScope::Snapshot).then(|| message!(table_conditions_snapshot));
    let connect = (phase.connect == Connect::Each).then(|| message!(table_conditions_connect_each));
    warmup
        .into_iter()
        .chain([connections])
        .chain(depth)
        .chain(batch)
        .chain(commit)
        .chain(distribution(phase.distribution))
        .chain(loading(phase))
        .chain(snapshot)
        .chain(connect)
        .collect()
}

/// Which loop it is, and so from where its latencies count.
fn arrivals(phase: &Phase) -> Vec<Message> {
    let Some(schedule) = &phase.schedule else {
        let thinks = phase.think_ns.map(|time| message!(table_conditions_think, time));
        return thinks.into_iter().chain([message!(table_conditions_closed_loop)]).collect();
    };
    let pattern = schedule.pattern.to_string();
    let ramp = schedule.rate_to.map(|rate| message!(table_conditions_ramp, rate));
    let open_loop = message!(table_conditions_open_loop, rate = schedule.rate, pattern);
    let queue = schedule.queue.map(|queue| message!(table_conditions_queue, queue));
    [open_loop].into_iter().chain(ramp).chain(queue).collect()
}

fn distribution(distribution: Distribution) -> Option<Message> {
    match distribution {
        Distribution::Sequential => None,
        Distribution::Uniform => Some(message!(table_conditions_uniform)),
        Distribution::Zipfian => Some(message!(table_conditions_zipfian)),
        Distribution::Hotspot => Some(message!(table_conditions_hotspot)),
        Distribution::Latest => Some(message!(table_conditions_latest)),
        Distribution::One => Some(message!(table_conditions_one)),
    }
}

/// How rows are loaded, and where they come from.
fn loading(phase: &Phase) -> impl Iterator<Item = Message> {
    let way = match phase.load() {
        None | Some(Load::Row) => None,
        Some(Load::Batch { rows }) => Some(message!(table_conditions_rows_a_request, rows)),
        Some(Load::Bulk { .. }) => Some(message!(table_conditions_bulk)),
    };
    let loading = phase.loading();
    let passes = loading.filter(|loading| loading.passes > 1);
    let passes = passes.map(|loading| message!(table_conditions_passes, passes = loading.passes));
    let source = loading.and_then(|loading| match &loading.rows_from {
        RowsFrom::Memory => None,
        RowsFrom::Lines => Some(message!(table_conditions_lines)),
        RowsFrom::Store(store) => Some(message!(table_conditions_from_store, store)),
    });
    way.into_iter().chain(passes).chain(source)
}
