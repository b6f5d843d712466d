//! Forms of tables and of lines of figures: what tells each apart, and what its figures are called. What they mean is known by
//! their words, as of any other line.

/// In each line the name of a form, and columns that its heading has, in any order: `name/1000>own` is called `own`, and is that
/// part of what is printed. Behind `=` stands what one of the names in the first column is: such a table is one record. `:` in
/// front: it has no heading, and each line a name and its value; `~` behind: cells have units, and become ms and bytes.
///
/// Oracle Database Reference, Dynamic Performance Views; PostgreSQL documentation, The Cumulative Statistics System; the
/// more special before the more general.
pub(super) const HEADINGS: &[&str] = &[
    "v$asm_disk|name|read_errs|write_errs",
    "v$asm_disk|name|mode_status|mount_status",
    "v$asm_disk|name|path|mode_status",
    "v$asm_disk|name|total_mb|path",
    "v$asm_disk|failgroup|name|path",
    "v$asm_disk|group_number|name|total_mb|free_mb",
    "v$asm_operation|operation|state|est_minutes",
    "v$archive_gap|thread#|low_sequence#|high_sequence#",
    "v$managed_standby|process|status|sequence#",
    "v$archive_dest_status|dest_id|status|synchronization_status",
    "v$archive_dest|dest_id|net_timeout|transmit_mode",
    "v$recovery_area_usage|file_type|percent_space_used|percent_space_reclaimable",
    "v$resource_limit|resource_name|current_utilization|limit_value",
    "v$filestat|file#|phyrds|readtim",
    "v$event_histogram|wait_time_milli|wait_count",
    "v$iostat_file|filetype_name|small_read_reqs|small_read_servicetime",
    "v$session_wait|event|wait_time_micro",
    "v$session_wait|event|seconds_in_wait",
    "ASH|event|event class|% activity",
    "v$cluster_interconnects|name|ip_address|is_public",
    "v$log|group#|bytes",
    "v$log|thread#|count(*)|max(bytes)",
    "v$logfile|group#|members",
    "v$logfile|group#|member",
    "v$db_cache_advice|size_for_estimate|estd_physical_reads",
    "v$database|protection_mode",
    "v$sysstat|name|value|=redo size|=redo writes|=physical reads|=user commits",
    "v$sysmetric|metric_name|value",
    "v$parameter|name|type|value|=filesystemio_options|=disk_asynch_io|=dg_broker_start|=log_archive_dest_2|=log_buffer",
    "pg_stat_bgwriter|checkpoints_timed|checkpoints_req",
    "pg_stat_bgwriter|buffers_clean|maxwritten_clean",
    "pg_stat_checkpointer|num_timed|num_requested",
    "pg_stat_archiver|archived_count|failed_count",
    "pg_stat_wal|wal_records|wal_buffers_full",
    "pg_stat_database|datname|temp_files",
    "pg_stat_database|datname|deadlocks",
    "pg_stat_database_conflicts|datname|confl_lock",
    "pg_stat_io|backend_type|object|reads",
    "pg_stat_io|backend_type|object|fsyncs",
    "pg_stat_replication|application_name|state|sync_state",
    "pg_stat_replication|write_lag|flush_lag",
    "pg_stat_replication|client_addr|replay_lag",
    // patronictl(1), list.
    "patroni|member|role|state",
    // repmgr's manual, cluster show; etcdctl(1), endpoint status -w table.
    "repmgr|id|name|role|status|upstream",
    "etcdctl|endpoint|id|is leader|errors",
    "pg_replication_slots|slot_name|active",
    "pg_stat_statements|calls|query|total_exec_time",
    "pg_stat_user_tables|relname|n_live_tup|n_dead_tup",
    "pg_statio_user_tables|relname|heap_blks_read|heap_blks_hit",
    "v$asm_diskgroup|name|usable_file_mb",
    "v$asm_diskgroup|name|use_mb>usable_file_mb",
    "v$dataguard_stats|name|value|time_computed",
    "v$dnfs_servers|svrname|dirname",
    "v$dnfs_channels|svrname|path|sends",
    "v$dnfs_stats|pnum|nfs_read|nfs_write",
    "v$sgastat|pool|name|bytes",
    // top(1) without its head; ps(1), aux; strace(1), -c.
    "top|pid|user|s|%cpu|%mem|command",
    "ps|user|pid|%cpu|%mem|stat|command",
    "strace|% time|seconds|usecs/call|calls|syscall",
    // charbench of swingbench, -v.
    "charbench|users|tpm|tps",
    "iozone|kb|reclen|write|rewrite|read|reread",
    // MySQL manual, SHOW ENGINE and the summary tables of waits; RMAN's `list backup summary`.
    "innodb mutex|type|name|status",
    "performance_schema|event_name|count_star",
    "performance_schema~|events>event_name|total>count_star|avg_latency",
    // SQL Server.
    "sys.dm_os_wait_stats|wait_type|waiting_tasks_count|wait_time_ms",
    "rman|key|ty|lv|s",
    // esxtop(1), disk adapters and devices, and ports of the network; `esxcli storage core device smart get`.
    "esxtop|davg/cmd|kavg/cmd|gavg/cmd",
    "esxtop network|used-by|%drptx|%drprx",
    "esxcli smart|parameter|value|threshold|worst",
    // AWR, SQL ordered by Elapsed Time.
    "awr sql|%total|%cpu|%io",
    // storcli(8), /cx show all: BBU_Info and Cachevault_Info.
    "storcli battery|model|state|temp|mode|mfgdate",
    // perf-trace(1), -s: times in ms.
    "strace|syscall|calls|total/1000>seconds",
    // swapon(8), -s; pgbouncer(5), SHOW POOLS.
    "swapon|filename|type|size|used|priority",
    "swapon~|name>filename|type|size|used|prio",
    "pgbouncer|cl_active|cl_waiting|sv_active|maxwait",
    // Ceph documentation, ceph osd perf; ONTAP command reference, qos statistics volume latency show.
    "ceph osd perf|osd|commit_latency(ms)",
    "netapp qos~|workload|id|latency|network|disk",
    // nodetool(1) of Cassandra, tpstats; arcstat(1); mongostat(1); Elasticsearch reference, cat thread pool.
    "nodetool tpstats|pool|name|active|pending|completed|blocked",
    "nodetool dropped|message|type|dropped",
    "arcstat|read|miss|miss%",
    // purevol monitor of a FlashArray; counters of switch ports: Cisco (counters errors), Arista (discards).
    "array|name|us/op (read)/1000>read_ms|us/op (write)/1000>write_ms",
    "port|port|fcs-err>crc|outdiscards>discarded",
    "port|port|indiscards|outdiscards>discarded",
    "mongostat|insert|query|update|dirty|used",
    "elasticsearch|name|active|queue|rejected",
    // kubectl, get pods.
    "kubectl|name|ready|status|restarts|age",
    // Names and values alone: virsh(1), domblkstat; Redis, INFO persistence; ethtool(8), -c.
    ":virsh domblkstat|wr_req|wr_total_times|flush_operations|flush_total_times",
    ":redis|rdb_last_bgsave_status|aof_last_write_status",
    ":ethtool coalescing|adaptive rx|rx-usecs|tx-usecs",
];

