use crate::said::Entry;
use fullwire_model::host::kernels_own::kernels_own;
use fullwire_model::host::trouble::{is_denied_to_database, says_trouble};
use std::path::Path;

rule! {
    /// # What it checks
    /// Passes when the kernel log has no hung task, locked-up CPU, fault of the kernel itself (oops), stopped transmit queue,
    /// failed allocation, degraded RAID volume, adapter that failed, memory access that the IOMMU refused, crash of a database
    /// process or full audit queue within the last day, and no uncorrected hardware error. What is older is a
    /// note, unless it says how things are since: a write cache that was turned off. What drivers and services report is looked up in a table of lines (disks, adapters, network, iSCSI, NFS), each with
    /// its cause and remedy; of a line that the table does not know, the driver that writes it and its verb tell what kind of trouble it is; where neither is known it is shown as a note. Corrected errors, and records that the firmware keeps of an earlier boot, are covered by `memory-errors`, which
    /// counts them.
    /// # Why it matters
    /// A task that hangs for two minutes usually waits for storage that does not answer; a machine check is
    /// hardware about to fail; after an oops the kernel runs on with what it broke.
    /// # Evidence
    /// Kernel log lines.
    /// # Remedy
    /// By what the line means: each finding says it.
    /// # Source
    /// node-problem-detector config/kernel-monitor.json (`TaskHung`, CPER); Linux
    /// Documentation/admin-guide/sysctl/kernel.rst, `hung_task_timeout_secs`; Linux drivers/firmware/efi/cper.c
    /// (severities recoverable, fatal, corrected, info); arch/x86/kernel/cpu/mce/core.c ("Machine Check Exception" is
    /// raised, "Machine Check" is polled: corrected); `drivers/edac/edac_mc.c` (CE, UE); drivers/acpi/apei/bert.c
    /// (errors of the previous boot); kernel/watchdog.c ("hard LOCKUP"); `net/sched/sch_generic.c` ("NETDEV WATCHDOG");
    /// `mm/page_alloc.c` (`warn_alloc`); Documentation/PCI/pcieaer-howto.rst (non-fatal, fatal);
    /// `drivers/scsi/megaraid/megaraid_sas_base.c` (`megasas_decode_evt`); `drivers/scsi/scsi_error.c` (thin provisioning soft
    /// threshold); `mm/memory-failure.c`; `kernel/audit.c` (`audit_log_start`: waits up to 60 s for room in the queue);
    /// `kernel/cgroup/pids.c`; arch/x86/mm/fault.c (segfault); `fs/xfs/kmem.c` ("possible memory allocation deadlock"). The
    /// sources of the table are beside its lines (crates/rules/src/said).
    code: "kernel-log-trouble",
    title: "the kernel reported hung tasks, faults or hardware errors",
    layer: Host, severity: Critical, on: [Adapter, Disk, KernelLog],

    /// Devices are found, and reset, while a host boots.
    const STARTING_S: f64 = 300.0;
    /// Lines that are quoted.
    const QUOTED: usize = 6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    // One CPU that is stuck keeps others from getting on, and one lost disk many tasks: one finding for each kind.
    let log = &run.host.kernel_log;
    let mut told: Vec<(Severity, Option<&Entry>, Vec<&LogLine>)> = Vec::new();
    let mut unknown: Vec<&LogLine> = Vec::new();
    for line in log {
        let unknown_yet = || {
            (line.pattern == "trouble" && !is_early(line)).then(|| said::by_words(&kernels_own(&line.text)))
        };
        let entry = said::of(line, log).or_else(|| unknown_yet().flatten());
        if entry.is_some_and(Entry::is_harmless) {
            continue;
        }
        let own = severity(run, line);
        let known =
            || entry.filter(|_| !is_of_another_rule(run, line)).and_then(|entry| of_entry(run, line, entry));
        // What says how things are since is no older than the day.
        let lasting = entry.filter(|entry| entry.lasts(line, log)).and_then(|entry| entry.severity);
        let Some(severity) = own.or_else(known).max(lasting) else {
            let is_unknown = line.pattern == "trouble" && entry.is_none() && !is_early(line);
            unknown.extend((is_unknown && says_trouble_itself(line)).then_some(line));
            continue;
        };
        let same = |(known, other, lines): &&mut (Severity, Option<&Entry>, Vec<&LogLine>)| {
            *known == severity
                && match (entry, &other) {
                    (Some(entry), Some(other)) => {
                        entry.name == other.name
                            && said::device_of(&line.text) == said::device_of(&lines[0].text)
                    }
                    (None, None) => kind(line) == kind(lines[0]),
                    _ => false,
                }
        };
        match told.iter_mut().find(same) {
            Some((.., lines)) => lines.push(line),
            None => told.push((severity, entry, vec![line])),
        }
    }
    let mut outcomes: Vec<Outcome> = told
        .iter()
        .map(|(severity, entry, lines)| match entry {
            Some(entry) => explained(run, entry, lines, *severity),
            None => fires(run, lines, *severity),
        })
        .collect();
    outcomes.extend((!unknown.is_empty()).then(|| not_known(&unknown)));
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// A line that an earlier version kept may hold words of trouble in what somebody chose.
fn says_trouble_itself(line: &LogLine) -> bool {
    let own = kernels_own(&line.text).to_lowercase();
    says_trouble(&own) || is_denied_to_database(&own)
}

/// How bad an entry's line is: what is older than a day is a note. A log that was handed over alone is all there is.
fn of_entry(run: &Run, line: &LogLine, entry: &Entry) -> Option<Severity> {
    let is_now =
        |line: &LogLine| facts::is_import(run) || facts::log::is_recent(run, line) && !is_starting(line);
    let log = &run.host.kernel_log;
    // A driver of Fibre Channel names the port by its PCI address.
    let port = |line: &LogLine| {
        line.text.split(['[', ']', ' ']).find(|word| word.starts_with("0000:")).map(str::to_owned)
    };
    let same = |other: &&LogLine| {
        is_now(other)
            && port(other) == port(line)
            && said::of(other, log).is_some_and(|one| one.name == entry.name)
    };
    let times = || log.iter().filter(same).map(|line| line.count).fold(0, u64::saturating_add);
    if is_now(line) { entry.severity_of(times) } else { entry.severity.map(|_| Severity::Info) }
}

/// Another rule judges such lines with what it knows of the devices, and takes the entry's words.
fn is_of_another_rule(run: &Run, line: &LogLine) -> bool {
    let host = &run.host;
    match line.pattern.as_str() {
        "io-error" | "scsi-timeout" => {
            said::of(line, &host.kernel_log).is_none_or(|entry| entry.severity != Some(Severity::Info))
        }
        "fs-error" | "oom" | "pool-full" | "thermal" | "conntrack-full" | "neighbour-full" | "file-max"
        | "rt-throttled" => true,
        "multipath-failed" => !host.multipath.is_empty(),
        "nfs-timeout" | "nfs-state" => host.mounts.iter().any(|mount| mount.nfs.is_some()),
        // It is logged while a bond comes up; whether a partner answers now is in the bond's own file.
        _ if said::of(line, &host.kernel_log).is_some_and(|entry| entry.name == "bond-no-partner") => {
            !host.bonds.is_empty()
        }
        "trouble" => is_told_there(&host.kernel_log, line),
        "link-down" => host.nics.iter().any(|nic| facts::log::names_one_of(&line.text, [nic.name.as_str()])),
        _ => false,
    }
}

/// A line of the same device with the same meaning belongs to a rule on disks: one failed read writes several.
fn is_told_there(log: &[LogLine], line: &LogLine) -> bool {
    let Some(device) = said::device_of(&line.text) else { return false };
    let of_rule = |other: &&LogLine| matches!(other.pattern.as_str(), "io-error" | "scsi-timeout");
    let meaning = |line| said::of(line, log).map(|entry| entry.name);
    let mut others = log.iter().filter(of_rule).filter(|other| said::device_of(&other.text) == Some(device));
    others.any(|other| meaning(other) == meaning(line))
}

fn is_starting(line: &LogLine) -> bool {
    line.seconds.is_some_and(|seconds| seconds < STARTING_S)
}

/// While drivers look for devices they try and fail.
fn is_early(line: &LogLine) -> bool {
    const SEARCHING_S: f64 = 60.0;
    line.seconds.is_some_and(|seconds| seconds < SEARCHING_S)
}

/// What the table knows of these lines.
fn explained(run: &Run, entry: &Entry, lines: &[&LogLine], severity: Severity) -> Outcome {
    let line = newest(lines);
    let times = lines.iter().map(|line| line.count).fold(0, u64::saturating_add);
    let device = said::device_of(&line.text);
    let who = device.map_or("by the kernel's log, something", |device| device);
    let longest = entry.longest_s(lines).map_or(String::new(), |seconds| format!(" (up to {seconds:.1} s)"));
    let mut finding = finding!(
        device.map_or_else(|| Kind::KernelLog.only(), said::thing),
        "{}{longest}{}: {}",
        entry.message(who, &line.text, "", ""),
        facts::log::when(run, line, times),
        line.text,
    )
    .severity(severity);
    for line in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding
        .evidence(format!("what the line means: {}", entry.source), "fullwire's table of log lines")
        .advice(entry.advice(&run.host))
        .into()
}

/// Lines that hold words of trouble and that nothing here knows.
fn not_known(lines: &[&LogLine]) -> Outcome {
    let line = newest(lines);
    let many = if lines.len() == 1 { "a line".to_owned() } else { format!("{} lines", lines.len()) };
    let mut finding = finding!(
        Kind::KernelLog.only(),
        "the kernel reports trouble that fullwire does not know ({many}): {}",
        line.text,
    )
    .severity(Severity::Info);
    for line in lines.iter().rev().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    let advice =
        because("It may be harmless: the words are of trouble, and the message is not in fullwire's table.")
            .now("Read the lines; look whether they fall together with the time of the complaint");
    finding.advice(advice.expecting("to know whether they matter")).into()
}

fn newest<'a>(lines: &[&'a LogLine]) -> &'a LogLine {
    let later = |one: &&&LogLine, other: &&&LogLine| {
        one.seconds.partial_cmp(&other.seconds).unwrap_or(Ordering::Equal)
    };
    lines.iter().max_by(later).unwrap_or(&lines[0])
}

