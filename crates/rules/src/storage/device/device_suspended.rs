rule! {
    /// # What it checks
    /// Passes when no device-mapper map is suspended, and no SCSI disk below a map, mount or volume is in another state
    /// than running. Disks that a lost session or port took away are one note, and so are paths whose
    /// map has another one: these losses have their own findings.
    /// # Why it matters
    /// All I/O to a suspended map waits forever; I/O to an off-line disk fails.
    /// # Evidence
    /// State of the map; `/sys/block/sdX/device/state`.
    /// # Remedy
    /// `dmsetup resume NAME`; `echo running > /sys/block/sdX/device/state` after the cause is fixed.
    /// # Source
    /// dmsetup(8), suspend and resume; Linux `Documentation/scsi/scsi_eh.rst` (off-line devices).
    code: "device-suspended",
    title: "a device is suspended or offline",
    layer: Storage, severity: Critical, on: [Disk], limits: [Suspended],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut lost: BTreeMap<(Option<Lost>, bool, &str), Vec<&Disk>> = BTreeMap::new();
    for disk in run.host.disks.iter().filter(|disk| disk.dm.is_some() || disk.scsi.is_some()) {
        let suspended = disk.dm.as_ref().and_then(|dm| dm.suspended);
        let state = disk.scsi.as_ref().map(|scsi| scsi.state.as_str()).filter(|state| !state.is_empty());
        match (suspended, state) {
            (Some(true), _) => outcomes.push(is_suspended(run, disk)),
            (_, Some(state)) if !matches!(state, "running" | "created" | "quiesce") => {
                let goes_on = facts::lost::has_sibling(&run.host, &disk.name);
                let cause = facts::lost::lost_link(run, disk);
                lost.entry((cause, goes_on, state)).or_default().push(disk);
            }
            (None, None) => outcomes.push(facts::unread(&format!("the state of {}", disk.name))),
            _ => outcomes.push(Outcome::Passes),
        }
    }
    outcomes.extend(lost.into_iter().map(|((cause, goes_on, state), disks)| {
        let cause = cause.or_else(|| facts::lost::of_path(run, disks[0]));
        are_lost(cause.as_ref(), goes_on, state, &disks)
    }));
    outcomes
}

const HANGS: &str = "Processes that touch the device hang in uninterruptible sleep or get errors.";
const FEWER_PATHS: &str = "The map has fewer paths left, and with the last one all I/O to it stops.";

fn advice(why: &'static str, remedy: ShellCommand) -> Advice {
    because(why)
        .look("dmesg | tail -n 50", "Shows why")
        .run(remedy, "Resumes I/O")
        .check(
            "pgrep -x 'lvm|multipath|dmsetup' > /dev/null; test $? = 1",
            "no LVM or multipath command is still at work",
        )
        .needs("the path or disk works again")
        .persist("Repair the path, the disk, or what the interrupted LVM command left")
        .undo("Nothing to undo")
        .expecting("state running (LIVE) and I/O that completes")
}

fn is_suspended(run: &Run, disk: &Disk) -> Outcome {
    let finding = finding!(Kind::Disk.named(&disk.name), "{} is suspended: all I/O to it waits", disk.name)
        .evidence("suspended: all I/O to it waits", format!("/sys/block/{}", disk.name))
        .advice(advice(HANGS, sh!("dmsetup resume {}", disk.dm.as_ref().map_or("", |dm| &dm.name))));
    let targets = facts::targets(run);
    let waits = |target: &&facts::Target| {
        target.result.unanswered().is_some() && target.suspended().is_some_and(|map| map.name == disk.name)
    };
    let waiting = targets.iter().filter(waits);
    finding.explains(waiting.map(|target| explain::target(target, Mechanism::Suspended).active(1.0))).into()
}

/// Disks that one cause took away. What that is has its own finding. `goes_on`: by another path of their multipath maps.
fn are_lost(cause: Option<&Lost>, goes_on: bool, state: &str, disks: &[&Disk]) -> Outcome {
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    let (are, them) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    // The transport takes these two states back itself once it reaches the port again (scsi_transport_fc, iscsi): written
    // by hand, I/O goes where nobody answers.
    let why = if goes_on { FEWER_PATHS } else { HANGS };
    let advice = if matches!(state, "blocked" | "transport-offline") {
        because(why)
            .look("dmesg | tail -n 50", "Shows why")
            .now("Repair port, cable, switch or session: the state is running again once the port answers")
            .persist("Repair the path that was lost")
            .expecting("state running and I/O that completes")
    } else {
        let remedies = names.iter().map(|name| sh!("echo running > /sys/block/{}/device/state", name));
        advice(why, ShellCommand::joined(remedies, " && "))
    };
    let io = if goes_on { "goes by other paths".to_owned() } else { format!("to {them} fails or waits") };
    let finding = finding!(Kind::Disk.named(names[0]), "{} {are} {state}: I/O {io}", facts::listed(&names))
        .also(names[1..].iter().copied())
        .evidence(
            format!("{state}: {}", facts::listed(&names)),
            format!("/sys/block/{}/device/state", names[0]),
        )
        .advice(advice);
    Lost::takes(cause, finding, false).into()
}
