//! Who is first: once, for every sentence, table and page that says so.

use kurabe_record::{Guarantee, Metric};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::{Figure, times_behind};
use crate::rank::phase::{PhaseAnswer, PhaseRanking, PhaseRow, RankingScope};
use crate::rank::status::Status;

/// The head of one ranking.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Leaders {
    /// Name of the phase.
    pub phase: String,
    /// What its candidates are ranked by.
    pub metric: Metric,
    /// What the ranked candidates have in common.
    #[serde(flatten)]
    pub among: RankingScope,
    /// Those that share rank 1, best first; at least one.
    pub first: Vec<Leader>,
    /// The best of those behind them; absent where nobody is.
    pub next: Option<String>,
    /// How many times better than the next one the leader is; absent where the first rank is shared or nobody is
    /// behind, and in a phase that writes where the next one keeps more: that is no lead.
    pub lead: Option<Figure>,
    /// Confidence level of the intervals of ratios.
    pub level: f64,
    /// Smallest relative difference (0.07 is 7 %) that would have been seen.
    pub detectable: Option<f64>,
    /// How many are ranked.
    pub ranked: usize,
}

/// One of those that are first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Leader {
    /// Candidate.
    pub candidate: String,
    /// What it is ranked by.
    pub figure: Option<Figure>,
    /// What is kept of acknowledged writes; absent where that is unknown.
    pub guarantee: Option<Guarantee>,
    /// Relative to the best of them; absent for that one.
    pub to_best: Option<Figure>,
}

impl Leaders {
    /// Names of those that are first.
    pub fn names(&self) -> Vec<&str> {
        self.first.iter().map(|one| one.candidate.as_str()).collect()
    }

    /// Whether nobody else is ranked.
    pub fn is_alone(&self) -> bool {
        self.ranked == 1
    }
}

/// The phases that decide; all, where none does.
pub fn deciding(phases: &[PhaseAnswer]) -> impl Iterator<Item = &PhaseAnswer> {
    deciding_or_all(phases, |phase| phase.deciding)
}

/// Those that decide; all, where none does.
pub(crate) fn deciding_or_all<T>(all: &[T], decides: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
    let any_decides = all.iter().any(&decides);
    all.iter().filter(move |one| !any_decides || decides(one))
}

/// The heads of all rankings of the phases that decide; of all phases, where none does.
pub(crate) fn leaders(phases: &[PhaseAnswer]) -> Vec<Leaders> {
    deciding(phases).flat_map(|phase| phase.rankings.iter().filter_map(|ranking| of_ranking(phase, ranking))).collect()
}

fn of_ranking(phase: &PhaseAnswer, ranking: &PhaseRanking) -> Option<Leaders> {
    let row = |name: &String| phase.rows.iter().find(|row| row.candidate == *name);
    let rows: Vec<&PhaseRow> = ranking.candidates.iter().filter_map(row).collect();
    let leads = |row: &&PhaseRow| matches!(row.status, Status::Ranked { rank: 1, .. });
    let first: Vec<Leader> = rows
        .iter()
        .copied()
        .filter(leads)
        .map(|row| Leader {
            candidate: row.candidate.clone(),
            figure: row.figure(ranking.metric),
            guarantee: row.guarantee,
            to_best: row.to_best.map(|to_best| to_best.ratio),
        })
        .collect();
    let next = rows.iter().copied().find(|row| !leads(row));
    let keeps_more = |next: &PhaseRow| {
        let both = first.first().and_then(|leader| leader.guarantee.zip(next.guarantee));
        phase.writes && both.is_some_and(|(mine, theirs)| theirs.is_stronger_in_any(mine))
    };
    let lead = next.filter(|next| first.len() == 1 && !keeps_more(next)).and_then(|next| next.to_best);
    (!first.is_empty()).then(|| Leaders {
        phase: phase.name.clone(),
        metric: ranking.metric,
        among: ranking.among,
        first,
        next: next.map(|row| row.candidate.clone()),
        lead: lead.map(|lead| times_behind(ranking.metric, lead.ratio)),
        level: ranking.level,
        detectable: ranking.detectable,
        ranked: ranking.candidates.len(),
    })
}
