//! All stores in all phases that decide, on one small table; where clients are compared, these among themselves too.

use kurabe_analysis::{
    Answer, ClientRank, Figure, LossFault, PhaseAnswer, PhaseRow, Reason, Status, StoreClients, deciding,
};
use kurabe_messages::{Message, message};
use kurabe_record::{Metric, StoreKind};

use crate::format::{self, NONE, Unit};
use crate::tables::{Align, Table, Tone};
use crate::text::Text;
use crate::words::{self, about_in_short, losses};

/// The mark of a tie for the first rank.
pub const TIE: &str = "?";

/// Whether any cell compares one store with another.
pub(crate) fn compares(answer: &Answer) -> bool {
    let mut rankings = deciding(&answer.phases).flat_map(|phase| &phase.rankings);
    rankings.any(|ranking| ranking.candidates.len() > 1)
}

/// Whether rates rank all phases that decide.
pub(crate) fn are_rates(answer: &Answer) -> bool {
    deciding(&answer.phases).all(|phase| phase.rank_by == Metric::Rate)
}

/// What the cells mean.
pub(crate) fn legend(answer: &Answer) -> Vec<Message> {
    if !answer.disk_faults.is_empty() {
        return vec![message!(legend_disk_faults)];
    }
    if !answer.losses.is_empty() {
        let cuts = answer.losses.iter().any(|one| one.fault == LossFault::PowerCut);
        return vec![if cuts { message!(legend_power_losses) } else { message!(legend_losses) }];
    }
    let mut rows = deciding(&answer.phases).flat_map(|phase| phase.rows.iter().map(move |row| (phase, row)));
    let few = rows.any(|(phase, row)| has_few_rounds(phase, row)).then(|| message!(legend_matrix_few_rounds));
    if !compares(answer) {
        return few.into_iter().collect();
    }
    let legend = if are_rates(answer) { message!(legend_matrix_rates) } else { message!(legend_matrix_others) };
    let clients = (answer.clients.len() > 1).then(|| message!(legend_matrix_clients));
    let is_behind = |row: &PhaseRow| matches!(row.status, Status::Ranked { rank: 2.., .. });
    let any_is_behind = || deciding(&answer.phases).flat_map(|phase| &phase.rows).any(is_behind);
    let is_unstable = !crate::headline::is_steady(answer) && any_is_behind();
    let unstable = is_unstable.then(|| message!(legend_matrix_unstable));
    std::iter::once(legend).chain(unstable).chain(clients).chain(few).collect()
}

/// Stores by phases: `1`, how many times slower than the best, or `?`; then what its writes survive.
pub(crate) fn table(answer: &Answer) -> Table {
    if !answer.losses.is_empty() {
        return crate::tables::losses(answer);
    }
    if !answer.disk_faults.is_empty() {
        return crate::tables::disk_faults(answer);
    }
    let phases: Vec<&PhaseAnswer> = deciding(&answer.phases).collect();
    let mut names: Vec<&str> = Vec::new();
    // The recommended first, the rest in its order; then those that are not ranked somewhere.
    let recommendation = &answer.recommendation;
    let ranked =
        recommendation.taken().into_iter().chain(recommendation.others.iter().map(|one| one.candidate.as_str()));
    let stores = answer.candidates.iter().filter(|one| one.kind == StoreKind::Store).map(|one| one.name.as_str());
    for name in ranked.chain(stores) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // The clients of a store stand together, best first.
    if !answer.clients.is_empty() {
        let order = by_store(&answer.clients, &names);
        names.sort_by_key(|name| order.iter().position(|one| one == name).unwrap_or(usize::MAX));
    }
    let taken = recommendation.taken();
    let is_steady = crate::headline::is_steady(answer);
    let tone = |name: &&str| if taken.contains(name) { Tone::Lead } else { Tone::Plain };
    let mut table = Table::of_rows(names.iter().map(tone));
    table.add(message!(word_store), Align::Left, 0, names.iter().map(|name| (*name).to_string()));
    for (at, phase) in phases.iter().enumerate() {
        let rank = u8::try_from(at + 1).unwrap_or(u8::MAX);
        let row = |name: &str| phase.rows.iter().find(|row| row.candidate == name);
        let cells = names.iter().map(|name| row(name).map_or_else(Text::none, |row| cell(phase, row, is_steady)));
        table.add(phase.name.clone(), Align::Right, rank, cells);
    }
    add_clients(&mut table, answer, &names, is_steady);
    if phases.iter().any(|phase| phase.writes) {
        let kept = |name: &&str| answer.candidates.iter().find(|one| one.name == **name).and_then(|one| one.guarantee);
        let cells = names.iter().map(|name| kept(name).map_or_else(Text::none, |kept| losses(Some(kept)).into()));
        table.add(message!(word_possible_loss), Align::Left, 0, cells);
    }
    // A fact, not a finding: it goes first where space is short.
    let known =
        |name: &&str| answer.candidates.iter().find(|one| one.name == **name).and_then(|one| one.known.as_ref());
    let what = names.iter().map(|name| known(name).map_or_else(Text::default, |one| about_in_short(&one.about).into()));
    table.add(message!(word_kind), Align::Left, u8::MAX, what);
    table
}

