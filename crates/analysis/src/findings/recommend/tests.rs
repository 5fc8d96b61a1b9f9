//! Situations, and what is said in each: the file beside this one is read as a stranger would, and blessed.

use kurabe_protocol::Operation;
use kurabe_record::{
    About, Bound, Form, Guarantee, Integrity, KnownStore, Loss, MinimumDurability, Model, SupportStatus, UsedBy,
    Writers,
};

use super::situation::{Contestant, Deciding, Growth, Situation};
use super::{Ground, Pick, Rule, Said, Slow, Standing, of_situation};
use crate::figures::candidate::Absent;
use crate::figures::figure::{Figure, Range};
use crate::figures::reason::Reason;
use crate::findings::command::Command;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/findings/recommend/situations.txt");

/// Stores that are not: `plain` is the plain choice of one program, `server` that of several machines.
fn about(store: &str) -> About {
    let (form, writers, plain, released) = match store {
        "plain" => (Form::Library, Writers::One, Some(UsedBy::OneProgram), "2026-05-01"),
        "server" => (Form::Server, Writers::Several, Some(UsedBy::SeveralMachines), "2026-08-01"),
        "memory" => (Form::Server, Writers::Several, None, "2026-03"),
        "ancient" => (Form::Library, Writers::One, None, "2012-08-18"),
        _ => (Form::Library, Writers::One, None, "2025-11-02"),
    };
    About {
        form,
        model: if matches!(store, "plain" | "server") { Model::Sql } else { Model::KeyValue },
        writers,
        released: Some(released.into()),
        released_version: Some("1.2".into()),
        released_source: Some("https://example.org".into()),
        status: if store == "retired" { SupportStatus::Retired } else { SupportStatus::Maintained },
        status_source: None,
        lines: Vec::new(),
        licence_binds: None,
        languages: Vec::new(),
        isolation: None,
        isolation_source: None,
        forgets: Vec::new(),
        forgets_source: None,
        backup: "copy it".into(),
        backup_source: "https://example.org".into(),
        schema_change: "rewrite it".into(),
        schema_change_source: "https://example.org".into(),
        plain_choice: plain,
        plain_reason: plain.map(|_| "most people use it".into()),
        plain_source: plain.map(|_| "https://example.org".into()),
    }
}

/// Nothing is lost to a kill, and 1,003 commits to a power failure.
const CHECKPOINT: Guarantee =
    Guarantee { kill: Loss::Nothing, power: Loss::Checkpoint(Bound::Commits(1003)), integrity: Integrity::I0 };
/// Everything is lost to any fault.
const NOTHING: Guarantee = Guarantee { kill: Loss::All, power: Loss::All, integrity: Integrity::I0 };

fn known(store: &str) -> KnownStore {
    let kept = if store == "memory" { NOTHING } else { Guarantee::FULL };
    KnownStore {
        name: store.into(),
        title: store.to_uppercase(),
        licence: "MIT".into(),
        about: about(store),
        guarantees: vec![kept],
        here: store != "memory",
        remedy: (store == "memory").then(|| "apt-get install memory".into()),
    }
}

/// A contestant from places and how many times behind the best, phase by phase; the best does 100,000 a second.
fn one(store: &str, standings: &[(usize, f64)]) -> Contestant {
    let standing = |(at, (place, behind)): (usize, &(usize, f64))| {
        let rate = 100_000.0 / behind;
        let interval = Some(Range { low: rate * 0.95, high: rate * 1.05 });
        let quantiles = vec![(0.99, (3e9 / rate) as u64), (0.999, (10e9 / rate) as u64)];
        let operation = [Operation::Load, Operation::Read, Operation::Update][at];
        Standing {
            place: *place,
            behind: *behind,
            behind_at_most: Some(behind * 1.1),
            is_equivalent: *behind < 1.1,
            rate_per_s: Some(Figure { value: rate, interval, rounds: 5 }),
            flushes_per_commit: None,
            slow: vec![Slow { operation, quantiles, max_ns: Some((20e9 / rate) as u64) }],
        }
    };
    Contestant {
        name: store.into(),
        typed: Some(store.into()),
        store: store.into(),
        through_client: None,
        about: Some(about(store)),
        guarantee: Some(CHECKPOINT),
        is_first_client: true,
        standings: standings.iter().enumerate().map(standing).collect(),
        disk_per_row_bytes: Some(120.0),
        grows: Vec::new(),
        growth: Vec::new(),
    }
}

