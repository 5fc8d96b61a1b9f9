//! The phases of a case, made from what a client says that its store can do.

use kurabe_protocol::{Action, Capabilities, Distribution, InsertMode, Load, Operation, Phase, Schema, Search, Work};
use kurabe_testkit::Workbench;

use crate::Outcome;
use crate::fixture::{ROWS, words};

/// Operations of most phases.
const SOME: u64 = 400;
/// Rows that the phase `insert` adds.
pub const INSERTED: u64 = 200;
/// Rows that the phase `delete` removes.
pub const DELETED: u64 = 100;

/// Makes phases over [`ROWS`] rows.
#[derive(Clone, Copy)]
pub struct Phases<'a> {
    pub bench: &'a Workbench,
    pub capabilities: &'a Capabilities,
    pub connections: u32,
    pub commit_every: u32,
}

impl Phases<'_> {
    fn can(&self, operation: Operation) -> bool {
        self.capabilities.operations.contains(&operation)
    }

    fn one(&self, name: &str, work: impl Into<Work>, distribution: Distribution, count: u64) -> Phase {
        let count = count.next_multiple_of(u64::from(self.connections));
        let mut phase = self.bench.phase(name, work, distribution, count);
        (phase.connections, phase.commit_every) = (self.connections, self.commit_every);
        phase
    }

    /// The load.
    pub fn load(&self) -> Phase {
        self.one("load", Load::Row, Distribution::Sequential, u64::from(ROWS))
    }

    /// Every row is read once; `name` tells when.
    pub fn read_all(&self, name: &str) -> Phase {
        self.one(name, Action::Read, Distribution::Sequential, u64::from(ROWS))
    }

    /// Everything that reads, with names that end in `when`: all rows in their order, and some by each of
    /// `distributions`.
    pub fn reads(&self, when: &str, schema: &Schema, distributions: &[Distribution]) -> Vec<Phase> {
        use Distribution::{Sequential, Zipfian};
        let name = |what: &str| format!("{what}-{when}");
        let few = u64::from(self.connections) * 2;
        let mut phases = Vec::new();
        if self.can(Operation::Read) {
            phases.push(self.read_all(&name("read")));
            phases.extend(distributions.iter().map(|distribution| {
                let what = name(&format!("read-{distribution}"));
                self.one(&what, Action::Read, *distribution, SOME)
            }));
        }
        if self.can(Operation::MultiRead) {
            phases.push(self.one(&name("multi-read"), Action::MultiRead { rows: 10 }, Zipfian, SOME / 4));
        }
        if self.can(Operation::Scan) {
            phases.push(self.one(&name("scan"), Action::Scan, Sequential, few));
        }
        if self.can(Operation::Latest) {
            phases.push(self.one(&name("latest"), Action::Latest { rows: 50 }, Sequential, few));
        }
        phases.extend(self.search(&name("search"), schema));
        phases
    }

    /// Each connection opens the store once, where it can, and reads a row that may have been written: some drivers
    /// take half a second.
    pub fn open(&self) -> Option<Phase> {
        let count = u64::from(self.connections);
        self.can(Operation::Open).then(|| self.one("open", Work::Open { rows: 1 }, Distribution::Uniform, count))
    }

    fn search(&self, name: &str, schema: &Schema) -> Option<Phase> {
        let field = schema.values().iter().find(|field| field.field_type == kurabe_protocol::FieldType::Int64)?;
        if !self.can(Operation::Search) {
            return None;
        }
        let search = Action::Search(match field.distinct {
            Some(distinct) => Search::at_least(&field.name, distinct.into()),
            None => Search::of_rows(&field.name, 30),
        });
        Some(self.one(name, search, Distribution::Uniform, 2 * u64::from(self.connections)))
    }

    /// Everything that writes, each followed by nothing: the caller reads.
    pub fn writes(&self) -> Outcome<Vec<Phase>> {
        use Distribution::{Sequential, Uniform, Zipfian};
        let mut phases = Vec::new();
        if self.can(Operation::Insert) {
            let insert = Action::Insert { first_row: ROWS.into() };
            phases.push(self.one("insert", insert, Sequential, INSERTED));
            if self.capabilities.insert == InsertMode::Exists {
                let existing = Action::Insert { first_row: u64::from(ROWS) / 2 };
                phases.push(self.one("insert-existing", existing, Sequential, DELETED));
            }
        }
        if self.can(Operation::Update) {
            phases.push(self.one("update", Action::Update, Zipfian, SOME));
        }
        if self.can(Operation::Delete) {
            phases.push(self.one("delete", Action::Delete, Sequential, DELETED));
            phases.push(self.one("delete-missing", Action::Delete, Sequential, DELETED / 2));
            if self.can(Operation::Update) {
                phases.push(self.one("update-missing", Action::Update, Sequential, DELETED / 2));
            }
        }
        if self.can(Operation::Increment) {
            // Transactions of several hot counters rightly end in deadlocks.
            let alone = Phases { commit_every: if self.connections > 1 { 1 } else { self.commit_every }, ..*self };
            phases.push(alone.one("increment", Action::Increment, Zipfian, SOME));
            phases.push(alone.one("increment-more", Action::Increment, Uniform, SOME / 2));
        }
        phases.extend(self.mix("mix", Distribution::Zipfian, 5_000)?);
        phases.extend(self.mix("mix-latest", Distribution::Latest, 10_000)?);
        Ok(phases)
    }

    fn mix(&self, name: &str, distribution: Distribution, first_row: u64) -> Outcome<Option<Phase>> {
        let parts = [
            (Action::Read, 40),
            (Action::Update, 20),
            (Action::Insert { first_row }, 15),
            (Action::Delete, 5),
            (Action::Increment, 10),
            (Action::MultiRead { rows: 3 }, 10),
        ];
        let parts: Vec<(Action, u32)> = parts.into_iter().filter(|(action, _)| self.can(action.operation())).collect();
        if parts.len() < 2 {
            return Ok(None);
        }
        let count = SOME.next_multiple_of(u64::from(self.connections));
        let mut phase = self.bench.mix(name, &parts, count).map_err(words)?;
        phase.rows_stream = self.bench.phase(name, Action::Read, distribution, count).rows_stream;
        (phase.distribution, phase.connections) = (distribution, self.connections);
        phase.commit_every = if self.connections > 1 { 1 } else { self.commit_every };
        Ok(Some(phase))
    }
}
