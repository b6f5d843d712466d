rule! {
    /// # What it checks
    /// Passes when no command to a SCSI disk timed out during the run, and the kernel logged no failed read or write of
    /// a disk that is in use. `ioerr_cnt` alone shows no fault: it counts every command with a result other than
    /// success, among them the path checks of multipathd, smartd's questions and commands that the disk does not know.
    /// It counts here only where the kernel log cannot be read. An error of one path below a multipath map is tried again
    /// on another and weighs less than one of the map, for which every path has failed. Errors of the last day on a disk that
    /// is in use are a warning at least, also of a disk in a ZFS pool; older ones are a note.
    /// # Why it matters
    /// Retries cost seconds; what fails next may be the data.
    /// # Evidence
    /// `device/ioerr_cnt` and `device/iotmo_cnt` over the windows, or since boot; kernel log.
    /// # Remedy
    /// `smartctl -a`, path and cable; replace the disk. A working member of a degraded array stays until the array is whole.
    /// # Source
    /// Linux `drivers/scsi/scsi_lib.c` (`scsi_complete`: `ioerr_cnt` counts each command with a result);
    /// `drivers/scsi/scsi_sysfs.c` (`iotmo_cnt`: timed out); `block/blk-mq.c` (`blk_print_req_error` prints the
    /// operation; DISCARD and `WRITE_ZEROES` may be refused by design, and so may what another host has reserved);
    /// mdadm(8), `--replace`; drivers/md/dm-mpath.c (`multipath_end_io`: only errors of a path are tried again); node-problem-detector kernel-monitor.json
    /// ("Buffer I/O error").
    code: "device-io-errors",
    title: "a disk reported I/O errors",
    layer: Storage, severity: Critical, on: [Disk, KernelLog], limits: [IoErrors],

    /// Without the log: as many errors, and such a share of the requests, are no probing commands any more.
    const MANY: u64 = 10;
    /// Of the requests (own choice).
    const SHARE: f64 = 1e-3;
    /// Since boot, those of one an hour: at the kernel's usual 30 s each they are a hundredth of all time.
    const TIMEOUTS_AN_HOUR: u64 = 1;
    /// Since boot, those of a path or a switch that was once taken away are fewer (own choice).
    const TIMEOUTS_A_DAY: f64 = 1.0;
    /// Lines that are quoted; the others are counted.
    const QUOTED: usize = 4;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = facts::whole_disks(&run.host)
        .filter(|disk| disk.scsi.is_some())
        .map(|disk| judge(run, disk))
        .collect();
    let lines = run.host.kernel_log.iter();
    let is_trouble = |line: &&LogLine| {
        said::of(line, &run.host.kernel_log).is_none_or(|entry| entry.severity > Some(Severity::Info))
    };
    let lines =
        lines.filter(|line| line.pattern == "io-error" && is_of_data(run, &line.text)).filter(is_trouble);
    // One failure writes a line for each layer that it passes: one finding for each disk.
    let mut told: BTreeMap<(Reverse<Severity>, String), Vec<&LogLine>> = BTreeMap::new();
    for (index, line) in lines.enumerate() {
        let disk = disk_of(&run.host, &line.text);
        // What a lost port took away is gone with its disks, and is one loss.
        let key = match disk {
            Some(disk) => disk.name.clone(),
            None if gone_with(run, line).is_some() => " gone".to_owned(),
            None => format!(" {index}"),
        };
        told.entry((Reverse(severity(run, line, disk)), key)).or_default().push(line);
    }
    outcomes.extend(told.into_iter().map(|((severity, _), lines)| logged(run, severity.0, &lines)));
    outcomes
}

/// The lost port behind which a SCSI disk was that a line of today names and that is no longer there.
fn gone_with(run: &Run, line: &LogLine) -> Option<Lost> {
    let name = line.text.split("dev sd").nth(1)?.split(|c: char| !c.is_ascii_lowercase()).next()?;
    let is_gone = !name.is_empty() && run.host.disk(&format!("sd{name}")).is_none();
    (is_gone && facts::log::is_recent(run, line)).then(|| facts::lost::of_gone_disks(run)).flatten()
}

