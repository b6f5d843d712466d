use crate::measurement;

rule! {
    /// # What it checks
    /// Passes when no md array, RAID volume of LVM, DRBD device or ZFS pool runs a resync, recovery or check, and LVM moves no
    /// extents (`pvmove`). A scrub of ZFS is a note: it steps back behind the I/O of others.
    /// # Why it matters
    /// It reads (and writes) the members in competition with the database: what is measured meanwhile is too
    /// low.
    /// # Evidence
    /// `md/sync_action` and the share that is done; the status of LVM's `raid` targets; `/proc/drbd`, and of a captured tree
    /// `drbdsetup status` and `zpool status`.
    /// # Remedy
    /// Stop a check, or slow a rebuild down (`sync_speed_min`, `sync_speed_max`); otherwise measure again when it has ended.
    /// # Source
    /// Linux Documentation/admin-guide/md.rst, `sync_action` and `sync_speed_max`; device-mapper/dm-raid.rst, sync action;
    /// lvmraid(7), `--maxrecoveryrate`; pvmove(8), "--abort". drbd.conf-8.4(5), `c-max-rate`; drbdadm(8), "adjust".
    /// `OpenZFS`, zpool-scrub(8), "-p"; zpool-resilver(8).
    code: "md-resync",
    title: "an array, RAID volume, replica or pool is rebuilding or checking",
    layer: Storage, severity: Warning, on: [Disk, Pool], limits: [Rebuild],

    /// Of the time with a request in flight, from which on a disk is busy (own choice).
    const BUSY: f64 = 0.9;
    /// Requests that many in flight complete, over those of one in flight, on a disk that is full (own choice).
    const NO_MORE: f64 = 1.1;
    /// Reads whose time is that of a request and not of its bytes (own choice).
    const SMALL_BYTES: u64 = 64 << 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let arrays = run.host.disks.iter().filter_map(|disk| Some(judge_array(run, disk, disk.md.as_ref()?)));
    // The kernel runs md below these, too.
    let volumes = run.host.logical_volumes.iter().filter_map(|volume| {
        let raid = volume.raid.as_ref().filter(|raid| !raid.sync_action.is_empty())?;
        Some(judge_volume(run, volume, raid))
    });
    let others =
        run.host.resyncs.iter().filter(|copy| super::is_under_way(copy)).map(|copy| judge_copy(run, copy));
    arrays.chain(volumes).chain(others).collect()
}

fn judge_array(run: &Run, disk: &Disk, md: &MdArray) -> Outcome {
    match md.sync_action.as_str() {
        // RAID 0 and linear arrays have nothing to rebuild.
        "" if matches!(md.level.as_str(), "raid0" | "linear") => Outcome::Passes,
        "" => facts::unread(&format!("sync_action of {}", disk.name)),
        action if !facts::is_syncing(action) => Outcome::Passes,
        action => {
            let name = &disk.name;
            let advice = match action {
                "check" => stop_check(name),
                _ if md.degraded > 0 => let_finish(name),
                _ => slow_down(name),
            };
            let finding = finding(Kind::Disk, &format!("array {name}"), name, action, md.sync_done)
                .evidence(format!("sync_action {action}"), format!("/sys/block/{name}/md/sync_action"))
                .advice(advice);
            limits(run, finding, name)
        }
    }
}

/// A check only compares: it may end at any time. Its guaranteed speed (`dev.raid.speed_limit_min`) wins over a lower limit.
fn stop_check(name: &str) -> Advice {
    why()
        .run(sh!("echo idle > /sys/block/{}/md/sync_action", name), "Stops the check, which changes nothing on the disks")
        .persist("Move it to a quiet hour (raid-check, checkarray and mdcheck begin it by cron or a timer), and lower dev.raid.speed_limit_min in /etc/sysctl.d, the speed that it is guaranteed")
        .undo_run(sh!("echo check > /sys/block/{}/md/sync_action", name), "Begins the check again")
        .expecting("sync_action idle; then measure again")
}

/// The array has lost a disk: what is gained by a slower rebuild is paid with the time in which the next failure loses it.
fn let_finish(name: &str) -> Advice {
    let name = as_word(name);
    why()
        .now(format!(
            "Let it finish: until then the next failure loses the array. Only if the database cannot do its work \
             meanwhile, `echo 20000 > /sys/block/{name}/md/sync_speed_max` slows it down to 20 MB/s"
        ))
        .undo(format!("`echo system > /sys/block/{name}/md/sync_speed_max`, if it was slowed down"))
        .expecting("sync_action idle; then measure again")
}

