//! A run: candidates resolved, plan played, every job recorded and synced.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kurabe_machine::{DeviceProbe, Machine, OtherRuns, PowerVerdict};
use kurabe_protocol::{Eviction, Hello, Phase};
use kurabe_record::{
    CutRecord, EndRecord, EndStatus, Entry, FORMAT, Floor, JobRecord, LeftOut, Loaded, RunFolder, RunRecord, SizePlan,
};
use kurabe_service::{Guardian, Reach, first_closed_folder, service_account};
use kurabe_study::{Catalogue, Study};

use crate::error::HarnessError;
use crate::fault::Fault;
use crate::hidden::HiddenPaths;
use crate::job::{JobEnd, Place, Stage, Templates, Told, ask_receipt, look, memory_of_rows, now_utc, run_job};
use crate::plan::{Done, Next, NextJob, Plan, WhyDone, next};
use crate::resolve::{Candidate, Clients, Remote, Resolved, default_dir, durability_of, durability_record, resolve};
use crate::room::{check_budget, check_space};
use crate::streams::StreamFiles;

/// Who is told what happens during a run.
pub trait Observer {
    /// What takes part and what does not, before anything is measured.
    fn planned(&self, _run: &RunRecord) {}
    /// A job starts.
    fn job(&self, _job: &Starting<'_>) {}
    /// A phase starts.
    fn phase(&self, _name: &str, _phase: &Phase) {}
    /// Operations of the phase so far.
    fn progress(&self, _operations: u64) {}
    /// A job is recorded.
    fn done(&self, _record: &JobRecord) {}
    /// A candidate is not measured any further.
    fn cut(&self, _cut: &CutRecord) {}
    /// Something is left that the user must look after.
    fn warn(&self, _message: &str) {}
}

/// A job that starts.
#[derive(Clone, Copy, Debug)]
pub struct Starting<'a> {
    /// Number of the job, from 0.
    pub number: u32,
    /// Rows of its size.
    pub rows: u64,
    /// Rounds of this size.
    pub rounds: u32,
    /// Round, from 0.
    pub round: u32,
    /// Candidate.
    pub candidate: &'a str,
}

/// Where and how a run takes place.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder in which data folders are made; it exists.
    pub dir: PathBuf,
    /// Folder of the results.
    pub out: PathBuf,
    /// Data folders stay.
    pub keep: Keep,
    /// Whether load may go to another machine.
    pub remote: Remote,
    /// Whether a server at an address may throw away what others keep there.
    pub evictions: Evictions,
    /// The command that repeats the run.
    pub command: String,
}

/// What becomes of a server at an address that throws rows away where its memory ends: a run could cost its users
/// theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evictions {
    /// It is refused.
    Refused,
    /// It is measured.
    Allowed,
}

/// What becomes of data folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They are removed.
    Nothing,
    /// They stay.
    Data,
}

/// What a run came to.
#[derive(Debug)]
pub struct RunOutcome {
    /// The record.
    pub loaded: Loaded,
    /// Where the data folder was kept.
    pub kept: Option<PathBuf>,
    /// What ended the run before its time, where it was not the user; `loaded` holds what was measured until then.
    pub fault: Option<HarnessError>,
}

/// Everything that a run works with.
pub struct Setting<'a> {
    /// Stores, clients, studies.
    pub catalogue: &'a Catalogue,
    /// Where clients come from.
    pub clients: &'a Clients,
    /// Who cleans up if Kurabe dies.
    pub guardian: &'a Guardian,
    /// Who is told what happens.
    pub observer: &'a dyn Observer,
}

