rule! {
    /// # What it checks
    /// Passes unless the write to a measured file system never returned and waits at the place where the kernel keeps
    /// writers of a frozen file system.
    /// # Why it matters
    /// A backup or snapshot tool freezes a file system for a moment. One that died, or waits for its array, leaves it
    /// frozen: reads continue, every write and every commit of the database hangs, and nothing is logged.
    /// # Evidence
    /// The kernel function in which the probe's own call sleeps (`/proc/PID/wchan`).
    /// # Remedy
    /// End the tool that froze it, then `fsfreeze --unfreeze MOUNT-POINT`.
    /// # Source
    /// fsfreeze(8); Linux `fs/super.c`, `sb_start_write` and `freeze_super`; `kernel/locking/percpu-rwsem.c`.
    code: "file-system-frozen",
    title: "the file system is frozen",
    layer: Storage, severity: Critical, on: [Mount], limits: [Frozen],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mounted = facts::targets(run).into_iter().filter(|target| target.mount.is_some());
    mounted.map(|target| judge(&target)).collect()
}

fn judge(target: &facts::Target) -> Outcome {
    let wait_channel = &target.result.wait_channel;
    if target.result.unanswered().is_some() && wait_channel.is_empty() {
        return facts::unread("the kernel function in which the call on it sleeps");
    }
    if !target.is_frozen() {
        return Outcome::Passes;
    }
    let mount_point = &target.result.mount_point;
    finding!(
        Kind::Mount.named(mount_point),
        "{mount_point} is frozen: a write to it did not return and waits for the file system to be thawed",
    )
    .evidence(format!("asleep in {wait_channel}"), "/proc/PID/wchan of the probe")
    .explains([explain::target(target, Mechanism::Frozen).active(1.0)])
    .because("Every writer waits until it is thawed; reads continue.")
    .look(
        "ps -eo pid,etime,args | grep -Ei '[f]sfreeze|[b]ackup|[s]nap|[v]mtoolsd|[q]emu-ga' || true",
        "Shows who may have frozen it and whether it still runs",
    )
    .run(sh!("fsfreeze --unfreeze {}", mount_point), "Lets the writers go on")
    .needs("no backup is taking a snapshot of it now: that snapshot would be invalid")
    .persist("Make sure that the backup tool always thaws: a trap, a time limit")
    .undo("The backup freezes it again when it needs to")
    .expecting(format!("`fullwire disk {}` measures", as_word(target.name())))
    .into()
}

#[cfg(test)]
mod tests {
    use fullwire_model::{Run, fixture};

    fn run(wait_channel: &str, suspended: bool) -> Run {
        let text = include_str!("../../../fixtures/file-system-frozen.json");
        let text = text.replace("percpu_rwsem_wait", wait_channel);
        let text = text.replace("\"suspended\": false", &format!("\"suspended\": {suspended}"));
        fixture::run(&text, "fires/plain")
    }

    #[test]
    fn the_cause_is_named_once() {
        let primary = |run: &Run| crate::assess(run).paths[0].bottleneck.code.clone();
        assert_eq!(primary(&run("percpu_rwsem_wait", false)), "file-system-frozen");
        assert_eq!(primary(&run("percpu_rwsem_wait", true)), "device-suspended");
        assert_eq!(primary(&run("io_schedule", false)), "target-no-answer");
    }
}
