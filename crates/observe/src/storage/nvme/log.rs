//! Logs that NVMe controllers keep: their health, and what Amazon's volumes count of exceeded limits.

use crate::root::gap_reason;
use crate::{Root, ioctl};
use fullwire_model::Gap;
use fullwire_model::host::NvmeHealth;
use std::collections::BTreeMap;
use std::fs::File;

/// "SMART / Health Information" (NVM Express Base Specification 2.0, figure 207).
const HEALTH: (u8, usize) = (0x02, 512);
/// "EBS detailed performance statistics" (Amazon EBS User Guide); layout: `amazon-ec2-utils`, `ebsnvme`.
const AMAZON: (u8, usize) = (0xd0, 4096);
const AMAZON_MAGIC: u32 = 0x3c23_b510;
const AMAZON_MODEL: &str = "Amazon Elastic Block Store";

/// Counters of an Amazon volume: where they are in the log and what they are called here. The first four are
/// microseconds in which more was requested than the volume or the instance may do.
const AMAZON_COUNTERS: [(usize, &str); 5] = [
    (56, "ebs_volume_iops_exceeded_us"),
    (64, "ebs_volume_throughput_exceeded_us"),
    (72, "ebs_instance_iops_exceeded_us"),
    (80, "ebs_instance_throughput_exceeded_us"),
    (88, "ebs_volume_queue_length"),
];

/// The health of a controller that hangs on `PCIe` and is live: another may not answer for minutes.
pub(super) fn health(root: &Root, controller: &str) -> Option<NvmeHealth> {
    let asked = root.answer(&format!("health of {controller}"), || log(controller, HEALTH));
    asked.ok().and_then(|log| parse_health(&log)).or_else(|| captured_health(root, controller))
}

/// What the volumes of an instance count, by controller and name (`nvme1/ebs_volume_iops_exceeded_us`).
pub(crate) fn read_amazon(root: &Root, errors: &mut BTreeMap<String, u64>) {
    for controller in root.list("/sys/class/nvme") {
        let attribute = |name: &str| root.attribute(&format!("/sys/class/nvme/{controller}/{name}"));
        if attribute("model").as_deref() != Some(AMAZON_MODEL)
            || attribute("state").as_deref() != Some("live")
        {
            continue;
        }
        let asked = root.answer(&format!("Amazon statistics of {controller}"), || log(&controller, AMAZON));
        for (name, value) in asked.ok().and_then(|log| parse_amazon(&log)).unwrap_or_default() {
            errors.insert(format!("{controller}/{name}"), value);
        }
    }
}

fn log(controller: &str, (log, bytes): (u8, usize)) -> Result<Vec<u8>, Gap> {
    let path = format!("/dev/{controller}");
    let failed = |error: std::io::Error| {
        Gap::new(path.as_str(), gap_reason(&error), format!("cannot read log {log:#x} of {path}: {error}"))
    };
    let mut buffer = vec![0; bytes];
    let file = File::open(&path).map_err(failed)?;
    ioctl::nvme_log(&file, log, &mut buffer).map_err(failed)?;
    Ok(buffer)
}

fn word(log: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(log.get(at..at + 8)?.try_into().ok()?))
}

fn parse_health(log: &[u8]) -> Option<NvmeHealth> {
    // Media errors have 16 bytes; the low half is more than any drive reaches.
    let (media_errors, minutes) = (word(log, 160)?, log.get(192..196)?.try_into().ok()?);
    Some(NvmeHealth {
        critical_warning: log[0],
        available_spare_percent: log[3],
        spare_threshold_percent: log[4],
        percentage_used: log[5],
        media_errors,
        warning_temperature_minutes: u64::from(u32::from_le_bytes(minutes)),
    })
}

fn parse_amazon(log: &[u8]) -> Option<Vec<(&'static str, u64)>> {
    let magic = u32::from_le_bytes(log.get(..4)?.try_into().ok()?);
    if magic != AMAZON_MAGIC {
        return None;
    }
    AMAZON_COUNTERS.iter().map(|(at, name)| Some((*name, word(log, *at)?))).collect()
}

/// sosreport keeps `nvme smart-log` of each namespace.
pub(super) fn captured_health(root: &Root, controller: &str) -> Option<NvmeHealth> {
    const FOLDER: &str = "/sos_commands/nvme";
    if root.is_live() {
        return None;
    }
    let own = |name: &String| {
        let device = name.strip_prefix("nvme_smart-log_").and_then(|rest| rest.rsplit(['.', '_']).next());
        device.is_some_and(|device| {
            device.strip_prefix(controller).is_some_and(|rest| rest.is_empty() || rest.starts_with('n'))
        })
    };
    let file = root.list(FOLDER).into_iter().find(own)?;
    let (text, _) = root.try_read(&format!("{FOLDER}/{file}"), 1 << 16).ok()?;
    parse_smart_log(&text)
}

/// `critical_warning : 0`, `available_spare : 100%`, `media_errors : 0`; newer tools write `0x4` and `1,024`.
fn parse_smart_log(text: &str) -> Option<NvmeHealth> {
    let value = |wanted: &str| {
        let (_, value) = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim().to_lowercase().replace(' ', "_") == wanted)?;
        let word = value.split_whitespace().next()?.trim_end_matches('%').replace(',', "");
        match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        }
    };
    let byte = |name: &str| value(name).and_then(|value| u8::try_from(value).ok());
    Some(NvmeHealth {
        critical_warning: byte("critical_warning")?,
        available_spare_percent: byte("available_spare")?,
        spare_threshold_percent: byte("available_spare_threshold").unwrap_or(0),
        percentage_used: byte("percentage_used")?,
        media_errors: value("media_errors")?,
        warning_temperature_minutes: value("warning_temperature_time").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_health_log_of_a_worn_drive() {
        let mut log = vec![0; 512];
        (log[0], log[3], log[4], log[5]) = (0b101, 4, 10, 130);
        log[160] = 7;
        log[192] = 90;
        let health = parse_health(&log).expect("a log");
        assert_eq!((health.critical_warning, health.percentage_used, health.media_errors), (5, 130, 7));
        assert_eq!((health.available_spare_percent, health.spare_threshold_percent), (4, 10));
        assert_eq!(health.warning_temperature_minutes, 90);
        assert_eq!(parse_health(&log[..100]), None, "cut short");
    }

    #[test]
    fn reads_the_log_of_an_amazon_volume_by_its_magic() {
        let mut log = vec![0; 4096];
        assert_eq!(parse_amazon(&log), None, "a log of something else");
        log[..4].copy_from_slice(&AMAZON_MAGIC.to_le_bytes());
        log[56..64].copy_from_slice(&31_000_000_u64.to_le_bytes());
        log[88] = 12;
        let counters = parse_amazon(&log).expect("its magic");
        assert_eq!(counters[0], ("ebs_volume_iops_exceeded_us", 31_000_000));
        assert_eq!(counters[4], ("ebs_volume_queue_length", 12));
    }

    #[test]
    fn reads_what_nvme_cli_prints() {
        let text = "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\ncritical_warning\t\t\t: 0\n\
                    temperature\t\t\t\t: 31 C\navailable_spare\t\t\t\t: 100%\navailable_spare_threshold\t\t: 10%\n\
                    percentage_used\t\t\t\t: 3%\nmedia_errors\t\t\t\t: 0\nWarning Temperature Time\t\t: 0\n";
        let health = parse_smart_log(text).expect("a log");
        assert_eq!(
            (health.available_spare_percent, health.percentage_used, health.media_errors),
            (100, 3, 0)
        );
        assert_eq!(parse_smart_log("identify failed\n"), None);
    }
}
