//! What traps do: each beside the mended work, in the same rounds, so that what it changes has an interval.

use kurabe_record::{CandidateRecord, Guarantee, Level, Metric, PhasePlan, RunRecord, StoreKind, TrapPlan, value_on};
use kurabe_stats::{LEVEL, Measured, Ranking, VariancePrior, claims_level, paired_ratio, ranking};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::configuration::At;
use crate::figures::figure::{Figure, Range};
use crate::figures::metrics::oriented;
use crate::figures::reason::Reason;
use crate::rank::phase::{PhaseAnswer, PhaseRow};
use crate::rank::status::Status;
use crate::result::configuration_result::ConfigurationResult;

/// What one trap did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrapAnswer {
    /// Its name.
    pub name: String,
    /// What went wrong, in a sentence.
    pub says: String,
    /// Confidence level of the intervals where it changes the work itself: 0.95, or more where traps change so many things that
    /// some would look changed by chance.
    pub level: f64,
    /// The same in the other phases of its jobs, where something may follow from it: a family of their own, so that what was
    /// meant need not pay for what was only looked at.
    pub level_elsewhere: f64,
    /// The phases in which it was measured, level by level.
    pub phases: Vec<TrapPhase>,
}

/// What a trap did in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrapPhase {
    /// The level whose work it changes.
    pub at: At,
    /// Name of the phase.
    pub phase: String,
    /// Whether its ranking is part of the answer.
    pub deciding: bool,
    /// What it is ranked by without the trap: all figures are of this metric.
    pub metric: Metric,
    /// Whether the trap makes of an operation something that handles another number of rows: then rates are those of rows, and
    /// what one operation takes is divided by its rows.
    pub per_row: bool,
    /// The candidates that it concerns.
    pub effects: Vec<TrapEffect>,
    /// Who is first without it and with it.
    pub first: TrapFirst,
}

/// What a trap did to one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrapEffect {
    /// The candidate.
    pub candidate: String,
    /// Whether the trap changes the work of this phase, and not only what came before or comes after.
    pub is_meant: bool,
    /// What ranks the phase, without the trap.
    pub mended: Option<Figure>,
    /// The same with it.
    pub trapped: Option<Figure>,
    /// How many times the figure becomes, paired by round, with its interval at the level of all that traps change, or of all that
    /// may follow.
    pub change: Option<Figure>,
    #[serde(skip)]
    measured: Option<Measured>,
    /// Figure relative to that of the winner without the trap: without it and with it, where both are those of the trap if it
    /// concerns both.
    pub to_winner: Option<(Figure, Figure)>,
    /// Why it has no figure with the trap.
    pub reason: Option<Reason>,
    /// Where its writes survive less with the trap.
    pub keeps_less: Option<KeepsLess>,
}

/// What acknowledged writes survive without a trap, and that it is less with it: the figures of both then stand beside each
/// other, since that is what the trap is about, but nobody should rank them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeepsLess {
    /// Without it.
    pub mended: Guarantee,
    /// With it.
    pub trapped: Guarantee,
}

/// Who is first without a trap and with it. Those that tie stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrapFirst {
    /// Without it.
    pub mended: Vec<String>,
    /// With it; nobody where somebody does not count with it, for then those that are left are no ranking.
    pub trapped: Vec<String>,
}

impl TrapFirst {
    /// Whether somebody else wins with it: nobody who is first without it is first with it.
    pub fn is_another(&self) -> bool {
        !self.mended.is_empty() && !self.trapped.is_empty() && !self.mended.iter().any(|one| self.trapped.contains(one))
    }
}

impl TrapEffect {
    /// Whether the interval of the change has no 1 in it.
    pub fn is_seen(&self) -> bool {
        let interval = self.change.and_then(|change| change.interval);
        interval.is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
    }
}

