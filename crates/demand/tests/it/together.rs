//! Several reports as one demand: instances, times, databases. Figures by hand.

use crate::close;
use fullwire_demand::{combine, of_reports};
use fullwire_model::demand::{AwrKind, AwrReport, Demand, WaitStat};
use jiff::civil::DateTime;

fn at(text: &str) -> DateTime {
    format!("2024-03-01T{text}").parse().unwrap()
}

/// An hour of one instance of PROD; its second instance takes its snapshots five seconds later.
fn report(instance: u64, hour: u64, reads: f64) -> AwrReport {
    let second = if instance == 2 { "05" } else { "00" };
    AwrReport {
        source: format!("{instance}-{hour}"),
        db_name: Some("PROD".into()),
        db_id: Some(1),
        instance: Some(format!("prod{instance}")),
        instance_number: Some(instance),
        begin: Some(at(&format!("{hour:02}:00:{second}"))),
        end: Some(at(&format!("{:02}:00:{second}", hour + 1))),
        begin_snap: Some(hour),
        end_snap: Some(hour + 1),
        elapsed_min: Some(60.0),
        redo_size_per_s: Some(reads * 1000.0),
        read_io_per_s: Some(reads),
        ..AwrReport::default()
    }
}

fn demand_of(reports: &[AwrReport]) -> Demand {
    of_reports(reports, 0.3).swap_remove(0).demand
}

#[test]
fn instances_of_one_time_are_summed_and_one_instance_counts_by_its_highest() {
    // At 10: 300 + 200; at 11: 100 + 500; at 12: 550 + nothing.
    let reports = [
        report(1, 10, 300.0),
        report(1, 11, 100.0),
        report(1, 12, 550.0),
        report(2, 10, 200.0),
        report(2, 11, 500.0),
    ];
    let mut backwards = reports.clone();
    backwards.reverse();
    for reports in [reports, backwards] {
        let demand = demand_of(&reports);
        assert_eq!(demand.read_io_per_s, Some(600.0));
        assert_eq!(demand.redo_peak_bytes_per_s, Some(600_000.0), "seconds between snapshots add nothing");
        assert_eq!(demand.redo_threads, Some(2));
        assert_eq!(demand.database_name.as_deref(), Some("PROD"));
    }
}

#[test]
fn one_interval_twice_and_a_cluster_beside_its_instances_count_once() {
    let text = AwrReport { source: "1-10.txt".into(), ..report(1, 10, 300.0) };
    assert_eq!(demand_of(&[report(1, 10, 300.0), text]).read_io_per_s, Some(300.0));
    let cluster = AwrReport {
        kind: AwrKind::AwrGlobal,
        instance: Some("prod1,prod2".into()),
        instance_number: None,
        ..report(1, 10, 520.0)
    };
    let demand = demand_of(&[report(1, 10, 300.0), report(2, 10, 200.0), cluster]);
    assert_eq!(demand.read_io_per_s, Some(520.0));
    assert_eq!(demand.redo_peak_bytes_per_s, Some(520_000.0));
}

#[test]
fn an_interval_s_mean_is_no_peak() {
    let demand = demand_of(&[report(1, 10, 100.0)]);
    assert!(demand.redo_peak_is_lower_bound);
    assert_eq!(demand.redo_mean_over_s, Some(3600.0));
    assert_eq!(demand.redo_required_bytes_per_s, Some(130_000.0));
    // 100,000 / 0.7.
    close(demand.redo_required_maa_bytes_per_s, 142_857.142_857, 1e-9);
}

#[test]
fn one_headroom_is_honoured_everywhere() {
    let needs = of_reports(&[report(1, 10, 100.0)], 0.1).swap_remove(0);
    close(needs.demand.redo_required_bytes_per_s, 110_000.0, 1e-12);
    close(needs.redo.required_bytes_per_s, 110_000.0, 1e-12);
    assert_eq!((needs.demand.headroom, needs.redo.headroom), (0.1, 0.1));
}

#[test]
fn different_databases_are_never_merged() {
    let other = AwrReport {
        source: "other.html".into(),
        db_name: Some("TEST".into()),
        db_id: Some(2),
        read_io_per_s: Some(9000.0),
        ..report(1, 10, 50.0)
    };
    let needs = of_reports(&[other, report(1, 10, 100.0)], 0.3);
    let names: Vec<_> = needs.iter().map(|needs| needs.demand.database_name.as_deref().unwrap()).collect();
    assert_eq!(names, ["PROD", "TEST"], "the heavier first");
    let demands: Vec<Demand> = needs.into_iter().map(|needs| needs.demand).collect();
    let backwards: Vec<Demand> = demands.iter().rev().cloned().collect();
    for demands in [demands, backwards] {
        let demand = combine(&demands).unwrap();
        assert_eq!((demand.read_io_per_s, demand.source.as_str()), (Some(100.0), "1-10"));
        let gap = demand.gaps.iter().find(|gap| gap.subject == "TEST").expect("the other is named");
        assert!(gap.detail.starts_with("not the same database as PROD: its 0.1 MB/s"), "{gap:?}");
    }
}

#[test]
fn means_are_weighted_and_do_not_depend_on_the_order() {
    let with = |hour, waits, ms| {
        let mut report = report(1, hour, 100.0);
        let wait = WaitStat { waits, mean_ms: Some(ms), ..WaitStat::default() };
        report.waits.insert("log file parallel write".into(), wait);
        report
    };
    // 1000 of 1 ms and 3000 of 5 ms.
    let demands = [demand_of(&[with(10, 1000, 1.0)]), demand_of(&[with(11, 3000, 5.0)])];
    let both = demand_of(&[with(11, 3000, 5.0), with(10, 1000, 1.0)]);
    let combined = combine(&demands).unwrap();
    let backwards = combine(&[demands[1].clone(), demands[0].clone()]).unwrap();
    for demand in [both, combined, backwards] {
        assert_eq!((demand.log_write_mean_ns, demand.log_writes), (Some(4e6), Some(4000.0)));
    }
}

#[test]
fn a_listing_brings_the_true_peak_of_the_only_database() {
    let listing = fullwire_demand::redo::read(
        "SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n1,9000000,2024-03-01 10:00:00,2024-03-01 10:00:30\n",
        "logs.csv",
        0.3,
        None,
    );
    let listing = fullwire_demand::of_redo(&listing.unwrap());
    let demand = combine(&[listing, demand_of(&[report(1, 10, 100.0)])]).unwrap();
    assert_eq!((demand.redo_peak_bytes_per_s, demand.redo_peak_is_lower_bound), (Some(300_000.0), false));
    assert_eq!((demand.redo_mean_over_s, demand.read_io_per_s), (None, Some(100.0)));
    assert_eq!(demand.source, "1-10, logs.csv");
}
