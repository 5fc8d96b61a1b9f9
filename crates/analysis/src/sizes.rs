//! A run over several sizes: which of them the answer is about, and what is said about the others.

use kurabe_record::{CutRecord, JobRecord};
use kurabe_stats::MIN_VALUES;

use crate::answer::{Answer, PhaseAnswer, Reason, Status};
use crate::format::{count, list, significant};
use crate::growth::{Cut, Growth, GrowthCurve, Judgement, SizeAnswer};
use crate::{Input, StoreKind, curves};

impl Input<'_> {
    /// Whether a candidate is to have a job in a round: it was not cut and did not fail before.
    pub(crate) fn expects(&self, candidate: &str, round: u32) -> bool {
        let here = (self.run.rows, round);
        let failed = |job: &&&JobRecord| job.error.is_some() && (job.rows, job.round) < here;
        let jobs = self.earlier.iter().chain(&self.jobs).filter(|job| job.candidate == candidate);
        !self.is_cut(candidate, round) && jobs.filter(failed).count() == 0
    }

    /// Whether a candidate was cut in a round of this size or before.
    pub(crate) fn is_cut(&self, candidate: &str, round: u32) -> bool {
        let here = (self.run.rows, round);
        self.cuts.iter().any(|cut| cut.candidate == candidate && (cut.rows, cut.rounds) <= here)
    }

    /// Why a candidate has no job, or too few for a place, at this size.
    pub(crate) fn not_measured(&self, candidate: &str, jobs: usize) -> Option<Reason> {
        let cut = self.cuts.iter().find(|cut| cut.candidate == candidate && cut.rows <= self.run.rows);
        if let Some(cut) = cut.filter(|_| jobs < MIN_VALUES) {
            return Some(Reason::Cut { cut: Cut::of(cut) });
        }
        let failed = self.earlier.iter().find(|job| job.candidate == candidate && job.error.is_some());
        failed.filter(|_| jobs == 0).map(|job| Reason::FailedBefore { rows: job.rows })
    }
}

/// One answer out of those of all sizes, ascending: that of the largest size at which two stores have a place in a phase, else one, else
/// of the largest at which anything was measured.
pub(crate) fn merged(input: &Input<'_>, mut sizes: Vec<Answer>, cuts: &[CutRecord]) -> Option<Answer> {
    let placed = |answer: &Answer| {
        let rankings = answer.phases.iter().flat_map(|phase| &phase.rankings);
        rankings.map(|ranking| ranking.candidates.len()).max().unwrap_or(0)
    };
    let largest = |fits: &dyn Fn(&Answer) -> bool| sizes.iter().rposition(fits);
    let measured =
        |answer: &Answer| answer.phases.iter().flat_map(|phase| &phase.rows).any(|row| row.rate_per_s.is_some());
    let at = largest(&|size| placed(size) >= 2)
        .or_else(|| largest(&|size| placed(size) == 1))
        .or_else(|| largest(&measured))
        .unwrap_or(0);
    let growth = curves::growth(input.run, &sizes, sizes.get(at)?, cuts);
    let mut answer = sizes.remove(at);
    let smallest = sizes.first().filter(|size| size.rows < answer.rows);
    let mut sentences = std::mem::take(&mut answer.sentences);
    if let Some(first) = sentences.first_mut() {
        *first = format!("At {} rows: {first}", count(answer.rows));
    }
    sentences.extend(smallest.and_then(|smallest| other_leaders(smallest, &answer)));
    sentences.extend(growth_sentence(&growth));
    sentences.extend(cut_sentences(cuts));
    answer.sentences = sentences;
    answer.growth = growth;
    answer.other_sizes = sizes.into_iter().map(size_answer).collect();
    Some(answer)
}

fn size_answer(answer: Answer) -> SizeAnswer {
    SizeAnswer {
        rows: answer.rows,
        rounds: answer.rounds,
        phases: answer.phases,
        candidates: answer.candidates,
        not_counted: answer.not_counted,
    }
}

