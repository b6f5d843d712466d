//! # What it checks
//! Passes when every controller of each NVMe namespace is live.
//!
//! # Why it matters
//! A path over the fabric is lost (connecting, resetting, dead): redundancy and its share of the rate are
//! gone.
//!
//! # Evidence
//! `/sys/class/nvme/nvmeX/state`.
//!
//! # Remedy
//! Network or zoning of that path; `nvme connect-all`.
//!
//! # Source
//! Linux drivers/nvme/host/sysfs.c (controller states); nvme-connect-all(1).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Disk, NvmeController};

pub(super) const RULE: Rule = Rule {
    code: "nvme-path-lost",
    title: "an NVMe controller is not live",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .disks
        .iter()
        .filter_map(|disk| disk.nvme.as_ref().map(|nvme| (disk, nvme)))
        .flat_map(|(disk, nvme)| {
            nvme.controllers.iter().map(|controller| judge(disk, controller, nvme.controllers.len()))
        })
        .collect()
}

fn judge(disk: &Disk, controller: &NvmeController, total: usize) -> Outcome {
    match controller.state.as_str() {
        "" => facts::unread(&format!("the state of {}", controller.name)),
        "live" => Outcome::Passes,
        state => RULE
            .finding(
                &controller.name,
                format!(
                    "NVMe path {} to {} is {state}: one of {total} paths is lost",
                    controller.name, disk.name
                ),
            )
            .evidence(
                format!("state {state}, {}", controller.address),
                format!("/sys/class/nvme/{}/state", controller.name),
            )
            .advice(
                because("I/O takes the other paths, or waits for ctrl_loss_tmo.")
                    .run("nvme list-subsys", "Shows the state of the paths")
                    .run("dmesg | grep nvme | tail -n 30 || true", "Shows when and why")
                    .now("`nvme connect-all` once the network is repaired")
                    .persist("nvmf-autoconnect.service; /etc/nvme/discovery.conf")
                    .expecting("state live on all controllers"),
            )
            .into(),
    }
}
