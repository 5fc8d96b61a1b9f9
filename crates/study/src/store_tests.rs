use std::collections::BTreeMap;

use kurabe_record::{Guarantee, Integrity};

use super::*;
use crate::catalogue::Catalogue;

const REDIS: &str = include_str!("../../../stores/redis/store.toml");

fn store(name: &str) -> StoreDescriptor {
    Catalogue::builtin().expect("the built-in descriptors are right").store(name).expect("a store").clone()
}

fn settings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

fn undone(store: &StoreDescriptor, pairs: &[(&str, &str)]) -> Vec<(String, Guarantee)> {
    let undone = store.undone(Guarantee::FULL, &settings(pairs));
    undone.into_iter().map(|one| (one.setting, Guarantee::FULL.at_most(one.guarantee))).collect()
}

fn kept(kill: &str, power: &str, integrity: Integrity) -> Guarantee {
    let loss = |text: &str| text.parse().expect("a loss");
    Guarantee { kill: loss(kill), power: loss(power), integrity }
}

#[test]
fn a_setting_undoes_a_promise_with_the_values_that_it_names() {
    let mariadb = store("mariadb").of_variant(Some("innodb"));
    let usual = [("innodb_flush_method", "O_DIRECT"), ("innodb_doublewrite", "ON")];
    assert_eq!(undone(&mariadb, &usual), []);
    let bad = [("innodb_flush_method", "NoSync"), ("innodb_doublewrite", "OFF")];
    let unsound = kept("0", "all", Integrity::I3);
    let both = ["innodb_flush_method", "innodb_doublewrite"].map(|name| (name.to_string(), unsound));
    assert_eq!(undone(&mariadb, &bad), both);
    let mongodb = store("mongodb");
    let config = |text| undone(&mongodb, &[("engine_config", text)]);
    assert_eq!(config("cache_size=256M"), []);
    let lost = ("engine_config".to_string(), kept("all", "all", Integrity::I3));
    assert_eq!(config("cache_size=256M,log=(enabled=false)"), [lost]);
}

#[test]
fn nothing_is_undone_that_was_not_promised_or_is_not_reported() {
    let postgres = store("postgres");
    let unsound = kept("0", "all", Integrity::I3);
    assert_eq!(postgres.undone(unsound, &settings(&[("full_page_writes", "off")])), []);
    assert_eq!(undone(&postgres, &[]), []);
}

#[test]
fn what_undoes_a_promise_of_one_variant_says_nothing_of_another() {
    let aria = store("mariadb").of_variant(Some("aria"));
    assert_eq!(undone(&aria, &[("innodb_flush_method", "nosync")]), []);
    let sync_log_dir = undone(&aria, &[("aria_sync_log_dir", "NEVER")]);
    assert_eq!(sync_log_dir, [("aria_sync_log_dir".to_string(), kept("0", "writeback", Integrity::I0))]);
}

