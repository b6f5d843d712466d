use super::owner;

rule! {
    /// # What it checks
    /// Passes when the memory limit of the database's control group (and of fullwire's own) is above the wanted SGA and
    /// PostgreSQL's shared buffers, and the group did not run into it during the run. Page cache fills a group up to its limit without
    /// harm; once its tasks wait for memory more than a tenth of the time, it is short of it.
    /// # Why it matters
    /// At `memory.high` every allocation is slowed down, at `memory.max` processes are killed, while the host
    /// has memory left.
    /// # Evidence
    /// `memory.max`, `memory.high`, `memory.events`, `memory.pressure`.
    /// # Remedy
    /// `MemoryMax=` and `MemoryHigh=` of the unit.
    /// # Source
    /// Linux Documentation/admin-guide/cgroup-v2.rst, memory.high, memory.max, memory.events; accounting/psi.rst (pressure of a group);
    /// systemd.resource-control(5).
    code: "cgroup-memory",
    title: "a control group's memory limit is too small or was hit",
    layer: Host, severity: Critical, on: [Cgroup], limits: [MemoryShort],

    /// Of the limit in use: full (own choice, the kernel charges in batches of pages).
    const FULL: f64 = 0.99;
    /// Mean of throttled allocations a second from which they are no accident (own choice).
    const OFTEN_PER_S: f64 = 1.0;
    /// Share of the time that its tasks wait for memory, as memory-pressure has it for the host (own choice).
    const STALLED: f64 = 0.10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.cgroups.is_empty() {
        return vec![facts::unread("the own control group")];
    }
    run.host.cgroups.iter().map(|cgroup| judge(run, cgroup)).collect()
}

fn judge(run: &Run, cgroup: &Cgroup) -> Outcome {
    let grown = |pick: fn(&CgroupCounters) -> Option<u64>| {
        facts::grown_in_group(run, &cgroup.path, pick).unwrap_or(0)
    };
    let (high, most, killed) = (
        grown(|group| group.memory_high_events),
        grown(|group| group.memory_max_events),
        grown(|group| group.memory_oom_kills),
    );
    match (cgroup.memory_limit_bytes(), needed(run, cgroup)) {
        _ if high + most + killed > 0 => hit(run, cgroup, high, most, killed),
        (Some(limit), Some((needed, what))) if limit < needed => fires(
            run,
            cgroup,
            format!(
                "control group {} may use {} of memory, {what} needs {}",
                cgroup.path,
                facts::size(limit),
                facts::size(needed)
            ),
            format!("memory limit {limit}"),
        )
        .measured(limit as f64, needed as f64, Unit::Bytes)
        .into(),
        (Some(_), _) if facts::side::own(run).is_read_once() => judge_since_start(run, cgroup),
        _ => Outcome::Passes,
    }
}

/// The memory that a database of the group is told to take, bytes, and what it is; InnoDB's pool has a rule of its own. What
/// lies in huge pages is not counted in the group (cgroup-v2.rst, hugetlb).
fn needed(run: &Run, cgroup: &Cgroup) -> Option<(u64, String)> {
    if let Some(sga) = run.command.sga_bytes {
        return Some((sga, "the SGA".to_owned()));
    }
    let host = &run.host;
    let servers = host.databases.iter().filter(|database| {
        database.kind == "postgresql"
            && facts::holds(cgroup, database)
            && host.memory.huge_pages_total == Some(0)
    });
    let buffers = servers.filter_map(|server| {
        let buffers = facts::sizes::bytes(server, "shared_buffers")?;
        Some((buffers, format!("shared_buffers of {}", server.name)))
    });
    buffers.max_by_key(|(bytes, _)| *bytes)
}

/// Of events that were read once only none tells anything: nobody knows when the others were.
fn judge_since_start(run: &Run, cgroup: &Cgroup) -> Outcome {
    let group = run.windows.last().and_then(|window| {
        let groups = &window.to.cgroups;
        groups.iter().find(|group| group.path == cgroup.path)
    });
    if let Some(found) = group.and_then(|group| at_its_limit(run, cgroup, group)) {
        return found;
    }
    let events = group.map(|group| (group.memory_high_events, group.memory_oom_kills));
    match events {
        Some((Some(0), Some(0))) => Outcome::Passes,
        Some((high, killed)) if high.is_some() || killed.is_some() => unknown!(
            "control group {} was slowed down {} for its memory since it was made, {} killed: when is not known",
            cgroup.path,
            facts::words::times(high.unwrap_or(0)),
            killed.unwrap_or(0)
        ),
        _ => facts::unwatched(run, &format!("memory.events of {}", cgroup.path)),
    }
}

/// The group is full now, and its work waits for memory: by the kernel's own count of that, or it was slowed down time and again.
fn at_its_limit(run: &Run, cgroup: &Cgroup, group: &CgroupCounters) -> Option<Outcome> {
    let (limit, used) = (cgroup.memory_limit_bytes()?, group.memory_current_bytes?);
    if (used as f64) < FULL * limit as f64 {
        return None;
    }
    let (file, events) = (limit_of(cgroup), group.memory_high_events.unwrap_or(0));
    let often = || {
        let seconds = facts::side::own(run).since_boot()?.seconds;
        (events as f64 / seconds >= OFTEN_PER_S).then(|| {
            format!("allocations were slowed down {} since it was made", facts::words::times(events))
        })
    };
    let stalled = group.memory_stalled_300s_ratio.filter(|share| *share > STALLED);
    let told = stalled.map(|share| {
        format!("its tasks waited for memory {} of the five minutes before", facts::percent(share))
    });
    let told = told.or_else(often)?;
    let message =
        format!("control group {} uses all of its {file} of {}: {told}", cgroup.path, facts::size(limit));
    let evidence = format!("memory.current {used}, {file} {limit}, memory.events high {events}");
    Some(
        fires(run, cgroup, message, evidence)
            .severity(Severity::Warning)
            .measured(used as f64, limit as f64, Unit::Bytes)
            .into(),
    )
}

