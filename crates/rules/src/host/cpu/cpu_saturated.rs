rule! {
    /// # What it checks
    /// Passes unless the CPUs were more than 90 % busy in a window and more tasks were ready to run than there are CPUs. While
    /// fullwire measures, other programs must have taken 40 % of all CPU time and more, or run as long as the test's threads were
    /// ready and had no CPU, 13 % of their time and more; and before it as well.
    /// # Why it matters
    /// Ready tasks wait for their turn: network and storage look slow, and iowait disappears. A busy CPU without
    /// a queue is no fault.
    /// # Evidence
    /// CPU time of `/proc/stat` over each window, runnable tasks at both ends; CPU pressure where the kernel
    /// keeps it. Over a minute and more in which no CPU was idle the tasks at the end are enough. While fullwire measures: time
    /// in programs (`user`), less what the test itself used beyond the kernel's; what runs with `nice` yields and does not count.
    /// How long a thread of the test waited for a CPU stands in its `/proc/thread-self/schedstat`.
    /// # Remedy
    /// Find the consumer; more CPUs, or fewer concurrent tasks.
    /// # Source
    /// PCP pmieconf cpu.util (90 %) with load; Linux Documentation/accounting/psi.rst and scheduler/sched-stats.rst; use and
    /// saturation are judged apart (USE method).
    code: "cpu-saturated",
    title: "more tasks are runnable than there are CPUs",
    layer: Host, severity: Warning, on: [Cpu], limits: [CpuStarved],

    /// A measurement shorter than this, s, tells nothing of who had the CPUs: their time is counted in hundredths of a second.
    const SEEN_S: f64 = 0.5;
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
    let of_window = judged.into_iter().find_map(|window| facts::cpu_saturation(run, window));
    match of_window.map(|(busy, said)| (busy, said, explain::every_path(run, Mechanism::CpuStarved))) {
        Some(seen) => vec![fires(run, seen)],
        // While a CPU is idle at times, whether tasks queue is a matter of how many there are.
        None if recorded && run.host.cpu.online == 0 => vec![facts::unread("the number of CPUs")],
        None => vec![while_measured(run).map_or(Outcome::Passes, |seen| fires(run, seen))],
    }
}

/// What was seen: how busy the CPUs were, in words, and what it may explain.
type Seen = (f64, String, Vec<Explanation>);

/// Others took the CPUs while some of the measurements ran. They did so before as well: what begins with a measurement may be what
/// serves it, such as a storage server that is a program of this host.
fn while_measured(run: &Facts) -> Option<Seen> {
    let idle = run.idle().filter(|idle| idle.seconds() >= SEEN_S)?.cpu();
    let before = idle.ratio(idle.user_ns)?;
    let of_streams = run.net.iter().map(|result| {
        let explains = explain::result(run, result, Mechanism::CpuStarved);
        let now = (result.throughput_bytes_per_s, Unit::BytesPerS, "path-shaper");
        (result.probe, result.cpu.client_s, facts::cpu::stream_waited(result), explains, now)
    });
    let steps = run.disk.iter().flat_map(|result| result.steps.iter().map(move |step| (result, step)));
    let of_steps = steps.map(|(result, step)| {
        let seconds: f64 = run.windows_of_probe(step.probe).map(Window::seconds).sum();
        let ours_s = step.thread_peak.unwrap_or(0.0) * f64::from(step.threads.max(1)) * seconds;
        let explains = explain::step(result, step, Mechanism::CpuStarved);
        (step.probe, ours_s, step.thread_wait, explains, (step.iops, Unit::IoPerS, "device-latency"))
    });
    let cpus = run.host.cpu.online.max(1);
    let long = |probe| run.windows_of_probe(probe).map(Window::seconds).sum::<f64>() >= SEEN_S;
    let taken = of_streams.chain(of_steps).filter(|(probe, ..)| long(*probe)).filter_map(
        |(probe, ours_s, waited, explains, (now, unit, next))| {
            let time = facts::cpu::sum(run.windows_of_probe(probe));
            let busy = time.ratio(time.busy_ns())?;
            let others = facts::cpu::taken(&time, ours_s).map(|others| others.min(before));
            if let Some(others) = others.filter(|others| *others >= facts::cpu::TAKEN) {
                return Some((
                    others,
                    busy,
                    format!("of it other programs {}", facts::percent(others)),
                    explains,
                ));
            }
            let waited = facts::cpu::waited_for(&time, ours_s, cpus, waited?)?;
            let said =
                format!("whose threads were ready and had no CPU for {} of the time", facts::percent(waited));
            // What waits is seen as late: without that, as much more.
            let explains = explains.active(waited).without(now / (1.0 - waited), unit, next);
            (before * f64::from(cpus) >= waited && waited < 1.0).then_some((waited, busy, said, explains))
        },
    );
    let taken: Vec<(f64, f64, String, Explanation)> = taken.collect();
    let (_, busy, said, _) = taken.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
    let said = format!("busy {} while fullwire measured, {said}", facts::percent(*busy));
    Some((*busy, said, taken.into_iter().map(|(.., explains)| explains).collect()))
}

fn fires(run: &Run, (busy, evidence, explains): Seen) -> Outcome {
    let cpus = match run.host.cpu.online {
        0 => "the CPUs are".to_owned(),
        1 => "the only CPU is".to_owned(),
        online => format!("the {online} CPUs are"),
    };
    RULE.finding(Kind::Cpu.only(), format!("{cpus} saturated: {evidence}"))
        .measured(busy, facts::CPU_BUSY, Unit::Ratio)
        .evidence(evidence, "/proc/stat, /proc/pressure/cpu")
        .explains(explains)
        .because("A task that is ready but does not run delays each commit and each packet that needs it.")
        .look("top -b -H -n 1 | head -n 30", "Shows which threads use the CPUs")
        .persist("Move batch work to other hours or hosts, limit it (`systemctl set-property UNIT CPUWeight=20`), or add CPUs")
        .expecting("fewer runnable tasks than CPUs at the peak")
        .into()
}