/// What the traps of a run did; `results` are those of all configurations in the order of the plan.
pub(crate) fn answers(run: &RunRecord, results: &[ConfigurationResult]) -> Vec<TrapAnswer> {
    let answer = |trap: &TrapPlan| TrapAnswer {
        name: trap.name.clone(),
        says: trap.says.clone(),
        level: LEVEL,
        level_elsewhere: LEVEL,
        phases: run.plan.mended().flat_map(|base| Beside { run, results, trap, base }.phases()).collect(),
    };
    let mut answers: Vec<TrapAnswer> = run.plan.traps.iter().map(answer).collect();
    judge(&mut answers);
    answers
}

/// All that the traps of a run change is one family of comparisons, and all that may follow from it another.
fn judge(answers: &mut [TrapAnswer]) {
    let (meant, elsewhere) = (judge_family(answers, true), judge_family(answers, false));
    for trap in answers {
        (trap.level, trap.level_elsewhere) = (meant, elsewhere);
    }
}

/// Gives what is meant, or what is not, its intervals; returns their level.
fn judge_family(answers: &mut [TrapAnswer], is_meant: bool) -> f64 {
    let effects = answers.iter_mut().flat_map(|trap| &mut trap.phases).flat_map(|phase| &mut phase.effects);
    let family: Vec<&mut TrapEffect> = effects.filter(|effect| effect.is_meant == is_meant).collect();
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

/// A trap beside one mended level.
struct Beside<'a> {
    run: &'a RunRecord,
    results: &'a [ConfigurationResult],
    trap: &'a TrapPlan,
    base: usize,
}

/// A candidate in a phase, without and with the trap.
struct Pair<'a> {
    name: &'a str,
    /// Whether the trap changes this work.
    is_meant: bool,
    mended: Rows<'a>,
    /// Absent where the trap does not concern it.
    trapped: Option<Rows<'a>>,
}

/// How the figures of a phase are told.
#[derive(Clone, Copy)]
struct Told {
    metric: Metric,
    per_row: bool,
}

impl Told {
    /// What makes of a figure that of one row: more rows an operation are more work done, and less work each. What is no matter
    /// of operations stays as it is.
    fn times(self, rows_each: f64) -> f64 {
        match self.metric {
            _ if !self.per_row => 1.0,
            Metric::Rate => rows_each,
            Metric::P50 | Metric::P90 | Metric::P99 | Metric::P999 | Metric::ClientCpu | Metric::ServiceCpu => {
                1.0 / rows_each
            }
            Metric::RowsRate | Metric::Memory | Metric::DiskPerRow => 1.0,
        }
    }
}

/// A row with how many rows of the table one of its operations handles.
#[derive(Clone, Copy)]
struct Rows<'a> {
    row: &'a PhaseRow,
    rows_each: f64,
}

impl Rows<'_> {
    fn values(&self, told: Told) -> Vec<Option<f64>> {
        let times = told.times(self.rows_each);
        self.row.by_round(told.metric).into_iter().map(|value| value.map(|value| value * times)).collect()
    }

    /// The same so that more is better.
    fn oriented(&self, told: Told) -> Vec<Option<f64>> {
        let orient = |value| oriented(told.metric.better(), value);
        self.values(told).into_iter().map(|value| value.map(orient)).collect()
    }

    fn figure(&self, told: Told) -> Option<Figure> {
        Some(self.row.figure(told.metric)?.times(told.times(self.rows_each)))
    }

    fn counts(&self) -> bool {
        self.row.status.counts()
    }
}

impl<'a> Pair<'a> {
    /// Whether what it does with the trap counts beside what it does without: also where the trap is that it keeps less.
    fn counts_with_it(&self) -> bool {
        self.trapped.is_some_and(|it| it.counts() || it.row.status.only_keeps_less(&self.mended.row.status))
    }

    /// What it does with the trap, which is the same as ever where the trap does not concern it; absent where that does not
    /// count.
    fn with_it(&self) -> Option<Rows<'a>> {
        match self.trapped {
            Some(trapped) => Some(trapped).filter(|_| self.counts_with_it()),
            None => self.without_it(),
        }
    }

    /// The same without the trap.
    fn without_it(&self) -> Option<Rows<'a>> {
        Some(self.mended).filter(Rows::counts)
    }

    fn keeps_less(&self) -> Option<KeepsLess> {
        let it = KeepsLess { mended: self.mended.row.guarantee?, trapped: self.trapped?.row.guarantee? };
        Some(it).filter(|it| it.mended.is_stronger_in_any(it.trapped))
    }
}

