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
//!   its good rounds alone. So does a client that gave up, however many failures the study allows.
//! - [`Outcome`] rests on the same judgements: whatever costs a place as a fault is no good run.
//! - Floors show what the harness costs; they have rates and no places.
//! - Below three rounds there is neither interval nor place.
//! - Of several sizes the answer is about the largest at which two stores can be compared; [`Answer::growth`] is about all.

mod answer;
mod cautions;
mod compare;
mod curves;
pub mod format;
mod growth;
mod judge;
mod latency;
mod limit;
mod measure;
mod notes;
mod places;
mod promise;
mod reasons;
mod resources;
mod sentences;
mod series;
mod sizes;
mod steadiness;
mod troubles;
mod work;

use kurabe_protocol::Hello;
use kurabe_record::{
    CandidateRecord, CutRecord, EndRecord, JobRecord, Loaded, PhasePlan, Repeated, RunRecord, StoreKind,
};

pub use answer::{
    Absent, Answer, CandidateAnswer, ClientLimit, Figure, LatencyAnswer, LimitBasis, Lowered, LoweredBy, NotCounted,
    Percentile, PhaseAnswer, PhaseRanking, PhaseRow, PhaseUse, Range, RatioFigure, Reason, Resources, RoundRate,
    Rounds, Status, TimeSeries, Verdict,
};
pub use cautions::{Caution, Differ, Innocent};
pub use compare::{
    COMPARISON_FORMAT, ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, OtherWork, SameWork, Side,
    compare,
};
pub use growth::{Cut, Growth, GrowthCurve, GrowthPoint, GrowthSlope, Judgement, SizeAnswer};
pub use kurabe_stats::{LEVEL, MIN_VALUES};
use measure::PhaseJob;
pub use notes::{Missing, Note};
pub use troubles::{Outcome, Trouble, TroubleKind, troubles};
pub use work::{Checking, Extent, Increments, Work};

/// Version of the [`Answer`]'s format. It grows when a reader of the old version would misread the new one.
pub const ANSWER_FORMAT: u32 = 1;

/// Computes everything that is shown of a run, from its folder as it was read.
pub fn answer(loaded: &Loaded) -> Answer {
    let Loaded { run, jobs, cuts, end, repeated, .. } = loaded;
    analyse_all(run, jobs, cuts, end.as_ref(), repeated)
}

/// Computes everything that is shown of a run in which no candidate was cut. `end` is the last end record, if the run has one.
pub fn analyse(run: &RunRecord, jobs: &[JobRecord], end: Option<&EndRecord>) -> Answer {
    analyse_all(run, jobs, &[], end, &[])
}

/// The phases as they were planned at the size that an answer is about.
pub fn plans<'a>(answer: &Answer, run: &'a RunRecord) -> &'a [PhasePlan] {
    run.smaller_sizes.iter().find(|size| size.rows == answer.rows).map_or(&run.phases, |size| &size.phases)
}

fn analyse_all(
    run: &RunRecord,
    jobs: &[JobRecord],
    cuts: &[CutRecord],
    end: Option<&EndRecord>,
    repeated: &[Repeated],
) -> Answer {
    let outcome = Outcome::of(run, jobs, end);
    let all = Input { run, jobs: jobs.iter().collect(), earlier: Vec::new(), cuts, end, outcome, repeated };
    if run.smaller_sizes.is_empty() {
        return one_size(&all);
    }
    let runs: Vec<RunRecord> = run.sizes().iter().map(|size| run.at(size)).collect();
    let of_size = |run| one_size(&Input::at(run, jobs, &all));
    let sizes: Vec<Answer> = runs.iter().map(of_size).collect();
    sizes::merged(&all, sizes, cuts).unwrap_or_else(|| one_size(&all))
}

fn one_size(input: &Input<'_>) -> Answer {
    let run = input.run;
    let rounds = input.rounds();
    let mut not_counted = Vec::new();
    let phases: Vec<PhaseAnswer> = run.phases.iter().map(|plan| places::phase(input, plan, &mut not_counted)).collect();
    let candidates: Vec<CandidateAnswer> =
        run.candidates.iter().map(|candidate| resources::candidate(input, candidate)).collect();
    not_counted.extend(notes::not_counted(&phases, &rounds));
    not_counted.extend(notes::bad_ends(input));
    let absent = notes::absent(run);
    Answer {
        format: ANSWER_FORMAT,
        run: run.id.clone(),
        study: run.study.clone(),
        title: run.title.clone(),
        rows: run.rows,
        outcome: input.outcome,
        sentences: sentences::sentences(run, &phases, &candidates, &rounds),
        notes: notes::Beside { input, rounds: &rounds, candidates: &candidates, phases: &phases, absent: &absent }
            .notes(),
        cautions: cautions::cautions(input),
        rounds,
        checking: Checking::of(input),
        phases,
        candidates,
        not_counted,
        absent,
        other_sizes: Vec::new(),
        growth: Vec::new(),
    }
}

/// The records of a run at one size, as the rules ask for them.
struct Input<'a> {
    run: &'a RunRecord,
    jobs: Vec<&'a JobRecord>,
    /// Jobs of smaller sizes.
    earlier: Vec<&'a JobRecord>,
    /// Of all sizes.
    cuts: &'a [CutRecord],
    /// The last end record, if the run has one.
    end: Option<&'a EndRecord>,
    /// Of all sizes.
    outcome: Outcome,
    /// Lines of the record that stand there more than once, of all sizes.
    repeated: &'a [Repeated],
}

impl<'a> Input<'a> {
    /// A run at its size, out of the jobs of all sizes.
    fn at(run: &'a RunRecord, jobs: &'a [JobRecord], all: &Input<'a>) -> Input<'a> {
        let here = jobs.iter().filter(|job| job.rows == run.rows).collect();
        let earlier = jobs.iter().filter(|job| job.rows < run.rows).collect();
        Input { run, jobs: here, earlier, ..*all }
    }

    fn jobs_of(&self, candidate: &str) -> impl Iterator<Item = &'a JobRecord> {
        self.jobs.iter().copied().filter(move |job| job.candidate == candidate)
    }

    /// What the candidate's client said of itself first.
    fn hello(&self, candidate: &str) -> Option<&'a Hello> {
        self.jobs_of(candidate).find_map(|job| job.hello.as_ref())
    }

    fn phase_jobs(&self, candidate: &CandidateRecord, plan: &PhasePlan) -> Vec<PhaseJob<'a>> {
        self.jobs_of(&candidate.name).map(|job| PhaseJob::of(job, plan)).collect()
    }

    /// Rounds that were started: one more than the highest number of a job's round.
    fn started_rounds(&self) -> usize {
        self.jobs.iter().map(|job| job.round as usize + 1).max().unwrap_or(0)
    }

    /// A round is complete when every candidate that was to have a job in it has one that ended in good order.
    fn rounds(&self) -> Rounds {
        let good = |candidate: &CandidateRecord, round: u32| {
            self.jobs_of(&candidate.name).any(|job| job.round == round && job.error.is_none())
        };
        let all = |round: &u32| {
            let mut expected = self.run.candidates.iter().filter(|one| self.expects(&one.name, *round)).peekable();
            expected.peek().is_some() && expected.all(|candidate| good(candidate, *round))
        };
        let any = |round: &u32| self.run.candidates.iter().any(|candidate| good(candidate, *round));
        let started = 0..self.started_rounds() as u32;
        Rounds {
            planned: self.run.rounds as usize,
            complete: started.clone().filter(all).count(),
            measured: started.filter(any).count(),
            end: self.end.map(|end| end.status),
        }
    }
}
