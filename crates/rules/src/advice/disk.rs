//! Attributes of block devices: now, by a udev rule that knows the disk itself and not its name of today, and back.

use super::lines::Lines;
use super::{AdviceExt, RULES, as_word, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::{Disk, Host, LogicalVolume};

/// Set an attribute below `/sys/block/DISK` (`queue/scheduler`): now, by a udev rule, and back.
pub fn set_disk_attribute(
    why: &str,
    disk: &Disk,
    attribute: &str,
    value: &str,
    before: Option<&str>,
) -> Advice {
    let advice = because(why)
        .run(write(disk, attribute, value), format!("Sets {attribute} of {} until the next boot", disk.name));
    let advice = match before {
        Some(before) => {
            advice.undo_run(write(disk, attribute, before), format!("Sets {attribute} of {} back", disk.name))
        }
        None => advice.undo(format!(
            "Note the value of {attribute} of {} before the change, and write it back",
            disk.name
        )),
    };
    keep(advice, disk, attribute, value)
}

/// The volume group as a word of a command, `VG` where its name is not known.
pub(crate) fn group_of(volume: &LogicalVolume) -> String {
    if volume.volume_group.is_empty() { "VG".to_owned() } else { as_word(&volume.volume_group) }
}

/// A striped volume beside the old one, with another stripe: LVM does not change it in place (lvconvert(8)).
pub fn stripe_anew(volume: &LogicalVolume, stripe_bytes: u64, why: &str) -> Advice {
    because(why)
        .now(format!(
            "`lvcreate -i {} -I {}k -n NEW -L SIZE {}`, then copy the data over",
            as_word(volume.stripes),
            stripe_bytes >> 10,
            group_of(volume)
        ))
        .restarts("the database")
        .persist("the layout is kept in the volume group; for XFS, at mkfs: -d su=STRIPE,sw=DISKS")
}

fn write(disk: &Disk, attribute: &str, value: &str) -> ShellCommand {
    sh!("echo {} > /sys/block/{}/{}", value, disk.name, attribute)
}

fn keep(advice: Advice, disk: &Disk, attribute: &str, value: &str) -> Advice {
    let Some(identity) = identity(disk) else {
        return advice.persist(format!(
            "Write a udev rule that names {} by an identity that survives a reboot (`udevadm info /dev/{}`: ID_WWN, \
             ID_SERIAL, DM_UUID) and sets ATTR{{{attribute}}}=\"{value}\"; the name {} may belong to another disk after a reboot",
            disk.name, as_word(&disk.name), disk.name
        ));
    };
    let line = format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {identity}, \
         ATTR{{{attribute}}}=\"{value}\""
    );
    let rule = Lines::of(RULES, "\\|{}, ATTR{}=|d", &[&identity, &format!("{{{attribute}}}")]);
    advice
        .persist_run(rule.put(&line), "A udev rule that sets it whenever this disk appears, under any name")
        .persist_run("udevadm control --reload", "Makes udev read the rule")
        .reloads()
        .undo_persist_run(rule.remove(), "Removes the udev rule")
}

/// A match of udev's by what the disk is.
fn identity(disk: &Disk) -> Option<String> {
    let uuid = disk.dm.as_ref().map_or("", |map| map.uuid.as_str());
    if !uuid.is_empty() {
        return matched("ENV{DM_UUID}", uuid);
    }
    if disk.dm.is_some() || disk.md.is_some() {
        return None;
    }
    // For virtio-blk udev's 60-persistent-storage.rules sets ID_SERIAL alone, from the attribute.
    let serial = if disk.name.starts_with("vd") { "ENV{ID_SERIAL}" } else { "ENV{ID_SERIAL_SHORT}" };
    // lsblk and udev cut a WWN to its first half, which all units of an array share.
    let whole =
        |wwid: &&str| ["naa.", "eui.", "t10.", "nvme.", "uuid."].iter().any(|start| wwid.starts_with(start));
    let wwid = Some(disk.wwid.as_str()).filter(whole);
    wwid.and_then(|wwid| matched("ATTRS{wwid}", wwid)).or_else(|| matched(serial, &disk.serial))
}

