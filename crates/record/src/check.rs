//! What a record must be before anything is computed from it. Records are passed on, so they may be anybody's:
//! configurations and rounds are places in lists, and one that no run can have would be the length of a list. What
//! clients told is another matter: it is recorded as it came, and whoever computes with it expects any number.

use kurabe_messages::{Message, message};

use crate::{Configuration, Entry, JobRecord, MOST_ROUNDS, RunRecord, SkippedRecord};

/// Why the record of a run is none.
pub(crate) fn run(run: &RunRecord) -> Result<(), Message> {
    let configs = &run.plan.configurations;
    if run.plan.corrected().next().is_none() {
        return Err(message!(record_only_pitfalls));
    }
    for (number, config) in configs.iter().enumerate() {
        if config.rounds > MOST_ROUNDS {
            return Err(message!(
                record_many_rounds,
                configuration = number,
                rounds = config.rounds,
                most = MOST_ROUNDS
            ));
        }
    }
    Ok(())
}

/// Why an entry is none of a run with these configurations.
pub(crate) fn entry(entry: &Entry, configs: &[Configuration]) -> Result<(), Message> {
    match entry {
        Entry::Job(job) => self::job(job, configs),
        Entry::Skipped(SkippedRecord { configuration, .. }) => is_there(*configuration, configs),
        Entry::Repeat(_) | Entry::End(_) => Ok(()),
    }
}

fn is_there(config: u32, configs: &[Configuration]) -> Result<(), Message> {
    if (config as usize) < configs.len() {
        return Ok(());
    }
    Err(message!(record_no_configuration, configuration = config, count = configs.len()))
}

fn job(job: &JobRecord, configs: &[Configuration]) -> Result<(), Message> {
    is_there(job.configuration, configs)?;
    if job.round >= MOST_ROUNDS {
        return Err(message!(record_no_round, round = job.round, most = MOST_ROUNDS));
    }
    Ok(())
}
