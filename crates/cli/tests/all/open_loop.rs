//! Phases with a rate: every operation has a planned start, whatever the store does meanwhile.

use kurabe_protocol::{KindLatency, OpenLoop, StoppedBy};
use kurabe_record::{Metric, PhaseRecord};
use kurabe_stats::Histogram;

use crate::common::{Place, assert_mistake, finish, here};

const STUDY: &str = r#"
title = "Does a pause count for all users who would have waited?"
rows = 2_000
value_len_bytes = 100
rounds = 1
durability = "cache"
quiet_wait = "0s"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
name = "closed"
operation = "read"
distribution = "uniform"
connections = 4
duration = "3s"
actions = [{ at = "1s", pause = { service = "store", time = "300ms" } }]

[[phase]]
name = "open"
operation = "mix"
mix = { read = 95, update = 5 }
distribution = "uniform"
connections = 4
rate = 1_000
duration = "3s"
warmup = "200ms"
actions = [{ at = "1200ms", pause = { service = "store", time = "300ms" } }]

[[phase]]
name = "short-queue"
operation = "read"
distribution = "uniform"
connections = 4
rate = 1_000
pattern = "constant"
queue = 10
duration = "2s"
actions = [{ at = "1s", pause = { service = "store", time = "300ms" } }]

[[phase]]
name = "far-beyond"
operation = "read"
distribution = "uniform"
rate = 5_000_000
duration = "500ms"
"#;

fn p99_ns(record: &PhaseRecord) -> u64 {
    let buckets = record.results.iter().flat_map(|result| &result.latency).flat_map(|kind| &kind.buckets);
    let max_ns = record.results.iter().flat_map(|result| &result.latency).map(|kind| kind.max_ns).max();
    let mut pairs: Vec<[u64; 2]> = buckets.map(|bucket| [bucket.0, bucket.1]).collect();
    pairs.sort_unstable();
    let histogram = Histogram::from_pairs(pairs, max_ns).expect("a histogram");
    histogram.percentile(0.99).expect("a percentile")
}

/// What became of all planned operations, over all processes, which add up.
fn planned(record: &PhaseRecord) -> OpenLoop {
    let loops = || record.results.iter().map(|result| result.open_loop.as_ref().expect("an open loop"));
    let sum = |of: fn(&OpenLoop) -> u64| loops().map(of).sum::<u64>();
    let (planned, dropped, open) = (sum(|one| one.planned), sum(|one| one.dropped), sum(|one| one.open));
    assert_eq!(planned, record.operations() + record.failed() + dropped + open);
    for result in &record.results {
        assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
    }
    OpenLoop { planned, dropped, open, ..loops().next().expect("a process").clone() }
}

/// Each study is refused before anything starts, in these words.
#[track_caller]
fn assert_refused<const N: usize>(studies: [(String, [&str; 2]); N]) {
    let place = Place::new();
    for (study, words) in studies {
        assert_mistake(&finish(&mut place.run(&study, &["--stores", "sqlite"])), &words);
    }
    assert!(!place.out().exists());
}

