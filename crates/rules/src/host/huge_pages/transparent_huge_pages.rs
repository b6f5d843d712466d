rule! {
    /// # What it checks
    /// Passes when `transparent_hugepage/enabled` is not `always` where Oracle, PostgreSQL or MySQL runs (SQL Server
    /// wants it). A warning for Oracle, and for the others where each page fault may wait (`defrag` on `always`).
    /// # Why it matters
    /// The kernel joins and splits pages behind the database's back: stalls of milliseconds while it compacts
    /// memory.
    /// # Evidence
    /// `/sys/kernel/mm/transparent_hugepage/enabled` and `defrag`.
    /// # Remedy
    /// `madvise` or `never`.
    /// # Source
    /// Oracle Database installation guide for Linux, "Disabling Transparent `HugePages`"; tuned profiles oracle
    /// and postgresql (never), mssql (always); Linux Documentation/admin-guide/mm/transhuge.rst (`defrag`: madvise is the default).
    code: "transparent-huge-pages",
    title: "transparent huge pages are always on",
    layer: Host, severity: Warning, on: [Setting],
    when: |run| !facts::runs(&run.host, &["mssql"]),
}

fn check(run: &Facts) -> Vec<Outcome> {
    // With `defrag` on madvise, the kernel's default, a page fault waits for no compaction unless the program asked for
    // huge pages. Oracle wants none at all.
    let faults_wait = run.host.memory.transparent_huge_pages_defrag.as_deref() == Some("always");
    let asked = |kinds: &[&str]| facts::runs(&run.host, kinds);
    let concerned = facts::is_oracle(run)
        || asked(&["oracle"])
        || (faults_wait && asked(&["postgresql", "mysql", "mariadb"]));
    match run.host.memory.transparent_huge_pages.as_deref() {
        None => vec![facts::unread("transparent_hugepage/enabled")],
        Some("always") => vec![
            RULE.finding(Kind::Setting.named("transparent_hugepage"), message(faults_wait))
                .severity(if concerned { Severity::Warning } else { Severity::Info })
                .evidence(evidence(run), "/sys/kernel/mm/transparent_hugepage")
                .because("To make a huge page the kernel moves other pages while the program waits.")
                .run(
                    "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                    "Huge pages only for programs that ask for them",
                )
                .and(unless_tuned(
                    &run.host,
                    "transparent_hugepages",
                    keep_boot_parameter(&run.host, "transparent_hugepage", "madvise"),
                ))
                .undo_run("echo always > /sys/kernel/mm/transparent_hugepage/enabled", "Sets it back")
                .expecting("fewer latency peaks; explicit huge pages are not affected")
                .into(),
        ],
        Some(_) => vec![Outcome::Passes],
    }
}

fn message(faults_wait: bool) -> &'static str {
    if faults_wait {
        "transparent huge pages are always on: compaction stalls the database"
    } else {
        "transparent huge pages are always on: the kernel copies the database's memory to build them"
    }
}

fn evidence(run: &Facts) -> String {
    let defrag = run.host.memory.transparent_huge_pages_defrag.as_deref();
    format!("enabled [always], defrag [{}]", defrag.unwrap_or("unknown"))
}
