rule! {
    /// # What it checks
    /// Applies to guests. Passes when in no window the hypervisor took memory away through the balloon at 1 MiB a second or
    /// more. Of a guest of `VMware` it also passes when the balloon holds less than 1 % of the memory: there it grows only
    /// while the hypervisor's host is short of memory, or above a limit set for the guest. Elsewhere a balloon may be how
    /// the guest is set up.
    /// # Why it matters
    /// The host is short of memory and takes it from the guest: the guest drops its page cache and swaps, and no process in
    /// it shows why.
    /// # Evidence
    /// `balloon_inflate` less `balloon_deflate` in `/proc/vmstat` (pages), over each window and since boot;
    /// `vmware-toolbox-cmd stat balloon`.
    /// # Remedy
    /// Memory reserved for the guest.
    /// # Source
    /// Linux `mm/vmstat.c` (`balloon_inflate`; virtio, `VMware`, Hyper-V); `VMware`, "Oracle Databases on `VMware` Best
    /// Practices Guide" (memory reservation of the SGA at least), and
    /// "vSphere Resource Management" (memory balloon driver: the host reclaims when it is low on memory); the rate and
    /// the share are our own choice.
    code: "memory-balloon",
    title: "the hypervisor takes memory from this guest",
    layer: Host, severity: Warning, on: [Memory],
    when: |run| facts::is_guest(&run.host),

    /// Less is bookkeeping (own choice).
    const LEAST_BYTES_PER_S: f64 = 1_048_576.0;
    /// Of the memory (own choice).
    const MUCH: f64 = 0.01;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let page = page_bytes(run) as f64;
    let rates = facts::windows(run).filter_map(|window| {
        let taken = facts::vmstat_rate(window, "balloon_inflate")?;
        let given = facts::vmstat_rate(window, "balloon_deflate")?;
        Some((taken - given) * page)
    });
    let rate = rates.reduce(f64::max);
    match (rate, held_bytes(run)) {
        (Some(rate), _) if rate >= LEAST_BYTES_PER_S => vec![takes(run, page, rate)],
        (_, Some(held)) if is_much(run, held) => vec![has_taken(run, held)],
        (Some(_), _) => vec![Outcome::Passes],
        (None, Some(_)) if is_of_vmware(run) && run.host.memory.total_bytes.is_some() => {
            vec![Outcome::Passes]
        }
        _ => vec![facts::unread("what the balloon took over a window")],
    }
}

fn page_bytes(run: &Run) -> u64 {
    run.host.os.page_bytes.max(4096)
}

fn is_of_vmware(run: &Run) -> bool {
    run.host.os.virtualization.as_deref() == Some("vmware")
}

fn is_much(run: &Run, held: u64) -> bool {
    let total = run.host.memory.total_bytes.unwrap_or(0) as f64;
    is_of_vmware(run) && total > 0.0 && held as f64 >= MUCH * total
}

/// What the balloon holds: what the tools print, or what was taken since boot and not given back. Older kernels count
/// nothing for `VMware`.
fn held_bytes(run: &Run) -> Option<u64> {
    run.host.memory.balloon_bytes.or_else(|| {
        let last = &run.windows.last()?.to.vmstat;
        let pages = last.get("balloon_inflate")?.saturating_sub(*last.get("balloon_deflate")?);
        Some(pages.saturating_mul(page_bytes(run)))
    })
}

fn takes(run: &Run, page: f64, rate: f64) -> Outcome {
    let message =
        format!("the hypervisor takes {:.0} MB of memory a second from this guest (balloon)", rate / 1e6);
    RULE.finding(Kind::Memory.only(), message)
        .severity(facts::hygiene(run))
        .measured(rate, LEAST_BYTES_PER_S, Unit::BytesPerS)
        .evidence(
            format!("balloon_inflate less balloon_deflate, pages of {page:.0} bytes: {rate:.0} bytes/s"),
            "/proc/vmstat",
        )
        .advice(advice())
        .into()
}

fn has_taken(run: &Run, held: u64) -> Outcome {
    let total = run.host.memory.total_bytes.unwrap_or(0);
    let message = format!(
        "the hypervisor holds {} of this guest's {} of memory (balloon)",
        facts::size(held),
        facts::size(total)
    );
    let printed = run.host.memory.balloon_bytes.is_some();
    RULE.finding(Kind::Memory.only(), message)
        .severity(facts::hygiene(run))
        .measured(held as f64, MUCH * total as f64, Unit::Bytes)
        .evidence(
            format!("balloon {held} bytes"),
            if printed { "vmware-toolbox-cmd stat balloon" } else { "/proc/vmstat" },
        )
        .advice(advice())
        .into()
}

fn advice() -> Advice {
    because("The hypervisor's host is short of memory.")
        .look("grep balloon /proc/vmstat", "Shows the pages taken and given back since boot; ask the owner of the hypervisor for the balloon's target")
        .persist("Reserve the guest's memory at the hypervisor: at least the SGA and what the sessions need")
        .expecting("balloon_inflate no longer grows")
}
