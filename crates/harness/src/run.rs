//! A run: candidates resolved, plan played, every job recorded and synced.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kurabe_machine::{DeviceProbe, Machine, OtherRuns, PowerVerdict};
use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::{Eviction, Hello};
use kurabe_record::{
    DisturbedBy, EndRecord, EndStatus, Entry, FORMAT, JobRecord, LeftOut, Loaded, MinimumDurability, PhasePlan,
    RunFolder, RunRecord, SkippedRecord, StudyPlan,
};
use kurabe_service::{FolderAccess, Guardian, Programs, account_name, first_closed_folder, service_account};
use kurabe_study::{Catalogue, Study};

use crate::clients::Clients;
use crate::error::HarnessError;
use crate::fault::{Environment, Fault};
use crate::job::{
    JobEnd, JobSlot, RoundContext, ServerFacts, Templates, WarnedOnce, ask_hello, look, memory_of_rows, now_utc,
    run_job,
};
use crate::known::known_stores;
use crate::launcher::{Launcher, Processes};
use crate::limits::check_open_files;
use crate::options::{DataRetention, Disturbed, Evictions, Observer, Options, OtherPrograms, OwnServer, Starting};
use crate::others::wait_before_run;
use crate::plan::{Done, EndReason, NextJob, NextStep, Participant, Plan, is_repeated, next, shuffled};
use crate::power::check_power_cuts;
use crate::redaction::HiddenPaths;
use crate::resolve::{Candidate, Resolved, default_dir, durability_of, durability_record, resolve};
use crate::restarts::check_restarts;
use crate::room::{check_budget, check_space};
use crate::streams::StreamFiles;

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

impl Setting<'_> {
    /// Who starts the services and clients of its jobs.
    fn launcher(&self) -> Processes<'_> {
        Processes { guardian: self.guardian }
    }
}

