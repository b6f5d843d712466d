rule! {
    /// # What it checks
    /// Applies on disks that served more than 100,000 I/Os per second; passes when `rq_affinity` is not 0 and
    /// `add_random` is 0.
    /// # Why it matters
    /// At such rates a completion on another CPU's cache, and feeding the entropy pool from each I/O, cost a
    /// notable share of a CPU.
    /// # Evidence
    /// `queue/rq_affinity`, `queue/add_random`; rate over the windows.
    /// # Remedy
    /// `rq_affinity` 2 (the CPU that asked) or 1 (its group), `add_random` 0.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `queue/rq_affinity` and `queue/add_random`.
    code: "queue-completion-cpu",
    title: "I/O completions run on other CPUs than their requests, on a fast disk",
    layer: Storage, severity: Info, on: [Disk],
    check: |run| facts::whole_disks(&run.host).map(|disk| judge(run, disk)).collect(),

    /// I/Os per second from which on completions load one CPU (own choice).
    const FAST_IO_PER_S: f64 = 100_000.0;
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let rates = facts::windows(run).filter_map(|window| facts::disk_activity(window, &disk.name));
    let fastest = rates.map(|activity| activity.io_per_s).fold(0.0, f64::max);
    // Of counters that were read once nobody knows how fast the disk can be: only right settings are right at any rate.
    let watched = !facts::side::own(run).is_read_once();
    if watched && fastest < FAST_IO_PER_S {
        return Outcome::Passes;
    }
    let Some(queue) = &disk.queue else { return facts::unread(&format!("the queue of {}", disk.name)) };
    let (file, now, wanted) = match (queue.rq_affinity, queue.add_random) {
        (Some(0), _) => ("queue/rq_affinity", "0", "2"),
        (_, Some(true)) => ("queue/add_random", "1", "0"),
        (None, None) => return facts::unread(&format!("the queue of {}", disk.name)),
        _ => return Outcome::Passes,
    };
    if !watched {
        return facts::unwatched(run, &format!("the rate of {}", disk.name));
    }
    let name = &disk.name;
    finding!(Kind::Disk.named(name), "{name} serves {fastest:.0} I/Os per second with {file} {now}")
        .measured(fastest, FAST_IO_PER_S, Unit::PerS)
        .evidence(format!("{file} {now}"), format!("/sys/block/{name}/{file}"))
        .advice(
            set_disk_attribute(
                "Each completion costs a little more CPU than necessary.",
                disk,
                file,
                wanted,
                Some(now),
            )
            .expecting("less system CPU per I/O at the same rate (`fullwire disk` prints it)"),
        )
        .into()
}