/// The severity of a line today; `None`: it does not concern this rule, or reports a corrected error.
fn severity(run: &Run, line: &LogLine) -> Option<Severity> {
    let recent = facts::log::is_recent(run, line);
    match line.pattern.as_str() {
        "hung-task" if !recent || is_of_a_program(run, &line.text) => Some(Severity::Info),
        "hung-task" if facts::is_database_host(run) => Some(Severity::Critical),
        "machine-check" if !is_uncorrected(&line.text) => None,
        "machine-check" if is_of_earlier_boot(line) => Some(Severity::Info),
        // Broken hardware does not heal, but what has run on for days is no emergency.
        "machine-check" if recent => Some(Severity::Critical),
        "hung-task" | "machine-check" => Some(Severity::Warning),
        "kernel-oops" | "pcie-error" | "nic-timeout" | "raid-degraded" | "allocation-failure"
        | "adapter-fault" | "array-thin" | "iommu-fault" | "audit-backlog" | "fork-rejected" | "segfault" => {
            Some(if recent { severity_of_today(run, line) } else { Severity::Info })
        }
        _ => None,
    }
}

/// A line of the last day.
fn severity_of_today(run: &Run, line: &LogLine) -> Severity {
    let at_boot = is_starting(line);
    let text = line.text.to_lowercase();
    match line.pattern.as_str() {
        "kernel-oops" => Severity::Critical,
        "pcie-error" | "adapter-fault" | "iommu-fault" | "audit-backlog" if at_boot => Severity::Info,
        "fork-rejected" if !is_of_database(run, &line.text) => Severity::Info,
        "pcie-error" if text.contains("(fatal)") => Severity::Critical,
        "nic-timeout" if at_boot || is_of_unused(run, line) => Severity::Info,
        "raid-degraded" if text.contains("offline") => Severity::Critical,
        // A large piece is not always found; the kernel then makes do with small ones.
        "allocation-failure" if !is_of_one_page(&line.text) && !text.contains("deadlock") => Severity::Info,
        _ => Severity::Warning,
    }
}

