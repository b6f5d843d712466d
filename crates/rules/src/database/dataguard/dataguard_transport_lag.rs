use super::lag;

rule! {
    /// # What it checks
    /// Passes when a standby has received the primary's redo up to 30 s ago.
    /// # Why it matters
    /// What it has not received is lost with the primary: the lag is the recovery point.
    /// # Evidence
    /// `transport lag` of `V$DATAGUARD_STATS`, listed on the standby. A lag that is computed from old data is unknown.
    /// # Remedy
    /// The network between both, standby redo logs, the destination's state.
    /// # Source
    /// Oracle Database Reference, `V$DATAGUARD_STATS` (`TIME_COMPUTED`, `DATUM_TIME`); Oracle Data Guard Broker, property
    /// `TransportLagThreshold` (30 s by default).
    code: "dataguard-transport-lag",
    title: "the standby lacks the primary's latest redo",
    layer: Database, severity: Warning, on: [Database],
    check: |run| lag(run, &RULE, "transport lag", MOST_S, |time| format!("the standby lacks the redo of the last {time}"), advice),

    /// The broker's default of `TransportLagThreshold`.
    const MOST_S: f64 = 30.0;
}

fn advice() -> Advice {
    because("What the standby has not received is lost with the primary.")
        .now("On the primary: select dest_id, status, error from v$archive_dest where target = 'STANDBY'; on the standby: select * from v$archive_gap;")
        .now("`fullwire redo archived_log.csv --peer STANDBY` says whether the path carries the peak")
        .persist("A path that carries the peak of the redo; standby redo logs of the same size, one group more than the primary has; socket buffers of 3 x BDP")
        .expecting("transport lag of a few seconds at the peak")
}
