//! A table for every store that was measured through several clients: what each reaches among them, and what it takes.

use kurabe_analysis::format::{self, NONE, Unit};
use kurabe_analysis::{Answer, ClientRank, ClientsPhase, StoreClient, StoreClients};
use kurabe_record::Metric;

use crate::tables::{Align, Table, Tone, a_difference, figure_of, rank_of, width};
use crate::words::{Text, Word, ranked_title};

/// The stores that have several clients.
pub(crate) fn shown(answer: &Answer) -> impl Iterator<Item = &StoreClients> {
    answer.clients.iter().filter(|store| store.clients.len() > 1)
}

/// What stands above the table of a store.
pub(crate) fn title(store: &StoreClients) -> Text {
    Text::from(store.store.clone()).then(Word::ThroughItsClients)
}

/// What stands beside it.
pub(crate) fn subtitle(store: &StoreClients) -> String {
    let could: Vec<String> = store
        .deciding()
        .filter_map(|phase| Some(format!("{} in {}", a_difference(phase.detectable?), phase.phase)))
        .collect();
    let seen = match could.as_slice() {
        [] => String::new(),
        some => format!("; these rounds could have seen {}", some.join(" and ")),
    };
    format!("judged among themselves, paired by round{seen}")
}

/// A row a client, best first; for each phase that decides what it reached, what that is of the best, and the processor time
/// of both sides; then memory and start.
pub(crate) fn table(store: &StoreClients) -> Table {
    let clients = &store.clients;
    let is_first = |one: &ClientRank| (one.rank, one.sharing) == (Some(1), 1);
    let leads = |client: &StoreClient| store.deciding().any(|phase| phase.of(&client.client).is_some_and(is_first));
    let any = |client: &StoreClient| store.deciding().any(|phase| phase.of(&client.client).is_some());
    let tone = |client: &StoreClient| match (leads(client), any(client)) {
        (true, _) => Tone::Lead,
        (false, true) => Tone::Plain,
        (false, false) => Tone::Unranked,
    };
    let mut table = Table::of_rows(clients.iter().map(tone));
    table.add(Word::Client, Align::Left, 0, clients.iter().map(|one| one.client.clone()));
    for phase in store.deciding() {
        add_phase(&mut table, store, phase);
    }
    let mut add = |title: Word, rank: u8, unit_of: fn(&[f64]) -> Unit, of: &dyn Fn(&StoreClient) -> Option<f64>| {
        let values: Vec<Option<f64>> = clients.iter().map(of).collect();
        table.add_in_own_unit(title, rank, unit_of, &values);
    };
    add(Word::Memory, 4, Unit::of_sizes, &|one| one.resources.client_memory_bytes.map(|bytes| bytes as f64));
    add(Word::Start, 3, Unit::of_durations, &|one| one.resources.client_start_ns);
    table
}

fn add_phase(table: &mut Table, store: &StoreClients, phase: &ClientsPhase) {
    let of = |client: &StoreClient| phase.of(&client.client);
    let cells = |show: &dyn Fn(&ClientRank) -> Option<String>, none: &str| -> Vec<String> {
        store.clients.iter().map(|client| of(client).and_then(show).unwrap_or_else(|| none.to_string())).collect()
    };
    let rank = |one: &ClientRank| Some(rank_of(one.rank?, one.sharing));
    let of_best = |one: &ClientRank| match one.to_best {
        Some(to_best) => Some(format::ratio(to_best.ratio.value)),
        None => one.rank.map(|_| "1".to_string()),
    };
    let interval = |client: &StoreClient| {
        of(client).map_or_else(Text::default, |one| width(one.to_best.map(|to_best| to_best.ratio), format::ratio))
    };
    table.add(Word::Rank, Align::Right, 0, cells(&rank, "").into_iter());
    table.add(
        Text::from(format!("{} ", phase.phase)).then(ranked_title(phase.metric)),
        Align::Right,
        0,
        cells(&|one| Some(figure_of(phase.metric, one.figure?.value)), NONE).into_iter(),
    );
    table.add(Word::OfBest, Align::Right, 0, cells(&of_best, NONE).into_iter());
    table.add(format::level(phase.level), Align::Left, 5, store.clients.iter().map(interval));
    let values = |show: fn(&ClientRank) -> Option<f64>| -> Vec<Option<f64>> {
        store.clients.iter().map(|client| of(client).and_then(show)).collect()
    };
    let (client, service) =
        (values(|one| one.client_cpu_per_operation_ns), values(|one| one.service_cpu_per_operation_ns));
    table.add_in_own_unit(Word::ClientCpuPerOp, 1, Unit::of_durations, &client);
    table.add_in_own_unit(Word::ServiceCpuPerOp, 2, Unit::of_durations, &service);
    if phase.metric == Metric::P99 {
        return;
    }
    table.add_in_own_unit(Word::P99, 6, Unit::of_durations, &values(|one| one.p99_ns.map(|figure| figure.value)));
}
