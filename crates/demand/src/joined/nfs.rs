//! The kernel's own totals of an NFS mount, in the words of mountstats(8).

/// What moves data: the other operations are few, and a lookup that took long says nothing of it.
const OPERATIONS: [&str; 3] = ["READ", "WRITE", "COMMIT"];
/// Means over fewer requests say nothing.
const FEWEST: u64 = 100;

/// Rows of `per-op statistics` of `/proc/self/mountstats`: requests, transmissions, major time-outs, bytes each way, and the
/// milliseconds that all of them waited to be sent, took from there to the answer, and took in all (Linux
/// `net/sunrpc/stats.c`, `rpc_clnt_show_stats`).
pub(super) fn operations(lines: &mut Vec<String>) {
    // What a server can (`nfsv4: bm0=0xfdffbfff,...`) begins as messages of the kernel do.
    lines.retain(|line| !line.contains("bm0=0x"));
    let told = std::mem::take(lines).into_iter().flat_map(|line| match operation(&line) {
        Some(told) => told.to_vec(),
        None => vec![line],
    });
    *lines = told.collect();
}

fn operation(line: &str) -> Option<[String; 2]> {
    let (name, rest) = line.trim().split_once(':')?;
    let counts: Vec<u64> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let &[requests, sent, timeouts, _, _, queue_ms, rtt_ms, whole_ms, ..] = counts.as_slice() else {
        return None;
    };
    if !OPERATIONS.contains(&name) || requests < FEWEST {
        return None;
    }
    let mean = |sum: u64| sum as f64 / requests as f64;
    let again = sent.saturating_sub(requests);
    Some([
        format!(
            "{requests} ops {again} retrans ({:.1}%) {timeouts} major timeouts (of {name}:)",
            mean(again) * 100.0
        ),
        format!(
            "backlog wait: {:.3} RTT: {:.3} total execute time: {:.3} (milliseconds) (of {name}:)",
            mean(queue_ms),
            mean(rtt_ms),
            mean(whole_ms)
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_totals_of_an_operation_become_its_means() {
        assert_eq!(
            operation("        READ: 1000 1048 2 150000 8320000 4000 85000 90000 0"),
            Some([
                "1000 ops 48 retrans (4.8%) 2 major timeouts (of READ:)".into(),
                "backlog wait: 4.000 RTT: 85.000 total execute time: 90.000 (milliseconds) (of READ:)".into(),
            ])
        );
        for silent in
            ["READ: 99 99 0 0 0 0 99000 99000", "LOOKUP: 1000 1000 0 0 0 0 99000 99000", "READ: 1 2", ""]
        {
            assert_eq!(operation(silent), None, "{silent}");
        }
    }
}
