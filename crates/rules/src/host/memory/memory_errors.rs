rule! {
    /// # What it checks
    /// Passes when the memory controllers' error counters did not grow during the run, and no uncorrected error was
    /// counted since boot. Corrected errors since boot are judged as a rate: a module of a large host corrects a few a
    /// month and lives on. Where the controllers tell the modules apart, the rate is of the worst module. What the kernel log
    /// has of one module is judged by the same rate, while the last error is of the last day.
    /// # Why it matters
    /// Corrected errors announce uncorrected ones, which stop the host or corrupt data.
    /// # Evidence
    /// EDAC counters; kernel log (machine checks).
    /// # Remedy
    /// Replace the module that `edac-util -v` or `ras-mc-ctl` names.
    /// # Source
    /// Linux Documentation/admin-guide/RAS/main.rst (EDAC `ce_count`, `ue_count`). B. Schroeder, E. Pinheiro, W.-D. Weber,
    /// DRAM Errors in the Wild, SIGMETRICS 2009 (more than 8 % of modules see corrected errors in a year). mcelog.conf(5):
    /// the default threshold of a module is 10 corrected errors in 24 hours.
    code: "memory-errors",
    title: "memory modules report errors",
    layer: Host, severity: Critical, on: [Memory],

    /// Corrected errors a day of one module from which mcelog acts, and as many in the minutes of a run.
    const A_DAY: f64 = 10.0;
    /// Corrected errors within one window (own choice).
    const BURST: u64 = 10;
}

/// What all controllers' counters of a kind grew by over the windows.
fn grown(run: &Run, kind: &str) -> u64 {
    let sum = |counters: &Counters| {
        let of_kind =
            counters.errors.iter().filter(|(name, _)| name.starts_with("mc") && name.ends_with(kind));
        of_kind.map(|(_, count)| *count).reduce(u64::saturating_add)
    };
    facts::grown_in_all(run, sum).unwrap_or(0)
}

/// The module with most errors; one that could not be corrected weighs more than all that could.
fn worst_module(run: &Run) -> Option<&MemoryModule> {
    run.host.memory.faulty_modules.iter().max_by_key(|module| (module.uncorrected, module.corrected))
}

/// `; DIMM_A1: 12 corrected, 0 not`.
fn of_modules(run: &Run) -> String {
    let each = run.host.memory.faulty_modules.iter();
    let texts: Vec<String> = each
        .map(|module| format!("{}: {} corrected, {} not", module.name, module.corrected, module.uncorrected))
        .collect();
    if texts.is_empty() { String::new() } else { format!("; {}", facts::listed(&texts)) }
}

/// Corrected errors a day of a line of the kernel log that names one module, over the time from the first to the last.
fn a_day(line: &LogLine) -> Option<f64> {
    let is_corrected =
        line.pattern == "machine-check" && line.text.contains("EDAC") && line.text.contains(" CE ");
    let (first, last) = line.first_seconds.zip(line.seconds).filter(|_| is_corrected)?;
    Some(line.count as f64 / ((last - first) / 86_400.0).max(1.0))
}

/// A module that the log tells of many errors of.
fn logged(run: &Run) -> Option<Outcome> {
    let recent = run.host.kernel_log.iter().filter(|line| facts::log::is_recent(run, line));
    let rates = recent.filter_map(|line| Some((line, a_day(line)?)));
    let (line, rate) = rates.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|one| one.1 >= A_DAY)?;
    let module = line.text.split(" on ").nth(1).and_then(|rest| rest.split(" (").next());
    let name =
        module.map_or_else(|| "a memory module".to_owned(), |module| format!("memory module {module}"));
    let finding = finding!(Kind::Memory.only(), "{name} corrected {} errors, {rate:.0} a day", line.count)
        .severity(Severity::Warning)
        .measured(rate, A_DAY, Unit::Count)
        .evidence(facts::log::quoted(line), "kernel log");
    Some(finding.advice(advice()).into())
}

fn advice() -> Advice {
    because("A module with one error is likely to have more.")
        .now("`edac-util -v` or `ras-mc-ctl --error-count` names the module")
        .persist("replace the module")
        .expecting("counters at 0 after the replacement")
}

fn check(run: &Facts) -> Vec<Outcome> {
    let counted = of_counters(run);
    let fires = counted.iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
    let of_log = logged(run).filter(|_| !fires && !facts::is_virtual(&run.host));
    of_log.map_or(counted, |found| vec![found])
}

fn of_counters(run: &Facts) -> Vec<Outcome> {
    let Some([corrected, uncorrected]) = run.host.memory.edac_errors else {
        return if facts::is_virtual(&run.host) {
            Vec::new()
        } else {
            vec![facts::unread("the error counters of the memory controllers")]
        };
    };
    let during = grown(run, "/ce_count");
    let during_uncorrected = grown(run, "/ue_count");
    let days = run.host.os.uptime_s.map(|uptime_s| (uptime_s / 86_400.0).max(1.0));
    // The threshold is of one module; what several correct together is no module's fault.
    let worst = worst_module(run);
    let of_worst = worst.map_or(corrected, |module| module.corrected);
    let a_day = days.map(|days| of_worst as f64 / days);
    let where_ =
        worst.map_or_else(|| "memory modules".to_owned(), |module| format!("memory module {}", module.name));
    let (severity, what) = match (uncorrected + during_uncorrected, during, a_day) {
        (0, 0, _) if corrected == 0 => return vec![Outcome::Passes],
        (0, 0, None) => return vec![facts::unread("the time since boot, over which errors were corrected")],
        (0, 0, Some(rate)) if rate < A_DAY => return vec![Outcome::Passes],
        (0, 0, Some(rate)) => {
            (Severity::Warning, format!("{where_} corrected {rate:.0} errors a day since boot"))
        }
        (0, grown, _) if grown < BURST => return vec![Outcome::Passes],
        (0, grown, _) => {
            (Severity::Warning, format!("memory modules corrected {grown} errors during the run"))
        }
        (count, _, _) => {
            (Severity::Critical, format!("{where_} reported {count} errors that could not be corrected"))
        }
    };
    vec![
        RULE.finding(Kind::Memory.only(), what)
            .severity(severity)
            .measured((corrected + uncorrected) as f64, 0.0, Unit::Count)
            .evidence(
                format!(
                    "ce_count {corrected}, ue_count {uncorrected} since boot, +{during} and +{during_uncorrected} during the run{}",
                    of_modules(run)
                ),
                "/sys/devices/system/edac/mc",
            )
            .advice(advice())
            .into(),
    ]
}
