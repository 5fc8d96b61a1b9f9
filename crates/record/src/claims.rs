//! What a study claims before it is run: sentences with conditions that the results support, refute or leave open, and the
//! published figures that they come from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::durability::DurabilityLevel;
use crate::metric::{Metric, MetricUnit};
use crate::plan::{AxisValue, Factor};

/// Everything that a study claims, and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claims {
    /// The comparison that the study repeats; absent for a person's own study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who plays which part, as often as all claims are judged; none where every name is that of a candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Binding>,
    /// The claims, in the order of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Tables of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedTable>,
    /// SHA-256 over bindings and claims, in hexadecimal digits: claims that were changed after the run have another.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

impl Claims {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Claims::default()
    }

    /// The digest that these bindings and claims have.
    pub fn computed_digest(&self) -> String {
        use sha2::{Digest, Sha256};
        // Maps are sorted and floats are written as they were read, so the same claims give the same text.
        let text = serde_json::to_string(&(&self.bindings, &self.claims)).unwrap_or_default();
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Where a comparison was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its title.
    pub title: String,
    /// The site or journal.
    pub site: String,
    /// The day, or the year, as the source tells it.
    pub date: String,
    /// Where it can be read, if it still can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Who plays the parts that claims speak of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// What it is called.
    pub name: String,
    /// Candidates by the names that stand in claims; a name that is not here plays itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binds: BTreeMap<String, String>,
    /// Why another program than the source's plays a part, by the names that stand in claims. Such a claim is shown
    /// with its figures, and is about other work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stands_for: BTreeMap<String, String>,
}

/// A sentence, and what makes it true.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// Its name, unique in the study.
    pub name: String,
    /// The sentence.
    pub says: String,
    /// The level of durability that it is about; judged at every one of the run where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<DurabilityLevel>,
    /// The bindings in which it is judged; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<String>,
    /// What decides.
    pub judged: Judged,
}

/// What decides about a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// Results do.
    By(Condition),
    /// A fact does that is known without a run.
    Known(KnownFact),
    /// Nothing does, with the reason.
    NotJudged(String),
}

/// What is known of a claim without a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownFact {
    /// Whether the claim is right by it.
    pub is_right: bool,
    /// The fact.
    pub fact: String,
    /// Where it is documented.
    pub source: String,
}

/// A condition over results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
    /// At least so many of these.
    AtLeast(usize, Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// One statement.
    Is(Box<Statement>),
}

/// One statement about candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Statement {
    /// A candidate is better, or worse, than each other one.
    Extreme {
        /// Which end.
        end: Extreme,
        /// The candidate.
        candidate: String,
        /// The others; every store of the phase where none is named.
        among: Vec<String>,
        /// What is compared.
        metric: Metric,
        /// Where.
        place: PhaseRef,
    },
    /// A figure of one candidate, divided by that of another, lies between two bounds.
    Ratio {
        /// The one.
        candidate: String,
        /// The other.
        than: String,
        /// What is compared.
        metric: Metric,
        /// Where the one is measured.
        place: PhaseRef,
        /// Where the other is, if elsewhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        than_place: Option<PhaseRef>,
        /// The bounds.
        bounds: Bounds,
    },
    /// A figure of a candidate lies between two bounds.
    Amount {
        /// The candidate.
        candidate: String,
        /// Which figure.
        metric: Metric,
        /// Where.
        place: PhaseRef,
        /// The bounds, in the unit of the metric.
        bounds: Bounds,
    },
    /// How the time for every row grows with the rows.
    Growth {
        /// The candidate.
        candidate: String,
        /// Where; factors on `rows` have no meaning here.
        place: PhaseRef,
        /// What the growth is claimed to be.
        law: GrowthLaw,
        /// The least rows that count; all where it is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_rows: Option<u64>,
        /// The most rows that count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to_rows: Option<u64>,
    },
    /// Rows are missing, or another version than the last is read.
    LosesRows {
        /// The candidate.
        candidate: String,
        /// At which configurations; all where it is empty.
        at: Vec<Factor>,
    },
    /// A job of it ends with an error.
    Fails {
        /// The candidate.
        candidate: String,
        /// At which configurations; all where it is empty.
        at: Vec<Factor>,
    },
    /// What going from one value of an axis to another does to a figure, or to the ratio of two candidates.
    Change {
        /// The axis.
        axis: String,
        /// From this value.
        from: AxisValue,
        /// To this one.
        to: AxisValue,
        /// The candidate.
        candidate: String,
        /// The candidate to which the ratio is taken at both values; absent where it is about one alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        than: Option<String>,
        /// What is compared.
        metric: Metric,
        /// Where, but for the axis.
        place: PhaseRef,
        /// The bounds of how many times it becomes.
        bounds: Bounds,
    },
}

/// An end of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extreme {
    /// The best.
    First,
    /// The worst.
    Last,
}

