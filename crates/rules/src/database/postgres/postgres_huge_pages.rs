//! # What it checks
//! Applies where huge pages are reserved and most are free while PostgreSQL runs with 2 GB of shared buffers or
//! more; passes when `huge_pages` is not off.
//!
//! # Why it matters
//! Page tables for small pages cost memory in every backend; the reserved huge pages stay unused.
//!
//! # Evidence
//! `huge_pages` and `shared_buffers` of the server's configuration.
//!
//! # Remedy
//! `huge_pages = on`, and as many pages as `postgres -C shared_memory_size_in_huge_pages` prints.
//!
//! # Source
//! PostgreSQL documentation, Resource Consumption, `huge_pages`; Managing Kernel Resources, Linux Huge Pages.

use crate::database::setting::{self, Flaw};
use crate::{Facts, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Database;

pub(super) const RULE: Rule = Rule {
    code: "postgres-huge-pages",
    title: "PostgreSQL does not use huge pages",
    layer: Layer::Database,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    setting::each(run, &RULE, &["postgresql"], flaw)
}

/// From here on page tables of small pages are felt.
const LARGE_BYTES: u64 = 2 << 30;

fn flaw(database: &Database) -> Option<Flaw> {
    let large = setting::bytes(database, "shared_buffers").is_some_and(|bytes| bytes >= LARGE_BYTES);
    (large && setting::is_off(database, "huge_pages")).then(|| Flaw {
        name: "huge_pages",
        severity: Severity::Warning,
        says: "large shared buffers use small pages, and each backend keeps its own page tables for them".into(),
        why: "A page table entry for every 4 KiB in every backend costs memory and cache misses.",
        now: "alter system set huge_pages = 'try'; show shared_memory_size_in_huge_pages; then, with the server stopped, raise vm.nr_hugepages by that number (`sysctl vm.nr_hugepages` shows what others have reserved), and start the server".into(),
        undo: "alter system reset huge_pages; restart the server, then lower vm.nr_hugepages by the same number".into(),
        expect: "huge_pages_status on after a restart, PageTables in /proc/meminfo falls",
    })
}
