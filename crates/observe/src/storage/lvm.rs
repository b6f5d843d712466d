//! LVM's volumes as far as device-mapper reports: no metadata of LVM is read, and no tool of it run.
//!
//! A volume's UUID is `LVM-` and 64 characters; what LVM hides below it (legs, pool data, copy-on-write) has a
//! suffix. Names double the hyphens of their parts.

use super::diskstats::SECTOR_BYTES;
use super::dm_target::devices_in;
use fullwire_model::host::{Disk, DmTarget, LogicalVolume, LvmRaid};
use std::collections::{BTreeMap, BTreeSet};

/// Length of the UUID of a volume that users see: prefix, volume group, volume.
const UUID_LENGTH: usize = 4 + 32 + 32;

/// Layers of hidden volumes that are followed.
const DEPTH_LIMIT: usize = 8;

/// Finds the logical volumes among the devices.
pub(crate) fn logical_volumes(disks: &[Disk]) -> Vec<LogicalVolume> {
    let maps = Maps::of(disks);
    disks.iter().filter(|disk| is_volume(disk)).filter_map(|disk| maps.volume(disk)).collect()
}

fn is_volume(disk: &Disk) -> bool {
    let Some(dm) = &disk.dm else { return false };
    // A thin pool is called by users, too, though its UUID has a suffix.
    let uuid = dm.uuid.strip_suffix("-pool").unwrap_or(&dm.uuid);
    uuid.starts_with("LVM-") && uuid.len() == UUID_LENGTH
}

fn is_of_lvm(disk: &Disk) -> bool {
    disk.dm.as_ref().is_some_and(|dm| dm.uuid.starts_with("LVM-"))
}

/// Devices by name and number.
struct Maps<'a> {
    by_name: BTreeMap<&'a str, &'a Disk>,
    by_number: BTreeMap<&'a str, &'a Disk>,
}

impl<'a> Maps<'a> {
    fn of(disks: &'a [Disk]) -> Self {
        Self {
            by_name: disks.iter().map(|disk| (disk.name.as_str(), disk)).collect(),
            by_number: disks.iter().map(|disk| (disk.number.as_str(), disk)).collect(),
        }
    }

    fn volume(&self, disk: &Disk) -> Option<LogicalVolume> {
        let dm = disk.dm.as_ref()?;
        let mut volume = LogicalVolume {
            device: disk.name.clone(),
            name: dm.name.clone(),
            volume_group: volume_group(&dm.name),
            physical_volumes: self.physical_volumes(disk),
            ..LogicalVolume::default()
        };
        let inner = self.inner(disk);
        let targets = &inner.dm.as_ref()?.targets;
        layout(targets).clone_into(&mut volume.layout);
        if let Some((stripes, bytes)) = targets.first().and_then(stripe) {
            volume.stripes = stripes;
            volume.stripe_bytes = Some(bytes);
        } else {
            volume.stripes = u32::from(!targets.is_empty());
        }
        self.usage(targets, &mut volume);
        volume.raid = targets.iter().find_map(raid);
        Some(volume)
    }