/// The disk that a line is about: of what it names the lowest, a partition's disk.
fn disk_of<'a>(host: &'a Host, text: &str) -> Option<&'a Disk> {
    let named: Vec<&Disk> =
        host.disks.iter().filter(|disk| facts::log::names_one_of(text, [disk.name.as_str()])).collect();
    let whole = named.into_iter().filter_map(|disk| host.disk(disk.parent().unwrap_or(&disk.name)));
    whole.min_by_key(|disk| disk.kind != "disk")
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    if facts::side::own(run).is_read_once() {
        return judge_since_boot(run, disk);
    }
    let errors = facts::grown_in_all(run, |counters| counters.disks.get(&disk.name)?.io_errors);
    let timeouts = facts::grown_in_all(run, |counters| counters.disks.get(&disk.name)?.io_timeouts);
    match (errors, timeouts) {
        (None, None) => facts::unwatched(run, &format!("ioerr_cnt of {}", disk.name)),
        (errors, timeouts) if timeouts.unwrap_or(0) > 0 || is_of_requests(run, disk, errors.unwrap_or(0)) => {
            let (errors, timeouts) = (errors.unwrap_or(0), timeouts.unwrap_or(0));
            let name = &disk.name;
            let message = format!("{name} reported {errors} errors and {timeouts} timeouts during the run");
            counted(run, disk, message, (errors, timeouts), Span::default()).into()
        }
        _ => Outcome::Passes,
    }
}

fn judge_since_boot(run: &Run, disk: &Disk) -> Outcome {
    let what = format!("ioerr_cnt of {}", disk.name);
    let own = side::sides(run).into_iter().next();
    let Some((own, span)) = own.and_then(|own| own.since_boot().map(|span| (own, span))) else {
        return facts::unwatched(run, &what);
    };
    let total = |read: fn(&DiskCounters) -> Option<u64>| {
        own.counted(|counters| read(counters.disks.get(&disk.name)?)).map(|growth| growth.count)
    };
    let (errors, timeouts) = (total(|disk| disk.io_errors), total(|disk| disk.io_timeouts));
    if errors.is_none() && timeouts.is_none() {
        return facts::unread(&what);
    }
    let (errors, timeouts) = (errors.unwrap_or(0), timeouts.unwrap_or(0));
    if span.a_day(timeouts) >= TIMEOUTS_A_DAY {
        let of_data = facts::possible_data_devices(run).contains(disk.name.as_str());
        let felt = of_data && span.has(timeouts, TIMEOUTS_AN_HOUR);
        let message = format!("{} had {timeouts} timeouts{}", disk.name, span.when(timeouts));
        let severity = if felt { Severity::Warning } else { Severity::Info };
        return counted(run, disk, message, (errors, timeouts), span).severity(severity).into();
    }
    let requests = total(|disk| Some(disk.reads.saturating_add(disk.writes))).unwrap_or(0);
    let many = errors >= MANY && errors as f64 >= SHARE * requests as f64;
    if many && run.kernel_log_gap().is_some() {
        return unknown!(
            "{what} is {errors}: commands that a disk may refuse count as well, and the kernel log that would tell them apart could not be read"
        );
    }
    Outcome::Passes
}

fn counted(run: &Run, disk: &Disk, message: String, (errors, timeouts): (u64, u64), span: Span) -> Finding {
    fires(Kind::Disk.named(&disk.name), message)
        .measured(errors.saturating_add(timeouts) as f64, 0.0, Unit::Count)
        .evidence(
            format!("{}, {}", span.count("ioerr_cnt", errors), span.count("iotmo_cnt", timeouts)),
            format!("/sys/block/{}/device", disk.name),
        )
        .explains(explain::targets_on(run, &disk.name, Mechanism::IoErrors))
        .advice(advice(&run.host, Some(disk)))
}

