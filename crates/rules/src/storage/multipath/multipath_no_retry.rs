rule! {
    /// # What it checks
    /// Passes when `no_path_retry` is neither unset nor `fail` where no cluster and no mirror of the database must see the
    /// error, the array's vendor does not want it so (Pure, Infinidat), and the disks are not those of a local controller.
    /// # Why it matters
    /// A controller failover of a few seconds, in which no path answers, then reaches the file system as an I/O
    /// error and remounts it read-only.
    /// # Evidence
    /// `no_path_retry` of the map or of the configuration.
    /// # Remedy
    /// What the array's vendor recommends; 24 with `polling_interval 5` where that is not known.
    /// # Source
    /// multipath.conf(5), `no_path_retry` (default fail); libmultipath/defaults.h; NetApp ontap-apps-dbs,
    /// oracle-host-config-linux.adoc.
    code: "multipath-no-retry",
    title: "losing all paths for a moment fails I/O immediately (no_path_retry)",
    layer: Storage, severity: Info, on: [MultipathMap],
    when: |run| !facts::must_see_errors(run),
}

fn check(run: &Facts) -> Vec<Outcome> {
    let maps = run.host.multipath.iter().filter(|map| !map.is_powerpath());
    let mut failing = Vec::new();
    let mut outcomes = Vec::new();
    for map in maps {
        match judge(&run.host, map) {
            None => failing.push(map),
            Some(outcome) => outcomes.push(outcome),
        }
    }
    // One line of the configuration sets it for all.
    outcomes.extend(failing.first().map(|first| fires(&run.host, first, &failing)));
    outcomes
}

/// `None`: it fails at once.
fn judge(host: &Host, map: &MultipathMap) -> Option<Outcome> {
    let configured = host.multipath_config.as_ref().and_then(|config| config.settings.get("no_path_retry"));
    if super::is_local(host, map) {
        return Some(Outcome::Passes);
    }
    // Some vendors want it so: their arrays fail over within what the driver below waits.
    if array_of(map).is_some_and(|array| matches!(array.no_path_retry(host), "0" | "fail")) {
        return Some(Outcome::Passes);
    }
    // A map that queues now does not fail, whatever the file says.
    if map.features.iter().any(|feature| feature.contains("queue_if_no_path")) {
        return Some(Outcome::Passes);
    }
    match map.no_path_retry.as_ref().or(configured).map(String::as_str) {
        Some("fail" | "0" | "undef" | "off") => None,
        Some(_) => Some(Outcome::Passes),
        None => Some(facts::unread(&format!("no_path_retry of {}", map.name))),
    }
}

fn fires(host: &Host, map: &MultipathMap, all: &[&MultipathMap]) -> Outcome {
    let names: Vec<&str> = all.iter().map(|map| map.name.as_str()).collect();
    let (noun, verb) = if names.len() == 1 { ("map", "fails") } else { ("maps", "fail") };
    finding!(Kind::MultipathMap.named(&map.name), "multipath {noun} {} {verb} I/O immediately when no path responds (no_path_retry fail)", facts::listed(&names))
        .also(names[1..].iter().copied())
        .evidence(format!("no_path_retry {}", map.no_path_retry.as_deref().unwrap_or("fail")), "multipathd show maps, /etc/multipath.conf")
        .advice(
            set_multipath("Array controllers need some seconds to fail over; a file system that sees an error in between goes read-only, a disk group of ASM without a mirror is dismounted.", all, |array| {
                format!("no_path_retry {}", array.map_or("24 (with polling_interval 5: two minutes)", |array| array.no_path_retry(host)))
            })
                .expecting("a failover of the array shows as latency, not as an error"),
        )
        .into()
}
