//! # What it checks
//! Applies with several optimised paths; passes when the I/O policy of the NVMe subsystem is `round-robin` or
//! `queue-depth`.
//!
//! # Why it matters
//! `numa`, the default, sends everything over the path nearest to the CPU's node: one link's rate of
//! several.
//!
//! # Evidence
//! `iopolicy` of the subsystem, ANA state of the paths.
//!
//! # Remedy
//! `echo round-robin > /sys/class/nvme-subsystem/*/iopolicy`.
//!
//! # Source
//! Linux Documentation/admin-guide/nvme-multipath.rst (policies numa, round-robin, queue-depth).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Disk;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nvme-io-policy",
    title: "native NVMe multipath uses only one path",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let several = |disk: &&Disk| disk.nvme.as_ref().is_some_and(|nvme| nvme.controllers.len() > 1);
    run.host.disks.iter().filter(several).map(judge).collect()
}

fn judge(disk: &Disk) -> Outcome {
    let Some(nvme) = disk.nvme.as_ref() else { return Outcome::Passes };
    let optimised = nvme
        .controllers
        .iter()
        .filter(|path| path.ana_state.as_deref().is_none_or(|state| state == "optimized"))
        .count();
    match nvme.io_policy.as_deref() {
        None => facts::unread(&format!("iopolicy of {}", disk.name)),
        Some("numa") if optimised > 1 => RULE
            .finding(
                &disk.name,
                format!("{} has {optimised} optimised paths, and policy numa uses one of them", disk.name),
            )
            .measured(1.0, optimised as f64, Unit::Count)
            .evidence("iopolicy numa", "/sys/class/nvme-subsystem/*/iopolicy")
            .advice(
                because("The other links idle.")
                    .run("for f in /sys/class/nvme-subsystem/*/iopolicy; do echo round-robin > $f; done", "Uses all optimised paths in turn")
                    .persist_run("echo 'options nvme_core iopolicy=round-robin' > /etc/modprobe.d/99-z-fullwire-nvme.conf", "Used when the module is loaded; rebuild the initramfs if it contains the module")
                    .undo_run("for f in /sys/class/nvme-subsystem/*/iopolicy; do echo numa > $f; done; rm -f /etc/modprobe.d/99-z-fullwire-nvme.conf", "Goes back to one path")
                    .expecting("all paths carry I/O; the sequential rate grows with their number"),
            )
            .into(),
        Some(_) => Outcome::Passes,
    }
}
