//! The phases of a study: every number is looked at here, before anything is started.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_protocol::operation::Warmup;
use kurabe_protocol::{
    Action, Connect, Distribution, End, Load, LoadPath, Loading, MAX_SAFE_INTEGER, Mix, Operation, Pattern, Phase,
    ReadScope, RowsFrom, Schema, Search, Work,
};
use kurabe_record::{Factor, Metric, PhasePlan, RateSearch, Slo};
use serde::Deserialize;

use crate::actions::{WireAction, check_actions};
use crate::error::{StudyError, named, quoted, range};
use crate::toml_text;
use crate::words::parse_duration;

pub(crate) use fits::check_in_hand;
use fits::{check_losses, check_rows_of_job, check_search};
use program::check_order;
pub(crate) use source::{check_gives_rows, check_rows_from, check_source};

mod fits;
mod program;
mod schedule;
mod source;

/// A `[[phase]]` of a study, as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WirePhase {
    #[serde(default)]
    name: Option<String>,
    pub(crate) operation: Operation,
    #[serde(default)]
    count: Option<u64>,
    #[serde(default)]
    count_at_most: Option<u64>,
    #[serde(default)]
    duration: Option<String>,
    #[serde(default)]
    warmup: Option<String>,
    #[serde(default)]
    warmup_count: Option<u64>,
    #[serde(default)]
    pub(crate) rate: Option<u32>,
    #[serde(default)]
    rate_to: Option<u32>,
    #[serde(default)]
    think: Option<String>,
    #[serde(default)]
    pattern: Option<Pattern>,
    #[serde(default)]
    queue: Option<u32>,
    #[serde(default = "one")]
    pub(crate) connections: u32,
    #[serde(default = "one")]
    pub(crate) depth: u32,
    #[serde(default = "one")]
    pub(crate) batch: u32,
    #[serde(default)]
    pub(crate) distribution: Distribution,
    #[serde(default)]
    mix: BTreeMap<Operation, u32>,
    #[serde(default = "one")]
    pub(crate) commit_every: u32,
    #[serde(default)]
    pub(crate) load_path: LoadPath,
    #[serde(default)]
    pub(crate) batch_rows: Option<u32>,
    #[serde(default)]
    pub(crate) read_scope: ReadScope,
    #[serde(default)]
    pub(crate) connect: Connect,
    #[serde(default)]
    pub(crate) latest_rows: Option<u32>,
    #[serde(default)]
    pub(crate) multi_read_rows: Option<u32>,
    #[serde(default)]
    open_rows: Option<OpenRows>,
    #[serde(default)]
    passes: Option<u32>,
    #[serde(default)]
    pub(crate) rows_from: RowsFrom,
    #[serde(default)]
    program: Option<Box<WirePhase>>,
    #[serde(default)]
    pub(crate) search: Option<Search>,
    #[serde(default)]
    pub(crate) need: Option<String>,
    #[serde(default)]
    pub(crate) slo: Option<Slo>,
    #[serde(default)]
    deciding: bool,
    #[serde(default)]
    rank_by: Option<Metric>,
    #[serde(default)]
    actions: Vec<WireAction>,
    #[serde(default)]
    pub(crate) counts_losses: bool,
}

fn one() -> u32 {
    1
}

/// How many rows an `open` reads: a number, or the word `all`.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum OpenRows {
    Number(u32),
    Word(All),
}

/// The word `all`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum All {
    All,
}

impl OpenRows {
    /// Of so many.
    fn of(self, rows: u64) -> u32 {
        match self {
            OpenRows::Number(number) => number,
            OpenRows::Word(All::All) => u32::try_from(rows).unwrap_or(u32::MAX),
        }
    }
}