/// The task waits for a program that serves a file system, as anyone may write one, and no database's files lie in such
/// (Linux fs/fuse/dev.c).
fn is_of_a_program(run: &Run, text: &str) -> bool {
    let mut places = run.host.databases.iter().flat_map(|database| database.locations.keys());
    let is_served = |place: &String| {
        run.host
            .mount_of(place)
            .is_some_and(|mount| mount.fs_type.starts_with("fuse") || mount.fs_type == "virtiofs")
    };
    text.contains("request_wait_answer") && !places.any(is_served)
}

/// `NETDEV WATCHDOG: eth3 (tg3): ...` of an interface that is known and carries nothing.
fn is_of_unused(run: &Run, line: &LogLine) -> bool {
    let nic = run.host.nics.iter().find(|nic| facts::log::names_one_of(&line.text, [nic.name.as_str()]));
    nic.is_some_and(|nic| nic.addresses.is_empty() && nic.master.is_none())
}

/// The line names the control group of a database. A support bundle has no process's group: then the unit's name tells.
fn is_of_database(run: &Run, text: &str) -> bool {
    let names = |kind: &str| match kind {
        "postgresql" => &["postgres", "patroni", "edb-as"][..],
        "mysql" | "mariadb" => &["mysql", "mariadb"],
        "oracle" | "oracle-asm" => &["oracle", "dbora", "ohasd"],
        "mssql" => &["mssql"],
        _ => &[],
    };
    // A user who has groups below their own gives them any name.
    let Some((_, limited)) = text.split_once(" in /") else { return false };
    run.host.databases.iter().any(|database| match database.cgroup.trim_start_matches('/') {
        "" => {
            limited.starts_with("system.slice/")
                && names(&database.kind).iter().any(|name| limited.contains(name))
        }
        group => Path::new(limited).starts_with(group),
    })
}