/// The errors are those of reads and writes, as far as can be seen. Where the log was read, it would name them.
fn is_of_requests(run: &Run, disk: &Disk, errors: u64) -> bool {
    let log_is_read = run.kernel_log_gap().is_none();
    let requests = facts::grown_in_all(run, |counters| {
        counters.disks.get(&disk.name).map(|disk| disk.reads.saturating_add(disk.writes))
    });
    let many = errors >= MANY && errors as f64 >= SHARE * requests.unwrap_or(0) as f64;
    !log_is_read && many && !facts::is_idle_path(&run.host, &disk.name)
}

/// Lines that tell of no lost data: of operations that a disk may refuse, of drives for removable media, and of
/// paths in reserve, which are probed at boot and refuse to read.
fn is_of_data(run: &Run, text: &str) -> bool {
    let refused = [
        "(DISCARD)", "(WRITE_ZEROES)", "(SECURE_ERASE)", "(ZONE_", "operation not supported",
        "reservation conflict error", "critical nexus error",
    ];
    let is_moved = text.contains("(READ)") || text.contains("(WRITE)");
    // A target error without its operation is most often a command that the disk does not know.
    let of_target = text.contains("critical target error") && !is_moved;
    // A retry that the driver makes by itself.
    let of_driver = text.contains("retry error, dev");
    let removable = ["dev fd", "dev sr", "dev loop", "[sr", "[fd"].iter().any(|name| text.contains(name));
    let disks = facts::whole_disks(&run.host).map(|disk| disk.name.as_str());
    let idle = || {
        let idle = disks.filter(|name| facts::is_idle_path(&run.host, name));
        facts::log::names_one_of(text, idle)
    };
    !refused.iter().any(|word| text.contains(word)) && !of_target && !of_driver && !removable && !idle()
}

/// An error of the transport, on a path of a map that has others: multipath tries again there. What the disk itself
/// answers (`critical medium error`) is the same on every path.
fn is_tried_again(run: &Run, text: &str) -> bool {
    let has_others = |map: &&MultipathMap| {
        let paths = || map.groups.iter().flat_map(|group| &group.paths);
        paths().count() > 1 && facts::log::names_one_of(text, paths().map(|path| path.device.as_str()))
    };
    !text.contains("critical ") && run.host.multipath.iter().any(|map| has_others(&map))
}

/// A logged error is history, unless it is of today and the disk carries the data or is in use at all.
fn severity(run: &Run, line: &LogLine, disk: Option<&Disk>) -> Severity {
    let text = &line.text;
    let of_data = facts::log::names_one_of(text, facts::possible_data_devices(run));
    let recent = facts::log::is_recent(run, line);
    let is_of = |names: BTreeSet<&str>| disk.is_some_and(|disk| names.contains(disk.name.as_str()));
    match (of_data, facts::log::age_s(run, line)) {
        (true, Some(_)) if recent && is_tried_again(run, text) => Severity::Warning,
        (true, Some(_)) if recent => Severity::Critical,
        (true, None) => Severity::Warning,
        // A pool has copies elsewhere, as a rule; its own state is judged by `zfs-pool-degraded`.
        (false, Some(_))
            if recent && (is_of(facts::pool_devices(run)) || is_of(facts::used_devices(&run.host))) =>
        {
            Severity::Warning
        }
        _ => Severity::Info,
    }
}

