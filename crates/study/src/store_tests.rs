use std::collections::BTreeMap;

use super::*;
use crate::catalogue::Catalogue;

const REDIS: &str = include_str!("../../../stores/redis/store.toml");

fn store(name: &str) -> StoreDescriptor {
    Catalogue::builtin().expect("the built-in descriptors are right").store(name).expect("a store").clone()
}

fn settings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

fn undone(store: &StoreDescriptor, promised: Class, pairs: &[(&str, &str)]) -> Vec<(String, Class)> {
    store.undone(promised, &settings(pairs)).into_iter().map(|one| (one.setting, one.class)).collect()
}

#[test]
fn a_setting_undoes_a_promise_with_the_values_that_it_names() {
    let mariadb = store("mariadb").of_variant(Some("innodb"));
    let usual = [("innodb_flush_method", "O_DIRECT"), ("innodb_doublewrite", "ON")];
    assert_eq!(undone(&mariadb, Class::Power, &usual), []);
    let bad = [("innodb_flush_method", "NoSync"), ("innodb_doublewrite", "OFF")];
    let both = ["innodb_flush_method", "innodb_doublewrite"].map(|name| (name.to_string(), Class::Process));
    assert_eq!(undone(&mariadb, Class::Power, &bad), both);
    let mongodb = store("mongodb");
    let config = |text| undone(&mongodb, Class::Power, &[("engine_config", text)]);
    assert_eq!(config("cache_size=256M"), []);
    assert_eq!(config("cache_size=256M,log=(enabled=false)"), [("engine_config".to_string(), Class::None)]);
}

#[test]
fn nothing_is_undone_that_was_not_promised_or_is_not_reported() {
    let postgres = store("postgres");
    assert_eq!(undone(&postgres, Class::Process, &[("full_page_writes", "off")]), []);
    assert_eq!(undone(&postgres, Class::Power, &[]), []);
}

#[test]
fn what_undoes_a_promise_of_one_variant_says_nothing_of_another() {
    let aria = store("mariadb").of_variant(Some("aria"));
    assert_eq!(undone(&aria, Class::Power, &[("innodb_flush_method", "nosync")]), []);
    let sync_log_dir = undone(&aria, Class::Power, &[("aria_sync_log_dir", "NEVER")]);
    assert_eq!(sync_log_dir, [("aria_sync_log_dir".to_string(), Class::Process)]);
}

#[test]
fn a_descriptor_says_in_one_way_with_which_values_a_setting_undoes_something() {
    let parsed = |more: &str| {
        let table =
            format!("[[undoes]]\nsetting = \"x\"\nwindow = \"all\"\nsource = \"https://example.org\"\n{more}\n");
        StoreDescriptor::parse("redis/store.toml", &REDIS.replacen("[service]\n", &format!("{table}\n[service]\n"), 1))
    };
    assert!(parsed("when = [\"a\"]\nclass = \"none\"").is_ok());
    for (more, problem) in [
        ("class = \"none\"", "takes one of 'when', 'unless' and 'holds'"),
        ("class = \"none\"\nwhen = [\"a\"]\nunless = [\"b\"]", "takes one of 'when', 'unless' and 'holds'"),
        ("class = \"power\"\nwhen = [\"a\"]", "leaves class 'power'"),
        ("class = \"none\"\nwhen = [\"a\"]\nvariants = [\"y\"]", "names 'y', which is no [[variant]]"),
    ] {
        let error = parsed(more).expect_err(more).to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_server_that_only_reads_or_is_a_part_of_a_cluster_is_unsuitable_in_words() {
    let of = |name: &str, pairs: &[(&str, &str)]| store(name).unsuitable(&settings(pairs));
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
