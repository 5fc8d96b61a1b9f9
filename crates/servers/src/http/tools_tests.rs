//! Reports as ab 2.3, siege 4.0.7 and wrk 4.1.0 printed them.

use kurabe_client::load_tool::ToolReport;

use super::{of_ab, of_siege, of_wrk};

const AB: &str = include_str!("reports/ab.txt");
const SIEGE: &str = include_str!("reports/siege.txt");
const WRK: &str = include_str!("reports/wrk.txt");

#[test]
fn each_report_is_read_as_it_is_printed() {
    assert_eq!(of_ab(AB), Some(ToolReport { operations: 61553, failed: 0, rate: 61547.52 }));
    assert_eq!(of_siege(SIEGE), Some(ToolReport { operations: 64446, failed: 0, rate: 32713.71 }));
    assert_eq!(of_wrk(WRK), Some(ToolReport { operations: 60833, failed: 0, rate: 60604.04 }));
}

#[test]
fn answers_that_a_tool_does_not_want_and_lost_connections_are_failures() {
    let failed = |told: Option<ToolReport>| told.map(|told| told.failed);
    assert_eq!(failed(of_ab(include_str!("reports/ab-404.txt"))), Some(63481));
    assert_eq!(failed(of_wrk(include_str!("reports/wrk-404.txt"))), Some(1801));
    assert_eq!(failed(of_siege(include_str!("reports/siege-404.txt"))), Some(1024));
    assert_eq!(failed(of_wrk(include_str!("reports/wrk-died.txt"))), Some(8 + 1135));
}

#[test]
fn what_is_no_report_is_not_read() {
    for other in ["", "unable to connect to 127.0.0.1:80 Connection refused", "Requests/sec: many", "{}"] {
        assert_eq!((of_ab(other), of_siege(other), of_wrk(other)), (None, None, None), "{other}");
    }
    // Each report is cut in front of its rate.
    for (read, report, rate) in [
        (of_ab as fn(&str) -> Option<ToolReport>, AB, "Requests per second"),
        (of_siege, SIEGE, "\"transaction_rate\""),
        (of_wrk, WRK, "Requests/sec"),
    ] {
        let cut = report.find(rate).expect("a rate");
        assert_eq!(read(&report[..cut]), None, "{rate}");
    }
}
