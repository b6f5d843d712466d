rule! {
    /// # What it checks
    /// Passes when the daemon of Cluster Synchronization Services (`ocssd.bin`) of a cluster runs in real time.
    /// # Why it matters
    /// It sends the heartbeats of the node. On a busy host at ordinary priority they come late, and the node is evicted.
    /// # Evidence
    /// Scheduling policy of the processes, beside that of `cssdagent` and `cssdmonitor`.
    /// # Remedy
    /// What took the priority away (`renice`, `chrt`, a control group), then a restart of the cluster stack of this node.
    /// # Source
    /// My Oracle Support 1050693.1, "Troubleshooting 11.2 or 12.1 Clusterware Node Evictions (Reboots)" (ocssd, cssdagent and
    /// cssdmonitor run with real-time priority); Linux Documentation/scheduler/sched-rt-group.rst.
    code: "cssd-not-realtime",
    title: "the cluster's heartbeat daemon does not run with real-time priority",
    layer: Database, severity: Warning, on: [Process],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    // Oracle Restart runs it for ASM, and evicts no node.
    let Some(daemon) = host.processes.iter().find(|process| process.name == "ocssd.bin") else {
        return Vec::new();
    };
    if !facts::is_clustered(host) && !host.processes.iter().any(|process| process.name == "crsd.bin") {
        return Vec::new();
    }
    if daemon.scheduling.is_empty() {
        return vec![facts::unread("the scheduling of ocssd.bin")];
    }
    if is_realtime(daemon) {
        return vec![Outcome::Passes];
    }
    let watchers =
        host.processes.iter().filter(|one| matches!(one.name.as_str(), "cssdagent" | "cssdmonitor"));
    let realtime: Vec<&str> = watchers.filter(|one| is_realtime(one)).map(|one| one.name.as_str()).collect();
    vec![fires(daemon, &realtime)]
}

fn is_realtime(process: &Process) -> bool {
    matches!(process.scheduling.as_str(), "rr" | "fifo")
}

/// Where those that watch it have their priority, it has lost its own; where none has, the host may grant none.
fn fires(daemon: &Process, realtime: &[&str]) -> Outcome {
    let others = if realtime.is_empty() {
        String::new()
    } else {
        format!(", {} in real time", facts::listed(realtime))
    };
    finding!(Kind::Process.named("ocssd.bin"), "ocssd.bin runs at ordinary priority: its heartbeats wait for a CPU, and the node may be evicted")
        .severity(if realtime.is_empty() { Severity::Info } else { Severity::Warning })
        .evidence(format!("scheduling policy {} of ocssd.bin{others}", daemon.scheduling), "processes (ps, /proc/PID/stat)")
        .because("Heartbeats must not wait behind the sessions of the database.")
        .look("ps -eo pid,cls,rtprio,comm | grep -E 'cssd' || true", "RR in column CLS: real time; TS: ordinary")
        .now("Look for what changed it: a job with renice or chrt, a control group without a real-time budget (cpu.rt_runtime_us 0)")
        .persist("`crsctl stop crs` and `crsctl start crs` on this node, in a window: the priority is set when it starts")
        .restarts("the clusterware of this node")
        .expecting("CLS RR for ocssd.bin")
        .into()
}
