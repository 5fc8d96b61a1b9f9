//! Kurabe's derived values: rates, rankings, percentiles and the answer, computed from records.
//!
//! [`analyse`] is pure: the same records give the same [`Answer`], on every machine and at any later time. Nothing
//! derived is ever stored beside the raw values; `--json` prints the [`Answer`], and its schema is
//! `docs/schema/answer.v1.json`.
//!
//! The rules that decide what counts:
//! - A wrong answer in any round takes a candidate out of that phase; its rate is not even shown. Rows that are missing
//!   or left over at the end of a job take it out of every phase that writes.
//! - A job that failed, or whose settings do not read back as asked, takes it out too: a candidate is never judged over
//!   its good rounds alone.
//! - Floors show what the harness costs; they have rates and no places.
//! - Below three rounds there is neither interval nor place.

mod answer;
mod cautions;
mod compare;
pub mod format;
mod growth;
mod judge;
mod latency;
mod limit;
mod measure;
mod notes;
mod places;
mod resources;
mod sentences;
mod series;

use kurabe_record::{CandidateRecord, EndRecord, JobRecord, PhasePlan, RunRecord};

pub use answer::{
    Absent, Answer, CandidateAnswer, ClientLimit, Figure, LatencyAnswer, LimitBasis, NotCounted, Percentile,
    PhaseAnswer, PhaseRanking, PhaseRow, PhaseUse, Range, RatioFigure, Reason, Resources, RoundRate, Rounds, Status,
    TimeSeries, Verdict,
};
pub use compare::{
    COMPARISON_FORMAT, ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, Side, compare,
};
pub use growth::{Cut, Growth, GrowthCurve, GrowthPoint, GrowthSlope, Judgement, SizeAnswer};
pub use kurabe_stats::LEVEL;
use measure::PhaseJob;

/// Version of the [`Answer`]'s format. It grows when a reader of the old version would misread the new one.
pub const ANSWER_FORMAT: u32 = 1;

/// Computes everything that is shown of a run. `end` is the last end record, if the run has one.
pub fn analyse(run: &RunRecord, jobs: &[JobRecord], end: Option<&EndRecord>) -> Answer {
    let input = Input { run, jobs };
    let rounds = input.rounds(end);
    let mut not_counted = Vec::new();
    let phases: Vec<PhaseAnswer> =
        run.phases.iter().map(|plan| places::phase(&input, plan, &mut not_counted)).collect();
    let candidates = run.candidates.iter().map(|candidate| resources::candidate(&input, candidate)).collect();
    not_counted.extend(notes::not_counted(&phases, &rounds));
    not_counted.extend(notes::bad_ends(run, jobs));
    let absent = notes::absent(run);
    Answer {
        format: ANSWER_FORMAT,
        run: run.id.clone(),
        study: run.study.clone(),
        title: run.title.clone(),
        rows: run.rows,
        sentences: sentences::sentences(run, &phases, &rounds),
        notes: notes::notes(run, &rounds, end, &absent),
        cautions: cautions::cautions(&input),
        rounds,
        phases,
        candidates,
        not_counted,
        absent,
        other_sizes: Vec::new(),
        growth: Vec::new(),
    }
}

/// The records of a run, as the rules ask for them.
struct Input<'a> {
    run: &'a RunRecord,
    jobs: &'a [JobRecord],
}

impl<'a> Input<'a> {
    fn jobs_of(&self, candidate: &str) -> impl Iterator<Item = &'a JobRecord> {
        self.jobs.iter().filter(move |job| job.candidate == candidate)
    }

    fn phase_jobs(&self, candidate: &CandidateRecord, plan: &PhasePlan) -> Vec<PhaseJob<'a>> {
        self.jobs_of(&candidate.name)
            .map(|job| PhaseJob { job, record: job.phases.iter().find(|phase| phase.name == plan.phase.name) })
            .collect()
    }

    /// Rounds that were started: one more than the highest number of a job's round.
    fn started_rounds(&self) -> usize {
        self.jobs.iter().map(|job| job.round as usize + 1).max().unwrap_or(0)
    }

    fn rounds(&self, end: Option<&EndRecord>) -> Rounds {
        let done = |round: usize| {
            let has_job =
                |candidate: &CandidateRecord| self.jobs_of(&candidate.name).any(|job| job.round as usize == round);
            !self.run.candidates.is_empty() && self.run.candidates.iter().all(has_job)
        };
        let complete = (0..self.started_rounds()).filter(|round| done(*round)).count();
        Rounds { planned: self.run.rounds as usize, complete, end: end.map(|end| end.status) }
    }
}
