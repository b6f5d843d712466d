//! # What it checks
//! The error and timeout counters of SCSI disks did not grow during the run, and the kernel log holds no I/O
//! error of a disk that is in use.
//!
//! # Why it matters
//! Retries cost seconds; what fails next may be the data.
//!
//! # Evidence
//! `device/ioerr_cnt` and `device/iotmo_cnt` over the windows; kernel log.
//!
//! # Remedy
//! `smartctl -a`, path and cable; replace the disk.
//!
//! # Source
//! Linux `drivers/scsi/scsi_sysfs.c` (`ioerr_cnt`: commands completed with an error; `iotmo_cnt`: timed out);
//! node-problem-detector kernel-monitor.json ("Buffer I/O error").

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Finding, Layer, Severity};
use fullwire_model::host::{Disk, LogLine};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "device-io-errors",
    title: "a disk reported I/O errors",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("device_io_errors.rs"),
    check,
};

/// A SCSI disk answers some probing commands with an error: not each is a fault.
const STRAY: u64 = 2;

fn check(run: &Run) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = facts::whole_disks(&run.host)
        .filter(|disk| disk.scsi.is_some())
        .map(|disk| judge(run, disk))
        .collect();
    let errors =
        run.host.kernel_log.iter().filter(|line| line.pattern == "io-error").map(|line| logged(run, line));
    outcomes.extend(errors);
    outcomes
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let errors = facts::grown_in_all(run, |counters| counters.disks.get(&disk.name)?.io_errors);
    let timeouts = facts::grown_in_all(run, |counters| counters.disks.get(&disk.name)?.io_timeouts);
    match (errors, timeouts) {
        (None, None) => facts::unread(&format!("ioerr_cnt of {}", disk.name)),
        (errors, timeouts) if errors.unwrap_or(0) > STRAY || timeouts.unwrap_or(0) > 0 => {
            let (errors, timeouts) = (errors.unwrap_or(0), timeouts.unwrap_or(0));
            fires(
                &disk.name,
                format!("{} reported {errors} errors and {timeouts} timeouts during the run", disk.name),
            )
            .measured((errors + timeouts) as f64, 0.0, Unit::Count)
            .evidence(
                format!("ioerr_cnt +{errors}, iotmo_cnt +{timeouts}"),
                format!("/sys/block/{}/device", disk.name),
            )
            .limits(Cause::Fault)
            .into()
        }
        _ => Outcome::Passes,
    }
}

/// A logged error is history: a warning, unless the disk carries the data.
fn logged(run: &Run, line: &LogLine) -> Outcome {
    let data = facts::data_devices(run);
    let names = |word: &str| data.contains(word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'));
    let severity = if line.text.split_whitespace().any(names) { Severity::Critical } else { Severity::Info };
    fires("kernel log", format!("the kernel logged an I/O error: {}", line.text))
        .severity(severity)
        .evidence(format!("{} ({} times)", line.text, line.count), "kernel log")
        .into()
}

fn fires(subject: &str, message: String) -> Finding {
    RULE.finding(subject, message).advice(
        because("An error that is retried shows as latency; one that is not, as a lost write.")
            .now("dmesg -T | grep -iE 'I/O error|sense key|timing out'; smartctl -a /dev/DISK; multipath -ll")
            .persist("replace the disk, cable or transceiver that the log names")
            .expecting("counters that stand still"),
    )
}
