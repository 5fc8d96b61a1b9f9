//! A job without a process: every fault at every point of it, and who is blamed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::mpsc::RecvTimeoutError;

use kurabe_machine::Canary;
use kurabe_protocol::{Action, Call, Capabilities, End, Failed, Load, Reply, Schema};
use kurabe_record::CounterSum;
use kurabe_service::{Found, WaitOutcome};
use kurabe_study::Catalogue;
use serde_json::{Value, json};

use super::*;
use crate::NoObserver;
use crate::clients::ClientCommand;
use crate::launcher::{ClientPipe, RunningService, ServiceStart, StartKind};
use crate::resolve::{App, Startable};
use crate::samples;

#[path = "job_actions_tests.rs"]
mod actions;
#[path = "job_fetch_tests.rs"]
mod fetch;
#[path = "job_lies_tests.rs"]
mod lies;

const ROWS: u64 = 10;
/// The store that rows are fetched from.
const SOURCE: &str = "mysql";
/// The store that is measured, and the service before it.
const STORE: &str = "redis";
const APP: &str = "serve";

/// What goes wrong when the harness has said so many things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// The client ends.
    ClientDies,
    /// The service dies, and the client says that it lost it.
    ServiceDies,
    /// The service dies, and the client notices nothing and dies of it.
    BothDie,
    /// The client says what is no message.
    Garbage,
    /// The client says something else than it was asked for.
    UnexpectedEvent,
    /// The client says nothing any more; the job has a limit.
    Silence,
    /// The user interrupts.
    Interrupt,
    /// Nothing can be started any more, and the client dies of it.
    FolderGone,
    /// The service that rows are fetched from dies, and the client says that it lost it. Only in a job that has one.
    SourceDies,
    /// The service before the store dies, and the client says that it lost it. Only in a job that has one.
    AppDies,
    /// The client answers, and reads nothing after it; the job has a limit.
    Deafness,
    /// The client answers a call in another form than it has.
    Malformed,
    /// The client tells a result that cannot be true.
    Untrue,
    /// The store gives way: an operation fails, and every call after it with other words.
    StoreFails,
}

const TROUBLES: [Trouble; 8] = [
    Trouble::ClientDies,
    Trouble::ServiceDies,
    Trouble::BothDie,
    Trouble::Garbage,
    Trouble::UnexpectedEvent,
    Trouble::Silence,
    Trouble::Interrupt,
    Trouble::FolderGone,
];

/// What the pretended processes share.
struct FakeWorld {
    trouble: Option<(Trouble, u32)>,
    /// What the harness said so far, in messages.
    said: Cell<u32>,
    /// What it said, by name.
    heard: RefCell<Vec<String>>,
    /// Names of the services that live.
    alive: RefCell<BTreeSet<String>>,
    /// Names of the services in the order of their start and of their end.
    started: RefCell<Vec<String>>,
    stopped: RefCell<Vec<String>>,
    /// Those that were killed as planned, and whether a start was one on what was left.
    killed: RefCell<Vec<String>>,
    begun: RefCell<Vec<StartKind>>,
    /// Increments so far.
    done: Cell<u64>,
    clients_alive: Cell<i32>,
    is_broken: Cell<bool>,
    settings: BTreeMap<String, String>,
    interrupt: AtomicBool,
}

impl FakeWorld {
    fn kill(&self, name: &str) {
        self.alive.borrow_mut().remove(name);
    }
}

struct FakeLauncher(Rc<FakeWorld>);

impl Launcher for FakeLauncher {
    fn start_service(
        &self,
        service: &Startable<'_>,
        what: &ServiceStart<'_>,
    ) -> Result<Box<dyn RunningService>, Fault> {
        self.0.begun.borrow_mut().push(what.begin);
        let name = service.name.to_string();
        self.0.alive.borrow_mut().insert(name.clone());
        self.0.started.borrow_mut().push(name.clone());
        Ok(Box::new(FakeService { world: self.0.clone(), name }))
    }

    fn start_client(&self, _command: &ClientCommand, _log: &Path) -> Result<Box<dyn ClientPipe>, Fault> {
        self.0.clients_alive.set(self.0.clients_alive.get() + 1);
        let world = self.0.clone();
        Ok(Box::new(FakeClient { world, lies: None, events: VecDeque::new(), state: State::Alive }))
    }

    fn canary(&self, _data: &Path, _interrupt: &AtomicBool) -> Option<Canary> {
        None
    }

    fn failure(&self) -> Option<Reason> {
        self.0.is_broken.get().then(|| std::io::Error::other("the environment is gone").into())
    }
}

