//! Claims and published figures, in English.

use kurabe_record::{Better, Bounds, Law, Metric, MetricUnit, MinimumDurability};

use super::configuration::{at, factors};
use super::durability::named_minimum;
use crate::figures::figure::Figure;
use crate::findings::claims::finding::{Finding, Measure, Unknown, Where};
use crate::findings::claims::settle::Settle;
use crate::findings::claims::statements::LINEAR;
use crate::findings::claims::verdict::ClaimVerdict;
use crate::findings::claims::{ClaimAnswer, ClaimsAnswer, Judgement};
use crate::findings::growth::Growing;
use crate::text::format;
use crate::text::format::{count, duration, list, significant};

impl ClaimVerdict {
    /// The verdict in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            ClaimVerdict::Holds => "holds",
            ClaimVerdict::Refuted => "refuted",
            ClaimVerdict::Open => "open",
            ClaimVerdict::NotComparable => "not comparable",
        }
    }

    /// That so many are of this verdict: "1 holds", "2 are refuted".
    pub fn of_so_many(self, count: usize) -> String {
        match (self, count) {
            (ClaimVerdict::Holds, 1) => "1 holds".to_string(),
            (ClaimVerdict::Holds, _) => format!("{count} hold"),
            (_, 1) => format!("1 is {}", self.words()),
            _ => format!("{count} are {}", self.words()),
        }
    }
}

impl ClaimsAnswer {
    /// How many became what, in a sentence.
    pub fn summary(&self) -> String {
        let verdicts = [ClaimVerdict::Holds, ClaimVerdict::Refuted, ClaimVerdict::Open, ClaimVerdict::NotComparable];
        let here = verdicts.into_iter().map(|verdict| (verdict, self.count(verdict))).filter(|(_, count)| *count > 0);
        let counted: Vec<String> = here.map(|(verdict, count)| verdict.of_so_many(count)).collect();
        let none = self.claims.iter().filter(|claim| claim.not_measured.is_some()).count();
        let none = (none > 0).then(|| format!("{none} no run can judge"));
        let all: Vec<String> = counted.into_iter().chain(none).collect();
        let changed = if self.fixed_before { "" } else { " They are not those that stood there before the run." };
        let claims =
            if self.claims.len() == 1 { "1 claim".to_string() } else { format!("{} claims", self.claims.len()) };
        let level = format::level(self.level);
        format!("{claims}, judged as one family at {level}: {}.{changed}", list(&all))
    }
}

impl Judgement {
    /// In which binding and at which durability it was judged, where there are several; empty else.
    pub fn context(&self) -> String {
        let durability = self.durability.map(|minimum| match minimum {
            MinimumDurability::Default => "as shipped".to_string(),
            minimum => named_minimum(minimum),
        });
        let all: Vec<String> = self.binding.iter().cloned().chain(durability).collect();
        all.join(", ")
    }

    /// What it would take to decide it, where it is not decided and a run could.
    pub fn way_out(&self) -> Option<String> {
        self.settle.as_ref().map(Settle::words)
    }
}

impl ClaimAnswer {
    /// Its verdict in a few words: one, or one for each context.
    pub fn verdict(&self) -> String {
        if self.not_measured.is_some() {
            return "not measured".into();
        }
        let mut all: Vec<&'static str> = Vec::new();
        for one in &self.judgements {
            if !all.contains(&one.verdict.words()) {
                all.push(one.verdict.words());
            }
        }
        if all.is_empty() { "not comparable".into() } else { all.join(" / ") }
    }
}

impl Settle {
    /// What it would take.
    pub fn words(&self) -> String {
        let skipped = self.longer_ns.map(|ns| format!("about {} more for what was skipped", format::span(ns)));
        match (self.rounds, &self.command) {
            (Some(_), Some(command)) => {
                let skipped = skipped.map(|skipped| format!("{skipped}; ")).unwrap_or_default();
                format!("{skipped}would settle it: {command}")
            }
            (None, Some(command)) => format!("a run that asks for no more than that can judge it: {command}"),
            (_, None) => "too near to call: a hundred rounds would not settle it".into(),
        }
    }
}

