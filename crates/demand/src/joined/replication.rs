//! What rows of replication say together: the lag of each standby by its parts, and who follows whom.

use super::listed;
use crate::clock::interval_s;

/// Each lag of a row of `pg_stat_replication` becomes a line: `replication NAME flush_lag=4.8`, s.
pub(super) fn lags(lines: &mut Vec<String>) {
    let mut told = Vec::new();
    for row in lines.iter().filter(|line| line.starts_with("pg_stat_replication: ")) {
        let cell = |names: &[&str]| listed::cells(row).find(|(name, _)| names.contains(name));
        let of = cell(&["application_name"]).or_else(|| cell(&["client_addr", "pid"]));
        let of = of.map_or("", |(_, value)| value);
        let waited_for = cell(&["sync_state"]).is_some_and(|(_, state)| ["sync", "quorum"].contains(&state));
        let of = if waited_for { format!("{of} sync") } else { of.to_owned() };
        let lags = listed::cells(row).filter(|(name, _)| name.ends_with("_lag"));
        told.extend(
            lags.filter_map(|(name, cell)| Some(format!("replication {of} {name}={:.3}", interval_s(cell)?))),
        );
    }
    lines.extend(told);
}

/// Replicas of a partition of Kafka that are not in sync: `kafka: topic=orders; partition=4; lacks=1`.
pub(super) fn in_sync(lines: &mut Vec<String>) {
    let row = |line: &String| {
        let word = |name: &str| line.split_once(name)?.1.split_whitespace().next();
        let count = |name: &str| Some(word(name)?.split(',').count());
        let (all, there) = (count("Replicas: ")?, count("Isr: ")?);
        let (topic, partition) = (word("Topic: ")?, word("Partition: ")?);
        (there < all).then(|| format!("kafka: topic={topic}; partition={partition}; lacks={}", all - there))
    };
    let told: Vec<String> = lines.iter().filter_map(row).collect();
    lines.extend(told);
}

/// Members of a cluster of Patroni on an older timeline than its leader follow it no more: `patroni: member=pg2; timeline=5;
/// leader=10`.
pub(super) fn timelines(lines: &mut Vec<String>) {
    let rows = lines.iter().filter(|line| line.starts_with("patroni: "));
    let of = |row: &String| {
        let cell =
            |own: &str| listed::cells(row).find(|(name, _)| *name == own).map(|(_, value)| value.to_owned());
        Some((cell("member")?, cell("role").unwrap_or_default(), cell("tl")?.parse::<u64>().ok()?))
    };
    let rows: Vec<(String, String, u64)> = rows.filter_map(of).collect();
    let leader = rows.iter().find(|(_, role, _)| role.ends_with("eader")).map(|(_, _, timeline)| *timeline);
    let behind = rows.iter().filter(|(_, _, own)| leader.is_some_and(|leader| *own < leader));
    lines.extend(behind.map(|(member, _, own)| {
        format!("patroni: member={member}; timeline={own}; leader={}", leader.unwrap_or_default())
    }));
}

/// How far a replica of MySQL is behind, and on which side of its relay log: `Seconds_Behind_Master: 41822, received and not
/// applied` where it applies an older file of its source than it receives, `applied as received` where it has applied what it has
/// (MySQL manual, SHOW REPLICA STATUS).
#[expect(clippy::ptr_arg, reason = "one of the table's readers, which may also add lines")]
pub(super) fn behind(lines: &mut Vec<String>) {
    let value = |names: [&str; 2]| {
        let of = |line: &String| {
            let (own, value) = line.split_once(':')?;
            names.contains(&own).then(|| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        lines.iter().find_map(of)
    };
    let received = value(["Master_Log_File", "Source_Log_File"]);
    let applied = value(["Relay_Master_Log_File", "Relay_Source_Log_File"]);
    let places = value(["Read_Master_Log_Pos", "Read_Source_Log_Pos"])
        .zip(value(["Exec_Master_Log_Pos", "Exec_Source_Log_Pos"]));
    let side = match (received.zip(applied), places) {
        (Some((received, applied)), _) if received != applied => ", received and not applied",
        (Some(_), Some((read, executed))) if read == executed => ", applied as received",
        _ => return,
    };
    for line in lines.iter_mut().filter(|line| line.starts_with("Seconds_Behind_")) {
        line.push_str(side);
    }
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn the_relay_log_tells_on_which_side_a_replica_is_late() {
        let of = |received: &str, applied: &str, executed: u32| {
            let text = format!(
                "Source_Log_File: {received}\nRead_Source_Log_Pos: 812\nRelay_Source_Log_File: {applied}\nExec_Source_Log_Pos: {executed}\nSeconds_Behind_Source: 77\n"
            );
            joined(&text).pop().unwrap_or_default()
        };
        assert_eq!(of("b.9", "b.7", 12), "Seconds_Behind_Source: 77, received and not applied");
        assert_eq!(of("b.9", "b.9", 812), "Seconds_Behind_Source: 77, applied as received");
        assert_eq!(of("b.9", "b.9", 12), "Seconds_Behind_Source: 77");
    }
}
