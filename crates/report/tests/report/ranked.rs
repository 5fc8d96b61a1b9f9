//! Phases that are ranked by a latency: no word says that they are about rates, or who is faster.

use kurabe_protocol::Action;
use kurabe_record::{CandidateRecord, Factor, PhasePlan, Pitfall};

use super::sentences::everywhere;
use super::*;

fn by_p99(phase: PhasePlan) -> PhasePlan {
    PhasePlan { rank_by: Metric::P99, ..phase }
}

/// Runs of one phase that is ranked by p99, with these rates; all latencies are 0.9 of one over the rate.
fn ranked(candidates: Vec<CandidateRecord>, rates: &[&[u64]]) -> (RunRecord, Vec<JobRecord>) {
    let jobs = candidates.iter().zip(rates).flat_map(|(one, rates)| common::reads(&one.name, rates)).collect();
    (common::run(3, candidates, vec![by_p99(common::plan("read", Action::Read))]), jobs)
}

#[test]
fn a_latency_that_grows_with_the_data_is_told_by_its_name() {
    let mut growing = common::growing::growing();
    for level in &mut growing.run.plan.configurations {
        level.phases[1].rank_by = Metric::P99;
    }
    let end = common::complete();
    let [terminal, page, english, japanese] = everywhere(&growing.run, &growing.jobs, &end);
    for text in [&terminal, &page, &english] {
        assert!(text.contains("The p99 grows with the data in read ('lmdb': rows^0.3"), "{text}");
    }
    assert!(japanese.contains("データとともにレイテンシー（p99）が増えます"), "{japanese}");
    assert!(terminal.contains("p99; exponent b of p99 ~ rows^b, 0 = independent of size"), "{terminal}");
    assert!(terminal.contains("exponent b of the time for all rows"), "the load is ranked by its rate: {terminal}");
    assert!(page.contains("read: p99 against the number of rows") && page.contains("at 10 × rows"), "{page}");
    assert!(page.contains("load: time per row against the number of rows"), "{page}");
    assert!(page.contains("1 = best; 2.2 × = 2.2 times worse"), "{page}");
    assert!(page.contains("read p99"), "other sizes show it too: {page}");
}

#[test]
fn a_lower_latency_in_a_later_run_is_better_and_not_faster() {
    let before =
        ranked(vec![common::store("a"), common::store("b")], &[&[10_000, 10_100, 9_900], &[10_000, 10_100, 9_900]]);
    let after =
        ranked(vec![common::store("a"), common::store("b")], &[&[20_000, 20_200, 19_800], &[5_000, 5_050, 4_950]]);
    let answers = [&before, &after].map(|(run, jobs)| analyse(run, jobs, Some(&common::complete())));
    let side = |name: &str, at: usize| {
        let (run, jobs) = [&before, &after][at];
        Side { name: name.into(), run, jobs, answer: &answers[at] }
    };
    let sides = [side("before", 0), side("after", 1)];
    let text = comparison(&compare(&sides), &style(160, Colour::Plain));
    let told = "better: 'a' in read by p99 (0.500 ×); worse: 'b' in read by p99 (2.00 ×)";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{text}");
    assert!(text.contains("p99 in run 1") && !text.contains("op/s"), "{text}");
    let page = comparison_html(&compare(&sides), &sides, Language::English).unwrap();
    assert!(page.contains("read: p99 relative to run 1; left of the line is better (log scale)"), "{page}");
    for text in [text, page] {
        assert!(!text.contains("faster") && !text.contains("slower"), "{text}");
    }
}

#[test]
fn clients_are_shown_by_the_latency_that_ranks_them() {
    let member = |client: &str| CandidateRecord {
        base: Some("redis".into()),
        factors: vec![Factor { axis: "client".into(), value: AxisValue::Word(client.into()) }],
        ..common::store(&format!("redis+{client}"))
    };
    let (mut run, jobs) =
        ranked(vec![member("rust"), member("python")], &[&[10_000, 10_100, 9_900], &[2_000, 2_020, 1_980]]);
    let values = ["rust", "python"].map(|client| AxisValue::Word(client.into())).to_vec();
    let name = "client".to_string();
    run.plan.axes = vec![kurabe_record::Axis {
        name,
        makes: AxisEffect::Candidates,
        phases: Vec::new(),
        values,
        design: Default::default(),
    }];
    let [terminal, page, _, japanese] = everywhere(&run, &jobs, &common::complete());
    assert!(terminal.contains("the p99 of 'redis' is 5.0"), "{terminal}");
    assert!(terminal.contains("better through rust than through python"), "{terminal}");
    assert!(page.contains("read p99"), "{page}");
    assert!(japanese.contains("「redis」のレイテンシー（p99）は、rust 経由のほうが python 経由より 5.0"), "{japanese}");
}

#[test]
fn a_pitfall_shows_latencies_with_their_unit() {
    let made = common::made_lazy("a");
    let rates: [&[u64]; 3] = [&[10_000, 10_100, 9_900], &[20_000, 20_200, 19_800], &[5_000, 5_050, 4_950]];
    let (mut run, mut jobs) = ranked(vec![common::store("a"), common::store("b"), made], &rates);
    let planned = common::lazy_beside(&run.plan.configurations[0], "a");
    run.plan.configurations.push(planned);
    run.plan.pitfalls = vec![Pitfall::separate("lazy", "It is lazy.")];
    jobs.iter_mut().filter(|job| job.candidate == "a [lazy]").for_each(|job| job.configuration = 1);
    let [_, page, ..] = everywhere(&run, &jobs, &common::complete());
    assert!(page.contains("p99 of 'a' is 2.00 times as high ("), "{page}");
    assert!(
        page.contains("read, by p99") && page.contains("with pitfall") && !page.contains("with pitfall /s"),
        "{page}"
    );
}
