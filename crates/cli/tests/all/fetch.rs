//! Loads that fetch their rows from another store of the same job.

use kurabe_record::{PhaseOutcome, PhaseRecord};

use crate::common::{Place, assert_refused, finish, here};

const STUDY: &str = r#"
title = "Does it matter where rows come from?"
rows = 2000
rounds = 1
durability = "consistent"
stores = ["sqlite", "redis", "mysql:innodb", "sqlite+perl"]
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
rows_from = "mysql:innodb"
deciding = true

[[phase]]
name = "read"
operation = "read"
count = 2000
"#;

#[test]
fn rows_come_from_a_service_of_their_own_and_are_those_that_are_written() {
    if !here(&["redis", "mysql:innodb", "sqlite+perl"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(STUDY, &[]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let (load, read) = (&job.phases[0], &job.phases[1]);
        if job.candidate == "sqlite+perl" {
            let lacks = |phase: &PhaseRecord| matches!(&phase.outcome, PhaseOutcome::Unsupported(why) if why.to_string().contains("no fetching"));
            assert!(lacks(load) && lacks(read), "{:?}", load.outcome);
            continue;
        }
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
    const FROM: &str = "rows_from = \"mysql:innodb\"";
    let of_redis = STUDY.replace(FROM, "rows_from = \"redis\"");
    assert_refused(&place, &of_redis, &[], &["rows_from takes", "one of the stores", "mysql", "got 'redis'"]);
    let unknown = STUDY.replace(FROM, "rows_from = \"mysql:inodb\"");
    assert_refused(&place, &unknown, &[], &["did you mean 'mysql:innodb'?"]);
    let pitfall = "[[pitfall]]\nname = \"t\"\nsays = \"s\"\n[[pitfall.change]]\nphase = \"load\"\nset = { rows_from = \"redis\" }\n";
    assert_refused(&place, format!("{STUDY}{pitfall}"), &[], &["rows_from takes", "got 'redis'"]);
    let several = STUDY.replace(FROM, &format!("{FROM}\nconnections = 2"));
    assert_refused(&place, &several, &[], &["over one connection"]);
    let reading = STUDY.replace("operation = \"read\"", &format!("operation = \"read\"\n{FROM}"));
    assert_refused(&place, &reading, &[], &["'rows_from' belongs to the operation 'load'"]);
    let program =
        "[[phase]]\noperation = \"program\"\nprogram = { operation = \"load\", rows_from = \"mariadb:innodb\" }\n";
    assert_refused(&place, format!("{STUDY}{program}"), &[], &["from one store, so 'mariadb:innodb' is one too many"]);
    let from_lines = STUDY.replace(FROM, "rows_from = \"lines\"");
    assert_refused(&place, &from_lines, &[], &["needs a tab-separated data file"]);
}
