//! What CPUs and programs wait for, where a file of another system names it.

use super::{file, series};
use crate::assess;
use fullwire_model::Run;
use fullwire_model::demand::Series;

/// Which device, where the CPUs wait for one; how many requests, where reads and writes take another time; who searches memory.
#[test]
fn what_cpus_wait_for_is_named_where_the_file_has_it() {
    let said = |series: Vec<Series>| {
        let run = Run { imported: vec![file(series)], ..Run::default() };
        assess(&run).conspicuous.join(" ")
    };
    let iowait = || series("cpu", "all", "iowait_ratio", &[0.55]);
    let disk = |busy: f64| {
        vec![
            iowait(),
            series("disk", "hdisk4", "util_ratio", &[busy]),
            series("disk", "hdisk4", "io_per_s", &[402.0]),
        ]
    };
    let full = said(disk(1.0));
    assert!(full.starts_with("hdisk4 works without a pause: 402 requests a second."), "{full}");
    assert!(full.contains("CPUs wait for I/O") && !full.contains("to see which device"), "{full}");
    assert!(!said(disk(0.4)).contains("without a pause"));
    let unnamed = vec![iowait(), series("disk", "total", "write_bytes_per_s", &[88e6])];
    assert!(said(unnamed).contains("record iostat -xt 10 to see which device"));
    let pool = said(vec![
        series("disk", "tank", "read_io_per_s", &[400.0]),
        series("disk", "tank", "read_await_ns", &[100e6]),
        series("disk", "tank", "write_io_per_s", &[1000.0]),
        series("disk", "tank", "write_await_ns", &[800e6]),
    ]);
    assert!(pool.contains("840 requests in the queue"), "{pool}");
    let scans = |pages: f64| said(vec![series("memory", "", "scan_pages_per_s", &[pages])]);
    assert!(scans(41_220.0).starts_with("The system searches memory for pages to free (sr), up to 41220"));
    assert_eq!(scans(120.0), "");
}
