//! `--data`: rows of a file that somebody has, in stores of every shape; and files that cannot be used.

use crate::common::{Place, assert_mistake, assert_refused, finish, here};
use kurabe_protocol::FieldType;
use kurabe_record::Loaded;

/// A study that reads, updates, scans and asks for the latest rows; the rows that it would generate are not used.
const STUDY: &str = r#"
title = "How fast is it with my rows?"
rows = 50
value_len_bytes = 100
rounds = 1
stores = ["sqlite"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
deciding = true
[[phase]]
operation = "read"
count = 2000
distribution = "uniform"
[[phase]]
operation = "update"
count = 600
commit_every = 50
connections = 4
[[phase]]
name = "read-updated"
operation = "read"
count = 1000
[[phase]]
operation = "multi-read"
count = 100
distribution = "uniform"
[[phase]]
operation = "scan"
count = 2
[[phase]]
operation = "latest"
count = 5
latest_rows = 100
[[phase]]
operation = "delete"
count = 40
[[phase]]
name = "latest-left"
operation = "latest"
count = 2
latest_rows = 100
"#;

/// Groups of companies with a heading each, empty lines between them, two names that come twice, and one that has a
/// space at its end where another has none.
fn companies() -> String {
    let mut text = String::new();
    for (group, name) in ["機械", "銀行業", "金属製品"].iter().enumerate() {
        text += &format!("[{name}]\n");
        for number in 0..100 {
            let company = match number {
                98 => "(株)二度".to_string(),
                97 if group == 0 => "三菱 ".to_string(),
                97 if group == 1 => "三菱".to_string(),
                _ => format!("(株){name}{}", (number * 37) % 101),
            };
            let income = if number % 10 == 0 { String::new() } else { format!("{},{number:03}千円", 4 + group) };
            text += &format!("{}\t{company}\t{income}\t{}\n", 9_999 - group * 100 - number, number * 3);
        }
        text += "\n";
    }
    text
}

/// Of companies with the same name the first stays.
const FIRST: [&str; 2] = ["--duplicates", "first"];

/// Runs the study over the companies, and looks at every answer that was checked.
#[track_caller]
fn measured(stores: &[&str], key: &str, values: &[&str], more: &[&str]) -> (Place, Loaded, String) {
    let place = Place::new();
    let file = place.file("companies.txt", companies());
    let mut command = place.run(STUDY, &["--data", &file, "--key", key, "--stores", &stores.join(",")]);
    values.iter().for_each(|value| {
        command.args(["--value", value]);
    });
    command.args(more);
    let said = finish(&mut command);
    let loaded = Loaded::read(&place.out()).expect("a run");
    for job in &loaded.jobs {
        assert_eq!(job.error, None, "{}", job.candidate);
        assert!(job.final_count.is_none_or(|count| count.is_right()), "{}", job.candidate);
        for result in job.phases.iter().flat_map(|phase| &phase.results) {
            let checks = &result.checks;
            assert_eq!(checks.failed(), 0, "{}: {}: {:?}", job.candidate, result.phase, checks.examples);
            assert_eq!(result.failures, [], "{}: {}", job.candidate, result.phase);
        }
    }
    assert_eq!((said.status, loaded.jobs.len()), (0, stores.len()), "{}{}", said.out, said.err);
    place.assert_nothing_is_left();
    (place, loaded, said.err)
}

#[test]
fn text_keys_in_japanese_with_headings_and_names_that_come_twice() {
    let (place, loaded, said) = measured(&["echo", "map", "file", "sqlite", "lmdb"], "2", &["3", "4"], &FIRST);
    let data = loaded.run.data.expect("a data file");
    assert_eq!((data.lines, data.records, data.headings.count, data.empty_lines.count), (306, 300, 3, 3));
    assert_eq!((data.duplicate_keys.keys, data.duplicate_keys.left_out.count, data.rows), (1, 2, 298));
    let types: Vec<FieldType> = data.columns.iter().map(|column| column.field_type).collect();
    assert_eq!(types, [FieldType::Text, FieldType::Text, FieldType::Int64]);
    // The connections of all phases share the rows evenly.
    assert_eq!(loaded.run.plan.configurations[0].rows, 296);
    for words in ["300 records in 306 lines", "3 headings", "1 key occurs more than once", "296 of the 298 rows"] {
        assert!(said.contains(words), "'{words}' is not in: {said}");
    }
    let report = std::fs::read_to_string(place.out().join("report.html")).expect("a report");
    assert!(report.contains("300 records in 306 lines"), "the report says nothing of the data");
    assert!(loaded.run.command.contains("--key 2 --value 3 --value 4"), "{}", loaded.run.command);
}

#[test]
fn integer_keys_that_are_not_in_order() {
    let (_place, loaded, _) = measured(&["echo", "map", "file", "sqlite", "lmdb"], "1", &["3"], &["--rows", "100"]);
    assert_eq!(loaded.run.plan.configurations[0].schema.key().field_type, FieldType::Int64);
    assert_eq!(loaded.run.plan.configurations[0].rows, 100);
}

#[test]
fn servers_take_the_same_rows() {
    if here(&["redis", "postgres"]) {
        measured(&["redis", "postgres"], "2", &["3"], &["--duplicates", "last"]);
        measured(&["redis", "postgres"], "1", &["2", "4"], &[]);
    }
}

#[test]
fn every_other_store_takes_the_same_rows() {
    for store in [
        "mariadb",
        "mysql",
        "memcached",
        "mongodb",
        "mongodb:indexed-after",
        "cassandra",
        "tokyocabinet:btree",
        "tokyocabinet:table",
        "qdbm",
        "rocksdb",
        "leveldb",
        "duckdb",
        "redb",
        "fjall",
    ] {
        if here(&[store]) {
            measured(&[store], "2", &["3", "4"], &["--durability", "default", "--duplicates", "first"]);
        }
    }
}

/// Texts that a reader of YAML would take for something else, and that JSON must escape.
#[test]
fn odd_texts_come_back_from_every_encoding() {
    const ODD: [&str; 18] = [
        "no",
        "yes",
        "null",
        "~",
        "1e3",
        "012",
        "0x1F",
        "2026-11-23",
        "- a",
        "a: b",
        "#c",
        "true",
        ".5",
        "'",
        "\"q\"",
        "{a: 1}",
        "\\u0041",
        "",
    ];
    let place = Place::new();
    let line = |row: usize| format!("鍵{row}\t{}\t{}\t{}\n", ODD[row % 18], row * 7, ODD[(row * 5 + 1) % 18]);
    let file = place.file("odd.tsv", (0..200).map(line).collect::<String>());
    let axis = "encoding=raw,json,yaml,messagepack";
    let said = finish(&mut place.run(STUDY, &["--data", &file, "--key", "1", "--stores", "map,lmdb", "--axis", axis]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = Loaded::read(&place.out()).expect("a run");
    assert_eq!(loaded.jobs.len(), 4 * 2);
    for job in &loaded.jobs {
        assert_eq!(job.error, None, "{}", job.candidate);
        for result in job.phases.iter().flat_map(|phase| &phase.results) {
            let checks = &result.checks;
            assert_eq!(checks.failed(), 0, "level {}, {}: {:?}", job.configuration, job.candidate, checks.examples);
            assert!(result.phase == "load" || checks.checked > 0, "nothing was checked in '{}'", result.phase);
        }
    }
}

#[test]
fn a_client_that_cannot_is_told_in_words() {
    if !here(&["sqlite+python", "h2"]) {
        return;
    }
    let place = Place::new();
    let file = place.file("companies.txt", companies());
    let stores = ["--stores", "sqlite,sqlite+python,h2"];
    let said = finish(place.run(STUDY, &["--data", &file, "--key", "2"]).args(FIRST).args(stores));
    assert_eq!(said.status, 0, "{}", said.err);
    let answer = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "One of 3 stores did the work on 296 rows",
        "'sqlite+python' and 'h2' can do none of it",
        "h2 in load, read, update",
        "unsupported: no rows of a data file",
    ] {
        assert!(answer.contains(text), "'{text}' is missing in: {}", said.out);
    }
}

#[test]
fn a_study_can_name_its_data() {
    let place = Place::new();
    let file = place.file("companies.csv", "Name,Age\nanne,30\nbob,40\ncleo,50\ndora,60\n");
    let data = format!("data = {{ file = {file:?}, key = \"Name\", values = [2], duplicates = \"refuse\" }}");
    let study = STUDY.replace("rows = 50\nvalue_len_bytes = 100", &data).replace("count = 40", "count = 4");
    let said = finish(&mut place.run(&study, &[]));
    assert_eq!(said.status, 0, "{}", said.err);
    let run = Loaded::read(&place.out()).expect("a run").run;
    let names: Vec<&str> = run.plan.configurations[0].schema.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!((names, run.plan.configurations[0].rows), (vec!["name", "age"], 4));
}

/// `run` and `plan` over this file are a mistake, and nothing was made for it.
#[track_caller]
fn refused(content: impl AsRef<[u8]>, more: &[&str], words: &[&str]) {
    refused_with(STUDY, content, more, words);
}

#[track_caller]
fn refused_with(study: &str, content: impl AsRef<[u8]>, more: &[&str], words: &[&str]) {
    let place = Place::new();
    let file = place.file("mine.txt", content);
    assert_refused(&place, study, &[&["--data", &file], more].concat(), words);
}

#[test]
fn files_that_cannot_be_used_are_mistakes() {
    let key = &["--key", "1"];
    refused("", key, &["no rows", "empty"]);
    refused("a\nb\n", key, &["only one column"]);
    refused("name\tage\nA\t3\n", &["--key", "nmae"], &["no column 'nmae'", "'name'"]);
    refused("a\t1\n", &["--key", "5"], &["no column '5'", "2 columns"]);
    refused(b"a\t1\nb\xff\t2\n", key, &["line 2 is not UTF-8"]);
    refused("a\t1\nb\0\t2\n", key, &["line 2 has a zero byte"]);
    refused("name\tage\nA\t3\nname\tage\n", &["--key", "name"], &["line 3 repeats the header"]);
    refused("\t1\n\t2\n", key, &["no rows"]);
    refused(format!("a\t1\nb\t{}\n", "x".repeat(18 << 20)), key, &["line 2 is longer than 16.0 MiB"]);
    refused(format!("{}\t1\n", "k".repeat(300)), key, &["300 bytes", "at most 255"]);
    let repeated = "a\t1\nb\t2\nb\t3\na\t4\n";
    refused(repeated, key, &["4 records have 2 different values", "'a' in line 1 comes again in line 4", "--key row"]);
    refused("7\t1\n7\t2\n", key, &["column '1' is no key", "have 1 value", "'7' in line 1"]);
    refused("a\t1\nb\t2\n", key, &["2 rows are fewer than the 4 connections"]);
    refused("a\t1\nb\t2\n", &["--key", "1", "--rows", "3"], &["from 1 to 2"]);
    let inserts = format!("{STUDY}[[phase]]\noperation = \"insert\"\ncount = 4\n");
    refused_with(&inserts, "a\t1\nb\t2\nc\t3\nd\t4\n", key, &["'insert'", "data file"]);
}

#[test]
fn what_goes_with_data_is_asked_for() {
    let place = Place::new();
    let study = place.file("mine.toml", STUDY);
    assert_mistake(&finish(&mut place.kurabe(["run", &study, "--data", "x"])), &["--key"]);
    assert_mistake(&finish(&mut place.kurabe(["run", &study, "--key", "1"])), &["--data"]);
    let folder = place.data().display().to_string();
    let said = finish(&mut place.kurabe(["run", &study, "--data", &folder, "--key", "1"]));
    assert_mistake(&said, &["is a folder"]);
    let said = finish(&mut place.kurabe(["run", &study, "--data", "nowhere", "--key", "1"]));
    assert_mistake(&said, &["cannot read", "nowhere"]);
    let said = finish(&mut place.kurabe(["run", &study, "--data", "x", "--key", "1", "--header", "maybe"]));
    assert_mistake(&said, &["'yes' or 'no'"]);
}

#[test]
fn a_run_goes_on_only_with_the_same_data() {
    let place = Place::new();
    let file = place.file("mine.tsv", "a\t1\nb\t2\nc\t3\nd\t4\n");
    let study = STUDY.replace("count = 40", "count = 4");
    let said = finish(&mut place.run(&study, &["--data", &file, "--key", "1"]));
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(finish(&mut place.resume()).status, 0);
    place.file("mine.tsv", "a\t1\nb\t2\nc\t3\nd\t5\n");
    assert_mistake(&finish(&mut place.resume()), &["the data file"]);
}
