//! A trial of the rules: of result sets drawn at random no answer says more than it may. In a phase that writes nobody
//! leads over a store that keeps more, and nothing that is not valid is ranked or recommended.

use std::collections::BTreeMap;

use kurabe_protocol::{PhaseResult, StoppedBy};
use kurabe_record::{
    Bound, CandidateRecord, DurabilityRecord, Guarantee, Integrity, JobError, JobErrorKind, JobRecord, Loaded, Loss,
    MinimumDurability, StoreKind,
};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::answer::Answer;
use crate::findings::recommend::{Pick, Rationale};
use crate::findings::sentences::{Because, Sentence};
use crate::pipeline::analyse;
use crate::rank::status::Status;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// The simplest settings of each level.
const KEPT: [Guarantee; 5] = [
    Guarantee::NONE,
    Guarantee { kill: Loss::Nothing, power: Loss::Writeback, integrity: Integrity::I3 },
    Guarantee { kill: Loss::Millis(600), power: Loss::Millis(600), integrity: Integrity::I0 },
    Guarantee { kill: Loss::Nothing, power: Loss::Checkpoint(Bound::Commits(1003)), integrity: Integrity::I0 },
    Guarantee::FULL,
];
const MINIMUMS: [MinimumDurability; 4] =
    [MinimumDurability::Cache, MinimumDurability::Kill, MinimumDurability::Consistent, MinimumDurability::Power];

/// Why no figure of a candidate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A row was lost.
    WrongAnswers,
    /// A job did not end.
    Failed,
    /// The client stopped after too many failures.
    GaveUp,
}

impl Fault {
    const ALL: [Fault; 3] = [Fault::WrongAnswers, Fault::Failed, Fault::GaveUp];

    /// Spoils a job.
    fn plant(self, job: &mut JobRecord) {
        let results = |job: &mut JobRecord, spoil: fn(&mut PhaseResult)| {
            job.phases.iter_mut().flat_map(|phase| &mut phase.results).for_each(spoil);
        };
        match self {
            Fault::WrongAnswers => results(job, |result| result.checks.lost = 1),
            Fault::Failed => {
                let message = "it broke".to_string().into();
                job.phases.clear();
                job.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message });
            }
            Fault::GaveUp => results(job, |result| {
                result.workers.iter_mut().for_each(|worker| worker.failed = 101);
                result.stopped_by = StoppedBy::Failures;
            }),
        }
    }
}

/// The answer to a result set, and what is known of it.
#[derive(Clone, Debug)]
pub struct DrawnAnswer {
    /// It.
    pub answer: Answer,
    /// Of the candidates that have one.
    pub faults: BTreeMap<String, Fault>,
    /// What the study asks for.
    pub minimum: MinimumDurability,
}

/// What many sets showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankingTrial {
    /// Answers that say more than they may.
    pub wrong: u64,
    /// Answers with a lead.
    pub leads: u64,
    /// Answers that recommend a store, or either of several.
    pub taken: u64,
    /// Sets in which a candidate is not valid.
    pub broken: u64,
}

/// Draws `sets` result sets after `template`, and looks at the answer to each.
pub fn ranking_trial(template: &Loaded, sets: u64) -> RankingTrial {
    let mut trial = RankingTrial::default();
    for seed in 0..sets {
        let drawn = DrawnAnswer::draw(template, seed);
        trial.wrong += u64::from(!drawn.violations().is_empty());
        trial.leads += u64::from(drawn.answer.sentences.iter().any(has_lead));
        trial.taken += u64::from(!drawn.taken().is_empty());
        trial.broken += u64::from(!drawn.faults.is_empty());
    }
    trial
}

fn has_lead(sentence: &Sentence) -> bool {
    matches!(sentence, Sentence::Winners { groups, .. } if groups.iter().flat_map(|group| &group.places)
        .any(|place| matches!(place.because, Because::Ahead { .. })))
}

impl DrawnAnswer {
    /// Makes candidates, durability settings, rates and faults at random.
    ///
    /// `template` is a run of one configuration whose last phases read and update, with one good job; everything that is
    /// not drawn stays as it is there.
    pub fn draw(template: &Loaded, seed: u64) -> DrawnAnswer {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let names = &NAMES[..random.random_range(2..=NAMES.len())];
        let minimum = pick(&mut random, &MINIMUMS);
        let rounds: u32 = random.random_range(3..=6);
        let mut run = template.run.clone();
        run.plan.durability = minimum;
        run.plan.configurations[0].rounds = rounds;
        run.candidates =
            names.iter().map(|name| candidate(&template.run.candidates[0], name, pick(&mut random, &KEPT))).collect();
        let (mut jobs, mut faults) = (Vec::new(), BTreeMap::new());
        for name in names {
            // From a thousand to two thousand operations a second, or apart by up to a hundred times.
            let width = if random.random_bool(0.5) { 2.0 } else { 100.0 };
            let rates: Vec<f64> =
                template.jobs[0].phases.iter().map(|_| 1_000.0 * f64::powf(width, random.random())).collect();
            let noise = random.random_range(0.01..0.1);
            let fault = random.random_bool(0.25).then(|| pick(&mut random, &Fault::ALL));
            let broken = random.random_range(0..rounds);
            for round in 0..rounds {
                let mut job = job(&template.jobs[0], name, round);
                for (phase, rate) in job.phases.iter_mut().zip(&rates) {
                    let rate = rate * (1.0 + noise * (random.random::<f64>() - 0.5));
                    phase.results.iter_mut().for_each(|result| set_rate(result, rate));
                }
                fault.filter(|_| round == broken).into_iter().for_each(|fault| fault.plant(&mut job));
                jobs.push(job);
            }
            faults.extend(fault.map(|fault| (name.to_string(), fault)));
        }
        DrawnAnswer { answer: analyse(&run, &jobs, template.end.as_ref()), faults, minimum }
    }

