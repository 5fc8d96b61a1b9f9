//! Which phases a client can do, told from its hello alone.

use kurabe_messages::{Message, message};
use kurabe_protocol::{
    Capabilities, Connect, Distribution, FieldType, Layout, Load, LoadPath, LoadTool, Operation, Phase, Warmup,
};
use kurabe_record::{Configuration, PhasePlan};
use kurabe_study::Study;

/// What `phase` needs that the client lacks; `None` where it lacks nothing.
pub(crate) fn lacking(phase: &Phase, capabilities: &Capabilities, processes: u32) -> Option<Message> {
    let phase = phase.in_client();
    let missing = Operation::ALL
        .into_iter()
        .filter(|operation| *operation != Operation::Mix)
        .find(|operation| phase.does(*operation) && !capabilities.operations.contains(operation));
    if let Some(operation) = missing {
        return Some(message!(run_lacks_operation, operation));
    }
    let by_tool = capabilities.load_tool.as_ref().and_then(|tool| lacking_of_tool(phase, tool));
    if by_tool.is_some() {
        return by_tool;
    }
    let path = phase.load().map(Load::path).filter(|path| *path != LoadPath::Row);
    if let Some(path) = path.filter(|path| !capabilities.load_paths.contains(path)) {
        return Some(message!(run_lacks_load_path, path));
    }
    if phase.open_rows().is_some_and(|rows| rows > 1) && !capabilities.open_rows {
        return Some(message!(run_lacks_open_rows));
    }
    if phase.loading().is_some_and(|loading| loading.passes > 1) && !capabilities.passes {
        return Some(message!(run_lacks_passes));
    }
    if phase.does(Operation::Read) && !capabilities.read_scopes.contains(&phase.read_scope) {
        return Some(message!(run_lacks_read_scope, scope = phase.read_scope));
    }
    if phase.connect == Connect::Each {
        if !capabilities.reconnects {
            return Some(message!(run_lacks_reconnect));
        }
        if phase.depth > 1 || phase.batch > 1 {
            return Some(message!(run_lacks_reconnect_many));
        }
    }
    let gives_many = [Operation::Scan, Operation::Latest, Operation::Search].into_iter().find(|kind| phase.does(*kind));
    let beside_writers = phase.connections > 1 && phase.writes_rows() && !capabilities.scans_beside_writers;
    if let Some(operation) = gives_many.filter(|_| beside_writers) {
        return Some(message!(run_lacks_beside_writers, operation));
    }
    if phase.schedule.is_some() && !capabilities.schedules {
        return Some(message!(run_lacks_schedule));
    }
    if phase.think_ns.is_some() && !capabilities.thinks {
        return Some(message!(run_lacks_think));
    }
    if phase.depth > capabilities.max_depth {
        return Some(message!(run_lacks_depth, depth = phase.depth, most = capabilities.max_depth));
    }
    if phase.batch > 1 && !capabilities.batch {
        return Some(message!(run_lacks_batch));
    }
    if phase.connections.div_ceil(processes) > capabilities.max_connections {
        let (connections, most) = (phase.connections, capabilities.max_connections);
        return Some(message!(run_lacks_connections, connections, most));
    }
    None
}

/// What a load tool cannot be asked for in a phase. Loads are Kurabe's own; what the tool does at all is told by its
/// operations.
fn lacking_of_tool(phase: &Phase, tool: &LoadTool) -> Option<Message> {
    if phase.loading().is_some() {
        return None;
    }
    let is_whole = |ns: &u64| *ns > 0 && ns.is_multiple_of(1_000_000_000);
    if phase.mix().is_some() {
        return Some(message!(run_lacks_mix));
    }
    if phase.end.count().is_some() || !phase.end.duration_ns().is_some_and(|ns| is_whole(&ns)) {
        return Some(message!(run_lacks_other_end));
    }
    if matches!(phase.warmup, Some(Warmup::Count(_))) {
        return Some(message!(run_lacks_other_warmup));
    }
    if phase.commit_every > 1 && phase.writes() {
        return Some(message!(run_lacks_commits));
    }
    let draws = !phase.does(Operation::Latest);
    if draws && !tool.distributions.contains(&phase.distribution) {
        let known: Vec<String> = tool.distributions.iter().map(Distribution::to_string).collect();
        return Some(message!(run_lacks_distribution, distribution = phase.distribution, known));
    }
    None
}

/// Why a phase cannot be judged where several processes work on the job: of rows each of them knows what it did to its own.
/// Which those are goes by the most connections of any phase, so in a phase of fewer a row has another's version.
pub(crate) fn lacking_among_processes(phases: &[PhasePlan], at: usize, processes: u32) -> Option<Message> {
    let phase = &phases[at].phase;
    let most = phases.iter().map(|plan| plan.phase.connections).max().unwrap_or(1);
    if processes == 1 || phase.connections == most || phase.operation() == Operation::Load {
        return None;
    }
    let does = |phase: &Phase, kinds: &[Operation]| kinds.iter().any(|kind| phase.does(*kind));
    let writes = |plan: &PhasePlan| does(&plan.phase, &[Operation::Insert, Operation::Update, Operation::Delete]);
    let many = [Operation::Scan, Operation::Latest];
    let one = [Operation::Read, Operation::MultiRead, Operation::Open, Operation::Search];
    let changes = does(phase, &[Operation::Update, Operation::Delete]);
    let reads_changed = (does(phase, &one) || does(phase, &many)) && phases[..at].iter().any(writes);
    let counts_later = writes(&phases[at]) && phases[at + 1..].iter().any(|plan| does(&plan.phase, &many));
    (changes || reads_changed || counts_later)
        .then(|| message!(run_lacks_shared_knowledge, connections = phase.connections, most))
}

