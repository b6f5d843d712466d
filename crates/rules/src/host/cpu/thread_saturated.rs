rule! {
    /// # What it checks
    /// Passes when no single thread uses more than 95 % of one CPU over the idle window.
    /// # Why it matters
    /// A program with one such thread is at its limit although the host is almost idle, and its process line may
    /// even show 0 %: the thread view shows it.
    /// # Evidence
    /// CPU time of each thread at both ends of the window.
    /// # Remedy
    /// What the thread does: parallelise, or a faster core.
    /// # Source
    /// proc(5), /proc/PID/task/TID/stat; the founding example (a process at 0 % whose threads burn a core each).
    code: "thread-saturated",
    title: "one thread uses a whole CPU",
    layer: Host, severity: Info, on: [Process],

    /// Share of one CPU that a thread uses.
    const FULL: f64 = 0.95;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(idle) = run.idle().filter(|window| window.seconds() >= 0.5) else {
        return vec![facts::unread("an idle window")];
    };
    if idle.to.threads.is_empty() {
        return vec![facts::unread("the CPU time of the threads")];
    }
    let shares =
        idle.to.threads.iter().map(|thread| (thread, thread.recent_ns as f64 / 1e9 / idle.seconds()));
    let full: Vec<_> = shares.filter(|(_, share)| *share >= FULL).collect();
    let Some((thread, share)) = full.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return vec![Outcome::Passes];
    };
    let more = match full.len() {
        1 => String::new(),
        threads => format!("; {threads} threads do"),
    };
    vec![
        finding!(
            Kind::Process.named(&thread.process),
            "thread {} of {} (pid {}) uses {} of a CPU{more}",
            thread.name,
            thread.process,
            thread.pid,
            facts::percent(*share),
        )
        .measured(*share, FULL, Unit::Ratio)
        .evidence(
            format!("tid {} {} state {}", thread.tid, thread.name, thread.state),
            format!("/proc/{}/task/{}/stat", thread.pid, thread.tid),
        )
        .because("A single thread cannot use more than one CPU, however many there are.")
        .look(sh!("top -b -H -n 1 -p {} | head -n 20", thread.pid), "Shows the threads of the program")
        .now(format!("`perf top -t {}` shows what the thread does", as_word(thread.tid)))
        .persist("more parallelism in that program")
        .expecting("the work spread over several threads")
        .into(),
    ]
}
