//! One job: services up, client processes at work, services down, folder gone, record made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_disk::Disk;
use kurabe_machine::{DeviceFlushes, OtherRuns, QuietWait, SyncProbe, SyncTimes, quiet_wait};
use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::reply::{self, Create, Evicts, Reset, Settings, Texts};
use kurabe_protocol::{
    Ask, CallName, Command, Event, Eviction, Hello, Increments, Limits, Operation, Phase, PhaseResult, RateStep,
};
use kurabe_record::{
    Configuration, JobError, JobErrorKind, JobRecord, PhaseOutcome, PhasePlan, PhaseRecord, StoreKind,
};
use kurabe_study::Study;

use crate::client::{Client, protocol_fault, too_late};
use crate::error::Reason;
use crate::fault::{Fault, WaitLimits};
use crate::gather::Gathered;
use crate::launcher::Launcher;
use crate::limits;
use crate::measure::{MachineMeter, Meter, monotonic_ns, own_cpu_ns};
use crate::options::{DataRetention, Observer, OwnServer};
use crate::others::wait_before_again;
use crate::resolve::Candidate;
use crate::services::{ServiceContext, ServiceRole, Services};
use crate::streams::StreamFiles;
use crate::support::{lacking, lacking_among_processes, lacking_for_all};

mod actions;
mod afterwards;
mod audit;
mod background;
mod control;
mod end;
mod failures;
mod own_server;
mod plugs;
mod power;
mod program;
mod rate_search;
mod rows_from;
mod settings;
mod start;

pub use crate::launcher::Templates;
pub use start::{Setup, compose, service_variables};
pub(crate) use start::{memory_of_rows, processes};

use actions::Agenda;
use background::BackgroundWatch;
use plugs::PLUGS;
use settings::check_settings;

/// Time limit of a call.
const CALL_LIMIT: Duration = Duration::from_secs(60);
/// A scan is one operation, however much there is to read.
const SCAN_LIMIT: Duration = Duration::from_secs(1800);
/// A process that was killed is gone within this time.
const DEATH_LIMIT: Duration = Duration::from_millis(300);
/// A server at an address, which nobody starts, answers within this time.
const ADDRESS_LIMIT: Duration = Duration::from_secs(10);
/// A server that accepts connections may still refuse to answer for a while (recovery, start-up).
const PING_LIMIT: Duration = Duration::from_secs(30);

/// Figures that are absent since a user may not read them, by candidate and in words: each is told once in a run.
pub type WarnedOnce = std::cell::RefCell<BTreeSet<(String, String)>>;

/// What all jobs of a round of a configuration share.
pub struct RoundContext<'a> {
    /// The study.
    pub study: &'a Study,
    /// Number of the configuration.
    pub number: u32,
    /// The configuration.
    pub config: &'a Configuration,
    /// Its phases, in the order of this round.
    pub phases: &'a [PhasePlan],
    /// Pool and streams.
    pub files: &'a StreamFiles,
    /// Folder of the run's data.
    pub data: &'a Path,
    /// Folder of the run's logs.
    pub logs: &'a Path,
    /// Who starts services and clients.
    pub(crate) launcher: &'a dyn Launcher,
    /// Set when the user interrupts.
    pub interrupt: &'a AtomicBool,
    /// Who is told what happens.
    pub observer: &'a dyn Observer,
    /// What becomes of the data of a job.
    pub keep: DataRetention,
    /// Identity of the run, the same in all its sittings: what an earlier one left on a server is found by it.
    pub run_id: &'a str,
    /// Initialised data folders of services, by what they depend on.
    pub templates: &'a Templates,
    /// Kurabe's own binary, which what stands before a store may be.
    pub exe: &'a Path,
    /// Where loads of the configuration fetch their rows from, where they do and that is here.
    pub rows_from: Option<&'a Candidate>,
    /// What was told already of that which users of servers may not read.
    pub warned: &'a WarnedOnce,
    /// How the user kills and starts the server at an address.
    pub own_server: Option<&'a OwnServer>,
}

