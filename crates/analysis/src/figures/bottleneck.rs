//! Which part of the way holds the rate of a store behind services: client, link, service, or store.

use kurabe_record::{AppRecord, BaselineKind, CandidateRecord, PhasePlan, TreeUse};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::client_limit::BUSY;
use crate::figures::input::Input;
use crate::figures::phase_job::PhaseJob;

/// What holds the rate of one behind services.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bottleneck {
    /// The part of the way.
    pub part: PathPart,
    /// The figure that tells; of 1.
    pub because: BottleneckEvidence,
    /// Of the time of a request, the share that the same request takes over the store that does nothing, behind the
    /// same services; of 1. Absent where that was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_map: Option<f64>,
}

/// A part of the way between those who ask and what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathPart {
    /// The client.
    Client,
    /// A link that only lets so much through.
    Link,
    /// The services before the store.
    App,
    /// The store.
    Store,
    /// A service with the store inside its process: which of the two cannot be told from processor times.
    AppWithStore,
}

impl PathPart {
    /// Its word in tables.
    pub fn word(self) -> &'static str {
        match self {
            PathPart::Client => "client",
            PathPart::Link => "link",
            PathPart::App => "app",
            PathPart::Store => "store",
            PathPart::AppWithStore => "app+store",
        }
    }
}

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum BottleneckEvidence {
    /// It is busy with all that it can use: its threads, or the processors that its program can use.
    Busy {
        /// Its processor time over that of these.
        share: f64,
    },
    /// All processors of the machine are busy, most of them with it.
    Processors {
        /// Its processor time over that of all parts.
        share: f64,
    },
    /// No part is busy, so that it is waited for.
    Waits,
}

/// Processor times of all parts of the way over some jobs, in ns.
#[derive(Default)]
struct Used {
    client: f64,
    link: f64,
    app: f64,
    store: f64,
    /// Elapsed time.
    wall: f64,
    /// Elapsed time times the client's threads.
    client_threads: f64,
    /// Whether the store has a process of its own.
    store_is_apart: bool,
}

impl Used {
    fn of(jobs: &[PhaseJob<'_>]) -> Option<Used> {
        let mut used = Used::default();
        for record in jobs.iter().filter_map(PhaseJob::ran) {
            // A part that has no tree took nothing; one whose time is not known leaves the job out.
            let apart = |tree: Option<TreeUse>| tree.map_or(Some(0), |tree| tree.cpu_ns);
            let (Some(client), Some(app), Some(span)) = (record.client, record.app, record.span()) else { continue };
            let (Some(client), Some(app), Some(link), Some(store)) =
                (client.cpu_ns, app.cpu_ns, apart(record.link), apart(record.service))
            else {
                continue;
            };
            let wall = span.wall_ns() as f64;
            let threads: u32 = record.results.iter().map(|result| result.threads).sum();
            used.client += client as f64;
            used.link += link as f64;
            used.app += app as f64;
            used.store += store as f64;
            used.store_is_apart |= record.service.is_some();
            used.wall += wall;
            used.client_threads += f64::from(threads) * wall;
        }
        (used.client_threads > 0.0).then_some(used)
    }

    fn all(&self) -> f64 {
        self.client + self.link + self.app + self.store
    }
}

/// What holds the rate; `None` for a store that is asked directly or by a load tool, where processor times were not seen,
/// and where connections wait: the plan or their think time holds it then.
pub(crate) fn of(
    input: &Input<'_>,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    jobs: &[PhaseJob<'_>],
) -> Option<Bottleneck> {
    let is_bandwidth_limit = |app: &&AppRecord| app.is_bandwidth_limit;
    let services = || candidate.app.iter().filter(|app| !is_bandwidth_limit(app));
    services().next().filter(|_| !candidate.by_load_tool && !plan.phase.waits())?;
    let used = Used::of(jobs)?;
    let cores = f64::from(input.run.machine.usable_cores.max(1));
    let own_cores: Option<u32> = services().map(|app| app.cores).sum();
    let app_cores = own_cores.map_or(cores, |own| f64::from(own).min(cores));
    let over_map = over_map(input, candidate, plan, jobs);
    // Which of the two, where one process is both: what the same request takes without the store.
    let app = match over_map {
        _ if used.store_is_apart || is_baseline(candidate) => PathPart::App,
        None => PathPart::AppWithStore,
        Some(share) if share < 0.5 => PathPart::Store,
        Some(_) => PathPart::App,
    };
    let busy_client = used.client / used.client_threads;
    let busy_app = used.app / (app_cores * used.wall);
    let (part, because) = if busy_client.max(busy_app) >= BUSY && busy_client >= busy_app {
        (PathPart::Client, BottleneckEvidence::Busy { share: busy_client })
    } else if busy_app >= BUSY {
        (app, BottleneckEvidence::Busy { share: busy_app })
    } else if used.all() / (cores * used.wall) >= BUSY {
        let parts = [
            (app, used.app),
            (PathPart::Store, used.store),
            (PathPart::Client, used.client),
            (PathPart::Link, used.link),
        ];
        let (part, most) = parts.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (part, BottleneckEvidence::Processors { share: most / used.all() })
    } else if candidate.app.iter().any(|app| app.is_bandwidth_limit) {
        (PathPart::Link, BottleneckEvidence::Waits)
    } else {
        (PathPart::Store, BottleneckEvidence::Waits)
    };
    Some(Bottleneck { part, because, over_map })
}

/// Whether it does nothing but answer: what is left of a request behind the same services is theirs.
fn is_baseline(candidate: &CandidateRecord) -> bool {
    candidate.baseline == Some(BaselineKind::Memory)
}

/// The rate of a candidate over that of the store that does nothing behind the same services.
fn over_map(input: &Input<'_>, candidate: &CandidateRecord, plan: &PhasePlan, jobs: &[PhaseJob<'_>]) -> Option<f64> {
    let names = |one: &CandidateRecord| one.app.iter().map(|app| app.name.clone()).collect::<Vec<String>>();
    let map = input.candidates().find(|other| is_baseline(other) && names(other) == names(candidate))?;
    if map.name == candidate.name {
        return None;
    }
    Some((rate(jobs)? / rate(&input.phase_jobs(map, plan))?).min(1.0))
}

/// Operations a second, over all jobs.
fn rate(jobs: &[PhaseJob<'_>]) -> Option<f64> {
    let (mut operations, mut wall_ns) = (0, 0);
    for record in jobs.iter().filter_map(PhaseJob::ran) {
        operations += record.operations();
        wall_ns += record.span()?.wall_ns();
    }
    (operations > 0 && wall_ns > 0).then(|| operations as f64 * 1e9 / wall_ns as f64)
}
