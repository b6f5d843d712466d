//! The first sentence by class, on reports put together by hand.

use super::*;
use fullwire_model::demand::{FileIo, HistogramBucket, TopEvent, WaitHistogram, WaitStat};

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

/// What names do not tell a reader is said, and what calls do beside their work.
#[test]
fn a_wait_is_explained_where_its_name_is_not_enough() {
    let said = |event: &str| answer(&report(600.0, 3_600.0, &[(event, 900, 26_000.0)])).1;
    for (event, meaning) in [
        ("statement suspended, wait error to be cleared", "until they get space"),
        ("acknowledge over PGA limit", "limit of private memory"),
        ("log file switch (archiving needed)", "The archiver is slower than the redo"),
        ("direct path write temp", "do not fit into their work areas"),
    ] {
        assert!(said(event).contains(meaning), "{}", said(event));
    }
    assert_eq!(
        answer(&report(600.0, 3_600.0, &[("buffer busy global CR", 9, 26_000.0)])).0,
        TimeClass::Interconnect
    );
    let mut parsing = report(600.0, 30_000.0, &[]);
    parsing.time_model_s.insert("parse time elapsed".into(), 25_200.0);
    parsing.load_profile.insert("hard parses (sql)".into(), 900.4);
    assert!(
        answer(&parsing).1.ends_with("Calls parse statements 70 % of DB time (900 hard parses a second).")
    );
    parsing.elapsed_min = Some(60_000.0);
    assert!(!answer(&parsing).1.contains("parse statements"), "nearly idle");
    // Fast writes of a busy log writer: there are many.
    let mut commits = report(
        600.0,
        3_600.0,
        &[("log file sync", 9_000_000, 22_500.0), ("log file parallel write", 6_000_000, 3_000.0)],
    );
    commits.commits_per_s = Some(2_722.0);
    assert!(answer(&commits).1.contains("the number of commits (2722 a second) costs the time"));
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

/// Pieces of a report in which no session's waits are listed, and lists without shares.
#[test]
fn pieces_are_answered_by_what_they_have() {
    let mut listed = AwrReport::default();
    for (name, time_s) in [("gc buffer busy acquire", 8_000.0), ("log file sync", 1_200.0)] {
        listed.top_events.push(TopEvent { name: name.into(), time_s: Some(time_s), ..TopEvent::default() });
        listed.waits.insert(name.into(), WaitStat { time_s: Some(time_s), ..WaitStat::default() });
    }
    let (class, said) = answer(&listed);
    assert_eq!(class, TimeClass::Interconnect);
    assert!(said.starts_with("87 % of the waits listed is the interconnect"), "{said}");

    let mut background = AwrReport::default();
    for (name, mean_ms) in [("db file parallel write", 86.0), ("log file parallel write", 2.0)] {
        let wait = WaitStat { time_s: Some(mean_ms), mean_ms: Some(mean_ms), ..WaitStat::default() };
        background.background_waits.insert(name.into(), wait);
    }
    let (class, said) = answer(&background);
    assert_eq!(class, TimeClass::Io);
    assert!(said.ends_with("the storage is overloaded: db file parallel write 86 ms."), "{said}");
    background.background_waits.remove("db file parallel write");
    assert!(!answer(&background).1.contains("overloaded"));

    let mut slow = AwrReport::default();
    let bucket = |upto_us, pct| HistogramBucket { upto_us, pct };
    let buckets = vec![bucket(Some(16_384.0), 64.0), bucket(Some(32_768.0), 31.0), bucket(None, 5.0)];
    slow.histograms.insert("log file parallel write".into(), WaitHistogram { waits: None, buckets });
    assert_eq!(
        answer(&slow).1,
        "Of the waits for log file parallel write 36 % take longer than 16 ms: requests queue."
    );

    let profile = |active: f64, on_cpu: f64| {
        let mut report = AwrReport { cpus: Some(128), ..AwrReport::default() };
        report.load_profile.insert("db time(s)".into(), active);
        report.load_profile.insert("db cpu(s)".into(), on_cpu);
        answer(&report)
    };
    let (class, said) = profile(256.6, 3.7);
    assert_eq!(class, TimeClass::Unknown);
    assert!(
        said.starts_with(
            "256.6 sessions are active on average, 3.7 of them on a CPU (of 128): 99 % of DB time is waits"
        ),
        "{said}"
    );
    assert_eq!(profile(4.0, 3.6).0, TimeClass::Cpu);

    let mut host = AwrReport::default();
    host.os_statistics.insert("%WIO".into(), 80.5);
    host.os_statistics.insert("%Idle".into(), 84.7);
    assert!(answer(&host).1.contains("wait for I/O 80 %"), "{}", answer(&host).1);
    host.os_statistics.insert("%WIO".into(), 2.0);
    assert!(answer(&host).1.starts_with("The host's CPUs were idle 85 % of the time"), "{}", answer(&host).1);

    let mut model = AwrReport::default();
    model.time_model_s.insert("DB time".into(), 8_000.0);
    assert!(of(&model).is_none());
    model.time_model_s.insert("DB CPU".into(), 800.0);
    assert!(answer(&model).1.starts_with("90 % of DB time is waits"));
    let mut read = AwrReport::default();
    read.tablespaces.push(FileIo {
        tablespace: "USERS".into(),
        reads_per_s: Some(81.0),
        read_mean_ms: Some(81.2),
        ..FileIo::default()
    });
    assert!(
        answer(&read).1.starts_with("A read of tablespace USERS takes 81 ms, 81 a second: requests queue")
    );
}

/// Waits for things in memory that no storage shortens, and the two that the database writer serves (Oracle Database Reference,
/// Oracle Enqueue Names).
#[test]
fn an_enqueue_is_of_what_it_protects() {
    for (event, class) in [
        ("enq: RC - Result Cache: Contention", TimeClass::Contention),
        ("enq: SV -  contention", TimeClass::Contention),
        ("enq: SS - contention", TimeClass::Contention),
        ("enq: CR - block range reuse ckpt", TimeClass::Io),
        ("enq: TM - contention", TimeClass::Locks),
    ] {
        let (found, said) = answer(&report(60.0, 100.0, &[(event, 8_000, 3_000.0)]));
        assert_eq!(found, class, "{event}: {said}");
    }
}
