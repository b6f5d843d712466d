//! # What it checks
//! Passes when `/proc/pressure` can be read.
//!
//! # Why it matters
//! Without it there is no record of how long tasks waited for CPU, memory or I/O; fullwire falls back to weaker
//! signs.
//!
//! # Evidence
//! Pressure totals in the windows.
//!
//! # Remedy
//! `psi=1` on the kernel command line.
//!
//! # Source
//! Linux Documentation/accounting/psi.rst; Oracle UEK builds it in and leaves it off
//! (`CONFIG_PSI_DEFAULT_DISABLED`).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};

pub(super) const RULE: Rule = Rule {
    code: "pressure-off",
    title: "pressure stall information (PSI) is off",
    layer: Layer::Host,
    severity: Severity::Info,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    // A window may hold other counters only: OSWatcher keeps none of /proc itself.
    let mut whole = run.windows.iter().filter(|window| window.to.cpu.total_ns() > 0).peekable();
    if whole.peek().is_none() {
        return vec![facts::unread("a window of counters")];
    }
    if whole.any(|window| window.to.pressure.is_some()) {
        return vec![Outcome::Passes];
    }
    // A sosreport before 4.3 leaves the files out, whatever the kernel measures.
    if run.host.captured {
        return vec![facts::unread("/proc/pressure")];
    }
    vec![
        RULE.finding("psi", "the kernel does not measure pressure (PSI), so waits for CPU, memory and I/O are not known")
            .evidence("no /proc/pressure in any window", "/proc/pressure")
            .advice(
                because("Pressure shows how long tasks were stalled, which utilisation and load do not.")
                    .now("Add psi=1 to the kernel command line: `grubby --update-kernel=ALL --args=psi=1`, or /etc/default/grub and `update-grub`; then restart the host").risk(Risk::Downtime)
                    .persist("The kernel command line keeps it")
                    .undo("`grubby --update-kernel=ALL --remove-args=psi=1`, or the same line of /etc/default/grub")
                    .expecting("`cat /proc/pressure/io` prints figures"),
            )
            .into(),
    ]
}
