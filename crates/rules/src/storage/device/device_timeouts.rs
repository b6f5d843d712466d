use crate::facts::lost;

rule! {
    /// # What it checks
    /// Passes when the kernel logged no command that timed out, no device that was taken off-line and no lost session
    /// of the storage within the last day.
    /// # Why it matters
    /// A command that times out has waited 30 seconds or longer; the database waited for as long. Afterwards every
    /// counter looks healthy again.
    /// # Evidence
    /// Kernel log lines of the SCSI, NVMe, FC and iSCSI drivers. A line that names a device counts in full only where
    /// the device carries the data; a remote port that is given up while the host boots is a note, and so are lines that follow from
    /// a lost session or port, which has its own finding.
    /// # Remedy
    /// The path that the line names: adapter, cable, switch and array port; firmware of the disk or controller.
    /// # Source
    /// Linux `Documentation/scsi/scsi_eh.rst` (time-out, abort, off-line); `drivers/scsi/scsi_transport_fc.c` ("blocked
    /// FC remote port time out"); drivers/scsi/libiscsi.c ("session recovery timed out"); drivers/nvme/host/pci.c
    /// ("timeout, aborting") and
    /// tcp.c ("failed to connect socket"); `drivers/scsi/vmw_pvscsi.c` ("task abort on host"); `drivers/scsi/scsi_lib.c`
    /// ("rejecting I/O to offline device").
    code: "device-timeouts",
    title: "the kernel logged storage timeouts",
    layer: Storage, severity: Critical, on: [Disk, KernelLog], limits: [IoErrors],

    /// Ports are searched and paths tried while the host boots.
    const BOOTING_S: f64 = 300.0;
    /// Lines that are quoted; the others are counted.
    const QUOTED: usize = 6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let is_trouble = |line: &&LogLine| {
        said::of(line, &run.host.kernel_log).is_none_or(|entry| entry.severity > Some(Severity::Info))
    };
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "scsi-timeout").filter(is_trouble);
    // One loss fills the log with lines about each of its disks: one finding for each cause.
    let mut told: BTreeMap<Key, Vec<Told>> = BTreeMap::new();
    for one in lines.filter_map(|line| judge(run, line)) {
        let first = one.disks.first().filter(|_| one.cause.is_none()).map_or("", |disk| &disk.name);
        told.entry((Reverse(one.severity), one.cause.clone(), first)).or_default().push(one);
    }
    let findings: Vec<Outcome> = told.into_values().map(|lines| fires(run, &lines)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// What lines have in common that one loss wrote: how bad, the cause, the disk where no cause is known.
type Key<'a> = (Reverse<Severity>, Option<Lost>, &'a str);

/// A line, the disks that it names, and what took them away.
struct Told<'a> {
    line: &'a LogLine,
    disks: Vec<&'a Disk>,
    cause: Option<Lost>,
    severity: Severity,
}

/// The line says which device it is about, of a kind whose names are known of this host's disks: a SCSI address, a
/// controller, a remote port.
fn names_a_device(run: &Run, text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_scsi =
        run.host.disks.iter().any(|disk| disk.scsi.as_ref().is_some_and(|scsi| !scsi.address.is_empty()));
    let has_nvme = run.host.disks.iter().any(|disk| disk.name.starts_with("nvme"));
    words(text).any(|word| {
        let parts: Vec<&str> = word.split(':').collect();
        let by_address = parts.len() == 4 && parts.iter().all(|part| is_number(part));
        let by_controller = word.strip_prefix("nvme").is_some_and(is_number);
        has_scsi && (by_address || word.starts_with("rport-")) || has_nvme && by_controller
    })
}

/// Its words without what stands around them: `scsi 1:1:0:1 due`, `sd 2:0:0:1: [sdb]`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_end_matches([':', ',', '.']))
}

/// The controller in the name of a namespace (`nvme1n1`), for what was captured without sysfs.
fn controller_of(disk: &Disk) -> Option<&str> {
    let known = disk.nvme.as_ref().is_some_and(|nvme| !nvme.controllers.is_empty());
    let (controller, _) = disk.name.strip_prefix("nvme").filter(|_| !known)?.split_once('n')?;
    disk.name.get(.."nvme".len() + controller.len())
}

