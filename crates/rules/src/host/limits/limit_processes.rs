rule! {
    /// # What it checks
    /// Passes when each running Oracle instance may have at least 16,384 processes.
    /// # Why it matters
    /// Sessions cannot be created: ORA-00020 is reported, although fork failed.
    /// # Evidence
    /// `/proc/PID/limits`; where a captured host lacks it, the limits of a login by limits.conf and limits.d; a note
    /// where Grid Infrastructure starts the instance.
    /// # Remedy
    /// `nproc` 16384 in limits.d, `TasksMax=` in the unit.
    /// # Source
    /// Oracle preinstallation requirements (nproc hard 16384); SUSE saptune note 1984787 (`UserTasksMax`).
    code: "limit-processes",
    title: "the database's limit on processes is low",
    layer: Host, severity: Warning, on: [Database],

    /// Oracle Database Installation Guide for Linux, hard limit of nproc.
    const LEAST: u64 = 16_384;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .databases
        .iter()
        .filter(|database| database.kind == "oracle")
        .map(|database| judge(run, database))
        .collect()
}

fn judge(run: &Run, database: &Database) -> Outcome {
    let Some(limits) = &database.limits else {
        return match super::at_login(run, database).and_then(|login| login.nproc_hard) {
            Some(count) if count < LEAST => fires(run, database, count)
                .evidence(format!("nproc {count} at login"), super::LOGIN_FILES)
                .into(),
            _ => facts::unread(&format!("the limits of {}", database.name)),
        };
    };
    if limits.nproc_hard >= LEAST {
        return Outcome::Passes;
    }
    fires(run, database, limits.nproc_hard)
        .evidence(
            format!("Max processes {} {}", limits.nproc_soft, limits.nproc_hard),
            format!("/proc/{}/limits", database.pid),
        )
        .into()
}

fn fires(run: &Run, database: &Database, count: u64) -> Finding {
    finding!(
        Kind::Database.named(&database.name),
        "{} may have {count} processes, {LEAST} are recommended",
        database.name,
    )
    .measured(count as f64, LEAST as f64, Unit::Count)
    .advice(
        super::raise(run, database, "Each dedicated session is a process.", "nproc", "LimitNPROC", "16384")
            .expecting("16384 in /proc/PID/limits after a restart"),
    )
}
