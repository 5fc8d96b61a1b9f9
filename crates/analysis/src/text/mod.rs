//! What the types of the other folders say, as messages.

mod cautions;
mod claims;
mod compare;
mod completion;
mod configuration;
pub(crate) mod disk_faults;
mod durability;
pub(crate) mod losses;
mod notes;
pub mod phrases;
mod pitfalls;
mod reasons;
mod recommend;
mod recommend_because;
mod recommend_unless;
mod replication;
mod rules;
mod sentences;
mod troubles;

pub use claims::metric as metric_message;
pub use disk_faults::word as disk_fault_message;
pub use rules::RuleText;

use serde::{Serialize, Serializer};

use crate::comparison::difference::{Difference, NotCompared, OtherRows};
use crate::figures::caution::Caution;
use crate::figures::reason::NotCountedReason;
use crate::findings::axes::PointGap;
use crate::result::notes::Note;

/// A JSON answer holds them as messages: id, arguments and English text.
macro_rules! written_as_messages {
    ($($kind:ty),*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.message().serialize(serializer)
            }
        })*
    };
}

written_as_messages!(Note, Caution, NotCountedReason, PointGap, Difference, OtherRows, NotCompared);