fn slow_down(name: &str) -> Advice {
    why()
        .run(
            sh!("echo 1000 > /sys/block/{}/md/sync_speed_min", name),
            "Guarantees it 1 MB/s and no more: what is guaranteed wins over the limit",
        )
        .run(
            sh!("echo 20000 > /sys/block/{}/md/sync_speed_max", name),
            "Slows the resync down to 20 MB/s, until the database is quiet",
        )
        .needs("the longer time without redundancy is acceptable")
        .persist("dev.raid.speed_limit_min and dev.raid.speed_limit_max in /etc/sysctl.d for all arrays")
        .undo_run(sh!("echo system > /sys/block/{}/md/sync_speed_max", name), "Restores the host's limit")
        .undo_run(
            sh!("echo system > /sys/block/{}/md/sync_speed_min", name),
            "Restores the guaranteed speed of the host",
        )
        .expecting("sync_action idle; then measure again")
}

fn judge_volume(run: &Run, volume: &LogicalVolume, raid: &LvmRaid) -> Outcome {
    match raid.sync_action.as_str() {
        action if !facts::is_syncing(action) => Outcome::Passes,
        _ if is_move(&volume.name) => {
            let name = &volume.name;
            let finding = finding(
                Kind::Disk,
                &format!("volume {name}"),
                name,
                "move of extents (pvmove)",
                raid.sync_done,
            )
            .evidence("a mirror that is not in sync", "device-mapper status")
            .advice(end_move());
            limits(run, finding, &volume.device)
        }
        action => {
            let name = &volume.name;
            let advice = why()
                .run(
                    sh!("lvchange --maxrecoveryrate 20M {}", format!("/dev/mapper/{name}")),
                    "Slows the resync down, until the database is quiet",
                )
                .needs("the longer time without redundancy is acceptable")
                .undo_run(
                    sh!("lvchange --maxrecoveryrate 0 {}", format!("/dev/mapper/{name}")),
                    "Removes the limit again",
                )
                .expecting(format!(
                    "idle in `lvs -o raid_sync_action /dev/mapper/{name}`; then measure again",
                    name = as_word(name)
                ));
            let finding = finding(Kind::Disk, &format!("volume {name}"), name, action, raid.sync_done)
                .evidence(format!("sync action {action}"), "device-mapper status")
                .advice(advice);
            limits(run, finding, &volume.device)
        }
    }
}

/// LVM moves extents through a volume of this name, which no other may begin with (lvm(8), reserved names); a hyphen that is part
/// of a name is doubled.
fn is_move(name: &str) -> bool {
    name.replace("--", "").contains("-pvmove")
}

/// A move may end at any time and be begun again.
fn end_move() -> Advice {
    because("The move reads and writes the same disks; the measurement shows what it leaves.")
        .now("pvmove --abort    # ends all moves: what has been moved stays where it is now, the rest where it was")
        .persist("begin the move again in a quiet hour, with `pvmove` and the same disks")
        .expecting("no pvmove in `lvs -a`; then measure again")
}

/// DRBD's states in words, with the state itself.
fn in_words(action: &str) -> String {
    match action {
        "SyncSource" => "resync to its peer (SyncSource)".to_owned(),
        "SyncTarget" => "resync from its peer (SyncTarget)".to_owned(),
        verify if verify.starts_with("Verify") => format!("comparison with its peer ({verify})"),
        other => other.to_owned(),
    }
}

