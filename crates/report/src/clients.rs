//! A table for every store that was measured through several clients: what each reaches among them, and what it takes.

use kurabe_analysis::{Answer, ClientRank, ClientsPhase, StoreClient, StoreClients};
use kurabe_messages::{Message, message};
use kurabe_record::Metric;

use crate::format::{self, NONE, Unit};
use crate::tables::{Align, Table, Tone, figure_of, interval_title, rank_of, width};
use crate::words;

/// The stores that have several clients.
pub(crate) fn shown(answer: &Answer) -> impl Iterator<Item = &StoreClients> {
    answer.clients.iter().filter(|store| store.clients.len() > 1)
}

/// The heading of the table of a store.
pub(crate) fn title(store: &StoreClients) -> Message {
    message!(table_store_by_client, store = &store.store)
}

/// The line under it.
pub(crate) fn subtitle(store: &StoreClients) -> Message {
    let detectable = |phase: &ClientsPhase| {
        Some(message!(table_difference_in_phase, difference = phase.detectable?, phase = &phase.phase))
    };
    let differences: Vec<Message> = store.deciding().filter_map(detectable).collect();
    match differences.as_slice() {
        [] => message!(table_clients_compared),
        _ => message!(table_clients_compared_detectable, differences),
    }
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
    table.add(message!(word_client), Align::Left, 0, clients.iter().map(|one| one.client.clone()));
    for phase in store.deciding() {
        add_phase(&mut table, store, phase);
    }
    let mut add = |title: Message, rank: u8, unit_of: fn(&[f64]) -> Unit, of: &dyn Fn(&StoreClient) -> Option<f64>| {
        let values: Vec<Option<f64>> = clients.iter().map(of).collect();
        table.add_in_own_unit(title, rank, unit_of, &values);
    };
    add(message!(word_memory), 4, Unit::of_sizes, &|one| one.resources.client_memory_bytes.map(|bytes| bytes as f64));
    add(message!(word_start), 3, Unit::of_durations, &|one| one.resources.client_start_ns);
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
        of(client).map_or_else(String::new, |one| width(one.to_best.map(|to_best| to_best.ratio), format::ratio))
    };
    table.add(message!(word_rank_short), Align::Right, 0, cells(&rank, "").into_iter());
    table.add(
        message!(table_of_phase, phase = &phase.phase, title = words::metric(phase.metric)),
        Align::Right,
        0,
        cells(&|one| Some(figure_of(phase.metric, one.figure?.value)), NONE).into_iter(),
    );
    table.add(message!(word_of_best), Align::Right, 0, cells(&of_best, NONE).into_iter());
    table.add(interval_title(phase.level), Align::Left, 5, store.clients.iter().map(interval));
    let values = |show: fn(&ClientRank) -> Option<f64>| -> Vec<Option<f64>> {
        store.clients.iter().map(|client| of(client).and_then(show)).collect()
    };
    let (client, service) =
        (values(|one| one.client_cpu_per_operation_ns), values(|one| one.service_cpu_per_operation_ns));
    table.add_in_own_unit(message!(word_client_cpu_per_op), 1, Unit::of_durations, &client);
    table.add_in_own_unit(message!(word_service_cpu_per_op), 2, Unit::of_durations, &service);
    if phase.metric == Metric::P99 {
        return;
    }
    table.add_in_own_unit(
        message!(word_p99),
        6,
        Unit::of_durations,
        &values(|one| one.p99_ns.map(|figure| figure.value)),
    );
}
