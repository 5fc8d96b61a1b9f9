//! What a record must be before anything is computed from it. Records are passed on, so they may be anybody's: levels and
//! rounds are places in lists, and one that no run can have would be the length of a list. What clients told is another
//! matter: it is recorded as it came, and whoever computes with it expects any number.

use crate::{CutRecord, Entry, JobRecord, Level, MOST_ROUNDS, RunRecord};

/// Why the record of a run is none.
pub(crate) fn run(run: &RunRecord) -> Result<(), String> {
    let levels = &run.plan.levels;
    if run.plan.mended().next().is_none() {
        return Err("it has no level of work as it should be".into());
    }
    for (number, level) in levels.iter().enumerate() {
        if level.rounds > MOST_ROUNDS {
            return Err(format!("level {number} has {} rounds, more than {MOST_ROUNDS}", level.rounds));
        }
        if let Some(trapped) = level.trapped.as_ref().filter(|one| one.base as usize >= levels.len()) {
            return Err(format!("the trap of level {number} changes level {}, which is not there", trapped.base));
        }
    }
    Ok(())
}

/// Why an entry is none of a run with these levels.
pub(crate) fn entry(entry: &Entry, levels: &[Level]) -> Result<(), String> {
    match entry {
        Entry::Job(job) => self::job(job, levels),
        Entry::Cut(CutRecord { level, .. }) => is_there(*level, levels),
        Entry::Repeat(_) | Entry::End(_) => Ok(()),
    }
}

fn is_there(level: u32, levels: &[Level]) -> Result<(), String> {
    if (level as usize) < levels.len() {
        return Ok(());
    }
    Err(format!("it is of level {level}, and run.json has {} levels, from 0", levels.len()))
}

fn job(job: &JobRecord, levels: &[Level]) -> Result<(), String> {
    is_there(job.level, levels)?;
    if job.round >= MOST_ROUNDS {
        return Err(format!("it is of round {}, and no run has more than {MOST_ROUNDS}", job.round));
    }
    Ok(())
}
