//! Jobs for tests: a folder with the pool and the stream files, and phases that use them.

use std::io::Write;
use std::path::Path;

use kurabe_protocol::own::write_record;
use kurabe_protocol::stream::{kinds_stream, rows_stream};
use kurabe_protocol::value::pool_bytes;
use kurabe_protocol::{
    Action, Candidate, DataFiles, DataSource, Distribution, End, Field, FieldType, Job, Load, Mix, Phase, Schema,
    Search, Work,
};
use tempfile::TempDir;

/// Entries of a stream that are kept: a client takes any number, and short files are quick to read.
const ENTRIES: usize = 1 << 18;

/// Distributions that have a stream.
const STREAMED: [Distribution; 5] =
    [Distribution::Uniform, Distribution::Zipfian, Distribution::Hotspot, Distribution::Latest, Distribution::One];

fn stream_name(distribution: Distribution) -> &'static str {
    match distribution {
        Distribution::Sequential => "sequential",
        Distribution::Uniform => "uniform",
        Distribution::Zipfian => "zipfian",
        Distribution::Hotspot => "hotspot",
        Distribution::Latest => "latest",
        Distribution::One => "one",
    }
}

/// A folder with what jobs over `rows` rows need. It is deleted when this is dropped.
pub struct Workbench {
    folder: TempDir,
    rows: u32,
}

