//! What travels between harness and client: one JSON object a line, told apart by its keys.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::VERSION;
use crate::capabilities::Capabilities;
use crate::histogram::Bucket;
use crate::job::Job;
use crate::operation::Operation;
use crate::secrets::Secrets;

/// How a client whose driver is another process begins to tell that this one has ended; the words of that process are on stderr.
pub const DRIVER_ENDED: &str = "the client ended with";

/// A line that is no message of this protocol.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// Not a JSON object.
    #[error("not a JSON object: '{line}'")]
    NotJson {
        /// Start of the line.
        line: String,
    },
    /// A job of another version.
    #[error("protocol version {got} is not spoken here, only version {VERSION}")]
    Version {
        /// The version that was named, or "none".
        got: String,
    },
    /// An object with none of the known keys.
    #[error("no message of this protocol: '{line}'")]
    Unknown {
        /// Start of the line.
        line: String,
    },
    /// A known message with a wrong content.
    #[error("bad '{key}' message: {source}")]
    Content {
        /// The message's key.
        key: &'static str,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// Harness to client.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The first line.
    Job(Box<Job>),
    /// Connect, prepare and warm up for a phase, then answer `ready`.
    Prepare(String),
    /// The same for a phase that is done several times, at other rates.
    PrepareStep(RateStep),
    /// Do the phase now (prepares first where that was not asked for), then answer `result`.
    Go(String),
    /// The phase is left out.
    Skip(String),
    /// Something that is never measured.
    Call(Call),
    /// End cleanly.
    Stop,
}

/// One of several times that a phase with a rate is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateStep {
    /// Name of the phase.
    #[serde(rename = "prepare")]
    pub phase: String,
    /// Operations a second, in the place of the phase's own.
    pub rate: u32,
    /// How long it takes, in ns, in the place of the phase's own time.
    pub duration_ns: u64,
}

/// Something that the harness asks between phases; never measured as an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What is asked.
    #[serde(rename = "call")]
    pub name: CallName,
    /// Number that the reply repeats.
    pub id: u64,
}

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallName {
    /// Does the store answer?
    Ping,
    /// Version and whatever the store tells about itself: an object of texts.
    Info,
    /// The settings as the live store reports them: an object of texts.
    Settings,
    /// Make the namespace, empty.
    Create,
    /// Remove the namespace and nothing else.
    Reset,
    /// Number of rows: `{"rows": n}`.
    Count,
    /// Size as the store reports it: `{"bytes": n}`.
    Size,
    /// The store's own integrity check: `{"sound": bool, "detail": text}`.
    Check,
    /// Sum of all counters: `{"sum": n}`.
    Sum,
    /// Whether the store throws rows away where memory ends: an [`crate::Eviction`].
    Evicts,
    /// Reserved.
    Backup,
    /// Reserved.
    Restore,
    /// Reserved.
    Alter,
}

impl std::fmt::Display for CallName {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// Client to harness.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The hello: who works, with which libraries, and what it can do.
    Hello(Box<Hello>),
    /// Prepared for the phase.
    Ready(String),
    /// Operations so far.
    Progress {
        /// Phase.
        phase: String,
        /// Operations that this process completed.
        operations: u64,
    },
    /// What a phase gave.
    Result(Box<PhaseResult>),
    /// Answer to a call.
    Reply(Reply),
    /// The job cannot go on; the client ends.
    Error {
        /// What happened, for people.
        message: String,
    },
    /// The last line of a job that ended cleanly.
    End,
}

/// Answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The call's number.
    pub id: u64,
    /// What came of it.
    pub outcome: ReplyOutcome,
    /// What the answer leaves out since the user may not read it, in words; empty where it is whole.
    pub absent: Vec<String>,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyOutcome {
    /// Done; the value is as documented at [`CallName`].
    Ok(Value),
    /// This store has no such thing.
    Unsupported,
    /// It failed.
    Error(String),
}

