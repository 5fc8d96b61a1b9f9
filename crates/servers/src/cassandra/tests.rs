use kurabe_protocol::schema::{Field, FieldType, Schema};
use kurabe_protocol::{Job, Layout};

use super::*;

fn open(url: Option<&str>) -> Result<Cassandra, StoreError> {
    let job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "cassandra", "store": "cassandra", "wire": "cassandra"},
        "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url,
        "limits": {"call_ns": 1_000_000_000, "operation_ns": 1}, "phases": [],
    }))
    .unwrap();
    let layout = Arc::new(Layout::new(&job.schema));
    Cassandra::open(&job, &layout)
}

#[test]
fn a_bad_address_is_refused_without_its_password() {
    for url in ["cassandra://me:secret@host:notaport", "cql://me:secret@host", "cassandra://me:secret@host/a/b"] {
        let error = open(Some(url)).err().expect("refused").to_string();
        assert!(!error.contains("secret") && error.contains("cassandra://"), "{error}");
    }
    assert!(open(None).is_err());
}

#[test]
fn a_server_that_is_not_there_is_a_lost_connection() {
    let store = open(Some("cassandra://127.0.0.1:1")).unwrap();
    assert!(matches!(store.ping(), Err(StoreError::Disconnected(_))), "{:?}", store.ping());
}

#[test]
fn statements_quote_names_and_ranges_without_an_index_say_so() {
    let field = Field::new;
    let mut schema = Schema {
        fields: vec![
            field("key", FieldType::Text, None),
            field("order", FieldType::Int64, None),
            field("body", FieldType::Bytes, Some(30)),
        ],
    };
    let table = Table::new("ks", "user", &schema, &Layout::new(&schema));
    assert_eq!(table.rows.update(), r#"UPDATE "ks"."user" SET "order" = ?, "body" = ? WHERE "key" = ?"#);
    assert_eq!(table.rows.select(), r#"SELECT "order", "body" FROM "ks"."user" WHERE "key" = ?"#);
    assert!(table.search(1).ends_with(r#"WHERE "order" >= ? AND "order" <= ? ALLOW FILTERING"#));
    assert_eq!(table.create().len(), 2);
    schema.fields[1].indexed = true;
    let table = Table::new("ks", "user", &schema, &Layout::new(&schema));
    assert!(table.search(1).ends_with(r#""order" <= ?"#));
    assert_eq!(table.create()[2], r#"CREATE INDEX ON "ks"."user" ("order") USING 'sai'"#);
}

#[test]
fn what_a_user_may_not_do_is_told_apart_from_other_errors() {
    use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
    let told = |kind| {
        let words = "User few has no SELECT permission".to_string();
        session::store_error(&ExecutionError::LastAttemptError(RequestAttemptError::DbError(kind, words)))
    };
    assert!(matches!(told(DbError::Unauthorized), StoreError::Denied(words) if words.contains("no SELECT")));
    assert!(matches!(told(DbError::Invalid), StoreError::Store(_)));
}
