//! Situations, and what is said in each: the file beside this one is read as a stranger would, and blessed.

use kurabe_messages::{Language, Message};
use kurabe_protocol::Operation;
use kurabe_record::{
    About, Bound, Form, Guarantee, Integrity, Isolation, KnownStore, LicenceBinds, Loss, MinimumDurability, Model,
    ReleaseLine, SupportStatus, UsedBy, Writers,
};

use super::situation::{Contestant, Deciding, Growth, Situation};
use super::{Advice, Pick, Rationale, Rule, Slow, Standing, of_situation};
use crate::figures::candidate::Absent;
use crate::figures::figure::{Figure, Range};
use crate::figures::reason::Reason;
use crate::findings::command::Command;

mod cases;
mod experts;

/// The golden file of a language.
fn golden(language: Language) -> &'static str {
    match language {
        Language::English => concat!(env!("CARGO_MANIFEST_DIR"), "/src/findings/recommend/situations.txt"),
        Language::Japanese => concat!(env!("CARGO_MANIFEST_DIR"), "/src/findings/recommend/situations.ja.txt"),
    }
}

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

/// A contestant from ranks and how many times behind the best, phase by phase; the best does 100,000 a second.
fn one(store: &str, standings: &[(usize, f64)]) -> Contestant {
    let standing = |(at, (rank, behind)): (usize, &(usize, f64))| {
        let rate = 100_000.0 / behind;
        let interval = Some(Range { low: rate * 0.95, high: rate * 1.05 });
        let quantiles = vec![(0.99, (3e9 / rate) as u64), (0.999, (10e9 / rate) as u64)];
        let operation = [Operation::Load, Operation::Read, Operation::Update][at];
        Standing {
            rank: *rank,
            behind: *behind,
            behind_at_most: Some(behind * 1.1),
            is_equivalent: *behind < 1.1,
            rounds_to_settle: None,
            at_objective: Some((operation, (3e9 / rate) as u64)),
            held: None,
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
        version: None,
        guarantee: Some(CHECKPOINT),
        is_first_client: true,
        standings: standings.iter().enumerate().map(standing).collect(),
        disk_per_row_bytes: Some(120.0),
        grows: Vec::new(),
        growth: Vec::new(),
    }
}

/// A store through a client, at the same rank in all three phases.
fn through(store: &str, client: &str, rank: usize) -> Contestant {
    Contestant {
        name: format!("{store}+{client}"),
        through_client: Some(store.into()),
        ..one(store, &[(rank, rank as f64); 3])
    }
}

/// The plain choice through clients that share the first rank, and through one that is behind.
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
        round_ns: 3_000_000_000,
        has_budget: false,
        rows: 10_000,
        has_own_rows: false,
        today: "2026-11-26".into(),
        slo: None,
        phases: vec![phase("load", Operation::Load), phase("read", Operation::Read), phase("mix", Operation::Mix)],
        measured: contestants.iter().map(|one| one.store.clone()).collect(),
        contestants,
        unranked: Vec::new(),
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
    it.unranked = names.into_iter().map(|name| (name, reason.clone())).collect();
}

fn all() -> Vec<(&'static str, Situation)> {
    use cases::{by_cost, by_durability, by_facts, by_leaders, by_need, by_trust, by_users};
    let all = [by_leaders(), by_need(), by_users(), by_durability(), by_cost(), by_facts(), by_trust()];
    all.into_iter().flatten().collect()
}

fn text(name: &str, situation: &Situation, language: Language) -> String {
    let it = of_situation(situation);
    let advice = it.advice();
    let shown = |message: &Message| message.text(language);
    let mut text = format!("## {name}\n{}\n", shown(&advice.headline));
    text += &advice.about.iter().map(|about| format!("  {}\n", shown(about))).collect::<String>();
    let why = shown(&advice.why);
    let lists = [
        (why.as_str(), &advice.because),
        ("unless", &advice.unless),
        ("excluded", &advice.excluded),
        ("not measured", &advice.not_measured),
        ("rest", &advice.others),
    ];
    for (word, items) in lists {
        text += &items.iter().map(|item| format!("  {word}: {}\n", shown(item))).collect::<String>();
    }
    format!("{text}  rule: {:?}\n", it.rule)
}