/// A store through a client, at the same place in all three phases.
fn through(store: &str, client: &str, place: usize) -> Contestant {
    Contestant {
        name: format!("{store}+{client}"),
        through_client: Some(store.into()),
        ..one(store, &[(place, place as f64); 3])
    }
}

/// The plain choice through clients that share the first place, and through one that is behind.
fn of_clients(clients: &[&str]) -> Vec<Contestant> {
    let first = clients.iter().map(|client| through("plain", client, 1));
    first.chain([through("plain", "python", 2)]).collect()
}

fn phase(name: &str, operation: Operation) -> Deciding {
    let writes = !matches!(operation, Operation::Read | Operation::Scan | Operation::Latest);
    Deciding { name: name.into(), operation, writes, under_way: 1, need_per_s: None }
}

/// Three phases: load, read, mix.
fn situation(contestants: &[Contestant]) -> Situation {
    let contestants = contestants.to_vec();
    Situation {
        command: Command::parsed("kurabe run quick --seed 1", "quick"),
        is_done: true,
        asked: MinimumDurability::Consistent,
        used_by: None,
        own_plain: None,
        unsteady: false,
        rounds: 5,
        phases: vec![phase("load", Operation::Load), phase("read", Operation::Read), phase("mix", Operation::Mix)],
        measured: contestants.iter().map(|one| one.store.clone()).collect(),
        contestants,
        unplaced: Vec::new(),
        absent: Vec::new(),
        known: ["fast", "plain", "server", "memory", "ancient"].map(known).into(),
    }
}

fn with(mut it: Situation, change: impl Fn(&mut Situation)) -> Situation {
    change(&mut it);
    it
}

fn needing(per_s: f64, it: Situation) -> Situation {
    with(it, |it| it.phases.iter_mut().skip(1).for_each(|phase| phase.need_per_s = Some(per_s)))
}

/// The plain choice leads the mix, another one reads faster.
fn split() -> Situation {
    situation(&[one("plain", &[(2, 1.4), (2, 8.4), (1, 1.0)]), one("fast", &[(1, 1.0), (1, 1.0), (2, 1.8)])])
}

/// As `split`, without a phase that mixes.
fn unmixed() -> Situation {
    with(split(), |it| it.phases[2].operation = Operation::Update)
}

/// A library and a server.
fn both_forms() -> Situation {
    situation(&[one("plain", &[(1, 1.0); 3]), one("server", &[(2, 12.0), (2, 20.0), (2, 6.0)])])
}

fn level() -> Situation {
    situation(&[one("fast", &[(1, 1.0), (1, 1.0), (1, 1.02)]), one("plain", &[(1, 1.05), (1, 1.1), (1, 1.0)])])
}

fn may_differ(it: &mut Situation, times: f64) {
    it.contestants.iter_mut().flat_map(|one| &mut one.standings).for_each(|one| {
        one.behind_at_most = Some(times);
        one.is_equivalent = times <= 1.2;
    });
}

fn alone(store: &str) -> Situation {
    situation(&[one(store, &[(1, 1.0); 3])])
}

/// So many times dearer from ten thousand rows to a million.
fn grown(phase: &str, times: f64) -> Growth {
    Growth { phase: phase.into(), from_rows: 10_000, to_rows: 1_000_000, from_ns: 400.0, to_ns: 400.0 * times }
}

