//! A phase as it stands on the wire and in records: flat. What does not belong to its operation is left aside, what the
//! operation needs must be there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, End, Load, Loading, Mix, Phase, PhaseError, RowsFrom, Work};
use crate::operation::{
    Connect, Distribution, LoadPath, LossPolicy, Operation, Pattern, ReadScope, Search, SearchRange, Warmup,
};
use crate::schedule::Schedule;

/// One kind of operation, or a mix, with its shape of load.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Phase")]
pub(super) struct WirePhase {
    /// Name, unique within the job.
    name: String,
    /// What is done.
    operation: Operation,
    /// End after this many operations over all workers. At least one of `count` and `duration_ns` is given; the first reached ends the
    /// phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// End after this time, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    /// Operations done and checked before the measured ones, of the same kind and by the same workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warmup: Option<Warmup>,
    /// Connections over all client processes; each is one worker.
    #[serde(default = "one")]
    connections: u32,
    /// Operations that a connection has under way at a time (pipelining).
    #[serde(default = "one")]
    depth: u32,
    /// Operations sent together and awaited together; every one of them has the latency of the whole.
    #[serde(default = "one")]
    batch: u32,
    /// How rows are chosen.
    #[serde(default)]
    distribution: Distribution,
    /// Path of the rows stream; absent for sequential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_stream: Option<String>,
    /// Path of the kinds stream of a mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kinds_stream: Option<String>,
    /// Shares of a mix, for the record; the stream decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mix: Vec<WirePart>,
    /// Commit after this many writes of a worker.
    #[serde(default = "one")]
    commit_every: u32,
    /// How `load` sends its rows.
    #[serde(default)]
    load_path: LoadPath,
    /// Rows in one request of the load path `batch`.
    #[serde(default = "one")]
    batch_rows: u32,
    /// How often `load` writes all rows; once where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passes: Option<u32>,
    /// Where the rows of `load` come from, inside the time of the phase; from memory where it is absent.
    #[serde(default, skip_serializing_if = "RowsFrom::is_memory")]
    rows_from: RowsFrom,
    /// What a read sees.
    #[serde(default)]
    read_scope: ReadScope,
    /// How long a connection is used; for the whole phase where it is absent.
    #[serde(default, skip_serializing_if = "is_once")]
    connect: Connect,
    /// What a client does where its connection is lost; it gives the store up where it is absent.
    #[serde(default, skip_serializing_if = "gives_up")]
    on_loss: LossPolicy,
    /// Operations a second over all connections, each with a planned start; absent where a worker starts its next operation when
    /// the one before it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<u32>,
    /// Operations a second at the end of the phase, to which the rate goes evenly; absent where it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate_to: Option<u32>,
    /// How long a connection waits after each answer before it asks again, in ns; only where there is no rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    think_ns: Option<u64>,
    /// How the planned starts follow each other.
    #[serde(default, skip_serializing_if = "is_usual")]
    pattern: Pattern,
    /// Operations that may wait for a free connection; what comes while so many wait is dropped. No limit where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<u32>,
    /// Path of the gaps stream of the pattern `poisson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gaps_stream: Option<String>,
    /// Whether what reads find missing or too old is a loss that a kill before it may have taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    counts_losses: bool,
    /// Rows that `latest` asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latest_rows: Option<u32>,
    /// Rows that one `multi-read` asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multi_read_rows: Option<u32>,
    /// Rows that one `open` reads; one where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_rows: Option<u32>,
    /// The phase that each `program` does; the harness keeps it to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Box<WirePhase>>,
    /// What `search` asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    search: Option<Search>,
    /// First row that an insert writes; the harness keeps the ranges of phases apart.
    #[serde(default)]
    first_row: u64,
}

