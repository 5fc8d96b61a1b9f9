use std::collections::BTreeMap;

use kurabe_protocol::{Action, End, Load, Phase};
use kurabe_record::StoreProfile;
use kurabe_study::Setting;

use super::*;
use crate::samples::candidate;

fn words(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

#[test]
fn what_a_candidate_gives_stands_above_its_durability_and_that_above_its_store() {
    let mut candidate = candidate("sqlite", "wal-full");
    candidate.store.settings.push(Setting {
        name: "pages".into(),
        reason: "for this test".into(),
        profile: StoreProfile::Default,
        source: None,
        variants: Vec::new(),
        args: vec!["--mode=store".into()],
        settings: words(&[("cache_size", "1"), ("journal_mode", "delete"), ("page_size", "4096")]),
        expect: words(&[("journal_mode", "delete"), ("cache_size", "1"), ("page_size", "4096")]),
    });
    candidate.spec.settings = words(&[("cache_size", "2"), ("mmap_size", "{cache_mb}")]);
    let expected = words(&[
        ("cache_size", "2"),
        ("journal_mode", "wal"),
        ("mmap_size", "{cache_mb}"),
        ("page_size", "4096"),
        ("synchronous", "full"),
    ]);
    assert_eq!(candidate.expected_settings(), expected);
    let options = words(&[("options", "block_size=16384")]);
    candidate.store.settings.push(Setting {
        name: "options".into(),
        reason: "of its makers".into(),
        profile: StoreProfile::Tuned,
        source: Some("https://example.org".into()),
        variants: Vec::new(),
        args: Vec::new(),
        settings: options,
        expect: words(&[("block_size", "16384")]),
    });
    assert_eq!(candidate.expected_settings().get("block_size").map(String::as_str), Some("16384"));
    candidate.spec.settings.insert("options".into(), "block_size=8192".into());
    assert_eq!(candidate.expected_settings().get("block_size"), None, "it follows from what was replaced");
    candidate.spec.settings.remove("options");
    candidate.store.settings.pop();
    let durability = candidate.durability.as_mut().expect("wal-full");
    durability.args = vec!["--mode=durability".into()];
    durability.settings.insert("journal_mode".into(), "wal".into());
    candidate.spec.args = vec!["--mode=own".into()];
    // The last of a flag wins, so the server gets what is expected back.
    assert_eq!(candidate.service_args(), ["--mode=store", "--mode=durability", "--mode=own"]);
    let given = candidate.adapter_settings(&words(&[("cache_mb", "64")]));
    assert_eq!((given["journal_mode"].as_str(), given["cache_size"].as_str()), ("wal", "2"));
    assert_eq!(given["mmap_size"], "64");
}

#[test]
fn nothing_is_expected_of_a_server_at_an_address() {
    assert_eq!(candidate("redis@redis://127.0.0.1:6379", "aof-always").expected_settings(), BTreeMap::new());
}

#[test]
fn commits_are_compared_with_the_disk_only_where_that_can_tell_something() {
    let phases = |change: fn(&mut Phase)| {
        let mut phase = Phase::new("load", Load::Row, End::Count(1));
        change(&mut phase);
        [PhasePlan::new(phase, true)]
    };
    let alone = phases(|_| {});
    assert!(candidate("sqlite", "wal-full").commits_can_be_judged(&alone));
    assert!(!candidate("sqlite", "wal-normal").commits_can_be_judged(&alone));
    assert!(!candidate("redis@redis://127.0.0.1:6379", "aof-always").commits_can_be_judged(&alone));
    let shared: [fn(&mut Phase); 5] = [
        |phase| phase.connections = 8,
        |phase| phase.depth = 2,
        |phase| phase.batch = 2,
        |phase| phase.commit_every = 2,
        |phase| phase.work = Action::Read.into(),
    ];
    for change in shared {
        assert!(!candidate("sqlite", "wal-full").commits_can_be_judged(&phases(change)));
    }
}

#[test]
fn settings_as_read_back_undo_the_promise_of_the_durability_that_was_chosen() {
    let check = |found: &str| SettingCheck {
        name: "full_page_writes".into(),
        asked: None,
        found: Some(found.into()),
        state: kurabe_record::SettingState::Reported,
    };
    let undone = |durability, found| candidate("postgres", durability).undone(&[check(found)]);
    assert_eq!(undone("on", "on"), []);
    assert_eq!(undone("fsync-off", "off"), [], "it keeps no more");
    let [one] = undone("on", "off").try_into().expect("one setting");
    assert_eq!((one.setting.as_str(), one.found.as_str()), ("full_page_writes", "off"));
    assert_eq!(Guarantee::FULL.at_most(one.guarantee).level(), kurabe_record::DurabilityLevel::Kill);
}
