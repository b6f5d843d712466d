rule! {
    /// # What it checks
    /// Passes when each md array has all its members in sync.
    /// # Why it matters
    /// The next failure loses the data; until then the members that are left serve all reads.
    /// # Evidence
    /// `md/degraded` and the members' states, `/proc/mdstat`.
    /// # Remedy
    /// Replace the failed disk: `mdadm --manage /dev/mdN --remove failed`, then `--add NEW`. While a rebuild runs, let it finish.
    /// # Source
    /// Linux Documentation/admin-guide/md.rst (degraded, dev-XXX/state); node-mixin `NodeRAIDDegraded`.
    code: "md-degraded",
    title: "a software RAID array is missing a member",
    layer: Storage, severity: Critical, on: [Disk], limits: [UnevenLegs],
    check: |run| run.host.disks.iter().filter_map(|disk| Some(judge(run, disk, disk.md.as_ref()?))).collect(),

    /// The explanations by which the devices serve no more, however much is in flight, have this share of the weight at
    /// least (own choice).
    const SURE: f64 = 0.9;
}

/// Reads that meet a limit of the devices: fewer of them share it. While the array is rebuilt, the rebuild has its part.
fn explained(run: &Facts, disk: &Disk, md: &MdArray) -> Vec<Explanation> {
    const OF_DEVICES: [Quantity; 3] = [Quantity::ByteRate, Quantity::RequestRate, Quantity::ServedAtOnce];
    if facts::is_syncing(&md.sync_action) {
        return Vec::new();
    }
    let targets = facts::targets(run).into_iter().filter(|target| target.stands_on(&disk.name));
    let of_target = |target: facts::Target<'_>| {
        let known = run.characteristics.get(target.name())?;
        let held = |id: &MeasurementId| known.share_of(id, &OF_DEVICES) >= SURE;
        explain::steps(target.result, Mechanism::UnevenLegs, |step| {
            step.operation == Operation::Read && held(&target.result.name_of(step))
        })
    };
    targets.filter_map(of_target).collect()
}

fn judge(run: &Facts, disk: &Disk, md: &MdArray) -> Outcome {
    if md.level.is_empty() && md.raid_disks == 0 {
        return facts::unread(&format!("the state of {}", disk.name));
    }
    let bad: Vec<&str> = md
        .members
        .iter()
        .filter(|(_, state)| state.contains("faulty"))
        .map(|(name, _)| name.as_str())
        .collect();
    if md.degraded == 0 && bad.is_empty() {
        return Outcome::Passes;
    }
    if is_made_so(run, disk, md) {
        return Outcome::Passes;
    }
    let name = &disk.name;
    let in_sync = md.members.values().filter(|state| state.contains("in_sync")).count() as u64;
    if md.degraded == 0 && in_sync >= md.raid_disks {
        return replaced(md, name, &facts::listed(&bad));
    }
    let left = md.raid_disks.saturating_sub(md.degraded.max(1));
    let rebuilt = rebuilt(md);
    let which = if let Some(rebuilt) = rebuilt.as_ref().filter(|_| bad.is_empty()) {
        format!("it is being {rebuilt}")
    } else if bad.is_empty() {
        "a member is missing".to_owned()
    } else {
        format!("{} failed", facts::listed(&bad))
    };
    let too_few = is_down(&md.level, left, md.raid_disks);
    let state = if too_few { "has failed" } else { "is degraded" };
    let runs = if too_few { "fewer than it needs are left," } else { "it runs on" };
    finding!(
        Kind::Disk.named(name),
        "{} {name} {state}: {which}, {runs} {left} of {} disks", md.level, md.raid_disks,
    )
    .measured(left as f64, md.raid_disks as f64, Unit::Count)
    .evidence(
        format!("degraded {}, members {}", md.degraded, members(md)),
        format!("/sys/block/{name}/md, /proc/mdstat"),
    )
    .explains(explained(run, disk, md))
    .advice(if too_few {
        put_together(name)
    } else if let Some(rebuilt) = rebuilt {
        because("Until the rebuild is done the next failure loses the array: the members that are left are read from end to end meanwhile.")
            .look(sh!("mdadm --detail {}", format!("/dev/{name}")), "Shows how far the rebuild is and onto which member")
            .now(format!("Let it finish: it is being {rebuilt}; add and remove no disk meanwhile. Below the speed that md guarantees (dev.raid.speed_limit_min, 1 MB/s) the disks hold it up: smartctl of each member, iostat -x"))
            .expecting(format!("{} in /proc/mdstat after the rebuild", whole(md)))
    } else {
        because("The array has used up its redundancy.")
            .look(sh!("mdadm --detail {}", format!("/dev/{name}")), "Shows which member failed")
            .now(format!("`mdadm --manage /dev/{name} --remove failed`, then `mdadm --manage /dev/{name} --add /dev/NEW`", name = as_word(name)))
            .persist("keep a spare in the array, and let `mdadm --monitor` send mail")
            .expecting(format!("{} in /proc/mdstat after the rebuild", whole(md)))
    })
    .into()
}

