rule! {
    /// # What it checks
    /// Passes unless a device completed no I/O in the idle window and still counts requests in flight.
    /// # Why it matters
    /// The kernel's in-flight counter has leaked: utilisation then stays at 100 % and means nothing.
    /// # Evidence
    /// Field 9 of `/proc/diskstats` at both ends of the idle window.
    /// # Remedy
    /// Ignore utilisation of this disk; a reboot resets it, a kernel update fixes it.
    /// # Source
    /// sysstat FAQ.md 3.6 (huge values and 100 % utilisation); Linux Documentation/admin-guide/iostats.rst,
    /// field 9.
    code: "device-inflight-leak",
    title: "a disk counts requests in flight that do not exist",
    layer: Storage, severity: Info, on: [Disk],
    when: |run| !run.host.disks.is_empty(),
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(idle) = run.idle().filter(|idle| !facts::is_glance(idle)) else {
        return vec![facts::unwatched(run, "the counters of an idle span")];
    };
    facts::whole_disks(&run.host).map(|disk| judge(idle, disk)).collect()
}

fn judge(idle: &Window, disk: &Disk) -> Outcome {
    let (Some(from), Some(to)) = (idle.from.disks.get(&disk.name), idle.to.disks.get(&disk.name)) else {
        return facts::unread(&format!("the counters of {}", disk.name));
    };
    let still = from.reads == to.reads && from.writes == to.writes;
    let stuck = from.in_flight.min(to.in_flight);
    // One request may truly wait for a dead device: then it is no leak, and other rules tell.
    if !still || stuck == 0 || idle.seconds() < 1.0 {
        return Outcome::Passes;
    }
    finding!(
        Kind::Disk.named(&disk.name),
        "{} shows {stuck} requests in flight while none completes: its utilisation means nothing",
        disk.name,
    )
    .measured(stuck as f64, 0.0, Unit::Count)
    .evidence(
        format!("in flight {} and {}, no I/O completed between", from.in_flight, to.in_flight),
        "/proc/diskstats, field 9",
    )
    .because("Tools that look at utilisation always show this disk as saturated.")
    .look(
        "cat /proc/diskstats",
        "Run it twice: requests in flight (column 12) that never complete are a leak",
    )
    .look("dmesg | tail -n 20", "Shows whether a device really hangs")
    .persist("a kernel update; the counter is reset by a reboot")
    .expecting("0 in flight when idle")
    .into()
}
