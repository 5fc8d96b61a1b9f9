//! What pitfalls do: each beside the corrected work, in the same rounds, so that what it changes has an interval.

use kurabe_record::{CandidateRecord, Guarantee, Metric, PhasePlan, Pitfall, StoreKind, value_on};
use kurabe_stats::{LEVEL, Measured, Ranking, VariancePrior, claims_level, paired_ratio, ranking};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::configuration::ConfigurationRef;
use crate::figures::figure::{Figure, Range};
use crate::figures::metrics::oriented;
use crate::figures::reason::Reason;
use crate::findings::cells::{Cell, Cells};
use crate::rank::status::Status;

/// What one pitfall did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PitfallAnswer {
    /// Its name.
    pub name: String,
    /// What went wrong, in a sentence.
    pub says: String,
    /// Confidence level of the intervals where it changes the work itself: 0.95, or more where pitfalls change so many
    /// things that some would look changed by chance.
    pub level: f64,
    /// The same in the other phases of its jobs, where something may follow from it: a family of their own, so that
    /// what was meant need not pay for what was only looked at.
    pub level_elsewhere: f64,
    /// The phases in which it was measured, configuration by configuration.
    pub phases: Vec<PitfallPhase>,
}

/// What a pitfall did in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PitfallPhase {
    /// The configuration whose work it changes.
    pub at: ConfigurationRef,
    /// Name of the phase.
    pub phase: String,
    /// Whether its ranking is part of the answer.
    pub deciding: bool,
    /// What it is ranked by without the pitfall: all figures are of this metric.
    pub metric: Metric,
    /// Whether the pitfall makes of an operation something that handles another number of rows: then rates are those of
    /// rows, and what one operation takes is divided by its rows.
    pub per_row: bool,
    /// The candidates that it concerns.
    pub effects: Vec<PitfallEffect>,
    /// Who is first without it and with it.
    pub first: PitfallFirst,
}

/// What a pitfall did to one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PitfallEffect {
    /// The candidate.
    pub candidate: String,
    /// Whether the pitfall changes the work of this phase, and not only what came before or comes after.
    pub is_meant: bool,
    /// What ranks the phase, without the pitfall.
    pub corrected: Option<Figure>,
    /// The same with it.
    pub with_pitfall: Option<Figure>,
    /// How many times the figure becomes, paired by round, with its interval at the level of all that pitfalls change,
    /// or of all that may follow.
    pub change: Option<Figure>,
    #[serde(skip)]
    measured: Option<Measured>,
    /// Figure relative to that of the winner without the pitfall: without it and with it, where both are those of the
    /// pitfall if it concerns both.
    pub to_winner: Option<(Figure, Figure)>,
    /// Why it has no figure with the pitfall.
    pub reason: Option<Reason>,
    /// Where its writes survive less with the pitfall.
    pub keeps_less: Option<KeepsLess>,
}

/// What acknowledged writes survive without a pitfall, and that it is less with it: the figures of both then stand
/// beside each other, since that is what the pitfall is about, but nobody should rank them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeepsLess {
    /// Without it.
    pub corrected: Guarantee,
    /// With it.
    pub with_pitfall: Guarantee,
}

/// Who is first without a pitfall and with it. Those that tie stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PitfallFirst {
    /// Without it.
    pub corrected: Vec<String>,
    /// With it; nobody where somebody does not count with it, for then those that are left are no ranking.
    pub with_pitfall: Vec<String>,
}

impl PitfallFirst {
    /// Whether somebody else wins with it: nobody who is first without it is first with it.
    pub fn is_another(&self) -> bool {
        !self.corrected.is_empty()
            && !self.with_pitfall.is_empty()
            && !self.corrected.iter().any(|one| self.with_pitfall.contains(one))
    }
}

impl PitfallEffect {
    /// Whether the interval of the change has no 1 in it.
    pub fn is_seen(&self) -> bool {
        self.change.is_some_and(Figure::differs)
    }
}

