//! Which phases a client can do, told from its receipt alone.

use kurabe_protocol::{Capabilities, LoadPath, Operation, Phase, Schema};

/// What `phase` needs that the client lacks, in words; `None` where it lacks nothing.
pub(crate) fn lacking(phase: &Phase, capabilities: &Capabilities, processes: u32) -> Option<String> {
    let missing = Operation::ALL
        .into_iter()
        .filter(|operation| *operation != Operation::Mix)
        .find(|operation| phase.does(*operation) && !capabilities.operations.contains(operation));
    if let Some(operation) = missing {
        return Some(format!("no {operation}"));
    }
    if phase.operation == Operation::Load
        && phase.load_path != LoadPath::Row
        && !capabilities.load_paths.contains(&phase.load_path)
    {
        return Some(format!("no load path {:?}", phase.load_path).to_lowercase());
    }
    if phase.does(Operation::Read) && !capabilities.read_scopes.contains(&phase.read_scope) {
        return Some(format!("no read scope {:?}", phase.read_scope).to_lowercase());
    }
    if phase.depth > capabilities.max_depth {
        return Some(format!("depth {} (at most {})", phase.depth, capabilities.max_depth));
    }
    if phase.batch > 1 && !capabilities.batch {
        return Some("no batch".into());
    }
    if phase.connections.div_ceil(processes) > capabilities.max_connections {
        return Some(format!("{} connections (at most {})", phase.connections, capabilities.max_connections));
    }
    None
}

/// What the data needs that the client lacks: then no phase can run.
pub(crate) fn lacking_for_data(
    schema: &Schema,
    value_bytes: usize,
    capabilities: &Capabilities,
    processes: u32,
) -> Option<String> {
    let key = schema.key().field_type;
    if !capabilities.key_types.contains(&key) {
        return Some(format!("no key of type {key:?}").to_lowercase());
    }
    if value_bytes as u64 > capabilities.max_value_bytes {
        return Some(format!("a value has {value_bytes} bytes, at most {} fit", capabilities.max_value_bytes));
    }
    (processes > 1 && !capabilities.processes).then(|| "several processes cannot share it".to_string())
}
