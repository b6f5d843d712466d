rule! {
    /// # What it checks
    /// Passes when `/proc/pressure` can be read, or where the distribution ships it off (Red Hat's family).
    /// # Why it matters
    /// Without it there is no record of how long tasks waited for CPU, memory or I/O; fullwire falls back to weaker
    /// signs.
    /// # Evidence
    /// Pressure totals in the windows.
    /// # Remedy
    /// `psi=1` on the kernel command line.
    /// # Source
    /// Linux Documentation/accounting/psi.rst; Oracle UEK builds it in and leaves it off
    /// (`CONFIG_PSI_DEFAULT_DISABLED`).
    code: "pressure-off",
    title: "pressure stall information (PSI) is off",
    layer: Host, severity: Info, on: [Setting],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // A window may hold other counters only: OSWatcher keeps none of /proc itself.
    let mut whole = run.windows.iter().filter(|window| window.to.cpu.total_ns() > 0).peekable();
    if whole.peek().is_none() {
        return vec![facts::unread("a window of counters")];
    }
    if whole.any(|window| window.to.pressure.is_some()) {
        return vec![Outcome::Passes];
    }
    // Built in and off is how Red Hat, Oracle and SUSE ship it: no one's fault, and no reason to restart a database host.
    if is_shipped_off(run) {
        return vec![Outcome::Passes];
    }
    // A sosreport before 4.3 leaves the files out, whatever the kernel measures.
    if run.host.captured {
        return vec![facts::unread("/proc/pressure")];
    }
    vec![
        finding!(Kind::Setting.named("psi"), "the kernel does not measure pressure (PSI), so waits for CPU, memory and I/O are not known")
            .evidence("no /proc/pressure in any window", "/proc/pressure")
            .because("Pressure shows how long tasks were stalled, which utilisation and load do not. Red Hat ships it off: set it with the next planned restart; it is not worth a separate one.")
            .and(set_boot_parameter(&run.host, "psi", "1", "", "`cat /proc/pressure/io` prints figures"))
            .into(),
    ]
}

/// The distribution builds it in and leaves it off.
fn is_shipped_off(run: &Facts) -> bool {
    let os = &run.host.os;
    let mut names = std::iter::once(&os.distribution).chain(&os.like);
    names.any(|name| matches!(name.as_str(), "rhel" | "ol" | "centos" | "fedora"))
        || os.kernel_release.contains("uek")
}
