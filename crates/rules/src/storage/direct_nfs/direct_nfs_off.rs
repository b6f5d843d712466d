rule! {
    /// # What it checks
    /// Applies where an Oracle instance has files on NFS; passes when the Direct NFS library is linked in its home.
    /// # Why it matters
    /// Without it every I/O passes through the kernel's NFS client: one connection for each mount, attribute
    /// checks, a copy through the kernel, and no multipathing.
    /// # Evidence
    /// The ODM library of the home (`rdbms/lib/odm`, `lib/libodm*.so`), the instance's open files. Only
    /// `v$dnfs_servers` shows whether a linked library is used.
    /// # Remedy
    /// `make -f ins_rdbms.mk dnfs_on` in `$ORACLE_HOME/rdbms/lib`, then restart; look at `v$dnfs_servers`.
    /// # Source
    /// Oracle Database Installation Guide for Linux, Deploying Direct NFS Client (`dnfs_on`, `v$dnfs_servers`);
    /// NetApp ontap-apps-dbs, oracle-storage-nfs-config-dnfs.adoc (it silently falls back to kernel NFS).
    code: "direct-nfs-off",
    title: "database files on NFS without Direct NFS",
    layer: Storage, severity: Info, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let oracle = run.host.databases.iter().filter(|database| database.kind == "oracle");
    oracle.filter_map(|database| judge(&run.host, database)).collect()
}

fn judge(host: &Host, database: &Database) -> Option<Outcome> {
    let mut mounts = database.locations.keys().filter_map(|location| host.mount_of(location));
    let mount = mounts.find(|mount| mount.nfs.is_some())?;
    let Some(state) = database.settings.get("direct_nfs") else {
        return Some(facts::unread(&format!("the ODM library of {}", database.name)));
    };
    if state != "disabled" {
        return Some(Outcome::Passes);
    }
    let source = database.setting_sources.get("direct_nfs").cloned().unwrap_or_default();
    let finding = finding!(
        Kind::Database.named(&database.name),
        "{} has files on NFS ({}) and Direct NFS is not linked: I/O passes through the kernel's client",
        database.name,
        mount.target,
    )
    .evidence("no libnfsodm in the home", source)
    .because("Direct NFS opens its own connections from the database and needs no attribute checks.")
    .now("With the instance down: cd $ORACLE_HOME/rdbms/lib && make -f ins_rdbms.mk dnfs_on")
    .restarts("the database")
    .persist("it stays in the home; repeat after a relink")
    .undo("With the instance down: cd $ORACLE_HOME/rdbms/lib && make -f ins_rdbms.mk dnfs_off")
    .restarts("the database")
    .expecting("rows in v$dnfs_servers; several connections to the filer in `ss -tn dport = 2049`");
    Some(finding.into())
}
