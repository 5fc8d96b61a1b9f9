//! Kurabe's harness: plan, rounds, client processes and the record of a job.
