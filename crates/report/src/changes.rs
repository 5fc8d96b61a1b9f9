//! What changed between the first run and the others.

use kurabe_analysis::{
    ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, Difference, OtherMachine, OtherRows, OtherWork,
    SameWork, Verdict, metric_message,
};
use kurabe_messages::{Message, message};
use kurabe_record::{Better, Metric, StoreKind};

/// Which ratios to the first run are good, such as "above 1 is faster".
pub(crate) fn good_ratios(metric: Metric) -> Message {
    match (metric, metric.better()) {
        (Metric::Rate, _) => message!(compare_above_faster),
        (_, Better::Higher) => message!(compare_above_better),
        (_, Better::Lower) => message!(compare_below_better),
    }
}

/// The same of where a bar stands in a chart, such as "right of the line is faster".
pub(crate) fn good_side(metric: Metric) -> Message {
    match (metric, metric.better()) {
        (Metric::Rate, _) => message!(compare_right_faster),
        (_, Better::Higher) => message!(compare_right_better),
        (_, Better::Lower) => message!(compare_left_better),
    }
}

/// First what is a copy, of another machine or not the same work, then who became faster or slower, better or worse, and
/// where no difference was detected.
pub fn changes(comparison: &Comparison) -> Vec<Message> {
    let copies = comparison.runs.iter().enumerate().filter_map(copy);
    let machines = comparison.machines.iter().map(other_machine);
    let other = comparison.other_work.iter().map(other_work);
    copies
        .chain(machines)
        .chain(other)
        .chain((1..comparison.runs.len()).map(|run| against_the_first(comparison, run)))
        .collect()
}

fn copy((index, run): (usize, &ComparedRun)) -> Option<Message> {
    Some(message!(compare_copy, run = index + 1, earlier = run.copy_of? + 1, id = &run.run))
}

fn other_machine(other: &OtherMachine) -> Message {
    let differences: Vec<Message> = other.differences.iter().map(Difference::message).collect();
    message!(compare_other_machine, run = other.run + 1, differences)
}

fn other_work(other: &OtherWork) -> Message {
    let why: Vec<Message> = match other.why.as_slice() {
        [] => vec![message!(compare_other_operations)],
        why => why.iter().map(OtherRows::message).collect(),
    };
    message!(compare_other_work, run = other.run + 1, phases = &other.phases, why)
}

type Compared<'a> = (&'a ComparedPhase, &'a ComparedRow, &'a ComparedRate);

fn against_the_first(comparison: &Comparison, run: usize) -> Message {
    let of_phase = |phase| figures_of(phase, run);
    let (same, other): (Vec<Compared<'_>>, Vec<_>) =
        comparison.phases.iter().flat_map(of_phase).partition(|(_, _, one)| one.work == SameWork::Same);
    let of = |verdict: Verdict, is_rate: bool| -> Option<Vec<Message>> {
        let is_it =
            |(phase, _, one): &&Compared<'_>| one.ratio.verdict == verdict && (phase.metric == Metric::Rate) == is_rate;
        let found: Vec<Message> = same.iter().filter(is_it).map(compared).collect();
        (!found.is_empty()).then_some(found)
    };
    let changes: Vec<Message> = [
        of(Verdict::Better, true).map(|figures| message!(compare_faster, figures)),
        of(Verdict::Worse, true).map(|figures| message!(compare_slower, figures)),
        of(Verdict::Better, false).map(|figures| message!(compare_better, figures)),
        of(Verdict::Worse, false).map(|figures| message!(compare_worse, figures)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let ties = same.iter().filter(|(_, _, one)| one.ratio.verdict == Verdict::Tie).count();
    let (all, run) = (same.len(), run + 1);
    let figures = match other.as_slice() {
        [] => message!(compare_figures, count = all),
        _ => message!(compare_figures_of_same_work, count = all),
    };
    match (all, changes.is_empty(), ties) {
        (0, _, _) if other.is_empty() => message!(compare_nothing, run),
        (0, _, _) => message!(compare_no_same_work, run),
        (_, true, 0) => message!(compare_too_few_rounds, run, figures),
        (_, true, ties) if ties == all => message!(compare_no_difference, run, figures),
        (_, true, ties) => message!(compare_ties, run, ties, figures),
        (_, false, ties) => message!(compare_changes, run, changes, ties, figures),
    }
}

fn compared((phase, row, one): &Compared<'_>) -> Message {
    let (candidate, ratio) = (&row.candidate, one.ratio.ratio.value);
    match phase.metric {
        Metric::Rate => message!(compare_ratio, candidate, phase = &phase.name, ratio),
        metric => {
            message!(compare_ratio_of, candidate, phase = &phase.name, metric = metric_message(metric), ratio)
        }
    }
}

/// The figures of stores in a phase, for one of the later runs.
fn figures_of(phase: &ComparedPhase, run: usize) -> impl Iterator<Item = Compared<'_>> {
    let stores = phase.rows.iter().filter(|row| row.kind == StoreKind::Store);
    stores.flat_map(move |row| row.others.iter().filter(move |one| one.run == run).map(move |one| (phase, row, one)))
}
