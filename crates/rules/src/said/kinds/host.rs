//! The network of the host, and the host itself.

use super::super::Entry;
use super::kind;
use fullwire_model::assessment::Layer::{Host, Network};
use fullwire_model::assessment::Severity::{Critical, Info, Warning};

pub(super) const LINES: &[Entry] = &[
    kind(
        "bond-member",
        (
            &["bond0", "bond1", "bond", "bonding", "team"],
            &["failed to get link speed", "same permanent hwaddr", "carrier down", "is now down"],
        ),
        (Network, Warning),
        "a member of a bond has no link, or its speed or address does not fit: the bond carries less than it could",
        &["`cat /proc/net/bonding/*`: which member; its cable, transceiver and switch port"],
        "Linux drivers/net/bonding/bond_main.c",
    ),
    kind(
        "vrrp-fault",
        (&["keepalived", "keepalived_vrrp"], &["fault state", "timeout", "failed"]),
        (Network, Warning),
        "keepalived gave its shared address up: an interface or its own check failed",
        &["The lines before it: which interface lost its link, or which check failed and why"],
        "keepalived.conf(5), track_interface and track_script",
    ),
    kind(
        "orphaned-sockets",
        (&["tcp"], &["orphaned sockets"]),
        (Network, Warning),
        "too many closed connections wait for their last answers: clients disappear, or a proxy drops them, and new ones are reset",
        &["`ss -s` and `ss -tan state fin-wait-1`: which peers; then net.ipv4.tcp_max_orphans"],
        "Linux net/ipv4/tcp.c (tcp_check_oom)",
    ),
    kind(
        "network-loop",
        (&[], &["own address as source", "loopback frame", "loopback packet"]),
        (Network, Warning),
        "frames of this host come back to it: a loop in the network, or two ports of a bond that the switch takes for separate ones",
        &[
            "The switch: one port channel for the members of the bond, spanning tree; is the address used twice?",
        ],
        "Linux net/bridge/br_fdb.c",
    ),
    kind(
        "martian",
        (&[], &["martian source"]),
        (Network, Info),
        "packets arrive on an interface that the routes do not expect them on",
        &["`ip route get SOURCE`: asymmetric routes, two interfaces in one subnet, or a wrong mask"],
        "Linux net/ipv4/route.c (log_martians)",
    ),
    kind(
        "gro-suspect",
        (&[], &["suspect gro", "driver has suspect"]),
        (Network, Info),
        "TCP found that the driver merges packets wrongly (GRO): it acknowledges too little, and transfers are slow",
        &["`ethtool -K DEVICE gro off` (and lro off) as a test; then another version of the driver"],
        "Linux net/ipv4/tcp_input.c (tcp_gro_dev_warn)",
    ),
    kind(
        "dma-buffer-full",
        (&["swiotlb"], &["full"]),
        (Host, Warning),
        "the kernel's bounce buffers for DMA are full (swiotlb): I/O of adapters fails or waits",
        &[
            "An encrypted guest or an old adapter needs them: a larger swiotlb= at boot, or an IOMMU that is on",
        ],
        "Linux kernel/dma/swiotlb.c",
    ),
    kind(
        "rdma-queue",
        (&["rdma_rxe", "qp", "ib0", "ib1", "ib_core"], &["error state", "transmit timeout", "queue stopped"]),
        (Network, Warning),
        "an RDMA or InfiniBand queue stopped after an error: what used it must connect again",
        &["Link and counters of the port (`rdma statistic`, symbol errors, congestion) at that time"],
        "Linux drivers/infiniband",
    ),
    kind(
        "memory-module-fails",
        (&["mcelog", "corrected dimm"], &["exceeded threshold"]),
        (Host, Warning),
        "a memory module corrects more errors than mcelog lets pass: it is about to fail",
        &[
            "Which module and how many (the management controller's log, `ras-mc-ctl --error-count`); plan its exchange",
        ],
        "mcelog(8)",
    ),
    kind(
        "memory-module",
        (&["mcelog", "mca", "rasdaemon", "mc_event"], &["corrected", "error"]),
        (Host, Info),
        "a memory module corrects errors: one now and then is usual, many of one module announce its failure",
        &["Which module and how many (`ras-mc-ctl --error-count`); exchange it when they grow"],
        "mcelog(8), rasdaemon(1)",
    ),
    kind(
        "cmci-storm",
        (&["mce"], &["cmci storm"]),
        (Host, Warning),
        "a CPU or memory module corrects so many errors that the kernel stopped counting each: it is about to fail",
        &["Which module (`ras-mc-ctl --errors`, the management controller's log); plan its exchange"],
        "Linux arch/x86/kernel/cpu/mce/intel.c",
    ),
    kind(
        "memory-page-lost",
        (&["memory failure"], &["recovery action", "poisoned"]),
        (Host, Warning),
        "a page of memory cannot be read any more and was taken out of use; where that failed, a process was killed",
        &["Which module (the management controller's log); exchange it"],
        "Linux mm/memory-failure.c",
    ),
    kind(
        "nmi",
        (&[], &["nmi received for unknown reason", "dazed and confused"]),
        (Host, Warning),
        "the hardware raised an interrupt of highest priority (NMI) that no driver explains: a fault on the bus, or the management controller's button",
        &["The management controller's log (`ipmitool sel list`) at that time"],
        "Linux arch/x86/kernel/nmi.c",
    ),
    kind(
        "pcie-containment",
        (&["pcieport"], &["containment event", "dpc:"]),
        (Host, Critical),
        "a PCIe port cut its device off after an error: a disk or an adapter is gone until it is reset",
        &["Which device is below that port (lspci -t); reseat it, then its firmware and the slot's power"],
        "Linux drivers/pci/pcie/dpc.c",
    ),
    kind(
        "pcie-device-lost",
        (&["pcieport", "pciehp"], &["link down", "card not present"]),
        (Host, Info),
        "a PCIe slot lost its device: it was pulled, a volume of a cloud was detached, or a disk or adapter is gone",
        &[
            "Was it on purpose? Else which device was in that slot (lspci before and after), its seat, power and firmware",
        ],
        "Linux drivers/pci/hotplug",
    ),
    kind(
        "huge-pages-not-got",
        (&["hugetlb"], &["failed", "only allocated"]),
        (Host, Warning),
        "the kernel found fewer huge pages than were requested: memory is in pieces, or too small",
        &[
            "Ask for them at boot (hugepages= on the kernel's command line, or a restart of the host before the databases)",
        ],
        "Linux mm/hugetlb.c",
    ),
    kind(
        "clock-lost",
        (
            &["tsc", "clocksource", "vmtoolsd", "hv_utils"],
            &[
                "unstable",
                "clock behind",
                "time jump",
                "switched to clocksource hpet",
                "switched to clocksource acpi_pm",
            ],
        ),
        (Host, Warning),
        "the kernel gave up the fast clock of the CPU, or the clock was set from outside: reading the time costs a system call, and time jumps",
        &[
            "`cat /sys/devices/system/clocksource/clocksource0/current_clocksource`; firmware or hypervisor; `chronyc tracking`",
        ],
        "Linux kernel/time/clocksource.c",
    ),
    kind(
        "oom-reaped",
        (&["oom_reaper"], &["reaped process"]),
        (Host, Critical),
        "memory ran out, and the kernel killed a process",
        &["Compare what the databases may use with the memory of the host, and of its control group"],
        "Linux mm/oom_kill.c",
    ),
    kind(
        "unit-killed",
        (&[], &["status=9/kill"]),
        (Host, Warning),
        "a service was killed (signal 9), as the kernel does when memory runs out, or someone by hand",
        &["The kernel's log at that time for the OOM killer; the unit's MemoryMax="],
        "systemd.service(5); signal(7)",
    ),
    kind(
        "unit-restarts",
        (&[], &["start request repeated too quickly", "start operation timed out"]),
        (Host, Warning),
        "a service did not start, and systemd gave up",
        &[
            "Why is in its own log just before (`journalctl -u UNIT`); recovery after a crash may take longer than TimeoutStartSec",
        ],
        "systemd.unit(5), StartLimitBurst",
    ),
    kind(
        "access-denied",
        (&["selinux", "apparmor", "avc"], &["preventing", "denied"]),
        (Host, Warning),
        "SELinux or AppArmor refused a program access to a file: to the program it looks like a missing permission",
        &[
            "`ausearch -m avc -ts recent` or the line: which path? Label a new data directory (semanage fcontext, restorecon), or name it in the profile; do not turn the protection off",
        ],
        "selinux(8), restorecon(8); apparmor.d(5)",
    ),
    kind(
        "freeze",
        (&["vmtoolsd", "qemu-ga"], &["freezing", "fsfreeze failed", "vmbackup"]),
        (Host, Warning),
        "a snapshot of this guest could not freeze its file systems, or held them frozen: writes wait meanwhile, and the backup may not be consistent",
        &[
            "The backup's time against that of the complaint; the scripts that freeze the database; run it at a quiet hour",
        ],
        "QEMU guest agent, guest-fsfreeze-freeze; VMware Tools, quiesced snapshots",
    ),
    kind(
        "power-supply",
        (&["ipmievd", "power supply"], &["lost", "fail"]),
        (Host, Warning),
        "a power supply of the host failed or has no current",
        &["The management controller's log (`ipmitool sel list`); the supply and its feed"],
        "IPMI specification, sensor types",
    ),
];
