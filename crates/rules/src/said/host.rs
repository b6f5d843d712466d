//! Tasks that hang, and what they wait for; lines of a healthy host that hold words of trouble.

use super::{EMPTY, Entry};
use fullwire_model::assessment::Severity::Critical;

const HUNG: &str = "Linux kernel/hung_task.c; the innermost function of the stack that it prints";

const fn hung(
    name: &'static str,
    any: &'static [&'static str],
    says: &'static str,
    why: &'static str,
    lasting: &'static [&'static str],
) -> Entry {
    Entry {
        name,
        all: &["blocked for more than"],
        any,
        severity: Some(Critical),
        says,
        why,
        now: &["`iostat -x 1` and the lines of the kernel's log before it: which device did not answer"],
        lasting,
        source: HUNG,
        ..EMPTY
    }
}

pub(super) const TASKS: &[Entry] = &[
    hung(
        "hung-nfs",
        &["rpc_wait_bit", "nfs_", "nfs4_", "rpc_"],
        "is a task that hangs on an NFS server",
        "A hard mount waits until the server answers.",
        &["Mend the server or the network to it; the task goes on by itself"],
    ),
    hung(
        "hung-flush",
        &[
            "blkdev_issue_flush",
            "submit_bio_wait",
            "vfs_fsync",
            "ext4_sync_file",
            "xfs_file_fsync",
            "file_write_and_wait",
            "do_fsync",
        ],
        "is a task that hangs in fsync: the device does not finish a flush",
        "A commit waits for the flush of the device's cache.",
        &[
            "Mend the device or the array that does not finish flushes; a mass of dirty pages before it makes each fsync longer (vm.dirty_background_bytes)",
        ],
    ),
    hung(
        "hung-journal",
        &["jbd2_", "xlog_", "xfs_log", "xfs_trans", "btrfs_commit"],
        "is a task that hangs on the journal of its file system",
        "Every change of metadata waits for the journal, and that for its device: one slow write there stops all.",
        &[
            "Mend the device below the file system; a journal on the same device as heavy writes waits with them",
        ],
    ),
    hung(
        "hung-device",
        &[
            "io_schedule",
            "blk_mq_",
            "wait_on_page",
            "wait_on_buffer",
            "folio_wait",
            "get_request",
            "rq_qos_wait",
            "bio_",
        ],
        "is a task that hangs on I/O of a block device",
        "A read or write has not come back for minutes.",
        &["Mend the disk, path or array that did not answer"],
    ),
];

/// What a healthy host prints while it boots.
pub(super) const AT_BOOT: &[Entry] = &[Entry {
    name: "boot-report",
    any: &[
        "errors=",
        "error handling",
        "error recovery",
        "correctable errors collector",
        "error record serialization",
        "error injection",
        "no error",
        "ACPI ",
        "ACPI:",
        "tpm",
        "i8042",
        "regulatory",
        "firmware bug",
        "[firmware",
        "firmware: failed to load",
        "direct firmware load",
        "platform microcode",
        "can't claim bar",
        "bar ",
        "usb ",
        "usbcore",
        "xhci",
        "vmw_vmci",
        "drm",
        "snd_",
        "bluetooth",
        "resource sanity check",
        "kvm: disabled",
        "kvm_",
        "mitigation",
        "spectre",
        "x86/",
        "pmu",
        "perf:",
        "perf interrupt",
        "taint",
        "unsafe",
        "deprecated",
        "integrity: problem loading",
        "reset-",
        "power_meter",
        "ipmi",
        "pnp",
        "hogged cpu for",
        "systemd-",
        "vboxguest",
        "watchdog: delay",
        "pci_bus",
        "floppy",
    ],
    source: "what kernels print about firmware, buses and hardware without I/O while a host boots",
    ..EMPTY
}];
