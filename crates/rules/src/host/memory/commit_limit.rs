//! # What it checks
//! Applies where the kernel promises no more memory than there is (`vm.overcommit_memory` 2); passes when less than
//! 90 % of the limit is promised.
//!
//! # Why it matters
//! At the limit an allocation fails, even if memory is free: no new session, no larger sort.
//!
//! # Evidence
//! `CommitLimit`, `Committed_AS`, `MemAvailable`; `vm.overcommit_memory`.
//!
//! # Remedy
//! `vm.overcommit_ratio` (50 by default: half of the memory is never promised) fitted to memory and swap.
//!
//! # Source
//! Linux Documentation/mm/overcommit-accounting.rst; proc(5), `CommitLimit`; PostgreSQL documentation, "Linux Memory
//! Overcommit".

use crate::advice::set_sysctl;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "commit-limit",
    title: "nearly all committable memory is committed",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

/// Of the limit (own choice).
const NEARLY: f64 = 0.9;
/// The kernel's mode without overcommitment.
const STRICT: u64 = 2;

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(mode) = run.host.sysctl_number("vm.overcommit_memory") else {
        return vec![facts::unread("vm.overcommit_memory")];
    };
    if mode != STRICT {
        return vec![Outcome::Passes];
    }
    let memory = &run.host.memory;
    let (Some(limit), Some(promised)) = (memory.commit_limit_bytes, memory.committed_bytes) else {
        return vec![facts::unread("CommitLimit")];
    };
    let share = promised as f64 / limit.max(1) as f64;
    if share < NEARLY {
        return vec![Outcome::Passes];
    }
    let available = memory
        .available_bytes
        .map_or_else(String::new, |free| format!(", {} are available", facts::size(free)));
    vec![
        RULE.finding(
            "memory",
            format!(
                "{} of the {} that the kernel may promise (CommitLimit) are promised{available}: allocations are about to fail",
                facts::percent(share),
                facts::size(limit)
            ),
        )
        .measured(share, NEARLY, Unit::Ratio)
        .evidence(format!("CommitLimit {limit} bytes, Committed_AS {promised} bytes"), "/proc/meminfo")
        .advice(set_sysctl(
            &run.host,
            "vm.overcommit_ratio",
            "80",
            "With strict accounting the limit is swap and this share of the memory outside of huge pages.",
            "Committed_AS stays well below CommitLimit",
        ))
        .into(),
    ]
}