/// What the pitfalls of a run did.
pub(crate) fn answers(cells: Cells<'_>) -> Vec<PitfallAnswer> {
    let answer = |pitfall: &Pitfall| PitfallAnswer {
        name: pitfall.name.clone(),
        says: pitfall.says.clone(),
        level: LEVEL,
        level_elsewhere: LEVEL,
        phases: cells.plan().corrected().flat_map(|at| PitfallComparison { cells, pitfall, at }.phases()).collect(),
    };
    let mut answers: Vec<PitfallAnswer> =
        cells.plan().pitfalls.iter().filter(|one| !one.is_step()).map(answer).collect();
    judge(&mut answers);
    answers
}

/// All that the pitfalls of a run change is one family of comparisons, and all that may follow from it another.
fn judge(answers: &mut [PitfallAnswer]) {
    let (meant, elsewhere) = (judge_family(answers, true), judge_family(answers, false));
    for pitfall in answers {
        (pitfall.level, pitfall.level_elsewhere) = (meant, elsewhere);
    }
}

/// Gives what is meant, or what is not, its intervals; returns their level.
fn judge_family(answers: &mut [PitfallAnswer], is_meant: bool) -> f64 {
    let effects = answers.iter_mut().flat_map(|pitfall| &mut pitfall.phases).flat_map(|phase| &mut phase.effects);
    let family: Vec<&mut PitfallEffect> = effects.filter(|effect| effect.is_meant == is_meant).collect();
    let measured = family.iter().filter_map(|effect| effect.measured);
    let p_values: Vec<f64> = measured.map(|measured| measured.lies_between(Some(0.0), None).p_value()).collect();
    let level = claims_level(&p_values);
    for effect in family {
        if let (Some(change), Some(measured)) = (&mut effect.change, effect.measured) {
            let interval = measured.interval(level);
            change.interval = interval.map(|one| Range { low: one.low.exp(), high: one.high.exp() });
        }
    }
    level
}

/// A pitfall beside one configuration of the correct work.
struct PitfallComparison<'a> {
    cells: Cells<'a>,
    pitfall: &'a Pitfall,
    at: usize,
}

/// A candidate in a phase, without and with the pitfall.
struct Pair<'a> {
    corrected: Rows<'a>,
    /// Absent where the pitfall does not concern it.
    with_pitfall: Option<Rows<'a>>,
}

/// How the figures of a phase are told.
#[derive(Clone, Copy)]
struct FigureBasis {
    metric: Metric,
    per_row: bool,
}

impl FigureBasis {
    /// What makes of a figure that of one row: more rows an operation are more work done, and less work each. What is
    /// no matter of operations stays as it is.
    fn times(self, rows_each: f64) -> f64 {
        match self.metric {
            _ if !self.per_row => 1.0,
            Metric::Rate => rows_each,
            Metric::P50 | Metric::P90 | Metric::P99 | Metric::P999 | Metric::ClientCpu | Metric::ServiceCpu => {
                1.0 / rows_each
            }
            Metric::RowsRate | Metric::HighestRate | Metric::Memory | Metric::DiskPerRow => 1.0,
        }
    }
}

/// A cell with how many rows of the table one of its operations handles.
#[derive(Clone, Copy)]
struct Rows<'a> {
    cell: Cell<'a>,
    rows_each: f64,
}

impl<'a> Rows<'a> {
    fn of(cell: Cell<'a>) -> Rows<'a> {
        Rows { cell, rows_each: rows_each(cell.plan, cell.config.rows) }
    }

    fn values(&self, basis: FigureBasis) -> Vec<Option<f64>> {
        let times = basis.times(self.rows_each);
        self.cell.row.by_round(basis.metric).into_iter().map(|value| value.map(|value| value * times)).collect()
    }

    /// The same so that more is better.
    fn oriented(&self, basis: FigureBasis) -> Vec<Option<f64>> {
        let orient = |value| oriented(basis.metric.better(), value);
        self.values(basis).into_iter().map(|value| value.map(orient)).collect()
    }

    fn figure(&self, basis: FigureBasis) -> Option<Figure> {
        Some(self.cell.row.figure(basis.metric)?.times(basis.times(self.rows_each)))
    }

    fn status(&self) -> &'a Status {
        &self.cell.row.status
    }