struct FakeService {
    world: Rc<FakeWorld>,
    name: String,
}

impl RunningService for FakeService {
    fn pid(&self) -> u32 {
        u32::MAX
    }

    fn url(&self) -> &str {
        "redis://127.0.0.1:1"
    }

    fn unix_url(&self) -> Option<&str> {
        None
    }

    fn port(&self) -> Option<u16> {
        Some(1)
    }

    fn is_alive(&mut self) -> bool {
        self.world.alive.borrow().contains(&self.name)
    }

    fn dies_within(&mut self, _limit: Duration) -> bool {
        !self.is_alive()
    }

    fn log_tail(&self, _lines: usize) -> String {
        "its last words".into()
    }

    fn stop(self: Box<Self>, _interrupt: &AtomicBool) -> Result<(), Fault> {
        self.world.stopped.borrow_mut().push(self.name.clone());
        Ok(())
    }

    fn kill(self: Box<Self>) -> Result<(), Fault> {
        self.world.kill(&self.name);
        self.world.killed.borrow_mut().push(self.name.clone());
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Alive,
    Silent,
    /// It reads nothing more.
    Deaf,
    Ended,
    DeadService,
}

struct FakeClient {
    world: Rc<FakeWorld>,
    /// What is wrong with its next answer.
    lies: Option<Trouble>,
    events: VecDeque<Result<Event, String>>,
    state: State,
}

impl FakeClient {
    /// Whether something goes wrong now, instead of an answer.
    fn is_in_trouble(&mut self) -> bool {
        let world = self.world.clone();
        let said = world.said.get();
        world.said.set(said + 1);
        let Some((trouble, _)) = world.trouble.filter(|(_, at)| *at == said) else { return false };
        match trouble {
            Trouble::ClientDies => self.state = State::DeadService,
            Trouble::ServiceDies => {
                world.kill(STORE);
                self.events.push_back(Ok(Event::Error { message: "connection refused".into() }));
            }
            Trouble::AppDies => {
                world.kill(APP);
                self.events.push_back(Ok(Event::Error { message: "the service hung up".into() }));
            }
            Trouble::SourceDies => {
                world.kill(SOURCE);
                self.events.push_back(Ok(Event::Error { message: "a row could not be fetched".into() }));
            }
            Trouble::BothDie => {
                world.kill(STORE);
                self.state = State::DeadService;
            }
            Trouble::Garbage => self.events.push_back(Err("no JSON".into())),
            Trouble::UnexpectedEvent => self.events.push_back(Ok(Event::Ready("another".into()))),
            Trouble::Malformed | Trouble::Untrue | Trouble::StoreFails => {
                self.lies = Some(trouble);
                return false;
            }
            Trouble::Silence => self.state = State::Silent,
            Trouble::Deafness => {
                self.state = State::Deaf;
                return false;
            }
            Trouble::Interrupt => {
                world.interrupt.store(true, Ordering::Relaxed);
                self.state = State::Silent;
            }
            Trouble::FolderGone => {
                world.is_broken.set(true);
                self.state = State::DeadService;
            }
        }
        true
    }

    fn answer(&mut self, command: &Command) {
        let event = match command {
            Command::Job(_) => Event::Hello(Box::new(Hello {
                kurabe: kurabe_protocol::VERSION,
                client: "pretended".into(),
                version: "0".into(),
                libraries: BTreeMap::new(),
                capabilities: Capabilities::default(),
                driver_pid: None,
            })),
            Command::Prepare(phase) => Event::Ready(phase.clone()),
            Command::PrepareStep(step) => Event::Ready(step.phase.clone()),
            Command::Go(phase) => self.result(phase),
            Command::Call(call) if self.lies == Some(Trouble::Malformed) => answered(call, Value::Null),
            Command::Call(call) if self.lies == Some(Trouble::StoreFails) => Event::Reply(Reply {
                id: call.id,
                outcome: kurabe_protocol::ReplyOutcome::Error("poisoned".into()),
                absent: Vec::new(),
            }),
            Command::Call(call) => reply(call, &self.world.settings, self.world.done.get()),
            Command::Skip(_) => return,
            Command::Stop => {
                self.state = State::Ended;
                Event::End
            }
        };
        self.events.push_back(Ok(event));
    }

