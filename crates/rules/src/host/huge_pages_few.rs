//! # What it checks
//! Where huge pages are set aside on an Oracle host, they hold every SGA as a whole.
//!
//! # Why it matters
//! An SGA that does not fit goes to small pages altogether, and the huge pages stay unused: the memory is
//! taken twice.
//!
//! # Evidence
//! `HugePages_Total`, segments of `/proc/sysvipc/shm` (or `--sga`).
//!
//! # Remedy
//! `vm.nr_hugepages` = sum over segments of size / page, each rounded up, plus one.
//!
//! # Source
//! Oracle's `hugepages_settings.sh` (MOS 401749.1) as reproduced in oravirt/ansible-oracle orahost; Linux
//! Documentation/admin-guide/mm/hugetlbpage.rst.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "huge-pages-few",
    title: "there are too few huge pages for the shared memory",
    layer: Layer::Host,
    severity: Severity::Critical,
    text: include_str!("huge_pages_few.rs"),
    check,
};

/// Smaller segments are not the SGA.
const NOTABLE_BYTES: u64 = 100 << 20;

fn check(run: &Run) -> Vec<Outcome> {
    let memory = &run.host.memory;
    if !facts::is_oracle(run) || memory.huge_pages_total == Some(0) {
        return Vec::new();
    }
    let (Some(total), Some(page)) =
        (memory.huge_pages_total, memory.huge_page_bytes.filter(|bytes| *bytes > 0))
    else {
        return vec![facts::unread("HugePages_Total")];
    };
    let segments = run
        .host
        .ipc
        .segments
        .iter()
        .map(|segment| segment.size_bytes)
        .filter(|bytes| *bytes >= NOTABLE_BYTES);
    let needed = segments
        .chain(run.command.sga_bytes)
        .map(|bytes| bytes.div_ceil(page) + 1)
        .fold(0, u64::saturating_add);
    if needed <= total {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(
            "vm.nr_hugepages",
            format!(
                "{total} huge pages of {} do not hold the shared memory: {needed} are needed",
                facts::size(page)
            ),
        )
        .measured(total as f64, needed as f64, Unit::Count)
        .evidence(
            format!("HugePages_Total {total}, Hugepagesize {page}, needed {needed}"),
            "/proc/meminfo, /proc/sysvipc/shm",
        )
        .advice(set_sysctl(
            &run.host,
            "vm.nr_hugepages",
            &needed.to_string(),
            "A segment is put in huge pages as a whole or not at all.",
            "HugePages_Rsvd and use equal the SGA after the next start",
        ))
        .into(),
    ]
}
