//! Local ports for connections that programs make, and how many of them closed connections still hold.

use std::fs;

/// The ports of the network that this process is in, over IPv4 (ip(7), tcp(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalPorts {
    /// All that the kernel chooses from.
    pub all: u32,
    /// Connections that were closed here and still hold one (TIME_WAIT).
    pub held: u32,
    /// Whether a new connection may take one of those.
    pub are_reused: bool,
}

impl LocalPorts {
    /// Now; `None` where the system does not tell.
    pub fn read() -> Option<LocalPorts> {
        let text = |path: &str| fs::read_to_string(path).ok();
        let range = text("/proc/sys/net/ipv4/ip_local_port_range")?;
        let reuse = text("/proc/sys/net/ipv4/tcp_tw_reuse").unwrap_or_default();
        LocalPorts::parse(&range, &text("/proc/net/sockstat")?, &reuse)
    }

    fn parse(range: &str, sockstat: &str, reuse: &str) -> Option<LocalPorts> {
        let mut ends = range.split_whitespace().map(str::parse::<u32>);
        let (first, last) = (ends.next()?.ok()?, ends.next()?.ok()?);
        let tcp = sockstat.lines().find_map(|line| line.strip_prefix("TCP:"))?;
        let mut words = tcp.split_whitespace();
        words.by_ref().find(|word| *word == "tw")?;
        let held = words.next()?.parse().ok()?;
        // 1: everywhere; 2: between addresses of this machine, where servers that are measured are.
        Some(LocalPorts { all: (last + 1).checked_sub(first)?, held, are_reused: matches!(reuse.trim(), "1" | "2") })
    }

    /// Whether closed connections hold more than half of them, and nothing may have those.
    pub fn are_scarce(self) -> bool {
        !self.are_reused && self.held > self.all / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOCKSTAT: &str = "sockets: used 60\nTCP: inuse 9 orphan 0 tw 40 alloc 12 mem 1\nUDP: inuse 1 mem 0\n";

    #[test]
    fn ports_are_scarce_where_more_than_half_are_held_and_none_is_reused() {
        let of = |range, reuse| LocalPorts::parse(range, SOCKSTAT, reuse).expect("three such files");
        assert_eq!(of("40000\t40063\n", "0\n"), LocalPorts { all: 64, held: 40, are_reused: false });
        assert!(of("40000\t40063\n", "0\n").are_scarce());
        assert!(!of("40000\t40063\n", "2\n").are_scarce());
        assert!(!of("32768\t60999\n", "0\n").are_scarce());
        assert_eq!(LocalPorts::parse("40000\n", SOCKSTAT, "0\n"), None);
    }

    #[test]
    fn this_machine_tells() {
        assert!(LocalPorts::read().is_some_and(|ports| ports.all > 0));
    }
}