    /// The device that says how a volume is laid out: behind a snapshot's origin lies the real one, behind a
    /// pool's visible name the pool.
    fn inner(&self, disk: &'a Disk) -> &'a Disk {
        let mut inner = disk;
        for _ in 0..DEPTH_LIMIT {
            let Some([only]) = inner.dm.as_ref().map(|dm| dm.targets.as_slice()) else { break };
            let below = devices_in(&only.parameters).next().and_then(|number| self.by_number.get(number));
            match below {
                Some(below) if only.kind == "snapshot-origin" => inner = below,
                Some(below) if only.kind == "linear" && is_pool(below) => inner = below,
                _ => break,
            }
        }
        inner
    }

    /// The devices that LVM was given, below all that it made of them.
    fn physical_volumes(&self, disk: &Disk) -> Vec<String> {
        let mut found = BTreeSet::new();
        // A tree that was made up may say that devices are below each other: each is looked at once.
        let mut seen = BTreeSet::from([disk.name.as_str()]);
        let mut waiting: Vec<&Disk> = vec![disk];
        while let Some(disk) = waiting.pop() {
            for name in disk.slaves.iter().map(String::as_str).filter(|name| seen.insert(name)) {
                match self.by_name.get(name) {
                    Some(lower) if is_of_lvm(lower) => waiting.push(lower),
                    _ => _ = found.insert(name.to_owned()),
                }
            }
        }
        found.into_iter().collect()
    }

    /// How full a pool or a snapshot is; a thin volume is as full as its pool.
    fn usage(&self, targets: &[DmTarget], volume: &mut LogicalVolume) {
        let [only] = targets else { return };
        let mut filled = only;
        if only.kind == "thin"
            && let Some(pool) =
                devices_in(&only.parameters).next().and_then(|number| self.by_number.get(number))
            && let Some(dm) = &pool.dm
        {
            dm.name.strip_suffix("-tpool").unwrap_or(&dm.name).clone_into(&mut volume.pool);
            filled = dm.targets.first().unwrap_or(only);
        }
        match filled.kind.as_str() {
            "thin-pool" => (volume.metadata_used, volume.data_used) = pool_usage(&filled.status),
            "snapshot" => volume.data_used = snapshot_usage(&filled.status),
            _ => {}
        }
    }
}

fn is_pool(disk: &Disk) -> bool {
    disk.dm.as_ref().is_some_and(|dm| dm.targets.iter().any(|target| target.kind == "thin-pool"))
}

/// `data` of `data-my--volume`.
fn volume_group(name: &str) -> String {
    let doubled = name.replace("--", "\0");
    doubled.split('-').next().unwrap_or_default().replace('\0', "-")
}

fn layout(targets: &[DmTarget]) -> &'static str {
    let of_kind = |kind: &str| match kind {
        "linear" => "linear",
        "striped" => "striped",
        "thin" => "thin",
        "thin-pool" => "thin-pool",
        "snapshot" | "snapshot-merge" => "snapshot",
        "raid" | "mirror" => "raid",
        "cache" | "writecache" => "cache",
        _ => "mixed",
    };
    let kinds: BTreeSet<&str> = targets.iter().map(|target| of_kind(&target.kind)).collect();
    match (kinds.first(), kinds.len()) {
        (None, _) => "",
        (Some(only), 1) => only,
        _ => "mixed",
    }
}

