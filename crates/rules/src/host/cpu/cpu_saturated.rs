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
    match of_window {
        Some((busy, evidence)) => {
            vec![fires(
                run,
                Seen { busy, evidence, explains: explain::every_path(run, Mechanism::CpuStarved) },
            )]
        }
        // While a CPU is idle at times, whether tasks queue is a matter of how many there are.
        None if recorded && run.host.cpu.online == 0 => vec![facts::unread("the number of CPUs")],
        None => vec![while_measured(run).map_or(Outcome::Passes, |seen| fires(run, seen))],
    }
}

/// What was seen of the CPUs.
struct Seen {
    /// Share of their time in which they were busy.
    busy: f64,
    /// The same in words.
    evidence: String,
    explains: Vec<Explanation>,
}

/// A stream or a storage step while which others may have had the CPUs.
struct Measured {
    probe: ProbeId,
    /// CPU time of the test itself beyond the kernel's.
    ours_s: f64,
    /// Share of the time in which its threads were ready and had no CPU.
    waited: Option<f64>,
    explains: Explanation,
    /// Its figure, the figure's unit, and the ceiling that is next.
    figure: f64,
    unit: Unit,
    next: &'static str,
}

impl Measured {
    fn streams(run: &Facts) -> impl Iterator<Item = Self> {
        run.net.iter().map(|result| Self {
            probe: result.probe,
            ours_s: result.cpu.client_s,
            waited: facts::cpu::stream_waited(result),
            explains: explain::result(run, result, Mechanism::CpuStarved),
            figure: result.throughput_bytes_per_s,
            unit: Unit::BytesPerS,
            next: "path-shaper",
        })
    }

    fn steps(run: &Facts) -> impl Iterator<Item = Self> {
        let steps = run.disk.iter().flat_map(|result| result.steps.iter().map(move |step| (result, step)));
        steps.map(|(result, step)| {
            let seconds: f64 = run.windows_of_probe(step.probe).map(Window::seconds).sum();
            Self {
                probe: step.probe,
                ours_s: step.thread_peak.unwrap_or(0.0) * f64::from(step.threads.max(1)) * seconds,
                waited: step.thread_wait,
                explains: explain::step(result, step, Mechanism::CpuStarved),
                figure: step.iops,
                unit: Unit::IoPerS,
                next: "device-latency",
            }
        })
    }

    /// What others took of it while it ran, or how long it waited for them; `before`: their share before it ran.
    fn felt(self, run: &Facts, before: f64) -> Option<Felt> {
        let time = facts::cpu::sum(run.windows_of_probe(self.probe));
        let busy = time.ratio(time.busy_ns())?;
        let others = facts::cpu::taken(&time, self.ours_s).map(|others| others.min(before));
        if let Some(share) = others.filter(|others| *others >= facts::cpu::TAKEN) {
            let said = format!("of it other programs {}", facts::percent(share));
            return Some(Felt { share, busy, said, explains: self.explains });
        }
        let cpus = run.host.cpu.online.max(1);
        let share = facts::cpu::waited_for(&time, self.ours_s, cpus, self.waited?)?;
        let said =
            format!("whose threads were ready and had no CPU for {} of the time", facts::percent(share));
        // What waits is seen as late: without that, as much more.
        let without = self.figure / (1.0 - share);
        let explains = self.explains.active(share).without(without, self.unit, self.next);
        (before * f64::from(cpus) >= share && share < 1.0).then_some(Felt { share, busy, said, explains })
    }
}

/// How a measurement felt the others.
struct Felt {
    /// Of all CPU time what others took, or of its own what it waited.
    share: f64,
    busy: f64,
    said: String,
    explains: Explanation,
}

/// Others took the CPUs while some of the measurements ran. They did so before as well: what begins with a measurement may be what
/// serves it, such as a storage server that is a program of this host.
fn while_measured(run: &Facts) -> Option<Seen> {
    let idle = run.idle().filter(|idle| idle.seconds() >= SEEN_S)?.cpu();
    let before = idle.ratio(idle.user_ns)?;
    let long = |probe| run.windows_of_probe(probe).map(Window::seconds).sum::<f64>() >= SEEN_S;
    let measured = Measured::streams(run).chain(Measured::steps(run)).filter(|one| long(one.probe));
    let felt: Vec<Felt> = measured.filter_map(|one| one.felt(run, before)).collect();
    let worst = felt.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
    let evidence = format!("busy {} while fullwire measured, {}", facts::percent(worst.busy), worst.said);
    let busy = worst.busy;
    Some(Seen { busy, evidence, explains: felt.into_iter().map(|one| one.explains).collect() })
}

fn fires(run: &Run, seen: Seen) -> Outcome {
    let cpus = match run.host.cpu.online {
        0 => "the CPUs are".to_owned(),
        1 => "the only CPU is".to_owned(),
        online => format!("the {online} CPUs are"),
    };
    finding!(Kind::Cpu.only(), "{cpus} saturated: {}", seen.evidence)
        .measured(seen.busy, facts::CPU_BUSY, Unit::Ratio)
        .evidence(seen.evidence, "/proc/stat, /proc/pressure/cpu")
        .explains(seen.explains)
        .because("A task that is ready but does not run delays each commit and each packet that needs it.")
        .look("top -b -H -n 1 | head -n 30", "Shows which threads use the CPUs")
        .persist("Move batch work to other hours or hosts, limit it (`systemctl set-property UNIT CPUWeight=20`), or add CPUs")
        .expecting("fewer runnable tasks than CPUs at the peak")
        .into()
}