/// Resolves what can take part and checks what can be checked before anything starts.
pub fn prepare(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<(Resolved, RunRecord), HarnessError> {
    let resolved = resolve(study, setting.catalogue, setting.clients, setting.guardian, options.remote)?;
    let device = DeviceProbe::run(&options.dir, &setting.clients.interrupt)?;
    check_device(study, &device, options)?;
    check_space(study, &device, &resolved.candidates, options.keep)?;
    check_budget(study, resolved.candidates.len())?;
    check_way(&resolved, &options.dir)?;
    let record = RunRecord {
        format: FORMAT,
        kurabe: env!("CARGO_PKG_VERSION").to_string(),
        id: setting.guardian.run_id().to_string(),
        study: study.name.clone(),
        title: study.title.clone(),
        started_at: now_utc(),
        command: options.command.clone(),
        seed: study.seed,
        rounds: study.rounds,
        budget_ns: study.budget_ns,
        quiet_wait_ns: study.quiet_wait_ns,
        cache_mb: study.cache_mb,
        transport: study.transport,
        durability: study.durability,
        schema: study.schema.clone(),
        rows: study.rows,
        data: study.data.as_ref().map(|data| data.record.clone()),
        compressible: study.compressible,
        phases: study.phases.clone(),
        smaller_sizes: study.smaller_sizes.clone(),
        candidates: resolved.candidates.iter().map(|candidate| candidate.record.clone()).collect(),
        left_out: without_paths(&resolved.left_out, options),
        allowed_errors: study.allowed_errors,
        machine: Machine::read(),
        device,
    };
    Ok((resolved, record))
}

fn check_device(study: &Study, device: &DeviceProbe, options: &Options) -> Result<(), HarnessError> {
    match device.power_verdict() {
        PowerVerdict::Refused { reason } if study.durability == Floor::Power => Err(HarnessError::Refused(format!(
            "durability 'power' cannot be measured in '{}': {reason}",
            options.dir.display()
        ))),
        _ => Ok(()),
    }
}

/// Why candidates were left out, as it may stand in a record.
fn without_paths(left_out: &[LeftOut], options: &Options) -> Vec<LeftOut> {
    let hidden = HiddenPaths::new(&[(&options.dir, "$DIR"), (&options.out, "$RUN")]);
    let without = |one: &LeftOut| LeftOut {
        reason: hidden.text(&one.reason),
        remedy: one.remedy.as_deref().map(|remedy| hidden.text(remedy)),
        ..one.clone()
    };
    left_out.iter().map(without).collect()
}

/// Services run as users of their own where Kurabe is root; each must be able to enter its data folder.
fn check_way(resolved: &Resolved, dir: &Path) -> Result<(), HarnessError> {
    for candidate in resolved.candidates.iter().filter(|candidate| candidate.found.is_some()) {
        let user = candidate.store.service.as_ref().and_then(|service| service.user.as_deref());
        let account = service_account(user).map_err(|error| HarnessError::Refused(error.to_string()))?;
        if let Some(closed) = first_closed_folder(dir, account.as_ref()) {
            let who = account.map_or_else(|| "this user".to_string(), |account| format!("user '{}'", account.name));
            return Err(HarnessError::Refused(format!(
                "'{}' runs as {who}, who cannot enter '{}'; choose another folder with --dir, such as '{}'",
                candidate.record.name,
                closed.display(),
                default_dir().display()
            )));
        }
    }
    Ok(())
}

/// Runs a study from its beginning.
pub fn run(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<RunOutcome, HarnessError> {
    let (mut resolved, mut record) = prepare(study, setting, options)?;
    let ground = Ground::make(setting, options, &record)?;
    look_at_servers(study, setting, options, &ground, &mut resolved)?;
    record.candidates = resolved.candidates.iter().map(|candidate| candidate.record.clone()).collect();
    let folder = RunFolder::create(&options.out, &record)?;
    setting.observer.planned(&record);
    let loaded = Loaded::read(folder.path())?;
    Ok(sitting(study, setting, options, &resolved.candidates, ground, folder, loaded).play())
}

/// The folder of a run's data.
struct Ground {
    data: kurabe_service::RunFolder,
    run_id: String,
    templates: Templates,
    told: Told,
}

/// One size of a study with the files that all its clients read.
struct Level {
    study: Study,
    files: StreamFiles,
}

impl Ground {
    fn make(setting: &Setting<'_>, options: &Options, run: &RunRecord) -> Result<Ground, HarnessError> {
        let data = kurabe_service::RunFolder::create(&options.dir, setting.guardian, Reach::Everybody)?;
        Ok(Ground { data, run_id: run.id.clone(), templates: Templates::default(), told: Told::default() })
    }

    /// The level of `size`; files of another size are removed.
    fn level(&self, study: &Study, size: &SizePlan, interrupt: &AtomicBool) -> Result<Level, HarnessError> {
        let study = study.at(size);
        let folder = self.data.path().join("streams");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| HarnessError::io(&folder, error))?;
        }
        Ok(Level { files: StreamFiles::write(&study, &folder, interrupt)?, study })
    }

    fn first_level(&self, study: &Study, interrupt: &AtomicBool) -> Result<Level, HarnessError> {
        let sizes = study.sizes();
        self.level(study, &sizes[0], interrupt)
    }

    fn stage<'a>(&'a self, level: &'a Level, setting: &Setting<'a>, logs: &'a Path, keep: Keep) -> Stage<'a> {
        Stage {
            study: &level.study,
            files: &level.files,
            data: self.data.path(),
            logs,
            guardian: setting.guardian,
            interrupt: &setting.clients.interrupt,
            observer: setting.observer,
            keep,
            run_id: &self.run_id,
            templates: &self.templates,
            told: &self.told,
        }
    }
}

