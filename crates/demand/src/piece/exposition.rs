//! What exporters tell Prometheus of a host or a server (`node_network_receive_drop_total{device="eth0"} 12`), as the outputs that
//! hold the same figures: nstat, `/proc/diskstats`, df, `/proc/meminfo`, the server's own status.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What the metrics of the exporters that are read begin with.
const EXPORTERS: [&str; 6] = [
    "node_", "mysql_global_status_", "mysql_slave_status_", "pg_stat_bgwriter_", "pg_stat_archiver_",
    "pg_replication_lag",
];

/// A metric without `node_`, its labels, its value.
type Sample<'a> = (&'a str, &'a str, f64);

/// The text with these samples as outputs; `None`: there are none.
pub(super) fn as_text(text: &str) -> Option<String> {
    let (own, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| sample(line).is_some());
    let samples: Vec<Sample> = own.into_iter().filter_map(sample).collect();
    let is_message = |line: &&&str| !line.starts_with("# HELP") && !line.starts_with("# TYPE");
    let mut out: String = rest.iter().filter(is_message).map(|line| format!("{line}\n")).collect();
    for (command, told) in [
        ("nstat\n#kernel", totals(&samples)),
        ("cat /proc/diskstats", disks(&samples)),
        ("df\nFilesystem Size Used Avail Use% Mounted on", file_systems(&samples)),
        ("cat /proc/meminfo", memory(&samples)),
        ("cat /proc/mdstat\nPersonalities :", arrays(&samples)),
        ("zpool status", pools(&samples)),
        ("status", states(&samples)),
    ] {
        if !told.is_empty() {
            let _ = write!(out, "$ {command}\n{told}");
        }
    }
    (!samples.is_empty()).then_some(out)
}

/// `node_disk_io_now{device="sda"} 4`; a time may follow.
fn sample(line: &str) -> Option<Sample<'_>> {
    EXPORTERS.iter().find(|start| line.starts_with(**start))?;
    let line = line.strip_prefix("node_").unwrap_or(line);
    let (metric, labels, rest) = match line.split_once('{') {
        Some((metric, rest)) => rest.rsplit_once('}').map(|(labels, rest)| (metric, labels, rest))?,
        None => line.split_once(' ').map(|(metric, rest)| (metric, "", rest))?,
    };
    Some((metric, labels, rest.split_whitespace().next()?.parse().ok()?))
}

fn label<'a>(labels: &'a str, name: &str) -> &'a str {
    let value = labels.split_once(name).and_then(|(_, rest)| rest.strip_prefix("=\"")?.split('"').next());
    value.unwrap_or("")
}

/// Counters of protocols and of interfaces, in the words of nstat(8) and ip(8).
fn totals(samples: &[Sample]) -> String {
    const NAMES: [(&str, &str); 4] =
        [("errs", "errors"), ("drop", "dropped"), ("fifo", "overruns"), ("colls", "collisions")];
    let told = |(metric, labels, value): &Sample| {
        if let Some(name) = metric.strip_prefix("netstat_") {
            return Some(format!("{} {value:.0} 0.0\n", name.replacen('_', "", 1)));
        }
        let counter = metric.strip_prefix("network_")?.strip_suffix("_total")?;
        let (way, name) = counter.split_once('_')?;
        let way = ["receive", "transmit"].iter().zip(["rx", "tx"]).find(|(own, _)| **own == way)?.1;
        let name = NAMES.iter().find(|(own, _)| *own == name).map_or(name, |(_, name)| name);
        Some(format!("{}: {way} {name}: {value:.0}\n", label(labels, "device")))
    };
    samples.iter().filter_map(told).collect()
}

