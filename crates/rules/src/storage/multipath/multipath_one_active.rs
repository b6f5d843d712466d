rule! {
    /// # What it checks
    /// Applies where all working paths of a map have the same priority and the array is known to serve a unit through all of
    /// them: it reports the access state of each (ALUA), or is active/active by its vendor's word. Passes when the group in
    /// use contains more than one of them. Two groups of an active/passive array are as they should be.
    /// # Why it matters
    /// With `path_grouping_policy failover` each path is in its own group and only one group carries I/O: half
    /// of the adapters, links and array ports idle.
    /// # Evidence
    /// Groups of the map with state and priority, paths and their states; ALUA access states. A warning where a
    /// measurement had more in flight than the one path takes.
    /// # Remedy
    /// The array's own `path_grouping_policy`. In one group, the paths of an active/passive array would move the unit from
    /// controller to controller with each request.
    /// # Source
    /// multipath.conf(5), `path_grouping_policy` (failover: one path for each priority group; `group_by_prio`;
    /// multibus); multipath-tools `libmultipath/prioritizers/alua.c` (50 optimised, 80 preferred as well) and `hwtable.c`.
    code: "multipath-one-active",
    title: "usable paths are idle",
    layer: Storage, severity: Warning, on: [MultipathMap],
    check: |run| run.host.multipath.iter().filter(|map| map.groups.len() > 1).map(|map| judge(run, map)).collect(),
}

fn judge(run: &Run, map: &MultipathMap) -> Outcome {
    let host = &run.host;
    let standing: Option<Vec<String>> = map.groups.iter().map(|group| rank(host, group)).collect();
    let Some(standing) = standing else {
        return unknown!("neither priorities nor access states of the paths of {} are known", map.name);
    };
    let single = map.groups.iter().all(|group| working(group).count() <= 1);
    let usable = map.groups.iter().flat_map(working).count();
    let equal = standing.iter().all(|rank| *rank == standing[0]);
    if !single || usable < 2 || !equal {
        return Outcome::Passes;
    }
    if !serves_through_all(host, map) {
        return unknown!(
            "whether the array serves {} through all its paths at once, or through one controller at a time",
            map.name
        );
    }
    let mut finding = finding!(
        Kind::MultipathMap.named(&map.name),
        "one of {usable} equal paths of {} carries all I/O: each is in its own group (priority {})",
        map.name,
        standing[0],
    )
    .evidence(
        format!("{} groups of one path, priority {} each", map.groups.len(), standing[0]),
        map.source.clone(),
    );
    if let Some((path, depth, in_flight)) = overrun(run, map) {
        let took = format!("{path} accepts {depth} requests at a time, {in_flight} were in flight");
        finding = finding.evidence(took, "device/queue_depth, probe");
    } else {
        finding = finding.severity(Severity::Info);
    }
    finding
        .because("Only the paths of the active group are used; the others wait for it to fail.")
        .look(
            "multipathd show config local | grep -nE 'path_grouping_policy|prio' || true",
            "Shows what is in force",
        )
        .and(group_paths(&[map]))
        .expecting("one group with several paths in `multipath -ll`, and all of them moving in `iostat -x`")
        .into()
}

fn working(group: &PathGroup) -> impl Iterator<Item = &MapPath> {
    group.paths.iter().filter(|path| {
        path.dm_state != "failed" && !matches!(path.checker_state.as_str(), "faulty" | "ghost")
    })
}

/// Each group is optimised, by the array's own report, or all paths are equal by its vendor's word.
fn serves_through_all(host: &Host, map: &MultipathMap) -> bool {
    const OPTIMISED: i64 = 50;
    let reported = |group: &PathGroup| {
        let state = group
            .paths
            .first()
            .and_then(|path| host.disk(&path.device)?.scsi.as_ref()?.access_state.as_deref());
        state.map_or(group.priority.is_some_and(|priority| priority >= OPTIMISED), |state| {
            state == "active/optimized"
        })
    };
    array_of(map).is_some_and(Array::is_symmetric) || map.groups.iter().all(reported)
}

/// What multipath groups by: the priority, or the access state that the array reports.
fn rank(host: &Host, group: &PathGroup) -> Option<String> {
    let access = || {
        let path = group.paths.first()?;
        host.disk(&path.device)?.scsi.as_ref()?.access_state.clone()
    };
    group.priority.map(|priority| priority.to_string()).or_else(access)
}

/// The path that carries all and takes fewer requests than a measurement had in flight: path, its depth, and those.
fn overrun<'a>(run: &'a Run, map: &'a MultipathMap) -> Option<(&'a str, u64, u64)> {
    let active = map.groups.iter().find(|group| group.state == "active")?.paths.first()?;
    let depth = run.host.disk(&active.device)?.scsi.as_ref()?.queue_depth?;
    let targets = facts::targets(run);
    let over = targets.iter().filter(|target| target.stands_on(&map.device));
    let most = over.flat_map(|target| &target.result.steps).map(facts::in_flight).max()?;
    (most > depth).then_some((active.device.as_str(), depth, most))
}
