//! All stores in all phases that decide, on one small table.

use kurabe_analysis::format::{self, NONE};
use kurabe_analysis::{Answer, Caution, PhaseAnswer, PhaseRow, Status, deciding, english};
use kurabe_record::{Metric, StoreKind};

use crate::headline::survives;
use crate::tables::{Align, Table, Tone};

/// What stands where a first place is shared: nothing is decided there.
pub const OPEN: &str = "?";
/// What the cells mean.
pub const LEGEND: &str = "1 is first; × is so many times slower than the first; ? is not decided.";

/// Stores by phases: `1`, how many times slower than the best, or `?`; then what its writes survive.
pub(crate) fn table(answer: &Answer) -> Table {
    let phases: Vec<&PhaseAnswer> = deciding(&answer.phases).collect();
    let mut names: Vec<&str> = Vec::new();
    // The recommended first, the rest in its order; then those that have no place somewhere.
    let said = &answer.recommendation;
    let ranked = said.taken().into_iter().chain(said.others.iter().map(|one| one.candidate.as_str()));
    let stores = answer.candidates.iter().filter(|one| one.kind == StoreKind::Store).map(|one| one.name.as_str());
    for name in ranked.chain(stores) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let taken = said.taken();
    let is_steady = !answer.cautions.iter().any(Caution::is_unsteady);
    let tone = |name: &&str| if taken.contains(name) { Tone::Lead } else { Tone::Plain };
    let mut table = Table::of_rows(names.iter().map(tone));
    table.add("store", Align::Left, 0, names.iter().map(|name| (*name).to_string()));
    for (at, phase) in phases.iter().enumerate() {
        let rank = u8::try_from(at + 1).unwrap_or(u8::MAX);
        let row = |name: &str| phase.rows.iter().find(|row| row.candidate == name);
        let cells = names.iter().map(|name| row(name).map_or_else(|| NONE.into(), |row| cell(phase, row, is_steady)));
        table.add(&phase.name, Align::Right, rank, cells);
    }
    if phases.iter().any(|phase| phase.writes) {
        let class = |name: &&str| answer.candidates.iter().find(|one| one.name == **name).and_then(|one| one.class);
        let cells = names.iter().map(|name| class(name).map_or_else(|| NONE.into(), |class| survives(class).into()));
        table.add("its writes survive", Align::Left, 0, cells);
    }
    // A fact, not a finding: it goes first where space is short.
    let known =
        |name: &&str| answer.candidates.iter().find(|one| one.name == **name).and_then(|one| one.known.as_ref());
    let what = names.iter().map(|name| known(name).map_or_else(String::new, |one| english::about_in_short(&one.about)));
    table.add("what it is", Align::Left, u8::MAX, what);
    table
}

fn cell(phase: &PhaseAnswer, row: &PhaseRow, is_steady: bool) -> String {
    match &row.status {
        Status::Ranked { place: 1, sharing: 1 } if is_steady => format!("1 ({})", figure(phase, row)),
        Status::Ranked { place: 1, sharing: 1 } => format!("{OPEN} ({})", figure(phase, row)),
        Status::Ranked { place: 1, .. } => OPEN.into(),
        Status::Ranked { .. } => row.times_behind(phase.rank_by).map_or_else(
            || NONE.into(),
            |times| {
                let open = if is_steady { String::new() } else { format!(" {OPEN}") };
                format!("{} ×{open}", format::ratio(times.value))
            },
        ),
        Status::Unranked { reason } => reason.short().into(),
        Status::Floor => NONE.into(),
    }
}

/// What the best reached, in few letters.
fn figure(phase: &PhaseAnswer, row: &PhaseRow) -> String {
    let Some(figure) = row.figure(phase.rank_by) else { return NONE.into() };
    match phase.rank_by {
        Metric::Rate | Metric::RowsRate => format!("{}/s", short_rate(figure.value)),
        metric => crate::tables::figure_of(metric, figure.value),
    }
}

/// A rate in few letters: `317 k`.
fn short_rate(per_s: f64) -> String {
    match per_s {
        _ if per_s >= 999_500.0 => format!("{} M", format::significant(per_s / 1e6, 3)),
        _ if per_s >= 9_995.0 => format!("{} k", format::significant(per_s / 1e3, 3)),
        _ => format::significant(per_s, 3),
    }
}