#[test]
fn a_pause_counts_for_all_who_would_have_waited() {
    // Redis: many connections on one thread; MariaDB: a thread for each; SQLite: in the client, where nothing is paused.
    let stores = "redis,postgres+rust:pipelined,mariadb,sqlite";
    if !here(&["redis", "postgres", "mariadb"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(STUDY, &["--stores", stores]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let name = &job.candidate;
        let [_, closed, open, short, beyond] = &job.phases[..] else { panic!("{name}: {:?}", job.phases.len()) };
        let far = planned(beyond);
        // Poisson arrivals: 2,500,000 with a standard deviation of 1,600.
        assert!((2_480_000..2_520_000).contains(&far.planned) && far.open > 0, "{name}: {far:?}");
        assert!(beyond.operations() < far.planned * 99 / 100, "{name}");
        if name == "sqlite" {
            continue;
        }
        assert!(closed.results[0].open_loop.is_none());
        // A connection meets the pause once; of 1,000 operations a second for 3 s those in 300 ms are a tenth, of which
        // nine tenths waited for longer than 30 ms.
        let (closed_ns, open_ns) = (p99_ns(closed), p99_ns(open));
        assert!(closed_ns < 100_000_000, "{name}: {closed_ns}");
        assert!((200_000_000..1_000_000_000).contains(&open_ns), "{name}: {open_ns}");
        assert!((2_700..3_300).contains(&planned(open).planned), "{name}");
        let short = planned(short);
        assert_eq!(short.planned, 1_999, "{name}: one each ms, the last before the end");
        // In 300 ms there are 300; four are under way and ten wait.
        assert!(short.dropped >= 200, "{name}: {short:?}");
    }
    let full = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    // Lines break where the terminal ends.
    let text = full.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    for words in ["done of planned", "response p99", "does not hold the planned rate", "pause store after 1"] {
        assert!(text.contains(words), "{words} is not in\n{}", full.out);
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_rate_that_cannot_be_planned_is_refused_before_anything_starts() {
    let with = |change: &str, by: &str| STUDY.replacen(change, by, 1);
    assert_refused([
        (with("rate = 1_000", "rate = 0"), ["rate", "1"]),
        (with("rate = 1_000", "rate = -5"), ["rate", "-5"]),
        (with("rate = 1_000", "rate = 20_000_000"), ["rate", "10,000,000"]),
        (with("rate = 1_000", "rate = 1_000\ncount = 9"), ["'duration'", "'count'"]),
        (with("rate = 1_000", "rate = 1_000\nbatch = 9"), ["'rate'", "'batch'"]),
        (with("rate = 1_000", "queue = 9"), ["'queue'", "rate = 2000"]),
        (with("commit_every = 100", "commit_every = 100\nrate = 9"), ["'rate'", "'load'"]),
        (with("duration = \"500ms\"", "duration = \"1h\""), ["18,000,000,000", "lower 'rate'"]),
        (with("time = \"300ms\"", "time = \"1m\""), ["10.0 s", "1m"]),
    ]);
}

/// The phases of an open loop, at a rate that every client holds.
fn study_of_languages() -> String {
    let begin = STUDY.find("[[phase]]\nname = \"closed\"").expect("a closed loop");
    let open = STUDY.find("[[phase]]\nname = \"open\"").expect("an open loop");
    let beyond = STUDY.find("[[phase]]\nname = \"far-beyond\"").expect("one beyond");
    format!("{}{}", &STUDY[..begin], &STUDY[open..beyond])
}

/// The client's process holds the connections in Go, in Node and on the JVM; elsewhere each connection has a process of
/// its own, with its part of the plan.
#[test]
fn clients_of_all_languages_begin_what_was_planned() {
    let stores = ["redis+go", "redis+jvm", "redis+node", "redis+perl", "redis+php", "redis+python", "redis+ruby"];
    if !here(&stores) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(&study_of_languages(), &["--stores", &stores.join(","), "--rows", "400"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    assert_eq!(loaded.jobs.len(), stores.len());
    for job in &loaded.jobs {
        let name = &job.candidate;
        let [_, open, short] = &job.phases[..] else { panic!("{name}: {:?}", job.error) };
        // Of 3 s those that wait in 300 ms are a tenth.
        let open_ns = p99_ns(open);
        assert!((150_000_000..1_500_000_000).contains(&open_ns), "{name}: {open_ns}");
        assert!((2_700..3_300).contains(&planned(open).planned), "{name}");
        // In 300 ms there are 300, of which each process lets ten wait and has some under way.
        let short = planned(short);
        assert!(short.dropped >= 150, "{name}: {short:?}");
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_client_without_planned_starts_says_so() {
    if !here(&["postgres+pgbench"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(STUDY, &["--stores", "postgres+pgbench,postgres", "--rows", "400"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let full = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    assert!(full.out.contains("no planned starts (rate)"), "{}", full.out);
}

const SEARCH: &str = r#"
title = "Which rate does it hold?"
rows = 2_000
value_len_bytes = 100
rounds = 1
durability = "cache"
quiet_wait = "0s"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
name = "pages"
operation = "read"
distribution = "uniform"
connections = 4
duration = "300ms"
deciding = true

[[phase]]
name = "own-search"
operation = "mix"
mix = { read = 9, update = 1 }
connections = 4
distribution = "uniform"
rate = 2_000
duration = "300ms"
slo = "p50<2ms"
"#;

#[test]
fn the_highest_rate_that_keeps_a_promise_is_found_and_told() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(SEARCH, &["--stores", "redis", "--slo", "p99<100ms"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    let job = &loaded.jobs[0];
    let names: Vec<&str> = job.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["load", "pages", "pages-rate", "own-search"]);
    let closed = &job.phases[1];
    let rate = closed.operations() as f64 * 1e9 / closed.span().expect("a span").wall_ns() as f64;
    for (phase, slo, first) in [(&job.phases[2], "p99<100ms", 0.7 * rate), (&job.phases[3], "p50<2ms", 2_000.0)] {
        let slo = slo.parse().expect("an objective");
        let found = phase.highest_rate(&slo).expect("a rate");
        let broken = phase.steps.iter().filter(|step| !slo.is_kept_by(&step.results)).map(|step| step.rate).min();
        assert!((f64::from(phase.steps[0].rate) / first - 1.0).abs() < 0.01, "{} is not first", phase.steps[0].rate);
        assert!(broken.is_some_and(|broken| broken > found), "{found} and {broken:?}");
        // What the phase shows is the step at that rate.
        let shown = planned(phase);
        let step = phase.steps.iter().rfind(|step| step.rate == found).expect("the step");
        assert_eq!(shown.planned, step.results[0].open_loop.as_ref().expect("an open loop").planned);
        assert!(phase.steps.iter().all(|step| step.results[0].series.operations.is_empty()), "they have no course");
    }
    assert!(
        said.out.contains("'redis' holds ") && said.out.contains(" users, each with one operation"),
        "{}",
        said.out
    );
    place.assert_nothing_is_left();
}

#[test]
fn a_rate_and_a_number_of_users_are_typed() {
    let place = Place::new();
    let flags = ["--stores", "sqlite", "--rows", "400", "--rate", "120_000/min", "--users", "500", "--think", "5s"];
    let said = finish(&mut place.run(SEARCH, &flags));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    let plan = &loaded.run.plan.configurations[0].phases[1];
    assert_eq!(plan.phase.schedule.as_ref().map(|schedule| schedule.rate), Some(2_000));
    assert_eq!(plan.need_per_s, Some(100.0));
    assert!(loaded.run.command.contains("--users 500 --think 5s --rate 2000/s"), "{}", loaded.run.command);
    assert!((540..660).contains(&planned(&loaded.jobs[0].phases[1]).planned), "300 ms of 2,000 a second");
    for (flags, words) in [
        (["--rate", "0/s"], ["0/s", "above 0"]),
        (["--rate", "2.5/s"], ["rate", "2.5/s"]),
        (["--rate", "20000000/s"], ["10,000,000", "20000000/s"]),
        (["--users", "0"], ["users", "1"]),
        (["--think", "3s"], ["--users", "--help"]),
    ] {
        let said = finish(&mut place.run(SEARCH, &[&["--stores", "sqlite"], &flags[..]].concat()));
        assert_mistake(&said, &words);
    }
}

#[test]
fn a_promise_that_nobody_keeps_and_one_without_a_phase_for_it_are_told() {
    let place = Place::new();
    let of = |change: &str, by: &str| SEARCH.replacen(change, by, 1);
    let never = of("slo = \"p50<2ms\"", "slo = \"p50<1ns\"");
    let said = finish(&mut place.run(&never, &["--stores", "sqlite", "--rows", "400"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("'sqlite' keeps p50<1ns in own-search at no rate that was tried"), "{}", said.out);
    assert_refused([
        (of("mix = { read = 9, update = 1 }", "mix = { read = 9, insert = 1 }"), ["'slo'", "inserts"]),
        (of("slo = \"p50<2ms\"", "slo = \"p50<2ms\"\nrank_by = \"p99\""), ["highest rate", "'rank_by'"]),
        (of("slo = \"p50<2ms\"", "rank_by = \"highest-rate\""), ["rank_by = \"highest-rate\"", "slo = "]),
        (of("slo = \"p50<2ms\"", "slo = \"p98<2ms\""), ["p98", "p99.9"]),
        (of("commit_every = 100", "commit_every = 100\nslo = \"p50<2ms\""), ["'slo'", "'load'"]),
    ]);
}

const WAITS: &str = r#"
title = "Does a rate rise, and does a connection think?"
rows = 1_000
value_len_bytes = 100
rounds = 1
durability = "cache"
quiet_wait = "0s"

[[phase]]
operation = "load"
commit_every = 100

[[phase]]
name = "ramp"
operation = "read"
distribution = "uniform"
connections = 4
rate = 200
rate_to = 1_800
duration = "2s"
warmup_count = 20

[[phase]]
name = "thinks"
operation = "mix"
mix = { read = 9, update = 1 }
distribution = "uniform"
connections = 8
think = "50ms"
duration = "1s"
warmup_count = 80
"#;

#[test]
fn a_rate_rises_and_connections_think() {
    // One thread for all connections, and one for each.
    let stores = "redis,sqlite";
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(WAITS, &["--stores", stores]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let (name, [_, ramp, thinks]) = (&job.candidate, &job.phases[..]) else { panic!("{:?}", job.phases.len()) };
        // 1,000 operations a second in the mean, with a standard deviation of 45.
        assert!((1_700..2_300).contains(&planned(ramp).planned), "{name}: {:?}", planned(ramp));
        // Each connection asks at most every 50 ms; a loud machine may take half of them.
        let done = thinks.operations();
        assert!((80..=8 * 21).contains(&done), "{name}: {done} operations of connections that think");
        assert_eq!((thinks.failed(), thinks.results[0].checks.failed()), (0, 0), "{name}");
        // The wait is in no latency.
        let mean_ns = |kind: &KindLatency| kind.sum_ns / kind.count.max(1);
        assert!(thinks.results[0].latency.iter().all(|kind| mean_ns(kind) < 50_000_000), "{name}");
    }
    let ranked: Vec<Metric> =
        place.loaded().run.plan.configurations[0].phases.iter().map(|plan| plan.rank_by).collect();
    assert_eq!(ranked, [Metric::Rate, Metric::P99, Metric::P50]);
    let page = std::fs::read_to_string(place.out().join("report.html")).expect("a page");
    for words in ["open loop of 200 operations", "going evenly to 1,800 operations", "think time of 50.0 ms"] {
        assert!(page.contains(words), "{words}");
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_ramp_without_a_rate_and_a_thought_without_an_answer_are_refused() {
    let of = |change: &str, by: &str| WAITS.replacen(change, by, 1);
    assert_refused([
        (of("rate = 200\n", ""), ["'rate_to'", "rate = 2000"]),
        (of("rate_to = 1_800", "rate_to = 0"), ["rate_to", "1"]),
        (of("rate_to = 1_800", "rate_to = 1_800\nslo = \"p50<2ms\""), ["'slo'", "'rate_to'"]),
        (of("think = \"50ms\"", "think = \"50ms\"\nrate = 100"), ["'think'", "'rate'"]),
        (of("think = \"50ms\"", "think = \"50ms\"\ndepth = 4"), ["'think'", "'depth'"]),
        (of("think = \"50ms\"", "think = \"0s\""), ["think", "1h"]),
        (of("think = \"50ms\"", "think = \"1s\""), ["'think'", "'duration'"]),
        (of("commit_every = 100", "commit_every = 100\nthink = \"5ms\""), ["'think'", "'load'"]),
    ]);
}

/// Connections that think: how many operations, where a count ends the phase and where the store goes away meanwhile.
#[test]
fn connections_that_think_stop_at_a_count_and_find_their_store_again() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let begin = WAITS.find("[[phase]]\nname = \"ramp\"").expect("a ramp");
    let study = format!(
        r#"{}
[[phase]]
name = "counted"
operation = "read"
connections = 4
think = "300ms"
count = 8

[[phase]]
name = "amid-restart"
operation = "read"
connections = 4
think = "20ms"
duration = "2s"
actions = [{{ at = "500ms", restart = "store" }}]
"#,
        &WAITS[..begin]
    );
    let said = finish(&mut place.run(&study, &["--stores", "redis,sqlite,redis/serve", "--durability", "power"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    for job in &place.loaded().jobs {
        let (name, [_, counted, restarted]) = (&job.candidate, &job.phases[..]) else {
            panic!("{:?}", job.phases.len())
        };
        let span = counted.span().expect("a span");
        let ms = span.wall_ns() / 1_000_000;
        // The first begins at once, the fourth 225 ms later, each asks again after 300 ms, and nobody thinks behind that.
        assert_eq!(counted.operations(), 8, "{name}");
        assert!(ms >= 500, "{name}: the connections asked at once, and were done after {ms} ms");
        assert!(counted.results.iter().all(|result| result.stopped_by == StoppedBy::Count), "{name}");
        if name != "sqlite" {
            let most = 4 * 101;
            assert!((20..=most).contains(&restarted.operations()), "{name}: {}", restarted.operations());
        }
    }
    place.assert_nothing_is_left();
}
