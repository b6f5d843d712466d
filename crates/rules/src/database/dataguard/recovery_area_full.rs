rule! {
    /// # What it checks
    /// Passes when less than 85 % of the fast recovery area is used by what cannot be reclaimed; critical from 97 % on.
    /// # Why it matters
    /// When it is full, redo cannot be archived and the database stops at the next log switch (ORA-19809, ORA-00257).
    /// # Evidence
    /// `SPACE_LIMIT`, `SPACE_USED`, `SPACE_RECLAIMABLE` of `V$RECOVERY_FILE_DEST`.
    /// # Remedy
    /// Back up archived redo and delete it, or raise `db_recovery_file_dest_size` where the disk has room.
    /// # Source
    /// Oracle Database Backup and Recovery User's Guide, "Managing Space in the Fast Recovery Area" (the database warns
    /// below 15 % of reclaimable space, critically below 3 %); My Oracle Support 305812.1.
    code: "recovery-area-full",
    title: "the fast recovery area is nearly full",
    layer: Database, severity: Critical, on: [ArchiveDestination],

    /// Share from which on the database itself warns (less than 15 % reclaimable).
    const WARNED: f64 = 0.85;
    /// Share from which on the database's own alert is critical (less than 3 % reclaimable).
    const FULL: f64 = 0.97;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = run.views.as_ref() else { return Vec::new() };
    match &views.recovery_areas {
        Some(areas) => {
            areas.iter().filter(|area| area.limit_bytes > 0).map(|area| judge(views, area)).collect()
        }
        None if views::standby(run).is_some() => vec![views::missing(views, "v$recovery_file_dest")],
        None => Vec::new(),
    }
}

fn judge(views: &OracleViews, area: &RecoveryArea) -> Outcome {
    let held = area.used_bytes.saturating_sub(area.reclaimable_bytes);
    let share = held as f64 / area.limit_bytes as f64;
    if share < WARNED {
        return Outcome::Passes;
    }
    finding!(
        Kind::ArchiveDestination.named(&area.name),
        "{} of the fast recovery area {} cannot be reclaimed: {} of {}",
        facts::percent(share),
        area.name,
        facts::size(held),
        facts::size(area.limit_bytes),
    )
    .severity(if share >= FULL { Severity::Critical } else { Severity::Warning })
    .measured(share, WARNED, Unit::Ratio)
    .evidence(
        format!(
            "SPACE_LIMIT {}, SPACE_USED {}, SPACE_RECLAIMABLE {}",
            area.limit_bytes, area.used_bytes, area.reclaimable_bytes
        ),
        views.source(),
    )
    .because("When it is full, no redo can be archived and the database stops.")
    .now("select * from v$recovery_area_usage;")
    .now("In RMAN: backup archivelog all delete input; or crosscheck and delete obsolete by your retention policy. A standby that lags and guaranteed restore points hold files back")
    .persist("alter system set db_recovery_file_dest_size = NEW scope=both;")
    .needs("the disk group or file system has that room")
    .undo(format!("alter system set db_recovery_file_dest_size = {} scope=both;", area.limit_bytes))
    .expecting("less than 85 % after the next backup")
    .into()
}