impl<'a> Beside<'a> {
    fn phases(&self) -> Vec<TrapPhase> {
        let plan = &self.run.plan.levels[self.base];
        let is_mended = |phase: &&PhasePlan| match &self.trap.axis {
            None => true,
            Some(axis) => value_on(&phase.coordinates, &axis.axis) == Some(&axis.from),
        };
        plan.phases.iter().filter(is_mended).filter_map(|phase| self.phase(phase)).collect()
    }

    fn level(&self) -> &'a Level {
        &self.run.plan.levels[self.base]
    }

    /// The levels that the trap makes beside the base.
    fn trapped(&self) -> impl Iterator<Item = (usize, &'a Level)> {
        let levels = self.run.plan.levels.iter().enumerate();
        levels.filter(|(_, level)| {
            level.trapped.as_ref().is_some_and(|it| it.trap == self.trap.name && it.base as usize == self.base)
        })
    }

    fn phase(&self, plan: &PhasePlan) -> Option<TrapPhase> {
        let name = &plan.phase.name;
        let answer = self.results[self.base].phases.iter().find(|phase| phase.name == *name)?;
        let pairs: Vec<Pair<'a>> = self.pairs(plan, name);
        let per_row = self
            .trapped()
            .any(|(_, level)| level.phase(name).is_some_and(|other| other.phase.operation() != plan.phase.operation()));
        let told = Told { metric: answer.rank_by, per_row };
        let first = Self::first(&pairs, told);
        let winner = pairs.iter().find(|pair| first.mended.first().is_some_and(|first| first == pair.name));
        let effects: Vec<TrapEffect> = pairs.iter().filter_map(|pair| self.effect(pair, winner, told)).collect();
        let was_measured = effects.iter().any(|effect| effect.trapped.is_some() || effect.reason.is_some());
        was_measured.then(|| TrapPhase {
            at: At::of(&self.run.plan, self.base),
            phase: name.clone(),
            deciding: answer.deciding,
            metric: told.metric,
            per_row,
            effects,
            first,
        })
    }

    /// Every store of the base level with the row that the trap makes of it.
    fn pairs(&self, plan: &PhasePlan, name: &str) -> Vec<Pair<'a>> {
        let stores = self.run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.trap.is_none());
        let pair = |one: &'a CandidateRecord| {
            let mended =
                Rows { row: self.row(self.base, name, &one.name)?, rows_each: rows_each(plan, self.level().rows) };
            let made = self.run.under_trap(&one.name, &self.trap.name);
            let on_axis = || {
                let sibling = self.sibling(plan)?;
                let rows_each = rows_each(sibling, self.level().rows);
                Some(Rows { row: self.row(self.base, &sibling.phase.name, &one.name)?, rows_each })
            };
            let planned = made.and_then(|made| Some((made, self.level_of(made)?)));
            let trapped = planned.and_then(|(made, (level, planned))| {
                let rows_each = rows_each(planned.phase(name)?, planned.rows);
                Some(Rows { row: self.row(level, name, &made.name)?, rows_each })
            });
            let is_meant = planned.is_none_or(|(made, (_, planned))| self.is_meant(one, made, planned, plan));
            let trapped = trapped.or_else(on_axis);
            Some(Pair { name: &one.name, is_meant, mended, trapped })
        };
        stores.filter_map(pair).collect()
    }

    /// The level on which a candidate that the trap made is measured.
    fn level_of(&self, made: &CandidateRecord) -> Option<(usize, &'a Level)> {
        let is_its = |level: &Level| level.trapped.as_ref().is_some_and(|it| it.candidates.contains(&made.name));
        self.trapped().find(|(_, level)| is_its(level))
    }

    /// Whether the trap changes the work of a phase: where it changes the store, its rows or what stands before it, that of all.
    fn is_meant(&self, one: &CandidateRecord, made: &CandidateRecord, planned: &Level, phase: &PhasePlan) -> bool {
        let base = self.level();
        let differs = |phase: &PhasePlan| planned.phase(&phase.phase.name) != Some(phase);
        let is_other_store = one.asked.clone().unwrap_or_default() != made.asked.clone().unwrap_or_default()
            || (&one.client, &one.stack, one.transport) != (&made.client, &made.stack, made.transport);
        let are_other_rows =
            (base.rows, &base.schema, base.encoding) != (planned.rows, &planned.schema, planned.encoding);
        // What does not show in the plan may be anywhere.
        let shows = base.phases.iter().any(differs);
        is_other_store || are_other_rows || !shows || differs(phase)
    }

    /// The phase beside this one, at the value of the axis that is the trap.
    fn sibling(&self, plan: &PhasePlan) -> Option<&'a PhasePlan> {
        let axis = self.trap.axis.as_ref()?;
        self.level().phases.iter().find(|other| {
            other.of == plan.of
                && other.coordinates.iter().all(|one| {
                    let wanted =
                        if one.axis == axis.axis { Some(&axis.to) } else { value_on(&plan.coordinates, &one.axis) };
                    Some(&one.value) == wanted
                })
        })
    }

    fn row(&self, level: usize, phase: &str, candidate: &str) -> Option<&'a PhaseRow> {
        let phase: &PhaseAnswer = self.results[level].phases.iter().find(|one| one.name == phase)?;
        phase.rows.iter().find(|row| row.candidate == candidate)
    }

    fn effect(&self, pair: &Pair<'a>, winner: Option<&Pair<'a>>, told: Told) -> Option<TrapEffect> {
        let trapped = pair.trapped?;
        let reason = match &trapped.row.status {
            Status::Unranked { reason } if !pair.counts_with_it() => Some(reason.clone()),
            _ => None,
        };
        let ratio = |one: &Rows<'_>, other: &Rows<'_>| {
            let ratio = paired_ratio(&one.values(told), &other.values(told))?;
            Some(Figure::of(ratio.estimate))
        };
        let both_count = pair.counts_with_it() && pair.mended.counts();
        let to_winner = winner
            .filter(|winner| winner.name != pair.name && both_count)
            .and_then(|winner| Some((ratio(&pair.mended, &winner.mended)?, ratio(&trapped, &winner.with_it()?)?)));
        Some(TrapEffect {
            candidate: pair.name.to_string(),
            is_meant: pair.is_meant,
            mended: pair.mended.figure(told),
            trapped: trapped.figure(told).filter(|_| reason.is_none()),
            change: ratio(&trapped, &pair.mended).filter(|_| both_count),
            measured: Measured::log_ratio(&trapped.values(told), &pair.mended.values(told)).filter(|_| both_count),
            to_winner,
            reason,
            keeps_less: pair.keeps_less(),
        })
    }

    /// Who is first, where those that the trap does not concern do their work as ever.
    fn first(pairs: &[Pair<'a>], told: Told) -> TrapFirst {
        let firsts = |rows: fn(&Pair<'a>) -> Option<Rows<'a>>| -> Vec<String> {
            let counting: Vec<(&str, Rows<'a>)> =
                pairs.iter().filter_map(|pair| Some((pair.name, rows(pair)?))).collect();
            let values: Vec<Vec<Option<f64>>> = counting.iter().map(|(_, rows)| rows.oriented(told)).collect();
            let prior = VariancePrior::of_fields(std::slice::from_ref(&values)).pop().unwrap_or(VariancePrior::NONE);
            match ranking(&values, &prior) {
                Ranking::Ranked { places, .. } => places
                    .iter()
                    .filter(|place| place.place == 1)
                    .map(|place| counting[place.candidate].0.to_string())
                    .collect(),
                Ranking::NotRanked { .. } => Vec::new(),
            }
        };
        // Who wins because others were not able to do it wins nothing.
        let is_out = pairs.iter().any(|pair| pair.trapped.is_some() && pair.mended.counts() && !pair.counts_with_it());
        let trapped = if is_out { Vec::new() } else { firsts(Pair::with_it) };
        TrapFirst { mended: firsts(Pair::without_it), trapped }
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
