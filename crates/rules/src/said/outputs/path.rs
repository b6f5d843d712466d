//! Paths to storage: multipath software, Fibre Channel, NFS, hypervisors.

use super::super::{Entry, at_least, critical, told};
use fullwire_model::assessment::Layer::{Network, Storage};
use fullwire_model::assessment::Severity::Info;

pub(in crate::said) const LINES: &[Entry] = &[
    told(
        &["path offline"],
        Storage,
        "multipathd does not use a path, because the kernel has set its SCSI device offline",
        &[
            "`cat /sys/block/sdX/device/state`, and the kernel's log before it: what the device did not answer. Mend that, then rescan; a device that is back says running",
        ],
        "multipath-tools libmultipath/discovery.c (path_offline)",
    ),
    at_least(
        ("backlog wait:", 50.0),
        told(
            &["backlog wait:", "rtt:"],
            Storage,
            "requests wait {n} ms in the client itself before they are sent: it has more to send than its connection takes at once",
            &[
                "More connections (nconnect, where server and kernel know it) and a larger slot table (sunrpc.tcp_max_slot_table_entries); where RTT is as long, the server first",
            ],
            "mountstats(8); Linux net/sunrpc/xprt.c",
        ),
    ),
    at_least(
        ("rtt:", 50.0),
        told(
            &["rtt:", "total execute time:"],
            Storage,
            "network and server take {n} ms to answer a request",
            &[
                "Which of both: fullwire net to the server for its round trip; then the server's disks and load",
            ],
            "mountstats(8)",
        ),
    ),
    critical(told(
        &["path wwid change"],
        Storage,
        "another LUN answers where this path led: the array reused its number while the host still had it, and writes may reach the wrong one",
        &[
            "Stop what writes to it; have the mapping on the array undone, and the path removed, before anything else",
        ],
        "multipath-tools, multipathd/main.c (ev_update_path)",
    )),
    told(
        &["failed to add new path", "size mismatch"],
        Storage,
        "a path shows another size than its map: the LUN was grown, and not all paths were read again",
        &["Rescan each path (echo 1 > /sys/block/DEVICE/device/rescan), then `multipathd resize map NAME`"],
        "multipath-tools, multipathd/main.c (ev_add_path)",
    ),
    critical(told(
        &["vxvm", "disabled dmpnode"],
        Storage,
        "Veritas DMP has no path left to this device: its I/O fails",
        &["Bring one path back first: link, zoning, array port (vxdmpadm getsubpaths)"],
        "Veritas Dynamic Multi-Pathing administrator's guide",
    )),
    critical(told(
        &["all paths to ", "are dead"],
        Storage,
        "PowerPath has no path left to this device: its I/O fails",
        &[
            "Bring one path back first: link, zoning, array port (powermt display dev=all), then powermt restore",
        ],
        "Dell PowerPath for Linux, messages",
    )),
    critical(told(
        &["kapl08026-e"],
        Storage,
        "HDLM has no path left to this device: its I/O fails",
        &["Bring one path back first: link, zoning, array port (dlnkmgr view -path)"],
        "Hitachi Dynamic Link Manager user guide, messages",
    )),
    told(
        &["kapl08022-e"],
        Storage,
        "HDLM lost a path to this device",
        &["Look at the link, switch port and array port of that path (dlnkmgr view -path)"],
        "Hitachi Dynamic Link Manager user guide, messages",
    ),
    told(
        &["vxdmp", "disabled path"],
        Storage,
        "Veritas DMP disabled a path to the array",
        &["Look at the link, switch port and array port of that path (vxdmpadm getsubpaths)"],
        "Veritas Dynamic Multi-Pathing administrator's guide",
    ),
    told(
        &["qla", "active", " dead "],
        Storage,
        "PowerPath has a dead path to this device",
        &[
            "Look at the link, switch port and array port of that path (powermt display dev=all), then powermt restore",
        ],
        "Dell PowerPath administrator's guide, powermt display",
    ),
    told(
        &["lpfc", "active", " dead "],
        Storage,
        "PowerPath has a dead path to this device",
        &[
            "Look at the link, switch port and array port of that path (powermt display dev=all), then powermt restore",
        ],
        "Dell PowerPath administrator's guide, powermt display",
    ),
    told(
        &["failed faulty"],
        Storage,
        "a path of a multipath map has failed: its checker gets no answer over it",
        &[
            "Look at the link, switch port and array port of that path (multipath -ll, dmesg); it comes back by itself once its checker is answered",
        ],
        "multipath(8), multipathd(8), show paths",
    ),
    told(
        &["failed i/o timeout"],
        Storage,
        "a path of a multipath map has failed: its checker waits without an answer until its timeout",
        &["Look at the link, switch port and array port of that path (multipath -ll, dmesg)"],
        "multipath(8), multipathd(8), show paths",
    ),
    told(
        &["port_state:linkdown"],
        Storage,
        "a Fibre Channel port has no link: its paths are gone",
        &["The optics, the cable and the switch port; multipath -ll tells which paths are left"],
        "Linux scsi_transport_fc, port_state",
    ),
    told(
        &["port_state:offline"],
        Storage,
        "a Fibre Channel port is offline: its paths are gone",
        &["The switch port and the zone; multipath -ll tells which paths are left"],
        "Linux scsi_transport_fc, port_state",
    ),
    told(
        &["+- nvme", "traddr=", " connecting"],
        Storage,
        "a path of an NVMe subsystem is not there: its controller connects again and again",
        &[
            "The network to the address in that line, and its port of the array; `nvme list-subsys` again once it is back",
        ],
        "nvme-list-subsys(1); Linux drivers/nvme/host/fabrics.c",
    ),
    told(
        &["lsblk: ", "is read-only below"],
        Storage,
        "a mounted device is write-protected (RO 1): the array presents it so (a replica, a snapshot), or the kernel set it so after an error",
        &[
            "See in the kernel's log since when (dmesg); then have it presented for writing, and rescan it. Do not clear the flag on a replica",
        ],
        "lsblk(8), RO; blockdev(8), --getro",
    ),
    told(
        &["path has failed"],
        Storage,
        "AIX lost a path to this disk",
        &["Look at the link, switch port and array port of that path (lspath, errpt -a)"],
        "AIX errpt(8)",
    ),
    told(
        &["reset to device", "was issued"],
        Storage,
        "Windows reset a storage device that had not answered for its time limit (event 129)",
        &[
            "Look at the path and the target at that time; the driver's time limit only decides how long was waited",
        ],
        "Microsoft, Understanding storage timeouts and Event 129",
    ),
    told(
        &["io operation at logical block address", "was retried"],
        Storage,
        "Windows had to repeat a request to this disk (event 153): the target did not answer in time",
        &["Look at the path and the target at that time"],
        "Microsoft, Interpreting Event 153 errors",
    ),
    told(
        &["latency increased from average"],
        Storage,
        "the hypervisor measured a device that became much slower",
        &["Look at the array's load and the paths to it at that time"],
        "VMware vSphere, vmkernel log",
    ),
    told(
        &["attempting task abort"],
        Storage,
        "commands to this disk were not answered in time and are aborted",
        &[
            "Look at the disk (smartctl -x) and, where several disks stall together, at the adapter's firmware and the expander",
        ],
        "Linux drivers/scsi/mpt3sas/mpt3sas_scsih.c",
    ),
    told(
        &["abort command issued"],
        Storage,
        "commands over Fibre Channel were not answered in time and were aborted",
        &["Look at the switch ports on the way (CRC, discards) and at the array's load and log"],
        "Linux drivers/scsi/qla2xxx/qla_os.c",
    ),
    told(
        &["rejecting i/o to dead device"],
        Storage,
        "this disk is gone: its path or its unit was removed while it was in use",
        &["Look at the lines before: a port that was lost, or a unit that was unmapped"],
        "Linux drivers/scsi/scsi_lib.c",
    ),
    told(
        &["recoverable transport error"],
        Storage,
        "a request failed on its path; multipath takes another",
        &["Look at the link, switch port and array port of that path"],
        "Linux block/blk-core.c (blk_errors)",
    ),
    told(
        &["rejecting i/o to offline device"],
        Storage,
        "the kernel has taken this disk offline: nothing reaches it",
        &[
            "Find why it stopped answering (lines before), then set it running again: echo running > /sys/block/DEVICE/device/state",
        ],
        "Linux drivers/scsi/scsi_lib.c",
    ),
    told(
        &["device offlined"],
        Storage,
        "the kernel took this disk offline after it did not recover",
        &["Look at the path and the target; the lines before say what timed out"],
        "Linux drivers/scsi/scsi_error.c",
    ),
    told(
        &["checker timed out"],
        Storage,
        "the check of a path was not answered in time: the array or the way to it is slow",
        &["Look at the array's load and log, then at the link and port of that path"],
        "multipath-tools, libmultipath/checkers.c",
    ),
    told(
        &["connect to ", ":3260 failed"],
        Storage,
        "an iSCSI portal cannot be reached",
        &["The network to the portal, port 3260, and the target itself"],
        "open-iscsi, usr/io.c",
    ),
    told(
        &["checker reports path is down"],
        Storage,
        "multipathd found a path down",
        &["Look at the link, switch port and array port of that path"],
        "multipath-tools, libmultipath/checkers.c",
    ),
    critical(told(
        &["disable queueing"],
        Storage,
        "a multipath map is without a path for longer than it may wait (no_path_retry): from now on its I/O fails",
        &["Stop what writes to it; bring one path back first: link, zoning, array port (`multipath -ll`)"],
        "multipath-tools, libmultipath/structs_vec.c; multipath.conf(5), no_path_retry",
    )),
    told(
        &["remaining active paths: 0"],
        Storage,
        "multipathd has no path left to this map: its I/O queues or fails",
        &["Bring one path back first: link, zoning, array port"],
        "multipath-tools, multipathd/main.c",
    ),
    told(
        &["remaining active paths"],
        Storage,
        "multipathd lost a path of this map",
        &["Look at the link, switch port and array port of the path that failed"],
        "multipath-tools, multipathd/main.c",
    ),
    told(
        &["failing path"],
        Storage,
        "a path of a multipath map failed",
        &["Look at the link, switch port and array port of that path"],
        "Linux drivers/md/dm-mpath.c (fail_path)",
    ),
    at_least(
        ("mixed=", 1.0),
        told(
            &["multipath ", "policy='", "prio=", "paths="],
            Storage,
            "one path group (multibus) holds paths of different priority: their mean is {n}, so half of the I/O takes ports that the array does not prefer",
            &[
                "path_grouping_policy group_by_prio with prio alua and failback immediate for this array: drop the override in multipath.conf, then multipath -r",
            ],
            "multipath.conf(5), path_grouping_policy and prio",
        ),
    ),
    Entry {
        any: &["mount_nfs", "rpcprog_nfs"],
        ..told(
            &[":"],
            Storage,
            "an NFS file system could not be mounted (FreeBSD): the server does not answer, does not export it to this host, or refuses the version",
            &[
                "`rpcinfo -p SERVER` and `showmount -e SERVER`; permission is the server's exports, a time-out the network or its firewall",
            ],
            "FreeBSD sbin/mount_nfs/mount_nfs.c",
        )
    },
    Entry {
        severity: Some(Info),
        ..at_least(
            ("disk totals:*takes ", 100.0),
            told(
                &["disk totals: ", "takes "],
                Storage,
                "a request of this device took {n} ms on average since boot: much of the time it stood in a queue",
                &["iostat -xt 10 at the time of the load shows when, and how long the queue is then"],
                "Linux Documentation/admin-guide/iostats.rst",
            ),
        )
    },
    Entry {
        severity: Some(Info),
        ..told(
            &["ring of ", " rx "],
            Network,
            "the receive ring of an adapter is a small part of what it can be: a burst may run over it",
            &[
                "Only if rx_missed_errors or rx_no_buffer of ethtool -S grow: a larger ring (ethtool -G, which interrupts the link for a moment)",
            ],
            "ethtool(8), -g; Red Hat Enterprise Linux Network Performance Tuning Guide",
        )
    },
    Entry {
        severity: Some(Info),
        ..told(
            &["bonding_opts=", "(primary has no effect)"],
            Network,
            "a bond names a primary member, and its mode has none: the option does nothing",
            &["Remove primary=, or use mode=active-backup where one member is to be preferred"],
            "Linux Documentation/networking/bonding.rst, primary",
        )
    },
    told(
        &["bonding_opts=", "(no link monitoring)"],
        Network,
        "a bond has neither miimon nor arp_interval: a dead link is not noticed, and nothing fails over",
        &[
            "`/proc/net/bonding/BOND`: MII Polling Interval 0 confirms it (NetworkManager sets 100 by itself). Then miimon=100 in BONDING_OPTS, from the next start of the bond on",
        ],
        "Linux Documentation/networking/bonding.rst, miimon",
    ),
    told(
        &["nfs: server", " ok"],
        Storage,
        "an NFS server answers again after it did not",
        &["See how long it was away, and what happened there"],
        "Linux net/sunrpc/clnt.c",
    ),
    told(
        &["lost access to volume"],
        Storage,
        "the hypervisor lost its datastore for a while: the disks of its guests stood still",
        &["Look at the paths and the array of that datastore on the hypervisor"],
        "VMware vSphere, esx.problem.vmfs.heartbeat.timedout",
    ),
    told(
        &["performance has deteriorated"],
        Storage,
        "the hypervisor measured a device that became much slower",
        &["Look at the array's load and the paths to it at that time"],
        "VMware vSphere, esx.problem.scsi.device.io.latency.high",
    ),
    told(
        &["entering recovery mode"],
        Storage,
        "a multipath map has no path left: its I/O waits for the retries that no_path_retry allows, then fails",
        &["Bring one path back first: link, zoning, array port"],
        "multipath-tools, libmultipath/structs_vec.c (enter_recovery_mode)",
    ),
    told(
        &["hv_storvsc", "status:"],
        Storage,
        "the hypervisor failed a request of this virtual disk",
        &[
            "Look at the storage of the hypervisor at that time; a request that it does not support is harmless",
        ],
        "Linux drivers/scsi/storvsc_drv.c",
    ),
];
