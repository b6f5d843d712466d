//! `ioping`: the latency of one request at a time (its manual, RAW STATISTICS and the lines at the end).

use crate::ReadError;
use crate::import::{number, whole};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::latency::Latency;
use fullwire_model::quantity::{parse_duration_ns, parse_size_bytes};

/// True for its last lines, or for those of its requests.
pub(in crate::import) fn is_ioping(text: &str) -> bool {
    text.contains(" ioping statistics ---") && text.contains("min/avg/max/mdev")
        || text.lines().take(MOST_LINES).filter_map(request_ns).count() > 1
}

/// Lines of requests that are looked at.
const MOST_LINES: usize = 100_000;

/// `4 KiB <<< /data (ext4 /dev/sdb1 98.3 GiB): request=2 time=26.5 ms`; the first one warms up.
fn request_ns(line: &str) -> Option<u64> {
    let (_, time) = line.split_once(": request=")?.1.split_once(" time=")?;
    let time: String = time.split_whitespace().take(2).collect();
    parse_duration_ns(&time).ok().filter(|_| !line.contains("(warmup)"))
}

/// Least, mean and most of the requests, where the summary was cut off.
fn of_requests(text: &str) -> Vec<u64> {
    let times: Vec<u64> = text.lines().take(MOST_LINES).filter_map(request_ns).collect();
    let mean = times.iter().sum::<u64>() / times.len().max(1) as u64;
    times.iter().min().zip(times.iter().max()).map_or(Vec::new(), |(min, max)| vec![*min, mean, *max])
}

/// Reads the summary of the first run.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let missing = |what: &str| ReadError::at_end(name, text, format!("ioping's output without {what}"));
    let lines = || text.lines().map(str::trim);
    let parsed = |line: &str| {
        line.split(" / ").filter_map(|time| parse_duration_ns(&time.replace(' ', "")).ok()).collect()
    };
    let summary = lines().find_map(|line| line.strip_prefix("min/avg/max/mdev = "));
    let times: Vec<u64> = summary.map_or_else(|| of_requests(text), parsed);
    let [min, mean, max, ..] = times.as_slice() else { return Err(missing("its times")) };
    let done = lines().find(|line| line.contains(" requests completed in ")).unwrap_or("");
    let listed = text.lines().take(MOST_LINES).filter_map(request_ns).count().max(1) as f64;
    let count = done.split(' ').next().and_then(number).unwrap_or(listed);
    let of_request = || {
        lines().find_map(|line| {
            line.split_once(['<', '>'])?.1.trim_start_matches(['<', '>', ' ']).split(' ').next()
        })
    };
    let target = lines().find_map(|line| line.strip_prefix("--- ")?.split([' ', ')']).next());
    let target = target.or_else(of_request).unwrap_or(name);
    let block = lines().find(|line| line.contains(" <<< ") || line.contains(" >>> "));
    let writes = block.is_some_and(|line| line.contains(" >>> "));
    // `4 KiB <<< /data`
    let size = block.and_then(|line| parse_size_bytes(&line.split(' ').take(2).collect::<String>()).ok());
    let iops = 1e9 / (*mean).max(1) as f64;
    let block_bytes = size.unwrap_or(4096);
    let step = DiskStepResult {
        profile: "ioping".into(),
        operation: if writes { Operation::Write } else { Operation::Read },
        pattern: Pattern::Random,
        block_bytes,
        queue_depth: 1,
        threads: 1,
        ios: whole(count),
        iops,
        throughput_bytes_per_s: iops * block_bytes as f64,
        latency_ns: Latency {
            count: whole(count),
            min: *min,
            mean: *mean as f64,
            max: *max,
            ..Latency::default()
        },
        ..DiskStepResult::default()
    };
    Ok(DiskResult {
        target: target.into(),
        target_kind: "directory".into(),
        steps: vec![step],
        ..DiskResult::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        let text = "4 KiB <<< /data (ext4 /dev/sdb1 98.3 GiB): request=2 time=26.5 ms\n\n--- /data (ext4 /dev/sdb1 98.3 GiB) ioping statistics ---\n\
                    9 requests completed in 402.1 ms, 36 KiB read, 22 iops, 89.5 KiB/s\ngenerated 10 requests in 9.40 s, 40 KiB, 1 iops, 4.25 KiB/s\n\
                    min/avg/max/mdev = 21.3 ms / 44.7 ms / 212.4 ms / 58.0 ms\n";
        let result = read(text, "x").unwrap();
        let step = &result.steps[0];
        assert_eq!((result.target.as_str(), step.block_bytes, step.ios), ("/data", 4096, 9));
        assert_eq!((step.latency_ns.mean, step.latency_ns.max), (44_700_000.0, 212_400_000));
        let line = |number: u32, time: &str| {
            format!("8 KiB >>> /u01 (xfs /dev/sdb1 98.3 GiB): request={number} time={time}\n")
        };
        let cut = line(1, "812.0 ms (warmup)") + &line(2, "20.0 ms") + &line(3, "40.0 ms");
        assert!(is_ioping(&cut));
        let result = read(&cut, "x").unwrap();
        let step = &result.steps[0];
        assert_eq!((result.target.as_str(), step.block_bytes, step.ios), ("/u01", 8192, 2));
        assert_eq!((step.operation, step.latency_ns.mean), (Operation::Write, 30e6));
    }
}
