//! # What it checks
//! Passes when the NVMe driver of an Amazon EC2 host waits at least 255 s for a request to an EBS volume.
//!
//! # Why it matters
//! By default the driver gives a request up after 30 s. A volume is reached over a network and may pause for longer
//! and then go on; the file system sees an I/O error instead and may become read-only.
//!
//! # Evidence
//! `io_timeout` of the module `nvme_core`, in seconds.
//!
//! # Remedy
//! `nvme_core.io_timeout=4294967295` on the kernel command line.
//!
//! # Source
//! Amazon EBS User Guide, "NVMe I/O operation timeout for Amazon EBS volumes" (default 30 s; the largest value is
//! recommended, 4294967295, or 255 with old kernels).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nvme-io-timeout",
    title: "the NVMe driver gives up requests to EBS volumes early",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

/// What old kernels can be set to at most (Amazon EBS User Guide).
const LONG_S: u64 = 255;

fn check(run: &Facts) -> Vec<Outcome> {
    let mut volumes =
        facts::whole_disks(&run.host).filter(|disk| disk.model == super::ebs_limit_exceeded::MODEL);
    // One value for all: the first volume tells it.
    let Some(namespace) = volumes.find_map(|disk| disk.nvme.as_ref()) else {
        return Vec::new();
    };
    let Some(timeout_s) = namespace.io_timeout_s else {
        return vec![facts::unread("io_timeout of nvme_core")];
    };
    if timeout_s >= LONG_S {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding("nvme_core.io_timeout", format!("the NVMe driver reports an I/O error when an EBS volume does not answer for {timeout_s} s"))
            .measured(timeout_s as f64, LONG_S as f64, Unit::S)
            .evidence(format!("io_timeout {timeout_s}"), "/sys/module/nvme_core/parameters/io_timeout")
            .advice(
                because("An EBS volume may pause and go on; after an I/O error a file system may become read-only and the database stops.")
                    .now("Add nvme_core.io_timeout=4294967295 to the kernel command line: `grubby --update-kernel=ALL --args=nvme_core.io_timeout=4294967295`, or /etc/default/grub and `update-grub`; then restart the host").risk(Risk::Downtime)
                    .persist("The kernel command line keeps it")
                    .undo("`grubby --update-kernel=ALL --remove-args=nvme_core.io_timeout`, or the same line of /etc/default/grub")
                    .expecting("`cat /sys/module/nvme_core/parameters/io_timeout` prints 4294967295"),
            )
            .into(),
    ]
}