/// The hello of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// Version of the protocol.
    pub kurabe: u32,
    /// Name of the client: `rust`, `python`, `jvm`.
    pub client: String,
    /// Version of the client.
    pub version: String,
    /// Libraries in use and their versions.
    pub libraries: BTreeMap<String, String>,
    /// What the adapter can do.
    pub capabilities: Capabilities,
    /// The process that drives the store, where that is another than the one that speaks: what it uses is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_pid: Option<u32>,
}

/// What one client process gave in one phase. Times are ns of CLOCK_MONOTONIC, the same for all processes of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseResult {
    /// Phase.
    pub phase: String,
    /// One entry a worker of this process.
    pub workers: Vec<WorkerResult>,
    /// Latencies by kind of operation, completed operations only: response times, from the planned start, in an open loop; else
    /// service times, from the real start.
    pub latency: Vec<KindLatency>,
    /// What an open loop tells beside; absent in a closed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Failed operations by kind and message.
    pub failures: Vec<Failed>,
    /// What the oracle found.
    pub checks: Checks,
    /// Attempts repeated inside operations (busy, conflict); their time is inside the latency.
    pub retries: u64,
    /// Rows that were read in scans, latest, searches and multi-reads, over all operations.
    pub rows_read: u64,
    /// Operations over time.
    pub series: Series,
    /// Processor time of this process from the first start to the last end, user, in ns; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_user_ns: Option<u64>,
    /// The same in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_system_ns: Option<u64>,
    /// Threads that did the work.
    pub threads: u32,
    /// Rows that this process knows to exist after the phase, among those that it wrote.
    pub rows_present: u64,
    /// Rows of this process whose fate is unknown (an unacknowledged insert or delete).
    pub rows_unknown: u64,
    /// Increments since the start of the phase, its warm-up included; absent where it does none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increments: Option<Increments>,
    /// What the client's virtual machine did meanwhile; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    /// Time that encoding and decoding rows took, inside the operations, over all workers; absent where nothing is encoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding_ns: Option<u64>,
    /// Connections that were made amid the operations; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connects: Option<u64>,
    /// What ended the phase.
    pub stopped_by: StoppedBy,
    /// Why the phase ended early, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl PhaseResult {
    /// Service times by kind of operation: from the real start, in a closed loop and in an open one.
    pub fn service(&self) -> &[KindLatency] {
        self.open_loop.as_ref().map_or(&self.latency, |open_loop| &open_loop.service)
    }

    /// Processor time of this process, in ns; `None` where it is not known.
    pub fn cpu_ns(&self) -> Option<u64> {
        Some(self.cpu_user_ns?.saturating_add(self.cpu_system_ns?))
    }
}

/// Operations with planned starts: `planned = done + failed + dropped + open`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// Operations whose planned start lay in the phase.
    pub planned: u64,
    /// Those that came while as many waited as the schedule lets wait.
    pub dropped: u64,
    /// Those that had not been started when the phase ended.
    pub open: u64,
    /// How long these had waited: their response times are at least that. Non-empty buckets, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_waited: Vec<Bucket>,
    /// Service times by kind of operation, completed operations only.
    pub service: Vec<KindLatency>,
    /// How late the client itself started operations: after the planned start, or after a connection was free where that was later.
    /// Non-empty buckets, ascending.
    pub lag: Vec<Bucket>,
    /// The largest lag, exact, in ns.
    pub lag_max_ns: u64,
}

/// What the virtual machine of a client did in a phase, from the first start to the last end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    /// Version of this object: [`Runtime::VERSION`]. Later ones may have more keys, never other meanings.
    pub version: u32,
    /// Name and version of the virtual machine.
    pub name: String,
    /// Its garbage collectors.
    pub collector: String,
    /// Pauses for garbage: what ran in the client stood still meanwhile, so they are inside latencies.
    pub gc_pauses: u64,
    /// Their sum in ns, as precise as the machine tells it.
    pub gc_pause_ns: u64,
    /// Most heap that was in use.
    pub heap_peak_bytes: u64,
    /// Most heap that it may take.
    pub heap_max_bytes: u64,
    /// Time before the phase in which it worked on a scratch namespace, so that its compiler had seen the code.
    pub compiler_warmup_ns: u64,
}

