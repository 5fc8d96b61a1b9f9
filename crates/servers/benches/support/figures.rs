//! What a bench measured, in words for whoever runs it and as lines of JSON for the table in `docs/SPEED.md`.

use std::io::Write;

use serde_json::json;

/// Names the file that takes the lines, which `scripts/speed` sets; without it there are only the words.
const FILE: &str = "KURABE_BENCH_FIGURES";

/// How Kurabe's figure is set against the other one of a pair.
#[derive(Clone, Copy)]
pub enum Unit {
    /// The quotient of both.
    Times,
    /// The difference, in ns an operation.
    NsMore,
    /// The difference, in MiB.
    MibMore,
    /// The difference, in calls of the allocator.
    AllocationsMore,
}

impl Unit {
    fn word(self) -> &'static str {
        match self {
            Unit::Times => "times",
            Unit::NsMore => "ns more",
            Unit::MibMore => "MiB more",
            Unit::AllocationsMore => "allocations more",
        }
    }

    /// Of Kurabe's figure against the other one.
    fn of(self, (ours, theirs): (f64, f64)) -> f64 {
        match self {
            Unit::Times => ours / theirs,
            _ => ours - theirs,
        }
    }
}

/// What the median should be.
#[derive(Clone, Copy)]
pub enum Aim {
    AtMost(f64),
    AtLeast(f64),
    /// It is told, and nothing is asked of it.
    Unset,
}

/// One line of the table.
pub struct Figure<'a> {
    /// What Kurabe did.
    pub what: &'a str,
    /// What it is compared with.
    pub against: &'a str,
    pub unit: Unit,
    pub aim: Aim,
}

impl Figure<'_> {
    /// Tells the median over `pairs` of Kurabe's figure and the other one, with the least and the greatest.
    pub fn tell(&self, pairs: impl IntoIterator<Item = (f64, f64)>) {
        let values: Vec<f64> = pairs.into_iter().map(|pair| self.unit.of(pair)).collect();
        let (value, least, greatest) = super::median(values.iter().copied());
        let (unit, pairs) = (self.unit.word(), values.len());
        let aim = match self.aim {
            Aim::AtMost(most) => json!({ "at_most": most }),
            Aim::AtLeast(least) => json!({ "at_least": least }),
            Aim::Unset => json!(null),
        };
        println!(
            "{}, against {}: {value:.3} {unit} ({least:.3} to {greatest:.3}) over {pairs} pairs; aim: {aim}",
            self.what, self.against
        );
        let line = json!({
            "what": self.what, "against": self.against, "value": value, "unit": unit, "least": least,
            "greatest": greatest, "pairs": pairs, "aim": aim,
        });
        if let Some(path) = std::env::var_os(FILE) {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            writeln!(file.expect("a file for figures"), "{line}").expect("room for a line");
        }
    }
}
