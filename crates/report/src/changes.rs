//! What changed between the first run and the others, in sentences.

use kurabe_analysis::format::{list, ratio};
use kurabe_analysis::{
    ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, Difference, OtherMachine, OtherRows, OtherWork,
    SameWork, Verdict,
};
use kurabe_record::{Better, Metric, StoreKind};

/// Which ratios to the first run are good, and what that is called: "above 1 is faster".
pub(crate) fn good_ratios(metric: Metric) -> (&'static str, &'static str) {
    match (metric, metric.better()) {
        (Metric::Rate, _) => ("above", "faster"),
        (_, Better::Higher) => ("above", "better"),
        (_, Better::Lower) => ("below", "better"),
    }
}

/// First what is a copy, of another machine or not the same work, then who became faster or slower, better or worse, and
/// where nothing was seen.
pub fn changes(comparison: &Comparison) -> Vec<String> {
    let copies = comparison.runs.iter().enumerate().filter_map(copy);
    let machines = comparison.machines.iter().map(other_machine);
    let other = comparison.other_work.iter().map(other_work);
    copies
        .chain(machines)
        .chain(other)
        .chain((1..comparison.runs.len()).map(|run| against_the_first(comparison, run)))
        .collect()
}

fn copy((index, run): (usize, &ComparedRun)) -> Option<String> {
    let earlier = run.copy_of?;
    Some(format!("Run {} is a copy of run {} ({}): nothing can differ.", index + 1, earlier + 1, run.run))
}

fn other_machine(other: &OtherMachine) -> String {
    let differences: Vec<String> = other.differences.iter().map(Difference::clause).collect();
    let run = other.run + 1;
    format!(
        "Run {run} ran on another machine than run 1: {}. Its ratios compare the machines too.",
        differences.join("; ")
    )
}

fn other_work(other: &OtherWork) -> String {
    let phases = list(&other.phases);
    let why = if other.why.is_empty() {
        "its operations are not the same".into()
    } else {
        other.why.iter().map(OtherRows::words).collect::<Vec<String>>().join("; ")
    };
    format!(
        "Run {} does other work than run 1 in {phases} ({why}): ratios there are no change of a store or a machine.",
        other.run + 1
    )
}

type Compared<'a> = (&'a ComparedPhase, &'a ComparedRow, &'a ComparedRate);

fn against_the_first(comparison: &Comparison, run: usize) -> String {
    let of_phase = |phase| figures_of(phase, run);
    let (same, other): (Vec<Compared<'_>>, Vec<_>) =
        comparison.phases.iter().flat_map(of_phase).partition(|(_, _, one)| one.work == SameWork::Same);
    let seen = |(wanted, is_rate, word): (Verdict, bool, &str)| {
        let is_it =
            |(phase, _, one): &&Compared<'_>| one.ratio.verdict == wanted && (phase.metric == Metric::Rate) == is_rate;
        let clauses: Vec<String> = same
            .iter()
            .filter(is_it)
            .map(|(phase, row, one)| {
                let by = if is_rate { String::new() } else { format!(" by {}", phase.metric) };
                format!("'{}' in {}{by} ({} ×)", row.candidate, phase.name, ratio(one.ratio.ratio.value))
            })
            .collect();
        let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
        (!clauses.is_empty()).then(|| format!("{word}: {}", list(&clauses)))
    };
    let all = [
        (Verdict::Better, true, "faster"),
        (Verdict::Worse, true, "slower"),
        (Verdict::Better, false, "better"),
        (Verdict::Worse, false, "worse"),
    ];
    let changed: Vec<String> = all.into_iter().filter_map(seen).collect();
    let ties = same.iter().filter(|(_, _, one)| one.ratio.verdict == Verdict::Tie).count();
    let (all, run) = (same.len(), run + 1);
    let of_the_same = if other.is_empty() { "" } else { " of the same work" };
    match (all, changed.is_empty(), ties) {
        (0, _, _) if other.is_empty() => format!("Run {run} has nothing that could be compared with run 1."),
        (0, _, _) => format!("Run {run} has no figure of the same work as run 1."),
        (_, true, 0) => format!("Run {run}: too few rounds to see a difference in {all} figures{of_the_same}."),
        (_, true, _) if ties == all => {
            format!("Run {run}: no difference was seen in any of {all} figures{of_the_same}.")
        }
        (_, true, _) => format!("Run {run}: in {ties} of {all} figures{of_the_same} no difference was seen."),
        (_, false, _) => format!(
            "Run {run} against run 1: {}; in {ties} of {all} figures{of_the_same} no difference was seen.",
            changed.join("; ")
        ),
    }
}

/// The figures of stores in a phase, for one of the later runs.
fn figures_of(phase: &ComparedPhase, run: usize) -> impl Iterator<Item = Compared<'_>> {
    let stores = phase.rows.iter().filter(|row| row.kind == StoreKind::Store);
    stores.flat_map(move |row| row.others.iter().filter(move |one| one.run == run).map(move |one| (phase, row, one)))
}
