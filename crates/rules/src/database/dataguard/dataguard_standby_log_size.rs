rule! {
    /// # What it checks
    /// Passes when each standby redo log is at least as large as the largest online redo log.
    /// # Why it matters
    /// A redo log does not fit into a smaller standby log: the standby receives it only when it is archived, late by a whole
    /// log, and never synchronously.
    /// # Evidence
    /// `BYTES` of `V$LOG` and `V$STANDBY_LOG`.
    /// # Remedy
    /// Standby redo logs of the size of the online logs.
    /// # Source
    /// Oracle Data Guard Concepts and Administration, "Configuring an Oracle Database to Receive Redo Data" (at least as
    /// large as the largest redo log of the source).
    code: "dataguard-standby-log-size",
    title: "standby redo logs are smaller than the redo logs",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::standby(run) else { return Vec::new() };
    let (Some(online), Some(standby)) = (&views.redo_groups, &views.standby_groups) else {
        return vec![views::missing(views, "v$log and v$standby_log")];
    };
    let Some(largest) = online.iter().map(|group| group.bytes).max() else {
        return vec![views::missing(views, "the groups of v$log")];
    };
    let small: Vec<String> =
        standby.iter().filter(|one| one.bytes < largest).map(|one| one.group.to_string()).collect();
    let Some(least) = standby.iter().map(|one| one.bytes).min() else { return Vec::new() };
    if small.is_empty() {
        return vec![Outcome::Passes];
    }
    let found = finding!(
        Kind::Database.named(views::database_name(views)),
        "standby redo logs {} have {} and less than the {} of the largest redo log",
        facts::listed(&small),
        facts::size(least),
        facts::size(largest),
    )
        .measured(least as f64, largest as f64, Unit::Bytes)
        .evidence(format!("v$log up to {largest} bytes, v$standby_log from {least} bytes"), views.source())
        .because("Redo of a log that does not fit is shipped when it is archived, not when it is written.")
        .now("select group#, thread#, bytes, status from v$standby_log;")
        .persist("On the primary and on the standby: alter database add standby logfile thread N size SIZE; for each group, then drop the small ones that are UNASSIGNED. On a standby stop the apply and set standby_file_management = manual for that time")
        .undo("alter database drop standby logfile group N;")
        .expecting("v$managed_standby: LGWR as the client of RFS");
    vec![found.into()]
}
