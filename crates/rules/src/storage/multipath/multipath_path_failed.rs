rule! {
    /// # What it checks
    /// Passes when every path of every multipath map is active for device-mapper, ready for the checker and running for
    /// the kernel. Maps that lost their paths by one session or port, or to one target, are one finding.
    /// # Why it matters
    /// Throughput may be as ever, but redundancy is gone or less, and where paths share the load their capacity
    /// is missing.
    /// # Evidence
    /// Path states of `dmsetup status` (A or F), the checker of multipathd, `/sys/block/sdX/device/state`.
    /// # Remedy
    /// Follow the named path: HBA port, cable, switch zone, array port. `multipathd reinstate path sdX` after the
    /// repair, if it does not return automatically.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/dm-service-time.rst (status A and F); multipath-tools
    /// libmultipath/print.c (checker states); `node_exporter` dmmultipath collector (running and live are active).
    code: "multipath-path-failed",
    title: "a path of a multipath disk has failed",
    layer: Storage, severity: Critical, on: [MultipathMap],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut failed: BTreeMap<Key, Vec<Failed>> = BTreeMap::new();
    for map in &run.host.multipath {
        let paths: Vec<&MapPath> = map.groups.iter().flat_map(|group| &group.paths).collect();
        let lost: Vec<&MapPath> = paths.iter().copied().filter(|path| path.has_failed()).collect();
        // `##,##`: no path is there to ask for the vendor (multipath-tools print.c).
        let is_empty = paths.is_empty() && map.product == "##,##";
        if (is_empty || !lost.is_empty())
            && lost.len() == paths.len()
            && lost.iter().all(|path| is_gone(path))
            && !is_used(run, map)
        {
            outcomes.push(left_over(run, map));
        } else if !lost.is_empty() {
            failed.entry(key(run, map, &lost, paths.len())).or_default().push(Failed { map, paths: lost });
        } else if paths.is_empty() || paths.iter().all(|path| is_unread(path)) {
            outcomes.push(facts::unread(&format!("the paths of {}", map.name)));
        } else {
            outcomes.push(Outcome::Passes);
        }
    }
    outcomes.extend(failed.into_iter().map(|(key, maps)| fires(run, &key, &maps)));
    outcomes
}

/// The path has no device any more: the unit was unmapped, or its port was given up (`- #:#:#:#`, `##,##`).
fn is_gone(path: &MapPath) -> bool {
    matches!(path.device.as_str(), "" | "-" | "##")
}

/// A file system, a volume, a swap area or a database is on the map.
fn is_used(run: &Run, map: &MultipathMap) -> bool {
    let host = &run.host;
    let held = host.disk(&map.device).is_some_and(|disk| !disk.holders.is_empty());
    held || facts::used_devices(host).contains(map.device.as_str())
        || facts::data_devices(run).contains(map.device.as_str())
}

/// A map whose unit is gone and that nothing uses. Where ASM may have opened it, somebody has to look.
fn left_over(run: &Run, map: &MultipathMap) -> Outcome {
    let asm = facts::may_be_of_asm(&run.host);
    let severity = if asm { Severity::Warning } else { Severity::Info };
    let queues = map.features.iter().any(|feature| feature.contains("queue_if_no_path"));
    let advice = because(
        "Whatever touches the map waits or gets errors: a scan of disks, LVM, a backup. It was left when the array took the unit away.",
    );
    let advice = if queues {
        advice
            .run(
                sh!("multipathd disablequeueing map {}", map.name),
                "What waits for a path fails: none will come",
            )
            .needs("the storage team took this unit away for good")
    } else {
        advice
    };
    finding!(
        Kind::MultipathMap.named(&map.name),
        "multipath map {} has no path left, and nothing that is known uses it: left over from a unit that was unmapped", map.name,
    )
    .severity(severity)
    .evidence(format!("{}: no path has a device", map.wwid), map.source.clone())
    .advice(
        advice
            .run(sh!("multipath -f {}", map.name), "Removes the map; refused while it is open")
            .check(
                sh!("test \"$(dmsetup info -c --noheadings -o open {})\" = 0", map.name),
                "nothing uses it, ASM included: `dmsetup info -c -o name,open` shows 0",
            )
            .needs("the storage team took this unit away for good")
            .undo("`multipath -r` makes the map again once the unit is back")
            .expecting("the map is gone from `multipath -ll`"),
    )
    .into()
}

/// A map with the paths that it has lost.
struct Failed<'a> {
    map: &'a MultipathMap,
    paths: Vec<&'a MapPath>,
}

/// What maps have in common that lost their paths by one cause.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The lost session or port; `None`: nothing shows one.
    cause: Option<Lost>,
    /// Where the paths lead: host, channel and target of each, or the map alone where that is not known.
    places: BTreeSet<String>,
    left: usize,
    total: usize,
}

