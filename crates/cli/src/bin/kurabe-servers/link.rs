//! `kurabe link`: what stands before a service where it is asked over a line of some speed. The harness starts it.

use std::net::SocketAddr;

use kurabe::{status, tell};
use kurabe_board::link::pass_on;

/// What it takes.
const USAGE: &str = "kurabe link IP:PORT http://IP:PORT MBIT_PER_S";

/// Passes on until it is told to end; gives the exit status.
pub fn run(args: &[String]) -> i32 {
    let mut args = args.iter();
    let mut next = || args.next().cloned().unwrap_or_default();
    let (listen, upstream, mbit) = (next(), next(), next());
    let upstream = upstream.strip_prefix("http://").map(|rest| rest.trim_end_matches('/').to_string());
    let upstream = upstream.and_then(|rest| rest.parse::<SocketAddr>().ok());
    let mbit = mbit.parse::<u64>().ok().filter(|mbit| (1..=1_000_000).contains(mbit));
    let (Ok(listen), Some(upstream), Some(mbit)) = (listen.parse::<SocketAddr>(), upstream, mbit) else {
        tell(&format!("kurabe: usage: {USAGE}"));
        return status::MISTAKE;
    };
    match pass_on(listen, upstream, mbit * 1_000_000) {
        Ok(()) => status::GOOD,
        Err(error) => {
            tell(&format!("kurabe: {error}"));
            status::FAILED
        }
    }
}