/// A rate, for mistakes around one.
const A_RATE: &str = "rate = 2000";
/// A mix, for mistakes in one.
const A_MIX: &str = "mix = { read = 95, update = 5 }";
/// Most passes of a load.
const MAX_PASSES: u64 = 10_000;
/// Most rows that an `open` reads.
const MAX_OPEN_ROWS: u64 = 1_000_000;
/// Rows of a multi-read where a study does not say.
const MULTI_READ_ROWS: u32 = 10;
/// Rows that `latest` asks for where a study does not say.
const LATEST_ROWS: u32 = 100;
/// Rows of a batch where a study does not say.
const BATCH_ROWS: u32 = 100;
/// Most connections of a phase.
pub(crate) const MAX_CONNECTIONS: u64 = 10_000;
/// Most operations that a connection has under way, or sends together.
pub(crate) const MAX_UNDER_WAY: u64 = 10_000;
/// Most operations a second that a phase plans.
pub(crate) const MAX_RATE: u64 = 10_000_000;
/// Most operations that may wait for a connection.
const MAX_QUEUE: u64 = 10_000_000;
/// Most rows of one request that loads.
pub(crate) const MAX_BATCH_ROWS: u64 = 100_000;
/// Most rows that one operation asks for: by their keys, and as the newest.
pub(crate) const MAX_MULTI_READ_ROWS: u64 = 10_000;
pub(crate) const MAX_LATEST_ROWS: u64 = 1_000_000;
/// Largest share of a mix: the sum of all of them stays a number of 32 bits.
const MAX_SHARE: u32 = 1_000_000;

impl WirePhase {
    /// Its name in the study: that which was given, else what it does.
    pub(crate) fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.operation.to_string())
    }

    pub(crate) fn does(&self, operation: Operation) -> bool {
        self.operation == operation
            || self.mix.get(&operation).is_some_and(|share| *share > 0)
            || self.program.as_ref().is_some_and(|program| program.does(operation))
    }

    pub(crate) fn writes(&self) -> bool {
        use Operation::{Delete, Increment, Insert, Load, Update};
        [Load, Insert, Update, Delete, Increment].into_iter().any(|kind| self.does(kind))
    }

    /// Whether a distribution says which rows it is about.
    pub(crate) fn chooses_rows(&self) -> bool {
        use Operation::{Delete, Increment, MultiRead, Open, Read, Search, Update};
        [Read, Update, Delete, MultiRead, Increment, Search, Open].into_iter().any(|kind| self.does(kind))
    }
}

/// A phase while variations are laid over it: that of the study, or one of several that axes made of it.
#[derive(Clone)]
pub(crate) struct DraftPhase {
    /// Its keys, as they are written.
    pub(crate) table: toml::Table,
    /// The same, read.
    pub(crate) wire: WirePhase,
    /// Name in the study, where an axis made several of it.
    base: Option<String>,
    factors: Vec<Factor>,
}

impl DraftPhase {
    /// A phase that no axis made.
    pub(crate) fn new(table: toml::Table, wire: WirePhase) -> DraftPhase {
        DraftPhase { table, wire, base: None, factors: Vec::new() }
    }

    pub(crate) fn study_name(&self) -> String {
        self.base.clone().unwrap_or_else(|| self.wire.shown_name())
    }

    /// Gives it keys of a phase. With an `operation` it is other work, which keeps nothing of the old but what it is
    /// called and how it is ranked.
    pub(crate) fn set(&mut self, keys: &toml::Table) -> Result<(), Message> {
        let name = self.wire.shown_name();
        if keys.contains_key("operation") {
            let kept = ["name", "deciding", "rank_by"];
            self.table.retain(|key, _| kept.contains(&key));
        }
        self.table.entry("name").or_insert_with(|| toml::Value::String(name.clone()));
        if keys.contains_key("rate") {
            // One rate takes the place of a ramp, and planned starts that of think time.
            ["rate_to", "think"].iter().for_each(|key| drop(self.table.remove(*key)));
        }
        self.table.extend(keys.clone());
        if keys.get("load_path").and_then(toml::Value::as_str) == Some("row") {
            // Of one row a request there is no number of rows.
            self.table.remove("batch_rows");
        }
        let before = self.wire.operation;
        self.wire = toml_text::of_table(&self.table)?;
        if (before == Operation::Load) != (self.wire.operation == Operation::Load) {
            let (part, problem) = (named("phase", &name), message!(study_phase_load_change));
            return Err(message!(study_in_part, part, problem));
        }
        Ok(())
    }