/// What a udev rule asks of a device. None where the value has what udev takes for a pattern or for its quotes, or what is cut at
/// the ends.
pub(crate) fn matched(key: &str, value: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._:-".contains(c);
    let usable = !value.is_empty() && value == value.trim() && value.chars().all(plain);
    usable.then(|| format!("{key}==\"{value}\""))
}

/// Raise the largest request of a disk and of all below it, from the bottom to the top: a layer that passes on more
/// than the one below it takes has its requests failed (`blk_insert_cloned_request`).
pub fn set_max_request(host: &Host, name: &str, wanted_bytes: u64, why: &str) -> Advice {
    let stack = host.stack(name);
    if let Some(map) = multipath_of(host, &stack) {
        return by_multipath(host, map, wanted_bytes, why);
    }
    let hardware = stack.iter().filter_map(|disk| disk.queue.as_ref()?.max_hw_request_bytes);
    let wanted_bytes = hardware.filter(|bytes| *bytes > 0).fold(wanted_bytes, u64::min);
    let kib = wanted_bytes >> 10;
    let below = |disk: &&Disk| request_bytes(disk).is_some_and(|bytes| bytes < wanted_bytes);
    let whole = stack.iter().rev().copied().filter(|disk| disk.partition.is_none()).filter(below);
    let each = whole.map(|disk| {
        let before = request_bytes(disk).map(|bytes| (bytes >> 10).to_string());
        set_disk_attribute("", disk, "queue/max_sectors_kb", &kib.to_string(), before.as_deref())
    });
    let mut advice = because(why);
    let mut undo = Vec::new();
    for one in each {
        let (back, forth): (Vec<_>, Vec<_>) =
            one.steps.into_iter().partition(|step| step.phase == fullwire_model::assessment::Phase::Undo);
        advice.steps.extend(forth);
        undo.push(back);
    }
    if undo.is_empty() {
        return advice.now("No setting raises it: the hardware accepts no larger requests. Use I/O of that size, or another adapter");
    }
    // Down again from the top.
    advice.steps.extend(undo.into_iter().rev().flatten());
    advice
}

fn request_bytes(disk: &Disk) -> Option<u64> {
    disk.queue.as_ref()?.max_request_bytes.filter(|bytes| *bytes > 0)
}

