//! A job for tests of one worker.

use kurabe_protocol::{Candidate, Encoding, Job, Limits, Phase, Schema};

/// A job of one process with one phase, whose store is never opened.
pub(crate) fn job(schema: Schema, rows: u32, phase: Phase) -> Job {
    Job {
        id: "sample".into(),
        candidate: Candidate { name: "n".into(), store: "n".into(), wire: "n".into(), variant: None },
        schema,
        rows: rows.into(),
        namespace: "ns".into(),
        dir: None,
        url: None,
        settings: Default::default(),
        process: 0,
        processes: 1,
        pool: String::new(),
        data: None,
        encoding: Encoding::Raw,
        client_threads: 1,
        rows_from: None,
        limits: Limits::default(),
        phases: vec![phase],
    }
}
