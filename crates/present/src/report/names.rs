//! What causes and ceilings are called in a sentence.

use fullwire_model::assessment::{Layer, Mechanism};

/// Whose floor limits: `the network`.
pub(super) fn place(layer: Layer) -> &'static str {
    match layer {
        Layer::Network => "the network",
        Layer::Storage => "the storage",
        Layer::Host => "the host",
        Layer::Database => "the database",
        Layer::None => "the test itself",
    }
}

/// A cause in two or three words, without its article: a ceiling by its kind, anything else by how it acts.
pub(super) fn cause(code: &str, mechanism: Mechanism) -> &str {
    ceiling(code).or_else(|| acting(mechanism)).unwrap_or(code)
}

/// A ceiling by its kind; `None`: how it acts names it as well.
pub fn ceiling(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "adapter-queue" => "queue of the adapter",
        "asked-rate" => "rate that the test was asked to keep",
        "bond-goodput" => "links of the bond",
        "cloud-flow" => "provider's limit for one flow",
        "declared-disk" => "declared rate of the volume",
        "device-latency" => "device",
        "declared" => "declared rate",
        "durable-write" => "log writer's durable writes",
        "fc-link" => "Fibre Channel link",
        "generator" => "generator",
        "io-max" => "I/O limit of the control group",
        "iscsi-goodput" => "link to the iSCSI target",
        "nfs-goodput" => "link to the NFS server",
        "nfs-slots" => "slots of the NFS session",
        "nic-goodput" => "NIC",
        "nvme-of-goodput" => "link to the NVMe target",
        "one-cpu" => "speed of one CPU",
        "one-in-flight" => "one message in flight",
        "pcie-link" => "PCI Express slot",
        "qdisc-rate" => "shaper",
        "queue-depth" => "queue depth",
        "request-size" => "request size",
        "request-slots" => "request slots of the queue",
        "route-cwnd-lock" => "congestion window that the route locks",
        "route-window-clamp" => "window that the route clamps",
        "serial-lane" => "SAS or SATA lane",
        "spindles" => "spindles",
        "tcp-send-window" => "send buffer",
        "tcp-window" => "receive window",
        "unscaled-window" => "unscaled window",
        _ => return None,
    })
}

/// How it acts; `None`: the code says more.
fn acting(mechanism: Mechanism) -> Option<&'static str> {
    use Mechanism as M;
    Some(match mechanism {
        M::Other => return None,
        M::Wire => "wire",
        M::Paced => "pace of the test",
        M::CpuBusy => "CPU",
        M::CpuStarved => "missing CPU time",
        M::MemoryShort => "memory shortage",
        M::ReceiverNotReading => "slow receiver",
        M::SocketMemory => "limit of socket memory",
        M::ReceiveWindow => "receive window",
        M::AutotuningOff => "receive buffers that do not grow",
        M::StandbyLink => "standby link in use",
        M::UnscaledWindow => "unscaled window",
        M::RouteWindow => "window of the route",
        M::SendBuffer => "send buffer",
        M::CongestionWindow => "congestion window",
        M::Pacing => "pacing",
        M::SmallSegments => "segment size",
        M::Loss => "packet loss",
        M::LinkFault => "link errors",
        M::Reordering => "reordering",
        M::OwnQueueDrops => "drops in a host's own queue",
        M::OwnShaper => "shaper",
        M::Emulator => "network emulator",
        M::PathRate => "shaper or policer on the path",
        M::FlowLimit => "limit of each flow",
        M::PathQueue => "full queue on the path",
        M::DelayVariation => "delay variation",
        M::SharedPath | M::CrossTraffic => "other traffic on the path",
        M::WrongRoute => "wrong route",
        M::MtuFault => "MTU fault",
        M::MtuSmall => "MTU",
        M::FragmentLoss => "lost fragments",
        M::BondLinks => "links of the bond",
        M::LinkSlow => "slow link",
        M::PauseFrames => "pause frames",
        M::InterruptCpu => "CPU of the interrupts",
        M::Unreachable => "unreachable peer",
        M::RemoteWrite => "peer's disk",
        M::DeviceLatency => "device latency",
        M::Flush => "flush",
        M::QueueDepth => "queue depth",
        M::RequestSize => "request size",
        M::IoLimit => "I/O limit of the control group",
        M::ProvisionedRate => "provisioned rate",
        M::ForeignLoad => "other load on the disks",
        M::Rebuild => "rebuild",
        M::UnevenLegs => "slowest part of the volume",
        M::StoragePath => "storage path",
        M::CacheFull => "full cache",
        M::Stalls => "stalls",
        M::Suspended => "suspended device",
        M::Frozen => "frozen file system",
        M::NoAnswer => "missing answer",
        M::IoErrors => "I/O errors",
        M::WriteOverhead => "extra work of each write",
        M::MountOption => "mount option",
        M::NfsQueue => "queue of the NFS client",
        M::NfsServer => "NFS server",
        M::Distance => "distance to the server",
    })
}
