//! # What it checks
//! Passes when the kernel logged no command that timed out, no device that was taken off-line and no lost session
//! of the storage within the last day.
//!
//! # Why it matters
//! A command that times out has waited 30 seconds or longer; the database waited for as long. Afterwards every
//! counter looks healthy again.
//!
//! # Evidence
//! Kernel log lines of the SCSI, NVMe, FC and iSCSI drivers. A line that names a device counts in full only where
//! the device carries the data; a remote port that is given up while the host boots is a note.
//!
//! # Remedy
//! The path that the line names: adapter, cable, switch and array port; firmware of the disk or controller.
//!
//! # Source
//! Linux `Documentation/scsi/scsi_eh.rst` (time-out, abort, off-line); `drivers/scsi/scsi_transport_fc.c` ("blocked
//! FC remote port time out"); drivers/scsi/libiscsi.c ("session recovery timed out"); drivers/nvme/host/pci.c
//! ("timeout, aborting").

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::host::{Disk, LogLine};

pub(super) const RULE: Rule = Rule {
    code: "device-timeouts",
    title: "the kernel logged storage timeouts",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "scsi-timeout");
    let findings: Vec<Outcome> = lines.filter_map(|line| judge(run, line)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// Ports are searched and paths tried while the host boots.
const BOOTING_S: f64 = 300.0;

/// The line says which device it is about, of a kind whose names are known of this host's disks: a SCSI address, a
/// controller, a remote port.
fn names_a_device(run: &Run, text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_scsi =
        run.host.disks.iter().any(|disk| disk.scsi.as_ref().is_some_and(|scsi| !scsi.address.is_empty()));
    let has_nvme = run.host.disks.iter().any(|disk| disk.name.starts_with("nvme"));
    text.split_whitespace().map(|word| word.trim_end_matches([':', ',', '.'])).any(|word| {
        let parts: Vec<&str> = word.split(':').collect();
        let by_address = parts.len() == 4 && parts.iter().all(|part| is_number(part));
        let by_controller = word.strip_prefix("nvme").is_some_and(is_number);
        has_scsi && (by_address || word.starts_with("rport-")) || has_nvme && by_controller
    })
}

/// The controller in the name of a namespace (`nvme1n1`), for what was captured without sysfs.
fn controller_of(disk: &Disk) -> Option<&str> {
    let known = disk.nvme.as_ref().is_some_and(|nvme| !nvme.controllers.is_empty());
    let (controller, _) = disk.name.strip_prefix("nvme").filter(|_| !known)?.split_once('n')?;
    disk.name.get(.."nvme".len() + controller.len())
}

/// What of a disk a line may name: itself, its SCSI address, its NVMe controller, the remote port of its host.
fn is_named(disk: &Disk, text: &str) -> bool {
    let controllers = disk.nvme.iter().flat_map(|nvme| &nvme.controllers).map(|one| one.name.as_str());
    let by_name =
        facts::log::names_one_of(text, controllers.chain(controller_of(disk)).chain([disk.name.as_str()]));
    let address = disk.scsi.as_ref().map(|scsi| scsi.address.as_str()).filter(|address| !address.is_empty());
    let by_address = address.is_some_and(|address| {
        let host = address.split(':').next().unwrap_or(address);
        text.contains(&format!(" {address}:")) || text.contains(&format!("rport-{host}:"))
    });
    by_name || by_address
}

fn judge(run: &Run, line: &LogLine) -> Option<Outcome> {
    let data = facts::data_devices(run);
    let named: Vec<&Disk> = facts::whole_disks(&run.host).filter(|disk| is_named(disk, &line.text)).collect();
    let of_data = named.iter().any(|disk| data.contains(disk.name.as_str()));
    let of_the_run = facts::log::is_of_the_run(run, line);
    let at_boot = line.seconds.is_some_and(|seconds| seconds < BOOTING_S);
    let names_another = !named.is_empty() || names_a_device(run, &line.text);
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
    let ago = facts::log::ago(run, line);
    let acted = named.iter().filter(|_| of_the_run);
    let subject = named.first().map_or("kernel log", |disk| disk.name.as_str());
    let finding = RULE
        .finding(subject, format!("storage did not answer in time{ago}: {}", line.text))
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log")
        .explains(acted.flat_map(|disk| explain::targets_on(run, &disk.name, Mechanism::IoErrors)))
        .advice(
            because("The command waited for its whole timeout before anything else was tried.")
                .now("dmesg -T | grep -iE 'timeout|timing out|abort|offline|rport|session'; multipath -ll")
                .persist("replace or update what the line names; fast_io_fail_tmo and recovery_tmo for paths of a map")
                .expecting("no further line under the same load"),
        );
    Some(finding.into())
}
