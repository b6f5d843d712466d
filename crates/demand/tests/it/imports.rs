//! What other tools recorded, over the sample set. Expected values were read from the files by eye: the printed
//! number, times the unit of its column.

use crate::reports::sample;
use crate::skips::given;
use fullwire_demand::DateOrder;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_model::demand::ImportedSeries;

/// Files of the sample set and, below each, what is in it: area, subject (`-`: none), metric, the record (`#n`, or its time), the
/// printed number and its unit. `mdy`: the order of its dates must be given.
const READ_BY_EYE: &str = include_str!("imports.txt");

const MDY: Option<DateOrder> = Some(DateOrder::MonthDayYear);

fn import(name: &str, date_order: Option<DateOrder>) -> Option<Imported> {
    let (_, bytes) = sample(name)?;
    let read = detect_and_read(&bytes, name, Options { date_order, ..Options::default() });
    Some(read.unwrap_or_else(|error| panic!("{error}")))
}

/// The value of a record of a series.
fn at(series: &ImportedSeries, area: &str, subject: &str, metric: &str, record: &str) -> Option<f64> {
    let found = series
        .series
        .iter()
        .find(|one| one.area == area && one.subject == subject && one.metric == metric)?;
    let sample = match record.strip_prefix('#') {
        Some(index) => found.samples.get(index.parse::<usize>().ok()?)?,
        None => found.samples.iter().find(|sample| sample.at.is_some_and(|at| at.to_string() == record))?,
    };
    Some(sample.value)
}

#[test]
fn every_recording_says_what_the_eye_reads() {
    let mut series: Option<ImportedSeries> = None;
    for line in READ_BY_EYE.lines() {
        let Some(value) = line.strip_prefix("    ") else {
            let (name, order) = line.strip_suffix(" mdy").map_or((line, None), |name| (name, MDY));
            series = import(name, order).map(|imported| {
                assert_eq!(imported.series.len(), 1, "{name}");
                imported.series.into_iter().next().expect("a series")
            });
            continue;
        };
        let Some(series) = &series else { continue };
        let [area, subject, metric, record, number, unit @ ..] = &*value.split(' ').collect::<Vec<_>>()
        else {
            panic!("{line}")
        };
        let unit = match unit {
            [] => 1.0,
            ["KiB"] => 1024.0,
            ["MiB"] => 1_048_576.0,
            ["sectors"] => 512.0,
            ["ms"] => 1e6,
            _ => panic!("{line}"),
        };
        let found = at(series, area, if *subject == "-" { "" } else { subject }, metric, record);
        let expected = number.parse::<f64>().expect(line) * unit;
        let is_close = |found: f64| (found - expected).abs() <= expected.abs() * 1e-9;
        assert!(found.is_some_and(is_close), "{}:{line}: {found:?}", series.source);
    }
}

#[test]
fn what_must_be_refused_is_refused_with_its_line() {
    const REFUSED: [(&str, &str); 2] = [
        (
            "sar/sar-AIX-7.2-head3000.txt",
            ":2: sar output of a system other than Linux (\"AIX tacora1 2 7 00F93CFF4C00    04/20/20\") is not \
             supported",
        ),
        (
            "sadf/sadf-d-11.6.5.csv",
            ": sadf's heading without any supported figures: export the same file with sadf -j FILE -- -A",
        ),
    ];
    for (name, expected) in REFUSED {
        let Some((_, bytes)) = sample(name) else { continue };
        let error = detect_and_read(&bytes, name, Options::default()).unwrap_err();
        if let Some(what) = expected.strip_prefix(": ") {
            assert_eq!(error.what, what, "{name}");
        } else {
            assert_eq!(error.to_string(), format!("{name}{expected}"));
        }
    }
}

#[test]
fn means_since_boot_are_left_out_and_said_when_they_are_all_there_is() {
    // The file, the tool, and whether it holds nothing else.
    for (name, order, tool, all) in [
        ("iostat/iostat-mx-sysstat12-ubuntu20.txt", None, "iostat", true),
        ("iostat/iostat-x-sysstat11-ubuntu18.txt", None, "iostat", true),
        ("vmstat/vmstat-centos7.txt", None, "vmstat", true),
        ("mpstat/mpstat-A-centos7.txt", MDY, "mpstat", true),
        ("nfsiostat/nfsiostat-efs-excerpt.txt", None, "nfsiostat", true),
        ("iostat/iostat-txm-2019.txt", None, "iostat", false),
        ("iostat/iostat-json-sysstat12-x-pALL.json", None, "iostat", false),
        ("oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat", None, "oswatcher iostat", false),
        ("sar/sar-u-sysstat12.txt", None, "sar", false),
    ] {
        let Some(imported) = import(name, order) else { continue };
        let file = &imported.series[0];
        assert_eq!((file.tool.as_str(), file.first_since_boot), (tool, all), "{name}");
        let said = file.gaps.iter().any(|gap| gap.subject == "intervals");
        assert_eq!(said, all, "{name}: {:?}", file.gaps);
    }
}

#[test]
fn sections_that_are_not_read_are_named() {
    let imported = given!(import("sar/sar-A-12.0.2-sles12.txt", None));
    let gap = imported.series[0].gaps.iter().find(|gap| gap.subject == "sections").expect("a gap");
    assert_eq!(gap.detail, "not read: CPU frequencies, interrupts");
}

#[test]
fn restarts_and_zones_are_told() {
    for (name, restarts) in [
        ("sar/sar-A-12.0.2-sles12.txt", "restarted once"),
        ("sar/sar-pretty-sysstat12.txt", "restarted 2 times"),
        ("sadf/sadf-dh-sysstat12.csv", "restarted 2 times"),
    ] {
        let Some(imported) = import(name, None) else { continue };
        let gaps = &imported.series[0].gaps;
        assert!(gaps.iter().any(|gap| gap.detail.contains(restarts)), "{name}: {gaps:?}");
    }
    for (name, clock) in [
        ("vmstat/vmstat-nat-wide-pbench.txt", "EST"),
        ("sadf/sadf-j-sysstat12.json", "UTC"),
        ("sadf/sadf-dh-sysstat12.csv", "UTC"),
        ("sar/sar-u-sysstat12.txt", "local"),
        ("oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat", "EST"),
    ] {
        let Some(imported) = import(name, None) else { continue };
        assert_eq!(imported.series[0].clock, clock, "{name}");
    }
}