/// A spare has taken the place of a member that failed, which still belongs to the array (md(4)).
fn replaced(md: &MdArray, name: &str, bad: &str) -> Outcome {
    finding!(
        Kind::Disk.named(name),
        "{} {name} is complete, and {bad} is still in it as failed: a spare took its place",
        md.level,
    )
    .severity(Severity::Warning)
    .evidence(format!("degraded 0, members {}", members(md)), format!("/sys/block/{name}/md, /proc/mdstat"))
    .because("The array has used a spare, and has one less for the next failure.")
    .now(format!(
        "`mdadm --manage /dev/{name} --remove failed`, replace that disk, and add the new one as a spare",
        name = as_word(name)
    ))
    .expecting("no member is marked (F) in /proc/mdstat")
    .into()
}

/// A NAS mirrors its own system over all the bays that it may ever have, and most are empty: more members are missing than
/// there are, none failed, and several arrays are so (QNAP, Synology).
fn is_made_so(run: &Facts, disk: &Disk, md: &MdArray) -> bool {
    let is_sparse = |md: &MdArray| {
        let left = md.raid_disks.saturating_sub(md.degraded);
        md.level == "raid1"
            && (2..md.degraded).contains(&left)
            && !md.members.values().any(|state| state.contains("faulty"))
    };
    let alike = |other: &Disk| {
        other != disk
            && other.md.as_ref().is_some_and(|one| is_sparse(one) && one.raid_disks == md.raid_disks)
    };
    is_sparse(md) && run.host.disks.iter().any(alike)
}

/// What md does to the array at present, onto which member, and how far it is, in words; `None`: nothing that fixes it. While
/// an array is reshaped md rebuilds nothing onto its spares: that comes next by itself (Linux drivers/md/md.c).
fn rebuilt(md: &MdArray) -> Option<String> {
    let what = match md.sync_action.as_str() {
        "recover" => "rebuilt",
        "reshape" => "reshaped, and is rebuilt only then",
        _ => return None,
    };
    let onto: Vec<&str> =
        md.members.iter().filter(|(_, state)| *state == "spare").map(|(name, _)| name.as_str()).collect();
    let done = md.sync_done.map_or_else(String::new, |done| format!(", {:.1} % are done", done * 100.0));
    let onto = if onto.is_empty() { String::new() } else { format!(" onto {}", facts::listed(&onto)) };
    Some(format!("{what}{onto}{done}"))
}

/// With so few members an array of this level has lost blocks (md(4)).
fn is_down(level: &str, left: u64, disks: u64) -> bool {
    let spare = match level {
        "raid0" | "linear" => 0,
        "raid4" | "raid5" => 1,
        "raid6" => 2,
        "raid1" => disks.saturating_sub(1),
        _ => return false,
    };
    left + spare < disks
}

/// What is left of an array with too few members.
fn put_together(name: &str) -> Advice {
    because("Nothing can be read of it until enough members are back. Members that were thrown out one after the other are often sound: a cable, a power supply or a controller failed.")
        .look(sh!("mdadm --detail {}", format!("/dev/{name}")), "Shows which members are left")
        .now("`mdadm --examine` of every member, also of those thrown out: event counts that are close fit together. Copy the members (ddrescue) before anything is tried, then `mdadm --assemble --force` with the best of them. Never --create, --add or --zero-superblock: they overwrite what is left")
        .persist("Restore from the backup what does not come back; a spare in the array, and mail of `mdadm --monitor`")
        .expecting("the array runs again, and its file systems are checked before they are used")
}

/// What `/proc/mdstat` shows of an array with all its members: `[UUUU]`.
fn whole(md: &MdArray) -> String {
    /// More letters than a person counts.
    const MANY: u64 = 16;
    match md.raid_disks {
        disks @ 1..=MANY => format!("[{}]", "U".repeat(usize::try_from(disks).unwrap_or(1))),
        disks => format!("[{disks}/{disks}] and no _"),
    }
}

fn members(md: &MdArray) -> String {
    md.members.iter().map(|(name, state)| format!("{name} {state}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_too_few_members_an_array_has_failed() {
        let down = |level, left, disks| is_down(level, left, disks);
        assert!(down("raid5", 1, 3) && down("raid6", 3, 6) && down("raid1", 0, 2));
        assert!(
            !down("raid5", 2, 3) && !down("raid6", 4, 6) && !down("raid1", 1, 2) && !down("raid10", 1, 4)
        );
    }

    #[test]
    fn each_member_is_a_letter() {
        let of = |raid_disks| whole(&MdArray { raid_disks, ..MdArray::default() });
        assert_eq!((of(2).as_str(), of(4).as_str()), ("[UU]", "[UUUU]"));
        assert_eq!(of(24), "[24/24] and no _");
    }
}