impl Runtime {
    /// Version of the object.
    pub const VERSION: u32 = 1;
}

/// Increments of one process: the sum of all counters must lie between those acknowledged and all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Increments {
    /// Acknowledged.
    pub acknowledged: u64,
    /// Failed, so that nobody knows whether they happened.
    pub unknown: u64,
}

impl Increments {
    /// Adds those of another worker, process or phase.
    pub fn merge(&mut self, other: Increments) {
        self.acknowledged += other.acknowledged;
        self.unknown += other.unknown;
    }
}

/// One worker's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerResult {
    /// Number of the worker over all processes.
    pub worker: u32,
    /// Operations completed.
    pub operations: u64,
    /// Operations failed.
    pub failed: u64,
    /// Start of the first measured operation.
    pub first_start_ns: u64,
    /// End of the last measured operation.
    pub last_end_ns: u64,
}

/// Latencies of one kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindLatency {
    /// Kind.
    pub operation: Operation,
    /// Non-empty buckets, ascending.
    pub buckets: Vec<Bucket>,
    /// Operations counted.
    pub count: u64,
    /// Sum of latencies, exact.
    pub sum_ns: u64,
    /// Smallest latency, exact.
    pub min_ns: u64,
    /// Largest latency, exact.
    pub max_ns: u64,
}

/// Failed operations of one kind with one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failed {
    /// Kind.
    pub operation: Operation,
    /// The store's own message.
    pub message: String,
    /// How often.
    pub count: u64,
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What the oracle found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checks {
    /// Answers checked.
    pub checked: u64,
    /// Values that are of another row, torn or altered.
    pub wrong: u64,
    /// Versions older than what was acknowledged before the read started.
    pub stale: u64,
    /// Rows that must exist and were not found.
    pub lost: u64,
    /// Rows or versions that were never written, or that were deleted.
    pub phantom: u64,
    /// Scans and latest with too few or too many rows, or in a wrong order.
    pub miscounted: u64,
    /// Acknowledged writes that the stale and lost rows lack, where losses are counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_writes: u64,
    /// From the acknowledgement of the first of them to the last one of all, in ns, at least: of several lost writes of a row
    /// only the last is known. Absent where nothing is lost, or nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_ns: Option<u64>,
    /// The first few, in words.
    pub examples: Vec<String>,
}

impl Checks {
    /// Answers that were not right.
    pub fn failed(&self) -> u64 {
        self.damaged() + self.stale + self.lost
    }

    /// Answers that no loss of the latest writes explains.
    pub fn damaged(&self) -> u64 {
        self.wrong + self.phantom + self.miscounted
    }

    /// Adds what another worker or process found; keeps at most [`Checks::EXAMPLES`] examples.
    pub fn merge(&mut self, other: &Checks) {
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.stale += other.stale;
        self.lost += other.lost;
        self.phantom += other.phantom;
        self.miscounted += other.miscounted;
        self.lost_writes += other.lost_writes;
        self.lost_ns = self.lost_ns.max(other.lost_ns);
        let room = Checks::EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.iter().take(room).cloned());
    }

    /// How many examples are kept: enough to recognise a pattern, few enough to read.
    pub const EXAMPLES: usize = 5;
}

/// Completed operations over time: slot `i` counts those that ended in `[start + i * slot_ns, start + (i + 1) * slot_ns)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Start of the first slot.
    pub start_ns: u64,
    /// Length of a slot in ns; doubled as often as needed to keep the series short.
    pub slot_ns: u64,
    /// Operations per slot.
    pub operations: Vec<u64>,
}

