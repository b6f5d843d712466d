//! What stands beside the path: settings files that somebody hands over alone, programs that copy or load, a slow start.

use super::super::{Entry, any_of, at_least, from_number, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::Severity::Info;

/// Worth knowing, and no trouble by itself.
const fn note(entry: Entry) -> Entry {
    Entry { severity: Some(Info), ..entry }
}

const CONF: &str = "multipath.conf(5)";
const OWN_VALUES: &str = "The array vendor's own values for this host (multipathd show config has those built in); `multipathd reconfigure` reads a changed file, while all paths work";
const VEEAM: &str = "Veeam Backup & Replication User Guide, Detecting Performance Bottlenecks";
const BLAME: &str = "systemd-analyze(1), blame; systemd.device(5)";

/// The slowest of the four stages that a backup passes, from half of its time on (own choice).
const fn stage(
    is: &'static str,
    all: &'static [&'static str],
    says: &'static str,
    now: &'static str,
) -> Entry {
    note(at_least((is, 50.0), any_of(all, Storage, says, now, VEEAM)))
}

/// A finding of ADDM by its name.
const fn any_addm(
    any: &'static [&'static str],
    layer: fullwire_model::assessment::Layer,
    says: &'static str,
) -> Entry {
    let now = "Its recommendations and rationale in the report; an AWR report of the same snapshots for the figures (`fullwire awr FILE`)";
    let source =
        "Oracle Database Performance Tuning Guide, ADDM; names of findings in DBA_ADVISOR_FINDING_NAMES";
    Entry { any, ..told(&["addm: finding=", "share="], layer, says, now, source) }
}

const IOSTAT_FILE: &str = "Oracle Database Reference, V$IOSTAT_FILE (times in milliseconds); 20 ms is twice what a spinning disk needs (own choice)";
const DRP: &str = "VMware, esxtop network statistics (%DRPTX, %DRPRX)";

