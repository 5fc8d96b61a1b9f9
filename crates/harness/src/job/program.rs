//! Phases of programs: each operation is a whole client process, from before its start until it is reaped.

use kurabe_messages::{Message, message};
use kurabe_protocol::{
    CallName, Checks, Command, Event, Failed, Histogram, Job, KindLatency, Operation, Phase, PhaseResult, Series,
    StoppedBy, WorkerResult, audit,
};
use kurabe_record::{JobErrorKind, PhaseRecord, StoreKind};

use super::audit::window;
use super::plugs::Plug;
use super::{CALL_LIMIT, DEATH_LIMIT, SCAN_LIMIT, Work};
use crate::client::{Client, WholeRun};
use crate::error::in_english;
use crate::fault::Fault;
use crate::measure::{Meter, own_cpu_ns};
use crate::services::ServiceRole;

/// Phases of programs.
pub(super) struct Programs;

impl Plug for Programs {
    fn lacks(&self, work: &Work<'_>, phase: &Phase) -> Option<Message> {
        let record = &work.candidate.record;
        let why = match record.kind {
            _ if record.by_load_tool => message!(run_lacks_programs_of_tool),
            StoreKind::Baseline => message!(run_lacks_kept_rows),
            StoreKind::Store => return None,
        };
        phase.program().map(|_| why)
    }

    fn instead(&self, work: &mut Work<'_>, phase: &Phase) -> Result<Option<PhaseRecord>, Fault> {
        phase.program().map(|program| work.run_programs(phase, program)).transpose()
    }
}

impl Work<'_> {
    /// Does a phase of programs. The clients of the other phases end before, since they may hold locks of the store; new ones
    /// come after it, for calls.
    fn run_programs(&mut self, phase: &Phase, program: &Phase) -> Result<PhaseRecord, Fault> {
        let halt = self.halt;
        std::mem::take(&mut self.clients).into_iter().try_for_each(|client| client.stop(halt))?;
        let job = self.program_job(program)?;
        let lines = lines(&job, &program.name);
        let service_meter = Meter::start(self.services.pids(ServiceRole::Store));
        let own = own_cpu_ns();
        let mut tally = ProgramTally::default();
        for done in 1..=phase.end.count().unwrap_or(1) {
            halt.check()?;
            if program.does(Operation::Load) {
                self.make_empty()?;
            }
            let failed = tally.failed();
            tally.take(self.run_program(&job, &lines)?, program)?;
            if tally.failed() > failed && self.services.dying(DEATH_LIMIT).is_some() {
                return Err(Fault::ServiceDied);
            }
            self.context.observer.progress(done);
        }
        let mut record = PhaseRecord::new(&phase.name, phase.operation());
        record.harness_cpu_ns = Some(own_cpu_ns() - own);
        record.service = service_meter.stop();
        record.results = vec![tally.result(&phase.name)];
        self.start_clients()?;
        Ok(record)
    }

    /// The job of a program: one process, and one phase.
    fn program_job(&self, program: &Phase) -> Result<Job, Fault> {
        let job = self.job(0)?;
        Ok(Job { processes: 1, phases: vec![self.context.files.fill(program)], ..job })
    }

    fn run_program(&self, job: &Job, lines: &str) -> Result<WholeRun, Fault> {
        let log = self.context.logs.join(format!("job-{}-program.log", self.number));
        let command = &self.candidate.client;
        Client::run_whole(self.context.launcher, command, job.url.as_deref(), lines, &log, SCAN_LIMIT, self.halt)
    }

    /// Makes the namespace anew for a program that loads, outside its time.
    fn make_empty(&self) -> Result<(), Fault> {
        let (mut client, _) = self.start_client(0, &self.client_log(0), self.halt)?;
        let made = client.call(CallName::Create, CALL_LIMIT, self.halt)?;
        let failed = |error: String| message!(run_call_failed, call = CallName::Create, error);
        made.map_err(|error| Fault::new(JobErrorKind::Client, failed(error)))?;
        client.stop(self.halt)
    }
}

/// What a program reads on its stdin.
fn lines(job: &Job, phase: &str) -> String {
    let commands = [Command::Job(Box::new(job.clone())), Command::Go(phase.to_string()), Command::Stop];
    commands.iter().map(|command| command.to_line() + "\n").collect()
}

