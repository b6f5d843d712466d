rule! {
    /// # What it checks
    /// Passes when paths that are passive (ghost for the checker, standby or non-optimised for ALUA) carry no load
    /// while an optimised path is there.
    /// # Why it matters
    /// The array forwards such requests to the other controller or refuses them: latency doubles, and a
    /// ping-pong of controllers can start.
    /// # Evidence
    /// Checker state and ALUA access state of each path, and its requests during the measurements.
    /// # Remedy
    /// `path_grouping_policy group_by_prio` with `prio alua` and `failback immediate`.
    /// # Source
    /// multipath.conf(5), `path_grouping_policy`, prio, failback; libmultipath/checkers.h (`PATH_GHOST`: the path is
    /// up, but I/O to it fails).
    code: "multipath-ghost-io",
    title: "a standby path carries I/O",
    layer: Storage, severity: Warning, on: [Disk], limits: [StoragePath],

    /// I/Os of which a share means something.
    const ENOUGH_IOS: u64 = 100;
    /// Path checks and udev's reading of partitions stay below this share of the requests.
    const SHARE: f64 = 0.02;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.multipath.iter().filter(|map| has_standby(&run.host, map)).map(|map| judge(run, map)).collect()
}

fn has_standby(host: &Host, map: &MultipathMap) -> bool {
    let passive = paths(map).filter(|path| is_passive(host, path)).count();
    passive > 0 && passive < paths(map).count()
}

fn paths(map: &MultipathMap) -> impl Iterator<Item = &MapPath> {
    map.groups.iter().flat_map(|group| &group.paths)
}

fn is_passive(host: &Host, path: &MapPath) -> bool {
    let access = || host.disk(&path.device)?.scsi.as_ref()?.access_state.as_deref();
    path.checker_state == "ghost"
        || access().is_some_and(|state| matches!(state, "standby" | "active/non-optimized" | "unavailable"))
}

fn judge(run: &Run, map: &MultipathMap) -> Outcome {
    let windows = facts::probe_windows_on(run, &map.device);
    let ios = |path: &MapPath| -> u64 {
        windows
            .iter()
            .filter_map(|window| facts::disk_activity(window, &path.device))
            .map(|activity| activity.ios)
            .fold(0, u64::saturating_add)
    };
    // What the array prefers has failed: then the others carry, as they should.
    if paths(map).filter(|path| !is_passive(&run.host, path)).all(MapPath::has_failed) {
        return Outcome::Passes;
    }
    let total: u64 = paths(map).map(ios).fold(0, u64::saturating_add);
    if total < ENOUGH_IOS {
        return unknown!("too little I/O on {} to see which paths carry it", map.name);
    }
    let wrong = paths(map)
        .filter(|path| is_passive(&run.host, path))
        .map(|path| (path, ios(path)))
        .find(|(_, ios)| *ios >= ENOUGH_IOS && *ios as f64 >= SHARE * total as f64);
    let Some((path, count)) = wrong else { return Outcome::Passes };
    finding!(Kind::Disk.named(&path.device), "standby (ghost) path {} of {} carried {count} of {total} requests: the path grouping does not follow the array's preference", path.device, map.name)
        .measured(count as f64, 0.0, Unit::Count)
        .evidence(format!("{}: checker {}, {count} requests", path.device, path.checker_state), "multipathd, /proc/diskstats over the probes")
        .explains(explain::targets_on(run, &map.device, Mechanism::StoragePath))
        .because("Requests to the controller that does not own the unit are forwarded inside the array, or fail and are sent again.")
        .and(group_paths(&[map]))
        .expecting("only paths of the optimised group carry requests, and latency falls")
        .into()
}
