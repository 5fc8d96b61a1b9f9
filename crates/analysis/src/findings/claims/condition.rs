//! Conditions as trees of statements, and how they are decided.

use kurabe_stats::{Estimate, Evidence, Interval, Measured};

use super::finding::{Finding, Measure, Unknown};
use super::verdict::ClaimVerdict;
use crate::figures::figure::Figure;
use crate::figures::stability::SURE;

/// A condition with what is known of its statements.
pub(super) enum Node {
    /// At least so many of these.
    AtLeast(usize, Vec<Node>),
    Not(Box<Node>),
    Leaf(Box<Leaf>),
}

/// A statement with what is known of it.
pub(super) struct Leaf {
    pub(super) measure: Measure,
    pub(super) known: Result<Observation, Unknown>,
    pub(super) clients: Option<(String, String)>,
    /// Whether it is about time and the machine was unstable: then only what lies far from a bound is known.
    pub(super) is_unsteady: bool,
}

/// What was seen of a statement.
#[derive(Clone, Copy)]
pub(super) enum Observation {
    /// An estimate, and what is claimed of it.
    Estimate { measured: Measured, claimed: Claimed, scale: Scale },
    /// It happened, or it did not.
    Fact { happened: bool, rounds: usize },
}

/// What is claimed of an estimate, on its scale.
///
/// A claim that something is more (or less) has its far bound only in [`Claimed::beyond`]: a figure beyond it does not
/// refute who said "about twice as fast", it is right and more so. Both bounds as a test of equivalence were the
/// alternative; they called an author wrong who had been too modest.
#[derive(Clone, Copy)]
pub(super) struct Claimed {
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// Beyond this, away from zero, it is so by more than is claimed.
    pub(super) beyond: Option<f64>,
}

impl Claimed {
    /// Both bounds are tested.
    pub(super) fn between(low: Option<f64>, high: Option<f64>) -> Claimed {
        Claimed { low, high, beyond: None }
    }

    /// Bounds on the logarithmic scale: a claim of more where both are at or above zero, of less where both are at or
    /// below, of sameness where zero lies between.
    pub(super) fn within(low: Option<f64>, high: Option<f64>) -> Claimed {
        match (low, high) {
            (Some(least), Some(most)) if least >= 0.0 && most > 0.0 => Claimed { low, high: None, beyond: high },
            (Some(least), Some(most)) if most <= 0.0 && least < 0.0 => Claimed { low: None, high, beyond: low },
            _ => Claimed::between(low, high),
        }
    }

    /// `slack` is how far beyond a bound it must lie.
    fn evidence(&self, measured: &Measured, slack: f64) -> Evidence {
        let of = |slack: f64| {
            let (low, high) = (self.low.map(|low| low + slack), self.high.map(|high| high - slack));
            measured.lies_between(low, high)
        };
        Evidence { holds: of(slack).holds, refuted: of(-slack).refuted }
    }

    /// What shows that it is so by more than is claimed.
    fn of_more(&self, measured: &Measured, slack: f64) -> Evidence {
        match self.beyond {
            Some(bound) if bound > 0.0 => measured.lies_between(Some(bound + slack), None),
            Some(bound) => measured.lies_between(None, Some(bound - slack)),
            None => Evidence::NONE,
        }
    }
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
    /// How far beyond a bound an estimate must lie to decide; `None` where none decides. On an unstable machine it is the
    /// factor of recommendations. An exponent has none: noise that changes in the course of a run may make one.
    fn slack(&self, scale: Scale) -> Option<f64> {
        match (self.is_unsteady, scale) {
            (false, _) => Some(0.0),
            (true, Scale::Log) => Some(SURE.ln()),
            (true, Scale::Plain) => None,
        }
    }

    fn evidence(&self) -> Evidence {
        match self.known {
            Err(_) => Evidence::NONE,
            Ok(Observation::Estimate { measured, claimed, scale }) => {
                self.slack(scale).map_or(Evidence::NONE, |slack| claimed.evidence(&measured, slack))
            }
            Ok(Observation::Fact { happened: true, .. }) => Evidence::SEEN,
            Ok(Observation::Fact { rounds, .. }) if rounds >= ROUNDS_WITHOUT => Evidence::UNSEEN,
            Ok(Observation::Fact { .. }) => Evidence::NONE,
        }
    }

    fn evidence_of_more(&self) -> Evidence {
        match self.known {
            Ok(Observation::Estimate { measured, claimed, scale }) => {
                self.slack(scale).map_or(Evidence::NONE, |slack| claimed.of_more(&measured, slack))
            }
            _ => Evidence::NONE,
        }
    }

    /// What keeps it from being decided.
    fn unknown(&self, level: f64, factors: Factors) -> Unknown {
        match &self.known {
            Err(unknown) => unknown.clone(),
            Ok(Observation::Estimate { scale, .. }) if self.is_unsteady => match self.slack(*scale) {
                Some(_) => Unknown::Unsteady,
                None => Unknown::UnsteadyGrowth,
            },
            Ok(Observation::Estimate { measured, claimed, .. }) => {
                let stricter = 1.0 - (1.0 - level) / factors.holds.max(factors.refuted);
                Unknown::TooNear { rounds: measured.rounds_to_decide(claimed.low, claimed.high, stricter) }
            }
            Ok(Observation::Fact { rounds, .. }) => Unknown::TooFewRounds { rounds: *rounds },
        }
    }

    fn decided(self, level: f64, factors: Factors) -> Finding {
        let most = (1.0 - level) / 2.0;
        let evidence = self.evidence();
        let evidence = Evidence { holds: evidence.holds * factors.holds, refuted: evidence.refuted * factors.refuted };
        let is_more = self.evidence_of_more().holds * factors.holds <= most;
        let (verdict, unknown) = match ClaimVerdict::of(evidence, most) {
            ClaimVerdict::Right if is_more => (ClaimVerdict::RightAndMoreSo, None),
            ClaimVerdict::Undecided => {
                let unknown = self.unknown(level, factors);
                (unknown.verdict(), Some(unknown))
            }
            decided => (decided, None),
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
            Node::AtLeast(count, parts) => Evidence::at_least(*count, &of(parts)),
            Node::Not(part) => part.evidence().contrary(),
            Node::Leaf(leaf) => leaf.evidence(),
        }
    }

    /// Whether anything is known of any of its statements.
    pub(super) fn is_tested(&self) -> bool {
        match self {
            Node::AtLeast(_, parts) => parts.iter().any(Node::is_tested),
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
            Node::AtLeast(count, parts) => {
                // Looking for those that decide among all costs as many times, as in `Evidence::at_least`.
                let spare = parts.len().saturating_sub(count) + 1;
                let factors = Factors { holds: holds * spare as f64, refuted: refuted * count.max(1) as f64 };
                let parts: Vec<ClaimVerdict> =
                    parts.into_iter().map(|part| part.decide(level, factors, findings)).collect();
                ClaimVerdict::at_least(count, &parts)
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

fn contrary(verdict: ClaimVerdict) -> ClaimVerdict {
    match verdict {
        ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo => ClaimVerdict::Wrong,
        ClaimVerdict::Wrong => ClaimVerdict::Right,
        undecided => undecided,
    }
}
