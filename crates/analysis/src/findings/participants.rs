//! Those that a sentence about the work is about.

use kurabe_record::StoreKind;

use crate::figures::candidate::CandidateAnswer;
use crate::figures::completion::Extent;
use crate::grouping::grouped;

/// Those that a sentence about the work is about, by how much of it they did.
pub struct Participants<'a> {
    /// All of them: the stores, or the baselines where the run has no store; no load tool, whose answers were not
    /// checked.
    pub all: Vec<&'a CandidateAnswer>,
    /// Those that did all of the work.
    pub whole: Vec<&'a CandidateAnswer>,
    /// The others, those with the same extent together.
    pub others: Vec<(&'a Extent, Vec<&'a str>)>,
}

impl<'a> Participants<'a> {
    /// Of the candidates of an answer.
    pub fn of(candidates: &'a [CandidateAnswer]) -> Participants<'a> {
        let checked = || candidates.iter().filter(|one| !one.by_load_tool);
        let of_kind = |kind| checked().filter(move |one| one.kind == kind).collect::<Vec<_>>();
        let all = match of_kind(StoreKind::Store) {
            none if none.is_empty() => of_kind(StoreKind::Baseline),
            stores => stores,
        };
        let (whole, rest): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|candidate| candidate.work.extent == Extent::Whole);
        let others = grouped(rest.into_iter().map(|one| (&one.work.extent, one.name.as_str())));
        Participants { all, whole, others }
    }

    /// The fewest rounds that one of those has that did all of the work, and whether all have as many.
    pub fn rounds(&self) -> (usize, bool) {
        let rounds = || self.whole.iter().map(|one| one.work.rounds);
        let (least, most) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0));
        (least, least == most)
    }
}
