//! How a cause acts. Rules name one; `fullwire-rules` says which causes which.

use fullwire_record::record;

/// How a cause limits a measurement.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum Mechanism {
    /// None of the others; nothing is known to follow from it.
    #[default]
    Other,
    /// The wire or the medium itself is full.
    Wire,
    /// The load was limited by its plan, or waits for each answer.
    Paced,
    /// One CPU is used up by the transfer itself.
    CpuBusy,
    /// A host or a group of processes gets too little CPU.
    CpuStarved,
    /// A host or a group of processes is short of memory.
    MemoryShort,
    /// The far end answers late for lack of CPU or because its program does not read.
    ReceiverNotReading,
    /// A socket's memory limit cuts receive queues.
    SocketMemory,
    /// The receive window is all that may be in flight.
    ReceiveWindow,
    /// Receive buffers do not grow with what arrives.
    AutotuningOff,
    /// Windows cannot be scaled beyond 64 KiB.
    UnscaledWindow,
    /// A route clamps the window.
    RouteWindow,
    /// The send buffer is all that may be in flight.
    SendBuffer,
    /// The congestion window stays small.
    CongestionWindow,
    /// A setting restarts slow start, or paces segments.
    Pacing,
    /// Segments are smaller than the path takes.
    SmallSegments,
    /// Segments or datagrams are lost on the way.
    Loss,
    /// Frames are damaged or a link is broken.
    LinkFault,
    /// Segments arrive out of order.
    Reordering,
    /// Packets arrive more than once, and take the line's bytes.
    Duplication,
    /// A queue of one of the hosts drops packets.
    OwnQueueDrops,
    /// A queueing discipline of one of the hosts sets the rate.
    OwnShaper,
    /// A network emulator delays, drops or holds packets.
    Emulator,
    /// A shaper, policer or slower link between the hosts sets the rate.
    PathRate,
    /// One flow gets only a part of what the path carries.
    FlowLimit,
    /// A queue on the path stays full.
    PathQueue,
    /// The round trip varies before there is any load.
    DelayVariation,
    /// Other traffic was counted on the interface.
    SharedPath,
    /// Other traffic fills a queue on the path, as far as a stream next to datagrams shows.
    CrossTraffic,
    /// Traffic takes a route that it should not.
    WrongRoute,
    /// A bond sends over a member that should be the standby.
    StandbyLink,
    /// Packets of some size do not pass.
    MtuFault,
    /// Packets are smaller than both ends could take.
    MtuSmall,
    /// Fragments of datagrams are lost.
    FragmentLoss,
    /// Members of a bond do not carry, or flows reach too few of them.
    BondLinks,
    /// A slot, port or link runs below what it can.
    LinkSlow,
    /// The link partner requests pauses.
    PauseFrames,
    /// Interrupts or offloads load one CPU.
    InterruptCpu,
    /// The peer cannot be reached.
    Unreachable,
    /// The peer's disk takes the time.
    RemoteWrite,
    /// The device takes the time.
    DeviceLatency,
    /// Making a write durable takes the time.
    Flush,
    /// A queue takes no more requests at a time.
    QueueDepth,
    /// Requests are split or smaller than they need be.
    RequestSize,
    /// A control group limits I/O.
    IoLimit,
    /// The volume or array lets no more through.
    ProvisionedRate,
    /// Other programs use the same disks.
    ForeignLoad,
    /// An array rebuilds or checks itself.
    Rebuild,
    /// One part of a volume is slower or busier than the others.
    UnevenLegs,
    /// A path to the storage is slow, or the wrong one is used.
    StoragePath,
    /// A cache in front of the medium is full.
    CacheFull,
    /// Storage pauses.
    Stalls,
    /// A map is suspended.
    Suspended,
    /// The file system is frozen.
    Frozen,
    /// The storage does not answer.
    NoAnswer,
    /// I/O fails.
    IoErrors,
    /// Writes are copied first, or encrypted.
    WriteOverhead,
    /// An option of the mount makes requests wait or multiplies them.
    MountOption,
    /// Requests wait in the NFS client.
    NfsQueue,
    /// The NFS server takes the time.
    NfsServer,
    /// The distance to the server takes the time.
    Distance,
}
