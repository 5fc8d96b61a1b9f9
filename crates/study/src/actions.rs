//! What a phase has the harness do while it runs (`actions`), checked.

use kurabe_messages::{Message, message};
use kurabe_protocol::{CallName, End, Operation, Phase, Warmup};
use kurabe_record::{Act, ActionPlan, ServiceTarget};
use serde::Deserialize;

use crate::error::StudyError;
use crate::words::parse_duration;

/// One of `actions`, as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireAction {
    at: String,
    #[serde(default)]
    kill: Option<ServiceTarget>,
    #[serde(default)]
    cut: Option<ServiceTarget>,
    #[serde(default)]
    restart: Option<ServiceTarget>,
    #[serde(default)]
    call: Option<CallName>,
    #[serde(default)]
    pause: Option<Pause>,
}

/// A service that stands still, as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pause {
    service: ServiceTarget,
    time: String,
}

/// Calls that look at a store and change nothing.
const LOOKING: [CallName; 7] = [
    CallName::Ping,
    CallName::Info,
    CallName::Settings,
    CallName::Count,
    CallName::Size,
    CallName::Check,
    CallName::Sum,
];
/// A service that stands still for longer is given up by some drivers.
const MAX_PAUSE_NS: u64 = 10_000_000_000;
/// Most actions of a phase.
const MAX_ACTIONS: usize = 100;

/// The actions of a phase in the order of time. `decides` tells whether it is ranked, or measured against a need.
///
/// Fails where one says nothing or two things, comes after the end of the phase, changes the store, or would end a service
/// where that makes no sense.
pub(crate) fn check_actions(
    origin: &str,
    actions: &[WireAction],
    phase: &Phase,
    decides: bool,
) -> Result<Vec<ActionPlan>, StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    if actions.is_empty() {
        return Ok(Vec::new());
    }
    if matches!(phase.operation(), Operation::Load | Operation::Program) {
        return problem(message!(study_phase_no_actions, operation = phase.operation()));
    }
    if actions.len() > MAX_ACTIONS {
        return problem(message!(study_phase_actions_many, most = MAX_ACTIONS, count = actions.len()));
    }
    let mut plans = actions.iter().map(|action| check_one(origin, action, phase)).collect::<Result<Vec<_>, _>>()?;
    plans.sort_by_key(|plan| plan.at_ns);
    if plans.iter().rev().skip(1).any(|plan| plan.at_most_ns.is_some()) {
        return problem(message!(study_phase_action_range));
    }
    let mut ended: Vec<ServiceTarget> = Vec::new();
    for target in plans.iter().filter_map(|plan| plan.act.ended_service()) {
        if ended.contains(&target) {
            return problem(message!(study_phase_action_ends_twice, service = target));
        }
        ended.push(target);
    }
    if decides && !ended.is_empty() {
        return problem(message!(study_phase_action_unranked));
    }
    Ok(plans)
}

fn check_one(origin: &str, action: &WireAction, phase: &Phase) -> Result<ActionPlan, StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    let act = match (action.kill, action.cut, action.restart, action.call, &action.pause) {
        (Some(target), None, None, None, None) => Act::Kill(target),
        (None, Some(target), None, None, None) => Act::Cut(target),
        (None, None, Some(target), None, None) => Act::Restart(target),
        (None, None, None, None, Some(pause)) => pause_of(origin, pause)?,
        (None, None, None, Some(name), None) if LOOKING.contains(&name) => Act::Call(name),
        (None, None, None, Some(name), None) => {
            let known = LOOKING.map(|name| name.to_string());
            return problem(message!(study_phase_action_call, known, call = name));
        }
        _ => {
            let pause = "pause = { service = \"store\", time = \"1s\" }";
            let examples = ["kill = \"store\"", "cut = \"store\"", "restart = \"app\"", "call = \"size\"", pause];
            let examples = examples.map(|act| format!("{{ at = \"1s\", {act} }}"));
            return problem(message!(study_phase_action_one, examples));
        }
    };
    let (from, to) = action.at.split_once("..").map_or((&*action.at, None), |(from, to)| (from, Some(to)));
    let at_ns = parse_duration(origin, from)?;
    let at_most_ns = to.map(|to| parse_duration(origin, to)).transpose()?;
    if at_most_ns.is_some_and(|most_ns| most_ns <= at_ns) {
        return problem(message!(study_phase_action_backwards, at = &action.at));
    }
    let warmup_ns = match phase.warmup {
        Some(Warmup::DurationNs(ns)) => ns,
        _ => 0,
    };
    match phase.end {
        End::DurationNs(ns) | End::First { duration_ns: ns, .. } if at_most_ns.unwrap_or(at_ns) >= warmup_ns + ns => {
            problem(message!(study_phase_action_late, act, time = &action.at))
        }
        _ => Ok(ActionPlan { at_ns, at_most_ns, act }),
    }
}

fn pause_of(origin: &str, pause: &Pause) -> Result<Act, StudyError> {
    let time_ns = parse_duration(origin, &pause.time)?;
    if time_ns == 0 || time_ns > MAX_PAUSE_NS {
        return Err(StudyError::value(origin, message!(study_phase_pause, most = MAX_PAUSE_NS, time = &pause.time)));
    }
    Ok(Act::Pause { target: pause.service, time_ns })
}