/// What the data or the load needs that the client lacks: then no phase can run.
pub(crate) fn lacking_for_all(
    study: &Study,
    config: &Configuration,
    capabilities: &Capabilities,
    processes: u32,
) -> Option<Message> {
    let load = || {
        let load = config.phases.iter().find(|plan| plan.phase.operation() == Operation::Load)?;
        lacking(&load.phase, capabilities, processes).map(|what| message!(run_lacks_for_load, what))
    };
    lacking_for_data(study, config, capabilities, processes).or_else(load)
}

fn lacking_for_data(
    study: &Study,
    config: &Configuration,
    capabilities: &Capabilities,
    processes: u32,
) -> Option<Message> {
    let layout = Layout::new(&config.schema);
    let key = config.schema.key().field_type;
    if !capabilities.key_types.contains(&key) {
        return Some(message!(run_lacks_key_type, kind = key));
    }
    if !config.encoding.is_raw() && capabilities.keeps_columns {
        return Some(message!(run_keeps_columns));
    }
    if !capabilities.encodings.contains(&config.encoding) {
        return Some(message!(run_lacks_encoding, encoding = config.encoding));
    }
    if study.data.is_some() && !capabilities.own_data {
        return Some(message!(run_lacks_data_file));
    }
    let key_bytes = match &study.data {
        Some(data) => u64::from(data.files.longest_key_bytes),
        None => layout.keys().longest_bytes() as u64,
    };
    if key == FieldType::Text && key_bytes > capabilities.max_key_bytes {
        return Some(message!(run_lacks_long_keys, bytes = key_bytes, most = capabilities.max_key_bytes));
    }
    if layout.len_bytes() as u64 > capabilities.max_value_bytes {
        let (bytes, most) = (layout.len_bytes(), capabilities.max_value_bytes);
        return Some(message!(run_lacks_long_values, bytes, most));
    }
    let may_be_empty = study.data.is_some() || config.schema.values().iter().any(|field| field.len_bytes == Some(0));
    if may_be_empty && !capabilities.empty_values {
        return Some(message!(run_lacks_empty_values));
    }
    let shared = processes > 1 && (!capabilities.processes || study.data.is_some());
    shared.then(|| message!(run_lacks_sharing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_protocol::{Action, End, Work};

    #[test]
    fn a_load_tool_is_asked_for_nothing_but_whole_seconds_of_one_operation() {
        let tool = LoadTool { distributions: vec![Distribution::One] };
        let capabilities = Capabilities { load_tool: Some(tool), reconnects: true, ..Capabilities::default() };
        let lacks = |phase: Phase| lacking(&phase, &capabilities, 1);
        let seconds = End::DurationNs(2_000_000_000);
        let read = Phase { distribution: Distribution::One, ..Phase::new("p", Action::Read, seconds) };
        assert_eq!(lacks(read.clone()), None);
        assert_eq!(lacks(Phase { warmup: Some(Warmup::DurationNs(1)), connect: Connect::Each, ..read.clone() }), None);
        assert_eq!(lacks(Phase::new("p", Action::Latest { rows: 9 }, seconds)), None, "no row is drawn");
        let load = Load::Row;
        assert_eq!(lacks(Phase::new("p", load, End::Count(8))), None, "Kurabe loads");
        let mix = kurabe_protocol::Mix::new([(Action::Read, 1), (Action::Update, 1)]).expect("a mix");
        for (phase, words) in [
            (Phase { end: End::Count(8), ..read.clone() }, "no end but by time"),
            (Phase { end: End::First { count: 8, duration_ns: 2_000_000_000 }, ..read.clone() }, "no end but by time"),
            (Phase { end: End::DurationNs(2_500_000_000), ..read.clone() }, "in whole seconds"),
            (Phase { end: End::DurationNs(0), ..read.clone() }, "in whole seconds"),
            (Phase { warmup: Some(Warmup::Count(8)), ..read.clone() }, "no warm-up but by time"),
            (Phase { distribution: Distribution::Zipfian, ..read.clone() }, "no distribution zipfian; it has one"),
            (Phase { commit_every: 2, ..Phase::new("p", Action::Update, seconds) }, "no commit of several writes"),
            (Phase::new("p", Work::Mix(mix), seconds), "no mix"),
            (Phase { depth: 2, ..read.clone() }, "depth 2"),
            (Phase { batch: 2, ..read }, "no batch"),
        ] {
            let told = lacks(phase).expect(words).to_string();
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn processes_are_asked_for_nothing_that_one_of_them_cannot_know() {
        let of = |work: Work, connections: u32| {
            PhasePlan::new(Phase { connections, ..Phase::new("p", work, End::Count(8)) }, true)
        };
        let load = PhasePlan::new(Phase::new("load", Load::Row, End::Count(8)), true);
        let lacks = |phases: &[PhasePlan], processes: u32| -> Vec<bool> {
            (0..phases.len()).map(|at| lacking_among_processes(phases, at, processes).is_some()).collect()
        };
        let open = || Work::Open { rows: 1 };
        let phases =
            [load.clone(), of(open(), 1), of(Action::Update.into(), 4), of(open(), 1), of(Action::Read.into(), 4)];
        assert_eq!(lacks(&phases, 4), [false, false, false, true, false]);
        assert_eq!(lacks(&phases, 1), [false; 5], "threads of one process share what they know");
        let inserts = [
            load,
            of(Action::Insert { first_row: 8 }.into(), 1),
            of(Action::Increment.into(), 1),
            of(Action::Scan.into(), 4),
        ];
        assert_eq!(lacks(&inserts, 4), [false, true, false, false]);
        let apart = [inserts[0].clone(), of(Action::Delete.into(), 2), of(Action::Read.into(), 4)];
        assert_eq!(lacks(&apart, 4), [false, true, false]);
    }
}