    /// Whether it decides, and its operations can have planned starts.
    pub(crate) fn can_have_a_rate(&self) -> bool {
        let wire = &self.wire;
        let waits = !matches!(wire.operation, Operation::Load | Operation::Open | Operation::Program);
        waits && wire.deciding && wire.batch <= 1 && wire.slo.is_none()
    }

    /// Gives it a rate. Where it has a number of operations, it gets the time in which these are planned.
    pub(crate) fn set_rate(&mut self, rate: u32) -> Result<(), Message> {
        let count = self.wire.count.or(self.wire.count_at_most);
        let counted = count.map(|count| format!("{}ms", (count * 1_000).div_ceil(u64::from(rate)).max(1)));
        ["count", "count_at_most"].iter().for_each(|key| drop(self.table.remove(*key)));
        let mut keys = toml::Table::from_iter([("rate".to_string(), toml::Value::Integer(rate.into()))]);
        if let Some(time) = counted.filter(|_| self.wire.duration.is_none()) {
            keys.insert("duration".into(), toml::Value::String(time));
        }
        self.set(&keys)
    }

    /// One of several that an axis makes of it: its name tells the value.
    pub(crate) fn at(&self, factor: Factor) -> DraftPhase {
        let mut one = self.clone();
        one.wire.name = Some(format!("{}-{}", self.wire.shown_name(), factor.value));
        one.table.insert("name".into(), toml::Value::String(one.wire.shown_name()));
        one.base = Some(self.study_name());
        one.factors.push(factor);
        one
    }
}

/// By what number the rows must be divided, so that the connections of each phase share them evenly.
pub(crate) fn shared_by<'a>(origin: &str, phases: impl IntoIterator<Item = &'a WirePhase>) -> Result<u32, StudyError> {
    let all = phases.into_iter().try_fold(1u32, |all, phase| lcm(all, phase.connections.max(1)));
    all.ok_or_else(|| StudyError::value(origin, message!(study_phase_no_common_rows)))
}

/// The least common multiple; `None` where it is too large.
fn lcm(a: u32, b: u32) -> Option<u32> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The phases over so many rows, which `connections` divides, all of them checked.
pub(crate) fn check_phases(
    origin: &str,
    phases: &[DraftPhase],
    schema: &Schema,
    rows: u64,
    connections: u32,
) -> Result<Vec<PhasePlan>, StudyError> {
    let mut plans: Vec<PhasePlan> = Vec::new();
    let mut first_row = rows;
    for draft in phases {
        let name = draft.wire.shown_name();
        if plans.iter().any(|plan| plan.phase.name == name) {
            return Err(StudyError::value(origin, message!(study_twice, named = named("phase", &name))));
        }
        let checked = Checked { origin, wire: &draft.wire, rows, first_row };
        let plan = checked.plan(&name, draft, &plans, schema, connections);
        let plan = plan.map_err(|error| error.within(origin, named("phase", &name)))?;
        first_row = plan.1;
        plans.push(plan.0);
    }
    Ok(plans)
}

/// A key of a phase as it was given.
struct Key {
    name: &'static str,
    /// The operation that it belongs to, where that is one alone.
    of: Option<Operation>,
    given: bool,
    /// Its number, where it is one: from 1 to `most`.
    number: Option<u32>,
    most: u64,
}

