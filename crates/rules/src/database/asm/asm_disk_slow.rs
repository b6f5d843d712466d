rule! {
    /// # What it checks
    /// Passes when no disk of a disk group takes three times as long for a read as the median of the group's disks.
    /// # Why it matters
    /// ASM spreads each file over all disks: a scan is as fast as the slowest of them.
    /// # Evidence
    /// `READ_TIME` over `READS` of `V$ASM_DISK`, since the group was mounted; groups of four disks at least, a thousand
    /// reads of each.
    /// # Remedy
    /// That disk's paths, its tier on the array.
    /// # Source
    /// Oracle Database Reference, `V$ASM_DISK` (READS, `READ_TIME`); the factor is our own choice.
    code: "asm-disk-slow",
    title: "one disk of an ASM disk group reads much more slowly than the others",
    layer: Database, severity: Info, on: [AsmGroup],
    check: |run| views::each_group_of_disks(run, judge),

    /// Times the median (own choice).
    const SLOWER: f64 = 3.0;
    /// Fewer disks have no median worth the name (own choice).
    const ENOUGH_DISKS: usize = 4;
    /// Fewer reads of a disk say nothing (own choice).
    const ENOUGH_READS: u64 = 1000;
}

fn judge(views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    if disks.len() < ENOUGH_DISKS {
        return Outcome::Passes;
    }
    let mean = |disk: &AsmDisk| {
        let reads = disk.reads.filter(|reads| *reads >= ENOUGH_READS)?;
        Some(disk.read_s? / reads as f64).filter(|s| *s > 0.0)
    };
    let mut timed: Vec<(f64, &AsmDisk)> =
        disks.iter().filter_map(|disk| Some((mean(disk)?, *disk))).collect();
    if timed.len() < disks.len() {
        return unknown!(
            "{} lists READS and READ_TIME of {} of {} disks of {group}, or too few reads",
            views.source(),
            timed.len(),
            disks.len()
        );
    }
    timed.sort_by(|one, other| one.0.total_cmp(&other.0));
    let median = timed[timed.len() / 2].0;
    let (slowest, disk) = timed[timed.len() - 1];
    if slowest < SLOWER * median {
        return Outcome::Passes;
    }
    let name = views::disk_name(disk);
    let (slow_text, median_text) = (facts::words::time(slowest * 1e9), facts::words::time(median * 1e9));
    finding!(
        Kind::AsmGroup.named(group),
        "{name} of {group} takes {slow_text} for a read, the median disk {median_text}",
    )
    .measured(slowest * 1e9, SLOWER * median * 1e9, Unit::Ns)
    .evidence(
        format!("mean read of {name}: {slow_text}; median of {} disks: {median_text}", timed.len()),
        views.source(),
    )
    .because("Each file is spread over all disks: a scan waits for the slowest.")
    .now("Is it slow now? asmcmd iostat -et 5, and `fullwire watch` on the host")
    .persist(
        "Look at that disk's paths and tier: the same number of paths, the same storage class as the others",
    )
    .expecting("equal mean read times within the group")
    .into()
}
