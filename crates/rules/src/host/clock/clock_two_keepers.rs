use crate::advice::condition::CLOCK_FOLLOWED;

rule! {
    /// # What it checks
    /// Applies to guests of `VMware` where a time daemon runs; passes when `VMware` Tools do not set the clock as well.
    /// # Why it matters
    /// Every minute the tools move a clock that is behind the host's forward at once: the daemon sees a jump and starts over.
    /// A cluster evicts a node whose time jumps.
    /// # Evidence
    /// `vmware-toolbox-cmd timesync status` of a support bundle; the time daemon that runs.
    /// # Remedy
    /// `vmware-toolbox-cmd timesync disable`.
    /// # Source
    /// `VMware` Tools documentation, "Configure Time Synchronization Between Guest and Host Operating Systems" ("use only one
    /// form of periodic time synchronization"); `VMware` KB 1006427, "Timekeeping best practices for Linux guests".
    code: "clock-two-keepers",
    title: "two services set the clock",
    layer: Host, severity: Warning, on: [Clock],
}

/// Daemons that set the clock; octssd only watches where one of these runs.
const DAEMONS: [&str; 4] = ["chronyd", "ntpd", "systemd-timesyncd", "ptp4l"];

fn check(run: &Facts) -> Vec<Outcome> {
    let clock = &run.host.clock;
    let by_vmware = run.host.os.virtualization.as_deref() == Some("vmware");
    let daemon = clock.daemon.as_deref().filter(|daemon| DAEMONS.contains(daemon));
    let Some(daemon) = daemon.filter(|_| by_vmware || clock.guest_tools.is_some()) else { return Vec::new() };
    match clock.guest_tools {
        None => vec![facts::unread("whether VMware Tools set the clock")],
        Some(false) => vec![Outcome::Passes],
        Some(true) => vec![
            finding!(
                Kind::Clock.only(),
                "VMware Tools set the clock beside {daemon}: it jumps when they differ",
            )
            .severity(facts::hygiene(run))
            .evidence(
                format!("periodic time synchronisation of VMware Tools: Enabled; {daemon} runs"),
                "vmware-toolbox-cmd timesync status",
            )
            .because("One service must keep the time; the daemon is the more accurate one.")
            .run(
                "vmware-toolbox-cmd timesync disable",
                "Stops the periodic synchronisation; it stays off after a reboot",
            )
            .given(CLOCK_FOLLOWED)
            .undo_run("vmware-toolbox-cmd timesync enable", "Lets VMware Tools set the clock again")
            .expecting("no more jumps of the time in the daemon's log")
            .into(),
        ],
    }
}