impl<'a> RoundContext<'a> {
    /// What services are started with.
    fn services_context(&self) -> ServiceContext<'a> {
        let RoundContext { launcher, data, templates, interrupt, .. } = *self;
        ServiceContext { launcher, run_data: data, templates, interrupt }
    }
}

/// Which job it is.
#[derive(Clone, Copy, Debug)]
pub struct JobSlot {
    /// Number in the run.
    pub number: u32,
    /// Round of the configuration.
    pub round: u32,
    /// Longest time that it may take; then it is stopped.
    pub limit: Option<Duration>,
    /// Whether other programs are waited for before it.
    pub waits_for_others: bool,
}

/// How a job ended.
pub enum JobEnd {
    /// It is to be recorded, also where it failed.
    Done(Box<JobRecord>),
    /// The user interrupted it: half a job is no result.
    Interrupted,
    /// It was stopped after so long, because it had used up its share of the budget.
    OutOfTime(Duration),
    /// What every job needs is gone: no result, and no job after it.
    EnvironmentGone(Reason),
}

/// Runs one job.
pub fn run_job(
    context: &RoundContext<'_>,
    candidate: &Candidate,
    place: JobSlot,
    others: Option<&OtherRuns>,
) -> JobEnd {
    let others_ns = match place.waits_for_others {
        true => wait_before_again(context.interrupt).as_nanos() as u64,
        false => 0,
    };
    // A wait for others may be longer than the job: its limit begins behind it.
    let quiet_start = Instant::now();
    let quiet = quiet_wait(context.data, Duration::from_nanos(context.study.plan.quiet_wait_ns), context.interrupt);
    let mut record = empty_record(context, candidate, place);
    record.quiet = QuietWait { waited_ns: quiet.waited_ns.saturating_add(others_ns), ..quiet };
    record.other_runs = others.map_or(0, OtherRuns::count);
    if context.interrupt.load(Ordering::Relaxed) {
        return JobEnd::Interrupted;
    }
    // A disk that fails, or whose power is cut, is none of this machine.
    let is_on_device = !context.config.has_own_disk();
    let judges_commits = is_on_device && candidate.commits_can_be_judged(context.phases);
    let syncs_before = judges_commits.then(|| SyncTimes::measure(context.data, context.interrupt).ok()).flatten();
    let start = Instant::now();
    let folder = context.data.join(format!("job-{}", place.number));
    let mut work = Work::new(context, candidate, (place.number, place.round), folder.clone());
    work.flushes = DeviceFlushes::of(context.data).filter(|_| is_on_device && candidate.is_a_store_of_ours());
    work.halt.deadline = place.limit.map(|limit| quiet_start + limit);
    let outcome = limits::await_ports(context.phases, context.observer, work.halt);
    let outcome =
        outcome.and_then(|()| work.run(&mut record)).and_then(|()| work.check_data_folder(&folder)).map_err(|fault| {
            let fault = work.blame(fault);
            work.with_full_disk(work.after_first_failure(fault))
        });
    let phase = work.phase.take();
    record.absent = std::mem::take(&mut work.absent);
    if outcome.is_err() {
        work.leave_server_as_it_was();
    }
    work.end();
    if outcome.is_ok() {
        // Before the folder goes: a device that removes a large one is busy with that.
        let both =
            syncs_before.and_then(|before| Some((before, SyncTimes::measure(context.data, context.interrupt).ok()?)));
        record.sync_probe = both.map(|(before, after)| SyncProbe { before, after });
    }
    let stopped = matches!(outcome, Err(Fault::OutOfTime));
    if context.keep == DataRetention::Nothing || stopped {
        // What cannot be removed now goes with the folder of the run.
        let _ = std::fs::remove_dir_all(&folder);
    }
    record.lasted_ns = start.elapsed().as_nanos() as u64;
    record.other_runs = record.other_runs.max(others.map_or(0, OtherRuns::count));
    match outcome {
        Ok(()) => JobEnd::Done(Box::new(record)),
        Err(Fault::Interrupted) => JobEnd::Interrupted,
        Err(Fault::OutOfTime) => JobEnd::OutOfTime(quiet_start.elapsed()),
        // A wait that could not be interrupted may have ended in a fault of its own.
        Err(_) if context.interrupt.load(Ordering::Relaxed) => JobEnd::Interrupted,
        Err(Fault::Environment(what)) => JobEnd::EnvironmentGone(what),
        Err(fault) => {
            let (kind, message) = fault.of_candidate();
            if let Some(name) = &phase {
                note_failed_phase(&mut record, context.config, name, &message);
            }
            record.error = Some(JobError { kind, phase, message });
            JobEnd::Done(Box::new(record))
        }
    }
}

