//! A load tool among stores: nothing that ranks, recommends or claims takes it, and a note tells of it.

use crate::claims::{extreme, is, ratio, three, verdict_in};
use crate::common::{reads, store};
use kurabe_analysis::ClaimVerdict::{OtherWork, Right};
use kurabe_analysis::{Note, answer};
use kurabe_record::{CandidateRecord, Extreme, Loaded, Statement, StoreKind};

/// `slow` again, by a load tool that is faster than all.
fn with_tool() -> Loaded {
    let mut run = three();
    let (kind, client) = (StoreKind::Baseline, "tool".into());
    let tool = CandidateRecord { name: "slow+tool".into(), kind, client, by_load_tool: true, ..store("slow") };
    run.run.candidates.push(tool);
    run.jobs.extend(reads("slow+tool", &[50_000, 50_100, 49_900, 50_050, 50_000]));
    run
}

#[test]
fn a_load_tool_is_in_no_claim_and_nothing_else_follows_from_it() {
    let first = is(extreme(Extreme::First, "fast"));
    assert_eq!(verdict_in(with_tool(), first), Right, "it is none of the others");
    for statement in [
        ratio("slow+tool", "fast", Some(1.0), None),
        ratio("fast", "slow+tool", None, Some(1.0)),
        extreme(Extreme::First, "slow+tool"),
        Statement::Fails { candidate: "slow+tool".into(), at: Vec::new() },
    ] {
        assert_eq!(verdict_in(with_tool(), is(statement.clone())), OtherWork, "{statement:?}");
    }
    let (with, without) = (answer(&with_tool()), answer(&three()));
    assert_eq!(with.leaders, without.leaders);
    assert_eq!(with.recommendation, without.recommendation);
    assert_eq!(with.sentences, without.sentences);
    let note = with.notes.iter().find_map(|note| match note {
        Note::LoadTool { candidate, own: Some((own, phases)) } => Some((candidate, own, phases)),
        _ => None,
    });
    let (candidate, own, phases) = note.expect("a note");
    assert_eq!((candidate.as_str(), own.as_str(), phases.len()), ("slow+tool", "slow", 1));
    assert!((phases[0].rate.value - 0.02).abs() < 1e-3 && phases[0].rate.interval.is_some(), "{phases:?}");
}
