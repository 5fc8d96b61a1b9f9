//! The Rust client of servers alone: what `kurabe-servers client` runs for them.

fn main() {
    std::process::exit(kurabe_client::serve(&kurabe_servers::registry(), std::env::args().nth(1).as_deref()));
}
