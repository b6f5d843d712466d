rule! {
    /// # What it checks
    /// Passes when the kernel logged no NFS server as not responding within the last day, nor earlier without an answer since
    /// then; and none of open files or locks that could not be recovered.
    /// # Why it matters
    /// A hard mount waits for its server: the database waited until the server or the network came back. A soft mount gives
    /// up: the database got an I/O error.
    /// # Evidence
    /// Kernel log, `nfs: server NAME not responding` and `nfs: server NAME OK`; servers of the mounts.
    /// # Remedy
    /// The filer's own log at that time (failover, full aggregate), and the network to it.
    /// # Source
    /// Linux fs/nfs/nfs4state.c (`nfs4_reclaim_open_state`); net/sunrpc/clnt.c (`rpc_check_timeout`: logged after a major timeout, timeo x retrans, "still trying" by
    /// hard and "timed out" by soft mounts; `call_decode`: "OK" once a hard one is answered); nfs(5), timeo and
    /// retrans.
    code: "nfs-not-responding",
    title: "an NFS server did not respond",
    layer: Storage, severity: Critical, on: [NfsServer], limits: [NfsServer],
    when: |run| run.host.mounts.iter().any(|mount| mount.nfs.is_some()),
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "nfs-timeout");
    let mut findings: Vec<Outcome> = lines.filter_map(|line| judge(run, line)).collect();
    findings.extend(lost_state(run));
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// Locks or open files that the client could not get back after the server had restarted: the newest line of the last day.
fn lost_state(run: &Run) -> Option<Outcome> {
    let is_recent = |line: &&LogLine| line.pattern == "nfs-state" && facts::log::is_recent(run, line);
    let line = run.host.kernel_log.iter().rfind(is_recent)?;
    let ago = facts::log::when(run, line, line.count);
    let data = facts::data_mounts(run);
    let of_data =
        run.host.mounts.iter().any(|mount| mount.nfs.is_some() && data.contains(mount.target.as_str()));
    let severity = if of_data { Severity::Warning } else { Severity::Info };
    let finding =
        finding!(Kind::NfsServer.only(), "NFS could not recover open files or locks{ago}: {}", line.text)
            .severity(severity)
            .evidence(facts::log::quoted(line), "kernel log");
    Some(
        finding
            .because("After a restart of the server a client claims its open files and locks again; what it loses gives I/O errors from then on.")
            .look("dmesg -T | grep -iE 'NFS' || true", "Shows which server and when")
            .now("Look into the database's log for I/O errors (EIO, ESTALE) of files on NFS, and restart what had them open")
            .persist("check that the server kept its grace period and its state in the failover")
            .expecting("no further line after the next failover")
            .into(),
    )
}

/// `filer` of `nfs: server filer not responding, still trying` and of `nfs: server filer OK`.
fn server_of(line: &LogLine) -> Option<&str> {
    Some(line.text.split("server ").nth(1)?.split_whitespace().next()?.trim_end_matches(','))
}

/// A soft mount gave the request up; a hard one tries on, and says so once the server answers.
fn is_given_up(line: &LogLine) -> bool {
    line.text.contains("timed out")
}

/// The server has not answered since the line: a hard mount's next answer would have been logged. Not so if the process
/// that waited was killed; then the mount's size shows that it was answered since.
fn is_waiting(run: &Run, line: &LogLine, mounts: &[&Mount]) -> bool {
    let answered = mounts.iter().all(|mount| mount.space.is_some()) && !facts::log::is_recent(run, line);
    if mounts.is_empty() || answered {
        return false;
    }
    // Logs of earlier versions have neither the answers nor the time of the first line.
    let (Some(_), Some(last)) = (line.first_seconds, line.seconds) else { return false };
    let mut answers = run.host.kernel_log.iter().filter(|other| other.pattern == "nfs-back");
    let later = |other: &LogLine| other.seconds.is_none_or(|seconds| seconds >= last);
    !is_given_up(line) && !answers.any(|other| server_of(other) == server_of(line) && later(other))
}

fn judge(run: &Run, line: &LogLine) -> Option<Outcome> {
    let server = server_of(line)?;
    let of_server =
        |mount: &&Mount| mount.nfs.as_ref().is_some_and(|nfs| nfs.server == server || nfs.address == server);
    let mounts: Vec<&Mount> = run.host.mounts.iter().filter(of_server).collect();
    let data = facts::data_mounts(run);
    let of_data = mounts.iter().any(|mount| data.contains(mount.target.as_str()));
    let of_the_run = facts::log::is_of_the_run(run, line);
    let waits = is_waiting(run, line, &mounts);
    let severity = match facts::log::age_s(run, line) {
        Some(_) if !facts::log::is_recent(run, line) && !waits => return None,
        Some(_) if of_data && of_the_run => Severity::Critical,
        Some(_) if of_data || waits => Severity::Warning,
        // A filer of home directories, one that is mounted no more, or a line without a time.
        _ => Severity::Info,
    };
    let ago = facts::log::when(run, line, line.count);
    let what = match () {
        () if is_given_up(line) => "requests to its soft mounts failed with an I/O error",
        () if waits => "no answer was logged since, and what uses its mounts waits",
        () => "its mounts had to wait",
    };
    let acted = mounts.iter().filter(|_| of_the_run);
    let finding = finding!(Kind::NfsServer.named(server), "NFS server {server} did not respond{ago}: {what}")
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log")
        .explains(acted.flat_map(|mount| explain::targets_in(run, &mount.target, Mechanism::NfsServer)))
        .because("The kernel logs this after all retransmissions went unanswered.")
        .now(format!("dmesg -T | grep -i 'nfs: server'; rpcinfo -T tcp {server} nfs"))
        .persist("check the logs of the filer and the network for that time, and fix the cause")
        .expecting("no further line; `server OK` was the last one");
    Some(finding.into())
}