impl Finding {
    /// What was found, in words.
    pub fn words(&self) -> String {
        let mut words = self.measure.words(self.figure.as_ref());
        if let Some(unknown) = &self.unknown {
            words = format!("{words}: {}", unknown.words());
        }
        if let Some((one, other)) = &self.clients {
            words += &format!(" (through different clients: {one} and {other})");
        }
        words
    }
}

fn place(place: &Where) -> String {
    let level = place.at.as_ref().map(|level| format!(" at {}", at(level))).unwrap_or_default();
    let beside = match place.factors.as_slice() {
        [] => String::new(),
        some => format!(" with {}", factors(some)),
    };
    format!("{}{level}{beside}", place.phase)
}

fn named(metric: Metric) -> &'static str {
    match metric {
        Metric::Rate => "rate",
        Metric::RowsRate => "rows a second",
        Metric::P50 => "p50",
        Metric::P90 => "p90",
        Metric::P99 => "p99",
        Metric::P999 => "p99.9",
        Metric::ClientCpu => "client CPU",
        Metric::ServiceCpu => "service CPU",
        Metric::Memory => "memory",
        Metric::DiskPerRow => "bytes on disk a row",
    }
}

/// What grows: the time of a candidate, which needs no name, or the figure that ranks the phase.
fn whose(metric: Metric, candidate: &str) -> String {
    match Growing::of(metric) {
        Growing::Time => candidate.to_string(),
        Growing::Figure(metric) => format!("{} of {candidate}", named(metric)),
    }
}

pub(super) fn times(figure: Option<&Figure>) -> String {
    let Some(figure) = figure else { return "?".into() };
    match figure.interval {
        Some(range) => {
            format!("{} ({} to {})", format::ratio(figure.value), format::ratio(range.low), format::ratio(range.high))
        }
        None => format::ratio(figure.value),
    }
}

/// What was claimed of a factor; nothing where it is only that one is better.
fn factor(bounds: Bounds) -> String {
    match (bounds.at_least, bounds.at_most) {
        (Some(1.0), None) | (None, None) => String::new(),
        (Some(low), None) => format!(", claimed at least {}", significant(low, 3)),
        (None, Some(high)) => format!(", claimed at most {}", significant(high, 3)),
        (Some(low), Some(high)) => format!(", claimed {} to {}", significant(low, 3), significant(high, 3)),
    }
}

fn amount(metric: Metric, value: f64) -> String {
    match metric.unit() {
        MetricUnit::PerSecond => format!("{}/s", significant(value, 4)),
        MetricUnit::Nanoseconds => duration(value),
        MetricUnit::Bytes => format::size(value),
    }
}

fn amount_bounds(metric: Metric, bounds: Bounds) -> String {
    match (bounds.at_least, bounds.at_most) {
        (Some(low), None) => format!(", claimed at least {}", amount(metric, low)),
        (None, Some(high)) => format!(", claimed at most {}", amount(metric, high)),
        (Some(low), Some(high)) => format!(", claimed {} to {}", amount(metric, low), amount(metric, high)),
        (None, None) => String::new(),
    }
}

fn plain(figure: Option<&Figure>) -> String {
    let Some(figure) = figure else { return "?".into() };
    match figure.interval {
        Some(range) => format!("{:.2} ({:.2} to {:.2})", figure.value, range.low, range.high),
        None => format!("{:.2}", figure.value),
    }
}

