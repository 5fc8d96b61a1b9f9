//! The services of a job: each with its part, started one after the other, so that a later one can be told where an earlier
//! one is; measured apart; stopped in the other order. One that is ended amid a phase, as planned, keeps its place until it
//! is started again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kurabe_messages::{Message, message};
use kurabe_record::{PhaseRecord, ServiceTarget, TreeUse};
use kurabe_service::SERVICE_LOG;

use crate::fault::Fault;
use crate::launcher::{Launcher, RunningService, ServiceStart, StartKind, Templates};
use crate::resolve::Startable;

/// What a service is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ServiceRole {
    /// It holds rows that loads fetch.
    RowsFrom,
    /// It is the store that is measured.
    Store,
    /// It stands before the store, and is asked in its place.
    App,
    /// It lets through to one before the store what a line of some speed would, and nothing more.
    Link,
}

impl ServiceRole {
    /// All of them.
    pub(crate) const ALL: [ServiceRole; 4] =
        [ServiceRole::Store, ServiceRole::RowsFrom, ServiceRole::App, ServiceRole::Link];

    /// What it took in a phase.
    pub(crate) fn used(self, record: &mut PhaseRecord) -> &mut Option<TreeUse> {
        match self {
            ServiceRole::RowsFrom => &mut record.rows_from,
            ServiceRole::Store => &mut record.service,
            ServiceRole::App => &mut record.app,
            ServiceRole::Link => &mut record.link,
        }
    }

    /// What the message `run-died` calls it.
    fn word(self) -> &'static str {
        match self {
            ServiceRole::RowsFrom => "rows-from",
            ServiceRole::Store => "store",
            ServiceRole::App => "app",
            ServiceRole::Link => "link",
        }
    }
}

impl From<ServiceTarget> for ServiceRole {
    fn from(target: ServiceTarget) -> ServiceRole {
        match target {
            ServiceTarget::Store => ServiceRole::Store,
            ServiceTarget::App => ServiceRole::App,
        }
    }
}

/// What a service is started from, for the first time and again.
pub(crate) struct Recipe<'a> {
    /// What it is there for.
    pub(crate) part: ServiceRole,
    /// How it is started.
    pub(crate) service: Startable<'a>,
    /// Its data folder.
    pub(crate) data: PathBuf,
    /// For its log and sockets.
    pub(crate) folder: PathBuf,
    /// Values of placeholders.
    pub(crate) variables: BTreeMap<String, String>,
}

/// What all services of a job are started with.
#[derive(Clone, Copy)]
pub(crate) struct ServiceContext<'a> {
    /// Who starts them.
    pub(crate) launcher: &'a dyn Launcher,
    /// Where the run keeps its data.
    pub(crate) run_data: &'a std::path::Path,
    /// Initialised folders.
    pub(crate) templates: &'a Templates,
    /// Set when the user interrupts.
    pub(crate) interrupt: &'a AtomicBool,
}

impl ServiceContext<'_> {
    fn start(self, recipe: &Recipe<'_>, begin: StartKind) -> Result<Box<dyn RunningService>, Fault> {
        let ServiceContext { launcher, run_data, templates, interrupt } = self;
        let what = ServiceStart {
            begin,
            run_data,
            data: &recipe.data,
            folder: &recipe.folder,
            variables: recipe.variables.clone(),
            templates,
            interrupt,
        };
        launcher.start_service(&recipe.service, &what)
    }
}

/// A service of a job.
struct JobService<'a> {
    recipe: Recipe<'a>,
    /// Absent from its planned end until it is started again.
    running: Option<Box<dyn RunningService>>,
    /// The port that it had at its first start.
    port: Option<u16>,
}

/// Services of a job, in the order of their start; dropped, they end.
#[derive(Default)]
pub(crate) struct Services<'a>(Vec<JobService<'a>>);

impl<'a> Services<'a> {
    /// Starts one on a fresh copy of its data.
    pub(crate) fn start(&mut self, services_context: ServiceContext<'_>, recipe: Recipe<'a>) -> Result<(), Fault> {
        let service = services_context.start(&recipe, StartKind::Fresh)?;
        let port = service.port();
        self.0.push(JobService { recipe, running: Some(service), port });
        Ok(())
    }

    /// The service that plays a part, where the job has one and it runs; of several the first that was started.
    pub(crate) fn get(&self, part: ServiceRole) -> Option<&dyn RunningService> {
        self.0.iter().find(|member| member.recipe.part == part)?.running.as_deref()
    }

