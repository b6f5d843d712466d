//! What a statement is about: where it is, which kind of thing, its name, and which side of it.

use crate::PathName;
use fullwire_record::record;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A thing that a finding, a ceiling or a cause can be about. Two statements are about the same thing where these are
/// equal; the text that people read is made from it ([`fmt::Display`]) and joins nothing.
#[record(Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    #[serde(skip_serializing_if = "At::is_here")]
    pub at: At,
    /// Its name, of a kind that a host has several of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What distinguishes two statements about one thing: a direction, an option, a property (`round trip`, `io.max`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub aspect: String,
}

/// Where a thing is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// On this host.
    #[default]
    Here,
    /// On the host of this peer, as the user wrote it.
    Peer(PathName),
    /// In this file of another tool.
    File(String),
    /// On this host of a mesh.
    Node(String),
}

impl At {
    /// The host of a peer, or this host.
    pub fn peer(peer: Option<&PathName>) -> Self {
        peer.map_or(Self::Here, |peer| Self::Peer(peer.clone()))
    }

    /// On this host.
    pub fn is_here(&self) -> bool {
        *self == Self::Here
    }
}

/// The kinds of things.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A whole host.
    #[default]
    Host,
    /// The way to a peer.
    Path,
    /// A route.
    Route,
    /// A network interface of any kind but a bond.
    Nic,
    /// A bond or team.
    Bond,
    /// A queueing discipline.
    QueueingDiscipline,
    /// A protocol of the kernel: TCP, UDP, IP.
    Protocol,
    /// A socket or an address with its port.
    Socket,
    /// A network address.
    Address,
    /// A measured directory, file or device.
    Target,
    /// A mounted file system.
    Mount,
    /// A block device.
    Disk,
    /// A multipath map.
    MultipathMap,
    /// An LVM or VDO volume, a pool or an array.
    Volume,
    /// A ZFS pool.
    Pool,
    /// A ZFS dataset.
    Dataset,
    /// A SCSI host or virtual controller.
    Adapter,
    /// A Fibre Channel port or SAS phy of this host.
    Port,
    /// A Fibre Channel port of an array.
    RemotePort,
    /// An NVMe controller.
    NvmeController,
    /// A PCI Express device.
    PcieDevice,
    /// An iSCSI session.
    IscsiSession,
    /// An iSCSI target.
    IscsiTarget,
    /// An NFS server.
    NfsServer,
    /// The kernel's NFS client.
    NfsClient,
    /// A control group.
    Cgroup,
    /// A CPU, or all of them.
    Cpu,
    /// A NUMA node.
    NumaNode,
    /// Memory.
    Memory,
    /// A memory module or its controller.
    Dimm,
    /// Swap space.
    Swap,
    /// Shared memory of System V or POSIX.
    SharedMemory,
    /// The clock.
    Clock,
    /// Tasks that wait or run.
    Tasks,
    /// A process, daemon or kernel thread.
    Process,
    /// The kernel's log.
    KernelLog,
    /// A kernel setting, a module's option or a tuned profile.
    Setting,
    /// A file that configures something.
    File,
    /// A database or one of its instances.
    Database,
    /// An ASM disk group.
    AsmGroup,
    /// An archive destination or recovery area of a database.
    ArchiveDestination,
    /// A report or a history that was imported.
    Report,
    /// The generator of the load.
    Generator,
    /// Hosts, pairs or groups of a mesh.
    MeshPlace,
}

impl Kind {
    /// A thing of this kind on this host; without a name where a host has one alone.
    pub fn named(self, name: impl Into<String>) -> Subject {
        Subject { kind: self, name: name.into(), ..Subject::default() }
    }

    /// The one thing of this kind that a host has.
    pub fn only(self) -> Subject {
        self.named("")
    }

