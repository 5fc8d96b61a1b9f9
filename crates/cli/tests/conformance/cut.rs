//! A connection that is cut when the server has done what was asked, before it could say so: the fate of that write is
//! unknown, and a driver that tries again by itself, or connects again, does it twice.

use kurabe_protocol::{Action, CallName, End, Increments, Operation, Phase, Schema};
use kurabe_record::StoreKind;
use kurabe_testkit::{FakeServer, Fault, ProxyFault};

use crate::Outcome;
use crate::fixture::{ROWS, StoreFixture, words};

/// Replies that come before the one that is cut.
const BEFORE: u64 = 40;

/// Counters tell: their sum lies between the increments that were acknowledged and those with the ones of unknown fate.
pub fn write_cut_off(fixture: &mut StoreFixture) -> Outcome<()> {
    // A baseline may keep no counter, and then tells no sum.
    let is_baseline = fixture.candidate.store.kind == StoreKind::Baseline;
    let is_counted = !is_baseline && fixture.capabilities.operations.contains(&Operation::Increment);
    let increments = Phase::new("increment", Action::Increment, End::Count(200));
    let job = fixture.job("cut", &Schema::key_value(100), ROWS, vec![increments.clone()])?;
    let Some((before, port, after)) = job.url.as_deref().and_then(port_of).filter(|_| is_counted) else {
        return Ok(());
    };
    let upstream = port.parse().map_err(words)?;
    let server = FakeServer::start(Fault::Proxy { upstream, fault: ProxyFault::CutReply }).map_err(words)?;
    let mut keeper = fixture.client(&job)?;
    keeper.call(CallName::Create)?;
    let mut through = job.clone();
    through.url = Some(format!("{before}{}{after}", server.port()));
    let mut client = fixture.client(&through)?;
    client.await_store()?;
    let result = client.run_as_it_comes(&increments, || server.cut_reply(BEFORE))?;
    drop(client);
    if server.faults() == 0 {
        return Err("no reply was cut".into());
    }
    let Increments { acknowledged, unknown } = result.increments.unwrap_or_default();
    if result.failures.is_empty() || unknown == 0 {
        return Err(format!("a connection was cut, and no increment failed: {acknowledged} acknowledged"));
    }
    let sum = keeper.number(CallName::Sum, "sum")?.ok_or("it does not tell the sum of counters")?;
    if !(acknowledged..=acknowledged + unknown).contains(&sum) {
        return Err(format!("counters sum up to {sum}; {acknowledged} were acknowledged, {unknown} of unknown fate"));
    }
    keeper.call(CallName::Reset)?;
    keeper.stop()
}

/// An address, cut before and behind its port on 127.0.0.1.
fn port_of(url: &str) -> Option<(&str, &str, &str)> {
    let start = url.find("127.0.0.1:")? + "127.0.0.1:".len();
    let digits = url[start..].bytes().take_while(u8::is_ascii_digit).count();
    Some((&url[..start], &url[start..start + digits], &url[start + digits..]))
}
