//! The kinds of ceiling: public API like the codes of findings, for a headline may name one.

use fullwire_model::assessment::Mechanism;

/// What a ceiling is computed from, and so how much it can say of a figure that comes near it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Speeds, sizes, settings: other things than the figure.
    Facts,
    /// The latency of the very measurement, or the pace set for it: says how it is limited, not by what.
    Latency,
    /// The device's own latency in the measurement: the same, and an estimate of what more load would give.
    DeviceLatency,
    /// What fullwire itself can issue: no property of the path.
    Generator,
}

/// One kind of ceiling.
pub struct Kind {
    /// Stable, unique, kebab-case.
    pub name: &'static str,
    /// How a figure at this ceiling is limited.
    pub mechanism: Mechanism,
    /// What it is computed from.
    pub basis: Basis,
    /// One line.
    pub title: &'static str,
    /// What it is, what reaching it means, what lifts it.
    pub text: &'static str,
}

/// The user says that the path carries this.
pub(crate) fn is_declared(kind: &str) -> bool {
    ["declared", "declared-disk"].contains(&kind)
}

/// Every kind that [`super::ceilings`] makes, by name.
pub const KINDS: [Kind; 30] = [
    Kind {
        name: "adapter-queue",
        mechanism: Mechanism::QueueDepth,
        basis: Basis::Facts,
        title: "the commands that the storage adapters accept at a time",
        text: "Commands that each adapter takes for all its disks together (`can_queue`, of an iSCSI session \
               `node.session.cmds_max`), divided by the latency of one (Little's law). An estimate.",
    },
    Kind {
        name: "asked-rate",
        mechanism: Mechanism::Paced,
        basis: Basis::Latency,
        title: "the rate set for the test",
        text: "The load was limited to `--rate`. Leave out the option to see what the path can carry.",
    },
    Kind {
        name: "bond-goodput",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the payload that the carrying links of a bond can take",
        text: "Links that the flows of the test can reach, times the speed of a link, less headers. What an \
               end sends is spread by its own mode and hash policy; what it receives by the switch and the \
               other end, so that all carrying links count, as an estimate. One stream never gets more than \
               one link, except with balance-rr. More links, a hash policy that includes ports with several \
               streams, or faster links lift it.",
    },
    Kind {
        name: "cloud-flow",
        mechanism: Mechanism::PathRate,
        basis: Basis::Facts,
        title: "the limit of the cloud for one flow",
        text: "Amazon EC2 lets one flow have 5 Gbit/s, 10 within a cluster placement group, 25 with ENA \
               Express (EC2 User Guide, instance network bandwidth). The instance does not report which applies: the lowest that was not exceeded is shown. Several streams raise it.",
    },
    Kind {
        name: "declared",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the rate that you gave with --expect",
        text: "The declared rate of the line less packet headers. It replaces what the interface claims.",
    },
    Kind {
        name: "declared-disk",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "what you gave with --expect-disk",
        text: "The I/Os or bytes per second for which the volume or the instance is provisioned. Cloud volumes, instances and arrays with a service level have such a limit, and no file on the host shows it.",
    },
    Kind {
        name: "device-latency",
        mechanism: Mechanism::DeviceLatency,
        basis: Basis::DeviceLatency,
        title: "what the device can do at the latency that it reports",
        text: "Requests in flight divided by the time of one in the device (Little's law), from the kernel's counters of \
               the step. An estimate: under more load the device may take longer.",
    },
    Kind {
        name: "durable-write",
        mechanism: Mechanism::Flush,
        basis: Basis::Latency,
        title: "durable writes that one log writer can make",
        text: "One durable write after the other: 1 divided by the time of a write with its flush. A device with a \
               protected write cache, or several commits in one write, lift it.",
    },
    Kind {
        name: "fc-link",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the Fibre Channel ports that lead to the disks",
        text: "The sum of the negotiated speeds of the host ports, 100 MB/s for each Gbit/s. The ports of the \
               array may be slower; for writes it is only an estimate, since the array may accept less than the link carries.",
    },
    Kind {
        name: "generator",
        mechanism: Mechanism::CpuBusy,
        basis: Basis::Generator,
        title: "what fullwire itself can issue on this host",
        text: "I/Os per second against a null target, times the threads. At this rate the tool is the limit, not the \
               storage: use more threads.",
    },
    Kind {
        name: "io-max",
        mechanism: Mechanism::IoLimit,
        basis: Basis::Facts,
        title: "an I/O limit of a control group",
        text: "The kernel delays requests of the group beyond `io.max`. Raise the limit of the group (systemd: IOReadIOPSMax=, IOReadBandwidthMax= and similar).",
    },
    Kind {
        name: "iscsi-goodput",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the interfaces that lead to the iSCSI portals",
        text: "Interface speed less Ethernet, IP, TCP and iSCSI headers, for each session's way.",
    },
    Kind {
        name: "nfs-goodput",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the interface that leads to the NFS server",
        text: "Interface speed less Ethernet, IP, TCP and RPC headers, for as many links as the connections can reach.",
    },
    Kind {
        name: "nfs-slots",
        mechanism: Mechanism::QueueDepth,
        basis: Basis::Facts,
        title: "the calls that the NFS client keeps in flight",
        text: "Slots of a version 4.1 session (64 by default), or `sunrpc.tcp_max_slot_table_entries` for each \
               connection of a version 3 mount, less the calls that one I/O takes, divided by the latency of one (Little's law). An estimate.",
    },
    Kind {
        name: "nic-goodput",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the payload that the interface can carry",
        text: "Interface speed times payload over all bytes of a frame. Reaching 90 % of it is full wire. A larger MTU \
               lifts it by a few per cent, a faster interface by more.",
    },
    Kind {
        name: "nvme-of-goodput",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the interfaces that lead to the NVMe over fabrics target",
        text: "Interface speed less Ethernet, IP, TCP and NVMe headers.",
    },
    Kind {
        name: "one-cpu",
        mechanism: Mechanism::CpuBusy,
        basis: Basis::Facts,
        title: "one CPU, used up by the busiest thread of the test",
        text: "The measured rate scaled to all of the CPU that the busiest thread used. An estimate: at this rate one \
               CPU is the limit. Several streams, offloads, larger packets or a faster CPU lift it.",
    },
    Kind {
        name: "one-in-flight",
        mechanism: Mechanism::Paced,
        basis: Basis::Latency,
        title: "one message in flight at a time",
        text: "Each message waits for its acknowledgement: length divided by latency. It is the nature of a \
               synchronous commit; a shorter round trip or more messages in flight lift it.",
    },
    Kind {
        name: "pcie-link",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the PCI Express slot",
        text: "Lanes times transfers, less line code and the headers of packets (payload of a packet as the \
               device is set, otherwise 256 bytes). It bounds what any device in this slot can transfer and says nothing about the medium, so a lower figure is not a shortfall. Ports of one card share its slot. A virtual machine sees emulated slots.",
    },
    Kind {
        name: "qdisc-rate",
        mechanism: Mechanism::OwnShaper,
        basis: Basis::Facts,
        title: "a queueing discipline that sets a rate",
        text: "A tbf, htb or netem discipline on the sender's interface shapes what leaves. `tc qdisc show` names it.",
    },
    Kind {
        name: "queue-depth",
        mechanism: Mechanism::QueueDepth,
        basis: Basis::Facts,
        title: "the queue depth of the disks",
        text: "Requests that the disks accept at a time, divided by the latency of one (Little's law). An estimate.",
    },
    Kind {
        name: "request-size",
        mechanism: Mechanism::RequestSize,
        basis: Basis::Facts,
        title: "the largest request of the stack",
        text: "The largest request that a queue of the stack makes, times the requests per second that were seen.",
    },
    Kind {
        name: "request-slots",
        mechanism: Mechanism::QueueDepth,
        basis: Basis::Facts,
        title: "the requests that virtio or NVMe devices accept at a time",
        text: "Requests of each hardware queue (`nr_requests`, of NVMe no more than the slots of a queue) \
               times the queues that the threads can use, divided by the latency of one (Little's law). An estimate.",
    },
    Kind {
        name: "route-cwnd-lock",
        mechanism: Mechanism::RouteWindow,
        basis: Basis::Facts,
        title: "a congestion window that a route locks",
        text: "Locked segments for each round trip (`ip route` with `cwnd lock`). Remove the lock from the \
               route.",
    },
    Kind {
        name: "route-window-clamp",
        mechanism: Mechanism::RouteWindow,
        basis: Basis::Facts,
        title: "a window that a route of the receiver clamps",
        text: "The clamp for each round trip (`ip route` with `window`); a small clamp yields a window a few times larger. Remove it from the route.",
    },
    Kind {
        name: "serial-lane",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the SAS or SATA lanes to the disks",
        text: "Line rate less 8b/10b code, for each disk. A rotating disk does not fill its lane.",
    },
    Kind {
        name: "spindles",
        mechanism: Mechanism::Wire,
        basis: Basis::Facts,
        title: "the random I/Os of rotating disks",
        text: "Disks divided by half a turn, a seek and 1 ms, and by the disk operations that a write of the \
               RAID level takes. It assumes the fastest disks made and no more I/Os in flight than disks. An \
               estimate.",
    },
    Kind {
        name: "tcp-send-window",
        mechanism: Mechanism::SendBuffer,
        basis: Basis::Facts,
        title: "the sender's largest buffer over the round trip",
        text: "What is sent stays in the buffer until it is acknowledged. The third value of \
               `net.ipv4.tcp_wmem` at the sender sets the largest buffer; about half of it is data, the rest \
               the kernel's bookkeeping. An estimate.",
    },
    Kind {
        name: "tcp-window",
        mechanism: Mechanism::ReceiveWindow,
        basis: Basis::Facts,
        title: "the receiver's largest window over the round trip",
        text: "At most one window can be sent per round trip. The third value of `net.ipv4.tcp_rmem` at \
               the receiver sets the largest buffer, of which the kernel offers about half as window \
               (`net.ipv4.tcp_adv_win_scale`). An estimate.",
    },
    Kind {
        name: "unscaled-window",
        mechanism: Mechanism::UnscaledWindow,
        basis: Basis::Facts,
        title: "64 KiB per round trip, because windows are not scaled",
        text: "Without RFC 7323 window scaling no window exceeds 65,535 bytes. `net.ipv4.tcp_window_scaling` must be 1 \
               at both ends.",
    },
];

/// The kind of a name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_unique() {
        assert!(KINDS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
