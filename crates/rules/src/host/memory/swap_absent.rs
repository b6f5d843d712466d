rule! {
    /// # What it checks
    /// Passes when there is some swap space, as Oracle's installer asks, and on hosts of Kubernetes.
    /// # Why it matters
    /// Without any, the first shortage ends in the OOM killer instead of a slowdown that can be noticed.
    /// # Evidence
    /// `/proc/swaps`.
    /// # Remedy
    /// A swap file or volume of a few GiB, by hand: whoever runs the host decides where it goes. Silent on hosts of
    /// Kubernetes, whose kubelet does not start with swap.
    /// # Source
    /// kubernetes.io, Swap memory management (`failSwapOn`).
    /// Oracle Database installation guide for Linux, server configuration checklist (swap space); Linux
    /// Documentation/admin-guide/mm/concepts.rst.
    code: "swap-absent",
    title: "the host has no swap",
    layer: Host, severity: Info, on: [Swap],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // A container has its host's swap, or none of its own.
    if facts::is_container(&run.host) {
        return Vec::new();
    }
    match run.host.memory.swap_total_bytes {
        None => vec![facts::unread("SwapTotal")],
        Some(0) if facts::has_kubelet(&run.host) => vec![Outcome::Passes],
        Some(0) => vec![
            finding!(
                Kind::Swap.only(),
                "the host has no swap: the first shortage of memory ends in the OOM killer",
            )
            .measured(0.0, 1.0, Unit::Bytes)
            .evidence("SwapTotal 0", "/proc/meminfo")
            .advice(remedy(&run.host))
            .into(),
        ],
        Some(_) => vec![Outcome::Passes],
    }
}

fn remedy(host: &Host) -> Advice {
    let why = because("A little swap turns a sudden kill into a warning.")
        .expecting("SwapTotal above 0, and swap not used in daily work");
    let root =
        host.mounts.iter().rev().find(|mount| mount.target == "/").map_or("", |mount| mount.fs_type.as_str());
    // A swap file needs blocks that stay where they are (swapon(8)).
    let why = if ["zfs", "btrfs"].contains(&root) {
        why.persist(format!("Use a partition or a logical volume of 4 GiB: the root file system is {root}, which holds no plain swap file"))
    } else {
        why.persist(
            "Add a partition, a logical volume or a file of 4 GiB: mkswap, swapon, and a line in /etc/fstab",
        )
    };
    why.needs("nothing on this host refuses swap: kubelet does not start with it by default, and images of clouds often leave it out on purpose")
        .undo("swapoff, and remove the line from /etc/fstab")
}