/// The names of all candidates, those of one store together; stores in the order in which `names` comes to them.
fn by_store<'a>(stores: &'a [StoreClients], names: &[&str]) -> Vec<&'a str> {
    let mut order: Vec<&StoreClients> = Vec::new();
    for name in names {
        let store = stores.iter().find(|store| store.client_of(name).is_some());
        order.extend(store.filter(|store| !order.iter().any(|known| known.store == store.store)));
    }
    order.into_iter().flat_map(|store| &store.clients).map(|one| one.candidate.as_str()).collect()
}

/// How each stands among the clients of its store, and what the client takes of the processor in the first phase.
fn add_clients(table: &mut Table, answer: &Answer, names: &[&str], is_steady: bool) {
    if answer.clients.is_empty() {
        return;
    }
    let rank = |name: &str, phase: &PhaseAnswer| -> Option<&ClientRank> {
        let (store, client) = answer.clients.iter().find_map(|store| Some((store, store.client_of(name)?)))?;
        store.phases.iter().find(|one| one.phase == phase.name)?.of(&client.client)
    };
    // With one store alone the phase's own column says the same.
    for (at, phase) in deciding(&answer.phases).enumerate().filter(|_| answer.clients.len() > 1) {
        let cells = names
            .iter()
            .map(|name| rank(name, phase).map_or_else(|| NONE.to_string(), |one| of_clients(phase, one, is_steady)));
        let title = message!(table_among_clients, phase = &phase.name);
        table.add(title, Align::Right, u8::from(at > 0), cells);
    }
    if let Some(phase) = deciding(&answer.phases).next() {
        let cpu = |name: &&str| rank(name, phase).and_then(|one| one.client_cpu_per_operation_ns);
        let cpu: Vec<Option<f64>> = names.iter().map(cpu).collect();
        let title = message!(table_client_cpu_per, phase = &phase.name);
        table.add_in_own_unit(title, 3, Unit::of_durations, &cpu);
    }
}

/// A rank among the clients of one store.
fn of_clients(phase: &PhaseAnswer, one: &ClientRank, is_steady: bool) -> String {
    let behind = one.times_behind(phase.rank_by);
    let reached = || one.figure.map_or_else(|| NONE.into(), |figure| reached(phase.rank_by, figure));
    let standing = |rank| standing((rank, one.sharing, false), reached, behind, is_steady);
    one.rank.map_or_else(|| NONE.into(), standing)
}

fn cell(phase: &PhaseAnswer, row: &PhaseRow, is_steady: bool) -> Text {
    match &row.status {
        Status::Ranked { rank, sharing } => {
            let with = phase.rankings.iter().find(|ranking| ranking.candidates.contains(&row.candidate));
            let is_alone = with.is_some_and(|ranking| ranking.candidates.len() == 1);
            standing((*rank, *sharing, is_alone), || figure(phase, row), row.times_behind(phase.rank_by), is_steady)
                .into()
        }
        // A figure without a rank is worth more than none. The legend has this reason, which most cells share.
        _ if has_few_rounds(phase, row) => format!("({})", figure(phase, row)).into(),
        Status::Unranked { reason: reason @ Reason::Skipped { .. } } if row.figure(phase.rank_by).is_some() => {
            message!(table_reason_with_figure, reason = words::reason(reason), figure = figure(phase, row)).into()
        }
        Status::Unranked { reason } => words::reason(reason).into(),
        Status::Baseline => Text::none(),
    }
}

/// Whether its figure stands in brackets, since there were too few rounds for a rank.
fn has_few_rounds(phase: &PhaseAnswer, row: &PhaseRow) -> bool {
    let is_few = matches!(row.status, Status::Unranked { reason: Reason::TooFewRounds { .. } });
    is_few && row.figure(phase.rank_by).is_some()
}

/// The first with what they reached, the others with how many times they are behind. One alone is first of nobody.
fn standing(
    (rank, sharing, is_alone): (usize, usize, bool),
    reached: impl Fn() -> String,
    behind: Option<Figure>,
    is_steady: bool,
) -> String {
    match (rank, sharing) {
        _ if is_alone => reached(),
        (1, 1) if is_steady => format!("1 ({})", reached()),
        (1, _) => format!("{TIE} ({})", reached()),
        _ => behind.map_or_else(
            || NONE.into(),
            |times| {
                let open = if is_steady { String::new() } else { format!(" {TIE}") };
                format!("{} ×{open}", format::ratio(times.value))
            },
        ),
    }
}

/// What the best reached, in few letters.
fn figure(phase: &PhaseAnswer, row: &PhaseRow) -> String {
    row.figure(phase.rank_by).map_or_else(|| NONE.into(), |figure| reached(phase.rank_by, figure))
}

fn reached(metric: Metric, figure: Figure) -> String {
    match metric {
        Metric::Rate | Metric::RowsRate | Metric::HighestRate => format!("{}/s", short_rate(figure.value)),
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
