//! Liars behind the wire: every client that drives Redis, in whatever language, against servers that speak its protocol
//! and lie in one way each. The same lie is the same finding for all of them.

use std::collections::BTreeMap;

use kurabe_harness::Candidate;
use kurabe_protocol::{Action, Checks, Distribution, End, Load, Phase, Schema};
use kurabe_testkit::{Driven, LyingServer, WireLie, Workbench, drive};

use crate::Outcome;
use crate::fixture::words;

const ROWS: u32 = 200;

/// What must be found of a lie, and where.
struct Expected {
    phase: &'static str,
    finding: fn(&Checks) -> u64,
}

fn expected(lie: WireLie) -> Option<Expected> {
    let of = |phase, finding| Some(Expected { phase, finding });
    match lie {
        WireLie::Nothing | WireLie::LoseIncrements => None,
        WireLie::DropWrites | WireLie::Forget => of("read", |checks| checks.lost),
        WireLie::Stale => of("reread", |checks| checks.stale),
        WireLie::Swap | WireLie::Alter | WireLie::Shorten => of("read", |checks| checks.wrong),
        WireLie::KeepDeleted => of("after", |checks| checks.phantom),
        WireLie::InsertOver => of("insert-again", |checks| checks.lost),
        WireLie::MeetNothing => of("update", |checks| checks.lost),
        WireLie::Exchange => of("many", |checks| checks.wrong),
    }
}

fn phases(bench: &Workbench) -> Vec<Phase> {
    let all = End::Count(ROWS.into());
    let insert = |first_row: u32| Action::Insert { first_row: first_row.into() };
    vec![
        Phase::new("load", Load::Row, all),
        Phase::new("read", Action::Read, all),
        Phase::new("update", Action::Update, all),
        Phase::new("reread", Action::Read, all),
        bench.phase("many", Action::MultiRead { rows: 10 }, Distribution::Uniform, 20),
        Phase::new("insert", insert(ROWS), all),
        Phase::new("insert-again", insert(0), all),
        Phase::new("increment", Action::Increment, all),
        Phase::new("delete", Action::Delete, all),
        Phase::new("after", Action::Read, all),
    ]
}

/// One client against every liar, and against a server that does not lie.
pub fn are_caught(candidate: &Candidate) -> Outcome<()> {
    for lie in WireLie::ALL.into_iter().chain([WireLie::Nothing]) {
        against(candidate, lie).map_err(|error| format!("{lie:?}: {error}"))?;
    }
    Ok(())
}

fn against(candidate: &Candidate, lie: WireLie) -> Outcome<()> {
    let server = LyingServer::start(lie).map_err(words)?;
    let bench = Workbench::new(ROWS, 7).map_err(words)?;
    let mut job = bench.job(&candidate.spec.store, &Schema::key_value(100), phases(&bench));
    job.url = Some(server.url());
    job.settings = candidate.adapter_settings(&BTreeMap::new());
    // What the server tells a warm-up is nobody's finding.
    job.settings.entry("jvm_warmup_ms".into()).and_modify(|value| *value = "0".into());
    let args: Vec<&str> = candidate.client.args.iter().filter_map(|arg| arg.to_str()).collect();
    let driven = drive(&candidate.client.program, &args, &job).map_err(words)?;
    judge(lie, &driven)?;
    match (lie, server.lies()) {
        (WireLie::Nothing, _) | (_, 1..) => Ok(()),
        _ => Err("the server never got to lie".into()),
    }
}

fn judge(lie: WireLie, driven: &Driven) -> Outcome<()> {
    let acknowledged: u64 =
        driven.results.iter().filter_map(|result| result.increments).map(|some| some.acknowledged).sum();
    let counted = driven.summed.last().copied().flatten();
    let checks = || driven.results.iter().map(|result| (&result.phase, &result.checks)).collect::<Vec<_>>();
    let honest = driven.results.iter().all(|result| result.checks.failed() == 0);
    match expected(lie) {
        Some(expected) => match (expected.finding)(&driven.phase(expected.phase).checks) {
            1.. => Ok(()),
            0 => Err(format!("it was not caught in '{}': {:?}", expected.phase, checks())),
        },
        None if !honest => Err(format!("answers that were right were found wrong: {:?}", checks())),
        None if (counted == Some(acknowledged)) == (lie == WireLie::Nothing) => Ok(()),
        None => Err(format!("{counted:?} counted, {acknowledged} acknowledged")),
    }
}
