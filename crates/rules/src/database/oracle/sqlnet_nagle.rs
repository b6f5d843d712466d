use super::sqlnet;

rule! {
    /// # What it checks
    /// Passes when `TCP.NODELAY` in `sqlnet.ora` is not NO.
    /// # Why it matters
    /// A small answer then waits for the acknowledgement of the one before, up to 40 ms with delayed
    /// acknowledgements.
    /// # Evidence
    /// `sqlnet.ora` of the instance; YES by default.
    /// # Remedy
    /// Take the line out.
    /// # Source
    /// Oracle Database Net Services Reference, `TCP.NODELAY` (default YES); RFC 896; tcp(7), `TCP_NODELAY`.
    code: "sqlnet-nagle",
    title: "Oracle Net delays small packets (Nagle)",
    layer: Database, severity: Warning, on: [Database],
    check: |run| sqlnet::each(run, &RULE, flaw),
}

fn flaw(database: &Database) -> Option<Flaw> {
    configured::is_off(database, "TCP.NODELAY").then(|| Flaw {
        also: Vec::new(),
        name: "TCP.NODELAY",
        severity: Severity::Warning,
        says: "a small packet waits for the acknowledgement of the one before".into(),
        why: "Nagle's algorithm and delayed acknowledgements wait for each other.",
        now: "remove TCP.NODELAY from sqlnet.ora; new sessions use it".into(),
        undo: "put the line back".into(),
        expect: "no round trips of 40 ms in `SQL*Net message to client`",
    })
}