/// What ended a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// All operations were done.
    Count,
    /// The time was over.
    Duration,
    /// Too many operations failed in a row.
    Failures,
    /// The harness asked for it or went away.
    Abort,
}

impl Command {
    /// The message as one line, without its newline.
    pub fn to_line(&self) -> String {
        match self {
            Command::Job(job) => json!({"kurabe": VERSION, "job": job}),
            Command::Prepare(phase) => json!({"prepare": phase}),
            Command::PrepareStep(step) => json!(step),
            Command::Go(phase) => json!({"go": phase}),
            Command::Skip(phase) => json!({"skip": phase}),
            Command::Call(call) => json!(call),
            Command::Stop => json!({"stop": true}),
        }
        .to_string()
    }

    /// Reads a line. Unknown keys are ignored, an unknown version is refused.
    pub fn parse(line: &str) -> Result<Command, MessageError> {
        let mut object = object(line)?;
        if let Some(job) = object.remove("job") {
            let got = object.get("kurabe").cloned().unwrap_or(Value::Null);
            if got != json!(VERSION) {
                return Err(MessageError::Version { got: got.to_string() });
            }
            return Ok(Command::Job(content("job", job)?));
        }
        if object.contains_key("call") {
            return Ok(Command::Call(content("call", Value::Object(object))?));
        }
        if object.contains_key("prepare") && object.contains_key("rate") {
            return Ok(Command::PrepareStep(content("prepare", Value::Object(object))?));
        }
        if let Some(phase) = object.remove("prepare") {
            return Ok(Command::Prepare(content("prepare", phase)?));
        }
        if let Some(phase) = object.remove("go") {
            return Ok(Command::Go(content("go", phase)?));
        }
        if let Some(phase) = object.remove("skip") {
            return Ok(Command::Skip(content("skip", phase)?));
        }
        if object.contains_key("stop") {
            return Ok(Command::Stop);
        }
        Err(MessageError::Unknown { line: excerpt(line) })
    }
}

impl Event {
    /// The message as one line, without its newline.
    pub fn to_line(&self) -> String {
        match self {
            Event::Hello(hello) => json!({"hello": hello}),
            Event::Ready(phase) => json!({"ready": phase}),
            Event::Progress { phase, operations } => json!({"progress": phase, "operations": operations}),
            Event::Result(result) => json!({"result": result}),
            Event::Reply(reply) => reply.to_json(),
            Event::Error { message } => json!({"error": message}),
            Event::End => json!({"end": true}),
        }
        .to_string()
    }

    /// Reads a line. Unknown keys are ignored.
    pub fn parse(line: &str) -> Result<Event, MessageError> {
        let mut object = object(line)?;
        if object.contains_key("reply") {
            return Ok(Event::Reply(Reply::from_json(object)?));
        }
        if let Some(hello) = object.remove("hello") {
            let got = hello.get("kurabe").cloned().unwrap_or(Value::Null);
            if got != json!(VERSION) {
                return Err(MessageError::Version { got: got.to_string() });
            }
            return Ok(Event::Hello(content("hello", hello)?));
        }
        if let Some(phase) = object.remove("ready") {
            return Ok(Event::Ready(content("ready", phase)?));
        }
        if let Some(phase) = object.remove("progress") {
            let operations = object.remove("operations").unwrap_or(Value::Null);
            return Ok(Event::Progress {
                phase: content("progress", phase)?,
                operations: content("progress", operations)?,
            });
        }
        if let Some(result) = object.remove("result") {
            return Ok(Event::Result(content("result", result)?));
        }
        if let Some(message) = object.remove("error") {
            return Ok(Event::Error { message: content("error", message)? });
        }
        if object.contains_key("end") {
            return Ok(Event::End);
        }
        Err(MessageError::Unknown { line: excerpt(line) })
    }
}

