//! What Oracle's alert logs and those of its clusterware report.

use super::super::Entry;
use super::kind;
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::Severity::{Critical, Info, Warning};

const ORACLE: &str =
    "Oracle Database Error Messages; Oracle Clusterware messages; Oracle Automatic Storage Management guide";

pub(super) const KINDS: &[Entry] = &[
    kind(
        "css-absent",
        Database,
        Critical,
        "no ASM instance or no cluster synchronisation runs on this host: what lies in disk groups cannot be used",
        &[
            "`crsctl check css`, `crsctl stat res -t`: start what is down (crsctl start has, or crs). On a host without Grid Infrastructure give files a place in a file system",
        ],
        ORACLE,
    ),
    kind(
        "recovery-area",
        Database,
        Critical,
        "the fast recovery area has reached its own limit (db_recovery_file_dest_size), whatever room the disks below have: archiving stops, and then the database",
        &[
            "RMAN: `crosscheck archivelog all`, back up and delete what is backed up; a standby, GoldenGate or a guaranteed restore point may hold logs",
            "Raise db_recovery_file_dest_size where the disk group has the room",
        ],
        "Oracle Database Error Messages, ORA-19809, ORA-19804, ORA-19815",
    ),
    kind(
        "redo-damaged",
        Storage,
        Critical,
        "a block of a redo log is damaged: its other members may be whole",
        &[
            "The line beside it names the log (ORA-00312: an online log, ORA-00334: an archived one). Do not restart an instance that runs, and never restore an online log from a backup or open with resetlogs: both lose the last commits",
            "Online: another member of its group (v$logfile); `alter system clear logfile group N` for a group that v$log has as INACTIVE and archived, and for no other; CURRENT or ACTIVE: Oracle's support first. Archived: another copy of it",
            "Then the device and memory below: errors in the kernel's log, smartctl -a",
        ],
        "Oracle Database Error Messages, ORA-00353, ORA-00312; Oracle Database Administrator's Guide, Clearing a Redo Log File",
    ),
    kind(
        "asm-damaged",
        Storage,
        Critical,
        "ASM found its own metadata damaged in a disk group",
        &[
            "`alter diskgroup NAME check` without repair says what; Oracle's support before anything is written (AMDU reads a group that cannot be mounted). Never create the group anew or mount it by force",
            "Does something else write to its disks: a second host, a partition, LVM? Then the device and memory below",
        ],
        "Oracle Database Error Messages, ORA-15196, ORA-15335; Oracle Automatic Storage Management guide, Checking a Disk Group",
    ),
    kind(
        "open-failed",
        Storage,
        Critical,
        "a file or disk of the database could not be opened",
        &[
            "The error of the operating system below it says why: 13 is permission (owner and mode by udev rules or the mount), 2 a path or mount that is missing, 16 a device that something else holds",
        ],
        ORACLE,
    ),
    kind(
        "evicted",
        Network,
        Critical,
        "a node left the cluster",
        &["Look at the interconnect, the voting files and the CPU of the node at that time"],
        ORACLE,
    ),
    kind(
        "ended",
        Database,
        Critical,
        "the instance ended itself",
        &["The error that the line names, and the lines just before it, say why"],
        ORACLE,
    ),
    kind(
        "huge-pages",
        Host,
        Warning,
        "the SGA does not fit into the huge pages that are free, and uses small pages",
        &["Raise vm.nr_hugepages by the number that the log names, and restart the instance in a window"],
        ORACLE,
    ),
    kind(
        "network-buffers",
        Host,
        Warning,
        "the kernel had no buffers for a message: its free memory is in pieces that are too small",
        &[
            "Raise vm.min_free_kbytes to 0.4 % of the memory (times the NUMA nodes), and lower the MTU of lo to 16384, as Oracle Support 2041723.1 has it",
        ],
        "Oracle Support 2041723.1",
    ),
    kind(
        "clock",
        Host,
        Warning,
        "the clock jumped or differs from that of the other nodes",
        &["`chronyc tracking` on each node; let chrony slew the clock and step it at its start alone"],
        ORACLE,
    ),
    kind(
        "clock-drift",
        Host,
        Info,
        "the database saw the clock drift: as a rule it stood still itself for a moment, on a busy host or a guest",
        &["`chronyc tracking`; if it comes often, CPU that a hypervisor or a quota withholds"],
        "Oracle Support 1347586.1",
    ),
    kind(
        "shared-pool",
        Database,
        Warning,
        "a pool of the SGA had no piece of memory that was large enough: the first quoted word after the size names it (shared pool, large pool, streams pool)",
        &[
            "v$sgastat of that pool; bind variables or cursor_sharing where statements differ in their literals alone; then a larger pool or SGA_TARGET. More memory of the host does not help by itself",
        ],
        "Oracle Database Error Messages, ORA-04031",
    ),
    kind(
        "tablespace",
        Database,
        Warning,
        "a segment could not be extended",
        &[
            "Add a data file to the tablespace named, or let one grow; where it is TEMP, first the statement that fills it (v$tempseg_usage), then a temp file",
        ],
        ORACLE,
    ),
    kind(
        "undo",
        Database,
        Info,
        "a query needed undo that was overwritten",
        &["Compare undo_retention and the undo tablespace with the longest query (v$undostat)"],
        ORACLE,
    ),
    kind(
        "hang",
        Database,
        Warning,
        "sessions hang behind one that blocks them",
        &[
            "See what the final blocker waits for (the trace of DIA0, v$wait_chains): storage, the cluster, or a lock",
        ],
        ORACLE,
    ),
    kind(
        "standby-logs",
        Database,
        Warning,
        "the standby has no standby redo log that is free and large enough",
        &["Add standby redo logs of the size of the redo logs, one group more for each thread"],
        ORACLE,
    ),
    kind(
        "aio-requests",
        Host,
        Warning,
        "no further requests of asynchronous I/O could be set up",
        &["Raise fs.aio-max-nr: fs.aio-nr shows what is in use"],
        ORACLE,
    ),
    kind(
        "internal",
        Database,
        Warning,
        "an internal error was raised",
        &["Look the first argument up at the vendor, with the trace file that the log names"],
        ORACLE,
    ),
    kind(
        "pst-wait",
        Storage,
        Warning,
        "ASM waited long for a write to a disk's status table (PST); past 15 s (_asm_hbeatiowait) it takes the disk offline or dismounts the group",
        &[
            "Look at the paths of that disk at that time (`multipath -ll`, `powermt display dev=all`, the kernel's log): a failover of paths that is too slow, not the disk. Shorten it (fast_io_fail_tmo, no_path_retry), or raise _asm_hbeatiowait above it with Oracle's support",
        ],
        "Oracle Support 1581684.1",
    ),
    kind(
        "asm-disk-lost",
        Storage,
        Critical,
        "ASM takes a disk offline",
        &[
            "Look at the paths of that disk just before; bring it online again within disk_repair_time (alter diskgroup NAME online all)",
        ],
        ORACLE,
    ),
    kind(
        "asm-disk-missing",
        Storage,
        Critical,
        "ASM does not find a disk of a disk group",
        &[
            "Look whether the device is there (`multipath -ll`), with its owner and mode, and whether asm_diskstring matches it; was its unit unmapped?",
        ],
        ORACLE,
    ),
    kind(
        "asm-lost",
        Storage,
        Critical,
        "the instance lost ASM or one of its disk groups",
        &["Look at ASM's alert log and at the paths of its disks just before"],
        ORACLE,
    ),
    kind(
        "voting-file",
        Storage,
        Warning,
        "the clusterware waited long for a voting file; past the disk timeout (200 s) the node is evicted",
        &[
            "Look at the paths of the voting file's disk at that time, and at the load of its array: the time without any path must stay far below the disk timeout (`crsctl get css disktimeout`)",
        ],
        "Oracle Support 294430.1",
    ),
    kind(
        "voting-file-lost",
        Storage,
        Critical,
        "the clusterware lost a voting file, or finds none",
        &["Look at the disks of the voting files (`crsctl query css votedisk`), their paths, owner and mode"],
        ORACLE,
    ),
    kind(
        "resource-failed",
        Database,
        Warning,
        "the clusterware took a resource for failed, or gave up an action on it",
        &[
            "The log of that resource at the same time (the instance, the listener, the file system): it says why it failed or was too slow",
        ],
        ORACLE,
    ),
    kind(
        "interconnect",
        Network,
        Warning,
        "another node was not heard over the interconnect: one of them is evicted if it goes on",
        &["Look at the private network (loss, link, MTU, switch), and at the CPU of both nodes"],
        ORACLE,
    ),
    kind(
        "cluster-process",
        Network,
        Critical,
        "a process of the cluster's cache (LMS, LMD, LMON) hung",
        &["Look at the CPU and its priority, at swap and at the interconnect at that time"],
        ORACLE,
    ),
    kind(
        "control-file",
        Storage,
        Critical,
        "the control file was locked for minutes: its writer did not get on, as a rule for its storage",
        &[
            "Look at the latency of the control files' device at that time, and at what the holder that the line names waited for",
        ],
        ORACLE,
    ),
    kind(
        "dnfs-refused",
        Database,
        Warning,
        "Direct NFS refuses the filer for its largest transfer and uses the kernel's NFS instead",
        &[
            "Have the filer offer a largest read and write (rtmax, wtmax) that is a multiple of 32768, such as 524288 or 1048576 (max_block_size of its NFS server); then reopen the files by a restart of the instance",
        ],
        ORACLE,
    ),
    kind(
        "dnfs-path",
        Network,
        Warning,
        "Direct NFS lost a path to the filer",
        &[
            "Look at the link, the route and the filer's interface of that path; other paths of oranfstab take the I/O",
        ],
        ORACLE,
    ),
    kind(
        "nologging",
        Database,
        Warning,
        "a block was loaded without redo (NOLOGGING) and cannot be recovered: on a standby, or after a restore",
        &[
            "No backup has it: copy the data file from the primary (RMAN recover database nonlogged block), or load its table again; force logging prevents the next",
        ],
        ORACLE,
    ),
    kind(
        "needs-recovery",
        Database,
        Critical,
        "a data file is older than the rest of the database, which does not open with it: it was restored, taken offline, or its writes were lost",
        &[
            "ORA-01110 beside it names the file: recover it (RMAN recover datafile NUMBER) with the archived redo logs since then, and put it online",
        ],
        ORACLE,
    ),
    kind(
        "file-lock",
        Database,
        Warning,
        "a file of the database is locked by someone else, or its NFS server gives no locks",
        &[
            "Another instance on the same files? Else rpc.statd and rpcbind of client and server, and locks that a host which died left at the filer",
        ],
        ORACLE,
    ),
    kind(
        "nfs-options",
        Storage,
        Warning,
        "a file of the database is on an NFS mount with other options than Oracle requires",
        &["Mount with the options that the next line names, in a window: hard, and with RAC actimeo=0"],
        ORACLE,
    ),
    kind(
        "interconnect-unset",
        Network,
        Warning,
        "the instance found no private interconnect: its messages may go over the public network",
        &["`oifcfg getif` and cluster_interconnects: name the private network, in a window"],
        ORACLE,
    ),
    kind(
        "asm-refused",
        Storage,
        Warning,
        "ASM could not do what was asked of a disk or a disk group",
        &[
            "The lines around it name disk or group: is the device there (`multipath -ll`), with owner and mode, and does asm_diskstring find it? kfod or lsdsk of asmcmd shows what ASM sees",
        ],
        ORACLE,
    ),
    kind(
        "redo-transport",
        Network,
        Warning,
        "redo did not reach a standby in time, or is not applied there",
        &[
            "v$archive_dest_status and v$dataguard_stats tell which part; then the network to the standby, its disk, its standby redo logs",
        ],
        ORACLE,
    ),
    kind(
        "os-refused",
        Host,
        Critical,
        "the operating system refused a request of the database",
        &[
            "The line of the operating system below (Linux error) says why: 28 no room, 12 no memory, 13 permission, 5 a failed read or write, 11 or 105 a limit or buffers",
        ],
        ORACLE,
    ),
    kind(
        "membership",
        Network,
        Warning,
        "the clusterware's membership service (CSS) reports trouble with a node or a voting file",
        &[
            "The line names which; then the private network, the voting files' disks and the CPU of that node at that time",
        ],
        ORACLE,
    ),
    kind(
        "redo-file",
        Storage,
        Critical,
        "a redo log cannot be used: its file does not fit the control file, or cannot be read",
        &[
            "The lines around it name group and file: is it the right one (a restored or copied file), and is its device there? Do not clear an unarchived log before a backup",
        ],
        ORACLE,
    ),
];
