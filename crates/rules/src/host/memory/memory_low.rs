rule! {
    /// # What it checks
    /// Passes when at least 10 % of the memory is available without swapping, or can be taken from the cache of ZFS. Huge
    /// pages in use or promised do not count as memory here: they are the database's already.
    /// # Why it matters
    /// The next backup or batch job makes the host reclaim and swap.
    /// # Evidence
    /// `MemAvailable` and `MemTotal`, the size of the ZFS cache.
    /// # Remedy
    /// Find the users; shrink or add.
    /// # Source
    /// Netdata health.d/ram.conf (10 %); node-mixin `NodeMemoryHighUtilization` (90 %).
    code: "memory-low",
    title: "little memory is available",
    layer: Host, severity: Warning, on: [Memory],

    /// Of the memory that should be available (own choice).
    const LEAST: f64 = 0.10;
    /// ZFS keeps a 32nd of memory at least (`zfs_arc_min`).
    const SMALLEST_CACHE: u64 = 32;
    /// Regardless of the share: enough for any peak of processes.
    const PLENTY_BYTES: u64 = 32 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let memory = &run.host.memory;
    let (Some(total), Some(free)) = (memory.total_bytes, memory.available_bytes) else {
        return vec![facts::unread("MemAvailable")];
    };
    // The cache of ZFS shrinks on demand, to a few per cent of memory, and MemAvailable does not count it.
    let cache = run
        .host
        .zfs_cache
        .as_ref()
        .map_or(0, |cache| cache.size_bytes.saturating_sub(total / SMALLEST_CACHE));
    let available = free.saturating_add(cache);
    // Huge pages that are used or promised are the database's already; idle ones are memory that is missing elsewhere.
    let idle = facts::idle_huge_bytes(&run.host);
    let reserved = memory.huge_pages_total.unwrap_or(0).saturating_mul(memory.huge_page_bytes.unwrap_or(0));
    let reserved = reserved.saturating_sub(idle);
    let share = available as f64 / total.saturating_sub(reserved).max(1) as f64;
    if share >= LEAST || available >= PLENTY_BYTES {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Memory.only(),
            "only {} of {} memory are available ({} of {})",
            facts::size(available),
            facts::size(total),
            facts::percent(share),
            if reserved > 0 { "what the database does not have in huge pages" } else { "it" },
        )
        .severity(facts::hygiene(run))
        .measured(share, LEAST, Unit::Ratio)
        .evidence(
            format!(
                "MemAvailable {available}, MemTotal {total} bytes{}",
                if idle > 0 { format!(", idle huge pages {idle} bytes") } else { String::new() }
            ),
            "/proc/meminfo",
        )
        .because("At a peak, missing memory is taken from the page cache first and then from processes.")
        .look("ps -eo pid,rss,comm | sort -k2 -rn | head", "Shows the largest programs")
        .look("slabtop -o | head -n 15", "Shows the largest caches of the kernel")
        .persist(format!(
            "Size {} so that a tenth of the memory is left",
            taken_by(run.host.databases.iter())
        ))
        .expecting("MemAvailable above 10 % at the peak")
        .into(),
    ]
}
