rule! {
    /// # What it checks
    /// Passes when steal time stays below 10 % in every window, and below 2 % over all of them where they cover a minute or
    /// more; between both it is a note. Of a host that was read once it judges the mean since boot by the same shares.
    /// # Why it matters
    /// The guest is paused without noticing: every latency grows, and no tool inside shows why.
    /// # Evidence
    /// Steal in `/proc/stat` over each window; what a POWER partition is entitled to (`/proc/powerpc/lparcfg`).
    /// # Remedy
    /// Another host or instance type, reserved CPUs; not a setting of the guest.
    /// # Source
    /// Netdata health.d/cpu.conf (steal 10 %, clears at 5 %); Linux Documentation/filesystems/proc.rst (steal);
    /// arch/powerpc/platforms/pseries/lparcfg.c (entitled capacity in hundredths).
    code: "cpu-steal",
    title: "the hypervisor gives this guest's CPU time to others",
    layer: Host, severity: Warning, on: [Cpu], limits: [CpuStarved],

    /// Share of the CPU time that the hypervisor gave to others (own choice).
    const TOLERATED: f64 = 0.10;
    /// What a guest loses all the time, and no longer by chance (own choice).
    const SUSTAINED: f64 = 0.02;
    /// Shorter, a few stolen ticks are chance.
    const LONG_S: f64 = 60.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let own = facts::side::own(run);
    if let (Some(span), Some(window)) = (own.since_boot(), own.windows.last()) {
        return judge_since_boot(run, span, &window.to.cpu);
    }
    let Some(share) = facts::windows(run).filter_map(steal_share).reduce(f64::max) else {
        return vec![facts::unread("the CPU time of a window")];
    };
    let all = sustained_share(run);
    let (share, limit, severity) = match all {
        _ if share > TOLERATED => (share, TOLERATED, Severity::Warning),
        Some(all) if all > SUSTAINED => (all, SUSTAINED, Severity::Info),
        _ => return vec![Outcome::Passes],
    };
    let starved = |window: &Window| steal_share(window) > Some(TOLERATED);
    let explained = explain::paths_of_windows(run, Mechanism::CpuStarved, starved);
    let said = format!("the hypervisor takes {} of the CPU time (steal)", facts::percent(share));
    vec![
        finding(run, said, share, limit)
            .severity(severity)
            .explains(explained.into_iter().map(|one| one.active(share)))
            .into(),
    ]
}

fn finding(run: &Run, said: String, share: f64, limit: f64) -> Finding {
    let finding = RULE
        .finding(Kind::Cpu.only(), said)
        .measured(share, limit, Unit::Ratio)
        .evidence(format!("steal {share:.3} of all CPU time"), "/proc/stat");
    match &run.host.cpu.entitlement {
        Some(own) => finding.evidence(entitled(own), "/proc/powerpc/lparcfg")
            .because("A shared partition runs when the hypervisor gives it a share of the pool's processors.")
            .now("`lparstat 1 5`, columns physc and %entc: processors used, and their share of the entitlement")
            .persist("More entitled capacity (HMC, by dynamic LPAR), or an uncapped partition with a weight; as many virtual processors as the entitlement, rounded up")
            .expecting("steal below 5 %"),
        None => finding
            .because("While the hypervisor runs other guests, this guest does nothing.")
            .look(
                "vmstat 1 5",
                "Column st: steal; ask the owner of the hypervisor for the ready time of this guest",
            )
            .persist("reserved or dedicated CPUs, a less crowded host, no burstable instance")
            .expecting("steal below 5 %"),
    }
}

fn entitled(own: &Entitlement) -> String {
    format!(
        "the partition is entitled to {:.2} processors for {} virtual ones, {}",
        own.processors,
        own.virtual_processors,
        if own.capped { "and capped at that" } else { "and may use more while others idle" }
    )
}

/// The mean over days says more than a window: in the hours of work it was higher.
fn judge_since_boot(run: &Run, span: facts::Span, time: &CpuTime) -> Vec<Outcome> {
    let Some(share) = time.ratio(time.steal_ns) else { return vec![facts::unread("the CPU time")] };
    let (limit, severity) = match share {
        share if share > TOLERATED => (TOLERATED, Severity::Warning),
        share if share > SUSTAINED => (SUSTAINED, Severity::Info),
        _ => return vec![Outcome::Passes],
    };
    let said = format!(
        "the hypervisor has taken {} of the CPU time (steal) {}",
        facts::percent(share),
        span.in_seconds()
    );
    vec![finding(run, said, share, limit).severity(severity).into()]
}

/// Of all windows together, if they are long enough.
fn sustained_share(run: &Facts) -> Option<f64> {
    let seconds: f64 = facts::windows(run).map(Window::seconds).sum();
    let all = facts::windows(run).map(Window::cpu).fold(CpuTime::default(), |sum, time| sum.plus(&time));
    all.ratio(all.steal_ns).filter(|_| seconds >= LONG_S)
}

fn steal_share(window: &Window) -> Option<f64> {
    let time = window.cpu();
    time.ratio(time.steal_ns)
}
