//! What a phase has the harness do while it runs (`actions`), checked.

use kurabe_protocol::{CallName, End, Operation, Phase, Warmup};
use kurabe_record::{Act, ActionPlan, Target};
use serde::Deserialize;

use crate::error::StudyError;
use crate::words::parse_duration;

/// One of `actions`, as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireAction {
    at: String,
    #[serde(default)]
    kill: Option<Target>,
    #[serde(default)]
    restart: Option<Target>,
    #[serde(default)]
    call: Option<CallName>,
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
    let problem = |problem: String| Err(StudyError::value(origin, problem));
    if actions.is_empty() {
        return Ok(Vec::new());
    }
    if matches!(phase.operation(), Operation::Load | Operation::Program) {
        return problem(format!("'{}' has no actions: they belong to phases of operations", phase.operation()));
    }
    if actions.len() > MAX_ACTIONS {
        return problem(format!("a phase has at most {MAX_ACTIONS} actions, got {}", actions.len()));
    }
    let mut plans = actions.iter().map(|action| check_one(origin, action, phase)).collect::<Result<Vec<_>, _>>()?;
    plans.sort_by_key(|plan| plan.at_ns);
    let mut ended: Vec<Target> = Vec::new();
    for target in plans.iter().filter_map(|plan| plan.act.ends()) {
        if ended.contains(&target) {
            return problem(format!("actions end the service '{target}' twice; give each end a phase of its own"));
        }
        ended.push(target);
    }
    if decides && !ended.is_empty() {
        return problem(
            "operations fail where a service is ended, so this phase is not ranked; take 'deciding' and 'need' out"
                .into(),
        );
    }
    Ok(plans)
}

fn check_one(origin: &str, action: &WireAction, phase: &Phase) -> Result<ActionPlan, StudyError> {
    let problem = |problem: String| Err(StudyError::value(origin, problem));
    let act = match (action.kill, action.restart, action.call) {
        (Some(target), None, None) => Act::Kill(target),
        (None, Some(target), None) => Act::Restart(target),
        (None, None, Some(name)) if LOOKING.contains(&name) => Act::Call(name),
        (None, None, Some(name)) => {
            let known = LOOKING.map(|name| name.to_string()).join(", ");
            return problem(format!("an action calls what changes nothing ({known}), got '{name}'"));
        }
        _ => {
            return problem(
                "an action has a time and one thing to do, as in { at = \"1s\", kill = \"store\" }, { at = \"1s\", restart = \
                 \"app\" } or { at = \"1s\", call = \"size\" }"
                    .into(),
            );
        }
    };
    let at_ns = parse_duration(origin, &action.at)?;
    let warmup_ns = match phase.warmup {
        Some(Warmup::DurationNs(ns)) => ns,
        _ => 0,
    };
    match phase.end {
        End::DurationNs(ns) | End::First { duration_ns: ns, .. } if at_ns >= warmup_ns + ns => {
            problem(format!("the action '{act}' at {} comes after the end of the phase", action.at))
        }
        _ => Ok(ActionPlan { at_ns, act }),
    }
}