fn failed(it: &mut Situation, reason: Reason) {
    let names: Vec<String> = it.contestants.drain(..).map(|one| one.name).collect();
    it.unplaced = names.into_iter().map(|name| (name, reason.clone())).collect();
}

fn by_leaders() -> Vec<(&'static str, Situation)> {
    vec![
        ("one is first everywhere", situation(&[one("fast", &[(1, 1.0); 3]), one("plain", &[(2, 2.0); 3])])),
        (
            "the plain choice is first everywhere",
            situation(&[one("fast", &[(2, 2.0); 3]), one("plain", &[(1, 1.0); 3])]),
        ),
        (
            "one is first, and shares one phase",
            situation(&[one("fast", &[(1, 1.0), (1, 1.0), (1, 1.0)]), one("plain", &[(2, 2.0), (1, 1.1), (2, 1.5)])]),
        ),
        ("two share everything", level()),
        ("two share everything and may differ much", with(level(), |it| may_differ(it, 170.0))),
        ("two share everything and may differ by little more than twice", with(level(), |it| may_differ(it, 2.2))),
        (
            "clients of one store share everything, and among themselves one is first",
            with(situation(&of_clients(&["go", "node"])), |it| {
                it.contestants[1].is_first_client = false;
            }),
        ),
        (
            "clients of one store share everything and may differ much",
            with(situation(&of_clients(&["go", "node"])), |it| may_differ(it, 170.0)),
        ),
        (
            "two share everything, none is plain",
            with(level(), |it| {
                it.contestants[1] = one("ancient", &[(1, 1.05), (1, 1.1), (1, 1.0)]);
                it.measured[1] = "ancient".into();
            }),
        ),
        (
            "three share everything",
            situation(&[one("fast", &[(1, 1.0); 3]), one("plain", &[(1, 1.0); 3]), one("ancient", &[(1, 1.0); 3])]),
        ),
        ("one store, two of its clients share everything", situation(&of_clients(&["go", "node"]))),
        (
            "one store, five of its clients share everything",
            situation(&of_clients(&["go", "jvm", "node", "php", "perl"])),
        ),
        (
            "a client of each of two stores share everything",
            situation(&[&of_clients(&["go", "node"])[..1], &[through("fast", "go", 1)]].concat()),
        ),
        ("different stores lead, the mix decides", split()),
        ("different stores lead, there is no mix, and the plain choice is far behind once", unmixed()),
        (
            "different stores lead, there is no mix, and the plain choice is near",
            with(unmixed(), |it| it.contestants[0].standings[1].behind = 2.5),
        ),
        (
            "different stores lead, and the mix is shared",
            with(split(), |it| {
                it.contestants[1].standings[2].place = 1;
            }),
        ),
        (
            "three stores, each first in one phase",
            situation(&[
                one("fast", &[(1, 1.0), (2, 3.0), (3, 2.0)]),
                one("plain", &[(2, 2.0), (3, 4.0), (1, 1.0)]),
                one("ancient", &[(3, 9.0), (1, 1.0), (2, 1.5)]),
            ]),
        ),
        ("an old store is first", situation(&[one("ancient", &[(1, 1.0); 3]), one("plain", &[(2, 2.0); 3])])),
        ("one store alone", alone("fast")),
        ("the plain choice alone", alone("plain")),
        ("a server alone", alone("server")),
        (
            "a store of which nothing is known",
            with(alone("fast"), |it| {
                it.contestants[0].about = None;
                it.known.clear();
            }),
        ),
        (
            "only reads",
            with(split(), |it| {
                it.phases = vec![phase("read", Operation::Read); 3];
                for (at, name) in ["read", "read-all", "newest"].into_iter().enumerate() {
                    it.phases[at].name = name.into();
                }
            }),
        ),
    ]
}

