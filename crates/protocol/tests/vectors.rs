//! Writes and compares `vectors/`, the cases that the tests of every client read.
//!
//! `KURABE_BLESS=1 cargo test -p kurabe-protocol` writes them anew after an intended change.

use kurabe_protocol::operation::Pattern;
use kurabe_protocol::value::POOL_BYTES;
use kurabe_protocol::{
    Distribution, Field, FieldType, KeyMap, Layout, Operation, Pool, Schedule, Schema, histogram, stream,
};
use serde_json::{Value, json};
use std::path::PathBuf;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The pool of the vectors, simple enough to be made in any language: byte `i` is `33 + (i * 7919) mod 94`.
fn vector_pool() -> Vec<u8> {
    (0..POOL_BYTES as u64).map(|at| 33 + (at * 7919 % 94) as u8).collect()
}

fn compare_or_bless(name: &str, expected: &Value) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
    let text = a_case_a_line(expected);
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(&path, &text).expect("vectors/ can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the vector file exists; KURABE_BLESS=1 writes it");
    assert_eq!(found, text, "vectors/{name} differs; KURABE_BLESS=1 writes it anew");
}

/// JSON in which each element of the outermost lists has a line.
fn a_case_a_line(all: &Value) -> String {
    let part = |(name, value): (&String, &Value)| match value.as_array() {
        Some(list) => {
            let lines: Vec<String> = list.iter().map(|one| format!("  {one}")).collect();
            format!("{}: [\n{}\n]", json!(name), lines.join(",\n"))
        }
        None => format!("{}: {value}", json!(name)),
    };
    let parts: Vec<String> = all.as_object().expect("an object").iter().map(part).collect();
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

#[test]
fn histogram_buckets() {
    let values: Vec<u64> = (0..53)
        .flat_map(|bit| {
            let power = 1u64 << bit;
            [power.saturating_sub(1), power, power + power / 3]
        })
        .collect();
    let cases: Vec<Value> = values.iter().map(|value| json!([value, histogram::bucket_lowest(*value)])).collect();
    compare_or_bless("histogram.json", &json!({"what": "[latency in ns, lower bound of its bucket]", "cases": cases}));
}

#[test]
fn numbering() {
    let owned: Vec<Value> = [(0, 0, 1), (7, 0, 4), (7, 3, 4), (9_999, 2, 8), (4_294_967_290, 5, 10)]
        .iter()
        .map(|(row, worker, workers)| json!({"row": row, "worker": worker, "workers": workers, "owned": stream::owned(*row, *worker, *workers)}))
        .collect();
    let starts: Vec<Value> = [(0, 1, 4_194_304usize), (1, 3, 4_194_304), (7, 50, 4_194_304), (2, 3, 10)]
        .iter()
        .map(|(worker, workers, len)| json!({"worker": worker, "workers": workers, "len": len, "start": stream::start_of(*worker, *workers, *len)}))
        .collect();
    let workers = [(0, 1, 0), (0, 1, 5), (1, 2, 0), (1, 2, 2), (3, 8, 40)];
    let newest = workers.iter().flat_map(|(worker, workers, inserted)| {
        [0, 1, 6, 13, 9_999, 20_000].map(|distance| {
            let (rows, first_row) = (10_000, 12_000);
            let newest = stream::Newest { rows, first_row, worker: *worker, workers: *workers, inserted: *inserted };
            json!({
                "distance": distance, "rows": rows, "first_row": first_row, "worker": worker, "workers": workers,
                "inserted": inserted, "row": newest.back(distance),
            })
        })
    });
    let newest: Vec<Value> = newest.collect();
    compare_or_bless("numbering.json", &json!({"owned": owned, "stream_start": starts, "back_from_newest": newest}));
}

/// What the harness writes into stream files: the same on every machine, and with every version of a library.
#[test]
fn streams() {
    let rows: Vec<Value> = [Distribution::Uniform, Distribution::Zipfian, Distribution::Hotspot, Distribution::Latest]
        .iter()
        .flat_map(|distribution| {
            [(1u32, 1u64), (1_000, 42), (1_000_000, 7), (4_294_967_295, 3)].map(|(rows, seed)| {
                let bytes = stream::rows_stream(*distribution, rows, seed).expect("a stream");
                let first = bytes.chunks_exact(4).take(8).map(|entry| u32::from_le_bytes(entry.try_into().expect("4")));
                json!({
                    "distribution": distribution, "rows": rows, "seed": seed, "first": first.collect::<Vec<u32>>(),
                    "len": bytes.len(), "crc32": crc32fast::hash(&bytes),
                })
            })
        })
        .collect();
    let kinds = stream::kinds_stream(&[(Operation::Read, 95), (Operation::Update, 5)], 42);
    let kinds = json!({"mix": {"read": 95, "update": 5}, "seed": 42, "first": &kinds[..32], "len": kinds.len(),
        "crc32": crc32fast::hash(&kinds)});
    let seeds: Vec<Value> = [(1, 0, 0), (1, 0, 1), (1, 1, 0), (42, 4, 2), (u64::MAX, 999, 7)]
        .into_iter()
        .map(|(seed, round, phase)| {
            let of = |draws| stream::seed_of(seed, round, phase, draws);
            let (rows, kinds) = (of(stream::StreamKind::Rows), of(stream::StreamKind::Kinds));
            let gaps = of(stream::StreamKind::Gaps);
            json!({"seed": seed, "round": round, "phase": phase, "rows": rows, "kinds": kinds, "gaps": gaps})
        })
        .collect();
    let (bytes, gaps) = (stream::gaps_stream(42), stream::gaps(42));
    let schedule = |pattern| Schedule { rate: 2000, rate_to: None, pattern, queue: None, gaps_stream: None };
    let starts = |pattern| schedule(pattern).starts(&gaps, u64::MAX).take(8).collect::<Vec<u64>>();
    let gaps = json!({"seed": 42, "first": gaps[..8], "len": bytes.len(), "crc32": crc32fast::hash(&bytes), "rate": 2000,
        "poisson_ns": starts(Pattern::Poisson), "constant_ns": starts(Pattern::Constant)});
    compare_or_bless("streams.json", &json!({"rows": rows, "kinds": kinds, "gaps": gaps, "seeds": seeds}));
}

/// The text key of a row; that of an int64 schema is what it would be.
fn text_key(schema: &Schema, row: u32) -> String {
    let mut schema = schema.clone();
    schema.fields[0].field_type = FieldType::Text;
    let mut key = Vec::new();
    KeyMap::new(&schema, None).write_text(row, &mut key);
    String::from_utf8(key).expect("UTF-8")
}

#[test]
fn values() {
    let field = Field::new;
    let wide = Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("title", FieldType::Text, Some(40)),
            field("visits", FieldType::Int64, None),
            field("code", FieldType::Text, Some(3)),
            field("blob", FieldType::Bytes, Some(26)),
        ],
    };
    let mut prefixed = Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("nothing", FieldType::Text, Some(0)),
            field("something", FieldType::Text, Some(26)),
        ],
    };
    prefixed.fields[0].prefix = Some("鍵".into());
    let mut few = Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("kind", FieldType::Int64, None),
            field("one", FieldType::Int64, None),
            field("body", FieldType::Text, Some(30)),
        ],
    };
    (few.fields[0].prefix, few.fields[0].digits) = (Some("prefix_".into()), Some(9));
    (few.fields[1].distinct, few.fields[2].distinct) = (Some(2), Some(1));
    let mut constant = Schema {
        fields: vec![
            field("id", FieldType::Int64, None),
            field("name", FieldType::Text, Some(33)),
            field("visits", FieldType::Int64, None),
            field("blob", FieldType::Bytes, Some(26)),
        ],
    };
    (constant.fields[1].constant, constant.fields[3].constant) = (true, true);
    let mut only_constant = Schema::key_value(30);
    only_constant.fields[1].constant = true;
    let cases: Vec<Value> = [Schema::key_value(1), Schema::key_value(24), Schema::key_value(25), Schema::key_value(60), wide, Schema::key_value(0), prefixed, few, constant, only_constant]
        .iter()
        .flat_map(|schema| {
            let layout = Layout::new(schema);
            let pool = Pool::new(&vector_pool(), &layout).expect("a pool of the right size");
            let schema = schema.clone();
            [(0u32, 0u32), (1, 0), (12_345, 1), (99_999_999, 3), (100_000_000, 7), (4_294_967_295, 4_294_967_295)]
                .into_iter()
                // A row beyond the digits of its key has none.
                .filter(|(row, _)| schema.fields[0].digits.is_none() || *row < 1_000_000_000)
                .collect::<Vec<_>>()
                .into_iter()
                .map(move |(row, version)| {
                    let mut raw = vec![0; layout.len_bytes()];
                    layout.write(&pool, row, version, &mut raw);
                    json!({"schema": schema, "row": row, "version": version, "text_key": text_key(&schema, row), "raw_hex": hex(&raw)})
                })
                .collect::<Vec<_>>()
        })
        .collect();
    compare_or_bless(
        "values.json",
        &json!({"pool": "byte i is 33 + (i * 7919) mod 94, 1048576 bytes", "cases": cases}),
    );
}
