rule! {
    /// # What it checks
    /// Passes when each of the four `kernel.sem` values is at least 250 32000 100 128 on an Oracle host, and less than
    /// 80 % of the semaphores are in use. Larger values are never a fault.
    /// # Why it matters
    /// An instance with many processes does not start: ORA-27154, ORA-27300, semget failed.
    /// # Evidence
    /// `kernel.sem`, `/proc/sysvipc/sem`.
    /// # Remedy
    /// `kernel.sem = 250 32000 100 128` or larger.
    /// # Source
    /// Oracle Database installation guide for Linux, minimum kernel parameters; semget(2), ENOSPC. A check for
    /// equality (dbcheck) would call larger values wrong.
    code: "semaphores",
    title: "semaphore limits are below Oracle's requirements",
    layer: Host, severity: Critical, on: [Setting],

    /// Of the limit in use (own choice).
    const NEARLY: f64 = 0.80;
}

const LEAST: [u64; 4] = [250, 32_000, 100, 128];
const NAMES: [&str; 4] = ["SEMMSL", "SEMMNS", "SEMOPM", "SEMMNI"];

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(sem) = run.host.ipc.sem else { return vec![facts::unread("kernel.sem")] };
    let wanted: Vec<u64> = sem.iter().zip(LEAST).map(|(value, least)| (*value).max(least)).collect();
    let low: Vec<String> = sem
        .iter()
        .zip(LEAST)
        .zip(NAMES)
        .filter(|((value, least), _)| *value < least)
        .map(|((value, least), name)| format!("{name} {value} below {least}"))
        .collect();
    let used = run.host.ipc.semaphores.unwrap_or(0) as f64 / sem[1].max(1) as f64;
    let sets = run.host.ipc.semaphore_sets.unwrap_or(0) as f64 / sem[3].max(1) as f64;
    if used.max(sets) > NEARLY {
        let doubled = format!("{} {} {} {}", sem[0], sem[1] * 2, sem[2], sem[3] * 2);
        return vec![fires(
            run,
            format!("{} of the semaphores of kernel.sem are in use", facts::percent(used.max(sets))),
            &doubled,
            Severity::Warning,
        )];
    }
    if low.is_empty() || !facts::is_oracle(run) {
        return vec![Outcome::Passes];
    }
    let text = wanted.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    vec![fires(
        run,
        format!("kernel.sem is too small for Oracle: {}", low.join(", ")),
        &text,
        Severity::Critical,
    )]
}

fn fires(run: &Run, message: String, wanted: &str, severity: Severity) -> Outcome {
    RULE.finding(Kind::Setting.named("kernel.sem"), message)
        .severity(severity)
        .evidence(
            format!(
                "kernel.sem = {}, in use {} in {} sets",
                facts::words::numbers(&run.host.ipc.sem.unwrap_or_default()),
                run.host.ipc.semaphores.unwrap_or(0),
                run.host.ipc.semaphore_sets.unwrap_or(0)
            ),
            "/proc/sys/kernel/sem",
        )
        .advice(set_sysctl(
            &run.host,
            "kernel.sem",
            wanted,
            "Each process of an instance needs a semaphore.",
            "the instance starts with all its processes",
        ))
        .into()
}
