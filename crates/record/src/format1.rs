//! Records of format 1, as they are read: a list of sizes where there are levels now, and rows where jobs name a level.

use serde_json::{Map, Value, json};

/// The keys of a run that are in its plan now.
const OF_PLAN: [&str; 10] = [
    "study",
    "title",
    "seed",
    "budget_ns",
    "quiet_wait_ns",
    "cache_mb",
    "transport",
    "durability",
    "compressible",
    "allowed_errors",
];

/// What a `run.json` of format 1 says, as format 2 says it. Whatever is missing is told when the result is read.
pub(crate) fn run(old: Value) -> Value {
    let Value::Object(mut run) = old else { return old };
    let mut take = |key: &str| run.remove(key);
    let (rows, rounds, phases, schema) = (take("rows"), take("rounds"), take("phases"), take("schema"));
    let mut sizes = match take("smaller_sizes") {
        Some(Value::Array(sizes)) => sizes,
        _ => Vec::new(),
    };
    sizes.push(json!({"rows": rows, "rounds": rounds, "phases": phases}));
    let several = sizes.len() > 1;
    let values: Vec<Value> = sizes.iter().map(|size| size["rows"].clone()).collect();
    let level = |mut size: Value| {
        if several {
            size["coordinates"] = json!([{"axis": "rows", "value": size["rows"]}]);
        }
        size["schema"] = schema.clone().unwrap_or_default();
        size
    };
    let mut plan: Map<String, Value> =
        OF_PLAN.iter().filter_map(|key| Some(((*key).to_string(), run.remove(*key)?))).collect();
    if several {
        plan.insert("axes".into(), json!([{"name": "rows", "makes": "levels", "values": values}]));
    }
    plan.insert("levels".into(), sizes.into_iter().map(level).collect());
    run.insert("plan".into(), Value::Object(plan));
    Value::Object(run)
}

/// An entry of format 1, as format 2 says it. `rows` are those of the run's levels.
pub(crate) fn entry(mut old: Value, rows: &[u64]) -> Value {
    for kind in ["job", "cut"] {
        let Some(Value::Object(one)) = old.get_mut(kind) else { continue };
        let asked = one.remove("rows").and_then(|rows| rows.as_u64());
        let level = asked.and_then(|asked| rows.iter().position(|rows| *rows == asked));
        one.extend(level.map(|level| ("level".to_string(), json!(level))));
    }
    old
}
