//! `kurabe`: which data store should I use for my work, on my machine?
//!
//! Of stores it drives libraries alone. What asks servers, and the board, is `kurabe-servers` beside it.

use kurabe::Program;

fn main() {
    kurabe::main(&Program {
        name: "kurabe",
        registry: kurabe::libraries,
        serve: |_| Err(kurabe::hand_over()),
        link: |_| kurabe::fail(&kurabe::hand_over()),
    });
}
