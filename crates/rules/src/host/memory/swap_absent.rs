//! # What it checks
//! Passes when there is some swap space, as Oracle's installer asks.
//!
//! # Why it matters
//! Without any, the first shortage ends in the OOM killer instead of a slowdown that can be noticed.
//!
//! # Evidence
//! `/proc/swaps`.
//!
//! # Remedy
//! A swap file or volume of a few GiB.
//!
//! # Source
//! Oracle Database installation guide for Linux, server configuration checklist (swap space); Linux
//! Documentation/admin-guide/mm/concepts.rst.

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::Host;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "swap-absent",
    title: "the host has no swap",
    layer: Layer::Host,
    severity: Severity::Info,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    // A container has its host's swap, or none of its own.
    if facts::is_container(&run.host) {
        return Vec::new();
    }
    match run.host.memory.swap_total_bytes {
        None => vec![facts::unread("SwapTotal")],
        Some(0) => vec![
            RULE.finding("swap", "the host has no swap: the first shortage of memory ends in the OOM killer")
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
    if ["zfs", "btrfs"].contains(&root) {
        return why.persist(format!("Use a partition or a logical volume of 4 GiB: the root file system is {root}, which holds no plain swap file"));
    }
    why
        .run("test ! -e /swapfile && dd if=/dev/zero of=/swapfile bs=1M count=4096 oflag=direct status=none && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile", "Makes and uses a swap file of 4 GiB")
        .needs("the root file system is not btrfs or ZFS and has 4 GiB to spare")
        .persist_run("grep -qs '^/swapfile ' /etc/fstab || echo '/swapfile none swap sw 0 0' >> /etc/fstab", "Uses it after a reboot")
        .undo_run("swapoff /swapfile && rm -f /swapfile && sed -i '\\|^/swapfile |d' /etc/fstab", "Removes the file and its line")
}