/// What the programs of a phase gave.
#[derive(Default)]
struct ProgramTally {
    worker: Option<WorkerResult>,
    latency: Histogram,
    failures: Vec<Failed>,
    checks: Checks,
    retries: u64,
    rows_read: u64,
    /// Of the program that ended last.
    rows: (u64, u64),
    /// Time of all programs.
    lasted_ns: u64,
    cpu_ns: (u64, u64),
}

impl ProgramTally {
    fn failed(&self) -> u64 {
        self.failures.iter().map(|failed| failed.count).sum()
    }

    /// Takes what a program gave.
    ///
    /// # Errors
    /// Where that cannot be true.
    fn take(&mut self, run: WholeRun, program: &Phase) -> Result<(), Fault> {
        let start = WorkerResult { worker: 0, operations: 0, failed: 0, first_start_ns: run.start_ns, last_end_ns: 0 };
        let worker = self.worker.get_or_insert(start);
        // What lies between two programs is the harness's: the stamps are apart by the time of all programs alone.
        self.lasted_ns += run.end_ns - run.start_ns;
        worker.last_end_ns = worker.first_start_ns + self.lasted_ns;
        self.cpu_ns.0 += run.cpu_ns.0;
        self.cpu_ns.1 += run.cpu_ns.1;
        let outcome = run.outcome.and_then(|events| result_of(events, program));
        let result = match outcome {
            Ok(result) => result,
            Err(message) => {
                worker.failed += 1;
                self.fail(message);
                return Ok(());
            }
        };
        audit(std::slice::from_ref(&result), program, &window((run.start_ns, run.end_ns)))
            .map_err(|untrue| Fault::new(JobErrorKind::Client, untrue))?;
        self.checks.merge(&result.checks);
        self.retries += result.retries;
        self.rows_read += result.rows_read;
        self.rows = (result.rows_present, result.rows_unknown);
        match what_failed(&result, program) {
            Some(message) => {
                worker.failed += 1;
                self.fail(message);
            }
            None => {
                worker.operations += 1;
                self.latency.record(run.end_ns - run.start_ns);
            }
        }
        Ok(())
    }

    fn fail(&mut self, message: String) {
        match self.failures.iter_mut().find(|known| known.message == message) {
            Some(known) => known.count += 1,
            None => self.failures.push(Failed { operation: Operation::Program, message, count: 1 }),
        }
    }

    fn result(self, phase: &str) -> PhaseResult {
        let latency = KindLatency {
            operation: Operation::Program,
            buckets: self.latency.buckets(),
            count: self.latency.count(),
            sum_ns: self.latency.sum_ns(),
            min_ns: self.latency.min_ns(),
            max_ns: self.latency.max_ns(),
        };
        PhaseResult {
            phase: phase.to_string(),
            workers: self.worker.into_iter().collect(),
            latency: vec![latency],
            failures: self.failures,
            checks: self.checks,
            retries: self.retries,
            rows_read: self.rows_read,
            series: Series::default(),
            cpu_user_ns: Some(self.cpu_ns.0),
            cpu_system_ns: Some(self.cpu_ns.1),
            threads: 1,
            rows_present: self.rows.0,
            rows_unknown: self.rows.1,
            increments: None,
            // Beside the start of a process it is nothing.
            encoding_ns: None,
            connects: None,
            open_loop: None,
            runtime: None,
            stopped_by: StoppedBy::Count,
            message: None,
        }
    }
}

/// The result that a program told.
fn result_of(events: Vec<Event>, program: &Phase) -> Result<PhaseResult, String> {
    let mut result = None;
    for event in events {
        match event {
            Event::Error { message } => return Err(message),
            Event::Result(told) if told.phase == program.name => result = Some(*told),
            _ => {}
        }
    }
    result.ok_or_else(|| in_english(message!(run_program_no_result)))
}

/// Why a program that ran to its end did not do all that it was to do.
fn what_failed(result: &PhaseResult, program: &Phase) -> Option<String> {
    let done: u64 = result.workers.iter().map(|worker| worker.operations).sum();
    let wanted = program.end.count().unwrap_or(done);
    match result.failures.first() {
        Some(first) => Some(first.message.clone()),
        None if done != wanted && program.end.duration_ns().is_none() => {
            Some(in_english(message!(run_program_short, done, wanted)))
        }
        None => None,
    }
}
