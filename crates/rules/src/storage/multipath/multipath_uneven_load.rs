rule! {
    /// # What it checks
    /// Passes when within a path group of a round-robin selector each active path completed about as many requests as
    /// the others during a probe.
    /// # Why it matters
    /// Round robin that does not share evenly leaves the capacity of one path unused; the cause is a path that
    /// failed in between, or paths that are not equal.
    /// # Evidence
    /// Requests of each path during the probe's windows (`/proc/diskstats`).
    /// # Remedy
    /// Look at the path that gets less; on unequal paths use `path_selector "service-time 0"`.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper (dm-mpath round-robin, repeat count); multipath.conf(5),
    /// `path_selector` and `rr_min_io_rq`.
    code: "multipath-uneven-load",
    title: "the paths of a round-robin group carry unequal load",
    layer: Storage, severity: Warning, on: [MultipathMap],
    check: |run| run.host.multipath.iter().flat_map(|map| groups(run, map)).collect(),

    /// Too few requests share unevenly by chance.
    const ENOUGH_IOS: u64 = 100;
    /// The busiest path over the idlest: from here on worth knowing, from twice on a fault.
    const UNEVEN: f64 = 1.25;
    /// Times the mean of the paths, from which on it costs throughput (own choice).
    const FAULTY: f64 = 2.0;
}

fn groups<'a>(run: &'a Run, map: &'a MultipathMap) -> impl Iterator<Item = Outcome> + 'a {
    let shared = |group: &&PathGroup| group.selector.starts_with("round-robin") && group.paths.len() > 1;
    map.groups.iter().filter(shared).map(move |group| judge(run, map, group))
}

fn judge(run: &Run, map: &MultipathMap, group: &PathGroup) -> Outcome {
    let windows = facts::probe_windows_on(run, &map.device);
    // One that has failed gets nothing, and has its own finding.
    let working = group.paths.iter().filter(|path| !path.has_failed());
    let loads: Vec<(&str, u64)> =
        working.map(|path| (path.device.as_str(), ios(&windows, &path.device))).collect();
    let (Some(most), Some(least)) =
        (loads.iter().max_by_key(|load| load.1), loads.iter().min_by_key(|load| load.1))
    else {
        return facts::unread(&format!("the paths of {}", map.name));
    };
    if most.1 < ENOUGH_IOS {
        return unknown!("too little I/O on {} to see how its paths share it", map.name);
    }
    let ratio = most.1 as f64 / least.1.max(1) as f64;
    if ratio <= UNEVEN {
        return Outcome::Passes;
    }
    let severity = if ratio >= FAULTY { Severity::Warning } else { Severity::Info };
    finding!(Kind::MultipathMap.named(&map.name), "paths of {} share the load unevenly: {} completed {} requests, {} {}", map.name, most.0, most.1, least.0, least.1)
        .severity(severity)
        .measured(ratio, UNEVEN, Unit::Ratio)
        .evidence(loads.iter().map(|(path, ios)| format!("{path} {ios}")).collect::<Vec<_>>().join(", "), "/proc/diskstats over the probes")
        .because("Round robin gives each path the same number of requests; one that gets less was down for a time or is limited.")
        .look("multipath -ll || true", "Shows groups and paths")
        .look("dmesg | grep -iE 'multipath|rport|session' || true", "Shows when a path was down")
        .persist("In /etc/multipath.conf, in the device section of this array: path_selector \"service-time 0\" (the default), then `multipathd reconfigure`")
        .expecting("the paths' requests differ by less than a quarter")
        .into()
}

fn ios(windows: &[&Window], device: &str) -> u64 {
    windows
        .iter()
        .filter_map(|window| facts::disk_activity(window, device))
        .map(|activity| activity.ios)
        .fold(0, u64::saturating_add)
}
