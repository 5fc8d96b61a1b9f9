//! What messages look like, and what of them is hidden and cut.

use super::*;

#[test]
fn a_job_of_another_version_is_refused() {
    let error = Command::parse(r#"{"kurabe": 2, "job": {}}"#).expect_err("version 2");
    assert_eq!(error.to_string(), "protocol version 2 is not spoken here, only version 1");
    let error = Command::parse(r#"{"job": {}}"#).expect_err("no version");
    assert_eq!(error.to_string(), "protocol version null is not spoken here, only version 1");
}

#[test]
fn unknown_keys_are_ignored_and_unknown_messages_are_not() {
    assert_eq!(Command::parse(r#"{"go": "read", "later": 1}"#).expect("go"), Command::Go("read".into()));
    assert!(Command::parse(r#"{"dance": 1}"#).is_err());
    assert!(Command::parse("[1]").is_err());
    assert!(Event::parse("SQLite version 3").is_err());
}

#[test]
fn what_an_event_says_in_words_holds_no_secret() {
    let secrets = Secrets::of(Some("mysql://sel:canary@h/db"));
    let said = "denied to 'sel', not to 'canary'".to_string();
    let reply = Reply { id: 1, outcome: ReplyOutcome::Error(said.clone()), absent: vec![said.clone()] };
    for mut event in [Event::Error { message: said }, Event::Reply(reply)] {
        event.hide(&secrets);
        let line = event.to_line();
        assert!(!line.contains("sel") && !line.contains("canary") && line.contains("denied to '***'"), "{line}");
    }
}

#[test]
fn no_text_of_a_client_is_longer_than_what_is_kept() {
    let long = "ä".repeat(5_000_000);
    let reply = |outcome| Event::Reply(Reply { id: 1, outcome, absent: vec![long.clone()] });
    let events = [
        Event::Error { message: long.clone() },
        reply(ReplyOutcome::Error(long.clone())),
        reply(ReplyOutcome::Ok(json!({"version": long.clone(), "more": [long.clone()]}))),
    ];
    for mut event in events {
        event.cut();
        let line = event.to_line();
        assert!(line.len() < 3 * (MOST_TEXT_BYTES + 100), "{} bytes", line.len());
        assert!(line.contains("… (cut: 10000000 bytes)"), "{line:.100}");
    }
    let mut short = Event::Error { message: "no".into() };
    short.cut();
    assert_eq!(short, Event::Error { message: "no".into() });
}

#[test]
fn calls_and_replies_have_the_documented_form() {
    let call = Command::Call(Call { name: CallName::Count, id: 7 });
    assert_eq!(call.to_line(), r#"{"call":"count","id":7}"#);
    assert_eq!(Command::parse(&call.to_line()).expect("call"), call);
    for outcome in [ReplyOutcome::Ok(json!({"rows": 3})), ReplyOutcome::Unsupported, ReplyOutcome::Error("no".into())] {
        for absent in [vec![], vec!["size: denied".to_string()]] {
            let event = Event::Reply(Reply { id: 7, outcome: outcome.clone(), absent });
            assert_eq!(Event::parse(&event.to_line()).expect("reply"), event);
        }
    }
}
