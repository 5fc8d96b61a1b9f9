//! Reports as ab 2.3, siege 4.0.7 and wrk 4.1.0 printed them.

use kurabe_client::load_tool::ToolReport;

use super::{parse_ab, parse_siege, parse_wrk};

const AB: &str = include_str!("reports/ab.txt");
const SIEGE: &str = include_str!("reports/siege.txt");
const WRK: &str = include_str!("reports/wrk.txt");

#[test]
fn each_report_is_read_as_it_is_printed() {
    assert_eq!(parse_ab(AB), Some(ToolReport { operations: 61553, failed: 0, rate: 61547.52 }));
    assert_eq!(parse_siege(SIEGE), Some(ToolReport { operations: 64446, failed: 0, rate: 32713.71 }));
    assert_eq!(parse_wrk(WRK), Some(ToolReport { operations: 60833, failed: 0, rate: 60604.04 }));
}

#[test]
fn answers_that_a_tool_does_not_want_and_lost_connections_are_failures() {
    let failed = |told: Option<ToolReport>| told.map(|told| told.failed);
    assert_eq!(failed(parse_ab(include_str!("reports/ab-404.txt"))), Some(63481));
    assert_eq!(failed(parse_wrk(include_str!("reports/wrk-404.txt"))), Some(1801));
    assert_eq!(failed(parse_siege(include_str!("reports/siege-404.txt"))), Some(1024));
    assert_eq!(failed(parse_wrk(include_str!("reports/wrk-died.txt"))), Some(8 + 1135));
}

#[test]
fn what_is_no_report_is_not_read() {
    for other in ["", "unable to connect to 127.0.0.1:80 Connection refused", "Requests/sec: many", "{}"] {
        assert_eq!((parse_ab(other), parse_siege(other), parse_wrk(other)), (None, None, None), "{other}");
    }
    // Each report is cut in front of its rate.
    for (read, report, rate) in [
        (parse_ab as fn(&str) -> Option<ToolReport>, AB, "Requests per second"),
        (parse_siege, SIEGE, "\"transaction_rate\""),
        (parse_wrk, WRK, "Requests/sec"),
    ] {
        let cut = report.find(rate).expect("a rate");
        assert_eq!(read(&report[..cut]), None, "{rate}");
    }
}
