//! # What it checks
//! There is some swap space, as Oracle's installer asks.
//!
//! # Why it matters
//! Without any, the first shortage ends in the OOM killer instead of a slow-down that somebody notices.
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
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "swap-absent",
    title: "the host has no swap",
    layer: Layer::Host,
    severity: Severity::Info,
    text: include_str!("swap_absent.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    match run.host.memory.swap_total_bytes {
        None => vec![facts::unread("SwapTotal")],
        Some(0) => vec![
            RULE.finding("swap", "the host has no swap: the first shortage of memory ends in the OOM killer")
                .measured(0.0, 1.0, Unit::Bytes)
                .evidence("SwapTotal 0", "/proc/meminfo")
                .advice(
                    because("A little swap turns a sudden death into a warning.")
                        .now("fallocate -l 4G /swapfile && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile")
                        .persist("echo '/swapfile none swap sw 0 0' >> /etc/fstab")
                        .undo("swapoff /swapfile && rm /swapfile")
                        .expecting("SwapTotal above 0, and no use of it in daily work"),
                )
                .into(),
        ],
        Some(_) => vec![Outcome::Passes],
    }
}
