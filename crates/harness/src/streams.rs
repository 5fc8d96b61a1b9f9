//! The files that a run writes once for all its clients: the pool of filler and the streams.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use kurabe_protocol::{Distribution, Operation, Phase, stream, value};
use kurabe_study::Study;

use crate::error::HarnessError;

/// Paths of the files, by phase.
#[derive(Clone, Debug)]
pub struct StreamFiles {
    pool: PathBuf,
    rows: BTreeMap<Distribution, PathBuf>,
    kinds: BTreeMap<String, PathBuf>,
}

impl StreamFiles {
    /// Writes all files that `study` needs into `folder`; once `interrupt` is set no further one.
    pub fn write(study: &Study, folder: &Path, interrupt: &AtomicBool) -> Result<StreamFiles, HarnessError> {
        std::fs::create_dir_all(folder).map_err(|error| HarnessError::io(folder, error))?;
        let write = |name: String, bytes: &[u8]| {
            if interrupt.load(Ordering::Relaxed) {
                return Err(HarnessError::Interrupted);
            }
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| HarnessError::io(&path, error))?;
            Ok::<PathBuf, HarnessError>(path)
        };
        let pool = write("pool".into(), &value::pool_bytes(study.seed, study.compressible))?;
        let mut files = StreamFiles { pool, rows: BTreeMap::new(), kinds: BTreeMap::new() };
        for plan in &study.phases {
            let phase = &plan.phase;
            if let Entry::Vacant(place) = files.rows.entry(phase.distribution) {
                let seed = study.seed.wrapping_add(1 + phase.distribution as u64);
                if let Some(bytes) = stream::rows_stream(phase.distribution, study.rows as u32, seed) {
                    let name = format!("rows-{:?}", phase.distribution).to_lowercase();
                    place.insert(write(name, &bytes)?);
                }
            }
            if phase.operation == Operation::Mix {
                let shares: Vec<(Operation, u32)> = phase.mix.iter().map(|part| (part.operation, part.share)).collect();
                let bytes = stream::kinds_stream(&shares, study.seed.wrapping_add(100));
                files.kinds.insert(phase.name.clone(), write(format!("kinds-{}", files.kinds.len()), &bytes)?);
            }
        }
        Ok(files)
    }

    /// Bytes that the files of `study` take on disk.
    pub fn len_bytes(study: &Study) -> u64 {
        let phases = || study.phases.iter().map(|plan| &plan.phase);
        let drawn: BTreeSet<Distribution> =
            phases().map(|phase| phase.distribution).filter(|one| *one != Distribution::Sequential).collect();
        let mixes = phases().filter(|phase| phase.operation == Operation::Mix).count();
        // A row number has 4 bytes, a kind 1.
        (value::POOL_BYTES + drawn.len() * 4 * stream::ENTRIES + mixes * stream::KIND_ENTRIES) as u64
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
        Phase {
            rows_stream: self.rows.get(&phase.distribution).map(text),
            kinds_stream: self.kinds.get(&phase.name).map(text),
            ..phase.clone()
        }
    }
}