/// Resolves what can take part and checks what can be checked before anything starts.
pub fn prepare(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<(Resolved, RunRecord), HarnessError> {
    check_restarts(study, setting.catalogue)?;
    check_power_cuts(study, &options.dir, setting.guardian)?;
    let resolved = resolve(study, setting.catalogue, setting.clients, setting.guardian, options.remote)?;
    let device = DeviceProbe::run(&options.dir, &setting.clients.interrupt)?;
    check_device(study, &device, options)?;
    check_space(study, &device, &resolved, options.keep)?;
    check_budget(study, resolved.candidates.len())?;
    check_way(&resolved, &options.dir)?;
    check_open_files(study, &resolved)?;
    let record = RunRecord {
        format: FORMAT,
        kurabe: env!("CARGO_PKG_VERSION").to_string(),
        id: setting.guardian.run_id().to_string(),
        started_at: now_utc(),
        command: options.command.clone(),
        plan: study.plan.clone(),
        data: study.data.as_ref().map(|data| data.record.clone()),
        candidates: resolved.candidates.iter().map(|candidate| candidate.record.clone()).collect(),
        stores: known_stores(setting.catalogue, setting.clients, setting.guardian),
        left_out: without_paths(&resolved.left_out, options)?,
        machine: Machine::read(),
        definitions: setting.catalogue.definitions().map(str::to_string),
        device,
    };
    Ok((resolved, record))
}

fn check_device(study: &Study, device: &DeviceProbe, options: &Options) -> Result<(), HarnessError> {
    match device.power_verdict() {
        PowerVerdict::Refused { reason } if asks_for_power(study) => {
            Err(HarnessError::refused(message!(run_no_power, dir = options.dir.display(), reason)))
        }
        _ => Ok(()),
    }
}

/// Whether any candidate is to survive the loss of power.
fn asks_for_power(study: &Study) -> bool {
    let own = study.candidates.iter().filter(|spec| spec.cannot.is_none()).filter_map(|spec| spec.minimum);
    own.chain([study.plan.durability]).any(|minimum| minimum == MinimumDurability::Power)
}

/// Why candidates were left out, as it may stand in a record.
fn without_paths(left_out: &[LeftOut], options: &Options) -> Result<Vec<LeftOut>, HarnessError> {
    let hidden = HiddenPaths::new(&[(&options.dir, "$DIR"), (&options.out, "$RUN")]);
    let without = |one: &LeftOut| {
        let remedy = one.remedy.as_deref().map(|remedy| hidden.text(remedy));
        Ok(LeftOut { reason: hidden.record(&one.reason)?, remedy, ..one.clone() })
    };
    left_out.iter().map(without).collect()
}

/// Services run as users of their own where Kurabe is root; each must be able to enter its data folder.
fn check_way(resolved: &Resolved, dir: &Path) -> Result<(), HarnessError> {
    let all = resolved.candidates.iter().chain(resolved.rows_from.values());
    for candidate in all.filter(|candidate| candidate.found.is_some()) {
        let user = candidate.store.service.as_ref().and_then(|service| service.user.as_deref());
        let account = service_account(user).map_err(HarnessError::refused)?;
        if let Some(closed) = first_closed_folder(dir, account.as_ref()) {
            let (name, user) = (&candidate.record.name, account_name(account.as_ref()));
            let (folder, other) = (closed.display(), default_dir().display());
            return Err(HarnessError::refused(message!(run_closed_folder, name, user, folder, other)));
        }
    }
    Ok(())
}

/// Runs a study from its beginning.
pub fn run(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<RunOutcome, HarnessError> {
    RunFolder::check_free(&options.out)?;
    let (mut resolved, mut record) = prepare(study, setting, options)?;
    let run_data = RunData::make(setting, options, &record, &resolved)?;
    look_at_servers(study, setting, options, &run_data, &mut resolved)?;
    // After all that may refuse the run: nobody waits for a quiet machine to learn that an address is wrong.
    wait_before_run(options, setting.observer, &setting.clients.interrupt);
    record.candidates = resolved.candidates.iter().map(|candidate| candidate.record.clone()).collect();
    let folder = RunFolder::create(&options.out, &record)?;
    let loaded = Loaded::read(folder.path())?;
    setting.observer.planned(&loaded);
    Ok(session(study, setting, options, &resolved.candidates, run_data, folder, loaded).run())
}

/// The folder of a run's data, and what all its jobs share.
struct RunData {
    data: kurabe_service::RunFolder,
    run_id: String,
    templates: Templates,
    warned: WarnedOnce,
    /// Where loads fetch their rows from, by name.
    rows_from: BTreeMap<String, Candidate>,
}

/// One round of a configuration with the files that all its clients read.
struct RoundFiles {
    config: usize,
    round: u32,
    phases: Vec<PhasePlan>,
    files: StreamFiles,
}

impl RunData {
    fn make(
        setting: &Setting<'_>,
        options: &Options,
        run: &RunRecord,
        resolved: &Resolved,
    ) -> Result<RunData, HarnessError> {
        let data = kurabe_service::RunFolder::create(&options.dir, setting.guardian, FolderAccess::Everybody)?;
        let rows_from = resolved.rows_from.clone();
        Ok(RunData {
            data,
            run_id: run.id.clone(),
            templates: Templates::default(),
            warned: WarnedOnce::default(),
            rows_from,
        })
    }

    /// The files of a round of a configuration; those of another go, but for the pool.
    fn round(
        &self,
        plan: &StudyPlan,
        config: usize,
        round: u32,
        interrupt: &AtomicBool,
    ) -> Result<RoundFiles, HarnessError> {
        let folder = self.data.path().join("streams");
        remove_streams(&folder).map_err(|error| HarnessError::io(&folder, error))?;
        let files = StreamFiles::write(plan, &plan.configurations[config], round, &folder, interrupt)?;
        Ok(RoundFiles { config, round, phases: phases_in_turn(plan, config, round), files })
    }

    fn context<'a>(
        &'a self,
        study: &'a Study,
        round: &'a RoundFiles,
        (setting, launcher): (&Setting<'a>, &'a dyn Launcher),
        logs: &'a Path,
        (keep, own_server): (DataRetention, Option<&'a OwnServer>),
    ) -> RoundContext<'a> {
        RoundContext {
            study,
            number: round.config as u32,
            config: &study.plan.configurations[round.config],
            phases: &round.phases,
            files: &round.files,
            data: self.data.path(),
            logs,
            launcher,
            interrupt: &setting.clients.interrupt,
            observer: setting.observer,
            keep,
            run_id: &self.run_id,
            templates: &self.templates,
            exe: &setting.clients.exe,
            rows_from: study.plan.configurations[round.config]
                .rows_from()
                .next()
                .and_then(|name| self.rows_from.get(name)),
            warned: &self.warned,
            own_server,
        }
    }
}

fn remove_streams(folder: &Path) -> std::io::Result<()> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        if entry.file_name() != "pool" {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The phases in the order of a round: those that axes made of one phase change their order from round to round, so that
/// none of them always finds what another has warmed.
fn phases_in_turn(plan: &StudyPlan, config: usize, round: u32) -> Vec<PhasePlan> {
    let phases = &plan.configurations[config].phases;
    let alike = |a: &PhasePlan, b: &PhasePlan| a.base.is_some() && a.base == b.base;
    let groups = phases.chunk_by(alike).enumerate();
    let in_turn = |(at, group): (usize, &[PhasePlan])| {
        let stream = (at as u64) << 48 | (config as u64) << 32 | u64::from(round);
        let order = shuffled(plan.seed.wrapping_add(1), stream, group.len());
        order.into_iter().map(|at| group[at].clone()).collect::<Vec<PhasePlan>>()
    };
    groups.flat_map(in_turn).collect()
}

/// Hellos by the names of candidates; where a client does not start there are the words why.
pub type Hellos = Vec<(String, Result<Hello, RecordedText>)>;

/// The hellos of the clients of all candidates of a study: what each can do, and with which libraries.
pub fn hellos(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<Hellos, HarnessError> {
    let (resolved, record) = prepare(study, setting, options)?;
    let run_data = RunData::make(setting, options, &record, &resolved)?;
    let round = run_data.round(&study.plan, 0, 0, &setting.clients.interrupt)?;
    let launcher = setting.launcher();
    let context =
        run_data.context(study, &round, (setting, &launcher), run_data.data.path(), (DataRetention::Nothing, None));
    let ask = |candidate: &Candidate| (candidate.record.name.clone(), ask_hello(&context, candidate));
    Ok(resolved.candidates.iter().map(ask).collect())
}

/// Asks each server at an address which durability it has, before anything is measured or written, and whether what
/// others keep there is safe.
fn look_at_servers(
    study: &Study,
    setting: &Setting<'_>,
    options: &Options,
    run_data: &RunData,
    resolved: &mut Resolved,
) -> Result<(), HarnessError> {
    if resolved.candidates.iter().all(|candidate| candidate.spec.url.is_none()) {
        return Ok(());
    }
    let round = run_data.round(&study.plan, 0, 0, &setting.clients.interrupt)?;
    let launcher = setting.launcher();
    let context =
        run_data.context(study, &round, (setting, &launcher), run_data.data.path(), (DataRetention::Nothing, None));
    for candidate in resolved.candidates.iter_mut().filter(|candidate| candidate.spec.url.is_some()) {
        let found = look(&context, candidate).map_err(|fault| match fault {
            Fault::Environment(what) => HarnessError::Environment(what),
            _ if setting.clients.interrupt.load(Ordering::Relaxed) => HarnessError::Interrupted,
            fault => unsuitable(&candidate.record.name, fault.words()),
        })?;
        check_suitable(candidate, &found)?;
        if options.evictions == Evictions::Refused {
            check_eviction(study, &candidate.record.name, &found.eviction)?;
        }
        candidate.durability = durability_of(&candidate.store, &found.settings).cloned();
        candidate.record.durability = candidate.durability.as_ref().map(durability_record);
    }
    Ok(())
}

/// Refuses a server that would fail every job, or a part of its rows, by what it is.
fn check_suitable(candidate: &Candidate, found: &ServerFacts) -> Result<(), HarnessError> {
    let told = found.info.iter().chain(&found.settings).map(|(name, value)| (name.clone(), value.clone())).collect();
    match candidate.store.unsuitable(&told) {
        Some(why) => Err(unsuitable(&candidate.record.name, why)),
        None => Ok(()),
    }
}

fn unsuitable(name: &str, reason: impl Display) -> HarnessError {
    HarnessError::refused(message!(run_unsuitable, name, reason))
}

/// A server that has room for all rows of the study throws nothing away for them.
fn check_eviction(study: &Study, name: &str, eviction: &Eviction) -> Result<(), HarnessError> {
    let needed = study.plan.configurations.iter().map(|config| memory_of_rows(study, config)).max().unwrap_or(0);
    let Some(policy) = eviction.policy.as_ref().filter(|_| eviction.room_bytes.is_none_or(|room| room < needed)) else {
        return Ok(());
    };
    Err(HarnessError::refused(match eviction.room_bytes {
        Some(room) => message!(run_evicts_beyond, name, policy, room, needed),
        None => message!(run_evicts, name, policy),
    }))
}

/// Goes on with a run: the recorded jobs are played through the plan again, then the rest is done.
pub fn resume(study: &Study, setting: &Setting<'_>, options: &Options) -> Result<RunOutcome, HarnessError> {
    let (mut folder, mut loaded) = RunFolder::resume(&options.out)?;
    let (mut resolved, record) = prepare(study, setting, options)?;
    check_same(&loaded.run, &record)?;
    let run_data = RunData::make(setting, options, &loaded.run, &resolved)?;
    // Records hold no passwords: a server that wants one is told here, not by a failed job.
    look_at_servers(study, setting, options, &run_data, &mut resolved).map_err(|error| match error {
        HarnessError::Refused(reason) => HarnessError::refused(message!(resume_password, reason)),
        other => other,
    })?;
    wait_before_run(options, setting.observer, &setting.clients.interrupt);
    if options.others == OtherPrograms::Avoided {
        repeat_disturbed(&mut folder, &mut loaded, setting.observer)?;
    }
    setting.observer.planned(&loaded);
    let loaded = Loaded { damaged: None, ..loaded };
    Ok(session(study, setting, options, &resolved.candidates, run_data, folder, loaded).run())
}

/// Of a run that is over the disturbed jobs are run again, and nothing else.
fn repeat_disturbed(folder: &mut RunFolder, loaded: &mut Loaded, observer: &dyn Observer) -> Result<(), HarnessError> {
    if loaded.end.as_ref().is_none_or(|end| end.status != EndStatus::Complete) {
        return Ok(());
    }
    let repeats = loaded.disturbed();
    for repeat in &repeats {
        folder.append(&Entry::Repeat(repeat.clone()))?;
    }
    if !repeats.is_empty() {
        observer.warn(&message!(resume_repeating, jobs = repeats.len()));
        *loaded = Loaded::read(folder.path())?;
    }
    Ok(())
}

/// A run that goes on must measure the same things as before.
fn check_same(before: &RunRecord, now: &RunRecord) -> Result<(), HarnessError> {
    let differs = |what: &str| Err(HarnessError::refused(message!(resume_differs, what)));
    let settings = |run: &RunRecord| {
        run.candidates
            .iter()
            .map(|one| (one.name.clone(), one.settings.clone(), one.service_version.clone()))
            .collect::<Vec<_>>()
    };
    if before.plan.configurations != now.plan.configurations {
        return differs("study");
    }
    if before.data != now.data {
        return differs("data-file");
    }
    if settings(before) != settings(now) {
        return differs("candidates");
    }
    if before.definitions != now.definitions {
        return differs("definitions");
    }
    if before.kurabe != now.kurabe {
        return differs("kurabe");
    }
    let changes = [before.machine.differences(&now.machine), before.device.differences(&now.device)].concat();
    match changes.is_empty() {
        true => Ok(()),
        false => Err(HarnessError::refused(message!(resume_elsewhere, changes))),
    }
}

/// Other runs at work, of whom the user is told; `None` where they cannot be seen.
fn look_for_others(observer: &dyn Observer) -> Option<OtherRuns> {
    let dir = std::env::temp_dir();
    match OtherRuns::join(&dir) {
        Ok(others) => {
            if others.count() > 0 {
                observer.warn(&message!(quiet_other_run));
            }
            Some(others)
        }
        Err(error) => {
            observer.warn(&message!(quiet_other_runs_unseen, dir = dir.display(), error));
            None
        }
    }
}

/// A session with its plan.
fn session<'a>(
    study: &'a Study,
    setting: &'a Setting<'a>,
    options: &'a Options,
    candidates: &'a [Candidate],
    run_data: RunData,
    folder: RunFolder,
    loaded: Loaded,
) -> Session<'a> {
    let plan = Plan { candidates: candidates.iter().map(Participant::of).collect(), study: &study.plan };
    let hidden = HiddenPaths::new(&[(run_data.data.path(), "$DATA"), (&options.dir, "$DIR"), (&options.out, "$RUN")]);
    Session { study, setting, options, candidates, plan, run_data, folder, hidden, loaded }
}

/// One session of a run: from its start, or from where an earlier session ended.
struct Session<'a> {
    study: &'a Study,
    setting: &'a Setting<'a>,
    options: &'a Options,
    candidates: &'a [Candidate],
    plan: Plan<'a>,
    run_data: RunData,
    folder: RunFolder,
    hidden: HiddenPaths,
    /// What is recorded so far.
    loaded: Loaded,
}

