//! Storage and coordination across hosts: Ceph, DRBD, etcd, Oracle's cluster, ASM, Direct NFS.

use super::super::{Entry, any_of, at_least, critical, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::Severity;

/// In the words of Pacemaker and of its fencing daemon.
const fn not_fenced(all: &'static [&'static str]) -> Entry {
    critical(told(
        all,
        Network,
        "the cluster could not fence a node: until it is known to be down, nothing of it is started elsewhere",
        "The fence device: its address, power and credentials (`stonith_admin --history NODE`); with the node down for certain, `stonith_admin --confirm NODE`. Leave fencing on",
        "Pacemaker Explained, fencing",
    ))
}

/// What the broker says of redo that is applied late, in its list and in its warnings: what stopped it says more.
pub(crate) const STANDBY_LAG: &str = "this standby applies redo late: with a small transport lag it is its own recovery (its reads and CPU), otherwise the redo comes late";

/// A line of the broker that says so.
const fn applied_late(all: &'static [&'static str], any: &'static [&'static str]) -> Entry {
    let now = "v$recovery_progress and iostat -xt 10 on the standby";
    Entry {
        any,
        ..told(all, Database, STANDBY_LAG, now, "Oracle Data Guard Broker, Show Database; ORA-16853")
    }
}

pub(in crate::said) const LINES: &[Entry] = &[
    critical(told(
        &["object_unfound"],
        Storage,
        "Ceph misses objects: no OSD that is up has their newest version, and what reads them waits",
        "Bring back the OSDs that had them (`ceph pg PG query`, might_have_unfound). Give an object up (mark_unfound_lost) only when they are gone for good: it loses data",
        "Ceph documentation, Health checks, OBJECT_UNFOUND",
    )),
    critical(told(
        &["pg_damaged"],
        Storage,
        "a scrub of Ceph found objects whose copies are inconsistent",
        "`rados list-inconsistent-obj PG` says which copy is bad; look at its disk, then `ceph pg repair PG`",
        "Ceph documentation, Health checks, PG_DAMAGED",
    )),
    told(
        &["pool_nearfull"],
        Storage,
        "a pool of Ceph is nearly full: writes stop when it is full",
        "`ceph df`: free space or add OSDs",
        "Ceph documentation, Health checks, POOL_NEARFULL",
    ),
    told(
        &["bluestore_slow_op_alert"],
        Storage,
        "disks of these OSDs answered late at least once in the last day (Ceph)",
        "`ceph health detail` names them; look at their disks (smartctl, iostat -x), and whether it comes again",
        "Ceph documentation, Health checks, BLUESTORE_SLOW_OP_ALERT",
    ),
    critical(told(
        &["group", "dismounted: failed to write"],
        Storage,
        "a disk group was dismounted because ASM could not write to it: the instance loses all its files there",
        "The kernel's log of just before: which path or LUN failed (`multipath -ll`). With the paths back, mount the group and start the instance",
        "Oracle ASM Administrator's Guide, disk groups that are dismounted",
    )),
    told(
        &["is offline", ", its target is online"],
        Host,
        "a resource of the clusterware that should run is offline",
        "`crsctl stat res NAME -p`, and its agent's log below diag/crs: why it stopped there",
        "Oracle Clusterware administration guide, crsctl status resource",
    ),
    told(
        &["is intermediate", ", its target is online"],
        Host,
        "a resource of the clusterware runs only in part",
        "`crsctl stat res -t`: its state details tell what is missing",
        "Oracle Clusterware administration guide, crsctl status resource",
    ),
    told(
        &["delta_renew long write time"],
        Storage,
        "sanlock waited for seconds to renew its lease on the shared storage: at 80 s without one, the host is fenced",
        "The path to the lease volume at that time (`multipath -ll`), and its load",
        "sanlock(8), lease renewal",
    ),
    told(
        &["check_our_lease warning"],
        Storage,
        "sanlock has not renewed its lease on the shared storage for long: at 80 s without one, the host is fenced",
        "The path to the lease volume (`multipath -ll`), and its load",
        "sanlock(8), lease renewal",
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["v$dnfs_servers: no rows"],
            Storage,
            "Direct NFS is not in use by this instance: its files go through the kernel's NFS client, or none of them is on NFS",
            "The mounts of the data files (/proc/mounts); `make -f ins_rdbms.mk dnfs_on` and a restart turn it on, and the alert log then says so",
            "Oracle Database Reference, V$DNFS_SERVERS; Installation Guide, Direct NFS Client",
        )
    },
    Entry {
        any: &["hour", "minute", "day"],
        ..told(
            &["transport lag: ", "computed"],
            Network,
            "redo reaches this standby late: the path to it, its listener, or the disks that its redo is written to",
            "`show database DATABASE logxptstatus`; the error of the destination (v$archive_dest); `fullwire net STANDBY`",
            "Oracle Data Guard Broker, Show Database",
        )
    },
    applied_late(&["apply lag: ", "computed"], &["hour", "minute", "day"]),
    applied_late(&["ora-16853"], &[]),
    told(
        &[". offline ", "(", ") ["],
        Storage,
        "a voting file of the clusterware is off-line: once half of them are, every node that cannot reach more than half is evicted",
        "Its disk and the paths to it (multipath -ll); it comes back with its disk group, otherwise crsctl replace votedisk +GROUP",
        "Oracle Clusterware Administration and Deployment Guide, crsctl query css votedisk",
    ),
    at_least(
        ("average duration of ", 100.0),
        told(
            &["commit log syncs over the past", "exceeded the configured commit interval"],
            Storage,
            "Cassandra's commit log takes {n} ms to be synced: its device does not keep up, and writes wait",
            "`iostat -x 1` of the commit log's device: give it one of its own; `fullwire disk DIRECTORY` tells what a flush takes",
            "Apache Cassandra, AbstractCommitLogService.java; 100 ms (own choice)",
        ),
    ),
    told(
        &["oomkilled"],
        Host,
        "a container was killed at its memory limit",
        "Compare the limit with what the database may use (shared buffers, pools, sessions times work memory): raise the one or lower the other",
        "Kubernetes documentation, resource management for containers",
    ),
    told(
        &["server ", " is down", "layer4"],
        Network,
        "a proxy took a server out: it did not answer the check on its port",
        "The host and the network to it at that time; an answer of layer 7 would be the role of the server",
        "HAProxy configuration manual, health checks",
    ),
    Entry {
        any: &["disconnecting", "seconds"],
        ..told(
            &["has not responded in the last"],
            Network,
            "a brick of GlusterFS did not answer in time (network.ping-timeout), and its connection was given up: I/O waited until then",
            "The network to that server, and its disks and load at that time",
            "GlusterFS administrator guide, network.ping-timeout",
        )
    },
    critical(told(
        &["client-quorum is not met"],
        Storage,
        "a GlusterFS volume lost its quorum of bricks: writes to it fail",
        "Bring the bricks back (gluster volume status)",
        "GlusterFS administrator guide, client quorum",
    )),
    critical(Entry {
        any: &["expired", "overdue"],
        ..told(
            &["disk lease"],
            Network,
            "a node of the GPFS cluster did not renew its lease in time: it is expelled and its file systems are taken away",
            "The network between the nodes and the load of this one at that time (mmdiag --network)",
            "IBM Storage Scale problem determination guide, disk lease",
        )
    }),
    told(
        &["failed: h:0x0 d:0x28"],
        Storage,
        "the array answers that its queue is full (TASK SET FULL)",
        "A smaller queue depth of the hosts on this array, or more of its ports; the load of all hosts together",
        "T10 SAM, status codes; VMware, SCSI sense codes of ESXi",
    ),
    told(
        &["failed: h:0x0 d:0x8 "],
        Storage,
        "the array answers that it is busy",
        "The load of the array at that time",
        "T10 SAM, status codes; VMware, SCSI sense codes of ESXi",
    ),
    Entry {
        any: &["failed: h:0x1 ", "failed: h:0x2 ", "failed: h:0x3 ", "failed: h:0x5 ", "failed: h:0x8 "],
        ..told(
            &["cmd 0x", "failed: h:0x"],
            Storage,
            "a command of ESXi failed on the way to the array: no connection, a time-out, an abort or a reset",
            "The path that the line names: adapter, switch and port of the array at that time",
            "VMware, SCSI sense codes of ESXi",
        )
    },
    told(
        &["serverstatus was very slow"],
        Host,
        "MongoDB could not even report its own state in time: the host stood still for it, usually for want of CPU, memory or I/O",
        "`fullwire check`: CPU, swap and the device of its data at that time",
        "MongoDB server source, ftdc",
    ),
    told(
        &["unreasonably long", "poll interval"],
        Host,
        "Open vSwitch got no CPU, or waited, for so long: packets of new connections waited meanwhile",
        "CPU of the host at that time, and what else runs on it",
        "Open vSwitch, timeval.c",
    ),
    critical(told(
        &["adm1823e"],
        Database,
        "the active log of Db2 is full: transactions are refused",
        "The oldest transaction (db2 list applications, appl_id_oldest_xact): commit or force it; then logprimary, logsecond and logfilsiz",
        "IBM Db2 message reference, ADM1823E",
    )),
    told(
        &["reregister watch", "-108"],
        Storage,
        "this client is on the blocklist of the Ceph cluster: its I/O fails",
        "`ceph osd blocklist ls`; unmap and map the image again once its reason is known",
        "Linux drivers/block/rbd.c; errno ESHUTDOWN",
    ),
    told(
        &["offline: [ "],
        Network,
        "nodes of the Pacemaker cluster are offline",
        "The host and the network to it (corosync-cfgtool -s)",
        "pcs(8), status",
    ),
    told(
        &["fsync-ing the write ahead log", "took"],
        Storage,
        "an fsync of ZooKeeper's log took {s}: the disk below does not take synchronous writes in time",
        "Put its transaction log (dataLogDir) on a device of its own with a short synchronous write",
        "ZooKeeper administrator's guide, fsync.warningthresholdms",
    ),
    told(
        &["aof fsync is taking too long"],
        Storage,
        "an fsync of Redis' log takes too long: the disk below is busy, and writes wait for it",
        "See what else writes to that disk; appendfsync everysec bounds what a crash loses",
        "Redis persistence documentation",
    ),
    told(
        &["secs for write io to pst"],
        Storage,
        "ASM waited {s} for a write to the partner status table (PST) of a disk group: beyond 15 s it takes the disk offline, and may dismount the group",
        "The path to this disk was slow or failed over slowly: look at the multipath software and the array at that time, not at the disk alone; _asm_hbeatiowait is how long ASM waits",
        "Oracle Support 1581684.1",
    ),
    told(
        &["secs for read io to pst"],
        Storage,
        "ASM waited {s} for a read of the partner status table (PST) of a disk group",
        "The path to this disk was slow or failed over slowly: look at the multipath software and the array at that time",
        "Oracle Support 1581684.1",
    ),
    told(
        &["libodm", "->", "libodmd"],
        Database,
        "Direct NFS is off: the library points at the stub, as a patch or a relink leaves it",
        "With the instance down: make -f ins_rdbms.mk dnfs_on in $ORACLE_HOME/rdbms/lib",
        "Oracle Database Installation Guide, Enabling Direct NFS Client",
    ),
    told(
        &["failed to send out heartbeat on time"],
        Storage,
        "etcd's leader was too slow for its own heartbeat, usually because of its disk, otherwise of its CPU",
        "Look at the synchronous writes of its disk first",
        "etcd documentation, FAQ",
    ),
    Entry {
        any: &["cs:syncsource", "cs:synctarget"],
        ..told(
            &["inconsistent"],
            Storage,
            "DRBD resynchronises, and until it is done the peer is Inconsistent: there is no second copy. Its own controller holds the rate of a resync (c-max-rate)",
            "If it may go faster: drbdadm disk-options --c-max-rate, --c-fill-target, --c-plan-ahead of the resource; link and disks are not the limit as long as copies between the hosts are faster",
            "drbd.conf(5), c-max-rate, c-plan-ahead, c-fill-target",
        )
    },
    told(
        &["cs:wfconnection"],
        Network,
        "DRBD waits for its peer: there is no second copy",
        "Bring the peer or the network to it back",
        "DRBD user's guide, connection states",
    ),
    told(
        &["cs:standalone"],
        Network,
        "DRBD is not connected and does not try: there is no second copy",
        "Find out whether both sides have written (split brain) before you connect them",
        "DRBD user's guide, connection states",
    ),
    told(
        &["main process was not scheduled"],
        Host,
        "the cluster manager got no CPU for longer than it tolerates: the other nodes take this one for dead",
        "CPU steal, a suspension (live migration, snapshot) or swapping of this node at that time; only then a longer token",
        "corosync exec/main.c; corosync.conf(5), token",
    ),
    told(
        &["a processor failed, forming new configuration"],
        Network,
        "a node of the cluster was not heard for the time of the token: the others go on without it",
        "Loss and latency between the nodes at that time, and pauses of the node that was lost",
        "corosync totemsrp; corosync.conf(5), token",
    ),
    told(
        &["retransmit list:"],
        Network,
        "messages of the cluster were lost and sent again: its network loses packets",
        "Loss and MTU between the nodes (fullwire net, fullwire mtu); other traffic on that network",
        "corosync totemsrp (Retransmit List)",
    ),
    told(
        &["[knet", "is down"],
        Network,
        "the cluster lost a link to another node",
        "The interface, its switch port, and loss on that link",
        "kronosnet, libknet",
    ),
    told(
        &["has no active links"],
        Network,
        "the cluster has no link left to another node",
        "The interfaces, their switch ports, and whether the node runs at all",
        "kronosnet, libknet",
    ),
    not_fenced(&["was not terminated"]),
    not_fenced(&["operation stonith", "fail"]),
    told(
        &["call=", "last-rc-change="],
        Host,
        "a resource of Pacemaker failed",
        "The action and what it returned stand in the line; why, in the log of that resource at that time. After that is fixed: `pcs resource cleanup`",
        "Pacemaker Explained, failed actions",
    ),
    told(
        &["tcmu", "timing out cmd"],
        Storage,
        "a command of an iSCSI LUN did not end in time in the gateway: the Ceph image behind it was slow, or two gateways take its lock from each other",
        "`ceph health detail` at that time; and whether the initiators use one path at a time (ALUA: explicit or implicit failover, not multibus)",
        "tcmu-runner, rbd.c; Ceph documentation, iSCSI initiators",
    ),
    told(
        &["forcing ", "away from", "failures"],
        Host,
        "Pacemaker gave a resource up on this node, after it failed too often",
        "Why it failed stands in the lines before it, and in the database's own log; then `pcs resource cleanup`",
        "Pacemaker Explained, migration-threshold",
    ),
    told(
        &["servant cluster is outdated"],
        Network,
        "sbd has not heard from the cluster on this node: past its watchdog it resets this node",
        "CPU and pauses of this host at that time, and corosync's log",
        "sbd(8)",
    ),
    told(
        &["llt info", "in trouble"],
        Network,
        "the cluster (LLT of VCS) hears nothing over a heartbeat link",
        "`lltstat -nvv`: which link; its interface, switch port, and loss on it",
        "Veritas Cluster Server administrator's guide, LLT messages",
    ),
    told(
        &["heartbeats, shunning"],
        Network,
        "ProxySQL took a server out because it did not answer its pings",
        "That server's own log at that time, its load, and the network to it",
        "ProxySQL documentation, mysql-monitor_ping_max_failures",
    ),
    any_of(
        &["was fenced", "was terminated (reboot)", "was terminated (off)"],
        Network,
        "a node of the cluster was fenced (restarted by another), because it was not heard or did not stop a resource",
        "The lines before it: lost links, a resource that did not stop, storage that hung on that node",
        "Pacemaker Explained, fencing",
    ),
    told(
        &["state is now lost"],
        Network,
        "a node of the cluster is lost: its resources are started elsewhere, once it is fenced",
        "Network between the nodes and the lost node itself",
        "Pacemaker Explained",
    ),
    any_of(
        &["no liveness for", "is outdated (age"],
        Storage,
        "sbd waited {s} for its disk or the cluster: past its watchdog it resets this node",
        "The paths and the latency of the sbd device at that time (sbd -d DEVICE dump shows its timeouts)",
        "sbd(8)",
    ),
    told(
        &["failed to update leader lock"],
        Network,
        "Patroni could not renew the lock of its primary in the configuration store in time: it steps the primary down",
        "etcd, Consul or ZooKeeper: its disk (fsync), its quorum, and the network to it; then CPU and pauses of this host",
        "Patroni documentation, DCS failsafe mode",
    ),
    told(
        &["request to server", "failed", ":2379"],
        Network,
        "a member of etcd did not answer in time",
        "Its disk (fsync), its quorum, and the network to it",
        "Patroni documentation, DCS failsafe mode; etcd FAQ",
    ),
    told(
        &["loop time exceeded"],
        Host,
        "a loop of Patroni took longer than loop_wait: its database, configuration store or host did not answer in time",
        "What was slow at that time: CPU, memory pressure, the disk of the database or of etcd",
        "Patroni documentation, loop_wait and ttl",
    ),
    told(
        &["could not activate linux watchdog"],
        Host,
        "Patroni has no watchdog: a primary that hangs is not stopped",
        "Owner and mode of /dev/watchdog (udev), the module softdog or the hardware's",
        "Patroni documentation, watchdog support",
    ),
    told(
        &["unable to", "upstream node"],
        Network,
        "repmgr does not reach the primary: it promotes a standby when that goes on",
        "The primary itself, and the network to it, at that time; a witness keeps two primaries apart",
        "repmgr documentation, automatic failover",
    ),
    told(
        &["unable to ping", "host="],
        Network,
        "repmgr does not reach the primary: it promotes a standby when that goes on",
        "The primary itself, and the network to it, at that time; a witness keeps two primaries apart",
        "repmgr documentation, automatic failover",
    ),
    told(
        &["lost leader"],
        Storage,
        "etcd lost its leader: what depends on it (Patroni, Kubernetes) stops until there is a new one",
        "The disk of the old leader (fsync) first, then its CPU and the network between the members",
        "etcd documentation, FAQ",
    ),
    told(
        &["database space exceeded"],
        Storage,
        "etcd reached its quota and refuses writes",
        "Compact and defragment it, then disarm the alarm (etcdctl alarm disarm); a larger --quota-backend-bytes",
        "etcd documentation, maintenance, space quota",
    ),
    any_of(
        &["multi-attach error", "failedattachvolume", "failedmount"],
        Storage,
        "Kubernetes could not bring a volume to its pod: it is attached elsewhere, or the storage did not answer; the database does not start",
        "`kubectl get volumeattachment`: does a node that is gone still hold it? Detach it there only once it is certain that nothing writes; then the log of the CSI driver",
        "Kubernetes documentation, events of attachdetach-controller and kubelet",
    ),
    told(
        &["gipcdmonitorsaveinfmetrics", "avgms 30000000000"],
        Network,
        "the clusterware gets no answer over one of its private interfaces and has put it last (rank 0): its traffic goes over what is left",
        "The interface named in the line: link, address, VLAN and MTU on all nodes; multicast between them",
        "Oracle Grid Infrastructure, gipcd.log (rank 99 is good, 0 is bad)",
    ),
    any_of(
        &["dcs is not accessible", "error communicating with dcs"],
        Network,
        "Patroni does not reach its configuration store: it steps its primary down unless that ends soon",
        "etcd, Consul or ZooKeeper: its disk (fsync), its quorum, and the network to it",
        "Patroni documentation, DCS failsafe mode",
    ),
    told(
        &["apply request took too long"],
        Storage,
        "etcd took {s} for a request, usually because its disk takes synchronous writes slowly",
        "The disk of etcd first: fullwire disk DIRECTORY --profile pg-wal; then its CPU and the network between members",
        "etcd documentation, FAQ",
    ),
    told(
        &["clock difference against peer"],
        Host,
        "the clocks of two members of etcd differ",
        "`chronyc tracking` on both",
        "etcd documentation, metrics of peers",
    ),
    told(
        &["split-brain detected"],
        Network,
        "both nodes of a DRBD resource have written on their own (split brain): there is no second copy",
        "Decide whose writes are kept before you connect them; the other side loses its own",
        "DRBD user's guide, manual split brain recovery",
    ),
    told(
        &["neither local nor remote disk"],
        Storage,
        "DRBD has neither its own disk nor that of its peer: I/O fails",
        "The peer and the link to it first, then the local disk",
        "DRBD user's guide, disk states",
    ),
    told(
        &["encountered watch error"],
        Network,
        "an image of Ceph (rbd) lost its connection to the cluster: its I/O waits or fails",
        "`ceph health detail`, and the network to the OSDs",
        "Linux drivers/block/rbd.c",
    ),
];