    fn counts(&self) -> bool {
        self.status().counts()
    }
}

impl<'a> Pair<'a> {
    fn name(&self) -> &'a str {
        &self.corrected.cell.candidate.name
    }

    /// Whether what it does with the pitfall counts beside what it does without: also where the pitfall is that it
    /// keeps less.
    fn counts_with_it(&self) -> bool {
        self.with_pitfall.is_some_and(|it| it.counts() || it.status().only_keeps_less(self.corrected.status()))
    }

    /// What it does with the pitfall, which is the same as ever where the pitfall does not concern it; absent where
    /// that does not count.
    fn counted_with_pitfall(&self) -> Option<Rows<'a>> {
        match self.with_pitfall {
            Some(with_pitfall) => Some(with_pitfall).filter(|_| self.counts_with_it()),
            None => self.counted_without_pitfall(),
        }
    }

    /// The same without the pitfall.
    fn counted_without_pitfall(&self) -> Option<Rows<'a>> {
        Some(self.corrected).filter(Rows::counts)
    }

    fn keeps_less(&self) -> Option<KeepsLess> {
        let (corrected, with_pitfall) = (self.corrected.cell.row.guarantee?, self.with_pitfall?.cell.row.guarantee?);
        corrected.is_stronger_in_any(with_pitfall).then_some(KeepsLess { corrected, with_pitfall })
    }

    /// Whether the pitfall changes the work of this phase: where it changes the store, its rows or what stands before
    /// it, that of all.
    fn is_meant(&self) -> bool {
        let Some(Rows { cell: made, .. }) = self.with_pitfall else { return true };
        let own = self.corrected.cell;
        if own.at == made.at {
            // Another value of an axis of phases.
            return true;
        }
        let set = |one: &CandidateRecord| {
            (one.asked.clone().unwrap_or_default(), one.client.clone(), one.app.clone(), one.transport)
        };
        let rows = |one: &Cell<'a>| (one.config.rows, &one.config.schema, one.config.encoding);
        let differs = |plan: &PhasePlan| made.config.phase(&plan.phase.name) != Some(plan);
        // What does not show in the plan may be anywhere.
        let shows = own.config.phases.iter().any(differs);
        set(own.candidate) != set(made.candidate) || rows(&own) != rows(&made) || !shows || differs(own.plan)
    }
}

impl<'a> PitfallComparison<'a> {
    fn phases(&self) -> Vec<PitfallPhase> {
        let plan = self.cells.plan();
        let phases = &plan.configurations[self.at].phases;
        let is_corrected = |phase: &&PhasePlan| {
            self.pitfall.is_separate() || value_on(&phase.factors, &self.pitfall.axis) == Some(&self.pitfall.from)
        };
        phases.iter().filter(is_corrected).filter_map(|phase| self.phase(phase)).collect()
    }