/// A law of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthLaw {
    /// The exponent lies wholly between 0.9 and 1.1.
    Linear,
    /// The exponent lies wholly above 1.1.
    Faster,
    /// After some size the exponent lies above the one before it.
    Knee,
}

/// A phase, and where on the axes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRef {
    /// Name of the phase, as the study has it.
    pub phase: String,
    /// Values on axes; where an axis is not named it is the most rows, and else the first value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Factor>,
}

/// Bounds of a figure or ratio; a side without one is open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// It is at least so much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// It is at most so much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

/// A table of the source, as it had it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTable {
    /// What it is called.
    pub title: String,
    /// Under which conditions it was measured.
    pub conditions: String,
    /// Unit of the figures.
    pub unit: PublishedUnit,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<PublishedRow>,
}

/// The unit of published figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PublishedUnit {
    /// Seconds for the whole of the work; less is better.
    #[serde(rename = "s")]
    Seconds,
    /// Minutes and seconds, as `5:18`; kept as seconds.
    #[serde(rename = "min:s")]
    MinutesSeconds,
    /// Milliseconds of one operation, a percentile or the longest; less is better.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Operations or requests a second; more is better.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Times as much as the first of the column; less is better.
    #[serde(rename = "times")]
    Times,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
}

impl PublishedUnit {
    /// The unit of the metric that is shown beside it.
    pub fn metric_unit(self) -> MetricUnit {
        match self {
            PublishedUnit::PerSecond => MetricUnit::PerSecond,
            PublishedUnit::Seconds
            | PublishedUnit::MinutesSeconds
            | PublishedUnit::Milliseconds
            | PublishedUnit::Times => MetricUnit::Nanoseconds,
            PublishedUnit::Bytes => MetricUnit::Bytes,
        }
    }
}

/// A row of a published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRow {
    /// Its name in the source.
    pub name: String,
    /// Its cells, one a column.
    pub cells: Vec<PublishedCell>,
}

/// A published figure, and what of ours stands beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedCell {
    /// The figure, in the unit of the table; absent where the source has none.
    pub value: Option<f64>,
    /// The candidate of ours.
    pub candidate: String,
    /// Where ours is measured; absent where nothing of ours corresponds to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PhaseRef>,
    /// Operations (for scans: of the whole table) in the work of the source, for times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<f64>,
    /// Of one operation's time, for milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<LatencyStatistic>,
}

/// What of the times of single operations a published figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LatencyStatistic {
    /// Half are at most so long.
    #[serde(rename = "p50")]
    P50,
    /// Nine in ten are.
    #[serde(rename = "p90")]
    P90,
    /// 99 in 100 are.
    #[serde(rename = "p99")]
    P99,
    /// 999 in 1,000 are.
    #[serde(rename = "p99.9")]
    P999,
    /// The longest of all.
    #[serde(rename = "longest")]
    Longest,
}

impl LatencyStatistic {
    /// The metric of ours that it is; the longest is none that comes again.
    pub fn metric(self) -> Option<Metric> {
        match self {
            LatencyStatistic::P50 => Some(Metric::P50),
            LatencyStatistic::P90 => Some(Metric::P90),
            LatencyStatistic::P99 => Some(Metric::P99),
            LatencyStatistic::P999 => Some(Metric::P999),
            LatencyStatistic::Longest => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claims(at_least: f64, at_most: f64) -> Claims {
        let statement = Statement::Amount {
            candidate: "a".into(),
            metric: Metric::Rate,
            place: PhaseRef { phase: "read".into(), at: Vec::new() },
            bounds: Bounds { at_least: Some(at_least), at_most: Some(at_most) },
        };
        let judged = Judged::By(Condition::Is(Box::new(statement)));
        let claim = Claim { name: "a".into(), says: "b".into(), durability: None, bindings: Vec::new(), judged };
        let claims = Claims { claims: vec![claim], ..Claims::default() };
        Claims { digest: claims.computed_digest(), ..claims }
    }

    fn read_back(claims: &Claims) -> Claims {
        let text = serde_json::to_string(claims).expect("claims can be written");
        serde_json::from_str(&text).expect("claims can be read")
    }

    #[test]
    fn bounds_that_are_inverted_keep_their_digest_in_a_record() {
        // A factor is kept as both of its bounds.
        for tenths in 11_u32..1_000 {
            let factor = f64::from(tenths) / 10.0;
            let fresh = claims(1.0 / factor, factor);
            let read = read_back(&fresh);
            assert_eq!(read, fresh, "{factor}");
            assert_eq!(read.computed_digest(), fresh.digest, "{factor}");
        }
    }

    proptest! {
        #[test]
        fn any_bounds_keep_their_digest_in_a_record(bits in any::<u64>(), other in 1e-9_f64..1e12) {
            let one = f64::from_bits(bits);
            prop_assume!(one.is_finite());
            let fresh = claims(one, 1.0 / other);
            let read = read_back(&fresh);
            prop_assert_eq!(&read, &fresh);
            prop_assert_eq!(read.computed_digest(), fresh.digest);
        }
    }
}
