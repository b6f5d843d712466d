rule! {
    /// # What it checks
    /// Passes when a multipath map does not queue without end: `no_path_retry` is a number, or `fail` where the
    /// database itself mirrors; and where the array's vendor wants `queue` and no cluster or mirror has to see the error. A
    /// note at most where it is the vendor's value.
    /// # Why it matters
    /// With `queue_if_no_path` and no limit, a lost array hangs every process in uninterruptible sleep; ASM
    /// cannot take the failed disk off-line, a cluster cannot fail over.
    /// # Evidence
    /// Features of the map and `no_path_retry` as multipathd has it in effect: for the map, by `overrides`, by the section
    /// of its product, or by `defaults`.
    /// # Remedy
    /// `no_path_retry 24` with `polling_interval 5` in the array's section: I/O waits two minutes, then fails. `multipathd
    /// disablequeueing` is for a map whose paths are all lost already and whose hanging I/O must end: with paths that work
    /// it arms a failure at once.
    /// # Source
    /// multipath.conf(5), `no_path_retry` and features; NetApp ontap-apps-dbs, oracle-host-config-linux.adoc
    /// (`polling_interval` 5, `no_path_retry` 24).
    /// multipath-tools libmultipath/hwtable.c (`NO_PATH_RETRY_QUEUE` is the default of several arrays).
    code: "multipath-queue-forever",
    title: "I/O hangs if all paths fail (queue_if_no_path)",
    layer: Storage, severity: Warning, on: [MultipathMap],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    // Maps that queue for one reason are one setting and one remedy.
    let mut queueing: BTreeMap<&str, Vec<&MultipathMap>> = BTreeMap::new();
    for map in run.host.multipath.iter().filter(|map| !map.is_powerpath()) {
        if is_wanted(run, map) {
            outcomes.push(Outcome::Passes);
            continue;
        }
        match judge(run, map) {
            Ok(None) => outcomes.push(Outcome::Passes),
            Ok(Some(why)) => queueing.entry(why).or_default().push(map),
            Err(unknown) => outcomes.push(unknown),
        }
    }
    outcomes.extend(queueing.into_iter().map(|(why, maps)| fires(run, &maps, why)));
    outcomes
}

/// The array's vendor wants it to queue on this host, and nobody here waits for the error.
fn is_wanted(run: &Run, map: &MultipathMap) -> bool {
    let wants = array_of(map).is_some_and(|array| array.no_path_retry(&run.host) == "queue");
    // Whoever set it to fail meant something else.
    let is_unset = !matches!(map.no_path_retry.as_deref(), Some("fail" | "0" | "off"));
    wants && is_unset && !facts::must_see_errors(run)
}

/// Why the map queues without end, if it does; otherwise what is not known.
fn judge(run: &Run, map: &MultipathMap) -> Result<Option<&'static str>, Outcome> {
    let host = &run.host;
    let queues = map.features.iter().any(|feature| feature.contains("queue_if_no_path"));
    let configured = || {
        // The file's defaults lose to the array's own section.
        let config = host.multipath_config.as_ref().filter(|config| !config.source.starts_with('/'))?;
        config.settings.get("no_path_retry").cloned()
    };
    let retry = map.no_path_retry.clone().or_else(configured);
    match retry.as_deref() {
        Some("queue") => Ok(Some("no_path_retry is queue")),
        // What the map has now is what counts: nothing counts retries that would end it.
        Some("fail" | "0" | "off") if queues => {
            Ok(Some("the map has the feature queue_if_no_path, although no_path_retry is fail"))
        }
        Some(_) => Ok(None),
        None if !queues => Ok(None),
        // multipath-tools' own section of the array, which the file does not show, may end it.
        None if host.multipath_config.as_ref().is_some_and(|config| config.source.starts_with('/')) => {
            Err(unknown!(
                "no_path_retry of {}: /etc/multipath.conf sets none for its array, and what multipath-tools has built in for it is known to `multipathd show config` only",
                map.name
            ))
        }
        // Its section of the configuration cannot be found without them.
        None if host.multipath_config.as_ref().is_some_and(|config| !config.devices.is_empty())
            && !is_named(map) =>
        {
            Err(facts::unread(&format!("vendor and product of {}", map.name)))
        }
        None if host.multipath_config.is_some() => {
            Ok(Some("the feature queue_if_no_path is set and no_path_retry does not end it"))
        }
        None => Err(facts::unread(&format!("no_path_retry of {}", map.name))),
    }
}

