//! Situations that a panel of store maintainers described, in which an answer by speed alone would be wrong.

use kurabe_messages::message;
use kurabe_record::Retention;

use super::*;
use crate::findings::recommend::{Alternative, Condition, Unless, elsewhere};

/// A store by the facts that its makers state.
fn store(name: &str, form: Form, model: Model, standings: &[(usize, f64)]) -> Contestant {
    let mut it = one(name, standings);
    let writers = if form == Form::Server { Writers::Several } else { Writers::One };
    let plain = match name {
        "sqlite" => Some(UsedBy::OneProgram),
        "postgres" => Some(UsedBy::SeveralMachines),
        _ => None,
    };
    it.about = Some(About { form, model, writers, plain_choice: plain, ..about(name) });
    it.guarantee = Some(Guarantee::FULL);
    it
}

fn sql(name: &str, standings: &[(usize, f64)]) -> Contestant {
    store(name, Form::Library, Model::Sql, standings)
}

fn keys(name: &str, standings: &[(usize, f64)]) -> Contestant {
    store(name, Form::Library, Model::KeyValue, standings)
}

/// What they are is known of each.
fn among(contestants: &[Contestant]) -> Situation {
    with(situation(contestants), |it| {
        it.known = it
            .contestants
            .iter()
            .map(|one| KnownStore { about: one.about.clone().expect("known"), ..known(&one.store) })
            .collect();
    })
}

fn guarantee(kill: &str, power: &str) -> Guarantee {
    let loss = |text: &str| text.parse().expect("a loss");
    Guarantee { kill: loss(kill), power: loss(power), integrity: Integrity::I0 }
}

fn take(situation: &Situation) -> (Rule, String) {
    let it = of_situation(situation);
    (it.rule, it.taken().join(" "))
}

/// The store that one case names.
fn instead(situation: &Situation, is_it: impl Fn(&Unless) -> Option<&Alternative>) -> String {
    let it = of_situation(situation);
    match it.unless.iter().find_map(is_it) {
        Some(Alternative::Measured { candidate }) => candidate.clone(),
        other => panic!("{other:?} in {:?}", it.unless),
    }
}

/// 1: SQLite leads the mix 3.1 times with 0.002 syncs a commit, LMDB makes one.
#[test]
fn a_lead_by_fewer_syncs_decides_nothing() {
    let mut it =
        among(&[sql("sqlite", &[(1, 1.0), (2, 8.2), (1, 1.0)]), keys("lmdb", &[(2, 1.15), (1, 1.0), (2, 3.1)])]);
    it.contestants[0].guarantee = Some(guarantee("0", "checkpoint, 1003 commits"));
    it.contestants[1].guarantee = Some(guarantee("0", "1 commit"));
    assert_eq!(take(&it), (Rule::LeastBehind, "lmdb".into()));
    it.contestants[1].guarantee = it.contestants[0].guarantee;
    assert_eq!(take(&it), (Rule::FirstInTheMix, "sqlite".into()), "at equal promises the mix decides");
}

/// 1, under a condition that is not the first: whoever reads that LMDB is taken there reads what it costs to keep more.
#[test]
fn what_it_costs_to_keep_more_is_said_of_another_condition_too() {
    let mut there =
        among(&[sql("sqlite", &[(1, 1.0), (2, 8.2), (1, 1.0)]), keys("lmdb", &[(2, 1.15), (1, 1.0), (2, 3.1)])]);
    there.contestants[0].guarantee = Some(guarantee("0", "checkpoint, 1003 commits"));
    there.contestants[1].guarantee = Some(guarantee("0", "1 commit"));
    there.phases[2].writes = true;
    let here = among(&[sql("sqlite", &[(1, 1.0); 3]), keys("lmdb", &[(2, 2.0); 3])]);
    let at = Condition::Durability(MinimumDurability::Consistent);
    let Unless::Elsewhere { candidates, because, .. } = elsewhere(at, &here, &of_situation(&here), &there) else {
        panic!("another condition")
    };
    assert_eq!(candidates, ["lmdb"]);
    let is_it = |rationale: &Rationale| matches!(rationale, Rationale::Safer { phase, faster, times, .. } if phase == "mix" && faster == "sqlite" && *times == 3.1);
    assert!(because.iter().any(is_it), "{because:?}");
}

