//! # What it checks
//! Applies on a host that serves PostgreSQL alone; passes when `vm.overcommit_memory` is 2.
//!
//! # Why it matters
//! With heuristics, a shortage kills the postmaster's children by surprise; with 2 an allocation fails and
//! the query ends with an error.
//!
//! # Evidence
//! `vm.overcommit_memory`.
//!
//! # Remedy
//! `vm.overcommit_memory = 2` with `vm.overcommit_ratio` fitted to RAM and swap.
//!
//! # Source
//! PostgreSQL documentation, "Linux Memory Overcommit"; Linux Documentation/mm/overcommit-accounting.rst.

use crate::Rule;
use crate::setting::{self, Setting};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Host;

pub(super) const RULE: Rule = Rule {
    code: "memory-overcommit",
    title: "the kernel may promise more memory than it has",
    layer: Layer::Host,
    severity: Severity::Info,
    check: setting::check::<MemoryOvercommit>,
};

struct MemoryOvercommit;

impl Setting for MemoryOvercommit {
    const RULE: Rule = RULE;
    const NAME: &'static str = "vm.overcommit_memory";
    const WANTED: &'static str = "2";
    const SAYS: &'static str = "a shortage ends in the OOM killer instead of an error";
    const WHY: &'static str = "An allocation that fails ends a query; the OOM killer ends the server.";
    const EXPECT: &'static str =
        "malloc failures in the log instead of killed processes; check CommitLimit before";

    fn applies(run: &Run) -> bool {
        let kinds = run.host.databases.iter().map(|database| database.kind.as_str());
        kinds.clone().count() > 0 && kinds.into_iter().all(|kind| kind == "postgresql")
    }

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers[0] != 2).then_some(Severity::Info)
    }
}
