//! What is done at moments of a phase, while its clients work.

use std::time::{Duration, Instant};

use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::CallName;
use kurabe_protocol::stream::{self, StreamKind};
use kurabe_record::{Act, ActionPlan, ActionRecord, JobErrorKind, Loss, PhasePlan, ServiceTarget};

use super::Work;
use super::control::Clients;
use crate::fault::{Fault, LOOK};
use crate::services::{DeadService, PlannedEnd, ServiceRole};

/// What is still to be done in a phase, and what was.
pub(super) struct Agenda<'a> {
    started: Instant,
    remaining: &'a [ActionPlan],
    /// Where in its range the last one comes, of 2^64.
    drawn: u64,
    done: Vec<ActionRecord>,
    /// Whether the end of a service waits for the clients, whatever its moment: where its disk fails, their errors are to be
    /// about that.
    awaits_clients: bool,
    /// Whether the clients are done.
    is_over: bool,
}

impl<'a> Agenda<'a> {
    /// Of a phase whose clients are let go now; `drawn` is evenly distributed.
    pub(super) fn of(plan: &'a PhasePlan, drawn: u64) -> Agenda<'a> {
        let awaits_clients = plan.breaks_disk();
        Agenda {
            started: Instant::now(),
            remaining: &plan.actions,
            drawn,
            done: Vec::new(),
            awaits_clients,
            is_over: false,
        }
    }

    /// When an action is due, after the start.
    pub(super) fn moment(&self, plan: &ActionPlan) -> Duration {
        let range_ns = plan.at_most_ns.unwrap_or(plan.at_ns) - plan.at_ns;
        let drawn_ns = (u128::from(range_ns) * u128::from(self.drawn)) >> 64;
        Duration::from_nanos(plan.at_ns + drawn_ns as u64)
    }

    /// How long one may wait for clients until something is due, or until it is time to look around.
    pub(super) fn wait(&self) -> Duration {
        let next = self.remaining.first().filter(|plan| !self.is_held(plan));
        let next = next.map(|plan| self.moment(plan).saturating_sub(self.started.elapsed()));
        next.map_or(LOOK, |next| next.min(LOOK))
    }

    fn is_held(&self, plan: &ActionPlan) -> bool {
        self.awaits_clients && !self.is_over && plan.act.ended_service().is_some()
    }

    fn due(&mut self) -> Option<&'a ActionPlan> {
        let (next, rest) = self.remaining.split_first()?;
        let is_early = || !self.is_over && self.started.elapsed() < self.moment(next);
        if self.is_held(next) || is_early() {
            return None;
        }
        self.remaining = rest;
        Some(next)
    }
}

