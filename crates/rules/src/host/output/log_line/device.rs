//! Disks, adapters, controllers, file systems, and the host itself: lines of the kernel, of drivers and of tools.

use super::{Entry, entry};
use fullwire_model::assessment::Layer::{Host, Storage};

pub(super) const LINES: &[Entry] = &[
    entry(
        &["current cache policy", "writethrough"],
        Storage,
        [
            "the RAID controller writes through its cache (WriteThrough): each commit waits for the disks themselves; without a charged battery or capacitor it does that by itself",
            "See the battery or capacitor first (storcli /cALL/bbu show, /cALL/cv show); set write back only with one that is healthy",
            "Broadcom StorCLI reference manual, cache policies",
        ],
    ),
    entry(
        &["cache status", "temporarily disabled"],
        Storage,
        [
            "the write cache of the RAID controller is disabled for the time being, as a rule because its battery or capacitor is not charged: each commit waits for the disks",
            "See the battery or capacitor (ssacli ctrl all show detail); it comes back by itself once that is charged",
            "HPE Smart Storage Administrator user guide, cache status",
        ],
    ),
    entry(
        &["cache status", "permanently disabled"],
        Storage,
        [
            "the write cache of the RAID controller is disabled for good: its module or battery failed, and each commit waits for the disks",
            "Exchange the cache module or its battery (ssacli ctrl all show detail tells which)",
            "HPE Smart Storage Administrator user guide, cache status",
        ],
    ),
    entry(
        &["battery/capacitor status", "failed"],
        Storage,
        [
            "the battery or capacitor of the RAID controller failed: it writes through, and each commit waits for the disks",
            "Exchange the battery or capacitor",
            "HPE Smart Storage Administrator user guide",
        ],
    ),
    entry(
        &["battery replacement required", "yes"],
        Storage,
        [
            "the battery of the RAID controller is worn out: it writes through, and each commit waits for the disks",
            "Exchange the battery",
            "Broadcom StorCLI reference manual, bbu",
        ],
    ),
    entry(
        &["write-caching", "0 (off)"],
        Storage,
        [
            "the write cache of this drive is off: each write waits for the medium",
            "That is right for a disk without protection against loss of power below a database; a drive with it (or a controller with a battery) may have it on",
            "hdparm(8), -W",
        ],
    ),
    entry(
        &["currently unreadable", "sectors"],
        Storage,
        [
            "SMART counts sectors that this disk cannot read: it is failing",
            "See that the data are safe elsewhere, then exchange this disk",
            "smartd(8), attribute 197",
        ],
    ),
    entry(
        &["offline uncorrectable sectors"],
        Storage,
        [
            "SMART counts sectors that this disk cannot read any more",
            "See that the data are safe elsewhere, then exchange this disk",
            "smartd(8), attribute 198",
        ],
    ),
    entry(
        &["self-assessment test result: failed"],
        Storage,
        [
            "the drive says itself that it is failing (SMART)",
            "See that the data are safe elsewhere, then exchange this drive",
            "smartctl(8), -H",
        ],
    ),
    entry(
        &["100% /"],
        Host,
        [
            "a file system is full: nothing can be written to it",
            "Make room on it, then find what filled it",
            "df(1)",
        ],
    ),
    entry(
        &["99% /"],
        Host,
        ["a file system is nearly full", "Make room on it, then find what fills it", "df(1)"],
    ),
    entry(
        &["failed command: flush cache"],
        Storage,
        [
            "the drive did not finish a cache flush within 30 s: every commit waited for it",
            "Read SMART and the firmware's release (smartctl -x); update the drive's firmware; boot once with libata.force=noncq to see whether queued commands are the cause. SErr 0x0 beside it says that the link is clean",
            "Linux drivers/ata/libata-eh.c; ATA-8 ACS, FLUSH CACHE EXT",
        ],
    ),
    entry(
        &["failed command:", "fpdma queued"],
        Storage,
        [
            "a queued read or write of the drive timed out or failed, and its link was reset",
            "Read the drive's own error log (smartctl -l error, -x): UNC there is the medium, ICRC is the link. Boot once with libata.force=noncq as a test",
            "Linux drivers/ata/libata-eh.c",
        ],
    ),
    entry(
        &["failed command:", "ata"],
        Storage,
        [
            "a command to the drive failed or timed out",
            "Read the drive's own error log (smartctl -l error, -x) before anything else",
            "Linux drivers/ata/libata-eh.c",
        ],
    ),
    entry(
        &["serror:", "badcrc"],
        Storage,
        [
            "data were damaged between the drive and the host (CRC)",
            "Reseat or exchange the cable or backplane slot of this drive; the medium itself is not at fault",
            "Linux drivers/ata/libata-eh.c (SError bits); SMART attribute 199",
        ],
    ),
    entry(
        &["flush 0xea"],
        Storage,
        [
            "the kernel repeats a cache flush that the drive did not finish",
            "Read SMART and the firmware's release (smartctl -x)",
            "Linux drivers/ata/libata-eh.c",
        ],
    ),
    entry(
        &["nvme", "controller is down; will reset"],
        Storage,
        [
            "the NVMe controller stopped answering and was reset; where CSTS is 0xffffffff it had left the bus",
            "A power saving state (APST of the drive, ASPM of the link) that it does not wake from is the usual cause: boot with nvme_core.default_ps_max_latency_us=0 and pcie_aspm=off, and update its firmware",
            "Linux drivers/nvme/host/pci.c (nvme_warn_reset)",
        ],
    ),
    entry(
        &["faulty power saving mode"],
        Storage,
        [
            "the kernel suspects a power saving mode of this device",
            "Boot with nvme_core.default_ps_max_latency_us=0 and pcie_aspm=off; update its firmware",
            "Linux drivers/nvme/host/pci.c (nvme_warn_reset)",
        ],
    ),
    entry(
        &["nvme_core.default_ps_max_latency_us=0"],
        Storage,
        [
            "the kernel suspects a power saving mode of this device",
            "Boot with nvme_core.default_ps_max_latency_us=0 and pcie_aspm=off; update its firmware",
            "Linux drivers/nvme/host/pci.c (nvme_warn_reset)",
        ],
    ),
    entry(
        &["nvme", "timeout, completion polled"],
        Storage,
        [
            "an interrupt of the NVMe device was lost: requests completed only when the kernel looked",
            "Update kernel and the device's firmware; on a virtual machine ask the provider",
            "Linux drivers/nvme/host/pci.c (nvme_timeout)",
        ],
    ),
    entry(
        &["nvme", "i/o", "timeout"],
        Storage,
        [
            "requests to the NVMe device were not answered within its time limit",
            "Look at the device's log (nvme smart-log, nvme error-log) and firmware; of a network volume at its provider or path; nvme_core.io_timeout decides how long is waited",
            "Linux drivers/nvme/host/pci.c (nvme_timeout)",
        ],
    ),
    entry(
        &["sense key : medium error"],
        Storage,
        [
            "this disk cannot read some of its sectors any more (medium error): it is failing, and each retry takes seconds",
            "Check it with smartctl -a; see that the data are safe elsewhere, then exchange this one disk",
            "SCSI Primary Commands 4 (sense key 3h); Linux drivers/scsi/sd.c",
        ],
    ),
    entry(
        &["unrecovered read error"],
        Storage,
        [
            "this disk cannot read some of its sectors any more (medium error)",
            "Check it with smartctl -a; see that the data are safe elsewhere, then exchange this one disk",
            "SCSI Primary Commands 4 (ASC 11h)",
        ],
    ),
    entry(
        &["critical medium error"],
        Storage,
        [
            "this disk cannot read or write some of its sectors (medium error): it is failing",
            "Check it with smartctl -a; see that the data are safe elsewhere, then exchange this one disk",
            "Linux block/blk-core.c (blk_errors)",
        ],
    ),
    entry(
        &["sense key : hardware error"],
        Storage,
        [
            "the disk or array reports a fault of its hardware",
            "Look at the array's or drive's own log for the code behind it",
            "SCSI Primary Commands 4 (sense key 4h)",
        ],
    ),
    entry(
        &["sense key : aborted command"],
        Storage,
        [
            "the target aborted a command; the kernel sends it again",
            "Look at the array's load and its log; errors of the transport (link, expander) do the same",
            "SCSI Primary Commands 4 (sense key Bh)",
        ],
    ),
    entry(
        &["critical target error"],
        Storage,
        [
            "the target refused a request",
            "Look at the array's own log at that time; a volume may be read-only, full (thin) or gone",
            "Linux block/blk-core.c (blk_errors)",
        ],
    ),
    entry(
        &["critical space allocation error"],
        Storage,
        [
            "the thin volume has no space left",
            "Add space to the array's pool; fstrim gives back what file systems no longer use",
            "Linux block/blk-core.c (blk_errors)",
        ],
    ),
    entry(
        &["sas", "fault_state("],
        Storage,
        [
            "the firmware of the SAS adapter stopped with a fault and the adapter was reset: all disks behind it stalled",
            "Update the adapter's firmware first; if it stops again with current firmware, suspect the adapter. The disks are not at fault",
            "Linux drivers/scsi/mpt3sas/mpt3sas_base.c (mpt3sas_base_fault_info)",
        ],
    ),
    entry(
        &["sas", "sending diag reset"],
        Storage,
        [
            "the SAS adapter was reset: all disks behind it stalled",
            "Update the adapter's firmware; look for the fault code in the line before",
            "Linux drivers/scsi/mpt3sas/mpt3sas_base.c",
        ],
    ),
    entry(
        &["megaraid", "fault"],
        Storage,
        [
            "the firmware of the RAID controller stopped with a fault",
            "Update its firmware and driver; give its log (storcli /cALL show events) to the vendor",
            "Linux drivers/scsi/megaraid/megaraid_sas_base.c",
        ],
    ),
    entry(
        &["buffer i/o error on"],
        Storage,
        [
            "reads or writes of this device failed",
            "The lines before name the cause: the medium, the path or the target",
            "Linux fs/buffer.c",
        ],
    ),
    entry(
        &["i/o error, dev"],
        Storage,
        [
            "reads or writes of this device failed",
            "The lines before name the cause: the medium, the path or the target",
            "Linux block/blk-core.c (blk_errors)",
        ],
    ),
    entry(
        &["lost async page write"],
        Storage,
        [
            "data that were written to the page cache could not be brought to this device: they are lost",
            "Find what failed below in the lines before; check the files and the database on it",
            "Linux fs/buffer.c",
        ],
    ),
    entry(
        &["synchronize cache", "failed"],
        Storage,
        ["a flush of this disk's cache failed", "Look at the path and the target", "Linux drivers/scsi/sd.c"],
    ),
    entry(
        &["ext4-fs error"],
        Storage,
        [
            "the file system is damaged or lost its device",
            "Look at the device first; then unmount and run fsck -f",
            "Linux fs/ext4/super.c",
        ],
    ),
    entry(
        &["remounting filesystem read-only"],
        Storage,
        [
            "the file system was set read-only after an error",
            "Look at the device first; then unmount and check it",
            "Linux fs/ext4/super.c",
        ],
    ),
    entry(
        &["xfs", "hutting down filesystem"],
        Storage,
        [
            "XFS shut the file system down after an error: nothing on it can be read or written",
            "Look at the device first; unmount, mount again to replay the log, and run xfs_repair only if that fails",
            "Linux fs/xfs/xfs_fsops.c",
        ],
    ),
    entry(
        &["xfs", "corruption"],
        Storage,
        [
            "XFS found damaged metadata",
            "Look at the device and memory first; unmount and run xfs_repair -n to see what is damaged",
            "Linux fs/xfs/xfs_error.c",
        ],
    ),
    entry(
        &["aborted journal"],
        Storage,
        [
            "the journal of a file system was aborted: it is read-only now",
            "Look at the device first; then unmount and check it",
            "Linux fs/jbd2/journal.c",
        ],
    ),
    entry(
        &["blocked for more than", "seconds"],
        Storage,
        [
            "a task has waited for more than two minutes, as a rule for storage that does not answer",
            "Look for the device or server that did not answer at that time",
            "Linux kernel/hung_task.c",
        ],
    ),
    entry(
        &["degradedarray"],
        Storage,
        [
            "a RAID of md runs without one of its disks",
            "Add a disk (mdadm --manage --add) after you have seen which one failed (mdadm --detail)",
            "mdadm(8), monitor mode",
        ],
    ),
    entry(
        &["md/raid", "disk failure"],
        Storage,
        [
            "md took a disk out of its RAID",
            "See which one (mdadm --detail) and why (smartctl -a); add another",
            "Linux drivers/md/raid1.c, raid5.c",
        ],
    ),
    entry(
        &["write policy", "write through"],
        Storage,
        [
            "the RAID controller writes through its cache, because its battery is in a learn cycle or not charged: each commit waits for the disks themselves",
            "It ends by itself once the battery is charged; schedule the learn cycle out of hours; only if it stays so, look at the battery (omreport storage battery, storcli /cALL/bbu show)",
            "Dell OpenManage Storage Management messages 2176 to 2278",
        ],
    ),
    entry(
        &["learn cycle"],
        Storage,
        [
            "the battery of the RAID controller runs its learn cycle: until it is charged again the controller writes through",
            "It ends by itself; schedule the cycle out of hours",
            "Dell OpenManage Storage Management messages 2176, 2248",
        ],
    ),
    entry(
        &["battery", "charge level"],
        Storage,
        [
            "the battery of the RAID controller is low: it writes through until it is charged",
            "It ends by itself after a learn cycle; if it stays so, the battery is worn out",
            "Dell OpenManage Storage Management message 2278",
        ],
    ),
    entry(
        &["battery is discharging"],
        Storage,
        [
            "the battery of the RAID controller is discharging: soon it writes through",
            "Within a learn cycle it ends by itself",
            "Dell OpenManage Storage Management message 2415",
        ],
    ),
    entry(
        &["virtual disk cache policy has changed"],
        Storage,
        [
            "the cache policy of a virtual disk changed: with write-through each commit waits for the disks; a battery that is not charged does that",
            "See the policy now (omreport storage vdisk, storcli /cALL/vALL show) and the battery's state",
            "Dell OpenManage Storage Management message 2199",
        ],
    ),
    entry(
        &["out of memory"],
        Host,
        [
            "the kernel killed a process because memory ran out",
            "Compare what the databases may use with the memory of the host",
            "Linux mm/oom_kill.c",
        ],
    ),
    entry(
        &["invoked oom-killer"],
        Host,
        [
            "memory ran out",
            "Compare what the databases may use with the memory of the host",
            "Linux mm/oom_kill.c",
        ],
    ),
    entry(
        &["page allocation failure"],
        Host,
        [
            "the kernel found no memory for a request of its own",
            "Leave more memory free (vm.min_free_kbytes)",
            "Linux mm/page_alloc.c (warn_alloc)",
        ],
    ),
    entry(
        &["soft lockup"],
        Host,
        [
            "a CPU ran in the kernel for {s} without a break",
            "Update kernel, drivers and firmware; on a guest look for CPU that the hypervisor did not give",
            "Linux kernel/watchdog.c",
        ],
    ),
    entry(
        &["rcu", "stall"],
        Host,
        [
            "a CPU did not get on for many seconds",
            "On a guest look for CPU that the hypervisor did not give; else update kernel and drivers",
            "Linux Documentation/RCU/stallwarn.rst",
        ],
    ),
    entry(
        &["machine check"],
        Host,
        [
            "the CPU or memory reported a hardware error",
            "Read which part (ras-mc-ctl --errors, mcelog); corrected ones are a warning, uncorrected ones a reason to exchange it",
            "Linux arch/x86/kernel/cpu/mce",
        ],
    ),
    entry(
        &["[hardware error]"],
        Host,
        [
            "firmware or CPU reported a hardware error",
            "Read which part (ras-mc-ctl --errors, mcelog)",
            "Linux drivers/firmware/efi/cper.c",
        ],
    ),
    entry(
        &["temperature above threshold"],
        Host,
        ["a CPU was too hot and clocked down", "Look at fans and air flow", "Linux arch/x86 therm_throt.c"],
    ),
    entry(
        &["marking clocksource", "unstable"],
        Host,
        [
            "the kernel gave up the fast clock of the CPU: reading the time now costs a system call",
            "Look at the firmware's settings, or on a guest at the hypervisor's; databases read the clock very often",
            "Linux kernel/time/clocksource.c",
        ],
    ),
];
