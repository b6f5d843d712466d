//! `ioping`: the latency of one request at a time (its manual, RAW STATISTICS and the lines at the end).

use crate::ReadError;
use crate::import::{number, whole};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::latency::Latency;
use fullwire_model::quantity::{parse_duration_ns, parse_size_bytes};

/// True for its last lines.
pub(in crate::import) fn is_ioping(text: &str) -> bool {
    text.contains(" ioping statistics ---") && text.contains("min/avg/max/mdev")
}

/// Reads the summary of the first run.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let missing = |what: &str| {
        ReadError::new(name, text.lines().count().max(1), format!("ioping's output without {what}"))
    };
    let lines = || text.lines().map(str::trim);
    let times = lines()
        .find_map(|line| line.strip_prefix("min/avg/max/mdev = "))
        .ok_or_else(|| missing("its times"))?;
    let times: Vec<u64> =
        times.split(" / ").filter_map(|time| parse_duration_ns(&time.replace(' ', "")).ok()).collect();
    let [min, mean, max, ..] = times.as_slice() else { return Err(missing("its times")) };
    let done = lines().find(|line| line.contains(" requests completed in ")).unwrap_or("");
    let count = done.split(' ').next().and_then(number).unwrap_or(1.0);
    let target = lines().find_map(|line| line.strip_prefix("--- ")?.split([' ', ')']).next()).unwrap_or(name);
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
        target: target.to_owned(),
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
    }
}
