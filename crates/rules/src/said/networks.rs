//! Network adapters, bonds, and storage over the network.

use super::kinds::SLOT_EMPTY;
use super::{EMPTY, Entry};
use fullwire_model::assessment::Layer;
use fullwire_model::assessment::Severity::{Critical, Info, Warning};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "nic-ena",
        all: &["ena "],
        any: &[
            "Keep alive watchdog timeout",
            "Trigger reset",
            "missed tx completion",
            "lost tx completions",
            "hasn't completed",
            "Reset attempt failed",
            "TX q",
        ],
        severity: Some(Warning),
        says: "is an interface of EC2 whose driver reset it",
        why: "The ENA device did not answer, or the host gave its interrupts no CPU: the interface is gone for a moment.",
        now: "`ethtool -S` of the interface: wd_expired, tx_timeout, admin_q_pause; was the CPU busy at that time?",
        lasting: "Update the ena driver with the kernel; stop and start the instance if the device fails again, which moves it to other hardware",
        source: "Amazon ENA Linux driver, README and best practices (reset reasons)",
        ..EMPTY
    },
    Entry {
        name: "bond-without-links",
        all: &["without any active interface"],
        severity: Some(Critical),
        says: "has no link left",
        why: "All members are down: nothing goes through the bond.",
        now: "`cat /proc/net/bonding/*`, and the log of both switches: what have the members in common?",
        lasting: "Members on two adapters and two switches",
        source: "Linux drivers/net/bonding/bond_main.c",
        ..EMPTY
    },
    Entry {
        name: "cifs-no-answer",
        all: &["CIFS"],
        any: &["has not responded"],
        severity: Some(Warning),
        says: "did not answer: what uses the share waits",
        why: "The server or the network to it stood still.",
        now: "Loss and MTU to the server; its log at that time",
        lasting: "Fix the server or the network",
        source: "Linux fs/smb/client/connect.c (server_unresponsive)",
        ..EMPTY
    },
    Entry {
        name: "nfs-locks-lost",
        any: &["Lock reclaim failed", "state recovery failed"],
        severity: Some(Warning),
        says: "is an NFS server that no longer knows the locks and open files of this host",
        why: "After a restart of the server this host did not claim its state in time: files of the database that were open may fail with EIO.",
        now: "The database's log for EIO and ESTALE; restart what had files open there",
        lasting: "The server must keep its grace period and its state in a failover",
        source: "Linux fs/nfs/nfs4state.c (nfs4_reclaim_locks)",
        ..EMPTY
    },
    Entry {
        name: "bond-no-partner",
        all: &["No 802.3ad response from the link partner"],
        severity: Some(Info),
        says: "gets no answer to LACP from the switch",
        why: "The ports of the switch are not in one LACP group: the bond carries over one link alone. Nothing is broken on the host.",
        now: "`cat /proc/net/bonding/*`: a partner address of zeros",
        lasting: "Configure the switch ports of all members as one port channel with LACP (802.3ad)",
        source: "Linux drivers/net/bonding/bond_main.c; IEEE 802.1AX",
        ..EMPTY
    },
    Entry {
        name: "iscsi-no-answer",
        any: &[
            "ping timeout of",
            "detected conn error",
            "Kernel reported iSCSI connection",
            "iSCSI Login timeout",
        ],
        severity: Some(Warning),
        says: "lost an iSCSI connection: its target did not answer",
        why: "The target did not answer a ping (NOP) in time: the initiator dropped the connection and logged in again. All I/O of the session waited meanwhile. The network to the target lost packets, or the target was overloaded; no disk is at fault.",
        now: "Loss and MTU of the path to the portal: `fullwire net`, `fullwire mtu`; errors of the interface and the switch ports\nThe load of the target at that time, in its own statistics",
        lasting: "Fix what loses packets; a second session over another network with multipath takes the I/O meanwhile",
        source: "open-iscsi README, section 8 (NOP-Out); Linux drivers/scsi/libiscsi.c (iscsi_check_transport_timeouts)",
        ..EMPTY
    },
    Entry {
        name: "iscsi-back",
        all: &["is operational after recovery"],
        source: "open-iscsi, usr/initiator.c",
        ..EMPTY
    },
    Entry {
        name: "iscsi-given-up",
        all: &["session recovery timed out"],
        severity: Some(Warning),
        says: "could not be logged in again, and its I/O failed",
        why: "The target stayed away for replacement_timeout: from then on requests get an error, or multipath another path.",
        now: "`iscsiadm -m session -P 1`; does the portal answer (`ping`, port 3260)?",
        lasting: "Fix network or target; with multipath a replacement_timeout of 5 to 15 s shortens the wait",
        source: "Linux drivers/scsi/scsi_transport_iscsi.c (session_recovery_timedout)",
        ..EMPTY
    },
    Entry {
        name: "powerpath-dead",
        any: &["is dead.", "Killing bus"],
        all: &["Mpx"],
        severity: Some(Warning),
        says: "lost paths of PowerPath",
        why: "PowerPath waited for the path's timeout and then took another path: I/O stalls that long, and ASM or a cluster may see it.",
        now: "`powermt display dev=all`: which paths are dead now, and over which port of the array they go",
        lasting: "Fix the adapter, the fabric or the array's port that all dead paths have in common",
        source: "Dell PowerPath for Linux, messages (Path Bus ... is dead, Killing bus)",
        ..EMPTY
    },
    Entry {
        name: "nfs-soft-timeout",
        all: &["nfs: server", "not responding, timed out"],
        severity: Some(Warning),
        says: "did not answer, and requests of a soft mount failed",
        why: "A soft mount gives up after timeo and retrans and returns an I/O error: a database takes that for a broken disk. With hard it would have waited.",
        now: "`rpcinfo -T tcp SERVER nfs`, loss and MTU to the server; the database's log for I/O errors at that time",
        lasting: "Mount the database's files hard; timeo=600 (60 s) over TCP",
        source: "nfs(5), soft and timeo; Linux net/sunrpc/clnt.c (call_timeout)",
        ..EMPTY
    },
    Entry {
        name: "nfs-no-answer",
        any: &["nfs: server", "lockd: server"],
        all: &["not responding"],
        severity: Some(Warning),
        says: "did not answer for the whole timeout of the mount",
        why: "All retransmissions went unanswered: what uses the mount waits. With a timeo far below 60 s (600) a slow answer counts as none, and the client sends all again.",
        now: "`nfsstat -m` or /proc/mounts: timeo of the mount, in tenths of a second\n`rpcinfo -T tcp SERVER nfs`, loss and MTU to the server",
        lasting: "Fix the server or the network; over TCP mount with timeo=600",
        source: "nfs(5), timeo (default 600 over TCP); Linux net/sunrpc/clnt.c",
        ..EMPTY
    },
    Entry {
        name: "drbd-peer",
        all: &["drbd"],
        any: &["PingAck did not arrive", "NetworkFailure", "sock was shut down by peer", "Timeout"],
        layer: Some(Layer::Network),
        severity: Some(Warning),
        says: "a DRBD resource lost the connection to its peer",
        has_subject: true,
        why: "Writes wait until the peer is given up (ping-timeout), and the second copy is out of date from then on.",
        now: "Loss and latency of the link between the nodes at that time; `drbdadm status`",
        lasting: "Fix the link; a dedicated one keeps resynchronisation and writes from other traffic",
        source: "DRBD user's guide, ping-timeout; Linux drivers/block/drbd/drbd_receiver.c",
        ..EMPTY
    },
    Entry {
        name: "ceph-slow",
        any: &["slow request", "slow requests are blocked", "slow ops"],
        severity: Some(Warning),
        says: "has requests that wait for half a minute and longer",
        why: "A write is answered once all replicas have it. Waiting for sub-operations (sub_op_commit_rec, waiting for subops) means the network to another OSD, or that OSD's disk, and not the one that reports.",
        now: "`ceph health detail` and `ceph osd perf`: which OSD is slow; loss and MTU between the OSDs",
        lasting: "Fix the path to the replica, or the disk of that other OSD",
        figure: "slow request ",
        source: "Ceph documentation, Troubleshooting OSDs (slow or unresponsive OSD, sub_op_commit_rec)",
        ..EMPTY
    },
    // The link of a slot, and no network's.
    Entry {
        name: "pcie-device-lost",
        all: &["pciehp", "link down"],
        layer: Some(Layer::Host),
        severity: Some(Info),
        has_subject: true,
        says: SLOT_EMPTY[0],
        now: SLOT_EMPTY[1],
        source: SLOT_EMPTY[2],
        ..EMPTY
    },
    Entry {
        name: "link-lost",
        any: &["link is down", "link down", "link status definitely down"],
        severity: Some(Info),
        says: "lost its link",
        why: "Everything over it stops until the link is back or another takes over: a link that comes and goes costs seconds each time.",
        now: "The switch's log and the error counters of both ends at that time; `ethtool -m` of the interface: light of the transceiver",
        lasting: "Clean or replace transceiver and cable, or move to another port, one at a time until it stays up",
        source: "network drivers; Linux drivers/net/bonding/bond_main.c",
        ..EMPTY
    },
    Entry {
        name: "link-up-slow",
        all: &["link is up"],
        any: &["100 mbps", "10 mbps", "100mbps/", "10mbps/", "half duplex", "/half"],
        severity: Some(Warning),
        says: "came up at no more than 100 Mbit/s, or half duplex",
        why: "Both ends agreed on less than they can: a wire that is broken in one pair, or an end that does not negotiate.",
        now: "`ethtool` of the interface: what the other end offers; replace the cable",
        lasting: "Both ends set to negotiate",
        source: "network drivers; IEEE 802.3 clause 28",
        ..EMPTY
    },
    Entry {
        name: "link-up-report",
        any: &["link becomes ready", "NIC Link is Up", "Link is up"],
        source: "network drivers: the link came back",
        ..EMPTY
    },
    Entry {
        name: "sync-slow",
        any: &["wal: sync duration of", "slow fdatasync", "sync duration of"],
        severity: Some(Warning),
        says: "waited seconds for fdatasync of its write-ahead log",
        why: "etcd commits by fdatasync: the disk below does not take synchronous writes in time, often because others share it. A leader that waits too long loses its lead. The network is not at fault.",
        now: "`fullwire disk DIRECTORY --profile pg-wal` on the same file system: how long a synchronous write takes",
        lasting: "Put the write-ahead log on a device of its own with low write latency (flash with power-loss protection)",
        figure: "sync duration of ",
        source: "etcd documentation, FAQ and Hardware recommendations (wal_fsync_duration, disks)",
        ..EMPTY
    },
    Entry {
        name: "cgroup-note",
        all: &["TCP: request_sock"],
        any: &["Possible SYN flooding"],
        severity: Some(Info),
        says: "a listener's queue of connections was full",
        has_subject: true,
        why: "A storm of logins, or a listener that accepts too slowly: connections were answered by cookies, and none was lost by it.",
        now: "`ss -ltn`: Recv-Q of the port",
        lasting: "A larger backlog of the listener, where logins are slow at that time",
        source: "Linux net/ipv4/tcp_input.c (tcp_syn_flood_action)",
        ..EMPTY
    },
];
