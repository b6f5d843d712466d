rule! {
    /// # What it checks
    /// Passes when the wanted SGA, with what other segments take, is below 90 % of the memory.
    /// # Why it matters
    /// The instance does not start, or the host swaps from the first hour.
    /// # Evidence
    /// `--sga`, segments in use, `MemTotal`.
    /// # Remedy
    /// A smaller SGA, or more RAM.
    /// # Source
    /// Oracle Database installation guide for Linux, memory requirements; MOS 401749.1 as reproduced (SGA below
    /// RAM).
    code: "sga-exceeds-memory",
    title: "the SGA does not fit in memory",
    layer: Host, severity: Critical, on: [SharedMemory],

    /// Of the memory that an SGA may take: the rest is for processes and the kernel (own choice).
    const MOST: f64 = 0.90;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(sga) = run.command.sga_bytes else { return Vec::new() };
    let Some(total) = run.host.memory.total_bytes else { return vec![facts::unread("MemTotal")] };
    let others: u64 =
        run.host.ipc.segments.iter().map(|segment| segment.size_bytes).fold(0, u64::saturating_add);
    let wanted = sga.saturating_add(others);
    let beside =
        if others == 0 { String::new() } else { format!(" plus {} of other segments", facts::size(others)) };
    let share = wanted as f64 / total.max(1) as f64;
    if share <= MOST {
        return vec![Outcome::Passes];
    }
    // A plan for another host, or for after an upgrade, is no fault of this one.
    vec![
        finding!(
            Kind::SharedMemory.named("SGA"),
            "an SGA of {}{beside} is {} of the memory ({})",
            facts::size(sga),
            facts::percent(share),
            facts::size(total),
        )
        .measured(wanted as f64, MOST * total as f64, Unit::Bytes)
        .evidence(
            format!("--sga {sga}, segments {others}, MemTotal {total}"),
            "/proc/meminfo, /proc/sysvipc/shm",
        )
        .because("Sessions, page cache and the kernel need memory as well.")
        .now(format!("sga_target at most {}", facts::size(total / 10 * 9)))
        .persist("the same in the spfile")
        .expecting("no swapping with all instances up")
        .into(),
    ]
}
