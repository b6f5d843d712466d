rule! {
    /// # What it checks
    /// Passes when, on a host whose counters were read once, reads and writes of the disks below a database took less than
    /// 50 ms on average since boot; reads of disks that say they do not rotate, and volumes of Amazon EBS, less than 20 ms. Requests above 64 KiB are left out, and disks that rotate.
    /// # Why it matters
    /// A mean over days hides each peak: where it is that long, commits and single reads wait for much of the time.
    /// # Evidence
    /// Requests, and the sum of their times, of `/proc/diskstats` since boot. The kernel's sums wrap at 2^32 ms: the true
    /// mean may be longer, never shorter.
    /// # Remedy
    /// Compare with the array's own latency of that unit: a busy back end, a lost cache battery, a slow tier; otherwise the path
    /// to it.
    /// # Source
    /// Linux Documentation/admin-guide/iostats.rst (fields 4 and 8), `diskstats_show` in block/genhd.c (unsigned 32-bit
    /// ms); Oracle's customary 10 ms for a single read, five times over; Amazon EBS User Guide, "General
    /// Purpose SSD volumes" (single-digit milliseconds), twice over.
    code: "device-slow-since-boot",
    title: "a disk of the database has been slow on average since boot",
    layer: Storage, severity: Warning, on: [Disk],

    /// Five times Oracle's customary 10 ms.
    const SLOW_MS: f64 = 50.0;
    /// Twice Oracle's customary 10 ms, for what has no heads to move; twice what Amazon promises of its SSD volumes.
    const SLOW_FLASH_MS: f64 = 20.0;
    /// Larger requests are a scan, a backup or write-back, which wait for one another.
    const SMALL_BYTES: u64 = 64 << 10;
    /// Fewer say nothing of days.
    const ENOUGH: u64 = 100_000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let side = side::own(run);
    let (Some(span), Some(last)) = (side.since_boot(), side.windows.last()) else { return Vec::new() };
    let data = facts::possible_data_devices(run);
    // What is slow beside its siblings has a finding of its own.
    let volumes = legs::volumes(&run.host);
    let parts = volumes.iter().filter_map(|volume| Some(legs::of(run, volume)?.1));
    let told: BTreeSet<&str> = parts.filter_map(|parts| Some(legs::slowest(&parts)?.name)).collect();
    let judged = facts::whole_disks(&run.host).filter(|disk| {
        data.contains(disk.name.as_str()) && !rotates(disk) && !told.contains(disk.name.as_str())
    });
    judged
        .map(|disk| match last.to.disks.get(&disk.name) {
            Some(counted) => judge(disk, counted, span),
            None => facts::unread(&format!("the I/O counters of {}", disk.name)),
        })
        .collect()
}

/// A disk with heads, and no array or virtual disk that says so of itself.
fn rotates(disk: &Disk) -> bool {
    let direct = matches!(disk.transport.as_str(), "sata" | "sas" | "usb");
    direct && disk.queue.as_ref().is_some_and(|queue| queue.rotational == Some(true))
}

fn judge(disk: &Disk, counted: &DiskCounters, span: facts::Span) -> Outcome {
    let of = |what, count: u64, ms: u64, bytes: u64| {
        let small = count >= ENOUGH && bytes / count.max(1) <= SMALL_BYTES;
        small.then(|| (what, count, ms as f64 / count as f64))
    };
    // Writes may be those of a checkpoint, for which nobody waits: only Amazon promises their time.
    let is_ebs = disk.model.contains(super::ebs_limit_exceeded::MODEL);
    let is_flash = disk.queue.as_ref().is_some_and(|queue| queue.rotational == Some(false));
    let limit_ms = |what| if is_ebs || is_flash && what == "read" { SLOW_FLASH_MS } else { SLOW_MS };
    let reads = of("read", counted.reads, counted.read_ms, counted.read_bytes);
    let writes = of("write", counted.writes, counted.write_ms, counted.write_bytes);
    let slow = reads.into_iter().chain(writes).filter(|(what, _, mean_ms)| *mean_ms >= limit_ms(*what));
    let Some((what, count, mean_ms)) =
        slow.max_by(|a, b| (a.2 / limit_ms(a.0)).total_cmp(&(b.2 / limit_ms(b.0))))
    else {
        return Outcome::Passes;
    };
    let name = &disk.name;
    let message =
        format!("a {what} on {name} took {} on average {}", words::time(mean_ms * 1e6), span.text());
    RULE.finding(Kind::Disk.named(name), message)
        .measured(mean_ms * 1e6, limit_ms(what) * 1e6, Unit::Ns)
        .evidence(format!("{count} {what}s, {mean_ms:.1} ms each"), "/proc/diskstats")
        .because("A session that commits or reads a block waits that long each time.")
        .look("iostat -x 1 5", "Shows whether it is so now: r_await, w_await")
        .now("Read the array's or the hypervisor's own latency for this unit: equal means the back end, lower means the path between")
        .persist("A faster tier, a cache with a working battery, or fewer neighbours on the same store")
        .expecting("below 1 ms on flash, below 10 ms on disks")
        .into()
}