#[test]
fn what_is_said_in_each_situation_is_blessed() {
    let all = all();
    assert!(all.len() >= 40, "{}", all.len());
    for language in Language::ALL {
        let found: Vec<String> = all.iter().map(|(name, situation)| text(name, situation, language)).collect();
        let found = found.join("\n");
        if std::env::var_os("KURABE_BLESS").is_some() {
            std::fs::write(golden(language), &found).expect("the golden file can be written");
        }
        let expected = std::fs::read_to_string(golden(language)).unwrap_or_default();
        assert_eq!(found, expected, "KURABE_BLESS=1 writes it anew");
    }
}

#[test]
fn every_rule_speaks_in_some_situation() {
    let spoken: Vec<Rule> = all().iter().map(|(_, situation)| of_situation(situation).rule).collect();
    for rule in &Rule::ALL {
        assert!(spoken.contains(rule), "{rule:?} never speaks");
    }
}

#[test]
fn nothing_is_taken_that_was_ruled_out_or_is_not_ranked() {
    for (name, situation) in all() {
        let it = of_situation(&situation);
        for taken in it.taken() {
            assert!(situation.contestant(taken).is_some(), "{name}: {taken}");
            assert!(it.excluded.iter().all(|one| one.candidate != taken), "{name}: {taken}");
        }
        if matches!(it.pick, Pick::NotDecided { .. }) {
            let is_sure = |one: &Rationale| {
                matches!(one, Rationale::Enough { .. } | Rationale::Out { .. } | Rationale::Growth { .. })
            };
            assert!(it.because.iter().all(is_sure) && it.unless.is_empty(), "{name}");
        }
    }
}

#[test]
fn no_rule_names_a_store() {
    let names = ["sqlite", "postgres", "redis", "lmdb", "mysql", "mariadb", "mongodb"];
    for rule in Rule::ALL {
        let text = rule.text();
        let words = [text.when, text.then, text.why].map(|message| message.text(Language::English).to_lowercase());
        let words = words.join(" ");
        assert!(names.iter().all(|name| !words.contains(name)), "{words}");
    }
}

/// Every message of a recommendation.
fn messages(advice: Advice) -> Vec<Message> {
    let lists = [advice.because, advice.unless, advice.excluded, advice.not_measured, advice.others];
    std::iter::once(advice.headline).chain(lists.into_iter().flatten()).collect()
}

/// Every sentence of a recommendation.
fn sentences(advice: Advice) -> Vec<String> {
    messages(advice).iter().map(|message| message.text(Language::English)).collect()
}

#[test]
fn every_command_has_what_was_typed_and_compares_two_stores() {
    let typed = "--data 'my people.csv' --key id --value name --need 100/s --used-by one-program --sizes 1k,10k \
                 --rounds 4 --budget 5m";
    let mut commands = 0;
    for (name, mut situation) in all() {
        situation.command = Command::parsed(&format!("kurabe run quick --stores a,b {typed} --seed 1"), "quick");
        for sentence in sentences(of_situation(&situation).advice()) {
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
        let said = sentences(it.advice()).join(" ");
        if situation.contestants.len() < 2 {
            assert!(!said.contains("best mean") && !said.contains("fastest"), "{name}: {said}");
        }
        if said.contains("equivalent") {
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
                let is_led = |rationale: &Rationale| matches!(rationale, Rationale::First { phases, .. } if phases.iter().any(|lead| lead.phase == phase));
                because.iter().any(is_led)
            };
            let is_traded = because.iter().any(|rationale| matches!(rationale, Rationale::Trade { .. }));
            assert_eq!((leads("load"), is_traded), (!keeps_more, keeps_more), "{mine:?} {theirs:?}");
            assert!(leads("read"), "reads lose nothing: {mine:?} {theirs:?}");
            trades += usize::from(is_traded);
        }
    }
    assert!(trades > 5, "{trades}");
}
