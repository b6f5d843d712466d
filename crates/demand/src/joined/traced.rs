//! What tools that trace or load from outside print as tables.

use super::SLOW_S;
use crate::page;
use crate::stamp::split_stamp;
use std::fmt::Write as _;

/// Findings of ADDM with their share of all activity: `ADDM: finding=Commits and Rollbacks; share=62.2` (Oracle Database
/// Performance Tuning Guide, ADDM analysis results).
pub(super) fn findings_of_addm(lines: &mut Vec<String>) {
    let mut name = None;
    let mut told = Vec::new();
    for line in lines.iter() {
        if let Some((_, rest)) = line.strip_prefix("Finding ").and_then(|rest| rest.split_once(": ")) {
            name = Some(rest.replace(';', ","));
        } else if let Some(share) =
            page::number_behind(line, "active sessions, ").filter(|_| line.starts_with("Impact is "))
        {
            told.extend(name.take().map(|name| format!("ADDM: finding={name}; share={share}")));
        }
    }
    lines.extend(told);
}

/// Completion times of fio whose direction and rate were cut off: `fio: a request took ms=7991.9 on average, at worst ms=7991.9`
/// (fio(1), clat: its K and M are powers of 1000).
pub(super) fn completions(lines: &mut Vec<String>) {
    let told = |line: &String| {
        let (unit, rest) = line.split_once("clat (")?.1.split_once("): ")?;
        let ms = page::nanoseconds(unit)? / 1e6;
        let value = |name: &str| {
            let word = rest.split([' ', ',']).find_map(|word| word.strip_prefix(name))?;
            let end = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
            Some(word[..end].parse::<f64>().ok()? * page::power(&word[end..], 1e3)? * ms)
        };
        Some(format!(
            "fio: a request took ms={:.2} on average, at worst {:.1} ms",
            value("avg=")?,
            value("max=")?
        ))
    };
    let told: Vec<String> = lines.iter().filter_map(told).collect();
    lines.extend(told);
}

/// Statements of MySQL's slow query log, each below its times, as `slow query: seconds=28.4; lock_s=0.1; examined=1;
/// statement=COMMIT` (MySQL manual, The Slow Query Log; Percona Server, Slow Query Log).
pub(super) fn slow_queries(lines: &mut Vec<String>) {
    const FIELDS: [(&str, &str); 4] = [
        ("Query_time:", "seconds"),
        ("Lock_time:", "lock_s"),
        ("Rows_examined:", "examined"),
        ("InnoDB_IO_r_wait:", "io_s"),
    ];
    let mut open: Option<String> = None;
    let mut within = false;
    let mut told = Vec::new();
    lines.retain(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("# ") {
            within = true;
            for pair in words.windows(2) {
                let field = FIELDS.iter().find(|(name, _)| *name == pair[0]);
                let value = pair[1].parse::<f64>().ok();
                if let Some(((_, name), value)) = field.zip(value) {
                    let value = if *name == "examined" { value.max(1.0) } else { value };
                    let row = open.get_or_insert_with(|| "slow query:".to_owned());
                    let _ = write!(row, " {name}={value};");
                }
            }
            return false;
        }
        let is_head = line.starts_with("SET timestamp")
            || words.first().is_some_and(|word| word.eq_ignore_ascii_case("use"));
        if let (Some(row), Some(word)) = (&open, words.first().filter(|_| !is_head)) {
            let slow = page::number_behind(row, "seconds=").filter(|seconds| *seconds >= SLOW_S);
            told.extend(slow.map(|_| format!("{row} statement={}", word.trim_end_matches(';'))));
            open = None;
        }
        // The rest of a statement is no message; a line with a stamp is of another log.
        !within || !split_stamp(line).0.is_empty()
    });
    lines.extend(told);
}

