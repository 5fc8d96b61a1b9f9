//! What a reply holds: one typed reader for the answers of every client, whatever its profile.
//!
//! An answer of another form is a broken protocol. It is never read as an answer that is absent: a check that needs it would
//! be left out without a word.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::capabilities::Eviction;
use crate::message::CallName;

/// A call, and the type of its answer.
pub trait Ask {
    /// Its name.
    const NAME: CallName;
    /// What it is answered with.
    type Answer: DeserializeOwned;
}

/// An answer that is not of the form that its call has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("call '{call}': {why}")]
pub struct Malformed {
    /// What was asked.
    pub call: CallName,
    /// What is wrong with the answer.
    pub why: String,
}

/// It was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "bool")]
pub struct Done;

impl TryFrom<bool> for Done {
    type Error = &'static str;

    fn try_from(is_done: bool) -> Result<Done, &'static str> {
        if is_done { Ok(Done) } else { Err("the client answers false, so it was not done") }
    }
}

/// Texts by their names.
pub type Texts = BTreeMap<String, String>;

/// Number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Rows {
    /// So many.
    pub rows: u64,
}

/// Size as the store tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Bytes {
    /// So many.
    pub bytes: u64,
}

/// Sum of all counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Total {
    /// So much.
    pub sum: u64,
}

/// What the store's own check of its data found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Soundness {
    /// Whether all is well.
    pub sound: bool,
    /// What it says.
    pub detail: String,
}

macro_rules! calls {
    ($($name:ident -> $answer:ty),+ $(,)?) => {
        $(
            #[doc = concat!("The call `", stringify!($name), "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Ask for $name {
                const NAME: CallName = CallName::$name;
                type Answer = $answer;
            }
        )+

        /// Whether an answer to a call has the form that it must have. Nothing is known of the answers to reserved calls.
        ///
        /// # Errors
        /// What is wrong with it.
        pub fn check(name: CallName, answer: &Value) -> Result<(), Malformed> {
            match name {
                $(CallName::$name => read::<$name>(answer.clone()).map(drop),)+
                CallName::Backup | CallName::Restore | CallName::Alter => Ok(()),
            }
        }
    };
}

calls! {
    Ping -> Done,
    Info -> Texts,
    Settings -> Texts,
    Create -> Done,
    Reset -> Done,
    Count -> Rows,
    Size -> Bytes,
    Check -> Soundness,
    Sum -> Total,
    Evicts -> Eviction,
}

/// The answer to a call.
///
/// # Errors
/// What is wrong with it.
pub fn read<A: Ask>(answer: Value) -> Result<A::Answer, Malformed> {
    let malformed = |why: String| Malformed { call: A::NAME, why };
    // No answer is one; serde would take its entries for the keys of an object.
    if answer.is_array() {
        return Err(malformed("invalid type: sequence".into()));
    }
    serde_json::from_value(answer).map_err(|error| malformed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_the_documented_form_are_read() {
        assert_eq!(read::<Ping>(json!(true)), Ok(Done));
        assert_eq!(read::<Count>(json!({"rows": 3, "later": 1})).map(|answer| answer.rows), Ok(3));
        assert_eq!(read::<Settings>(json!({"a": "1"})), Ok(Texts::from([("a".into(), "1".into())])));
        assert_eq!(read::<Evicts>(json!({})), Ok(Eviction::default()));
        let sound = Soundness { sound: true, detail: "ok".into() };
        assert_eq!(read::<Check>(json!({"sound": true, "detail": "ok"})), Ok(sound));
        assert_eq!(check(CallName::Backup, &json!(7)), Ok(()));
    }

    #[test]
    fn an_answer_of_another_form_is_none() {
        let forms = [
            json!(null),
            json!(7),
            json!("many"),
            json!([1]),
            json!(false),
            json!({"rows": null, "bytes": "5", "sum": -1, "sound": "yes", "policy": 3}),
        ];
        let calls = [
            CallName::Ping,
            CallName::Info,
            CallName::Settings,
            CallName::Create,
            CallName::Reset,
            CallName::Count,
            CallName::Size,
            CallName::Check,
            CallName::Sum,
            CallName::Evicts,
        ];
        for call in calls {
            for form in &forms {
                let malformed = check(call, form).expect_err(&format!("{call}: {form}"));
                assert!(malformed.to_string().starts_with(&format!("call '{call}': ")), "{malformed}");
            }
        }
        let words = |malformed: Malformed| malformed.to_string();
        let number = read::<Count>(json!({"rows": "many"})).map_err(words);
        assert_eq!(number, Err(r#"call 'count': invalid type: string "many", expected u64"#.into()));
        let missing = read::<Size>(json!({})).map_err(words);
        assert_eq!(missing, Err("call 'size': missing field `bytes`".into()));
        let refused = read::<Create>(json!(false)).map_err(words);
        assert_eq!(refused, Err("call 'create': the client answers false, so it was not done".into()));
    }
}
