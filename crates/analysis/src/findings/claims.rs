//! The claims of a study, judged by its results.
//!
//! A study states beforehand what it expects, and a digest in the record shows that. Each statement is three-valued.
//! Its figure has an interval: the statement is **right** where that lies within what is claimed. It is **right, and
//! more so** where it lies beyond, in the direction of the claim, and **wrong** where it lies on the other side.
//! Otherwise it is **undecided**, also where the run did not measure a side: a run that does decides it. It is **other
//! work** where a side did other work, or is another program than the source's. Combinations follow Kleene's tables.
//!
//! A test against no difference cannot judge "twice as fast" or "within 20 %". So each statement is tested against its
//! own bounds (Schuirmann 1987). In `all`, each part must hold at the level of the whole (Berger, Technometrics 24,
//! 1982). In `any`, one that refutes among many pays for the search.
//!
//! All claims of a study are one family: Holm's step-down gives one confidence level for all of them. So the chance
//! that any is decided wrongly stays at or below 5 %. docs/METHODOLOGY.md, "Claims and pitfalls".

pub(crate) mod binding;
mod condition;
pub(crate) mod finding;
pub(crate) mod settle;
pub(crate) mod statements;
pub(crate) mod verdict;

use kurabe_record::{Claim, Judged, KnownFact, MinimumDurability, RunRecord, Source};
use kurabe_stats::claims_level;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::command::Command;
use crate::spoken::{Spoken, with_messages};
use binding::{Context, Evidences, StandIn};
use condition::Node;
use finding::Finding;
use settle::Settle;
use verdict::ClaimVerdict;

/// All claims of a study with what became of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimsAnswer {
    /// Where the comparison was published; absent for a person's own claims.
    pub source: Option<Source>,
    /// Whether they are as they were when the run was started.
    pub fixed_before: bool,
    /// Whether those that the claims are about were run: the study's own candidates, or all that play in one of its
    /// bindings.
    pub about_these: bool,
    /// Confidence level of the intervals: 0.95, or more where there are several claims.
    pub level: f64,
    /// The claims, in the order of the study.
    pub claims: Vec<ClaimAnswer>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimAnswer {
    /// Its name.
    pub name: String,
    /// The sentence.
    pub says: String,
    /// What became of it: once for each binding and each minimum durability at which it was judged.
    pub judgements: Vec<Judgement>,
    /// The fact that judges it without a run; absent where results do.
    pub known: Option<KnownFact>,
    /// Why nothing judges it; absent where something does.
    pub not_judged: Option<String>,
}

/// One claim in one binding and at one minimum durability.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Judgement {
    /// Who plays the parts; absent where every name is that of a candidate.
    pub binding: Option<String>,
    /// The minimum durability in which it was judged, for claims about writes.
    pub durability: Option<MinimumDurability>,
    /// What became of it.
    pub verdict: ClaimVerdict,
    /// Its statements with their figures, in the order of the claim.
    #[serde(serialize_with = "with_messages")]
    #[schemars(with = "Vec<Spoken<Finding>>")]
    pub findings: Vec<Finding>,
    /// Programs in the place of those of the source: then it is about other work, whatever the figures say.
    pub stand_ins: Vec<StandIn>,
    /// What it would take to decide it, where it is open or a side keeps less than the run asks for.
    pub settle: Option<Settle>,
}

/// A claim before it is decided.
struct Pending {
    claim: usize,
    binding: Option<String>,
    durability: Option<MinimumDurability>,
    stand_ins: Vec<StandIn>,
    node: Node,
}