/// 2: a run that can tell large differences only says nothing of several clients but which store they drive.
#[test]
fn clients_that_were_not_told_apart_are_not_called_alike() {
    let it = with(situation(&[through("plain", "go", 1), through("plain", "node", 1)]), |it| may_differ(it, 170.0));
    let told = of_situation(&it).advice().headline;
    assert_eq!(told, message!(recommendation_take_any_client, store = "plain", count = 2u64));
}

/// 3: a SQL store that several machines are to use gives way to a SQL server, however fast a key-value server is.
#[test]
fn several_machines_get_a_server_of_the_same_model() {
    let server = |name, model, standings: &[(usize, f64)]| store(name, Form::Server, model, standings);
    let mut it = among(&[
        sql("sqlite", &[(1, 1.0); 3]),
        server("redis", Model::KeyValue, &[(2, 3.0); 3]),
        server("postgres", Model::Sql, &[(3, 9.0); 3]),
    ]);
    it.contestants[1].guarantee = Some(guarantee("0", "writeback"));
    let named = instead(&it, |unless| match unless {
        Unless::SeveralMachines { instead, .. } => Some(instead),
        _ => None,
    });
    assert_eq!(named, "postgres");
}

/// 4: a tree of 2012 whose file may be wrong after a power failure does not meet `consistent`.
#[test]
fn a_setting_that_may_leave_wrong_data_meets_no_level_above_kill() {
    let unsound = Guarantee { integrity: Integrity::I3, ..guarantee("0", "writeback") };
    for minimum in [MinimumDurability::Power, MinimumDurability::Consistent] {
        assert!(!unsound.meets(minimum), "{minimum}");
    }
    assert!(unsound.meets(MinimumDurability::Kill) && unsound.meets(MinimumDurability::Cache));
}

/// 5: all meet the need, and Derby has been retired.
#[test]
fn a_retired_store_is_not_taken_where_others_are_enough() {
    let mut it = needing(200.0, among(&[sql("derby", &[(1, 1.0); 3]), sql("hsqldb", &[(2, 1.5); 3])]));
    it.contestants[0].about.iter_mut().for_each(|about| about.status = SupportStatus::Retired);
    assert_eq!(take(&it).1, "hsqldb");
}

/// 6: PostgreSQL does 12,000 a second in the mix, 5,000 are needed, and one update in a hundred takes 6 ms.
#[test]
fn a_rare_pause_does_not_miss_a_rate() {
    let mut it = needing(5_000.0, among(&[store("postgres", Form::Server, Model::Sql, &[(1, 8.0); 3])]));
    it.contestants[0].standings.iter_mut().for_each(|one| one.slow[0].quantiles = vec![(0.99, 6_000_000)]);
    assert_eq!(take(&it), (Rule::OnlyOne, "postgres".into()));
    it.slo = Some("p99<5ms".parse().expect("an objective"));
    it.contestants[0].standings.iter_mut().for_each(|one| one.at_objective = Some((Operation::Update, 6_000_000)));
    assert_eq!(take(&it).0, Rule::NoneEnough, "who asks for a latency is answered about latencies");
}

/// 7: for a cache a library leads, which neither expires nor evicts rows.
#[test]
fn a_cache_asks_whether_rows_expire() {
    let mut redis = store("redis", Form::Server, Model::KeyValue, &[(2, 20.0); 3]);
    redis.about.iter_mut().for_each(|about| about.forgets = vec![Retention::Expiry, Retention::Eviction]);
    let mut it = among(&[keys("lmdb", &[(1, 1.0); 3]), redis]);
    it.asked = MinimumDurability::Cache;
    let named = instead(&it, |unless| match unless {
        Unless::RowsExpire { instead } => Some(instead),
        _ => None,
    });
    assert_eq!(named, "redis");
}

