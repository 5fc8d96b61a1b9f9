//! Whatever numbers a study holds, it is refused before anything starts, or a client can do what it asks for.

use std::path::Path;

use crate::common::run;
use kurabe_protocol::{Distribution, Job, Phase, Work};
use kurabe_study::{Catalogue, Overrides, Study};
use kurabe_testkit::Workbench;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A number as somebody may type it: mostly small, now and then at the edge of what can be.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => 1i64..6,
        1 => prop::sample::select(vec![-1i64, 0, 7, 60, 4_294_967_295, 4_294_967_296, i64::MAX]),
    ]
}

/// Keys of a phase that hold a number, each given or not.
fn numbers() -> impl Strategy<Value = String> {
    let keys = [
        "count",
        "count_at_most",
        "warmup_count",
        "connections",
        "commit_every",
        "batch_rows",
        "latest_rows",
        "multi_read_rows",
        "depth",
        "batch",
    ];
    let key = |key: &'static str| prop_oneof![4 => Just(String::new()), 1 => number().prop_map(move |number| format!("{key} = {number}\n"))];
    keys.map(key).to_vec().prop_map(|lines| lines.concat())
}

fn phase() -> impl Strategy<Value = String> {
    let operation = prop::sample::select(vec![
        "insert",
        "read",
        "update",
        "delete",
        "scan",
        "latest",
        "multi-read",
        "increment",
        "open",
        "load",
        "mix",
    ]);
    let distribution = prop::sample::select(vec!["sequential", "uniform", "zipfian", "hotspot", "latest"]);
    let share = || prop_oneof![3 => 1i64..5, 1 => Just(0i64), 1 => number()];
    let mix = (share(), share(), share(), share()).prop_map(|(read, insert, update, latest)| {
        format!("mix = {{ read = {read}, insert = {insert}, update = {update}, latest = {latest} }}\n")
    });
    (operation, distribution, mix, numbers(), prop::bool::weighted(0.7)).prop_map(
        |(operation, distribution, mix, numbers, usual_count)| {
            let mix = if operation == "mix" { mix } else { String::new() };
            let count = if usual_count
                && operation != "load"
                && !numbers.contains("count =")
                && !numbers.contains("count_at")
            {
                "count = 9\n"
            } else {
                ""
            };
            format!("operation = \"{operation}\"\ndistribution = \"{distribution}\"\n{mix}{count}{numbers}")
        },
    )
}

fn study() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec!["row", "batch"]);
    let batch_rows =
        prop_oneof![2 => Just(String::new()), 1 => number().prop_map(|rows| format!("batch_rows = {rows}\n"))];
    let rows = prop_oneof![4 => 1i64..40, 1 => number()];
    let len = prop_oneof![4 => 0i64..40, 1 => number()];
    (rows, len, path, batch_rows, number(), prop::collection::vec(phase(), 0..4)).prop_map(
        |(rows, len, path, batch_rows, connections, phases)| {
            let mut text = format!(
                "title = \"x\"\nrows = {rows}\nvalue_len_bytes = {len}\nstores = [\"map\"]\n[[phase]]\noperation = \"load\"\n\
                 load_path = \"{path}\"\n{batch_rows}connections = {connections}\n"
            );
            for (at, phase) in phases.iter().enumerate() {
                text += &format!("[[phase]]\nname = \"p{at}\"\n{phase}");
            }
            text
        },
    )
}

/// Operations that end soon and rows that are few: the rest is right too, but takes long.
fn is_small(study: &Study) -> bool {
    let small = |phase: &Phase| {
        phase.end.count().is_some_and(|count| count <= 100)
            && phase.connections <= 100
            && phase.depth.max(phase.batch) == 1
    };
    let level = &study.plan.configurations[0];
    level.rows <= 1_000 && level.phases.iter().all(|plan| small(&plan.phase))
}

/// The job of a study, with streams as the harness writes them, but short.
fn job(study: &Study, bench: &Workbench, folder: &Path) -> Job {
    let write = |name: String, bytes: Vec<u8>| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a stream");
        path.to_string_lossy().into_owned()
    };
    let level = &study.plan.configurations[0];
    let fill = |(at, phase): (usize, &Phase)| {
        let mut phase = phase.clone();
        let rows = (0..level.rows as u32).cycle().take(128);
        let rows = rows.flat_map(u32::to_le_bytes).collect();
        phase.rows_stream = (phase.distribution != Distribution::Sequential).then(|| write(format!("rows-{at}"), rows));
        if let Work::Mix(mix) = &mut phase.work {
            let shares = mix.shares().into_iter();
            let kinds = shares.flat_map(|(operation, share)| vec![operation.code(); share.min(50) as usize]);
            mix.kinds_stream = Some(write(format!("kinds-{at}"), kinds.collect()));
        }
        phase
    };
    let phases = level.phases.iter().map(|plan| &plan.phase).enumerate().map(fill).collect();
    Job { rows: level.rows, ..bench.job("honest", &level.schema, phases) }
}

#[test]
fn a_study_is_refused_or_a_client_can_do_what_it_asks_for() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let bench = Workbench::new(1, 1).expect("a workbench");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").to_string_lossy().into_owned();
    let (mut refused, mut done) = (0, 0);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config { cases: 400, ..Config::default() }, random);
    let counts = std::cell::RefCell::new((&mut refused, &mut done));
    runner
        .run(&study(), |text| {
            std::fs::write(&path, &text).expect("a study");
            let Ok(study) = Study::open(&catalogue, &path, &Overrides::default()) else {
                *counts.borrow_mut().0 += 1;
                return Ok(());
            };
            if !is_small(&study) {
                return Ok(());
            }
            let driven = run(&job(&study, &bench, folder.path()));
            for result in &driven.results {
                prop_assert_eq!(result.checks.failed(), 0, "{}\n{:?}", text, result.checks);
                prop_assert_eq!(&result.failures, &[], "{}", text);
            }
            *counts.borrow_mut().1 += 1;
            Ok(())
        })
        .expect("every study is one or the other");
    assert!(refused > 50 && done > 50, "{refused} refused, {done} done");
}
