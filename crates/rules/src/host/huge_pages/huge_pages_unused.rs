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
//! Where a part is used, as many as are used and a few more. Where none is: the database's own reason (Oracle: no
//! `memory_target`, memlock as large as the SGA; PostgreSQL: `huge_pages`; MySQL: `large_pages`), or give them back.
//!
//! # Source
//! Linux Documentation/admin-guide/mm/hugetlbpage.rst; Oracle note 749851.1 as reproduced (AMM is
//! incompatible with `HugePages`); PostgreSQL documentation, "Linux Huge Pages"; MySQL Reference Manual,
//! "Enabling Large Page Support".

use crate::advice::{AdviceExt, because, set_sysctl};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Risk, Severity};
use fullwire_model::host::Host;
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
        .advice(remedy(&run.host, total, total - idle.min(total), page))
        .into(),
    ]
}

const WHY: &str = "Memory reserved as huge pages can only be used by programs that ask for huge pages.";

/// Pages in use say how many are needed; where none is in use, the database was started without them.
fn remedy(host: &Host, total: u64, used: u64, page: u64) -> Advice {
    if used.saturating_mul(page) >= NOTABLE_BYTES {
        // A fiftieth more (own choice): an instance that starts again needs what it had.
        let pages = used.saturating_add(used / 50);
        return guarded(set_sysctl(
            host,
            "vm.nr_hugepages",
            &pages.to_string(),
            WHY,
            "HugePages_Free is small, and the memory is there for the rest of the host",
        ));
    }
    let before = format!("sysctl -w vm.nr_hugepages={total}");
    let advice = of_database(because(WHY), host)
        .now("If nothing is meant to use them, not even a database that is stopped now, give them back: sysctl -w vm.nr_hugepages=0, and the same in sysctl.d")
        .undo_run(before, "Reserves as many as before");
    advice.expecting("HugePages_Free near 0 with the database up")
}

/// A database that is down shows no use.
fn guarded(mut advice: Advice) -> Advice {
    if let Some(step) = advice.steps.first_mut() {
        step.needs.push("every database that is meant to use them is up".into());
    }
    advice
}

/// Why the database that runs here has none.
fn of_database(advice: Advice, host: &Host) -> Advice {
    let runs = |kinds: &[&str]| host.databases.iter().any(|database| kinds.contains(&database.kind.as_str()));
    let now = if runs(&["oracle", "oracle-asm"]) {
        "Raise `ulimit -l` of the database's owner above the SGA, set memory_target=0, and restart the instance"
    } else if runs(&["postgresql"]) {
        "Set huge_pages = on (with `try`, the default, the server falls back to small pages and says nothing) and restart it; `postgres -C shared_memory_size_in_huge_pages` tells how many it needs, from version 15 on"
    } else if runs(&["mysql", "mariadb"]) {
        "Set large_pages = ON, let the server lock that much memory (LimitMEMLOCK of its unit), and restart it"
    } else {
        "Find out which program is meant to use them, and restart it so that it asks for huge pages"
    };
    let advice = advice.now(now).risk(Risk::Downtime);
    if runs(&["oracle", "oracle-asm"]) {
        advice.persist("use_large_pages=only: the instance does not start without them")
    } else {
        advice
    }
}
