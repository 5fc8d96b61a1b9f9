//! A phase of a job: what is done, until when, and in which shape of load.
//!
//! What belongs to one kind of operation alone stands inside that kind ([`Work`], [`Action`], [`Load`]), so a search always
//! has its field, and a mix its parts. On the wire and in records a phase is flat, as PROTOCOL.md has it; `wire.rs` leads
//! from one form to the other, and refuses what cannot be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Connect, Distribution, LoadPath, LossPolicy, Operation, ReadScope, Search, Warmup};
use crate::schedule::Schedule;
use wire::WirePhase;

#[cfg(test)]
mod tests;
mod wire;

/// One kind of operation, or a mix, with its shape of load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WirePhase", into = "WirePhase")]
pub struct Phase {
    /// Name, unique within the job.
    pub name: String,
    /// What is done.
    pub work: Work,
    /// When it ends.
    pub end: End,
    /// Operations done and checked before the measured ones, of the same kind and by the same workers.
    pub warmup: Option<Warmup>,
    /// Connections over all client processes; each is one worker.
    pub connections: u32,
    /// Operations that a connection has under way at a time (pipelining).
    pub depth: u32,
    /// Operations sent together and awaited together; every one of them has the latency of the whole.
    pub batch: u32,
    /// How rows are chosen.
    pub distribution: Distribution,
    /// Path of the rows stream; absent for sequential, and in a plan.
    pub rows_stream: Option<String>,
    /// Commit after this many writes of a worker.
    pub commit_every: u32,
    /// What a read sees.
    pub read_scope: ReadScope,
    /// How long a connection is used.
    pub connect: Connect,
    /// What a client does where its connection is lost; the harness sets it, where it restarts the store amid the phase.
    pub on_loss: LossPolicy,
    /// When operations start, in an open loop; absent in a closed one.
    pub schedule: Option<Schedule>,
    /// How long a connection waits after each answer before it asks again, in ns; only in a closed loop.
    pub think_ns: Option<u64>,
    /// Whether what reads find missing or too old is a loss that a kill before it may have taken; its time is noted.
    pub counts_losses: bool,
}

/// Rows that inserts limited by time alone may write at most. So many numbers are kept free for each such phase, and so long
/// is the range of addresses for the states of its rows in a client, which takes memory only where rows are written. Numbers
/// of rows have 32 bits: forty such phases fit.
pub const MOST_TIMED_INSERTS: u64 = 100_000_000;
/// Rows that inserts limited by time alone are taken to write where a service's memory is planned. Room for the most that
/// they may write would be more than most machines have.
pub const PLANNED_TIMED_INSERTS: u64 = 2_000_000;

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After this many operations over all workers.
    Count(u64),
    /// After this time, in ns.
    DurationNs(u64),
    /// After whichever is reached first.
    First {
        /// Operations over all workers.
        count: u64,
        /// Time, in ns.
        duration_ns: u64,
    },
}

impl End {
    /// Operations after which it ends, if a count ends it.
    pub fn count(self) -> Option<u64> {
        match self {
            End::Count(count) | End::First { count, .. } => Some(count),
            End::DurationNs(_) => None,
        }
    }

    /// Time after which it ends, in ns, if time ends it.
    pub fn duration_ns(self) -> Option<u64> {
        match self {
            End::DurationNs(duration_ns) | End::First { duration_ns, .. } => Some(duration_ns),
            End::Count(_) => None,
        }
    }

    /// The end that these two give together; `None` where there is neither.
    pub fn of(count: Option<u64>, duration_ns: Option<u64>) -> Option<End> {
        match (count, duration_ns) {
            (Some(count), Some(duration_ns)) => Some(End::First { count, duration_ns }),
            (Some(count), None) => Some(End::Count(count)),
            (None, Some(duration_ns)) => Some(End::DurationNs(duration_ns)),
            (None, None) => None,
        }
    }
}

/// What a phase does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Writes rows in order into the empty namespace; may overwrite.
    Load(Loading),
    /// Opens the store, reads rows and closes it again.
    Open {
        /// Rows that one operation reads by their keys: the drawn one and those that follow it.
        rows: u32,
    },
    /// One kind of operation.
    One(Action),
    /// Several kinds, each operation's drawn from the kinds stream.
    Mix(Mix),
    /// Whole client processes, each of which does this phase and ends: a load, or reads.
    Program(Box<Phase>),
}

impl From<Action> for Work {
    fn from(action: Action) -> Work {
        Work::One(action)
    }
}

impl From<Load> for Work {
    fn from(load: Load) -> Work {
        Work::Load(load.into())
    }
}

