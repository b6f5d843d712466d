use crate::advice::set_sysctl;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when `vm.min_free_kbytes` is at least 1024 KB and at most a twentieth of memory.
    ///
    /// # Why it matters
    /// Below, the kernel deadlocks under load; far above, memory stays unused and the kernel reclaims and kills
    /// although there is some.
    ///
    /// # Evidence
    /// `/proc/sys/vm/min_free_kbytes`, `MemTotal`.
    ///
    /// # Remedy
    /// Some 0.5 % of memory on a large database host; the kernel's own value is right for most hosts.
    ///
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst, `min_free_kbytes` (below 1024 KB "subtly broken, and prone
    /// to deadlock under high loads"; too high "will OOM your machine"); Red Hat performance tuning guide (at
    /// most 5 % of memory).
    code: "min-free-memory",
    title: "min_free_kbytes is too small or too large",
    layer: Host, severity: Warning, on: [Setting],

    /// Less may deadlock the kernel under load (Documentation/admin-guide/sysctl/vm.rst: 1024 KB).
    const LEAST_BYTES: u64 = 1 << 20;
    /// One part of this many.
    const MOST_PART: u64 = 20;
    /// Recommended: one part of this many, 0.5 %.
    const GOOD_PART: u64 = 200;
}

const NAME: &str = "vm.min_free_kbytes";

fn check(run: &Facts) -> Vec<Outcome> {
    // The setting is the host's, the memory that is shown the container's own limit.
    if facts::is_container(&run.host) {
        return Vec::new();
    }
    let (Some(kilobytes), Some(memory)) = (run.host.sysctl_number(NAME), run.host.memory.total_bytes) else {
        return vec![facts::unread(NAME)];
    };
    let kept = kilobytes.saturating_mul(1024);
    let (limit, text) = if kept < LEAST_BYTES {
        (LEAST_BYTES, "the kernel may deadlock under load")
    } else if kept > memory / MOST_PART {
        (memory / MOST_PART, "this much memory stays unused, and programs may be killed for lack of memory")
    } else {
        return vec![Outcome::Passes];
    };
    let wanted = (memory / GOOD_PART).max(LEAST_BYTES) / 1024;
    vec![
        RULE.finding(
            Kind::Setting.named(NAME),
            format!(
                "the kernel keeps {} of {} free ({NAME} {kilobytes}): {text}",
                facts::size(kept),
                facts::size(memory)
            ),
        )
        .measured(kept as f64, limit as f64, Unit::Bytes)
        .evidence(format!("{NAME} = {kilobytes}, MemTotal {}", memory / 1024), "/proc/sys/vm, /proc/meminfo")
        .advice(set_sysctl(
            &run.host,
            NAME,
            &wanted.to_string(),
            "The reserve feeds interrupts and allocations that may not wait.",
            "MemAvailable close to the memory that is really free",
        ))
        .into(),
    ]
}
