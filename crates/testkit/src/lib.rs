//! Kurabe's test kit: stores that lie, a harness small enough for a test, and golden files.
//!
//! A measuring tool that accepts a wrong answer is worthless, and one that accuses an honest store
//! is worse. The liars here prove the first, honest stores under the same work the second. They
//! are driven through a real client process ([`ClientProcess`]), so the protocol is proved as well.

pub mod blind;
pub mod fake_server;
pub mod flaky;
pub mod golden;
pub mod honest_in_flight;
pub mod in_lanes;
pub mod liar;
pub mod liar_in_flight;
mod loopback;
pub mod lying_server;
pub mod odd;
pub mod process;
pub mod workbench;

pub use fake_server::{FakeServer, Fault, ProxyFault};
pub use golden::assert_golden;
pub use lying_server::{LyingServer, WireLie};
pub use process::{ClientExit, ClientProcess, DriveError, Driven, drive};
pub use workbench::Workbench;

use kurabe_client::Entry;
use kurabe_client::baselines::map::Map;

use blind::Blind;
use flaky::Flaky;
use honest_in_flight::HonestInFlight;
use in_lanes::InLanes;
use liar::Liar;
use liar_in_flight::LiarInFlight;
use odd::Odd;

/// The stores of the binary `kurabe-liar-client`. Every wrapper takes its kind from the name.
pub fn registry() -> Vec<Entry> {
    let mut entries = vec![
        Entry::of_bytes::<Map>("honest"),
        Entry::of_bytes_in_flight::<HonestInFlight>("honest-in-flight"),
        Entry::of::<Blind<Map>>("blind"),
        Entry::of::<Blind<Map>>("blind-untold"),
        Entry::of::<Blind<Map>>("blind-drops"),
        Entry::of::<Flaky<Map>>("flaky-writes"),
        Entry::of::<Flaky<Map>>("flaky-commits"),
        Entry::of::<Flaky<Map>>("flaky-reads"),
        Entry::of::<Flaky<Map>>("dead"),
        Entry::of::<Odd>("noisy"),
        Entry::of::<Odd>("unreachable"),
        Entry::of::<Odd>("panicking"),
    ];
    entries.extend([
        Entry::of::<InLanes<Map>>("honest-in-lanes"),
        Entry::of::<InLanes<Blind<Map>>>("blind-in-lanes"),
        Entry::of::<InLanes<Flaky<Map>>>("flaky-writes-in-lanes"),
        Entry::of::<InLanes<Flaky<Map>>>("flaky-commits-in-lanes"),
        Entry::of::<InLanes<Flaky<Map>>>("flaky-reads-in-lanes"),
        Entry::of::<InLanes<Flaky<Map>>>("dead-in-lanes"),
    ]);
    entries.extend(liar::Lie::NAMED_IN_LANES.iter().map(|name| Entry::of::<InLanes<Liar<Map>>>(name)));
    entries.extend(liar::Lie::NAMED.iter().map(|(name, _)| Entry::of_bytes::<Liar<Map>>(name)));
    entries.extend(
        liar_in_flight::NAMED.iter().map(|(name, _)| Entry::of_bytes_in_flight::<LiarInFlight<HonestInFlight>>(name)),
    );
    entries
}
