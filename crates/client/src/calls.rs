//! Calls: what the harness asks for between phases, and what is never measured.

use kurabe_protocol::{CallName, ReplyOutcome};
use serde_json::{Value, json};

use crate::adapter::{Store, StoreError};

/// What `store` answers to a call.
pub(crate) fn answer(store: &impl Store, name: CallName) -> ReplyOutcome {
    let answer: Result<Value, StoreError> = match name {
        CallName::Ping => store.ping().map(|()| json!(true)),
        CallName::Info => store.info().map(|texts| json!(texts)),
        CallName::Settings => store.settings().map(|texts| json!(texts)),
        CallName::Create => store.create().map(|()| json!(true)),
        CallName::Reset => store.reset().map(|()| json!(true)),
        CallName::Count => store.count().map(|rows| json!({"rows": rows})),
        CallName::Size => store.size_bytes().map(|bytes| json!({"bytes": bytes})),
        CallName::Sum => store.sum().map(|sum| json!({"sum": sum})),
        CallName::Check => store.check().map(|(sound, detail)| json!({"sound": sound, "detail": detail})),
        CallName::Evicts => store.evicts().map(|eviction| json!(eviction)),
        CallName::Backup | CallName::Restore | CallName::Alter => Err(StoreError::Unsupported),
    };
    match answer {
        Ok(value) => ReplyOutcome::Ok(value),
        Err(StoreError::Unsupported) => ReplyOutcome::Unsupported,
        Err(error) => ReplyOutcome::Error(error.to_string()),
    }
}
