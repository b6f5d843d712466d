rule! {
    /// # What it checks
    /// Passes when a mirrored disk group has room for the mirrors of its largest failure group elsewhere
    /// (`USABLE_FILE_MB` is not negative).
    /// # Why it matters
    /// After a failure the mirrors cannot be restored completely: the files stay with reduced redundancy, and the next
    /// failure loses data.
    /// # Evidence
    /// `USABLE_FILE_MB` and `REQUIRED_MIRROR_FREE_MB` of `V$ASM_DISKGROUP`. A group with voting files is usually small and
    /// full on purpose: a note.
    /// # Remedy
    /// Add disks to each failure group, or remove files.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Managing Capacity in Disk Groups" ("Negative Values of
    /// `USABLE_FILE_MB`").
    code: "asm-mirror-space",
    title: "an ASM disk group lacks the room to restore its mirrors after a failure",
    layer: Database, severity: Warning, on: [AsmGroup],
    check: |run| views::each_group(run, judge),
}

fn judge(views: &OracleViews, group: &AsmGroup) -> Outcome {
    let name = &group.name;
    match (group.redundancy.as_str(), group.usable_file_bytes) {
        ("EXTERN", _) | (_, Some(0..)) => return Outcome::Passes,
        (_, None) => {
            return unknown!("{} does not list USABLE_FILE_MB of +{name}", views.source());
        }
        _ => {}
    }
    let usable = group.usable_file_bytes.unwrap_or_default();
    let short = usable.unsigned_abs();
    finding!(
        Kind::AsmGroup.named(format!("+{name}")),
        "disk group +{name} ({}) lacks {} to restore all mirrors after the loss of its largest failure group",
        group.redundancy,
        facts::size(short),
    )
    .severity(if group.voting_files == Some(true) { Severity::Info } else { Severity::Warning })
    .measured(usable as f64, 0.0, Unit::Bytes)
    .evidence(
        format!(
            "USABLE_FILE_MB {}, FREE_MB {}, REQUIRED_MIRROR_FREE_MB {}",
            usable / (1 << 20),
            facts::words::known(group.free_bytes.map(|bytes| bytes >> 20)),
            facts::words::known(group.required_mirror_free_bytes.map(|bytes| bytes >> 20))
        ),
        views.source(),
    )
    .because("After a failure there is no room for the second copies: the next failure loses data.")
    .now("asmcmd lsdg; which files can go?")
    .persist(format!("alter diskgroup {name} add failgroup ... disk '...';  -- the same size for each failure group; the rebalance is I/O load"))
    .undo(format!("alter diskgroup {name} drop disk NAME;"))
    .expecting("USABLE_FILE_MB above 0")
    .into()
}
