//! Situations, by what they are about.

use kurabe_messages::message;

use super::*;

pub(super) fn by_leaders() -> Vec<(&'static str, Situation)> {
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
                it.contestants[1].standings[2].rank = 1;
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

pub(super) fn by_need() -> Vec<(&'static str, Situation)> {
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

pub(super) fn by_users() -> Vec<(&'static str, Situation)> {
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

pub(super) fn by_durability() -> Vec<(&'static str, Situation)> {
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

pub(super) fn by_cost() -> Vec<(&'static str, Situation)> {
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

pub(super) fn by_trust() -> Vec<(&'static str, Situation)> {
    let wrong = Reason::WrongAnswers { count: 3, example: message!(text_quoted, text = "row 7 is of row 8"), round: 0 };
    vec![
        ("the machine was not steady", with(split(), |it| it.unsteady = true)),
        (
            "the machine was not steady, a library is out and one keeps too little",
            with(both_forms(), |it| {
                it.unsteady = true;
                it.used_by = Some(UsedBy::SeveralMachines);
                it.contestants.push(one("memory", &[(3, 20.0); 3]));
                it.unranked.push((
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
                failed(
                    it,
                    Reason::JobFailed { rounds: 1, message: message!(text_quoted, text = "it went away"), round: 0 },
                );
            }),
        ),
        (
            "one gave wrong answers",
            with(split(), |it| {
                let out = it.contestants.remove(1);
                it.unranked.push((out.name, wrong.clone()));
            }),
        ),
        (
            "one was skipped",
            with(split(), |it| {
                let out = it.contestants.remove(0);
                it.unranked.push((out.name, Reason::Unsupported { what: "operation scan".into() }));
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

pub(super) fn by_facts() -> Vec<(&'static str, Situation)> {
    let about = |it: &mut Situation, change: &dyn Fn(&mut About)| {
        it.contestants[0].about.iter_mut().for_each(change);
    };
    let objective = |text: &str, it: Situation| with(it, |it| it.slo = Some(text.parse().expect("an objective")));
    vec![
        ("it has drivers for few languages", with(split(), |it| about(it, &|one| one.languages = vec!["rust".into()]))),
        (
            "connections change what others have read",
            with(split(), |it| {
                it.phases[2].under_way = 16;
                about(it, &|one| one.isolation = Some(Isolation::ReadCommitted));
                it.contestants[1].about.iter_mut().for_each(|one| one.isolation = Some(Isolation::Serializable));
            }),
        ),
        (
            "its licence binds programs",
            with(split(), |it| about(it, &|one| one.licence_binds = Some(LicenceBinds::Programs))),
        ),
        (
            "it is a server whose licence binds services",
            with(alone("server"), |it| about(it, &|one| one.licence_binds = Some(LicenceBinds::Services))),
        ),
        (
            "the version that was measured is out of support",
            with(alone("server"), |it| {
                it.contestants[0].version = Some("8.0.31".into());
                about(it, &|one| {
                    one.lines = vec![ReleaseLine {
                        version: "8.0".into(),
                        until: "2026-04-30".into(),
                        source: "https://example.org".into(),
                    }];
                });
            }),
        ),
        ("all stay below an objective", objective("p99<5ms", split())),
        ("one stays below an objective", objective("p99<40us", split())),
        ("none stays below an objective", objective("p99<1us", split())),
        ("nobody knows whether an objective holds", {
            with(objective("p99.9<5ms", split()), |it| {
                it.contestants.iter_mut().flat_map(|one| &mut one.standings).for_each(|one| one.at_objective = None);
            })
        }),
        ("a need and an objective that one misses", objective("p99<40us", needing(50.0, split()))),
    ]
}
