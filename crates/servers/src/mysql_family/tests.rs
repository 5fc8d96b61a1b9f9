use kurabe_protocol::schema::{Field, Schema};
use kurabe_protocol::{Job, Layout};

use super::*;

fn job(store: &str, url: Option<&str>, variant: Option<&str>) -> Job {
    serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": store, "store": store, "wire": store, "variant": variant}, "rows": 10,
        "schema": Schema::key_value(100), "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url,
        "limits": {"call_ns": 1_000_000_000, "operation_ns": 1}, "phases": [],
    }))
    .unwrap()
}

fn open(job: &Job) -> Result<Server, StoreError> {
    Server::open(job, &Arc::new(Layout::new(&job.schema)))
}

#[test]
fn a_bad_address_is_refused_without_its_password() {
    let error =
        open(&job("mariadb", Some("mysql://me:secret@host:notaport/db"), None)).err().expect("refused").to_string();
    assert!(!error.contains("secret") && error.contains("mysql://"), "{error}");
    assert!(open(&job("mysql", None, None)).is_err());
}

#[test]
fn unknown_variants_and_settings_are_refused_by_name() {
    let url = Some("mysql://root@127.0.0.1:1/test");
    let error = open(&job("mariadb", url, Some("csv"))).err().expect("refused").to_string();
    assert!(error.contains("'csv'") && error.contains("innodb"), "{error}");
    let mut job = job("mariadb", url, Some("aria"));
    job.settings.insert("colour".into(), "red".into());
    assert!(open(&job).err().expect("refused").to_string().contains("'colour'"));
}

#[test]
fn mysql_has_its_own_engines_and_words() {
    let url = Some("mysql://root@127.0.0.1:1/test");
    assert!(open(&job("mysql", url, Some("archive"))).is_ok());
    let error = open(&job("mysql", url, Some("falcon"))).err().expect("refused").to_string();
    assert!(error.ends_with("there are innodb, myisam, aria, rocksdb, archive, blackhole"), "{error}");
    let mut job = job("mysql", url, None);
    job.settings.insert("colour".into(), "red".into());
    assert!(open(&job).err().expect("refused").to_string().starts_with("mysql has no setting 'colour'"));
}

#[test]
fn limits_of_a_session_are_in_the_units_of_each_product() {
    let limit = Duration::from_millis(1500);
    assert_eq!(Dialect::Mariadb.limits(limit), "max_statement_time = 1.5");
    assert!(Dialect::Mysql.limits(limit).starts_with("max_execution_time = 1500, innodb_lock_wait_timeout = 2,"));
    assert!(Dialect::Mysql.limits(Duration::from_nanos(1)).starts_with("max_execution_time = 1, "), "0 is no limit");
}

#[test]
fn a_server_that_is_not_there_is_a_lost_connection() {
    let store = open(&job("mariadb", Some("mysql://root@127.0.0.1:1/test"), None)).unwrap();
    assert!(matches!(store.ping(), Err(StoreError::Disconnected(_))), "{:?}", store.ping());
}

#[test]
fn statements_quote_names_and_types_follow_lengths() {
    let mut schema = Schema {
        fields: vec![
            Field::new("key", FieldType::Text, None),
            Field { indexed: true, ..Field::new("order", FieldType::Int64, None) },
            Field::new("short", FieldType::Text, Some(30)),
            Field::new("body", FieldType::Bytes, Some(1 << 20)),
        ],
    };
    let table = Table::new("user", &schema, &Layout::new(&schema), Engine::Aria);
    assert_eq!(
        table.create()[0],
        "CREATE TABLE `user` (`key` VARCHAR(11) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, \
         `order` BIGINT NOT NULL, `short` VARCHAR(30) NOT NULL, `body` MEDIUMBLOB NOT NULL, PRIMARY KEY (`key`), \
         KEY (`order`)) ENGINE=Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    );
    assert_eq!(table.rows.update(), "UPDATE `user` SET `order` = ?, `short` = ?, `body` = ? WHERE `key` = ?");
    assert_eq!(table.select_many(2), format!("{} WHERE `key` IN (?, ?)", table.rows.scan()));
    assert_eq!(table.add(), "UPDATE `user_counters` SET count = count + 1 WHERE id = ?");
    schema.fields.extend((0..80).map(|number| Field::new(&format!("f{number}"), FieldType::Text, Some(255))));
    let wide = Table::new("user", &schema, &Layout::new(&schema), Engine::Innodb);
    assert!(wide.create()[0].contains("`short` TEXT"), "short fields that do not fit together are TEXT");
}

#[test]
fn a_session_has_a_mode_of_its_own_whatever_that_of_the_server_is() {
    for version in ["10.11.6-MariaDB", "8.4.2"] {
        let session = Dialect::of(version).session(Duration::ZERO);
        assert!(session.contains("sql_mode = 'STRICT_TRANS_TABLES,"), "{session}");
        assert!(session.contains("NO_AUTO_VALUE_ON_ZERO") && !session.contains("@@"), "{session}");
    }
}
