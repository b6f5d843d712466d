//! What stands behind a disk that is no drive of this host: SMART tells nothing there, and nobody replaces it here.

use super::array_of;
use crate::facts;
use fullwire_model::assessment::{Finding, OfDrive};
use fullwire_model::host::{Disk, Host, MultipathMap};
use fullwire_model::subject::Kind;

/// Whose disk it is.
#[derive(Debug)]
struct Medium {
    is: fn(&Host, &Disk) -> bool,
    /// In place of SMART.
    look: &'static str,
    /// In place of a new drive.
    mend: &'static str,
}

/// The first that fits. Sources: IBM, Linux on Z, Device Drivers, Features, and Commands (lsdasd, lscss); smartctl(8), `-d`
/// (drives behind a RAID controller are asked through it). What is below a guest's disk, or a unit of an array, is not the
/// host's.
const MEDIA: [Medium; 4] = [
    Medium {
        is: |_, disk| disk.name.starts_with("dasd"),
        look: "`lsdasd -l` and `lscss` of the disk: its state and channel paths; the log of the storage server at that time",
        mend: "Have the storage server's owner repair what its log names: no drive of this host is behind a DASD",
    },
    Medium {
        is: |_, disk| facts::is_of_network(disk) || is_unit_of_array(disk),
        look: "The array's own log and the state of its unit at that time, and the paths to it",
        mend: "Have the array's owner repair what its log names: it replaces its drives itself, and a unit that lost data is restored from a backup",
    },
    Medium {
        is: |host, _| facts::is_virtual(host) && !facts::is_container(host),
        look: "The storage below the hypervisor, or the provider's view of this volume, at that time: state, limits, errors",
        mend: "Have it repaired below this guest; a volume that lost data is restored from a snapshot or a backup",
    },
    Medium {
        is: |_, disk| facts::is_raid_volume(disk),
        look: "The RAID controller's own tool (storcli, perccli, ssacli, arcconf): state of the volume, and which drive behind it counts errors",
        mend: "Replace the drive that the controller names, never the volume, and let it rebuild; blocks that it could not restore come from a backup",
    },
];

/// Each step that asks a drive's SMART, or has the drive replaced, says what to do where the disk is none.
pub(crate) fn in_place_of_drives(host: &Host, findings: &mut [Finding]) {
    for finding in findings {
        let Some(medium) = disk_of(host, finding).and_then(|disk| medium(host, disk)) else { continue };
        for step in finding.advice.steps.iter_mut().filter(|step| step.is_here()) {
            match step.drive {
                None => continue,
                Some(OfDrive::Asked) => medium.look.clone_into(&mut step.text),
                Some(OfDrive::Replaced) => medium.mend.clone_into(&mut step.text),
            }
            (step.run, step.read_back) = (None, None);
        }
    }
}

/// The disk that a finding is about, or the lowest one below a file system.
fn disk_of<'a>(host: &'a Host, finding: &Finding) -> Option<&'a Disk> {
    let name = &finding.subject_ref.name;
    match finding.subject_ref.kind {
        Kind::Disk => host.disk(name),
        Kind::Mount => {
            let top = host.disk_by_number(&host.mounts.iter().find(|mount| mount.target == *name)?.number)?;
            host.stack(&top.name).into_iter().last()
        }
        _ => None,
    }
}

/// By what it reports: a support bundle often has nothing of how it is reached.
fn is_unit_of_array(disk: &Disk) -> bool {
    let product = format!("{},{}", disk.vendor, disk.model);
    array_of(&MultipathMap { product, ..MultipathMap::default() }).is_some()
}

fn medium(host: &Host, disk: &Disk) -> Option<&'static Medium> {
    MEDIA.iter().find(|medium| (medium.is)(host, disk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{AdviceExt, because};
    use fullwire_model::assessment::{Layer, Severity};
    use fullwire_model::subject::Subject;

    fn told(host: &str, subject: Subject) -> String {
        // It asks no drive: whoever is told to wait must not be told something else.
        const WAIT: &str = "Let the rebuild finish: smartctl of each member";
        let host: Host = serde_json::from_str(host).expect("a host");
        let finding = Finding::new("", Severity::Critical, Layer::Storage, subject, "");
        let advice = because("").now("`smartctl -a` of this disk").of_drive(OfDrive::Asked);
        let advice = advice.persist("Replace this one disk, once").of_drive(OfDrive::Replaced);
        let advice = advice.persist(WAIT);
        let mut findings = [Finding { advice, ..finding }];
        in_place_of_drives(&host, &mut findings);
        assert_eq!(findings[0].advice.steps.pop().expect("a step").text, WAIT);
        findings[0].advice.steps.iter().map(|step| format!("{}\n", step.text)).collect()
    }

    /// Of a RAID volume whose controller reports a medium error nobody pulls "this disk".
    #[test]
    fn what_is_no_drive_is_not_replaced() {
        let of = |os: &str, disk: &str| {
            let name = if disk.contains("dasd") { "dasdc" } else { "sdb" };
            let host = format!(
                r#"{{ "os": {{ "virtualization": "{os}" }}, "disks": [{disk}],
                     "mounts": [{{ "target": "/data", "number": "8:16" }}] }}"#
            );
            let told_disk = told(&host, Kind::Disk.named(name));
            assert_eq!(told(&host, Kind::Mount.named("/data")), told_disk, "below its file system too");
            told_disk
        };
        let disk = |name: &str, more: &str| {
            format!(r#"{{ "name": "{name}", "kind": "disk", "number": "8:16"{more} }}"#)
        };
        let drive = of("none", &disk("sdb", r#", "transport": "sas", "model": "ST1800MM0129""#));
        assert_eq!(drive, "`smartctl -a` of this disk\nReplace this one disk, once\n");
        let volume = of("none", &disk("sdb", r#", "vendor": "DELL", "model": "PERC H740P Mini""#));
        assert!(volume.contains("perccli") && volume.contains("never the volume"), "{volume}");
        let unit = of("none", &disk("sdb", r#", "transport": "fc", "model": "OPEN-V""#));
        assert!(unit.contains("array's own log") && !unit.contains("smartctl"), "{unit}");
        let bundled = of("none", &disk("sdb", r#", "vendor": "NETAPP", "model": "LUN C-Mode""#));
        assert_eq!(bundled, unit, "how it is reached is not known");
        let dasd = of("ibm-lpar", &disk("dasdc", ""));
        assert!(dasd.contains("lsdasd") && dasd.contains("storage server's owner"), "{dasd}");
        let guest = of("vmware", &disk("sdb", r#", "model": "Virtual disk""#));
        assert!(guest.contains("hypervisor") && guest.contains("below this guest"), "{guest}");
    }
}