    fn result(&mut self, phase: &str) -> Event {
        let operation = match phase {
            "read" | "every-row" => Operation::Read,
            "increment" => Operation::Increment,
            _ => Operation::Load,
        };
        let failed = u64::from(self.lies == Some(Trouble::StoreFails));
        let mut result = samples::honest(phase, operation, ROWS - failed);
        if failed > 0 {
            result.workers[0].failed = failed;
            result.failures = vec![Failed { operation, message: "no space left".into(), count: failed }];
        }
        if self.lies == Some(Trouble::Untrue) {
            result.workers[0].last_end_ns *= 1000;
        }
        if phase == "increment" {
            self.world.done.set(self.world.done.get() + ROWS);
            result.increments = Some(Increments { acknowledged: ROWS, unknown: 0 });
        }
        Event::Result(Box::new(result))
    }
}

fn reply(call: &Call, settings: &BTreeMap<String, String>, sum: u64) -> Event {
    let value: Value = match call.name {
        CallName::Info => json!({"version": "1"}),
        CallName::Settings => json!(settings),
        CallName::Count => json!({"rows": ROWS}),
        CallName::Size => json!({"bytes": 5}),
        CallName::Sum => json!({"sum": sum}),
        _ => json!(true),
    };
    answered(call, value)
}

fn answered(call: &Call, value: Value) -> Event {
    Event::Reply(Reply { id: call.id, outcome: kurabe_protocol::ReplyOutcome::Ok(value), absent: Vec::new() })
}

impl Drop for FakeClient {
    fn drop(&mut self) {
        self.world.clients_alive.set(self.world.clients_alive.get() - 1);
    }
}

impl ClientPipe for FakeClient {
    fn pid(&self) -> u32 {
        u32::MAX
    }

    fn write(&mut self, text: &str, wait: Duration) -> io::Result<usize> {
        if self.state == State::Deaf {
            std::thread::sleep(wait.min(Duration::from_millis(1)));
            return Ok(0);
        }
        for line in text.lines() {
            let command = Command::parse(line).map_err(io::Error::other)?;
            let name = line.split(['"', ':']).nth(1).unwrap_or_default();
            self.world.heard.borrow_mut().push(name.to_string());
            let is_alive = self.state == State::Alive;
            if is_alive && !self.is_in_trouble() {
                self.answer(&command);
            }
        }
        Ok(text.len())
    }

    fn close(&mut self) {}

    fn hear(&mut self, limit: Duration) -> Result<Result<Event, String>, RecvTimeoutError> {
        match self.events.pop_front() {
            Some(event) => Ok(event),
            None if matches!(self.state, State::Silent | State::Deaf) => {
                // As a real wait would: the harness must not spin.
                std::thread::sleep(limit.min(Duration::from_millis(1)));
                Err(RecvTimeoutError::Timeout)
            }
            None => Err(RecvTimeoutError::Disconnected),
        }
    }

    fn wait(&mut self, _limit: Duration) -> io::Result<Option<ExitStatus>> {
        Ok(match self.state {
            State::Alive | State::Silent | State::Deaf => None,
            State::Ended => Some(ExitStatus::from_raw(0)),
            State::DeadService => Some(ExitStatus::from_raw(9)),
        })
    }

    fn wait_promptly(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        self.wait(limit)
    }

