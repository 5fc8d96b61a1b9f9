use kurabe_protocol::schema::{Field, Schema};
use kurabe_protocol::{FieldType, Job, Layout};

use super::*;

fn job(url: Option<&str>) -> Job {
    serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "postgres", "store": "postgres", "wire": "postgres"},
        "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url,
        "limits": {"call_ns": 1_000_000_000, "operation_ns": 1}, "phases": [],
    }))
    .unwrap()
}

fn open(url: Option<&str>) -> Result<Postgres<Pipelined>, StoreError> {
    let job = job(url);
    let layout = Arc::new(Layout::new(&job.schema));
    Postgres::open(&job, &layout)
}

#[test]
fn a_bad_address_is_refused_without_its_password() {
    let error = open(Some("postgresql://me:secret@host:notaport/db")).err().expect("refused").to_string();
    assert!(!error.contains("secret") && error.contains("postgresql://"), "{error}");
    assert!(open(None).is_err());
}

#[test]
fn a_server_that_is_not_there_is_a_lost_connection() {
    let store = open(Some("postgresql://postgres@localhost:5432/postgres?host=/nowhere")).unwrap();
    assert!(matches!(store.ping(), Err(StoreError::Disconnected(_))), "{:?}", store.ping());
    let phase = Phase::new("read", kurabe_protocol::Action::Read, kurabe_protocol::End::Count(1));
    let lanes = kurabe_client::adapter::InFlight::connect(&store, &phase, 1);
    assert!(matches!(lanes.err(), Some(StoreError::Disconnected(_))));
}

#[test]
fn statements_quote_names_and_number_their_parameters() {
    let field = Field::new;
    let schema = Schema {
        fields: vec![
            field("key", FieldType::Text, None),
            field("order", FieldType::Int64, None),
            field("body", FieldType::Bytes, Some(30)),
        ],
    };
    let table = Table::new("user", &schema, &Layout::new(&schema), false);
    assert_eq!(
        table.create(),
        r#"CREATE TABLE "user" ("key" text NOT NULL COLLATE "C", "order" int8 NOT NULL, "body" bytea NOT NULL, PRIMARY KEY ("key")); CREATE TABLE "user_counters" (id int8 PRIMARY KEY, count int8 NOT NULL)"#
    );
    assert_eq!(table.rows.update(), r#"UPDATE "user" SET "order" = $2, "body" = $3 WHERE "key" = $1"#);
    assert_eq!(table.rows.select(), r#"SELECT "order", "body" FROM "user" WHERE "key" = $1"#);
    assert_eq!(
        table.insert_many(),
        r#"INSERT INTO "user" ("key", "order", "body") SELECT * FROM unnest($1::text[], $2::int8[], $3::bytea[])"#
    );
}

#[test]
fn words_of_a_pooler_and_of_a_server_that_wants_tls_come_with_what_helps() {
    for (words, way) in [
        ("unsupported startup parameter: options (SQLSTATE 08P01)", "ignore_startup_parameters = options"),
        ("no pg_hba.conf entry for host \"h\", no encryption (SQLSTATE 28000)", "sslmode=require"),
        ("query_wait_timeout (SQLSTATE 08P01)", "default_pool_size"),
        ("prepared statement \"s0\" already exists (SQLSTATE 42P05)", "pool_mode = session"),
        ("prepared statement \"s0\" does not exist (SQLSTATE 26000)", "max_prepared_statements"),
        ("error performing TLS handshake: invalid peer certificate: UnknownIssuer", "tls=unverified"),
    ] {
        let said = with_way_out(words.into());
        assert!(said.starts_with(words) && said.contains(way), "{said}");
    }
    let other = "division by zero (SQLSTATE 22012)";
    assert_eq!(with_way_out(other.into()), other);
}