fn logged(run: &Run, severity: Severity, lines: &[&LogLine]) -> Outcome {
    let first = lines[0];
    let disk = disk_of(&run.host, &first.text);
    let ago = facts::log::ago(run, first);
    let (subject, whose) = match disk {
        Some(disk) => (Kind::Disk.named(&disk.name), format!(" of {}", disk.name)),
        None => (Kind::KernelLog.only(), String::new()),
    };
    // What the disk itself answered says more than that a request failed.
    let entry = lines.iter().find_map(|line| said::of(line, &run.host.kernel_log));
    let device = disk.map(|disk| disk.name.as_str()).or_else(|| said::device_of(&first.text));
    let message = match (entry, device) {
        (Some(entry), Some(device)) => {
            format!("{}{ago}: {}", entry.message(device, &first.text, "", ""), first.text)
        }
        _ => format!("the kernel logged an I/O error{whose}{ago}: {}", first.text),
    };
    let mut finding = fires(subject, message);
    for line in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    if lines.len() > QUOTED {
        finding = finding.evidence(format!("{} lines more", lines.len() - QUOTED), "kernel log");
    }
    let cause = if disk.is_none() { gone_with(run, first) } else { None };
    if let Some(array) = disk.and_then(|disk| degraded_array(&run.host, disk)) {
        finding =
            finding.evidence(format!("{} is degraded and has this disk in use", array.name), "/proc/mdstat");
    }
    let in_degraded = disk.is_some_and(|disk| degraded_array(&run.host, disk).is_some());
    finding = finding.advice(match entry.filter(|_| !in_degraded) {
        Some(entry) => entry.advice(&run.host),
        None => advice(&run.host, disk),
    });
    Lost::takes(cause.as_ref(), finding.severity(severity), false).into()
}

/// The degraded array of which the disk, or a partition of it, is a working member.
fn degraded_array<'a>(host: &'a Host, disk: &Disk) -> Option<&'a Disk> {
    let is_own = |member: &str| {
        member == disk.name
            || host.disk(member).and_then(Disk::parent).is_some_and(|parent| parent == disk.name)
    };
    host.disks.iter().find(|array| {
        array.md.as_ref().is_some_and(|md| {
            let works = |(name, state): (&String, &String)| is_own(name) && !state.contains("faulty");
            md.degraded > 0 && md.members.iter().any(works)
        })
    })
}

/// multipathd knows the disk, or may know it.
fn may_have_paths(host: &Host, disk: Option<&Disk>) -> bool {
    let mut maps = host.multipath.iter();
    let Some(disk) = disk else { return maps.next().is_some() };
    maps.any(|map| {
        let mut paths = map.groups.iter().flat_map(|group| &group.paths);
        map.device == disk.name || paths.any(|path| path.device == disk.name)
    })
}

fn advice(host: &Host, disk: Option<&Disk>) -> Advice {
    let look = because("A retried error appears as latency; one that is not retried is a lost write.").look(
        "dmesg -T | grep -iE 'I/O error|sense key|timing out' || true",
        "Shows which device and which sector",
    );
    let look = if may_have_paths(host, disk) {
        look.look("multipath -ll || true", "Shows the state of the paths")
    } else {
        look
    };
    let look = look.now("`smartctl -a` of the disk that the log names").of_drive(OfDrive::Asked);
    let mended = match disk.and_then(|disk| Some((disk, degraded_array(host, disk)?))) {
        None => look.persist("replace the disk, cable or transceiver that the log names").of_drive(OfDrive::Replaced),
        Some((disk, array)) => look
            .now(format!(
                "Do not take {0} out: {1} is degraded, and {0} may hold the only copy of what the missing member had. Back up the data first",
                disk.name, array.name
            ))
            .persist(format!(
                "First replace the failed member of {1} and let it rebuild (`mdadm --detail /dev/{1}`); sectors of {0} that cannot be read are lost and come from the backup. Only then replace {0}: `mdadm /dev/{1} --add /dev/NEW --replace /dev/{0} --with /dev/NEW` keeps it in use until its copy is whole",
                as_word(&disk.name), as_word(&array.name)
            )),
    };
    mended.expecting("counters that no longer grow")
}

