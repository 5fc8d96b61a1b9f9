use super::*;

fn loss(text: &str) -> Loss {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn guarantee(kill: &str, power: &str, integrity: Integrity) -> Guarantee {
    Guarantee { kill: loss(kill), power: loss(power), integrity }
}

#[test]
fn a_loss_is_read_as_it_is_written_and_has_a_unit() {
    for text in [
        "0",
        "1 commit",
        "1003 commits",
        "600 ms",
        "64 KiB",
        "checkpoint, 1003 commits",
        "checkpoint, 64 MiB",
        "writeback",
        "all",
    ] {
        assert_eq!(loss(text).to_string(), text);
    }
    assert_eq!(loss("2 s"), Loss::Millis(2000));
    for wrong in
        ["", "5", "1000", "0 ms", "5 parsecs", "checkpoint", "checkpoint, 5 ms", "-1 ms", "99999999999999999999 s"]
    {
        assert!(wrong.parse::<Loss>().is_err(), "{wrong}");
    }
}

#[test]
fn losses_compare_where_they_have_a_unit_in_common() {
    assert!(loss("0") < loss("1 commit") && loss("1 commit") < loss("1 ms") && loss("600 ms") < loss("1 s"));
    assert!(loss("2 s") < loss("checkpoint, 10 commits") && loss("checkpoint, 10 commits") < loss("writeback"));
    assert!(loss("writeback") < loss("all"));
    let apart = [("2 commits", "5 ms"), ("5 ms", "64 KiB"), ("checkpoint, 9 commits", "checkpoint, 1 MiB")];
    for (one, other) in apart {
        assert_eq!(loss(one).partial_cmp(&loss(other)), None, "{one}, {other}");
    }
}

#[test]
fn a_level_is_a_demand_on_all_three_facts() {
    use Integrity::{I0, I2, I3};
    let minimum = |text: &str| text.parse::<MinimumDurability>().unwrap_or_else(|error| panic!("{error}"));
    let cases = [
        (guarantee("0", "0", I0), "power", "power consistent window=1s kill cache default"),
        (guarantee("0", "0", I2), "kill", "kill cache default"),
        (guarantee("0", "1 commit", I0), "consistent", "consistent window=1commits kill cache default"),
        (guarantee("600 ms", "600 ms", I0), "window", "window=600ms window=1s cache default"),
        (guarantee("0", "checkpoint, 1003 commits", I0), "consistent", "consistent kill cache default"),
        (guarantee("0", "writeback", I3), "kill", "kill cache default"),
        (guarantee("all", "all", I0), "cache", "cache default"),
    ];
    for (kept, level, met) in cases {
        assert_eq!(kept.level().word(), level, "{kept:?}");
        for asked in "power consistent window=1s window=600ms window=1commits kill cache default".split(' ') {
            let expected =
                met.split(' ').any(|one| one == asked) || (kept == Guarantee::FULL && asked.starts_with("window"));
            assert_eq!(kept.meets(minimum(asked)), expected, "{kept:?} {asked}");
        }
    }
}

#[test]
fn a_minimum_is_read_as_it_is_written_and_a_wrong_one_is_told_with_all() {
    for text in ["power", "consistent", "window=1s", "window=250ms", "window=100commits", "kill", "cache", "default"] {
        assert_eq!(text.parse::<MinimumDurability>().map(|one| one.to_string()).as_deref(), Ok(text));
    }
    let error = |text: &str| text.parse::<MinimumDurability>().expect_err(text).to_string();
    assert!(error("window=5").contains("unit") && error("strong").contains("'strong'"));
    assert!(error("process").contains("'consistent'") && error("none").contains("'cache'"));
}

#[test]
fn a_window_is_read_in_words_and_typed_as_it_was() {
    let minimum = |text: &str| text.parse::<MinimumDurability>().unwrap_or_else(|error| panic!("{error}"));
    let both = |text: &str| [minimum(text).words(), minimum(text).short()].map(|words| words.to_string());
    assert_eq!(both("window=1commits"), ["window of 1 commit", "≤ 1 commit"]);
    assert_eq!(both("window=100commits"), ["window of 100 commits", "≤ 100 commits"]);
    assert_eq!(both("window=10ms"), ["window of 10 ms", "≤ 10 ms"]);
    assert_eq!(both("window=2s"), ["window of 2 s", "≤ 2 s"]);
    assert_eq!(both("consistent"), ["consistent", "consistent"]);
}

#[test]
fn windows_in_names_are_read_in_words_and_those_of_commands_stay() {
    let text = "'lmdb (window=1commits)' and 'redb (tuned, window=10ms)+rust' tie";
    assert_eq!(windows_in_short(text), "'lmdb (≤ 1 commit)' and 'redb (tuned, ≤ 10 ms)+rust' tie");
    assert_eq!(windows_in_short("lmdb (window=1s, tuned)"), "lmdb (≤ 1 s, tuned)");
    for same in [
        "kurabe run quick --durability window=1s",
        "kurabe run quick --axis durability=power,window=1s,window=2s",
        "lmdb (window=soon)",
        "lmdb (window=1s",
        "a (b=window=1s)",
        // What is to be typed.
        "f.toml: invalid durability 'none': expected one of: power, consistent, window=1s, kill (line 1, column 14)",
    ] {
        assert_eq!(windows_in_short(same), same);
    }
}

#[test]
fn minimums_are_ordered_by_what_a_power_failure_may_take() {
    let allowed = ["power", "window=1commits", "window=10ms", "window=1s", "consistent", "kill"]
        .map(|text| text.parse::<MinimumDurability>().unwrap_or_else(|error| panic!("{error}")).allows());
    assert!(allowed.windows(2).all(|pair| pair[0] < pair[1]), "{allowed:?}");
    assert_eq!(MinimumDurability::Default.allows(), None);
}

#[test]
fn what_takes_from_a_guarantee_leaves_the_worse_of_each_fact() {
    let left = guarantee("0", "1 commit", Integrity::I0).at_most(guarantee("0", "all", Integrity::I2));
    assert_eq!(left, guarantee("0", "all", Integrity::I2));
    assert!(Guarantee::FULL.is_stronger_in_any(left) && !left.is_stronger_in_any(Guarantee::FULL));
    let (seconds, checkpoint) =
        (guarantee("600 ms", "600 ms", Integrity::I0), guarantee("0", "checkpoint, 9 commits", Integrity::I0));
    assert!(seconds.is_stronger_in_any(checkpoint) && checkpoint.is_stronger_in_any(seconds));
}
