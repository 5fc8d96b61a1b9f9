//! Whether the order of a source comes back by its own method, and which pitfall turned it.
//!
//! Machines differ, so figures do not come back; the order of the candidates may. A column of a published table is
//! compared with the same candidates under all pitfalls together (`as-published`), pair by pair in the source's order.
//! The rank of each alone was the alternative; it calls any tie a change of order. Here a tie is one only where the source
//! has a lead of more than 20 %, and the two are surely nearer to each other than that. Where the source has a smaller
//! one the order came back unless the second is surely ahead by more than 20 %.
//!
//! From there pitfalls are removed one at a time, in the order of the study, until the work is correct. Each step has a
//! ratio to the step before it, paired by round. Effects of pitfalls alone do not add up, since pitfalls meet in one
//! program; the steps do.

use kurabe_record::{
    AS_PUBLISHED, AxisValue, Factor, NO_PITFALL, PITFALL, PhaseRef, Pitfall, PublishedCell, PublishedTable,
    PublishedUnit,
};
use kurabe_stats::{EQUIVALENT, Evidence, Measured, claims_level, paired_ratio};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Figure;
use crate::findings::claims::binding::{Context, Evidences};
use crate::findings::claims::verdict::ClaimVerdict;
use crate::findings::published::{MeasuredCell, measured};

/// What became of the order of one published column.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Replication {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The source's rows that were measured here, its best first.
    pub order: Vec<String>,
    /// Whether the order came back: right, wrong or undecided; other work where fewer than two were measured.
    pub verdict: ClaimVerdict,
    /// The rounds of a pair that has too few of them for an interval; absent where each has enough.
    pub too_few_rounds: Option<usize>,
    /// Neighbours in that order.
    pub pairs: Vec<OrderedPair>,
    /// From the source's method to the correct work; empty where its steps were not measured.
    pub steps: Vec<Step>,
}

/// Two neighbours in the source's order.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OrderedPair {
    /// The better one in the source.
    pub first: String,
    /// The other.
    pub second: String,
    /// How many times as good the first is in the source.
    pub theirs: f64,
    /// The same here, by the source's method.
    pub ours: Figure,
    /// Whether the first is better here; wrong too where the two are equal and the source has a lead that counts, and
    /// right where neither has one.
    pub verdict: ClaimVerdict,
}

/// One state between the source's method and the correct work.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    /// The pitfall that was removed to get here; absent at the source's own method.
    pub removes: Option<String>,
    /// How many times as good the source's best is as its next best.
    pub lead: Figure,
    /// How many times the lead became by this step; absent at the first.
    pub change: Option<Figure>,
    /// Whose mean is best here.
    pub best: String,
}

/// One for each column of rates or times that a run measured as published.
pub(crate) fn replications(evidences: &Evidences<'_>) -> Vec<Replication> {
    let plan = &evidences.run.plan;
    if !plan.pitfalls.iter().any(|one| one.name == AS_PUBLISHED) {
        return Vec::new();
    }
    let context = Context::of_figures(evidences);
    let columns = plan.claims.published.iter().flat_map(|table| (0..table.columns.len()).map(move |at| (table, at)));
    let drafts: Vec<Draft<'_>> = columns.filter_map(|(table, column)| Draft::of(&context, table, column)).collect();
    let tests = drafts.iter().flat_map(|draft| &draft.pairs).map(|pair| pair.evidence.p_value());
    let level = claims_level(&tests.collect::<Vec<f64>>());
    drafts.iter().map(|draft| draft.decided(&context, level)).collect()
}

/// A column with what was measured of it by the source's method.
struct Draft<'a> {
    table: &'a PublishedTable,
    column: usize,
    /// Names and cells of the rows that were measured, the source's best first.
    rows: Vec<(&'a str, &'a PublishedCell)>,
    pairs: Vec<DraftPair>,
    /// The fewest rounds of two neighbours that have no interval; absent where all have one.
    without_interval: Option<usize>,
}

/// Two neighbours, and what shows that the first is better here.
struct DraftPair {
    first: String,
    second: String,
    theirs: f64,
    ours: Figure,
    evidence: Evidence,
}

/// The rates of a cell at a state.
fn rates(context: &Context<'_>, cell: &PublishedCell, state: &str) -> Option<MeasuredCell> {
    measured(context, PublishedUnit::PerSecond, &at(cell, state)?)?.ok()
}

