rule! {
    /// # What it checks
    /// Passes when a disk group of 10 TiB or more has allocation units of 4 MiB at least.
    /// # Why it matters
    /// Each allocation unit needs an entry in the extent maps, which every instance keeps in its shared pool; large files
    /// in small units open more slowly.
    /// # Evidence
    /// `ALLOCATION_UNIT_SIZE` and `TOTAL_MB` of `V$ASM_DISKGROUP`.
    /// # Remedy
    /// 4 MiB for the next disk group: the unit of an existing one cannot be changed.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Specifying the Allocation Unit Size" (4 MB recommended);
    /// the size from which on it is named is our own choice. Dell sees no clear benefit in larger units for OLTP, so it is a note.
    code: "asm-allocation-unit",
    title: "a large ASM disk group has small allocation units",
    layer: Database, severity: Info, on: [AsmGroup],
    check: |run| views::each_group(run, judge),

    /// What Oracle recommends.
    const RECOMMENDED_BYTES: u64 = 4 << 20;
    /// A disk group that is large (own choice).
    const LARGE_BYTES: u64 = 10 << 40;
}

fn judge(views: &OracleViews, group: &AsmGroup) -> Outcome {
    let (Some(unit), Some(total)) = (group.allocation_unit_bytes, group.total_bytes) else {
        return unknown!("{} does not list the allocation unit of +{}", views.source(), group.name);
    };
    if unit >= RECOMMENDED_BYTES || total < LARGE_BYTES {
        return Outcome::Passes;
    }
    let (unit_text, total_text) = (facts::size(unit), facts::size(total));
    finding!(
        Kind::AsmGroup.named(format!("+{}", group.name)),
        "disk group +{} of {total_text} has allocation units of {unit_text}", group.name,
    )
    .measured(unit as f64, RECOMMENDED_BYTES as f64, Unit::Bytes)
    .evidence(format!("ALLOCATION_UNIT_SIZE {unit}, TOTAL_MB {}", total >> 20), views.source())
    .because("Extent maps of large files are shorter with larger units.")
    .now("Nothing: the unit of an existing disk group cannot be changed")
    .persist("Create the next large disk group with attribute 'au_size' = '4M', and move data files there when they are moved anyway")
    .expecting("a smaller extent map pool (v$sgastat, ASM extent pointer array)")
    .into()
}
