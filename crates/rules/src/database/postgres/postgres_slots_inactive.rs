use crate::database::keeper;

rule! {
    /// # What it checks
    /// Passes when no replication slot without a consumer holds back 1 GiB of WAL or more; a warning from 16 GiB on where
    /// no limit is set.
    /// # Why it matters
    /// The server keeps all WAL that a slot has not confirmed, until the disk is full and it stops.
    /// # Evidence
    /// `pg_replication_slots` (active, `restart_lsn`), `max_slot_wal_keep_size`.
    /// # Remedy
    /// Bring the consumer back, or drop the slot; `max_slot_wal_keep_size`.
    /// # Source
    /// PostgreSQL documentation, "Replication Slots" and `max_slot_wal_keep_size` (since 13, no limit by default); the sizes
    /// are our own choice.
    code: "postgres-slots-inactive",
    title: "a replication slot without a consumer holds WAL back",
    layer: Database, severity: Warning, on: [Report],
    check: |run| live::watched(run, "postgresql").map(|history| judge(run, history)).into_iter().collect(),

    /// A few segments are normal after a short outage (own choice).
    const NOTED_BYTES: f64 = 1_073_741_824.0;
    /// From here on it fills disks (own choice).
    const MUCH_BYTES: f64 = 17_179_869_184.0;
}

fn judge(run: &Facts, history: &RedoHistory) -> Outcome {
    let total = |name: &str| history.totals.get(name).copied();
    let (Some(slots), Some(bytes)) = (total("slots_inactive"), total("slots_inactive_bytes")) else {
        return unknown!("{} does not show its replication slots", history.source);
    };
    if slots < 1.0 || bytes < NOTED_BYTES {
        return Outcome::Passes;
    }
    let limited = total("slot_keep_mb").is_some_and(|mb| mb >= 0.0);
    let gib = bytes / NOTED_BYTES;
    finding!(Kind::Report.named(&history.source), "a replication slot without a consumer holds back {gib:.1} GiB of WAL")
        .severity(if bytes >= MUCH_BYTES && !limited { Severity::Warning } else { Severity::Info })
        .measured(bytes, NOTED_BYTES, Unit::Bytes)
        .evidence(
            format!(
                "{slots:.0} inactive slots, up to {bytes:.0} bytes behind; max_slot_wal_keep_size {}",
                total("slot_keep_mb").map_or("unknown".to_owned(), |mb| format!("{mb:.0} MB"))
            ),
            &history.source,
        )
        .advice(keeper::adapted(
            &run.host,
            because("WAL is kept until the slot's consumer has confirmed it, or the disk is full.")
                .now("select slot_name, slot_type, restart_lsn, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots where not active;")
                .now("Start the consumer again; or, when it will not come back: select pg_drop_replication_slot('NAME'); the consumer must be rebuilt then")
                .persist("alter system set max_slot_wal_keep_size = 'N GB'; select pg_reload_conf(); where N leaves room on the disk")
                .undo("alter system reset max_slot_wal_keep_size; select pg_reload_conf();")
                .expecting("pg_wal shrinks after the next checkpoint"),
        ))
        .into()
}
