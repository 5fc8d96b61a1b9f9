//! The files that a run writes once for all its clients: the pool of filler and the streams.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use kurabe_protocol::{Distribution, Pattern, Phase, Work, stream, value};
use kurabe_record::{Configuration, StudyPlan};
use kurabe_service::{FolderAccess, make_folder_in_place};

use crate::error::HarnessError;

/// Paths of the files of one round of one configuration, by phase.
#[derive(Clone, Debug)]
pub struct StreamFiles {
    pool: PathBuf,
    rows: BTreeMap<String, PathBuf>,
    kinds: BTreeMap<String, PathBuf>,
    gaps: BTreeMap<String, PathBuf>,
}

impl StreamFiles {
    /// Writes all files that a round of a configuration needs into `folder`, which holds nothing else and whose parent
    /// is there; once `interrupt` is set no further one. The pool stays from round to round, since values must not
    /// change; which rows and kinds are drawn differs by round and phase, so that rounds sample the work and no phase
    /// finds what another one has warmed.
    pub fn write(
        plan: &StudyPlan,
        config: &Configuration,
        round: u32,
        folder: &Path,
        interrupt: &AtomicBool,
    ) -> Result<StreamFiles, HarnessError> {
        make_folder_in_place(folder, FolderAccess::Everybody).map_err(|error| HarnessError::io(folder, error))?;
        let write = |name: String, bytes: &[u8]| {
            if interrupt.load(Ordering::Relaxed) {
                return Err(HarnessError::Interrupted);
            }
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| HarnessError::io(&path, error))?;
            Ok::<PathBuf, HarnessError>(path)
        };
        let pool = folder.join("pool");
        if !pool.exists() {
            write("pool".into(), &value::pool_bytes(plan.seed, plan.compressible))?;
        }
        let mut files = StreamFiles { pool, rows: BTreeMap::new(), kinds: BTreeMap::new(), gaps: BTreeMap::new() };
        for (at, phase) in config.phases.iter().map(|plan| plan.phase.in_client()).enumerate() {
            let seed = |what| stream::seed_of(plan.seed, round, at as u32, what);
            if let Some(bytes) =
                stream::rows_stream(phase.distribution, config.rows as u32, seed(stream::StreamKind::Rows))
            {
                files.rows.insert(phase.name.clone(), write(format!("rows-{at}"), &bytes)?);
            }
            if let Some(mix) = phase.mix() {
                let bytes = stream::kinds_stream(&mix.shares(), seed(stream::StreamKind::Kinds));
                files.kinds.insert(phase.name.clone(), write(format!("kinds-{at}"), &bytes)?);
            }
            if draws_gaps(phase) {
                let bytes = stream::gaps_stream(seed(stream::StreamKind::Gaps));
                files.gaps.insert(phase.name.clone(), write(format!("gaps-{at}"), &bytes)?);
            }
        }
        Ok(files)
    }

    /// Bytes that the files of a configuration take on disk.
    pub fn len_bytes(config: &Configuration) -> u64 {
        let phases = || config.phases.iter().map(|plan| plan.phase.in_client());
        let drawn = phases().filter(|phase| phase.distribution != Distribution::Sequential).count();
        let mixes = phases().filter(|phase| phase.mix().is_some()).count();
        let drawn_gaps = phases().filter(|phase| draws_gaps(phase)).count();
        // A row number and a gap have 4 bytes, a kind 1.
        let numbers = drawn * stream::ENTRIES + drawn_gaps * stream::GAP_ENTRIES;
        (value::POOL_BYTES + 4 * numbers + mixes * stream::KIND_ENTRIES) as u64
    }

    /// Path of the pool.
    pub(crate) fn pool_path(&self) -> &Path {
        &self.pool
    }

    /// Path of the pool, as clients are told.
    pub fn pool(&self) -> String {
        self.pool.display().to_string()
    }

    /// The phase with the paths that its client needs.
    pub fn fill(&self, phase: &Phase) -> Phase {
        let text = |path: &PathBuf| path.display().to_string();
        let mut filled = Phase { rows_stream: self.rows.get(&phase.name).map(text), ..phase.clone() };
        if let Work::Mix(mix) = &mut filled.work {
            mix.kinds_stream = self.kinds.get(&phase.name).map(text);
        }
        if let Some(schedule) = &mut filled.schedule {
            schedule.gaps_stream = self.gaps.get(&phase.name).map(text);
        }
        filled
    }
}

fn draws_gaps(phase: &Phase) -> bool {
    phase.schedule.as_ref().is_some_and(|schedule| schedule.pattern == Pattern::Poisson)
}
