//! The first sentence by class, on reports put together by hand.

use super::*;
use fullwire_model::demand::{TopEvent, WaitStat};

/// An hour with this DB time, min, and these waits: event, count, seconds.
fn report(db_time_min: f64, cpu_s: f64, waits: &[(&str, u64, f64)]) -> AwrReport {
    let mut report = AwrReport {
        source: "awr.txt".into(),
        db_name: Some("ORCL".into()),
        elapsed_min: Some(60.0),
        db_time_min: Some(db_time_min),
        ..AwrReport::default()
    };
    report.time_model_s.insert("DB CPU".into(), cpu_s);
    for (event, count, seconds) in waits {
        let mean_ms = Some(seconds * 1e3 / *count as f64);
        let wait = WaitStat { waits: *count, time_s: Some(*seconds), mean_ms, ..WaitStat::default() };
        report.waits.insert((*event).into(), wait);
    }
    report
}

fn answer(report: &AwrReport) -> (TimeClass, String) {
    let time = of(report).expect("an answer");
    (time.class, time.sentences.join(" "))
}

/// 600 min of DB time are 36,000 s.
#[test]
fn what_is_not_io_says_so_and_how_little_storage_would_save() {
    let class = |waits: &[(&str, u64, f64)]| answer(&report(600.0, 3_600.0, waits));
    let (manager, said) =
        class(&[("resmgr:cpu quantum", 90_000, 29_900.0), ("db file sequential read", 1_000, 360.0)]);
    assert_eq!(manager, TimeClass::ResourceManager);
    assert!(
        said.starts_with("83 % of DB time is not I/O: the resource manager holds sessions back"),
        "{said}"
    );
    assert!(said.contains("I/O is 1 %"), "{said}");
    assert_eq!(class(&[("enq: TX - contention", 900, 26_000.0)]).0, TimeClass::Locks);
    let (latches, said) =
        class(&[("latch: shared pool", 900, 15_800.0), ("library cache: mutex X", 900, 4_960.0)]);
    assert_eq!(latches, TimeClass::Contention);
    assert!(said.contains("58 % of DB time is not I/O") && said.contains("would not help"), "{said}");
    assert_eq!(class(&[("gc buffer busy acquire", 900, 20_000.0)]).0, TimeClass::Interconnect);
    assert_eq!(class(&[("SQL*Net message from dblink", 900, 20_000.0)]).0, TimeClass::Network);
    // Idle, and of the background: no part of DB time.
    let idle = report(
        600.0,
        30_000.0,
        &[("SQL*Net message from client", 9, 9e5), ("log file parallel write", 9, 9e5)],
    );
    assert_eq!(answer(&idle).0, TimeClass::Cpu);
}

/// 1.8 s of DB time, of which one wait is printed as "1 s" and as 31.1 %.
#[test]
fn of_little_time_the_printed_share_counts() {
    let mut idle = report(0.03, 1.1, &[]);
    idle.time_model_s.clear();
    let event = |name: &str, time_s: f64, share_pct: f64| TopEvent {
        name: name.into(),
        waits: Some(12),
        time_s: Some(time_s),
        share_pct: Some(share_pct),
        ..TopEvent::default()
    };
    idle.top_events = vec![event("DB CPU", 1.0, 58.0), event("name-service call wait", 1.0, 31.1)];
    let time = of(&idle).expect("an answer");
    let shares: Vec<f64> = time.parts.iter().map(|part| (part.share * 1000.0).round()).collect();
    assert_eq!(shares, [580.0, 311.0], "{:?}", time.parts);
}

/// A cut list beside a host without a CPU left; and blocks that are lost.
#[test]
fn a_full_host_and_lost_blocks_are_named() {
    let top = |names: &[(&str, f64)]| -> Vec<TopEvent> {
        let one = |(name, seconds): &(&str, f64)| TopEvent {
            name: (*name).into(),
            waits: Some(1_000),
            time_s: Some(*seconds),
            ..TopEvent::default()
        };
        names.iter().map(one).collect()
    };
    let mut full = report(600.0, 0.0, &[]);
    full.time_model_s.clear();
    full.top_events = top(&[
        ("DB CPU", 14_000.0),
        ("log file sync", 5_000.0),
        ("db file sequential read", 3_000.0),
        ("latch: cache buffers chains", 2_500.0),
        ("cursor: pin S", 1_200.0),
    ]);
    assert_eq!(answer(&full).0, TimeClass::Mixed);
    full.os_statistics.insert("%Idle".into(), 0.8);
    let (class, said) = answer(&full);
    assert_eq!(class, TimeClass::Cpu, "{said}");
    assert!(said.contains("the host has none left"), "{said}");
    let lost = report(
        600.0,
        3_600.0,
        &[("gc buffer busy acquire", 900, 20_000.0), ("gc cr block lost", 900, 2_000.0)],
    );
    assert!(
        answer(&lost).1.contains("6 % of DB time are waits for blocks that were lost"),
        "{}",
        answer(&lost).1
    );
}

#[test]
fn reads_are_compared_with_what_a_medium_can_do() {
    let reads = |mean_ms: f64| {
        answer(&report(
            600.0,
            3_600.0,
            &[
                ("db file sequential read", 100_000, 100.0 * mean_ms),
                ("direct path read", 1, (27_900.0 - 100.0 * mean_ms).max(1.0) * 0.1),
            ],
        ))
    };
    let (class, said) = reads(184.0);
    assert_eq!(class, TimeClass::Io);
    assert!(said.contains("18 times as long as a spinning disk: requests queue"), "{said}");
    let flash = report(600.0, 3_600.0, &[("db file sequential read", 60_000_000, 28_000.0)]);
    let (_, said) = answer(&flash);
    assert!(said.contains("0.47 ms, as flash does") && said.contains("16667 a second"), "{said}");
}

#[test]
fn a_commit_is_taken_apart() {
    let commit = |sync_s: f64, write_s: f64| {
        answer(&report(
            600.0,
            3_600.0,
            &[("log file sync", 1_000_000, sync_s), ("log file parallel write", 900_000, write_s)],
        ))
    };
    let (class, said) = commit(20_000.0, 9_000.0);
    assert_eq!(class, TimeClass::Io);
    assert!(said.contains("A commit waits 20 ms, the log write takes 10 ms"), "{said}");
    let (class, said) = commit(20_000.0, 450.0);
    assert_eq!(class, TimeClass::Commits);
    assert!(said.starts_with("56 % of DB time is not I/O: commits wait 20 ms"), "{said}");
    let waits = [("log file sync", 1_000_000, 10_000.0), ("log file parallel write", 900_000, 450.0)];
    let (mixed, said) = answer(&report(600.0, 12_000.0, &waits));
    assert_eq!(mixed, TimeClass::Mixed);
    assert!(said.contains("commits 28 % (log file sync)"), "{said}");
}

/// Two hours of one database: what makes the difference is named first, with its means.
#[test]
fn what_changed_is_ranked_by_the_time_that_it_costs() {
    let good = report(
        60.0,
        1_800.0,
        &[("log file sync", 1_000_000, 500.0), ("db file sequential read", 100_000, 400.0)],
    );
    let bad = report(
        300.0,
        2_000.0,
        &[("log file sync", 1_000_000, 15_000.0), ("db file sequential read", 100_000, 410.0)],
    );
    let said = changed::sentences(&[&bad, &good]).join(" ");
    assert!(said.starts_with("Active sessions went from 1.0 to 5.0"), "{said}");
    assert!(said.contains("log file sync +4.03 (mean 0.50 → 15.00 ms)"), "{said}");
    assert!(!said.contains("db file sequential read"), "{said}");
}