/// The lower of both limits.
fn limit_of(cgroup: &Cgroup) -> &'static str {
    let high =
        cgroup.memory_high_bytes.filter(|high| cgroup.memory_max_bytes.is_none_or(|most| *high <= most));
    if high.is_some() { "memory.high" } else { "memory.max" }
}

/// The share of a window in which some task of the group waited for memory.
fn stalls(window: &Window, cgroup: &Cgroup) -> Option<f64> {
    let read = |counters: &Counters| {
        counters.cgroups.iter().find(|group| group.path == cgroup.path)?.memory_stalled_us
    };
    facts::rate(window, read).map(|us| us / 1e6)
}

fn hit(run: &Run, cgroup: &Cgroup, high: u64, most: u64, killed: u64) -> Outcome {
    let limits = [("memory.max", cgroup.memory_max_bytes), ("memory.high", cgroup.memory_high_bytes)];
    let limit = limits.into_iter().filter_map(|(file, bytes)| Some((bytes?, file))).min();
    let limit =
        limit.map_or("its limit".to_owned(), |(bytes, file)| format!("{} ({file})", facts::size(bytes)));
    let finding = fires(
        run,
        cgroup,
        format!(
            "control group {} ran into its memory limit of {limit}: slowed down {}, at the limit {}, {killed} killed",
            cgroup.path,
            facts::words::times(high),
            facts::words::times(most)
        ),
        format!("memory.events high +{high}, max +{most}, oom_kill +{killed}"),
    );
    let severity = if killed > 0 { Severity::Critical } else { Severity::Warning };
    let stalled = facts::windows(run).filter_map(|window| stalls(window, cgroup)).fold(0.0, f64::max);
    let finding = if stalled > STALLED {
        let text = format!("its tasks waited for memory {} of the time", facts::percent(stalled));
        finding.evidence(text, format!("/sys/fs/cgroup{}/memory.pressure", cgroup.path))
    } else {
        finding
    };
    // Page cache fills a group up to its limit without harm: that alone is not starvation.
    if high + killed > 0 || stalled > STALLED {
        let slowed = |window: &Window| {
            let read = |counters: &Counters| {
                let group = counters.cgroups.iter().find(|group| group.path == cgroup.path)?;
                Some(group.memory_high_events.unwrap_or(0) + group.memory_oom_kills.unwrap_or(0))
            };
            facts::grown(window, read).is_some_and(|count| count > 0)
                || stalls(window, cgroup) > Some(STALLED)
        };
        let explained = explain::paths_of_windows(run, Mechanism::MemoryShort, slowed);
        finding.severity(severity).explains(explained).into()
    } else {
        finding.severity(Severity::Info).into()
    }
}

fn fires(run: &Run, cgroup: &Cgroup, message: String, evidence: String) -> Finding {
    RULE.finding(Kind::Cgroup.named(&cgroup.path).aspect("memory.max"), message)
        .evidence(evidence, format!("/sys/fs/cgroup{}/memory.*", cgroup.path))
        .advice(advice(run, cgroup))
}

/// The soft limit is lifted where there is one; the hard limit is only raised by who knows what else the host has to hold.
fn advice(run: &Run, cgroup: &Cgroup) -> Advice {
    let why = because("The group is short of memory although the host is not.")
        .expecting("memory.events no longer grows");
    if let Some(elsewhere) = owner::instead(cgroup) {
        return why.and(elsewhere);
    }
    let file = format!("/sys/fs/cgroup{}/memory.high", cgroup.path);
    let why = match cgroup.memory_high_bytes {
        None => why,
        Some(high) => why
            .run(
                sh!("echo max > {}", file),
                format!("Lets the group use memory up to its hard limit {}", owner::UNTIL),
            )
            .needs(owner::AGREES)
            .check(
                "awk '/^MemTotal:/ { total = $2 } /^MemAvailable:/ { left = $2 } END { exit !(left > total / 20) }' /proc/meminfo",
                "the host has memory left: MemAvailable is above a twentieth of MemTotal",
            )
            .undo_run(
                sh!("echo {} > {}", high, file),
                "Sets the soft limit again: what is above it is reclaimed at once",
            )
            .pauses("the programs of the group"),
    };
    let unit = cgroup.path.rsplit('/').next().filter(|name| is_unit(name)).unwrap_or("UNIT");
    why.persist(format!(
        "`systemctl set-property {unit} MemoryHigh=infinity`, and MemoryMax= above {}: both take effect at once and are kept",
        taken_by(run.host.databases.iter().filter(|database| facts::holds(cgroup, database)))
    ))
    .undo(format!("MemoryHigh= and MemoryMax= of {unit} as they were, by the same command"))
}

/// What systemd makes a group for (systemd.resource-control(5)).
fn is_unit(name: &str) -> bool {
    [".service", ".slice", ".scope"].iter().any(|kind| name.ends_with(kind))
}
