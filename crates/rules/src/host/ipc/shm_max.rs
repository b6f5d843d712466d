//! # What it checks
//! Passes when `kernel.shmmax` is at least the SGA (`--sga`).
//!
//! # Why it matters
//! The instance cannot create it as one segment: ORA-27102, error 22 (EINVAL), or it splits the SGA into
//! several.
//!
//! # Evidence
//! `kernel.shmmax`.
//!
//! # Remedy
//! `kernel.shmmax` = the SGA's size or more; 4398046511104 of the Oracle preinstallation package does for
//! all.
//!
//! # Source
//! shmget(2), EINVAL; Oracle Database installation guide for Linux, minimum kernel parameters (half of RAM
//! or more); tuned profile oracle (4398046511104).

use crate::advice::set_sysctl;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "shmmax",
    title: "the limit on one shared-memory segment is below the SGA",
    layer: Layer::Host,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(sga) = run.command.sga_bytes else { return Vec::new() };
    let Some(most) = run.host.ipc.shmmax_bytes else { return vec![facts::unread("kernel.shmmax")] };
    if most >= sga {
        return vec![Outcome::Passes];
    }
    let wanted = sga.max(4_398_046_511_104);
    vec![
        RULE.finding("kernel.shmmax", format!("kernel.shmmax is {most} bytes ({}), the SGA of {} needs one segment of {sga} (ORA-27102, error 22): set it to {sga} or more", facts::size(most), facts::size(sga)))
            .measured(most as f64, sga as f64, Unit::Bytes)
            .evidence(format!("kernel.shmmax = {most}, --sga {sga}"), "/proc/sys/kernel/shmmax")
            .advice(set_sysctl(&run.host, "kernel.shmmax", &wanted.to_string(), "shmget refuses a segment larger than shmmax with EINVAL.", "the instance starts with one segment (`ipcs -m`)"))
            .into(),
    ]
}
