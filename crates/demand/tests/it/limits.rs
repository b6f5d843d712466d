//! Files that ask for far more than their size: many columns, long names, wide spans, many words. None may cost memory
//! or time out of proportion.

use fullwire_demand::import::{Options, detect_and_read};
use fullwire_demand::{awr, redo};
use std::time::{Duration, Instant};

/// A report of 4n parts may take less than 8 times as long as one of n: linear is 4, quadratic 16. The least of several
/// runs counts, and a noisy machine is asked again.
fn grows_linearly(name: &str, n: usize, read: impl Fn(usize) -> Box<dyn Fn()>) {
    let least = |run: &dyn Fn()| {
        let once = |_| {
            let start = Instant::now();
            run();
            start.elapsed()
        };
        (0..5).map(once).min().unwrap_or(Duration::MAX)
    };
    let (small, large) = (read(n), read(4 * n));
    let mut seen = Vec::new();
    for _ in 0..5 {
        let growth = least(&*large).as_secs_f64() / least(&*small).as_secs_f64();
        if growth < 8.0 {
            return;
        }
        seen.push(growth);
    }
    panic!("{name}: 4 times the size took {seen:.1?} times as long");
}

fn report(body: &str) -> Vec<u8> {
    format!("WORKLOAD REPOSITORY report for\n\n{body}\nEnd of Report\n").into_bytes()
}

fn reads_report(body: &str) -> Box<dyn Fn()> {
    let bytes = report(body);
    Box::new(move || drop(awr::read(&bytes, "a.txt")))
}

fn imports(text: String) -> Box<dyn Fn()> {
    Box::new(move || drop(detect_and_read(text.as_bytes(), "a", Options::default())))
}

#[test]
fn a_ruler_and_a_line_of_many_words() {
    grows_linearly("ruler", 5_000, |n| {
        let words = |word: &str| format!("{word} ").repeat(n);
        reads_report(&format!(
            "Load Profile\n~~~~~~~~~~~~\n{}\n{}\n{}\n",
            words("name"),
            words("----"),
            words("1234")
        ))
    });
}

#[test]
fn many_captions_between_dashes() {
    grows_linearly("captions", 5_000, |n| {
        let captions = "-- Read -- ".repeat(n);
        reads_report(&format!(
            "IO Profile\n~~~~~~~~~~\n{captions}\nname    value\n------- -----\nx           1\n"
        ))
    });
}

#[test]
fn a_listing_of_many_words() {
    grows_linearly("listing", 2_000, |n| {
        let (names, values) = ("name ".repeat(n), "1234 ".repeat(n));
        let rule = "---- ".repeat(n);
        let text = format!("SEQUENCE# {names}\n--------- {rule}\n        1 {values}\n");
        Box::new(move || drop(redo::read(&text, "a", 0.3, None)))
    });
}

#[test]
fn vmstat_and_iostat_with_many_columns() {
    grows_linearly("vmstat", 2_000, |n| {
        let names: String = (0..n).map(|i| format!(" x{i}")).collect();
        let values = " 1".repeat(n);
        imports(format!("procs ---memory---\n r  b swpd  free{names}\n 1 0 0 5 {values}\n"))
    });
    grows_linearly("iostat", 2_000, |n| {
        let names: String = (0..n).map(|i| format!(" x{i}")).collect();
        let values = " 1".repeat(n);
        imports(format!(
            "Linux 5.4 (h) \t03/24/15 \t_x86_64_\t(1 CPU)\n\nDevice r/s w/s\nsda 1 2\n\nDevice{names}\nsda{values}\n"
        ))
    });
}

#[test]
fn a_heading_too_wide_is_told() {
    let names: String = (0..300).map(|i| format!(" x{i}/s")).collect();
    let values = " 1".repeat(300);
    let text = format!(
        "Linux 5.4 (h) \t03/24/15 \t_x86_64_\t(1 CPU)\n\nDevice r/s w/s\nsda 1 2\n\nDevice{names}\nsda{values}\n"
    );
    let imported = detect_and_read(text.as_bytes(), "a", Options::default()).unwrap();
    assert_eq!(imported.series[0].series.len(), 2, "r/s and w/s alone");
    assert!(
        imported.series[0].gaps.iter().any(|gap| gap.detail.starts_with("line 6:")),
        "{:?}",
        imported.series[0].gaps
    );
}

#[test]
fn a_subject_with_a_long_name_is_not_copied_whole() {
    let device = "d".repeat(100_000);
    let text = format!("Linux 5.4 (h) \t03/24/15 \t_x86_64_\t(1 CPU)\n\nDevice r/s w/s\n{device} 1 2\n");
    let imported = detect_and_read(text.as_bytes(), "a", Options::default()).unwrap();
    assert!(imported.series[0].series.iter().all(|series| series.subject.len() == 256));
}

/// A heading of n words and as many short rows that do not fit it: the heading was copied for each of them.
#[test]
fn a_long_sar_heading_above_many_short_rows() {
    grows_linearly("sar", 2_000, |n| {
        let name = "x".repeat(n * 200);
        let rows = "10:00:00 AM 1 2 3\n".repeat(n);
        imports(format!(
            "Linux 5.4 (h) \t03/24/15 \t_x86_64_\t(1 CPU)\n\n10:00:00 AM CPU %idle\n10:00:01 AM all 5\n10:00:00 AM {name} %idle\n{rows}"
        ))
    });
}

