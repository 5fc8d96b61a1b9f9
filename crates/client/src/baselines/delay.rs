//! How slow `echo` is on purpose: a store of known speed, for trials of the measuring itself.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kurabe_protocol::Job;

use crate::adapter::StoreError;
use crate::clock::now_ns;

/// Settings that make it slow, each a number.
const SERVICE_US: &str = "service_us";
const STALL_MS: &str = "stall_ms";
const STALL_AFTER_MS: &str = "stall_after_ms";

/// What each operation waits for.
pub struct Delay {
    service: Duration,
    stall_ns: u64,
    stall_after_ns: u64,
    /// The phase, and when its first connection was made, in ns.
    phase: Mutex<(String, u64)>,
}

impl Delay {
    /// What the settings of a job ask for; `None` where they ask for nothing.
    pub fn of(job: &Job) -> Result<Option<Delay>, StoreError> {
        let number = |name: &str, value: &String| -> Result<u64, StoreError> {
            let wrong = |_| StoreError::store(format!("{name} '{value}' is no whole number below 4,294,967,296"));
            value.parse::<u32>().map(u64::from).map_err(wrong)
        };
        let mut delay =
            Delay { service: Duration::ZERO, stall_ns: 0, stall_after_ns: 0, phase: Mutex::new((String::new(), 0)) };
        for (name, value) in &job.settings {
            match name.as_str() {
                SERVICE_US => delay.service = Duration::from_micros(number(name, value)?),
                STALL_MS => delay.stall_ns = number(name, value)? * 1_000_000,
                STALL_AFTER_MS => delay.stall_after_ns = number(name, value)? * 1_000_000,
                other => {
                    return Err(StoreError::store(format!(
                        "echo has no setting '{other}'; it has {SERVICE_US}, {STALL_MS}, {STALL_AFTER_MS}"
                    )));
                }
            }
        }
        Ok((!job.settings.is_empty()).then_some(delay))
    }

    /// Notes that a connection is made for this phase: stalls count from the first of them.
    pub fn connect(&self, phase: &str) -> u64 {
        let mut known = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != phase {
            *known = (phase.to_string(), now_ns());
        }
        known.1
    }

    /// Waits for as long as an operation takes, in a phase that began so.
    pub fn wait(&self, began_ns: u64) {
        let since_ns = now_ns().saturating_sub(began_ns);
        let stall_end_ns = self.stall_after_ns + self.stall_ns;
        if (self.stall_after_ns..stall_end_ns).contains(&since_ns) {
            std::thread::sleep(Duration::from_nanos(stall_end_ns - since_ns));
        }
        if !self.service.is_zero() {
            std::thread::sleep(self.service);
        }
    }
}
