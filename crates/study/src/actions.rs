//! What a phase has the harness do while it runs (`actions`), checked.

use kurabe_messages::{Message, message};
use kurabe_protocol::{CallName, End, Operation, Phase, Warmup};
use kurabe_record::{Act, ActionPlan, DiskFault, ServiceTarget};
use serde::Deserialize;

use crate::error::{StudyError, unlisted};
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
    disk: Option<Breakage>,
    #[serde(default)]
    pause: Option<Pause>,
}

/// A disk that fails, as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Breakage {
    fault: String,
    time: String,
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
/// The faults of a disk in turn.
const EACH_FAULT: &str = "each";
/// What a phase does whose disk fails.
const BROKEN_AND_CUT: &str =
    "[{ at = \"1s\", disk = { fault = \"full\", time = \"2s\" } }, { at = \"4s\", cut = \"store\" }]";
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
    check_disk(origin, &plans, phase)?;
    if decides && !ended.is_empty() {
        return problem(message!(study_phase_action_unranked));
    }
    Ok(plans)
}

fn check_one(origin: &str, action: &WireAction, phase: &Phase) -> Result<ActionPlan, StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    let act = act_of(origin, action)?;
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

/// A disk fails once in a phase, and is whole again before its power is cut.
fn check_disk(origin: &str, plans: &[ActionPlan], phase: &Phase) -> Result<(), StudyError> {
    let until_ns = |plan: &ActionPlan| match plan.act {
        Act::Disk { time_ns, .. } => Some(plan.at_ns.saturating_add(time_ns)),
        _ => None,
    };
    let cut = plans.iter().find(|plan| matches!(plan.act, Act::Cut(ServiceTarget::Store)));
    let until: Vec<u64> = plans.iter().filter_map(until_ns).collect();
    match (&until[..], cut) {
        ([], _) => Ok(()),
        ([until_ns], Some(cut)) if *until_ns <= cut.at_ns && phase.warmup.is_none() => Ok(()),
        _ => Err(StudyError::value(origin, message!(study_phase_disk, example = BROKEN_AND_CUT))),
    }
}

/// The one thing that is done.
fn act_of(origin: &str, action: &WireAction) -> Result<Act, StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    let WireAction { at: _, kill, cut, restart, call, disk, pause } = action;
    let ends = [kill.map(Act::Kill), cut.map(Act::Cut), restart.map(Act::Restart)];
    let mut acts: Vec<Act> = ends.into_iter().flatten().chain(call.map(Act::Call)).collect();
    if let Some(Breakage { fault, time }) = disk {
        acts.push(Act::Disk { fault: fault_of(origin, fault)?, time_ns: while_of(origin, time)? });
    }
    if let Some(Pause { service, time }) = pause {
        acts.push(Act::Pause { target: *service, time_ns: while_of(origin, time)? });
    }
    match acts[..] {
        [Act::Call(call)] if !LOOKING.contains(&call) => {
            let known = LOOKING.map(|name| name.to_string());
            problem(message!(study_phase_action_call, known, call))
        }
        [act] => Ok(act),
        _ => {
            let pause = "pause = { service = \"store\", time = \"1s\" }";
            let disk = "disk = { fault = \"full\", time = \"1s\" }";
            let ends = ["kill = \"store\"", "cut = \"store\"", "restart = \"app\""];
            let examples = ends.into_iter().chain(["call = \"size\"", disk, pause]);
            let examples: Vec<String> = examples.map(|act| format!("{{ at = \"1s\", {act} }}")).collect();
            problem(message!(study_phase_action_one, examples))
        }
    }
}

/// How the disk fails; nothing where that comes in turn with the rounds.
fn fault_of(origin: &str, word: &str) -> Result<Option<DiskFault>, StudyError> {
    let found = DiskFault::ALL.into_iter().find(|fault| fault.to_string() == word);
    if found.is_some() || word == EACH_FAULT {
        return Ok(found);
    }
    let known: Vec<String> =
        DiskFault::ALL.map(|fault| fault.to_string()).into_iter().chain([EACH_FAULT.to_string()]).collect();
    Err(StudyError::value(origin, unlisted(word, &known)))
}

/// How long a service stands still, or its disk fails, in ns.
fn while_of(origin: &str, time: &str) -> Result<u64, StudyError> {
    let time_ns = parse_duration(origin, time)?;
    if time_ns == 0 || time_ns > MAX_PAUSE_NS {
        return Err(StudyError::value(origin, message!(study_phase_pause, most = MAX_PAUSE_NS, time)));
    }
    Ok(time_ns)
}
