use crate::database::setting::{self, Flaw};
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Applies where `innodb_buffer_pool_size` is set; passes when it is not above the memory of the host.
    ///
    /// # Why it matters
    /// The pool fills up in the course of days, the host swaps, and the OOM killer ends the server.
    ///
    /// # Evidence
    /// `innodb_buffer_pool_size` in the option files and on the command line, `MemTotal`.
    ///
    /// # Remedy
    /// Up to 80 % of the memory on a host of its own.
    ///
    /// # Source
    /// MySQL Reference Manual, `innodb_buffer_pool_size` (up to 80 % of the memory of a dedicated server; too large a pool
    /// makes the host page).
    code: "mysql-pool-too-large",
    title: "the InnoDB buffer pool is larger than the memory",
    layer: Database, severity: Critical, on: [Database],

    /// The pool grows and shrinks by `innodb_buffer_pool_chunk_size`, 128 MiB by default.
    const CHUNK_BYTES: u64 = 128 << 20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    setting::each(run, &RULE, &["mysql", "mariadb"], |database| flaw(run, database))
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    let pool = setting::bytes(database, "innodb_buffer_pool_size")?;
    let memory = run.host.memory.total_bytes?;
    let fitting = (memory / 10 * 7 / CHUNK_BYTES).max(1) * CHUNK_BYTES;
    (pool > memory).then(|| Flaw {
        name: "innodb_buffer_pool_size",
        also: Vec::new(),
        severity: Severity::Critical,
        says: format!("the host has {} of memory", facts::size(memory)),
        why: "A pool that does not fit is swapped out, or its server is killed.",
        now: format!(
            "set global innodb_buffer_pool_size = {fitting};  -- {}, at a quiet time",
            facts::size(fitting)
        ),
        undo: format!("set global innodb_buffer_pool_size = {pool};"),
        expect: "no swapping, and no mysqld among what the OOM killer ended",
    })
}
