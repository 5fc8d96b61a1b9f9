//! Jobs whose client answers in a form that there is none of, tells what cannot be true, does not listen, or goes on failing.

use kurabe_messages::{Language, with_language};

use super::*;

#[test]
fn a_client_that_reads_nothing_any_more_keeps_nobody_waiting() {
    let messages = run().1.said.get();
    // What is told last nobody waits to have read.
    for at in 0..messages - 1 {
        let limit = Some(Duration::from_millis(40));
        let troubled = Some((Trouble::Deafness, at));
        let (end, world) = run_job_of(&study(false), [here(STORE), here(SOURCE)], troubled, true, limit);
        assert!(matches!(end, JobEnd::OutOfTime(_)), "at message {at}");
        assert_eq!(world.clients_alive.get(), 0, "at message {at}: a client is left");
    }
}

#[test]
fn an_answer_of_another_form_and_a_result_that_cannot_be_true_fail_the_job_wherever_they_come() {
    let (_, world) = run();
    let messages = world.heard.borrow().clone();
    for (at, said) in (0..).zip(&messages) {
        let (trouble, words) = match said.as_str() {
            "call" => (Trouble::Malformed, "the client broke the protocol: call '"),
            "go" => (Trouble::Untrue, "the client's clock is not that of this machine: "),
            _ => continue,
        };
        let (end, world) = run_job_of(&study(false), [here(STORE), here(SOURCE)], Some((trouble, at)), true, None);
        let place = format!("{trouble:?} at message {at}");
        let error = recorded(&end).error.clone().unwrap_or_else(|| panic!("{place}: it passed"));
        assert_eq!(error.kind, JobErrorKind::Client, "{place}: {}", error.message);
        assert!(error.message.to_string().starts_with(words), "{place}: {}", error.message);
        assert_eq!(world.clients_alive.get(), 0, "{place}: a client is left");
    }
    let told = |word: &str| messages.iter().filter(|said| *said == word).count();
    assert!(told("call") >= 8 && told("go") == 3, "{messages:?}");
}

#[test]
fn a_job_is_recorded_alike_whatever_language_the_user_reads_and_is_read_in_his() {
    for trouble in [Trouble::ClientDies, Trouble::ServiceDies, Trouble::Malformed] {
        for (at, _) in (0..).zip(run().1.heard.borrow().iter()).filter(|(at, _)| at % 3 == 0) {
            let error = |language| {
                let job = || run_job_of(&study(false), [here(STORE), here(SOURCE)], Some((trouble, at)), true, None);
                let (end, _) = with_language(language, job);
                recorded(&end).error.as_ref().map(|error| serde_json::to_string(error).expect("JSON"))
            };
            let [english, japanese] = Language::ALL.map(error);
            assert_eq!(english, japanese, "{trouble:?} at message {at}");
            let Some(error) = english.map(|json| serde_json::from_str::<JobError>(&json).expect("an error")) else {
                continue;
            };
            assert_ne!(error.message.text(Language::English), error.message.text(Language::Japanese), "{error:?}");
        }
    }
}

#[test]
fn a_call_that_fails_after_an_operation_is_told_with_the_first_reason() {
    let (_, world) = run();
    let messages = world.heard.borrow().clone();
    for (at, _) in (0..).zip(&messages).filter(|(_, said)| *said == "go") {
        let troubled = Some((Trouble::StoreFails, at));
        let (end, _) = run_job_of(&study(false), [here(STORE), here(SOURCE)], troubled, true, None);
        let error = recorded(&end).error.clone().unwrap_or_else(|| panic!("message {at}: it passed"));
        let message = error.message.to_string();
        let (first, then) = message.split_once("; then ").unwrap_or_else(|| panic!("{message}"));
        assert!(first.ends_with("' failed first: no space left"), "{message}");
        assert!(then.starts_with("call '") && then.contains("' failed: poisoned"), "{message}");
    }
}
