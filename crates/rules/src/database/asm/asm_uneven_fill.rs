rule! {
    /// # What it checks
    /// Passes when the disks of a disk group are equally full, within ten percentage points, or a rebalance is under way.
    /// # Why it matters
    /// The fuller disk has more of the data and gets more of the I/O; the group is full as soon as that disk is.
    /// # Evidence
    /// `TOTAL_MB` and `FREE_MB` of `V$ASM_DISK`; disks of quorum failure groups do not count.
    /// # Remedy
    /// A rebalance in a quiet hour.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Manually Rebalancing Disk Groups" (ORA-15041 although
    /// others have room); the ten points are our own choice.
    code: "asm-uneven-fill",
    title: "the disks of an ASM disk group are unequally full",
    layer: Database, severity: Info, on: [AsmGroup],
    check: |run| views::each_group_of_disks(run, judge),

    /// Used share of the fullest disk less that of the emptiest (own choice).
    const APART: f64 = 0.10;
}

fn judge(views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    if views::operations(views, group).is_some_and(|mut operations| operations.next().is_some()) {
        return Outcome::Passes;
    }
    let used = |disk: &&AsmDisk| {
        let total = disk.total_bytes?;
        // A disk that is missing has no size.
        Some((total > 0).then_some(total.saturating_sub(disk.free_bytes?) as f64 / total as f64))
    };
    let shares: Option<Vec<Option<f64>>> = disks.iter().map(used).collect();
    let Some(shares) = shares else {
        return unknown!("{} does not list TOTAL_MB and FREE_MB of the disks of {group}", views.source());
    };
    let shares = shares.into_iter().flatten();
    let (least, most) =
        shares.fold((1.0_f64, 0.0_f64), |(least, most), share| (least.min(share), most.max(share)));
    if most - least <= APART {
        return Outcome::Passes;
    }
    let name = group.trim_start_matches('+');
    finding!(
        Kind::AsmGroup.named(group),
        "the disks of {group} are {} to {} full",
        facts::percent(least),
        facts::percent(most),
    )
    .measured(most - least, APART, Unit::Ratio)
    .evidence(format!("used share of the disks {least:.3} to {most:.3}"), views.source())
    .because("The fuller disks get more of the I/O, and the group is full when they are.")
    .now("select group_number, name, total_mb, free_mb from v$asm_disk order by free_mb / total_mb;")
    .persist(format!("In a quiet hour: alter diskgroup {name} rebalance power 4;  -- it is I/O load"))
    .needs("no disk of the group is offline")
    .undo(format!("alter diskgroup {name} rebalance power 0;  -- stops it"))
    .expecting("equal shares on all disks")
    .into()
}