impl Session<'_> {
    /// Runs the plan to its end and records that. Whatever ends it earlier is reported beside what was measured.
    fn run(mut self) -> RunOutcome {
        let played = self.jobs();
        let (end, fault) = match played {
            Ok(end) => (end, None),
            Err(fault) => {
                let message = self.hidden.record(&fault.in_record()).ok();
                (EndRecord { message, ..end(EndStatus::Failed, None) }, Some(fault))
            }
        };
        let recorded = self.folder.append(&Entry::End(end.clone()));
        self.loaded.end = Some(end);
        let kept = match self.options.keep {
            DataRetention::Data => Some(self.run_data.data.keep()),
            DataRetention::Nothing => None,
        };
        RunOutcome { loaded: self.loaded, kept, fault: fault.or(recorded.err().map(HarnessError::from)) }
    }

    /// Runs the plan until nothing is left to do, or the user interrupts.
    fn jobs(&mut self) -> Result<EndRecord, HarnessError> {
        let others = look_for_others(self.setting.observer);
        let mut round: Option<RoundFiles> = None;
        loop {
            if self.setting.clients.interrupt.load(Ordering::Relaxed) {
                return Ok(end(EndStatus::Interrupted, Some(message!(run_end_interrupted))));
            }
            let done = self.done();
            match next(&self.plan, done) {
                NextStep::Done(why) => return Ok(ended(why, &self.plan, done)),
                NextStep::Skipped(skipped) => self.skipped(skipped)?,
                NextStep::Job(job) => {
                    let here = match round.take() {
                        Some(same) if (same.config, same.round) == (job.config, job.round) => same,
                        _ => {
                            match self.run_data.round(
                                self.plan.study,
                                job.config,
                                job.round,
                                &self.setting.clients.interrupt,
                            ) {
                                Err(HarnessError::Interrupted) => continue,
                                Err(error) => return Err(self.environment_error(error)),
                                Ok(made) => made,
                            }
                        }
                    };
                    self.job(job, round.insert(here), others.as_ref())?;
                }
            }
        }
    }

    fn job(&mut self, job: NextJob, round: &RoundFiles, others: Option<&OtherRuns>) -> Result<(), HarnessError> {
        let candidate = &self.candidates[job.candidate];
        self.setting.observer.job(&Starting {
            number: job.number,
            config: job.config,
            round: job.round,
            candidate: &candidate.record.name,
        });
        let logs = self.folder.logs();
        let launcher = self.setting.launcher();
        let kept = (self.options.keep, self.options.own_server.as_ref());
        let context = self.run_data.context(self.study, round, (self.setting, &launcher), &logs, kept);
        let place = JobSlot {
            number: job.number,
            round: job.round,
            limit: job.limit_ns().map(Duration::from_nanos),
            waits_for_others: job.is_again && self.options.others == OtherPrograms::Avoided,
        };
        let programs = Programs::look();
        match (run_job(&context, candidate, place, others), job.if_stopped) {
            (JobEnd::Done(record), _) => self.record(&record, &programs),
            (JobEnd::OutOfTime(after), Some(skipped)) => {
                self.skipped(SkippedRecord { stopped_after_ns: Some(after.as_nanos() as u64), ..skipped })
            }
            (JobEnd::Interrupted, _) | (JobEnd::OutOfTime(_), None) => Ok(()),
            (JobEnd::EnvironmentGone(what), _) => Err(HarnessError::Environment(what)),
        }
    }

    /// A file that cannot be written since the folder of the data is gone is told as that.
    fn environment_error(&self, error: HarnessError) -> HarnessError {
        let launcher = self.setting.launcher();
        let environment = Environment { places: &[(self.run_data.data.path(), "data")], launcher: &launcher };
        environment.missing().map_or(error, HarnessError::Environment)
    }

    fn done(&self) -> Done<'_> {
        let Loaded { jobs, superseded, repeats, skipped, .. } = &self.loaded;
        Done { jobs, superseded, repeats, skipped }
    }

    /// Records a job; `programs` were looked at before it.
    fn record(&mut self, record: &JobRecord, programs: &Programs) -> Result<(), HarnessError> {
        let mut record = self.hidden.record(record)?;
        let disturbed = self.disturbed(&record, programs);
        if let Some(Disturbed { disturbance, program }) = &disturbed {
            record.busiest_other = program.as_ref().map(|program| program.name.clone());
            let is_borne = disturbance.by == DisturbedBy::Programs && self.options.others == OtherPrograms::Borne;
            let again = !is_borne && is_repeated(&self.plan, self.done(), &record);
            record.superseded = again.then_some(disturbance.share);
        }
        self.folder.append(&Entry::Job(Box::new(record.clone())))?;
        self.setting.observer.done(&record, disturbed.as_ref());
        let kept = if record.superseded.is_some() { &mut self.loaded.superseded } else { &mut self.loaded.jobs };
        kept.push(record);
        Ok(())
    }

    /// What disturbed a job that just ended.
    fn disturbed(&self, record: &JobRecord, programs: &Programs) -> Option<Disturbed> {
        let disturbance = self.loaded.run.disturbance(record)?;
        let by_programs = disturbance.by == DisturbedBy::Programs;
        let program = by_programs.then(|| programs.busiest_since(&self.loaded.run.id)).flatten();
        Some(Disturbed { disturbance, program })
    }

    fn skipped(&mut self, skipped: SkippedRecord) -> Result<(), HarnessError> {
        self.folder.append(&Entry::Skipped(skipped.clone()))?;
        self.setting.observer.skipped(&skipped);
        self.loaded.skipped.push(skipped);
        Ok(())
    }
}