/// `order:0`: not a single page could be found.
fn is_of_one_page(text: &str) -> bool {
    text.split([' ', ',']).any(|word| word == "order:0")
}

/// A CPU on which nothing else ran for long.
fn is_lockup(line: &LogLine) -> bool {
    line.pattern == "hung-task" && line.text.to_lowercase().contains("lockup")
}

/// What the line reports, in words.
fn kind(line: &LogLine) -> &'static str {
    match line.pattern.as_str() {
        "hung-task" if is_lockup(line) => "a CPU that was locked up",
        "hung-task" if line.text.contains("stall") => "a CPU that did not get on",
        "hung-task" => "a hung task",
        "kernel-oops" => "a fault of its own (oops)",
        "pcie-error" => "an uncorrected error of a PCIe device",
        "nic-timeout" => "a network interface that stopped sending",
        "raid-degraded" => "a RAID volume of the controller that lost a disk",
        "allocation-failure" => "an allocation of memory that failed",
        "adapter-fault" => "an adapter whose firmware failed",
        "array-thin" => "a disk array whose thin pool is nearly full",
        "iommu-fault" => "a device that accessed memory which is not its own (IOMMU fault)",
        "audit-backlog" => "a full audit queue: what is audited waits, logins too",
        "fork-rejected" => "a control group at its limit of processes",
        "segfault" => "a crash of a database process",
        _ => "an uncorrected hardware error",
    }
}