    fn wait_unless(&mut self, interrupt: &AtomicBool, limit: Duration) -> io::Result<WaitOutcome> {
        Ok(match self.wait(limit)? {
            Some(status) => WaitOutcome::Ended(status),
            None if interrupt.load(Ordering::Relaxed) => WaitOutcome::Interrupted,
            None => WaitOutcome::TooLong,
        })
    }
}

fn study(fetches: bool) -> Study {
    let source = if fetches { SOURCE } else { "memory" }.to_string();
    let load = kurabe_protocol::Loading { rows_from: source.into(), ..Load::Row.into() };
    let phase = |phase| PhasePlan::new(phase, true);
    let config = Configuration {
        factors: Vec::new(),
        rows: ROWS,
        rounds: 1,
        schema: Schema::key_value(10),
        encoding: kurabe_protocol::Encoding::Raw,
        phases: vec![
            phase(Phase::new("load", load, End::Count(ROWS))),
            phase(Phase::new("read", Action::Read, End::Count(ROWS))),
            phase(Phase::new("increment", Action::Increment, End::Count(ROWS))),
        ],
        only: Vec::new(),
    };
    let plan = samples::study_plan(vec![config], None);
    Study { plan, data: None, candidates: Vec::new(), asked_by_name: false }
}

/// Runs a job in which nothing goes wrong; returns how it ended and the world after it.
fn run() -> (JobEnd, Rc<FakeWorld>) {
    run_job_of(&study(false), [here(STORE), here(SOURCE)], None, true, None)
}

/// A candidate with a service that was found.
fn here(store: &str) -> Candidate {
    here_as(store, if store == STORE { "memory" } else { "none" })
}

/// The same, with a durability setting by name.
fn here_as(store: &str, durability: &str) -> Candidate {
    Candidate { found: Some(found()), ..samples::candidate(store, durability) }
}

fn found() -> Found {
    Found { binaries: BTreeMap::new(), folders: BTreeMap::new(), version: None }
}

/// Runs a job of a store with a service before it.
fn run_behind_app(trouble: Option<(Trouble, u32)>) -> (JobEnd, Rc<FakeWorld>) {
    let descriptor = Catalogue::builtin().expect("built-in").app(APP).expect("an app").clone();
    let app = vec![App { descriptor, found: found(), operations: None }];
    run_job_of(&study(false), [Candidate { app, ..here(STORE) }, here(SOURCE)], trouble, true, None)
}

/// Runs one in which that happens, for a study whose load fetches its rows, from a store that is here or not.
fn run_fetching(trouble: Option<(Trouble, u32)>, is_here: bool) -> (JobEnd, Rc<FakeWorld>) {
    run_job_of(&study(true), [here(STORE), here(SOURCE)], trouble, is_here, None)
}

fn run_job_of(
    study: &Study,
    [candidate, source]: [Candidate; 2],
    trouble: Option<(Trouble, u32)>,
    source_is_here: bool,
    limit: Option<Duration>,
) -> (JobEnd, Rc<FakeWorld>) {
    let folder = tempfile::tempdir().expect("a folder");
    let interrupt = AtomicBool::new(false);
    let files =
        StreamFiles::write(&study.plan, &study.plan.configurations[0], 0, &folder.path().join("streams"), &interrupt);
    let files = files.expect("streams");
    let world = Rc::new(FakeWorld {
        trouble,
        said: Cell::new(0),
        heard: RefCell::default(),
        alive: RefCell::default(),
        started: RefCell::default(),
        stopped: RefCell::default(),
        killed: RefCell::default(),
        begun: RefCell::default(),
        done: Cell::new(0),
        clients_alive: Cell::new(0),
        is_broken: Cell::new(false),
        settings: candidate.expected_settings(),
        interrupt,
    });
    let launcher = FakeLauncher(world.clone());
    let context = RoundContext {
        study,
        number: 0,
        config: &study.plan.configurations[0],
        phases: &study.plan.configurations[0].phases,
        files: &files,
        data: folder.path(),
        logs: folder.path(),
        launcher: &launcher,
        interrupt: &world.interrupt,
        observer: &NoObserver,
        keep: DataRetention::Nothing,
        run_id: "test",
        templates: &Templates::default(),
        exe: Path::new("kurabe"),
        rows_from: study.plan.configurations[0].rows_from().next().map(|_| &source).filter(|_| source_is_here),
        warned: &WarnedOnce::default(),
        own_server: None,
    };
    let place = JobSlot { number: 0, round: 0, limit, waits_for_others: false };
    (run_job(&context, &candidate, place, None), world)
}

fn recorded(end: &JobEnd) -> &JobRecord {
    match end {
        JobEnd::Done(record) => record,
        JobEnd::Interrupted => panic!("interrupted"),
        JobEnd::OutOfTime(_) => panic!("out of time"),
        JobEnd::EnvironmentGone(what) => panic!("groundless: {what}"),
    }
}

#[test]
fn a_job_without_trouble_is_whole_and_ends_in_good_order() {
    let (end, world) = run();
    let record = recorded(&end);
    assert_eq!(record.error, None);
    let names: Vec<&str> = record.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["load", "read", "increment"]);
    assert_eq!(record.phases[2].counters, Some(CounterSum { sum: ROWS, least: ROWS, most: ROWS }));
    assert_eq!(record.final_count.as_ref().map(|count| count.counted_rows), Some(ROWS));
    assert_eq!((world.stopped.borrow().len(), world.clients_alive.get()), (1, 0));
    let heard = world.heard.borrow();
    assert_eq!((heard.first().map(String::as_str), heard.last().map(String::as_str)), (Some("kurabe"), Some("stop")));
}

/// Another configuration of its study may have many more.
#[test]
fn a_job_has_no_more_client_processes_than_its_own_phases_have_connections() {
    let mut candidate = here(STORE);
    candidate.record.processes = 200;
    let (end, world) = run_job_of(&study(false), [candidate, here(SOURCE)], None, true, None);
    assert_eq!(recorded(&end).error, None);
    let begun = |world: &FakeWorld| world.heard.borrow().iter().filter(|said| *said == "kurabe").count();
    assert_eq!(begun(&world), begun(&run().1));
}

