//! Of a thousand result sets drawn at random no answer says more than it may: in a phase that writes nobody leads over
//! a store that keeps more, and nothing that is not valid is ranked or recommended.

use std::collections::BTreeMap;

use kurabe_analysis::{Answer, Because, Pick, Rationale, Sentence, Status, analyse};
use kurabe_protocol::{Action, Operation, StoppedBy};
use kurabe_record::{
    CandidateRecord, DurabilityLevel, Guarantee, JobError, JobErrorKind, JobRecord, MinimumDurability,
};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{complete, durability, job, plan, ran, run, store};

const SETS: u64 = 1_000;
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const LEVELS: [DurabilityLevel; 5] = [
    DurabilityLevel::Cache,
    DurabilityLevel::Kill,
    DurabilityLevel::Window,
    DurabilityLevel::Consistent,
    DurabilityLevel::Power,
];
const MINIMUMS: [MinimumDurability; 4] =
    [MinimumDurability::Cache, MinimumDurability::Kill, MinimumDurability::Consistent, MinimumDurability::Power];

/// Why no figure of a candidate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    WrongAnswers,
    Failed,
    GaveUp,
}

impl Fault {
    /// Spoils a job.
    fn plant(self, job: &mut JobRecord) {
        let message = "it broke".to_string();
        match self {
            Fault::WrongAnswers => job.phases.iter_mut().for_each(|phase| phase.results[0].checks.lost = 1),
            Fault::Failed => {
                job.phases.clear();
                job.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: message.into() });
            }
            Fault::GaveUp => job.phases.iter_mut().for_each(|phase| {
                phase.results[0].workers[0].failed = 101;
                phase.results[0].stopped_by = StoppedBy::Failures;
            }),
        }
    }
}

/// A result set, and what is known of it.
struct Drawn {
    answer: Answer,
    faults: BTreeMap<&'static str, Fault>,
    minimum: MinimumDurability,
}

fn draw(seed: u64) -> Drawn {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let names = &NAMES[..random.random_range(2..=NAMES.len())];
    let minimum = *MINIMUMS.choose(&mut random).expect("a minimum");
    let candidates: Vec<CandidateRecord> = names
        .iter()
        .map(|name| {
            let level = *LEVELS.choose(&mut random).expect("a level");
            CandidateRecord { durability: Some(durability(level)), ..store(name) }
        })
        .collect();
    let rounds = random.random_range(3..=6);
    let mut run = run(rounds, candidates, vec![plan("read", Action::Read), plan("update", Action::Update)]);
    run.plan.durability = minimum;
    let (mut jobs, mut faults) = (Vec::new(), BTreeMap::new());
    for name in names {
        // From a thousand to two thousand operations a second, or apart by up to a hundred times.
        let width = if random.random_bool(0.5) { 2.0 } else { 100.0 };
        let rates: [f64; 2] = std::array::from_fn(|_| 1_000.0 * f64::powf(width, random.random()));
        let noise = random.random_range(0.01..0.1);
        let fault = random
            .random_bool(0.25)
            .then(|| *[Fault::WrongAnswers, Fault::Failed, Fault::GaveUp].choose(&mut random).expect("a fault"));
        let broken = random.random_range(0..rounds);
        for round in 0..rounds {
            let mut rate = |of: f64| (of * (1.0 + noise * (random.random::<f64>() - 0.5))) as u64;
            let [read, update] = rates.map(&mut rate);
            let phases = vec![ran("read", Operation::Read, read), ran("update", Operation::Update, update)];
            let mut job = job(name, round, phases);
            fault.filter(|_| round == broken).into_iter().for_each(|fault| fault.plant(&mut job));
            jobs.push(job);
        }
        faults.extend(fault.map(|fault| (*name, fault)));
    }
    Drawn { answer: analyse(&run, &jobs, Some(&complete())), faults, minimum }
}

