rule! {
    /// # What it checks
    /// Applies where there is a standby, and on a far sync instance. Passes when each thread has one standby redo log more than it has online redo
    /// logs; logs that belong to no thread fill the gaps.
    /// # Why it matters
    /// Without a free standby redo log the standby receives redo only when it is archived: late by a whole log, and never
    /// synchronously.
    /// # Evidence
    /// Groups by thread of `V$LOG` and `V$STANDBY_LOG`.
    /// # Remedy
    /// `alter database add standby logfile thread N size SIZE`, on the standby and, for a change of roles, on the primary.
    /// # Source
    /// Oracle Data Guard Concepts and Administration, "Configuring an Oracle Database to Receive Redo Data" (one group
    /// more for each thread); Oracle Maximum Availability Architecture.
    code: "dataguard-standby-logs",
    title: "there are too few standby redo logs",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::standby(run).filter(|views| has_standby(views)) else { return Vec::new() };
    let (Some(online), Some(standby)) = (&views.redo_groups, &views.standby_groups) else {
        return vec![views::missing(views, "v$log and v$standby_log")];
    };
    if online.is_empty() {
        return vec![views::missing(views, "the groups of v$log")];
    }
    vec![judge(views, online, standby)]
}

/// This is one, or a far sync instance, or redo is shipped to one.
fn has_standby(views: &OracleViews) -> bool {
    let receives = |role: &str| role.contains("STANDBY") || role == "FAR SYNC";
    let is_standby = views.database.as_ref().is_some_and(|database| receives(&database.role));
    is_standby || views.destinations.iter().flatten().any(ArchiveDestination::is_remote)
}

fn of_thread(groups: &[RedoGroup], thread: u64) -> usize {
    groups.iter().filter(|group| group.thread == thread).count()
}

fn judge(views: &OracleViews, online: &[RedoGroup], standby: &[RedoGroup]) -> Outcome {
    let mut threads: Vec<u64> = online.iter().map(|group| group.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let missing = |thread: &u64| (of_thread(online, *thread) + 1).saturating_sub(of_thread(standby, *thread));
    let short: usize = threads.iter().map(missing).sum();
    let short = short.saturating_sub(of_thread(standby, 0));
    if short == 0 {
        return Outcome::Passes;
    }
    let (have, wanted) = (standby.len(), standby.len() + short);
    let counts: Vec<String> = threads
        .iter()
        .map(|thread| {
            format!(
                "thread {thread}: {} redo logs, {} standby redo logs",
                of_thread(online, *thread),
                of_thread(standby, *thread)
            )
        })
        .collect();
    RULE.finding(
        Kind::Database.named(views::database_name(views)),
        match have {
            0 => "there is no standby redo log: redo reaches the standby when it is archived, not when it is written".to_owned(),
            have => format!("there are {have} standby redo logs, {wanted} are wanted: one for each thread more than it has redo logs"),
        },
    )
    // One too few is felt only while the standby archives slowly.
    .severity(if have == 0 { Severity::Warning } else { Severity::Info })
    .measured(have as f64, wanted as f64, Unit::Count)
    .evidence(facts::listed(&counts), views.source())
    .because("Redo is received as it is written only into a free standby redo log.")
    .now("select thread#, count(*), max(bytes) from v$log group by thread#; and the same of v$standby_log")
    .persist("On the primary and on the standby: alter database add standby logfile thread N size SIZE; with the size of the redo logs. On a standby stop the apply and set standby_file_management = manual for that time")
    .undo("alter database drop standby logfile group N;")
    .expecting("v$managed_standby: LGWR as the client of RFS; no ARCH waits for a log")
    .into()
}
