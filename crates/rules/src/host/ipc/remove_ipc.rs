rule! {
    /// # What it checks
    /// Applies where a database runs under an ordinary user (uid 1000 to 60000); passes when `RemoveIPC=no` is set for
    /// logind.
    /// # Why it matters
    /// When the last session of that user ends, logind removes his semaphores and shared memory: the instance
    /// crashes, and cron jobs trigger it.
    /// # Evidence
    /// `RemoveIPC` in `/etc/systemd/logind.conf` and its drop-ins; owner of each database. Unset it is `yes`
    /// upstream; Red Hat and SUSE ship `no`.
    /// # Remedy
    /// `RemoveIPC=no` in a drop-in of logind.
    /// # Source
    /// PostgreSQL documentation, Managing Kernel Resources, systemd `RemoveIPC`; logind.conf(5), `RemoveIPC`
    /// (system users are exempt; files of a directory are read in the order of their names); org.freedesktop.login1(5).
    /// Red Hat Enterprise Linux 7: systemd's patch "logind: set `RemoveIPC` to false by default"; SUSE Linux
    /// Enterprise: systemd-default-settings, `logind.conf.d/25-defaults-SLE.conf` (`RemoveIPC=no`, fate#320125).
    code: "remove-ipc",
    title: "logind removes the database's shared memory at logout (RemoveIPC)",
    layer: Host, severity: Critical, on: [Process],
    check: |run| facts::database_instances(&run.host).map(|database| judge(&run.host, database)).collect(),

    /// `UID_MIN` and `UID_MAX` of login.defs(5); above are the users of containers, which have their own logind.
    const ORDINARY_UIDS: std::ops::RangeInclusive<u32> = 1000..=60_000;
}

fn judge(host: &Host, database: &Database) -> Outcome {
    let Some(uid) = database.uid else { return facts::unread(&format!("the owner of {}", database.name)) };
    match host.ipc.remove_ipc {
        _ if !ORDINARY_UIDS.contains(&uid) || !logind_runs(host) => Outcome::Passes,
        Some(false) => Outcome::Passes,
        Some(true) => fires(database, uid, "RemoveIPC=yes is set", Severity::Critical),
        // Not set: the distribution's built-in default.
        None => match by_default(host) {
            Some(false) => Outcome::Passes,
            Some(true) => fires(database, uid, "RemoveIPC is not set, and yes by default", Severity::Warning),
            None => facts::unread("what this distribution has built in for RemoveIPC"),
        },
    }
}

/// Without logind (a container, another init system) no one removes anything.
fn logind_runs(host: &Host) -> bool {
    host.processes.is_empty() || host.daemons().any(|process| process.name == "systemd-logind")
}

/// Red Hat's and SUSE's packages of systemd turn it off; Debian, Ubuntu and Arch leave upstream's yes. Of others it is not known.
fn by_default(host: &Host) -> Option<bool> {
    let of = |name: &String| match name.as_str() {
        "rhel" | "fedora" | "ol" | "centos" | "rocky" | "almalinux" | "sles" | "suse" => Some(false),
        "debian" | "ubuntu" | "arch" => Some(true),
        name => ["sle_", "sle-", "opensuse"].iter().any(|start| name.starts_with(start)).then_some(false),
    };
    std::iter::once(&host.os.distribution).chain(&host.os.like).find_map(of)
}

fn fires(database: &Database, uid: u32, how: &str, severity: Severity) -> Outcome {
    let name = &database.name;
    finding!(Kind::Process.named(name), "{name} runs as ordinary user {uid} and {how}: its shared memory is removed when that user logs out")
        .severity(severity)
        .evidence(format!("uid {uid}; {how}"), "/etc/systemd/logind.conf")
        .because("logind cleans up after the last session of a user, including the shared memory of running instances.")
        .run("mkdir -p /etc/systemd/logind.conf.d && printf '[Login]\\nRemoveIPC=no\\n' > /etc/systemd/logind.conf.d/zz-fullwire.conf", "A drop-in that stays")
        .run("systemctl restart systemd-logind", "Makes logind read it; sessions stay")
        .reads_back("busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager RemoveIPC | grep -qx 'b false'")
        .undo_run("rm -f /etc/systemd/logind.conf.d/zz-fullwire.conf", "Removes the drop-in")
        .undo_run("systemctl try-restart systemd-logind", "Makes logind read what was there before")
        .expecting("segments in `ipcs -m` stay when the owner logs out")
        .into()
}
