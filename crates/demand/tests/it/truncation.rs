//! Files cut short: an error with its line, or a part of the whole; never a panic, never more than the whole holds.

use crate::reports::sample;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_demand::{DateOrder, awr, redo};
use std::collections::BTreeSet;

fn samples(imported: &Imported) -> usize {
    imported.series.iter().flat_map(|series| &series.series).map(|series| series.samples.len()).sum()
}

/// The first bytes of a file, as a small report.
fn head(name: &str, most: usize) -> Option<Vec<u8>> {
    let (_, mut bytes) = sample(name)?;
    bytes.truncate(most);
    Some(bytes)
}

fn lines(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte == b'\n').count()
}

/// Where to cut: about the end of each line, where a reader's state changes, and at some 200 places that lie evenly, by an odd
/// number of bytes apart, so that they fall into all columns of a table. The fuzzers cut wherever they like.
pub(crate) fn cuts(bytes: &[u8]) -> BTreeSet<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let about = ends.flat_map(|end| end.saturating_sub(1)..=end + 1).filter(|&cut| cut < bytes.len());
    about.chain((0..bytes.len()).step_by((bytes.len() / 200) | 1)).collect()
}

#[test]
fn imports_cut_short_give_an_error_or_a_part() {
    let options = Options { date_order: Some(DateOrder::MonthDayYear), ..Options::default() };
    for (name, most) in [
        ("iostat/iostat-x-sysstat9.txt", 2000),
        ("iostat/iostat-txm-2019.txt", 4000),
        ("sar/sar-u-sysstat12.txt", 4000),
        ("sar/sar-pretty-sysstat12.txt", 6000),
        ("sadf/sadf-j-sysstat12.json", 16_000),
        ("sadf/sadf-dh-sysstat12.csv", 4300),
        ("iostat/iostat-json-sysstat12-x-pALL.json", 16_500),
        ("vmstat/vmstat-1-long-ubuntu18.txt", 1500),
        ("vmstat/vmstat-nat-wide-pbench.txt", 1500),
        ("nfsiostat/nfsiostat-efs-excerpt.txt", 300),
        ("bonnie/bonnie-text-1.97-ceph.txt", 800),
        ("bonnie/bonnie-csv-1.96-pkb.csv", 300),
        ("fio/fio-3.12-rand50rw.json", 8200),
        ("iperf3/iperf3-3.9-tcp-short.json", 2700),
    ] {
        let Some(bytes) = head(name, most) else { continue };
        let whole = detect_and_read(&bytes, name, options).map_or(0, |whole| samples(&whole));
        // Documents of JSON are the longest and have the most lines, each much like the others.
        let every = if bytes.starts_with(b"{") { 3 } else { 1 };
        for cut in cuts(&bytes).into_iter().step_by(every) {
            let part = &bytes[..cut];
            match detect_and_read(part, name, options) {
                Ok(imported) => {
                    let told = imported.series.iter().any(|series| !series.gaps.is_empty());
                    assert!(samples(&imported) <= whole || told, "{name} cut at {cut}");
                    let holds =
                        samples(&imported) > 0 || !imported.disk.is_empty() || !imported.net.is_empty();
                    assert!(holds, "{name} cut at {cut}: neither an error nor a figure");
                }
                Err(error) => {
                    assert!((1..=lines(part)).contains(&error.line), "{name} cut at {cut}: {error}");
                    assert!(!error.what.is_empty(), "{name} cut at {cut}");
                }
            }
        }
    }
}

/// The first pages of real reports at some of the places; `eras` cuts its specimens at all of them, to their ends.
#[test]
fn reports_cut_short_give_an_error_or_a_part_with_gaps() {
    for (name, most) in [
        ("awr/awr-11.2.0.3-single-apress-1830.html", 16_000),
        ("awr/awr-11.2.0.3-single-apress-1830.txt", 9000),
        ("statspack/statspack-11.2.0.3-apress-1830.txt", 9000),
    ] {
        let Some(bytes) = head(name, most) else { continue };
        for cut in cuts(&bytes).into_iter().step_by(5) {
            let part = &bytes[..cut];
            match awr::read(part, name) {
                // The wait events' sections are behind the cut.
                Ok(report) => assert!(!report.gaps.is_empty(), "{name} cut at {cut}: no gap"),
                Err(error) => {
                    assert!((1..=lines(part)).contains(&error.line), "{name} cut at {cut}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_listing_cut_short_gives_an_error_or_fewer_logs() {
    let listing = "\
   THREAD#  SEQUENCE#         MB        SEC       MB/s
---------- ---------- ---------- ---------- ----------
         2       2291 29366.1963        831  35.338383
         1       2565 29365.6553        781 37.6000708
         2       2292 29359.3403        537  54.672887
";
    let whole = redo::read(listing, "logs.txt", redo::DEFAULT_HEADROOM, None).unwrap().logs.len();
    assert_eq!(whole, 3);
    for cut in 0..listing.len() {
        match redo::read(&listing[..cut], "logs.txt", redo::DEFAULT_HEADROOM, None) {
            Ok(history) => assert!(history.logs.len() <= whole, "cut at {cut}"),
            Err(error) => assert!(error.line >= 1 && !error.what.is_empty(), "cut at {cut}: {error}"),
        }
    }
}
