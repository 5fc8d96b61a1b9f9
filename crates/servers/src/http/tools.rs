//! Load tools that ask a service over HTTP: each asks for one address over and over.

use std::process::Command;

use kurabe_client::adapter::StoreError;
use kurabe_client::load_tool::{Tool, ToolReport, ToolWork, Tooled, connects_each, number};
use kurabe_protocol::{Distribution, Operation};

use super::{Http, Url};

/// More requests a second than ab does: behind its time it wants a number of its own, for each of which it keeps 32
/// bytes.
const MOST_REQUESTS_PER_S: u64 = 1_000_000;
/// As it comes siege closes each connection after one answer, loads what a page names, and takes 255 users at most.
const SIEGE: &str = "parser = false\ncolor = off\nlimit = 100000\n";

/// The address that a tool asks a store for, whose request it is.
pub(super) trait Asks {
    /// What its reads are, where rows are drawn so.
    const DISTRIBUTIONS: &'static [Distribution];
    /// Its operations that are a request for one address.
    const OPERATIONS: &'static [Operation];

    /// The address in a phase.
    fn address(&self, work: &ToolWork<'_>) -> String;
}

/// Rows behind a service: the newest ones, or one row over and over.
impl Asks for Http {
    const DISTRIBUTIONS: &'static [Distribution] = &[Distribution::One];
    const OPERATIONS: &'static [Operation] = &[Operation::Read, Operation::Latest];

    fn address(&self, work: &ToolWork<'_>) -> String {
        let (authority, base) = (self.place.authority(), &self.base);
        match work.phase.latest_rows() {
            Some(rows) => format!("http://{authority}{base}/rows?latest={rows}"),
            None => format!("http://{authority}{base}/rows/{}", work.job.rows / 2),
        }
    }
}

/// The same request, whichever row it is taken for.
impl Asks for Url {
    const DISTRIBUTIONS: &'static [Distribution] = &[
        Distribution::Sequential,
        Distribution::Uniform,
        Distribution::Zipfian,
        Distribution::Hotspot,
        Distribution::Latest,
        Distribution::One,
    ];
    const OPERATIONS: &'static [Operation] = &[Operation::Read];

    fn address(&self, _: &ToolWork<'_>) -> String {
        format!("http://{}{}", self.place.authority(), self.place.path)
    }
}

impl Tooled for Http {
    const TOOLS: &'static [Tool<Http>] = &tools();
}

impl Tooled for Url {
    const TOOLS: &'static [Tool<Url>] = &tools();
}

const fn tools<S: Asks>() -> [Tool<S>; 3] {
    let (operations, distributions) = (S::OPERATIONS, S::DISTRIBUTIONS);
    [
        Tool {
            name: "ab",
            version: "-V",
            operations,
            distributions,
            connects_each: true,
            ask: ab::<S>,
            parse_report: parse_ab,
        },
        Tool {
            name: "siege",
            version: "-V",
            operations,
            distributions,
            connects_each: true,
            ask: siege::<S>,
            parse_report: parse_siege,
        },
        Tool {
            name: "wrk",
            version: "-v",
            operations,
            distributions,
            connects_each: false,
            ask: wrk::<S>,
            parse_report: parse_wrk,
        },
    ]
}

fn ab<S: Asks>(store: &S, work: &ToolWork<'_>, command: &mut Command) -> Result<(), StoreError> {
    if !connects_each(work.phase) {
        command.arg("-k");
    }
    // Answers may differ in length.
    command.args(["-q", "-l", "-c", &work.phase.connections.to_string(), "-t", &work.seconds.to_string()]);
    command.args(["-n", &(work.seconds * MOST_REQUESTS_PER_S).to_string(), &store.address(work)]);
    Ok(())
}

fn siege<S: Asks>(store: &S, work: &ToolWork<'_>, command: &mut Command) -> Result<(), StoreError> {
    let settings = work.folder.join("siegerc");
    let connection = if connects_each(work.phase) { "close" } else { "keep-alive" };
    std::fs::write(&settings, format!("connection = {connection}\n{SIEGE}"))
        .map_err(|error| StoreError::store(format!("cannot write '{}': {error}", settings.display())))?;
    command.arg("-R").arg(settings);
    command.args(["-b", "-q", "-j", "-c", &work.phase.connections.to_string()]);
    // It ends where a second of the clock on the wall does, up to one earlier than it was told.
    command.args(["-t", &format!("{}S", work.seconds + 1), &store.address(work)]);
    Ok(())
}

fn wrk<S: Asks>(store: &S, work: &ToolWork<'_>, command: &mut Command) -> Result<(), StoreError> {
    // One thread for all connections, as Kurabe's own client has.
    command.args(["-t1", &format!("-c{}", work.phase.connections), &format!("-d{}s", work.seconds)]);
    command.arg(store.address(work));
    Ok(())
}

/// What ab told; of answers other than 2xx it tells only where there are some.
fn parse_ab(said: &str) -> Option<ToolReport> {
    let other = number(said, "Non-2xx responses").unwrap_or(0.0);
    Some(ToolReport {
        operations: number(said, "Complete requests")? as u64,
        failed: (number(said, "Failed requests")? + other) as u64,
        rate: number(said, "Requests per second")?,
    })
}

/// What siege told.
fn parse_siege(said: &str) -> Option<ToolReport> {
    Some(ToolReport {
        operations: number(said, "\"transactions\"")? as u64,
        failed: number(said, "\"failed_transactions\"")? as u64,
        rate: number(said, "\"transaction_rate\"")?,
    })
}

/// What wrk told, as in `  123456 requests in 2.10s, 31.00MB read`; it names failures only where there are some.
fn parse_wrk(said: &str) -> Option<ToolReport> {
    let line = said.lines().find(|line| line.contains(" requests in "))?;
    let errors = said.lines().find_map(|line| line.trim().strip_prefix("Socket errors:")).unwrap_or_default();
    let errors = errors.split(',').filter_map(|one| one.split_whitespace().last()?.parse::<u64>().ok()).sum::<u64>();
    Some(ToolReport {
        operations: line.split_whitespace().next()?.parse().ok()?,
        failed: errors + number(said, "Non-2xx or 3xx responses").unwrap_or(0.0) as u64,
        rate: number(said, "Requests/sec")?,
    })
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
