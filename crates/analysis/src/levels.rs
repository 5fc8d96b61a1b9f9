//! A run over several levels: which of them the answer is about, and what is said about the others.

use kurabe_record::{CutRecord, JobRecord};
use kurabe_stats::MIN_VALUES;

use crate::Input;
use crate::answer::{Answer, LevelAnswer};
use crate::at::At;
use crate::axes::{Axes, OfLevel};
use crate::cautions::Caution;
use crate::clients;
use crate::cut::Cut;
use crate::grouped::grouped;
use crate::leaders::{Leaders, leaders};
use crate::reason::Reason;
use crate::sentences::{Sentence, cut_sentence, growth_sentence};
use crate::through::client_sentence;

/// With more levels whose first places go to others than this, the rest are left to the tables.
const ELSEWHERE: usize = 3;

impl Input<'_> {
    /// Whether a candidate is to have a job in a round: it was not cut and did not fail before.
    pub(crate) fn expects(&self, candidate: &str, round: u32) -> bool {
        let failed_here = |job: &&&JobRecord| job.error.is_some() && job.round < round;
        let here = self.jobs.iter().filter(|job| job.candidate == candidate).filter(failed_here).count();
        let before = self.failed_before(candidate).is_some();
        !self.is_cut(candidate, round) && here == 0 && !before
    }

    /// Whether a candidate was cut in a round of this level or before.
    pub(crate) fn is_cut(&self, candidate: &str, round: u32) -> bool {
        self.cuts_of(candidate).any(|cut| cut.level as usize != self.level || cut.rounds <= round)
    }

    /// Cuts that keep a candidate from this level.
    fn cuts_of(&self, candidate: &str) -> impl Iterator<Item = &CutRecord> {
        let ends = |cut: &&CutRecord| self.run.plan.ends_with(cut.level as usize, self.level);
        self.cuts.iter().filter(move |cut| cut.candidate == candidate).filter(ends)
    }

    /// The job of another level that failed and keeps a candidate from this one.
    pub(crate) fn failed_before(&self, candidate: &str) -> Option<&JobRecord> {
        let ends = |job: &&&JobRecord| {
            job.level as usize != self.level && self.run.plan.ends_with(job.level as usize, self.level)
        };
        self.elsewhere.iter().filter(ends).find(|job| job.candidate == candidate && job.error.is_some()).copied()
    }

    /// Why a candidate has no job, or too few for a place, at this level.
    pub(crate) fn not_measured(&self, candidate: &str, jobs: usize) -> Option<Reason> {
        if let Some(cut) = self.cuts_of(candidate).find(|_| jobs < MIN_VALUES) {
            return Some(Reason::Cut { cut: Cut::of(&self.run.plan, cut) });
        }
        let failed = self.failed_before(candidate).filter(|_| jobs == 0);
        failed.map(|job| Reason::FailedBefore { at: At::of(&self.run.plan, job.level as usize) })
    }
}

/// One answer out of those of all levels: that of the last level at which two stores have a place in a phase, else one, else of
/// the last at which anything was measured.
pub(crate) fn merged(input: &Input<'_>, mut levels: Vec<Answer>) -> Option<Answer> {
    let placed = |answer: &Answer| {
        let rankings = answer.phases.iter().flat_map(|phase| &phase.rankings);
        rankings.map(|ranking| ranking.candidates.len()).max().unwrap_or(0)
    };
    let last = |fits: &dyn Fn(&Answer) -> bool| levels.iter().rposition(fits);
    let measured =
        |answer: &Answer| answer.phases.iter().flat_map(|phase| &phase.rows).any(|row| row.rate_per_s().is_some());
    // What is varied alone tells of a few; the answer is about what it is varied from.
    let plan = &input.run.plan;
    let alone = plan.axes.iter().any(|axis| axis.alone);
    let usual = |level: &Answer| !alone || plan.is_usual(level.at.level as usize);
    let headline = last(&|level| usual(level) && placed(level) >= 2)
        .or_else(|| last(&|level| placed(level) >= 2))
        .or_else(|| last(&|level| placed(level) == 1))
        .or_else(|| last(&measured))
        .unwrap_or(0);
    levels.get(headline)?;
    let shown = levels.iter().map(|level| OfLevel { phases: &level.phases, candidates: &level.candidates }).collect();
    let axes = Axes { run: input.run, levels: shown, headline, cuts: input.cuts }.all();
    let mut answer = levels.remove(headline);
    let mut sentences = std::mem::take(&mut answer.sentences);
    if let Some(first) = (!levels.is_empty() && !sentences.is_empty()).then(|| sentences.remove(0)) {
        sentences.insert(0, first.about(answer.at.clone()));
    }
    // Where the machine was not the same all the time nothing about who is faster is decided.
    let is_steady = !answer.cautions.iter().any(Caution::is_unsteady);
    sentences.extend(other_leaders(&levels, &answer).filter(|_| is_steady));
    sentences.extend(growth_sentence(&axes));
    sentences.extend(client_sentence(&axes).filter(|_| is_steady));
    sentences.extend(cut_sentence(&input.run.plan, input.cuts));
    answer.sentences = sentences;
    answer.axes = axes;
    answer.clients = clients::of_stores(input.run, &answer.phases, &answer.candidates);
    answer.other_levels = levels.into_iter().map(level_answer).collect();
    Some(answer)
}

fn level_answer(answer: Answer) -> LevelAnswer {
    LevelAnswer {
        at: answer.at,
        rounds: answer.rounds,
        phases: answer.phases,
        candidates: answer.candidates,
        not_counted: answer.not_counted,
    }
}

/// Levels at which other candidates are first in a phase than at that of the answer.
fn other_leaders(levels: &[Answer], answer: &Answer) -> Option<Sentence> {
    let here = leaders(&answer.phases);
    let elsewhere = |level: &Answer| {
        let other = leaders(&level.phases).into_iter().filter(|there| {
            let same = here.iter().find(|here| (&here.phase, here.among) == (&there.phase, there.among));
            same.is_some_and(|here| !there.names().iter().any(|name| here.names().contains(name)))
        });
        let names = |there: &Leaders| there.first.iter().map(|one| one.candidate.clone()).collect();
        let firsts: Vec<(Vec<String>, Vec<String>)> = grouped(other.map(|there| (names(&there), there.phase)));
        (!firsts.is_empty()).then(|| (level.at.clone(), firsts))
    };
    let all: Vec<_> = levels.iter().filter_map(elsewhere).take(ELSEWHERE).collect();
    (!all.is_empty()).then_some(Sentence::OthersFirst(all))
}