/// What an answer says that it may not.
fn violations(drawn: &Drawn) -> Vec<String> {
    let Drawn { answer, faults, minimum } = drawn;
    let mut found = Vec::new();
    let is_broken = |name: &str| faults.contains_key(name);
    for phase in &answer.phases {
        for row in &phase.rows {
            let is_ranked = matches!(row.status, Status::Ranked { .. });
            if is_ranked && is_broken(&row.candidate) {
                found.push(format!("'{}' is ranked in {} with {faults:?}", row.candidate, phase.name));
            }
            if is_ranked && phase.writes && !row.guarantee.is_some_and(|kept| kept.meets(*minimum)) {
                found.push(format!("'{}' is ranked in {} below {minimum:?}", row.candidate, phase.name));
            }
        }
    }
    let kept = |phase: &str, name: &str| -> Option<Guarantee> {
        let phase = answer.phases.iter().find(|one| one.name == phase)?;
        phase.rows.iter().find(|row| row.candidate == name)?.guarantee
    };
    let mut check_lead = |phase: &str, leader: &str, next: &str| {
        let writes = answer.phases.iter().any(|one| one.name == phase && one.writes);
        let both = kept(phase, leader).zip(kept(phase, next));
        if writes && both.is_some_and(|(mine, theirs)| theirs.is_stronger_in_any(mine)) {
            found.push(format!("'{leader}' leads in {phase} over '{next}', which keeps more"));
        }
    };
    for sentence in &answer.sentences {
        let Sentence::Winners { groups, .. } = sentence else { continue };
        for group in groups {
            for place in &group.places {
                if let Because::Ahead { next, .. } = &place.because {
                    check_lead(&place.phase.name, &group.names[0], next);
                }
            }
        }
    }
    let taken: Vec<&str> = match &answer.recommendation.pick {
        Pick::Take { candidate } => vec![candidate],
        Pick::Either { candidates, .. } => candidates.iter().map(String::as_str).collect(),
        Pick::NotDecided { .. } | Pick::Nothing => Vec::new(),
    };
    for rationale in &answer.recommendation.because {
        let Rationale::First { phases, .. } = rationale else { continue };
        for lead in phases {
            taken.iter().for_each(|taken| lead.next.iter().for_each(|next| check_lead(&lead.phase, taken, next)));
        }
    }
    for name in taken {
        if is_broken(name) {
            found.push(format!("'{name}' is recommended with {faults:?}"));
        }
        if !kept("update", name).is_some_and(|kept| kept.meets(*minimum)) {
            found.push(format!("'{name}' is recommended below {minimum:?}"));
        }
    }
    found
}

#[test]
fn no_answer_of_a_thousand_says_more_than_it_may() {
    let (mut leads, mut taken, mut broken) = (0, 0, 0);
    for seed in 0..SETS {
        let drawn = draw(seed);
        let found = violations(&drawn);
        assert!(found.is_empty(), "set {seed}: {found:?}");
        let says_lead = |sentence: &Sentence| {
            matches!(sentence, Sentence::Winners { groups, .. } if groups.iter().flat_map(|group| &group.places)
                .any(|place| matches!(place.because, Because::Ahead { .. })))
        };
        leads += usize::from(drawn.answer.sentences.iter().any(says_lead));
        taken += usize::from(matches!(drawn.answer.recommendation.pick, Pick::Take { .. } | Pick::Either { .. }));
        broken += usize::from(!drawn.faults.is_empty());
    }
    // Or nothing would have been tried.
    assert!(leads > 300 && taken > 300 && broken > 300, "{leads} leads, {taken} taken, {broken} broken");
}

/// Defects that such a rule could have: each is found in most of the sets in which it can be seen.
#[test]
fn an_answer_that_says_too_much_is_found() {
    let mut found = [0; 3];
    for seed in 0..200 {
        // What keeps everything is told to keep nothing, and the other way round.
        let mut swapped = draw(seed);
        for row in swapped.answer.phases.iter_mut().flat_map(|phase| &mut phase.rows) {
            row.guarantee =
                row.guarantee.map(|kept| if kept == Guarantee::FULL { Guarantee::NONE } else { Guarantee::FULL });
        }
        found[0] += usize::from(!violations(&swapped).is_empty());
        // What was wrong is not looked at.
        let mut blind = draw(seed);
        blind.faults = NAMES.map(|name| (name, Fault::Failed)).into();
        found[1] += usize::from(!violations(&blind).is_empty());
        // More is asked for than was looked at.
        let asked = Drawn { minimum: MinimumDurability::Power, ..draw(seed) };
        found[2] += usize::from(asked.minimum != draw(seed).minimum && !violations(&asked).is_empty());
    }
    assert!(found.iter().all(|times| *times > 50), "{found:?}");
}
