//! `pgbench`: transactions and what a commit takes of them, by the statement latencies of `-r` (its documentation); `sysbench`'s
//! tests of a database (its README).

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::number;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// True for its summary, or for what `-P` prints meanwhile.
pub(in crate::import) fn is_pgbench(text: &str) -> bool {
    has_summary(text) || text.lines().any(|line| progress(line).is_some())
}

fn has_summary(text: &str) -> bool {
    text.contains("number of transactions actually processed:") && text.contains("latency average")
        || text.lines().any(|line| of_sysbench(line.trim()).is_some())
}

/// `transactions:                        29611  (986.49 per sec.)`
fn of_sysbench(line: &str) -> Option<f64> {
    let rest = line.strip_prefix("transactions:")?.trim_end().strip_suffix(" per sec.)")?;
    number(rest.rsplit_once('(')?.1)
}

/// `progress: 5.0 s, 81.2 tps, lat 121.123 ms stddev 31.231, 0 failed`: transactions a second, what one takes, ms, and clients.
/// `[ 2s ] thds: 16 tps: 1012.86 qps: ...` of sysbench has a percentile alone; its threads wait for nothing else (Little's law).
fn progress(line: &str) -> Option<(f64, f64, Option<f64>)> {
    if let Some((_, rest)) = line.split_once("s ] thds: ") {
        let (threads, rest) = rest.split_once(" tps: ")?;
        let (threads, tps) = (number(threads)?, number(rest.split(' ').next()?)?);
        return Some((tps, threads / tps.max(f64::MIN_POSITIVE) * 1e3, Some(threads)));
    }
    let (_, rest) = line.trim().strip_prefix("progress: ")?.split_once(" s, ")?;
    let (tps, rest) = rest.split_once(" tps, lat ")?;
    Some((number(tps)?, number(rest.split_once(" ms")?.0)?, None))
}

/// More intervals than a day of seconds has.
const MOST_INTERVALS: usize = 100_000;

/// Reads the summary, or the intervals where it was cut off.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    builder.begin(None);
    let behind = |line: &str, begin: &str| {
        let rest = line.strip_prefix(begin)?.trim_start_matches([' ', '=', ':']);
        number(rest.split_whitespace().next()?)
    };
    let is_own = ["number of transactions", "progress: "].iter().any(|own| text.contains(own));
    let tool = if is_own { "pgbench" } else { "sysbench" };
    // `avg:  16.21`, with its unit in versions before 1.0: of the events, which are transactions.
    let of_events = |line: &str| {
        let rest = line.strip_prefix("avg:").filter(|_| !is_own)?.trim();
        number(rest.trim_end_matches("ms"))
    };
    let is_whole = has_summary(text);
    let meanwhile = text.lines().filter(|_| !is_whole).filter_map(progress);
    let meanwhile = meanwhile.filter(|(tps, ..)| *tps > 0.0);
    for (index, (tps, ms, clients)) in meanwhile.take(MOST_INTERVALS).enumerate() {
        if index > 0 {
            builder.begin(None);
        }
        builder.push("database", "", "transactions/s", tps);
        builder.push_scaled("database", "", "transaction_ns", ms * 1e6);
        if let Some(clients) = clients {
            builder.push("database", "", "clients", clients);
        }
    }
    let rate_with = |words: &str| {
        text.lines().find(|line| line.contains(words)).and_then(|line| behind(line.trim(), "tps"))
    };
    // What a connection for each transaction (-C) takes of it: printed, or the difference of two rates.
    let rates = rate_with("(including conn").zip(rate_with("(excluding conn"));
    let of_rates = rates.map(|(with, without)| (1.0 / with - 1.0 / without) * 1e9).filter(|ns| *ns > 0.0);
    let printed = text.lines().find_map(|line| behind(line.trim(), "average connection time"));
    if let Some(ns) = printed.map(|ms| ms * 1e6).or(of_rates) {
        builder.push_scaled("database", "", "connect_ns", ns);
    }
    for line in text.lines().map(str::trim) {
        if let Some(tps) = behind(line, "tps").or_else(|| of_sysbench(line)) {
            builder.push("database", "", "transactions/s", tps);
        } else if let Some(ms) = behind(line, "latency average").or_else(|| of_events(line)) {
            builder.push_scaled("database", "", "transaction_ns", ms * 1e6);
        } else if let Some(clients) =
            behind(line, "number of clients").or_else(|| behind(line, "Number of threads"))
        {
            builder.push("database", "", "clients", clients);
        } else if let Some(scale) =
            behind(line, "scaling factor").filter(|_| text.contains("TPC-B (sort of)"))
        {
            builder.push("database", "", "scale", scale);
        } else if let Some(ms) = commit(line) {
            builder.push_scaled("database", "", "commit_ns", ms * 1e6);
        }
    }
    builder.gap("intervals", GapReason::Absent, "the summary is one mean of the whole run");
    builder.done(recorded(name, tool, "local"))
}

/// `76.610  0  END;`, `76.610  COMMIT;` of versions before 15: milliseconds of the statement that commits.
fn commit(line: &str) -> Option<f64> {
    let mut words = line.split_whitespace();
    let ms = number(words.next()?)?;
    let last = words.next_back()?;
    let ends = ["end;", "commit;"].iter().any(|word| last.eq_ignore_ascii_case(word));
    (ends && words.all(|word| number(word).is_some())).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_found_among_the_statements() {
        let text = "number of clients: 16\nnumber of transactions actually processed: 12310\nlatency average = 78.010 ms\n\
                    tps = 205.101223 (without initial connection time)\n 0.121 0  BEGIN;\n 76.610 0  END;\n";
        let file = read(text, "x").unwrap();
        let of = |metric: &str| {
            file.series.iter().find(|one| one.metric == metric).map(|one| one.samples[0].value)
        };
        assert_eq!(of("transactions_per_s"), Some(205.101_223));
        assert_eq!((of("transaction_ns"), of("commit_ns")), (Some(78.01e6), Some(76.61e6)));
        let cut = "progress: 5.0 s, 81.5 tps, lat 121.5 ms stddev 31.2, 0 failed\nprogress: 10.0 s, 79.5 tps, lat 125.5 ms stddev 41.2\n";
        assert!(is_pgbench(cut));
        let file = read(cut, "x").unwrap();
        let rates: Vec<f64> = file.series[0].samples.iter().map(|one| one.value).collect();
        assert_eq!(rates, [81.5, 79.5]);
    }
}