impl From<Mix> for Work {
    fn from(mix: Mix) -> Work {
        Work::Mix(mix)
    }
}

/// What a load writes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loading {
    /// How its rows are sent.
    pub load: Load,
    /// How often all rows are written, in the same order.
    pub passes: u32,
    /// Where its rows come from, inside the time of the phase.
    pub rows_from: RowsFrom,
}

impl From<Load> for Loading {
    fn from(load: Load) -> Loading {
        Loading { load, passes: 1, rows_from: RowsFrom::Memory }
    }
}

/// Where the rows of a load come from: a word, or the name of a store with its variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum RowsFrom {
    /// The client has them, or makes them.
    #[default]
    Memory,
    /// Each is split from its line of the data file again.
    Lines,
    /// Each is fetched from another store by a streaming cursor.
    Store(String),
}

impl RowsFrom {
    pub(crate) fn is_memory(&self) -> bool {
        *self == RowsFrom::Memory
    }
}

impl From<String> for RowsFrom {
    fn from(text: String) -> RowsFrom {
        match text.as_str() {
            "memory" => RowsFrom::Memory,
            "lines" => RowsFrom::Lines,
            _ => RowsFrom::Store(text),
        }
    }
}

impl From<RowsFrom> for String {
    fn from(rows_from: RowsFrom) -> String {
        match rows_from {
            RowsFrom::Memory => "memory".into(),
            RowsFrom::Lines => "lines".into(),
            RowsFrom::Store(store) => store,
        }
    }
}

impl From<Loading> for Work {
    fn from(loading: Loading) -> Work {
        Work::Load(loading)
    }
}

/// How `load` sends its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// One request a row.
    Row,
    /// Many rows in one request.
    Batch {
        /// Rows of a request.
        rows: u32,
    },
    /// The store's own bulk path.
    Bulk {
        /// Rows that are handed over at a time.
        rows: u32,
    },
}

impl Load {
    /// The load by `path`, with so many rows at a time where it takes several.
    pub fn by(path: LoadPath, rows: u32) -> Load {
        match path {
            LoadPath::Row => Load::Row,
            LoadPath::Batch => Load::Batch { rows },
            LoadPath::Bulk => Load::Bulk { rows },
        }
    }

    /// Its word in capabilities.
    pub fn path(self) -> LoadPath {
        match self {
            Load::Row => LoadPath::Row,
            Load::Batch { .. } => LoadPath::Batch,
            Load::Bulk { .. } => LoadPath::Bulk,
        }
    }

    /// Rows that are handed to the store at a time.
    pub fn rows_at_a_time(self) -> u32 {
        match self {
            Load::Row => 1,
            Load::Batch { rows } | Load::Bulk { rows } => rows,
        }
    }
}

/// An operation that a phase can do alone or in a mix, with what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes a new row; fails with `exists` where the store can tell.
    Insert {
        /// First row that is written; the harness keeps the ranges of phases apart.
        first_row: u64,
    },
    /// Reads one row by its primary key, all fields.
    Read,
    /// Replaces a whole row that must exist.
    Update,
    /// Removes a row; a missing key answers `missing`.
    Delete,
    /// Reads everything, all fields.
    Scan,
    /// Reads the newest rows by key, newest first.
    Latest {
        /// Rows that are asked for.
        rows: u32,
    },
    /// Reads several rows by their primary keys in one operation.
    MultiRead {
        /// Rows that one operation asks for.
        rows: u32,
    },
    /// Adds 1 to a counter, which is made where there is none.
    Increment,
    /// Reads all rows whose value in one column lies in a range.
    Search(Search),
}

impl Action {
    /// Its kind.
    pub fn operation(&self) -> Operation {
        match self {
            Action::Insert { .. } => Operation::Insert,
            Action::Read => Operation::Read,
            Action::Update => Operation::Update,
            Action::Delete => Operation::Delete,
            Action::Scan => Operation::Scan,
            Action::Latest { .. } => Operation::Latest,
            Action::MultiRead { .. } => Operation::MultiRead,
            Action::Increment => Operation::Increment,
            Action::Search(_) => Operation::Search,
        }
    }
}

/// One part of a mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What is done.
    pub action: Action,
    /// Share, relative to the sum of all shares; above 0.
    pub share: u32,
}

/// Several kinds of operations in one phase. It has at least one part, and no kind twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    parts: Vec<Part>,
    /// Path of the kinds stream, which decides; absent in a plan.
    pub kinds_stream: Option<String>,
}

