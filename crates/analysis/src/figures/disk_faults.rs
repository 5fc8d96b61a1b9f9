//! What stores did while their disk failed, and afterwards: one trial a job, over all jobs of a configuration.
//!
//! The disk fails for a while during updates and is whole again. Later its power is cut, the store is started again, and
//! every row is read, as in [`losses`](crate::figures::losses). Lost is what the store had acknowledged, also while the
//! disk failed.

use kurabe_messages::{Language, RecordedText};
use kurabe_record::{Act, ActionRecord, CandidateRecord, DiskFault, JobRecord, Loss, PhaseRecord};
use kurabe_stats::median;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::actions::Spread;
use crate::figures::input::Input;
use crate::figures::losses::Reading;
use crate::figures::phase_job::PhaseJob;
use crate::figures::time_series::merged;

/// What was under way when the disk failed ends in this time, in ns.
const UNDER_WAY_NS: u64 = 100_000_000;
/// With less than this share of its rate a store is slower.
const SLOWER: f64 = 0.5;

/// What one candidate did at one fault of its disk.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiskFaultAnswer {
    /// Name of the candidate.
    pub candidate: String,
    /// Name of its durability setting.
    pub setting: Option<String>,
    /// How the disk failed.
    pub fault: DiskFault,
    /// Trials that were judged.
    pub trials: usize,
    /// What it did meanwhile.
    pub during: DuringFault,
    /// Acknowledged writes a second meanwhile, as a share of those before.
    pub share: Option<f64>,
    /// What it said: the first error, or the end of its log where it ended.
    pub said: Option<String>,
    /// Whether it wrote again when the disk was whole; absent where no trial was judged.
    pub after: Option<AfterFault>,
    /// From the moment at which the disk was whole to the first acknowledged write, in ns.
    pub resumed_ns: Option<Spread>,
    /// The shortest time that it was given for that, in ns.
    pub watched_ns: Option<u64>,
    /// Trials in which acknowledged writes were lost.
    pub lost: usize,
    /// Lost writes in those.
    pub lost_writes: Option<Spread>,
    /// What its setting says that a power failure takes at most, however the disk was.
    #[schemars(with = "Option<String>")]
    pub promised: Option<Loss>,
    /// Trials after which a row could not be read, or held what was never written to it.
    pub damaged: usize,
    /// Trials after which it did not start again, or gave no rows.
    pub not_back: usize,
    /// Why, the first time.
    pub failure: Option<RecordedText>,
}

/// What a store did while its disk failed, from good to bad; of several trials the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DuringFault {
    /// No trial was judged.
    NotMeasured,
    /// It went on at half its rate or more.
    WentOn,
    /// It went on, slower.
    Slower,
    /// It answered nothing, and told no error.
    Waited,
    /// It told its clients of errors.
    Failed,
    /// It ended.
    Ended,
}

/// Whether a store wrote again after the fault, from good to bad; of several trials the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterFault {
    /// By itself.
    ByItself,
    /// Not before its power was cut.
    NotSeen,
}

/// What became of one trial.
struct Trial<'a> {
    broken: &'a ActionRecord,
    end: &'a ActionRecord,
    written: &'a PhaseRecord,
    read: Option<Reading<'a>>,
}

impl Trial<'_> {
    /// Mean rate in a part of the phase, in acknowledged writes a slot; `None` where no slot lies in it.
    fn rate(&self, from_ns: u64, until_ns: u64) -> Option<f64> {
        let (slot_ns, rates) = merged(self.written)?;
        let slots = (from_ns.div_ceil(slot_ns) as usize)..(until_ns / slot_ns) as usize;
        // Behind the last write there are no slots.
        let count = slots.len();
        (count > 0).then(|| rates.iter().skip(slots.start).take(count).sum::<f64>() / count as f64)
    }

    fn span_ns(&self) -> Option<(u64, u64)> {
        let began_ns = self.broken.began_ns?;
        Some((began_ns, began_ns + self.broken.lasted_ns?))
    }

    /// Acknowledged writes while the disk failed, as a share of those before.
    fn share(&self) -> Option<f64> {
        let (began_ns, ended_ns) = self.span_ns()?;
        let before = self.rate(0, began_ns).filter(|rate| *rate > 0.0)?;
        Some(self.rate(began_ns + UNDER_WAY_NS, ended_ns)? / before)
    }

    /// From the moment at which the disk was whole to the end of the updates.
    fn watched_ns(&self) -> Option<u64> {
        let (_, whole_ns) = self.span_ns()?;
        Some(self.end.began_ns?.saturating_sub(whole_ns))
    }

    /// From the moment at which the disk was whole to the first acknowledged write before the store was ended.
    fn resumed_ns(&self) -> Option<u64> {
        let (slot_ns, rates) = merged(self.written)?;
        let (_, whole_ns) = self.span_ns()?;
        let first = whole_ns.div_ceil(slot_ns);
        let slots = first..self.end.began_ns? / slot_ns;
        let found = slots.into_iter().find(|slot| rates.get(*slot as usize).is_some_and(|rate| *rate > 0.0))?;
        Some((found * slot_ns).saturating_sub(whole_ns))
    }

    fn during(&self) -> DuringFault {
        let failures = self.written.failed() > 0;
        match self.share() {
            _ if self.end.died.is_some() => DuringFault::Ended,
            _ if failures => DuringFault::Failed,
            None => DuringFault::NotMeasured,
            Some(share) if share <= 0.0 => DuringFault::Waited,
            Some(share) if share < SLOWER => DuringFault::Slower,
            Some(_) => DuringFault::WentOn,
        }
    }

    fn after(&self) -> AfterFault {
        let wrote = self.end.died.is_none() && self.resumed_ns().is_some();
        if wrote { AfterFault::ByItself } else { AfterFault::NotSeen }
    }

    /// The line of its log that tells why it ended, or the first error that clients were told.
    fn said(&self) -> Option<String> {
        let first = || self.written.results.iter().flat_map(|result| &result.failures).next();
        let died = self.end.died.as_ref().map(|died| telling_line(&died.text(Language::English)));
        died.or_else(|| first().map(|failed| failed.message.clone()))
    }
}

