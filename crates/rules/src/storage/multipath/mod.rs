//! Multipath maps and NVMe paths.

rules! {
    multipath_daemon_missing,
    multipath_ghost_io,
    multipath_initramfs,
    multipath_no_retry,
    multipath_not_configured,
    multipath_one_active,
    multipath_one_adapter,
    multipath_one_group,
    multipath_path_failed,
    multipath_path_in_asm,
    multipath_path_lost,
    multipath_path_mounted,
    multipath_queue_forever,
    multipath_single_path,
    multipath_slow_path,
    multipath_unequal_queues,
    multipath_uneven_load,
    nvme_io_policy,
    nvme_path_lost,
    paths_not_optimised,
    powerpath_unlicensed,
}

use crate::facts;
use fullwire_model::host::{Host, MultipathMap};

/// The map is of a local controller's disk, which has one path by design: multipathd claims it where `find_multipaths` is
/// off.
fn is_local(host: &Host, map: &MultipathMap) -> bool {
    const DRIVERS: [&str; 7] = ["hpsa", "smartpqi", "megaraid_sas", "aacraid", "ahci", "ata_piix", "mptsas"];
    let mut paths = map.groups.iter().flat_map(|group| &group.paths).peekable();
    let of_driver = |name: &str| {
        let disk = host.disk(name)?;
        Some(DRIVERS.contains(&disk.scsi.as_ref()?.host_driver.as_str()) || disk.transport == "sata")
    };
    paths.peek().is_some() && paths.all(|path| of_driver(&path.device) == Some(true))
        // What SAT gives each disk of SATA for a vendor.
        || map.product.starts_with("ATA ")
        || facts::is_name_of_raid_volume(&map.product)
}