pub(in crate::said) const LINES: &[Entry] = &[
    at_least(
        ("small_read_servicetime÷small_read_reqs", 20.0),
        told(
            &["v$iostat_file: ", "small_read_servicetime="],
            Storage,
            "a small read of {filetype_name} took {n} ms on average since the instance started: more than a spinning disk needs",
            "`fullwire assess --path` where these files are; the same figures twice, an hour apart, tell how it is now",
            IOSTAT_FILE,
        ),
    ),
    at_least(
        ("small_write_servicetime÷small_write_reqs", 20.0),
        told(
            &["v$iostat_file: ", "filetype_name=log file", "small_write_servicetime="],
            Storage,
            "a write of the redo log took {n} ms on average since the instance started, and each commit waits for one",
            "`fullwire disk DIRECTORY --profile ora-lgwr` where the redo logs are",
            IOSTAT_FILE,
        ),
    ),
    at_least(
        ("%drprx=", 0.1),
        told(
            &["esxtop network: ", "%drprx="],
            Network,
            "the hypervisor dropped {n} % of the packets that arrived for {used-by}: the guest did not take them in time (its ring is too small, or it waits for a CPU)",
            "In the guest a larger ring (ethtool -g, -G) and the CPU of its interrupts; CPU ready time (%RDY) of the guest",
            DRP,
        ),
    ),
    at_least(
        ("%drptx=", 0.1),
        told(
            &["esxtop network: ", "%drptx="],
            Network,
            "the hypervisor dropped {n} % of the packets that {used-by} sent: its uplink or a shaper is full",
            "The load of that uplink (TEAM-PNIC), and traffic shaping of the port group",
            DRP,
        ),
    ),
    Entry {
        any: &["value=warning", "value=critical", "value=failed"],
        ..told(
            &["esxcli smart: parameter=health status"],
            Storage,
            "the disk itself reports that its health is {value}",
            "Which of its values is at its threshold stands in the same list; plan its replacement, once its data are safe elsewhere",
            "esxcli storage core device smart get; SMART status",
        )
    },
    at_least(
        ("threshold÷value", 1.0),
        told(
            &["esxcli smart: ", "value=", "threshold="],
            Storage,
            "{parameter} of this disk is at or below its threshold ({value}, threshold {threshold}): the disk is worn out or failing",
            "Plan its replacement, once its data are safe elsewhere",
            "esxcli storage core device smart get: normalised values fail at their threshold",
        ),
    ),
    note(at_least(
        ("remain, ", 100_000.0),
        told(
            &["are dead but not yet removable"],
            Database,
            "vacuum could not remove {n} dead rows of a table: an old transaction, a prepared one, a replication slot or a standby's feedback still needs them. Every scan reads them: no storage is at fault",
            "pg_stat_activity (oldest backend_xmin), pg_prepared_xacts, pg_replication_slots (xmin): end what holds them",
            "PostgreSQL documentation, Routine Vacuuming; VACUUM VERBOSE",
        ),
    )),
    Entry {
        any: &["no_path_retry=fail", "no_path_retry=0"],
        ..told(
            &["multipath.conf: "],
            Storage,
            "multipath.conf ({section} {vendor}) has I/O fail as soon as no path is left (no_path_retry): a switch or controller that restarts, seconds long, ends in I/O errors, file systems set read-only and databases that stop",
            OWN_VALUES,
            CONF,
        )
    },
    Entry {
        any: &["no_path_retry=queue", "queue_if_no_path"],
        ..note(told(
            &["multipath.conf: "],
            Storage,
            "multipath.conf ({section} {vendor}) has I/O wait without end while no path is left: nothing fails, and whatever touches the disk hangs until a path is back; a cluster that should fail over waits with it",
            "It is many vendors' own value, and right where the data must outlive an outage of the array. Where a cluster or ASM should take over, a number of retries instead (the cluster's own time limit decides); change it while all paths work",
            CONF,
        ))
    },
    note(told(
        &["multipath.conf: ", "path_grouping_policy=multibus"],
        Storage,
        "multipath.conf ({section} {vendor}) puts all paths into one group (multibus): right where all ports of the array are alike; with ALUA half of the I/O takes the controller that does not own the LUN",
        "`multipath -ll`: one group with different priorities shows it; then path_grouping_policy group_by_prio with prio alua",
        CONF,
    )),
    stage(
        "source=",
        &["primary bottleneck: source", "veeam: source="],
        "the slowest stage of the backup is the source: reading the disks of the guests",
        "Reads of the datastore at that time, and the transport mode of the proxy (direct storage access rather than the network)",
    ),
    stage(
        "proxy=",
        &["primary bottleneck: proxy", "veeam: source="],
        "the slowest stage of the backup is the proxy: its CPU compresses and deduplicates",
        "CPU of the proxy, its number of tasks, the level of compression",
    ),
    stage(
        "network=",
        &["primary bottleneck: network", "veeam: source="],
        "the slowest stage of the backup is the network between the proxy and the repository",
        "`fullwire net` between the two hosts; throttling rules of the backup server",
    ),
    stage(
        "target=",
        &["primary bottleneck: target", "veeam: source="],
        "the slowest stage of the backup is the target: the repository does not write as fast as data arrive",
        "`fullwire disk DIRECTORY` on the repository: its cache (write-through?), a deduplicating appliance, or other jobs at that time",
    ),
    note(told(
        &["lldp: mfs="],
        Network,
        "the switch port says that it takes frames of up to {mfs} bytes: with a larger MTU on this host (9000) large packets are lost there, and small ones pass",
        "`ip link` for the MTU of this end, `fullwire mtu HOST` for what the path carries; then jumbo frames on every port of the way, or 1500 on both ends",
        "IEEE 802.3, Maximum Frame Size TLV; lldpcli(8)",
    )),
    at_least(
        ("min=", 1.0),
        told(
            &["systemd-analyze blame: min=", ".device"],
            Storage,
            "at boot {unit} was waited for {n} min: the device came late, or never within its time limit (90 s)",
            "`systemctl status` of that unit and the kernel's log: does the device exist (blkid)? A line of /etc/fstab or /etc/crypttab whose device is gone is the usual cause; `nofail` only where the host may run without it",
            BLAME,
        ),
    ),
    note(at_least(
        ("min=", 1.0),
        told(
            &["systemd-analyze blame: min="],
            Host,
            "at boot {unit} took {n} min",
            "`systemctl status` and `journalctl -b -u` of that unit; `systemd-analyze critical-chain` says whether anything waited for it",
            BLAME,
        ),
    )),
    note(told(
        &["systemd-analyze blame: s="],
        Host,
        "at boot {unit} took {s} s",
        "`systemd-analyze critical-chain` says whether anything waited for it",
        BLAME,
    )),
    told(
        &["java.lang.outofmemoryerror"],
        Host,
        "a Java program reached the limit of its own memory (heap, metaspace or threads, as the line says): neither a disk nor a network is at fault",
        "Its -Xmx (or -XX:MaxRAMPercentage) against what the host or container has; a heap dump tells whether it leaks",
        "Java SE Troubleshooting Guide, Understand the OutOfMemoryError Exception",
    ),
    any_of(
        &[
            "\"proactive failure\"",
            "\"poor performance\"",
            "confinedonline",
            "confinedoffline",
            "\"predictive failure\"",
        ],
        Storage,
        "a disk of an Exadata cell is failing or was taken out of use (its status is in the line): ASM reads the mirror, with one copy less",
        "`cellcli -e list physicaldisk detail` of that cell names the disk: replace it once `asmdeactivationoutcome` is Yes",
        "Oracle Exadata Storage Server Software User's Guide, disk status",
    ),
    note(at_least(
        ("average_ms=", 5.0),
        told(
            &["diskspd: bytes=", "io_per_s="],
            Storage,
            "a request of diskspd takes {n} ms on average, in its own queue (-o, -t)",
            "Again with -o1 -t1: what one request alone takes is the device",
            "DiskSpd documentation, analyzing output (AvgLat); 5 ms: flash behind a network or a controller (own choice)",
        ),
    )),
    at_least(
        ("per_hour=", 12.0),
        told(
            &["log switches: count=", "per_hour="],
            Database,
            "the redo log was switched {n} times an hour in these lines ({count} switches): its groups are small for this load, and each switch starts a checkpoint",
            "Add larger redo log groups while it runs (three switches an hour at the peak are usual), and standby redo logs of their size; drop an old group only once v$log has it as INACTIVE and archived",
            "Oracle Database Performance Tuning Guide, sizing redo logs; four times that rate (own choice)",
        ),
    ),
    note(at_least(
        ("by hour: most=", 12.0),
        told(
            &["by hour: most="],
            Database,
            "the busiest hour of this table counts {n}: if they are switches of the redo log, its groups are small for that load",
            "Add larger redo log groups while it runs (three switches an hour at the peak are usual); `fullwire redo` on the listing of the logs says what their rate needs",
            "Oracle Database Performance Tuning Guide, sizing redo logs",
        ),
    )),
    any_of(
        &["inconsistent mtu values", "prvg-2079"],
        Network,
        "an interface has another MTU on one node of the cluster than on the others: large packets between them are lost, and small ones pass",
        "One MTU on all nodes and on every switch port between them; `fullwire mtu PEER` proves what the path carries",
        "Oracle Cluster Verification Utility, PRVG-2079",
    ),
    told(
        &["cell: disk=", "status="],
        Storage,
        "disk {disk} of an Exadata cell is {status}: ASM reads the mirror, with one copy less; of a flash disk the cache is smaller",
        "`cellcli -e list physicaldisk detail` of that cell names the disk: replace it once `asmdeactivationoutcome` is Yes",
        "Oracle Exadata Storage Server Software User's Guide, disk status",
    ),
    at_least(
        ("crc=", 100.0),
        told(
            &["port", "crc="],
            Network,
            "a port of the switch counted {n} damaged frames (CRC) since its counters were cleared: the cable, an optic or the adapter at the other end",
            "Whether the count grows (clear counters, and again under load); then clean or replace optic and cable, one at a time",
            "IEEE 802.3, frame check sequence; Cisco, show interfaces",
        ),
    ),
    any_of(
        &["current speed: not established", "port_state = \"linkdown\""],
        Storage,
        "a port of a Fibre Channel adapter has no link: its paths are down",
        "The cable, the optics and the switch port; if it is meant to be unused, nothing is wrong",
        "Oracle Solaris fcinfo(8); Linux drivers/scsi/scsi_transport_fc.c, port_state",
    ),
    at_least(
        ("secs (", 0.02),
        told(
            &["secs (", "behind the primary"],
            Database,
            "a secondary of MongoDB is {n} hours behind its primary: what is read there is as old, and it can fall out of the oplog",
            "Its disk (iostat -xt 10) and the network between them; rs.printReplicationInfo() tells how long the oplog reaches",
            "MongoDB manual, rs.printSecondaryReplicationInfo",
        ),
    ),
    at_least(
        ("current_utilization×100÷limit_value", 90.0),
        told(
            &["v$resource_limit: resource_name=", "limit_value="],
            Database,
            "{resource_name} are at {n} % of their limit ({current_utilization} of {limit_value}): at the limit new sessions are refused. No disk or network is at fault",
            "Who holds them (v$session by program and machine): a pool that leaks or storms; then the parameter",
            "Oracle Database Reference, V$RESOURCE_LIMIT",
        ),
    ),
    told(
        &["map ", " is left over"],
        Storage,
        "a multipath map has neither a path nor a known device behind it (##,##): its LUN was taken away, or all its paths are down. With queue_if_no_path whatever touches it hangs",
        "If the LUN should be there: its mapping on the array, zoning, links. If it was taken away on purpose and nothing has the map open (dmsetup info NAME, open count 0), `multipath -f NAME` removes it",
        "multipath(8), -f; dmsetup(8)",
    ),
    any_of(
        &["crs-4535", "crs-4530", "crs-4534", "crs-4639"],
        Host,
        "a daemon of Oracle's clusterware does not answer: the cluster, and with it ASM and the databases, is not up on this node",
        "`crsctl stat res -t -init` names what is not up; its log below diag/crs of this node, first ocssd: voting files, private network",
        "Oracle Clusterware messages, CRS-4530 to CRS-4639",
    ),
    at_least(
        ("wait_time_ms÷waiting_tasks_count", 15.0),
        told(
            &["sys.dm_os_wait_stats: wait_type=writelog"],
            Storage,
            "a flush of SQL Server's log takes {n} ms on average since its statistics began, and each commit waits for one",
            "The device of the log (avg. disk sec/write, `fullwire disk DIRECTORY`), and what else writes to it",
            "Microsoft, sys.dm_os_wait_stats (WRITELOG); 15 ms is a turn of a spinning disk and its seek (own choice)",
        ),
    ),
    at_least(
        ("wait_time_ms÷waiting_tasks_count", 20.0),
        any_of(
            &["wait_type=pageiolatch_sh", "wait_type=pageiolatch_ex", "wait_type=pageiolatch_up"],
            Storage,
            "SQL Server waits {n} ms on average for a page that is read from its files: more than a spinning disk needs",
            "The device of the data files, and whether its memory is too small for what is read (page life expectancy)",
            "Microsoft, sys.dm_os_wait_stats (PAGEIOLATCH); 20 ms is twice what a spinning disk needs (own choice)",
        ),
    ),
    at_least(
        ("share=", 10.0),
        any_addm(
            &[
                "finding=commits and rollbacks",
                "finding=log file switches",
                "finding=undersized redo log buffer",
                "finding=slow archivers",
            ],
            Storage,
            "ADDM puts {n} % of the database's activity down to {finding}: it waits for the redo path (log writes, switches, archiving)",
        ),
    ),
    at_least(
        ("share=", 10.0),
        any_addm(
            &[
                "\"user i/o\"",
                "i/o throughput",
                "finding=undersized buffer cache",
                "finding=undersized sga",
                "finding=undersized pga",
                "temp space",
            ],
            Storage,
            "ADDM puts {n} % of the database's activity down to {finding}: it waits for reads and writes of its files, or its memory is too small to avoid them",
        ),
    ),
    note(at_least(
        ("share=", 10.0),
        any_addm(
            &[],
            Database,
            "ADDM puts {n} % of the database's activity down to {finding}: by its name no wait for storage",
        ),
    )),
    at_least(
        ("delay_ms=", 2.0),
        any_of(
            &[
                "process=ora_lgwr",
                "process=ora_lg0",
                "process=walwriter",
                "process=mysqld",
                "process=postgres",
            ],
            Host,
            "{process} waits {n} ms on average for a CPU each time it is to run ({count} times): neither storage nor network holds it, and commits wait with it",
            "vmstat 5 (r against the number of CPUs); a CPU quota of its group (cpu.stat, nr_throttled); for Oracle _high_priority_processes",
            "perf-sched(1), latency; 2 ms is as long as a commit on flash (own choice)",
        ),
    ),
    at_least(
        ("fsync_time÷fsyncs", 20.0),
        told(
            &["pg_stat_io: ", "fsync_time="],
            Storage,
            "a flush of the files of PostgreSQL takes {n} ms on average ({backend_type}, {fsyncs} of them): a checkpoint waits for each, and where it is of the WAL a commit does",
            "`fullwire disk DIRECTORY --profile pg-wal` where these files are; what else writes to that device (iostat -x)",
            "PostgreSQL documentation, pg_stat_io (times in ms); 20 ms is longer than two turns of a spinning disk (own choice)",
        ),
    ),
    at_least(
        ("blk_read_time×100÷total_exec_time", 50.0),
        told(
            &["pg_stat_statements: ", "blk_read_time="],
            Storage,
            "{n} % of the time of a statement went to reading blocks ({calls} calls in {total_exec_time} ms)",
            "Whether it reads more than it needs (EXPLAIN (ANALYZE, BUFFERS): an index, shared_buffers), then what a read takes: fullwire disk DIRECTORY",
            "PostgreSQL documentation, pg_stat_statements, track_io_timing",
        ),
    ),
    from_number(
        ("innodb_row_lock_current_waits", 5.0),
        Database,
        "{n} transactions wait for row locks of others: no disk or network is at fault",
        "sys.innodb_lock_waits names who holds them; end or commit that transaction",
        "MySQL manual, server status variables",
    ),
    any_of(
        &["is not running on node", "is not running on nodes"],
        Host,
        "a resource of Oracle's clusterware is not running where it should be",
        "`srvctl status` and `crsctl stat res NAME -p`; why it stopped is in its alert log and in its agent's log below diag/crs",
        "Oracle Real Application Clusters Administration and Deployment Guide, srvctl status",
    ),
    told(
        &["ora-16766"],
        Database,
        "redo apply of the standby is stopped: it receives redo and applies none",
        "Its alert log says why it stopped; then edit database NAME set state='APPLY-ON'",
        "Oracle Data Guard Broker, ORA-16766",
    ),
];