/// A phase that is being checked.
struct Checked<'a> {
    origin: &'a str,
    wire: &'a WirePhase,
    rows: u64,
    /// First row that its inserts write, if it has some.
    first_row: u64,
}

impl Checked<'_> {
    fn problem<T>(&self, problem: Message) -> Result<T, StudyError> {
        Err(StudyError::value(self.origin, problem))
    }

    /// The phase behind others, and the first row that one behind it may insert.
    fn plan(
        &self,
        name: &str,
        draft: &DraftPhase,
        before: &[PhasePlan],
        schema: &Schema,
        connections: u32,
    ) -> Result<(PhasePlan, u64), StudyError> {
        let (origin, wire) = (self.origin, self.wire);
        let phase = self.phase(name)?;
        check_order(origin, before, &phase)?;
        check_losses(origin, before, &phase, self.rows)?;
        if let Some(search) = phase.search() {
            check_search(origin, search, schema, self.rows)?;
        }
        let next_row = match phase.does(Operation::Insert) {
            // A row's number tells its worker in every phase, whatever its connections.
            true => (self.first_row + phase.inserts_at_most()).next_multiple_of(u64::from(connections)),
            false => self.first_row,
        };
        check_rows_of_job(origin, schema, next_row)?;
        if wire.counts_losses && !wire.actions.is_empty() {
            return self.problem(message!(study_either, keys = ["counts_losses", "actions"]));
        }
        let actions = check_actions(origin, &wire.actions, &phase, wire.deciding || wire.need.is_some())?;
        let plan = PhasePlan {
            phase,
            actions,
            deciding: wire.deciding,
            rank_by: self.rank_by()?,
            // What the study needs of it is known where all of the study is.
            need_per_s: None,
            base: draft.base.clone(),
            factors: draft.factors.clone(),
            rate_search: wire.slo.map(|slo| RateSearch { slo, begins_at: None }),
        };
        Ok((plan, next_row))
    }

    /// Where a search says what it searches for.
    fn search_place<T>(&self) -> Result<T, StudyError> {
        let (first, second) =
            ("search = { field = \"price\", rows = 100 }", "search = { field = \"kind\", at_least = 2 }");
        let example = message!(study_example_or, first, second);
        let place = "operation = \"search\"";
        self.problem(message!(study_belongs_as, key = "search", place, example))
    }

    fn phase(&self, name: &str) -> Result<Phase, StudyError> {
        let wire = self.wire;
        let duration_ns = wire.duration.as_deref().map(|text| parse_duration(self.origin, text)).transpose()?;
        if wire.operation == Operation::Program {
            return self.programs(name);
        }
        let Some(end) = End::of(self.count()?, duration_ns) else {
            return self.problem(message!(study_phase_no_end));
        };
        if duration_ns == Some(0) {
            return self.problem(message!(study_phase_zero));
        }
        let warmup = self.warmup()?;
        self.check_numbers()?;
        self.check_places()?;
        Ok(Phase {
            warmup,
            schedule: self.schedule(end)?,
            think_ns: self.think_ns(end)?,
            connections: wire.connections,
            depth: wire.depth,
            batch: wire.batch,
            distribution: wire.distribution,
            commit_every: wire.commit_every,
            read_scope: wire.read_scope,
            connect: wire.connect,
            counts_losses: wire.counts_losses,
            ..Phase::new(name, self.work()?, end)
        })
    }

    /// Its keys that are numbers, or belong to one operation.
    fn keys(&self) -> [Key; 15] {
        use Operation::{Latest, Load, MultiRead, Open, Program};
        let wire = self.wire;
        let word = |name, of, given| Key { name, of: Some(of), given, number: None, most: 0 };
        let number = |name, of, number: Option<u32>, most| Key { name, of, given: number.is_some(), number, most };
        [
            number("connections", None, Some(wire.connections), MAX_CONNECTIONS),
            number("depth", None, Some(wire.depth), MAX_UNDER_WAY),
            number("batch", None, Some(wire.batch), MAX_UNDER_WAY),
            number("rate", None, wire.rate, MAX_RATE),
            number("rate_to", None, wire.rate_to, MAX_RATE),
            number("queue", None, wire.queue, MAX_QUEUE),
            number("commit_every", None, Some(wire.commit_every), u64::from(u32::MAX)),
            number("batch_rows", Some(Load), wire.batch_rows, MAX_BATCH_ROWS),
            number("latest_rows", Some(Latest), wire.latest_rows, MAX_LATEST_ROWS),
            number("multi_read_rows", Some(MultiRead), wire.multi_read_rows, MAX_MULTI_READ_ROWS),
            number("open_rows", Some(Open), self.open_rows(), MAX_OPEN_ROWS),
            number("passes", Some(Load), wire.passes, MAX_PASSES),
            word("load_path", Load, wire.load_path != LoadPath::Row),
            word("rows_from", Load, wire.rows_from != RowsFrom::Memory),
            word("program", Program, wire.program.is_some()),
        ]
    }

    /// What stands there belongs to what the phase does.
    fn check_places(&self) -> Result<(), StudyError> {
        let wire = self.wire;
        if (wire.operation == Operation::Mix) == wire.mix.is_empty() {
            return self.problem(message!(
                study_belongs_as,
                key = "mix",
                place = "operation = \"mix\"",
                example = A_MIX
            ));
        }
        let own = |operation| wire.operation == operation || wire.mix.get(&operation).is_some_and(|share| *share > 0);
        let foreign = |key: &Key| key.of.filter(|operation| key.given && !own(*operation)).map(|of| (key.name, of));
        match self.keys().iter().find_map(foreign) {
            Some((key, operation)) => self.problem(message!(study_phase_foreign_key, key, operation)),
            None if wire.batch_rows.is_some() && wire.load_path == LoadPath::Row => {
                let place = "load_path = \"batch\" or \"bulk\"";
                self.problem(message!(study_belongs, key = "batch_rows", place))
            }
            None if wire.passes.is_some_and(|passes| passes > 1) && wire.load_path != LoadPath::Row => {
                self.problem(message!(study_phase_passes))
            }
            None if wire.rows_from != RowsFrom::Memory && wire.connections > 1 => {
                self.problem(message!(study_phase_one_connection))
            }
            None if wire.search.is_some() && !self.does(Operation::Search) => self.search_place(),
            None => Ok(()),
        }
    }

    fn work(&self) -> Result<Work, StudyError> {
        let wire = self.wire;
        Ok(match wire.operation {
            Operation::Load => {
                let load = Load::by(wire.load_path, wire.batch_rows.unwrap_or(BATCH_ROWS));
                let passes = wire.passes.unwrap_or(1);
                Loading { load, passes, rows_from: wire.rows_from.clone() }.into()
            }
            Operation::Open => Work::Open { rows: self.open_rows().unwrap_or(1) },
            Operation::Mix => self.mix()?.into(),
            one => self.action(one)?.into(),
        })
    }

    /// The action of an operation, with what the study says of it or leaves to its default.
    fn action(&self, operation: Operation) -> Result<Action, StudyError> {
        let wire = self.wire;
        Ok(match operation {
            Operation::Insert => Action::Insert { first_row: self.first_row },
            Operation::Read => Action::Read,
            Operation::Update => Action::Update,
            Operation::Delete => Action::Delete,
            Operation::Scan => Action::Scan,
            Operation::Latest => Action::Latest { rows: wire.latest_rows.unwrap_or(LATEST_ROWS) },
            Operation::MultiRead => Action::MultiRead { rows: wire.multi_read_rows.unwrap_or(MULTI_READ_ROWS) },
            Operation::Increment => Action::Increment,
            Operation::Search => match &wire.search {
                Some(search) => Action::Search(search.clone()),
                None => return self.search_place(),
            },
            Operation::Load | Operation::Open | Operation::Mix | Operation::Program => {
                return self.problem(message!(study_phase_mix_operations));
            }
        })
    }

    fn open_rows(&self) -> Option<u32> {
        self.wire.open_rows.map(|rows| rows.of(self.rows))
    }

    fn count(&self) -> Result<Option<u64>, StudyError> {
        let wire = self.wire;
        let count = match wire.operation {
            Operation::Load if wire.count.is_some() || wire.count_at_most.is_some() || wire.duration.is_some() => {
                return self.problem(message!(study_phase_load_count));
            }
            Operation::Load => Some(self.rows * u64::from(wire.passes.unwrap_or(1).max(1))),
            _ if wire.count.is_some() && wire.count_at_most.is_some() => {
                return self.problem(message!(study_either, keys = ["count", "count_at_most"]));
            }
            _ if wire.counts_losses && wire.duration.is_none() => wire.count.or(Some(self.rows)),
            _ => wire.count.or(wire.count_at_most.map(|most| most.min(self.rows))),
        };
        match count {
            Some(0) => self.problem(message!(study_phase_zero)),
            Some(count) if count > MAX_SAFE_INTEGER => self.problem(range("count", 1, MAX_SAFE_INTEGER, count)),
            count => Ok(count),
        }
    }

    /// A warm-up of nothing is none.
    fn warmup(&self) -> Result<Option<Warmup>, StudyError> {
        let warmup = match (&self.wire.warmup, self.wire.warmup_count) {
            (Some(_), Some(_)) => return self.problem(message!(study_either, keys = ["warmup", "warmup_count"])),
            (Some(text), None) => Some(parse_duration(self.origin, text)?).filter(|ns| *ns > 0).map(Warmup::DurationNs),
            (None, Some(count)) if count > MAX_SAFE_INTEGER => {
                return self.problem(range("warmup_count", 0, MAX_SAFE_INTEGER, count));
            }
            (None, count) => count.filter(|count| *count > 0).map(Warmup::Count),
        };
        if warmup.is_some() && self.wire.operation == Operation::Load {
            return self.problem(message!(study_phase_load_warmup));
        }
        Ok(warmup)
    }

    fn check_numbers(&self) -> Result<(), StudyError> {
        let wrong = |key: Key| Some((key.name, key.number.filter(|n| *n == 0 || u64::from(*n) > key.most)?, key.most));
        if let Some((key, number, most)) = self.keys().into_iter().find_map(wrong) {
            return self.problem(range(key, 1, most, number));
        }
        if self.wire.depth > 1 && self.wire.batch > 1 {
            return self.problem(message!(study_either, keys = ["depth", "batch"]));
        }
        Ok(())
    }

    /// The mix, of the parts that have a share.
    fn mix(&self) -> Result<Mix, StudyError> {
        let mix = &self.wire.mix;
        if let Some((operation, share)) = mix.iter().find(|(_, share)| **share > MAX_SHARE) {
            return self.problem(range(&format!("mix.{operation}"), 0, MAX_SHARE.into(), share));
        }
        let alone = [Operation::Load, Operation::Open, Operation::Mix, Operation::Program];
        if mix.keys().any(|kind| alone.contains(kind)) {
            return self.problem(message!(study_phase_mix_operations));
        }
        let parts = mix.iter().filter(|(_, share)| **share > 0);
        let part = |(operation, share): (&Operation, &u32)| Ok((self.action(*operation)?, *share));
        let parts: Vec<(Action, u32)> = parts.map(part).collect::<Result<_, StudyError>>()?;
        if parts.is_empty() {
            return self.problem(message!(study_phase_mix_zero, example = A_MIX));
        }
        Mix::new(parts).or_else(|error| self.problem(quoted(error)))
    }

    fn does(&self, operation: Operation) -> bool {
        self.wire.does(operation)
    }
}
