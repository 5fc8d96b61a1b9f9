//! What the words in tables mean.

use kurabe_analysis::{Answer, Bottleneck, BottleneckEvidence, LEVEL, LimitBasis, PathPart};
use kurabe_messages::{Message, message};

use crate::tables::saturated;

/// What the marks mean that say which part of the way limits a rate.
fn of_bottlenecks(answer: &Answer) -> impl Iterator<Item = Message> {
    let rows = answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks: Vec<&Bottleneck> = rows.filter_map(|row| row.bottleneck.as_ref()).collect();
    let any = |is_it: &dyn Fn(&Bottleneck) -> bool| marks.iter().any(|one| is_it(one));
    let all = [
        (any(&|one| matches!(one.because, BottleneckEvidence::Busy { .. })), message!(legend_busy)),
        (any(&|one| one.part == PathPart::AppWithStore), message!(legend_app_and_store)),
        (any(&|one| matches!(one.because, BottleneckEvidence::Processors { .. })), message!(legend_cpus)),
        (
            any(&|one| one.because == BottleneckEvidence::Waits && one.part == PathPart::Store),
            message!(legend_store_waits),
        ),
        (any(&|one| one.part == PathPart::Link), message!(legend_link)),
        (any(&|one| one.over_map.is_some()), message!(legend_map)),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, message)| message)
}

/// What the words in tables mean that need a definition, as far as they occur.
pub fn legend(answer: &Answer) -> Vec<Message> {
    let rows = || answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks =
        || rows().filter(|row| row.bottleneck.is_none() && saturated(row).is_some()).filter_map(|row| row.limit);
    let rankings = || answer.phases.iter().flat_map(|phase| &phase.rankings);
    let all = [
        (rankings().any(|ranking| ranking.detectable.is_some()), message!(legend_detectable)),
        (rows().any(|row| row.used.loop_share.is_some()), message!(legend_overhead)),
        (rows().any(|row| row.used.encoding_share.is_some()), message!(legend_encoding)),
        (rankings().any(|ranking| ranking.level > LEVEL), message!(legend_level)),
        (marks().any(|limit| matches!(limit.basis, LimitBasis::Baseline { .. })), message!(legend_baseline)),
        (marks().any(|limit| matches!(limit.basis, LimitBasis::Service { .. })), message!(legend_client)),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, message)| message).chain(of_bottlenecks(answer)).collect()
}