/// A slow operation in the log of `MongoDB` before 4.4, which is no JSON, as such a row: `... command: find { ... } docsExamined:812
/// ... storage:{ data: { timeReadingMicros: 41233012 } } protocol:op_msg 52330ms`.
pub(super) fn slow_operations(lines: &mut Vec<String>) {
    let row = |line: &String| {
        let seconds = line.rsplit(' ').next()?.strip_suffix("ms")?.parse::<f64>().ok()? / 1e3;
        let seconds = Some(seconds).filter(|seconds| *seconds >= SLOW_S)?;
        let statement = line.split_once(" command: ")?.1.split(' ').next()?;
        let io_s = page::number_behind(line, "timeReadingMicros:").unwrap_or(0.0) / 1e6;
        let examined = page::number_behind(line, "docsExamined:").unwrap_or(0.0).max(1.0);
        Some(format!(
            "slow query: seconds={seconds}; io_s={io_s}; examined={examined}; statement={statement}"
        ))
    };
    let told: Vec<String> = lines.iter().filter_map(row).collect();
    lines.extend(told);
}

/// What a block took that a plan read (`Buffers: shared hit=3 read=5` above `I/O Timings: read=412.0`, in either order): `plan:
/// block_ms=82.4; blocks=5` (PostgreSQL documentation, EXPLAIN: totals of a node hold those of the nodes below it).
pub(super) fn reads_of_a_plan(lines: &mut Vec<String>) {
    /// Less in all may be one read that met a busy moment (own choice).
    const MUCH_MS: f64 = 100.0;
    let told = lines.windows(2).filter_map(|pair| {
        let [one, other] = [&pair[0], &pair[1]];
        let (blocks, times) = if one.starts_with("Buffers:") { (one, other) } else { (other, one) };
        let times = times.strip_prefix("I/O Timings:").filter(|times| !times.contains("temp"))?;
        let blocks = page::number_behind(blocks.strip_prefix("Buffers:")?.split("temp").next()?, " read=")?;
        let all_ms = page::number_behind(times, "read=").filter(|ms| *ms >= MUCH_MS)?;
        let each_ms = all_ms / blocks.max(1.0);
        Some((each_ms, format!("plan: block_ms={each_ms:.1}; blocks={blocks:.0}")))
    });
    let told = told.max_by(|one, other| one.0.total_cmp(&other.0));
    lines.extend(told.map(|(_, told)| told));
}

/// Counters of pt-mysql-summary, of which the last column is what ten seconds brought: `Innodb log waits in 10 s=41`.
pub(super) fn counters_of_mysql(lines: &mut [String]) {
    for line in lines.iter_mut().filter(|line| line.starts_with("Innodb_")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        *line = match words.as_slice() {
            [name, _, _, meanwhile] => format!("{} in 10 s={meanwhile}", name.replace('_', " ")),
            _ => String::new(),
        };
    }
}

/// A node of memory with hardly any free while another has much (numactl(8), --hardware): `numa: node=0; free=112; size=128812;
/// other=1; other_free=98123`, MB.
pub(super) fn nodes_of_memory(lines: &mut Vec<String>) {
    /// Less is none, and more is much, of a node's size (own choice).
    const NONE: f64 = 0.01;
    const MUCH: f64 = 0.25;
    /// More than any server has.
    const NODES: usize = 256;
    let of = |node: usize, what: &str| {
        let mark = format!("node {node} {what}: ");
        lines.iter().find_map(|line| page::number_behind(line.strip_prefix(&mark)?, ""))
    };
    let nodes: Vec<(usize, f64, f64)> =
        (0..NODES).map_while(|node| Some((node, of(node, "free")?, of(node, "size")?))).collect();
    let full = nodes.iter().find(|(_, free, size)| *free < NONE * size);
    let told = full.zip(nodes.iter().find(|(_, free, size)| *free > MUCH * size));
    let told = told.map(|((node, left, size), (other, free, _))| {
        format!("numa: node={node}; free={left}; size={size}; other={other}; other_free={free}")
    });
    lines.extend(told);
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn findings_of_addm_are_rows() {
        let addm = "Finding 1: Commits and Rollbacks\nImpact is 12.4 active sessions, 62.2% of total activity.\n\
                    Recommendation 1: Host Configuration\nEstimated benefit is 12.4 active sessions, 62.2% of total activity.\n";
        let told: Vec<String> = joined(addm).into_iter().filter(|line| line.starts_with("ADDM: ")).collect();
        assert_eq!(told, ["ADDM: finding=Commits and Rollbacks; share=62.2"]);
    }
}
