//! How a process ended, in words.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;

/// How a process ended, to stand behind its name: "ended with status 1", "was ended by signal 9 (SIGKILL): …", with what a
/// signal tells of the cause.
pub fn how_it_ended(status: ExitStatus) -> String {
    let Some(signal) = status.signal() else {
        return status.code().map_or_else(|| status.to_string(), |code| format!("ended with status {code}"));
    };
    let (name, cause) = named(signal);
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("was ended by signal {signal}{name}{cause}")
}

/// The name of a signal and what it tells, where it tells more than its name.
fn named(signal: i32) -> (Option<&'static str>, Option<&'static str>) {
    let (name, cause) = match Signal::from_named_raw(signal) {
        Some(Signal::ILL) => {
            ("SIGILL", Some("this build needs processor instructions, such as AVX, that this processor lacks"))
        }
        Some(Signal::KILL) => ("SIGKILL", Some("somebody killed it, as the kernel does where memory ends")),
        Some(Signal::BUS) => {
            ("SIGBUS", Some("it could not reach memory of its own, as where a disk or /dev/shm is full"))
        }
        Some(Signal::XFSZ) => ("SIGXFSZ", Some("a file is larger than this user may make (ulimit -f)")),
        Some(Signal::XCPU) => ("SIGXCPU", Some("it used more processor time than this user may use (ulimit -t)")),
        Some(Signal::SYS) => ("SIGSYS", Some("it made a system call that is not allowed here, as in some containers")),
        Some(Signal::SEGV) => ("SIGSEGV", None),
        Some(Signal::ABORT) => ("SIGABRT", None),
        Some(Signal::TRAP) => ("SIGTRAP", None),
        Some(Signal::FPE) => ("SIGFPE", None),
        Some(Signal::TERM) => ("SIGTERM", None),
        Some(Signal::INT) => ("SIGINT", None),
        Some(Signal::QUIT) => ("SIGQUIT", None),
        Some(Signal::HUP) => ("SIGHUP", None),
        Some(Signal::PIPE) => ("SIGPIPE", None),
        Some(Signal::ALARM) => ("SIGALRM", None),
        Some(Signal::USR1) => ("SIGUSR1", None),
        Some(Signal::USR2) => ("SIGUSR2", None),
        _ => return (None, None),
    };
    (Some(name), cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_and_a_signal_are_told_apart_and_a_cause_is_told_where_there_is_one() {
        let of = |raw: i32| how_it_ended(ExitStatus::from_raw(raw));
        assert_eq!(of(3 << 8), "ended with status 3");
        assert_eq!(of(11), "was ended by signal 11 (SIGSEGV)");
        assert_eq!(of(40), "was ended by signal 40");
        let illegal = "was ended by signal 4 (SIGILL): this build needs processor instructions, such as AVX, that this \
                       processor lacks";
        assert_eq!(of(4), illegal);
        assert_eq!(of(4 | 0x80), illegal, "with a dump of its memory");
    }
}
