use super::lag;

rule! {
    /// # What it checks
    /// Passes when a standby applies redo within 30 s.
    /// # Why it matters
    /// A switchover or failover waits until the rest is applied, and queries on the standby see old data. No data is lost by
    /// it, and a delay may be on purpose: a note.
    /// # Evidence
    /// `apply lag` of `V$DATAGUARD_STATS`, listed on the standby.
    /// # Remedy
    /// Faster storage for the standby, more processes for media recovery, real-time apply.
    /// # Source
    /// Oracle Database Reference, `V$DATAGUARD_STATS`; Oracle Data Guard Broker, property `ApplyLagThreshold` (30 s by
    /// default).
    code: "dataguard-apply-lag",
    title: "the standby applies redo late",
    layer: Database, severity: Info, on: [Database],
    check: |run| lag(run, &RULE, "apply lag", MOST_S, |time| format!("the standby applies redo {time} late"), advice),

    /// The broker's default of `ApplyLagThreshold`.
    const MOST_S: f64 = 30.0;
}

fn advice() -> Advice {
    because("A failover takes as long as the rest needs to be applied.")
        .now("Is a delay configured on purpose (DELAY= of the destination)? select process, status, sequence# from v$managed_standby; shows whether MRP0 applies or waits")
        .now("`fullwire disk DIRECTORY-OF-THE-DATA-FILES` on the standby: its random reads and writes bound the apply rate")
        .persist("Real-time apply from standby redo logs (recover managed standby database disconnect), storage as fast as the primary's")
        .expecting("apply lag below 30 s at the peak")
}
