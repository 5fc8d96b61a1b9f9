use kurabe_protocol::schema::{Field, Schema};
use kurabe_protocol::{FieldType, Layout, Pool};

use super::*;
use kurabe_client::adapter::{Key, Row, RowBuffer};

fn job(url: Option<&str>, settings: serde_json::Value) -> Job {
    serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "mongodb", "store": "mongodb", "wire": "mongodb"},
        "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url, "settings": settings,
        "limits": {"call_ns": 300_000_000, "operation_ns": 1}, "phases": [],
    }))
    .unwrap()
}

fn open(url: Option<&str>, settings: serde_json::Value) -> Result<Mongodb, StoreError> {
    let job = job(url, settings);
    let layout = Arc::new(Layout::new(&job.schema));
    Mongodb::open(&job, &layout)
}

#[test]
fn a_bad_address_is_refused_without_its_password() {
    let error = open(Some("mongodb://me:secret@host:notaport/db"), serde_json::json!({})).err().expect("refused");
    let error = error.to_string();
    assert!(!error.contains("secret") && error.contains("mongodb://"), "{error}");
    assert!(open(None, serde_json::json!({})).is_err());
}

#[test]
fn a_setting_that_is_not_known_is_refused_by_name() {
    let url = Some("mongodb://127.0.0.1:1");
    let error = open(url, serde_json::json!({"writeconcern": "w1"})).err().expect("refused").to_string();
    assert!(error.contains("'writeconcern'"), "{error}");
    let error = open(url, serde_json::json!({"write_concern": "w2"})).err().expect("refused").to_string();
    assert!(error.contains("'w2'") && error.contains("journaled"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_a_lost_connection() {
    for url in ["mongodb://127.0.0.1:1", "mongodb:///nowhere/at/all.sock"] {
        let store = open(Some(url), serde_json::json!({})).unwrap();
        assert!(matches!(store.ping(), Err(StoreError::Disconnected(_))), "{:?}", store.ping());
    }
}

#[test]
fn what_goes_into_a_document_comes_out_of_it() {
    let field = Field::new;
    let schema = Schema {
        fields: vec![
            field("key", FieldType::Text, None),
            field("number", FieldType::Int64, None),
            field("text", FieldType::Text, Some(30)),
            field("none", FieldType::Text, Some(0)),
            field("bytes", FieldType::Bytes, Some(40)),
        ],
    };
    let layout = Layout::new(&schema);
    let pool = Pool::new(&kurabe_protocol::value::pool_bytes(1, 0.0), &layout).unwrap();
    let key = Key::new(7, &layout);
    let mut raw = vec![0; layout.room_bytes()];
    layout.write_row(&pool, key.seed(), 3, &mut raw);
    let row = Row { key, version: 3, raw: &raw[..layout.len_bytes()], layout: &layout };
    let shape = Shape::new("ns", &schema, &layout, KeyPlace::Id).unwrap();
    let document = shape.document(&row);
    let (seen, fields) = shape.returned_key(&document).unwrap();
    assert_eq!(layout.keys().row(seen), 7);
    let mut out = RowBuffer::new(&layout);
    shape.copy(fields, &mut out).unwrap();
    assert_eq!(out.raw(), row.raw);
    // A document of another shape is told, not half copied.
    let own = Shape::new("ns", &schema, &layout, KeyPlace::IndexedBefore).unwrap();
    assert!(own.returned_key(&document).is_err());
}
