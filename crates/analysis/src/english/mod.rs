//! Everything that an answer says in English, and nowhere else. What it says is in the types; other languages put the same
//! types into their words (`kurabe-report` has Japanese).

mod beside;
mod claims;
mod differ;
mod done;
mod durability;
mod places;
mod reasons;
mod recommend;
mod sentences;
mod traps;

use serde::{Serialize, Serializer};

pub use done::done;
pub use durability::{loss_in_short, minimum};
pub use places::{at, coordinate, coordinates};
pub use recommend::{about, recommendation};

use crate::axes::Gap;
use crate::cautions::Caution;
use crate::differ::{Difference, NotCompared, OtherRows};
use crate::notes::Note;
use crate::reason::WhyNot;
use crate::sentences::Sentence;

/// In a JSON answer sentences, notes and cautions are their words.
macro_rules! written_as_words {
    ($($kind:ty),*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.words())
            }
        })*
    };
}

written_as_words!(Sentence, Note, Caution, WhyNot, Gap, Difference, OtherRows, NotCompared);
