//! Limits of this machine that a client meets: open files and local ports. A client tells of them in words of its own, and
//! the next store would fail alike, so they are no fault of a store.

use std::time::{Duration, Instant};

use kurabe_machine::LocalPorts;
use kurabe_messages::{Message, message};
use kurabe_protocol::{Connect, excerpt};
use kurabe_record::PhasePlan;
use kurabe_study::Study;
use rustix::process::{Resource, getrlimit};

use crate::error::HarnessError;
use crate::fault::{Fault, LOOK, WaitLimits};
use crate::job::processes;
use crate::options::Observer;
use crate::resolve::Resolved;

/// How clients in all languages tell of a limit of open files, in small letters.
const OPEN_FILES: [&str; 7] =
    ["too many open files", "os error 24)", "os error 23)", "[errno 24]", "[errno 23]", "emfile", "enfile"];
/// The same where no local port is free.
const LOCAL_PORTS: [&str; 4] = ["cannot assign requested address", "os error 99)", "[errno 99]", "eaddrnotavail"];
/// Files that a client has open beside its connections, at the least.
const OTHER_FILES: u64 = 16;
/// So long the kernel keeps the port of a closed connection (TIME_WAIT, tcp(7)), and a little more.
const PORTS_LIMIT: Duration = Duration::from_secs(65);

/// What limit of the machine a client met, and the way out, where its words tell of one.
pub(crate) fn limit_reached(told: &str) -> Option<Message> {
    let words = told.to_lowercase();
    let tells = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    if tells(&OPEN_FILES) {
        let limit = getrlimit(Resource::Nofile).maximum.map_or("unlimited".into(), |most| most.to_string());
        return Some(message!(run_files_exhausted, said = excerpt(told), limit));
    }
    tells(&LOCAL_PORTS).then(|| {
        let ports = LocalPorts::read().map_or(0, |ports| ports.all);
        message!(run_ports_exhausted, said = excerpt(told), ports)
    })
}

/// Refuses a study whose connections cannot all be open: each is a file of its client process.
pub(crate) fn check_open_files(study: &Study, resolved: &Resolved) -> Result<(), HarnessError> {
    let Some(most) = getrlimit(Resource::Nofile).maximum else { return Ok(()) };
    let connects = resolved.candidates.iter().filter(|one| one.store.service.is_some() || one.spec.url.is_some());
    for candidate in connects {
        for config in &study.plan.configurations {
            let connections = config.max_connections();
            let needed = needed_files(connections, processes(candidate, config));
            if needed > most {
                let name = &candidate.record.name;
                let refusal = message!(run_open_files, name, files = needed, connections, most);
                return Err(HarnessError::refused(refusal));
            }
        }
    }
    Ok(())
}

/// Files that one of the client processes has open at the least.
fn needed_files(connections: u32, processes: u32) -> u64 {
    u64::from(connections.div_ceil(processes)) + OTHER_FILES
}

/// Waits until the ports that jobs before used up are free again, where the phases of this one make many connections.
pub(crate) fn await_ports(phases: &[PhasePlan], observer: &dyn Observer, halt: WaitLimits<'_>) -> Result<(), Fault> {
    if phases.iter().all(|plan| plan.phase.in_client().connect == Connect::Once) {
        return Ok(());
    }
    let are_scarce = || LocalPorts::read().is_some_and(LocalPorts::are_scarce);
    if !are_scarce() {
        return Ok(());
    }
    observer.warn(&message!(quiet_ports));
    let until = Instant::now() + PORTS_LIMIT;
    while Instant::now() < until && are_scarce() {
        halt.check()?;
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_the_machine_is_known_by_the_words_of_each_language() {
        for told in [
            "connection lost: cannot connect to '127.0.0.1:1': Too many open files (os error 24)",
            "OSError: [Errno 24] Too many open files",
            "connect EMFILE 127.0.0.1:6379",
            "dial tcp: socket: too many open files",
        ] {
            let words = limit_reached(told).unwrap_or_else(|| panic!("{told}")).to_string();
            assert!(words.contains("ulimit -Hn") && words.contains(told), "{words}");
        }
        for told in [
            "cannot connect to '127.0.0.1:1': Cannot assign requested address (os error 99)",
            "connect EADDRNOTAVAIL 127.0.0.1:6379",
            "java.net.NoRouteToHostException: Cannot assign requested address",
        ] {
            let words = limit_reached(told).unwrap_or_else(|| panic!("{told}")).to_string();
            assert!(words.contains("ip_local_port_range") && words.contains(told), "{words}");
        }
        assert_eq!(limit_reached("connection lost: Connection refused (os error 111)"), None);
        assert_eq!(limit_reached("unable to open database file"), None);
    }

    #[test]
    fn connections_are_shared_by_the_processes_of_a_client() {
        assert_eq!(needed_files(250, 1), 266);
        assert_eq!(needed_files(250, 4), 79);
    }
}