    fn phase(&self, plan: &'a PhasePlan) -> Option<PitfallPhase> {
        let stores = |cell: &Cell<'a>| cell.candidate.kind == StoreKind::Store;
        let pair = |cell: Cell<'a>| Pair {
            corrected: Rows::of(cell),
            with_pitfall: self.cells.sibling(&cell, &self.pitfall.axis, &self.pitfall.to).map(Rows::of),
        };
        let mut pairs: Vec<Pair<'a>> = self.cells.of_phase(self.at, plan).filter(stores).map(pair).collect();
        // In the order of the study.
        pairs.sort_by_key(|pair| self.cells.run.candidates.iter().position(|one| one.name == pair.name()));
        let answer = pairs.first()?.corrected.cell.phase;
        let other = |pair: &Pair<'a>| pair.with_pitfall.map(|it| it.cell.plan.phase.operation());
        let per_row = pairs.iter().filter_map(other).any(|operation| operation != plan.phase.operation());
        let basis = FigureBasis { metric: answer.rank_by, per_row };
        let first = Self::first(&pairs, basis);
        let winner = pairs.iter().find(|pair| first.corrected.first().is_some_and(|first| first == pair.name()));
        let effects: Vec<PitfallEffect> = pairs.iter().filter_map(|pair| self.effect(pair, winner, basis)).collect();
        let was_measured = effects.iter().any(|effect| effect.with_pitfall.is_some() || effect.reason.is_some());
        was_measured.then(|| PitfallPhase {
            at: ConfigurationRef::of(self.cells.plan(), self.at),
            phase: plan.phase.name.clone(),
            deciding: answer.deciding,
            metric: basis.metric,
            per_row,
            effects,
            first,
        })
    }

    fn effect(&self, pair: &Pair<'a>, winner: Option<&Pair<'a>>, basis: FigureBasis) -> Option<PitfallEffect> {
        let with_pitfall = pair.with_pitfall?;
        let reason = match with_pitfall.status() {
            Status::Unranked { reason } if !pair.counts_with_it() => Some(reason.clone()),
            _ => None,
        };
        let ratio = |one: &Rows<'_>, other: &Rows<'_>| {
            let ratio = paired_ratio(&one.values(basis), &other.values(basis))?;
            Some(Figure::of(ratio.estimate))
        };
        let both_count = pair.counts_with_it() && pair.corrected.counts();
        let to_winner = winner.filter(|winner| winner.name() != pair.name() && both_count).and_then(|winner| {
            Some((ratio(&pair.corrected, &winner.corrected)?, ratio(&with_pitfall, &winner.counted_with_pitfall()?)?))
        });
        Some(PitfallEffect {
            candidate: pair.name().to_string(),
            is_meant: pair.is_meant(),
            corrected: pair.corrected.figure(basis),
            with_pitfall: with_pitfall.figure(basis).filter(|_| reason.is_none()),
            change: ratio(&with_pitfall, &pair.corrected).filter(|_| both_count),
            measured: Measured::log_ratio(&with_pitfall.values(basis), &pair.corrected.values(basis))
                .filter(|_| both_count),
            to_winner,
            reason,
            keeps_less: pair.keeps_less(),
        })
    }

    /// Who is first, where those that the pitfall does not concern do their work as ever.
    fn first(pairs: &[Pair<'a>], basis: FigureBasis) -> PitfallFirst {
        let firsts = |rows: fn(&Pair<'a>) -> Option<Rows<'a>>| -> Vec<String> {
            let counting: Vec<(&str, Rows<'a>)> =
                pairs.iter().filter_map(|pair| Some((pair.name(), rows(pair)?))).collect();
            let values: Vec<Vec<Option<f64>>> = counting.iter().map(|(_, rows)| rows.oriented(basis)).collect();
            let prior = VariancePrior::of_fields(std::slice::from_ref(&values)).pop().unwrap_or(VariancePrior::NONE);
            match ranking(&values, &prior) {
                Ranking::Ranked { ranks, .. } => ranks
                    .iter()
                    .filter(|rank| rank.rank == 1)
                    .map(|rank| counting[rank.candidate].0.to_string())
                    .collect(),
                Ranking::NotRanked { .. } => Vec::new(),
            }
        };
        // Who wins because others were not able to do it wins nothing.
        let is_out =
            pairs.iter().any(|pair| pair.with_pitfall.is_some() && pair.corrected.counts() && !pair.counts_with_it());
        let with_pitfall = if is_out { Vec::new() } else { firsts(Pair::counted_with_pitfall) };
        PitfallFirst { corrected: firsts(Pair::counted_without_pitfall), with_pitfall }
    }
}

/// How many rows of the table one operation of a phase handles.
fn rows_each(plan: &PhasePlan, rows: u64) -> f64 {
    use kurabe_protocol::{Operation, Work};
    match plan.phase.operation() {
        Operation::Scan => rows as f64,
        Operation::Latest => plan.phase.latest_rows().map_or(1.0, f64::from),
        // It asks for as many as there are, where these are fewer.
        Operation::MultiRead => plan.phase.multi_read_rows().map_or(1.0, |each| f64::from(each).min(rows as f64)),
        Operation::Open => match plan.phase.work {
            Work::Open { rows: each } => f64::from(each).min(rows as f64),
            _ => 1.0,
        },
        _ => 1.0,
    }
}