/// What to do about it, by its kind.
fn remedy(line: &LogLine) -> &'static str {
    match line.pattern.as_str() {
        "hung-task" if is_lockup(line) => {
            "update kernel, drivers and firmware of the host; on a guest look for CPU that the hypervisor did not give"
        }
        "hung-task" => {
            "read in the trace below the line what the task waits for (io_schedule, blk_, nfs_, rpc_: storage), and fix that"
        }
        "kernel-oops" => {
            "restart the host at the next opportunity: locks may be held for ever; give the trace to the vendor, update the kernel"
        }
        "pcie-error" => "reseat or replace the device named; update its firmware",
        "nic-timeout" => "update driver and firmware of the interface; look at its cable and switch port",
        "raid-degraded" => {
            "replace the failed disk (`storcli /cALL/vALL show` and `storcli /cALL/eALL/sALL show`)"
        }
        "allocation-failure" => "leave more memory free (vm.min_free_kbytes), or use less",
        "adapter-fault" => "update firmware and driver of the adapter; replace it if it fails again",
        "array-thin" => "add space to the array's pool; `fstrim` gives back what file systems no longer use",
        "iommu-fault" => "update driver and firmware of the device at that address",
        "audit-backlog" => {
            "audit fewer calls (`auditctl -l`), or set a larger queue: `-b 8192` in /etc/audit/rules.d; look whether auditd can write its log"
        }
        "fork-rejected" => "raise TasksMax= of the service (`systemctl edit`)",
        "segfault" => {
            "look into the database's own log at that time, and give its core dump to the vendor (`coredumpctl list`)"
        }
        _ => "replace the hardware named",
    }
}

/// Hardware found that data were lost. Anything else under these headings is corrected, or a line of such a report.
fn is_uncorrected(text: &str) -> bool {
    let text = text.to_lowercase();
    let says = |word: &str| text.contains(word);
    let denied = says("no uncorrected") || says("uncorrected error count: 0");
    !denied
        && (says("uncorrected")
            || says("uncorrectable")
            || says("machine check exception")
            || says(": fatal")
            || says("fatal error")
            || says("severity: recoverable")
            || says("hardware memory corruption")
            || says("memory failure: 0x")
            || says(" ue "))
}

/// The firmware hands over what it kept of the boot before within the first seconds of this one.
fn is_of_earlier_boot(line: &LogLine) -> bool {
    const BOOTING_S: f64 = 10.0;
    line.text.contains("BERT") || line.seconds.is_some_and(|seconds| seconds < BOOTING_S)
}

fn fires(run: &Run, lines: &[&LogLine], severity: Severity) -> Outcome {
    let line = newest(lines);
    let times = lines.iter().map(|line| line.count).fold(0, u64::saturating_add);
    let mut finding = finding!(
        Kind::KernelLog.only(),
        "the kernel reported {}{}: {}",
        kind(line),
        facts::log::when(run, line, times),
        line.text,
    )
    .severity(severity);
    for line in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding
        .because("It has happened on this host since boot and will recur until the cause is fixed.")
        .look(
            "dmesg -T | grep -A20 -iE 'blocked for more than|lockup|Hardware Error|BUG:|Oops|WATCHDOG|AER:|megaraid|fault (state|addr)|allocation failure|segfault|audit_backlog' || true",
            "Shows what the kernel reported, with its context",
        )
        .persist(remedy(line))
        .expecting("no such line after the next boot")
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::Database;

    #[test]
    fn the_unit_of_a_database_is_known_by_its_group_or_its_name() {
        let of = |cgroup: &str, unit: &str| {
            let mut run = Run::default();
            let cgroup = cgroup.to_owned();
            run.host.databases =
                vec![Database { kind: "postgresql".to_owned(), cgroup, ..Database::default() }];
            is_of_database(&run, &format!("cgroup: fork rejected by pids controller in {unit}"))
        };
        assert!(of("", "/system.slice/postgresql.service"));
        assert!(!of("", "/system.slice/backup.service") && !of("", "/user.slice/user-26.slice/postgres"));
        assert!(of("/system.slice/db.service", "/system.slice/db.service"));
        assert!(!of("/system.slice/db.service", "/system.slice/postgres_exporter.service"));
    }
}