fn one() -> u32 {
    1
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_usual(pattern: &Pattern) -> bool {
    *pattern == Pattern::default()
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_once(connect: &Connect) -> bool {
    *connect == Connect::Once
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn gives_up(on_loss: &LossPolicy) -> bool {
    *on_loss == LossPolicy::GiveUp
}

/// One part of a mix.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Mix")]
struct WirePart {
    /// Kind of operation.
    operation: Operation,
    /// Share, relative to the sum of all shares.
    share: u32,
}

impl TryFrom<WirePhase> for Phase {
    type Error = PhaseError;

    fn try_from(wire: WirePhase) -> Result<Phase, PhaseError> {
        wire.phase().map_err(|error| PhaseError::In { name: wire.name.clone(), error: Box::new(error) })
    }
}

impl WirePhase {
    fn phase(&self) -> Result<Phase, PhaseError> {
        let numbers = [
            ("connections", self.connections),
            ("depth", self.depth),
            ("batch", self.batch),
            ("commit_every", self.commit_every),
        ];
        for (key, number) in numbers {
            above_zero(key, number)?;
        }
        Ok(Phase {
            name: self.name.clone(),
            work: self.work()?,
            end: End::of(self.count, self.duration_ns).ok_or(PhaseError::NoEnd)?,
            warmup: self.warmup,
            connections: self.connections,
            depth: self.depth,
            batch: self.batch,
            distribution: self.distribution,
            rows_stream: self.rows_stream.clone(),
            commit_every: self.commit_every,
            read_scope: self.read_scope,
            connect: self.connect,
            on_loss: self.on_loss,
            schedule: self.schedule()?,
            think_ns: self.think_ns()?,
            counts_losses: self.counts_losses,
        })
    }

    fn schedule(&self) -> Result<Option<Schedule>, PhaseError> {
        let Some(rate) = self.rate else { return Ok(None) };
        above_zero("rate", rate)?;
        let rate_to = self.rate_to.map(|rate| above_zero("rate_to", rate)).transpose()?;
        let (pattern, queue, gaps_stream) = (self.pattern, self.queue, self.gaps_stream.clone());
        match self.operation {
            Operation::Load | Operation::Open | Operation::Program => Err(PhaseError::NoSchedule(self.operation)),
            _ if self.duration_ns.is_none() => Err(PhaseError::Lacks { operation: self.operation, key: "duration_ns" }),
            _ => Ok(Some(Schedule { rate, rate_to, pattern, queue, gaps_stream })),
        }
    }

    fn think_ns(&self) -> Result<Option<u64>, PhaseError> {
        let waits_not = match self.operation {
            Operation::Load | Operation::Open | Operation::Program => Some(self.operation.word()),
            _ if self.rate.is_some() => Some("rate"),
            _ if self.depth > 1 => Some("depth"),
            _ if self.batch > 1 => Some("batch"),
            _ => None,
        };
        match waits_not.filter(|_| self.think_ns.is_some()) {
            Some(what) => Err(PhaseError::NoThink(what)),
            None => Ok(self.think_ns),
        }
    }

    fn work(&self) -> Result<Work, PhaseError> {
        Ok(match self.operation {
            Operation::Load => {
                above_zero("batch_rows", self.batch_rows)?;
                let passes = above_zero("passes", self.passes.unwrap_or(1))?;
                let load = Load::by(self.load_path, self.batch_rows);
                Loading { load, passes, rows_from: self.rows_from.clone() }.into()
            }
            Operation::Open => Work::Open { rows: above_zero("open_rows", self.open_rows.unwrap_or(1))? },
            Operation::Program => {
                let lacks = PhaseError::Lacks { operation: Operation::Program, key: "program" };
                let phase = self.program.as_ref().ok_or(lacks)?.phase()?;
                if phase.program().is_some() || (phase.writes() && phase.loading().is_none()) {
                    return Err(PhaseError::NotInProgram(phase.operation()));
                }
                Work::Program(Box::new(phase))
            }
            Operation::Mix => {
                // A part without a share never comes: it is none.
                let parts = self.mix.iter().filter(|part| part.share > 0);
                let part = |part: &WirePart| Ok((self.action(part.operation)?, part.share));
                let mix = Mix::new(parts.map(part).collect::<Result<Vec<_>, PhaseError>>()?)?;
                Mix { kinds_stream: self.kinds_stream.clone(), ..mix }.into()
            }
            one => self.action(one)?.into(),
        })
    }

    /// The action of an operation that a mix may have.
    fn action(&self, operation: Operation) -> Result<Action, PhaseError> {
        let rows =
            |key: &'static str, rows: Option<u32>| above_zero(key, rows.ok_or(PhaseError::Lacks { operation, key })?);
        Ok(match operation {
            Operation::Insert => Action::Insert { first_row: self.first_row },
            Operation::Read => Action::Read,
            Operation::Update => Action::Update,
            Operation::Delete => Action::Delete,
            Operation::Scan => Action::Scan,
            Operation::Latest => Action::Latest { rows: rows("latest_rows", self.latest_rows)? },
            Operation::MultiRead => Action::MultiRead { rows: rows("multi_read_rows", self.multi_read_rows)? },
            Operation::Increment => Action::Increment,
            Operation::Search => {
                let search = self.search.clone().ok_or(PhaseError::Lacks { operation, key: "search" })?;
                if let SearchRange::Rows(rows) = search.wanted {
                    above_zero("search.rows", rows)?;
                }
                Action::Search(search)
            }
            Operation::Load | Operation::Open | Operation::Mix | Operation::Program => {
                return Err(PhaseError::NotInMix(operation));
            }
        })
    }
}

fn above_zero(key: &'static str, number: u32) -> Result<u32, PhaseError> {
    if number == 0 { Err(PhaseError::Zero(key)) } else { Ok(number) }
}

impl From<Phase> for WirePhase {
    fn from(phase: Phase) -> WirePhase {
        // What belongs to a phase of programs stands in theirs.
        let own = phase.program().is_none().then_some(&phase);
        let Loading { load, passes, rows_from } = phase.loading().cloned().unwrap_or_else(|| Load::Row.into());
        let mix = phase.mix();
        WirePhase {
            operation: phase.operation(),
            count: phase.end.count(),
            duration_ns: phase.end.duration_ns(),
            kinds_stream: mix.and_then(|mix| mix.kinds_stream.clone()),
            mix: mix
                .iter()
                .flat_map(|mix| mix.shares())
                .map(|(operation, share)| WirePart { operation, share })
                .collect(),
            load_path: load.path(),
            batch_rows: load.rows_at_a_time(),
            passes: Some(passes).filter(|passes| *passes > 1),
            rows_from,
            latest_rows: own.and_then(Phase::latest_rows),
            multi_read_rows: own.and_then(Phase::multi_read_rows),
            open_rows: own.and_then(Phase::open_rows).filter(|rows| *rows > 1),
            program: phase.program().map(|program| Box::new(program.clone().into())),
            search: own.and_then(Phase::search).cloned(),
            first_row: phase.first_row().unwrap_or(0),
            rate: phase.schedule.as_ref().map(|schedule| schedule.rate),
            rate_to: phase.schedule.as_ref().and_then(|schedule| schedule.rate_to),
            think_ns: phase.think_ns,
            pattern: phase.schedule.as_ref().map_or_else(Pattern::default, |schedule| schedule.pattern),
            queue: phase.schedule.as_ref().and_then(|schedule| schedule.queue),
            gaps_stream: phase.schedule.and_then(|schedule| schedule.gaps_stream),
            name: phase.name,
            warmup: phase.warmup,
            connections: phase.connections,
            depth: phase.depth,
            batch: phase.batch,
            distribution: phase.distribution,
            rows_stream: phase.rows_stream,
            commit_every: phase.commit_every,
            read_scope: phase.read_scope,
            connect: phase.connect,
            on_loss: phase.on_loss,
            counts_losses: phase.counts_losses,
        }
    }
}