fn by_need() -> Vec<(&'static str, Situation)> {
    vec![
        ("all do what is needed", needing(50.0, split())),
        (
            "all do what is needed, the plain choice was not measured",
            needing(
                50.0,
                situation(&[
                    one("fast", &[(1, 1.0), (1, 1.0), (2, 3.0)]),
                    one("ancient", &[(2, 2.0), (2, 2.0), (1, 1.0)]),
                ]),
            ),
        ),
        (
            "all do, for several machines",
            needing(50.0, with(both_forms(), |it| it.used_by = Some(UsedBy::SeveralMachines))),
        ),
        ("all do, one program", needing(50.0, with(both_forms(), |it| it.used_by = Some(UsedBy::OneProgram)))),
        ("one does what is needed", needing(10_000.0, split())),
        ("one does, and its slowest hundredth takes longer", needing(20_000.0, split())),
        ("none does, and less may be lost", needing(1e6, with(split(), |it| it.asked = MinimumDurability::Power))),
        (
            "all do what is needed many times, on an unstable machine",
            needing(50.0, with(split(), |it| it.unsteady = true)),
        ),
        (
            "all do, on an unstable machine, and the plain choice was not measured",
            needing(
                50.0,
                with(situation(&[one("fast", &[(1, 1.0); 3]), one("ancient", &[(2, 2.0); 3])]), |it| {
                    it.unsteady = true;
                }),
            ),
        ),
        ("a need that an unstable machine does not decide", needing(20_000.0, with(split(), |it| it.unsteady = true))),
        ("a need that no noise brings, on an unstable machine", needing(1e6, with(split(), |it| it.unsteady = true))),
        ("none does what is needed", needing(1e6, split())),
        (
            "some do, and differ",
            needing(
                5_000.0,
                situation(&[
                    one("fast", &[(1, 1.0), (1, 1.0), (2, 2.0)]),
                    one("plain", &[(2, 3.0), (2, 4.0), (1, 1.0)]),
                    one("ancient", &[(3, 50.0), (3, 60.0), (3, 70.0)]),
                ]),
            ),
        ),
        ("a need, and one store alone", needing(50.0, alone("plain"))),
        ("a need, and one store alone that does not meet it", needing(1e6, alone("plain"))),
        ("a need of one phase", with(split(), |it| it.phases[1].need_per_s = Some(8_000.0))),
    ]
}

fn by_users() -> Vec<(&'static str, Situation)> {
    let several = |it: Situation| with(it, |it| it.used_by = Some(UsedBy::SeveralMachines));
    vec![
        ("a library and a server, nobody said who uses them", both_forms()),
        ("a library and a server, for several machines", several(both_forms())),
        ("a library and a server, for one program", with(both_forms(), |it| it.used_by = Some(UsedBy::OneProgram))),
        ("libraries only, for several machines", several(split())),
        (
            "a server is first, a library is behind",
            situation(&[one("server", &[(1, 1.0); 3]), one("plain", &[(2, 1.5); 3])]),
        ),
        (
            "a server is taken for the mix, and a library is faster at all else",
            situation(&[one("server", &[(2, 3.0), (2, 4.0), (1, 1.0)]), one("plain", &[(1, 1.0), (1, 1.0), (2, 1.5)])]),
        ),
        (
            "the study names its own plain choice",
            with(unmixed(), |it| {
                it.own_plain = Some("fast".into());
                it.contestants[1].standings[2].behind = 1.9;
            }),
        ),
    ]
}

fn by_durability() -> Vec<(&'static str, Situation)> {
    let keeping =
        |kept: Option<Guarantee>| with(split(), |it| it.contestants.iter_mut().for_each(|one| one.guarantee = kept));
    vec![
        (
            "nothing may be lost when power fails",
            with(keeping(Some(Guarantee::FULL)), |it| it.asked = MinimumDurability::Power),
        ),
        ("everything may be lost", with(keeping(Some(NOTHING)), |it| it.asked = MinimumDurability::Cache)),
        ("what can be lost is unknown", keeping(None)),
        ("as shipped", with(split(), |it| it.asked = MinimumDurability::Default)),
    ]
}