/// What became of the claims of a run; `None` where it has none.
pub(crate) fn answer(evidences: &Evidences<'_>) -> Option<ClaimsAnswer> {
    let claims = &evidences.run.plan.claims;
    if claims.claims.is_empty() {
        return None;
    }
    let pending: Vec<Pending> =
        claims.claims.iter().enumerate().flat_map(|(at, claim)| pending(evidences, at, claim)).collect();
    // What nothing can be said of is no test, and neither is what decides nothing.
    let is_test = |one: &&Pending| one.node.is_tested() && one.stand_ins.is_empty();
    let tested: Vec<f64> = pending.iter().filter(is_test).map(|one| one.node.evidence().p_value()).collect();
    let level = claims_level(&tested);
    let judged: Vec<(usize, Judgement)> =
        pending.into_iter().map(|one| (one.claim, decided(evidences, one, level))).collect();
    let answer = |(at, claim): (usize, &Claim)| ClaimAnswer {
        name: claim.name.clone(),
        says: claim.says.clone(),
        judgements: judged.iter().filter(|(of, _)| *of == at).map(|(_, one)| one.clone()).collect(),
        known: match &claim.judged {
            Judged::Known(fact) => Some(fact.clone()),
            Judged::By(_) | Judged::NotJudged(_) => None,
        },
        not_judged: match &claim.judged {
            Judged::NotJudged(why) => Some(why.clone()),
            Judged::By(_) | Judged::Known(_) => None,
        },
    };
    Some(ClaimsAnswer {
        source: claims.source.clone(),
        fixed_before: claims.digest == claims.computed_digest(),
        about_these: is_about_these(evidences.run),
        level,
        claims: claims.claims.iter().enumerate().map(answer).collect(),
    })
}

/// Whether the candidates are the study's own, or such that all parts of its claims are played.
fn is_about_these(run: &RunRecord) -> bool {
    let command = Command::of(run);
    let are_others = command.has("--stores") || command.has("--all");
    !are_others || binding::all_parts_are_played(run)
}

fn pending(evidences: &Evidences<'_>, at: usize, claim: &Claim) -> Vec<Pending> {
    let Judged::By(condition) = &claim.judged else { return Vec::new() };
    let contexts = Context::of(evidences, claim, condition);
    contexts
        .into_iter()
        .map(|context| Pending {
            claim: at,
            binding: context.binding.map(|binding| binding.name.clone()),
            durability: context.durability.filter(|_| context.writes),
            stand_ins: context.stand_ins(condition),
            node: context.node(condition),
        })
        .collect()
}

fn decided(evidences: &Evidences<'_>, pending: Pending, level: f64) -> Judgement {
    let Pending { claim, binding, durability, stand_ins, node } = pending;
    let (verdict, findings) = node.decided(level);
    let verdict = if stand_ins.is_empty() { verdict } else { ClaimVerdict::OtherWork };
    let condition = match &evidences.run.plan.claims.claims[claim].judged {
        Judged::By(condition) => Some(condition),
        Judged::Known(_) | Judged::NotJudged(_) => None,
    };
    let pitfalls = condition.into_iter().flat_map(binding::statements).flat_map(binding::pitfalls).collect();
    let settle = settle::settle(evidences.run, verdict, &findings, pitfalls);
    Judgement { binding, durability, verdict, findings, stand_ins, settle }
}

impl ClaimsAnswer {
    /// Every judgement of every claim.
    pub fn judgements(&self) -> impl Iterator<Item = &Judgement> {
        self.claims.iter().flat_map(|claim| &claim.judgements)
    }

    /// How many judgements have this verdict, those by known facts among them.
    pub fn count(&self, verdict: ClaimVerdict) -> usize {
        let by_facts = self.claims.iter().filter_map(ClaimAnswer::by_fact);
        self.judgements().map(|one| one.verdict).chain(by_facts).filter(|one| *one == verdict).count()
    }
}

impl ClaimAnswer {
    /// The verdict of a known fact; `None` where results judge, or nothing does.
    pub fn by_fact(&self) -> Option<ClaimVerdict> {
        self.known.as_ref().map(|fact| if fact.is_right { ClaimVerdict::Right } else { ClaimVerdict::Wrong })
    }
}
