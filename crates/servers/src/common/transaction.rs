//! Where a connection to a database with transactions stands in its own.

use kurabe_protocol::Phase;

use kurabe_client::adapter::StoreError;

/// When writes are committed, and what became of those that are not yet.
#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    /// Each statement commits by itself.
    each: bool,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open,
    /// An error ended it, so its writes are lost, whatever was written since; the next commit has to tell.
    RolledBack {
        cause: String,
        open: bool,
    },
}

impl Transaction {
    pub(crate) fn new(phase: &Phase) -> Transaction {
        Transaction { each: phase.commit_every <= 1, state: State::Closed }
    }

    /// Whether each statement commits by itself.
    pub(crate) fn commits_each(&self) -> bool {
        self.each
    }

    /// Whether a write has to open a transaction first.
    #[inline(always)]
    pub(crate) fn must_begin(&self) -> bool {
        let is_open = match self.state {
            State::Closed => false,
            State::Open => true,
            State::RolledBack { open, .. } => open,
        };
        !self.each && !is_open
    }

    /// A transaction was opened.
    pub(crate) fn begun(&mut self) {
        match &mut self.state {
            State::RolledBack { open, .. } => *open = true,
            closed => *closed = State::Open,
        }
    }

    /// Whether a statement that failed leaves a transaction to roll back; `cause` is what its commit will tell.
    pub(crate) fn fail(&mut self, cause: &StoreError) -> bool {
        let was_open = self.state != State::Closed;
        if was_open {
            self.state = State::RolledBack { cause: cause.to_string(), open: false };
        }
        was_open
    }

    /// Ends it: whether there is something to commit, and the error that the commit has to tell afterwards.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> (bool, Result<(), StoreError>) {
        let (is_open, cause) = match std::mem::replace(&mut self.state, State::Closed) {
            State::Closed => return (false, Ok(())),
            State::Open => return (true, Ok(())),
            State::RolledBack { cause, open } => (open, cause),
        };
        (is_open, Err(StoreError::store(format!("writes of this transaction were rolled back after: {cause}"))))
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, End};

    use super::*;

    fn transaction(commit_every: u32) -> Transaction {
        Transaction::new(&Phase {
            commit_every,
            ..Phase::new("insert", Action::Insert { first_row: 0 }, End::Count(1))
        })
    }

    #[test]
    fn a_rolled_back_transaction_is_told_by_its_commit_and_by_no_other() {
        let mut transaction = transaction(10);
        assert!(transaction.must_begin());
        transaction.begun();
        assert!(!transaction.must_begin());
        assert!(transaction.fail(&StoreError::Timeout));
        // Writes that follow go into a new one, whose commit tells what was lost before.
        assert!(transaction.must_begin());
        transaction.begun();
        let (is_open, told) = transaction.end();
        assert!(is_open && told.is_err());
        assert_eq!(transaction.end(), (false, Ok(())));
    }

    #[test]
    fn statements_that_commit_by_themselves_need_no_transaction() {
        let mut transaction = transaction(1);
        assert!(transaction.commits_each() && !transaction.must_begin());
        assert!(!transaction.fail(&StoreError::Timeout));
        assert_eq!(transaction.end(), (false, Ok(())));
    }
}