/// Those that share the first place of a phase.
fn leaders(phase: &PhaseAnswer) -> Vec<&str> {
    let leads = phase.rows.iter().filter(|row| matches!(row.status, Status::Ranked { place: 1, .. }));
    leads.map(|row| row.candidate.as_str()).collect()
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    list(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Phases whose first place at the smallest size goes to others than at the size of the answer.
fn other_leaders(smallest: &Answer, answer: &Answer) -> Option<String> {
    let deciding = smallest.phases.iter().filter(|phase| phase.deciding);
    let clause = |small: &PhaseAnswer| {
        let large = answer.phases.iter().find(|phase| phase.name == small.name)?;
        let (then, now) = (leaders(small), leaders(large));
        let changed = !then.is_empty() && !now.is_empty() && !then.iter().any(|name| now.contains(name));
        let verb = if then.len() > 1 { "are" } else { "is" };
        changed.then(|| format!("{} {verb} first in {}", quoted(&then), small.name))
    };
    let clauses: Vec<String> = deciding.filter_map(clause).collect();
    let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
    (!clauses.is_empty())
        .then(|| format!("Small data says something else: at {} rows {}.", count(smallest.rows), list(&clauses)))
}

/// Whose time grows faster than the data.
fn growth_sentence(growth: &[Growth]) -> Option<String> {
    let deciding: Vec<&Growth> = match growth.iter().filter(|one| one.deciding).collect::<Vec<_>>() {
        none if none.is_empty() => growth.iter().collect(),
        deciding => deciding,
    };
    let with_slope = |one: &&Growth| one.curves.iter().any(|curve| curve.slope.is_some());
    if !deciding.iter().any(with_slope) {
        return None;
    }
    let name = |curve: &GrowthCurve| match curve.slope.filter(|_| curve.judgement == Judgement::MoreThanLinear) {
        Some(slope) => format!("'{}': rows^{}", curve.candidate, significant(slope.value, 3)),
        None => format!("'{}'", curve.candidate),
    };
    let judged = |wanted: Judgement| -> Vec<String> {
        let phase = |one: &&Growth| {
            let judged = |curve: &&GrowthCurve| {
                curve.kind == StoreKind::Store && curve.slope.is_some() && curve.judgement == wanted
            };
            let names: Vec<String> = one.curves.iter().filter(judged).map(name).collect();
            (!names.is_empty()).then(|| format!("{} ({})", one.phase, names.join(", ")))
        };
        deciding.iter().filter_map(phase).collect()
    };
    let words = |clauses: &[String]| list(&clauses.iter().map(String::as_str).collect::<Vec<_>>());
    let (faster, open) = (judged(Judgement::MoreThanLinear), judged(Judgement::Undecided));
    Some(match (faster.as_slice(), open.as_slice()) {
        ([], []) => "Time grows no faster than the data in any of the stores.".into(),
        ([], open) => format!("Whether time grows faster than the data is not decided in {}.", words(open)),
        (faster, []) => format!("Time grows faster than the data in {}.", words(faster)),
        (faster, open) => {
            format!("Time grows faster than the data in {}; that is not decided in {}.", words(faster), words(open))
        }
    })
}

fn cut_sentences(cuts: &[CutRecord]) -> Option<String> {
    let mut by_rows: Vec<(u64, Vec<&str>)> = Vec::new();
    for cut in cuts {
        match by_rows.iter_mut().find(|(rows, _)| *rows == cut.rows) {
            Some((_, names)) => names.push(&cut.candidate),
            None => by_rows.push((cut.rows, vec![&cut.candidate])),
        }
    }
    let clauses: Vec<String> =
        by_rows.iter().map(|(rows, names)| format!("{} at {} rows", quoted(names), count(*rows))).collect();
    (!clauses.is_empty()).then(|| format!("Cut, because the budget is too short: {}.", clauses.join("; ")))
}