#[test]
fn a_descriptor_says_in_one_way_with_which_values_a_setting_undoes_something() {
    let parsed = |more: &str| {
        let table =
            format!("[[undoes]]\nsetting = \"x\"\nwindow = \"all\"\nsource = \"https://example.org\"\n{more}\n");
        let text = REDIS.replacen("[service]\n", &format!("{table}\n[service]\n"), 1);
        StoreDescriptor::parse("redis/store.toml", &text, &[])
    };
    assert!(parsed("when = [\"a\"]\nkill = \"all\"").is_ok());
    for (more, problem) in [
        ("kill = \"all\"", "takes one of 'when', 'unless' and 'holds'"),
        ("kill = \"all\"\nwhen = [\"a\"]\nunless = [\"b\"]", "takes one of 'when', 'unless' and 'holds'"),
        ("when = [\"a\"]", "changes nothing"),
        ("kill = \"all\"\nwhen = [\"a\"]\nvariants = [\"y\"]", "variants: unknown variant 'y'"),
        ("kill = \"5\"\nwhen = [\"a\"]", "invalid loss '5'"),
    ] {
        let error = parsed(more).expect_err(more).to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_setting_without_its_facts_or_with_words_that_they_deny_is_refused_with_its_line() {
    let error = |from: &str, to: &str| {
        assert!(REDIS.contains(from), "{from}");
        StoreDescriptor::parse("redis/store.toml", &REDIS.replacen(from, to, 1), &[]).expect_err(to).to_string()
    };
    for fact in ["kill", "power", "integrity", "proof", "window"] {
        let line = REDIS.lines().find(|line| line.starts_with(&format!("{fact} = "))).expect("a fact");
        let missing = error(&format!("{line}\n"), "");
        assert!(
            missing.contains("redis/store.toml") && missing.contains("line ") && missing.contains(fact),
            "{missing}"
        );
    }
    assert!(error("power = \"2000 ms\"", "power = \"2000\"").contains("line "));
    let torn = error("window = \"about 1 s of writes", "window = \"the file may be damaged: 1 s of writes");
    assert!(torn.contains("'aof-everysec'") && torn.contains("'damaged'"), "{torn}");
}

#[test]
fn the_setting_that_is_chosen_is_the_cheapest_that_is_enough_and_within_a_window_the_widest() {
    let chosen = |name: &str, minimum: &str| {
        let (name, variant) = name.split_once(':').map_or((name, None), |(name, variant)| (name, Some(variant)));
        let store = store(name).of_variant(variant);
        let setting = store.durability_for(minimum.parse().expect("a minimum"));
        setting.map_or("-".to_string(), |setting| setting.name.clone())
    };
    for (name, minimum, setting) in [
        ("sqlite", "power", "wal-full"),
        ("sqlite", "consistent", "wal-normal"),
        ("sqlite", "window=1commits", "delete-full"),
        ("sqlite", "window=1s", "synced-500ms"),
        ("sqlite", "window=100ms", "synced-50ms"),
        ("sqlite", "window=10ms", "wal-full"),
        ("redb", "consistent", "immediate"),
        ("redb", "window=1s", "synced-500ms"),
        ("libmdbx", "consistent", "safe-nosync"),
        // Their logs are not synced in the order in which they are written.
        ("rocksdb", "consistent", "sync"),
        ("rocksdb", "window=1s", "sync"),
        ("rocksdb", "kill", "wal"),
        ("leveldb", "consistent", "sync"),
        ("leveldb", "kill", "no-sync"),
        ("fjall:single-writer", "consistent", "buffer"),
        ("leveldb", "window=1s", "sync"),
        ("sqlite", "kill", "off"),
        ("sqlite", "cache", "off"),
        ("sqlite", "default", "delete-full"),
        ("lmdb", "consistent", "nometasync"),
        ("lmdb", "cache", "nosync"),
        ("redis", "consistent", "aof-always"),
        ("redis", "window=1s", "aof-always"),
        ("redis", "window=2s", "aof-everysec"),
        ("postgres:logged", "consistent", "on"),
        ("postgres:logged", "window=1s", "async"),
        ("mysql:innodb", "consistent", "flush-2"),
        ("mysql:innodb", "window=1s", "flush-0"),
        ("mongodb", "window=50ms", "w1-10ms"),
        ("mongodb", "window=1s", "w1"),
        // What may be wrong after a power failure is sound at no configuration but those that ask for no soundness.
        ("h2", "power", "-"),
        ("h2", "consistent", "-"),
        ("h2", "kill", "written"),
        ("tokyocabinet:btree", "consistent", "tran-sync"),
        ("tokyocabinet:btree", "kill", "tran"),
        ("mysql:myisam", "kill", "-"),
        ("mysql:myisam", "cache", "myisam-recover"),
        ("gdbm", "power", "-"),
        ("gdbm", "kill", "sync"),
    ] {
        assert_eq!(chosen(name, minimum), setting, "{name} at {minimum}");
    }
}

#[test]
fn a_setting_of_one_client_is_chosen_for_no_other() {
    let chosen = |client: &str| {
        let store = store("sqlite").by_client(client);
        store.durability_for("window=1s".parse().expect("a minimum")).map(|setting| setting.name.clone())
    };
    assert_eq!(chosen("rust").as_deref(), Some("synced-500ms"));
    assert_eq!(chosen("python").as_deref(), Some("wal-full"));
    let sqlite = include_str!("../../../stores/sqlite/store.toml");
    let unknown = sqlite.replacen("clients = [\"rust\"]\n", "clients = [\"rost\"]\n", 1);
    let mut read = StoreDescriptor::parse("sqlite/store.toml", &unknown, &[]).expect("right but for the client");
    let error = read.connect(Vec::new(), vec!["rust".into()]).expect_err("no such client").to_string();
    assert!(error.contains("unknown client 'rost'; did you mean 'rust'?"), "{error}");
}

#[test]
fn a_server_that_only_reads_or_is_a_part_of_a_cluster_is_unsuitable_in_words() {
    let of =
        |name: &str, pairs: &[(&str, &str)]| store(name).unsuitable(&settings(pairs)).map(|reason| reason.to_string());
    for (name, mode) in [("redis", "redis_mode"), ("valkey", "server_mode")] {
        assert_eq!(of(name, &[(mode, "standalone"), ("role", "master")]), None);
        assert_eq!(of(name, &[]), None, "a hosted server may tell nothing");
        let node = of(name, &[(mode, "cluster"), ("role", "master")]).expect("refused");
        assert!(node.contains("cluster") && node.contains(&format!("{mode} = cluster")), "{node}");
        assert!(of(name, &[(mode, "standalone"), ("role", "slave")]).expect("refused").contains("replica"));
    }
    for (name, told) in [("postgres", "transaction_read_only"), ("mysql", "read_only"), ("mariadb", "read_only")] {
        assert_eq!(of(name, &[(told, "OFF")]), None);
        assert!(of(name, &[(told, "ON")]).expect("refused").contains("only reads"), "{name}");
    }
    assert!(of("mariadb", &[("read_only", "NO_LOCK_NO_ADMIN")]).is_some());
}

#[test]
fn a_server_is_the_store_that_it_tells_to_be() {
    let of =
        |name: &str, pairs: &[(&str, &str)]| store(name).is_another(&settings(pairs)).map(|reason| reason.to_string());
    let redis = [("version", "7.0.15"), ("redis_mode", "standalone")];
    let valkey = [("version", "8.1.1"), ("server_name", "valkey"), ("valkey_version", "8.1.1")];
    let by_hello = [("server_name", "Valkey"), ("version", "8.1.1")];
    let (mariadb, mysql) = ([("version", "10.11.6-MariaDB")], [("version", "8.4.2")]);
    for (name, its) in [("redis", &redis[..]), ("valkey", &valkey), ("valkey", &by_hello), ("mysql", &mysql)] {
        assert_eq!(of(name, its), None, "{name}");
        assert_eq!(of(name, &[]), None, "nothing is told");
    }
    assert_eq!(of("mariadb", &mariadb), None);
    let other = of("redis", &valkey).expect("another");
    assert_eq!(other, "the server is Valkey, not Redis; use the store 'valkey' for it");
    assert!(of("redis", &by_hello).is_some() && of("mysql", &mariadb).is_some());
    let other = of("valkey", &redis).expect("another");
    assert_eq!(
        other,
        "the server does not report that it is Valkey (it reports version, but not 'valkey_version'); for Redis use the \
         store 'redis'"
    );
    assert!(of("mariadb", &mysql).is_some());
    assert_eq!(of("postgres", &mysql), None, "it has no kin");
}

/// A descriptor of a store with these settings more.
fn with_settings(settings: &str) -> Result<StoreDescriptor, StudyError> {
    let lmdb = include_str!("../../../stores/lmdb/store.toml");
    StoreDescriptor::parse("store.toml", &format!("{lmdb}\n{settings}"), &[])
}

const READAHEAD: &str = "[[setting]]\nname = \"readahead\"\nreason = \"small rows\"\nprofile = \"tuned\"\n\
                         source = \"https://example.org\"\nsettings = { readahead = \"off\" }\n";

#[test]
fn a_setting_of_the_profile_tuned_is_in_no_other() {
    let store = with_settings(READAHEAD).expect("right");
    assert!(store.is_tunable());
    let names = |profile| -> Vec<String> {
        store.clone().of_profile(profile).settings.into_iter().map(|setting| setting.name).collect()
    };
    let (default, tuned) = (names(StoreProfile::Default), names(StoreProfile::Tuned));
    assert!(!default.contains(&"readahead".to_string()) && tuned.contains(&"readahead".to_string()), "{tuned:?}");
    assert!(default.iter().all(|name| tuned.contains(name)), "what the run needs is in both");
}

#[test]
fn a_setting_of_the_profile_tuned_names_who_advises_it_and_there_are_ten_at_most() {
    let unsourced = READAHEAD.replace("source = \"https://example.org\"\n", "");
    let error = with_settings(&unsourced).expect_err("no source").to_string();
    assert!(error.contains("setting 'readahead': 'profile = \"tuned\"' needs 'source'"), "{error}");
    let error = with_settings(&READAHEAD.repeat(11)).expect_err("too many").to_string();
    assert!(error.contains("more than 10 settings"), "{error}");
}

#[test]
fn every_store_says_how_far_its_connections_are_kept_apart() {
    for store in Catalogue::builtin().expect("the built-in descriptors are right").stores() {
        let Some(about) = &store.about else { continue };
        assert!(about.isolation.is_some() && about.isolation_source.is_some(), "{}", store.name);
    }
}