/// What is recorded of a job before it begins.
fn empty_record(context: &RoundContext<'_>, candidate: &Candidate, place: JobSlot) -> JobRecord {
    let begun = JobRecord::begun(place.number, context.number, place.round, &candidate.record.name, now_utc());
    // If the canary fails, the phases report the cause.
    JobRecord { canary: context.launcher.canary(context.data, context.interrupt), ..begun }
}

/// What is known of a server at an address before anything is written there.
pub(crate) struct ServerFacts {
    /// What it tells of itself.
    pub(crate) info: Texts,
    /// Its settings.
    pub(crate) settings: Texts,
    /// Whether it throws rows away where its memory ends; nothing where it cannot tell.
    pub(crate) eviction: Eviction,
}

/// Asks a server at an address what it is and how it is set; nothing is made or written there.
pub(crate) fn look(context: &RoundContext<'_>, candidate: &Candidate) -> Result<ServerFacts, Fault> {
    let mut work = Work::new(context, candidate, (0, 0), context.data.join("look"));
    let seen = work.look();
    work.end();
    seen
}

/// Starts a candidate as for a job, takes its client's hello, and ends it again.
pub(crate) fn ask_hello(context: &RoundContext<'_>, candidate: &Candidate) -> Result<Hello, RecordedText> {
    let mut work = Work::new(context, candidate, (0, 0), context.data.join("hello"));
    let hello = work.make_folder().and_then(|()| work.start_services()).and_then(|()| work.start_clients());
    let hello = hello.map_err(|fault| work.blame(fault));
    work.end();
    hello.map_err(Fault::words)
}

/// Table name or key prefix of a run: nothing else in a store is touched.
fn namespace(run_id: &str) -> String {
    let id: String = run_id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("kurabe_{}", id.to_lowercase())
}

fn note_failed_phase(record: &mut JobRecord, config: &Configuration, name: &str, message: &RecordedText) {
    if record.phases.iter().any(|phase| phase.name == name) {
        return;
    }
    let operation = config.phase(name).map(|plan| plan.phase.operation());
    record.phases.push(PhaseRecord {
        outcome: PhaseOutcome::Failed(message.clone()),
        ..PhaseRecord::new(name, operation.unwrap_or(Operation::Mix))
    });
}

fn unsupported(phase: &Phase, lacking: Message) -> PhaseRecord {
    PhaseRecord {
        outcome: PhaseOutcome::Unsupported(lacking.into()),
        ..PhaseRecord::new(&phase.name, phase.operation())
    }
}

/// Now, UTC, RFC 3339, to the second.
pub(crate) fn now_utc() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

struct Work<'a> {
    context: &'a RoundContext<'a>,
    /// Of the job in the run, and its round; 0 where nothing of it is recorded.
    number: u32,
    round: u32,
    candidate: &'a Candidate,
    folder: PathBuf,
    services: Services<'a>,
    /// Where it fails, or its power is cut: what the services use, so it goes after them.
    disk: Option<Disk>,
    clients: Vec<Client>,
    /// It is asked while the others work, and between phases in their place.
    control: Option<Client>,
    phase: Option<String>,
    halt: WaitLimits<'a>,
    /// Of all phases so far.
    increments: Increments,
    /// What answers left out since the user may not read it.
    absent: Vec<String>,
    /// Whether the store was told to make the namespace: from then on it may hold something of ours.
    touched: bool,
    /// Whether the user's own server was killed and not started again.
    is_own_server_down: bool,
    /// Of the disk under the data, where commits are compared with them.
    flushes: Option<DeviceFlushes>,
    /// The phase of the operation that failed first, and what it said.
    first_failure: Option<(String, String)>,
}