/// The multipath map in a stack, or above one of its disks.
fn multipath_of<'a>(host: &'a Host, stack: &[&'a Disk]) -> Option<&'a Disk> {
    let above = |disk: &&&Disk| disk.holders.iter().any(|name| host.disk(name).is_some_and(is_map));
    let holder = || {
        let path = stack.iter().find(above)?;
        path.holders.iter().filter_map(|name| host.disk(name)).find(|disk| is_map(disk))
    };
    stack.iter().copied().find(|disk| is_map(disk)).or_else(holder)
}

fn is_map(disk: &Disk) -> bool {
    disk.kind == "multipath"
}

/// Never by sysfs: a map above its paths fails all of them.
fn by_multipath(host: &Host, map: &Disk, wanted_bytes: u64, why: &str) -> Advice {
    let name = map.dm.as_ref().map_or(map.name.as_str(), |dm| dm.name.as_str());
    let kib = wanted_bytes >> 10;
    let product =
        host.multipath.iter().find(|one| one.device == map.name).map_or("", |one| one.product.as_str());
    let section = if product.is_empty() { "of the array".to_owned() } else { format!("of {product}") };
    because(why)
        .now(format!(
            "Do not write max_sectors_kb of {name} or of its paths by hand: a map that sends larger requests than a path accepts loses all paths"
        ))
        .persist(format!(
            "In /etc/multipath.conf, device section {section} (or overrides): max_sectors_kb {kib}. multipathd sets the \
             paths before the map"
        ))
        .unmounts(name)
        .needs("the array's vendor allows requests of this size")
        .persist_run("multipath -t > /dev/null", "Checks that multipath.conf can be read")
        .looks()
        .persist(format!("`multipathd reconfigure` while nothing uses {name}, or restart the host; rebuild the initramfs if it contains multipath.conf"))
        .unmounts(name)
        .needs(format!("the file systems and databases on {name} are stopped"))
        .undo("Remove the line and reconfigure in the same way")
        .unmounts(name)
}

/// What to do about a limit that someone set outside of this host.
pub(crate) fn limit_of_others() -> Advice {
    because("A limit in the cloud or the array delays every request beyond it; a deeper queue only waits longer.")
        .now("look up the volume's provisioned IOPS and throughput (cloud console, array QoS) and its burst credits, and compare")
        .persist("raise it, or choose another volume type or instance size")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Phase;

    fn host(text: &str) -> Host {
        serde_json::from_str(text).expect("a host")
    }

    fn runs(advice: &Advice, phase: Phase) -> Vec<&str> {
        advice.phase(phase).filter_map(|step| step.run.as_deref()).collect()
    }

    const STACK: &str = r#"{ "disks": [
        { "name": "dm-3", "kind": "lvm", "slaves": ["sda"], "queue": { "max_request_bytes": 131072 },
          "dm": { "name": "vg-data", "uuid": "LVM-abc" } },
        { "name": "sda", "kind": "disk", "holders": ["dm-3"], "wwid": "naa.600a098038313953",
          "queue": { "max_request_bytes": 131072 } } ] }"#;

    #[test]
    fn the_largest_request_rises_from_the_bottom_and_falls_from_the_top() {
        let advice = set_max_request(&host(STACK), "dm-3", 1 << 20, "");
        let now = [
            "echo 1024 > /sys/block/sda/queue/max_sectors_kb",
            "echo 1024 > /sys/block/dm-3/queue/max_sectors_kb",
        ];
        assert_eq!(runs(&advice, Phase::Now), now);
        let undo = runs(&advice, Phase::Undo);
        let place =
            |disk: &str| undo.iter().position(|run| run.contains(&format!("/sys/block/{disk}/"))).unwrap();
        assert!(place("dm-3") < place("sda"), "{undo:?}");
    }

    #[test]
    fn the_map_of_a_multipath_unit_is_never_written() {
        let host = host(
            r#"{ "disks": [
            { "name": "dm-0", "kind": "multipath", "slaves": ["sda"], "queue": { "max_request_bytes": 131072 },
              "dm": { "name": "mpatha", "uuid": "mpath-3600" } },
            { "name": "sda", "kind": "disk", "holders": ["dm-0"], "queue": { "max_request_bytes": 131072 } } ] }"#,
        );
        for name in ["dm-0", "sda"] {
            let advice = set_max_request(&host, name, 1 << 20, "");
            assert!(advice.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("/sys/")));
            assert!(advice.steps.iter().any(|step| step.text.contains("max_sectors_kb 1024")));
        }
    }

    #[test]
    fn rules_know_the_disk_and_not_its_name() {
        let host = host(STACK);
        let of = |name: &str| {
            let advice =
                set_disk_attribute("", host.disk(name).unwrap(), "queue/nr_requests", "256", Some("64"));
            runs(&advice, Phase::Persist)[0].to_owned()
        };
        assert!(of("sda").contains(r#"ATTRS{wwid}=="naa.600a098038313953", ATTR{queue/nr_requests}="256""#));
        assert!(of("dm-3").contains(r#"ENV{DM_UUID}=="LVM-abc""#));
        assert!(!of("sda").contains("KERNEL"));
        let by_serial = |name: &str| {
            let disk = Disk { name: name.into(), serial: "vol-1".into(), ..Disk::default() };
            let advice = set_disk_attribute("", &disk, "queue/nr_requests", "256", None);
            runs(&advice, Phase::Persist)[0].to_owned()
        };
        assert!(by_serial("vda").contains(r#"ENV{ID_SERIAL}=="vol-1""#));
        assert!(by_serial("sda").contains(r#"ENV{ID_SERIAL_SHORT}=="vol-1""#));
        // What lsblk shows of a WWN.
        let unknown = Disk { name: "sdb".into(), wwid: "0x600507680c80802d".into(), ..Disk::default() };
        let advice = set_disk_attribute("", &unknown, "queue/nr_requests", "256", None);
        assert!(runs(&advice, Phase::Persist).is_empty());
    }
}
