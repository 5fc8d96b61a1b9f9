//! Whether a source's order came back, and what turned it.

use kurabe_messages::{Message, described, message};
use kurabe_stats::MIN_VALUES;

use super::claims::times;
use crate::findings::claims::verdict::ClaimVerdict;
use crate::findings::replication::{OrderedPair, Replication, Step};

impl Replication {
    /// Whether the order came back, then a sentence for each step.
    pub fn messages(&self) -> Vec<Message> {
        let (table, column) = (described(&self.table), described(&self.column));
        let of = |wanted| self.pairs.iter().filter(move |pair| pair.verdict == wanted);
        let pairs = |wanted| of(wanted).map(OrderedPair::message).collect::<Vec<Message>>();
        let first = match (self.verdict, self.too_few_rounds) {
            (ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo, _) => {
                message!(replication_right, table, column, order = self.in_order())
            }
            (ClaimVerdict::Wrong, _) => message!(replication_wrong, table, column, pairs = pairs(ClaimVerdict::Wrong)),
            (ClaimVerdict::Undecided, Some(rounds)) => {
                message!(replication_few_rounds, table, column, rounds, needed = MIN_VALUES)
            }
            (ClaimVerdict::Undecided, None) => {
                message!(replication_undecided, table, column, pairs = pairs(ClaimVerdict::Undecided))
            }
            (ClaimVerdict::OtherWork, _) => message!(replication_not_measured, table, column),
        };
        let steps = self.steps.windows(2).filter_map(|two| two[1].message(&two[0]));
        std::iter::once(first).chain(steps).collect()
    }

    /// The rows, the source's best first. Names of rows may have commas.
    fn in_order(&self) -> Message {
        let last = described(self.order.last().map_or("", String::as_str));
        let pairs = self.order.iter().zip(&self.pairs).rev();
        pairs.fold(last, |rest, (row, pair)| {
            let first = described(row);
            if pair.is_lead() {
                message!(replication_before, first, rest)
            } else {
                message!(replication_level, first, rest)
            }
        })
    }
}

impl OrderedPair {
    fn message(&self) -> Message {
        let (first, second) = (described(&self.first), described(&self.second));
        let (theirs, ours) = (self.theirs, times(&self.ours));
        if self.is_lead() {
            message!(replication_pair, first, second, theirs, ours)
        } else {
            message!(replication_level_pair, first, second, theirs, ours)
        }
    }
}

impl Step {
    /// What the lead became by this step.
    pub fn message(&self, before: &Step) -> Option<Message> {
        let (pitfall, change) = (self.removes.as_ref()?, self.change.as_ref()?);
        let best = (self.best != before.best).then(|| message!(replication_new_best, best = described(&self.best)));
        Some(message!(replication_step, pitfall, change = times(change), lead = times(&self.lead), best))
    }
}