    /// What the answer says that it may not, each in words for a developer.
    pub fn violations(&self) -> Vec<String> {
        let mut found = self.wrongly_ranked();
        for (phase, leader, next) in self.leads() {
            let both = self.kept(phase, leader).zip(self.kept(phase, next));
            if self.writes(phase) && both.is_some_and(|(mine, theirs)| theirs.is_stronger_in_any(mine)) {
                found.push(format!("'{leader}' leads in {phase} over '{next}', which keeps more"));
            }
        }
        for name in self.taken() {
            if self.faults.contains_key(name) {
                found.push(format!("'{name}' is recommended with {:?}", self.faults));
            }
            let written = self.answer.phases.iter().filter(|phase| phase.writes);
            let is_below = |kept: Option<Guarantee>| !kept.is_some_and(|kept| kept.meets(self.minimum));
            if written.map(|phase| self.kept(&phase.name, name)).any(is_below) {
                found.push(format!("'{name}' is recommended below {:?}", self.minimum));
            }
        }
        found
    }

    fn wrongly_ranked(&self) -> Vec<String> {
        let mut found = Vec::new();
        for phase in &self.answer.phases {
            for row in phase.rows.iter().filter(|row| matches!(row.status, Status::Ranked { .. })) {
                if self.faults.contains_key(&row.candidate) {
                    found.push(format!("'{}' is ranked in {} with {:?}", row.candidate, phase.name, self.faults));
                }
                if phase.writes && !row.guarantee.is_some_and(|kept| kept.meets(self.minimum)) {
                    found.push(format!("'{}' is ranked in {} below {:?}", row.candidate, phase.name, self.minimum));
                }
            }
        }
        found
    }

    /// Every lead that a sentence or the recommendation tells: phase, leader, and over whom.
    fn leads(&self) -> Vec<(&str, &str, &str)> {
        let mut leads = Vec::new();
        for sentence in &self.answer.sentences {
            let Sentence::Winners { groups, .. } = sentence else { continue };
            for (group, place) in groups.iter().flat_map(|group| group.places.iter().map(move |place| (group, place))) {
                if let Because::Ahead { next, .. } = &place.because {
                    leads.push((place.phase.name.as_str(), group.names[0].as_str(), next.as_str()));
                }
            }
        }
        for rationale in &self.answer.recommendation.because {
            let Rationale::First { phases, .. } = rationale else { continue };
            for lead in phases {
                let over = |taken| lead.next.iter().map(move |next| (lead.phase.as_str(), taken, next.as_str()));
                leads.extend(self.taken().into_iter().flat_map(over));
            }
        }
        leads
    }

    fn taken(&self) -> Vec<&str> {
        match &self.answer.recommendation.pick {
            Pick::Take { candidate } => vec![candidate],
            Pick::Either { candidates, .. } => candidates.iter().map(String::as_str).collect(),
            Pick::NotDecided { .. } | Pick::Nothing => Vec::new(),
        }
    }

    fn writes(&self, phase: &str) -> bool {
        self.answer.phases.iter().any(|one| one.name == phase && one.writes)
    }

    fn kept(&self, phase: &str, name: &str) -> Option<Guarantee> {
        let phase = self.answer.phases.iter().find(|one| one.name == phase)?;
        phase.rows.iter().find(|row| row.candidate == name)?.guarantee
    }
}

fn pick<T: Copy>(random: &mut ChaCha8Rng, of: &[T]) -> T {
    *of.choose(random).expect("one to choose")
}

fn candidate(template: &CandidateRecord, name: &str, guarantee: Guarantee) -> CandidateRecord {
    let durability = DurabilityRecord {
        name: "drawn".into(),
        guarantee,
        window: "as drawn".into(),
        proof: Vec::new(),
        source: String::new(),
    };
    CandidateRecord {
        name: name.into(),
        store: name.into(),
        kind: StoreKind::Store,
        baseline: None,
        durability: Some(durability),
        ..template.clone()
    }
}

fn job(template: &JobRecord, name: &str, round: u32) -> JobRecord {
    let mut job = JobRecord { candidate: name.into(), round, number: round, ..template.clone() };
    // What the disk did tells of the template's store.
    job.phases.iter_mut().for_each(|phase| phase.device_flushes = None);
    job
}

/// Lets the same operations take another time.
fn set_rate(result: &mut PhaseResult, rate: f64) {
    for worker in &mut result.workers {
        worker.last_end_ns = worker.first_start_ns + (worker.operations as f64 / rate * 1e9) as u64;
    }
}
