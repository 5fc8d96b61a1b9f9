//! The study of a run that continues, from its record.
//!
//! The study comes from `run.json` and not from the study file: resume, analysis and reports read the value that the
//! run was made from. The plan is a pure function of the study and the recorded jobs (`harness/src/plan.rs`). So what
//! remains has the order of the run.
//!
//! Three things are not in the record. Passwords are left out of it, so candidates at an address are given again. The
//! rows of a data file are read again, and must be the same. Programs come from the machine and from the folders of
//! definitions. One that changed under the same name went unseen once (commit 99159bde), so the record has a digest.

use std::path::PathBuf;

use kurabe_data::Ingested;
use kurabe_record::{CandidateRecord, RunRecord, StoreKind};

use crate::axes::CheckedAxis;
use crate::candidate::{CandidateSpec, parse_candidate};
use crate::candidates::parse_candidates;
use crate::catalogue::Catalogue;
use crate::client::ClientName;
use crate::error::StudyError;
use crate::expand::expand;
use crate::study::Study;

impl Study {
    /// The study that `run` was made from. Records hold no passwords, so that candidates at an address that want one are
    /// given again: `stores` are then all of them, as `--stores` takes them. `data` are the rows of its data file, read anew.
    ///
    /// # Errors
    /// A candidate that this Kurabe does not know.
    pub fn of_run(
        catalogue: &Catalogue,
        run: &RunRecord,
        stores: &[String],
        data: Option<Ingested>,
    ) -> Result<Study, StudyError> {
        let candidates = match stores {
            [] => run.candidates.iter().map(|one| candidate_of(catalogue, one)).collect::<Result<_, _>>()?,
            stores => {
                let axes: Vec<CheckedAxis> = run.plan.axes.iter().filter_map(CheckedAxis::of_plan).collect();
                expand(catalogue, "--stores", parse_candidates(catalogue, stores)?, &axes)?
            }
        };
        Ok(Study { plan: run.plan.clone(), data, candidates, asked_by_name: true })
    }
}

fn candidate_of(catalogue: &Catalogue, record: &CandidateRecord) -> Result<CandidateSpec, StudyError> {
    let is_baseline = record.kind == StoreKind::Baseline;
    let Some(asked) = &record.asked else {
        return Ok(CandidateSpec { is_baseline, ..parse_candidate(catalogue, &record.name)? });
    };
    Ok(CandidateSpec {
        name: record.name.clone(),
        from_table: true,
        store: catalogue.store(&record.store)?.name.clone(),
        variant: record.variant.clone(),
        client: ClientName::of(&record.client),
        client_is_asked: true,
        app: record.app.iter().map(|app| app.name.clone()).collect(),
        asked_by: record.asked_by.clone(),
        url: record.at_url.as_ref().map(|at| at.url.clone()),
        is_baseline,
        durability: asked.durability.clone(),
        minimum: asked.minimum,
        profile: asked.profile,
        settings: asked.settings.clone(),
        args: asked.args.clone(),
        output: asked.output,
        binary: asked.binary.as_ref().map(PathBuf::from),
        base: record.base.clone(),
        factors: record.factors.clone(),
        cannot: None,
        claimed: Default::default(),
    })
}
