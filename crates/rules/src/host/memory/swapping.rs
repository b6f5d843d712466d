rule! {
    /// # What it checks
    /// Passes when no window shows pages going out to swap, or coming back, at more than a few a second. Of a capture that
    /// has the output of vmstat its lines after the first are such a window. Otherwise, counters that were read once are judged by
    /// their mean since boot: two pages a second out, and as many back in, are a warning. Without such a flow a swap space of
    /// which 80 % are used beside less than 10 % of available memory is a note (own choice): the next peak has neither.
    /// # Why it matters
    /// Each page that a process needs back is a random read in the middle of its work: the database's memory is
    /// then as slow as a disk. The disk gets the blame.
    /// # Evidence
    /// Growth of `pswpin` and `pswpout` in `/proc/vmstat` over each window, or since boot; `si` and `so` of vmstat.
    /// # Remedy
    /// Shrink SGA, PGA or `shared_buffers`, stop the other memory user, add RAM; huge pages cannot be swapped out.
    /// # Source
    /// PCP pmieconf `memory.swap_low` (5 pages per second); atop(1) (swap-out above 10 a second is critical); Linux
    /// Documentation/admin-guide/mm/concepts.rst.
    code: "swapping",
    title: "the host is swapping",
    layer: Host, severity: Critical, on: [Memory], limits: [MemoryShort],

    /// Pages per second in either direction: from here on a nuisance, from there on a fault.
    const NUISANCE: f64 = 5.0;
    /// Pages per second written to swap: memory is too small (own choice).
    const FAULT: f64 = 10.0;
    /// Pages per second, out and back in again, on average since boot: at 4 KiB each 0.7 GB a day (own choice). What idle
    /// programs leave in swap for good comes out once and not back.
    const LASTING: f64 = 2.0;
    /// Regardless of the share enough for any peak of processes, as memory-low has it.
    const PLENTY_BYTES: u64 = 32 << 30;
    /// Share of the swap space in use that leaves no room (own choice).
    const SWAP_FULL: f64 = 0.80;
    /// Share of the memory available that is little (own choice, as for memory-low).
    const LITTLE: f64 = 0.10;
    /// Less in swap is no sign of a shortage (own choice).
    const NOTABLE_BYTES: u64 = 1 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let rates: Vec<(f64, f64)> = facts::windows(run)
        .filter_map(|window| {
            Some((facts::vmstat_rate(window, "pswpin")?, facts::vmstat_rate(window, "pswpout")?))
        })
        .chain(printed(run))
        .collect();
    let Some((pages_in, pages_out)) = rates.into_iter().max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)))
    else {
        return vec![or_swap_full(run, judge_since_boot(run))];
    };
    // What was swapped out long ago may come back once: only a steady flow, or one both ways, is a shortage.
    // Pages that go out beside much available memory, and do not come back, are idle ones that make room for the page cache.
    let severity = match (pages_in, pages_out) {
        (back, out) if out > NUISANCE && back < NUISANCE && has_plenty(run) => {
            return vec![or_swap_full(run, Outcome::Passes)];
        }
        (_, out) if out > FAULT => Severity::Critical,
        (back, out) if out > NUISANCE || back > 10.0 * FAULT => Severity::Warning,
        _ => return vec![or_swap_full(run, Outcome::Passes)],
    };
    vec![fires(run, (pages_in, pages_out), None, severity)]
}

/// In every window much memory was available.
fn has_plenty(run: &Run) -> bool {
    let little = run.host.memory.total_bytes.map_or(PLENTY_BYTES as f64, |total| LITTLE * total as f64);
    let mut ends = run.windows.iter().map(|window| window.to.mem_available_bytes).peekable();
    ends.peek().is_some()
        && ends.all(|one| one.is_some_and(|available| available as f64 >= little.min(PLENTY_BYTES as f64)))
}

/// Pages per second, in and out, while vmstat of a capture ran.
fn printed(run: &Run) -> Option<(f64, f64)> {
    let (memory, page) = (&run.host.memory, page_bytes(run));
    let read_once = facts::side::own(run).is_read_once();
    Some((memory.swap_in_bytes_per_s? / page, memory.swap_out_bytes_per_s? / page)).filter(|_| read_once)
}

