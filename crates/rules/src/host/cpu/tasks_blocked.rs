rule! {
    /// # What it checks
    /// Passes unless, in the idle window, at least as many tasks are in uninterruptible sleep as there are CPUs, and the
    /// CPUs wait for I/O.
    /// # Why it matters
    /// The host was disk-bound before the measurement began: the sign of the other load.
    /// # Evidence
    /// `procs_blocked` and iowait of `/proc/stat` (`b` and `wa` of vmstat).
    /// # Remedy
    /// Find them (state D) and what they wait for.
    /// # Source
    /// vmstat(8) (b, wa); the founding vmstat rows (wa 97 to 100, b 2: disk-bound). iowait alone proves nothing:
    /// it disappears when the CPU is busy.
    code: "tasks-blocked",
    title: "many tasks are blocked on storage",
    layer: Host, severity: Info, on: [Tasks],

    /// Share of the time that CPUs wait for I/O (own choice).
    const WAITING: f64 = 0.50;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(idle) = run.idle().filter(|idle| !facts::is_glance(idle)) else {
        return vec![facts::unread("an idle window")];
    };
    let time = idle.cpu();
    let (Some(from), Some(to)) = (idle.from.procs_blocked, idle.to.procs_blocked) else {
        return vec![facts::unread("procs_blocked")];
    };
    let wait = time.iowait_ns as f64 / time.total_ns().max(1) as f64;
    let blocked = from.min(to);
    if blocked == 0 || wait < WAITING {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(Kind::Tasks.only(), "{blocked} tasks wait for storage and the CPU waits {} of the time: the host is disk-bound already", facts::percent(wait))
            .measured(wait, WAITING, Unit::Ratio)
            .evidence(format!("procs_blocked {from} and {to}, iowait {wait:.3}"), "/proc/stat, idle window")
            .because("Other programs' I/O already filled the path before the measurement.")
            .look("ps -eo state,pid,wchan:20,comm | grep '^D' || true", "Shows the tasks that wait for storage, and in which call of the kernel")
            .persist("measure when the host is quiet")
            .expecting("no tasks in state D when idle")
            .into(),
    ]
}
