//! # What it checks
//! Passes when writeback starts before 16 GiB are unwritten (`vm.dirty_background_ratio` of memory); with more than
//! 1 GiB at stake the ratios are at most 10 % and 40 %. Limits in bytes pass.
//!
//! # Why it matters
//! On a host of 1 TiB, 10 % are 102 GiB: when they are flushed, every fsync waits behind them.
//!
//! # Evidence
//! `vm.dirty_*`.
//!
//! # Remedy
//! PostgreSQL: `dirty_background_bytes` 64 MiB, `dirty_bytes` 512 MiB; Oracle: ratios 3 and 40.
//!
//! # Source
//! tuned profiles oracle (3, 40) and postgresql (64M, 512M); Linux Documentation/admin-guide/sysctl/vm.rst.

use crate::advice::set_sysctl;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "dirty-limits",
    title: "the page cache may hold a lot of unwritten data",
    layer: Layer::Host,
    severity: Severity::Info,
    check,
};

/// Regardless of the share: at 1 GB/s it takes a quarter of a minute to write this much.
const MUCH_BYTES: u64 = 16 << 30;
/// Written within a second: no fsync notices.
const LITTLE_BYTES: u64 = 1 << 30;
/// The kernel's default of `dirty_background_ratio`.
const BACKGROUND_PERCENT: u64 = 10;
/// Share of memory beyond which one flush stalls all (own choice; the default is 20).
const MOST_PERCENT: u64 = 40;

/// About a second of what a fast array writes: less makes writeback permanent, more makes an fsync wait.
const A_SECOND_BYTES: u64 = 1 << 30;

/// Never more than the share of memory that is in force now.
fn background_bytes(memory: u64, percent: u64) -> u64 {
    let now = memory / 100 * percent;
    if now == 0 { A_SECOND_BYTES } else { A_SECOND_BYTES.min(now / 2).max(64 << 20) }
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.sysctl_number("vm.dirty_background_bytes").is_some_and(|bytes| bytes > 0) {
        return vec![Outcome::Passes];
    }
    let (Some(background), Some(most)) =
        (host.sysctl_number("vm.dirty_background_ratio"), host.sysctl_number("vm.dirty_ratio"))
    else {
        return vec![facts::unread("vm.dirty_ratio")];
    };
    let Some(memory) = host.memory.total_bytes else { return vec![facts::unread("MemTotal")] };
    let unwritten = memory / 100 * background;
    let large_shares = background > BACKGROUND_PERCENT || most > MOST_PERCENT;
    if unwritten < MUCH_BYTES && !(large_shares && unwritten > LITTLE_BYTES) {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(
            "vm.dirty_background_ratio",
            format!(
                "writeback starts when {} are unwritten ({background} % of memory); writers are throttled at {}",
                facts::size(unwritten),
                facts::size(memory / 100 * most)
            ),
        )
        .measured(unwritten as f64, MUCH_BYTES.min(memory / 100 * BACKGROUND_PERCENT) as f64, Unit::Bytes)
        .evidence(format!("dirty_background_ratio {background}, dirty_ratio {most}"), "/proc/sys/vm")
        .advice(set_sysctl(
            host,
            "vm.dirty_background_bytes",
            &background_bytes(memory, background).to_string(),
            "An fsync waits behind what is being flushed.",
            "shorter checkpoints and log syncs",
        ))
        .into(),
    ]
}
