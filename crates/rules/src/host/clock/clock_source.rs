rule! {
    /// # What it checks
    /// Passes when the clock source is the CPU's own counter (tsc, `arch_sys_counter`) or the hypervisor's (kvm-clock,
    /// hyperv). Xen's own is a note outside of EC2, and none since Linux 6.3, which takes tsc by itself where Xen vouches for it.
    /// # Why it matters
    /// Databases read the time for each wait event: with `acpi_pm` a call takes 723 ns instead of 36, and every
    /// measured latency contains it.
    /// # Evidence
    /// `current_clocksource`, and what is available.
    /// # Remedy
    /// `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`, `clocksource=tsc` on the
    /// kernel command line. Where the kernel does not offer tsc, its log says why (`Marking TSC unstable`).
    /// # Source
    /// PostgreSQL documentation, `pg_test_timing` (`acpi_pm` against tsc); Linux
    /// Documentation/timers/timekeeping.rst; admin-guide/kernel-parameters.txt (`tsc=reliable`), arch/x86/kernel/tsc.c
    /// (`mark_tsc_unstable`).
    /// Linux kernel mailing list, 2022-12-08,
    /// "x86/xen/time: prefer tsc as clocksource when it is invariant".
    code: "clock-source",
    title: "the clock source makes reading the time slow",
    layer: Host, severity: Warning, on: [Setting],
}

const FAST: [&str; 7] =
    ["tsc", "tsc-early", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", "tod"];

fn check(run: &Facts) -> Vec<Outcome> {
    let clock = &run.host.clock;
    match clock.source.as_deref() {
        None => vec![facts::unread("current_clocksource")],
        Some(source) if FAST.contains(&source) => vec![Outcome::Passes],
        // The domain that runs Xen has no other clock that is kept in step.
        Some(XEN) if facts::is_dom0(&run.host) || facts::kernel_is_at_least(&run.host, (6, 3)) => {
            vec![Outcome::Passes]
        }
        Some(source) => {
            vec![fires(run, source, clock.sources.iter().find(|source| FAST.contains(&source.as_str())))]
        }
    }
}

/// Xen's clock for its guests. A guest that is moved keeps it, and loses a TSC that is not invariant.
const XEN: &str = "xen";

/// Clocks that are read through a device, in microseconds: what the kernel falls back to once it distrusts the CPU's.
const DEVICES: [&str; 5] = ["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];

/// The kernel offers nothing faster, so nothing can be switched: find out why.
fn no_better(run: &Run, source: &str) -> Outcome {
    let distrusted = DEVICES.contains(&source);
    let severity = if distrusted { facts::hygiene(run) } else { Severity::Info };
    let advice = because("A database reads the time before and after each wait. The kernel leaves out the counter of the CPU (tsc) when it found that it is not steady.")
        .look("dmesg | grep -iE 'tsc|clocksource' || true", "Shows why the kernel left out tsc: `Marking TSC unstable` names the reason");
    let forced = forced(&run.host.os.command_line);
    let advice = if forced.is_empty() {
        advice
    } else {
        advice.persist(format!(
            "Take {forced} off the kernel command line, which takes the fast clock away, and reboot"
        ))
    };
    let advice = if facts::is_guest(&run.host) {
        advice.now("Have the hypervisor offer its own clock or an invariant TSC to this guest (kvm-clock, Hyper-V's TSC page, hardware clock of VMware)")
    } else {
        advice
            .now("Update the firmware of the board, and the kernel: older kernels distrust tsc on large hosts without need")
            .persist("tsc=reliable on the kernel command line turns the check off: only if the vendor of the host says that its TSC is steady, otherwise the time jumps between CPUs")
    };
    finding!(Kind::Setting.named("clocksource"), "the clocksource is {source}: each reading of the time is a slow access to a device, and the kernel offers no faster one that it trusts")
        .severity(severity)
        .evidence(format!("current_clocksource {source}, available {}", facts::listed(&run.host.clock.sources)), "/sys/devices/system/clocksource/clocksource0")
        .advice(advice.expecting("tsc is in available_clocksource after a reboot; below 100 ns a reading in pg_test_timing"))
        .into()
}

/// Words of the kernel command line that choose the clock, or take a fast one away.
fn forced(command_line: &str) -> String {
    let chooses = |word: &&str| {
        ["clocksource=", "notsc", "no-kvmclock", "tsc=unstable", "hpet=force"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    command_line.split_whitespace().filter(chooses).collect::<Vec<_>>().join(" ")
}

fn fires(run: &Run, current: &str, better: Option<&String>) -> Outcome {
    // The kernel found it wrong, and gave it up for that.
    let distrusted = |wanted: &str| {
        let lines = run.host.kernel_log.iter().map(|line| line.text.to_lowercase());
        lines
            .into_iter()
            .any(|line| line.contains("clocksource") && line.contains(wanted) && line.contains("unstable"))
    };
    let Some(wanted) = better.filter(|wanted| !distrusted(wanted)) else { return no_better(run, current) };
    let by_xen = current == XEN;
    let recommended = !by_xen || run.host.os.cloud.as_deref() == Some("aws");
    let severity = if recommended { facts::hygiene(run) } else { Severity::Info };
    let costs = if DEVICES.contains(&current) { "a slow access to a device" } else { "a call of the kernel" };
    let lasts = match forced(&run.host.os.command_line) {
        words if words.is_empty() => format!(
            "Add clocksource={wanted} to the kernel command line; if the kernel refuses it, `dmesg | grep -i tsc` says why"
        ),
        words => format!(
            "Take {words} off the kernel command line, which chose the slow one: the kernel then takes {wanted} by itself"
        ),
    };
    finding!(
        Kind::Setting.named("clocksource"),
        "the clocksource is {current}: each reading of the time is {costs}; {wanted} is recommended",
    )
    .severity(severity)
    .evidence(
        format!("current_clocksource {current}, available {}", facts::listed(&run.host.clock.sources)),
        "/sys/devices/system/clocksource/clocksource0",
    )
    .advice(advice(current, wanted, by_xen, lasts))
    .into()
}

fn advice(current: &str, wanted: &str, by_xen: bool, lasts: String) -> Advice {
    let advice = because("A database reads the time before and after each wait.").run(
        sh!("echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource", wanted),
        "Changes the clock source",
    );
    let advice = if by_xen {
        advice.check(
            "grep -qw nonstop_tsc /proc/cpuinfo",
            "this guest's TSC is invariant (nonstop_tsc): any other jumps when the guest is moved",
        )
    } else {
        advice
    };
    advice
        .persist(lasts)
        .undo_run(
            sh!("echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource", current),
            "Changes it back",
        )
        .expecting("below 100 ns a reading in pg_test_timing")
}