impl<'a> Draft<'a> {
    fn of(context: &Context<'_>, table: &'a PublishedTable, column: usize) -> Option<Draft<'a>> {
        if matches!(table.unit, PublishedUnit::Milliseconds | PublishedUnit::Bytes) {
            return None;
        }
        let cells = table.rows.iter().filter_map(|row| Some((row.name.as_str(), row.cells.get(column)?)));
        let mut cells = cells.filter(|(_, cell)| cell.place.is_some() && cell.value.is_some()).peekable();
        cells.peek()?;
        let mut rows: Vec<(&str, &PublishedCell, MeasuredCell)> =
            cells.filter_map(|(name, cell)| Some((name, cell, rates(context, cell, AS_PUBLISHED)?))).collect();
        let value = |cell: &PublishedCell| cell.value.unwrap_or_default();
        rows.sort_by(|a, b| value(a.1).total_cmp(&value(b.1)));
        if table.unit == PublishedUnit::PerSecond {
            rows.reverse();
        }
        let mut pairs = Vec::new();
        let mut without_interval: Option<usize> = None;
        for two in rows.windows(2) {
            match DraftPair::of(table.unit, &two[0], &two[1]) {
                Some(pair) => pairs.push(pair),
                None => {
                    let rounds = shared_rounds(&two[0].2, &two[1].2);
                    without_interval = Some(without_interval.map_or(rounds, |fewest| fewest.min(rounds)));
                }
            }
        }
        let rows = rows.into_iter().map(|(name, cell, _)| (name, cell)).collect();
        Some(Draft { table, column, rows, pairs, without_interval })
    }

    fn decided(&self, context: &Context<'_>, level: f64) -> Replication {
        let pairs: Vec<OrderedPair> = self.pairs.iter().map(|pair| pair.decided(level)).collect();
        // Of an order a part is not the whole.
        let open = self.without_interval.map(|_| ClaimVerdict::Undecided);
        let verdicts: Vec<ClaimVerdict> = pairs.iter().map(|pair| pair.verdict).chain(open).collect();
        Replication {
            table: self.table.title.clone(),
            column: self.table.columns[self.column].clone(),
            order: self.rows.iter().map(|(name, _)| name.to_string()).collect(),
            verdict: match verdicts.len() {
                0 => ClaimVerdict::OtherWork,
                all => ClaimVerdict::at_least(all, &verdicts),
            },
            too_few_rounds: self.without_interval,
            pairs,
            steps: self.steps(context),
        }
    }

    /// The lead of the source's best over its next best at each state.
    fn steps(&self, context: &Context<'_>) -> Vec<Step> {
        // As published first, then each with one pitfall less.
        let pitfalls = context.evidences.run.plan.pitfalls.iter();
        let mut states: Vec<&Pitfall> = pitfalls.filter(|one| !one.together.is_empty()).collect();
        states.sort_by_key(|one| std::cmp::Reverse(one.together.len()));
        if states.len() < 2 {
            return Vec::new();
        }
        let names = states.iter().map(|one| one.name.as_str()).chain([NO_PITFALL]);
        // Each state removes the first of those that the one before it has.
        let removed = std::iter::once(None).chain(states.iter().map(|one| one.together.first().cloned()));
        let mut before: Option<Vec<Option<f64>>> = None;
        let mut found = Vec::new();
        for (state, removes) in names.zip(removed) {
            let rates: Vec<Option<MeasuredCell>> =
                self.rows.iter().map(|(_, cell)| rates(context, cell, state)).collect();
            let [Some(one), Some(next), ..] = rates.as_slice() else { continue };
            let Some(lead) = paired_ratio(&one.values, &next.values) else { continue };
            let both = one.values.iter().zip(&next.values);
            let ratios: Vec<Option<f64>> = both.map(|(one, next)| Some((*one)? / (*next)?)).collect();
            let change = before.as_ref().and_then(|before| paired_ratio(&ratios, before));
            let means =
                self.rows.iter().zip(&rates).filter_map(|((name, _), cell)| Some((name, cell.as_ref()?.figure)));
            let best = means.max_by(|a, b| a.1.value.total_cmp(&b.1.value));
            found.push(Step {
                removes,
                lead: Figure::of(lead.estimate),
                change: change.map(|change| Figure::of(change.estimate)),
                best: best.map(|(name, _)| name.to_string()).unwrap_or_default(),
            });
            before = Some(ratios);
        }
        found
    }
}

/// In how many rounds both have a figure.
fn shared_rounds(one: &MeasuredCell, other: &MeasuredCell) -> usize {
    one.values.iter().zip(&other.values).filter(|(one, other)| one.is_some() && other.is_some()).count()
}

/// So many times as good is a lead that counts; less counts as equal.
const LEAST_LEAD: f64 = 1.0 + EQUIVALENT;

/// Whether it is a lead to be so many times as good.
fn counts(times: f64) -> bool {
    times > LEAST_LEAD
}

impl OrderedPair {
    /// Whether the source has a lead that counts.
    pub fn is_lead(&self) -> bool {
        counts(self.theirs)
    }
}

impl DraftPair {
    fn of(
        unit: PublishedUnit,
        (first, theirs, ours): &(&str, &PublishedCell, MeasuredCell),
        (second, their_other, other): &(&str, &PublishedCell, MeasuredCell),
    ) -> Option<DraftPair> {
        let (one, next) = (theirs.value?, their_other.value?);
        let theirs = if unit == PublishedUnit::PerSecond { one / next } else { next / one };
        let measured = Measured::log_ratio(&ours.values, &other.values)?;
        let above = |ratio: f64| measured.lies_between(Some(ratio.ln()), None);
        // Of a lead that counts nothing came back where the two are equal here; where the source has none, they may be.
        let evidence = match counts(theirs) {
            true => Evidence { refuted: above(LEAST_LEAD).refuted, ..above(1.0) },
            false => above(1.0 / LEAST_LEAD),
        };
        Some(DraftPair {
            first: first.to_string(),
            second: second.to_string(),
            theirs,
            ours: Figure::of(paired_ratio(&ours.values, &other.values)?.estimate),
            evidence,
        })
    }

    fn decided(&self, level: f64) -> OrderedPair {
        OrderedPair {
            first: self.first.clone(),
            second: self.second.clone(),
            theirs: self.theirs,
            ours: self.ours,
            verdict: ClaimVerdict::of(self.evidence, (1.0 - level) / 2.0),
        }
    }
}

/// A cell at a state; a place that is about another pitfall stays there, since that is the work of its row.
fn at(cell: &PublishedCell, state: &str) -> Option<PublishedCell> {
    let place = cell.place.as_ref()?;
    let mut at = place.at.clone();
    if !at.iter().any(|factor| factor.axis == PITFALL) {
        at.push(Factor { axis: PITFALL.into(), value: AxisValue::Word(state.into()) });
    }
    Some(PublishedCell { place: Some(PhaseRef { phase: place.phase.clone(), at }), ..cell.clone() })
}
