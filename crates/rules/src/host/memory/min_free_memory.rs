rule! {
    /// # What it checks
    /// Passes when `vm.min_free_kbytes` is at least what the kernel computes itself, sqrt(16 x memory in KB), and at most a
    /// twentieth of memory. A warning below 1024 KB and above the twentieth, otherwise a note.
    /// # Why it matters
    /// Below, the kernel deadlocks under load; far above, memory stays unused and the kernel reclaims and kills
    /// although there is some.
    /// # Evidence
    /// `/proc/sys/vm/min_free_kbytes`, `MemTotal`.
    /// # Remedy
    /// The kernel's own value; from above no less than a hundredth of memory, which large hosts need for bursts.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst, `min_free_kbytes` (below 1024 KB "subtly broken, and prone
    /// to deadlock under high loads"; too high "will OOM your machine"); `mm/page_alloc.c`
    /// (`calculate_min_free_kbytes`); `mm/khugepaged.c` (it raises the value, to 5 % of memory at most).
    code: "min-free-memory",
    title: "min_free_kbytes is too small or too large",
    layer: Host, severity: Warning, on: [Setting],

    /// Less may deadlock the kernel under load (Documentation/admin-guide/sysctl/vm.rst: 1024 KB).
    const LEAST_BYTES: u64 = 1 << 20;
    /// One part of this many.
    const MOST_PART: u64 = 20;
    /// What is lowered is left this part (own choice: databases' vendors ask for half a per cent and more).
    const LEFT_PART: u64 = 100;
    /// Kernels before 5.9 compute no more than this, KB; later ones 262,144.
    const OWN_MOST: u64 = 65_536;
    /// The kernel counts without what is reserved at boot: its own value may be this part of ours.
    const OWN_SHARE: f64 = 0.9;
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
    let own = own_kilobytes(memory);
    let mut wanted = own;
    let (limit, text, severity) = if kept < LEAST_BYTES.min(own * 1024) {
        (LEAST_BYTES, "the kernel may deadlock under load", Severity::Warning)
    } else if kept > memory / MOST_PART {
        wanted = own.max(memory / 1024 / LEFT_PART);
        let text = "this much memory stays unused, and programs may be killed for lack of memory";
        (memory / MOST_PART, text, Severity::Warning)
    } else if (kilobytes as f64) < own as f64 * OWN_SHARE {
        (
            own * 1024,
            "less than the kernel would choose itself, so that bursts of packets find no memory",
            Severity::Info,
        )
    } else {
        return vec![Outcome::Passes];
    };
    vec![
        finding!(
            Kind::Setting.named(NAME),
            "the kernel keeps {} of {} free ({NAME} {kilobytes}): {text}",
            facts::size(kept),
            facts::size(memory),
        )
        .severity(severity)
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

/// What the kernel computes at boot, KB.
fn own_kilobytes(memory_bytes: u64) -> u64 {
    (16 * (memory_bytes / 1024)).isqrt().clamp(128, OWN_MOST)
}
