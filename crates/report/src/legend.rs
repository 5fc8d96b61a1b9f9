//! What the words in tables mean.

use kurabe_analysis::{Answer, Bottleneck, BottleneckEvidence, LEVEL, LimitBasis, OnTheWay};

use crate::tables::limit_mark;

/// What the marks say that tell which part of the way holds a rate.
fn bottleneck_legend(answer: &Answer) -> Vec<&'static str> {
    let rows = answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks: Vec<&Bottleneck> = rows.filter_map(|row| row.bottleneck.as_ref()).collect();
    let any = |is_it: &dyn Fn(&Bottleneck) -> bool| marks.iter().any(|one| is_it(one));
    let all = [
        (
            any(&|one| matches!(one.because, BottleneckEvidence::Busy { .. })),
            "limit client, app, store with a share: so busy is this part of the way, of its threads or of the processors that it can use, and the others are not; app is the services before the store.",
        ),
        (
            any(&|one| one.part == OnTheWay::AppWithStore),
            "app+store: the store is inside the service's process; the same over the store that does nothing, map, would tell which of the two it is.",
        ),
        (
            any(&|one| matches!(one.because, BottleneckEvidence::Processors { .. })),
            "CPUs: all processors of the machine are busy, and so much of their time is that of this part.",
        ),
        (
            any(&|one| one.because == BottleneckEvidence::Waits && one.part == OnTheWay::Store),
            "store waits: no part is busy; the store waits, for its disk or for those who hold a lock.",
        ),
        (
            any(&|one| one.part == OnTheWay::Link),
            "link: no part is busy, and all goes over a link that lets so much through and no more.",
        ),
        (
            any(&|one| one.over_map.is_some()),
            "map: so much of the time of a request the same request takes over the store that does nothing, behind the same services.",
        ),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, says)| says).collect()
}

/// What the words in tables mean that do not speak for themselves, as far as they occur.
pub fn legend(answer: &Answer) -> Vec<String> {
    let rows = || answer.phases.iter().flat_map(|phase| &phase.rows);
    let marks =
        || rows().filter(|row| row.bottleneck.is_none() && limit_mark(row).is_some()).filter_map(|row| row.limit);
    let mut legend = Vec::new();
    if rows().any(|row| row.used.loop_share.is_some()) {
        legend.push("own loop: the part of the stores' time that preparing and checking operations takes; it is in rates and not in latencies.");
    }
    if rows().any(|row| row.used.encoding_share.is_some()) {
        legend.push(
            "encoding: the part of the time that encoding and decoding rows takes; it is in rates and in latencies.",
        );
    }
    if answer.phases.iter().flat_map(|phase| &phase.rankings).any(|ranking| ranking.level > LEVEL) {
        legend.push("intervals of ratios above 95 %: so many pairs are compared that at 95 % each some would look different by chance; at this level that happens to one ranking in twenty at most.");
    }
    if marks().any(|limit| matches!(limit.basis, LimitBasis::Baseline { .. })) {
        legend.push("baseline: the time of an operation of 'echo', which does nothing, over that of the store; above 5 % the rate is that of the harness in part.");
    }
    if marks().any(|limit| matches!(limit.basis, LimitBasis::Service { .. })) {
        legend.push("client: its threads were busy and the service's cores were not; the rate is that of the client.");
    }
    legend.extend(bottleneck_legend(answer));
    legend.into_iter().map(String::from).collect()
}
