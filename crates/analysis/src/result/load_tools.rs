//! Load tools beside Kurabe's own client: ratios, and nothing that ranks.

use kurabe_record::{CandidateRecord, Metric, RunRecord};
use kurabe_stats::paired_ratio;

use crate::figures::figure::Figure;
use crate::rank::phase::{PhaseAnswer, PhaseRow};

/// Kurabe's own client against a load tool in one phase, paired by round.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRatio {
    /// Phase.
    pub phase: String,
    /// Rate of the own client over that of the tool.
    pub rate: Figure,
    /// The same of the client's processor time for one operation; absent where that is not known.
    pub client_cpu: Option<Figure>,
}

/// The candidate that differs from one of a load tool in nothing but who asks, where the run has one.
pub(crate) fn own_of<'a>(run: &'a RunRecord, tool: &CandidateRecord) -> Option<&'a CandidateRecord> {
    let what = |one: &CandidateRecord| {
        let app: Vec<&str> = one.app.iter().map(|app| app.name.as_str()).collect();
        format!("{:?}", (&one.store, &one.variant, &one.at_url, &one.factors, &one.asked, &one.durability, app))
    };
    let asks = |one: &&CandidateRecord| match tool.asked_by {
        Some(_) => one.client == tool.client,
        None => one.client == "rust",
    };
    run.candidates
        .iter()
        .filter(asks)
        .find(|one| !one.by_load_tool && one.pitfall().is_none() && what(one) == what(tool))
}

/// The phases in which both have a rate.
pub(crate) fn ratios(phases: &[PhaseAnswer], own: &str, tool: &str) -> Vec<ToolRatio> {
    let of = |phase: &PhaseAnswer| {
        let row = |name: &str| phase.rows.iter().find(|row| row.candidate == name);
        let (own, tool) = (row(own)?, row(tool)?);
        Some(ToolRatio {
            phase: phase.name.clone(),
            rate: ratio(own, tool, Metric::Rate)?,
            client_cpu: ratio(own, tool, Metric::ClientCpu),
        })
    };
    // A load is no work of the tool's.
    phases.iter().filter(|phase| phase.operation != kurabe_protocol::Operation::Load).filter_map(of).collect()
}

fn ratio(own: &PhaseRow, tool: &PhaseRow, metric: Metric) -> Option<Figure> {
    paired_ratio(&own.by_round(metric), &tool.by_round(metric)).map(|ratio| Figure::of(ratio.estimate))
}
