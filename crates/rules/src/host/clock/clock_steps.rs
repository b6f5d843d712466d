rule! {
    /// # What it checks
    /// Passes when chrony steps the clock at its start alone (`makestep 1.0 3`) on a host of a database.
    /// On Azure it may step at any time.
    /// # Why it matters
    /// A clock that jumps back under a running database confuses it: on a node of an Oracle cluster time must not go
    /// backwards, and Cluster Synchronization Services may evict the node. Elsewhere time stamps of the log run backwards.
    /// # Evidence
    /// `makestep` in chrony's configuration.
    /// # Remedy
    /// `makestep 1.0 3`: the clock is set when chronyd starts, and slewed afterwards.
    /// # Source
    /// chrony.conf(5), `makestep` ("if the limit is negative, steps at any update"); Oracle Grid Infrastructure Installation
    /// Guide, Setting Network Time Protocol (slewing, so that time is not adjusted backward); Microsoft Learn, "Time sync for
    /// Linux VMs in Azure" (`makestep 1.0 -1` with the host's clock as reference).
    code: "clock-steps",
    title: "chrony may step the clock at any time",
    layer: Host, severity: Warning, on: [Clock],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let is_chrony = host.clock.daemon.as_deref() == Some("chronyd");
    match host.clock.steps_always {
        // A configuration that lies there does nothing for another daemon.
        _ if !is_chrony => Vec::new(),
        None => vec![facts::unread("makestep of chrony.conf")],
        Some(false) => vec![Outcome::Passes],
        // The host's own clock is followed, and a machine that was frozen for maintenance has to step: Azure asks for it.
        Some(true) if host.os.cloud.as_deref() == Some("azure") => vec![Outcome::Passes],
        // A virtual machine that was suspended has to step, and cloud images are set so.
        Some(true) => vec![fires(if facts::is_clustered(host) { Severity::Warning } else { Severity::Info })],
    }
}

fn fires(severity: Severity) -> Outcome {
    finding!(Kind::Clock.only(), "chrony may step the clock at any update (makestep with a limit of -1), also backwards under a running database")
        .severity(severity)
        .evidence("makestep with a negative limit", "chrony.conf")
        .because("A database and a cluster take the clock for one that never goes back.")
        .now("`journalctl -u chronyd --no-pager | grep -i stepped | tail` shows whether and by how much the clock was stepped")
    .persist("In chrony.conf: `makestep 1.0 3` instead, then `systemctl restart chronyd`")
        .needs("the clock is right now (`chronyc tracking`): a restart may step it")
        .pauses("the clock")
        .undo("Put the line back and restart chronyd").pauses("the clock")
        .expecting("chronyd slews the clock; no line \"System clock was stepped\" while the database runs")
        .into()
}
