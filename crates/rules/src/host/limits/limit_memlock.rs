rule! {
    /// # What it checks
    /// Applies where huge pages are reserved; passes when each running Oracle instance may lock at least the SGA. Huge
    /// pages in use prove that it may, whatever the limit: the kernel does not check it if the owner is in
    /// `vm.hugetlb_shm_group` or has `CAP_IPC_LOCK`.
    /// # Why it matters
    /// It silently falls back to small pages, and the huge pages stay unused.
    /// # Evidence
    /// `/proc/PID/limits` of the instance's pmon, otherwise what limits.conf and limits.d grant its owner at login; its mappings, or the segments of its owner if that has one instance.
    /// # Remedy
    /// `memlock` in limits.d at least 90 % of RAM. Where limits.d grants enough already, the instance was started without a
    /// login: the limit of its unit, or of what starts it. Grid Infrastructure has limits of its own for what it starts.
    /// # Source
    /// Oracle Database administrator's reference for Linux, "Configuring `HugePages`" (memlock slightly below
    /// RAM); setrlimit(2), `RLIMIT_MEMLOCK`; Linux fs/hugetlbfs/inode.c (`can_do_hugetlb_shm`).
    code: "limit-memlock",
    title: "the database may not lock enough memory",
    layer: Host, severity: Critical, on: [Database],
    when: |run| run.host.memory.huge_pages_total != Some(0),
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .databases
        .iter()
        .filter(|database| database.kind == "oracle")
        .map(|database| judge(run, database))
        .collect()
}

/// Bytes of the huge pages that are taken or promised.
fn pages_in_use(run: &Run) -> Option<u64> {
    let memory = &run.host.memory;
    let taken = memory.huge_pages_total?.saturating_sub(memory.huge_pages_free?);
    Some(
        taken.saturating_add(memory.huge_pages_reserved.unwrap_or(0)).saturating_mul(memory.huge_page_bytes?),
    )
}

fn judge(run: &Run, database: &Database) -> Outcome {
    let login = super::at_login(run, database).and_then(|login| login.memlock_soft_bytes);
    let of_process = database.limits.as_ref().map(|limits| limits.memlock_soft_bytes);
    let sga = facts::shared_memory(&run.host, database).or(run.command.sga_bytes);
    // What a login grants says nothing good of a process that may have been started without one.
    let (Some(locked), Some(sga)) = (of_process.or(login.filter(|login| Some(*login) < sga)), sga) else {
        return facts::unread(&format!("the limits or the shared memory of {}", database.name));
    };
    if locked >= sga || pages_in_use(run) >= Some(sga) {
        return Outcome::Passes;
    }
    if run.host.sysctl_number("vm.hugetlb_shm_group").is_some_and(|group| group > 0) {
        return unknown!("whether the owner of {} is in vm.hugetlb_shm_group is not known", database.name);
    }
    let wanted_kib = (run.host.memory.total_bytes.unwrap_or(sga) / 10 * 9).max(sga) / 1024;
    let finding = finding!(
        Kind::Database.named(&database.name),
        "{} may lock {} of memory, its SGA has {}: huge pages are not used",
        database.name,
        facts::size(locked),
        facts::size(sga),
    )
    .measured(locked as f64, sga as f64, Unit::Bytes);
    let finding = match of_process {
        Some(_) => {
            finding.evidence(format!("Max locked memory {locked}"), format!("/proc/{}/limits", database.pid))
        }
        None => finding.severity(Severity::Warning),
    };
    let finding = match login {
        None => finding,
        Some(bytes) => finding.evidence(granted(bytes), super::LOGIN_FILES),
    };
    finding
        .advice(if login >= Some(sga) {
            start_by_login()
        } else {
            super::raise(
                run,
                database,
                "Segments in huge pages count as locked memory.",
                "memlock",
                "LimitMEMLOCK",
                &wanted_kib.to_string(),
            )
            .expecting("HugePages_Free falls by the SGA at the next start")
        })
        .into()
}

fn granted(bytes: u64) -> String {
    match bytes {
        u64::MAX => "at login its owner may lock any memory".to_owned(),
        bytes => format!("at login its owner may lock {bytes} bytes"),
    }
}

/// limits.d is in order, but counts at a login alone (limits.conf(5), systemd.exec(5)).
fn start_by_login() -> Advice {
    because("Segments in huge pages count as locked memory. limits.d grants enough, but only to processes of a login: this instance was started without one.")
        .look("ps -eo pid,user,unit,args | grep -E '[o]ra_pmon_' || true", "Shows which unit or session started it")
        .persist("Where a systemd unit starts it: `systemctl edit` the unit and add LimitMEMLOCK=infinity to [Service]")
        .persist("Where a script starts it: by `su - OWNER`, which is a login; then restart the instance")
        .restarts("the database")
        .expecting("HugePages_Free falls by the SGA at the next start")
}
