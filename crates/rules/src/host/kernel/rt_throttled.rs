rule! {
    /// # What it checks
    /// Passes when the kernel did not have to stop real-time tasks within the last day.
    /// # Why it matters
    /// Real-time tasks used all of the CPU time that they may have (950 ms of each second by default) and were stopped for
    /// the rest: clusterware, LMS or a runaway agent. Nothing else ran on that CPU before.
    /// # Evidence
    /// `sched: RT throttling activated` in the kernel's log; it is logged once for each boot.
    /// # Remedy
    /// Find the task; leave `kernel.sched_rt_runtime_us` as it is.
    /// # Source
    /// Linux Documentation/scheduler/sched-rt-group.rst (`sched_rt_runtime_us`, `sched_rt_period_us`).
    code: "rt-throttled",
    title: "the kernel had to stop real-time tasks",
    layer: Host, severity: Warning, on: [KernelLog],
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let Some(line) = run.host.kernel_log.iter().find(|line| line.pattern == "rt-throttled") else {
        return vec![Outcome::Passes];
    };
    let felt = facts::log::is_recent(run, line) && facts::is_database_host(run);
    let found = finding!(
        Kind::KernelLog.only(),
        "real-time tasks used a CPU until the kernel stopped them{}", facts::log::ago(run, line),
    )
        .severity(if felt { Severity::Warning } else { Severity::Info })
        .evidence(facts::log::quoted(line), "kernel log")
        .because("While they ran, nothing else did on that CPU.")
        .look("ps -eLo pcpu,cls,rtprio,pid,comm | sort -rn | awk '$2 == \"RR\" || $2 == \"FF\"' | head -20", "Lists real-time tasks by the CPU time that they use")
        .persist("Correct what uses the CPU; leave kernel.sched_rt_runtime_us at 950000, because without it such a task stops the host")
        .expecting("no such line after the next boot");
    vec![found.into()]
}
