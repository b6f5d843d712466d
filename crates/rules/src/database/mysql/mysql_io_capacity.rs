rule! {
    /// # What it checks
    /// Applies where the data directory's storage was measured. Passes when `innodb_io_capacity` is not set, or at most the
    /// random writes that were reached.
    /// # Why it matters
    /// InnoDB plans its background flushing by it: more than the device does makes flushing take all of it. A low value is no
    /// fault by itself, for early flushing writes hot pages again and again.
    /// # Evidence
    /// The setting; the best random write step on the file system of the data directory.
    /// # Remedy
    /// A quarter of what the device does, 20,000 at most: as low as keeps the checkpoint age level.
    /// # Source
    /// MySQL Reference Manual, "Configuring InnoDB I/O Capacity" (not more than the device's IOPS; as low as practical; values
    /// above 20000 generally not recommended); MariaDB documentation, `innodb_io_capacity`. The quarter is our own choice.
    code: "mysql-io-capacity",
    title: "innodb_io_capacity does not match the storage",
    layer: Database, severity: Info, on: [Database],

    /// Of the measured random writes: queries need I/O as well (own choice).
    const SHARE: f64 = 0.25;
    /// MySQL Reference Manual: higher values are generally not recommended.
    const MOST: f64 = 20_000.0;
}

const NAME: &str = "innodb_io_capacity";
const MAX: &str = "innodb_io_capacity_max";

fn check(run: &Facts) -> Vec<Outcome> {
    let databases = run.host.databases.iter().filter(|one| matches!(one.kind.as_str(), "mysql" | "mariadb"));
    databases.filter_map(|database| judge(run, database)).collect()
}

/// No outcome where its storage was not measured, or the server's own default is in force.
fn judge(run: &Run, database: &Database) -> Option<Outcome> {
    let data = database.locations.iter().find(|(_, kind)| kind.as_str() == "data").map(|(path, _)| path)?;
    let mount = run.host.mount_of(data)?;
    let measured: Vec<&DiskResult> =
        run.disk.iter().filter(|result| result.mount_point == mount.target).collect();
    let set: f64 = database.settings.get(NAME)?.trim().parse().ok()?;
    if measured.is_empty() || set <= 0.0 {
        return None;
    }
    let writes = measured.iter().flat_map(|result| &result.steps).filter(|step| {
        step.operation == Operation::Write && step.pattern == Pattern::Random && step.iops > 0.0
    });
    let Some(reached) = writes.map(|step| step.iops).reduce(f64::max) else {
        return Some(unknown!("no random writes were measured on {}", mount.target));
    };
    if set <= reached {
        return Some(Outcome::Passes);
    }
    let advised = (reached * SHARE).clamp(100.0, MOST).round();
    // Not set, it is twice the other when the server starts.
    let largest = database.settings.get(MAX).and_then(|value| value.trim().parse().ok()).unwrap_or(2.0 * set);
    let source = database.setting_sources.get(NAME).map_or("configuration", String::as_str);
    let found = finding!(
        Kind::Database.named(&database.name),
        "{NAME} is {set:.0}, more than the storage does: {reached:.0} random writes a second were reached",
    )
    .measured(set, reached, Unit::IoPerS)
    .evidence(format!("{NAME} = {set:.0}"), source)
    .evidence(format!("{reached:.0} random writes a second on {}", mount.target), "the storage probe")
    .because("InnoDB plans its background flushing by this number.")
    .now(format!("set global {NAME} = {advised:.0}; set global {MAX} = {:.0};", 2.0 * advised))
    .persist("the same lines in section [mysqld] of the option file; set persist does it in MySQL 8")
    .undo(format!("set global {MAX} = {largest:.0}; set global {NAME} = {set:.0};"))
    .expecting("a steady number of dirty pages under load (Innodb_buffer_pool_pages_dirty)");
    Some(found.into())
}
