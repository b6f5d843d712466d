rule! {
    /// # What it checks
    /// Passes when the thermal throttle counters did not grow during the run. Where they were read once, a line of the kernel
    /// log of the last day fires; counters alone tell of some time since boot, and weigh only as a rate that is no accident.
    /// # Why it matters
    /// All figures of this run are too low.
    /// # Evidence
    /// `thermal_throttle/*_throttle_count` over the windows, otherwise since boot; kernel log, `temperature above threshold, cpu
    /// clock throttled`.
    /// # Remedy
    /// Cooling, dust, fans, power caps.
    /// # Source
    /// Linux Documentation/admin-guide/pm/intel_pstate.rst; arch/x86 `therm_throt` (`core_throttle_count`); PCP
    /// pmieconf power rules.
    code: "thermal-throttling",
    title: "CPUs slow down because they are hot",
    layer: Host, severity: Warning, on: [Cpu], limits: [CpuBusy],
    when: |run| !facts::is_virtual(&run.host),

    /// Times a day from which one CPU is hot more than by chance (own choice): once an hour.
    const A_DAY: f64 = 24.0;
}

/// The CPU that was slowed down most often since boot, where the counters were read once.
fn worst(run: &Run) -> Option<(&str, u64)> {
    let counts = run.windows.iter().flat_map(|window| &window.to.errors);
    let throttled = counts.filter(|(name, _)| name.contains("throttle_count"));
    throttled.map(|(name, count)| (name.split('/').next().unwrap_or(name), *count)).max_by_key(|one| one.1)
}

/// How often that CPU was hot since boot, by a line of the log: `... cpu clock throttled (total events = 12)`; it is
/// written at most once in five minutes (`arch/x86/kernel/cpu/mce/therm_throt.c`, `CHECK_INTERVAL`).
fn events(line: &LogLine) -> f64 {
    let told =
        line.text.split("total events = ").nth(1).and_then(|rest| rest.split(')').next()?.parse().ok());
    line.count.max(told.unwrap_or(0)) as f64
}

fn since_boot(run: &Facts) -> Outcome {
    let is_recent = |line: &&LogLine| line.pattern == "thermal" && facts::log::is_recent(run, line);
    let line = run.host.kernel_log.iter().rfind(is_recent);
    let worst = worst(run);
    let days = run.host.os.uptime_s.map(|uptime_s| (uptime_s / 86_400.0).max(1.0));
    let rate = worst.zip(days).map(|((_, count), days)| count as f64 / days);
    let often = rate.is_some_and(|rate| rate >= A_DAY);
    let message = match (line, worst, rate) {
        (Some(line), _, _) => {
            format!(
                "CPUs were slowed down for heat{}: {}",
                facts::log::when(run, line, line.count),
                line.text
            )
        }
        (None, Some((cpu, count)), Some(rate)) if often => {
            format!("{cpu} was slowed down {count} times for heat since boot ({rate:.0} a day)")
        }
        (None, Some(_), Some(_)) => return Outcome::Passes,
        (None, _, _) => return facts::unread("the thermal throttle counters"),
    };
    // The kernel logs each: where its log was read and has none of the last day, it is over. A few are a moment's load.
    let is_over = line.is_none() && run.kernel_log_gap().is_none();
    let is_rare = line.is_some_and(|line| events(line) < A_DAY) && !often;
    let severity = if is_over || is_rare { Severity::Info } else { RULE.severity };
    let mut finding = RULE.finding(Kind::Cpu.only(), message).severity(severity);
    if let Some(line) = line {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    if let Some((cpu, count)) = worst {
        finding = finding.evidence(format!("{cpu} throttle_count {count} since boot"), PLACE);
    }
    finding.advice(advice()).into()
}

/// Where the counters are.
const PLACE: &str = "/sys/devices/system/cpu/cpu*/thermal_throttle";

fn advice() -> Advice {
    because("A hot CPU runs at a fraction of its speed.")
        .now("Read the temperatures and fans: `sensors`, `ipmitool sdr type Temperature`, `ipmitool sdr type Fan`")
        .persist("fix the cooling")
        .expecting("counters that no longer grow under load")
}

fn check(run: &Facts) -> Vec<Outcome> {
    let grown = facts::grown_in_all(run, |counters| {
        let counts: Vec<u64> = counters
            .errors
            .iter()
            .filter(|(name, _)| name.contains("throttle_count"))
            .map(|(_, count)| *count)
            .collect();
        (!counts.is_empty()).then(|| counts.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)))
    });
    match grown {
        None => vec![since_boot(run)],
        Some(0) => vec![Outcome::Passes],
        Some(count) => vec![
            finding!(Kind::Cpu.only(), "CPUs were slowed down {count} times for heat during the run")
                .measured(count as f64, 0.0, Unit::Count)
                .evidence(format!("throttle_count +{count}"), PLACE)
                .explains(explain::every_path(run, Mechanism::CpuBusy))
                .advice(advice())
                .into(),
        ],
    }
}
