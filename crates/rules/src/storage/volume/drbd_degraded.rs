rule! {
    /// # What it checks
    /// Passes when each DRBD device has a connection and a copy on both sides that is up to date, or is getting one.
    /// # Why it matters
    /// The database goes on as before, on one copy: no node can take over, and the next failure of a disk loses the data.
    /// # Evidence
    /// `/proc/drbd` of DRBD 8.4; of a captured tree also `drbdsetup status` of DRBD 9.
    /// # Remedy
    /// By the state: the network to the peer, its disk, or a split brain, where a person decides whose writes are kept.
    /// # Source
    /// drbd-8.4(7), connection states and disk states; drbdsetup-9.0(8), status; DRBD user's guide, "Manual split brain
    /// recovery" and "Dealing with hard disk failure".
    code: "drbd-degraded",
    title: "a DRBD device has no second copy",
    layer: Storage, severity: Critical, on: [Disk],
    check: |run| run.host.disks.iter().filter(|disk| disk.name.starts_with("drbd")).map(|disk| judge(run, disk)).collect(),
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let mut told = run.host.resyncs.iter().filter(|copy| copy.of == super::DRBD && copy.name == disk.name);
    match told.next() {
        Some(copy) if !super::is_under_way(copy) => fires(copy),
        None if run.host.gaps.iter().any(|gap| gap.subject == "/proc/drbd") => {
            facts::unread("the state of DRBD")
        }
        _ => Outcome::Passes,
    }
}

fn fires(copy: &Resync) -> Outcome {
    const WHY: &str = "Every write is on one disk alone until the other side has it.";
    let (name, state) = (&copy.name, copy.action.as_str());
    let advice = because(WHY)
        .look(
            "cat /proc/drbd",
            "Shows the state of each connection and disk; of DRBD 9 `drbdadm status` does",
        )
        .look("dmesg -T | grep -F drbd | tail -n 40 || true", "Shows when it was lost, and why");
    let (is, severity, advice) = match state.rsplit_once(' ') {
        Some((whose, disk)) => (
            format!("its {whose} is {disk}"),
            Severity::Critical,
            advice
                .now(format!("Read there why the {whose} is {disk}, and replace it if it is broken. Never invalidate the side that is UpToDate"))
                .persist("Once it is sound, `drbdadm attach RESOURCE` on that side: DRBD copies what it lacks"),
        ),
        None if state == "StandAlone" => (
            "it is not connected and does not try to be (StandAlone)".to_owned(),
            Severity::Critical,
            advice
                .now("Look for \"Split-Brain detected\" on both nodes. If it is there, both have written: decide whose writes are kept before you connect them, for the other side loses its own (DRBD user's guide, manual split brain recovery)")
                .persist("Without a split brain `drbdadm connect RESOURCE` on this node connects it again"),
        ),
        None => (
            format!("it has no connection to its peer ({state})"),
            Severity::Warning,
            advice
                .now("See whether the peer runs, whether DRBD is up there, and whether its address and port in /etc/drbd.d can be reached from here")
                .persist("Mend the link: DRBD connects by itself and copies what the peer lacks"),
        ),
    };
    finding!(Kind::Disk.named(name), "DRBD device {name} has no second copy: {is}")
        .severity(severity)
        .evidence(state, copy.source.clone())
        .advice(advice.expecting("Connected, and UpToDate on both sides"))
        .into()
}
