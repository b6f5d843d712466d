rule! {
    /// # What it checks
    /// Passes when the disks of a disk group have the same size, within a tenth.
    /// # Why it matters
    /// ASM fills disks by their share: a disk of twice the size gets twice the I/O. Mirrors of a large disk may find no
    /// room on the small ones.
    /// # Evidence
    /// `TOTAL_MB` of `V$ASM_DISK`; disks of quorum failure groups do not count.
    /// # Remedy
    /// Disks of one size in each group.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Recommendations for Storage Preparation" (disks of a
    /// group with similar performance and the same size).
    code: "asm-disk-sizes",
    title: "the disks of an ASM disk group have different sizes",
    layer: Database, severity: Info, on: [AsmGroup],
    check: |run| views::each_group_of_disks(run, judge),

    /// Largest over smallest (own choice).
    const UNEQUAL: f64 = 1.1;
}

fn judge(views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    // A disk that is missing has no size.
    let sizes: Option<Vec<u64>> = disks.iter().map(|disk| disk.total_bytes).collect();
    let Some(sizes) = sizes else {
        return unknown!("{} does not list TOTAL_MB of the disks of {group}", views.source());
    };
    let sizes = sizes.into_iter().filter(|bytes| *bytes > 0);
    let (Some(least), Some(most)) = (sizes.clone().min(), sizes.max()) else { return Outcome::Passes };
    let ratio = most as f64 / least as f64;
    if ratio <= UNEQUAL {
        return Outcome::Passes;
    }
    finding!(
        Kind::AsmGroup.named(group),
        "the disks of {group} have {} to {}: the largest gets {ratio:.1} times the I/O of the smallest", facts::size(least), facts::size(most),
    )
    .measured(ratio, UNEQUAL, Unit::Ratio)
    .evidence(format!("TOTAL_MB {} to {}", least >> 20, most >> 20), views.source())
    .because("ASM spreads data, and with it I/O, by the size of the disks.")
    .now("select name, path, total_mb from v$asm_disk order by total_mb;")
    .persist("Replace the odd disks by ones of the common size: alter diskgroup NAME add disk ... drop disk ... in one command moves the data once")
    .undo("Add and drop the other way round")
    .expecting("the same number of I/Os for each disk (asmcmd iostat)")
    .into()
}
