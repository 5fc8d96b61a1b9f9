//! What the clients of a phase tell while it runs, in whatever order they do.

use std::time::{Duration, Instant};

use kurabe_protocol::{Event, PhaseResult};

/// How long somebody may go on without any progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultDeadline {
    limit: Duration,
    at: Instant,
    operations: u64,
}

impl ResultDeadline {
    pub(crate) fn new(limit: Duration) -> ResultDeadline {
        ResultDeadline { limit, at: Instant::now() + limit, operations: 0 }
    }

    /// Progress starts the limit again, if it is one.
    pub(crate) fn hear(&mut self, operations: u64) {
        if operations > self.operations {
            self.operations = operations;
            self.at = Instant::now() + self.limit;
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() > self.at
    }
}

/// The results of a phase as they come in.
#[derive(Debug)]
pub(crate) struct Gathered {
    phase: String,
    clients: Vec<(ResultDeadline, Option<PhaseResult>)>,
}

impl Gathered {
    pub(crate) fn new(phase: &str, clients: usize, limit: Duration) -> Gathered {
        Gathered { phase: phase.to_string(), clients: vec![(ResultDeadline::new(limit), None); clients] }
    }

    /// Takes in what a client said; gives back what it should not have said here.
    pub(crate) fn hear(&mut self, client: usize, event: Event) -> Result<(), Event> {
        let (patience, result) = &mut self.clients[client];
        match event {
            Event::Progress { operations, .. } => patience.hear(operations),
            Event::Result(told) if told.phase == self.phase => {
                patience.operations = told.workers.iter().map(|worker| worker.operations).sum();
                *result = Some(*told);
            }
            other => return Err(other),
        }
        Ok(())
    }

    /// The clients whose result is still to come.
    pub(crate) fn awaited(&self) -> Vec<usize> {
        (0..self.clients.len()).filter(|client| self.awaits(*client)).collect()
    }

    /// Whether the result of this client is still to come.
    pub(crate) fn awaits(&self, client: usize) -> bool {
        self.clients[client].1.is_none()
    }

    /// Operations of all clients so far.
    pub(crate) fn operations(&self) -> u64 {
        self.clients.iter().map(|(patience, _)| patience.operations).sum()
    }

    /// Whether a client whose result is still to come has told of no progress for too long.
    pub(crate) fn is_overdue(&self) -> bool {
        self.clients.iter().any(|(patience, result)| result.is_none() && patience.is_over())
    }

    /// The results, in the order of the clients.
    pub(crate) fn results(self) -> Vec<PhaseResult> {
        self.clients.into_iter().filter_map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(operations: u64) -> Event {
        Event::Progress { phase: "read".into(), operations }
    }

    fn result(phase: &str, operations: u64) -> Event {
        Event::Result(Box::new(crate::samples::result(phase, operations, 1)))
    }

    #[test]
    fn progress_is_that_of_all_clients_whoever_tells_first() {
        let mut gathered = Gathered::new("read", 3, Duration::from_secs(60));
        for (client, operations, sum) in [(2, 100, 100), (0, 40, 140), (1, 60, 200), (2, 150, 250)] {
            gathered.hear(client, progress(operations)).expect("progress");
            assert_eq!(gathered.operations(), sum);
        }
        gathered.hear(1, result("read", 80)).expect("a result");
        assert_eq!(gathered.operations(), 270, "the result of one is its last progress");
    }

    #[test]
    fn results_come_in_any_order_and_stand_in_that_of_the_clients() {
        let mut gathered = Gathered::new("read", 3, Duration::from_secs(60));
        for (client, left) in [(2, vec![0, 1]), (0, vec![1]), (1, vec![])] {
            gathered.hear(client, result("read", 10 + client as u64)).expect("a result");
            assert_eq!(gathered.awaited(), left);
        }
        let done: Vec<u64> = gathered.results().iter().map(|result| result.workers[0].operations).collect();
        assert_eq!(done, [10, 11, 12]);
    }

    #[test]
    fn what_does_not_belong_to_the_phase_is_given_back() {
        let mut gathered = Gathered::new("read", 1, Duration::from_secs(60));
        let ready = Event::Ready("read".into());
        assert_eq!(gathered.hear(0, ready.clone()), Err(ready));
        assert!(gathered.hear(0, result("update", 1)).is_err());
        assert_eq!(gathered.awaited(), [0]);
    }

    #[test]
    fn a_client_without_progress_is_overdue_and_one_that_has_its_result_is_not() {
        let mut gathered = Gathered::new("read", 2, Duration::ZERO);
        assert!(gathered.is_overdue());
        gathered.hear(0, result("read", 1)).expect("a result");
        assert!(gathered.is_overdue(), "the other one");
        gathered.hear(1, result("read", 1)).expect("a result");
        assert!(!gathered.is_overdue());
    }
}