/// Receipts by the names of candidates; where a client does not start there are the words why.
pub type Receipts = Vec<(String, Result<Hello, String>)>;

/// The receipts of the clients of all candidates of a study: what each can do, and with which libraries.
pub fn receipts(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<Receipts, HarnessError> {
    let (resolved, record) = prepare(study, setting, options)?;
    let ground = Ground::make(setting, options, &record)?;
    let level = ground.first_level(study, &setting.clients.interrupt)?;
    let stage = ground.stage(&level, setting, ground.data.path(), Keep::Nothing);
    let ask = |candidate: &Candidate| (candidate.record.name.clone(), ask_receipt(&stage, candidate));
    Ok(resolved.candidates.iter().map(ask).collect())
}

/// Asks each server at an address which durability it has, before anything is measured or written, and whether what
/// others keep there is safe.
fn look_at_servers(
    study: &Study,
    setting: &Setting<'_>,
    options: &Options,
    ground: &Ground,
    resolved: &mut Resolved,
) -> Result<(), HarnessError> {
    if resolved.candidates.iter().all(|candidate| candidate.spec.url.is_none()) {
        return Ok(());
    }
    let level = ground.first_level(study, &setting.clients.interrupt)?;
    let stage = ground.stage(&level, setting, ground.data.path(), Keep::Nothing);
    for candidate in resolved.candidates.iter_mut().filter(|candidate| candidate.spec.url.is_some()) {
        let found = look(&stage, candidate).map_err(|fault| match fault {
            Fault::Ground(what) => HarnessError::Ground(what),
            _ if setting.clients.interrupt.load(Ordering::Relaxed) => HarnessError::Interrupted,
            fault => HarnessError::Refused(format!("'{}': {}", candidate.record.name, fault.words())),
        })?;
        if options.evictions == Evictions::Refused {
            check_eviction(study, &candidate.record.name, &found.eviction)?;
        }
        candidate.durability = durability_of(&candidate.store, &found.settings).cloned();
        candidate.record.durability = candidate.durability.as_ref().map(durability_record);
    }
    Ok(())
}

/// A server that has room for all rows of the study throws nothing away for them.
fn check_eviction(study: &Study, name: &str, eviction: &Eviction) -> Result<(), HarnessError> {
    let needed = memory_of_rows(study);
    let Some(policy) = eviction.policy.as_ref().filter(|_| eviction.room_bytes.is_none_or(|room| room < needed)) else {
        return Ok(());
    };
    let room = eviction.room_bytes.map(|room| format!(", and room for {room} of {needed} bytes")).unwrap_or_default();
    Err(HarnessError::Refused(format!(
        "'{name}': the server throws away what others keep there when its memory is full ({policy}{room}); give it \
         another policy or more memory, or say --allow-evictions if nothing there is needed"
    )))
}

/// Goes on with a run: the recorded jobs are played through the plan again, then the rest is done.
pub fn resume(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<RunOutcome, HarnessError> {
    let (folder, loaded) = RunFolder::resume(&options.out)?;
    let (mut resolved, record) = prepare(study, setting, options)?;
    check_same(&loaded.run, &record)?;
    let ground = Ground::make(setting, options, &loaded.run)?;
    // Records hold no passwords: a server that wants one is told here, not by a failed job.
    look_at_servers(study, setting, options, &ground, &mut resolved).map_err(|error| match error {
        HarnessError::Refused(reason) => {
            HarnessError::Refused(format!("{reason}; if it needs a password, give the whole list again with --stores"))
        }
        other => other,
    })?;
    setting.observer.planned(&loaded.run);
    let loaded = Loaded { damaged: None, ..loaded };
    Ok(sitting(study, setting, options, &resolved.candidates, ground, folder, loaded).play())
}

/// A run that goes on must measure the same things as before.
fn check_same(before: &RunRecord, now: &RunRecord) -> Result<(), HarnessError> {
    let differs =
        |what: &str| Err(HarnessError::Refused(format!("this run cannot go on: {what} differ from when it started")));
    let settings = |run: &RunRecord| {
        run.candidates
            .iter()
            .map(|one| (one.name.clone(), one.settings.clone(), one.service_version.clone()))
            .collect::<Vec<_>>()
    };
    if before.sizes() != now.sizes() || before.schema != now.schema {
        return differs("the study's phases or data");
    }
    if before.data != now.data {
        return differs("the data file, or what was found in it,");
    }
    if settings(before) != settings(now) {
        return differs("the candidates, their versions or settings");
    }
    if before.kurabe != now.kurabe {
        return differs("the versions of kurabe");
    }
    let place = [before.machine.differences(&now.machine), before.device.differences(&now.device)].concat();
    match place.is_empty() {
        true => Ok(()),
        false => Err(HarnessError::Refused(format!(
            "this run cannot go on here, its figures would be of two places: {}; go on where it began, with the --dir of \
             then, or begin a run of its own",
            place.join("; ")
        ))),
    }
}

/// Other runs at work, of whom the user is told; `None` where they cannot be seen.
fn look_for_others(observer: &dyn Observer) -> Option<OtherRuns> {
    let dir = std::env::temp_dir();
    match OtherRuns::join(&dir) {
        Ok(others) => {
            if others.count() > 0 {
                observer.warn(
                    "another run of kurabe is measuring on this machine: both are slower for it; wait for its end",
                );
            }
            Some(others)
        }
        Err(error) => {
            observer.warn(&format!(
                "whether other runs of kurabe measure on this machine cannot be seen: the folder for it in '{}' cannot \
                 be used ({error}); look for them yourself",
                dir.display()
            ));
            None
        }
    }
}

/// A sitting with its plan.
fn sitting<'a>(
    study: &'a Study,
    setting: &'a Setting<'a>,
    options: &'a Options,
    candidates: &'a [Candidate],
    ground: Ground,
    folder: RunFolder,
    loaded: Loaded,
) -> Sitting<'a> {
    let plan = Plan {
        candidates: candidates.iter().map(|candidate| candidate.record.name.clone()).collect(),
        sizes: study.sizes(),
        seed: study.seed,
        budget_ns: study.budget_ns,
    };
    let hidden = HiddenPaths::new(&[(ground.data.path(), "$DATA"), (&options.dir, "$DIR"), (&options.out, "$RUN")]);
    Sitting { study, setting, options, candidates, plan, ground, folder, hidden, loaded }
}

