//! Reports of the eras and sessions that the shared samples do not hold: small specimens of our own making (SYNTHETIC), in
//! the layout of `spreport.sql` of 8i and 9i and of the reports of 10g to 19c.

use crate::close;
use crate::reports::Expected;
use crate::truncation::cuts;
use fullwire_demand::awr;
use fullwire_model::demand::AwrReport;

fn read(text: &str) -> AwrReport {
    awr::read(text.as_bytes(), "specimen").unwrap_or_else(|error| panic!("{error}"))
}

const STATSPACK_8I: &str = include_str!("../specimens/statspack-8i.txt");
const STATSPACK_9I: &str = include_str!("../specimens/statspack-9i.txt");
const AWR_10G: &str = include_str!("../specimens/awr-10g.txt");
const AWR_10G_HTML: &str = include_str!("../specimens/awr-10g.html");
const AWR_19C_PDB: &str = include_str!("../specimens/awr-19c-pdb-sqlplus.txt");
const AWR_COMMA: &str = include_str!("../specimens/awr-11g-comma.txt");
const AWR_19C: &str = include_str!("../specimens/awr-19c.html");
const AWR_19C_RAC: &str = include_str!("../specimens/awr-19c-rac.html");
const AWR_DIFF: &str = include_str!("../specimens/awrdiff-11g.txt");

#[test]
fn statspack_of_8i_counts_in_centiseconds() {
    let report = read(STATSPACK_8I);
    Expected::named("statspack-8i").check(&report);
    assert_eq!(report.begin, Some("2000-03-14T09:00:00".parse().unwrap()));
    assert_eq!((report.begin_snap, report.end_snap), (Some(11), Some(12)));
    assert_eq!(report.host.as_deref(), Some("sun1"));
    assert_eq!((report.buffer_hit_pct, report.latch_hit_pct), (Some(95.49), Some(99.63)));
    assert_eq!(report.block_bytes, Some(8192));
    assert_eq!(report.top_events[0].name, "db file sequential read");
    assert_eq!((report.top_events[0].time_s, report.top_events[0].share_pct), (Some(2160.0), Some(71.2)));
    assert_eq!(report.tablespaces[0].reads, Some(150_000));
    close(report.tablespaces[0].read_mean_ms, 11.8, 0.0);
    assert_eq!(report.init_parameters["db_file_multiblock_read_count"], "16");
}

#[test]
fn statspack_of_9i_titles_its_sections_for_db() {
    let report = read(STATSPACK_9I);
    Expected::named("statspack-9i").check(&report);
    assert_eq!(report.waits["log file switch (checkpoint incomplete)"].waits, 7);
    assert!(report.background_waits.contains_key("log file parallel write"));
    assert_eq!(report.init_parameters["disk_asynch_io"], "FALSE");
    let spaces: Vec<_> =
        report.tablespaces.iter().map(|space| (space.tablespace.as_str(), space.reads)).collect();
    assert_eq!(spaces, [("DATA01", Some(1_200_000)), ("INDX01", Some(535_573))]);
}

/// The HTML of 10g names its tables by paragraphs, not by summaries: it must give what the text gives.
#[test]
fn html_and_text_of_10g_agree() {
    let (text, html) = (read(AWR_10G), read(AWR_10G_HTML));
    for report in [&text, &html] {
        Expected::named("awr-10g").check(report);
        assert!(report.gaps.is_empty(), "{:?}", report.gaps);
        assert_eq!(report.host.as_deref(), Some("db10"));
        assert_eq!(report.block_bytes, Some(8192));
        assert_eq!((report.buffer_hit_pct, report.latch_hit_pct), (Some(99.07), Some(99.91)));
        assert_eq!(report.init_parameters["filesystemio_options"].to_lowercase(), "setall");
        close(report.os_statistics.get("NUM_CPUS").copied(), 16.0, 0.0);
        close(report.time_model_s.get("DB CPU").copied(), 10_011.0, 0.0);
    }
    assert_eq!(text.top_events, html.top_events);
    assert_eq!(text.waits, html.waits);
}

/// HTML since 11.2: the tables say in `summary` what they are, and times carry their units.
#[test]
fn html_of_19c_names_its_tables_in_their_summaries() {
    let report = read(AWR_19C);
    Expected::named("awr-19c").check(&report);
    assert_eq!(
        (report.host.as_deref(), report.platform.as_deref()),
        (Some("shop-db1"), Some("Linux x86 64-bit"))
    );
    assert_eq!((report.begin_snap, report.end_snap), (Some(410), Some(411)));
    assert_eq!(report.begin, Some("2026-03-03T10:00:04".parse().unwrap()));
    assert_eq!((report.buffer_hit_pct, report.latch_hit_pct), (Some(96.31), Some(99.87)));
    let top: Vec<_> = report.top_events.iter().map(|event| (event.name.as_str(), event.time_s)).collect();
    assert_eq!(
        top,
        [
            ("DB CPU", Some(5764.2)),
            ("db file sequential read", Some(4712.0)),
            ("log file sync", Some(3115.8)),
        ]
    );
    close(report.waits["db file sequential read"].mean_ms, 0.516_65, 1e-3);
    assert_eq!(report.init_parameters["filesystemio_options"], "SETALL");
    close(report.read_io_per_s, 2531.4, 0.05);
}

