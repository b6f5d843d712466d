//! How much a private file may take: of its file system, and of what that file system shares with others.

use fullwire_model::host::{Disk, Host, LogicalVolume};

/// The smallest file that still tells something: 1024 blocks of 8 KiB.
pub(crate) const SMALLEST_BYTES: u64 = 8 << 20;
/// What must stay free next to a file of ordinary size, at least.
const MARGIN_BYTES: u64 = 5 << 30;
/// Files are a multiple of this.
pub(crate) const UNIT: u64 = 1 << 20;

/// What must stay free next to a file of ordinary size: a tenth of the file system, 5 GiB at least.
fn margin(total_bytes: u64) -> u64 {
    (total_bytes / 10).max(MARGIN_BYTES)
}

/// The size that a file may have, whole MiB.
///
/// Up to what leaves the margin. On a file system too small or too full for that: an eighth of what is available, so
/// that seven eighths stay; and no file at all where that is below [`SMALLEST_BYTES`] (less than 64 MiB available).
pub(crate) fn allowed(wanted_bytes: u64, total_bytes: u64, available_bytes: u64) -> Option<u64> {
    let beside_margin = available_bytes.saturating_sub(margin(total_bytes));
    let most = beside_margin.max(available_bytes / 8);
    let bytes = wanted_bytes.min(most) / UNIT * UNIT;
    (bytes >= SMALLEST_BYTES.min(wanted_bytes / UNIT * UNIT) && bytes > 0).then_some(bytes)
}

/// What must stay free for even the smallest file.
pub(crate) fn least_margin() -> u64 {
    SMALLEST_BYTES * 7
}

/// Space that a volume shares with others, and that runs out for all of them at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedRoom {
    /// `thin pool data-pool`, `snapshot data-old`.
    pub(crate) what: String,
    /// What is left of it.
    pub(crate) bytes: u64,
}

impl SharedRoom {
    /// What may be written: an eighth. The blocks stay taken after the file is gone, until someone trims.
    pub(crate) fn allowed(&self) -> u64 {
        self.bytes / 8 / UNIT * UNIT
    }
}

/// The scarcest of what is below a device: the pool of a thin volume, or the store of a snapshot, which keeps what we
/// overwrite and breaks when it is full.
pub(crate) fn shared_room(host: &Host, device: &str) -> Option<SharedRoom> {
    let stack = host.stack(device);
    let below = |volume: &LogicalVolume| stack.iter().any(|disk| disk.name == volume.device);
    let room =
        |what: String, disk: &Disk, used: f64| SharedRoom { what, bytes: part(disk.size_bytes, 1.0 - used) };
    let pool = |volume: &LogicalVolume| {
        let disk = mapped(host, &volume.pool).or_else(|| mapped(host, &format!("{}-tpool", volume.pool)))?;
        Some(room(format!("thin pool {}", volume.pool), disk, volume.data_used?))
    };
    let store = |volume: &LogicalVolume| {
        let shares = host
            .stack(&volume.device)
            .iter()
            .any(|disk| is_real(disk) && stack.iter().any(|own| own.name == disk.name));
        let disk = mapped(host, &format!("{}-cow", volume.name)).filter(|_| shares)?;
        Some(room(format!("snapshot {}", volume.name), disk, volume.data_used?))
    };
    let rooms = host.logical_volumes.iter().filter_map(|volume| match volume.layout.as_str() {
        "thin" if below(volume) => pool(volume),
        "snapshot" => store(volume),
        _ => None,
    });
    rooms.min_by_key(|room| room.bytes)
}

fn mapped<'a>(host: &'a Host, name: &str) -> Option<&'a Disk> {
    host.disks.iter().find(|disk| disk.dm.as_ref().is_some_and(|dm| dm.name == name))
}

/// What LVM calls the volume itself behind its origin and its snapshots.
fn is_real(disk: &Disk) -> bool {
    disk.dm.as_ref().is_some_and(|dm| dm.name.ends_with("-real"))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a size")]
fn part(bytes: u64, share: f64) -> u64 {
    (bytes as f64 * share.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::DmMap;
    use proptest::prelude::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn an_ordinary_file_system_keeps_a_tenth_and_a_small_one_seven_eighths() {
        assert_eq!(allowed(GIB, 100 * GIB, 60 * GIB), Some(GIB));
        // 100 GiB keep 10: 11 available leave 1.
        assert_eq!(allowed(4 * GIB, 100 * GIB, 11 * GIB), Some(11 * GIB / 8 / UNIT * UNIT));
        // 8 GiB, 100 MiB left: 12 MiB.
        assert_eq!(allowed(GIB, 8 * GIB, 100 << 20), Some(12 << 20));
        assert_eq!(allowed(GIB, 8 * GIB, 60 << 20), None);
        assert_eq!(allowed(GIB, 8 * GIB, 0), None);
    }

    fn map(name: &str, dm_name: &str, size_bytes: u64, slaves: &[&str]) -> Disk {
        Disk {
            name: name.into(),
            size_bytes,
            slaves: slaves.iter().map(|slave| (*slave).to_owned()).collect(),
            dm: Some(DmMap { name: dm_name.into(), ..DmMap::default() }),
            ..Disk::default()
        }
    }

    fn volume(device: &str, name: &str, layout: &str, pool: &str, used: f64) -> LogicalVolume {
        LogicalVolume {
            device: device.into(),
            name: name.into(),
            layout: layout.into(),
            pool: pool.into(),
            data_used: Some(used),
            ..LogicalVolume::default()
        }
    }

    #[test]
    fn a_thin_volume_may_take_an_eighth_of_what_its_pool_has_left() {
        let host = Host {
            disks: vec![
                map("dm-4", "data-ora", 40 * GIB, &["dm-3"]),
                map("dm-3", "data-pool-tpool", 20 * GIB, &[]),
            ],
            logical_volumes: vec![volume("dm-4", "data-ora", "thin", "data-pool", 0.9)],
            ..Host::default()
        };
        let room = shared_room(&host, "dm-4").expect("thin");
        assert_eq!(
            (room.what.as_str(), room.bytes >> 20, room.allowed()),
            ("thin pool data-pool", 2047, 255 << 20)
        );
        assert_eq!(shared_room(&host, "sda"), None);
    }

    #[test]
    fn writing_to_an_origin_fills_its_snapshot() {
        let host = Host {
            disks: vec![
                map("dm-0", "data-ora", 40 * GIB, &["dm-1"]),
                map("dm-1", "data-ora-real", 40 * GIB, &[]),
                map("dm-2", "data-old-cow", GIB, &[]),
                map("dm-3", "data-old", 40 * GIB, &["dm-1", "dm-2"]),
            ],
            logical_volumes: vec![volume("dm-3", "data-old", "snapshot", "", 0.5)],
            ..Host::default()
        };
        assert_eq!(shared_room(&host, "dm-0").expect("origin").bytes, GIB / 2);
    }

    proptest! {
        #[test]
        fn never_more_than_wanted_and_never_the_last(wanted in UNIT.., total: u64, available: u64) {
            if let Some(bytes) = allowed(wanted, total, available) {
                prop_assert!(bytes <= wanted);
                prop_assert!(bytes <= available);
                prop_assert!(available - bytes >= (available / 8 * 7).min(margin(total)));
            }
        }
    }
}