/// One sitting of a run: from its start, or from where an earlier sitting ended.
struct Sitting<'a> {
    study: &'a Study,
    setting: &'a Setting<'a>,
    options: &'a Options,
    candidates: &'a [Candidate],
    plan: Plan,
    ground: Ground,
    folder: RunFolder,
    hidden: HiddenPaths,
    /// What is recorded so far.
    loaded: Loaded,
}

impl Sitting<'_> {
    /// Plays the plan to its end and records that. Whatever ends it earlier is told beside what was measured.
    fn play(mut self) -> RunOutcome {
        let played = self.jobs();
        let (end, fault) = match played {
            Ok(end) => (end, None),
            Err(fault) => (end(EndStatus::Failed, Some(self.hidden.text(&fault.in_record()))), Some(fault)),
        };
        let recorded = self.folder.append(&Entry::End(end.clone()));
        self.loaded.end = Some(end);
        let kept = match self.options.keep {
            Keep::Data => Some(self.ground.data.keep()),
            Keep::Nothing => None,
        };
        RunOutcome { loaded: self.loaded, kept, fault: fault.or(recorded.err().map(HarnessError::from)) }
    }

    /// Plays the plan until nothing is left to do, or the user interrupts.
    fn jobs(&mut self) -> Result<EndRecord, HarnessError> {
        let others = look_for_others(self.setting.observer);
        let mut level: Option<Level> = None;
        loop {
            if self.setting.clients.interrupt.load(Ordering::Relaxed) {
                return Ok(end(EndStatus::Interrupted, Some("interrupted by the user".into())));
            }
            let done = Done { jobs: &self.loaded.jobs, cuts: &self.loaded.cuts };
            match next(&self.plan, done) {
                Next::Done(why) => return Ok(ended(why, &self.plan, done)),
                Next::Cut(cut) => self.cut(cut)?,
                Next::Job(job) => {
                    let size = &self.plan.sizes[job.level];
                    let here = match level.take() {
                        Some(same) if same.study.rows == size.rows => same,
                        _ => match self.ground.level(self.study, size, &self.setting.clients.interrupt) {
                            Err(HarnessError::Interrupted) => continue,
                            made => made?,
                        },
                    };
                    self.job(job, level.insert(here), others.as_ref())?;
                }
            }
        }
    }

    fn job(&mut self, job: NextJob, level: &Level, others: Option<&OtherRuns>) -> Result<(), HarnessError> {
        let candidate = &self.candidates[job.candidate];
        let size = &self.plan.sizes[job.level];
        self.setting.observer.job(&Starting {
            number: job.number,
            rows: size.rows,
            rounds: size.rounds,
            round: job.round,
            candidate: &candidate.record.name,
        });
        let logs = self.folder.logs();
        let stage = self.ground.stage(level, self.setting, &logs, self.options.keep);
        let place = Place { number: job.number, round: job.round, limit: job.limit_ns().map(Duration::from_nanos) };
        match (run_job(&stage, candidate, place, others), job.if_stopped) {
            (JobEnd::Done(record), _) => self.record(&record),
            (JobEnd::OutOfTime(after), Some(cut)) => {
                self.cut(CutRecord { stopped_after_ns: Some(after.as_nanos() as u64), ..cut })
            }
            (JobEnd::Interrupted, _) | (JobEnd::OutOfTime(_), None) => Ok(()),
            (JobEnd::Groundless(what), _) => Err(HarnessError::Ground(what)),
        }
    }

    fn record(&mut self, record: &JobRecord) -> Result<(), HarnessError> {
        let record = self.hidden.job(record)?;
        self.folder.append(&Entry::Job(Box::new(record.clone())))?;
        self.setting.observer.done(&record);
        self.loaded.jobs.push(record);
        Ok(())
    }

    fn cut(&mut self, cut: CutRecord) -> Result<(), HarnessError> {
        self.folder.append(&Entry::Cut(cut.clone()))?;
        self.setting.observer.cut(&cut);
        self.loaded.cuts.push(cut);
        Ok(())
    }
}

/// How a run ended that has nothing left to do: a job that failed leaves it incomplete, in whichever round that was. Which
/// it was stands in the jobs.
fn ended(why: WhyDone, plan: &Plan, done: Done<'_>) -> EndRecord {
    let rounds = match why {
        WhyDone::Failed => return end(EndStatus::Failed, Some("every candidate failed".into())),
        WhyDone::Rounds => None,
        WhyDone::Budget { rounds } => {
            let planned: u32 = plan.sizes.iter().map(|size| size.rounds).sum();
            Some(format!("{rounds} of {planned} rounds fitted into the budget"))
        }
    };
    let status = if done.failed().is_empty() { EndStatus::Complete } else { EndStatus::Failed };
    end(status, rounds)
}

fn end(status: EndStatus, message: Option<String>) -> EndRecord {
    EndRecord { status, ended_at: now_utc(), message }
}

/// What was left out, as lines for people.
pub fn left_out_lines(left_out: &[LeftOut]) -> Vec<String> {
    left_out
        .iter()
        .map(|one| match &one.remedy {
            Some(remedy) => format!("{} is left out: {}; get it with: {remedy}", one.name, one.reason),
            None => format!("{} is left out: {}", one.name, one.reason),
        })
        .collect()
}