/// 9: a library with several writers is for the threads of one program.
#[test]
fn many_writers_get_a_server() {
    let mut duckdb = sql("duckdb", &[(2, 2.0); 3]);
    duckdb.about.iter_mut().for_each(|about| about.writers = Writers::Several);
    let it =
        among(&[sql("sqlite", &[(1, 1.0); 3]), duckdb, store("postgres", Form::Server, Model::Sql, &[(3, 30.0); 3])]);
    let named = instead(&it, |unless| match unless {
        Unless::SeveralMachines { instead, also_for_writers: true } => Some(instead),
        _ => None,
    });
    assert_eq!(named, "postgres");
}

/// 11: where a rate is needed, a difference is told as time a day.
#[test]
fn a_difference_is_told_as_time_at_the_rate_that_is_needed() {
    let it = needing(
        20_000.0,
        among(&[
            sql("sqlite", &[(1, 1.0), (2, 4.0), (1, 1.0)]),
            keys("lmdb", &[(2, 1.5), (1, 1.0), (2, 2.0)]),
            keys("slow", &[(3, 50.0); 3]),
        ]),
    );
    let saved = of_situation(&it).unless.into_iter().find_map(|unless| match unless {
        Unless::Phase { saves_s_per_day, .. } => saves_s_per_day,
        _ => None,
    });
    // 20,000/s are 1.728 billion reads a day, of 40 us and of 10 us.
    let saved = saved.expect("told");
    assert!((saved - 1.728e9 * 30e-6).abs() < 1.0, "{saved}");
}

/// 12: two hundredths in the mix do not outweigh 50 times elsewhere.
#[test]
fn the_mix_decides_by_a_margin() {
    let mix = |behind: f64| {
        take(&among(&[keys("a", &[(2, 50.0), (2, 50.0), (1, 1.0)]), keys("b", &[(1, 1.0), (1, 1.0), (2, behind)])]))
    };
    assert_eq!(mix(1.02), (Rule::LeastBehind, "b".into()));
    assert_eq!(mix(1.5), (Rule::FirstInTheMix, "a".into()));
}

/// 13: 10,000 rows say nothing of ten million.
#[test]
fn what_is_far_beyond_the_measured_rows_is_not_known() {
    let it = among(&[keys("fjall", &[(1, 1.0); 3]), keys("redb", &[(2, 2.0); 3])]);
    let is_told = |it: &Situation| {
        of_situation(it)
            .unless
            .iter()
            .any(|one| matches!(one, Unless::MoreRows { rows: 10_000, command } if command.starts_with("kurabe run ")))
    };
    assert!(is_told(&it));
    let grown = with(it, |it| it.contestants.iter_mut().for_each(|one| one.growth = vec![grown("mix", 2.0)]));
    assert!(!is_told(&grown), "where growth was measured it is told");
}

/// 14, 15: a licence that binds programs, and a store for one language.
#[test]
fn a_licence_and_a_language_are_told_before_somebody_builds_on_a_store() {
    let mut gdbm = keys("gdbm", &[(1, 1.0); 3]);
    gdbm.about.iter_mut().for_each(|about| {
        about.licence_binds = Some(LicenceBinds::Programs);
        about.languages = vec!["c".into(), "python".into()];
    });
    let told = of_situation(&among(&[gdbm, keys("lmdb", &[(2, 2.0); 3])])).advice().unless;
    let instead = || message!(recommendation_instead, candidate = "lmdb");
    let languages = message!(recommendation_unless_language, languages = ["C", "Python"], instead = instead());
    assert!(told.contains(&languages), "{told:?}");
    assert!(told.iter().any(|one| one.id() == "recommendation-unless-distributed"), "{told:?}");
}

/// 16: who did not say how much is needed is told up to where it does not matter.
#[test]
fn a_winner_by_speed_names_the_rate_up_to_which_the_plain_choice_does_it_too() {
    let it = among(&[keys("lmdb", &[(1, 1.0), (1, 1.0), (1, 1.0)]), sql("sqlite", &[(2, 2.0), (2, 8.0), (2, 4.0)])]);
    let little = |it: &Situation| {
        of_situation(it).unless.into_iter().find_map(|one| match one {
            Unless::LittleNeeded { rate_per_s, candidate } => Some((rate_per_s, candidate)),
            _ => None,
        })
    };
    // 100,000/s / 8, less the interval of 5 %.
    assert_eq!(little(&it), Some((11_875.0, "sqlite".into())));
    assert_eq!(little(&needing(9e3, it)), None);
}
