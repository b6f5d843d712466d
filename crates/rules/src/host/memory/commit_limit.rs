rule! {
    /// # What it checks
    /// Applies where the kernel promises no more memory than there is (`vm.overcommit_memory` 2); passes when less than
    /// 90 % of the limit is promised.
    /// # Why it matters
    /// At the limit an allocation fails, even if memory is free: no new session, no larger sort.
    /// # Evidence
    /// `CommitLimit`, `Committed_AS`, `MemAvailable`; `vm.overcommit_memory`.
    /// # Remedy
    /// Idle huge pages given back (they are no part of the limit); `vm.overcommit_ratio` (50 by default: half of the memory
    /// is never promised) fitted to memory, swap and what is promised.
    /// # Source
    /// Linux Documentation/mm/overcommit-accounting.rst; proc(5), `CommitLimit`; PostgreSQL documentation, "Linux Memory
    /// Overcommit".
    code: "commit-limit",
    title: "nearly all committable memory is committed",
    layer: Host, severity: Warning, on: [Memory],

    /// Of the limit (own choice).
    const NEARLY: f64 = 0.9;
    /// Idle huge pages are worth a step from this size on, as in `huge-pages-unused`.
    const NOTABLE_BYTES: u64 = 256 << 20;
    /// The kernel's mode without overcommitment.
    const STRICT: u64 = 2;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(mode) = run.host.sysctl_number("vm.overcommit_memory") else {
        return vec![facts::unread("vm.overcommit_memory")];
    };
    if mode != STRICT {
        return vec![Outcome::Passes];
    }
    let memory = &run.host.memory;
    let (Some(limit), Some(promised)) = (memory.commit_limit_bytes, memory.committed_bytes) else {
        return vec![facts::unread("CommitLimit")];
    };
    let share = promised as f64 / limit.max(1) as f64;
    if share < NEARLY {
        return vec![Outcome::Passes];
    }
    let available = memory
        .available_bytes
        .map_or_else(String::new, |free| format!(", {} are available", facts::size(free)));
    vec![
        finding!(
            Kind::Memory.only(),
            "{} of the {} that the kernel may promise (CommitLimit) are promised{available}: allocations are about to fail",
            facts::percent(share),
            facts::size(limit),
        )
        .measured(share, NEARLY, Unit::Ratio)
        .evidence(format!("CommitLimit {limit} bytes, Committed_AS {promised} bytes"), "/proc/meminfo")
        .advice(remedy(&run.host))
        .into(),
    ]
}

/// Raises the limit as far as the memory allows. Idle huge pages go first: they are no part of it.
fn remedy(host: &Host) -> Advice {
    const EXPECT: &str = "Committed_AS stays well below CommitLimit";
    let why = "With strict accounting the limit is swap and a share of the memory outside of huge pages.";
    let idle = facts::idle_huge_bytes(host);
    let advice = because(why);
    let advice = if idle >= NOTABLE_BYTES {
        advice.now(format!(
            "Give back huge pages that no program uses (finding huge-pages-unused): {} of them are idle and no part of the limit",
            facts::size(idle)
        ))
    } else {
        advice
    };
    match facts::commit_setting(host) {
        Some((name, value)) if host.sysctl_number(name).is_none_or(|now| now < value) => {
            advice.and(set_sysctl(host, name, &value.to_string(), why, EXPECT))
        }
        _ => advice
            .persist("Lower what is promised (fewer connections, a smaller work_mem), or add memory or swap, until the limit is a quarter above what is promised")
            .expecting(EXPECT),
    }
}
