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
        "adapter-queue" => "adapter queue",
        "asked-rate" => "rate set for the test",
        "bond-goodput" => "bond's links",
        "cloud-flow" => "provider's limit per flow",
        "declared-disk" => "declared rate of the volume",
        "device-latency" => "device",
        "declared" => "declared rate",
        "durable-write" => "log writer's durable writes",
        "fc-link" => "Fibre Channel link",
        "generator" => "generator",
        "io-max" => "cgroup I/O limit",
        "iscsi-goodput" => "link to the iSCSI target",
        "nfs-goodput" => "link to the NFS server",
        "nfs-slots" => "NFS session slots",
        "nic-goodput" => "NIC",
        "nvme-of-goodput" => "link to the NVMe target",
        "one-cpu" => "speed of one CPU",
        "one-in-flight" => "one message in flight",
        "pcie-link" => "PCI Express slot",
        "qdisc-rate" => "shaper",
        "queue-depth" => "queue depth",
        "request-size" => "request size",
        "request-slots" => "request slots of the block queue",
        "route-cwnd-lock" => "congestion window locked by the route",
        "route-window-clamp" => "window clamped by the route",
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
        M::CpuStarved => "lack of CPU time",
        M::MemoryShort => "memory shortage",
        M::ReceiverNotReading => "slow receiver",
        M::SocketMemory => "socket memory limit",
        M::ReceiveWindow => "receive window",
        M::AutotuningOff => "disabled receive autotuning",
        M::StandbyLink => "standby link",
        M::UnscaledWindow => "unscaled window",
        M::RouteWindow => "window set by the route",
        M::SendBuffer => "send buffer",
        M::CongestionWindow => "congestion window",
        M::Pacing => "pacing",
        M::SmallSegments => "segment size",
        M::Loss => "packet loss",
        M::LinkFault => "link errors",
        M::Reordering => "reordering",
        M::Duplication => "duplicated packets",
        M::OwnQueueDrops => "drops in a host's own queue",
        M::OwnShaper => "shaper",
        M::Emulator => "network emulator",
        M::PathRate => "shaper or policer on the path",
        M::FlowLimit => "per-flow limit",
        M::PathQueue => "full queue on the path",
        M::DelayVariation => "delay variation",
        M::SharedPath | M::CrossTraffic => "other traffic on the path",
        M::WrongRoute => "wrong route",
        M::MtuFault => "MTU fault",
        M::MtuSmall => "MTU",
        M::FragmentLoss => "lost fragments",
        M::BondLinks => "bond's links",
        M::LinkSlow => "slow link",
        M::PauseFrames => "pause frames",
        M::InterruptCpu => "CPU that handles the interrupts",
        M::Unreachable => "unreachable peer",
        M::RemoteWrite => "peer's disk",
        M::DeviceLatency => "device latency",
        M::Flush => "flush",
        M::QueueDepth => "queue depth",
        M::RequestSize => "request size",
        M::IoLimit => "cgroup I/O limit",
        M::ProvisionedRate => "provisioned rate",
        M::ForeignLoad => "other load on the disks",
        M::Rebuild => "rebuild",
        M::UnevenLegs => "slowest part of the volume",
        M::StoragePath => "storage path",
        M::CacheFull => "full cache",
        M::Stalls => "stalls",
        M::Suspended => "suspended device",
        M::Frozen => "frozen file system",
        M::NoAnswer => "lack of an answer",
        M::IoErrors => "I/O errors",
        M::WriteOverhead => "write overhead",
        M::MountOption => "mount option",
        M::NfsQueue => "NFS client's queue",
        M::NfsServer => "NFS server",
        M::Distance => "distance to the server",
    })
}