/// How a run ended that has nothing left to do: a job that failed leaves it incomplete, in whichever round that was. Which
/// it was stands in the jobs.
fn ended(why: EndReason, plan: &Plan<'_>, done: Done<'_>) -> EndRecord {
    let rounds = match why {
        EndReason::Failed => return end(EndStatus::Failed, Some(message!(run_end_failed))),
        EndReason::Rounds => None,
        EndReason::Budget { rounds } => {
            let planned: u32 = plan.study.configurations.iter().map(|config| config.rounds).sum();
            Some(message!(run_end_budget, rounds, planned))
        }
    };
    let status = if done.failed().is_empty() { EndStatus::Complete } else { EndStatus::Failed };
    end(status, rounds)
}

fn end(status: EndStatus, message: Option<Message>) -> EndRecord {
    EndRecord { status, ended_at: now_utc(), message: message.map(RecordedText::from) }
}

/// What was left out, as lines for people.
pub fn left_out_lines(left_out: &[LeftOut]) -> Vec<Message> {
    let line = |LeftOut { name, reason, remedy, .. }: &LeftOut| match remedy {
        Some(remedy) => message!(resolve_left_out_remedy, name, reason, remedy),
        None => message!(resolve_left_out, name, reason),
    };
    left_out.iter().map(line).collect()
}