/// The first line with a word for an error, else the last.
fn telling_line(log: &str) -> String {
    let tells =
        |line: &&str| ["panic", "fatal", "error", "abort"].iter().any(|word| line.to_lowercase().contains(word));
    let lines = || log.lines().skip(1).filter(|line| !line.trim().is_empty());
    lines().find(tells).or(lines().last()).unwrap_or(log).trim().to_string()
}

/// By candidate and fault; none where no disk fails.
pub(crate) fn answers(input: &Input<'_>) -> Vec<DiskFaultAnswer> {
    let plan = input.plan();
    let Some(reads) = plan.phases.iter().find(|plan| plan.phase.counts_losses).filter(|_| plan.breaks_disk()) else {
        return Vec::new();
    };
    let planned: Vec<DiskFault> = plan.actions().flat_map(|action| planned(action.act)).collect();
    let of_candidate = |candidate: &'_ CandidateRecord| {
        let trials: Vec<Trial<'_>> =
            input.jobs_of(&candidate.name).filter_map(|job| trial(job, PhaseJob::of(job, reads).ran())).collect();
        let of_fault = |fault: DiskFault| {
            let of_it: Vec<&Trial<'_>> = trials.iter().filter(|one| one.broken.disk_fault == Some(fault)).collect();
            answer(candidate, fault, &of_it)
        };
        planned.iter().map(|fault| of_fault(*fault)).collect::<Vec<DiskFaultAnswer>>()
    };
    input.candidates().flat_map(of_candidate).collect()
}

/// The faults of an action; all where they come in turn.
fn planned(act: Act) -> Vec<DiskFault> {
    match act {
        Act::Disk { fault: Some(fault), .. } => vec![fault],
        Act::Disk { fault: None, .. } => DiskFault::ALL.to_vec(),
        _ => Vec::new(),
    }
}

fn trial<'a>(job: &'a JobRecord, read: Option<&'a PhaseRecord>) -> Option<Trial<'a>> {
    job.phases.iter().find_map(|written| {
        let of = |is: fn(Act) -> bool| written.actions.iter().find(|one| is(one.plan.act) && one.failed.is_none());
        let broken = of(|act| matches!(act, Act::Disk { .. }))?;
        let end = of(|act| matches!(act, Act::Cut(_)))?;
        (end.not_back.is_some() || read.is_some()).then_some(Trial { broken, end, written, read: read.map(Reading) })
    })
}

fn answer(candidate: &CandidateRecord, fault: DiskFault, trials: &[&Trial<'_>]) -> DiskFaultAnswer {
    let lossy = || trials.iter().filter_map(|trial| trial.read.as_ref()).filter(|read| read.lost_writes() > 0);
    DiskFaultAnswer {
        candidate: candidate.name.clone(),
        setting: candidate.durability.as_ref().map(|setting| setting.name.clone()),
        fault,
        trials: trials.len(),
        during: trials.iter().map(|trial| trial.during()).max().unwrap_or(DuringFault::NotMeasured),
        share: median(trials.iter().filter_map(|trial| trial.share())),
        said: trials.iter().find_map(|trial| trial.said()),
        after: trials.iter().map(|trial| trial.after()).max(),
        resumed_ns: Spread::of(trials.iter().filter_map(|trial| trial.resumed_ns())),
        watched_ns: trials.iter().filter_map(|trial| trial.watched_ns()).min(),
        lost: lossy().count(),
        lost_writes: Spread::of(lossy().map(Reading::lost_writes)),
        promised: candidate.durability.as_ref().map(|setting| setting.guarantee.power),
        damaged: trials.iter().filter_map(|trial| trial.read.as_ref()).filter(|read| read.is_damaged()).count(),
        not_back: trials.iter().filter(|trial| trial.read.is_none()).count(),
        failure: trials.iter().find_map(|trial| trial.end.not_back.clone()),
    }
}
