//! Adapters of networks and disks, by the kind of their driver.

use super::super::Entry;

/// Drivers of network adapters.
#[rustfmt::skip]
pub(super) const NIC: &[&str] = &[
    "e1000", "e1000e", "igb", "igc", "ixgbe", "ixgbevf", "i40e", "iavf", "ice", "idpf", "tg3", "bnx2", "bnx2x",
    "bnxt_en", "be2net", "mlx4_core", "mlx4_en", "mlx5_core", "qede", "qeth", "qed", "qede_tx_timeout",
    // The stack asks a driver by this name (`ndo_tx_timeout`), and drivers log it.
    "tx_timeout", "qlcnic", "sfc", "enic", "cxgb4", "hns3", "hinic", "atlantic", "nfp", "ionic", "octeontx2", "r8169",
    "fm10k", "infiniband", "netdev watchdog", "amd-xgbe", "xgbe", "alx", "thunder-nicvf", "sky2", "skge", "forcedeth", "stmmac",
    "netxen_nic", "liquidio", "fsl_dpaa2_eth", "mvpp2", "mvneta", "bna", "be2net", "vxge", "niu", "cxgb3", "atl1c", "ixgb", "e100",
    "spnic", "ngbe", "txgbe", "enetc", "macb", "fec", "hns", "lan743x", "r8125", "axienet", "ftgmac100", "bcmgenet", "funeth", "pensando",
];
/// Of network adapters that a hypervisor gives its guests.
pub(super) const VIRTUAL_NIC: &[&str] =
    &["vmxnet3", "virtio_net", "hv_netvsc", "xen_netfront", "ena", "gve", "mana", "ibmvnic", "ibmveth"];
/// Drivers of SAS and RAID adapters.
pub(super) const HBA: &[&str] = &[
    "mpt2sas", "mpt3sas", "mptsas", "mptbase", "mpi3mr", "megaraid", "megasas", "aacraid", "hpsa", "cciss",
    "smartpqi", "mr_sas", "arcmsr", "isci", "pm80xx", "mvsas", "mv_sas", "hptiop", "esas2r", "3w", "aic94xx",
    "ips", "dpt_i2o", "stex", "hisi_sas", "mpi3mr0", "mpi3mr1",
];
/// Drivers of Fibre Channel, `FCoE` and iSCSI adapters.
#[rustfmt::skip]
pub(super) const FABRIC: &[&str] = &[
    "qla2xxx", "qla4xxx", "lpfc", "bfa", "fnic", "bnx2fc", "bnx2i", "qedf", "qedi", "csiostor", "libfc", "zfcp",
    "be2iscsi", "cxgb4i", "scsi host", "fip", "fcoe", "libfcoe", "csiostor", "elx", "efct", "qla1280",
];
#[rustfmt::skip]
pub(super) const VIRTUAL_DISK: &[&str] = &[
    "vmw_pvscsi", "hv_storvsc", "storvsc", "xen-blkfront", "blkfront", "virtio_blk", "virtio_scsi", "ibmvscsi",
    "ibmvfc",
];

/// What adapters say when they or their firmware stop.
#[rustfmt::skip]
const STOPPED: &[&str] = &[
    "timed out", "timeout", "time-out", " hang", "hung", "stuck", "lockup", "lock up", "not responding",
    "unresponsive", "no response", "is dead", "fatal", "panic", "assert", "begin crash dump", "controller fault",
    "port status event", "fw error", "fw fault", "reset failed", "globr requested", "internal error", "unrecoverable",
    "non-operational", "in fault", "fault state", "fault_state", "is offline", "taking this port offline",
    "offline: status", "stalled", "resetting", "reset adapter", "abort request", "abort device", "bus reset",
    "adapter reset", "reset request", "initiating reset", "be reset", "was reset", "diag reset !!",
    "diag reset: failed", "rebuild failed", "driver issue", "health compromised", "health recovery", "dump saved",
    "firmware dump", "firmware reset", "parity error", "system error", "hardware error", "heartbeat", "critical error",
    "killing adapter", "coredump", "leak of a command", "risc paused", "fw not", "adapter error",
    "error detected in the adapter", "lost tx", "missed tx", "hasn't completed", "error recovery", "ecc err",
];
const NET_DRIVERS: &str = "Linux drivers/net/ethernet, each driver's messages";
const SCSI_DRIVERS: &str = "Linux drivers/scsi, each driver's messages";

