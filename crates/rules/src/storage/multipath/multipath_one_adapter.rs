rule! {
    /// # What it checks
    /// Passes when the paths of a map lead over at least two host adapters.
    /// # Why it matters
    /// The adapter, its slot and its cable stay a single point of failure, and its link the ceiling of the map.
    /// # Evidence
    /// The host number of each path's SCSI address.
    /// # Remedy
    /// Zone one path through the second adapter or port.
    /// # Source
    /// Red Hat Enterprise Linux, Configuring device mapper multipathing (paths of different HBAs); Linux SCSI
    /// address HOST:CHANNEL:TARGET:LUN (Documentation/scsi/scsi-parameters.rst).
    code: "multipath-one-adapter",
    title: "all paths of a disk go through one adapter",
    layer: Storage, severity: Info, on: [MultipathMap],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let maps = run.host.multipath.iter();
    let maps = maps.filter(|map| map.groups.iter().map(|group| group.paths.len()).sum::<usize>() > 1);
    let mut outcomes = Vec::new();
    let mut alike: BTreeMap<&str, Vec<&MultipathMap>> = BTreeMap::new();
    for map in maps {
        let mut hosts = hosts(map).into_iter();
        match hosts.next() {
            None => outcomes.push(facts::unread(&format!("the SCSI addresses of the paths of {}", map.name))),
            Some(first) if hosts.all(|host| host == first) => alike.entry(first).or_default().push(map),
            Some(_) => outcomes.push(Outcome::Passes),
        }
    }
    outcomes.extend(alike.into_iter().map(|(host, maps)| fires(run, host, &maps)));
    outcomes
}

/// The SCSI host of each path.
fn hosts(map: &MultipathMap) -> Vec<&str> {
    let paths = map.groups.iter().flat_map(|group| &group.paths);
    paths.filter_map(|path| path.address.split(':').next()).filter(|host| !host.is_empty()).collect()
}

/// Maps whose paths all share a host. Where another port is down, its paths are missing, and that is the cause.
fn fires(run: &Run, host: &str, maps: &[&MultipathMap]) -> Outcome {
    let names: Vec<&str> = maps.iter().map(|map| map.name.as_str()).collect();
    let cause = facts::lost::of_gone_disks(run);
    let finding = finding!(
        Kind::MultipathMap.named(names[0]),
        "all paths of {} pass through host{host}: one adapter is a single point of failure",
        facts::listed(&names),
    )
    .also(names[1..].iter().copied())
    .evidence(
        format!("SCSI host of each path of {}: {}", names[0], hosts(maps[0]).join(" ")),
        maps[0].source.clone(),
    )
    .because("Paths protect against the failure of what they do not share.")
    .look("lspci | grep -iE 'fibre|ethernet' || true", "Shows whether there is a second adapter")
    .look("ls -l /sys/class/fc_host || true", "Shows its ports")
    .persist("zone the unit to a second adapter, or log in to the portal over a second NIC")
    .expecting("addresses with two host numbers in `multipath -ll`");
    Lost::takes(cause.as_ref(), finding, false).into()
}
