rule! {
    /// # What it checks
    /// Passes when each running database may open as many files as it needs (hard limit): Oracle 65,536, MySQL and MariaDB
    /// 5,000, PostgreSQL `max_files_per_process` (1,000) in each backend.
    /// # Why it matters
    /// Sessions and data files run out of descriptors: "Too many open files".
    /// # Evidence
    /// `/proc/PID/limits`; for Oracle on a captured host that lacks it, the limits of a login by limits.conf and limits.d.
    /// # Remedy
    /// `nofile` 65536 in limits.d, `LimitNOFILE=` in the unit.
    /// # Source
    /// Oracle preinstallation requirements (nofile hard 65536); SUSE saptune note 1771258; MySQL Reference Manual,
    /// `open_files_limit` (the largest of `max_connections` and `table_open_cache` based figures and 5000; with less the
    /// server lowers both); PostgreSQL documentation, Resource Consumption, `max_files_per_process`.
    code: "limit-files",
    title: "the database's limit on open files is low",
    layer: Host, severity: Warning, on: [Database],
    check: |run| facts::database_instances(&run.host).map(|database| judge(run, database)).collect(),

    /// Oracle Database Installation Guide for Linux, hard limit of nofile.
    const ORACLE: u64 = 65_536;
    /// What mysqld asks for at least (MySQL Reference Manual, `open_files_limit`); MariaDB's default asks for more.
    const MYSQL: u64 = 5_000;
    /// PostgreSQL, `max_files_per_process`: the limit is of each backend.
    const POSTGRESQL: u64 = 1_000;
}

/// Below this it has to do with fewer files than its defaults, and what that costs.
fn needs(database: &Database) -> (u64, Severity, &'static str) {
    let set = || database.settings.get("max_files_per_process").and_then(|value| value.parse().ok());
    match database.kind.as_str() {
        "postgresql" => {
            (set().unwrap_or(POSTGRESQL), Severity::Info, "each backend closes and opens files more often")
        }
        "mysql" | "mariadb" => {
            (MYSQL, Severity::Warning, "it lowers table_open_cache and max_connections to fit")
        }
        "oracle" => (ORACLE, Severity::Warning, "sessions and data files may run out of descriptors"),
        _ => (ORACLE, Severity::Info, "sessions and data files may run out of descriptors"),
    }
}

fn judge(run: &Run, database: &Database) -> Outcome {
    let (least, severity, _) = needs(database);
    if database.kind == "postgresql" && database.may_have_unread("max_files_per_process") {
        return facts::unread_settings(database);
    }
    let Some(limits) = &database.limits else {
        return match super::at_login(run, database).and_then(|login| login.nofile_hard) {
            Some(count) if count < least => fires(run, database, count)
                .evidence(format!("nofile {count} at login"), super::LOGIN_FILES)
                .into(),
            _ => facts::unread(&format!("the limits of {}", database.name)),
        };
    };
    if limits.nofile_hard >= least {
        return Outcome::Passes;
    }
    fires(run, database, limits.nofile_hard)
        .severity(severity)
        .evidence(
            format!("Max open files {} {}", limits.nofile_soft, limits.nofile_hard),
            format!("/proc/{}/limits", database.pid),
        )
        .into()
}

fn fires(run: &Run, database: &Database, count: u64) -> Finding {
    let (least, _, effect) = needs(database);
    let wanted = ORACLE.to_string();
    finding!(
        Kind::Database.named(&database.name),
        "{} may open at most {count} files and needs at least {least}: {effect}",
        server(database),
    )
    .measured(count as f64, least as f64, Unit::Count)
    .advice(
        super::raise(
            run,
            database,
            "Each session and each data file needs descriptors.",
            "nofile",
            "LimitNOFILE",
            &wanted,
        )
        .expecting(format!("{wanted} in /proc/PID/limits after a restart")),
    )
}

/// A server that is known by its directory.
fn server(database: &Database) -> String {
    if database.name.starts_with('/') {
        format!("the server of {}", database.name)
    } else {
        database.name.clone()
    }
}