impl<'a> Work<'a> {
    fn new(context: &'a RoundContext<'a>, candidate: &'a Candidate, place: (u32, u32), folder: PathBuf) -> Work<'a> {
        let (number, round) = place;
        let increments = Increments::default();
        let halt = WaitLimits { interrupt: context.interrupt, deadline: None };
        Work {
            context,
            number,
            round,
            candidate,
            folder,
            services: Services::default(),
            disk: None,
            clients: Vec::new(),
            control: None,
            phase: None,
            halt,
            increments,
            absent: Vec::new(),
            touched: false,
            is_own_server_down: false,
            flushes: None,
            first_failure: None,
        }
    }

    fn run(&mut self, record: &mut JobRecord) -> Result<(), Fault> {
        let (config, phases) = (self.context.config, self.context.phases);
        if !config.encoding.is_raw() && self.candidate.store.keeps_columns {
            // Nothing has to be started to know that.
            self.make_folder()?;
            record.phases = phases.iter().map(|plan| unsupported(&plan.phase, message!(run_keeps_columns))).collect();
            return Ok(());
        }
        self.make_folder()?;
        self.mount_disk()?;
        self.start_services()?;
        PLUGS.iter().try_for_each(|plug| plug.before_clients(self))?;
        let started = Instant::now();
        let hello = self.start_clients()?;
        record.client_start_ns = Some(started.elapsed().as_nanos() as u64 / u64::from(self.processes()));
        self.start_control()?;
        self.await_store()?;
        record.info = self.info()?;
        let processes = self.processes();
        record.hello = Some(hello.clone());
        let lacks = lacking_for_all(self.context.study, config, &hello.capabilities, processes);
        let load = phases.iter().find(|plan| plan.phase.operation() == Operation::Load);
        if let Some(lacking) = lacks.or_else(|| self.lacks_plug(&load?.phase)) {
            record.phases = phases.iter().map(|plan| unsupported(&plan.phase, lacking.clone())).collect();
            return self.stop_in_good_order();
        }
        self.touched = true;
        self.call::<Create>()?;
        record.settings = self.read_settings_back()?;
        check_settings(&record.settings)?;
        record.undone = self.candidate.undone(&record.settings);
        self.warn_below_minimum(record);
        record.empty_disk_bytes = self.disk_bytes();
        for (at, plan) in phases.iter().enumerate() {
            let lacks = self.lacks_plug(&plan.phase);
            let lacks = lacks.or_else(|| lacking_among_processes(phases, at, processes));
            let lacks = lacks.or_else(|| lacking(&plan.phase, &hello.capabilities, processes));
            let lacks = lacks.or_else(|| self.lacks_for_actions(plan));
            let is_baseline = self.candidate.record.kind == StoreKind::Baseline;
            let lacks =
                lacks.or_else(|| (is_baseline && plan.rate_search.is_some()).then(|| message!(run_lacks_search)));
            let phase = match lacks {
                Some(lacking) => {
                    self.tell_all(&Command::Skip(plan.phase.name.clone()))?;
                    unsupported(&plan.phase, lacking)
                }
                None => self.do_phase(plan, &record.phases)?,
            };
            let not_back = phase.not_back().cloned();
            record.phases.push(phase);
            if let Some(why) = not_back {
                // There is no store that could do the others, or end well.
                let others = phases[at + 1..].iter();
                others.for_each(|plan| note_failed_phase(record, config, &plan.phase.name, &why));
                return Ok(());
            }
            check_load(record.phases.last(), &plan.phase)?;
        }
        if !self.counts_losses() {
            record.final_count = self.final_count(&record.phases, &hello)?;
        }
        if self.candidate.record.at_url.is_some() {
            self.call::<Reset>()?;
        }
        self.stop_in_good_order()
    }

    fn look(&mut self) -> Result<ServerFacts, Fault> {
        self.start_clients()?;
        self.await_store()?;
        let info = self.info()?;
        let settings = self.call::<Settings>()?.unwrap_or_default();
        let eviction = self.call::<Evicts>()?.unwrap_or_default();
        self.stop_in_good_order()?;
        Ok(ServerFacts { info, settings, eviction })
    }

    /// Notes what an answer left out. People are told once for each candidate; of a size only where sizes are shown.
    fn note_absent(&mut self, call: CallName) {
        let name = &self.candidate.record.name;
        for what in self.clients.iter_mut().chain(&mut self.control).flat_map(Client::take_absent) {
            if call != CallName::Size && self.context.warned.borrow_mut().insert((name.clone(), what.clone())) {
                self.context.observer.warn(&message!(run_absent, name, what = &what));
            }
            if !self.absent.contains(&what) {
                self.absent.push(what);
            }
        }
    }

    /// Asks a call; the inner error is the store's.
    fn ask(&mut self, name: CallName) -> Result<Result<Option<serde_json::Value>, String>, Fault> {
        // Some stores count by reading every row.
        let limit = if matches!(name, CallName::Count | CallName::Sum) { SCAN_LIMIT } else { CALL_LIMIT };
        let halt = self.halt;
        let answer = self.caller().call(name, limit, halt)?;
        self.note_absent(name);
        Ok(answer)
    }

    /// Asks a call that must not fail; nothing where the store has no answer to it.
    fn call<A: Ask>(&mut self) -> Result<Option<A::Answer>, Fault> {
        let failed = |error: String| Fault::new(JobErrorKind::Client, message!(run_call_failed, call = A::NAME, error));
        let answer = self.ask(A::NAME)?.map_err(failed)?;
        answer.map(reply::read::<A>).transpose().map_err(protocol_fault)
    }

    fn tell_all(&mut self, command: &Command) -> Result<(), Fault> {
        let halt = self.halt;
        self.clients.iter_mut().try_for_each(|client| client.send(command, halt))
    }

    /// What a phase needs of work around it that is lacking.
    fn lacks_plug(&self, phase: &Phase) -> Option<Message> {
        PLUGS.iter().find_map(|plug| plug.lacks(self, phase))
    }

    /// Does a phase behind those of the job that were done before.
    fn do_phase(&mut self, plan: &PhasePlan, before: &[PhaseRecord]) -> Result<PhaseRecord, Fault> {
        let phase = &plan.phase;
        self.phase = Some(phase.name.clone());
        self.context.observer.phase(&phase.name, phase);
        let instead = PLUGS.iter().find_map(|plug| plug.instead(self, phase).transpose());
        let mut record = match (instead, &plan.rate_search) {
            (Some(record), _) => record?,
            (None, Some(search)) => self.search_rate(plan, search, before)?,
            (None, None) => self.run_phase(plan, None)?,
        };
        if phase.writes() && record.not_back().is_none() {
            self.flush(&mut record)?;
        }
        if phase.does(Operation::Increment) {
            record.counters = self.counters(&record.results)?;
        }
        self.phase = None;
        Ok(record)
    }

    /// Does a phase, or one step of it at another rate.
    fn run_phase(&mut self, plan: &PhasePlan, step: Option<RateStep>) -> Result<PhaseRecord, Fault> {
        let phase = &match &step {
            Some(step) => plan.phase.at_rate(step.rate, step.duration_ns),
            None => plan.phase.clone(),
        };
        let halt = self.halt;
        let limit = limit(phase);
        self.tell_all(&step.map_or_else(|| Command::Prepare(phase.name.clone()), Command::PrepareStep))?;
        for client in &mut self.clients {
            match client.receive(limit, &message!(run_awaited_ready_of, phase = &phase.name), halt)? {
                Event::Ready(name) if name == phase.name => {}
                other => return Err(client.unexpected_event(message!(run_awaited_ready), &other)),
            }
        }
        let client_meter = Meter::start(self.clients.iter().map(Client::pid));
        let service_meters = ServiceRole::ALL.map(|part| (part, Meter::start(self.services.pids(part))));
        let own = own_cpu_ns();
        let machine_meter = MachineMeter::start();
        let flushes = self.flushes.as_ref().and_then(DeviceFlushes::count);
        let go_ns = monotonic_ns();
        self.tell_all(&Command::Go(phase.name.clone()))?;
        let mut agenda = self.agenda(plan);
        let known = self.candidate.store.service.as_ref().map_or(&[][..], |service| &service.background);
        let mut background = BackgroundWatch::start(self.services.log(ServiceRole::Store).as_deref(), known, go_ns);
        let results = self.results(phase, limit, &mut agenda, &mut background)?;
        self.act_after_clients(&mut agenda)?;
        let background = background.seen();
        let came_ns = monotonic_ns();
        let mut record = PhaseRecord::new(&phase.name, phase.operation());
        record.harness_cpu_ns = Some(own_cpu_ns() - own);
        record.machine = machine_meter.stop();
        record.device_flushes = flushes.and_then(|before| Some(self.flushes.as_ref()?.count()?.saturating_sub(before)));
        record.client = client_meter.stop();
        service_meters.iter().for_each(|(part, meter)| *part.used(&mut record) = meter.stop());
        record.results = results;
        let failed = self.note_failures(&phase.name, &record.results)?;
        if self.services.dead().is_some() || (failed && self.services.dying(DEATH_LIMIT).is_some()) {
            return Err(Fault::ServiceDied);
        }
        self.audit(plan, phase, &record.results, (go_ns, came_ns))?;
        self.tell_full_disk(&mut record.results);
        record.actions = self.close(agenda)?;
        record.background = background;
        Ok(record)
    }

    fn results(
        &mut self,
        phase: &Phase,
        limit: Duration,
        agenda: &mut Agenda<'_>,
        background: &mut BackgroundWatch<'_>,
    ) -> Result<Vec<PhaseResult>, Fault> {
        let mut gathered = Gathered::new(&phase.name, self.clients.len(), limit);
        loop {
            let awaited = gathered.awaited();
            if awaited.is_empty() {
                return Ok(gathered.results());
            }
            self.halt.check()?;
            self.act(agenda)?;
            background.look();
            let before = gathered.operations();
            // Waits for the first, and takes along what the others have said meanwhile.
            for (at, client) in awaited.into_iter().enumerate() {
                let mut wait = if at == 0 { agenda.wait() } else { Duration::ZERO };
                while gathered.awaits(client)
                    && let Some(event) = self.clients[client].hear(wait)?
                {
                    wait = Duration::ZERO;
                    let unexpected =
                        |event: Event| self.clients[client].unexpected_event(message!(run_awaited_result), &event);
                    gathered.hear(client, event).map_err(unexpected)?;
                }
            }
            if gathered.operations() != before {
                self.context.observer.progress(gathered.operations());
            }
            if gathered.is_overdue() {
                return Err(too_late(&message!(run_awaited_result_of, phase = &phase.name), limit));
            }
        }
    }
}

/// How long a phase may go on without any progress.
fn limit(phase: &Phase) -> Duration {
    let operation = Duration::from_nanos(Limits::default().operation_ns) + Duration::from_secs(15);
    let longest = if phase.does(Operation::Scan) { SCAN_LIMIT } else { operation };
    let warmup = match phase.warmup {
        Some(kurabe_protocol::Warmup::DurationNs(ns)) => Duration::from_nanos(ns),
        _ => Duration::ZERO,
    };
    longest
        + warmup
        + Duration::from_nanos(phase.think_ns.unwrap_or(0))
        + Duration::from_nanos(phase.end.duration_ns().unwrap_or(0))
}

/// After a load that is not whole every answer would be judged against rows that were never there.
fn check_load(phase: Option<&PhaseRecord>, plan: &Phase) -> Result<(), Fault> {
    let Some(phase) = phase.filter(|phase| phase.operation == Operation::Load) else { return Ok(()) };
    let (done, wanted) = (phase.operations(), plan.end.count().unwrap_or(0));
    if done == wanted {
        return Ok(());
    }
    let failed = phase.results.iter().flat_map(|result| &result.failures).next();
    let why = failed.map(|failed| format!(": {}", failed.message)).unwrap_or_default();
    Err(Fault::new(JobErrorKind::Client, message!(run_not_loaded, done, wanted, why)))
}

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;
