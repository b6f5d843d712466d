rule! {
    /// # What it checks
    /// Passes when FC ports and SAS phys with a link counted no damaged frames or words during the run beyond what the
    /// standards allow, and no loss of the link. A port or phy without a link counts noise; one loss of synchronisation
    /// is the initialisation of a loop or a login.
    /// Counters that were read once are judged by what they came to since boot. From one an hour on, frames with a bad
    /// checksum are a warning where they are more than the bit error rate of the standard makes of what the disks behind the
    /// port moved, and losses of the link are worth a note. Invalid words are not judged then, for each link that goes down
    /// and comes up counts many.
    /// # Why it matters
    /// Each bad frame costs a retry of the whole command, often after seconds: a link that only works mostly is
    /// slower than a broken one.
    /// # Evidence
    /// `invalid_crc_count`, `loss_of_sync_count`, `link_failure_count`, `invalid_dword_count` and similar over
    /// the windows, or since boot.
    /// # Remedy
    /// Clean or replace the transceiver and cable.
    /// # Source
    /// Linux Documentation/ABI (sysfs-class-fc_host statistics); `drivers/scsi/scsi_transport_sas.c` (phy error
    /// counters); `node_exporter` fibrechannel collector. INCITS FC-PI: a link has a bit error rate of at most 1e-12.
    code: "link-errors",
    title: "a storage link counts errors",
    layer: Storage, severity: Critical, on: [Port], limits: [LinkFault],

    /// A single error may be an accident.
    const ACCIDENT: f64 = 1.0;
    /// Errors that a bit error rate of 10^-11 makes in a gigabyte.
    const IN_A_GB: f64 = 0.08;
    /// Months even out what a moment may not have: a link that the standard allows makes no more errors than this on average.
    const IN_A_GB_SINCE_BOOT: f64 = 0.008;
    /// Since boot, those of one an hour (own choice: a switch that is replaced makes some dozens).
    const AN_HOUR: u64 = 1;
}

/// What arrived damaged.
const DAMAGED: [&str; 4] =
    ["invalid_crc_count", "invalid_tx_word_count", "invalid_dword_count", "running_disparity_error_count"];
/// Of these the one that only frames count, not links that come up.
const FRAMES: &str = "invalid_crc_count";
/// Times that the link was lost.
const LOST: [&str; 4] =
    ["link_failure_count", "loss_of_signal_count", "loss_of_sync_count", "loss_of_dword_sync_count"];

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    // Some drivers tell no state; then nothing shows that the port has no link.
    let ports = host.fc_hosts.iter().map(|port| {
        let linked = matches!(port.port_state.as_str(), "" | "Online");
        if linked { judge(run, &port.name) } else { Outcome::Passes }
    });
    let phys = host.sas_phys.iter().map(|phy| match phy.negotiated_gbit_per_s {
        Some(speed) if speed > 0.0 => judge(run, &phy.name),
        _ => Outcome::Passes,
    });
    ports.chain(phys).collect()
}

fn judge(run: &Run, name: &str) -> Outcome {
    if facts::side::own(run).is_read_once() {
        return judge_since_boot(run, name);
    }
    let grown = grown(name, |read| facts::grown_in_all(run, read));
    if grown.is_empty() {
        return facts::unwatched(run, &format!("the error counters of {name}"));
    }
    let bytes = bytes_behind(run, name, |read| facts::grown_in_all(run, read));
    let allowed = ACCIDENT + IN_A_GB * bytes / 1e9;
    let damaged = grown.iter().find(|(name, count)| DAMAGED.contains(name) && *count as f64 > allowed);
    let lost = grown.iter().find(|(name, count)| LOST.contains(name) && *count as f64 > ACCIDENT);
    let (worst, severity) = match (damaged, lost, is_in_use(run, name)) {
        (Some(damaged), _, true) => (damaged, Severity::Critical),
        (None, Some(lost), true) => (lost, Severity::Warning),
        (Some(either), _, false) | (None, Some(either), false) => (either, Severity::Info),
        (None, None, _) => return Outcome::Passes,
    };
    fires(run, name, worst, &grown, Span::default()).severity(severity).into()
}

