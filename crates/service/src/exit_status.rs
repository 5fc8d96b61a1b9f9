//! How a process ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use kurabe_messages::{Message, message};
use rustix::process::Signal;

/// How a process ended, to stand behind its name: "ended with status 1", "was ended by signal 9 (SIGKILL): …", with what a
/// signal tells of the cause.
pub fn how_it_ended(status: ExitStatus) -> Message {
    match (status.signal(), status.code()) {
        (Some(signal), _) => message!(service_exit_signal, signal = signal.unsigned_abs(), name = name(signal)),
        (None, Some(code)) => message!(service_exit_status, status = code),
        (None, None) => message!(service_exit_status, status),
    }
}

/// The name of a signal. The message knows what some of them tell beyond that.
fn name(signal: i32) -> &'static str {
    match Signal::from_named_raw(signal) {
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::BUS) => "SIGBUS",
        Some(Signal::XFSZ) => "SIGXFSZ",
        Some(Signal::XCPU) => "SIGXCPU",
        Some(Signal::SYS) => "SIGSYS",
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::TRAP) => "SIGTRAP",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::TERM) => "SIGTERM",
        Some(Signal::INT) => "SIGINT",
        Some(Signal::QUIT) => "SIGQUIT",
        Some(Signal::HUP) => "SIGHUP",
        Some(Signal::PIPE) => "SIGPIPE",
        Some(Signal::ALARM) => "SIGALRM",
        Some(Signal::USR1) => "SIGUSR1",
        Some(Signal::USR2) => "SIGUSR2",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use kurabe_messages::Language;

    use super::*;

    #[test]
    fn a_status_and_a_signal_are_told_apart_and_a_cause_is_told_where_there_is_one() {
        let of = |raw: i32| how_it_ended(ExitStatus::from_raw(raw)).text(Language::English);
        assert_eq!(of(3 << 8), "ended with status 3");
        assert_eq!(of(11), "was ended by signal 11 (SIGSEGV)");
        assert_eq!(of(40), "was ended by signal 40");
        let illegal = "was ended by signal 4 (SIGILL): this build needs processor instructions, such as AVX, that this \
                       processor lacks";
        assert_eq!(of(4), illegal);
        assert_eq!(of(4 | 0x80), illegal, "with a dump of its memory");
    }
}