    /// Whether the job has one of this part, running or not.
    pub(crate) fn has(&self, part: ServiceRole) -> bool {
        self.0.iter().any(|member| member.recipe.part == part)
    }

    /// The service that clients ask: the outermost of those before the store, or the store.
    pub(crate) fn asked(&self) -> Option<&dyn RunningService> {
        let asked = |member: &&JobService<'_>| {
            matches!(member.recipe.part, ServiceRole::Link | ServiceRole::App | ServiceRole::Store)
        };
        self.0.iter().rev().find(asked)?.running.as_deref()
    }

    /// The log of the service that plays a part, where the job has one.
    pub(crate) fn log(&self, part: ServiceRole) -> Option<PathBuf> {
        let member = self.0.iter().find(|member| member.recipe.part == part)?;
        Some(member.recipe.folder.join(SERVICE_LOG))
    }

    /// Numbers of the main processes of a part.
    pub(crate) fn pids(&self, part: ServiceRole) -> impl Iterator<Item = u32> {
        let of_part = self.0.iter().filter(move |member| member.recipe.part == part);
        of_part.filter_map(|member| member.running.as_ref()).map(|service| service.pid())
    }

    /// One that is dead though nobody ended it.
    pub(crate) fn dead(&mut self) -> Option<DeadService> {
        self.first(|service| !service.is_alive())
    }

    /// One that is dead, or dies within `limit`, of each.
    pub(crate) fn dying(&mut self, limit: Duration) -> Option<DeadService> {
        self.dead().or_else(|| self.first(|service| service.dies_within(limit)))
    }

    fn first(&mut self, is_dead: impl Fn(&mut dyn RunningService) -> bool) -> Option<DeadService> {
        self.0.iter_mut().find_map(|JobService { recipe, running, .. }| {
            let service = running.as_deref_mut()?;
            is_dead(service).then(|| DeadService { who: recipe.part.word(), log: service.log_tail(LOG_LINES) })
        })
    }

    /// Ends the first of a part, as planned: it is started again by [`Services::revive`].
    pub(crate) fn end(&mut self, part: ServiceRole, end: PlannedEnd<'_>) -> Result<(), Fault> {
        let member = self.0.iter_mut().find(|member| member.recipe.part == part);
        let Some(service) = member.and_then(|member| member.running.take()) else { return Ok(()) };
        match end {
            PlannedEnd::Killed => service.kill(),
            PlannedEnd::InGoodOrder(interrupt) => service.stop(interrupt),
        }
    }

    /// Stops the first of a part for a while, at most until the user interrupts; why that could not be done.
    pub(crate) fn pause(&self, part: ServiceRole, time: Duration, interrupt: &AtomicBool) -> Result<(), Message> {
        let Some(pid) = self.pids(part).next() else { return Ok(()) };
        kurabe_service::pause(pid, time, interrupt)
            .map_err(|error| message!(run_action_no_pause, error = error.to_string()))
    }

    /// Starts those again that were ended as planned, on what they left; returns whether there were any.
    pub(crate) fn revive(&mut self, services_context: ServiceContext<'_>) -> Result<bool, Fault> {
        let mut any = false;
        for member in self.0.iter_mut().filter(|member| member.running.is_none()) {
            member.running = Some(services_context.start(&member.recipe, StartKind::Again { port: member.port })?);
            any = true;
        }
        Ok(any)
    }

    /// Ends all cleanly, the last first: it may need those before it.
    pub(crate) fn stop(&mut self, interrupt: &AtomicBool) -> Result<(), Fault> {
        while let Some(member) = self.0.pop() {
            member.running.map_or(Ok(()), |service| service.stop(interrupt))?;
        }
        Ok(())
    }
}

/// How a service is ended where that is planned.
#[derive(Clone, Copy)]
pub(crate) enum PlannedEnd<'a> {
    /// As by a crash.
    Killed,
    /// As its owner would, at most until the user interrupts.
    InGoodOrder(&'a AtomicBool),
}

/// Lines of a log that are told of a service that died.
const LOG_LINES: usize = 15;

/// A service that died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeadService {
    /// Who it was: a word that the message `run-died` knows.
    pub(crate) who: &'static str,
    /// The end of its log.
    pub(crate) log: String,
}
