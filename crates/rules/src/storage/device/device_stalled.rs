rule! {
    /// # What it checks
    /// Passes unless, in a stretch of a recording, a device had requests in flight and completed none.
    /// # Why it matters
    /// Every program that waits for one of them hangs. Tools show such a device as idle: since Linux 5.7 its queue and
    /// its await are computed from completed requests, and there are none.
    /// # Evidence
    /// In flight (field 9 of `/proc/diskstats`) at both ends, no completion between; blocked tasks or I/O pressure,
    /// where they were recorded: without either, the count has leaked and nothing waits.
    /// # Remedy
    /// The kernel log of that time, the paths below the device, the array.
    /// # Source
    /// Linux block/genhd.c, `diskstats_show` (times are summed on completion); sysstat FAQ.md 3.6 (a leaked in-flight
    /// count).
    code: "device-stalled",
    title: "a device has requests outstanding and completes none",
    layer: Storage, severity: Critical, on: [Disk],
    check: |run| facts::recorded(run).flat_map(|window| judge_window(run, window)).collect(),

    /// A single request of a slow disk may well take part of a second.
    const SHORTEST_S: f64 = 0.9;
}

fn judge_window(run: &Facts, window: &Window) -> Vec<Outcome> {
    let disks = facts::recorded_disks(run, window);
    if disks.is_empty() {
        return vec![facts::unread("the disks of the recording")];
    }
    if window.seconds() < SHORTEST_S {
        return vec![Outcome::Passes];
    }
    let stalled: Vec<(&str, u64)> =
        disks.into_iter().filter_map(|name| Some((name, stuck(window, name)?))).collect();
    if stalled.is_empty() || facts::nobody_waits_for_io(window) {
        return vec![Outcome::Passes];
    }
    // A map whose path stalls is named by its path.
    let above = |name: &str| {
        let slaves = run.host.disks.iter().find(|disk| disk.name == name).map(|disk| &disk.slaves);
        slaves
            .is_some_and(|slaves| stalled.iter().any(|(other, _)| slaves.iter().any(|slave| slave == other)))
    };
    let lowest = stalled.iter().filter(|(name, _)| !above(name));
    lowest.map(|(name, count)| fires(window, name, *count)).collect()
}

/// Requests that were in flight at both ends while none completed.
fn stuck(window: &Window, name: &str) -> Option<u64> {
    let (from, to) = (window.from.disks.get(name)?, window.to.disks.get(name)?);
    let count = from.in_flight.min(to.in_flight);
    (count > 0 && from.completed() == to.completed()).then_some(count)
}

fn fires(window: &Window, name: &str, count: u64) -> Outcome {
    let seconds = window.seconds();
    finding!(
        Kind::Disk.named(name),
        "{name} is stalled: {} in flight, none completed in {seconds:.0} s",
        words::counted(count, "request"),
    )
    .measured(count as f64, 0.0, Unit::Count)
    .evidence(
        format!(
            "{count} in flight at both ends of {seconds:.1} s, no read, write, discard or flush completed"
        ),
        "disk counters of the recording",
    )
    .because("The device, or the fabric to it, does not respond; every program that needs it hangs.")
    .look("dmesg -T | tail -n 50", "Shows resets, timeouts and failed paths")
    .look("multipath -ll || true", "Shows whether paths are left")
    .look(
        "ps -eo state,pid,wchan:20,comm | grep '^D' || true",
        "Shows who waits, and in which call of the kernel",
    )
    .persist("Repair the path or the unit; a map with queue_if_no_path waits forever")
    .expecting("requests complete again, and the count in flight falls")
    .into()
}
