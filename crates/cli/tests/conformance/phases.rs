//! The phases of a case, made from what a client says that its store can do.

use kurabe_protocol::{Capabilities, Distribution, InsertMode, Operation, Phase, Schema, Search};
use kurabe_testkit::Workbench;

use crate::Outcome;
use crate::stand::{ROWS, words};

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

    fn one(&self, name: &str, operation: Operation, distribution: Distribution, count: u64) -> Phase {
        let count = count.next_multiple_of(u64::from(self.connections));
        let mut phase = self.bench.phase(name, operation, distribution, count);
        (phase.connections, phase.commit_every) = (self.connections, self.commit_every);
        phase
    }

    /// The load.
    pub fn load(&self) -> Phase {
        self.one("load", Operation::Load, Distribution::Sequential, u64::from(ROWS))
    }

    /// Every row is read once; `name` tells when.
    pub fn read_all(&self, name: &str) -> Phase {
        self.one(name, Operation::Read, Distribution::Sequential, u64::from(ROWS))
    }

    /// Everything that reads, with names that end in `when`: all rows in their order, and some by each of `distributions`.
    pub fn reads(&self, when: &str, schema: &Schema, distributions: &[Distribution]) -> Vec<Phase> {
        use Distribution::{Sequential, Zipfian};
        let name = |what: &str| format!("{what}-{when}");
        let few = u64::from(self.connections) * 2;
        let mut phases = Vec::new();
        if self.can(Operation::Read) {
            phases.push(self.read_all(&name("read")));
            phases.extend(distributions.iter().map(|distribution| {
                let what = name(&format!("read-{distribution:?}").to_lowercase());
                self.one(&what, Operation::Read, *distribution, SOME)
            }));
        }
        if self.can(Operation::MultiRead) {
            let mut many = self.one(&name("multi-read"), Operation::MultiRead, Zipfian, SOME / 4);
            many.multi_read_rows = Some(10);
            phases.push(many);
        }
        if self.can(Operation::Scan) {
            phases.push(self.one(&name("scan"), Operation::Scan, Sequential, few));
        }
        if self.can(Operation::Latest) {
            let mut latest = self.one(&name("latest"), Operation::Latest, Sequential, few);
            latest.latest_rows = Some(50);
            phases.push(latest);
        }
        phases.extend(self.search(&name("search"), schema));
        phases
    }

    /// Each connection opens the store once, where it can, and reads a row that may have been written: some drivers take
    /// half a second.
    pub fn open(&self) -> Option<Phase> {
        let count = u64::from(self.connections);
        self.can(Operation::Open).then(|| self.one("open", Operation::Open, Distribution::Uniform, count))
    }

    fn search(&self, name: &str, schema: &Schema) -> Option<Phase> {
        let field = schema.values().iter().find(|field| field.field_type == kurabe_protocol::FieldType::Int64)?;
        if !self.can(Operation::Search) {
            return None;
        }
        let mut phase = self.one(name, Operation::Search, Distribution::Uniform, 2 * u64::from(self.connections));
        phase.search = Some(Search { field: field.name.clone(), rows: 30 });
        Some(phase)
    }

    /// Everything that writes, each followed by nothing: the caller reads.
    pub fn writes(&self) -> Outcome<Vec<Phase>> {
        use Distribution::{Sequential, Uniform, Zipfian};
        let mut phases = Vec::new();
        let first = |mut phase: Phase, row: u64| {
            phase.first_row = row;
            phase
        };
        if self.can(Operation::Insert) {
            phases.push(first(self.one("insert", Operation::Insert, Sequential, INSERTED), u64::from(ROWS)));
            if self.capabilities.insert == InsertMode::Exists {
                let existing = self.one("insert-existing", Operation::Insert, Sequential, DELETED);
                phases.push(first(existing, u64::from(ROWS) / 2));
            }
        }
        if self.can(Operation::Update) {
            phases.push(self.one("update", Operation::Update, Zipfian, SOME));
        }
        if self.can(Operation::Delete) {
            phases.push(self.one("delete", Operation::Delete, Sequential, DELETED));
            phases.push(self.one("delete-missing", Operation::Delete, Sequential, DELETED / 2));
            if self.can(Operation::Update) {
                phases.push(self.one("update-missing", Operation::Update, Sequential, DELETED / 2));
            }
        }
        if self.can(Operation::Increment) {
            // Transactions of several hot counters rightly end in deadlocks.
            let alone = Phases { commit_every: if self.connections > 1 { 1 } else { self.commit_every }, ..*self };
            phases.push(alone.one("increment", Operation::Increment, Zipfian, SOME));
            phases.push(alone.one("increment-more", Operation::Increment, Uniform, SOME / 2));
        }
        phases.extend(self.mix("mix", Distribution::Zipfian, 5_000)?);
        phases.extend(self.mix("mix-latest", Distribution::Latest, 10_000)?);
        Ok(phases)
    }

    fn mix(&self, name: &str, distribution: Distribution, first_row: u64) -> Outcome<Option<Phase>> {
        use Operation::{Delete, Increment, Insert, MultiRead, Read, Update};
        let shares = [(Read, 40), (Update, 20), (Insert, 15), (Delete, 5), (Increment, 10), (MultiRead, 10)];
        let shares: Vec<(Operation, u32)> = shares.into_iter().filter(|(kind, _)| self.can(*kind)).collect();
        if shares.len() < 2 {
            return Ok(None);
        }
        let count = SOME.next_multiple_of(u64::from(self.connections));
        let mut phase = self.bench.mix(name, &shares, first_row, count).map_err(words)?;
        phase.rows_stream = self.bench.phase(name, Read, distribution, count).rows_stream;
        (phase.distribution, phase.connections) = (distribution, self.connections);
        phase.commit_every = if self.connections > 1 { 1 } else { self.commit_every };
        phase.multi_read_rows = Some(3);
        Ok(Some(phase))
    }
}
