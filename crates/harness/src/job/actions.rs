//! What is done at moments of a phase, while its clients work.

use std::time::{Duration, Instant};

use kurabe_messages::{Message, message};
use kurabe_record::{Act, ActionPlan, ActionRecord, Loss, PhasePlan, ServiceTarget, StoreKind};

use super::Work;
use super::control::Clients;
use crate::fault::{Fault, LOOK};
use crate::services::{PlannedEnd, ServiceRole};

/// What is still to be done in a phase, and what was.
pub(super) struct Agenda<'a> {
    started: Instant,
    remaining: &'a [ActionPlan],
    done: Vec<ActionRecord>,
}

impl<'a> Agenda<'a> {
    /// Of a phase whose clients are let go now.
    pub(super) fn of(plan: &'a PhasePlan) -> Agenda<'a> {
        Agenda { started: Instant::now(), remaining: &plan.actions, done: Vec::new() }
    }

    /// How long one may wait for clients until something is due, or until it is time to look around.
    pub(super) fn wait(&self) -> Duration {
        let next =
            self.remaining.first().map(|plan| Duration::from_nanos(plan.at_ns).saturating_sub(self.started.elapsed()));
        next.map_or(LOOK, |next| next.min(LOOK))
    }

    fn due(&mut self) -> Option<&'a ActionPlan> {
        let (next, rest) = self.remaining.split_first()?;
        if self.started.elapsed() < Duration::from_nanos(next.at_ns) {
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
            Act::Kill(target) | Act::Restart(target) => self.lacks_end_of(target),
            Act::Pause { target, .. } => self.lacks_service(target),
            Act::Call(_) if self.control.is_none() => Some(message!(run_action_inside)),
            Act::Call(_) => None,
        })
    }

    fn lacks_end_of(&self, target: ServiceTarget) -> Option<Message> {
        let keeps = self.candidate.durability.as_ref().is_some_and(|setting| setting.kill == Loss::Nothing);
        self.lacks_service(target).or_else(|| (!keeps).then(|| message!(run_action_no_promise)))
    }

    /// Why nothing can be done to a service.
    fn lacks_service(&self, target: ServiceTarget) -> Option<Message> {
        let record = &self.candidate.record;
        let has = self.services.has(target.into());
        Some(match target {
            _ if record.at_url.is_some() => message!(run_action_at_address),
            _ if record.by_load_tool => message!(run_action_load_tool),
            _ if record.kind == StoreKind::Baseline => message!(run_action_baseline),
            ServiceTarget::App if !has => message!(run_action_no_app),
            ServiceTarget::Store if !has && self.services.has(ServiceRole::App) => message!(run_action_inside_app),
            ServiceTarget::Store if !has => message!(run_action_in_client),
            _ => return None,
        })
    }

    /// Does everything that is due.
    pub(super) fn act(&mut self, agenda: &mut Agenda<'_>) -> Result<(), Fault> {
        while let Some(plan) = agenda.due() {
            let begun = Instant::now();
            let mut record = ActionRecord::of(plan);
            record.began_ns = Some(agenda.started.elapsed().as_nanos() as u64);
            match plan.act {
                Act::Kill(target) => self.services.end(target.into(), PlannedEnd::Killed)?,
                Act::Restart(target) => {
                    self.services.end(target.into(), PlannedEnd::InGoodOrder(self.halt.interrupt))?;
                }
                Act::Pause { target, time_ns } => {
                    let paused = self.services.pause(target.into(), Duration::from_nanos(time_ns), self.halt.interrupt);
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

    /// After the phase: what did not come to pass is noted, and what was killed is started again.
    pub(super) fn close(&mut self, agenda: Agenda<'_>) -> Result<Vec<ActionRecord>, Fault> {
        let Agenda { remaining, mut done, .. } = agenda;
        let missed = |plan: &ActionPlan| ActionRecord {
            failed: Some(message!(run_action_too_late).into()),
            ..ActionRecord::of(plan)
        };
        done.extend(remaining.iter().map(missed));
        let recovery_ns = self.revive(Clients::Idle)?;
        // Of several that were killed all are started again before the store is asked.
        for record in
            done.iter_mut().filter(|record| matches!(record.plan.act, Act::Kill(_)) && record.failed.is_none())
        {
            record.recovery_ns = recovery_ns;
        }
        Ok(done)
    }
}
