//! Whether the client decides more than the store: what the axis `client` tells beside its tables.

use kurabe_record::{Metric, StoreKind};

use crate::figures::figure::Range;
use crate::findings::axes::{AxisAnswer, AxisPoint};

/// In one phase: how far clients of one store lie apart, and how far stores through one client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientEffect {
    /// The phase.
    pub phase: String,
    /// What it is ranked by.
    pub metric: Metric,
    /// One store through the best and the worst of its clients, where they are farthest apart.
    pub clients: BestAndWorst,
    /// The best and the worst store through one client, where they are farthest apart; absent where no client drives
    /// two.
    pub stores: Option<BestAndWorst>,
}

/// Two figures that lie apart.
#[derive(Clone, Debug, PartialEq)]
pub struct BestAndWorst {
    /// What both share: the store, or the client.
    pub shared: String,
    /// The better one.
    pub best: String,
    /// The worse one.
    pub worst: String,
    /// How many times better.
    pub times: f64,
    /// The interval of that, from those of both figures.
    pub interval: Range,
}

/// Which of the two decides more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrongerEffect {
    /// The client.
    Client,
    /// The store.
    Store,
    /// That is open.
    Open,
    /// There is nothing to compare the client with.
    Alone,
}

impl ClientEffect {
    /// Which decides more: only where the intervals do not touch.
    pub fn stronger(&self) -> StrongerEffect {
        match &self.stores {
            None => StrongerEffect::Alone,
            Some(stores) if self.clients.interval.low > stores.interval.high => StrongerEffect::Client,
            Some(stores) if stores.interval.low > self.clients.interval.high => StrongerEffect::Store,
            Some(_) => StrongerEffect::Open,
        }
    }
}

/// How far clients lie apart, and how far stores, in the phases that decide.
pub(crate) fn client_effects(axes: &[AxisAnswer]) -> Vec<ClientEffect> {
    let any_decides = axes.iter().any(|one| one.deciding);
    let shown = axes.iter().filter(|one| one.is_over_clients() && (one.deciding || !any_decides));
    shown.filter_map(client_effect).collect()
}

fn client_effect(axis: &AxisAnswer) -> Option<ClientEffect> {
    let stores = || axis.curves.iter().filter(|curve| curve.kind == StoreKind::Store);
    let of_store = stores().filter_map(|curve| {
        let points = curve.points.iter().map(|point| (point.value.to_string(), point));
        farthest(axis.metric, &curve.candidate, points)
    });
    let of_client = axis.values.iter().filter_map(|value| {
        let here = stores().filter_map(|curve| {
            let point = curve.points.iter().find(|point| point.value == *value)?;
            Some((curve.candidate.clone(), point))
        });
        farthest(axis.metric, &value.to_string(), here)
    });
    Some(ClientEffect {
        phase: axis.phase.clone(),
        metric: axis.metric,
        clients: widest(of_store)?,
        stores: widest(of_client),
    })
}

fn widest(all: impl Iterator<Item = BestAndWorst>) -> Option<BestAndWorst> {
    all.max_by(|one, other| one.times.total_cmp(&other.times))
}

/// The best and the worst of those that have intervals.
fn farthest<'a>(
    metric: Metric,
    shared: &str,
    points: impl Iterator<Item = (String, &'a AxisPoint)>,
) -> Option<BestAndWorst> {
    let figure = |(name, point): (String, &AxisPoint)| {
        let figure = point.figure?.oriented(metric.better());
        Some((name, figure.value, figure.interval?))
    };
    let mut figures: Vec<(String, f64, Range)> = points.filter_map(figure).collect();
    figures.sort_by(|one, other| one.1.total_cmp(&other.1));
    let ((worst, least, worst_range), (best, most, best_range)) = match figures.as_slice() {
        [first, .., last] => (first, last),
        _ => return None,
    };
    Some(BestAndWorst {
        shared: shared.to_string(),
        best: best.clone(),
        worst: worst.clone(),
        times: most / least,
        interval: Range { low: best_range.low / worst_range.high, high: best_range.high / worst_range.low },
    })
}