/// DRBD and ZFS tell only what runs.
fn judge_copy(run: &Run, copy: &Resync) -> Outcome {
    let name = &copy.name;
    let kind = if copy.of == "ZFS pool" { Kind::Pool } else { Kind::Disk };
    let found = finding(kind, &format!("{} {name}", copy.of), name, &in_words(&copy.action), copy.done)
        .evidence(copy.action.clone(), copy.source.clone());
    match copy.action.as_str() {
        "scrub" | "resilver" => {
            let is_of_pool = |mount: &&Mount| {
                mount.fs_type == "zfs" && mount.source.split('/').next() == Some(name.as_str())
            };
            let data = facts::data_mounts(run);
            let carries =
                run.host.mounts.iter().filter(is_of_pool).any(|mount| data.contains(mount.target.as_str()));
            let repairs = copy.action == "resilver";
            let severity = if carries && repairs { Severity::Warning } else { Severity::Info };
            let advice = if repairs {
                why()
                    .now("Let it finish: until then the pool lacks redundancy")
                    .expecting("no `in progress` in `zpool status`; then measure again")
            } else {
                let word = as_word(name);
                why()
                    .now(format!("`zpool scrub -p {word}` pauses it until the database is quiet"))
                    .persist("Move it to a quiet hour, where cron or a timer begins it")
                    .undo(format!("`zpool scrub {word}` continues it"))
                    .expecting("no `in progress` in `zpool status`; then measure again")
            };
            found.severity(severity).advice(advice).into()
        }
        _ => {
            let advice = why()
                .look("cat /proc/drbd", "Shows how far it is, and the resource of the device")
                .now(
                    "Let it end: a copy that is behind cannot take over until then. Only if the database cannot do its work \
                     meanwhile, `drbdadm disk-options --c-max-rate=20M RESOURCE` slows it down to 20 MiB/s",
                )
                .persist("A comparison that cron begins belongs into a quiet hour")
                .undo("`drbdadm adjust RESOURCE` sets the rate of the configuration again")
                .expecting("Established or Connected, and UpToDate on both sides; then measure again");
            limits(run, found.advice(advice), name)
        }
    }
}

fn why() -> Advice {
    because("The rebuild uses the same disks; the measurement shows what it leaves.")
}

fn finding(kind: Kind, what: &str, subject: &str, action: &str, done: Option<f64>) -> Finding {
    let done = done.map_or(String::new(), |done| format!(", {} done", facts::percent(done)));
    finding!(kind.named(subject), "{what} runs a {action}{done}: it competes with the database's I/O")
}

/// Below what was measured it explains the figure; below a database's files it is a warning; elsewhere worth knowing.
fn limits(run: &Run, finding: Finding, device: &str) -> Outcome {
    if !facts::data_devices(run).contains(device) {
        return finding.severity(Severity::Info).into();
    }
    let targets = facts::targets(run);
    let on = || targets.iter().filter(|target| target.stands_on(device));
    let each = on().flat_map(|target| {
        let reads = target.result.steps.iter().filter(|step| {
            step.operation == Operation::Read && step.direct && step.block_bytes <= SMALL_BYTES
        });
        reads.filter_map(|step| {
            let alone = alone_per_s(target, step)?;
            let held = explain::step(target.result, step, Mechanism::Rebuild);
            Some(held.without(alone, Unit::IoPerS, "device-latency"))
        })
    });
    let whole = on().map(|target| explain::target(target, Mechanism::Rebuild));
    finding.explains(each).explains(whole).into()
}

/// What the small reads of a step would reach alone on members that are busy all the time: all requests that these complete,
/// as far as there are as many in flight. Of a busy disk that serves one at a time the time of each is what it is busy for.
fn alone_per_s(target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let members = facts::leaf_layers(target, step);
    let all_per_s: f64 = members.iter().map(|member| member.iops).sum();
    let busy_s: f64 = members.iter().map(|member| member.utilisation).sum();
    let all_busy = !members.is_empty() && members.iter().all(|member| member.utilisation >= BUSY);
    let each_s = busy_s / all_per_s;
    // Disks that serve several requests at a time are never idle, and yet not full.
    let full = measurement::is_driven(target.result, step) || complete_no_more(target, step);
    (all_busy && full).then(|| all_per_s.min(facts::in_flight(step) as f64 / each_s).max(step.iops))
}

/// With more I/Os of a kind in flight the members complete no more requests, whosever these are: they are full.
fn complete_no_more(target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    let all_per_s = |step: &DiskStepResult| -> f64 {
        facts::leaf_layers(target, step).iter().map(|member| member.iops).sum()
    };
    let alike = || target.result.steps.iter().filter(|other| facts::is_alike(other, step));
    let single = alike().min_by_key(|step| facts::in_flight(step));
    let deepest = alike().max_by_key(|step| facts::in_flight(step));
    single.zip(deepest).is_some_and(|(single, deepest)| {
        facts::in_flight(deepest) > facts::in_flight(single)
            && all_per_s(deepest) <= NO_MORE * all_per_s(single)
    })
}