/// Rows of `/proc/diskstats`: each metric, and how many of it are one of the kernel's (Linux
/// Documentation/admin-guide/iostats.rst).
fn disks(samples: &[Sample]) -> String {
    const SECTOR: f64 = 512.0;
    const COUNTERS: [(&str, f64); 11] = [
        ("reads_completed_total", 1.0),
        ("reads_merged_total", 1.0),
        ("read_bytes_total", 1.0 / SECTOR),
        ("read_time_seconds_total", 1e3),
        ("writes_completed_total", 1.0),
        ("writes_merged_total", 1.0),
        ("written_bytes_total", 1.0 / SECTOR),
        ("write_time_seconds_total", 1e3),
        ("io_now", 1.0),
        ("io_time_seconds_total", 1e3),
        ("io_time_weighted_seconds_total", 1e3),
    ];
    let mut rows: BTreeMap<&str, [f64; 11]> = BTreeMap::new();
    for (metric, labels, value) in samples {
        let name = metric.strip_prefix("disk_");
        if let Some(at) = name.and_then(|name| COUNTERS.iter().position(|(own, _)| *own == name)) {
            rows.entry(label(labels, "device")).or_default()[at] = value * COUNTERS[at].1;
        }
    }
    let row = |(device, counts): (&str, [f64; 11])| {
        let counts: Vec<String> = counts.iter().map(|count| format!("{count:.0}")).collect();
        format!("   8       0 {device} {}\n", counts.join(" "))
    };
    rows.into_iter().map(row).collect()
}

/// Rows of df; a file system that is read-only by its kind is none of a database.
fn file_systems(samples: &[Sample]) -> String {
    const READ_ONLY: [&str; 3] = ["squashfs", "iso9660", "erofs"];
    let mut rows: BTreeMap<&str, (&str, f64, f64, bool)> = BTreeMap::new();
    for (metric, labels, value) in samples {
        if READ_ONLY.contains(&label(labels, "fstype")) {
            continue;
        }
        let Some(name) = metric.strip_prefix("filesystem_") else { continue };
        let row = rows.entry(label(labels, "mountpoint")).or_default();
        row.0 = label(labels, "device");
        match name {
            "size_bytes" => row.1 = *value,
            "avail_bytes" => row.2 = *value,
            "readonly" => row.3 = *value > 0.0,
            _ => {}
        }
    }
    let told = |(mount, (device, size, left, read_only)): (&str, (&str, f64, f64, bool))| {
        let used = if size > 0.0 { ((size - left) / size * 100.0).floor() } else { 0.0 };
        let row = format!("{device} {size:.0} {:.0} {left:.0} {used:.0}% {mount}\n", size - left);
        if read_only { row + &format!("lsblk: {device} is read-only below {mount}\n") } else { row }
    };
    rows.into_iter().map(told).collect()
}

/// Arrays of md that lack disks, as `/proc/mdstat` has them.
fn arrays(samples: &[Sample]) -> String {
    let mut active: BTreeMap<&str, f64> = BTreeMap::new();
    for (metric, labels, value) in samples {
        if *metric == "md_disks" && label(labels, "state") == "active" {
            active.entry(label(labels, "device")).or_insert(*value);
        }
    }
    let told = |(metric, labels, all): &Sample| {
        let device = label(labels, "device");
        let left = active.get(device).filter(|_| *metric == "md_disks_required")?;
        (left < all).then(|| format!("{device} : active\n      [{all:.0}/{left:.0}]\n"))
    };
    samples.iter().filter_map(told).collect()
}

/// Pools of ZFS that are not on-line.
fn pools(samples: &[Sample]) -> String {
    let told = |(metric, labels, value): &Sample| {
        let (pool, state) = (label(labels, "zpool"), label(labels, "state"));
        (*metric == "zfs_zpool_state" && *value > 0.0 && state != "online")
            .then(|| format!("  pool: {pool}\n state: {}\n", state.to_uppercase()))
    };
    samples.iter().filter_map(told).collect()
}

