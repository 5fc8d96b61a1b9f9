//! How long operations may take: what `--slo` asks for.

use std::fmt;
use std::str::FromStr;

use kurabe_messages::{Message, message};
use kurabe_protocol::PhaseResult;
use kurabe_protocol::histogram::{Bucket, bucket_highest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A percentile of the latencies with the time that it must stay below: `p99<5ms`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Slo {
    /// The percentile: 0.99 for `p99`.
    pub p: f64,
    /// What it must stay below, in ns.
    pub below_ns: u64,
}

/// What steps at several rates say of the highest that keeps an objective. Near the limit a step is lucky or not: one that keeps
/// it above a rate at which it was broken, or breaks it below one at which it was kept, takes the earlier one back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBracket<T> {
    /// The highest rate that was kept.
    pub kept: Option<T>,
    /// The lowest that was broken.
    pub broken: Option<T>,
}

impl<T: PartialOrd> RateBracket<T> {
    /// Before the first step.
    pub const EMPTY: RateBracket<T> = RateBracket { kept: None, broken: None };

    /// With one step more.
    pub fn with(self, rate: T, is_kept: bool) -> RateBracket<T> {
        let RateBracket { kept, broken } = self;
        match is_kept {
            true => RateBracket { broken: broken.filter(|broken| *broken > rate), kept: Some(rate) },
            false => RateBracket { kept: kept.filter(|kept| *kept < rate), broken: Some(rate) },
        }
    }
}

impl Slo {
    /// The percentiles that can be asked for, those that every answer has.
    pub const PERCENTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];
    /// Operations that lie beyond a percentile, at the least, where it has a value.
    const BEYOND: f64 = 10.0;
    /// Of the planned operations so many are done where a rate is held, of 1.
    pub const LEAST_DONE: f64 = 0.99;

    /// Fewest operations that can tell the percentile.
    pub fn least_operations(&self) -> u64 {
        (Slo::BEYOND / (1.0 - self.p)).round() as u64
    }

    /// Whether an open loop kept it: all but one in a hundred of the planned operations were done, and the percentile of their
    /// response times stays below, with what those had waited that were still open. A value counts as the highest of its bucket.
    pub fn is_kept_by(&self, results: &[PhaseResult]) -> bool {
        let loops = || results.iter().filter_map(|result| result.open_loop.as_ref());
        let planned: u64 = loops().map(|one| one.planned).sum();
        let done: u64 = results.iter().flat_map(|result| &result.workers).map(|worker| worker.operations).sum();
        let waits = loops().flat_map(|one| &one.open_waited);
        let times = results.iter().flat_map(|result| &result.latency).flat_map(|kind| &kind.buckets).chain(waits);
        let (mut below, mut all) = (0, 0);
        for Bucket(lowest_ns, count) in times {
            all += count;
            below += if bucket_highest(*lowest_ns) < self.below_ns { *count } else { 0 };
        }
        let is_told = all >= self.least_operations();
        is_told && done as f64 >= planned as f64 * Slo::LEAST_DONE && below >= (self.p * all as f64).ceil() as u64
    }
}

impl FromStr for Slo {
    type Err = Message;

    fn from_str(text: &str) -> Result<Slo, Message> {
        let wrong = || {
            let known: Vec<String> = Slo::PERCENTILES.iter().map(|p| percentile(*p)).collect();
            message!(record_no_objective, text, known)
        };
        let (name, time) = text.split_once('<').ok_or_else(wrong)?;
        let asked = name.trim();
        let p = Slo::PERCENTILES.into_iter().find(|p| percentile(*p) == asked).ok_or_else(wrong)?;
        let time = humantime::parse_duration(time.trim()).map_err(|_| wrong())?;
        let below_ns = u64::try_from(time.as_nanos()).ok().filter(|ns| *ns > 0).ok_or_else(wrong)?;
        Ok(Slo { p, below_ns })
    }
}

impl TryFrom<String> for Slo {
    type Error = Message;

    fn try_from(text: String) -> Result<Slo, Message> {
        text.parse()
    }
}

impl From<Slo> for String {
    fn from(slo: Slo) -> String {
        slo.to_string()
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = humantime::format_duration(std::time::Duration::from_nanos(self.below_ns)).to_string();
        write!(f, "{}<{}", percentile(self.p), time.replace(' ', ""))
    }
}

/// `p99`, `p99.9`.
fn percentile(p: f64) -> String {
    let text = format!("{:.2}", p * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_read_as_it_is_written() {
        for (text, p, below_ns) in
            [("p99<5ms", 0.99, 5_000_000), ("p50<200us", 0.5, 200_000), ("p99.9<1s", 0.999, 1_000_000_000)]
        {
            let slo: Slo = text.parse().expect("right");
            assert_eq!((slo.p, slo.below_ns, slo.to_string()), (p, below_ns, text.to_string()));
        }
        let spaced: Slo = " p99.9 < 1s 500ms".parse().expect("right");
        assert_eq!(spaced.to_string(), "p99.9<1s500ms");
        assert_eq!(spaced.to_string().parse(), Ok(spaced));
    }

    #[test]
    fn what_is_no_objective_is_refused_with_one_that_is() {
        for text in ["", "p99", "99<5ms", "p98<5ms", "p99<5", "p99<0ms", "p99<fast", "p99>5ms", "p99<-1ms"] {
            let error = text.parse::<Slo>().expect_err(text).to_string();
            assert!(error.contains("'p99<5ms'") && error.contains("p99.9"), "{error}");
        }
    }
}