#[test]
fn every_trouble_at_every_point_is_told_of_the_one_whose_fault_it_is() {
    let messages = run().1.said.get();
    assert!(messages > 15, "{messages} points");
    for at in 0..messages {
        for trouble in TROUBLES {
            let is_stop = at + 1 == messages;
            // After 'stop' silence has a limit of its own, which the job's must not forestall on a slow machine.
            let limit = (trouble == Trouble::Silence && !is_stop).then(|| Duration::from_millis(40));
            let (end, world) = run_job_of(&study(false), [here(STORE), here(SOURCE)], Some((trouble, at)), true, limit);
            let said = world.heard.borrow().get(at as usize).cloned();
            let place = format!("{trouble:?} at message {at}, {said:?}");
            assert_eq!(world.clients_alive.get(), 0, "{place}: a client is left");
            judge(trouble, &end, &place, is_stop);
        }
    }
}

#[test]
fn the_service_before_a_store_is_started_after_it_and_stopped_before_it_and_its_death_is_told() {
    let (end, world) = run_behind_app(None);
    assert_eq!(recorded(&end).error, None);
    let order = (world.started.borrow().join(" "), world.stopped.borrow().join(" "));
    assert_eq!(order, ("redis serve".into(), "serve redis".into()));
    for at in 0..world.said.get() {
        for (trouble, who) in [(Trouble::AppDies, "the app died"), (Trouble::ServiceDies, "the service died")] {
            let (end, world) = run_behind_app(Some((trouble, at)));
            let place = format!("{trouble:?} at message {at}");
            assert_eq!(world.clients_alive.get(), 0, "{place}: a client is left");
            let error = recorded(&end).error.as_ref().unwrap_or_else(|| panic!("{place}: no error"));
            assert_eq!(error.kind, JobErrorKind::Service, "{place}: {}", error.message);
            assert!(error.message.to_string().starts_with(who), "{place}: {}", error.message);
        }
    }
}

fn judge(trouble: Trouble, end: &JobEnd, place: &str, is_stop: bool) {
    let fault = |kind: JobErrorKind, word: &str| {
        let JobEnd::Done(record) = end else { panic!("{place}: not recorded") };
        let error = record.error.as_ref().unwrap_or_else(|| panic!("{place}: no error"));
        assert_eq!(error.kind, kind, "{place}: {}", error.message);
        assert!(error.message.to_string().contains(word), "{place}: {}", error.message);
    };
    match trouble {
        Trouble::ClientDies => fault(JobErrorKind::Client, "was ended by signal 9 (SIGKILL)"),
        Trouble::ServiceDies | Trouble::BothDie if !is_stop => fault(JobErrorKind::Service, "its last words"),
        // Told to end, a client says nothing any more that is listened to.
        Trouble::ServiceDies => fault(JobErrorKind::Service, "its last words"),
        Trouble::BothDie => fault(JobErrorKind::Service, "its last words"),
        // There is none in these jobs.
        Trouble::SourceDies | Trouble::AppDies | Trouble::Deafness | Trouble::Malformed => {}
        Trouble::Untrue | Trouble::StoreFails => {}
        Trouble::Garbage | Trouble::UnexpectedEvent if is_stop => fault(JobErrorKind::Timeout, "after 'stop'"),
        Trouble::Garbage | Trouble::UnexpectedEvent => fault(JobErrorKind::Client, "broke the protocol"),
        Trouble::Silence if is_stop => fault(JobErrorKind::Timeout, "after 'stop'"),
        Trouble::Silence => assert!(matches!(end, JobEnd::OutOfTime(_)), "{place}"),
        Trouble::Interrupt => assert!(matches!(end, JobEnd::Interrupted), "{place}"),
        Trouble::FolderGone => {
            assert!(
                matches!(end, JobEnd::EnvironmentGone(what) if what.to_string() == "the environment is gone"),
                "{place}"
            );
        }
    }
}

#[test]
fn a_data_folder_that_is_gone_is_not_made_again_for_the_files_of_a_round() {
    let study = study(false);
    let parent = tempfile::tempdir().expect("a folder");
    let (data, interrupt) = (parent.path().join("data"), AtomicBool::new(false));
    let write = || StreamFiles::write(&study.plan, &study.plan.configurations[0], 0, &data.join("streams"), &interrupt);
    assert!(write().is_err() && !data.exists());
    std::fs::create_dir(&data).expect("a folder");
    assert!(write().is_ok() && write().is_ok());
}