fn by_cost() -> Vec<(&'static str, Situation)> {
    vec![
        (
            "it pauses",
            with(split(), |it| {
                it.contestants[0].standings[2].slow[0].quantiles[1].1 = 4_000_000;
                it.contestants[1].standings[2].slow[0].quantiles[1].1 = 20_000;
            }),
        ),
        (
            "it pauses so much that it has too few operations for the slowest thousandth",
            with(split(), |it| {
                it.contestants[0].standings[2].slow[0].quantiles = vec![(0.99, 47_000_000)];
                it.contestants[0].standings[2].slow[0].max_ns = Some(141_000_000);
                it.phases[2].under_way = 16;
            }),
        ),
        (
            "all pause for long",
            with(split(), |it| {
                for one in &mut it.contestants {
                    one.standings[2].slow[0].quantiles = vec![(0.99, 20_000_000)];
                }
            }),
        ),
        (
            "its slowest operation stands out",
            with(split(), |it| {
                it.contestants[0].standings[1].slow[0].max_ns = Some(900_000_000);
            }),
        ),
        (
            "it is faster where it keeps less than the next one",
            with(split(), |it| {
                it.contestants[0].guarantee = Some(Guarantee { power: Loss::Writeback, ..CHECKPOINT });
                it.contestants[0].standings.iter_mut().for_each(|one| one.flushes_per_commit = Some(0.002));
                it.contestants[1].guarantee = Some(Guarantee::FULL);
                it.contestants[1].standings.iter_mut().for_each(|one| one.flushes_per_commit = Some(1.0));
            }),
        ),
        (
            "the data grows and both hold",
            with(split(), |it| {
                it.contestants.iter_mut().for_each(|one| one.growth = vec![grown("mix", 1.6)]);
            }),
        ),
        (
            "the data grows and only one holds",
            with(split(), |it| {
                it.contestants[0].growth = vec![grown("read", 1.1), grown("mix", 9.0)];
                it.contestants[1].growth = vec![grown("read", 3.0), grown("mix", 1.1)];
            }),
        ),
        (
            "a store that its makers have retired leads everywhere",
            situation(&[one("retired", &[(1, 1.0); 3]), one("plain", &[(2, 2.0); 3])]),
        ),
        ("a store that its makers have retired is alone", alone("retired")),
        ("it takes much disk", with(split(), |it| it.contestants[0].disk_per_row_bytes = Some(640.0))),
        ("it slows as the data grows", with(split(), |it| it.contestants[0].grows = vec![("mix".into(), 2.1)])),
        (
            "both slow as the data grows",
            with(split(), |it| {
                it.contestants.iter_mut().for_each(|one| one.grows = vec![("mix".into(), 2.1)]);
            }),
        ),
        ("growth that is little", with(split(), |it| it.contestants[0].grows = vec![("mix".into(), 1.1)])),
    ]
}

fn by_trust() -> Vec<(&'static str, Situation)> {
    let wrong = Reason::WrongAnswers { count: 3, example: "row 7 is of row 8".into(), round: 0 };
    vec![
        ("the machine was not steady", with(split(), |it| it.unsteady = true)),
        (
            "the machine was not steady, a library is out and one keeps too little",
            with(both_forms(), |it| {
                it.unsteady = true;
                it.used_by = Some(UsedBy::SeveralMachines);
                it.contestants.push(one("memory", &[(3, 20.0); 3]));
                it.unplaced.push((
                    "weak".into(),
                    Reason::BelowDurability {
                        guarantee: Some(NOTHING),
                        minimum: MinimumDurability::Consistent,
                        why: None,
                    },
                ));
                it.contestants.iter_mut().for_each(|one| one.growth = vec![grown("read", 3.3)]);
            }),
        ),
        (
            "the run was interrupted",
            with(split(), |it| {
                it.is_done = false;
                failed(it, Reason::TooFewRounds { rounds: 2 });
            }),
        ),
        ("the machine was not steady, and one store alone", with(alone("plain"), |it| it.unsteady = true)),
        ("too few rounds", with(split(), |it| failed(it, Reason::TooFewRounds { rounds: 2 }))),
        (
            "every store failed",
            with(split(), |it| {
                failed(it, Reason::JobFailed { rounds: 1, message: "it went away".into(), round: 0 });
            }),
        ),
        (
            "one gave wrong answers",
            with(split(), |it| {
                let out = it.contestants.remove(1);
                it.unplaced.push((out.name, wrong.clone()));
            }),
        ),
        (
            "one was cut",
            with(split(), |it| {
                let out = it.contestants.remove(0);
                it.unplaced.push((out.name, Reason::Unsupported { what: "operation scan".into() }));
            }),
        ),
        (
            "one is not here",
            with(split(), |it| {
                it.absent.push(Absent {
                    candidate: "server".into(),
                    reason: "no 'server' in PATH".into(),
                    remedy: Some("apt-get install server".into()),
                });
            }),
        ),
        ("nothing was asked for that is known", with(split(), |it| it.known.clear())),
    ]
}

