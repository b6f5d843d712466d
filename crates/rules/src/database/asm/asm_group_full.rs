rule! {
    /// # What it checks
    /// Passes when a disk group is less than 90 % full; a warning from 97 % on.
    /// # Why it matters
    /// A full group stops what wants to grow with ORA-15041: data files, archived redo, and with them all commits. A
    /// rebalance needs room as well.
    /// # Evidence
    /// `TOTAL_MB` and `FREE_MB` of `V$ASM_DISKGROUP`.
    /// # Remedy
    /// Another disk, or fewer files.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Managing Capacity in Disk Groups"; error ORA-15041. The
    /// shares are our own choice.
    code: "asm-group-full",
    title: "an ASM disk group is nearly full",
    layer: Database, severity: Warning, on: [AsmGroup],
    check: |run| views::each_group(run, judge),

    /// Used share that is worth knowing (own choice).
    const NOTED: f64 = 0.90;
    /// Used share from which on it is a warning (own choice).
    const NEARLY_FULL: f64 = 0.97;
}

fn judge(views: &OracleViews, group: &AsmGroup) -> Outcome {
    let name = &group.name;
    // A group that is not mounted shows 0.
    let total = group.total_bytes.filter(|bytes| *bytes > 0);
    let (Some(total), Some(free)) = (total, group.free_bytes) else {
        return unknown!("{} does not list the size of +{name}, or it is not mounted", views.source());
    };
    let used = total.saturating_sub(free) as f64 / total as f64;
    if used < NOTED {
        return Outcome::Passes;
    }
    finding!(
        Kind::AsmGroup.named(format!("+{name}")),
        "disk group +{name} is {} full: {} of {} are free",
        facts::percent(used),
        facts::size(free),
        facts::size(total),
    )
    .severity(if used >= NEARLY_FULL { Severity::Warning } else { Severity::Info })
    .measured(used, NOTED, Unit::Ratio)
    .evidence(format!("TOTAL_MB {}, FREE_MB {}", total >> 20, free >> 20), views.source())
    .because("Files can no longer grow when it is full: ORA-15041.")
    .now("asmcmd du, and for archived redo: rman target / \"delete archivelog\" by your retention policy")
    .persist(format!(
        "alter diskgroup {name} add disk '...' rebalance power 4;  -- the rebalance is I/O load"
    ))
    .undo(format!("alter diskgroup {name} drop disk NAME;"))
    .expecting("FREE_MB above a tenth of TOTAL_MB")
    .into()
}