/// Lines of outputs that one sample tells, where it tells of trouble; what a server counts, as its own status lists it.
fn states(samples: &[Sample]) -> String {
    let mut slaves: BTreeMap<&str, f64> = BTreeMap::new();
    for (metric, labels, value) in samples {
        if *metric == "bonding_slaves" {
            slaves.entry(label(labels, "master")).or_insert(*value);
        }
    }
    let told = |(metric, labels, value): &Sample| match *metric {
        "bonding_active" => {
            let bond = label(labels, "master");
            let all = slaves.get(bond).filter(|all| value < *all)?;
            Some(format!("bonding: {bond} has {value:.0} of {all:.0} members, lacks={:.0}\n", all - value))
        }
        "timex_sync_status" => (*value < 1.0).then(|| "Leap status : Not synchronised\n".to_owned()),
        "pg_replication_lag_seconds" | "pg_replication_lag" => {
            Some(format!("replication standby replay_lag={value:.3}\n"))
        }
        _ => {
            let state = metric.strip_prefix("mysql_slave_status_").filter(|name| name.ends_with("_running"));
            let word = if *value > 0.0 { "Yes" } else { "No" };
            let count = || {
                ["mysql_global_status_", "pg_stat_bgwriter_", "pg_stat_archiver_"]
                    .iter()
                    .find_map(|of| metric.strip_prefix(of))
            };
            let behind = || metric.strip_prefix("mysql_slave_status_");
            let name = |name: &str| name.strip_suffix("_total").unwrap_or(name).to_owned();
            state
                .map(|name| format!("{name}: {word}\n"))
                .or_else(|| Some(format!("{}: {value:.0}\n", name(behind()?))))
                .or_else(|| Some(format!("{} | {value:.0}\n", name(count()?))))
        }
    };
    samples.iter().filter_map(told).collect()
}

fn memory(samples: &[Sample]) -> String {
    let told = |(metric, _, value): &Sample| {
        let name = metric.strip_prefix("memory_")?.strip_suffix("_bytes")?;
        Some(format!("{name}: {:.0} kB\n", value / 1024.0))
    };
    samples.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(samples: &str, lines: &[&str]) {
        let told = as_text(samples).expect("samples");
        for line in lines {
            assert!(told.lines().any(|own| own == *line), "{line}\nin\n{told}");
        }
    }

    #[test]
    fn samples_become_the_outputs_that_hold_them() {
        let text = "# TYPE node_netstat_Tcp_RetransSegs untyped\nnode_netstat_Tcp_RetransSegs 8.12e+02\n\
                    node_network_receive_drop_total{device=\"eth7\"} 7\nnode_disk_reads_completed_total{device=\"sdq\"} 12\n\
                    node_disk_read_time_seconds_total{device=\"sdq\"} 1.5\nnode_memory_MemTotal_bytes 2.048e+06\n\
                    node_filesystem_size_bytes{device=\"/dev/sdq1\",fstype=\"xfs\",mountpoint=\"/u07\"} 2e+06\n\
                    node_filesystem_avail_bytes{device=\"/dev/sdq1\",fstype=\"xfs\",mountpoint=\"/u07\"} 0\n";
        becomes(
            text,
            &[
                "TcpRetransSegs 812 0.0",
                "eth7: rx dropped: 7",
                "   8       0 sdq 12 0 0 1500 0 0 0 0 0 0 0",
                "/dev/sdq1 2000000 2000000 0 100% /u07",
                "MemTotal: 2000 kB",
            ],
        );
        let others = "node_bonding_slaves{master=\"bond7\"} 2\nnode_bonding_active{master=\"bond7\"} 1\nnode_md_disks_required{device=\"md7\"} 4\n\
                      node_md_disks{device=\"md7\",state=\"active\"} 3\nnode_zfs_zpool_state{state=\"degraded\",zpool=\"tank7\"} 1\nmysql_global_status_innodb_log_waits 812\n\
                      mysql_slave_status_slave_sql_running{channel_name=\"\"} 0\npg_stat_bgwriter_checkpoints_req_total 812\n";
        becomes(
            others,
            &[
                "bonding: bond7 has 1 of 2 members, lacks=1",
                "      [4/3]",
                "$ zpool status",
                " state: DEGRADED",
                "innodb_log_waits | 812",
                "slave_sql_running: No",
                "checkpoints_req | 812",
            ],
        );
        assert_eq!(as_text("nodes are up\n"), None);
    }
}
