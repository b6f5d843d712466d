rule! {
    /// # What it checks
    /// Passes when `kernel.shmmax` is at least the SGA (`--sga`) and the largest segment that Oracle has attached.
    /// # Why it matters
    /// The instance cannot create it as one segment: ORA-27102, error 22 (EINVAL), or it splits the SGA into
    /// several. A running instance keeps the segment that it created before the limit was lowered, and meets it at the
    /// next start.
    /// # Evidence
    /// `kernel.shmmax`, segments of `/proc/sysvipc/shm`.
    /// # Remedy
    /// `kernel.shmmax` = the SGA's size or more; 4398046511104 of the Oracle preinstallation package does for
    /// all.
    /// # Source
    /// shmget(2), EINVAL; Oracle Database installation guide for Linux, minimum kernel parameters (half of RAM
    /// or more); tuned profile oracle (4398046511104).
    code: "shmmax",
    title: "the limit on one shared-memory segment is below the SGA",
    layer: Host, severity: Critical, on: [Setting],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let attached = facts::largest_oracle_segment(&run.host).map(|segment| segment.size_bytes);
    let Some(sga) = run.command.sga_bytes.max(attached) else { return Vec::new() };
    let Some(most) = run.host.ipc.shmmax_bytes else { return vec![facts::unread("kernel.shmmax")] };
    if most >= sga {
        return vec![Outcome::Passes];
    }
    let wanted = sga.max(4_398_046_511_104);
    let planned = run.command.sga_bytes.is_some_and(|planned| planned > most);
    let (severity, message, seen) = if planned {
        let message = format!(
            "kernel.shmmax is {most} bytes ({}), the SGA of {} needs one segment of {sga} (ORA-27102, error 22): set it to {sga} or more",
            facts::size(most),
            facts::size(sga)
        );
        (Severity::Critical, message, format!("--sga {sga}"))
    } else {
        let message = format!(
            "kernel.shmmax is {most} bytes ({}), the running instance has a segment of {}: at its next start it cannot create it again",
            facts::size(most),
            facts::size(sga)
        );
        (Severity::Warning, message, format!("attached segment of {sga} bytes"))
    };
    vec![
        RULE.finding(Kind::Setting.named("kernel.shmmax"), message)
            .severity(severity)
            .measured(most as f64, sga as f64, Unit::Bytes)
            .evidence(format!("kernel.shmmax = {most}, {seen}"), "/proc/sys/kernel/shmmax, /proc/sysvipc/shm")
            .advice(set_sysctl(
                &run.host,
                "kernel.shmmax",
                &wanted.to_string(),
                "shmget refuses a segment larger than shmmax with EINVAL.",
                "the instance starts with one segment (`ipcs -m`)",
            ))
            .into(),
    ]
}
