//! Files of which a part was cut off.

use super::{file, series};
use crate::assess;
use fullwire_model::Run;
use fullwire_model::demand::Series;
use fullwire_model::net::{NetResult, UdpSummary};

/// What the file does not tell is not made up: sizes where none are listed, clients of a test that was cut off.
#[test]
fn what_a_cut_file_lacks_is_not_invented() {
    let said = |series: Vec<Series>| {
        let run = Run { imported: vec![file(series)], ..Run::default() };
        assess(&run).conspicuous.join(" ")
    };
    let full = said(vec![
        series("disk", "sda", "io_per_s", &[402.0]),
        series("disk", "sda", "await_ns", &[101e6]),
        series("disk", "sda", "util_ratio", &[1.0]),
    ]);
    assert!(
        full.contains("402 requests a second: how many it can serve") && !full.contains("small"),
        "{full}"
    );
    let cut = said(vec![
        series("database", "", "transactions_per_s", &[81.0]),
        series("database", "", "transaction_ns", &[121e6]),
    ]);
    assert!(cut.starts_with("Its clients get 81 transactions"), "{cut}");
    let stolen = |share: f64| said(vec![series("cpu", "all", "steal_ratio", &[share])]);
    assert!(stolen(0.61).contains("61 % of the time"), "{}", stolen(0.61));
    assert_eq!(stolen(0.02), "");
    let process = |share: f64| said(vec![series("process", "postgres (812)", "cpu_ratio", &[share])]);
    assert!(process(1.0).starts_with("postgres (812) uses 1.0 CPUs"), "{}", process(1.0));
    assert_eq!(process(0.6), "");
}

/// What was sent is not what arrived.
#[test]
fn datagrams_without_a_report_of_the_other_end_are_told() {
    let said = |sent: u64| {
        let udp = UdpSummary { sent, ..UdpSummary::default() };
        let result = NetResult {
            target: "10.1.2.3".into(),
            imported_from: "iperf, x".into(),
            throughput_bytes_per_s: 86.6e6,
            udp: Some(udp),
            ..NetResult::default()
        };
        assess(&Run { net: vec![result], ..Run::default() }).conspicuous.join(" ")
    };
    assert!(said(0).contains("nothing tells how many arrived"), "{}", said(0));
    assert_eq!(said(812), "");
}
