use crate::advice::condition::every_line;

rule! {
    /// # What it checks
    /// Passes when every CPU's frequency governor is `performance`, or the hardware decides itself. Applies to bare
    /// metal only.
    /// # Why it matters
    /// A CPU that must first speed up adds tens of microseconds to each wake-up: commit latency.
    /// # Evidence
    /// `scaling_governor` of each CPU, frequency driver.
    /// # Remedy
    /// `cpupower frequency-set -g performance`, tuned profile.
    /// # Source
    /// tuned profile throughput-performance; SUSE saptune note 2684254; Linux
    /// Documentation/admin-guide/pm/cpufreq.rst.
    code: "cpu-governor",
    title: "the CPU governor saves power instead of running at full speed",
    layer: Host, severity: Warning, on: [Setting],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let cpu = &run.host.cpu;
    if facts::is_virtual(&run.host) {
        return Vec::new();
    }
    if cpu.governors.is_empty() {
        return vec![facts::unread("scaling_governor")];
    }
    // intel_pstate's and amd_pstate's own powersave is the hardware's choice, with its energy bias.
    let by_hardware = cpu.frequency_driver.as_deref().is_some_and(|driver| driver.contains("pstate"));
    let all: u32 = cpu.governors.values().fold(0, |sum, count| sum.saturating_add(*count));
    let of_all = |count: u32| {
        if count == all { format!("on all {all} CPUs") } else { format!("on {count} of {all} CPUs") }
    };
    let slow: Vec<String> = cpu
        .governors
        .iter()
        .filter(|(name, _)| *name != "performance" && !(by_hardware && *name == "powersave"))
        .map(|(name, count)| format!("{name} {}", of_all(*count)))
        .collect();
    let saving: Vec<String> = cpu
        .governors
        .iter()
        .filter(|(name, _)| by_hardware && *name == "powersave")
        .map(|(name, count)| {
            format!("{name} ({}) {}", cpu.frequency_driver.as_deref().unwrap_or(""), of_all(*count))
        })
        .collect();
    match (slow.is_empty(), saving.is_empty()) {
        (true, true) => vec![Outcome::Passes],
        (false, _) => vec![fires(&slow, cpu, facts::hygiene(run))],
        (true, false) => vec![fires(&saving, cpu, Severity::Info)],
    }
}

/// The governor of every CPU as it was, in a file where they differ: each gets its own back.
fn kept(cpu: &Cpu) -> Option<&'static str> {
    (cpu.governors.len() > 1).then_some("/root/fullwire-governors")
}

fn save(file: &str) -> ShellCommand {
    sh!(
        "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo $(cat $f) $f; done > {}",
        file
    )
}

fn restore(file: &str) -> ShellCommand {
    sh!("while read g f; do echo $g > $f; done < {}", file)
}

/// By sysfs: cpupower is missing on minimal installations.
fn set_governor(governor: &str) -> ShellCommand {
    sh!("for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo {} > $f; done", governor)
}

fn fires(governors: &[String], cpu: &Cpu, severity: Severity) -> Outcome {
    let why = because("A commit is a chain of short wake-ups; each finds a CPU that has just slowed down.");
    let before = cpu.governors.keys().next().map_or("schedutil", String::as_str);
    let (saved, undo) = match kept(cpu) {
        Some(file) => (
            why.run(save(file), "Keeps the governor that each CPU has"),
            (restore(file), "Gives each CPU the governor that it had"),
        ),
        None => (why, (set_governor(before), "Sets the governor that the CPUs had")),
    };
    finding!(
        Kind::Setting.named("scaling_governor"),
        "CPU frequency governor: {}; performance keeps commits short", facts::listed(governors),
    )
    .severity(severity)
    .evidence(facts::listed(governors), "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    .advice(
        saved
            .run(set_governor("performance"), "Sets the governor of every CPU through sysfs; cpupower is not needed")
            .reads_back(every_line(&"cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor".into(), "^performance$"))
            .persist("A tuned profile with [cpu] governor=performance (`tuned-adm profile throughput-performance`, or the database's own profile)")
            .undo_run(undo.0, undo.1)
            .expecting("lower p50 of one-in-flight latencies"),
    )
    .into()
}
