//! `kurabe-servers`: what `kurabe` starts where a store is a server, and for the bulletin board. It lies beside
//! `kurabe`, so that libraries are measured in a process without drivers of servers, and a build without them is short.

mod link;
mod serve;

use kurabe::Program;
use kurabe_client::Entry;

/// Every store that the Rust client drives: a load of a library may fetch its rows from a server, and a board may stand
/// over any.
fn registry() -> Vec<Entry> {
    kurabe::libraries().into_iter().chain(kurabe_servers::registry()).collect()
}

fn main() {
    kurabe::main(&Program { name: "kurabe-servers", registry, serve: serve::run, link: link::run });
}
