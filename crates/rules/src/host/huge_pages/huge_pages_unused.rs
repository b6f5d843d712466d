//! # What it checks
//! Passes when the reserved huge pages are in use or promised.
//!
//! # Why it matters
//! The memory is lost for everything else; on a database host the instance was started without them (AMM,
//! memlock too small).
//!
//! # Evidence
//! `HugePages_Total`, `HugePages_Free`, `HugePages_Rsvd`.
//!
//! # Remedy
//! No `memory_target`, memlock as large as the SGA, restart; or give the pages back.
//!
//! # Source
//! Linux Documentation/admin-guide/mm/hugetlbpage.rst; Oracle note 749851.1 as reproduced (AMM is
//! incompatible with `HugePages`).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "huge-pages-unused",
    title: "huge pages are reserved but not used",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

/// Unused pages are worth mentioning from this size on.
const NOTABLE_BYTES: u64 = 256 << 20;

fn check(run: &Facts) -> Vec<Outcome> {
    let memory = &run.host.memory;
    let (Some(total), Some(free), Some(page)) =
        (memory.huge_pages_total, memory.huge_pages_free, memory.huge_page_bytes)
    else {
        return vec![facts::unread("HugePages_Free")];
    };
    let idle = free.saturating_sub(memory.huge_pages_reserved.unwrap_or(0));
    let bytes = idle.saturating_mul(page);
    if bytes < NOTABLE_BYTES || idle < total / 2 {
        return vec![Outcome::Passes];
    }
    let running = facts::database_instances(&run.host).next().is_some();
    let severity = if running { Severity::Warning } else { Severity::Info };
    vec![
        RULE.finding(
            "vm.nr_hugepages",
            format!("{idle} of {total} huge pages ({}) are neither used nor promised", facts::size(bytes)),
        )
        .severity(severity)
        .measured(idle as f64, 0.0, Unit::Count)
        .evidence(format!("HugePages_Total {total}, HugePages_Free {free}"), "/proc/meminfo")
        .advice(
            because("Memory reserved as huge pages can only be used by programs that ask for huge pages.")
                .now("Raise `ulimit -l` of the database's owner above the SGA, set memory_target=0, and restart the instance").risk(Risk::Downtime)
                .persist("use_large_pages=only: the instance does not start without them")
                .undo("Free them if nothing is meant to use them: sysctl -w vm.nr_hugepages=0")
                .expecting("HugePages_Free near 0 with the database up"),
        )
        .into(),
    ]
}
