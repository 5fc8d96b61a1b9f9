//! The published schemas are those of the types. `KURABE_BLESS=1` rewrites them.

use std::path::Path;

use kurabe_analysis::Answer;
use kurabe_record::{Entry, RunRecord};

fn check(name: &str, schema: &schemars::Schema) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let kept =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}; run with KURABE_BLESS=1"));
    assert!(kept == text, "docs/schema/{name} is not the schema of its type; look at the change, then KURABE_BLESS=1");
}

#[test]
fn the_schema_of_run_json_is_published() {
    check("run.v3.json", &schemars::schema_for!(RunRecord));
}

#[test]
fn the_schema_of_a_line_of_jobs_jsonl_is_published() {
    check("entry.v3.json", &schemars::schema_for!(Entry));
}

#[test]
fn the_schema_of_the_answer_is_published() {
    check("answer.v3.json", &schemars::schema_for!(Answer));
}
