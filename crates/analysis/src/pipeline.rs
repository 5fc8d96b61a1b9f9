//! From the records of a run to its answer, in three steps:
//!
//! 1. each configuration by itself gives a [`ConfigurationResult`]: figures from its jobs, and ranks from its figures;
//! 2. findings follow from all results together: axes, clients, claims, published tables, pitfalls, what to take;
//! 3. the [`Answer`] is the document that is made of both, once.
//!
//! No step reads what a later one makes. So a finding cannot depend on the order in which findings are made, but for
//! those that it names as its arguments.

use std::collections::BTreeMap;

use kurabe_record::{EndRecord, JobRecord, Loaded, RunRecord, SkippedRecord};

use crate::answer::{ANSWER_FORMAT, Answer, ConfigurationAnswer};
use crate::figures::budget;
use crate::figures::candidate;
use crate::figures::input::{Discarded, Input};
use crate::figures::troubles::Outcome;
use crate::findings::axes::Axes;
use crate::findings::cells::Cells;
use crate::findings::claims::{self, binding::Evidences};
use crate::findings::clients;
use crate::findings::headline::headline;
use crate::findings::pitfalls;
use crate::findings::published;
use crate::findings::recommend::{self, evidence::Evidence};
use crate::findings::replication;
use crate::findings::sentences::Summary;
use crate::rank::leaders::leaders;
use crate::rank::ranking::RankBy;
use crate::result::configuration_result::ConfigurationResult;
use crate::text::{disk_faults, losses};

/// Computes everything that is shown of a run, from its folder as it was read.
pub fn answer(loaded: &Loaded) -> Answer {
    answer_by(loaded, RankBy::Study)
}

/// As [`answer`], with candidates ranked by something else than what the study says.
pub fn answer_by(loaded: &Loaded, rank_by: RankBy) -> Answer {
    let Loaded { run, jobs, superseded, skipped, end, repeated, .. } = loaded;
    Records { run, jobs, skipped, end: end.as_ref(), discarded: Discarded { repeated, superseded }, rank_by }.answer()
}

/// Computes everything that is shown of a run in which no candidate was skipped. `end` is the last end record, if the run
/// has one.
pub fn analyse(run: &RunRecord, jobs: &[JobRecord], end: Option<&EndRecord>) -> Answer {
    let discarded = Discarded { repeated: &[], superseded: &[] };
    Records { run, jobs, skipped: &[], end, discarded, rank_by: RankBy::Study }.answer()
}

/// All that an answer is computed from.
struct Records<'a> {
    run: &'a RunRecord,
    jobs: &'a [JobRecord],
    skipped: &'a [SkippedRecord],
    end: Option<&'a EndRecord>,
    discarded: Discarded<'a>,
    rank_by: RankBy,
}

impl Records<'_> {
    /// How long a round of the whole plan takes, in ns: a job of each candidate in each configuration, as they lasted
    /// on average.
    fn round_ns(&self) -> u64 {
        let mut jobs: BTreeMap<(u32, &str), (u64, u64)> = BTreeMap::new();
        for job in self.jobs {
            let (sum_ns, count) = jobs.entry((job.configuration, &job.candidate)).or_default();
            (*sum_ns, *count) = (sum_ns.saturating_add(job.lasted_ns), *count + 1);
        }
        jobs.values().map(|(sum_ns, count)| sum_ns / count).fold(0, u64::saturating_add)
    }

    fn answer(&self) -> Answer {
        let &Records { run, jobs, end, .. } = self;
        let skipped = &budget::effective(self.skipped, jobs);
        let mut results: Vec<ConfigurationResult> =
            (0..run.plan.configurations.len()).map(|at| self.result(at, skipped)).collect();
        let evidences = Evidences { run, results: &results, jobs, skipped };
        let claims = claims::answer(&evidences);
        let published = published::tables(&evidences);
        let replications = replication::replications(&evidences);
        let pitfalls = pitfalls::answers(Cells { run, results: &results });
        // Those of pitfalls come last, and nothing else reads them.
        results.truncate(run.plan.corrected().count());
        let headline = headline(&run.plan, &results);
        let here = &results[headline];
        let outcome = Outcome::of(run, jobs, end);
        // Where losses are counted no phase is a comparison.
        let compares = here.losses.is_empty() && here.disk_faults.is_empty();
        let leaders = if compares { leaders(&here.phases) } else { Vec::new() };
        let absent = candidate::absent(run);
        let axes = Axes { cells: Cells { run, results: &results }, headline, skipped }.all();
        let clients = clients::of_stores(run, &here.phases, &here.candidates);
        let summary = Summary { run, results: &results, headline, leaders: &leaders, axes: &axes, skipped };
        let sentences = if compares { summary.sentences() } else { Vec::new() };
        let evidence = Evidence {
            at: &here.at,
            outcome,
            rounds: here.rounds,
            round_ns: self.round_ns(),
            phases: &here.phases,
            candidates: &here.candidates,
            cautions: &here.cautions,
            absent: &absent,
            axes: &axes,
            clients: &clients,
        };
        let recommendation = recommend::recommendation(&evidence, run);
        let here = results.remove(headline);
        Answer {
            format: ANSWER_FORMAT,
            run: run.id.clone(),
            study: run.plan.study.clone(),
            title: run.plan.title.clone(),
            at: here.at,
            outcome,
            advice: match () {
                () if compares => recommendation.advice(),
                () if here.losses.is_empty() => disk_faults::advice(&here.disk_faults),
                () => losses::advice(&here.losses),
            },
            recommendation,
            sentences,
            leaders,
            notes: here.notes,
            cautions: here.cautions,
            rounds: here.rounds,
            checking: here.checking,
            phases: here.phases,
            candidates: here.candidates,
            not_counted: here.not_counted,
            absent,
            actions: here.actions,
            losses: here.losses,
            disk_faults: here.disk_faults,
            other_configurations: results.into_iter().map(ConfigurationAnswer::of).collect(),
            axes,
            clients,
            claims,
            published,
            replications,
            pitfalls,
        }
    }

    /// `skipped` are those that hold.
    fn result(&self, at: usize, skipped: &[SkippedRecord]) -> ConfigurationResult {
        let &Records { run, end, discarded, .. } = self;
        let (here, elsewhere) = self.jobs.iter().partition(|job| job.configuration as usize == at);
        let input = Input { run, at, jobs: here, elsewhere, skipped, end, discarded };
        ConfigurationResult::of(&input, self.rank_by)
    }
}
