rule! {
    /// # What it checks
    /// Passes when in no window more than ten allocations a second had to wait until the kernel had moved pages together.
    /// # Why it matters
    /// With transparent huge pages on `always` and defragmentation on, a page fault of any process may have to wait for
    /// milliseconds.
    /// # Evidence
    /// `compact_stall` in `/proc/vmstat`, `transparent_hugepage/defrag`.
    /// # Remedy
    /// `madvise` or `defer` for defragmentation.
    /// # Source
    /// Linux Documentation/admin-guide/mm/transhuge.rst (defrag; `compact_stall`); the rate is our own choice.
    code: "compaction-stalls",
    title: "processes wait until the kernel has moved memory together",
    layer: Host, severity: Info, on: [Memory],

    /// Allocations that had to wait (own choice).
    const MOST_PER_S: f64 = 10.0;
}

const FILE: &str = "/sys/kernel/mm/transparent_hugepage/defrag";

fn check(run: &Facts) -> Vec<Outcome> {
    let rates = facts::windows(run).filter_map(|window| facts::vmstat_rate(window, "compact_stall"));
    let Some(rate) = rates.reduce(f64::max) else {
        return vec![facts::unread("compact_stall over a window")];
    };
    if rate <= MOST_PER_S {
        return vec![Outcome::Passes];
    }
    let memory = &run.host.memory;
    let defrag = memory.transparent_huge_pages_defrag.as_deref();
    let advice = because("A page fault should not wait for pages to be moved.");
    let advice = match defrag {
        // `defer` is known from Linux 4.6 on.
        Some("always") if !facts::kernel_is_at_least(&run.host, (4, 6)) => advice
            .run(sh!("echo {} > {}", "madvise", FILE), "A page fault waits only for programs that asked for huge pages")
            .undo_run(sh!("echo {} > {}", "always", FILE), "Sets the former value"),
        Some(before @ ("always" | "defer+madvise" | "madvise"))
            if facts::kernel_is_at_least(&run.host, (4, 6)) => advice
            .run(sh!("echo {} > {}", "defer", FILE), "Lets the kernel move pages in the background only")
            .undo_run(sh!("echo {} > {}", before, FILE), "Sets the former value"),
        _ => advice.now("Huge pages for the database (vm.nr_hugepages) are reserved once and need no compaction; a large vm.min_free_kbytes helps network drivers that allocate large buffers"),
    };
    let found = finding!(Kind::Memory.only(), "{rate:.0} allocations a second wait for compaction of memory")
        .measured(rate, MOST_PER_S, Unit::PerS)
        .evidence(
            format!("compact_stall +{rate:.1} per second, defrag {}", defrag.unwrap_or("unknown")),
            format!("/proc/vmstat, {FILE}"),
        )
        .advice(
            advice
                .and(keep_boot_parameter(&run.host, "transparent_hugepage", "madvise"))
                .expecting("compact_stall no longer grows"),
        );
    vec![found.into()]
}
