rule! {
    /// # What it checks
    /// Passes when no archive destination is in error.
    /// # Why it matters
    /// Redo does not reach a standby whose destination is in error: what is committed meanwhile is lost with the primary.
    /// Without any local destination that works, the database stops at the next log switch.
    /// # Evidence
    /// `STATUS` and `ERROR` of `V$ARCHIVE_DEST`.
    /// # Remedy
    /// What the error says; then `alter system set log_archive_dest_state_N = enable`.
    /// # Source
    /// Oracle Database Reference, `V$ARCHIVE_DEST` (STATUS); Oracle Data Guard Concepts and Administration, "Redo
    /// Transport Services" (monitoring redo transport).
    code: "archive-destination-error",
    title: "an archive destination is in error",
    layer: Database, severity: Critical, on: [ArchiveDestination],
}

const FAULTY: [&str; 3] = ["ERROR", "FULL", "BAD PARAM"];

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::standby(run) else { return Vec::new() };
    let Some(destinations) = &views.destinations else {
        return vec![views::missing(views, "v$archive_dest")];
    };
    let works = |one: &ArchiveDestination| !one.is_remote() && one.status == "VALID";
    let has_local = destinations.iter().any(works);
    destinations.iter().map(|one| judge(views, one, has_local)).collect()
}

fn judge(views: &OracleViews, one: &ArchiveDestination, has_local: bool) -> Outcome {
    if !FAULTY.contains(&one.status.as_str()) {
        return Outcome::Passes;
    }
    let id = one.id;
    let error = if one.error.is_empty() { "no error text" } else { one.error.as_str() };
    let (severity, effect) = match (one.is_remote(), has_local) {
        (true, _) => (Severity::Warning, "redo does not reach this standby"),
        (false, true) => (Severity::Warning, "archived redo is not copied there"),
        (false, false) => {
            (Severity::Critical, "no local destination works: the database stops at a log switch")
        }
    };
    // A listing of states need not name them.
    let named = if one.destination.is_empty() { String::new() } else { format!(" ({})", one.destination) };
    finding!(
        Kind::ArchiveDestination.named(format!("log_archive_dest_{id}")),
        "archive destination {id}{named} is in state {}: {effect}",
        one.status,
    )
    .severity(severity)
    .evidence(format!("STATUS {}, ERROR {error}", one.status), views.source())
    .because("Only what is archived or shipped survives the loss of this host.")
    .now(format!(
        "Remove the cause: {error}. Listener and service of the standby (`tnsping`), room, permissions"
    ))
    .now(format!("alter system set log_archive_dest_state_{id} = enable;  -- tries again immediately"))
    .persist("Watch STATUS of v$archive_dest")
    .expecting("STATUS VALID, and v$archive_gap without rows on the standby")
    .into()
}
