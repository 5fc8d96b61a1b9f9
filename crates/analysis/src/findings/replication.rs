//! Whether the order of a source comes back by its own method, and which pitfall turned it.
//!
//! Machines differ, so figures do not come back; the order of the candidates may. A column of a published table is
//! compared with the same candidates under all pitfalls together (`as-published`), pair by pair in the source's order.
//! The rank of each alone was the alternative; it calls a tie a change of order.
//!
//! From there pitfalls are removed one at a time, in the order of the study, until the work is correct. Each step has a
//! ratio to the step before it, paired by round. Effects of pitfalls alone do not add up, since pitfalls meet in one
//! program; the steps do.

use kurabe_record::{
    AS_PUBLISHED, AxisValue, Factor, NO_PITFALL, PITFALL, PhaseRef, Pitfall, PublishedCell, PublishedTable,
    PublishedUnit,
};
use kurabe_stats::{Measured, claims_level, paired_ratio};
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
    /// Whether the first is better here.
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
    let tests = drafts.iter().flat_map(Draft::tests).map(|measured| measured.lies_between(Some(0.0), None).p_value());
    let level = claims_level(&tests.collect::<Vec<f64>>());
    drafts.iter().map(|draft| draft.decided(&context, level)).collect()
}

/// A column with what was measured of it by the source's method.
struct Draft<'a> {
    table: &'a PublishedTable,
    column: usize,
    /// Name, cell and ours, the source's best first.
    rows: Vec<(&'a str, &'a PublishedCell, MeasuredCell)>,
}

impl<'a> Draft<'a> {
    fn of(context: &Context<'_>, table: &'a PublishedTable, column: usize) -> Option<Draft<'a>> {
        if matches!(table.unit, PublishedUnit::Milliseconds | PublishedUnit::Bytes) {
            return None;
        }
        let of_row = |row: &'a kurabe_record::PublishedRow| {
            let cell = row.cells.get(column)?;
            cell.value?;
            let ours = measured(context, PublishedUnit::PerSecond, &at(cell, AS_PUBLISHED)?)?.ok()?;
            Some((row.name.as_str(), cell, ours))
        };
        let mut rows: Vec<_> = table.rows.iter().filter_map(of_row).collect();
        let value = |cell: &PublishedCell| cell.value.unwrap_or_default();
        rows.sort_by(|a, b| value(a.1).total_cmp(&value(b.1)));
        if table.unit == PublishedUnit::PerSecond {
            rows.reverse();
        }
        table
            .rows
            .iter()
            .any(|row| row.cells.get(column).is_some_and(|cell| cell.place.is_some() && cell.value.is_some()))
            .then_some(Draft { table, column, rows })
    }

    fn tests(&self) -> impl Iterator<Item = Measured> {
        self.rows.windows(2).filter_map(|two| Measured::log_ratio(&two[0].2.values, &two[1].2.values))
    }

    fn decided(&self, context: &Context<'_>, level: f64) -> Replication {
        let pairs: Vec<OrderedPair> = self.rows.windows(2).filter_map(|two| self.pair(two, level)).collect();
        let has = |verdict| pairs.iter().any(|pair| pair.verdict == verdict);
        let verdict = match () {
            () if pairs.is_empty() => ClaimVerdict::OtherWork,
            () if has(ClaimVerdict::Wrong) => ClaimVerdict::Wrong,
            () if has(ClaimVerdict::Undecided) => ClaimVerdict::Undecided,
            () => ClaimVerdict::Right,
        };
        Replication {
            table: self.table.title.clone(),
            column: self.table.columns[self.column].clone(),
            order: self.rows.iter().map(|(name, ..)| name.to_string()).collect(),
            verdict,
            pairs,
            steps: self.steps(context),
        }
    }

    fn pair(&self, two: &[(&str, &PublishedCell, MeasuredCell)], level: f64) -> Option<OrderedPair> {
        let [(first, theirs, ours), (second, their_other, other)] = two else { return None };
        let measured = Measured::log_ratio(&ours.values, &other.values)?;
        let evidence = measured.lies_between(Some(0.0), None);
        let most = (1.0 - level) / 2.0;
        let verdict = match evidence {
            evidence if evidence.holds <= most => ClaimVerdict::Right,
            evidence if evidence.refuted <= most => ClaimVerdict::Wrong,
            _ => ClaimVerdict::Undecided,
        };
        let (one, next) = (theirs.value?, their_other.value?);
        let theirs = if self.table.unit == PublishedUnit::PerSecond { one / next } else { next / one };
        let ours = Figure::of(paired_ratio(&ours.values, &other.values)?.estimate);
        Some(OrderedPair { first: first.to_string(), second: second.to_string(), theirs, ours, verdict })
    }

    /// The lead of the source's best over its next best at each state.
    fn steps(&self, context: &Context<'_>) -> Vec<Step> {
        let [(_, first, _), (_, second, _), ..] = self.rows.as_slice() else { return Vec::new() };
        // As published first, then each with one pitfall less.
        let pitfalls = context.evidences.run.plan.pitfalls.iter();
        let mut states: Vec<&Pitfall> = pitfalls.filter(|one| !one.together.is_empty()).collect();
        states.sort_by_key(|one| std::cmp::Reverse(one.together.len()));
        if states.len() < 2 {
            return Vec::new();
        }
        let removed = |at: usize| at.checked_sub(1).and_then(|before| states[before].together.first().cloned());
        let last = states.last().and_then(|one| one.together.first().cloned());
        let with = states.iter().enumerate().map(|(at, one)| (one.name.as_str(), removed(at)));
        let states: Vec<(&str, Option<String>)> = with.chain([(NO_PITFALL, last)]).collect();
        let mut before: Option<Vec<Option<f64>>> = None;
        let mut found = Vec::new();
        for (state, removes) in states {
            let values = |cell: &PublishedCell| {
                Some(measured(context, PublishedUnit::PerSecond, &at(cell, state)?)?.ok()?.values)
            };
            let (Some(one), Some(next)) = (values(first), values(second)) else { continue };
            let Some(lead) = paired_ratio(&one, &next) else { continue };
            let ratios: Vec<Option<f64>> = one.iter().zip(&next).map(|(one, next)| Some((*one)? / (*next)?)).collect();
            let change = before.as_ref().and_then(|before| paired_ratio(&ratios, before));
            found.push(Step {
                removes,
                lead: Figure::of(lead.estimate),
                change: change.map(|change| Figure::of(change.estimate)),
                best: self.best(context, state),
            });
            before = Some(ratios);
        }
        found
    }

    /// Whose mean is highest at a state, of the rows of the source.
    fn best(&self, context: &Context<'_>, state: &str) -> String {
        let mean = |cell: &PublishedCell| {
            let found = measured(context, PublishedUnit::PerSecond, &at(cell, state)?)?.ok()?;
            Some(found.figure.value)
        };
        let means = self.rows.iter().filter_map(|(name, cell, _)| Some((*name, mean(cell)?)));
        means.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name.to_string()).unwrap_or_default()
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
