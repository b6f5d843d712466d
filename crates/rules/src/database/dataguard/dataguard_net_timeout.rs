rule! {
    /// # What it checks
    /// Applies to destinations that ship redo synchronously. Passes when `NET_TIMEOUT` is 30 s at most.
    /// # Why it matters
    /// When the standby vanishes without a word, every commit waits that long before the primary goes on without it.
    /// # Evidence
    /// `NET_TIMEOUT` of `V$ARCHIVE_DEST`.
    /// # Remedy
    /// The default of 30 s, or less where the network is reliable, but no less than 10 s.
    /// # Source
    /// Oracle Data Guard Concepts and Administration, "`LOG_ARCHIVE_DEST_n` Parameter Attributes" (`NET_TIMEOUT`, 30 s by
    /// default; too small a value loses the standby at every hiccup).
    code: "dataguard-net-timeout",
    title: "commits wait long for a synchronous standby that is gone",
    layer: Database, severity: Info, on: [ArchiveDestination],

    /// Oracle's default of `NET_TIMEOUT`.
    const DEFAULT_S: u64 = 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::standby(run) else { return Vec::new() };
    let synchronous = views.destinations.iter().flatten().filter(|one| one.is_synchronous());
    synchronous.map(|one| judge(views, one)).collect()
}

fn judge(views: &OracleViews, one: &ArchiveDestination) -> Outcome {
    let id = one.id;
    let Some(seconds) = one.net_timeout_s else {
        return unknown!("{} does not list NET_TIMEOUT of destination {id}", views.source());
    };
    if seconds <= DEFAULT_S {
        return Outcome::Passes;
    }
    finding!(
        Kind::ArchiveDestination.named(format!("log_archive_dest_{id}")),
        "commits wait up to {seconds} s when the synchronous standby of destination {id} does not answer",
    )
    .measured(seconds as f64, DEFAULT_S as f64, Unit::S)
    .evidence(format!("NET_TIMEOUT {seconds}, {}", one.transmit_mode), views.source())
    .because("Until the time is over, no session can commit.")
    .now("select dest_id, net_timeout, transmit_mode from v$archive_dest where target = 'STANDBY';")
    .persist(format!("With the broker: edit database STANDBY set property NetTimeout=30; otherwise log_archive_dest_{id} with NET_TIMEOUT=30"))
    .undo(format!("Set NET_TIMEOUT={seconds} again"))
    .expecting("after the loss of a standby commits go on within 30 s (Maximum Availability)")
    .into()
}