fn all() -> Vec<(&'static str, Situation)> {
    [by_leaders(), by_need(), by_users(), by_durability(), by_cost(), by_trust()].into_iter().flatten().collect()
}

fn text(name: &str, situation: &Situation) -> String {
    let it = of_situation(situation);
    let mut text = format!("## {name}\n{}\n", it.said.headline);
    text += &it.said.about.iter().map(|about| format!("  {about}\n")).collect::<String>();
    let lists = [
        ("because", &it.said.because),
        ("unless", &it.said.unless),
        ("excluded", &it.said.excluded),
        ("not measured", &it.said.not_measured),
        ("rest", &it.said.others),
    ];
    for (word, items) in lists {
        text += &items.iter().map(|item| format!("  {word}: {item}\n")).collect::<String>();
    }
    format!("{text}  rule: {:?}\n", it.rule)
}

#[test]
fn what_is_said_in_each_situation_is_blessed() {
    let all = all();
    assert!(all.len() >= 40, "{}", all.len());
    let found: Vec<String> = all.iter().map(|(name, situation)| text(name, situation)).collect();
    let found = found.join("\n");
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(GOLDEN, &found).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    assert_eq!(found, expected, "KURABE_BLESS=1 writes it anew");
}

#[test]
fn every_rule_speaks_in_some_situation() {
    let spoken: Vec<Rule> = all().iter().map(|(_, situation)| of_situation(situation).rule).collect();
    for text in &Rule::ALL {
        assert!(spoken.contains(&text.rule), "{:?} never speaks", text.rule);
    }
}

#[test]
fn nothing_is_taken_that_was_ruled_out_or_has_no_place() {
    for (name, situation) in all() {
        let it = of_situation(&situation);
        for taken in it.taken() {
            assert!(situation.contestant(taken).is_some(), "{name}: {taken}");
            assert!(it.excluded.iter().all(|one| one.candidate != taken), "{name}: {taken}");
        }
        if matches!(it.pick, Pick::NotDecided { .. }) {
            let is_sure =
                |one: &Ground| matches!(one, Ground::Enough { .. } | Ground::Out { .. } | Ground::Growth { .. });
            assert!(it.because.iter().all(is_sure) && it.unless.is_empty(), "{name}");
        }
    }
}

#[test]
fn no_rule_names_a_store() {
    let names = ["sqlite", "postgres", "redis", "lmdb", "mysql", "mariadb", "mongodb"];
    for rule in &Rule::ALL {
        let words = [rule.when, rule.then, rule.reason].join(" ").to_lowercase();
        assert!(names.iter().all(|name| !words.contains(name)), "{words}");
    }
}

/// Every sentence of a recommendation.
fn sentences(said: &Said) -> Vec<String> {
    let lists = [&said.because, &said.unless, &said.excluded, &said.not_measured, &said.others];
    std::iter::once(&said.headline).chain(lists.into_iter().flatten()).cloned().collect()
}

