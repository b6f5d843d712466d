rule! {
    /// # What it checks
    /// Passes when `queue/iostats` is 1 on every disk below a measured target or database.
    /// # Why it matters
    /// All tools, fullwire among them, read zeros for it: latency, queue and split requests are not visible.
    /// # Evidence
    /// `queue/iostats`.
    /// # Remedy
    /// `echo 1 > /sys/block/X/queue/iostats`.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, iostats.
    code: "queue-iostats-off",
    title: "I/O statistics of a disk are off",
    layer: Storage, severity: Warning, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // Device-mapper accounts for its maps itself, whatever their queues say.
    let counted = facts::data_disks(run).filter(|disk| disk.partition.is_none() && disk.dm.is_none());
    let mut off: Vec<&Disk> = Vec::new();
    let mut outcomes = Vec::new();
    for disk in counted {
        match disk.queue.as_ref().and_then(|queue| queue.iostats) {
            None => outcomes.push(facts::unread(&format!("iostats of {}", disk.name))),
            Some(true) => outcomes.push(Outcome::Passes),
            Some(false) => off.push(disk),
        }
    }
    if !off.is_empty() {
        outcomes.push(fires(&off));
    }
    outcomes
}

fn fires(off: &[&Disk]) -> Outcome {
    let names: Vec<&str> = off.iter().map(|disk| disk.name.as_str()).collect();
    let (keep, their) = if names.len() == 1 { ("keeps", "its") } else { ("keep", "their") };
    let each =
        off.iter().fold(because("Without the counters the layers cannot be compared."), |advice, disk| {
            advice.and(set_disk_attribute("", disk, "queue/iostats", "1", Some("0")))
        });
    finding!(
        Kind::Disk.named(names[0]),
        "{} {keep} no I/O statistics (iostats 0): {their} latency and queue cannot be seen",
        facts::listed(&names),
    )
    .also(names[1..].iter().copied())
    .evidence("iostats 0", format!("/sys/block/{}/queue/iostats", names[0]))
    .advice(each.expecting("values in `iostat -x`; the cost is below a per cent"))
    .into()
}