impl Measure {
    fn words(&self, figure: Option<&Figure>) -> String {
        match self {
            Measure::Ratio { candidate, than, metric, place: here, than_place, bounds } => {
                let there = than_place.as_ref().map(|there| format!(" in {}", place(there))).unwrap_or_default();
                let what = match metric.better() {
                    Better::Higher if *metric == Metric::Rate => format!("{candidate} over {than}{there}"),
                    _ => format!("{} of {candidate} over that of {than}{there}", named(*metric)),
                };
                let figure = figure.map(|figure| format!(" = {}", times(Some(figure)))).unwrap_or_default();
                format!("{}: {what}{figure}{}", place(here), factor(*bounds))
            }
            Measure::Amount { candidate, metric, place: here, bounds } => {
                let figure = figure
                    .map(|figure| match figure.interval {
                        Some(range) => format!(
                            " = {} ({} to {})",
                            amount(*metric, figure.value),
                            amount(*metric, range.low),
                            amount(*metric, range.high)
                        ),
                        None => format!(" = {}", amount(*metric, figure.value)),
                    })
                    .unwrap_or_default();
                format!("{}: {} of {candidate}{figure}{}", place(here), named(*metric), amount_bounds(*metric, *bounds))
            }
            Measure::Exponent { candidate, phase, metric, law, rows } => {
                let over = rows.map(|(low, high)| format!(" from {} to {} rows", count(low), count(high)));
                let claimed = match law {
                    Law::Linear => format!("linear is {} to {}", LINEAR.0, LINEAR.1),
                    Law::Faster => format!("faster is above {}", LINEAR.1),
                    Law::Knee => "a bend".into(),
                };
                let figure = figure.map(|figure| format!(" = {}", plain(Some(figure)))).unwrap_or_default();
                let whose = whose(*metric, candidate);
                format!("{phase}: exponent of {whose}{}{figure}, {claimed}", over.unwrap_or_default())
            }
            Measure::Bend { candidate, phase, metric, rows } => {
                let figure = figure.map(|figure| format!(" by {}", plain(Some(figure)))).unwrap_or_default();
                let whose = whose(*metric, candidate);
                format!("{phase}: the exponent of {whose} rises{figure} after {} rows", count(*rows))
            }
            Measure::LosesRows { candidate, rows, rounds } => match rows {
                0 => format!("{candidate} lost no row in {} job{}", count(*rounds as u64), plural(*rounds)),
                rows => format!(
                    "{candidate} lost {} rows in {} job{}",
                    count(*rows),
                    count(*rounds as u64),
                    plural(*rounds)
                ),
            },
            Measure::Fails { candidate, message, rounds } => match message {
                None => format!("{candidate} did not fail in {} job{}", count(*rounds as u64), plural(*rounds)),
                Some(message) => format!("{candidate} failed: {}", message.lines().next().unwrap_or_default()),
            },
            Measure::Change { axis, from, to, candidate, than, metric, place: here, bounds } => {
                let what = match than {
                    None => format!("{} of {candidate}", named(*metric)),
                    Some(than) => format!("{} of {candidate} over that of {than}", named(*metric)),
                };
                let step = if axis == "pitfall" {
                    format!("the pitfall '{to}'")
                } else {
                    format!("{axis} from {from} to {to}")
                };
                let figure = figure.map(|figure| format!(" becomes {} times", times(Some(figure)))).unwrap_or_default();
                format!("{}: with {step} the {what}{figure}{}", place(here), factor(*bounds))
            }
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl Unknown {
    /// Why a statement is not decided.
    pub fn words(&self) -> String {
        match self {
            Unknown::NotHere { candidate, reason: None } => format!("'{candidate}' is not in this run"),
            Unknown::NotHere { candidate, reason: Some(reason) } => {
                format!("'{candidate}' was left out: {}", reason.lines().next().unwrap_or_default())
            }
            Unknown::NoPlace { place, phase } if place.is_empty() => {
                format!("this run has too few sizes of '{phase}' for that")
            }
            Unknown::NoPlace { place, phase } if phase.is_empty() => {
                format!("this run was not made with {}", factors(place))
            }
            Unknown::NoPlace { place, phase } => format!("this run has no '{phase}' with {}", factors(place)),
            Unknown::Uncounted { candidate, reason } => format!("'{candidate}' does not count: {}", reason.words()),
            Unknown::NoFigure { candidate, metric } => format!("'{candidate}' has no {} there", named(*metric)),
            Unknown::OtherDurability { candidate, than } => {
                format!("'{candidate}' and '{than}' keep different writes as they are shipped")
            }
            Unknown::WrongDurability => "this run asks for another durability".into(),
            Unknown::NobodyElse => "nobody else was measured".into(),
            Unknown::Skipped { candidate, skipped } => format!("'{candidate}' was {}", skipped.words()),
            Unknown::Unsteady => "the machine was not the same all the time, so nothing about time is decided".into(),
            Unknown::TooFewRounds { rounds } => format!("{rounds} round{} of 3 that it takes", plural(*rounds)),
            Unknown::TooNear { rounds: Some(rounds) } => format!("not decided; some {rounds} rounds would tell"),
            Unknown::TooNear { rounds: None } => "not decided, and too near for more rounds to tell".into(),
        }
    }
}
