rule! {
    /// # What it checks
    /// Passes when `fs.aio-max-nr` is at least 1,048,576 on an Oracle or MySQL host, and less than 90 % of it is in use
    /// anywhere.
    /// # Why it matters
    /// A process that gets no context falls back to synchronous I/O or fails: ORA-27090, `io_setup` EAGAIN.
    /// # Evidence
    /// `fs.aio-max-nr`, `fs.aio-nr`.
    /// # Remedy
    /// `fs.aio-max-nr = 1048576`; with many instances 3145728.
    /// # Source
    /// Oracle preinstallation requirements (1048576); MySQL reference manual, `innodb_use_native_aio`; `MySQLTuner`;
    /// Linux Documentation/admin-guide/sysctl/fs.rst, aio-nr.
    code: "aio-max",
    title: "the limit on asynchronous I/Os is low",
    layer: Host, severity: Critical, on: [Setting],

    /// Oracle Database Installation Guide for Linux, fs.aio-max-nr.
    const LEAST: u64 = 1_048_576;
    /// Of the limit in use: the next process may fail.
    const NEARLY: f64 = 0.90;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(most) = run.host.sysctl_number("fs.aio-max-nr").filter(|most| *most > 0) else {
        return vec![facts::unread("fs.aio-max-nr")];
    };
    // A sosreport has it among the settings that `sysctl -a` lists.
    let counted = run.windows.iter().filter_map(|window| window.to.aio_nr).max();
    let used = counted.or_else(|| run.host.sysctl_number("fs.aio-nr")).unwrap_or(0) as f64 / most as f64;
    if used > NEARLY {
        return vec![fires(
            run,
            most,
            format!("{} of fs.aio-max-nr ({most}) are in use: the next io_setup fails", facts::percent(used)),
            Severity::Critical,
        )];
    }
    // InnoDB needs a few thousand, which the kernel's default of 65,536 covers.
    let concerned = facts::is_oracle(run);
    if most >= LEAST || !concerned {
        return vec![Outcome::Passes];
    }
    vec![fires(run, most, format!("fs.aio-max-nr is {most}; {LEAST} is recommended"), Severity::Warning)]
}

fn fires(run: &Run, most: u64, message: String, severity: Severity) -> Outcome {
    RULE.finding(Kind::Setting.named("fs.aio-max-nr"), message)
        .severity(severity)
        .measured(most as f64, LEAST as f64, Unit::Count)
        .evidence(format!("fs.aio-max-nr = {most}"), "/proc/sys/fs/aio-max-nr")
        .advice(set_sysctl(
            &run.host,
            "fs.aio-max-nr",
            &(most.saturating_mul(3)).max(LEAST).to_string(),
            "Each process with asynchronous I/O reserves events.",
            "no fall-back to synchronous I/O",
        ))
        .into()
}
