//! `kurabe claims RUN`: what became of the claims of a study, judged from the records again.

use std::path::PathBuf;

use kurabe_analysis::{ClaimVerdict, ClaimsAnswer};
use kurabe_messages::message;
use kurabe_record::Loaded;
use kurabe_study::{Overrides, Study};

use super::{Mistake, runs};
use crate::status;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    #[arg(long, value_name = "STUDY")]
    of: Option<String>,
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "wrong")]
    check: Option<Check>,
    #[arg(long)]
    json: bool,
}

/// What makes a check of claims fail.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A claim that is wrong.
    Wrong,
    /// A claim that is not right.
    Strict,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let run = runs::folder(args.run)?;
    let mut loaded = Loaded::read(&run)?;
    if let Some(name) = &args.of {
        let study = Study::open(&super::catalogue()?, name, &Overrides::default())?;
        // The digest stays that of the run, so that everybody sees that they came later.
        let digest = std::mem::replace(&mut loaded.run.plan.claims, study.plan.claims).digest;
        loaded.run.plan.claims.digest = digest;
    }
    let answer = kurabe_analysis::answer(&loaded);
    if args.json {
        super::say_json(&answer.claims)?;
    } else {
        if answer.claims.is_none() {
            return Err(Mistake(message!(cli_run_without_claims, path = run.display())).into());
        }
        super::say_drawn(&kurabe_report::claims(&answer, &super::terminal_style(&run, true)))?;
    }
    let checked = args.check.map(|how| check(answer.claims.as_ref(), how)).transpose()?;
    Ok(checked.unwrap_or(status::GOOD))
}

/// Prints which claims fail the check, and the exit status.
pub fn check(claims: Option<&ClaimsAnswer>, how: Check) -> anyhow::Result<i32> {
    let Some(claims) = claims else {
        anyhow::bail!(Mistake(message!(cli_no_claim)));
    };
    let fails = |verdict: ClaimVerdict| match verdict {
        ClaimVerdict::Wrong => true,
        ClaimVerdict::Undecided | ClaimVerdict::OtherWork => how == Check::Strict,
        ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo => false,
    };
    let mut status = status::GOOD;
    for claim in &claims.claims {
        for one in &claim.judgements {
            let words = one.message(&claim.name).to_string();
            if fails(one.verdict) {
                crate::tell::tell(&format!("kurabe: {words}"));
                status = status::FAILED;
            } else if !one.verdict.is_right() {
                crate::tell::tell(&words);
            }
        }
    }
    Ok(status)
}
