//! What two runs do not have in common.

use kurabe_messages::{Message, message};

use crate::comparison::difference::{Difference, NotCompared, OtherRows, Subject};

impl Difference {
    /// The difference as a message.
    pub fn message(&self) -> Message {
        let [one, other] = self.values.clone().map(|value| value.unwrap_or_else(|| self.what.absent()));
        let (what, run) = (self.what.message(), self.run + 1);
        match &self.candidate {
            None => message!(compare_difference, what, one, other, run),
            Some(candidate) => message!(compare_difference_of, what, candidate, one, other, run),
        }
    }
}

impl Subject {
    fn message(&self) -> Message {
        match self {
            Subject::Study => message!(compare_subject_study),
            Subject::Baseline => message!(compare_subject_minimum),
            Subject::CacheMib => message!(compare_subject_cache),
            Subject::Client => message!(compare_subject_client),
            Subject::Durability => message!(compare_subject_durability),
            Subject::Library(library) => message!(compare_subject_library, library),
            Subject::Service => message!(compare_subject_service),
            Subject::Settings => message!(compare_subject_settings),
            Subject::Store => message!(compare_subject_store),
            Subject::Transport => message!(compare_subject_transport),
            Subject::Variant => message!(compare_subject_variant),
            Subject::Seed => message!(compare_subject_seed),
            Subject::Kurabe => message!(compare_subject_kurabe),
            Subject::Processor => message!(compare_subject_processor),
            Subject::Cores => message!(compare_subject_cores),
            Subject::CpuQuota => message!(compare_subject_cpu_quota),
            Subject::Kernel => message!(compare_subject_kernel),
            Subject::MemoryMib => message!(compare_subject_memory),
            Subject::FileSystem => message!(compare_subject_file_system),
        }
    }

    /// What stands where there is no value.
    fn absent(&self) -> Message {
        match self {
            Subject::Library(_) | Subject::Service | Subject::Variant => message!(word_none),
            _ => message!(word_unknown),
        }
    }
}

impl OtherRows {
    /// What is not the same, as a message.
    pub fn message(&self) -> Message {
        let file = |data: &Option<(String, u32)>| match data {
            None => message!(compare_data_generated),
            Some((file, crc32)) => message!(compare_data_file, file, crc = format!("{crc32:08x}")),
        };
        match self {
            OtherRows::Count { run, rows: [one, other] } => {
                message!(compare_rows, run = run + 1, one = *one, other = *other)
            }
            OtherRows::Data { run, files: [one, other] } => {
                message!(compare_data, run = run + 1, one = file(one), other = file(other))
            }
            OtherRows::Compressible { run, shares: [one, other] } => {
                message!(compare_compressible, run = run + 1, one = *one, other = *other)
            }
            OtherRows::Shape => message!(compare_shape),
        }
    }
}

impl NotCompared {
    /// What is not compared, as a message.
    pub fn message(&self) -> Message {
        match self {
            NotCompared::NotRanked { candidate, phase, run, reason } => {
                message!(compare_not_ranked, candidate, phase, run = run + 1, reason = reason.message())
            }
            NotCompared::Candidates { run, candidates } => {
                message!(compare_only_candidates, run = run + 1, candidates)
            }
            NotCompared::Phases { run, phases } => message!(compare_only_phases, run = run + 1, phases),
        }
    }
}