/// A tool and its line: a word as it is, `{name}` a figure, `{name/1000}` a part of it, `<name>` a word, `<name=a/b>` one of these,
/// what is behind the brackets as it is, `~` at the end anything behind it, `*` any words, `{..}` figures to the end. Sources: sockperf(3), qperf(1),
/// pt-query-digest(1), nuttcp(8), `HammerDB`'s documentation, Vdbench Users Guide, swingbench's results, Veeam Backup &
/// Replication User Guide (Detecting performance bottlenecks), lldpcli(8), systemd-analyze(1), btt(1), perf-sched(1) latency,
/// `DiskSpd` documentation, docker container stats, smartctl(8) (SCSI error counter log), ss(8), ipcs(1), oifcfg, Gluster
/// administrator guide (volume profile), Cisco and Juniper (show interfaces), Brocade (porterrshow, Fabric OS 6 to 9), HPE 3PAR
/// (statvlun, statvv), NetApp (sysstat).
pub(super) const LINES: &[(&str, &str)] = &[
    ("sockperf", "* Summary: Latency is {us} usec"),
    ("sockperf", "* Summary: BandWidth is {mbyte} MBps *"),
    ("qperf", "latency = {us} us"),
    ("qperf", "latency = {ms} ms"),
    ("qperf", "bw = {gbyte} GB/sec"),
    ("qperf", "bw = {mbyte} MB/sec"),
    ("qperf", "bw = {gbit} Gb/sec"),
    ("pt-query-digest", "* 0x~ {s} {share} {calls} {each} *"),
    ("nuttcp", "{mb} MB / {s} sec = {mbit} Mbps {tx} %TX {rx} %RX {retrans} retrans *"),
    ("nuttcp", "{mb} MB / {s} sec = {mbit} Mbps {tx} %TX {rx} %RX {lost} / {sent} drop/pkt {loss} %loss *"),
    ("HammerDB", "* achieved {nopm} NOPM from {tpm} *"),
    ("vdbench", "* avg~ {iops} {mb} {bytes} {read} {ms} {read_ms} {write_ms} *"),
    ("swingbench", "Average Response Time : {ms} *"),
    ("swingbench", "Average TPS : {tps} *"),
    ("swingbench", "Average Transactions Per Second : {tps} *"),
    ("veeam", "* Source {source} > Proxy {proxy} > Network {network} > Target {target} *"),
    ("lldp", "MFS: {mfs}"),
    ("systemd-analyze blame", "{min}min {s}s <unit>"),
    ("systemd-analyze blame", "{s}s <unit>.service"),
    ("systemd-analyze blame", "{s}s <unit>.device"),
    ("btt in the queue", "I2D {min} {ms*1000} {max} {count}"),
    ("btt in the device", "D2C {min} {ms*1000} {max} {count}"),
    ("perf sched", "* <process> | {total_ms} ms | {count} | avg: {delay_ms} ms *"),
    ("diskspd", "total: {bytes} | {ios} | {mib} | {io_per_s} | {average_ms} *"),
    ("docker stats", "<id> <container> {cpu}% <used> / <limit> {mem}% *"),
    ("smartctl", "read: {fast} {slow} {again} {corrected} {tries} {gbyte} {uncorrected}"),
    ("smartctl", "write: {fast} {slow} {again} {corrected} {tries} {gbyte} {uncorrected}"),
    ("smartctl", "verify: {fast} {slow} {again} {corrected} {tries} {gbyte} {uncorrected}"),
    ("listening", "LISTEN {queued} {most} <address> *"),
    ("listening", "tcp LISTEN {queued} {most} <address> *"),
    ("ipcs", "max seg size (kbytes) = {kib}"),
    ("oifcfg", "<interface> <network> global <use=public/cluster_interconnect/asm/cluster_interconnect,asm>"),
    ("port", "{runts} runts {giants} giants {crc} CRC *"),
    ("port", "{errors} input errors, {crc} CRC, *"),
    ("gluster", "{share} {ms/1000} us {min} us {max} us {calls} <fop>"),
    ("port", "Errors: {errors}, Drops: {discarded}, Framing errors: {crc}, *"),
    ("port", "Carrier transitions: {transitions}, Errors: {errors}, Drops: {discarded}, *"),
    (
        "fc port",
        "{port}: {tx} {rx} {enc_in} {crc} {g_eof} {short} {long} {bad_eof} {enc_out} {discarded} {link} {sync} {sig} {frjt} {fbsy} {..}",
    ),
    ("port", "Eth~ <mode=Auto/On> <oper=On> <classes> {pauses} {sent}"),
    (
        "array",
        "* <name> t {io} {io_avg} {io_max} {kb} {kb_avg} {kb_max} {ms} {ms_avg} {kib} {kib_avg} {queue}",
    ),
    (
        "netapp sysstat",
        "{cpu}% {nfs} {cifs} {http} {all} {in} {out} {read} {written} {tape} {taped} <age> {hit}% {cp}% <cp_type> {disk}% *",
    ),
];
