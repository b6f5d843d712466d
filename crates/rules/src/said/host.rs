//! Tasks that hang, and what they wait for; lines of a healthy host that hold words of trouble.

use super::Entry;

/// A hung task in whose stack one of these functions is.
#[rustfmt::skip]
const HUNG: Entry = entry! { Storage Critical, all: &["blocked for more than"],
    source: "Linux kernel/hung_task.c; the functions of the stack that it prints",
    now: "`iostat -x 1` and the lines of the kernel's log before it: which device did not answer" };

/// Functions below which a task waits for a request to a block device.
#[rustfmt::skip]
const OF_DEVICE: &[&str] = &[
    "io_schedule", "blk_mq_", "blk_execute_rq", "wait_on_page", "wait_on_buffer", "folio_wait", "submit_bio_wait",
    "bio_", "blkdev_",
];

/// What the task waits for: what serves its storage first, then the part of the kernel, and the device where nothing else is
/// known.
#[rustfmt::skip]
pub(super) const TASKS: &[Entry] = &[
    entry! { name: "hung-nfs", any: &["rpc_wait_bit", "nfs_", "nfs3_", "nfs4_", "rpc_"],
        says: "{task} hangs: it waits for an NFS server",
        why: "A hard mount waits until the server answers.",
        lasting: "Fix the server or the network to it; the task goes on by itself", ..HUNG },
    entry! { name: "hung-served", any: &["ceph_", "rbd_", "drbd_", "ocfs2_", "gfs2_", "dlm_", "fuse_",
        "request_wait_answer", "cifs_", "smb2_"],
        says: "{task} hangs: it waits for storage that other hosts or a program serve (Ceph, DRBD, a cluster's file system, SMB, FUSE)",
        why: "Its requests wait until the other side answers, or until the cluster has decided who may write.",
        lasting: "Fix what serves it, or the network to it; the task goes on by itself", ..HUNG },
    entry! { name: "hung-scanner", any: &["fanotify_"],
        says: "{task} hangs: it waits for a scanner of files (an antivirus agent) that is asked before each open",
        why: "The kernel lets nobody open the file until the agent has answered (fanotify).",
        lasting: "See which agent runs, and exclude the database's directories from it; the files' disk is not at fault", ..HUNG },
    entry! { name: "hung-cache", any: &["bch_", "[bcache]", "cached_dev_", "dmcache", "dm_cache"],
        says: "{task} hangs: it waits for the cache device of a volume (bcache, dm-cache)",
        why: "Requests wait for the cache's own journal and metadata, and those for its device.",
        lasting: "Look at the cache's device first, then at the volume behind it", ..HUNG },
    entry! { name: "hung-zfs",
        any: &["txg_sync", "txg_wait", "zil_commit", "zio_wait", "dmu_tx_wait", "cv_wait_common"],
        says: "{task} hangs: it waits for its ZFS pool",
        why: "A transaction group is written as a whole: one device of the pool that does not answer holds up every write.",
        lasting: "`zpool status -v` and `zpool iostat -v 1`: fix the device that does not answer", ..HUNG },
    entry! { name: "hung-frozen", any: &["sb_start_write", "percpu_rwsem_wait", "freeze_super", "vfs_freeze"],
        says: "{task} hangs: its file system is frozen, as a backup's snapshot leaves it",
        why: "Nothing can be written until whoever froze it thaws it.",
        lasting: "See which backup or snapshot agent runs; `fsfreeze -u` thaws it where that agent has died", ..HUNG },
    entry! { name: "hung-mapper", any: &["dm_wait_for", "dm_suspend", "__dm_suspend", "multipath_"],
        says: "{task} hangs: it waits for a device-mapper device that is suspended or has no path",
        why: "A suspended device keeps its requests until it is resumed; a multipath map that queues keeps them until a path is back.",
        lasting: "`dmsetup info` (State: SUSPENDED) and `multipath -ll`: bring back the paths, or finish what suspended it", ..HUNG },
    entry! { name: "hung-md", any: &["md_super_wait", "md_write_start", "md_handle_request", "md_do_sync",
        "raise_barrier", "wait_barrier", "raid5_", "raid1_", "raid10_"],
        says: "{task} hangs: it waits for an md array, for one of its members or for the resync that runs",
        why: "A write waits for each member, and for the stretch that is being resynchronised.",
        lasting: "`cat /proc/mdstat`, and iostat -x of the members: one that is busy alone is at fault; sync_speed_max slows a resync", ..HUNG },
    entry! { name: "hung-memory", any: &["shrink_", "try_to_free_", "direct_reclaim", "congestion_wait",
        "reclaim_throttle", "mem_cgroup_", "swap_readpage"],
        says: "{task} hangs: it waits for memory that the kernel has to free first",
        why: "Memory is freed by writing or swapping pages out: both wait for a disk.",
        lasting: "Let the databases use less memory, or give the host or the control group more", ..HUNG },
    entry! { name: "hung-dirty", any: &["balance_dirty_pages"],
        says: "{task} hangs: the kernel holds up its writes until dirty pages are on the disk",
        why: "More is written than the device takes; from vm.dirty_bytes on each writer waits for it.",
        lasting: "Fix or relieve the device; smaller vm.dirty_background_bytes begins earlier to write", ..HUNG },
    entry! { name: "hung-queue", any: &["blk_mq_get_tag", "bt_get", "get_request", "blk_queue_enter", "rq_qos_wait",
        "scsi_block_when"],
        says: "{task} hangs: it waits for a free place in the queue of a block device that does not finish its requests",
        why: "All places are taken by requests that have not come back.",
        lasting: "Fix the disk, path or array that did not answer", ..HUNG },
    // The innermost function: whatever is further out waits for the lock.
    entry! { Warning, name: "hung-lock", any: &["[waits in rwsem_down", "[waits in call_rwsem_down",
        "[waits in down_", "[waits in __mutex_lock", "[waits in mutex_lock"],
        says: "{task} hangs: it waits for a lock that another task holds, which hangs itself",
        why: "The lock of a file, a directory or a file system is held while its holder waits for the storage.",
        lasting: "Fix what the holder waits for: of the other tasks that hang at the same time, the one that waits for no lock", ..HUNG },
    entry! { name: "hung-journal", any: &["jbd2_", "jbd2/", "do_get_write_access", "xlog_", "xfs_log", "xfs_trans",
        "xfsaild", "btrfs_commit"],
        says: "{task} hangs: the journal of its file system waits for the disk",
        why: "Every change of metadata waits for the journal, and that for its device: one slow write there stops all.",
        lasting: "Fix the device below the file system; a journal on the same device as heavy writes waits with them", ..HUNG },
    entry! { name: "hung-flush", any: &["blkdev_issue_flush", "vfs_fsync", "ext4_sync_file", "xfs_file_fsync",
        "file_write_and_wait", "do_fsync"],
        says: "{task} hangs in fsync: the device does not finish a flush",
        why: "A commit waits for the flush of the device's cache.",
        lasting: "Fix the device or the array that does not finish flushes; a mass of dirty pages before it makes each fsync longer (vm.dirty_background_bytes)", ..HUNG },
    entry! { name: "hung-nfs", any: OF_DEVICE, beside: &["not responding, still trying"],
        says: "{task} hangs while an NFS server does not respond: usually it waits for that",
        why: "A hard mount waits until the server answers.",
        lasting: "Fix the server or the network to it; the task goes on by itself", ..HUNG },
    entry! { name: "hung-paths", any: OF_DEVICE, beside: &["remaining active paths: 0", "queue_if_no_path",
        "no usable path", "no path left"],
        says: "{task} hangs: its multipath map has no path left and queues its requests",
        why: "With queue_if_no_path requests wait until a path is back.",
        lasting: "Bring the paths back: HBA, switch, array; the requests then go on by themselves", ..HUNG },
    entry! { Host Critical, name: "hung-compaction", any: &["compact_zone", "migrate_pages", "try_to_compact"],
        says: "{task} hangs: it moves pages of memory together (compaction) and waits for one that is in use",
        why: "Huge pages and large buffers of drivers need memory that lies together.",
        now: "/proc/buddyinfo and /proc/vmstat (compact_*): how broken up memory is, and how much is free",
        lasting: "Reserve the database's huge pages at boot; turn off transparent ones (transparent_hugepage=never)", ..HUNG },
    entry! { name: "hung-device", any: OF_DEVICE,
        says: "{task} hangs: a block device has not finished its request for minutes",
        why: "A read or write has not come back for minutes.",
        lasting: "Fix the disk, path or array that did not answer", ..HUNG },
];

