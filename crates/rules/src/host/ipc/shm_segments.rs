rule! {
    /// # What it checks
    /// Passes when fewer than 90 % of `kernel.shmmni` segments exist; for Oracle it is 4096 at least.
    /// # Why it matters
    /// The next program that requests one gets ENOSPC.
    /// # Evidence
    /// `kernel.shmmni`, `/proc/sysvipc/shm`.
    /// # Remedy
    /// `kernel.shmmni = 4096`; remove orphaned segments.
    /// # Source
    /// Oracle preinstallation requirements (shmmni 4096); shmget(2), ENOSPC.
    code: "shm-segments",
    title: "nearly all shared-memory segments are in use",
    layer: Host, severity: Warning, on: [Setting],

    /// Of the limit in use (own choice).
    const NEARLY: f64 = 0.90;
    /// Oracle Database Installation Guide for Linux, kernel.shmmni.
    const LEAST_OF_ORACLE: u64 = 4096;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let ipc = &run.host.ipc;
    let Some(most) = ipc.shmmni.filter(|most| *most > 0) else { return vec![facts::unread("kernel.shmmni")] };
    let used = ipc.segments.len() as f64 / most as f64;
    let below = facts::is_oracle(run) && most < LEAST_OF_ORACLE;
    if used < NEARLY && !below {
        return vec![Outcome::Passes];
    }
    let wanted = if below { ", Oracle requires 4096 at least" } else { "" };
    vec![
        finding!(
            Kind::Setting.named("kernel.shmmni"),
            "{} of {most} shared-memory segments exist (kernel.shmmni){wanted}",
            ipc.segments.len(),
        )
        .measured(ipc.segments.len() as f64, most as f64, Unit::Count)
        .evidence(format!("kernel.shmmni = {most}, segments {}", ipc.segments.len()), "/proc/sysvipc/shm")
        .advice(set_sysctl(
            &run.host,
            "kernel.shmmni",
            &(most * 2).max(4096).to_string(),
            "shmget refuses a new segment beyond the limit.",
            "room for the next instance",
        ))
        .into(),
    ]
}