#[rustfmt::skip]
const DISK_REMOVED: Entry = entry! { Storage Warning, name: "disk-removed", source: SCSI_DRIVERS,
    says: "a disk or a volume disappeared from its adapter",
    now: "Pulled, or lost? Its slot, cable and power; the controller's own log; the state of the array above it" };

#[rustfmt::skip]
pub(super) const LINES: &[Entry] = &[
    entry! { Host Info, name: "pcie-narrow", whose: NIC, any: &["bandwidth, limited by"],
        source: "Linux drivers/pci/pci.c (__pcie_print_link_status)",
        says: "a card sits in a PCIe slot that carries less than the card could: the line says how much",
        now: "Compare it with the speed of the links: below it, move the card to a wider or faster slot" },
    entry! { Host Warning, name: "adapter-power", whose: NIC, any: &["insufficient power", "power budget"],
        source: NET_DRIVERS,
        says: "the PCIe slot gives a network adapter, or its transceiver, too little power: it may slow down or switch its port off",
        now: "A slot with the power that the card states, its extra power cable, a transceiver of a lower class" },
    entry! { Network Warning, name: "nic-malicious", whose: NIC, any: &["malicious driver", "mdd event"],
        source: NET_DRIVERS,
        says: "the adapter refused what its driver, or the guest on a virtual function, gave it to send, and stopped that queue",
        now: "The line says which function and address: a guest's driver first; then driver and firmware of this host as a pair" },
    entry! { Network Warning, name: "transceiver-hot", whose: NIC, any: &["high temperature"], source: NET_DRIVERS,
        says: "the transceiver in the adapter's port is too hot",
        now: "The airflow of the host and the heat of its neighbours (`ethtool -m` of the port); then the transceiver" },
    entry! { Network Warning, name: "transceiver", whose: NIC, any: &["module event[error]", "cable error",
        "unsupported sfp", "unsupported module", "unqualified", "sfp module"], source: NET_DRIVERS,
        says: "the adapter refuses the transceiver or cable in its port, or cannot read it",
        now: "`ethtool -m` of the port: type and light; replace transceiver or cable for one that the vendor lists" },
    entry! { Network Critical, name: "nic-gone", whose: NIC,
        any: &["pcie link lost", "now detached", "surprise", "removed from",
        "adapter removed", "device removed"], source: NET_DRIVERS,
        says: "a network adapter disappeared from the PCIe bus",
        now: "The lines of pcieport before it; reseat the card, then its firmware; it comes back at the next boot, or never" },
    entry! { Network Warning, name: "osa-recovery", whose: &["qeth"], any: &["recovery process has",
        "operation timed out", "failed to recover", "chpid", "link failure"],
        source: "Linux drivers/s390/net/qeth_core_main.c",
        says: "an OSA adapter of the mainframe lost its link or did not answer, and was recovered: its interfaces stood still meanwhile",
        now: "`lsqeth` and `lschp`: state of the devices and their channel path; the hardware console and the switch port at that time" },
    entry! { Network Warning, name: "nic-reset", whose: NIC, any: STOPPED, source: NET_DRIVERS,
        says: "a network adapter or its firmware stopped and was reset: its link is gone for seconds, and timeouts of cluster, iSCSI and NFS run meanwhile",
        now: "`ethtool -i` of the interface: driver and firmware; the vendor's notes on both\nUpdate firmware and driver together; replace the adapter if it stops again" },
    entry! { Network Info, name: "virtual-nic-slow-path", whose: VIRTUAL_NIC, any: &["data path switched from vf"],
        source: "Linux drivers/net/hyperv/netvsc_drv.c (netvsc_vf_changed)",
        says: "the hypervisor withdrew the direct path of a virtual network adapter (accelerated networking), as it does while it is maintained: packets take the slow path",
        now: "Did it switch back (`ethtool -S` of the interface, vf_ counters)? If not, ask the provider" },
    entry! { Network Warning, name: "nic-port-option", whose: NIC, any: &["configuration of the ethernet port"],
        source: "Linux drivers/net/ethernet/intel/ice/ice_main.c (ice_print_topo_conflict)",
        says: "a network adapter finds its port set to an option that does not fit its cable or transceiver: it has no link, or a slower one",
        now: "The port's option (breakout) by the vendor's tool (Intel: EPCT, devlink port); the transceiver that is in it" },
    entry! { Network Warning, name: "virtual-nic-pieces", whose: &["xen_netfront", "xennet"],
        any: &["rides the rocket"], source: "Linux drivers/net/xen-netfront.c (xennet_start_xmit)",
        says: "the virtual network adapter dropped packets that lie in too many pieces of memory",
        now: "A newer kernel; until then without scattered packets: `ethtool -K INTERFACE sg off`" },
    entry! { Network Warning, name: "virtual-nic-stopped", whose: VIRTUAL_NIC, any: &["timed out", "timeout", "hang",
        "stuck", "reset", "unable to", "error", "fail", "drop"], source: NET_DRIVERS,
        says: "a virtual network adapter sent nothing for seconds: the hypervisor did not take its packets, or the guest got no CPU",
        now: "The hypervisor's log and load at that time, and CPU steal of the guest; then the driver's version" },
    entry! { Storage Critical, name: "raid-rebuild", whose: HBA, any: &["rebuild failed"], source: SCSI_DRIVERS,
        says: "a rebuild of a RAID volume failed: another of its disks cannot be read, and the volume has no redundancy",
        now: "Back up what is on it first; then see which disk gave the error (storcli /cALL/eALL/sALL show, event log), and replace that one with the vendor's help" },
    entry! { Storage Warning, name: "raid-battery-bad", whose: HBA, any: &["battery/charger", "soh bad"],
        source: SCSI_DRIVERS,
        says: "the battery or capacitor of the RAID controller is bad: it writes through now, or soon, and each commit waits for the disks",
        now: "storcli /cALL/bbu show, /cALL/cv show; replace it" },
    entry! { Storage Warning, name: "raid-disk-medium", whose: HBA,
        any: &["unexpected sense", "medium error", "bad block", "predictive failure"], source: SCSI_DRIVERS,
        says: "a disk behind the RAID controller cannot read sectors, or is about to fail; the controller restores them from the others",
        now: "Which one (storcli /cALL/eALL/sALL show all: media errors, predictive failures); replace it while the volume is whole" },
    entry! { whose: HBA,
        any: &["removing handle", "delete device", "removed direct-access", "device_lost", "port_remove"],
        ..DISK_REMOVED },
    // Between both words stand the disk's address and its WWN.
    entry! { whose: &["smartpqi"], all: &["removed", "direct-access"], ..DISK_REMOVED },
    entry! { Storage Warning, name: "adapter-stopped", whose: HBA, any: STOPPED, source: SCSI_DRIVERS,
        says: "an adapter's firmware stopped and was reset, or does not answer: all disks behind it stalled together, and none of them is at fault",
        now: "How often, and with which code: the vendor's note on the code names the firmware that fixes it\nUpdate firmware and driver of the adapter to the pair that its vendor lists; if it stops again, replace it, its temperature and its seat first" },
    entry! { Storage Warning, name: "adapter-link", whose: HBA, any: &["phy bad", "phy error", "link speed",
        "enclosure failed", "enclosure lost", "expander fail", "expander reset", "expander lost", "discovery error"],
        source: SCSI_DRIVERS, asks_drive: true,
        says: "a link between a SAS adapter, its enclosure and a disk is bad or was lost",
        now: "`smartctl -l sasphy` and the controller's tool: which phy counts errors; reseat or replace cable, slot or expander" },
    entry! { Storage Warning, name: "fabric-frames", whose: FABRIC, any: &["dropped frame", "underrun", "residual",
        "crc error", "9024", "iscsi error", "error(s) detected"], source: SCSI_DRIVERS,
        says: "frames between this host and the array were lost or damaged: the link, not the disk",
        now: "Error counters of both ends of each link on the way (CRC, discards); then transceiver and cable of the one that counts" },
    entry! { Storage Warning, name: "fabric-link", whose: FABRIC, any: &["link lost", "link down", "loop down",
        "lip occurred", "lip reset occurred", "issue_lip", "connection was lost", "tcp reset"], source: SCSI_DRIVERS,
        says: "the link of a storage adapter went down: all paths over it wait or fail",
        now: "The switch's log at that time; then transceiver and cable of this port" },
    entry! { Storage Warning, name: "fabric-optics", whose: FABRIC, any: &["optics fault", "unplugged", "no sfp",
        "sfp fault", "sfp not", "unsupported sfp", "loss of signal", "no light"], source: SCSI_DRIVERS,
        says: "a storage adapter gets no light, or cannot use its transceiver or cable: all paths over it are gone",
        now: "Transceiver and cable of this port at both ends; the switch's view of the port" },
    entry! { Storage Warning, name: "fabric-login", whose: FABRIC,
        any: &["plogi", "prli", "flogi", "gpdb", "login fail", "logged out", "rscn"], source: SCSI_DRIVERS,
        says: "a port of the array or the fabric refused a login, or did not answer it: paths over it do not come up",
        now: "Zone, state of the array's port, and the switch's log at that time; was a controller restarted?" },
    entry! { Storage Warning, name: "fabric-stopped", whose: FABRIC, any: STOPPED, source: SCSI_DRIVERS,
        says: "a storage adapter's firmware stopped and was reset: all paths over it failed meanwhile, and no disk is at fault",
        now: "How often, and with which code; do the other paths carry the I/O (`multipath -ll`)?\nUpdate firmware and driver of the adapter to the pair that its vendor lists; replace it if it stops again" },
    entry! { Storage Warning, name: "channel-queue", whose: &["qdio", "a qdio problem"], any: &["error", "problem", "check condition"],
        source: "Linux drivers/s390/cio/qdio_main.c, drivers/s390/scsi/zfcp_qdio.c",
        says: "a queue between the kernel and a channel of the mainframe (QDIO) failed: an FCP channel or an OSA adapter stands still until it is recovered",
        now: "`lszfcp -HPD`, `lsqeth` and `lschp`: which channel; the paths that are left (`multipath -ll`); the hardware console at that time" },
    entry! { Storage Warning, name: "virtual-disk-no-flush", whose: VIRTUAL_DISK,
        any: &["empty flush op failed", "write barrier op failed"],
        source: "Linux drivers/block/xen-blkfront.c (blkif_interrupt)",
        says: "the backend of a virtual disk takes no flush: what was committed rests on the cache of the hypervisor",
        now: "On the hypervisor: the cache mode of this disk and its backend; after a loss of power there commits may be gone" },
    entry! { Storage Warning, name: "virtual-disk", whose: VIRTUAL_DISK,
        any: &["error", "fail", "timed out", "timeout", "abort"], source: SCSI_DRIVERS,
        says: "the hypervisor failed or did not answer a request of a virtual disk",
        now: "The storage below the hypervisor at that time: its log, its paths, its room" },
];