fn judge_since_boot(run: &Run) -> Outcome {
    let own = side::sides(run).into_iter().next();
    let rate = |name: &str| {
        let grown = own.as_ref()?.counted(|counters| counters.vmstat.get(name).copied())?;
        grown.is_total().then(|| (grown.count as f64 / grown.seconds, grown.span()))
    };
    let (Some((pages_in, span)), Some((pages_out, _))) = (rate("pswpin"), rate("pswpout")) else {
        return facts::unread("pswpin and pswpout of a window");
    };
    if pages_in.min(pages_out) < LASTING {
        return Outcome::Passes;
    }
    fires(run, (pages_in, pages_out), Some(span), Severity::Warning)
}

/// Nothing moves, but little is left of either.
fn or_swap_full(run: &Run, outcome: Outcome) -> Outcome {
    let memory = &run.host.memory;
    let swap_free = run.windows.last().and_then(|window| window.to.swap_free_bytes);
    let (Outcome::Passes, Some(swap), Some(swap_free), Some(total), Some(available)) =
        (&outcome, memory.swap_total_bytes, swap_free, memory.total_bytes, memory.available_bytes)
    else {
        return outcome;
    };
    let used = swap.saturating_sub(swap_free);
    let share = used as f64 / swap.max(1) as f64;
    if share < SWAP_FULL || used < NOTABLE_BYTES || available as f64 >= LITTLE * total as f64 {
        return outcome;
    }
    finding!(
        Kind::Memory.only(),
        "{} of {} swap space are in use and {} of {} memory available: the next peak finds neither",
        facts::size(used),
        facts::size(swap),
        facts::size(available),
        facts::size(total),
    )
    .severity(Severity::Info)
    .measured(share, SWAP_FULL, Unit::Ratio)
    .evidence(
        format!("SwapTotal {swap}, SwapFree {swap_free}, MemAvailable {available} bytes"),
        "/proc/meminfo",
    )
    .advice(advice(&run.host))
    .into()
}

fn advice(host: &Host) -> Advice {
    let taken = taken_by(host.databases.iter());
    because("A process whose page must be read back waits for the disk, and swap traffic competes with other I/O.")
        .look("grep -H '^VmSwap' /proc/[0-9]*/status | sort -k2 -n | tail", "Shows which processes are swapped out")
        .now(format!("Stop what takes the memory beside the database, or lower {taken}"))
        .persist(format!("Size {taken} below the memory of the host; what a database shares can lie in huge pages, which are never swapped"))
        .undo("restore the sizes")
        .expecting("pswpout stops growing and the latency spikes disappear")
}

fn page_bytes(run: &Run) -> f64 {
    run.host.os.page_bytes.max(1024) as f64
}

fn fires(run: &Run, (pages_in, pages_out): (f64, f64), since: Option<Span>, severity: Severity) -> Outcome {
    let volume = (pages_in + pages_out) * page_bytes(run) / 1e6;
    let message = match since {
        None => format!(
            "the host swaps: {pages_out:.0} pages per second go out and {pages_in:.0} come in ({volume:.1} MB/s): it is short of memory, and the disk is not the cause"
        ),
        Some(span) => format!(
            "the host has swapped on average {pages_out:.0} pages per second out and {pages_in:.0} in again {}: it is short of memory",
            span.text()
        ),
    };
    RULE.finding(Kind::Memory.only(), message)
        .severity(severity)
        .measured(pages_out, NUISANCE, Unit::PerS)
        .evidence(
            format!("pswpin {pages_in:.1}/s, pswpout {pages_out:.1}/s"),
            if printed(run).is_some() { "vmstat" } else { "/proc/vmstat" },
        )
        .explains(explain::paths_of_windows(run, Mechanism::MemoryShort, |window| {
            facts::vmstat_rate(window, "pswpout") > Some(NUISANCE)
                || facts::vmstat_rate(window, "pswpin") > Some(10.0 * FAULT)
        }))
        .advice(advice(&run.host))
        .into()
}