/// What of a disk a line may name: itself, its SCSI address, its NVMe controller, the remote port of its host, its
/// iSCSI session.
fn is_named(host: &Host, disk: &Disk, text: &str) -> bool {
    let controllers = disk.nvme.iter().flat_map(|nvme| &nvme.controllers).map(|one| one.name.as_str());
    let by_name =
        facts::log::names_one_of(text, controllers.chain(controller_of(disk)).chain([disk.name.as_str()]));
    let address = disk.scsi.as_ref().map(|scsi| scsi.address.as_str()).filter(|address| !address.is_empty());
    let by_address = address.is_some_and(|address| words(text).any(|word| word == address));
    let by_port = port_named(host, text).is_some_and(|port| port.carries(disk) == Some(true));
    let by_session = host.iscsi_sessions.iter().any(|session| {
        // `connection2:0` is of `session2`.
        let connection = format!("connection{}:", session.name.trim_start_matches("session"));
        (facts::log::names_one_of(text, [session.name.as_str()]) || text.contains(&connection))
            && facts::lost::disks_of(host, session).contains(&disk.name.as_str())
    });
    by_name || by_address || by_port || by_session
}

/// The remote port that a line names (`rport-1:0-1: blocked FC remote port time out`), of those that are known.
fn port_named<'a>(host: &'a Host, text: &str) -> Option<&'a FcRemotePort> {
    host.fc_remote_ports.iter().find(|port| facts::log::names_port(text, &port.name))
}

/// The disk may have to do with the remote port that a line names: it is behind the same adapter, and no disk is known
/// that the port carries.
fn may_be_behind(host: &Host, disk: &Disk, text: &str) -> bool {
    let Some(number) = disk.scsi_host_number() else { return false };
    // The disks of a port that was given up are removed with it.
    let carries_some =
        |port: &FcRemotePort| facts::whole_disks(host).any(|disk| port.carries(disk) == Some(true));
    text.contains(&format!("rport-{number}:")) && !port_named(host, text).is_some_and(carries_some)
}

fn judge<'a>(run: &'a Run, line: &'a LogLine) -> Option<Told<'a>> {
    let data = facts::possible_data_devices(run);
    let disks: Vec<&Disk> =
        facts::whole_disks(&run.host).filter(|disk| is_named(&run.host, disk, &line.text)).collect();
    let behind = || facts::whole_disks(&run.host).filter(|disk| may_be_behind(&run.host, disk, &line.text));
    let of_data = disks.iter().copied().chain(behind()).any(|disk| data.contains(disk.name.as_str()));
    let of_the_run = facts::log::is_of_the_run(run, line);
    let at_boot = line.seconds.is_some_and(|seconds| seconds < BOOTING_S);
    let names_another = !disks.is_empty() || names_a_device(run, &line.text);
    let first = disks.first().copied().or_else(|| behind().next());
    let of_disk = || first.and_then(|disk| facts::lost::lost_link(run, disk));
    let of_port = || facts::lost::lost_port_named(run, &line.text);
    let cause = facts::lost::lost_controller(run, &line.text).or_else(of_disk).or_else(of_port);
    let severity = match facts::log::age_s(run, line) {
        // A drive for removable media, a disk of no one's data, or one that is gone.
        Some(_) if names_another && !of_data && !data.is_empty() => Severity::Info,
        // A port that the fabric no longer has is given up; `fc-remote-port-lost` judges what is missing now.
        Some(_) if at_boot && (!of_data || line.text.contains("rport-")) => Severity::Info,
        Some(_) if of_the_run => Severity::Critical,
        Some(_) if facts::log::is_recent(run, line) => Severity::Warning,
        Some(_) => return None,
        None => Severity::Info,
    };
    Some(Told { line, disks, cause, severity })
}

/// What the line says of the device.
fn what(text: &str) -> &'static str {
    match () {
        () if text.contains("offline")
            || text.contains(".00: disable")
            || text.contains("after reset failure") =>
        {
            "went offline, and every request to it fails"
        }
        () if text.contains("ping timeout")
            || text.contains("reconnect")
            || text.contains("connect socket") =>
        {
            "lost the connection"
        }
        () => "did not answer in time",
    }
}