/// One whose stack is not there or names nothing of these, in a piece of a log: in a host's own log its rule has more to say.
#[rustfmt::skip]
pub(super) const OTHERS: &[Entry] = &[
    entry! { Host Critical, name: "kernel-oops", any: &["bug: kernel null pointer", "bug: unable to handle",
        "unable to handle kernel", "kernel bug at", "oops: 0", "general protection fault"],
        source: "Linux Documentation/admin-guide/bug-hunting.rst",
        says: "the kernel met an error of its own (oops): what ran there was ended, and its locks may be held for ever",
        why: "What follows in the log, hung tasks or I/O that does not end, may come from it.",
        now: "Restart the host at the next opportunity, and give the lines below it (RIP, Call Trace) to the vendor",
        lasting: "An update of the kernel, or of the driver whose functions are in the trace" },
    entry! { Host Critical, name: "hung-elsewhere", any: &["[waits in"],
        says: "{task} hangs: it has waited for {s}, and its stack does not say that it is for storage",
        why: "Each task that waits without a signal ending it is reported, whatever it waits for.",
        now: "A module among the functions of its stack names the part: graphics, crypto, the network's configuration (rtnl). A lock is held by another task: see the other reports of that time, or `echo w > /proc/sysrq-trigger`", ..HUNG },
    entry! { name: "hung-task", any: &["seconds", "the limit"],
        says: "{task} hangs: it has waited for {s}, usually for storage that does not answer",
        why: "A task that waits without a signal ending it waits for a device or a server.",
        lasting: "Look in the Call Trace below the line what it waits for, and fix the device or server that did not answer at that time", ..HUNG },
];

/// What a healthy host prints while it boots.
#[rustfmt::skip]
pub(super) const AT_BOOT: &[Entry] = &[
    entry! { name: "boot-report", any: &["errors=", "error handling", "error recovery",
        "correctable errors collector", "error record serialization", "error injection", "no error", "ACPI ", "ACPI:",
        "tpm", "i8042", "regulatory", "firmware bug", "[firmware", "firmware: failed to load", "direct firmware load",
        "platform microcode", "can't claim bar", "bar ", "usb ", "usbcore", "xhci", "vmw_vmci", "drm", "snd_",
        "bluetooth", "resource sanity check", "kvm: disabled", "kvm_", "mitigation", "spectre", "x86/", "pmu",
        "perf:", "perf interrupt", "taint", "unsafe", "deprecated", "integrity: problem loading", "reset-",
        "power_meter", "unable to find any system interface", "pnp", "hogged cpu for", "vboxguest", "watchdog: delay", "pci_bus",
        "floppy"], source: "what kernels print about firmware, buses and hardware without I/O while a host boots" },
];