/// Vendor and product are both known.
fn is_named(map: &MultipathMap) -> bool {
    map.product
        .split_once(',')
        .is_some_and(|(vendor, product)| !vendor.trim().is_empty() && !product.trim().is_empty())
}

fn source(map: &MultipathMap) -> &str {
    if map.source.is_empty() { "multipathd show maps, dmsetup table" } else { &map.source }
}

fn fires(run: &Run, maps: &[&MultipathMap], why: &str) -> Outcome {
    // Whoever left the array's section of multipath-tools as it is has made no mistake.
    let as_shipped = |map: &&MultipathMap| array_of(map).is_some_and(Array::queues_by_itself);
    let is_set = !maps.iter().all(as_shipped);
    let severity = if is_set && facts::must_see_errors(run) { Severity::Warning } else { Severity::Info };
    let names: Vec<&str> = maps.iter().map(|map| map.name.as_str()).collect();
    let (who, queue, its) = match &names[..] {
        [one] => (format!("multipath map {one}"), "queues", "its"),
        _ => (format!("multipath maps {}", facts::listed(&names)), "queue", "their"),
    };
    let mut finding = finding!(
        Kind::MultipathMap.named(names[0]),
        "{who} {queue} I/O forever when {its} last path is lost (queue_if_no_path): {why}",
    )
    .also(names.iter().skip(1).copied())
    .severity(severity);
    for map in maps {
        let retry = map.no_path_retry.as_deref().unwrap_or("not set");
        let features = map.features.join(" ");
        let seen = match maps.len() {
            1 => format!("features {features}, no_path_retry {retry}"),
            _ => format!("{}: features {features}, no_path_retry {retry}", map.name),
        };
        finding = finding.evidence(seen, source(map));
    }
    finding.advice(advice(run, maps)).into()
}

/// No command: `multipathd disablequeueing` makes I/O fail at once when the last path goes, until multipathd is reloaded,
/// where two minutes of patience are wanted.
fn advice(run: &Run, maps: &[&MultipathMap]) -> Advice {
    let products: BTreeSet<&str> =
        maps.iter().map(|map| map.product.as_str()).filter(|product| !product.is_empty()).collect();
    let section = match products.len() {
        0 => "the device section of the array".to_owned(),
        _ => format!("the device section of {}", facts::listed(&products.into_iter().collect::<Vec<_>>())),
    };
    let retry =
        match maps.iter().map(|map| array_of(map)).reduce(|one, other| if one == other { one } else { None })
        {
            Some(Some(array)) if array.no_path_retry(&run.host).parse::<u64>().is_ok() => {
                format!("no_path_retry {} (the value of {})", array.no_path_retry(&run.host), array.name)
            }
            _ => "no_path_retry 24, with polling_interval 5 in defaults (120 s)".to_owned(),
        };
    because("Processes then hang in uninterruptible sleep; neither the database's mirror nor a cluster manager can act.")
        .look("multipathd show config | grep -nE 'no_path_retry|polling_interval|features' || true", "Shows what is in force, and in which section")
        .persist(format!("In /etc/multipath.conf, {section}: {retry}. In defaults alone no_path_retry loses to multipath-tools' own section of the array; in overrides it is set for every array of the host"))
        .needs("the array's vendor gives no other value: some need 0, others `queue`")
        .persist("`multipath -t` checks the file, then `multipathd reconfigure` applies it")
        .reloads()
        .needs(format!("no path is failing at the moment: `{}` shows all as active", show_paths(&run.host)))
        .undo("Remove the lines, then `multipathd reconfigure`")
        .reloads()
        .expecting("with all paths pulled, I/O fails after that time instead of never")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::units;

    /// Whoever follows multipath-no-retry is not told here that it was wrong, on whatever array.
    #[test]
    fn the_value_that_one_rule_advises_is_no_fault_for_the_other() {
        for oracle in [false, true] {
            for mut unit in units() {
                let mut run = Run::default();
                if oracle {
                    let database = Database { kind: "oracle".into(), ..Database::default() };
                    run.host.databases.push(database);
                }
                let retry = array_of(&unit).expect("a known array").no_path_retry(&run.host);
                unit.no_path_retry = Some(retry.to_owned());
                unit.features = (retry != "fail" && retry != "0")
                    .then(|| "queue_if_no_path".to_owned())
                    .into_iter()
                    .collect();
                run.host.multipath = vec![unit];
                let outcomes = check(&Facts::of(&run));
                assert!(matches!(outcomes[..], [Outcome::Passes]), "{retry}");
            }
        }
    }
}