fn fires(subject: Subject, message: String) -> Finding {
    RULE.finding(subject, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::fixture;

    /// The other half of the mirror has failed: what cannot be read here is nowhere else.
    #[test]
    fn a_working_member_of_a_degraded_array_is_not_taken_out() {
        let text = r#"{ "disks": [
            { "name": "nvme5n1", "kind": "disk" },
            { "name": "md1", "kind": "raid10", "md": { "level": "raid10", "raid_disks": 4, "degraded": 1,
              "members": { "nvme4n1": "faulty", "nvme5n1": "in_sync" } } }] }"#;
        let mut host: Host = serde_json::from_str(text).expect("a host");
        let kept = |host: &Host| {
            let advice = advice(host, host.disk("nvme5n1"));
            assert!(advice.steps.iter().all(|step| step.run.as_deref() != Some("multipath -ll || true")));
            advice.steps.iter().map(|step| step.text.clone()).collect::<Vec<_>>().join("\n")
        };
        assert!(kept(&host).contains("Do not take nvme5n1 out: md1 is degraded"), "{}", kept(&host));
        host.disks[1].md.as_mut().expect("an array").degraded = 0;
        assert!(kept(&host).contains("replace the disk, cable"), "{}", kept(&host));
    }

    const FIXTURES: &str = include_str!("../../../fixtures/device-io-errors.json");

    fn severity(case: &str, text: &str) -> Severity {
        let mut run = fixture::run(FIXTURES, case);
        run.host.kernel_log[0].text = text.to_owned();
        let line = &run.host.kernel_log[0];
        super::severity(&run, line, disk_of(&run.host, text))
    }

    /// A disk of a ZFS pool is below no mount: what nothing else uses is the pool's.
    #[test]
    fn errors_of_today_on_a_disk_in_use_are_no_note() {
        let pool = "fires/zfs-member";
        assert_eq!(severity(pool, "I/O error, dev nvme1n1, sector 8 op 0x1:(WRITE)"), Severity::Warning);
        assert_eq!(severity(pool, "I/O error, dev sda, sector 8 op 0x1:(WRITE)"), Severity::Warning);
        assert_eq!(severity(pool, "I/O error, dev sdz, sector 8 op 0x1:(WRITE)"), Severity::Info);
        assert_eq!(severity(pool, "I/O error, dev sdu, sector 8 op 0x1:(WRITE)"), Severity::Info);
    }

    /// The layers of one failure: the request, the buffer of the partition, the page.
    #[test]
    fn lines_of_one_disk_are_one_finding() {
        let mut run = fixture::run(FIXTURES, "fires/data-today");
        let mut line = run.host.kernel_log[0].clone();
        line.text = "Buffer I/O error on device sda1, logical block 256".to_owned();
        run.host.kernel_log.push(line);
        let outcomes = check(&Facts::of(&run));
        let fires: Vec<&Finding> = outcomes
            .iter()
            .filter_map(|one| if let Outcome::Fires(finding) = one { Some(&**finding) } else { None })
            .collect();
        assert_eq!((fires.len(), fires[0].subject.as_str(), fires[0].evidence.len()), (1, "sda", 2));
    }

    /// Of a map all paths have failed; what fails on one path is tried again, unless the disk itself answered.
    #[test]
    fn an_error_of_a_map_weighs_more_than_one_of_its_path() {
        let raw = "fires/raw-map";
        assert_eq!(severity(raw, "I/O error, dev dm-3, sector 8 op 0x1:(WRITE)"), Severity::Critical);
        let asm_disk = "I/O error, dev sdd, sector 8 op 0x1:(WRITE)";
        assert_eq!(severity(raw, asm_disk), Severity::Critical, "a disk of ASM without a map");
        let path = "fires/path-of-map";
        assert_eq!(severity(path, asm_disk), Severity::Info, "ASM opened other disks");
        assert_eq!(severity(path, "I/O error, dev sdb, sector 8 op 0x1:(WRITE)"), Severity::Warning);
        assert_eq!(
            severity(path, "critical medium error, dev sdb, sector 8 op 0x0:(READ)"),
            Severity::Critical
        );
    }
}
