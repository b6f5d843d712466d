rule! {
    /// # What it checks
    /// Passes when a primary that is to lose nothing (Maximum Availability, Maximum Protection) has that protection now.
    /// # Why it matters
    /// While no synchronous standby has all redo, a loss of the primary loses commits, although the mode says otherwise.
    /// # Evidence
    /// `PROTECTION_MODE` and `PROTECTION_LEVEL` of `V$DATABASE` on the primary.
    /// # Remedy
    /// The destination's error; a path that carries the redo.
    /// # Source
    /// Oracle Data Guard Concepts and Administration, "Oracle Data Guard Protection Modes"; Oracle Database Reference,
    /// `V$DATABASE` (`PROTECTION_LEVEL`: `RESYNCHRONIZATION`).
    code: "dataguard-protection-lost",
    title: "the primary runs without the protection that is configured",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::standby(run) else { return Vec::new() };
    let Some(database) = &views.database else { return vec![views::missing(views, "v$database")] };
    let (mode, level) = (&database.protection_mode, &database.protection_level);
    if database.role != "PRIMARY" || mode == "MAXIMUM PERFORMANCE" {
        return Vec::new();
    }
    if mode.is_empty() || level.is_empty() {
        return vec![unknown!("{} does not list the protection mode and level", views.source())];
    }
    if mode == level {
        return vec![Outcome::Passes];
    }
    let found = finding!(
        Kind::Database.named(views::database_name(views)),
        "{mode} is configured, but the level is {level}: no synchronous standby has all redo",
    )
        .evidence(format!("PROTECTION_MODE {mode}, PROTECTION_LEVEL {level}"), views.source())
        .because("A loss of the primary loses the commits since then.")
        .now("select dest_id, status, error, synchronization_status from v$archive_dest_status where type <> 'LOCAL';")
        .persist("A path that carries the peak of the redo (`fullwire redo archived_log.csv --peer STANDBY`), a second synchronous standby")
        .expecting("PROTECTION_LEVEL equals PROTECTION_MODE");
    vec![found.into()]
}
