use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes unless the CPUs were more than 90 % busy in a window and more tasks were ready to run than there are CPUs.
    /// # Why it matters
    /// Ready tasks wait for their turn: network and storage look slow, and iowait disappears. A busy CPU without
    /// a queue is no fault.
    /// # Evidence
    /// CPU time of `/proc/stat` over each window, runnable tasks at both ends; CPU pressure where the kernel
    /// keeps it. Over a minute and more in which no CPU was idle the tasks at the end are enough.
    /// # Remedy
    /// Find the consumer; more CPUs, or fewer concurrent tasks.
    /// # Source
    /// PCP pmieconf cpu.util (90 %) with load; Linux Documentation/accounting/psi.rst; use and saturation are
    /// judged apart (USE method).
    code: "cpu-saturated",
    title: "more tasks are runnable than there are CPUs",
    layer: Host, severity: Warning, on: [Cpu], limits: [CpuStarved],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let windows: Vec<&Window> =
        facts::windows(run).filter(|window| window.to.cpu.total_ns() > window.from.cpu.total_ns()).collect();
    if windows.is_empty() {
        return vec![facts::unread("the CPU time of a window")];
    }
    let recorded = windows.iter().all(|window| window.kind == WindowKind::Recorded);
    // Our own probes may use what there is; only the idle span shows the others.
    let judged: Vec<&Window> =
        windows.iter().copied().filter(|window| window.kind == WindowKind::Idle).collect();
    let judged = if judged.is_empty() { windows } else { judged };
    match judged.into_iter().find_map(|window| facts::cpu_saturation(run, window)) {
        Some((busy, evidence)) => vec![fires(run, busy, evidence)],
        // While a CPU is idle at times, whether tasks queue is a matter of how many there are.
        None if run.host.cpu.online == 0 && recorded => vec![facts::unread("the number of CPUs")],
        None => vec![Outcome::Passes],
    }
}

fn fires(run: &Run, busy: f64, evidence: String) -> Outcome {
    let cpus = match run.host.cpu.online {
        0 => "the CPUs are".to_owned(),
        1 => "the only CPU is".to_owned(),
        online => format!("the {online} CPUs are"),
    };
    RULE.finding(Kind::Cpu.only(), format!("{cpus} saturated: {evidence}"))
        .measured(busy, facts::CPU_BUSY, Unit::Ratio)
        .evidence(evidence, "/proc/stat, /proc/pressure/cpu")
        // How much of its time a measurement waited for a CPU is not counted.
        .explains(explain::every_path(run, Mechanism::CpuStarved))
        .advice(
            because("A task that is ready but does not run delays each commit and each packet that needs it.")
                .look("top -b -H -n 1 | head -n 30", "Shows which threads use the CPUs")
                .persist("Move batch work to other hours or hosts, limit it (`systemctl set-property UNIT CPUWeight=20`), or add CPUs")
                .expecting("fewer runnable tasks than CPUs at the peak"),
        )
        .into()
}
