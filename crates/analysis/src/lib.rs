//! Kurabe's derived values: rates, rankings, percentiles and the answer, computed from records.
//!
//! [`analyse`] is pure: the same records give the same [`Answer`], on every machine and at any later time. Nothing
//! derived is ever stored beside the raw values; `--json` prints the [`Answer`], and its schema is
//! `docs/schema/answer.v3.json`.
//!
//! The rules that decide what counts:
//! - A wrong answer in any round takes a candidate out of that phase; its rate is not even shown. Rows that are missing
//!   or left over at the end of a job take it out of every phase that writes.
//! - A job that failed, or whose settings do not read back as asked, takes it out too: a candidate is never judged over
//!   its good rounds alone. So does a client that gave up, however many failures the study allows.
//! - [`Outcome`] rests on the same judgements: whatever costs a place as a fault is no good run.
//! - Floors show what the harness costs; they have rates and no places.
//! - Below three rounds there is neither interval nor place.
//! - Of several levels the answer is about the last at which two stores can be compared; [`Answer::axes`] is about all.

mod amid;
mod answer;
mod at;
mod axes;
mod bottleneck;
mod candidate;
mod cautions;
mod claims;
mod clients;
mod command;
mod compare;
mod cut;
mod differ;
pub mod english;
mod figures;
mod flushes;
pub mod format;
mod grouped;
mod growth;
mod judge;
mod latency;
mod leaders;
mod levels;
mod limit;
mod lowered;
mod measure;
mod notes;
mod part;
mod places;
mod promise;
mod published;
mod reason;
mod recommend;
mod resources;
mod rounds;
mod sentences;
mod series;
mod steadiness;
mod through;
mod traps;
mod troubles;
mod values;
mod versions;
mod work;

use kurabe_protocol::Hello;
use kurabe_record::{
    CandidateRecord, CutRecord, EndRecord, JobRecord, Level, Loaded, Metric, PhasePlan, Repeated, RunRecord,
};

pub use amid::{ActionAnswer, Spread};
pub use answer::{Answer, LevelAnswer};
pub use at::At;
pub use axes::{AxisAnswer, AxisCurve, AxisPoint, Gap, MissingPoint};
pub use bottleneck::{Bottleneck, OnTheWay, Tells};
pub use candidate::{Absent, CandidateAnswer, Resources};
pub use cautions::{Caution, Differ, Innocent};
pub use claims::{
    ClaimAnswer, ClaimVerdict, ClaimsAnswer, Finding, Judgement as ClaimJudgement, Measure, Settle, Unknown, Where,
};
pub use clients::{ClientPlace, ClientsPhase, StoreClient, StoreClients};
pub use command::command_for;
pub use compare::{
    COMPARISON_FORMAT, ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, OtherMachine, OtherWork,
    SameWork, Side, compare,
};
pub use cut::Cut;
pub use differ::{Difference, NotCompared, OtherRows, Subject};
pub use figures::{
    AgainstBest, Among, ClientLimit, Decision, Figure, LatencyAnswer, LimitBasis, Percentile, PhaseAnswer,
    PhaseRanking, PhaseRow, PhaseUse, Range, RatioFigure, RoundValue, Series, TimeSeries, Verdict,
};
pub use growth::{GrowthSlope, Judgement};
pub use kurabe_stats::{LEVEL, MIN_VALUES};
pub use leaders::{Leader, Leaders, deciding};
pub use lowered::{Lowered, LoweredBy};
use measure::PhaseJob;
pub use notes::{HeldBy, Missing, Note};
pub use part::Part;
pub use published::{OurCell, OurRow, OurTable};
pub use reason::{NotCounted, Reason, Status, WhyNot};
pub use recommend::{
    Ahead, Condition, Excluded, GO_ON, Ground, Grown, Instead, Kept, Lead, Next, NotMeasured, Other, OutBy, Pause,
    Pick, Recommendation, Rule, RuleText, Said, TheirDifference, Unless, WhyExcluded, by_reason,
};
pub use rounds::Rounds;
pub use sentences::{
    Because, CutStore, CutsAt, FirstPlace, FirstsAt, NoRanking, RankedPhase, Risk, Seen, Sentence, Winners,
};
pub use through::{Apart, More, Through};
pub use traps::{KeepsLess, TrapAnswer, TrapEffect, TrapFirst, TrapPhase};
pub use troubles::{Outcome, Trouble, TroubleKind, troubles};
pub use work::{Checking, Extent, Increments, Work};

/// Version of the [`Answer`]'s format. It grows when a reader of the old version would misread the new one.
pub const ANSWER_FORMAT: u32 = 3;

/// What a phase is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankBy {
    /// What the study says, phase by phase.
    Study,
    /// The same in every phase that has it; the others stay as the study says.
    Metric(Metric),
}

/// Computes everything that is shown of a run, from its folder as it was read.
pub fn answer(loaded: &Loaded) -> Answer {
    answer_by(loaded, RankBy::Study)
}

/// As [`answer`], with candidates ranked by something else than what the study says.
pub fn answer_by(loaded: &Loaded, rank_by: RankBy) -> Answer {
    let Loaded { run, jobs, set_aside, cuts, end, repeated, .. } = loaded;
    analyse_all(run, jobs, cuts, end.as_ref(), Beside { repeated, set_aside }, rank_by)
}

/// Computes everything that is shown of a run in which no candidate was cut. `end` is the last end record, if the run has one.
pub fn analyse(run: &RunRecord, jobs: &[JobRecord], end: Option<&EndRecord>) -> Answer {
    analyse_all(run, jobs, &[], end, Beside { repeated: &[], set_aside: &[] }, RankBy::Study)
}