impl Workbench {
    /// Rows streams of every distribution over `rows` rows, and a pool, all from `seed`.
    pub fn new(rows: u32, seed: u64) -> std::io::Result<Workbench> {
        let bench = Workbench { folder: tempfile::tempdir()?, rows };
        bench.write("pool", &pool_bytes(seed, 0.0))?;
        for distribution in STREAMED {
            let entries = rows_stream(distribution, rows, seed).unwrap_or_default();
            bench.write(stream_name(distribution), &entries[..entries.len().min(ENTRIES * 4)])?;
        }
        Ok(bench)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<String> {
        let path = self.folder.path().join(name);
        // Renamed into place: tests that share a workbench write the same stream while clients read it.
        let mut file = tempfile::NamedTempFile::new_in(self.folder.path())?;
        file.write_all(bytes)?;
        file.persist(&path)?;
        Ok(text(&path))
    }

    fn path(&self, name: &str) -> String {
        text(&self.folder.path().join(name))
    }

    /// Rows of the jobs.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The files of own rows, each a key and a text, with the tab-separated file that they came from: in it stand lines that
    /// are no rows, and the key behind the text.
    pub fn own_rows(&self, pairs: &[(String, String)]) -> std::io::Result<DataFiles> {
        let (mut rows, mut index, mut lines) = (Vec::new(), Vec::new(), String::from("[a heading]\r\n\n"));
        for (key, value) in pairs {
            index.extend((rows.len() as u64).to_le_bytes());
            write_record(key.as_bytes(), value.as_bytes(), &mut rows);
            lines += &format!("{value}\t-\t{key}\n\tanother\t{key}\n");
        }
        let mut sorted: Vec<u32> = (0..pairs.len() as u32).collect();
        sorted.sort_by_key(|row| &pairs[*row as usize].0);
        let order: Vec<u8> = sorted.into_iter().flat_map(u32::to_le_bytes).collect();
        Ok(DataFiles {
            rows: self.write("own-rows", &rows)?,
            index: self.write("own-index", &index)?,
            order: self.write("own-order", &order)?,
            count: pairs.len() as u64,
            longest_key_bytes: pairs.iter().map(|(key, _)| key.len() as u32).max().unwrap_or(0),
            spaced_keys: false,
            source: Some(DataSource {
                path: self.write("own-lines", lines.as_bytes())?,
                key: 3,
                values: vec![(1, FieldType::Text)],
            }),
        })
    }

    /// A phase that loads every row.
    pub fn load(&self, connections: u32) -> Phase {
        Phase { connections, ..Phase::new("load", Load::Row, End::Count(self.rows.into())) }
    }

    /// A phase of `count` operations over rows of `distribution`.
    pub fn phase(&self, name: &str, work: impl Into<Work>, distribution: Distribution, count: u64) -> Phase {
        let rows_stream = (distribution != Distribution::Sequential).then(|| self.path(stream_name(distribution)));
        Phase { distribution, rows_stream, ..Phase::new(name, work, End::Count(count)) }
    }

    /// A phase that mixes operations by their shares.
    pub fn mix(&self, name: &str, parts: &[(Action, u32)], count: u64) -> std::io::Result<Phase> {
        let mix = Mix::new(parts.to_vec()).map_err(std::io::Error::other)?;
        let kinds = kinds_stream(&mix.shares(), 1);
        let kinds_stream = self.write(&format!("kinds-{name}"), &kinds[..ENTRIES])?;
        Ok(self.phase(name, mix.with_kinds_stream(kinds_stream), Distribution::Zipfian, count))
    }

    /// Every phase that can see a lie: reads after the load, after updates and after a mix with
    /// inserts and deletes; scans and latest.
    pub fn all_phases(
        &self,
        shape: Shape,
        connections: u32,
        depth: u32,
        operations: u64,
    ) -> std::io::Result<Vec<Phase>> {
        let insert = Action::Insert { first_row: self.rows().into() };
        let mix = [(Action::Read, 50), (Action::Update, 30), (insert, 10), (Action::Delete, 10)];
        let uniform = Distribution::Uniform;
        let mut phases = vec![
            self.load(connections),
            self.phase("read", Action::Read, uniform, operations),
            self.phase("update", Action::Update, Distribution::Zipfian, operations / 2),
            self.phase("read-updated", Action::Read, uniform, operations),
        ];
        if shape == Shape::Blocking {
            phases.push(self.phase("scan", Action::Scan, Distribution::Sequential, 4));
        }
        phases.push(self.mix("mix", &mix, operations)?);
        phases.push(self.phase("read-mixed", Action::Read, uniform, operations));
        if shape == Shape::Blocking {
            phases.push(self.phase("scan-mixed", Action::Scan, Distribution::Sequential, 4));
            phases.push(self.phase("latest", Action::Latest { rows: 100 }, Distribution::Sequential, 200));
        }
        for phase in &mut phases {
            phase.connections = connections;
            phase.depth = depth;
        }
        Ok(phases)
    }

    /// The phases that increment, read many keys and, in a store of one call a time with a column for it, search.
    pub fn newer_phases(
        &self,
        shape: Shape,
        schema: &Schema,
        connections: u32,
        depth: u32,
        operations: u64,
    ) -> std::io::Result<Vec<Phase>> {
        let multi_read = Action::MultiRead { rows: 10 };
        let mix = [(multi_read.clone(), 40), (Action::Increment, 30), (Action::Update, 30)];
        let mut phases = vec![
            self.load(connections),
            self.phase("multi-read", multi_read, Distribution::Uniform, operations / 10),
            self.phase("increment", Action::Increment, Distribution::Hotspot, operations),
            self.mix("mix-new", &mix, operations)?,
        ];
        let number = schema.values().iter().find(|field| field.field_type == FieldType::Int64);
        if let Some(field) = number.filter(|_| shape == Shape::Blocking) {
            let search = Action::Search(Search::of_rows(&field.name, 30));
            phases.push(self.phase("search", search, Distribution::Uniform, 8));
            // About a quarter of the rows, those that were updated in the mix among them.
            let most = u64::from(self.rows) * 31;
            let at_least = Action::Search(Search::at_least(&field.name, most - most / 4));
            phases.push(self.phase("search-at-least", at_least, Distribution::Uniform, 2));
        }
        for phase in &mut phases {
            (phase.connections, phase.depth) = (connections, depth);
        }
        Ok(phases)
    }

    /// A job of one process.
    pub fn job(&self, store: &str, schema: &Schema, phases: Vec<Phase>) -> Job {
        Job {
            namespace: "kurabe_test".into(),
            pool: self.path("pool"),
            // So that the loop is tried with more than one.
            client_threads: 2,
            phases,
            ..Job::new(format!("test of {store}"), Candidate::of(store), schema.clone(), u64::from(self.rows))
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A text key and six more fields of all types, long and short ones.
pub fn seven_columns() -> Schema {
    let field = Field::new;
    Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("title", FieldType::Text, Some(40)),
            field("visits", FieldType::Int64, None),
            field("code", FieldType::Text, Some(3)),
            field("score", FieldType::Int64, None),
            field("body", FieldType::Text, Some(120)),
            field("blob", FieldType::Bytes, Some(30)),
        ],
    }
}

/// Key-value of 100 bytes, and seven columns with a text key.
pub fn schemas() -> [Schema; 2] {
    [Schema::key_value(100), seven_columns()]
}

/// The shape of a store; it decides which phases the store can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One call, one operation; scans and latest too.
    Blocking,
    /// Many operations under way, of single rows only.
    InFlight,
}