const LOOK: &str = "dmesg -T | grep -iE 'timeout|timing out|abort|offline|connect|rport|session'";

/// The paths of the maps, where there are maps.
fn paths_too(host: &Host) -> String {
    if host.multipath.is_empty() { String::new() } else { format!("; {}", show_paths(host)) }
}

/// What ends it, by what the disks are.
fn lasting(run: &Run, names: &[&str], text: &str) -> (&'static str, Option<OfDrive>) {
    let host = &run.host;
    let disks: Vec<&Disk> = names.iter().filter_map(|name| host.disk(name)).collect();
    let is_ebs = |disk: &&Disk| disk.model == super::ebs_limit_exceeded::MODEL;
    if !disks.is_empty() && disks.iter().all(is_ebs) {
        let volume = "an EBS volume that pauses goes on again: nvme_core.io_timeout at its largest lets requests wait for it; \
                      the volume's status checks and its limits (rate, throughput) in CloudWatch tell why it paused";
        return (volume, None);
    }
    let of_map = |disk: &Disk| {
        let mut paths = host.multipath.iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
        paths.any(|path| path.device == disk.name)
    };
    if disks.iter().any(|disk| of_map(disk)) || disks.is_empty() && text.contains("rport-") {
        let paths = "repair what all lost paths have in common: adapter, port, switch, controller of the array; fast_io_fail_tmo and recovery_tmo shorten the wait";
        return (paths, None);
    }
    let drive = "look at its link first, then at its firmware; replace the device only when both are sound";
    (drive, Some(OfDrive::Replaced))
}

/// Of a line that says no more than that an answer was missing.
fn general(run: &Run, names: &[&str], text: &str) -> Advice {
    let (lasting, drive) = lasting(run, names, text);
    because("The command waited for its whole timeout before anything else was tried.")
        .now(format!("{LOOK}{}", paths_too(&run.host)))
        .persist(lasting)
        .last(|step| step.drive = drive)
        .expecting("no further line under the same load")
}

/// What one cause wrote.
fn fires(run: &Run, lines: &[Told]) -> Outcome {
    let first = &lines[0];
    let mut names: Vec<&str> = Vec::new();
    for disk in lines.iter().flat_map(|one| &one.disks) {
        if !names.contains(&disk.name.as_str()) {
            names.push(&disk.name);
        }
    }
    let who = if names.is_empty() { "storage".to_owned() } else { facts::listed(&names) };
    let ago = facts::log::ago(run, first.line);
    let entry = said::of(first.line, &run.host.kernel_log);
    let who = match (entry, said::device_of(&first.line.text)) {
        (Some(_), Some(device)) if names.is_empty() => device.to_owned(),
        _ => who,
    };
    let said = entry.map_or_else(
        || format!("{who} {}", what(&first.line.text)),
        |entry| entry.message(&who, &first.line.text, "", ""),
    );
    let message = format!("{said}{ago}: {}", first.line.text);
    let of_the_run = lines.iter().filter(|one| facts::log::is_of_the_run(run, one.line));
    let acted: BTreeSet<&str> = of_the_run
        .flat_map(|one| &one.disks)
        .map(|disk| disk.name.as_str())
        .filter(|disk| !lost::has_sibling(&run.host, disk))
        .collect();
    let mut finding = RULE
        .finding(names.first().map_or(Kind::KernelLog.only(), |name| Kind::Disk.named(*name)), message)
        .also(names.iter().skip(1).copied())
        .severity(first.severity)
        .explains(acted.iter().flat_map(|name| explain::targets_on(run, name, Mechanism::IoErrors)))
        .advice(
            entry.map_or_else(|| general(run, &names, &first.line.text), |entry| entry.advice(&run.host)),
        );
    for one in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(one.line), "kernel log");
    }
    if lines.len() > QUOTED {
        finding = finding.evidence(format!("{} lines more", lines.len() - QUOTED), "kernel log");
    }
    Lost::takes(first.cause.as_ref(), finding, facts::log::is_of_the_run(run, first.line)).into()
}