impl Event {
    /// Hides the secrets of the job's address in what it says in words.
    pub fn hide(&mut self, secrets: &Secrets) {
        self.words(&mut |text| *text = secrets.clean(text));
    }

    /// Cuts what it says in words to [`MOST_TEXT_BYTES`] each: it stands in records and on terminals.
    pub fn cut(&mut self) {
        self.words(&mut cut);
        match self {
            Event::Reply(Reply { outcome: ReplyOutcome::Ok(answer), .. }) => cut_answer(answer),
            Event::Result(result) => result.checks.examples.iter_mut().for_each(cut),
            Event::Hello(hello) => {
                hello.libraries.values_mut().for_each(cut);
                [&mut hello.client, &mut hello.version].into_iter().for_each(cut);
            }
            _ => {}
        }
    }

    /// Every text in which it tells of an error, or of what it leaves out.
    fn words(&mut self, each: &mut impl FnMut(&mut String)) {
        match self {
            Event::Error { message } => each(message),
            Event::Reply(reply) => {
                reply.absent.iter_mut().for_each(&mut *each);
                if let ReplyOutcome::Error(message) = &mut reply.outcome {
                    each(message);
                }
            }
            Event::Result(result) => {
                result.failures.iter_mut().map(|failed| &mut failed.message).chain(&mut result.message).for_each(each);
            }
            Event::Hello(_) | Event::Ready(_) | Event::Progress { .. } | Event::End => {}
        }
    }
}

impl Reply {
    fn to_json(&self) -> Value {
        let mut line = match &self.outcome {
            ReplyOutcome::Ok(value) => json!({"reply": self.id, "ok": value}),
            ReplyOutcome::Unsupported => json!({"reply": self.id, "unsupported": true}),
            ReplyOutcome::Error(message) => json!({"reply": self.id, "error": message}),
        };
        if !self.absent.is_empty() {
            line["absent"] = json!(self.absent);
        }
        line
    }

    fn from_json(mut object: Map<String, Value>) -> Result<Reply, MessageError> {
        let id = content("reply", object.remove("reply").unwrap_or(Value::Null))?;
        let absent = object.remove("absent").map(|texts| content("reply", texts)).transpose()?.unwrap_or_default();
        let outcome = if let Some(value) = object.remove("ok") {
            ReplyOutcome::Ok(value)
        } else if let Some(message) = object.remove("error") {
            ReplyOutcome::Error(content("reply", message)?)
        } else if object.contains_key("unsupported") {
            ReplyOutcome::Unsupported
        } else {
            return Err(MessageError::Unknown { line: excerpt(&Value::Object(object).to_string()) });
        };
        Ok(Reply { id, outcome, absent })
    }
}

fn object(line: &str) -> Result<Map<String, Value>, MessageError> {
    match serde_json::from_str(line) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(MessageError::NotJson { line: excerpt(line) }),
    }
}

fn content<T: serde::de::DeserializeOwned>(key: &'static str, value: Value) -> Result<T, MessageError> {
    serde_json::from_value(value).map_err(|source| MessageError::Content { key, source })
}

/// The longest text of a client that is kept.
pub const MOST_TEXT_BYTES: usize = 4000;

/// Cuts a text to [`MOST_TEXT_BYTES`], and says that it was longer.
pub fn cut(text: &mut String) {
    if text.len() <= MOST_TEXT_BYTES {
        return;
    }
    let bytes = text.len();
    let end = (0..=MOST_TEXT_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    text.push_str(&format!("… (cut: {bytes} bytes)"));
}

fn cut_answer(answer: &mut Value) {
    match answer {
        Value::String(text) => cut(text),
        Value::Array(all) => all.iter_mut().for_each(cut_answer),
        Value::Object(all) => all.values_mut().for_each(cut_answer),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Enough of what somebody else said to recognise it in an error: its first 200 characters.
pub fn excerpt(line: &str) -> String {
    const SHOWN: usize = 200;
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