/// The phases as they were planned at the level that an answer is about.
pub fn plans<'a>(answer: &Answer, run: &'a RunRecord) -> &'a [PhasePlan] {
    run.plan.levels.get(answer.at.level as usize).map(|level| level.phases.as_slice()).unwrap_or_default()
}

/// What stands in the record beside what counts, of all levels.
#[derive(Clone, Copy)]
struct Beside<'a> {
    /// Lines that stand there more than once.
    repeated: &'a [Repeated],
    /// Jobs that were measured again.
    set_aside: &'a [JobRecord],
}

fn analyse_all(
    run: &RunRecord,
    jobs: &[JobRecord],
    cuts: &[CutRecord],
    end: Option<&EndRecord>,
    beside: Beside<'_>,
    rank_by: RankBy,
) -> Answer {
    let outcome = Outcome::of(run, jobs, end);
    let cuts = &cut::that_hold(cuts, jobs);
    let of_level = |level: usize| {
        let (here, elsewhere) = jobs.iter().partition(|job| job.level as usize == level);
        Input { run, level, jobs: here, elsewhere, cuts, end, outcome, beside, rank_by }
    };
    let mut levels: Vec<Answer> = (0..run.plan.levels.len()).map(|level| one_level(&of_level(level))).collect();
    let claims = claims::answer(&claims::Evidences { run, levels: &levels, jobs, cuts });
    let published = published::tables(run, &levels);
    let traps = traps::answers(run, &levels);
    levels.truncate(run.plan.mended().count());
    let answer = levels::merged(&of_level(0), levels).unwrap_or_else(|| one_level(&of_level(0)));
    let mut answer = Answer { claims, published, traps, ..answer };
    answer.recommendation = recommend::recommendation(&answer, run);
    answer
}

fn one_level(input: &Input<'_>) -> Answer {
    let run = input.run;
    let rounds = input.rounds();
    let mut not_counted = Vec::new();
    let phases: Vec<PhaseAnswer> = places::phases(input, &mut not_counted);
    let candidates: Vec<CandidateAnswer> =
        input.candidates().map(|candidate| resources::candidate(input, candidate)).collect();
    not_counted.extend(notes::not_counted(&phases, &rounds));
    not_counted.extend(notes::bad_ends(input));
    let absent = notes::absent(run);
    let checking = Checking::of(input);
    let leaders = leaders::leaders(&phases);
    let cautions = cautions_of(input);
    let is_steady = !cautions.iter().any(Caution::is_unsteady);
    Answer {
        format: ANSWER_FORMAT,
        run: run.id.clone(),
        study: run.plan.study.clone(),
        title: run.plan.title.clone(),
        at: At::of(&run.plan, input.level),
        outcome: input.outcome,
        sentences: sentences::sentences(run, &leaders, &phases, &candidates, &rounds, is_steady),
        leaders,
        // Over all levels, once they are one answer.
        recommendation: recommend::Recommendation::none(),
        notes: notes::Noted { input, rounds: &rounds, candidates: &candidates, phases: &phases }.notes(),
        cautions,
        rounds,
        checking,
        phases,
        candidates,
        not_counted,
        absent,
        actions: amid::answers(input),
        other_levels: Vec::new(),
        axes: Vec::new(),
        clients: Vec::new(),
        claims: None,
        published: Vec::new(),
        traps: Vec::new(),
    }
}

/// What stands above the figures.
fn cautions_of(input: &Input<'_>) -> Vec<Caution> {
    let mut cautions = versions::cautions(input);
    cautions.extend(promise::cautions(input));
    cautions.extend(steadiness::pauses(input));
    cautions.extend(steadiness::other_runs(input));
    cautions.extend(steadiness::unsteady_processor(input));
    cautions.extend(steadiness::shared_processors(input));
    cautions.extend(steadiness::throttled(input));
    cautions
}

/// The records of a run at one level, as the rules ask for them.
struct Input<'a> {
    run: &'a RunRecord,
    /// Number of the level.
    level: usize,
    /// Of this level.
    jobs: Vec<&'a JobRecord>,
    /// Jobs of other levels.
    elsewhere: Vec<&'a JobRecord>,
    /// Of all levels.
    cuts: &'a [CutRecord],
    /// The last end record, if the run has one.
    end: Option<&'a EndRecord>,
    /// Of all levels.
    outcome: Outcome,
    beside: Beside<'a>,
    rank_by: RankBy,
}

impl<'a> Input<'a> {
    /// The level.
    fn plan(&self) -> &'a Level {
        &self.run.plan.levels[self.level]
    }

    /// Those that take part at this level.
    fn candidates(&self) -> impl Iterator<Item = &'a CandidateRecord> {
        let takes_part = |one: &&CandidateRecord| self.run.plan.takes_part(self.level, &one.name, one.trap.as_deref());
        self.run.candidates.iter().filter(takes_part)
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
            let mut expected = self.candidates().filter(|one| self.expects(&one.name, *round)).peekable();
            expected.peek().is_some() && expected.all(|candidate| good(candidate, *round))
        };
        let any = |round: &u32| self.candidates().any(|candidate| good(candidate, *round));
        let started = 0..self.started_rounds() as u32;
        Rounds {
            planned: self.plan().rounds as usize,
            complete: started.clone().filter(all).count(),
            measured: started.filter(any).count(),
            end: self.end.map(|end| end.status),
        }
    }
}
