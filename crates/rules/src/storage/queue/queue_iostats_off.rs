use crate::advice::set_disk_attribute;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when `queue/iostats` is 1 on every disk below a measured target or database.
    ///
    /// # Why it matters
    /// All tools, fullwire among them, read zeros for it: latency, queue and split requests are not visible.
    ///
    /// # Evidence
    /// `queue/iostats`.
    ///
    /// # Remedy
    /// `echo 1 > /sys/block/X/queue/iostats`.
    ///
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, iostats.
    code: "queue-iostats-off",
    title: "I/O statistics of a disk are off",
    layer: Storage, severity: Warning, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    run.host
        .disks
        .iter()
        // Device-mapper accounts for its maps itself, whatever their queues say.
        .filter(|disk| data.contains(disk.name.as_str()) && disk.partition.is_none() && disk.dm.is_none())
        .map(judge)
        .collect()
}

fn judge(disk: &Disk) -> Outcome {
    match disk.queue.as_ref().and_then(|queue| queue.iostats) {
        None => facts::unread(&format!("iostats of {}", disk.name)),
        Some(true) => Outcome::Passes,
        Some(false) => RULE
            .finding(
                Kind::Disk.named(&disk.name),
                format!(
                    "{} keeps no I/O statistics (iostats 0): its latency and queue cannot be seen",
                    disk.name
                ),
            )
            .evidence("iostats 0", format!("/sys/block/{}/queue/iostats", disk.name))
            .advice(
                set_disk_attribute(
                    "Without the counters the layers cannot be compared.",
                    disk,
                    "queue/iostats",
                    "1",
                    Some("0"),
                )
                .expecting("values in `iostat -x`; the cost is below a per cent"),
            )
            .into(),
    }
}
