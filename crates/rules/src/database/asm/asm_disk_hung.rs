rule! {
    /// # What it checks
    /// Passes when no disk of ASM is `HUNG` or `FORCING`.
    /// # Why it matters
    /// `HUNG`: a disk cannot be dropped, for the other disks lack the room for its data. `FORCING`: it was dropped without
    /// its data being copied off; until the rebalance ends the data has one mirror less.
    /// # Evidence
    /// `STATE` of `V$ASM_DISK`.
    /// # Remedy
    /// Add disks, or cancel the drop (`undrop disks`).
    /// # Source
    /// Oracle Database Reference, `V$ASM_DISK` (STATE); Oracle Automatic Storage Management Administrator's Guide,
    /// "Dropping Disks from Disk Groups".
    code: "asm-disk-hung",
    title: "ASM cannot finish dropping a disk",
    layer: Database, severity: Warning, on: [AsmGroup],
    check: |run| views::each_group_of_disks(run, judge),
}

fn judge(views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    if disks.iter().any(|disk| disk.state.is_empty()) {
        return unknown!("{} does not list STATE of the disks of {group}", views.source());
    }
    let stuck: Vec<&&AsmDisk> =
        disks.iter().filter(|disk| matches!(disk.state.as_str(), "HUNG" | "FORCING")).collect();
    let Some(first) = stuck.first() else { return Outcome::Passes };
    let names: Vec<String> = stuck.iter().map(|disk| views::disk_name(disk)).collect();
    let what = match first.state.as_str() {
        "HUNG" => "cannot be dropped: the other disks lack the room for its data",
        _ => "was dropped by force: its data is being restored from the mirrors",
    };
    let name = group.trim_start_matches('+');
    finding!(Kind::AsmGroup.named(group), "{} of {group} {what}", facts::listed(&names))
        .evidence(format!("STATE {} of {}", first.state, facts::listed(&names)), views.source())
        .because("Until it is done, the group has less redundancy or less room than it seems.")
        .now("select group_number, operation, state, est_minutes, error_code from v$asm_operation;")
        .now(format!("HUNG: free room in {group} or add a disk (alter diskgroup {name} add disk '...'); or keep the disk: alter diskgroup {name} undrop disks;"))
        .persist("Before a drop, check that FREE_MB exceeds what the disk holds")
        .expecting("STATE is NORMAL for all disks")
        .into()
}