fn judge_since_boot(run: &Run, name: &str) -> Outcome {
    let what = format!("the error counters of {name}");
    let own = side::sides(run).into_iter().next();
    let Some((own, span)) = own.and_then(|own| own.since_boot().map(|span| (own, span))) else {
        return facts::unwatched(run, &what);
    };
    let total = |read: &dyn Fn(&Counters) -> Option<u64>| own.counted(read).map(|growth| growth.count);
    let grown = grown(name, |read| total(&read));
    let judged: Vec<_> = grown.iter().filter(|(name, _)| *name == FRAMES || LOST.contains(name)).collect();
    if judged.is_empty() {
        return facts::unread(&what);
    }
    let allowed = IN_A_GB_SINCE_BOOT * bytes_behind(run, name, |read| total(&read)) / 1e9;
    let weigh = |(counter, count): &(&str, u64)| {
        let felt = *counter == FRAMES && *count as f64 > allowed && is_in_use(run, name);
        span.weight((*count, AN_HOUR), felt, Severity::Warning)
    };
    let weighed = judged.into_iter().filter_map(|one| Some((weigh(one)?, one)));
    match weighed.max_by_key(|(severity, _)| *severity) {
        Some((severity, worst)) => fires(run, name, worst, &grown, span).severity(severity).into(),
        None => Outcome::Passes,
    }
}

/// The error counters of a port or phy, as far as they were read.
fn grown(
    name: &str,
    count: impl Fn(&dyn Fn(&Counters) -> Option<u64>) -> Option<u64>,
) -> Vec<(&'static str, u64)> {
    let all = DAMAGED.into_iter().chain(LOST);
    let read = all.filter_map(|counter| {
        let key = format!("{name}/{counter}");
        Some((counter, count(&|counters| counters.errors.get(&key).copied())?))
    });
    read.collect()
}

/// What passed to and from the disks behind a port; 0 where they are not known.
fn bytes_behind(
    run: &Run,
    port: &str,
    count: impl Fn(&dyn Fn(&Counters) -> Option<u64>) -> Option<u64>,
) -> f64 {
    let behind = facts::whole_disks(&run.host).filter(|disk| facts::is_behind(disk, port));
    let moved = behind.filter_map(|disk| {
        count(&|counters| {
            counters.disks.get(&disk.name).map(|disk| disk.read_bytes.saturating_add(disk.write_bytes))
        })
    });
    moved.fold(0, u64::saturating_add) as f64
}

/// It leads to a measured target or to a database's files; where nothing is known behind any port, each may.
fn is_in_use(run: &Run, port: &str) -> bool {
    let data = facts::possible_data_devices(run);
    let of_data = |disk: &&Disk| data.contains(disk.name.as_str());
    let known = facts::whole_disks(&run.host).any(|disk| disk.scsi.is_some());
    // A SAS phy is not matched to disks.
    !known
        || port.starts_with("phy")
        || facts::whole_disks(&run.host).filter(of_data).any(|disk| facts::is_behind(disk, port))
}

fn fires(run: &Run, name: &str, (counter, count): &(&str, u64), all: &[(&str, u64)], span: Span) -> Finding {
    let grew = all.iter().filter(|(_, count)| *count > 0);
    let shown: Vec<String> = grew.map(|(counter, count)| span.count(counter, *count)).collect();
    let message = if span.is_total() {
        format!("storage link {name} counts errors: {counter} is {count}{}", span.when(*count))
    } else {
        format!("storage link {name} counts errors: {counter} grew by {count} during the run")
    };
    RULE.finding(Kind::Port.named(name), message)
        .measured(*count as f64, ACCIDENT, Unit::Count)
        .evidence(shown.join(", "), format!("/sys/class/*/{name}"))
        .explains(reached_through(run, name))
        .because("A frame with a bad checksum is dropped; the command is sent again after its timeout.")
        .now("clean and reseat the transceiver and cable of that port, at both ends")
        .persist("replace the part whose counter still grows")
        .expecting("counters that no longer grow under load")
}

/// The measured targets whose disks are reached through an FC port; a SAS phy is not matched to disks.
fn reached_through(run: &Run, port: &str) -> Vec<Explanation> {
    let through = |target: &facts::Target<'_>| target.leaves().any(|disk| facts::is_behind(disk, port));
    let targets = facts::targets(run).into_iter().filter(through);
    targets.map(|target| explain::target(&target, Mechanism::LinkFault)).collect()
}
