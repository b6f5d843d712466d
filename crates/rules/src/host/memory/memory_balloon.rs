//! # What it checks
//! Applies to guests. Passes when in no window the hypervisor took memory away through the balloon at 1 MiB a second or
//! more.
//!
//! # Why it matters
//! The host is short of memory and takes it from the guest: the guest drops its page cache and swaps, and no process in
//! it shows why.
//!
//! # Evidence
//! `balloon_inflate` in `/proc/vmstat` (pages), over each window. What was taken before is how the guest is set up and
//! is not judged.
//!
//! # Remedy
//! Memory reserved for the guest.
//!
//! # Source
//! Linux `mm/vmstat.c` (`balloon_inflate`; virtio, `VMware`, Hyper-V); `VMware`, "Oracle Databases on `VMware` Best
//! Practices Guide" (memory reservation of the SGA at least); the rate is our own choice.

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "memory-balloon",
    title: "the hypervisor takes memory from this guest",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

/// Less is bookkeeping (own choice).
const LEAST_BYTES_PER_S: f64 = 1_048_576.0;

fn check(run: &Facts) -> Vec<Outcome> {
    if !facts::is_guest(&run.host) {
        return Vec::new();
    }
    let page = run.host.os.page_bytes.max(4096) as f64;
    let rates = facts::windows(run).filter_map(|window| {
        let taken = facts::vmstat_rate(window, "balloon_inflate")?;
        let given = facts::vmstat_rate(window, "balloon_deflate")?;
        Some((taken - given) * page)
    });
    let Some(rate) = rates.reduce(f64::max) else {
        return vec![facts::unread("what the balloon took over a window")];
    };
    if rate < LEAST_BYTES_PER_S {
        return vec![Outcome::Passes];
    }
    let found = RULE
        .finding("memory", format!("the hypervisor takes {:.0} MB of memory a second from this guest (balloon)", rate / 1e6))
        .severity(facts::hygiene(run))
        .measured(rate, LEAST_BYTES_PER_S, Unit::BytesPerS)
        .evidence(format!("balloon_inflate less balloon_deflate, pages of {page:.0} bytes: {rate:.0} bytes/s"), "/proc/vmstat")
        .advice(
            because("The hypervisor's host is short of memory.")
                .run("grep balloon /proc/vmstat", "Shows the pages taken and given back since boot; ask the owner of the hypervisor for the balloon's target")
                .persist("Reserve the guest's memory at the hypervisor: at least the SGA and what the sessions need")
                .expecting("balloon_inflate no longer grows"),
        );
    vec![found.into()]
}
