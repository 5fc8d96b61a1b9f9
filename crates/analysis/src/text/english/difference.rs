//! What two runs do not have in common.

use crate::comparison::difference::{Difference, NotCompared, OtherRows, Subject};
use crate::text::format::count;

impl Difference {
    /// The difference in words.
    pub fn words(&self) -> String {
        format!("{}.", self.clause())
    }

    /// The same within a sentence.
    pub fn clause(&self) -> String {
        let [one, another] = self.values.each_ref().map(|value| value.as_deref().unwrap_or(self.what.absent()));
        let of = self.candidate.as_ref().map(|name| format!(" of '{name}'")).unwrap_or_default();
        format!("{}{of}: '{one}' in run 1, '{another}' in run {}", self.what.words(), self.run + 1)
    }
}

impl Subject {
    fn words(&self) -> String {
        let words = match self {
            Subject::Study => "Study",
            Subject::Baseline => "Minimum durability",
            Subject::CacheMib => "Cache of servers in MiB",
            Subject::Client => "Client",
            Subject::Durability => "Durability",
            Subject::Library(name) => return format!("Library {name}"),
            Subject::Service => "Service",
            Subject::Settings => "Settings",
            Subject::Store => "Store",
            Subject::Transport => "Transport",
            Subject::Variant => "Variant",
            Subject::Seed => "Seed",
            Subject::Kurabe => "Version of kurabe",
            Subject::Processor => "Processor",
            Subject::Cores => "Usable cores",
            Subject::CpuQuota => "CPU quota",
            Subject::Kernel => "Kernel",
            Subject::MemoryMib => "Memory in MiB",
            Subject::FileSystem => "File system",
        };
        words.into()
    }

    /// What stands where there is no value.
    fn absent(&self) -> &'static str {
        match self {
            Subject::Library(_) => "nothing",
            Subject::Service | Subject::Variant => "none",
            _ => "unknown",
        }
    }
}

impl OtherRows {
    /// What is not the same, in words.
    pub fn words(&self) -> String {
        let differ = |what: &str, one: String, another: String, run: usize| {
            format!("{what} '{one}' in run 1, '{another}' in run {}", run + 1)
        };
        let file = |data: &Option<(String, u32)>| {
            data.as_ref().map_or("generated".to_string(), |(file, crc32)| format!("{file} (CRC-32 {crc32:08x})"))
        };
        match self {
            OtherRows::Count { run, rows: [one, another] } => differ("rows", count(*one), count(*another), *run),
            OtherRows::Data { run, files: [one, another] } => differ("data", file(one), file(another), *run),
            OtherRows::Compressible { run, shares: [one, another] } => {
                differ("compressible share", one.to_string(), another.to_string(), *run)
            }
            OtherRows::Shape => "the shape of a row is not the same".into(),
        }
    }
}

impl NotCompared {
    /// What is not compared, in words.
    pub fn words(&self) -> String {
        let only = |run: usize, what: &str, names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("only in run {}: {what} {}", run + 1, names.join(", "))
        };
        match self {
            NotCompared::NotRanked { candidate, phase, run, reason } => {
                format!("'{candidate}' in {phase}: run {}: {}", run + 1, reason.words())
            }
            NotCompared::Candidates { run, candidates } => only(*run, "candidate", candidates),
            NotCompared::Phases { run, phases } => only(*run, "phase", phases),
        }
    }
}
