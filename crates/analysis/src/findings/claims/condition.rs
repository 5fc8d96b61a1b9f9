//! Conditions as trees of statements, and how they are decided.

use kurabe_stats::{Estimate, Evidence, Interval, Measured};

use super::finding::{Finding, Measure, Unknown};
use super::verdict::ClaimVerdict;
use crate::figures::figure::Figure;

/// A condition with what is known of its statements.
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Leaf(Box<Leaf>),
}

/// A statement with what is known of it.
pub(super) struct Leaf {
    pub(super) measure: Measure,
    pub(super) known: Result<Observation, Unknown>,
    pub(super) clients: Option<(String, String)>,
    /// Whether it is about time and the machine was unstable: then nothing is known of it.
    pub(super) is_unsteady: bool,
}

/// What was seen of a statement.
#[derive(Clone, Copy)]
pub(super) enum Observation {
    /// An estimate, and the bounds of what is claimed on its scale.
    Estimate { measured: Measured, low: Option<f64>, high: Option<f64>, scale: Scale },
    /// It happened, or it did not.
    Fact { happened: bool, rounds: usize },
}

/// On which scale an estimate is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// The logarithm of what is shown.
    Log,
    /// What is shown.
    Plain,
}

/// Rounds in which nothing must have happened, before it is said that it does not happen.
const ROUNDS_WITHOUT: usize = kurabe_stats::MIN_VALUES;

impl Leaf {
    fn evidence(&self) -> Evidence {
        match self.known {
            Err(_) => Evidence::NONE,
            Ok(Observation::Estimate { .. }) if self.is_unsteady => Evidence::NONE,
            Ok(Observation::Estimate { measured, low, high, .. }) => measured.lies_between(low, high),
            Ok(Observation::Fact { happened: true, .. }) => Evidence::SEEN,
            Ok(Observation::Fact { rounds, .. }) if rounds >= ROUNDS_WITHOUT => Evidence::UNSEEN,
            Ok(Observation::Fact { .. }) => Evidence::NONE,
        }
    }

    fn decided(self, level: f64, factors: Factors) -> Finding {
        let most = (1.0 - level) / 2.0;
        let evidence = self.evidence();
        let (verdict, unknown) = if evidence.holds * factors.holds <= most {
            (ClaimVerdict::Holds, None)
        } else if evidence.refuted * factors.refuted <= most {
            (ClaimVerdict::Refuted, None)
        } else {
            let unknown = match &self.known {
                Err(unknown) => unknown.clone(),
                Ok(Observation::Estimate { .. }) if self.is_unsteady => Unknown::Unsteady,
                Ok(Observation::Estimate { measured, low, high, .. }) => {
                    let stricter = 1.0 - (1.0 - level) / factors.holds.max(factors.refuted);
                    Unknown::TooNear { rounds: measured.rounds_to_decide(*low, *high, stricter) }
                }
                Ok(Observation::Fact { rounds, .. }) => Unknown::TooFewRounds { rounds: *rounds },
            };
            (unknown.verdict(), Some(unknown))
        };
        let figure = match self.known {
            Ok(Observation::Estimate { measured, scale, .. }) => Some(figure(&measured, scale, level)),
            _ => None,
        };
        Finding { measure: self.measure, verdict, figure, unknown, clients: self.clients }
    }
}

fn figure(measured: &Measured, scale: Scale, level: f64) -> Figure {
    let shown = |value: f64| if scale == Scale::Log { value.exp() } else { value };
    let interval = measured.interval(level);
    Figure::of(Estimate {
        value: shown(measured.value),
        interval: interval.map(|interval| Interval { low: shown(interval.low), high: shown(interval.high) }),
        n: measured.n,
    })
}

/// How many statements were looked at for one that decides, in either direction: each must be so much surer.
#[derive(Clone, Copy)]
struct Factors {
    holds: f64,
    refuted: f64,
}

impl Node {
    /// What is known of the whole.
    pub(super) fn evidence(&self) -> Evidence {
        let of = |parts: &[Node]| parts.iter().map(Node::evidence).collect::<Vec<Evidence>>();
        match self {
            Node::All(parts) => Evidence::all(&of(parts)),
            Node::Any(parts) => Evidence::any(&of(parts)),
            Node::Not(part) => part.evidence().contrary(),
            Node::Leaf(leaf) => leaf.evidence(),
        }
    }

    /// Whether anything is known of any of its statements.
    pub(super) fn is_tested(&self) -> bool {
        match self {
            Node::All(parts) | Node::Any(parts) => parts.iter().any(Node::is_tested),
            Node::Not(part) => part.is_tested(),
            Node::Leaf(leaf) => leaf.known.is_ok(),
        }
    }

    /// The verdict at a confidence level, and that of each statement. By its factors each statement is as sure as the
    /// whole must be, so that Kleene's tables over them give what the evidence of the whole gives.
    pub(super) fn decided(self, level: f64) -> (ClaimVerdict, Vec<Finding>) {
        let mut findings = Vec::new();
        let verdict = self.decide(level, Factors { holds: 1.0, refuted: 1.0 }, &mut findings);
        (verdict, findings)
    }

    fn decide(self, level: f64, factors: Factors, findings: &mut Vec<Finding>) -> ClaimVerdict {
        let Factors { holds, refuted } = factors;
        match self {
            Node::All(parts) => {
                let factors = Factors { holds, refuted: refuted * parts.len() as f64 };
                all(parts.into_iter().map(|part| part.decide(level, factors, findings)).collect())
            }
            Node::Any(parts) => {
                let factors = Factors { holds: holds * parts.len() as f64, refuted };
                contrary(all(parts.into_iter().map(|part| contrary(part.decide(level, factors, findings))).collect()))
            }
            Node::Not(part) => contrary(part.decide(level, Factors { holds: refuted, refuted: holds }, findings)),
            Node::Leaf(leaf) => {
                let finding = leaf.decided(level, factors);
                let verdict = finding.verdict;
                findings.push(finding);
                verdict
            }
        }
    }
}

/// Kleene's conjunction: one that is refuted refutes all. A side that is missing leaves more open than one that is not
/// known well enough, since no further round brings it.
fn all(parts: Vec<ClaimVerdict>) -> ClaimVerdict {
    [ClaimVerdict::Refuted, ClaimVerdict::NotComparable, ClaimVerdict::Open]
        .into_iter()
        .find(|verdict| parts.contains(verdict))
        .unwrap_or(ClaimVerdict::Holds)
}

fn contrary(verdict: ClaimVerdict) -> ClaimVerdict {
    match verdict {
        ClaimVerdict::Holds => ClaimVerdict::Refuted,
        ClaimVerdict::Refuted => ClaimVerdict::Holds,
        undecided => undecided,
    }
}
