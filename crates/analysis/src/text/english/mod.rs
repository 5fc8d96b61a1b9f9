//! Everything that an answer says in English, and nowhere else. What it says is in the types; other languages put the
//! same types into their words (`kurabe-report` has Japanese).

mod completion;
mod configuration;
mod durability;
mod reasons;
mod recommend;
mod sentences;

use serde::{Serialize, Serializer};

pub use completion::done;
pub use configuration::{at, factor, factors, value_in_short};
pub(super) use durability::named_minimum;
pub use durability::{loss_in_short, minimum, quoted_minimum};
pub use recommend::{about, recommendation};

use crate::figures::reason::WhyNot;
use crate::findings::sentences::Sentence;

/// In a JSON answer sentences are their words.
macro_rules! written_as_words {
    ($($kind:ty),*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.words())
            }
        })*
    };
}

written_as_words!(Sentence, WhyNot);
