//! Storage that other hosts serve, as its own tools print its state: Ceph's health checks, DRBD 9, figures of etcd.

use super::super::{Entry, any_of, at_least, critical, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::Severity;

/// Ceph documentation, Health checks: each has its code, which `ceph health detail` and `ceph status` print.
const CEPH: &str = "Ceph documentation, Health checks";
const ONTAP: &str = "ONTAP command reference, qos statistics volume latency show (own choice of times)";
const CASSANDRA: &str = "nodetool(1) of Apache Cassandra, tpstats";
const CASSANDRA_NOW: &str = "iostat -x of its data and commit log disks, `nodetool compactionstats`, and pauses of garbage collection in its log, in this order";
const DRBD: &str = "DRBD 9 user's guide, checking resource status; drbdadm(8)";

/// What an array's own monitor says of one of its volumes.
const fn volume(least: (&'static str, f64), all: &'static [&'static str], says: &'static str) -> Entry {
    let now = "The load of the other volumes at that time, and the array's own queue; the same latency on the host (iostat -x): what it has more is the path's";
    at_least(
        least,
        told(
            all,
            Storage,
            says,
            now,
            "HPE 3PAR CLI, statvlun; Purity CLI, purevol monitor; 20 ms is twice what a spinning disk needs, 5 ms what flash does (own choice)",
        ),
    )
}

pub(in crate::said) const LINES: &[Entry] = &[
    told(
        &["state: thing=", "is="],
        Host,
        "{thing} is listed as {is}: what stands on it has lost redundancy, or stands still",
        "The event log of this system at the time it began; repair or replace what is named before the next one fails",
        "the column State, Status or Health of the table itself",
    ),
    volume(
        ("write_ms=", 5.0),
        &["array: ", "write_ms="],
        "the array itself takes {n} ms for a write of volume {name}",
    ),
    volume(
        ("read_ms=", 5.0),
        &["array: ", "read_ms="],
        "the array itself takes {n} ms for a read of volume {name}",
    ),
    volume(
        (" ms=", 20.0),
        &["array: ", " ms="],
        "the array itself takes {n} ms for a request (of {name}), with {queue} of them in its queue",
    ),
    told(
        &["netapp sysstat: ", "cp_type=b"],
        Storage,
        "the filer writes one consistency point right after the other (CP type B): more is written to it than its disks take, and clients wait",
        "statit or `statistics show-periodic`: which aggregate's disks are busy; add disks to it, or move load away from it",
        "NetApp, sysstat (na_sysstat), CP ty",
    ),
    at_least(
        (" disk=", 90.0),
        told(
            &["netapp sysstat: ", "disk="],
            Storage,
            "the busiest disk of the filer is busy {n} % of the time",
            "statit or `statistics disk show`: which aggregate; add disks to it, or move load away from it",
            "NetApp, sysstat (na_sysstat), disk util",
        ),
    ),
    any_of(
        &[
            "degraded, reconstruct",
            "raid_dp, degraded",
            "raid_tec, degraded",
            "raid4, degraded",
            "(degraded, block",
            "(double degraded",
            "rg0 (degraded",
        ],
        Storage,
        "an aggregate of the filer is degraded: a disk failed, and its data are computed from the others until a spare is filled",
        "`aggr status -f` or `storage aggregate show-spare-disks`: is there a spare, and is it being filled? Replace the failed disk; remove no other one meanwhile",
        "NetApp, aggr (na_aggr), sysconfig -r",
    ),
    told(
        &["write cache state", "disabled"],
        Storage,
        "the array's write cache is off: each write waits for the disks themselves",
        "Its reason stands in the array's event log: a storage processor, a standby power supply or a vault disk that failed",
        "Dell EMC Navisphere CLI reference, getcache",
    ),
    critical(any_of(
        &[
            "entered the all paths down",
            "esx.problem.storage.apd",
            "heartbeat.timedout",
            "waiting for timed out hb",
            "lost access to volume",
            "lost connectivity to storage device",
            "permanently inaccessible",
            "device.state.permanentloss",
        ],
        Storage,
        "the hypervisor lost a device or datastore: no path to it answered, or the array took it away, and the disks of all guests on it stand still",
        "Adapters, switches and array at that time; vmkernel.log just before names the paths",
        "VMware, vobd messages (esx.problem.storage.apd, esx.problem.vmfs.heartbeat)",
    )),
    Entry {
        any: &["major failure", "minor failure", "critical failure", "degraded", "non-recoverable"],
        ..told(
            &["health state", "= "],
            Storage,
            "a part of the array is not healthy",
            "Health details of the same record say which and why; repair it before the part that stands in for it fails",
            "Dell Unity, uemcli: Health state",
        )
    },
    at_least(
        ("hard errors: ", 1.0),
        told(
            &["soft errors: ", "hard errors: ", "transport errors: "],
            Storage,
            "a disk had {n} hard errors since the host started: requests failed after all retries",
            "Media errors below it: the disk is failing; transport errors beside it: the path; none of both is often a CD drive or a command that the device does not know. fmadm faulty, /var/adm/messages",
            "Oracle Solaris iostat(8), -E",
        ),
    ),
    told(
        &["problem class", ": fault."],
        Storage,
        "the fault manager of Solaris found a part at fault and may have taken it out of use",
        "`fmadm faulty` and `zpool status -x` name it; replace it, then fmadm repaired",
        "Oracle Solaris fmadm(8)",
    ),
    Entry {
        any: &[" fscsi", " vscsi", " iscsi", " sas"],
        ..told(
            &["failed", "hdisk"],
            Storage,
            "AIX lost a path to this disk",
            "Look at the link, switch port and array port of that path (lspath, errpt -a)",
            "AIX, lspath",
        )
    },
    at_least(
        ("lacks=", 1.0),
        told(
            &["kafka: topic=", "lacks="],
            Storage,
            "partition {partition} of {topic} has {n} of its replicas not in sync: fewer copies of each message",
            "The brokers that are missing in Isr: do they run, their disk (iostat -xt 10), garbage collection, the network between brokers",
            "Apache Kafka, kafka-topics --describe",
        ),
    ),
    told(
        &["shrinking isr from"],
        Storage,
        "a broker of Kafka fell behind and left the replicas in sync: its partitions have one copy less",
        "The broker named as out of sync, at that time: its disk (iostat -xt 10), garbage collection, the network between brokers",
        "Apache Kafka, kafka.cluster.Partition; replica.lag.time.max.ms",
    ),
    critical(any_of(
        &["osd_full:", "full osd", "pool(s) full"],
        Storage,
        "Ceph is full: it refuses every write until there is room",
        "`ceph osd df`: which OSDs; delete data or snapshots, add OSDs, or move data off the full ones. Raise set-full-ratio by a little only to be able to delete",
        CEPH,
    )),
    critical(told(
        &["pool_full:"],
        Storage,
        "a pool of Ceph is full and takes no writes",
        "`ceph df detail`: delete data, raise the pool's quota, or add OSDs",
        CEPH,
    )),
    critical(told(
        &["pg_availability"],
        Storage,
        "data of Ceph cannot be reached: placement groups are inactive, and I/O to them waits",
        "`ceph health detail` and `ceph pg PG query` name the OSDs that are missing: bring them back",
        CEPH,
    )),
    told(
        &["osd_nearfull"],
        Storage,
        "an OSD of Ceph is nearly full: all writes stop when one is full",
        "`ceph osd df`: balance, delete data or add OSDs",
        CEPH,
    ),
    told(
        &["osd_backfillfull"],
        Storage,
        "an OSD of Ceph is so full that nothing is rebuilt onto it",
        "`ceph osd df`: balance, delete data or add OSDs",
        CEPH,
    ),
    any_of(
        &["osd_down", "osds down", "osd down"],
        Storage,
        "OSDs of Ceph are down: their copies are missing, and the rest serves more",
        "`ceph osd tree down`, then on that host `systemctl status ceph-osd@N` and its disk and links",
        CEPH,
    ),
    any_of(
        &["pg_degraded", "pgs degraded", "objects degraded", "pgs undersized"],
        Storage,
        "Ceph holds fewer copies than it should; it makes them again from those that are left",
        "`ceph -s`: recovery runs if OSDs are there; which are down: `ceph osd tree down`",
        CEPH,
    ),
    told(
        &["slow_ops"],
        Storage,
        "Ceph's OSDs have not finished requests for half a minute and longer",
        "`ceph health detail` names the OSDs: look at their disks (iostat -x, smartctl) and their network, one that all name first",
        CEPH,
    ),
    told(
        &["osd_slow_ping"],
        Network,
        "heartbeats between Ceph's OSDs are slow: the network between these hosts delays or loses packets",
        "`ceph daemon osd.N dump_osd_network`; then MTU, errors and load of the links between them",
        CEPH,
    ),
    told(
        &["bluefs_spillover"],
        Storage,
        "OSDs of Ceph keep a part of their metadata on the slow device, because the fast one for it is full",
        "A larger DB device for them, or `ceph tell osd.N compact`; each metadata read there waits for the slow device",
        CEPH,
    ),
    told(
        &["device_health"],
        Storage,
        "Ceph expects that a disk fails soon",
        "`ceph device ls`: mark its OSD out, let the data move, then replace it",
        CEPH,
    ),
    told(
        &["mon_clock_skew"],
        Network,
        "clocks of Ceph's monitors differ by more than they may: the quorum may break",
        "Synchronise the clocks of these hosts (chrony)",
        CEPH,
    ),
    told(
        &["mon_down"],
        Network,
        "a monitor of Ceph is not in the quorum",
        "Its host, its disk and the network to it; with one more gone the cluster may stop",
        CEPH,
    ),
    Entry {
        any: &["marked osd.", "wrongly marked me down"],
        ..told(
            &["marked", "down"],
            Network,
            "an OSD of Ceph was taken for down while it ran: its heartbeats got lost, or it was too busy to answer them",
            "The network between the OSDs first (MTU, loss, errors of both networks), then CPU and disk of the OSD that is named",
            "Ceph documentation, troubleshooting OSDs, flapping OSDs",
        )
    },
    any_of(
        &["heartbeat_check: no reply", "slow osd heartbeats", "slow heartbeats on"],
        Network,
        "OSDs of Ceph do not hear each other in time: back is the cluster's network, front the public one",
        "Loss and MTU between these hosts (`fullwire net`, `fullwire mtu`); a host that is down or overloaded",
        "Ceph src/osd/OSD.cc (heartbeat_check); documentation, Health checks, OSD_SLOW_PING_TIME_BACK",
    ),
    told(
        &["bluestore", "slow operation observed"],
        Storage,
        "the device of this OSD of Ceph is slow itself: an operation of its own store took {s}",
        "iostat -x, smartctl and the log of that disk, and of the device that holds its database",
        "Ceph src/os/bluestore/BlueStore.cc (log_latency)",
    ),
    critical(told(
        &["rocksdb", "block checksum mismatch"],
        Storage,
        "the database of this OSD of Ceph is damaged: blocks of it do not have their checksum",
        "smartctl of its disk, and memory of the host. With all other copies there: take this OSD out and make it again; never where it holds the last copy",
        "Ceph documentation, troubleshooting OSDs; RocksDB, status Corruption",
    )),
    critical(told(
        &["failed ceph_assert"],
        Storage,
        "a daemon of Ceph stopped itself: a check in its program failed",
        "`ceph crash ls` and `ceph crash info ID`; the lines before it: an I/O error there means its disk",
        "Ceph documentation, crash module",
    )),
    at_least(
        ("commit_latency(ms)=", 100.0),
        told(
            &["ceph osd perf: ", "commit_latency(ms)="],
            Storage,
            "OSD {osd} of Ceph takes {n} ms to commit a write: every write that has a copy there waits as long",
            "iostat -x and smartctl of its disk; `ceph tell osd.N bench` once it is out of use",
            "Ceph documentation, ceph osd perf; 100 ms is above what any sound disk needs for a synchronous write (own choice)",
        ),
    ),
    critical(told(
        &["connection:standalone"],
        Network,
        "DRBD is not connected to its peer and does not try to be: there is no second copy. Usually both sides have written on their own (split brain)",
        "The kernel's log says why (`Split-Brain detected`). Decide whose writes are kept before anything is connected: the other side loses its own",
        DRBD,
    )),
    critical(told(
        &["quorum:no"],
        Network,
        "a DRBD resource has no quorum: its I/O is held up or fails",
        "Bring the other nodes or the network to them back",
        DRBD,
    )),
    told(
        &["connection:connecting"],
        Network,
        "DRBD waits for its peer: there is no second copy",
        "Bring the peer or the network to it back",
        DRBD,
    ),
    any_of(
        &["disk:diskless", "ds:diskless/", "/diskless ", "-> diskless"],
        Storage,
        "one side of a DRBD resource has no disk of its own: it failed or was detached, unless that host was set up as a client. Its I/O goes over the network to the peer, and there is one copy less",
        "The kernel's log of that host says why; once its disk is sound, `drbdadm attach`. Never invalidate the peer that is UpToDate",
        DRBD,
    ),
    any_of(
        &["disk:failed", "-> failed", "local io failed in", "local write io error", "local read io error"],
        Storage,
        "DRBD's disk below failed and is being detached: the resource goes on with that of the other node",
        "Look at the local disk; attach it again once it is sound (drbdadm attach)",
        DRBD,
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["replication:synctarget"],
            Storage,
            "DRBD copies to this node what it lacks",
            "Let it finish; `drbdsetup status --statistics` (out-of-sync) tells what is left",
            DRBD,
        )
    },
    Entry {
        beside: &["replication:synctarget", "replication:pausedsynct"],
        ..told(
            &["disk:inconsistent"],
            Storage,
            "this node's copy of a DRBD resource is Inconsistent while it is resynchronised from its peer: until it is done there is no second copy",
            "Let it finish; `drbdsetup status --statistics` (out-of-sync) tells what is left, c-max-rate holds its rate. Never invalidate the peer",
            DRBD,
        )
    },
    told(
        &["disk:inconsistent"],
        Storage,
        "this node's or its peer's copy of a DRBD resource is Inconsistent and is not being resynchronised: there is no second copy",
        "Connect it to the peer that is UpToDate (`drbdadm connect`). Never invalidate that one, and do not force this one to Primary",
        DRBD,
    ),
    told(
        &["disk:outdated"],
        Storage,
        "a copy of a DRBD resource is Outdated: it lacks the newest writes",
        "Connect it to the peer that is UpToDate; do not force it to Primary",
        DRBD,
    ),
    at_least(
        ("99th percentile=", 10.0),
        any_of(
            &["wal_fsync_duration_seconds 99th", "wal_fsync_durations_seconds 99th"],
            Storage,
            "of the fsyncs of etcd's log one in a hundred takes {n} ms or longer: its disk is too slow for it",
            "Give etcd a disk of its own with fast synchronous writes; `fullwire disk` measures what this one does",
            "etcd documentation, FAQ and metrics: the 99th percentile should be below 10 ms",
        ),
    ),
    told(
        &["due to slow disk"],
        Storage,
        "a database that replicates by Raft says that its disk is slow: a write of its log took as long as the line says, and its elections and commits wait for it",
        "Its log on a disk of its own with fast synchronous writes; `fullwire disk` measures what this one does",
        "Dgraph, raft log of a group (Raft.Ready took too long)",
    ),
    at_least(
        ("99th percentile=", 25.0),
        told(
            &["backend_commit_duration_seconds 99th"],
            Database,
            "of etcd's backend commits one in a hundred takes {n} ms or longer: its disk is too slow for it",
            "Give etcd a disk of its own with fast synchronous writes; `fullwire disk` measures what this one does",
            "etcd documentation, FAQ and metrics: the 99th percentile should be below 25 ms",
        ),
    ),
    Entry {
        any: &["fop=fsync", "fop=fdatasync", "fop=write", "fop=read", "fop=flush"],
        ..at_least(
            ("ms=", 20.0),
            told(
                &["gluster: share=", "fop="],
                Storage,
                "{fop} of a brick of Gluster takes {n} ms on average: its device or file system is slow, and every writer waits for it",
                "The brick is named above its table: iostat -x of its device on that host; the same table of the other bricks tells whether it is alone",
                "Gluster administrator guide, volume profile; 20 ms is twice what a spinning disk needs (own choice)",
            ),
        )
    },
    at_least(
        ("qos max=", 2.0),
        told(
            &["netapp qos: ", "qos max="],
            Storage,
            "the array's own limit (QoS maximum) holds requests of {workload} back for {n} ms: its disks are not at fault",
            "`qos policy-group show`: the maximum of its group against what the database needs; have it raised, or spread the load",
            ONTAP,
        ),
    ),
    at_least(
        ("disk=", 20.0),
        told(
            &["netapp qos: ", "latency=", "disk="],
            Storage,
            "the disks of the array take {n} ms of the {latency} ms of a request of {workload}",
            "`statistics disk show` and the aggregate's utilisation at that time: a rebuild, other workloads, or too few disks",
            ONTAP,
        ),
    ),
    at_least(
        ("network=", 5.0),
        told(
            &["netapp qos: ", "latency=", "network="],
            Network,
            "the array waits {n} ms of the {latency} ms of a request of {workload} for the client: the network, or a host that takes answers slowly",
            "`fullwire net` between host and array's network; loss and pause frames of the ports on the way",
            ONTAP,
        ),
    ),
    at_least(
        ("dropped=", 1.0),
        told(
            &["nodetool dropped: ", "dropped="],
            Database,
            "Cassandra gave up {n} messages ({message}) since it started: they waited longer than their timeout",
            CASSANDRA_NOW,
            CASSANDRA,
        ),
    ),
    at_least(
        ("pending=", 2.0),
        told(
            &["nodetool tpstats: pool=memtableflushwriter", "pending="],
            Storage,
            "{n} flushes of memtables of Cassandra wait: its data disks take writes too slowly, and writes of clients stop with them",
            CASSANDRA_NOW,
            CASSANDRA,
        ),
    ),
    Entry {
        any: &["pool=mutationstage", "pool=readstage"],
        ..at_least(
            ("pending=", 100.0),
            told(
                &["nodetool tpstats: ", "pending="],
                Database,
                "{n} requests of Cassandra wait in {pool}: the node does not keep up",
                CASSANDRA_NOW,
                CASSANDRA,
            ),
        )
    },
    at_least(
        ("rejected=", 1.0),
        told(
            &["elasticsearch: ", "rejected="],
            Database,
            "Elasticsearch rejected {n} requests of its thread pool {name} since the node started: their queue was full",
            "Whether it grows; CPU and disk of that node (`_nodes/hot_threads`, iostat -x); fewer and larger bulk requests. A longer queue only hides it",
            "Elasticsearch reference, cat thread pool",
        ),
    ),
    at_least(
        ("dirty=", 20.0),
        told(
            &["mongostat: ", "dirty="],
            Storage,
            "{n} % of MongoDB's cache is dirty: from 20 % on the threads of clients write pages themselves before they go on, since the storage takes them too slowly",
            "iostat -x of its data disk; how long checkpoints take (`serverStatus`, wiredTiger.transaction); fewer writes at once",
            "WiredTiger documentation, eviction_dirty_trigger; mongostat(1)",
        ),
    ),
    any_of(
        &["rdb_last_bgsave_status=err", "aof_last_write_status=err"],
        Storage,
        "Redis could not write its data to disk the last time (its status is err): what it holds since is lost with the process",
        "Its log says why: a full file system, no memory for fork (vm.overcommit_memory), or an I/O error (dmesg)",
        "Redis documentation, INFO (persistence)",
    ),
    at_least(
        ("aof_delayed_fsync=", 1.0),
        told(
            &["redis: ", "aof_delayed_fsync="],
            Storage,
            "Redis waited {n} times for the fsync of its log (AOF) since it started: the disk is slow to flush, or busy with a rewrite",
            "`fullwire disk DIRECTORY` where its log is; iostat -x; no-appendfsync-on-rewrite only if the loss is accepted",
            "Redis documentation, INFO (persistence)",
        ),
    ),
    Entry {
        severity: Some(Severity::Info),
        ..at_least(
            ("miss%=", 30.0),
            told(
                &["arcstat: ", "miss%="],
                Storage,
                "{n} % of the reads of ZFS are not in its cache (ARC) and go to the disks",
                "Its size (c) against zfs_arc_max and the memory of the host; a scan that reads everything once is no fault of the cache",
                "arcstat(1); three of ten (own choice)",
            ),
        )
    },
    at_least(
        ("gc in ", 1000.0),
        told(
            &["gcinspector", "gc in"],
            Database,
            "garbage collection stopped Cassandra for {n} ms: clients time out meanwhile, and neither disk nor network is at fault",
            "Its heap (jvm options) against the load: large partitions, many tombstones, too small or too large a heap; the line names the collector",
            "Apache Cassandra, GCInspector; a second (own choice)",
        ),
    ),
    Entry {
        any: &["status=crashloopbackoff", "status=oomkilled", "status=evicted", "status=error"],
        ..told(
            &["kubectl: "],
            Host,
            "pod {name} does not run ({status}, {restarts} restarts)",
            "`kubectl describe pod` and `kubectl logs --previous` of it say why: its own error, its memory limit (OOMKilled), or a probe that was not answered in time",
            "Kubernetes documentation, Pod Lifecycle",
        )
    },
];
