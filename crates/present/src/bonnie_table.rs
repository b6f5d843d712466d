//! bonnie++'s own printed layout, column for column, so that eyes and scripts that know it read ours.

use fullwire_model::disk::{Bonnie, SmallFilesResult, Timed};
use std::fmt::Write;

const KIB: f64 = 1024.0;

/// The table. Where bonnie++ prints its version, ours stands, but not over what bonnie++ measured.
pub(crate) fn bonnie_table(bonnie: &Bonnie, is_ours: bool) -> String {
    let heading = |ours: &str, theirs: &str| format!("{:<20}", if is_ours { ours } else { theirs });
    let version = heading(concat!("fullwire ", env!("CARGO_PKG_VERSION")), "bonnie++, as read");
    let concurrency = heading("Concurrency   1", "");
    let mut text = String::new();
    let by_bytes =
        [&bonnie.output_char, &bonnie.output_block, &bonnie.rewrite, &bonnie.input_char, &bonnie.input_block];
    let rates: String = by_bytes.iter().map(|timed| pair(timed, KIB)).collect();
    let latencies: String = by_bytes.iter().copied().chain([&bonnie.seeks]).map(latency).collect();
    let size = format!("{}M", bonnie.size_bytes >> 20);
    // Writing into a string does not fail.
    let _ = writeln!(text, "{version}------Sequential Output------ --Sequential Input- --Random-");
    let _ = writeln!(text, "{concurrency}-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--");
    let _ = writeln!(text, "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP");
    let _ = writeln!(text, "{:<13.13}{size:>6}{rates}{}", bonnie.machine, seeks(&bonnie.seeks));
    latency_line(&mut text, &latencies);
    let _ = writeln!(text, "{version}------Sequential Create------ --------Random Create--------");
    let _ = writeln!(
        text,
        "{:<20.20}-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--",
        bonnie.machine
    );
    let _ = writeln!(text, "              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP");
    let files: Vec<&Timed> = [&bonnie.sequential, &bonnie.random].into_iter().flat_map(phases).collect();
    let rates: String = files.iter().map(|timed| pair(timed, 1.0)).collect();
    let latencies: String = files.iter().map(|timed| latency(timed)).collect();
    let _ = writeln!(text, "{:>19}{rates}", bonnie.sequential.plan.files / 1024);
    latency_line(&mut text, &latencies);
    text
}

/// Versions before 1.97 measured none.
fn latency_line(text: &mut String, latencies: &str) {
    if latencies.split_whitespace().any(|one| one != "0us") {
        let _ = writeln!(text, "{:<17}{latencies}", "Latency");
    }
}

fn phases(files: &SmallFilesResult) -> [&Timed; 3] {
    [&files.create, &files.read, &files.delete]
}

/// A rate and the CPU it took; plus signs where it was too short to say.
fn pair(timed: &Timed, unit: f64) -> String {
    match (timed.per_s, timed.cpu_share) {
        (Some(per_s), Some(cpu_share)) => format!(" {:>5.0} {:>3.0}", per_s / unit, cpu_share * 100.0),
        _ => " +++++ +++".to_owned(),
    }
}

/// Seeks have a decimal place below a thousand.
fn seeks(timed: &Timed) -> String {
    match (timed.per_s, timed.cpu_share) {
        (Some(per_s), Some(cpu_share)) if per_s < 1000.0 => {
            format!(" {per_s:>5.1} {:>3.0}", cpu_share * 100.0)
        }
        _ => pair(timed, 1.0),
    }
}

/// Five digits at most, in the unit that needs no more.
fn latency(timed: &Timed) -> String {
    let us = timed.latency_max_ns / 1000;
    let text = match us {
        0..=99_999 => format!("{us}us"),
        100_000..=99_999_999 => format!("{}ms", us / 1000),
        _ => format!("{}s", us / 1_000_000),
    };
    format!(" {text:>9}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skips::given;
    use fullwire_model::disk::SmallFilesPlan;

    fn timed(per_s: f64, cpu_pct: f64, latency_us: u64) -> Timed {
        Timed {
            per_s: Some(per_s),
            cpu_share: Some(cpu_pct / 100.0),
            latency_max_ns: latency_us * 1000,
            ..Timed::default()
        }
    }

    /// The figures of `bonnie/bonnie-text-1.97-ceph.txt` among the samples, printed again.
    fn ceph() -> Bonnie {
        let kib = |figure: f64, cpu, us| timed(figure * KIB, cpu, us);
        let short = || Timed { latency_max_ns: 500_000, ..Timed::default() };
        let plan = SmallFilesPlan { files: 16 << 10, ..SmallFilesPlan::default() };
        Bonnie {
            machine: "ceph-admin".into(),
            size_bytes: 8196 << 20,
            output_char: kib(646.0, 97.0, 12_279),
            output_block: kib(86_208.0, 12.0, 1_920_000),
            rewrite: kib(44_422.0, 5.0, 2_462_000),
            input_char: kib(2_027.0, 97.0, 4_228),
            input_block: kib(104_162.0, 5.0, 41_355),
            seeks: timed(889.7, 8.0, 43_431),
            sequential: SmallFilesResult {
                plan: plan.clone(),
                create: timed(20_285.0, 28.0, 0),
                read: short(),
                delete: short(),
            },
            random: SmallFilesResult {
                plan,
                create: timed(30_720.0, 69.0, 0),
                read: short(),
                delete: short(),
            },
            ..Bonnie::default()
        }
    }

    #[test]
    fn the_layout_is_bonnies() {
        let sample = given!(crate::skips::shared("samples/bonnie/bonnie-text-1.97-ceph.txt"));
        let sample = std::fs::read_to_string(sample).expect("a readable sample");
        let ours = bonnie_table(&ceph(), true);
        let ours: Vec<&str> = ours.lines().collect();
        let theirs: Vec<&str> = sample.lines().collect();
        for line in [2, 3, 4, 7, 8] {
            assert_eq!(ours[line].trim_end(), theirs[line].trim_end(), "line {line}");
        }
        for line in [0, 1, 5, 6] {
            assert_eq!(ours[line][20..].trim_end(), theirs[line][20..].trim_end(), "line {line}");
        }
    }
}
