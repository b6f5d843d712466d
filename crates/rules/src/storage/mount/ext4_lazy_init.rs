rule! {
    /// # What it checks
    /// Applies where ext4 file systems are mounted. Passes when the kernel does not initialise the inode tables of a new one
    /// in the background.
    /// # Why it matters
    /// For minutes to hours after mkfs the kernel writes to that disk: measurements meanwhile are lower.
    /// # Evidence
    /// The kernel thread `ext4lazyinit`.
    /// # Remedy
    /// Wait; or `mkfs.ext4 -E lazy_itable_init=0` next time.
    /// # Source
    /// mke2fs(8), `lazy_itable_init`; Linux Documentation/filesystems/ext4 (mount option `init_itable`).
    code: "ext4-lazy-init",
    title: "a new ext4 file system is still being initialised",
    layer: Storage, severity: Info, on: [Process],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mounted: Vec<&str> = run
        .host
        .mounts
        .iter()
        .filter(|mount| mount.fs_type == "ext4")
        .map(|mount| mount.target.as_str())
        .collect();
    if mounted.is_empty() {
        return Vec::new();
    }
    if run.host.processes.is_empty() {
        return vec![facts::unread("the kernel's threads")];
    }
    if !run.host.processes.iter().any(|process| process.name == "ext4lazyinit") {
        return vec![Outcome::Passes];
    }
    let found = finding!(
        Kind::Process.named("ext4lazyinit"),
        "the kernel initialises a new ext4 file system in the background: it writes to the disk meanwhile",
    )
    .evidence(format!("thread ext4lazyinit runs; ext4 on {}", facts::listed(&mounted)), "/proc")
    .because("Its writes compete with the database's and with a measurement.")
    .look(
        "ps -eo pid,etime,comm | grep ext4lazyinit || true",
        "Shows whether it still runs; measure when it has ended",
    )
    .persist("mkfs.ext4 -E lazy_itable_init=0,lazy_journal_init=0 for file systems that are loaded at once")
    .expecting("the thread is gone");
    vec![found.into()]
}
