//! The Rust client alone, with every store of this crate: what `kurabe client` runs.

fn main() {
    std::process::exit(kurabe_client::serve(&kurabe_client::stores::registry(), std::env::args().nth(1).as_deref()));
}