fn key(run: &Run, map: &MultipathMap, lost: &[&MapPath], total: usize) -> Key {
    let link = |path: &&&MapPath| facts::lost::lost_link(run, run.host.disk(&path.device)?);
    let mut causes = lost.iter().map(|path| link(&path));
    let first = causes.next().flatten();
    let cause = first.filter(|first| causes.all(|other| other.as_ref() == Some(first)));
    let places = if cause.is_some() { BTreeSet::new() } else { facts::lost::lost_places(map) };
    Key { cause, places, left: total - lost.len(), total }
}

fn is_unread(path: &MapPath) -> bool {
    path.dm_state.is_empty() && path.checker_state.is_empty() && path.device_state.is_empty()
}

fn fires(run: &Run, key: &Key, failed: &[Failed]) -> Outcome {
    let (left, total) = (key.left, key.total);
    let names: Vec<&str> =
        failed.iter().flat_map(|one| &one.paths).map(|path| path.device.as_str()).collect();
    let maps: Vec<&str> = failed.iter().map(|one| one.map.name.as_str()).collect();
    let (paths, have) = if names.len() == 1 { ("path", "has") } else { ("paths", "have") };
    let (whose, each) = if maps.len() == 1 { ("map", "") } else { ("maps", " of each") };
    // Nothing waits for a map without a path that nothing on a host that was read uses.
    let is_read = !facts::is_import(run) && !run.host.mounts.is_empty() && !facts::may_be_of_asm(&run.host);
    let idle = left == 0 && is_read && failed.iter().all(|one| !is_used(run, one.map));
    let remain = match left {
        0 if idle => "no path is left, and nothing that is known uses it".to_owned(),
        0 => "no path is left: I/O fails or waits".to_owned(),
        1 => format!("1 of {total} paths{each} is left, redundancy is gone"),
        _ => format!("{left} of {total} paths{each} are left, capacity and redundancy are missing"),
    };
    let message = format!(
        "{paths} {} of multipath {whose} {} {have} failed: {remain}",
        facts::listed(&names),
        facts::listed(&maps)
    );
    let mut finding = RULE
        .finding(Kind::MultipathMap.named(maps[0]), message)
        .also(maps[1..].iter().copied())
        .measured(left as f64, total as f64, Unit::Count);
    for one in failed {
        let source = if one.map.source.is_empty() { "device-mapper status" } else { &one.map.source };
        for path in &one.paths {
            finding = finding.evidence(states(path), source);
        }
    }
    let advice = if failed[0].map.is_powerpath() { of_powerpath(key) } else { of_device_mapper(&names, key) };
    let finding = if idle { finding.severity(Severity::Info) } else { finding };
    Lost::takes(key.cause.as_ref(), finding.advice(advice), true).into()
}

fn states(path: &MapPath) -> String {
    format!(
        "{} {}: dm {}, checker {}, device {}",
        path.device,
        path.address,
        word(&path.dm_state),
        word(&path.checker_state),
        word(&path.device_state)
    )
}

fn why(key: &Key) -> &'static str {
    match key.left {
        0 => "The database cannot reach its disk.",
        1 => "With the next failure the database loses its disk.",
        _ => "The paths that are left carry all I/O; each further failure takes more of them.",
    }
}

fn of_device_mapper(names: &[&str], key: &Key) -> Advice {
    let total = key.total;
    let advice = because(why(key)).look("multipath -ll || true", "Shows group and port of the failed path");
    let Some(first) = names.iter().find(|name| !matches!(**name, "" | "-" | "##")) else {
        return advice
            .now("The paths have no device any more: ask the storage team whether the unit was unmapped or a zone was changed. Nothing on this host brings them back")
            .persist("Map the unit again, or repair the zone and port; then scan for it (`rescan-scsi-bus.sh`)")
            .expecting(format!("{total} active paths in `multipath -ll`"));
    };
    advice
        .look(sh!("cat /sys/block/{}/device/state", first), "Shows the state: if it is offline, write `running` to this file once the cause is repaired")
        .now(format!("`multipathd reinstate path {first}` once the path is repaired, if it does not return automatically", first = as_word(first)))
        .persist("repair the HBA port, cable, zone or array port of the failed path")
        .expecting(format!("{total} active paths in `multipath -ll`, and `fullwire check --only storage` without this finding"))
}

fn of_powerpath(key: &Key) -> Advice {
    let total = key.total;
    because(why(key))
        .look("powermt display dev=all", "Shows adapter and array port of the dead path")
        .run("powermt restore", "Tests all paths and reinstates those that work again")
        .persist("Repair the HBA port, cable, zone or array port of the dead path")
        .undo("Nothing to undo")
        .expecting(format!("{total} paths alive in `powermt display dev=all`"))
}

fn word(state: &str) -> &str {
    if state.is_empty() { "not read" } else { state }
}