/// Siblings of the rows above: lists that were searched for each of their lines.
#[test]
fn many_lines_of_one_table() {
    grows_linearly("functions", 4_000, |n| {
        let lines: String = (0..n).map(|i| format!("f{i:<14}     1M\n")).collect();
        reads_report(&format!(
            "IOStat by Function summary      DB/Inst: A/a  Snaps: 1-2\nFunction Name    Reads:\n--------------- -------\n{lines}"
        ))
    });
    grows_linearly("values of one parameter", 4_000, |n| {
        let lines: String = (0..n).map(|i| format!("control_files   v{i}\n")).collect();
        reads_report(&format!(
            "init.ora Parameters      DB/Inst: A/a  Snaps: 1-2\nParameter Name  Begin value\n--------------- -----------\n{lines}"
        ))
    });
}

/// Text in which every part of a report, a listing and a series is repeated, cut and mixed: a poor man's fuzzer as well
/// the targets of `fuzz/`. Nothing may panic.
mod mangled {
    use super::*;
    use proptest::prelude::*;

    const SEEDS: [&str; 8] = [
        include_str!("../specimens/awr-10g.txt"),
        include_str!("../specimens/awr-10g.html"),
        include_str!("../specimens/awr-19c-pdb-sqlplus.txt"),
        include_str!("../specimens/statspack-8i.txt"),
        // Devices of other systems.
        "                    extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n   70.0   30.0 560.0  240.0  2.0  3.0   20.0   30.5   9  97 c7t1d0\n\
         Disks:      % tm_act     Kbps      tps    Kb_read   Kb_wrtn\nhdisk7       97.0     812.0     81.0      4124       812\n\
         dT: 1.002s  w: 1.000s\n L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n    7    812      4     16    0.4    808   8124   41.2   99.8| da7\n\
         pool        alloc   free   read  write   read  write\ntank        812G   412G     41    812  4.12M  81.2M\n",
        // Recorders of a host.
        "----total-usage---- -dsk/total- --io/total-\nusr sys idl wai stl| read  writ| read  writ\n  2   1  12  85   0|  12k   81M|  3.00   812\n\
         #<--------CPU--------><----------Disks----------->\n#cpu sys inter  ctxsw KBRead  Reads KBWrit Writes\n  12   3  2212   4410      4      1  81240    812\n\
         ATOP - db7     2026/03/02  10:00:01     10s elapsed\nCPU | sys   20% | user  60% | idle   20% | wait  700% |\nDSK |   sdq | busy   99% | read  8 | avio 81.2 ms |\n\
         CPU_ALL,CPU Total db7,User%,Sys%,Wait%,Idle%\nZZZZ,T0001,10:00:01,02-MAR-2026\nCPU_ALL,T0001,12.0,3.0,71.0,14.0\n",
        // Results in a line each, and what lines mean together.
        "64 bytes from 10.7.0.9: icmp_seq=1 ttl=64 time=0.212 ms\n64 bytes from 10.7.0.9: icmp_seq=9 ttl=64 time=812 ms\n\
         traceroute to 10.7.0.9 (10.7.0.9), 30 hops max, 60 byte packets\n 1  gw7 (10.7.1.1)  0.312 ms  0.287 ms\n 2  * * *\n\
         1112.5000 MB /  10.00 sec =  933.2 Mbps 4 %TX 12 %RX 4124 retrans 0.31 msRTT\n  >=(ms) .. <(ms)   : I/O      |Distribution   |\n       4 -> 8       : 12        |#    |\n\
         \"start\": 7,\n\"bytes\": 125000000,\n\"bits_per_second\": 1e9,\n\"retransmits\": 173\n}],\n    clat (msec): min=2, max=194, avg=32.63, stdev=11.93\n",
        "THREAD#,SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n1,10,60000,2024-03-01 10:00:00,2024-03-01 10:10:00\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_panics(
            seed in 0..SEEDS.len(),
            edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5_u8), 1..12),
        ) {
            let mut lines: Vec<String> = SEEDS[seed].lines().map(str::to_owned).collect();
            for (at, other, kind) in edits {
                let (at, other) = (at.index(lines.len()), other.index(lines.len()));
                match kind {
                    0 => lines.swap(at, other),
                    1 => lines[at] = lines[other].clone(),
                    2 => { let middle = lines[at].chars().count() / 2; lines[at] = lines[at].chars().take(middle).collect(); }
                    3 => lines[at] = lines[at].repeat(3),
                    _ => lines[at] = lines[at].replace(' ', "-"),
                }
            }
            let text = lines.join("\n");
            let _ = awr::read(text.as_bytes(), "a");
            let _ = redo::read(&text, "a", 0.3, None);
            let _ = detect_and_read(text.as_bytes(), "a", Options::default());
            for piece in fullwire_demand::piece::pieces(&text, "a", Options::default()) {
                let _ = fullwire_demand::logged::lines(&piece.text, "a", Options::default().known);
                let _ = detect_and_read(piece.text.as_bytes(), "a", Options::default());
            }
        }
    }
}