impl Work<'_> {
    /// Why the actions of a phase cannot be done with this candidate.
    pub(super) fn lacks_for_actions(&self, plan: &PhasePlan) -> Option<Message> {
        plan.actions.iter().find_map(|action| match action.act {
            Act::Kill(target) => self.lacks_end_of(target),
            _ if self.own_server().is_some() => Some(message!(run_action_at_address)),
            Act::Cut(target) | Act::Restart(target) => self.lacks_end_of(target),
            Act::Pause { target, .. } => self.lacks_service(target),
            Act::Disk { .. } => self.lacks_service(ServiceTarget::Store),
            Act::Call(_) if self.control.is_none() => Some(message!(run_action_inside)),
            Act::Call(_) => None,
        })
    }

    fn lacks_end_of(&self, target: ServiceTarget) -> Option<Message> {
        let keeps = self.candidate.durability.as_ref().is_some_and(|setting| setting.kill == Loss::Nothing);
        let is_judged = keeps || self.counts_losses();
        self.lacks_service(target).or_else(|| (!is_judged).then(|| message!(run_action_no_promise)))
    }

    /// What is to be done in a phase whose clients are let go now; moments are drawn by the job and the phase.
    pub(super) fn agenda<'b>(&self, plan: &'b PhasePlan) -> Agenda<'b> {
        let at = self.context.phases.iter().position(|other| other.phase.name == plan.phase.name).unwrap_or_default();
        Agenda::of(plan, stream::seed_of(self.context.study.plan.seed, self.number, at as u32, StreamKind::Moments))
    }

    /// Whether the job tells what a kill took.
    pub(super) fn counts_losses(&self) -> bool {
        self.context.config.counts_losses()
    }

    /// The service that is meant: a library is in the one before it.
    fn role_of(&self, target: ServiceTarget) -> ServiceRole {
        match target {
            ServiceTarget::Store if !self.services.has(ServiceRole::Store) => ServiceRole::App,
            target => target.into(),
        }
    }

    /// Why nothing can be done to a service.
    fn lacks_service(&self, target: ServiceTarget) -> Option<Message> {
        let record = &self.candidate.record;
        Some(match target {
            ServiceTarget::Store if self.own_server().is_some() => return None,
            _ if record.at_url.is_some() => message!(run_action_at_address),
            _ if record.by_load_tool => message!(run_action_load_tool),
            _ if self.services.has(self.role_of(target)) => return None,
            ServiceTarget::App => message!(run_action_no_app),
            ServiceTarget::Store => message!(run_action_in_client),
        })
    }

    /// Does everything that is due.
    pub(super) fn act(&mut self, agenda: &mut Agenda<'_>) -> Result<(), Fault> {
        while let Some(plan) = agenda.due() {
            let begun = Instant::now();
            let mut record = ActionRecord::of(plan);
            record.began_ns = Some(agenda.started.elapsed().as_nanos() as u64);
            record.died = plan.act.ended_service().and_then(|_| self.death());
            match plan.act {
                Act::Kill(target) => match self.own_server() {
                    Some(server) => record.failed = self.kill_own_server(server)?.map(Into::into),
                    None => self.services.end(self.role_of(target), PlannedEnd::Killed)?,
                },
                Act::Cut(target) => record.at_cut = Some(self.cut_power(self.role_of(target))?),
                Act::Restart(target) => {
                    self.services.end(self.role_of(target), PlannedEnd::InGoodOrder(self.halt.interrupt))?;
                }
                Act::Disk { fault, time_ns } => {
                    record.disk_fault = Some(self.break_disk(fault, Duration::from_nanos(time_ns))?);
                }
                Act::Pause { target, time_ns } => {
                    let paused =
                        self.services.pause(self.role_of(target), Duration::from_nanos(time_ns), self.halt.interrupt);
                    record.failed = paused.err().map(Into::into);
                }
                Act::Call(name) => match self.ask(name)? {
                    Ok(answer) => record.answer = answer,
                    Err(error) => record.failed = Some(error.into()),
                },
            }
            record.lasted_ns = Some(begun.elapsed().as_nanos() as u64);
            if matches!(plan.act, Act::Restart(_)) {
                record.recovery_ns = self.revive(Clients::AtWork)?;
            }
            agenda.done.push(record);
        }
        Ok(())
    }

    /// The clients are done: does what waited for them.
    pub(super) fn act_after_clients(&mut self, agenda: &mut Agenda<'_>) -> Result<(), Fault> {
        agenda.is_over = agenda.awaits_clients;
        if agenda.is_over { self.act(agenda) } else { Ok(()) }
    }

    /// What a service that ended by itself wrote last.
    fn death(&mut self) -> Option<RecordedText> {
        let DeadService { who, log } = self.services.dead()?;
        Some(message!(run_died, who, noticed = None::<Message>, log = log.trim()).into())
    }

    /// After the phase: what did not come to pass is noted, and what was killed is started again.
    pub(super) fn close(&mut self, agenda: Agenda<'_>) -> Result<Vec<ActionRecord>, Fault> {
        let Agenda { remaining, mut done, .. } = agenda;
        let missed = |plan: &ActionPlan| ActionRecord {
            failed: Some(message!(run_action_too_late).into()),
            ..ActionRecord::of(plan)
        };
        done.extend(remaining.iter().map(missed));
        let back = match self.come_back() {
            Err(Fault::Failed { message, .. }) if self.counts_losses() => Err(message),
            Err(Fault::ServiceDied) if self.counts_losses() => Err(message!(run_service_died).into()),
            back => Ok(back?),
        };
        // Of several that were killed all are started again before the store is asked.
        let was_killed = |record: &&mut ActionRecord| {
            matches!(record.plan.act, Act::Kill(_) | Act::Cut(_)) && record.failed.is_none()
        };
        for record in done.iter_mut().filter(was_killed) {
            match &back {
                Ok(recovery_ns) => record.recovery_ns = *recovery_ns,
                Err(why) => record.not_back = Some(why.clone()),
            }
        }
        Ok(done)
    }

    /// Starts what was killed again; returns how long that took. Where losses are counted it must also give its rows: a
    /// service may open its store only when it is asked for something of it.
    fn come_back(&mut self) -> Result<Option<u64>, Fault> {
        let recovery_ns = self.revive(Clients::Idle)?;
        if recovery_ns.is_some() && self.counts_losses() {
            self.ask(CallName::Count)?.map_err(|error| Fault::new(JobErrorKind::Service, error))?;
        }
        Ok(recovery_ns)
    }
}