    /// What one is called that has no name.
    fn word(self) -> &'static str {
        match self {
            Self::Host => "this host",
            Self::Cpu => "CPU",
            Self::Memory => "memory",
            Self::Swap => "swap",
            Self::Clock => "clock",
            Self::Tasks => "tasks",
            Self::KernelLog => "kernel log",
            Self::NfsClient => "NFS client",
            Self::NfsServer => "NFS",
            Self::Generator => "generator",
            Self::SharedMemory => "shared memory",
            _ => "",
        }
    }
}

impl Subject {
    /// The same thing on another host.
    #[must_use]
    pub fn at(self, at: At) -> Self {
        Self { at, ..self }
    }

    /// One side of it.
    #[must_use]
    pub fn aspect(self, aspect: impl Into<String>) -> Self {
        Self { aspect: aspect.into(), ..self }
    }

    /// Another thing of the same kind in the same place.
    #[must_use]
    pub fn sibling(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self.clone() }
    }

    /// The thing without the side of it that a statement is about: what a graph of the host has a node of.
    #[must_use]
    pub fn thing(&self) -> Self {
        Self { aspect: String::new(), ..self.clone() }
    }
}

/// Sides of a path that belong to its far end, or to one end of a transfer; the others lead there.
const OF_AN_END: [&str; 3] = ["receive window", "disk", "CPU"];

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { self.kind.word() } else { &self.name };
        match (self.aspect.as_str(), self.kind) {
            ("", Kind::Cpu) if !self.name.is_empty() => write!(f, "CPU {name}")?,
            ("", _) => f.write_str(name)?,
            (aspect, _) if name.is_empty() => f.write_str(aspect)?,
            (aspect, Kind::QueueingDiscipline) => write!(f, "{aspect} on {name}")?,
            (aspect, Kind::Setting) => write!(f, "{name} toward {aspect}")?,
            (aspect, Kind::Path | Kind::Route) if !OF_AN_END.contains(&aspect) => {
                write!(f, "{aspect} to {name}")?;
            }
            (aspect, _) => write!(f, "{aspect} of {name}")?,
        }
        match &self.at {
            At::Here => Ok(()),
            At::Peer(peer) => write!(f, " at {peer}"),
            At::Node(host) | At::File(host) => write!(f, " at {host}"),
        }
    }
}

impl From<&Subject> for Subject {
    fn from(subject: &Self) -> Self {
        subject.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_reads_as_people_say_it() {
        let peer = || At::Peer("db2:5555".into());
        let said = [
            Kind::Nic.named("eth0"),
            Kind::Nic.named("eth0").at(peer()),
            Kind::Path.named("db2:5555").aspect("round trip"),
            Kind::Path.named("db2:5555").aspect("receive window"),
            Kind::Cgroup.named("/database").aspect("io.max"),
            Kind::KernelLog.only(),
            Kind::Cpu.only().at(peer()),
            Kind::Protocol.named("TCP").at(peer()),
            Kind::Cpu.named("3"),
            Kind::QueueingDiscipline.named("eth0").aspect("tbf"),
            Kind::Setting.named("net.ipv4.tcp_rmem").aspect("db2:5555"),
        ];
        let expected = [
            "eth0",
            "eth0 at db2:5555",
            "round trip to db2:5555",
            "receive window of db2:5555",
            "io.max of /database",
            "kernel log",
            "CPU at db2:5555",
            "TCP at db2:5555",
            "CPU 3",
            "tbf on eth0",
            "net.ipv4.tcp_rmem toward db2:5555",
        ];
        assert_eq!(said.map(|subject| subject.to_string()), expected);
    }

    #[test]
    fn in_json_a_subject_says_what_is_not_usual_alone() {
        let text = |subject: &Subject| serde_json::to_string(subject).expect("JSON");
        assert_eq!(text(&Kind::Nic.named("eth0")), r#"{"kind":"nic","name":"eth0"}"#);
        let far = Kind::Nic.named("eth0").at(At::Peer("db2:5555".into()));
        assert_eq!(text(&far), r#"{"kind":"nic","at":{"peer":"db2:5555"},"name":"eth0"}"#);
        assert_eq!(serde_json::from_str::<Subject>(&text(&far)).expect("read back"), far);
    }
}
