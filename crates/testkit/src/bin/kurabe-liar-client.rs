//! A client of the protocol whose stores lie, fail or are odd, each in its own way.

fn main() {
    std::process::exit(kurabe_client::serve(&kurabe_testkit::registry(), None));
}