#[test]
fn every_command_has_what_was_typed_and_compares_two_stores() {
    let typed = "--data 'my people.csv' --key id --value name --need 100/s --used-by one-program --sizes 1k,10k \
                 --rounds 4 --budget 5m";
    let mut commands = 0;
    for (name, mut situation) in all() {
        situation.command = Command::parsed(&format!("kurabe run quick --stores a,b {typed} --seed 1"), "quick");
        for sentence in sentences(&of_situation(&situation).said) {
            let Some((_, command)) = sentence.split_once("kurabe run ") else { continue };
            if command.starts_with("--resume ") {
                continue;
            }
            commands += 1;
            let words = shlex::split(command).expect("a command");
            assert_eq!(words[0], "quick", "{name}: {sentence}");
            let value = |flag: &str| {
                let at: Vec<usize> = (0..words.len()).filter(|at| words[*at] == flag).collect();
                assert_eq!(at.len(), 1, "{name}: {flag} in {sentence}");
                words[at[0] + 1].as_str()
            };
            for pair in shlex::split(typed).expect("flags").chunks(2) {
                match pair[0].as_str() {
                    // Of too few rounds: what is missing is asked for.
                    "--rounds" => assert!(value("--rounds").parse::<u32>().is_ok_and(|rounds| rounds >= 4)),
                    flag => assert_eq!(value(flag), pair[1], "{name}: {sentence}"),
                }
            }
            assert!(value("--stores").contains(','), "{name}: {sentence}");
        }
    }
    assert!(commands > 100, "{commands}");
}

#[test]
fn a_store_alone_is_ahead_of_nobody_and_any_will_do_only_where_that_is_shown() {
    for (name, situation) in all() {
        let it = of_situation(&situation);
        let said = sentences(&it.said).join(" ");
        if situation.contestants.len() < 2 {
            assert!(!said.contains("ahead") && !said.contains("fastest"), "{name}: {said}");
        }
        if said.contains("will do") {
            assert!(
                it.taken().iter().all(|one| situation
                    .contestant(one)
                    .is_some_and(|one| one.standings.iter().all(|at| at.is_equivalent))),
                "{name}"
            );
        }
    }
}

/// Settings that keep different things, from nothing to all.
fn guarantees() -> Vec<Guarantee> {
    let loss = |text: &str| text.parse().expect("a loss");
    let facts = [
        ("0", "0", Integrity::I0),
        ("0", "1 commit", Integrity::I0),
        ("0", "checkpoint, 1003 commits", Integrity::I0),
        ("600 ms", "600 ms", Integrity::I0),
        ("0", "writeback", Integrity::I3),
        ("all", "all", Integrity::I0),
    ];
    facts.map(|(kill, power, integrity)| Guarantee { kill: loss(kill), power: loss(power), integrity }).into()
}

#[test]
fn a_lead_in_a_phase_that_writes_is_told_only_over_a_store_that_keeps_no_more() {
    let mut trades = 0;
    for mine in guarantees() {
        for theirs in guarantees() {
            let mut it = situation(&[one("fast", &[(1, 1.0); 3]), one("safe", &[(2, 11.0); 3])]);
            (it.contestants[0].guarantee, it.contestants[1].guarantee) = (Some(mine), Some(theirs));
            let because = of_situation(&it).because;
            let keeps_more = theirs.is_stronger_in_any(mine);
            let leads = |phase: &str| {
                let is_led = |ground: &Ground| matches!(ground, Ground::First { phases, .. } if phases.iter().any(|lead| lead.phase == phase));
                because.iter().any(is_led)
            };
            let is_traded = because.iter().any(|ground| matches!(ground, Ground::Trade { .. }));
            assert_eq!((leads("load"), is_traded), (!keeps_more, keeps_more), "{mine:?} {theirs:?}");
            assert!(leads("read"), "reads lose nothing: {mine:?} {theirs:?}");
            trades += usize::from(is_traded);
        }
    }
    assert!(trades > 5, "{trades}");
}
