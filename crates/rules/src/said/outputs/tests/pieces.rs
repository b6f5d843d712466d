//! More of what outputs say: statements, processes and counters in pieces of larger outputs.

/// As `super::SAID`.
pub(super) const SAID: &[(&str, &str, &str)] = &[
    (
        "log switches: count=5; per_hour=155.0",
        "switched 7 times an hour",
        "log switches: count=5; per_hour=3.1",
    ),
    (
        "PRVG-2079 : inconsistent MTU values across the nodes for the network interface: \"eth1\"",
        "another MTU on one node",
        "PRVG-11134 : Interface \"10.9.7.2\" is able to communicate",
    ),
    ("cell: disk=FLASH_1_3; status=failed", "FLASH_1_3 of an Exadata cell is failed", "FLASH_1_3 812 normal"),
    ("port: errors=7; crc=812", "damaged frames", "port: errors=7; crc=7"),
    ("        Current Speed: not established", "has no link", "        Current Speed: 16Gb"),
    ("812 secs (0.23 hrs) behind the primary", "behind its primary", "0 secs (0 hrs) behind the primary"),
    (
        "v$resource_limit: resource_name=processes; current_utilization=1471; limit_value=1500",
        "of their limit",
        "v$resource_limit: resource_name=processes; current_utilization=71; limit_value=1500",
    ),
    (
        "pg_stat_io: backend_type=checkpointer; object=relation; fsyncs=412; fsync_time=41220",
        "flush of the files of PostgreSQL takes 7 ms",
        "pg_stat_io: backend_type=checkpointer; object=relation; fsyncs=412; fsync_time=412",
    ),
    (
        "perf sched: process=ora_lgwr_db7; delay_ms=12.4; count=812",
        "waits 7 ms on average for a CPU",
        "perf sched: process=ora_lgwr_db7; delay_ms=0.1; count=812",
    ),
    (
        "pg_stat_statements: calls=81; total_exec_time=9122; blk_read_time=8122; query=SELECT 1",
        "went to reading blocks",
        "pg_stat_statements: calls=81; total_exec_time=9122; blk_read_time=12; query=SELECT 1",
    ),
    ("| Innodb_row_lock_current_waits | 41 |", "wait for row locks", "| Innodb_row_lock_current_waits | 0 |"),
    (
        "Instance db72 is not running on node rac2",
        "is not running where",
        "Instance db71 is running on node rac1",
    ),
    (
        "mtu: interface=bond7.210; mtu=9000; below=bond7; below_mtu=1500; upper=larger",
        "packets above 1500 bytes are dropped",
        "mtu: interface=bond7.210; mtu=9000",
    ),
    (
        "mtu: interface=bond7.210; mtu=1500; below=bond7; below_mtu=9000; upper=smaller",
        "sends packets of at most 1500 bytes",
        "7: bond7.210@bond7: <UP,LOWER_UP> mtu 1500",
    ),
    ("bonding: bond7 has 1 of 2 members, lacks=1", "lacks 7 of its members", "bonding: bond7 has 2 members"),
    (
        "Seconds_Behind_Source: 812, received and not applied",
        "not the network",
        "Seconds_Behind_Source: 7, received and not applied",
    ),
    (
        "Seconds_Behind_Source: 812, applied as received",
        "reach it late",
        "Seconds_Behind_Source: 0, applied as received",
    ),
    ("critical warning: 0x10", "volatile memory", "critical warning: 0x00"),
    ("smartctl: fast=1; uncorrected=38", "could not correct an error", "smartctl: fast=1; uncorrected=0"),
    (
        "ORA-16853: apply lag has exceeded specified threshold",
        "applies redo late",
        "Apply Lag: 0 seconds (computed 1 second ago)",
    ),
    ("map mpathq is left over", "neither a path nor a known device", "map mpathq"),
    (
        "CRS-4535: Cannot communicate with Cluster Ready Services",
        "does not answer",
        "CRS-4537: Cluster Ready Services is online",
    ),
    ("recovery area: used=97.3; kept=95.4", "cannot be given back", "recovery area: used=97.3; kept=41.2"),
    (
        "sys.dm_os_wait_stats: wait_type=WRITELOG; waiting_tasks_count=812; wait_time_ms=41220",
        "flush of SQL Server's log takes 7 ms",
        "sys.dm_os_wait_stats: wait_type=WRITELOG; waiting_tasks_count=8122; wait_time_ms=4122",
    ),
    (
        "sys.dm_os_wait_stats: wait_type=PAGEIOLATCH_SH; waiting_tasks_count=812; wait_time_ms=41220",
        "for a page that is read",
        "sys.dm_os_wait_stats: wait_type=PAGELATCH_SH; waiting_tasks_count=812; wait_time_ms=41220",
    ),
    (
        "ADDM: finding=Commits and Rollbacks; share=62.2",
        "the redo path",
        "ADDM: finding=Commits and Rollbacks; share=2.2",
    ),
    (
        "ADDM: finding=\"User I/O\" wait Class; share=41.2",
        "reads and writes of its files",
        "ADDM: finding=none",
    ),
    (
        "ADDM: finding=Row Lock Waits; share=62.2",
        "no wait for storage",
        "ADDM: finding=Row Lock Waits; share=2.2",
    ),
    (
        "pg_stat_io: backend_type=client backend; object=relation; reads=9; read_time=1; fsyncs=12",
        "themselves 12 times",
        "pg_stat_io: backend_type=client backend; object=relation; reads=9; read_time=1; fsyncs=0",
    ),
    (
        "pg_stat_wal: wal_sync=100; wal_sync_time=4100; wal_buffers_full=7",
        "flush of WAL takes 41 ms",
        "pg_stat_wal: wal_sync=100; wal_sync_time=41; wal_buffers_full=7",
    ),
    ("rman: key=812; ty=B; lv=0; s=X; tag=T7", "key 812, EXPIRED", "rman: key=812; ty=B; lv=0; s=A; tag=T7"),
    (
        "[a] Chain 1 Signature: 'log file parallel write'<='log file sync'",
        "behind the log writer",
        "Chain 1 Signature Hash: 0xa1",
    ),
    (
        "slow query: seconds=28.4; lock_s=0.1; examined=1; statement=COMMIT",
        "a COMMIT took 7 s",
        "slow query log: ON",
    ),
    (
        "slow query: seconds=12; lock_s=11.8; examined=1; statement=UPDATE",
        "for locks of other sessions",
        "slow query log: ON",
    ),
    (
        "slow query: seconds=8.2; io_s=8.1; examined=812; statement=find",
        "find of 8.2 s spent 7 %",
        "slow query log: ON",
    ),
    (
        "slow query: seconds=8.2; cache_s=8.1; examined=812; statement=insert",
        "room in the cache",
        "slow query log: ON",
    ),
    ("slow query: seconds=12; uncounted; statement=command", "does not tell what for", "slow query log: ON"),
    ("slow query: seconds=8.2; acknowledged_s=8; statement=insert", "write concern", "slow query log: ON"),
    (
        "slow query: seconds=9; lock_s=0; examined=12; statement=INSERT",
        "it waited, for reads",
        "slow query log: ON",
    ),
    (
        "slow query: seconds=9; lock_s=0; examined=8123012; statement=SELECT",
        "looked at 8123012 rows",
        "slow query log: ON",
    ),
    (
        "ps: pid=412; state=D; wchan=rpc_wait_bit_killable; command=ora_lgwr_db7",
        "waits in the kernel for an NFS server (rpc_wait_bit_killable",
        "ps: pid=412; state=S; wchan=ep_poll; command=ora_lgwr_db7",
    ),
    (
        "ps: pid=412; state=D; wchan=jbd2_log_wait_commit; command=postgres",
        "writes its journal",
        "ps: pid=412; state=R; wchan=0; command=postgres",
    ),
    (
        "ps: pid=412; state=D; wchan=blk_mq_get_tag; command=postgres",
        "usually for its storage (blk_mq_get_tag",
        "ps: pid=412; command=postgres",
    ),
    ("plan: block_ms=82.4; blocks=5", "a block that this plan read", "plan: block_ms=0.8; blocks=812"),
    (
        "numa: node=0; free=112; size=128812; other=1; other_free=98123",
        "node 0 has 112 of 128812 MB",
        "numa: nodes=2",
    ),
    (
        "awr sql: %total=50.8; %cpu=2.1; %io=97.2",
        "takes 50.8 % of DB time",
        "awr sql: %total=50.8; %cpu=97; %io=2",
    ),
    ("v$dnfs_servers: no rows selected", "Direct NFS is not in use", "v$dnfs_files: no rows selected"),
    (
        "Innodb buffer pool wait free in 10 s=81",
        "in ten seconds for a free page",
        "Innodb buffer pool wait free in 10 s=0",
    ),
    ("Innodb log waits in 10 s=4", "in ten seconds for room", "Innodb log waits in 10 s=0"),
    (
        "| Innodb_data_pending_writes | 212 |",
        "wait for the data device",
        "| Innodb_data_pending_writes | 2 |",
    ),
    ("*** WE ROLL BACK TRANSACTION (1)", "waited for each other's rows", "*** (1) TRANSACTION:"),
    (
        "replication standby7 sync flush_lag=0.481",
        "each commit waits 7 s",
        "replication standby7 sync flush_lag=0.004",
    ),
    (
        "Transport Lag:      2 hours 12 minutes 41 seconds (computed 12 seconds ago)",
        "reaches this standby late",
        "Transport Lag:      0 seconds (computed 12 seconds ago)",
    ),
    (
        "Apply Lag:          1 day 2 hours 3 minutes (computed 2 seconds ago)",
        "applies redo late",
        "Apply Lag:          3 seconds (computed 2 seconds ago)",
    ),
    (
        " 2. OFFLINE 912330a1b2c34f5abf12345678901234 (/dev/mapper/vote2) [OCR]",
        "a voting file",
        " 2. ONLINE   912330a1b2c34f5abf12345678901234 (/dev/mapper/vote2) [OCR]",
    ),
    (
        "Out of 72 commit log syncs over the past 76.78s with average duration of 206.57ms, 2 have exceeded the configured commit interval by an average of 966.04ms",
        "commit log takes 7 ms",
        "Out of 72 commit log syncs over the past 76.78s with average duration of 6.57ms, 2 have exceeded the configured commit interval by an average of 1.04ms",
    ),
    (
        "Health check failed: 1 MDSs report slow metadata IOs (MDS_SLOW_METADATA_IO)",
        "the metadata pool of CephFS is slow",
        "Health check cleared: MDS_ALL_DOWN",
    ),
    (
        "Health check failed: 1 MDSs behind on trimming (MDS_TRIM)",
        "falls behind with its journal",
        "mds.a is now active in filesystem",
    ),
    (
        "md/raid:md7: journal disk is missing, force array readonly",
        "the journal device of an md array",
        "md/raid:md7: using journal device sdq1",
    ),
    (
        "virtio_balloon virtio3: Out of puff! Can't get 256 pages",
        "takes memory away from this host",
        "virtio_balloon virtio3: loaded",
    ),
    (
        "rpc.gssd[812]: ERROR: No credentials found for connection to server nas7",
        "refused this host's identity",
        "rpc.gssd[812]: beginning poll",
    ),
    (
        "WARNING: Device for PV abcd-1234 not found or rejected by a filter.",
        "a volume group lacks a disk",
        "PV /dev/sda2 VG vg0 lvm2 [99.00 GiB / 0 free]",
    ),
    ("lsblk: sdq1 is misaligned", "does not begin at a block", "lsblk: sdq1"),
    (
        "disk between: sdq write takes 483.0 ms, 701 times",
        "between the two readings",
        "disk between: sdq write takes 0.4 ms, 701 times",
    ),
    (
        "esxtop: davg/cmd=8.1; kavg/cmd=88.12; gavg/cmd=96",
        "the hypervisor itself holds each request",
        "esxtop: davg/cmd=0.8; kavg/cmd=0.01; gavg/cmd=0.9",
    ),
    (
        "esxtop network: used-by=81:db7; %drptx=0; %drprx=12.41",
        "dropped 7 % of the packets that arrived for 81:db7",
        "esxtop network: used-by=81:db7; %drptx=0; %drprx=0.01",
    ),
    (
        "esxcli smart: parameter=Media Wearout Indicator; value=2; threshold=10; worst=2",
        "at or below its threshold (2, threshold 10)",
        "esxcli smart: parameter=Media Wearout Indicator; value=98; threshold=10; worst=98",
    ),
    (
        "v$iostat_file: filetype_name=Data File; small_read_reqs=1000; small_read_servicetime=41000",
        "a small read of Data File took 7 ms",
        "v$iostat_file: filetype_name=Data File; small_read_reqs=1000; small_read_servicetime=900",
    ),
    (
        "multipath.conf: section=device; vendor=ACME; no_path_retry=fail",
        "multipath.conf (device ACME) has I/O fail as soon as no path is left",
        "multipath.conf: section=device; vendor=ACME; no_path_retry=12",
    ),
    (
        "systemd-analyze blame: min=1; s=30.1; unit=dev-sdq1.device",
        "dev-sdq1.device was waited for 7 min",
        "systemd-analyze critical-chain",
    ),
    (
        "veeam: source=12; proxy=8; network=31; target=92",
        "is the target",
        "veeam: source=12; proxy=8; network=31; target=40",
    ),
    (
        "tuples: 0 removed, 912000 remain, 812000 are dead but not yet removable",
        "no storage is at fault",
        "tuples: 0 removed, 9120 remain, 8120 are dead but not yet removable",
    ),
    ("esxtop: davg/cmd=81.2; gavg/cmd=81", "takes 7 ms for a request", "esxtop: davg/cmd=0.8; gavg/cmd=1"),
    (
        "Checkpoint has been running for 812 seconds and wrote: 41233 pages (812 MB)",
        "has run for 7 s",
        "Checkpoint has been running for 20 seconds and wrote: 412 pages (8 MB)",
    ),
    (
        "qdisc netem 8002: root refcnt 2 limit 1000 delay 100.0ms loss 1%",
        "delays or drops packets on purpose",
        "qdisc fq_codel 0: root refcnt 2 limit 10240p",
    ),
    (
        "[o.e.c.r.a.DiskThresholdMonitor] [node-7] flood stage disk watermark [95%] exceeded on [a][node-7][/data]",
        "its indices become read-only",
        "[o.e.c.r.a.DiskThresholdMonitor] [node-7] rerouting shards",
    ),
    (
        "storcli battery: model=BBU; state=Dgd(NotReady); temp=28C; mode=-; mfgdate=0/00/00",
        "not well (BBU: Dgd(NotReady))",
        "storcli battery: model=CVPM02; state=Optimal; temp=28C; mode=-; mfgdate=2015/04/16",
    ),
    (
        "1/1 RAID5 Dgrd RW No RWTD - ON 5.457 TB data",
        "the next one may take the data along",
        "1/1 RAID5 Optl RW Yes RWBD - ON 5.457 TB data",
    ),
    (
        "0/0 RAID1 Optl RW Yes RWTD - ON 446.625 GB os",
        "writes through its cache",
        "0/0 RAID1 Optl RW Yes NRWBD - ON 446.625 GB os",
    ),
    ("Number temporary files: 8123", "spill to temporary files", "Number of queries: 712,330"),
    ("Checkpoint warnings: 41", "checkpoints come faster", "Checkpoint distance: 412 MB"),
    (
        "gluster: share=94.1; ms=84.2; min=9121; max=912331; calls=13412; fop=FSYNC",
        "FSYNC of a brick",
        "gluster: share=94.1; ms=0.2; min=9; max=912; calls=13412; fop=FSYNC",
    ),
    (
        "netapp qos: workload=vol7; id=7; latency=18.3; qos max=17.9; disk=0.1",
        "holds requests of vol7 back",
        "netapp qos: workload=vol7; id=7; latency=0.3; qos max=0; disk=0.1",
    ),
    (
        "netapp qos: workload=vol7; id=7; latency=48.3; network=0.1; disk=41.2",
        "of the 48.3 ms",
        "netapp qos: workload=vol7; id=7; latency=4.3; network=0.1; disk=4.1",
    ),
    (
        "netapp qos: workload=vol7; id=7; latency=48.3; network=41.2; disk=1",
        "for the client",
        "netapp qos: workload=vol7; id=7; latency=4.3; network=0.1; disk=4.1",
    ),
    (
        "nodetool dropped: message=MUTATION; dropped=812",
        "(MUTATION)",
        "nodetool dropped: message=MUTATION; dropped=0",
    ),
    (
        "nodetool tpstats: pool=MemtableFlushWriter; active=2; pending=41",
        "flushes of memtables",
        "nodetool tpstats: pool=MemtableFlushWriter; active=2; pending=0",
    ),
    (
        "nodetool tpstats: pool=MutationStage; active=32; pending=812",
        "wait in MutationStage",
        "nodetool tpstats: pool=MutationStage; active=32; pending=8",
    ),
    (
        "elasticsearch: node_name=es7; name=write; active=16; queue=200; rejected=812",
        "thread pool write",
        "elasticsearch: node_name=es7; name=write; active=16; queue=0; rejected=0",
    ),
    (
        "mongostat: insert=12; query=41; update=812; dirty=31.2%; used=95.1%",
        "cache is dirty",
        "mongostat: insert=12; query=41; update=812; dirty=3.2%; used=79.1%",
    ),
    (
        "redis: loading=0; rdb_last_bgsave_status=err; aof_last_write_status=ok",
        "could not write its data",
        "redis: loading=0; rdb_last_bgsave_status=ok; aof_last_write_status=ok",
    ),
    (
        "redis: aof_enabled=1; aof_delayed_fsync=812",
        "waited 7 times",
        "redis: aof_enabled=1; aof_delayed_fsync=0",
    ),
    (
        "arcstat: time=10:02:11; read=18K; miss=11K; miss%=61",
        "go to the disks",
        "arcstat: time=10:02:11; read=18K; miss=11; miss%=3",
    ),
    (
        "virsh domblkstat: wr_req=7; flush_operations=10; flush_total_times=410000000",
        "a flush of this guest",
        "virsh domblkstat: wr_req=7; flush_operations=10; flush_total_times=4100000",
    ),
    (
        "virsh domblkstat: wr_req=10; wr_total_times=410000000",
        "a write of this guest",
        "virsh domblkstat: wr_req=10; wr_total_times=4100000",
    ),
    (
        "ethtool coalescing: adaptive rx=off  TX: off; rx-usecs=500; tx-usecs=500",
        "for up to 500",
        "ethtool coalescing: adaptive rx=off  TX: off; rx-usecs=8; tx-usecs=8",
    ),
    (
        "swapon: filename=/dev/dm-1; type=partition; size=16777212; used=16771004",
        "swap on /dev/dm-1",
        "swapon: filename=/dev/dm-1; type=partition; size=16777212; used=0",
    ),
    (
        "pgbouncer: database=shop; user=app; cl_active=20; cl_waiting=184; sv_active=20; maxwait=41",
        "the first for 41 s",
        "pgbouncer: database=shop; user=app; cl_active=20; cl_waiting=0; sv_active=3; maxwait=0",
    ),
    ("ERROR:  deadlock detected", "deadlock of locks", "LOG:  checkpoint starting: time"),
    (
        "v$resource_limit: resource_name=processes; current_utilization=1998; limit_value=2000",
        "of their limit",
        "v$resource_limit: resource_name=dml_locks; current_utilization=812; limit_value=UNLIMITED",
    ),
    (
        "WARN GCInspector.java:294 - G1 Old Generation GC in 8123ms.",
        "stopped Cassandra",
        "INFO GCInspector.java:294 - G1 Young Generation GC in 212ms.",
    ),
    (
        "kubectl: name=pg-1; ready=0/1; status=CrashLoopBackOff; restarts=81; age=12d",
        "pod pg-1 does not run",
        "kubectl: name=pg-0; ready=1/1; status=Running; restarts=0; age=12d",
    ),
    (
        "performance_schema: event_name=wait/io/file/innodb/innodb_log_file; count_star=812; sum_timer_wait=33292000000000",
        "takes 7 ms on average",
        "performance_schema: event_name=wait/io/file/innodb/innodb_log_file; count_star=812; sum_timer_wait=332920000000",
    ),
    (
        "interrupts of eth7: 100 % of 3585469155 from 4 queues",
        "of one adapter",
        "interrupts of eth7: 31 % of 3585469155 from 4 queues",
    ),
    ("mount error(112): Host is down", "number in brackets", "mount: /u01 mounted"),
    (
        "error: Result of monitor operation for c_fs7 on db7: Timed Out after 20s",
        "did not end",
        "info: Result of monitor operation for c_fs7 on db7: ok",
    ),
];
