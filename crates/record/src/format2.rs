//! Records of format 2, as they are read: one ladder of classes where three facts say now what a setting keeps.
//!
//! A class says less than the facts, so each becomes the facts that it stood for at least;
//! [`crate::RunRecord::format`] tells a reader that they were not recorded. Nothing of a record is believed here: what is
//! not of the expected shape stays as it is and is refused when it is read.

use serde_json::{Map, Value, json};

/// What a `run.json` of format 2 says, as format 3 says it.
pub(crate) fn run(mut run: Value) -> Value {
    run.pointer_mut("/plan/durability").map(minimum);
    for store in objects(run.get_mut("stores")) {
        let strongest = store.remove("strongest");
        store.insert("guarantees".into(), strongest.iter().map(guarantee).collect());
    }
    for candidate in objects(run.get_mut("candidates")) {
        if let Some(Value::Object(durability)) = candidate.get_mut("durability") {
            classed(durability);
            durability.insert("proof".into(), json!([]));
        }
        if let Some(Value::Object(asked)) = candidate.get_mut("asked")
            && let Some(mut floor) = asked.remove("floor")
        {
            minimum(&mut floor);
            asked.insert("minimum".into(), floor);
        }
    }
    run
}

/// An entry of format 2, as format 3 says it.
pub(crate) fn entry(mut entry: Value) -> Value {
    objects(entry.pointer_mut("/job/undone")).for_each(classed);
    entry
}

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn classed(one: &mut Map<String, Value>) {
    if let Some(class) = one.remove("class") {
        one.insert("guarantee".into(), guarantee(&class));
    }
}

fn guarantee(class: &Value) -> Value {
    match class.as_str() {
        Some("power") => json!({"kill": "0", "power": "0", "integrity": "I0"}),
        Some("process") => json!({"kill": "0", "power": "writeback", "integrity": "I0"}),
        _ => json!({"kill": "all", "power": "all", "integrity": "I0"}),
    }
}

fn minimum(word: &mut Value) {
    match word.as_str() {
        Some("process") => *word = json!("consistent"),
        Some("none") => *word = json!("cache"),
        _ => {}
    }
}
