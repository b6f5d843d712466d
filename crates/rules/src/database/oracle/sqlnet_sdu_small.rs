use super::sqlnet;

rule! {
    /// # What it checks
    /// Passes when `DEFAULT_SDU_SIZE` in `sqlnet.ora`, where set, is 8192 at least.
    /// # Why it matters
    /// The session data unit is the largest piece that Oracle Net hands to TCP; the smaller of both ends counts.
    /// Redo transport and bulk loads need 65535 at both.
    /// # Evidence
    /// `sqlnet.ora` of the instance.
    /// # Remedy
    /// `DEFAULT_SDU_SIZE=65535` on both ends of a Data Guard or bulk connection.
    /// # Source
    /// Oracle Database Net Services Administrator's Guide, Configuring Session Data Unit (default 8192, at most
    /// 2097152, the smaller of both ends is negotiated).
    code: "sqlnet-sdu-small",
    title: "Oracle Net uses a small SDU",
    layer: Database, severity: Info, on: [Database],
    check: |run| sqlnet::each(run, &RULE, flaw),

    /// Oracle Net's default session data unit.
    const DEFAULT_BYTES: u64 = 8192;
}

fn flaw(database: &Database) -> Option<Flaw> {
    let size = configured::bytes(database, "DEFAULT_SDU_SIZE")?;
    (size < DEFAULT_BYTES).then(|| Flaw {
        also: Vec::new(),
        name: "DEFAULT_SDU_SIZE",
        severity: Severity::Info,
        says: "smaller than Oracle's own default: more calls for the same bytes".into(),
        why: "Each unit is a call and a header at both ends.",
        now: "DEFAULT_SDU_SIZE = 65535 in sqlnet.ora of both ends; new sessions use it".into(),
        undo: "take the line out again".into(),
        expect: "less CPU and fewer calls for redo transport and bulk loads",
    })
}
