//! The services of a job: each with its part, started one after the other, so that a later one can be told where an earlier
//! one is; measured apart; stopped in the other order.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::fault::Fault;
use crate::launcher::RunningService;

/// What a service is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// It holds rows that loads fetch.
    RowsFrom,
    /// It is the store that is measured.
    Store,
    /// It stands before the store, and is asked in its place.
    Stack,
    /// It lets through to one before the store what a line of some speed would, and nothing more.
    Link,
}

impl Part {
    /// What it is called where it died.
    fn words(self) -> &'static str {
        match self {
            Part::RowsFrom => "the service that rows are fetched from",
            Part::Store => "the service",
            Part::Stack => "the service before the store",
            Part::Link => "the link to the service",
        }
    }
}

/// Services that run, in the order of their start; dropped, they end.
#[derive(Default)]
pub(crate) struct Services(Vec<(Part, Box<dyn RunningService>)>);

impl Services {
    /// Takes one that was started.
    pub(crate) fn add(&mut self, part: Part, service: Box<dyn RunningService>) {
        self.0.push((part, service));
    }

    /// The service that plays a part, where the job has one.
    pub(crate) fn get(&self, part: Part) -> Option<&dyn RunningService> {
        self.0.iter().find(|(of, _)| *of == part).map(|(_, service)| &**service)
    }

    /// The service that clients ask: the outermost of those before the store, or the store.
    pub(crate) fn asked(&self) -> Option<&dyn RunningService> {
        let is_asked = |of: Part| matches!(of, Part::Link | Part::Stack | Part::Store);
        self.0.iter().rev().find(|(of, _)| is_asked(*of)).map(|(_, service)| &**service)
    }

    /// Numbers of the main processes of a part.
    pub(crate) fn pids(&self, part: Part) -> impl Iterator<Item = u32> {
        self.0.iter().filter(move |(of, _)| *of == part).map(|(_, service)| service.pid())
    }

    /// One that is dead.
    pub(crate) fn dead(&mut self) -> Option<Dead> {
        self.first(|service| !service.is_alive())
    }

    /// One that is dead, or dies within `limit`, of each.
    pub(crate) fn dying(&mut self, limit: Duration) -> Option<Dead> {
        self.dead().or_else(|| self.first(|service| service.dies_within(limit)))
    }

    fn first(&mut self, is_dead: impl Fn(&mut dyn RunningService) -> bool) -> Option<Dead> {
        let (part, service) =
            self.0.iter_mut().find_map(|(part, service)| is_dead(&mut **service).then_some((part, service)))?;
        Some(Dead { who: part.words(), log: service.log_tail(LOG_LINES) })
    }

    /// Ends all in good order, the last first: it may need those before it.
    pub(crate) fn stop(&mut self, interrupt: &AtomicBool) -> Result<(), Fault> {
        while let Some((_, service)) = self.0.pop() {
            service.stop(interrupt)?;
        }
        Ok(())
    }
}

/// Lines of a log that are told of a service that died.
const LOG_LINES: usize = 15;

/// A service that died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dead {
    /// Who it was, in words.
    pub(crate) who: &'static str,
    /// The end of its log.
    pub(crate) log: String,
}
