rule! {
    /// # What it checks
    /// Applies where the array tells the access state of every path to a unit (ALUA of SCSI, ANA of NVMe) and no path has
    /// failed. Passes when one of them is optimised.
    /// # Why it matters
    /// The controller that owns the unit is not reached: each I/O takes the detour over another one, and the link
    /// between the two limits all units that go so.
    /// # Evidence
    /// `access_state` of each path, or priority 10 of multipath-tools' `alua`; `ana_state` of each controller of a namespace.
    /// # Remedy
    /// A path to the owner (zone, portal, mapping), or the unit moved to a controller that is reached.
    /// # Source
    /// SCSI SPC-4, asymmetric logical unit access; NVM Express Base Specification, Asymmetric Namespace Access states
    /// (non-optimized); multipath-tools `libmultipath/prioritizers/alua.c` (10: non-optimised, 50: optimised).
    code: "paths-not-optimised",
    title: "no path reaches the controller that owns the unit",
    layer: Storage, severity: Warning, on: [Disk, MultipathMap],

    /// What `alua` of multipath-tools gives a path that is not optimised.
    const PRIORITY: i64 = 10;
    /// And one that is, at least.
    const OPTIMISED: i64 = 50;
    /// The state by the kernel's name of SCSI, and of NVMe.
    const STATES: [&str; 2] = ["active/non-optimized", "non-optimized"];
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let namespaces = host.disks.iter().filter(|disk| disk.kind != "partition").filter_map(namespace);
    host.multipath.iter().filter_map(|map| unit(host, map)).chain(namespaces).collect()
}

fn unit(host: &Host, map: &MultipathMap) -> Option<Outcome> {
    let by_alua = map.hardware_handler.contains("alua");
    let paths = || map.groups.iter().flat_map(|group| group.paths.iter().map(move |path| (group, path)));
    let states: Vec<Option<&str>> = paths().map(|(group, path)| state(host, by_alua, group, path)).collect();
    if !by_alua && states.contains(&None) {
        return None;
    }
    let failed = paths().any(|(_, path)| path.has_failed());
    judge(&states, failed, Kind::MultipathMap.named(&map.name), "multipath -ll || true")
}

/// By the kernel; where it did not read it, by the priority.
fn state<'a>(host: &'a Host, by_alua: bool, group: &PathGroup, path: &MapPath) -> Option<&'a str> {
    let read = host.disk(&path.device).and_then(|disk| disk.scsi.as_ref()?.access_state.as_deref());
    let by_priority = || match group.priority.filter(|_| by_alua)? {
        PRIORITY => Some(STATES[0]),
        OPTIMISED.. => Some("active/optimized"),
        _ => None,
    };
    read.or_else(by_priority)
}

/// One over a network; the states of others, which have one way, are not kept.
fn namespace(disk: &Disk) -> Option<Outcome> {
    let controllers = &disk.nvme.as_ref()?.controllers;
    let states: Vec<Option<&str>> =
        controllers.iter().map(|controller| controller.ana_state.as_deref()).collect();
    let failed = controllers.iter().any(|controller| controller.state != "live");
    states
        .iter()
        .any(Option::is_some)
        .then(|| judge(&states, failed, Kind::Disk.named(&disk.name), "nvme list-subsys -v || true"))?
}

/// A path that failed may be the one that is optimised, and has a finding of its own; a unit that moves has one soon.
fn judge(states: &[Option<&str>], failed: bool, subject: Subject, look: &'static str) -> Option<Outcome> {
    let name = subject.name.clone();
    if states.is_empty() {
        return None;
    }
    let is_optimised = |state: &&str| matches!(*state, "active/optimized" | "optimized");
    if failed || states.iter().flatten().any(is_optimised) {
        return Some(Outcome::Passes);
    }
    let Some(states) = states.iter().copied().collect::<Option<Vec<&str>>>() else {
        return Some(facts::unread(&format!("the access state of each path to {name}")));
    };
    if !states.iter().any(|state| STATES.contains(state)) {
        return Some(Outcome::Passes);
    }
    let finding = finding!(
        subject,
        "none of the {} paths to {name} is optimised: its I/O goes through a controller that does not own it", states.len(),
    )
        .evidence(states.join(", "), look.trim_end_matches(" || true"))
        .because("The array passes each I/O on from the controller that it arrives at to the one that owns the unit.")
        .look(look, "Shows the ports and the state of each path")
        .now("The array's own view: which controller owns the unit, and since when; was it moved, or its owner's ports lost?")
        .persist("Zone or portals to the ports of the owner, with a rescan of the paths; or have the array move the unit to a controller that this host reaches, which holds its I/O up for a moment")
        .expecting("one path or more that is optimised");
    Some(finding.into())
}