/// The report of a whole cluster: sums, and what each instance adds.
#[test]
fn a_report_of_a_cluster_sums_its_instances() {
    let report = read(AWR_19C_RAC);
    Expected::named("awr-19c-rac").check(&report);
    assert_eq!(
        (report.instance.as_deref(), report.host.as_deref()),
        (Some("PAIR1,PAIR2"), Some("rac1,rac2"))
    );
    let redo: Vec<_> = report.instances.iter().map(|one| one.redo_size_per_s).collect();
    assert_eq!(redo, [Some(1600.0 * 1024.0), Some(900.0 * 1024.0)]);
    let top: Vec<&str> = report.top_events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(top, ["DB CPU", "db file sequential read", "log file sync"], "of all instances, none of one");
}

/// `awrddrpt.sql`: both periods, side by side.
#[test]
fn a_comparison_has_both_periods() {
    let report = read(AWR_DIFF);
    Expected::named("awrdiff-11g").check(&report);
    let second = report.second.as_deref().expect("the second period");
    Expected::named("awrdiff-11g-second").check(second);
    assert_eq!(second.begin, Some("2026-02-10T21:00:01".parse().unwrap()));
}

/// Selected in `SQL*Plus` with its page heads in the middle of tables, from a German session.
#[test]
fn a_pluggable_databases_report_with_page_heads() {
    let report = read(AWR_19C_PDB);
    Expected::named("awr-19c-pdb").check(&report);
    assert_eq!((report.pdb.as_deref(), report.cdb), (Some("SHOP"), Some(true)));
    assert_eq!(report.instance.as_deref(), Some("cdbx"));
    assert_eq!(report.begin, Some("2025-06-10T10:00:07".parse().unwrap()));
    let top: Vec<_> = report.top_events.iter().map(|event| (event.name.as_str(), event.time_s)).collect();
    assert_eq!(
        top,
        [
            ("db file sequential read", Some(2931.4)),
            ("log file sync", Some(1200.0)),
            ("enq: TX - row lock contention", Some(158.6)),
            ("DB CPU", Some(720.4)),
        ]
    );
    assert_eq!(report.top_events[2].class.as_deref(), Some("Application"));
    close(report.top_events[2].mean_wait_ms, 52_860.0, 1e-3);
    assert_eq!(report.waits["SQL*Net message from client"].waits, 20_114);
    close(report.read_io_per_s, 980.3, 0.0);
}

#[test]
fn a_session_with_decimal_commas() {
    let report = read(AWR_COMMA);
    Expected::named("awr-11g-comma").check(&report);
    assert_eq!(report.begin, Some("2017-12-10T13:40:12".parse().unwrap()));
    assert_eq!(report.buffer_hit_pct, Some(99.89));
    assert_eq!(report.init_parameters["compatible"], "11.2.0.4.0");
}

/// As Windows' shell redirects it.
#[test]
fn a_report_in_utf_16() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(AWR_10G.encode_utf16().flat_map(u16::to_le_bytes));
    let report = awr::read(&bytes, "specimen").unwrap();
    assert_eq!(report, read(AWR_10G));
}

#[test]
fn a_report_cut_anywhere_gives_an_error_or_a_part_with_gaps() {
    for text in [STATSPACK_9I, AWR_10G, AWR_10G_HTML] {
        let whole = read(text);
        let end = text.find("End of Report").unwrap() + "End of Report".len();
        for cut in cuts(&text.as_bytes()[..end]) {
            match awr::read(&text.as_bytes()[..cut], "cut") {
                Ok(part) => {
                    assert!(!part.gaps.is_empty(), "cut at {cut}: a part without gaps");
                    // What is there is whole: half a number is none.
                    for (name, wait) in &part.waits {
                        let same = whole.waits.get(name).is_none_or(|whole| whole.waits == wait.waits);
                        assert!(same, "cut at {cut}: {name}: {}", wait.waits);
                    }
                    let redo = part.activity.get("redo size").map(|redo| redo.total);
                    let all = whole.activity.get("redo size").map(|redo| redo.total);
                    assert!(redo.is_none() || redo == all, "cut at {cut}: {redo:?}");
                }
                Err(error) => assert!(error.line >= 1 && !error.what.is_empty(), "cut at {cut}"),
            }
        }
    }
}
