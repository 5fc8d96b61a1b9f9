//! Which candidates can take part in a phase during which their store is restarted, or its disk fails: those whose client
//! finds it again. With others the phase would end at the first lost connection, and what the restart costs its users would be seen of nobody.

use kurabe_messages::message;
use kurabe_study::{Catalogue, Study};

use crate::error::HarnessError;

/// Refuses a study in which a store is restarted whose client would give up then. What stands before a store is asked by the
/// Rust client, which does not.
pub(crate) fn check_restarts(study: &Study, catalogue: &Catalogue) -> Result<(), HarnessError> {
    for spec in study.candidates.iter().filter(|spec| spec.app.is_empty() && spec.cannot.is_none()) {
        let Some(client) = catalogue.client(&spec.client.client).filter(|client| !client.survives_restart) else {
            continue;
        };
        let configs = study.plan.configurations.iter().enumerate();
        let mut phases =
            configs.filter(|(at, _)| study.plan.takes_part(*at, &spec.name)).flat_map(|(_, config)| &config.phases);
        if let Some(plan) = phases.find(|plan| plan.reconnects()) {
            let (name, phase, client, store) = (&spec.name, &plan.phase.name, &client.name, &spec.store);
            return Err(HarnessError::refused(message!(run_no_restart, name, phase, client, store)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, Encoding, End, Phase, Schema};
    use kurabe_record::{Act, ActionPlan, Configuration, PhasePlan, ServiceTarget};
    use kurabe_study::parse_candidate;

    use super::*;
    use crate::samples;

    fn refusal(candidate: &str, act: Act) -> Option<String> {
        let catalogue = Catalogue::builtin().expect("built-in");
        let read = Phase::new("read", Action::Read, End::DurationNs(1_000_000_000));
        let actions = vec![ActionPlan { at_ns: 1_000_000, at_most_ns: None, act }];
        let config = Configuration {
            factors: Vec::new(),
            rows: 8,
            rounds: 1,
            schema: Schema::key_value(10),
            encoding: Encoding::Raw,
            phases: vec![PhasePlan { actions, ..PhasePlan::new(read, true) }],
            only: Vec::new(),
        };
        let plan = samples::study_plan(vec![config], None);
        let candidates = vec![parse_candidate(&catalogue, candidate).expect("a candidate")];
        let study = Study { plan, data: None, candidates, asked_by_name: false };
        check_restarts(&study, &catalogue).err().map(|error| error.to_string())
    }

    #[test]
    fn a_client_that_does_not_connect_again_takes_no_part_where_its_store_is_restarted() {
        let restart = Act::Restart(ServiceTarget::Store);
        let connect_again = ["redis+php", "redis+perl", "redis+ruby", "redis+node", "redis+go", "redis+python:asyncio"];
        for candidate in ["redis", "postgres/serve"].into_iter().chain(connect_again) {
            assert_eq!(refusal(candidate, restart), None, "{candidate}");
        }
        for (candidate, client) in [("redis+jvm", "jvm"), ("postgres+jdbc", "jvm")] {
            let told = refusal(candidate, restart).unwrap_or_else(|| panic!("{candidate}: it takes part"));
            let store = candidate.split_once('+').map_or(candidate, |(store, _)| store);
            let wanted =
                [format!("'{candidate}': phase 'read'"), format!("the {client} client"), format!("'{store}+rust'")];
            assert!(wanted.iter().all(|words| told.contains(words.as_str())), "{told}");
            assert_eq!(refusal(candidate, Act::Kill(ServiceTarget::Store)), None, "{candidate}: it ends all the same");
        }
    }
}