impl Mix {
    /// A mix of actions with their shares. Fails where there are none, one has no share, or a kind stands there twice.
    pub fn new(parts: impl IntoIterator<Item = (Action, u32)>) -> Result<Mix, PhaseError> {
        let parts: Vec<Part> = parts.into_iter().map(|(action, share)| Part { action, share }).collect();
        if parts.is_empty() {
            return Err(PhaseError::NoParts);
        }
        for (at, part) in parts.iter().enumerate() {
            let operation = part.action.operation();
            if part.share == 0 {
                return Err(PhaseError::NoShare(operation));
            }
            if parts[..at].iter().any(|earlier| earlier.action.operation() == operation) {
                return Err(PhaseError::Twice(operation));
            }
        }
        Ok(Mix { parts, kinds_stream: None })
    }

    /// The mix with the path of its kinds stream.
    pub fn with_kinds_stream(self, path: impl Into<String>) -> Mix {
        Mix { kinds_stream: Some(path.into()), ..self }
    }

    /// The parts, in their order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Kinds and shares, as the kinds stream is drawn from them.
    pub fn shares(&self) -> Vec<(Operation, u32)> {
        self.parts.iter().map(|part| (part.action.operation(), part.share)).collect()
    }
}

/// Why there is no such phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseError {
    /// Nothing ends it.
    #[error("it has no end; give 'count', 'duration_ns' or both")]
    NoEnd,
    /// An operation lacks what it asks for.
    #[error("it has the operation '{operation}', but no '{key}'; give it")]
    Lacks {
        /// The operation.
        operation: Operation,
        /// What is missing.
        key: &'static str,
    },
    /// A number that must be above 0.
    #[error("'{0}' is 0; give at least 1")]
    Zero(&'static str),
    /// A mix of nothing.
    #[error("it is a mix without parts; give 'mix' at least one operation with a share above 0")]
    NoParts,
    /// A part that never comes.
    #[error("the mix gives '{0}' no share; give at least 1")]
    NoShare(Operation),
    /// A kind that stands in the mix twice.
    #[error("the mix has '{0}' twice; give each operation once")]
    Twice(Operation),
    /// An operation that has no place in a mix.
    #[error("'{0}' has no place in a mix; give it a phase of its own")]
    NotInMix(Operation),
    /// Work that takes no schedule.
    #[error("'{0}' has no planned starts; leave 'rate' out")]
    NoSchedule(Operation),
    /// Work between whose operations no connection waits.
    #[error("with '{0}' a connection does not wait between operations; leave 'think_ns' out")]
    NoThink(&'static str),
    /// Something of a phase of programs that is no work for a program.
    #[error("a program does not do '{0}'; let it load, or read without writing")]
    NotInProgram(Operation),
    /// What is wrong with a named phase.
    #[error("phase '{name}': {error}")]
    In {
        /// Name of the phase.
        name: String,
        /// What is wrong.
        error: Box<PhaseError>,
    },
}

impl Phase {
    /// A phase with the defaults of the protocol: one connection, one operation at a time, rows in their order.
    pub fn new(name: &str, work: impl Into<Work>, end: End) -> Phase {
        Phase {
            name: name.to_string(),
            work: work.into(),
            end,
            warmup: None,
            connections: 1,
            depth: 1,
            batch: 1,
            distribution: Distribution::Sequential,
            rows_stream: None,
            commit_every: 1,
            read_scope: ReadScope::Each,
            connect: Connect::Once,
            on_loss: LossPolicy::GiveUp,
            schedule: None,
            think_ns: None,
            counts_losses: false,
        }
    }

    /// The phase at another rate and for another time.
    pub fn at_rate(&self, rate: u32, duration_ns: u64) -> Phase {
        let schedule = self.schedule.clone().map(|schedule| Schedule { rate, rate_to: None, ..schedule });
        Phase { schedule, end: End::DurationNs(duration_ns), ..self.clone() }
    }

    /// The kind of operation, or `mix`.
    pub fn operation(&self) -> Operation {
        match &self.work {
            Work::Load(_) => Operation::Load,
            Work::Open { .. } => Operation::Open,
            Work::One(action) => action.operation(),
            Work::Mix(_) => Operation::Mix,
            Work::Program(_) => Operation::Program,
        }
    }

    /// The actions of the phase or of its programs: one, those of its mix, or none where it loads or opens.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        let (one, parts): (Option<&Action>, &[Part]) = match &self.in_client().work {
            Work::Load(_) | Work::Open { .. } | Work::Program(_) => (None, &[]),
            Work::One(action) => (Some(action), &[]),
            Work::Mix(mix) => (None, &mix.parts),
        };
        one.into_iter().chain(parts.iter().map(|part| &part.action))
    }

    /// Whether its connections wait between operations, for a planned start or by themselves.
    pub fn waits(&self) -> bool {
        self.schedule.is_some() || self.think_ns.is_some()
    }

    /// What a client does: the phase itself, or that of its programs.
    pub fn in_client(&self) -> &Phase {
        match &self.work {
            Work::Program(phase) => phase,
            _ => self,
        }
    }

    /// The phase that each of its programs does, where it is one of programs.
    pub fn program(&self) -> Option<&Phase> {
        match &self.work {
            Work::Program(phase) => Some(phase),
            _ => None,
        }
    }

    /// Rows that each of its operations `open` reads, where it opens.
    pub fn open_rows(&self) -> Option<u32> {
        match self.in_client().work {
            Work::Open { rows } => Some(rows),
            _ => None,
        }
    }

    /// Whether `operation` is done in this phase, or in its programs.
    pub fn does(&self, operation: Operation) -> bool {
        self.operation() == operation
            || self.in_client().operation() == operation
            || self.actions().any(|action| action.operation() == operation)
    }

    /// How rows are sent, where the phase loads.
    pub fn load(&self) -> Option<Load> {
        self.loading().map(|loading| loading.load)
    }

    /// Where the rows come from that it, or its programs, load.
    pub fn rows_from(&self) -> &RowsFrom {
        self.in_client().loading().map_or(&RowsFrom::Memory, |loading| &loading.rows_from)
    }

    /// What it writes and how, where the phase loads.
    pub fn loading(&self) -> Option<&Loading> {
        match &self.work {
            Work::Load(loading) => Some(loading),
            _ => None,
        }
    }

    /// The mix, where it is one.
    pub fn mix(&self) -> Option<&Mix> {
        match &self.work {
            Work::Mix(mix) => Some(mix),
            _ => None,
        }
    }

    /// First row that its inserts write, where it inserts.
    pub fn first_row(&self) -> Option<u64> {
        self.actions().find_map(|action| match action {
            Action::Insert { first_row } => Some(*first_row),
            _ => None,
        })
    }

    /// Rows that its inserts may write at most, the warm-up's included: ranges of this length cannot meet, however many
    /// operations fit into their time. Warm-up and measured operations are both rounded up to whole rounds of the connections.
    pub fn inserts_at_most(&self) -> u64 {
        if let Some(schedule) = &self.schedule {
            // One connection may do all of them, and its rows are as far apart as there are connections.
            let warmup = schedule.of_warmup().most_starts_in(schedule.warmup_ns(self.warmup));
            let starts = warmup.saturating_add(schedule.most_starts_in(self.end.duration_ns().unwrap_or(0)));
            return starts.saturating_add(2).saturating_mul(self.connections.into());
        }
        let warmup = match self.warmup {
            None => 0,
            Some(Warmup::Count(count)) => count,
            Some(Warmup::DurationNs(_)) => MOST_TIMED_INSERTS,
        };
        warmup + self.end.count().unwrap_or(MOST_TIMED_INSERTS) + 2 * u64::from(self.connections)
    }

    /// Rows that its `latest` asks for, where it has one.
    pub fn latest_rows(&self) -> Option<u32> {
        self.actions().find_map(|action| match action {
            Action::Latest { rows } => Some(*rows),
            _ => None,
        })
    }

    /// Rows that each of its multi-reads asks for, where it has some.
    pub fn multi_read_rows(&self) -> Option<u32> {
        self.actions().find_map(|action| match action {
            Action::MultiRead { rows } => Some(*rows),
            _ => None,
        })
    }

    /// What it searches for, where it does.
    pub fn search(&self) -> Option<&Search> {
        self.actions().find_map(|action| match action {
            Action::Search(search) => Some(search),
            _ => None,
        })
    }

    /// Whether the phase writes rows; increments write counters, which are apart from the rows.
    pub fn writes_rows(&self) -> bool {
        [Operation::Load, Operation::Insert, Operation::Update, Operation::Delete].iter().any(|kind| self.does(*kind))
    }

    /// Whether the phase writes anything.
    pub fn writes(&self) -> bool {
        self.writes_rows() || self.does(Operation::Increment)
    }

    /// Whether each of its writes waits for a commit of its own, whoever else commits at the same time.
    pub fn commits_each(&self) -> bool {
        let loads_many = self.load().is_some_and(|load| load != Load::Row);
        // A program commits as often as its own phase says.
        self.program().is_none() && self.writes() && self.commit_every == 1 && !loads_many
    }

    /// Whether each of its writes waits for a commit of its own and nobody else commits meanwhile, so that no two writes
    /// can share one.
    pub fn commits_alone(&self) -> bool {
        self.commits_each() && self.connections == 1 && self.depth == 1 && self.batch == 1
    }
}
