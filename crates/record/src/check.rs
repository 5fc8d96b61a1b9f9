//! What a record must be before anything is computed from it. Records are passed on, so they may be anybody's:
//! configurations and rounds are places in lists, and one that no run can have would be the length of a list. What
//! clients told is another matter: it is recorded as it came, and whoever computes with it expects any number.

use crate::{Configuration, Entry, JobRecord, MOST_ROUNDS, RunRecord, SkippedRecord};

/// Why the record of a run is none.
pub(crate) fn run(run: &RunRecord) -> Result<(), String> {
    let configs = &run.plan.configurations;
    if run.plan.corrected().next().is_none() {
        return Err("it has no configuration but those of pitfalls".into());
    }
    for (number, config) in configs.iter().enumerate() {
        if config.rounds > MOST_ROUNDS {
            return Err(format!("configuration {number} has {} rounds, more than {MOST_ROUNDS}", config.rounds));
        }
    }
    Ok(())
}

/// Why an entry is none of a run with these configurations.
pub(crate) fn entry(entry: &Entry, configs: &[Configuration]) -> Result<(), String> {
    match entry {
        Entry::Job(job) => self::job(job, configs),
        Entry::Skipped(SkippedRecord { configuration, .. }) => is_there(*configuration, configs),
        Entry::Repeat(_) | Entry::End(_) => Ok(()),
    }
}

fn is_there(config: u32, configs: &[Configuration]) -> Result<(), String> {
    if (config as usize) < configs.len() {
        return Ok(());
    }
    Err(format!("it is of configuration {config}, and run.json has {} configurations, from 0", configs.len()))
}

fn job(job: &JobRecord, configs: &[Configuration]) -> Result<(), String> {
    is_there(job.configuration, configs)?;
    if job.round >= MOST_ROUNDS {
        return Err(format!("it is of round {}, and no run has more than {MOST_ROUNDS}", job.round));
    }
    Ok(())
}
