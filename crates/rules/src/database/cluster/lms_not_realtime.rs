rule! {
    /// # What it checks
    /// Applies to instances of a cluster. Passes when the LMS processes run with real-time priority.
    /// # Why it matters
    /// LMS sends blocks to the other instances. When it has to queue for a CPU like any session, every instance waits for it.
    /// On a host with idle CPUs it makes no difference: a note, unless tasks queued for the CPUs in a window.
    /// # Evidence
    /// The scheduling policy of `ora_lms*` in `/proc/PID/stat`, of a capture in the output of ps; `cpu.rt_runtime_us` of the database's control group.
    /// # Remedy
    /// `$ORACLE_HOME/bin/oradism` owned by root with mode 4750, then restart the instance.
    /// # Source
    /// My Oracle Support 810394.1, "RAC and Oracle Clusterware Best Practices" (LMS in real time, permissions of oradism);
    /// Linux Documentation/scheduler/sched-rt-group.rst (`cpu.rt_runtime_us`: 0 lets no real-time task run).
    code: "lms-not-realtime",
    title: "the LMS processes of a cluster do not run with real-time priority",
    layer: Database, severity: Warning, on: [Process],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let clustered = |database: &&Database| database.kind == "oracle" && database.clustered;
    run.host.databases.iter().filter(clustered).map(|database| judge(run, database)).collect()
}

/// Other processes of the cluster or of an instance got their priority: the host grants it, and LMS has lost it.
fn others_are_realtime(run: &Run) -> bool {
    const OTHERS: [&str; 4] = ["ora_vktm", "asm_vktm", "cssdagent", "cssdmonitor"];
    run.host.processes.iter().any(|process| {
        matches!(process.scheduling.as_str(), "rr" | "fifo")
            && OTHERS.iter().any(|name| process.name.starts_with(name))
    })
}

fn judge(run: &Run, database: &Database) -> Outcome {
    let name = &database.name;
    // The kernel keeps 15 bytes of a process's name: `ora_lms0_ORCL12`.
    let suffix = |process: &Process| process.name.splitn(3, '_').nth(2).unwrap_or_default().to_owned();
    let own: Vec<&Process> = run
        .host
        .processes
        .iter()
        .filter(|process| process.name.starts_with("ora_lms") && name.starts_with(&suffix(process)))
        .filter(|process| !process.scheduling.is_empty())
        .collect();
    if own.is_empty() {
        return facts::unread(&format!("the scheduling of the LMS processes of {name}"));
    }
    let ordinary: Vec<&str> = own
        .iter()
        .filter(|process| !matches!(process.scheduling.as_str(), "rr" | "fifo"))
        .map(|process| process.name.as_str())
        .collect();
    if ordinary.is_empty() {
        return Outcome::Passes;
    }
    let queued = facts::windows(run).any(|window| facts::cpu_saturation(run, window).is_some());
    let barred = run.host.cgroups.iter().any(|cgroup| {
        !cgroup.path.is_empty() && cgroup.path == database.cgroup && cgroup.realtime_runtime_us == Some(0)
    });
    let group = if barred { "; cpu.rt_runtime_us of its control group is 0" } else { "" };
    finding!(Kind::Process.named(name), "{} of {name} run at ordinary priority{}", facts::listed(&ordinary), if queued { ", and tasks queue for the CPUs" } else { "" })
        .severity(if queued || others_are_realtime(run) { Severity::Warning } else { Severity::Info })
        .evidence(format!("scheduling policy other: {}{group}", facts::listed(&ordinary)), "scheduling class of the processes (/proc/PID/stat, ps)")
        .because("The other instances wait for blocks that LMS sends.")
        .look("ps -eo pid,cls,rtprio,comm | grep -E 'ora_(lms|vktm)' || true", "RR in column CLS: real time; TS: ordinary")
        .now("ls -l $ORACLE_HOME/bin/oradism shows root and -rwsr-x---; otherwise as root: chown root $ORACLE_HOME/bin/oradism && chmod 4750 $ORACLE_HOME/bin/oradism")
        .now("Control groups of version 1: cpu.rt_runtime_us above 0 in the database's group and all above it")
        .persist("Restart the instance, one node after the other: the priority is set when the process starts")
        .restarts("the database")
        .expecting("CLS RR for every ora_lms process")
        .into()
}