/// `striped` parameters: legs, chunk in sectors, then device and start of each leg. A `raid0` target alike.
fn stripe(target: &DmTarget) -> Option<(u32, u64)> {
    let mut words = target.parameters.split(' ');
    match target.kind.as_str() {
        "striped" => {
            let (legs, chunk): (u32, u64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((legs, chunk.checked_mul(SECTOR_BYTES)?))
        }
        "raid" if words.next()?.starts_with("raid0") => {
            // raid0 <count of parameters> <chunk> … <legs> …
            let count: usize = words.next()?.parse().ok()?;
            let chunk: u64 = words.next()?.parse().ok()?;
            let legs: u32 = words.nth(count.checked_sub(1)?)?.parse().ok()?;
            Some((legs, chunk.checked_mul(SECTOR_BYTES)?))
        }
        _ => None,
    }
}

/// State of copies and parity: dm-raid's `LEVEL LEGS HEALTH IN-SYNC/ALL ACTION …` (device-mapper/dm-raid.rst: `D` is a
/// failed leg), or the old mirror's `LEGS DEVICE… IN-SYNC/ALL 1 HEALTH …` (drivers/md/dm-raid1.c: all but `A` failed).
fn raid(target: &DmTarget) -> Option<LvmRaid> {
    let words: Vec<&str> = target.status.split_whitespace().collect();
    let (level, legs, health, done, action) = match (target.kind.as_str(), words.as_slice()) {
        ("raid", [level, legs, health, done, action, ..]) if *level != "raid0" => {
            (*level, legs.parse().ok()?, *health, *done, *action)
        }
        ("mirror", [legs, rest @ ..]) => {
            let count: usize = legs.parse().ok()?;
            let [done, _, health, ..] = rest.get(count..)? else { return None };
            // It has no word for what it does: what is not in sync is being copied. A `pvmove` is such a mirror, too.
            let action = if share(done).is_some_and(|done| done < 1.0) { "recover" } else { "idle" };
            ("mirror", legs.parse().ok()?, *health, *done, action)
        }
        _ => return None,
    };
    let is_failed = |state: char| if level == "mirror" { state != 'A' } else { state == 'D' };
    let failed =
        (0..).zip(health.chars()).filter(|(_, state)| is_failed(*state)).map(|(leg, _)| leg).collect();
    let sync_done = share(done);
    Some(LvmRaid { level: level.to_owned(), legs, failed, sync_action: action.to_owned(), sync_done })
}

/// Thin pool: `TRANSACTION USED/TOTAL-METADATA USED/TOTAL-DATA …`.
fn pool_usage(status: &str) -> (Option<f64>, Option<f64>) {
    let mut words = status.split(' ').skip(1);
    (words.next().and_then(share), words.next().and_then(share))
}

/// Snapshot: `ALLOCATED/TOTAL METADATA`, or `Invalid` when it overflowed.
fn snapshot_usage(status: &str) -> Option<f64> {
    let first = status.split(' ').next()?;
    if matches!(first, "Invalid" | "Overflow") { Some(1.0) } else { share(first) }
}

fn share(text: &str) -> Option<f64> {
    let (used, all) = text.split_once('/')?;
    let (used, all): (u64, u64) = (used.parse().ok()?, all.parse().ok()?);
    (all > 0).then(|| used as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::super::dm_target::target;
    use super::*;
    use fullwire_model::host::DmMap;

    fn map(
        name: &str,
        number: &str,
        dm_name: &str,
        suffix: &str,
        targets: &[(&str, &str, &str)],
        slaves: &[&str],
    ) -> Disk {
        let with_status = |(kind, parameters, status): &(&str, &str, &str)| {
            let status = (*status).to_owned();
            DmTarget { status, ..target(0, 8, kind, parameters) }
        };
        Disk {
            name: name.to_owned(),
            number: number.to_owned(),
            slaves: slaves.iter().map(|&slave| slave.to_owned()).collect(),
            dm: Some(DmMap {
                name: dm_name.to_owned(),
                uuid: format!("LVM-{}{suffix}", "x".repeat(64)),
                targets: targets.iter().map(with_status).collect(),
                suspended: None,
            }),
            ..Disk::default()
        }
    }

    #[test]
    fn a_stripe_and_a_concatenation() {
        let disks = [
            map(
                "dm-0",
                "253:0",
                "data-fast",
                "",
                &[("striped", "2 512 8:0 2048 8:16 2048", "")],
                &["sda", "sdb"],
            ),
            map(
                "dm-1",
                "253:1",
                "my--vg-slow",
                "",
                &[("linear", "8:0 9", ""), ("linear", "8:16 9", "")],
                &["sda", "sdb"],
            ),
        ];
        let volumes = logical_volumes(&disks);
        assert_eq!(
            (volumes[0].layout.as_str(), volumes[0].stripes, volumes[0].stripe_bytes),
            ("striped", 2, Some(256 << 10))
        );
        assert_eq!((volumes[1].layout.as_str(), volumes[1].stripes), ("linear", 1));
        assert_eq!(volumes[1].volume_group, "my-vg");
        assert_eq!(volumes[1].physical_volumes, ["sda", "sdb"]);
    }

    #[test]
    fn a_thin_volume_is_as_full_as_its_pool() {
        let status = "1 50/1000 900/1000 - rw discard_passdown queue_if_no_space - 1024";
        let disks = [
            map("dm-0", "253:0", "vg-pool_tdata", "-tdata", &[("linear", "8:0 2048", "")], &["sda"]),
            map(
                "dm-2",
                "253:2",
                "vg-pool-tpool",
                "-tpool",
                &[("thin-pool", "253:1 253:0 128 0 0", status)],
                &["dm-0"],
            ),
            map("dm-3", "253:3", "vg-pool", "-pool", &[("linear", "253:2 0", "")], &["dm-2"]),
            map("dm-4", "253:4", "vg-thin", "", &[("thin", "253:2 1", "8 7")], &["dm-2"]),
        ];
        let volumes = logical_volumes(&disks);
        assert_eq!(volumes.len(), 2, "hidden volumes are not reported");
        assert_eq!((volumes[0].layout.as_str(), volumes[0].data_used), ("thin-pool", Some(0.9)));
        assert_eq!((volumes[1].layout.as_str(), volumes[1].metadata_used), ("thin", Some(0.05)));
        assert_eq!(
            (volumes[1].pool.as_str(), volumes[1].physical_volumes.as_slice()),
            ("vg-pool", ["sda".to_owned()].as_slice())
        );
    }

    /// Status lines as a lab's `dmsetup status` gave them, and as drivers/md/dm-raid1.c prints the old mirror's.
    #[test]
    fn a_failed_leg_is_told() {
        let of = |kind, status: &str| {
            raid(&DmTarget { status: status.to_owned(), ..target(0, 409_600, kind, "") })
        };
        let mirror = of("raid", "raid1 2 AD 409600/409600 idle 0 0 -").expect("a mirror");
        assert_eq!((mirror.level.as_str(), mirror.legs, mirror.failed.as_slice()), ("raid1", 2, &[1][..]));
        assert_eq!((mirror.sync_action.as_str(), mirror.sync_done), ("idle", Some(1.0)));
        let rebuilt = of("raid", "raid1 2 aA 102400/409600 recover 0 0 -").expect("a mirror");
        assert_eq!(
            (rebuilt.failed.len(), rebuilt.sync_action.as_str(), rebuilt.sync_done),
            (0, "recover", Some(0.25))
        );
        let old = of("mirror", "2 253:1 253:2 400/400 1 DA 1 core").expect("a mirror");
        assert_eq!((old.level.as_str(), old.legs, old.failed.as_slice()), ("mirror", 2, &[0][..]));
        assert_eq!(old.sync_action, "idle");
        let moved = of("mirror", "2 8:0 8:16 39/450 1 AA 1 core").expect("a move");
        assert_eq!(moved.sync_action, "recover");
        assert_eq!(of("raid", "raid0 2 AA 409600/409600 idle 0 0 -"), None);
        assert_eq!(of("raid", "raid1 x"), None);
    }

    /// Followed along every way there are 64 to the 8th.
    #[test]
    fn volumes_below_each_other_are_looked_at_once_each() {
        let names: Vec<String> = (0..64).map(|number| format!("dm-{number}")).collect();
        let mut below: Vec<&str> = names.iter().map(String::as_str).collect();
        below.push("sda");
        let disks: Vec<Disk> = (0..)
            .zip(&names)
            .map(|(number, name)| {
                map(name, &format!("253:{number}"), "vg-x", "", &[("linear", "8:0 0", "")], &below)
            })
            .collect();
        let volumes = logical_volumes(&disks);
        assert_eq!(volumes.len(), 64);
        assert!(volumes.iter().all(|volume| volume.physical_volumes == ["sda"]));
    }

    #[test]
    fn a_snapshot_that_overflowed_is_full() {
        assert_eq!(snapshot_usage("Invalid"), Some(1.0));
        assert_eq!(snapshot_usage("16/2048 16"), Some(1.0 / 128.0));
    }
}
