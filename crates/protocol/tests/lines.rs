//! Lines of the protocol: whatever somebody writes, a reader says what is wrong, and does not fall over it.

use kurabe_protocol::{Call, CallName, Command, Event, ReplyOutcome};
use proptest::prelude::*;

/// Lines that are right, or nearly.
fn lines() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        r#"{"prepare":"read"}"#,
        r#"{"go":"read"}"#,
        r#"{"skip":"read"}"#,
        r#"{"stop":true}"#,
        r#"{"call":"count","id":7}"#,
        r#"{"ready":"read"}"#,
        r#"{"progress":"read","operations":12}"#,
        r#"{"reply":7,"ok":{"rows":5}}"#,
        r#"{"reply":7,"unsupported":true}"#,
        r#"{"reply":7,"error":"no","absent":["a"]}"#,
        r#"{"error":"no"}"#,
        r#"{"end":true}"#,
        r#"{"kurabe":1,"job":{"id":"a","phases":[]}}"#,
        r#"{"hello":{"kurabe":1,"client":"x"}}"#,
        r#"{"result":{"phase":"read","workers":[]}}"#,
    ]);
    let changed = (known, 0usize..60, any::<char>(), prop::bool::ANY).prop_map(|(line, at, new, cuts)| {
        let mut letters: Vec<char> = line.chars().collect();
        match letters.get_mut(at) {
            Some(letter) if !cuts => *letter = new,
            _ => letters.truncate(at),
        }
        letters.into_iter().collect::<String>()
    });
    prop_oneof![changed, "\\PC{0,80}", r#"\{"[a-z]{1,8}":(-?[0-9]{1,30}|"[a-z]*"|\[|\{\}|null|true)\}"#]
}

proptest! {
    #[test]
    fn no_line_makes_a_reader_panic(line in lines()) {
        if let Ok(command) = Command::parse(&line) {
            prop_assert_eq!(Command::parse(&command.to_line()).expect("its own line"), command);
        }
        if let Ok(event) = Event::parse(&line) {
            prop_assert_eq!(Event::parse(&event.to_line()).expect("its own line"), event);
        }
    }
}

#[test]
fn the_lines_that_are_changed_are_read_as_they_are() {
    let call = Command::parse(r#"{"call":"count","id":7}"#).expect("a call");
    assert_eq!(call, Command::Call(Call { name: CallName::Count, id: 7 }));
    let reply = Event::parse(r#"{"reply":7,"unsupported":true}"#).expect("a reply");
    assert!(matches!(reply, Event::Reply(reply) if reply.outcome == ReplyOutcome::Unsupported));
}
