rule! {
    /// # What it checks
    /// Passes when the kernel failed no path of a multipath map within the last day that carries again now. What comes and
    /// goes in the first five minutes after the boot is no fault.
    /// # Why it matters
    /// A path that failed and came back leaves a healthy map. The I/O that was on it waited for its timeout, and a
    /// path that comes and goes makes the whole map slow.
    /// # Evidence
    /// Kernel log, `device-mapper: multipath: Failing path MAJOR:MINOR`, `Path Bus B Tgt T Lun L … is dead` of PowerPath; the paths of the maps.
    /// # Remedy
    /// The port, cable and switch of that path; `marginal_path` options of multipath.conf for a path that comes and goes.
    /// # Source
    /// Linux drivers/md/dm-mpath.c (`fail_path`); multipath.conf(5), `marginal_path_err_sample_time`.
    code: "multipath-path-lost",
    title: "the kernel failed a path of a multipath map",
    layer: Storage, severity: Warning, on: [MultipathMap, Process], limits: [StoragePath],
    when: |run| !run.host.multipath.is_empty(),

    /// Until a host has found all its paths.
    const BOOTING_S: f64 = 300.0;
    /// Lines that are quoted; the others are counted.
    const QUOTED: usize = 6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "multipath-failed");
    let told: Vec<Told> = lines.filter_map(|line| judge(run, line)).collect();
    if told.is_empty() {
        return vec![Outcome::Passes];
    }
    // What one lost port took away is one finding.
    let (of_cause, alone): (Vec<Told>, Vec<Told>) = told.into_iter().partition(|one| one.cause.is_some());
    let mut outcomes: Vec<Outcome> = alone.iter().map(|one| fires(run, std::slice::from_ref(one))).collect();
    if !of_cause.is_empty() {
        outcomes.push(fires(run, &of_cause));
    }
    outcomes
}

/// A line that says that a path failed, the map and the path as far as they are known, and what took the path away.
struct Told<'a> {
    line: &'a LogLine,
    map: Option<&'a MultipathMap>,
    path: Option<&'a Disk>,
    cause: Option<Lost>,
    severity: Severity,
}

/// The path that the line names by its number.
fn path_of<'a>(run: &'a Run, text: &str) -> Option<&'a Disk> {
    let number = text.split("Failing path ").nth(1)?.split_whitespace().next()?.trim_end_matches('.');
    run.host.disk_by_number(number)
}

/// The map by its number: `multipath: 253:4: Failing path 8:16.`
fn map_of<'a>(run: &'a Run, text: &str) -> Option<&'a MultipathMap> {
    let number = text.split("multipath: ").nth(1)?.split(": Failing path ").next()?;
    let disk = run.host.disk_by_number(number)?;
    run.host.multipath.iter().find(|map| map.device == disk.name)
}

/// `Emcpmp:Error:Mpx:Path Bus 7 Tgt 0 Lun 1 to 000297800555 is dead.`
fn is_of_powerpath(line: &LogLine) -> bool {
    line.text.contains("is dead")
}

fn judge<'a>(run: &'a Run, line: &'a LogLine) -> Option<Told<'a>> {
    // The daemon counts remaining paths also when one comes back.
    if !line.text.contains("Failing path") && !is_of_powerpath(line) {
        return None;
    }
    let path = path_of(run, &line.text);
    let cause = if path.is_none() { facts::lost::of_gone_disks(run) } else { None };
    // Paths come and go while drivers and fabric start; one that is still down then is named by its state.
    let at_boot = line.seconds.is_some_and(|seconds| seconds < BOOTING_S);
    let severity = match facts::log::age_s(run, line) {
        Some(_) if at_boot && !facts::log::is_of_the_run(run, line) => return None,
        Some(_) if facts::log::is_recent(run, line) => Severity::Warning,
        Some(_) => return None,
        None => Severity::Info,
    };
    // PowerPath names bus, target and unit, not the disk: dead paths are known by their state.
    let maps = || run.host.multipath.iter().filter(|map| map.is_powerpath());
    let is_dead =
        |map: &MultipathMap| map.groups.iter().flat_map(|group| &group.paths).any(MapPath::has_failed);
    if is_of_powerpath(line) && maps().any(is_dead) {
        return None;
    }
    let has_path = |map: &&MultipathMap| {
        let mut paths = map.groups.iter().flat_map(|group| &group.paths);
        path.is_some_and(|disk| paths.any(|path| path.device == disk.name))
    };
    let map = run.host.multipath.iter().find(has_path);
    // A path that is down now is said by `multipath-path-failed`.
    let state = map.into_iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    if state.filter(|one| path.is_some_and(|disk| disk.name == one.device)).any(MapPath::has_failed) {
        return None;
    }
    Some(Told { line, map: map.or_else(|| map_of(run, &line.text)), path, cause, severity })
}

/// What is said of one line, or of all that follow from one cause.
fn fires(run: &Run, lines: &[Told]) -> Outcome {
    let first = &lines[0];
    let (who, alone, show) = if is_of_powerpath(first.line) {
        ("PowerPath", "PowerPath", "powermt display dev=all")
    } else {
        ("the kernel", "multipath", "multipath -ll")
    };
    let mut maps: Vec<&str> = lines.iter().filter_map(|one| Some(one.map?.name.as_str())).collect();
    maps.sort_unstable();
    maps.dedup();
    let subject =
        maps.first().map_or_else(|| Kind::Process.named(alone), |name| Kind::MultipathMap.named(*name));
    let of = if maps.is_empty() { String::new() } else { format!(" of {}", facts::listed(&maps)) };
    let ago = facts::log::ago(run, first.line);
    let what = match (first.path, lines.len()) {
        (Some(disk), 1) => disk.name.clone(),
        (None, 1) => "a path".to_owned(),
        (_, count) => format!("{count} paths"),
    };
    let acted = lines.iter().filter(|one| facts::log::is_of_the_run(run, one.line)).filter_map(|one| one.map);
    let mut finding = finding!(subject, "{who} failed {what}{of}{ago}: {}", first.line.text)
        .also(maps.iter().skip(1).copied())
        .severity(first.severity)
        .explains(acted.flat_map(|map| explain::targets_on(run, &map.device, Mechanism::StoragePath)))
        .because("Requests on the path waited for a timeout and then took another path.")
        .now(format!("dmesg -T | grep -iE 'multipath|emcp'; {show}"))
        .persist("fix what the path's port, cable or switch reported at that time")
        .expecting(format!("no further line, and all paths active in `{show}`"));
    for one in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(one.line), "kernel log");
    }
    if lines.len() > QUOTED {
        finding = finding.evidence(format!("{} lines more", lines.len() - QUOTED), "kernel log");
    }
    Lost::takes(first.cause.as_ref(), finding, false).into()
}
