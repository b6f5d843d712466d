rule! {
    /// # What it checks
    /// Passes when `fs.file-max` is at least 6,815,744 on an Oracle host, and less than 70 % of it is in use anywhere; 90 % is
    /// critical, and so is a limit that the kernel logged as reached within the last day.
    /// # Why it matters
    /// When it is reached, no program can open anything.
    /// # Evidence
    /// `fs.file-max`, `fs.file-nr`; kernel log, `VFS: file-max limit N reached`.
    /// # Remedy
    /// `fs.file-max = 6815744`.
    /// # Source
    /// Oracle preinstallation requirements (6815744); node-mixin `NodeFileDescriptorLimit` (70 and 90 %);
    /// Linux `fs/file_table.c` (`alloc_empty_file`: logged once for each limit, and the call fails with ENFILE).
    code: "file-max",
    title: "the host-wide limit on open files is low",
    layer: Host, severity: Critical, on: [Setting],

    /// Oracle Database Installation Guide for Linux, fs.file-max.
    const LEAST: u64 = 6_815_744;
    /// Of the limit in use (`NodeFileDescriptorLimit`).
    const NEARLY: f64 = 0.70;
    /// Of the limit in use from which programs are about to fail (`NodeFileDescriptorLimit`).
    const FULL: f64 = 0.90;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(most) = run.host.sysctl_number("fs.file-max").filter(|most| *most > 0) else {
        return vec![facts::unread("fs.file-max")];
    };
    let open = run.windows.first().and_then(|window| window.to.files_open).unwrap_or(0);
    let used = open as f64 / most as f64;
    let is_reached = |line: &&LogLine| line.pattern == "file-max" && facts::log::is_recent(run, line);
    let reached = run.host.kernel_log.iter().rfind(is_reached);
    if used > NEARLY {
        let severity = if used > FULL || reached.is_some() { Severity::Critical } else { Severity::Warning };
        let message = format!("{} of fs.file-max ({most}) files are open", facts::percent(used));
        return vec![fires(run, most, message, severity, reached)];
    }
    if let Some(line) = reached {
        let ago = facts::log::ago(run, line);
        let message =
            format!("the limit of open files of the host was reached{ago}: programs could open nothing");
        return vec![fires(run, most, message, Severity::Critical, reached)];
    }
    if most >= LEAST || !facts::is_oracle(run) {
        return vec![Outcome::Passes];
    }
    let message = format!("fs.file-max is {most}, Oracle requires {LEAST}");
    vec![fires(run, most, message, Severity::Warning, None)]
}

fn fires(run: &Run, most: u64, message: String, severity: Severity, logged: Option<&LogLine>) -> Outcome {
    let mut finding = RULE
        .finding(Kind::Setting.named("fs.file-max"), message)
        .severity(severity)
        .measured(most as f64, LEAST as f64, Unit::Count)
        .evidence(format!("fs.file-max = {most}"), "/proc/sys/fs/file-max");
    if let Some(line) = logged {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding
        .advice(set_sysctl(
            &run.host,
            "fs.file-max",
            &(most.saturating_mul(2)).max(LEAST).to_string(),
            "Beyond it open(2) fails for all processes.",
            "room for all sessions and files",
        ))
        .into()
}
