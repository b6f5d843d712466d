rule! {
    /// # What it checks
    /// Passes when the daemon `multipathd` runs where multipath maps exist.
    /// # Why it matters
    /// Without it paths are not tested: a failed one is found only by a failing I/O, and a repaired one never
    /// comes back.
    /// # Evidence
    /// Multipath maps on one side, the running processes on the other.
    /// # Remedy
    /// `systemctl enable --now multipathd`.
    /// # Source
    /// multipathd(8), "multipathd daemon is in charge of checking for failed paths"; NetApp ontap-apps-dbs,
    /// oracle-host-config-linux.adoc.
    code: "multipath-daemon-missing",
    title: "multipathd is not running, but there are multipath maps",
    layer: Storage, severity: Warning, on: [Process],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.multipath.iter().all(MultipathMap::is_powerpath) {
        return Vec::new();
    }
    if host.processes.is_empty() {
        return vec![facts::unread("the list of processes")];
    }
    if host.daemons().any(|process| process.name == "multipathd") {
        return vec![Outcome::Passes];
    }
    let maps: Vec<&str> = host.multipath.iter().map(|map| map.name.as_str()).collect();
    vec![
        finding!(Kind::Process.named("multipathd"), "multipathd does not run, but there are multipath maps ({}): failed paths are not tested and never come back", facts::listed(&maps))
            .evidence(format!("{} maps, no process multipathd", maps.len()), "/proc/*/comm")
            .because("Device-mapper only notices a failed path when an I/O fails on it, and cannot notice that it works again.")
            .run("systemctl start multipathd", "Starts it; it takes over existing maps")
            .persist_run("systemctl enable multipathd", "Starts it at boot")
            .undo_now_run("systemctl stop multipathd", "Stops it again")
            .undo_persist_run("systemctl disable multipathd", "Leaves it out at boot, unless it was enabled before")
            .expecting("`multipathd show paths` lists each path with its checker's state")
            .into(),
    ]
}
