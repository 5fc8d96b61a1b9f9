//! Loads that fetch their rows from another store of the same job.

use kurabe_record::PhaseOutcome;

use crate::common::{Place, assert_refused, finish, here};

const STUDY: &str = r#"
title = "Does it matter where rows come from?"
rows = 2000
rounds = 1
durability = "consistent"
rows_from = "mysql:innodb"
stores = ["sqlite", "redis", "mysql:innodb"]
quiet_wait = "0s"

[[field]]
name = "id"
type = "text"
prefix = "row_"
digits = 9

[[field]]
name = "name"
type = "text"
len_bytes = 30

[[field]]
name = "price"
type = "int64"

[[phase]]
name = "load"
operation = "load"
commit_every = 100
fetch = true
deciding = true

[[phase]]
name = "read"
operation = "read"
count = 2000
"#;

#[test]
fn rows_come_from_a_service_of_their_own_and_are_those_that_are_written() {
    if !here(&["redis", "mysql:innodb"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(STUDY, &[]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let (load, read) = (&job.phases[0], &job.phases[1]);
        assert_eq!((&load.outcome, &read.outcome), (&PhaseOutcome::Ran, &PhaseOutcome::Ran), "{}", job.candidate);
        // Each row that was fetched was looked at.
        assert_eq!(load.results[0].checks.checked, 2000, "{}", job.candidate);
        assert_eq!(load.results[0].checks.failed() + read.results[0].checks.failed(), 0, "{}", job.candidate);
        let used = load.rows_from.as_ref().unwrap_or_else(|| panic!("{}: no other service", job.candidate));
        assert!(used.cpu_ns > Some(0) && used.processes > 0, "{}: {used:?}", job.candidate);
        assert_eq!(load.service.is_some(), job.candidate != "sqlite", "the store's own is apart");
    }
    place.assert_nothing_is_left();
}

#[test]
fn what_cannot_be_fetched_is_refused() {
    let place = Place::new();
    let without = STUDY.replace("rows_from = \"mysql:innodb\"\n", "");
    assert_refused(&place, &without, &[], &["rows_from = \"mysql:innodb\""]);
    let of_redis = STUDY.replace("rows_from = \"mysql:innodb\"", "rows_from = \"redis\"");
    assert_refused(&place, &of_redis, &[], &["rows_from takes a store", "mysql", "got 'redis'"]);
    let unknown = STUDY.replace("rows_from = \"mysql:innodb\"", "rows_from = \"mysql:inodb\"");
    assert_refused(&place, &unknown, &[], &["did you mean 'mysql:innodb'?"]);
    let several = STUDY.replace("fetch = true", "fetch = true\nconnections = 2");
    assert_refused(&place, &several, &[], &["rows are fetched by one connection"]);
    let reading = STUDY.replace("operation = \"read\"", "operation = \"read\"\nfetch = true");
    assert_refused(&place, &reading, &[], &["'fetch' belongs to the operation 'load'"]);
}
